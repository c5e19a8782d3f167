# SPDX-License-Identifier: GPL-3.0-or-later
"""Volume, centre of mass and inertia of a body from its mesh.

For a closed mesh they are exact: the integrals of 1, x and x x^T over the solid are sums over the tetrahedra that the
triangles span with one common point (Tonon 2004). A solid may have several pieces and cavities, with normals pointing
either way; an open mesh is replaced by its convex hull. Mechanisms have many equal parts: a mesh that was met before,
under whatever name and at whatever scale, is not summed up again.
"""

import hashlib
from typing import NamedTuple

import bmesh
import bpy
import numpy as np


class Solid(NamedTuple):
    """A solid of density 1: volume, centre of mass (3,), integral of x x^T (3, 3) about that.

    `is_closed` false means that the mesh is open and the numbers are those of the convex hull.
    """

    volume: float
    center_of_mass: np.ndarray
    second_moment: np.ndarray
    is_closed: bool

    @property
    def inertia(self) -> np.ndarray:
        """Inertia (3, 3) about the centre of mass."""
        return np.trace(self.second_moment) * np.eye(3) - self.second_moment

    def mapped(self, linear: np.ndarray) -> "Solid":
        """The solid with all its points mapped by `linear` (3, 3). Raises NoVolumeError if that makes it flat."""
        share = abs(np.linalg.det(linear))
        volume, second = share * self.volume, share * (linear @ self.second_moment @ linear.T)
        if not volume**2.5 > FLAT * (12.0 * np.trace(second)) ** 1.5:  # for a box that is volume > FLAT * diagonal**3
            raise NoVolumeError("is flat or encloses no volume")
        return Solid(volume, linear @ self.center_of_mass, second, self.is_closed)


class NoVolumeError(ValueError):
    """The mesh encloses nothing; the text says why, as the end of a sentence about the object ("has no faces")."""


WITH_MESH = {"MESH", "CURVE", "SURFACE", "META", "FONT"}
"""Types of objects that have a mesh once they are evaluated."""

FLAT = 1e-9
"""A volume below this times the cube of the mesh's size is rounding, not volume."""


def solid_of_object(evaluated: bpy.types.Object, linear: np.ndarray, known: dict[bytes, Solid]) -> Solid:
    """The solid enclosed by an evaluated object's mesh, its points mapped by `linear` (3, 3) from local coordinates.

    `known` keeps the solids of meshes, before they are mapped, for the next call. Raises NoVolumeError if there is no
    mesh, or if it is flat.
    """
    if evaluated.type not in WITH_MESH:
        raise NoVolumeError("has no mesh")
    try:
        mesh = evaluated.to_mesh()
        points, triangles = mesh_arrays(mesh)
        content = hashlib.sha256(points)
        content.update(triangles)
        key = content.digest()
        if key not in known:
            known[key] = _solid_of_mesh(mesh, points.astype(np.float64), triangles.astype(np.int64))
    finally:
        evaluated.to_mesh_clear()
    return known[key].mapped(np.asarray(linear, dtype=np.float64))


def solid_of_triangles(points: np.ndarray, triangles: np.ndarray) -> Solid:
    """The solid enclosed by `triangles` (T, 3) over `points` (N, 3); if they do not close, that of the convex hull."""
    closed = boundary_is_empty(triangles)
    if not closed:
        points, triangles = convex_hull(points)
    origin = _origin(points)
    points = points - origin
    pieces = loose_pieces(triangles, len(points))
    sums = [_moments(points, piece) for piece in pieces]
    signs = _piece_signs(points, pieces, np.array([volume for volume, _, _ in sums]))
    volume = sum(sign * v for sign, (v, _, _) in zip(signs, sums, strict=True))
    size = np.ptp(points[np.unique(triangles)], axis=0).max()
    if not volume > FLAT * size**3:
        raise NoVolumeError("is flat or encloses no volume")
    first = sum(sign * f for sign, (_, f, _) in zip(signs, sums, strict=True))
    second = sum(sign * s for sign, (_, _, s) in zip(signs, sums, strict=True))
    center = first / volume
    return Solid(float(volume), center + origin, second - volume * np.outer(center, center), closed)


def boundary_is_empty(triangles: np.ndarray) -> bool:
    """True if every edge is passed as often one way as the other: then the volume is well defined."""
    edges = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]]).astype(np.int64)
    count = edges.max(initial=0) + 1
    forward = edges[:, 0] < edges[:, 1]
    low, high = edges.min(axis=1), edges.max(axis=1)
    edge = low * count + high
    return np.array_equal(np.sort(edge[forward]), np.sort(edge[~forward]))


