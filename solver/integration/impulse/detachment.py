# SPDX-License-Identifier: GPL-3.0-or-later
"""Ends of rides (`dynamics.tree.surface_joints`) in steps with impulses: by even forces, and by blows.

A ride only pushes. By even forces, those of contacts included, its normal force is a margin as it is for Adams; it is
asked at the end of each step, and `driver` goes back to where that vanishes.

A blow that runs through a ride, as contacts and closures deal it, adds to what the ride presses. If the joint would
have to pull by more than it presses in a whole step, the blow lifts the rider off: the step ends just before it, and
those who go on without the joint meet it. What pulls by less does not lift it off for as long as two steps. A blow that
presses does not make a rider bounce.

What closures deal are their rows' multipliers for the rates that contacts leave them; the ride's own impulse follows
from these and from the changes of all velocities beyond it, as forces do in `dynamics.tree.inverse_dynamics`.
"""

import math

from ...dynamics.loops.methods import has_closures, respond, update_closures, write_response
from ...dynamics.tree.inverse_dynamics import update_joint_wrenches
from ...dynamics.tree.kinematics import update_kinematics
from ...dynamics.tree.surface_joints import KNOCKED_OFF, push_of, ride_margin
from ...kernel import kernel, kernel_by_class
from ...model.arrays import NoRides
from ...spatial import (
    add,
    add_to_spatial,
    apply_symmetric,
    cross,
    dot,
    load3,
    load6,
    load9,
    load_angular,
    load_linear,
    rotate_symmetric,
    scale,
    store_spatial,
    subtract,
)

_SLIGHT_BLOW = 1e-6  # of it: a pull that is rounding, of normals among others
_ZERO = (0.0, 0.0, 0.0)


@kernel
def _note_margin(rides, model, state, scratch, parting):
    update_joint_wrenches(model, scratch)
    margin, ride, how = ride_margin(rides, model, state, scratch)
    parting.margin[1], parting.nearest[0], parting.nearest[1] = margin, ride, how
    for r in range(len(parting.press)):
        parting.press[r] = push_of(model, scratch, r)


@kernel
def _no_margin(rides, model, state, scratch, parting):
    pass


# Notes how far rides are from their ends, and what they press, at a state that has been evaluated as for a frame.
note_margin = kernel_by_class(lambda rides: _no_margin if rides is NoRides else _note_margin)


@kernel
def _is_over(rides, parting):
    return parting.margin[1] < 0.0 or parting.nearest[1] == KNOCKED_OFF


@kernel
def _is_not(rides, parting):
    return False


# Whether a ride has ended within the last step.
is_over = kernel_by_class(lambda rides: _is_not if rides is NoRides else _is_over)


@kernel
def _begin_blows(rides, model, scratch, memory, state):
    parting = memory.parting
    for k in range(len(state.speeds)):
        parting.speeds[k] = state.speeds[k]
    for i in range(model.driven, len(model.bodies)):
        store_spatial(parting.velocity[i], load3(scratch.bodies[i].angular), load3(scratch.bodies[i].linear))
        store_spatial(parting.struck[i], _ZERO, _ZERO)


@kernel
def _nothing_to_begin(rides, model, scratch, memory, state):
    pass


# Notes the state before impacts.
begin_blows = kernel_by_class(lambda rides: _nothing_to_begin if rides is NoRides else _begin_blows)


@kernel
def _note_blows(rides, model, memory):
    for i in range(model.driven, len(model.bodies)):
        for k in range(6):
            memory.parting.struck[i, k] += memory.walk.impulse[i, k]


@kernel
def _note_nothing(rides, model, memory):
    pass


# Adds what impacts deal to the bodies, before `settle_impulses`.
note_blows = kernel_by_class(lambda rides: _note_nothing if rides is NoRides else _note_blows)


@kernel
def _note_closing(rides, model, scratch, memory):
    _note_rows(model, scratch, memory.parting.struck)


@kernel
def _note_no_closing(rides, model, scratch, memory):
    pass


# Adds what closures deal, whose rates impacts have changed; rows must be up to date.
note_closing = kernel_by_class(lambda rides: _note_no_closing if rides is NoRides else _note_closing)


@kernel
def _deal(model, scratch, struck):
    for r in range(model.closing):
        gives_way = model.closures[model.rows[r].closure].gives_way
        scratch.rows[r].target = 0.0 if gives_way else -scratch.rows[r].rate
    respond(model, scratch)
    write_response(model, scratch)
    for r in range(model.closing):
        row, closure = scratch.rows[r], model.closures[model.rows[r].closure]
        for end in range(closure.ends):
            for k in range(6):
                struck[closure.body[end], k] += row.multiplier * row.wrench[end, k]


@kernel
def _deal_nothing(model, scratch, struck):
    pass


_note_rows = kernel_by_class(lambda model: _deal if has_closures(model) else _deal_nothing)


@kernel
def _is_lifted(rides, model, scratch, memory, state):
    parting, lifted, most, blow = memory.parting, -1, 0.0, 0.0
    for i in range(model.driven, len(model.bodies)):
        f = load_linear(parting.struck[i])
        blow = max(blow, math.sqrt(dot(f, f)))
    _pass_inward(model, scratch, parting)
    for r in range(len(rides.joints)):
        allowed = max(0.0, parting.press[r]) * memory.clock[0].interval + _SLIGHT_BLOW * blow
        pull = -push_of(model, scratch, r) - allowed
        if pull > most * rides.joints[r].weight:
            lifted, most = r, pull / rides.joints[r].weight
    if lifted < 0:
        return False
    parting.nearest[0], parting.nearest[1] = lifted, KNOCKED_OFF
    for k in range(len(state.speeds)):
        state.speeds[k] = parting.speeds[k]
    update_kinematics(model, state, scratch)
    update_closures(model, state, scratch)
    return True


@kernel
def _stays(rides, model, scratch, memory, state):
    return False


# Whether the impacts since `begin_blows` lift a rider off: the one that they pull at most, by the weight of its
# linkage. If so, the speeds are again those from before.
is_lifted = kernel_by_class(lambda rides: _stays if rides is NoRides else _is_lifted)


@kernel
def _pass_inward(model, scratch, parting):
    """Fills the joint wrenches with the impulses of the impacts, as `update_joint_wrenches` does with forces."""
    for i in range(model.driven, len(model.bodies)):
        body, moving = model.bodies[i], scratch.bodies[i]
        I = rotate_symmetric(load9(moving.rotation), load6(body.inertia))
        w = subtract(load3(moving.angular), load_angular(parting.velocity[i]))
        v = subtract(load3(moving.linear), load_linear(parting.velocity[i]))
        n = subtract(apply_symmetric(I, w), load_angular(parting.struck[i]))
        f = subtract(scale(body.mass, v), load_linear(parting.struck[i]))
        store_spatial(scratch.loads[i].joint_wrench, n, f)
    for i in range(len(model.bodies) - 1, model.driven - 1, -1):
        inner = model.bodies[i].inner
        if inner >= model.driven:
            r = subtract(load3(scratch.bodies[i].center), load3(scratch.bodies[inner].center))
            n, f = load_angular(scratch.loads[i].joint_wrench), load_linear(scratch.loads[i].joint_wrench)
            add_to_spatial(scratch.loads[inner].joint_wrench, add(n, cross(r, f)), f)
