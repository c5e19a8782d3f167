# SPDX-License-Identifier: GPL-3.0-or-later
"""Four-bars for curves: known coupler curves are found again, and every linkage that is given goes round in order."""

from __future__ import annotations

import numpy as np
import pytest

from solver.kinematics import Kinematics
from solver.kinematics.cycle import cycle_of
from solver.mechanism import Body, Joint, Mechanism
from solver.synthesis import Found, four_bars
from solver.synthesis.crank_rocker import CrankRocker, closed_curve
from solver.synthesis.four_bars import chamfer
from tests.truths.planar_linkages import freudenstein

ROUND = np.linspace(0.0, 2.0 * np.pi, 96, endpoint=False)
KNOWN = [(0.4, 1.1, 0.9, 0.6 + 0.5j), (0.3, 0.8, 1.0, 1.4 - 0.3j), (0.6, 1.6, 1.3, 0.2 + 1.2j)]


def drawn(*linkage: complex) -> np.ndarray:
    return CrankRocker(*map(np.asarray, linkage)).pins(ROUND)[2]


def flat(points: np.ndarray) -> np.ndarray:
    return np.stack([points.real, points.imag], axis=-1)


def mechanism(found: Found) -> Mechanism:
    """The linkage as three bodies, each with its frame at the crank's end of it and unturned."""
    O, A, B, C, _ = (np.append(point, 0.0) for point in found.points)
    bodies = [
        Body(name, mass=1.0, inertia=(1.0,) * 3, position=tuple(place))
        for name, place in (("crank", O), ("coupler", A), ("rocker", C))
    ]
    hinges = (
        ("O", None, "crank", O),
        ("A", "crank", "coupler", A),
        ("B", "coupler", "rocker", B),
        ("C", None, "rocker", C),
    )
    return Mechanism(bodies=bodies, joints=[Joint(n, "revolute", p, c, position=tuple(at)) for n, p, c, at in hinges])


def test_many_at_once_are_those_of_freudenstein() -> None:
    a, b, c, point = map(np.array, zip(*KNOWN, strict=True))
    _, rocker, _ = CrankRocker(a, b, c, point).pins(ROUND)
    for row, lengths in enumerate(zip(a.real, b.real, c.real, strict=True)):
        angles = [freudenstein((*lengths, 1.0), angle, 1) for angle in ROUND]
        assert np.abs(rocker[row] - (1.0 + lengths[2] * np.exp(1j * np.array(angles)))).max() < 1e-12


@pytest.mark.parametrize("linkage", KNOWN)
@pytest.mark.parametrize("is_mirrored", [False, True])
def test_a_curve_that_a_four_bar_has_drawn_is_found_again_anywhere(linkage, is_mirrored: bool) -> None:
    curve = 3.0 * np.exp(0.8j) * drawn(*linkage) + 5.0 - 2.0j
    best = four_bars(flat(np.conj(curve) if is_mirrored else curve))[0]
    assert best.chamfer < 2e-3
    wanted = np.conj(curve) if is_mirrored else curve
    size = max(np.ptp(wanted.real), np.ptp(wanted.imag))
    assert chamfer(best.curve @ (1.0, 1.0j), wanted) / size == pytest.approx(best.chamfer, abs=1e-3)


def test_every_linkage_that_is_given_goes_round_and_draws_what_it_says() -> None:
    """By the kinematics of the whole tool, which knows nothing of how it was found."""
    ellipse = np.stack([2.0 * np.cos(ROUND), np.sin(ROUND)], axis=-1)
    found = four_bars(ellipse)
    assert len(found) == 6
    assert [each.chamfer for each in found] == sorted(each.chamfer for each in found)
    assert found[0].chamfer < 2e-3
    for each in found:
        cycle = cycle_of(Kinematics(mechanism(each), ["O"]), "O")
        assert cycle.comes_round
        path = cycle.path("coupler", np.append(each.points[4] - each.points[1], 0.0))
        told = closed_curve(each.curve @ (1.0, 1.0j), 200)
        assert chamfer(path[:-1, :2] @ (1.0, 1.0j), told) < 2e-3 * 4.0
        assert 0.0 < each.transmission <= 0.5 * np.pi


def test_a_shape_that_no_four_bar_draws_is_told_by_its_distance() -> None:
    square = np.array([(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)])
    best = four_bars(square)[0]
    assert 0.01 < best.chamfer < 0.1


@pytest.mark.parametrize(
    ("curve", "words"),
    [
        ([(0.0, 0.0), (1.0, 0.0)], "at least three points"),
        ([(0.0, 0.0), (1.0, np.nan), (2.0, 0.0)], "finite"),
        ([(1.0, 1.0)] * 5, "must have a size"),
    ],
)
def test_what_is_no_curve_is_refused(curve, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        four_bars(np.array(curve))
