# SPDX-License-Identifier: GPL-3.0-or-later
"""Linkages of dyads: their bars keep their lengths, and slopes are those of differences."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from solver.synthesis.dyads import BLOCK, HINGES, SLIDER, draw, slopes
from solver.synthesis.families import FAMILIES, Family, moved
from solver.synthesis.fit import LENGTH, MEAN, MOST, NEAREST, fit, new_work
from solver.synthesis.table import table

IDS = [f"{i} {each.name}" for i, each in enumerate(FAMILIES)]
TURNS = np.exp(1j * np.linspace(0.0, 2.0 * np.pi, 77, endpoint=False))


def drawn(family: Family, x: np.ndarray, signs: np.ndarray, units: np.ndarray = TURNS) -> tuple[np.ndarray, float]:
    """(T, K): all nodes, and the largest cosine of transmission."""
    steps = len(family.steps)
    nodes = np.zeros((len(units), steps + 2), complex)
    scratch = np.zeros(len(x), complex), nodes, np.zeros(steps), np.zeros(steps, np.int64)
    return nodes, draw(family.steps, signs, x, units, *scratch)


@pytest.mark.parametrize("family", FAMILIES, ids=IDS)
def test_all_of_the_table_reach_in_all_positions(family: Family) -> None:
    """Lengths of all bars are the same in all positions of the crank, and blocks stay on their lines."""
    of = table(family)
    for row in range(0, 1000, 10):
        nodes, cosine = drawn(family, of.x[row], of.signs[row])
        assert cosine < MOST
        for i, bar in enumerate(family.links):
            rods = [
                each
                for each in family.slides
                if each.block == i or (each.on == i and family.steps[each.step][0] == BLOCK)
            ]
            for u, v in itertools.pairwise(bar):
                if not rods:
                    assert np.ptp(np.abs(nodes[:, u] - nodes[:, v])) < 1e-9 * max(1.0, np.abs(nodes).max())
        for each in family.slides:
            kind, u, v, p = family.steps[each.step]
            if kind == SLIDER:
                offset = (nodes[:, each.point] * np.exp(-1j * of.x[row, p + 1])).imag
                assert np.ptp(offset) < 1e-9 * max(1.0, np.abs(nodes).max())
            else:
                along = (nodes[:, v] - nodes[:, u]) / np.abs(nodes[:, v] - nodes[:, u])
                assert np.abs(np.ptp((nodes[:, each.step + 2] - nodes[:, u]) / along)) < 1e-9


@pytest.mark.parametrize("family", FAMILIES, ids=IDS)
def test_moved_and_mirrored_it_draws_the_moved_and_mirrored_curve(family: Family) -> None:
    of, turn, shift = table(family), 2.5 * np.exp(0.7j), 3.0 - 1.0j
    for row in range(20):
        for is_mirrored in (False, True):
            x, signs = moved(family, of.x[row], of.signs[row], turn, shift, is_mirrored)
            before = drawn(family, of.x[row], of.signs[row])[0][:, -1]
            units = np.conj(TURNS) if is_mirrored else TURNS
            after = drawn(family, x, signs, units * turn / abs(turn))[0][:, -1]
            wanted = turn * (np.conj(before) if is_mirrored else before) + shift
            assert np.abs(after - wanted).max() < 1e-9 * np.abs(wanted).max()


@pytest.mark.parametrize("family", FAMILIES, ids=IDS)
def test_slopes_are_those_of_differences(family: Family) -> None:
    """Of the place that is drawn over all numbers, and over the crank's angle."""
    of, step = table(family), 1e-6
    for row in range(20):
        x, signs, angle = of.x[row].copy(), of.signs[row], 0.3 * row
        units = np.exp(1j * (angle + np.array([0.0, step, -step])))
        steps, nodes = len(family.steps), np.zeros((3, len(family.steps) + 2), complex)
        values = np.zeros(len(x), complex)
        draw(family.steps, signs, x, units, values, nodes, np.zeros(steps), np.zeros(steps, np.int64))
        for pull in (1.0, 1.0j):
            pulls, gradient = np.zeros(steps + 2, complex), np.zeros(len(x))
            pulls[-1] = pull
            by_angle = slopes(family.steps, signs, values, nodes[0], pulls, units[0], gradient)
            assert not pulls.any()
            told = [by_angle, *gradient]
            found = [(nodes[1, -1] - nodes[2, -1]) / (2.0 * step)]
            for j in range(len(x)):
                up, down = (drawn(family, x + side * step * np.eye(len(x))[j], signs, units[:1])[0] for side in (1, -1))
                found.append((up[0, -1] - down[0, -1]) / (2.0 * step))
            found = (np.conj(pull) * np.array(found)).real
            assert np.abs(told - found).max() < 1e-6 * (1.0 + np.abs(found).max())


@pytest.mark.parametrize("is_open", [False, True])
@pytest.mark.parametrize("how", [LENGTH, NEAREST, MEAN])
@pytest.mark.parametrize("family", FAMILIES, ids=IDS)
def test_a_fit_betters_the_cost_and_keeps_off_dead_centres(family: Family, how: int, is_open: bool) -> None:
    of = table(family, is_open)
    target = np.exp(2j * np.pi * np.arange(40) / 60) * (1.0 + 0.2 * np.cos(np.arange(40)))
    work = new_work(of.x.shape[1], len(family.steps), 48, target, is_open)
    for row in range(10):
        x, signs = of.x[row].copy(), of.signs[row]
        begun = fit(family.steps, signs, x, how, 0, work)
        ended = fit(family.steps, signs, x, how, 20, work)
        assert ended < begun
        assert fit(family.steps, signs, x, how, 0, work) == ended
        assert drawn(family, x, signs, work.units)[1] < MOST


def test_a_fit_finds_its_way_back() -> None:
    family = FAMILIES[0]
    of = table(family)
    for row in range(5):
        x, signs = of.x[row], of.signs[row]
        units = np.exp(2j * np.pi * np.arange(96) / 96)
        target = drawn(family, x, signs, units)[0][:, -1]
        work = new_work(len(x), len(family.steps), 96, target, False)
        away = x + 0.004 * np.cos(np.arange(len(x)) + row)
        begun = fit(family.steps, signs, away.copy(), NEAREST, 0, work)
        ended = fit(family.steps, signs, away, NEAREST, 200, work)
        assert ended < 0.02 * begun, "chords of both are not the same ones"
        assert begun < 1e300


def test_what_cannot_go_round_costs_without_end() -> None:
    family = FAMILIES[0]
    x = np.array([0.0, 0.0, math.log(2.0), 1.0, 0.0, math.log(0.5), math.log(0.5), 0.5, 0.5])
    work = new_work(len(x), len(family.steps), 48, np.exp(1j * np.arange(6)), False)
    assert fit(family.steps, np.ones(3), x, NEAREST, 20, work) > 1e300
    assert family.steps[1, 0] == HINGES
