# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies that are inside each other, or below the ground, when the motion starts: contact would throw them apart."""

from collections.abc import Iterator

import numpy as np

from ...solver.mechanism.bodies import Body, Box, Capsule, Cylinder, Hull, Shape, Sphere
from ..geometry import poses
from ..geometry.convex import convex
from ..owner import is_dynamic
from ..read.reading import BodyBinding, Reading

DEEP = 0.05
"""Depth below the ground that is told of, as a part of the height of what is below."""
INSIDE = 0.05
"""Depth in another body that is told of, as a part of the thinner one's thickness, as in a bake's notes."""
MOST_BALLS = 8
PARALLEL = 1e-6
"""Sine of the angle between edges that count as parallel."""


def warn_of_start(reading: Reading) -> None:
    """Tell of dynamic bodies that start below the ground, and of pairs that start inside each other."""
    placed = [(binding, placed_shapes(binding.body)) for binding in reading.bodies if binding.body.touching_shapes]
    ground = reading.mechanism.contact.ground
    if ground is not None:
        for binding, shapes in placed:
            if is_dynamic(binding.object):
                _warn_of_depth(reading, binding, shapes, ground.height)
    _warn_of_overlaps(reading, placed)


Placed = tuple[Shape, np.ndarray, np.ndarray]
"""A shape, the rotation (3, 3) from its axes to the world's, and its place in the world."""


def placed_shapes(body: Body) -> list[Placed]:
    """The shapes of a body where they are at the start."""
    turn = poses.rotations(np.array(body.orientation))
    return [
        (shape, turn @ poses.rotations(np.array(shape.orientation)), turn @ shape.position + np.array(body.position))
        for shape in body.shapes
    ]


def height_range(placed: Placed) -> tuple[float, float]:
    """The lowest and the highest world Z of a shape."""
    shape, turn, place = placed
    up = turn[2]
    match shape:
        case Sphere():
            reach = shape.radius
        case Capsule():
            reach = shape.radius + shape.half_length * abs(up[2])
        case Cylinder():
            reach = shape.radius * np.hypot(up[0], up[1]) + shape.half_length * abs(up[2])
        case Box():
            reach = np.abs(up) @ np.array(shape.half_size)
        case _:
            heights = np.array(shape.points) @ up
            return float(place[2] + heights.min()), float(place[2] + heights.max())
    return float(place[2] - reach), float(place[2] + reach)


def _warn_of_depth(reading: Reading, binding: BodyBinding, shapes: list[Placed], ground: float) -> None:
    lows, highs = zip(*map(height_range, shapes), strict=True)
    depth = ground - min(lows)
    if depth > DEEP * (max(highs) - min(lows)):
        reading.warn(
            binding.object,
            f"starts {depth:.2g} m below the ground, which will throw it up: move it, change the ground's height, "
            "or drag its shape smaller (Size Handles in Collide)",
        )


def inner_balls(placed: Placed) -> Iterator[tuple[np.ndarray, float]]:
    """Balls (centre in the world, radius) that are inside a shape, in a row along its longest side."""
    shape, turn, place = placed
    match shape:
        case Sphere():
            yield place, shape.radius
        case Capsule():
            yield from _row(place, turn[:, 2], shape.half_length, shape.radius)
        case Cylinder():
            radius = min(shape.radius, shape.half_length)
            yield from _row(place, turn[:, 2], shape.half_length - radius, radius)
        case Box():
            longest, radius = int(np.argmax(shape.half_size)), min(shape.half_size)
            yield from _row(place, turn[:, longest], shape.half_size[longest] - radius, radius)
        case Hull():
            hull = convex(np.array(shape.points))
            middle = hull.solid.center_of_mass
            yield turn @ middle + place, float((hull.offsets - hull.normals @ middle).min())


def _row(place: np.ndarray, axis: np.ndarray, half: float, radius: float) -> Iterator[tuple[np.ndarray, float]]:
    count = min(MOST_BALLS, 1 + int(np.ceil(half / radius)))
    for share in np.linspace(-1.0, 1.0, count) if count > 1 else (0.0,):
        yield place + share * half * axis, radius


def _warn_of_overlaps(reading: Reading, placed: list[tuple[BodyBinding, list[Placed]]]) -> None:
    """Certain overlaps only: boxes, and balls inside the shapes. What lies flat upon each other does not count."""
    may_touch = _may_touch(reading)
    seen = {pair for pair in _balls_inside(placed) | _boxes_inside(placed) if may_touch(*(placed[k][0] for k in pair))}
    for i, j in sorted(seen):
        one, other = placed[i][0].object, placed[j][0].object
        culprit, rest = (one, other) if is_dynamic(one) else (other, one)
        reading.warn(
            culprit,
            f"starts inside {rest.name}, and contact will throw them apart: "
            "move one of them, or select both and choose Don't Collide",
        )


