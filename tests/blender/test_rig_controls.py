# SPDX-License-Identifier: GPL-3.0-or-later
"""Keys on the controls of a rig: FK chains behind a switch, settings that are held, what is locked, driven or wrong."""

from __future__ import annotations

import json
from pathlib import Path

import bpy
import numpy as np
import pytest
from virtual_erector_set.scene.bake.bake import keep_motion, read_scene, run_to_end, solve

from tests.blender import rigs
from tests.blender.making import select, with_role
from tests.blender.playing import Driver
from tests.blender.versions import oldest_and_newest

FRAMES = 24
LIMBS = {f"{side}{name}" for side in ("Left", "Right") for name in ("Arm", "ForeArm", "UpLeg", "Leg")}


def fallen(make=rigs.controls, use_contact: bool = False, **options) -> bpy.types.Object:
    """A rig as a ragdoll, some way above the ground, whose hips begin to turn."""
    rig = make()
    rig.location.z += 0.3
    bpy.context.view_layer.update()
    select(rig)
    assert bpy.ops.ves.ragdoll(use_contact=use_contact, **options) == {"FINISHED"}
    bpy.context.scene.frame_end = FRAMES
    for body in with_role("BODY"):
        if body.parent_bone in ("Hips", "tweak_spine"):
            body.ves.angular_velocity = (2.0, 3.0, 1.0)
    return rig


def at_ik(rig: bpy.types.Object) -> bpy.types.Object:
    """The same rig, whose switch is at IK."""
    rig["ik"] = 1.0
    return rig


def keyed(rig: bpy.types.Object) -> dict[str, list[bpy.types.FCurve]]:
    found: dict[str, list[bpy.types.FCurve]] = {}
    for bag in rig.animation_data.action.layers[0].strips[0].channelbags:
        for curve in bag.fcurves:
            found.setdefault(curve.data_path, []).append(curve)
    return found


def meets_physics() -> None:
    place, turn, deformed, twisted = rigs.largest_errors(rigs.solved_poses(bpy.context.scene, bpy.context.view_layer))
    assert place < 1e-4
    assert turn < 0.01
    assert deformed < 1e-4
    assert twisted < 0.01


def test_fk_controls_have_the_keys_and_their_switch_is_held():
    rig = fallen(use_contact=True)
    before = rigs.described(rig)
    bodies = {ob.parent_bone: ob for ob in with_role("BODY")}
    assert {name for name, ob in bodies.items() if ob.ves.control_bone} == LIMBS
    meets_physics()
    paths = keyed(rig)
    for name in LIMBS:
        assert f'pose.bones["{name}_fk"].rotation_quaternion' in paths
        assert not [path for path in paths if path.startswith(f'pose.bones["{name}"]')]
    assert [key.co.y for key in paths['["ik"]'][0].keyframe_points] == [0.0]
    moving = paths['pose.bones["LeftArm_fk"].rotation_quaternion'][1]
    assert len(moving.keyframe_points) == FRAMES
    bpy.ops.ves.clear_bake()
    bpy.context.scene.frame_set(1)
    assert rigs.described(rig) == before
    assert rig["ik"] == 0.7


def test_the_error_is_that_of_all_frames():
    """A key of a control that is a hundredth of a radian off, at one frame, is seen by the measure."""
    rig = fallen()
    solved = rigs.solved_poses(bpy.context.scene, bpy.context.view_layer)
    curve = keyed(rig)['pose.bones["LeftArm_fk"].rotation_quaternion'][1]
    curve.keyframe_points[17].co.y += 0.01
    place, turn, *_ = rigs.largest_errors(solved)
    assert turn > 0.5
    assert place > 1e-3


def test_without_controls_the_bones_behind_are_keyed():
    rig = fallen(keyed_on="NONE")
    meets_physics()
    paths = keyed(rig)
    assert '["ik"]' not in paths
    assert 'pose.bones["LeftArm"].rotation_quaternion' in paths
    assert 'pose.bones["LeftArm_fk"].rotation_quaternion' not in paths


