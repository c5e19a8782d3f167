# SPDX-License-Identifier: GPL-3.0-or-later
"""Ropes that slip over wheels that rub: the pull on both sides of a wheel is in a fixed ratio (Euler 1769).

    T_after = T_before exp(way mu angle)

with mu the coefficient, the angle by which the rope goes round the wheel, and way 1 where it slips towards its last
point, -1 towards its first. A wheel is a point: the law knows no radius.

Wheels that follow each other on one body are one grip: it slips over all of them or over none, and their mu times angle
add up. A rope has a closure of its own, and one for what is beyond each grip (`model.closures.grip_closures`). Where it
sticks, that row holds as any other does, and its multiplier is what the pull gains there. Where it slips the
row holds nothing: its multiplier is applied as a force, as large as the law says of the multipliers before it. All
multipliers are linear in those that are applied; so one solution without them and one with each alone give the
equations for them, and the last one is the motion.
"""

import math

from ...kernel import kernel
from ...spatial import (
    add,
    add_to_spatial,
    cross,
    dot,
    load3,
    load_angular,
    load_linear,
    scale,
    subtract,
)
from .closures import closure_arm


@kernel
def let_slip(model, scratch):
    """Lets the rows hold nothing of ropes beyond grips on which they slip."""
    for number in range(len(model.closures)):
        if model.closures[number].slips != 0:
            row = scratch.rows[model.closures[number].row_start]
            row.is_given, row.given = 1, 0.0


@kernel
def note_solution(model, scratch, column):
    """Fills a column of the equations with what the law makes of the latest solution; returns the largest pull (N)."""
    i, largest = 0, 0.0
    for number in range(len(model.closures)):
        closure = model.closures[number]
        if closure.slips != 0:
            row = scratch.rows[closure.row_start]
            row.multiplier = row.given
            pull = _pull_before(model, scratch, number)
            scratch.slipping[i, column] = _gain(model, scratch, number) * pull
            largest = max(largest, abs(pull))
            i += 1
    return largest


@kernel
def _pull_before(model, scratch, number):
    """N, less than zero where it pulls: of a rope before the grip of this closure."""
    closure = model.closures[number]
    pull = scratch.rows[model.closures[closure.rope].row_start].multiplier
    for before in range(number - closure.place, number):
        pull += scratch.rows[model.closures[before].row_start].multiplier
    return pull


@kernel
def _gain(model, scratch, number):
    closure, exponent = model.closures[number], 0.0
    for wheel in range(1, closure.ends - 1):
        if closure.friction[wheel] > 0.0:
            exponent += closure.friction[wheel] * _angle_round(scratch.bodies, closure, wheel)
    return math.exp(closure.slips * exponent) - 1.0


@kernel
def _angle_round(bodies, closure, wheel):
    """rad: by which a rope goes round a wheel."""
    one, other = _way(bodies, closure, wheel - 1), _way(bodies, closure, wheel)
    across = cross(one, other)
    return closure.wrapped[wheel] + math.atan2(math.sqrt(dot(across, across)), dot(one, other))


@kernel
def _way(bodies, closure, end):
    """m: from a point of a rope to the next."""
    a, b = bodies[closure.body[end]], bodies[closure.body[end + 1]]
    from_a, to_b = closure_arm(closure, a, end), closure_arm(closure, b, end + 1)
    return subtract(add(load3(b.center), to_b), add(load3(a.center), from_a))


@kernel
def give(model, scratch, chosen, size):
    """Applies a multiplier of this size (N) for the slipping row of this number among them, and nothing for others."""
    i = 0
    for number in range(len(model.closures)):
        if model.closures[number].slips != 0:
            _apply(model, scratch, number, size if i == chosen else 0.0)
            i += 1


@kernel
def give_all(model, scratch):
    """Applies the multipliers that `solve_slipping` has found, the last column of the equations."""
    i, last = 0, len(scratch.slipping)
    for number in range(len(model.closures)):
        if model.closures[number].slips != 0:
            _apply(model, scratch, number, scratch.slipping[i, last])
            i += 1


@kernel
def take_back(model, scratch):
    """Takes those forces off the applied ones, and makes them the rows' multipliers."""
    for number in range(len(model.closures)):
        if model.closures[number].slips != 0:
            row = scratch.rows[model.closures[number].row_start]
            given = row.given
            _apply(model, scratch, number, 0.0)
            row.multiplier = given


@kernel
def _apply(model, scratch, number, multiplier):
    """Applies another multiplier (N) than before."""
    closure = model.closures[number]
    row = scratch.rows[closure.row_start]
    more, row.given = multiplier - row.given, multiplier
    if more == 0.0:
        return
    for end in range(closure.ends):
        i = closure.body[end]
        if i >= model.driven:
            n, f = load_angular(row.wrench[end]), load_linear(row.wrench[end])
            add_to_spatial(scratch.bodies[i].wrench, scale(more, n), scale(more, f))


@kernel
def solve_slipping(equations, unit):
    """Solves x = b + A x / unit in place, b the last column and b + A the others; x becomes the last column."""
    count = len(equations)
    for i in range(count):
        for j in range(count):
            change = (equations[i, j] - equations[i, count]) / unit
            equations[i, j] = (1.0 if i == j else 0.0) - change
    for k in range(count):
        best = k
        for i in range(k + 1, count):
            if abs(equations[i, k]) > abs(equations[best, k]):
                best = i
        for j in range(k, count + 1):
            equations[k, j], equations[best, j] = equations[best, j], equations[k, j]
        pivot = equations[k, k] if equations[k, k] != 0.0 else math.nan
        for i in range(count):
            if i != k:
                share = equations[i, k] / pivot
                for j in range(k, count + 1):
                    equations[i, j] -= share * equations[k, j]
        for j in range(k, count + 1):
            equations[k, j] /= pivot
