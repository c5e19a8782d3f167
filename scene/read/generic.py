# SPDX-License-Identifier: GPL-3.0-or-later
"""Empties of role GENERIC: some of the six axes between two frames are locked, and an object may lead one of these."""

import math

import bpy
import numpy as np

from ...solver.mechanism import Generic
from ..geometry import poses
from ..owner import Owner
from ..properties.roles import locked_axes
from .constraints import held_to
from .open_ties import NEAR, closeness
from .paths import refuses_leader
from .reading import Reading
from .sampling import Probe
from .track import turned_by


def read_generic(reading: Reading, owner: bpy.types.Object) -> None:
    """Add a generic constraint to the mechanism, or say what is wrong with it."""
    body, to = reading.held_body(owner), held_to(reading, owner)
    locked = locked_axes(owner.ves)
    if not locked:
        reading.error(owner, "holds nothing, because all of its axes are free: lock one")
    if not body or not locked:
        return
    pose = reading.poses[owner]
    part = Generic(
        name=owner.name_full,
        body_a=body,
        body_b=to,
        point_a=pose.position,
        point_b=pose.position,
        orientation_a=pose.orientation,
        orientation_b=pose.orientation,
        locked=locked,
        **reading.catching(owner),
    )
    is_read = _lead(reading, owner, part) if owner.ves.path_object is not None else _stand(reading, owner, part)
    if is_read:
        reading.mechanism.constraints.append(part)


def _stand(reading: Reading, owner: bpy.types.Object, part: Generic) -> bool:
    """The frame that it is held to is where its mark is, if it has one."""
    mark = reading.other_side(owner, owner.ves.body_b)
    if mark is not None and owner.ves.anchor_b is not None:
        part.point_b, part.orientation_b = mark.position, mark.orientation
        _note_gap(reading, owner, part, mark.position, mark.orientation)
    return mark is not None


def _note_gap(reading: Reading, owner: bpy.types.Object, part: Generic, place: np.ndarray, turn: np.ndarray) -> None:
    """Say if the body's side is apart from a frame at this place and turn; what is only rounding is taken away."""
    gap, angle, exact = _gap(part, place, turn)
    if gap <= closeness(place, owner.ves.body_a, owner.ves.body_b) and angle <= NEAR:
        part.point_a, part.orientation_a = exact
    elif not reading.starts_elsewhere:
        apart = f"{gap:.2g} m apart" if angle <= NEAR else f"turned by {math.degrees(angle):.2g}°"
        reading.leave_open(owner, f"its two sides are {apart}")


def _gap(part: Generic, place: np.ndarray, turn: np.ndarray) -> tuple[float, float, tuple[np.ndarray, np.ndarray]]:
    """The gap (m, rad), and the nearest place and turn of the body's side at which it would not be."""
    axes, held = poses.rotations(np.array(turn)), poses.rotations(np.array(part.orientation_a))
    travels = axes[:, list(part.locked_travels)]
    off, way, free = travels.T @ np.subtract(part.point_a, place), np.zeros(3), part.free_turns
    if not free:
        way = poses.rotation_vector(axes @ held.T)
    elif len(free) == 1:
        a, b = axes[:, free[0]], held[:, free[0]]
        across = np.cross(b, a)
        sine = float(np.linalg.norm(across))
        way = math.atan2(sine, float(a @ b)) * (across / sine if sine > 0.0 else axes[:, free[0] - 1])
    elif len(free) == 2:
        a, b = axes[:, free[0]], held[:, free[1]]
        across = np.cross(a, b)
        way = math.asin(max(-1.0, min(1.0, float(a @ b)))) * across / max(float(np.linalg.norm(across)), 1e-300)
    turned = poses.product(turned_by(way), np.array(part.orientation_a))
    return float(np.linalg.norm(off)), float(np.linalg.norm(way)), (np.array(part.point_a) - travels @ off, turned)


def _lead(reading: Reading, owner: bpy.types.Object, part: Generic) -> bool:
    """The frame moves as an object does: with Keep Offset from where the Empty is, otherwise it is the object's own."""
    settings = owner.ves
    leader = settings.path_object
    if part.body_b is not None:
        reading.error(owner, f"is led by {leader.name} and held to {part.body_b}: clear one of them")
        return False
    if refuses_leader(reading, owner, leader):
        return False
    sample, frames = Owner(leader).world, reading.sampled_frames
    own = poses.join(np.array(part.point_a), np.array(part.orientation_a), np.eye(3))

    def led(matrices: np.ndarray) -> poses.Pose:
        """From its poses (T, 4, 4), the first of which is that of the start."""
        found = poses.split(matrices)
        rigid = poses.join(found.position, found.orientation, np.eye(3))
        return poses.split(rigid @ np.linalg.inv(rigid[0]) @ own if settings.path_keep_offset else rigid)

    start = led(sample(reading.depsgraph)[None])
    part.times, part.positions, part.orientations = [0.0], start.position, start.orientation
    _note_gap(reading, owner, part, start.position[0], start.orientation[0])

    def use(samples: np.ndarray) -> None:
        moved = led(samples)
        if (moved.position != moved.position[0]).any() or (moved.orientation != moved.orientation[0]).any():
            part.times, part.positions = reading.times(frames).tolist(), moved.position
            part.orientations = poses.continuous(moved.orientation)

    reading.probes.append(Probe(frames, sample, use))
    return True
