# SPDX-License-Identifier: GPL-3.0-or-later
"""Keeps closures closed: the smallest changes of coordinates, then of speeds, that bring their rows back to zero.

Accelerations hold the rows' second derivatives at zero, so positions and velocities drift by what the integrator errs.
The changes are orthogonal to the allowed motions in the metric of the mass matrix, hence put no energy into them, and
they come from the factors of the latest solution (Tasora 2001, eq. 30 and 31; Blajer 1997): Newton's method with a
matrix that is a step old, and with a new one where that does not help.

Adams leaves nearly singular poses alone and passes them by extrapolation. Steps of fixed length cannot: they close
firmly, in every pose, with new factors each time and by small changes.
"""

import math

from ...kernel import kernel, kernel_by_class
from ...rotation import chart_rate
from ..tree.driven import update_driven_bodies
from ..tree.kinematics import update_kinematics
from ..tree.surface_joints import put_ride_changes
from .closures import along, update_rows
from .methods import has_closures, respond, solve_accelerations
from .singularity import compare_with_usual

_ATTEMPTS = 8
_FALLING = 0.5  # an error that falls less than this in one attempt is at rounding, or cannot be met
_TINY = 1000.0  # times the limit: an error that is not worth another factorisation
_FARTHEST = 0.3  # rad, or part of the size: largest change of a coordinate in one attempt
_FIRM_ATTEMPTS = 40
_SHRINKING = 0.7  # an error that falls less is at rounding, if it is small; in line, halves of the way undo a quarter
_STILL = 1e-9  # rad, or part of the size: a change that is none
_OPEN = 1e-6  # rad, or part of the size: what is farther open is not met


@kernel
def _settle(model, time, state, scratch, limit, fastest):
    update_driven_bodies(model, time, scratch)
    moved = close(model, state, scratch, limit)
    remove_opening(model, state, scratch, limit * max(1.0, fastest))
    return moved


@kernel
def _stay(model, time, state, scratch, limit, fastest):
    return 0.0


# Moves a state at this time (s) onto the closures, where it is off them by more than `limit`: rad, lengths as parts of
# the linkage's size; times `fastest` (1/s), or times 1/s, for the rate of opening. Returns how far it moves, at most.
settle = kernel_by_class(lambda model: _settle if has_closures(model) else _stay)


@kernel
def close(model, state, scratch, limit):
    """Brings rows that are open by more than `limit` (rad, lengths as parts of the linkage's size) back to zero.

    The driven bodies must be up to date; leaves kinematics and rows up to date. In a nearly singular pose rows stay
    open. Returns the sum of the largest changes of a coordinate (in the same units).
    """
    before, is_fresh, moved = math.inf, False, 0.0
    for _ in range(_ATTEMPTS):
        update_kinematics(model, state, scratch)
        update_rows(model, state, scratch)
        now = worst_error(model, scratch)
        if not now > limit or not scratch.factored[0]:
            break
        if scratch.pivots[0].is_singular or not now < _FALLING * before:
            if is_fresh or now < _TINY * limit:
                break
            solve_accelerations(model, scratch)
            compare_with_usual(scratch)
            is_fresh = True
            if scratch.pivots[0].is_singular:
                break
        before = now
        _ask_to_close(model, scratch)
        respond(model, scratch)
        moved += _move(model, state, scratch, _FARTHEST)
    return moved


@kernel
def _ask_to_close(model, scratch):
    for r in range(model.closing):
        scratch.rows[r].target = 0.0 if _gives_way(model, r) else -scratch.rows[r].error


