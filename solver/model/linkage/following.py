# SPDX-License-Identifier: GPL-3.0-or-later
"""The arrays of bodies that follow their keys: their targets, the efforts of inverse dynamics, and effective inertias.

The tree's efforts are those of Newton and Euler (Featherstone 2008, chapter 5) for the motion of the targets, with
armatures and dampers of joints. Where a tree floats, and its root does not follow, they are those beside the root,
which falls: gravity and the root's own acceleration act on all alike. The effective inertia of an axis is that of all
beyond it as one rigid body, beside all on its other side if that floats: S.I S - S.I (I + J)^-1 I S, with the spatial
inertias I and J of the two sides. What has no keys goes along with its inner body, as drawn.
"""

import math
from typing import NamedTuple

import numpy as np

from ...mechanism.bodies import Body, Follow
from ...mechanism.joint_types import LENGTH
from ...mechanism.keyed_motion import interpolate, sample_led, sample_with_accelerations
from ...mechanism.table import Number, Table, knots
from ..arrays import CHARTED, FOLLOWED, TYPES, Kind, records
from ..curves import force_at
from ..parameters import gravity_of
from ..poses import (
    cardan_angles,
    product,
    quaternions,
    rotation_matrices,
    rotation_vector_quaternion,
    transposed,
    turned,
)
from ..topology import first_joints
from .coming_back import IN_TIME, INSTANTS, blended
from .numbering import NumberedLinkage

_FIRM = 1e6
"""N m/kg or N/kg: the most that a body without `max_force` is pulled with where things touch. In steps with impulses
what has a maximum is a row of its own and gives way at limits; without, it fought them, and had a speed of a thousand
metres a second where it stood."""
_QUICKEST = 2.0 * math.pi * 2e3  # rad/s: the pace of a body that is held to its keys
_BETWEEN = 8  # parts of a stretch of a table, where the pace is no linear function of weight and frequency
_SHORT = 0.05  # s: a stretch that has none


class Motion(NamedTuple):
    """Bodies (B) at times (T): kernel axes, angular velocity and acceleration, and centre with its acceleration."""

    R: np.ndarray  # (B, T, 3, 3)
    w: np.ndarray  # (B, T, 3)
    turn: np.ndarray  # (B, T, 3)
    c: np.ndarray  # (B, T, 3)
    a: np.ndarray  # (B, T, 3)


class Following(NamedTuple):
    """Bodies that follow: records, numbers of each (feed-forward, pace, damping ratio, limit), and times to stop at."""

    followed: np.recarray
    numbers: list[Number]
    stops: list[float]


def following(numbered: NumberedLinkage, bodies: np.recarray, keys: dict) -> Following:
    """Those of a linkage; puts the pieces of their splines behind those of keyed bodies."""
    pairs = _followers(numbered)
    followed, numbers, stops = records(len(pairs), FOLLOWED), [], []
    known: dict[tuple, tuple[Motion, tuple[np.ndarray, np.ndarray], np.ndarray]] = {}
    for record, (i, sign, body) in zip(followed, pairs, strict=True):
        follow, times = body.follow, tuple(body.keys.times)
        if times not in known:
            known[times] = _loads(numbered, bodies, np.array(times))
        motion, efforts, inertias = known[times]
        record.body, record.sign, record.stop = i, sign, times[-1]
        record.in_world = follow.relative_to == "world" and bodies.kind[i] != Kind.FREE
        axes = slice(bodies.axis_start[i], bodies.axis_end[i])
        target = _spline(times, _target(bodies, motion, record))
        now, end = numbered.moment, _end_of_blend(numbered, body)
        if end is not None:
            present = _target(bodies, _present(numbered, bodies, now.time + INSTANTS), record)
            end = now.time + IN_TIME * (end - now.time)
            target = blended(target, present, now.time, end, _angles(bodies, i))
            record.stop = max(record.stop, end)
            stops += [now.time, end]
        record.target = _add_pieces(keys, *target[:2])
        effort = efforts[1 if follow.gravity_only else 0]
        record.effort = _add_pieces(keys, *_spline(times, effort[:, axes])[:2])
        record.inertia = _add_pieces(keys, *_spline(times, inertias[:, axes])[:2])
        numbers += _drive_numbers(follow, _limit(numbered, body))
        stops += [times[0], times[-1]]
    return Following(followed, numbers, stops)


