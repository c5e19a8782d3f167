# SPDX-License-Identifier: GPL-3.0-or-later
"""What time alone decides: pose, velocity and acceleration of the world, of fixed bodies and keyed ones, the gaps that
closures may have on their way together, and the coordinates and lengths that are led.

A keyed body follows a piecewise polynomial through its keys: position p(t) and quaternion components x(t), which are
normalised, q = x / |x|. With u = x / |x| and the parts of x', x'' across u, the body's motion along world axes is
    w = 2 Im(q' conj(q)),  w' = 2 Im(q'' conj(q)).
"""

import math

from ...kernel import kernel
from ...model.arrays import RowKind
from ...rotation import conjugate, exponential, logarithm, matrix_of_quaternion, multiply_quaternions
from ...spatial import load3, store3, store9, store_spatial
from .catching import update_allowed_gaps
from .splines import piece_at, polynomial
from .targets import update_targets

_BEAD = int(RowKind.BEAD)
_ZERO = (0.0, 0.0, 0.0)


@kernel
def update_driven_bodies(model, time, scratch):
    """Fills rotation, center, angular, linear and acceleration of all driven bodies at this time (s).

    With them, what rows of closures may be off: gaps (`catching`), and coordinates that are led; and what is followed.
    """
    for i in range(model.driven):
        driven, body = model.driven_bodies[i], scratch.bodies[i]
        if driven.key_start >= 0:
            _follow_keys(model, time, i, scratch)
        else:
            store9(body.rotation, driven.rotation)
            store3(body.center, load3(driven.position))
            _stand_still(body)
    update_allowed_gaps(model, time, scratch)
    _lead_rows(model, time, scratch)
    update_targets(model, time, scratch)


@kernel
def _lead_rows(model, time, scratch):
    """Adds to what rows may be off the functions of time that lead them."""
    for r in range(model.closing):
        closure, allowed = model.closures[model.rows[r].closure], scratch.rows[r].allowed
        if closure.curve_start < 0 or model.rows[r].kind == _BEAD:
            continue
        held = min(max(time, model.key_times[closure.curve_start]), closure.curve_stop)
        piece = piece_at(model.key_times, closure.curve_start, closure.curve_end, held)
        value, first, second = polynomial(model.key_coefficients, piece, 0, held - model.key_times[piece])
        if held != time:
            first, second = 0.0, 0.0
        if not closure.tau > 0.0:
            allowed[0], allowed[1], allowed[2] = 0.0, 0.0, 0.0
        allowed[0] += value
        allowed[1] += first
        allowed[2] += second


@kernel
def _stand_still(body):
    store3(body.angular, _ZERO)
    store3(body.linear, _ZERO)
    store_spatial(body.acceleration, _ZERO, _ZERO)


@kernel
def _follow_keys(model, time, number, scratch):
    driven, body, lead = model.driven_bodies[number], scratch.bodies[number], scratch.leads[number, 0]
    held, place, linear, speeding, q, w, turn = _sample_keys(model, driven, time)
    if lead[0] != 0.0 or lead[1] != 0.0 or lead[2] != 0.0:
        q = multiply_quaternions(exponential((lead[0], lead[1], lead[2])), q)
    store9(body.rotation, matrix_of_quaternion(q))
    store3(body.center, (place[0] + lead[3], place[1] + lead[4], place[2] + lead[5]))
    if held != time:
        _stand_still(body)
    else:
        store3(body.angular, (w[0] + lead[6], w[1] + lead[7], w[2] + lead[8]))
        store3(body.linear, (linear[0] + lead[9], linear[1] + lead[10], linear[2] + lead[11]))
        store_spatial(body.acceleration, turn, speeding)


