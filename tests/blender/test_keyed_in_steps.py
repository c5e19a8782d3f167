# SPDX-License-Identifier: GPL-3.0-or-later
"""Limits, bounciness, armature, masses and surfaces that are keyed: each key acts at its frame."""

from __future__ import annotations

import math

import bpy
import numpy as np
import pytest
from virtual_erector_set.scene.read.fingerprint import of_scene

from tests.blender.inspecting import frames, swinging_bar, values
from tests.blender.linkages import baked_result, body, part, wheels
from tests.blender.playing import Driver

G = 9.81


def key(ob: bpy.types.Object, name: str, at: dict[int, float], index: int = -1, slope: bool = False) -> None:
    """Keyframes of `ob.ves.name`, which hold until the next one unless they are a `slope`."""
    for frame, value in at.items():
        if index < 0:
            setattr(ob.ves, name, value)
        else:
            getattr(ob.ves, name)[index] = value
        ob.ves.keyframe_insert(name, index=index, frame=frame)
    for layer in ob.animation_data.action.layers:
        for strip in layer.strips:
            for curve in strip.channelbag(ob.animation_data.action_slot).fcurves:
                for point in curve.keyframe_points:
                    point.interpolation = "LINEAR" if slope else "CONSTANT"
    bpy.context.scene.frame_set(1)


def angle(hinge: bpy.types.Object) -> np.ndarray:
    return values(hinge)["Angle"][:, 0]


def test_a_limit_goes_where_its_keys_say_and_can_be_switched_by_them():
    """A bar falls to 20 degrees, from frame 13 on to 50, and from frame 25 on freely."""
    _, hinge = swinging_bar()
    frames(1, 40)
    hinge.ves.use_upper_limit[0] = True
    key(hinge, "upper_limit", {1: math.radians(20.0), 13: math.radians(50.0)}, index=0)
    key(hinge, "use_upper_limit", {1: True, 25: False}, index=0)
    result = baked_result()
    found = angle(hinge)
    assert found[10:13] == pytest.approx(20.0, abs=1e-4)
    assert found[22:25] == pytest.approx(50.0, abs=1e-4)
    assert found[30:].max() > 60.0
    assert not result.warnings


def test_a_limit_that_is_keyed_as_a_slope_goes_in_steps_and_both_that_and_what_is_beyond_it_are_said():
    _, hinge = swinging_bar()
    frames(1, 40)
    hinge.ves.use_upper_limit[0] = True
    key(hinge, "upper_limit", {20: math.radians(40.0), 40: math.radians(10.0)}, index=0, slope=True)
    texts = [str(finding.text) for finding in baked_result().warnings]
    assert any(text.startswith("Upper Limit is keyed as a slope, but goes in steps") for text in texts)
    assert any("is past its limit by up to 29.3°, from frame 21 on" in text for text in texts)
    assert angle(hinge)[-1] == pytest.approx(40.0, abs=1e-3)


def test_limits_that_cross_by_their_keys_are_refused_by_name():
    _, hinge = swinging_bar()
    hinge.ves.use_lower_limit[0] = hinge.ves.use_upper_limit[0] = True
    key(hinge, "lower_limit", {1: -0.5, 10: 1.0}, index=0)
    with pytest.raises(RuntimeError, match="hinge: has keys by which a lower limit is not below the upper one"):
        bpy.ops.ves.bake()


def test_bounciness_and_armature_go_by_their_keys():
    """A bar strikes its stop at 20 degrees and rests; then an armature makes it as slow as it says."""
    _, hinge = swinging_bar()
    hinge.ves.damping[0] = 0.0
    frames(1, 30)
    hinge.ves.use_upper_limit[0], hinge.ves.upper_limit[0] = True, math.radians(20.0)
    key(hinge, "bounciness", {1: 0.5, 6: 0.0}, index=0)
    key(hinge, "use_upper_limit", {1: True, 25: False}, index=0)
    key(hinge, "armature", {1: 0.0, 20: 9.0}, index=0)
    bpy.ops.ves.bake()
    found = angle(hinge)
    assert found[24] == pytest.approx(20.0, abs=1e-4)
    inertia = 3.0 * (1.0 + 0.1**2) / 12.0 + 3.0 * 0.25 + 9.0
    start, step = math.radians(20.0), 1.0 / 24.0
    fallen = start + 0.5 * 3.0 * G * 0.5 * math.cos(start) / inertia * step**2
    assert math.radians(found[25]) - start == pytest.approx(fallen - start, rel=2e-2)


