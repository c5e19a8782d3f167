# SPDX-License-Identifier: GPL-3.0-or-later
"""Linkages from sketches of edges and curves, other lengths afterwards, and copies that are linkages of their own."""

from __future__ import annotations

import itertools

import bpy
import numpy as np
import pytest
from virtual_erector_set.scene.links.lengths import length_of
from virtual_erector_set.scene.links.plan import best_normal

from tests.blender.making import select

FOUR_BAR = [(0.0, 0.0, 0.0), (0.3, 0.0, 0.9), (3.2, 0.0, 2.0), (4.0, 0.0, 0.0)]
SINGLE = 3e-6  # m


def sketch(points, edges, faces=()) -> bpy.types.Object:
    mesh = bpy.data.meshes.new("sketch")
    mesh.from_pydata(points, edges, faces)
    ob = bpy.data.objects.new("sketch", mesh)
    bpy.context.scene.collection.objects.link(ob)
    select(ob)
    bpy.context.view_layer.objects.active = ob
    bpy.context.view_layer.update()
    return ob


def made(ground: str = "AUTO") -> tuple[list[bpy.types.Object], list[bpy.types.Object]]:
    assert bpy.ops.ves.links_from_sketch(ground=ground) == {"FINISHED"}
    bpy.context.view_layer.update()
    objects = bpy.context.scene.objects
    links = sorted((ob for ob in objects if ob.ves.role == "BODY"), key=lambda ob: ob.name)
    return links, [ob for ob in objects if ob.ves.role == "JOINT"]


def chain(points=FOUR_BAR):
    sketch(points, [(i, i + 1) for i in range(len(points) - 1)])
    return made()


def ends(link: bpy.types.Object) -> np.ndarray:
    """(2, 3) m: of a bar of two points."""
    matrix = np.array(link.matrix_world)
    return np.array([matrix[:3, 3], matrix[:3, 3] + length_of(link) * matrix[:3, 0]])


def assert_closed(links) -> None:
    for one, other in itertools.pairwise(links):
        assert np.abs(ends(one)[1] - ends(other)[0]).max() < SINGLE


def test_edges_become_links_and_vertices_hinges() -> None:
    links, hinges = chain()
    assert len(links) == 3
    assert len(hinges) == 4
    assert sum(hinge.ves.to_world for hinge in hinges) == 2
    for link, (start, end) in zip(links, itertools.pairwise(FOUR_BAR), strict=True):
        np.testing.assert_allclose(ends(link), [start, end], atol=SINGLE)
    for hinge in hinges:
        assert abs(hinge.matrix_world.col[2][1]) == pytest.approx(1.0, abs=1e-6)
    assert bpy.data.objects["sketch"].hide_get()


def test_a_face_is_one_link_and_its_free_corner_no_hinge() -> None:
    sketch([*FOUR_BAR, (1.5, 0.0, 3.0)], [(0, 1), (2, 3)], [(1, 2, 4)])
    links, hinges = made()
    assert len(links) == 3
    assert len(hinges) == 4


def test_bars_of_a_curve() -> None:
    data = bpy.data.curves.new("drawn", "CURVE")
    data.dimensions = "3D"
    spline = data.splines.new("POLY")
    spline.points.add(3)
    for point, place in zip(spline.points, FOUR_BAR, strict=True):
        point.co = (*place, 1.0)
    ob = bpy.data.objects.new("drawn", data)
    bpy.context.scene.collection.objects.link(ob)
    select(ob)
    bpy.context.view_layer.objects.active = ob
    links, hinges = made()
    assert (len(links), len(hinges)) == (3, 4)


def test_the_group_ground_holds_a_closed_ring() -> None:
    ob = sketch(FOUR_BAR, [(0, 1), (1, 2), (2, 3), (3, 0)])
    ob.vertex_groups.new(name="Ground").add([0, 3], 1.0, "REPLACE")
    links, hinges = made()
    assert len(links) == 4
    assert sum(hinge.ves.to_world for hinge in hinges) == 4  # two links at each


