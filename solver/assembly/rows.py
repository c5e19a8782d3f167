# SPDX-License-Identifier: GPL-3.0-or-later
"""Rows between two frames: of joints, constraints and limits, with their derivatives.

Each kind of row looks at many connections at once: at d (k, 3), the second frame's origin seen from the first, and at
Q (k, 4), its orientation seen from the first. It returns Values: residuals (k, n) in m or rad, and how they change,
    d residual = G . (change of d) + E . (small rotation of the second frame, along the first one's axes).
Errors of direction are angles, so that a frame that is the wrong way round is as wrong as can be, never right.
"""

import functools
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from ..mechanism.joint_types import LENGTH, JointType
from ..model.poses import quaternions
from . import rotations

TINY = 1e-300
LENGTHS = ("x", "y", "z")
_ROTATION_VECTOR = ("turn x", "turn y", "turn z")


@functools.cache
def coordinate_names(joint_type: JointType) -> tuple[str, ...]:
    """The names of a joint's coordinates for `coordinate`: an angle by the axes of its frame, as "angle z"."""
    if joint_type.rides:
        return ()
    turns = "".join(LENGTHS[turn.axis] for turn in joint_type.turns)
    by_turns = {0: (), 1: (f"angle {turns}",), 2: (f"first {turns}", f"second {turns}"), 3: _ROTATION_VECTOR}
    names = iter(by_turns[len(turns)])
    return tuple(LENGTHS[axis.axis] if axis.kind == LENGTH else next(names) for axis in joint_type.axes)


class Values(NamedTuple):
    """Residuals (k, n) and their derivatives G, E (k, n, 3)."""

    residual: np.ndarray
    G: np.ndarray
    E: np.ndarray


def coordinate(name: str, d: np.ndarray, Q: np.ndarray) -> Values:
    """One joint coordinate, by its name in `coordinate_names`, with n = 1; an angle is that of the twist about an axis.

    "first xy" and "second xy" are the angles of a turn about x and then about the new y.
    """
    G, E = np.zeros((len(d), 1, 3)), np.zeros((len(d), 1, 3))
    if name in LENGTHS:
        axis = LENGTHS.index(name)
        G[:, 0, axis] = 1.0
        return Values(d[:, [axis]], G, E)
    if name.startswith("turn"):
        axis = LENGTHS.index(name[-1])
        theta = rotations.logarithm(Q)
        return Values(theta[:, [axis]], G, rotations.logarithm_rate(theta)[:, [axis]])
    kind, axes = name.split()
    if kind == "angle":
        order = _third(LENGTHS.index(axes))
        w, (x, y, z) = Q[:, 0], Q[:, 1:].T[order]  # the axis is called z
        square = np.maximum(w * w + z * z, TINY)
        # dQ = (0, phi) Q / 2, and the angle is 2 atan2(z, w)
        E[:, 0] = _back(np.stack([w * y + x * z, y * z - w * x, w * w + z * z], axis=1) / square[:, None], order)
        return Values(2.0 * np.arctan2(z, w)[:, None], G, E)
    i, j = map(LENGTHS.index, axes)
    k, way = 3 - i - j, _way(i, j)
    if kind == "first":  # about x and y: R y = (0, cos a, sin a)
        column = other = _column(Q, j)
        along_a, along_b = j, k
    else:  # R x = (cos b, .., ..), R z = (sin b, .., ..)
        column, other, along_a, along_b = _column(Q, i), _column(Q, k), i, i
    a, b = column[:, along_a], way * other[:, along_b]
    square = np.maximum(a * a + b * b, TINY)[:, None]
    change_a, change_b = _change(column, along_a), way * _change(other, along_b)
    E[:, 0] = (a[:, None] * change_b - b[:, None] * change_a) / square
    return Values(np.arctan2(b, a)[:, None], G, E)


def _way(i: int, j: int) -> float:
    """1 where the axes i and j, with the third, are a right-handed frame in this order, else -1."""
    return 1.0 if (j - i) % 3 == 1 else -1.0


def nearest_turn(angle: np.ndarray, near: np.ndarray) -> np.ndarray:
    """The angle, plus or minus whole turns, that is nearest to `near`."""
    return angle + 2.0 * np.pi * np.round((near - angle) / (2.0 * np.pi))


