# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies that move bones: Bake and Play pose the rig as the simulation has it, and Clear Bake leaves no trace."""

from __future__ import annotations

import math

import bpy
import numpy as np
import pytest
from mathutils import Matrix, Vector
from virtual_erector_set.scene.bake import bake as baking
from virtual_erector_set.scene.bake.state import OUT_OF_DATE, compare_now, state_of
from virtual_erector_set.scene.geometry import poses
from virtual_erector_set.scene.owner import Owner

from tests.blender import rigs
from tests.blender.making import box, select, with_role
from tests.blender.playing import Driver

FRAMES = 12


def bones(gap: float = 0.01) -> rigs.Bones:
    """Five in a row; B3 begins a gap beside the end of B2, without one it is connected, as all others are."""
    return {
        f"B{i}": (
            f"B{i - 1}" if i else None,
            (0.3 * i + gap * (i == 3), 0.0, 1.0 + 0.1 * i),
            (0.3 * (i + 1), 0.0, 1.1 + 0.1 * i),
            0.05,
        )
        for i in range(5)
    }


def chain(without: str = "B2", gap: float = 0.01) -> tuple[bpy.types.Object, dict[str, bpy.types.Object]]:
    """A rig of five bones in other rotation modes each, turned, scaled and moving, of which one has no body."""
    rig = rigs.make_rig("Rig", bones(gap), with_skin=False, turned=0.4)
    for mode, bone in zip(("QUATERNION", "XYZ", "ZYX", "AXIS_ANGLE", "YXZ"), rig.pose.bones, strict=True):
        bone.rotation_mode = mode
    turn = Matrix.Rotation(0.5, 3, (1, 2, 3)).to_quaternion()
    rig.matrix_world = Matrix.LocRotScale((1.0, 2.0, 3.0), turn, (1.5,) * 3)
    bpy.context.scene.frame_end = FRAMES
    select(rig)
    bpy.ops.ves.ragdoll(use_contact=False, with_limits=False)
    bodies = {ob.parent_bone: ob for ob in with_role("BODY")}
    _take_out(bodies, without)
    rig.keyframe_insert("location", frame=1)
    rig.location.x += 1.0
    rig.keyframe_insert("location", frame=FRAMES)
    carried = rig.pose.bones[without]
    for angle, frame in ((0.0, 1), (0.4, FRAMES)):
        carried.rotation_euler.x = angle
        carried.keyframe_insert("rotation_euler", frame=frame)
    rig.pose.bones["B1"].rotation_euler.y = 0.2
    rig.pose.bones["B1"].keyframe_insert("rotation_euler", frame=1)
    bpy.context.scene.frame_set(1)
    for joint in with_role("JOINT"):
        Owner(joint.ves.body_a).hang(joint, joint.ves.body_b.matrix_world.normalized())
    bodies["B0"].ves.angular_velocity = (1.0, 2.0, 3.0)
    bpy.context.view_layer.update()
    return rig, bodies


def _take_out(bodies: dict[str, bpy.types.Object], without: str) -> None:
    """A bone without a body between two that have one: its joint goes to the one above."""
    gone = bodies.pop(without)
    joints = with_role("JOINT")
    above = next(joint.ves.body_a for joint in joints if joint.ves.body_b == gone)
    for joint in joints:
        if joint.ves.body_b == gone:
            bpy.data.objects.remove(joint)
        elif joint.ves.body_a == gone:
            joint.ves.body_a = above
    bpy.data.objects.remove(gone)


@pytest.fixture
def solved(monkeypatch: pytest.MonkeyPatch) -> list:
    """Names, positions and orientations of what the next bake has solved."""
    found, look = [], baking._differences

    def noting(reading, recording, view_layer):
        found[:] = list(recording.body_names), recording.position.copy(), recording.orientation.copy()
        return (yield from look(reading, recording, view_layer))

    monkeypatch.setattr(baking, "_differences", noting)
    return found


