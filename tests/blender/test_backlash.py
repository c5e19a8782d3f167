# SPDX-License-Identifier: GPL-3.0-or-later
"""Gears and racks with backlash in Blender: what the solver gets, bakes, keys, Play, and what is refused."""

from __future__ import annotations

import math

import bpy
import numpy as np
import pytest
from virtual_erector_set.scene.bake.bake import run_to_end
from virtual_erector_set.scene.properties.action_words import in_words, number_of
from virtual_erector_set.scene.read.scene import read_over_time

from examples import worn_gears
from examples.measure import measure
from tests.blender.inspecting import frames, values
from tests.blender.linkages import baked_result, part, wheels
from tests.blender.playing import Driver

RATIO, SPEED = -0.5, 4.0
FIRST, OTHER = (
    mass * 2.0 * side**2 / 12.0 for mass, side in ((2.0, 0.4 / math.sqrt(2.0)), (3.0, 0.8 / math.sqrt(2.0)))
)


def geared_wheels(second: str = "REVOLUTE") -> tuple[bpy.types.Object, bpy.types.Object]:
    """Two wheels, the first at 4 rad/s, and the gear or rack between them; returns the first axle and that."""
    for wheel, mass in zip(wheels(second), (2.0, 3.0), strict=True):
        wheel.ves.mass_source, wheel.ves.mass = "GIVEN", mass
    axle = bpy.data.objects["axle 0"]
    axle.ves.use_speeds, axle.ves.speeds[0] = True, SPEED
    tie = part("tie", "GEAR" if second == "REVOLUTE" else "RACK")
    tie.ves.joint_a, tie.ves.joint_b = axle, bpy.data.objects["axle 1"]
    tie.ves.gear_ratio = tie.ves.pinion_radius = RATIO
    bpy.context.scene.gravity.z = 0.0
    frames(1, 24)
    return axle, tie


def mechanism():
    bpy.context.view_layer.update()
    return run_to_end(read_over_time(bpy.context.scene, bpy.context.view_layer)).mechanism


def key(ob: bpy.types.Object, name: str, at: dict[int, float]) -> None:
    """Keyframes of a setting, each of which holds until the next one."""
    for frame, value in at.items():
        setattr(ob.ves, name, value)
        ob.ves.keyframe_insert(name, frame=frame)
    for layer in ob.animation_data.action.layers:
        for strip in layer.strips:
            for curve in strip.channelbag(ob.animation_data.action_slot).fcurves:
                for point in curve.keyframe_points:
                    point.interpolation = "CONSTANT"
    bpy.context.scene.frame_set(1)


def speeds() -> tuple[np.ndarray, np.ndarray]:
    """rad/s of both wheels."""
    return tuple(np.radians(values(bpy.data.objects[f"axle {i}"])["Angle Speed"][:, 0]) for i in range(2))


def after_the_strike(bounciness: float = 0.0) -> tuple[float, float]:
    """rad/s of both wheels: momentum is passed on until the teeth part with that share of their speed."""
    blow = (1.0 + bounciness) * RATIO * SPEED / (1.0 / OTHER + RATIO**2 / FIRST)
    return SPEED - RATIO * blow / FIRST, blow / OTHER


@pytest.mark.parametrize("bounciness", [0.0, 0.5])
def test_teeth_strike_when_their_backlash_is_crossed(bounciness):
    """Half of 0.25 rad at 0.5 times 4 rad/s: after a sixteenth of a second."""
    _, tie = geared_wheels()
    tie.ves.backlash, tie.ves.tooth_bounciness = 0.25, bounciness
    assert any("velocities changed at frame 2.5" in str(each.text) for each in baked_result().warnings)
    first, second = speeds()
    assert first[:2] == pytest.approx(SPEED, abs=1e-6)
    assert second[:2] == pytest.approx(0.0, abs=1e-9)
    assert (first[2], second[2]) == pytest.approx(after_the_strike(bounciness), abs=1e-6)
    assert bool(np.ptp(first[2:]) < 1e-6) == (bounciness == 0.0), "or they strike each other again"
    assert FIRST * first + RATIO * OTHER * second == pytest.approx(FIRST * SPEED, abs=1e-6)


