# SPDX-License-Identifier: GPL-3.0-or-later
"""Frames of a linkage, written by the kernels while they integrate."""

from typing import NamedTuple

import numpy as np

from ...dynamics.forces.joint_forces import rotation_coordinates
from ...dynamics.loops.closures import closure_wrench
from ...dynamics.tree.inverse_dynamics import update_joint_wrenches
from ...dynamics.tree.joints import has_rotation_vector
from ...dynamics.tree.kinematics import joint_place
from ...evaluation.energy import kinetic_energy, potential_energy
from ...evaluation.forward_dynamics import update_rates
from ...kernel import by_reference, entry, kernel
from ...model.arrays import ForceKind, Model
from ...rotation import quaternion_of_matrix
from ...spatial import load9
from .between import JUMP, JUMPS, SAMPLE
from .motion import chart_quaternion


@by_reference
class Frames(NamedTuple):
    """Frames by dynamic bodies (n), in the kernels' axes and reference points; world axes."""

    orientation: np.ndarray  # (F, n, 4)
    center: np.ndarray  # (F, n, 3) m
    joint_origin: np.ndarray  # (F, n, 3) m: on the joint's child
    angular: np.ndarray  # (F, n, 3) rad/s
    linear: np.ndarray  # (F, n, 3) m/s
    wrench: np.ndarray  # (F, n, 6): inner body on body, about the centre of mass; moment, force
    coordinates: np.ndarray  # (F, A)
    speeds: np.ndarray  # (F, A)
    chart: np.ndarray  # (F, C + W, 4): where each chart stands, and which charts surfaces are in
    closure_wrench: np.ndarray  # (F, Q, 6): on body b, about its frame's origin; moment, force
    closure_error: np.ndarray  # (F, Q) m or rad: how far it is open
    redundant: np.ndarray  # (F, Q) int64: number of its rows that are redundant
    applied: np.ndarray  # (F, n, 6) N m, N: on each body, contacts included, about the centre of mass; n = 0 if Q is
    effort: np.ndarray  # (F, A) N m or N: on each axis; A = 0 if Q is
    switches: np.ndarray  # (F, S, 3): what holds a switched axis, and the ways that friction and motor push
    closed: np.ndarray  # (F, forces) int64: which gaps are closed
    balance: np.ndarray  # (F, G, 12) N, N m: of each figure, see `control.balance.write_wrenches`
    contact_impulse: np.ndarray  # (F, B, 6) N m s, N s: by all contacts of each body, driven ones included, since the
    # frame before, about its reference point; B = 0 where nothing touches
    contact_blow: np.ndarray  # (F, B) N s: the hardest impact since then
    between_time: np.ndarray  # (F, K) s: of samples on the way from the frame before (`motion.between`), 0 if none
    between: np.ndarray  # (F, K, n, 13) float32: orientation, center, angular, linear
    jump_time: np.ndarray  # (F, n, J) s: of each body's hardest jumps of velocity on that way, 0 if none; n = 0 if K is
    jump: np.ndarray  # (F, n, J, 19) float32: orientation, center, angular and linear before it and after it
    kinetic: np.ndarray  # (F,) J
    potential: np.ndarray  # (F,) J


def new_frames(model: Model, count: int, touches: bool = False, between: int = 0) -> Frames:
    """Room for so many frames of a model, all zero; `touches`: also for what contacts give.

    between: so many samples on the way to each frame.
    """
    bodies, axes = len(model.bodies) - model.driven, len(model.armature)
    closures = closing_closures(model)
    shapes = [(bodies, k) for k in (4, 3, 3, 3, 3, 6)] + [
        (axes,),
        (axes,),
        (len(model.charted) + len(model.rides.joints), 4),
        (closures, 6),
        (closures,),
    ]
    arrays = [np.zeros((count, *shape)) for shape in shapes]
    modes = np.zeros((count, len(model.switched), 3)), np.zeros((count, len(model.forces)), np.int64)
    applied = np.zeros((count, bodies if closures else 0, 6)), np.zeros((count, axes if closures else 0))
    redundant = np.zeros((count, closures), np.int64)
    balance = np.zeros((count, np.count_nonzero(model.forces.kind == ForceKind.BALANCE), 12))
    touching = len(model.bodies) if touches else 0
    contact = np.zeros((count, touching, 6)), np.zeros((count, touching))
    samples = np.zeros((count, between)), np.zeros((count, between, bodies, SAMPLE), np.float32)
    jumping = bodies if between else 0
    jumps = np.zeros((count, jumping, JUMPS)), np.zeros((count, jumping, JUMPS, JUMP), np.float32)
    energies = np.zeros(count), np.zeros(count)
    return Frames(*arrays, redundant, *applied, *modes, balance, *contact, *samples, *jumps, *energies)


