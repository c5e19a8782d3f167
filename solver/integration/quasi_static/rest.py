# SPDX-License-Identifier: GPL-3.0-or-later
"""Everything at rest: forces with zero speeds, of what is keyed too; limits that hold; work along a change.

Symbols: M mass matrix, f forces along the axes, a = M^-1 f the accelerations from rest, d a change of coordinates.
"""

import math

from ...contact.soft.soft_contact import add_contacts
from ...dynamics.forces.applied import update_wrenches
from ...dynamics.forces.joint_forces import update_efforts
from ...dynamics.forces.parameters import update_parameters
from ...dynamics.forces.switching import needed_force, update_pace
from ...dynamics.implicit.linearised_tree import first_of_block, place_accelerations
from ...dynamics.loops.closures import along
from ...dynamics.loops.methods import update_closures
from ...dynamics.tree.driven import update_driven_bodies
from ...dynamics.tree.inverse_dynamics import update_joint_wrenches
from ...dynamics.tree.kinematics import update_kinematics
from ...evaluation.forward_dynamics import solve_rates
from ...kernel import kernel
from ...model.arrays import AXIS_PARAMETERS, LOWER, UPPER, Hold
from ...spatial import (
    apply_symmetric,
    dot,
    load6,
    load9,
    load_angular,
    load_linear,
    rotate_symmetric,
    store3,
    store_spatial,
)

_NOTHING, _BY_LOWER, _BY_UPPER = int(Hold.NOTHING), int(Hold.LOWER), int(Hold.UPPER)
_AT_LIMIT = 1e-9  # rad or part of the size: how near to a limit is at it
_ZERO = (0.0, 0.0, 0.0)


@kernel
def place_driven(model, time, scratch):
    """Bodies that are driven, as they stand at this time (s), but at rest."""
    update_driven_bodies(model, time, scratch)
    for i in range(model.driven):
        body = scratch.bodies[i]
        store3(body.angular, _ZERO)
        store3(body.linear, _ZERO)
        store_spatial(body.acceleration, _ZERO, _ZERO)
        for c in range(6):
            scratch.leads[i, 2, c] = 0.0
    for r in range(model.closing):
        scratch.rows[r].allowed[1] = scratch.rows[r].allowed[2] = 0.0


@kernel
def evaluate_at_rest(model, time, state, scratch, rates):
    """Accelerations from rest, and all that leads to them, at this time (s); sets the state's speeds to zero."""
    for k in range(len(state.speeds)):
        state.speeds[k] = 0.0
    update_parameters(model, time, scratch)
    update_pace(model, time, scratch)
    place_driven(model, time, scratch)
    update_kinematics(model, state, scratch)
    update_closures(model, state, scratch)
    update_wrenches(model, scratch)
    update_efforts(model, state, scratch)
    add_contacts(scratch, model)
    solve_rates(model, state, scratch, rates)


@kernel
def work_along(model, scratch, work, change):
    """J: f.d of a change d (A,), closures pulling as the latest system says; fills work.acceleration."""
    total = work_within(model, scratch, work, change)
    for r in range(model.closing):
        row, closure = scratch.rows[r], model.closures[model.rows[r].closure]
        for end in range(closure.ends):
            if closure.body[end] >= model.driven:
                share = along(row.wrench[end], work.acceleration[closure.body[end]])
                total += (work.pull[r] - row.multiplier) * share
    return total


@kernel
def work_within(model, scratch, work, change):
    """J: the same of a change that closures allow, as d.M a of the state that has just been evaluated."""
    total = 0.0
    for k in range(len(change)):
        work.solution[k] = change[k]
        total += (model.armature[k] + scratch.axes[k].held) * change[k] * scratch.accelerations[k]
    place_accelerations(model, scratch, work)
    for i in range(model.driven, len(model.bodies)):
        body, moving, moved = model.bodies[i], scratch.bodies[i], work.acceleration[i]
        I = rotate_symmetric(load9(moving.rotation), load6(body.inertia))
        total += dot(load_angular(moved), apply_symmetric(I, load_angular(moving.acceleration)))
        total += body.mass * dot(load_linear(moved), load_linear(moving.acceleration))
    return total


