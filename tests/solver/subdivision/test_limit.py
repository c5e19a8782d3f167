# SPDX-License-Identifier: GPL-3.0-or-later
"""Limit surfaces of cages: against masks of refined cages, B-splines, themselves refined, and how charts join."""

from __future__ import annotations

import numpy as np
import pytest

from solver.mechanism import SmoothPatches, SmoothSubdivision
from solver.mechanism.value_rules import Place, Problems
from solver.model.surface_joints import surface_arrays
from solver.subdivision import limit
from solver.subdivision.cage import Cage, CageError, refined
from solver.surfaces.samples import sampled
from solver.surfaces.surface import frame_of, in_first_chart, in_other_chart, point_of, room
from tests.solver.surfaces.cages import CUBE, cube, net, star

CORNERS = [(0, 0, 1), (1, 0, 0), (0, 1, 0), (-1, -1, 0)]
CAGES = {
    "net": net(),
    "net of rounded corners": net(keep_corners=False),
    "cube": cube(0.2),
    "star of 3": star(3),
    "star of 6": star(6),
    "crease": net(creases=[(12, 13), (13, 14), (11, 12), (10, 11)]),
    "crease that ends": net(creases=[(12, 13), (13, 14)]),
    "crease round a corner": net(creases=[(12, 13), (13, 14), (12, 17), (17, 22)]),
    "three creases": net(creases=[(12, 13), (13, 14), (12, 17), (17, 22), (12, 7), (7, 2)]),
    "crease in a star": star(5, creases=[(0, 1)]),
    "semi-sharp edges": net(creases=[(12, 13, 1.3), (13, 14, 1.3), (11, 12, 0.4), (10, 11, 3.0), (12, 17, 2.2)]),
    "semi-sharp cube": cube(0.2, creases=[(0, 1, 2.5), (1, 3, 2.5), (3, 7, 1.7), (0, 4)], corners=[(6, 1.5)]),
    "semi-sharp star": star(5, creases=[(0, 1, 2.2)], corners=[(0, 0.6), (7, 2.0)]),
    "triangles": SmoothSubdivision(points=CORNERS, faces=[(0, 1, 2), (0, 2, 3), (0, 3, 1), (3, 2, 1)]),
}


def arrays(surface):
    (record,), pieces = surface_arrays([(surface, (np.zeros(3), np.eye(3)))])
    return record, pieces


def limit_position(cage: Cage, points: np.ndarray, a: int) -> np.ndarray:
    """Of a vertex of four-cornered faces (M. Halstead et al., SIGGRAPH 1993; at creases those of cubic B-splines)."""
    rule, ends = cage.rule(a)
    if rule == "corner":
        return points[a]
    if rule == "crease":
        return (4.0 * points[a] + sum(points[b] for b in ends)) / 6.0
    around, n = cage.faces_at[a], len(cage.faces_at[a])
    beside = sum(points[cage.faces[f][(k + 1) % 4]] for f, k in around)
    across = sum(points[cage.faces[f][(k + 2) % 4]] for f, k in around)
    return (n * n * points[a] + 4.0 * beside + across) / (n * (n + 5))


