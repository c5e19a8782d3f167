# SPDX-License-Identifier: GPL-3.0-or-later
"""Closed loops and constraints made with the operators, as a person would, and baked: nothing comes apart."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from mathutils import Matrix, Vector
from virtual_erector_set.scene.bake.bake import BakeResult

from tests.blender.linkages import baked_result, world_matrices
from tests.blender.making import box, curve_object, empty, select, with_role

FRAMES = 24


@pytest.fixture(autouse=True)
def one_second() -> None:
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, FRAMES


def bar(name: str, start, end) -> bpy.types.Object:
    """A thin bar between two points of the XZ plane."""
    start, end = Vector(start), Vector(end)
    ob = box(name, 0.5 * (start + end), ((end - start).length, 0.05, 0.1))
    ob.rotation_euler.y = -np.arctan2(end.z - start.z, end.x - start.x)
    return ob


def hinge(parent: bpy.types.Object, child: bpy.types.Object, place) -> bpy.types.Object:
    """A hinge about the world's Y."""
    bpy.context.scene.cursor.location = place
    select(parent, child)
    bpy.ops.ves.add_joint(type="REVOLUTE", location="CURSOR", axis="Y")
    return bpy.context.active_object


def nail(body: bpy.types.Object, place) -> bpy.types.Object:
    bpy.context.scene.cursor.location = place
    select(body)
    bpy.ops.ves.add_nail(location="CURSOR")
    return bpy.context.active_object


def trace(body: bpy.types.Object, place) -> np.ndarray:
    """Places (F, 3) over the frames of the body's point that is at `place` at the first frame."""
    matrices = world_matrices(body, range(1, FRAMES + 1))
    local = np.linalg.solve(matrices[0], np.append(place, 1.0))
    return (matrices @ local)[:, :3]


def bake() -> BakeResult:
    result = baked_result()
    assert result.failure == ""
    assert result.last == FRAMES
    return result


def test_a_four_bar_by_hand():
    places = [(0, 0, 0), (-0.4, 0, 0.9), (2, 0, 1.5), (2, 0, 0)]
    base = box("base", (1, 0, -0.5), (3, 1, 0.2))
    crank, coupler, rocker = (bar(f"bar {i}", places[i], places[i + 1]) for i in range(3))
    select(base)
    bpy.ops.ves.add_body(motion="FIXED")
    pairs = [(base, crank), (crank, coupler), (coupler, rocker), (base, rocker)]
    for (parent, child), place in zip(pairs, places, strict=True):
        hinge(parent, child, place)
    bpy.ops.ves.check()
    assert len(bpy.context.scene.ves.findings) == 0
    bpy.ops.ves.bake()
    for (parent, child), place in zip(pairs, places, strict=True):
        np.testing.assert_allclose(trace(parent, place), trace(child, place), atol=1e-5)
    assert np.ptp(trace(crank, places[1])[:, 0]) > 0.1, "it moves"
    (finding,) = bpy.context.scene.ves.findings
    assert finding.severity == "INFO", "it is a fact, and there is nothing to do about it"
    said = "redundant; the motion is right, single forces in that loop are not unique"
    assert said in finding.text, "hinges that are parallel hold the bars in their plane more than once"


def test_a_chain_hung_between_two_nails():
    places = [(0, 0, 0), (0.5, 0, -0.8), (1, 0, -1.5), (2, 0, -1.5), (2.5, 0, -0.8), (3, 0, 0)]
    links = [bar(f"link {i}", places[i], places[i + 1]) for i in range(5)]
    select(*links)
    bpy.ops.ves.chain()
    for joint, place in zip(bpy.context.selected_objects, places[1:-1], strict=True):
        joint.matrix_world = Matrix.Translation(place)
    ends = [(links[0], places[0]), (links[-1], places[-1])]
    for link, place in ends:
        nail(link, place)
    links[2].ves.linear_velocity = (0, 2, 0)
    bake()
    for link, place in ends:
        np.testing.assert_allclose(trace(link, place), np.tile(place, (FRAMES, 1)), atol=1e-5)
    assert np.ptp(trace(links[2], (1.5, 0, -1.5))[:, 1]) > 0.1
    for i in range(4):
        np.testing.assert_allclose(trace(links[i], places[i + 1]), trace(links[i + 1], places[i + 1]), atol=1e-5)


def arm() -> tuple[bpy.types.Object, bpy.types.Object]:
    """Two links, the first nailed at the origin; the hand is the end of the second, at (2, 0, 0)."""
    upper, lower = box("upper", (0.5, 0, 0), (1, 0.1, 0.1)), box("lower", (1.0, 0, -0.5), (0.1, 0.1, 1))
    bpy.context.scene.cursor.location = (1, 0, 0)
    select(upper, lower)
    bpy.ops.ves.add_joint(type="SPHERICAL", location="CURSOR")
    nail(upper, (0, 0, 0))
    return upper, lower


