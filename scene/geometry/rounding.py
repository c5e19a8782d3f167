# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers as a person would type them."""

import math


def round_number(value: float) -> float:
    """The value with two digits: 86.394 is 86, as a person would type it."""
    if value == 0.0:
        return 0.0
    digits = 1 - math.floor(math.log10(abs(value)))
    return round(value, digits)
