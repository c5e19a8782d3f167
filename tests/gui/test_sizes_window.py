# SPDX-License-Identifier: GPL-3.0-or-later
"""The shape of a forearm is dragged in Pose Mode, both sides at once; undo, Esc and the right button put it back."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.gui.conftest import Blender
from tests.gui.test_live_window import drag
from tests.gui.window import TO_REACT, Window, opened_window

SIZE = (1920, 1080)
IN_THE_VIEW = (500, 500)
SCENE = "\n".join(Path(__file__).with_name(f"{name}.py").read_text("utf-8") for name in ("limited_arm", "sized_arm"))
DRAW = "bpy.ops.wm.redraw_timer(type='DRAW_WIN_SWAP', iterations=2)"
BACK = {"Esc": ("key", "Escape"), "the right button": ("click", "3")}


@pytest.fixture(scope="module")
def window(installed: Blender) -> Iterator[Window]:
    with opened_window(installed, IN_THE_VIEW, "sizes_at_the_end", SIZE) as opened:
        opened.ask(f"{SCENE}\nbuild()\nshow_arm()\nbpy.ops.ed.undo_push(message='Build')")
        opened.open_tab("Erector Set")
        opened.ask(f"{SCENE}\nshow_arm()")
        time.sleep(1.0)
        yield opened


def sizes(window: Window) -> dict:
    return window.ask(f"{SCENE}\nanswer = sizes()")


def by_pixels(spots: list[list[float]], meters: float) -> tuple[float, float]:
    """The place on the screen so far outwards from a handle."""
    (x, y), (to_x, to_y) = spots
    return x + (to_x - x) * meters / 0.05, y + (to_y - y) * meters / 0.05


def arms_are(window: Window, arms: list, complaint: str) -> None:
    window.wait_until(lambda: sizes(window)["arms"] == arms, TO_REACT, complaint)


def test_a_forearm_gets_thicker_and_longer_on_both_sides(window: Window) -> None:
    window.photograph("sizes_of_a_forearm")
    before = sizes(window)
    assert [source for source, _, _ in before["arms"]] == ["MESH", "MESH"]
    spots = before["at"]["R1"] if spread(before["at"]["R1"]) > spread(before["at"]["R0"]) else before["at"]["R0"]
    drag(window, spots[0], by_pixels(spots, 0.03))
    window.wait_until(lambda: sizes(window)["arms"] != before["arms"], TO_REACT, "the handle moved nothing")
    time.sleep(2.0)
    window.photograph("sizes_dragged")
    after = sizes(window)
    (source, radius, length), right = after["arms"]
    assert (source, right) == ("GIVEN", ["GIVEN", pytest.approx(radius), pytest.approx(length)])
    assert 0.05 < radius < 0.09
    window.press("ctrl+z", *IN_THE_VIEW)
    arms_are(window, before["arms"], "one undo did not put both arms back")


@pytest.mark.parametrize("way", list(BACK))
def test_a_drag_that_is_cancelled_leaves_the_shape_around_the_skin(window: Window, way: str) -> None:
    before = sizes(window)
    spots = before["at"]["+2"]
    window.lead(*spots[0])
    time.sleep(0.5)
    window._run("xdotool", "mousedown", "1", "sleep", "0.2")
    for share in (0.02, 0.04, 0.06):
        window.lead(*by_pixels(spots, share))
        time.sleep(0.3)
    window.wait_until(lambda: sizes(window)["arms"] != before["arms"], TO_REACT, "the end was not taken")
    window._run("xdotool", *BACK[way])
    arms_are(window, before["arms"], f"{way} did not put the shape back")
    window.let_go()
    time.sleep(0.5)
    assert sizes(window)["arms"] == before["arms"]


def test_with_ctrl_it_goes_in_steps_and_with_shift_finely(window: Window) -> None:
    spots = sizes(window)["at"]["+2"]
    pulled_with(window, "Control_L", spots)
    (_, _, length), _ = sizes(window)["arms"]
    assert length / 0.01 == pytest.approx(round(length / 0.01), abs=1e-4)
    window.press("ctrl+z", *IN_THE_VIEW)
    window.wait_until(lambda: sizes(window)["arms"][0][0] == "MESH", TO_REACT, "not undone")
    pulled_with(window, "Shift_L", spots)
    (_, _, finely), _ = sizes(window)["arms"]
    assert 0.0 < abs(finely - length) < 0.12
    assert finely < length


def pulled_with(window: Window, key: str, spots: list[list[float]]) -> None:
    """Drag a handle outwards with a key held, and wait until it has moved."""
    window.lead(*spots[0])
    time.sleep(0.5)
    window._run("xdotool", "mousedown", "1", "sleep", "0.2")
    with window.held(key):
        for share in (0.02, 0.05, 0.1):
            window.lead(*by_pixels(spots, share))
            time.sleep(0.3)
        window.wait_until(lambda: sizes(window)["arms"][0][0] == "GIVEN", TO_REACT, f"{key}: the end was not taken")
        time.sleep(1.0)
        window.let_go()
        time.sleep(0.5)
        sizes(window)  # once it answers, the drag is over: a key that comes up before that, on a busy machine, counts
    time.sleep(0.5)


def spread(spots: list[list[float]]) -> float:
    (x, y), (to_x, to_y) = spots
    return (to_x - x) ** 2 + (to_y - y) ** 2


def test_what_looks_small_has_no_handles(window: Window) -> None:
    """They would cover it, and each other."""
    window.press("ctrl+z", *IN_THE_VIEW)
    window.wait_until(lambda: sizes(window)["arms"][0][0] == "MESH", TO_REACT, "not undone")
    window.ask(f"{SCENE}\nbpy.context.area.spaces.active.region_3d.view_distance = 15.0\n{DRAW}", TO_REACT)
    time.sleep(0.5)
    window.photograph("sizes_far_away")
    spots = sizes(window)["at"]["+2"]
    window.lead(*spots[0])
    time.sleep(0.5)
    drag(window, spots[0], (spots[0][0] + 60.0, spots[0][1] + 60.0))
    time.sleep(1.0)
    assert sizes(window)["arms"][0][0] == "MESH"
