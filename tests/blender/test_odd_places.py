# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects that are nowhere, or hang on something without a size: each is named, and nothing fails over it."""

from __future__ import annotations

import math

import bpy
import numpy as np
import pytest
from virtual_erector_set.scene.geometry.computed_weight import solid_now
from virtual_erector_set.scene.geometry.poses import rotation_part
from virtual_erector_set.scene.overlay import shape_lines

from tests.blender.linkages import body, chain, joint, part, world_matrices
from tests.blender.making import select
from tests.blender.playing import force

NAN = float("nan")
NOWHERE = "rod 1: has a place, rotation or scale that is not a number"
FLAT = "rod 1: hangs on a parent whose scale is zero"
CALLS = {
    "bake": {},
    "play": {"frames": 3},
    "pose": {"body": "rod 1", "target": (1.0, 1.0, 1.0)},
    "export_mechanism": {},
}


def nowhere(rods):
    rods[1].location.x = NAN


def mark_nowhere(_rods):
    bpy.data.objects["joint 1"].ves.anchor_b = part("mark", "NONE", (NAN, 0, 0))


def keyed_to_nowhere(rods):
    rods[1].ves.motion = "KEYED"
    for frame, x in ((1, 1.5), (5, NAN)):
        rods[1].location.x = x
        rods[1].keyframe_insert("location", frame=frame)


def flat_parent(rods):
    rods[1].parent = part("parent", "NONE")
    rods[1].parent.scale = (0.0, 1.0, 1.0)


def parent_that_gets_flat(rods):
    rods[1].parent = part("parent", "NONE")
    for frame, x in ((1, 1.0), (5, 0.0)):
        rods[1].parent.scale.x = x
        rods[1].parent.keyframe_insert("scale", frame=frame)


def flat_by_delta(rods):
    rods[1].delta_scale.y = 0.0


def flat_by_driver(rods):
    rods[1].driver_add("scale", 0).driver.expression = "0 * frame"


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize(
    ("make", "said"),
    [
        (nowhere, NOWHERE),
        (mark_nowhere, "joint 1: its Other Side, mark, is at a place that is not a number"),
        (flat_parent, FLAT),
        (flat_by_delta, "rod 1: has a scale of zero"),
        (flat_by_driver, "rod 1: has a scale of zero"),
    ],
)
def test_what_has_no_place_or_size_is_named(make, said, call, tmp_path):
    make(chain(3, 6))
    bpy.context.view_layer.update()
    more = {"filepath": str(tmp_path / "m.json")} if call == "export_mechanism" else {}
    with pytest.raises(RuntimeError, match=r"^Error: ") as error:
        getattr(bpy.ops.ves, call)(**CALLS[call], **more)
    assert said in str(error.value)
    assert "Traceback" not in str(error.value)
    bpy.ops.ves.check()
    assert any(said in f"{found.culprit.name}: {found.text}" for found in bpy.context.scene.ves.findings)


@pytest.mark.parametrize(
    ("make", "said"), [(keyed_to_nowhere, "not a number at frame 1.5"), (parent_that_gets_flat, FLAT)]
)
def test_what_loses_its_place_or_size_later_is_named_once(make, said):
    make(chain(3, 6))
    bpy.context.scene.frame_set(1)
    with pytest.raises(RuntimeError) as error:
        bpy.ops.ves.bake()
    assert str(error.value).count("rod 1") == 1
    assert said in str(error.value)


def test_a_parent_without_a_size_during_play_ends_it_with_a_word():
    from virtual_erector_set.scene.findings import SceneError
    from virtual_erector_set.scene.play.play import Play

    rods = chain(3, 6)
    rods[1].parent = part("parent", "NONE")
    play = Play(bpy.context.scene, bpy.context.view_layer, 5)
    steps = play.steps()
    while not play.is_running:
        next(steps)
    rods[1].parent.scale.x = 0.0
    with pytest.raises(SceneError, match=FLAT):
        for _ in steps:
            pass
    assert tuple(rods[2].location) == (2.5, 0.0, 0.0)


def test_no_number_has_no_rotation():
    matrices = np.stack([np.eye(3), np.full((3, 3), NAN), 2.0 * np.eye(3)])
    np.testing.assert_allclose(rotation_part(matrices), np.broadcast_to(np.eye(3), (3, 3, 3)), atol=1e-15)


def test_what_is_drawn_of_a_body_without_a_place_is_nothing_worse():
    rods = chain(2)
    rods[1].scale.x = NAN
    bpy.context.view_layer.update()
    shape_lines(rods[1], bpy.context.evaluated_depsgraph_get())
    assert solid_now(rods[1], bpy.context) is None


