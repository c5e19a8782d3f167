# SPDX-License-Identifier: GPL-3.0-or-later
"""Points of boxes, hulls and prisms whose normal is not one along which they have the gap that is claimed.

Where edges that cross are nearly level with a face, MuJoCo names the face's normal, but the gap along the way that the
edges lead apart; where faces are nearly parallel it may close in on a wrong one. As for cylinders (`corrections`), the
gap along a normal follows from the support functions, and where it is not the one that is named, or the shapes overlap
by more than a little, our own signed distance (`signed_distance`) tells the normal. Of equally good directions that of
a face is taken where corners are added (`face_manifold`), as it bears a polygon and not just a point.
"""

from __future__ import annotations

import math

from ...kernel import entry, kernel
from ...spatial import add_scaled, dot, load3, load9, rotate, scale, store3
from .corrections import reach_of, write_point
from .face_manifold import facing
from .signed_distance import gap_along, signed_distance

DOUBT = 1e-3  # of the thinner one's half thickness: what a gap may be wrong by
LEAST_DOUBT = 1e-5  # of its size
EQUAL = 0.1  # doubts: gaps along two faces that are equally good
SAME = 1e-4  # 1 - cosine: normals of the two ends of what lies along an edge of a mesh
DEEP = 10.0  # doubts: deeper, and a normal may be that of another way out


@entry
def check_polytopes(faces, placement, outlines, poses, prisms, rotation, named, is_single, work):
    """Overwrites the points of boxes and hulls that are wrong by the deepest one; what is left out gets a `geom` of -1.

    faces: of these shapes (m); poses: of MuJoCo's shapes, in its unit; rotation: of our bodies. is_single: whether the
    deepest point alone is kept where `add_corners` adds others: of equally good directions along that of a face.
    """
    geom, start = named.geom, 0
    while start < len(geom):
        end = start + 1
        while end < len(geom) and geom[end, 0] == geom[start, 0] and geom[end, 1] == geom[start, 1]:
            end += 1
        if _is_polytope(outlines, geom[start, 0]) and _is_polytope(outlines, geom[start, 1]):
            only = is_single and not (_is_prism(outlines, geom[start, 0]) or _is_prism(outlines, geom[start, 1]))
            _check(faces, placement, outlines, poses, prisms, rotation, named, only, start, end, work)
        start = end


@kernel
def _is_polytope(outlines, shape):
    """True if a shape is a box, a hull or a prism."""
    return _is_prism(outlines, shape) or (shape >= 0 and outlines.start[shape] < outlines.start[shape + 1])


@kernel
def _is_prism(outlines, shape):
    return shape >= len(outlines.radius)


@kernel
def _check(faces, placement, outlines, poses, prisms, rotation, named, is_single, start, end, work):
    """The points of one pair, numbers `start` to `end`."""
    a, b = named.geom[start, 0], named.geom[start, 1]
    deepest = start
    for k in range(start + 1, end):
        deepest = k if named.distance[k] < named.distance[deepest] else deepest
    doubt, gap = min(_doubt(placement, a), _doubt(placement, b)), named.distance[deepest]
    n, place = load3(named.frame[deepest]), load3(named.position[deepest])
    along = gap_along(outlines, poses, prisms, a, b, n)
    agrees = abs(along - gap) < doubt
    if not agrees or gap < -DEEP * doubt:
        size, reach = min(placement.bound[a], placement.bound[b]), reach_of(poses, prisms, a, b)
        true, out, on_first = signed_distance(outlines, poses, prisms, a, b, size, reach, work)
        if not agrees or true - along > doubt:
            gap, n, place, agrees = true, out, add_scaled(on_first, 0.5 * true, out), False
    if agrees and not is_single:
        return
    on_edge = gap < math.inf and (_is_prism(outlines, a) or _is_prism(outlines, b))
    for k in range(start, end):
        if on_edge and dot(load3(named.frame[k]), n) > 1.0 - SAME:
            store3(named.frame[k], n)
        elif k != deepest:
            named.geom[k, 0] = named.geom[k, 1] = -1
    if gap < math.inf:
        if is_single:
            gap, n = _along_face(faces, placement, outlines, poses, prisms, rotation, a, b, gap, n, doubt)
        write_point(named, deepest, gap, n, place)
    else:
        named.geom[deepest, 0] = named.geom[deepest, 1] = -1


@kernel
def _doubt(placement, shape):
    if shape >= len(placement.box):
        return math.inf
    box = placement.box[shape]
    return max(DOUBT * min(box[3], min(box[4], box[5])), LEAST_DOUBT * placement.bound[shape])


@kernel
def _along_face(faces, placement, outlines, poses, prisms, rotation, a, b, gap, n, doubt):
    """(gap, normal): along that of the faces that look at each other which has the larger gap, if that is as good.

    Of two that are equally good it is the first shape's, so that it does not change from step to step.
    """
    least, chosen = gap - doubt, n
    for side in range(2):
        shape, sign = (a, 1.0) if side == 0 else (b, -1.0)
        R = load9(rotation[placement.body[shape]])
        face, _ = facing(faces, placement.part[shape], R, scale(sign, n))
        out = scale(sign, rotate(R, load3(faces.normal[face])))
        along = gap_along(outlines, poses, prisms, a, b, out)
        if along > least:
            least, gap, chosen = along + EQUAL * doubt, along, out
    return gap, chosen
