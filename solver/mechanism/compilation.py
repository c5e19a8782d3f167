# SPDX-License-Identifier: GPL-3.0-or-later
"""From what a person means to arrays: one Model, its first State and the way back for each linkage.

Symbols: x, R pose of a body's own frame; C its centre of mass; P, J pose of its joint's frame; all in the world at zero
coordinates. A dynamic body's axes in the kernels are those of J, so that its joint's axes stand still in them.
"""

from dataclasses import dataclass

import numpy as np

from .bodies import Body, Keys
from .closures import (
    Closure,
    Source,
    closure_arrays,
    constraint_closure,
    cut_closure,
    joint_closure,
)
from .constraints import Path
from .description import Mechanism
from .elimination import no_elimination
from .error import MechanismError
from .forces import Brake, Damping, Force, Gravity, Motor, Spring
from .joints import COORDINATES, Joint
from .keyed_motion import sample, spline_pieces
from .maximal_ties import elimination_of
from .method_choice import lagrange_cost, propagation_cost, recursive_cost
from .model import (
    AUTO,
    AXIS_PARAMETERS,
    BODY,
    COMPOSITE,
    DRIVEN,
    FORCE,
    FORCE_PARAMETERS,
    LAGRANGE,
    PROPAGATION,
    RECURSIVE,
    TABLE,
    ClosedTreeModel,
    CompositeModel,
    ForceKind,
    Kind,
    LagrangeModel,
    Model,
    MotorMode,
    PropagationModel,
    RowKind,
    State,
    records,
)
from .propagation_plan import PropagationPlan, propagation_plan
from .table import Table
from .topology import Linkage, constraint_bodies, find_linkages, force_bodies

_KINDS = {name: Kind[name.upper()] for name in COORDINATES}
_FORCES = {
    Motor: ForceKind.MOTOR,
    Damping: ForceKind.DAMPING,
    Brake: ForceKind.BRAKE,
    Spring: ForceKind.SPRING,
}
_LENGTHS = {
    Kind.PRISMATIC: (True,),
    Kind.CYLINDRICAL: (False, True),
    Kind.PLANAR: (True, True, False),
    Kind.FREE: (True, True, True, False, False, False),
}
_AXES = {**{kind: COORDINATES[name] for name, kind in _KINDS.items()}, Kind.FREE: 6}
_UNLIMITED = np.inf
_KEYS_IN_A_STEP = 4.0  # longest step, so that no motion of a keyed body is stepped over
ZERO, IDENTITY = (0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0)


@dataclass
class Compiled:
    """One linkage, ready to run, and what leads from its arrays back to the mechanism's lists."""

    linkage: Linkage
    model: Model
    state: State
    sources: list[Source]  # what each closure stands for
    own_rotation: np.ndarray  # (n, 3, 3): body frame in the kernels' axes of the dynamic bodies
    center_of_mass: np.ndarray  # (n, 3) m, body frame
    stops: np.ndarray  # s: where a table bends or a keyed body starts or stops
    longest_step: float  # s


def compile_linkages(mechanism: Mechanism, method: int = AUTO) -> list[Compiled]:
    """Every linkage of a mechanism without problems. Raises MechanismError naming what this version cannot solve."""
    problems = _unsupported(mechanism)
    try:
        linkages = find_linkages(mechanism)
    except MechanismError as error:
        problems += error.problems
    if problems:
        raise MechanismError(problems)
    return [compile_linkage(mechanism, linkage, method) for linkage in linkages]


def compile_linkage(mechanism: Mechanism, linkage: Linkage, method: int) -> Compiled:
    """One linkage of a mechanism that can be solved; AUTO takes what is likely the quickest method."""
    compiler = _Compiler(mechanism, linkage)
    if method != AUTO:
        return compiler.compile(method)
    dense = compiler.compile(RECURSIVE)
    if not compiler.is_held:
        return dense
    sparse, local = compiler.compile(LAGRANGE), compiler.compile(PROPAGATION)
    costs = recursive_cost(dense.model), lagrange_cost(sparse.model), propagation_cost(local.model)
    return (dense, sparse, local)[int(np.argmin(costs))]


