# SPDX-License-Identifier: GPL-3.0-or-later
"""Rows of implicit steps: closures, and springs between moving bodies, which are soft by one over their gain.

A row with wrenches w and multiplier y asks m.z + y / g = -f / g of the change z of accelerations, with g = h c + h^2 k
and f what the spring resists the explicit step with already; a closure has no softness and f = 0. What it measures, m,
is w itself but for a damper along a line that turns: as its ends part across it by x, its rate grows by t.x (t from
`turning_of`), so m = w + h^2 c t / g. With the response W of the rows through the linearised trees it is
(W + 1/g) y = -f / g - m.z0, z0 the change without them. A row that follows from others is left out (elimination meets
no pivot). A row's own response does not tell: that of a row which nothing moves along, as across the plane of a chain
of parallel hinges, is rounding itself. So pivots are compared with what the joints' changes would be along the row if
each of them led that way. Rows whose pivots are small beside it stand aslant to what can move: they come last, since
what they are off by would be blown up in all rows after them (`dynamics.loops.delassus_dense` does likewise).
"""

import math

from ...kernel import kernel
from ...spatial import (
    add,
    add_scaled,
    add_to_spatial,
    cross,
    dot,
    load3,
    load_angular,
    load_linear,
    scale,
    store_spatial,
    subtract,
    tangents,
)
from ..forces.points import first_parameter, is_enabled
from ..forces.spring import pull_tangent, spring_length
from .force_tangents import turning_of
from .linearised_tree import place_accelerations, solve_linearised
from .workspace import DIRECTIONS

_RANK = 1e-11  # of what joints would move along a row if each led that way: a pivot that is rounding
_WEAK = 1e-3  # of the same: one of a row aslant
_ZERO = (0.0, 0.0, 0.0)


@kernel
def fill_coupling(model, scratch, work, h):
    """Fills wrenches, softness and what is asked of the rows, for a step of h (s); how many rows there are."""
    found = 0
    for r in range(model.closing):
        row, closure = scratch.rows[r], model.closures[model.rows[r].closure]
        work.row_ends[found] = closure.ends
        work.softness[found], work.asked[found] = row.compliance, 0.0
        for end in range(closure.ends):
            work.row_body[found, end] = closure.body[end]
            for k in range(6):
                work.row_wrench[found, end, k] = work.row_measure[found, end, k] = row.wrench[end, k]
        found += 1
    for number in range(len(work.pairs)):
        found = _fill_pair(model, scratch, work, work.pairs[number], h, found)
    return found


@kernel
def _fill_pair(model, scratch, work, pair, h, found):
    force, p, first = model.forces[pair.force], scratch.parameters, first_parameter(model, pair.force)
    if not is_enabled(p, first) or not pair.is_row or not (pair.is_along or pair.is_across):
        return found
    arm_a, arm_b, n, length, rate = spring_length(force, scratch.bodies, p, first)
    stiffness, damping, across = pull_tangent(model, scratch, pair.force, length, rate)
    t1, t2 = tangents(n)
    for k in range(DIRECTIONS):
        line = n if k == 0 else (t1 if k == 1 else t2)
        k_line, c_line = (stiffness, work.damps[0] * damping) if k == 0 else (across, 0.0)
        gain = h * (c_line + h * k_line)
        if not gain > 0.0 or not (pair.is_along if k == 0 else pair.is_across):
            continue
        turning = turning_of(model, scratch, pair.force, length, rate) if k == 0 else _ZERO
        work.row_ends[found] = 2
        work.row_body[found, 0], work.row_body[found, 1] = force.body[0], force.body[1]
        _store_ends(work.row_wrench[found], arm_a, arm_b, line)
        shift = _along_row(work, work.row_wrench, found, work.displacement)
        change = _along_row(work, work.row_wrench, found, work.change)
        _store_ends(work.row_measure[found], arm_a, arm_b, turning)
        change += _along_row(work, work.row_measure, found, work.displacement)
        _store_ends(work.row_measure[found], arm_a, arm_b, add_scaled(line, h * h * c_line / gain, turning))
        work.softness[found] = 1.0 / gain
        work.asked[found] = -(k_line * shift + c_line * change) / gain
        found += 1
    return found


@kernel
def _store_ends(row, arm_a, arm_b, force):
    """A force on the first end, and its opposite on the second."""
    store_spatial(row[0], cross(arm_a, force), force)
    store_spatial(row[1], scale(-1.0, cross(arm_b, force)), scale(-1.0, force))


@kernel
def _along_row(work, rows, r, motion):
    """The product of row r of `rows` with a motion (six numbers of each body)."""
    total = 0.0
    for end in range(work.row_ends[r]):
        i, w = work.row_body[r, end], rows[r, end]
        total += dot(load_angular(w), load_angular(motion[i])) + dot(load_linear(w), load_linear(motion[i]))
    return total


@kernel
def solve_coupled(model, scratch, work, count):
    """Fills the solution for the wrenches and efforts of `work` with `count` rows; the tree's factors must be there."""
    for i in range(model.driven):
        store_spatial(work.acceleration[i], _ZERO, _ZERO)
    solve_linearised(model, scratch, work)
    if count == 0:
        return
    place_accelerations(model, scratch, work)
    for r in range(count):
        work.multiplier[r] = work.asked[r] - _along_row(work, work.row_measure, r, work.acceleration)
    for k in range(len(work.solution)):
        work.kept_effort[k] = work.solution[k]
    _fill_columns(model, scratch, work, count)
    solve_rows(work, count)
    for k in range(len(work.solution)):
        total = work.kept_effort[k]
        for r in range(count):
            total += work.multiplier[r] * work.columns[r, k]
        work.solution[k] = total


