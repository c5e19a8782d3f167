# SPDX-License-Identifier: GPL-3.0-or-later
"""Closures that hold on one side only, of ropes, cams and gears with backlash: which begins open, and when one that
holds lets go.

Its force is the one by which it holds: the tension of a rope, the push of a cam, what the teeth pass on.
"""

import dataclasses
from collections.abc import Container, Sequence

import numpy as np

from ...assembly.curve import CamProfile
from ...mechanism import Mechanism
from ...mechanism.constraints import Constraint, Coupling, Curve, Span
from ...mechanism.messages import Message
from ...mechanism.ropes import Rope
from ...mechanism.table import largest_norm
from ...model.arrays import Hold, Model, Scratch
from ...model.linkage.compilation import Compiled
from ...model.poses import ZERO, body_pose
from ...model.topology import counted_joints
from .ends import Ends, Now
from .gaps import BacklashGap, CamGap, RopeGap, gap_of, is_one_sided, watch

_NEARER = 1e-6  # of a rope's length, of a profile's size: that is no rounding any more
_BLOW = 0.01  # m/s: approach of an impact that a part may have to do with
_PUSHES = 1e-9  # of the largest force so far: what is no rounding any more
_LONGEST_HELD, _SHORTEST = 0.02, 1e-6  # s: of steps while a part holds
_PASSES = 0.1  # of its size: by which a profile passes its follower in a step, at most
_NO_BOUNCE = 1e-6  # of a profile's size, of a backlash: height of bounces that are none
_RANK = 1e-9  # of the largest singular value: one that is zero; and the part that a row has in a sum
INSIDE_AT_START, _INSIDE = 1e-5, 1e-7  # of a profile's size: that a follower may be inside at the start, and later
LOOSENS = 1e-6  # m/s: that is no rounding


def is_slack(constraint: Constraint) -> bool:
    """True of a rod or a rope that pulls and never pushes."""
    return isinstance(constraint, Span) and constraint.slack


def hangs_loose(part: Constraint, places: Sequence, time: float, wound: float = 0.0) -> bool:
    """True if a rope or a cam is open at a time (s) with its ends at these places (E, 3); wound (m): on its drums."""
    gap = gap_of(part)
    return gap.is_open(places, time, _NEARER, wound) if isinstance(gap, RopeGap) else gap.is_open(places, time, _NEARER)


def begins_loose(mechanism: Mechanism, part: Constraint) -> bool:
    """True of what holds nothing at the start: a rope that is slack, or is taut and goes slack by its bodies' speeds.

    A cam holds once it is seen that its follower does not leave it. A gear begins in the middle of its backlash.
    """
    if not is_slack(part):
        return True
    rope = part
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
    growth -= _winding_at_start(mechanism, rope)
    return rope.length_between(*places) - length < (growth - LOOSENS) * soon and not growth < 0.0


def _winding_at_start(mechanism: Mechanism, rope: Constraint) -> float:
    """m/s: how fast its drums take up a rope at the start, if their hinges are said to turn."""
    if not isinstance(rope, Rope):
        return 0.0
    turning = (
        (radius, hinge.speeds) for radius, hinge in zip(rope.radii, counted_joints(mechanism, rope), strict=True)
    )
    return sum(radius * speeds[0] for radius, speeds in turning if speeds)


def with_rope_lengths(mechanism: Mechanism) -> Mechanism:
    """The same, in which ropes that may hang slack and have no length of their own get the one as drawn."""
    constraints = [
        dataclasses.replace(each, **{each.LENGTH: each.drawn_length})
        if is_slack(each) and each.enabled and each.given_length is None
        else each
        for each in mechanism.constraints
    ]
    return dataclasses.replace(mechanism, constraints=constraints)


def inside_at_start(mechanism: Mechanism) -> list[Message]:
    """Problems: followers that are drawn inside their cams' profiles, or on the side that does not push."""
    found = []
    for cam in _cams(mechanism):
        profile = CamProfile(cam)
        gap = profile.gap((np.array(cam.point) - profile.origin) @ profile.axes)[0]
        if gap < -INSIDE_AT_START * profile.size:
            found.append(Message("cam-inside", ("constraint", cam.name), depth=f"{-gap:.3g}"))
    return found


