# SPDX-License-Identifier: GPL-3.0-or-later
"""Motors without a maximum that keep speeds which cannot be: against a limit, against loops, or against each other.

No integrator can tell by itself. By what holds the heavier one gives way, a gear opens or all stands still. So it is
asked of the speeds alone, at one moment: are there speeds x of the other axes with

    J_f x + J_m w + b = 0,   x >= 0 at a lower limit, x <= 0 at an upper one,

J the rows of the closures by axes, w the speeds of the motors, b what driven bodies give the rows? By least squares
within bounds (Stark and Parker 1995) it is no if a residual r is left. Then r names who is in it (Farkas 1902): motors
and limits along whose axes r.J is not zero, closures whose part of r is not. A nearly singular pose leaves no residual,
however fast the other axes have to be.

Speeds and rows are in radians and parts of the linkage's size.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ..dynamics.forces.parameters import update_parameters
from ..dynamics.forces.switching import BEHIND, OVERRUN
from ..dynamics.loops.closures import update_rows
from ..dynamics.tree.driven import update_driven_bodies
from ..dynamics.tree.kinematics import update_kinematics
from ..mechanism import Coupling, Joint, Mechanism, MechanismError
from ..mechanism.joint_types import LENGTH
from ..mechanism.messages import Message, Part, named
from ..mechanism.table import Table
from ..model.arrays import (
    AXIS_PARAMETERS,
    LOWER,
    MOTOR_LIMIT,
    MOTOR_VALUE,
    RECURSIVE,
    UPPER,
    Model,
    RowKind,
    Scratch,
    State,
    new_scratch,
)
from ..model.closures import start_coordinate
from ..model.linkage.compilation import Compiled, compile_linkage, part_of
from ..model.topology import Linkage, find_linkages

_NEAR = 1e-6  # rad, or parts of the size: where it is worth while to look
_AT = 1e-9  # rad, or parts of the size: how near to a limit an axis is at it
_CROOKED = 1e-3  # of the fastest row: a residual that loops which do not quite fit may leave,
_EXACT = 1e-6  # and gears, racks and screws, whose rows have no poses in them
_TAKES_PART = 1e-6  # of a residual: along whose axes it is not zero
_HAS_PART = 1e-3  # of a residual's largest row
_RANK = 1e-12  # of the largest singular value: one that is zero


def tireless(model: Model) -> np.ndarray:
    """The axes whose motors keep their speeds whatever it takes."""
    if not len(model.switched):
        return np.zeros(0, int)
    axes = model.switched.axis[model.switched.motor == 1]
    return axes[np.isinf(model.parameters[axes * AXIS_PARAMETERS + MOTOR_LIMIT])]


def fastest_target(model: Model, per_scale: np.ndarray) -> float:
    """1/s: the largest speed that such a motor is to keep at any time; per_scale (A,): 1/m or 1 of the axes."""
    numbers, fastest = tireless(model) * AXIS_PARAMETERS + MOTOR_VALUE, 0.0
    for number in numbers:
        values = [model.parameters[number : number + 1]]
        values += [model.points[table.start : table.end, 1] for table in model.tables if table.target == number]
        fastest = max(fastest, per_scale[number // AXIS_PARAMETERS] * np.abs(np.concatenate(values)).max())
    return float(fastest)


class Speeds(NamedTuple):
    """The rows of a linkage's closures by the speeds of its axes, at one moment; in radians and parts of its size."""

    scratch: Scratch
    rows: np.ndarray  # (M, A): J
    given: np.ndarray  # (M,) 1/s: b
    is_exact: np.ndarray  # (M,) bool: of couplings, and of what leads coordinates