def closing_closures(model: Model) -> int:
    """Number of closures that do not stand for a joint of the trees."""
    return int(np.count_nonzero(model.closures.row_start < model.closing))


@entry
def write_now(model, scratch, state, time, rates, frames):
    """Writes a state at a time (s) as the first frame."""
    update_rates(model, time, state, scratch, rates)
    write_frame(model, state, scratch, frames, 0)


@kernel
def write_frame(model, state, scratch, frames, frame):
    """Writes the state, which has just been evaluated, as this frame."""
    update_joint_wrenches(model, scratch)
    for i in range(model.driven, len(model.bodies)):
        body, moving, k = model.bodies[i], scratch.bodies[i], i - model.driven
        q = quaternion_of_matrix(load9(moving.rotation))
        origin = joint_place(model, scratch, i)
        for c in range(4):
            frames.orientation[frame, k, c] = q[c]
        for c in range(3):
            frames.center[frame, k, c] = moving.center[c]
            frames.joint_origin[frame, k, c] = origin[c]
            frames.angular[frame, k, c] = moving.angular[c]
            frames.linear[frame, k, c] = moving.linear[c]
        for c in range(6):
            frames.wrench[frame, k, c] = scratch.loads[i].joint_wrench[c]
        for axis in range(body.axis_start, body.axis_end):
            frames.coordinates[frame, axis] = state.coordinates[axis]
            frames.speeds[frame, axis] = state.speeds[axis]
        if has_rotation_vector(body.kind):
            theta = rotation_coordinates(body, state.coordinates, state.anchor)
            for c in range(3):
                frames.coordinates[frame, body.axis_end - 3 + c] = theta[c]
    for c in range(len(model.charted)):
        q = chart_quaternion(state, c, model.bodies[model.charted[c]].axis_end - 3)
        for k in range(4):
            frames.chart[frame, c, k] = q[k]
    for c in range(len(model.charted), frames.chart.shape[1]):
        for k in range(4):
            frames.chart[frame, c, k] = state.anchor[c, k]
    for number in range(frames.closure_error.shape[1]):
        write_closure(model, scratch, frames, frame, number)
    for k in range(frames.applied.shape[1]):
        for c in range(6):
            frames.applied[frame, k, c] = scratch.bodies[model.driven + k].wrench[c]
    for axis in range(frames.effort.shape[1]):
        frames.effort[frame, axis] = scratch.efforts[axis]
    for number in range(len(scratch.switches)):
        moving = scratch.switches[number]
        frames.switches[frame, number, 0] = moving.hold
        frames.switches[frame, number, 1] = moving.friction
        frames.switches[frame, number, 2] = moving.motor
    for number in range(len(scratch.closed)):
        frames.closed[frame, number] = scratch.closed[number]
    frames.kinetic[frame] = kinetic_energy(model, state, scratch)
    frames.potential[frame] = potential_energy(model, state, scratch)


@kernel
def read_modes(frames, frame, scratch):
    """Puts the modes of this frame back into effect."""
    for number in range(len(scratch.switches)):
        moving = scratch.switches[number]
        moving.hold = int(frames.switches[frame, number, 0])
        moving.friction = frames.switches[frame, number, 1]
        moving.motor = frames.switches[frame, number, 2]
    for number in range(len(scratch.closed)):
        scratch.closed[number] = frames.closed[frame, number]


@kernel
def write_closure(model, scratch, frames, frame, number):
    """Writes a closure's wrench, by the multipliers of its rows, how far it is open, and what of it is redundant."""
    moment, force = closure_wrench(model, scratch, number)
    for c in range(3):
        frames.closure_wrench[frame, number, c] = moment[c]
        frames.closure_wrench[frame, number, 3 + c] = force[c]
    worst, redundant = 0.0, model.closures[number].implied
    for r in range(model.closures[number].row_start, model.closures[number].row_end):
        worst = max(worst, abs(scratch.rows[r].error))
        redundant += scratch.redundant[r]
    frames.closure_error[frame, number], frames.redundant[frame, number] = worst, redundant
