# SPDX-License-Identifier: GPL-3.0-or-later
"""From what a person means to arrays: one Model, its first State and the way back for each linkage.

Symbols: x, R pose of a body's own frame; C its centre of mass; P, J pose of its joint's frame; all in the world at zero
coordinates. A dynamic body's axes in the kernels are those of J, so that its joint's axes stand still in them.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .assembly_tree import assembly_tree, no_assembly
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
from .forces import Rubber, Spring, Support
from .joints import COORDINATES
from .keyed_motion import sample, spline_pieces
from .maximal_ties import elimination_of
from .method_choice import lagrange_cost, propagation_cost, recursive_cost
from .model import (
    AUTO,
    AXIS_PARAMETERS,
    BODY,
    COMPOSITE,
    DIVIDE,
    DRIVEN,
    FORCE,
    LAGRANGE,
    MOTOR_VALUE,
    PROPAGATION,
    RECURSIVE,
    SWITCHED_AXIS,
    ClosedTreeModel,
    CompositeModel,
    DivideModel,
    Kind,
    LagrangeModel,
    Model,
    MotorMode,
    PropagationModel,
    RowKind,
    State,
    records,
)
from .moment import Moment
from .parameters import KINDS, acting, bends, gravity_of, parameters_of
from .propagation_plan import PropagationPlan, propagation_plan
from .surfaces import Part, Surfaces, surfaces_of
from .table import Number, Table
from .topology import Linkage, constraint_bodies, find_linkages, force_bodies
from .touching import Touching

_KINDS = {name: Kind[name.upper()] for name in COORDINATES}
_LENGTHS = {
    Kind.PRISMATIC: (True,),
    Kind.CYLINDRICAL: (False, True),
    Kind.PLANAR: (True, True, False),
    Kind.FREE: (True, True, True, False, False, False),
}
_AXES = {**{kind: COORDINATES[name] for name, kind in _KINDS.items()}, Kind.FREE: 6}
_STOP, _GRAVITY = 1000.0, 9.81  # 1/rad and m/s2: stiffness of stops, by the linkage's weight and size
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
    surfaces: Surfaces | None  # of a linkage that may touch something


def compile_linkages(mechanism: Mechanism, method: int = AUTO, moment: Moment | None = None) -> list[Compiled]:
    """Every linkage of a mechanism without problems, as it starts or at a moment of its motion.

    Raises MechanismError naming what this version cannot solve.
    """
    return [compile_linkage(mechanism, linkage, method, moment) for linkage in find_linkages(mechanism)]


def compile_linkage(mechanism: Mechanism, linkage: Linkage, method: int, moment: Moment | None = None) -> Compiled:
    """One linkage of a mechanism that can be solved; AUTO takes what is likely the quickest method."""
    compiler = _Compiler(mechanism, linkage, moment)
    if method == DIVIDE and compiler.is_held:
        raise MechanismError(compiler.what_is_no_tree())
    if method != AUTO:
        return compiler.compile(method)
    dense = compiler.compile(RECURSIVE)
    if not compiler.is_held:
        return dense
    sparse, local = compiler.compile(LAGRANGE), compiler.compile(PROPAGATION)
    costs = recursive_cost(dense.model), lagrange_cost(sparse.model), propagation_cost(local.model)
    return (dense, sparse, local)[int(np.argmin(costs))]


def _asks(values: tuple | None) -> bool:
    """Whether one of a joint's values per coordinate, which may be bounds, asks for anything."""
    for value in values or ():
        if isinstance(value, tuple):
            if any(bound is not None for bound in value):
                return True
        elif value:
            return True
    return False


def asks_of(values: tuple | None, coordinate: int) -> bool:
    """Whether a joint's value for one of its coordinates asks for anything."""
    return values is not None and _asks(values[coordinate : coordinate + 1])


