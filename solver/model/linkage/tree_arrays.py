# SPDX-License-Identifier: GPL-3.0-or-later
"""The arrays of a linkage's trees and of the forces on them: what is the same by all methods.

Symbols as in `numbering`, which this builds on.
"""

import functools
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ...mechanism.arithmetic import KINKED
from ...mechanism.constraints import Span
from ...mechanism.description import Mechanism
from ...mechanism.forces import Approach, Balance, Expression, Force, Spring, Steering, Tyre
from ...mechanism.joint_types import LENGTH
from ...mechanism.joints import Joint
from ...mechanism.keyed_motion import spline_pieces
from ...mechanism.table import Number, Table
from ..arrays import (
    AXIS_PARAMETERS,
    BODY,
    CHARTED,
    DRIVEN,
    FORCE,
    MOTOR_VALUE,
    PROGRAM_STEP,
    SWITCHED_AXIS,
    TYPES,
    Kind,
    MotorMode,
    Rides,
    records,
)
from ..balance import Figures, Stance, figures_of
from ..curves import Curves, axis_curves, damper_curve, elastic_curve
from ..moment import Moment
from ..parameters import KINDS, acting, breakpoints, gravity_of, parameters_of
from ..poses import ZERO, body_pose, product, turned
from ..surface_joints import rides_of
from ..terrain import terrain_arrays
from ..topology import Linkage, force_bodies
from .following import following
from .massless import refuse_massless
from .numbering import NumberedLinkage

_STOP, _GRAVITY = 1000.0, 9.81  # 1/rad and m/s2: stiffness of stops, by the linkage's weight and size
_STILL = (1.0, 1.0, 0.0, 0.0, 0.0)  # kg: what does not slide has axes that move nothing


def _asks(values: tuple | None) -> bool:
    """True if one of a joint's values per coordinate, which may be bounds, asks for anything."""
    for value in values or ():
        if isinstance(value, tuple):
            if any(bound is not None for bound in value):
                return True
        elif value:
            return True
    return False


def _asks_of(values: tuple | None, coordinate: int) -> bool:
    """True if a joint's value for one of its coordinates asks for anything."""
    return values is not None and _asks(values[coordinate : coordinate + 1])


def _axes_of(bodies: np.recarray, numbers: np.ndarray) -> np.ndarray:
    """The numbers of the axes of some bodies' joints."""
    ranges = [np.arange(bodies.axis_start[i], bodies.axis_end[i]) for i in numbers]
    return np.concatenate([np.zeros(0, np.int64), *ranges])


def _first_values(numbers: Sequence[Number]) -> np.ndarray:
    return np.array([number.values[0] if isinstance(number, Table) else number for number in numbers], float)


