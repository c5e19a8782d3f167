# SPDX-License-Identifier: GPL-3.0-or-later
"""Pose: linkages follow one point, joints stay closed, pins hold, keys are the pose, and what can't be is refused."""

from __future__ import annotations

from itertools import pairwise

import bpy
import numpy as np
import pytest
from mathutils import Quaternion, Vector
from virtual_erector_set.scene.bake.bake import run_to_end
from virtual_erector_set.scene.geometry.rounding import right_angled
from virtual_erector_set.scene.pose import pose as pose_module
from virtual_erector_set.scene.pose.holds import PIN_STRENGTH
from virtual_erector_set.scene.pose.pose import Pose

from tests.blender.linkages import body, chain, joint, keys_of, part, scene_state
from tests.blender.versions import once
from tests.truths.pulled_chain import Wanted, settled_middles

CLOSED = 2e-6  # m: single precision, a few metres from the origin


def posed(owner: bpy.types.Object, target, point=(0.0, 0.0, 0.0)) -> set[str]:
    return bpy.ops.ves.pose(body=owner.name, point=point, target=target)


def place(owner: bpy.types.Object, point=(0.0, 0.0, 0.0)) -> Vector:
    """The place of an object's point, given along its axes without scale."""
    bpy.context.view_layer.update()
    position, turn, _ = owner.matrix_world.decompose()
    return position + turn @ Vector(point)


def largest_gap(rods: list[bpy.types.Object]) -> float:
    """Of a chain of bars 1 m long, joined end to end."""
    return max((place(a, (0.5, 0, 0)) - place(b, (-0.5, 0, 0))).length for a, b in pairwise(rods))


def test_a_chain_follows_to_the_place():
    rods = chain(6)
    goal = (3.0, 1.0, 2.5)
    assert posed(rods[5], goal, (0.5, 0.0, 0.0)) == {"FINISHED"}
    assert (place(rods[5], (0.5, 0, 0)) - Vector(goal)).length < 1e-3
    assert largest_gap(rods) < CLOSED
    assert place(rods[0], (-0.5, 0, 0)).length < CLOSED, "the first one stays on the world"
    assert bpy.context.scene.ves.pose_status.startswith("Posed 6 bodies, not keyed yet")
    assert all(rod.animation_data is None for rod in rods)


def test_what_is_out_of_reach_is_approached_and_said():
    rods = chain(3)
    assert posed(rods[2], (0.0, 9.0, 0.0), (0.5, 0.0, 0.0)) == {"FINISHED"}
    assert place(rods[2], (0.5, 0, 0)).y > 2.9
    assert "from its place" in bpy.context.scene.ves.pose_status


@pytest.mark.parametrize("mode", ["XYZ", "ZXY", "QUATERNION", "AXIS_ANGLE"])
def test_every_rotation_mode_and_parents(mode):
    rods = chain(4)
    carrier = bpy.data.objects.new("carrier", None)
    bpy.context.scene.collection.objects.link(carrier)
    carrier.matrix_world = Quaternion((0.0, 0.0, 1.0), 0.4).to_matrix().to_4x4()
    bpy.context.view_layer.update()
    for rod in rods[1:3]:
        world = rod.matrix_world.copy()
        rod.parent = carrier
        rod.matrix_world = world
    world = rods[3].matrix_world.copy()
    rods[3].parent = rods[2]
    rods[3].matrix_world = world
    for rod in rods:
        rod.rotation_mode = mode
    bpy.context.view_layer.update()
    goal = (1.5, -1.0, 2.0)
    assert posed(rods[3], goal, (0.5, 0.0, 0.0)) == {"FINISHED"}
    assert (place(rods[3], (0.5, 0, 0)) - Vector(goal)).length < 1e-3
    assert largest_gap(rods) < 2 * CLOSED


