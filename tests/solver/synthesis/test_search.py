# SPDX-License-Identifier: GPL-3.0-or-later
"""Linkages for curves: known ones are found again, and all go through their drive and draw what they say."""

from __future__ import annotations

import numpy as np
import pytest

from solver.synthesis.families import FAMILIES, FOUR_BAR, SIX_BAR, SLIDER_CRANK, SWINGING_BLOCK
from solver.synthesis.fit import LEAST
from solver.synthesis.lines import chamfer
from solver.synthesis.search import Start, told_of
from solver.synthesis.table import table
from tests.solver.synthesis.searching import driven, flat, searched
from tests.truths.planar_linkages import freudenstein

ROUND = np.linspace(0.0, 2.0 * np.pi, 96, endpoint=False)
KNOWN = [(0.4, 1.1, 0.9, 0.6 + 0.5j), (0.3, 0.8, 1.0, 1.4 - 0.3j), (0.6, 1.6, 1.3, 0.2 + 1.2j)]
ELLIPSE = np.stack([2.0 * np.cos(ROUND), np.sin(ROUND)], axis=-1)
BRACKET = np.array(
    [(1.0, 0.8), (1.0, 1.0), (0.0, 1.0), (0.0, 0.0), (1.0, 0.0), (1.0, 0.2), (0.2, 0.2), (0.2, 0.8)]
)  # a C, which no four-bar draws


def four_bar(a: float, b: float, c: float, point: complex, angles: np.ndarray = ROUND) -> np.ndarray:
    """The curve that the coupler's point draws, with a ground of length 1, by Freudenstein's equation."""
    found = []
    for angle in angles:
        pin, rocker = a * np.exp(1j * angle), 1.0 + c * np.exp(1j * freudenstein((a, b, c, 1.0), angle, 1))
        found.append(pin + point * (rocker - pin) / b)
    return np.array(found)


def slider_crank(a: float, b: float, offset: float, point: complex) -> np.ndarray:
    """The curve of a point of the rod, whose end slides along a line beside the crank's pivot."""
    pin = a * np.exp(1j * ROUND)
    end = pin.real + np.sqrt(b * b - (pin.imag - offset) ** 2) + 1j * offset
    return pin + point * (end - pin) / b


def swinging_block(a: float, point: complex) -> np.ndarray:
    """The curve of a point of a rod that slides through a block on a pivot at 1."""
    pin = a * np.exp(1j * ROUND)
    return pin + point * (1.0 - pin) / np.abs(1.0 - pin)


@pytest.mark.parametrize("linkage", KNOWN)
@pytest.mark.parametrize("is_mirrored", [False, True])
def test_a_curve_that_a_four_bar_has_drawn_is_found_again_anywhere(linkage, is_mirrored: bool) -> None:
    curve = 3.0 * np.exp(0.8j) * four_bar(*linkage) + 5.0 - 2.0j
    wanted = np.conj(curve) if is_mirrored else curve
    best = searched(flat(wanted), FOUR_BAR)[0]
    assert best.chamfer < 2e-3
    size = max(np.ptp(wanted.real), np.ptp(wanted.imag))
    assert chamfer(best.curve @ (1.0, 1.0j), wanted) / size == pytest.approx(best.chamfer, abs=1e-3)


@pytest.mark.parametrize(
    ("family", "curve"),
    [
        (SLIDER_CRANK, slider_crank(0.5, 1.3, 0.2, 0.9 + 0.6j)),
        (SWINGING_BLOCK, swinging_block(0.6, 1.7 + 0.4j)),
    ],
)
def test_what_a_slider_has_drawn_is_found_again_and_slides(family, curve: np.ndarray) -> None:
    best = searched(flat(2.0 * np.exp(-1.1j) * curve + 1.0j), family)[0]
    assert best.chamfer < 2e-3
    cycle, path = driven(best)
    assert cycle.comes_round
    assert chamfer(path[:-1], best.curve @ (1.0, 1.0j)) < 2e-3 * 3.0


def test_every_linkage_that_is_given_goes_round_and_draws_what_it_says() -> None:
    """By the kinematics of the whole tool, which knows nothing of how it was found."""
    found = searched(ELLIPSE)
    assert len(found) == 6
    assert len(found[0].family.links) == 3, "an ellipse is drawn by four-bars and slider-cranks"
    assert found[0].chamfer < 2e-3
    assert {len(each.family.links) for each in found} == {3, 5, 7}
    for each in found:
        cycle, path = driven(each)
        assert cycle.comes_round
        assert chamfer(path[:-1], each.curve @ (1.0, 1.0j)) < 2e-3 * 4.0
        assert 0.9 * LEAST < each.transmission <= 0.5 * np.pi


@pytest.mark.parametrize("family", FAMILIES, ids=[f"{i} {each.name}" for i, each in enumerate(FAMILIES)])
def test_each_family_goes_round_on_one_branch(family) -> None:
    """Rows of its table, as bodies and joints."""
    of = table(family)
    for row in range(5):
        each = told_of(Start(family, of.x[row], of.signs[row], False, 0.0), ELLIPSE @ (1.0, 1.0j), 1.0, 0.0, False)
        cycle, path = driven(each, 512)
        assert cycle.comes_round
        curve = each.curve @ (1.0, 1.0j)
        assert np.abs(path[:-1] - curve).max() < 1e-6 * np.abs(curve).max()


def test_more_bars_come_closer() -> None:
    four, six = searched(BRACKET, FOUR_BAR)[0].chamfer, searched(BRACKET, SIX_BAR)[0].chamfer
    best = min(each.chamfer for each in searched(BRACKET))
    assert 0.01 < four < 0.1
    assert six < 0.75 * four
    assert best < 0.5 * six


@pytest.mark.parametrize("part", [0.25, 0.6, 0.9])
def test_a_part_of_a_curve_is_drawn_by_a_part_of_a_turn(part: float) -> None:
    """Which the crank goes to and fro: the linkage need not go round."""
    angles = 1.3 + np.linspace(0.0, part * 2.0 * np.pi, 60)
    arc = four_bar(*KNOWN[1], angles)
    found = searched(flat(4.0j * arc), is_open=True)
    assert found[0].chamfer < 3e-3
    for each in found:
        assert 0.0 < each.turn < 2.0 * np.pi
        _, path = driven(each)
        size = 4.0 * max(np.ptp(arc.real), np.ptp(arc.imag))
        assert chamfer(path, each.curve @ (1.0, 1.0j), True) < 2e-3 * size
        ends = np.abs(np.subtract.outer(path[[0, -1]], 4.0j * arc[[0, -1]]))
        assert min(ends[0, 0] + ends[1, 1], ends[0, 1] + ends[1, 0]) < 0.1 * size


def test_letters_come_within_the_distance_that_is_published() -> None:
    """0.013 in the mean of all letters is published for LInK's successors; here of some of squares, with corners."""
    shapes = {
        "T": [(2, 0), (3, 0), (3, 7), (5, 7), (5, 8), (0, 8), (0, 7), (2, 7)],
        "U": [(0, 0), (5, 0), (5, 8), (4, 8), (4, 1), (1, 1), (1, 8), (0, 8)],
        "Z": [(0, 0), (5, 0), (5, 1), (1.5, 1), (5, 7), (5, 8), (0, 8), (0, 7), (3.5, 7), (0, 1)],
    }
    told = [min(each.chamfer for each in searched(np.array(corners, float))) for corners in shapes.values()]
    assert np.mean(told) < 0.013


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
        searched(np.array(curve))