def _unsupported(mechanism: Mechanism) -> list[str]:
    """What the format can say and this version cannot solve, one line each."""
    supported = (*_FORCES, Gravity)
    lines = [
        f"force '{force.name}': forces of type {force.type} are not supported yet; remove it or set enabled to false"
        for force in mechanism.forces
        if force.enabled and type(force) not in supported
    ]
    for joint in mechanism.joints:
        for key in ("friction", "limits"):
            if _asks(getattr(joint, key)):
                lines.append(f"joint '{joint.name}': {key} is not supported yet; leave it out")
        if joint.motor is not None and joint.motor.mode == "speed":
            lines.append(f"joint '{joint.name}': motors of mode speed are not supported yet; use force or position")
    lines += [f"action on '{a.target}' at {a.time:g} s: actions are not supported yet" for a in mechanism.actions]
    if mechanism.contact is not None and mechanism.contact.enabled:
        lines.append("contact: contact is not supported yet; leave it out or set enabled to false")
    return lines


def _asks(values: tuple | None) -> bool:
    """Whether one of a joint's values per coordinate, which may be bounds, asks for anything."""
    for value in values or ():
        if isinstance(value, tuple):
            if any(bound is not None for bound in value):
                return True
        elif value:
            return True
    return False


def rotation_matrices(quaternions: np.ndarray) -> np.ndarray:
    """(n, 3, 3) of unit quaternions (n, 4)."""
    w, x, y, z = np.asarray(quaternions, float).reshape(-1, 4).T
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), 2, 0)


def body_pose(body: Body) -> tuple[tuple, tuple]:
    """(position, orientation) at zero coordinates; a keyed body without a pose stands where its keys put it at 0 s."""
    position, orientation = body.position or ZERO, body.orientation or IDENTITY
    if body.motion == "keyed" and (body.position is None or body.orientation is None):
        positions, orientations, _, _ = sample(body.keys, np.zeros(1))
        position = tuple(positions[0]) if body.position is None else position
        orientation = tuple(orientations[0]) if body.orientation is None else orientation
    return position, orientation