@pytest.mark.parametrize(
    ("points", "edges", "words"),
    [
        ([(0, 0, 0)], [], "no edges"),
        ([(0, 0, 0), (0, 0, 0), (1, 0, 0)], [(0, 1), (1, 2)], "edge without length"),
    ],
)
def test_what_cannot_be_a_linkage_is_refused_by_name(points, edges, words: str) -> None:
    sketch(points, edges)
    with pytest.raises(RuntimeError, match=f"sketch.*{words}"):
        bpy.ops.ves.links_from_sketch()
    assert not any(ob.ves.role == "BODY" for ob in bpy.context.scene.objects)


@pytest.mark.parametrize("length", [0.5, 1.2])
def test_a_crank_of_another_length_closes_with_all_other_lengths_kept(length: float) -> None:
    links, hinges = chain()
    before = [length_of(link) for link in links]
    bpy.context.view_layer.objects.active = links[0]
    assert bpy.ops.ves.set_link_length(length=length) == {"FINISHED"}
    assert length_of(links[0]) == pytest.approx(length, rel=1e-6)
    assert [length_of(link) for link in links[1:]] == pytest.approx(before[1:], rel=1e-6)
    assert_closed(links)
    np.testing.assert_allclose(ends(links[0])[0], FOUR_BAR[0], atol=SINGLE)
    np.testing.assert_allclose(ends(links[2])[1], FOUR_BAR[3], atol=SINGLE)
    for hinge in hinges:
        corners = np.concatenate([ends(link) for link in links])
        assert np.linalg.norm(corners - np.array(hinge.matrix_world.translation), axis=1).min() < SINGLE
    drawn = np.array([vertex.co for vertex in links[0].data.vertices])
    assert np.ptp(drawn[:, 0]) == pytest.approx(length + 2.0 * links[0].ves.link_radius, rel=1e-3)


def test_a_length_that_cannot_close_is_refused_and_nothing_moves() -> None:
    links, _ = chain()
    before = [ends(link) for link in links]
    bpy.context.view_layer.objects.active = links[0]
    assert bpy.ops.ves.set_link_length(length=30.0) == {"CANCELLED"}
    bpy.context.view_layer.update()
    np.testing.assert_array_equal([ends(link) for link in links], before)


def test_a_copy_is_a_linkage_of_its_own() -> None:
    links, hinges = chain()
    select(*links, *hinges)
    bpy.ops.object.duplicate()
    copies = list(bpy.context.selected_objects)
    assert len(copies) == 7
    for hinge in (ob for ob in copies if ob.ves.role == "JOINT"):
        assert all(body is None or body in copies for body in (hinge.ves.body_a, hinge.ves.body_b))
        assert hinge.parent in copies
    copied = sorted((ob for ob in copies if ob.ves.role == "BODY"), key=lambda ob: ob.name)
    bpy.context.view_layer.objects.active = copied[0]
    before = [ends(link) for link in links]
    assert bpy.ops.ves.set_link_length(length=1.2) == {"FINISHED"}
    assert_closed(copied)
    np.testing.assert_array_equal([ends(link) for link in links], before)
    assert length_of(links[0]) == pytest.approx(np.linalg.norm(FOUR_BAR[1]), rel=1e-6)


def test_a_linkage_that_is_appended_from_another_file_is_whole(tmp_path) -> None:
    chain()
    path = str(tmp_path / "library.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    bpy.ops.wm.append(filepath="x", directory=f"{path}/Collection/", filename="sketch Linkage")
    objects = list(bpy.context.scene.objects)
    hinges = [ob for ob in objects if ob.ves.role == "JOINT"]
    assert len(hinges) == 4
    for hinge in hinges:
        assert all(body is None or body in objects for body in (hinge.ves.body_a, hinge.ves.body_b))


def test_a_sketched_linkage_goes_live() -> None:
    links, hinges = chain()
    crank = next(hinge for hinge in hinges if hinge.ves.to_world and hinge.ves.body_b == links[0])
    crank.ves.is_drive = True
    select()
    assert bpy.ops.ves.make_live() == {"FINISHED"}
    crank.ves.drive_angle = 1.0
    bpy.context.view_layer.update()
    assert_closed(links)
    assert np.linalg.norm(ends(links[0])[1] - FOUR_BAR[1]) > 0.5


def test_the_normal_of_points_in_line_is_level() -> None:
    normal = best_normal(np.array([(0.0, 0, 0), (1, 0, 2), (2, 0, 4)]))
    assert abs(normal[1]) == pytest.approx(1.0)
