# SPDX-License-Identifier: GPL-3.0-or-later
"""A link gets another length, and its linkage moves to where it is closed again, on the same branch.

Unknowns are the places of the hinges; conditions are their distances on each body. The length goes to its new value in
steps, each corrected by Gauss and Newton's method with the least motion, so that the linkage does not flip.
"""

from __future__ import annotations

import bpy
import numpy as np
from mathutils import Matrix

from ..findings import refuse
from ..owner import Owner
from ..parts.linkages import Linkage, find_linkages
from .bars import points_of, set_point

STEPS = 12  # from the old length to the new one
CORRECTIONS = 20
CLOSED = 1e-6  # of the linkage's size: Blender keeps places in single precision
NEAR = 1e-5


def has_length(ob: bpy.types.Object) -> bool:
    """True for a link that was drawn as a bar."""
    return ob.ves.role == "BODY" and bool(ob.ves.link_points)


def length_of(body: bpy.types.Object) -> float:
    """m: between a link's first two points."""
    first, second = points_of(body)[:2]
    return float(np.linalg.norm(second - first) * body.matrix_world.to_scale().x)


def set_length(scene: bpy.types.Scene, view_layer: bpy.types.ViewLayer, body: bpy.types.Object, length: float) -> None:
    """Make the distance of a link's first two points `length` (m). Raises SceneError if its linkage cannot close."""
    view_layer.update()
    linkage = next((each for each in find_linkages(scene) if body in each.bodies), Linkage({body}))
    others = [tie for tie in linkage.ties if tie.ves.joint_type != "REVOLUTE" or tie.ves.role != "JOINT"]
    if others:
        refuse(others[0], "is no hinge: only linkages of hinges get other lengths")
    net = _Net(linkage, body)
    places = net.places
    for share in np.linspace(0.0, 1.0, STEPS + 1)[1:]:
        places = net.closed(places, share, length)
        if places is None:
            refuse(body, f"cannot be {length:.4g} m long: its linkage would not close")
    net.move(places, length)
    view_layer.update()


class _Net:
    """Hinges of a linkage as points: those that share a body and a place are one."""

    def __init__(self, linkage: Linkage, body: bpy.types.Object) -> None:
        self._bodies, self._body = sorted(linkage.bodies, key=lambda ob: ob.name_full), body
        joints = sorted(linkage.ties, key=lambda ob: ob.name_full)
        worlds = np.array([ob.matrix_world.translation for ob in joints], float).reshape(-1, 3)
        size = float(np.ptp(worlds, axis=0).max()) if len(worlds) else 1.0
        self._size, self._normal = size or 1.0, np.array((joints or [body])[0].matrix_world.to_3x3().col[2], float)
        self._normal /= np.linalg.norm(self._normal)
        self._point_of, places = {}, []
        for joint, world in zip(joints, worlds, strict=True):
            away = np.linalg.norm(np.array(places).reshape(-1, 3) - world, axis=1)
            near = len(away) and away.min() < NEAR * self._size
            self._point_of[joint] = int(np.argmin(away)) if near else len(places)
            if not near:
                places.append(world)
        self.places = np.array(places).reshape(-1, 3)
        self._on = {each: self._points_on(each, joints) for each in self._bodies}
        fixed = {self._point_of[j] for j in joints if not {j.ves.body_a, j.ves.body_b} <= set(self._bodies)}
        self._free = np.array([i not in fixed for i in range(len(places))], bool)

    def _points_on(self, body: bpy.types.Object, joints: list) -> list[int]:
        return list(dict.fromkeys(self._point_of[j] for j in joints if body in (j.ves.body_a, j.ves.body_b)))

    def _drawn(self, body: bpy.types.Object, length: float | None) -> np.ndarray:
        """(n, 3): a body's hinges at first, in the world; with a length those of the link stretched along its X."""
        places = self.places[self._on[body]]
        if body != self._body or length is None:
            return places
        matrix = np.array(body.matrix_world)
        local = (places - matrix[:3, 3]) @ np.linalg.inv(matrix[:3, :3]).T
        end = points_of(body)[1]
        moved = np.linalg.norm(local - end, axis=1) < 1e-4 * np.linalg.norm(end)
        local[moved, 0] = length / body.matrix_world.to_scale().x
        return local @ matrix[:3, :3].T + matrix[:3, 3]

    def closed(self, places: np.ndarray, share: float, length: float) -> np.ndarray | None:
        """Places of the points near by at which all distances are right, a share of the way; None if there are none."""
        asked = length_of(self._body) + share * (length - length_of(self._body))
        pairs, wanted = [], []
        for body in self._bodies:
            drawn, on = self._drawn(body, asked), self._on[body]
            for i in range(len(on)):
                for j in range(i):
                    pairs.append((on[i], on[j]))
                    wanted.append(np.linalg.norm(drawn[i] - drawn[j]))
        places, wanted = places.copy(), np.array(wanted)
        for _ in range(CORRECTIONS):
            error, J = self._rows(places, pairs, wanted)
            if not len(error) or np.abs(error).max() < 1e-12 * self._size:
                return places
            change = np.linalg.lstsq(J, -error, rcond=1e-9)[0]
            places[self._free] += change.reshape(-1, 3)
        error, _ = self._rows(places, pairs, wanted)
        return places if np.abs(error).max() < CLOSED * self._size else None

    def _rows(self, places: np.ndarray, pairs: list, wanted: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Errors of the distances, and how they change with the free points, within the plane."""
        column = np.cumsum(self._free) - 1
        error, J = np.empty(len(pairs)), np.zeros((len(pairs), 3 * int(self._free.sum())))
        for row, (a, b) in enumerate(pairs):
            way = places[a] - places[b]
            error[row] = np.linalg.norm(way) - wanted[row]
            along = way - (way @ self._normal) * self._normal
            along = along / max(np.linalg.norm(way), 1e-30)
            for point, sign in ((a, 1.0), (b, -1.0)):
                if self._free[point]:
                    J[row, 3 * column[point] : 3 * column[point] + 3] = sign * along
        return error, J

    def move(self, places: np.ndarray, length: float) -> None:
        """Put the bodies where their hinges are, and make the link's bar and joints as long as they shall be."""
        scale = self._body.matrix_world.to_scale().x
        worlds = {joint: joint.matrix_world.copy() for joint in self._point_of}
        turned = {body: self._motion(body, places, length) for body in self._bodies}
        for body, motion in turned.items():
            body.matrix_world = motion @ body.matrix_world
        for joint, world in worlds.items():
            world = turned.get(joint.parent, Matrix.Identity(4)) @ world
            world.translation = places[self._point_of[joint]].tolist()
            if joint.parent in turned:
                Owner(joint.parent).hang(joint, world)
            else:
                joint.matrix_world = world
        set_point(self._body, 1, (length / scale, *points_of(self._body)[1, 1:].tolist()))

    def _motion(self, body: bpy.types.Object, places: np.ndarray, length: float) -> Matrix:
        """The turn about the normal, and the travel, from a body's hinges as drawn to where they are."""
        before, after = self._drawn(body, length), places[self._on[body]]
        if not len(before):
            return Matrix.Identity(4)
        middle, there = before.mean(axis=0), after.mean(axis=0)
        sine = float(np.sum(np.cross(before - middle, after - there) @ self._normal))
        cosine = float(np.sum((before - middle) * (after - there)))
        turn = Matrix.Rotation(float(np.arctan2(sine, cosine)), 4, self._normal.tolist())
        return Matrix.Translation(there.tolist()) @ turn @ Matrix.Translation((-middle).tolist())
