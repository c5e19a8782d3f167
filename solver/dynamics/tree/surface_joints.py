# SPDX-License-Identifier: GPL-3.0-or-later
"""Contact joints: bodies whose smooth surfaces touch in one point and ride on each other (Pai, Ascher, Kry 2000).

A ride has five coordinates, u and v on the parent's surface, u and v on the child's, and the angle psi between the two
(`surfaces.meeting`). Its speeds are not their rates, but what moves at the point: the child slides along x and y and
turns about x, y and the normal n of the frame C at the point, which the parent's surface has there. So the axes are
known without any derivative of a surface, and rolling is sliding at no speed: five coordinates, three speeds that are
free. The coordinates' rates follow from the speeds by Montana's contact equations.

With the point running over the inner body with the velocity c, and C turning at W, the bias acceleration is
    angular: W x w_relative,
    linear:  w_inner x (w_inner x o + c) + W x tau + angular x rho + w x (tau - c + w x rho)
in the symbols of `kinematics`; tau is the velocity of the outer body's point relative to the inner one's.

Where the normal force would have to pull, the joint comes to its end, as at the edge of a surface.
"""

import math

from ...kernel import entry, kernel, kernel_by_class
from ...model.arrays import Kind, NoRides
from ...spatial import (
    add,
    axis_x,
    axis_y,
    axis_z,
    cross,
    dot,
    load3,
    load9,
    load_angular,
    load_linear,
    multiply,
    rotate,
    scale,
    store3,
    store9,
    store_spatial,
    subtract,
    transpose,
)
from ...surfaces.meeting import meet, turn_between
from ...surfaces.surface import frame_of, in_other_chart, is_far, room, turns

CONTACT = int(Kind.CONTACT)
COMES_OFF, LEAVES_PARENT, LEAVES_CHILD, CUTS_IN, KNOCKED_OFF = 1, 2, 3, 4, 5  # how a ride ends
_SLIGHT, _SLIGHT_FORCE = 1e-10, 1e-9  # parameters, or parts of the linkage's weight, beyond the end
_LEAST_CURVATURE = 1e-6  # by the linkage's size: a relative curvature that is none
_ZERO = (0.0, 0.0, 0.0)


@kernel
def _is_riding(rides):
    return True


@kernel
def _is_not(rides):
    return False


# Whether a linkage has contact joints.
has_rides = kernel_by_class(lambda rides: _is_not if rides is NoRides else _is_riding)


@kernel
def _frames(model, state, r):
    """The frames of both surfaces of a ride (`frame_of`), and psi."""
    ride = model.rides.joints[r]
    body, q = model.bodies[ride.body], state.coordinates
    k, charts = body.axis_start, state.anchor[body.chart]
    surfaces, pieces = model.rides.surfaces, model.rides.pieces
    A = frame_of(surfaces[2 * r], pieces, int(charts[1]), q[k], q[k + 1])
    B = frame_of(surfaces[2 * r + 1], pieces, int(charts[2]), q[k + 2], q[k + 3])
    return A, B, q[k + 4]


@kernel
def _ride(rides, model, i, state, scratch):
    body, moving = model.bodies[i], scratch.bodies[i]
    inner, r, first = scratch.bodies[body.inner], body.chart - len(model.charted), body.axis_start
    is_rolling, u, sign = model.rides.joints[r].rolling, state.speeds, body.direction
    A, B, psi = _frames(model, state, r)
    v, w = (u[first], u[first + 1]), (u[first + 2], u[first + 3], u[first + 4])
    if is_rolling:
        v = (0.0, 0.0)
    rates, c, turning, curvature = meet(A, B, psi, v, w)

    R_inner, w_inner = load9(inner.rotation), load3(inner.angular)
    between = turn_between(A[1], B[1], psi)
    if sign > 0.0:
        R_A, R = R_inner, multiply(R_inner, between)
        o, rho = rotate(R_inner, A[0]), scale(-1.0, rotate(R, B[0]))
    else:
        R_A = R = multiply(R_inner, transpose(between))
        o, rho = rotate(R_inner, B[0]), scale(-1.0, rotate(R, A[0]))
        c = (c[0] - v[0], c[1] - v[1])
    C = multiply(R_A, A[1])
    x, y, n = axis_x(C), axis_y(C), axis_z(C)
    w_relative = scale(sign, rotate(C, w))
    tau = scale(sign, rotate(C, (v[0], v[1], 0.0)))
    c = rotate(C, (c[0], c[1], 0.0))
    w_outer = add(w_inner, w_relative)
    W = add(w_inner if sign > 0.0 else w_outer, rotate(C, turning))

    swing, spin = cross(w_inner, o), cross(w_outer, rho)
    angular_bias = cross(W, w_relative)
    linear_bias = add(cross(w_inner, add(swing, c)), add(cross(W, tau), cross(angular_bias, rho)))
    linear_bias = add(linear_bias, cross(w_outer, add(subtract(tau, c), spin)))
    point = add(load3(inner.center), o)
    store9(moving.rotation, R)
    store3(moving.center, add(point, rho))
    store3(moving.angular, w_outer)
    store3(moving.linear, add(add(load3(inner.linear), swing), add(tau, spin)))
    store_spatial(moving.bias, angular_bias, linear_bias)

    slides = 0.0 if is_rolling else sign
    axes = scratch.axes
    store_spatial(axes[first].S, _ZERO, scale(slides, x))
    store_spatial(axes[first + 1].S, _ZERO, scale(slides, y))
    _store_turn(axes[first + 2].S, scale(sign, x), rho)
    _store_turn(axes[first + 3].S, scale(sign, y), rho)
    _store_turn(axes[first + 4].S, scale(sign, n), rho)
    now = scratch.rides[r]
    store9(now.frame, C)
    store3(now.point, point)
    now.curvature = curvature
    for k in range(5):
        now.rates[k] = rates[k]


