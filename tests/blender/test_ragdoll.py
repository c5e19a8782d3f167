# SPDX-License-Identifier: GPL-3.0-or-later
"""Ragdoll: which bones of a rig become bodies, with which joints, and that the rig itself stays as it was."""

from __future__ import annotations

import math

import bpy
import numpy as np
import pytest
from mathutils import Matrix, Quaternion
from virtual_erector_set.scene.read.scene import read_mechanism

from tests.blender import rigs
from tests.blender.making import select, with_role
from tests.blender.versions import oldest_and_newest

TRUNK_AND_LIMBS = ["Hips", "Spine", "Spine1", "Spine2", "Neck", "Head"] + [
    f"{side}{name}" for side in ("Left", "Right") for name in rigs.SIDE if name != "ToeBase"
]
LEFT_OUT_OF_METARIG = ("face", "finger", "f_", "thumb", "palm", "toe", "heel", "breast", "pelvis")


def human() -> bpy.types.Object:
    return rigs.make_rig("Man", rigs.human(), 100.0, upright=True)


def mannequin() -> bpy.types.Object:
    return rigs.make_rig("Mannequin", rigs.mannequin(), 100.0, turned=0.7)


def dog() -> bpy.types.Object:
    return rigs.make_rig("Dog", rigs.dog())


def bare() -> bpy.types.Object:
    return rigs.make_rig("Bare", rigs.human(), with_skin=False)


def ragdoll(rig: bpy.types.Object, **options) -> dict[str, bpy.types.Object]:
    """Bodies by the names of their bones."""
    select(rig)
    assert bpy.ops.ves.ragdoll(**options) == {"FINISHED"}
    return {ob.parent_bone: ob for ob in with_role("BODY")}


def joint_of(body: bpy.types.Object) -> bpy.types.Object:
    return next(joint for joint in with_role("JOINT") if joint.ves.body_b == body)


def expected_of(make) -> set[str]:
    if make in (human, bare):
        return {f"mixamorig:{name}" for name in TRUNK_AND_LIMBS}
    if make == mannequin:
        names = {rigs.UNREAL[name.removeprefix("Left").removeprefix("Right")] for name in TRUNK_AND_LIMBS}
        middle = {rigs.UNREAL[name] for name in rigs.HUMAN}
        return middle | {f"{name}_{side}" for name in names - middle for side in "lr"}
    return {name for name in rigs.dog() if not name.startswith("paw")}


@pytest.mark.parametrize("make", [human, mannequin, dog, bare])
def test_bones_with_bodies_are_those_of_trunk_and_limbs(make) -> None:
    rig = make()
    before = rigs.described(rig)
    bodies = ragdoll(rig)
    assert set(bodies) == expected_of(make)
    assert rigs.described(rig) == before
    for name, body in bodies.items():
        bone = rig.matrix_world @ rig.pose.bones[name].matrix
        np.testing.assert_allclose(body.matrix_world, bone, atol=1e-5)
    joints = with_role("JOINT")
    assert len(joints) == len(bodies) - 1
    for joint in joints:
        head = rig.matrix_world @ rig.pose.bones[joint.ves.body_b.parent_bone].head
        assert (joint.matrix_world.translation - head).length < 1e-5


def test_of_the_metarig_trunk_and_limbs() -> None:
    bodies = ragdoll(rigs.metarig())
    assert len(bodies) == 21
    assert not [name for name in bodies if name.startswith(LEFT_OUT_OF_METARIG)]
    assert {"spine", "spine.006", "shoulder.L", "hand.R", "shin.L", "foot.R"} <= set(bodies)


@pytest.mark.parametrize(
    ("make", "knees", "elbows"),
    [(human, "mixamorig:{}Leg", "mixamorig:{}ForeArm"), (mannequin, "calf_{}", "lowerarm_{}")],
)
def test_knees_bend_backwards_and_elbows_forwards(make, knees: str, elbows: str) -> None:
    """Turned by a positive angle about its joint's axis, a shin goes to the back (+Y) and a forearm to the front."""
    rig = make()
    bodies = ragdoll(rig)
    for label, way in ((knees, 1.0), (elbows, -1.0)):
        for side in ("Left", "Right") if "mixamo" in label else ("l", "r"):
            body = bodies[label.format(side)]
            joint = joint_of(body)
            assert joint.ves.joint_type == "REVOLUTE"
            lower, upper = joint.ves.lower_limit[0], joint.ves.upper_limit[0]
            assert -math.radians(10.0) < lower < 0.0
            assert upper > math.radians(120.0)
            axis = joint.matrix_world.col[2].to_3d()
            bone = rig.pose.bones[body.parent_bone]
            along = rig.matrix_world.to_3x3() @ (bone.tail - bone.head)
            assert axis.cross(along).y * way > 0.5 * along.length


