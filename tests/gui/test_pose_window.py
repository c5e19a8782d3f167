# SPDX-License-Identifier: GPL-3.0-or-later
"""Pose in the window: the mouse pulls the head of a millipede, Enter keeps it, Esc and undo do not."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.gui.conftest import Blender
from tests.gui.window import HEIGHT, TO_COMPILE, TO_MOVE, TO_REACT, WIDTH, Window, opened_window

SCENE = Path(__file__).with_name("posed_chain.py").read_text(encoding="utf-8")
IN_THE_VIEW = (WIDTH // 3, 300)


@pytest.fixture(scope="module")
def window(installed: Blender) -> Iterator[Window]:
    """With the tab open, and the button found there by pointing at it."""
    with opened_window(installed, IN_THE_VIEW, "pose_at_the_end") as opened:
        opened.ask(f"{SCENE}\nbuild()\nshow()\nbpy.ops.ed.undo_push(message='Build')")
        opened.open_tab("Erector Set")
        opened.find_button("ves.pose", in_header=True)
        opened.photograph("pose_before")
        yield opened


def state(window: Window) -> dict:
    return window.ask(f"{SCENE}\nanswer = state()")


def start(window: Window) -> None:
    window.press_button("ves.pose", in_header=True)
    window.wait_until(lambda: window.under_way() == "Pose", TO_REACT, "Pose did not begin after it was pressed")
    window.wait_until(lambda: "pins" in state(window)["status"], TO_COMPILE, "nothing can be dragged yet")


def pull(window: Window) -> list[float]:
    """Lead the head beside where it is; returns where on the screen it shall be then."""
    x, y = window.ask(f"{SCENE}\nanswer = on_screen(head(), {HEIGHT})")
    goal = [x - 150, y - 60]
    window.take(x, y)
    for share in (0.25, 0.5, 0.75, 1.0):
        window.lead(x + share * (goal[0] - x), y + share * (goal[1] - y))
    where = f"{SCENE}\nanswer = on_screen(head(), {HEIGHT})"
    # It is held at its surface and may turn, so its middle comes only near: its radius is some 30 pixels.
    window.wait_until(lambda: math.dist(window.ask(where), goal) < 60, TO_MOVE, "the head does not follow the mouse")
    return goal


def test_escape_puts_everything_back(window: Window) -> None:
    before = state(window)
    start(window)
    pull(window)
    window.photograph("pose_drag")
    window.let_go()
    window.press("Escape", *IN_THE_VIEW)
    window.wait_until(lambda: state(window) == before, TO_REACT, "Esc did not put everything back")
    assert state(window) == before


def test_a_drag_is_kept_and_keyed(window: Window) -> None:
    start(window)
    pull(window)
    window.let_go()
    window.press("i", *IN_THE_VIEW)
    window.wait_until(lambda: state(window)["keyed"] > 50, TO_REACT, "I did not key the pose")
    window.press("Return", *IN_THE_VIEW)
    window.wait_until(lambda: state(window)["status"].startswith("Posed"), TO_REACT, "Enter did not keep the pose")
    assert "keyed at frame 1" in state(window)["status"]
    assert window.ask(f"{SCENE}\nanswer = largest_gap()") < 2e-6
    window.photograph("pose_kept")


def test_one_undo_takes_it_back(window: Window) -> None:
    assert state(window)["keyed"] > 50
    window.press("ctrl+z", *IN_THE_VIEW)
    window.wait_until(lambda: not state(window)["keyed"], TO_REACT, "one undo did not take the pose back")
