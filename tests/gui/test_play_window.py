# SPDX-License-Identifier: GPL-3.0-or-later
"""Play in the window: a key pushes a button, the mouse pulls the arm, Enter keeps the run, Esc and undo do not."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.gui.conftest import Blender
from tests.gui.window import HEIGHT, TO_COMPILE, TO_MOVE, TO_REACT, WIDTH, Window, opened_window

SCENE = Path(__file__).with_name("dragged_arm.py").read_text(encoding="utf-8")
IN_THE_VIEW = (WIDTH // 3, 300)


@pytest.fixture(scope="module")
def window(installed: Blender) -> Iterator[Window]:
    """With the tab open, and the button found there by pointing at it."""
    with opened_window(installed, IN_THE_VIEW, "play_at_the_end") as opened:
        opened.ask(f"{SCENE}\nbuild()\nshow()\nbpy.ops.ed.undo_push(message='Build')")
        opened.open_tab("Erector Set")
        opened.find_button("ves.play")
        opened.photograph("play_before")
        yield opened


def state(window: Window) -> dict:
    return window.ask(f"{SCENE}\nanswer = state()")


def start(window: Window) -> None:
    window.press_button("ves.play")
    window.wait_until(lambda: window.under_way() == "Play", TO_REACT, "Play did not begin after it was pressed")
    window.wait_until(lambda: state(window)["frame"] >= 5, TO_COMPILE, "the arm does not move")


def hand_on_screen(window: Window) -> list[float]:
    return window.ask(f"{SCENE}\nanswer = on_screen(hand(), {HEIGHT})")


def test_escape_puts_everything_back(window: Window) -> None:
    before = state(window)
    start(window)
    assert "real time" in state(window)["status"]
    window.press("Escape", *IN_THE_VIEW)
    window.wait_until(lambda: state(window) == before, TO_REACT, "Esc did not put everything back")


def test_a_key_and_a_drag_are_kept(window: Window) -> None:
    start(window)
    window.press("1", *IN_THE_VIEW)
    window.press("space", *IN_THE_VIEW)
    window.wait_until(lambda: "Paused" in state(window)["status"], TO_REACT, "Space did not pause the run")
    time.sleep(1.0)
    x, y = hand_on_screen(window)
    window.take(x, y)
    window.press("space", x, y)
    goal = window.ask(f"{SCENE}\nanswer = on_screen(Vector((1.7, 0.0, 2.9)), {HEIGHT})")
    for share in (0.25, 0.5, 0.75, 1.0):
        window.lead(x + share * (goal[0] - x), y + share * (goal[1] - y))
    window.wait_until(
        lambda: math.dist(hand_on_screen(window), goal) < 60, TO_MOVE, "the arm does not follow the mouse"
    )
    window.lead(*window.ask(f"{SCENE}\nanswer = on_screen(Vector((2.8, 0.0, 3.6)), {HEIGHT})"))
    time.sleep(3.0)  # out of reach, so that the line can be seen
    window.photograph("play_drag")
    window.let_go()
    frame = state(window)["frame"]
    window.wait_until(lambda: state(window)["frame"] > frame + 3, TO_REACT, "the arm does not go on")
    window.press("Return", *IN_THE_VIEW)
    window.wait_until(lambda: state(window)["status"].startswith("Kept"), TO_REACT, "Enter did not keep the run")
    found = state(window)
    assert found["baked"] == ["forearm", "hand", "upper arm"]
    assert [action[1:] for action in found["actions"]] == [["jet", False], ["hand", True]]
    assert found["frame"] == 1
    window.photograph("play_kept")


def test_one_undo_takes_the_run_back(window: Window) -> None:
    assert state(window)["baked"]
    window.press("ctrl+z", *IN_THE_VIEW)
    window.wait_until(lambda: not state(window)["baked"], TO_REACT, "one undo did not take the run back")
    assert state(window)["actions"] == []


def test_undo_from_the_menu_ends_a_run(window: Window) -> None:
    before = state(window)
    start(window)
    window.press("ctrl+z", *IN_THE_VIEW)
    assert "real time" in state(window)["status"]
    window.ask("bpy.ops.ed.undo_push(message='Nothing')\nbpy.ops.ed.undo()")
    time.sleep(1.0)
    after = state(window)
    assert (after["poses"], after["frame"]) == (before["poses"], before["frame"])
    assert window.ask("answer = bpy.ops.ves.play.poll()")
