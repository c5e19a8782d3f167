# SPDX-License-Identifier: GPL-3.0-or-later
"""Connections: every joint and constraint as two frames, each fixed to a body or the world, and rows between them.

Frame a is that of a joint's parent, or what a constraint holds its body to; frame b is that of the child or the body.
Poses are seen from the centres of mass: unknowns of a body are the small rotation about its centre (world axes) and the
centre's small travel, both scaled by the root of its inertia, so that a short vector is a small motion in the metric of
mass and inertia.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from ..mechanism import (
    Constraint,
    Coupling,
    Curve,
    Joint,
    Mechanism,
    Nail,
    Orientation,
    Path,
)
from ..mechanism.constraints import FrameConstraint, PointPair
from ..mechanism.joint_types import LENGTH, JointType
from ..mechanism.keyed_motion import sample, sample_led
from ..mechanism.ropes import OverWheels
from ..model.closures import start_coordinate
from ..model.poses import rotation_matrices
from ..model.topology import acts, counted_joints
from . import rotations
from .curve import BeadCurve, CamProfile
from .placement import IDENTITY, Bodies, Poses
from .rows import (
    BETWEEN_POINTS,
    AlongCurve,
    Axis,
    Bead,
    Coordinate,
    Limit,
    OnCam,
    Place,
    Riding,
    Rows,
    Span,
    Square,
    Thread,
    Turn,
    coordinate,
    coordinate_names,
)
from .surface_joints import RidingPair

Frame = tuple[tuple, tuple]  # position, orientation in the world at zero coordinates
ORIGIN = (0.0, 0.0, 0.0)


def rows_of(joint_type: JointType) -> list[tuple]:
    """The classes of what a joint holds between its frames, each with its parameters."""
    if joint_type.rides:
        return [(Riding,)]
    turns = tuple(turn.axis for turn in joint_type.turns)
    by_turns = {0: [(Turn,)], 1: [(Axis, *turns)], 2: [(Square, *turns)], 3: []}[len(turns)]
    rows = [(Place, joint_type.held), *by_turns]
    return [*rows, (Thread,)] if joint_type.is_threaded else rows


@dataclass
class Connection:
    """One joint or constraint: the bodies (a, b), the frames on them as drawn, and its rows' kinds and parameters.

    A coupling of joints is two connections, a rope one for each span and drum; the others `add_to` the first one's row.
    """

    part: Joint | Constraint
    kind: str  # "joint" or "constraint"
    bodies: tuple[int, int]
    frames: tuple[Frame, Frame]
    rows: list[tuple] = field(default_factory=list)  # (class, what tells families apart, parameters)
    adds_to: "Connection | None" = None
    joint: str | None = None  # whose frames it shares


def read_connections(mechanism: Mechanism, bodies: Bodies) -> list[Connection]:
    """Every enabled joint and constraint."""
    connections = [_joint_connection(joint, bodies) for joint in mechanism.joints if joint.enabled]
    for part in mechanism.constraints:
        if not acts(mechanism, part):
            continue
        if isinstance(part, Coupling):
            connections += _coupling_connections(part, counted_joints(mechanism, part), bodies)
        elif isinstance(part, OverWheels):
            connections += _rope_connections(part, counted_joints(mechanism, part), bodies)
        else:
            connections.append(_constraint_connection(part, bodies))
    return connections


def _coupling_connections(part: Coupling, joints: list[Joint], bodies: Bodies) -> list[Connection]:
    """joint_b's side, which has the row, and joint_a's, which adds to it."""
    is_length = joints[1].type == "prismatic"
    first = _counted(part, joints[1], 1.0, is_length, bodies)
    other = _counted(part, joints[0], -part.transmission, is_length, bodies)
    other.adds_to = first
    return [first, other]


def _counted(part: Constraint, joint: Joint, share: float, is_length: bool, bodies: Bodies) -> Connection:
    """A joint's coordinate, which adds to a row."""
    (name,) = coordinate_names(joint.joint_type)
    near = start_coordinate(joint)
    rows = [(Coordinate, (name, is_length), {"share": share, "kept": share * near, "near": near})]
    ends = bodies.number[joint.parent], bodies.number[joint.child]
    return Connection(part, "constraint", ends, joint.sides, rows, joint=joint.name)