@kernel
def _store_turn(S, a, rho):
    store_spatial(S, a, cross(a, rho))


@kernel
def _no_ride(rides, model, i, state, scratch):
    pass


# Fills pose, velocity, bias and axes of body i, which rides, from those of its inner body.
ride = kernel_by_class(lambda rides: _no_ride if rides is NoRides else _ride)


@kernel
def _put_rates(rides, model, scratch, rates):
    for r in range(len(model.rides.joints)):
        first = model.bodies[model.rides.joints[r].body].axis_start
        for k in range(5):
            rates[first + k] = scratch.rides[r].rates[k]


@kernel
def _no_rates(rides, model, scratch, rates):
    pass


# Writes the rates of contact coordinates, which the kinematics have left behind, into those of the state.
put_ride_rates = kernel_by_class(lambda rides: _no_rates if rides is NoRides else _put_rates)


@kernel
def _moved(model, state, change, r):
    """Of small motions along a ride's axes: (number of the first, changes of the coordinates, rad: turn of C)."""
    k = model.bodies[model.rides.joints[r].body].axis_start
    A, B, psi = _frames(model, state, r)
    v = (0.0, 0.0) if model.rides.joints[r].rolling else (change[k], change[k + 1])
    coordinates, _, turned, _ = meet(A, B, psi, v, (change[k + 2], change[k + 3], change[k + 4]))
    return k, coordinates, turned


@kernel
def _put_changes(rides, model, state, change):
    for r in range(len(model.rides.joints)):
        k, moved, _ = _moved(model, state, change, r)
        change[k], change[k + 1], change[k + 2], change[k + 3], change[k + 4] = moved


@kernel
def _no_changes(rides, model, state, change):
    pass


# Turns small motions along the axes, in `change` (A,), into changes of the coordinates.
put_ride_changes = kernel_by_class(lambda rides: _no_changes if rides is NoRides else _put_changes)


@kernel
def _carry_speeds(rides, model, state, change):
    for r in range(len(model.rides.joints)):
        k, _, turned = _moved(model, state, change, r)
        _turn_speeds(state.speeds, k, turned[2])
        _turn_speeds(state.speeds, k + 2, turned[2])


# Keeps the speeds what they are while small motions along the axes, in `change` (A,), turn the frames that they are
# along; to be called before `put_ride_changes`.
carry_ride_speeds = kernel_by_class(lambda rides: _no_changes if rides is NoRides else _carry_speeds)