@pytest.mark.parametrize("surface", CAGES.values(), ids=CAGES)
def test_points_are_the_limits_of_refined_cages(surface):
    """At all places where two refinements have vertices, and in the middle of each vertex's fan.

    Masks know no vertex that is semi-sharp, so refinements go on until none is.
    """
    record, pieces = arrays(surface)
    cage, points = surface.prepared()
    found = np.array([point_of(record, pieces, chart, 0.0, 0.0)[0] for chart in range(1, record.charts)])
    for a in cage.faces_at:
        # the end of a crease has a mask of its own
        if len(cage.sharp_at.get(a, ())) != 1 and not cage.is_semi_sharp(a):
            assert np.abs(found - limit_position(cage, points, a)).max(axis=1).min() < 1e-14
    for k in range(4):
        if k < 2 or cage.semi_sharp or cage.semi_corners:
            cage, points = refined(cage, points)
    places = np.stack(np.meshgrid(np.arange(record.counts[0]), (0.25, 0.5, 0.75), (0.25, 0.5, 0.75), indexing="ij"), -1)
    f, s, t = places.reshape(-1, 3).T
    ours, _ = sampled(record, pieces, np.column_stack([f + s, t]))
    inner = [limit_position(cage, points, a) for a in cage.faces_at]
    assert len(ours) == 9 * len(surface.prepared()[0].faces)
    for place in ours[:: max(1, len(ours) // 200)]:
        assert np.abs(np.array(inner) - place).max(axis=1).min() < 1e-14


def test_a_net_without_odd_places_is_a_b_spline_surface():
    """Inside it, the same as Bezier patches of a uniform B-spline."""
    surface, record_and_pieces = net(5), arrays(net(5))
    grid = np.array(surface.points).reshape(6, 6, 3)
    to_bezier = np.array([[1, 4, 1, 0], [0, 4, 2, 0], [0, 2, 4, 0], [0, 1, 4, 1]]) / 6.0
    points = np.einsum("ai,ijc,bj->abc", to_bezier, grid[1:5, 1:5], to_bezier)
    record, pieces = arrays(SmoothPatches(points=points.tolist()))
    middle = 5 * 2 + 2  # of 25 faces
    for u, v in np.random.default_rng(0).uniform(0.0, 1.0, (10, 2)):
        ours = point_of(*record_and_pieces, 0, middle + u, v)
        for mine, its in zip(ours, point_of(record, pieces, 0, u, v), strict=True):
            assert np.allclose(mine, its, rtol=0, atol=1e-13)


@pytest.mark.parametrize("surface", CAGES.values(), ids=CAGES)
def test_charts_join_in_place_normal_and_curvature(surface):
    record, pieces = arrays(surface)
    rng, hops = np.random.default_rng(1), 0
    for _ in range(60):
        chart = int(rng.integers(1, record.charts))
        fan = pieces.fans[chart - 1]
        angle = rng.uniform(0.0, fan.sector * fan.count)
        far = rng.uniform(0.02, 1.0 if fan.is_plain else 1.2)
        x, y = far * np.cos(angle), far * np.sin(angle)
        if room(record, pieces, chart, x, y) < 1e-3:
            continue
        other, u, v, turn = in_other_chart(record, pieces, chart, x, y)
        (p, C, _, K, _), (q, D, _, L, _) = frame_of(record, pieces, chart, x, y), frame_of(record, pieces, other, u, v)
        assert np.allclose(p, q, rtol=0, atol=1e-13)
        C, D = np.array(C).reshape(3, 3), np.array(D).reshape(3, 3)
        assert np.allclose(C @ (np.cos(turn), np.sin(turn), 0.0), D[:, 0], rtol=0, atol=1e-12)
        assert np.allclose(C[:, 2], D[:, 2], rtol=0, atol=1e-12)
        size = 1.0 + abs(K[0] + K[2])
        assert K[0] + K[2] == pytest.approx(L[0] + L[2], abs=1e-11 * size)
        assert K[0] * K[2] - K[1] ** 2 == pytest.approx(L[0] * L[2] - L[1] ** 2, abs=1e-11 * size**2)
        u, v, _ = in_first_chart(record, pieces, chart, x, y)
        assert np.allclose(p, point_of(record, pieces, 0, u, v)[0], rtol=0, atol=1e-13)
        hops += other != chart
    assert hops > 5


@pytest.mark.parametrize(("valence", "within"), [(3, 1e-8), (5, 1e-8), (7, 1e-6)])  # the more, the slower
def test_tangents_at_a_vertex_are_those_of_the_masks(valence, within):
    """The normal close to the vertex comes to that of Halstead et al. (1993), whichever way one goes there."""
    surface = star(valence)
    record, pieces = arrays(surface)
    cage, points = surface.prepared()
    n, around = valence, cage.around(*cage.faces_at[0][0])
    c = np.cos(2.0 * np.pi / n)
    A = 1.0 + c + np.cos(np.pi / n) * np.sqrt(2.0 * (9.0 + c))
    ways = np.zeros((2, 3))
    for k, (f, j) in enumerate(around):
        e, d = points[cage.faces[f][(j + 1) % 4]], points[cage.faces[f][(j + 2) % 4]]
        for way, shift in zip(ways, (0, 1), strict=True):
            way += A * np.cos(2.0 * np.pi * (k + shift) / n) * e
            way += (np.cos(2.0 * np.pi * (k + shift) / n) + np.cos(2.0 * np.pi * (k + 1 + shift) / n)) * d
    normal = np.cross(ways[1], ways[0])
    normal /= np.linalg.norm(normal)
    (chart,) = (k + 1 for k, fan in enumerate(pieces.fans) if fan.count == valence and not fan.is_plain)
    for angle in np.linspace(0.0, 6.0, 9):
        _, C, *_ = frame_of(record, pieces, chart, 1e-5 * np.cos(angle), 1e-5 * np.sin(angle))
        assert abs(np.dot(normal, C[2::3])) == pytest.approx(1.0, abs=within)


@pytest.mark.parametrize(
    ("faces", "how", "words"),
    [
        ([(0, 1, 2), (0, 2, 1), (0, 1, 3)], {}, "not manifold: faces 0 and 2 are turned against each other"),
        ([(0, 1, 2), (0, 3, 4)], {}, "not manifold: faces meet in vertex 0 without an edge"),
        ([(0, 1, 1)], {}, "a face without area, number 0"),
        (CUBE, {"corners": [0]}, "a tip, at vertex 0"),
        ([*CUBE[:5], (5, 1, 3, 8)], {}, "point 8, but there are 8"),
        (CUBE, {"creases": [(0, 8, 0.5)]}, "point 8, but there are 8"),
    ],
)
def test_what_is_no_cage_is_named(faces, how, words):
    problems = Problems()
    SmoothSubdivision(points=cube().points, faces=faces, **how).check(Place(problems, "surface"))
    assert any(words in problem for problem in problems)


def test_too_many_faces_are_named(monkeypatch):
    monkeypatch.setattr(limit, "MOST_FACES", 20)
    with pytest.raises(CageError, match="too many faces: 6, and after refining more than 20"):
        cube(0.123).prepared()


def test_too_many_cells_are_named(monkeypatch):
    """Of sharpness 3 after a first refinement: 1 + 2 + 4 in each of four faces along the two halves of the edge, and 3
    in the third face at either end.
    """
    monkeypatch.setattr(limit, "MOST_CELLS", 20)
    with pytest.raises(CageError, match="too many pieces at its semi-sharp edges: 34, where 20 are allowed"):
        cube(0.124, creases=[(0, 1, 4.0)]).prepared()


@pytest.mark.parametrize("sharpness", [0.3, 1.0, 2.6, 7.5, 9.9])
def test_a_semi_sharp_line_lies_where_its_cross_section_does(sharpness):
    """In a net that is the same along the line, by the rules of curves: n refinements halve the way m to the mean of
    its neighbours, and what is left of the sharpness, f, has its part in one more.
    """
    heights = np.array([0.3, -0.2, 0.9, 0.1, 0.5])
    points = [(x, y, heights[int(x)]) for x in np.arange(5.0) for y in np.arange(5.0)]
    line = [(10 + k, 11 + k, sharpness) for k in range(4)]
    record, pieces = arrays(SmoothSubdivision(points=points, faces=net().faces, creases=line))
    n = int(sharpness)
    m = 0.5 * (heights[1] + heights[3]) - heights[2]
    expected = heights[2] + m * 0.5**n * (2.0 - (sharpness - n)) / 6.0
    for face, u in ((5, 1.0), (6, 1.0), (9, 0.0), (10, 0.0)):  # on either side of the line
        p = point_of(record, pieces, 0, face + u * (1.0 - 1e-15), 0.37)[0]
        assert p[2] == pytest.approx(expected, abs=1e-13)
        assert p[0] == pytest.approx(2.0, abs=1e-13)
