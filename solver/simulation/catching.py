# SPDX-License-Identifier: GPL-3.0-or-later
"""Parts that hold anew while their ends are apart, and are drawn together on the course of `dynamics.tree.catching`.

A joint on its way is a closure (`CaughtJoint`), also where it belongs into a tree: no tree has coordinates for a joint
that is apart. When nothing that counts is left of its gap, the linkage ends, and another begins with the joint where it
belongs.
"""

import dataclasses
from collections.abc import Container, Sequence

import numpy as np

from ..mechanism import Mechanism
from ..mechanism.constraints import Constraint, Coupling, Curve, Span
from ..mechanism.error import refuse
from ..mechanism.forces import Approach
from ..mechanism.joints import CaughtJoint, Joint
from ..mechanism.messages import Message
from ..mechanism.table import largest_norm
from ..model.arrays import Model, RowKind, Scratch
from ..model.closures import Anchor, rows_of
from ..model.linkage.compilation import Compiled
from ..model.moment import Moment, holds_where_it_is
from ..model.poses import ZERO, body_pose, rotation_matrices
from ..model.topology import Linkage
from .closure_notes import part_of
from .recording import Recording

NOT_DRAWN = "screw", "contact"  # types of joints that are not
OPEN = 1e-6  # rad, or part of the linkage's size: a gap that is no rounding any more
_NOTHING = 1e-13  # rad, or part of the size: what is left when all is closed
_STEPS = 4.0  # of a fixed length in a time constant, at least
_LED = 1e-9  # rad, or part of the size: as near as what is led already
_LONGEST = 400.0  # time constants, from gaps of 1e150 times the size
_OF_THE_WAY, _OF_THE_REACH = 0.5, 0.25  # parts that a step may take ends on their way to each other
_BLOW = 0.01  # m/s: approach of an impact that a rope may have to do with
_PUSHES = 1e-9  # of the largest force so far: what is no rounding any more
_LONGEST_TAUT, _SHORTEST = 0.02, 1e-6  # s: of steps while a rope is taut
_LOOSENS = 1e-6  # m/s: that is no rounding
_LEAVES = 1e-9  # of a rope's length: the least way that a step may go
_LOOKED_AT, _SAMPLES = 10.0, 1001  # time constants, and places of a course, on which it may go farther at first
_TURNED_OVER = 1e-3  # rad: from where it is not known which way leads back


def may_be_drawn(constraint: Constraint) -> bool:
    """True if a constraint that is enabled on the way may find its ends apart, and can draw them together."""
    if isinstance(constraint, (Coupling, Curve)) or holds_where_it_is(constraint):
        return False
    return not isinstance(constraint, Span) or constraint.given_length is not None


def joint_gap(joint: Joint, parent: Anchor, child: Anchor, coordinates: np.ndarray) -> tuple[float, float]:
    """(m, rad): how far a joint's ends are apart, with its frames' places and turns on the two bodies."""
    a, b = (
        end[1] @ rotation_matrices(np.array(turn))[0]
        for end, (_, turn) in zip((parent, child), joint.sides, strict=True)
    )
    away = a.T @ (child[0] - parent[0])
    apart = [away[axis] for kind, axis, _ in rows_of(joint.joint_type) if kind == RowKind.TRAVEL]
    if joint.pitch is not None:
        apart.append(away[2] - joint.pitch * coordinates[0])
    turns = joint.joint_type.turns
    relative = a.T @ b
    turned = 0.0
    if not turns:
        turned = float(np.arccos(np.clip(0.5 * (np.trace(relative) - 1.0), -1.0, 1.0)))
    elif len(turns) == 1:
        axis = turns[0].axis
        turned = float(np.arctan2(np.linalg.norm(np.delete(relative[:, axis], axis)), relative[axis, axis]))
    elif len(turns) == 2:
        turned = float(abs(np.arcsin(np.clip(relative[turns[0].axis, turns[1].axis], -1.0, 1.0))))
    return float(np.linalg.norm(apart)), turned