def find_speeds(model: Model, time: float, state: State, bead: np.ndarray) -> Speeds:
    """J and b at a time (s) and pose; `bead` (Q,) as in the scratch of the motion."""
    scratch = new_scratch(model)
    scratch.bead[:] = bead
    still = State(state.coordinates, np.zeros_like(state.speeds), state.anchor)
    # once, as plain Python: nothing has to be compiled for it
    behind = time + BEHIND * max(1.0, abs(time))
    update_parameters(model, behind, scratch)
    update_driven_bodies(model, behind, scratch)
    update_kinematics(model, still, scratch)
    if model.closing:
        update_rows(model, still, scratch)
    rows = slice(0, model.closing)
    holds = model.closures.gives_way[model.rows.closure[rows]] == 0
    unit = np.where(model.rows.is_length[rows] == 1, 1.0 / model.size, 1.0) * holds
    scale = np.where(model.is_length, model.size, 1.0)
    jacobian = unit[:, None] * _jacobian(model, scratch) * scale
    is_exact = np.isin(model.rows.kind[rows], (RowKind.COUPLING, RowKind.LED))
    return Speeds(scratch, jacobian, unit * scratch.rows.rate[rows], is_exact)


def _jacobian(model: Model, scratch: Scratch) -> np.ndarray:
    """(M, A): rates of the closures' rows by speeds of the axes; both by their wrenches and twists about the origin."""
    bodies, axes, driven = len(model.bodies), len(model.armature), model.driven
    carries = np.zeros((bodies, axes), bool)  # an axis moves a body
    body_of = np.zeros(axes, int)
    for i in range(driven, bodies):
        own = slice(model.bodies.axis_start[i], model.bodies.axis_end[i])
        carries[i] = carries[model.bodies.inner[i]]
        carries[i, own], body_of[own] = True, i
    turn, travel = scratch.axes.S[:, :3], scratch.axes.S[:, 3:]
    twist = np.hstack([turn, travel - np.cross(turn, scratch.bodies.center[body_of])])
    jacobian = np.zeros((model.closing, axes))
    closures = model.closures[model.rows.closure[: model.closing]]
    for end in range(int(closures.ends.max(initial=0))):
        acts, body = closures.ends > end, closures.body[:, end]
        moment, force = scratch.rows.wrench[: model.closing, end, :3], scratch.rows.wrench[: model.closing, end, 3:]
        wrench = np.hstack([moment + np.cross(scratch.bodies.center[body], force), force])
        jacobian += np.where(acts[:, None] & carries[body], wrench @ twist.T, 0.0)
    return jacobian


def find_contradiction(
    mechanism: Mechanism, compiled: Compiled, time: float, state: State, bead: np.ndarray, past: float = -_AT
) -> Message | None:
    """A message on which motors keep speeds that cannot be at this time (s) and pose; None if they can.

    past: how far (rad, parts of the linkage's size) a motor's own axis must be beyond its limit.
    """
    model, driven = compiled.model, tireless(compiled.model)
    if not len(driven):
        return None
    speeds = find_speeds(model, time, state, bead)
    p, per_scale = speeds.scratch.parameters, np.where(model.is_length, 1.0 / model.size, 1.0)
    w = np.zeros(len(per_scale))
    w[driven] = per_scale[driven] * p[driven * AXIS_PARAMETERS + MOTOR_VALUE]
    low, high = _bounds(model, p, per_scale * state.coordinates, per_scale, past)
    for axis in driven:
        if not low[axis] <= w[axis] <= high[axis]:
            return _against_own_limit(mechanism, compiled, axis, p, time)
    if not len(speeds.rows):
        return None
    low, high = _bounds(model, p, per_scale * state.coordinates, per_scale, -_AT)
    return _among_rows(mechanism, compiled, speeds, driven, w, (low, high), time)


def _bounds(model: Model, p: np.ndarray, q: np.ndarray, per_scale: np.ndarray, past: float):
    """(A,) least and largest speed (1/s) of each axis: none into a limit that it is beyond by more than `past`."""
    low, high = np.full(len(q), -np.inf), np.full(len(q), np.inf)
    for axis in model.switched.axis[model.switched.bounded == 1]:
        k = axis * AXIS_PARAMETERS
        if per_scale[axis] * p[k + LOWER] - q[axis] > past:
            low[axis] = 0.0
        if q[axis] - per_scale[axis] * p[k + UPPER] > past:
            high[axis] = 0.0
    return low, high


