# SPDX-License-Identifier: GPL-3.0-or-later
"""Empties of role FORCE as the mechanism gets them: their numbers, their tables, and how they move on their bodies."""

from __future__ import annotations

import math

import bpy
import numpy as np
import pytest
from mathutils import Quaternion
from virtual_erector_set.scene.bake.bake import run_to_end
from virtual_erector_set.scene.read.scene import read_mechanism, read_over_time
from virtual_erector_set.solver.mechanism import Brake, Drag, Force, Rubber, Support, Table

from tests.blender.linkages import body, part


def now() -> Force:
    """The only force of the scene."""
    (force,) = read_mechanism(bpy.context.scene, bpy.context.evaluated_depsgraph_get()).mechanism.forces
    return force


def over_time() -> Force:
    """The only force, its animation sampled; the solver finds nothing wrong with it."""
    mechanism = run_to_end(read_over_time(bpy.context.scene, bpy.context.view_layer)).mechanism
    assert mechanism.problems() == []
    (force,) = mechanism.forces
    return force


def force(kind: str, owner: bpy.types.Object, position=(0, 0, 0), **settings) -> bpy.types.Object:
    """An Empty that acts on `owner` and goes along with it."""
    empty = part(f"force {kind}", "FORCE", position)
    empty.parent, empty.matrix_parent_inverse = owner, owner.matrix_world.inverted()
    empty.ves.force_type, empty.ves.body_a = kind, owner
    for name, value in settings.items():
        setattr(empty.ves, name, value)
    bpy.context.view_layer.update()
    return empty


def test_a_support() -> None:
    foot = force("SUPPORT", body("a"), (1, 2, 3), support_stiffness=1000, support_damping=20, support_height=0.5,
                 support_friction=0.0, slope=50.0)  # fmt: skip
    found = now()
    assert isinstance(found, Support)
    assert found.point == pytest.approx((1, 2, 3))
    assert (found.stiffness, found.damping, found.height, found.friction, found.slope) == (1000, 20, 0.5, None, None)
    foot.ves.support_friction, foot.ves.use_slope = 0.5, True
    assert (now().friction, now().slope) == (0.5, 50.0)


def test_a_brake() -> None:
    pads = force("BRAKE", body("a"), (1, 0, 0), brake_damping=(1, 2, 3), max_force=40.0)
    pads.rotation_euler.z = math.pi
    bpy.context.view_layer.update()
    found = now()
    assert isinstance(found, Brake)
    assert (found.point, found.damping, found.max_force) == ((1, 0, 0), (1, 2, 3), None)
    np.testing.assert_allclose(np.abs(found.orientation), (0, 0, 0, 1), atol=1e-6)
    pads.ves.use_max_force = True
    assert now().max_force == 40.0


def test_rubber() -> None:
    a, b = body("a"), body("b", (4, 0, 0))
    band = force("RUBBER", a, body_b=b, point_b=(-1, 0, 0), spring_stiffness=7, spring_damping=0.5, restitution=0.25)
    found = now()
    assert isinstance(found, Rubber)
    assert (found.body_a, found.body_b, found.rest_length) == ("a", "b", pytest.approx(3.0))
    assert (found.stiffness, found.damping, found.restitution) == (7, 0.5, 0.25)
    band.ves.use_rest_length, band.ves.rest_length = True, 2.0
    assert now().rest_length == 2.0


def test_drag_by_area_or_by_coefficient() -> None:
    air = force("DRAG", body("a"), drag_area=2.0, drag_coefficient=0.25, wind=(1, 2, 3))
    found = now()
    assert isinstance(found, Drag)
    assert (found.area, found.coefficient, found.wind) == (2.0, None, (1, 2, 3))
    air.ves.drag_measure = "COEFFICIENT"
    assert (now().area, now().coefficient) == (None, 0.25)


