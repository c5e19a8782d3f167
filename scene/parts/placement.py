# SPDX-License-Identifier: GPL-3.0-or-later
"""Places of joints: frames at the cursor or at an object, nearest points of two meshes, the order of a chain.

Everything here is in world coordinates and takes the meshes as the dependency graph evaluates them.
"""

import heapq
from collections.abc import Sequence
from typing import NamedTuple

import bpy
import numpy as np
from mathutils import Matrix, Vector
from mathutils.bvhtree import BVHTree

from ..owner import Owner

FARTHEST = 1e12  # m: squares of more are too much for Blender's single precision
MAX_SEEDS = 5000  # vertices of a mesh that are tried as starting points; a denser mesh is thinned out
REFINED_SEEDS = 16
MAX_CROSSINGS = 5000
CONTACT = 1e-4  # points nearer than this part of the smaller body's size touch, as where faces lie on each other
TIE = 0.01  # pairs of points count as equally near within this part of the smaller body's size


class Outline(NamedTuple):
    """A mesh in world coordinates, ready for questions about distances.

    points: (n, 3) vertices; triangles: (m, 3) indices, in which loose edges and vertices are triangles without area.
    """

    points: np.ndarray
    triangles: np.ndarray
    tree: BVHTree
    low: np.ndarray
    high: np.ndarray

    @property
    def middle(self) -> np.ndarray:
        """Middle of the bounding box."""
        return 0.5 * (self.low + self.high)

    @property
    def size(self) -> float:
        """Largest side of the bounding box."""
        return float(np.max(self.high - self.low))

    @property
    def volume(self) -> float:
        """Volume of the mesh if it is closed; half its bounding box if it looks open or flat."""
        a, b, c = (self.points[self.triangles[:, i]] - self.middle for i in range(3))
        enclosed = abs(float(np.sum(a * np.cross(b, c)))) / 6.0
        box = float(np.prod(self.high - self.low))
        return enclosed if enclosed > 0.01 * box else 0.5 * box


