# SPDX-License-Identifier: GPL-3.0-or-later
"""Impulses of all rows of an island at once, where sweeps are slow: heavy on light, and what is wedged in between.

With p the impulses, v = G p + v0 the rates that they leave, bias included, Coulomb's law and the bounds of other rows
are the zeros of a function that is smooth by pieces (Alart and Curnier 1991), here with unit diagonals of G:
    normal      p_n = max(0, p_n - v_n)
    tangents    p_t = the nearest to p_t - v_t in the disc of radius friction times max(0, p_n - v_n)
    other rows  p   = the nearest to p - v between the bounds
Newton's method with the Jacobian of the piece at hand meets them in a few steps, whatever the ratio of masses; but
where contacts are redundant G is singular, and of all the impulses that balance it may choose huge ones, as those of a
wedge that press against each other. So it is asked for the solution of G + eta about the latest one, with eta falling
from step to step: the proximal point method, whose first centre is where the sweeps have come to (Rockafellar 1976;
with Newton's method within, Zhao, Sun and Toh 2010). What is asked in the end is the same.

Rows are scaled to a unit diagonal, a contact's three alike, so that cones remain cones.
"""

import math

from ...kernel import kernel
from .delassus import DISC, OTHER

_ETA, _FALLING, _LEAST_ETA = 1e-2, 0.1, 1e-8
_CENTRES, _STEPS = 20, 8  # of the proximal method, and of Newton's about each
_MOST_FACTORS = 80
_WITHIN = 0.1  # of what is enough: about a centre
_HALVES, _LESS = 6, 0.1  # of a step, and by how much it must lower the residual
_LEAST_PIVOT = 1e-14


@kernel
def solve_at_once(delassus, count, enough):
    """Solves the first `count` rows from the scaled impulses in `x`; returns the largest rate that is off (m/s, rad/s).

    The scaled operator is in `matrix`, the scaled rates without impulses, bias included, in `free`. Ends where no rate
    is off by more than `enough`, or where nothing helps; infinite where numbers are not finite.
    """
    d, eta, factors, off = delassus, _ETA, 0, math.inf
    for _ in range(_CENTRES):
        for n in range(count):
            d.centre[n] = d.x[n]
        for _ in range(_STEPS):
            size, off = _residual(d, count, eta, d.x)
            if off <= _WITHIN * enough or factors >= _MOST_FACTORS:
                break
            _fill_jacobian(d, count, eta)
            factors += 1
            if not _solve(d, count):
                break
            if not _step(d, count, eta, size):
                break
        _size, off = _residual(d, count, 0.0, d.x)
        if not math.isfinite(_size):
            return math.inf
        if off <= enough or factors >= _MOST_FACTORS:
            break
        eta = max(_LEAST_ETA, _FALLING * eta)
    return off


@kernel
def _residual(d, count, eta, p):
    """Fills `rate` and `residual` at p; returns the residual's square, and the largest entry (m/s, rad/s)."""
    size, off = 0.0, 0.0
    for n in range(count):
        d.rate[n] = d.free[n] + eta * (p[n] - d.centre[n])
    for n in range(count):
        total, row = 0.0, d.matrix[n]
        for m in range(count):
            total += row[m] * p[m]
        d.rate[n] += total
    for n in range(count):
        if d.cone[n] == OTHER:
            d.residual[n] = p[n] - min(d.high[n], max(d.low[n], p[n] - d.rate[n]))
        elif d.cone[n] != DISC:
            pressed = max(0.0, p[n] - d.rate[n])
            radius, a, b = d.cone[n] * pressed, p[n + 1] - d.rate[n + 1], p[n + 2] - d.rate[n + 2]
            length = math.sqrt(a * a + b * b)
            share = radius / length if length > radius else 1.0
            d.residual[n] = p[n] - pressed
            d.residual[n + 1], d.residual[n + 2] = p[n + 1] - share * a, p[n + 2] - share * b
    for n in range(count):
        size += d.residual[n] * d.residual[n]
        off = max(off, abs(d.residual[n]) / d.scale[n])
    return size, off


