# SPDX-License-Identifier: GPL-3.0-or-later
"""`blender --command ves bake FILE.blend [--save-as OUT] [--start N] [--end N]`: baking without a window.

Exit status: 0 done; 1 the file or the set-up is wrong, one line per problem on standard error; 2 wrong usage; 3 the
simulation could not go on (the frames up to there are saved).
"""

import argparse
import sys
from pathlib import Path

import bpy

from ..scene.bake.bake import BakeResult, bake, run_to_end
from ..scene.findings import SceneError
from ..scene.properties.scene import frame_range

DONE, WRONG_SCENE, WRONG_USAGE, STOPPED_EARLY = 0, 1, 2, 3


def run(arguments: list[str]) -> int:
    """Do what the command line says and return the exit status."""
    try:
        options = _parser().parse_args(arguments)
    except SystemExit as stop:  # argparse has said what is wrong, or shown the help
        return WRONG_USAGE if stop.code else DONE
    source = Path(options.file).absolute()
    if not source.is_file():
        return _wrong(f"{source}: there is no such file")
    try:
        bpy.ops.wm.open_mainfile(filepath=str(source))
    except RuntimeError as error:
        return _wrong(f"{source}: {str(error).strip()}")
    try:
        result = run_to_end(bake(bpy.context.scene, bpy.context.view_layer, _frames(options)))
    except SceneError as error:
        return _wrong(*map(str, error.findings))
    return _save(options, source, result)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="blender --command ves", description="Virtual Erector Set")
    commands = parser.add_subparsers(dest="command", required=True, metavar="bake")
    command = commands.add_parser("bake", help="compute the motion of a file's mechanism and write it to keyframes")
    command.add_argument("file", metavar="FILE.blend")
    command.add_argument("--save-as", metavar="OUT", help="where to save (default: the same file)")
    command.add_argument("--start", type=int, metavar="N", help="first frame (default: the file's own range)")
    command.add_argument("--end", type=int, metavar="N", help="last frame")
    return parser


def _frames(options: argparse.Namespace) -> tuple[int, int]:
    first, last = frame_range(bpy.context.scene)
    return first if options.start is None else options.start, last if options.end is None else options.end


def _save(options: argparse.Namespace, source: Path, result: BakeResult) -> int:
    target = Path(options.save_as).absolute() if options.save_as else source
    try:
        bpy.ops.wm.save_as_mainfile(filepath=str(target))
    except RuntimeError as error:
        return _wrong(f"{target}: {str(error).strip()}")
    for finding in (*result.warnings, *result.advice):
        sys.stderr.write(f"{'Note' if finding.is_fact else 'Warning'}: {finding}\n")
    sys.stdout.write(f"{result.summary}\nSaved {target}\n")
    if result.failure:
        sys.stderr.write(f"{result.failure}\n")
        return STOPPED_EARLY
    return DONE


def _wrong(*problems: str) -> int:
    for problem in problems:
        sys.stderr.write(f"{problem}\n")
    return WRONG_SCENE


_handles: list = []


def register() -> None:
    """Make the command known to Blender."""
    _handles.append(bpy.utils.register_cli_command("ves", run))


def unregister() -> None:
    """Take it away."""
    while _handles:
        bpy.utils.unregister_cli_command(_handles.pop())
