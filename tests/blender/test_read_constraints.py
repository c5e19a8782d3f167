# SPDX-License-Identifier: GPL-3.0-or-later
"""Nails, kept orientations, ties, rods, paths and beads as the solver gets them, and what is said about wrong ones."""

import bpy
import numpy as np
import pytest
from mathutils import Matrix, Quaternion
from virtual_erector_set.scene.bake.bake import run_to_end
from virtual_erector_set.scene.findings import SceneError
from virtual_erector_set.scene.read.joints import read_child_frames
from virtual_erector_set.scene.read.reading import Reading
from virtual_erector_set.scene.read.scene import read_mechanism, read_over_time
from virtual_erector_set.solver.model.closures import curve_pieces

from tests.blender.linkages import body, joint, part
from tests.blender.making import curve_object, empty


def sampled() -> list:
    """The constraints over time."""
    return run_to_end(read_over_time(bpy.context.scene, bpy.context.view_layer)).mechanism.constraints


def now() -> Reading:
    bpy.context.view_layer.update()
    return read_mechanism(bpy.context.scene, bpy.context.evaluated_depsgraph_get())


def constraint(role: str, position=(0, 0, 0), a: bpy.types.Object | None = None) -> bpy.types.Object:
    ob = part(role.lower(), role, position)
    ob.ves.body_a = a
    return ob


def assert_refused(*words: str) -> None:
    with pytest.raises(SceneError) as raised:
        sampled()
    text = str(raised.value)
    assert all(word in text for word in words), text


def test_a_nail_holds_the_point_of_its_empty():
    constraint("NAIL", (1, 2, 3), body("a"))
    reading = now()
    (found,) = reading.mechanism.constraints
    assert (found.type, found.name, found.body, found.point) == ("nail", "nail", "a", (1, 2, 3))
    assert reading.mechanism.joints == []
    assert [one.name for one in reading.mechanism.bodies] == ["a"]


def test_a_kept_orientation():
    constraint("ORIENTATION", (1, 2, 3), body("a"))
    (found,) = now().mechanism.constraints
    assert (found.type, found.name, found.body) == ("orientation", "orientation", "a")


@pytest.mark.parametrize("role", ["NAIL", "ORIENTATION", "PATH", "BEAD"])
def test_only_a_dynamic_body_can_be_held(role):
    constraint(role)
    assert_refused(role.lower(), "choose its body")
    bpy.data.objects[role.lower()].ves.body_a = body("a", motion="FIXED")
    assert_refused(role.lower(), "a", "only a dynamic body")


@pytest.mark.parametrize(
    "role", ["NAIL", "ORIENTATION", "POINT_TO_POINT", "DISTANCE", "PATH", "BEAD", "GEAR", "RACK", "PULLEY", "ROPE"]
)
def test_a_switched_off_constraint_is_not_read(role):
    body("a")
    constraint(role).ves.enabled = False
    assert now().mechanism.constraints == []


def tie(role: str, a_point, b_point, b: bpy.types.Object | None) -> bpy.types.Object:
    """A tie of a body "a" at the origin, with a mark on the other body or in the world."""
    ob = constraint(role, a_point, body("a"))
    ob.ves.body_b, ob.ves.to_world = b, b is None
    mark = empty("mark")
    mark.location, mark.parent = b_point, b
    if b is not None:
        mark.matrix_parent_inverse = Matrix.Translation(b.location).inverted()
    ob.ves.anchor_b = mark
    return ob


def test_two_points_tied_together():
    ob = tie("POINT_TO_POINT", (1, 0, 0), (1, 0, 0), body("b", (2, 0, 0)))
    ob.ves.anchor_b = None
    (found,) = now().mechanism.constraints
    assert (found.type, found.body_a, found.body_b) == ("point_to_point", "a", "b")
    assert found.point_a == found.point_b == (1, 0, 0)
    ob.ves.body_b, ob.ves.to_world = None, True
    assert now().mechanism.constraints[0].body_b is None


def test_points_that_are_apart_are_refused_until_they_are_snapped_together():
    tie("POINT_TO_POINT", (1, 0, 0), (1, 0.25, 0), body("b", (2, 0, 0)))
    reading = now()
    assert [str(finding) for finding in reading.open] == [
        "point_to_point: its two points are 0.25 m apart: use Snap Together"
    ]
    assert reading.mechanism.constraints[0].point_b == (1, 0.25, 0)
    assert_refused("point_to_point", "0.25 m", "Snap Together")


def test_a_gap_that_is_rounding_is_none():
    tie("POINT_TO_POINT", (1, 0, 0), (1, 5e-5, 0), body("b", (2, 0, 0)))
    (found,) = sampled()
    assert found.point_b == found.point_a == (1, 0, 0)


