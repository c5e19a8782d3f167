# SPDX-License-Identifier: GPL-3.0-or-later
"""Baked bodies that are moved, duplicated or appended take their motion and their kept start along."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from mathutils import Matrix, Quaternion

from tests.blender.linkages import body, chain, joint, keys_of, world_matrices
from tests.blender.making import select
from tests.blender.playing import Driver

FRAMES = range(1, 25, 6)
SHIFT = Matrix.Translation((2.5, -1.0, 0.5))
TURN = Matrix.Translation((2.5, -1.0, 0.5)) @ Quaternion((1.0, 1.0, 2.0), 2.0).to_matrix().to_4x4()


def arm(mode: str = "XYZ", name: str = "") -> list[bpy.types.Object]:
    """An arm that turns on a hinge at a fixed post, about an inclined axis; without gravity all may be turned."""
    post = body(f"{name}post", (0, 0, 0), (0.2, 0.2, 2), "FIXED")
    swinging = body(f"{name}arm", (0.5, 0, 0), (0.9, 0.1, 0.1))
    swinging.rotation_mode = mode
    hinge = joint(f"{name}hinge", (0, 0, 0), post, swinging, "REVOLUTE")
    hinge.rotation_euler = (0.3, 0.4, 0.0)
    hinge.ves.use_speeds, hinge.ves.speeds = True, (3.0, 0.0, 0.0)
    scene = bpy.context.scene
    scene.use_gravity = False
    scene.frame_start, scene.frame_end = 1, 24
    bpy.context.view_layer.update()
    return [post, swinging, hinge]


def move(objects: list[bpy.types.Object], by: Matrix) -> None:
    """As a person does: at the present frame, nothing is keyed."""
    for ob in objects:
        ob.matrix_world = by @ ob.matrix_world
    bpy.context.view_layer.update()


def copied(objects: list[bpy.types.Object], linked: bool = False) -> list[bpy.types.Object]:
    """Shift-D, or Alt-D; in the same order."""
    select(*objects)
    bpy.ops.object.duplicate(linked=linked)
    names = {ob.name.rpartition(".")[0]: ob for ob in bpy.context.selected_objects}
    return [names[ob.name] for ob in objects]


def assert_moved(ob: bpy.types.Object, before: np.ndarray, by: Matrix | None = None) -> None:
    np.testing.assert_allclose(world_matrices(ob, FRAMES), np.array(by or Matrix()) @ before, atol=2e-5)


@pytest.mark.parametrize("by", [SHIFT, TURN], ids=["shifted", "turned"])
@pytest.mark.parametrize("linked", [False, True], ids=["Shift-D", "Alt-D"])
@pytest.mark.parametrize("mode", ["XYZ", "ZXY", "QUATERNION", "AXIS_ANGLE"])
def test_a_copy_of_a_baked_rig_moves_where_it_was_put(mode, linked, by):
    rig = arm(mode)
    start = np.array(rig[1].matrix_world)
    bpy.ops.ves.bake()
    before = world_matrices(rig[1], FRAMES)
    assert np.abs(before - before[0]).max() > 0.5
    bpy.context.scene.frame_set(13)
    copy = copied(rig, linked)
    move(copy, by)
    assert_moved(copy[1], before, by)
    assert_moved(rig[1], before)
    bpy.context.scene.frame_set(7)
    bpy.ops.ves.bake()
    assert_moved(copy[1], before, by)
    assert_moved(rig[1], before)
    bpy.ops.ves.clear_bake()
    np.testing.assert_allclose(copy[1].matrix_world, np.array(by) @ start, atol=1e-5)
    np.testing.assert_allclose(rig[1].matrix_world, start, atol=1e-6)


@pytest.mark.parametrize("follows", ["bake", "clear", "save"])
def test_a_moved_rig_is_moved_whatever_comes_next(follows, tmp_path):
    """Without another frame in between."""
    rig = arm()
    start = np.array(rig[1].matrix_world)
    bpy.ops.ves.bake()
    before = world_matrices(rig[1], FRAMES)
    bpy.context.scene.frame_set(13)
    move(rig, SHIFT)
    if follows == "clear":
        bpy.ops.ves.clear_bake()
        np.testing.assert_allclose(rig[1].matrix_world, np.array(SHIFT) @ start, atol=1e-6)
        return
    if follows == "save":
        bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "moved.blend"))
        bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "moved.blend"))
    else:
        bpy.ops.ves.bake()
    assert_moved(bpy.data.objects["arm"], before, SHIFT)


def test_curves_between_frames_are_turned_with_their_slopes():
    rig = arm()
    bpy.ops.ves.bake()
    between = [3.25, 10.5, 17.75]
    before = world_matrices(rig[1], between)
    bpy.context.scene.frame_set(13)
    move(rig, TURN)
    np.testing.assert_allclose(world_matrices(rig[1], between), np.array(TURN) @ before, atol=1e-4)


def test_moves_add_up_and_a_move_taken_back_leaves_all_as_it_was():
    rig = arm()
    bpy.ops.ves.bake()
    before, keys = world_matrices(rig[1], FRAMES), keys_of(rig[1])
    bpy.context.scene.frame_set(13)
    place = rig[1].location.copy()
    move([rig[1]], SHIFT)
    rig[1].location = place
    bpy.context.view_layer.update()
    assert_moved(rig[1], before)
    assert keys_of(rig[1]) == keys
    for frame in (13, 4):
        bpy.context.scene.frame_set(frame)
        move(rig, SHIFT)
    assert_moved(rig[1], before, SHIFT @ SHIFT)


def test_where_a_body_is_keyed_it_is_not_moved():
    """As with Auto Keying: a correction at that frame, and the kept start is what it was."""
    rig = arm()
    start = np.array(rig[1].matrix_world)
    bpy.ops.ves.bake()
    before = world_matrices(rig[1], FRAMES)
    bpy.context.scene.frame_set(13)
    rig[1].location.x += 1.0
    rig[1].keyframe_insert("location")
    bpy.context.view_layer.update()
    after = world_matrices(rig[1], FRAMES)
    np.testing.assert_allclose(after[2, :3, 3] - before[2, :3, 3], (1, 0, 0), atol=1e-5)
    np.testing.assert_allclose(np.delete(after, 2, axis=0), np.delete(before, 2, axis=0), atol=1e-6)
    bpy.ops.ves.clear_bake()
    np.testing.assert_allclose(rig[1].matrix_world, start, atol=1e-6)


def test_the_animation_from_before_moves_too_but_not_that_of_the_original():
    rig = arm()
    for frame, place in ((1, (0.5, 0, 0)), (24, (3, 0, 0))):
        rig[1].location = place
        rig[1].keyframe_insert("location", frame=frame)
    bpy.context.scene.frame_set(1)
    own = world_matrices(rig[1], FRAMES)
    bpy.ops.ves.bake()
    copy = copied(rig)
    move(copy, SHIFT)
    bpy.ops.ves.bake()
    bpy.ops.ves.clear_bake()
    assert_moved(rig[1], own)
    assert_moved(copy[1], own, SHIFT)
    assert copy[1].animation_data.action != rig[1].animation_data.action


def test_a_body_below_a_turned_parent_with_delta_transforms_moves():
    ground = bpy.data.objects.new("ground", None)
    bpy.context.scene.collection.objects.link(ground)
    ground.matrix_world = TURN
    stone = body("stone", (0, 0, 1))
    stone.parent = ground
    stone.delta_location, stone.delta_rotation_euler = (0.1, 0.2, 0.3), (0.5, 0.6, 0.7)
    stone.ves.angular_velocity = (0, 2, 0)
    bpy.context.scene.frame_end = 24
    bpy.context.view_layer.update()
    start = np.array(stone.matrix_world)
    bpy.ops.ves.bake()
    before = world_matrices(stone, FRAMES)
    bpy.context.scene.frame_set(10)
    move([stone], TURN)
    assert_moved(stone, before, TURN)
    bpy.ops.ves.clear_bake()
    np.testing.assert_allclose(stone.matrix_world, np.array(TURN) @ start, atol=1e-5)


def test_what_moves_a_rig_by_its_parent_moves_nothing_twice():
    rig = arm()
    holder = bpy.data.objects.new("holder", None)
    bpy.context.scene.collection.objects.link(holder)
    for ob in rig:
        ob.parent = holder
    start = np.array(rig[1].matrix_world)
    bpy.ops.ves.bake()
    before, keys = world_matrices(rig[1], FRAMES), keys_of(rig[1])
    holder.location = (2, 0, 0)
    bpy.context.view_layer.update()
    by = Matrix.Translation((2, 0, 0))
    assert_moved(rig[1], before, by)
    assert keys_of(rig[1]) == keys
    bpy.ops.ves.bake()
    assert_moved(rig[1], before, by)
    bpy.ops.ves.clear_bake()
    np.testing.assert_allclose(rig[1].matrix_world, np.array(by) @ start, atol=1e-6)


@pytest.mark.parametrize("link", [False, True], ids=["appended", "linked and made local"])
def test_a_baked_rig_from_another_file_moves_as_any_other(link, tmp_path):
    rig = arm()
    start = np.array(rig[1].matrix_world)
    bpy.ops.ves.bake()
    before = world_matrices(rig[1], FRAMES)
    path, names = str(tmp_path / "rig.blend"), [ob.name for ob in rig]
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end, scene.use_gravity = 1, 24, False
    with bpy.data.libraries.load(path, link=link) as (_, found):
        found.objects = list(names)
    for ob in found.objects:
        scene.collection.objects.link(ob)
    bpy.context.view_layer.update()
    if link:
        select(*found.objects)
        bpy.ops.object.make_local(type="SELECT_OBJECT")
    here = [bpy.data.objects[name, None] for name in names]
    scene.frame_set(13)
    assert_moved(here[1], before)
    scene.frame_set(13)
    move(here, TURN)
    assert_moved(here[1], before, TURN)
    bpy.ops.ves.bake()
    assert_moved(here[1], before, TURN)
    bpy.ops.ves.clear_bake()
    np.testing.assert_allclose(here[1].matrix_world, np.array(TURN) @ start, atol=1e-5)


def test_undo_takes_a_move_back():
    rig = arm()
    bpy.ops.ves.bake()
    before = world_matrices(rig[1], FRAMES)
    bpy.context.scene.frame_set(13)
    bpy.ops.ed.undo_push(message="before")
    move(rig, SHIFT)
    bpy.ops.ed.undo_push(message="moved")
    bpy.context.scene.frame_set(3)
    bpy.ops.ed.undo()
    assert_moved(bpy.data.objects["arm"], before)


def test_what_another_scene_shows_at_another_frame_is_not_moved():
    rig = arm()
    bpy.ops.ves.bake()
    before, keys = world_matrices(rig[1], FRAMES), keys_of(rig[1])
    bpy.context.scene.frame_set(19)
    other = bpy.data.scenes.new("other")
    for ob in rig:
        other.collection.objects.link(ob)
    other.view_layers[0].update()
    other.frame_set(5)
    bpy.context.scene.frame_set(2)
    assert keys_of(rig[1]) == keys
    assert_moved(rig[1], before)


def test_play_moves_a_baked_rig_but_not_its_bake():
    rig = arm()
    bpy.ops.ves.bake()
    bpy.context.scene.frame_set(13)
    keys, shown = keys_of(rig[1]), np.array(rig[1].matrix_world)
    run = Driver()
    run.go_on(5)
    assert np.abs(np.array(rig[1].matrix_world) - shown).max() > 0.1
    run.end()
    bpy.context.view_layer.update()
    np.testing.assert_array_equal(rig[1].matrix_world, shown)
    bpy.context.scene.frame_set(2)
    assert keys_of(rig[1]) == keys


def steps_with_a_moved_copy(linked: bool, steps_after: int) -> tuple[list[str], np.ndarray]:
    """Undo steps as a person makes them in a window; the copies' names, and how the arm moved before it was copied."""

    def push(message: str) -> None:
        bpy.ops.ed.undo_push(message=message)
        bpy.context.view_layer.update()

    push("Nothing")
    rig = arm()
    bpy.ops.ves.bake()
    before = world_matrices(rig[1], FRAMES)
    bpy.context.scene.frame_set(13)
    push("Bake")
    copies = copied(rig, linked)
    push("Duplicate")
    move(copies, SHIFT)
    push("Move")
    for step in range(steps_after):
        bpy.context.scene.gravity.y = 1.0 + step
        push("Something else")
    return [ob.name for ob in copies], before


