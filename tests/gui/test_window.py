# SPDX-License-Identifier: GPL-3.0-or-later
"""A person's work in the window: open the tab, press Bake, see keyframes, undo, cancel. Pictures: artefacts/gui."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.gui.conftest import Blender
from tests.gui.window import TO_COMPILE, TO_REACT, WIDTH, Window, opened_window

SCENE = Path(__file__).with_name("hanging_chain.py").read_text(encoding="utf-8")
LINKS, FRAMES = 5, 60
IN_THE_VIEW = (WIDTH // 3, 500)


@pytest.fixture(scope="module")
def window(installed: Blender) -> Iterator[Window]:
    """With the tab open, and the Bake button found there by pointing at it."""
    with opened_window(installed, IN_THE_VIEW, "at_the_end") as opened:
        opened.ask(f"{SCENE}\nbuild()\nbpy.ops.ed.undo_push(message='Build')")
        opened.open_tab("Erector Set")
        opened.photograph("tab")
        opened.find_button("ves.bake")
        yield opened


def baked_links(window: Window) -> int:
    return window.ask(f"{SCENE}\nanswer = len(keys())")


def test_bake_button_writes_keyframes(window: Window) -> None:
    assert baked_links(window) == 0
    window.press_button("ves.bake")
    window.wait_until(lambda: baked_links(window) == LINKS - 1, TO_COMPILE, "no keyframes after Bake was pressed")
    found = window.ask(f"{SCENE}\nanswer = {{'keys': keys(), **motion()}}")
    frames = {row[2] for row in found["keys"]["link 1"]}
    assert frames >= {float(frame) for frame in range(1, FRAMES + 1)}
    assert found["gap"] < 5e-6
    assert found["lowest"] < 1.5
    window.ask(f"{SCENE}\nshow(frame=20)")
    time.sleep(1.0)
    window.photograph("baked")


def test_one_undo_takes_the_bake_back(window: Window) -> None:
    assert baked_links(window) == LINKS - 1
    window.press("ctrl+z", *IN_THE_VIEW)
    window.wait_until(lambda: baked_links(window) == 0, TO_REACT, "one undo did not take the bake back")
    window.press("ctrl+shift+z", *IN_THE_VIEW)
    window.wait_until(lambda: baked_links(window) == LINKS - 1, TO_REACT, "redo did not bring the bake back")
    window.press("ctrl+z", *IN_THE_VIEW)
    window.wait_until(lambda: baked_links(window) == 0, TO_REACT, "the second undo did not take the bake back")


def test_escape_cancels_and_changes_nothing(window: Window) -> None:
    before = window.ask(f"{SCENE}\nbpy.context.scene.frame_end = 20000\nanswer = [len(bpy.data.actions), poses()]")
    window.press_button("ves.bake")
    window.wait_until(lambda: window.under_way() == "Bake", TO_REACT, "Bake did not begin")
    time.sleep(0.5)
    window.photograph("while_baking")
    window.press("Escape", *IN_THE_VIEW)
    window.wait_until(lambda: not window.under_way(), TO_REACT, "Esc did not end Bake")
    after = window.ask(f"{SCENE}\nanswer = [len(bpy.data.actions), poses()]")
    assert after == before
    assert baked_links(window) == 0
    time.sleep(1.0)
    assert baked_links(window) == 0
