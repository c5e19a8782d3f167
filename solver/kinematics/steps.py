# SPDX-License-Identifier: GPL-3.0-or-later
"""A closed linkage is led along its drives: continuation with prediction along the tangent and Newton's correction.

The drives go straight from where they are to where they shall be: coordinates and places linearly, driven bodies turn
about one axis. On this way lambda from 0 to 1 the closed poses q(lambda) are a curve, phi(q, lambda) = 0. Its tangent
q' solves J q' = -d phi / d lambda, and each step goes along it and is corrected back onto the curve by Newton's method.
A step counts only if the first correction is small beside the way gone, and the following ones shrink fast: then there
is no second solution as near as that (Kantorovich), so that no step comes out on another branch (Allgower and Georg,
Numerical Continuation Methods, 1990, chapter 6). It is halved if not; where steps become nothing, the way ends: at a
dead centre, a limit, or where rows contradict each other.

In a pose where the smallest pivot is next to nothing, two ways lead on, and J says no more which one is meant: there
the tangent is that of the step before, as far as the drives go on in the same direction.
"""

import numpy as np

from ..dynamics.tree.driven import update_driven_bodies
from ..kernel import entry, kernel
from ..rotation import exponential, logarithm, matrix_of_quaternion, multiply_quaternions, quaternion_of_matrix
from ..spatial import load3, load9, multiply, rotate, store3, store9, subtract
from .rows import factor_block, look, move_axes, solve_block, worst_error

ARRIVED, DEAD_CENTRE, LIMIT, CONTRADICTION = range(4)
RESULT = np.dtype(
    [
        ("status", "i8"),  # how it ended
        ("reached", "f8"),  # the part of the way
        ("error", "f8"),  # the largest that is left, rad or parts of the size
        ("axis", "i8"),  # of the limit, -1 if none
        ("block", "i8"),  # with the smallest pivot, -1 if none
        ("pivot", "f8"),  # that pivot
        ("steps", "i8"),
        ("looks", "i8"),  # at bodies and rows
    ],
    align=True,
)
"""Filled in by `lead` and `settle`."""

_CLOSED = 1e-9  # rad, parts of the size: closed
_EXACT = 1e-14  # and closed to rounding
_STILL = 1e-12  # of a correction that changes nothing any more
_CONTRADICTS = 1e-6  # rows that stay open by more while nothing changes: drawings have few digits
_LONGEST = 0.35  # rad, parts of the size: way of a drive in one step
_FARTHEST = 0.5  # the same of a coordinate
_WIDE = 0.1  # rad: largest first correction,
_BENT = 0.3  # and as a part of the way gone
_SHRINKS = 0.3  # corrections, from one to the next
_CORRECTIONS = 8
_SHORTEST = 1e-7  # of the way: steps below lead nowhere
_SINGULAR = 1e-4  # pivot, below which the tangent is that of before
_BEYOND = 1e-9  # rad, parts of the size: by which a limit may be passed
_GROWTH = 2.0


@entry
def lead(model, state, scratch, plan, work, results):
    """Leads a closed linkage from work.pose and work.value to work.last_pose and work.last_value, as far as it goes.

    results: a RESULT record, filled in.
    """
    shift = _begin(model, state, plan, work)
    done, h, share = 0.0, min(1.0, 1.0 / max(1.0, shift / _LONGEST)), 1.0
    result = results[0]
    result.status, result.axis, result.steps, result.looks = ARRIVED, -1, 0, 0
    _put_drives(model, state, scratch, plan, work, 0.0)
    look(model, state, scratch)
    if shift == 0.0 and worst_error(scratch, plan, 0, len(plan.rows)) < _EXACT:
        _end(plan, scratch, work, result, 1.0)
        return
    passed = _passed(plan, state)
    keep(state, work)
    _find_tangent(model, scratch, plan, work, result)
    while done < 1.0:
        share = min(h, 1.0 - done)
        status = _step(model, state, scratch, plan, work, result, done, share, passed)
        if status == ARRIVED:
            done = done + share if done + share < 1.0 - 1e-12 else 1.0
            result.steps += 1
            h *= _GROWTH
            keep(state, work)
            passed = min(passed, _passed(plan, state))
            if done < 1.0:
                _find_tangent(model, scratch, plan, work, result)
        else:
            restore(state, work)
            h = 0.5 * share
            if h < _SHORTEST:
                result.status = status
                break
    _put_drives(model, state, scratch, plan, work, done)
    look(model, state, scratch)
    _end(plan, scratch, work, result, done)


