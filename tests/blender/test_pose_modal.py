# SPDX-License-Identifier: GPL-3.0-or-later
"""Pose as an operator: events and ticks of a stand-in for a window. A session ends before anything could get lost."""

from __future__ import annotations

import time
from types import SimpleNamespace
from unittest.mock import MagicMock

import bpy
import numpy as np
import pytest
from mathutils import Vector
from virtual_erector_set.operators import modal
from virtual_erector_set.operators.modal import InSteps
from virtual_erector_set.operators.pose import VES_OT_pose
from virtual_erector_set.operators.pose_controls import PoseControls
from virtual_erector_set.panels.top import VES_PT_top

from tests.blender.linkages import chain, part, scene_state
from tests.blender.windowless import Window, assert_tidy, not_in_background, send, stand_in, start


class View:
    """A view along Y onto the plane of the chain: the mouse's x and y are the world's x and z in centimetres."""

    def __init__(self, event) -> None:
        self.place = Vector((0.01 * event.mouse_x, 0.0, 0.01 * event.mouse_y))

    def ray(self) -> tuple[Vector, Vector]:
        return self.place - Vector((0.0, 5.0, 0.0)), Vector((0.0, 1.0, 0.0))

    def beside(self, _point) -> Vector:
        return self.place

    def nearer(self, point, steps: float) -> Vector:
        return point + Vector((0.0, -0.1 * steps, 0.0))


@pytest.fixture
def window(monkeypatch):
    with not_in_background(monkeypatch) as window:
        yield window


def posing(window: Window) -> InSteps:
    """Pose, until bodies can be dragged; whole lines of sight go through the view above."""
    operator = start(stand_in(VES_OT_pose, body="", point=(0, 0, 0), target=(0, 0, 0)), window)
    while not operator.session.is_running:
        assert send(operator, window, "TIMER") == {"PASS_THROUGH"}
    operator._controls = PoseControls(operator.session, bpy.context.view_layer, View)
    send(operator, window, "TIMER")
    return operator


def mouse(operator: InSteps, window: Window, kind: str, place: tuple[int, int], ticks: int = 0, **details) -> None:
    answer = send(operator, window, kind, mouse_x=place[0], mouse_y=place[1], **details)
    assert answer == {"RUNNING_MODAL"}
    for _ in range(ticks):
        assert send(operator, window, "TIMER") == {"PASS_THROUGH"}


def drag(operator: InSteps, window: Window, start_at: tuple[int, int], end_at: tuple[int, int]) -> None:
    mouse(operator, window, "LEFTMOUSE", start_at)
    assert operator.session.hand is not None
    mouse(operator, window, "MOUSEMOVE", end_at, ticks=40)


def end_of(operator: InSteps, window: Window) -> set[str]:
    while (answer := send(operator, window, "TIMER")) == {"PASS_THROUGH"}:
        pass
    return answer


def test_a_drag_is_kept_by_enter(window):
    rods = chain(4)
    operator = posing(window)
    assert "Esc: Put All Back" in window.status
    drag(operator, window, (350, 0), (250, 150))
    assert "joints computed" in bpy.context.scene.ves.pose_status
    held, hand = operator.session.hand
    assert np.linalg.norm(held - hand) < 1e-3
    mouse(operator, window, "LEFTMOUSE", (250, 150), value="RELEASE")
    assert (rods[3].location - Vector((2.5, 0.0, 1.5))).length < 0.06, "it is held at its surface"
    mouse(operator, window, "RET", (250, 150))
    assert end_of(operator, window) == {"FINISHED"}
    assert bpy.context.scene.ves.pose_status == "Posed 4 bodies, not keyed yet"
    assert_tidy(window)


def test_esc_puts_everything_back_in_the_midst_of_a_drag(window):
    chain(4)
    bpy.context.scene.ves.pose_status = "from before"
    before = scene_state()
    operator = posing(window)
    drag(operator, window, (350, 0), (250, 150))
    mouse(operator, window, "I", (250, 150))
    assert scene_state() != before
    mouse(operator, window, "ESC", (250, 150))
    assert end_of(operator, window) == {"CANCELLED"}
    assert scene_state() == before
    assert bpy.context.scene.ves.pose_status == ""
    assert_tidy(window)


def test_the_right_mouse_button_takes_back_one_drag(window):
    rods = chain(4)
    operator = posing(window)
    drag(operator, window, (350, 0), (280, 120))
    mouse(operator, window, "LEFTMOUSE", (280, 120), value="RELEASE")
    first = [tuple(rod.location) for rod in rods]
    place = 100.0 * rods[3].location
    drag(operator, window, (round(place.x), round(place.z)), (200, 50))
    mouse(operator, window, "RIGHTMOUSE", (200, 50))
    assert operator.session.hand is None
    for rod, location in zip(rods, first, strict=True):
        assert (rod.location - Vector(location)).length < 1e-5
    operator.cancel(window.context)


def test_shift_click_pins_and_unpins(window):
    rods = chain(6)
    operator = posing(window)
    mouse(operator, window, "LEFTMOUSE", (320, 0), shift=True)
    mouse(operator, window, "LEFTMOUSE", (320, 0), shift=True, value="RELEASE")
    assert rods[3].ves.is_pinned
    assert rods[3].ves.pin_point[0] == pytest.approx(-0.3, abs=1e-6)
    drag(operator, window, (550, 0), (450, 100))
    mouse(operator, window, "LEFTMOUSE", (450, 100), value="RELEASE")
    assert (rods[3].matrix_world @ Vector(rods[3].ves.pin_point) - Vector((3.2, -0.05, 0.0))).length < 2e-3
    mouse(operator, window, "LEFTMOUSE", (320, 0), shift=True)
    assert not rods[3].ves.is_pinned
    operator.cancel(window.context)
    assert_tidy(window)