def test_pins_hold():
    rods = chain(8)
    bpy.ops.object.select_all(action="DESELECT")
    rods[7].select_set(True)
    assert bpy.ops.ves.pin_bodies() == {"FINISHED"}
    before = place(rods[7])
    posed(rods[3], (3.0, 0.0, 0.8))
    wanted = [Wanted(7, (7.5, 0.0), PIN_STRENGTH), Wanted(3, (3.0, 0.8), 1.0)]  # a stretched chain can't do both
    given_way = np.linalg.norm(settled_middles(8, wanted)[7] - wanted[0].place)
    assert (place(rods[7]) - before).length == pytest.approx(given_way, rel=0.02)
    bpy.ops.ves.pin_bodies(unpin=True)
    posed(rods[7], (4.0, 0.0, 1.0))
    rods[7].select_set(True)
    bpy.ops.ves.pin_bodies()
    before = place(rods[7])
    posed(rods[3], (2.4, 0.9, 0.5))
    assert (place(rods[7]) - before).length < 1e-3
    assert (place(rods[3]) - Vector((2.4, 0.9, 0.5))).length < 2e-3
    assert bpy.ops.ves.pin_bodies(unpin=True) == {"FINISHED"}
    assert not any(rod.ves.is_pinned for rod in rods)


def test_a_pin_that_holds_the_turn_too():
    rods = chain(8)
    posed(rods[7], (4.0, 0.0, 1.0))
    bpy.ops.object.select_all(action="DESELECT")
    rods[7].select_set(True)
    assert bpy.ops.ves.pin_bodies(with_turn=True) == {"FINISHED"}
    assert rods[7].ves.pin_turn
    place(rods[7])
    before = np.array(rods[7].matrix_world)
    for goal in ((2.4, 0.9, 0.5), (2.9, -1.0, 0.9)):
        posed(rods[3], goal)
        assert (place(rods[3]) - Vector(goal)).length < 2e-3
        assert np.abs(np.array(rods[7].matrix_world) - before).max() < 2e-3
    rods[7].ves.pin_turn = False
    posed(rods[3], (2.4, 0.9, 0.5))
    place(rods[7])
    assert np.abs(np.array(rods[7].matrix_world) - before).max() > 0.01, "with its place alone it turns"
    bpy.ops.ves.pin_bodies(unpin=True)


def test_a_kept_hand_goes_on_pulling():
    """Two that cannot both be followed are followed alike; where there is room both are where they were led."""
    rods = chain(8)
    driver = Driver()
    driver.lead(rods[7], [(6.0, 0.0, 2.0)])
    driver.pose.keep_hand()
    assert driver.pose.hand is None
    assert [tuple(goal) for _, goal in driver.pose.hands] == [(6.0, 0.0, 2.0)]
    driver.lead(rods[3], [(2.5, 1.0, 0.5)], 60)
    assert (place(rods[3]) - Vector((2.5, 1.0, 0.5))).length < 5e-3
    assert (place(rods[7]) - Vector((6.0, 0.0, 2.0))).length < 5e-3
    driver.pose.let_go()
    driver.lead(rods[7], [(7.5, 0.0, 0.0)], 60)
    assert driver.pose.hands == [], "who takes the body again has it in hand"
    driver.pose.undo_drag()
    assert len(driver.pose.hands) == 1
    driver.lead(rods[7], [(7.5, 0.0, 0.0)], 60)
    driver.pose.keep_hand()
    driver.lead(rods[3], [(3.0, 0.0, 0.8)], 100)
    wanted = [Wanted(7, (7.5, 0.0), 1.0), Wanted(3, (3.0, 0.8), 1.0)]  # a stretched chain can't do both
    middles = settled_middles(8, wanted)
    for each in wanted:
        missed = (place(rods[each.bar]) - Vector((each.place[0], 0.0, each.place[1]))).length
        assert missed == pytest.approx(np.linalg.norm(middles[each.bar] - each.place), rel=0.05)
    driver.pose.let_go()
    driver.pose.let_go_of_hands()
    driver.lead(rods[3], [(2.5, 1.0, 0.5)], 60)
    assert (place(rods[3]) - Vector((2.5, 1.0, 0.5))).length < 5e-3
    assert (place(rods[7]) - Vector((7.5, 0.0, 0.0))).length > 0.1
    driver.steps.close()


