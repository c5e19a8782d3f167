# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers of actions in the names and units of the panels, starting from what the target has now."""

from __future__ import annotations

import json
import math

import bpy
import pytest
from virtual_erector_set.scene.properties.action_targets import changeable_numbers
from virtual_erector_set.scene.properties.action_words import in_words, number_of

from tests.blender.linkages import body, joint
from tests.blender.making import select
from tests.blender.playing import force


def hinge(kind: str = "REVOLUTE", mode: str = "POSITION") -> bpy.types.Object:
    made = joint("hinge", (0, 0, 0), None, body("door"), kind)
    made.ves.motor_mode = mode
    return made


def test_a_button_for_a_value_begins_with_what_the_target_has() -> None:
    spring = force("spring", "SPRING", body("a"), spring_stiffness=250.0)
    select(spring)
    bpy.ops.ves.add_action_button(preset="VALUE")
    (button,) = bpy.context.scene.ves.action_buttons
    assert (button.key, button.number, button.value[0]) == ("stiffness", "stiffness", 250.0)
    spring.ves.rest_length = 0.75
    button.number = "rest_length"
    assert (button.key, button.value[0]) == ("rest_length", 0.75)
    items = {item.identifier: item.name for item in button.bl_rna.properties["number"].enum_items}
    assert items == {} or items["rest_length"] == "Rest Length", "Blender tells items only where it draws them"


@pytest.mark.parametrize(
    ("kind", "key", "present", "words"),
    [
        ("SPRING", "stiffness", {"spring_stiffness": 200.0}, "Stiffness 200 N/m"),
        ("MOTOR", "force", {"force": (0, 0, 500)}, "Force 0, 0, 500 N"),
        ("SUPPORT", "height", {"support_height": 0.25}, "Ground Height 0.25 m"),
        ("DRAG", "wind", {"wind": (3, 0, 0)}, "Wind 3, 0, 0 m/s"),
        ("BRAKE", "damping", {"brake_damping": (2, 2, 2)}, "Damping 2 N s/m"),
        ("STEERING", "heading", {"heading": 0.5}, "Heading 28.65°"),
        ("STEERING", "stiffness", {"arm_stiffness": 80.0}, "Arm Stiffness 80 N m/rad"),
        ("BALANCE", "frequency", {"balance_frequency": 2.0}, "Frequency 2 Hz"),
        ("RUBBER", "restitution", {"restitution": 0.5}, "Restitution 0.5"),
    ],
)
def test_numbers_of_forces_have_the_panels_names_and_units(kind, key, present, words) -> None:
    made = force("f", kind, body("a"), **present)
    number = number_of(made, key)
    assert number.in_words(number.present) == words


def test_angles_of_a_joint_are_in_degrees_and_travels_in_metres() -> None:
    servo = hinge()
    servo.ves.motor_target[0] = math.radians(30.0)
    number = number_of(servo, "motor.target")
    assert number.in_words(number.present) == "Target Angle 30°"
    servo.ves.motor_mode = "SPEED"
    servo.ves.motor_speed[0] = math.radians(90.0)
    number = number_of(servo, "motor.target")
    assert number.in_words(number.present) == "Motor Spin 90°/s"
    servo.ves.joint_type, servo.ves.motor_mode = "CYLINDRICAL", "POSITION"
    servo.ves.motor_target_travel[1] = 0.4
    number = number_of(servo, "motor.target")
    assert number.in_words(number.present) == "Target Angle 30°, 0.4 m"


@pytest.mark.parametrize(
    "kind",
    [
        "MOTOR",
        "DAMPING",
        "BRAKE",
        "SUPPORT",
        "SPRING",
        "RUBBER",
        "DRAG",
        "GRAVITY",
        "BALANCE",
        "EXPRESSION",
        "REACH",
        "STEERING",
    ],
)
def test_each_number_has_a_name_and_as_many_units_as_components(kind: str) -> None:
    made = force("f", kind, body("a"))
    for key, count in changeable_numbers(made).items():
        number = number_of(made, key)
        assert number.label[0].isupper()
        assert "_" not in number.label
        assert len(number.units) == count
        assert len(number.present) in {0, count}


def recorded(target: bpy.types.Object, **settings) -> bpy.types.PropertyGroup:
    entry = bpy.context.scene.ves.recorded_actions.add()
    entry.target, entry.settings = target, json.dumps(settings)
    return entry


def test_a_recorded_switch_is_turned_by_a_check_mark() -> None:
    entry = recorded(force("jet", "MOTOR", body("a")), enabled=False)
    assert entry.turn_on is False
    entry.turn_on = True
    assert json.loads(entry.settings) == {"enabled": True}


def test_a_recorded_number_is_typed_in_its_unit() -> None:
    jet = recorded(force("jet", "MOTOR", body("a")), force=[0.0, 0.0, 7.0])
    assert tuple(jet.value) == (0.0, 0.0, 7.0)
    jet.value = (0.0, 1.0, 9.0)
    assert json.loads(jet.settings) == {"force": [0.0, 1.0, 9.0]}
    servo = hinge()
    entry = recorded(servo, motor={"mode": "position", "target": [0.5], "stiffness": [10.0], "damping": [1.0]})
    assert in_words(json.loads(entry.settings), servo) == "Target Angle 28.65°"
    entry.value_angle = (1.0, 0.0, 0.0)
    assert json.loads(entry.settings)["motor"] == {
        "mode": "position", "target": [1.0], "stiffness": [10.0], "damping": [1.0],
    }  # fmt: skip


@pytest.mark.parametrize("text", ["", "nonsense", "[1]", '{"motor": 3}', '{"force": {"times": [0]}}', '{"force": [1]}'])
def test_what_is_no_number_of_the_target_is_left_as_it_is(text: str) -> None:
    entry = recorded(force("jet", "MOTOR", body("a")))
    entry.settings = text
    entry.value = (1.0, 2.0, 3.0)
    assert entry.settings == text


def test_a_button_for_a_value_of_a_joint_with_a_motor_begins_with_the_motors_target() -> None:
    servo = hinge()
    servo.ves.motor_target[0] = math.radians(30.0)
    select(servo)
    bpy.ops.ves.add_action_button(preset="VALUE")
    (button,) = bpy.context.scene.ves.action_buttons
    assert (button.key, button.value[0]) == ("motor.target", pytest.approx(math.radians(30.0)))
