# SPDX-License-Identifier: GPL-3.0-or-later
"""Limits of the variational integrator, and the length of its steps."""

import math

import numpy as np

from ...dynamics.forces.curves import has_axis_curves
from ...dynamics.forces.expression import expression_tangent
from ...dynamics.forces.laws import Form, form_of, resistance_of
from ...dynamics.forces.parameters import update_parameters
from ...dynamics.forces.points import first_parameter, is_enabled
from ...dynamics.forces.resistance import SQUARE
from ...dynamics.forces.spring import spring_numbers
from ...dynamics.forces.support import support_numbers
from ...dynamics.tree.driven import update_driven_bodies
from ...dynamics.tree.kinematics import update_kinematics
from ...mechanism import Mechanism
from ...mechanism.arithmetic import Program
from ...mechanism.error import refuse
from ...mechanism.forces import Expression, Support, Tyre
from ...mechanism.messages import Message
from ...mechanism.table import Number, Table
from ...model.arrays import (
    AXIS_PARAMETERS,
    DAMPING,
    FOLLOW_PACE,
    FOLLOW_PARAMETERS,
    FOLLOW_RATIO,
    MOTOR_DAMPING,
    MOTOR_STIFFNESS,
    STIFFNESS,
    Kind,
    Model,
    Scratch,
    new_scratch,
)
from ...model.linkage.compilation import Compiled
from ...model.topology import Linkage

_TURN = 5.0  # rad in a step at a relative tolerance of 1: the error of a turn is a 24th of its square, and adds up
_RING = 5.0, 0.5  # rad in a step for what rings, by the fourth root of the tolerance, and at most
_FOLLOWED = 30.0  # 1/s: what rings faster does so by little


def refuse_what_jumps(mechanism: Mechanism, linkage: Linkage) -> None:
    """Raises MechanismError for what is no smooth force and no condition that always holds."""
    problems = []
    for force in (mechanism.forces[i] for i in linkage.forces):
        is_rough = isinstance(force, Support) and (_is_ever(force.friction) or _is_ever(force.static_friction))
        if is_rough and force.slope is None and _is_ever(force.enabled):
            what, remedy = "friction of a support without a slope", "give it a slope (N s/m), or set friction to 0"
            if force.sticks:
                what, remedy = "static friction of a support", "leave static_friction out, and give it a slope (N s/m)"
            problems.append(Message("jumps-by-variational", ("force", force.name), what=what, remedy=remedy))
        if isinstance(force, Tyre) and _is_ever(force.enabled):
            what, remedy = "the slip of a tyre", "disable the tyre"
            problems.append(Message("jumps-by-variational", ("force", force.name), what=what, remedy=remedy))
        if isinstance(force, Expression) and force.enabled and any(_jumps_by_motion(each) for each in force.programs):
            what, remedy = "a comparison, choice, floor, sign or % by place or speed", "write it with min, max or tanh"
            problems.append(Message("jumps-by-variational", ("force", force.name), what=what, remedy=remedy))
    refuse(problems)


def _jumps_by_motion(program: Program) -> bool:
    """True of what may jump by more than time, which is the same for every motion."""
    return program.jumps and not program.names <= {"t"}


def _is_ever(number: Number | bool | None) -> bool:
    """True if a number is not zero, or not always."""
    return any(number.values) if isinstance(number, Table) else bool(number)


def fitting_interval(compiled: Compiled, time: float, longest: float, relative: float) -> float:
    """s: fixed steps for a linkage that starts at a time (s), a whole part of `longest`, by the relative tolerance.

    The error of order 2 follows from how far things turn in a step. How fast they will is guessed by what turns at the
    start, by what falls, and by what springs and dampers do.
    """
    model, scratch = compiled.model, new_scratch(compiled.model)
    # once, as plain Python: nothing has to be compiled for it
    update_parameters(model, time, scratch)
    update_driven_bodies(model, time, scratch)
    update_kinematics(model, compiled.state, scratch)
    turning, ringing = _turning(model, scratch), _ringing(model, scratch)
    steps = longest * max(turning, min(ringing, _FOLLOWED)) / (_TURN * math.sqrt(relative))
    part, most = _RING
    steps = max(steps, longest * ringing / min(most, part * relative**0.25))
    return longest / max(1, math.ceil(steps))


