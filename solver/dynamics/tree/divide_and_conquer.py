# SPDX-License-Identifier: GPL-3.0-or-later
"""The divide-and-conquer articulated body method: assemblies that are joined two by two, O(n).

What an assembly feels at its handles, the bodies t at its top and b at its bottom, is its articulated-body equation
    a_t = P_tt f_t + P_tb f_b + b_t,    a_b = P_bt f_t + P_bb f_b + b_b,
with P inverse articulated inertias and b the accelerations that are there without forces from outside. For a single
body P is its inverse inertia. Where the joint between an inner assembly A and an outer one B exerts the wrench f on B
and -X^T f on A (X takes accelerations from the inner body's centre of mass to the outer one's), its axes S turn with
    S q'' = K f + D y,    K = P_tt^B + X P_bb^A X^T,    y = (f_t^A, f_b^B, 1),
    D = (-X P_bt^A, P_tb^B, b_t^B - X b_b^A - c),    S^T f = tau - armature q'',
c being the velocity-dependent acceleration. Of the six components of f, one for each axis gives way to S^T f, which
is known; with it go K and D, so that rows of these components become those of q''. For the others K f + D y = 0 is
left, in which an axis with armature has a row of its own, softened by 1 / armature. So f = F y and q'' = G y, and the
new assembly is P += D^T F in all of its blocks. From the whole tree, whose top is moved by what it hangs on, f and q''
follow down to single bodies.

A rod whose inertia about its axis is next to nothing has a P that is next to infinite there. Where W = K^-1 was made
first, and axes set free in it, digits were lost by the square of that. So K is never inverted as a whole, and f, an
error of which counts P times, is found in two rounds.

Source: R. Featherstone, A divide-and-conquer articulated-body algorithm for parallel O(log n) calculation of rigid-body
dynamics (1999), part 1 (eq. 14 to 26) and part 2 (trees). There W = V - V S (S^T V S)^-1 S^T V with V = K^-1.
"""

import math