class _Compiler:
    """Builds the arrays of one linkage; index 0 is the world, then its driven bodies, then its dynamic ones."""

    def __init__(self, mechanism: Mechanism, linkage: Linkage) -> None:
        self.mechanism, self.linkage = mechanism, linkage
        self.number_of = {body.name: i for i, body in enumerate(mechanism.bodies)}
        self.constraints = [mechanism.constraints[i] for i in linkage.constraints]
        driven, paths = self._driven_bodies(), [c for c in self.constraints if isinstance(c, Path)]
        self.index = {None: 0, **{body: k + 1 for k, body in enumerate(driven)}}
        self.guide = {path.name: 1 + len(driven) + k for k, path in enumerate(paths)}
        self.first = 1 + len(driven) + len(paths)
        self.index.update({body: self.first + k for k, body in enumerate(linkage.bodies[: linkage.whole])})
        self.bodies = [mechanism.bodies[i] for i in driven] + [_guide(path) for path in paths]
        self.bodies += [mechanism.bodies[i] for i in linkage.bodies]
        self.joints = [None if j is None else mechanism.joints[j] for j in linkage.joint]
        self.forces = [mechanism.forces[i] for i in linkage.forces]
        self.kinds = [Kind.FREE if joint is None else _KINDS[joint.type] for joint in self.joints]

    @property
    def is_held(self) -> bool:
        """Whether anything but the trees' own joints holds the bodies."""
        linkage = self.linkage
        return bool(linkage.closing or linkage.constraints or len(linkage.bodies) > linkage.whole)

    def _driven_bodies(self) -> list[int]:
        names = [name for i in self.linkage.forces for name in force_bodies(self.mechanism.forces[i])]
        names += [name for constraint in self.constraints for name in constraint_bodies(constraint)]
        closing = [self.mechanism.joints[j] for j in self.linkage.closing]
        names += [name for joint in closing for name in (joint.parent, joint.child)]
        found = [self.number_of[name] for name in names if name is not None]
        found += [inner for inner in self.linkage.inner if inner is not None]
        return list(dict.fromkeys(i for i in found if self.mechanism.bodies[i].motion != "dynamic"))

    def compile(self, method: int) -> Compiled:
        """All arrays of the linkage."""
        bodies = records(len(self.bodies) + 1, BODY)
        size = self._geometry(bodies)
        axes = self._axes(bodies)
        keys, key_stops = self._driven()
        closures, sources = self._closures(method, keys)
        parameters = self._parameters()
        model = self._class(method)(
            driven=self.first,
            method=method,
            size=size,
            bodies=bodies,
            **axes,
            **keys,
            **closures,
            elimination=no_elimination(),
            propagation=self._propagation(method, bodies, closures, size),
            forces=self._forces(),
            **parameters,
        )
        if method == LAGRANGE:
            model = model._replace(elimination=elimination_of(model, sources))
        return Compiled(
            linkage=self.linkage,
            model=model,
            state=self._state(model),
            sources=sources,
            own_rotation=self.own_rotation,
            center_of_mass=self.center_of_mass[self.first :],
            stops=np.unique(np.concatenate([parameters["points"][:, 0], key_stops])),
            longest_step=self._longest_step(),
        )

    def _geometry(self, bodies: np.recarray) -> float:
        """Fills in all constant offsets and inertias from the poses at zero coordinates; returns the linkage's size."""
        first = self.first
        poses = [body_pose(body) for body in self.bodies]
        x = np.array([ZERO] + [position for position, _ in poses], float)
        R = rotation_matrices(np.array([IDENTITY] + [orientation for _, orientation in poses]))
        self.center_of_mass = np.zeros_like(x)
        self.center_of_mass[first:] = [body.center_of_mass for body in self.bodies[first - 1 :]]
        C = x + np.einsum("bij,bj->bi", R, self.center_of_mass)
        P, J = C.copy(), R.copy()
        jointed = [first + k for k, joint in enumerate(self.joints) if joint is not None]
        present = [joint for joint in self.joints if joint is not None]
        P[jointed] = np.array([joint.position for joint in present], float).reshape(-1, 3)
        J[jointed] = rotation_matrices(np.array([joint.orientation for joint in present], float))
        bodies.inner = -1
        bodies.inner[first:] = [self.index[i] for i in self.linkage.inner]
        bodies.branches[bodies.inner[first:][bodies.inner[first:] != np.arange(first, len(bodies)) - 1]] = 1
        bodies.kind[first:] = self.kinds
        bodies.direction[first:] = [-1.0 if flag else 1.0 for flag in self.linkage.reversed]
        bodies.pitch[first:] = [joint.pitch or 0.0 if joint else 0.0 for joint in self.joints]
        bodies.joint_rotation = np.eye(3).ravel()
        to_inner = np.swapaxes(J[bodies.inner[jointed]], 1, 2)
        bodies.joint_rotation[jointed] = (to_inner @ J[jointed]).reshape(-1, 9)
        bodies.joint_point[jointed] = np.einsum("bij,bj->bi", to_inner, P[jointed] - C[bodies.inner[jointed]])
        bodies.center_offset = np.einsum("bji,bj->bi", J, C - P)
        self.own_rotation = np.swapaxes(J[first:], 1, 2) @ R[first:]
        self.start = x, C, R
        self._inertias(bodies[first:])
        return self._size(C[first:], P[first:], bodies[first:])

    def _inertias(self, dynamic: np.recarray) -> None:
        described = self.bodies[self.first - 1 :]
        own = np.array([np.diag(b.inertia) if np.ndim(b.inertia) == 1 else b.inertia for b in described], float)
        turned = self.own_rotation @ own.reshape(-1, 3, 3) @ np.swapaxes(self.own_rotation, 1, 2)
        rows, columns = np.triu_indices(3)
        _, part, parts = np.unique(self.linkage.bodies, return_inverse=True, return_counts=True)
        dynamic.inertia = turned[:, rows, columns] / parts[part][:, None]
        dynamic.mass = np.array([body.mass for body in described]) / parts[part]

    def _size(self, C: np.ndarray, P: np.ndarray, dynamic: np.recarray) -> float:
        """The scale of lengths (m): the box around centres and joints, at least the bodies' own extent."""
        extent = np.linalg.norm(np.ptp(np.vstack([C, P]), axis=0))
        gyration = np.sqrt((dynamic.inertia[:, [0, 3, 5]].sum(axis=1) / dynamic.mass).max())
        return float(max(extent, 2.0 * gyration))

    def _axes(self, bodies: np.recarray) -> dict:
        """Numbers the axes and charts; returns what belongs to single axes."""
        counts = np.array([0] * self.first + [_AXES[kind] for kind in self.kinds])
        bodies.axis_end = np.cumsum(counts)
        bodies.axis_start = bodies.axis_end - counts
        charted = np.isin(bodies.kind, (Kind.SPHERICAL, Kind.FREE))
        bodies.chart = np.where(charted, np.cumsum(charted) - 1, -1)
        armature, mode, length, sprung = [], [], [], []
        for joint, kind in zip(self.joints, self.kinds, strict=True):
            axes = _AXES[kind]
            armature += (joint.armature if joint else None) or (0.0,) * axes
            motor = MotorMode.NONE if joint is None or joint.motor is None else MotorMode[joint.motor.mode.upper()]
            mode += [motor] * axes
            sprung += [
                motor != MotorMode.NONE or _asks(joint and joint.stiffness) or _asks(joint and joint.damping)
            ] * axes
            length += _LENGTHS.get(kind, (False,) * axes)
        return {
            "charted": np.flatnonzero(charted),
            "armature": np.array(armature, float),
            "motor_mode": np.array(mode, np.int64),
            "sprung": np.flatnonzero(sprung),
            "is_length": np.array(length, bool),
        }

    def _driven(self) -> tuple[dict, list[float]]:
        """Poses of fixed bodies and spline pieces of keyed ones, and the times at which a keyed one starts or stops."""
        driven = records(self.first, DRIVEN)
        x, _, R = self.start
        driven.key_start = -1
        driven.rotation, driven.position = R[: self.first].reshape(-1, 9), x[: self.first]
        times, coefficients, stops = [np.zeros(0)], [np.zeros((0, 6, 7))], []
        for i, body in enumerate(self.bodies[: self.first - 1], start=1):
            if body.motion == "keyed":
                t, c, last = spline_pieces(body.keys)
                start = sum(map(len, times))
                driven[i].key_start, driven[i].key_end, driven[i].key_stop = start, start + len(t), last
                stops += [float(t[0]), last]
                times.append(t)
                coefficients.append(c)
        pieces = {"key_times": np.concatenate(times), "key_coefficients": np.concatenate(coefficients)}
        return {"driven_bodies": driven, **pieces}, stops

    def _closures(self, method: int, keys: dict) -> tuple[dict, list[Source]]:
        """The linkage's closures; puts the pieces of curves behind those of keyed bodies."""
        linkage = self.linkage
        found = [self._joint_closure(Source("joint", j)) for j in linkage.closing]
        for i, constraint in zip(linkage.constraints, self.constraints, strict=True):
            names = constraint_bodies(constraint)
            b = self.index[self.number_of[names[0]]] if names[0] is not None else 0
            a = self.index[self.number_of[names[1]]] if len(names) > 1 and names[1] is not None else 0
            a = self.guide.get(constraint.name, a)
            poses = [(self.start[0][k], self.start[2][k]) for k in (a, b)]
            found.append(constraint_closure(Source("constraint", i), constraint, (a, b), poses))
        for k, body in enumerate(linkage.bodies[linkage.whole :], start=self.first + linkage.whole):
            joint = linkage.joint[k - self.first]
            found.append(cut_closure(joint, (self.index[body], k), self.start[1][k]))
        closing = len(found)
        if method == LAGRANGE:
            found += [
                self._joint_closure(Source("tree", j), self.first + k)
                for k, j in enumerate(linkage.joint)
                if j is not None
            ]
        axes = np.array([self._kernel_axes(i) for i in range(len(self.bodies) + 1)])
        arrays = closure_arrays(found, self.start[1], axes, len(keys["key_times"]), closing)
        keys["key_times"] = np.concatenate([keys["key_times"], *arrays.times])
        keys["key_coefficients"] = np.concatenate([keys["key_coefficients"], *arrays.powers])
        closures = {"closures": arrays.closures, "rows": arrays.rows, "closing": arrays.closing}
        return closures, [closure.source for closure in found]

    def _class(self, method: int) -> type[Model]:
        """The class of models that this linkage and method need."""
        if method == LAGRANGE:
            return LagrangeModel
        if not self.is_held:
            return CompositeModel if method == COMPOSITE else Model
        return PropagationModel if method == PROPAGATION else ClosedTreeModel

    def _propagation(self, method: int, bodies: np.recarray, closures: dict, size: float) -> PropagationPlan:
        """For constraint propagation, and for the method of Lagrange, whose start it settles."""
        closing = closures["closing"] if method in (PROPAGATION, LAGRANGE) else 0
        inner = bodies.inner if closing > 0 else bodies.inner[:0]
        unit = np.where(closures["rows"].kind[:closing] == RowKind.TURN, 1.0, 1.0 / size)
        return propagation_plan(inner, self.first, closures["closures"][closures["closures"].row_start < closing], unit)

    def _joint_closure(self, source: Source, outer: int | None = None) -> Closure:
        """`outer`: the kernel's number of the body that the joint carries in its tree; it may be a part of a body."""
        joint = self.mechanism.joints[source.index]
        a, b = (self.index[None if n is None else self.number_of[n]] for n in (joint.parent, joint.child))
        if outer is not None:
            a, b = (a, outer) if not self.linkage.reversed[outer - self.first] else (outer, b)
        return joint_closure(source, joint, (a, b), rotation_matrices(np.array(joint.orientation))[0])

    def _longest_step(self) -> float:
        intervals = [
            np.median(np.diff(body.keys.times))
            for body in self.bodies[: self.first - 1]
            if body.motion == "keyed" and len(body.keys.times) > 1
        ]
        return float(_KEYS_IN_A_STEP * min(intervals, default=np.inf))

    def _forces(self) -> np.recarray:
        """Where the forces act; their numbers are among the parameters."""
        acting = [force for force in self.forces if type(force) in _FORCES]
        forces = records(len(acting), FORCE)
        forces.kind = [_FORCES[type(force)] for force in acting]
        forces.rotation = np.eye(3).ravel()
        _, C, _ = self.start
        for k, force in enumerate(acting):
            names = force_bodies(force)
            points = [getattr(force, "point", None)] if len(names) == 1 else [force.point_a, force.point_b]
            for end, (name, world) in enumerate(zip(names, points, strict=True)):
                i = self.index[None if name is None else self.number_of[name]]
                forces.body[k, end] = i
                if world is not None:
                    forces.point[k, end] = self._kernel_axes(i).T @ (np.array(world) - C[i])
            if hasattr(force, "orientation"):
                frame = rotation_matrices(np.array(force.orientation))[0]
                forces.rotation[k] = (self._kernel_axes(forces.body[k, 0]).T @ frame).ravel()
        return forces

    def _kernel_axes(self, i: int) -> np.ndarray:
        """(3, 3): the axes that the kernels use for body i, in the world at zero coordinates."""
        R = self.start[2][i]
        return R if i < self.first else R @ self.own_rotation[i - self.first].T

    def _parameters(self) -> dict:
        """All numbers that may change over time in one flat array, and the tables that drive some of them."""
        numbers: list = []
        for joint, kind in zip(self.joints, self.kinds, strict=True):
            numbers += _axis_parameters(joint, _AXES[kind])
        gravity = {}
        for force in self.forces:
            if type(force) in _FORCES:
                numbers += _force_parameters(force)
            elif isinstance(force, Gravity) and force.enabled:
                gravity[force.body] = force.acceleration
        for body in self.bodies:
            numbers += gravity.get(body.name, self.mechanism.gravity)
        numbers[-3 * len(self.bodies) : -3 * len(self.bodies)] = (0.0, 0.0, 0.0)  # the world's own
        driven = [(k, number) for k, number in enumerate(numbers) if isinstance(number, Table)]
        tables, points = records(len(driven), TABLE), [np.zeros((0, 2))]
        for row, (k, table) in zip(tables, driven, strict=True):
            row.target, row.start = k, sum(map(len, points))
            points.append(np.column_stack([table.times, table.values]))
            row.end = row.start + len(table.times)
        start = [number.values[0] if isinstance(number, Table) else number for number in numbers]
        return {"parameters": np.array(start, float), "tables": tables, "points": np.concatenate(points)}

    def _state(self, model: Model) -> State:
        """Coordinates at the start, speeds zero; charts are anchored at the start's rotations."""
        coordinates, anchor = np.zeros(len(model.armature)), np.zeros((len(model.charted), 4))
        _, C, _ = self.start
        for k, (joint, kind) in enumerate(zip(self.joints, self.kinds, strict=True)):
            i = self.first + k
            given = joint.coordinates if joint is not None else None
            if kind == Kind.FREE:
                coordinates[model.bodies[i].axis_start : model.bodies[i].axis_start + 3] = C[i]
                anchor[model.bodies[i].chart] = body_pose(self.bodies[i - 1])[1]
            elif kind == Kind.SPHERICAL:
                anchor[model.bodies[i].chart] = _rotation_vector_quaternion(given or ZERO)
            elif given is not None:
                coordinates[model.bodies[i].axis_start : model.bodies[i].axis_end] = given
        return State(coordinates, np.zeros(len(model.armature)), anchor)


