# SPDX-License-Identifier: GPL-3.0-or-later
"""A linkage from a drawn curve: built where the curve is, and its point draws the curve."""

from __future__ import annotations

import math

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


@pytest.mark.parametrize(("lift", "scale", "words"), [(1.0, 1.0, "is not flat"), (0.0, 0.0, "has no size")])
def test_a_curve_that_no_crank_can_draw_is_refused_by_name(lift: float, scale: float, words: str) -> None:
    curve(lift=lift).scale = (scale,) * 3
    with pytest.raises(RuntimeError, match=f"Egg: {words}"):
        bpy.ops.ves.linkage_from_curve()
    assert not [ob for ob in bpy.context.scene.objects if ob.ves.role != "NONE"]


def polyline(corners: list, is_closed: bool = True) -> bpy.types.Object:
    data = bpy.data.curves.new("Shape", "CURVE")
    spline = data.splines.new("POLY")
    spline.points.add(len(corners) - 1)
    for point, place in zip(spline.points, corners, strict=True):
        point.co = (*place, 0.0, 1.0)
    spline.use_cyclic_u = is_closed
    ob = bpy.data.objects.new("Shape", data)
    bpy.context.scene.collection.objects.link(ob)
    select(ob)
    bpy.context.view_layer.objects.active = ob
    return ob


def apart_and_told(corners: list, is_closed: bool = True) -> tuple[float, float]:
    """% of the size: the distance of what the linkage's path is from the corners' line, and what it is said to be."""
    told = float(bpy.context.scene.ves.live_status.split("by ")[1].split(" %")[0])
    bpy.ops.ves.draw_path()
    spline = bpy.context.active_object.data.splines[0]
    path = evenly(np.array([point.co[:2] for point in spline.points]), is_closed)
    wanted = evenly(np.array(corners, float), is_closed)
    apart = np.linalg.norm(path[:, None] - wanted, axis=2)
    distance = 0.5 * (apart.min(axis=0).mean() + apart.min(axis=1).mean())
    away = wanted - wanted.mean(axis=0)
    x = away[np.argmax(np.linalg.norm(away, axis=1))]
    box = np.ptp(away @ np.array([x, (-x[1], x[0])]).T / np.linalg.norm(x), axis=0)
    return 100.0 * distance / box.max(), told  # X goes to the farthest point


BRACKET = [(1, 0.8), (1, 1), (0, 1), (0, 0), (1, 0), (1, 0.2), (0.2, 0.2), (0.2, 0.8)]
ELLIPSE = [(2.0 * math.cos(angle), math.sin(angle)) for angle in np.linspace(0.0, 2.0 * math.pi, 60, endpoint=False)]


@pytest.mark.parametrize(("corners", "best"), [(BRACKET, "eight-bar"), (ELLIPSE, "slider-crank")])
def test_all_choices_draw_what_they_say_with_as_many_bodies_as_bars(corners: list, best: str) -> None:
    """Blocks of sliders are bodies, too."""
    names, kinds = [], set()
    for choice in range(1, 7):
        shape = polyline(corners)
        bpy.ops.ves.linkage_from_curve(choice=choice)
        words = bpy.context.scene.ves.live_status
        names.append(words.split(", ")[1].split(":")[0])
        bodies = [ob for ob in bpy.context.scene.objects if ob.ves.role == "BODY"]
        joints = [ob for ob in bpy.context.scene.objects if ob.ves.role == "JOINT"]
        bars = {"four": 4, "six": 6, "eight": 8}.get(names[-1].split(" ")[1].split("-")[0], 4)
        assert len(bodies) == bars - 1
        assert len(joints) == bars * 3 // 2 - 2, "Gruebler's count of a linkage with one freedom"
        kinds |= {ob.ves.joint_type for ob in joints}
        assert bpy.context.active_object.name in ("Coupler", "Drawing Link")
        apart, told = apart_and_told(corners)
        assert abs(apart - told) < 0.2
        for ob in [shape, *bodies, *joints, bpy.context.active_object]:
            bpy.data.objects.remove(ob)
    assert best in names[0]
    assert kinds >= ({"REVOLUTE", "PRISMATIC"} if best == "slider-crank" else {"REVOLUTE"})


