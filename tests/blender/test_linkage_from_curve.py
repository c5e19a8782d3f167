# SPDX-License-Identifier: GPL-3.0-or-later
"""A linkage from a drawn curve: built where the curve is, and its point draws the curve."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

from tests.blender.making import select


def curve(is_closed: bool = True, lift: float = 0.0) -> bpy.types.Object:
    """An egg 2 m long, turned and moved."""
    data = bpy.data.curves.new("Egg", "CURVE")
    data.dimensions = "3D"
    spline = data.splines.new("BEZIER")
    spline.bezier_points.add(3)
    for i, (point, place) in enumerate(
        zip(spline.bezier_points, ((1.2, 0), (0, 0.5), (-0.8, 0), (0, -0.5)), strict=True)
    ):
        point.co = (*place, lift * (i % 2))
        point.handle_left_type = point.handle_right_type = "AUTO"
    spline.use_cyclic_u = is_closed
    ob = bpy.data.objects.new("Egg", data)
    bpy.context.scene.collection.objects.link(ob)
    ob.location, ob.rotation_euler = (1.0, 2.0, 3.0), (0.3, 0.5, 0.2)
    select(ob)
    bpy.context.view_layer.objects.active = ob
    bpy.context.view_layer.update()
    return ob


def world_points(ob: bpy.types.Object) -> np.ndarray:
    """(n, 3): of a curve object, as it is drawn."""
    mesh = ob.evaluated_get(bpy.context.view_layer.depsgraph).to_mesh()
    found = np.array([ob.matrix_world @ vertex.co for vertex in mesh.vertices])
    ob.evaluated_get(bpy.context.view_layer.depsgraph).to_mesh_clear()
    return found


def test_the_point_of_the_linkage_draws_the_curve_where_it_is() -> None:
    egg = curve()
    corners = np.append(world_points(egg), world_points(egg)[:1], axis=0)
    count = np.arange(len(corners))
    wanted = np.stack([np.interp(np.linspace(0, count[-1], 1000), count, each) for each in corners.T], axis=-1)
    assert bpy.ops.ves.linkage_from_curve() == {"FINISHED"}
    bodies = {ob.name: ob for ob in bpy.context.scene.objects if ob.ves.role == "BODY"}
    assert set(bodies) == {"Crank", "Coupler", "Rocker"}
    assert bpy.context.active_object == bodies["Coupler"]
    assert "transmission angle" in bpy.context.scene.ves.live_status
    bpy.ops.ves.draw_path()
    bpy.context.view_layer.update()
    path = world_points(bpy.context.active_object)
    apart = np.linalg.norm(path[:, None] - wanted, axis=2)
    assert apart.min(axis=1).max() < 0.05, "m, of a curve of 2 m; time marks stand across it"
    assert apart.min(axis=0).max() < 0.05


def test_another_choice_is_another_linkage_and_one_beyond_the_last_is_the_last() -> None:
    places = []
    for choice in (1, 2, 99):
        egg = curve()
        bpy.ops.ves.linkage_from_curve(choice=choice)
        places.append(np.array(bpy.context.active_object.matrix_world.translation))
        egg.name = "done"
    assert np.linalg.norm(places[0] - places[1]) > 1e-3
    assert np.linalg.norm(places[1] - places[2]) > 1e-3


@pytest.mark.parametrize(
    ("given", "words"), [({"is_closed": False}, "Egg: is open"), ({"lift": 1.0}, "Egg: is not flat")]
)
def test_a_curve_that_no_crank_can_draw_is_refused_by_name(given, words: str) -> None:
    curve(**given)
    with pytest.raises(RuntimeError, match=words):
        bpy.ops.ves.linkage_from_curve()
    assert not [ob for ob in bpy.context.scene.objects if ob.ves.role != "NONE"]


def test_a_shape_that_no_four_bar_draws_becomes_a_six_bar() -> None:
    data = bpy.data.curves.new("Bracket", "CURVE")
    spline = data.splines.new("POLY")
    corners = [(1, 0.8), (1, 1), (0, 1), (0, 0), (1, 0), (1, 0.2), (0.2, 0.2), (0.2, 0.8)]
    spline.points.add(len(corners) - 1)
    for point, place in zip(spline.points, corners, strict=True):
        point.co = (*place, 0.0, 1.0)
    spline.use_cyclic_u = True
    ob = bpy.data.objects.new("Bracket", data)
    bpy.context.scene.collection.objects.link(ob)
    select(ob)
    bpy.context.view_layer.objects.active = ob
    assert bpy.ops.ves.linkage_from_curve() == {"FINISHED"}
    assert "a six-bar" in bpy.context.scene.ves.live_status
    bodies = {ob.name for ob in bpy.context.scene.objects if ob.ves.role == "BODY"}
    assert bodies == {"Crank", "Coupler", "Rocker", "Drawing Link", "Second Rocker"}
    assert bpy.context.active_object.name == "Drawing Link"
    told = float(bpy.context.scene.ves.live_status.split("by ")[1].split(" %")[0])
    bpy.ops.ves.draw_path()
    bpy.context.view_layer.update()
    path = evenly(world_points(bpy.context.active_object)[:120, :2])  # behind these are its marks
    wanted = evenly(np.array(corners, float))
    apart = np.linalg.norm(path[:, None] - wanted, axis=2)
    distance = 0.5 * (apart.min(axis=0).mean() + apart.min(axis=1).mean())
    away = wanted - wanted.mean(axis=0)
    x = away[np.argmax(np.linalg.norm(away, axis=1))]
    box = np.ptp(away @ np.array([x, (-x[1], x[0])]).T / np.linalg.norm(x), axis=0)
    assert abs(100.0 * distance / box.max() - told) < 0.2, "% of the longer side of its box, X to the farthest point"


def evenly(points: np.ndarray) -> np.ndarray:
    """(1000, 2): at equal lengths along a closed line."""
    around = np.append(points, points[:1], axis=0)
    length = np.append(0.0, np.cumsum(np.linalg.norm(np.diff(around, axis=0), axis=1)))
    return np.stack([np.interp(np.linspace(0.0, length[-1], 1000), length, each) for each in around.T], axis=-1)
