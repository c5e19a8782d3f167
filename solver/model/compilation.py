# SPDX-License-Identifier: GPL-3.0-or-later
"""From what a person means to arrays: one Model, its first State and the way back for each linkage.

Symbols as in `numbering`, which this builds on.
"""

import functools
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from ..mechanism.constraints import Coupling, Span
from ..mechanism.description import Mechanism
from ..mechanism.error import MechanismError
from ..mechanism.forces import Approach, Balance, Force, Spring
from ..mechanism.joint_types import LENGTH
from ..mechanism.keyed_motion import led_pieces, spline_pieces
from ..mechanism.messages import Message
from ..mechanism.table import Number, Table
from .arrays import (
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
    SPARSE,
    SWITCHED_AXIS,
    TYPES,
    ClosedTreeModel,
    CompositeModel,
    DivideModel,
    Kind,
    LagrangeModel,
    Model,
    MotorMode,
    PropagationModel,
    Rides,
    RowKind,
    SparseModel,
    State,
    records,
)
from .assembly_tree import assembly_tree, no_assembly
from .balance import Figures, Stance, figures_of
from .closures import (
    Closure,
    Source,
    closure_arrays,
    constraint_closure,
    cut_closure,
    joint_closure,
)
from .collision_shapes import Surfaces
from .elimination.elimination import no_elimination
from .elimination_rows import elimination_of
from .initial_state import starting_state
from .linkage_surfaces import surfaces_in
from .mass_ratios import refuse_mass_ratios
from .massless import refuse_massless
from .method_choice import lagrange_cost, least_lagrange_cost, propagation_cost, recursive_cost
from .moment import TIME_CONSTANT, Moment
from .nearly_redundant import Offset, lined_up
from .numbering import NumberedLinkage
from .parameters import KINDS, acting, breakpoints, gravity_of, parameters_of
from .poses import ZERO, body_pose
from .propagation_plan import PropagationPlan, propagation_plan
from .pull_tables import PIECE, pull_curve
from .surface_joints import rides_of
from .topology import Linkage, constraint_bodies, coupled_joints, find_linkages, force_bodies

_STOP, _GRAVITY = 1000.0, 9.81  # 1/rad and m/s2: stiffness of stops, by the linkage's weight and size
_STILL = (1.0, 1.0, 0.0, 0.0, 0.0)  # kg: what does not slide has axes that move nothing
_KEYS_IN_A_STEP = 4.0  # longest step, so that no motion of a keyed body is stepped over


@dataclass
class Compiled:
    """One linkage, ready to run, and what leads from its arrays back to the mechanism's lists."""

    linkage: Linkage
    model: Model
    state: State
    sources: list[Source]  # what each closure stands for
    places: np.ndarray  # (B,): of all bodies in the mechanism, -1 for the world and what points follow
    own_rotation: np.ndarray  # (n, 3, 3): body frame in the kernels' axes of the dynamic bodies
    center_of_mass: np.ndarray  # (n, 3) m, body frame
    stops: np.ndarray  # s: where a table bends or a keyed body starts or stops
    longest_step: float  # s
    surfaces: Surfaces | None  # of a linkage that may touch something
    figures: Figures  # those that keep their balance, and what is wrong with them if this is the start
    figure_problems: list[str]
    offsets: list[Offset] = field(default_factory=list)  # joints of loops that are off a drawing that moves


def compile_linkages(mechanism: Mechanism, method: int = AUTO, moment: Moment | None = None) -> list[Compiled]:
    """Every linkage of a mechanism without problems, as it starts or at a moment of its motion.

    Raises MechanismError naming what this version cannot solve.
    """
    return [compile_linkage(mechanism, linkage, method, moment) for linkage in find_linkages(mechanism)]