def _rope_connections(part: OverWheels, drums: list[Joint], bodies: Bodies) -> list[Connection]:
    """The spans of a rope and its drums; the first span has the row."""
    connections: list[Connection] = []
    numbers, turn = [bodies.number[name] for name in part.end_bodies], tuple(IDENTITY)
    points, length = [(point, turn) for point in part.end_points], part.drawn_length
    for k, weight in enumerate(part.weights):
        if weight > 0.0:
            ends, frames = (numbers[k + 1], numbers[k]), (points[k + 1], points[k])
            row = Span, (), {"share": weight, "length": 0.0 if connections else length}
            connections.append(Connection(part, "constraint", ends, frames, [row]))
    radii = part.radii if drums else ()
    connections += [_counted(part, drum, r, True, bodies) for drum, r in zip(drums, radii, strict=True)]
    for connection in connections[1:]:
        connection.adds_to = connections[0]
    return connections


def _joint_connection(joint: Joint, bodies: Bodies) -> Connection:
    connection = Connection(joint, "joint", (bodies.number[joint.parent], bodies.number[joint.child]), joint.sides)
    names, axes = coordinate_names(joint.joint_type), joint.joint_type.axes
    given = joint.start_coordinates or (0.0,) * len(names)
    for kind, *parameters in rows_of(joint.joint_type):
        if kind is Thread:
            connection.rows.append((Thread, (), {"pitch": joint.pitch, "near": given[0]}))
        elif kind is Riding:
            connection.rows.append((Riding, (), {"pairs": RidingPair(joint, bodies, connection.bodies)}))
        else:
            connection.rows.append((kind, tuple(parameters), {}))
    for name, axis, near, target in zip(names, axes, given, joint.led or (), strict=False):
        if target is not None:
            led = {"share": 1.0, "kept": near, "near": near}
            connection.rows.append((Coordinate, (name, axis.kind == LENGTH), led))
    for name, bounds, near in zip(names, joint.limits or (), given, strict=False):
        lower, upper = bounds or (None, None)
        if lower is not None or upper is not None:
            lower, upper = -np.inf if lower is None else lower, np.inf if upper is None else upper
            connection.rows.append((Limit, (name,), {"lower": lower, "upper": upper, "near": near}))
    return connection


def leads_itself(connection: Connection) -> bool:
    """True of a joint whose motor leads it as keyed."""
    return connection.kind == "joint" and connection.part.led is not None


def _constraint_connection(part: Constraint, bodies: Bodies) -> Connection:
    world = bodies.number[None]
    if isinstance(part, FrameConstraint):
        return _between_frames(part, bodies)
    if isinstance(part, PointPair):
        ends = tuple(bodies.number[name] for name in reversed(part.end_bodies))
        frames = tuple((point, tuple(IDENTITY)) for point in reversed(part.end_points))
        rows = [(BETWEEN_POINTS[part.ROW], (), {"number": part.row_number})]
        return Connection(part, "constraint", ends, frames, rows)
    body = bodies.number[part.body]
    own = tuple(bodies.drawn.orientation[body])
    if isinstance(part, Orientation | Nail | Curve):
        world = bodies.number[part.to]
    if isinstance(part, Orientation):
        return Connection(part, "constraint", (world, body), ((ORIGIN, own), (ORIGIN, own)), [(Turn, (), {})])
    if isinstance(part, Curve):
        frames = (ORIGIN, tuple(IDENTITY)), (part.point, part.orientation)
        if part.one_sided is not None:
            rows = [(OnCam, (), {"profiles": CamProfile(part)})]
            return Connection(part, "constraint", (world, body), frames, rows)
        curve = BeadCurve(part)
        along = [] if part.align is None else [(AlongCurve, (part.align == "up",), {"curves": curve})]
        return Connection(part, "constraint", (world, body), frames, [(Bead, (), {"curves": curve}), *along])
    rows: list[tuple] = [(Place, ((0, 1, 2),), {})]
    goal = part.point, tuple(IDENTITY)
    if isinstance(part, Path):
        goal = guide_start(part)
        if part.orientations is not None:
            rows.append((Turn, (), {}))
    return Connection(part, "constraint", (world, body), (goal, (part.point, own)), rows)