def near_coordinate(name: str, d: np.ndarray, Q: np.ndarray, near: np.ndarray) -> Values:
    """As `coordinate`, an angle on that of its turns that is nearest to `near` (k,)."""
    values = coordinate(name, d, Q)
    if name in LENGTHS or name in _ROTATION_VECTOR:
        return values
    return values._replace(residual=nearest_turn(values.residual, near[:, None]))


def _column(Q: np.ndarray, axis: int) -> np.ndarray:
    return rotations.rotate(Q, np.broadcast_to(np.eye(3)[axis], (len(Q), 3)))


def _change(vector: np.ndarray, axis: int) -> np.ndarray:
    """(k, 3): e with e . phi = (phi x vector)[axis]."""
    return np.cross(vector, np.broadcast_to(np.eye(3)[axis], vector.shape))


def _third(axis: int) -> list[int]:
    """The three axes in the cyclic order in which this one is the third."""
    return [(axis + 1) % 3, (axis + 2) % 3, axis]


def _back(components: np.ndarray, order: list[int]) -> np.ndarray:
    """Components along axes in such an order, along x, y and z."""
    result = np.empty_like(components)
    result[..., order] = components
    return result


@dataclass
class Rows(ABC):
    """Rows of one kind; `numbers` holds a list entry per connection for each of the kind's parameters."""

    is_length = True
    count = 3
    is_limit = False

    @abstractmethod
    def values(self, d: np.ndarray, Q: np.ndarray) -> Values:
        """Residuals and their slopes, for the travel d (n, 3) and the turn Q (n, 4) between the frames of n parts."""

    def follow(self, d: np.ndarray, Q: np.ndarray) -> None:  # noqa: B027 - most have nothing to remember
        """Remember the turns that the frames have made."""


@dataclass
class Place(Rows):
    """d is zero along some of the first frame's axes."""

    axes: tuple[int, ...] = (0, 1, 2)

    def __post_init__(self) -> None:
        self.count = len(self.axes)

    def values(self, d: np.ndarray, Q: np.ndarray) -> Values:
        """The travel along the axes (m)."""
        G = np.broadcast_to(np.eye(3)[list(self.axes)], (len(d), self.count, 3))
        return Values(d[:, list(self.axes)], G, np.zeros_like(G))


@dataclass
class Turn(Rows):
    """The frames have the same axes: three rows, the rotation vector between them."""

    is_length = False

    def values(self, d: np.ndarray, Q: np.ndarray) -> Values:
        """The rotation vector (rad), in the first frame."""
        theta = rotations.logarithm(Q)
        E = rotations.logarithm_rate(theta)
        return Values(theta, np.zeros_like(E), E)


@dataclass
class Axis(Rows):
    """The frames share an axis, which is called z below: two rows, the rotation vector from one to the other."""

    axis: int = 2
    is_length = False
    count = 2

    def values(self, d: np.ndarray, Q: np.ndarray) -> Values:
        """The rotation vector (rad) from one z to the other, which has no component along z."""
        order = _third(self.axis)
        c = _column(Q, self.axis)[:, order]
        s = np.hypot(c[:, 0], c[:, 1])
        angle = np.arctan2(s, c[:, 2])
        turned, safe = s < 1e-8, np.maximum(s, 1e-8)
        f = np.where(turned, 1.0, angle / safe)
        # angle' = c_z s' - s c_z', with (s, c_z) of unit length
        change = [_change(c, axis) for axis in range(3)]
        ds = (c[:, :1] * change[0] + c[:, 1:2] * change[1]) / safe[:, None]
        df = (c[:, 2:] * ds - s[:, None] * change[2]) / safe[:, None] - (angle / safe**2)[:, None] * ds
        df[turned] = 0.0
        E = np.stack([-f[:, None] * change[1] - df * c[:, 1:2], f[:, None] * change[0] + df * c[:, :1]], axis=1)
        residual = np.stack([-f * c[:, 1], f * c[:, 0]], axis=1)
        flipped = turned & (c[:, 2] < 0.0)
        residual[flipped] = [np.pi, 0.0]
        E[flipped] = np.eye(3)[:2]
        return Values(residual, np.zeros_like(E), _back(E, order))