def compile_linkage(mechanism: Mechanism, linkage: Linkage, method: int, moment: Moment | None = None) -> Compiled:
    """One linkage of a mechanism that can be solved; AUTO takes what is likely the quickest method."""
    mechanism, offsets = lined_up(mechanism, linkage)
    compiler = _Compiler(mechanism, linkage, moment)
    if method == DIVIDE and compiler.is_held:
        raise MechanismError(compiler.non_tree_parts())
    if method == DIVIDE and Kind.CONTACT in compiler.kinds:
        rides = [joint.name for joint in compiler.joints if joint is not None and joint.type == "contact"]
        raise MechanismError([Message("ride-by-divide", ("joint", name)) for name in rides])
    compiled = compiler.compile(compiler.quickest() if method == AUTO else method)
    if compiler.is_held or method in (LAGRANGE, DIVIDE):
        refuse_mass_ratios(mechanism, linkage)
    compiled.offsets = offsets
    return compiled


def compile_for_impulses(mechanism: Mechanism, linkage: Linkage, moment: Moment | None = None) -> Compiled:
    """One linkage for steps with impulses, which need the recursion's pivots; many loops go by sparse factors."""
    compiler = _Compiler(mechanism, linkage, moment)
    return compiler.compile(compiler.quickest_with_pivots())


def _asks(values: tuple | None) -> bool:
    """True if one of a joint's values per coordinate, which may be bounds, asks for anything."""
    for value in values or ():
        if isinstance(value, tuple):
            if any(bound is not None for bound in value):
                return True
        elif value:
            return True
    return False


def asks_of(values: tuple | None, coordinate: int) -> bool:
    """True if a joint's value for one of its coordinates asks for anything."""
    return values is not None and _asks(values[coordinate : coordinate + 1])


def _first_values(numbers: Sequence[Number]) -> np.ndarray:
    return np.array([number.values[0] if isinstance(number, Table) else number for number in numbers], float)


