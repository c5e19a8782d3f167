# SPDX-License-Identifier: GPL-3.0-or-later
"""Loops that move only as drawn without error: their joints are put where they would be in the nearest such drawing.

The four hinges of a four-bar must be parallel, those of a Bennett linkage in a certain ratio. Drawn by hand they are
off by 1e-7 or 1e-5, and then, taken by the letter, nothing moves. In numbers: with G (R, 6 B) the Jacobian of the
joints' rows over the motions of the bodies, lengths by the loops' size, some singular values of G are as small as the
error, and their right singular vectors are the freedoms that it takes away. Told from a singular pose by a walk along
these freedoms: an error stays small, a singular pose is left behind.

What the error opens on the walk, N^T phi with N the left singular vectors of what is small or zero, shall vanish at all
its poses. It is a function of the joints' places p, whose change of least norm that does it is found by Gauss's and
Newton's method; this is kinematic calibration (Hollerbach, Wampler 1996) of a mechanism by its own mobility. All
methods then meet the same conditions, and those that follow from the others follow exactly.

Where a block hangs on keyed bodies, it walks as these lead it, too; then what is left to move may be nothing, and the
error shows only in what it opens.

The axes of a flat linkage are made parallel at once; that is enough if no error is left, and goes for any size.

Only joints of one block count, of bodies that loops tie to each other: the biconnected components of bodies and joints
(Hopcroft, Tarjan 1973), where all that is fixed or keyed is one body.
"""

import functools
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ...mechanism.bodies import Body
from ...mechanism.constraints import Nail, PointToPoint
from ...mechanism.description import Mechanism
from ...mechanism.keyed_motion import sample
from ..arrays import TYPES, RowKind
from ..closures import rows_of
from ..poses import IDENTITY, body_pose, rotation_matrices, rotation_vector_quaternion
from ..topology import Linkage

_DIGITS = 1e-6  # rad, or part of the linkage's size: errors that drawings have
ALLOWED = 5e-4  # rad, or part of the block's size: as far as a joint may be off a drawing that moves
_MOST_BODIES, _MOST_LED = 32, 16  # of a block, and of one on keyed bodies, that is looked at: it costs a cube
_ROUNDING = 1e-12  # singular values that are zero
_SMALL = 0.02  # those that may be errors
_APART = 5.0  # and how many times the others are larger
_STRIDE, _STRIDES = 0.15, 5  # of a walk (rad, or part of the size), each way
_MOST_WALKS = 3
_MOMENTS = 16  # at which a keyed block is looked at
_REGULAR = 0.05  # of its value at the start: what the least singular value of the others must not fall below
_CORRECTIONS = 30
_PASSES = 12
_CLOSED, _MET = 1e-13, 1e-11  # rad, or part of the size: at which it ends, and what it must reach
_FELT, _LEAST_FELT = 1e-3, 1e-6  # of the largest effect: those of places that count, first and at last
_NEAR = 0.05  # rad, or part of the size: farther than this no drawing counts as the nearest
_ROWS = {kind.name: None if kind.rides or kind.is_threaded else tuple(rows_of(kind)) for kind in TYPES}

_HINGES = ("revolute", "cylindrical", "planar")  # whose z is normal to the plane of a flat linkage
_FLAT = ("revolute", "prismatic")  # of which a flat loop has more conditions than it needs, one point among them


class Offset(NamedTuple):
    """A block of joints that is off the nearest drawing that moves."""

    joints: tuple[int, ...]  # those that are off most, by their places in the mechanism's list
    angle: float  # rad: the largest one
    distance: float  # m
    is_mended: bool
    stands: bool  # True if nothing of it can move as drawn


class _Tie(NamedTuple):
    """A joint of a block, or a point that two of its bodies share."""

    joint: int  # -1 for a constraint
    bodies: tuple[int, int]  # numbers in the block; -1 for what stands still, from -2 down for keyed ones
    type: str  # of the joint; a point is one that is spherical
    position: tuple[float, ...]  # m
    orientation: tuple[float, ...]