def hanging(mass: float = 2.0) -> tuple[bpy.types.Object, bpy.types.Object]:
    """A block on a spring of 100 N/m, in equilibrium."""
    block = body("block", (0, 0, 3))
    block.ves.mass_source, block.ves.mass = "GIVEN", mass
    spring = part("spring", "FORCE", (0, 0, 3))
    settings = spring.ves
    settings.force_type, settings.body_a, settings.to_world, settings.point_b = "SPRING", block, True, (0, 0, 5)
    settings.spring_stiffness, settings.spring_damping = 100.0, 0.0
    settings.use_rest_length, settings.rest_length = True, 2.0 - mass * G / 100.0
    return block, spring


def test_a_mass_goes_by_its_keys_and_swings_about_where_it_hangs_then():
    block, _ = hanging()
    frames(1, 49)
    key(block, "mass", {1: 2.0, 13: 4.0})
    assert not baked_result().warnings
    height = []
    for frame in range(1, 50):
        bpy.context.scene.frame_set(frame)
        height.append(block.matrix_world.translation.z)
    time = np.maximum(0.0, np.arange(49) / 24.0 - 0.5)
    expected = 3.0 - 2.0 * G / 100.0 * (1.0 - np.cos(np.sqrt(100.0 / 4.0) * time))
    assert height == pytest.approx(expected, abs=1e-5)


def test_a_density_goes_by_its_keys_as_a_mass_does():
    block, spring = hanging()
    block.ves.mass_source, block.ves.density = "DENSITY", 2.0
    frames(1, 30)
    key(block, "density", {1: 2.0, 13: 4.0})
    bpy.ops.ves.bake()
    assert values(spring)["Tension"][29, 0] > 1.5 * values(spring)["Tension"][5, 0] > 1.5 * 19.0


def test_friction_goes_by_its_keys():
    """A box slides on ice, and from frame 13 on it is stopped by Coulomb's law."""
    scene, box = bpy.context.scene, body("box", (0, 0, 0.5))
    box.ves.mass_source, box.ves.mass, box.ves.linear_velocity = "GIVEN", 2.0, (3.0, 0.0, 0.0)
    scene.ves.use_contact, scene.ves.ground_friction = True, 0.5
    frames(1, 30)
    key(box, "contact_friction", {1: 0.0, 13: 0.5})
    bpy.ops.ves.bake()
    speed = values(box)["Velocity"][:, 0]
    assert speed[:12] == pytest.approx(3.0, abs=1e-3)
    later = np.arange(14, 24)
    assert speed[later] == pytest.approx(3.0 - 0.5 * G * (later - 12) / 24.0, abs=0.05)


def test_play_goes_by_the_keys_and_keeps_none_of_them_as_an_action():
    _, hinge = swinging_bar()
    frames(1, 30)
    hinge.ves.use_upper_limit[0] = True
    key(hinge, "upper_limit", {1: math.radians(20.0), 13: math.radians(50.0)}, index=0)
    driver = Driver()
    driver.go_on(15)
    hinge.ves.damping[0] = 1.0
    driver.go_on(14)
    driver.keep()
    assert [entry.settings for entry in bpy.context.scene.ves.recorded_actions] == ['{"damping": [1.0]}']
    found = angle(hinge)
    assert found[10:13] == pytest.approx(20.0, abs=1e-4)
    assert found[-1] > 25.0
    bpy.ops.ves.clear_bake()
    bpy.ops.ves.bake()
    assert (angle(hinge)[: len(found)] == found[: len(angle(hinge))]).all(), "to the bit"


def standing_box() -> bpy.types.Object:
    """A cube of 1 m that stands on the ground, for 30 frames."""
    cube = body("cube", (0, 0, 0.5))
    bpy.context.scene.ves.use_contact = True
    frames(1, 30)
    return cube


