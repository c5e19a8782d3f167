# SPDX-License-Identifier: GPL-3.0-or-later
"""Keys and mouse during Play, as events without a window; the view is a stand-in that looks along Y."""

from __future__ import annotations

from types import SimpleNamespace

import bpy
import numpy as np
import pytest
from mathutils import Vector
from virtual_erector_set.operators.play_controls import PlayControls
from virtual_erector_set.operators.selection import select_only
from virtual_erector_set.operators.session_controls import SPEED

from tests.blender.linkages import body, chain
from tests.blender.making import box
from tests.blender.playing import Driver, button, force


class View:
    """Looks along Y from far away; the mouse is at (x, z)."""

    def __init__(self, x: float, z: float) -> None:
        self.x, self.z = x, z

    def ray(self) -> tuple[Vector, Vector]:
        return Vector((self.x, -50.0, self.z)), Vector((0.0, 1.0, 0.0))

    def beside(self, point: Vector) -> Vector:
        return Vector((self.x, point[1], self.z))

    def pushed(self, push: Vector) -> Vector:
        return Vector((push.x, -push.z, push.y))

    def nearer(self, point: Vector, steps: float) -> Vector:
        return Vector(point) - Vector((0.0, 0.1 * steps, 0.0))


class Hands:
    """Somebody at mouse and keyboard."""

    def __init__(self, driver: Driver) -> None:
        self.view: View | None = View(0.0, 0.0)
        self.controls = PlayControls(driver.play, bpy.context.view_layer, lambda _event: self.view)

    def send(self, kind: str, value: str = "PRESS", is_repeat: bool = False, **modifiers: bool) -> bool:
        keys = dict.fromkeys(("shift", "ctrl", "alt", "oskey"), False) | modifiers
        return self.controls.handle(SimpleNamespace(type=kind, value=value, is_repeat=is_repeat, **keys))

    def move(self, x: float, z: float) -> bool:
        self.view = View(x, z)
        return self.send("MOUSEMOVE", "NOTHING")


@pytest.fixture
def driver():
    chain(2)
    made = Driver()
    yield made
    made.end()


def test_a_body_is_pulled_to_the_mouse(driver):
    hands = Hands(driver)
    hands.view = View(1.7, 0.0)
    assert hands.send("LEFTMOUSE")
    point, hand = driver.play.hand
    np.testing.assert_allclose(point, hand, atol=1e-6)
    np.testing.assert_allclose(hand, (1.7, -0.05, 0.0), atol=1e-5)
    assert hands.move(2.0, 3.0)
    driver.go_on()
    np.testing.assert_allclose(driver.play.hand[1], (2.0, -0.05, 3.0), atol=1e-5)
    assert hands.send("LEFTMOUSE", "RELEASE")
    assert driver.play.hand is None
    names = {target for _, target, _ in driver.done}
    assert len(names) == 1
    spring = next(force for force in driver.play._run.mechanism.forces if force.name in names)
    assert (spring.body_a, spring.body_b, spring.rest_length) == ("rod 1", None, 0.0)


def test_the_wheel_brings_it_nearer(driver):
    hands = Hands(driver)
    hands.view = View(1.7, 0.0)
    hands.send("LEFTMOUSE")
    assert hands.send("WHEELDOWNMOUSE")
    np.testing.assert_allclose(driver.play.hand[1], (1.7, -0.15, 0.0), atol=1e-5)
    hands.move(1.8, 0.0)
    np.testing.assert_allclose(driver.play.hand[1], (1.8, -0.15, 0.0), atol=1e-5)
    hands.send("LEFTMOUSE", "RELEASE")


def test_what_hangs_on_a_body_counts_as_the_body_and_what_does_not_is_looked_through(driver):
    driver.end()
    hat = box("hat", (1.5, 0, 2), (0.3, 0.3, 0.3))
    hat.parent = bpy.data.objects["rod 1"]
    hat.matrix_parent_inverse = hat.parent.matrix_world.inverted()
    box("glass", (0, -5, 0), (20, 0.1, 20))
    body("wall", (0, -4, 0), (20, 0.1, 20), "FIXED")
    again = Driver()
    hands = Hands(again)
    hands.view = View(1.5, 2.0)
    assert hands.send("LEFTMOUSE")
    assert again.play._spring
    assert again.play._run.mechanism.forces[-1].body_a == "rod 1"
    hands.send("LEFTMOUSE", "RELEASE")
    again.end()


