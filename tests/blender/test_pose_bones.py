# SPDX-License-Identifier: GPL-3.0-or-later
"""Pose of bones with bodies: joints stay closed, keys are in the rig's action, Esc and undo leave nothing."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from mathutils import Matrix, Vector
from virtual_erector_set.scene.pose.pose import Pose

from tests.blender import rigs
from tests.blender.linkages import joint
from tests.blender.making import box, select, with_role

MODES = ("QUATERNION", "XYZ", "ZYX", "AXIS_ANGLE", "YXZ")


def row(gap: float = 0.0) -> rigs.Bones:
    """Five in a row; B3 begins a gap beside the end of B2, all others are connected."""
    return {
        f"B{i}": (
            f"B{i - 1}" if i else None,
            (0.3 * i + gap * (i == 3), 0.0, 1.0 + 0.1 * i),
            (0.3 * (i + 1), 0.0, 1.1 + 0.1 * i),
            0.05,
        )
        for i in range(5)
    }


def chain(gap: float = 0.01) -> tuple[bpy.types.Object, dict[str, bpy.types.Object]]:
    """A ragdoll of five bones in other rotation modes each, in a rig that is turned and scaled."""
    rig = rigs.make_rig("Rig", row(gap), with_skin=False, turned=0.4)
    for mode, bone in zip(MODES, rig.pose.bones, strict=True):
        bone.rotation_mode = mode
    turn = Matrix.Rotation(0.5, 3, (1, 2, 3)).to_quaternion()
    rig.matrix_world = Matrix.LocRotScale((1.0, 2.0, 3.0), turn, (1.5,) * 3)
    bpy.context.view_layer.update()
    select(rig)
    bpy.ops.ves.ragdoll(use_contact=False, with_limits=False)
    bpy.context.view_layer.update()
    return rig, {ob.parent_bone: ob for ob in with_role("BODY")}


def ends(rig: bpy.types.Object) -> np.ndarray:
    """(5, 2, 3) m: heads and tails of the bones in the world."""
    bpy.context.view_layer.update()
    return np.array([[rig.matrix_world @ end for end in (bone.head, bone.tail)] for bone in rig.pose.bones])


def own(rig: bpy.types.Object) -> np.ndarray:
    """Location, rotation and scale values of all bones."""
    names = ("location", "rotation_euler", "rotation_quaternion", "rotation_axis_angle", "scale")
    return np.array([[x for name in names for x in getattr(bone, name)] for bone in rig.pose.bones])


def posed(owner: bpy.types.Object, target) -> set[str]:
    return bpy.ops.ves.pose(body=owner.name, point=(0, 0, 0), target=target)


def gap_of(rig: bpy.types.Object, first: np.ndarray) -> float:
    """m: by how much joints of the rig have opened since its bones' `ends` were `first`."""
    now, opened = ends(rig), 0.0
    for i in range(1, 5):
        apart = [np.linalg.norm(each[i, 0] - each[i - 1, 1]) for each in (now, first)]
        opened = max(opened, abs(apart[0] - apart[1]))
    lengths = np.linalg.norm(now[:, 1] - now[:, 0], axis=1) - np.linalg.norm(first[:, 1] - first[:, 0], axis=1)
    return max(opened, float(np.abs(lengths).max()))


def test_bones_follow_to_the_place_in_their_own_rotation_modes() -> None:
    rig, bodies = chain()
    first = ends(rig)
    goal = Vector(first[4, 0]) + Vector((-0.3, 0.2, 0.4))
    assert posed(bodies["B4"], goal) == {"FINISHED"}
    assert np.abs(ends(rig)[4, 0] - goal).max() < 1e-3
    assert gap_of(rig, first) < 1e-5
    assert [bone.rotation_mode for bone in rig.pose.bones] == list(MODES)
    assert rig.animation_data is None
    connected = [bone for bone in rig.pose.bones if bone.bone.use_connect]
    assert len(connected) == 3
    assert all(bone.location.length == 0.0 for bone in connected), "their location is their parents' tails"
    for bone, body in bodies.items():
        shown = np.array(rig.matrix_world @ rig.pose.bones[bone].matrix)
        assert np.array(body.matrix_world) == pytest.approx(shown, abs=2e-6)