def test_a_hand_follows_a_curve():
    upper, lower = arm()
    curve = curve_object("track", [(1, 0, -1), (1.3, 0.2, -0.5)])
    bpy.context.scene.cursor.location = (1, 0, -1)
    select(lower, curve)
    bpy.ops.ves.add_path(point="CURSOR")
    (path,) = with_role("PATH")
    path.ves.path_keep_offset = False
    bake()
    share = np.arange(FRAMES)[:, None] / (FRAMES - 1)
    expected = np.array([(1, 0, -1)]) + share * np.array([(0.3, 0.2, 0.5)])
    np.testing.assert_allclose(trace(lower, (1, 0, -1)), expected, atol=1e-5)
    np.testing.assert_allclose(trace(upper, (0, 0, 0)), 0.0, atol=1e-5)


def moving_target() -> bpy.types.Object:
    """An Empty that goes up and turns."""
    target = empty("target")
    target.location = (1.5, 0, -1)
    target.keyframe_insert("location", frame=1)
    target.keyframe_insert("rotation_euler", frame=1)
    target.location, target.rotation_euler.z = (1.4, 0.1, -0.7), 0.3
    target.keyframe_insert("location", frame=FRAMES)
    target.keyframe_insert("rotation_euler", frame=FRAMES)
    bpy.context.scene.frame_set(1)
    return target


def test_a_hand_follows_an_empty():
    upper, lower = arm()
    target = moving_target()
    bpy.context.scene.cursor.location = (1, 0, -1)
    select(lower, target)
    bpy.ops.ves.add_path(point="CURSOR")
    targets = world_matrices(target, range(1, FRAMES + 1))
    bake()
    moved = targets[:, :3, 3] - targets[0, :3, 3]
    np.testing.assert_allclose(trace(lower, (1, 0, -1)), (1, 0, -1) + moved, atol=1e-5)
    np.testing.assert_allclose(trace(upper, (0, 0, 0)), 0.0, atol=1e-5)


def test_a_body_turns_along_with_an_empty_and_drags_another():
    lead, trailer = box("lead", (1, 0, -0.5), (0.1, 0.1, 1)), box("trailer", (0.5, 0, 0), (1, 0.1, 0.1))
    bpy.context.scene.cursor.location = (1, 0, 0)
    select(lead, trailer)
    bpy.ops.ves.add_joint(type="SPHERICAL", location="CURSOR")
    target = moving_target()
    select(lead, target)
    bpy.ops.ves.add_path()
    bpy.context.active_object.ves.path_orientation = True
    start = world_matrices(lead, [1])[0]
    targets = world_matrices(target, range(1, FRAMES + 1))
    bake()
    shown = world_matrices(lead, range(1, FRAMES + 1))
    np.testing.assert_allclose(shown, targets @ np.linalg.solve(targets[0], start), atol=2e-5)
    np.testing.assert_allclose(trace(trailer, (1, 0, 0)), trace(lead, (1, 0, 0)), atol=1e-5)


def test_a_bead_slides_along_a_wire():
    """A bead that is held at its centre of mass goes as fast as the height it lost says, whatever the wire's shape."""
    bpy.ops.curve.primitive_bezier_circle_add(radius=1.0)
    wire = bpy.context.active_object
    wire.rotation_euler.x = np.pi / 2
    bpy.context.view_layer.update()
    place = tuple(wire.matrix_world @ wire.data.splines[0].bezier_points[0].co)
    bead = box("bead", place, (0.1, 0.1, 0.1))
    select(bead, wire)
    bpy.ops.ves.add_bead()
    (ring,) = with_role("BEAD")
    assert (ring.ves.body_a, ring.ves.path_curve, ring.parent) == (bead, wire, bead)
    bake()
    places = trace(bead, place)
    assert np.ptp(places[:, 2]) > 0.5
    np.testing.assert_allclose(np.linalg.norm(places, axis=1), 1.0, atol=1e-3)  # a Bezier circle is no circle
    np.testing.assert_allclose(places[:, 1], 0.0, atol=1e-5)
    speed = np.linalg.norm(places[2:] - places[:-2], axis=1) * 12.0
    fallen = places[0, 2] - places[1:-1, 2]
    np.testing.assert_allclose(speed, np.sqrt(2.0 * 9.81 * fallen), rtol=0.03)  # of a chord instead of an arc


def test_a_rod_keeps_its_length():
    bob, cart = box("bob", (1, 0, 0), (0.2, 0.2, 0.2)), box("cart", (0, 0, 1), (0.5, 0.3, 0.2))
    bpy.context.scene.cursor.location = (0, 0, 1)
    select(cart)
    bpy.ops.ves.add_joint(type="PRISMATIC", location="CURSOR", axis="X")
    select(bob, cart)
    bpy.ops.ves.add_distance()
    bake()
    lengths = np.linalg.norm(trace(bob, (1, 0, 0)) - trace(cart, (0, 0, 1)), axis=1)
    np.testing.assert_allclose(lengths, np.sqrt(2.0), atol=1e-5)
    assert np.ptp(trace(cart, (0, 0, 1))[:, 0]) > 0.1


