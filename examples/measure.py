# SPDX-License-Identifier: GPL-3.0-or-later
"""Measures of what a baked scene really shows, taken on its evaluated objects frame by frame."""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple

import bpy
import numpy as np
from mathutils.bvhtree import BVHTree

SLIDING = {"PRISMATIC", "CYLINDRICAL", "SCREW"}
ROAMING = {"PLANAR", "CONTACT"}  # joints that have no place of their own in both bodies


class Measured(NamedTuple):
    """Over all frames, in metres: the widest opening of a joint or nail, and the lowest point of a dynamic body.

    `collisions` tells for each pair of bodies, not joined to each other, at which frames they are inside each other.
    """

    joint_gap: float
    lowest: float
    collisions: dict[tuple[str, str], list[int]]


def measure(scene: bpy.types.Scene, with_collisions: bool = True) -> Measured:
    """Go through the frames of the scene; the frame that was shown comes back at the end.

    Where bodies touch, they are a hair inside each other when at rest: leave collisions out there.
    """
    shown = scene.frame_current
    scene.frame_set(scene.frame_start)
    bodies = {ob: _Mesh(ob) for ob in scene.objects if ob.ves.role == "BODY"}
    pivots = _pivots(scene)
    pairs = list(combinations(bodies, 2)) if with_collisions else []
    joined = {frozenset(pivot.bodies) for pivot in pivots}
    pairs = [pair for pair in pairs if frozenset(pair) not in joined]
    gap, lowest, collisions = 0.0, np.inf, {}
    for frame in range(scene.frame_start, scene.frame_end + 1):
        scene.frame_set(frame)
        matrices = {body: np.array(body.matrix_world) for body in bodies}
        gap = max([gap, *(pivot.gap({**matrices, None: np.eye(4)}) for pivot in pivots)])
        for body, mesh in bodies.items():
            mesh.move_to(matrices[body])
            if body.ves.motion == "DYNAMIC":
                lowest = min(lowest, float(mesh.low[2]))
        for a, b in pairs:
            if bodies[a].meets(bodies[b]):
                collisions.setdefault((a.name, b.name), []).append(frame)
    scene.frame_set(shown)
    return Measured(gap, lowest, collisions)


class _Mesh:
    """A body's mesh: where its vertices are now, and whether it crosses another one."""

    def __init__(self, body: bpy.types.Object) -> None:
        points = np.empty(3 * len(body.data.vertices), np.float32)
        body.data.vertices.foreach_get("co", points)
        self.local = points.reshape(-1, 3).astype(float)
        self.faces = [tuple(face.vertices) for face in body.data.polygons]
        self.tree = BVHTree.FromPolygons(self.local.tolist(), self.faces)

    def move_to(self, matrix: np.ndarray) -> None:
        self.matrix = matrix
        self.points = self.local @ matrix[:3, :3].T + matrix[:3, 3]
        self.low, self.high = self.points.min(axis=0), self.points.max(axis=0)

    def meets(self, other: _Mesh) -> bool:
        """True if the surfaces cross. The smaller mesh goes into the larger one's coordinates, whose tree stays."""
        if (self.low > other.high).any() or (other.low > self.high).any():
            return False
        if len(self.local) < len(other.local):
            return other.meets(self)
        rotation, place = self.matrix[:3, :3], self.matrix[:3, 3]
        points = (other.points - place) @ np.linalg.inv(rotation).T
        if (points.min(axis=0) > self.local.max(axis=0)).any() or (points.max(axis=0) < self.local.min(axis=0)).any():
            return False
        return bool(self.tree.overlap(BVHTree.FromPolygons(points.tolist(), other.faces)))


class _Pivot:
    """A joint of two bodies, or a nail: its place in each of them, and the line along which they may slide, if any."""

    def __init__(self, tie: bpy.types.Object) -> None:
        frame = np.array(tie.matrix_world)
        self.tie, self.bodies = tie, (tie.ves.body_a, tie.ves.body_b)
        worlds = [np.eye(4) if ob is None else ob.matrix_world for ob in self.bodies]
        self.places = [np.linalg.solve(world, frame[:, 3]) for world in worlds]
        slides = tie.ves.role == "JOINT" and tie.ves.joint_type in SLIDING
        carrier = self.bodies[0]
        self.line = np.linalg.solve(carrier.matrix_world, frame[:, 2]) if slides and carrier else None

    def gap(self, matrices: dict[bpy.types.Object | None, np.ndarray]) -> float:
        """Distance of the two places, but for what they slid; none if the tie is switched off."""
        if not self.tie.ves.enabled:
            return 0.0
        a, b = self.bodies
        apart = (matrices[b] @ self.places[1] - matrices[a] @ self.places[0])[:3]
        if self.line is not None:
            along = (matrices[a] @ self.line)[:3]
            apart = apart - along * (apart @ along) / (along @ along)
        return float(np.linalg.norm(apart))


def _pivots(scene: bpy.types.Scene) -> list[_Pivot]:
    return [
        _Pivot(ob)
        for ob in scene.objects
        if ob.ves.role == "NAIL" or (ob.ves.role == "JOINT" and ob.ves.body_b and ob.ves.joint_type not in ROAMING)
    ]
