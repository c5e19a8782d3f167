# SPDX-License-Identifier: GPL-3.0-or-later
"""Rows of a force by an expression that is too stiff for a step: it acts with what it will be at the step's end.

Each of its three components f is a row along its own axis.
    h    the step that ends here, s
    x    the point, where the smooth motion has led it with the force of the step before, m
    v    its rate along the axis, m/s
    p'   the impulse of that force, p the one that is sought, N s
    W    the inverse effective mass of the row, 1/kg: own
    d    the change of the rate, m/s, which shifts the point by h d / 2
From there the point goes on for a step. The component alone would have
    p = h f(v + d, x + h d / 2 + h (v + d)),    d = W (p - p').
A tangent would miss laws that are steep in one place only, as tanh(v / 0.01). So this is solved by false position,
between the rate now and the one to which the present force would lead. There the row takes the slope of the law, and
the contact iteration goes on with p = asked - gain (v + d), as in `stiff_forces`. Where the law jumps, the gain is so
large that the rate stays at the jump. A component that drives along its axis has no gain: its impulse is given.
"""

import math

from ...dynamics.forces.expression import axis_of, component_ahead, go_ahead, put_names
from ...dynamics.forces.points import first_parameter
from ...kernel import kernel
from ...spatial import dot, load3

_ROUNDS = 2  # over the three components, each of which may depend on the others' rates
_GUESSES = 60  # at most, for one root
_EXACT = 1e-12  # tolerance of a root, as a part of the change that the present force would make
_JUMPS = 1e-6  # of an impulse: where the law differs from it by more, it jumps
_HELD = 1e6  # of the effective mass: the gain of a row whose law jumps


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
    """Gain and asked impulse of component k, the others as they are; names then stand for the rate that it leads to."""
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
    """m/s: by how much the law's impulse changes the rate beyond what is `done` already and `change`."""
    f, _ = component_ahead(model, scratch, number, k, axis, change, reach)
    return own * (h * f - kept) - done - change


@kernel
def _root(model, scratch, number, k, axis, whole, there, own, kept, done, h, reach):
    """m/s: the change without excess, between 0 and `whole`, where the excess is `there`, of the opposite sign."""
    low, high, below, above, side = 0.0, whole, whole, there, 0
    for _ in range(_GUESSES):  # the Illinois algorithm: Dowell and Jarratt (1971)
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
