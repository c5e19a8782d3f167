# SPDX-License-Identifier: GPL-3.0-or-later
"""All rows of an island at once, against the laws that they must obey, and against projected sweeps."""

from __future__ import annotations

import numpy as np
import pytest

from solver.contact.impulses.delassus import DISC, OTHER, Delassus, new_delassus
from solver.contact.impulses.newton import solve_at_once

ENOUGH = 1e-9  # m/s


def some_rows(seed: int, contacts: int, others: int, ratio: float, is_singular: bool) -> Delassus:
    """Random rows of random bodies whose masses lie within `ratio`; singular: more rows than they have axes."""
    rng = np.random.default_rng(seed)
    count = 3 * contacts + others
    axes = max(3, count // 2) if is_singular else 2 * count
    J = rng.normal(size=(count, axes))
    inverse = ratio ** rng.uniform(-1.0, 0.0, size=axes)
    d = new_delassus(count)
    d.matrix[:count, :count] = J @ (inverse[:, None] * J.T)
    d.free[:count] = J @ rng.normal(size=axes)  # what some speeds are, so that there are impulses that stop them
    for n in range(contacts):
        d.cone[3 * n : 3 * n + 3] = rng.uniform(0.0, 1.5), DISC, DISC
    d.cone[3 * contacts : count] = OTHER
    d.low[3 * contacts : count], d.high[3 * contacts : count] = -0.3, rng.uniform(0.0, 0.5, size=others)
    d.scale[:count] = 1.0
    return d


def by_sweeps(d: Delassus, count: int, sweeps: int) -> np.ndarray:
    """Projected Gauss-Seidel, a contact's three rows by the largest of their own responses; slow, and simple."""
    G, p = d.matrix[:count, :count], np.zeros(count)
    for _ in range(sweeps):
        n = 0
        while n < count:
            if d.cone[n] == OTHER:
                p[n] = np.clip(p[n] - (G[n] @ p + d.free[n]) / G[n, n], d.low[n], d.high[n])
                n += 1
                continue
            rows = slice(n, n + 3)
            wanted = p[rows] - (G[rows] @ p + d.free[rows]) / np.linalg.eigvalsh(G[rows, rows]).max()
            wanted[0] = max(0.0, wanted[0])
            size = np.linalg.norm(wanted[1:])
            if size > d.cone[n] * wanted[0]:
                wanted[1:] *= d.cone[n] * wanted[0] / size
            p[rows] = wanted
            n += 3
    return p


def worst_offence(d: Delassus, count: int, G: np.ndarray, free: np.ndarray) -> float:
    """The most by which unilateral contact, Coulomb's law or bounds are broken, in rates."""
    p = d.x[:count]
    v, worst, n = G @ p + free, 0.0, 0
    while n < count:
        if d.cone[n] == OTHER:
            inside = d.low[n] + 1e-12 < p[n] < d.high[n] - 1e-12
            assert d.low[n] - 1e-12 <= p[n] <= d.high[n] + 1e-12
            at_low = p[n] < d.low[n] + 1e-12
            worst = max(worst, abs(v[n]) if inside else max(0.0, -v[n] if at_low else v[n]))
            n += 1
            continue
        radius, size = d.cone[n] * p[n], np.linalg.norm(p[n + 1 : n + 3])
        assert p[n] >= -1e-9
        assert size <= radius + 1e-9 * (1.0 + radius)
        worst = max(worst, -v[n], abs(v[n]) if p[n] > 1e-9 else 0.0)
        slides = v[n + 1 : n + 3]
        if size < radius - 1e-9:
            worst = max(worst, np.linalg.norm(slides))
        elif size > 1e-6:  # friction against the slide, all of it
            against = p[n + 1 : n + 3] / size
            worst = max(worst, np.linalg.norm(slides - (slides @ against) * against), slides @ against)
        n += 3
    return worst


@pytest.mark.parametrize("seed", range(30))
def test_it_is_what_sweeps_come_to_in_the_end(seed):
    contacts, others = 1 + seed % 4, seed % 3
    count = 3 * contacts + others
    d = some_rows(seed, contacts, others, 10.0, False)
    swept = by_sweeps(d, count, 20_000)
    assert solve_at_once(d, count, ENOUGH) <= ENOUGH
    assert d.x[:count] == pytest.approx(swept, abs=1e-6)


@pytest.mark.parametrize("ratio", [1.0, 1e3, 1e6])
@pytest.mark.parametrize("is_singular", [False, True])
def test_the_laws_hold_whatever_the_ratio_of_masses(ratio, is_singular):
    """Most of them are found; none of those that are called found breaks a law."""
    found = 0
    for seed in range(20):
        contacts, others = 2 + seed % 8, seed % 4
        count = 3 * contacts + others
        d = some_rows(100 + seed, contacts, others, ratio, is_singular)
        G, free = d.matrix[:count, :count].copy(), d.free[:count].copy()
        for n in range(count):  # as `delassus.scale_rows` does
            rows = range(n, n + 1) if d.cone[n] == OTHER else range(n - (n % 3), n - (n % 3) + 3)
            d.scale[n] = 1.0 / np.sqrt(max(G[k, k] for k in rows))
        scale = d.scale[:count]
        d.matrix[:count, :count] = scale[:, None] * G * scale
        d.free[:count] = scale * free
        others_of = d.cone[:count] == OTHER
        d.low[:count][others_of] /= scale[others_of]
        d.high[:count][others_of] /= scale[others_of]
        if solve_at_once(d, count, ENOUGH) <= ENOUGH:
            found += 1
            d.x[:count] *= scale
            d.low[:count][others_of] *= scale[others_of]
            d.high[:count][others_of] *= scale[others_of]
            assert worst_offence(d, count, G, free) < 1e-6
    assert found >= 15
