# SPDX-License-Identifier: GPL-3.0-or-later
"""Rows of a force by an expression that is too stiff for a step: it acts with what it will be at the step's end.

Each of its three components is a row along its own axis. Where the smooth motion has led, at a rate v with the force of
the step before, whose impulse is p', a change d of the rate shifts the point by h d / 2, and from there it goes on for
a step. So with W what a unit impulse makes of its own rate, the component f alone would have
    p = h f(v + d, x + h d / 2 + h (v + d)),    d = W (p - p'),
which is solved as it is, between the rate now and the one to which the present force would lead: a law that is steep in
one place only, as tanh(v / 0.01), is met there, and one that jumps holds the rate at its jump. From that solution on
the row has the law's own slope, and what contacts and other forces change goes by p = asked - gain (v + d), as in
`stiff_forces`. What drives along its axis has no slope, and is given.
"""

import math

from ...dynamics.forces.expression import axis_of, component_ahead, go_ahead, put_names
from ...dynamics.forces.points import first_parameter
from ...kernel import kernel
from ...spatial import dot, load3

_ROUNDS = 2  # over the three components, each of which may depend on the others' rates
_GUESSES = 60
_EXACT = 1e-12  # of the change that the present force would make
_JUMPS = 1e-6  # of an impulse: by what the law differs from it where it jumps
_HELD = 1e6  # of its own inertia: the gain of a row that a jump holds


@kernel
def soften_field(model, scratch, rows, each, number, h, ahead):
    """Gains and asked impulses of an expression's rows; h (s): the step that ends here, ahead (s): the next one."""
    _, R = put_names(model, scratch, number, first_parameter(model, number))
    reach = ahead + 0.5 * h
    for k in range(3):
        each.rate[k] = go_ahead(scratch, k, axis_of(R, k), 0.0, 0.0)
    for k in range(3):
        go_ahead(scratch, k, axis_of(R, k), ahead * each.rate[k], 0.0)
    for _ in range(_ROUNDS):
        for k in range(3):
            kept = h * each.carried * dot(axis_of(R, k), load3(each.force)) if each.known else 0.0
            _meet_law(model, scratch, each, number, k, axis_of(R, k), rows.own[each.row + k], kept, h, reach)


@kernel
def _meet_law(model, scratch, each, number, k, axis, own, kept, h, reach):
    """Component k with the others as they are; what the names stand for goes on to the rate that it will have."""
    now = go_ahead(scratch, k, axis, 0.0, 0.0)
    done = now - each.rate[k]
    f, _ = component_ahead(model, scratch, number, k, axis, 0.0, reach)
    impulse, gain, change = h * f, 0.0, own * (h * f - kept) - done
    if own > 0.0 and abs(change) < math.inf:
        there = _excess(model, scratch, number, k, axis, change, own, kept, done, h, reach)
        if change * there < 0.0:
            change = _root(model, scratch, number, k, axis, change, there, own, kept, done, h, reach)
            impulse = kept + (done + change) / own
            f, slope = component_ahead(model, scratch, number, k, axis, change, reach)
            if abs(h * f - impulse) > _JUMPS * abs(impulse):
                gain = _HELD / own
            elif -math.inf < slope < 0.0:
                gain = -h * slope
        elif change == 0.0:
            _, slope = component_ahead(model, scratch, number, k, axis, 0.0, reach)
            gain = -h * slope if -math.inf < slope < 0.0 else 0.0
        go_ahead(scratch, k, axis, reach * change, change)
        now += change
    each.gain[k], each.asked[k] = gain, impulse + gain * now


@kernel
def _excess(model, scratch, number, k, axis, change, own, kept, done, h, reach):
    """m/s: by what the law's impulse changes the rate more than by `change`, and than what is done already."""
    f, _ = component_ahead(model, scratch, number, k, axis, change, reach)
    return own * (h * f - kept) - done - change


@kernel
def _root(model, scratch, number, k, axis, whole, there, own, kept, done, h, reach):
    """m/s: the change between none and the whole one, with the opposite excess `there`, at which there is none."""
    low, high, below, above, side = 0.0, whole, whole, there, 0
    for _ in range(_GUESSES):  # false position, with Illinois' remedy
        guess = high - above * (high - low) / (above - below)
        excess = _excess(model, scratch, number, k, axis, guess, own, kept, done, h, reach)
        if excess * there > 0.0:
            high, above, below = guess, excess, 0.5 * below if side > 0 else below
            side = 1
        else:
            low, below, above = guess, excess, 0.5 * above if side < 0 else above
            side = -1
        if abs(excess) <= _EXACT * abs(whole) or abs(high - low) <= _EXACT * abs(whole):
            return guess
    return high
