# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers as a person would type them."""

import math

import numpy as np

_KEPT = 33  # binary digits of what is settled: 1e-10 of a size
_SINGLE = 3e-7  # of a quaternion: what single precision leaves of a right angle
_LEVELS = np.array([0.0, 0.5, math.sqrt(0.5), 1.0])  # what the parts of those of right angles are


def right_angled(quaternion: tuple[float, ...]) -> tuple[float, ...]:
    """A quaternion of right angles about the axes, which single precision has rounded, exactly; any other as it is."""
    parts = np.array(quaternion, float)
    nearest = _LEVELS[np.abs(np.abs(parts)[:, None] - _LEVELS).argmin(axis=1)]
    is_right = np.abs(np.abs(parts) - nearest).max() < _SINGLE and abs(nearest @ nearest - 1.0) < 1e-12
    return tuple(np.copysign(nearest, parts).tolist()) if is_right else tuple(quaternion)


def as_typed(value: float) -> float:
    """A number in single precision as the decimal one that it stands for: 0.0010000000474974513 is 0.001."""
    return float(f"{value:.7g}")


def settled(values: np.ndarray, size: float) -> np.ndarray:
    """Values to 1e-10 of a size.

    Sums of many numbers differ in their last digits from one release of a library to the next, and contact multiplies
    that until the motion is another one. The meshes behind them have seven digits.
    """
    unit = math.ldexp(1.0, math.frexp(size)[1] - _KEPT) if size > 0.0 else 1.0
    return np.rint(np.asarray(values, float) / unit) * unit + 0.0


def settled_turn(quaternion: tuple[float, ...]) -> tuple[float, ...]:
    """The same of a unit quaternion, which it stays."""
    parts = settled(np.array(quaternion), 1.0).tolist()
    length = math.sqrt(sum(part * part for part in parts))
    return tuple(part / length for part in parts)


def round_number(value: float) -> float:
    """The value with two digits: 86.394 is 86, as a person would type it."""
    if value == 0.0:
        return 0.0
    digits = 1 - math.floor(math.log10(abs(value)))
    return round(value, digits)
