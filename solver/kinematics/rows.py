# SPDX-License-Identifier: GPL-3.0-or-later
"""Rows of a block along its columns, how far they are open, and changes of coordinates.

Changes are counted in the units of `Plan`: rad, lengths as parts of the linkage's size.
"""

from ..dynamics.loops.closures import update_rows
from ..dynamics.tree.kinematics import update_kinematics
from ..kernel import kernel
from ..rotation import exponential, multiply_quaternions, normalized
from ..spatial import add, cross, dot, load3, load_angular, load_linear, subtract
from .arrays import COUPLED
from .factors import factor_rows, solve_rows

_ZERO = (0.0, 0.0, 0.0)


@kernel
def look(model, state, scratch):
    """Brings all bodies and rows up to date; the driven bodies must be."""
    update_kinematics(model, state, scratch)
    update_rows(model, state, scratch)


@kernel
def coefficient(scratch, wrench, end, axis, outer):
    """A row's derivative by one axis: a wrench (6,) on a body `end`, and the motion of that with the axis's body."""
    S = scratch.axes[axis].S
    turn = load_angular(S)
    arm = subtract(load3(scratch.bodies[end].center), load3(scratch.bodies[outer].center))
    return dot(load_angular(wrench), turn) + dot(load_linear(wrench), add(load_linear(S), cross(turn, arm)))


@kernel
def fill_block(model, scratch, plan, block, J):
    """Fills J with the rows of a block; returns (rows, columns)."""
    first, last = plan.block_rows[block], plan.block_rows[block + 1]
    columns = plan.block_columns[block + 1] - plan.block_columns[block]
    for j in range(last - first):
        for i in range(columns):
            J[j, i] = 0.0
        r = plan.rows[first + j]
        closure = model.closures[model.rows[r].closure]
        for e in range(plan.entry_start[r], plan.entry_start[r + 1]):
            axis = plan.entry_axis[e]
            i, end = plan.column_of[axis], plan.entry_end[e]
            if i < 0:
                continue
            if end == COUPLED:
                along = plan.entry_share[e]
            else:
                along = coefficient(scratch, scratch.rows[r].wrench[end], closure.body[end], axis, plan.entry_body[e])
            J[j, i] += along * plan.row_unit[r] * plan.unit[axis]
    return last - first, columns


@kernel
def factor_block(model, scratch, plan, work, block):
    """Factors the rows of a block; returns (rows, columns, rank, smallest pivot)."""
    m, n = fill_block(model, scratch, plan, block, work.matrix)
    rank, pivot = factor_rows(work.matrix, work.order, work.rest, work.reflector, m, n)
    return m, n, rank, pivot


@kernel
def solve_block(plan, work, block, rank, target):
    """Writes what meets `work.asked` to the block's axes in target (A,); returns the largest change in its unit."""
    start = plan.block_columns[block]
    n = plan.block_columns[block + 1] - start
    solve_rows(work.matrix, work.order, work.reflector, work.asked, work.found, rank, n)
    largest = 0.0
    for i in range(n):
        axis = plan.columns[start + i]
        largest = max(largest, abs(work.found[i]))
        target[axis] = work.found[i] * plan.unit[axis]
    return largest


@kernel
def worst_error(scratch, plan, first, last):
    """The largest error of plan.rows[first:last]."""
    worst = 0.0
    for j in range(first, last):
        r = plan.rows[j]
        worst = max(worst, abs(scratch.rows[r].error) * plan.row_unit[r])
    return worst


@kernel
def move_axes(model, state, change, share):
    """Adds rates of all axes, times `share`, to the coordinates; charts are anchored where that leads."""
    q = state.coordinates
    for k in range(len(q)):
        q[k] += share * change[k]
    for c in range(len(model.charted)):
        body = model.bodies[model.charted[c]]
        k, anchor = body.axis_end - 3, state.anchor[body.chart]
        theta = (q[k], q[k + 1], q[k + 2])
        if theta != _ZERO:
            turned = multiply_quaternions((anchor[0], anchor[1], anchor[2], anchor[3]), exponential(theta))
            anchor[0], anchor[1], anchor[2], anchor[3] = normalized(turned)
            q[k], q[k + 1], q[k + 2] = 0.0, 0.0, 0.0