def largest_error(solved: list) -> tuple[float, float]:
    """m and degrees between the bones that show and what was solved, over all frames."""
    names, position, orientation = solved
    place = turn = 0.0
    for row in range(len(position)):
        bpy.context.scene.frame_set(bpy.context.scene.frame_start + row)
        for i, name in enumerate(names):
            body = bpy.data.objects[name]
            bone = body.parent.pose.bones[body.parent_bone]
            shown = poses.split(np.array(body.parent.matrix_world @ bone.matrix, dtype=np.float64))
            place = max(place, float(np.linalg.norm(shown.position - position[row, i])))
            between = poses.rotations(shown.orientation).T @ poses.rotations(orientation[row, i])
            turn = max(turn, float(np.linalg.norm(poses.rotation_vector(between[None])[0])))
    return place, math.degrees(turn)


def curves_of(rig: bpy.types.Object) -> set[str]:
    bags = rig.animation_data.action.layers[0].strips[0].channelbags
    return {curve.data_path for bag in bags for curve in bag.fcurves}


def test_bones_show_what_was_solved_and_clear_bake_leaves_no_trace(solved: list) -> None:
    rig, _ = chain()
    before = rigs.described(rig)
    assert bpy.ops.ves.bake() == {"FINISHED"}
    place, turn = largest_error(solved)
    assert place < 1e-4
    assert turn < 0.01
    paths = curves_of(rig)
    assert 'pose.bones["B0"].location' in paths, "the root is free"
    assert 'pose.bones["B1"].location' not in paths, "a connected bone is where its parent ends"
    assert 'pose.bones["B3"].rotation_axis_angle' in paths
    assert 'pose.bones["B2"].rotation_euler' in paths, "its own animation stays"
    assert "location" in paths, "that of the armature too"
    assert all(ob.animation_data is None for ob in with_role("BODY"))
    assert bpy.ops.ves.clear_bake() == {"FINISHED"}
    bpy.context.scene.frame_set(1)
    assert rigs.described(rig) == before


def test_baking_twice_gives_the_same_keys() -> None:
    rig, _ = chain()
    bpy.ops.ves.bake()
    once = rigs.described(rig)[3]
    bpy.ops.ves.bake()
    assert rigs.described(rig)[3] == once


@pytest.mark.parametrize("run", [lambda: bpy.ops.ves.bake(), lambda: bpy.ops.ves.play(frames=FRAMES - 1)])
def test_bake_and_play_in_pose_mode_write_the_keys_of_object_mode(run) -> None:
    rig, _ = chain()
    assert run() == {"FINISHED"}
    first = rigs.described(rig)[3]
    bpy.ops.ves.clear_bake()
    select(rig)
    bpy.ops.object.mode_set(mode="POSE")
    assert run() == {"FINISHED"}
    assert bpy.context.mode == "POSE"
    assert rigs.described(rig)[3] == first


def test_no_flips_of_eulers_and_quaternions() -> None:
    rig, bodies = chain()
    bodies["B0"].ves.angular_velocity = (9.0, 14.0, 5.0)
    bpy.ops.ves.bake()
    bag = rig.animation_data.action.layers[0].strips[0].channelbags[0]
    for curve in bag.fcurves:
        if "rotation" in curve.data_path and "B2" not in curve.data_path:
            values = np.array([curve.evaluate(frame) for frame in range(1, FRAMES + 1)])
            assert np.abs(np.diff(values)).max() < 2.0, curve.data_path


def test_clear_bake_of_a_selected_shape_clears_the_rig_and_counts_its_bodies(capfd) -> None:
    rig, bodies = chain()
    before = rigs.described(rig)
    bpy.ops.ves.bake()
    select(next(iter(bodies.values())))
    assert bpy.ops.ves.clear_bake(selected_only=True) == {"FINISHED"}
    assert f"Cleared {len(with_role('BODY'))} bodies" in capfd.readouterr().out
    bpy.context.scene.frame_set(1)
    assert rigs.described(rig) == before


def test_constraints_give_way_and_come_back(solved: list) -> None:
    rig, bodies = chain()
    bone = rig.pose.bones["B3"]
    constraint = bone.constraints.new("LIMIT_ROTATION")
    constraint.use_limit_x, constraint.owner_space, constraint.influence = True, "LOCAL", 0.75
    before = rigs.described(rig)
    bpy.ops.ves.bake()
    assert largest_error(solved)[1] < 0.01
    bpy.ops.ves.clear_bake()
    bpy.context.scene.frame_set(1)
    assert rigs.described(rig) == before