class _Block(NamedTuple):
    """Bodies and the ties that bind them by loops."""

    ties: tuple[_Tie, ...]
    centers: tuple[tuple[float, ...], ...]  # m: of the bodies
    led: tuple[tuple[tuple[tuple[float, ...], tuple[float, ...]], ...], ...]  # of each keyed body: its poses on the way


def is_told(offset: Offset, size: float) -> bool:
    """True if it is more than the digits of a drawing of this size (m), or not mended."""
    return not offset.is_mended or max(offset.angle, offset.distance / size) >= _DIGITS


def lined_up(mechanism: Mechanism, linkage: Linkage) -> tuple[Mechanism, list[Offset]]:
    """The mechanism with the joints of this linkage where loops can move, and what was off, or is too far off."""
    if not (linkage.closing or linkage.constraints or len(linkage.bodies) > linkage.whole):
        return mechanism, []
    joints, offsets = list(mechanism.joints), []
    for block in _blocks(mechanism, linkage):
        places, offset = _nearest_that_moves(block)
        if offset is not None:
            offsets.append(offset)
        for tie, (position, orientation) in zip(block.ties, places, strict=True):
            if tie.joint >= 0 and (position, orientation) != (tie.position, tie.orientation):
                joints[tie.joint] = replace(joints[tie.joint], position=position, orientation=orientation)
    return (replace(mechanism, joints=joints) if any(o.is_mended for o in offsets) else mechanism), offsets


def _blocks(mechanism: Mechanism, linkage: Linkage) -> Iterator[_Block]:
    """The blocks that can be judged; a body that hangs on joints in no loop is in none."""
    number = {mechanism.bodies[i].name: i for i in linkage.bodies}
    keyed = [body for body in mechanism.bodies if body.motion == "keyed"]
    number |= {body.name: -2 - k for k, body in enumerate(keyed)}
    ties = list(_ties(mechanism, linkage, number))
    for found in _biconnected([tuple(max(body, -1) for body in tie.bodies) for tie in ties]):
        members = [ties[k] for k in found]
        bodies = sorted({body for tie in members for body in tie.bodies}, reverse=True)
        free, led = [body for body in bodies if body >= 0], [body for body in bodies if body < -1]
        still = free[-1:] if min(bodies) >= 0 else []  # what floats is looked at from one of its bodies
        free = free[: len(free) - len(still)]
        if len(members) > 1 and free and all(_ROWS[tie.type] is not None for tie in members):
            place = {
                -1: -1,
                **dict.fromkeys(still, -1),
                **{body: k for k, body in enumerate(free)},
                **{body: -2 - k for k, body in enumerate(led)},
            }
            members = tuple(tie._replace(bodies=tuple(place[body] for body in tie.bodies)) for tie in members)
            centers = tuple(tuple(body_pose(mechanism.bodies[body])[0]) for body in free)
            yield _Block(members, centers, _ways([keyed[-2 - body] for body in led]))


def _ties(mechanism: Mechanism, linkage: Linkage, number: dict[str, int]) -> Iterator[_Tie]:
    """The joints of a linkage, and the points that its constraints tie."""
    for j in sorted({j for j in (*linkage.joint, *linkage.closing) if j is not None}):
        joint = mechanism.joints[j]
        ends = number.get(joint.parent, -1), number.get(joint.child, -1)
        is_as_drawn = joint.child_side is None  # else it has no one place that could be judged
        kind = joint.joint_type.name if is_as_drawn else "screw"
        yield _Tie(j, ends, kind, tuple(joint.position), tuple(joint.orientation))
    for constraint in (mechanism.constraints[i] for i in linkage.constraints):
        points = constraint.end_points if isinstance(constraint, Nail | PointToPoint) else []
        if points and tuple(points[0]) == tuple(points[-1]):
            ends = [number.get(name, -1) for name in constraint.end_bodies]
            yield _Tie(-1, (*ends, -1)[:2], "spherical", tuple(points[0]), IDENTITY)


