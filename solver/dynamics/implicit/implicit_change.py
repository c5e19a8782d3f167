# SPDX-License-Identifier: GPL-3.0-or-later
"""The change of speeds in a linearly implicit step of Euler's, after an evaluation.

With accelerations a, speeds u, stiffness K and damping C of all forces and a step h, the change d of speeds solves
    (M + h C + h^2 K) d = h (M a - h K u + h f_t),
f_t the rate of forces by their tables, and of inertia by what is keyed (Baraff and Witkin 1998, eq. 6; for explicit
time: Hairer and Wanner 1996, eq. IV.9.30). As d = h (a + z) the mass matrix drops out of the right-hand side,
    (M + h C + h^2 K) z = -C (h a) - K (h u + h^2 a) + h f_t,
which is what the forces resist the explicit step with. K and C may leave out whatever is not stiff: the error of the
step has the same powers of h, which extrapolation removes (`integration.implicit`).
"""

from ...kernel import kernel
from ...spatial import (
    add,
    add_to_spatial,
    apply_symmetric,
    cross,
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
from ..forces.applied import update_wrenches
from ..forces.joint_forces import update_efforts
from ..forces.parameters import update_parameters
from ..tree.leads import acceleration_of_track, exchange_leads, find_next_leads
from ..tree.targets import move_targets, update_targets
from .axis_tangents import resist_on_axes
from .coupling import fill_coupling, solve_coupled
from .force_tangents import resist_by_forces
from .linearised_tree import (
    apply_now,
    explicit_motion,
    factor_linearised,
    linearise_axes,
    move_ahead,
    place_accelerations,
)
from .tension import apply_at_rest, find_lifts, lift_turns, linearise_convex, turn_closures

_ZERO = (0.0, 0.0, 0.0)


@kernel
def implicit_change(model, time, state, scratch, work, h):
    """Fills work.solution with z (A,), for a step of h (s) from a state that has just been evaluated at this time."""
    find_next_leads(model, time, scratch, h)
    count = _resist(model, state, scratch, work, h)
    _add_inertia_ahead(model, time, scratch, work, h)
    if len(model.tables) > 0 or len(model.followed) > 0:
        _add_tables_ahead(model, time, state, scratch, work, h)
    _factor(model, state, scratch, work, h)
    solve_coupled(model, scratch, work, count)


@kernel
def lead_towards(model, state, scratch, work, h, wanted):
    """Fills work.solution with z (A,) by which accelerations a, just evaluated, come to those `wanted` (A,).

    (M + h C + h^2 K) z = M (wanted - a): a change h z of speeds and h^2 z of coordinates.
    """
    count = _resist(model, state, scratch, work, h)
    _factor(model, state, scratch, work, h)
    for k in range(len(wanted)):
        work.solution[k] = wanted[k] - scratch.accelerations[k]
    place_accelerations(model, scratch, work)
    for i in range(model.driven, len(model.bodies)):
        body, gained = model.bodies[i], work.acceleration[i]
        I = rotate_symmetric(load9(scratch.bodies[i].rotation), load6(body.inertia))
        store_spatial(work.wrench[i], apply_symmetric(I, load_angular(gained)), scale(body.mass, load_linear(gained)))
    for k in range(len(wanted)):
        work.effort[k] = (model.armature[k] + scratch.axes[k].held) * work.solution[k]
        for c in range(6):
            work.handed[k, c] = 0.0
    for r in range(count):
        work.asked[r] = 0.0
    solve_coupled(model, scratch, work, count)


@kernel
def change_from_rest(model, state, scratch, work, h, lift):
    """Fills work.solution with x (A,), h^2 times which is the change in a step of h (s) without inertia; returns rows.

    Everything must just have been evaluated at rest, and what is driven stands still. (M + h^2 K) x = M a, with the
    stiffness K of what stands still, not of what accelerates, lifted by a part of what tensions may resist turns with,
    or a convex stand-in for it if that part is 1 or more (`tension`).
    """
    for k in range(len(work.put_aside)):
        work.put_aside[k], scratch.accelerations[k] = scratch.accelerations[k], 0.0
    for i in range(len(model.bodies)):
        for c in range(6):
            work.kept_wrench[i, c], scratch.bodies[i].acceleration[c] = scratch.bodies[i].acceleration[c], 0.0
    count = _resist(model, state, scratch, work, h)
    for i in range(model.driven, len(model.bodies)):
        body, gained = model.bodies[i], work.kept_wrench[i]
        I = rotate_symmetric(load9(scratch.bodies[i].rotation), load6(body.inertia))
        store_spatial(work.wrench[i], apply_symmetric(I, load_angular(gained)), scale(body.mass, load_linear(gained)))
    for k in range(len(work.effort)):
        work.effort[k] = (model.armature[k] + scratch.axes[k].held) * work.put_aside[k]
    apply_at_rest(model, scratch, work)
    if lift >= 1.0:
        linearise_convex(model, scratch, work, h)
    else:
        find_lifts(model, scratch, work)
        linearise_axes(model, state, scratch, work, h)
        explicit_motion(model, state, scratch, work, h)
        turn_closures(model, scratch, work)
        lift_turns(model, work, h * h * lift)
    factor_linearised(model, state, scratch, work, h)
    solve_coupled(model, scratch, work, count)
    for k in range(len(work.put_aside)):
        scratch.accelerations[k] = work.put_aside[k]
    for i in range(len(model.bodies)):
        for c in range(6):
            scratch.bodies[i].acceleration[c] = work.kept_wrench[i, c]
    for r in range(model.closing):
        work.pull[r] = scratch.rows[r].multiplier + work.multiplier[r]
    return count


@kernel
def _resist(model, state, scratch, work, h):
    """Fills gains, rows, and the right-hand side of the explicit step of h (s); returns the number of rows."""
    move_ahead(model, scratch, work, h)
    for i in range(model.driven, len(model.bodies)):
        store_spatial(work.wrench[i], _ZERO, _ZERO)
    resist_on_axes(model, state, scratch, work, h)
    resist_by_forces(model, scratch, work, h)
    return fill_coupling(model, scratch, work, h)


@kernel
def _factor(model, state, scratch, work, h):
    apply_now(model, scratch, work)
    linearise_axes(model, state, scratch, work, h)
    explicit_motion(model, state, scratch, work, h)
    factor_linearised(model, state, scratch, work, h)


@kernel
def _add_inertia_ahead(model, time, scratch, work, h):
    """Adds what bodies resist with as the accelerations of keyed bodies that carry them change until then."""
    gained, changes = work.kept_wrench, False
    for i in range(model.driven):
        now, turn, speeding = scratch.bodies[i].acceleration, _ZERO, _ZERO
        if model.driven_bodies[i].key_start >= 0:
            speeding, turn = acceleration_of_track(model, i, time + h)
            turn, speeding = subtract(turn, load_angular(now)), subtract(speeding, load_linear(now))
        store_spatial(gained[i], turn, speeding)
        changes = changes or turn != _ZERO or speeding != _ZERO
    if not changes:
        return
    for i in range(model.driven, len(model.bodies)):
        body, moving, inner = model.bodies[i], scratch.bodies[i], model.bodies[i].inner
        turn = load_angular(gained[inner])
        r = subtract(load3(moving.center), load3(scratch.bodies[inner].center))
        speeding = add(load_linear(gained[inner]), cross(turn, r))
        store_spatial(gained[i], turn, speeding)
        I = rotate_symmetric(load9(moving.rotation), load6(body.inertia))
        add_to_spatial(work.wrench[i], scale(-1.0, apply_symmetric(I, turn)), scale(-body.mass, speeding))


@kernel
def _add_tables_ahead(model, time, state, scratch, work, h):
    """Adds the change of wrenches and efforts that tables, and targets, make until the end of the step."""
    bodies = scratch.bodies
    for i in range(model.driven, len(model.bodies)):
        for k in range(6):
            work.kept_wrench[i, k] = bodies[i].wrench[k]
    for k in range(len(work.effort)):
        work.kept_effort[k] = scratch.efforts[k]
    update_parameters(model, time, scratch)
    update_wrenches(model, scratch)
    update_efforts(model, state, scratch)
    _add_difference(model, scratch, work, -1.0)
    update_parameters(model, time + h, scratch)
    exchange_leads(scratch)
    move_targets(model, time + h, scratch)
    exchange_leads(scratch)
    update_wrenches(model, scratch)
    update_efforts(model, state, scratch)
    _add_difference(model, scratch, work, 1.0)
    update_parameters(model, time, scratch)
    update_targets(model, time, scratch)
    if len(model.followed) > 0:
        update_efforts(model, state, scratch)  # the drives of this time
    for i in range(model.driven, len(model.bodies)):
        kept = work.kept_wrench[i]
        store_spatial(bodies[i].wrench, load_angular(kept), load_linear(kept))
    for k in range(len(work.effort)):
        scratch.efforts[k] = work.kept_effort[k]


@kernel
def _add_difference(model, scratch, work, sign):
    for i in range(model.driven, len(model.bodies)):
        wrench = scratch.bodies[i].wrench
        add_to_spatial(work.wrench[i], scale(sign, load_angular(wrench)), scale(sign, load_linear(wrench)))
    for k in range(len(work.effort)):
        work.effort[k] += sign * scratch.efforts[k]
