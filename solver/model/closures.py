# SPDX-License-Identifier: GPL-3.0-or-later
"""From joints that close loops and from constraints to closures: frames on two bodies and the rows between them.

Body a is a joint's parent, or what a constraint holds its body to; body b is the joint's child, or the constraint's
body. Couplings of joints have two more bodies, c and d, which are to each other as a and b are; a rope has those of its
points, one after the other, and then two of each drum, what holds it and what turns. The rows are explained in
`dynamics.loops.closures`.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from ..mechanism.constraints import (
    Constraint,
    Curve,
    FrameConstraint,
    Nail,
    Orientation,
    Path,
    Span,
)
from ..mechanism.joint_types import JointType
from ..mechanism.joints import Joint
from ..mechanism.keyed_motion import led_pieces
from ..mechanism.ropes import OverWheels, Rope
from ..mechanism.table import Table
from .arrays import CLOSURE, ROW, RowKind, records
from .poses import orthogonal, product, rotation_matrices, transposed, turned

_TRAVEL = [(RowKind.TRAVEL, k, 0) for k in range(3)]
_TURN = [(RowKind.TURN, 0, 1), (RowKind.TURN, 1, 2), (RowKind.TURN, 2, 0)]
_OF_TURNS = RowKind.TURN, RowKind.TANGENT, RowKind.UP  # rows whose errors are angles
_IDENTITY = np.eye(3)
_MOST_GRIP = 30.0  # of friction times angle: pulls in a ratio of 1e13 have no digit in common


Anchor = tuple[np.ndarray, np.ndarray]  # origin (3,) m, axes (3, 3) of a frame in the world


@dataclass(frozen=True)
class Source:
    """The origin of a closure: a joint or a constraint by its place in the mechanism's list.

    kind: "joint", "constraint", "grip" for a rope beyond one of its grips, "cut" for what holds a body together that
    was cut at this joint, "motor" for what leads a coordinate of this joint, or "tree" for a joint that a tree holds by
    itself.
    """

    kind: str
    index: int
    coordinate: int = 0  # of a motor; of a grip its number


class Backlash(NamedTuple):
    """Place of joint_b of a gear or a rack between the ends of its backlash: d = q_b - ratio q_a - middle."""

    axes: tuple[int, int]  # of a linkage, joint_b's first
    ratio: float
    middle: float  # m or rad
    half: float  # m or rad: of the whole backlash
    is_angle: bool

    def off(self, coordinates: Sequence[float]) -> float:
        """d (m or rad), which is between -half and half."""
        return self.difference(coordinates) - self.middle

    def difference(self, values: Sequence[float]) -> float:
        """q_b - ratio q_a, or its rate or acceleration, of those of all axes of the linkage."""
        b, a = self.axes
        return float(values[b] - self.ratio * values[a])


@dataclass
class Closure:
    """One closure before it is turned into records; frames as (origin (3,), axes (3, 3)) in the world."""

    source: Source
    bodies: tuple[int, ...]  # kernel numbers of a, b and what else there is
    frames: tuple[Anchor, ...]
    rows: list[tuple[RowKind, int, int]]
    # m of a rope or a roller, m/rad of a screw, m or rad that a coupling keeps, the number of a pair of points
    length: float = 0.0
    ratio: float = 1.0  # of a coupling
    weight: tuple[float, ...] = ()  # of a rope's span from each of its bodies to the next
    radius: tuple[float, ...] = ()  # m: of a rope's drums
    # kernel numbers of the bodies whose joints' coordinates are coupled, b's first; of those that turn drums
    coupled: tuple[int, int] = (0, 0)
    is_angle: bool = False  # what a coupling keeps
    # piece starts (K,), powers (K, 6, 7), end; of a bead, or of what leads its row
    curve: tuple[np.ndarray, np.ndarray, float] | None = None
    is_closed: bool = False
    implied: int = 0  # how many other rows the trees meet by themselves
    place: int = 0  # of a grip: how many of its rope come before it,
    friction: tuple[float, ...] = ()  # the coefficients of its wheels, 0 at other points,
    wrapped: tuple[float, ...] = ()  # rad: how far the rope goes round there besides the angle between its spans,
    slips: int = 0  # and which way it slips


def joint_frames(joints: Sequence[Joint]) -> list[tuple[Anchor, Anchor]]:
    """The frames of joints on their parents and on their children, as drawn."""
    sides = [side for joint in joints for side in joint.sides]
    places = np.array([place for place, _ in sides], float).reshape(-1, 3)
    anchors = list(zip(places, rotation_matrices(np.array([turn for _, turn in sides], float)), strict=True))
    return list(zip(anchors[::2], anchors[1::2], strict=True))


def joint_closure(
    source: Source, joint: Joint, frames: tuple[Anchor, Anchor], bodies: tuple[int, int], ride: int = 0
) -> Closure:
    """The rows of a joint with these frames; `ride`: the number of a contact joint."""
    if joint.type == "contact":
        kept = (2, 0, 1) if joint.rolling else (2,)
        return Closure(source, bodies, frames, [(RowKind.RIDE, axis, ride) for axis in kept])
    return Closure(source, bodies, frames, rows_of(joint.joint_type), joint.pitch or 0.0)


def rows_of(joint_type: JointType) -> list[tuple[RowKind, int, int]]:
    """The rows of a joint: travels and turns that it does not have, and its thread. Two turns leave one right angle."""
    rows = _held(joint_type.held, [turn.axis for turn in joint_type.turns])
    return [*rows, (RowKind.SCREW, 2, 2)] if joint_type.is_threaded else rows


def _held(travels: Iterable[int], turns: Sequence[int]) -> list[tuple[RowKind, int, int]]:
    """The rows of what cannot travel along some axes, and turns about others only: about two as a Cardan cross."""
    rows = [(RowKind.TRAVEL, k, 0) for k in travels]
    if not turns:
        rows += _TURN
    elif len(turns) == 1:
        rows += [(RowKind.TURN, k, turns[0]) for k in range(3) if k != turns[0]]
    elif len(turns) == 2:
        rows.append((RowKind.TURN, *turns))
    return rows


def constraint_closure(
    source: Source,
    constraint: Constraint,
    bodies: tuple[int, int],
    poses: list[tuple[np.ndarray, np.ndarray]],
    anchor: Anchor | None = None,
) -> Closure:
    """The rows of a constraint; poses (position, rotation) of frames a and b's bodies at zero coordinates.

    `anchor`: frame a of a nail or an orientation that does not hold where its body is at zero coordinates.
    """
    if isinstance(constraint, Orientation):
        return Closure(source, bodies, (anchor or _at(poses[0][0]), _at(poses[1][0])), _TURN)
    if isinstance(constraint, Nail):
        at, place = _at(constraint.point), constraint.point if constraint.place is None else constraint.place
        return Closure(source, bodies, (_at(place) if anchor is None else (anchor[0], _IDENTITY), at), _TRAVEL)
    if isinstance(constraint, Path):
        axes = _IDENTITY if constraint.orientations is None else poses[1][1]
        frames = (poses[0], (np.array(constraint.point, float), axes))
        return Closure(source, bodies, frames, _TRAVEL if constraint.orientations is None else _TRAVEL + _TURN)
    if isinstance(constraint, FrameConstraint):
        return _between_frames(source, constraint, bodies, poses[0])
    if isinstance(constraint, Curve):
        return _bead(source, constraint, bodies)
    frames = tuple(map(_at, reversed(constraint.end_points)))
    pair = Closure(source, bodies, frames, [(RowKind[constraint.ROW], 0, 0)], constraint.row_number)
    return _led_length(pair, constraint) if isinstance(constraint, Span) else pair


def _bead(source: Source, curve: Curve, bodies: tuple[int, int]) -> Closure:
    """The curve in the axes of the world as drawn; that of a body from its middle, so that arms are short."""
    if curve.one_sided is not None:
        return _cam(source, curve, bodies)
    points = np.array(curve.points, float)
    origin = np.zeros(3) if curve.to is None else points.mean(axis=0)
    rows = [(RowKind.BEAD, 0, 0)] * 2
    if curve.align is not None:
        rows += [(RowKind.TANGENT, 0, 1), (RowKind.TANGENT, 0, 2)]
    if curve.align == "up":
        rows.append((RowKind.UP, 0, 1))
    held = np.array(curve.point, float), rotation_matrices(np.array(curve.orientation))[0]
    closure = Closure(source, bodies, (_at(origin), held if curve.align else _at(curve.point)), rows)
    closure.curve = curve_pieces(points - origin, curve.closed, curve.up if curve.align == "up" else None)
    closure.is_closed = curve.closed
    return closure


def _cam(source: Source, curve: Curve, bodies: tuple[int, int]) -> Closure:
    """The profile in its plane, whose axis is z."""
    origin, axes, points = curve.profile
    closure = Closure(source, bodies, ((origin, axes), _at(curve.point)), [(RowKind.CAM, 0, 0)], curve.radius)
    closure.curve, closure.is_closed = curve_pieces(points, curve.closed), curve.closed
    return closure


def _between_frames(source: Source, part: FrameConstraint, bodies: tuple[int, int], guide: Anchor) -> Closure:
    """`guide`: the pose of what leads it, if anything does."""
    held_to, held = ((np.array(place, float), rotation_matrices(np.array(turn))[0]) for place, turn in part.sides)
    if part.guide is not None:
        held_to = guide
    return Closure(source, bodies, (held_to, held), _held(part.locked_travels, part.free_turns))


def _led_length(closure: Closure, span: Span) -> Closure:
    """With what leads its length beyond that at the start, if anything does."""
    if isinstance(span.given_length, Table):
        starts, powers, end = led_pieces(span.given_length)
        powers[:, 0, 0] -= span.drawn_length
        closure.curve = starts, powers, end
    return closure


def rope_closure(source: Source, rope: OverWheels, bodies: tuple[int, ...], drums: Sequence[Joint] = ()) -> Closure:
    """The row of a rope over wheels; behind the bodies of its points come two of each drum's hinge."""
    points = [_at(point) for point in rope.end_points] + [_at(drum.position) for drum in drums for _ in drum.sides]
    closure = Closure(source, bodies, tuple(points), [(RowKind.ROPE, 0, 0)])
    closure.length, closure.weight = rope.drawn_length, rope.weights
    if drums:
        closure.radius = rope.radii
    closure = _led_length(closure, rope)
    closure.length += sum(radius * start_coordinate(drum) for radius, drum in zip(closure.radius, drums, strict=True))
    return closure


