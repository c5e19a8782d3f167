# SPDX-License-Identifier: GPL-3.0-or-later
"""Scenarios of use of Schroeder (1990), 1.5.1 to 1.5.3, in the window: built, run and changed while it runs."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.gui.conftest import Blender
from tests.gui.window import TO_MOVE, TO_REACT, Window, opened_window

HERE = Path(__file__).parent
SIZE = (1920, 1080)
IN_THE_VIEW = (700, 150)
TOOLS, CELL, PRISM = (
    (HERE / f"{name}.py").read_text(encoding="utf-8") for name in ("dragged_arm", "work_cell", "prism")
)
WALKS = (HERE / "walks.py").read_text(encoding="utf-8")
CELL, PRISM = f"{TOOLS}\n{CELL}", f"{TOOLS}\n{PRISM}"


@pytest.fixture(scope="module")
def window(installed: Blender) -> Iterator[Window]:
    with opened_window(installed, IN_THE_VIEW, "scenarios_at_the_end", SIZE) as opened:
        opened.ask(f"{CELL}\nbuild_cell()\nlook_at_cell()\nbpy.ops.ed.undo_push(message='Build')")
        opened.open_tab("Erector Set")
        yield opened


def play(window: Window) -> None:
    window.press_button("ves.play")
    window.wait_until(lambda: window.under_way() == "Play", TO_REACT, "Play did not begin after it was pressed")
    window.wait_until(lambda: frame(window) >= 3, TO_MOVE, "nothing moves")


def frame(window: Window) -> int:
    return window.ask("answer = bpy.context.scene.frame_current")


def pause(window: Window, is_paused: bool) -> None:
    status = "answer = 'Paused' in bpy.context.scene.ves.play_status"
    window.press("space", *IN_THE_VIEW)
    window.wait_until(lambda: window.ask(status) == is_paused, TO_REACT, "Space did nothing")


def on_screen(window: Window, place: str) -> list[float]:
    return window.ask(f"{CELL}\nanswer = on_screen({place}, {SIZE[1]})")


def hand_above_table(window: Window) -> float:
    """m: how high the hand is above the table, once it is over it."""
    x, z = window.ask(f"{CELL}\nanswer = hand().x, hand().z - TABLE")
    assert 1.0 < x < 1.6, "it is not over the table"
    return z


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
    for x, z in ((0.2, 1.2), (0.4, 2.4), (1.1, 2.2), (1.1, 1.4)):
        window.lead(*on_screen(window, f"Vector(({x}, 0.0, {z}))"))
        wait_for_rest(window)
    window.lead(*on_screen(window, "Vector(TOOL)"))
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
    stopped = hand_above_table(window)
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
    reached = hand_above_table(window)
    window.let_go()
    window.press("Return", *IN_THE_VIEW)
    window.wait_until(lambda: window.under_way() == "", TO_REACT, "Enter did not keep the run")
    window.photograph("engineer_kept")
    assert reached < 0.1, "it does not come down to the table"
    actions = window.ask("answer = [entry.target.name for entry in bpy.context.scene.ves.recorded_actions]")
    assert "shoulder" in actions


def height(window: Window) -> float:
    return window.ask(f"{PRISM}\nanswer = height()")


def wait_for_height(window: Window, least: float, most: float, complaint: str) -> float:
    """m: the height, once it has been between these for two seconds."""
    since = [time.monotonic()]

    def holds() -> bool:
        time.sleep(0.2)
        if not least < height(window) < most:
            since[0] = time.monotonic()
        return time.monotonic() - since[0] > 2.0

    window.wait_until(holds, TO_MOVE, complaint)
    return height(window)


def test_the_student(window: Window) -> None:
    """A tensegrity with a wrong rubber is a flat mess; mended it springs up, carries a plate, and is stiffened."""
    window.ask(f"{PRISM}\nbuild_prism()\nlook_at_prism()\nbpy.ops.ed.undo_push(message='Build')")
    play(window)
    wait_for_height(window, 0.0, 0.18, "it does not fall flat")
    window.photograph("student_mess")
    window.press("Escape", *IN_THE_VIEW)
    window.wait_until(lambda: window.under_way() == "", TO_REACT, "Esc did not end the run")
    window.ask(f"{PRISM}\nselect(bpy.data.objects[WRONG])\nbpy.context.scene.ves.show_partners = True")
    time.sleep(1.0)  # until it is drawn
    window.photograph("student_asks_what_holds")
    window.ask(f"{PRISM}\nbpy.ops.object.delete()\ntie(WRONG, *RIGHT)\nbpy.ops.ed.undo_push(message='Mend')")
    play(window)
    up = wait_for_height(window, 0.27, 0.4, "it does not spring up")
    window.photograph("student_springs_up")
    pause(window, True)
    window.ask(f"{PRISM}\nlay_plate()\nbpy.ops.ed.undo_push(message='Plate')")
    pause(window, False)
    laden = wait_for_height(window, 0.2, up - 0.01, "the plate does not press it down")
    window.photograph("student_laden")
    window.ask(f"{PRISM}\nstiffen(3.0)")
    stiff = wait_for_height(window, laden + 0.004, up, "it does not rise when it is stiffened")
    window.photograph("student_stiffened")
    window.press("Return", *IN_THE_VIEW)
    window.wait_until(lambda: window.under_way() == "", TO_REACT, "Enter did not keep the run")
    kept = "answer = sorted({entry.target.name for entry in bpy.context.scene.ves.recorded_actions if entry.target})"
    assert {"lower 0", "side 2", "upper 1"} <= set(window.ask(kept))
    assert stiff > laden


def test_the_animator(window: Window) -> None:
    """Cans lie in the road; time is frozen while the car drives off, they are tied to it, and it draws them along."""
    window.ask(f"{WALKS}\nbuild_cans()\nbpy.context.scene.ves.use_contact = True\nbpy.context.scene.frame_end = 120")
    window.ask(f"{WALKS}\nchoose('Car')\nbpy.ops.ves.add_body(motion='KEYED')")
    window.ask(f"{WALKS}\nchoose('Can 1', 'Wire 1', 'Can 0', 'Wire 0')\nbpy.ops.ed.undo_push(message='Car')")
    window.press_button("ves.chain(type='SPHERICAL'")
    joints = "len([ob for ob in bpy.context.scene.objects if ob.ves.role == 'JOINT'])"
    window.wait_until(lambda: window.ask(f"answer = {joints}") == 3, TO_REACT, "the cans are not joined")
    window.photograph("animator_before")
    play(window)
    window.wait_until(lambda: frame(window) >= 12, TO_MOVE, "it does not go on")
    pause(window, True)
    gap = window.ask(f"{WALKS}\nanswer = gap()")
    assert gap > 0.5, "the car has not driven off"
    tie = "tie_to_car(); bpy.ops.ed.undo_push(message='Tie')"
    window.ask(f"{WALKS}\n{tie}")
    closed = frame(window) + 28  # more than eleven time constants of the tie, whenever the window was quick enough
    pause(window, False)
    window.wait_until(lambda: frame(window) >= closed, TO_MOVE, "it does not go on")
    window.photograph("animator_draws_cans")
    window.press("Return", *IN_THE_VIEW)
    window.wait_until(lambda: window.under_way() == "", TO_REACT, "Enter did not keep the run")
    found = window.ask(f"bpy.context.scene.frame_set({closed})\n{WALKS}\nanswer = gap()")
    assert abs(found) < 1e-3, f"{found:.4f} m are left between car and wire"
