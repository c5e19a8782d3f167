# SPDX-License-Identifier: GPL-3.0-or-later
"""The divide-and-conquer articulated body method: assemblies that are joined two by two, O(n).

What an assembly feels at its handles, the bodies t at its top and b at its bottom, is its articulated-body equation
    a_t = P_tt f_t + P_tb f_b + b_t,    a_b = P_bt f_t + P_bb f_b + b_b,
with P inverse articulated inertias and b the accelerations that are there without forces from outside. For a single
body P is its inverse inertia. Where the joint between an inner assembly A and an outer one B exerts the wrench f on B
and -X^T f on A (X takes accelerations from the inner body's centre of mass to the outer one's), its axes S turn with
    S q'' = K f + D y,    K = P_tt^B + X P_bb^A X^T,    y = (f_t^A, f_b^B, 1),
    D = (-X P_bt^A, P_tb^B, b_t^B - X b_b^A - c),    S^T f = tau - armature q'',
c being the velocity-dependent acceleration. Starting from f = -K^-1 D y, the axes are set free one at a time:
    U = W s, d = s.U + armature, e = (tau - s.f) / d,    f += U e,    W -= U U^T / d,    W = K^-1 at first,
and in the reverse order q''_k = e_k - sum over later axes l of U_k.s_l / d_k q''_l. So f = F y and q'' = G y, and the
new assembly is P += D^T F in all of its blocks. From the whole tree, whose top is moved by what it hangs on, f and q''
follow down to single bodies.

Source: R. Featherstone, A divide-and-conquer articulated-body algorithm for parallel O(log n) calculation of rigid-body
dynamics (1999), part 1 (eq. 14 to 26) and part 2 (trees). There W = V - V S (S^T V S)^-1 S^T V at once, with V = K^-1;
one axis at a time needs no other matrix and takes reflected inertia along.
"""

import math

