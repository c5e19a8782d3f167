# SPDX-License-Identifier: GPL-3.0-or-later
"""Depths of overlaps in recorded poses, by geometry that the engine does not use: distances of convex shapes by
MuJoCo's signed distance (its own collision detection and ours, which correct each other, are not asked), the ground by
how far shapes reach, meshes by the nearest triangle.

`size` of an overlap is the shortest way through the thinner one of the two shapes.
"""

from __future__ import annotations

from itertools import product
from typing import NamedTuple

import numpy as np
from scipy.spatial import ConvexHull
from scipy.spatial.transform import Rotation

from solver import Mechanism, Recording
from solver.mechanism import Body, Box, Capsule, Cylinder, Hull, Material, Mesh, Shape, Sphere
from solver.model.poses import body_pose

try:
    import mujoco
except ImportError:
    mujoco = None  # then bodies do not touch each other at all

ON_MESHES = 120  # a second
APART = 1e-6  # of a thickness: what the starts of scenes may overlap by rounding
NEAR = 1e-4  # of a size: what is farther apart is not looked at
DEEP, ASIDE = 0.01, 1e-6  # of a size: overlaps that are asked about twice, and how far aside


class Overlap(NamedTuple):
    """Depth (m), that over the size, time (s), and the names of the two; the ground has none."""

    depth: float = 0.0
    part: float = 0.0
    time: float = 0.0
    one: str = ""
    other: str = ""


class Touch(NamedTuple):
    """A touch or overlap of two bodies: their numbers, -1 for the ground, and the normal from one to the other."""

    one: int
    other: int
    point: np.ndarray
    normal: np.ndarray
    friction: float


