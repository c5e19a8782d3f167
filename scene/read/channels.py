# SPDX-License-Identifier: GPL-3.0-or-later
"""A solved pose in the world becomes a body's own location and rotation values.

Blender builds a world matrix as M = P B: P is what parents do, and B = T(location + delta) (dR R) S. The solver gives
the rigid part of M; the constant residual (`poses`) gives the rest. So B = P^-1 M, and R follows with the scale that
the object really has, mirrored or not.
"""

from typing import NamedTuple

import numpy as np

from ..geometry import poses
from .reading import ReadBody, samples_over_time
from .solved import Solved
from .track import Track, turned_by

_MOMENT = 1e-5  # frames: how far channels are looked at before and after an instant, for their rates


class Channels(NamedTuple):
    """Values of C channels at G instants, and their rates per frame before and after each."""

    values: np.ndarray  # (G, C)
    before: np.ndarray  # (G, C)
    after: np.ndarray  # (G, C)


class MovingFrame(NamedTuple):
    """Matrices (G, 4, 4) and their rates per frame before and after each instant."""

    matrices: np.ndarray
    before: np.ndarray
    after: np.ndarray


def transform_channels(
    read: ReadBody, turn: np.ndarray, by_name: dict[str, ReadBody], solved: Solved
) -> tuple[np.ndarray, np.ndarray]:
    """Location (F, 3) and rotation (F, 3 or 4, in the object's own mode) that put a body where it was solved to be.

    `turn` (4,) is one of `own_turns`.
    """
    owner = read.owner
    if read.parent_space is None:
        location, orientation = solved.of(read.body.name)
        rotation = poses.product(orientation, turn)
    else:
        basis = np.linalg.solve(parent_space(read, by_name, solved), world_matrices(read, solved))
        location = basis[:, :3, 3]
        rotation = poses.quaternions(poses.rotation_part(basis[:, :3, :3] / read.scale))
    delta = owner.delta_rotation
    if delta is not None:
        rotation = poses.product(delta * poses.CONJUGATE, rotation)
    location = location - owner.delta_location
    return location, rotation_channels(rotation, owner.rotation_mode, _start_values(read))


def channels_over(
    read: ReadBody, turn: np.ndarray, by_name: dict[str, ReadBody], solved: Solved, track: Track, rated: np.ndarray
) -> tuple[Channels, Channels]:
    """Location and rotation channels, as `transform_channels` has them, with their rates, over a body's track.

    rated (G,) bool: where the rates of the rotation are wanted; elsewhere they are zero.
    """
    owner = read.owner
    if read.parent_space is None:
        location, rotation = track.position, poses.product(track.orientation, turn)
        before, after = track.before, track.after
    else:
        space, world = parent_space_over(read, by_name, solved, track.times), _moving(track, read.residual)
        basis = np.linalg.solve(space.matrices, world.matrices)
        location = basis[:, :3, 3]
        rotation = poses.quaternions(poses.rotation_part(basis[:, :3, :3] / read.scale))
        before, after = (
            _velocity(basis, np.linalg.solve(space.matrices, of_world - of_space @ basis))
            for of_world, of_space in ((world.before, space.before), (world.after, space.after))
        )
    location = Channels(location - owner.delta_location, before[:, :3], after[:, :3])
    return location, _rotation_over(read, rotation, before[:, 3:], after[:, 3:], rated)


def _rotation_over(
    read: ReadBody, rotation: np.ndarray, before: np.ndarray, after: np.ndarray, rated: np.ndarray
) -> Channels:
    """Channels of rotations (G, 4) with angular velocities (G, 3) per frame in the parent's space.

    Their rates are differences over a moment before and after, in whatever mode: these are the values that a curve
    must go on with.
    """
    owner, delta = read.owner, read.owner.delta_rotation
    looks = np.where(rated, 3, 1)  # a moment before, at the instant, a moment after; or only at the instant
    here = np.cumsum(looks) - np.where(rated, 2, 1)
    around = np.repeat(rotation, looks, axis=0)
    for place, way in ((here[rated] - 1, -before[rated]), (here[rated] + 1, after[rated])):
        around[place] = poses.product(turned_by(_MOMENT * way), rotation[rated])
    if delta is not None:
        around = poses.product(delta * poses.CONJUGATE, around)
    values = rotation_channels(around, owner.rotation_mode, _start_values(read))
    channels = Channels(values[here], *np.zeros((2, len(rotation), values.shape[1])))
    channels.before[rated] = (values[here] - values[here - 1])[rated] / _MOMENT
    channels.after[rated] = (values[here[rated] + 1] - values[here[rated]]) / _MOMENT
    return channels


