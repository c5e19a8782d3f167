# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints of the independent engine: how FORMAT's coordinates move the child, and what springs and motors exert."""

from dataclasses import dataclass

import numpy as np

from tests.solver.dynamics.tree.long_doubles import NONE, REAL, X, Y, Z, real, rotation_vector_rate, turn


@dataclass
class JointState:
    """A joint at one moment: frame on the parent, origin on the child, and how coordinates move the child."""

    frame: np.ndarray
    origin: np.ndarray
    turns: np.ndarray  # (D, 3), world axes: angular velocity of child against parent per speed
    travels: np.ndarray  # (D, 3): velocity of the child's origin in the parent's frame per speed
    angular_bias: np.ndarray  # (3,): what the turns' own change adds
    gap: float  # how far the poses are from what the coordinates say: m and rad
    slip: float  # the same for velocities: m/s and rad/s


def joint_motion(joint, q, speeds):
    """FORMAT's table of coordinates: (rotation, travel, turns, travels, bias), all in the parent's joint frame."""
    if joint.type == "revolute":
        return turn(q[0] * Z), NONE, real([Z]), real([NONE]), NONE
    if joint.type == "prismatic":
        return np.eye(3), q[0] * Z, real([NONE]), real([Z]), NONE
    if joint.type == "screw":
        return turn(q[0] * Z), joint.pitch * q[0] * Z, real([Z]), real([joint.pitch * Z]), NONE
    if joint.type == "cylindrical":
        return turn(q[0] * Z), q[1] * Z, real([Z, NONE]), real([NONE, Z]), NONE
    if joint.type == "universal":
        first = turn(q[0] * X)
        return first @ turn(q[1] * Y), NONE, real([X, first @ Y]), real([NONE] * 2), speeds[0] * speeds[1] * first @ Z
    if joint.type == "spherical":
        return turn(q), NONE, turn(q).T, real([NONE] * 3), NONE
    if joint.type == "planar":
        return turn(q[2] * Z), q[0] * X + q[1] * Y, real([NONE, NONE, Z]), real([X, Y, NONE]), NONE
    return np.eye(3), NONE, np.zeros((0, 3), REAL), np.zeros((0, 3), REAL), NONE


def joint_efforts(joint, q, speed, now) -> np.ndarray:
    """(D,): springs, dampers and motors along each coordinate; `now` gives a number that may be a table."""
    count = len(q)
    stiffness, rest, damping = (real(getattr(joint, key) or (0,) * count) for key in ("stiffness", "rest", "damping"))
    along_coordinate, along_speed = -stiffness * (q - rest), -damping * speed
    if joint.motor is not None and joint.motor.mode == "force":
        along_speed = along_speed + real([now(v) for v in joint.motor.per_coordinate("value", count)])
    elif joint.motor is not None:
        target, k, c = (
            real([now(v) for v in joint.motor.per_coordinate(key, count)]) for key in ("target", "stiffness", "damping")
        )
        limit = real([np.inf if v is None else now(v) for v in joint.motor.per_coordinate("max_force", count)])
        pull, drag = k * (target - q), -c * speed
        share = np.minimum(1, limit / np.maximum(np.abs(pull + drag), REAL(1e-300)))
        along_coordinate, along_speed = along_coordinate + share * pull, along_speed + share * drag
    if joint.type != "spherical":
        return along_coordinate + along_speed
    return along_speed + rotation_vector_rate(q).T @ along_coordinate
