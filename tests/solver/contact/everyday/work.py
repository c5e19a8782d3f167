# SPDX-License-Identifier: GPL-3.0-or-later
"""Work that is done on the dynamic bodies of a recording from outside: by keyed bodies and by motors.

From frame to frame, so it needs a frame for each step of the integrator.

- What touches a keyed body: the recorded wrench of contacts, which holds impacts too, times how far the body has moved.
  Where in the step an impact has come is not known; if the body's speed changes meanwhile, that is `unsure`.
- What hangs on a keyed body by joints, springs or constraints: the wrench that its change of momentum asks for, beyond
  weight and contacts. (Recorded joint forces leave out impacts.) Of a piece that hangs on a keyed body and on something
  else as well nothing can be said: the work is not `known`.
- Motors of joints: their force, if that is given, times the travel. Else what the momentum of all beyond the joint asks
  for, along its axis, times the travel, at most its largest effort; in closed loops the recorded force, within a bound.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field

import numpy as np

from solver import Mechanism, Recording
from solver.mechanism import COORDINATES, Body, Joint
from solver.simulation.inspection import inspect
from tests.solver.contact.everyday.building import rotation
from tests.solver.contact.gauges import number_of, turns

ON_AXIS = 1e-9  # m
BLUR = 0.03  # of the work of a motor in a loop


@dataclass
class Work:
    """Cumulated (F,) J."""

    done: np.ndarray
    moved: np.ndarray  # the sum of all shares without their signs
    unsure: np.ndarray  # how much more it may have been
    known: bool = True


@dataclass
class Piece:
    """Dynamic bodies that joints, constraints and forces hold together, and what else holds them: body numbers, -1 is
    the world."""

    bodies: list[int]
    anchors: set[int] = field(default_factory=set)
    has_closures: bool = False


def work(mechanism: Mechanism, recording: Recording, by_steps: bool = True) -> Work:
    """All work from outside but that of weight, which potential energy holds.

    by_steps: there is a frame for each step; else the work of what drives is not known.
    """
    steps = max(0, len(recording.times) - 1)
    if not by_steps:
        nothing = np.zeros((3, steps + 1))
        return Work(*nothing, known=not _is_driven(mechanism))
    shares, unsure, known = [np.zeros(steps)], np.zeros(steps), True
    for k, body in enumerate(mechanism.bodies):
        if body.motion == "keyed":
            shares.append(_of_wrench(recording, k, -_given(recording, k)))
            unsure += _unsure(recording, k)
    held, known = _held_by(mechanism)
    for keyed, bodies in held.items():
        shares.append(_of_wrench(recording, keyed, _held(mechanism, recording, bodies, keyed)))
    motors, blurred = _of_motors(mechanism, recording)
    shares += motors
    known = known and all(np.isfinite(share).all() for share in motors)
    unsure += blurred
    start = np.zeros(1)
    done = np.concatenate([start, np.cumsum(np.sum(shares, axis=0))])
    moved = np.concatenate([start, np.cumsum(np.sum(np.abs(shares), axis=0))])
    return Work(done, moved, np.concatenate([start, np.cumsum(unsure)]), bool(known))


def _held_by(mechanism: Mechanism) -> tuple[dict[int, list[int]], bool]:
    """The dynamic bodies that hang on each keyed body, and whether none of them hangs on anything else.

    If only one has any, what hangs on nothing counts as its own too: what touches each other gives each other as much
    spin as it takes only if both are added up, since contacts are recorded where they are at the end of a step.
    """
    held, loose, known = {}, [], True
    for piece in pieces(mechanism):
        keyed = [k for k in piece.anchors if k >= 0 and mechanism.bodies[k].motion == "keyed"]
        if keyed and len(piece.anchors) == 1:
            held.setdefault(keyed[0], []).extend(piece.bodies)
        elif not piece.anchors:
            loose += piece.bodies
        known = known and (not keyed or len(piece.anchors) == 1)
    if len(held) == 1:
        next(iter(held.values())).extend(loose)
    return held, known


def _is_driven(mechanism: Mechanism) -> bool:
    moves = any(body.motion == "keyed" for body in mechanism.bodies)
    return moves or any(joint.motor is not None for joint in mechanism.joints)


def pieces(mechanism: Mechanism) -> list[Piece]:
    """Joints that an action cuts count as if they stayed."""
    number = {body.name: k for k, body in enumerate(mechanism.bodies)}
    root = list(range(len(number)))

    def first(k: int) -> int:
        while root[k] != k:
            k = root[k]
        return k

    moves = [body.motion == "dynamic" for body in mechanism.bodies]
    anchors: dict[int, set[int]] = {k: set() for k in range(len(root))}
    closes = set()
    for one, other in _ties(mechanism):
        a, b = (-1 if name is None else number[name] for name in (one, other))
        for mine, its in ((a, b), (b, a)):
            if mine >= 0 and moves[mine] and (its < 0 or not moves[its]):
                anchors[mine].add(its if its >= 0 and mechanism.bodies[its].motion == "keyed" else -1)
        if min(a, b) >= 0 and moves[a] and moves[b]:
            if first(a) == first(b):
                closes.add(a)
            root[first(a)] = first(b)
    found: dict[int, Piece] = {}
    for k in range(len(root)):
        if moves[k]:
            piece = found.setdefault(first(k), Piece([]))
            piece.bodies.append(k)
            piece.anchors |= anchors[k]
            piece.has_closures |= k in closes
    return list(found.values())


def _ties(mechanism: Mechanism):
    """Pairs of names of bodies that something ties together; None is the world."""
    ends = {joint.name: (joint.parent, joint.child) for joint in mechanism.joints}
    yield from ends.values()
    for part in (*mechanism.constraints, *mechanism.forces):
        if hasattr(part, "joint_a"):
            yield ends[part.joint_a][1], ends[part.joint_b][1]
        elif hasattr(part, "body_a"):
            yield part.body_a, part.body_b
        else:
            yield part.body, None


def momentum_of(body: Body, recording: Recording, k: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(F, 3) each: momentum, angular momentum about the world's origin, centre of mass."""
    turn, w = turns(recording, k), recording.angular_velocity[:, k]
    arm = turn @ np.array(body.center_of_mass)
    center = recording.position[:, k] + arm
    inertia = np.array(body.inertia)
    inertia = np.diag(inertia) if inertia.ndim == 1 else inertia
    p = body.mass * (recording.linear_velocity[:, k] + np.cross(w, arm))
    spin = np.einsum("fij,jk,flk,fl->fi", turn, inertia, turn, w)
    return p, np.cross(center, p) + spin, center