def heights(ob: bpy.types.Object) -> np.ndarray:
    """m, at each of 30 frames."""
    found = []
    for frame in range(1, 31):
        bpy.context.scene.frame_set(frame)
        found.append(ob.matrix_world.translation.z)
    return np.array(found)


FALLEN = 0.5 - 0.5 * G * (np.maximum(0.0, np.arange(30) - 12) / 24.0) ** 2
"""m: of what lets go at frame 13."""


def test_a_body_whose_collide_is_keyed_off_falls_through_the_ground_at_that_frame():
    cube = standing_box()
    key(cube, "collide", {1: True, 13: False})
    assert not baked_result().warnings
    assert heights(cube) == pytest.approx(FALLEN, abs=2e-4)


def test_a_body_whose_collide_is_keyed_on_lands_and_check_does_not_say_that_nothing_collides():
    cube = standing_box()
    cube.location.z = 1.5
    key(cube, "collide", {1: False, 5: True})
    assert not [str(finding.text) for finding in baked_result().warnings]
    assert heights(cube).min() == pytest.approx(0.5, abs=1e-2)


def key_scene(name: str, at: dict[int, float], kind: str = "CONSTANT") -> None:
    """The same of a setting of the scene."""
    scene = bpy.context.scene
    for frame, value in at.items():
        setattr(scene.ves, name, value)
        scene.keyframe_insert(f"ves.{name}", frame=frame)
    for curve in scene.animation_data.action.layers[0].strips[0].channelbag(scene.animation_data.action_slot).fcurves:
        for point in curve.keyframe_points:
            point.interpolation = kind
    scene.frame_set(1)


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [("use_contact", True, False), ("use_ground", True, False), ("ground_height", 0.0, -5.0)],
)
def test_contact_and_its_ground_go_by_their_keys(name, before, after):
    cube = standing_box()
    key_scene(name, {1: before, 13: after})
    assert not baked_result().warnings
    assert heights(cube) == pytest.approx(FALLEN, abs=2e-4)
    scene = bpy.context.scene
    before = of_scene(scene)
    scene.frame_set(20)
    assert of_scene(scene) == before
    key_scene(name, {20: before and after})
    assert of_scene(scene) != before


def test_contact_that_is_keyed_on_catches_what_falls():
    cube = standing_box()
    cube.location.z = 1.5
    key_scene("use_contact", {1: False, 5: True})
    assert not baked_result().warnings
    assert heights(cube).min() == pytest.approx(0.5, abs=1e-2)


def test_friction_of_the_ground_goes_by_its_keys():
    cube = standing_box()
    cube.ves.linear_velocity = (3.0, 0.0, 0.0)
    key_scene("ground_friction", {1: 0.0, 13: 0.5})
    cube.ves.contact_friction = 0.5
    assert not baked_result().warnings
    speed = values(cube)["Velocity"][:, 0]
    assert speed[:12] == pytest.approx(3.0, abs=1e-3)
    assert speed[20] == pytest.approx(3.0 - 0.5 * G * 8 / 24.0, abs=0.05)


def test_a_ground_that_rises_as_a_slope_is_refused_by_name():
    standing_box()
    key_scene("ground_height", {1: 0.0, 30: 1.0}, "LINEAR")
    with pytest.raises(RuntimeError, match="the Height of the ground is keyed as a slope, but goes in steps only"):
        bpy.ops.ves.bake()


def geared_wheels(second: str = "REVOLUTE") -> tuple[bpy.types.Object, bpy.types.Object]:
    """Two wheels with a gear of -0.5, the first at 4 rad/s; returns its axle and the gear."""
    first, other = wheels(second)
    for wheel, mass in ((first, 2.0), (other, 3.0)):
        wheel.ves.mass_source, wheel.ves.mass = "GIVEN", mass
    axle = bpy.data.objects["axle 0"]
    axle.ves.use_speeds, axle.ves.speeds[0] = True, 4.0
    tie = part("tie", "GEAR" if second == "REVOLUTE" else "RACK")
    tie.ves.joint_a, tie.ves.joint_b = axle, bpy.data.objects["axle 1"]
    tie.ves.gear_ratio = tie.ves.pinion_radius = -0.5
    bpy.context.scene.gravity.z = 0.0
    frames(1, 30)
    return axle, tie


