# SPDX-License-Identifier: GPL-3.0-or-later
"""Compiles what finds the points between bodies, or loads it from the cache, before a run needs it."""

import numpy as np

from ..mechanism.bodies import Box, Capsule, Cylinder, Mesh, Shape
from ..model.arrays import MOVING_BODY, records
from ..model.collision_shapes import Part
from .detection.collision import Collision
from .detection.face_manifold import faces_of
from .detection.points import POINT
from .impulses.workspace import CONTACT

_BOX = Box(half_size=(0.5, 0.5, 0.5))
_CAN = Cylinder(radius=0.5, half_length=0.5)
_TRIANGLE = Mesh(points=((-1.0, -1.0, 0.5), (1.0, -1.0, 0.5), (0.0, 1.0, 0.5)), triangles=((0, 1, 2),))
_OVERLAP = 0.01  # m
_ROOM = 100  # points


def find_points(shapes: set[type[Shape]]) -> None:
    """Asks for the points of two bodies for each kind of scene that such shapes make."""
    pairs = [(_BOX, _BOX)]
    if shapes & {Capsule, Cylinder}:
        pairs.append((_BOX, _CAN))
    if Mesh in shapes:
        pairs += [(_TRIANGLE, _BOX), (_TRIANGLE, _CAN)] if shapes & {Capsule, Cylinder} else [(_TRIANGLE, _BOX)]
    bodies = records(2, MOVING_BODY)
    bodies.rotation[:] = np.eye(3).ravel()
    bodies.center[1, 2] = 1.0 - _OVERLAP
    for pair in pairs:
        parts = [Part(k, "", shape, np.eye(3), np.zeros(3)) for k, shape in enumerate(pair)]
        search, points = Collision(parts, 1, set(), faces_of(parts)), records(_ROOM, POINT)
        touched = records(2, CONTACT)  # fields of a single one would lie as nothing else does: without a gap
        touched.part[0] = 0, 1
        search.find(bodies, np.full(2, _OVERLAP), points, 0, touched, 1)
