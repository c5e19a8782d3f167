# SPDX-License-Identifier: GPL-3.0-or-later
"""Bake Part: chosen bodies within a range of frames, a result beside the animation, Compare, Accept and Discard."""

from __future__ import annotations

import itertools

import bpy
import numpy as np
import pytest
from virtual_erector_set.scene.bake.bake import read_scene, run_to_end
from virtual_erector_set.scene.bake.bake_part import bake_part
from virtual_erector_set.scene.bake.part import Part
from virtual_erector_set.scene.overlay import ghost_lines

from tests.blender import rigs
from tests.blender.making import box, select, with_role
from tests.blender.test_damaged_files import opened_again

FRAMES, FIRST, LAST = 48, 12, 36


def curves_of(ob: bpy.types.Object) -> list[bpy.types.FCurve]:
    bag = ob.animation_data.action.layers[0].strips[0].channelbag(ob.animation_data.action_slot)
    return list(bag.fcurves)


def told(ob: bpy.types.Object) -> tuple:
    """All that is to come back bit for bit: values, action, keys with their handles and kinds, modifiers."""
    animation = ob.animation_data
    if animation is None:
        return tuple(map(tuple, ob.matrix_basis)), None
    action = animation.action
    names = ("co", "handle_left", "handle_right", "interpolation", "handle_left_type", "handle_right_type", "type")
    keys = [
        (
            curve.data_path,
            curve.array_index,
            curve.extrapolation,
            [each.type for each in curve.modifiers],
            [[(str(getattr(key, name)[:]) if name in names[:3] else getattr(key, name)) for name in names]
             for key in curve.keyframe_points],
        )
        for curve in curves_of(ob)
    ] if action else []  # fmt: skip
    blending = animation.action_blend_type, animation.action_influence, animation.action_extrapolation
    described = rigs.described(ob) if ob.type == "ARMATURE" else ()
    name, fake = (action.name, action.use_fake_user) if action else ("", False)
    return name, fake, keys, blending, described, tuple(map(tuple, ob.matrix_basis)), ob.ves.is_baked


def swinging(step: int = 5) -> bpy.types.Object:
    """A row of bones with bodies that wave, with few keys: the range begins and ends between two."""
    rig = rigs.waving(FRAMES)
    bpy.data.actions.remove(rig.animation_data.action)
    for bone in rig.pose.bones:
        for frame in range(1, FRAMES + step, step):
            bone.rotation_euler.z = 0.3 * np.sin(0.2 * frame)
            bone.keyframe_insert("rotation_euler", frame=frame)
    bpy.context.scene.frame_set(1)
    choose_frames()
    return rig


def choose_frames(first: int = FIRST, last: int = LAST) -> None:
    settings = bpy.context.scene.ves
    settings.frame_source, settings.frame_start, settings.frame_end = "CUSTOM", first, last


def seen(rig: bpy.types.Object, step: float = 0.25) -> np.ndarray:
    """(instants, bones, 4, 4), between frames too."""
    found = []
    for frame in np.arange(1.0, FRAMES + 1e-9, step):
        bpy.context.scene.frame_set(int(frame), subframe=float(frame % 1.0))
        found.append([np.array(bone.matrix) for bone in rig.pose.bones])
    bpy.context.scene.frame_set(1)
    return np.array(found)


def outside(instants: np.ndarray) -> np.ndarray:
    frames = np.linspace(1, FRAMES, len(instants))
    return instants[(frames <= FIRST) | (frames >= LAST)]


def bones(*names: str) -> list[bpy.types.Object]:
    return [ob for ob in with_role("BODY") if ob.parent_bone in names]


def test_two_bones_within_a_range_and_all_else_stays():
    rig = swinging()
    before, kept = seen(rig), told(rig)
    select(*bones("B2", "B3"))
    assert bpy.ops.ves.bake_part() == {"FINISHED"}
    assert told(rig) == kept
    np.testing.assert_array_equal(seen(rig), before)
    assert bpy.ops.ves.ghost_command(command="ACCEPT") == {"FINISHED"}
    after = seen(rig)
    assert np.abs(outside(after) - outside(before)).max() < 2e-6
    off = np.abs(after - before).max(axis=(2, 3))
    assert off[:, :2].max() < 2e-6  # what is not chosen
    assert off[:, 2:].max() > 0.1
    bpy.ops.ves.clear_bake()
    assert told(rig) == kept