def test_joints_are_what_the_rig_says() -> None:
    rig = bare()
    elbow, wrist, ankle = (rig.pose.bones[f"mixamorig:Left{name}"] for name in ("ForeArm", "Hand", "Foot"))
    elbow.rotation_mode, elbow.lock_rotation = "XYZ", (False, True, True)
    wrist.lock_ik_x = wrist.lock_ik_y = True
    wrist.use_ik_limit_z, wrist.ik_min_z, wrist.ik_max_z = True, -0.5, 0.7
    limit = ankle.constraints.new("LIMIT_ROTATION")
    limit.owner_space, limit.use_limit_x, limit.min_x, limit.max_x = "LOCAL", True, -0.2, 0.3
    bodies = ragdoll(rig)
    of_elbow, of_wrist, of_ankle = (joint_of(bodies[bone.name]) for bone in (elbow, wrist, ankle))
    assert of_elbow.ves.joint_type == of_wrist.ves.joint_type == "REVOLUTE"
    assert not of_elbow.ves.use_lower_limit[0]
    np.testing.assert_allclose(of_elbow.matrix_world.col[2][:3], elbow.matrix.col[0][:3], atol=1e-5)
    np.testing.assert_allclose(of_wrist.matrix_world.col[2][:3], wrist.matrix.col[2][:3], atol=1e-5)
    np.testing.assert_allclose((of_wrist.ves.lower_limit[0], of_wrist.ves.upper_limit[0]), (-0.5, 0.7), atol=1e-6)
    assert of_ankle.ves.joint_type == "SPHERICAL"
    np.testing.assert_allclose((of_ankle.ves.lower_limit[0], of_ankle.ves.upper_limit[0]), (-0.2, 0.3), atol=1e-6)


def test_angles_count_from_the_pose_at_rest() -> None:
    rig = bare()
    knee = rig.pose.bones["mixamorig:LeftLeg"]
    knee.rotation_mode = "XYZ"
    bodies = ragdoll(rig)
    axis = bodies[knee.name].matrix_world.to_3x3().inverted() @ joint_of(bodies[knee.name]).matrix_world.col[2].to_3d()
    bpy.ops.ves.remove_ragdoll()
    knee.rotation_mode, knee.rotation_quaternion = "QUATERNION", Matrix.Rotation(0.6, 3, axis).to_quaternion()
    bodies = ragdoll(rig)
    assert joint_of(bodies[knee.name]).ves.placed[0] == pytest.approx(0.6, abs=1e-4)


def test_the_mass_is_shared_out_by_volume() -> None:
    rig = human()
    ragdoll(rig, mass=80.0)
    read = read_mechanism(bpy.context.scene, bpy.context.evaluated_depsgraph_get())
    mass = {body.name: body.mass for body in read.mechanism.bodies}
    assert sum(mass.values()) == pytest.approx(80.0, rel=1e-4)
    assert mass["Man mixamorig:LeftUpLeg"] > 5.0 * mass["Man mixamorig:LeftHand"]


def test_a_skin_of_which_one_half_is_a_mirror() -> None:
    bones = {
        name.replace("mixamorig:", "").replace("Left", "L_").replace("Right", "R_"): rest
        for name, (*rest,) in rigs.human().items()
    }
    bones = {
        name: (above and above.replace("mixamorig:", "").replace("Left", "L_").replace("Right", "R_"), *rest)
        for name, (above, *rest) in bones.items()
    }
    rig = rigs.make_rig("Half", bones, with_skin=False)
    rigs.make_skin(rig, {name: rest for name, rest in bones.items() if not name.startswith("R_")})
    bodies = ragdoll(rig)
    assert len(bodies) == len(TRUNK_AND_LIMBS)
    np.testing.assert_allclose(bodies["R_UpLeg"].dimensions, bodies["L_UpLeg"].dimensions, atol=1e-4)


