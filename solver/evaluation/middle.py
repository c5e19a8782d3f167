# SPDX-License-Identifier: GPL-3.0-or-later
"""The force inside a bar: what its halves exert on each other, as if it were cut through the middle.

A body is taken as a bar of even density along the axis about which its inertia is least. What pulls on it is known by
the recording, with its places; accelerations follow from that by Newton's and Euler's laws for the whole bar, and what
the near half must exert on the far one by the same laws for the far half. Gravity drops out: it is even along the bar.

Symbols: F frames; world axes, SI units.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

import numpy as np

from ..mechanism import Body, Distance, Gravity, Mechanism
from ..mechanism.constraints import Constraint, Coupling
from ..mechanism.forces import Balance, Force, Reach, Steering
from ..mechanism.ropes import OverWheels
from ..model.poses import body_pose, rotation_matrices
from ..model.topology import constraint_bodies

SLENDER = 2.0  # times as long as wide: what counts as a bar
_MIDDLE = 1e-9  # of the length: what acts so near to the cut acts on the near half


class Middle(NamedTuple):
    """The loads by which the near half of a bar holds the far one, each (F,)."""

    tension: np.ndarray  # N: along the bar; negative where it is pressed
    shear: np.ndarray  # N: across it
    torsion: np.ndarray  # N m: about its axis
    bending: np.ndarray  # N m: across that


class Recorded(NamedTuple):
    """A recording's bodies (B), joints (J), constraints (C) and forces (N), as far as they count here."""

    position: np.ndarray  # (F, B, 3)
    orientation: np.ndarray  # (F, B, 4)
    angular_velocity: np.ndarray  # (F, B, 3)
    joint_force: np.ndarray  # (F, J, 6): force and moment that the parent exerts on the child, about the joint's point
    constraint_force: np.ndarray  # (F, C, 6): the same on the first body
    force: np.ndarray  # (F, N, 6): the same of forces of one body
    tension: np.ndarray  # (F, N): of those between two points
    contact_force: np.ndarray  # (F, B, 3)


class _Load(NamedTuple):
    point: np.ndarray  # (F, 3)
    force: np.ndarray  # (F, 3)
    moment: np.ndarray  # (F, 3): about the point


def middles(mechanism: Mechanism, recorded: Recorded) -> dict[str, Middle]:
    """Of each bar by its name; what no recording tells the places of (contact, gears, balances, drives) has none."""
    number = {body.name: i for i, body in enumerate(mechanism.bodies)}
    unknown = {body.name for body in mechanism.bodies if body.motion != "dynamic" or body.follow is not None}
    unknown |= {name for name, i in number.items() if recorded.contact_force[:, i].any()}
    unknown |= set(_of_unknown_place(mechanism))
    bars = {name: bar for name, i in number.items() if name not in unknown and (bar := _bar(mechanism.bodies[i]))}
    places = _Places(mechanism.bodies, recorded)
    loads: Mapping[str, list[_Load]] = defaultdict(list)
    for name, load in _loads(mechanism, recorded, places):
        if name in bars:
            loads[name].append(load)
    return {name: _cut(mechanism.bodies[number[name]], bar, loads[name], places, recorded, number[name])
            for name, bar in bars.items()}  # fmt: skip


class _Bar(NamedTuple):
    axis: np.ndarray  # (3,) in the body's axes
    length: float  # m
    inertia: np.ndarray  # (3, 3) about the centre of mass, in the body's axes


def _bar(body: Body) -> _Bar | None:
    """The bar of even density that a body is, if it is slender: a box of its inertia is so long."""
    inertia = np.zeros((3, 3))
    given = np.array(body.inertia, float)
    inertia = np.diag(given) if given.shape == (3,) else given
    moments, axes = np.linalg.eigh(inertia)
    if not body.mass or moments[2] <= 0.0:
        return None
    least, middle, most = moments
    sides = np.sqrt(np.maximum(6.0 / body.mass * np.array([middle + most - least, most + least - middle]), 0.0))
    return _Bar(axes[:, 0], float(sides[0]), inertia) if sides[0] > SLENDER * sides[1] else None


class _Places:
    """Points of bodies over the frames."""

    def __init__(self, bodies: list[Body], recorded: Recorded) -> None:
        self._number = {body.name: i for i, body in enumerate(bodies)}
        self._start = {body.name: body_pose(body) for body in bodies}
        self._recorded = recorded

    def rotation(self, name: str) -> np.ndarray:
        """(F, 3, 3)"""
        return rotation_matrices(self._recorded.orientation[:, self._number[name]])

    def of(self, name: str | None, point: Iterable[float]) -> np.ndarray:
        """(F, 3): where a point is that is fixed on a body, given as it is at the start; without a body it stays."""
        at_start = np.array(tuple(point), float)
        if name is None:
            return np.broadcast_to(at_start, (len(self._recorded.position), 3))
        position, orientation = self._start[name]
        own = rotation_matrices(np.array([orientation], float))[0].T @ (at_start - position)
        return self.of_own(name, own)

    def of_own(self, name: str, point: Iterable[float]) -> np.ndarray:
        """(F, 3): the same of a point in the body's axes."""
        return self._recorded.position[:, self._number[name]] + self.rotation(name) @ np.array(tuple(point), float)


