# SPDX-License-Identifier: GPL-3.0-or-later
"""Linkages that cannot go on, or hardly: what of them is stretched or keyed too far, and closures that are let go a
little, so that they go on.
"""

from collections.abc import Iterable

import numpy as np

from ..assembly.placement import IDENTITY, Poses
from ..assembly.reach import Loops, end_of_keys
from ..assembly.rigidity import Locked, locked_parts, note_on_locked
from ..evaluation.expressions import without_value
from ..integration import REASONS, Status
from ..integration.motion.observation import Frames, closing_closures
from ..mechanism import Expression, Mechanism
from ..mechanism.messages import Message
from ..model.arrays import AXIS_PARAMETERS, LOWER, TAUT, UPPER, Model, Scratch
from ..model.linkage.compilation import Compiled, part_of
from ..model.parameters import acting
from .contradictions import axes_at_limit
from .recording_assembly import Stretch, assemble_recording

_JUST_BEHIND = 0.04  # of the motion, or of what is keyed, if only its first part is run
_MORE = 100.0  # times the force at the last frame: a closure that cannot be met
_PAST = 1e-4  # rad, or part of the size: past a limit, in a frame, and no overshoot of a step any more
_AS_MUCH = 0.5  # of the most that any closure asks for
OF_CLOSURES = Status.NOT_FINITE, Status.STEP_TOO_SHORT, Status.OPEN, Status.NO_HEADWAY
"""Ends that closures may have brought about."""


def locked_now(mechanism: Mechanism, compiled: Compiled, now: Frames, time: float) -> list[Locked]:
    """Stretched parts of the linkages of a mechanism, with one of them in a frame (s) and the others at the start."""
    there = assemble_recording(mechanism, [Stretch(compiled, now)], np.array([time]))
    names = {mechanism.bodies[i].name for i in compiled.linkage.bodies[: compiled.linkage.whole]}
    poses = Poses(np.vstack([there.position[0], np.zeros(3)]), np.vstack([there.orientation[0], IDENTITY]))  # the world
    return locked_parts(mechanism, poses, names)


def reason_of_closures(mechanism: Mechanism, time: float, end: float, stretched: list[Locked]) -> Message | None:
    """Why closures could not be kept beyond a time (s) of a motion up to `end`; None if nothing is known of it."""
    ahead = time + _JUST_BEHIND * max(end, end_of_keys(mechanism))
    notes = Loops(mechanism).unfollowed(ahead) or [note_on_locked(found) for found in stretched]
    return notes[0] if notes else None


def reason_of_expressions(
    mechanism: Mechanism, compiled: Compiled, places: Iterable[Scratch], time: float, status: Status
) -> Message | None:
    """Why a motion ends at a time (s) by a force of an expression: it has no value there, or it jumps; else None.

    places: where bodies are then, or may have been.
    """
    forces = acting([mechanism.forces[i] for i in compiled.linkage.forces])
    if not any(isinstance(force, Expression) for force in forces):
        return None
    for number, axis, known in (found for scratch in places for found in without_value(compiled.model, scratch)):
        values = ", ".join(f"{name} = {value:.6g}" for name, value in known.items()) or "nothing is named"
        part = "force", forces[number].name
        return Message("no-value", part, axis=axis, time=f"{time:.6g}", values=values)
    if status not in (Status.STEP_TOO_SHORT, Status.NO_HEADWAY):
        return None
    jumping = [force for force in forces if isinstance(force, Expression) and _jumps(force)]
    parts = [("force", force.name) for force in jumping if force.enabled]
    return Message.about_many("expression-jumps", parts, reason=REASONS[status]) if parts else None


def _jumps(force: Expression) -> bool:
    return any(program.jumps for program in force.programs)


def slacken(mechanism: Mechanism, compiled: Compiled, now: Frames, time: float) -> list[Locked]:
    """Lets closures that are stretched in a frame (s) give way by the last digits; returns what is stretched."""
    found = locked_now(mechanism, compiled, now, time)
    parts = {part for locked in found for part in locked.parts}
    for number, source in enumerate(compiled.sources[: closing_closures(compiled.model)]):
        if part_of(mechanism, source) in parts:
            compiled.model.closures.gives_way[number] = TAUT
    return found


