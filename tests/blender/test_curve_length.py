# SPDX-License-Identifier: GPL-3.0-or-later
"""Curves by arc length: circles with a known length, and Blender's own polyline for every kind of spline."""

import bpy
import numpy as np
import pytest
from virtual_erector_set.scene.geometry.curve_length import CurveError, CurveLength

from tests.blender.making import curve_object

POINTS = [(0, 0, 0), (1, 2, 0), (3, 2, 1), (4, 0, 2), (6, -1, 0), (7, 3, 1), (9, 0, 0)]


def length_of(ob: bpy.types.Object) -> CurveLength:
    bpy.context.view_layer.update()
    return CurveLength.of_object(ob, bpy.context.evaluated_depsgraph_get())


def spline_object(kind: str, cyclic: bool = False, endpoint: bool = False, bezier: bool = False, order: int = 4):
    data = bpy.data.curves.new("curve", "CURVE")
    data.dimensions, data.resolution_u = "3D", 256
    spline = data.splines.new(kind)
    if kind == "BEZIER":
        spline.bezier_points.add(len(POINTS) - 1)
        for point, co in zip(spline.bezier_points, POINTS, strict=True):
            point.co, point.handle_left_type, point.handle_right_type = co, "AUTO", "AUTO"
    else:
        spline.points.add(len(POINTS) - 1)
        for i, (point, co) in enumerate(zip(spline.points, POINTS, strict=True)):
            point.co = (*co, 1.0 + 0.3 * (i % 3) if kind == "NURBS" else 1.0)
    spline.use_cyclic_u = cyclic
    if kind == "NURBS":
        spline.order_u, spline.use_endpoint_u, spline.use_bezier_u = order, endpoint, bezier
    ob = bpy.data.objects.new("curve", data)
    bpy.context.scene.collection.objects.link(ob)
    return ob


def polyline(ob: bpy.types.Object) -> np.ndarray:
    """Blender's own polyline, closed if the spline is."""
    evaluated = ob.evaluated_get(bpy.context.evaluated_depsgraph_get())
    points = np.array([tuple(vertex.co) for vertex in evaluated.to_mesh().vertices])
    evaluated.to_mesh_clear()
    return np.vstack([points, points[:1]]) if ob.data.splines[0].use_cyclic_u else points


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        ("POLY", {}),
        ("POLY", {"cyclic": True}),
        ("BEZIER", {}),
        ("BEZIER", {"cyclic": True}),
        ("NURBS", {}),
        ("NURBS", {"cyclic": True}),
        ("NURBS", {"endpoint": True}),
        ("NURBS", {"endpoint": True, "order": 3}),
        ("NURBS", {"bezier": True}),
        ("NURBS", {"bezier": True, "endpoint": True}),
        ("NURBS", {"bezier": True, "order": 3}),
        ("NURBS", {"bezier": True, "endpoint": True, "order": 3}),
    ],
)
def test_every_kind_of_spline_agrees_with_blenders_polyline(kind, options):
    ob = spline_object(kind, **options)
    curve, line = length_of(ob), polyline(ob)
    dense = curve.points(np.linspace(0.0, 1.0, 20001))
    nearest = [np.linalg.norm(dense - corner, axis=1).min() for corner in line[::7]]
    assert max(nearest) < 1e-3  # all of Blender's corners lie on the curve
    np.testing.assert_allclose(dense[[0, -1]], line[[0, -1]], atol=0.02)
    length = np.linalg.norm(np.diff(line, axis=0), axis=1).sum()
    assert curve.length == pytest.approx(length, rel=5e-3)  # a polyline cuts the bends


def test_a_circle_is_gone_round_at_a_steady_pace():
    """Blender's circle is four cubics, which miss a true one by 2.7e-4 of the radius."""
    bpy.ops.curve.primitive_bezier_circle_add(radius=2.0)
    curve = length_of(bpy.context.object)
    assert curve.length == pytest.approx(4.0 * np.pi, rel=5e-4)
    points = curve.points(np.linspace(0.0, 1.0, 1001))
    steps = np.linalg.norm(np.diff(points, axis=0), axis=1)
    assert steps.max() / steps.min() == pytest.approx(1.0, abs=1e-5)


def test_arc_length_is_smooth_enough_to_be_differentiated_twice():
    bpy.ops.curve.primitive_bezier_circle_add(radius=1.0)
    curve = length_of(bpy.context.object)
    share = np.linspace(0.02, 0.23, 200)  # inside one of the four pieces
    step = (share[1] - share[0]) * curve.length
    curvature = np.linalg.norm(np.diff(curve.points(share), 2, axis=0), axis=1) / step**2
    assert np.abs(curvature - 1.0).max() < 0.01


def test_a_straight_line():
    curve = length_of(curve_object("line", [(1, 0, 0), (1, 4, 0)]))
    np.testing.assert_allclose(curve.points(np.array([-1.0, 0.0, 0.25, 1.0, 2.0]))[:, 1], [0, 0, 1, 4, 4], atol=1e-12)


@pytest.mark.parametrize(("points", "reason"), [([(1, 1, 1)] * 3, "no length")])
def test_what_can_not_be_followed_is_said(points, reason):
    with pytest.raises(CurveError, match=reason):
        length_of(curve_object("curve", points))


def test_a_curve_without_splines():
    ob = bpy.data.objects.new("nothing", bpy.data.curves.new("nothing", "CURVE"))
    bpy.context.scene.collection.objects.link(ob)
    with pytest.raises(CurveError, match="no spline"):
        length_of(ob)
