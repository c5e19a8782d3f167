# SPDX-License-Identifier: GPL-3.0-or-later
"""The zip, installed in a real Blender, does its work in the background: by script and by command line."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest

from tests.gui.conftest import Blender

SCENE = Path(__file__).with_name("hanging_chain.py").read_text(encoding="utf-8")
LINKS, FRAMES = 5, 60


def run(blender: Blender, program: str, blend: Path | None = None) -> None:
    """Run the scene's functions and then `program` in a Blender without a window; a Python error fails."""
    script = blender.folder / "program.py"
    script.write_text(f"{SCENE}\nimport json\n{program}\n", encoding="utf-8")
    blender("--background", *([blend] if blend else []), "--python-exit-code", "1", "--python", script)


def test_the_zip_holds_the_extension_and_nothing_else(zip_file: Path) -> None:
    names = zipfile.ZipFile(zip_file).namelist()
    tops = {name.split("/")[0] for name in names}
    needed = {"blender_manifest.toml", "__init__.py", "LICENSE", "solver", "scene", "operators", "panels"}
    assert needed <= tops <= needed | {"CHANGELOG.md", "README.md", "wheels"}
    assert [name for name in names if not name.endswith((".py", ".md", ".toml", "LICENSE", ".whl"))] == []


def test_blender_validates_the_zip(blender: Blender, zip_file: Path) -> None:
    assert "Success" in blender("--command", "extension", "validate", zip_file)


def test_install_and_switch_on(installed: Blender) -> None:
    assert "virtual_erector_set" in installed("--command", "extension", "list")
    module = "bl_ext.user_default.virtual_erector_set"
    run(installed, f"assert {module!r} in bpy.context.preferences.addons, 'not switched on'")


def test_switch_off_and_on_again(installed: Blender) -> None:
    module = "bl_ext.user_default.virtual_erector_set"
    run(
        installed,
        f"for _ in range(2):\n"
        f"    bpy.ops.preferences.addon_disable(module={module!r})\n"
        f"    assert not hasattr(bpy.types.Object, 'ves')\n"
        f"    bpy.ops.preferences.addon_enable(module={module!r})\n"
        f"    assert hasattr(bpy.types.Object, 'ves')\n",
    )


@pytest.fixture(scope="module")
def by_script(installed: Blender) -> dict:
    """Keys and motion after a bake by script."""
    result = installed.folder / "by_script.json"
    program = "build()\nbpy.ops.ves.bake()\n"
    program += f"open({str(result)!r}, 'w').write(json.dumps({{'keys': keys(), **motion()}}))"
    run(installed, program)
    return json.loads(result.read_text(encoding="utf-8"))


def test_a_script_bakes(by_script: dict) -> None:
    assert set(by_script["keys"]) == {f"link {i}" for i in range(1, LINKS)}
    for rows in by_script["keys"].values():
        for channel in {(path, index) for path, index, _, _ in rows}:
            frames = [frame for path, index, frame, _ in rows if (path, index) == channel]
            assert len(set(frames)) == len(frames)
            assert set(frames) >= {float(frame) for frame in range(1, FRAMES + 1)}, "between them there may be others"


def test_the_chain_swings_and_holds_together(by_script: dict) -> None:
    """Two metres of chain fall from level; keyframes are single precision, a millionth of a metre at this size."""
    assert by_script["joints"] == LINKS - 1
    assert by_script["gap"] < 5e-6
    assert by_script["lowest"] < 1.5


def test_the_command_line_bakes_the_same(installed: Blender, by_script: dict) -> None:
    blend, baked = installed.folder / "chain.blend", installed.folder / "baked.blend"
    result = installed.folder / "by_command.json"
    run(installed, f"build()\nbpy.ops.wm.save_as_mainfile(filepath={str(blend)!r})")
    installed("--command", "ves", "bake", blend, "--save-as", baked)
    run(installed, f"open({str(result)!r}, 'w').write(json.dumps(keys()))", baked)
    assert json.loads(result.read_text(encoding="utf-8")) == by_script["keys"]


def test_the_command_line_says_what_is_wrong(installed: Blender) -> None:
    missing = installed.folder / "missing.blend"
    output = installed("--command", "ves", "bake", missing, status=1)
    assert "missing.blend" in output
