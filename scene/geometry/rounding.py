# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers as a person would type them."""

import math

import numpy as np

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


def round_number(value: float) -> float:
    """The value with two digits: 86.394 is 86, as a person would type it."""
    if value == 0.0:
        return 0.0
    digits = 1 - math.floor(math.log10(abs(value)))
    return round(value, digits)
