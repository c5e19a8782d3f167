# SPDX-License-Identifier: GPL-3.0-or-later
"""Charts of subdivision surfaces (`subdivision.limit`): points in them, the way from one to the next, and the edges.

Chart 0 is that of faces: u is the number of the face plus the parameter along its first edge, v that along its last.
Chart 1 + k is fan k: the faces around a vertex. (x, y) are its coordinates; (a, b) those of a face seen from a corner,
a along the edge that leaves the corner, b along the one that comes to it; (s, t) those seen from the face's first
corner. Where a fan is plain, (a, b) go on over the faces beyond, as far as the edge.
"""

import math

from ..kernel import kernel
from ..spatial import add, add_scaled, dot, scale, subtract
from ..subdivision.limit import LEVELS
from .patch import point_in_patch

_RIGHT = 0.5 * math.pi
_STEPS = 64  # faces that a way may go over


@kernel
def limit_point(surface, pieces, chart, x, y):
    """Point and derivatives, as of `surface.point_of`."""
    if chart == 0:
        face, s = _face(surface, x)
        return _in_face(surface, pieces, face, 0, s, y)
    fan = pieces.fans[surface.fan + chart - 1]
    if not fan.is_plain:
        return _around_vertex(surface, pieces, fan, x, y)
    face, corner, a, b, k = _on_plain(surface, pieces, fan, x, y)
    p, p_a, p_b, p_aa, p_ab, p_bb = _in_face(surface, pieces, face, corner, a, b)
    return _turned_back(k, p, p_a, p_b, p_aa, p_ab, p_bb)


@kernel
def _turned_back(k, p, p_a, p_b, p_aa, p_ab, p_bb):
    """Derivatives along x and y, of which a and b are those turned by k quarters."""
    if k == 1:
        return p, scale(-1.0, p_b), p_a, p_bb, scale(-1.0, p_ab), p_aa
    if k == 2:
        return p, scale(-1.0, p_a), scale(-1.0, p_b), p_aa, p_ab, p_bb
    if k == 3:
        return p, p_b, scale(-1.0, p_a), p_bb, scale(-1.0, p_ab), p_aa
    return p, p_a, p_b, p_aa, p_ab, p_bb


@kernel
def _face(surface, u):
    """(number of a face, parameter in it) of chart 0."""
    f = int(min(max(math.floor(u), 0.0), surface.counts[0] - 1.0))
    return surface.patch + f, u - f


@kernel
def _sector_start(surface, pieces, fan, k):
    """(face, place of the fan's vertex in it)"""
    code = pieces.sectors[fan.first + k]
    return surface.patch + code // 4, code % 4


@kernel
def _on_plain(surface, pieces, fan, x, y):
    """(face, corner, a, b, quarters from x to a) of a place in a plain fan."""
    k = 0
    if fan.count == 4:
        k = (0 if y >= 0.0 else 3) if x >= 0.0 else (1 if y > 0.0 else 2)
    elif fan.count == 2 and x < 0.0:
        k = 1
    a, b = x, y
    if k == 1:
        a, b = y, -x
    elif k == 2:
        a, b = -x, -y
    elif k == 3:
        a, b = -y, x
    face, corner = _sector_start(surface, pieces, fan, k)
    face, corner, a, b = _walked(surface, pieces, face, corner, a, b)
    return face, corner, a, b, k


@kernel
def _walked(surface, pieces, face, corner, a, b):
    """(face, corner, a, b) in whose face the place is; in the last one where the surface ends before."""
    for _ in range(_STEPS):
        code = -1
        if a > 1.0:
            code = pieces.faces[face, 2 + (corner + 1) % 4]
            if code >= 0:
                face, corner, a = surface.patch + code // 4, (code + 1) % 4, a - 1.0
                continue
        if b > 1.0:
            code = pieces.faces[face, 2 + (corner + 2) % 4]
            if code >= 0:
                face, corner, b = surface.patch + code // 4, code % 4, b - 1.0
                continue
        if a < 0.0:
            code = pieces.faces[face, 2 + (corner + 3) % 4]
            if code >= 0:
                face, corner, a = surface.patch + code // 4, (code + 3) % 4, a + 1.0
                continue
        if b < 0.0:
            code = pieces.faces[face, 2 + corner]
            if code >= 0:
                face, corner, b = surface.patch + code // 4, (code + 2) % 4, b + 1.0
                continue
        return face, corner, a, b
    return face, corner, a, b


@kernel
def _from_first(corner, a, b):
    """(s, t)"""
    if corner == 1:
        return 1.0 - b, a
    if corner == 2:
        return 1.0 - a, 1.0 - b
    if corner == 3:
        return b, 1.0 - a
    return a, b


@kernel
def _from_corner(corner, s, t):
    """(a, b)"""
    if corner == 1:
        return t, 1.0 - s
    if corner == 2:
        return 1.0 - s, 1.0 - t
    if corner == 3:
        return 1.0 - t, s
    return s, t