from ..kernel import kernel
from ..spatial import (
    add,
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
from .inverse_dynamics import propagate_accelerations

_CONSTANT = 12  # the column of what is there without forces from outside, behind six of the top and six of the bottom
_COLUMNS = 13


@kernel
def solve_divide(model, scratch):
    """Fills the accelerations of axes and bodies from kinematics, wrenches and efforts."""
    tree, work = model.assembly, scratch.assembly
    for i in range(model.driven, len(model.bodies)):
        _fill_single(model.bodies[i], scratch.bodies[i], work.handles[i])
    for a in range(len(model.bodies), len(tree.assemblies)):
        _assemble(model, scratch, tree.assemblies[a], work.handles, work.joints, a)
    for t in range(len(tree.wholes)):
        _solve_whole(model, scratch, tree.assemblies[tree.wholes[t]].top, tree.wholes[t])
    for a in range(len(tree.assemblies) - 1, len(model.bodies) - 1, -1):
        _solve_assembly(model, scratch, tree.assemblies[a], work.handles, work.joints, a)
    propagate_accelerations(model, scratch)


@kernel
def _fill_single(body, moving, handle):
    """A rigid body: both handles are the body."""
    I = rotate_symmetric(load9(moving.rotation), load6(body.inertia))
    inverse, w = _inverse_of_symmetric(I), load3(moving.angular)
    P = handle.P
    for i in range(6):
        for j in range(6):
            P[i, j] = 0.0
        P[i, _CONSTANT] = 0.0
    P[0, 0], P[0, 1], P[0, 2], P[1, 1], P[1, 2], P[2, 2] = inverse
    P[1, 0], P[2, 0], P[2, 1] = inverse[1], inverse[2], inverse[4]
    P[3, 3] = P[4, 4] = P[5, 5] = 1.0 / body.mass
    moment = subtract(load_angular(moving.wrench), cross(w, apply_symmetric(I, w)))
    P[0, _CONSTANT], P[1, _CONSTANT], P[2, _CONSTANT] = apply_symmetric(inverse, moment)
    P[3, _CONSTANT], P[4, _CONSTANT], P[5, _CONSTANT] = scale(1.0 / body.mass, load_linear(moving.wrench))
    _let_bottom_be_top(P)


@kernel
def _let_bottom_be_top(P):
    for i in range(6):
        for j in range(6):
            P[i, 6 + j] = P[6 + i, j] = P[6 + i, 6 + j] = P[i, j]
        P[6 + i, _CONSTANT] = P[i, _CONSTANT]


@kernel
def _inverse_of_symmetric(S):
    a = S[3] * S[5] - S[4] * S[4]
    b = S[2] * S[4] - S[1] * S[5]
    c = S[1] * S[4] - S[2] * S[3]
    k = 1.0 / (S[0] * a + S[1] * b + S[2] * c)
    return (k * a, k * b, k * c, k * (S[0] * S[5] - S[2] * S[2]), k * (S[1] * S[2] - S[0] * S[4]),
            k * (S[0] * S[3] - S[1] * S[1]))  # fmt: skip


@kernel
def _assemble(model, scratch, assembly, handles, joints, a):
    """Two assemblies become one: fills its P, and F of its joint."""
    j = assembly.joint
    A, B, P = handles[assembly.inner].P, handles[assembly.outer].P, handles[a].P
    D, W = joints[j].D, joints[j].W
    r = subtract(load3(scratch.bodies[j].center), load3(scratch.bodies[model.bodies[j].inner].center))
    for column in range(_COLUMNS):
        source = column if column < 6 else _CONSTANT
        n = (A[6, source], A[7, source], A[8, source])
        f = subtract((A[9, source], A[10, source], A[11, source]), cross(r, n))
        for i in range(3):
            D[i, column], D[3 + i, column] = -n[i], -f[i]
    for i in range(6):
        for column in range(6):
            D[i, 6 + column] = B[i, 6 + column]
        D[i, _CONSTANT] += B[i, _CONSTANT] - scratch.bodies[j].bias[i]
    _fill_response(A, r, W)
    for i in range(6):
        for k in range(6):
            W[i, k] += B[i, k]
    _solve_joint(model, scratch, j, joints[j])
    F = joints[j].F
    if assembly.rakes:
        for i in range(6):
            for column in range(_COLUMNS):
                P[i, column] = A[i, column]
                for k in range(6):
                    P[i, column] += D[k, i] * F[k, column]
        _let_bottom_be_top(P)
        return
    for i in range(6):
        for column in range(_COLUMNS):
            top, bottom = 0.0, 0.0
            if column < 6 or column == _CONSTANT:
                top = A[i, column]
            if column >= 6:
                bottom = B[6 + i, column]
            for k in range(6):
                top += D[k, i] * F[k, column]
                bottom += D[k, 6 + i] * F[k, column]
            P[i, column], P[6 + i, column] = top, bottom


@kernel
def _fill_response(A, r, W):
    """W = X P_bb X^T with X = [1 0; -r x 1]."""
    for column in range(6):
        n = (A[6, 6 + column], A[7, 6 + column], A[8, 6 + column])
        f = subtract((A[9, 6 + column], A[10, 6 + column], A[11, 6 + column]), cross(r, n))
        for i in range(3):
            W[i, column], W[3 + i, column] = n[i], f[i]
    for i in range(6):
        W[i, 3], W[i, 4], W[i, 5] = subtract((W[i, 3], W[i, 4], W[i, 5]), cross(r, (W[i, 0], W[i, 1], W[i, 2])))


@kernel
def _solve_joint(model, scratch, j, joint):
    """From K in W and from D: fills F (6, 13) and, for each axis of the joint, the row G (13)."""
    D, W, F = joint.D, joint.W, joint.F
    _invert(W)
    for i in range(6):
        for column in range(_COLUMNS):
            F[i, column] = 0.0
            for k in range(6):
                F[i, column] -= W[i, k] * D[k, column]
    first, last = model.bodies[j].axis_start, model.bodies[j].axis_end
    for k in range(first, last):
        axis, G = scratch.axes[k], scratch.assembly.rows[k]
        for i in range(6):
            axis.U[i] = 0.0
            for m in range(6):
                axis.U[i] += W[i, m] * axis.S[m]
        axis.D = (model.armature[k] + axis.held) + _along(axis.S, axis.U)
        for column in range(_COLUMNS):
            G[column] = 0.0
        G[_CONSTANT] = (scratch.efforts[k] + axis.held * axis.pace) / axis.D
        for column in range(_COLUMNS):
            for i in range(6):
                G[column] -= axis.S[i] * F[i, column] / axis.D
        for i in range(6):
            for column in range(_COLUMNS):
                F[i, column] += axis.U[i] * G[column]
            for m in range(6):
                W[i, m] -= axis.U[i] * axis.U[m] / axis.D
    for k in range(last - 2, first - 1, -1):
        for later in range(k + 1, last):
            share = _along(scratch.axes[k].U, scratch.axes[later].S) / scratch.axes[k].D
            for column in range(_COLUMNS):
                scratch.assembly.rows[k, column] -= share * scratch.assembly.rows[later, column]


@kernel
def _along(a, b):
    return dot(load_angular(a), load_angular(b)) + dot(load_linear(a), load_linear(b))


@kernel
def _invert(A):
    """The inverse of a symmetric positive definite 6 x 6 matrix in place, by Cholesky: A = L L^T, A^-1 = L^-T L^-1."""
    for j in range(6):
        for k in range(j):
            A[j, j] -= A[j, k] * A[j, k]
        A[j, j] = math.sqrt(A[j, j])
        for i in range(j + 1, 6):
            for k in range(j):
                A[i, j] -= A[i, k] * A[j, k]
            A[i, j] /= A[j, j]
    for j in range(6):
        A[j, j] = 1.0 / A[j, j]
        for i in range(j + 1, 6):
            total = 0.0
            for k in range(j, i):
                total -= A[i, k] * A[k, j]
            A[i, j] = total / A[i, i]
    for i in range(6):
        for j in range(i + 1):
            total = 0.0
            for k in range(i, 6):
                total += A[k, i] * A[k, j]
            A[i, j] = A[j, i] = total


@kernel
def _solve_whole(model, scratch, j, a):
    """The joint between a tree and what it hangs on, whose motion is known."""
    P, joint = scratch.assembly.handles[a].P, scratch.assembly.joints[j]
    D, W = joint.D, joint.W
    inner = scratch.bodies[model.bodies[j].inner]
    r = subtract(load3(scratch.bodies[j].center), load3(inner.center))
    angular = load_angular(inner.acceleration)
    linear = add(load_linear(inner.acceleration), cross(angular, r))
    angular = add(angular, load_angular(scratch.bodies[j].bias))
    linear = add(linear, load_linear(scratch.bodies[j].bias))
    for i in range(6):
        for column in range(_CONSTANT):
            D[i, column] = 0.0
        for k in range(6):
            W[i, k] = P[i, k]
    for i in range(3):
        D[i, _CONSTANT] = P[i, _CONSTANT] - angular[i]
        D[3 + i, _CONSTANT] = P[3 + i, _CONSTANT] - linear[i]
    _solve_joint(model, scratch, j, joint)
    handle = scratch.assembly.handles[a]
    for i in range(6):
        handle.top[i], handle.bottom[i] = joint.F[i, _CONSTANT], 0.0
    for k in range(model.bodies[j].axis_start, model.bodies[j].axis_end):
        scratch.accelerations[k] = scratch.assembly.rows[k, _CONSTANT]


@kernel
def _solve_assembly(model, scratch, assembly, handles, joints, a):
    """The accelerations of an assembly's joint, and the wrenches on the handles of its parts."""
    j, F = assembly.joint, joints[assembly.joint].F
    whole, A, B = handles[a], handles[assembly.inner], handles[assembly.outer]
    if assembly.rakes:
        for i in range(6):
            whole.top[i] += whole.bottom[i]
            whole.bottom[i] = 0.0
    for k in range(model.bodies[j].axis_start, model.bodies[j].axis_end):
        G = scratch.assembly.rows[k]
        total = G[_CONSTANT]
        for i in range(6):
            total += G[i] * whole.top[i] + G[6 + i] * whole.bottom[i]
        scratch.accelerations[k] = total
    for i in range(6):
        total = F[i, _CONSTANT]
        for k in range(6):
            total += F[i, k] * whole.top[k] + F[i, 6 + k] * whole.bottom[k]
        A.top[i], B.top[i], B.bottom[i] = whole.top[i], total, whole.bottom[i]
    r = subtract(load3(scratch.bodies[j].center), load3(scratch.bodies[model.bodies[j].inner].center))
    n, f = load_angular(B.top), load_linear(B.top)
    store_spatial(A.bottom, scale(-1.0, add(n, cross(r, f))), scale(-1.0, f))
