# SPDX-License-Identifier: GPL-3.0-or-later
"""Blows at limits that bounce: axes that meet one leave it with its bounciness times the speed that they came with.

All that holds an axis in no time takes part, limits that others are at and motors without a maximum among it; friction
and other motors give nothing worth speaking of. As by the other integrators (`evaluation.mode_transitions`), of several
limits that are met at once the least bounciness counts, so no blow adds energy.

Rows are solved one after the other, and closures then take back a part of what each was given: how much, the next round
knows from what came of the last one, so that one blow through closures takes three rounds.
"""

import math

from ...kernel import kernel
from ...model.arrays import AXIS_PARAMETERS, BOUNCINESS, Hold
from .gauss_seidel import is_limit
from .rows import NOTHING, added_row, along_row, gather_relative_velocity, scatter_impulse
from .workspace import TOUCH

_BY_MOTOR, _BY_UPPER = int(Hold.MOTOR), int(Hold.UPPER)
_DRIVEN = 2.0  # times what smooth forces make of an axis' speed in a whole step: what is slower does not bounce
_LEAST_PART, _MOST_GAIN = 0.01, 100.0  # of what was asked for: what closures leave of it, to be believed


@kernel
def scale_of(model, axis):
    """1/m or 1: what makes lengths parts of the linkage's size."""
    return 1.0 / model.size if model.is_length[axis] else 1.0


@kernel
def least_rebound(model, axis, slow, gained):
    """1/s: the speed, in the linkage's scale, from which an axis bounces; `gained` (m/s or rad/s) in a whole step."""
    return max(slow / model.size, _DRIVEN * scale_of(model, axis) * abs(gained))


@kernel
def mark_limits(model, scratch, state, memory, began, whole, slow, soon):
    """Notes which rows take part in blows at limits, and what rate each asks for; False if nothing bounces.

    began (2 A,): the state at the step's start, which is one `whole`th of a step ago. slow (m/s) as for impacts of
    contacts; limits count that are met, or will be within `soon` (s).
    """
    least, p = 1.0, scratch.parameters
    for x in range(memory.counts[0].axis_rows):
        row = memory.axis_rows[x]
        scale = scale_of(model, row.axis)
        row.takes_part, row.asked, row.gain, row.met = 0, 0.0, 1.0, math.inf
        if row.kind == _BY_MOTOR and row.high == math.inf:
            row.takes_part, row.asked = 1, -row.bias
        elif is_limit(row) and row.component < 0:
            rate = limit_rate(state, row)
            if row.opening + soon * min(0.0, rate) <= TOUCH / scale:
                row.takes_part = 1
                gained = whole * (state.speeds[row.axis] - began[len(state.speeds) + row.axis])
                if scale * rate < -least_rebound(model, row.axis, slow, gained):
                    row.asked = -rate
                    least = min(least, p[row.axis * AXIS_PARAMETERS + BOUNCINESS])
    bounces = False
    for x in range(memory.counts[0].axis_rows):
        row = memory.axis_rows[x]
        if row.takes_part and row.kind != _BY_MOTOR:
            row.asked *= least
            gained = whole * (state.speeds[row.axis] - began[len(state.speeds) + row.axis])
            if scale_of(model, row.axis) * row.asked <= least_rebound(model, row.axis, slow, gained):
                row.asked = 0.0
            bounces = bounces or row.asked > 0.0
    return bounces


@kernel
def limit_rate(state, row):
    """m/s or rad/s: how fast the gap to a limit opens."""
    return -state.speeds[row.axis] if row.kind == _BY_UPPER else state.speeds[row.axis]


@kernel
def sweep_limits(model, scratch, walk, memory):
    """One sweep over the rows that take part; returns the largest change that they asked for, and the fastest rate."""
    change, fastest = 0.0, 0.0
    for b in range(memory.counts[0].blocks):
        block = memory.blocks[b]
        takes_part = False
        for x in range(block.row_first, block.row_last):
            takes_part = takes_part or memory.axis_rows[x].takes_part == 1
        if not takes_part:
            continue
        t, total = gather_relative_velocity(model, scratch, walk, block), NOTHING
        for x in range(block.row_first, block.row_last):
            row = memory.axis_rows[x]
            if row.takes_part:
                rate = along_row(memory.rows.wrench, row.row, t)
                _learn(row, rate)
                d = row.gain * (row.asked - rate) / memory.rows.own[row.row]
                if row.kind != _BY_MOTOR:
                    d = max(d, -memory.event[row.row])
                memory.event[row.row] += d
                scale = scale_of(model, row.axis)
                change = max(change, scale * abs(d) * memory.rows.own[row.row])
                fastest = max(fastest, scale * max(abs(rate), abs(row.asked)))
                t = added_row(memory.rows.response, row.row, d, t)
                total = added_row(memory.rows.wrench, row.row, d, total)
        scatter_impulse(model, scratch, walk, block, total)
    return change, fastest


@kernel
def _learn(row, rate):
    """From what became of the change that a row asked for in the last round."""
    if row.met < math.inf and row.asked != row.met:
        part = (rate - row.met) / (row.asked - row.met)
        if _LEAST_PART < part < 1.0:
            row.gain = min(_MOST_GAIN, row.gain / part)
    row.met = rate
