# SPDX-License-Identifier: GPL-3.0-or-later
"""Poses of a script's bodies in the world, and links as one spatial axis each.

A pose is (t, E): a point x of the body is at t + E x. The thesis (Schroeder 1990, A.1) writes motions as (angular,
linear) and takes the linear part at the origin of the frame: an axis through r along the unit vector u, with pitch h,
is s = (u, r x u + h u). A link's axis is given in the child's frame, where it stands still:
    child = parent . distal . proximal^-1 . exp(s q),   velocity of child = velocity of parent + s qdot.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

from ..mechanism.bodies import IDENTITY, ZERO, Quaternion, Vector
from ..rotation import conjugate, exponential, matrix_of_quaternion, multiply_quaternions, normalized
from ..spatial import add, cross, dot, rotate, scale, subtract

PARALLEL = 1e-6
"""Moments along an axis below this part of the whole are what typing left of zero: the axis turns, and has no pitch."""


class Pose(NamedTuple):
    """A frame in another one."""

    position: Vector = ZERO
    orientation: Quaternion = IDENTITY

    def __matmul__(self, inner: Pose) -> Pose:
        """The frame `inner`, given in this one, in the frame that this one is given in."""
        turn = normalized(multiply_quaternions(self.orientation, inner.orientation))
        return Pose(self.point(inner.position), turn)

    def point(self, point: Vector) -> Vector:
        """The place of a point of this frame."""
        return add(self.position, self.vector(point))

    def vector(self, vector: Vector) -> Vector:
        """A vector along this frame's axes, as it is outside."""
        return rotate(matrix_of_quaternion(self.orientation), vector)

    def inverse(self) -> Pose:
        """The outer frame in this one."""
        back = Pose(ZERO, conjugate(self.orientation))
        return Pose(scale(-1.0, back.vector(self.position)), back.orientation)


AT_ORIGIN = Pose()


@dataclass
class Axis:
    """A spatial axis as a joint sees it: its frame in the child, and what a unit of the script's q is in ours."""

    type: str  # revolute, prismatic or screw
    frame: Pose  # the axis is its Z
    unit: float  # our coordinate (rad; m for prismatic) for q = 1
    pitch: float = 0.0  # m/rad

    @classmethod
    def of_frame(cls, frame: Pose) -> Axis:
        """The rotational axis that every link begins with: Z of the proximal frame."""
        return cls("revolute", frame, 1.0)

    @classmethod
    def of_spatial(cls, s: tuple[float, ...]) -> Axis | None:
        """The axis s = (angular, linear); None if s is nothing."""
        angular, linear = s[:3], s[3:]
        turn, travel = math.hypot(*angular), math.hypot(*linear)
        if max(turn, travel) < 1e-12:
            return None
        if turn < 1e-12 * travel:
            return cls("prismatic", Pose(ZERO, turn_z_to(scale(1.0 / travel, linear))), travel)
        u = scale(1.0 / turn, angular)
        along = dot(u, linear)
        frame = Pose(scale(1.0 / turn, cross(u, linear)), turn_z_to(u))
        if abs(along) <= PARALLEL * travel:
            return cls("revolute", frame, turn)
        return cls("screw", frame, turn, along / turn)

    def spatial(self) -> tuple[Vector, Vector]:
        """(angular, linear) of the axis in the child's frame, for q = 1."""
        u = self.frame.vector((0.0, 0.0, 1.0))
        if self.type == "prismatic":
            return ZERO, scale(self.unit, u)
        moment = add(cross(self.frame.position, u), scale(self.pitch, u))
        return scale(self.unit, u), scale(self.unit, moment)

    def displacement(self, q: float) -> Pose:
        """exp(s q): where the axis takes the child, in the child's own frame before."""
        u = self.frame.vector((0.0, 0.0, 1.0))
        if self.type == "prismatic":
            return Pose(scale(self.unit * q, u))
        angle = self.unit * q
        turn = Pose(ZERO, exponential(scale(math.remainder(angle, 2.0 * math.pi), u)))
        r = self.frame.position
        travel = add(subtract(r, turn.vector(r)), scale(self.pitch * angle, u))
        return Pose(travel, turn.orientation)


def turn_z_to(u: Vector) -> Quaternion:
    """The shortest turn that takes Z to the unit vector u; about X where u is -Z."""
    if u[2] < -1.0 + 1e-14:
        return (0.0, 1.0, 0.0, 0.0)
    return normalized((1.0 + u[2], -u[1], u[0], 0.0))


class Velocity(NamedTuple):
    """Of a body: angular, and linear of its origin; world axes."""

    angular: Vector = ZERO
    linear: Vector = ZERO

    def carried(self, arm: Vector) -> Velocity:
        """The velocity of a point at `arm` from the origin that moves with the body."""
        return Velocity(self.angular, add(self.linear, cross(self.angular, arm)))
