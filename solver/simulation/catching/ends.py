# SPDX-License-Identifier: GPL-3.0-or-later
"""Places and velocities of points of bodies, at present and as drawn."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np

from ...integration.motion.observation import Frames
from ...mechanism import Mechanism
from ...mechanism.bodies import Vector
from ...model.arrays import Scratch, State
from ...model.closures import Anchor
from ...model.linkage.compilation import Compiled
from ...model.poses import body_pose, rotation_matrices, turned


def present_frame(mechanism: Mechanism, name: str | None, point, position, orientation) -> Anchor:
    """The place of a body's point (m, world at zero coordinates), and the turn of its axes (3, 3).

    position (B, 3), orientation (B, 4): of all bodies at present.
    """
    point = np.array(point, float)
    if name is None:
        return point, np.eye(3)
    number = next(i for i, body in enumerate(mechanism.bodies) if body.name == name)
    start, unturned = body_pose(mechanism.bodies[number])
    turn = rotation_matrices(orientation[number])[0] @ rotation_matrices(np.array(unturned))[0].T
    return position[number] + turn @ (point - np.array(start)), turn


def seen_from(mechanism: Mechanism, name: str | None, frame: Anchor, position, orientation) -> Anchor:
    """A frame in the present world as it stands on a body, in the world at zero coordinates."""
    origin, turn = present_frame(mechanism, name, (0.0, 0.0, 0.0), position, orientation)
    return turn.T @ (frame[0] - origin), turn.T @ frame[1]


class Going(NamedTuple):
    """All bodies and joints at a time (s), as they are and as they move."""

    time: float
    position: np.ndarray  # (B, 3)
    orientation: np.ndarray  # (B, 4)
    linear_velocity: np.ndarray  # (B, 3)
    angular_velocity: np.ndarray  # (B, 3)
    joint_speeds: np.ndarray  # (D,)
    joint_offsets: np.ndarray  # (J,): where each joint's begin


class Points(NamedTuple):
    """Places (E, 3) m, velocities (E, 3) m/s and accelerations (E, 3) m/s2 of points of bodies."""

    places: np.ndarray
    velocities: np.ndarray
    accelerations: np.ndarray


class Now(NamedTuple):
    """Everything of a linkage as it is at a time (s), as last evaluated."""

    scratch: Scratch
    time: float
    state: State


class Ends:
    """Points of a linkage's bodies, while it moves."""

    def __init__(self, mechanism: Mechanism, compiled: Compiled, ends: Iterable[tuple[str | None, Vector]]) -> None:
        """ends: names of bodies, None for the world, and points of them (m, world at zero coordinates)."""
        numbers = {int(place): number for number, place in reversed(list(enumerate(compiled.places))) if place >= 0}
        found = [self._on_body(mechanism, compiled, numbers, name, np.array(point, float)) for name, point in ends]
        self._body, self._arm = np.array([body for body, _ in found]), np.array([arm for _, arm in found])
        self._driven = compiled.model.driven

    @staticmethod
    def _on_body(
        mechanism: Mechanism, compiled: Compiled, numbers: Mapping[int, int], name: str | None, point: np.ndarray
    ) -> tuple[int, np.ndarray]:
        """A body's number in the kernels, and the place of a point in its axes there."""
        if name is None:
            return 0, point
        place = next(i for i, body in enumerate(mechanism.bodies) if body.name == name)
        number, (start, turn) = numbers[place], body_pose(mechanism.bodies[place])
        arm = rotation_matrices(np.array(turn))[0].T @ (point - start)
        dynamic = number - compiled.model.driven
        if dynamic >= 0:
            arm = compiled.own_rotation[dynamic] @ (arm - compiled.center_of_mass[dynamic])
        return number, arm

    def now(self, scratch: Scratch) -> tuple[np.ndarray, np.ndarray]:
        """Places (E, 3), in m, and velocities (E, 3), in m/s, as last evaluated."""
        bodies = scratch.bodies[self._body]
        arm = turned(bodies.rotation.reshape(-1, 3, 3), self._arm)
        return bodies.center + arm, bodies.linear + np.cross(bodies.angular, arm)

    def accelerations(self, scratch: Scratch) -> np.ndarray:
        """(E, 3), in m/s2, as last evaluated."""
        bodies = scratch.bodies[self._body]
        arm = turned(bodies.rotation.reshape(-1, 3, 3), self._arm)
        linear, angular = bodies.acceleration[:, 3:], bodies.acceleration[:, :3]
        return linear + np.cross(angular, arm) + np.cross(bodies.angular, np.cross(bodies.angular, arm))

    def in_frames(self, frames: Frames, done: int) -> np.ndarray:
        """Places (F, E, 3) of points on dynamic bodies, in m, in the first so many frames."""
        bodies = self._body - self._driven
        turns = rotation_matrices(frames.orientation[:done, bodies].reshape(-1, 4)).reshape(done, len(bodies), 3, 3)
        return frames.center[:done, bodies] + np.einsum("feij,ej->fei", turns, self._arm)


def moving(ends: Ends, scratch: Scratch) -> Points:
    """Points of bodies as last evaluated."""
    return Points(*ends.now(scratch), ends.accelerations(scratch))
