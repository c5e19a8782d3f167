# SPDX-License-Identifier: GPL-3.0-or-later
"""A force by arithmetic of place, velocity and time: a program for each of its three components.

Each component is along an axis of the world, or of a frame that is fixed to the body; velocities are then along those
axes too, the place is always in the world. Symbols besides those of `points`: R the axes as columns.
"""

import math

from ...kernel import kernel
from ...mechanism.arithmetic import NAMES
from ...spatial import (
    add,
    add_scaled,
    add_to_spatial,
    axis_x,
    axis_y,
    axis_z,
    cross,
    load3,
    subtract,
    unrotate,
)
from .points import force_point, frame_axes, is_enabled, point_change
from .stack_machine import has_kink, run_program

_WORLD = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
_VELOCITY, _TIME, _MASS, _GIVEN = NAMES.index("vx"), NAMES.index("t"), NAMES.index("m"), NAMES.index("a")
_ZERO = (0.0, 0.0, 0.0)


@kernel
def add_expression(model, scratch, number, first):
    """Adds its wrench to its body's."""
    force, f = model.forces[number], _ZERO
    arm, R = put_names(model, scratch, number, first)
    for k in range(3):
        f = add_scaled(f, component_of(model, scratch, number, k, False)[0], axis_of(R, k))
    add_to_spatial(scratch.bodies[force.body[0]].wrench, cross(arm, f), f)


@kernel
def axis_of(R, k):
    """The axis of component k, in the world."""
    return axis_x(R) if k == 0 else (axis_y(R) if k == 1 else axis_z(R))


@kernel
def put_names(model, scratch, number, first):
    """Writes what names stand for into the machine, without changes; returns (arm, R)."""
    force, p, machine, bodies = model.forces[number], scratch.parameters, scratch.machine, scratch.bodies
    R = frame_axes(force, bodies, p, first) if force.in_frame else _WORLD
    arm, x, velocity = force_point(force, bodies, p, first, 0)
    u = unrotate(R, velocity) if force.in_frame else velocity
    for k in range(3):
        machine[0, k], machine[0, _VELOCITY + k], machine[0, _GIVEN + k] = x[k], u[k], p[first + 2 + k]
    machine[0, _TIME], machine[0, _MASS] = p[first + 1], model.bodies[force.body[0]].mass
    for k in range(len(NAMES)):
        machine[1, k] = 0.0
    return arm, R


@kernel
def component_of(model, scratch, number, k, with_changes):
    """(component k, N, its change) by what `put_names` has left."""
    force = model.forces[number]
    return run_program(model.programs, force.program[k], force.program[k + 1], scratch.machine, with_changes)


@kernel
def go_ahead(scratch, k, axis, way, faster):
    """Adds `way` (m) and `faster` (m/s) along a component's axis to what names stand for; returns the rate then."""
    machine = scratch.machine
    for c in range(3):
        machine[0, c] += way * axis[c]
    machine[0, _VELOCITY + k] += faster
    return machine[0, _VELOCITY + k]


@kernel
def component_ahead(model, scratch, number, k, axis, faster, reach):
    """(component k, N, its slope, N s/m) if the point's rate along its axis were greater by `faster` (m/s).

    The point is then `reach` (s) times that further along the axis. What `put_names` has put there stays as it is.
    """
    machine = scratch.machine
    x, y, z, rate = machine[0, 0], machine[0, 1], machine[0, 2], machine[0, _VELOCITY + k]
    go_ahead(scratch, k, axis, reach * faster, faster)
    for c in range(3):
        machine[1, c] = reach * axis[c]
        machine[1, _VELOCITY + c] = 1.0 if c == k else 0.0
    value, slope = component_of(model, scratch, number, k, True)
    machine[0, 0], machine[0, 1], machine[0, 2], machine[0, _VELOCITY + k] = x, y, z, rate
    return value, slope


@kernel
def expression_change(model, scratch, changes, number, first):
    """Adds the change of its wrench along a motion, time kept."""
    force, machine, p, bodies = model.forces[number], scratch.machine, scratch.parameters, scratch.bodies
    arm, R = put_names(model, scratch, number, first)
    arm_change, x_change, u_change = point_change(force, bodies, changes, p, first, 0)
    turn = load3(changes[force.body[0]].turn) if force.in_frame else _ZERO
    if force.in_frame:
        _, _, velocity = force_point(force, bodies, p, first, 0)
        u_change = unrotate(R, subtract(u_change, cross(turn, velocity)))
    for k in range(3):
        machine[1, k], machine[1, _VELOCITY + k] = x_change[k], u_change[k]
    f, f_change = _ZERO, _ZERO
    for k in range(3):
        value, change = component_of(model, scratch, number, k, True)
        f, f_change = add_scaled(f, value, axis_of(R, k)), add_scaled(f_change, change, axis_of(R, k))
    f_change = add(cross(turn, f), f_change)
    add_to_spatial(changes[force.body[0]].wrench, add(cross(arm_change, f), cross(arm, f_change)), f_change)


@kernel
def expression_tangent(model, scratch, number, first, k):
    """(arm, axis, stiffness N/m, damping N s/m) of its component k: what that resists with along its own axis.

    Zero where it drives, or is infinitely steep.
    """
    machine = scratch.machine
    arm, R = put_names(model, scratch, number, first)
    axis, stiffness, damping = axis_of(R, k), 0.0, 0.0
    for by_velocity in range(2):
        for c in range(3):
            machine[1, c] = 0.0 if by_velocity else axis[c]
            machine[1, _VELOCITY + c] = 1.0 if by_velocity and c == k else 0.0
        slope = component_of(model, scratch, number, k, True)[1]
        if -math.inf < slope < 0.0 and by_velocity:
            damping = -slope
        elif -math.inf < slope < 0.0:
            stiffness = -slope
    return arm, axis, stiffness, damping


@kernel
def note_kinks(model, scratch, number, first, margins, at):
    """Writes how far each of its steps that jumps or bends is from there, from place `at` on; returns the next one."""
    force = model.forces[number]
    if force.kinks == 0 or not is_enabled(scratch.parameters, first):
        return at + force.kinks
    put_names(model, scratch, number, first)
    for k in range(3):
        component_of(model, scratch, number, k, False)
        for step in range(force.program[k], force.program[k + 1]):
            if has_kink(model.programs[step].step):
                margins[at] = scratch.machine[2, step - force.program[k]]
                at += 1
    return at