def inertias() -> tuple[float, float]:
    """kg m2 about Z."""
    return tuple(mass * 2.0 * side**2 / 12.0 for mass, side in ((2.0, 0.4 / np.sqrt(2.0)), (3.0, 0.8 / np.sqrt(2.0))))


def test_a_gear_ratio_goes_by_its_keys_and_no_wheel_jumps():
    axle, tie = geared_wheels()
    key(tie, "gear_ratio", {1: -0.5, 13: -2.0})
    (blow,) = baked_result().warnings
    assert "velocities changed at frame 13" in blow.text
    first, other = inertias()
    speed = np.radians(values(axle)["Angle Speed"][:, 0])
    assert speed[:12] == pytest.approx(4.0, abs=1e-6)
    assert speed[13:] == pytest.approx(4.0 * (first + other) / (first + 4.0 * other), abs=1e-6)
    angle = np.radians(values(bpy.data.objects["axle 1"])["Angle"][:, 0])
    assert np.abs(np.diff(angle)).max() < 2.0 * speed.max() / 24.0 + 1e-6


def test_a_gear_ratio_that_is_keyed_as_a_slope_is_a_stepless_gear_in_steps_which_is_said():
    """No energy is lost in the limit: (I1 + r^2 I2) w1^2 stays."""
    axle, tie = geared_wheels()
    key(tie, "gear_ratio", {1: -0.5, 30: -2.0}, slope=True)
    bpy.context.scene.ves.samples_per_frame = 8
    result = baked_result()
    slope, blows = (str(finding.text) for finding in result.warnings)
    assert slope.startswith("Ratio is keyed as a slope, but goes in steps")
    assert "velocities changed at frame 1.1, and 230 times more until frame 29.9, to fit the joints" in blows
    first, other = inertias()
    speed = np.radians(values(axle)["Angle Speed"][-1, 0])
    assert speed == pytest.approx(4.0 * np.sqrt((first + 0.25 * other) / (first + 4.0 * other)), rel=5e-3)


def test_a_radius_of_a_rack_goes_by_its_keys_and_one_of_nothing_is_refused_by_name():
    axle, tie = geared_wheels("PRISMATIC")
    key(tie, "pinion_radius", {1: -0.5, 13: -0.25})
    assert len(baked_result().warnings) == 1, "the blow"
    first, _ = inertias()
    speed = np.radians(values(axle)["Angle Speed"][:, 0])
    assert speed[13:] == pytest.approx(4.0 * (first + 0.5 * 0.25 * 3.0) / (first + 0.25**2 * 3.0), abs=1e-6)
    bpy.ops.ves.clear_bake()
    key(tie, "pinion_radius", {20: 0.0})
    with pytest.raises(RuntimeError, match="tie: has keys by which its Radius is 0"):
        bpy.ops.ves.bake()


def test_a_ratio_and_collide_are_turned_while_play_runs_and_the_run_is_kept():
    axle, tie = geared_wheels()
    driver = Driver()
    driver.go_on(6)
    tie.ves.gear_ratio = -2.0
    driver.go_on(6)
    driver.keep()
    assert [entry.settings for entry in bpy.context.scene.ves.recorded_actions] == ['{"ratio": -2.0}']
    found = values(axle)["Angle"][:, 0]
    bpy.ops.ves.clear_bake()
    tie.ves.gear_ratio = -0.5
    bpy.ops.ves.bake()
    assert (values(axle)["Angle"][: len(found), 0] == found).all(), "to the bit"


def test_play_lets_fall_what_collides_no_more():
    cube = standing_box()
    driver = Driver()
    driver.go_on(12)
    cube.ves.collide = False
    driver.go_on(12)
    assert [settings for _, _, settings in driver.done] == [{"collides": False}]
    driver.end()
    assert cube.ves.collide
