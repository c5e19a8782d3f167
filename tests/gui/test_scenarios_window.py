# SPDX-License-Identifier: GPL-3.0-or-later
"""Scenarios of use of Schroeder (1990), 1.5.1 and 1.5.3, in the window: built, run and changed while it runs."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.gui.conftest import Blender
from tests.gui.window import TO_COMPILE, TO_MOVE, TO_REACT, Window, opened_window

HERE = Path(__file__).parent
SIZE = (1920, 1080)
IN_THE_VIEW = (700, 150)
CELL = "\n".join((HERE / name).read_text(encoding="utf-8") for name in ("dragged_arm.py", "work_cell.py"))


@pytest.fixture(scope="module")
def window(installed: Blender) -> Iterator[Window]:
    with opened_window(installed, IN_THE_VIEW, "scenarios_at_the_end", SIZE) as opened:
        opened.ask(f"{CELL}\nbuild_cell()\nlook_at_cell()\nbpy.ops.ed.undo_push(message='Build')")
        opened.open_tab("Erector Set")
        yield opened


def play(window: Window) -> None:
    window.press_button("ves.play")
    window.wait_until(lambda: window.under_way() == "Play", TO_REACT, "Play did not begin after it was pressed")
    window.wait_until(lambda: frame(window) >= 3, TO_COMPILE, "nothing moves")


def frame(window: Window) -> int:
    return window.ask("answer = bpy.context.scene.frame_current")


def pause(window: Window, is_paused: bool) -> None:
    status = "answer = 'Paused' in bpy.context.scene.ves.play_status"
    window.press("space", *IN_THE_VIEW)
    window.wait_until(lambda: window.ask(status) == is_paused, TO_REACT, "Space did nothing")


def on_screen(window: Window, place: str) -> list[float]:
    return window.ask(f"{CELL}\nanswer = on_screen({place}, {SIZE[1]})")


def hand_to_tool(window: Window) -> float:
    """m: how far the hand is from the tool."""
    return window.ask(f"{CELL}\nanswer = (hand() - Vector(TOOL)).length")


def wait_for_rest(window: Window) -> None:
    window.ask(f"{CELL}\nspeed()")

    def rests() -> bool:
        time.sleep(1.0)
        return window.ask(f"{CELL}\nanswer = speed()") < 0.01

    window.wait_until(rests, TO_MOVE, "the arm does not come to rest")


def lead_hand_to_tool(window: Window) -> None:
    """The mouse takes the hand, and goes over the wall's edge to the tool; it holds on to it."""
    x, y = on_screen(window, "hand()")
    window.take(x, y)
    for place in ("Vector((0.2, 0.0, 1.2))", "Vector((0.5, 0.0, 1.9))", "Vector((1.3, 0.0, 1.7))", "Vector(TOOL)"):
        window.lead(*on_screen(window, place))
        time.sleep(1.0)
    wait_for_rest(window)


def test_the_engineer(window: Window) -> None:
    """The arm is hung up, comes to rest, cannot reach the tool; its shoulder is moved while it runs, and it can."""
    window.ask(f"{CELL}\nselect(bpy.data.objects['upper arm'])")
    window.press_button("ves.add_nail")
    nail = "ob = bpy.context.object; answer = list(ob.location) if ob.ves.role == 'NAIL' else None"
    window.wait_until(lambda: window.ask(nail), TO_REACT, "there is no nail")
    window.ask(
        f"{CELL}\nbpy.context.object.name = 'shoulder'\nselect(*map(bpy.data.objects.get, ('upper arm', 'forearm')))"
    )
    window.press_button("ves.add_force(type='DAMPING'")
    window.photograph("engineer_before")
    play(window)
    wait_for_rest(window)
    window.photograph("engineer_at_rest")
    lead_hand_to_tool(window)
    window.photograph("engineer_stopped")
    stopped = hand_to_tool(window)
    window.let_go()
    assert stopped > 0.15, "the new corner does not keep it away"
    wait_for_rest(window)
    window.ask(f"{CELL}\nselect(bpy.data.objects['shoulder'])")
    window.press("g", *IN_THE_VIEW)
    for keys in ("x", "period", "5", "Return"):
        window.press(keys, *IN_THE_VIEW)
    moved = "answer = bpy.data.objects['shoulder'].location.x"
    window.wait_until(lambda: math.isclose(window.ask(moved), 0.5, abs_tol=1e-6), TO_REACT, "G moved nothing")
    wait_for_rest(window)
    lead_hand_to_tool(window)
    window.photograph("engineer_reaches")
    reached = hand_to_tool(window)
    window.let_go()
    window.press("Return", *IN_THE_VIEW)
    window.wait_until(lambda: window.under_way() == "", TO_REACT, "Enter did not keep the run")
    window.photograph("engineer_kept")
    assert reached < 0.1, f"it stays {reached:.3f} m away"
    actions = window.ask("answer = [entry.target.name for entry in bpy.context.scene.ves.recorded_actions]")
    assert "shoulder" in actions
