# SPDX-License-Identifier: GPL-3.0-or-later
"""Forces, limits, motors and switches, set up in a scene and baked: the keyframes show the motion of the textbook."""

from __future__ import annotations

import itertools
import math

import bpy
import numpy as np
import pytest

from tests.blender.linkages import baked_result, body, chain, joint, part, world_matrices

MASS = 2.0
SPIN_INERTIA = MASS / 6.0  # of the cube, about an axis through its middle
FRAMES = 49
TIMES = np.arange(FRAMES) / 24.0
GRAVITY = 9.81


def cube(position=(0, 0, 0), velocity=(0, 0, 0), gravity: bool = False) -> bpy.types.Object:
    """A cube of 1 m and 2 kg that flies off with a velocity; two seconds are baked."""
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, FRAMES
    scene.frame_set(1)
    scene.use_gravity = gravity
    scene.gravity = (0, 0, -GRAVITY)
    ob = body("cube", position)
    ob.ves.mass_source, ob.ves.mass, ob.ves.linear_velocity = "GIVEN", MASS, velocity
    return ob


def force(kind: str, owner: bpy.types.Object, position=(0, 0, 0), **settings) -> bpy.types.Object:
    empty = part(kind, "FORCE", position)
    empty.parent, empty.matrix_parent_inverse = owner, owner.matrix_world.inverted()
    empty.ves.force_type, empty.ves.body_a, empty.ves.to_world = kind, owner, True
    for name, value in settings.items():
        setattr(empty.ves, name, value)
    bpy.context.view_layer.update()
    return empty


def places(owner: bpy.types.Object) -> np.ndarray:
    """Bake, and look where the object is at each frame (T, 3)."""
    result = baked_result()
    assert result.failure == ""
    return world_matrices(owner, range(1, FRAMES + 1))[:, :3, 3]


def angles(owner: bpy.types.Object) -> np.ndarray:
    """Bake, and look how far the object has turned about Z at each frame (T,)."""
    assert baked_result().failure == ""
    matrices = world_matrices(owner, range(1, FRAMES + 1))
    return np.unwrap(np.arctan2(matrices[:, 1, 0], matrices[:, 0, 0]))


def switch(owner: bpy.types.Object, states: dict[int, bool]) -> None:
    for frame, is_on in states.items():
        owner.ves.enabled = is_on
        owner.keyframe_insert("ves.enabled", frame=frame)
    bpy.context.scene.frame_set(1)


def held_level(owner: bpy.types.Object) -> None:
    level = part("level", "ORIENTATION")
    level.ves.body_a = owner


def test_a_body_comes_to_rest_on_its_supports_as_deep_as_they_are_soft() -> None:
    owner = cube((0, 0, 0.52), gravity=True)
    for x in (-0.5, 0.5):
        for y in (-0.5, 0.5):
            force("SUPPORT", owner, (x, y, 0.02), support_stiffness=200.0, support_damping=15.0)
    found = places(owner)
    assert found[-1] == pytest.approx((0, 0, 0.5 - MASS * GRAVITY / 800.0), abs=1e-4)
    assert found[:, 2].min() < found[-1, 2], "it swings in"


def test_a_support_never_pulls() -> None:
    """Thrown up from below the ground, it flies freely once it has left it."""
    owner = cube((0, 0, 0.4), gravity=True)
    held_level(owner)
    force("SUPPORT", owner, (0, 0, -0.1), support_stiffness=2000.0, support_damping=0.0)
    z = places(owner)[:, 2]
    energy = 0.5 * 2000.0 * 0.1**2 - MASS * GRAVITY * 0.1
    assert z.max() == pytest.approx(0.5 + energy / (MASS * GRAVITY), abs=4e-3)


def test_friction_brings_a_sliding_body_to_rest() -> None:
    """From v it slides for v / (mu g) and v^2 / (2 mu g); the steep default slope takes hardly anything off."""
    sinking = MASS * GRAVITY / 2000.0
    owner = cube((0, 0, 0.5 - sinking), (3.0, 0, 0), gravity=True)
    held_level(owner)
    force("SUPPORT", owner, (0, 0, -sinking), support_stiffness=2000.0, support_damping=50.0, support_friction=0.4)
    x = places(owner)[:, 0]
    t = np.minimum(TIMES, 3.0 / (0.4 * GRAVITY))
    np.testing.assert_allclose(x, 3.0 * t - 0.5 * 0.4 * GRAVITY * t * t, atol=0.02)