def test_only_the_linkage_of_the_pulled_body_moves():
    rods = chain(3)
    other = body("other", (0, 5, 0))
    matrix = other.matrix_world.copy()
    posed(rods[2], (1.0, 1.0, 1.0))
    bpy.context.view_layer.update()
    assert other.matrix_world == matrix
    assert not other.ves.before_pose


def test_key_pose_keys_what_was_moved():
    rods, scene = chain(3), bpy.context.scene
    assert not bpy.ops.ves.key_pose.poll()
    posed(rods[2], (1.0, 1.0, 1.0))
    scene.frame_set(scene.frame_current)
    assert bpy.ops.ves.key_pose() == {"FINISHED"}
    assert not bpy.ops.ves.key_pose.poll()
    there = [rod.matrix_world.copy() for rod in rods]
    scene.frame_set(20)
    posed(rods[2], (1.0, -1.0, 1.5))
    assert bpy.ops.ves.key_pose() == {"FINISHED"}
    here = [rod.matrix_world.copy() for rod in rods]
    for frame, matrices in ((1, there), (20, here)):
        scene.frame_set(frame)
        for rod, matrix in zip(rods, matrices, strict=True):
            assert np.array(rod.matrix_world) == pytest.approx(np.array(matrix), abs=1e-6)
        assert largest_gap(rods) < CLOSED


def test_a_body_that_is_keyed_for_the_first_time_keeps_its_place_at_other_keys():
    """Otherwise the joints of the earlier pose would be torn."""
    rods, scene = chain(4), bpy.context.scene
    rods[0].keyframe_insert("location", frame=1)
    rods[0].keyframe_insert("rotation_euler", frame=1)
    before = {rod: np.array(rod.matrix_world) for rod in rods}
    scene.frame_set(30)
    posed(rods[3], (2.0, 1.0, 1.0))
    bpy.ops.ves.key_pose()
    scene.frame_set(1)
    for rod, matrix in before.items():
        assert np.array(rod.matrix_world) == pytest.approx(matrix, abs=1e-6)


def test_keys_go_into_the_objects_own_action():
    rods = chain(3)
    rods[1].keyframe_insert("hide_render", frame=5)
    action = rods[1].animation_data.action
    posed(rods[2], (1.0, 1.0, 1.0))
    bpy.ops.ves.key_pose()
    assert rods[1].animation_data.action == action
    assert rods[0].animation_data.action.name == "rod 0Action"


def test_one_undo_takes_the_pose_back_and_one_the_keys():
    bpy.context.preferences.edit.use_global_undo = True
    bpy.ops.ed.undo_push(message="Nothing")
    chain(3)
    bpy.ops.ed.undo_push(message="Chain")
    posed(bpy.data.objects["rod 2"], (1.0, 1.0, 1.0))
    bpy.ops.ed.undo_push(message="Pose")
    bpy.ops.ves.key_pose()
    bpy.ops.ed.undo_push(message="Key Pose")
    bpy.ops.ed.undo()
    assert bpy.data.objects["rod 2"].animation_data is None
    assert bpy.context.scene.ves.pose_has_unkeyed
    assert bpy.data.objects["rod 2"].location.z > 0.5
    bpy.ops.ed.undo()
    assert tuple(bpy.data.objects["rod 2"].location) == (2.5, 0.0, 0.0)
    assert not bpy.context.scene.ves.pose_has_unkeyed


