# SPDX-License-Identifier: GPL-3.0-or-later
"""Targets of what follows its keys: time alone decides them; `forces.drives` drives the axes there.

But for implicit substeps. These go on by h times the speed at their end, which is off a curved course by h^2 / 2 of its
acceleration; a stiff drive would correct that by a wrong speed, which no extrapolation removes (it falls with the
square of the drive's pace, not with a power of h alone). So within a step the target goes on by Euler's method too,
beside its keys by a `lead`, of which the extrapolation leaves nothing (cf. Prothero and Robinson 1974).
"""

import math

from ...kernel import kernel
from ...rotation import conjugate, exponential, logarithm, multiply_quaternions
from .splines import piece_at, polynomial


@kernel
def update_targets(model, time, scratch):
    """Fills the targets, their rates, efforts and inertias at this time (s)."""
    move_targets(model, time, scratch)
    for f in range(len(model.followed)):
        followed = model.followed[f]
        _fill(model, followed.inertia, scratch.targets[f].inertia, _held(model, followed, time))


@kernel
def move_targets(model, time, scratch):
    """The same, but for the inertias: drives stay as stiff as they are."""
    for f in range(len(model.followed)):
        followed, target = model.followed[f], scratch.targets[f]
        held = _held(model, followed, time)
        _place_target(model, followed, target, held, held == time)
        _fill(model, followed.effort, target.effort, held)


@kernel
def forget_leads(model, scratch):
    """Targets are where the keys have them."""
    for f in range(len(model.followed)):
        for c in range(6):
            scratch.targets[f].lead[c] = 0.0


@kernel
def find_next_leads(model, time, scratch, h):
    """Fills the leads at the end of an implicit substep of h (s) from this time (s)."""
    for f in range(len(model.followed)):
        followed, target = model.followed[f], scratch.targets[f]
        begin, end = _held(model, followed, time), _held(model, followed, time + h)
        before, _, from_turn, _ = _sample(model, followed, begin)
        after, rates, to_turn, spin = _sample(model, followed, end)
        pace = h if end == time + h else 0.0
        turn = logarithm(multiply_quaternions(to_turn, conjugate(from_turn)))
        for c in range(3):
            target.next_lead[c] = target.lead[c] + pace * rates[c] - (after[c] - before[c])
            target.next_lead[3 + c] = target.lead[3 + c] + pace * spin[c] - turn[c]


@kernel
def exchange_leads(model, scratch):
    """Exchanges the leads with those at the end of the substep."""
    for f in range(len(model.followed)):
        target = scratch.targets[f]
        for c in range(6):
            target.lead[c], target.next_lead[c] = target.next_lead[c], target.lead[c]


@kernel
def _held(model, followed, time):
    return min(max(time, model.key_times[followed.target[0]]), followed.stop)


@kernel
def _place_target(model, followed, target, time, moves):
    place, rates, turn, spin = _sample(model, followed, time)
    lead = target.lead
    turn = multiply_quaternions(exponential((lead[3], lead[4], lead[5])), turn)
    for c in range(4):
        target.orientation[c] = turn[c]
    for c in range(3):
        target.coordinates[c], target.rates[c] = place[c] + lead[c], rates[c] if moves else 0.0
        target.spin[c] = spin[c] if moves else 0.0


@kernel
def _sample(model, followed, time):
    """Coordinates and their rates, the turn q = x / |x| and w = 2 Im(q' conj(q)), as of keyed bodies (`driven`)."""
    coefficients = model.key_coefficients
    piece = piece_at(model.key_times, followed.target[0], followed.target[1], time)
    s = time - model.key_times[piece]
    a, da, _ = polynomial(coefficients, piece, 0, s)
    b, db, _ = polynomial(coefficients, piece, 1, s)
    c, dc, _ = polynomial(coefficients, piece, 2, s)
    w, dw, _ = polynomial(coefficients, piece, 3, s)
    x, dx, _ = polynomial(coefficients, piece, 4, s)
    y, dy, _ = polynomial(coefficients, piece, 5, s)
    z, dz, _ = polynomial(coefficients, piece, 6, s)
    k = 1.0 / math.sqrt(w * w + x * x + y * y + z * z)
    q = (k * w, k * x, k * y, k * z)
    turn = multiply_quaternions((k * dw, k * dx, k * dy, k * dz), conjugate(q))
    return (a, b, c), (da, db, dc), q, (2.0 * turn[1], 2.0 * turn[2], 2.0 * turn[3])


@kernel
def _fill(model, pieces, values, time):
    piece = piece_at(model.key_times, pieces[0], pieces[1], time)
    for c in range(6):
        values[c], _, _ = polynomial(model.key_coefficients, piece, c, time - model.key_times[piece])