def _given(recording: Recording, k: int) -> np.ndarray:
    """(F - 1, 6) N s, N m s: by contacts in each step."""
    return recording.contact_force[1:, k] * np.diff(recording.times)[:, None]


def _of_wrench(recording: Recording, k: int, wrench: np.ndarray) -> np.ndarray:
    """(F - 1,) J: of impulses (force, then moment about its origin) that a body exerts as it moves."""
    spin = 0.5 * (recording.angular_velocity[1:, k] + recording.angular_velocity[:-1, k])
    h = np.diff(recording.times)[:, None]
    way = np.diff(recording.position[:, k], axis=0)
    return np.sum(wrench[:, :3] * way / h + wrench[:, 3:] * spin, axis=1)


def _unsure(recording: Recording, k: int) -> np.ndarray:
    """(F - 1,) J: of impacts on a keyed body whose speed changes within the step."""
    found = np.zeros(len(recording.times) - 1)
    for hit in np.flatnonzero((recording.impact_bodies == k).any(axis=1)):
        step = np.clip(np.searchsorted(recording.times, recording.impact_time[hit]) - 1, 0, len(found) - 1)
        v, w = (
            np.diff(each[step : step + 2, k], axis=0)[0]
            for each in (recording.linear_velocity, recording.angular_velocity)
        )
        arm = recording.impact_point[hit] - recording.position[step, k]
        change = np.linalg.norm(v + np.cross(w, arm))
        found[step] += 0.5 * np.linalg.norm(recording.impact_impulse[hit]) * change
    return found


def _held(mechanism: Mechanism, recording: Recording, bodies: list[int], keyed: int) -> np.ndarray:
    """(F - 1, 6): impulses of a keyed body on those that hang on it, force and moment about its origin."""
    linear, angular = _missing(mechanism, recording, bodies)
    place = 0.5 * (recording.position[1:, keyed] + recording.position[:-1, keyed])
    return np.hstack([linear, angular - np.cross(place, linear)])


def _missing(mechanism: Mechanism, recording: Recording, bodies: list[int]) -> tuple[np.ndarray, np.ndarray]:
    """(F - 1, 3) each: impulses, linear and about the world's origin, that neither contacts nor weight have given.

    Contacts are recorded where they are at a step's end. What bodies give each other cancels out there; what is left
    has come from outside, and acted where they were in the middle of the step.
    """
    h, gravity = np.diff(recording.times)[:, None], np.array(mechanism.gravity)
    linear, angular, outside, way, share = *np.zeros((4, len(h), 3)), np.zeros((len(h), 1))
    for k in bodies:
        body, given = mechanism.bodies[k], _given(recording, k)
        p, L, center = momentum_of(body, recording, k)
        weight = body.mass * gravity * h
        linear += np.diff(p, axis=0) - given[:, :3] - weight
        middle = 0.5 * (center[1:] + center[:-1])
        angular += np.diff(L, axis=0) - given[:, 3:] - np.cross(center[1:], given[:, :3]) - np.cross(middle, weight)
        size = np.linalg.norm(given[:, :3], axis=1)[:, None]
        outside, way, share = outside + given[:, :3], way + size * (middle - center[1:]), share + size
    return linear, angular - np.cross(way / np.where(share > 0.0, share, 1.0), outside)


