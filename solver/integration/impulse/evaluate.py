# SPDX-License-Identifier: GPL-3.0-or-later
"""One evaluation within a step: applied forces, and those that contacts and axes exerted in the step before."""

from ...contact.impulses.stiff_forces import exert_stiff_forces, leave_out_stiff_forces
from ...control.balance import add_torques, steer
from ...dynamics.tree.surface_joints import KNOCKED_OFF, has_rides
from ...evaluation.forward_dynamics import solve_rates, update_forces
from ...kernel import kernel
from .detachment import note_margin
from .implicit import leave_out_stiff
from .kept_forces import exert_kept_forces, leave_out_kept_forces
from .loop_steps import leave_out_bends

FRAME, START_OF_STEP, ON_THE_WAY, CREEPING = range(4)  # purposes of an evaluation


@kernel
def evaluate(model, scratch, memory, time, state, rates, purpose):
    """One evaluation of the motion, with the forces of contacts and axes from the last step.

    purpose: for a FRAME, with all efforts as they are there; for the START of a step; or ON_THE_WAY, where bodies that
    slide on each other still meet in one point; or CREEPING, straight along the closures. A step starts from no forces
    that do not balance yet.
    """
    exert(model, scratch, memory, time, state, purpose)
    solve_rates(model, state, scratch, rates)
    memory.counts[0].evaluations += 1


@kernel
def exert(model, scratch, memory, time, state, purpose):
    """The same without accelerations: kinematics, rows and forces alone."""
    contact = memory.contact
    leave_out_stiff_forces(scratch, contact, purpose == FRAME)
    update_forces(model, time, state, scratch)
    exert_stiff_forces(model, scratch, contact, purpose == FRAME)
    leave_out_stiff(model, scratch, memory.implicit, contact, state, purpose == FRAME)
    if purpose == FRAME or purpose == START_OF_STEP:
        steer(model, scratch, contact, memory.steering, time, purpose == START_OF_STEP)
    add_torques(scratch, memory.steering)
    if purpose == FRAME or memory.counts[0].balanced:
        is_under_way = purpose == ON_THE_WAY or purpose == CREEPING
        exert_kept_forces(model, scratch, memory, time - memory.clock[0].time if is_under_way else 0.0)
    else:
        leave_out_kept_forces(memory)
    if purpose == CREEPING:
        leave_out_bends(model, scratch)


@kernel
def look_at_rides(model, scratch, memory, behind):
    """Notes how far the rides are from their ends, just `behind` (s) the time; a blow has ended one already."""
    if has_rides(model.rides) and memory.parting.nearest[1] != KNOCKED_OFF:
        state, time = memory.motion.state, memory.clock[0].time + behind
        evaluate(model, scratch, memory, time, state, memory.stages[0], FRAME)
        note_margin(model.rides, model, state, scratch, memory.parting)