@pytest.mark.parametrize("hindrance", ["constraint", "bake", "fixed", "open"])
def test_what_cannot_be_posed_is_refused_by_name(hindrance):
    rods = chain(4)
    word = {"constraint": "Hold", "bake": "Clear Bake", "fixed": "rod 3"}
    if hindrance == "constraint":
        rods[1].constraints.new("LIMIT_LOCATION").name = "Hold"
    elif hindrance == "bake":
        bpy.context.scene.frame_end = 5
        bpy.ops.ves.bake()
    elif hindrance == "fixed":
        rods[3].ves.motion = "FIXED"
    else:
        mark = part("mark", "NONE", (0.0, 0.0, 1.0))
        tie = next(ob for ob in bpy.context.scene.objects if ob.ves.role == "JOINT")
        tie.ves.anchor_b = mark
        word["open"] = "Snap Together"
    bpy.context.view_layer.update()
    before = scene_state()
    with pytest.raises(RuntimeError, match=word[hindrance]):
        posed(rods[3], (2.0, 1.0, 1.0))
    assert scene_state() == before


def test_each_body_that_hinders_is_a_finding_of_its_own():
    """All stood in one, about nobody, which began with "Rod 0"."""
    rods = chain(2, 8)
    bpy.ops.ves.bake()
    with pytest.raises(RuntimeError, match="rod 1: its baked keyframes"):
        posed(rods[1], (1, 1, 1))
    text = "its baked keyframes would come back at the next frame: Clear Bake first"
    found = [(each.culprit, each.text) for each in bpy.context.scene.ves.findings]
    assert found == [(rod, f"{rod.name}: {text}") for rod in rods]


@pytest.mark.parametrize("closed_by", ["joint", "nail"])
def test_a_loop_is_dragged_and_stays_closed(closed_by: str) -> None:
    """A garland of four rods between two places, bent at first; its end stays where the joint or the nail has it."""
    rods = chain(4)
    for rod, angle in zip(rods, (0.5, 0.2, -0.2, -0.5), strict=True):
        rod.rotation_euler.y = -angle
    place = np.zeros(3)
    for rod, name in zip(rods, ("joint 0", "joint 1", "joint 2", "joint 3"), strict=True):
        bpy.data.objects[name].location = place
        way = np.array(rod.rotation_euler.to_matrix()) @ (1.0, 0.0, 0.0)
        rod.location, place = place + 0.5 * way, place + way
    if closed_by == "joint":
        joint("Hinge", place, None, rods[3])
    else:
        part("tack", "NAIL", place).ves.body_a = rods[3]
    bpy.context.view_layer.update()
    target = np.array([1.38, 0.4, 0.3])  # 1.47 m from one end, of 1.5 m that a rod and a half reach
    assert posed(rods[1], target) == {"FINISHED"}
    assert np.abs(np.array(rods[1].matrix_world.translation) - target).max() < 1e-3
    ends = [[np.array(rod.matrix_world @ Vector((side, 0.0, 0.0))) for side in (-0.5, 0.5)] for rod in rods]
    assert np.abs(ends[0][0]).max() < 1e-5
    assert np.abs(ends[3][1] - place).max() < 1e-5
    for one, other in pairwise(ends):
        assert np.abs(one[1] - other[0]).max() < 1e-5


def test_a_live_linkage_is_led_by_its_drives_and_not_posed():
    rods = chain(2)
    rods[0].ves.is_live = True
    with pytest.raises(RuntimeError, match="End Live"):
        posed(rods[1], (1.0, 1.0, 0.0))


def test_another_linkage_with_a_loop_does_not_matter():
    rods = chain(3)
    other = body("other", (0, 5, 0))
    part("tack", "NAIL", (0, 5, 0)).ves.body_a = other
    assert posed(rods[2], (1.0, 1.0, 1.0)) == {"FINISHED"}


def test_without_a_target_nothing_is_done():
    chain(3)
    with pytest.raises(RuntimeError, match="target"):
        bpy.ops.ves.pose(body="rod 2")
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    assert not bpy.ops.ves.pose.poll()


