# SPDX-License-Identifier: GPL-3.0-or-later
"""Parameters and memory of soft contact; the law itself is in `contact.soft.soft_contact`.

Stiffness follows from one rule, whatever the tolerances: resting on a single point, under 9.81 m/s2, a weight w sinks
in by a part s of a size a. With F = k d^(3/2) that is k = w g / (s a)^(3/2).
    s: the mean of both surfaces' softness, since each gives way by its half;
    a: on the ground the radius of a ball around the shape, between shapes half the thickness of the thinner one;
    w: of one body, the geometric mean of its own mass and that of all that hangs together with it by joints, so that a
       light foot carries a heavy machine; of two bodies that forces move, the geometric mean of both.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...kernel import Callback
from ...mechanism.bodies import Box, Capsule, Cylinder, Hull, Mesh, Shape, Sphere
from ...model.arrays import Model, Scratch, TouchingScratch, new_scratch, records
from ...model.collision_shapes import Part, Surfaces
from ...model.linkage.compilation import Compiled
from ..detection.collision import Collision
from ..detection.detection_failed import DetectionFailed
from ..detection.face_manifold import faces_of
from ..detection.ground import CORNERS, MOST, GroundShapes, ground_shapes
from ..detection.hulls import hull_corners
from ..detection.points import POINT
from .face_patches import spread
from .standing_cylinders import cylinders_of

GRAVITY = 9.81  # m/s2
LEAST = 0.1  # restitution: what bounces less would have to be damped without bounds
AHEAD = 0.25  # of the smallest size: gaps to look at
ROOM = 64  # points for each shape
_HALVINGS = 200

CLOCK = np.dtype(
    [
        ("energy", "f8"),  # J: in compressed contacts
        ("longest", "f8"),  # s: that a step may last
    ],
    align=True,
)


class SoftContact(NamedTuple):
    """All constant but what comes from `points` on. P parts, K kinds of surfaces; the ground's are last."""

    surface: np.ndarray  # (P + 1,) int64: kind of surface
    friction: np.ndarray  # (K, K)
    restitution: np.ndarray  # (K, K)
    sinking: np.ndarray  # (K, K): of the size
    damping: np.ndarray  # (K, K): c of Hunt and Crossley's law
    weight: np.ndarray  # (P + 1,) kg, infinite for what forces do not move
    thickness: np.ndarray  # (P + 1,) m: half of it
    radius: np.ndarray  # (P + 1,) m: of a ball around the shape
    reach: np.ndarray  # (B,) m: nothing of a body's shapes is farther from its reference point
    shapes: GroundShapes
    has_ground: bool
    height: float  # m
    has_pairs: bool
    find: object  # handle of a Callback that writes the points between bodies; what it may be asked for is 0
    ahead: float  # m: the gaps that it looks at
    level: np.ndarray  # (B,) m: and those on the ground, which are none
    points: np.recarray  # (C,) POINT
    share: np.ndarray  # (C,): of the stiffness of a point
    deep: np.ndarray  # (C,) m: 2/5 of it times the push is the work in a point
    push: np.ndarray  # (C,) N: without damping
    group: np.ndarray  # (C,) int64: 1 for a point that has been dealt with
    wrench: np.ndarray  # (B, 6) N m, N: of all contacts on each body, in the latest evaluation
    nodes: np.ndarray  # (3,) s: ends of the latest steps, the latest first,
    at_node: np.ndarray  # (3, B, 6): the wrenches there,
    known: np.ndarray  # (1,) int64: and how many there are
    given: np.ndarray  # (B, 6) N m s, N s: by all contacts since the last frame
    hardest: np.ndarray  # (B,) N s: always 0, since no impact is instantaneous
    clock: np.recarray  # (1,) CLOCK
    failed: np.ndarray  # (1,) int64


