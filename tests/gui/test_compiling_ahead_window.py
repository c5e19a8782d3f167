# SPDX-License-Identifier: GPL-3.0-or-later
"""From the first body on the solver is compiled beside the window, and the first bake finds the work done."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.gui.conftest import Blender
from tests.gui.window import TO_COMPILE, TO_REACT, WIDTH, Window, opened_window

SCENE = Path(__file__).with_name("hanging_chain.py").read_text(encoding="utf-8")
IN_THE_VIEW = (WIDTH // 3, 500)
PROCESS = """
from bl_ext.user_default.virtual_erector_set.scene import compiling_ahead
process = compiling_ahead._ahead and compiling_ahead._ahead.process
"""
IS_AT_WORK = PROCESS + "answer = process is not None and process.poll() is None"
HAS_ENDED = PROCESS + "answer = process is not None and process.poll() == 0"


@pytest.fixture(scope="module")
def window(installed: Blender) -> Iterator[Window]:
    with opened_window(installed, IN_THE_VIEW, "compiled_ahead") as opened:
        yield opened


def test_the_first_bake_finds_the_solver_compiled(window: Window) -> None:
    cache = window.folder / "user"
    assert window.ask(IS_AT_WORK) is False
    window.ask(f"{SCENE}\nbuild()\nbpy.ops.ed.undo_push(message='Build')")
    assert window.ask(IS_AT_WORK) is True
    window.wait_until(lambda: window.ask(HAS_ENDED), TO_COMPILE, "the solver was not compiled ahead")
    compiled = set(cache.rglob("*.nbc"))
    assert compiled
    window.open_tab("Erector Set")
    window.press_button("ves.bake")
    window.wait_until(lambda: window.ask(f"{SCENE}\nanswer = len(keys())") > 0, TO_REACT, "no keyframes after Bake")
    assert set(cache.rglob("*.nbc")) == compiled


def test_what_is_made_now_takes_the_place_of_what_was_to_be_made_ahead(window: Window) -> None:
    """The next body begins it anew; whoever needs a piece that it is not at ends it."""
    window.ask(PROCESS + "compiling_ahead.stop()\nbpy.data.objects['link 1'].ves.role = 'BODY'")
    assert window.ask(IS_AT_WORK) is True
    window.ask(PROCESS + "compiling_ahead.wait_for('something else')")
    assert window.ask(IS_AT_WORK) is False
