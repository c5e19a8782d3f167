# SPDX-License-Identifier: GPL-3.0-or-later
"""Targets of what follows its keys: time alone decides them; `forces.drives` drives the axes there."""

import math

from ...kernel import kernel
from ...rotation import conjugate, multiply_quaternions
from .splines import piece_at, polynomial


@kernel
def update_targets(model, time, scratch):
    """Fills the targets, their rates, efforts and inertias at this time (s)."""
    for f in range(len(model.followed)):
        followed, target = model.followed[f], scratch.targets[f]
        held = min(max(time, model.key_times[followed.target[0]]), followed.stop)
        _place_target(model, followed, target, held, held == time)
        _fill(model, followed.effort, target.effort, held)
        _fill(model, followed.inertia, target.inertia, held)


@kernel
def _place_target(model, followed, target, time, moves):
    """Coordinates, and the turn q = x / |x| with w = 2 Im(q' conj(q)), as of keyed bodies (`driven`)."""
    coefficients = model.key_coefficients
    piece = piece_at(model.key_times, followed.target[0], followed.target[1], time)
    s = time - model.key_times[piece]
    for c in range(3):
        value, rate, _ = polynomial(coefficients, piece, c, s)
        target.coordinates[c], target.rates[c] = value, rate if moves else 0.0
    w, dw, _ = polynomial(coefficients, piece, 3, s)
    x, dx, _ = polynomial(coefficients, piece, 4, s)
    y, dy, _ = polynomial(coefficients, piece, 5, s)
    z, dz, _ = polynomial(coefficients, piece, 6, s)
    k = 1.0 / math.sqrt(w * w + x * x + y * y + z * z)
    q = (k * w, k * x, k * y, k * z)
    turn = multiply_quaternions((k * dw, k * dx, k * dy, k * dz), conjugate(q))
    for c in range(4):
        target.orientation[c] = q[c]
    for c in range(3):
        target.spin[c] = 2.0 * turn[1 + c] if moves else 0.0


@kernel
def _fill(model, pieces, values, time):
    piece = piece_at(model.key_times, pieces[0], pieces[1], time)
    for c in range(6):
        values[c], _, _ = polynomial(model.key_coefficients, piece, c, time - model.key_times[piece])
