# SPDX-License-Identifier: GPL-3.0-or-later
"""Action buttons: what each kind does to the mechanism that is played, and their list."""

from __future__ import annotations

import math

import bpy
import numpy as np
import pytest
from virtual_erector_set.scene.play.action_buttons import labels

from tests.blender.linkages import body, chain, joint, part
from tests.blender.making import select
from tests.blender.playing import Driver, button, force


@pytest.fixture
def car() -> bpy.types.Object:
    """A body that is turned by 30 degrees about Z."""
    made = body("car", size=(4, 2, 1))
    made.rotation_euler.z = math.radians(30)
    bpy.context.view_layer.update()
    return made


def pressed(driver: Driver, *presses: str, is_held: bool = False) -> list[tuple[str, dict]]:
    """Results of these presses, each a frame after the other."""
    before = len(driver.done)
    for label in presses:
        driver.play.press(label, is_held)
        driver.go_on()
    return [(target, settings) for _, target, settings in driver.done[before:]]


def test_a_switch_goes_off_and_on_again(car):
    button("Engine", force("jet", "MOTOR", car))
    driver = Driver()
    assert driver.play.is_down("Engine")
    assert pressed(driver, "Engine", "Engine") == [("jet", {"enabled": False}), ("jet", {"enabled": True})]
    assert [frame for frame, _, _ in driver.done] == [0, 1]
    driver.end()


def test_what_is_off_at_the_start_can_be_switched_on(car):
    jet = force("jet", "MOTOR", car)
    jet.ves.enabled = False
    button("Engine", jet)
    driver = Driver()
    assert not driver.play.is_down("Engine")
    assert pressed(driver, "Engine") == [("jet", {"enabled": True})]
    driver.end()


def test_entries_with_one_label_act_together(car):
    for name in ("left", "right"):
        button("Engine", force(name, "MOTOR", car))
    assert labels(bpy.context.scene) == ["Engine"]
    driver = Driver()
    assert pressed(driver, "Engine") == [("left", {"enabled": False}), ("right", {"enabled": False})]
    driver.end()


def test_held_only_while_the_key_is_down(car):
    jet = force("jet", "MOTOR", car)
    jet.ves.enabled = False
    button("Boost", jet, mode="HOLD")
    driver = Driver()
    assert pressed(driver, "Boost", is_held=True) == [("jet", {"enabled": True})]
    driver.play.release("Boost")
    assert driver.done[-1][1:] == ("jet", {"enabled": False})
    driver.end()


def test_a_click_holds_until_the_next_click(car):
    jet = force("jet", "MOTOR", car)
    jet.ves.enabled = False
    button("Boost", jet, mode="HOLD")
    driver = Driver()
    assert [settings["enabled"] for _, settings in pressed(driver, "Boost", "Boost")] == [True, False]
    driver.end()


def test_a_value_goes_back_to_that_of_the_start(car):
    button("Full Power", force("jet", "MOTOR", car, force=(0, 0, 5)), "VALUE", key="force", value=(0, 0, 500))
    driver = Driver()
    done = pressed(driver, "Full Power", "Full Power")
    assert done == [("jet", {"force": [0.0, 0.0, 500.0]}), ("jet", {"force": [0.0, 0.0, 5.0]})]
    driver.end()


def test_a_single_number_and_one_of_a_joint_motor():
    rods = chain(2)
    hinge = joint("hinge", (5, 0, 0), None, body("door", (5.5, 0, 0)), "REVOLUTE")
    hinge.ves.motor_mode = "FORCE"
    hinge.ves.motor_value[0] = 2.0
    button("Thick Air", force("air", "DAMPING", rods[0]), "VALUE", "SET", key="linear", value=(7, 0, 0))
    button("Push", hinge, "VALUE", "SET", key="motor.value", value=(30, 0, 0))
    driver = Driver()
    assert pressed(driver, "Thick Air") == [("air", {"linear": 7.0})]
    assert pressed(driver, "Push") == [("hinge", {"motor": {"mode": "force", "value": [30.0]}})]
    assert driver.play.message == ""
    driver.end()