@kernel
def _sample_keys(model, driven, time):
    """(time within the keys, position, velocity, acceleration, quaternion, angular velocity and its rate)."""
    key_times, coefficients = model.key_times, model.key_coefficients
    held = min(max(time, key_times[driven.key_start]), driven.key_stop)
    piece = piece_at(key_times, driven.key_start, driven.key_end, held)
    s = held - key_times[piece]
    px, dpx, ddpx = polynomial(coefficients, piece, 0, s)
    py, dpy, ddpy = polynomial(coefficients, piece, 1, s)
    pz, dpz, ddpz = polynomial(coefficients, piece, 2, s)
    x0, dx0, ddx0 = polynomial(coefficients, piece, 3, s)
    x1, dx1, ddx1 = polynomial(coefficients, piece, 4, s)
    x2, dx2, ddx2 = polynomial(coefficients, piece, 5, s)
    x3, dx3, ddx3 = polynomial(coefficients, piece, 6, s)
    k = 1.0 / math.sqrt(x0 * x0 + x1 * x1 + x2 * x2 + x3 * x3)
    q = (k * x0, k * x1, k * x2, k * x3)
    y, z = (k * dx0, k * dx1, k * dx2, k * dx3), (k * ddx0, k * ddx1, k * ddx2, k * ddx3)
    # with |x| scaled to one: q' = y - (u.y) u, and w' = 2 Im((z - 2 (u.y) q') conj(q))
    along = q[0] * y[0] + q[1] * y[1] + q[2] * y[2] + q[3] * y[3]
    rate = multiply_quaternions(y, conjugate(q))
    w = (2.0 * rate[1], 2.0 * rate[2], 2.0 * rate[3])
    second = multiply_quaternions(z, conjugate(q))
    turn = (
        2.0 * second[1] - 2.0 * along * w[0],
        2.0 * second[2] - 2.0 * along * w[1],
        2.0 * second[3] - 2.0 * along * w[2],
    )
    return held, (px, py, pz), (dpx, dpy, dpz), (ddpx, ddpy, ddpz), q, w, turn


@kernel
def acceleration_ahead(model, number, time):
    """(angular, linear) acceleration of a driven body at this time (s)."""
    driven = model.driven_bodies[number]
    if driven.key_start < 0:
        return _ZERO, _ZERO
    held, _, _, speeding, _, _, turn = _sample_keys(model, driven, time)
    return (turn, speeding) if held == time else (_ZERO, _ZERO)


@kernel
def find_next_driven_leads(model, time, scratch, h):
    """Fills the leads of keyed bodies at the end of an implicit substep of h (s) from this time (s), as for targets.

    Their velocity goes by h a, and their pose by h times what it is then: as `dynamics.implicit` moves them ahead.
    """
    for number in range(model.driven):
        driven, now, then = model.driven_bodies[number], scratch.leads[number, 0], scratch.leads[number, 1]
        if driven.key_start < 0:
            continue
        held, place, linear, speeding, q, w, turn = _sample_keys(model, driven, time)
        ends, place_then, linear_then, _, q_then, w_then, _ = _sample_keys(model, driven, time + h)
        turned = logarithm(multiply_quaternions(q_then, conjugate(q)))
        pace, moves_then = (h if held == time else 0.0), (1.0 if ends == time + h else 0.0)
        for c in range(3):
            then[6 + c] = now[6 + c] + pace * turn[c] - (w_then[c] - w[c])
            then[9 + c] = now[9 + c] + pace * speeding[c] - (linear_then[c] - linear[c])
            then[c] = now[c] + pace * (w_then[c] + then[6 + c]) - turned[c]
            then[3 + c] = now[3 + c] + pace * (linear_then[c] + then[9 + c]) - (place_then[c] - place[c])
            if moves_then == 0.0:
                then[6 + c] = then[9 + c] = 0.0


@kernel
def exchange_driven_leads(scratch):
    """Exchanges the leads of keyed bodies with those at the end of the substep."""
    for number in range(len(scratch.leads)):
        for c in range(12):
            leads = scratch.leads[number]
            leads[0, c], leads[1, c] = leads[1, c], leads[0, c]


@kernel
def forget_driven_leads(scratch):
    """Keyed bodies are where their keys have them."""
    for number in range(len(scratch.leads)):
        for c in range(12):
            scratch.leads[number, 0, c] = 0.0


@kernel
def driven_bodies_move(model, scratch):
    """True if any of them does, now; kinematics must be up to date."""
    moving = 0
    for i in range(model.driven):
        moving += 1 if moves(scratch, i) else 0
    return moving > 0


@kernel
def moves(scratch, i):
    """True if a body has any velocity."""
    w, v = load3(scratch.bodies[i].angular), load3(scratch.bodies[i].linear)
    return w != _ZERO or v != _ZERO