def grip_closures(
    source: Source, rope: Rope, bodies: tuple[int, ...], pairs: Sequence[tuple[int, int]], drums: Sequence[Joint]
) -> list[Closure]:
    """The rows of a rope beyond each of its grips, with what its drums have there.

    bodies: of its points; pairs: of each drum what holds it, and the drum.
    """
    if rope.slips is None:
        return []
    there = np.flatnonzero(rope.winds_at_last([drum.position for drum in drums])).tolist()
    places = rope.end_points + [drums[k].position for k in there for _ in range(2)]
    numbers = (*bodies, *(number for k in there for number in pairs[k]))
    found = []
    starts = sum(rope.radii[k] * start_coordinate(drums[k]) for k in there)
    lengths = rope.beyond or rope.lengths_beyond(rope.end_points)
    for place, wheels in enumerate(rope.grips):
        first = wheels[0]
        grip = Closure(Source("grip", source.index, place), numbers, tuple(map(_at, places)), [(RowKind.ROPE, 0, 0)])
        grip.weight = (*(0.0 for _ in range(first)), *rope.weights[first:])
        grip.radius = tuple(rope.radii[k] for k in there)
        grip.coupled = (*(pairs[k][1] for k in there), 0, 0)[:2]
        grip.length = lengths[place] + starts
        grip.place, grip.slips = place, int(rope.slips[place])
        most = sum(rope.friction[k] * (np.pi + rope.wrapped(k)) for k in wheels)
        share = min(1.0, _MOST_GRIP / most)
        grip.friction = tuple(share * each if k in wheels else 0.0 for k, each in enumerate(rope.friction))
        grip.wrapped = tuple(map(rope.wrapped, range(len(rope.points))))
        found.append(_led_length(grip, rope))
    return found


