# SPDX-License-Identifier: GPL-3.0-or-later
"""Handles at the limits of joints: which value the mouse means, which handles there are, and the other side."""

from __future__ import annotations

import bpy
import pytest
from mathutils import Vector
from virtual_erector_set.operators.handles.limit_handles import MOST, drag_limit, handles
from virtual_erector_set.scene.parts.limit_lines import Stops, stops_of
from virtual_erector_set.scene.pose.drag_limits import limits_of, mirrored, twin_of, value_meant

from tests.blender import rigs
from tests.blender.making import select, with_role
from tests.blender.test_limit_lines import made

EYES = [(0.3, -0.2, 5.0), (4.0, 3.0, 2.0), (-1.0, 2.0, -4.0)]  # m: from where the arc is well seen


def stops(kind: str, lower: float, upper: float, travel: str = "") -> Stops:
    (found,) = stops_of(made(kind, lower, upper, travel))
    return found


@pytest.mark.parametrize("eye", EYES)
@pytest.mark.parametrize("value", [-2.5, -0.4, 0.0, 1.0, 3.0])
def test_the_mouse_over_an_arc_means_the_angle_there(eye: tuple, value: float) -> None:
    """Whatever the distance from the centre."""
    hinge = stops("REVOLUTE", -0.5, 1.0)
    for radius in (0.2, 1.0, 3.0):
        target = hinge.place + radius * (hinge.point(value) - hinge.place)
        assert value_meant(hinge, 0.9 * value, Vector(eye), target - Vector(eye)) == pytest.approx(value, abs=1e-5)


def test_a_turn_goes_on_beyond_half_a_turn() -> None:
    hinge, eye, value = stops("REVOLUTE", -0.5, 1.0), Vector(EYES[0]), 1.0
    for k in range(1, 14):
        value = value_meant(hinge, value, eye, hinge.point(1.0 + 0.5 * k) - eye)
    assert value == pytest.approx(7.5, abs=1e-5)


@pytest.mark.parametrize("value", [-1.3, -0.6, 0.2, 0.7])
def test_an_arc_seen_from_its_edge_is_dragged_along_itself(value: float) -> None:
    hinge = stops("REVOLUTE", -0.5, 1.0)
    eye = hinge.place + Vector((0.0, -6.0, 0.02))
    assert value_meant(hinge, value + 0.2, eye, hinge.point(value) - eye) == pytest.approx(value, abs=0.01)


def test_a_bar_is_dragged_along_itself() -> None:
    slider = stops("PRISMATIC", -0.5, 1.0, "_travel")
    for value in (-2.0, 0.3, 4.0):
        eye = Vector((3.0, -5.0, 1.0))
        assert value_meant(slider, 0.0, eye, slider.point(value) - eye) == pytest.approx(value, abs=1e-5)
    assert value_meant(slider, 0.4, Vector((0.5, 0.0, 9.0)), Vector((0.0, 0.0, -1.0))) == 0.4, "seen end on"


def test_a_limit_stops_at_the_other_one_and_counts_from_where_bodies_are_placed() -> None:
    scene, hinge = bpy.context.scene, made("REVOLUTE", -0.5, 1.0)
    hinge.ves.placed[0] = 0.25
    assert limits_of(hinge.ves, 0) == pytest.approx({"lower": -0.75, "upper": 0.75})
    drag_limit(scene, hinge, 0, "upper", 0.5)
    assert hinge.ves.upper_limit[0] == pytest.approx(0.75)
    drag_limit(scene, hinge, 0, "upper", -3.0)
    assert hinge.ves.upper_limit[0] == pytest.approx(-0.5)
    drag_limit(scene, hinge, 0, "lower", 3.0)
    assert hinge.ves.lower_limit[0] == pytest.approx(-0.5)


def test_what_is_drawn_has_handles_unless_there_are_too_many() -> None:
    hinge = made("REVOLUTE", -0.5, 1.0)
    select()
    assert handles(bpy.context) == []
    select(hinge)
    assert [(joint, each.coordinate, side) for joint, each, side in handles(bpy.context)] == [
        (hinge, 0, "lower"),
        (hinge, 0, "upper"),
    ]
    hinge.ves.use_lower_limit[0] = False
    assert [side for _, _, side in handles(bpy.context)] == ["upper"]
    copies = [hinge.copy() for _ in range(MOST)]
    for each in copies:
        bpy.context.scene.collection.objects.link(each)
    select(*copies[: MOST - 1], hinge)
    assert len(handles(bpy.context)) == MOST
    select(*copies, hinge)
    assert handles(bpy.context) == []


def test_both_sides_of_a_ragdoll_are_dragged_as_mirror_images() -> None:
    """Each limit of the left goes with that of the right whose arc is its reflection, whatever their frames are."""
    scene = bpy.context.scene
    rig = rigs.metarig()
    select(rig)
    bpy.context.view_layer.objects.active = rig
    assert bpy.ops.ves.ragdoll() == {"FINISHED"}
    bpy.context.view_layer.update()
    left = [ob for ob in with_role("JOINT") if ob.ves.body_b is not None and ".L" in ob.ves.body_b.name]
    assert len(left) > 5
    scene.ves.pose_mirror, dragged = True, 0
    for joint in left:
        twin = twin_of(joint, scene)
        assert twin is not None
        assert twin_of(twin, scene) == joint
        for each in list(stops_of(joint)):
            for side, value in limits_of(joint.ves, each.coordinate).items():
                found = mirrored(joint, twin, each.coordinate, side)
                assert found is not None
                drag_limit(scene, joint, each.coordinate, side, value + (0.05 if side == "upper" else -0.05))
                now, its = limits_of(joint.ves, each.coordinate)[side], limits_of(twin.ves, found[0])[found[1]]
                assert abs(its) == pytest.approx(abs(now), abs=1e-6)
                turn = rotation(each, now), rotation(list(stops_of(twin))[found[0]], its)
                image = Vector((turn[0].x, -turn[0].y, -turn[0].z))  # a rotation's vector under the mirror across X
                assert (image - turn[1]).length < 0.02 * max(1.0, abs(now))
                dragged += 1
    assert dragged > 10


def test_without_x_mirror_the_other_side_stays() -> None:
    scene, rig = bpy.context.scene, rigs.metarig()
    select(rig)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.ves.ragdoll()
    joint = next(ob for ob in with_role("JOINT") if ob.ves.body_b is not None and "forearm.L" in ob.ves.body_b.name)
    twin = twin_of(joint, scene)
    before = limits_of(twin.ves, 0)
    drag_limit(scene, joint, 0, "upper", 0.1)
    assert limits_of(twin.ves, 0) == before


def rotation(each: Stops, value: float) -> Vector:
    """A turn by the value, as a vector in the world."""
    return value * each.along