def test_ctrl_shift_click_pins_the_turn_too(window):
    rods = chain(6)
    operator = posing(window)
    mouse(operator, window, "LEFTMOUSE", (320, 0), shift=True, ctrl=True)
    assert rods[3].ves.is_pinned
    assert rods[3].ves.pin_turn
    mouse(operator, window, "LEFTMOUSE", (320, 0), shift=True)
    assert rods[3].ves.is_pinned, "now its place alone"
    assert not rods[3].ves.pin_turn
    mouse(operator, window, "LEFTMOUSE", (320, 0), shift=True)
    assert not rods[3].ves.is_pinned
    operator.cancel(window.context)


def test_h_keeps_the_hand_and_shift_h_lets_go(window):
    rods = chain(6)
    operator = posing(window)
    drag(operator, window, (550, 0), (450, 100))
    mouse(operator, window, "H", (450, 100))
    mouse(operator, window, "LEFTMOUSE", (450, 100), value="RELEASE")
    assert operator.session.hand is None
    assert len(operator.session.hands) == 1
    there = rods[5].location.copy()
    at = 100.0 * rods[2].location
    drag(operator, window, (round(at.x), round(at.z)), (round(at.x) - 10, round(at.z) + 20))
    mouse(operator, window, "LEFTMOUSE", (round(at.x) - 10, round(at.z) + 20), value="RELEASE")
    assert (rods[5].location - there).length < 2e-2
    assert "1 hand kept" in bpy.context.scene.ves.pose_status
    mouse(operator, window, "H", (250, 100), shift=True)
    assert operator.session.hands == []
    operator.cancel(window.context)
    assert_tidy(window)


def test_a_linkage_with_a_loop_is_dragged(window):
    """The nail holds the second rod where the first one ends."""
    rods = chain(3)
    part("tack", "NAIL", (1, 0, 0)).ves.body_a = rods[1]
    operator = posing(window)
    drag(operator, window, (250, 0), (200, 100))
    assert bpy.ops.ves.pose_command(command="KEEP") == {"FINISHED"}
    assert end_of(operator, window) == {"FINISHED"}
    assert rods[2].location.z > 0.3
    assert tuple(rods[1].matrix_world @ Vector((-0.5, 0, 0))) == pytest.approx((1, 0, 0), abs=1e-5)


@pytest.mark.parametrize("command", ["KEY", "KEEP", "END"])
def test_the_panel_can_do_it_too(window, command):
    rods = chain(3)
    operator = posing(window)
    assert not bpy.ops.ves.play.poll()
    drag(operator, window, (250, 0), (200, 100))
    assert bpy.ops.ves.pose_command(command=command) == {"FINISHED"}
    if command == "KEY":
        operator.cancel(window.context)
    else:
        assert end_of(operator, window) == ({"FINISHED"} if command == "KEEP" else {"CANCELLED"})
    assert (rods[2].location.z > 0.5) == (command == "KEEP")
    assert all(rod.animation_data is None for rod in rods)
    assert_tidy(window)


def test_a_file_is_saved_without_what_is_not_kept(window, tmp_path):
    chain(3)
    before = scene_state()
    operator = posing(window)
    drag(operator, window, (250, 0), (200, 100))
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "saved.blend"), copy=True)
    assert scene_state() == before
    assert send(operator, window, "TIMER") == {"CANCELLED"}
    assert_tidy(window)


def test_it_says_that_it_compiles_and_can_be_cancelled_meanwhile(window, monkeypatch):
    from virtual_erector_set.scene.pose import pose as scene_pose

    def slow(_shapes):
        yield "the equations of posing"
        time.sleep(0.3)

    monkeypatch.setattr(scene_pose, "warm_up", slow)
    chain(3)
    before = scene_state()
    operator = start(stand_in(VES_OT_pose, body="", point=(0, 0, 0), target=(0, 0, 0)), window)
    while "first time only" not in bpy.context.scene.ves.pose_status:
        assert send(operator, window, "TIMER") == {"PASS_THROUGH"}
    assert "the equations of posing" in bpy.context.scene.ves.pose_status
    assert send(operator, window, "ESC") == {"CANCELLED"}
    assert scene_state() == before
    assert not modal.under_way()


def rows_at_the_top() -> int:
    """Rows of the panel above all others: it moves these as it grows and shrinks."""
    layout = MagicMock()
    VES_PT_top.draw(SimpleNamespace(layout=layout), bpy.context)
    return sum(getattr(layout, kind).call_count for kind in ("row", "column", "split", "label"))


def test_the_panels_stay_where_they_are_when_it_begins_and_ends(window):
    chain(3)
    before = rows_at_the_top()
    operator = start(stand_in(VES_OT_pose, body="", point=(0, 0, 0), target=(0, 0, 0)), window)
    assert rows_at_the_top() == before
    while not operator.session.is_running:
        send(operator, window, "TIMER")
        assert rows_at_the_top() == before, bpy.context.scene.ves.pose_status
    send(operator, window, "TIMER")
    assert "pins" in bpy.context.scene.ves.pose_status
    assert rows_at_the_top() == before
    send(operator, window, "ESC")
    assert send(operator, window, "TIMER") == {"CANCELLED"}
    assert rows_at_the_top() == before
