# SPDX-License-Identifier: GPL-3.0-or-later
"""A smooth parametric surface p(u, v): its point with first and second derivatives, and what follows from them.

Spheres and ellipsoids have two charts, with poles on their Z and on their X; whoever comes near the poles of one goes
over to the other. All other surfaces here have no singular points.

Symbols: p_u, p_v, p_uu, ... derivatives; side +1 or -1, which way the normal points; C = (x, y, n) the frame at the
point, x along p_u, n the outer normal; J the matrix of the tangential velocity J (u', v') along x and y; K the
symmetric matrix of the normal's change n' = K c for a tangential velocity c, so that a sphere has 1 / radius; T with
x' . y = T . c.
"""

import math
from enum import IntEnum

import numpy as np

from ..kernel import kernel
from ..spatial import add, add_scaled, cross, dot, rotate, scale


class SurfaceKind(IntEnum):
    """The kinds of smooth surfaces, each with charts of its own."""

    PLANE = 0
    ELLIPSOID = 1
    TORUS = 2
    CYLINDER = 3
    PATCHES = 4


SURFACE = np.dtype(
    [
        ("kind", "i8"),  # SurfaceKind
        ("charts", "i8"),  # how many there are
        ("patch", "i8"),  # its first patch
        ("counts", "i8", 2),  # patches along u and v
        ("order", "i8"),  # of its patches along u and along v: degree + 1, of all the linkage's
        ("is_rational", "i8"),
        ("side", "f8"),
        ("lengths", "f8", 3),  # m: half axes; radii of the ring and of its tube; radius
        ("period", "f8", 2),  # of a patch surface that is closed, else 0
        ("low", "f8", 2),  # where the surface ends, -inf where it does not
        ("high", "f8", 2),
        ("rotation", "f8", 9),  # its own frame in the body's axes
        ("origin", "f8", 3),  # m: from the body's reference point, in the body's axes
    ],
    align=True,
)
COLUMNS = 4  # of a patch, an array (order * order, 4): coefficients of u^i v^j at order * i + j; x, y, z times the
# weight, and the weight

_PLANE, _ELLIPSOID, _TORUS, _CYLINDER = (
    int(SurfaceKind.PLANE),
    int(SurfaceKind.ELLIPSOID),
    int(SurfaceKind.TORUS),
    int(SurfaceKind.CYLINDER),
)
_FAR = 1.1  # rad of latitude at which the other chart is the better one
_ZERO = (0.0, 0.0, 0.0)


@kernel
def point_of(surface, patches, chart, u, v):
    """(p, p_u, p_v, p_uu, p_uv, p_vv) in the surface's own frame."""
    size = surface.lengths
    if surface.kind == _PLANE:
        return (u, v, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), _ZERO, _ZERO, _ZERO
    if surface.kind == _ELLIPSOID:
        return _ellipsoid(size[0], size[1], size[2], chart, u, v)
    if surface.kind == _TORUS:
        return _torus(size[0], size[1], u, v)
    if surface.kind == _CYLINDER:
        c, s = size[0] * math.cos(u), size[0] * math.sin(u)
        return (c, s, v), (-s, c, 0.0), (0.0, 0.0, 1.0), (-c, -s, 0.0), _ZERO, _ZERO
    return _patch(surface, patches, u, v)


@kernel
def _ellipsoid(a, b, c, chart, u, v):
    """By longitude and latitude; of the second chart the pole is on X."""
    if chart != 0:
        a, b, c = b, c, a
    k, s, l, t = math.cos(u), math.sin(u), math.cos(v), math.sin(v)
    p, p_uu = (a * l * k, b * l * s, c * t), (-a * l * k, -b * l * s, 0.0)
    p_u, p_v = (-a * l * s, b * l * k, 0.0), (-a * t * k, -b * t * s, c * l)
    p_uv, p_vv = (a * t * s, -b * t * k, 0.0), (-a * l * k, -b * l * s, -c * t)
    if chart != 0:
        return _turned(p), _turned(p_u), _turned(p_v), _turned(p_uu), _turned(p_uv), _turned(p_vv)
    return p, p_u, p_v, p_uu, p_uv, p_vv


@kernel
def _turned(a):
    """X, Y, Z become Y, Z, X."""
    return (a[2], a[0], a[1])


