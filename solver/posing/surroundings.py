# SPDX-License-Identifier: GPL-3.0-or-later
"""Gaps of a posed linkage: between its bodies, and to the ground and to all other bodies, which stand still meanwhile.

Points of contact are found as for a simulation (`contact.detection`), as far away as a step may lead a body. How fast
each gap opens along the axes is a row of a Jacobian: n.(v_b - v_a) at the point, n from body a to body b.
"""

from typing import NamedTuple

import numpy as np

from ..contact.detection.collision import Collision, unavailable
from ..contact.detection.face_manifold import faces_of
from ..contact.detection.ground import ground_shapes
from ..contact.detection.points import POINT
from ..kinematics.arrays import axes_of, way_to_root
from ..mechanism import Mechanism
from ..mechanism.error import refuse
from ..mechanism.messages import Message
from ..model.arrays import MOVING_BODY, records
from ..model.collision_shapes import Part
from ..model.linkage.compilation import Compiled
from ..model.poses import rotation_matrices
from ..model.topology import Linkage
from ..model.touching import Touching

_ROOM = 64  # points at first
_LOWEST = 8  # points of one shape over the ground
GROUND = "the ground"


class Gaps(NamedTuple):
    """Points between two bodies, by their numbers among the bodies of `Surroundings`; 0 is the ground."""

    bodies: np.ndarray  # (m, 2)
    place: np.ndarray  # (m, 3) m
    normal: np.ndarray  # (m, 3) unit, from the first to the second
    gap: np.ndarray  # (m,) m, below zero they overlap