@pytest.mark.parametrize(("axis", "direction"), [("BODY_Z", (0, 0, 1)), ("OWN_X", (math.cos(0.2), math.sin(0.2), 0))])
def test_steering_turns_the_frame(car, axis, direction):
    """An orientation in world coordinates at the start, whatever has moved since."""
    wheel = force("wheel", "MOTOR", car)
    wheel.rotation_euler = (0.0, 0.0, 0.2)
    button("Left", wheel, "STEER", "HOLD", angle=0.5, axis=axis)
    driver = Driver()
    driver.go_on(5)
    (_, settings), *_ = pressed(driver, "Left", is_held=True)
    turn = np.array([math.cos(0.25), *(math.sin(0.25) * np.array(direction))])
    w, x, y, z = turn
    a, d = math.cos(0.1), math.sin(0.1)
    expected = [w * a - z * d, x * a + y * d, y * a - x * d, w * d + z * a]
    np.testing.assert_allclose(settings["orientation"], expected, atol=1e-6)
    driver.play.release("Left")
    np.testing.assert_allclose(driver.done[-1][2]["orientation"], [a, 0, 0, d], atol=1e-6)
    driver.end()


def test_release_cuts_for_good():
    rods = chain(2)
    button("Cut", bpy.data.objects["joint 1"], "RELEASE")
    nail = part("nail", "NAIL", rods[1].location)
    nail.ves.body_a = rods[1]
    button("Pull", nail, "RELEASE")
    driver = Driver()
    assert pressed(driver, "Cut", "Pull") == [("joint 1", {"enabled": False}), ("nail", {"enabled": False})]
    driver.end()


@pytest.mark.parametrize("wrong", ["no target", "no such number", "no frame"])
def test_what_is_wrong_with_a_button_is_said_and_the_run_goes_on(car, wrong):
    air = force("air", "DAMPING", car)
    if wrong == "no target":
        button("B", None)
    elif wrong == "no such number":
        button("B", air, "VALUE", key="weight")
    else:
        button("B", air, "STEER")
    driver = Driver()
    driver.play.press("B")
    assert "button B" in driver.play.message
    assert not driver.play.is_down("B")
    driver.go_on(3)
    assert bpy.context.scene.frame_current == 4
    assert driver.done == []
    driver.end()


def test_entries_for_all_that_is_selected(car):
    motors = [force(f"wheel {i}", "MOTOR", car) for i in range(2)]
    select(*motors)
    assert bpy.ops.ves.add_action_button(preset="TOGGLE", label="Engine") == {"FINISHED"}
    assert bpy.ops.ves.add_action_button(preset="STEER") == {"FINISHED"}
    assert labels(bpy.context.scene) == ["Engine", "Steer Left", "Steer Right"]
    made = bpy.context.scene.ves.action_buttons
    assert [entry.id for entry in made] == [1, 2, 3, 4, 5, 6]
    assert {round(entry.angle, 4) for entry in made if entry.change == "STEER"} == {0.5236, -0.5236}


def test_what_does_not_fit_is_left_out(car, capfd):
    hinge = joint("hinge", (0, 0, 0), None, car, "REVOLUTE")
    select(hinge, force("air", "DAMPING", car))
    assert bpy.ops.ves.add_action_button(preset="STEER") == {"CANCELLED"}
    assert bpy.ops.ves.add_action_button(preset="HOLD") == {"FINISHED"}
    (entry,) = bpy.context.scene.ves.action_buttons
    assert (entry.target.name, entry.change, entry.mode, entry.label) == ("air", "ENABLED", "HOLD", "air")


def test_the_list_is_put_in_order_and_ids_stay(car):
    select(force("air", "DAMPING", car))
    for label in "abc":
        bpy.ops.ves.add_action_button(preset="TOGGLE", label=label)
    scene = bpy.context.scene
    assert bpy.ops.ves.move_action_button(direction="UP") == {"FINISHED"}
    assert labels(scene) == ["a", "c", "b"]
    scene.ves.active_action_button = 0
    assert bpy.ops.ves.move_action_button(direction="UP") == {"CANCELLED"}
    assert bpy.ops.ves.remove_action_button() == {"FINISHED"}
    assert [(entry.label, entry.id) for entry in scene.ves.action_buttons] == [("c", 3), ("b", 2)]
    bpy.ops.ves.add_action_button(preset="TOGGLE", label="d")
    assert scene.ves.action_buttons[-1].id == 4


def test_nothing_selected_nothing_to_press():
    select()
    assert not bpy.ops.ves.add_action_button.poll()
    assert not bpy.ops.ves.remove_action_button.poll()
    assert not bpy.ops.ves.press_action_button.poll()
    assert not bpy.ops.ves.play_command.poll()
