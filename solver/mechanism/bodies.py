# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies, their given motions and their shapes for contact."""

# ruff: noqa: RUF009 (`key` only makes a field)

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from .record import Record, key, law, record, record_by_type
from .stiction import STRIBECK, check_static
from .table import Number, check_over_time, not_negative, over_time
from .value_rules import (
    Place,
    either,
    flag,
    index,
    inertia,
    list_of,
    number,
    one_of,
    positive_vector,
    quaternion,
    text,
    vector,
)

Vector = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]

ZERO = (0.0, 0.0, 0.0)
IDENTITY = (1.0, 0.0, 0.0, 0.0)


@dataclass
class Keys(Record):
    """Motion of a keyed body, or that a dynamic body follows, interpolated twice continuously differentiable."""

    kind: ClassVar[str] = "set of keys"
    times: tuple[float, ...] = key(list_of(number(), at_least=1))
    positions: tuple[Vector, ...] = key(list_of(vector))
    orientations: tuple[Quaternion, ...] = key(list_of(quaternion))

    @law("times", "positions", "orientations")
    def check_times(self, place: Place) -> None:
        check_over_time(self, ("positions", "orientations"), place)


_share = over_time(number(at_least=0, at_most=1))


@dataclass
class Follow(Record):
    """The pull of a dynamic body to the motion of its keys: as on a spring and damper of its own effective inertia.

    `relative_to` the `parent` (the neighbour that its joint hangs on) or the `world`. A `weight` of 0.5 leaves the
    `frequency` (Hz) as it is, 0 lets the body go, and 1 holds it to its keys. `gravity_only`: feed-forward bears the
    weight, but not what it takes to move as the keys do. `max_force`: N m, N along straight axes.
    `blend_time` (s): how long a body that was `released` takes to come back.
    """

    kind: ClassVar[str] = "follow"
    frequency: Number = key(not_negative, 3.0)
    damping_ratio: Number = key(not_negative, 1.0)
    weight: Number = key(_share, 0.5)
    feed_forward: Number = key(_share, 1.0)
    gravity_only: bool = key(flag, False)
    relative_to: str = key(one_of("parent", "world"), "parent")
    max_force: Number | None = key(not_negative, None)
    blend_time: float = key(number(at_least=0), 0.5)


class Surface(Record):
    """A surface for contact: its friction holds what sticks, and brakes what slides."""

    friction: float
    static_friction: float | None

    @property
    def sticks(self) -> bool:
        """True if what stands is held by more friction than what slides."""
        return self.static_friction is not None and self.static_friction > self.friction

    @law("friction", "static_friction")
    def check_friction(self, place: Place) -> None:
        check_static(self.static_friction, self.friction, place / "static_friction")


@dataclass
class Material(Surface):
    """A body's surface, for contact with others.

    `softness`: where contact is soft, a body on one point sinks in under its own weight by a part of its size, the mean
    of both surfaces' softness. `static_friction`, the same as `friction` if left out, holds what sticks, and falls to
    `friction` with the sliding speed; `stribeck_speed` (m/s): how fast.
    """

    kind: ClassVar[str] = "material"
    friction: float = key(number(at_least=0), 0.5)
    restitution: float = key(number(at_least=0), 0.3)
    softness: float = key(number(above=0, at_most=0.5), 1e-3)
    static_friction: float | None = key(number(at_least=0), None, null=True)
    stribeck_speed: float = key(number(above=0), STRIBECK)


@dataclass(kw_only=True)
class Shape(Record):
    """A shape for contact, placed in the body frame."""

    kind: ClassVar[str] = "shape"
    position: Vector = key(vector, ZERO)
    orientation: Quaternion = key(quaternion, IDENTITY)


@dataclass(kw_only=True)
class Sphere(Shape):
    """A ball of `radius` (m)."""

    type: ClassVar[str] = "sphere"
    radius: float = key(number(above=0))


@dataclass(kw_only=True)
class Box(Shape):
    """A box of half its size (m) along its own axes."""

    type: ClassVar[str] = "box"
    half_size: Vector = key(positive_vector)


@dataclass(kw_only=True)
class Capsule(Shape):
    """A rod with round ends: a segment of twice `half_length` along local Z, thickened by `radius`."""

    type: ClassVar[str] = "capsule"
    radius: float = key(number(above=0))
    half_length: float = key(number(above=0))


@dataclass(kw_only=True)
class Cylinder(Shape):
    """A cylinder about local Z."""

    type: ClassVar[str] = "cylinder"
    radius: float = key(number(above=0))
    half_length: float = key(number(above=0))


