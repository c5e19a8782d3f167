# SPDX-License-Identifier: GPL-3.0-or-later
"""Where bodies touch each other: an adapter around the collision engine of MuJoCo (package mujoco-core, pinned).

MuJoCo gets a model of nothing but shapes: a free body for each dynamic one and one without freedom (mocap) for each
driven one, so that two of these never touch. Poses are written as matrices straight into its arrays of shapes; no other
part of it runs. Lengths are given to it in a unit near the bodies' size, since some of its tolerances are absolute.
What is known of its manners: two of its own boxes often touch in one point, so boxes are hulls; `gap` of both shapes
adds up to how far apart points are still found; its corners are of single precision, so hulls lie about their origin.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..kernel import compiled, entry, kernel
from ..mechanism.bodies import Box, Capsule, Cylinder, Hull, Sphere
from ..spatial import add_scaled, dot, load3, load9, multiply, rotate, scale, store3, store9, subtract
from .hulls import box_corners, fewer_corners, hull_corners
from .points import Part

try:
    import mujoco
except ImportError as error:
    mujoco = None
    _missing = error

MOST_CORNERS = 64  # of one hull
MEMORY = 32 << 20  # bytes at first; what is not used costs nothing


def unavailable() -> str | None:
    """Why bodies cannot touch each other here, or None if they can."""
    return None if mujoco is not None else f"the package mujoco-core is needed and cannot be imported ({_missing})"


class Placement(NamedTuple):
    """Where MuJoCo's shapes sit on our bodies, in its unit of length. G shapes, M of its bodies."""

    body: np.ndarray  # (G,) int64: numbers of the kernels
    part: np.ndarray  # (G,) int64
    rotation: np.ndarray  # (G, 9) of the shape's axes in the body's
    position: np.ndarray  # (G, 3)
    bound: np.ndarray  # (G,): no point of the shape is farther from its middle
    moved: np.ndarray  # (M,) int64: our number of each of its bodies
    apart: np.ndarray  # (B, B) bool: these never touch
    order: np.ndarray  # (G,) int64: the shapes along x, kept sorted


class Poses(NamedTuple):
    """MuJoCo's own memory."""

    position: np.ndarray  # (G, 3) geom_xpos
    rotation: np.ndarray  # (G, 9) geom_xmat
    body_position: np.ndarray  # (M, 3) xipos
    body_rotation: np.ndarray  # (M, 9) ximat


class Collision:
    """Finds the points at which bodies touch or are about to."""

    def __init__(self, parts: list[Part], driven: int, excluded: set[tuple[int, int]]) -> None:
        """excluded: pairs of body numbers that do not touch. Raises MechanismError for hopeless shapes."""
        self._parts = parts
        self._driven = driven
        self._unit = _unit(parts, driven)
        self._bodies = sorted({part.body for part in parts})
        count = max(self._bodies, default=0) + 1
        self._apart = np.eye(count, dtype=bool)
        self._apart[:driven, :driven] = True
        for a, b in excluded:
            if max(a, b) < count:
                self._apart[a, b] = self._apart[b, a] = True
        self._memory = MEMORY
        self._seen: tuple | None = None
        self._build()

    def _build(self) -> None:
        spec = mujoco.MjSpec()
        spec.memory = self._memory
        shapes: list[int] = []  # the parts in MuJoCo's order
        for body in self._bodies:
            holder = spec.worldbody.add_body(
                name=str(body), mocap=body < self._driven, explicitinertial=True, mass=1.0, inertia=[1.0, 1.0, 1.0]
            )
            if body >= self._driven:
                holder.add_freejoint()
            for number, part in enumerate(self._parts):
                if part.body == body:
                    self._add_shape(spec, holder, number, part)
                    shapes.append(number)
        for i, a in enumerate(self._bodies):
            for b in self._bodies[i + 1 :]:
                if self._apart[a, b] and b >= self._driven:
                    spec.add_exclude(bodyname1=str(a), bodyname2=str(b))
        self._model = spec.compile()
        self._data = mujoco.MjData(self._model)
        self._placement = self._place(shapes)
        data = self._data
        self._poses = Poses(data.geom_xpos, data.geom_xmat, data.xipos[1:], data.ximat[1:])
        self._reach = -1.0

    def _add_shape(self, spec, holder, number: int, part: Part) -> None:
        kinds = mujoco.mjtGeom
        place = {"pos": part.position / self._unit, "quat": _quaternion(part.rotation)}
        match part.shape:
            case Sphere(radius=radius):
                holder.add_geom(type=kinds.mjGEOM_SPHERE, size=[radius / self._unit, 0, 0], **place)
            case Capsule(radius=radius, half_length=half) | Cylinder(radius=radius, half_length=half):
                kind = kinds.mjGEOM_CAPSULE if isinstance(part.shape, Capsule) else kinds.mjGEOM_CYLINDER
                holder.add_geom(type=kind, size=[radius / self._unit, half / self._unit, 0], **place)
            case Box() | Hull():
                is_box = isinstance(part.shape, Box)
                points = box_corners(part.shape) if is_box else fewer_corners(hull_corners(part), MOST_CORNERS)
                middle = 0.5 * (points.min(axis=0) + points.max(axis=0))
                place["pos"] = (part.position + part.rotation @ middle) / self._unit
                spec.add_mesh(name=str(number), uservert=((points - middle) / self._unit).ravel())
                holder.add_geom(type=kinds.mjGEOM_MESH, meshname=str(number), **place)

    def _place(self, shapes: list[int]) -> Placement:
        model = self._model
        rotation = np.zeros((len(shapes), 9))
        for matrix, quaternion in zip(rotation, model.geom_quat, strict=True):
            mujoco.mju_quat2Mat(matrix, quaternion)
        return Placement(
            body=np.array([self._parts[number].body for number in shapes], np.int64),
            part=np.array(shapes, np.int64),
            rotation=rotation,
            position=model.geom_pos.copy(),
            bound=model.geom_rbound.copy(),
            moved=np.array(self._bodies, np.int64),
            apart=self._apart,
            order=np.arange(len(shapes)),
        )

    def find(self, bodies: np.recarray, reach: float, points: np.recarray, first: int) -> int:
        """Writes the points with a gap below `reach` (m) as numbers `first` and on.

        bodies: rotation and center of all bodies. Returns the number of points now, or len(points) + 1 where they are
        more: then the caller makes room and calls again.
        """
        if reach != self._reach:
            self._reach = reach
            self._model.geom_gap[:] = 0.5 * reach / self._unit
            self._model.body_margin[1:] = 0.5 * reach / self._unit
        if self._seen is None or self._seen[0] is not bodies or self._seen[1] is not points:
            self._seen = (
                bodies,
                points,
                bodies.rotation,
                bodies.center,
                points if not compiled() else points.view(np.ndarray),
            )
        _, _, rotation, center, records = self._seen
        if not place_shapes(self._placement, self._poses, rotation, center, 1.0 / self._unit, reach / self._unit):
            return first
        self._collide()
        found = self._data.contact
        placement = self._placement
        return write_points(
            found.geom, found.pos, found.frame, found.dist, self._unit, placement.body, placement.part, records, first
        )

    def _collide(self) -> None:
        """MuJoCo's query, again with more memory where it runs out."""
        try:
            mujoco.mj_collision(self._model, self._data)
        except mujoco.FatalError as error:
            if "memory" not in str(error):
                raise
            poses = [array.copy() for array in self._poses]
            reach = self._reach
            self._memory *= 4
            self._build()
            for array, pose in zip(self._poses, poses, strict=True):
                array[:] = pose
            self._model.geom_gap[:] = 0.5 * reach / self._unit
            self._model.body_margin[1:] = 0.5 * reach / self._unit
            self._reach = reach
            self._collide()


