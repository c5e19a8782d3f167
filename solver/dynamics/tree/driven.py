# SPDX-License-Identifier: GPL-3.0-or-later
"""What time alone decides: pose, velocity and acceleration of the world, of fixed bodies and keyed ones, the gaps that
closures may have on their way together, and the coordinates and lengths that are led.

A keyed body follows a piecewise polynomial through its keys (`splines`), along world axes.
"""

from ...kernel import kernel
from ...rotation import matrix_of_quaternion
from ...spatial import load3, store3, store9, store_spatial
from .catching import update_allowed_gaps
from .leads import sample_track
from .splines import is_on_curve, piece_at, polynomial
from .targets import update_targets

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
        if closure.curve_start < 0 or is_on_curve(model.rows[r].kind):
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
    body = scratch.bodies[number]
    place, linear, speeding, q, w, turn = sample_track(model, scratch, number, time)
    store9(body.rotation, matrix_of_quaternion(q))
    store3(body.center, place)
    store3(body.angular, w)
    store3(body.linear, linear)
    store_spatial(body.acceleration, turn, speeding)


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
