# SPDX-License-Identifier: GPL-3.0-or-later
"""From a state to its rates: one evaluation, as a table of contents."""

from ..contact.soft.soft_contact import add_contacts
from ..dynamics.forces.applied import update_wrenches
from ..dynamics.forces.joint_forces import update_efforts
from ..dynamics.forces.parameters import update_parameters
from ..dynamics.forces.switching import update_pace
from ..dynamics.loops.methods import solve_accelerations, update_closures
from ..dynamics.loops.singularity import compare_with_usual
from ..dynamics.tree.driven import update_driven_bodies
from ..dynamics.tree.kinematics import update_kinematics
from ..dynamics.tree.surface_joints import put_ride_rates
from ..kernel import kernel
from ..rotation import chart_rate


@kernel
def update_rates(model, time, state, scratch, rates):
    """Everything in `scratch` for this time (s) and state, and from it the rates of the state.

    `rates` (2 A,): coordinate rates, in the charts where a joint has one, then joint accelerations.
    """
    update_forces(model, time, state, scratch)
    solve_rates(model, state, scratch, rates)


@kernel
def update_forces(model, time, state, scratch):
    """Poses, velocities, rows, wrenches and efforts for this time (s) and state."""
    update_parameters(model, time, scratch)
    update_pace(model, time, scratch)
    update_driven_bodies(model, time, scratch)
    update_kinematics(model, state, scratch)
    update_closures(model, state, scratch)
    update_wrenches(model, scratch)
    update_efforts(model, state, scratch)
    add_contacts(scratch, model)


@kernel
def solve_rates(model, state, scratch, rates):
    """Accelerations from what `update_forces` has left, and rates as for `update_rates`."""
    solve_accelerations(model, scratch)
    compare_with_usual(scratch)
    scratch.factored[0] = 1

    q, u, axes = state.coordinates, state.speeds, len(model.armature)
    for k in range(axes):
        rates[k] = u[k]
        rates[axes + k] = scratch.accelerations[k]
    for c in range(len(model.charted)):
        k = model.bodies[model.charted[c]].axis_end - 3
        theta, omega = (q[k], q[k + 1], q[k + 2]), (u[k], u[k + 1], u[k + 2])
        rates[k], rates[k + 1], rates[k + 2] = chart_rate(theta, omega)
    put_ride_rates(model.rides, model, scratch, rates)
