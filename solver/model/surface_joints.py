# SPDX-License-Identifier: GPL-3.0-or-later
"""Contact joints as arrays: their surfaces in the kernels' axes, and the coordinates at which these touch."""

import functools
import math

import numpy as np

from ..mechanism.error import refuse
from ..mechanism.joints import Joint
from ..mechanism.messages import Message
from ..mechanism.surfaces import (
    Smooth,
    SmoothCylinder,
    SmoothEllipsoid,
    SmoothPatches,
    SmoothPlane,
    SmoothSphere,
    SmoothSubdivision,
    SmoothTorus,
)
from ..subdivision.limit import Limit, limit
from ..surfaces.patch import COLUMNS
from ..surfaces.surface import SURFACE, Pieces, SurfaceKind, no_pieces
from ..surfaces.touch import Touch, find_touch
from .arrays import RIDE, Rides, no_rides, records
from .poses import product, turned

CLOSED = 1e-4  # of the linkage's size: a gap that is closed without a word
_LEAST_CURVATURE = 1e-6  # by the linkage's size
_GRAVITY = 9.81  # m/s2

Pose = tuple[np.ndarray, np.ndarray]  # (3,) m, (3, 3)


def surface_arrays(surfaces: list[tuple[Smooth, Pose]]) -> tuple[np.recarray, Pieces]:
    """(records of SURFACE, pieces) of surfaces; poses: of their bodies in the kernels' axes."""
    found, order = records(len(surfaces), SURFACE), _highest_order([surface for surface, _ in surfaces])
    none = no_pieces()
    patches, faces, fans = [np.zeros((0, order * order, COLUMNS))], [none.faces], [none.fans]
    sectors, cells = [none.sectors], [none.cells]
    found.charts, found.order, found.low, found.high = 1, order, -math.inf, math.inf
    for row, (surface, (travel, turn)) in zip(found, surfaces, strict=True):
        row.side = -1.0 if surface.inside else 1.0
        row.rotation = product(turn, _matrix(surface.orientation)).ravel()
        row.origin = travel + turned(turn, np.array(surface.position))
        if isinstance(surface, SmoothPlane):
            row.kind = SurfaceKind.PLANE
            if surface.half_size is not None:
                row.low, row.high = -np.array(surface.half_size), surface.half_size
        elif isinstance(surface, SmoothSphere | SmoothEllipsoid):
            row.kind, row.charts = SurfaceKind.ELLIPSOID, 2
            row.lengths = surface.half_axes if isinstance(surface, SmoothEllipsoid) else surface.radius
        elif isinstance(surface, SmoothTorus):
            row.kind, row.lengths = SurfaceKind.TORUS, (surface.ring_radius, surface.tube_radius, 0.0)
        elif isinstance(surface, SmoothCylinder):
            row.kind, row.lengths = SurfaceKind.CYLINDER, (surface.radius, 0.0, 0.0)
            if surface.half_length is not None:
                row.low[1], row.high[1] = -surface.half_length, surface.half_length
        elif isinstance(surface, SmoothPatches):
            row.patch = sum(map(len, patches))
            patches.append(_add_patches(row, surface))
        else:
            own = _limit_of(surface.points, surface.faces, surface.creases, surface.corners, surface.keep_corners)
            row.kind, row.charts, row.counts = SurfaceKind.SUBDIVISION, 1 + len(own.fans), (len(own.faces), 1)
            row.patch, row.fan = sum(map(len, faces)), sum(map(len, fans))
            own = own.moved(*(sum(map(len, each)) for each in (patches, sectors, cells)))
            faces.append(own.faces)
            fans.append(own.fans)
            patches.append(_of_order(own.patches, order))
            sectors.append(own.sectors)
            cells.append(own.cells)
    fans = np.concatenate(fans).view(np.recarray)
    patches, faces, sectors, cells = map(np.concatenate, (patches, faces, sectors, cells))
    return found, Pieces(patches, faces, fans, sectors, cells)


@functools.lru_cache(maxsize=8)
def _limit_of(*cage) -> Limit:
    points, faces, creases, corners, keep_corners = cage
    described = SmoothSubdivision(
        points=points, faces=faces, creases=creases, corners=corners, keep_corners=keep_corners
    )
    return limit(*described.prepared())