def test_empties_that_are_no_children_go_along_and_a_bake_starts_there():
    """A universal joint has an axis on each body: after a pose its Empty must fit both."""
    rods = chain(3)
    elbow = joint("elbow", (2, 0, 0), rods[1], rods[2], "UNIVERSAL")
    for tie in [ob for ob in bpy.context.scene.objects if ob.ves.role == "JOINT" and ob != elbow]:
        if tie.ves.body_b == rods[2]:
            bpy.data.objects.remove(tie)
    posed(rods[2], (1.0, 1.0, 1.5), (0.5, 0.0, 0.0))
    assert (place(elbow) - place(rods[1], (0.5, 0, 0))).length < CLOSED
    x, y = (elbow.matrix_world.col[i].to_3d() for i in (0, 1))
    assert (x - rods[1].matrix_world.col[0].to_3d().normalized()).length < 1e-5
    assert (y - rods[2].matrix_world.col[1].to_3d().normalized()).length < 1e-5


class Driver:
    """Steps a session as a window does."""

    def __init__(self) -> None:
        self.pose = Pose(bpy.context.scene, bpy.context.view_layer)
        self.steps = self.pose.steps()
        while not self.pose.is_running:
            next(self.steps)

    def lead(self, owner: bpy.types.Object, way: list, ticks: int = 30) -> None:
        start = place(owner)
        assert self.pose.grab(owner, start), self.pose.message
        for goal in way:
            self.pose.drag(goal)
            for _ in range(ticks):
                next(self.steps)


def test_a_drag_is_shown_at_once_and_taken_back():
    rods = chain(5)
    before = scene_state()
    driver = Driver()
    driver.lead(rods[4], [(4.0, 0.0, 0.5), (3.5, 0.5, 1.0)])
    assert (place(rods[4]) - Vector((3.5, 0.5, 1.0))).length < 5e-3
    assert driver.pose.hand is not None
    driver.pose.undo_drag()
    assert np.array(place(rods[4])) == pytest.approx((4.5, 0.0, 0.0), abs=1e-6)
    driver.lead(rods[4], [(3.5, 0.5, 1.0)])
    driver.pose.let_go()
    assert largest_gap(rods) < CLOSED
    driver.steps.close()
    assert scene_state() == before


def test_the_header_says_that_a_dead_centre_was_left_by_one_of_two_ways():
    """A crank of 1 m and a rod of 2 m in line with a slider: pulled back, the crank goes up or down."""
    crank, rod, slider = body("crank", (0.5, 0, 0)), body("rod", (2, 0, 0), (2, 0.1, 0.1)), body("slider", (3, 0, 0))
    joint("bearing", (0, 0, 0), None, crank, "REVOLUTE")
    joint("pin", (1, 0, 0), crank, rod, "REVOLUTE")
    joint("knuckle", (3, 0, 0), rod, slider, "REVOLUTE")
    guide = joint("guide", (3, 0, 0), None, slider, "PRISMATIC")
    guide.rotation_euler.y = np.pi / 2.0  # in single precision 4e-8 off, by which the guide contradicts the hinges
    bpy.context.view_layer.update()
    driver = Driver()
    driver.lead(slider, [(2.7, 0, 0)])
    assert "left a dead centre" in driver.pose.status
    assert place(slider).x == pytest.approx(2.7, abs=5e-3)
    driver.pose.let_go()
    driver.lead(slider, [(2.5, 0, 0)])
    assert "dead centre" not in driver.pose.status
    driver.steps.close()


def test_right_angles_in_single_precision_are_exact_ones_and_others_stay():
    assert right_angled((0.7071067657322379, -0.0, 0.7071067966408568, 0.0)) == (0.5**0.5, -0.0, 0.5**0.5, 0.0)
    assert right_angled((-0.5, 0.49999997, 0.5, -0.50000003)) == (-0.5, 0.5, 0.5, -0.5)
    for other in ((0.9238795325, 0.0, 0.3826834324, 0.0), (0.70711, 0.0, 0.70711, 0.0), (0.6, 0.0, 0.8, 0.0)):
        assert right_angled(other) == other


