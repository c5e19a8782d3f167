# SPDX-License-Identifier: GPL-3.0-or-later
"""Rows of turns that are far from being met: angles in the place of the products of axes, which come to nothing at 90
degrees and are met again at 180.

They tend to those rows as the turn does to nothing. Symbols, for frames a and b on two bodies:
    w - rotation vector h of frame b in frame a, where nothing may turn: with the quaternion (c, v) from a to b,
        h = 2 f(c) v, f(c) = arccos(c) / sqrt(1 - c^2)
    - two axes that are to be one: the angle between them along either of the others, f(c) d with c and d the
      products of an axis of b with the same axis and with another one of a
    - two axes that are to be at right angles: arcsin(d)
"""

import math

from ...kernel import kernel
from ...rotation import exponential, quaternion_of_matrix
from ...spatial import (
    add,
    add_scaled,
    axis_of,
    cross,
    dot,
    multiply,
    rotate,
    scale,
    store_spatial,
    subtract,
    transpose,
    unrotate,
)

_ZERO = (0.0, 0.0, 0.0)
_NEAR = 0.02  # of 1 - c, below which the series is taken: the next term is below 1e-16
# of f in y = 1 - c: (n!)^2 2^n / (2n + 1)!
_SERIES = (
    1.0,
    1.0 / 3.0,
    2.0 / 15.0,
    2.0 / 35.0,
    8.0 / 315.0,
    8.0 / 693.0,
    16.0 / 3003.0,
    16.0 / 6435.0,
    128.0 / 109395.0,
    128.0 / 230945.0,
)


@kernel
def turn_far(kinds, closure, turns, rows, frame_a, frame_b, w_a, w_b):
    """Overwrites the TURN rows, `turns` in number, of a closure with frames and angular velocities of a and b."""
    if turns == 3:
        _rotation_vector(kinds, closure, rows, frame_a, frame_b, w_a, w_b)
        return
    for r in range(closure.row_end - turns, closure.row_end):
        u, v = axis_of(frame_a, kinds[r].axis_a), axis_of(frame_b, kinds[r].axis_b)
        if turns == 2:
            _lean(rows[r], u, axis_of(frame_a, kinds[r].axis_b), v, w_a, w_b)
        else:
            _square(rows[r], u, v, w_a, w_b)


@kernel
def _product(u, v, w_a, w_b):
    """(u . v, its rate, its second derivative without accelerations, the moment on a) of axes u of a and v of b."""
    n, relative = cross(u, v), subtract(w_a, w_b)
    turning = add(cross(cross(w_a, u), v), cross(u, cross(w_b, v)))
    return dot(u, v), dot(relative, n), dot(relative, turning), n


@kernel
def _angle_ratio(c, s):
    """f(c) = arccos(c) / sqrt(1 - c^2) and its two derivatives; s = sqrt(1 - c^2), which is known more exactly."""
    y = 1.0 - c
    if y < _NEAR:
        f, slope, bend = 0.0, 0.0, 0.0
        for k in range(len(_SERIES)):
            n = len(_SERIES) - 1 - k
            bend = 2.0 * slope + y * bend
            slope = f + y * slope
            f = _SERIES[n] + y * f
        return f, -slope, bend
    f = math.atan2(s, c) / s
    slope = (c * f - 1.0) / (s * s)
    return f, slope, (f + 3.0 * c * slope) / (s * s)


@kernel
def _lean(row, u, axis, v, w_a, w_b):
    """The angle between v and `axis` of a, along another axis u of a."""
    d, d_rate, d_bias, d_moment = _product(u, v, w_a, w_b)
    c, c_rate, c_bias, c_moment = _product(axis, v, w_a, w_b)
    off = subtract(v, scale(c, axis))
    f, slope, bend = _angle_ratio(c, math.sqrt(dot(off, off)))
    n = add_scaled(scale(f, d_moment), slope * d, c_moment)
    store_spatial(row.wrench[0], n, _ZERO)
    store_spatial(row.wrench[1], scale(-1.0, n), _ZERO)
    row.error = f * d
    row.rate = f * d_rate + slope * c_rate * d
    row.bias = f * d_bias + slope * d * c_bias + 2.0 * slope * c_rate * d_rate + bend * c_rate * c_rate * d


@kernel
def _square(row, u, v, w_a, w_b):
    """The row of a right angle: by so much is the angle between u and v below one."""
    d, rate, bias, moment = _product(u, v, w_a, w_b)
    root = math.sqrt(max(1e-30, 1.0 - d * d))
    n = scale(1.0 / root, moment)
    store_spatial(row.wrench[0], n, _ZERO)
    store_spatial(row.wrench[1], scale(-1.0, n), _ZERO)
    row.error = math.asin(min(1.0, max(-1.0, d)))
    row.rate = rate / root
    row.bias = (bias + d * row.rate * row.rate) / root


@kernel
def _rotation_vector(kinds, closure, rows, frame_a, frame_b, w_a, w_b):
    """Of the two quaternions that stand for the turn, the one that is nearer to where the course leads."""
    q = quaternion_of_matrix(multiply(transpose(frame_a), frame_b))
    first, allowed = closure.row_end - 3, _ZERO
    for r in range(first, closure.row_end):
        share = -rows[r].allowed[0]
        allowed = add_scaled(allowed, share, _unit(3 - kinds[r].axis_a - kinds[r].axis_b))
    near = exponential(allowed)
    if q[0] * near[0] + q[1] * near[1] + q[2] * near[2] + q[3] * near[3] < 0.0:
        q = (-q[0], -q[1], -q[2], -q[3])
    c, v = q[0], (q[1], q[2], q[3])
    f, slope, bend = _angle_ratio(c, math.sqrt(dot(v, v)))
    relative = unrotate(frame_a, subtract(w_b, w_a))
    swing = unrotate(frame_a, cross(w_a, subtract(w_b, w_a)))  # less of its derivative than of those of w_a and w_b
    c_rate, v_rate = -0.5 * dot(relative, v), scale(0.5, add_scaled(cross(relative, v), c, relative))
    c_second = -0.5 * dot(relative, v_rate)
    v_second = scale(0.5, add_scaled(cross(relative, v_rate), c_rate, relative))
    h = scale(2.0 * f, v)
    rate = scale(2.0, add_scaled(scale(f, v_rate), slope * c_rate, v))
    second = scale(2.0 * (bend * c_rate * c_rate + slope * c_second), v)
    second = add_scaled(add_scaled(second, 4.0 * slope * c_rate, v_rate), 2.0 * f, v_second)
    for r in range(first, closure.row_end):
        e = _unit(3 - kinds[r].axis_a - kinds[r].axis_b)
        n = add_scaled(scale(f, add_scaled(cross(v, e), c, e)), -slope * dot(e, v), v)
        row, moment = rows[r], rotate(frame_a, n)
        store_spatial(row.wrench[0], moment, _ZERO)
        store_spatial(row.wrench[1], scale(-1.0, moment), _ZERO)
        row.error, row.rate = -dot(e, h), -dot(e, rate)
        row.bias = dot(n, swing) - dot(e, second)


@kernel
def _unit(number):
    if number == 0:
        return (1.0, 0.0, 0.0)
    if number == 1:
        return (0.0, 1.0, 0.0)
    return (0.0, 0.0, 1.0)
