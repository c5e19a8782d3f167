# SPDX-License-Identifier: GPL-3.0-or-later
"""Points, derivatives and curvatures of smooth surfaces, by differences; and where two of them touch."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from solver.mechanism import (
    SmoothCylinder,
    SmoothEllipsoid,
    SmoothPatches,
    SmoothPlane,
    SmoothSphere,
    SmoothTorus,
)
from solver.model.surface_joints import surface_arrays
from solver.surfaces.samples import sampled
from solver.surfaces.surface import frame_of, in_other_chart, point_of
from solver.surfaces.touch import find_touch
from solver.surfaces.weights import parameter_weights
from tests.solver.surfaces.cages import cube, net, star

RNG = np.random.default_rng(3)
GRID = np.array([[[i, j, RNG.normal()] for j in range(7)] for i in range(10)], float)
SURFACES = [
    (SmoothPlane(), 0),
    (SmoothSphere(radius=0.7), 1),
    (SmoothEllipsoid(half_axes=(0.5, 0.8, 1.1)), 0),
    (SmoothEllipsoid(half_axes=(0.5, 0.8, 1.1), inside=True), 1),
    (SmoothTorus(ring_radius=1.0, tube_radius=0.3), 0),
    (SmoothCylinder(radius=0.4), 0),
    (SmoothPatches(points=GRID.tolist()), 0),
    (net(5), 15),
    (star(5), 1),
    (star(3), 1),
    (cube(0.2), 3),
    (star(6, creases=[(0, 1)]), 1),
    (star(5, creases=[(0, 1, 2.2), (0, 2, 1.0)], corners=[(0, 0.5)]), 1),
    (SmoothPatches(points=GRID.tolist(), degree=(3, 2)), 0),
    (SmoothPatches(points=GRID.tolist(), weights=(1.0 + RNG.random(GRID.shape[:2])).tolist()), 0),
]
IDS = [f"{surface.type} {chart} {k}" for k, (surface, chart) in enumerate(SURFACES)]


def arrays(*surfaces):
    return surface_arrays([(surface, (np.zeros(3), np.eye(3))) for surface in surfaces])


@pytest.mark.parametrize(("surface", "chart"), SURFACES, ids=IDS)
def test_derivatives_are_those_of_the_point(surface, chart):
    (record,), patches = arrays(surface)
    u, v, h = 0.43, 0.61, 1e-4

    def at(a, b):
        return np.array(point_of(record, patches, chart, a, b))

    p = at(u, v)
    along_u, along_v = (at(u + h, v) - at(u - h, v)) / (2 * h), (at(u, v + h) - at(u, v - h)) / (2 * h)
    assert np.allclose(along_u[0], p[1], atol=1e-6)
    assert np.allclose(along_v[0], p[2], atol=1e-6)
    assert np.allclose(along_u[1], p[3], atol=1e-5)
    assert np.allclose(along_v[1], p[4], atol=1e-5)
    assert np.allclose(along_v[2], p[5], atol=1e-5)


@pytest.mark.parametrize(("surface", "chart"), SURFACES, ids=IDS)
def test_frame_turns_as_curvature_and_torsion_say(surface, chart):
    (record,), patches = arrays(surface)
    u, v, h = 0.43, 0.61, 1e-5
    rates = np.array([0.7, -0.4])
    _, C, J, K, T = frame_of(record, patches, chart, u, v)
    C = np.array(C).reshape(3, 3)
    c = np.array([[J[0], J[1]], [0.0, J[2]]]) @ rates
    ends = [frame_of(record, patches, chart, *((u, v) + s * h * rates)) for s in (-1, 1)]
    moved = (np.array(ends[1][0]) - np.array(ends[0][0])) / (2 * h)
    turned = (np.array(ends[1][1]) - np.array(ends[0][1])).reshape(3, 3) / (2 * h)
    assert np.allclose(moved, C[:, :2] @ c, atol=1e-7)
    assert np.allclose(turned[:, 2], C[:, :2] @ (np.array([[K[0], K[1]], [K[1], K[2]]]) @ c), atol=1e-6)
    assert turned[:, 0] @ C[:, 1] == pytest.approx(np.dot(T, c), abs=1e-6)


@pytest.mark.parametrize(("surface", "chart"), SURFACES, ids=IDS)
def test_weights_of_parameters_are_what_they_move_and_turn_at_most(surface, chart):
    (record,), patches = arrays(surface)
    weights, h, size = parameter_weights(record, patches, 0.5), 1e-6, 0.5
    assert (weights > 0.0).all()
    for u, v in np.random.default_rng(5).uniform(0.0, 0.5 if chart > 0 and record.charts > 2 else 1.2, (40, 2)):
        for k, (du, dv) in enumerate(((h, 0.0), (0.0, h))):
            (p, C, *_), (q, D, *_) = (frame_of(record, patches, chart, u + s * du, v + s * dv) for s in (-1.0, 1.0))
            moved = np.linalg.norm(np.subtract(q, p)) / (2.0 * h)
            turned = np.linalg.norm(np.subtract(D, C).reshape(3, 3)[:, 2]) / (2.0 * h)
            slack = {"patches": 1.2, "subdivision": 1.5}.get(surface.type, 1.0 + 1e-6)  # these are sampled
            assert max(moved / size, turned) <= slack * weights[k]


@pytest.mark.parametrize("degree", [(3, 3), (9, 2), (3, 6), (1, 6)])
def test_points_of_patches_are_de_casteljaus(degree):
    weights = 1.0 + RNG.random(GRID.shape[:2])
    (record,), patches = arrays(SmoothPatches(points=GRID.tolist(), weights=weights.tolist(), degree=degree))
    points = np.concatenate([GRID * weights[:, :, None], weights[:, :, None]], axis=2)
    for u, v in RNG.uniform(0.0, 1.0, (20, 2)) * record.counts:
        left = points
        for q, d in zip((u, v), degree, strict=True):
            first, share = int(q) * d, q % 1.0
            left = left[first : first + d + 1]
            while len(left) > 1:
                left = (1.0 - share) * left[:-1] + share * left[1:]
            left = left[0]
        truth, rounding = left[:3] / left[3], 1e-14 * 3.0 ** max(degree)
        assert np.allclose(point_of(record, patches, 0, u, v)[0], truth, rtol=0, atol=rounding)


def test_sphere_bends_by_one_over_its_radius_outside_and_in():
    for inside, sign in ((False, 1.0), (True, -1.0)):
        (record,), patches = arrays(SmoothSphere(radius=0.25, inside=inside))
        _, _, _, K, _ = frame_of(record, patches, 0, 0.3, -0.4)
        assert np.allclose(K, (4.0 * sign, 0.0, 4.0 * sign))


def test_weights_make_a_quarter_of_a_cylinder():
    """The quarter circle as a quadratic Bezier curve with the weights 1, 1/sqrt 2, 1, raised to a cubic one."""
    s = np.sqrt(0.5)
    quadratic = np.array([[1.0, 0.0, 1.0], [s, s, s], [0.0, 1.0, 1.0]])  # weight times (x, y, 1)
    cubic = np.array(
        [quadratic[0], (quadratic[0] + 2 * quadratic[1]) / 3, (2 * quadratic[1] + quadratic[2]) / 3, quadratic[2]]
    )
    points = [[[*(row[:2] / row[2]), z] for z in (0.0, 1.0, 2.0, 3.0)] for row in cubic]
    weights = [[row[2]] * 4 for row in cubic]
    (record,), patches = arrays(SmoothPatches(points=points, weights=weights))
    for u in (0.1, 0.5, 0.77):
        p, _, _, K, _ = frame_of(record, patches, 0, u, 0.4)
        assert np.hypot(p[0], p[1]) == pytest.approx(1.0, abs=1e-14)
        assert np.allclose(K, (1.0, 0.0, 0.0), atol=1e-12)


@pytest.mark.parametrize("chart", [0, 1])
def test_other_chart_has_the_same_point_and_normal(chart):
    (record,), patches = arrays(SmoothEllipsoid(half_axes=(0.5, 0.8, 1.1), inside=True))
    p, C, *_ = frame_of(record, patches, chart, 2.3, 1.2)
    other, u, v, angle = in_other_chart(record, patches, chart, 2.3, 1.2)
    assert other == 1 - chart
    q, D, *_ = frame_of(record, patches, other, u, v)
    C, D = np.array(C).reshape(3, 3), np.array(D).reshape(3, 3)
    assert np.allclose(p, q, atol=1e-15)
    assert np.allclose(C[:, 2], D[:, 2], atol=1e-14)
    assert np.allclose(np.cos(angle) * C[:, 0] + np.sin(angle) * C[:, 1], D[:, 0], atol=1e-14)


@pytest.mark.parametrize("closed", [(False, False), (False, True)])
@pytest.mark.parametrize("surface", [surface for surface, _ in SURFACES[-2:]], ids=["polynomial", "rational"])
def test_samples_are_points_and_normals_to_the_last_bit(surface, closed):
    turned = np.linalg.qr(RNG.normal(size=(3, 3)))[0]
    placed = replace(surface, closed=closed, inside=True), (np.array([3.0, -2.0, 0.7]), turned)
    (record,), patches = surface_arrays([placed])
    parameters = RNG.uniform(-0.5, 3.5, (40, 2))  # beyond the edges, too
    for q, point, normal in zip(parameters, *sampled(record, patches, parameters), strict=True):
        p, C, *_ = frame_of(record, patches, 0, *q)
        np.testing.assert_array_equal(point, p)
        np.testing.assert_array_equal(normal, (C[2], C[5], C[8]))


def test_samples_without_a_normal_are_infinitely_far():
    points = GRID[:4, :4].copy()
    points[0] = points[0, 0]  # an edge that is a point
    (record,), patches = arrays(SmoothPatches(points=points.tolist()))
    found = sampled(record, patches, np.array([[0.0, 0.5], [0.5, 0.5]]))
    for values in found:
        assert np.isinf(values[0]).all()
        assert np.isfinite(values[1]).all()


def test_touch_of_an_ellipsoid_above_a_torus_is_where_the_normals_meet():
    surfaces, patches = arrays(
        SmoothTorus(ring_radius=1.0, tube_radius=0.3), SmoothEllipsoid(half_axes=(0.2, 0.3, 0.1))
    )
    touch = find_touch(*surfaces, patches, np.eye(3), np.array([1.0, 0.0, 0.45]), np.array([1.0, 0.0, 0.3]))
    assert touch.gap == pytest.approx(0.05, abs=1e-12)
    assert np.allclose(touch.point, (1.0, 0.0, 0.3), atol=1e-9)
    assert np.allclose(touch.normal, (0.0, 0.0, 1.0), atol=1e-9)


def test_touch_of_spheres_is_on_the_line_of_their_centres():
    surfaces, patches = arrays(SmoothSphere(radius=1.0), SmoothSphere(radius=0.5))
    for way in RNG.normal(size=(20, 3)):
        center = 1.7 * way / np.linalg.norm(way)
        near = 0.6 * center + 0.2 * RNG.normal(size=3)
        touch = find_touch(*surfaces, patches, np.eye(3), center, near)
        assert touch.gap == pytest.approx(0.2, abs=1e-12)
        assert np.allclose(touch.point, center / 1.7, atol=1e-9)


@pytest.mark.parametrize("edge", [1e-2, 1e-6, 1e-8, 1e-10, 1e-14])
def test_touch_of_a_sharp_wheel_is_below_its_axle(edge):
    """Where the point is, is known to the rounding of places, which is more than a sharp edge's radius."""
    (road, tyre), patches = arrays(SmoothPlane(), SmoothTorus(ring_radius=0.3 - edge, tube_radius=edge))
    for lean in (0.2, 1.0, 1.5):
        c, s = np.cos(lean), np.sin(lean)
        turn = np.array([[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]])  # its axle leans by this from upright
        low = turn @ (0.0, -(0.3 - edge), 0.0) - (0.0, 0.0, edge)
        travel = np.array([7.3, -4.1, -low[2]])
        touch = find_touch(road, tyre, patches, turn, travel, np.array([7.3, -4.1 + low[1], 0.0]))
        assert touch.gap == pytest.approx(0.0, abs=1e-14)
        assert touch.point == pytest.approx((7.3, -4.1 + low[1], 0.0), abs=1e-13)
