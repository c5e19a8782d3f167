# SPDX-License-Identifier: GPL-3.0-or-later
"""The moment within a step at which what holds an axis lets go, where it would hold again at the step's end.

Friction, limits and motors hold with forces that follow the motion, and no error of a motion that goes on evenly bounds
a step: a rotor in a frame that friction holds may pull with all its unbalance and push back before the step is over. So
a step in which something moves far is looked into, on the way and where a parabola through three margins comes near
zero, and the moment is closed in on by regula falsi (Illinois). The integrator evaluates its state at each share of the
step in turn:

    begin_search(search, ...)
    while search.share >= 0: evaluate there; note_margin(search, margin)

`high` is then the share of the step at which it has just let go, or 1.
"""

import math

import numpy as np

from ...dynamics.forces.switching import SLIGHT, SLIGHT_FORCE, spare_force
from ...dynamics.tree.inverse_dynamics import update_joint_wrenches
from ...kernel import kernel
from ...model.arrays import AXIS_PARAMETERS, MOTOR_LIMIT, STATIC_FRICTION, Hold
from .motion import next_guess

_NOTHING, _BY_FRICTION, _BY_MOTOR = int(Hold.NOTHING), int(Hold.FRICTION), int(Hold.MOTOR)
_PER_LOOK = 0.3  # rad, or parts of the size, that what moves fastest goes from one look to the next
_MOST_LOOKS = 1000
_NEAR = 0.05  # of the bend of a parabola: how far above zero its least value may be, since it may be off
_MOST_GUESSES, _AT_ONCE = 60, 1e-14  # for the moment; as a part of the step
_ON_THE_WAY, _AT_A_DIP, _CLOSING_IN = 0, 1, 2

SEARCH = np.dtype(
    [
        ("share", "f8"),  # of the step, to be looked at next; -1 once it is over
        ("high", "f8"),  # share at which it has let go; 1 if it has not
        ("low", "f8"),  # share before that at which it holds
        ("high_margin", "f8"),
        ("low_margin", "f8"),
        ("before", "f8"),  # margin at the last but one look on the way,
        ("last", "f8"),  # at the last one,
        ("end", "f8"),  # and at the step's end
        ("enough", "f8"),  # margin that is as good as none
        ("looks", "i8"),  # on the way
        ("number", "i8"),  # of them so far
        ("aim", "i8"),
        ("guesses", "i8"),
        ("side", "i8"),  # from which the last guess came
    ],
    align=True,
)


@kernel
def looks_within(model, scratch, way):
    """The number of looks into a step in which the fastest axis goes so far (rad, or parts of the size)."""
    if not way > _PER_LOOK:
        return 0
    for number in range(len(model.switched)):
        if _may_let_go(model, scratch, number):
            return int(min(way / _PER_LOOK, _MOST_LOOKS))
    return 0


@kernel
def _may_let_go(model, scratch, number):
    hold, k = scratch.switches[number].hold, model.switched[number].axis * AXIS_PARAMETERS
    if hold == _BY_MOTOR:
        return scratch.parameters[k + MOTOR_LIMIT] < math.inf
    if hold == _BY_FRICTION:
        return scratch.parameters[k + STATIC_FRICTION] < math.inf
    return hold != _NOTHING


@kernel
def margin_of_holds(model, scratch):
    """The least rest of a force that holds, as a part of the largest, in a state that has just been evaluated."""
    update_joint_wrenches(model, scratch)
    least = math.inf
    for number in range(len(model.switched)):
        if _may_let_go(model, scratch, number):
            least = min(least, spare_force(model, scratch, number) + SLIGHT_FORCE)
    return least


@kernel
def begin_search(search, looks, start, end, enough):
    """Begins with so many looks; start, end: margins there; enough: the size of one that is as good as none."""
    search.high, search.last, search.end, search.enough = 1.0, start, end, enough
    search.before, search.looks, search.number, search.guesses, search.side = math.inf, looks, 0, 0, 0
    _go_on(search)


@kernel
def _go_on(search):
    """Aims at the next look on the way; ends the search if there is none."""
    pitch = 1.0 / (search.looks + 1.0)
    search.aim, search.low, search.low_margin = _ON_THE_WAY, search.number * pitch, search.last
    search.share = (search.number + 1.0) * pitch if search.number < search.looks else -1.0


@kernel
def note_margin(search, margin):
    """Takes the margin at `share`, and aims at the next one."""
    if search.aim == _CLOSING_IN:
        _narrow(search, margin)
    elif margin < -SLIGHT:
        search.high, search.high_margin, search.aim = search.share, margin, _CLOSING_IN
        _guess(search)
    elif search.aim == _ON_THE_WAY:
        search.number += 1
        _look_for_dip(search, margin)
    else:
        _go_on(search)


@kernel
def _look_for_dip(search, margin):
    """Aims at the least of a parabola through the last three margins, if that is near zero; otherwise goes on.

    The last look on the way has the step's end behind it.
    """
    at, pitch = search.number, 1.0 / (search.looks + 1.0)
    a, b, c = search.before, search.last, margin
    search.before, search.last = b, c
    found = _dip(a, b, c) if at > 1 else 2.0
    if found > 1.0 and at == search.looks:
        at += 1
        a, b, c = b, c, search.end
        found = _dip(a, b, c)
    if found > 1.0:
        _go_on(search)
        return
    search.aim, search.share = _AT_A_DIP, (at - 1.0 + found) * pitch
    search.low, search.low_margin = ((at - 2.0) * pitch, a) if found < 0.0 else ((at - 1.0) * pitch, b)


@kernel
def _dip(a, b, c):
    """The place at which a parabola through three margins, at -1, 0 and 1, is least, if it comes near zero; else 2."""
    bend = a - 2.0 * b + c
    if not 0.0 < bend < math.inf or abs(a - c) > 2.0 * bend or b - (a - c) ** 2 / (8.0 * bend) > _NEAR * bend:
        return 2.0
    return 0.5 * (a - c) / bend


@kernel
def _narrow(search, margin):
    """Moves one of the two ends between which it lets go to the last guess."""
    search.guesses += 1
    if margin < 0.0:
        if search.side < 0:
            search.low_margin *= 0.5
        search.high, search.high_margin, search.side = search.share, margin, -1
    else:
        if search.side > 0:
            search.high_margin *= 0.5
        search.low, search.low_margin, search.side = search.share, margin, 1
    _guess(search)


@kernel
def _guess(search):
    near = search.high_margin > -search.enough or search.high - search.low < _AT_ONCE
    if near or search.guesses >= _MOST_GUESSES:
        search.share = -1.0
    else:
        search.share = next_guess(search.low, search.low_margin, search.high, search.high_margin)