def _among_rows(
    mechanism: Mechanism, compiled: Compiled, speeds: Speeds, driven: np.ndarray, w: np.ndarray, bounds, time: float
) -> Message | None:
    """The contradiction between the motors' speeds, the closures, and the limits that axes are at."""
    from scipy.optimize import lsq_linear

    J, (low, high) = speeds.rows, bounds
    asked = J @ w + speeds.given
    free = np.ones(J.shape[1], bool)
    free[driven] = False
    free &= (low < high) & J.any(axis=0)
    rest = asked.copy()
    if free.any():
        found = lsq_linear(J[:, free], -asked, (low[free], high[free]), method="bvls", tol=1e-14)
        rest = J[:, free] @ found.x + asked
    largest = max(np.abs(J * w).max(initial=0.0), np.abs(speeds.given).max(initial=0.0))
    is_exact = np.linalg.norm(rest[~speeds.is_exact]) <= _HAS_PART * np.linalg.norm(rest)
    if not np.abs(rest).max() > (_EXACT if is_exact else _CROOKED) * largest:
        return None
    along, most = np.abs(rest @ J), np.linalg.norm(rest) * np.linalg.norm(J, axis=0)
    takes_part = along > _TAKES_PART * most
    motors = [axis for axis in driven if takes_part[axis]]
    if not motors:
        return None
    limits = np.flatnonzero(takes_part & (np.isfinite(low) | np.isfinite(high)))
    rows = np.flatnonzero(np.abs(rest) > _HAS_PART * np.abs(rest).max())
    sources = dict.fromkeys(compiled.sources[k] for k in compiled.model.rows.closure[rows])
    return _message(mechanism, compiled, motors, [a for a in limits if a not in motors], sources, time)


def _joint_of(mechanism: Mechanism, compiled: Compiled, axis: int) -> Part:
    body = int(np.searchsorted(compiled.model.bodies.axis_end[compiled.model.driven :], axis, side="right"))
    return "joint", mechanism.joints[compiled.linkage.joint[body]].name


def _against_own_limit(mechanism: Mechanism, compiled: Compiled, axis: int, p: np.ndarray, time: float) -> Message:
    k = axis * AXIS_PARAMETERS
    speed = p[k + MOTOR_VALUE]
    limit = p[k + UPPER] if speed > 0.0 else p[k + LOWER]
    part = _joint_of(mechanism, compiled, axis)
    return _motor_at_limit(part, speed, limit, bool(compiled.model.is_length[axis]), time)


def _motor_at_limit(part: Part, speed: float, limit: float, is_length: bool, time: float) -> Message:
    unit = "m" if is_length else "rad"
    values = {"speed": f"{speed:.4g} {unit}/s", "limit": f"{limit:.4g} {unit}", "time": f"{time:.6g}"}
    return Message("motor-at-limit", part, **values)


def _message(mechanism: Mechanism, compiled: Compiled, motors, limits, sources, time: float) -> Message:
    parts = list(dict.fromkeys(_joint_of(mechanism, compiled, axis) for axis in motors))
    bounds = list(dict.fromkeys(_joint_of(mechanism, compiled, axis) for axis in limits))
    ties = named(tuple(dict.fromkeys(part_of(mechanism, source) for source in sources)))
    when = f"{time:.6g}"
    if bounds:
        return Message("motors-at-limit", *parts, *bounds, limits=named(tuple(bounds)), ties=ties, time=when)
    return Message("motors-contradict" if len(parts) > 1 else "motor-held", *parts, ties=ties, time=when)