@kernel
def refresh_closures(model, scratch, work):
    """Takes over what a unit multiplier of each closure's row does where the bodies are by now."""
    for r in range(model.closing):
        row = scratch.rows[r]
        for end in range(work.row_ends[r]):
            for k in range(6):
                work.row_wrench[r, end, k] = work.row_measure[r, end, k] = row.wrench[end, k]


@kernel
def measure_motion(model, scratch, work, count, r):
    """Fills column r of the rows' response: what `count` rows measure of the motion in work.acceleration, that r makes.

    Also what row r would measure of the joints' changes, in work.solution, if each moved its bodies along it.
    """
    for other in range(count):
        work.factor[other, r] = _along_row(work, work.row_measure, other, work.acceleration)
    most = 0.0
    for end in range(work.row_ends[r]):
        i, w = work.row_body[r, end], work.row_measure[r, end]
        n, f = load_angular(w), load_linear(w)
        while i >= model.driven:
            for k in range(model.bodies[i].axis_start, model.bodies[i].axis_end):
                s, l = load_angular(scratch.axes[k].S), load_linear(scratch.axes[k].S)
                most += abs(work.solution[k]) * (_length(s) * _length(n) + _length(l) * _length(f))
            inner = model.bodies[i].inner
            n = add(n, cross(subtract(load3(scratch.bodies[i].center), load3(scratch.bodies[inner].center)), f))
            i = inner
    work.most[r] = most


@kernel
def _length(a):
    return math.sqrt(dot(a, a))


@kernel
def solve_rows(work, count):
    """Turns what `count` rows ask, in work.multiplier, into their multipliers; the response is lost."""
    _solve_factored(work, count, _factor(work, count))


@kernel
def _fill_columns(model, scratch, work, count):
    """Responses of axes and of all rows to a unit multiplier on each row."""
    for k in range(len(work.handed)):
        for c in range(6):
            work.handed[k, c] = 0.0
    for r in range(count):
        for i in range(model.driven, len(model.bodies)):
            store_spatial(work.wrench[i], _ZERO, _ZERO)
        for k in range(len(work.effort)):
            work.effort[k] = 0.0
        for end in range(work.row_ends[r]):
            w = work.row_wrench[r, end]
            add_to_spatial(work.wrench[work.row_body[r, end]], load_angular(w), load_linear(w))
        solve_linearised(model, scratch, work)
        place_accelerations(model, scratch, work)
        for k in range(len(work.solution)):
            work.columns[r, k] = work.solution[k]
        measure_motion(model, scratch, work, count, r)


@kernel
def _factor(work, count):
    """The response becomes L, with ones on its diagonal, and U, in the order that is filled; a row left out gets zero.

    In steps of seconds a tree that its closures alone keep from falling responds with either sign.
    """
    W, order, rank, weak = work.factor, work.order, 0, count
    for r in range(count):
        W[r, r] += work.softness[r]
    for r in range(count):  # in their order, which keeps what is sparse so; those aslant gather at the end of the list
        if abs(W[r, r]) > _WEAK * work.most[r]:
            order[rank] = r
            rank += 1
            _eliminate(W, order, r, weak, r + 1, count)
        else:
            weak -= 1
            order[weak] = r
    while rank < count:
        best, share = rank, 0.0
        for i in range(rank, count):
            r = order[i]
            if abs(W[r, r]) > max(_RANK, share) * work.most[r]:
                best, share = i, abs(W[r, r]) / work.most[r]
        if share == 0.0:
            break
        order[rank], order[best] = order[best], order[rank]
        rank += 1
        _eliminate(W, order, order[rank - 1], rank, count, count)
    for i in range(rank, count):
        W[order[i], order[i]] = 0.0
    return rank


@kernel
def _eliminate(W, order, r, listed, first, count):
    """Takes row r out of the rows from `first` on, and of those that stand in the list from `listed` on."""
    for other in range(first, count):
        _subtract_row(W, order, r, other, listed, first, count)
    for i in range(listed, count):
        _subtract_row(W, order, r, order[i], listed, first, count)


@kernel
def _subtract_row(W, order, r, other, listed, first, count):
    share = W[other, r] / W[r, r]
    W[other, r] = share
    if share != 0.0:
        for k in range(first, count):
            W[other, k] -= share * W[r, k]
        for i in range(listed, count):
            W[other, order[i]] -= share * W[r, order[i]]


@kernel
def _solve_factored(work, count, rank):
    W, order, x = work.factor, work.order, work.multiplier
    for i in range(rank):
        r = order[i]
        for j in range(i):
            x[r] -= W[r, order[j]] * x[order[j]]
    for i in range(rank - 1, -1, -1):
        r = order[i]
        for j in range(i + 1, rank):
            x[r] -= W[r, order[j]] * x[order[j]]
        x[r] /= W[r, r]
    for i in range(rank, count):
        x[order[i]] = 0.0