from ...kernel import kernel
from ...spatial import (
    add,
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
from .inverse_dynamics import propagate_accelerations

_CONSTANT = 12  # the column of what is there without forces from outside, behind six of the top and six of the bottom
_COLUMNS = 13
_ROUNDS = 2  # of solving for a wrench: the second one for what rounding has left


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
    D, K = joints[j].D, joints[j].K
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
    _fill_response(A, r, K)
    for i in range(6):
        for k in range(6):
            K[i, k] += B[i, k]
    _solve_joint(model, scratch, j, joints[j])
    F, axes = joints[j].F, model.bodies[j].axis_end - model.bodies[j].axis_start
    if assembly.rakes:
        for i in range(6):
            for column in range(_COLUMNS):
                P[i, column] = A[i, column]
            for k in range(6):
                for column in range(_COLUMNS):
                    P[i, column] += D[k, i] * F[k, column]
        _let_bottom_be_top(P)
        _give_components_back(joints[j], axes)
        return
    for i in range(6):
        for column in range(_COLUMNS):
            P[i, column] = A[i, column] if column < 6 or column == _CONSTANT else 0.0
            P[6 + i, column] = B[6 + i, column] if column >= 6 else 0.0
    for i in range(12):
        for k in range(6):
            for column in range(_COLUMNS):
                P[i, column] += D[k, i] * F[k, column]
    _give_components_back(joints[j], axes)


@kernel
def _fill_response(A, r, K):
    """K = X P_bb X^T with X = [1 0; -r x 1]."""
    for column in range(6):
        n = (A[6, 6 + column], A[7, 6 + column], A[8, 6 + column])
        f = subtract((A[9, 6 + column], A[10, 6 + column], A[11, 6 + column]), cross(r, n))
        for i in range(3):
            K[i, column], K[3 + i, column] = n[i], f[i]
    for i in range(6):
        K[i, 3], K[i, 4], K[i, 5] = subtract((K[i, 3], K[i, 4], K[i, 5]), cross(r, (K[i, 0], K[i, 1], K[i, 2])))


@kernel
def _solve_joint(model, scratch, j, joint):
    """From K and D: fills F (6, 13) and, for each axis of the joint, the row G (13). K and D are used up."""
    D, K, L, F, softness = joint.D, joint.K, joint.L, joint.F, joint.softness
    first, last = model.bodies[j].axis_start, model.bodies[j].axis_end
    for i in range(6):
        softness[i] = 0.0
    for k in range(first, last):
        _take_effort(joint, scratch.axes[k].S, k - first)
        armature = model.armature[k] + scratch.axes[k].held
        softness[joint.pivot[k - first]] = 1.0 / armature if armature > 0.0 else -1.0
    _factor(K, softness, L)
    for i in range(6):
        for column in range(_COLUMNS):
            F[i, column] = 0.0
    for k in range(first, last):
        p = joint.pivot[k - first]
        if softness[p] < 0.0:
            F[p, _CONSTANT] = scratch.efforts[k] + scratch.axes[k].held * scratch.axes[k].pace
    for _ in range(_ROUNDS):
        _fill_rest(model, scratch, joint, first, last)
        _subtract_solution(L, softness, joint.R, F)
    for k in range(first, last):
        p, G = joint.pivot[k - first], scratch.assembly.rows[k]
        for column in range(_COLUMNS):
            G[column] = D[p, column]
        for i in range(6):
            for column in range(_COLUMNS):
                G[column] += K[p, i] * F[i, column]


@kernel
def _give_components_back(joint, axes):
    """In F, in the place of what it exerts along axes, come the components of the wrench."""
    E, F = joint.E, joint.F
    for m in range(axes - 1, -1, -1):
        p = joint.pivot[m]
        for i in range(6):
            if i != p:
                for column in range(_COLUMNS):
                    F[p, column] -= E[m, i] * F[i, column]
        for column in range(_COLUMNS):
            F[p, column] /= E[m, p]


@kernel
def _take_effort(joint, S, m):
    """In the place of one component of the wrench comes what it exerts along the m-th axis."""
    D, K, E, pivot = joint.D, joint.K, joint.E, joint.pivot
    for i in range(6):
        E[m, i] = S[i]
    for before in range(m):
        p = pivot[before]
        E[m, p] /= E[before, p]
        for i in range(6):
            if i != p:
                E[m, i] -= E[m, p] * E[before, i]
    p = -1
    for i in range(6):
        is_free = True
        for before in range(m):
            is_free = is_free and pivot[before] != i
        if is_free and (p < 0 or abs(E[m, i]) > abs(E[m, p])):
            p = i
    pivot[m], part = p, 1.0 / E[m, p]
    for i in range(6):
        K[i, p] *= part
        for k in range(6):
            if k != p:
                K[i, k] -= K[i, p] * E[m, k]
    for k in range(6):
        K[p, k] *= part
    for i in range(6):
        if i != p:
            for k in range(6):
                K[i, k] -= E[m, i] * K[p, k]
    for column in range(_COLUMNS):
        D[p, column] *= part
    for i in range(6):
        if i != p:
            for column in range(_COLUMNS):
                D[i, column] -= E[m, i] * D[p, column]


@kernel
def _factor(K, softness, L):
    """Cholesky: K = L L^T in the components that are not known."""
    for j in range(6):
        if softness[j] < 0.0:
            continue
        for i in range(j, 6):
            if softness[i] < 0.0:
                continue
            total = K[i, j] + (softness[j] if i == j else 0.0)
            for k in range(j):
                if softness[k] >= 0.0:
                    total -= L[i, k] * L[j, k]
            L[i, j] = math.sqrt(total) if i == j else total / L[j, j]


@kernel
def _fill_rest(model, scratch, joint, first, last):
    """R: the acceleration across the joint that is left where there must be none."""
    D, K, F, R = joint.D, joint.K, joint.F, joint.R
    for i in range(6):
        softness = max(joint.softness[i], 0.0)
        for column in range(_COLUMNS):
            R[i, column] = D[i, column] + softness * F[i, column]
        for k in range(6):
            for column in range(_COLUMNS):
                R[i, column] += K[i, k] * F[k, column]
    for k in range(first, last):
        p = joint.pivot[k - first]
        effort = scratch.efforts[k] + scratch.axes[k].held * scratch.axes[k].pace
        R[p, _CONSTANT] -= max(joint.softness[p], 0.0) * effort


@kernel
def _subtract_solution(L, softness, R, F):
    """F -= K^-1 R in the components that are not known."""
    for i in range(6):
        if softness[i] >= 0.0:
            for k in range(i):
                if softness[k] >= 0.0:
                    for column in range(_COLUMNS):
                        R[i, column] -= L[i, k] * R[k, column]
            pivot = 1.0 / L[i, i]
            for column in range(_COLUMNS):
                R[i, column] *= pivot
    for i in range(5, -1, -1):
        if softness[i] >= 0.0:
            for k in range(i + 1, 6):
                if softness[k] >= 0.0:
                    for column in range(_COLUMNS):
                        R[i, column] -= L[k, i] * R[k, column]
            pivot = 1.0 / L[i, i]
            for column in range(_COLUMNS):
                R[i, column] *= pivot
                F[i, column] -= R[i, column]


@kernel
def _solve_whole(model, scratch, j, a):
    """The joint between a tree and what it hangs on, whose motion is known."""
    P, joint = scratch.assembly.handles[a].P, scratch.assembly.joints[j]
    D, K = joint.D, joint.K
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
            K[i, k] = P[i, k]
    for i in range(3):
        D[i, _CONSTANT] = P[i, _CONSTANT] - angular[i]
        D[3 + i, _CONSTANT] = P[3 + i, _CONSTANT] - linear[i]
    _solve_joint(model, scratch, j, joint)
    _give_components_back(joint, model.bodies[j].axis_end - model.bodies[j].axis_start)
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
