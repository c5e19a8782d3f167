# SPDX-License-Identifier: GPL-3.0-or-later
"""Pose of bones in the window: the ground stops them, H keeps a hand, I keys the rig, Esc takes all of it back."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.gui.conftest import Blender
from tests.gui.window import HEIGHT, TO_COMPILE, TO_MOVE, TO_REACT, WIDTH, Window, opened_window

SCENE = Path(__file__).with_name("posed_bones.py").read_text(encoding="utf-8")
IN_THE_VIEW = (WIDTH // 3, 300)


@pytest.fixture(scope="module")
def window(installed: Blender) -> Iterator[Window]:
    with opened_window(installed, IN_THE_VIEW, "pose_bones_at_the_end") as opened:
        opened.ask(f"{SCENE}\nbuild()\nshow()\nbpy.ops.ed.undo_push(message='Build')")
        opened.open_tab("Erector Set")
        opened.find_button("ves.pose", in_header=True)
        yield opened


def state(window: Window) -> dict:
    return window.ask(f"{SCENE}\nanswer = state()")


def place(window: Window, bone: int) -> tuple[float, float]:
    return tuple(window.ask(f"{SCENE}\nanswer = on_screen(middle({bone}), {HEIGHT})"))


def lead(window: Window, bone: int, by: tuple[float, float]) -> tuple[int, int]:
    """Take a bone at its middle and lead it so far, in pixels; it stays in hand. Returns where the mouse is."""
    x, y = place(window, bone)
    window.take(x, y)
    for share in (0.25, 0.5, 0.75, 1.0):
        window.lead(x + share * by[0], y + share * by[1])
    return int(x + by[0]), int(y + by[1])


def test_bones_are_dragged_kept_from_the_ground_and_put_back(window: Window) -> None:
    before = state(window)
    window.press_button("ves.pose", in_header=True)
    window.wait_until(lambda: window.under_way() == "Pose", TO_REACT, "Pose did not begin after it was pressed")
    window.wait_until(lambda: "pins" in state(window)["status"], TO_COMPILE, "nothing can be dragged yet")
    mouse = lead(window, 4, (-60.0, 600.0))
    window.wait_until(lambda: "meets the ground" in state(window)["status"], TO_MOVE, "nothing says what is met")
    assert state(window)["lowest"] > -1e-4
    window.photograph("pose_bones_ground")
    window.press("h", *mouse)
    window.let_go()
    there = state(window)["middles"][4]
    lead(window, 2, (0.0, -80.0))
    window.wait_until(lambda: "1 hand kept" in state(window)["status"], TO_REACT, "no hand was kept")
    window.photograph("pose_bones_two_hands")
    window.let_go()
    assert math.dist(state(window)["middles"][4], there) < 0.2
    assert state(window)["lowest"] > -1e-4
    window.press("i", *IN_THE_VIEW)
    window.wait_until(lambda: state(window)["keyed"], TO_REACT, "I did not key the rig")
    window.press("Escape", *IN_THE_VIEW)
    window.wait_until(lambda: window.under_way() == "", TO_REACT, "Esc did not end it")
    after = state(window)
    assert not after["keyed"]
    assert max(math.dist(a, b) for a, b in zip(after["middles"], before["middles"], strict=True)) < 1e-6
