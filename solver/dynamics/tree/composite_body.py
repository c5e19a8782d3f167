# SPDX-License-Identifier: GPL-3.0-or-later
"""The composite body method: the joint-space mass matrix, factored densely, O(n^3). It checks the recursion.

With the mass matrix H of the composite bodies and the efforts tau0 that inverse dynamics finds for zero joint
accelerations, H q'' = tau - tau0. Source: Walker and Orin (1982); Featherstone (2008), table 6.2 and eq. 6.1.
"""

import math

from ...kernel import kernel
from ...spatial import (
    add,
    add_to_inertia,
    apply_inertia,
    clear,
    cross,
    dot,
    load3,
    load6,
    load9,
    load_angular,
    load_inertia,
    load_linear,
    rotate_symmetric,
    shift_inertia,
    subtract,
)
from .inverse_dynamics import axis_effort, propagate_accelerations, update_joint_wrenches

_NO_COUPLING = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


@kernel
def solve_composite_body(model, scratch):
    """Fills the accelerations of axes and bodies from kinematics, wrenches and efforts."""
    accelerations = scratch.accelerations
    for k in range(len(accelerations)):
        accelerations[k] = 0.0
    propagate_accelerations(model, scratch)
    update_joint_wrenches(model, scratch)
    for i in range(model.driven, len(model.bodies)):
        for k in range(model.bodies[i].axis_start, model.bodies[i].axis_end):
            axis = scratch.axes[k]
            accelerations[k] = scratch.efforts[k] + axis.held * axis.pace - axis_effort(model, scratch, i, k)
    fill_mass_matrix(model, scratch)
    _factor_cholesky(scratch.dense)
    solve_lower(scratch.dense, accelerations)
    solve_transposed(scratch.dense, accelerations)
    propagate_accelerations(model, scratch)


@kernel
def fill_mass_matrix(model, scratch):
    """Fills the lower triangle of scratch.dense (A, A) with the joint-space inertia of the present pose."""
    H, bodies = scratch.dense, scratch.bodies
    for row in range(len(H)):
        for column in range(row + 1):
            H[row, column] = 0.0
    for i in range(model.driven, len(model.bodies)):
        m, composite = model.bodies[i].mass, scratch.loads[i].inertia
        I = rotate_symmetric(load9(bodies[i].rotation), load6(model.bodies[i].inertia))
        clear(composite, scratch.loads[i].bias)
        add_to_inertia(composite, (I, _NO_COUPLING, (m, 0.0, 0.0, m, 0.0, m)))
    for i in range(len(model.bodies) - 1, model.driven - 1, -1):
        body, inertia = model.bodies[i], load_inertia(scratch.loads[i].inertia)
        for k in range(body.axis_start, body.axis_end):
            _fill_row(model, scratch, i, k, inertia)
        if body.inner >= model.driven:
            r = subtract(load3(bodies[i].center), load3(bodies[body.inner].center))
            add_to_inertia(scratch.loads[body.inner].inertia, shift_inertia(inertia, r))


@kernel
def _fill_row(model, scratch, i, k, inertia):
    """Row k of the mass matrix: the force that turns the composite body along axis k, felt at all axes further in."""
    axes, bodies = scratch.axes, scratch.bodies
    n, f = apply_inertia(inertia, load_angular(axes[k].S), load_linear(axes[k].S))
    scratch.dense[k, k] = model.armature[k] + axes[k].held
    while i >= model.driven:
        for other in range(model.bodies[i].axis_start, model.bodies[i].axis_end):
            if other <= k:
                felt = dot(load_angular(axes[other].S), n) + dot(load_linear(axes[other].S), f)
                scratch.dense[k, other] += felt
        inner = model.bodies[i].inner
        n = add(n, cross(subtract(load3(bodies[i].center), load3(bodies[inner].center)), f))
        i = inner


@kernel
def _factor_cholesky(A):
    """A = L L^T in place, A and L by their lower triangles."""
    n = len(A)
    for j in range(n):
        for k in range(j):
            A[j, j] -= A[j, k] * A[j, k]
        A[j, j] = math.sqrt(A[j, j])
        for i in range(j + 1, n):
            for k in range(j):
                A[i, j] -= A[i, k] * A[j, k]
            A[i, j] /= A[j, j]


@kernel
def solve_lower(L, x):
    """Solves L x = b in place, b in x."""
    for i in range(len(x)):
        for k in range(i):
            x[i] -= L[i, k] * x[k]
        x[i] /= L[i, i]


@kernel
def solve_transposed(L, x):
    """Solves L^T x = b in place, b in x."""
    for i in range(len(x) - 1, -1, -1):
        for k in range(i + 1, len(x)):
            x[i] -= L[k, i] * x[k]
        x[i] /= L[i, i]
