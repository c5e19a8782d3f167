# SPDX-License-Identifier: GPL-3.0-or-later
"""Instants of bodies' motions that get keys: all frames, and between them as few as their curves need.

A curve is a cubic from key to key, with the motion's own rate at both. It is compared with all instants that are known.
Where one is farther off than the tolerance, the worst of that stretch becomes a key as well, and so on; where speeds
jump, the hardest jump does first, since a curve that bounces has a corner there.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ..animation.slopes import slopes
from ..read.channels import Channels
from ..read.track import hermite

WAY = 5e-5  # of a body's size: how far a point of it may be off by its place, and as far again by its rotation
ROUNDING = 2.5e-7  # of the largest value: keys have single precision
CORNER = 4.0 / 27.0  # of a slope's error: how far it takes a cubic off its way


Off = Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]
"""(found, values, what they may be off): how far off (G,) what was found (G, C) is, in times of what it may be."""


class Keys(NamedTuple):
    """Keys of C channels at K times, in frames from the first one, with their slopes per frame on both sides."""

    times: np.ndarray  # (K,)
    values: np.ndarray  # (K, C)
    left: np.ndarray  # (K, C)
    right: np.ndarray  # (K, C)
    has_corner: np.ndarray  # (K,) bool: the slopes of the two sides are not the same

    @property
    def is_free(self) -> np.ndarray:
        """(K,) bool: the handles go their own ways.

        Also where they are not of one length: Blender aligns the longer one by the shorter one, rounded as that is.
        """
        gaps = np.diff(self.times)
        return self.has_corner | (np.append(1.0, gaps) != np.append(gaps, 1.0))


def keys_of_location(times: np.ndarray, channels: Channels, may_be_off: np.ndarray, may_be_between: bool) -> list[Keys]:
    """Keys of the locations of B bodies at times (B, G), in their parents' spaces, which may_be_off (B,) there."""

    def off(found: np.ndarray, values: np.ndarray, tolerance: np.ndarray) -> np.ndarray:
        return np.linalg.norm(found - values, axis=1) / tolerance

    return _keys(times, channels, off, may_be_off, may_be_between)


def keys_of_rotation(
    times: np.ndarray, channels: Channels, mode: str, may_be_off: np.ndarray, may_be_between: bool
) -> list[Keys]:
    """Keys of the rotations of B bodies at times (B, G) in their mode, which may_be_off (B,) by such angles (rad)."""

    def off(found: np.ndarray, values: np.ndarray, tolerance: np.ndarray) -> np.ndarray:
        if mode == "QUATERNION":  # Blender makes it one of length 1
            length = np.linalg.norm(found, axis=1, keepdims=True)
            return 2.0 * np.linalg.norm(found / np.maximum(length, 1e-9) - values, axis=1) / tolerance
        apart = np.abs(found - values)
        if mode == "AXIS_ANGLE":
            return (apart[:, 0] + np.abs(values[:, 0]) * np.linalg.norm(apart[:, 1:], axis=1)) / tolerance
        return apart.sum(axis=1) / tolerance

    return _keys(times, channels, off, may_be_off, may_be_between)


def _keys(times: np.ndarray, channels: Channels, off: Off, may_be_off: np.ndarray, may_be_between: bool) -> list[Keys]:
    """Keys of each body. The bodies' instants stand in one row meanwhile: nothing lies between the last of one body and
    the first of the next, since both are keys."""
    bodies, count = times.shape
    tolerance = np.maximum(may_be_off, ROUNDING * np.abs(channels.values).max(axis=(1, 2)))
    corners = _rows(channels, np.arange(bodies))
    corner = off(
        corners.values + CORNER * (corners.after - corners.before), corners.values, np.repeat(tolerance, count)
    )
    corner = corner.reshape(bodies, count)
    is_key = times == np.round(times)
    if not may_be_between:
        channels = _calmer_rates(times, channels, off, tolerance, is_key)
    active = np.arange(bodies if may_be_between else 0)
    while len(active):
        rows = times[active].ravel(), _rows(channels, active), off, np.repeat(tolerance[active], count)
        found = _worst_between(*rows, is_key[active].ravel(), corner[active].ravel()).reshape(-1, count)
        is_key[active] |= found
        active = active[found.any(axis=1)]
    return [
        _keys_of_one(times[i], Channels(*(each[i] for each in channels)), is_key[i], corner[i]) for i in range(bodies)
    ]


