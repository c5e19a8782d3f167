# SPDX-License-Identifier: GPL-3.0-or-later
"""Limits that bounce, in steps: a step ends where one is met, and the blow goes through the linkage there."""

import math

from ...contact.impulses.propagation import begin_propagation
from ...contact.impulses.rebounds import least_rebound, limit_rate, mark_limits, scale_of, sweep_limits
from ...contact.impulses.workspace import TOUCH
from ...kernel import kernel
from ...model.arrays import AXIS_PARAMETERS, BOUNCINESS, LOWER, UPPER
from .look_ahead import SLOW, may_cut
from .sweep_until_balanced import jump, meet_closures

_MOST_ROUNDS = 100
_EXACT = 1e-13  # of the fastest rate


@kernel
def end_before_rebound(model, memory, p, end):
    """Cuts a step short where an axis meets a limit that it bounces off; by accelerations and speeds at its start."""
    state, axes, t = memory.motion.state, len(model.armature), memory.clock[0].time
    slow = SLOW * memory.clock[0].gravity * memory.interval
    for number in range(len(model.switched)):
        axis = model.switched[number].axis
        k = axis * AXIS_PARAMETERS
        if not model.switched[number].bounded or p[k + BOUNCINESS] == 0.0 or not may_cut(model, memory):
            continue
        scale = scale_of(model, axis)
        for side in range(2):
            way, bound = (1.0, p[k + LOWER]) if side == 0 else (-1.0, p[k + UPPER])
            gap = way * (state.coordinates[axis] - bound)
            rate, second = way * state.speeds[axis], way * memory.stages[0, axes + axis]
            least = least_rebound(model, axis, slow, memory.interval * second)
            if not (TOUCH < scale * gap < math.inf and scale * rate < -least):
                continue
            root = rate * rate - 2.0 * second * gap
            if root >= 0.0:
                end = min(end, max(t + 2.0 * gap / (-rate + math.sqrt(root)), t + 1e-9 * memory.interval))
    return end


@kernel
def rebound(model, scratch, memory, state, tolerance, slow, soon):
    """Blows at limits that are met, all at once, with what holds other axes and closes loops."""
    contact, walk = memory.contact, memory.walk
    whole = memory.clock[0].interval / memory.clock[0].h
    if not mark_limits(model, scratch, state, contact, memory.began.y, whole, slow, soon):
        return
    for row in range(contact.counts[0].rows):
        contact.event[row] = 0.0
    for _ in range(_MOST_ROUNDS):
        begin_propagation(model, scratch, walk)
        change, fastest = sweep_limits(model, scratch, walk, contact)
        jump(model, state, scratch, memory, 0.0)
        meet_closures(model, scratch, memory, state, tolerance, 0.0)
        if change <= _EXACT * fastest:
            break
    for row in range(contact.counts[0].rows):
        contact.event[row] = 0.0


@kernel
def mark_speculative_limits(model, scratch, memory, state):
    """Limits that are about to be bounced off do not brake what comes, until it is there."""
    contact, p = memory.contact, scratch.parameters
    slow, cuts = SLOW * memory.clock[0].gravity * memory.clock[0].interval, may_cut(model, memory)
    whole, axes = memory.clock[0].interval / memory.clock[0].h, len(model.armature)
    for x in range(contact.counts[0].axis_rows):
        row = contact.axis_rows[x]
        if row.bounces and p[row.axis * AXIS_PARAMETERS + BOUNCINESS] > 0.0:
            scale = scale_of(model, row.axis)
            gained = whole * (state.speeds[row.axis] - memory.began.y[axes + row.axis])
            least = least_rebound(model, row.axis, slow, gained)
            waits = cuts and scale * row.opening > TOUCH and scale * limit_rate(state, row) < -least
            row.high = 0.0 if waits else math.inf
