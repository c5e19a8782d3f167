# SPDX-License-Identifier: GPL-3.0-or-later
"""The sidebar in a window of 1920 x 1080: Bake, Play and Check stand in one place in twelve states, each photographed.

Then what only a window has: the box Adjust Last Operation after clicks in the sidebar, and the state of the bake that
changes by itself when something is moved.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from tests.gui.conftest import Blender
from tests.gui.window import RUNNING, TO_COMPILE, TO_REACT, Window, opened_window

SCENE = Path(__file__).with_name("sidebar_states.py").read_text(encoding="utf-8")
SIZE = (1920, 1080)
IN_THE_VIEW = (600, 700)
STATES = {
    "empty": "build(); bpy.data.batch_remove(bpy.data.objects[:])",
    "mesh": "build(); select('Door')",
    "meshes": "build(); select(*links())",
    "body": "chained(); select('Link 3')",
    "joint": "chained(); select(part('JOINT'))",
    "generic": "build(); select('Post', 'Door'); bpy.ops.ves.add_joint(type='GENERIC')",
    "force": "chained(); select('Link 3'); bpy.ops.ves.add_force(type='DAMPING')",
    "constraint": "chained(); select('Link 5'); bpy.ops.ves.add_nail()",
    "rope": "build(); select('Post', 'Door'); bpy.ops.ves.add_rope(strands=3)",
    "baked": "chained(); select('Link 3'); bpy.ops.ves.bake()",
    "out_of_date": "chained(); select('Link 3'); bpy.ops.ves.bake(); move(part('JOINT')); select('Link 3')",
}
LOOK = "v = view_3d()['area'].spaces.active.region_3d; v.view_location = (-0.2, 1.0, 1.7); v.view_distance = 8.0"
STATE = "from bl_ext.user_default.virtual_erector_set.scene.bake.state import state_of\n"
REDRAW = "bpy.ops.wm.redraw_timer(type='DRAW_WIN_SWAP', iterations=2)"


@pytest.fixture(scope="module")
def window(installed: Blender) -> Iterator[Window]:
    with opened_window(installed, IN_THE_VIEW, "sidebar_at_the_end", SIZE) as opened:
        opened.ask(f"{SCENE}\nbuild()\n{LOOK}")
        opened.open_tab("Erector Set")
        yield opened


def photograph(window: Window, name: str) -> None:
    """Once the window has been drawn: without a graphics card that takes a moment."""
    window.lead(*IN_THE_VIEW)
    window.ask(REDRAW)
    time.sleep(1.0)
    window.photograph(f"sidebar_{name}")


def state(window: Window) -> list[str]:
    return window.ask(f"{STATE}answer = list(state_of(bpy.context.scene))")


@pytest.fixture(scope="module")
def places(window: Window) -> dict[str, tuple[int, int]]:
    """The places of the three buttons, with nothing selected."""
    window.ask(f"{SCENE}\nchained(); select()")
    return {name: window.find_button(f"ves.{name}") for name in ("bake", "play", "check")}


@pytest.mark.parametrize("name", STATES)
def test_the_next_step_is_in_sight_and_stays_where_it_is(window, places, name):
    window.ask(f"{SCENE}\n{STATES[name]}", 120)
    kind = {"baked": "BAKED", "out_of_date": "OUT_OF_DATE"}.get(name, "NOT_BAKED")
    window.wait_until(lambda: state(window)[0] == kind, TO_REACT, f"the state of the bake is not {kind}")
    photograph(window, name)
    _, top, *_ = window.sidebar()
    for button, (x, y) in places.items():
        assert y < top + 40
        window.wait_until(partial(window.is_at, f"ves.{button}", x, y), TO_REACT, f"{button} is not at {x}, {y}")
    assert state(window)[0] == kind


def test_a_joint_that_is_moved_makes_the_bake_out_of_date_and_undo_takes_that_back(window):
    window.ask(f"{SCENE}\nchained(); bpy.ops.ves.bake(); select(part('JOINT'))", 120)
    window.wait_until(
        lambda: state(window) == ["BAKED", "Baked, frames 1 to 60"], TO_REACT, "nobody says that it is baked"
    )
    window.ask("bpy.ops.transform.translate(value=(0, 0, 0.2)); bpy.ops.ed.undo_push(message='Move')")
    window.wait_until(lambda: state(window)[0] == "OUT_OF_DATE", TO_REACT, "nobody saw that the joint was moved")
    assert "was moved" in state(window)[1]
    window.press("ctrl+z", *IN_THE_VIEW)
    window.wait_until(lambda: state(window)[0] == "BAKED", TO_REACT, "undo did not take it back")


MADE = "answer = sorted((ob.name, ob.ves.joint_type) for ob in bpy.context.scene.objects if ob.ves.role == 'JOINT')"
FOLDED = 60  # pixels that are higher than the title of the box
BOX = """
area = view_3d()["area"]
r = next(region for region in area.regions if region.type == "HUD")
answer = (r.x, r.y, r.width, r.height)
"""


def box_of_last_operation(window: Window) -> tuple[int, int, int, int] | None:
    """Left, top, right, bottom on the screen; None while Blender does not show it."""
    x, y, width, height = window.ask(BOX)
    return None if width <= 1 or height <= 1 else (x, SIZE[1] - y - height, x + width, SIZE[1] - y)


def unfolded(window: Window, box: tuple[int, int, int, int]) -> tuple[int, int, int, int]:
    """The place of the box once its title has been clicked: at first Blender shows only that."""
    left, top, _, bottom = box
    if bottom - top < FOLDED:
        window.click(left + 20, (top + bottom) // 2)
        window.wait_until(lambda: box_height(window) > FOLDED, TO_REACT, "the box did not unfold")
    return box_of_last_operation(window)


def box_height(window: Window) -> int:
    box = box_of_last_operation(window)
    return 0 if box is None else box[3] - box[1]


@pytest.mark.parametrize(
    ("selected", "operator", "role"),
    [
        ("*links()", "ves.chain", "JOINT"),
        ("'Link 1'", "ves.add_force", "FORCE"),
        ("'Post', 'Door'", "ves.add_joint", "JOINT"),
        ("'Door'", "ves.add_nail", "NAIL"),
    ],
)
def test_adjust_last_operation_comes_after_a_click_in_the_sidebar(window, selected, operator, role):
    """And a number changed there is done anew: one of the choices, by Ctrl and the wheel over it."""
    window.ask(f"{SCENE}\nbuild(); select({selected})")
    if operator in {"ves.add_nail", "ves.add_force"}:
        window.ask(f"{SCENE}\nbpy.ops.ves.add_body(); select({selected})")
    window.press_button(operator)
    count = f"answer = sum(ob.ves.role == {role!r} for ob in bpy.context.scene.objects)"
    window.wait_until(lambda: window.ask(count), TO_REACT, f"{operator} made nothing")
    made = window.ask(count)
    window.wait_until(lambda: box_of_last_operation(window), TO_REACT, "the box did not come")
    photograph(window, f"adjust_{operator.partition('.')[2]}")
    left, top, right, bottom = box_of_last_operation(window)
    assert right - left > 100
    before = window.ask(MADE if role == "JOINT" else count)
    if operator == "ves.chain":
        left, top, right, bottom = unfolded(window, (left, top, right, bottom))
        for y in range(top + 30, bottom, 12):
            window.turn_wheel(left + 3 * (right - left) // 4, y)
            time.sleep(0.3)
            if window.ask(MADE) != before:
                break
        after = window.ask(MADE)
        assert after != before
        assert len(after) == len(before) == made


def test_while_it_plays_pause_is_where_play_was(window, places):
    window.ask(f"{SCENE}\nchained(); select('Link 3')")
    window.press_button("ves.play")
    is_running = f"{RUNNING}answer = running_now() is not None and running_now().session.is_running"
    window.wait_until(lambda: window.ask(is_running), TO_COMPILE, "Play did not begin")
    time.sleep(1.0)
    window.photograph("sidebar_playing")
    window.click(*places["play"])
    window.wait_until(
        lambda: window.ask(f"{RUNNING}answer = running_now().session.is_paused"), TO_REACT, "it was not paused"
    )
    window.click(*places["check"])
    window.wait_until(lambda: not window.under_way(), TO_REACT, "it did not end")
    assert state(window)[0] == "NOT_BAKED"