def is_dependent(model: Model, time: float, state: State, bead: np.ndarray) -> bool:
    """True if closures leave the motors' speeds no choice: then each moment must be asked whether they fit."""
    driven = tireless(model)
    if not len(driven) or not model.closing:
        return False
    speeds = find_speeds(model, time, state, bead)
    J, asked = speeds.rows, speeds.rows[:, driven]
    free = np.ones(J.shape[1], bool)
    free[driven] = False
    rest = asked - J[:, free] @ np.linalg.lstsq(J[:, free], asked, rcond=None)[0] if free.any() else asked
    return bool(np.abs(rest).max() > _EXACT * np.abs(asked).max(initial=1e-300))


def fit_speeds(model: Model, scratch: Scratch, time: float, state: State) -> None:
    """Changes constant speeds of motors by the least that lets couplings have them to the last digit.

    Only for what is no contradiction: speeds that are rounded to seven digits, as a third of a turn is, are as good as
    right; but where none can be met wholly, each motor pushes with all that it has.
    """
    driven, speeds = tireless(model), find_speeds(model, time, state, scratch.bead)
    J, given = speeds.rows[speeds.is_exact], speeds.given[speeds.is_exact]
    numbers = driven * AXIS_PARAMETERS + MOTOR_VALUE
    per_scale = np.where(model.is_length[driven], 1.0 / model.size, 1.0)
    free = np.ones(J.shape[1], bool)
    free[driven] = False
    sides, sizes, _ = np.linalg.svd(J[:, free])
    left = sides[:, int((sizes > _RANK * sizes.max(initial=0.0)).sum()) :].T  # sums of rows in which no free axis is
    if not len(left):
        return
    off = left @ (J[:, driven] @ (per_scale * speeds.scratch.parameters[numbers]) + given)
    may_change = ~np.isin(numbers, model.tables.target)
    change = np.linalg.lstsq(left @ J[:, driven[may_change]], -off, rcond=_RANK)[0] / per_scale[may_change]
    for parameters in (model.parameters, scratch.parameters):
        parameters[numbers[may_change]] += change


def is_at_limit(model: Model, p: np.ndarray, coordinates: np.ndarray) -> bool:
    """True if an axis is at one of its limits, or beyond it, by the parameters (P,) of now, and motors may press on it.

    Without closures only those press on it that turn it themselves.
    """
    axes = axes_at_limit(model, p, coordinates)
    if not model.closing:
        axes = np.intersect1d(axes, tireless(model))
    return len(axes) > 0


def axes_at_limit(model: Model, p: np.ndarray, coordinates: np.ndarray) -> np.ndarray:
    """Numbers of the axes at one of their limits, or beyond it, by the parameters (P,) of now."""
    axes = model.switched.axis[model.switched.bounded == 1]
    k, unit = axes * AXIS_PARAMETERS, np.where(model.is_length[axes], model.size, 1.0)
    room = np.minimum(coordinates[axes] - p[k + LOWER], p[k + UPPER] - coordinates[axes])
    return axes[room <= _NEAR * unit]


def contradictions(mechanism: Mechanism, duration: float = math.inf) -> list[str]:
    """Messages on what motors without a maximum cannot do, at the start or within `duration` (s), if known before.

    Of a mechanism without problems.
    """
    found = []
    for linkage in find_linkages(mechanism):
        joints = _tireless_joints(mechanism, linkage)
        message = _at_start(mechanism, linkage) if joints else None
        if message is not None:
            found.append(message)
        else:
            found += _later(mechanism, linkage, joints, duration)
    return found


def _tireless_joints(mechanism: Mechanism, linkage: Linkage) -> list[Joint]:
    numbers = dict.fromkeys(j for j in (*linkage.joint, *linkage.closing) if j is not None)
    joints = [mechanism.joints[j] for j in numbers]
    return [
        each
        for each in joints
        if each.motor and any(m and m.mode == "speed" and m.max_force is None for m in each.motors)
    ]


def _at_start(mechanism: Mechanism, linkage: Linkage) -> Message | None:
    try:
        compiled = compile_linkage(mechanism, linkage, RECURSIVE)
    except MechanismError:
        return None  # what is wrong with it is said elsewhere
    bead = compiled.model.closures.curve_first
    return find_contradiction(mechanism, compiled, 0.0, compiled.state, bead)