def _velocity(matrices: np.ndarray, rates: np.ndarray) -> np.ndarray:
    """Linear and angular velocity (G, 6) of matrices (G, 4, 4) that change at these rates."""
    spin = rates[:, :3, :3] @ np.linalg.inv(matrices[:, :3, :3])
    axes = ((2, 1), (0, 2), (1, 0))
    angular = np.stack([0.5 * (spin[:, i, j] - spin[:, j, i]) for i, j in axes], axis=1)
    return np.hstack([rates[:, :3, 3], angular])


def _moving(track: Track, residual: np.ndarray) -> MovingFrame:
    """The world matrices of a body on its track."""
    matrices = poses.join(track.position, track.orientation, residual)
    return MovingFrame(matrices, _rates(matrices, track.before), _rates(matrices, track.after))


def _rates(matrices: np.ndarray, velocity: np.ndarray) -> np.ndarray:
    """Rates (G, 4, 4) of matrices that move with linear and angular velocities (G, 6)."""
    rates = np.zeros_like(matrices)
    rates[:, :3, :3] = np.cross(velocity[:, None, 3:], np.swapaxes(matrices[:, :3, :3], 1, 2)).swapaxes(1, 2)
    rates[:, :3, 3] = velocity[:, :3]
    return rates


def parent_space_over(read: ReadBody, by_name: dict[str, ReadBody], solved: Solved, times: np.ndarray) -> MovingFrame:
    """`parent_space` at times in frames from the first one."""
    space, rate = samples_over_time(read.parent_samples, read.samples, times)
    ancestor = by_name.get(read.ancestor)
    if ancestor is None:
        return MovingFrame(space, rate, rate)
    own, own_rate = samples_over_time(read.ancestor_samples, read.samples, times)
    hanging = np.linalg.solve(own, space)
    hanging_rate = np.linalg.solve(own, rate - own_rate @ hanging)
    world = _moving(solved.track(ancestor.body.name).at(times), ancestor.residual)
    before, after = (each @ hanging + world.matrices @ hanging_rate for each in (world.before, world.after))
    return MovingFrame(world.matrices @ hanging, before, after)


def parent_scale(read: ReadBody) -> float:
    """The scale that the parents give to what hangs on them, at the start."""
    if read.parent_space is None:
        return 1.0
    return max(1e-9, float(np.linalg.norm(read.parent_space[0, :3, :3], axis=0).max()))


def own_turns(reads: list[ReadBody]) -> np.ndarray:
    """The constant rotations (B, 4) from the solved axes of bodies to those of their objects, if these have no parents.

    Then M = B, and the rotation in R A S^-1 is R times that in A S^-1.
    """
    return poses.quaternions(poses.rotation_part(np.array([read.residual / read.scale for read in reads])))


def world_matrices(read: ReadBody, solved: Solved) -> np.ndarray:
    """World matrices (F, 4, 4) of a solved body."""
    return poses.join(*solved.of(read.body.name), read.residual)


def parent_space(read: ReadBody, by_name: dict[str, ReadBody], solved: Solved) -> np.ndarray:
    """P over the frames (F, 4, 4) of a body that has a parent.

    It was sampled with the original animation. Where an ancestor is itself solved, P moves along with it; one that
    takes no part stays where it is.
    """
    count = len(solved.position)
    space = read.parent_space[:count]
    ancestor = by_name.get(read.ancestor)
    if ancestor is None:
        return space
    return world_matrices(ancestor, solved) @ np.linalg.solve(read.ancestor_space[:count], space)


def rotation_channels(quaternion: np.ndarray, mode: str, start: np.ndarray | None) -> np.ndarray:
    """Rotations (F, 4) as values of a rotation mode, continuous over the frames and beginning near `start`."""
    if mode == "QUATERNION":
        quaternion = poses.continuous(quaternion)
        return -quaternion if start is not None and quaternion[0] @ start < 0.0 else quaternion
    if mode == "AXIS_ANGLE":
        start = np.array([0.0, 0.0, 0.0, 1.0]) if start is None else start
        return _axis_angles(poses.continuous(quaternion), start)
    return _eulers(quaternion, mode, np.zeros(3) if start is None else start)


