# SPDX-License-Identifier: GPL-3.0-or-later
"""Snap Together in the window: its button brings the parts together, one undo brings them back, Esc stops a flight."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.gui.conftest import Blender
from tests.gui.window import WIDTH, Window, opened_window

SCENE = Path(__file__).with_name("loose_linkage.py").read_text(encoding="utf-8")
IN_THE_VIEW = (WIDTH // 3, 500)


@pytest.fixture(scope="module")
def window(installed: Blender) -> Iterator[Window]:
    with opened_window(installed, IN_THE_VIEW, "snap_at_the_end") as opened:
        yield opened


@pytest.fixture(scope="module")
def snap_button(window: Window) -> tuple[int, int]:
    """The place of the button, found by opening the tab and pointing at it."""
    window.ask(f"{SCENE}\nbuild()\nshow()\nbpy.ops.ed.undo_push(message='Build')")
    window.open_tab("Erector Set")
    found = window.find_button("ves.snap_together", in_header=True)
    window.photograph("loose")
    return found


def largest_gap(window: Window) -> float:
    return window.ask(f"{SCENE}\nanswer = max(gaps())")


def test_the_button_brings_the_parts_together(window: Window, snap_button: tuple[int, int]) -> None:
    assert largest_gap(window) > 0.5
    window.click(*snap_button)
    window.wait_until(lambda: largest_gap(window) < 1e-5, 60, "the parts did not come together")
    time.sleep(4.0)
    window.photograph("snapped")


def test_one_undo_brings_them_back(window: Window, snap_button: tuple[int, int]) -> None:
    window.press("ctrl+z", *IN_THE_VIEW)
    window.wait_until(lambda: largest_gap(window) > 0.5, 10, "one undo did not bring the parts back")
    window.press("ctrl+shift+z", *IN_THE_VIEW)
    window.wait_until(lambda: largest_gap(window) < 1e-5, 10, "redo did not bring them together again")
    window.press("ctrl+z", *IN_THE_VIEW)
    window.wait_until(lambda: largest_gap(window) > 0.5, 10, "the second undo did not bring the parts back")


def test_escape_stops_a_flight_and_changes_nothing(window: Window, snap_button: tuple[int, int]) -> None:
    settings = "s = bpy.context.scene.ves\ns.snap_mode, s.snap_frames = 'ANIMATED', 20000"
    before = window.ask(f"{SCENE}\n{settings}\nanswer = [len(bpy.data.actions), poses()]")
    time.sleep(1.0)
    window.click(*window.find_button("ves.snap_together", in_header=True))
    time.sleep(1.0)
    window.press("Escape", *IN_THE_VIEW)
    time.sleep(1.0)
    assert window.ask(f"{SCENE}\nanswer = [len(bpy.data.actions), poses()]") == before