def test_backlash_goes_by_its_keys():
    """A torque drives both wheels by the teeth, until these get play: then the first one is alone to cross it."""
    axle, tie = geared_wheels()
    axle.ves.use_speeds = False
    axle.ves.motor_mode, axle.ves.motor_value[0] = "FORCE", 0.3
    key(tie, "backlash", {1: 0.0, 13: 0.3})
    key(tie, "tooth_bounciness", {1: 0.0, 20: 0.5})
    told = [(each.time, each.set) for each in mechanism().actions]
    assert told == [(0.5, {"backlash": pytest.approx(0.3)}), (pytest.approx(19.0 / 24.0), {"restitution": 0.5})]
    baked_result()
    first, second = speeds()
    together = 0.3 / (FIRST + RATIO**2 * OTHER)
    assert first[12] == pytest.approx(0.5 * together, abs=1e-6)
    assert first[14] == pytest.approx(first[12] + 0.3 / FIRST / 12.0, abs=1e-6)
    assert second[14] == pytest.approx(second[12], abs=1e-6)


def test_a_rack_has_its_backlash_as_a_length_and_a_gear_as_its_second_joint_goes():
    _, tie = geared_wheels("PRISMATIC")
    tie.ves.backlash, tie.ves.backlash_travel = 0.5, 0.02
    for role in ("RACK", "GEAR"):
        tie.ves.role = role
        assert mechanism().constraints[0].backlash == pytest.approx(0.02)
    assert in_words({"backlash": 0.03}, tie) == "Backlash 0.03 m"
    bpy.data.objects["axle 1"].ves.joint_type = "REVOLUTE"
    assert mechanism().constraints[0].backlash == 0.5
    tie.ves.backlash = math.radians(5.0)
    number = number_of(tie, "backlash")
    assert number.in_words(number.present) == "Backlash 5°"
    assert in_words({"restitution": 0.5}, tie) == "Bounciness 0.5"


def test_backlash_is_turned_while_play_runs_and_the_run_is_kept():
    _, tie = geared_wheels()
    tie.ves.backlash = 0.5
    driver = Driver()
    driver.go_on(2)
    tie.ves.backlash = 0.25
    driver.go_on(8)
    driver.keep()
    assert [entry.settings for entry in bpy.context.scene.ves.recorded_actions] == ['{"backlash": 0.25}']
    first, second = speeds()
    assert (first[0], second[0]) == (pytest.approx(SPEED), 0.0)
    assert (first[-1], second[-1]) == pytest.approx(after_the_strike(), abs=1e-6)


def test_backlash_is_refused_by_name_where_nothing_lets_go():
    _, tie = geared_wheels()
    tie.ves.backlash, bpy.context.scene.ves.integrator = 0.1, "QUASI_STATIC"
    with pytest.raises(RuntimeError, match=r"tie: Quasi-Static .* set its Backlash to 0"):
        bpy.ops.ves.bake()


def test_worn_gears_lag_by_their_play_and_no_tooth_is_in_another() -> None:
    """Each pair is at both ends of its backlash, where the flanks of its real teeth touch, and never beyond.

    While the crank goes to and fro by less than all play the last wheel stands.
    """
    worn_gears.build(124)
    scene = bpy.context.scene
    bpy.ops.ves.check()
    assert not [finding.text for finding in scene.ves.findings]
    assert bpy.ops.ves.bake() == {"FINISHED"}
    found = measure(scene)
    assert found.collisions == {}
    assert found.joint_gap < 1e-6
    turned = []
    for frame in range(1, 125):
        scene.frame_set(frame)
        turned.append([scene.objects[f"Wheel {i + 1}"].matrix_world.to_euler("YXZ").y for i in range(4)])
    turned = np.unwrap(np.array(turned), axis=0)
    turned -= turned[0]
    assert turned[:, 0].max() == pytest.approx(0.4 * math.tau, rel=1e-3)
    for i in range(3):
        way = turned[:, i + 1] + worn_gears.TEETH[i] / worn_gears.TEETH[i + 1] * turned[:, i]
        half = 0.5 * worn_gears.backlash(i)
        assert way.max() == pytest.approx(half, abs=2e-5)
        assert way.min() == pytest.approx(-half, abs=2e-5)
    to_and_fro = np.ptp(turned[91:], axis=0)
    assert to_and_fro[0] == pytest.approx(math.radians(9.0), rel=1e-2)
    assert to_and_fro[3] < 1e-4
