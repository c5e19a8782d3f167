# SPDX-License-Identifier: GPL-3.0-or-later
"""Wheels on which ropes rub: where a rope sticks and where it slips, and when that changes (Euler's law, 1769).

It slips once the pull on one side of a wheel is more than exp(mu angle) times that on the other, and sticks again once
it no longer moves over the wheel. Either ends the linkage as it is, which goes on with other rows
(`dynamics.loops.slipping`).
"""

import dataclasses
from collections.abc import Container, Sequence
from typing import NamedTuple

import numpy as np

from ...mechanism import Mechanism
from ...mechanism.constraints import Constraint
from ...mechanism.error import refuse
from ...mechanism.messages import Message
from ...mechanism.ropes import Rope
from ...model.arrays import Model
from ...model.linkage.compilation import Compiled
from ...model.topology import counted_joints
from .ends import Going, Now, present_frame

_MORE = 1e-9  # of the largest pull so far: what is no rounding any more
_STILL = 1e-9  # m/s, and of the fastest end: that is no rounding any more
_DRAWN = 1e-6  # m/s, and of the fastest end: how fast a rope that sticks is drawn over its wheels all the same
_LONGEST, _SHORTEST = 0.02, 1e-6  # s: of steps while a rope rubs
Slips = dict[str, tuple[float, ...]]  # of ropes by their names, `Rope.slips`


class _Look(NamedTuple):
    """The grips (L,) at a time (s): how far each is from its change, and which way it would slip then."""

    time: float
    margins: np.ndarray  # N, or m/s
    ways: np.ndarray


class Grips:
    """The wheels of a linkage on which taut ropes rub, while it moves: its grips."""

    def __init__(self, mechanism: Mechanism, compiled: Compiled) -> None:
        model, constraints = compiled.model, mechanism.constraints
        drawn = {source for source, closure in zip(compiled.sources, model.closures, strict=True) if closure.tau > 0.0}
        numbers = [k for k, source in enumerate(compiled.sources) if source.kind == "grip"]
        self._ropes = [constraints[compiled.sources[k].index] for k in numbers]
        self._places = [compiled.sources[k].coordinate for k in numbers]
        self._grips = [_Grip(model, *each) for each in zip(numbers, self._ropes, self._places, strict=True)]
        whole = [(k, source) for k, source in enumerate(compiled.sources) if source.kind == "constraint"]
        ropes = ((k, constraints[source.index]) for k, source in whole if source not in drawn)
        self._undecided = [(k, each) for k, each in ropes if isinstance(each, Rope) and each.grips]
        self._undecided = [(k, each) for k, each in self._undecided if each.slips is None]
        self._mechanism, self._model, self._largest = mechanism, model, 0.0  # N: pull so far
        self._before: _Look | None = None
        self.longest_step = _LONGEST  # s

    def __bool__(self) -> bool:
        return bool(self._grips or self._undecided)

    def beginning(self, now: Now, in_steps: bool) -> Slips:
        """The ropes that slip otherwise than is known as a motion begins, and how they do.

        Forces of a step of fixed length are known behind it alone.
        """
        found = {}
        for number, rope in self._undecided:
            there = rope.winds_at_last([drum.position for drum in counted_joints(self._mechanism, rope)])
            grips = (_Grip(self._model, number, rope, place, there) for place in range(len(rope.grips)))
            found[rope.name] = tuple(grip.way_now(now) for grip in grips)
        look = self._before = self._look(now)
        is_due = look.margins < -self._rounding(now)
        if in_steps:
            is_due &= np.array([each.slips != 0 for each in self._grips], bool)
        return found | self._changes(look, is_due)

    def changed(self, now: Now, integrator: str) -> tuple[float, Slips] | None:
        """(s, ropes): when one has begun to slip or to stick since it was last asked, as if its margin went evenly."""
        before, look = self._before, self._look(now)
        self._before, self.longest_step = look, _LONGEST
        is_due = look.margins < -self._rounding(now)
        if before is None or look.time <= before.time:
            return (look.time, self._changes(look, is_due)) if is_due.any() else None
        fall, span = before.margins - look.margins, look.time - before.time
        if not is_due.any():
            falling = fall > 0.0
            soon = look.margins[falling] / fall[falling]
            self.longest_step = min(_LONGEST, max(_SHORTEST, float(soon.min(initial=np.inf)) * span))
            return None
        if integrator == "runge-kutta":  # which does not go back
            return look.time, self._changes(look, is_due)
        shares = np.full(len(fall), np.inf)
        shares[is_due] = np.clip(before.margins[is_due] / np.maximum(fall[is_due], 1e-300), 0.0, 1.0)
        first = float(shares.min())
        return before.time + first * span, self._changes(look, shares == first)

    def _rounding(self, now: Now) -> np.ndarray:
        slow = _STILL * (1.0 + max((each.fastest(now) for each in self._grips), default=0.0))
        return np.array([slow if each.slips else _MORE * self._largest for each in self._grips])

    def _look(self, now: Now) -> _Look:
        margins, ways = np.zeros(len(self._grips)), np.zeros(len(self._grips))
        for k, grip in enumerate(self._grips):
            if grip.slips:
                margins[k] = grip.slips * grip.rate(now)
                continue
            before, after = grip.pulls(now)
            self._largest = max(self._largest, abs(before), abs(after))
            most = min(abs(before), abs(after)) * np.expm1(grip.exponent(now))
            margins[k], ways[k] = most - abs(after - before), np.sign(after - before)
            rate = grip.rate(now)
            if abs(rate) > _DRAWN * (1.0 + grip.fastest(now)):  # by a length that changes, where nothing else moves
                margins[k], ways[k] = -1.0 - self._largest, np.sign(rate)
        return _Look(now.time, margins, ways)

    def _changes(self, look: _Look, is_due: np.ndarray) -> Slips:
        found: dict[str, list[float]] = {}
        for k in np.flatnonzero(is_due):
            slips = found.setdefault(self._ropes[k].name, list(self._ropes[k].slips))
            slips[self._places[k]] = float(look.ways[k])
        return {name: tuple(slips) for name, slips in found.items()}