@kernel
def is_convex(model, work, rows):
    """True if the latest system, with so many rows, leads downhill wherever its closures let it go.

    So it does if its trees have as many negative pivots as the response of its rows (Sylvester's law of inertia).
    """
    inverse, turned = work.inverse, 0
    for i in range(model.driven, len(model.bodies)):
        body = model.bodies[i]
        k = body.axis_start
        while k < body.axis_end:
            if body.axis_end - k == 3 and first_of_block(body, k) == k:
                a, b, c = inverse[k, 0], inverse[k, 1], inverse[k, 2]
                p, q, r = inverse[k + 1, 0], inverse[k + 1, 1], inverse[k + 1, 2]
                s, t, w = inverse[k + 2, 0], inverse[k + 2, 1], inverse[k + 2, 2]
                two = a * q - b * p
                three = a * (q * w - r * t) - b * (p * w - r * s) + c * (p * t - q * s)
                turned += _is_turned(a) + _is_turned(two / a) + _is_turned(three / two)
                k += 3
            else:
                turned += _is_turned(inverse[k, 0])
                k += 1
    for r in range(rows):
        if work.factor[r, r] < 0.0:
            turned -= 1
    return turned == 0


@kernel
def _is_turned(pivot):
    return 0 if pivot > 0.0 else 1


@kernel
def hold_at_limits(model, state, scratch, per_scale):
    """Holds axes that are pushed against their limits, and lets go those that are not; True if any is changed."""
    if len(model.switched) == 0:
        return False
    changed, p = False, scratch.parameters
    update_joint_wrenches(model, scratch)
    for number in range(len(model.switched)):
        switch, moving = model.switched[number], scratch.switches[number]
        if not switch.bounded:
            continue
        axis, hold = switch.axis, moving.hold
        k, q = axis * AXIS_PARAMETERS, state.coordinates[axis]
        if hold == _NOTHING:
            if per_scale[axis] * (q - p[k + LOWER]) <= _AT_LIMIT and scratch.accelerations[axis] < 0.0:
                hold = _BY_LOWER
            elif per_scale[axis] * (p[k + UPPER] - q) <= _AT_LIMIT and scratch.accelerations[axis] > 0.0:
                hold = _BY_UPPER
        else:
            push = needed_force(model, scratch, number)
            if (push if hold == _BY_LOWER else -push) < 0.0:
                hold = _NOTHING
        changed = changed or hold != moving.hold
        moving.hold = hold
    return changed


@kernel
def keep_within_limits(model, state, scratch, change):
    """Cuts a change (A,) of coordinates where it would pass limits: of a tree each axis by itself, else as a whole.

    True if it has been cut.
    """
    share, is_cut, p = 1.0, False, scratch.parameters
    for number in range(len(model.switched)):
        switch = model.switched[number]
        if not switch.bounded or scratch.switches[number].hold != _NOTHING:
            continue
        axis = switch.axis
        k, q, d = axis * AXIS_PARAMETERS, state.coordinates[axis], change[axis]
        room = p[k + LOWER] - q if d < 0.0 else p[k + UPPER] - q
        if abs(d) > abs(room) or room * d < 0.0:
            is_cut = True
            if model.closing == 0:
                change[axis] = room
            else:
                share = min(share, max(0.0, room / d))
    if share < 1.0:
        for k in range(len(change)):
            change[k] *= share
    return is_cut


@kernel
def largest_turn(model, work):
    """rad: of a body, by the change that `work_along` was last asked for; NaN gets through."""
    largest = 0.0
    for i in range(model.driven, len(model.bodies)):
        w = load_angular(work.acceleration[i])
        size = dot(w, w)
        if not size <= largest:
            largest = size
    return math.sqrt(largest) if math.isfinite(largest) else math.inf


@kernel
def largest_change(change, per_scale):
    """rad, or parts of the linkage's size; NaN gets through."""
    largest = 0.0
    for k in range(len(change)):
        size = abs(change[k]) * per_scale[k]
        if not size <= largest:
            largest = size
    return largest if math.isfinite(largest) else math.inf