@pytest.mark.parametrize("call", ["add_point_to_point", "add_distance", "add_joint", "chain", "add_nail", "add_pulley"])
@pytest.mark.parametrize("where", [NAN, math.inf, 1e30])
def test_what_is_added_to_a_body_without_a_place_is_somewhere(call, where):
    boxes = [body("a", (0, 0, 0)), body("b", (2, 0, 0))]
    boxes[1].location.x = where
    bpy.context.view_layer.update()
    select(*boxes)
    assert getattr(bpy.ops.ves, call)() == {"FINISHED"}
    assert len(bpy.context.scene.objects) > 2


def test_a_joint_without_bodies_gets_no_gear():
    first = body("a", (0, 0, 0))
    joint("hinge", (0, 0, 0), None, first, "REVOLUTE")
    empty = part("lonely", "JOINT", (1, 0, 0))
    empty.ves.joint_type = "REVOLUTE"
    select(first, empty)
    with pytest.raises(RuntimeError, match="lonely connects nothing: choose its bodies"):
        bpy.ops.ves.add_gear()


@pytest.mark.parametrize("scale", [(2, 2, 2), (-1, 1, 1), (-1, -1, -1), (1e-6, 1e-6, 1e-6)])
@pytest.mark.parametrize("is_kept", [True, False])
def test_below_a_scaled_or_mirrored_parent_bodies_move_as_without_it(scale, is_kept):
    """Parented as Ctrl P does, and placed where they were by their own channels.

    In single precision they stand 4e-7 m elsewhere below a parent, and thin rods on balls turn by 2e-5 from that.
    """
    expected = [world_matrices(rod, range(1, 9)) for rod in _baked(chain(2, 8))]
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    rods, parent = chain(2, 8), part("parent", "NONE", (1, 2, 3))
    parent.scale, parent.rotation_euler = scale, (0.3, 0.4, 0.5)
    bpy.context.view_layer.update()
    for rod in rods:
        place = rod.matrix_world.copy()
        rod.parent = parent
        if is_kept:
            rod.matrix_parent_inverse = parent.matrix_world.inverted()
        else:
            rod.matrix_world = place
    moved = [world_matrices(rod, range(1, 9)) for rod in _baked(rods)]
    assert not bpy.context.scene.ves.findings
    np.testing.assert_allclose(moved, expected, atol=1e-4)


@pytest.mark.parametrize("scale", [(-1, 1, 1), (-1, -1, 1), (-1, -1, -1)])
def test_mirrored_bodies_move_as_others_do_and_stay_mirrored(scale):
    expected = [world_matrices(rod, range(1, 9)) for rod in _baked(chain(2, 8))]
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    rods = chain(2, 8)
    for rod in rods:
        rod.scale = scale
    moved = [world_matrices(rod, range(1, 9)) for rod in _baked(rods)]
    np.testing.assert_allclose(moved, expected @ np.diag([*scale, 1.0]), atol=1e-5)


def _baked(rods):
    bpy.context.view_layer.update()
    bpy.ops.ves.bake()
    return rods


def turned_hinge(kind="REVOLUTE"):
    """A rod on a joint to the world whose Z axis points down."""
    (rod,) = chain(1, 8)
    held = bpy.data.objects["joint 0"]
    held.ves.joint_type, held.rotation_euler.x = kind, math.pi
    return rod, held


@pytest.mark.parametrize("scale", [(0, 0, 0), (0, 1, 0)])
def test_an_axis_that_points_nowhere_is_named(scale):
    """The joint's axis was that of the world, unsaid."""
    rod, held = turned_hinge()
    held.scale = scale
    jet = force("jet", "MOTOR", rod, force=(0, 0, 40))
    jet.scale = scale
    bpy.context.view_layer.update()
    with pytest.raises(RuntimeError) as error:
        bpy.ops.ves.bake()
    said = "has a scale of zero, so its axes point nowhere: give it a size"
    assert str(error.value).strip() == f"Error: joint 0: {said}\njet: {said}"
    held.scale, jet.scale = (1, 0, 1), (1e-12, 1e-12, 1e-12)
    bpy.context.view_layer.update()
    assert bpy.ops.ves.bake() == {"FINISHED"}
    assert not bpy.context.scene.ves.findings


@pytest.mark.parametrize("turns", [False, True])
def test_what_goes_along_mirrored_axes_is_named(turns):
    """A limit of a slider, or a push, acts opposite to the arrow that is drawn; a mirrored turn is as it was meant."""
    rod, held = turned_hinge("REVOLUTE" if turns else "PRISMATIC")
    held.ves.use_upper_limit[0], held.ves.upper_limit_travel[0] = True, 0.1
    jet = force("jet", "MOTOR", rod, torque=(0, 0, 1)) if turns else force("jet", "MOTOR", rod, force=(0, 0, 1))
    for each in (held, jet):
        each.scale = (-1, 1, 1)
    bpy.context.view_layer.update()
    bpy.ops.ves.check()
    said = [each.culprit for each in bpy.context.scene.ves.findings if "is mirrored (a negative scale" in each.text]
    assert said == ([] if turns else [held, jet])