class _Grip:
    """Wheels on which a rope rubs, by the closure of the rope beyond them, or by that of the whole rope."""

    def __init__(self, model: Model, number: int, rope: Rope, place: int, there: Sequence[bool] = ()) -> None:
        """there: of each drum, if it is at the rope's last end; those of a closure beyond wheels all are."""
        closure, wheels = model.closures[number], rope.grips[place]
        self._model, self._number, self._closure, self._rope = model, number, closure, rope
        self._wheels, self._first = np.array(wheels), wheels[0]
        self.slips, self._radius = int(closure.slips), closure.radius[: closure.drums] * (there or True)
        self._count = int(closure.ends - 2 * closure.drums)

    def _moving(self, now: Now) -> tuple[np.ndarray, np.ndarray]:
        """(P, 3) m and m/s: its points."""
        bodies = now.scratch.bodies[self._closure.body[: self._count]]
        arms = np.einsum("kij,kj->ki", bodies.rotation.reshape(-1, 3, 3), self._closure.point[: self._count])
        return bodies.center + arms, bodies.linear + np.cross(bodies.angular, arms)

    def fastest(self, now: Now) -> float:
        """m/s: of its points."""
        return float(np.linalg.norm(self._moving(now)[1], axis=1).max())

    def rate(self, now: Now) -> float:
        """m/s: how fast the rope goes over them towards its last point."""
        places, velocities = self._moving(now)
        ways = np.diff(places[self._first :], axis=0)
        units = ways / np.maximum(np.linalg.norm(ways, axis=1, keepdims=True), 1e-300)
        grows = self._rope.length_at(now.time)[1] if self._rope.given_length is not None else 0.0
        longer = float(np.einsum("ij,ij->", units, np.diff(velocities[self._first :], axis=0)))
        return longer + self._winding(now) - grows

    def _winding(self, now: Now) -> float:
        """m/s: onto the drums that are there."""
        axes = self._model.bodies.axis_start[self._closure.coupled[: self._closure.drums]]
        return float(now.state.speeds[axes] @ self._radius)

    def way_now(self, now: Now) -> float:
        """1, -1, or 0 where nothing slips."""
        rate = self.rate(now)
        return float(np.sign(rate)) if abs(rate) > _STILL * (1.0 + self.fastest(now)) else 0.0

    def exponent(self, now: Now) -> float:
        """The sum of coefficients times angles (rad) by which the rope goes round the wheels."""
        ways = np.diff(self._moving(now)[0], axis=0)
        one, other = ways[self._wheels - 1], ways[self._wheels]
        bends = np.arctan2(np.linalg.norm(np.cross(one, other), axis=1), np.einsum("ij,ij->i", one, other))
        closure = self._closure
        return float(closure.friction[self._wheels] @ (closure.wrapped[self._wheels] + bends))

    def pulls(self, now: Now) -> tuple[float, float]:
        """N: of the rope before them and behind."""
        closures, multipliers = self._model.closures, now.scratch.rows.multiplier
        first = [int(self._closure.rope), *range(self._number - int(self._closure.place), self._number)]
        before = -float(sum(multipliers[closures[k].row_start] for k in first))
        return before, before - float(multipliers[self._closure.row_start])


