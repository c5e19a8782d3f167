# SPDX-License-Identifier: GPL-3.0-or-later
"""Snap Together, through its operator: what moves, what stays, what can't meet, and how all of it comes back."""

from __future__ import annotations

import math

import bpy
import numpy as np
import pytest
from mathutils import Euler, Matrix

from tests.blender.linkages import body, joint, keys_of, part, world_matrices
from tests.blender.loose import (
    CLOSE,
    axis_angle,
    findings,
    four_bar,
    gap,
    hang,
    loose_joint,
    place,
    short_chain,
    snap,
    state,
    tie,
)
from tests.blender.making import curve_object, empty, reports, select


def test_a_four_bar_closes(capfd):
    bodies, joints = four_bar()
    assert snap() == {"FINISHED"}
    for one in joints[1:3]:
        assert gap(one) < CLOSE
        assert axis_angle(one) < 1e-6
    assert np.linalg.norm(place(joints[0])) < CLOSE, "what the world holds stays where it is"
    assert np.linalg.norm(place(joints[3]) - (3, 0, 0)) < CLOSE
    assert "Moved 3 bodies: all is together" in reports(capfd)
    assert bpy.context.scene.ves.snap_status.startswith("Moved 3 bodies")


def test_what_was_snapped_together_bakes():
    _, joints = four_bar()
    snap()
    bpy.context.scene.frame_end = 5
    assert bpy.ops.ves.bake() == {"FINISHED"}
    bpy.context.scene.frame_set(5)
    assert max(map(gap, joints[1:3])) < CLOSE


def test_what_is_together_stays_bit_for_bit(capfd):
    four_bar()
    snap()
    reports(capfd)
    before = state()
    assert snap() == {"FINISHED"}
    assert state() == before
    assert "Together already: nothing was moved" in reports(capfd)


def test_a_loose_chain_of_hinges_comes_together():
    post = body("post", (0, 0, 0), (0.2, 0.2, 0.2), "FIXED")
    links, joints, last, end = [], [], post, (0, 0, 0)
    for i in range(6):
        link = body(f"link {i}", (1.3 * i + 0.7, 0.2 * i, -0.3 * i), (1, 0.2, 0.2))
        link.rotation_euler.y = 0.1 * i
        bpy.context.view_layer.update()
        here, there = (tuple(link.matrix_world @ Matrix.Translation((x, 0, 0)).translation) for x in (-0.5, 0.5))
        joints.append(loose_joint(f"hinge {i}", end, here, last, link))
        links.append(link)
        last, end = link, there
    fixed = state(post)
    snap()
    assert max(map(gap, joints)) < CLOSE
    assert max(map(axis_angle, joints)) < 1e-6
    assert state(post) == fixed
    assert np.linalg.norm(place(joints[0])) < CLOSE


@pytest.mark.parametrize(
    "kind", ["REVOLUTE", "PRISMATIC", "SCREW", "CYLINDRICAL", "UNIVERSAL", "SPHERICAL", "PLANAR", "FIXED"]
)
def test_every_type_of_joint_closes_and_check_agrees(kind):
    a, b = body("a", (0, 0, 1), (0.4, 0.3, 1)), body("b", (2, 1, 3), (0.5, 0.6, 0.7))
    b.rotation_euler = 0.5, -0.4, 0.9
    bpy.context.view_layer.update()
    joints = [loose_joint("first", (0, 0, 0), (0.2, 0.1, 0.3), None, a, kind)]
    joints += [loose_joint("second", (0, 0, 1.5), (1.8, 1.1, 2.6), a, b, kind)]
    bpy.ops.ves.check()
    assert {name for severity, name, _ in findings() if severity == "ERROR"} == {"first", "second"}
    world = np.array(joints[0].matrix_world)
    snap()
    assert not [text for severity, _, text in findings() if severity == "ERROR"]
    shown = np.array(joints[0].matrix_world)
    assert np.abs(shown - world).max() < CLOSE or kind == "UNIVERSAL", "the world's side stays"
    if kind == "UNIVERSAL":
        for one in joints:
            own, other = (np.array(side.matrix_world.col[1][:3]) for side in (one, one.ves.anchor_b))
            assert own == pytest.approx(other, abs=1e-6), "the child's Y is the joint's"
    before = state()
    snap()
    assert state() == before


def test_a_point_meets_one_of_another_body():
    a, b = body("a", (0, 0, 0)), body("b", (4, 0, 1))
    meeting = tie("meet", "POINT_TO_POINT", (0.5, 0, 0), a, b, (3.5, 0, 1))
    snap()
    assert gap(meeting) < CLOSE
    assert np.linalg.norm(np.linalg.inv(a.matrix_world) @ (*place(meeting), 1.0) - (0.5, 0, 0, 1)) < CLOSE


