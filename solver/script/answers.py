# SPDX-License-Identifier: GPL-3.0-or-later
"""Answers of the printing commands: pb, pf, rtime, rstepsize, rlsode and help.

A script is read as a whole before it runs. So what depends on the motion is looked up in the recording afterwards.
Bodies and forces are printed as the commands that set them so; whatever is no command stands behind a `;`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from ..mechanism.bodies import Vector
from ..simulation.recording import Recording
from .forces import ForcePart
from .links import Pose
from .parts import BodyPart, joint_name


@dataclass
class Question:
    """A printing command."""

    line: int
    command: str
    time: float  # s, of the run
    clock: float  # s, as the script's clock shows it
    lines: list[str]  # what can be said at once
    bodies: tuple[str, ...] = ()  # what is to be looked up


def force_command(force: ForcePart) -> str:
    """The command that sets the force so, and whether it acts."""
    options = " ".join(f"{option} {numbers(values)}" for option, values in force.options.items())
    ends = " ".join(force.bodies)
    start = f"ir {force.name} {ends}" if force.kind == "rubber" else f"sf {ends} {force.name}"
    return f"{start} {options} ; {force.kind}, {'on' if force.is_on else 'off'}"


def numbers(values: Iterable[float]) -> str:
    """Numbers as a script has them, without the dust of rounding."""
    return " ".join(f"{round(value, 12) + 0.0:.9g}" for value in values)


def answers(
    questions: list[Question], bodies: dict[str, BodyPart], recording: Recording, tolerances: tuple[float, float]
) -> Iterator[str]:
    """Answers to a script's questions, once it has run; a line `; 12: pb at 0.5` before each answer."""
    for question in questions:
        yield f"; {question.line}: {question.command} at {question.clock:.9g}"
        yield from question.lines
        if question.command == "rlsode":
            yield f"; {recording.steps} steps, {recording.evaluations} evaluations in the whole run"
            yield f"sacc -r {tolerances[0]:g} -a {tolerances[1]:g}"
        if question.command == "pb":
            yield from bodies_at([bodies[name] for name in question.bodies], recording, question.time)


def bodies_at(bodies: list[BodyPart], recording: Recording, time: float) -> Iterator[str]:
    """The commands that set bodies as they are in the last frame up to a time."""
    nearly = 1e-9 * (1.0 + time)
    if not len(recording.times) or time > recording.times[-1] + nearly:
        yield "; the run did not come that far"
        return
    frame = int(np.searchsorted(recording.times, time + nearly, side="right")) - 1
    number = {name: i for i, name in enumerate(recording.body_names)}
    joint = {name: i for i, name in enumerate(recording.joint_names)}
    for body in bodies:
        state = _state(*state_of(recording, number[body.name], frame))
        weight = f"-m {body.mass:.9g} -in {numbers(body.inertia)}"
        if body.link is None:
            yield f"sb {body.name} {state} {weight}"
            continue
        at = recording.joint_offsets[joint[joint_name(body.name)]]
        q, qdot = (array[frame, at] / body.link.axis.unit for array in _coordinates(recording))
        yield f"sb {body.name} {weight} ; {state}"
        yield f"sl {body.link.parent} {body.name} -q {numbers([q])} -qdot {numbers([qdot])}"


def _coordinates(recording: Recording) -> tuple[np.ndarray, np.ndarray]:
    return recording.joint_coordinates, recording.joint_speeds


def state_of(recording: Recording, i: int, frame: int) -> tuple[Pose, Vector, Vector]:
    """The pose of body i in a frame, and its linear and angular velocity along its own axes."""
    pose = Pose(*(tuple(array[frame, i].tolist()) for array in (recording.position, recording.orientation)))
    velocities = (tuple(array[frame, i].tolist()) for array in (recording.linear_velocity, recording.angular_velocity))
    linear, angular = (pose.inverse().vector(velocity) for velocity in velocities)
    return pose, linear, angular


def _state(pose: Pose, linear: Vector, angular: Vector) -> str:
    place = f"-t {numbers(pose.position)} -E {numbers(pose.orientation)}"
    return f"{place} -vl {numbers(linear)} -vr {numbers(angular)}"