@kernel
def _torus(ring, tube, u, v):
    k, s, c, t = math.cos(u), math.sin(u), tube * math.cos(v), tube * math.sin(v)
    r = ring + c
    return (
        (r * k, r * s, t),
        (-r * s, r * k, 0.0),
        (-t * k, -t * s, c),
        (-r * k, -r * s, 0.0),
        (t * s, -t * k, 0.0),
        (-c * k, -c * s, -t),
    )


@kernel
def _patch(surface, patches, u, v):
    """A patch by Horner's rule; beyond its edge the last patch goes on."""
    i, s = _cell(u, surface.period[0], surface.counts[0])
    j, t = _cell(v, surface.period[1], surface.counts[1])
    patch = patches[surface.patch + i * surface.counts[1] + j]
    return point_in_patch(patch, surface.order, surface.is_rational, s, t)


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
def _cell(u, period, count):
    """(number of the patch, parameter in it)."""
    if period > 0.0:
        u -= period * math.floor(u / period)
    i = int(min(max(math.floor(u), 0.0), count - 1.0))
    return i, u - i


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


@kernel
def frame_of(surface, patches, chart, u, v):
    """(p, C, J, K, T) along the body's axes: J = (xx, xy, yy) above its diagonal, K = (xx, xy, yy), T = (x, y)."""
    p, p_u, p_v, p_uu, p_uv, p_vv = point_of(surface, patches, chart, u, v)
    length = math.sqrt(dot(p_u, p_u))
    x = scale(1.0 / length, p_u)
    normal = cross(p_u, p_v)
    n = scale(surface.side / math.sqrt(dot(normal, normal)), normal)
    y = cross(n, x)
    J = (length, dot(x, p_v), dot(y, p_v))
    a, b, c = 1.0 / J[0], -J[1] / (J[0] * J[2]), 1.0 / J[2]
    uu, uv, vv = dot(n, p_uu), dot(n, p_uv), dot(n, p_vv)
    K = (-a * a * uu, -a * (b * uu + c * uv), -(b * b * uu + 2.0 * b * c * uv + c * c * vv))
    bend_u, bend_v = dot(p_uu, y) * a, dot(p_uv, y) * a
    T = (a * bend_u, b * bend_u + c * bend_v)
    R = surface.rotation
    Q = (R[0], R[1], R[2], R[3], R[4], R[5], R[6], R[7], R[8])
    p = add((surface.origin[0], surface.origin[1], surface.origin[2]), rotate(Q, p))
    x, y, n = rotate(Q, x), rotate(Q, y), rotate(Q, n)
    return p, (x[0], y[0], n[0], x[1], y[1], n[1], x[2], y[2], n[2]), J, K, T


@kernel
def parameter_rates(J, c):
    """(u', v') of a tangential velocity c along x and y."""
    v = c[1] / J[2]
    return (c[0] - J[1] * v) / J[0], v


@kernel
def turns(surface, k):
    """True if a parameter (0, 1) is an angle, or the number of a patch; else it is a length."""
    return not (surface.kind == _PLANE or (surface.kind == _CYLINDER and k == 1))


@kernel
def is_far(surface, v):
    """True if another chart is better where this one has latitude v."""
    return surface.charts > 1 and abs(v) > _FAR


@kernel
def in_other_chart(surface, patches, chart, u, v):
    """(u, v, angle by which the frame turns about the normal) of the same point in the other chart."""
    p, p_u, _, _, _, _ = point_of(surface, patches, chart, u, v)
    x, y, z = p[0] / surface.lengths[0], p[1] / surface.lengths[1], p[2] / surface.lengths[2]
    if chart != 0:
        longitude, latitude = math.atan2(y, x), math.atan2(z, math.hypot(x, y))
    else:
        longitude, latitude = math.atan2(z, y), math.atan2(x, math.hypot(y, z))
    _, q_u, q_v, _, _, _ = point_of(surface, patches, 1 - chart, longitude, latitude)
    n = scale(surface.side, cross(q_u, q_v))
    length = math.sqrt(dot(n, n))
    return longitude, latitude, math.atan2(dot(n, cross(p_u, q_u)) / length, dot(p_u, q_u))
