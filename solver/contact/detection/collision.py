# SPDX-License-Identifier: GPL-3.0-or-later
"""Collision detection between bodies: an adapter around MuJoCo's engine (package mujoco-core, pinned).

MuJoCo gets a model of nothing but shapes: a body that may slide for each dynamic one and one without freedom (mocap)
for each driven one, so that two of these never touch. A single freedom does, and MuJoCo compiles in the square of their
number. Poses are written as matrices straight into its arrays of shapes; no other part of it runs. Lengths are given to
it in a unit near the bodies' size, since some of its tolerances are absolute.
What is known of its manners: two of its own boxes often touch in one point, so boxes are hulls; `gap` of both shapes
adds up to how far apart points are still found; its corners are of single precision, so hulls lie about their origin;
where it names several points at once (MULTICCD), their normal may be that of a face which edges lead apart otherwise.
So where there are only boxes, hulls and balls it names the deepest point alone, and `face_manifold` adds the others.
"""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ...kernel import by_reference, compiled, entry, kernel
from ...mechanism.bodies import Box, Capsule, Cylinder, Hull, Mesh, Sphere
from ...model.collision_shapes import Part
from ...model.poses import product, turned
from ...spatial import add_scaled, dot, load3, load9, multiply, rotate, scale, store3, store9, subtract
from .corrections import check_rods
from .cylinder_rims import Rims, add_lowest
from .depenetration import UNKNOWN, add_ways_out, new_sides, outlines_of
from .detection_failed import DetectionFailed
from .edge_normals import Named, correct_normals, room_for
from .face_manifold import Faces, add_corners, faces_of
from .hulls import MOST_CORNERS, box_corners, fewer_corners, hull_corners
from .joined_specs import spec_of
from .manifold_reduction import reduce_manifold
from .mesh_prisms import add_prisms, mark_ghosts, place_prisms, prisms_of
from .missed import find_missed, new_chains, with_room
from .polytopes import check_polytopes
from .scenery import scenery
from .side_by_side import add_ends
from .signed_distance import new_polytope

if TYPE_CHECKING:
    import mujoco

MEMORY = 32 << 20  # bytes at first; what is not used costs nothing
SAME = 1e-3  # of the unit: nearer points on a mesh are one
# MuJoCo's tolerance. With the fine one a cylinder that lies on another's end comes out wrong once in a hundred times.
FINE, COARSE = 1e-6, 1e-4
DOUBTFUL = -1
ASTRAY = -1
FARTHEST = 1e100  # of the unit: what is farther away, or not a number, touches nothing
NO_NORMAL = "no direction is known that leads shapes apart"
PRISMS = 64  # for triangles at first
MOST_ADDED = 18  # points to those of two shapes
# MuJoCo chooses points badly where corners of its polygon for a cylinder's end lie just on another shape's edge.
TURN = np.array([[math.cos(0.1), -math.sin(0.1), 0.0], [math.sin(0.1), math.cos(0.1), 0.0], [0.0, 0.0, 1.0]])


def unavailable() -> str | None:
    """Why bodies cannot touch each other here, or None if they can: for this MuJoCo is loaded, and not before."""
    try:
        import mujoco  # noqa: F401
    except ImportError as error:
        return f"the package mujoco-core is needed and cannot be imported ({error})"
    return None


@by_reference
class Placement(NamedTuple):
    """Places of MuJoCo's shapes on our bodies, in its unit of length. G shapes, M of its bodies."""

    body: np.ndarray  # (G + K,) int64: numbers of the kernels; of its K prisms those of the meshes
    part: np.ndarray  # (G + K,) int64
    turned: np.ndarray  # (G, 9) the shape's axes in the body's
    position: np.ndarray  # (G, 3)
    bound: np.ndarray  # (G + K,): no point of the shape is farther from its middle
    box: np.ndarray  # (G, 6): middle and half size of its box, along its axes
    moved: np.ndarray  # (M,) int64: our number of each of its bodies
    apart: np.ndarray  # (B, B) bool: these never touch
    order: np.ndarray  # (G,) int64: the shapes by their lower ends along x, kept sorted


@by_reference
class Poses(NamedTuple):
    """MuJoCo's own memory."""

    position: np.ndarray  # (G, 3) geom_xpos
    rotation: np.ndarray  # (G, 9) geom_xmat
    gap: np.ndarray  # (G,) geom_gap: of two shapes it adds up to how far apart points are found
    body_position: np.ndarray  # (M, 3) xipos
    body_rotation: np.ndarray  # (M, 9) ximat
    body_gap: np.ndarray  # (M,) body_margin


