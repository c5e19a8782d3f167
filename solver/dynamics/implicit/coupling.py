# SPDX-License-Identifier: GPL-3.0-or-later
"""Rows of implicit steps: closures, and springs between moving bodies, which are soft by one over their gain.

A row with wrenches w and multiplier y asks m.z + y / g = -f / g of the change z of accelerations, with g = h c + h^2 k
and f what the spring resists the explicit step with already; a closure has no softness and f = 0. What it measures, m,
is w itself but for a damper along a line that turns: as its ends part across it by x, its rate grows by t.x (t from
`turning_of`), so m = w + h^2 c t / g. With the response W of the rows through the linearised trees it is
(W + 1/g) y = -f / g - m.z0, z0 the change without them. A row that follows from those before it is left out
(elimination meets no pivot).
"""

from ...kernel import kernel
from ...spatial import add_scaled, add_to_spatial, cross, dot, load_angular, load_linear, scale, store_spatial, tangents
from ..forces.points import first_parameter, is_enabled
from ..forces.spring import pull_tangent, spring_length
from .force_tangents import turning_of
from .linearised_tree import place_accelerations, solve_linearised
from .workspace import DIRECTIONS

_RANK = 1e-11  # of a row's own response: a pivot that is rounding
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
def measure_motion(work, count, r):
    """Fills column r of the rows' response: what `count` rows measure of the motion in work.acceleration."""
    for other in range(count):
        work.factor[other, r] = _along_row(work, work.row_measure, other, work.acceleration)


@kernel
def solve_rows(work, count):
    """Turns what `count` rows ask, in work.multiplier, into their multipliers; the response is lost."""
    _factor(work, count)
    _solve_factored(work, count)


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
        measure_motion(work, count, r)


@kernel
def _factor(work, count):
    """The response becomes L, with ones on its diagonal, and U; a row without a pivot gets zero there.

    In steps of seconds a tree that its closures alone keep from falling responds with either sign.
    """
    W = work.factor
    for r in range(count):
        W[r, r] += work.softness[r]
        work.pivot[r] = W[r, r]
    for r in range(count):
        if not abs(W[r, r]) > _RANK * abs(work.pivot[r]):
            W[r, r] = 0.0
            continue
        for other in range(r + 1, count):
            share = W[other, r] / W[r, r]
            W[other, r] = share
            if share != 0.0:
                for k in range(r + 1, count):
                    W[other, k] -= share * W[r, k]


@kernel
def _solve_factored(work, count):
    W, x = work.factor, work.multiplier
    for r in range(count):
        for k in range(r):
            if W[k, k] != 0.0:
                x[r] -= W[r, k] * x[k]
    for r in range(count - 1, -1, -1):
        for k in range(r + 1, count):
            x[r] -= W[r, k] * x[k]
        x[r] = x[r] / W[r, r] if W[r, r] != 0.0 else 0.0
