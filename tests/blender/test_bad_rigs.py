# SPDX-License-Identifier: GPL-3.0-or-later
"""Odd or broken rigs: they become ragdolls and are baked right, or are told what is wrong and stay as they are."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

from tests.blender import rigs
from tests.blender.making import select, with_role

NAMES = ["骨", "कूल्हा", "عظم", "κόκαλο", 'a "quoted" one', "back\\slash", "dots.and [brackets]", "🦴"]


def in_a_row(names: list[str], **more) -> bpy.types.Object:
    bones = {
        name: (names[i - 1] if i else None, (0.3 * i, 0, 1), (0.3 * (i + 1), 0, 1), 0.05)
        for i, name in enumerate(names)
    }
    return rigs.make_rig("Rig", bones, **more)


def falls_right(rig: bpy.types.Object, frames: int = 6) -> None:
    """Ragdoll, bake, meet the physics, and leave no trace."""
    before = rigs.described(rig)
    select(rig)
    assert bpy.ops.ves.ragdoll(use_contact=False) == {"FINISHED"}
    next(ob for ob in with_role("BODY") if ob.parent == rig).ves.angular_velocity = (1.0, 2.0, 3.0)
    bpy.context.scene.frame_end = frames
    place, turn, *_ = rigs.largest_errors(rigs.solved_poses(bpy.context.scene, bpy.context.view_layer))
    assert place < 1e-4
    assert turn < 0.01
    bpy.ops.ves.clear_bake()
    bpy.context.scene.frame_set(1)
    select(rig)
    bpy.ops.ves.remove_ragdoll()
    assert rigs.described(rig) == before


def test_names_in_any_script():
    falls_right(in_a_row(NAMES))


def test_constraints_without_a_target_do_nothing():
    rig = in_a_row(["A", "B", "C", "D"])
    rig.pose.bones["C"].constraints.new("COPY_ROTATION")
    rig.pose.bones["D"].constraints.new("IK")
    gone = rig.pose.bones["B"].constraints.new("COPY_TRANSFORMS")
    gone.target, gone.subtarget = rig, "nobody"
    bpy.context.view_layer.update()
    falls_right(rig)


def test_constraints_in_a_circle_are_named():
    rig = in_a_row(["A", "B", "C", "D"])
    for one, other in (("B", "D"), ("D", "B")):
        each = rig.pose.bones[one].constraints.new("COPY_ROTATION")
        each.target, each.subtarget = rig, other
    bpy.context.view_layer.update()
    before = rigs.described(rig)
    select(rig)
    with pytest.raises(RuntimeError, match=r"go in a circle \([BCD], [BCD]"):
        bpy.ops.ves.ragdoll()
    assert rigs.described(rig) == before


def test_bones_next_to_no_length_go_along():
    bones = rigs.row() | {"dot": ("B1", (0.6, 0, 1), (0.6 + 1e-5, 0, 1), 0.0)}
    rig = rigs.make_rig("Rig", bones)
    falls_right(rig)


def test_two_armatures_with_one_skin():
    first = in_a_row(["A", "B", "C", "D"])
    second = rigs.make_rig(
        "Other", {f"o{name}": (above and f"o{above}", *rest) for name, (above, *rest) in rigs.row().items()}
    )
    skin = first.children[0]
    skin.modifiers.new("Other", "ARMATURE").object = second
    bpy.context.view_layer.update()
    for rig in (first, second):
        select(rig)
        assert bpy.ops.ves.ragdoll(use_contact=False) == {"FINISHED"}
    assert {ob.parent for ob in with_role("BODY")} == {first, second}
    bpy.context.scene.frame_end = 4
    place, turn, *_ = rigs.largest_errors(rigs.solved_poses(bpy.context.scene, bpy.context.view_layer))
    assert place < 1e-4
    assert turn < 0.01


def test_three_hundred_bones():
    """A cape of fifteen chains of twenty bones."""
    bones = {"root": (None, (0, 0, 2), (0, 0, 2.2), 0.1)}
    for i in range(15):
        for j in range(20):
            x, z = 0.05 * i - 1.25, 2.0 - 0.1 * j
            bones[f"c{i}.{j}"] = (f"c{i}.{j - 1}" if j else "root", (x, 0, z), (x, 0, z - 0.1), 0.02)
    rig = rigs.make_rig("Cape", bones)
    before = rigs.described(rig)
    select(rig)
    assert bpy.ops.ves.ragdoll(use_contact=False) == {"FINISHED"}
    assert len(with_role("BODY")) == 301
    assert rigs.described(rig) == before


def _linked(rig: bpy.types.Object, path: str) -> bpy.types.Object:
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    with bpy.data.libraries.load(path, link=True) as (_, into):
        into.collections = ["Rig"]
    return bpy.data.collections["Rig"]


def _with_collection(rig: bpy.types.Object) -> None:
    home = bpy.data.collections.new("Rig")
    bpy.context.scene.collection.children.link(home)
    for ob in (rig, *rig.children):
        home.objects.link(ob)


def test_a_library_override_falls(tmp_path):
    rig = in_a_row(["A", "B", "C", "D"])
    _with_collection(rig)
    linked = _linked(rig, str(tmp_path / "rig.blend"))
    bpy.context.scene.collection.children.link(linked)
    linked.override_hierarchy_create(bpy.context.scene, bpy.context.view_layer, do_fully_editable=True)
    rig = next(ob for ob in bpy.data.objects if ob.type == "ARMATURE" and ob.override_library)
    falls_right(rig)


def test_a_linked_rig_is_refused_by_name(tmp_path):
    rig = in_a_row(["A", "B", "C", "D"])
    _with_collection(rig)
    linked = _linked(rig, str(tmp_path / "rig.blend"))
    bpy.context.scene.collection.children.link(linked)
    rig = next(ob for ob in bpy.data.objects if ob.type == "ARMATURE")
    select(rig)
    count = len(bpy.data.objects)
    with pytest.raises(RuntimeError, match="linked from another file"):
        bpy.ops.ves.ragdoll()
    assert len(bpy.data.objects) == count


def test_a_driven_bone_is_refused_by_name_and_nothing_changes():
    rig = in_a_row(["A", "B", "C", "D"])
    rig.pose.bones["C"].driver_add("rotation_quaternion", 1).driver.expression = "0.1"
    bpy.context.view_layer.update()
    before = rigs.described(rig)
    select(rig)
    bpy.ops.ves.ragdoll(use_contact=False)
    with pytest.raises(RuntimeError, match="C: has drivers on rotation_quaternion"):
        bpy.ops.ves.bake()
    assert rigs.described(rig) == before


def test_a_rig_of_no_size_has_nothing_to_take():
    rig = in_a_row(["A", "B", "C", "D"], with_skin=False)
    rig.scale = (0.0, 0.0, 0.0)
    bpy.context.view_layer.update()
    select(rig)
    with pytest.raises(RuntimeError, match="zero or negative"):
        bpy.ops.ves.ragdoll()
    assert np.array_equal(rig.scale, (0.0, 0.0, 0.0))