@dataclass
class Square(Rows):
    """A Cardan cross: an axis of the first frame and another of the second are at a right angle, x and y below."""

    first: int = 0
    second: int = 1
    is_length = False
    count = 1

    def values(self, d: np.ndarray, Q: np.ndarray) -> Values:
        """The angle (rad) that the arms lack of a right one."""
        order = [self.first, self.second, 3 - self.first - self.second]
        y = _column(Q, order[1])[:, order]
        sine = np.hypot(y[:, 1], y[:, 2])
        E = _way(self.first, self.second) * _change(y, 0) / np.maximum(sine, 1e-12)[:, None]
        E[sine < 1e-12] = [0.0, 0.0, 1.0]
        residual = 0.5 * np.pi - np.arctan2(sine, y[:, 0])
        return Values(residual[:, None], np.zeros((len(d), 1, 3)), _back(E[:, None], order))


@dataclass
class Thread(Rows):
    """A screw: travel along z is pitch times the angle about it."""

    pitch: np.ndarray
    near: np.ndarray
    count = 1
    name = "angle z"

    def values(self, d: np.ndarray, Q: np.ndarray) -> Values:
        """The travel (m) beyond that of the angle."""
        angle = near_coordinate("angle z", d, Q, self.near)
        travel = coordinate("z", d, Q)
        residual = travel.residual - self.pitch[:, None] * angle.residual
        return Values(residual, travel.G, -self.pitch[:, None, None] * angle.E)

    def follow(self, d: np.ndarray, Q: np.ndarray) -> None:
        """Remember the angle, whole turns included."""
        self.near = near_coordinate("angle z", d, Q, self.near).residual[:, 0]


@dataclass
class Length(Rows):
    """The origins have a distance (m)."""

    number: np.ndarray
    count = 1

    def values(self, d: np.ndarray, Q: np.ndarray) -> Values:
        """The distance (m) beyond the one that is kept."""
        length = np.linalg.norm(d, axis=1)
        G = d / np.maximum(length, TINY)[:, None]
        G[length <= TINY] = [0.0, 0.0, 1.0]
        return Values((length - self.number)[:, None], G[:, None], np.zeros((len(d), 1, 3)))


@dataclass
class Span(Rows):
    """`share` times the distance of the origins, less `length` (m)."""

    share: np.ndarray
    length: np.ndarray
    count = 1

    def values(self, d: np.ndarray, Q: np.ndarray) -> Values:
        """The share of the distance (m) beyond its length."""
        span, G, E = Length(np.zeros(len(d))).values(d, Q)
        share = self.share[:, None]
        return Values(share * span - self.length[:, None], share[:, :, None] * G, E)


@dataclass
class Coordinate(Rows):
    """`share` times one coordinate of joints, less `kept`: one side of a coupling, or one that a motor leads."""

    name: str
    keeps_length: bool  # what is kept
    share: np.ndarray
    kept: np.ndarray
    near: np.ndarray
    count = 1
    is_length: bool = field(init=False)

    def __post_init__(self) -> None:
        self.is_length = self.keeps_length

    def values(self, d: np.ndarray, Q: np.ndarray) -> Values:
        """The share of the coordinate (m or rad) beyond what is kept."""
        q, G, E = near_coordinate(self.name, d, Q, self.near)
        share = self.share[:, None]
        return Values(share * q - self.kept[:, None], share[:, :, None] * G, share[:, :, None] * E)

    def follow(self, d: np.ndarray, Q: np.ndarray) -> None:
        """Remember the angle, whole turns included."""
        self.near = near_coordinate(self.name, d, Q, self.near).residual[:, 0]


@dataclass
class Bead(Rows):
    """d lies on a curve: three rows, the way from the curve's nearest point, which is across the curve."""

    curves: list

    def values(self, d: np.ndarray, Q: np.ndarray) -> Values:
        """The way (m) from the curve's nearest point, in the first frame."""
        residual, G = np.zeros((len(d), 3)), np.zeros((len(d), 3, 3))
        for k, curve in enumerate(self.curves):
            point, first, second = curve.nearest(d[k])
            residual[k] = d[k] - point
            square = first @ first
            # the nearest point moves by first . (change of d) / (|first|^2 - residual . second)
            bend = max(square - residual[k] @ second, 1e-3 * square)
            G[k] = np.eye(3) - np.outer(first, first) / bend
        return Values(residual, G, np.zeros_like(G))