@pytest.mark.parametrize("blend_in", [0.0, 4.0])
def test_it_joins_without_a_jump_of_pose_or_speed(blend_in):
    rig = swinging()
    bpy.context.scene.ves.part_blend_in = blend_in
    select(*bones("B2", "B3"))
    bpy.ops.ves.bake_part()
    bpy.ops.ves.ghost_command(command="ACCEPT")
    step = 1.0 / 32.0
    heads = seen(rig, step)[:, 3, :3, 3]
    speed = np.diff(heads, axis=0) / step  # m a frame
    jumps = np.linalg.norm(np.diff(speed, axis=0), axis=1)
    for edge in (FIRST, LAST):
        i = round((edge - 1) / step)
        assert jumps[i - 3 : i + 3].max() < 2e-3
    assert np.linalg.norm(speed, axis=1).max() > 0.02


def test_compare_exchanges_both_and_discard_gives_back_all():
    rig = swinging()
    before, kept, actions = seen(rig), told(rig), sorted(bpy.data.actions.keys())
    select(rig)
    bpy.ops.ves.bake_part()
    scene = bpy.context.scene
    bpy.ops.ves.ghost_command(command="COMPARE")
    assert np.abs(seen(rig) - before).max() > 0.1
    assert not bpy.ops.ves.bake.poll()
    assert not bpy.ops.ves.clear_bake.poll()
    bpy.ops.ves.ghost_command(command="COMPARE")
    assert told(rig) == kept
    bpy.ops.ves.ghost_command(command="COMPARE")
    bpy.ops.ves.ghost_command(command="DISCARD")
    assert told(rig) == kept
    np.testing.assert_array_equal(seen(rig), before)
    assert sorted(bpy.data.actions.keys()) == actions
    assert not scene.ves.get("ves_ghost")
    assert all("ves_ghost" not in ob.ves for ob in scene.objects)


def test_what_is_drawn_is_where_the_other_one_puts_it():
    rig = swinging()
    select(*bones("B3"))
    bpy.ops.ves.bake_part()
    scene, body = bpy.context.scene, bones("B3")[0]

    def drawn(frame: int) -> np.ndarray:
        scene.frame_set(frame)
        return ghost_lines(scene, bpy.context.evaluated_depsgraph_get())

    ghost = drawn(28)
    assert len(drawn(FIRST - 1)) == len(drawn(LAST + 1)) == 0
    scene.frame_set(28)
    by_animation = np.array(body.matrix_world)
    bpy.ops.ves.ghost_command(command="COMPARE")
    scene.frame_set(28)
    by_result = np.array(body.matrix_world)
    now = drawn(28)
    own = np.linalg.solve(by_result, np.column_stack([ghost, np.ones(len(ghost))]).T)
    np.testing.assert_allclose((by_animation @ own).T[:, :3], now, atol=1e-5)
    assert np.abs(now - ghost).max() > 0.05
    assert rig.animation_data.action.name.endswith(("Bake", "Part"))


def test_an_object_without_any_animation_falls_and_comes_back():
    bpy.context.scene.frame_end = FRAMES
    ball = box("Ball", (0.0, 0.0, 5.0), (0.2, 0.2, 0.2))
    select(ball)
    bpy.ops.ves.add_body()
    choose_frames()
    kept = told(ball)
    bpy.ops.ves.bake_part()
    assert told(ball) == kept
    bpy.ops.ves.ghost_command(command="COMPARE")
    heights = []
    for frame in range(1, FRAMES + 1):
        bpy.context.scene.frame_set(frame)
        heights.append(ball.matrix_world.translation.z)
    heights = np.array(heights)
    assert np.abs(heights[: FIRST - 1] - 5.0).max() < 1e-5
    assert np.abs(heights[LAST - 1 :] - 5.0).max() < 1e-5
    assert heights.min() < 4.5
    bpy.ops.ves.ghost_command(command="DISCARD")
    assert told(ball) == kept
    assert ball.animation_data is None


