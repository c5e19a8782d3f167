# SPDX-License-Identifier: GPL-3.0-or-later
"""A point of a patch whose coordinates are polynomials of two parameters, or quotients of them, by Horner's rule."""

from ..kernel import kernel
from ..spatial import add_scaled, scale

COLUMNS = 4  # of a patch, an array (order * order, 4): coefficients of u^i v^j at order * i + j; x, y, z times the
# weight, and the weight


@kernel
def point_in_patch(k, order, is_rational, s, t):
    """Point and derivatives, as of `point_of`, at a place (s, t) in a patch of coefficients k (order * order, 4)."""
    x, y, z = _polynomial(k, order, 0, s, t), _polynomial(k, order, 1, s, t), _polynomial(k, order, 2, s, t)
    p, p_u, p_v = (x[0], y[0], z[0]), (x[1], y[1], z[1]), (x[2], y[2], z[2])
    p_uu, p_uv, p_vv = (x[3], y[3], z[3]), (x[4], y[4], z[4]), (x[5], y[5], z[5])
    if not is_rational:
        return p, p_u, p_v, p_uu, p_uv, p_vv
    w = _polynomial(k, order, 3, s, t)
    # p = P / w: p' = (P' - w' p) / w, and so on
    inverse = 1.0 / w[0]
    p = scale(inverse, p)
    p_u = scale(inverse, add_scaled(p_u, -w[1], p))
    p_v = scale(inverse, add_scaled(p_v, -w[2], p))
    p_uu = scale(inverse, add_scaled(add_scaled(p_uu, -2.0 * w[1], p_u), -w[3], p))
    p_uv = scale(inverse, add_scaled(add_scaled(add_scaled(p_uv, -w[1], p_v), -w[2], p_u), -w[4], p))
    p_vv = scale(inverse, add_scaled(add_scaled(p_vv, -2.0 * w[2], p_v), -w[5], p))
    return p, p_u, p_v, p_uu, p_uv, p_vv


@kernel
def _polynomial(k, order, column, s, t):
    """Value and derivatives by s, t, ss, st, tt of one column of a patch's coefficients."""
    x, x_t, x_tt = _row(k, order * (order - 1), order, column, t)
    x_s, half_x_ss, x_st = 0.0, 0.0, 0.0
    for i in range(order - 2, -1, -1):
        a, a_t, a_tt = _row(k, order * i, order, column, t)
        half_x_ss = s * half_x_ss + x_s
        x_s, x_st = s * x_s + x, s * x_st + x_t
        x, x_t, x_tt = s * x + a, s * x_t + a_t, s * x_tt + a_tt
    return x, x_s, x_t, 2.0 * half_x_ss, x_st, x_tt


@kernel
def _row(k, first, order, column, t):
    """A polynomial in t with its two derivatives."""
    x, x_t, half_x_tt = k[first + order - 1, column], 0.0, 0.0
    for j in range(order - 2, -1, -1):
        half_x_tt = t * half_x_tt + x_t
        x_t = t * x_t + x
        x = t * x + k[first + j, column]
    return x, x_t, 2.0 * half_x_tt
