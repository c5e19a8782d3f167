# SPDX-License-Identifier: GPL-3.0-or-later
"""Generic constraints: made by the operator, read, baked, snapped, led, opened from a file, and drawn."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from mathutils import Matrix, Vector
from virtual_erector_set.operators.parts.generic import PRESETS
from virtual_erector_set.scene.bake.bake import run_to_end
from virtual_erector_set.scene.build.scene import build
from virtual_erector_set.scene.findings import SceneError
from virtual_erector_set.scene.overlay import generic_lines
from virtual_erector_set.scene.parts.constraint_frames import frame_between
from virtual_erector_set.scene.read.scene import read_mechanism, read_over_time

from tests.blender.linkages import body, part
from tests.blender.making import box, empty, select, with_role

NAMES = ("x", "y", "z"), ("turn x", "turn y", "turn z")


def now():
    bpy.context.view_layer.update()
    return read_mechanism(bpy.context.scene, bpy.context.evaluated_depsgraph_get())


def over_time():
    return run_to_end(read_over_time(bpy.context.scene, bpy.context.view_layer)).mechanism


def generic(a, b=None, locked=("z",), position=(0, 0, 0)) -> bpy.types.Object:
    made = part("generic", "GENERIC", position)
    made.ves.body_a, made.ves.body_b = a, b
    made.ves.lock_travel, made.ves.lock_turn = ([name in locked for name in names] for names in NAMES)
    return made


@pytest.mark.parametrize("preset", PRESETS)
def test_a_preset_locks_its_axes(preset):
    select(box("A"))
    assert bpy.ops.ves.add_generic(preset=preset) == {"FINISHED"}
    (made,) = with_role("GENERIC")
    _, _, travel, turn = PRESETS[preset]
    assert (*made.ves.lock_travel, *made.ves.lock_turn) == tuple(map(bool, (*travel, *turn)))
    assert (made.ves.body_a.name, made.ves.body_b, made.parent) == ("A", None, None)
    (found,) = now().mechanism.constraints
    assert found.type == "generic"
    assert found.locked == tuple(n for n, flag in zip(sum(NAMES, ()), (*travel, *turn), strict=True) if flag)


def test_each_body_is_held_to_the_active_one_whose_child_the_empty_is():
    a, b, c = box("A"), box("B", (3, 0, 0)), box("C", (0, 3, 0))
    select(a, b, c)
    bpy.ops.ves.add_generic(preset="LINE", axis="X")
    made = {each.ves.body_a: each for each in with_role("GENERIC")}
    assert made.keys() == {b, c}
    assert {each.ves.body_b for each in made.values()} == {a} == {each.parent for each in made.values()}
    assert (made[b].matrix_world.translation - Vector((3, 0, 0))).length < 1e-6
    assert (made[b].matrix_world.to_3x3().col[2] - Vector((1, 0, 0))).length < 1e-6


def test_only_a_dynamic_body_is_held_whichever_is_active():
    a, b = body("A"), body("B", (3, 0, 0), motion="FIXED")
    select(a, b)
    bpy.ops.ves.add_generic()
    (made,) = with_role("GENERIC")
    assert (made.ves.body_a, made.ves.body_b) == (a, b)


def test_a_selected_empty_leads():
    hand = empty("Hand")
    select(box("A"), hand)
    assert bpy.ops.ves.add_generic(preset="PLANE") == {"FINISHED"}
    (made,) = with_role("GENERIC")
    assert made.ves.path_object == hand


def test_baked_a_body_slides_down_a_tilted_plane_and_the_bake_knows_the_force():
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, 13
    ball = body("ball", size=(0.2, 0.2, 0.2))
    made = generic(ball)
    made.rotation_euler.x = 0.5
    bpy.context.view_layer.update()
    assert bpy.ops.ves.bake() == {"FINISHED"}
    scene.frame_set(13)
    t = 0.5
    down = 9.81 * np.sin(0.5) * 0.5 * t * t
    assert (ball.matrix_world.translation - Vector((0, -down * np.cos(0.5), -down * np.sin(0.5)))).length < 1e-4


def test_led_in_height_alone_it_falls_sideways_as_it_likes():
    """Motion prescribed along one axis, forces along the others."""
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, 25
    scene.gravity = (1.0, 0.0, -9.81)
    lift = empty("lift")
    for frame, z in ((1, 5.0), (13, 5.5), (25, 6.0)):
        lift.location.z = z
        lift.keyframe_insert("location", frame=frame)
    ball = body("ball", size=(0.2, 0.2, 0.2))
    made = generic(ball)
    made.ves.path_object = lift
    constraint = over_time().constraints[0]
    assert constraint.positions[0] == pytest.approx((0, 0, 0), abs=1e-6), "Keep Offset: from where the Empty is"
    assert constraint.positions[-1] == pytest.approx((0, 0, 1), abs=1e-6)
    assert bpy.ops.ves.bake() == {"FINISHED"}
    scene.frame_set(25)
    assert (ball.matrix_world.translation - Vector((0.5, 0, 1))).length < 1e-3
    made.ves.path_keep_offset = False
    bpy.ops.ves.clear_bake()
    with pytest.raises(SceneError, match="its two sides are 5 m apart"):
        over_time()


def test_wrong_ones_are_refused_by_name():
    a, b = body("a"), body("b", (3, 0, 0))
    made = generic(a, locked=())
    with pytest.raises(SceneError, match="all of its axes are free: lock one"):
        over_time()
    made.ves.lock_travel[2] = True
    made.ves.path_object, made.ves.body_b = empty("Hand"), b
    with pytest.raises(SceneError, match="is led by Hand and held to b"):
        over_time()
    made.ves.body_b, made.ves.path_object = a, None
    with pytest.raises(SceneError, match="holds a to itself"):
        over_time()
    made.ves.body_b = None
    made.ves.path_object = b
    with pytest.raises(SceneError, match="goes along with the dynamic body b"):
        over_time()


def test_all_six_locked_are_named_by_check():
    generic(body("a"), locked=sum(NAMES, ()))
    bpy.ops.ves.check()
    assert any("all six of its axes are locked" in finding.text for finding in bpy.context.scene.ves.findings)


MARKS = {"z": ("z",), "line": ("x", "y"), "parallel": ("turn x", "turn y"), "cross": ("x", "turn z"), "all": NAMES[1]}


@pytest.mark.parametrize("locked", MARKS.values(), ids=MARKS)
def test_loose_sides_are_snapped_together(locked):
    a, b = body("a"), body("b", (3, 0, 0))
    made = generic(b, a, locked, (3, 0, 0))
    made.parent, made.matrix_parent_inverse = b, b.matrix_world.inverted()
    mark = empty("mark")
    mark.parent, mark.matrix_parent_inverse = a, a.matrix_world.inverted()
    mark.matrix_world = Matrix.Translation((1, 0.2, 0.3)) @ Matrix.Rotation(0.4, 4, (0.6, 0.0, 0.8))
    made.ves.anchor_b = mark
    with pytest.raises(SceneError, match="its two sides are"):
        over_time()
    assert bpy.ops.ves.snap_together() == {"FINISHED"}
    over_time()  # nothing is open any more
    bpy.context.view_layer.update()
    axes, own = mark.matrix_world.to_3x3(), made.matrix_world.to_3x3()
    way = axes.transposed() @ (made.matrix_world.translation - mark.matrix_world.translation)
    assert max((abs(way["xyz".index(name)]) for name in locked if len(name) == 1), default=0.0) < 1e-5
    if locked == ("turn x", "turn y"):
        assert (axes.col[2] - own.col[2]).length < 1e-5
    if "turn z" in locked and len(locked) == 2:
        assert abs(axes.col[0].dot(own.col[1])) < 1e-5


@pytest.mark.parametrize(
    ("lock", "first", "second"), [("turn x", "Y", "Z"), ("turn y", "Z", "X"), ("turn z", "X", "Y")]
)
def test_one_frame_shows_both_sides_of_a_cross(lock, first, second):
    """Of one locked turn it has one axis of each side, which are at a right angle if it is met."""
    made = generic(body("a"), locked=(lock,))
    held = np.array(Matrix.Translation((1, 2, 3)) @ Matrix.Rotation(0.3, 4, first) @ Matrix.Rotation(0.5, 4, second))
    frame = frame_between(made.ves, held, np.eye(4))
    assert frame[:3, 3] == pytest.approx((1, 2, 3))
    assert frame[:3, :3].T @ frame[:3, :3] == pytest.approx(np.eye(3), abs=1e-6)
    assert frame[:3, "XYZ".index(first)] == pytest.approx(np.eye(3)["XYZ".index(first)], abs=1e-6)
    assert frame[:3, "XYZ".index(second)] == pytest.approx(held[:3, "XYZ".index(second)], abs=1e-6)


def test_one_frame_has_the_axes_of_what_it_is_held_to_if_all_turns_are_free():
    held = np.array(Matrix.Translation((1, 2, 3)) @ Matrix.Rotation(0.3, 4, "X"))
    frame = frame_between(generic(body("a")).ves, held, np.eye(4))
    assert frame == pytest.approx(np.array(Matrix.Translation((1, 2, 3))))


def test_written_to_a_file_and_back():
    a, b = body("a"), body("b", (3, 0, 0))
    generic(a, b, ("x", "turn y"))
    lift = empty("lift")
    for frame in (1, 10):
        lift.location.z = 0.1 * frame
        lift.keyframe_insert("location", frame=frame)
    led = generic(b, None, ("z",), (3, 0, 0))
    led.ves.path_object = lift
    first = over_time()
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    build(bpy.context, first)
    again = over_time()
    for one, other in zip(first.constraints, again.constraints, strict=True):
        assert (one.locked, one.body_a, one.body_b) == (other.locked, other.body_a, other.body_b)
        for mine, its in zip(one.sides, other.sides, strict=True):
            assert np.concatenate(mine) == pytest.approx(np.concatenate(its), abs=1e-5)
    assert again.constraints[1].positions[-1] == pytest.approx(first.constraints[1].positions[-1], abs=1e-5)


def test_free_axes_of_what_is_selected_are_drawn():
    made = generic(body("a"), locked=("x", "y", "z", "turn x", "turn y"))
    select(made)
    ring = len(generic_lines(bpy.context))
    made.ves.lock_travel[2] = False
    assert len(generic_lines(bpy.context)) == ring + 2
    made.ves.lock_turn[2] = True
    assert len(generic_lines(bpy.context)) == 2
    made.select_set(False)
    assert generic_lines(bpy.context) == []
