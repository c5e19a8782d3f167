# SPDX-License-Identifier: GPL-3.0-or-later
"""Applied forces: wrenches on bodies by gravity, motors, dampers, brakes, springs, rubbers, supports and the air.

All numbers come from one flat `parameters` array (see `model.parameters`), so that a table over time or an action
can drive any of them alike. Symbols: c centre of mass, x a point of a body, u its velocity, f force, n moment about c.

Rubber (Schroeder 1990, 7.2) pulls only when stretched, and less while its ends approach: restitution times as much. The
thesis blends that jump around rate zero; there it is steep just where a structure comes to rest. Here the whole pull
acts at rest, and the blend lies on the approaching side with no slope at rate zero: no stiffness at rest, and a balance
of forces that is that of the springs. It is done at a hundredth of the speed at which the rubber's own bodies would
ring if it were stretched by its length.

A support (thesis 6.6) pushes up by stiffness depth + damping depth rate, never down. When its point arrives it begins
to damp at once, as does a rubber that damps: these jumps are switched (`switching`), so that what is integrated is
smooth. Its friction is Coulomb's, rounded off where sliding begins: f = -friction N u / sqrt(u^2 + s^2), with s such
that it rises by `slope` at first.
"""

import math

from ...kernel import kernel
from ...model.arrays import ASK_GAP, AXIS_PARAMETERS, FORCE_PARAMETERS, FRAME, POINTS, ForceKind, Taken
from ...rotation import matrix_of_quaternion, normalized
from ...spatial import (
    add,
    add_to_spatial,
    cross,
    dot,
    load3,
    load9,
    multiply,
    rotate,
    scale,
    store_spatial,
    subtract,
    transpose,
    unrotate,
)

_MOTOR, _DAMPING, _BRAKE, _SPRING, _RUBBER, _SUPPORT, _DRAG, _BALANCE = (
    int(ForceKind.MOTOR),
    int(ForceKind.DAMPING),
    int(ForceKind.BRAKE),
    int(ForceKind.SPRING),
    int(ForceKind.RUBBER),
    int(ForceKind.SUPPORT),
    int(ForceKind.DRAG),
    int(ForceKind.BALANCE),
)
_TAKEN_FRICTION, _TAKEN = int(Taken.FRICTION), int(Taken.ALL)
_BAND = 0.01  # of the speed at which a rubber rings: rates of approach over which its restitution sets in
_CREEP = 1e-3  # of the speed of a fall through the linkage's size: sliding speed at which friction is nearly all there
FALL = 9.81  # m/s2
_ZERO = (0.0, 0.0, 0.0)


@kernel
def update_wrenches(model, scratch):
    """Fills the wrench of each body; gravity first, then the forces in the file's order."""
    p, bodies = scratch.parameters, scratch.bodies
    gravity = len(p) - 3 * len(bodies)
    for i in range(model.driven, len(bodies)):
        k, m = gravity + 3 * i, model.bodies[i].mass
        store_spatial(bodies[i].wrench, _ZERO, (m * p[k], m * p[k + 1], m * p[k + 2]))
    for number in range(len(model.forces)):
        add_force(model, scratch, number)


@kernel
def first_parameter(model, number):
    """Where the parameters of a force begin: with whether it is enabled."""
    return len(model.armature) * AXIS_PARAMETERS + number * FORCE_PARAMETERS


@kernel
def add_force(model, scratch, number):
    """Adds the wrenches of one force to those of its bodies."""
    force, p, bodies = model.forces[number], scratch.parameters, scratch.bodies
    first = first_parameter(model, number)
    if p[first] == 0.0 or scratch.taken[number] == _TAKEN or force.kind == _BALANCE:  # that one acts in joints
        return
    if force.kind == _MOTOR:
        _motor(force, bodies, p, first)
    elif force.kind == _DAMPING:
        _damping(bodies[force.body[0]], p, first)
    elif force.kind == _BRAKE:
        _brake(force, bodies, p, first)
    elif force.kind == _SUPPORT:
        _support(model, scratch, number, first)
    elif force.kind == _DRAG:
        _drag(bodies[force.body[0]], p, first)
    else:
        _pull_together(model, scratch, number, first)


@kernel
def force_point(force, bodies, p, first, end):
    """(arm from the body's reference point, position, velocity) of one end of a force."""
    body, k = bodies[force.body[end]], first + POINTS + 3 * end
    at_start = subtract((p[k], p[k + 1], p[k + 2]), load3(force.origin[end]))
    arm = rotate(load9(body.rotation), unrotate(load9(force.axes[end]), at_start))
    velocity = add(load3(body.linear), cross(load3(body.angular), arm))
    return arm, add(load3(body.center), arm), velocity


@kernel
def frame_axes(force, bodies, p, first):
    k = first + FRAME
    at_start = matrix_of_quaternion(normalized((p[k], p[k + 1], p[k + 2], p[k + 3])))
    return multiply(load9(bodies[force.body[0]].rotation), multiply(transpose(load9(force.axes[0])), at_start))


@kernel
def _motor(force, bodies, p, first):
    body, frame = bodies[force.body[0]], frame_axes(force, bodies, p, first)
    arm, _, _ = force_point(force, bodies, p, first, 0)
    f = rotate(frame, (p[first + 1], p[first + 2], p[first + 3]))
    n = rotate(frame, (p[first + 4], p[first + 5], p[first + 6]))
    add_to_spatial(body.wrench, add(n, cross(arm, f)), f)


