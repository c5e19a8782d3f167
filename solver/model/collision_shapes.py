# SPDX-License-Identifier: GPL-3.0-or-later
"""Collision shapes of a linkage: in the kernels' axes, with their materials, and the pairs that ignore each other.

Two surfaces meet with the geometric mean of their frictions, of their Stribeck speeds and of their restitutions: alike
surfaces keep their own, and what does not stick or bounce at all makes a pair that does not.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..mechanism.bodies import Material, Shape
from ..mechanism.description import Ground

_ROUND = ("sphere", "capsule", "cylinder")


@dataclass(frozen=True)
class Part:
    """One shape of a body, placed in the kernels' axes of that body, from its reference point."""

    body: int  # number of the kernels
    name: str  # of the body, for messages
    shape: Shape
    rotation: np.ndarray  # (3, 3)
    position: np.ndarray  # (3,) m


@dataclass(frozen=True)
class Surfaces:
    """The shapes of one linkage and of the fixed and keyed bodies that it may touch; P parts."""

    parts: list[Part]
    friction: np.ndarray  # (P + 1,); the last is the ground's
    static_friction: np.ndarray  # (P + 1,)
    stribeck_speed: np.ndarray  # (P + 1,) m/s: see `mechanism.stiction`
    restitution: np.ndarray  # (P + 1,)
    softness: np.ndarray  # (P + 1,): counts with soft contact alone
    size: np.ndarray  # (P + 1,) m: radius of a ball around the shape; of the ground, infinite
    thickness: np.ndarray  # (P + 1,) m: the shortest way through it; of meshes and the ground, infinite
    is_round: np.ndarray  # (P + 1,) bool: whether it rolls, rather than tips, over what it touches
    apart: set[tuple[int, int]]  # pairs that do not touch, by the kernels' numbers, the smaller first; not two driven
    ground: Ground | None
    has_pairs: bool  # whether bodies may touch each other

    def reach(self, bodies: int) -> np.ndarray:
        """(B,) m: nothing of a body's shapes is farther from its reference point."""
        reach = np.zeros(bodies)
        for part, size in zip(self.parts, self.size, strict=False):
            reach[part.body] = max(reach[part.body], _length(part.position) + 2.0 * size)
        return reach

    def thinnest(self, bodies: int) -> np.ndarray:
        """(B,) m: the least thickness of a body's shapes, infinite without any."""
        thinnest = np.full(bodies, np.inf)
        for part, thickness in zip(self.parts, self.thickness, strict=False):
            thinnest[part.body] = min(thinnest[part.body], thickness)
        return thinnest


def surfaces_of(
    parts: list[Part],
    materials: Sequence[Material | None],
    ground: Ground | None,
    apart: set[tuple[int, int]],
    has_pairs: bool,
) -> Surfaces:
    """Surfaces of parts, each of the material at its place in the list."""
    given = [material or Material() for material in materials] + [ground or Ground()]
    return Surfaces(
        parts=parts,
        friction=np.array([each.friction for each in given]),
        static_friction=np.array([each.static_friction if each.sticks else each.friction for each in given]),
        stribeck_speed=np.array([each.stribeck_speed for each in given]),
        restitution=np.array([each.restitution for each in given]),
        softness=np.array([each.softness for each in given]),
        size=np.array([_radius(part.shape) for part in parts] + [np.inf]),
        thickness=np.array([_thickness(part.shape) for part in parts] + [np.inf]),
        is_round=np.array([part.shape.type in _ROUND for part in parts] + [False]),
        apart=apart,
        ground=ground,
        has_pairs=has_pairs,
    )


def _radius(shape: Shape) -> float:
    """m: half the longest way through a shape, about."""
    if shape.type == "sphere":
        return shape.radius
    if shape.type == "box":
        return _length(shape.half_size)
    if shape.type in ("capsule", "cylinder"):
        return float(np.hypot(shape.radius, shape.half_length))
    return 0.5 * _length(np.ptp(np.array(shape.points), axis=0))


def _thickness(shape: Shape) -> float:
    """m: of hulls, along their own axes."""
    if shape.type in ("sphere", "capsule"):
        return 2.0 * shape.radius
    if shape.type == "box":
        return 2.0 * min(shape.half_size)
    if shape.type == "cylinder":
        return 2.0 * min(shape.radius, shape.half_length)
    return np.inf if shape.type == "mesh" else float(np.ptp(np.array(shape.points), axis=0).min())


def _length(vector: Sequence[float]) -> float:
    """Of three parts, squared and added in one order: that of a library's norm hangs on its release."""
    x, y, z = map(float, vector)
    return math.sqrt(x * x + y * y + z * z)
