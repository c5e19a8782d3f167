# SPDX-License-Identifier: GPL-3.0-or-later
"""A support: level ground for one point of a body, with friction (Schroeder 1990, 6.6).

It pushes up by stiffness depth + damping depth rate, or by tables of force over either (`curves`), never down. When its
point arrives it begins to damp at once: that jump is switched (`switching`), so that what is integrated is smooth. Its
friction is Coulomb's, rounded off where sliding begins: f = -friction N u / sqrt(u^2 + s^2), with s such that it rises
by `slope` at first.
"""

import math

from ...kernel import kernel
from ...mechanism.forces import SupportNumbers
from ...model.arrays import Taken
from ...spatial import add, add_to_spatial, cross
from .closing import is_closed
from .curves import curve_at, damper_gain, damper_of, has_damper
from .points import force_point, point_change

_TAKEN_FRICTION = int(Taken.FRICTION)
_CREEP = 1e-3  # of the speed of a fall through the linkage's size: sliding speed at which friction is nearly all there
FALL = 9.81  # m/s2


@kernel
def support_numbers(p, first):
    """Its law's numbers."""
    return SupportNumbers(
        p[first + 1], p[first + 2], p[first + 3], p[first + 4], p[first + 5], p[first + 6], p[first + 7]
    )


@kernel
def add_support(model, scratch, number, first):
    """Adds its wrench to its body's."""
    force, p, bodies = model.forces[number], scratch.parameters, scratch.bodies
    support = support_numbers(p, first)
    arm, x, u = force_point(force, bodies, p, first, 0)
    depth = support.height - x[2]
    push = push_of(model, force, support, depth, u[2])
    if not is_closed(force, scratch, number, depth) or not push > 0.0:
        return
    drag = 0.0 if scratch.taken[number] == _TAKEN_FRICTION else friction_of(model, support, push, u)[0]
    f = (-drag * u[0], -drag * u[1], push)
    add_to_spatial(bodies[force.body[0]].wrench, cross(arm, f), f)


@kernel
def push_of(model, force, support, depth, rise):
    """N: what it pushes up with where its point is in by `depth` (m) and rises at a rate (m/s), if it acts."""
    if has_push(force) or has_damper(force):
        return elastic_push(model, force, support, depth)[0] + damper_of(model, force, support.damping, -rise)[0]
    return support.stiffness * depth - support.damping * rise


@kernel
def has_push(force):
    """True for a support that pushes by a table of force over depth."""
    return force.pull_end > force.pull_start


@kernel
def elastic_push(model, force, support, depth):
    """(N; N/m): its push without its damper, and the slope of that."""
    if has_push(force):
        push, slope, _ = curve_at(model.curves, force.pull_start, force.pull_end, depth)
        return push, slope
    return support.stiffness * depth, support.stiffness


@kernel
def push_gains(model, force, support, depth, rise):
    """Stiffness (N/m) and damping (N s/m) of its push as implicit steps take them: neither below 0."""
    stiffness, damping = support.stiffness, support.damping
    if has_push(force):
        stiffness = max(0.0, elastic_push(model, force, support, depth)[1])
    if has_damper(force):
        drag, slope = damper_of(model, force, damping, -rise)
        damping = damper_gain(drag, slope, -rise)
    return stiffness, damping


@kernel
def support_energy(model, scratch, force, first):
    """J: potential, where its point is in."""
    support = support_numbers(scratch.parameters, first)
    _, x, _ = force_point(force, scratch.bodies, scratch.parameters, first, 0)
    depth = max(0.0, support.height - x[2])
    if has_push(force):
        return curve_at(model.curves, force.pull_start, force.pull_end, depth)[2]
    return 0.5 * support.stiffness * depth * depth


@kernel
def friction_of(model, support, push, u):
    """(drag, slope by speed, slope by push) of its friction: -drag u on a point that slides at u (m/s).

    drag: N s/m; by speed: its derivative with respect to half the square of the speed, N s3/m3; by push (N): s/m.
    """
    friction, slope = support.friction, support.slope
    if friction == math.inf:
        return slope, 0.0, 0.0
    if not friction > 0.0 or slope == 0.0:
        return 0.0, 0.0, 0.0
    creep = friction * push / slope if slope > 0.0 else creep_of(model)
    speed = math.sqrt(u[0] * u[0] + u[1] * u[1] + creep * creep)
    drag = friction * push / speed
    by_creep = drag * creep / speed * (friction / slope) if slope > 0.0 else 0.0
    return drag, -drag / (speed * speed), (friction - by_creep) / speed


@kernel
def support_tangent(model, support, upward):
    """Stiffness (N/m) and damping (N s/m) upward, and that of its friction at rest, along the ground.

    By tables: the steepest. upward: mobility of its point (1/kg). Where no slope is given, friction's is at most that
    of a push that stops what falls.
    """
    slope = support.slope
    if slope < 0.0:
        slope = support.friction * FALL / (upward * creep_of(model)) if upward > 0.0 else 0.0
    elif support.friction == 0.0:
        slope = 0.0
    return support.stiffness, support.damping, slope


@kernel
def creep_of(model):
    """m/s: how fast a point slides where friction is nearly all there, if nobody has said it."""
    return _CREEP * math.sqrt(FALL * model.size)


@kernel
def gap_above(force, bodies, p, first):
    """m: how far its point is above the ground."""
    _, x, _ = force_point(force, bodies, p, first, 0)
    return x[2] - support_numbers(p, first).height


@kernel
def support_change(model, scratch, changes, number, first):
    """Adds the change of its wrench along a motion: on the side, pushing or not, that it is on now."""
    force, p, bodies = model.forces[number], scratch.parameters, scratch.bodies
    support, change = support_numbers(p, first), changes[force.body[0]]
    arm, x, u = force_point(force, bodies, p, first, 0)
    depth = support.height - x[2]
    push = push_of(model, force, support, depth, u[2])
    if not is_closed(force, scratch, number, depth) or not push > 0.0:
        return
    arm_change, x_change, u_change = point_change(force, bodies, changes, p, first, 0)
    stiffness = elastic_push(model, force, support, depth)[1]
    push_change = -stiffness * x_change[2] - damper_of(model, force, support.damping, -u[2])[1] * u_change[2]
    drag, by_speed, by_push = 0.0, 0.0, 0.0
    if scratch.taken[number] != _TAKEN_FRICTION:
        drag, by_speed, by_push = friction_of(model, support, push, u)
    drag_change = by_speed * (u[0] * u_change[0] + u[1] * u_change[1]) + by_push * push_change
    f = (-drag * u[0], -drag * u[1], push)
    f_change = (
        -drag * u_change[0] - drag_change * u[0],
        -drag * u_change[1] - drag_change * u[1],
        push_change,
    )
    add_to_spatial(change.wrench, add(cross(arm_change, f), cross(arm, f_change)), f_change)


@kernel
def friction_tangent(model, support, push, u):
    """Damping along the way of a sliding point and level across it (N s/m), and that way, a unit vector.

    push: N; u: velocity of the point (m/s).
    """
    speed = math.sqrt(u[0] * u[0] + u[1] * u[1])
    way = (u[0] / speed, u[1] / speed, 0.0) if speed > 0.0 else (1.0, 0.0, 0.0)
    drag, by_speed, _ = friction_of(model, support, push, u)
    return drag + by_speed * speed * speed, drag, way