def test_a_point_meets_one_of_the_world():
    a = body("a", (0, 0, 0))
    meeting = tie("meet", "POINT_TO_POINT", (0.5, 0, 0), a, None, (1.5, 2, 0))
    snap()
    assert np.linalg.norm(place(meeting) - (1.5, 2, 0)) < CLOSE
    assert np.linalg.norm(place(meeting.ves.anchor_b) - (1.5, 2, 0)) < 1e-6


def test_a_rod_gets_its_length():
    a, b = body("a", (0, 0, 0)), body("b", (4, 0, 0))
    rod = tie("rod", "DISTANCE", (0.5, 0, 0), a, b, (3.5, 0, 0))
    rod.ves.use_distance, rod.ves.distance = True, 1.25
    snap()
    assert gap(rod) == pytest.approx(1.25, abs=CLOSE)


def test_a_hand_goes_to_where_its_path_begins():
    base = body("base", (0, 0, -0.5), (1, 1, 1), "FIXED")
    upper, lower = body("upper", (0, 0, 1), (0.2, 0.2, 2)), body("lower", (0, 0, 3), (0.2, 0.2, 2))
    joints = [joint("shoulder", (0, 0, 0), base, upper), joint("elbow", (0, 0, 2), upper, lower)]
    for one in joints:
        hang(one, one.ves.body_a)
    curve = curve_object("road", [(2, 1, 1), (2, -1, 1)])
    hand = tie("hand", "PATH", (0, 0, 4), lower)
    hand.ves.path_curve, hand.ves.path_keep_offset = curve, False
    hand.ves.path_frame_start, hand.ves.path_frame_end = 1, 100
    bpy.context.scene.frame_set(1)
    snap()
    assert np.linalg.norm(place(hand) - (2, 1, 1)) < CLOSE
    assert np.linalg.norm(place(joints[0])) < CLOSE
    elbow = np.linalg.inv(np.array(lower.matrix_world)) @ (*place(joints[1]), 1.0)
    assert np.linalg.norm(elbow - (0, 0, -1, 1)) < CLOSE, "joints without marks do not open"


def test_a_bead_goes_to_its_curve():
    ball = body("ball", (1, 0.3, 0.4), (0.2, 0.2, 0.2))
    bead = tie("bead", "BEAD", (1, 0.3, 0.4), ball)
    bead.ves.path_curve = curve_object("wire", [(-5, 0, 0), (5, 0, 0)])
    snap()
    assert np.linalg.norm(place(bead)[1:]) < CLOSE


def test_what_does_not_reach_is_listed_with_its_gap(capfd):
    _, _, hook = short_chain()
    assert snap() == {"FINISHED"}
    assert gap(hook) == pytest.approx(0.31, abs=1e-5)
    severity, culprit, text = findings()[0]
    assert (severity, culprit) == ("ERROR", "Hook")
    assert text.startswith("constraint 'Hook' stays open: 0.31 m; ")
    assert "Constraint 'Hook' stays open: 0.31 m" in reports(capfd)
    assert bpy.context.selected_objects == [hook]
    assert [name for _, name, _ in findings()].count("Hook") == 1


def test_a_flight_that_can_not_arrive_ends_with_its_joints_closed():
    wall, weight = body("wall", motion="FIXED"), body("weight", (3, 0, 0))
    hang(joint("weld", (0, 0, 0), wall, weight, "FIXED"), wall)
    tie("Hook", "POINT_TO_POINT", (3, 0, 0), weight, None, (4, 0, 0))
    snap(mode="ANIMATED", frames=5)
    bpy.context.scene.frame_set(5)
    assert np.linalg.norm(place(weight) - (3, 0, 0)) < 1e-5
    assert findings()[0][2].startswith("constraint 'Hook' stays open: 1 m")


def test_an_open_joint_is_listed_in_degrees():
    """A door whose two hinges are not in line, by 12 degrees: each could hold alone, and both show a gap."""
    wall, door = body("wall", (0, 0, 0), motion="FIXED"), body("door", (1, 0, 0))
    hinges = [loose_joint(name, (0.5, 0, z), (0.5, 0, z), wall, door) for name, z in (("Low", 0.0), ("High", 0.0))]
    hinges[1].ves.anchor_b.rotation_euler.z += math.radians(12)
    snap()
    assert [axis_angle(one) for one in hinges] == pytest.approx([math.radians(6)] * 2, rel=1e-3)
    said = sorted(text.partition(";")[0] for _, _, text in findings()[:2])
    assert said == ["joint 'High' stays open: 6°", "joint 'Low' stays open: 6°"]


