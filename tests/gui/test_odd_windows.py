# SPDX-License-Identifier: GPL-3.0-or-later
"""Two windows, of which one is closed in the midst of a bake or of Play; Blender with factory settings; and one whose
folder of preferences nobody may write to."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.gui.conftest import Blender
from tests.gui.window import TO_COMPILE, TO_REACT, Window, opened_window

SCENE = Path(__file__).with_name("hanging_chain.py").read_text(encoding="utf-8")
IN_THE_VIEW = (600, 700)
NOBODY = "65534"
MODULE = "bl_ext.user_default.virtual_erector_set"
IN_THE_LATEST = """
manager = bpy.context.window_manager
window = manager.windows[-1]
area = next(area for area in window.screen.areas if area.type == 'VIEW_3D')
region = next(region for region in area.regions if region.type == 'WINDOW')
override = bpy.context.temp_override(window=window, area=area, region=region)
"""
BAKE_ALONE = f"""
import json
bpy.ops.preferences.addon_enable(module='{MODULE}')
build(20)
bpy.ops.ves.bake()
print('FOUND', json.dumps(dict(motion(), keys=len(keys()))))
"""


@pytest.fixture(scope="module")
def window(installed: Blender) -> Iterator[Window]:
    with opened_window(installed, IN_THE_VIEW, "odd_windows_at_the_end", (1200, 900)) as opened:
        opened.ask(f"{SCENE}\nbuild()")
        yield opened


@pytest.mark.parametrize("work", ["bake", "play"])
def test_what_is_under_way_ends_with_its_window(window: Window, work: str) -> None:
    window.ask("bpy.ops.wm.window_new()")
    window.wait_until(
        lambda: window.ask("answer = len(bpy.context.window_manager.windows)") == 2, TO_REACT, "no window"
    )
    before = window.ask(f"{SCENE}\nbpy.context.scene.frame_end = 20000\nanswer = [len(bpy.data.actions), poses()]")
    window.ask(f"{IN_THE_LATEST}\nwith override:\n    bpy.ops.ves.{work}('INVOKE_DEFAULT')", TO_REACT)
    label = work.capitalize()
    window.wait_until(lambda: window.under_way() == label, TO_REACT, f"{label} did not begin")
    window.photograph(f"two_windows_{work}")
    window.ask(f"{IN_THE_LATEST}\nwith override:\n    bpy.ops.wm.window_close()", TO_REACT)
    window.wait_until(lambda: not window.under_way(), TO_REACT, f"{label} goes on without its window")
    assert window.ask(f"{SCENE}\nanswer = [len(bpy.data.actions), poses()]") == before


def test_afterwards_the_other_window_bakes(window: Window) -> None:
    window.ask(f"{SCENE}\nbpy.context.scene.frame_end = 20\nbpy.ops.ves.bake('INVOKE_DEFAULT')")
    window.wait_until(lambda: window.ask(f"{SCENE}\nanswer = len(keys())") == 4, TO_COMPILE, "no keyframes")
    assert window.ask(f"{SCENE}\nanswer = motion()")["gap"] < 5e-6


@pytest.mark.parametrize("settings", ["factory", "read-only"])
def test_it_bakes_without_preferences_of_its_own(installed: Blender, tmp_path: Path, settings: str) -> None:
    """Who may not write there is another user, who has no home and so no machine code; the folder is that of whoever
    installed."""
    script = installed.folder / f"bake_{settings}.py"
    script.write_text(f"{SCENE}\n{BAKE_ALONE}", encoding="utf-8")
    user = ["setpriv", f"--reuid={NOBODY}", "--clear-groups"] if settings == "read-only" else []
    options = ["--factory-startup"] if settings == "factory" else []
    resources = {"SHARED": str(installed.folder), "BLENDER_USER_RESOURCES": str(installed.folder / "user")}
    ended = subprocess.run(
        [*installed.prefix, *user, "blender", "--background", *options, "--python-exit-code", "3", "--python", script],
        env=os.environ | resources | ({"HOME": "/nonexistent", "NUMBA_DISABLE_JIT": "1"} if user else {}),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL,
        text=True,
        timeout=TO_COMPILE,
    )
    assert ended.returncode == 0, ended.stdout
    assert "Traceback" not in ended.stdout
    (line,) = [line for line in ended.stdout.splitlines() if line.startswith("FOUND")]
    found = json.loads(line.removeprefix("FOUND"))
    assert found["keys"] == 4
    assert found["gap"] < 5e-6