class TreeArrays(NumberedLinkage):
    """Builds the arrays of one linkage's trees.

    led: the trees' joints (their places among the dynamic bodies) of which motors lead coordinates, with the targets;
    forces: those on the linkage, in the order of its list.
    """

    def __init__(self, mechanism: Mechanism, linkage: Linkage, moment: Moment | None) -> None:
        super().__init__(mechanism, linkage, moment)
        self.led = [(k, joint.led) for k, joint in enumerate(self.joints) if joint is not None and joint.led]
        for k, _ in self.led:  # to the trees such a motor is none
            self.joints[k] = self.joints[k].without_leads()
        self.forces = [self._aimed(mechanism.forces[i]) for i in linkage.forces]

    @functools.cached_property
    def tree_fields(self) -> tuple[dict, dict, Figures, list[str], np.ndarray]:
        """Common to all methods: fields of the model, those of driven bodies, the figures, and times to stop at."""
        bodies = records(len(self.bodies) + 1, BODY)
        size = self.place_bodies(bodies)
        self.forces = [self._placed(force) for force in self.forces]
        axes = self._axes(bodies)
        refuse_massless(self, bodies, axes["armature"])
        figures, problems = self._figures(bodies)
        led = (figures.limit >= 0.0).any(axis=0) | figures.arm.any(axis=0)
        axes["sprung"] = np.union1d(axes["sprung"], np.flatnonzero(led))
        rides = self._rides(bodies)
        keys, key_stops = self._driven()
        key_stops += [end for table in self.leading_tables() for end in (table.times[0], table.times[-1])]
        follows = following(self, bodies, keys)
        axes["sprung"] = np.union1d(axes["sprung"], _axes_of(bodies, follows.followed.body))
        key_stops += follows.stops
        parameters = self._parameters(follows.numbers)
        fields = {
            "driven": self.first,
            "size": size,
            "stop_stiffness": _STOP * _GRAVITY * sum(body.mass for body in self.bodies[self.first - 1 :]) * size,
            "rides": rides,
            "bodies": bodies,
            **axes,
            "switched": self._switched(parameters, size),
            "followed": follows.followed,
            **self._forces(),
            **parameters,
        }
        stops = np.unique(np.concatenate([breakpoints(parameters["tables"], parameters["points"]), key_stops]))
        return fields, keys, figures, problems, stops

    def leading_tables(self) -> list[Table]:
        """Numbers that lead coordinates and lengths, those that change."""
        numbers = [target for _, targets in self.led for target in targets if target is not None]
        numbers += [each.given_length for each in self.constraints if isinstance(each, Span)]
        return [number for number in numbers if isinstance(number, Table)]

    def _axes(self, bodies: np.recarray) -> dict:
        """Numbers the axes and charts; returns what belongs to single axes."""
        counts = np.array([0] * self.first + [len(TYPES[kind].axes) for kind in self.kinds])
        bodies.axis_end = np.cumsum(counts)
        bodies.axis_start = bodies.axis_end - counts
        charted, riding = np.isin(bodies.kind, CHARTED), bodies.kind == Kind.CONTACT
        bodies.chart = np.where(charted, np.cumsum(charted) - 1, -1)
        bodies.chart[riding] = np.count_nonzero(charted) + np.arange(np.count_nonzero(riding))
        armature, mode, length, sprung = [], [], [], []
        with_efforts = "stiffness", "damping", "friction", "static_friction", "limits", "pull", "damper"
        for joint, kind in zip(self.joints, self.kinds, strict=True):
            axes = len(TYPES[kind].axes)
            armature += (joint.armature if joint else None) or (0.0,) * axes
            if kind == Kind.CONTACT and joint.rolling:
                armature[-axes:] = _STILL
            motors = (None,) * axes if joint is None or joint.motor is None else joint.motors
            mode += [MotorMode.NONE if motor is None else MotorMode[motor.mode.upper()] for motor in motors]
            asks = joint is not None and any(_asks(getattr(joint, key)) for key in with_efforts)
            sprung += [asks or any(motors)] * axes
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

    def _forces(self) -> dict:
        """Points and bodies of forces, curves of tables, programs; their numbers are among the parameters."""
        acts, curves, steps, terrains = acting(self.forces), Curves(), [], {}
        forces = records(len(acts), FORCE)
        _, C, _ = self.start
        for k, force in enumerate(acts):
            forces.kind[k] = KINDS[type(force)]
            forces.one_sided[k] = force.ONE_SIDED
            damper, elastic = damper_curve(force), elastic_curve(force)
            damps = damper is not None or (force.ONE_SIDED and force.damping != 0.0)
            forces.switches[k] = (force.ONE_SIDED and damps) or isinstance(force, Approach)
            forces.pull_start[k], forces.pull_end[k] = curves.add(elastic)
            forces.damper_start[k], forces.damper_end[k] = curves.add(damper)
            for end, name in enumerate(force_bodies(force)):
                i = self.index[None if name is None else self.number_of[name]]
                forces.body[k, end] = i
                forces.axes[k, end], forces.origin[k, end] = self.kernel_axes(i).ravel(), C[i]
                if i >= self.first:
                    forces.mobility[k] += 1.0 / self.bodies[i - 1].mass
            name = getattr(force, "terrain", None)
            forces.terrain[k] = -1 if name is None else terrains.setdefault(name, len(terrains))
            if isinstance(force, Tyre):
                forces.radius[k], forces.width[k], forces.slip_speed[k] = force.radius, force.width, force.slip_speed
            if isinstance(force, Steering):
                forces.wheelbase[k], forces.center_height[k] = force.wheelbase, force.center_height
                forces.seeks[k] = force.seeks
            if isinstance(force, Spring):
                rest_length = force.rest_length if elastic is None else elastic.rest
                start, end, rest = (_first_values(x) for x in (force.point_a, force.point_b, (rest_length,)))
                forces.reach[k] = max(np.linalg.norm(end - start), rest[0])
            if isinstance(force, Expression):
                forces.in_frame[k] = force.axes == "own"
                forces.kinks[k] = sum(program.steps.count(step) for program in force.programs for step in KINKED)
                forces.program[k, 0] = len(steps)
                for component, program in enumerate(force.programs):
                    steps += zip(*program, strict=True)
                    forces.program[k, component + 1] = len(steps)
        programs = np.array(steps, PROGRAM_STEP).view(np.recarray)
        of_axes = axis_curves(self._axis_counts(), curves)
        named = {terrain.name: terrain for terrain in self.mechanism.terrains}
        ground = terrain_arrays([named[name] for name in terrains])
        curved = {"axis_curves": of_axes, "curves": curves.pieces}
        return {"forces": forces, **curved, **ground, "programs": programs}

    def _aimed(self, force: Force) -> Force:
        """A balance that is told no target keeps its body where that is at the start."""
        if not isinstance(force, Balance):
            return force
        position, orientation = body_pose(self.mechanism.bodies[self.number_of[force.body]])
        position = position if force.position is None else force.position
        orientation = orientation if force.orientation is None else force.orientation
        return replace(force, position=position, orientation=orientation)

    def _placed(self, force: Force) -> Force:
        """An expression that is told no point acts at its body's centre of mass."""
        if not isinstance(force, Expression) or force.point is not None:
            return force
        return replace(force, point=self.start[1][self.index[self.number_of[force.body]]])

    def _figures(self, bodies: np.recarray) -> tuple[Figures, list[str]]:
        """Figures that keep their balance."""
        index = {self.mechanism.bodies[n].name: i for n, i in self.index.items() if n is not None}
        x, C, R = self.start
        axes = np.array([self.kernel_axes(i) for i in range(len(bodies))])
        return figures_of(acting(self.forces), index, self.joints, bodies, self.first, Stance(x, C, R, axes))

    def _axis_counts(self) -> list[tuple[Joint | None, int]]:
        """The joint of each dynamic body, or None, and the number of its axes."""
        return [(joint, len(TYPES[kind].axes)) for joint, kind in zip(self.joints, self.kinds, strict=True)]

    def _parameters(self, drives: list[Number]) -> dict:
        """All numbers that may change over time, and the tables that drive some of them."""
        joints = self._axis_counts()
        own = gravity_of([body.name for body in self.bodies], self.forces, self.mechanism.gravity)
        return parameters_of(joints, self.forces, drives, [ZERO, *own])

    def _switched(self, parameters: dict, size: float) -> np.recarray:
        """The axes that something may hold at a given speed; `size` is that of the linkage."""
        mass, tables = sum(body.mass for body in self.bodies[self.first - 1 :]), parameters["tables"]
        rows, axis = [], 0
        for k, (joint, kind) in enumerate(zip(self.joints, self.kinds, strict=True)):
            for c, (_, kind_of_axis, *_) in enumerate(TYPES[kind].axes):
                motor = joint.motors[c] if joint and joint.motor else None
                is_motor = motor is not None and motor.mode == "speed"
                gives_way = joint is not None and _asks_of(joint.stops, c)
                bounded = (kind_of_axis == LENGTH or kind not in CHARTED) and not gives_way
                is_limited = bounded and _asks_of(joint and joint.limits, c)
                rubs = joint is not None and (_asks_of(joint.friction, c) or _asks_of(joint.static_friction, c))
                if is_motor or is_limited or rubs:
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
                    turn = product(self.kernel_axes(i).T, self.start[2][i])
                    poses.append((-turned(turn, self.center_of_mass[i]), turn))
                found.append((self.first + k, joint, *poses))
        return rides_of(found, sum(body.mass for body in self.bodies[self.first - 1 :]))