def test_a_rod_keeps_its_present_length_or_its_own():
    ob = tie("DISTANCE", (0.5, 0, 0), (1.5, 0, 0), body("b", (2, 0, 0)))
    (found,) = sampled()
    assert (found.type, found.point_a, found.point_b, found.distance) == ("distance", (0.5, 0, 0), (1.5, 0, 0), None)
    ob.ves.use_distance, ob.ves.distance = True, 1.00001
    assert sampled()[0].distance == pytest.approx(1.0, abs=1e-7), "what the eye can't see is not kept"
    ob.ves.distance = 1.25
    assert now().mechanism.constraints[0].distance == 1.25
    assert_refused("distance", "1 m apart", "1.25 m", "Snap Together")


def test_a_rod_without_length():
    ob = tie("DISTANCE", (0.5, 0, 0), (0.5, 0, 0), body("b", (2, 0, 0)))
    assert_refused("distance", "same place", "Other Side")
    ob.ves.anchor_b = None
    assert_refused("distance", "same place", "Other Side")


def test_a_tie_with_one_end_or_to_itself():
    ob = tie("POINT_TO_POINT", (1, 0, 0), (1, 0, 0), body("b", (2, 0, 0)))
    ob.ves.body_b = ob.ves.body_a
    assert_refused("itself")
    ob.ves.body_b = None
    assert_refused("only one end", "To World")


def test_a_mark_that_is_gone_or_stays_behind():
    ob = tie("DISTANCE", (0.5, 0, 0), (1.5, 0, 0), body("b", (2, 0, 0)))
    mark = ob.ves.anchor_b
    mark.parent = None
    mark.location = (1.5, 0, 0)
    (warning,) = now().warnings
    assert "mark, does not go along with b" in str(warning)
    bpy.context.scene.collection.objects.unlink(mark)
    assert_refused("distance", "mark", "not in this scene")


LOOSE = [  # kind, shift and turn of the child's side in the joint's frame that leave the joint open, and closed
    ("REVOLUTE", ((0, 0, 0.1), (1, 0, 0, 0)), ((0, 0, 0), (0.8, 0, 0, 0.6))),
    ("PRISMATIC", ((0, 0, 0.1), (0.8, 0, 0, 0.6)), ((0, 0, 0.1), (1, 0, 0, 0))),
    ("CYLINDRICAL", ((0, 0.1, 0), (1, 0, 0, 0)), ((0, 0, 0.1), (0.8, 0, 0, 0.6))),
    ("SCREW", ((0, 0, 0.1), (1, 0, 0, 0)), ((0, 0, 0.1), tuple(Quaternion((0, 0, 1), 0.5)))),
    ("UNIVERSAL", ((0, 0, 0), (0.8, 0, 0, 0.6)), ((0, 0, 0), (0.8, 0.6, 0, 0))),
    ("SPHERICAL", ((0.1, 0, 0), (1, 0, 0, 0)), ((0, 0, 0), (0.5, 0.5, 0.5, 0.5))),
    ("PLANAR", ((0, 0, 0.1), (1, 0, 0, 0)), ((0.1, 0.2, 0), (0.8, 0, 0, 0.6))),
    ("FIXED", ((0, 0, 0), (0.8, 0, 0, 0.6)), ((0, 0, 0), (1, 0, 0, 0))),
]


@pytest.mark.parametrize(("kind", "loose", "shut"), LOOSE, ids=[case[0] for case in LOOSE])
def test_a_joint_whose_sides_are_apart(kind, loose, shut):
    child = body("b", (2, 0, 0))
    hinge = joint("hinge", (1, 0.5, 0.25), body("a"), child, kind)
    hinge.rotation_euler = (0.3, 0.4, 0.5)
    hinge.ves.pitch = 0.2
    mark = empty("mark")
    mark.parent = child
    hinge.ves.anchor_b = mark
    for (shift, turn), is_open in ((loose, True), (shut, False)):
        bpy.context.view_layer.update()
        mark.matrix_world = hinge.matrix_world @ Matrix.LocRotScale(shift, Quaternion(turn), None)
        reading = now()
        assert len(reading.open) == is_open, reading.open
        frames = read_child_frames(reading)
        np.testing.assert_allclose(frames["hinge"][0], mark.matrix_world.translation, atol=1e-6)
        if is_open:
            assert_refused("hinge: its two sides are", "apart: use Snap Together")
        else:
            sampled()
    np.testing.assert_allclose(reading.mechanism.joints[0].position, (1, 0.5, 0.25), atol=1e-6)


