# SPDX-License-Identifier: GPL-3.0-or-later
"""Dense output of implicit steps: states within the last one, as exact as its end, with the forces of what is stiff.

The backward differences of a column's substeps, over their length, are the derivatives at the step's end, but for
errors that extrapolation removes as it does those of the state (Hairer and Ostermann 1990; Hairer and Wanner 1996,
section IV.9, eq. 9.30 to 9.32): column k of the table gives a polynomial of degree k. What is left of its error would
be a huge force in a stiff spring. So the state is led on to accelerations that are the polynomial's own, by the linear
system of a step: that moves by next to nothing what is soft, and by what it was off what is stiff.

Symbols: s time from the step's end over its length, D_r derivatives by s there, k column in which the step has ended.
"""

from ...dynamics.implicit.implicit_change import lead_towards
from ...dynamics.loops.drift import settle
from ...dynamics.tree.driven import update_driven_bodies
from ...dynamics.tree.kinematics import update_kinematics
from ...evaluation.forward_dynamics import update_rates
from ...kernel import kernel
from ...rotation import chart_rate
from ..motion.between import is_sampled, slot_time, write_sample
from ..motion.motion import copy_anchors, keep_gaps, weighted_norm

_FAINT = 1.0  # of the tolerance: a change of speeds, by a wrong acceleration in a substep, that is left


@kernel
def fit_step(memory, tolerance, k):
    """Fills the polynomial of the step that has just been taken in k columns; how far it may be off, in tolerances."""
    table, dense, total = memory.derivatives, memory.dense, memory.table[0]
    memory.counts[0].degree = k
    for c in range(len(total)):
        dense[k - 1, c] = total[c]
    sign = -1.0
    for r in range(1, k):
        for j in range(r - 1, k):
            _difference(memory, j, r, table[j])
            for i in range(j, r - 1, -1):
                share = 1.0 / ((j + 2.0) / (i + 1.0) - 1.0)
                for c in range(len(total)):
                    table[i - 1, c] = table[i, c] + share * (table[i, c] - table[i - 1, c])
        for c in range(len(total)):
            dense[r - 1, c] = table[r - 1, c]
            dense[k - 1, c] += sign * dense[r - 1, c]
        sign = -sign
    for c in range(len(total)):
        dense[k - 1, c] *= -sign
    reach = (k - 1.0) ** (k - 1) / (k + 0.0) ** k  # the most of s^(k-1) (1 + s), by which the next lower degree differs
    return reach * weighted_norm(dense[k - 1], tolerance, memory.clock[0].fastest)


@kernel
def _difference(memory, j, r, target):
    """Fills D_r / r! by the r-th backward difference at the end of column j."""
    n, substeps = j + 2, memory.substeps[j]
    weight = 1.0
    for i in range(1, r + 1):
        weight *= float(n) / i
    for c in range(len(target)):
        target[c] = 0.0
    for i in range(r):
        for c in range(len(target)):
            target[c] += weight * substeps[n - 1 - i, c]
        weight *= -(r - 1.0 - i) / (i + 1.0)


@kernel
def _put_within(memory, s, length):
    """Fills `trial` with the polynomial's state in a step of that length (s), `wanted` with its accelerations.

    In the last step, which `motion` is at the end of; if its length is none yet, in the one that is attempted.
    """
    dense, y, degree = memory.dense, memory.motion.y, memory.counts[0].degree
    axes, is_attempt = len(memory.wanted), memory.clock[0].length == 0.0
    copy_anchors(memory.motion.state, memory.trial.state)
    for c in range(len(y)):
        total = dense[degree - 1, c]
        for r in range(degree - 1, 0, -1):
            total = total * s + dense[r - 1, c]
        memory.trial.y[c] = y[c] + (memory.table[0, c] if is_attempt else 0.0) + total * s
    for k in range(axes):
        slope = degree * dense[degree - 1, axes + k]
        for r in range(degree - 1, 0, -1):
            slope = slope * s + r * dense[r - 1, axes + k]
        memory.wanted[k] = slope / length


@kernel
def evaluate_within(model, scratch, memory, tolerance, time):
    """Fills `trial`, and all that follows from it, at a time (s) within the last step."""
    clock = memory.clock[0]
    _evaluate_at(model, scratch, memory, tolerance, time, (time - clock.time) / clock.length, clock.length)


@kernel
def evaluate_attempt(model, scratch, memory, tolerance, share):
    """Fills `trial`, and all that follows from it, after a share of the attempted step, which has been fitted."""
    clock = memory.clock[0]
    time = clock.time + share * clock.attempt
    _evaluate_at(model, scratch, memory, tolerance, time, share - 1.0, clock.attempt)


@kernel
def _evaluate_at(model, scratch, memory, tolerance, time, s, length):
    clock, trial, work, axes = memory.clock[0], memory.trial, memory.work, len(memory.wanted)
    keep_gaps(scratch.closed, memory.closed)
    _put_within(memory, s, length)
    settle(model, time, trial.state, scratch, tolerance.drift, clock.fastest)
    update_rates(model, time, trial.state, scratch, memory.rates)
    memory.counts[0].evaluations += 1
    h = length / (memory.counts[0].degree + 1)
    for k in range(axes):
        memory.error[k] = 0.0
        memory.error[axes + k] = h * (memory.wanted[k] - scratch.accelerations[k])
    if weighted_norm(memory.error, tolerance, clock.fastest) <= _FAINT:
        return
    lead_towards(model, trial.state, scratch, work, h, memory.wanted)
    memory.counts[0].systems += 1
    for k in range(axes):
        memory.error[k], memory.error[axes + k] = h * h * work.solution[k], h * work.solution[k]
    put_in_charts(model, trial.state, memory.error)
    for c in range(len(memory.error)):
        trial.y[c] += memory.error[c]
    settle(model, time, trial.state, scratch, tolerance.drift, clock.fastest)
    update_rates(model, time, trial.state, scratch, memory.rates)
    memory.counts[0].evaluations += 1


@kernel
def put_in_charts(model, state, change):
    """The changes of ball joints' coordinates, given along their axes, become those of their rotation vectors."""
    q = state.coordinates
    for c in range(len(model.charted)):
        k = model.bodies[model.charted[c]].axis_end - 3
        theta = (q[k], q[k + 1], q[k + 2])
        change[k], change[k + 1], change[k + 2] = chart_rate(theta, (change[k], change[k + 1], change[k + 2]))


@kernel
def sample_within(model, scratch, memory, frame_times, frame, frames, until):
    """Writes the samples on the way to a frame that are due up to a time (s) and lie in the last step; True if any."""
    if not is_sampled(frames, frame) or not memory.clock[0].length > 0.0:
        return False
    clock, trial, found = memory.clock[0], memory.trial.state, False
    for slot in range(frames.between_time.shape[1]):
        time = slot_time(frame_times, frame, frames, slot)
        if frames.between_time[frame, slot] == 0.0 and clock.time - clock.length <= time <= until:
            _put_within(memory, (time - clock.time) / clock.length, clock.length)
            update_driven_bodies(model, time, scratch)
            update_kinematics(model, trial, scratch)
            write_sample(model, scratch, frames, frame, slot, time)
            found = True
    return found
