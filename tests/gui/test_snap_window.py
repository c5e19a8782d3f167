# SPDX-License-Identifier: GPL-3.0-or-later
"""Snap Together in the window: its button brings the parts together, one undo brings them back, Esc stops a flight."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.gui.conftest import Blender
from tests.gui.window import TO_MOVE, TO_REACT, WIDTH, Window, opened_window

SCENE = Path(__file__).with_name("loose_linkage.py").read_text(encoding="utf-8")
IN_THE_VIEW = (WIDTH // 3, 500)


@pytest.fixture(scope="module")
def window(installed: Blender) -> Iterator[Window]:
    """With the tab open, and the button found there by pointing at it."""
    with opened_window(installed, IN_THE_VIEW, "snap_at_the_end") as opened:
        opened.ask(f"{SCENE}\nbuild()\nshow()\nbpy.ops.ed.undo_push(message='Build')")
        opened.open_tab("Erector Set")
        opened.find_button("ves.snap_together", in_header=True)
        opened.photograph("loose")
        yield opened


def largest_gap(window: Window) -> float:
    return window.ask(f"{SCENE}\nanswer = max(gaps())")


def test_the_button_brings_the_parts_together(window: Window) -> None:
    assert largest_gap(window) > 0.5
    window.press_button("ves.snap_together", in_header=True)
    window.wait_until(lambda: largest_gap(window) < 1e-5, TO_MOVE, "the parts did not come together")
    time.sleep(4.0)
    window.photograph("snapped")


def test_one_undo_brings_them_back(window: Window) -> None:
    assert largest_gap(window) < 1e-5
    window.press("ctrl+z", *IN_THE_VIEW)
    window.wait_until(lambda: largest_gap(window) > 0.5, TO_REACT, "one undo did not bring the parts back")
    window.press("ctrl+shift+z", *IN_THE_VIEW)
    window.wait_until(lambda: largest_gap(window) < 1e-5, TO_REACT, "redo did not bring them together again")
    window.press("ctrl+z", *IN_THE_VIEW)
    window.wait_until(lambda: largest_gap(window) > 0.5, TO_REACT, "the second undo did not bring the parts back")


def test_escape_stops_a_flight_and_changes_nothing(window: Window) -> None:
    settings = "s = bpy.context.scene.ves\ns.snap_mode, s.snap_frames = 'ANIMATED', 20000"
    before = window.ask(f"{SCENE}\n{settings}\nanswer = [len(bpy.data.actions), poses()]")
    window.press_button("ves.snap_together", in_header=True)
    window.wait_until(lambda: window.under_way() == "Snap Together", TO_REACT, "Snap Together did not begin")
    window.press("Escape", *IN_THE_VIEW)
    window.wait_until(lambda: not window.under_way(), TO_REACT, "Esc did not end Snap Together")
    assert window.ask(f"{SCENE}\nanswer = [len(bpy.data.actions), poses()]") == before