class Overlaps:
    """Measures the overlaps of a mechanism's bodies in given poses."""

    def __init__(self, mechanism: Mechanism) -> None:
        self._mechanism = mechanism
        parts = [(b, shape) for b, body in enumerate(mechanism.bodies) for shape in body.shapes]
        self._convex = [(b, shape) for b, shape in parts if not isinstance(shape, Mesh)]
        self._body = np.array([b for b, _ in self._convex], int)
        self._size = np.array([_thickness(shape) for _, shape in self._convex])
        self._place = np.array([shape.position for _, shape in self._convex]).reshape(-1, 3)
        self._turn = _rotation([shape.orientation for _, shape in self._convex])
        self._number = {body.name: k for k, body in enumerate(mechanism.bodies)}
        self._is_dynamic = np.array([body.motion == "dynamic" for body in mechanism.bodies])
        self._model, self._middle = _model([shape for _, shape in self._convex])
        self._data = mujoco.MjData(self._model)
        self._radius = self._model.geom_rbound.copy()
        self._pairs = self._find_pairs()
        self._meshes = [(b, _Triangles(shape)) for b, shape in parts if isinstance(shape, Mesh)]
        self._outside: set[tuple[int, int]] = set()  # shapes that have come off the area above a mesh

    def _find_pairs(self) -> np.ndarray:
        apart = _apart(self._mechanism)
        count = len(self._convex)
        one, other = np.triu_indices(count, 1)
        a, b = self._body[one], self._body[other]
        may = (a != b) & (self._is_dynamic[a] | self._is_dynamic[b]) & ~apart[a, b]
        return np.stack([one[may], other[may]], axis=1)

    def over(self, recording: Recording) -> tuple[Overlap, np.ndarray]:
        """The deepest of all frames, by its part of a size, and (F, B) m how deep bodies are in others, added up.

        Meshes are asked at every so many-th frame, and count as they were until the next.
        """
        self._outside.clear()
        count = len(recording.times)
        every = max(1, round((count - 1) / max(1e-9, recording.times[-1] * ON_MESHES)))
        found, depth, on_meshes = Overlap(), np.zeros((count, len(self._is_dynamic))), []
        for frame, row in enumerate(depth):
            poses = recording.position[frame], recording.orientation[frame], float(recording.times[frame])
            here = self._convex_at(*poses)
            on_meshes = self._meshes_at(*poses) if frame % every == 0 else on_meshes
            for overlap in (*here, *on_meshes):
                found = max(found, overlap, key=lambda each: each.part)
                for name in (overlap.one, overlap.other):
                    if name:
                        row[self._number[name]] += overlap.depth
        return found, depth

    def at(self, position: np.ndarray, orientation: np.ndarray, time: float = 0.0) -> list[Overlap]:
        """All of one frame. position (B, 3), orientation (B, 4)."""
        return [*self._convex_at(position, orientation, time), *self._meshes_at(position, orientation, time)]

    def touching(self, position: np.ndarray, orientation: np.ndarray) -> list[Touch]:
        """Touches of convex shapes with each other, at one point each, and the ground, with their corners or ends."""
        place, turn, _ = self._placed(position, orientation)
        matrix = turn.as_matrix()
        self._data.geom_xpos[:] = place + np.einsum("gij,gj->gi", matrix, self._middle)
        self._data.geom_xmat[:] = matrix.reshape(-1, 9)
        found, ends = [], np.zeros(6)
        for i, j in self._pairs:
            size = min(self._size[i], self._size[j])
            distance = mujoco.mj_geomDistance(self._model, self._data, int(i), int(j), NEAR * size, ends)
            way = ends[3:] - ends[:3] if distance > 0.0 else ends[:3] - ends[3:]
            if distance < NEAR * size and np.linalg.norm(way) > 0.0:
                one, other = int(self._body[i]), int(self._body[j])
                middle, normal = 0.5 * (ends[:3] + ends[3:]), way / np.linalg.norm(way)
                found.append(Touch(one, other, middle, normal, self._friction(one, other)))
        ground = self._mechanism.contact.ground
        for k, (b, shape) in enumerate(self._convex) if ground is not None else ():
            points, radius = _skeleton(shape)
            for point in place[k] + turn[k].apply(points) - (0.0, 0.0, radius):
                if point[2] < ground.height + NEAR * self._size[k] and self._is_dynamic[b]:
                    found.append(Touch(-1, b, point, np.array((0.0, 0.0, 1.0)), self._friction(b, -1)))
        return found

    def _friction(self, one: int, other: int) -> float:
        """The geometric mean of two bodies'; -1 is the ground."""
        bodies = self._mechanism.bodies
        of = [self._mechanism.contact.ground if k < 0 else bodies[k].material or Material() for k in (one, other)]
        return float(np.sqrt(of[0].friction * of[1].friction))

    def _placed(self, position: np.ndarray, orientation: np.ndarray) -> tuple[np.ndarray, Rotation, Rotation]:
        """Places and turns of the shapes, turns of the bodies."""
        bodies = _rotation(orientation)
        own = bodies[self._body]
        return position[self._body] + own.apply(self._place), own * self._turn, bodies

    def _convex_at(self, position: np.ndarray, orientation: np.ndarray, time: float) -> list[Overlap]:
        if not self._convex:
            return []
        place, turn, _ = self._placed(position, orientation)
        return [*self._on_ground(place, turn, time), *self._between(place, turn, time)]

    def _meshes_at(self, position: np.ndarray, orientation: np.ndarray, time: float) -> list[Overlap]:
        if not self._meshes or not self._convex:
            return []
        place, turn, bodies = self._placed(position, orientation)
        found = []
        for mesh, triangles in self._meshes:
            here = bodies[mesh].inv()
            found += self._on_mesh(mesh, triangles, here.apply(place - position[mesh]), here * turn, time)
        return found

    def _on_ground(self, place: np.ndarray, turn: Rotation, time: float) -> list[Overlap]:
        ground = self._mechanism.contact.ground
        if ground is None:
            return []
        down = -turn.as_matrix()[:, 2]  # in each shape's axes
        found = []
        for k, (b, shape) in enumerate(self._convex):
            depth = ground.height - place[k, 2] + _reach(shape, down[k])
            if depth > 0.0 and self._is_dynamic[b]:
                found.append(Overlap(depth, depth / self._size[k], time, self._name(b), ""))
        return found

    def _between(self, place: np.ndarray, turn: Rotation, time: float) -> list[Overlap]:
        one, other = self._pairs.T
        matrix = turn.as_matrix()
        middle = place + np.einsum("gij,gj->gi", matrix, self._middle)
        near = np.linalg.norm(middle[one] - middle[other], axis=1) < self._radius[one] + self._radius[other]
        self._data.geom_xpos[:] = middle
        self._data.geom_xmat[:] = matrix.reshape(-1, 9)
        found = []
        for i, j in self._pairs[near]:
            size = min(self._size[i], self._size[j])
            depth = self._depth(int(i), int(j), size)
            if depth > 0.0:
                names = self._name(self._body[i]), self._name(self._body[j])
                found.append(Overlap(depth, depth / size, time, *names))
        return found

    def _depth(self, i: int, j: int, size: float) -> float:
        """m: how deep two shapes overlap.

        MuJoCo is wrong, rarely, where faces lie on each other to the last digit; so what is deep is asked about once
        more, a little aside: no depth changes by more than that.
        """
        depth = -mujoco.mj_geomDistance(self._model, self._data, i, j, NEAR * size, None)
        if depth > DEEP * size:
            aside = ASIDE * size * np.array([0.6, -0.3, 0.74])
            self._data.geom_xpos[i] += aside
            depth = min(depth, -mujoco.mj_geomDistance(self._model, self._data, i, j, NEAR * size, None))
            self._data.geom_xpos[i] -= aside
        return depth

    def _on_mesh(self, mesh: int, triangles: _Triangles, place, turn: Rotation, time: float) -> list[Overlap]:
        found = []
        for k, (b, shape) in enumerate(self._convex):
            if not self._is_dynamic[b] or (k, mesh) in self._outside:
                continue
            points, radius = _skeleton(shape)
            points = place[k] + turn[k].apply(points)
            if not triangles.are_above(place[k : k + 1])[0]:
                self._outside.add((k, mesh))
                continue
            depth = radius - triangles.heights(points, radius + 0.1 * self._size[k])
            deepest = float(depth.max())
            if deepest > 0.0:
                found.append(Overlap(deepest, deepest / self._size[k], time, self._name(b), self._name(mesh)))
        return found

    def _name(self, body: int) -> str:
        return self._mechanism.bodies[body].name


