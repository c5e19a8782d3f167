# SPDX-License-Identifier: GPL-3.0-or-later
"""Linkages as units: duplicated, mirrored, scaled and appended they work on their own, or Check names what does not."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from mathutils import Matrix
from virtual_erector_set.scene.links.bars import points_of
from virtual_erector_set.scene.links.lengths import length_of

from tests.blender.making import select, with_role

KINDS = ("PISTON", "EXCAVATOR", "UMBRELLA")
DRIVEN = 0.08  # rad or m
SINGLE = 1e-5  # m


def added(kind: str) -> None:
    assert bpy.ops.ves.add_example(kind=kind) == {"FINISHED"}
    bpy.context.view_layer.update()


def everything() -> list[bpy.types.Object]:
    return list(bpy.context.scene.objects)


def move_all(matrix: Matrix) -> None:
    """As S or Ctrl M does to all selected objects."""
    for body in with_role("BODY"):
        body.matrix_world = matrix @ body.matrix_world
    bpy.context.view_layer.update()


def apply_scale(*objects: bpy.types.Object) -> None:
    select(*objects)
    bpy.ops.object.transform_apply(location=False, rotation=False, scale=True)
    bpy.context.view_layer.update()


def places_of(joints, bodies: bool) -> dict[str, list[np.ndarray]]:
    """Of each hinge, its place along the axes of its bodies, or where these have it now."""
    found = {}
    for joint in joints:
        if joint.ves.joint_type == "REVOLUTE":
            pair = [body for body in (joint.ves.body_a, joint.ves.body_b) if body is not None]
            at = joint.matrix_world.translation
            found[joint.name] = [(body, body.matrix_world.inverted() @ at) for body in pair]
    return found


def drive_all(sign: float = 1.0) -> float:
    """Make all live and drive it; returns the widest gap in a hinge (m)."""
    joints = with_role("JOINT")
    places = places_of(joints, True)
    select()
    assert bpy.ops.ves.make_live() == {"FINISHED"}
    before = [np.array(body.matrix_world) for body in with_role("BODY")]
    for joint in joints:
        if joint.ves.is_drive:
            if joint.ves.joint_type == "REVOLUTE":
                joint.ves.drive_angle = DRIVEN
            else:
                joint.ves.drive_travel = sign * DRIVEN
    bpy.context.view_layer.update()
    assert bpy.context.scene.ves.live_status == ""
    after = [np.array(body.matrix_world) for body in with_role("BODY")]
    moving = [body.ves.motion == "DYNAMIC" for body in with_role("BODY")]
    assert all(np.abs(a - b).max() > 1e-3 for a, b, m in zip(before, after, moving, strict=True) if m)
    gaps = [0.0]
    for pair in places.values():
        at = [np.array(body.matrix_world @ place) for body, place in pair]
        gaps += [float(np.linalg.norm(at[0] - place)) for place in at[1:]]
    return max(gaps)


def said(words: str) -> list[bpy.types.Object]:
    bpy.ops.ves.check()
    return [finding.culprit for finding in bpy.context.scene.ves.findings if words in finding.text]


def outline(scale: Matrix | None = None) -> np.ndarray:
    """(B, 3) m: where the bodies' origins are, brought back from a matrix."""
    places = [body.matrix_world.translation for body in with_role("BODY")]
    return np.array([scale.inverted() @ place if scale else place for place in places])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("linked", [False, True])
def test_a_duplicate_is_a_linkage_of_its_own(kind: str, linked: bool) -> None:
    added(kind)
    count = len(everything())
    select(*everything())
    bpy.ops.object.duplicate(linked=linked)
    copies = set(bpy.context.selected_objects)
    assert len(copies) == count
    for joint in (ob for ob in copies if ob.ves.role == "JOINT"):
        assert all(body is None or body in copies for body in (joint.ves.body_a, joint.ves.body_b))
    for body in (ob for ob in copies if ob.ves.role == "BODY"):
        body.location.y += 3.0
    bpy.context.view_layer.update()
    assert drive_all() < SINGLE
    assert bpy.context.scene.ves.live_mobility.startswith("2 linkages")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("how", ["parent", "all", "all and applied"])
def test_a_larger_linkage_moves_as_the_small_one(kind: str, how: str) -> None:
    """Twice as large it is driven twice as far along sliders, and every body is where the small one's is, times two."""
    added(kind)
    for joint in with_role("JOINT"):
        joint.ves.use_lower_limit[0] = joint.ves.use_upper_limit[0] = False
    drive_all()
    expected = outline()
    bpy.ops.ves.end_live()
    bpy.ops.object.select_all(action="DESELECT")
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    added(kind)
    for joint in with_role("JOINT"):
        joint.ves.use_lower_limit[0] = joint.ves.use_upper_limit[0] = False
        joint.ves.drive_travel = 0.0
    twice = Matrix.Scale(2.0, 4)
    if how == "parent":
        parent = bpy.data.objects.new("carrier", None)
        bpy.context.scene.collection.objects.link(parent)
        for body in with_role("BODY"):
            body.parent = parent
        parent.scale = (2.0,) * 3
        bpy.context.view_layer.update()
    else:
        move_all(twice)
    if how == "all and applied":
        apply_scale(*everything())
    assert drive_all(2.0) < SINGLE
    np.testing.assert_allclose(outline(twice), expected, atol=SINGLE)