class _Compiler(NumberedLinkage):
    """Builds the arrays of one linkage."""

    def __init__(self, mechanism: Mechanism, linkage: Linkage, moment: Moment | None) -> None:
        super().__init__(mechanism, linkage, moment)
        self.led = [(k, joint.led) for k, joint in enumerate(self.joints) if joint is not None and joint.led]
        for k, _ in self.led:  # to the trees such a motor is none
            self.joints[k] = replace(self.joints[k], motor=None, coordinates=self.joints[k].start_coordinates)
        self.forces = [self._aimed(mechanism.forces[i]) for i in linkage.forces]
        self._made: dict[int, tuple[Model, list[Source]]] = {}

    @property
    def is_held(self) -> bool:
        """True if anything but the trees' own joints holds the bodies."""
        linkage = self.linkage
        return bool(linkage.closing or linkage.constraints or len(linkage.bodies) > linkage.whole or self.led)

    def non_tree_parts(self) -> list[str]:
        """One line for each joint that closes a loop and each constraint: what only trees have no place for."""
        joints, linkage = self.mechanism.joints, self.linkage
        closing = [*linkage.closing, *linkage.joint[linkage.whole :]]
        held = [Message("loop-by-divide", ("joint", joints[j].name)) for j in closing]
        held += [Message("keyed-by-divide", ("joint", self.joints[k].name)) for k, _ in self.led]
        return held + [Message("constraint-by-divide", ("constraint", each.name)) for each in self.constraints]

    def quickest(self) -> int:
        """The method whose evaluations are likely to take the least time."""
        if not self.is_held:
            return RECURSIVE
        costs = {
            RECURSIVE: recursive_cost(self._models(RECURSIVE)[0]),
            LAGRANGE: lagrange_cost(self._models(LAGRANGE)[0]),
            PROPAGATION: propagation_cost(self._models(PROPAGATION)[0]),
        }
        return min(costs, key=costs.get)

    def quickest_with_pivots(self) -> int:
        """The same for steps with impulses: RECURSIVE, or SPARSE where loops are many."""
        if not self.is_held:
            return RECURSIVE
        model, _ = self._models(RECURSIVE)
        dense = recursive_cost(model)
        if dense <= least_lagrange_cost(model):
            return RECURSIVE  # and no order of elimination need be found
        return RECURSIVE if dense <= lagrange_cost(self._models(SPARSE)[0]) else SPARSE

    @functools.cached_property
    def _common(self) -> tuple[dict, dict, Figures, list[str], np.ndarray]:
        """Common to all methods: fields of the model, those of driven bodies, the figures, and times to stop at."""
        bodies = records(len(self.bodies) + 1, BODY)
        size = self.place_bodies(bodies)
        axes = self._axes(bodies)
        refuse_massless(self, bodies, axes["armature"])
        figures, problems = self._figures(bodies)
        axes["sprung"] = np.union1d(axes["sprung"], np.flatnonzero((figures.limit >= 0.0).any(axis=0)))
        rides = self._rides(bodies)
        keys, key_stops = self._driven()
        key_stops += [end for table in self._leading_tables() for end in (table.times[0], table.times[-1])]
        parameters = self._parameters()
        fields = {
            "driven": self.first,
            "size": size,
            "stop_stiffness": _STOP * _GRAVITY * sum(body.mass for body in self.bodies[self.first - 1 :]) * size,
            "rides": rides,
            "bodies": bodies,
            **axes,
            "switched": self._switched(parameters, size),
            **self._forces(),
            **parameters,
        }
        stops = np.unique(np.concatenate([breakpoints(parameters["tables"], parameters["points"]), key_stops]))
        return fields, keys, figures, problems, stops

    def _models(self, method: int) -> tuple[Model, list[Source]]:
        """The model for a method, and what each closure stands for; made once."""
        if method not in self._made:
            self._made[method] = self._make_model(method)
        return self._made[method]

    def _make_model(self, method: int) -> tuple[Model, list[Source]]:
        fields, keys, *_ = self._common
        keys = dict(keys)
        closures, sources = self._closures(method, keys)
        bodies, size = fields["bodies"], fields["size"]
        model = self._class(method)(
            method=method,
            **fields,
            **keys,
            **closures,
            elimination=no_elimination(),
            propagation=self._propagation(method, bodies, closures, size),
            assembly=assembly_tree(bodies.inner, self.first) if method == DIVIDE else no_assembly(),
        )
        if method in (LAGRANGE, SPARSE):
            model = model._replace(elimination=elimination_of(model, sources, self.start[1]))
        return model, sources

    def compile(self, method: int) -> Compiled:
        """All arrays of the linkage."""
        model, sources = self._models(method)
        *_, figures, problems, stops = self._common
        return Compiled(
            linkage=self.linkage,
            model=model,
            state=starting_state(self, model),
            sources=sources,
            places=self.places,
            own_rotation=self.own_rotation,
            center_of_mass=self.center_of_mass[self.first :],
            stops=stops,
            longest_step=self._longest_step(),
            surfaces=surfaces_in(self) if self.linkage.touches else None,
            figures=figures,
            figure_problems=problems,
        )

    def _axes(self, bodies: np.recarray) -> dict:
        """Numbers the axes and charts; returns what belongs to single axes."""
        counts = np.array([0] * self.first + [len(TYPES[kind].axes) for kind in self.kinds])
        bodies.axis_end = np.cumsum(counts)
        bodies.axis_start = bodies.axis_end - counts
        charted, riding = np.isin(bodies.kind, (Kind.SPHERICAL, Kind.FREE)), bodies.kind == Kind.CONTACT
        bodies.chart = np.where(charted, np.cumsum(charted) - 1, -1)
        bodies.chart[riding] = np.count_nonzero(charted) + np.arange(np.count_nonzero(riding))
        armature, mode, length, sprung = [], [], [], []
        with_efforts = "stiffness", "damping", "friction", "limits"
        for joint, kind in zip(self.joints, self.kinds, strict=True):
            axes = len(TYPES[kind].axes)
            armature += (joint.armature if joint else None) or (0.0,) * axes
            if kind == Kind.CONTACT and joint.rolling:
                armature[-axes:] = _STILL
            motor = MotorMode.NONE if joint is None or joint.motor is None else MotorMode[joint.motor.mode.upper()]
            mode += [motor] * axes
            asks = joint is not None and any(_asks(getattr(joint, key)) for key in with_efforts)
            sprung += [motor != MotorMode.NONE or asks] * axes
            length += [axis.kind == LENGTH for axis in TYPES[kind].axes]
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
            source, anchor = Source("constraint", i), self.moment and self.moment.anchors.get(constraint.name)
            if isinstance(constraint, Coupling):
                found.append(self._coupling(source, constraint, anchor))
                continue
            numbers = [
                0 if name is None else self.index[self.number_of[name]]
                for name in constraint_bodies(self.mechanism, constraint)
            ]
            b, a, *others = [*numbers, 0] if len(numbers) == 1 else numbers
            bodies = self.guide.get(constraint.name, a), b, *reversed(others)
            poses = [(self.start[0][k], self.start[2][k]) for k in bodies[:2]]
            found.append(constraint_closure(source, constraint, bodies, poses, anchor))
        found += self._leads()
        for k, body in enumerate(linkage.bodies[linkage.whole :], start=self.first + linkage.whole):
            joint = linkage.joint[k - self.first]
            found.append(cut_closure(joint, (self.index[body], k), self.start[1][k]))
        closing = len(found)
        if method in (LAGRANGE, SPARSE):
            found += [
                self._joint_closure(Source("tree", j), self.first + k)
                for k, j in enumerate(linkage.joint)
                if j is not None
            ]
        axes = np.array([self.kernel_axes(i) for i in range(len(self.bodies) + 1)])
        arrays = closure_arrays(found, self.start[1], axes, len(keys["key_times"]), closing)
        keys["key_times"] = np.concatenate([keys["key_times"], *arrays.times])
        keys["key_coefficients"] = np.concatenate([keys["key_coefficients"], *arrays.powers])
        if self.moment is not None:
            arrays.closures.gives_way = [self.moment.known.get(closure.source, 0) for closure in found]
        arrays.closures.tau[: len(self._time_constants)] = self._time_constants
        closures = {"closures": arrays.closures, "rows": arrays.rows, "closing": arrays.closing}
        return closures, [closure.source for closure in found]

    @functools.cached_property
    def _time_constants(self) -> list[float]:
        """s: of what closes loops and of constraints, if they are drawn together; at the start, of those that ask."""
        closing = [self.mechanism.joints[j] for j in self.linkage.closing]
        if self.moment is None:
            return [0.0] * len(closing) + [each.tau or 0.0 for each in self.constraints]
        drawn = [self.moment.drawn.get(part.name, 0.0) for part in (*closing, *self.constraints)]
        return drawn + [self.joints[k].tau or TIME_CONSTANT for k, targets in self.led for _ in targets]

    def _leading_tables(self) -> list[Table]:
        """Numbers that lead coordinates and lengths, those that change."""
        numbers = [target for _, targets in self.led for target in targets]
        numbers += [each.given_length for each in self.constraints if isinstance(each, Span)]
        return [number for number in numbers if isinstance(number, Table)]

    def _leads(self) -> list[Closure]:
        """Rows that lead coordinates of the trees' joints."""
        found = []
        for k, targets in self.led:
            joint, j = self.joints[k], self.linkage.joint[k]
            frame = np.array(joint.position, float), np.eye(3)
            for c, target in enumerate(targets):
                closure = Closure(Source("motor", j, c), self.ends(k), (frame, frame), [(RowKind.LED, 0, c)])
                closure.coupled, closure.curve = (self.first + k, 0), led_pieces(target)
                closure.is_angle = TYPES[self.kinds[k]].axes[c].kind != LENGTH
                found.append(closure)
        return found

    def _coupling(self, source: Source, coupling: Coupling, kept: float | None) -> Closure:
        """The bodies of joint_b, parent and child, then those of joint_a; the trees have both joints' coordinates.

        kept (m or rad): for one that has been enabled on the way.
        """
        bodies, coupled, joints = [], [], []
        for joint in reversed(coupled_joints(self.mechanism, coupling)):
            k = next(k for k, own in enumerate(self.joints) if own is not None and own.name == joint.name)
            inner = self.index[self.linkage.inner[k]]
            ends = inner, self.first + k
            bodies += reversed(ends) if self.linkage.reversed[k] else ends
            coupled.append(self.first + k)
            joints.append(joint)
        frames = [(np.array(side[0], float), np.eye(3)) for joint in joints for side in joint.sides]
        closure = Closure(source, tuple(bodies), tuple(frames), [(RowKind.COUPLING, 0, 0)])
        closure.ratio, closure.coupled = coupling.transmission, tuple(coupled)
        closure.is_angle = joints[0].type != "prismatic"
        b, a = ((joint.start_coordinates or (0.0,))[0] for joint in joints)
        closure.length = b - closure.ratio * a if kept is None else kept
        return closure

    def _class(self, method: int) -> type[Model]:
        """The class of models that this linkage and method need."""
        if method == LAGRANGE:
            return LagrangeModel
        if method == SPARSE:
            return SparseModel
        if not self.is_held:
            return {COMPOSITE: CompositeModel, DIVIDE: DivideModel}.get(method, Model)
        return PropagationModel if method == PROPAGATION else ClosedTreeModel

    def _propagation(self, method: int, bodies: np.recarray, closures: dict, size: float) -> PropagationPlan:
        """For constraint propagation, and for the method of Lagrange, whose start it settles."""
        closing = closures["closing"] if method in (PROPAGATION, LAGRANGE, SPARSE) else 0
        inner = bodies.inner if closing > 0 else bodies.inner[:0]
        unit = np.where(closures["rows"].is_length[:closing], 1.0 / size, 1.0)
        return propagation_plan(inner, self.first, closures["closures"][closures["closures"].row_start < closing], unit)

    def _joint_closure(self, source: Source, outer: int | None = None) -> Closure:
        """`outer`: the kernel's number of the body that the joint carries in its tree; it may be a part of a body."""
        joint = self.mechanism.joints[source.index]
        a, b = (self.index[None if n is None else self.number_of[n]] for n in (joint.parent, joint.child))
        if outer is not None:
            a, b = (a, outer) if not self.linkage.reversed[outer - self.first] else (outer, b)
        ride = 0 if outer is None else int(self._rides_before[outer - self.first])
        return joint_closure(source, joint, (a, b), ride)

    @functools.cached_property
    def _rides_before(self) -> np.ndarray:
        """(n,): of each dynamic body, the contact joints of those before it."""
        riding = np.array([kind == Kind.CONTACT for kind in self.kinds], int)
        return np.cumsum(riding) - riding

    def _longest_step(self) -> float:
        intervals = [
            np.median(np.diff(body.keys.times))
            for body in self.bodies[: self.first - 1]
            if body.motion == "keyed" and len(body.keys.times) > 1
        ]
        intervals += [np.median(np.diff(table.times)) for table in self._leading_tables() if len(table.times) > 1]
        return float(_KEYS_IN_A_STEP * min(intervals, default=np.inf))

    def _forces(self) -> dict:
        """Points and bodies of forces, and the curves of those by tables; their numbers are among the parameters."""
        acts, pieces = acting(self.forces), [np.zeros((0, len(PIECE)))]
        forces = records(len(acts), FORCE)
        _, C, _ = self.start
        for k, force in enumerate(acts):
            forces.kind[k] = KINDS[type(force)]
            forces.one_sided[k] = force.ONE_SIDED
            forces.switches[k] = (force.ONE_SIDED and force.damping != 0.0) or isinstance(force, Approach)
            for end, name in enumerate(force_bodies(force)):
                i = self.index[None if name is None else self.number_of[name]]
                forces.body[k, end] = i
                forces.axes[k, end], forces.origin[k, end] = self.kernel_axes(i).ravel(), C[i]
                if i >= self.first:
                    forces.mobility[k] += 1.0 / self.bodies[i - 1].mass
            if isinstance(force, Spring):
                rest_length = force.rest_length
                forces.pull_start[k] = forces.pull_end[k] = sum(map(len, pieces))
                if force.pull is not None:
                    curve = pull_curve(force.pull)
                    rest_length = curve.rest
                    pieces.append(curve.pieces)
                    forces.pull_end[k] += len(curve.pieces)
                start, end, rest = (_first_values(x) for x in (force.point_a, force.point_b, (rest_length,)))
                forces.reach[k] = max(np.linalg.norm(end - start), rest[0])
        return {"forces": forces, "pulls": np.concatenate(pieces)}

    def _aimed(self, force: Force) -> Force:
        """A balance that is told no target keeps its body where that is at the start."""
        if not isinstance(force, Balance):
            return force
        position, orientation = body_pose(self.mechanism.bodies[self.number_of[force.body]])
        position = position if force.position is None else force.position
        orientation = orientation if force.orientation is None else force.orientation
        return replace(force, position=position, orientation=orientation)

    def _figures(self, bodies: np.recarray) -> tuple[Figures, list[str]]:
        """Figures that keep their balance."""
        balances = [force for force in self.forces if isinstance(force, Balance)]
        index = {self.mechanism.bodies[n].name: i for n, i in self.index.items() if n is not None}
        x, C, R = self.start
        axes = np.array([self.kernel_axes(i) for i in range(len(bodies))])
        return figures_of(balances, index, self.joints, bodies, self.first, Stance(x, C, R, axes))

    def _parameters(self) -> dict:
        """All numbers that may change over time, and the tables that drive some of them."""
        joints = [(joint, len(TYPES[kind].axes)) for joint, kind in zip(self.joints, self.kinds, strict=True)]
        own = gravity_of([body.name for body in self.bodies], self.forces, self.mechanism.gravity)
        return parameters_of(joints, self.forces, [ZERO, *own])

    def _switched(self, parameters: dict, size: float) -> np.recarray:
        """The axes that something may hold at a given speed; `size` is that of the linkage."""
        mass, tables = sum(body.mass for body in self.bodies[self.first - 1 :]), parameters["tables"]
        rows, axis = [], 0
        for k, (joint, kind) in enumerate(zip(self.joints, self.kinds, strict=True)):
            for c, (_, kind_of_axis, *_) in enumerate(TYPES[kind].axes):
                is_motor = bool(joint and joint.motor and joint.motor.mode == "speed")
                bounded = kind != Kind.SPHERICAL
                is_limited = bounded and asks_of(joint and joint.limits, c)
                if is_motor or is_limited or asks_of(joint and joint.friction, c):
                    target = np.flatnonzero(tables.target == axis * AXIS_PARAMETERS + MOTOR_VALUE)
                    table = target[0] if is_motor and len(target) else -1
                    inertia = mass * (1.0 if kind_of_axis == LENGTH else size**2)
                    rows.append((axis, self.first + k, table, is_motor, bounded, inertia))
                axis += 1
        switched = records(len(rows), SWITCHED_AXIS)
        for row, values in zip(switched, rows, strict=True):
            row.axis, row.body, row.table, row.motor, row.bounded, row.inertia = values
        return switched

    def _rides(self, bodies: np.recarray) -> Rides:
        """The contact joints, with their surfaces in the axes of their bodies."""
        found = []
        for k, joint in enumerate(self.joints):
            if self.kinds[k] == Kind.CONTACT:
                poses = []
                for i in self.ends(k):
                    turn = self.kernel_axes(i).T @ self.start[2][i]
                    poses.append((-turn @ self.center_of_mass[i], turn))
                found.append((self.first + k, joint, *poses))
        return rides_of(found, sum(body.mass for body in self.bodies[self.first - 1 :]))