@kernel
def _damping(body, p, first):
    n, f = scale(-p[first + 2], load3(body.angular)), scale(-p[first + 1], load3(body.linear))
    add_to_spatial(body.wrench, n, f)


@kernel
def _brake(force, bodies, p, first):
    """Viscous at its point along its frame's axes; held within the largest force where one is given."""
    body, frame = bodies[force.body[0]], frame_axes(force, bodies, p, first)
    arm, _, velocity = force_point(force, bodies, p, first, 0)
    u = unrotate(frame, velocity)
    f = rotate(frame, (-p[first + 1] * u[0], -p[first + 2] * u[1], -p[first + 3] * u[2]))
    size, largest = math.sqrt(dot(f, f)), p[first + 4]
    if size > largest:
        f = scale(largest / size, f)
    add_to_spatial(body.wrench, cross(arm, f), f)


@kernel
def _drag(body, p, first):
    u = subtract(load3(body.linear), (p[first + 2], p[first + 3], p[first + 4]))
    f = scale(-p[first + 1] * math.sqrt(dot(u, u)), u)
    add_to_spatial(body.wrench, _ZERO, f)


@kernel
def _support(model, scratch, number, first):
    force, p, bodies = model.forces[number], scratch.parameters, scratch.bodies
    arm, x, u = force_point(force, bodies, p, first, 0)
    depth = p[first + 3] - x[2]
    is_closed = _is_closed(force, scratch, number, depth)
    push = p[first + 1] * depth - p[first + 2] * u[2]
    if not is_closed or not push > 0.0:
        return
    sliding = u[0] * u[0] + u[1] * u[1]
    friction, slope = p[first + 4], p[first + 5]
    drag = 0.0
    if scratch.taken[number] == _TAKEN_FRICTION:
        drag = 0.0
    elif friction == math.inf:
        drag = slope
    elif friction > 0.0:
        creep = friction * push / slope if slope > 0.0 else creep_of(model)
        drag = 0.0 if slope == 0.0 else friction * push / math.sqrt(sliding + creep * creep)
    f = (-drag * u[0], -drag * u[1], push)
    add_to_spatial(bodies[force.body[0]].wrench, cross(arm, f), f)


@kernel
def creep_of(model):
    """m/s: how fast a point slides where friction is nearly all there, if nobody has said it."""
    return _CREEP * math.sqrt(FALL * model.size)


@kernel
def _is_closed(force, scratch, number, depth):
    return scratch.closed[number] == 1 if force.switches and scratch.closed[number] != ASK_GAP else depth > 0.0


@kernel
def spring_length(force, bodies, p, first):
    """(arms, direction from the first end to the second, length, rate of length) of a spring or a rubber."""
    arm_a, a, velocity_a = force_point(force, bodies, p, first, 0)
    arm_b, b, velocity_b = force_point(force, bodies, p, first, 1)
    span = subtract(b, a)
    length = math.sqrt(dot(span, span))
    # ends that coincide have no direction to pull in
    direction = scale(1.0 / length, span) if length > 0.0 else _ZERO
    return arm_a, arm_b, direction, length, dot(direction, subtract(velocity_b, velocity_a))


@kernel
def pull_of(model, scratch, number, length, rate):
    """How hard a spring or a rubber of this length (m) and rate (m/s) pulls its ends together (N)."""
    force, p, first = model.forces[number], scratch.parameters, first_parameter(model, number)
    stiffness, stretch = p[first + 1], length - p[first + 2]
    pull = stiffness * stretch + p[first + 3] * rate
    if force.kind == _SPRING:
        return pull
    if not _is_closed(force, scratch, number, stretch) or not pull > 0.0:
        return 0.0
    if rate < 0.0 and stiffness > 0.0:
        pull *= share_of_pull(p[first + 4], -rate / band_of(force, stiffness))
    return pull


@kernel
def band_of(force, stiffness):
    """m/s: rates of approach over which a rubber's restitution sets in."""
    return _BAND * force.reach * math.sqrt(stiffness * force.mobility)


@kernel
def share_of_pull(restitution, approach):
    """What is left of a rubber's pull while its ends approach, by parts of its band."""
    s = min(1.0, approach)
    return 1.0 - (1.0 - restitution) * s * s * (3.0 - 2.0 * s)


@kernel
def _pull_together(model, scratch, number, first):
    force, bodies = model.forces[number], scratch.bodies
    arm_a, arm_b, direction, length, rate = spring_length(force, bodies, scratch.parameters, first)
    pull = pull_of(model, scratch, number, length, rate)
    if force.body[0] >= model.driven:
        f = scale(pull, direction)
        add_to_spatial(bodies[force.body[0]].wrench, cross(arm_a, f), f)
    if force.body[1] >= model.driven:
        f = scale(-pull, direction)
        add_to_spatial(bodies[force.body[1]].wrench, cross(arm_b, f), f)


@kernel
def gap_of(model, scratch, number):
    """How far a force that switches is from acting (m): a point above its ground, a rubber that hangs loose."""
    force, p, first = model.forces[number], scratch.parameters, first_parameter(model, number)
    if force.kind == _SUPPORT:
        _, x, _ = force_point(force, scratch.bodies, p, first, 0)
        return x[2] - p[first + 3]
    _, _, _, length, _ = spring_length(force, scratch.bodies, p, first)
    return p[first + 2] - length