def test_own_keys_on_controls_and_switch_come_back():
    rig = fallen()
    control = rig.pose.bones["LeftArm_fk"]
    for frame, angle, ik in ((1, 0.0, 1.0), (FRAMES, 1.0, 0.0)):
        control.rotation_quaternion = (1.0, angle, 0.0, 0.0)
        control.keyframe_insert("rotation_quaternion", frame=frame)
        rig["ik"] = ik
        rig.keyframe_insert('["ik"]', frame=frame)
    bpy.context.scene.frame_set(1)
    before, action = rigs.described(rig), rig.animation_data.action
    meets_physics()
    assert rig.animation_data.action != action
    assert rig["ik"] == 0.0
    bpy.ops.ves.clear_bake()
    bpy.context.scene.frame_set(1)
    assert rig.animation_data.action == action
    assert rigs.described(rig) == before
    assert rig["ik"] == 1.0


def test_the_same_keys_again_after_undo_and_after_reload(tmp_path):
    rig = fallen()
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "rig.blend"))
    bpy.ops.ed.undo_push(message="built")
    bpy.ops.ves.bake()
    once = rigs.described(rig)[3]
    bpy.ops.ves.bake()
    assert rigs.described(rig)[3] == once
    bpy.ops.ed.undo_push(message="baked")
    bpy.ops.ed.undo()
    rig = bpy.data.objects["Controls"]
    assert not rig.ves.is_baked
    bpy.ops.ves.bake()
    assert rigs.described(rig)[3] == once
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "rig.blend"))
    rig = bpy.data.objects["Controls"]
    bpy.ops.ves.bake()
    assert rigs.described(rig)[3] == once


