# SPDX-License-Identifier: GPL-3.0-or-later
"""Keeps closures closed: the smallest changes of coordinates, then of speeds, that bring their rows back to zero.

Accelerations hold the rows' second derivatives at zero, so positions and velocities drift by what the integrator errs.
The changes are orthogonal to the allowed motions in the metric of the mass matrix, hence put no energy into them, and
they come from the factors of the latest solution (Tasora 2001, eq. 30 and 31; Blajer 1997): Newton's method with a
matrix that is a step old.
"""

from ..kernel import kernel
from ..mechanism.model import RowKind
from ..rotation import chart_rate
from .kinematics import update_kinematics
from .methods import respond, update_closures

_TURN = int(RowKind.TURN)
_ATTEMPTS = 8
_FALLING = 0.5  # an error that falls less than this in one attempt is at rounding, or cannot be met
_FARTHEST = 0.3  # rad, or part of the size: largest change of a coordinate in one attempt


@kernel
def remove_drift(model, state, scratch, limit, fastest):
    """Brings rows that are open by more than `limit` back to zero, and those that open up.

    The driven bodies must be up to date.

    `limit`: rad, lengths as parts of the linkage's size; times `fastest` (1/s), or times 1/s, for the rate of opening.
    Leaves kinematics and rows up to date.
    """
    update_kinematics(model, state, scratch)
    update_closures(model, scratch)
    if not scratch.factored[0]:
        return
    before = worst_error(model, scratch)
    for _ in range(_ATTEMPTS):
        if not before > limit:
            break
        for r in range(model.closing):
            scratch.rows[r].target = -scratch.rows[r].error
        respond(model, scratch)
        _move(model, state, scratch, 1.0)
        update_kinematics(model, state, scratch)
        update_closures(model, scratch)
        now = worst_error(model, scratch)
        if not now < _FALLING * before:
            break
        before = now
    remove_opening(model, state, scratch, limit * max(1.0, fastest))


@kernel
def remove_opening(model, state, scratch, limit):
    """Brings rates of rows above `limit` (rad/s, lengths as parts of the size) to zero; kinematics stay up to date."""
    before = worst_rate(model, scratch)
    for _ in range(_ATTEMPTS):
        if not before > limit:
            break
        for r in range(model.closing):
            scratch.rows[r].target = -scratch.rows[r].rate
        respond(model, scratch)
        for k in range(len(state.speeds)):
            state.speeds[k] += scratch.accelerations[k]
        update_kinematics(model, state, scratch)
        update_closures(model, scratch)
        now = worst_rate(model, scratch)
        if not now < _FALLING * before:
            break
        before = now


@kernel
def worst_error(model, scratch):
    """The largest error of a row, lengths as parts of the linkage's size."""
    worst = 0.0
    for r in range(model.closing):
        error = abs(scratch.rows[r].error)
        if model.rows[r].kind != _TURN:
            error /= model.size
        worst = max(worst, error)
    return worst


@kernel
def worst_rate(model, scratch):
    """The largest rate of an error, lengths as parts of the linkage's size."""
    worst = 0.0
    for r in range(model.closing):
        rate = abs(scratch.rows[r].rate)
        if model.rows[r].kind != _TURN:
            rate /= model.size
        worst = max(worst, rate)
    return worst


@kernel
def _move(model, state, scratch, share):
    """Adds the changes in scratch.accelerations to the coordinates, at most so far that they stay small."""
    q, change = state.coordinates, scratch.accelerations
    largest = 0.0
    for k in range(len(q)):
        size = abs(change[k])
        if model.is_length[k]:
            size /= model.size
        largest = max(largest, size)
    if largest > _FARTHEST:
        share *= _FARTHEST / largest
    for c in range(len(model.charted)):
        k = model.bodies[model.charted[c]].axis_end - 3
        turn = chart_rate((q[k], q[k + 1], q[k + 2]), (change[k], change[k + 1], change[k + 2]))
        change[k], change[k + 1], change[k + 2] = turn
    for k in range(len(q)):
        q[k] += share * change[k]
