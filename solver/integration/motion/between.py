# SPDX-License-Identifier: GPL-3.0-or-later
"""Poses and velocities between frames, written by the kernels on their way, for curves through the frames.

A frame has `Frames.between_time.shape[1]` slots for the way from the frame before to it, as even as the integrator's
steps allow, and a few for each body's hardest jumps of velocity on that way. Nothing of this changes a motion: steps
are not cut for it, and what it looks at is looked at again by whatever comes next.
"""

import math

from ...dynamics.tree.driven import update_driven_bodies
from ...dynamics.tree.kinematics import update_kinematics
from ...kernel import entry, kernel
from ...rotation import quaternion_of_matrix
from ...spatial import load9

_SAME = 1e-6  # of the way between two samples: times that are one
_SHORT = 0.02  # of a step: one shorter than that tells no velocity by the way that it led
LINEAR, ANGULAR = 10, 7  # where velocities begin in a sample: orientation (4), center (3), angular (3), linear (3)
SAMPLE, JUMP = 13, 19  # numbers of a sample; a jump has the velocities after it as well
JUMPS = 6  # of a body on the way to a frame, the hardest


@kernel
def is_sampled(frames, frame):
    """True if the way to this frame is to be sampled, and there is such a frame."""
    return frames.between_time.shape[1] > 0 and frame < frames.between_time.shape[0]


@kernel
def slot_time(frame_times, frame, frames, slot):
    """s: when a slot of a frame is due; frames are evenly apart. Infinite if nothing tells how far."""
    if len(frame_times) < 2:
        return math.inf
    interval = frame_times[1] - frame_times[0]
    slots = frames.between_time.shape[1] + 1
    return frame_times[frame] - interval + (slot + 1) * interval / slots


@kernel
def open_slot(frame_times, frame, frames, time):
    """The last slot that is due at a time (s) on the way to a frame, if nothing is in it; else -1."""
    if len(frame_times) < 2:
        return -1
    slots = frames.between_time.shape[1] + 1
    passed = (time - frame_times[frame]) / (frame_times[1] - frame_times[0]) + 1.0
    slot = math.floor(passed * slots + _SAME) - 1
    is_open = 0 <= slot < slots - 1 and frames.between_time[frame, slot] == 0.0
    return slot if is_open else -1


@kernel
def write_sample(model, scratch, frames, frame, slot, time):
    """Writes the bodies as they are in the scratch space."""
    frames.between_time[frame, slot] = time
    for i in range(model.driven, len(model.bodies)):
        moving, k = scratch.bodies[i], i - model.driven
        _write_pose(moving, frames.between[frame, slot, k])
        for c in range(3):
            frames.between[frame, slot, k, ANGULAR + c] = moving.angular[c]
            frames.between[frame, slot, k, LINEAR + c] = moving.linear[c]


@kernel
def _write_pose(moving, sample):
    q = quaternion_of_matrix(load9(moving.rotation))
    for c in range(4):
        sample[c] = q[c]
    for c in range(3):
        sample[4 + c] = moving.center[c]


@kernel
def sample_state(model, scratch, state, frame_times, frame, frames, time):
    """Writes a state at the end of a step if a slot is due."""
    if is_sampled(frames, frame):
        slot = open_slot(frame_times, frame, frames, time)
        if slot >= 0:
            update_driven_bodies(model, time, scratch)
            update_kinematics(model, state, scratch)
            write_sample(model, scratch, frames, frame, slot, time)