def begin_courses(
    mechanism: Mechanism, compiled: Compiled, moment: Moment | None, gap: np.ndarray, opening: np.ndarray, when: str
) -> list[Message]:
    """Lets all that is to be drawn together begin with gaps (M,) and their rates (M,); returns notes on what is new.

    What fits although it need not, and does not say a time constant, holds at once. Raises MechanismError for what is
    turned over.
    """
    model, notes, problems = compiled.model, [], []
    time = 0.0 if moment is None else moment.time
    parts = {"joint": mechanism.joints, "constraint": mechanism.constraints}
    known = {} if moment is None else moment.known
    for source, closure in zip(compiled.sources, model.closures, strict=True):
        if not closure.tau > 0.0:
            continue
        rows = slice(closure.row_start, closure.row_end)
        unit = np.where(model.rows.is_length[rows] == 1, model.size, 1.0)
        if source.kind == "motor" and _is_there(gap[rows] / unit, closure.tau * opening[rows] / unit):
            closure.tau = 0.0
            continue
        asks = moment is not None and _asks(mechanism, source)
        if source not in known and not asks and not (np.abs(gap[rows]) / unit).max() > OPEN:
            closure.tau = 0.0
            continue
        if _is_turned_over(model, closure, gap[rows], closure.tau * opening[rows]):
            problems.append(Message("turned-over", part_of(mechanism, source), gap=said(model, rows, gap), when=when))
            continue
        model.rows.gap[rows], model.rows.opening[rows] = gap[rows], opening[rows]
        closure.begun = time
        closure.limit = 0.0 if source.kind == "motor" else parts[source.kind][source.index].force or 0.0
        if closure.limit > 0.0:
            closure.settled = np.inf
            if source not in known:
                how = {"gap": said(model, rows, gap) or "at different speeds", "start": f"{time:.6g}"}
                notes.append(Message("caught-by-force", part_of(mechanism, source), force=f"{closure.limit:g}", **how))
            continue
        closure.settled = time + closure.tau * _settling(gap[rows] / unit, closure.tau * opening[rows] / unit)
        if source not in known:
            when_closed = {"start": f"{time:.6g}", "end": f"{closure.settled:.6g}"}
            part, how = part_of(mechanism, source), said(model, rows, gap)
            if source.kind == "motor":
                notes.append(Message("led", part, gap=how or "at another speed", **when_closed))
            else:
                notes.append(Message("caught", part, gap=how or "at different speeds", **when_closed))
    refuse(problems)
    ends = model.closures.settled[(model.closures.settled > time) & np.isfinite(model.closures.settled)]
    compiled.stops = np.union1d(compiled.stops, ends)
    return notes


def said(model: Model, rows: slice, gap: np.ndarray) -> str:
    """In words how far a closure is open, as far as that is no rounding."""
    turns = model.rows.is_length[rows] == 0
    apart, turn = np.linalg.norm(gap[rows][~turns]), np.linalg.norm(gap[rows][turns])
    parts = [f"{apart:.3g} m apart"] if apart > OPEN * model.size else []
    parts += [f"turned by {np.degrees(turn):.3g} degrees"] if turn > OPEN else []
    return " and ".join(parts)


def _asks(mechanism: Mechanism, source) -> bool:
    if source.kind == "motor":
        return True  # one that begins on the way must not jump
    parts = mechanism.constraints if source.kind == "constraint" else mechanism.joints
    return parts[source.index].tau is not None


def _is_turned_over(model: Model, closure, gap: np.ndarray, way: np.ndarray) -> bool:
    """True if two axes that are to be one are opposite on the course, or two that are to be at right angles are one.

    gap (rad), and `way`, its rate times tau: on a course that begins outwards it grows at first. A rotation vector may
    be as long as a whole turn.
    """
    turns = model.rows.kind[closure.row_start : closure.row_end] == RowKind.TURN
    farthest = {1: 0.5 * np.pi, 2: np.pi, 3: 2.0 * np.pi}.get(int(turns.sum()))
    if farthest is None:
        return False
    s = np.linspace(0.0, _LOOKED_AT, _SAMPLES)[:, None]
    course = (gap[turns] + (gap[turns] + way[turns]) * s) * np.exp(-s)
    return float(np.linalg.norm(course, axis=1).max()) > farthest - _TURNED_OVER


