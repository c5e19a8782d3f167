# SPDX-License-Identifier: GPL-3.0-or-later
"""The command line: python -m solver simulate | torques | evaluate | assemble | check FILE ..., and script FILE | -

FILE is a mechanism, or a script in the command language (.ves), which may say how long and how exactly it runs.
Exit status 0; 1 for a file that is wrong, with one line per problem; 2 for wrong usage; 3 for a simulation that could
not go on, with the frames up to there written, or an assembly that stays open, written as far as it came.
"""

import argparse
import contextlib
import os
import sys
from pathlib import Path

from .assembly import Assembly
from .assembly.reach import Loops, end_of_keys
from .drives.drive_efforts import drive_efforts
from .drives.motion import end_of_leading
from .drives.motors import with_motors
from .kernel import cache_folder, compiles
from .mechanism import MechanismError, RunError
from .mechanism.doubts import doubts_about
from .mechanism.error import refuse_run
from .mechanism.messages import Message
from .script import Script
from .script.session import NAME, Session, converse
from .simulation.catching.one_sided import doubts_about_cams
from .simulation.contradictions import contradictions
from .simulation.options import INTEGRATORS, METHODS
from .simulation.run_limits import count_frames, refuse_frames_of, refuse_number
from .simulation.simulation import Simulation, SimulationFailed, evaluate, unsupported_features

WRONG_FILE, WRONG_USAGE, FAILED = 1, 2, 3


def main(arguments: list[str] | None = None) -> int:
    """Runs one command and returns the exit status."""
    options = _parser().parse_args(arguments)
    if compiles() and not _keeps_machine_code(cache_folder()):
        print(Message("no-cache", folder=cache_folder()), file=sys.stderr)
    try:
        return options.run(options)
    except MechanismError as error:
        for problem in error.problems:
            print(problem, file=sys.stderr)
        return WRONG_FILE
    except OSError as error:
        print(f"{error.filename or options.output}: {error.strerror or error}", file=sys.stderr)
        return WRONG_FILE
    except RunError as error:
        for problem in error.problems:
            print(f"python -m solver: error: {problem}", file=sys.stderr)
        return WRONG_USAGE


def _keeps_machine_code(folder: Path) -> bool:
    """True if files can be left in a folder, which is made if it is missing."""
    with contextlib.suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
    return folder.is_dir() and os.access(folder, os.W_OK)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m solver", description="Runs a mechanism file, or a script (.ves), without Blender."
    )
    commands = parser.add_subparsers(required=True, metavar="simulate | torques | evaluate | assemble | check | script")
    simulate_command = commands.add_parser("simulate", help="write the motion as an npz file")
    simulate_command.set_defaults(run=_simulate)
    simulate_command.add_argument("file", metavar="FILE")
    simulate_command.add_argument("-o", "--output", metavar="OUT.npz", required=True)
    simulate_command.add_argument("--duration", type=float, metavar="S", help="a script that steps says it itself")
    simulate_command.add_argument("--frame-rate", type=float, help="the script's, or 24, if left out")
    simulate_command.add_argument("--method", default="auto", choices=METHODS)
    simulate_command.add_argument("--integrator", default="auto", choices=INTEGRATORS)
    simulate_command.add_argument("--relative", type=float, help="the script's, or 1e-6, if left out")
    simulate_command.add_argument("--absolute", type=float, help="the script's, or a tenth of --relative, if left out")
    simulate_command.add_argument(
        "--substeps", type=int, metavar="N", help="steps a frame of impulse, variational, quasi-static and adaptive"
    )
    simulate_command.add_argument(
        "--settling", type=float, metavar="S", help="of quasi-static: 0.1 if left out; 0 for equilibrium in each frame"
    )
    simulate_command.add_argument(
        "--error-bound",
        type=float,
        metavar="E",
        help="of adaptive: joint accelerations left out, 0.1 rad/s2 if not given",
    )
    torques_command = commands.add_parser(
        "torques", help="write which efforts of the joints' drives move the bodies as they are keyed"
    )
    torques_command.set_defaults(run=_torques)
    torques_command.add_argument("file", metavar="FILE")
    torques_command.add_argument("-o", "--output", metavar="OUT.npz", required=True)
    torques_command.add_argument(
        "--duration", type=float, metavar="S", help="the script's, or as long as there are keys"
    )
    torques_command.add_argument("--frame-rate", type=float, help="the script's, or 24, if left out")
    torques_command.add_argument("--relative", type=float, help="the script's, or 1e-6, if left out")
    torques_command.add_argument(
        "--drives", nargs="+", metavar="JOINT", help="those with a motor, or all if there are none, if left out"
    )
    torques_command.add_argument("--motors", metavar="FILE2", help="also write the mechanism that such motors move")
    evaluate_command = commands.add_parser("evaluate", help="write accelerations and forces at the start")
    evaluate_command.set_defaults(run=_evaluate)
    evaluate_command.add_argument("file", metavar="FILE")
    evaluate_command.add_argument("-o", "--output", metavar="OUT.npz", required=True)
    evaluate_command.add_argument("--method", default="auto", choices=[*METHODS])
    evaluate_command.add_argument(
        "--derivatives", action="store_true", help="also by coordinates, speeds and efforts of all axes"
    )
    assemble_command = commands.add_parser("assemble", help="close loops and constraints, and write the mechanism")
    assemble_command.set_defaults(run=_assemble)
    assemble_command.add_argument("file", metavar="FILE")
    assemble_command.add_argument("-o", "--output", metavar="FILE2", required=True)
    check_command = commands.add_parser("check", help="say what is wrong with a file, or perhaps not meant")
    check_command.set_defaults(run=_check, output=None)
    check_command.add_argument("file", metavar="FILE")
    script_command = commands.add_parser("script", help="obey commands line by line, and answer each at once")
    script_command.set_defaults(run=_converse, output=None)
    script_command.add_argument("file", metavar="FILE.ves | -", help="a script, or - for standard input")
    for command in (
        simulate_command,
        torques_command,
        evaluate_command,
        assemble_command,
        check_command,
        script_command,
    ):
        command.add_argument("--mend", action="store_true", help="take the nearest possible inertia where one is not")
    return parser