class Collision:
    """Finds the points at which bodies touch or are about to."""

    def __init__(
        self, parts: list[Part], driven: int, excluded: set[tuple[int, int]], faces: Faces | None = None
    ) -> None:
        """excluded: pairs of body numbers that do not touch; faces: whose polygons are found with all corners.

        Without faces no points are added that soft contact would feel as jumps.
        Raises MechanismError for hopeless shapes.
        """
        import mujoco

        numbered = list(enumerate(parts))
        self._parts = len(parts)
        self._driven = driven
        self._unit = _unit(parts, driven)
        self._convex = [(number, part) for number, part in numbered if not isinstance(part.shape, Mesh)]
        self._faces = faces if faces is not None and len(faces.normal) else None
        self._has_rods = any(isinstance(part.shape, Capsule | Cylinder) for part in parts)
        self._has_polytopes = any(isinstance(part.shape, Box | Hull) for part in parts)
        corrects = self._has_rods or self._has_polytopes
        self._borders = (faces_of(parts) if faces is None else faces) if corrects else None
        self._adds_points = faces is not None
        self._more, self._polytope = room_for(0), new_polytope() if corrects else None
        self._meshes = scenery([(n, part) for n, part in numbered if isinstance(part.shape, Mesh)], self._unit)
        bodies = max((part.body for part in parts), default=0) + 1
        self._apart = np.eye(bodies, dtype=bool)
        self._apart[:driven, :driven] = True
        self._excluded = sorted({(min(pair), max(pair)) for pair in excluded if max(pair) < bodies})
        for a, b in self._excluded:
            self._apart[a, b] = self._apart[b, a] = True
        self._seen: tuple | None = None
        self._touched: tuple[np.ndarray | None, int] = None, 0
        self._sides = new_sides(self._meshes, len(self._convex))
        self._memory = MEMORY + 8 * bodies**2
        self._prism_count = PRISMS if len(self._meshes.body) else 0
        if mujoco.get_mju_user_warning() is None:
            mujoco.set_mju_user_warning(_no_log_file)
        self._build()

    def _build(self) -> None:
        import mujoco

        of_body: dict[int, list[tuple[int, Part]]] = {}
        for number, part in self._convex:
            of_body.setdefault(part.body, []).append((number, part))
        bodies = sorted(of_body)

        def add(spec: mujoco.MjSpec, body: int) -> None:
            is_driven = body < self._driven
            holder = spec.worldbody.add_body(
                name=str(body), mocap=is_driven, explicitinertial=True, mass=1.0, inertia=[1.0, 1.0, 1.0]
            )
            if not is_driven:
                holder.add_joint(type=mujoco.mjtJoint.mjJNT_SLIDE)
            for number, part in of_body[body]:
                _add_shape(spec, holder, number, part, self._unit)

        spec, names = spec_of(bodies, add)
        spec.memory = self._memory
        spec.option.ccd_tolerance = FINE
        if self._adds_points and not self._has_rods and not self._prism_count:
            spec.option.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_MULTICCD)
        for a, b in self._excluded:
            if b >= self._driven and a in of_body and b in of_body:
                spec.add_exclude(bodyname1=names[a], bodyname2=names[b])
        add_prisms(spec, self._prism_count)
        self._model = model = spec.compile()
        self._data = data = mujoco.MjData(model)
        self._full = data.warning[mujoco.mjtWarning.mjWARN_CONTACTFULL]
        self._prisms = prisms_of(model, data, self._prism_count, len(self._meshes.normal))
        shapes = [number for body in bodies for number, _ in of_body[body]]  # the parts in MuJoCo's order
        self._placement = self._place(shapes, bodies)
        shapes_end, bodies_end = len(shapes), 1 + len(bodies)
        self._poses = Poses(
            data.geom_xpos[:shapes_end],
            data.geom_xmat[:shapes_end],
            model.geom_gap[:shapes_end],
            data.xipos[1:bodies_end],
            data.ximat[1:bodies_end],
            model.body_margin[1:bodies_end],
        )
        self._rims = self._find_rims(shapes)
        of_part = {number: part.shape for number, part in self._convex}
        self._outlines = outlines_of(model, [of_part[number] for number in shapes], self._unit)
        self._chains = new_chains(self._outlines, shapes, self._parts)

    def _find_rims(self, shapes: list[int]) -> Rims | None:
        """None if there are no cylinders."""
        rims = Rims(np.full(self._parts, -1), np.zeros(self._parts), np.zeros(self._parts))
        places = {number: shape for shape, number in enumerate(shapes)}
        for number, part in self._convex:
            if isinstance(part.shape, Cylinder):
                rims.shape[number] = places[number]
                rims.radius[number], rims.half_length[number] = part.shape.radius, part.shape.half_length
        return rims if rims.radius.any() else None

    def _place(self, shapes: list[int], bodies: list[int]) -> Placement:
        import mujoco

        model, count = self._model, len(shapes)
        rotation = np.zeros((count, 9))
        for matrix, quaternion in zip(rotation, model.geom_quat[:count], strict=True):
            mujoco.mju_quat2Mat(matrix, quaternion)
        of_part = {number: part.body for number, part in self._convex}
        return Placement(
            body=np.array([of_part[number] for number in shapes] + self._prism_count * [0], np.int64),
            part=np.array(shapes + self._prism_count * [-1], np.int64),
            turned=rotation,
            position=model.geom_pos[:count].copy(),
            bound=np.append(model.geom_rbound[:count], np.full(self._prism_count, np.inf)),
            box=model.geom_aabb[:count].copy(),
            moved=np.array(bodies, np.int64),
            apart=self._apart,
            order=np.arange(count),
        )

    def find(
        self,
        bodies: np.recarray,
        reach: np.ndarray,
        points: np.recarray,
        first: int,
        contacts: np.recarray | None = None,
        touched: int = 0,
    ) -> int:
        """Writes the points with a gap below what the reaches (B,) (m) of both bodies add up to, as `first` and on.

        bodies: rotation and center of all bodies; contacts: those of the step before, of which the first `touched`
        are asked about again where MuJoCo misses them. Returns the number of points now, or len(points) + 1 where they
        are more: then the caller makes room and calls again. Where a pose is not finite, none are found.
        Raises DetectionFailed.
        """
        if self._seen is None or self._seen[0] is not bodies or self._seen[1] is not points:
            # numba takes longer to look at recarrays than MuJoCo needs for a query
            plain = points.view(np.ndarray) if compiled() else points
            part = None if contacts is None else contacts.part
            self._seen = (bodies, points, bodies.rotation, bodies.center, plain, part)
        _, _, rotation, center, records, part = self._seen
        self._touched = part, touched
        to_unit = 1.0 / self._unit
        near = place_shapes(self._placement, self._poses, rotation, center, to_unit, reach)
        if near == ASTRAY:
            return first
        prisms = 0
        if self._prism_count:
            prisms = place_prisms(
                self._meshes, self._prisms, self._placement, self._poses, rotation, center, to_unit, reach
            )
        if self._prism_count and not prisms:
            self._sides.side[:] = UNKNOWN
        if not near and not prisms:
            return first
        if prisms > self._prism_count:
            self._prism_count = 2 * prisms
        elif self._query():
            count = self._write(rotation, center, records, first, prisms, self._placement.bound)
            if count == DOUBTFUL:
                self._model.opt.ccd_tolerance = COARSE
                self._query()
                self._model.opt.ccd_tolerance = FINE
                count = self._write(
                    rotation, center, records, first, prisms, np.full_like(self._placement.bound, np.inf)
                )
            if self._faces is not None and first < count <= len(points):
                count = add_corners(self._faces, rotation, center, reach, records, first, count)
            if prisms and count <= len(points):
                shapes = self._outlines, self._placement, self._poses
                count = add_ways_out(self._meshes, *shapes, rotation, center, self._unit, self._sides, records, count)
            if self._rims is not None and first < count <= len(points):
                poses = self._poses
                count = add_lowest(self._rims, poses.position, poses.rotation, self._unit, records, first, count)
            return count
        else:
            self._memory *= 4
        self._build()
        return self.find(bodies, reach, points, first, contacts, touched)

    def _write(
        self,
        rotation: np.ndarray,
        center: np.ndarray,
        records: np.ndarray,
        first: int,
        prisms: int,
        bound: np.ndarray,
    ) -> int:
        found = self._data.contact
        # a single contact's arrays are contiguous, those of several are not: kernels would be compiled twice
        arrays = found.geom, found.pos, found.frame, found.dist
        geom, position, frame, distance = (np.ascontiguousarray(array) for array in arrays)
        named = Named(geom, position, frame, distance)
        if self._has_polytopes and self._touched[1]:
            self._chains = with_room(self._chains, len(geom), self._touched[1])
            missed = find_missed(self._chains, named, *self._touched)
            if missed:
                named = _joined(named, self._chains.missed, missed)
                geom, position, frame, distance = named
        if self._borders is not None and len(geom):
            added = self._correct(rotation, center, named)
            if added:
                geom, position, frame, distance = _joined(named, self._more, added)
        if prisms:
            mark_ghosts(self._meshes, self._prisms, self._placement, rotation, geom, frame, distance, self._sides)
        body, part, same = self._placement.body, self._placement.part, SAME if prisms else 0.0
        return write_points(body, part, bound, self._unit, geom, position, frame, distance, records, first, same)

    def _correct(self, rotation: np.ndarray, center: np.ndarray, named: Named) -> int:
        """Corrects the points of all but balls; returns how many more are in `self._more`."""
        outlines, placement, poses, prisms = self._outlines, self._placement, self._poses, self._prisms
        shapes = placement, outlines, poses, prisms
        if self._has_polytopes:
            check_polytopes(self._borders, *shapes, rotation, named, self._adds_points, self._polytope)
        if not self._has_rods:
            return 0
        if self._adds_points and len(self._more.distance) < MOST_ADDED * len(named.distance):
            self._more = room_for(2 * MOST_ADDED * len(named.distance))
        more, to_unit = self._more, 1.0 / self._unit
        added = check_rods(self._borders, *shapes, rotation, center, to_unit, named, more, self._polytope)
        shapes = self._meshes, prisms, placement, outlines, poses
        added = correct_normals(self._borders, *shapes, rotation, center, to_unit, named, more, added)
        return add_ends(placement, outlines, poses, named, more, added)

    def _query(self) -> bool:
        """Runs MuJoCo's collision detection; False if its memory was too small."""
        import mujoco

        try:
            mujoco.mj_collision(self._model, self._data)
        except mujoco.FatalError as error:
            if "memory" not in str(error):
                reason = NO_NORMAL if "makeFrame" in str(error) else f"collision detection fails ({error})"
                raise DetectionFailed(reason, self._who_fails()) from error
            return False
        return self._full.number == 0

    def _who_fails(self) -> list[str]:
        """The names of two bodies at which MuJoCo's collision detection fails alone; none if there are no such two."""
        import mujoco

        model, poses, bound = self._model, self._poses, self._placement.bound
        data = mujoco.MjData(model)
        for name in ("geom_xpos", "geom_xmat", "xipos", "ximat"):
            getattr(data, name)[:] = getattr(self._data, name)
        shapes, part_of = len(self._placement.turned), dict(self._convex)
        types = model.geom_contype.copy(), model.geom_conaffinity.copy()
        names: list[str] = []
        for a, b in itertools.combinations(range(shapes), 2):
            between = np.linalg.norm(poses.position[a] - poses.position[b])
            if names or between > bound[a] + bound[b] + poses.gap[a] + poses.gap[b]:
                continue
            model.geom_contype[:] = model.geom_conaffinity[:] = 0
            model.geom_contype[[a, b]] = model.geom_conaffinity[[a, b]] = 1
            try:
                mujoco.mj_collision(model, data)
            except mujoco.FatalError:
                names = [part_of[self._placement.part[shape]].name for shape in (a, b)]
        model.geom_contype[:], model.geom_conaffinity[:] = types
        return names