def path_on(leader: bpy.types.Object, point: tuple) -> bpy.types.Object:
    path = constraint("PATH", point, body("a", point))
    if leader.type == "CURVE":
        path.ves.path_curve = leader
    else:
        path.ves.path_object = leader
    path.ves.path_frame_start, path.ves.path_frame_end = 1, 25
    bpy.context.scene.frame_end = 33
    return path


def test_a_path_leads_a_point_along_a_curve():
    path_on(curve_object("track", [(0, 0, 0), (12, 0, 0)]), (0, 0, 0))
    (found,) = sampled()
    assert (found.type, found.body, found.point, found.orientations) == ("path", "a", (0, 0, 0), None)
    np.testing.assert_allclose(found.times, np.arange(65) / 48.0)
    positions = np.array(found.positions)
    np.testing.assert_allclose(positions[:49:2, 0], 0.5 * np.arange(25), atol=1e-6)
    np.testing.assert_allclose(positions[49:, 0], 12.0)


def test_path_time_rules_once_it_is_animated():
    path = path_on(curve_object("track", [(0, 0, 0), (10, 0, 0)]), (0, 0, 0))
    for frame, share in ((1, 0.0), (33, 0.5)):
        path.ves.path_time = share
        path.ves.keyframe_insert("path_time", frame=frame)
    assert sampled()[0].positions[-1][0] == pytest.approx(5.0, abs=1e-5)


def test_a_point_beside_its_path_keeps_its_offset_or_is_refused():
    path = path_on(curve_object("track", [(0, 0, 0), (10, 0, 0)]), (0, 2, 0))
    np.testing.assert_allclose(np.array(sampled()[0].positions)[:, 1], 2.0)
    path.ves.path_keep_offset = False
    assert_refused("2 m away", "Snap Together", "Keep Offset")
    assert now().mechanism.constraints[0].positions == ((0, 0, 0),), "Snap Together knows where the point belongs"


def moving_empty() -> bpy.types.Object:
    """From the origin to (4, 0, 0) while it turns by a right angle about Z."""
    hand = empty("hand")
    hand.rotation_mode = "QUATERNION"
    for frame, x, angle in ((1, 0.0, 0.0), (33, 4.0, np.pi / 2)):
        hand.location.x, hand.rotation_quaternion = x, Quaternion((0, 0, 1), angle)
        hand.keyframe_insert("location", frame=frame)
        hand.keyframe_insert("rotation_quaternion", frame=frame)
    bpy.context.scene.frame_set(1)
    return hand


def test_a_path_follows_the_animation_of_an_object():
    path_on(moving_empty(), (0, 2, 0))
    (found,) = sampled()
    assert (found.type, len(found.positions), found.orientations) == ("path", 65, None)
    np.testing.assert_allclose(found.positions[-1], (4, 2, 0), atol=1e-6)


def test_a_body_may_turn_along_as_if_it_were_fastened_to_the_object():
    path = path_on(moving_empty(), (0, 2, 0))
    path.ves.path_orientation = True
    path.ves.body_a.rotation_euler.x = 0.5
    (found,) = sampled()
    np.testing.assert_allclose(found.positions[-1], (2, 0, 0), atol=1e-6)
    turned = Quaternion((0, 0, 1), np.pi / 2) @ Quaternion((1, 0, 0), 0.5)
    np.testing.assert_allclose(np.abs(np.dot(found.orientations[-1], turned)), 1.0, atol=1e-6)
    assert path.ves.body_a.name == found.body


def test_what_a_path_cannot_follow():
    hand = moving_empty()
    path = path_on(hand, (0, 0, 0))
    hand.parent = path.ves.body_a
    assert_refused("path: follows hand", "dynamic body a")
    hand.parent = None
    path.ves.path_curve = curve_object("track", [(0, 0, 0), (10, 0, 0)])
    assert_refused("path: follows both track and hand")
    path.ves.path_curve = None
    bpy.context.scene.collection.objects.unlink(hand)
    assert_refused("path: follows hand", "not in this scene")
    path.ves.path_object = None
    assert_refused("path: has nothing to follow")


def ring(radius: float) -> bpy.types.Object:
    """A circle of Bezier segments in the XY plane."""
    bpy.ops.curve.primitive_bezier_circle_add(radius=radius)
    return bpy.context.active_object


def bead_on(curve: bpy.types.Object, point) -> bpy.types.Object:
    bead = constraint("BEAD", point, body("a", point))
    bead.ves.path_curve = curve
    return bead