def _unit(parts: list[Part], driven: int) -> float:
    """A length near the size of what moves (m): a power of two, so that it costs no digits."""
    sizes = [_size(part.shape) for part in parts if part.body >= driven]
    return 2.0 ** np.round(np.log2(np.median(sizes))) if sizes else 1.0


def _size(shape) -> float:
    match shape:
        case Box(half_size=half):
            return max(half)
        case Hull(points=points):
            return 0.5 * float(np.ptp(np.array(points), axis=0).max())
        case Capsule(radius=radius, half_length=half) | Cylinder(radius=radius, half_length=half):
            return max(radius, half)
    return shape.radius


def _quaternion(rotation: np.ndarray) -> np.ndarray:
    quaternion = np.zeros(4)
    mujoco.mju_mat2Quat(quaternion, np.ascontiguousarray(rotation, float).ravel())
    return quaternion


@entry
def place_shapes(placement, poses, rotation, center, to_unit, reach):
    """Brings MuJoCo's shapes to where the bodies are, and says whether any two are near each other."""
    for k in range(len(placement.moved)):
        number = placement.moved[k]
        store3(poses.body_position[k], scale(to_unit, load3(center[number])))
        store9(poses.body_rotation[k], rotation[number])
    for shape in range(len(placement.body)):
        body = placement.body[shape]
        R = load9(rotation[body])
        place = rotate(R, load3(placement.position[shape]))
        store3(poses.position[shape], add_scaled(place, to_unit, load3(center[body])))
        store9(poses.rotation[shape], multiply(R, load9(placement.rotation[shape])))
    return _any_near(placement, poses.position, reach)


@kernel
def _any_near(placement, position, reach):
    """Whether the balls around two shapes that may touch are within reach: sweeps along x."""
    order, bound = placement.order, placement.bound
    for k in range(1, len(order)):
        moving = order[k]
        start = position[moving, 0] - bound[moving]
        slot = k
        while slot > 0 and position[order[slot - 1], 0] - bound[order[slot - 1]] > start:
            order[slot] = order[slot - 1]
            slot -= 1
        order[slot] = moving
    for k in range(len(order)):
        a = order[k]
        end = position[a, 0] + bound[a] + reach
        for later in range(k + 1, len(order)):
            b = order[later]
            if position[b, 0] - bound[b] > end:
                break
            between = subtract(load3(position[a]), load3(position[b]))
            near = bound[a] + bound[b] + reach
            if dot(between, between) < near * near and not placement.apart[placement.body[a], placement.body[b]]:
                return True
    return False


@entry
def write_points(geom, position, frame, distance, unit, body, part, points, first):
    """MuJoCo's points become ours."""
    if first + len(geom) > len(points):
        return len(points) + 1
    for k in range(len(geom)):
        point = points[first + k]
        for side in range(2):
            point.body[side] = body[geom[k, side]]
            point.part[side] = part[geom[k, side]]
        point.feature = -1
        for axis in range(3):
            point.position[axis] = unit * position[k, axis]
            point.normal[axis] = frame[k, axis]
        point.gap = unit * distance[k]
    return first + len(geom)
