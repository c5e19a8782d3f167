# SPDX-License-Identifier: GPL-3.0-or-later
"""Openings of joints and other ties: between their two sides, as far as Blender's single precision can tell.

A joint holds some of the directions and turns of its frame, and leaves the others free. With d and Q the origin and the
orientation of the child's frame as the parent's frame sees them, open is what is held and not zero.
"""

import math

import bpy
import numpy as np

from ...solver.mechanism import Joint
from ..geometry import poses
from ..owner import Owner

NEAR = 1e-4  # of the bodies' size, and in radians: what an eye can't see and a person has not meant
ROUNDING = 1e-6  # of the distance from the world's origin


def closeness(place: np.ndarray, *bodies: bpy.types.Object | None) -> float:
    """The gap at a place (3,) that counts as none, in metres; it goes with the size of the bodies."""
    size = max((Owner(body).size for body in bodies if body is not None), default=0.0)
    return NEAR * size + ROUNDING * float(np.abs(place).max())


def joint_gap(joint: Joint, mark: poses.Pose, close: float) -> str:
    """The gap between the child's side (`mark`) and where the joint holds it, in words; "" if they are together.

    `close` is the length that counts as none.
    """
    turn = poses.rotations(np.array(joint.orientation))
    d = turn.T @ (mark.position - np.array(joint.position))
    Q = turn.T @ poses.rotations(mark.orientation)
    joint_type = joint.joint_type
    length = float(np.linalg.norm(d[list(joint_type.held)]))
    if joint_type.is_threaded:
        length = math.hypot(length, _off_thread(d[2], math.atan2(Q[1, 0], Q[0, 0]), joint.pitch))
    angle = _held_angle([turn.axis for turn in joint_type.turns], Q)
    if length > close:
        return f"{length:.2g} m"
    return f"{math.degrees(angle):.2g}°" if angle > NEAR else ""


def _held_angle(turns: list[int], Q: np.ndarray) -> float:
    """The angle (rad) by which the child's frame is turned as a joint with turns about these axes does not allow."""
    if not turns:
        return float(np.linalg.norm(poses.rotation_vector(Q)))
    if len(turns) == 1:
        (k,) = turns
        return math.atan2(math.hypot(Q[(k + 1) % 3, k], Q[(k + 2) % 3, k]), Q[k, k])
    if len(turns) == 2:
        return abs(math.asin(max(-1.0, min(1.0, Q[turns[0], turns[1]]))))
    return 0.0


def _off_thread(travel: float, angle: float, pitch: float) -> float:
    """Distance (m) to the nearest place where a screw's travel and angle fit each other, whole turns apart."""
    off, lead = travel - pitch * angle, 2.0 * math.pi * abs(pitch)
    return abs(off - lead * round(off / lead)) if lead > 0.0 else abs(off)