@kernel
def sample_step(model, scratch, memory, frame_times, frame, frames):
    """Writes the end of a step with impulses if a slot is due, and the jumps of velocity there."""
    if not is_sampled(frames, frame):
        return
    clock, contact = memory.clock[0], memory.contact
    time, noted = clock.time, contact.counts[0].noted
    slot = open_slot(frame_times, frame, frames, time)
    may_jump = contact.counts[0].axis_rows > 0 or (noted > 0 and contact.noted[noted - 1].time > clock.began)
    if slot < 0 and not may_jump:
        return
    update_driven_bodies(model, time, scratch)
    update_kinematics(model, memory.motion.state, scratch)
    if slot >= 0:
        write_sample(model, scratch, frames, frame, slot, time)
    if may_jump:
        for i in range(model.driven, len(model.bodies)):
            _note_jump_of_step(scratch.bodies[i], memory, frames.jump_time, frames.jump, frame, i, i - model.driven)


@kernel
def _note_jump_of_step(moving, memory, times, jumps, frame, i, k):
    """Notes the jump of a body at the end of a step, if it is among the hardest on the way to this frame.

    The velocity before it is that which leads from the step's start evenly accelerated to its end.
    """
    clock, began, reach = memory.clock[0], memory.began, memory.contact.reach[i]
    by_way = clock.h > _SHORT * memory.interval
    hardness = 0.0
    for c in range(3):
        start = began.velocity[i, 3 + c]
        before = 2.0 * (moving.center[c] - began.center[i, c]) / clock.h - start if by_way else start
        hardness += (moving.linear[c] - before) ** 2 + (reach * (moving.angular[c] - began.velocity[i, c])) ** 2
    softest, slot = hardness, -1
    for j in range(times.shape[2]):
        known = _hardness(jumps[frame, k, j], reach) if times[frame, k, j] > 0.0 else 0.0
        if known < softest:
            softest, slot = known, j
    if slot >= 0:
        times[frame, k, slot] = clock.time
        jump = jumps[frame, k, slot]
        _write_pose(moving, jump)
        for c in range(3):
            start = began.velocity[i, 3 + c]
            before = 2.0 * (moving.center[c] - began.center[i, c]) / clock.h - start if by_way else start
            jump[ANGULAR + c], jump[LINEAR + c] = began.velocity[i, c], before
            jump[SAMPLE + c], jump[SAMPLE + 3 + c] = moving.angular[c], moving.linear[c]


@kernel
def _hardness(jump, reach):
    """(m/s)^2 of a jump; `reach` (m) of the body."""
    total = 0.0
    for c in range(3):
        total += (jump[SAMPLE + 3 + c] - jump[LINEAR + c]) ** 2
        total += (reach * (jump[SAMPLE + c] - jump[ANGULAR + c])) ** 2
    return total


@entry
def note_switch(model, scratch, state, speeds, time, frames, frame):
    """`note_jump`, where modes have changed a linkage's speeds."""
    note_jump(model, scratch, state, speeds, time, frames, frame)


@kernel
def note_jump(model, scratch, state, speeds, time, frames, frame):
    """Notes the jump of all bodies at a time (s) on the way to a frame; `speeds` (A,) are those after it.

    `state` has those before it, and has those after it in the end. The last jump of a frame takes the place of another.
    """
    update_driven_bodies(model, time, scratch)
    update_kinematics(model, state, scratch)
    slot, last = 0, frames.jump_time.shape[2] - 1
    while slot < last and frames.jump_time[frame, 0, slot] > 0.0:
        slot += 1
    for i in range(model.driven, len(model.bodies)):
        moving, jump = scratch.bodies[i], frames.jump[frame, i - model.driven, slot]
        _write_pose(moving, jump)
        for c in range(3):
            jump[ANGULAR + c], jump[LINEAR + c] = moving.angular[c], moving.linear[c]
    for k in range(len(speeds)):
        state.speeds[k] = speeds[k]
    update_kinematics(model, state, scratch)
    for i in range(model.driven, len(model.bodies)):
        moving, jump = scratch.bodies[i], frames.jump[frame, i - model.driven, slot]
        frames.jump_time[frame, i - model.driven, slot] = time
        for c in range(3):
            jump[SAMPLE + c], jump[SAMPLE + 3 + c] = moving.angular[c], moving.linear[c]
