# SPDX-License-Identifier: GPL-3.0-or-later
"""Rods and ropes that pull and never push: which hang loose, and when one that is taut goes slack."""

import dataclasses
from collections.abc import Sequence

import numpy as np

from ...mechanism import Mechanism
from ...mechanism.constraints import Constraint, Span
from ...mechanism.table import largest_norm
from ...model.arrays import Model, Scratch
from ...model.linkage.compilation import Compiled
from ...model.poses import ZERO, body_pose

_NEARER = 1e-6  # of a rope's length: that is no rounding any more
_BLOW = 0.01  # m/s: approach of an impact that a rope may have to do with
_PUSHES = 1e-9  # of the largest force so far: what is no rounding any more
_LONGEST_TAUT, _SHORTEST = 0.02, 1e-6  # s: of steps while a rope is taut
_LOOSENS = 1e-6  # m/s: that is no rounding


def is_slack(constraint: Constraint) -> bool:
    """True of a rod or a rope that pulls and never pushes."""
    return isinstance(constraint, Span) and constraint.slack


def hangs_loose(rope: Span, places: Sequence, time: float) -> bool:
    """True if the ends of a rope that may hang slack are nearer to each other at a time (s) than it is long."""
    if rope.given_length is None:
        return False
    length = rope.length_at(time)[0]
    return rope.length_between(*places) < length * (1.0 - _NEARER)


def begins_loose(mechanism: Mechanism, rope: Span) -> bool:
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


def slack_and_loss(rope: Span, places: np.ndarray, velocities: np.ndarray, time: float) -> tuple[float, float, float]:
    """Of a rope whose ends (E, 3) m move (E, 3) m/s at a time (s).

    Its slack (m), how fast that gets less (m/s), and the largest speed of its ends to each other (m/s).
    """
    length, grows = rope.length_at(time)
    way, soon = rope.length_between(*places), 1e-7
    loss = (rope.length_between(*(places + soon * velocities)) - way) / soon - grows
    return length - way, loss, max(float(np.linalg.norm(a - b)) for a in velocities for b in velocities)


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
