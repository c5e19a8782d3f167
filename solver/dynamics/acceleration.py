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
    update_parameters(model, time, scratch.parameters)
    update_driven_bodies(model, time, scratch)
    update_kinematics(model, state, scratch)
    update_wrenches(model, scratch)
    update_efforts(model, state, scratch)
    if model.method == 0:
        solve_articulated_body(model, scratch)
    else:
        solve_composite_body(model, scratch)

    axes = len(model.armature)
    q, u, moving_axes, charts = state.coordinates, state.speeds, scratch.axes, model.chart_axis
    for k in range(axes):
        rates[k] = u[k]
        rates[axes + k] = moving_axes[k].acceleration
    for first in charts:
        theta, omega = (q[first], q[first + 1], q[first + 2]), (u[first], u[first + 1], u[first + 2])
        rates[first], rates[first + 1], rates[first + 2] = chart_rate(theta, omega)