def test_play_shows_what_bake_makes_and_ends_without_a_trace() -> None:
    rig, bodies = chain()
    before = rigs.described(rig)
    driver, seen = Driver(), []
    for _ in range(6):
        driver.go_on()
        seen.append([np.array(rig.matrix_world @ bone.matrix) for bone in rig.pose.bones])
    driver.end()
    assert rigs.described(rig) == before
    bpy.ops.ves.bake()
    for row, shown in enumerate(seen):
        bpy.context.scene.frame_set(2 + row)
        now = [np.array(rig.matrix_world @ bone.matrix) for bone in rig.pose.bones]
        np.testing.assert_allclose(shown, now, atol=2e-5)


def test_a_keyed_bone_drags_a_dynamic_one(solved: list) -> None:
    """The root keeps its animation; what hangs on it follows."""
    rig, bodies = chain()
    bodies["B0"].ves.motion = "KEYED"
    bpy.ops.ves.bake()
    assert largest_error(solved)[0] < 1e-4
    assert 'pose.bones["B0"].location' not in curves_of(rig)
    assert 'pose.bones["B1"].rotation_euler' in curves_of(rig)


def test_what_hangs_on_a_bone_goes_along_with_its_body() -> None:
    rig, bodies = chain()
    lantern = box("Lantern", size=(0.1, 0.1, 0.1))
    lantern.parent, lantern.parent_type, lantern.parent_bone = rig, "BONE", "B4"
    assert Owner(lantern).dynamic_ancestor() == Owner(bodies["B4"])
    assert Owner(bodies["B3"]).dynamic_ancestor() == Owner(bodies["B1"]), "B2 has no body"
    assert [owner.object for owner in Owner(bodies["B1"]).carriers()] == [bodies["B0"], rig]


def _no_inheritance(rig: bpy.types.Object) -> None:
    rig.data.bones["B1"].use_inherit_rotation = False


def _driven(rig: bpy.types.Object) -> None:
    rig.pose.bones["B4"].driver_add("rotation_euler", 0).driver.expression = "0.1"


def _no_bone(rig: bpy.types.Object) -> None:
    next(ob for ob in with_role("BODY") if ob.parent_bone == "B4").parent_bone = "gone"


def _other_length(rig: bpy.types.Object) -> None:
    bpy.ops.object.mode_set(mode="EDIT")
    rig.data.edit_bones["B4"].tail.x += 0.1
    bpy.ops.object.mode_set(mode="OBJECT")


def _elsewhere(rig: bpy.types.Object) -> None:
    next(ob for ob in with_role("BODY") if ob.parent_bone == "B4").location.x += 0.1


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (_no_inheritance, "Inherit Rotation"),
        (_driven, "drivers on rotation_euler"),
        (_no_bone, "there is none"),
        (_elsewhere, "elsewhere"),
        (_other_length, "elsewhere"),
    ],
)
def test_what_no_key_could_move_is_refused(spoil, said: str) -> None:
    rig, _ = chain()
    select(rig)
    spoil(rig)
    with pytest.raises(RuntimeError, match=said):
        bpy.ops.ves.bake()
    assert not rig.ves.is_baked


def test_a_connected_bone_below_one_that_moves_by_itself_is_refused() -> None:
    chain(gap=0.0)
    with pytest.raises(RuntimeError, match="connected to B2, and that has no body"):
        bpy.ops.ves.bake()


def test_undo_of_a_bake_of_bones() -> None:
    rig, _ = chain()
    before = rigs.described(rig)
    bpy.ops.ed.undo_push(message="built")
    bpy.ops.ves.bake()
    bpy.ops.ed.undo_push(message="baked")
    bpy.ops.ed.undo()
    assert rigs.described(bpy.data.objects["Rig"]) == before


def test_tools_that_cannot_pose_bones_say_so() -> None:
    _, bodies = chain()
    select(bodies["B1"])
    with pytest.raises(RuntimeError, match="moves a bone"):
        bpy.ops.ves.make_live()


