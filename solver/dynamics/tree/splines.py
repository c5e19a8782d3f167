# SPDX-License-Identifier: GPL-3.0-or-later
"""Values of splines, as pieces of polynomials (`mechanism.keyed_motion`)."""

import math

from ...kernel import kernel
from ...model.arrays import RowKind
from ...rotation import conjugate, multiply_quaternions

_BEAD, _CAM = int(RowKind.BEAD), int(RowKind.CAM)


@kernel
def is_on_curve(kind):
    """True of the first row of what keeps to a curve, a bead on both sides, the follower of a cam on one.

    The pieces of others that have some are a function of time, which leads them.
    """
    return kind == _BEAD or kind == _CAM


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


@kernel
def sample_pose(times, coefficients, start, end, stop, time):
    """(time within the keys, position, velocity, acceleration, quaternion q, angular velocity w and its rate).

    The quaternion's components x(t) are normalised, q = x / |x|. With u = x / |x| and the parts of x', x'' across u
        w = 2 Im(q' conj(q)),  w' = 2 Im(q'' conj(q)).
    Before and after the keys they are those of the first and the last.
    """
    held = min(max(time, times[start]), stop)
    piece = piece_at(times, start, end, held)
    s = held - times[piece]
    px, dpx, ddpx = polynomial(coefficients, piece, 0, s)
    py, dpy, ddpy = polynomial(coefficients, piece, 1, s)
    pz, dpz, ddpz = polynomial(coefficients, piece, 2, s)
    x0, dx0, ddx0 = polynomial(coefficients, piece, 3, s)
    x1, dx1, ddx1 = polynomial(coefficients, piece, 4, s)
    x2, dx2, ddx2 = polynomial(coefficients, piece, 5, s)
    x3, dx3, ddx3 = polynomial(coefficients, piece, 6, s)
    k = 1.0 / math.sqrt(x0 * x0 + x1 * x1 + x2 * x2 + x3 * x3)
    q = (k * x0, k * x1, k * x2, k * x3)
    y, z = (k * dx0, k * dx1, k * dx2, k * dx3), (k * ddx0, k * ddx1, k * ddx2, k * ddx3)
    # with |x| scaled to one: q' = y - (u.y) u, and w' = 2 Im((z - 2 (u.y) q') conj(q))
    along = q[0] * y[0] + q[1] * y[1] + q[2] * y[2] + q[3] * y[3]
    rate = multiply_quaternions(y, conjugate(q))
    w = (2.0 * rate[1], 2.0 * rate[2], 2.0 * rate[3])
    second = multiply_quaternions(z, conjugate(q))
    turn = (
        2.0 * second[1] - 2.0 * along * w[0],
        2.0 * second[2] - 2.0 * along * w[1],
        2.0 * second[3] - 2.0 * along * w[2],
    )
    return held, (px, py, pz), (dpx, dpy, dpz), (ddpx, ddpy, ddpz), q, w, turn