def _joined(named: Named, more: Named, count: int) -> Named:
    """Points, and the first `count` of some more."""
    return Named(*(np.concatenate((own, other[:count])) for own, other in zip(named, more, strict=True)))


def _no_log_file(message: str) -> None:
    """MuJoCo would write its warnings to a file in the current folder; ours are met by more memory."""


def _add_shape(spec, holder, number: int, part: Part, unit: float) -> None:
    import mujoco

    kinds = mujoco.mjtGeom
    place = {"pos": part.position / unit, "quat": _quaternion(part.rotation)}
    match part.shape:
        case Sphere(radius=radius):
            holder.add_geom(type=kinds.mjGEOM_SPHERE, size=[radius / unit, 0, 0], **place)
        case Capsule(radius=radius, half_length=half):
            holder.add_geom(type=kinds.mjGEOM_CAPSULE, size=[radius / unit, half / unit, 0], **place)
        case Cylinder(radius=radius, half_length=half):
            place["quat"] = _quaternion(product(part.rotation, TURN))
            holder.add_geom(type=kinds.mjGEOM_CYLINDER, size=[radius / unit, half / unit, 0], **place)
        case Box() | Hull():
            is_box = isinstance(part.shape, Box)
            points = box_corners(part.shape) if is_box else fewer_corners(hull_corners(part), MOST_CORNERS)
            middle = 0.5 * (points.min(axis=0) + points.max(axis=0))
            place["pos"] = (part.position + turned(part.rotation, middle)) / unit
            spec.add_mesh(name=str(number), uservert=((points - middle) / unit).ravel())
            holder.add_geom(type=kinds.mjGEOM_MESH, meshname=str(number), **place)


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
    import mujoco

    quaternion = np.zeros(4)
    mujoco.mju_mat2Quat(quaternion, np.ascontiguousarray(rotation, float).ravel())
    return quaternion