def _of_unknown_place(mechanism: Mechanism) -> Iterator[str | None]:
    joints = {joint.name: joint for joint in mechanism.joints}
    for constraint in mechanism.constraints:
        if isinstance(constraint, Coupling):
            for name in (constraint.joint_a, constraint.joint_b):
                yield from (joints[name].parent, joints[name].child)
        elif isinstance(constraint, OverWheels):
            yield from constraint_bodies(mechanism, constraint)
    for joint in mechanism.joints:
        if joint.type == "contact":
            yield from (joint.parent, joint.child)
    for force in mechanism.forces:
        if isinstance(force, Steering):
            yield from (force.body, force.fork)
        elif isinstance(force, Balance | Reach) or not _stays(force):
            yield from (force.body,) if hasattr(force, "body") else (force.body_a, force.body_b)
    moved = {
        action.target for action in mechanism.actions if any(name.startswith("point") for name in action.set or ())
    }
    for constraint in mechanism.constraints:
        if constraint.name in moved:
            yield from constraint.end_bodies


def _stays(force: Force) -> bool:
    """True if the points of a force are where they are on their bodies all the time."""
    points = [getattr(force, name, None) for name in ("point", "point_a", "point_b")]
    return all(isinstance(x, int | float) for point in points if point is not None for x in point)


def _loads(mechanism: Mechanism, recorded: Recorded, places: _Places) -> Iterator[tuple[str | None, _Load]]:
    """(body, what pulls on it), gravity left out."""
    for j, joint in enumerate(mechanism.joints):
        place = places.of(joint.child, joint.sides[1][0])
        yield from _both(joint.child, joint.parent, place, recorded.joint_force[:, j])
    for c, constraint in enumerate(mechanism.constraints):
        if not isinstance(constraint, Coupling | OverWheels):
            yield from _of_constraint(constraint, recorded.constraint_force[:, c], places)
    for k, force in enumerate(mechanism.forces):
        if not _stays(force):
            continue
        if hasattr(force, "body_b"):
            yield from _of_spring(force, recorded.tension[:, k], places)
        elif not isinstance(force, Gravity | Balance | Reach | Steering):
            body = next(body for body in mechanism.bodies if body.name == force.body)
            point = getattr(force, "point", None)
            place = places.of_own(force.body, body.center_of_mass) if point is None else places.of(force.body, point)
            yield force.body, _Load(place, recorded.force[:, k, :3], recorded.force[:, k, 3:])


def _both(
    first: str | None, second: str | None, place: np.ndarray, wrench: np.ndarray
) -> Iterator[tuple[str | None, _Load]]:
    """Action and reaction of two bodies at one place."""
    yield first, _Load(place, wrench[:, :3], wrench[:, 3:])
    yield second, _Load(place, -wrench[:, :3], -wrench[:, 3:])


def _of_constraint(constraint: Constraint, wrench: np.ndarray, places: _Places) -> Iterator[tuple[str | None, _Load]]:
    first, *others = constraint.end_bodies
    second = others[0] if others else None
    point = getattr(constraint, "point", None) or getattr(constraint, "point_a", None)
    place = places.of(first, point if point is not None else (0.0, 0.0, 0.0))
    if isinstance(constraint, Distance):
        yield first, _Load(place, wrench[:, :3], wrench[:, 3:])
        yield second, _Load(places.of(second, constraint.point_b), -wrench[:, :3], -wrench[:, 3:])
    else:
        yield from _both(first, second, place, wrench)


def _of_spring(force: Force, tension: np.ndarray, places: _Places) -> Iterator[tuple[str | None, _Load]]:
    a, b = places.of(force.body_a, force.point_a), places.of(force.body_b, force.point_b)
    way = b - a
    length = np.linalg.norm(way, axis=1, keepdims=True)
    pull = np.nan_to_num(tension)[:, None] * way / np.where(length > 0.0, length, 1.0)
    yield force.body_a, _Load(a, pull, np.zeros_like(pull))
    yield force.body_b, _Load(b, -pull, np.zeros_like(pull))


def _cut(body: Body, bar: _Bar, loads: list[_Load], places: _Places, recorded: Recorded, number: int) -> Middle:
    R, w = places.rotation(body.name), recorded.angular_velocity[:, number]
    center, axis = places.of_own(body.name, body.center_of_mass), R @ bar.axis
    inertia = R @ bar.inertia @ R.transpose(0, 2, 1)
    r = 0.25 * bar.length * axis  # from the cut to the far half's centre
    half_bar = 0.5 * bar.inertia - 0.5 * body.mass * (0.25 * bar.length) ** 2 * (
        np.eye(3) - np.outer(bar.axis, bar.axis)
    )
    half = R @ half_bar @ R.transpose(0, 2, 1)
    pull, moment, far_pull, far_moment = np.zeros((4, *center.shape))
    for load in loads:
        arm = load.point - center
        turns = load.moment + np.cross(arm, load.force)
        is_far = (np.einsum("fi,fi->f", arm, axis) > _MIDDLE * bar.length)[:, None]
        pull, moment = pull + load.force, moment + turns
        far_pull = far_pull + np.where(is_far, load.force, 0.0)
        far_moment = far_moment + np.where(is_far, turns - np.cross(r, load.force), 0.0)
    turn = np.linalg.solve(inertia, (moment - np.cross(w, _times(inertia, w)))[..., None])[..., 0]
    swing = np.cross(turn, r) + np.cross(w, np.cross(w, r))
    force = 0.5 * pull + 0.5 * body.mass * swing - far_pull
    couple = _times(half, turn) + np.cross(w, _times(half, w)) + np.cross(r, force) - far_moment
    along, about = np.einsum("fi,fi->f", force, axis), np.einsum("fi,fi->f", couple, axis)
    return Middle(
        tension=-along,
        shear=np.linalg.norm(force - along[:, None] * axis, axis=1),
        torsion=about,
        bending=np.linalg.norm(couple - about[:, None] * axis, axis=1),
    )


def _times(matrices: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    """(F, 3): products of matrices (F, 3, 3) and vectors (F, 3)."""
    return np.einsum("fij,fj->fi", matrices, vectors)
