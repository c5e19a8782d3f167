# SPDX-License-Identifier: GPL-3.0-or-later
"""Contact points of shapes on level ground, in closed form.

A box or hull touches with its corners, a sphere or capsule with the lowest points of its balls, a cylinder with its
rims. With a the axis and d = -z straight down, the lowest point of a rim lies from the rim's centre along
    u = (d - (d.a) a) / |d - (d.a) a|:
exactly, so that a coin wobbles and rolls without bumps. Three more points of the lower rim, at quarter turns from
there, hold a standing cylinder. They move with u: points fixed to a rolling rim would hit the ground ahead of the
lowest one. Only where the cylinder stands upright to within UPRIGHT, u is noise, and the four points stay in place on
the body; the lowest gap changes by at most 0.3 UPRIGHT radii there.
"""

import math
from typing import NamedTuple

import numpy as np

from ...kernel import kernel
from ...mechanism.bodies import Box, Capsule, Cylinder, Hull, Sphere
from ...model.arrays import records
from ...model.collision_shapes import Part
from ...spatial import add, add_scaled, axis_x, axis_y, axis_z, cross, load3, load9, multiply, rotate, store3, unrotate
from .hulls import corners

UPRIGHT = 1e-5  # rad
MOST = 8  # points of one hull
CORNERS, BALLS, RIMS = 0, 1, 2  # what touches
SHAPE = np.dtype(
    [
        ("kind", "i4"),  # CORNERS, BALLS or RIMS
        ("body", "i4"),
        ("part", "i4"),
        ("start", "i4"),  # its corners or centres of balls, among all
        ("end", "i4"),
        ("rotation", "f8", 9),  # of the shape's axes in the body's
        ("position", "f8", 3),  # m: of its middle
        ("bound", "f8"),  # m: nothing is farther from there
        ("radius", "f8"),  # m: of balls and rims
        ("half_length", "f8"),  # m: from the middle to the rims
    ],
    align=True,
)


class GroundShapes(NamedTuple):
    """Shapes that may touch the ground. Lengths are in the kernels' axes of a body, from its reference point."""

    shapes: np.recarray  # (S,) SHAPE
    corners: np.ndarray  # (V, 3) m


def ground_shapes(parts: list[Part], driven: int) -> GroundShapes:
    """The parts of dynamic bodies, those with numbers from `driven` on. Raises MechanismError for hopeless hulls."""
    falling = [(number, part) for number, part in enumerate(parts) if part.body >= driven]
    shapes = records(len(falling), SHAPE)
    places: list[np.ndarray] = []
    first = 0
    for shape, (number, part) in zip(shapes, falling, strict=True):
        kind, points, radius = _what_touches(part)
        middle = 0.5 * (points.min(axis=0) + points.max(axis=0)) if kind == CORNERS else part.position
        shape.kind, shape.body, shape.part = kind, part.body, number
        shape.start, shape.end = first, first + len(points)
        shape.rotation, shape.position = part.rotation.ravel(), middle
        shape.radius, shape.half_length = radius, getattr(part.shape, "half_length", 0.0)
        farthest = max((math.dist(point, middle) for point in points), default=shape.half_length)
        shape.bound = farthest + radius
        places.append(points)
        first += len(points)
    return GroundShapes(shapes, np.concatenate([np.empty((0, 3)), *places]))


def _what_touches(part: Part) -> tuple[int, np.ndarray, float]:
    """The kind, the corners or centres of balls, and the radius."""
    match part.shape:
        case Box() | Hull():
            return CORNERS, corners(part), 0.0
        case Sphere(radius=radius):
            return BALLS, part.position[None], radius
        case Capsule(radius=radius, half_length=half):
            axis = half * part.rotation[:, 2]
            return BALLS, np.array([part.position + axis, part.position - axis]), radius
        case Cylinder(radius=radius):
            return RIMS, np.empty((0, 3)), radius
    raise TypeError(f"body {part.name!r}: a {part.shape.type} cannot fall on the ground")