@once
def test_far_from_the_hand_nothing_is_written_for_less_than_can_be_seen(monkeypatch):
    monkeypatch.setattr(pose_module, "BUDGET", 10.0)  # as far as it goes, on a slow machine too
    rods = chain(300)
    driver = Driver()
    written = []
    driver.pose.grab(rods[299], place(rods[299]))
    for k in range(10):
        driver.pose.drag(Vector((299.5, 0.0, 0.05 * k)))
        next(driver.steps)
        next(driver.steps)
        written.append(driver.pose._stage.written)
    assert 0 < max(written) < 120, "of 300"
    driver.pose.let_go()
    driver.pose.keep()
    result = run_to_end(driver.steps)
    assert result.bodies > max(written)
    assert largest_gap(rods) < 5e-5, "what is 300 m away has coordinates with seven digits"


def test_keys_at_release_are_made_and_esc_takes_them_away():
    rods, scene = chain(3), bpy.context.scene
    rods[1].keyframe_insert("location", frame=1)
    rods[1].keyframe_insert("location", frame=7)
    scene.ves.pose_auto_key = True
    before, keys = scene_state(), keys_of(rods[1])
    driver = Driver()
    driver.lead(rods[2], [(1.0, 1.0, 1.0)])
    driver.pose.let_go()
    assert all(rod.animation_data is not None for rod in rods)
    assert keys_of(rods[1]) != keys
    driver.steps.close()
    assert scene_state() == before
    assert keys_of(rods[1]) == keys
    driver = Driver()
    driver.lead(rods[2], [(1.0, 1.0, 1.0)])
    driver.pose.keep()
    result = run_to_end(driver.steps)
    assert (result.bodies, result.keyed) == (3, 1.0)
    assert not scene.ves.pose_has_unkeyed


def test_another_frame_ends_the_session():
    rods, scene = chain(3), bpy.context.scene
    driver = Driver()
    driver.lead(rods[2], [(1.0, 1.0, 1.0)])
    scene.frame_set(5)
    assert run_to_end(driver.steps).bodies == 3
    assert rods[2].location.z > 0.5


def elbow(upper: float) -> list[bpy.types.Object]:
    """Two rods on hinges about Y; the second one bends by -`upper` to `upper` (rad)."""
    rods = chain(2)
    for i in range(2):
        hinge = bpy.data.objects[f"joint {i}"]
        hinge.ves.joint_type, hinge.rotation_euler.x = "REVOLUTE", 0.5 * np.pi
    hinge.ves.use_lower_limit[0] = hinge.ves.use_upper_limit[0] = True
    hinge.ves.lower_limit[0], hinge.ves.upper_limit[0] = -upper, upper
    bpy.context.view_layer.update()
    return rods


def bend(rods: list[bpy.types.Object]) -> float:
    bpy.context.view_layer.update()
    turns = [np.arctan2(rod.matrix_world[2][0], rod.matrix_world[0][0]) for rod in rods]
    return float((turns[1] - turns[0] + np.pi) % (2.0 * np.pi) - np.pi)


def test_a_joint_keeps_to_its_limit_and_is_named():
    rods = elbow(0.5)
    assert posed(rods[1], (0.0, 0.0, 1.0), (0.5, 0, 0)) == {"FINISHED"}
    assert abs(bend(rods)) == pytest.approx(0.5, abs=1e-5)
    assert bpy.context.scene.ves.pose_status.endswith("m from its place: joint 1 at its limit")


def test_limits_count_from_the_first_frame_and_what_is_not_keyed_stays():
    rods, scene = elbow(0.5), bpy.context.scene
    for rod in rods:
        rod.keyframe_insert("location", frame=1)
        rod.keyframe_insert("rotation_euler", frame=1)
    scene.frame_set(10)
    bystander = part("bystander", "NONE")
    bystander.keyframe_insert("location", frame=1)
    bystander.location.x = 7.0
    posed(rods[1], (0.0, 0.0, 1.0), (0.5, 0, 0))
    bpy.ops.ves.key_pose()
    first = bend(rods)
    assert abs(first) == pytest.approx(0.5, abs=1e-5)
    posed(rods[1], (0.0, 0.0, 1.0), (0.5, 0, 0))
    assert bend(rods) == pytest.approx(first, abs=1e-5), "it is at its limit already, not at a new 0"
    assert scene.frame_current == 10
    assert bystander.location.x == 7.0
    scene.frame_set(1)
    assert bend(rods) == pytest.approx(0.0, abs=1e-6)