def _turning(model: Model, scratch: Scratch) -> float:
    """rad/s: the fastest body, now or when it has fallen."""
    bodies, moving = model.bodies[model.driven :], scratch.bodies[model.driven :]
    spins = np.linalg.norm(moving.angular, axis=1)
    arm = np.sum(bodies.center_offset**2, axis=1)
    gyration = (bodies.inertia[:, 0] + bodies.inertia[:, 3] + bodies.inertia[:, 5]) / (3.0 * bodies.mass)
    gravity = np.linalg.norm(scratch.parameters[-3 * len(model.bodies) :].reshape(-1, 3)[model.driven :], axis=1)
    hangs = (bodies.kind != Kind.FREE) & (arm > 0.0)
    falls = 2.0 * np.sqrt(np.where(hangs, gravity * np.sqrt(arm) / (arm + gyration), 0.0))
    return float(max(spins.max(), falls.max()))


def _ringing(model: Model, scratch: Scratch) -> float:
    """1/s: the fastest spring or damper, as if the bodies at its ends were alone."""
    fastest, p, axes = 0.0, scratch.parameters, model.axis_curves
    for number, force in enumerate(model.forces):
        stiffness, damping = _force_rates(model, scratch, number)
        fastest = max(fastest, 2.0 * math.sqrt(stiffness * force.mobility), 2.0 * damping * force.mobility)
    for i in range(model.driven, len(model.bodies)):
        body, R = model.bodies[i], scratch.bodies[i].rotation.reshape(3, 3)
        xx, xy, xz, yy, yz, zz = body.inertia
        inertia = R @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ R.T
        for axis in range(body.axis_start, body.axis_end):
            turn, travel = scratch.axes[axis].S[:3], scratch.axes[axis].S[3:]
            felt = turn @ inertia @ turn + body.mass * (travel @ travel) + model.armature[axis]
            k = axis * AXIS_PARAMETERS
            damping, stiffness = p[k + DAMPING] + p[k + MOTOR_DAMPING], p[k + STIFFNESS] + p[k + MOTOR_STIFFNESS]
            if has_axis_curves(model):
                damping, stiffness = damping + axes[axis].damping, stiffness + axes[axis].stiffness
            fastest = max(fastest, math.sqrt(stiffness / felt), damping / felt)
    return max(fastest, _following(model, p))


def _following(model: Model, p: np.ndarray) -> float:
    """1/s: the fastest drive of what follows its keys, as stiff as it ever becomes."""
    first = len(p) - 3 * len(model.bodies) - FOLLOW_PARAMETERS * len(model.followed)
    fastest = 0.0
    for k in range(first, first + FOLLOW_PARAMETERS * len(model.followed), FOLLOW_PARAMETERS):
        tables = [model.points[t.start : t.end, 1] for t in model.tables if t.target == k + FOLLOW_PACE]
        pace = max([p[k + FOLLOW_PACE], *(float(values.max()) for values in tables)])
        fastest = max(fastest, pace * max(1.0, 2.0 * p[k + FOLLOW_RATIO]))
    return fastest


def _force_rates(model: Model, scratch: Scratch, number: int) -> tuple[float, float]:
    """(stiffness N/m, damping N s/m) of a force."""
    kind, p, first = model.forces[number].kind, scratch.parameters, first_parameter(model, number)
    form = form_of(kind)
    if form in (Form.GIVEN, Form.ROLLING) or not is_enabled(p, first):
        return 0.0, 0.0
    if form == Form.FIELD:
        tangents = [expression_tangent(model, scratch, number, first, k) for k in range(3)]
        return max(float(each[2]) for each in tangents), max(float(each[3]) for each in tangents)
    if form == Form.RESISTANCE:
        resistance = resistance_of(kind, p, first)
        is_followed = resistance.way != SQUARE  # which hardly resists what is slow
        return 0.0, float(max(resistance.x, resistance.y, resistance.z)) if is_followed else 0.0
    numbers = support_numbers(p, first) if form == Form.GROUND else spring_numbers(p, first)
    return float(numbers.stiffness), float(numbers.damping)