@kernel
def close_firmly(model, state, scratch, limit, most, moved):
    """Closes rows in any pose, singular ones too; False if they stay open where they should not.

    most: rad, parts of the size: largest change of a coordinate in one attempt. moved (A,): the changes are added, as
    turns about the axes. Rows that contradict each other come as near as they can, which is no failure. Forces must be
    up to date; leaves kinematics, rows and their factors up to date.
    """
    before, change = math.inf, math.inf
    for _ in range(_FIRM_ATTEMPTS):
        update_kinematics(model, state, scratch)
        update_rows(model, state, scratch)
        solve_accelerations(model, scratch)
        compare_with_usual(scratch)
        now = worst_error(model, scratch)
        if not now > limit or (now < _OPEN and not now < _SHRINKING * before) or change < _STILL * most:
            return True
        before = now
        _ask_to_close(model, scratch)
        respond(model, scratch)
        change = _shorten(model, scratch, most)
        for k in range(len(moved)):
            moved[k] += scratch.accelerations[k]
        _move(model, state, scratch, math.inf)
    return not before > _OPEN


@kernel
def remove_opening(model, state, scratch, limit):
    """Brings rates of rows above `limit` (rad/s, lengths as parts of the size) to zero; kinematics stay up to date.

    Not in a nearly singular pose.
    """
    if not scratch.pivots[0].is_singular:
        hold_closed(model, state, scratch, limit)


@kernel
def hold_closed(model, state, scratch, limit):
    """The same in any pose, by what its factors know."""
    before = math.inf
    for _ in range(_ATTEMPTS):
        now = worst_rate(model, scratch)
        if not now > limit or not now < _FALLING * before or not scratch.factored[0]:
            break
        before = now
        for r in range(model.closing):
            scratch.rows[r].target = 0.0 if _gives_way(model, r) else -scratch.rows[r].rate
        respond(model, scratch)
        for k in range(len(state.speeds)):
            state.speeds[k] += scratch.accelerations[k]
        update_kinematics(model, state, scratch)
        update_rows(model, state, scratch)


@kernel
def respond_to(model, scratch, motion):
    """Fills the accelerations with the smallest change of speeds that makes up for what `motion` (B, 6) opens."""
    for r in range(model.closing):
        closure, rate = model.closures[model.rows[r].closure], 0.0
        for end in range(closure.ends):
            if closure.body[end] >= model.driven:
                rate += along(scratch.rows[r].wrench[end], motion[closure.body[end]])
        scratch.rows[r].target = 0.0 if _gives_way(model, r) else -rate
    respond(model, scratch)


@kernel
def _gives_way(model, r):
    return model.closures[model.rows[r].closure].gives_way


@kernel
def worst_error(model, scratch):
    """The largest error of a row that does not give way, lengths as parts of the linkage's size."""
    worst = 0.0
    for r in range(model.closing):
        if _gives_way(model, r):
            continue
        error = abs(scratch.rows[r].error)
        if model.rows[r].is_length:
            error /= model.size
        worst = max(worst, error)
    return worst


@kernel
def worst_rate(model, scratch):
    """The largest rate of an error of a row that does not give way, lengths as parts of the linkage's size."""
    worst = 0.0
    for r in range(model.closing):
        if _gives_way(model, r):
            continue
        rate = abs(scratch.rows[r].rate)
        if model.rows[r].is_length:
            rate /= model.size
        worst = max(worst, rate)
    return worst


@kernel
def _shorten(model, scratch, most):
    """Makes the changes in scratch.accelerations no larger than `most`; returns the largest (rad, part of the size)."""
    change, largest = scratch.accelerations, 0.0
    for k in range(len(change)):
        size = abs(change[k])
        if model.is_length[k]:
            size /= model.size
        largest = max(largest, size)
    if not largest > most:
        return largest
    for k in range(len(change)):
        change[k] *= most / largest
    return most


@kernel
def _move(model, state, scratch, most):
    """Adds the changes in scratch.accelerations to the coordinates, cut to what stays small; returns the largest."""
    q, change = state.coordinates, scratch.accelerations
    largest = _shorten(model, scratch, most)
    for c in range(len(model.charted)):
        k = model.bodies[model.charted[c]].axis_end - 3
        turn = chart_rate((q[k], q[k + 1], q[k + 2]), (change[k], change[k + 1], change[k + 2]))
        change[k], change[k + 1], change[k + 2] = turn
    put_ride_changes(model.rides, model, state, change)
    for k in range(len(q)):
        q[k] += change[k]
    return largest