def outline(ob: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> Outline:
    """The evaluated mesh of an object; its origin alone if there is nothing in it.

    What is nowhere (not a number) counts as at the world's origin, and what is beyond FARTHEST as there.
    """
    evaluated = ob.evaluated_get(depsgraph)
    matrix = np.array(evaluated.matrix_world)
    points, triangles = _geometry(evaluated)
    points = np.nan_to_num(points @ matrix[:3, :3].T + matrix[:3, 3]).clip(-FARTHEST, FARTHEST)
    tree = BVHTree.FromPolygons(points, triangles, all_triangles=True)
    return Outline(points, triangles, tree, points.min(axis=0), points.max(axis=0))


def _geometry(evaluated: bpy.types.Object) -> tuple[np.ndarray, np.ndarray]:
    """Local vertices and triangles, with loose edges as (a, b, a) and loose vertices as (a, a, a)."""
    mesh = evaluated.to_mesh() if evaluated.type in {"MESH", "SURFACE"} else None
    if mesh is None or not mesh.vertices:
        return np.zeros((1, 3)), np.zeros((1, 3), int)
    points = _array(mesh.vertices, "co", 3, np.float32).astype(float)
    mesh.calc_loop_triangles()
    faces = _array(mesh.loop_triangles, "vertices", 3, np.int32)
    edges = _array(mesh.edges, "vertices", 2, np.int32)
    loose = edges[_array(mesh.edges, "is_loose", 1, np.bool_)[:, 0]]
    alone = np.setdiff1d(np.arange(len(points)), edges)
    evaluated.to_mesh_clear()
    return points, np.concatenate([faces, loose[:, [0, 1, 0]], np.stack([alone] * 3, axis=1)])


def _array(collection: bpy.types.bpy_prop_collection, name: str, width: int, kind: type) -> np.ndarray:
    values = np.empty(len(collection) * width, kind)
    collection.foreach_get(name, values)
    return values.reshape(-1, width)


def nearest_points(a: Outline, b: Outline) -> tuple[Vector, Vector]:
    """The point of `a` nearest to `b` and the point of `b` nearest to `a`.

    Where many pairs are equally near (two faces opposite each other), the middle of them. Where the surfaces cross
    or touch, the middle of their intersection, twice.
    """
    pairs = _seed_pairs(a, b) + [(d, p, q) for d, q, p in _seed_pairs(b, a)]
    size = min((size for size in (a.size, b.size) if size > 0.0), default=0.0)
    crossing = _crossing_points(a, b)
    if len(crossing):
        touching = [p for distance, p, _ in pairs if distance <= CONTACT * size]
        middle = Vector(_middle([*crossing, *touching]))
        return middle, middle.copy()
    pairs += [_refined(a, b, q) for _, _, q in heapq.nsmallest(REFINED_SEEDS, pairs, key=lambda pair: pair[0])]
    reach = min(distance for distance, _, _ in pairs) + TIE * size
    tied = [(p, q) for distance, p, q in pairs if distance <= reach]
    return Vector(_middle([p for p, _ in tied])), Vector(_middle([q for _, q in tied]))


def _middle(points: Sequence[Sequence[float]]) -> np.ndarray:
    """Middle of the points' bounding box: unlike their mean, it does not lean to where vertices are dense."""
    points = np.asarray(points)
    return 0.5 * (points.min(axis=0) + points.max(axis=0))


def _seed_pairs(a: Outline, b: Outline) -> list[tuple[float, Vector, Vector]]:
    """(distance, vertex of a, nearest point of b) for the vertices of `a`, or an even selection of them."""
    pairs = []
    for point in a.points[:: 1 + len(a.points) // MAX_SEEDS].tolist():
        nearest, _, _, distance = b.tree.find_nearest(point)
        pairs.append((distance, Vector(point), nearest))
    return pairs


def _refined(a: Outline, b: Outline, q: Vector) -> tuple[float, Vector, Vector]:
    """From a point of `b`, project back and forth until the pair settles: finds where edges cross each other."""
    settled = np.inf
    for _ in range(100):
        p = a.tree.find_nearest(q)[0]
        q, _, _, distance = b.tree.find_nearest(p)
        if distance > settled * (1.0 - 1e-6):
            break
        settled = distance
    return distance, p, q


def _crossing_points(a: Outline, b: Outline) -> np.ndarray:
    """(k, 3) points where edges of one mesh go through triangles of the other."""
    pairs = np.array(a.tree.overlap(b.tree), dtype=int).reshape(-1, 2)
    pairs = pairs[:: 1 + len(pairs) // MAX_CROSSINGS]
    first, second = a.points[a.triangles[pairs[:, 0]]], b.points[b.triangles[pairs[:, 1]]]
    found = [_edges_through(first, second), _edges_through(second, first)]
    return np.concatenate(found)


def _edges_through(edges: np.ndarray, faces: np.ndarray) -> np.ndarray:
    """Points at which the three edges of each triangle (n, 3, 3) cross that of the same index (Moeller 1997)."""
    found = []
    side_1, side_2 = faces[:, 1] - faces[:, 0], faces[:, 2] - faces[:, 0]
    for i in range(3):
        start, along = edges[:, i], edges[:, (i + 1) % 3] - edges[:, i]
        normal = np.cross(along, side_2)
        determinant = np.sum(side_1 * normal, axis=1)
        inverse = 1.0 / np.where(np.abs(determinant) > 1e-30, determinant, np.inf)
        offset = start - faces[:, 0]
        u = inverse * np.sum(offset * normal, axis=1)
        across = np.cross(offset, side_1)
        v = inverse * np.sum(along * across, axis=1)
        t = inverse * np.sum(side_2 * across, axis=1)
        hit = (inverse != 0.0) & (u >= 0.0) & (v >= 0.0) & (u + v <= 1.0) & (t >= 0.0) & (t <= 1.0)
        found.append(start[hit] + t[hit, None] * along[hit])
    return np.concatenate(found)


def silhouette_area(shape: Outline) -> float:
    """Mean area (m2) that the body shows from all sides: a quarter of its convex hull's surface (Cauchy 1841)."""
    sides = shape.high - shape.low
    box = 0.5 * float(sides[0] * sides[1] + sides[1] * sides[2] + sides[2] * sides[0])
    if float(np.prod(sides)) <= 1e-9 * shape.size**3:
        return box
    try:
        from scipy.spatial import ConvexHull, QhullError
    except ImportError:
        return box
    try:
        return 0.25 * float(ConvexHull(shape.points).area)
    except (QhullError, ValueError):
        return box


def lower_corners(body: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> list[Vector]:
    """The four lowest corners, in the world, of the box that encloses a body along its own axes."""
    evaluated = body.evaluated_get(depsgraph)
    corners = [evaluated.matrix_world @ Vector(corner) for corner in evaluated.bound_box]
    return sorted(corners, key=lambda corner: corner.z)[:4]


def is_wide(shape: Outline) -> bool:
    """True if the body is wider than high, so that it stands on its corners rather than on a point."""
    sides = shape.high - shape.low
    return bool(max(sides[0], sides[1]) > 1.01 * sides[2])


def below(shape: Outline, point: Vector) -> Vector:
    """The point lowered, or raised, to the lowest one of the body."""
    return Vector((point.x, point.y, shape.low[2]))


def nearest_to(shape: Outline, point: Vector) -> Vector:
    """The point of the surface nearest to a point; the middle if either is at no place, or endlessly far away."""
    found = shape.tree.find_nearest(point)[0]
    return Vector(shape.middle) if found is None else found


def wheel_of(body: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> tuple[Vector, float, float]:
    """(axle in the world, radius, width) of a wheel: across the two sides of its box that are the most alike."""
    evaluated = body.evaluated_get(depsgraph)
    corners = np.array(evaluated.bound_box)
    stretch = Owner(body).matrix.to_scale()
    sides = (corners.max(axis=0) - corners.min(axis=0)) * np.abs(np.array(stretch))
    k = min(range(3), key=lambda i: abs(sides[i - 1] - sides[i - 2]))
    axle = Owner(body).matrix.to_3x3().col[k].normalized()
    # from the left over the right side, or the other way round, as the world's axes go
    axle = axle if max(axle, key=abs) > 0.0 else -axle
    return axle, 0.25 * float(sides[k - 1] + sides[k - 2]), float(sides[k])


def two_ends(
    location: str,
    body: bpy.types.Object,
    other: bpy.types.Object | None,
    shapes: dict[bpy.types.Object, Outline],
    cursor: Vector,
) -> tuple[Vector, Vector, bool]:
    """Ends of a spring or a rod between two bodies (None: from a body to the cursor), after `location`.

    Ends that would coincide are put elsewhere, and the third value is True.
    """
    start, end = _chosen_ends(location, body, other, shapes, cursor)
    if (end - start).length >= 1e-4 * shapes[body].size:
        return start, end, False
    return Vector(shapes[body].middle), Vector(shapes[other].middle) if other else end, True


def _chosen_ends(location, body, other, shapes, cursor: Vector) -> tuple[Vector, Vector]:
    if other is None:
        start = Owner(body).place
        return (start if location == "ORIGIN" else nearest_to(shapes[body], cursor)), cursor
    if location == "NEAREST":
        return nearest_points(shapes[body], shapes[other])
    if location == "CURSOR":
        return cursor, nearest_to(shapes[other], cursor)
    return Owner(body).place, Owner(other).place


def chain_order(first: bpy.types.Object, outlines: dict[bpy.types.Object, Outline]) -> list[bpy.types.Object]:
    """The objects in a walk from `first` that always goes on to the one nearest to the last.

    Nearness is the gap between the surfaces; among those that touch, the distance of the middles decides.
    """
    order, left = [first], [ob for ob in outlines if ob != first]
    while left:
        order.append(_nearest_object(outlines[order[-1]], left, outlines))
        left.remove(order[-1])
    return order


def _nearest_object(
    here: Outline, candidates: list[bpy.types.Object], outlines: dict[bpy.types.Object, Outline]
) -> bpy.types.Object:
    """Bounding boxes come first: a mesh is only looked at if its box is nearer than the best mesh so far."""
    boxes = sorted((_box_gap(here, outlines[ob]), i) for i, ob in enumerate(candidates))
    best = (np.inf, np.inf, 0)
    for box_gap, i in boxes:
        if box_gap > best[0]:
            break
        there = outlines[candidates[i]]
        between = float(np.linalg.norm(here.middle - there.middle))
        best = min(best, (_gap(here, there), between, i))
    return candidates[best[2]]


def _box_gap(a: Outline, b: Outline) -> float:
    return float(np.linalg.norm(np.maximum(0.0, np.maximum(a.low - b.high, b.low - a.high))))


def _gap(a: Outline, b: Outline) -> float:
    """Distance of the surfaces; 0 below a thousandth of the smaller body, where the order would be chance."""
    p, q = nearest_points(a, b)
    distance = (p - q).length
    return distance if distance > 1e-3 * min(a.size, b.size) else 0.0


def turned_to(axis: str, context: bpy.types.Context, ends: tuple[Vector, Vector] | None) -> Matrix:
    """3x3 rotation whose Z axis is the one chosen from AXES; `ends` are the middles of the two bodies, for LINE."""
    if axis == "CURSOR":
        return context.scene.cursor.matrix.to_3x3().normalized()
    if axis == "ACTIVE" and context.active_object is not None:
        return rigid(context.active_object.matrix_world).to_3x3()
    if axis == "LINE" and ends is not None and (ends[1] - ends[0]).length > 0.0:
        return (ends[1] - ends[0]).to_track_quat("Z", "Y").to_matrix()
    columns = {"X": ((0, 1, 0), (0, 0, 1), (1, 0, 0)), "Y": ((0, 0, 1), (1, 0, 0), (0, 1, 0))}.get(axis)
    return Matrix.Identity(3) if columns is None else Matrix(columns).transposed()


def rigid(matrix: Matrix) -> Matrix:
    """The matrix without its scale, mirroring and shear: Z keeps its direction, X its half-plane."""
    z = matrix.col[2].to_3d().normalized()
    x = matrix.col[0].to_3d()
    x = (x - x.dot(z) * z).normalized()
    if not z.length or not x.length:
        return Matrix.Translation(matrix.translation)
    rotation = Matrix((x, z.cross(x), z)).transposed()
    return Matrix.Translation(matrix.translation) @ rotation.to_4x4()