@kernel
def _fastest_turning(rides, model, scratch):
    fastest = 0.0
    for r in range(len(model.rides.joints)):
        for k in range(5):
            if k == 4 or turns(model.rides.surfaces[2 * r + k // 2], k % 2):
                fastest = max(fastest, abs(scratch.rides[r].rates[k]))
    return fastest


@kernel
def _nothing_turns(rides, model, scratch):
    return 0.0


# 1/s: the largest rate of a contact coordinate that is an angle, or the number of a patch.
fastest_turning = kernel_by_class(lambda rides: _nothing_turns if rides is NoRides else _fastest_turning)


@kernel
def _leave_poles(rides, model, state):
    found = False
    for r in range(len(model.rides.joints)):
        body = model.bodies[model.rides.joints[r].body]
        for end in range(2):
            surface, k = model.rides.surfaces[2 * r + end], body.axis_start + 2 * end
            q, first, pieces = state.coordinates, body.axis_start, model.rides.pieces
            chart = int(state.anchor[body.chart, 1 + end])
            if not is_far(surface, pieces, chart, q[k], q[k + 1]):
                continue
            found = True
            other, u, v, angle = in_other_chart(surface, pieces, chart, q[k], q[k + 1])
            q[k], q[k + 1], state.anchor[body.chart, 1 + end] = u, v, other
            q[first + 4] += angle
            if end == 0:
                _turn_speeds(state.speeds, first, angle)
                _turn_speeds(state.speeds, first + 2, angle)
    return found


@kernel
def _turn_speeds(speeds, k, angle):
    """Two speeds along axes that turn by an angle."""
    c, s, x, y = math.cos(angle), math.sin(angle), speeds[k], speeds[k + 1]
    speeds[k], speeds[k + 1] = c * x + s * y, c * y - s * x


@kernel
def _stay(rides, model, state):
    return False


# Where a surface's parameters come near a pole, or far from a vertex, goes over to another chart; whether any did. The
# motion goes on as it was, but an integrator's history is of another chart.
leave_poles = kernel_by_class(lambda rides: _stay if rides is NoRides else _leave_poles)


@kernel
def push_of(model, scratch, r):
    """N: the normal force of a ride; joint wrenches must be up to date."""
    i = model.rides.joints[r].body
    n = axis_z(load9(scratch.rides[r].frame))
    return model.bodies[i].direction * dot(n, load_linear(scratch.loads[i].joint_wrench))


@kernel
def _margin_of(model, state, scratch, r):
    """(margin, how the ride is closest to its end); joint wrenches must be up to date."""
    joint, body = model.rides.joints[r], model.bodies[model.rides.joints[r].body]
    least, how = push_of(model, scratch, r) / joint.weight + _SLIGHT_FORCE, COMES_OFF
    for end in range(2):
        k, chart = body.axis_start + 2 * end, int(state.anchor[body.chart, 1 + end])
        q, surface = state.coordinates, model.rides.surfaces[2 * r + end]
        inside = room(surface, model.rides.pieces, chart, q[k], q[k + 1]) + _SLIGHT
        if inside < least:
            least, how = inside, LEAVES_PARENT if end == 0 else LEAVES_CHILD
    left = scratch.rides[r].curvature * model.size - _LEAST_CURVATURE
    if not left >= least:
        least, how = left, CUTS_IN
    return least, how


@kernel
def _ride_margin(rides, model, state, scratch):
    least, ride, how = math.inf, -1, 0
    for r in range(len(model.rides.joints)):
        margin, its = _margin_of(model, state, scratch, r)
        if not margin >= least:
            least, ride, how = margin, r, its
    return least, ride, how


@kernel
def _no_margin(rides, model, state, scratch):
    return math.inf, -1, 0


# (How far the rides are from their ends, at a state whose joint wrenches are up to date: below zero one has ended;
# the number of the one that is the nearest to it, and how it would end.)
ride_margin = kernel_by_class(lambda rides: _no_margin if rides is NoRides else _ride_margin)


@entry
def find_end(model, scratch, state):
    """(number of a ride that has ended, how), or (-1, 0); joint wrenches must be up to date."""
    margin, ride, how = ride_margin(model.rides, model, state, scratch)
    return (ride, how) if margin < 0.01 * _SLIGHT else (-1, 0)


@kernel
def _ride_row(rides, model, scratch, number, closure):
    """A row of the method of Lagrange: the child's point at the place of contact does not leave the parent's."""
    row, made = model.rows[number], scratch.rows[number]
    now, i = scratch.rides[row.axis_b], model.rides.joints[row.axis_b].body
    C, point = load9(now.frame), load3(now.point)
    e = axis_z(C)
    if row.axis_a < 2:
        e = axis_x(C) if row.axis_a == 0 else axis_y(C)
    arm_a = subtract(point, load3(scratch.bodies[closure.body[0]].center))
    arm_b = subtract(point, load3(scratch.bodies[closure.body[1]].center))
    store_spatial(made.wrench[0], scale(-1.0, cross(arm_a, e)), scale(-1.0, e))
    store_spatial(made.wrench[1], cross(arm_b, e), e)
    outer, bias = made.wrench[1] if model.bodies[i].direction > 0.0 else made.wrench[0], scratch.bodies[i].bias
    along = dot(load_angular(outer), load_angular(bias)) + dot(load_linear(outer), load_linear(bias))
    made.error, made.rate, made.bias = 0.0, 0.0, -along


@kernel
def _no_row(rides, model, scratch, number, closure):
    pass


# Fills a row of kind RIDE.
ride_row = kernel_by_class(lambda rides: _no_row if rides is NoRides else _ride_row)


@kernel
def _place_of(rides, model, scratch, i):
    return load3(scratch.rides[model.bodies[i].chart - len(model.charted)].point)


@kernel
def _nowhere(rides, model, scratch, i):
    return _ZERO


# Where body i touches what it rides on.
place_of_ride = kernel_by_class(lambda rides: _nowhere if rides is NoRides else _place_of)
