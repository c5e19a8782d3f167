# SPDX-License-Identifier: GPL-3.0-or-later
"""The two surfaces of a contact joint while bodies are brought together: how far they are apart."""

import numpy as np

from ..mechanism import Joint
from ..model.poses import rotation_matrices
from ..model.surface_joints import surface_arrays
from ..surfaces.touch import find_touch
from .placement import Bodies


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
        self._surfaces, self._patches = surface_arrays(list(placed))
        self._near = np.zeros(3)

    def gap(self, d: np.ndarray, Q: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
        """(gap (m), normal (3,), arm (3,) of the child's point) for the child's frame at d, turned by Q."""
        turn = rotation_matrices(Q)[0]
        touch = find_touch(self._surfaces[0], self._surfaces[1], self._patches, turn, d, self._near)
        if touch is None:  # they do not face each other: the child's frame is led back to the parent's
            far = np.linalg.norm(d)
            return far, d / max(far, 1e-300), np.zeros(3)
        self._near = touch.point
        return touch.gap, touch.normal, touch.point + touch.gap * touch.normal - d
