# SPDX-License-Identifier: GPL-3.0-or-later
"""Solved poses become keyframes that put the objects exactly there: every rotation mode, parents, deltas, mirrors."""

import itertools
import time

import bpy
import numpy as np
import pytest
from mathutils import Matrix, Quaternion
from virtual_erector_set.scene.bake.bake import run_to_end
from virtual_erector_set.scene.bake.write_keyframes import assign_actions, build_actions, slopes
from virtual_erector_set.scene.geometry import poses
from virtual_erector_set.scene.owner import rotation_path
from virtual_erector_set.scene.read import channels
from virtual_erector_set.scene.read.reading import Reading
from virtual_erector_set.scene.read.scene import read_over_time
from virtual_erector_set.scene.read.solved import Solved

from tests.blender.making import box

FIRST, LAST = 3, 40


def body(name: str = "body", position: tuple = (1, 2, 3), size: tuple = (1, 1, 1)) -> bpy.types.Object:
    ob = box(name, position, size)
    ob.ves.role = "BODY"
    return ob


def read() -> Reading:
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = FIRST, LAST
    return run_to_end(read_over_time(scene, bpy.context.view_layer))


def tumbling(reading: Reading, turns: float = 1.3) -> Solved:
    """All dynamic bodies fly away from their start poses, tumbling about two axes."""
    count = reading.last - reading.first + 1
    share = np.linspace(0.0, 1.0, count)
    positions, orientations = [], []
    for i, item in enumerate(reading.bodies):
        start = Quaternion(item.body.orientation)
        spin = [
            Quaternion((1, 0.2 * i, 0.5), 2 * np.pi * turns * s) @ Quaternion((0, 0, 1), 3.0 * s * s) for s in share
        ]
        orientations.append([tuple((q @ start).normalized()) for q in spin])
        path = np.stack([4.0 * share, np.sin(5.0 * share), -3.0 * share**2], axis=1)
        positions.append(np.array(item.body.position) + path)
    names = [item.body.name for item in reading.bodies]
    return Solved(names, np.array(positions).swapaxes(0, 1), np.array(orientations).swapaxes(0, 1))


def write(reading: Reading, solved: Solved) -> None:
    made = []
    run_to_end(build_actions(reading.bodies, solved, reading.first, made))
    assign_actions(made)


def largest_error(reading: Reading, solved: Solved) -> float:
    """Over all frames and dynamic bodies, how far the shown world matrix is from the solved one."""
    worst = 0.0
    for frame in range(reading.first, reading.last + 1):
        bpy.context.scene.frame_set(frame)
        for item in reading.bodies:
            if item.body.motion == "dynamic":
                wanted = channels.world_matrices(item, solved)[frame - reading.first]
                worst = max(worst, np.abs(np.array(item.object.matrix_world) - wanted).max())
    return worst


MODES = ("QUATERNION", "AXIS_ANGLE", "XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX")


@pytest.mark.parametrize("mode", MODES)
def test_every_rotation_mode_shows_the_solved_motion(mode):
    ob = body()
    ob.rotation_mode = mode
    ob.scale = (1, 2, 0.5)
    if mode not in ("QUATERNION", "AXIS_ANGLE"):
        ob.rotation_euler = (0.3, 0.2, 7.0)
    reading = read()
    solved = tumbling(reading)
    write(reading, solved)
    assert largest_error(reading, solved) < 1e-5


@pytest.mark.parametrize("mode", ["QUATERNION", "AXIS_ANGLE", "XYZ"])
def test_rotation_values_run_on_without_jumps(mode):
    ob = body()
    ob.rotation_mode = mode
    reading = read()
    count = LAST - FIRST + 1
    turning = [tuple(Quaternion((0, 0, 1), 0.4 * i)) for i in range(count)]  # more than two turns
    solved = Solved([ob.name], np.zeros((count, 1, 3)), np.array(turning)[:, None])
    write(reading, solved)
    curves = [curve for curve in curves_of(ob) if curve.data_path == rotation_path(mode)]
    values = np.array([[point.co.y for point in curve.keyframe_points] for curve in curves])
    assert np.abs(np.diff(values, axis=1)).max() < 0.41
    if mode != "QUATERNION":
        assert np.ptp(values, axis=1).max() == pytest.approx(0.4 * (count - 1), rel=1e-4)