class SoftFinder:
    """Finds the points between bodies for the kernels of one linkage."""

    def __init__(
        self, compiled: Compiled, points: np.recarray, shares: tuple[np.ndarray, np.ndarray], ahead: float
    ) -> None:
        surfaces = compiled.surfaces
        self._collision = Collision(surfaces.parts, compiled.model.driven, surfaces.apart)
        self._points, self._shares = points, shares
        self._reach = np.full(len(compiled.model.bodies), 0.5 * ahead)
        self._faces, self._cylinders = faces_of(surfaces.parts, ends=True), cylinders_of(surfaces.parts)
        self.bodies: np.recarray | None = None
        self.callback = Callback(self._find)

    def raise_failure(self) -> None:
        """Raises what has stopped the search, if something has."""
        if self.callback.error is not None:
            raise self.callback.error

    def _find(self, _) -> int:
        found = self._collision.find(self.bodies, self._reach, self._points, 0)
        if found > len(self._points):
            many = f"more than {len(self._points)} points of contact at once; use integrator impulse or auto"
            raise DetectionFailed(many, [])
        rotation, center = self.bodies.rotation, self.bodies.center
        return spread(self._faces, self._cylinders, rotation, center, self._points, found, *self._shares)


def contact_scratch(compiled: Compiled) -> tuple[Scratch, SoftFinder | None]:
    """Scratch space for a linkage whose bodies touch softly, if they may touch something at all.

    The finder must be kept as long as the scratch; if it fails, `raise_failure` says so.
    """
    model, surfaces = compiled.model, compiled.surfaces
    if surfaces is None:
        return new_scratch(model), None
    parts, bodies = surfaces.parts, len(model.bodies)
    points = records(ROOM * (1 + len(parts)), POINT)
    thickness = np.array([half_thickness(part) for part in parts] + [np.inf])
    ahead, share, deep = AHEAD * float(thickness.min()), np.ones(len(points)), np.zeros(len(points))
    finder = SoftFinder(compiled, points, (share, deep), ahead) if surfaces.has_pairs else None
    surface, friction, restitution, sinking = _kinds(surfaces)
    soft = SoftContact(
        surface=surface,
        friction=friction,
        restitution=restitution,
        sinking=sinking,
        damping=hunt_crossley_damping(restitution),
        weight=_weights(model, parts),
        thickness=thickness,
        radius=surfaces.size,
        reach=surfaces.reach(bodies),
        shapes=_in_pieces(ground_shapes(parts if surfaces.ground else [], model.driven)),
        has_ground=surfaces.ground is not None,
        height=surfaces.ground.height if surfaces.ground else 0.0,
        has_pairs=surfaces.has_pairs,
        find=finder.callback.handle if finder else 0,
        ahead=ahead,
        level=np.zeros(bodies),
        points=points,
        share=share,
        deep=deep,
        push=np.zeros(len(points)),
        group=np.zeros(len(points), np.int64),
        wrench=np.zeros((bodies, 6)),
        nodes=np.zeros(3),
        at_node=np.zeros((3, bodies, 6)),
        known=np.zeros(1, np.int64),
        given=np.zeros((bodies, 6)),
        hardest=np.zeros(bodies),
        clock=np.array([(0.0, np.inf)], CLOCK).view(np.recarray),
        failed=np.zeros(1, np.int64),
    )
    scratch = TouchingScratch(*new_scratch(model)._replace(soft=soft))
    if finder:
        finder.bodies = scratch.bodies
    return scratch, finder


def quickest(scratch: Scratch) -> float:
    """s: about the time in which the quickest contact of a linkage answers."""
    return float(np.sqrt(scratch.soft.sinking.min() * scratch.soft.thickness.min() / GRAVITY))


def hunt_crossley_damping(restitution: np.ndarray) -> np.ndarray:
    """The c at which F = k d^n (1 + c rate / v), hit with speed v, throws back with `restitution` times v.

    (1 + e) c = log((1 + c) / (1 - e c)), which follows from the law without approximation, whatever n, k and mass
    (Gonthier, McPhee, Lange, Piedboeuf 2004, "A regularized contact model with asymmetric damping and dwell-time
    dependent friction"). Hunt and Crossley's own c = 3/2 (1 - e) holds for e near 1 only.
    """
    e = np.asarray(restitution, float)
    low, high = np.zeros_like(e), 1.0 / e
    for _ in range(_HALVINGS):
        c = 0.5 * (low + high)
        with np.errstate(divide="ignore"):
            is_low = (1.0 + e) * c > np.log1p(c) - np.log1p(-e * c)
        low, high = np.where(is_low, c, low), np.where(is_low, high, c)
    return np.where(e < 1.0, low, 0.0)


