# SPDX-License-Identifier: GPL-3.0-or-later
"""The dynamics of a tree, linearised about a state, solved for a step by one sweep inward and one outward, O(n).

A step of h changes coordinates by h u + h^2 (a + z), speeds by h (a + z) and accelerations by z, where z is asked for.
To first order each body follows its inner one: with the changes of its twist's place (xi), of its velocity (dV) and of
its acceleration (dA), the latter two as the body itself sees them,
    xi = xi' + S dq,  dV = dV' + S du + (V' x S) dq,
    dA = dA' + dV' x S u + S ddq + (V' x S) du + (A' x S + (V' x S) x S u) dq,
and the force that it takes changes by I dA + V x* I dV + dV x* I V, less what is applied. So what an assembly of bodies
takes is F (xi, dV, dA) + p, with F of 6 x 18, where the articulated body method has an inertia of 6 x 6; an axis is
eliminated as there, and its wrench f turns with it: S dq x* f is handed inward too. Stiffness and damping of joints
stand in the pivots, those of forces that hold on to what is driven in F. All of it is exact for trees whose forces are
told by `force_tangents`; the three axes of a ball joint go together, and those of a contact joint, or of one with
several axes that is passed from its child, as if they stood still.

Symbols: ' of the inner body, or of the frame before an axis; x and x* the products of motions, and of a motion and a
force (Featherstone 2008, section 2.9); spatial vectors about each body's centre of mass, along world axes.
"""

