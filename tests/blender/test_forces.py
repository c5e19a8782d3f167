# SPDX-License-Identifier: GPL-3.0-or-later
"""Forces on bodies and springs between them."""

from __future__ import annotations

import bpy
import pytest
from mathutils import Vector
from virtual_erector_set.scene.properties.force_types import FORCES

from tests.blender.making import box, mesh_object, select, with_role


def add(force_type: str, *objects: bpy.types.Object, **options: str) -> bpy.types.Object:
    select(*objects)
    assert bpy.ops.ves.add_force(type=force_type, **options) == {"FINISHED"}
    bpy.context.view_layer.update()
    return bpy.context.active_object


@pytest.mark.parametrize("force_type", ["GRAVITY", "DAMPING", "DRAG", "MOTOR", "BRAKE", "EXPRESSION"])
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


@pytest.mark.parametrize("size", [0.01, 1.0, 100.0])
def test_a_quarter_of_a_bodys_weight_sinks_a_new_support_by_a_few_per_cent_of_its_size(size: float) -> None:
    body = box("A", (0, 0, size), size=(size, size, size))
    body.ves.material = "STEEL"
    support = add("SUPPORT", body)
    assert (support.matrix_world.translation - Vector((0, 0, 0.5 * size))).length < 1e-5 * size, "under the body"
    settings, borne = support.ves, 0.25 * 7850.0 * size**3
    assert borne * 9.81 / settings.support_stiffness == pytest.approx(0.03 * size, rel=0.06)
    ratio = settings.support_damping / (2.0 * (settings.support_stiffness * borne) ** 0.5)
    assert 0.3 < ratio < 0.5
    assert (settings.support_height, settings.use_slope) == (0.0, False)
    creep = settings.support_friction * borne * 9.81 / settings.slope
    assert creep == pytest.approx(0.05 * (9.81 * size) ** 0.5, rel=0.06), "as fast as something of this size moves"


def test_supports_at_the_lower_corners() -> None:
    car = box("Car", (5, 0, 3), (4, 2, 1))
    car.rotation_euler.z = 0.5
    add("SUPPORT", car, location="CORNERS")
    wheels = with_role("FORCE")
    found = {tuple(round(x, 4) for x in car.matrix_world.inverted() @ wheel.matrix_world.translation)
             for wheel in wheels}  # fmt: skip
    assert found == {(x, y, -0.5) for x in (-2.0, 2.0) for y in (-1.0, 1.0)}
    assert bpy.context.selected_objects == wheels


@pytest.mark.parametrize(("sides", "supports"), [((4, 2, 1), 4), ((3, 0.2, 1), 4), ((1, 1, 1), 1), ((0.1, 0.1, 2), 1)])
def test_what_is_wider_than_high_stands_on_its_corners(sides: tuple[float, ...], supports: int) -> None:
    body = box("A", (0, 0, 1), sides)
    add("SUPPORT", body)
    assert len(with_role("FORCE")) == supports
    if supports == 1:
        assert (with_role("FORCE")[0].matrix_world.translation - Vector((0, 0, 1 - 0.5 * sides[2]))).length < 1e-6
    for support in with_role("FORCE"):
        bpy.data.objects.remove(support)
    add("SUPPORT", body, location="ORIGIN")
    assert len(with_role("FORCE")) == 1, "the choice is a person's"


def test_each_of_several_bodies_gets_the_supports_that_suit_it() -> None:
    add("SUPPORT", box("Car", (0, 0, 1), (4, 2, 1)), box("Pole", (9, 0, 1), (0.1, 0.1, 2)))
    assert sorted(support.ves.body_a.name for support in with_role("FORCE")) == ["Car"] * 4 + ["Pole"]


@pytest.mark.parametrize("location", ["AUTO", "ORIGIN"])
def test_a_tilted_car_comes_to_stand_on_new_supports_and_tumbles_on_one(location: str) -> None:
    car = box("Car", (0, 0, 0.5), (4, 2, 1))
    add("SUPPORT", car, location=location)
    car.rotation_euler.x = 0.05
    bpy.context.scene.frame_end = 48
    assert bpy.ops.ves.bake() == {"FINISHED"}
    bpy.context.scene.frame_set(48)
    assert (car.matrix_world.col[2].z > 0.9999) is (location == "AUTO")