class _Triangles:
    """A mesh whose outer side looks up, in its body's axes."""

    def __init__(self, mesh: Mesh) -> None:
        points = np.array(mesh.points)
        self._corners = points[np.array(mesh.triangles)]  # (T, 3, 3)
        flat = self._corners[:, :, :2]
        self._edges = np.roll(flat, -1, axis=1) - flat

    def are_above(self, points: np.ndarray) -> np.ndarray:
        """(P,) bool: over or under some triangle."""
        return self._over(points).any(axis=1)

    def _over(self, points: np.ndarray) -> np.ndarray:
        arm = points[:, None, None, :2] - self._corners[None, :, :, :2]
        side = self._edges[None, ..., 0] * arm[..., 1] - self._edges[None, ..., 1] * arm[..., 0]
        return (side >= 0.0).all(axis=2)

    def heights(self, points: np.ndarray, most: float) -> np.ndarray:
        """(P,) m: the distance to the mesh, below zero under it; `most` and more may be anything above `most`."""
        lowest, highest = self._corners[..., 2].min(), self._corners[..., 2].max()
        result = np.full(len(points), np.inf)
        near = (points[:, 2] < highest + most) & (points[:, 2] > lowest - 10.0)
        if not near.any():
            return result
        points = points[near]
        over = self._over(points)
        distance = _to_triangles(points, self._corners).min(axis=1)
        a, b, c = self._corners.transpose(1, 0, 2)
        normal = np.cross(b - a, c - a)
        height = np.einsum("ptk,tk->pt", points[:, None] - a[None], normal)
        under = (over & (height < 0.0)).any(axis=1)
        result[near] = np.where(under, -distance, distance)
        result[near] = np.where(over.any(axis=1), result[near], np.inf)
        return result


def _to_triangles(points: np.ndarray, corners: np.ndarray) -> np.ndarray:
    """(P, T) m: distances of points from triangles (T, 3, 3), by the nearest of plane and edges."""
    a, b, c = corners.transpose(1, 0, 2)
    normal = np.cross(b - a, c - a)
    normal = normal / np.linalg.norm(normal, axis=1, keepdims=True)
    arm = points[:, None] - a[None]
    height = np.einsum("ptk,tk->pt", arm, normal)
    inside = np.ones(height.shape, bool)
    nearest = np.full(height.shape, np.inf)
    for start, end in ((a, b), (b, c), (c, a)):
        edge, from_start = end - start, points[:, None] - start[None]
        inside &= np.einsum("ptk,tk->pt", from_start, np.cross(normal, edge)) >= 0.0
        share = np.clip(np.einsum("ptk,tk->pt", from_start, edge) / np.sum(edge**2, axis=1), 0.0, 1.0)
        nearest = np.minimum(nearest, np.linalg.norm(from_start - share[..., None] * edge, axis=2))
    return np.where(inside, np.abs(height), nearest)


def _apart(mechanism: Mechanism) -> np.ndarray:
    """(B, B) bool: joined by a joint (cut later or not), or told to ignore each other."""
    number = {body.name: k for k, body in enumerate(mechanism.bodies)}
    pairs = [*mechanism.contact.ignore, *((joint.parent, joint.child) for joint in mechanism.joints if joint.parent)]
    apart = np.zeros((len(number), len(number)), bool)
    for one, other in pairs:
        apart[number[one], number[other]] = apart[number[other], number[one]] = True
    return apart