NUMBERS = [
    ("SUPPORT", "support_stiffness", 0, "stiffness"), ("SUPPORT", "support_damping", 0, "damping"),
    ("SUPPORT", "support_height", 0, "height"), ("SUPPORT", "support_friction", 0, "friction"),
    ("SUPPORT", "support_static_friction", 0, "static_friction"),
    ("SUPPORT", "slope", 0, "slope"), ("BRAKE", "brake_damping", 1, "damping"), ("BRAKE", "max_force", 0, "max_force"),
    ("RUBBER", "spring_stiffness", 0, "stiffness"), ("RUBBER", "rest_length", 0, "rest_length"),
    ("RUBBER", "restitution", 0, "restitution"), ("EXPRESSION", "expression_b", 0, "b"),
    ("DRAG", "drag_area", 0, "area"), ("DRAG", "wind", 2, "wind"),
    ("MOTOR", "torque", 1, "torque"), ("DAMPING", "linear", 0, "linear"),
    ("GRAVITY", "acceleration", 0, "acceleration"),
]  # fmt: skip


@pytest.mark.parametrize("way", ["keyframes", "a driver alone", "a driver that follows another object"])
@pytest.mark.parametrize(("kind", "path", "index", "key"), NUMBERS, ids=lambda value: str(value))
def test_every_number_becomes_a_table(kind: str, path: str, index: int, key: str, way: str) -> None:
    """From 1 at frame 1 to 11 at frame 11, or as the frame counts."""
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, 11
    owner = force(kind, body("a"), to_world=True, use_rest_length=True, use_slope=True, use_max_force=True)
    is_vector = hasattr(getattr(owner.ves, path), "__len__")
    at = index if is_vector else -1
    if way == "keyframes":
        for frame in (1, 11):
            if is_vector:
                getattr(owner.ves, path)[index] = frame
            else:
                setattr(owner.ves, path, frame)
            owner.keyframe_insert(f"ves.{path}", index=at, frame=frame)
        for curve in owner.animation_data.action.layers[0].strips[0].channelbags[0].fcurves:
            curve.keyframe_points[0].interpolation = "LINEAR"
    elif way == "a driver alone":
        owner.driver_add(f"ves.{path}", at).driver.expression = "frame"
    else:
        slider = part("slider", "NONE")
        slider["pull"] = 1.0
        slider.driver_add('["pull"]').driver.expression = "frame"
        driver = owner.driver_add(f"ves.{path}", at).driver
        variable = driver.variables.new()
        variable.name, variable.targets[0].id, variable.targets[0].data_path = "pull", slider, '["pull"]'
        driver.expression = "pull"
    value = getattr(over_time(), key)
    table = value[index] if isinstance(value, tuple) else value
    assert isinstance(table, Table)
    np.testing.assert_allclose(table.times, np.arange(21) / 48.0)
    np.testing.assert_allclose(table.values, np.linspace(1.0, 11.0, 21), rtol=1e-6)


def test_a_maximum_that_is_not_used_and_no_friction_stay_out_of_the_tables() -> None:
    bpy.context.scene.frame_end = 5
    foot = force("SUPPORT", body("a"), support_friction=0.0)
    foot.keyframe_insert("ves.support_stiffness", frame=1)
    foot.ves.support_stiffness = 5.0
    foot.keyframe_insert("ves.support_stiffness", frame=5)
    found = over_time()
    assert isinstance(found.stiffness, Table)
    assert (found.friction, found.slope) == (None, None)


def steer(owner: bpy.types.Object, angles: dict[int, float]) -> None:
    """Keyframes that turn the Empty about Z."""
    for frame, angle in angles.items():
        owner.rotation_euler.z = angle
        owner.keyframe_insert("rotation_euler", frame=frame)
    bpy.context.scene.frame_set(1)


def column(numbers: tuple, count: int) -> np.ndarray:
    """Numbers and tables as an array (T, n)."""
    return np.array([n.values if isinstance(n, Table) else np.full(count, n) for n in numbers]).T