@pytest.mark.parametrize("size", [0.01, 1.0, 100.0])
def test_a_new_brake_takes_a_second_or_so(size: float) -> None:
    body = box("A", size=(size, size, size))
    body.ves.material = "STEEL"
    brake = add("BRAKE", body)
    assert list(brake.ves.brake_damping) == pytest.approx([7850.0 * size**3] * 3, rel=0.06)
    assert not brake.ves.use_max_force


def test_the_area_of_drag_is_the_mean_silhouette() -> None:
    """Of all sides of a cube, that is 1.5 faces (Cauchy); of a sheet, half of one side."""
    assert add("DRAG", box("A", size=(2, 2, 2))).ves.drag_area == pytest.approx(6.0)
    sheet = mesh_object("S", [(0, 0, 0), (2, 0, 0), (2, 1, 0), (0, 1, 0)], faces=[(0, 1, 2, 3)])
    drag = add("DRAG", sheet)
    assert drag.ves.drag_area == pytest.approx(1.0)
    assert drag.ves.drag_coefficient == pytest.approx(0.6125, rel=0.06)


@pytest.mark.parametrize("force_type", list(FORCES))
def test_every_force_looks_like_what_it_is(force_type: str) -> None:
    force = add("MOTOR", box("A"))
    force.ves.force_type = force_type
    assert force.empty_display_type == FORCES[force_type].display
    assert add(force_type, box("B", (2, 0, 0))).empty_display_type == FORCES[force_type].display


def test_rubber_goes_from_body_to_body_as_a_spring_does() -> None:
    a, b = box("A"), box("B", (4, 0, 3))
    rubber = add("RUBBER", a, b)
    assert (rubber.name, rubber.ves.force_type) == ("Rubber A-B", "RUBBER")
    assert (ends_of(rubber)[1] - Vector((4, 0, 3))).length < 1e-5
    assert rubber.ves.rest_length == pytest.approx(5.0)
    assert rubber.ves.spring_stiffness > 0.0


def test_settings_of_a_force_are_copied_to_others() -> None:
    a, b = box("A"), box("B", (2, 0, 0))
    first, second = add("SUPPORT", a), add("BRAKE", b)
    first.ves.support_friction, first.ves.use_slope, first.ves.slope = 0.3, True, 123.0
    select(first, second)
    assert bpy.ops.ves.copy_settings() == {"FINISHED"}
    settings = second.ves
    assert (settings.force_type, settings.use_slope, settings.slope) == ("SUPPORT", True, 123.0)
    assert settings.support_friction == pytest.approx(0.3)
    assert settings.body_a == b


def test_undo_takes_back_the_supports() -> None:
    select(box("A"))
    bpy.ops.ed.undo_push(message="start")
    bpy.ops.ves.add_force("EXEC_DEFAULT", True, type="SUPPORT", location="CORNERS")
    assert len(with_role("FORCE")) == 4
    bpy.ops.ed.undo()
    assert with_role("FORCE") == with_role("BODY") == []


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
                 "motor_damping", "motor_max_force", "motor_speed", "motor_speed_travel", "path_time", "enabled",
                 "brake_damping", "max_force", "support_stiffness", "support_damping", "support_height",
                 "support_friction", "slope", "restitution", "drag_area", "drag_coefficient", "wind",
                 "stiffness", "damping", "friction", "rest", "rest_travel", "distance", "mass", "density",
                 "lower_limit", "upper_limit"):  # fmt: skip
        assert force.keyframe_insert(f"ves.{path}", frame=1), path
    for path in ("joint_type", "contact_shape", "role"):
        with pytest.raises(TypeError, match="not animatable"):
            force.keyframe_insert(f"ves.{path}", frame=1)