def test_nothing_is_torn_to_bring_something_nearer(capfd):
    """A rod nailed at one end does not reach with the other: the nail, which can't show a gap, keeps its place."""
    rod = body("rod", (1, 0, 0), (2, 0.1, 0.1))
    nail = tie("Nail", "NAIL", (0, 0, 0), rod)
    tie("Hook", "POINT_TO_POINT", (2, 0, 0), rod, None, (2.5, 0, 0))
    other = body("other", (0, 5, 0))
    meeting = tie("meet", "POINT_TO_POINT", (0.5, 5, 0), other, None, (3, 5, 0))
    before = state(rod, nail)
    for _ in range(2):
        snap()
        assert state(rod, nail) == before
        assert gap(meeting) < CLOSE
    assert "constraint 'Hook' would stay open: 0.25 m" in [text.partition(";")[0] for _, _, text in findings()]
    assert "1 linkage was left as before, since something else would have torn" in reports(capfd)


def test_once_it_meets_the_list_is_renewed():
    _, _, hook = short_chain()
    snap()
    assert "Hook" in [name for _, name, _ in findings()]
    hook.ves.anchor_b.location = 0, 1.2, 1.6
    snap()
    assert gap(hook) < CLOSE
    assert "Hook" not in [name for _, name, _ in findings()]


def test_undo_brings_the_old_places_back():
    bodies, _ = four_bar()
    before = state()
    bpy.ops.ed.undo_push(message="before")
    assert bpy.ops.ves.snap_together("EXEC_DEFAULT", True) == {"FINISHED"}
    assert state() != before
    bpy.ops.ed.undo()
    assert state() == before