def test_undo_takes_all_of_it_away() -> None:
    rig = human()
    select(rig)
    before, objects = rigs.described(rig), set(bpy.data.objects.keys())
    bpy.ops.ed.undo_push(message="rig")
    assert bpy.ops.ves.ragdoll() == {"FINISHED"}
    bpy.ops.ed.undo_push(message="ragdoll")
    bpy.ops.ed.undo()
    assert set(bpy.data.objects.keys()) == objects
    assert not bpy.context.scene.ves.use_contact
    assert rigs.described(bpy.data.objects["Man"]) == before


def test_remove_ragdoll_leaves_the_rig_and_no_leftovers() -> None:
    rig = human()
    before = rigs.described(rig)
    counts = [len(each) for each in (bpy.data.objects, bpy.data.meshes, bpy.data.collections)]
    ragdoll(rig)
    assert bpy.ops.ves.remove_ragdoll() == {"FINISHED"}
    assert [len(each) for each in (bpy.data.objects, bpy.data.meshes, bpy.data.collections)] == counts
    assert rigs.described(rig) == before


def test_all_selected_rigs_become_ragdolls_at_once_as_each_would_alone() -> None:
    rigs_there = [human(), dog()]
    rigs_there[1].location.x = 3.0
    alone = [{name: body.matrix_world.copy() for name, body in ragdoll(rig).items()} for rig in rigs_there[:1]]
    bpy.ops.ves.remove_ragdoll()
    before = [rigs.described(rig) for rig in rigs_there]
    select(*rigs_there)
    assert bpy.ops.ves.ragdoll() == {"FINISHED"}
    found = [{ob.parent_bone: ob for ob in rig.children if ob.ves.role == "BODY"} for rig in rigs_there]
    assert [set(bodies) for bodies in found] == [expected_of(human), expected_of(dog)]
    assert {name: body.matrix_world for name, body in found[0].items()} == alone[0]
    assert all(len({ob.users_collection[0] for ob in bodies.values()}) == 1 for bodies in found)
    assert len(with_role("JOINT")) == sum(len(bodies) - 1 for bodies in found)
    newcomer = bare()
    select(*rigs_there, newcomer)
    assert bpy.ops.ves.ragdoll() == {"FINISHED"}, "of those that are none yet"
    assert {ob.parent_bone for ob in newcomer.children} == expected_of(bare)
    assert [len(rig.children) for rig in rigs_there] == [len(bodies) + 1 for bodies in found], "with their skins"
    assert bpy.ops.ves.remove_ragdoll() == {"FINISHED"}
    assert not with_role("BODY")
    assert [rigs.described(rig) for rig in rigs_there] == before


def test_where_one_of_several_rigs_is_refused_none_is_changed() -> None:
    good, bad = human(), dog()
    bad.scale = 1.0, 2.0, 1.0
    select(good, bad)
    with pytest.raises(RuntimeError, match="not scaled alike"):
        bpy.ops.ves.ragdoll()
    assert not with_role("BODY")


def test_in_pose_mode_the_body_is_that_of_the_active_bone() -> None:
    from virtual_erector_set.panels.bodies import active_body

    rig = human()
    select(rig)
    bpy.ops.object.mode_set(mode="POSE")
    assert bpy.ops.ves.ragdoll() == {"FINISHED"}
    assert bpy.context.mode == "POSE"
    rig.data.bones.active = rig.data.bones["mixamorig:Head"]
    assert active_body(bpy.context).parent_bone == "mixamorig:Head"
    rig.data.bones.active = rig.data.bones["mixamorig:LeftHandIndex1"]
    assert active_body(bpy.context) is None


def _nothing_to_take(rig: bpy.types.Object) -> None:
    for bone in list(rig.pose.bones)[1:]:
        rig.data.bones[bone.name].use_deform = False
    rig.children[0].vertex_groups.clear()
    rig.children[0].vertex_groups.new(name="mixamorig:Hips").add([0, 1, 2, 3], 1.0, "REPLACE")


def _stretched(rig: bpy.types.Object) -> None:
    rig.scale = (1.0, 2.0, 1.0)


def _mirrored(rig: bpy.types.Object) -> None:
    rig.scale = (-1.0, 1.0, 1.0)


def _at_rest(rig: bpy.types.Object) -> None:
    rig.data.pose_position = "REST"


def _led(rig: bpy.types.Object) -> None:
    constraint = rig.pose.bones["mixamorig:LeftHandIndex1"].constraints.new("COPY_ROTATION")
    constraint.target, constraint.subtarget = rig, "mixamorig:Hips"


