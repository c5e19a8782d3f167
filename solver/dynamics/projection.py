# SPDX-License-Identifier: GPL-3.0-or-later
"""Speeds at the start: what joints give rules, the rest follows the bodies' velocities as closely as the joints allow.

The free speeds minimise the kinetic energy of the misfit between the velocities that the bodies ask for and those that
they get. That is the impulse that makes a linkage out of loose bodies, and it has the form of the forward dynamics with
velocities in the place of accelerations and momenta in the place of forces: one articulated body recursion, O(n).
"""

from ..kernel import entry
from ..spatial import (
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
from .articulated_body import solve_articulated_body
from .driven import update_driven_bodies
from .kinematics import update_kinematics

_ZERO = (0.0, 0.0, 0.0)


@entry
def project_speeds(model, relaxed, time, state, scratch, asked, arms):
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
