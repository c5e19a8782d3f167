# SPDX-License-Identifier: GPL-3.0-or-later
"""A support: ground for one point of a body, level or a terrain, with friction (Schroeder 1990, 6.6).

It pushes along the ground's normal n (`terrain`) by stiffness depth + damping depth rate, or by tables of force over
either (`curves`), and never pulls. When its point arrives it begins to damp at once: that jump is switched
(`switching`), so that what is integrated is smooth. Its friction is Coulomb's, rounded off where sliding begins:
f = -friction N u / sqrt(u^2 + s^2), with s such that it rises by `slope` at first.
"""

import math

from ...kernel import kernel
from ...mechanism.forces import SupportNumbers
from ...model.arrays import Taken
from ...spatial import add, add_scaled, add_to_spatial, cross, dot, scale, tangents
from .closing import is_closed
from .curves import curve_at, damper_gain, damper_of, has_damper
from .points import force_point, point_change
from .terrain import ground_below, ground_change

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
    depth, n = ground_below(model, force, support.height, x)
    rise = dot(u, n)
    push = push_of(model, force, support, depth, rise)
    if not is_closed(force, scratch, number, depth) or not push > 0.0:
        return
    sliding = add_scaled(u, -rise, n)
    drag = 0.0 if scratch.taken[number] == _TAKEN_FRICTION else friction_of(model, support, push, sliding)[0]
    f = add_scaled(scale(push, n), -drag, sliding)
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
    depth = max(0.0, ground_below(model, force, support.height, x)[0])
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
    speed = math.sqrt(dot(u, u) + creep * creep)
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
def gap_above(model, force, bodies, p, first):
    """m: how far its point is above the ground."""
    _, x, _ = force_point(force, bodies, p, first, 0)
    return -ground_below(model, force, support_numbers(p, first).height, x)[0]


@kernel
def support_change(model, scratch, changes, number, first):
    """Adds the change of its wrench along a motion: on the side, pushing or not, that it is on now."""
    force, p, bodies = model.forces[number], scratch.parameters, scratch.bodies
    support, change = support_numbers(p, first), changes[force.body[0]]
    arm, x, u = force_point(force, bodies, p, first, 0)
    depth, n = ground_below(model, force, support.height, x)
    rise = dot(u, n)
    push = push_of(model, force, support, depth, rise)
    if not is_closed(force, scratch, number, depth) or not push > 0.0:
        return
    arm_change, x_change, u_change = point_change(force, bodies, changes, p, first, 0)
    depth_change, n_change = ground_change(model, force, support.height, x, x_change)
    rise_change = dot(u_change, n) + dot(u, n_change)
    stiffness = elastic_push(model, force, support, depth)[1]
    push_change = stiffness * depth_change - damper_of(model, force, support.damping, -rise)[1] * rise_change
    sliding = add_scaled(u, -rise, n)
    sliding_change = add_scaled(add_scaled(u_change, -rise_change, n), -rise, n_change)
    drag, by_speed, by_push = 0.0, 0.0, 0.0
    if scratch.taken[number] != _TAKEN_FRICTION:
        drag, by_speed, by_push = friction_of(model, support, push, sliding)
    drag_change = by_speed * dot(sliding, sliding_change) + by_push * push_change
    f = add_scaled(scale(push, n), -drag, sliding)
    f_change = add_scaled(add_scaled(scale(push_change, n), push, n_change), -drag, sliding_change)
    f_change = add_scaled(f_change, -drag_change, sliding)
    add_to_spatial(change.wrench, add(cross(arm_change, f), cross(arm, f_change)), f_change)


@kernel
def friction_tangent(model, support, push, u, n):
    """Damping along the way of a sliding point and across it in the ground (N s/m), and that way, a unit vector.

    push: N; u: velocity of the point along the ground (m/s).
    """
    speed = math.sqrt(dot(u, u))
    way = scale(1.0 / speed, u) if speed > 0.0 else tangents(n)[0]
    drag, by_speed, _ = friction_of(model, support, push, u)
    return drag + by_speed * speed * speed, drag, way