@kernel
def _fill_jacobian(d, count, eta):
    """The residual's derivative at x, where `rate` is that of x."""
    n, p = 0, d.x
    while n < count:
        if d.cone[n] == OTHER:
            wanted = p[n] - d.rate[n]
            _fill_row(d, count, n, eta, d.low[n] <= wanted <= d.high[n])
            n += 1
            continue
        pressed = p[n] - d.rate[n]
        presses, radius = pressed > 0.0, d.cone[n] * max(0.0, pressed)
        a, b = p[n + 1] - d.rate[n + 1], p[n + 2] - d.rate[n + 2]
        length = math.sqrt(a * a + b * b)
        _fill_row(d, count, n, eta, presses)
        _fill_row(d, count, n + 1, eta, presses and length <= radius)
        _fill_row(d, count, n + 2, eta, presses and length <= radius)
        if presses and length > radius:
            _fill_sliding(d, count, n, eta, a / length, b / length, radius / length)
        n += 3


@kernel
def _fill_row(d, count, n, eta, is_held):
    """Of a row whose rate is zero in the end, or whose impulse is known."""
    row = d.jacobian[n]
    for m in range(count):
        row[m] = d.matrix[n, m] if is_held else 0.0
    row[n] += eta if is_held else 1.0


@kernel
def _fill_sliding(d, count, n, eta, a, b, share):
    """Of tangents that slide: p_t - friction (p_n - v_n) (a, b), and how that direction turns."""
    mu, one, two = d.cone[n], d.jacobian[n + 1], d.jacobian[n + 2]
    aa, ab, bb = share * (1.0 - a * a), -share * a * b, share * (1.0 - b * b)
    for m in range(count):
        pressed = mu * d.matrix[n, m]
        g, h = d.matrix[n + 1, m], d.matrix[n + 2, m]
        one[m] = pressed * a + aa * g + ab * h
        two[m] = pressed * b + ab * g + bb * h
    kept = 1.0 - eta
    one[n] -= mu * a * kept
    two[n] -= mu * b * kept
    one[n + 1] += 1.0 - aa * kept
    one[n + 2] -= ab * kept
    two[n + 1] -= ab * kept
    two[n + 2] += 1.0 - bb * kept


@kernel
def _step(d, count, eta, size):
    """Goes along `step` as far as that lowers the residual, of this square before; False if it moves by nothing."""
    share = 1.0
    for _ in range(_HALVES):
        for n in range(count):
            d.trial[n] = d.x[n] + share * d.step[n]
        now, _off = _residual(d, count, eta, d.trial)
        if now <= (1.0 - _LESS * share) ** 2 * size:
            break
        share *= 0.5
    moved = 0.0
    for n in range(count):
        moved = max(moved, abs(d.trial[n] - d.x[n]))
        d.x[n] = d.trial[n]
    return moved > 0.0


@kernel
def _solve(d, count):
    """Newton's step: Gaussian elimination with the largest pivot of a column; False where there is none."""
    matrix, x = d.jacobian, d.step
    for n in range(count):
        x[n] = -d.residual[n]
    for c in range(count):
        best = c
        for r in range(c + 1, count):
            if abs(matrix[r, c]) > abs(matrix[best, c]):
                best = r
        if not abs(matrix[best, c]) > _LEAST_PIVOT:
            return False
        if best != c:
            x[c], x[best] = x[best], x[c]
            for k in range(c, count):
                matrix[c, k], matrix[best, k] = matrix[best, k], matrix[c, k]
        top, inverse = matrix[c], 1.0 / matrix[c, c]
        for r in range(c + 1, count):
            row = matrix[r]
            if row[c] != 0.0:
                factor = row[c] * inverse
                for k in range(c + 1, count):
                    row[k] -= factor * top[k]
                x[r] -= factor * x[c]
    for c in range(count - 1, -1, -1):
        total = x[c]
        for k in range(c + 1, count):
            total -= matrix[c, k] * x[k]
        x[c] = total / matrix[c, c]
    return True