def start_coordinate(joint: Joint) -> float:
    """rad or m: the first coordinate of a joint as drawn."""
    return (joint.start_coordinates or (0.0,))[0]


@dataclass(frozen=True)
class Drums:
    """The drums that a rope winds on, in a linkage: their axes, radii (m), and angles at the start (rad)."""

    axes: tuple[int, ...]
    radii: tuple[float, ...]
    starts: tuple[float, ...]

    def wound(self, coordinates: Sequence[float]) -> float:
        """m: taken up since the start, by the coordinates of all axes."""
        turned = zip(self.radii, self.axes, self.starts, strict=True)
        return float(sum(radius * (coordinates[axis] - start) for radius, axis, start in turned))

    def winding(self, speeds: Sequence[float]) -> float:
        """m/s: how fast, by the speeds of all axes; or m/s2, by their accelerations."""
        return float(sum(radius * speeds[axis] for radius, axis in zip(self.radii, self.axes, strict=True)))


def _at(point) -> tuple[np.ndarray, np.ndarray]:
    return np.array(point, float), _IDENTITY


def cut_closure(joint: int, bodies: tuple[int, int], center: np.ndarray) -> Closure:
    """The closure that holds the two parts of a body together that was cut at a joint."""
    return Closure(Source("cut", joint), bodies, (_at(center), _at(center)), _TRAVEL + _TURN)


