# SPDX-License-Identifier: GPL-3.0-or-later
"""One implicit step: Euler's linearly implicit steps, shorter and shorter ones, extrapolated to steps of no length.

Row j of the table divides the step H into n_j = j + 1 substeps; by the method of Aitken and Neville,
    T_jk = T_j,k-1 + (T_j,k-1 - T_j-1,k-1) / (n_j / n_j-k+1 - 1),
has order k whatever the stiffness and damping that the substeps know of, and T_j,j-1 - T_jj measures its error
(Deuflhard 1985; Hairer and Wanner 1996, section IV.9: SEULEX). Each T_jk is L-stable or nearly so: A(alpha)-stable with
alpha above 84 degrees up to order 5. Stiffness and damping are taken afresh in each substep, so that a stiff spring may
turn as it goes.
"""

from ...dynamics.implicit.force_tangents import choose_pairs
from ...dynamics.implicit.implicit_change import implicit_change
from ...dynamics.implicit.kinks import note_margins, share_before_kink
from ...dynamics.tree.leads import exchange_leads, find_next_leads, forget_leads
from ...dynamics.tree.surface_joints import put_ride_changes
from ...evaluation.forward_dynamics import update_rates
from ...kernel import kernel
from ..motion.motion import copy_anchors
from .dense_output import put_in_charts

KINK = 1e-6  # margin of a kink (`dynamics.implicit.kinks`) that is as good as none


@kernel
def take_first_substeps(model, scratch, memory, columns):
    """Fills the first substep of so many columns, from the step's start, which has just been evaluated."""
    clock = memory.clock[0]
    choose_pairs(model, scratch, memory.work, clock.attempt)
    for j in range(columns):
        _substep(
            model, clock.time, memory.motion.state, scratch, memory, clock.attempt / (j + 2), memory.substeps[j, 0]
        )


@kernel
def fill_column(model, scratch, memory, j):
    """Goes through the substeps of column j (from 0) and extrapolates the table by it; notes kinks on the way."""
    clock, table, y, trial = memory.clock[0], memory.table, memory.motion.y, memory.trial
    h, moved = clock.attempt / (j + 2), table[j]
    copy_anchors(memory.motion.state, trial.state)
    for c in range(len(y)):
        moved[c] = memory.substeps[j, 0, c]
    clock.kink = 1.0
    find_next_leads(model, clock.time, scratch, h)
    for m in range(1, j + 2):
        for c in range(len(y)):
            trial.y[c] = y[c] + moved[c]
        time = clock.time + m * h
        exchange_leads(scratch)
        update_rates(model, time, trial.state, scratch, memory.rates)
        memory.counts[0].evaluations += 1
        note_margins(model, trial.state, scratch, memory.margins_now)
        share = share_before_kink(memory.margins, memory.margins_now, KINK)
        if share < 1.0:
            clock.kink = min(clock.kink, share * m / (j + 2.0))
        _substep(model, time, trial.state, scratch, memory, h, memory.substeps[j, m])
        for c in range(len(y)):
            moved[c] += memory.substeps[j, m, c]
    forget_leads(scratch)
    for k in range(j, 0, -1):
        share = 1.0 / ((j + 2.0) / (k + 1.0) - 1.0)
        for c in range(len(y)):
            table[k - 1, c] = table[k, c] + share * (table[k, c] - table[k - 1, c])
    if j > 0:
        for c in range(len(y)):
            memory.error[c] = table[0, c] - table[1, c]


@kernel
def _substep(model, time, state, scratch, memory, h, change):
    """Writes the change (2 A,) of coordinates and speeds in a linearly implicit step of h (s)."""
    work, u, axes = memory.work, state.speeds, len(model.armature)
    implicit_change(model, time, state, scratch, work, h)
    memory.counts[0].systems += 1
    for k in range(axes):
        change[axes + k] = h * (scratch.accelerations[k] + work.solution[k])
        change[k] = h * (u[k] + change[axes + k])
    put_in_charts(model, state, change)
    put_ride_changes(model.rides, model, state, change)