def _guide(path: Path) -> Body:
    """The keyed body that a path constraint's point follows."""
    orientations = path.orientations or (IDENTITY,) * len(path.times)
    keys = Keys(times=path.times, positions=path.positions, orientations=orientations)
    return Body(name=f"path {path.name}", motion="keyed", keys=keys)


def _rotation_vector_quaternion(theta: tuple[float, float, float]) -> np.ndarray:
    angle = np.linalg.norm(theta)
    return np.concatenate([[np.cos(angle / 2)], 0.5 * np.sinc(angle / (2 * np.pi)) * np.array(theta)])


def _axis_parameters(joint: Joint | None, axes: int) -> list:
    """In the order of `model`: stiffness, rest, damping, then the motor's value, stiffness, damping and limit."""
    if joint is None:
        return [0.0] * (axes * AXIS_PARAMETERS)
    columns = [getattr(joint, key) or (0.0,) * axes for key in ("stiffness", "rest", "damping")]
    motor = joint.motor
    if motor is None:
        columns += [(0.0,) * axes] * 4
    else:
        value = "value" if motor.mode == "force" else "target"
        columns += [motor.per_coordinate(name, axes) for name in (value, "stiffness", "damping")]
        columns.append([_UNLIMITED if n is None else n for n in motor.per_coordinate("max_force", axes)])
    return [0.0 if number is None else number for axis in zip(*columns, strict=True) for number in axis]


def _force_parameters(force: Force) -> list:
    """`enabled`, then the numbers in the order in which `dynamics.forces` reads them, padded with zeros."""
    if isinstance(force, Motor):
        numbers = [*force.force, *force.torque]
    elif isinstance(force, Damping):
        numbers = [force.linear, force.angular]
    elif isinstance(force, Brake):
        damping = force.damping if isinstance(force.damping, tuple) else (force.damping,) * 3
        numbers = [*damping, _UNLIMITED if force.max_force is None else force.max_force]
    else:
        numbers = [force.stiffness, force.rest_length, force.damping]
    return [1.0 if force.enabled else 0.0, *numbers, *[0.0] * (FORCE_PARAMETERS - 1 - len(numbers))]