def _of_motors(mechanism: Mechanism, recording: Recording) -> tuple[list[np.ndarray], np.ndarray]:
    """((F - 1,) J of each group of joints with motors, how much more it may have been)."""
    shares, unsure, seen = [], np.zeros(len(recording.times) - 1), set()
    for joint in mechanism.joints:
        if joint.motor is None or joint.name in seen:
            continue
        if joint.motor.mode == "force":
            ways = np.diff(_coordinates(mechanism, recording, joint)[0], axis=0)
            shares += [float(value) * way for value, way in zip(_values(joint), ways.T, strict=True)]
            continue
        group = _coupled(mechanism, joint)
        seen |= {each.name for each in group}
        for each in group:
            share, blurred = _along_axis(mechanism, recording, each)
            if len(group) == 1:
                share, blurred = _at_most(_most(mechanism, recording, each), recording, share, blurred)
            shares.append(share)
            unsure += blurred
    return shares, unsure


def _most(mechanism: Mechanism, recording: Recording, joint: Joint) -> np.ndarray:
    """(F - 1,) J: its motor's largest effort times the travel."""
    (largest,) = joint.motor.per_coordinate("max_force", COORDINATES[joint.type])
    if largest is None:
        return np.full(len(recording.times) - 1, np.inf)
    return largest * np.abs(np.diff(_coordinates(mechanism, recording, joint)[0][:, 0]))


