# SPDX-License-Identifier: GPL-3.0-or-later
"""The loose linkages of a scene as a mechanism of their own, and how the solver brings them together."""

import dataclasses
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ...solver import Assembly, FlyTogether, MechanismError, OpenConnection, RunError
from ...solver.mechanism import Generic, Keys, Mechanism, Path
from ..bake.bake import Progress
from ..findings import pass_on
from ..geometry import poses
from ..parts.linkages import Linkage
from ..preview.transforms import displacement
from ..read.joints import read_child_frames
from ..read.reading import Reading
from ..read.solved import Solved

READ_SHARE, SOLVE_SHARE = 0.1, 0.9
TOGETHER = 1e-6  # part of a linkage's size, or rad, that the solver takes as together

Frames = dict[str, tuple[np.ndarray, np.ndarray]]


class Outcome(NamedTuple):
    """Result of the solver: poses by body name over the frames, the mechanism as assembled, its open ties."""

    solved: Solved
    mechanism: Mechanism
    open: list[OpenConnection]


def is_opened_by_start(reading: Reading, linkage: Linkage) -> bool:
    """True if the start values of a linkage's joints open others."""
    return _assembly(reading, _part_of(reading, [linkage])).largest_gap > TOGETHER


def _part_of(reading: Reading, linkages: list[Linkage]) -> Mechanism:
    """The mechanism of some linkages alone, without forces and contact."""
    bodies = {body.name_full for linkage in linkages for body in linkage.ends}
    ties = {tie.name_full for linkage in linkages for tie in linkage.ties}
    whole = reading.mechanism
    return dataclasses.replace(
        whole,
        bodies=[body for body in whole.bodies if body.name in bodies],
        joints=[joint for joint in whole.joints if joint.name in ties],
        constraints=[constraint for constraint in whole.constraints if constraint.name in ties],
        forces=[],
        contact=None,
    )


def _child_frames(reading: Reading, mechanism: Mechanism) -> Frames:
    """Frames of the child's sides of open joints; those that are together have only one frame, the Empty's."""
    wanted = {joint.name for joint in mechanism.joints} & {finding.object.name_full for finding in reading.open}
    return {name: frame for name, frame in read_child_frames(reading).items() if name in wanted}


def _assembly(reading: Reading, mechanism: Mechanism) -> Assembly:
    try:
        return Assembly(mechanism, _child_frames(reading, mechanism))
    except MechanismError as error:
        pass_on(error, reading.scene, reading.first)


def solve(reading: Reading, loose: list[Linkage], frames: int | None) -> Iterator[Progress]:
    """Bring the loose linkages together; returns an Outcome."""
    mechanism = _part_of(reading, loose)
    if frames:
        return (yield from _fly(reading, mechanism))
    assembly = _assembly(reading, mechanism)
    for progress in assembly.run():
        yield Progress(READ_SHARE + (SOLVE_SHARE - READ_SHARE) * progress.fraction, "Bringing bodies together")
    names = list(assembly.poses)
    position, orientation = (np.array([assembly.poses[name][i] for name in names])[None] for i in (0, 1))
    return Outcome(Solved(names, position, orientation), assembly.mechanism, assembly.open)


def _fly(reading: Reading, mechanism: Mechanism) -> Iterator[Progress]:
    child_frames = _at_the_end_too(_child_frames(reading, mechanism), mechanism)
    try:
        flight = FlyTogether(_at_the_end(mechanism), reading.duration, reading.frame_rate, child_frames)
    except (MechanismError, RunError) as error:
        pass_on(error, reading.scene, reading.first)
    for progress in flight.run():
        fraction = READ_SHARE + (SOLVE_SHARE - READ_SHARE) * progress.fraction
        yield Progress(fraction, f"Flying together: frame {reading.first + progress.frames_done} of {reading.last}")
    names = [body.name for body in mechanism.bodies]
    return Outcome(Solved(names, flight.positions, flight.orientations), flight.mechanism, flight.open)


def _at_the_end(mechanism: Mechanism) -> Mechanism:
    """With keyed bodies and paths where they are when the flight is over, which is where all has to meet."""
    bodies = [
        dataclasses.replace(body, keys=Keys([0.0], [body.keys.positions[-1]], [body.keys.orientations[-1]]))
        if body.motion == "keyed"
        else body
        for body in mechanism.bodies
    ]
    constraints = [part if part.guide is None else _led_at_the_end(part) for part in mechanism.constraints]
    return dataclasses.replace(mechanism, bodies=bodies, constraints=constraints)


def _at_the_end_too(frames: Frames, mechanism: Mechanism) -> Frames:
    """The same for what stands on keyed bodies."""
    keyed = {body.name: body for body in mechanism.bodies if body.motion == "keyed"}
    moved = dict(frames)
    for joint in mechanism.joints:
        if joint.name in frames and joint.child in keyed:
            body, keys = keyed[joint.child], keyed[joint.child].keys
            motion = displacement((body.position, body.orientation), (keys.positions[-1], keys.orientations[-1]))
            moved[joint.name] = poses.split(motion @ poses.join(*frames[joint.name], np.eye(3)))[:2]
    return moved


def _led_at_the_end(led: Path | Generic) -> Path | Generic:
    places, turns = (None if keys is None else [keys[-1]] for keys in (led.positions, led.orientations))
    return dataclasses.replace(led, times=[0.0], positions=places, orientations=turns)


def without(linkages: list[Linkage], outcome: Outcome) -> Outcome:
    """The outcome of the other linkages alone."""
    bodies = {body.name_full for linkage in linkages for body in linkage.bodies}
    names = [name for name in outcome.solved.index if name not in bodies]
    columns = [outcome.solved.index[name] for name in names]
    solved = Solved(names, outcome.solved.position[:, columns], outcome.solved.orientation[:, columns])
    return outcome._replace(solved=solved)