def test_a_gentle_slope_lets_it_creep() -> None:
    """While friction x weight is not reached, the force is slope x speed: the speed decays exponentially."""
    sinking = MASS * GRAVITY / 2000.0
    owner = cube((0, 0, 0.5 - sinking), (0.5, 0, 0), gravity=True)
    held_level(owner)
    force("SUPPORT", owner, (0, 0, -sinking), support_stiffness=2000.0, support_damping=50.0,
          support_friction=0.8, use_slope=True, slope=4.0)  # fmt: skip
    x = places(owner)[:, 0]
    np.testing.assert_allclose(x[-1], 0.5 * MASS / 4.0 * (1.0 - math.exp(-4.0 * TIMES[-1] / MASS)), rtol=0.05)


def test_a_brake_slows_down_along_its_own_axes() -> None:
    """Its X axis lies along the world's Y: it acts on that part of the velocity only."""
    owner = cube((0, 0, 0), (2.0, 2.0, 0))
    pads = force("BRAKE", owner, brake_damping=(4.0, 0.0, 0.0))
    pads.rotation_euler.z = 0.5 * math.pi
    found = places(owner)
    np.testing.assert_allclose(found[:, 0], 2.0 * TIMES, atol=1e-4)
    np.testing.assert_allclose(found[:, 1], MASS / 4.0 * 2.0 * (1.0 - np.exp(-4.0 * TIMES / MASS)), atol=1e-4)


def test_a_brake_with_a_maximum_slows_down_steadily() -> None:
    owner = cube((0, 0, 0), (3.0, 0, 0))
    force("BRAKE", owner, brake_damping=(1000.0, 1000.0, 1000.0), use_max_force=True, max_force=4.0)
    t = np.minimum(TIMES, 3.0 * MASS / 4.0)
    np.testing.assert_allclose(places(owner)[:, 0], 3.0 * t - 0.5 * 4.0 / MASS * t * t, atol=0.01)


def test_rubber_is_slack_before_it_pulls() -> None:
    owner = cube((1.0, 0, 0), (2.0, 0, 0))
    force("RUBBER", owner, (1.0, 0, 0), point_b=(0, 0, 0), spring_stiffness=50.0, spring_damping=0.0,
          use_rest_length=True, rest_length=2.0, restitution=1.0)  # fmt: skip
    pulse, taut = math.sqrt(50.0 / MASS), 0.5
    slack = taut + math.pi / pulse
    t = TIMES
    swinging = 2.0 + 2.0 / pulse * np.sin(pulse * (t - taut))
    expected = np.where(t < taut, 1.0 + 2.0 * t, np.where(t < slack, swinging, 2.0 - 2.0 * (t - slack)))
    np.testing.assert_allclose(places(owner)[:, 0], expected, atol=2e-3)


def test_rubber_gives_back_what_its_restitution_says() -> None:
    """The pull while the ends approach is scaled, and with it the energy that comes back."""
    owner = cube((2.0, 0, 0), (2.0, 0, 0))
    force("RUBBER", owner, (2.0, 0, 0), point_b=(0, 0, 0), spring_stiffness=200.0, spring_damping=0.0,
          use_rest_length=True, rest_length=2.0, restitution=0.25)  # fmt: skip
    x = places(owner)[:, 0]
    before = x[(x < 2.0) & (np.gradient(x) < 0.0)]
    assert np.diff(before)[0] * 24.0 == pytest.approx(-1.0, rel=0.05)


@pytest.mark.parametrize(
    ("measure", "coefficient"), [({"drag_measure": "COEFFICIENT", "drag_coefficient": 0.5}, 0.5),
                                 ({"drag_measure": "AREA", "drag_area": 2.0}, 1.225)]
)  # fmt: skip
def test_drag_grows_with_the_square_of_the_speed_through_the_wind(measure: dict, coefficient: float) -> None:
    owner = cube((0, 0, 0), (5.0, 0, 0))
    force("DRAG", owner, wind=(-3.0, 0, 0), **measure)
    rate = coefficient * 8.0 / MASS
    np.testing.assert_allclose(
        places(owner)[:, 0], MASS / coefficient * np.log(1.0 + rate * TIMES) - 3.0 * TIMES, atol=1e-3
    )


def test_a_motor_that_steers_by_keyframes() -> None:
    """Its Empty turns steadily on a body that does not: the force goes round."""
    owner = cube()
    jet = force("MOTOR", owner, force=(6.0, 0, 0))
    for frame, angle in ((1, 0.0), (FRAMES, math.pi)):
        jet.rotation_euler.z = angle
        jet.keyframe_insert("rotation_euler", index=2, frame=frame)
    for curve in jet.animation_data.action.layers[0].strips[0].channelbags[0].fcurves:
        curve.keyframe_points[0].interpolation = "LINEAR"
    rate = math.pi / TIMES[-1]
    turned = rate * TIMES
    found = places(owner)
    np.testing.assert_allclose(found[:, 0], 3.0 / rate**2 * (1.0 - np.cos(turned)), atol=2e-3)
    np.testing.assert_allclose(found[:, 1], 3.0 / rate**2 * (turned - np.sin(turned)), atol=2e-3)


