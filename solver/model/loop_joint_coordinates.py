# SPDX-License-Identifier: GPL-3.0-or-later
"""Coordinates of joints that close loops: no integration carries them, so they follow from the motion of two bodies.

Arrays are over frames F, world axes. Symbols: e an axis of the parent's frame, d = p_child - p_parent between the
frames' origins, u = d', w angular velocity, alpha its derivative.
"""

import math
from dataclasses import dataclass

import numpy as np

from ..mechanism.joint_types import LENGTH, JointType
from ..mechanism.joints import Joint
from .poses import product, transposed, turned


@dataclass
class FrameMotion:
    """A joint frame fixed to a moving body."""

    axes: np.ndarray  # (F, 3, 3): its axes as columns
    origin: np.ndarray  # (F, 3) m
    angular: np.ndarray  # (F, 3) rad/s
    linear: np.ndarray  # (F, 3) m/s: of the origin
    turning: np.ndarray  # (F, 3) rad/s2: angular acceleration, zero if nobody asks for accelerations
    speeding: np.ndarray  # (F, 3) m/s2: acceleration of the origin


def closing_joint_motion(joint: Joint, parent: FrameMotion, child: FrameMotion) -> tuple[np.ndarray, ...]:
    """(coordinates, speeds, accelerations), each (F, D), in FORMAT.md's order of the joint's coordinates."""
    joint_type = joint.joint_type
    if joint_type.rides:  # always in a tree, until the surfaces part
        return (np.zeros((len(parent.origin), len(joint_type.axes))),) * 3
    parts = _parts(joint_type)
    count = len(parent.origin)
    nothing = (np.zeros((count, 0)),) * 3
    found = [nothing, *(part(parent, child, *arguments) for part, arguments in parts)]
    q, speed, second = (np.concatenate(values, axis=1) for values in zip(*found, strict=True))
    angle = joint_type.endless
    if joint.coordinates is not None and angle is not None:
        q[:, angle] += 2.0 * np.pi * np.round((joint.coordinates[angle] - q[0, angle]) / (2.0 * np.pi))
    return q, speed, second


def _parts(joint_type: JointType) -> list[tuple]:
    """The functions of the coordinates, in their order: axis by axis, or all turns at once where there are several."""
    turns = tuple(turn.axis for turn in joint_type.turns)
    several = {2: [(_cardan, turns)], 3: [(_rotation_vector, ())]}.get(len(turns))
    if several is not None:
        return [(_travel, (axis,)) for axis in joint_type.travels] + several
    return [(_travel if axis.kind == LENGTH else _turn, (axis.axis,)) for axis in joint_type.axes]


def _angles(y: np.ndarray, x: np.ndarray) -> np.ndarray:
    """atan2, one by one: numpy's has other last digits where its arrays lie right behind each other in memory."""
    return np.frompyfunc(math.atan2, 2, 1)(y, x).astype(float)


def _dot(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.sum(a * b, axis=-1, keepdims=True)


def _turn(parent: FrameMotion, child: FrameMotion, axis: int):
    first = (axis + 1) % 3
    x, y, e = (parent.axes[:, :, k] for k in (first, (axis + 2) % 3, axis))
    angle = _angles(_dot(y, child.axes[:, :, first]), _dot(x, child.axes[:, :, first]))
    relative = child.angular - parent.angular
    return np.unwrap(angle, axis=0), _dot(e, relative), _dot(e, child.turning - parent.turning)


def _travel(parent: FrameMotion, child: FrameMotion, axis: int):
    e, d, u, w = parent.axes[:, :, axis], child.origin - parent.origin, child.linear - parent.linear, parent.angular
    swing = np.cross(w, e)
    bend = np.cross(parent.turning, e) + np.cross(w, swing)
    second = _dot(e, child.speeding - parent.speeding) + 2.0 * _dot(swing, u) + _dot(bend, d)
    return _dot(e, d), _dot(e, u) + _dot(swing, d), second


def _cardan(parent: FrameMotion, child: FrameMotion, i: int, j: int):
    """R = turn about axis i by the first angle, then about the new axis j by the second; see `poses.cardan_angles`."""
    k, way = 3 - i - j, 1.0 if (j - i) % 3 == 1 else -1.0
    x, y = parent.axes[:, :, i], child.axes[:, :, j]
    R = product(transposed(parent.axes), child.axes)
    first = np.unwrap(_angles(way * R[:, k, j], R[:, j, j]))
    second = np.unwrap(_angles(way * R[:, i, k], R[:, i, i]))
    relative = child.angular - parent.angular
    speeds = np.concatenate([_dot(x, relative), _dot(y, relative)], axis=1)
    carried = speeds[:, :1] * np.cross(parent.angular, x) + speeds[:, 1:] * np.cross(child.angular, y)
    rest = child.turning - parent.turning - carried
    return np.column_stack([first, second]), speeds, np.concatenate([_dot(x, rest), _dot(y, rest)], axis=1)


def _rotation_vector(parent: FrameMotion, child: FrameMotion):
    from scipy.spatial.transform import Rotation

    R = product(transposed(parent.axes), child.axes)
    relative = child.angular - parent.angular
    second = child.turning - parent.turning - np.cross(child.angular, relative)
    speeds, accelerations = (turned(transposed(child.axes), v) for v in (relative, second))
    return Rotation.from_matrix(R).as_rotvec(), speeds, accelerations