def _model(shapes: list[Shape]) -> tuple[mujoco.MjModel, np.ndarray]:
    """Shapes of one body, and (G, 3) where MuJoCo has the middle of each in its own axes."""
    spec, middle, kinds = mujoco.MjSpec(), np.zeros((len(shapes), 3)), mujoco.mjtGeom
    spec.option.ccd_tolerance = 1e-9
    for k, shape in enumerate(shapes):
        match shape:
            case Sphere(radius=radius):
                given = {"type": kinds.mjGEOM_SPHERE, "size": [radius, 0, 0]}
            case Box(half_size=half):
                given = {"type": kinds.mjGEOM_BOX, "size": list(half)}
            case Capsule(radius=radius, half_length=half):
                given = {"type": kinds.mjGEOM_CAPSULE, "size": [radius, half, 0]}
            case Cylinder(radius=radius, half_length=half):
                given = {"type": kinds.mjGEOM_CYLINDER, "size": [radius, half, 0]}
            case _:
                points = np.array(shape.points)
                spec.add_mesh(name=str(k), uservert=points.ravel(), inertia=mujoco.mjtMeshInertia.mjMESH_INERTIA_CONVEX)
                given = {"type": kinds.mjGEOM_MESH, "meshname": str(k)}
        spec.worldbody.add_geom(name=f"shape {k}", **given)
    model = spec.compile()
    for k, shape in enumerate(shapes):
        if isinstance(shape, Hull):
            mesh = model.geom_dataid[k]
            turn = Rotation.from_quat(np.roll(model.mesh_quat[mesh], -1)).as_matrix()
            first, count = model.mesh_vertadr[mesh], model.mesh_vertnum[mesh]
            model.mesh_vert[first : first + count] = model.mesh_vert[first : first + count] @ turn.T
            middle[k] = model.mesh_pos[mesh]
            model.geom_rbound[k] = np.linalg.norm(np.array(shape.points) - middle[k], axis=1).max()
    return model, middle


def _thickness(shape: Shape) -> float:
    """m: the shortest way through."""
    if isinstance(shape, Sphere):
        return 2.0 * shape.radius
    if isinstance(shape, Box):
        return 2.0 * min(shape.half_size)
    if isinstance(shape, Capsule):
        return 2.0 * shape.radius
    if isinstance(shape, Cylinder):
        return 2.0 * min(shape.radius, shape.half_length)
    points = np.array(shape.points)
    normals = ConvexHull(points).equations[:, :3]
    return float(np.ptp(points @ normals.T, axis=0).min())


def _reach(shape: Shape, way: np.ndarray) -> float:
    """m: how far a shape reaches from its origin along a unit vector in its axes."""
    if isinstance(shape, Sphere):
        return shape.radius
    if isinstance(shape, Box):
        return float(np.abs(way) @ shape.half_size)
    if isinstance(shape, Capsule):
        return float(shape.radius + shape.half_length * abs(way[2]))
    if isinstance(shape, Cylinder):
        return float(shape.radius * np.hypot(way[0], way[1]) + shape.half_length * abs(way[2]))
    return float((np.array(shape.points) @ way).max())


def _skeleton(shape: Shape) -> tuple[np.ndarray, float]:
    """Points, and a radius around them, that stand for a shape above a mesh."""
    if isinstance(shape, Sphere):
        return np.zeros((1, 3)), shape.radius
    if isinstance(shape, Box):
        return np.array(list(product((-1.0, 1.0), repeat=3))) * shape.half_size, 0.0
    if isinstance(shape, Capsule):
        return np.array([(0.0, 0.0, h * shape.half_length) for h in (-1.0, -0.5, 0.0, 0.5, 1.0)]), shape.radius
    if isinstance(shape, Cylinder):
        angles = np.arange(12) * np.pi / 6.0
        ring = np.stack([np.cos(angles), np.sin(angles)], axis=1) * shape.radius
        ends = [np.column_stack([ring, np.full(12, h * shape.half_length)]) for h in (-1.0, 1.0)]
        return np.concatenate(ends), 0.0
    return np.array(shape.points), 0.0


def _rotation(quaternions) -> Rotation:
    return Rotation.from_quat(np.roll(np.asarray(quaternions, float).reshape(-1, 4), -1, axis=-1))


def reach_of(body: Body) -> float:
    """m: from the body's origin to the farthest point of its shapes."""
    far = [float(np.linalg.norm(shape.position)) + _radius(shape) for shape in body.shapes]
    return max(far, default=0.0)


def _radius(shape: Shape) -> float:
    if isinstance(shape, Sphere):
        return shape.radius
    if isinstance(shape, Box):
        return float(np.linalg.norm(shape.half_size))
    if isinstance(shape, Capsule):
        return shape.radius + shape.half_length
    if isinstance(shape, Cylinder):
        return float(np.hypot(shape.radius, shape.half_length))
    return float(np.linalg.norm(np.array(shape.points), axis=1).max())


def start_overlap(mechanism: Mechanism) -> Overlap:
    """The deepest at the start."""
    poses = [body_pose(body) for body in mechanism.bodies]
    position, orientation = zip(*poses, strict=True)
    found = Overlaps(mechanism).at(np.array(position), np.array(orientation))
    return max(found, key=lambda overlap: overlap.part, default=Overlap())