def rates_beyond(mechanism: Mechanism, rope: Rope, now: Going) -> np.ndarray:
    """(G,) m/s: how fast a rope goes over each of its grips towards its last point."""
    poses, numbers = (now.position, now.orientation), {body.name: i for i, body in enumerate(mechanism.bodies)}
    places, velocities = np.zeros((len(rope.points), 3)), np.zeros((len(rope.points), 3))
    for k, (name, point) in enumerate(zip(rope.bodies, rope.points, strict=True)):
        places[k] = present_frame(mechanism, name, point, *poses)[0]
        if name is not None:
            i = numbers[name]
            arm = places[k] - now.position[i]
            velocities[k] = now.linear_velocity[i] + np.cross(now.angular_velocity[i], arm)
    ways = np.diff(places, axis=0)
    units = ways / np.maximum(np.linalg.norm(ways, axis=1, keepdims=True), 1e-300)
    longer = np.einsum("ij,ij->i", units, np.diff(velocities, axis=0))
    more = -rope.length_at(now.time)[1] if rope.given_length is not None else 0.0
    drums = counted_joints(mechanism, rope)
    there = rope.winds_at_last([drum.position for drum in drums])
    joints = {joint.name: j for j, joint in enumerate(mechanism.joints)}
    for drum, radius, is_there in zip(drums, rope.radii, there, strict=True):
        if is_there:
            more += radius * float(now.joint_speeds[now.joint_offsets[joints[drum.name]]])
    return np.array([longer[points[0] :].sum() + more for points in rope.grips])


def with_slips(mechanism: Mechanism, slips: Slips) -> Mechanism:
    """The same, in which ropes of these names slip on their wheels otherwise."""
    constraints = [
        dataclasses.replace(each, slips=slips[each.name]) if each.name in slips else each
        for each in mechanism.constraints
    ]
    return dataclasses.replace(mechanism, constraints=constraints)


def struck(mechanism: Mechanism, names: Container[str], before: Going, after: Going) -> Slips:
    """The ways in which ropes slip in a jerk: as before it and as behind one without friction, both together."""
    ropes = (each for each in mechanism.constraints if each.name in names and isinstance(each, Rope) and each.grips)
    found = {}
    for rope in ropes:
        rates = rates_beyond(mechanism, rope, before) + rates_beyond(mechanism, rope, after)
        found[rope.name] = tuple(float(np.sign(rate)) if abs(rate) > _STILL else 0.0 for rate in rates)
    return found


def undecided(mechanism: Mechanism, names: Container[str]) -> Mechanism:
    """The same, in which it is open how ropes of these names slip."""
    constraints = [
        dataclasses.replace(each, slips=None) if isinstance(each, Rope) and each.name in names else each
        for each in mechanism.constraints
    ]
    return dataclasses.replace(mechanism, constraints=constraints)


def is_rubbing(part: Constraint) -> bool:
    """True of a rope of which it is known how it slips on its wheels."""
    return isinstance(part, Rope) and part.slips is not None


def refuse_rubbing_ropes(mechanism: Mechanism, integrator: str) -> None:
    """Raises MechanismError if a rope rubs on its wheels, by an integrator that does not know how it slips."""
    ropes = [each for each in mechanism.constraints if isinstance(each, Rope) and each.enabled and each.grips]
    refuse(Message("rope-rubs", ("constraint", each.name), integrator=integrator) for each in ropes)