@dataclass
class OnCam(Rows):
    """A roller touches a cam's profile: the gap between them."""

    profiles: list
    count = 1

    def values(self, d: np.ndarray, Q: np.ndarray) -> Values:
        """The gap (m), negative where the roller is inside."""
        residual, G = np.zeros((len(d), 1)), np.zeros((len(d), 1, 3))
        for k, profile in enumerate(self.profiles):
            residual[k], _, n = profile.gap((d[k] - profile.origin) @ profile.axes)
            G[k, 0] = profile.axes @ n
        return Values(residual, G, np.zeros_like(G))


@dataclass
class AlongCurve(Rows):
    """The second frame keeps to a curve: its x axis along it, two rows, and its z axis up, three in all."""

    keeps_up: bool
    curves: list
    is_length = False

    def __post_init__(self) -> None:
        self._law = Turn() if self.keeps_up else Axis(axis=0)
        self.count = self._law.count

    def values(self, d: np.ndarray, Q: np.ndarray) -> Values:
        """The rotation vector (rad) from the curve's frame next to d, along its axes."""
        residual = np.zeros((len(d), self.count))
        G, E = np.zeros((len(d), self.count, 3)), np.zeros((len(d), self.count, 3))
        for k, curve in enumerate(self.curves):
            u = curve.parameter_near(d[k])
            frame, (point, first, second) = curve.frame(u), curve.at(u)
            seen = rotations.multiply(rotations.conjugate(quaternions(frame[None])), Q[k : k + 1])
            law = self._law.values(np.zeros((1, 3)), seen)
            residual[k], E[k] = law.residual[0], law.E[0] @ frame.T
            square = first @ first
            bend = max(square - (d[k] - point) @ second, 1e-3 * square)
            G[k] = -np.outer(E[k] @ curve.bend(u), first / bend)
        return Values(residual, G, E)


@dataclass
class Riding(Rows):
    """Two surfaces touch: the gap between their nearest points."""

    pairs: list
    count = 1

    def values(self, d: np.ndarray, Q: np.ndarray) -> Values:
        """The gaps (m), negative where surfaces cut into each other."""
        residual, G, E = np.zeros((len(d), 1)), np.zeros((len(d), 1, 3)), np.zeros((len(d), 1, 3))
        for k, pair in enumerate(self.pairs):
            residual[k], G[k], arm = pair.gap(d[k], Q[k])
            E[k] = np.cross(arm, G[k, 0])
        return Values(residual, G, E)


@dataclass
class Limit(Rows):
    """One coordinate of joints stays within its bounds (infinite where there is none); inside, the row is zero."""

    name: str
    lower: np.ndarray
    upper: np.ndarray
    near: np.ndarray
    count = 1
    is_limit = True
    is_length: bool = field(init=False)

    def __post_init__(self) -> None:
        self.is_length = self.name in LENGTHS

    def values(self, d: np.ndarray, Q: np.ndarray) -> Values:
        """The coordinate (m or rad) beyond its bounds."""
        q, G, E = near_coordinate(self.name, d, Q, self.near)
        beyond = np.maximum(q[:, 0] - self.upper, 0.0) + np.minimum(q[:, 0] - self.lower, 0.0)
        return Values(beyond[:, None], G, E)

    def room(self, d: np.ndarray, Q: np.ndarray) -> np.ndarray:
        """(k, 2): the coordinate, counted from its lower and its upper bound."""
        q = near_coordinate(self.name, d, Q, self.near).residual
        return q - np.stack([self.lower, self.upper], axis=1)

    def follow(self, d: np.ndarray, Q: np.ndarray) -> None:
        """Remember the angle, whole turns included."""
        self.near = near_coordinate(self.name, d, Q, self.near).residual[:, 0]


BETWEEN_POINTS: dict[str, type[Rows]] = {"DISTANCE": Length}
"""Rows of each kind that a `PointPair` may have, by the name of the kind; `number` is that of the kind."""