def test_a_second_part_builds_on_the_first_and_clear_bake_gives_back_all():
    rig = swinging()
    kept = told(rig)
    select(*bones("B3"))
    choose_frames(5, 25)
    bpy.ops.ves.bake_part()
    bpy.ops.ves.ghost_command(command="ACCEPT")
    first = seen(rig, 1.0)
    choose_frames(28, 46)
    select(*bones("B2"))
    bpy.ops.ves.bake_part()
    np.testing.assert_array_equal(seen(rig, 1.0), first)
    bpy.ops.ves.ghost_command(command="ACCEPT")
    both = seen(rig, 1.0)
    np.testing.assert_allclose(both[:28], first[:28], atol=2e-6)
    assert np.abs(both[28:] - first[28:]).max() > 0.05
    bpy.ops.ves.clear_bake()
    assert told(rig) == kept
    assert [action.name for action in bpy.data.actions] == [kept[0]]


def test_curves_with_modifiers_and_constraints_go_on_as_before():
    rig = swinging()
    for curve in curves_of(rig):
        if '"B3"' in curve.data_path:
            while len(curve.keyframe_points) > 5:
                curve.keyframe_points.remove(curve.keyframe_points[5])
            curve.modifiers.new("CYCLES")
    target = bpy.data.objects.new("Target", None)
    bpy.context.scene.collection.objects.link(target)
    copying = rig.pose.bones["B2"].constraints.new("COPY_ROTATION")
    copying.target, copying.influence = target, 0.4
    kept, before = told(rig), seen(rig)
    select(*bones("B2", "B3"))
    bpy.ops.ves.bake_part()
    assert told(rig) == kept
    bpy.ops.ves.ghost_command(command="ACCEPT")
    after = seen(rig)
    assert np.abs(outside(after[::4]) - outside(before[::4])).max() < 1e-5  # what repeats jumps between two frames
    assert np.abs(after - before).max() > 0.1
    bpy.ops.ves.clear_bake()
    assert told(rig) == kept


def test_undo_and_a_cancelled_bake_leave_all_as_it_was(tmp_path):
    rig = swinging()
    select(*bones("B3"))
    kept, actions = told(rig), sorted(bpy.data.actions.keys())
    running = bake_part(bpy.context.scene, bpy.context.view_layer, Part(bones("B3"), 4.0, 8.0))
    for _ in range(20):
        next(running)
    running.close()
    assert told(rig) == kept
    assert sorted(bpy.data.actions.keys()) == actions
    bpy.ops.ed.undo_push(message="before")
    bpy.ops.ves.bake_part()
    bpy.ops.ed.undo_push(message="baked")
    bpy.ops.ves.ghost_command(command="ACCEPT")
    bpy.ops.ed.undo_push(message="accepted")
    accepted = seen(bpy.data.objects["Rig"], 1.0)
    bpy.ops.ed.undo()
    assert told(bpy.data.objects["Rig"]) == kept
    bpy.ops.ves.ghost_command(command="COMPARE")
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "part.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "part.blend"))
    np.testing.assert_array_equal(seen(bpy.data.objects["Rig"], 1.0), accepted)
    bpy.ops.ves.ghost_command(command="DISCARD")
    assert told(bpy.data.objects["Rig"])[2:] == kept[2:]


def test_what_is_not_chosen_is_led_and_costs_nothing():
    """A figure of 20 bodies takes as long as its arm; held by drives, it took two minutes without Contact."""
    rig = rigs.make_rig("Rig", rigs.human())
    bpy.context.scene.frame_end = FRAMES
    arm = rig.pose.bones["mixamorig:RightArm"]
    for frame, angle in ((1, 0.0), (FRAMES, 1.0)):
        arm.rotation_quaternion = (np.cos(angle / 2), 0.0, 0.0, np.sin(angle / 2))
        arm.keyframe_insert("rotation_quaternion", frame=frame)
    select(rig)
    bpy.ops.ves.ragdoll(use_contact=False)
    choose_frames()
    parts = [f"mixamorig:Right{name}" for name in ("Arm", "ForeArm")]
    part = Part(bones(*parts), 4.0, 12.0)
    reading = run_to_end(read_scene(bpy.context.scene, bpy.context.view_layer, as_recorded=False, as_shown=True))
    part.apply(reading)
    motions = {binding.owner.bone.name: binding.body.motion for binding in reading.bodies}
    assert {name for name, motion in motions.items() if motion == "dynamic"} == {*parts, "mixamorig:RightHand"}
    assert {joint.child for joint in reading.mechanism.joints} == {
        binding.body.name for binding in reading.bodies if binding.body.motion == "dynamic"
    }
    select(*bones(*parts))
    assert bpy.ops.ves.bake_part() == {"FINISHED"}