def off_spline(found, points: np.ndarray) -> float:
    """Largest distance from points on the true curve to the solver's spline, taken as a fine polyline."""
    starts, powers, end = curve_pieces(np.array(found.points), found.closed)
    s = np.diff(np.append(starts, end))[:, None] * np.linspace(0.0, 1.0, 21)
    places = np.einsum("kpc,ksp->ksc", powers[:, :4, :3], s[..., None] ** np.arange(4)).reshape(-1, 3)
    a, along = places[:-1], np.diff(places, axis=0)
    length = np.maximum(np.linalg.norm(along, axis=1), 1e-12)
    along = along / length[:, None]
    distances = []
    for point in points:
        share = np.clip(np.einsum("ij,ij->i", point - a, along), 0.0, length)
        distances.append(np.linalg.norm(a + share[:, None] * along - point, axis=1).min())
    return max(distances)


def test_a_bead_gets_the_points_of_its_curve_closely():
    wire = ring(2.0)
    wire.location, wire.scale = (1, 0, 0), (1, 1, 1)
    bead_on(wire, (3, 0, 0))
    (found,) = sampled()
    assert (found.type, found.body, found.closed) == ("curve", "a", True)
    np.testing.assert_allclose(found.point, (3, 0, 0), atol=1e-6)
    assert found.points[0] == found.point, "the bead is on the spline exactly"
    points = np.array(found.points) - (1, 0, 0)
    np.testing.assert_allclose(np.linalg.norm(points, axis=1), 2.0, atol=2e-3)  # a Bezier circle is no circle
    assert len(points) <= 256


def test_the_spline_between_a_beads_points_is_the_curve():
    wire = ring(1.0)
    wire.data.splines[0].use_cyclic_u = False
    wire.scale = (3, 1, 1)
    bead_on(wire, tuple(wire.matrix_world @ wire.data.splines[0].bezier_points[1].co))
    bpy.context.view_layer.update()
    (found,) = now().mechanism.constraints
    assert not found.closed
    true = np.array([vertex.co for vertex in wire.to_mesh().vertices]) * (3, 1, 1)
    assert off_spline(found, true) < 1e-5, "a millionth of its length, which is about 10 m"


def test_a_bead_away_from_its_curve():
    bead_on(curve_object("wire", [(0, 0, 0), (10, 0, 0)]), (2, 0.5, 0))
    assert now().mechanism.constraints[0].point == (2, 0.5, 0)
    assert_refused("bead: is 0.5 m away from its curve: use Snap Together")


def test_a_bead_at_the_very_end_of_a_wire():
    for x in (0.0, 10.0):
        bead = bead_on(curve_object("wire", [(0, 0, 0), (10, 0, 0)]), (x, 0, 0))
        found = sampled()[-1]
        assert found.point in {found.points[0], found.points[-1]}
        assert {found.points[0], found.points[-1]} == {(0, 0, 0), (10, 0, 0)}
        bead.ves.enabled = False


def test_corners_are_told():
    bead_on(curve_object("wire", [(0, 0, 0), (10, 0, 0), (10, 5, 0)]), (2, 0, 0))
    (warning,) = now().warnings
    assert "corners" in str(warning)


def test_a_beads_curve_must_stand_still():
    wire = curve_object("wire", [(0, 0, 0), (10, 0, 0)])
    bead = bead_on(wire, (2, 0, 0))
    wire.keyframe_insert("location", frame=1)
    assert_refused("bead: slides along wire, which moves")
    wire.animation_data_clear()
    wire.constraints.new("COPY_LOCATION").target = moving_empty()
    assert_refused("bead: slides along wire, which moves")
    wire.constraints.clear()
    sampled()
    wire.parent = bead.ves.body_a
    assert_refused("bead: slides along wire, which moves")
    wire.parent = None
    bead.ves.path_curve = None
    assert_refused("bead: has no curve")


def test_a_curve_that_bends_is_refused_too():
    wire = curve_object("wire", [(0, 0, 0), (10, 0, 0)])
    bead_on(wire, (2, 0, 0))
    wire.shape_key_add(name="Basis")
    wire.shape_key_add(name="Bent").data[1].co.z = 3.0
    key = wire.data.shape_keys.key_blocks["Bent"]
    for frame, value in ((1, 0.0), (20, 1.0)):
        key.value = value
        key.keyframe_insert("value", frame=frame)
    bpy.context.scene.frame_set(1)
    assert_refused("bead: slides along wire, which moves")


def test_start_values_may_close_what_is_open_in_the_scene():
    """Then the poses that are seen are not those that the simulation starts from."""
    tie("POINT_TO_POINT", (1, 0, 0), (1, 0.25, 0), body("b", (2, 0, 0)))
    hinge = joint("hinge", (3, 0, 0), None, bpy.data.objects["b"], "REVOLUTE")
    hinge.ves.coordinates[0] = 0.1
    assert now().open == []