def doubts_about_cams(mechanism: Mechanism) -> list[Message]:
    """Notes on cams whose rollers do not fit into hollows of their profiles."""
    found = []
    for cam in _cams(mechanism):
        place = CamProfile(cam).undercut() if cam.radius > 0.0 else None
        if place is not None:
            where = "{:.3g} {:.3g} {:.3g}".format(*place)
            found.append(Message("cam-undercut", ("constraint", cam.name), radius=f"{cam.radius:g}", place=where))
    return found


def _cams(mechanism: Mechanism) -> list[Curve]:
    return [each for each in mechanism.constraints if each.enabled and isinstance(each, Curve) and each.one_sided]


def with_ends_met(mechanism: Mechanism, compiled: Compiled, names: Container[str], now: Now) -> Mechanism:
    """The same, in which gears and racks of these names hold at the ends of backlash that they have come to."""
    constraints = [
        dataclasses.replace(each, side=BacklashGap(compiled.backlashes[each.name], 1.0).end(now))
        if isinstance(each, Coupling) and each.name in names
        else each
        for each in mechanism.constraints
    ]
    return dataclasses.replace(mechanism, constraints=constraints)


def bouncing(mechanism: Mechanism, compiled: Compiled, names: Container[str], now: Now) -> set[str]:
    """The names of what strikes so fast that it bounces off; smaller bounces, without end, are left out."""
    found = set()
    for part in mechanism.constraints:
        if part.name in names and getattr(part, "restitution", 0.0) > 0.0:
            watched = watch(mechanism, compiled, part)
            is_cam = isinstance(part, Curve)
            size, least = (watched.gap.size, largest_norm(mechanism.gravity)) if is_cam else (watched.size, 0.0)
            gap = watched.now(now, least)
            back = part.restitution * gap.closing
            if back > 0.0 and back * back > 2.0 * _NO_BOUNCE * size * max(gap.quickens, least):
                found.add(part.name)
    return found


