# SPDX-License-Identifier: GPL-3.0-or-later
"""The start: closures are closed, and speeds follow what is given as closely as joints and closures allow.

What joints give rules. The free speeds minimise the kinetic energy of the misfit between the velocities that the bodies
ask for and those that they get. That is the impulse that makes a linkage out of loose bodies, and it has the form of
the forward dynamics with velocities in the place of accelerations and momenta in the place of forces: one articulated
body recursion, O(n). Speeds that then still open a closure change by the least kinetic energy; speeds that joints give
change only where nothing else will do.
"""

from ...kernel import entry, kernel
from ...spatial import (
    add,
    add_scaled,
    apply_symmetric,
    cross,
    load3,
    load6,
    load9,
    load_angular,
    load_linear,
    rotate,
    rotate_symmetric,
    scale,
    store3,
    store_spatial,
)
from ..forces.applied import update_wrenches
from ..forces.joint_forces import update_efforts
from ..forces.parameters import update_parameters
from ..tree.articulated_body import solve_articulated_body
from ..tree.driven import update_driven_bodies
from ..tree.kinematics import update_kinematics
from .closures import seek_beads
from .drift import close, remove_opening
from .methods import solve_accelerations, update_closures

_CLOSED = 1e-15  # m or rad, as far as rounding lets it: closures at the start
_STILL_OPENING = 1e-9  # 1/s: what free speeds cannot make up for
_ZERO = (0.0, 0.0, 0.0)


@entry
def measure_openings(model, relaxed, time, state, scratch, asked, arms, opening, rate):
    """Fills the rows' gaps and how fast these grow, (M,) each, as the bodies are before anything is closed.

    Arguments as for `start_closed`; the state's speeds and `asked` are overwritten.
    """
    update_parameters(model, time, scratch)
    _project_speeds(model, relaxed, time, state, scratch, asked, arms)
    seek_beads(model, scratch)
    update_closures(model, state, scratch)
    for r in range(len(opening)):
        opening[r], rate[r] = scratch.rows[r].error, scratch.rows[r].rate


@entry
def start_closed(model, relaxed, unruled, time, state, scratch, asked, arms, opening):
    """Moves the state, which holds the given speeds, onto joints and closures.

    Fills `opening` (M,) with the gaps that the rows had before, and finds where beads are on their curves.

    `unruled` is the model without the axes whose speeds are given, as `relaxed` of `_project_speeds`, but with all
    masses. `asked` and `arms` as there.
    """
    update_parameters(model, time, scratch)
    update_driven_bodies(model, time, scratch)
    update_kinematics(model, state, scratch)
    seek_beads(model, scratch)
    update_closures(model, state, scratch)
    for r in range(len(opening)):
        opening[r] = scratch.rows[r].error
    for stage in range(3):
        if stage == 1:
            _project_speeds(model, relaxed, time, state, scratch, asked, arms)
            update_closures(model, state, scratch)
        free = unruled if stage == 1 else model
        update_wrenches(free, scratch)
        update_efforts(free, state, scratch)
        for k in range(len(scratch.accelerations)):
            scratch.accelerations[k] = 0.0  # ruled axes have none
        solve_accelerations(free, scratch)
        scratch.factored[0] = 1
        if stage == 0:
            close(model, state, scratch, _CLOSED)
        else:
            if len(scratch.slipping) > 0:
                _draw_taut(free, time, state, scratch)
            remove_opening(free, state, scratch, _CLOSED if stage == 1 else _STILL_OPENING)


@entry
def start_tree(model, relaxed, time, state, scratch, asked, arms):
    """Moves the speeds of a tree onto its joints; arguments as for `start_closed`."""
    _project_speeds(model, relaxed, time, state, scratch, asked, arms)


@kernel
def _draw_taut(model, time, state, scratch):
    """Brings the rates of rows to zero by impulses, which ropes that slip hand on in the ratio of their pulls.

    Those have the form of the forward dynamics, of a linkage that stands still and without forces. Rows must be up to
    date; they and the kinematics are so again behind it, but not the factors' forces.
    """
    for k in range(len(state.speeds)):
        scratch.speeds[k], state.speeds[k], scratch.efforts[k] = state.speeds[k], 0.0, 0.0
    for i in range(model.driven):
        moving = scratch.bodies[i]
        store3(moving.angular, _ZERO)
        store3(moving.linear, _ZERO)
        store_spatial(moving.acceleration, _ZERO, _ZERO)
    update_kinematics(model, state, scratch)
    for i in range(model.driven, len(model.bodies)):
        store_spatial(scratch.bodies[i].wrench, _ZERO, _ZERO)
    for r in range(len(scratch.rows)):
        scratch.rows[r].bias = scratch.rows[r].rate if r < model.closing else 0.0
    solve_accelerations(model, scratch)
    for k in range(len(state.speeds)):
        state.speeds[k] = scratch.speeds[k] + scratch.accelerations[k]
    update_driven_bodies(model, time, scratch)
    update_kinematics(model, state, scratch)
    update_closures(model, state, scratch)


@kernel
def _project_speeds(model, relaxed, time, state, scratch, asked, arms):
    """Overwrites state.speeds, which holds the given ones; fills `scratch` with the velocities that bodies really get.

    `asked` (B, 6): velocities that the bodies ask for, angular and of their frames' origins, world axes; on return
    those of their centres of mass. `arms` (B, 3): centre of mass from that origin, in the kernels' axes. `relaxed` is
    the model without the axes whose speeds are given, and with zero mass where a body asks for nothing.
    """
    driven, bodies, moving_bodies, axes = model.driven, model.bodies, scratch.bodies, scratch.axes
    update_driven_bodies(model, time, scratch)
    update_kinematics(model, state, scratch)
    for i in range(driven):
        moving = moving_bodies[i]
        store_spatial(moving.acceleration, load3(moving.angular), load3(moving.linear))
    for i in range(driven, len(bodies)):
        body, moving = relaxed.bodies[i], moving_bodies[i]
        angular, linear = _ZERO, _ZERO
        for k in range(bodies[i].axis_start, bodies[i].axis_end):
            angular = add_scaled(angular, state.speeds[k], load_angular(axes[k].S))
            linear = add_scaled(linear, state.speeds[k], load_linear(axes[k].S))
            scratch.efforts[k] = 0.0
        store_spatial(moving.bias, angular, linear)
        R, w = load9(moving.rotation), load_angular(asked[i])
        v = add(load_linear(asked[i]), cross(w, rotate(R, load3(arms[i]))))
        store_spatial(asked[i], w, v)
        I = rotate_symmetric(R, load6(body.inertia))
        store_spatial(moving.wrench, apply_symmetric(I, w), scale(body.mass, v))
        store3(moving.angular, _ZERO)  # no gyroscopic moments among momenta
    solve_articulated_body(relaxed, scratch)
    for i in range(driven, len(bodies)):
        for k in range(relaxed.bodies[i].axis_start, relaxed.bodies[i].axis_end):
            state.speeds[k] = scratch.accelerations[k]
    update_kinematics(model, state, scratch)