def _at_most(
    most: np.ndarray, recording: Recording, share: np.ndarray, blurred: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The share, and how much more it may be: up to `most` where a blow of unknown place makes it more than that."""
    is_more = recording.contact_blow[1:].any(axis=1) & (np.abs(share) > most)
    return np.where(is_more, 0.0, share), np.where(is_more, most, blurred)


def _values(joint: Joint) -> list:
    return joint.motor.per_coordinate("value", COORDINATES[joint.type])


def _coordinates(mechanism: Mechanism, recording: Recording, joint: Joint) -> tuple[np.ndarray, np.ndarray]:
    """(F, D) each: its coordinates and speeds."""
    j = mechanism.joints.index(joint)
    columns = slice(recording.joint_offsets[j], recording.joint_offsets[j + 1])
    return recording.joint_coordinates[:, columns], recording.joint_speeds[:, columns]


def _coupled(mechanism: Mechanism, joint: Joint) -> list[Joint]:
    """The joint, and what gears and racks tie to it: together they do what its motor does."""
    names, before = {joint.name}, 0
    while len(names) > before:
        before = len(names)
        for part in mechanism.constraints:
            if hasattr(part, "joint_a") and {part.joint_a, part.joint_b} & names:
                names |= {part.joint_a, part.joint_b}
    return [each for each in mechanism.joints if each.name in names]


def _along_axis(mechanism: Mechanism, recording: Recording, joint: Joint) -> tuple[np.ndarray, np.ndarray]:
    """(F - 1,) J that a joint of one axis gives along it, and how much more it may be.

    Beyond the joint, momentum changes by what the joint, contacts and weight give. Where something else holds what is
    beyond, as in a loop, the recorded force counts, which is right to some BLUR.
    """
    q, speed = (each[:, 0] for each in _coordinates(mechanism, recording, joint))
    way, h = np.diff(q), np.diff(recording.times)
    beyond = _beyond(mechanism, joint)
    if beyond is None:
        j = mechanism.joints.index(joint)
        effort = inspect(mechanism, recording).joint_transmitted[1:, recording.joint_offsets[j]]
        return effort * way, BLUR * np.abs(effort * way)
    child = number_of(recording, joint.child)
    linear, angular = _missing(mechanism, recording, beyond)
    turn = turns(recording, child)
    axis = turn @ (turn[0].T @ rotation(joint.orientation).as_matrix()[:, 2])
    place = recording.position[:, child] + turn @ (
        turn[0].T @ (np.array(joint.position) - recording.position[0, child])
    )
    axis, place = 0.5 * (axis[1:] + axis[:-1]), 0.5 * (place[1:] + place[:-1])
    force, moment = np.sum(axis * linear, axis=1), np.sum(axis * (angular - np.cross(place, linear)), axis=1)
    impulse = force if joint.type == "prismatic" else moment + (joint.pitch or 0.0) * force
    if joint.type == "revolute" and beyond == [child] and _is_about_center(mechanism, recording, joint, child):
        impulse = _spin_given(mechanism, recording, child, axis)
    struck = recording.contact_blow[1:, beyond].any(axis=1)
    uneven = np.abs(0.5 * (speed[1:] + speed[:-1]) - way / h)  # where impacts elsewhere have cut the step
    return impulse * way / h, np.abs(impulse) * (uneven + np.where(struck, 0.5 * np.abs(np.diff(speed)), 0.0))


def _is_about_center(mechanism: Mechanism, recording: Recording, joint: Joint, child: int) -> bool:
    """True if the child's centre of mass and origin lie on the joint's axis: then only its spin is asked about."""
    body = mechanism.bodies[child]
    away = np.array(joint.position) - recording.position[0, child]
    across = np.cross(rotation(joint.orientation).as_matrix()[:, 2], away)
    return not np.any(body.center_of_mass) and bool(np.linalg.norm(across) < ON_AXIS)


def _spin_given(mechanism: Mechanism, recording: Recording, child: int, axis: np.ndarray) -> np.ndarray:
    """(F - 1,) N m s along an axis, about the body's own centre: no place of a blow within the step blurs it."""
    p, L, center = momentum_of(mechanism.bodies[child], recording, child)
    spin = L - np.cross(center, p)
    return np.sum(axis * (np.diff(spin, axis=0) - _given(recording, child)[:, 3:]), axis=1)


def _beyond(mechanism: Mechanism, joint: Joint) -> list[int] | None:
    """The bodies that hang on the rest by this joint alone; None if its child's side is held elsewhere, too."""
    cut = dataclasses.replace(
        mechanism,
        joints=[each for each in mechanism.joints if each is not joint],
        constraints=[part for part in mechanism.constraints if not hasattr(part, "joint_a")],
        actions=[],
    )
    names = [body.name for body in mechanism.bodies]
    child, parent = names.index(joint.child), -1 if joint.parent is None else names.index(joint.parent)
    (piece,) = (piece for piece in pieces(cut) if child in piece.bodies)
    return None if piece.anchors or parent in piece.bodies else piece.bodies


def gaps(mechanism: Mechanism, recording: Recording) -> np.ndarray:
    """(F, J): how far each joint has come apart by the recorded poses: m across it, and rad as if they were m."""
    found = np.zeros((len(recording.times), len(mechanism.joints)))
    for j, joint in enumerate(mechanism.joints):
        until = min((a.time for a in mechanism.actions if a.target == joint.name), default=np.inf)
        own = rotation(joint.orientation)
        (place_a, turn_a), (place_b, turn_b) = (
            _frame(mechanism, recording, name, joint.position, own) for name in (joint.parent, joint.child)
        )
        apart = np.einsum("fji,fj->fi", turn_a, place_b - place_a)
        turn = np.einsum("fji,fjk->fik", turn_a, turn_b)
        found[:, j] = np.where(recording.times <= until, _gap(joint.type, apart, turn, joint.pitch), 0.0)
    return found


def _frame(mechanism: Mechanism, recording: Recording, name: str | None, place, own) -> tuple[np.ndarray, np.ndarray]:
    """(F, 3), (F, 3, 3): a joint's frame as one of its bodies carries it."""
    count = len(recording.times)
    if name is None:
        return np.tile(np.asarray(place, float), (count, 1)), np.tile(own.as_matrix(), (count, 1, 1))
    k = number_of(recording, name)
    turn = turns(recording, k)
    arm = turn[0].T @ (np.asarray(place, float) - recording.position[0, k])
    return recording.position[:, k] + turn @ arm, turn @ (turn[0].T @ own.as_matrix())


def _gap(kind: str, apart: np.ndarray, turn: np.ndarray, pitch: float | None) -> np.ndarray:
    """(F,): of poses of the child's frame in the parent's."""
    leaning = np.hypot(turn[:, 0, 2], turn[:, 1, 2])
    if kind == "spherical":
        return np.linalg.norm(apart, axis=1)
    if kind == "universal":  # the parent's X stays across the child's Y
        return np.maximum(np.linalg.norm(apart, axis=1), np.abs(turn[:, 0, 1]))
    if kind == "revolute":
        return np.maximum(np.linalg.norm(apart, axis=1), leaning)
    if kind == "planar":
        return np.maximum(np.abs(apart[:, 2]), leaning)
    if kind in ("cylindrical", "screw"):
        gap = np.maximum(np.hypot(apart[:, 0], apart[:, 1]), leaning)
        if kind == "screw":
            angle = np.unwrap(np.arctan2(turn[:, 1, 0], turn[:, 0, 0]))
            gap = np.maximum(gap, np.abs(apart[:, 2] - pitch * angle))
        return gap
    turned = np.linalg.norm(turn - np.eye(3), axis=(1, 2))
    across = np.hypot(apart[:, 0], apart[:, 1]) if kind == "prismatic" else np.linalg.norm(apart, axis=1)
    return np.maximum(across, turned)