def _led_by_a_setting(rig: bpy.types.Object) -> None:
    _led(rig)
    rig.pose.bones["mixamorig:Hips"]["hand_follow"] = 0.0


def _isolated(rig: bpy.types.Object) -> None:
    """The bone above the head keeps to the hips, and has no skin."""
    rig.children[0].vertex_groups.remove(rig.children[0].vertex_groups["mixamorig:Neck"])
    constraint = rig.pose.bones["mixamorig:Neck"].constraints.new("COPY_ROTATION")
    constraint.target, constraint.subtarget = rig, "mixamorig:Hips"


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (_nothing_to_take, "no two bones"), (_stretched, "not scaled alike"), (_mirrored, "negative"),
        (_at_rest, "rest position"), (_isolated, "by its controls"), (_led, "let them follow the body, mute"),
        (_led_by_a_setting, r"the body \(Hand Follow of mixamorig:Hips at 1\)"),
    ],
)  # fmt: skip
def test_what_is_refused_is_said_and_nothing_has_changed(spoil, said: str) -> None:
    rig = human()
    spoil(rig)
    select(rig)
    count = len(bpy.data.objects), len(bpy.data.collections)
    with pytest.raises(RuntimeError, match=said):
        bpy.ops.ves.ragdoll()
    assert (len(bpy.data.objects), len(bpy.data.collections)) == count


def test_a_second_ragdoll_is_refused() -> None:
    rig = human()
    ragdoll(rig)
    with pytest.raises(RuntimeError, match="Remove Ragdoll"):
        bpy.ops.ves.ragdoll()


@pytest.mark.parametrize("make", [pytest.param(rigs.rigify, marks=oldest_and_newest), rigs.controls])
def test_rigs_of_controls_meet_the_physics_and_come_back(make) -> None:
    """Bodies move bones behind IK and FK, whose switches are driven; the bones that deform go along with them."""
    rig = make()
    before, muted = rigs.described(rig), _switched_on(rig)
    select(rig)
    assert bpy.ops.ves.ragdoll(keyed_on="NONE") == {"FINISHED"}
    assert rigs.described(rig) == before
    bpy.context.scene.frame_end = 8
    place, turn, deformed, bent = rigs.largest_errors(rigs.solved_poses(bpy.context.scene, bpy.context.view_layer))
    assert place < 1e-4
    assert turn < 0.01
    assert deformed < 1e-4
    assert bent < 0.01
    assert bpy.ops.ves.clear_bake() == {"FINISHED"}
    bpy.ops.ves.remove_ragdoll()
    bpy.context.scene.frame_set(1)
    assert rigs.described(rig) == before
    assert _switched_on(rig) == muted


def _switched_on(rig: bpy.types.Object) -> list[tuple]:
    return [
        (bone.name, each.name, each.enabled, each.influence) for bone in rig.pose.bones for each in bone.constraints
    ]


def test_hips_let_a_person_sit_and_lift_a_knee_but_not_kick_back_as_far():
    """By the joint's own axis: turned ahead by a right angle, the thigh points to where the toes do."""
    rig = rigs.metarig()
    bodies = ragdoll(rig)
    bpy.context.view_layer.update()
    for side in "LR":
        hip = joint_of(bodies[f"thigh.{side}"])
        assert (hip.ves.lower_limit[0], hip.ves.upper_limit[0]) == pytest.approx(
            (-math.radians(25.0), math.radians(120.0))
        )
        thigh, foot = (rig.data.bones[f"{name}.{side}"] for name in ("thigh", "toe"))
        turn = Quaternion(hip.matrix_world.to_3x3().col[0].normalized(), 0.5 * math.pi)
        lifted = turn.to_matrix() @ rig.matrix_world.to_3x3() @ (thigh.tail_local - thigh.head_local).normalized()
        assert lifted.dot(rig.matrix_world.to_3x3() @ (foot.tail_local - foot.head_local).normalized()) > 0.95


@pytest.mark.parametrize(("shape", "expected"), [("CAPSULE", {"CAPSULE"}), ("BOX", {"BOX"}), ("HULL", {"HULL"})])
def test_all_bodies_have_the_chosen_shape(shape: str, expected: set[str]) -> None:
    assert {body.ves.contact_shape for body in ragdoll(human(), shape=shape).values()} == expected
    reading = read_mechanism(bpy.context.scene, bpy.context.evaluated_depsgraph_get())
    assert {body.shape.type for body in reading.mechanism.bodies} == {shape.lower()}