@kernel
def _piece(pieces, face, s, t):
    """(patch, how often it goes into the face's side, parameters in it) of a place in a face."""
    code, factor, a, b = pieces.faces[face, 10], 1.0, s, t
    while code >= 0:
        factor, a, b = 2.0 * factor, 2.0 * a, 2.0 * b
        k = 0
        if a >= 1.0:
            k, a = 1, a - 1.0
        if b >= 1.0:
            k, b = k + 2, b - 1.0
        code = pieces.cells[code, k]
    if code < LEVELS:
        return LEVELS - 1 - code, factor, a, b
    return _level(pieces.faces[face, 0], pieces.faces[face, 1], s, t)


@kernel
def _level(first, levels, s, t):
    """The same, of a face with levels, or of a single patch."""
    if levels == 0:
        return first, 1.0, s, t
    level, farther, factor = 0, max(s, t), 2.0
    while farther * factor < 1.0 and level < levels - 1:
        factor, level = 2.0 * factor, level + 1
    s, t = factor * s, factor * t
    first += 3 * level
    if t < 1.0 and s >= t:
        return first, factor, s - 1.0, t
    if s < 1.0:
        return first + 2, factor, s, t - 1.0
    return first + 1, factor, s - 1.0, t - 1.0


@kernel
def _in_face(surface, pieces, face, corner, a, b):
    """Point and derivatives along a and b."""
    number, factor, s, t = _piece(pieces, face, *_from_first(corner, a, b))
    p, p_s, p_t, p_ss, p_st, p_tt = point_in_patch(pieces.patches[number], surface.order, surface.is_rational, s, t)
    if factor > 1.0:
        square = factor * factor
        p_s, p_t = scale(factor, p_s), scale(factor, p_t)
        p_ss, p_st, p_tt = scale(square, p_ss), scale(square, p_st), scale(square, p_tt)
    return _turned_back((4 - corner) % 4, p, p_s, p_t, p_ss, p_st, p_tt)


@kernel
def _around_vertex(surface, pieces, fan, x, y):
    """Point and derivatives in a fan whose sectors are bent to fill the plane.

    Nearer to the vertex than the last level it goes on as it is there, the smaller and the flatter.
    """
    face, corner, a, b, x, y, share = _in_sector(surface, pieces, fan, x, y)
    there, its, over_a, over_b = _walked(surface, pieces, face, corner, a, b)
    p, p_a, p_b, p_aa, p_ab, p_bb = _in_face(surface, pieces, there, its, over_a, over_b)
    if share < 1.0:
        k = pieces.patches[pieces.faces[face, 0] + 3 * pieces.faces[face, 1]]
        middle, n = (k[0, 0], k[0, 1], k[0, 2]), (k[1, 0], k[1, 1], k[1, 2])
        p = _flattened(subtract(p, middle), n, share)
        p, p_a, p_b = add_scaled(middle, share, p), _flattened(p_a, n, share), _flattened(p_b, n, share)
    # d zeta: by the logarithm of |z| and by its angle, as complex numbers
    r, e, g = x * x + y * y, fan.power, _RIGHT / fan.sector
    l_x, l_y, l_xx, l_xy = x / r, y / r, (y * y - x * x) / (r * r), -2.0 * x * y / (r * r)
    a_l, b_l, a_o, b_o = e * a, e * b, -g * b, g * a
    a_x, b_x = a_l * l_x - a_o * l_y, b_l * l_x - b_o * l_y
    a_y, b_y = a_l * l_y + a_o * l_x, b_l * l_y + b_o * l_x
    xx, xy, yy = l_x * l_x, l_x * l_y, l_y * l_y
    a_xx = e * e * a * xx + 2.0 * e * g * b * xy - g * g * a * yy + a_l * l_xx - a_o * l_xy
    b_xx = e * e * b * xx - 2.0 * e * g * a * xy - g * g * b * yy + b_l * l_xx - b_o * l_xy
    a_yy = e * e * a * yy - 2.0 * e * g * b * xy - g * g * a * xx - a_l * l_xx + a_o * l_xy
    b_yy = e * e * b * yy + 2.0 * e * g * a * xy - g * g * b * xx - b_l * l_xx + b_o * l_xy
    a_xy = (e * e + g * g) * a * xy - e * g * b * (xx - yy) + a_l * l_xy + a_o * l_xx
    b_xy = (e * e + g * g) * b * xy + e * g * a * (xx - yy) + b_l * l_xy + b_o * l_xx
    p_xx = _second(p_a, p_b, p_aa, p_ab, p_bb, a_x, b_x, a_x, b_x, a_xx, b_xx)
    p_xy = _second(p_a, p_b, p_aa, p_ab, p_bb, a_x, b_x, a_y, b_y, a_xy, b_xy)
    p_yy = _second(p_a, p_b, p_aa, p_ab, p_bb, a_y, b_y, a_y, b_y, a_yy, b_yy)
    return p, _first(p_a, p_b, a_x, b_x), _first(p_a, p_b, a_y, b_y), p_xx, p_xy, p_yy


@kernel
def _flattened(a, n, share):
    """A vector with only a share of its part along n."""
    return add_scaled(a, (share - 1.0) * dot(a, n), n)


