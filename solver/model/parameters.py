# SPDX-License-Identifier: GPL-3.0-or-later
"""All numbers of a linkage that may change over time, in one flat array, and the tables that drive some of them.

Their order: for each axis those of its joint (`model.STIFFNESS` and on), for each force `enabled`, its own numbers, its
points and its frame, and for each body the three of its gravity.
"""

from collections.abc import Sequence

import numpy as np

from ..mechanism.forces import Balance, Brake, Damping, Drag, Force, Gravity, Motor, Rubber, Spring, Support
from ..mechanism.joints import Joint
from ..mechanism.table import Number, Table
from .arrays import LOWER, POINTS, TABLE, ForceKind, records
from .force_numbers import (
    BalanceNumbers,
    BrakeNumbers,
    DampingNumbers,
    DragNumbers,
    MotorNumbers,
    SpringNumbers,
    SupportNumbers,
)
from .pull_tables import pull_curve

KINDS = {
    Motor: ForceKind.MOTOR,
    Damping: ForceKind.DAMPING,
    Brake: ForceKind.BRAKE,
    Spring: ForceKind.SPRING,
    Rubber: ForceKind.RUBBER,
    Support: ForceKind.SUPPORT,
    Drag: ForceKind.DRAG,
    Balance: ForceKind.BALANCE,
}
_UNLIMITED = np.inf
_NOT_GIVEN = -1.0
_AIR = 1.225  # kg/m3: density of the standard atmosphere at sea level (ISO 2533)
_ORIGIN, _UPRIGHT = (0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0)


def acting(forces: Sequence[Force]) -> list[Force]:
    """The forces that have a place of their own among the parameters; a body's own gravity is among the bodies'."""
    return [force for force in forces if type(force) in KINDS]


def parameters_of(
    joints: Sequence[tuple[Joint | None, int]], forces: Sequence[Force], gravity: Sequence[Sequence[Number]]
) -> dict[str, np.ndarray]:
    """The arrays `parameters`, `tables` and `points` of a model.

    joints: (joint or None, number of axes) of each dynamic body. gravity: of each body, driven ones included.
    """
    numbers: list[Number] = []
    for joint, axes in joints:
        numbers += _axis_numbers(joint, axes)
    for force in acting(forces):
        numbers += _force_numbers(force)
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
    """In the order of `model`: spring and damper, the motor's four, dry friction, bounds and their bounciness."""
    if joint is None:
        return ([0.0] * LOWER + [-_UNLIMITED, _UNLIMITED, 0.0]) * axes
    columns = [getattr(joint, key) or (0.0,) * axes for key in ("stiffness", "rest", "damping")]
    motor = joint.motor
    if motor is None:
        columns += [(0.0,) * axes] * 4
    else:
        value = "value" if motor.mode == "force" else "target"
        columns += [motor.per_coordinate(name, axes) for name in (value, "stiffness", "damping")]
        columns.append([_UNLIMITED if n is None else n for n in motor.per_coordinate("max_force", axes)])
    columns.append(joint.friction or (0.0,) * axes)
    bounds = [pair or (None, None) for pair in joint.limits or (None,) * axes]
    columns.append([-_UNLIMITED if low is None else low for low, _ in bounds])
    columns.append([_UNLIMITED if high is None else high for _, high in bounds])
    columns.append(joint.bounciness or (0.0,) * axes)
    return [0.0 if number is None else number for axis in zip(*columns, strict=True) for number in axis]


def _force_numbers(force: Force) -> list[Number]:
    """Its record of `force_numbers`, then its points and its frame."""
    own = _record(force, 1.0 if force.enabled else 0.0)
    point = force.position if isinstance(force, Balance) else getattr(force, "point", _ORIGIN)
    ends = [force.point_a, force.point_b] if hasattr(force, "point_a") else [point, _ORIGIN]
    frame = getattr(force, "orientation", _UPRIGHT)
    return [*own, *[0.0] * (POINTS - len(own)), *ends[0], *ends[1], *frame]


def _record(force: Force, enabled: float) -> tuple[Number, ...]:
    """The numbers of a force's law; some may be tables."""
    if isinstance(force, Motor):
        return MotorNumbers(enabled, *force.force, *force.torque)
    if isinstance(force, Damping):
        return DampingNumbers(enabled, force.linear, force.angular)
    if isinstance(force, Brake):
        damping = force.damping if isinstance(force.damping, tuple) else (force.damping,) * 3
        return BrakeNumbers(enabled, *damping, _UNLIMITED if force.max_force is None else force.max_force)
    if isinstance(force, Support):
        friction, slope = force.friction, force.slope
        if friction is None:
            friction = 0.0 if slope is None else _UNLIMITED
        slope = _NOT_GIVEN if slope is None else slope
        return SupportNumbers(enabled, force.stiffness, force.damping, force.height, friction, slope)
    if isinstance(force, Balance):
        turning = force.orientation_frequency, force.orientation_damping_ratio
        largest = _UNLIMITED if force.max_torque is None else force.max_torque
        return BalanceNumbers(enabled, force.frequency, force.damping_ratio, *turning, largest)
    if isinstance(force, Drag):
        given = _times(0.5 * _AIR, force.area) if force.coefficient is None else force.coefficient
        return DragNumbers(enabled, given, *force.wind)
    restitution = force.restitution if isinstance(force, Rubber) else 0.0
    if force.pull is not None:
        curve = pull_curve(force.pull)
        return SpringNumbers(enabled, curve.steepest, curve.rest, force.damping, restitution)
    return SpringNumbers(enabled, force.stiffness, force.rest_length, force.damping, restitution)


def _times(factor: float, number: Number) -> Number:
    if isinstance(number, Table):
        return Table(number.times, tuple(factor * value for value in number.values))
    return factor * number