def test_an_open_curve_is_drawn_to_and_fro() -> None:
    """By a part of the crank's turn, beyond which its hinge does not go."""
    wave = [(x, 0.3 * math.sin(1.5 * x)) for x in np.linspace(0.0, 3.0, 40)]
    polyline(wave, False)
    assert bpy.ops.ves.linkage_from_curve() == {"FINISHED"}
    words = bpy.context.scene.ves.live_status
    turn = math.radians(float(words.split("crank turns by ")[1].removesuffix("°")))
    (crank,) = (ob for ob in bpy.context.scene.objects if ob.ves.role == "JOINT" and ob.ves.is_drive)
    assert crank.ves.use_lower_limit[0]
    assert crank.ves.lower_limit[0] == 0.0
    assert crank.ves.use_upper_limit[0]
    assert crank.ves.upper_limit[0] == pytest.approx(turn, abs=0.01)
    apart, told = apart_and_told(wave, False)
    assert told < 0.5
    assert abs(apart - told) < 0.3


def test_the_choice_can_be_adjusted_though_the_linkage_is_selected() -> None:
    """Blender asks poll with what was left selected, and undoes only then."""
    from virtual_erector_set.operators.parts.linkage_from_curve import VES_OT_linkage_from_curve as operator

    from tests.blender.test_adjusting import after

    select()
    assert not operator.poll(after())
    assert operator.poll(after("VES_OT_linkage_from_curve"))
    assert not operator.poll(after("VES_OT_linkage_from_curve", "VES_OT_check"))


def evenly(points: np.ndarray, is_closed: bool = True) -> np.ndarray:
    """(1000, 2): at equal lengths along a line."""
    around = np.append(points, points[:1], axis=0) if is_closed else points
    length = np.append(0.0, np.cumsum(np.linalg.norm(np.diff(around, axis=0), axis=1)))
    return np.stack([np.interp(np.linspace(0.0, length[-1], 1000), length, each) for each in around.T], axis=-1)


def test_all_that_were_found_are_shown_small_while_one_is_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each with its curve over the wanted one; no more once something else was done, or it was removed."""
    from virtual_erector_set.scene.live import choices

    from tests.blender.test_adjusting import after

    polyline(ELLIPSE)
    bpy.ops.ves.linkage_from_curve(choice=2)
    shown = choices.shown_in(after("VES_OT_linkage_from_curve"))
    assert choices.shown_in(after("VES_OT_linkage_from_curve", "VES_OT_check")) is None
    found = choices.pictures(shown, np.eye(3), (1200.0, 900.0))
    assert [each.text.split(" ")[0] for each in found] == [str(number) for number in range(1, 7)]
    assert [each.is_chosen for each in found] == [False, True, False, False, False, False]
    for each in found:
        low, high = np.array(each.corner), np.array(each.corner) + each.side
        for line, _ in each.lines:
            assert (line >= low).all()
            assert (line <= high).all()
        wanted, path = each.lines[0][0], each.lines[-1][0]
        assert np.linalg.norm(wanted[:, None] - path, axis=2).min(axis=1).max() < 0.03 * np.ptp(wanted, axis=0).max()
        assert each.text.endswith("bars")
    assert len({each.corner for each in found}) == 6
    edge_on = choices.pictures(shown, np.eye(3)[[0, 2, 1]] * [[1], [1], [-1]], (1200.0, 900.0))
    assert all(np.ptp(each.lines[0][0], axis=0).min() > 5.0 for each in edge_on), "a plane is not shown as a line"
    assert len(choices.pictures(shown, np.eye(3), (300.0, 400.0))) < 6, "where there is no room, fewer"
    bpy.data.collections.remove(bpy.context.active_object.users_collection[0])
    assert choices.shown_in(after("VES_OT_linkage_from_curve")) is None
