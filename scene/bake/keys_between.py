# SPDX-License-Identifier: GPL-3.0-or-later
"""Which instants of a body's motion get keys: all frames, and between them as few as its curves need.

A curve is a cubic from key to key, with the motion's own rate at both. It is compared with all instants that are known.
Where one is farther off than the tolerance, the worst of that stretch becomes a key as well, and so on; where speeds
jump, the hardest jump does first, since a curve that bounces has a corner there.
"""

from typing import NamedTuple

import numpy as np

from ..animation.slopes import slopes
from ..read.channels import Channels
from ..read.track import hermite

WAY = 5e-5  # of a body's size: how far a point of it may be off by its place, and as far again by its rotation
ROUNDING = 2.5e-7  # of the largest value: keys have single precision
CORNER = 4.0 / 27.0  # of a slope's error: how far it takes a cubic off its way


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


def keys_of_location(times: np.ndarray, channels: Channels, may_be_off: float, may_be_between: bool) -> Keys:
    """Keys of the location, in the parent's space, which `may_be_off` by so much there."""
    tolerance = max(may_be_off, ROUNDING * float(np.abs(channels.values).max()))

    def off(found: np.ndarray, values: np.ndarray) -> np.ndarray:
        return np.linalg.norm(found - values, axis=1) / tolerance

    return _keys(times, channels, off, may_be_between)


def keys_of_rotation(times: np.ndarray, channels: Channels, mode: str, may_be_off: float, may_be_between: bool) -> Keys:
    """Keys of the rotation in its mode, which `may_be_off` by such an angle (rad)."""
    tolerance = max(may_be_off, ROUNDING * float(np.abs(channels.values).max()))

    def off(found: np.ndarray, values: np.ndarray) -> np.ndarray:
        if mode == "QUATERNION":  # Blender makes it one of length 1
            length = np.linalg.norm(found, axis=1, keepdims=True)
            return 2.0 * np.linalg.norm(found / np.maximum(length, 1e-9) - values, axis=1) / tolerance
        apart = np.abs(found - values)
        if mode == "AXIS_ANGLE":
            return (apart[:, 0] + np.abs(values[:, 0]) * np.linalg.norm(apart[:, 1:], axis=1)) / tolerance
        return apart.sum(axis=1) / tolerance

    return _keys(times, channels, off, may_be_between)


def _keys(times: np.ndarray, channels: Channels, off, may_be_between: bool) -> Keys:
    values, before, after = channels
    corner = off(values + CORNER * (after - before), values)
    is_key = times == np.round(times)
    if not may_be_between:
        before, after = _calmer_rates(times, channels, off, is_key)
    while may_be_between:
        found = _worst_between(times, channels, off, is_key, corner)
        if not len(found):
            break
        is_key[found] = True
    has_corner = corner[is_key] > 0.25
    left, right = before[is_key].copy(), after[is_key].copy()
    smooth = ~has_corner
    left[smooth] = right[smooth] = 0.5 * (left[smooth] + right[smooth])
    return Keys(times[is_key], values[is_key], left, right, has_corner)


def _worst_between(times: np.ndarray, channels: Channels, off, is_key: np.ndarray, corner: np.ndarray) -> np.ndarray:
    """Of each stretch between two keys that leads too far off, the instant that is to become a key as well."""
    keys, stretch = np.flatnonzero(is_key), np.cumsum(is_key) - 1
    error = _errors(times, channels, off, is_key)
    is_wrong = np.maximum.reduceat(error, keys)[stretch] > 1.0
    rank = np.where(is_key, 0.0, np.where(corner > 1.0, 1e9 * corner, error))
    return np.flatnonzero(~is_key & is_wrong & (rank == np.maximum.reduceat(rank, keys)[stretch]))


def _errors(times: np.ndarray, channels: Channels, off, is_key: np.ndarray) -> np.ndarray:
    """Errors of curves through the keys at each instant (G,), in times of what they may be; at keys 0."""
    values, before, after = channels
    keys, stretch, inner = np.flatnonzero(is_key), np.cumsum(is_key) - 1, ~is_key
    a, b = keys[stretch[inner]], keys[np.minimum(stretch[inner] + 1, len(keys) - 1)]
    h, s = (times[b] - times[a])[:, None], (times[inner] - times[a])[:, None]
    error = np.zeros(len(times))
    error[inner] = off(hermite(values[a], after[a], values[b], before[b], h, s)[0], values[inner])
    return error


def _calmer_rates(times: np.ndarray, channels: Channels, off, is_key: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rates before and after the keys where there may be none between, in arrays of all instants.

    What is hit within a frame has speeds there that lead a cubic far off: then those by differences over the frames.
    """
    keys = np.flatnonzero(is_key)
    even = np.zeros_like(channels.values)
    even[keys] = slopes(channels.values[keys])
    worst = []
    for rates in (channels, Channels(channels.values, even, even)):
        of_stretch = np.maximum.reduceat(_errors(times, rates, off, is_key), keys)
        worst.append(np.maximum(of_stretch, np.append(0.0, of_stretch[:-1])))
    before, after = channels.before.copy(), channels.after.copy()
    calmer = keys[worst[1] < worst[0]]
    before[calmer], after[calmer] = even[calmer], even[calmer]
    return before, after