@pytest.mark.parametrize(("name", "make"), [("controls", rigs.controls), ("dog", rigs.STRUCTURES["dog"])])
def test_every_version_of_blender_makes_the_same_keys(name: str, make):
    """As those that 5.2 made: number, middle and last value of each channel. Contact would multiply roundings."""
    rig = fallen(make)
    bpy.ops.ves.bake()
    made = {f"{path} {index}": keys for path, index, keys in rigs.described(rig)[3]}
    reference = json.loads(Path(__file__).with_name("rig_keys.json").read_text(encoding="utf-8"))[name]
    assert len(reference) > 70
    for channel, (count, middle, last) in reference.items():
        keys = made[channel]
        assert len(keys) == count, channel
        np.testing.assert_allclose((keys[count // 2][1], keys[-1][1]), (middle, last), rtol=0, atol=1e-6)


def test_a_bake_that_is_closed_midway_leaves_no_trace():
    rig = fallen()
    before, actions = rigs.described(rig), set(bpy.data.actions)
    reading = run_to_end(read_scene(bpy.context.scene, bpy.context.view_layer))
    recording = run_to_end(solve(reading)).recording
    steps = keep_motion(reading, bpy.context.view_layer, recording)
    while next(steps).text != "Keying the controls of rigs":
        pass
    for _ in range(5):
        next(steps)
    steps.close()
    bpy.context.scene.frame_set(1)
    assert rigs.described(rig) == before
    assert rig["ik"] == 0.7
    assert set(bpy.data.actions) == actions


def test_a_bake_goes_on_from_a_frame_with_the_keys_before_it():
    rig = fallen()
    bpy.ops.ves.bake()
    bpy.context.scene.frame_set(12)
    assert bpy.ops.ves.start_from_frame() == {"FINISHED"}
    bpy.ops.ves.bake()
    curve = keyed(rig)['pose.bones["LeftArm_fk"].rotation_quaternion'][1]
    frames = [key.co.x for key in curve.keyframe_points]
    assert frames == sorted(set(frames))
    assert frames[0] == 1.0
    assert len(frames) == FRAMES


def test_a_bone_that_does_not_lead_is_named(capfd):
    fallen()
    body = next(ob for ob in with_role("BODY") if ob.parent_bone == "LeftArm")
    body.ves.control_bone = "RightHand_target"
    bpy.ops.ves.bake()
    assert "LeftArm: its control RightHand_target does not lead its bone" in capfd.readouterr().out


def _driven(rig: bpy.types.Object, _body: bpy.types.Object) -> None:
    rig.pose.bones["LeftArm_fk"].driver_add("rotation_quaternion", 1).driver.expression = "0.1"


def _gone(_rig: bpy.types.Object, body: bpy.types.Object) -> None:
    body.ves.control_bone = "nobody"


@pytest.mark.parametrize(("spoil", "said"), [(_driven, "drivers on rotation_quaternion"), (_gone, "not in the rig")])
def test_controls_that_no_key_could_move_are_refused(spoil, said: str):
    rig = fallen()
    spoil(rig, next(ob for ob in with_role("BODY") if ob.parent_bone == "LeftArm"))
    with pytest.raises(RuntimeError, match=said):
        bpy.ops.ves.bake()
    assert not rig.ves.is_baked


def test_locked_channels_are_named(capfd):
    rig = fallen()
    rig.pose.bones["LeftArm_fk"].lock_rotation = (True, False, False)
    rig.pose.bones["Hips"].lock_location = (True, True, True)
    bpy.ops.ves.bake()
    said = capfd.readouterr().out
    assert "locked channels have keys" in said
    assert "LeftArm_fk (rotation X)" in said
    assert "Hips (location X" in said
    assert "ForeArm_fk (" not in said


@oldest_and_newest
def test_rigify_as_it_is_generated_in_bakes_and_play():
    """Its neck and head keep their turn in the world, unless settings of it are held at others."""
    rig = fallen(rigs.rigify, use_contact=True, keyed_on="FK")
    before, torso = rigs.described(rig), rig.pose.bones["torso"]
    follow = torso["neck_follow"], torso["head_follow"]
    assert follow == (0.5, 0.0)
    driver, seen = Driver(), []
    names = ["head", "neck", "DEF-spine.006", "DEF-spine.004", "DEF-hand.L"]
    for _ in range(6):
        driver.go_on()
        seen.append([np.array(rig.pose.bones[name].matrix) for name in names])
    driver.end()
    assert rigs.described(rig) == before
    assert (torso["neck_follow"], torso["head_follow"]) == follow
    meets_physics()
    for row, shown in enumerate(seen):
        bpy.context.scene.frame_set(2 + row)
        now = [np.array(rig.pose.bones[name].matrix) for name in names]
        np.testing.assert_allclose(shown, now, atol=5e-5)
    paths = keyed(rig)
    for limb in ("upper_arm", "forearm", "hand", "thigh", "shin", "foot"):
        assert f'pose.bones["{limb}_fk.L"].rotation_quaternion' in paths
    assert not [path for path in paths if "ORG-" in path]
    assert 'pose.bones["upper_arm_parent.L"]["IK_FK"]' in paths
    bpy.ops.ves.clear_bake()
    bpy.ops.ves.remove_ragdoll()
    bpy.context.scene.frame_set(1)
    assert rigs.described(rig) == before
    assert (torso["neck_follow"], torso["head_follow"]) == follow


@oldest_and_newest
def test_a_part_keys_the_bones_behind_and_their_switches_come_back():
    """Within the range constraints with driven influences are off, and on again behind it."""
    rig = fallen(with_limits=False)
    rig["ik"] = 1.0
    for frame in (1, 12, FRAMES):
        target = rig.pose.bones["LeftHand_target"]
        target.location.z = 0.1 * (frame == 12)
        target.keyframe_insert("location", frame=frame)
    bpy.context.scene.frame_set(1)
    before, described = rigs.poses(rig), rigs.described(rig)
    settings = bpy.context.scene.ves
    settings.frame_source, settings.frame_start, settings.frame_end = "CUSTOM", 6, 18
    settings.part_blend_in, settings.part_blend_out = 2.0, 4.0
    select(*(ob for ob in with_role("BODY") if ob.parent_bone in ("LeftArm", "LeftForeArm", "LeftHand")))
    assert bpy.ops.ves.bake_part() == {"FINISHED"}
    bpy.ops.ves.ghost_command(command="ACCEPT")
    off = np.abs(rigs.poses(rig) - before).max(axis=(2, 3))
    arm = [i for i, bone in enumerate(rig.pose.bones) if bone.name.startswith("Left") and "Hand" in bone.name]
    assert off[:5].max() < 1e-4
    assert off[18:].max() < 1e-4
    assert off[:, arm].max() > 0.1
    bpy.ops.ves.clear_bake()
    bpy.context.scene.frame_set(1)
    assert rigs.described(rig) == described


@oldest_and_newest
def test_what_follows_and_is_handed_over_meets_physics_on_its_controls():
    """It is held to the animation of its IK targets, let go, and taken back, with keys on FK controls all along."""
    rig = fallen(with_limits=False)
    rig["ik"] = 1.0
    for frame in range(1, FRAMES + 6, 6):
        target = rig.pose.bones["LeftHand_target"]
        target.location.z = 0.1 * np.sin(0.3 * frame)
        target.keyframe_insert("location", frame=frame)
    for frame, let_go in ((6, True), (10, False)):
        bpy.context.scene.frame_set(frame)
        select(rig)
        bpy.ops.ves.hand_over(let_go=let_go)
    for body in with_role("BODY"):
        body.ves.follow_blend_back = 8.0
    bpy.context.scene.frame_set(1)
    before = rigs.poses(rig)
    meets_physics()
    names = [bone.name for bone in rig.pose.bones]
    deforming = [names.index(bone.name) for bone in rig.data.bones if bone.use_deform]
    off = np.abs(rigs.poses(rig) - before)[:, deforming].max(axis=(1, 2, 3))
    assert off[9] > 0.05
    assert off[:5].max() < 0.01  # its elbow is a hinge, and IK turns it a little about other axes
    assert off[18:].max() < 0.01


def test_ik_targets_and_chains_have_the_keys_where_the_switch_stands_at_ik():
    """Rigs without poles: the root of a chain turns the limb."""
    rig = fallen(lambda: at_ik(rigs.controls()))
    before = rigs.described(rig)
    bodies = {ob.parent_bone: ob.ves for ob in with_role("BODY")}
    assert {name for name, ves in bodies.items() if ves.control_leads != "AS_ONE"} == LIMBS
    meets_physics()
    paths = keyed(rig)
    for side in ("Left", "Right"):
        assert len(paths[f'pose.bones["{side}Hand_target"].location']) == 3
        assert f'pose.bones["{side}Hand_target"].rotation_quaternion' not in paths
        assert f'pose.bones["{side}Arm_ik"].rotation_quaternion' in paths
        assert f'pose.bones["{side}Arm"].rotation_quaternion' not in paths
        assert not [path for path in paths if "ForeArm" in path]
    assert [key.co.y for key in paths['["ik"]'][0].keyframe_points] == [1.0]
    bpy.ops.ves.clear_bake()
    bpy.context.scene.frame_set(1)
    assert rigs.described(rig) == before


def test_poles_have_the_keys_and_own_ones_come_back():
    rig = fallen(lambda: rigs.controls(with_poles=True), keyed_on="IK")
    pole = rig.pose.bones["LeftHand_pole"]
    for frame in (1, FRAMES):
        pole.location.x = 0.01 * frame
        pole.keyframe_insert("location", frame=frame)
    bpy.context.scene.frame_set(1)
    before = rigs.described(rig)
    meets_physics()
    paths = keyed(rig)
    for limb in ("LeftHand", "RightHand", "LeftFoot", "RightFoot"):
        assert len(paths[f'pose.bones["{limb}_pole"].location'][0].keyframe_points) == FRAMES
        assert f'pose.bones["{limb}_pole"].rotation_quaternion' not in paths
        assert f'pose.bones["{limb}_target"].location' in paths
    assert not [path for path in paths if path.endswith('_ik"].rotation_quaternion')]
    bpy.ops.ves.clear_bake()
    bpy.context.scene.frame_set(1)
    assert rigs.described(rig) == before


def test_keys_on_is_chosen_for_limbs_that_share_a_switch():
    rig = fallen()
    bpy.ops.object.mode_set(mode="POSE")
    for bone in rig.pose.bones:
        (bone if bpy.app.version >= (5, 0) else bone.bone).select = bone.name == "LeftArm"
    assert bpy.ops.ves.keys_on(keyed_on="IK") == {"FINISHED"}
    bodies = {ob.parent_bone: ob.ves for ob in with_role("BODY")}
    assert {name for name, ves in bodies.items() if ves.control_leads != "AS_ONE"} == LIMBS
    assert bodies["LeftForeArm"].control_bone == "LeftHand_target"
    assert json.loads(rig.ves.held_settings) == {'["ik"]': 1.0}
    bpy.ops.object.mode_set(mode="OBJECT")
    assert bpy.ops.ves.keys_on(keyed_on="FK") == {"FINISHED"}
    assert {name for name, ves in bodies.items() if ves.control_bone == f"{name}_fk"} == LIMBS
    assert json.loads(rig.ves.held_settings) == {'["ik"]': 0.0}
    assert {ves.control_leads for ves in bodies.values()} == {"AS_ONE"}
    bpy.ops.ves.bake()
    assert not bpy.ops.ves.keys_on.poll()


def test_what_ik_cannot_meet_is_named(capfd):
    """An elbow that is stiff to IK: no target and no pole bend it."""
    rig = fallen(lambda: at_ik(rigs.controls(with_poles=True)))
    rig.pose.bones["LeftForeArm_ik"].lock_ik_z = True
    bpy.context.scene.frame_end = 8
    for body in with_role("BODY"):
        if body.parent_bone == "LeftForeArm":
            body.ves.angular_velocity = (0.0, 0.0, -8.0)
    bpy.ops.ves.bake()
    assert "IK does not bring LeftForeArm to where physics has it: at frame" in capfd.readouterr().out


def tilted() -> bpy.types.Object:
    """Rigify's rig, turned so that an arm is stretched by how it falls."""
    rig = rigs.rigify()
    rig.rotation_euler = (0.29, -0.28, 0.47)
    return rig


@oldest_and_newest
def test_rigify_on_its_ik_controls_and_torso():
    """Long enough for arms that are nearly straight, whose targets must not run away."""
    rig = fallen(tilted, use_contact=True)
    before, bodies = rigs.described(rig), {ob.parent_bone: ob.ves for ob in with_role("BODY")}
    assert bodies["tweak_spine"].control_bone == "torso"
    bpy.context.scene.frame_end = 14
    stretches = rig.pose.bones["MCH-shin_ik.L"].constraints["IK"]
    assert stretches.use_stretch
    meets_physics()
    assert not stretches.use_stretch
    paths = keyed(rig)
    for side in "LR":
        for name in ("hand_ik", "foot_ik"):
            assert f'pose.bones["{name}.{side}"].location' in paths
            assert f'pose.bones["{name}.{side}"].rotation_quaternion' in paths
        for limb in ("upper_arm", "thigh"):
            root = rig.pose.bones[f"{limb}_ik.{side}"]
            assert [path for path in paths if path.startswith(f'pose.bones["{root.name}"].rotation')]
            turned = root.matrix_basis.to_quaternion()
            assert abs(turned.x) + abs(turned.z) < 1e-5, "its X and Z are locked"
            assert [key.co.y for key in paths[f'pose.bones["{limb}_parent.{side}"]["IK_FK"]'][0].keyframe_points] == [0]
    assert 'pose.bones["torso"].location' in paths
    assert not [path for path in paths if ("ORG-" in path and "toe" not in path) or '"tweak_spine"' in path]
    bpy.ops.ves.clear_bake()
    bpy.context.scene.frame_set(1)
    assert rigs.described(rig) == before
    assert stretches.use_stretch