@entry
def settle(model, state, scratch, plan, work, results):
    """Places the driven bodies as compiled and closes the linkage there; counts ranks."""
    update_driven_bodies(model, 0.0, scratch)
    for i in range(model.driven):
        q = quaternion_of_matrix(load9(scratch.bodies[i].rotation))
        for k in range(3):
            work.pose[i, k] = scratch.bodies[i].center[k]
        for k in range(4):
            work.pose[i, 3 + k] = q[k]
            work.last_pose[i, 3 + k] = q[k]
        for k in range(3):
            work.last_pose[i, k] = work.pose[i, k]
    for d in range(len(plan.drives)):
        work.value[d] = work.last_value[d] = state.coordinates[plan.drives[d]]
    _begin(model, state, plan, work)
    _put_drives(model, state, scratch, plan, work, 1.0)
    result = results[0]
    result.axis, result.steps, result.looks = -1, 0, 0
    keep(state, work)
    result.status = correct(model, state, scratch, plan, work, result, 1.0)
    if result.status != ARRIVED:
        restore(state, work)
        look(model, state, scratch)
    for block in range(len(work.rank)):
        _, _, rank, pivot = factor_block(model, scratch, plan, work, block)
        work.rank[block], work.pivot[block] = rank, pivot
    _end(plan, scratch, work, result, 1.0)


@entry
def write_poses(moving, driven, own, center_of_mass, positions, orientations):
    """Fills positions (n, 3) in m and orientations (n, 4) of the dynamic bodies' frames."""
    for i in range(len(positions)):
        R = multiply(load9(moving[driven + i].rotation), load9(own[i]))
        x = subtract(load3(moving[driven + i].center), rotate(R, load3(center_of_mass[i])))
        q = quaternion_of_matrix(R)
        positions[i, 0], positions[i, 1], positions[i, 2] = x
        orientations[i, 0], orientations[i, 1], orientations[i, 2], orientations[i, 3] = q


@kernel
def _begin(model, state, plan, work):
    """Notes where the drives go from and how; returns the longest way of one (rad, parts of the size)."""
    longest, count = 0.0, len(work.pose)
    for i in range(count):
        a, b = work.pose[i], work.last_pose[i]
        for k in range(7):
            work.first_pose[i, k] = a[k]
        turn = multiply_quaternions((b[3], b[4], b[5], b[6]), (a[3], -a[4], -a[5], -a[6]))
        spin = logarithm(turn)
        for k in range(3):
            travel = b[k] - a[k]
            work.spin[i, k] = spin[k]
            work.lead[6 * i + k], work.lead[6 * i + 3 + k] = spin[k], travel / model.size
            longest = max(longest, abs(spin[k]), abs(travel) / model.size)
    for k in range(len(state.speeds)):
        state.speeds[k] = 0.0
    for d in range(len(plan.drives)):
        axis = plan.drives[d]
        work.first_value[d] = work.value[d]
        way = work.last_value[d] - work.value[d]
        state.speeds[axis] = way
        work.lead[6 * count + d] = way / plan.unit[axis]
        longest = max(longest, abs(way) / plan.unit[axis])
    return longest


@kernel
def _put_drives(model, state, scratch, plan, work, done):
    """Puts what is driven where it is at `done` of the way; velocities are those along it."""
    for i in range(1, model.driven):
        moving, first, last = scratch.bodies[i], work.first_pose[i], work.last_pose[i]
        spin = (work.spin[i, 0], work.spin[i, 1], work.spin[i, 2])
        for k in range(3):
            moving.center[k] = last[k] if done == 1.0 else first[k] + done * (last[k] - first[k])
            moving.linear[k] = last[k] - first[k]
        q = (last[3], last[4], last[5], last[6])
        if done != 1.0:
            turn = exponential((done * spin[0], done * spin[1], done * spin[2]))
            q = multiply_quaternions(turn, (first[3], first[4], first[5], first[6]))
        store9(moving.rotation, matrix_of_quaternion(q))
        store3(moving.angular, spin)
        for k in range(3):
            work.pose[i, k] = moving.center[k]
        work.pose[i, 3], work.pose[i, 4], work.pose[i, 5], work.pose[i, 6] = q
    for d in range(len(plan.drives)):
        a, b = work.first_value[d], work.last_value[d]
        work.value[d] = b if done == 1.0 else a + done * (b - a)
        state.coordinates[plan.drives[d]] = work.value[d]


