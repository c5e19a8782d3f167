# SPDX-License-Identifier: GPL-3.0-or-later
"""Forces on bodies and springs between them."""

from __future__ import annotations

import bpy
import pytest
from mathutils import Vector

from tests.blender.making import box, select, with_role


def add(force_type: str, *objects: bpy.types.Object, **options: str) -> bpy.types.Object:
    select(*objects)
    assert bpy.ops.ves.add_force(type=force_type, **options) == {"FINISHED"}
    bpy.context.view_layer.update()
    return bpy.context.active_object


@pytest.mark.parametrize("force_type", ["GRAVITY", "DAMPING", "MOTOR"])
def test_one_force_for_each_body(force_type: str) -> None:
    bodies = [box(f"B{k}", (2 * k, 0, 0)) for k in range(3)]
    add(force_type, *bodies)
    forces = with_role("FORCE")
    assert [force.ves.body_a for force in forces] == bodies
    assert {force.ves.force_type for force in forces} == {force_type}
    assert [force.parent for force in forces] == bodies
    for force, body in zip(forces, bodies, strict=True):
        assert (force.matrix_world.translation - body.location).length < 1e-6


@pytest.mark.parametrize("size", [0.01, 1.0, 100.0])
def test_a_new_motor_carries_about_the_weight_of_its_body(size: float) -> None:
    body = box("A", size=(size, size, size))
    body.ves.material = "STEEL"
    motor = add("MOTOR", body)
    weight = 7850.0 * size**3 * 9.81
    assert motor.ves.force[2] == pytest.approx(weight, rel=0.06)
    assert tuple(motor.ves.torque) == (0.0, 0.0, 0.0)


def test_a_motor_at_the_cursor_along_an_axis() -> None:
    bpy.context.scene.cursor.location = (1, 2, 3)
    motor = add("MOTOR", box("A"), location="CURSOR", axis="X")
    assert (motor.matrix_world.translation - Vector((1, 2, 3))).length < 1e-6
    assert (motor.matrix_world.to_3x3().col[2] - Vector((1, 0, 0))).length < 1e-6


def ends_of(spring: bpy.types.Object) -> tuple[Vector, Vector]:
    other = spring.ves.body_b
    point = spring.ves.point_b
    return spring.matrix_world.translation, other.matrix_world @ point if other else point


@pytest.mark.parametrize(
    ("location", "ends"),
    [
        ("ORIGIN", ((0, 0, 0), (4, 0, 3))),
        ("NEAREST", ((0.5, 0, 0.5), (3.5, 0, 2.5))),
        ("CURSOR", ((0, 0, 3), (3.5, 0, 3))),
    ],
)
def test_a_spring_between_two_bodies(location: str, ends: tuple) -> None:
    a, b = box("A"), box("B", (4, 0, 3))
    b.scale = (1, 2, 1)
    bpy.context.scene.cursor.location = (0, 0, 3)
    spring = add("SPRING", a, b, location=location)
    assert (spring.name, spring.ves.body_a, spring.ves.body_b) == ("Spring A-B", a, b)
    assert not spring.ves.to_world
    for found, expected in zip(ends_of(spring), ends, strict=True):
        assert (found - Vector(expected)).length < 1e-5
    length = (Vector(ends[1]) - Vector(ends[0])).length
    assert not spring.ves.use_rest_length
    assert spring.ves.rest_length == pytest.approx(length, rel=1e-6)
    assert spring.empty_display_size == pytest.approx(length, rel=1e-6)
    arrow = spring.matrix_world.to_3x3().col[2]
    assert (length * arrow - (Vector(ends[1]) - Vector(ends[0]))).length < 1e-5, "the arrow goes from end to end"


def test_a_spring_to_the_world_ends_at_the_cursor() -> None:
    bpy.context.scene.cursor.location = (0, 0, 5)
    spring = add("SPRING", box("A"))
    assert (spring.ves.body_b, spring.ves.to_world) == (None, True)
    assert (ends_of(spring)[1] - Vector((0, 0, 5))).length < 1e-6


def test_ends_that_would_coincide_are_set_apart() -> None:
    """Two boxes that touch have no distance at their nearest points."""
    spring = add("SPRING", box("A"), box("B", (1, 0, 0)), location="NEAREST")
    start, end = ends_of(spring)
    assert (end - start).length == pytest.approx(1.0, rel=1e-6)


def test_the_far_end_of_a_copied_spring_belongs_to_the_copy() -> None:
    a, b = box("A"), box("B", (4, 0, 3))
    spring = add("SPRING", a, b)
    select(a, b, spring)
    bpy.ops.object.duplicate()
    copy = next(force for force in with_role("FORCE") if force != spring)
    copy.ves.body_b.location.z += 2.0
    bpy.context.view_layer.update()
    assert (ends_of(copy)[1] - Vector((4, 0, 5))).length < 1e-6
    assert (ends_of(spring)[1] - Vector((4, 0, 3))).length < 1e-6


def test_the_numbers_that_may_change_over_time_can_be_animated() -> None:
    force = add("MOTOR", box("A"))
    for path in ("force", "torque", "acceleration", "linear", "angular", "spring_stiffness", "spring_damping",
                 "rest_length", "motor_value", "motor_target", "motor_target_travel", "motor_stiffness",
                 "motor_damping", "motor_max_force", "path_time"):  # fmt: skip
        assert force.keyframe_insert(f"ves.{path}", frame=1), path
    for path in ("mass", "joint_type", "stiffness"):
        with pytest.raises(TypeError, match="not animatable"):
            force.keyframe_insert(f"ves.{path}", frame=1)
