# SPDX-License-Identifier: GPL-3.0-or-later
"""Forces in joints and constraints at frames where redundant ones leave them open: those of least norm.

The motion is the same whichever multipliers hold the redundant rows. So that forces do not depend on the method, nor on
the joint at which a loop was opened, such frames are evaluated once more by the method of Lagrange, which knows all
joints and constraints alike, and get the multipliers with the least sum of squares (moments count by the size of the
linkage). What acts on bodies and axes is what acted there: contacts push as they did.
"""

from ...dynamics.loops.closures import seek_beads
from ...dynamics.loops.methods import update_closures
from ...dynamics.loops.reactions import take_least_norm_multipliers
from ...dynamics.tree.inverse_dynamics import update_joint_wrenches
from ...evaluation.forward_dynamics import solve_rates, update_forces
from ...kernel import entry, kernel
from ...model.arrays import Model, Scratch, State
from .observation import Frames, read_modes, write_closure


@entry
def rewrite_reactions(model: Model, scratch: Scratch, state: State, rates, times, frames: Frames, first, last):
    """Rewrites the wrenches of frames from `first` up to `last` that have redundant rows. `model`: for LAGRANGE."""
    for frame in range(first, last):
        redundant = 0
        for number in range(frames.redundant.shape[1]):
            redundant += frames.redundant[frame, number]
        if redundant == 0:
            continue
        for k in range(len(state.speeds)):
            state.coordinates[k] = frames.coordinates[frame, k]
            state.speeds[k] = frames.speeds[frame, k]
        for c in range(len(model.charted)):
            start = model.bodies[model.charted[c]].axis_end - 3
            for k in range(3):
                state.coordinates[start + k] = 0.0
        for c in range(frames.chart.shape[1]):
            for k in range(4):
                state.anchor[c, k] = frames.chart[frame, c, k]
        read_modes(frames, frame, scratch)
        update_forces(model, times[frame], state, scratch)
        if _has_curves(model):  # beads may be far along them from where they were at the last of these frames
            seek_beads(model, scratch)
            update_closures(model, state, scratch)
        for k in range(frames.applied.shape[1]):
            for c in range(6):
                scratch.bodies[model.driven + k].wrench[c] = frames.applied[frame, k, c]
        for axis in range(frames.effort.shape[1]):
            scratch.efforts[axis] = frames.effort[frame, axis]
        solve_rates(model, state, scratch, rates)
        take_least_norm_multipliers(model, scratch)
        update_joint_wrenches(model, scratch)
        for number in range(frames.closure_error.shape[1]):
            write_closure(model, scratch, frames, frame, number)
        for i in range(model.driven, len(model.bodies)):
            for c in range(6):
                frames.wrench[frame, i - model.driven, c] = scratch.loads[i].joint_wrench[c]


@kernel
def _has_curves(model):
    """True if there are beads, or rows that are led."""
    found = False
    for number in range(len(model.closures)):
        found = found or model.closures[number].curve_start >= 0
    return found
