# SPDX-License-Identifier: GPL-3.0-or-later
"""Closes loops and constraints by what gives way most easily, not by what is lightest.

The least change in the metric of the mass matrix (`dynamics.loops.drift`) is that of a blow: it goes through a few
links of a slack chain, and those nearest to the gap would have to close all of it. So here the metric is that of the
latest linear system, M + h^2 K, in which tense links resist and all others share what is asked, by as much as they
would under a force at the gap. Columns of response are kept as turns of bodies (`turns`) from the pose of the system,
and measured anew in each pose: Gauss and Newton's method with a metric that is one attempt old (Nocedal and Wright
2006, section 10.3).
"""

import math

from ...dynamics.implicit.coupling import measure_motion, refresh_closures, solve_rows
from ...dynamics.implicit.linearised_tree import place_accelerations
from ...dynamics.loops.closures import update_rows
from ...dynamics.loops.drift import worst_error
from ...dynamics.tree.kinematics import update_kinematics
from ...kernel import kernel
from .rest import largest_turn
from .turns import correct_turns, recenter_all, spread_turns, want_turns

_ATTEMPTS = 25
_CORRECTIONS = 1  # of turns, in each
_FARTHEST = 0.5  # rad, or part of the size: the largest change in one
_FALLING = 0.98  # an error that falls less is at rounding, or cannot be met


@kernel
def keep_response(model, scratch, work, count, response):
    """Keeps how bodies turn (W, B, 3) for a unit on each row of the latest system; kinematics must be those of it."""
    for r in range(count):
        for k in range(len(work.solution)):
            work.solution[k] = work.columns[r, k]
        place_accelerations(model, scratch, work)
        for i in range(model.driven, len(model.bodies)):
            for c in range(3):
                response[r, i, c] = work.acceleration[i, c]


@kernel
def close_by_response(model, state, scratch, work, count, response, wanted, turn, is_turned, per_scale, limit):
    """Moves a state until no row is open by more than `limit` (rad, parts of the size), if it can.

    The driven bodies must be at their places. Leaves kinematics and rows up to date.
    """
    before = math.inf
    for _ in range(_ATTEMPTS):
        update_kinematics(model, state, scratch)
        update_rows(model, state, scratch)
        now = worst_error(model, scratch)
        if not now > limit or not now < _FALLING * before:
            return
        before = now
        _ask_rows(model, scratch, work, count, response, is_turned)
        for k in range(len(work.solution)):
            total = 0.0
            for r in range(count):
                total += work.multiplier[r] * work.columns[r, k]
            work.solution[k] = total
        for i in range(model.driven, len(model.bodies)):
            for c in range(3):
                total = 0.0
                for r in range(count):
                    total += work.multiplier[r] * response[r, i, c]
                turn[i, c] = total
        _turn_bodies(model, state, scratch, work, wanted, turn, is_turned, per_scale)


@kernel
def _ask_rows(model, scratch, work, count, response, is_turned):
    """Fills the multipliers of the rows for which the response closes them."""
    refresh_closures(model, scratch, work)
    for r in range(count):
        for k in range(len(work.solution)):
            work.solution[k] = work.columns[r, k]
        spread_turns(model, scratch, response[r], is_turned, work.solution)
        place_accelerations(model, scratch, work)
        measure_motion(model, scratch, work, count, r)
        work.multiplier[r] = 0.0
    for r in range(model.closing):
        if not model.closures[model.rows[r].closure].gives_way:
            work.multiplier[r] = -scratch.rows[r].error
    solve_rows(work, count)


@kernel
def _turn_bodies(model, state, scratch, work, wanted, turn, is_turned, per_scale):
    """Adds the change in work.solution, of which bodies make the turns (B, 3), cut to what stays small."""
    spread_turns(model, scratch, turn, is_turned, work.solution)
    place_accelerations(model, scratch, work)
    far = largest_turn(model, work)
    for k in range(len(work.solution)):
        if is_turned[k] == 0:
            far = max(far, abs(work.solution[k]) * per_scale[k])
    share = min(1.0, _FARTHEST / far) if far > 0.0 else 1.0
    for k in range(len(work.solution)):
        work.solution[k] *= share
    for i in range(len(work.acceleration)):
        for c in range(6):
            work.acceleration[i, c] *= share
    want_turns(model, scratch, work, wanted, turn)
    recenter_all(model, state)
    for k in range(len(work.solution)):
        state.coordinates[k] += work.solution[k]
    for _ in range(_CORRECTIONS):
        update_kinematics(model, state, scratch)
        correct_turns(model, state, scratch, work, wanted, is_turned)