@entry
def place_shapes(placement, poses, rotation, center, to_unit, reach):
    """Brings MuJoCo's shapes to where the bodies are; returns 1 if any two are near each other, else 0.

    to_unit: its lengths in one metre; reach (B,) m. Returns ASTRAY where a pose is not finite.
    """
    for k in range(len(placement.moved)):
        if not _is_placed(rotation[placement.moved[k]], center[placement.moved[k]], to_unit):
            return ASTRAY
    for k in range(len(placement.moved)):
        number = placement.moved[k]
        poses.body_gap[k] = to_unit * reach[number]
        store3(poses.body_position[k], scale(to_unit, load3(center[number])))
        store9(poses.body_rotation[k], rotation[number])
    for shape in range(len(placement.turned)):
        body = placement.body[shape]
        R = load9(rotation[body])
        place = rotate(R, load3(placement.position[shape]))
        store3(poses.position[shape], add_scaled(place, to_unit, load3(center[body])))
        store9(poses.rotation[shape], multiply(R, load9(placement.turned[shape])))
        poses.gap[shape] = to_unit * reach[body]
    return 1 if _any_near(placement, poses.position, poses.gap) else 0


@kernel
def _is_placed(rotation, center, to_unit):
    """True if a pose is one, and not beyond all bounds."""
    total = 0.0
    for k in range(9):
        total += abs(rotation[k])
    for k in range(3):
        total += to_unit * abs(center[k])
    return total < FARTHEST  # so worded that NaN is none