def test_a_flight_has_its_frames_and_ends_together(capfd):
    bodies, joints = four_bar()
    scene = bpy.context.scene
    scene.frame_set(11)
    start = [np.array(one.matrix_world) for one in bodies]
    assert snap(mode="ANIMATED", frames=20) == {"FINISHED"}
    assert "Keyed the flight of 3 bodies, frames 11 to 30" in reports(capfd)
    assert scene.frame_current == 11
    for one, matrix in zip(bodies, start, strict=True):
        curves = keys_of(one)
        assert {len(np.frombuffer(data, np.float32)) // 6 for data in curves.values()} == {20}
        assert np.abs(world_matrices(one, [11])[0] - matrix).max() < CLOSE
    gaps = []
    for frame in range(11, 31):
        scene.frame_set(frame)
        gaps.append(gap(joints[1]))
    assert gaps == sorted(gaps, reverse=True)
    assert gaps[-1] < CLOSE
    assert np.linalg.norm(place(bodies[1].parent or bodies[1])) > 0.0
    assert gap(joints[2]) < CLOSE


def checked() -> list[tuple[str, str]]:
    """(severity, text) of all that Check lists."""
    bpy.ops.ves.check()
    return [(severity, text) for severity, _, text in findings()]


@pytest.mark.parametrize("frame", [11, 20, 30, 40])
def test_check_says_of_a_flight_what_it_is(frame):
    """Before it has come to its end, each of its joints was an error that Snap Together would cure."""
    four_bar()
    scene = bpy.context.scene
    scene.frame_set(11)
    snap(mode="ANIMATED", frames=20)
    scene.frame_set(frame)
    found = checked()
    assert not any(severity == "ERROR" or "use Snap Together" in text for severity, text in found)
    assert len([text for severity, text in found if severity == "INFO" and "2 others at frames 11 to 30" in text]) == 1


def test_a_place_that_a_flight_leaves_open_is_an_error_at_its_end():
    short_chain()
    snap(mode="ANIMATED", frames=20)
    bpy.context.scene.frame_set(10)
    assert not any(severity == "ERROR" for severity, _ in checked())
    bpy.context.scene.frame_set(20)
    assert any("use Snap Together" in text for _, text in checked())


@pytest.mark.parametrize("first", [1, 31])
def test_a_bake_beside_a_flight_is_refused_with_the_way_out(first):
    four_bar()
    scene = bpy.context.scene
    snap(mode="ANIMATED", frames=20)
    scene.frame_start, scene.frame_end = first, first + 20
    with pytest.raises(RuntimeError, match="Clear Bake, then Snap Together with Mode Instant") as raised:
        bpy.ops.ves.bake()
    assert "use Snap Together" not in str(raised.value)
    scene.frame_set(1)
    bpy.ops.ves.clear_bake()
    snap(mode="INSTANT")
    assert bpy.ops.ves.bake() == {"FINISHED"}


def test_clear_bake_takes_the_flight_away():
    bodies, _ = four_bar()
    before = state()
    snap(mode="ANIMATED", frames=10)
    bpy.context.scene.frame_set(10)
    assert all(one.ves.is_baked for one in bodies)
    bpy.ops.ves.clear_bake()
    bpy.context.scene.frame_set(1)
    assert state() == before
    assert not any(one.animation_data for one in bodies)
    assert len(bpy.data.actions) == 0


def test_a_flight_keeps_the_animation_from_before():
    bodies, _ = four_bar()
    bodies[1].keyframe_insert("location", frame=1)
    own = bodies[1].animation_data.action
    snap(mode="ANIMATED", frames=10)
    assert bodies[1].animation_data.action != own
    bpy.ops.ves.clear_bake()
    assert bodies[1].animation_data.action == own


def test_a_flight_lands_where_a_keyed_body_then_is():
    crane = body("crane", (0, 0, 3), (0.5, 0.5, 0.5), "KEYED")
    for frame, x in ((1, 0.0), (12, 2.0)):
        crane.location.x = x
        crane.keyframe_insert("location", frame=frame)
    bpy.context.scene.frame_set(1)
    load = body("load", (0, 0, 0))
    hook = tie("hook", "POINT_TO_POINT", (0, 0, 0.5), load, crane, (0, 0, 2.75))
    snap(mode="ANIMATED", frames=12)
    bpy.context.scene.frame_set(12)
    assert np.linalg.norm(place(hook) - (2, 0, 2.75)) < CLOSE
    assert gap(hook) < CLOSE


@pytest.mark.parametrize("mode", ["QUATERNION", "AXIS_ANGLE", "ZYX"])
def test_parents_scales_deltas_and_rotation_modes(mode):
    """Bodies under turned and scaled parents, with deltas and in any rotation mode, arrive all the same."""
    rig = empty("rig")
    rig.location, rig.rotation_euler, rig.scale = (1, 2, 3), (0.3, 0.2, 0.1), (2, 2, 2)
    a, b = body("a", (0, 0, 0), (1, 1, 1)), body("b", (4, 0, 1), (1, 1, 1))
    a.scale, b.scale = (1, 1.5, 1), (0.5, 0.5, -2)
    b.rotation_euler = 0.4, 0.5, 0.6
    hang(b, rig)
    b.delta_location = 0.1, 0.2, 0.3
    b.rotation_mode = mode
    if mode == "QUATERNION":
        b.delta_rotation_quaternion = Euler((0.1, 0, 0)).to_quaternion()
    elif mode == "ZYX":
        b.delta_rotation_euler = 0.1, 0.0, 0.2
    bpy.context.view_layer.update()
    scales = [np.array(one.matrix_world.to_scale()) for one in (a, b)]
    hinge = loose_joint("hinge", (0.5, 0, 0), tuple(b.matrix_world.translation), a, b)
    still = state(rig)
    snap()
    assert gap(hinge) < 2 * CLOSE
    assert axis_angle(hinge) < 2e-6
    assert state(rig) == still
    for one, scale in zip((a, b), scales, strict=True):
        assert np.array(one.matrix_world.to_scale()) == pytest.approx(scale, rel=1e-5)


def test_a_body_that_hangs_on_another_is_moved_on_its_own():
    """As Blender's child of the other body it would be carried away; it must arrive where it was solved to be."""
    a, b = body("a", (0, 0, 0)), body("b", (4, 0, 1))
    hang(b, a)
    meeting = tie("meet", "POINT_TO_POINT", (0.5, 0, 0), a, b, (3.5, 0, 1))
    goal = tie("goal", "POINT_TO_POINT", (-0.5, 0, 0), a, None, (-1, 1, 0))
    snap()
    assert gap(meeting) < CLOSE
    assert gap(goal) < CLOSE


def test_only_the_chosen_linkage_moves():
    a, b = body("a", (0, 0, 0)), body("b", (4, 0, 1))
    c, d = body("c", (0, 5, 0)), body("d", (4, 5, 1))
    hang(d, b)
    first = tie("first", "POINT_TO_POINT", (0.5, 0, 0), a, b, (3.5, 0, 1))
    second = tie("second", "POINT_TO_POINT", (0.5, 5, 0), c, d, (3.5, 5, 1))
    world = np.array(d.matrix_world)
    before = state(c, second, second.ves.anchor_b)
    select(a)
    snap()
    assert gap(first) < CLOSE
    assert state(c, second, second.ves.anchor_b) == before
    bpy.context.view_layer.update()
    assert np.abs(np.array(d.matrix_world) - world).max() < CLOSE, "a child of what moved stays in the world"
    assert gap(second) == pytest.approx(math.hypot(3, 1), abs=CLOSE)


@pytest.mark.parametrize("which", ["tie", "mark", "force"])
def test_a_linkage_is_chosen_by_what_belongs_to_it(which):
    a, b = body("a", (0, 0, 0)), body("b", (4, 0, 1))
    c = body("c", (0, 5, 0))
    first = tie("first", "POINT_TO_POINT", (0.5, 0, 0), a, b, (3.5, 0, 1))
    second = tie("second", "POINT_TO_POINT", (0.5, 5, 0), c, None, (3.5, 5, 1))
    push = part("push", "FORCE", (0, 0, 0))
    push.ves.body_a = b
    before = state(c, second)
    select({"tie": first, "mark": first.ves.anchor_b, "force": push}[which])
    snap()
    assert gap(first) < CLOSE
    assert state(c, second) == before


def test_a_selection_without_linkage_is_refused():
    four_bar()
    select(body("alone", (9, 9, 9)))
    before = state()
    with pytest.raises(RuntimeError, match="nothing of the selection hangs on a joint"):
        snap()
    assert state() == before


def test_empties_that_are_no_children_go_along():
    a, b = body("a", (0, 0, 0)), body("b", (4, 0, 1))
    goal = tie("goal", "POINT_TO_POINT", (-0.5, 0, 0), a, None, (-1, 1, 0))
    hinge = joint("hinge", (2, 0, 0.5), a, b)
    push = part("push", "FORCE", (4, 0, 2))
    push.ves.body_a = b
    local = [np.linalg.inv(np.array(owner.matrix_world)) @ (*place(ob), 1) for owner, ob in ((a, hinge), (b, push))]
    snap()
    assert gap(goal) < CLOSE
    after = [np.linalg.inv(np.array(owner.matrix_world)) @ (*place(ob), 1) for owner, ob in ((a, hinge), (b, push))]
    assert np.abs(np.array(after) - np.array(local)).max() < CLOSE
    assert hinge.parent is None
    assert push.parent is None


def test_fixed_and_keyed_bodies_stay():
    wall, car = body("wall", (0, 0, 0), motion="FIXED"), body("car", (3, 0, 0), motion="KEYED")
    load = body("load", (1, 1, 3))
    ties = [
        tie("to wall", "DISTANCE", (1, 1, 3), load, wall, (0, 0, 0)),
        tie("to car", "DISTANCE", (1, 1, 3), load, car, (3, 0, 0)),
    ]
    for one, length in zip(ties, (2.0, 2.5), strict=True):
        one.ves.use_distance, one.ves.distance = True, length
    before = state(wall, car)
    snap()
    assert [gap(one) for one in ties] == pytest.approx([2.0, 2.5], abs=CLOSE)
    assert state(wall, car) == before


def test_start_values_become_part_of_the_pose():
    bodies, joints = four_bar()
    joints[0].ves.coordinates[0] = 0.3
    snap()
    assert joints[0].ves.coordinates[0] == 0.0
    assert max(gap(one) for one in joints[1:3]) < CLOSE
    before = state()
    snap()
    assert state() == before


def test_bodies_with_baked_keyframes_are_refused():
    four_bar()
    snap(mode="ANIMATED", frames=3)
    for mode in ("INSTANT", "ANIMATED"):
        with pytest.raises(RuntimeError, match="Clear the bake first"):
            snap(mode=mode)


@pytest.mark.parametrize("what", ["keyframes", "constraint"])
def test_animated_bodies_are_refused_by_name(what):
    bodies, _ = four_bar()
    if what == "keyframes":
        bodies[1].keyframe_insert("location", frame=1)
    else:
        bodies[1].constraints.new("COPY_SCALE").target = bodies[0]
    before = state()
    with pytest.raises(RuntimeError, match="coupler: can't be put to its new place"):
        snap()
    assert state() == before


def test_mistakes_of_other_linkages_do_not_matter():
    _, joints = four_bar()
    broken = part("broken", "JOINT", (0, 9, 0))
    broken.ves.body_a = body("lonely", (0, 9, 0))
    select(joints[1])
    assert snap() == {"FINISHED"}
    assert gap(joints[1]) < CLOSE


def test_it_is_grey_until_something_is_connected():
    assert not bpy.ops.ves.snap_together.poll()
    body("a")
    assert not bpy.ops.ves.snap_together.poll()
    tie("goal", "NAIL", (0, 0, 0), bpy.data.objects["a"])
    assert bpy.ops.ves.snap_together.poll()