class Surroundings:
    """One linkage among everything that its bodies may touch. Raises MechanismError for what cannot be found."""

    def __init__(self, mechanism: Mechanism, linkage: Linkage, compiled: Compiled) -> None:
        touching, bodies, model = Touching(mechanism), mechanism.bodies, compiled.model
        mine = linkage.bodies[: linkage.whole]
        shaped = [i for i in mine if bodies[i].touching_shapes]
        known = set(mine)
        self._others = [j for j in touching.bodies if j not in known and any(touching.may_touch(i, j) for i in shaped)]
        self._still = 1 + len(self._others)
        numbers = {j: 1 + k for k, j in enumerate(self._others)} | {i: self._still + k for k, i in enumerate(mine)}
        self.names = [GROUND, *(bodies[j].name for j in (*self._others, *mine))]
        self._bodies = records(len(self.names), MOVING_BODY)
        plain = self._bodies.view(np.ndarray)
        self._center, self._rotation = plain["center"], plain["rotation"]  # views: records are slow to look at
        self._rotation[:] = np.eye(3).ravel()
        parts = [part for j in self._others for part in _parts(bodies[j], numbers[j], np.eye(3), np.zeros(3))]
        for i in shaped:
            k = numbers[i] - self._still
            parts += _parts(bodies[i], numbers[i], compiled.own_rotation[k], compiled.center_of_mass[k])
        contact = mechanism.contact
        self._height = contact.ground.height if contact.ground is not None else None
        self._low = _low_points(parts, self._still) if contact.ground is not None else []
        among = [*self._others, *shaped]
        apart = {tuple(sorted((numbers[a], numbers[b]))) for a, b in touching.apart_among(among)}
        has_pairs = touching.any_among(among)
        if has_pairs and (reason := unavailable()):
            refuse([Message("no-detection", *(("body", bodies[i].name) for i in shaped), reason=reason)])
        self._collision = Collision(parts, self._still, apart, faces_of(parts)) if has_pairs else None
        self._points = records(_ROOM, POINT)
        self._model, count = model, len(mine)
        self._outer = np.zeros(len(model.armature), np.int64)
        self._moves = np.zeros((len(self.names), len(model.armature)), bool)
        for k in range(count):
            for outer in way_to_root(model, model.driven + k):
                axes = axes_of(model, outer)
                self._moves[self._still + k, axes.start : axes.stop] = True
                self._outer[axes.start : axes.stop] = outer
        self.radius = np.zeros(len(self.names))
        for part in parts:
            size = np.linalg.norm(part.position) + _extent(part)
            self.radius[part.body] = max(self.radius[part.body], size)
        self._mine = slice(self._still, self._still + count)
        self._of_model = slice(model.driven, model.driven + count)

    def place(self, position: np.ndarray, orientation: np.ndarray) -> None:
        """Put what stands still where these poses of all bodies of the mechanism have it, (B, 3) m and (B, 4)."""
        rows = slice(1, self._still)
        self._center[rows] = position[self._others]
        self._rotation[rows] = rotation_matrices(orientation[self._others]).reshape(-1, 9)

    def gaps(self, scratch, reach: float) -> Gaps:
        """All gaps below twice the reach (m), of the linkage as its scratch arrays have it."""
        self._take(scratch)
        count = 0
        if self._collision is not None:
            reaches = np.full(len(self._bodies), reach)
            while (count := self._collision.find(self._bodies, reaches, self._points, 0)) > len(self._points):
                self._points = records(2 * len(self._points), POINT)
        points = self._points[:count]
        found = Gaps(points.body.astype(np.int64), points.position, points.normal, points.gap)
        if self._height is None:
            return Gaps(*(np.array(values) for values in found))
        return Gaps(*(np.concatenate(pair) for pair in zip(found, self._over_ground(2.0 * reach), strict=True)))

    def rates(self, scratch, gaps: Gaps) -> np.ndarray:
        """(m, A) m per unit of each coordinate: how fast the gaps open."""
        S = scratch.axes.S
        linear, angular = S[:, 3:], S[:, :3]
        arms = gaps.place[:, None] - scratch.bodies.center[self._outer][None]
        speeds = np.einsum("mi,mai->ma", gaps.normal, linear[None] + np.cross(angular[None], arms))
        moves = self._moves.astype(float)
        return speeds * (moves[gaps.bodies[:, 1]] - moves[gaps.bodies[:, 0]])

    def largest_way(self, scratch, change: np.ndarray) -> float:
        """m: no point of a body goes farther by a change (A,) of the coordinates, to first order."""
        S, rows = scratch.axes.S * change[:, None], self._moves[self._mine].astype(float)
        angular = rows @ S[:, :3]
        center = scratch.bodies.center
        shift = S[:, 3:] - np.cross(S[:, :3], center[self._outer])
        speed = rows @ shift + np.cross(angular, center[self._of_model])
        ways = np.linalg.norm(speed, axis=1) + self.radius[self._mine] * np.linalg.norm(angular, axis=1)
        return float(ways.max(initial=0.0))

    def gap_of_points(self, scratch, gaps: Gaps, on: np.ndarray) -> np.ndarray:
        """(m,) m: the gaps between the points that bodies had at first, `on` (m, 2, 3) as `on_bodies` gives them."""
        ends = []
        for side in (0, 1):
            center, rotation = self._poses(scratch, gaps.bodies[:, side])
            ends.append(center + np.einsum("mij,mj->mi", rotation, on[:, side]))
        return np.einsum("mi,mi->m", gaps.normal, ends[1] - ends[0])

    def on_bodies(self, scratch, gaps: Gaps) -> np.ndarray:
        """(m, 2, 3) m: both ends of the gaps along the axes of their bodies."""
        found = []
        for side, share in ((0, -0.5), (1, 0.5)):
            center, rotation = self._poses(scratch, gaps.bodies[:, side])
            end = gaps.place + share * gaps.gap[:, None] * gaps.normal
            found.append(np.einsum("mji,mj->mi", rotation, end - center))
        return np.stack(found, axis=1)

    def _poses(self, scratch, numbers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        self._take(scratch)
        return self._center[numbers], self._rotation[numbers].reshape(-1, 3, 3)

    def _take(self, scratch) -> None:
        self._center[self._mine] = scratch.bodies.center[self._of_model]
        self._rotation[self._mine] = scratch.bodies.rotation[self._of_model]

    def _over_ground(self, reach: float) -> Gaps:
        """The lowest points of all shapes that are near the ground, some of each."""
        numbers, places, gaps = [], [], []
        for low in self._low:
            center, R = self._center[low.body], self._rotation[low.body].reshape(3, 3)
            if center[2] + R[2] @ low.middle - low.bound - self._height >= reach:
                continue
            at = center + low.points @ R.T if low.cylinder is None else _lowest_of_rims(low.cylinder, center, R)
            gap = at[:, 2] - low.radius - self._height
            for k in np.argsort(gap, kind="stable")[:_LOWEST]:
                if gap[k] < reach:
                    numbers.append((0, low.body))
                    places.append((at[k, 0], at[k, 1], self._height + 0.5 * gap[k]))
                    gaps.append(gap[k])
        up = np.tile((0.0, 0.0, 1.0), (len(gaps), 1))
        return Gaps(np.array(numbers, np.int64).reshape(-1, 2), np.array(places).reshape(-1, 3), up, np.array(gaps))


class _Low(NamedTuple):
    """Points of a shape that may be its lowest, with a radius around them; of a cylinder these are found anew."""

    body: int
    middle: np.ndarray  # (3,) m
    bound: float  # m: no point is farther from there
    points: np.ndarray  # (n, 3) m
    radius: float
    cylinder: Part | None


def _low_points(parts: list[Part], still: int) -> list[_Low]:
    found = ground_shapes(parts, still)
    return [
        _Low(
            int(shape.body),
            np.array(shape.position),
            float(shape.bound),
            found.corners[shape.start : shape.end],
            0.0 if (cylinder := parts[shape.part].shape.type == "cylinder") else float(shape.radius),
            parts[shape.part] if cylinder else None,
        )
        for shape in found.shapes
    ]


def _parts(body, number: int, own: np.ndarray, center: np.ndarray) -> list[Part]:
    """The shapes of a body, whose frame is turned so (3, 3) in the axes it is placed by, from its point `center`."""
    turns = rotation_matrices(np.array([shape.orientation for shape in body.shapes], float))
    return [
        Part(number, body.name, shape, own @ turn, own @ (np.array(shape.position) - center))
        for shape, turn in zip(body.shapes, turns, strict=True)
    ]


def _extent(part: Part) -> float:
    """m: no point of a shape is farther from its place."""
    shape = part.shape
    if shape.type == "sphere":
        return shape.radius
    if shape.type == "box":
        return float(np.linalg.norm(shape.half_size))
    if shape.type in ("capsule", "cylinder"):
        return shape.radius + shape.half_length
    return float(np.linalg.norm(np.array(shape.points), axis=1).max())


def _lowest_of_rims(part: Part, center: np.ndarray, R: np.ndarray) -> np.ndarray:
    """(2, 3) m: the lowest points of both ends of a cylinder."""
    axis = R @ part.rotation[:, 2]
    middle = center + R @ part.position
    down = np.array((0.0, 0.0, -1.0)) + axis[2] * axis
    length = np.linalg.norm(down)
    rim = part.shape.radius * (down / length if length > 1e-9 else R @ part.rotation[:, 0])
    return np.array([middle + side * part.shape.half_length * axis + rim for side in (-1.0, 1.0)])
