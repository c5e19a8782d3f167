# SPDX-License-Identifier: GPL-3.0-or-later
"""Speeds at the start: what joints give rules, the rest follows the bodies' velocities as closely as the joints allow.

The free speeds minimise the kinetic energy of the misfit between the velocities that the bodies ask for and those that
they get. That is the impulse that makes a linkage out of loose bodies, and it has the form of the forward dynamics with
velocities in the place of accelerations and momenta in the place of forces: one articulated body recursion, O(n).
"""

from ..kernel import entry
from ..spatial import (
    add_scaled,
    apply_symmetric,
    load3,
    load6,
    load9,
    load_angular,
    load_linear,
    rotate_symmetric,
    scale,
    store3,
    store_spatial,
)
from .articulated_body import solve_articulated_body
from .driven import update_driven_bodies
from .kinematics import update_kinematics

_ZERO = (0.0, 0.0, 0.0)


@entry
def project_speeds(model, relaxed, time, state, scratch, asked):
    """Overwrites state.speeds, which holds the given ones; `asked` (B, 6) are the velocities of the centres of mass.

    `relaxed` is the model without the axes whose speeds are given, and with zero mass where a body asks for nothing.
    """
    update_driven_bodies(model, time, scratch)
    update_kinematics(model, state, scratch)
    for i in range(model.driven):
        moving = scratch.bodies[i]
        store_spatial(moving.acceleration, load3(moving.angular), load3(moving.linear))
    for i in range(model.driven, len(model.bodies)):
        body, moving = relaxed.bodies[i], scratch.bodies[i]
        angular, linear = _ZERO, _ZERO
        for k in range(model.bodies[i].axis_start, model.bodies[i].axis_end):
            angular = add_scaled(angular, state.speeds[k], load_angular(scratch.axes[k].S))
            linear = add_scaled(linear, state.speeds[k], load_linear(scratch.axes[k].S))
            scratch.axes[k].effort = 0.0
        store_spatial(moving.bias, angular, linear)
        I = rotate_symmetric(load9(moving.rotation), load6(body.inertia))
        momentum = scale(body.mass, load_linear(asked[i]))
        store_spatial(moving.wrench, apply_symmetric(I, load_angular(asked[i])), momentum)
        store3(moving.angular, _ZERO)  # no gyroscopic moments among momenta
    solve_articulated_body(relaxed, scratch)
    for i in range(model.driven, len(model.bodies)):
        for k in range(relaxed.bodies[i].axis_start, relaxed.bodies[i].axis_end):
            state.speeds[k] = scratch.axes[k].acceleration


@entry
def update_velocities(model, time, state, scratch):
    """Poses and velocities of all bodies at this time (s), in `scratch`."""
    update_driven_bodies(model, time, scratch)
    update_kinematics(model, state, scratch)
