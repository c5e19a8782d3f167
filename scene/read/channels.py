# SPDX-License-Identifier: GPL-3.0-or-later
"""A solved pose in the world becomes a body's own location and rotation values.

Blender builds a world matrix as M = P B: P is what parents do, and B = T(location + delta) (dR R) S. The solver gives
the rigid part of M; the constant residual (`poses`) gives the rest. So B = P^-1 M, and R follows with the scale that
the object really has, mirrored or not.
"""

from typing import NamedTuple

import numpy as np

from ..findings import refuse
from ..geometry import poses
from .reading import BodyBinding, samples_over_time
from .solved import Solved
from .track import Track, turned_by

FLAT = 1e-12  # of the cube of its largest axis: what has less volume has none
FLAT_PARENT = "hangs on a parent whose scale is zero at some time: give that a size, or clear the parent"
SHORT, SAME_POSE = 1e-4, 1e-6  # rad: so near to gimbal lock angles are held, by so much of a turn at most
_MOMENT = 1e-5  # frames: how far channels are looked at before and after an instant, for their rates


class Channels(NamedTuple):
    """Values of C channels of B bodies at G instants each, and their rates per frame before and after."""

    values: np.ndarray  # (B, G, C)
    before: np.ndarray  # (B, G, C)
    after: np.ndarray  # (B, G, C)


class MovingFrame(NamedTuple):
    """Matrices (G, 4, 4) and their rates per frame before and after each instant."""

    matrices: np.ndarray
    before: np.ndarray
    after: np.ndarray


def is_flat(spaces: np.ndarray) -> np.ndarray:
    """(...) bool: True where what parents do (..., 4, 4) leaves no room for what hangs on them, or is no number."""
    sizes = np.linalg.norm(spaces[..., :3, :3], axis=-2)
    with np.errstate(invalid="ignore"):
        volume = np.abs(np.linalg.det(spaces[..., :3, :3]))
        return ~(volume > FLAT * sizes.max(axis=-1) ** 3)


