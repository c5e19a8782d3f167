# SPDX-License-Identifier: GPL-3.0-or-later
"""Inverse dynamics by Newton and Euler: from accelerations to the forces in the joints, O(n).

It shares nothing with the articulated body method but the kinematics, so the effort that it finds along each axis
checks the accelerations. Source: Featherstone (2008), chapter 5. Symbols: f, n force and moment about a centre of
mass; r outer centre from the inner one.
"""

from ...kernel import kernel
from ...spatial import (
    add,
    add_scaled,
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


@kernel
def update_joint_wrenches(model, scratch):
    """Fills joint_wrench: all that the inner body exerts on each body through its joint, about its centre of mass.

    What closures exert, by the multipliers of their rows, counts among the applied forces.
    """
    for i in range(model.driven, len(model.bodies)):
        body, moving = model.bodies[i], scratch.bodies[i]
        I = rotate_symmetric(load9(moving.rotation), load6(body.inertia))
        w = load3(moving.angular)
        n = add(apply_symmetric(I, load_angular(moving.acceleration)), cross(w, apply_symmetric(I, w)))
        f = scale(body.mass, load_linear(moving.acceleration))
        n, f = subtract(n, load_angular(moving.wrench)), subtract(f, load_linear(moving.wrench))
        store_spatial(scratch.loads[i].joint_wrench, n, f)
    for r in range(model.closing):
        row, closure = scratch.rows[r], model.closures[model.rows[r].closure]
        for end in range(closure.ends):
            _subtract_multiple(scratch.loads[closure.body[end]].joint_wrench, row.multiplier, row.wrench[end])
    for i in range(len(model.bodies) - 1, model.driven - 1, -1):
        if model.bodies[i].inner >= model.driven:
            inner = model.bodies[i].inner
            r = subtract(load3(scratch.bodies[i].center), load3(scratch.bodies[inner].center))
            n, f = load_angular(scratch.loads[i].joint_wrench), load_linear(scratch.loads[i].joint_wrench)
            add_to_spatial(scratch.loads[inner].joint_wrench, add(n, cross(r, f)), f)


@kernel
def _subtract_multiple(a, factor, b):
    for k in range(6):
        a[k] -= factor * b[k]


@kernel
def axis_effort(model, scratch, body, k):
    """The joint wrench of a body along axis k, and what turns the axis's reflected inertia."""
    axis, wrench = scratch.axes[k], scratch.loads[body].joint_wrench
    along = dot(load_angular(axis.S), load_angular(wrench)) + dot(load_linear(axis.S), load_linear(wrench))
    return along + model.armature[k] * scratch.accelerations[k]


@kernel
def propagate_accelerations(model, scratch):
    """Fills the accelerations of the dynamic bodies from those of the axes."""
    for i in range(model.driven, len(model.bodies)):
        body, moving = model.bodies[i], scratch.bodies[i]
        inner = scratch.bodies[body.inner]
        r = subtract(load3(moving.center), load3(inner.center))
        angular = load_angular(inner.acceleration)
        linear = add(load_linear(inner.acceleration), cross(angular, r))
        angular, linear = add(angular, load_angular(moving.bias)), add(linear, load_linear(moving.bias))
        for k in range(body.axis_start, body.axis_end):
            S, second = scratch.axes[k].S, scratch.accelerations[k]
            angular = add_scaled(angular, second, load_angular(S))
            linear = add_scaled(linear, second, load_linear(S))
        store_spatial(moving.acceleration, angular, linear)
