# SPDX-License-Identifier: GPL-3.0-or-later
"""Targets of what follows its keys: time alone decides them; `forces.drives` drives the axes there."""

from ...kernel import kernel
from .leads import sample_track
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
        place, rates, _, turn, spin, _ = sample_track(model, scratch, model.driven + f, time)
        for c in range(4):
            target.orientation[c] = turn[c]
        for c in range(3):
            target.coordinates[c], target.rates[c], target.spin[c] = place[c], rates[c], spin[c]
        _fill(model, followed.effort, target.effort, _held(model, followed, time))


@kernel
def _held(model, followed, time):
    return min(max(time, model.key_times[followed.target[0]]), followed.stop)


@kernel
def _fill(model, pieces, values, time):
    piece = piece_at(model.key_times, pieces[0], pieces[1], time)
    for c in range(6):
        values[c], _, _ = polynomial(model.key_coefficients, piece, c, time - model.key_times[piece])