def rough_pairs(surfaces: Surfaces, driven: int) -> dict[str, tuple]:
    """Pairs of shapes whose points jump about while they touch, in words, with the parts that `Message` takes."""
    found = {}
    for k, part in enumerate(surfaces.parts):
        for other in surfaces.parts[k + 1 :]:
            i, j = sorted((part.body, other.body))
            if i == j or j < driven or (i, j) in surfaces.apart:
                continue
            names = f"'{part.name}' ({part.shape.type}) and '{other.name}' ({other.shape.type})"
            if _is_rough(part.shape, other.shape) or _is_rough(other.shape, part.shape):
                found[names] = ("body", part.name), ("body", other.name)
    return found


def _is_rough(shape: Shape, other: Shape) -> bool:
    """A mesh is many prisms to the collision engine: only balls find one point there."""
    return isinstance(shape, Mesh) and not isinstance(other, (Sphere, Capsule))


def half_thickness(part: Part) -> float:
    """m: half the least distance between two parallel planes that hold the shape between them; a mesh has none."""
    match part.shape:
        case Sphere(radius=radius) | Capsule(radius=radius):
            return radius
        case Cylinder(radius=radius, half_length=half):
            return min(radius, half)
        case Box(half_size=half):
            return min(half)
        case Hull():
            return _half_width(hull_corners(part))
    return np.inf


def _half_width(corners: np.ndarray) -> float:
    from scipy.spatial import ConvexHull

    sides = ConvexHull(corners).equations
    return float(0.5 * np.min(-(corners @ sides[:, :3].T).min(axis=0) - sides[:, 3]))


def _kinds(surfaces: Surfaces) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """(kind of each part's surface and the ground's; friction, restitution and sinking between kinds)."""
    every = np.column_stack([surfaces.friction, surfaces.restitution, surfaces.softness])
    kinds, surface = np.unique(every, axis=0, return_inverse=True)
    friction = np.sqrt(np.outer(kinds[:, 0], kinds[:, 0]))
    restitution = np.clip(np.sqrt(np.outer(kinds[:, 1], kinds[:, 1])), LEAST, 1.0)
    sinking = 0.5 * (kinds[:, None, 2] + kinds[None, :, 2])
    return surface.reshape(-1).astype(np.int64), friction, restitution, sinking


def _weights(model: Model, parts: list[Part]) -> np.ndarray:
    """(P + 1,) kg"""
    root = np.arange(len(model.bodies))
    for i in range(model.driven, len(model.bodies)):
        if model.bodies[i].inner >= model.driven:
            root[i] = root[model.bodies[i].inner]
    together = np.bincount(root, model.bodies.mass, len(model.bodies))[root]
    weights = [np.sqrt(model.bodies[p.body].mass * together[p.body]) for p in parts]
    return np.array([w if p.body >= model.driven else np.inf for w, p in zip(weights, parts, strict=True)] + [np.inf])


def _in_pieces(ground: GroundShapes) -> GroundShapes:
    """Hulls cut into sets of few corners: all of them then press on the ground, and none has to be chosen."""
    pieces = []
    for shape in ground.shapes:
        count = -(-(shape.end - shape.start) // MOST) if shape.kind == CORNERS else 1
        for some in np.array_split(np.arange(shape.start, shape.end), count):
            piece = shape.copy()
            if count > 1:
                corners = ground.corners[some]
                piece.start, piece.end = some[0], some[-1] + 1
                piece.position = 0.5 * (corners.min(axis=0) + corners.max(axis=0))
                piece.bound = np.linalg.norm(corners - piece.position, axis=1).max()
            pieces.append(piece)
    shapes = records(len(pieces), ground.shapes.dtype)
    for k, piece in enumerate(pieces):
        shapes[k] = piece
    return GroundShapes(shapes, ground.corners)