def _rows(channels: Channels, bodies: np.ndarray) -> Channels:
    """The instants of some bodies one after the other: (B G, C)."""
    return Channels(*(each[bodies].reshape(-1, each.shape[2]) for each in channels))


def _keys_of_one(times: np.ndarray, channels: Channels, is_key: np.ndarray, corner: np.ndarray) -> Keys:
    values, before, after = channels
    has_corner = corner[is_key] > 0.25
    left, right = before[is_key], after[is_key]
    smooth = ~has_corner
    left[smooth] = right[smooth] = 0.5 * (left[smooth] + right[smooth])
    return Keys(times[is_key], values[is_key], left, right, has_corner)


def _worst_between(
    times: np.ndarray, channels: Channels, off: Off, tolerance: np.ndarray, is_key: np.ndarray, corner: np.ndarray
) -> np.ndarray:
    """(G,) bool: of each stretch between two keys that leads too far off, the instant that is to become a key too."""
    keys, stretch = np.flatnonzero(is_key), np.cumsum(is_key) - 1
    error = _errors(times, channels, off, tolerance, is_key)
    is_wrong = np.maximum.reduceat(error, keys)[stretch] > 1.0
    rank = np.where(is_key, 0.0, np.where(corner > 1.0, 1e9 * corner, error))
    return ~is_key & is_wrong & (rank == np.maximum.reduceat(rank, keys)[stretch])


def _errors(times: np.ndarray, channels: Channels, off: Off, tolerance: np.ndarray, is_key: np.ndarray) -> np.ndarray:
    """Errors of curves through the keys at each instant (G,), in times of what they may be; at keys 0."""
    values, before, after = channels
    keys, stretch, inner = np.flatnonzero(is_key), np.cumsum(is_key) - 1, ~is_key
    a, b = keys[stretch[inner]], keys[np.minimum(stretch[inner] + 1, len(keys) - 1)]
    h, s = (times[b] - times[a])[:, None], (times[inner] - times[a])[:, None]
    error = np.zeros(len(times))
    found = hermite(values[a], after[a], values[b], before[b], h, s)[0]
    error[inner] = off(found, values[inner], tolerance[inner])
    return error


def _calmer_rates(
    times: np.ndarray, channels: Channels, off: Off, tolerance: np.ndarray, is_key: np.ndarray
) -> Channels:
    """Rates before and after the keys where there may be none between.

    What is hit within a frame has speeds there that lead a cubic far off: then those by differences over the frames.
    """
    count = times.shape[1]
    even = np.zeros_like(channels.values)
    for of_body, values, at in zip(even, channels.values, is_key, strict=True):
        of_body[at] = slopes(values[at])
    keys = np.flatnonzero(is_key)
    begins = np.zeros_like(is_key)
    begins[:, 0] = True
    worst = []
    for rates in (channels, Channels(channels.values, even, even)):
        rows = _rows(rates, np.arange(len(times)))
        error = _errors(times.ravel(), rows, off, np.repeat(tolerance, count), is_key.ravel())
        of_stretch = np.maximum.reduceat(error, keys)
        before = np.where(begins.ravel()[keys], 0.0, np.append(0.0, of_stretch[:-1]))
        worst.append(np.maximum(of_stretch, before))
    is_calmer = np.zeros(is_key.size, bool)
    is_calmer[keys[worst[1] < worst[0]]] = True
    is_calmer = is_calmer.reshape(is_key.shape)[..., None]
    return channels._replace(
        before=np.where(is_calmer, even, channels.before), after=np.where(is_calmer, even, channels.after)
    )