@pytest.mark.parametrize("keeps_apart", [True, False])
def test_with_contact_on_bodies_do_not_go_through_the_ground_and_each_other(keeps_apart: bool):
    scene = bpy.context.scene
    scene.ves.use_contact, scene.ves.use_ground, scene.ves.ground_height = True, True, -0.5
    scene.ves.pose_contact = keeps_apart
    rods = chain(3)
    wall = body("wall", (2.0, 1.0, 0.0), (4.0, 0.1, 3.0), "FIXED")
    bpy.context.view_layer.update()
    posed(rods[2], (2.0, 0.0, -1.5))
    lowest = min((rod.matrix_world @ Vector(corner)).z for rod in rods for corner in rod.bound_box)
    status = scene.ves.pose_status
    assert (lowest > -0.5) == keeps_apart
    assert ("rod 2 meets the ground" in status) == keeps_apart, status
    posed(rods[2], (2.0, 2.0, 0.5))
    farthest = max((rod.matrix_world @ Vector(corner)).y for rod in rods for corner in rod.bound_box)
    assert (farthest < 0.95) == keeps_apart
    assert wall.location.y == 1.0
    assert ("rod 2 meets wall" in scene.ves.pose_status) == keeps_apart


def test_a_linkage_too_large_to_be_kept_apart_is_said():
    bpy.context.scene.ves.use_contact = True
    rods = chain(45)
    driver = Driver()
    driver.lead(rods[44], [(44.0, 0.0, 0.3)], 2)
    assert "more than 120 coordinates" in driver.pose.message
    driver.steps.close()


@pytest.mark.parametrize("tense", [0.0, 1.0])
def test_a_tense_figure_moves_as_a_whole(tense: float):
    rods = chain(4)
    bpy.data.objects.remove(bpy.data.objects["joint 0"])  # it floats
    bpy.context.scene.ves.pose_tense = tense
    posed(rods[3], (3.5, 0.0, 1.0))
    turns = [rod.matrix_world.to_quaternion() for rod in rods]
    bent = max(a.rotation_difference(b).angle for a, b in pairwise(turns))
    assert bent > 0.1 if tense == 0.0 else bent < 0.01
    assert (place(rods[3]) - Vector((3.5, 0.0, 1.0))).length < 1e-3


def test_a_linkage_too_large_to_be_tense_is_said():
    bpy.context.scene.ves.pose_tense = 0.5
    rods = chain(45)
    driver = Driver()
    driver.lead(rods[44], [(44.0, 0.0, 0.3)], 2)
    assert "stays limp" in driver.pose.message
    driver.steps.close()


def test_digits_tell_in_a_chain_of_thirty_links_and_a_budget_of_time_is_kept():
    """Few digits leave links stiff that move little; with next to no time the header says how exact a step was."""
    rods, settings = chain(30), bpy.context.scene.ves
    driver, joints = Driver(), []
    for digits in (0.3, 6.0):
        settings.pose_digits = digits
        driver.lead(rods[29], [(29.0, 0.0, 0.5)], 1)
        joints.append(driver.pose._posing.solved)
        driver.pose.undo_drag()
    assert joints[0] < 0.7 * joints[1]
    assert " digits in " not in driver.pose.status
    settings.pose_time = 1e-3
    driver.lead(rods[29], [(29.0, 0.0, 0.5)], 2)
    assert " digits in 0.001 ms" in driver.pose.status
    driver.steps.close()
