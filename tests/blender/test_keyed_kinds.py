# SPDX-License-Identifier: GPL-3.0-or-later
"""Kinds of motors that are keyed: each key puts another motor in, or none, at its frame."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

from tests.blender.inspecting import frames, values
from tests.blender.linkages import baked_result, body, joint
from tests.blender.making import select
from tests.blender.playing import Driver
from tests.blender.test_keyed_in_steps import key

SPAN = 1.0 / 24.0  # s


def flywheel() -> tuple[bpy.types.Object, bpy.types.Object]:
    """A block of 6 kg m² on a hinge about Z that a motor keeps at 2 rad/s."""
    block = body("block", (0, 0, 0), (2, 2, 0.1))
    block.ves.mass_source, block.ves.mass = "GIVEN", 9.0
    axle = joint("axle", (0, 0, 0), None, block, "REVOLUTE")
    axle.ves.use_speeds, axle.ves.speeds[0] = True, 2.0
    axle.ves.motor_mode, axle.ves.motor_speed[0] = "SPEED", 2.0
    frames(1, 40)
    return block, axle


def spin(axle: bpy.types.Object) -> np.ndarray:
    """rad/s at each frame."""
    return np.radians(values(axle)["Angle Speed"][:, 0])


def test_a_speed_motor_that_is_keyed_off_leaves_its_wheel_at_that_speed_and_a_force_speeds_it_up():
    _, axle = flywheel()
    axle.ves.motor_value[0] = 3.0
    axle.ves.damping[0] = 0.75  # N m s: the motor bears it up to frame 13
    key(axle, "motor_mode", {1: "SPEED", 13: "NONE", 25: "FORCE"})
    key(axle, "damping", {1: 0.75, 13: 0.0}, index=0)
    assert not baked_result().warnings
    time = np.arange(40) * SPAN
    later = np.maximum(0.0, time - 24 * SPAN)
    expected = 2.0 + 3.0 / 6.0 * later
    assert spin(axle)[:25] == pytest.approx(2.0, abs=1e-6)
    assert spin(axle) == pytest.approx(expected, abs=1e-3)  # the damper goes off between two looks at the scene


def test_a_motor_that_becomes_keyed_exactly_is_met_smoothly_and_then_to_rounding():
    _, axle = flywheel()
    axle.ves.motor_mode = "NONE"
    key(axle, "motor_mode", {1: "NONE", 10: "KEYED"})
    key(axle, "motor_target", {1: 0.0, 40: 2.5}, index=0, slope=True)
    axle.ves.catch_time = 0.05
    result = baked_result()
    angle, wanted = np.radians(values(axle)["Angle"][:, 0]), 2.5 * np.arange(40) / 39.0
    assert angle[:10] == pytest.approx(2.0 * np.arange(10) * SPAN, abs=1e-6)
    assert angle[38:] == pytest.approx(wanted[38:], abs=1e-4)
    assert np.abs(np.diff(angle)).max() < 0.2
    assert any("its motor leads it as keyed from 0.375 s on" in str(note) for note in result.notes)


def test_a_maximum_goes_on_and_off_by_its_keys():
    """A motor that is too weak to keep its speed against a damper, once it has a maximum."""
    _, axle = flywheel()
    axle.ves.damping[0], axle.ves.motor_max_force[0] = 6.0, 3.0
    key(axle, "use_motor_max_force", {1: False, 13: True})
    bpy.ops.ves.bake()
    time = np.maximum(0.0, np.arange(40) * SPAN - 12 * SPAN)
    assert spin(axle) == pytest.approx(0.5 + 1.5 * np.exp(-time), abs=1e-5)


def test_each_axis_of_a_generic_joint_has_its_kind_keyed():
    block, axle = flywheel()
    axle.ves.joint_type, axle.ves.use_speeds = "GENERIC", False
    axle.ves.lock_travel, axle.ves.lock_turn = (True, True, False), (True, True, False)
    axle.ves.motor_mode_turn_z, axle.ves.motor_mode_z, axle.ves.motor_value_travel[2] = "NONE", "FORCE", 9.0 * 9.81
    axle.ves.motor_value[2] = 6.0
    key(axle, "motor_mode_turn_z", {1: "NONE", 13: "FORCE"})
    assert not baked_result().warnings
    time = np.maximum(0.0, np.arange(40) * SPAN - 12 * SPAN)
    assert np.radians(values(axle)["Angle Speed"][:, 0]) == pytest.approx(time, abs=1e-6)
    assert block.matrix_world.translation.z == pytest.approx(0.0, abs=1e-4)


def test_a_ball_whose_motor_is_keyed_to_be_keyed_exactly_is_refused_by_name():
    _, axle = flywheel()
    axle.ves.joint_type, axle.ves.use_speeds = "SPHERICAL", False
    key(axle, "motor_mode", {1: "NONE", 13: "KEYED"})
    with pytest.raises(RuntimeError, match="axle: is a Ball, which has no angle that could be keyed exactly"):
        bpy.ops.ves.bake()


def test_play_changes_motors_as_a_bake_does_to_the_bit_and_says_that_their_kind_is_keyed():
    _, axle = flywheel()
    axle.ves.motor_value[0] = 3.0
    key(axle, "motor_mode", {1: "SPEED", 13: "NONE", 25: "FORCE"})
    driver = Driver()
    driver.go_on(39)
    driver.keep()
    assert len(bpy.context.scene.ves.recorded_actions) == 0
    played = spin(axle)
    bpy.ops.ves.clear_bake()
    bpy.ops.ves.bake()
    assert (spin(axle)[: len(played)] == played).all()
    bpy.ops.ves.clear_bake()
    driver = Driver()
    select(axle)
    driver.go_on(3)
    axle.ves.motor_value[0] = 5.0
    driver.go_on(3)
    assert "keeps its motor until Play begins anew: its kind is keyed" in driver.play.message