@kernel
def touch_ground(ground, bodies, height, reach, points, first):
    """Writes the points with a gap below their body's reach over the plane z = height as numbers `first` and on.

    bodies: rotation and center of all bodies; reach (B,) m. Returns the number of points now, or len(points) + 1 where
    they are more: then the caller makes room and calls again.
    """
    count = first
    for number in range(len(ground.shapes)):
        shape = ground.shapes[number]
        body, near = bodies[shape.body], reach[shape.body]
        R = load9(body.rotation)
        middle = add(load3(body.center), rotate(R, load3(shape.position)))
        if middle[2] - shape.bound - height < near:
            if shape.kind == RIMS:
                count = _touch_with_rims(shape, multiply(R, load9(shape.rotation)), middle, height, near, points, count)
            elif shape.end - shape.start <= MOST:
                for k in range(shape.start, shape.end):
                    place = add(load3(body.center), rotate(R, load3(ground.corners[k])))
                    count = _touch(shape, k - shape.start, place, shape.radius, height, near, points, count)
            else:
                count = _touch_with_many(ground.corners, shape, body, height, near, points, count)
    return count


@kernel
def _touch(shape, feature, center, radius, height, near, points, count):
    """Writes the lowest point of a ball, if it is near and there is room."""
    gap = center[2] - radius - height
    if gap >= near:
        return count
    if count >= len(points):
        return len(points) + 1
    point = points[count]
    point.body[0], point.body[1] = 0, shape.body
    point.part[0], point.part[1] = -1, shape.part
    point.feature = feature
    store3(point.position, (center[0], center[1], height + 0.5 * gap))
    store3(point.normal, (0.0, 0.0, 1.0))
    point.gap = gap
    return count + 1


@kernel
def _touch_with_rims(shape, R, middle, height, near, points, count):
    """The lowest points of both rims, and three more of the lower one. R: of the cylinder's axes."""
    x, y, axis = axis_x(R), axis_y(R), axis_z(R)
    tilt = math.sqrt(axis[0] * axis[0] + axis[1] * axis[1])
    upright = tilt < UPRIGHT
    if upright:
        u, v = x, y
    else:
        # d - (d.a) a with d = -z, over its length
        k = axis[2] / tilt
        u = (k * axis[0], k * axis[1], -tilt)
        v = cross(axis, u)
    for side in range(2):  # the rim at the end of the axis, then the other
        along = shape.half_length if side == 0 else -shape.half_length
        rim = add_scaled(middle, along, axis)
        turns = 4 if along * axis[2] <= 0.0 else 1
        feature = 4 * side + (8 if upright else 0)
        for turn in range(turns):
            cosine = shape.radius * (1 - turn if turn < 3 else 0)
            sine = shape.radius * (0 if turn % 2 == 0 else 2 - turn)
            place = add_scaled(add_scaled(rim, cosine, u), sine, v)
            count = _touch(shape, feature + turn, place, 0.0, height, near, points, count)
    return count


@kernel
def _touch_with_many(corners, shape, body, height, near, points, count):
    """Of many corners the lowest, and for seven more directions around it the one that lies farthest out and deep.

    The directions turn with the body, so that the same corners hold it while it spins. Depth counts fourfold.
    """
    R = load9(body.rotation)
    ahead = axis_x(R) if abs(R[6]) < 0.9 else axis_y(R)
    first = count
    for turn in range(-1, MOST - 1):
        angle = turn * (2.0 * math.pi / (MOST - 1))
        share = 0.0 if turn < 0 else 1.0
        c, s = share * math.cos(angle), share * math.sin(angle)
        out = (c * ahead[0] - s * ahead[1], s * ahead[0] + c * ahead[1], -4.0)
        best, chosen = -math.inf, -1
        down = unrotate(R, out)  # so that corners need not be turned
        for k in range(shape.start, shape.end):
            score = down[0] * corners[k, 0] + down[1] * corners[k, 1] + down[2] * corners[k, 2]
            if score > best:
                best, chosen = score, k
        feature = chosen - shape.start
        known = False
        for number in range(first, min(count, len(points))):
            known = known or points[number].feature == feature
        if not known:
            place = add(load3(body.center), rotate(R, load3(corners[chosen])))
            count = _touch(shape, feature, place, 0.0, height, near, points, count)
    return count