def _is_there(gap: np.ndarray, way: np.ndarray) -> bool:
    """True if what a motor leads is where it leads, and as fast: parts of the scale, and of it in its tau."""
    return bool(max(np.abs(gap).max(), np.abs(way).max()) < _LED)


def _settling(gap: np.ndarray, way: np.ndarray) -> float:
    """Time constants until nothing is left of gaps (parts of the scale) and of `way`, their rates times tau."""
    most, both = np.abs(gap).max(), np.abs(gap + way).max() + np.abs(way).max()
    for s in np.arange(1.0, _LONGEST):
        if (most + both * (s + 1.0)) * np.exp(-s) < _NOTHING:
            return float(s)
    return _LONGEST


def carry_courses(old: Model, new: Model) -> None:
    """Lets what is drawn together go on as it was, in another model of the same closures."""
    closing, rows = int((old.closures.row_start < old.closing).sum()), old.closing
    for name in ("tau", "begun", "settled", "limit"):
        new.closures[name][:closing] = old.closures[name][:closing]
    for name in ("gap", "opening"):
        new.rows[name][:rows] = old.rows[name][:rows]


def draws_by_force(model: Model) -> bool:
    """True if anything is drawn together by a limited force."""
    return bool((model.closures.limit > 0.0).any())


def no_quicker_than(model: Model, interval: float) -> None:
    """Lets limited forces draw no quicker than steps of a fixed length (s) can follow: those of Euler's hold to it."""
    limited = model.closures.limit > 0.0
    model.closures.tau[limited] = np.maximum(model.closures.tau[limited], _STEPS * interval)


def gaps_now(model: Model, scratch: Scratch, closure) -> tuple[np.ndarray, np.ndarray]:
    """Gaps (rad, parts of the size) of a limited closure's rows, and their rates times tau, as last evaluated."""
    rows = slice(closure.row_start, closure.row_end)
    allowed = scratch.rows.allowed[rows] / np.where(model.rows.is_length[rows] == 1, model.size, 1.0)[:, None]
    return allowed[:, 0], closure.tau * allowed[:, 1]


def have_met(mechanism: Mechanism, compiled: Compiled, scratch: Scratch) -> list[str]:
    """The names of what a limited force has drawn together but for a rest that any force may close."""
    names = []
    for source, closure in zip(compiled.sources, compiled.model.closures, strict=True):
        if (
            closure.limit > 0.0
            and max(np.abs(each).max() for each in gaps_now(compiled.model, scratch, closure)) < OPEN
        ):
            names.append(part_of(mechanism, source)[1])
    return names


def refuse_drawing(mechanism: Mechanism, compiled: Compiled) -> None:
    """Raises MechanismError if anything is to be drawn together, or waits for that, by an integrator that cannot."""
    drawn = [part_of(mechanism, compiled.sources[k]) for k in np.flatnonzero(compiled.model.closures.tau > 0.0)]
    joints = {joint.name for joint in mechanism.joints}
    waiting = Waiting(mechanism, compiled.linkage).names
    drawn += [("joint" if name in joints else "constraint", name) for name in waiting]
    drawn += [("constraint", each.name) for each in mechanism.constraints if is_slack(each) and each.enabled]
    refuse(Message("catch-by-variational", part) for part in dict.fromkeys(drawn))


def come_together(mechanism: Mechanism, compiled: Compiled, time: float) -> list[str]:
    """The joints that were on their way, and at a time (s) have arrived."""
    names = []
    for source, closure in zip(compiled.sources, compiled.model.closures, strict=True):
        if source.kind == "joint" and not closure.gives_way and closure.settled <= time:
            joint = mechanism.joints[source.index]
            names += [joint.name] if joint.is_caught else []
    return names


def present_frame(mechanism: Mechanism, name: str | None, point, position, orientation) -> Anchor:
    """The place of a body's point (m, world at zero coordinates), and the turn of its axes (3, 3).

    position (B, 3), orientation (B, 4): of all bodies at present.
    """
    point = np.array(point, float)
    if name is None:
        return point, np.eye(3)
    number = next(i for i, body in enumerate(mechanism.bodies) if body.name == name)
    start, unturned = body_pose(mechanism.bodies[number])
    turn = rotation_matrices(orientation[number])[0] @ rotation_matrices(np.array(unturned))[0].T
    return position[number] + turn @ (point - np.array(start)), turn