def test_bones_and_objects_in_one_linkage() -> None:
    rig, bodies = chain()
    bag = box("Bag", position=ends(rig)[4, 1], size=(0.2, 0.2, 0.2))
    select(bag)
    bpy.ops.ves.add_body()
    joint("strap", ends(rig)[4, 1], bodies["B4"], bag, "SPHERICAL")
    first = ends(rig)
    assert posed(bag, bag.location + Vector((0.1, 0.5, -0.4))) == {"FINISHED"}
    assert np.abs(ends(rig)[:, 1] - first[:, 1]).max() > 0.05
    assert gap_of(rig, first) < 1e-5
    assert (bag.matrix_world.inverted() @ Vector(ends(rig)[4, 1])).length < 1e-5, "it hangs at the tail as before"


def test_key_pose_keys_the_bones_that_have_moved() -> None:
    """Each where it is, and nothing of those that stand still beside the bone above them."""
    rig, bodies = chain()
    scene = bpy.context.scene
    rig.pose.bones["B2"].keyframe_insert("rotation_euler", frame=1)
    posed(bodies["B4"], Vector(ends(rig)[4, 0]) + Vector((-0.3, 0.2, 0.4)))
    assert bpy.ops.ves.key_pose() == {"FINISHED"}
    there = ends(rig)
    paths = {curve.data_path for curve in rigs_curves(rig)}
    assert 'pose.bones["B1"].rotation_euler' in paths
    assert 'pose.bones["B1"].location' not in paths, "it is connected"
    assert 'pose.bones["B3"].rotation_axis_angle' in paths
    scene.frame_set(20)
    posed(bodies["B4"], Vector(ends(rig)[4, 0]) + Vector((0.2, -0.4, 0.1)))
    assert bpy.ops.ves.key_pose() == {"FINISHED"}
    here = ends(rig)
    for frame, wanted in ((1, there), (20, here)):
        scene.frame_set(frame)
        assert ends(rig) == pytest.approx(wanted, abs=1e-5)
    assert np.abs(here - there).max() > 0.1


def rigs_curves(rig: bpy.types.Object) -> list[bpy.types.FCurve]:
    """The curves of its action."""
    animation = rig.animation_data
    return list(animation.action.layers[0].strips[0].channelbag(animation.action_slot).fcurves)


def test_a_bone_that_does_not_move_against_the_one_above_is_not_keyed() -> None:
    """A welded bone goes along: its own values are the same."""
    rig, bodies = chain()
    weld = next(ob for ob in with_role("JOINT") if ob.ves.body_b == bodies["B4"])
    weld.ves.joint_type = "FIXED"
    posed(bodies["B3"], Vector(ends(rig)[3, 0]) + Vector((-0.2, 0.3, 0.2)))
    bpy.ops.ves.key_pose()
    assert not any('"B4"' in curve.data_path for curve in rigs_curves(rig))
    assert any('"B3"' in curve.data_path for curve in rigs_curves(rig))


def test_esc_gives_all_back_keys_included() -> None:
    rig, bodies = chain()
    scene = bpy.context.scene
    scene.ves.pose_auto_key = True
    before, first = own(rig), ends(rig)
    pose = Pose(scene, bpy.context.view_layer)
    steps = pose.steps()
    while not pose.is_running:
        next(steps)
    assert pose.grab(bodies["B4"], Vector(first[4, 0])), pose.message
    pose.drag(Vector(first[4, 0]) + Vector((-0.3, 0.2, 0.4)))
    for _ in range(30):
        next(steps)
    assert np.abs(ends(rig) - first).max() > 0.1
    assert gap_of(rig, first) < 5e-3, "what is smaller than a thousandth of the way to the hand is not shown meanwhile"
    pose.let_go()
    assert rigs_curves(rig)
    steps.close()
    assert (own(rig) == before).all()
    assert rig.animation_data is None
    assert not any(action.users for action in bpy.data.actions)