class OneSided:
    """The ropes of a linkage that are taut, cams that push, and gears at an end of backlash, while it moves.

    They may let go.
    """

    def __init__(self, mechanism: Mechanism, compiled: Compiled) -> None:
        closures, constraints = compiled.model.closures, mechanism.constraints
        held = [(k, source.index) for k, source in enumerate(compiled.sources) if source.kind == "constraint"]
        held = [(k, i) for k, i in held if is_one_sided(constraints[i]) and not closures.tau[k] > 0.0]
        self._names = [constraints[i].name for _, i in held]
        self._push = np.array([_push_of(constraints[i]) for _, i in held])
        cams = ((each.name, CamGap(each)) for each in (constraints[i] for _, i in held) if isinstance(each, Curve))
        self._inside: dict[str, float] = {}  # s: for how long followers have been inside profiles
        self._cams = [(name, gap, Ends(mechanism, compiled, gap.ends)) for name, gap in cams]
        self._rows = closures.row_start[[k for k, _ in held]] if held else np.zeros(0, int)
        self._is_gear = np.array([isinstance(constraints[i], Coupling) for _, i in held], bool)
        self._held_with = _held_with(compiled.model, [k for k, _ in held])
        weights = float(compiled.model.bodies.mass[compiled.model.driven :].sum()) * largest_norm(mechanism.gravity)
        self._is_moment = 1 - compiled.model.rows.is_length[self._rows]
        self._largest = np.array([weights, weights * compiled.model.size])  # N, N m: forces and moments so far
        self._before: tuple[float, np.ndarray] | None = None
        self._begun = self._since = 0.0  # s: as it began, and before the last step
        self.longest_step = self._longest_held = _LONGEST_HELD  # s

    def __bool__(self) -> bool:
        return bool(self._names)

    def is_struck(self, impacts: np.recarray) -> bool:
        """True if one of the impacts (I,) since it was last asked was of a body that hangs together with a part."""
        since = -np.inf if self._before is None else self._before[0]
        last = impacts[(impacts.time > since) & (impacts.speed > _BLOW)]
        return bool(self._held_with[last.body].any())

    def has_seen(self, time: float) -> bool:
        """True if nothing has moved since it was last asked, as after a step that was too long."""
        return self._before is not None and time == self._before[0]

    def forces(self, scratch: Scratch) -> np.ndarray:
        """N, of a gear's second joint N m: as last evaluated."""
        self._longest_held, self._inside = _LONGEST_HELD, {}
        for name, gap, ends in self._cams:
            inside, closing, passing = gap.held(*ends.now(scratch))
            self._longest_held = min(self._longest_held, _PASSES * passing)
            if inside < -_INSIDE * gap.size:
                self._inside[name] = -inside / closing if closing > 0.0 else 0.0
        return self._push * scratch.rows.multiplier[self._rows]

    def letting_go(self, time: float, forces: np.ndarray, in_steps: bool) -> list[str]:
        """The names of what would hold on its other side as a motion begins; steps of fixed length try that for one."""
        self._begun = self._since = time
        names = self._note(time, forces)
        return [] if in_steps else names

    def stuck_axes(self, model: Model, scratch: Scratch) -> np.ndarray:
        """The axes that dry friction keeps at present, if there are gears or racks that may let go."""
        stuck = model.switched.axis[scratch.switches.hold == Hold.FRICTION]
        return stuck if self._is_gear.any() else stuck[:0]

    def held_by_friction(self, stuck: np.ndarray, rows: np.ndarray) -> list[str]:
        """The names of gears and racks whose forces nothing determines, since dry friction keeps what they hold.

        stuck: axes; rows (M, A): of all closures by the speeds of the axes.

        Friction and teeth would both have to give way, or neither: no force tells. Teeth go first: they pull at
        nothing, and where they are pressed they meet again at once, with a speed at which friction no longer holds.
        """
        moving = rows.copy()
        moving[:, stuck] = 0.0
        sums = _null_space(moving.T)  # of rows, in which nothing is that moves
        parts, sizes, _ = np.linalg.svd(sums @ rows[:, stuck])
        sums = parts.T[: int((sizes > _RANK).sum())] @ sums  # without those of rows that are redundant anyway
        takes_part = (np.abs(sums[:, self._rows]) > _RANK).any(axis=0) & self._is_gear
        return [name for name, is_so in zip(self._names, takes_part, strict=True) if is_so]

    def _rounding(self) -> np.ndarray:
        """N, N m: of each part, by how much it may hold on its other side."""
        return _PUSHES * self._largest[self._is_moment]

    def _note(self, time: float, forces: np.ndarray) -> list[str]:
        self._before = time, forces
        np.maximum.at(self._largest, self._is_moment, np.abs(forces))
        is_other_side = forces < -self._rounding()
        return [name for name, is_so in zip(self._names, is_other_side, strict=True) if is_so]

    def loosened(
        self, time: float, forces: np.ndarray, integrator: str, is_struck: bool
    ) -> tuple[float, list[str]] | None:
        """(s, names): when parts have let go since it was last asked, as if their forces went evenly.

        A step in which something was struck is tried without them, from its start. Those that it stretches hold for
        it, on both sides: so every motion that begins anew has its first step.
        """
        before, in_steps = self._before, integrator == "impulse"
        self._since = time if before is None else before[0]
        names = self._note(time, forces)
        self.longest_step = self._longest_held
        if before is None or time <= before[0]:
            return (time, names) if names and not in_steps else None
        if in_steps and before[0] <= self._begun:
            return (time, names) if names else None
        if is_struck:
            return before[0], list(self._names)
        span, fall = time - before[0], before[1] - forces
        if not names:
            falling = fall > 0.0
            soon = (forces + self._rounding())[falling] / fall[falling]
            self.longest_step = min(self._longest_held, max(_SHORTEST, float(soon.min(initial=np.inf)) * span))
            return None
        if integrator == "runge-kutta":  # which does not go back
            return time, names
        pushes = np.isin(self._names, names)
        shares = np.clip(before[1][pushes] / fall[pushes], 0.0, 1.0)
        first = float(shares.min())
        return before[0] + first * span, [name for name, s in zip(names, shares, strict=True) if s == first]

    def struck_elsewhere(self, time: float, integrator: str) -> tuple[float, list[str]] | None:
        """(s, names): when cams since it was last asked have struck their followers with another part of theirs.

        They let go, and hold there at once.
        """
        if not self._inside:
            return None
        since = 0.0 if integrator == "runge-kutta" else max(self._inside.values())
        first = [name for name, each in self._inside.items() if each >= since]
        return max(time - since, self._since), first


def _push_of(part: Constraint) -> float:
    """The sign of a multiplier that holds: ropes pull against their rows, cams push along theirs."""
    if isinstance(part, Coupling):
        return -part.side
    return 1.0 if isinstance(part, Curve) else -1.0


def _null_space(matrix: np.ndarray) -> np.ndarray:
    """(N, n): an orthonormal basis, by rows, of what a matrix (m, n) takes to zero."""
    _, sizes, directions = np.linalg.svd(matrix)
    return directions[int((sizes > _RANK * sizes.max(initial=0.0)).sum()) :]


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