@kernel
def _find_tangent(model, scratch, plan, work, result):
    """Fills the rates of all coordinates along the lead; kinematics must be up to date."""
    same = _same_way(work)
    smallest, weakest = 1.0, -1
    for d in range(len(plan.drives)):
        work.tangent[plan.drives[d]] = 0.0
    for block in range(len(work.rank)):
        m, n, rank, pivot = factor_block(model, scratch, plan, work, block)
        if rank < work.rank[block]:
            pivot = 0.0
        work.pivot[block] = pivot
        if pivot < smallest or weakest < 0:
            smallest, weakest = pivot, block
        if pivot < _SINGULAR and same != 0.0:
            for k in range(plan.block_columns[block], plan.block_columns[block + 1]):
                work.tangent[plan.columns[k]] *= same
            continue
        for j in range(m):
            r = plan.rows[plan.block_rows[block] + j]
            work.asked[j] = -scratch.rows[r].rate * plan.row_unit[r]
        solve_block(plan, work, block, rank, work.tangent)
    for k in range(len(work.lead)):
        work.lead_before[k] = work.lead[k]
    result.block, result.pivot = weakest, smallest


@kernel
def _same_way(work):
    """This lead along the one before, as a part of that."""
    product, square = 0.0, 0.0
    for k in range(len(work.lead)):
        product += work.lead[k] * work.lead_before[k]
        square += work.lead_before[k] * work.lead_before[k]
    return product / square if square > 0.0 else 0.0


@kernel
def _step(model, state, scratch, plan, work, result, done, share, passed):
    """One step along the tangent, and back onto the closed poses; returns ARRIVED, or why it does not count."""
    way = 0.0
    for c in range(len(plan.columns)):
        axis = plan.columns[c]
        way = max(way, abs(share * work.tangent[axis]) / plan.unit[axis])
    if not way < _FARTHEST:
        return DEAD_CENTRE
    move_axes(model, state, work.tangent, share)
    _put_drives(model, state, scratch, plan, work, 1.0 if done + share >= 1.0 - 1e-12 else done + share)
    status = correct(model, state, scratch, plan, work, result, way)
    if status != ARRIVED:
        return status
    beyond = _passed(plan, state)
    if beyond > max(_BEYOND, passed):
        result.axis = _most_passed(plan, state)
        return LIMIT
    return ARRIVED


@kernel
def correct(model, state, scratch, plan, work, result, way):
    """Newton's method onto the closed poses near by; ARRIVED if they are as near as befits a way of this length."""
    before = 0.0
    for count in range(_CORRECTIONS):
        look(model, state, scratch)
        result.looks += 1
        error = worst_error(scratch, plan, 0, len(plan.rows))
        if error < _EXACT:
            return ARRIVED
        size, may_stay = 0.0, _CONTRADICTS
        for block in range(len(work.rank)):
            m, n, rank, pivot = factor_block(model, scratch, plan, work, block)
            if rank < work.rank[block]:
                may_stay = _CLOSED  # what was left out may have an error of its own
            for j in range(m):
                r = plan.rows[plan.block_rows[block] + j]
                work.asked[j] = -scratch.rows[r].error * plan.row_unit[r]
            size = max(size, solve_block(plan, work, block, rank, work.change))
        if not size < (min(_WIDE, _BENT * way + _CLOSED) if count == 0 else _SHRINKS * before + _STILL):
            return ARRIVED if error < _CLOSED and count > 0 else DEAD_CENTRE
        if size < _STILL:
            return ARRIVED if error < may_stay else CONTRADICTION
        move_axes(model, state, work.change, 1.0)
        before = size
    look(model, state, scratch)
    return ARRIVED if worst_error(scratch, plan, 0, len(plan.rows)) < _CLOSED else DEAD_CENTRE


@kernel
def _passed(plan, state):
    """The farthest that a coordinate is beyond its limits (rad, parts of the size); 0 if none is."""
    worst = 0.0
    for c in range(len(plan.columns)):
        worst = max(worst, _beyond(plan, state, plan.columns[c]))
    return worst


@kernel
def _most_passed(plan, state):
    found, worst = -1, 0.0
    for c in range(len(plan.columns)):
        beyond = _beyond(plan, state, plan.columns[c])
        if beyond > worst:
            found, worst = plan.columns[c], beyond
    return found


@kernel
def _beyond(plan, state, axis):
    q = state.coordinates[axis]
    return max(plan.lower[axis] - q, q - plan.upper[axis], 0.0) / plan.unit[axis]


@kernel
def keep(state, work):
    """Notes the coordinates, for `restore`."""
    for k in range(len(work.kept)):
        work.kept[k] = state.coordinates[k]
    for c in range(len(work.kept_anchor)):
        for k in range(4):
            work.kept_anchor[c, k] = state.anchor[c, k]


@kernel
def restore(state, work):
    """Puts the coordinates back to what `keep` has noted."""
    for k in range(len(work.kept)):
        state.coordinates[k] = work.kept[k]
    for c in range(len(work.kept_anchor)):
        for k in range(4):
            state.anchor[c, k] = work.kept_anchor[c, k]


@kernel
def _end(plan, scratch, work, result, done):
    result.reached, result.error = done, worst_error(scratch, plan, 0, len(plan.rows))