def seen_from(mechanism: Mechanism, name: str | None, frame: Anchor, position, orientation) -> Anchor:
    """A frame in the present world as it stands on a body, in the world at zero coordinates."""
    origin, turn = present_frame(mechanism, name, (0.0, 0.0, 0.0), position, orientation)
    return turn.T @ (frame[0] - origin), turn.T @ frame[1]


def waits_at_start(mechanism: Mechanism) -> set[str]:
    """The names of constraints that are enabled and do not hold yet: their ends may be apart, or they hang slack."""
    waiting = (each for each in mechanism.constraints if each.enabled and each.within is not None)
    names = {each.name for each in waiting if each.end_points[0] != each.end_points[1]}
    ropes = (each for each in mechanism.constraints if each.enabled and is_slack(each))
    return names | {each.name for each in ropes if _begins_loose(mechanism, each)}


def is_slack(constraint: Constraint) -> bool:
    """True of a rod or a rope that pulls and never pushes."""
    return isinstance(constraint, Span) and constraint.slack


def hangs_loose(rope: Span, places: Sequence, time: float) -> bool:
    """True if the ends of a rope that may hang slack are nearer to each other at a time (s) than it is long."""
    if rope.given_length is None:
        return False
    length = rope.length_at(time)[0]
    return rope.length_between(*places) < length * (1.0 - OPEN)


def _begins_loose(mechanism: Mechanism, rope: Span) -> bool:
    """True of a rope that hangs loose at the start, or is taut and goes slack by the speeds that its bodies have."""
    if hangs_loose(rope, rope.end_points, 0.0):
        return True
    soon, places, bodies = 1e-7, [], {body.name: body for body in mechanism.bodies}
    for name, point in zip(rope.end_bodies, rope.end_points, strict=True):
        body, velocity = bodies.get(name), np.zeros(3)
        if body is not None:
            arm = np.subtract(point, body_pose(body)[0])
            velocity = np.array(body.linear_velocity or ZERO) + np.cross(body.angular_velocity or ZERO, arm)
        places.append(np.add(point, soon * velocity))
    length = rope.length_between(*rope.end_points)
    growth = 0.0 if rope.given_length is None else rope.length_at(0.0)[1]
    return rope.length_between(*places) - length < (growth - _LOOSENS) * soon and not growth < 0.0


def with_rope_lengths(mechanism: Mechanism) -> Mechanism:
    """The same, in which ropes that may hang slack and have no length of their own get the one as drawn."""
    constraints = [
        dataclasses.replace(each, **{each.LENGTH: each.drawn_length})
        if is_slack(each) and each.enabled and each.given_length is None
        else each
        for each in mechanism.constraints
    ]
    return dataclasses.replace(mechanism, constraints=constraints)


def working(
    mechanism: Mechanism, drawn: Container[str] = (), waiting: Container[str] = (), firm: Container[str] = ()
) -> Mechanism:
    """The mechanism as it works while some parts are drawn together, and some wait until their ends come near.

    Those that are `firm` need not keep to a largest force any more. Each part that may wait has a force before all
    others, which tells when that is.
    """
    joints = [_on_its_way(_without_limit(joint, firm), drawn, waiting) for joint in mechanism.joints]
    constraints = [
        dataclasses.replace(each, enabled=False) if each.name in waiting else _without_limit(each, firm)
        for each in mechanism.constraints
    ]
    parts = [part for part in (*mechanism.joints, *mechanism.constraints) if part.within is not None]
    forces = [_approach(part, part.name in waiting) for part in parts]
    forces += [tie for each in mechanism.constraints if is_slack(each) for tie in _ties(each, each.name in waiting)]
    return dataclasses.replace(mechanism, joints=joints, constraints=constraints, forces=[*forces, *mechanism.forces])


def at_work(mechanism: Mechanism) -> Mechanism:
    """The same at its start."""
    return working(mechanism, waiting=waits_at_start(mechanism))