from ...kernel import kernel
from ...model.arrays import Kind
from ...spatial import (
    add,
    add_scaled,
    add_to_inertia,
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
from ..tree.joints import has_rotation_vector

_FREE, _CONTACT = int(Kind.FREE), int(Kind.CONTACT)
_ZERO = (0.0, 0.0, 0.0)


@kernel
def first_of_block(body, k):
    """The first of the axes that are eliminated together with axis k."""
    in_ball = (has_rotation_vector(body.kind) or body.kind == _FREE) and k >= body.axis_end - 3
    return body.axis_end - 3 if in_ball else k


@kernel
def _stands_still(body):
    """True if the turning of a joint's axes is left out."""
    return body.kind == _CONTACT or (body.direction < 0.0 and body.axis_end - body.axis_start > 1)


@kernel
def _store_cross(target, a, b, c, d):
    """(a, b) x (c, d), of two motions."""
    store_spatial(target, cross(a, c), add(cross(a, d), cross(b, c)))


@kernel
def _add_turned_force(target, share, a, b, n, f):
    """Adds share (a, b) x* (n, f)."""
    moment, force = add(cross(a, n), cross(b, f)), cross(a, f)
    for c in range(3):
        target[c] += share * moment[c]
        target[3 + c] += share * force[c]


@kernel
def linearise_axes(model, state, scratch, work, h):
    """Fills by what axes change motions: `turning` (A, 2, 6) as they turn themselves, T (A, 18) for a unit of z."""
    u = state.speeds
    for i in range(model.driven, len(model.bodies)):
        body, moving = model.bodies[i], scratch.bodies[i]
        still, end = _stands_still(body), body.axis_end
        w, v = load3(moving.angular), load3(moving.linear)
        a, b = load_angular(moving.acceleration), subtract(load_linear(moving.acceleration), cross(w, v))
        while end > body.axis_start:
            first = first_of_block(body, end - 1)
            wu, vu = _ZERO, _ZERO  # the block's own velocity
            for k in range(first, end):
                S = scratch.axes[k].S
                wu, vu = add_scaled(wu, u[k], load_angular(S)), add_scaled(vu, u[k], load_linear(S))
                a = add_scaled(a, -scratch.accelerations[k], load_angular(S))
                b = add_scaled(b, -scratch.accelerations[k], load_linear(S))
            w, v = subtract(w, wu), subtract(v, vu)
            b = subtract(b, add(cross(w, vu), cross(v, wu)))
            a = subtract(a, cross(w, wu))
            for k in range(first, end):
                s, l = load_angular(scratch.axes[k].S), load_linear(scratch.axes[k].S)
                turning = work.turning[k]
                if still:
                    for c in range(6):
                        turning[0, c] = turning[1, c] = 0.0
                else:
                    _store_cross(turning[0], w, v, s, l)
                    _store_cross(turning[1], load_angular(turning[0]), load_linear(turning[0]), wu, vu)
                    more, along = cross(a, s), add(cross(a, l), cross(b, s))
                    for c in range(3):
                        turning[1, c] += more[c]
                        turning[1, 3 + c] += along[c]
                for c in range(6):
                    own = scratch.axes[k].S[c]
                    work.T[k, c] = h * h * own
                    work.T[k, 6 + c] = h * (own + h * turning[0, c])
                    work.T[k, 12 + c] = own + h * (turning[0, c] + h * turning[1, c])
            store_spatial(work.block_velocity[first], (_ZERO if still else wu), (_ZERO if still else vu))
            end = first


@kernel
def explicit_motion(model, state, scratch, work, h):
    """Fills the motion (B, 18) of the bodies in the explicit step, and takes what it asks for off their wrenches."""
    u, second = state.speeds, scratch.accelerations
    for i in range(model.driven, len(model.bodies)):
        body, x = model.bodies[i], work.motion[i]
        _carry(model, scratch, work.motion, i)
        k = body.axis_start
        while k < body.axis_end:
            last = k + 3 if first_of_block(body, body.axis_end - 1) == k and body.axis_end - k == 3 else k + 1
            _turn_along(work.block_velocity[k], x)
            for axis in range(k, last):
                faster = h * second[axis]
                moved, S, turning = h * (u[axis] + faster), scratch.axes[axis].S, work.turning[axis]
                for c in range(6):
                    x[c] += moved * S[c]
                    x[6 + c] += faster * S[c] + moved * turning[0, c]
                    x[12 + c] += faster * turning[0, c] + moved * turning[1, c]
            k = last
        _own_matrix(model, scratch, work, i)
        for c in range(6):
            total = 0.0
            for d in range(18):
                total += work.F[i, c, d] * x[d]
            work.wrench[i, c] -= total


@kernel
def _carry(model, scratch, motion, i):
    """A body's motion by its inner body's, about its own centre; what is driven has none."""
    inner = model.bodies[i].inner
    for c in range(18):
        motion[i, c] = motion[inner, c] if inner >= model.driven else 0.0
    if inner >= model.driven:
        r = subtract(load3(scratch.bodies[i].center), load3(scratch.bodies[inner].center))
        for block in range(3):
            x = motion[i]
            k = 6 * block
            moved = cross((x[k], x[k + 1], x[k + 2]), r)
            for c in range(3):
                x[k + 3 + c] += moved[c]


@kernel
def _turn_along(velocity, x):
    """dA += dV' x (w, v), for the velocity of a block of axes."""
    w, v = load_angular(velocity), load_linear(velocity)
    a, b = (x[6], x[7], x[8]), (x[9], x[10], x[11])
    more, along = cross(a, w), add(cross(a, v), cross(b, w))
    for c in range(3):
        x[12 + c] += more[c]
        x[15 + c] += along[c]


@kernel
def _own_matrix(model, scratch, work, i):
    """Fills F of a body alone, without stiffness and damping; and the wrench that it takes now."""
    body, moving, F = model.bodies[i], scratch.bodies[i], work.F[i]
    m, I = body.mass, rotate_symmetric(load9(moving.rotation), load6(body.inertia))
    w, v = load3(moving.angular), load3(moving.linear)
    Iw, applied = apply_symmetric(I, w), work.applied[i]
    n, f = load_angular(applied), load_linear(applied)
    for c in range(6):
        for d in range(18):
            F[c, d] = 0.0
    for d in range(3):
        unit = (1.0 if d == 0 else 0.0, 1.0 if d == 1 else 0.0, 1.0 if d == 2 else 0.0)
        column = apply_symmetric(I, unit)
        by_turn, turned = cross(unit, n), cross(unit, f)
        by_rate = subtract(cross(w, column), cross(Iw, unit))
        by_spin, by_speed = cross(unit, v), cross(w, unit)
        for c in range(3):
            F[c, d] = by_turn[c]
            F[3 + c, d] = turned[c]
            F[c, 6 + d] = by_rate[c]
            F[3 + c, 6 + d] = m * by_spin[c]
            F[3 + c, 9 + d] = m * by_speed[c]
            F[c, 12 + d] = column[c]
        F[3 + d, 15 + d] = m
    taken = work.taken[i]
    moment = add(apply_symmetric(I, load_angular(moving.acceleration)), cross(w, Iw))
    store_spatial(taken, subtract(moment, n), subtract(scale(m, load_linear(moving.acceleration)), f))


@kernel
def apply_now(model, scratch, work):
    """Fills the wrenches that are applied to the bodies now, those of closures included."""
    for i in range(model.driven, len(model.bodies)):
        for c in range(6):
            work.applied[i, c] = scratch.bodies[i].wrench[c]
    for r in range(model.closing):
        row, closure = scratch.rows[r], model.closures[model.rows[r].closure]
        for end in range(closure.ends):
            i = closure.body[end]
            if i >= model.driven:
                for c in range(6):
                    work.applied[i, c] += row.multiplier * row.wrench[end, c]


@kernel
def factor_linearised(model, state, scratch, work, h):
    """Fills W, Y and the inverse pivots of all axes, after `linearise_axes` and `explicit_motion`."""
    u, second = state.speeds, scratch.accelerations
    for i in range(model.driven, len(model.bodies)):
        _add_gain(work.F[i], work.body_gain[i])
    for i in range(len(model.bodies) - 1, model.driven - 1, -1):
        body, F, taken = model.bodies[i], work.F[i], work.taken[i]
        end = body.axis_end
        while end > body.axis_start:
            first = first_of_block(body, end - 1)
            for k in range(first, end):
                S = scratch.axes[k].S
                for d in range(18):
                    total = 0.0
                    for c in range(6):
                        total += S[c] * F[c, d]
                    work.W[k, d] = total
                for c in range(6):
                    total = 0.0
                    for d in range(18):
                        total += F[c, d] * work.T[k, d]
                    work.Y[k, c] = total
                    work.handed[k, c] = 0.0
                moved = h * (u[k] + h * second[k])
                n, f = load_angular(taken), load_linear(taken)
                _add_turned_force(work.Y[k], h * h, load_angular(S), load_linear(S), n, f)
                _add_turned_force(work.handed[k], moved, load_angular(S), load_linear(S), n, f)
            _invert_pivots(model, scratch, work, first, end)
            for k in range(first, end):
                for d in range(18):
                    total = 0.0
                    for j in range(first, end):
                        total += work.inverse[k, j - first] * work.W[j, d]
                    work.row[d] = total
                for c in range(6):
                    for d in range(18):
                        F[c, d] -= work.Y[k, c] * work.row[d]
            _turn_columns(F, work.block_velocity[first])
            end = first
        if body.inner >= model.driven:
            r = subtract(load3(scratch.bodies[i].center), load3(scratch.bodies[body.inner].center))
            _hand_inward(F, work.F[body.inner], r)
            n, f = load_angular(taken), load_linear(taken)
            moment, inner = add(n, cross(r, f)), work.taken[body.inner]
            for c in range(3):
                inner[c] += moment[c]
                inner[3 + c] += f[c]


@kernel
def _add_gain(F, gain):
    """Adds stiffness and damping, an articulated inertia of 21 numbers, to what accelerations ask for."""
    k = 0
    for c in range(3):
        for d in range(c, 3):
            F[c, 12 + d] += gain[k]
            F[3 + c, 15 + d] += gain[15 + k]
            if d > c:
                F[d, 12 + c] += gain[k]
                F[3 + d, 15 + c] += gain[15 + k]
            k += 1
        for d in range(3):
            F[c, 15 + d] += gain[6 + 3 * c + d]
            F[3 + d, 12 + c] += gain[6 + 3 * c + d]


@kernel
def _invert_pivots(model, scratch, work, first, end):
    """The inverse of the pivots of one axis, or of three that go together."""
    if end == first + 1:
        work.inverse[first, 0] = 1.0 / _pivot(model, scratch, work, first, first)
        return
    a, b, c = _pivot_row(model, scratch, work, first, first)
    p, q, r = _pivot_row(model, scratch, work, first, first + 1)
    s, t, w = _pivot_row(model, scratch, work, first, first + 2)
    A, B, C = q * w - r * t, r * s - p * w, p * t - q * s
    inverse, share = work.inverse, 1.0 / (a * A + b * B + c * C)
    inverse[first, 0], inverse[first, 1], inverse[first, 2] = (
        share * A,
        share * (c * t - b * w),
        share * (b * r - c * q),
    )
    inverse[first + 1, 0], inverse[first + 1, 1] = share * B, share * (a * w - c * s)
    inverse[first + 1, 2] = share * (c * p - a * r)
    inverse[first + 2, 0], inverse[first + 2, 1] = share * C, share * (b * s - a * t)
    inverse[first + 2, 2] = share * (a * q - b * p)


@kernel
def _pivot_row(model, scratch, work, first, k):
    return (
        _pivot(model, scratch, work, k, first),
        _pivot(model, scratch, work, k, first + 1),
        _pivot(model, scratch, work, k, first + 2),
    )


@kernel
def _pivot(model, scratch, work, k, j):
    """By what the effort of axis k grows with z of axis j of the same block."""
    total = 0.0
    for d in range(18):
        total += work.W[k, d] * work.T[j, d]
    if k == j:
        return total + model.armature[k] + scratch.axes[k].held + work.axis_gain[k]
    return total + work.cross_gain[max(k, j), abs(k - j) - 1]


@kernel
def _turn_columns(F, velocity):
    """F becomes that of the motion before a block of axes: dA = dA' + dV' x (w, v)."""
    w, v = load_angular(velocity), load_linear(velocity)
    for c in range(6):
        n, f = (F[c, 12], F[c, 13], F[c, 14]), (F[c, 15], F[c, 16], F[c, 17])
        a, b = add(cross(w, n), cross(v, f)), cross(w, f)
        for d in range(3):
            F[c, 6 + d] += a[d]
            F[c, 9 + d] += b[d]


@kernel
def _hand_inward(F, inner, r):
    """Adds F to that of the inner body, about its centre, from which this one's lies at r."""
    for block in range(3):
        k = 6 * block
        for d in range(6):
            f = (F[3, k + d], F[4, k + d], F[5, k + d])
            moment = cross(r, f)
            for c in range(3):
                F[c, k + d] += moment[c]
        for c in range(6):
            g = (F[c, k + 3], F[c, k + 4], F[c, k + 5])
            turned = cross(r, g)
            for d in range(3):
                inner[c, k + d] += F[c, k + d] + turned[d]
                inner[c, k + 3 + d] += F[c, k + 3 + d]


@kernel
def solve_linearised(model, scratch, work):
    """Fills solution (A,) and acceleration (B, 6), of z alone, for wrenches, efforts and what is `handed` inward."""
    bodies = scratch.bodies
    for i in range(model.driven, len(model.bodies)):
        for c in range(6):
            work.bias[i, c] = -work.wrench[i, c]
    for i in range(len(model.bodies) - 1, model.driven - 1, -1):
        body, p = model.bodies[i], work.bias[i]
        end = body.axis_end
        while end > body.axis_start:
            first = first_of_block(body, end - 1)
            for k in range(first, end):
                work.u[k] = work.effort[k]
                for c in range(6):
                    work.u[k] -= scratch.axes[k].S[c] * p[c]
            for k in range(first, end):
                share = 0.0
                for j in range(first, end):
                    share += work.inverse[k, j - first] * work.u[j]
                for c in range(6):
                    work.row[c] = work.Y[k, c] * share + work.handed[k, c]
                    p[c] += work.row[c]
            end = first
        if body.inner >= model.driven:
            r = subtract(load3(bodies[i].center), load3(bodies[body.inner].center))
            moment, inner = cross(r, (p[3], p[4], p[5])), work.bias[body.inner]
            for c in range(3):
                inner[c] += p[c] + moment[c]
                inner[3 + c] += p[3 + c]
    for i in range(model.driven, len(model.bodies)):
        body, x = model.bodies[i], work.motion[i]
        _carry(model, scratch, work.motion, i)
        store_spatial(work.acceleration[i], _ZERO, _ZERO)
        k = body.axis_start
        while k < body.axis_end:
            last = k + 3 if first_of_block(body, body.axis_end - 1) == k and body.axis_end - k == 3 else k + 1
            _turn_along(work.block_velocity[k], x)
            for axis in range(k, last):
                rest = work.u[axis]
                for d in range(18):
                    rest -= work.W[axis, d] * x[d]
                work.left[axis] = rest
            for axis in range(k, last):
                z = 0.0
                for j in range(k, last):
                    z += work.inverse[axis, j - k] * work.left[j]
                work.solution[axis] = z
            for axis in range(k, last):
                for d in range(18):
                    x[d] += work.T[axis, d] * work.solution[axis]
            k = last


@kernel
def place_accelerations(model, scratch, work):
    """Fills acceleration (B, 6): of the bodies, by z of the axes alone; what is driven has none."""
    for i in range(model.driven, len(model.bodies)):
        body = model.bodies[i]
        angular, linear = _ZERO, _ZERO
        if body.inner >= model.driven:
            inner = work.acceleration[body.inner]
            r = subtract(load3(scratch.bodies[i].center), load3(scratch.bodies[body.inner].center))
            angular = load_angular(inner)
            linear = add(load_linear(inner), cross(angular, r))
        for k in range(body.axis_start, body.axis_end):
            S = scratch.axes[k].S
            angular = add_scaled(angular, work.solution[k], load_angular(S))
            linear = add_scaled(linear, work.solution[k], load_linear(S))
        store_spatial(work.acceleration[i], angular, linear)


@kernel
def move_ahead(model, scratch, work, h):
    """Fills the explicit change of each body's pose and velocity in a step of h (s), after an evaluation.

    Velocities change by what accelerations of axes and of driven bodies give; the turning of axes is left out. Those of
    driven bodies are known (`tree.leads`).
    """
    bodies = scratch.bodies
    for i in range(model.driven):
        moving, then = bodies[i], scratch.leads[i, 2]
        w, v = load_angular(then), load_linear(then)
        store_spatial(work.acceleration[i], load_angular(moving.acceleration), load_linear(moving.acceleration))
        store_spatial(work.change[i], subtract(w, load3(moving.angular)), subtract(v, load3(moving.linear)))
        store_spatial(work.displacement[i], scale(h, w), scale(h, v))
    for i in range(model.driven, len(model.bodies)):
        body, moving = model.bodies[i], bodies[i]
        r = subtract(load3(moving.center), load3(bodies[body.inner].center))
        angular = load_angular(work.acceleration[body.inner])
        linear = add(load_linear(work.acceleration[body.inner]), cross(angular, r))
        for k in range(body.axis_start, body.axis_end):
            S, second = scratch.axes[k].S, scratch.accelerations[k]
            angular = add_scaled(angular, second, load_angular(S))
            linear = add_scaled(linear, second, load_linear(S))
        _store_ahead(work, i, moving, angular, linear, h)


@kernel
def _store_ahead(work, i, moving, angular, linear, h):
    w, v = scale(h, angular), scale(h, linear)
    store_spatial(work.acceleration[i], angular, linear)
    store_spatial(work.change[i], w, v)
    turn, way = scale(h, add(load3(moving.angular), w)), scale(h, add(load3(moving.linear), v))
    store_spatial(work.displacement[i], turn, way)


@kernel
def add_wrench_square(inertia, gain, moment, force):
    """Adds gain w w^T, with w = (moment, force), to an articulated inertia of 21 numbers."""
    n, f = scale(gain, moment), scale(gain, force)
    square = (
        (n[0] * moment[0], n[0] * moment[1], n[0] * moment[2], n[1] * moment[1], n[1] * moment[2], n[2] * moment[2]),
        (
            n[0] * force[0],
            n[0] * force[1],
            n[0] * force[2],
            n[1] * force[0],
            n[1] * force[1],
            n[1] * force[2],
            n[2] * force[0],
            n[2] * force[1],
            n[2] * force[2],
        ),
        (f[0] * force[0], f[0] * force[1], f[0] * force[2], f[1] * force[1], f[1] * force[2], f[2] * force[2]),
    )
    add_to_inertia(inertia, square)
