# SPDX-License-Identifier: GPL-3.0-or-later
"""Meshes that are touched from one side only, the one that their faces look to, and bodies that start on the other.

A plane that was turned over, or a cube that is meant as a room, lets everything through, and nothing else shows why.
"""

import numpy as np
from mathutils import Vector
from mathutils.bvhtree import BVHTree

from ...solver.mechanism.bodies import Mesh
from ...solver.model.touching import Touching
from ..owner import is_dynamic
from ..read.reading import BodyBinding, Reading
from .contact_start import Placed, placed_shapes

FLIP = "select them in Edit Mode and take Mesh > Normals > Flip"
RECALCULATE = "select all in Edit Mode and take Mesh > Normals > Recalculate Outside"


def warn_of_sides(reading: Reading) -> None:
    """Tell of meshes whose faces look now this way, now that, and of bodies that would fall through one from behind."""
    touching = Touching(reading.mechanism)
    numbered = [
        (i, binding, placed_shapes(binding.body)) for i, binding in enumerate(reading.bodies) if binding.body.shapes
    ]
    meshes = [
        (i, binding, placed)
        for i, binding, shapes in numbered
        for placed in shapes
        if isinstance(placed[0], Mesh) and not is_dynamic(binding.object)
    ]
    for _, binding, (shape, _, _) in meshes:
        if not is_one_sided(np.array(shape.triangles)):
            reading.warn(binding.object, f"has faces that look to different sides, and what comes from behind falls "
                                      f"through: {RECALCULATE}")  # fmt: skip
    gravity = Vector(reading.mechanism.gravity)
    if not gravity.length or not meshes:
        return
    trees = [(i, binding, _tree(placed)) for i, binding, placed in meshes]
    ground = reading.mechanism.contact.ground
    lowest = -np.inf if ground is None else ground.height
    held = _held(reading)
    for i, binding, shapes in numbered:
        if is_dynamic(binding.object) and binding.body.name not in held:
            met = [(other, tree) for j, other, tree in trees if touching.may_touch(i, j)]
            _warn_of_back(reading, binding, shapes, met, gravity, lowest)


def is_one_sided(triangles: np.ndarray) -> bool:
    """True if no two triangles (T, 3) that alone share an edge pass it the same way."""
    edges = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
    name = edges.min(axis=1) * (edges.max() + 1) + edges.max(axis=1)
    _, edge, count = np.unique(name, return_inverse=True, return_counts=True)
    forward = np.bincount(edge, edges[:, 0] < edges[:, 1], len(count))
    return not np.any((count == 2) & (forward != 1))


def _held(reading: Reading) -> set[str]:
    """Names of bodies that a joint holds on to what does not fall."""
    still = {None} | {binding.body.name for binding in reading.bodies if not is_dynamic(binding.object)}
    sides = [(joint.parent, joint.child) for joint in reading.mechanism.joints]
    return {two for one, two in sides if one in still} | {one for one, two in sides if two in still}


def _tree(placed: Placed) -> BVHTree:
    shape, turn, place = placed
    return BVHTree.FromPolygons((np.array(shape.points) @ turn.T + place).tolist(), shape.triangles, all_triangles=True)


def _warn_of_back(
    reading: Reading,
    binding: BodyBinding,
    shapes: list[Placed],
    met: list[tuple[BodyBinding, BVHTree]],
    gravity: Vector,
    lowest: float,
) -> None:
    """Looks from the middle of each shape along gravity: the first face of a mesh there must look back."""
    for placed in shapes:
        hits = [(other, *tree.ray_cast(_middle(placed), gravity)) for other, tree in met]
        hits = [hit for hit in hits if hit[1] is not None]
        if hits:
            below, place, normal, _, _ = min(hits, key=lambda hit: hit[4])
            if normal.dot(gravity) > 0.0 and place.z > lowest:
                reading.warn(
                    binding.object,
                    f"starts behind the faces of {below.object.name} that are below it, and will fall through them: "
                    f"they are touched only from the side that they look to; {FLIP}, or move one of the two",
                )
                return


def _middle(placed: Placed) -> Vector:
    shape, turn, place = placed
    points = getattr(shape, "points", None)
    return Vector(place if points is None else turn @ np.mean(points, axis=0) + place)