def _between_frames(part: FrameConstraint, bodies: Bodies) -> Connection:
    held_to, held = part.sides
    if part.guide is not None:
        held_to = guide_start(part)
    ends = tuple(bodies.number[name] for name in part.held_bodies)
    connection = Connection(part, "constraint", ends, (held_to, held))
    if part.locked_travels:
        connection.rows.append((Place, (part.locked_travels,), {}))
    free = part.free_turns
    if not free:
        connection.rows.append((Turn, (), {}))
    elif len(free) == 1:
        connection.rows.append((Axis, free, {}))
    elif len(free) == 2:
        connection.rows.append((Square, free, {}))
    return connection


def guide_start(led: Constraint) -> Frame:
    """The place and turn of what leads a constraint at 0 s."""
    positions, orientations = guide_poses(led, np.zeros(1))
    return tuple(positions[0]), tuple(orientations[0])


def guide_poses(led: Constraint, times: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Positions (F, 3) and orientations (F, 4) of what leads a constraint at these times (F,) in s."""
    positions, orientations, _, _ = sample(led.guide, times)
    return positions, orientations


class Sight(NamedTuple):
    """The frames of all connections, seen from each other, at some poses."""

    d: np.ndarray  # (T, 3) m: frame b's origin seen from frame a
    Q: np.ndarray  # (T, 4): frame b's orientation seen from frame a
    axes: np.ndarray  # (T, 3, 3): frame a's axes in the world, as columns
    arms: tuple[np.ndarray, np.ndarray]  # (T, 3) m: frame b's origin from the centres of mass of a and b


class Evaluated(NamedTuple):
    """All rows at some poses; in world axes."""

    residual: np.ndarray  # (m,) m or rad
    force: np.ndarray  # (m, 3): what turns the travel of b's point into the residual's change
    torque: np.ndarray  # (m, 3): the same for its rotation
    is_active: np.ndarray  # (m,): false for limits that are kept


class Connections:
    """Many connections as arrays. Rows are sorted by kind; `owner` (m,) says whose they are."""

    def __init__(
        self, connections: list[Connection], bodies: Bodies, start: Poses, standing: Mapping[str, Frame]
    ) -> None:
        """`standing`: the child's (body_b's) frames, by the connection's name, that stand in the world at `start`."""
        self.parts, self.bodies = connections, bodies
        self.ends = np.array([connection.bodies for connection in connections], int).reshape(-1, 2).T
        self.points, self.turns = [], []
        for side, end in enumerate(self.ends):
            place = np.array([connection.frames[side][0] for connection in connections], float).reshape(-1, 3)
            turn = np.array([connection.frames[side][1] for connection in connections], float).reshape(-1, 4)
            self.points.append(bodies.drawn.to_body(end, place))
            self.turns.append(bodies.drawn.turn_to_body(end, turn))
        for k, connection in enumerate(connections):
            if connection.part.name in standing:
                side = 1 if connection.kind == "joint" else 0
                self._stand_apart(k, side, standing[connection.part.name], start)
        self._share_frames(standing, start)
        self._number_rows()
        self._count_turns_of_nuts(standing, start)

    def _stand_apart(self, k: int, side: int, frame: Frame, start: Poses) -> None:
        body = self.ends[side][[k]]
        self.points[side][k] = start.to_body(body, np.array([frame[0]], float))[0]
        self.turns[side][k] = start.turn_to_body(body, np.array([frame[1]], float))[0]

    def _share_frames(self, standing: Mapping[str, Frame], start: Poses) -> None:
        """Couplings see the coordinates of their joints; they keep what is there where a joint is loose."""
        place = {connection.part.name: k for k, connection in enumerate(self.parts) if connection.kind == "joint"}
        sharing = [k for k, connection in enumerate(self.parts) if connection.joint is not None]
        for k in sharing:
            for side in range(2):
                self.points[side][k] = self.points[side][place[self.parts[k].joint]]
                self.turns[side][k] = self.turns[side][place[self.parts[k].joint]]
        loose = [k for k in sharing if self.parts[k].joint in standing]
        if loose:
            sight = self.sight(start)
            for k in loose:
                _, (name, _), parameters = self.parts[k].rows[0]
                now = float(coordinate(name, sight.d[[k]], sight.Q[[k]]).residual[0, 0])
                parameters["near"], parameters["kept"] = now, parameters["share"] * now

    def _count_turns_of_nuts(self, standing: Mapping[str, Frame], start: Poses) -> None:
        """A loose screw has made the turns that its travel tells, not those of its coordinate."""
        loose = [
            k
            for k, connection in enumerate(self.parts)
            if connection.part.name in standing and connection.kind == "joint"
        ]
        nuts = [k for k in loose if self.parts[k].part.type == "screw" and self.parts[k].part.pitch]
        if nuts:
            travel = self.sight(start).d[:, 2]
            for k in nuts:
                for _, _, parameters in self.parts[k].rows:
                    if "near" in parameters:
                        parameters["near"] = travel[k] / self.parts[k].part.pitch
            self._number_rows()

    def some(self, which: np.ndarray) -> "Connections":
        """A few of the connections."""
        result = object.__new__(Connections)
        result.parts, result.bodies = [self.parts[k] for k in which], self.bodies
        result.ends = self.ends[:, which]
        result.points, result.turns = [p[which] for p in self.points], [q[which] for q in self.turns]
        result._number_rows()
        return result

    def _number_rows(self) -> None:
        self._families = list(_families(self.parts))
        self.owner = self._column(lambda rows, owners: owners, int)
        self.is_length = self._column(lambda rows, owners: np.full(len(owners), rows.is_length), bool)
        self.is_limit = self._column(lambda rows, owners: np.full(len(owners), rows.is_limit), bool)
        self.is_joint = np.array([connection.kind == "joint" for connection in self.parts], bool)[self.owner]
        self.row = np.arange(len(self.owner))  # where each one counts: with the row that it adds to
        first = {id(self.parts[owner]): row for row, owner in reversed(list(enumerate(self.owner)))}
        for row, owner in enumerate(self.owner):
            if self.parts[owner].adds_to is not None:
                self.row[row] = first[id(self.parts[owner].adds_to)]

    def _column(self, entries: Callable, dtype: type) -> np.ndarray:
        columns = [np.repeat(entries(rows, owners), rows.count) for rows, owners in self._families]
        return np.concatenate([np.zeros(0, dtype), *columns])

    def frames(self, poses: Poses) -> tuple[tuple[np.ndarray, np.ndarray], ...]:
        """(positions (T, 3), orientations (T, 4)) of the frames a and b in the world."""
        return tuple(
            (poses.to_world(end, point), rotations.multiply(poses.orientation[end], turn))
            for end, point, turn in zip(self.ends, self.points, self.turns, strict=True)
        )

    def sight(self, poses: Poses) -> Sight:
        """The frames, seen from each other."""
        (a, turn_a), (b, turn_b) = self.frames(poses)
        back = rotations.conjugate(turn_a)
        center = poses.position + rotations.rotate(poses.orientation, self.bodies.center)
        return Sight(
            rotations.rotate(back, b - a),
            rotations.multiply(back, turn_b),
            rotation_matrices(turn_a),
            (b - center[self.ends[0]], b - center[self.ends[1]]),
        )

    def evaluate(self, sight: Sight) -> Evaluated:
        """All rows and how they change."""
        count = len(self.owner)
        residual, force, torque = np.zeros(count), np.zeros((count, 3)), np.zeros((count, 3))
        start = 0
        for rows, owners in self._families:
            values = rows.values(sight.d[owners], sight.Q[owners])
            part = slice(start, start + rows.count * len(owners))
            residual[part] = values.residual.ravel()
            force[part] = np.einsum("kij,knj->kni", sight.axes[owners], values.G).reshape(-1, 3)
            torque[part] = np.einsum("kij,knj->kni", sight.axes[owners], values.E).reshape(-1, 3)
            start = part.stop
        adding = np.flatnonzero(self.row != np.arange(count))
        np.add.at(residual, self.row[adding], residual[adding])
        residual[adding] = 0.0
        return Evaluated(residual, force, torque, ~self.is_limit | (residual != 0.0))

    def room(self, sight: Sight) -> np.ndarray:
        """(m, 2): coordinates with limits, counted from their lower and upper bounds; zero for all other rows."""
        columns = [np.zeros((0, 2))]
        for rows, owners in self._families:
            d, Q = sight.d[owners], sight.Q[owners]
            columns.append(rows.room(d, Q) if isinstance(rows, Limit) else np.zeros((rows.count * len(owners), 2)))
        return np.concatenate(columns)

    def follow(self, sight: Sight) -> None:
        """Remember how often joints have turned round."""
        for rows, owners in self._families:
            rows.follow(sight.d[owners], sight.Q[owners])

    def lead(self, time: float) -> None:
        """Joints whose motors lead them as keyed have their coordinates of a time (s) from now on."""
        for rows, owners in self._families:
            for k, owner in enumerate(owners) if isinstance(rows, Coordinate) else ():
                connection = self.parts[owner]
                if leads_itself(connection):
                    target = connection.part.led[coordinate_names(connection.part.joint_type).index(rows.name)]
                    rows.kept[k] = sample_led(target, np.array([time]))[0, 0]

    def restart(self) -> None:
        """Joints have turned round as often as at the start, and are led there."""
        self._number_rows()

    def turns_made(self) -> dict[tuple[str, str], float]:
        """{(joint, coordinate): angle} of those whose whole turns matter: because of limits, a thread or a gear."""
        return {
            (self.parts[owner].joint or self.parts[owner].part.name, rows.name): float(near)
            for rows, owners in self._families
            if isinstance(rows, Limit | Thread | Coordinate)
            for owner, near in zip(owners, rows.near, strict=True)
        }


def _families(connections: list[Connection]) -> Iterator[tuple[Rows, np.ndarray]]:
    """(rows of one kind, the connections that have them)."""
    owners, numbers = defaultdict(list), defaultdict(lambda: defaultdict(list))
    for number, connection in enumerate(connections):
        for kind, fixed, parameters in connection.rows:
            owners[kind, fixed].append(number)
            for name, value in parameters.items():
                numbers[kind, fixed][name].append(value)
    for (kind, fixed), of_connections in owners.items():
        given = numbers[kind, fixed]
        arrays = {name: values if name == "curves" else np.array(values) for name, values in given.items()}
        yield kind(*fixed, **arrays), np.array(of_connections)


def jacobian_blocks(evaluated: Evaluated, sight: Sight, connection: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(m, 6) for bodies a and b: derivatives by the rotation about the centre of mass and its travel, world axes."""
    force, torque = evaluated.force, evaluated.torque
    arm_a, arm_b = sight.arms[0][connection], sight.arms[1][connection]
    return (
        np.hstack([np.cross(force, arm_a) - torque, -force]),
        np.hstack([np.cross(arm_b, force) + torque, force]),
    )
