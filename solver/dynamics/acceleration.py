# SPDX-License-Identifier: GPL-3.0-or-later
"""From a state to its rates: one evaluation, as a table of contents."""

from ..kernel import kernel
from ..rotation import chart_rate
from .articulated_body import solve_articulated_body
from .composite_body import solve_composite_body
from .driven import update_driven_bodies
from .forces import update_efforts, update_parameters, update_wrenches
from .kinematics import update_kinematics


@kernel
def update_rates(model, time, state, scratch, rates):
    """Everything in `scratch` for this time (s) and state, and from it the rates of the state.

    `rates` (2 A,): coordinate rates, in the charts where a joint has one, then joint accelerations.
    """
    driven, bodies, armature, mode, charted = (
        model.driven,
        model.bodies,
        model.armature,
        model.motor_mode,
        model.charted,
    )
    q, u, anchor = state.coordinates, state.speeds, state.anchor
    moving, axes, loads, parameters = scratch.bodies, scratch.axes, scratch.loads, scratch.parameters

    update_parameters(model.tables, model.points, time, parameters)
    update_driven_bodies(model.driven_bodies, model.key_times, model.key_coefficients, time, moving)
    update_kinematics(driven, bodies, q, u, anchor, moving, axes)
    update_wrenches(driven, bodies, model.forces, parameters, moving)
    update_efforts(bodies, model.sprung, charted, mode, q, u, anchor, parameters, axes)
    if model.method == 0:
        solve_articulated_body(driven, bodies, armature, moving, axes, loads)
    else:
        solve_composite_body(model, scratch)

    count = len(axes)
    for k in range(count):
        rates[k] = u[k]
        rates[count + k] = axes[k].acceleration
    for c in range(len(charted)):
        k = bodies[charted[c]].axis_end - 3
        theta, omega = (q[k], q[k + 1], q[k + 2]), (u[k], u[k + 1], u[k + 2])
        rates[k], rates[k + 1], rates[k + 2] = chart_rate(theta, omega)