def test_a_ring_of_bodies_tied_point_to_point():
    places = [(np.cos(a), 0, np.sin(a)) for a in np.arange(5) * 2.0 * np.pi / 5]
    bars = [bar(f"bar {i}", places[i], places[(i + 1) % 5]) for i in range(5)]
    for i, one in enumerate(bars):
        bpy.context.scene.cursor.location = places[i]
        select(bars[i - 1], one)
        bpy.ops.ves.add_point_to_point(location="CURSOR")
    nail(bars[0], places[0])
    bake()
    for i, one in enumerate(bars):
        np.testing.assert_allclose(trace(bars[i - 1], places[i]), trace(one, places[i]), atol=1e-5)


def test_a_lamp_that_keeps_its_orientation():
    upper, lower = arm()
    select(lower)
    bpy.ops.ves.add_orientation()
    turn = world_matrices(lower, [1])[0][:3, :3]
    bake()
    shown = world_matrices(lower, range(1, FRAMES + 1))[:, :3, :3]
    np.testing.assert_allclose(shown, np.tile(turn, (FRAMES, 1, 1)), atol=1e-5)
    assert np.ptp(trace(upper, (1, 0, 0))[:, 2]) > 0.1


def test_a_path_out_of_reach_is_told_with_its_gap():
    """An arm of two metres follows a target to five; it stretches, and points at the target to the end."""
    _, lower = arm()
    target = empty("target")
    target.keyframe_insert("location", frame=1)
    target.location.x = 4.0
    target.keyframe_insert("location", frame=FRAMES)
    bpy.context.scene.frame_set(1)
    bpy.context.scene.cursor.location = (1, 0, -1)
    select(lower, target)
    bpy.ops.ves.add_path(point="CURSOR")
    finding, reason = bake().warnings
    assert "could not be met from frame" in finding.text
    assert "largest gap" in finding.text
    assert "cannot follow what is keyed" in reason.text
    hand = trace(lower, (1, 0, -1))
    reach = np.linalg.norm(hand, axis=1)
    assert reach.max() < 2.0 + 1e-5, "the arm does not come apart"
    assert reach[-1] > 1.9


def test_a_loop_that_start_values_leave_open_is_refused_with_a_remedy():
    places = [(0, 0, 0), (0, 0, 1), (2, 0, 1.5), (2, 0, 0)]
    bars = [bar(f"bar {i}", places[i], places[i + 1]) for i in range(3)]
    for i, one in enumerate(bars[1:], start=1):
        hinge(bars[i - 1], one, places[i])
    first = nail(bars[0], places[0])
    last = nail(bars[2], places[3])
    with_role("JOINT")[0].ves.coordinates[0] = 0.2
    with pytest.raises(RuntimeError, match="Snap Together"):
        bpy.ops.ves.bake()
    assert {first.ves.role, last.ves.role} == {"NAIL"}


def test_a_loose_hinge_is_refused_until_its_sides_meet():
    parent, child = box("parent"), box("child", (1.5, 0, 0))
    select(parent, child)
    bpy.ops.ves.add_joint(type="REVOLUTE", location="LOOSE", axis="Y")
    (loose,) = with_role("JOINT")
    assert loose.ves.anchor_b.parent == child
    with pytest.raises(RuntimeError, match=r"its two sides are 0\.5 m apart: use Snap Together"):
        bpy.ops.ves.bake()
    bpy.ops.ves.check()
    (finding,) = bpy.context.scene.ves.findings
    assert (finding.severity, finding.culprit) == ("ERROR", loose)
    child.matrix_world = Matrix.Translation((1, 0, 0))
    bake()


def test_a_slack_rod_lets_a_body_fall_until_it_is_taut():
    """Below its hook by 1 m, on a rope of 1.5 m: it falls freely for half a metre, stops dead, and hangs."""
    bob = box("bob", (0, 0, 0), (0.2, 0.2, 0.2))
    bpy.context.scene.cursor.location = (0, 0, 1)
    select(bob)
    bpy.ops.ves.add_distance()
    (rope,) = [ob for ob in bpy.data.objects if ob.ves.role == "DISTANCE"]
    rope.matrix_world.translation = (0, 0, 0)
    rope.ves.to_world, rope.ves.slack, rope.ves.use_distance, rope.ves.distance = True, True, True, 1.5
    bpy.context.view_layer.update()
    bake()
    height = trace(bob, (0, 0, 0))[:, 2]
    times = np.arange(len(height)) / bpy.context.scene.render.fps
    expected = np.where(times < np.sqrt(1.0 / 9.81), -0.5 * 9.81 * times**2, -0.5)
    np.testing.assert_allclose(height, expected, atol=1e-5)