def test_the_first_values_are_the_nearest_to_those_of_the_object():
    ob = body()
    ob.rotation_euler = (0.0, 0.0, 4 * np.pi + 0.5)
    reading = read()
    write(reading, tumbling(reading))
    bpy.context.scene.frame_set(FIRST)
    assert ob.rotation_euler.z == pytest.approx(4 * np.pi + 0.5, abs=1e-4)


@pytest.mark.parametrize(
    ("scale", "delta"), list(itertools.product([(2, 2, 2), (-1, 1, 1), (-1, -2, -0.5), (1, 3, 0.2)], [False, True]))
)
@pytest.mark.parametrize("mode", ["QUATERNION", "YZX"])
def test_mirrors_and_delta_transforms(mode, scale, delta):
    ob = body()
    ob.rotation_mode, ob.scale = mode, scale
    if delta:
        ob.delta_location = (0.5, -1, 2)
        ob.delta_scale = (1, 2, 1)
        ob.delta_rotation_euler = (0.3, 0.4, 0.5)
        ob.delta_rotation_quaternion = Quaternion((1, 1, 0), 0.8)
    reading = read()
    solved = tumbling(reading)
    write(reading, solved)
    assert largest_error(reading, solved) < 2e-5


def animated_parent() -> bpy.types.Object:
    parent = bpy.data.objects.new("parent", None)
    bpy.context.scene.collection.objects.link(parent)
    parent.location, parent.rotation_euler = (3, 0, 1), (0.2, 0.4, 0.1)
    parent.keyframe_insert("location", frame=FIRST)
    parent.keyframe_insert("rotation_euler", frame=FIRST)
    parent.location, parent.rotation_euler = (-3, 2, 1), (1.2, -0.4, 2.1)
    parent.keyframe_insert("location", frame=LAST)
    parent.keyframe_insert("rotation_euler", frame=LAST)
    parent.scale = (2, 2, 2)
    bpy.context.scene.frame_set(FIRST)
    return parent


def test_an_animated_parent_is_compensated():
    ob, parent = body(), animated_parent()
    ob.parent = parent
    ob.matrix_parent_inverse = Matrix.Translation((1, 2, 3)) @ Matrix.Rotation(0.5, 4, "X")
    reading = read()
    solved = tumbling(reading)
    write(reading, solved)
    assert largest_error(reading, solved) < 2e-5


def test_a_parent_that_is_solved_itself_and_a_grandchild_below_a_plain_object():
    top, middle, bottom = body("top"), animated_parent(), body("bottom", (5, 0, 0))
    middle.parent, bottom.parent = top, middle
    middle.matrix_parent_inverse = Matrix.Translation((0.1, 0.2, 0.3))
    bottom.matrix_parent_inverse = middle.matrix_world.inverted()
    reading = read()
    solved = tumbling(reading)
    write(reading, solved)
    assert largest_error(reading, solved) < 2e-5


def test_a_body_on_a_bone():
    armature = bpy.data.objects.new("rig", bpy.data.armatures.new("rig"))
    bpy.context.scene.collection.objects.link(armature)
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    bone = armature.data.edit_bones.new("Bone")
    bone.head, bone.tail = (0, 0, 0), (0, 0.5, 1)
    bpy.ops.object.mode_set(mode="OBJECT")
    pose = armature.pose.bones["Bone"]
    pose.rotation_mode = "XYZ"
    for frame, angle in ((FIRST, 0.0), (LAST, 1.5)):
        pose.rotation_euler.x = angle
        pose.keyframe_insert("rotation_euler", frame=frame)
    ob = body()
    ob.parent, ob.parent_type, ob.parent_bone = armature, "BONE", "Bone"
    reading = read()
    solved = tumbling(reading)
    write(reading, solved)
    assert largest_error(reading, solved) < 2e-5


def test_constraints_let_go_and_come_back():
    target = bpy.data.objects.new("target", None)
    bpy.context.scene.collection.objects.link(target)
    target.location = (9, 9, 9)
    ob = body()
    constraint = ob.constraints.new("COPY_LOCATION")
    constraint.target, constraint.influence = target, 0.75
    reading = read()
    solved = tumbling(reading)
    write(reading, solved)
    assert largest_error(reading, solved) < 1e-5
    bpy.ops.ves.clear_bake()
    assert constraint.influence == 0.75


