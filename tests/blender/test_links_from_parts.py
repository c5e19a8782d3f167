# SPDX-License-Identifier: GPL-3.0-or-later
"""Links from Parts: pins and holes of meshes are found, and give hinges; what has none is named."""

from __future__ import annotations

import math

import bpy
import numpy as np
import pytest
from mathutils import Euler, Matrix, Vector
from virtual_erector_set.scene.links.parts import rounds_of

from tests.blender.making import box, reports, select, with_role

TILT = Euler((0.4, -0.3, 1.1)).to_matrix().to_4x4()


def cylinder(name: str, place, radius: float, length: float, vertices: int = 24) -> bpy.types.Object:
    """Along Z."""
    bpy.ops.mesh.primitive_cylinder_add(vertices=vertices, radius=radius, depth=length, location=place)
    bpy.context.object.name = name
    return bpy.context.object


def boolean(ob: bpy.types.Object, other: bpy.types.Object, operation: str) -> None:
    """Apply a Boolean modifier, and remove the other object."""
    modifier = ob.modifiers.new("cut", "BOOLEAN")
    modifier.operation, modifier.object, modifier.solver = operation, other, "EXACT"
    select(ob)
    bpy.ops.object.modifier_apply(modifier="cut")
    bpy.data.objects.remove(other)


def plate(name: str, ends, z: float, holes=(), pins=(), radius: float = 0.06) -> bpy.types.Object:
    """A flat bar in the XY plane between two places, with holes, and with pins that reach up one thickness."""
    a, b = (np.array(end, float) for end in ends)
    length = float(np.hypot(*(b - a)))
    bar = box(name, (*(0.5 * (a + b)), z), (length + 0.4, 0.3, 0.1))
    bar.rotation_euler.z = math.atan2(*(b - a)[::-1])
    bpy.context.view_layer.update()
    for place in holes:
        boolean(bar, cylinder("tool", (*place, z), 1.02 * radius, 0.4), "DIFFERENCE")
    for place in pins:
        boolean(bar, cylinder("tool", (*place, z + 0.1), radius, 0.2 + 1e-3), "UNION")
    return bar


FOUR = {"O": (0.0, 0.0), "A": (0.2, 0.9), "B": (2.9, 1.9), "C": (3.2, 0.0)}


def four_bar() -> list[bpy.types.Object]:
    """Base, crank, rocker and coupler of modelled parts, all turned and moved somewhere."""
    base = plate("base", (FOUR["O"], FOUR["C"]), 0.0, pins=(FOUR["O"], FOUR["C"]))
    crank = plate("crank", (FOUR["O"], FOUR["A"]), 0.12, (FOUR["O"],), (FOUR["A"],))
    rocker = plate("rocker", (FOUR["C"], FOUR["B"]), 0.12, (FOUR["C"],), (FOUR["B"],))
    coupler = plate("coupler", (FOUR["A"], FOUR["B"]), 0.24, (FOUR["A"], FOUR["B"]))
    parts = [base, crank, rocker, coupler]
    for part in parts:
        part.matrix_world = Matrix.Translation((1.0, 2.0, 3.0)) @ TILT @ part.matrix_world
    bpy.context.view_layer.update()
    return parts


def pairs() -> set[tuple[str, str, str]]:
    return {(j.ves.joint_type, *sorted((j.ves.body_a.name, j.ves.body_b.name))) for j in with_role("JOINT")}


def test_a_four_bar_of_modelled_parts_gets_its_hinges_and_goes_live() -> None:
    parts = four_bar()
    select(*parts)
    assert bpy.ops.ves.links_from_parts() == {"FINISHED"}
    assert pairs() == {
        ("REVOLUTE", "base", "crank"),
        ("REVOLUTE", "base", "rocker"),
        ("REVOLUTE", "coupler", "crank"),
        ("REVOLUTE", "coupler", "rocker"),
    }
    assert [part.ves.motion for part in parts] == ["FIXED", "DYNAMIC", "DYNAMIC", "DYNAMIC"]
    axis = TILT.to_3x3() @ Vector((0.0, 0.0, 1.0))
    for joint in with_role("JOINT"):
        along = joint.matrix_world.to_3x3().col[2].normalized()
        assert abs(along.dot(axis)) == pytest.approx(1.0, abs=1e-6)
        names = {joint.ves.body_a.name, joint.ves.body_b.name}
        (place,) = [
            FOUR[k]
            for k, pair in {"O": {"base", "crank"}, "C": {"base", "rocker"}, "A": {"crank", "coupler"}}.items()
            if pair == names
        ] or [FOUR["B"]]
        at = (Matrix.Translation((1.0, 2.0, 3.0)) @ TILT).inverted() @ joint.matrix_world.translation
        np.testing.assert_allclose(at[:2], place, atol=5e-5)
    crank = next(j for j in with_role("JOINT") if {j.ves.body_a, j.ves.body_b} == set(parts[:2]))
    crank.ves.is_drive = True
    select()
    assert bpy.ops.ves.make_live() == {"FINISHED"}
    assert bpy.context.scene.ves.live_mobility == "1 linkage of 3 moving bodies: 1 freedom, driven by 1 joint"
    crank.ves.drive_angle = 0.5
    bpy.context.view_layer.update()
    assert bpy.context.scene.ves.live_status == ""


