# SPDX-License-Identifier: GPL-3.0-or-later
"""Triangle meshes of fixed and keyed bodies, as the convex pieces that a collision engine can take.

Each triangle is the top of a prism. Its lower corners lie inside the mesh along the normals of its corners, so that
the prisms of neighbours share their walls and none sticks out at a ridge. Those near a body are found in a tree of
boxes that is walked without a stack: after a box comes its first half, and `skip` is the next box beside it.

A point on one prism is a ghost if the mesh goes on beyond it: a ball that rolls over the edge between two level
triangles would be pushed back by the edge of the one behind. So a normal counts only if it is the triangle's own, or
if the mesh around the triangle's highest corners does not rise above them along it: then these are a ridge or a tip.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...kernel import kernel
from ...mechanism.error import refuse
from ...mechanism.messages import Message
from ...model.collision_shapes import Part
from ...spatial import dot, load3, subtract

LEAF = 4  # triangles in a box that is not divided further
FLATNESS = 1e-6  # of the longest edge: triangles that are narrower have no area
DEPTH = 0.5  # of the mean length of a corner's edges, and of the bodies' size: how deep prisms are
OWN = 1e-8  # 1 - cosine: so near to the triangle's normal it is that one
RISE = 1e-4  # slope up to which the mesh does not rise
STEEP = 0.05  # of a prism's depth: less deep along the normal, its lower corners are no longer inside
LEVEL = 1e-3  # slope down to which two corners are equally high
PRISM = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, -1], [1, 0, -1], [0, 1, -1]], float)  # order of its corners


class Scenery(NamedTuple):
    """All meshes, in the unit of the collision engine, along the axes of their bodies. M meshes, T triangles."""

    body: np.ndarray  # (M,) int64
    part: np.ndarray  # (M,) int64
    boxes: np.ndarray  # (M + 1,) int64: where each mesh's boxes start
    low: np.ndarray  # (., 3): corners of boxes
    high: np.ndarray  # (., 3)
    skip: np.ndarray  # (.,) int64
    start: np.ndarray  # (.,) int64: triangles of boxes that are not divided; start = end for others
    end: np.ndarray  # (.,) int64
    mesh: np.ndarray  # (T,) int64
    middle: np.ndarray  # (T, 3) of the prism's box
    half: np.ndarray  # (T, 3) its half size
    prism: np.ndarray  # (T, 6, 3) float32: the prism's corners from there, those of the triangle first
    normal: np.ndarray  # (T, 3)
    corners: np.ndarray  # (T, 3) int64
    across: np.ndarray  # (T, 3) int64: the corner behind the edge from each corner to the next, -1 if there is none
    places: np.ndarray  # (V, 3) of the corners
    ring: np.ndarray  # (V + 1,) int64: where each corner's neighbours start
    neighbours: np.ndarray  # (.,) int64


def scenery(meshes: list[tuple[int, Part]], unit: float) -> Scenery:
    """meshes: parts that are meshes, with their numbers. Raises MechanismError for one that has no surface."""
    empty = {
        "boxes": np.zeros(1, np.int64),
        "low": np.empty((0, 3)),
        "high": np.empty((0, 3)),
        "skip": np.empty(0, np.int64),
        "start": np.empty(0, np.int64),
        "end": np.empty(0, np.int64),
        "mesh": np.empty(0, np.int64),
        "middle": np.empty((0, 3)),
        "half": np.empty((0, 3)),
        "prism": np.empty((0, 6, 3), np.float32),
        "normal": np.empty((0, 3)),
        "corners": np.empty((0, 3), np.int64),
        "across": np.empty((0, 3), np.int64),
        "places": np.empty((0, 3)),
        "ring": np.zeros(1, np.int64),
        "neighbours": np.empty(0, np.int64),
    }
    all_arrays = {name: [array] for name, array in empty.items()}
    for number, (_, part) in enumerate(meshes):
        counts = {name: sum(map(len, arrays)) for name, arrays in all_arrays.items()}
        one = _one_mesh(part, unit)
        one["mesh"] = np.full(len(one["normal"]), number)
        one["boxes"] = np.array([counts["low"] + len(one["low"])])
        one["skip"] = one["skip"] + counts["low"]
        one["start"], one["end"] = one["start"] + counts["mesh"], one["end"] + counts["mesh"]
        one["corners"] = one["corners"] + counts["places"]
        one["across"] = np.where(one["across"] < 0, -1, one["across"] + counts["places"])
        one["ring"] = one["ring"][1:] + counts["neighbours"]
        one["neighbours"] = one["neighbours"] + counts["places"]
        for name, array in one.items():
            all_arrays[name].append(array)
    return Scenery(
        body=np.array([part.body for _, part in meshes], np.int64),
        part=np.array([number for number, _ in meshes], np.int64),
        **{name: np.concatenate(arrays) for name, arrays in all_arrays.items()},
    )


def _one_mesh(part: Part, unit: float) -> dict[str, np.ndarray]:
    places, corners = welded(part)
    places = (part.position + places @ part.rotation.T) / unit
    sides = places[np.roll(corners, -1, axis=1)] - places[corners]
    normal = np.cross(sides[:, 0], sides[:, 1])
    normal /= np.linalg.norm(normal, axis=1, keepdims=True)
    ring, neighbours = _rings(corners, len(places))
    lower = places - _inward(places, corners, sides, normal, ring, neighbours)
    solid = np.concatenate((places[corners], lower[corners]), axis=1)
    low, high = solid.min(axis=1), solid.max(axis=1)
    order, boxes = _tree(low, high)
    middle = 0.5 * (low + high)[order]
    return boxes | {
        "middle": middle,
        "half": 0.5 * (high - low)[order],
        "prism": (solid[order] - middle[:, None]).astype(np.float32),
        "normal": normal[order],
        "corners": corners[order],
        "across": _across(corners)[order],
        "places": places,
        "ring": ring,
        "neighbours": neighbours,
    }


def welded(part: Part) -> tuple[np.ndarray, np.ndarray]:
    """Points and triangles, with coinciding points made one, without triangles that have no area.

    Raises MechanismError if none is left.
    """
    points = np.array(part.shape.points, float)
    places, names = np.unique(points, axis=0, return_inverse=True)
    corners = names.reshape(-1)[np.array(part.shape.triangles, np.int64)]
    sides = places[np.roll(corners, -1, axis=1)] - places[corners]
    longest = np.linalg.norm(sides, axis=2).max(axis=1)
    double_area = np.linalg.norm(np.cross(sides[:, 0], sides[:, 1]), axis=1)
    corners = corners[double_area > FLATNESS * longest**2]
    if not len(corners):
        refuse([Message("mesh-without-area", ("body", part.name))])
    return places, corners


def _rings(corners: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """The corners that share an edge with each: (starts (V + 1,), numbers)."""
    edges = np.concatenate([corners[:, [0, 1]], corners[:, [1, 2]], corners[:, [2, 0]]])
    edges = np.unique(np.concatenate([edges, edges[:, ::-1]]), axis=0)
    return np.searchsorted(edges[:, 0], np.arange(count + 1)), edges[:, 1].copy()


def _across(corners: np.ndarray) -> np.ndarray:
    """(T, 3) the third corner of the next triangle with the same edge, for each edge; -1 where there is none."""
    edges = np.sort(np.stack([corners, np.roll(corners, -1, axis=1)], axis=2).reshape(-1, 2), axis=1)
    third = np.roll(corners, 1, axis=1).ravel()
    _, edge, count = np.unique(edges, axis=0, return_inverse=True, return_counts=True)
    edge = edge.reshape(-1)
    order = np.argsort(edge, kind="stable")
    starts = np.cumsum(count) - count
    across = np.full(len(third), -1)
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    following = starts[edge] + (place - starts[edge] + 1) % count[edge]
    shared = count[edge] > 1
    across[shared] = third[order[following[shared]]]
    return across.reshape(-1, 3)


def _inward(places, corners, sides, normal, ring, neighbours) -> np.ndarray:
    """(V, 3) the way from each corner to the one below it; sharp tips are cut short."""
    towards = np.zeros_like(places)
    for corner in range(3):
        ahead, back = sides[:, corner], -sides[:, corner - 1]
        cosine = np.sum(ahead * back, axis=1) / np.linalg.norm(ahead, axis=1) / np.linalg.norm(back, axis=1)
        np.add.at(towards, corners[:, corner], np.arccos(np.clip(cosine, -1.0, 1.0))[:, None] * normal)
    size = np.linalg.norm(towards, axis=1, keepdims=True)
    towards /= np.where(size > 0.0, size, 1.0)
    owner = np.repeat(np.arange(len(places)), np.diff(ring))
    lengths = np.linalg.norm(places[neighbours] - places[owner], axis=1)
    mean = np.bincount(owner, lengths, len(places)) / np.maximum(np.diff(ring), 1)
    return DEPTH * np.minimum(mean, 1.0)[:, None] * towards


def _tree(low: np.ndarray, high: np.ndarray) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """The order of the triangles, and the boxes."""
    middle = low + high
    order = np.arange(len(low))
    boxes: list[tuple[np.ndarray, np.ndarray, int, int]] = []
    skips: dict[int, int] = {}
    waiting: list[tuple[int, int, tuple[int, ...]]] = [(0, len(low), ())]  # and the boxes that end with this one
    while waiting:
        start, end, ending = waiting.pop()
        number = len(boxes)
        inside = order[start:end]
        leaf = end - start <= LEAF
        boxes.append((low[inside].min(axis=0), high[inside].max(axis=0), start, end if leaf else start))
        if leaf:
            for box in (*ending, number):
                skips[box] = number + 1
            continue
        axis = int(np.ptp(middle[inside], axis=0).argmax())
        half = (end - start) // 2
        order[start:end] = inside[np.argpartition(middle[inside, axis], half)]
        waiting.append((start + half, end, (*ending, number)))
        waiting.append((start, start + half, ()))
    columns = list(zip(*boxes, strict=True))
    names = ("low", "high", "start", "end")
    arrays = {name: np.array(column) for name, column in zip(names, columns, strict=True)}
    return order, arrays | {"skip": np.array([skips[number] for number in range(len(boxes))])}


@kernel
def is_ghost(meshes, triangle, n):
    """True if a normal on a triangle, along its body's axes and out of the mesh, comes only from the cut beside it."""
    cosine = dot(load3(meshes.normal[triangle]), n)
    if cosine > 1.0 - OWN:
        return False
    if cosine <= 0.0:  # a wall or the bottom of the prism; at a sharp ridge the other triangle has the point
        return True
    corners, places, prism = meshes.corners[triangle], meshes.places, meshes.prism[triangle]
    first = 0
    for k in range(1, 3):
        if dot(n, load3(prism[k])) > dot(n, load3(prism[first])):
            first = k
    top, place = dot(n, load3(prism[first])), load3(places[corners[first]])
    for k in range(3):  # where a mesh is thin, prisms stick out at its other side
        below = load3(prism[k + 3])
        depth = subtract(below, load3(prism[k]))
        rise = dot(n, below) - top
        if rise > 0.0 or rise * rise < STEEP * STEEP * dot(depth, depth):
            return True
    alone = True
    for k in range(3):
        way = subtract(load3(places[corners[k]]), place)
        if k != first and not _rises(n, way, -LEVEL):
            continue
        following = subtract(load3(places[corners[(k + 1) % 3]]), place)
        if (k + 1) % 3 != first and not _rises(n, following, -LEVEL):
            continue
        alone = False  # these two are on top
        wing = meshes.across[triangle, k]
        if wing >= 0 and _rises(n, subtract(load3(places[wing]), place), RISE):
            return True
    if alone:
        for entry in range(meshes.ring[corners[first]], meshes.ring[corners[first] + 1]):
            if _rises(n, subtract(load3(places[meshes.neighbours[entry]]), place), RISE):
                return True
    return False


@kernel
def _rises(n, way, slope):
    """True if a way goes up along n more steeply than this slope (its sine)."""
    rise = dot(n, way)
    return rise * abs(rise) > slope * abs(slope) * dot(way, way)
