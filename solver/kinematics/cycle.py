# SPDX-License-Identifier: GPL-3.0-or-later
"""A linkage over the whole way of one drive: paths of points, ranges of joints, transmission angles, and the effort
against gravity.

    cycle = cycle_of(kinematics, "crank")
    path = cycle.path("coupler", (0.4, 0.1, 0.0))

The other drives stay where they are. The drive goes once round, or as far as the linkage lets it to both sides.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..mechanism import Joint, Mechanism
from ..mechanism.messages import Message
from ..model.poses import body_pose
from .kinematics import Kinematics
from .reach import fill_rows

ROUND = 2.0 * np.pi
_RANK = 1e-7  # of the largest singular value
_STILL = 1e-6  # rad: of a hinge that does not turn
CLOSED = 1e-6  # of the mechanism's size: as near as the ends of a cycle are that comes round


@dataclass
class Cycle:
    """Poses along one drive: values (T,) rad or m, positions (T, B, 3) m, orientations (T, B, 4), and pivots (T,).

    Pivots tell how far a pose is from a dead centre of the drives, 1 far and 0 there: the smallest singular value of
    the closures over the largest. stops: why it goes no farther, at the lower and the upper end; None where the drive
    came to the end of the way that was asked for.
    """

    mechanism: Mechanism
    values: np.ndarray
    positions: np.ndarray
    orientations: np.ndarray
    pivots: np.ndarray
    stops: tuple[Message | None, Message | None]

    @property
    def comes_round(self) -> bool:
        """True if it ends where it begins."""
        if self.stops != (None, None):
            return False
        size = float(np.ptp(self.positions.reshape(-1, 3), axis=0).max()) or 1.0
        return bool(np.abs(self.positions[0] - self.positions[-1]).max() < CLOSED * size)

    def path(self, body: str, point: Sequence[float]) -> np.ndarray:
        """(T, 3) m: way of a point that is fixed on a body, given (m) along its axes from its frame's origin."""
        row = self._row(body)
        return self.positions[:, row] + _rotated(self.orientations[:, row], np.asarray(point, float))

    def joint_values(self, joint: str) -> np.ndarray:
        """(T,): angle (rad) or travel (m) of a hinge or a slider, from where the mechanism is drawn."""
        given = self._joint(joint)
        if given.type not in {"revolute", "prismatic"}:
            raise ValueError(f"joint '{joint}' is a {given.type} joint; ranges are those of hinges and sliders")
        inner, outer = (self._moved(name) for name in (given.parent, given.child))
        axis = _axis_of(given)
        place = np.asarray(given.position, float)
        if given.type == "prismatic":
            apart = outer.of(place) - inner.of(place)
            return np.einsum("ti,ti->t", apart, _rotated(inner.turn, axis))
        turn = _product(inner.turn * (1.0, -1.0, -1.0, -1.0), outer.turn)
        angle = np.unwrap(2.0 * np.arctan2(turn[:, 1:] @ axis, turn[:, 0]))
        at_rest = int(np.argmin(np.abs(self.values)))
        return angle - ROUND * np.round(angle[at_rest] / ROUND)

    def joint_range(self, joint: str) -> tuple[float, float]:
        """Lowest and highest of `joint_values`."""
        values = self.joint_values(joint)
        return float(values.min()), float(values.max())

    def transmission_angles(self, drive: str) -> dict[str, np.ndarray]:
        """{hinge: (T,) rad, 0 to pi/2}: between the two bars that meet there, neither of which is driven (Alt 1932).

        At a right angle one passes its force on to the other wholly, at 0 not at all. A bar goes to the body's one
        other hinge, or, where the body slides, across its slide. Bodies with more joints, or with gears or other
        constraints, have no such angle, nor have hinges that do not turn: what they hold is led by another drive.
        """
        joints = [each for each in self.mechanism.joints if each.enabled]
        driven, tied, found = self._joint(drive), self._tied(), {}
        for hinge in joints:
            ends = {hinge.parent, hinge.child}
            if hinge.type != "revolute" or None in ends or ends & ({driven.parent, driven.child} | tied):
                continue
            bars = [self._bar(name, hinge, joints) for name in (hinge.parent, hinge.child)]
            if all(bar is not None for bar in bars) and np.ptp(self.joint_values(hinge.name)) > _STILL:
                cosine = np.abs(np.einsum("ti,ti->t", *bars))
                found[hinge.name] = np.arccos(np.minimum(1.0, cosine))
        return found

    def _bar(self, body: str, hinge: Joint, joints: list[Joint]) -> np.ndarray | None:
        """(T, 3): the direction of a body's bar from a hinge on; None of a body that is no bar."""
        others = [each for each in joints if each is not hinge and body in (each.parent, each.child)]
        if len(others) != 1 or others[0].type not in {"revolute", "prismatic"}:
            return None
        if others[0].type == "revolute":
            way = np.asarray(others[0].position, float) - np.asarray(hinge.position, float)
        else:
            way = np.cross(_axis_of(others[0]), _axis_of(hinge))
        length = np.linalg.norm(way)
        return _rotated(self._moved(body).turn, way / length) if length > 0.0 else None

    def _tied(self) -> set[str]:
        """The bodies that constraints hold, or whose joints they couple."""
        bodies, joints = set(), set()
        for part in self.mechanism.constraints:
            if part.enabled:
                bodies |= {getattr(part, name, None) for name in ("body", "body_a", "body_b")}
                joints |= {getattr(part, name, None) for name in ("joint_a", "joint_b")}
        coupled = {end for each in self.mechanism.joints if each.name in joints for end in (each.parent, each.child)}
        return (bodies | coupled) - {None}

    def _joint(self, name: str) -> Joint:
        return next(each for each in self.mechanism.joints if each.name == name)

    def efforts(self, gravity: Sequence[float]) -> np.ndarray:
        """(T,) N m or N: what the drive takes against gravity (3,) m/s2; slowly, and without friction.

        By virtual work it is the slope of the potential energy over the drive, here of a cubic spline through it.
        """
        from scipy.interpolate import CubicSpline

        energy = np.zeros(len(self.values))
        for row, body in enumerate(self.mechanism.bodies):
            if body.motion == "dynamic":
                centers = self.positions[:, row] + _rotated(self.orientations[:, row], np.asarray(body.center_of_mass))
                energy -= body.mass * centers @ np.asarray(gravity, float)
        is_periodic = self.comes_round and abs(energy[0] - energy[-1]) < 1e-9 * max(float(np.abs(energy).max()), 1e-30)
        if is_periodic:
            energy[-1] = energy[0]
        ends = "periodic" if is_periodic else "not-a-knot"
        return CubicSpline(self.values, energy, bc_type=ends)(self.values, 1)

    def _row(self, body: str) -> int:
        return next(i for i, each in enumerate(self.mechanism.bodies) if each.name == body)

    def _moved(self, body: str | None) -> _Moved:
        """The motion of a body from where it is drawn; None is the world."""
        if body is None:
            still = np.zeros((len(self.values), 4))
            still[:, 0] = 1.0
            return _Moved(still, np.zeros((len(self.values), 3)))
        row = self._row(body)
        place, start = (np.asarray(part, float) for part in body_pose(self.mechanism.bodies[row]))
        turn = _product(self.orientations[:, row], np.broadcast_to(start * (1, -1, -1, -1), (len(self.values), 4)))
        return _Moved(turn, self.positions[:, row] - _rotated(turn, place))