@kernel
def _first(p_a, p_b, a_x, b_x):
    return add_scaled(scale(a_x, p_a), b_x, p_b)


@kernel
def _second(p_a, p_b, p_aa, p_ab, p_bb, a_x, b_x, a_y, b_y, a_xy, b_xy):
    bent = add_scaled(add_scaled(scale(a_x * a_y, p_aa), a_x * b_y + b_x * a_y, p_ab), b_x * b_y, p_bb)
    return add(bent, _first(p_a, p_b, a_xy, b_xy))


@kernel
def _in_sector(surface, pieces, fan, x, y):
    """(face, corner, a, b) of a place in a bent fan, the place at the last level if it is nearer, share of that."""
    r, c, s = math.hypot(x, y), math.cos(fan.middle), math.sin(fan.middle)
    face, _ = _sector_start(surface, pieces, fan, 0)
    nearest = math.exp((1.0 - pieces.faces[face, 1]) * math.log(2.0) / fan.power)
    share = 1.0
    if r < nearest:
        share = r / nearest
        x, y = (x / share, y / share) if r > 1e-3 * nearest * nearest else (nearest * c, nearest * s)
        r = nearest
    angle = fan.middle + math.atan2(c * y - s * x, c * x + s * y)
    k = int(min(max(math.floor(angle / fan.sector), 0.0), fan.count - 1.0))
    across = (angle - k * fan.sector) * _RIGHT / fan.sector
    distance = r**fan.power
    a, b = distance * math.cos(across), distance * math.sin(across)
    face, corner = _sector_start(surface, pieces, fan, k)
    # not across an edge between two sectors by rounding
    if pieces.faces[face, 2 + corner] >= 0:
        b = max(b, 0.0)
    if pieces.faces[face, 2 + (corner + 3) % 4] >= 0:
        a = max(a, 0.0)
    return face, corner, a, b, x, y, share


@kernel
def _place(surface, pieces, chart, x, y):
    """(face, corner, a, b) of a place in any chart."""
    if chart == 0:
        face, s = _face(surface, x)
        return face, 0, s, y
    fan = pieces.fans[surface.fan + chart - 1]
    if fan.is_plain:
        face, corner, a, b, _ = _on_plain(surface, pieces, fan, x, y)
        return face, corner, a, b
    face, corner, a, b, _, _, share = _in_sector(surface, pieces, fan, x, y)
    if share < 1.0:
        near = share**fan.power
        a, b = near * a, near * b
    return _walked(surface, pieces, face, corner, a, b)


@kernel
def is_beyond(surface, pieces, chart, x, y):
    """True where a chart is no longer good, and another one is better."""
    if chart == 0:
        return True
    fan = pieces.fans[surface.fan + chart - 1]
    far = max(abs(x), abs(y)) if fan.is_plain else math.hypot(x, y) ** fan.power
    return far > fan.reach and in_nearest_fan(surface, pieces, chart, x, y)[0] != chart


@kernel
def in_nearest_fan(surface, pieces, chart, x, y):
    """(chart, x, y) of the same place in the fan whose vertex is the nearest."""
    face, corner, a, b = _place(surface, pieces, chart, x, y)
    s, t = _from_first(corner, a, b)
    corner = (0 if t < 0.5 else 3) if s < 0.5 else (1 if t < 0.5 else 2)
    a, b = _from_corner(corner, s, t)
    number = pieces.faces[face, 6 + corner]
    fan, k, code = pieces.fans[surface.fan + number], 0, 4 * (face - surface.patch) + corner
    while pieces.sectors[fan.first + k] != code:
        k += 1
    if fan.is_plain:
        if k == 1:
            a, b = -b, a
        elif k == 2:
            a, b = -a, -b
        elif k == 3:
            a, b = b, -a
        return number + 1, a, b
    angle = k * fan.sector + math.atan2(b, a) * fan.sector / _RIGHT
    r = math.hypot(a, b)
    if r > 0.0:
        r = r ** (1.0 / fan.power)
    return number + 1, r * math.cos(angle), r * math.sin(angle)


@kernel
def in_faces(surface, pieces, chart, x, y):
    """(u, v) of the same place in chart 0."""
    face, corner, a, b = _place(surface, pieces, chart, x, y)
    s, t = _from_first(corner, a, b)
    within = min(max(s, 0.0), 1.0 - 1e-15)
    return face - surface.patch + within, t


@kernel
def room_in_face(surface, pieces, chart, x, y):
    """Distance of a place from those edges of its face that are edges of the surface, at most 1; below 0 outside."""
    face, corner, a, b = _place(surface, pieces, chart, x, y)
    s, t = _from_first(corner, a, b)
    least = 1.0
    if pieces.faces[face, 2] < 0:
        least = min(least, t)
    if pieces.faces[face, 3] < 0:
        least = min(least, 1.0 - s)
    if pieces.faces[face, 4] < 0:
        least = min(least, 1.0 - t)
    if pieces.faces[face, 5] < 0:
        least = min(least, s)
    return least