def _limit(numbered: NumberedLinkage, body: Body) -> Number:
    """The largest effort that pulls a body, N m or N."""
    if body.follow.max_force is not None:
        return body.follow.max_force
    contact = numbered.mechanism.contact
    return _FIRM * body.mass if contact is not None and contact.enabled else math.inf


def _drive_numbers(follow: Follow, limit: Number) -> list[Number]:
    """Feed-forward, pace (rad/s), damping ratio and limit, of which the first two follow from the weight, too.

    With compliance in proportion to (1 - weight) / weight, a weight of 1/2 leaves the frequency as it is.
    """
    given = follow.weight, follow.frequency, follow.feed_forward
    found = knots(given)
    if found is None:
        share, pace = _paces(*np.array(given)[:, None])
        return [float(share[0]), float(pace[0]), follow.damping_ratio, limit]
    times, values = found
    parts = np.where((np.diff(times) > _SHORT) & (np.diff(values, axis=0) != 0.0).any(axis=1), _BETWEEN, 1)
    steps = [np.linspace(a, b, n, endpoint=False) for a, b, n in zip(times[:-1], times[1:], parts, strict=True)]
    fine = np.concatenate([*steps, times[-1:]])
    share, pace = _paces(*(np.interp(fine, times, column) for column in values.T))
    return [Table(tuple(fine), tuple(share)), Table(tuple(fine), tuple(pace)), follow.damping_ratio, limit]