def test_limits_in_metres_of_a_larger_linkage_are_named() -> None:
    added("UMBRELLA")
    slider = bpy.data.objects["Slider Shaft Runner"]
    assert said("stay as many metres") == []
    move_all(Matrix.Scale(2.0, 4))
    assert said("stay as many metres") == [slider]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("applied", ["no", "bodies", "all"])
def test_a_mirrored_linkage_is_closed_and_turns_mirrored(kind: str, applied: str) -> None:
    """Angles are mirrored ones; travels go opposite to the drawn axes, which is named unless the scale is applied."""
    added(kind)
    for joint in with_role("JOINT"):
        joint.ves.use_lower_limit[0] = joint.ves.use_upper_limit[0] = False
    drive_all()
    expected = outline()
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    added(kind)
    for joint in with_role("JOINT"):
        joint.ves.use_lower_limit[0] = joint.ves.use_upper_limit[0] = False
    across = Matrix.Diagonal((-1.0, 1.0, 1.0, 1.0))
    move_all(across)
    if applied != "no":
        apply_scale(*(everything() if applied == "all" else with_role("BODY")))
    sliders = [j for j in with_role("JOINT") if j.ves.is_drive and j.ves.joint_type == "PRISMATIC"]
    assert sorted(ob.name for ob in said("is mirrored")) == ([] if applied == "all" else [j.name for j in sliders])
    assert drive_all(-1.0) < SINGLE
    np.testing.assert_allclose(outline(across), expected, atol=SINGLE)


def test_make_live_says_that_a_mirrored_slider_goes_backwards(capfd: pytest.CaptureFixture) -> None:
    added("EXCAVATOR")
    move_all(Matrix.Diagonal((-1.0, 1.0, 1.0, 1.0)))
    select()
    bpy.ops.ves.make_live()
    assert "Slider Boom Cylinder Boom Rod: is mirrored" in capfd.readouterr().out


@pytest.mark.parametrize("scale", [(2.0, 2.0, 2.0), (-1.0, 1.0, 1.0), (1.0, 1.0, -0.5)])
def test_links_have_their_lengths_after_their_scale_is_applied(scale: tuple[float, float, float]) -> None:
    if abs(scale[0]) != abs(scale[2]):
        scale = (-0.5, 0.5, 0.5)
    added("PEAUCELLIER")
    arm, crank = bpy.data.objects["Arm A"], bpy.data.objects["Crank"]
    length, radius = length_of(arm), arm.ves.link_radius
    ends = [arm.matrix_world @ Matrix.Translation(point).translation for point in points_of(arm)]
    matrix = Matrix.Diagonal((*scale, 1.0))
    move_all(matrix)
    apply_scale(*everything())
    size = abs(scale[0])
    assert length_of(arm) == pytest.approx(size * length, rel=1e-5)
    for point, end in zip(points_of(arm), ends, strict=True):
        np.testing.assert_allclose(arm.matrix_world @ Matrix.Translation(point).translation, matrix @ end, atol=SINGLE)
    bpy.context.view_layer.objects.active = crank
    longer = 1.05 * length_of(crank)
    assert bpy.ops.ves.set_link_length(length=longer) == {"FINISHED"}
    assert length_of(crank) == pytest.approx(longer, rel=1e-5)
    assert crank.ves.link_radius == pytest.approx(size * radius, rel=1e-4)
    corners = np.array([vertex.co for vertex in crank.data.vertices])
    assert np.ptp(corners[:, 0]) == pytest.approx(longer + 2.0 * size * radius, rel=1e-3)


@pytest.mark.parametrize("kind", KINDS)
def test_an_appended_linkage_is_whole_however_often(kind: str, tmp_path) -> None:
    added(kind)
    name, path = with_role("BODY")[0].users_collection[0].name, str(tmp_path / "library.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    for _ in range(2):
        bpy.ops.wm.append(filepath="x", directory=f"{path}/Collection/", filename=name)
    bpy.context.view_layer.update()
    assert drive_all() < SINGLE
    assert bpy.context.scene.ves.live_mobility.startswith("2 linkages")


def test_an_asset_that_is_linked_asks_for_an_override_and_then_goes_live(tmp_path) -> None:
    added("PISTON")
    collection = with_role("BODY")[0].users_collection[0]
    collection.asset_mark()
    path = str(tmp_path / "library.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    with bpy.data.libraries.load(path, link=True) as (there, here):
        here.collections = there.collections
    linked = here.collections[0]
    shown = bpy.data.objects.new("Piston", None)
    shown.instance_type, shown.instance_collection = "COLLECTION", linked
    bpy.context.scene.collection.objects.link(shown)
    bpy.context.view_layer.update()
    assert said("make a library override of it") == [shown]
    linked.override_hierarchy_create(bpy.context.scene, bpy.context.view_layer, reference=shown, do_fully_editable=True)
    bpy.data.objects.remove(shown)
    bpy.context.view_layer.update()
    assert drive_all() < SINGLE