def test_a_motor_that_is_switched_on_and_off() -> None:
    owner = cube()
    switch(force("MOTOR", owner, force=(6.0, 0, 0)), {1: False, 13: True, 25: False})
    t = np.clip(TIMES - 0.5, 0.0, 0.5)
    expected = 1.5 * t * t + 1.5 * np.maximum(TIMES - 1.0, 0.0)
    np.testing.assert_allclose(places(owner)[:, 0], expected, atol=1e-5)


@pytest.mark.parametrize("by", ["NAIL", "JOINT"])
def test_what_hangs_falls_once_it_is_let_go(by: str) -> None:
    owner = cube(gravity=True)
    if by == "NAIL":
        pin = part("pin", "NAIL", (0, 0, 0))
        pin.ves.body_a = owner
    else:
        pin = joint("pin", (0, 0, 0), None, owner)
    switch(pin, {1: True, 13: False})
    t = np.maximum(TIMES - 0.5, 0.0)
    np.testing.assert_allclose(places(owner)[:, 2], -0.5 * GRAVITY * t * t, atol=1e-4)


def axle(owner: bpy.types.Object) -> bpy.types.PropertyGroup:
    return joint("axle", (0, 0, 0), None, owner, "REVOLUTE").ves


def test_dry_friction_stops_a_wheel_at_last() -> None:
    owner = cube()
    settings = axle(owner)
    settings.use_speeds, settings.speeds[0], settings.friction[0] = True, 3.0, 0.8
    slowing = 0.8 / SPIN_INERTIA
    t = np.minimum(TIMES, 3.0 / slowing)
    np.testing.assert_allclose(angles(owner), 3.0 * t - 0.5 * slowing * t * t, atol=5e-3)


def test_a_speed_motor_reaches_its_speed_as_fast_as_its_maximum_allows() -> None:
    owner = cube()
    settings = axle(owner)
    settings.motor_mode, settings.motor_speed[0] = "SPEED", 2.0
    settings.use_motor_max_force, settings.motor_max_force[0] = True, 1.0
    rate = 1.0 / SPIN_INERTIA
    t = np.minimum(TIMES, 2.0 / rate)
    np.testing.assert_allclose(angles(owner), 0.5 * rate * t * t + 2.0 * (TIMES - t), atol=5e-3)


def test_a_pendulum_comes_to_rest_on_its_limit() -> None:
    """It would hang at -90 degrees."""
    owner = cube((2, 0, 0), gravity=True)
    pivot = joint("pivot", (0, 0, 0), None, owner, "REVOLUTE")
    pivot.rotation_euler.x = 0.5 * math.pi
    pivot.ves.damping[0] = 20.0
    pivot.ves.use_lower_limit[0], pivot.ves.lower_limit[0] = True, -0.5
    found = places(owner)
    angle = np.arctan2(found[:, 2], found[:, 0])
    assert angle.min() > -0.5 - 5e-3
    assert angle[-1] == pytest.approx(-0.5, abs=5e-3)


def test_an_arm_of_hard_hinges_costs_no_more_than_a_soft_one() -> None:
    """Five bars with springs of 1e5 N m/rad and dampers of 1e4 took 29 million evaluations; the bake says why not."""
    rods = chain(5, FRAMES)
    for number, rod in enumerate(rods):
        rod.ves.mass_source, rod.ves.mass = "GIVEN", 1.0
        hinge = bpy.data.objects[f"joint {number}"]
        hinge.ves.joint_type, hinge.rotation_euler.x = "REVOLUTE", -0.5 * math.pi
        if number:
            hinge.ves.stiffness = [1e5] * len(hinge.ves.stiffness)
            hinge.ves.damping = [1e4] * len(hinge.ves.damping)
    bpy.context.view_layer.update()
    result = baked_result()
    assert result.failure == ""
    assert result.evaluations < 5000
    assert any("implicit steps" in str(note) for note in result.notes + result.warnings)
    last = [world_matrices(rod, [FRAMES])[0] for rod in rods]
    bends = [np.arccos(np.clip(a[:3, 0] @ b[:3, 0], -1, 1)) for a, b in itertools.pairwise(last)]
    assert max(bends) < 2e-3