def _ways(keyed: list[Body]) -> tuple:
    """Poses of keyed bodies as they are drawn and at some moments of their keys."""
    ends = [time for body in keyed for time in (body.keys.times[0], body.keys.times[-1])]
    times, ways = np.linspace(min(ends, default=0.0), max(ends, default=0.0), _MOMENTS), []
    for body in keyed:
        positions, orientations, _, _ = sample(body.keys, times)
        poses = zip(positions.tolist(), orientations.tolist(), strict=True)
        ways.append((body_pose(body), *((tuple(position), tuple(q)) for position, q in poses)))
    return tuple(ways)


def _biconnected(edges: list[tuple[int, int]]) -> Iterator[list[int]]:
    """The biconnected components of a graph with these edges between any numbers, as lists of edges."""
    at: dict[int, list[int]] = {}
    for k, (a, b) in enumerate(edges):
        at.setdefault(a, []).append(k)
        at.setdefault(b, []).append(k)
    found: dict[int, int] = {}  # the order in which nodes are found
    low: dict[int, int] = {}  # the first node that a branch leads back to
    used, open_edges = set(), []
    for root in at:
        if root in found:
            continue
        found[root] = low[root] = len(found)
        branch = [(root, -1, iter(at[root]))]
        while branch:
            node, entry, ways = branch[-1]
            k = next((k for k in ways if k not in used), None)
            if k is None:
                branch.pop()
                if branch:
                    inner = branch[-1][0]
                    low[inner] = min(low[inner], low[node])
                    if low[node] >= found[inner]:
                        component = [open_edges.pop()]
                        while component[-1] != entry:
                            component.append(open_edges.pop())
                        yield component[::-1]
                continue
            used.add(k)
            open_edges.append(k)
            other = edges[k][0] + edges[k][1] - node
            if other in found:
                low[node] = min(low[node], found[other])
            else:
                found[other] = low[other] = len(found)
                branch.append((other, k, iter(at[other])))


@functools.lru_cache(maxsize=256)
def _nearest_that_moves(block: _Block) -> tuple[tuple, Offset | None]:
    """The place (position, orientation) of each tie, and how far that is from where it was drawn."""
    ties = block.ties
    drawn, search = tuple((tie.position, tie.orientation) for tie in ties), _Search(block)
    if not search.succeeds():
        return drawn, None
    angle, distance = np.linalg.norm(search.turned, axis=1), np.linalg.norm(search.shifted, axis=1)
    off = np.maximum(angle, distance)
    if not _ROUNDING < off.max() < _NEAR:
        return drawn, None
    worst = tuple(ties[k].joint for k in np.argsort(-off, kind="stable") if off[k] > 0.1 * off.max())
    is_mended = bool(off.max() <= ALLOWED)
    offset = Offset(worst, float(angle.max()), float(distance.max() * search.size), is_mended, search.stands)
    if not is_mended:
        return drawn, offset
    places = []
    for tie, theta, move in zip(ties, search.turned, search.shifted, strict=True):
        position = np.array(tie.position) + search.size * move
        turn = _product(rotation_vector_quaternion(theta), np.array(tie.orientation))
        places.append((tuple(position.tolist()), tuple((turn / np.linalg.norm(turn)).tolist())))
    return tuple(places), offset


