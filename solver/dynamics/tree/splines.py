# SPDX-License-Identifier: GPL-3.0-or-later
"""Values of splines, as pieces of polynomials (`mechanism.keyed_motion`)."""

from ...kernel import kernel


@kernel
def piece_at(times, start, end, time):
    """Number of the last piece that starts at or before this time."""
    low, high = start, end - 1
    while low < high:
        middle = (low + high + 1) // 2
        if times[middle] <= time:
            low = middle
        else:
            high = middle - 1
    return low


@kernel
def polynomial(coefficients, piece, column, s):
    """Value, first and second derivative of one quintic."""
    c0, c1, c2 = coefficients[piece, 0, column], coefficients[piece, 1, column], coefficients[piece, 2, column]
    c3, c4, c5 = coefficients[piece, 3, column], coefficients[piece, 4, column], coefficients[piece, 5, column]
    value = c0 + s * (c1 + s * (c2 + s * (c3 + s * (c4 + s * c5))))
    first = c1 + s * (2.0 * c2 + s * (3.0 * c3 + s * (4.0 * c4 + s * 5.0 * c5)))
    second = 2.0 * c2 + s * (6.0 * c3 + s * (12.0 * c4 + s * 20.0 * c5))
    return value, first, second