def test_a_bake_of_bones_is_up_to_date() -> None:
    """It was out of date as soon as it was done: the bones, which it moves, passed for what places the shapes."""
    rig, _ = chain()
    bpy.ops.ves.bake()
    compare_now(bpy.context.scene)
    assert state_of(bpy.context.scene).kind != OUT_OF_DATE
    rig.pose.bones["B2"].constraints.new("LIMIT_ROTATION").influence = 0.5
    compare_now(bpy.context.scene)
    assert state_of(bpy.context.scene).kind == OUT_OF_DATE


def test_a_ragdoll_settles_and_stays() -> None:
    """Held at its root it hangs down, each bone below the one above."""
    rig = rigs.make_rig("Rig", bones(0.0), with_skin=False)
    select(rig)
    bpy.ops.ves.ragdoll(use_contact=False, with_limits=False)
    bodies = {ob.parent_bone: ob for ob in with_role("BODY")}
    bodies["B0"].ves.motion = "FIXED"
    bpy.context.scene.frame_end = FRAMES
    assert bpy.ops.ves.settle() == {"FINISHED"}
    for i in range(1, 5):
        bone = rig.pose.bones[f"B{i}"]
        along = (bone.tail - bone.head).normalized()
        assert along.z < -0.999, f"B{i} points along {tuple(along)}"
        assert bone.location.length == 0.0
    before = rigs.poses(rig)
    assert np.abs(before - before[0]).max() == 0.0
    bpy.ops.ves.bake()
    assert np.abs(rigs.poses(rig) - before).max() < 5e-3


def test_a_rig_starts_from_a_frame_of_its_bake() -> None:
    """The next bake goes on as the first one does; Clear Bake shows the new start."""
    rig, _ = chain()
    rig.animation_data_clear()
    rig.pose.bones["B2"].keyframe_insert("rotation_euler", frame=1)
    bpy.ops.ves.bake()
    first, middle = rigs.poses(rig), FRAMES // 2
    bpy.context.scene.frame_set(middle)
    assert bpy.ops.ves.start_from_frame() == {"FINISHED"}
    bpy.ops.ves.bake()
    again = rigs.poses(rig)[middle - 1 :]
    assert np.abs(again - first[middle - 1 :]).max() < 2e-4
    assert np.abs(first[-1] - first[middle - 1]).max() > 0.1
    bpy.ops.ves.clear_bake()
    bpy.context.view_layer.update()
    shown = np.array([bone.matrix for bone in rig.pose.bones])
    assert np.abs(rigs.poses(rig)[middle - 1] - first[middle - 1]).max() < 2e-4, shown


def test_a_body_on_a_bone_of_an_older_file_moves_itself() -> None:
    """Without Moves Bone a body that hangs on a bone is keyed itself, as ever."""
    rig = rigs.make_rig("Rig", bones(), with_skin=False)
    lantern = box("Lantern", size=(0.1, 0.1, 0.1))
    lantern.parent, lantern.parent_type, lantern.parent_bone = rig, "BONE", "B4"
    select(lantern)
    bpy.ops.ves.add_body()
    bpy.context.scene.frame_end = 3
    bpy.ops.ves.bake()
    assert lantern.ves.is_baked
    assert not rig.ves.is_baked
    assert Vector(rig.pose.bones["B4"].location).length == 0.0


def test_several_bones_in_a_row_may_be_led_by_their_animation():
    """Joints between two of them hold nothing; the animation is kept there, and the rest swings on."""
    rig = rigs.waving(FRAMES)
    drawn = rigs.poses(rig)
    for body in with_role("BODY"):
        body.ves.motion = "KEYED" if body.parent_bone in ("B0", "B1", "B2") else "DYNAMIC"
    bpy.ops.ves.check()
    assert not [finding.text for finding in bpy.context.scene.ves.findings if finding.severity == "ERROR"]
    assert bpy.ops.ves.bake() == {"FINISHED"}
    baked, names = rigs.poses(rig), list(rig.pose.bones.keys())
    for name in names:
        off = np.abs(baked[:, names.index(name)] - drawn[:, names.index(name)]).max()
        assert (off < 1e-5) == (name in ("B0", "B1", "B2")), name
