# SPDX-License-Identifier: GPL-3.0-or-later
"""Impulses of all rows of an island at once, where sweeps are slow: heavy on light, and what is wedged in between.

With p the impulses, v = G p + v0 the rates that they leave, bias included, K the product of friction cones and of
intervals, and s the shift of De Saxce, friction times the sliding speed on a contact's normal, Coulomb's law is
    p in K,  v + s in K*,  p . (v + s) = 0.
For a given s that is a convex problem, which the alternating direction method of multipliers solves by one factor of
G + rho, whatever the ratio of masses, and without a choice among the solutions of what is redundant that would be far
from where it starts; s follows from step to step (Acary, Cadoux, Lemarechal, Malick 2011; Carpentier, Le Lidec and
Montaut 2024). Rows are scaled to a unit diagonal, a contact's three alike, so that cones remain cones:
    x = (G + rho)^-1 (-(v0 + s) + rho z - w),   z = the nearest to x + w / rho in K,   w += rho (x - z),
and w is -(v + s) in the end. rho is led so that both residuals, x - z and rho times the change of z, fall alike.
"""

import math

from ..kernel import kernel

_TRIES = 600
_LOOKS = 10  # tries between looks at rho
_UNEVEN = 3.0  # ratio of the residuals above which rho is led
_LEAST_RHO, _MOST_RHO = 1e-6, 1e4
_FARTHEST = 10.0  # times that rho changes at once
_TINY = 1e-300


@kernel
def solve_at_once(delassus, count, enough):
    """Solves the first `count` rows from the scaled unknowns in `x`, to rates of `enough` (m/s or rad/s).

    The scaled operator is in `matrix`, scaled rates without impulses, bias included, in `free`. Leaves the impulses,
    scaled and within their cones, in `z`; False where they do not come to it.
    """
    d, rho = delassus, 1.0
    for n in range(count):
        d.z[n] = d.x[n]
        rate = d.free[n]
        for m in range(count):
            rate += d.matrix[n, m] * d.x[m]
        d.w[n] = -rate
    _project(d, count)
    _shift(d, count, -1.0)
    for n in range(count):
        d.w[n] -= d.shift[n]
    is_factored = False
    for turn in range(_TRIES):
        if not is_factored:
            if not _factor(d, count, rho):
                return False
            is_factored = True
        _shift(d, count, -1.0)
        for n in range(count):
            d.right[n] = -(d.free[n] + d.shift[n]) + rho * d.z[n] - d.w[n]
        _solve(d, count)
        for n in range(count):
            d.right[n] = d.z[n]
            d.z[n] = d.x[n] + d.w[n] / rho
        _project(d, count)
        primal, dual, off = 0.0, 0.0, 0.0
        for n in range(count):
            apart, change = d.x[n] - d.z[n], rho * (d.z[n] - d.right[n])
            d.w[n] += rho * apart
            primal, dual = max(primal, abs(apart)), max(dual, abs(change))
            off = max(off, (abs(apart) + abs(change)) / d.scale[n])
            if not math.isfinite(d.w[n] + d.x[n]):
                return False
        if off <= enough:
            return True
        if turn % _LOOKS == _LOOKS - 1:
            uneven = math.sqrt(max(primal, _TINY) / max(dual, _TINY))
            if uneven > _UNEVEN or uneven < 1.0 / _UNEVEN:
                led = rho * min(_FARTHEST, max(1.0 / _FARTHEST, uneven))
                led = min(_MOST_RHO, max(_LEAST_RHO, led))
                is_factored = led == rho
                rho = led
    return False


@kernel
def _project(d, count):
    """The nearest to z within friction cones and bounds."""
    n, z = 0, d.z
    while n < count:
        mu = d.cone[n]
        if mu < -1.5:
            z[n] = min(d.high[n], max(d.low[n], z[n]))
            n += 1
            continue
        across = math.sqrt(z[n + 1] * z[n + 1] + z[n + 2] * z[n + 2])
        if across > mu * z[n]:
            along = max(0.0, (z[n] + mu * across) / (1.0 + mu * mu))
            share = mu * along / across if across > 0.0 else 0.0
            z[n], z[n + 1], z[n + 2] = along, share * z[n + 1], share * z[n + 2]
        n += 3


@kernel
def _shift(d, count, sign):
    """De Saxce's shift: friction times the speed of sliding, by the rates in w."""
    n = 0
    while n < count:
        mu = d.cone[n]
        d.shift[n] = 0.0
        if mu < -1.5:
            n += 1
            continue
        d.shift[n] = mu * math.sqrt(d.w[n + 1] * d.w[n + 1] + d.w[n + 2] * d.w[n + 2])
        d.shift[n + 1] = d.shift[n + 2] = 0.0
        n += 3


@kernel
def _factor(d, count, rho):
    """Cholesky's factor of the scaled operator with rho on its diagonal; False if there is none."""
    factor = d.factor
    for r in range(count):
        for c in range(r + 1):
            total = d.matrix[r, c] + (rho if r == c else 0.0)
            for k in range(c):
                total -= factor[r, k] * factor[c, k]
            if c < r:
                factor[r, c] = total * factor[c, c]
            elif total > 0.0:
                factor[r, r] = 1.0 / math.sqrt(total)
            else:
                return False
    return True


@kernel
def _solve(d, count):
    """x from `right`; the factor's diagonal is kept inverted."""
    factor, x = d.factor, d.x
    for r in range(count):
        total = d.right[r]
        for k in range(r):
            total -= factor[r, k] * x[k]
        x[r] = total * factor[r, r]
    for r in range(count - 1, -1, -1):
        x[r] *= factor[r, r]
        for k in range(r):
            x[k] -= factor[r, k] * x[r]