def _without_limit(part: Joint | Constraint, firm: Container[str]) -> Joint | Constraint:
    return dataclasses.replace(part, force=None) if part.name in firm else part


def _on_its_way(joint: Joint, drawn: Container[str], waiting: Container[str]) -> Joint:
    if joint.name in waiting:
        return dataclasses.replace(joint, enabled=False)
    return CaughtJoint.of(joint) if joint.name in drawn and joint.type not in NOT_DRAWN else joint


def _approach(part: Joint | Constraint, enabled: bool) -> Approach:
    if isinstance(part, Joint):
        ends = {"body_a": part.child, "body_b": part.parent, "point_a": part.position, "point_b": part.position}
        if part.child == part.parent:
            ends["body_b"] = None
    else:
        ends = {name: getattr(part, name) for name in ("body_a", "body_b", "point_a", "point_b")}
    return Approach(name=part.name, stiffness=0.0, rest_length=part.within, enabled=enabled, **ends)


def _ties(rope: Span, enabled: bool) -> list[Approach]:
    """Forces without strength that make one linkage of all that a rope holds when it is taut."""
    ends = list(zip(rope.end_bodies, rope.end_points, strict=True))
    first, others = ends[0], [end for end in ends[1:] if end[0] is not None] or ends[1:2]
    exert = {"stiffness": 0.0, "rest_length": 0.0, "enabled": enabled}
    ties = {name: point for name, point in others if name != first[0]}
    return [
        Approach(name=rope.name, body_a=first[0], point_a=first[1], body_b=name, point_b=point, **exert)
        for name, point in ties.items()
    ]


class Waiting:
    """The parts of a linkage that wait for their ends to come near, and ropes that hang slack, while it moves."""

    def __init__(self, mechanism: Mechanism, linkage: Linkage) -> None:
        forces = (mechanism.forces[i] for i in linkage.forces)
        self._mechanism = mechanism
        approaches = {force.name: force for force in forces if isinstance(force, Approach) and force.enabled}
        self._approaches = list(approaches.values())
        self._ropes = {each.name: each for each in mechanism.constraints if is_slack(each)}
        self._leaving: set[str] | None = None  # ropes that have just gone slack
        self._most = 0.0  # m: that counts as near
        self._since = -np.inf  # s: when it was last looked at
        self._before: tuple[float, np.ndarray] | None = None  # s, m: by how much ends were too far apart, and when

    def __bool__(self) -> bool:
        return bool(self._approaches)

    @property
    def has_ropes(self) -> bool:
        """True if ropes hang slack."""
        return any(each.name in self._ropes for each in self._approaches)

    @property
    def names(self) -> list[str]:
        """Of joints and constraints."""
        return [each.name for each in self._approaches]

    def near(self, now: Recording, most: float) -> list[str]:
        """The names of what is no more than `most` (m) farther apart than it may be at a single frame."""
        found, self._most, self._since = self._too_far(now), most, float(now.times[0])
        self._note_leaving(found)
        return [each.name for each, far, _ in found if far <= (-most if each.name in self._leaving else most)]

    def longest_step(self, now: Recording) -> float:
        """s: of a step from there that passes nothing which waits."""
        return min(longest for *_, longest in self._too_far(now))

    def forget_step(self) -> None:
        """Forgets where the last step ended, which has been taken back."""
        self._before = None

    def met(self, now: Recording) -> tuple[float, list[str]] | None:
        """(s, names): when something has come near since the last frame that was asked about, as if evenly.

        What has just gone slack and is stretched would have held all the time: that is when it was last asked.
        """
        before, found, time = self._before, self._too_far(now), float(now.times[0])
        self._note_leaving(found)
        since, self._since = self._since, time
        stretched = [
            each.name
            for each, far, _ in found
            if far < -self._most and each.name in self._leaving and self._is_drawn_out(each.name, now)
        ]
        if stretched:
            return since, stretched
        found = [each for each in found if each[0].name not in self._leaving]
        far = np.array([each for _, each, _ in found])
        self._before = time, far
        if before is None or len(before[1]) != len(far) or not (far <= 0.0).any():
            return None
        share = np.where(far <= 0.0, before[1] / np.where(far <= 0.0, before[1] - far, 1.0), np.inf)
        share = np.clip(share, 0.0, None)
        first = float(share.min())
        names = [approach.name for (approach, *_), each in zip(found, share, strict=True) if each == first]
        return before[0] + first * (time - before[0]), names

    def _is_drawn_out(self, rope: str, now: Recording) -> bool:
        return _slack_and_loss(self._mechanism, self._ropes[rope], now)[1] > 0.0

    def _note_leaving(self, found: list[tuple[Approach, float, float]]) -> None:
        """Ropes that are taut as it begins have just gone slack, and are leaving until they are clearly slack."""
        near = {each.name for each, far, _ in found if each.name in self._ropes and far <= self._most}
        self._leaving = near if self._leaving is None else self._leaving & near

    def _too_far(self, now: Recording) -> list[tuple[Approach, float, float]]:
        return [
            (each, *_slack_of(self._mechanism, self._ropes[each.name], now))
            if each.name in self._ropes
            else (each, *_too_far(self._mechanism, each, now))
            for each in self._approaches
        ]