def _product(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """The quaternion p q."""
    return np.concatenate([[p[0] * q[0] - p[1:] @ q[1:]], p[0] * q[1:] + q[0] * p[1:] + np.cross(p[1:], q[1:])])


class _Pose(NamedTuple):
    """A pose, and the singular values and vectors of its Jacobian G = U diag(values) V.

    Its last body stands still, those before it are keyed.
    """

    turns: np.ndarray  # (bodies, 3, 3)
    shifts: np.ndarray  # (bodies, 3)
    U: np.ndarray  # (R, R)
    values: np.ndarray
    V: np.ndarray  # (6 B, 6 B)


class _Search:
    """For the nearest places of ties: a block of R rows, T ties and B bodies; lengths as parts of its size."""

    def __init__(self, block: _Block) -> None:
        ties, self.led = block.ties, block.led
        self.types = np.array([tie.type for tie in ties])
        positions = np.array([tie.position for tie in ties], float)
        extent = np.ptp(np.vstack([positions, np.array(block.centers, float)]), axis=0)
        self.size, self.middle = float(np.linalg.norm(extent)) or 1.0, positions.mean(axis=0)
        self.origin = (positions - self.middle) / self.size
        self.axes = rotation_matrices(np.array([tie.orientation for tie in ties]))
        self.free = np.array([tie.joint >= 0 for tie in ties])
        self.count = len(block.centers)
        rows = [(k, *row) for k, tie in enumerate(ties) for row in _ROWS[tie.type]]
        self.tie = np.array([row[0] for row in rows], int)
        self.is_turn = np.array([row[1] == RowKind.TURN for row in rows])
        self.axis_a, self.axis_b = (np.array([row[k] for row in rows], int) for k in (2, 3))
        self.body_a, self.body_b = np.array([tie.bodies for tie in ties])[self.tie].T
        self.turned, self.shifted = np.zeros((2, len(ties), 3))
        self.rank, self.last, self.stands = min(len(rows), 6 * self.count), 0.0, False
        self.dependent = 0  # rows that follow from others

    def succeeds(self) -> bool:
        """Fills turns and shifts (T, 3) of the ties that let the block move; False if it does, or none are near."""
        if self.count > (_MOST_LED if self.led else _MOST_BODIES):
            flat = np.isin(self.types, _FLAT) | (self.types == "spherical")
            return bool(flat.all() and np.count_nonzero(self.types == "spherical") <= 1) and self._flatten()
        bodies = self.count + 1 + len(self.led)
        turns, shifts = np.tile(np.eye(3), (bodies, 1, 1)), np.zeros((bodies, 3))
        if not self._has_errors(turns, shifts) and not self.led:
            return False
        drawn = self.dependent
        if self.led or not self._flatten():
            return self._calibrates(turns, shifts)
        if not self._has_errors(turns, shifts):
            return True
        flat, frees = (self.turned, self.shifted, self.axes, self.origin), self.dependent > drawn
        if self._calibrates(turns, shifts):
            return True
        self.turned, self.shifted, self.axes, self.origin = flat
        return frees  # what is small besides is a singular pose that is near

    def _calibrates(self, turns: np.ndarray, shifts: np.ndarray) -> bool:
        """Puts the ties where nothing opens on a walk; False if what was small grows, or no such places are near."""
        start = self._pose(turns, shifts)
        poses = [*self._walk(start), *self._follow(start)]
        if not poses or None in poses:
            return False
        before, felt = np.inf, _FELT
        for _ in range(_PASSES):
            openings, effects = self._openings(poses)
            worst = np.abs(openings).max(initial=0.0)
            if worst < _CLOSED or felt < _LEAST_FELT:
                break
            if not worst < 0.5 * before:
                if worst < _MET:
                    break
                felt *= 0.1  # where families of drawings that move meet, as at a parallelogram, the rest is quadratic
            before = worst
            self._move(-np.linalg.lstsq(effects, openings, rcond=felt)[0].reshape(-1, 6))
            poses = [self._next(pose, pose.turns, pose.shifts) for pose in poses]
            if None in poses:
                return False
        return worst < _MET

    def _flatten(self) -> bool:
        """Turns joints whose axes are nearly parallel so that they are, and slides nearly across so; True if it did.

        Hinges that meet far away move as well, but their rows that tell it are as small as the error was.
        """
        hinges, slides = np.isin(self.types, _HINGES), self.types == "prismatic"
        if not (hinges | slides | (self.types == "spherical") | (self.types == "fixed")).all() or not hinges.any():
            return False
        z = self.axes[:, :, 2]
        signs = np.sign(z @ z[hinges][0])[:, None]
        normal = (signs * z)[hinges].mean(axis=0)
        normal /= np.linalg.norm(normal)
        aims = np.where(hinges[:, None], signs * normal, z)
        aims[slides] -= (z @ normal)[slides, None] * normal
        theta = np.cross(z, aims)
        theta *= 1.0 + np.sum(theta * theta, axis=1, keepdims=True) / 6.0  # the angle by its sine; both are small
        if not _ROUNDING < np.linalg.norm(theta, axis=1).max() <= ALLOWED:
            return False
        self._move(np.hstack([theta, np.zeros_like(theta)]))
        return True

    def _has_errors(self, turns: np.ndarray, shifts: np.ndarray) -> bool:
        """True if singular values in a pose are small and far from the others; finds the rank of the others."""
        values = np.linalg.svd(self._rows(turns, shifts)[1], compute_uv=False)
        small = np.flatnonzero((values[1:] < _SMALL) & (values[:-1] > _APART * values[1:]))
        if len(small):
            self.rank = int(small[0]) + 1
        self.last, self.dependent = float(values[self.rank - 1]), int(np.count_nonzero(values <= _ROUNDING))
        self.stands |= not self.led and bool(values[-1] > _ROUNDING) and len(values) == 6 * self.count
        return bool(len(small) and values[self.rank] > _ROUNDING)

    def _rows(self, turns: np.ndarray, shifts: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(phi (R,), its derivatives by bodies' motions about the origin (R, 6 B), by ties' places (R, 6 T))."""
        a, b, tie = self.body_a, self.body_b, self.tie
        R_a, R_b = turns[a], turns[b]
        p_a = np.einsum("rij,rj->ri", R_a, self.origin[tie]) + shifts[a]
        p_b = np.einsum("rij,rj->ri", R_b, self.origin[tie]) + shifts[b]
        u = np.einsum("rij,rj->ri", R_a, self.axes[tie, :, self.axis_a])
        v = np.einsum("rij,rj->ri", R_b, self.axes[tie, :, self.axis_b])
        d, turns_only = p_b - p_a, self.is_turn[:, None]
        phi = np.where(self.is_turn, np.sum(u * v, axis=1), np.sum(u * d, axis=1))
        n, force = np.where(turns_only, np.cross(u, v), np.cross(u, d)), np.where(turns_only, 0.0, u)
        n_b = np.where(turns_only, -n, 0.0)
        rows = np.arange(len(tie))
        G = np.zeros((len(tie), len(turns), 6))
        np.add.at(G, (rows, a), np.hstack([n - np.cross(p_a, force), -force]))
        np.add.at(G, (rows, b), np.hstack([n_b + np.cross(p_b, force), force]))
        P = np.zeros((len(tie), len(self.origin), 6))
        P[rows, tie, :3] = np.einsum("rji,rj->ri", R_a, n) + np.einsum("rji,rj->ri", R_b, n_b)
        P[rows, tie, 3:] = np.einsum("rji,rj->ri", R_b, force) - np.einsum("rji,rj->ri", R_a, force)
        P[:, ~self.free] = 0.0
        return phi, G[:, : self.count].reshape(len(tie), -1), P.reshape(len(tie), -1)

    def _walk(self, start: _Pose) -> Iterator[_Pose | None]:
        """Poses along some freedoms; None where what was small grows, as it does behind a singular pose."""
        freedoms = start.V[self.rank :]
        for k in range(min(len(freedoms), _MOST_WALKS)):
            mixture = np.cos(1.0 + k + np.arange(len(freedoms)) * (k + 1.0))  # no freedom is left out
            for way in (1.0, -1.0):
                heading, pose = way * mixture @ freedoms, start
                for _ in range(_STRIDES):
                    basis = pose.V[self.rank :]
                    heading = (basis @ heading) @ basis
                    heading /= np.abs(heading).max()
                    pose = self._next(pose, *self._displaced(pose.turns, pose.shifts, _STRIDE * heading))
                    yield pose
                    if pose is None:
                        return

    def _follow(self, pose: _Pose) -> Iterator[_Pose]:
        """Poses to which keyed bodies lead, as far as the block can follow."""
        led = slice(self.count, None)
        for moment in range(1, len(self.led[0]) if self.led else 0):
            (from_R, from_x), (to_R, to_x) = (self._led_to(pose, k) for k in (moment - 1, moment))
            way = max(np.abs(to_R - from_R).max(), np.abs(to_x - from_x).max())
            steps = min(int(np.ceil(way / _STRIDE)), _MOMENTS)
            for step in range(1, steps + 1):
                turns, shifts, share = pose.turns.copy(), pose.shifts.copy(), step / steps
                U, _, V = np.linalg.svd((1.0 - share) * from_R[led] + share * to_R[led])
                turns[led], shifts[led] = U @ V, (1.0 - share) * from_x[led] + share * to_x[led]
                pose = self._next(pose, turns, shifts)
                if pose is None or np.abs(self._rows(pose.turns, pose.shifts)[0]).max() > _NEAR:
                    return
            if steps:
                yield pose

    def _led_to(self, pose: _Pose, moment: int) -> tuple[np.ndarray, np.ndarray]:
        """Turns and shifts of a pose, with keyed bodies where they are at a moment."""
        turns, shifts = pose.turns.copy(), pose.shifts.copy()
        for k, way in enumerate(self.led):
            (x, q), (drawn_x, drawn_q) = way[moment], way[0]
            R, drawn_R = rotation_matrices(np.array([q, drawn_q]))
            turns[-2 - k] = R @ drawn_R.T
            at = np.subtract(drawn_x, self.middle) / self.size
            shifts[-2 - k] = np.subtract(x, self.middle) / self.size - turns[-2 - k] @ at
        return turns, shifts

    def _next(self, before: _Pose, turns: np.ndarray, shifts: np.ndarray) -> _Pose | None:
        """The pose not far from another one in which all is closed but what an error opens; None if it is singular."""
        near = self._closed(before, before._replace(turns=turns, shifts=shifts))
        pose = self._pose(near.turns, near.shifts)
        return self._closed(pose, pose) if self._is_regular(pose) else None

    def _pose(self, turns: np.ndarray, shifts: np.ndarray) -> _Pose:
        return _Pose(turns, shifts, *np.linalg.svd(self._rows(turns, shifts)[1]))

    def _is_regular(self, pose: _Pose) -> bool:
        """True if what is small or zero is so there, and nothing else: no singular pose, or one out of reach."""
        last, small = pose.values[self.rank - 1], pose.values[self.rank :].max(initial=0.0)
        return bool(small < _SMALL and last > max(2.0 * small, _REGULAR * self.last))

    def _closed(self, near: _Pose, pose: _Pose) -> _Pose:
        """The pose with all closed but what an error opens, by Newton's method with the Jacobian of one nearby."""
        r, before = self.rank, np.inf
        for _ in range(_CORRECTIONS):
            phi, _, _ = self._rows(pose.turns, pose.shifts)
            change = -((near.U[:, :r].T @ phi) / near.values[:r]) @ near.V[:r]
            turns, shifts = self._displaced(pose.turns, pose.shifts, change)
            pose, now = pose._replace(turns=turns, shifts=shifts), np.abs(change).max()
            if now < 0.1 * _CLOSED or not now < before:
                break
            before = now
        return pose

    def _openings(self, poses: list[_Pose]) -> tuple[np.ndarray, np.ndarray]:
        """(N^T phi, its derivatives by the ties' places) at all poses."""
        openings, effects = [], []
        for pose in poses:
            phi, _, P = self._rows(pose.turns, pose.shifts)
            N = pose.U[:, self.rank :]
            openings.append(N.T @ phi)
            effects.append(N.T @ P)
        return np.concatenate(openings), np.concatenate(effects)

    def _move(self, change: np.ndarray) -> None:
        """Adds turns and shifts (T, 6) to the ties' places."""
        self.turned = self.turned + change[:, :3]
        self.shifted = self.shifted + change[:, 3:]
        self.origin = self.origin + change[:, 3:]
        self.axes = _turns(change[:, :3]) @ self.axes

    def _displaced(self, turns: np.ndarray, shifts: np.ndarray, change: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Turns and shifts after motions (6 B,) of the bodies about the origin."""
        motion = np.zeros((len(turns), 6))
        motion[: self.count] = change.reshape(-1, 6)
        R = _turns(motion[:, :3])
        return R @ turns, np.einsum("bij,bj->bi", R, shifts) + motion[:, 3:]


def _turns(theta: np.ndarray) -> np.ndarray:
    """(n, 3, 3) of rotation vectors (n, 3)."""
    angle = np.linalg.norm(theta, axis=1, keepdims=True)
    return rotation_matrices(np.hstack([np.cos(0.5 * angle), 0.5 * np.sinc(angle / (2.0 * np.pi)) * theta]))
