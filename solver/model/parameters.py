# SPDX-License-Identifier: GPL-3.0-or-later
"""All numbers of a linkage that may change over time, in one flat array, and the tables that drive some of them.

Their order: for each axis those of its joint (`model.STIFFNESS` and on), for each force `enabled`, its own numbers, its
points and its frame, for each foot of a balance its two, for each body that follows its four, and for each body the
three of its gravity.
"""

from collections.abc import Sequence

import numpy as np

from ..mechanism.forces import FORCES, Approach, Balance, Force, ForceWithLaw, Gravity, Reach, Steering
from ..mechanism.joints import Joint, JointMotor
from ..mechanism.stiction import STRIBECK
from ..mechanism.table import Number, Table
from .arrays import LOWER, POINTS, TABLE, ForceKind, records
from .curves import damper_curve, elastic_curve

KINDS = {force: ForceKind[force.type.upper()] for force in (*FORCES, Approach) if issubclass(force, ForceWithLaw)}
_UNLIMITED = np.inf
_ORIGIN, _UPRIGHT = (0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0)


def acting(forces: Sequence[Force]) -> list[ForceWithLaw]:
    """The forces that have a place of their own among the parameters; a body's own gravity is among the bodies'."""
    return [force for force in forces if isinstance(force, ForceWithLaw)]


def parameters_of(
    joints: Sequence[tuple[Joint | None, int]],
    forces: Sequence[Force],
    drives: Sequence[Number],
    gravity: Sequence[Sequence[Number]],
) -> dict[str, np.ndarray]:
    """The arrays `parameters`, `tables` and `points` of a model.

    joints: (joint or None, number of axes) of each dynamic body. drives: the numbers of what
    follows, in turn. gravity: of each body, driven ones included.
    """
    numbers: list[Number] = []
    for joint, axes in joints:
        numbers += _axis_numbers(joint, axes)
    for force in acting(forces):
        numbers += _force_numbers(force)
    for force in forces:
        if isinstance(force, Balance):
            numbers += force.foot_numbers
    numbers += drives
    for acceleration in gravity:
        numbers += acceleration
    driven = [(k, number) for k, number in enumerate(numbers) if isinstance(number, Table)]
    tables, points = records(len(driven), TABLE), [np.zeros((0, 2))]
    for row, (k, table) in zip(tables, driven, strict=True):
        row.target, row.start = k, sum(map(len, points))
        points.append(np.column_stack([table.times, table.values]))
        row.end = row.start + len(table.times)
    start = [number.values[0] if isinstance(number, Table) else number for number in numbers]
    return {"parameters": np.array(start, float), "tables": tables, "points": np.concatenate(points)}


def breakpoints(tables: np.ndarray, points: np.ndarray) -> np.ndarray:
    """The times (s) at which a table changes its slope, where the motion is not smooth."""
    found = [np.zeros(0)]
    for table in tables:
        times, values = points[table.start : table.end].T
        with np.errstate(over="ignore"):  # a table may be as good as a jump
            slopes = np.concatenate([[0.0], np.diff(values) / np.diff(times), [0.0]])
        found.append(times[slopes[1:] != slopes[:-1]])
    return np.unique(np.concatenate(found))


def gravity_of(names: Sequence[str], forces: Sequence[Force], everywhere: Sequence[float]) -> list[Sequence[Number]]:
    """The gravity of each of the named bodies; the last enabled force that replaces it rules."""
    own = {force.body: force.acceleration for force in forces if isinstance(force, Gravity) and force.enabled}
    return [own.get(name, everywhere) for name in names]


def _axis_numbers(joint: Joint | None, axes: int) -> list[Number]:
    """In the order of `model`: spring, damper, the motor's four, friction, bounds, bounciness, static friction."""
    if joint is None:
        return ([0.0] * LOWER + [-_UNLIMITED, _UNLIMITED, 0.0, 0.0, STRIBECK]) * axes
    columns = [getattr(joint, key) or (0.0,) * axes for key in ("stiffness", "rest", "damping")]
    if joint.motor is None:
        columns += [(0.0,) * axes] * 4
    else:
        columns += zip(*map(_motor_numbers, joint.motors), strict=True)
    columns.append(joint.friction or (0.0,) * axes)
    bounds = [pair or (None, None) for pair in joint.limits or (None,) * axes]
    columns.append([-_UNLIMITED if low is None else low for low, _ in bounds])
    columns.append([_UNLIMITED if high is None else high for _, high in bounds])
    columns.append(joint.bounciness or (0.0,) * axes)
    columns.append(joint.static_friction or joint.friction or (0.0,) * axes)
    columns.append(joint.stribeck_speed or (STRIBECK,) * axes)
    return [0.0 if number is None else number for axis in zip(*columns, strict=True) for number in axis]


def _motor_numbers(motor: JointMotor | None) -> tuple[Number | None, ...]:
    """Value or target, stiffness, damping and largest force of the motor on one axis."""
    if motor is None:
        return (0.0,) * 4
    value = motor.value if motor.mode == "force" else motor.target
    return value, motor.stiffness, motor.damping, _UNLIMITED if motor.max_force is None else motor.max_force


def _force_numbers(force: ForceWithLaw) -> list[Number]:
    """If it is enabled, its law's numbers, then its points and its frame."""
    own = [1.0 if force.enabled else 0.0, *_law_numbers(force)]
    point = force.position if isinstance(force, Balance) else getattr(force, "point", _ORIGIN)
    if isinstance(force, Steering) and force.target is not None:
        point = force.target
    ends = [force.point_a, force.point_b] if hasattr(force, "point_a") else [point, _ORIGIN]
    if isinstance(force, Reach):
        ends[1] = force.target
    frame = getattr(force, "orientation", _UPRIGHT)
    return [*own, *[0.0] * (POINTS - len(own)), *ends[0], *ends[1], *frame]


def _law_numbers(force: ForceWithLaw) -> tuple[Number, ...]:
    numbers = force.numbers
    elastic, damper = elastic_curve(force), damper_curve(force)
    if elastic is not None:
        numbers = numbers._replace(stiffness=elastic.steepest)
        numbers = numbers._replace(rest=elastic.rest) if hasattr(numbers, "rest") else numbers
    return numbers if damper is None else numbers._replace(damping=damper.steepest)