@pytest.mark.parametrize("kind", ["MOTOR", "BRAKE"])
@pytest.mark.parametrize("motion", ["DYNAMIC", "KEYED"])
def test_a_wheel_that_steers(kind: str, motion: str) -> None:
    """The car may be keyed, and drive: the wheel's frame is what it would be had the car stayed at the start."""
    bpy.context.scene.frame_end = 13
    car = body("car", (10, 20, 1), (4, 2, 1), motion)
    car.rotation_euler.z = 0.5
    bpy.context.view_layer.update()
    wheel = force(kind, car, (12, 21, 0.5), force=(100, 0, 0))
    if motion == "KEYED":
        for frame, place, turn in ((1, (10, 20, 1), 0.5), (13, (30, 25, 1), 2.5)):
            car.location, car.rotation_euler.z = place, turn
            car.keyframe_insert("location", frame=frame)
            car.keyframe_insert("rotation_euler", frame=frame)
    steer(wheel, {1: 0.0, 13: 0.8})
    assert all(isinstance(number, float) for number in now().orientation), "looking at one frame gives plain numbers"
    found = over_time()
    assert found.point == pytest.approx((12, 21, 0.5))
    assert [isinstance(number, Table) for number in found.orientation] == [True, False, False, True]
    turns = column(found.orientation, 25)
    np.testing.assert_allclose(np.linalg.norm(turns, axis=1), 1.0, atol=1e-6)
    np.testing.assert_allclose(turns[-1], (math.cos(0.4), 0, 0, math.sin(0.4)), atol=2e-6)
    np.testing.assert_allclose(turns[0], (1, 0, 0, 0), atol=2e-6)


def test_a_wheel_that_goes_round_keeps_its_signs_continuous() -> None:
    bpy.context.scene.frame_end = 25
    wheel = force("MOTOR", body("a"))
    steer(wheel, {1: 0.0, 25: 4.0 * math.pi})
    turns = column(over_time().orientation, 49)
    assert (np.einsum("ti,ti->t", turns[1:], turns[:-1]) > 0.9).all()


def test_a_foot_that_is_pushed_out() -> None:
    """By a driver on the Empty's own location, on a body that stands askew."""
    bpy.context.scene.frame_end = 11
    leg = body("leg", (0, 0, 2))
    leg.rotation_euler.x = 0.3
    bpy.context.view_layer.update()
    foot = force("SUPPORT", leg, (0, 0, 1))
    foot.driver_add("location", 2).driver.expression = "1 - 0.05 * (frame - 1)"
    point = over_time().point
    assert [isinstance(number, Table) for number in point] == [False, False, True]
    np.testing.assert_allclose(point[2].values, np.linspace(1.0, 0.5, 21), atol=1e-6)


def test_the_end_of_a_spring_that_is_reeled_in() -> None:
    bpy.context.scene.frame_end = 11
    crane = force("SPRING", body("a"), (0, 0, 1), to_world=True)
    for frame, x in ((1, 0.0), (11, 2.0)):
        crane.location.x = x
        crane.keyframe_insert("location", index=0, frame=frame)
    bpy.context.scene.frame_set(1)
    found = over_time()
    assert found.point_a[0].values[-1] == pytest.approx(2.0)
    assert found.point_a[1:] == pytest.approx((0.0, 1.0))


def test_an_arm_of_empties_between_the_body_and_the_force_may_move_it() -> None:
    bpy.context.scene.frame_end = 5
    car = body("car")
    knuckle = part("knuckle", "NONE", (1, 0, 0))
    knuckle.parent = car
    wheel = force("BRAKE", car, (1, 0, 0))
    wheel.parent, wheel.location = knuckle, (0.5, 0, 0)
    wheel.matrix_parent_inverse.identity()
    steer(knuckle, {1: 0.0, 5: 0.5 * math.pi})
    found = over_time()
    np.testing.assert_allclose(column(found.point, 9)[[0, -1]], [(1.5, 0, 0), (1, 0.5, 0)], atol=1e-6)
    last = Quaternion(column(found.orientation, 9)[-1])
    assert last.rotation_difference(Quaternion((0, 0, 1), 0.5 * math.pi)).angle < 1e-5


def test_what_rides_on_its_body_is_no_table() -> None:
    """A keyed car carries the Empty, and a constraint that holds the Empty to the car does not move it on the car."""
    bpy.context.scene.frame_end = 9
    car = body("car", (0, 0, 0), (4, 2, 1), "KEYED")
    wheel = force("MOTOR", car, (1, 0, 0))
    held = wheel.constraints.new("CHILD_OF")
    wheel.parent = None
    held.target = car
    for frame, x, turn in ((1, 0.0, 0.0), (9, 50.0, 1.0)):
        car.location.x, car.rotation_euler.z = x, turn
        car.keyframe_insert("location", frame=frame)
        car.keyframe_insert("rotation_euler", frame=frame)
    bpy.context.scene.frame_set(1)
    found = over_time()
    assert all(isinstance(number, float) for number in (*found.point, *found.orientation))