def _balls_inside(placed: list[tuple[BodyBinding, list[Placed]]]) -> set[tuple[int, int]]:
    """Pairs of bodies (places in the list) of which balls inside the shapes overlap."""
    balls = [(i, *ball) for i, (_, shapes) in enumerate(placed) for shape in shapes for ball in inner_balls(shape)]
    owner, radius = np.array([ball[0] for ball in balls], np.int64), np.array([ball[2] for ball in balls])
    center, found = np.array([ball[1] for ball in balls]).reshape(-1, 3), set()
    for k, near in _smaller_near(center, radius):
        near = near[owner[near] != owner[k]]
        overlap = radius[k] + radius[near] - np.linalg.norm(center[near] - center[k], axis=1)
        found |= {_pair(owner[k], other) for other in owner[near[overlap > 2.0 * INSIDE * radius[near]]]}
    return found


def _boxes_inside(placed: list[tuple[BodyBinding, list[Placed]]]) -> set[tuple[int, int]]:
    """Pairs of bodies (places in the list) of which boxes overlap, by the theorem of separating axes."""
    boxes = [(i, box) for i, (_, shapes) in enumerate(placed) for box in shapes if isinstance(box[0], Box)]
    owner, half = np.array([i for i, _ in boxes], np.int64), np.array([box[0].half_size for _, box in boxes])
    half = half.reshape(-1, 3)
    turn = np.array([box[1] for _, box in boxes]).reshape(-1, 3, 3)
    center, found = np.array([box[2] for _, box in boxes]).reshape(-1, 3), set()
    radius = np.linalg.norm(half, axis=1)
    for k, near in _smaller_near(center, radius):
        near = near[owner[near] != owner[k]]
        depth = _box_depths((turn[k], center[k], half[k]), (turn[near], center[near], half[near]))
        thin = 2.0 * np.minimum(half[near].min(axis=1), half[k].min())
        found |= {_pair(owner[k], other) for other in owner[near[depth > INSIDE * thin]]}
    return found


def _box_depths(one: tuple[np.ndarray, ...], others: tuple[np.ndarray, ...]) -> np.ndarray:
    """(n,) m: how deep a box is in each of n others, negative where a plane parts them; turn, centre and half sizes."""
    (turn, center, half), (turns, centers, halves) = one, others
    own = np.broadcast_to(turn.T, (len(turns), 3, 3))
    theirs = turns.swapaxes(1, 2)
    across = np.cross(own[:, :, None], theirs[:, None]).reshape(-1, 9, 3)
    size = np.linalg.norm(across, axis=2, keepdims=True)
    across = np.where(size > PARALLEL, across / np.maximum(size, PARALLEL), own[:, :1])
    axes = np.concatenate([own, theirs, across], axis=1)
    reach = np.abs(axes @ turn) @ half + (np.abs(axes @ turns) @ halves[:, :, None])[:, :, 0]
    apart = np.abs((axes @ (centers - center)[:, :, None])[:, :, 0])
    return (reach - apart).min(axis=1, initial=np.inf)


def _smaller_near(center: np.ndarray, radius: np.ndarray) -> Iterator[tuple[int, np.ndarray]]:
    """Each of n balls, with others that are no larger and have their centre within twice its radius."""
    if len(center) < 2:
        return
    from scipy.spatial import cKDTree

    lists = cKDTree(center).query_ball_point(center, 2.0 * radius)
    for k, numbers in enumerate(lists):
        if len(numbers) > 1:
            near = np.array(numbers, dtype=np.int64)
            near = near[(radius[near] <= radius[k]) & (near != k)]
            if len(near):
                yield k, near


def _pair(one: int, other: int) -> tuple[int, int]:
    return min(int(one), int(other)), max(int(one), int(other))


def _may_touch(reading: Reading):
    """Tells of two read bodies whether nothing keeps them from touching: a joint, or that they ignore each other."""
    apart = {frozenset(pair) for pair in reading.mechanism.contact.ignore}
    apart |= {frozenset((joint.parent, joint.child)) for joint in reading.mechanism.joints}

    def may_touch(one: BodyBinding, other: BodyBinding) -> bool:
        is_moved = is_dynamic(one.object) or is_dynamic(other.object)
        return is_moved and frozenset((one.body.name, other.body.name)) not in apart

    return may_touch