def transform_channels(
    bindings: list[BodyBinding], turns: np.ndarray, by_name: dict[str, BodyBinding], solved: Solved
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Location (F, 3) and rotation (F, 3 or 4, in the object's own mode) that put bodies where they were solved to be.

    `turns` (B, 4) are their `own_turns`. Raises SceneError if the parents of one have no size.
    """
    location, orientation = solved.of_all([binding.body.name for binding in bindings])
    rotation = poses.product(orientation, turns[:, None])
    hanging = [i for i, binding in enumerate(bindings) if binding.parent_space is not None]
    if hanging:
        below = [bindings[i] for i in hanging]
        location[hanging], rotation[hanging] = _below_parents(below, by_name, solved)
    location = location - np.array([binding.owner.delta_location for binding in bindings])[:, None]
    rotation = _without_delta(bindings, rotation)
    modes = [binding.owner.rotation_mode for binding in bindings]
    channels = {}
    for mode in dict.fromkeys(modes):
        alike = [i for i, each in enumerate(modes) if each == mode]
        channels |= zip(alike, _rotation_values(rotation[alike], [bindings[i] for i in alike]), strict=True)
    return [(location[i], channels[i]) for i in range(len(bindings))]


def _below_parents(
    bindings: list[BodyBinding], by_name: dict[str, BodyBinding], solved: Solved
) -> tuple[np.ndarray, np.ndarray]:
    """Location (B, F, 3) and rotation (B, F, 4) in the parents' spaces."""
    spaces = _parent_spaces(bindings, by_name, solved)
    flat = is_flat(spaces).any(axis=1)
    if flat.any():
        refuse(bindings[int(np.argmax(flat))].object, FLAT_PARENT)
    basis = np.linalg.solve(spaces, _world_matrices(bindings, solved))
    scale = np.array([binding.scale for binding in bindings])[:, None, None]
    return basis[..., :3, 3], poses.quaternions(poses.rotation_part(basis[..., :3, :3] / scale))


def can_be_together(binding: BodyBinding) -> bool:
    """True if its channels can be worked out in one go with those of others."""
    return binding.parent_space is None


def channels_over(
    bindings: list[BodyBinding],
    turns: np.ndarray,
    by_name: dict[str, BodyBinding],
    solved: Solved,
    tracks: list[Track],
    rated: np.ndarray,
) -> tuple[Channels, Channels]:
    """Location and rotation channels, as `transform_channels` has them, with their rates, over the tracks of B bodies.

    They have the same rotation mode, and tracks of G instants each. Either each `can_be_together`, or there is but one.
    turns (B, 4) are their `own_turns`. rated (G,) bool: where the rates of the rotation are wanted; elsewhere they are
    zero.
    """
    if can_be_together(bindings[0]):
        track = Track(*map(np.stack, zip(*tracks, strict=True)))
        location, rotation = track.position, poses.product(track.orientation, turns[:, None])
        before, after = track.before, track.after
    else:
        ((location, rotation, before, after),) = [
            [values[None] for values in _below_parent(binding, by_name, solved, track)]
            for binding, track in zip(bindings, tracks, strict=True)
        ]
    delta = np.array([binding.owner.delta_location for binding in bindings])[:, None]
    location = Channels(location - delta, before[..., :3], after[..., :3])
    return location, _rotation_over(bindings, rotation, before[..., 3:], after[..., 3:], rated)


def _below_parent(
    binding: BodyBinding, by_name: dict[str, BodyBinding], solved: Solved, track: Track
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Location (G, 3) and rotation (G, 4) in the parent's space, and their velocities (G, 6) before and after."""
    space, world = parent_space_over(binding, by_name, solved, track.times), _moving(track, binding.residual)
    basis = np.linalg.solve(space.matrices, world.matrices)
    rotation = poses.quaternions(poses.rotation_part(basis[:, :3, :3] / binding.scale))
    before, after = (
        _velocity(basis, np.linalg.solve(space.matrices, of_world - of_space @ basis))
        for of_world, of_space in ((world.before, space.before), (world.after, space.after))
    )
    return basis[:, :3, 3], rotation, before, after


def _rotation_over(
    bindings: list[BodyBinding], rotation: np.ndarray, before: np.ndarray, after: np.ndarray, rated: np.ndarray
) -> Channels:
    """Channels of rotations (B, G, 4) with angular velocities (B, G, 3) per frame in the parent's space.

    Their rates are differences over a moment before and after, in whatever mode: these are the values that a curve
    must go on with.
    """
    looks = np.where(rated, 3, 1)  # a moment before, at the instant, a moment after; or only at the instant
    here = np.cumsum(looks) - np.where(rated, 2, 1)
    around = np.repeat(rotation, looks, axis=1)
    for place, way in ((here[rated] - 1, -before[:, rated]), (here[rated] + 1, after[:, rated])):
        around[:, place] = poses.product(turned_by(_MOMENT * way), rotation[:, rated])
    values = _rotation_values(_without_delta(bindings, around), bindings)
    channels = Channels(values[:, here], *np.zeros((2, *rotation.shape[:2], values.shape[2])))
    channels.before[:, rated] = (values[:, here] - values[:, here - 1])[:, rated] / _MOMENT
    channels.after[:, rated] = (values[:, here[rated] + 1] - values[:, here[rated]]) / _MOMENT
    return channels


def _without_delta(bindings: list[BodyBinding], rotation: np.ndarray) -> np.ndarray:
    """Rotations (B, F, 4) as they are below the delta rotations of the bodies."""
    deltas = [binding.owner.delta_rotation for binding in bindings]
    if all(delta is None for delta in deltas):
        return rotation
    turns = np.array([(1.0, 0.0, 0.0, 0.0) if delta is None else delta * poses.CONJUGATE for delta in deltas])
    return poses.product(turns[:, None], rotation)


def _rotation_values(quaternions: np.ndarray, bindings: list[BodyBinding]) -> np.ndarray:
    """Rotations (B, F, 4) as values (B, F, C) of the rotation mode that the bodies have."""
    mode, starts = bindings[0].owner.rotation_mode, [_start_values(binding) for binding in bindings]
    if any(start is None for start in starts):
        pairs = zip(quaternions, starts, strict=True)
        return np.array([rotation_channels(quaternion, mode, start) for quaternion, start in pairs])
    return rotation_channels(quaternions, mode, np.array(starts))


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


def parent_space_over(
    binding: BodyBinding, by_name: dict[str, BodyBinding], solved: Solved, times: np.ndarray
) -> MovingFrame:
    """`parent_space` at times in frames from the first one."""
    space, rate = samples_over_time(binding.parent_samples, binding.samples, times)
    ancestor = by_name.get(binding.ancestor)
    if ancestor is None:
        return MovingFrame(space, rate, rate)
    own, own_rate = samples_over_time(binding.ancestor_samples, binding.samples, times)
    hanging = np.linalg.solve(own, space)
    hanging_rate = np.linalg.solve(own, rate - own_rate @ hanging)
    world = _moving(solved.track(ancestor.body.name).at(times), ancestor.residual)
    before, after = (each @ hanging + world.matrices @ hanging_rate for each in (world.before, world.after))
    return MovingFrame(world.matrices @ hanging, before, after)


def parent_scale(binding: BodyBinding) -> float:
    """The scale that the parents give to what hangs on them, at the start."""
    if binding.parent_space is None:
        return 1.0
    return max(1e-9, float(np.linalg.norm(binding.parent_space[0, :3, :3], axis=0).max()))


def own_turns(bindings: list[BodyBinding]) -> np.ndarray:
    """The constant rotations (B, 4) from the solved axes of bodies to those of their objects, if these have no parents.

    Then M = B, and the rotation in R A S^-1 is R times that in A S^-1.
    """
    return poses.quaternions(poses.rotation_part(np.array([binding.residual / binding.scale for binding in bindings])))


def world_matrices(binding: BodyBinding, solved: Solved) -> np.ndarray:
    """World matrices (F, 4, 4) of a solved body."""
    return _world_matrices([binding], solved)[0]


def _world_matrices(bindings: list[BodyBinding], solved: Solved) -> np.ndarray:
    """World matrices (B, F, 4, 4) of solved bodies."""
    residuals = np.array([binding.residual for binding in bindings])[:, None]
    return poses.join(*solved.of_all([binding.body.name for binding in bindings]), residuals)


def _parent_spaces(bindings: list[BodyBinding], by_name: dict[str, BodyBinding], solved: Solved) -> np.ndarray:
    """P over the frames (B, F, 4, 4) of bodies that have parents.

    It was sampled with the original animation. Where an ancestor is itself solved, P moves along with it; one that
    takes no part stays where it is.
    """
    count = len(solved.position)
    spaces = np.array([binding.parent_space[:count] for binding in bindings])
    hung = [i for i, binding in enumerate(bindings) if binding.ancestor in by_name]
    if hung:
        sampled = np.array([bindings[i].ancestor_space[:count] for i in hung])
        ancestors = [by_name[bindings[i].ancestor] for i in hung]
        spaces[hung] = _world_matrices(ancestors, solved) @ np.linalg.solve(sampled, spaces[hung])
    return spaces


def rotation_channels(quaternion: np.ndarray, mode: str, start: np.ndarray | None) -> np.ndarray:
    """Rotations (..., F, 4) as values of a rotation mode, continuous over the frames and beginning near `start`."""
    if mode == "QUATERNION":
        quaternion = poses.continuous(quaternion)
        if start is None:
            return quaternion
        is_other_way = np.einsum("...i,...i->...", quaternion[..., 0, :], start) < 0.0
        return np.where(is_other_way[..., None, None], -quaternion, quaternion)
    if mode == "AXIS_ANGLE":
        quaternion = poses.continuous(quaternion)
        start = np.broadcast_to(np.array([0.0, 0.0, 0.0, 1.0]) if start is None else start, quaternion[..., 0, :].shape)
        flat = zip(quaternion.reshape(-1, *quaternion.shape[-2:]), start.reshape(-1, 4), strict=True)
        return np.array([_axis_angles(*each) for each in flat]).reshape(quaternion.shape)
    start = np.broadcast_to(np.zeros(3) if start is None else start, quaternion[..., 0, :3].shape)
    return _eulers(quaternion, mode, start)


def _start_values(binding: BodyBinding) -> np.ndarray | None:
    """The rotation values at the start, unless the object has got another rotation mode since its first bake."""
    return binding.rotation_values if binding.rotation_mode == binding.owner.rotation_mode else None


def _eulers(quaternion: np.ndarray, mode: str, start: np.ndarray) -> np.ndarray:
    """Euler angles (..., F, 3); the angles count on from frame to frame, beginning near `start` (..., 3).

    Half the sum and half the difference of the first and the last angle come straight from the quaternion (Bernardes
    and Viollet 2022). Near gimbal lock one of them can be almost anything: then it stays as it was.
    """
    first, middle, last = ("XYZ".index(axis) for axis in mode)
    sign = 1.0 if mode in {"XYZ", "YZX", "ZXY"} else -1.0
    w, u, v, t = (quaternion[..., i] for i in (0, 1 + first, 1 + middle, 1 + last))
    t = sign * t
    shared, opposed = np.hypot(w - v, u + t), np.hypot(w + v, t - u)
    half_sum = _held(np.arctan2(u + t, w - v), shared, 0.5 * (sign * start[..., last] + start[..., first]))
    half_difference = _held(np.arctan2(t - u, w + v), opposed, 0.5 * (sign * start[..., last] - start[..., first]))
    values = np.empty((*quaternion.shape[:-2], quaternion.shape[-2] + 1, 3))
    values[..., 0, :] = start
    values[..., 1:, first] = half_sum - half_difference
    values[..., 1:, middle] = 2.0 * np.arctan2(opposed, shared) - 0.5 * np.pi
    values[..., 1:, last] = sign * (half_sum + half_difference)
    _take_nearer_angles(values, middle)
    return values[..., 1:, :]


def _held(angle: np.ndarray, length: np.ndarray, before: np.ndarray) -> np.ndarray:
    """Angles (..., F) of vectors; short ones stay as near to the one before, the first one to `before`, as they may.

    A vector that is as short as the rounding of a pose has any direction. It may be off by `SAME_POSE`.
    """
    held = np.concatenate([before[..., None], angle], axis=-1)
    short = (length < SHORT).reshape(-1, length.shape[-1]).any(axis=0)
    for k in np.flatnonzero(short):
        off = held[..., k] - held[..., k + 1]
        off -= 2.0 * np.pi * np.round(off / (2.0 * np.pi))
        is_same = (length[..., k] < SHORT) & (np.abs(off) * length[..., k] < SAME_POSE)
        held[..., k + 1] += np.where(is_same, off, 0.0)
    return held[..., 1:]


def _take_nearer_angles(values: np.ndarray, middle: int) -> None:
    """Of all Euler angles (..., F, 3) that are the same rotation, take those nearest to the frame before.

    The first ones stay. Whole turns may be added to each, and the first and the last may go on by half a turn while the
    middle one is reflected. To reflect both frames leaves their distance as it is, so each step is judged alone.
    """
    reflected = values + np.pi
    reflected[..., middle] = np.pi - values[..., middle]
    steps = np.stack([values[..., 1:, :], reflected[..., 1:, :]]) - values[..., :-1, :]
    distance = np.abs(steps - 2.0 * np.pi * np.round(steps / (2.0 * np.pi))).sum(axis=-1)
    is_turned = np.cumsum(distance[1] < distance[0], axis=-1) % 2 == 1
    values[..., 1:, :] = np.where(is_turned[..., None], reflected[..., 1:, :], values[..., 1:, :])
    turns = np.round(np.diff(values, axis=-2) / (2.0 * np.pi))
    values[..., 1:, :] -= 2.0 * np.pi * np.cumsum(turns, axis=-2)


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