def _too_far(mechanism: Mechanism, approach: Approach, now: Recording) -> tuple[float, float]:
    """(m, s): how much farther apart than they may be ends are at a single frame, and a time in which they stay apart.

    The time is that of a part of the way at the speed that they have to each other, under gravity: in steps no longer
    than that nothing is passed but what comes nearer by a hundredth than it has to.
    """
    ends = (approach.body_a, approach.point_a), (approach.body_b, approach.point_b)
    places, velocities = _moving_ends(mechanism, ends, now)
    far = float(np.linalg.norm(places[1] - places[0])) - approach.rest_length
    way = max(_OF_THE_WAY * far, _OF_THE_REACH * approach.rest_length)
    speed, fall = float(np.linalg.norm(velocities[1] - velocities[0])), largest_norm(mechanism.gravity)
    longest = 2.0 * way / max(speed + np.sqrt(speed * speed + 2.0 * fall * way), 1e-300)
    return far, longest


def _slack_of(mechanism: Mechanism, rope: Span, now: Recording) -> tuple[float, float]:
    """(m, s): by how much a rope is longer than the way between its ends, and a time in which half of that stays."""
    slack, loss, speed = _slack_and_loss(mechanism, rope, now)
    length = rope.length_at(float(now.times[0]))[0]
    quickens = 4.0 * largest_norm(mechanism.gravity) + 2.0 * speed * speed / length
    way, loss = max(_OF_THE_WAY * slack, _LEAVES * length), max(0.0, loss)
    return slack, 2.0 * way / max(loss + np.sqrt(loss * loss + 2.0 * quickens * way), 1e-300)


def _slack_and_loss(mechanism: Mechanism, rope: Span, now: Recording) -> tuple[float, float, float]:
    """Of a rope: its slack (m), how fast that gets less (m/s), the largest speed of its ends to each other (m/s)."""
    ends = zip(rope.end_bodies, rope.end_points, strict=True)
    places, velocities = _moving_ends(mechanism, ends, now)
    length, grows = rope.length_at(float(now.times[0]))
    way, soon = rope.length_between(*places), 1e-7
    shifted = [place + soon * velocity for place, velocity in zip(places, velocities, strict=True)]
    loss = (rope.length_between(*shifted) - way) / soon - grows
    return length - way, loss, max(float(np.linalg.norm(a - b)) for a in velocities for b in velocities)


def _moving_ends(mechanism: Mechanism, ends, now: Recording) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Places (m) and velocities (m/s) of bodies' points at a single frame."""
    places, velocities = [], []
    for name, point in ends:
        place, velocity = present_frame(mechanism, name, point, now.position[0], now.orientation[0])[0], np.zeros(3)
        if name is not None:
            k = list(now.body_names).index(name)
            arm = place - now.position[0, k]
            velocity = now.linear_velocity[0, k] + np.cross(now.angular_velocity[0, k], arm)
        places.append(place)
        velocities.append(velocity)
    return places, velocities