def test_a_3d_mouse_pushes_what_the_mouse_holds(driver):
    """Along the view's axes, also after the mouse has moved; with nothing in hand it navigates."""
    hands = Hands(driver)
    motion = SimpleNamespace(translation=(1.0, 0.0, -0.5), time_delta=0.05)
    assert not hands.send("NDOF_MOTION", "NOTHING", ndof_motion=motion)
    hands.view = View(1.5, 0.0)
    hands.send("LEFTMOUSE")
    start = Vector(hands.controls._place)
    for _ in range(4):
        assert hands.send("NDOF_MOTION", "NOTHING", ndof_motion=motion)
    way = 4 * SPEED * 0.05
    assert tuple(driver.play.hand[1]) == pytest.approx(start + Vector((way, 0.5 * way, 0.0)), abs=1e-6)
    hands.move(1.5, 0.25)
    assert tuple(driver.play.hand[1]) == pytest.approx((1.5 + way, start.y + 0.5 * way, 0.25), abs=1e-6)
    hands.send("LEFTMOUSE", "RELEASE")


def test_beside_all_bodies_nothing_is_taken_and_a_click_selects(driver):
    hands = Hands(driver)
    hands.view = View(0.0, 9.0)
    for value in ("PRESS", "RELEASE"):
        assert not hands.send("LEFTMOUSE", value)
    assert driver.play.hand is None
    assert driver.done == []


def test_navigation_and_panels_get_their_events(driver):
    hands = Hands(driver)
    for kind in ("MIDDLEMOUSE", "WHEELUPMOUSE", "NUMPAD_1", "NUMPAD_PERIOD", "TRACKPADPAN", "MOUSEMOVE", "HOME", "N",
                 "LEFT_SHIFT", "TIMER_REPORT"):  # fmt: skip
        assert not hands.send(kind), kind
    assert not hands.send("LEFTMOUSE", alt=True)
    hands.view = None
    for kind in ("LEFTMOUSE", "RIGHTMOUSE", "X"):
        assert not hands.send(kind), kind


def test_who_clicks_a_keyed_or_fixed_body_is_told_how_a_hand_can_shove_it(driver):
    body("wall", (0, -4, 9), (20, 0.1, 2), "FIXED")
    again = Driver()
    hands = Hands(again)
    hands.view = View(0.0, 9.0)
    assert not hands.send("LEFTMOUSE")
    assert again.play.message == "wall is Fixed: what the hand shall shove is Dynamic, with Follow if animated"
    assert again.play.hand is None
    again.end()


def test_empties_are_moved_and_turned_and_bodies_are_not(driver):
    """A nail that is moved takes along what hangs on it; it could not be moved in the view."""
    hands = Hands(driver)
    (joint, *_), rod = (ob for ob in bpy.context.scene.objects if ob.ves.role == "JOINT"), bpy.data.objects["rod 1"]
    for chosen, passes in (([joint], True), ([rod], False), ([joint, rod], False), ([], False)):
        select_only(bpy.context, chosen)
        for kind in ("G", "R"):
            assert hands.send(kind) != passes, (kind, chosen)
            assert hands.send(kind, ctrl=True), "of another meaning"


def test_keys_that_would_change_the_scene_are_kept_from_it(driver):
    hands = Hands(driver)
    select_only(bpy.context, [bpy.data.objects["rod 1"]])
    for kind in ("G", "X", "DEL", "TAB", "RIGHTMOUSE", "LEFT_ARROW"):
        assert hands.send(kind), kind
    assert hands.send("Z", ctrl=True)
    assert driver.play.is_running


def test_pause_keep_and_end(driver):
    hands = Hands(driver)
    assert hands.send("SPACE")
    assert hands.send("SPACE", is_repeat=True)
    assert driver.play.is_paused
    hands.send("SPACE")
    driver.go_on(3)
    assert not hands.controls.wants_end
    assert hands.send("RET", shift=True)
    assert not driver.play.is_running
    assert hands.send("ESC")
    assert hands.controls.wants_end


def test_numbers_press_the_first_nine_buttons(driver):
    jet = force("jet", "MOTOR", bpy.data.objects["rod 0"])
    jet.ves.enabled = False
    driver.end()
    for number in range(11):
        button(f"Action {number}", jet, mode="HOLD" if number == 1 else "TOGGLE")
    again = Driver()
    hands = Hands(again)
    assert hands.send("TWO")
    assert hands.send("TWO", is_repeat=True)
    again.go_on(4)
    assert hands.send("TWO", "RELEASE")
    assert again.done == [(0, "jet", {"enabled": True}), (4, "jet", {"enabled": False})]
    assert hands.send("NINE")
    assert hands.send("NINE", "RELEASE")
    assert again.done[2:] == [(4, "jet", {"enabled": True})]
    again.end()
