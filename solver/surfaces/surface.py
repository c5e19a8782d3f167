# SPDX-License-Identifier: GPL-3.0-or-later
"""A smooth parametric surface p(u, v): its point with first and second derivatives, and what follows from them.

Spheres and ellipsoids have two charts, with poles on their Z and on their X; whoever comes near the poles of one goes
over to the other. Subdivision surfaces have a chart for each vertex (`limit_charts`). All other surfaces here have no
singular points.

Symbols: p_u, p_v, p_uu, ... derivatives; side +1 or -1, which way the normal points; C = (x, y, n) the frame at the
point, x along p_u, n the outer normal; J the matrix of the tangential velocity J (u', v') along x and y; K the
symmetric matrix of the normal's change n' = K c for a tangential velocity c, so that a sphere has 1 / radius; T with
x' . y = T . c.
"""

import math
from enum import IntEnum
from typing import NamedTuple

import numpy as np

from ..kernel import kernel
from ..spatial import add, cross, dot, rotate, scale
from ..subdivision.limit import FAN
from .limit_charts import in_faces, in_nearest_fan, is_beyond, limit_point, room_in_face
from .patch import COLUMNS, point_in_patch


class SurfaceKind(IntEnum):
    """The kinds of smooth surfaces, each with charts of its own."""

    PLANE = 0
    ELLIPSOID = 1
    TORUS = 2
    CYLINDER = 3
    PATCHES = 4
    SUBDIVISION = 5


SURFACE = np.dtype(
    [
        ("kind", "i8"),  # SurfaceKind
        ("charts", "i8"),  # how many there are
        ("patch", "i8"),  # its first patch; or face, of a subdivision surface
        ("counts", "i8", 2),  # patches along u and v; faces, and 1
        ("fan", "i8"),  # its first fan, of a subdivision surface
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


class Pieces(NamedTuple):
    """Arrays in which surfaces that consist of pieces have theirs, of all in a linkage."""

    patches: np.ndarray  # (., order * order, 4): see COLUMNS
    faces: np.ndarray  # (., 11), of subdivision surfaces: see subdivision.limit.Limit
    fans: np.recarray  # FAN
    sectors: np.ndarray
    cells: np.ndarray  # (., 4)


def no_pieces() -> Pieces:
    """Those of surfaces that have none."""
    return Pieces(
        np.zeros((0, 1, COLUMNS)), np.zeros((0, 11), np.int64), np.zeros(0, FAN).view(np.recarray),
        np.zeros(0, np.int64), np.zeros((0, 4), np.int64),
    )  # fmt: skip


_PLANE, _ELLIPSOID, _TORUS, _CYLINDER, _SUBDIVISION = (
    int(SurfaceKind.PLANE),
    int(SurfaceKind.ELLIPSOID),
    int(SurfaceKind.TORUS),
    int(SurfaceKind.CYLINDER),
    int(SurfaceKind.SUBDIVISION),
)
_FAR = 1.1  # rad of latitude at which the other chart is the better one
_NEAR_POLE = 0.5 * math.pi - 1e-7  # rad: as near as a chart can be evaluated
_ZERO = (0.0, 0.0, 0.0)


@kernel
def point_of(surface, pieces, chart, u, v):
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
    if surface.kind == _SUBDIVISION:
        return limit_point(surface, pieces, chart, u, v)
    return _patch(surface, pieces.patches, u, v)


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
def _cell(u, period, count):
    """(number of the patch, parameter in it)."""
    if period > 0.0:
        u -= period * math.floor(u / period)
    i = int(min(max(math.floor(u), 0.0), count - 1.0))
    return i, u - i


@kernel
def frame_of(surface, pieces, chart, u, v):
    """(p, C, J, K, T) along the body's axes: J = (xx, xy, yy) above its diagonal, K = (xx, xy, yy), T = (x, y)."""
    p, p_u, p_v, p_uu, p_uv, p_vv = point_of(surface, pieces, chart, u, v)
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
def is_far(surface, pieces, chart, u, v):
    """True if another chart is better at this place."""
    if surface.kind == _SUBDIVISION:
        return is_beyond(surface, pieces, chart, u, v)
    return surface.charts > 1 and abs(v) > _FAR


@kernel
def in_other_chart(surface, pieces, chart, u, v):
    """(chart, u, v, angle by which the frame turns about the normal) of the same point in the better chart."""
    p, p_u, _, _, _, _ = point_of(surface, pieces, chart, u, v)
    if surface.kind == _SUBDIVISION:
        other, a, b = in_nearest_fan(surface, pieces, chart, u, v)
    else:
        a, b = _on_other_poles(surface.lengths, chart, p)
        other = 1 - chart
    return other, a, b, _turn_to(surface, pieces, p_u, other, a, b)


@kernel
def in_first_chart(surface, pieces, chart, u, v):
    """(u, v, angle) of the same point in chart 0: of ellipsoids that with poles on Z, of subdivision surfaces faces."""
    if chart == 0:
        return u, v, 0.0
    p, p_u, _, _, _, _ = point_of(surface, pieces, chart, u, v)
    if surface.kind == _SUBDIVISION:
        a, b = in_faces(surface, pieces, chart, u, v)
    else:
        a, b = _on_other_poles(surface.lengths, chart, p)
        b = min(max(b, -_NEAR_POLE), _NEAR_POLE)
    return a, b, _turn_to(surface, pieces, p_u, 0, a, b)


@kernel
def _on_other_poles(lengths, chart, p):
    """Longitude and latitude of an ellipsoid's point p in the chart other than this."""
    x, y, z = p[0] / lengths[0], p[1] / lengths[1], p[2] / lengths[2]
    if chart != 0:
        return math.atan2(y, x), math.atan2(z, math.hypot(x, y))
    return math.atan2(z, y), math.atan2(x, math.hypot(y, z))


@kernel
def _turn_to(surface, pieces, p_u, chart, u, v):
    """The angle from p_u to that of a chart at (u, v), about the outer normal."""
    _, q_u, q_v, _, _, _ = point_of(surface, pieces, chart, u, v)
    n = scale(surface.side, cross(q_u, q_v))
    length = math.sqrt(dot(n, n))
    return math.atan2(dot(n, cross(p_u, q_u)) / length, dot(p_u, q_u))


@kernel
def room(surface, pieces, chart, u, v):
    """Distance of the parameters from the surface's edges: below zero outside, infinite where there are none."""
    if surface.kind == _SUBDIVISION:
        return room_in_face(surface, pieces, chart, u, v)
    along_u = min(u - surface.low[0], surface.high[0] - u)
    return min(along_u, min(v - surface.low[1], surface.high[1] - v))