def _of_order(bicubic: np.ndarray, order: int) -> np.ndarray:
    """(., order * order, 4): patches (., 16, 3) of order 4."""
    found = np.zeros((len(bicubic), order, order, COLUMNS))
    found[:, :4, :4, :3] = bicubic.reshape(-1, 4, 4, 3)
    return found.reshape(len(bicubic), -1, COLUMNS)


def _add_patches(row, surface: SmoothPatches) -> np.ndarray:
    """(m n, 16, 4): the powers of all patches, row by row."""
    points = np.array(surface.points, float)
    weights = np.ones(points.shape[:2]) if surface.weights is None else np.array(surface.weights, float)
    row.kind, row.is_rational = SurfaceKind.PATCHES, np.ptp(weights) > 1e-9 * weights.max()
    weights = weights / weights.max() if row.is_rational else np.ones_like(weights)
    grid = np.concatenate([points * weights[:, :, None], weights[:, :, None]], axis=2)
    p, q = surface.degree
    row.counts = [(count - 1) // degree for count, degree in zip(points.shape, surface.degree, strict=False)]
    for k in range(2):
        if surface.closed[k]:
            row.period[k] = row.counts[k]
        else:
            row.low[k], row.high[k] = 0.0, row.counts[k]
    m, n = row.counts
    cut = [grid[p * i : p * i + p + 1, q * j : q * j + q + 1] for i in range(m) for j in range(n)]
    found = np.zeros((m * n, row.order, row.order, COLUMNS))
    found[:, : p + 1, : q + 1] = np.einsum("ai,pijc,bj->pabc", _powers(p), np.array(cut), _powers(q))
    return found.reshape(m * n, -1, COLUMNS)


def _highest_order(surfaces: list[Smooth]) -> int:
    """Of the patches of all surfaces: degree + 1, at least 4."""
    return max((max(*each.degree, 3) for each in surfaces if isinstance(each, SmoothPatches)), default=3) + 1


def _powers(degree: int) -> np.ndarray:
    """(degree + 1, degree + 1): from Bezier points to powers of the parameter."""
    return np.array(
        [
            [(-1) ** (i - j) * math.comb(degree, i) * math.comb(i, j) for j in range(degree + 1)]
            for i in range(degree + 1)
        ],
        float,
    )


def _matrix(q) -> np.ndarray:
    w, x, y, z = q
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def rides_of(joints: list[tuple[int, Joint, Pose, Pose]], mass: float) -> Rides:
    """Of contact joints: (the outer body's number, joint, poses of parent's and child's frames in their kernels' axes).

    mass: kg, of the linkage.
    """
    if not joints:
        return no_rides()
    found = records(len(joints), RIDE)
    found.body = [number for number, *_ in joints]
    found.rolling = [joint.rolling for _, joint, *_ in joints]
    found.weight = _GRAVITY * mass
    surfaces = [
        each
        for _, joint, *poses in joints
        for each in zip((joint.surface_parent, joint.surface_child), poses, strict=True)
    ]
    return Rides(found, *surface_arrays(surfaces))


def touch_of(
    rides: Rides, r: int, joint: Joint, poses: tuple[Pose, Pose], size: float, near: np.ndarray, time: float | None
) -> Touch:
    """The touch of a ride's surfaces at the poses of the kernels' axes of parent and child in the world.

    size: m, the linkage's; near: m, a point close to the place; time: s, None for the start. Raises MechanismError if
    they do not touch there, or not in a single point.
    """
    (x, R), (y, Q) = poses
    near = turned(R.T, near - x)
    a, b = rides.surfaces[2 * r], rides.surfaces[2 * r + 1]
    touch = find_touch(a, b, rides.pieces, product(R.T, Q), turned(R.T, y - x), near)
    wrong, part = None, ("joint", joint.name)
    if touch is None:
        wrong = Message("surfaces-turned-away", part)
    elif abs(touch.gap) > CLOSED * size:
        how = f"are {touch.gap:.3g} m apart" if touch.gap > 0.0 else f"overlap by {-touch.gap:.3g} m"
        wrong = Message("surfaces-apart", part, how=how)
        if time is not None:
            wrong = Message("surfaces-apart-later", part, how=how, time=f"{time:g}")
    elif not touch.curvature * size > _LEAST_CURVATURE:
        wrong = Message("surfaces-too-close", part)
    refuse([] if wrong is None else [wrong])
    return touch