def test_what_cannot_be_is_said():
    swinging()
    select(*bones("B3"))
    bpy.context.scene.ves.part_blend_out = 30.0
    with pytest.raises(RuntimeError, match="Blend In and Blend Out take 34 frames, and frames 12 to 36 are 24"):
        bpy.ops.ves.bake_part()
    bpy.context.scene.ves.part_blend_out = 12.0
    bpy.context.scene.ves.use_cycle = True
    with pytest.raises(RuntimeError, match="switch Loop off"):
        bpy.ops.ves.bake_part()
    bpy.context.scene.ves.use_cycle = False
    select(*bones("B0"))
    assert not bpy.ops.ves.bake_part.poll()


def test_a_body_that_has_turned_round_comes_back_the_shorter_way():
    """A ball that spins by its own animation turns on by itself; its angles have one turn more then."""
    bpy.context.scene.frame_end = FRAMES
    ball = box("Ball", (0.0, 0.0, 5.0), (0.2, 0.2, 0.2))
    for frame, angle in ((1, 0.0), (FIRST, 3.0), (FIRST + 1, 3.0), (FRAMES, 3.0)):
        ball.rotation_euler.z = angle
        ball.keyframe_insert("rotation_euler", frame=frame)
    select(ball)
    bpy.ops.ves.add_body()
    choose_frames(FIRST - 1, LAST)
    bpy.ops.ves.bake_part()
    bpy.ops.ves.ghost_command(command="ACCEPT")
    turns = []
    for frame in np.arange(1.0, FRAMES, 0.25):
        bpy.context.scene.frame_set(int(frame), subframe=float(frame % 1.0))
        turns.append(ball.matrix_world.to_quaternion().copy())
    steps = [a.rotation_difference(b).angle for a, b in itertools.pairwise(turns)]
    assert max(min(step, 2.0 * np.pi - step) for step in steps) < 0.6


DAMAGES = {
    "frames": ("first", "x"),
    "order of frames": ("last", 1),
    "what it was made of": ("fingerprint", "{"),
    "what was before": (None, "{nonsense"),
    "what was before, of another kind": (None, "[1]"),
}


@pytest.mark.parametrize("is_shown", [False, True])
@pytest.mark.parametrize("name", DAMAGES)
def test_a_damaged_result_is_dropped_by_name_and_the_animation_is_kept(tmp_path, name, is_shown):
    """Compare, Accept and Discard ended in a traceback, and nothing could be baked any more."""
    rig = swinging()
    before = told(rig)
    select(*bones("B2", "B3"))
    bpy.ops.ves.bake_part()
    if is_shown:
        bpy.ops.ves.ghost_command(command="COMPARE")
    key, value = DAMAGES[name]
    if key is not None:
        bpy.context.scene.ves["ves_ghost"][key] = value
    else:
        rig.ves.before_ghost = value
    said = opened_again(tmp_path / "damaged.blend")
    rig = bpy.data.objects["Rig"]
    if key is None and not is_shown:
        assert said == []  # nobody asks for it then
        bpy.ops.ves.ghost_command(command="DISCARD")
    else:
        assert len(said) == 1
        assert "the result of Bake Part is dropped" in said[0]
        assert opened_again(tmp_path / "damaged.blend") == []
        rig = bpy.data.objects["Rig"]
    assert not bpy.ops.ves.ghost_command.poll()
    if is_shown:
        bpy.ops.ves.clear_bake()
    bpy.context.scene.frame_set(1)
    assert told(rig) == before
