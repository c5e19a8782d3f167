# SPDX-License-Identifier: GPL-3.0-or-later
"""The two surfaces of a contact joint while bodies are brought together: where they are nearest, how far apart."""

import numpy as np

from ..mechanism import Joint, SmoothPatches, SmoothSubdivision
from ..model.poses import rotation_matrices
from ..model.surface_joints import surface_arrays
from ..surfaces.samples import in_each_piece, sampled
from ..surfaces.touch import Touch, find_touch
from .placement import Bodies

Pose = tuple[np.ndarray, np.ndarray]  # position (3,) m, axes (3, 3)
_SAMPLES = 8  # of each patch in each direction, to see on which side a place is


def nearest_touch(joint: Joint, parent: Pose, child: Pose) -> Touch | None:
    """The place near the joint's position where its surfaces face each other, with their gap; None if there is none.

    parent, child: poses of its bodies' frames in the world.
    """
    placed = zip((joint.surface_parent, joint.surface_child), (parent, child), strict=True)
    (a, b), pieces = surface_arrays(list(placed))
    return find_touch(a, b, pieces, np.eye(3), np.zeros(3), np.array(joint.position))


def has_in_front(surface: SmoothPatches | SmoothSubdivision, pose: Pose, place: np.ndarray) -> bool:
    """True if a place (3,) m in the world is on the outer side of a surface, at its sample nearest to it."""
    points, normals, side = _samples(surface, pose)
    nearest = np.argmin(np.linalg.norm(place - points, axis=1))
    return np.dot(normals[nearest], place - points[nearest]) * side >= 0.0


def nearest_of(surfaces: list[SmoothPatches], place: np.ndarray) -> SmoothPatches:
    """The one, of NURBS surfaces in the world, that has the sample nearest to a place (3,) m."""
    if len(surfaces) == 1:
        return surfaces[0]
    world = np.zeros(3), np.eye(3)
    return min(surfaces, key=lambda each: np.linalg.norm(_samples(each, world)[0] - place, axis=1).min())


def _samples(surface: SmoothPatches | SmoothSubdivision, pose: Pose) -> tuple[np.ndarray, np.ndarray, float]:
    """(points (N, 3) m, normals (N, 3), +1 or -1: the side that these are on)."""
    (record,), pieces = surface_arrays([(surface, pose)])
    points, normals = sampled(record, pieces, in_each_piece(record, _SAMPLES))
    return points, normals, record.side


class RidingPair:
    """The surfaces of a joint, seen from the joint's frame as drawn on both of its bodies."""

    def __init__(self, joint: Joint, bodies: Bodies, ends: tuple[int, int]) -> None:
        axes, origin = rotation_matrices(np.array(joint.orientation))[0], np.array(joint.position, float)
        poses = [
            (
                axes.T @ (bodies.drawn.position[end] - origin),
                axes.T @ rotation_matrices(bodies.drawn.orientation[end])[0],
            )
            for end in ends
        ]
        placed = zip((joint.surface_parent, joint.surface_child), poses, strict=True)
        self._surfaces, self._pieces = surface_arrays(list(placed))
        self._near = np.zeros(3)

    def gap(self, d: np.ndarray, Q: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
        """(gap (m), normal (3,), arm (3,) of the child's point) for the child's frame at d, turned by Q."""
        turn = rotation_matrices(Q)[0]
        touch = find_touch(self._surfaces[0], self._surfaces[1], self._pieces, turn, d, self._near)
        if touch is None:  # they do not face each other: the child's frame is led back to the parent's
            far = np.linalg.norm(d)
            return far, d / max(far, 1e-300), np.zeros(3)
        self._near = touch.point
        return touch.gap, touch.normal, touch.point + touch.gap * touch.normal - d