def curve_pieces(points: np.ndarray, closed: bool, up: Sequence | None = None) -> tuple[np.ndarray, np.ndarray, float]:
    """A cubic spline through points (n, 3) by chord length: piece starts (K,), powers (K, 6, 7), end (m).

    Twice continuously differentiable; an open one is straight at its ends, where it goes on as a straight line. `up`:
    a direction, or one at each point, becomes columns 3 to 5; beyond open ends it stays what it is there.
    """
    from scipy.interpolate import CubicSpline

    if up is not None:
        up = np.array(up, float) / np.linalg.norm(up, axis=1, keepdims=True)
        up = np.tile(up, (len(points), 1)) if len(up) == 1 else up
    if closed:
        points = np.vstack([points, points[:1]])
    chords = np.linalg.norm(np.diff(points, axis=0), axis=1)
    keep = np.concatenate([[True], chords > 1e-9 * max(float(chords.sum()), 1e-300)])
    points, chords = points[keep], chords[keep[1:]]
    if closed:
        points[-1] = points[0]
    parameter = np.concatenate([[0.0], np.cumsum(chords)])
    spline = CubicSpline(parameter, points, bc_type="periodic" if closed else "natural")
    powers = np.zeros((len(parameter) - 1, 6, 7))
    powers[:, :4, :3] = np.moveaxis(spline.c[::-1], 0, 1)
    if up is not None:
        up = np.vstack([up, up[:1]])[keep] if closed else up[keep]
        if closed:
            up[-1] = up[0]
        ups = CubicSpline(parameter, up, bc_type="periodic" if closed else "clamped")
        powers[:, :4, 3:6] = np.moveaxis(ups.c[::-1], 0, 1)
    return parameter[:-1], powers, float(parameter[-1])


@dataclass
class ClosureArrays:
    """All closures of a linkage as arrays; the curves' pieces are to stand behind `offset` others."""

    closures: np.recarray
    rows: np.recarray
    closing: int
    times: list[np.ndarray] = field(default_factory=list)
    powers: list[np.ndarray] = field(default_factory=list)


def closure_arrays(
    closures: list[Closure], centers: np.ndarray, axes: np.ndarray, offset: int, closing: int
) -> ClosureArrays:
    """Records of closures: centers (B, 3) reference points and axes (B, 3, 3) of the kernels' bodies in the world.

    `offset`: number of spline pieces before these; `closing`: how many of the closures are not joints of the trees.
    """
    counts = np.array([len(closure.rows) for closure in closures], int)
    result, rows = records(len(closures), CLOSURE), records(counts.sum(), ROW)
    arrays = ClosureArrays(result, rows, int(counts[:closing].sum()))
    if not closures:
        return arrays
    result.row_end = np.cumsum(counts)
    result.row_start = result.row_end - counts
    for name in ("coupled", "ratio", "implied", "length", "place", "slips"):
        result[name] = [getattr(closure, name) for closure in closures]
    for record, closure in zip(result, closures, strict=True):
        if closure.weight:
            record.drums = len(closure.radius)
            record.weight[: len(closure.weight)], record.radius[: record.drums] = closure.weight, closure.radius
            record.friction[: len(closure.friction)] = closure.friction
            record.wrapped[: len(closure.wrapped)] = closure.wrapped
    whole = {closure.source.index: k for k, closure in enumerate(closures) if closure.source.kind == "constraint"}
    result.rope = [whole[each.source.index] if each.source.kind == "grip" else -1 for each in closures]
    result.ends = [len(closure.bodies) for closure in closures]
    _place_frames(result, closures, centers, axes)
    _fill_rows(rows, closures, counts)
    result.curve_start = result.curve_end = -1
    for record, closure in zip(result, closures, strict=True):
        if closure.curve is not None:
            times, powers, record.curve_stop = closure.curve
            record.curve_start = offset + sum(map(len, arrays.times))
            record.curve_end = record.curve_start + len(times)
            record.is_closed = closure.is_closed
            arrays.times.append(times)
            arrays.powers.append(powers)
    return arrays


def _place_frames(result: np.recarray, closures: list[Closure], centers: np.ndarray, axes: np.ndarray) -> None:
    """The closures' frames, in the axes of the bodies that they are on."""
    number = np.repeat(np.arange(len(closures)), result.ends)
    end = np.concatenate([np.arange(ends) for ends in result.ends])
    body = np.array([body for closure in closures for body in closure.bodies])
    result.body[number, end] = body
    origins = np.array([origin for closure in closures for origin, _ in closure.frames], float)
    frames = np.array([frame for closure in closures for _, frame in closure.frames], float)
    own = transposed(axes[body])
    result.rotation[number[end < 2], end[end < 2]] = orthogonal(product(own, frames)[end < 2]).reshape(-1, 9)
    result.point[number, end] = turned(own, origins - centers[body])


def _fill_rows(rows: np.recarray, closures: list[Closure], counts: np.ndarray) -> None:
    rows.closure = np.repeat(np.arange(len(closures)), counts)
    drawn = np.array([row for closure in closures for row in closure.rows], int).reshape(-1, 3)
    rows.kind, rows.axis_a, rows.axis_b = drawn.T
    is_angle = np.repeat([closure.is_angle for closure in closures], counts)
    rows.is_length = ~np.isin(rows.kind, _OF_TURNS) & ~is_angle
