# SPDX-License-Identifier: GPL-3.0-or-later
"""Assembly of a mechanism, linkage by linkage, and what stays open.

read bodies and connections -> stand at the start -> bring each open linkage together -> name what is open -> re-base
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from ..mechanism import Mechanism
from .connections import Connection, Connections, read_connections
from .gauss_newton import EXACT, Solver
from .placement import Poses, read_bodies, starting_poses
from .rebase import rebased
from .system import Linkage

CLOSED = 1e-8  # part of the linkage's size, or rad: what is open by more is said

Standing = Mapping[str, tuple]


@dataclass(frozen=True)
class OpenConnection:
    """A joint or constraint that could not be met: by how much (the larger of its errors), in "m" or "rad"."""

    name: str
    kind: str  # "joint" or "constraint"
    gap: float
    unit: str
    is_beyond_limits: bool = False

    def __str__(self) -> str:
        how = "is beyond its limits" if self.is_beyond_limits else "stays open"
        return f"{self.kind} '{self.name}': {how} by {self.gap:.6g} {self.unit}"


@dataclass(frozen=True)
class AssemblyProgress:
    """Progress of an assembly."""

    fraction: float  # 0 to 1, of the whole
    iterations: int
    largest_gap: float  # as a part of the size of the linkage at work, or rad


class Assembly:
    """Brings the joints and constraints of a mechanism together, moving mass as little as it can.

    child_frames: for a loose joint, or a constraint between two bodies, where the side of its child (body_b) stands
    now, as {name: (position, orientation)} in the world; the mechanism's frame is then the parent's side alone. Raises
    MechanismError for a wrong mechanism, ValueError for child_frames of what is not there or has one side only.

    After `run`: mechanism (re-based, see `rebase`), poses {body: (position (3,), orientation (4,))}, open (largest
    first), largest_gap (part of the linkage's size, or rad), iterations.
    """

    def __init__(self, mechanism: Mechanism, child_frames: Standing | None = None) -> None:
        mechanism.refuse_wrong()
        self._given = mechanism
        self._bodies = read_bodies(mechanism)
        standing = {name: _frame(name, frame) for name, frame in (child_frames or {}).items()}
        connections = read_connections(mechanism, self._bodies)
        _refuse_unknown(standing, connections)
        self.start = starting_poses(mechanism, self._bodies, frozenset(standing))
        self._connections = Connections(connections, self._bodies, self.start, standing)
        self._poses = self.start
        self.linkages = self._split()
        self.iterations = 0
        self.open: list[OpenConnection] = []
        self._finished: Mechanism | None = None

    @property
    def mechanism(self) -> Mechanism:
        """The assembled mechanism. Raises RuntimeError before `run` has come to its end."""
        if self._finished is None:
            raise RuntimeError("the assembly has not run to its end")
        return self._finished

    @property
    def poses(self) -> dict[str, tuple[np.ndarray, np.ndarray]]:
        """Position (m) and orientation of each body's own frame, as assembled so far."""
        names = [body.name for body in self._given.bodies]
        return {name: (self._poses.position[i], self._poses.orientation[i]) for i, name in enumerate(names)}

    def run(self) -> Iterator[AssemblyProgress]:
        """Assembles, a step between two yields."""
        total = max(len(self.linkages), 1)
        poses = self.start
        for number, linkage in enumerate(self.linkages):
            solver = Solver(linkage, poses)
            if not solver.is_open:
                continue
            first = solver.error
            for error in solver.run():
                done = np.log(first / max(error, EXACT)) / np.log(first / EXACT)
                share = (number + float(np.clip(done, 0.0, 1.0))) / total
                yield AssemblyProgress(share, self.iterations + solver.iterations, error)
            poses = solver.poses
            self.iterations += solver.iterations
        self.finish(poses)

    def finish(self, poses: Poses) -> None:
        """Take these poses as the assembled ones."""
        self._poses = poses
        self.open = self._what_is_open()
        self._finished = rebased(self._given, self._bodies, self._connections, self._poses, self._turns_made())

    @property
    def largest_gap(self) -> float:
        """The largest error of all, as a part of its linkage's size or in rad."""
        return max((Solver(linkage, self._poses).error for linkage in self.linkages), default=0.0)

    def _turns_made(self) -> dict[tuple[str, str], float]:
        return {key: angle for linkage in self.linkages for key, angle in linkage.connections.turns_made().items()}

    def _split(self) -> list[Linkage]:
        """Groups of bodies that hang together through bodies that move."""
        from scipy.sparse import csr_matrix
        from scipy.sparse.csgraph import connected_components

        a, b = self._connections.ends
        count = len(self._bodies)
        through = self._bodies.moves[a] & self._bodies.moves[b]
        links = csr_matrix((np.ones(through.sum()), (a[through], b[through])), (count, count))
        _, label = connected_components(links + self._pairs_of_sides(), directed=False)
        owner = np.where(self._bodies.moves[a], label[a], label[b])
        moves = self._bodies.moves[a] | self._bodies.moves[b]
        for first, second in self._sides():  # one that moves nothing goes with the other
            if moves[first]:
                owner[second] = owner[first]
            else:
                owner[first] = owner[second]
        order = np.argsort(owner, kind="stable")
        groups = np.split(order, np.flatnonzero(np.diff(owner[order])) + 1) if len(order) else []
        return [Linkage(self._connections.some(group), self._bodies, self._poses) for group in groups]

    def _sides(self) -> list[tuple[int, int]]:
        """Numbers of both connections of each coupling and each rope; the second one adds to the first one's row."""
        place = {id(connection): k for k, connection in enumerate(self._connections.parts)}
        return [
            (place[id(connection.adds_to)], k)
            for k, connection in enumerate(self._connections.parts)
            if connection.adds_to is not None
        ]

    def _pairs_of_sides(self):
        """(B + 1, B + 1): which bodies the two sides of a coupling or a rope tie to each other."""
        from scipy.sparse import csr_matrix

        count, ends, moves = len(self._bodies), self._connections.ends, self._bodies.moves
        pairs = [
            (ends[side][first], ends[other][second])
            for first, second in self._sides()
            for side in range(2)
            for other in range(2)
        ]
        pairs = np.array([pair for pair in pairs if moves[list(pair)].all()], int).reshape(-1, 2).T
        return csr_matrix((np.ones(pairs.shape[1]), tuple(pairs)), (count, count))

    def _what_is_open(self) -> list[OpenConnection]:
        found = []
        for linkage in self.linkages:
            connections, parts = linkage.connections, linkage.connections.parts
            residual = connections.evaluate(connections.sight(self._poses)).residual
            for is_limit in (False, True):
                mine = connections.is_limit == is_limit
                travels = _norms(residual * (mine & connections.is_length), connections.owner, len(parts))
                turns = _norms(residual * (mine & ~connections.is_length), connections.owner, len(parts))
                for connection, travel, turn in zip(parts, travels, turns, strict=True):
                    if max(travel / linkage.scales.size, turn) > CLOSED:
                        is_travel = travel / linkage.scales.length >= turn
                        gap, unit = (travel, "m") if is_travel else (turn, "rad")
                        found.append(OpenConnection(connection.part.name, connection.kind, float(gap), unit, is_limit))
        return sorted(found, key=lambda connection: -connection.gap)


def assemble(mechanism: Mechanism) -> Mechanism:
    """The mechanism with its joints and constraints together. Raises MechanismError for a wrong mechanism.

    What can't be met is left as it is met best, in the sense of least squares; `Assembly` names it.
    """
    assembly = Assembly(mechanism)
    for _ in assembly.run():
        pass
    return assembly.mechanism


def _norms(residual: np.ndarray, connection: np.ndarray, count: int) -> np.ndarray:
    return np.sqrt(np.bincount(connection, residual**2, minlength=count))


def _frame(name: str, frame: tuple) -> tuple[np.ndarray, np.ndarray]:
    position, orientation = (np.array(part, float) for part in frame)
    length = np.linalg.norm(orientation)
    is_finite = np.isfinite(position).all() and np.isfinite(orientation).all()
    if position.shape != (3,) or orientation.shape != (4,) or not is_finite or abs(length - 1.0) > 1e-3:
        raise ValueError(f"child_frames['{name}'] must be a position (3 numbers) and a unit quaternion [w, x, y, z]")
    return position, orientation / length


def _refuse_unknown(standing: Mapping, connections: list[Connection]) -> None:
    known = {
        connection.part.name
        for connection in connections
        if connection.kind == "joint" or len(connection.part.ENDS) == 2
    }
    for name in standing:
        if name not in known:
            raise ValueError(f"child_frames['{name}'] names no joint and no enabled constraint between two bodies")