def _later(mechanism: Mechanism, linkage: Linkage, motors: list[Joint], duration: float) -> list[Message]:
    """The limits that motors of one coordinate run into, their own and those of what is geared to them.

    Nothing stops such a motor, so its coordinate is known beforehand; unless an action may change something.
    """
    joints, found = {joint.name: joint for joint in mechanism.joints}, []
    for motor in motors if not mechanism.actions else ():
        if motor.count == 1:
            for name, (factor, ties) in _geared(mechanism, linkage, motor.name).items():
                message = _meets_limit(motor, joints[name], factor, ties, duration)
                found += [message] if message is not None else []
    return found


def _geared(mechanism: Mechanism, linkage: Linkage, name: str) -> dict[str, tuple[float, tuple[Part, ...]]]:
    """The joints that turn with one: by their names how fast (per unit of its coordinate), and the ties in between."""
    constraints = [mechanism.constraints[k] for k in linkage.constraints]
    found, waiting = {name: (1.0, ())}, [name]
    while waiting:
        factor, ties = found[now := waiting.pop()]
        for each in constraints:
            if isinstance(each, Coupling) and now in (each.joint_a, each.joint_b):
                is_a = now == each.joint_a
                other, ratio = (each.joint_b, each.transmission) if is_a else (each.joint_a, 1.0 / each.transmission)
                if other not in found:
                    found[other] = factor * ratio, (*ties, ("constraint", each.name))
                    waiting.append(other)
    return found


def _meets_limit(motor: Joint, joint: Joint, factor: float, ties: tuple[Part, ...], duration: float) -> Message | None:
    """A message that a joint, `factor` times as fast as a motor, comes to its limit, and when; None if it does not."""
    target, (lower, upper) = motor.motors[0].target, (joint.limits or (None,))[0] or (None, None)
    q = start_coordinate(joint)
    table = target if isinstance(target, Table) else Table((0.0,), (target,))
    for start, end, first, last in _pieces(table, duration):
        for limit, side in ((lower, -1.0), (upper, 1.0)):
            rates = side * factor * first, side * factor * last
            after = None if limit is None else _crosses(side * (limit - q) + OVERRUN, *rates, end - start)
            if after is None:
                continue
            time, slope = start + after, (last - first) / (end - start)
            if ties:
                parts, limits = (("joint", motor.name), ("joint", joint.name)), named((("joint", joint.name),))
                return Message("motors-at-limit", *parts, limits=limits, ties=named(ties), time=f"{time:.6g}")
            is_length = joint.joint_type.axes[0].kind == LENGTH
            return _motor_at_limit(("joint", joint.name), first + slope * after, limit, is_length, time)
        q += 0.5 * factor * (first + last) * (end - start)
    return None


def _pieces(table: Table, duration: float) -> list[tuple[float, float, float, float]]:
    """(start, end, speed at the start, speed at the end) of a table from 0 s on."""
    times = sorted({0.0, *(time for time in table.times if 0.0 < time < duration)})
    values = np.interp(times, table.times, table.values)
    ends, lasts = [*times[1:], duration], [*values[1:], values[-1]]
    if math.isfinite(duration):
        lasts[-1] = float(np.interp(duration, table.times, table.values))
    return list(zip(times, ends, map(float, values), map(float, lasts), strict=True))


def _crosses(room: float, first: float, last: float, length: float) -> float | None:
    """s: when a speed that changes evenly from `first` to `last` in `length` (s) has used up `room`."""
    slope = (last - first) / length if math.isfinite(length) and length > 0.0 else 0.0
    root = first * first + 2.0 * slope * room
    if (first <= 0.0 and slope <= 0.0) or root < 0.0:
        return None
    time = 2.0 * room / (first + math.sqrt(root)) if first + math.sqrt(root) > 0.0 else math.inf
    return time if 0.0 <= time < length else None