@dataclass(kw_only=True)
class Hull(Shape):
    """The convex hull of points."""

    type: ClassVar[str] = "hull"
    points: tuple[Vector, ...] = key(list_of(vector, at_least=4))


@dataclass(kw_only=True)
class Mesh(Shape):
    """A triangle mesh, for bodies that are fixed or keyed."""

    type: ClassVar[str] = "mesh"
    points: tuple[Vector, ...] = key(list_of(vector, at_least=3))
    triangles: tuple[tuple[int, int, int], ...] = key(list_of(list_of(index, count=3), at_least=1))

    @law("points", "triangles")
    def check_triangles(self, place: Place) -> None:
        count = len(self.points)
        for i, triangle in enumerate(self.triangles):
            if max(triangle) >= count:
                (place / "triangles" / i).say(f"names point {max(triangle)}, but there are {count} points, from 0")


_shape = record_by_type(Sphere, Box, Capsule, Cylinder, Hull, Mesh)


_positive = number(above=0)


def _mass(value: Any, place: Place) -> Any:
    """A positive number; what has no mass is no body, but a part of another one."""
    if not isinstance(value, bool) and isinstance(value, (int, float)) and value == 0:
        place.say("must be greater than 0, is 0; give it the mass that it has, or make it one body with a neighbour")
        return value
    return _positive(value, place)


@dataclass
class Body(Record):
    """A rigid body: `dynamic`, `fixed` (does not move) or `keyed` (moves as told).

    One that follows is not pulled while it is `released`, and one that does not collide touches nothing.
    """

    kind: ClassVar[str] = "body"
    name: str = key(text)
    motion: str = key(one_of("dynamic", "fixed", "keyed"), "dynamic")
    mass: float | None = key(_mass, None, changeable=True)
    center_of_mass: Vector = key(vector, ZERO)
    inertia: tuple | None = key(inertia, None, changeable=True)
    position: Vector | None = key(vector, None)
    orientation: Quaternion | None = key(quaternion, None)
    linear_velocity: Vector | None = key(vector, None)
    angular_velocity: Vector | None = key(vector, None)
    keys: Keys | None = key(record(Keys), None)
    follow: Follow | None = key(record(Follow), None)
    released: bool = key(flag, False, changeable=True)
    shape: Shape | tuple[Shape, ...] | None = key(either(_shape, list_of(_shape, at_least=1)), None)
    material: Material | None = key(record(Material), None, changeable=True)
    collides: bool = key(flag, True, changeable=True)

    @property
    def is_pulled(self) -> bool:
        """True if it follows its keys at present."""
        return self.follow is not None and not self.released

    @property
    def shapes(self) -> tuple[Shape, ...]:
        """All shapes of the body, whether it has none, one or a compound."""
        if self.shape is None:
            return ()
        return (self.shape,) if isinstance(self.shape, Shape) else tuple(self.shape)

    @property
    def touching_shapes(self) -> tuple[Shape, ...]:
        """Those that it touches with at present."""
        return self.shapes if self.collides else ()

    @law("motion", "mass")
    def check_mass(self, place: Place) -> None:
        if self.motion == "dynamic" and self.mass is None:
            (place / "mass").say("is missing; a dynamic body needs it")

    @law("motion", "inertia")
    def check_inertia(self, place: Place) -> None:
        if self.motion == "dynamic" and self.inertia is None:
            (place / "inertia").say("is missing; a dynamic body needs it")

    @law("motion", "keys", "follow")
    def check_keys(self, place: Place) -> None:
        if self.follow is not None:
            if self.motion != "dynamic":
                (place / "follow").say(f"belongs to a dynamic body, but motion is {self.motion}")
            elif self.keys is None:
                (place / "keys").say("is missing; a body that follows needs the motion that it follows")
            return
        if self.motion == "keyed" and self.keys is None:
            (place / "keys").say("is missing; a keyed body needs it")
        if self.motion != "keyed" and self.keys is not None:
            (place / "keys").say(f"belongs to a keyed body, but motion is {self.motion}")

    @law("follow", "released")
    def check_released(self, place: Place) -> None:
        if self.released and self.follow is None:
            (place / "released").say("belongs to a body that follows; give it follow and keys")

    @law("motion", "shape")
    def check_shape(self, place: Place) -> None:
        if self.motion == "dynamic" and any(isinstance(shape, Mesh) for shape in self.shapes):
            (place / "shape").say("must not be a mesh on a dynamic body; use a hull or a compound of other shapes")


def check_different(part: Any, place: Place) -> None:
    """Say it where both ends of a constraint or force are one body."""
    if part.body_a == part.body_b:
        place.say("joins a body to itself: body_a and body_b are the same")
