# SPDX-License-Identifier: GPL-3.0-or-later
"""An arm goes limp within a range: its result is drawn beside the animation, and Compare exchanges both."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.gui.conftest import Blender
from tests.gui.window import TO_COMPILE, TO_REACT, Window, opened_window

SIZE = (1920, 1080)
IN_THE_VIEW = (500, 500)
SCENE = Path(__file__).with_name("limp_arm.py").read_text(encoding="utf-8")
DRAW = "bpy.ops.wm.redraw_timer(type='DRAW_WIN_SWAP', iterations=2)"  # a software renderer is slow
GHOSTS = "from bl_ext.user_default.virtual_erector_set.scene.bake.ghost import has_ghost\n"


@pytest.fixture(scope="module")
def window(installed: Blender) -> Iterator[Window]:
    with opened_window(installed, IN_THE_VIEW, "part_at_the_end", SIZE) as opened:
        opened.ask(f"{SCENE}\nbuild()")
        yield opened


def test_the_result_of_a_part_is_drawn_beside_the_animation(window: Window) -> None:
    made = window.ask(f"{GHOSTS}bpy.ops.ves.bake_part()\nanswer = has_ghost(bpy.context.scene)", TO_COMPILE)
    assert made, "no result beside the animation"
    window.ask(f"bpy.context.scene.frame_set(1)\n{DRAW}", TO_REACT)  # before it begins
    window.ask(f"{SCENE}\nshow()\n{DRAW}", TO_REACT)
    time.sleep(1.5)
    window.photograph("part_ghost")
    animated = window.ask(f"{SCENE}\nanswer = hand()")
    window.ask(f"bpy.ops.ves.ghost_command(command='COMPARE')\n{DRAW}", TO_REACT)
    time.sleep(1.5)
    window.photograph("part_compared")
    limp = window.ask(f"{SCENE}\nanswer = hand()")
    assert limp[2] < animated[2] - 0.2
    assert math.dist(limp, animated) > 0.3
    assert "Traceback" not in (window.folder / "blender.log").read_text(encoding="utf-8")
