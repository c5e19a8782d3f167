# SPDX-License-Identifier: GPL-3.0-or-later
"""The course on which a closure that holds anew is drawn together.

A closure whose ends are apart is asked for C'' + 2/tau C' + C/tau^2 = 0 (Barzel and Barr 1988; Schroeder 1990, eq.
5.3). From C0 and C0' at its beginning that is, s = t/tau later,
    C = (C0 (1 + s) + tau C0' s) exp(-s),
which each of its rows is allowed to be off by: a condition that changes with time, as that of a path does, met by
multipliers like all others and kept from drifting like all others. In contrast to the feedback of the thesis (eq. 5.9)
nothing but rounding leads off this course, impacts do not either, and it ends in the exact closure by itself.

One with a limit is fed back after all: it may be late on its course, or be held up. Wherever it is counts as where it
is allowed to be, and what it is asked for is C'' = -2/tau C' - C/tau^2, by the force that this takes, or the largest
one (`dynamics.loops.limited`).

A coordinate, or a length, that is led by a function of time is a row of the same kind: what it may be off is that
function (`tree.driven`), and while it is drawn onto it, both.
"""

import math

from ...kernel import kernel


@kernel
def update_allowed_gaps(model, time, scratch):
    """Fills `allowed` of all rows of closures that are drawn together at this time (s)."""
    for number in range(len(model.closures)):
        closure = model.closures[number]
        if not closure.tau > 0.0 or closure.limit > 0.0:
            continue
        tau, s = closure.tau, (time - closure.begun) / closure.tau
        left = math.exp(-s) if time < closure.settled else 0.0
        for r in range(closure.row_start, closure.row_end):
            gap, way = model.rows[r].gap, tau * model.rows[r].opening
            allowed = scratch.rows[r].allowed
            allowed[0] = left * (gap + (gap + way) * s)
            allowed[1] = left * (way - (gap + way) * s) / tau
            allowed[2] = left * ((gap + way) * (s - 1.0) - way) / (tau * tau)


@kernel
def subtract_allowed_gap(closure, rows):
    """Makes error, rate and bias of a closure's rows those by which it is off its course."""
    for r in range(closure.row_start, closure.row_end):
        allowed = rows[r].allowed
        if closure.limit > 0.0:
            gap, rate = rows[r].error, rows[r].rate
            allowed[0], allowed[1], allowed[2] = gap, rate, -(2.0 * rate + gap / closure.tau) / closure.tau
        rows[r].error -= allowed[0]
        rows[r].rate -= allowed[1]
        rows[r].bias -= allowed[2]