def _paces(weight: np.ndarray, frequency: np.ndarray, feed: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(feed-forward, pace) of weights, frequencies (Hz) and shares of feed-forward."""
    with np.errstate(divide="ignore", invalid="ignore"):
        pace = 2.0 * math.pi * frequency * np.sqrt(weight / (1.0 - weight))
    pace = np.where(weight == 1.0, _QUICKEST, np.minimum(pace, _QUICKEST))
    return np.where(weight == 1.0, 1.0, feed * np.minimum(1.0, 2.0 * weight)), pace


def _followers(numbered: NumberedLinkage) -> list[tuple]:
    """(number of the body whose axes are driven, +1 or -1, body) of each that follows: as its first joint's child, if
    it is one, else by the joint that it hangs on, or as it floats."""
    first, found = numbered.first, {}
    described = numbered.bodies[first - 1 :]
    driven = first_joints(numbered.mechanism)
    of_child = {
        joint.child: k
        for k, joint in enumerate(numbered.joints)
        if joint is not None and driven.get(joint.child) == joint.name
    }
    for body in described:
        if body.is_pulled and body.name in of_child:
            found.setdefault(of_child[body.name], (first + of_child[body.name], 1.0, body))
    for k, body in enumerate(described):
        if body.is_pulled and body.name not in of_child:
            found.setdefault(k, (first + k, 1.0 if numbered.joints[k] is None else -1.0, body))
    return [
        each for k, each in sorted(found.items()) if TYPES[numbered.kinds[k]].axes and numbered.kinds[k] != Kind.CONTACT
    ]


def _spline(times: tuple, values: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
    return interpolate(np.array(times), np.ascontiguousarray(values))


def _add_pieces(keys: dict, starts: np.ndarray, coefficients: np.ndarray) -> tuple[int, int]:
    """Adds pieces (K, 6, C); returns the numbers of the first and the one behind the last."""
    first = len(keys["key_times"])
    pad = ((0, 0), (0, 0), (0, 7 - coefficients.shape[2]))
    keys["key_times"] = np.concatenate([keys["key_times"], starts])
    keys["key_coefficients"] = np.concatenate([keys["key_coefficients"], np.pad(coefficients, pad)])
    return first, first + len(starts)


def _motion(numbered: NumberedLinkage, bodies: np.recarray, times: np.ndarray) -> Motion:
    """Places of targets and keyed bodies over time."""
    count, first, T = len(bodies), numbered.first, len(times)
    R, w, turn, c, a = np.zeros((count, T, 3, 3)), *np.zeros((4, count, T, 3))
    _, C, _ = numbered.start
    for i in range(count):
        axes = numbered.kernel_axes(i)
        R[i], c[i] = axes, C[i]
        body, inner = numbered.bodies[i - 1] if i else None, bodies.inner[i]
        if body is not None and body.keys is not None:
            x, turns, w[i], turn[i], a[i] = sample_with_accelerations(body.keys, times)
            own = numbered.own_rotation[i - first].T if i >= first else np.eye(3)
            arm = turned(turns, np.broadcast_to(numbered.center_of_mass[i], (T, 3)))
            R[i], c[i] = turns @ own, x + arm
            a[i] += np.cross(turn[i], arm) + np.cross(w[i], np.cross(w[i], arm))
        elif inner > 0:
            drawn = numbered.kernel_axes(inner).T
            arm = R[inner] @ (drawn @ (C[i] - C[inner]))
            R[i], w[i], turn[i], c[i] = R[inner] @ (drawn @ axes), w[inner], turn[inner], c[inner] + arm
            a[i] = a[inner] + np.cross(turn[i], arm) + np.cross(w[i], np.cross(w[i], arm))
    return Motion(R, w, turn, c, a)


def _end_of_blend(numbered: NumberedLinkage, body: Body) -> float | None:
    """s: when a body that comes back at the moment has come; None of others."""
    end = None if numbered.moment is None else numbered.moment.back.get(body.name)
    return end if end is not None and end > numbered.moment.time else None


def _present(numbered: NumberedLinkage, bodies: np.recarray, times: np.ndarray) -> Motion:
    """Places beside the moment: of keyed bodies by their keys, of dynamic ones by their velocities."""
    motion, now = _motion(numbered, bodies, times), numbered.moment
    for i in range(numbered.first, len(bodies)):
        body = numbered.number_of[numbered.bodies[i - 1].name]
        (c, R), w = numbered.pose_now(i), now.angular_velocity[body]
        v = now.linear_velocity[body] + np.cross(w, c - now.position[body])
        for k, step in enumerate(times - now.time):
            motion.R[i, k], motion.c[i, k] = (
                rotation_matrices(rotation_vector_quaternion(step * w))[0] @ R,
                c + step * v,
            )
    return motion


def _loads(
    numbered: NumberedLinkage, bodies: np.recarray, times: np.ndarray
) -> tuple[Motion, tuple[np.ndarray, np.ndarray], np.ndarray]:
    """The motion, efforts (T, A) of inverse dynamics, those that bear it at rest, and effective inertias (T, A)."""
    first, count, T = numbered.first, len(bodies), len(times)
    motion = _motion(numbered, bodies, times)
    own = gravity_of([body.name for body in numbered.bodies], numbered.forces, numbered.mechanism.gravity)
    root = np.arange(count)
    for i in range(first, count):
        root[i] = root[bodies.inner[i]] if bodies.inner[i] >= first else i
    floats = bodies.kind[root] == Kind.FREE
    follows = np.array([i > 0 and numbered.bodies[i - 1].is_pulled for i in range(count)])
    wrench, weight, inertia = np.zeros((count, T, 6)), np.zeros((count, T, 6)), np.zeros((count, T, 6, 6))
    for i in range(count - 1, first - 1, -1):
        g = np.column_stack(
            [np.interp(times, n.times, n.values) if isinstance(n, Table) else np.full(T, n) for n in own[i - 1]]
        )
        falls = floats[i] and not follows[root[i]]
        falling = motion.a[root[i]] if falls else g
        I = motion.R[i] @ _matrix(bodies.inertia[i]) @ transposed(motion.R[i])
        w, m = motion.w[i], bodies.mass[i]
        wrench[i, :, :3] += turned(I, motion.turn[i]) + np.cross(w, turned(I, w))
        wrench[i, :, 3:] += m * (motion.a[i] - falling)
        weight[i, :, 3:] -= 0.0 if falls else m * g
        inertia[i, :, :3, :3] += I
        inertia[i, :, 3:, 3:] += m * np.eye(3)
        inner = bodies.inner[i]
        if inner >= first:
            arm = motion.c[i] - motion.c[inner]
            for load in (wrench, weight):
                load[inner, :, :3] += load[i, :, :3] + np.cross(arm, load[i, :, 3:])
                load[inner, :, 3:] += load[i, :, 3:]
            inertia[inner] += _moved(inertia[i], arm)
    axes = bodies.axis_end[-1] if count > first else 0
    efforts, at_rest, effective = np.zeros((3, T, axes))
    for i in range(first, count):
        I, J = inertia[i], None
        if floats[i] and root[i] != i:
            J = _moved(inertia[root[i]], motion.c[root[i]] - motion.c[i])
        coordinates = _coordinates(bodies, motion, i)
        for c, (k, S) in enumerate(
            zip(range(bodies.axis_start[i], bodies.axis_end[i]), _motions(bodies, motion, i), strict=True)
        ):
            IS = (I @ S[:, :, None])[:, :, 0]
            efforts[:, k], at_rest[:, k] = ((S * load[i]).sum(axis=1) for load in (wrench, weight))
            effective[:, k] = (S * IS).sum(axis=1)
            if J is not None:
                effective[:, k] -= (IS * np.linalg.solve(J, IS[:, :, None])[:, :, 0]).sum(axis=1)
            loads = efforts[:, k], at_rest[:, k]
            _add_joint(numbered.joints[i - first], c, times, coordinates, *loads, effective[:, k])
    return motion, (efforts, at_rest), effective


def _add_joint(
    joint,
    c: int,
    times: np.ndarray,
    coordinates: np.ndarray | None,
    effort: np.ndarray,
    at_rest: np.ndarray,
    inertia: np.ndarray,
) -> None:
    """Adds the joint's own armature, damper and spring on an axis of which the coordinate is known."""
    if joint is None or coordinates is None:
        return
    value, rate, second = sample_led(Table(tuple(times), tuple(coordinates[:, c])), times)
    armature = joint.armature[c] if joint.armature else 0.0
    effort += armature * second
    inertia += armature
    if joint.damping:
        effort += _over(joint.damping, c, times) * rate
    if joint.damper and joint.damper[c] is not None:
        effort += force_at(joint.damper[c], rate)
    springs = np.zeros(len(times))
    if joint.stiffness:
        springs += _over(joint.stiffness, c, times) * (value - _over(joint.rest, c, times))
    if joint.pull and joint.pull[c] is not None:
        springs += force_at(joint.pull[c], value)
    effort += springs
    at_rest += springs


def _over(numbers: tuple[Number, ...] | None, c: int, times: np.ndarray) -> np.ndarray:
    number = numbers[c] if numbers else 0.0
    return np.interp(times, number.times, number.values) if isinstance(number, Table) else np.full(len(times), number)


def _matrix(six: np.ndarray) -> np.ndarray:
    return six[[0, 1, 2, 1, 3, 4, 2, 4, 5]].reshape(3, 3)


def _moved(inertia: np.ndarray, arm: np.ndarray) -> np.ndarray:
    """Spatial inertias (T, 6, 6) about another point, from which theirs lies at `arm` (T, 3)."""
    X = np.broadcast_to(np.eye(6), inertia.shape).copy()
    x, y, z = arm.T
    zero = np.zeros_like(x)
    X[:, 3:, :3] = np.array([[zero, z, -y], [-z, zero, x], [y, -x, zero]]).transpose(2, 0, 1)
    return transposed(X) @ inertia @ X


def _frames(bodies: np.recarray, motion: Motion, i: int) -> tuple[np.ndarray, np.ndarray]:
    """(T, 3, 3): the joint's frame on its parent and on its child."""
    on_inner, on_outer = motion.R[bodies.inner[i]] @ bodies.joint_rotation[i].reshape(3, 3), motion.R[i]
    return (on_inner, on_outer) if bodies.direction[i] > 0.0 else (on_outer, on_inner)


def _travel(bodies: np.recarray, motion: Motion, i: int) -> np.ndarray:
    """(T, 3) m: of the child's origin from the parent's, along the parent's axes."""
    inner = bodies.inner[i]
    way = motion.c[i] - motion.c[inner] - motion.R[inner] @ bodies.joint_point[i]
    parent, _ = _frames(bodies, motion, i)
    if bodies.direction[i] > 0.0:
        return turned(transposed(parent), way - motion.R[i] @ bodies.center_offset[i])
    return bodies.center_offset[i] - turned(transposed(parent), way)


def _motions(bodies: np.recarray, motion: Motion, i: int) -> list[np.ndarray]:
    """(T, 6) of each axis: the motion of the centre of mass for its unit speed."""
    parent, child = _frames(bodies, motion, i)
    joint_type, found = TYPES[bodies.kind[i]], []
    arm = motion.R[i] @ bodies.center_offset[i]
    if bodies.direction[i] < 0.0:
        arm = arm - turned(parent, _travel(bodies, motion, i))
    for axis in joint_type.axes:
        if axis.axis is None:
            found.append(np.zeros((len(arm), 6)))
            continue
        along = bodies.direction[i] * (parent if axis.side == "parent" else child)[:, :, axis.axis]
        if axis.kind == LENGTH:
            found.append(np.hstack([np.zeros_like(along), along]))
        else:
            pitch = bodies.pitch[i] if joint_type.is_threaded else 0.0
            found.append(np.hstack([along, np.cross(along, arm) + pitch * along]))
    return found


def _angles(bodies: np.recarray, i: int) -> list[int]:
    """Which of a joint's coordinates are angles about single axes."""
    if bodies.kind[i] in (Kind.SPHERICAL, Kind.FREE) or bodies.kind[i] >= Kind.GENERIC_1:
        return []
    return [c for c, axis in enumerate(TYPES[bodies.kind[i]].axes) if axis.kind != LENGTH]


def _coordinates(bodies: np.recarray, motion: Motion, i: int) -> np.ndarray | None:
    """(T, D), D at least 3, of a joint that turns about single axes; None of others."""
    kind, joint_type = bodies.kind[i], TYPES[bodies.kind[i]]
    if kind in (*CHARTED, Kind.CONTACT, Kind.FIXED):
        return None
    parent, child = _frames(bodies, motion, i)
    R, travel, turns = (
        product(transposed(parent), child),
        _travel(bodies, motion, i),
        [a.axis for a in joint_type.turns],
    )
    found = np.zeros((len(parent), max(3, len(joint_type.axes))))
    if len(turns) == 2:
        angles = iter(cardan_angles(R, *turns))
    else:
        angles = (np.arctan2(R[:, (k + 2) % 3, (k + 1) % 3], R[:, (k + 1) % 3, (k + 1) % 3]) for k in turns)
    for c, axis in enumerate(joint_type.axes):
        found[:, c] = travel[:, axis.axis] if axis.kind == LENGTH else np.unwrap(next(angles))
    return found


def _target(bodies: np.recarray, motion: Motion, record: np.record) -> np.ndarray:
    """(T, 7): coordinates, and the orientation across the joint, or of the body in the world."""
    i = record.body
    parent, child = _frames(bodies, motion, i)
    coordinates = _coordinates(bodies, motion, i)
    if coordinates is None:
        travels = TYPES[bodies.kind[i]].travels  # first of the coordinates; turns go by the orientation
        coordinates = np.zeros((len(parent), 3))
        if travels and None not in travels:
            coordinates[:, : len(travels)] = _travel(bodies, motion, i)[:, list(travels)]
    coordinates = coordinates[:, :3]  # of a generic joint all turns go by the orientation
    if record.in_world:
        turns = child if record.sign > 0.0 else parent
    else:
        turns = product(transposed(parent), child)
    q = quaternions(turns)
    flips = np.sign(np.sum(q[1:] * q[:-1], axis=1))
    q[1:] *= np.cumprod(np.where(flips < 0, -1.0, 1.0))[:, None]
    return np.hstack([coordinates, q])
