# SPDX-License-Identifier: GPL-3.0-or-later
"""Words on what holds more than it needs to, on what could not be held, and on motors that could not follow."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..assembly.rigidity import note_on_offset
from ..integration.motion.observation import Frames
from ..mechanism import Action, Joint, Mechanism
from ..mechanism.joint_types import LENGTH
from ..mechanism.messages import Message
from ..mechanism.table import Number, Table
from ..model.arrays import TAUT
from ..model.linkage.compilation import Compiled, part_of
from ..model.linkage.nearly_redundant import is_told
from .recording import Recording

_MET = 1e-6  # rad, or part of the linkage's size: an opening that is no rounding any more,
_PAST = 2e-3  # rad, or part of the linkage's size: past a limit, and no overshoot of a step any more
_MORE = 1e-3  # of a motor's maximum: what it would have to give beyond, to count as held by it
_STILL = 1e-9  # the same of what has not moved but by rounding
_TAUT_MET = 1e-5  # and one of what is stretched, which is said anyway


def notes_on_closures(mechanism: Mechanism, compiled: Compiled, frames: Frames, count: int, first: int) -> list[str]:
    """Lines on the first `count` frames of one linkage, which begins with frame `first`."""
    found = _off(mechanism, compiled) + _redundant(mechanism, compiled, frames, count)
    return found + _not_met(mechanism, compiled, frames, count, first)


def _off(mechanism: Mechanism, compiled: Compiled) -> list[str]:
    """Joints that were put in line, if that is more than the digits of a drawing, and those that hold each other."""
    size = compiled.model.size
    return [note_on_offset(mechanism, offset) for offset in compiled.offsets if is_told(offset, size)]


def _redundant(mechanism: Mechanism, compiled: Compiled, frames: Frames, count: int) -> list[str]:
    """Closures that have redundant rows at most frames: at a dead centre there are more for a moment.

    Rows that leave nothing to move, of what nothing leads, are those of a structure, or of a drawing that is off.
    """
    usual = np.median(frames.redundant[:count], axis=0) if count else np.zeros(0)
    parts = [part_of(mechanism, compiled.sources[k]) for k in np.flatnonzero(usual)]
    if not parts:
        return []
    redundant, model = int(usual.sum()), compiled.model
    rows = model.closing + int(model.closures.implied.sum())
    if rows - redundant >= len(model.armature) and _stands(mechanism, compiled, frames, count):
        return [Message.about_many("structure", parts, count=redundant + 1)]
    return [Message.about_many("redundant", parts, count=redundant)]


def _stands(mechanism: Mechanism, compiled: Compiled, frames: Frames, count: int) -> bool:
    """True if nothing leads a linkage and nothing of it has moved but by rounding."""
    linkage = compiled.linkage
    joints = (mechanism.joints[j] for j in (*linkage.joint, *linkage.closing) if j is not None)
    is_led = any(mechanism.bodies[k].motion == "keyed" for k in linkage.bodies)
    if count < 2 or is_led or any(joint.led is not None for joint in joints):
        return False
    way = np.ptp(frames.center[:count], axis=0).max(initial=0.0) / compiled.model.size
    return max(way, np.ptp(frames.orientation[:count], axis=0).max(initial=0.0)) < _STILL


def _not_met(mechanism: Mechanism, compiled: Compiled, frames: Frames, count: int, first: int) -> list[str]:
    notes = []
    for k in range(frames.closure_error.shape[1]):
        turns = not compiled.model.rows[compiled.model.closures[k].row_start].is_length
        met = _TAUT_MET if compiled.model.closures[k].gives_way == TAUT else _MET
        allowed = met * (1.0 if turns else compiled.model.size)
        error = frames.closure_error[:count, k]
        open_frames = np.flatnonzero(error > allowed)
        if len(open_frames):
            gap = f"{error.max():.3g} {'rad' if turns else 'm'}"
            part = part_of(mechanism, compiled.sources[k])
            notes.append(Message("not-met", part, frame=first + int(open_frames[0]), gap=gap))
    return notes


def notes_on_limits(mechanism: Mechanism, linkages: Sequence[Compiled], recording: Recording) -> list[Message]:
    """Lines on joints beyond their limits: those that were led there, and those over which an action moved a limit.

    By the limits that a joint had at each frame; new parts of actions are among the mechanism's own.
    """
    size = {
        mechanism.joints[j].name: compiled.model.size
        for compiled in linkages
        for j in (*compiled.linkage.joint, *compiled.linkage.closing)
        if j is not None
    }
    largest, found = max(size.values(), default=1.0), []
    for joint in mechanism.joints:
        if joint.type == "contact":
            continue
        if joint.limits is not None or any(joint.name in action.names for action in mechanism.actions):
            found += _past_limits(joint, mechanism.actions, size.get(joint.name, largest), recording)
    return found


def _past_limits(joint: Joint, actions: Sequence[Action], size: float, recording: Recording) -> list[Message]:
    if joint.name not in recording.joint_names:
        return []
    first = recording.joint_offsets[recording.joint_names.tolist().index(joint.name)]
    for c, axis in enumerate(joint.joint_type.axes):
        if c in joint.chart_coordinates:
            continue  # whose limits are springs
        if joint.stops is not None and joint.stops[c] is not None:
            continue  # which give way
        q, is_length = recording.joint_coordinates[:, first + c], axis.kind == LENGTH
        past, is_moved, allowed = np.zeros(len(q)), False, _PAST * (size if is_length else 1.0)
        before = joint.limits
        for limits, held in _stages_of(joint, "limits", actions, recording.times):
            if limits is None or limits[c] is None or not held.any():
                continue
            lower, upper = (np.nan if bound is None else bound for bound in limits[c])
            beyond = np.nan_to_num(np.fmax(q - upper, lower - q), nan=0.0)
            first_held, past[held] = int(np.argmax(held)), beyond[held]
            is_moved = is_moved or (limits != before and beyond[max(0, first_held - 1)] > allowed)
            before = limits
        frames = np.flatnonzero(past > allowed)
        if len(frames):
            gap = f"{past.max():.3g} {'m' if is_length else 'rad'}"
            code = "limit-moved" if is_moved else "past-limit"
            return [Message(code, ("joint", joint.name), frame=int(frames[0]), gap=gap)]
    return []


def notes_on_servos(mechanism: Mechanism, recording: Recording) -> list[Message]:
    """Lines on position motors that gave all that they may, and were off their targets meanwhile.

    By the state of each frame, and the motor that a joint had there by the mechanism's actions, whose new parts are
    among its own: none before it is put in, nor from where on it is cut or taken out.
    """
    joints, changed = {joint.name: joint for joint in mechanism.joints}, {n for a in mechanism.actions for n in a.names}
    found = []
    for number, name in enumerate(recording.joint_names.tolist()):
        part = joints.get(name)
        if part is None or part.type == "contact" or (part.motor is None and name not in changed):
            continue
        columns = slice(recording.joint_offsets[number], recording.joint_offsets[number + 1])
        q, speeds = recording.joint_coordinates[:, columns], recording.joint_speeds[:, columns]
        asked, most, off = (np.zeros_like(q) for _ in range(3))
        for motor, held in _stages_of(part, "motor", mechanism.actions, recording.times):
            for c, each in enumerate(replace(part, motor=motor).motors):
                if each is None or each.mode != "position" or each.max_force is None:
                    continue
                k, d, target, limit = (
                    number_over(getattr(each, key), recording.times[held])
                    for key in ("stiffness", "damping", "target", "max_force")
                )
                off[held, c], most[held, c] = target - q[held, c], limit
                asked[held, c] = k * off[held, c] - d * speeds[held, c]
        found += _at_maximum(part, asked, most, off)
    return found


def _stages_of(joint: Joint, name: str, actions: Sequence[Action], times: np.ndarray) -> list[tuple[Any, np.ndarray]]:
    """The values of a key that a joint has one after the other, and which of the times (F,) (bool) are each one's.

    None while the joint is not there.
    """
    mine = sorted((action for action in actions if joint.name in action.names), key=lambda action: action.time)
    is_there = joint.enabled and not any(action.add is not None for action in mine)
    value, since, found = getattr(joint, name), -np.inf, []
    for action in mine:
        if action.time > 0.0:
            found.append((value if is_there else None, (times > since) & (times <= action.time)))
            since = action.time
        if action.set is None:
            is_there = action.add is not None
        else:
            is_there, value = action.set.get("enabled", is_there), action.values_for(joint).get(name, value)
    return [*found, (value if is_there else None, times > since)]


def number_over(number: Number, times: np.ndarray) -> np.ndarray:
    """(F,): its values at the frames' times."""
    return np.interp(times, number.times, number.values) if isinstance(number, Table) else np.full(len(times), number)


def _at_maximum(joint: Joint, asked: np.ndarray, most: np.ndarray, off: np.ndarray) -> list[Message]:
    """A line for the coordinate that is off farthest; all (F, n)."""
    units = [("m", "N") if axis.kind == LENGTH else ("rad", "N m") for axis in joint.joint_type.axes]
    is_held = (most > 0.0) & (np.abs(asked) > (1.0 + _MORE) * most)
    gaps = np.where(is_held, np.abs(off), 0.0).max(axis=0, initial=0.0)
    c = int(np.argmax(gaps)) if len(gaps) else 0
    if not len(gaps) or not gaps[c] > _PAST:
        return []
    frames = np.flatnonzero(is_held[:, c])
    values = {"maximum": f"{most[frames[0], c]:.4g} {units[c][1]}", "gap": f"{gaps[c]:.3g} {units[c][0]}"}
    return [Message("at-maximum", ("joint", joint.name), frame=int(frames[0]), count=len(frames), **values)]