def test_other_channels_of_the_old_action_go_on():
    ob = body()
    ob.hide_render = False
    ob.keyframe_insert("hide_render", frame=FIRST)
    ob.keyframe_insert("location", frame=FIRST)
    ob.hide_render = True
    ob.keyframe_insert("hide_render", frame=20)
    old = ob.animation_data.action
    reading = read()
    solved = tumbling(reading)
    write(reading, solved)
    assert ob.animation_data.action != old
    assert largest_error(reading, solved) < 1e-5
    bpy.context.scene.frame_set(10)
    assert not ob.hide_render
    bpy.context.scene.frame_set(25)
    assert ob.hide_render


def curves_of(ob: bpy.types.Object) -> list[bpy.types.FCurve]:
    animation = ob.animation_data
    bag = animation.action.layers[0].strips[0].channelbag(animation.action_slot)
    return list(bag.fcurves)


def test_keys_are_marked_as_generated_and_lie_on_whole_frames():
    ob = body()
    reading = read()
    write(reading, tumbling(reading))
    for curve in curves_of(ob):
        assert [point.co.x for point in curve.keyframe_points] == list(range(FIRST, LAST + 1))
        assert {point.type for point in curve.keyframe_points} == {"GENERATED"}
        assert {point.interpolation for point in curve.keyframe_points} == {"BEZIER"}
        assert {point.handle_left_type for point in curve.keyframe_points} == {"ALIGNED"}
        assert {point.handle_right_type for point in curve.keyframe_points} == {"ALIGNED"}


def test_between_frames_the_curves_follow_the_motion():
    """Motion blur looks there. A pendulum at 2 rad per second squared of swing: straight lines miss it far more."""
    ob = body()
    reading = read()
    count = LAST - FIRST + 1

    def place(frame: np.ndarray) -> np.ndarray:
        angle = 0.25 * frame
        return np.stack([np.cos(angle), np.sin(angle), 0.0 * angle], axis=-1)

    frames = np.arange(count, dtype=float)
    still = np.tile([1.0, 0, 0, 0], (count, 1, 1))
    write(reading, Solved([ob.name], place(frames)[:, None], still))
    halves = frames[:-1] + 0.5
    curve = [c for c in curves_of(ob) if c.data_path == "location"]
    shown = np.array([[c.evaluate(FIRST + half) for c in curve] for half in halves])
    straight = 0.5 * (place(frames[1:]) + place(frames[:-1]))
    exact = place(halves)
    assert np.abs(straight - exact).max() > 5e-3
    assert np.abs(shown - exact).max() < 1e-4


def test_slopes_are_of_fourth_order():
    errors = []
    for count in (21, 41):
        t = np.linspace(0, 2, count)
        step = t[1] - t[0]
        errors.append(np.abs(slopes(np.sin(t)[:, None])[:, 0] / step - np.cos(t)).max())
    assert errors[0] / errors[1] == pytest.approx(16, rel=0.35)


@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_slopes_of_few_frames(count):
    t = np.arange(count, dtype=float)
    expected = np.zeros(count) if count == 1 else np.full(count, 2.0)
    np.testing.assert_allclose(slopes(2.0 * t[:, None])[:, 0], expected)


def test_thirty_thousand_keys_are_quick():
    for i in range(20):
        body(f"body {i}", (i, 0, 0))
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, 250
    reading = run_to_end(read_over_time(scene, bpy.context.view_layer))
    solved = tumbling(reading)
    begun = time.perf_counter()
    write(reading, solved)
    taken = time.perf_counter() - begun
    keys = sum(len(curve.keyframe_points) for item in reading.bodies for curve in curves_of(item.object))
    assert keys == 20 * 250 * 6
    assert taken < 0.5, f"{keys} keys in {taken:.2f} s"


def test_quaternions_of_all_rotations():
    generator = np.random.default_rng(1)
    quaternion = generator.normal(size=(500, 4))
    quaternion[:4] = np.eye(4)  # half turns, where other formulas divide by zero
    quaternion /= np.linalg.norm(quaternion, axis=1, keepdims=True)
    back = poses.quaternions(poses.rotations(quaternion))
    assert np.abs(np.abs(np.einsum("ti,ti->t", back, quaternion)) - 1.0).max() < 1e-14
