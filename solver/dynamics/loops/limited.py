# SPDX-License-Identifier: GPL-3.0-or-later
"""Closures that draw their ends together with no more than a largest force: motors without a place of their own.

Their rows hold nothing. A first solution, in which they hold, tells the multipliers that their course takes
(`tree.catching`). Those are cut to the limit, keep their direction, and act as applied forces in a second one, whose
factors know nothing of the rows: impulses meet bodies that are as free as without the closure, so that what stands in
the way holds them up. Forces by travels have one limit, and moments by turns another one of the same number.
"""

import math

from ...kernel import kernel
from ...spatial import add_scaled, add_to_spatial, dot, load_angular, load_linear, scale

_ZERO = (0.0, 0.0, 0.0)


@kernel
def hold_all_rows(model, scratch):
    """Forgets what has been given before: all rows hold in the next solution."""
    for number in range(len(model.closures)):
        if model.closures[number].limit > 0.0:
            for r in range(model.closures[number].row_start, model.closures[number].row_end):
                scratch.rows[r].is_given = 0


@kernel
def give_limited(model, scratch):
    """Makes the multipliers of limited closures, cut to what they may be, applied forces; True if there are any."""
    found = False
    for number in range(len(model.closures)):
        closure = model.closures[number]
        if not closure.limit > 0.0:
            continue
        found = True
        force, moment = _exerted(model, scratch, closure)
        for r in range(closure.row_start, closure.row_end):
            row = scratch.rows[r]
            most = force if model.rows[r].is_length else moment
            row.given = row.multiplier * (closure.limit / most if most > closure.limit else 1.0)
            row.is_given = 1
        _apply(model, scratch, closure, 1.0)
    return found


@kernel
def take_limited_back(model, scratch):
    """Takes those forces off the applied ones, and makes them the rows' multipliers again."""
    for number in range(len(model.closures)):
        closure = model.closures[number]
        if not closure.limit > 0.0:
            continue
        _apply(model, scratch, closure, -1.0)
        for r in range(closure.row_start, closure.row_end):
            scratch.rows[r].multiplier = scratch.rows[r].given


@kernel
def _exerted(model, scratch, closure):
    """(N, N m): the sizes of the force by a closure's travels, and of the moment by its turns."""
    square, moment = 0.0, _ZERO
    for r in range(closure.row_start, closure.row_end):
        row = scratch.rows[r]
        if model.rows[r].is_length:
            square += row.multiplier * row.multiplier
        else:
            moment = add_scaled(moment, row.multiplier, load_angular(row.wrench[1]))
    return math.sqrt(square), math.sqrt(dot(moment, moment))


@kernel
def _apply(model, scratch, closure, share):
    for r in range(closure.row_start, closure.row_end):
        row = scratch.rows[r]
        for end in range(closure.ends):
            i = closure.body[end]
            if i >= model.driven:
                n, f = load_angular(row.wrench[end]), load_linear(row.wrench[end])
                add_to_spatial(scratch.bodies[i].wrench, scale(share * row.given, n), scale(share * row.given, f))