@kernel
def _any_near(placement, position, gap):
    """True if the balls around two shapes that may touch, with the gap of each, meet: sweeps along x."""
    order, bound = placement.order, placement.bound
    for k in range(1, len(order)):
        moving = order[k]
        start = _low(position, bound, gap, moving)
        slot = k
        while slot > 0 and _low(position, bound, gap, order[slot - 1]) > start:
            order[slot] = order[slot - 1]
            slot -= 1
        order[slot] = moving
    for k in range(len(order)):
        a = order[k]
        end = position[a, 0] + bound[a] + gap[a]
        for later in range(k + 1, len(order)):
            b = order[later]
            if _low(position, bound, gap, b) > end:
                break
            between = subtract(load3(position[a]), load3(position[b]))
            near = bound[a] + gap[a] + bound[b] + gap[b]
            if dot(between, between) < near * near and not placement.apart[placement.body[a], placement.body[b]]:
                return True
    return False


@kernel
def _low(position, bound, gap, shape):
    return position[shape, 0] - bound[shape] - gap[shape]


@entry
def write_points(body, part, bound, unit, geom, position, frame, distance, points, first, same):
    """MuJoCo's points become ours; body, part, bound: of its shapes.

    same: points on the same parts that are nearer (in MuJoCo's unit) become one; 0 if there are no prisms.
    Returns DOUBTFUL where two shapes seem to overlap by more than the smaller one's size.
    """
    count = first
    for k in range(len(geom)):
        if geom[k, 0] < 0:  # a ghost
            continue
        if -distance[k] > min(bound[geom[k, 0]], bound[geom[k, 1]]):
            return DOUBTFUL
        if count >= len(points):
            return len(points) + 1
        point = points[count]
        for side in range(2):
            point.body[side] = body[geom[k, side]]
            point.part[side] = part[geom[k, side]]
        point.feature = -1
        store3(point.position, scale(unit, load3(position[k])))
        store3(point.normal, load3(frame[k]))
        point.gap = unit * distance[k]
        count += 1
    return reduce_manifold(points, first, count, same * unit) if same > 0.0 else count
