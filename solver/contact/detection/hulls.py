# SPDX-License-Identifier: GPL-3.0-or-later
"""The corners of shapes that are convex hulls of points, along the axes of their body."""

import itertools

import numpy as np

from ...mechanism.bodies import Box, Hull
from ...mechanism.error import refuse
from ...mechanism.messages import Message
from ...model.collision_shapes import Part
from ...model.poses import turned

MOST_CORNERS = 64  # of one hull, for the collision engine
FLAT = 1e-3  # of the width: thinner hulls get this thickness, since nothing can rest on a sheet of none


def corners(part: Part) -> np.ndarray:
    """(V, 3) the corners of a box or hull in the kernels' axes of its body, from its reference point (m)."""
    points = box_corners(part.shape) if isinstance(part.shape, Box) else hull_corners(part)
    return part.position + turned(part.rotation, points)


def box_corners(box: Box) -> np.ndarray:
    """(8, 3) along the box's own axes, from its middle (m)."""
    return np.array(list(itertools.product((-1.0, 1.0), repeat=3))) * box.half_size


def hull_corners(part: Part) -> np.ndarray:
    """(V, 3) those of a hull's points that are its corners, along the shape's own axes (m); flat hulls are thickened.

    Raises MechanismError if the points lie on a line, or are farther apart than can be computed with.
    """
    from scipy.spatial import QhullError

    try:
        return _hull_corners(part)
    except QhullError as error:
        refuse([Message("hull-too-far", ("body", part.name))], error)


def _hull_corners(part: Part) -> np.ndarray:
    from scipy.spatial import ConvexHull

    shape: Hull = part.shape
    points = np.unique(np.array(shape.points, float), axis=0)
    middle = points.mean(axis=0)
    _, _, axes = np.linalg.svd(points - middle, full_matrices=False)
    across = (points - middle) @ axes.T
    widths = np.ptp(across, axis=0)
    if len(points) < 3 or widths[1] < 1e-6 * widths[0] or widths[0] == 0.0:
        refuse([Message("hull-on-a-line", ("body", part.name))])
    if len(points) > 3 and widths[2] > FLAT * widths[1]:
        return points[np.sort(ConvexHull(points).vertices)]
    outline = across[ConvexHull(across[:, :2]).vertices, :2]
    half = 0.5 * FLAT * widths[1]
    slab = [np.column_stack((outline, np.full(len(outline), z))) for z in (-half, half)]
    return middle + np.concatenate(slab) @ axes


def fewer_corners(points: np.ndarray, most: int) -> np.ndarray:
    """At most so many of a hull's corners: each time the one farthest outside the hull of the chosen."""
    if len(points) <= most:
        return points
    chosen = sorted({int(k) for axis in range(3) for k in (points[:, axis].argmin(), points[:, axis].argmax())})
    while len(chosen) < most:
        outside = _outside(points, points[chosen])
        chosen.append(int(outside.argmax()))
    return points[np.sort(chosen)]


def _outside(points: np.ndarray, chosen: np.ndarray) -> np.ndarray:
    """Distances of points outside the hull of those chosen, or from their plane while they have no hull (m)."""
    from scipy.spatial import ConvexHull

    middle = chosen.mean(axis=0)
    _, widths, axes = np.linalg.svd(chosen - middle)
    rank = int(np.sum(widths > 1e-9 * widths[0]))
    if rank < 3:
        return np.linalg.norm((points - middle) @ axes[rank:].T, axis=1)
    sides = ConvexHull(chosen).equations
    return (points @ sides[:, :3].T + sides[:, 3]).max(axis=1)