@pytest.mark.parametrize("linked", [False, True])
@pytest.mark.parametrize("steps_after", [0, 1, 3])
@pytest.mark.parametrize("plays", [False, True])
def test_undo_after_a_moved_copy_was_played(linked, steps_after, plays):
    """Playing makes no undo step. Of a linked copy the action is another one by then, which Blender must not free."""
    names, before = steps_with_a_moved_copy(linked, steps_after)
    if plays:
        bpy.context.scene.frame_set(17)
    places, way = [], [SHIFT] * steps_after + [Matrix()]
    for expected in way:
        bpy.ops.ed.undo()
        known = {action.as_pointer() for action in bpy.data.actions}
        baked = [ob for ob in bpy.data.objects if ob.animation_data]
        assert all(ob.animation_data.action.as_pointer() in known for ob in baked)
        bpy.context.view_layer.update()
        places.append(np.array(bpy.data.objects[names[1]].matrix_world))
        np.testing.assert_allclose(places[-1], np.array(expected) @ before[FRAMES.index(13)], atol=1e-5)
    assert_moved(bpy.data.objects[names[1]], before)
    bpy.ops.ed.redo()
    assert_moved(bpy.data.objects[names[1]], before, SHIFT)
    assert_moved(bpy.data.objects["arm"], before)


def test_undo_makes_no_copies_of_what_several_bakes_share():
    """They would be in no step, and the next undo would free them behind the objects that have them."""
    rods = chain(2, 6)
    rods[0].keyframe_insert("location", frame=1)
    rods[1].animation_data_create().action = rods[0].animation_data.action
    bpy.ops.ves.bake()
    for step in range(4):
        bpy.context.scene.gravity.y = float(step)
        bpy.ops.ed.undo_push(message="Something")
    for _ in range(3):
        bpy.ops.ed.undo()
        known = {action.as_pointer() for action in bpy.data.actions}
        assert all(bpy.data.objects[f"rod {i}"].ves.kept_action.as_pointer() in known for i in range(2))
        assert len(known) == 3