def convex_hull(points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Points (N, 3) and outward triangles of their convex hull. Raises NoVolumeError if they lie in a plane."""
    from scipy.spatial import ConvexHull, QhullError

    try:
        hull = ConvexHull(points)
    except (QhullError, ValueError) as error:
        raise NoVolumeError("is flat or encloses no volume") from error
    triangles = hull.simplices.astype(np.int64)
    a, b, c = (points[triangles[:, i]] for i in range(3))
    inward = np.einsum("ti,ti->t", np.cross(b - a, c - a), hull.equations[:, :3]) < 0.0
    triangles[inward] = triangles[inward][:, ::-1]
    return points, triangles


def mesh_arrays(mesh: bpy.types.Mesh) -> tuple[np.ndarray, np.ndarray]:
    """Points (N, 3) and triangles (T, 3) in Blender's own precision."""
    mesh.calc_loop_triangles()
    points = np.empty((len(mesh.vertices), 3), dtype=np.float32)
    mesh.vertices.foreach_get("co", points.ravel())
    triangles = np.empty((len(mesh.loop_triangles), 3), dtype=np.int32)
    mesh.loop_triangles.foreach_get("vertices", triangles.ravel())
    return points, triangles


def _solid_of_mesh(mesh: bpy.types.Mesh, points: np.ndarray, triangles: np.ndarray) -> Solid:
    if len(triangles) == 0:
        raise NoVolumeError("has no faces")
    if not boundary_is_empty(triangles):
        triangles = _with_consistent_normals(mesh)
    return solid_of_triangles(points, triangles)


def _with_consistent_normals(mesh: bpy.types.Mesh) -> np.ndarray:
    """The triangles of a mesh after "Recalculate Outside", for closed meshes with some faces turned over."""
    work = bmesh.new()
    try:
        work.from_mesh(mesh)
        bmesh.ops.recalc_face_normals(work, faces=work.faces)
        triangles = [[loop.vert.index for loop in corner] for corner in work.calc_loop_triangles()]
    finally:
        work.free()
    return np.array(triangles, dtype=np.int64).reshape(-1, 3)


def _origin(points: np.ndarray) -> np.ndarray:
    """A point in the middle, so that a mesh far from its object's origin loses no digits."""
    return 0.5 * (points.min(axis=0) + points.max(axis=0))


def loose_pieces(triangles: np.ndarray, count: int) -> list[np.ndarray]:
    """The triangles of each connected piece, of `count` points.

    Each piece goes by its least point. Triangles between two groups of points join these, until none is left.
    """
    label = np.arange(count)
    between = triangles
    while len(between):
        np.minimum.at(label, between, between.min(axis=1)[:, None])
        while (label[label] != label).any():
            label = label[label]
        between = label[between]
        between = between[(between != between[:, :1]).any(axis=1)]
    labels = label[triangles[:, 0]]
    order = np.argsort(labels, kind="stable")
    return np.split(triangles[order], np.flatnonzero(np.diff(labels[order])) + 1)


def _moments(points: np.ndarray, triangles: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
    """Signed integrals of 1, x (3,) and x x^T (3, 3) over the inside of one piece."""
    a, b, c = (points[triangles[:, i]] for i in range(3))
    six_volumes = np.einsum("ti,ti->t", a, np.cross(b, c))
    total = a + b + c
    first = six_volumes @ total / 24.0
    second = sum(np.einsum("t,ti,tj->ij", six_volumes, x, x) for x in (a, b, c, total)) / 120.0
    return float(six_volumes.sum() / 6.0), first, second


def _piece_signs(points: np.ndarray, pieces: list[np.ndarray], volumes: np.ndarray) -> np.ndarray:
    """+-1 per piece, so that solids count as positive and cavities as negative whichever way the normals point.

    A piece that lies inside a larger one of the opposite orientation is a cavity of it; any other piece is a solid.
    """
    signs = np.where(volumes < 0.0, -1.0, 1.0)
    if len(pieces) == 1 or len(pieces) > MOST_NESTED_PIECES or len(set(signs)) == 1:
        return signs
    is_cavity = np.zeros(len(pieces), dtype=bool)
    boxes = [(points[piece].min(axis=(0, 1)), points[piece].max(axis=(0, 1))) for piece in pieces]
    for inner in range(len(pieces)):
        corner = points[pieces[inner][0, 0]]
        for outer in range(len(pieces)):
            if signs[outer] == signs[inner] or abs(volumes[outer]) <= abs(volumes[inner]):
                continue
            low, high = boxes[outer]
            if (corner > low).all() and (corner < high).all() and _winding(corner, points[pieces[outer]]):
                is_cavity[inner] = True
                break
    return np.where(is_cavity, -signs, signs)


MOST_NESTED_PIECES = 200
"""With more pieces than this (gravel, leaves) every piece counts as solid: the search for cavities is quadratic."""


def _winding(point: np.ndarray, corners: np.ndarray) -> bool:
    """True if a closed surface of triangles (T, 3, 3) goes around the point.

    Their solid angles (van Oosterom and Strackee 1983) then sum to 4 pi.
    """
    a, b, c = (corners[:, i] - point for i in range(3))
    la, lb, lc = (np.linalg.norm(x, axis=1) for x in (a, b, c))
    triple = np.einsum("ti,ti->t", a, np.cross(b, c))
    dots = [np.einsum("ti,ti->t", x, y) for x, y in ((a, b), (b, c), (c, a))]
    angle = 2.0 * np.arctan2(triple, la * lb * lc + dots[0] * lc + dots[1] * la + dots[2] * lb)
    return abs(angle.sum()) > 2.0 * np.pi