def test_while_the_mouse_moves_every_bone_is_where_it_was_solved_to_be() -> None:
    """Also those whose bone above has hardly moved: they were put as if that had not moved at all."""
    rig = rigs.make_rig("Human", rigs.human(""), with_skin=False)
    select(rig)
    bpy.ops.ves.ragdoll(use_contact=False)
    bodies = {ob.parent_bone: ob for ob in with_role("BODY")}
    bodies["Hips"].ves.is_pinned = True
    pose = Pose(bpy.context.scene, bpy.context.view_layer)
    steps = pose.steps()
    while not pose.is_running:
        next(steps)
    start = Vector(bodies["LeftHand"].matrix_world.translation)
    assert pose.grab(bodies["LeftHand"], start), pose.message
    for k in range(20):
        pose.drag(start + Vector((-0.02, -0.015, 0.01)) * k)
        next(steps)
        position, _ = pose._posing.poses()
        bpy.context.view_layer.update()
        for row, binding in pose._stage.bindings.items():
            assert np.abs(position[row] - binding.object.matrix_world.translation).max() < 5e-3, binding.object.name
    pose.let_go()
    for row, binding in pose._stage.bindings.items():
        assert np.abs(pose._posing.poses()[0][row] - binding.object.matrix_world.translation).max() < 2e-6
    steps.close()


def test_pose_mode_and_undo() -> None:
    bpy.context.preferences.edit.use_global_undo = True
    rig, bodies = chain()
    before = own(rig)
    select(rig)
    bpy.ops.object.mode_set(mode="POSE")
    bpy.ops.ed.undo_push(message="Built")
    rig.data.bones.active = rig.data.bones["B4"]
    assert bpy.ops.ves.pose(target=Vector(ends(rig)[4, 0]) + Vector((-0.3, 0.2, 0.4))) == {"FINISHED"}
    bpy.ops.ed.undo_push(message="Pose")
    assert np.abs(own(rig) - before).max() > 0.1
    bpy.ops.ed.undo()
    assert (own(bpy.data.objects["Rig"]) == before).all()


def test_pins_of_selected_bones_hold() -> None:
    rig, bodies = chain()
    posed(bodies["B4"], Vector(ends(rig)[4, 0]) + Vector((-0.4, 0.2, 0.2)))
    select(rig)
    bpy.ops.object.mode_set(mode="POSE")
    for bone in rig.pose.bones:
        (bone if bpy.app.version >= (5, 0, 0) else bone.bone).select = bone.name == "B0"
    assert bpy.ops.ves.pin_bodies() == {"FINISHED"}
    assert [name for name, body in bodies.items() if body.ves.is_pinned] == ["B0"]
    first = ends(rig)
    posed(bodies["B4"], Vector(first[4, 0]) + Vector((0.05, -0.1, 0.1)))
    assert np.abs(ends(rig)[0, 0] - first[0, 0]).max() < 2e-3


@pytest.mark.parametrize("hindrance", ["constraint", "bake"])
def test_what_would_win_is_refused_by_name(hindrance: str) -> None:
    rig, bodies = chain()
    if hindrance == "constraint":
        rig.pose.bones["B1"].constraints.new("LIMIT_ROTATION").name = "Hold"
    else:
        bpy.context.scene.frame_end = 5
        bpy.ops.ves.bake()
    before = own(rig)
    with pytest.raises(RuntimeError, match={"constraint": "Hold", "bake": "Clear Bake"}[hindrance]):
        posed(bodies["B4"], (0.0, 0.0, 0.0))
    assert (own(rig) == before).all()


def test_locks_that_were_gone_against_are_named(capfd: pytest.CaptureFixture[str]) -> None:
    rig, bodies = chain()
    rig.pose.bones["B1"].lock_rotation = (True, True, True)
    posed(bodies["B4"], Vector(ends(rig)[4, 0]) + Vector((-0.3, 0.2, 0.4)))
    said = capfd.readouterr().out
    assert "rotation Y, rotation Z of B1 is locked" in said


