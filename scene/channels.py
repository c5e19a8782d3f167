# SPDX-License-Identifier: GPL-3.0-or-later
"""A solved pose in the world becomes an object's own location and rotation values.

Blender builds a world matrix as M = P B: P is what parents do, and B = T(location + delta) (dR R) S. The solver gives
the rigid part of M; the constant residual (`poses`) gives the rest. So B = P^-1 M, and R follows with the scale that
the object really has, mirrored or not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import bpy
import numpy as np
from mathutils import Euler, Quaternion

from . import poses

if TYPE_CHECKING:
    from .reading import ReadBody
    from .write import Solved


def rotation_path(mode: str) -> str:
    """The property that holds the rotation in a rotation mode."""
    return {"QUATERNION": "rotation_quaternion", "AXIS_ANGLE": "rotation_axis_angle"}.get(mode, "rotation_euler")


def transform_channels(read: ReadBody, by_name: dict[str, ReadBody], solved: Solved) -> tuple[np.ndarray, np.ndarray]:
    """Location (F, 3) and rotation (F, 3 or 4, in the object's own mode) that put a body where it was solved to be."""
    world = world_matrices(read, solved)
    basis = np.linalg.solve(parent_space(read, by_name, solved, len(world)), world)
    owner = read.object
    rotation = poses.rotation_part(basis[:, :3, :3] / read.scale)
    rotation = _delta_rotation(owner).T @ rotation
    location = basis[:, :3, 3] - np.array(owner.delta_location, dtype=np.float64)
    return location, rotation_channels(poses.quaternions(rotation), owner.rotation_mode, _start_values(read))


def world_matrices(read: ReadBody, solved: Solved) -> np.ndarray:
    """World matrices (F, 4, 4) of a solved body."""
    return poses.join(*solved.of(read.body.name), read.residual)


def parent_space(read: ReadBody, by_name: dict[str, ReadBody], solved: Solved, count: int) -> np.ndarray:
    """P over the frames (F, 4, 4).

    It was sampled with the original animation. Where an ancestor is itself solved, P moves along with it.
    """
    if read.parent_space is None:
        return np.broadcast_to(np.eye(4), (count, 4, 4))
    space = read.parent_space[:count]
    if read.ancestor is None:
        return space
    ancestor = by_name[read.ancestor]
    return world_matrices(ancestor, solved) @ np.linalg.solve(read.ancestor_space[:count], space)


def rotation_channels(quaternion: np.ndarray, mode: str, start: np.ndarray | None) -> np.ndarray:
    """Rotations (F, 4) as values of a rotation mode, continuous over the frames and beginning near `start`."""
    quaternion = poses.continuous(quaternion)
    if mode == "QUATERNION":
        return -quaternion if start is not None and quaternion[0] @ start < 0.0 else quaternion
    if mode == "AXIS_ANGLE":
        return _axis_angles(quaternion, np.array([0.0, 0.0, 0.0, 1.0]) if start is None else start)
    euler = Euler((0.0, 0.0, 0.0) if start is None else start, mode)
    values = np.empty((len(quaternion), 3))
    for i, rotation in enumerate(quaternion):
        euler = Quaternion(rotation).to_euler(mode, euler)
        values[i] = euler
    return values


def _start_values(read: ReadBody) -> np.ndarray | None:
    """The rotation values at the start, unless the object has got another rotation mode since its first bake."""
    return read.rotation_values if read.rotation_mode == read.object.rotation_mode else None


def _axis_angles(quaternion: np.ndarray, start: np.ndarray) -> np.ndarray:
    """Angle and axis (F, 4); the axis keeps its side and the angle counts on, beginning near `start`.

    Where nothing is turned and the axis has no direction, it has the one before, or at the beginning that to come.
    """
    length = np.linalg.norm(quaternion[:, 1:], axis=1)
    turned = np.flatnonzero(length > 1e-9)
    values = np.tile(start, (len(quaternion), 1)).astype(np.float64)
    if len(turned) == 0:
        return values
    angle, axis = start[0], start[1:]
    known = np.maximum.accumulate(np.where(length > 1e-9, np.arange(len(length)), turned[0]))
    for i, source in enumerate(known):
        direction = quaternion[source, 1:] / length[source]
        side = 1.0 if direction @ axis >= 0.0 else -1.0
        axis = side * direction
        here = 2.0 * np.arctan2(side * length[i], quaternion[i, 0])
        angle = here + 2.0 * np.pi * np.round((angle - here) / (2.0 * np.pi))
        values[i, 0], values[i, 1:] = angle, axis
    return values


def _delta_rotation(owner: bpy.types.Object) -> np.ndarray:
    if owner.rotation_mode == "QUATERNION":
        return poses.rotations(np.array(owner.delta_rotation_quaternion.normalized(), dtype=np.float64))
    if owner.rotation_mode == "AXIS_ANGLE":
        return np.eye(3)
    return np.array(owner.delta_rotation_euler.to_matrix(), dtype=np.float64)