@dataclass
class _Moved:
    """A rigid motion over the cycle: turn (T, 4), then travel (T, 3)."""

    turn: np.ndarray
    travel: np.ndarray

    def of(self, place: np.ndarray) -> np.ndarray:
        return _rotated(self.turn, place) + self.travel


def cycle_of(kinematics: Kinematics, drive: str, count: int = 96, way: float = ROUND) -> Cycle:
    """The way of one drive from where it stands: `way` (rad, m) on, or what the linkage lets it, back and on.

    count: poses on a way that nothing stops. The kinematics is afterwards where it was.
    """
    place, start = kinematics.drives.index(drive), kinematics.state()
    step = way / count
    onward, stop = _walk(kinematics, place, step, count)
    backward, back_stop = [], None
    if stop is not None:
        kinematics.restore(start)
        backward, back_stop = _walk(kinematics, place, -step, count)
    kinematics.restore(start)
    kinematics.lead(kinematics.values.copy())
    rows = [*reversed(backward), _look(kinematics, place), *onward]
    kinematics.restore(start)
    values, positions, orientations, sizes = (np.array(each) for each in zip(*rows, strict=True))
    return Cycle(kinematics.mechanism, values, positions, orientations, _pivots(sizes), (back_stop, stop))


def _walk(kinematics: Kinematics, place: int, step: float, count: int) -> tuple[list, Message | None]:
    """Poses of `count` steps; where one is not possible, the way up to there, and why."""
    begin, found = kinematics.values[place], []
    for number in range(1, count + 1):
        values = kinematics.values.copy()
        values[place] = begin + number * step
        led = kinematics.lead(values)
        if led.notes:
            if abs(kinematics.values[place] - begin) > (number - 1 + 1e-6) * abs(step):
                found.append(_look(kinematics, place))
            return found, led.notes[0]
        found.append(_look(kinematics, place))
    return found, None


def _look(kinematics: Kinematics, place: int) -> tuple[float, np.ndarray, np.ndarray, np.ndarray]:
    """Value of the drive, poses, and singular values of the rows over all that is not driven."""
    linkage = next(each for each in kinematics.linkages if kinematics.drives[place] in each.drives)
    model, plan = linkage.model, linkage.plan
    J = np.zeros((model.closing, len(model.armature)))
    fill_rows(model, linkage.state, linkage.scratch, plan, J)
    sizes = np.linalg.svd(np.delete(J, plan.drives, axis=1), compute_uv=False)
    return (float(kinematics.values[place]), *kinematics.poses(), sizes)


def _pivots(sizes: np.ndarray) -> np.ndarray:
    """(T,): of singular values (T, n), the smallest one that is not zero everywhere, as a part of the largest."""
    if not sizes.size:
        return np.ones(len(sizes))
    shares = sizes / sizes[:, :1]
    rank = int((shares > _RANK).sum(axis=1).max())
    return shares[:, rank - 1]


def _axis_of(joint: Joint) -> np.ndarray:
    """(3,): the axis of a hinge or a slider where it is drawn."""
    return _rotated(np.asarray(joint.orientation, float)[None], np.array([0.0, 0.0, 1.0]))[0]


def _rotated(q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Vectors (3,) or (T, 3) turned by quaternions (T, 4)."""
    v = np.broadcast_to(v, (len(q), 3))
    t = 2.0 * np.cross(q[:, 1:], v)
    return v + q[:, :1] * t + np.cross(q[:, 1:], t)


def _product(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    w = p[:, 0] * q[:, 0] - np.einsum("ti,ti->t", p[:, 1:], q[:, 1:])
    return np.column_stack([w, p[:, :1] * q[:, 1:] + q[:, :1] * p[:, 1:] + np.cross(p[:, 1:], q[:, 1:])])