def _first_values(numbers: Sequence[Number]) -> np.ndarray:
    return np.array([number.values[0] if isinstance(number, Table) else number for number in numbers], float)


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

    def __init__(self, mechanism: Mechanism, linkage: Linkage, moment: Moment | None) -> None:
        self.mechanism, self.linkage, self.moment = mechanism, linkage, moment
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

    def what_is_no_tree(self) -> list[str]:
        """One line for each joint that closes a loop and each constraint: what only trees have no place for."""
        joints, linkage = self.mechanism.joints, self.linkage
        closing = [*linkage.closing, *linkage.joint[linkage.whole :]]
        held = [f"joint '{joints[j].name}': it closes a loop" for j in closing]
        held += [f"constraint '{c.name}': it holds what the trees' joints do not" for c in self.constraints]
        return [f"{what}, and method divide takes trees only; use auto" for what in held]

    def _driven_bodies(self) -> list[int]:
        names = [name for i in self.linkage.forces for name in force_bodies(self.mechanism.forces[i])]
        names += [name for constraint in self.constraints for name in constraint_bodies(constraint)]
        closing = [self.mechanism.joints[j] for j in self.linkage.closing]
        names += [name for joint in closing for name in (joint.parent, joint.child)]
        found = [self.number_of[name] for name in names if name is not None]
        found += [inner for inner in self.linkage.inner if inner is not None]
        found += self.linkage.met
        return list(dict.fromkeys(i for i in found if self.mechanism.bodies[i].motion != "dynamic"))

    def compile(self, method: int) -> Compiled:
        """All arrays of the linkage."""
        bodies = records(len(self.bodies) + 1, BODY)
        size = self._geometry(bodies)
        axes = self._axes(bodies)
        keys, key_stops = self._driven()
        closures, sources = self._closures(method, keys)
        parameters = self._parameters()
        switched = self._switched(parameters, size)
        model = self._class(method)(
            driven=self.first,
            method=method,
            size=size,
            stop_stiffness=_STOP * _GRAVITY * sum(body.mass for body in self.bodies[self.first - 1 :]) * size,
            bodies=bodies,
            **axes,
            switched=switched,
            **keys,
            **closures,
            elimination=no_elimination(),
            propagation=self._propagation(method, bodies, closures, size),
            assembly=assembly_tree(bodies.inner, self.first) if method == DIVIDE else no_assembly(),
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
            stops=np.unique(np.concatenate([bends(parameters["tables"], parameters["points"]), key_stops])),
            longest_step=self._longest_step(),
            surfaces=self._surfaces() if self.linkage.touches else None,
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
        with_efforts = "stiffness", "damping", "friction", "limits"
        for joint, kind in zip(self.joints, self.kinds, strict=True):
            axes = _AXES[kind]
            armature += (joint.armature if joint else None) or (0.0,) * axes
            motor = MotorMode.NONE if joint is None or joint.motor is None else MotorMode[joint.motor.mode.upper()]
            mode += [motor] * axes
            asks = joint is not None and any(_asks(getattr(joint, key)) for key in with_efforts)
            sprung += [motor != MotorMode.NONE or asks] * axes
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
            anchor = self.moment.anchors.get(constraint.name) if self.moment else None
            found.append(constraint_closure(Source("constraint", i), constraint, (a, b), poses, anchor))
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
        if self.moment is not None:
            arrays.closures.gives_way = [self.moment.known.get(closure.source, False) for closure in found]
        closures = {"closures": arrays.closures, "rows": arrays.rows, "closing": arrays.closing}
        return closures, [closure.source for closure in found]

    def _class(self, method: int) -> type[Model]:
        """The class of models that this linkage and method need."""
        if method == LAGRANGE:
            return LagrangeModel
        if not self.is_held:
            return {COMPOSITE: CompositeModel, DIVIDE: DivideModel}.get(method, Model)
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
        acts = acting(self.forces)
        forces = records(len(acts), FORCE)
        _, C, _ = self.start
        for k, force in enumerate(acts):
            forces.kind[k] = KINDS[type(force)]
            forces.switches[k] = isinstance(force, (Support, Rubber)) and force.damping != 0.0
            for end, name in enumerate(force_bodies(force)):
                i = self.index[None if name is None else self.number_of[name]]
                forces.body[k, end] = i
                forces.axes[k, end], forces.origin[k, end] = self._kernel_axes(i).ravel(), C[i]
                if i >= self.first:
                    forces.mobility[k] += 1.0 / self.bodies[i - 1].mass
            if isinstance(force, Spring):
                start, end, rest = (_first_values(x) for x in (force.point_a, force.point_b, (force.rest_length,)))
                forces.reach[k] = max(np.linalg.norm(end - start), rest[0])
        return forces

    def _surfaces(self) -> Surfaces:
        """Shapes in the kernels' axes; those of a body that is cut in two are on its first part."""
        numbers = [i for i in self.index.values() if 0 < i < self.first + self.linkage.whole]
        shaped = {self.number_of[self.bodies[i - 1].name]: i for i in numbers if self.bodies[i - 1].shapes}
        touching, parts, materials = Touching(self.mechanism), [], []
        for i in shaped.values():
            body = self.bodies[i - 1]
            to_kernel = self._kernel_axes(i).T @ self.start[2][i]
            for shape in body.shapes:
                turn = to_kernel @ rotation_matrices(np.array(shape.orientation))[0]
                place = to_kernel @ (np.array(shape.position) - self.center_of_mass[i])
                parts.append(Part(i, body.name, shape, turn, place))
                materials.append(body.material)
        contact = self.mechanism.contact
        apart = {
            (min(i, j), max(i, j))
            for a, i in shaped.items()
            for b, j in shaped.items()
            if a < b and not touching.may_touch(a, b)
        }
        ground = contact.ground if contact is not None and contact.enabled else None
        pairs = any(touching.may_touch(a, b) for a in shaped for b in shaped if a < b)
        return surfaces_of(parts, materials, ground, apart, pairs)

    def _kernel_axes(self, i: int) -> np.ndarray:
        """(3, 3): the axes that the kernels use for body i, in the world at zero coordinates."""
        R = self.start[2][i]
        return R if i < self.first else R @ self.own_rotation[i - self.first].T

    def _parameters(self) -> dict:
        """All numbers that may change over time, and the tables that drive some of them."""
        joints = [(joint, _AXES[kind]) for joint, kind in zip(self.joints, self.kinds, strict=True)]
        own = gravity_of([body.name for body in self.bodies], self.forces, self.mechanism.gravity)
        return parameters_of(joints, self.forces, [ZERO, *own])

    def _switched(self, parameters: dict, size: float) -> np.recarray:
        """The axes that something may hold at a given speed; `size` is that of the linkage."""
        mass, tables = sum(body.mass for body in self.bodies[self.first - 1 :]), parameters["tables"]
        rows, axis = [], 0
        for k, (joint, kind) in enumerate(zip(self.joints, self.kinds, strict=True)):
            for c, is_length in enumerate(_LENGTHS.get(kind, (False,) * _AXES[kind])):
                is_motor = bool(joint and joint.motor and joint.motor.mode == "speed")
                bounded = kind != Kind.SPHERICAL
                is_limited = bounded and asks_of(joint and joint.limits, c)
                if is_motor or is_limited or asks_of(joint and joint.friction, c):
                    target = np.flatnonzero(tables.target == axis * AXIS_PARAMETERS + MOTOR_VALUE)
                    table = target[0] if is_motor and len(target) else -1
                    inertia = mass * (1.0 if is_length else size**2)
                    rows.append((axis, self.first + k, table, is_motor, bounded, inertia))
                axis += 1
        switched = records(len(rows), SWITCHED_AXIS)
        for row, values in zip(switched, rows, strict=True):
            row.axis, row.body, row.table, row.motor, row.bounded, row.inertia = values
        return switched

    def _state(self, model: Model) -> State:
        """Coordinates at the start or the moment, speeds zero; charts are anchored at the rotations there."""
        coordinates, anchor = np.zeros(len(model.armature)), np.zeros((len(model.charted), 4))
        for k, (joint, kind) in enumerate(zip(self.joints, self.kinds, strict=True)):
            body = model.bodies[self.first + k]
            axes = slice(body.axis_start, body.axis_end)
            if kind == Kind.FREE:
                coordinates[axes][:3], anchor[body.chart] = self._free_pose(k)
                continue
            given = joint.coordinates
            if self.moment is not None:
                given = self.moment.coordinates_of(self.linkage.joint[k])
            if kind == Kind.SPHERICAL:
                anchor[body.chart] = _rotation_vector_quaternion(ZERO if given is None else given)
            elif given is not None:
                coordinates[axes] = given
        return State(coordinates, np.zeros(len(model.armature)), anchor)

    def _free_pose(self, k: int) -> tuple[np.ndarray, np.ndarray]:
        """(centre of mass, orientation) of a dynamic body that floats."""
        i = self.first + k
        if self.moment is None:
            return self.start[1][i], body_pose(self.bodies[i - 1])[1]
        number = self.linkage.bodies[k]
        q = self.moment.orientation[number]
        return self.moment.position[number] + rotation_matrices(q)[0] @ self.center_of_mass[i], q


def _guide(path: Path) -> Body:
    """The keyed body that a path constraint's point follows."""
    orientations = path.orientations or (IDENTITY,) * len(path.times)
    keys = Keys(times=path.times, positions=path.positions, orientations=orientations)
    return Body(name=f"path {path.name}", motion="keyed", keys=keys)


def _rotation_vector_quaternion(theta: tuple[float, float, float]) -> np.ndarray:
    angle = np.linalg.norm(theta)
    return np.concatenate([[np.cos(angle / 2)], 0.5 * np.sinc(angle / (2 * np.pi)) * np.array(theta)])
