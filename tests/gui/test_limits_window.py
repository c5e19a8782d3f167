# SPDX-License-Identifier: GPL-3.0-or-later
"""The limit of an elbow is dragged in Pose Mode, both sides at once; Esc and undo put it back."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.gui.conftest import Blender
from tests.gui.test_live_window import drag
from tests.gui.window import HEIGHT, TO_REACT, WIDTH, Window, opened_window

SCENE = Path(__file__).with_name("limited_arm.py").read_text(encoding="utf-8")
IN_THE_VIEW = (WIDTH // 3, HEIGHT // 2)


@pytest.fixture(scope="module")
def window(installed: Blender) -> Iterator[Window]:
    with opened_window(installed, IN_THE_VIEW, "limits_at_the_end") as opened:
        opened.ask(f"{SCENE}\nbuild()\nshow()\nbpy.ops.ed.undo_push(message='Build')")
        yield opened


def limits(window: Window) -> dict:
    return window.ask(f"{SCENE}\nanswer = limits()")


def test_an_elbows_limit_is_dragged_with_the_other_sides(window: Window) -> None:
    time.sleep(1.0)
    window.photograph("limits_of_an_elbow")
    before = limits(window)
    x, y = before["upper"]["at"]
    to_x, to_y = before["lower"]["at"]
    drag(window, (x, y), (x + 0.25 * (to_x - x), y + 0.25 * (to_y - y)))
    window.wait_until(lambda: limits(window) != before, TO_REACT, "the handle moved no limit")
    time.sleep(3.0)
    window.photograph("limits_dragged")
    after = limits(window)
    assert math.radians(5.0) < before["upper"]["value"] - after["upper"]["value"] < math.radians(120.0)
    assert after["lower"]["value"] == before["lower"]["value"]
    assert sorted(abs(value) for value in after["right"]) == pytest.approx(
        sorted(abs(after[side]["value"]) for side in ("lower", "upper")), abs=1e-5
    )
    window.press("ctrl+z", *IN_THE_VIEW)
    window.wait_until(lambda: limits(window) == before, TO_REACT, "one undo did not put both limits back")
    window.lead(x, y)
    time.sleep(0.5)
    window._run("xdotool", "mousedown", "1", "sleep", "0.2")
    for share in (0.1, 0.2, 0.3):
        window.lead(x + share * (to_x - x), y + share * (to_y - y))
        time.sleep(0.5)
    window.wait_until(lambda: limits(window) != before, TO_REACT, "the handle was not taken again")
    window._run("xdotool", "key", "Escape")
    window.let_go()
    window.wait_until(lambda: limits(window) == before, TO_REACT, "Esc did not put the limits back")