@pytest.mark.parametrize("kind", ["PISTON", "PEAUCELLIER"])
def test_bars_of_an_example_get_the_hinges_that_they_had(kind: str) -> None:
    """Their pins meet round ends. Hinges on the world are no pair, and nor are sliders."""
    bpy.ops.ves.add_example(kind=kind)
    bpy.context.view_layer.update()
    had = pairs_of_hinges()
    bodies = with_role("BODY")
    for joint in with_role("JOINT"):
        bpy.data.objects.remove(joint)
    for body in bodies:
        body.ves.role = "NONE"
    select(*bodies)
    assert bpy.ops.ves.links_from_parts(ground="NONE") == {"FINISHED"}
    assert pairs_of_hinges() == had
    assert not [joint for joint in with_role("JOINT") if joint.ves.joint_type != "REVOLUTE"]


def pairs_of_hinges() -> set[frozenset]:
    """Bodies that turn on each other about one axis, directly or through others, with the rounded place."""
    groups: dict[tuple, set] = {}
    for joint in with_role("JOINT"):
        if joint.ves.joint_type == "REVOLUTE" and joint.ves.body_a is not None:
            x, _, z = joint.matrix_world.translation
            groups.setdefault((round(x, 3), round(z, 3)), set()).update({joint.ves.body_a.name, joint.ves.body_b.name})
    return {frozenset({place, *bodies}) for place, bodies in groups.items()}


def test_a_loose_pin_through_two_plates_is_welded_to_one() -> None:
    first = plate("first", ((0, 0), (2, 0)), 0.0, holes=((0, 0),))
    second = plate("second", ((0, 0), (0, 2)), 0.12, holes=((0, 0),))
    pin = cylinder("pin", (0.0, 0.0, 0.06), 0.06, 0.3)
    select(first, second, pin)
    assert bpy.ops.ves.links_from_parts() == {"FINISHED"}
    assert pairs() == {("REVOLUTE", "first", "second"), ("FIXED", "first", "pin")}


def test_two_plates_with_two_bolts_are_welded_and_named(capfd: pytest.CaptureFixture) -> None:
    first = plate("first", ((0, 0), (2, 0)), 0.0, pins=((0, 0), (2, 0)))
    second = plate("second", ((0, 0), (2, 0)), 0.12, holes=((0, 0), (2, 0)))
    select(first, second)
    assert bpy.ops.ves.links_from_parts() == {"FINISHED"}
    assert pairs() == {("FIXED", "first", "second")}
    assert "first and second have two axes in common" in reports(capfd)


def test_what_has_no_axis_is_named_with_what_it_touches(capfd: pytest.CaptureFixture) -> None:
    base = plate("base", ((0, 0), (2, 0)), 0.0, pins=((0, 0),))
    arm = plate("arm", ((0, 0), (0, 2)), 0.12, holes=((0, 0),))
    lamp = box("lamp", (2.0, 0.0, 0.15), (0.2, 0.2, 0.2))
    far = box("far", (9.0, 0.0, 0.0))
    select(base, arm, lamp, far)
    assert bpy.ops.ves.links_from_parts() == {"FINISHED"}
    assert pairs() == {("REVOLUTE", "arm", "base")}
    said = reports(capfd)
    assert "lamp has no pin or hole on one axis with another part; it touches base:" in said
    assert "far has no pin or hole on one axis with another part; it touches nothing:" in said


def test_without_any_axis_nothing_is_made() -> None:
    select(box("a"), box("b", (1.0, 0.0, 0.0)))
    with pytest.raises(RuntimeError, match="No two of the selected parts"):
        bpy.ops.ves.links_from_parts()
    assert not with_role("BODY")
    assert not with_role("JOINT")


@pytest.mark.parametrize("shape", ["uv_sphere", "ico_sphere", "torus", "cone", "cube", "monkey"])
def test_what_is_no_cylinder_has_no_rounds(shape: str) -> None:
    getattr(bpy.ops.mesh, f"primitive_{shape}_add")()
    assert rounds_of(bpy.context.object, bpy.context.evaluated_depsgraph_get()) == []


@pytest.mark.parametrize(
    ("vertices", "modifier"), [(8, None), (32, None), (8, "TRIANGULATE"), (32, "TRIANGULATE"), (32, "BEVEL")]
)
def test_a_cylinder_has_its_axis_radius_and_length(vertices: int, modifier: str | None) -> None:
    ob = cylinder("pin", (0.0, 0.0, 0.0), 0.2, 1.0, vertices)
    if modifier:
        ob.modifiers.new("m", modifier)
        if modifier == "BEVEL":
            ob.modifiers["m"].width = 0.01
    ob.matrix_world = Matrix.Translation((1.0, 2.0, 3.0)) @ TILT @ Matrix.Scale(2.0, 4)
    bpy.context.view_layer.update()
    (found,) = rounds_of(ob, bpy.context.evaluated_depsgraph_get())
    assert not found.is_hole
    assert found.turn == pytest.approx(2.0 * math.pi, abs=1e-3)
    np.testing.assert_allclose(found.place, (1.0, 2.0, 3.0), atol=1e-5)
    np.testing.assert_allclose(np.abs(found.axis @ np.array(TILT.to_3x3().col[2])), 1.0, atol=1e-6)
    assert found.radius == pytest.approx(0.4, rel=1e-4)
    assert found.length == pytest.approx(2.0 if modifier != "BEVEL" else 1.96, rel=1e-3)


def test_a_mirrored_hole_is_still_a_hole() -> None:
    ob = plate("plate", ((0, 0), (1, 0)), 0.0, holes=((0, 0),))
    ob.scale.x = -1.0
    bpy.context.view_layer.update()
    (found,) = rounds_of(ob, bpy.context.evaluated_depsgraph_get())
    assert found.is_hole


def test_a_mesh_of_too_many_faces_is_named() -> None:
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=120, y_subdivisions=120)
    bpy.context.object.name = "terrain"
    select(bpy.context.object, box("b"))
    with pytest.raises(RuntimeError, match=r"terrain.* 14400 faces"):
        bpy.ops.ves.links_from_parts()
