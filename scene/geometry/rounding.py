# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers as a person would type them."""

import math


def as_typed(value: float) -> float:
    """A number in single precision as the decimal one that it stands for: 0.0010000000474974513 is 0.001."""
    return float(f"{value:.7g}")


def round_number(value: float) -> float:
    """The value with two digits: 86.394 is 86, as a person would type it."""
    if value == 0.0:
        return 0.0
    digits = 1 - math.floor(math.log10(abs(value)))
    return round(value, digits)