def test_limits_count_from_the_first_frame_where_the_rig_has_keys() -> None:
    """A knee that is keyed straight at the first frame, and bent where it is posed on, keeps to its range."""
    rig = rigs.make_rig("Human", rigs.human(""))
    select(rig)
    bpy.ops.ves.ragdoll(use_contact=False)
    bodies = {ob.parent_bone: ob for ob in with_role("BODY")}
    bone = rig.pose.bones["LeftLeg"]
    bone.rotation_mode = "XYZ"
    knee = next(ob for ob in with_role("JOINT") if ob.ves.body_b == bodies["LeftLeg"])
    upper = knee.ves.upper_limit[0]
    assert knee.ves.joint_type == "REVOLUTE"
    bone.keyframe_insert("rotation_euler", frame=1)
    scene = bpy.context.scene
    scene.frame_set(10)

    def angle() -> float:
        bpy.context.view_layer.update()
        turn = rig.pose.bones["LeftUpLeg"].matrix.inverted() @ bone.matrix
        rest = bone.parent.bone.matrix_local.inverted() @ bone.bone.matrix_local
        return (rest.inverted() @ turn).to_quaternion().angle

    for _ in range(4):  # each pull bends it on, as far as it goes
        foot, hip = (rig.matrix_world @ rig.pose.bones[name].head for name in ("LeftFoot", "LeftUpLeg"))
        for name in ("LeftUpLeg",):
            bodies[name].ves.is_pinned = True
        posed(bodies["LeftFoot"], foot + 0.5 * (hip - foot) + Vector((0.0, 0.2, 0.0)))
        bpy.ops.ves.key_pose()
    assert 0.5 < angle() < upper + 0.01


@pytest.mark.parametrize("mirrors", [True, False])
def test_x_mirror_poses_the_other_side(mirrors: bool) -> None:
    """About the X of the rig, which is turned and moved."""
    rig = rigs.make_rig("Human", rigs.human(""), with_skin=False)
    rig.matrix_world = Matrix.Translation((1.0, 2.0, 0.5)) @ Matrix.Rotation(0.7, 4, "Z")
    bpy.context.view_layer.update()
    select(rig)
    bpy.ops.ves.ragdoll(use_contact=False)
    bodies = {ob.parent_bone: ob for ob in with_role("BODY")}
    bodies["Hips"].ves.is_pinned = bodies["Hips"].ves.pin_turn = True
    bpy.context.scene.ves.pose_mirror = mirrors
    assert posed(bodies["LeftHand"], bodies["LeftHand"].matrix_world.translation + Vector((-0.2, -0.2, 0.3))) == {
        "FINISHED"
    }
    bpy.context.view_layer.update()
    heads = {bone.name: np.array(bone.head) for bone in rig.pose.bones}
    apart = [
        np.abs(heads[name] - (-1.0, 1.0, 1.0) * heads[name.replace("Left", "Right")]).max()
        for name in heads
        if name.startswith("Left") and name in bodies
    ]
    assert np.abs(heads["LeftHand"] - np.array(rig.data.bones["LeftHand"].head_local)).max() > 0.15
    assert (max(apart) < 2e-3) == mirrors


def test_x_mirror_of_objects_in_two_linkages_and_what_has_no_other_side() -> None:
    arms = {
        side: box(f"Arm.{side}", position=(x, 0.0, 0.0), size=(1.0, 0.1, 0.1)) for side, x in (("L", 1.0), ("R", -1.0))
    }
    middle = box("Head", position=(0.0, 2.0, 0.0))
    select(*arms.values(), middle)
    bpy.ops.ves.add_body()
    for side, x in (("L", 0.5), ("R", -0.5)):
        joint(f"shoulder {side}", (x, 0.0, 0.0), None, arms[side])
    bpy.context.scene.ves.pose_mirror = True
    target = Vector((1.2, 0.3, 0.2))
    posed(arms["L"], target)
    left, right = (np.array(arms[side].matrix_world.translation) for side in "LR")
    assert np.abs(left - (1.0, 0.0, 0.0)).max() > 0.1
    assert right == pytest.approx(left * (-1.0, 1.0, 1.0), abs=1e-4)
    posed(middle, (0.3, 2.0, 0.0))
    assert middle.location.x == pytest.approx(0.3, abs=1e-3)
    pose = Pose(bpy.context.scene, bpy.context.view_layer)
    steps = pose.steps()
    while not pose.is_running:
        next(steps)
    assert pose.grab(arms["R"], right)
    pose.drag(right + (0.1, 0.1, 0.1))
    assert len(pose.hands) == 1, "the mirrored one is drawn"
    for _ in range(20):
        next(steps)
    pose.keep_hand()
    assert len(pose.hands) == 2
    assert pose.grab(arms["R"], np.array(arms["R"].matrix_world.translation))
    pose.undo_drag()
    assert len(pose.hands) == 2
    steps.close()
    assert np.array(arms["L"].matrix_world.translation) == pytest.approx(left, abs=1e-6)