def give_way(
    compiled: Compiled, scratch: Scratch, known: Frames, coordinates: np.ndarray, is_slow: bool = False
) -> bool:
    """Lets the closure that asks for more and more, since a frame, pull softly; False if none does.

    An arm that a path leads out of its reach would have to move infinitely fast when it is stretched. What is drawn to
    its place is let go however little it asks for, unless others may be to blame: `is_slow`, of a frame that is long in
    coming; then only if a joint is at its limit there, which it may be led past: coordinates (N,), of now.
    """
    model = compiled.model
    pull = np.array([_pull(model, scratch, number) for number in range(closing_closures(model))])
    wrench = known.closure_wrench[0]
    before = np.linalg.norm(wrench[:, 3:], axis=1) + np.linalg.norm(wrench[:, :3], axis=1) / model.size
    asks, is_drawn = ~(pull < _MORE * before.max()), model.closures.tau[: len(pull)] > 0.0
    if not is_slow:
        return _release(compiled, pull, asks | is_drawn)
    at_limit = len(axes_at_limit(model, scratch.parameters, coordinates)) > 0
    return _release(compiled, pull, is_drawn & (asks | at_limit))


def may_be_led_past(model: Model, time: float) -> bool:
    """True if anything is being drawn to its place at a time (s), in a linkage whose joints have limits."""
    if not model.closing:
        return False
    closures = model.closures[: closing_closures(model)]
    drawn = (closures.tau > 0.0) & (closures.settled > time) & (closures.gives_way == 0)
    return bool(drawn.any() and (model.switched.bounded == 1).any())


def is_led_past(model: Model, p: np.ndarray, was: np.ndarray, now: np.ndarray) -> bool:
    """True if a joint has gone past its limit between two coordinates (N,), by the parameters (P,) of now.

    Not if it was past it before: a limit that is moved over a joint does not push.
    """
    past = axes_at_limit(model, p, now)
    k, unit = past * AXIS_PARAMETERS, np.where(model.is_length[past], model.size, 1.0)
    far, farther = (np.maximum(p[k + LOWER] - q[past], q[past] - p[k + UPPER]) / unit for q in (was, now))
    return bool(((far < _PAST) & (farther > _PAST)).any())


def let_go(compiled: Compiled, scratch: Scratch) -> bool:
    """The same by impulses, whose forces say nothing there: of the closure that is open the widest."""
    model = compiled.model
    turns = model.rows.is_length[: model.closing] == 0
    error = np.abs(scratch.rows.error[: model.closing]) / np.where(turns, 1.0, model.size)
    starts = model.closures.row_start[: closing_closures(model)]
    return _release(compiled, np.maximum.reduceat(error, starts), np.ones(len(starts), bool))


def _release(compiled: Compiled, most: np.ndarray, suspects: np.ndarray) -> bool:
    """Lets that suspect (Q,) give way of which there is most (Q,), joints last; False if none can.

    Of those of which there is about as much, one that leads before one that holds: a path, and not the nail of the arm
    that it stretches.
    """
    model = compiled.model
    gives_way, most = model.closures.gives_way, np.nan_to_num(most, nan=np.inf)
    suspects = suspects & (gives_way[: len(most)] == 0)
    constraints = np.array([source.kind in ("constraint", "motor") for source in compiled.sources[: len(most)]])
    if (suspects & constraints).any():
        suspects &= constraints
    if not suspects.any():
        return False
    bodies, ends = model.closures.body[: len(most)], model.closures.ends[: len(most)]
    is_end = np.arange(bodies.shape[1]) < ends[:, None]
    is_keyed = np.append(model.driven_bodies.key_start >= 0, False)  # of driven bodies; the last stands for all others
    leads = (is_end & is_keyed[np.minimum(bodies, model.driven)]).any(axis=1)
    leads &= suspects & (most >= _AS_MUCH * most[suspects].max())
    gives_way[np.argmax(np.where(leads if leads.any() else suspects, most, -1.0))] = 1
    return True


def _pull(model: Model, scratch: Scratch, number: int) -> float:
    """N: the force that a closure exerts, moments by the linkage's size."""
    closure = model.closures[number]
    rows = slice(closure.row_start, closure.row_end)
    turns = model.rows.is_length[rows] == 0
    return float(np.linalg.norm(scratch.rows.multiplier[rows] / np.where(turns, model.size, 1.0)))
