# SPDX-License-Identifier: GPL-3.0-or-later
"""Inverse dynamics of an arm on a differential shoulder, by d'Alembert's principle in its three angles.

Angles: pitch of the carrier about the world's X, roll of the upper arm on the carrier, bend of the elbow. At zero the
upper arm stands upright, rolls about Z, and the forearm points along -Y with the elbow's hinge along X. All lengths in
metres, from the differential's middle.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

GRAVITY = np.array([0.0, 0.0, -9.81])
X, Z = np.array([1.0, 0.0, 0.0]), np.array([0.0, 0.0, 1.0])


class Part(NamedTuple):
    """kg, centre of mass (3,) and inertia (3, 3) about it, in world axes at zero angles; how many angles move it."""

    mass: float
    center: np.ndarray
    inertia: np.ndarray
    moved_by: int


def angles_of_hand(hand: np.ndarray, upper: float, fore: float) -> np.ndarray:
    """Pitch, roll and bend (T, 3) that bring the hand (T, 3) there; `upper` and `fore` are the arm's lengths.

    Its distance from the shoulder gives the bend, its distance from the plane x = 0 the roll, its direction the pitch.
    """
    cosine = (np.sum(hand**2, axis=1) - upper**2 - fore**2) / (2.0 * upper * fore)
    bend = np.arccos(cosine) - 0.5 * np.pi
    out = fore * np.cos(bend)  # of the hand from the line of the upper arm
    roll = np.arcsin(hand[:, 0] / out)
    ahead, above = out * np.cos(roll), upper - fore * np.sin(bend)
    pitch = np.arctan2(above, ahead) - np.arctan2(hand[:, 2], -hand[:, 1])
    return np.column_stack([pitch, roll, bend])


def hand_of_angles(angles: np.ndarray, upper: float, point: np.ndarray) -> np.ndarray:
    """Places (T, 3) of a point of the forearm for angles (T, 3); `point` (3,) is where it is at zero angles."""
    poses = (_pose(row, upper) for row in angles)
    return np.array([pose.origins[3] + pose.turns[3] @ (point - upper * Z) for pose in poses])


def efforts(angles: np.ndarray, step: float, upper: float, parts: Sequence[Part]) -> np.ndarray:
    """N m (T, 3) that pitch, roll and bend need for this motion (T, 3), one row every `step` seconds; ends are wrong.

    The sum over all parts of (m (a - g) . dc/dq + (I w)' . dw/dq').
    """
    poses = [_pose(row, upper) for row in angles]
    found = np.zeros_like(angles)
    for part in parts:
        turns = np.array([pose.turns[part.moved_by] for pose in poses])
        pivots = np.array([pose.origins[part.moved_by] for pose in poses])
        home = np.array([0.0, 0.0, upper]) if part.moved_by == 3 else np.zeros(3)
        centers = pivots + turns @ (part.center - home)
        rates = _slope(turns, step) @ turns.transpose(0, 2, 1)
        spins = np.stack([rates[:, 2, 1], rates[:, 0, 2], rates[:, 1, 0]], axis=1)
        inertias = turns @ part.inertia @ turns.transpose(0, 2, 1)
        force = part.mass * (_slope(_slope(centers, step), step) - GRAVITY)
        moment = _slope(np.einsum("tij,tj->ti", inertias, spins), step)
        for j in range(part.moved_by):
            axes = np.array([pose.axes[j] for pose in poses])
            points = np.array([pose.points[j] for pose in poses])
            found[:, j] += np.sum(np.cross(axes, centers - points) * force + axes * moment, axis=1)
    return found


class _Pose(NamedTuple):
    turns: list[np.ndarray]  # rotations of what 0, 1, 2 and 3 angles move
    origins: list[np.ndarray]  # where their origins are: the shoulder, for the forearm the elbow
    axes: list[np.ndarray]  # of the three hinges
    points: list[np.ndarray]  # on these axes


def _pose(angles: np.ndarray, upper: float) -> _Pose:
    carrier = _rotation(X, angles[0])
    arm = carrier @ _rotation(Z, angles[1])
    fore = arm @ _rotation(X, angles[2])
    nil, elbow = np.zeros(3), arm @ (upper * Z)
    return _Pose([np.eye(3), carrier, arm, fore], [nil, nil, nil, elbow], [X, carrier @ Z, arm @ X], [nil, nil, elbow])


def _rotation(axis: np.ndarray, angle: float) -> np.ndarray:
    """Rodrigues' formula."""
    cross = np.cross(np.eye(3), axis)  # its matrix times v is axis x v
    return np.eye(3) + np.sin(angle) * cross + (1.0 - np.cos(angle)) * cross @ cross


def _slope(values: np.ndarray, step: float) -> np.ndarray:
    return np.gradient(values, step, axis=0)


def motor_torques(
    efforts: np.ndarray, accelerations: np.ndarray, reductions: tuple[float, float], inertias: Sequence[float]
) -> np.ndarray:
    """N m (T, 2) of the left and the right motor, from the efforts (T, 3) and accelerations (T, 3) of the angles.

    Side gears turn by pitch + roll and pitch - roll: each bears half of the pitch's effort and, with its sign, of the
    roll's. `reductions` divide it: turns of the motor per turn of the lay shaft, and of that per turn of the side gear.
    Motor, lay shaft and side gear, of `inertias` (kg m2) about their axes, must be sped up too.
    """
    signs = np.array([1.0, -1.0])
    sides = 0.5 * (efforts[:, :1] + signs * efforts[:, 1:2])
    speeding = accelerations[:, :1] + signs * accelerations[:, 1:2]
    first, second = reductions
    motor, lay, side = inertias
    return (sides + speeding * (side + lay * second**2 + motor * (first * second) ** 2)) / (first * second)