def _start_values(read: ReadBody) -> np.ndarray | None:
    """The rotation values at the start, unless the object has got another rotation mode since its first bake."""
    return read.rotation_values if read.rotation_mode == read.owner.rotation_mode else None


def _eulers(quaternion: np.ndarray, mode: str, start: np.ndarray) -> np.ndarray:
    """Euler angles (F, 3); the angles count on from frame to frame, beginning near `start`.

    Half the sum and half the difference of the first and the last angle come straight from the quaternion (Bernardes
    and Viollet 2022). In gimbal lock one of them can be anything: then it stays as it was.
    """
    first, middle, last = ("XYZ".index(axis) for axis in mode)
    sign = 1.0 if mode in {"XYZ", "YZX", "ZXY"} else -1.0
    w, u, v, t = quaternion[:, 0], quaternion[:, 1 + first], quaternion[:, 1 + middle], sign * quaternion[:, 1 + last]
    shared, opposed = np.hypot(w - v, u + t), np.hypot(w + v, t - u)
    half_sum = _held(np.arctan2(u + t, w - v), shared, 0.5 * (sign * start[last] + start[first]))
    half_difference = _held(np.arctan2(t - u, w + v), opposed, 0.5 * (sign * start[last] - start[first]))
    values = np.empty((len(quaternion) + 1, 3))
    values[0] = start
    values[1:, first] = half_sum - half_difference
    values[1:, middle] = 2.0 * np.arctan2(opposed, shared) - 0.5 * np.pi
    values[1:, last] = sign * (half_sum + half_difference)
    _take_nearer_angles(values, middle)
    return values[1:]


def _held(angle: np.ndarray, length: np.ndarray, before: float) -> np.ndarray:
    """Angles (F,) of vectors; one without length has the angle of the one before it, the first one that `before`."""
    known = np.maximum.accumulate(np.where(length > 1e-9, np.arange(1, len(angle) + 1), 0))
    return np.append(before, angle)[known]


def _take_nearer_angles(values: np.ndarray, middle: int) -> None:
    """Of all Euler angles (F, 3) that are the same rotation, take those nearest to the frame before; the first stay.

    Whole turns may be added to each, and the first and the last may go on by half a turn while the middle one is
    reflected. To reflect both frames leaves their distance as it is, so each step is judged alone.
    """
    reflected = values + np.pi
    reflected[:, middle] = np.pi - values[:, middle]
    steps = np.stack([values[1:], reflected[1:]]) - values[:-1]
    distance = np.abs(steps - 2.0 * np.pi * np.round(steps / (2.0 * np.pi))).sum(axis=2)
    turned = np.flatnonzero(np.cumsum(distance[1] < distance[0]) % 2) + 1
    values[turned] = reflected[turned]
    values[1:] -= 2.0 * np.pi * np.cumsum(np.round(np.diff(values, axis=0) / (2.0 * np.pi)), axis=0)


def _axis_angles(quaternion: np.ndarray, start: np.ndarray) -> np.ndarray:
    """Angle and axis (F, 4); the axis keeps its side and the angle counts on, beginning near `start`.

    Where nothing is turned and the axis has no direction, it has the one before, or at the beginning that to come.
    """
    length = np.linalg.norm(quaternion[:, 1:], axis=1)
    turned = np.flatnonzero(length > 1e-9)
    values = np.tile(start, (len(quaternion), 1)).astype(np.float64)
    if len(turned) == 0:
        return values
    known = np.maximum.accumulate(np.where(length > 1e-9, np.arange(len(length)), turned[0]))
    direction = quaternion[known, 1:] / length[known, None]
    before = np.vstack([start[1:], direction[:-1]])
    side = np.cumprod(np.where(np.einsum("ti,ti->t", direction, before) >= 0.0, 1.0, -1.0))
    here = 2.0 * np.arctan2(side * length, quaternion[:, 0])
    turns = np.cumsum(np.round(-np.diff(here, prepend=start[0]) / (2.0 * np.pi)))
    values[:, 0], values[:, 1:] = here + 2.0 * np.pi * turns, side[:, None] * direction
    return values