def _held_with(model: Model, closures: Sequence[int]) -> np.ndarray:
    """(B,) bool: the dynamic bodies that joints and constraints hold together with the ends of some closures."""
    piece = np.arange(len(model.bodies))
    ends = [(i, int(model.bodies.inner[i])) for i in range(model.driven, len(model.bodies))]
    for closure in model.closures:
        ends += [(int(closure.body[0]), int(other)) for other in closure.body[1 : closure.ends]]
    for one, other in ends:
        if min(one, other) >= model.driven:
            piece[piece == piece[one]] = piece[other]
    held = {int(i) for k in closures for i in model.closures[k].body[: model.closures[k].ends] if i >= model.driven}
    return np.isin(piece, piece[list(held)]) & (piece >= model.driven)


class Ropes:
    """The ropes of a linkage that are taut and may go slack, while it moves."""

    def __init__(self, mechanism: Mechanism, compiled: Compiled) -> None:
        closures, constraints = compiled.model.closures, mechanism.constraints
        held = [(k, source.index) for k, source in enumerate(compiled.sources) if source.kind == "constraint"]
        held = [(k, i) for k, i in held if is_slack(constraints[i]) and not closures.tau[k] > 0.0]
        self._names = [constraints[i].name for _, i in held]
        self._rows = closures.row_start[[k for k, _ in held]] if held else np.zeros(0, int)
        self._on_ropes = _held_with(compiled.model, [k for k, _ in held])
        weights = compiled.model.bodies.mass[compiled.model.driven :].sum() * largest_norm(mechanism.gravity)
        self._largest = float(weights) if held else 0.0  # N: forces so far
        self._before: tuple[float, np.ndarray] | None = None
        self._begun = 0.0  # s
        self.longest_step = _LONGEST_TAUT  # s

    def __bool__(self) -> bool:
        return bool(self._names)

    def is_struck(self, impacts: np.recarray) -> bool:
        """True if one of the impacts (I,) since it was last asked was of a body that hangs together with a rope."""
        since = -np.inf if self._before is None else self._before[0]
        last = impacts[(impacts.time > since) & (impacts.speed > _BLOW)]
        return bool(self._on_ropes[last.body].any())

    def tensions(self, scratch: Scratch) -> np.ndarray:
        """N: as last evaluated."""
        return -scratch.rows.multiplier[self._rows]

    def pushing(self, time: float, tensions: np.ndarray, in_steps: bool) -> list[str]:
        """The names of ropes that would have to push as a motion begins; steps of fixed length try that for a step."""
        self._begun = time
        names = self._note(time, tensions)
        return [] if in_steps else names

    def _note(self, time: float, tensions: np.ndarray) -> list[str]:
        self._before = time, tensions
        self._largest = max(self._largest, float(np.abs(tensions).max()))
        return [name for name, each in zip(self._names, tensions, strict=True) if each < -_PUSHES * self._largest]

    def loosened(
        self, time: float, tensions: np.ndarray, integrator: str, is_struck: bool
    ) -> tuple[float, list[str]] | None:
        """(s, names): when ropes have gone slack since it was last asked, as if their forces went evenly.

        A step in which something was struck is tried without ropes, from its start. Those that it stretches hold for
        it, as rods: so every motion that begins anew has its first step.
        """
        before, in_steps = self._before, integrator == "impulse"
        names = self._note(time, tensions)
        self.longest_step = _LONGEST_TAUT
        if before is None or time <= before[0]:
            return (time, names) if names and not in_steps else None
        if in_steps and before[0] <= self._begun:
            return (time, names) if names else None
        if is_struck:
            return before[0], list(self._names)
        span, fall = time - before[0], before[1] - tensions
        if not names:
            falling = fall > 0.0
            soon = tensions[falling] / fall[falling]
            self.longest_step = min(_LONGEST_TAUT, max(_SHORTEST, float(soon.min(initial=np.inf)) * span))
            return None
        if integrator == "runge-kutta":  # which does not go back
            return time, names
        pushes = np.isin(self._names, names)
        shares = np.clip(before[1][pushes] / fall[pushes], 0.0, 1.0)
        first = float(shares.min())
        return before[0] + first * span, [name for name, s in zip(names, shares, strict=True) if s == first]