def _load(options: argparse.Namespace) -> Script:
    """The script or mechanism of a command, mended if that was asked for, which is said."""
    script = Script.load(options.file, options.mend)
    for note in script.notes:
        if isinstance(note, Message):
            print(note, file=sys.stderr)
    return script


def _simulate(options: argparse.Namespace) -> int:
    script = _load(options)
    duration = _first_given(options.duration, script.duration)
    if duration is None:
        refuse_run(Message("no-duration"))
    relative = _first_given(options.relative, script.relative, 1e-6)
    absolute = _first_given(options.absolute, script.absolute, 0.1 * relative)
    simulation = Simulation(
        script.mechanism,
        duration=duration,
        frame_rate=_first_given(options.frame_rate, script.frame_rate, 24.0),
        relative=relative,
        absolute=absolute,
        method=options.method,
        integrator=options.integrator,
        substeps=options.substeps,
        settling=options.settling,
        error_bound=options.error_bound,
    )
    simulation.notes += script.notes
    try:
        for _ in simulation.run():
            pass
    except SimulationFailed as failure:
        recording, status = failure.recording, FAILED
        print(failure, file=sys.stderr)
    else:
        recording, status = simulation.recording, 0
    recording.save(options.output)
    _tell_notes(recording.notes, script)
    for answer in script.answers(recording, (relative, absolute)):
        print(answer)
    return status


def _torques(options: argparse.Namespace) -> int:
    """Prints a line for each driven coordinate: its largest effort, that of it which heats a motor, speed and power."""
    script = _load(options)
    duration = _first_given(options.duration, script.duration, end_of_leading(script.mechanism) or None)
    if duration is None:
        refuse_run(Message("no-duration"))
    try:
        result = drive_efforts(
            script.mechanism,
            duration,
            _first_given(options.frame_rate, script.frame_rate, 24.0),
            relative=_first_given(options.relative, script.relative, 1e-6),
            drives=options.drives,
        )
    except SimulationFailed as failure:
        print(failure, file=sys.stderr)
        return FAILED
    result.save(options.output)
    if options.motors is not None:
        with_motors(result).save(options.motors)
    _tell_notes(result.notes, script)
    for peak in result.peaks():
        print(peak)
    return 0


def _tell_notes(notes: list[str], script: Script) -> None:
    """The notes on a motion, but for those on the file, which have been told, and the integrator, which is no news."""
    told = [note for note in script.notes if isinstance(note, Message)]
    for note in notes:
        if note not in told and getattr(note, "code", "") != "integrator":
            print(f"note: {note}", file=sys.stderr)


def _first_given(*values: float | None) -> float | None:
    return next((value for value in values if value is not None), None)


def _evaluate(options: argparse.Namespace) -> int:
    evaluate(_load(options).mechanism, options.method, options.derivatives).save(options.output)
    return 0


def _assemble(options: argparse.Namespace) -> int:
    assembly = Assembly(_load(options).mechanism)
    for _ in assembly.run():
        pass
    assembly.mechanism.save(options.output)
    for tie in assembly.open:
        print(tie, file=sys.stderr)
    return FAILED if assembly.open else 0


def _check(options: argparse.Namespace) -> int:
    script = _load(options)
    mechanism = script.mechanism
    if script.duration is not None:
        refuse_number("duration", script.duration)
        refuse_number("frame_rate", script.frame_rate)
        refuse_frames_of(mechanism, count_frames(script.duration, script.frame_rate))
    print(f"{options.file}: nothing is wrong")
    cannot, stops = unsupported_features(mechanism), contradictions(mechanism)
    doubts = doubts_about(mechanism) + doubts_about_cams(mechanism)
    if not cannot:
        doubts = doubts + Loops(mechanism).notes(_first_given(script.duration, end_of_keys(mechanism)))
    said = {"cannot be simulated here": cannot, "cannot go on": stops, "is perhaps not meant": doubts}
    for heading, lines in said.items():
        for line in lines:
            print(f"{options.file}: {heading}: {line}")
    return 0


def _converse(options: argparse.Namespace) -> int:
    """Answers are flushed line by line, so that another program can wait for them."""
    status = 0
    with contextlib.ExitStack() as stack:
        stream = sys.stdin if options.file == NAME else stack.enter_context(open(options.file, encoding="utf-8"))
        for is_wrong, answer in converse(stream, Session(options.mend), options.file):
            print(answer, file=sys.stderr if is_wrong else sys.stdout, flush=True)
            status = WRONG_FILE if is_wrong else status
    return status


if __name__ == "__main__":
    sys.exit(main())
