# SPDX-License-Identifier: GPL-3.0-or-later
"""Rows of closures: how far each is open, how fast it opens, and its accelerations.

A closure ties a frame on body b to a frame on body a (FORMAT's constraints, and joints that close loops; for the
method of Lagrange also the trees' own joints). Each of its rows is one scalar condition phi = 0 with
    phi'  = a . V_a + b . V_b,   phi'' = a . A_a + b . A_b + bias,
where V and A are the spatial velocities and accelerations of the bodies about their reference points. A multiplier
lambda puts the wrench lambda a on body a and lambda b on body b. Couplings have two more bodies, c and d, ropes
as many as they go over.

Symbols, along world axes: p origin of a frame, r its arm from the body's reference point, d = p_b - p_a, e an axis of
frame a, w angular velocity, u = d'.
    TRAVEL  phi = e . d
    TURN    phi = u_a . v_b for an axis of each frame
    SCREW   phi' = e . u - pitch e . (w_b - w_a), a joint of the tree
    a row between two points, such as DISTANCE: `point_rows`; what its length has grown by, if led, is `allowed`
    BEAD    phi = n . (d - c(s)), c(s) the nearest point to p_b of a curve in frame a, n a normal there
    TANGENT phi = v_b . c'(s) / |c'(s)|, for each of two axes of frame b across that which keeps along the curve
    UP      phi = v_b . h(s) / |h(s)|, h(s) the up direction at that point of the curve
    CAM     phi = n . (d - c(s)) - radius, c(s) a flat curve, n its normal in its plane, on the side that pushes
    COUPLING phi = q_b - ratio q_a - length, coordinates of joints of the trees, which count whole turns; the wrenches
             are unit efforts along the joints' axes, on the bodies of joint b, then of joint a
    LED     phi = q_b - f(t), one such coordinate and what leads it; its multiplier is the effort of joint b's motor
    ROPE    phi = sum of weight |p_k+1 - p_k| over its points p_k + sum of radius q over its drums - length
    RIDE    phi' = e . u where two surfaces touch (`tree.surface_joints`), a joint of the tree

A closure that is drawn together keeps to the course of `tree.catching`, and TURN then measures angles, however far it
is turned (`far_turns`).

A closure that cannot be met (a path out of an arm's reach) gives way: its rows are asked for phi'' = -2 phi' / tau -
phi / tau^2, gaps beyond a limit no more than the limit, and softly: with a compliance that bounds the multipliers where
nothing moves any more.
"""

import math

from ...kernel import kernel
from ...model.arrays import TAUT, RowKind
from ...spatial import (
    add,
    add_scaled,
    add_to_spatial,
    axis_of,
    cross,
    dot,
    load3,
    load9,
    load_angular,
    load_linear,
    multiply,
    rotate,
    scale,
    store_spatial,
    subtract,
    unrotate,
)
from ..tree.catching import subtract_allowed_gap
from ..tree.joints import is_travel
from ..tree.kinematics import joint_origin
from ..tree.splines import is_on_curve
from ..tree.surface_joints import ride_row
from .far_turns import turn_far
from .point_rows import add_span, clear_row, fill_point_row, is_between_points

_TURN, _SCREW, _BEAD, _COUPLING, _ROPE, _RIDE, _LED, _TANGENT, _CAM = (
    int(RowKind.TURN),
    int(RowKind.SCREW),
    int(RowKind.BEAD),
    int(RowKind.COUPLING),
    int(RowKind.ROPE),
    int(RowKind.RIDE),
    int(RowKind.LED),
    int(RowKind.TANGENT),
    int(RowKind.CAM),
)
_AXIS = (0.0, 0.0, 1.0)  # of a cam's plane, in the frame of its profile
_ZERO = (0.0, 0.0, 0.0)
_PULL_TIME, _TAUT_TIME = 0.02, 0.002  # s: tau of a closure that gives way, and of one that is stretched
_FARTHEST_PULL = 0.02  # rad, or part of the size: gap beyond which such a closure does not pull harder
_SOFTNESS, _TAUT_SOFTNESS = 0.03, 1e-4  # compliance of its rows, as a part of the bodies' own
_FREE = 1e12  # times the bodies' own: compliance of a row that holds nothing
_SAMPLES = 16  # of each piece of a curve, where the way to it begins
_NEWTON_STEPS = 8  # for the point of a curve next to a bead; two or three do


@kernel
def update_rows(model, state, scratch):
    """Fills wrenches, bias, error and rate of all rows from the state and the kinematics of the bodies."""
    for number in range(len(model.closures)):
        closure = model.closures[number]
        _fill_rows(model, state, scratch, number)
        if closure.tau > 0.0 or _is_led(model, closure):
            subtract_allowed_gap(closure, scratch.rows)
        if closure.slips != 0:
            row = scratch.rows[closure.row_start]
            row.error, row.rate, row.bias = 0.0, 0.0, 0.0


@kernel
def _is_led(model, closure):
    """True if a function of time leads its row, a coordinate or a length."""
    return closure.curve_start >= 0 and not is_on_curve(model.rows[closure.row_start].kind)


@kernel
def _fill_rows(model, state, scratch, number):
    """The rows of one closure, on whatever course."""
    bodies, rows, closure = scratch.bodies, scratch.rows, model.closures[number]
    first = closure.row_start
    kind = model.rows[first].kind
    if kind == _COUPLING or kind == _LED:
        _couple(model, state, scratch, closure, first)
    elif kind == _ROPE:
        _rope(model, state, scratch, closure, rows[first])
    else:
        a, b = bodies[closure.body[0]], bodies[closure.body[1]]
        arm_a, arm_b = closure_arm(closure, a, 0), closure_arm(closure, b, 1)
        w_a, w_b = load3(a.angular), load3(b.angular)
        d = subtract(add(load3(b.center), arm_b), add(load3(a.center), arm_a))
        spin_a, spin_b = cross(w_a, arm_a), cross(w_b, arm_b)
        u = subtract(add(load3(b.linear), spin_b), add(load3(a.linear), spin_a))
        bias = subtract(cross(w_b, spin_b), cross(w_a, spin_a))
        if is_between_points(kind):
            fill_point_row(kind, rows[first], closure.length, arm_a, arm_b, d, u, bias)
        elif is_on_curve(kind):
            _bead(model, scratch, number, arm_a, arm_b, d, u, bias)
        else:
            frame_a, frame_b = _frame(closure, a, 0), _frame(closure, b, 1)
            reach, turns = add(arm_a, d), 0
            for k in range(first, closure.row_end):
                row = model.rows[k]
                e = axis_of(frame_a, row.axis_a)
                if row.kind == _RIDE:
                    ride_row(model.rides, model, scratch, k, closure)
                elif row.kind == _TURN:
                    turns += 1
                    _turn(rows[k], e, axis_of(frame_b, row.axis_b), w_a, w_b)
                else:
                    _travel(rows[k], e, reach, arm_b, d, u, bias, w_a)
                    if row.kind == _SCREW:
                        _screw(rows[k], e, closure.length, w_a, w_b)
            if closure.tau > 0.0 and turns > 0:
                turn_far(model.rows, closure, turns, rows, frame_a, frame_b, w_a, w_b)


@kernel
def update_targets(model, scratch):
    """Asks of each row's acceleration that it be zero; what driven bodies contribute is known.

    Asks of rows that give way that they close, and nothing of rows whose multiplier is given.
    """
    bodies, rows = scratch.bodies, scratch.rows
    for number in range(len(model.closures)):
        closure = model.closures[number]
        for k in range(closure.row_start, closure.row_end):
            target = -rows[k].bias
            for end in range(closure.ends):
                i = closure.body[end]
                if i < model.driven:
                    target -= along(rows[k].wrench[end], bodies[i].acceleration)
            rows[k].target = target
            rows[k].compliance = 0.0
            if rows[k].is_given:
                rows[k].target = 0.0
                for end in range(closure.ends):
                    rows[k].compliance += _FREE * free_response(model, closure.body[end], rows[k].wrench[end])
        if closure.gives_way:
            _give_way(model, closure, rows)


@kernel
def _give_way(model, closure, rows):
    gap, limit, tau, softness = 0.0, _FARTHEST_PULL, _PULL_TIME, _SOFTNESS
    if closure.gives_way == TAUT:
        tau, softness = _TAUT_TIME, _TAUT_SOFTNESS
    for k in range(closure.row_start, closure.row_end):
        gap += rows[k].error * rows[k].error
        if model.rows[k].is_length:
            limit = _FARTHEST_PULL * model.size
    share = 1.0 / math.sqrt(1.0 + gap / (limit * limit))
    for k in range(closure.row_start, closure.row_end):
        rows[k].target -= share * (2.0 * rows[k].rate + rows[k].error / tau) / tau
        for end in range(closure.ends):
            rows[k].compliance += softness * free_response(model, closure.body[end], rows[k].wrench[end])


@kernel
def free_response(model, i, wrench):
    """About what a unit multiplier would make of its own row if body i were free; zero for driven bodies."""
    if i < model.driven:
        return 0.0
    body, n, f = model.bodies[i], load_angular(wrench), load_linear(wrench)
    return 3.0 * dot(n, n) / (body.inertia[0] + body.inertia[3] + body.inertia[5]) + dot(f, f) / body.mass


@kernel
def along(wrench, motion):
    """The product of a spatial force and a spatial motion, six numbers each."""
    return dot(load_angular(wrench), load_angular(motion)) + dot(load_linear(wrench), load_linear(motion))


@kernel
def row_acceleration(model, scratch, k):
    """The share of a row's dynamic bodies in its second derivative; compare with its target."""
    row, closure = scratch.rows[k], model.closures[model.rows[k].closure]
    total = 0.0
    for end in range(closure.ends):
        i = closure.body[end]
        if i >= model.driven:
            total += along(row.wrench[end], scratch.bodies[i].acceleration)
    return total


@kernel
def closure_wrench(model, scratch, number):
    """(moment about its frame's origin there, force): what a closure exerts on body b, a rope on its first one."""
    closure = model.closures[number]
    moment, force = _ZERO, _ZERO
    end = 0 if model.rows[closure.row_start].kind == _ROPE else 1
    for k in range(closure.row_start, closure.row_end):
        row = scratch.rows[k]
        moment = add(moment, scale(row.multiplier, load_angular(row.wrench[end])))
        force = add(force, scale(row.multiplier, load_linear(row.wrench[end])))
    return subtract(moment, cross(closure_arm(closure, scratch.bodies[closure.body[end]], end), force)), force


@kernel
def closure_arm(closure, body, end):
    """m: from a body's reference point to the origin of a closure's frame on it, along world axes."""
    point = (closure.point[end, 0], closure.point[end, 1], closure.point[end, 2])
    return rotate(load9(body.rotation), point)


@kernel
def _frame(closure, body, end):
    return multiply(load9(body.rotation), load9(closure.rotation[end]))


@kernel
def _travel(row, e, reach, arm_b, d, u, bias, w_a):
    swing = cross(w_a, e)
    store_spatial(row.wrench[0], scale(-1.0, cross(reach, e)), scale(-1.0, e))
    store_spatial(row.wrench[1], cross(arm_b, e), e)
    row.error = dot(e, d)
    row.rate = dot(e, u) + dot(swing, d)
    row.bias = dot(e, bias) + 2.0 * dot(swing, u) + dot(cross(w_a, swing), d)


@kernel
def _turn(row, u, v, w_a, w_b):
    n = cross(u, v)
    turning = add(cross(cross(w_a, u), v), cross(u, cross(w_b, v)))
    relative = subtract(w_a, w_b)
    store_spatial(row.wrench[0], n, _ZERO)
    store_spatial(row.wrench[1], scale(-1.0, n), _ZERO)
    row.error = dot(u, v)
    row.rate = dot(relative, n)
    row.bias = dot(relative, turning)


@kernel
def _screw(row, e, pitch, w_a, w_b):
    """Turns the travel along e into that of a screw; its place is the tree's business."""
    turn = scale(pitch, e)
    a, b = row.wrench[0], row.wrench[1]
    store_spatial(a, add(load_angular(a), turn), load_linear(a))
    store_spatial(b, subtract(load_angular(b), turn), load_linear(b))
    relative = subtract(w_b, w_a)
    row.error = 0.0
    row.rate -= dot(turn, relative)
    row.bias -= dot(cross(w_a, turn), relative)


@kernel
def _rope(model, state, scratch, closure, row):
    bodies = scratch.bodies
    clear_row(row, closure.ends, closure.length)
    for end in range(closure.ends):
        if closure.weight[end] > 0.0:
            a, b = bodies[closure.body[end]], bodies[closure.body[end + 1]]
            arm_a, arm_b = closure_arm(closure, a, end), closure_arm(closure, b, end + 1)
            w_a, w_b = load3(a.angular), load3(b.angular)
            spin_a, spin_b = cross(w_a, arm_a), cross(w_b, arm_b)
            d = subtract(add(load3(b.center), arm_b), add(load3(a.center), arm_a))
            u = subtract(add(load3(b.linear), spin_b), add(load3(a.linear), spin_a))
            bias = subtract(cross(w_b, spin_b), cross(w_a, spin_a))
            add_span(row, end, closure.weight[end], arm_a, arm_b, d, u, bias)
    for drum in range(closure.drums):
        _wind(model, state, scratch, closure, drum, row)


@kernel
def _wind(model, state, scratch, closure, drum, row):
    """Adds what a drum winds up, radius times its hinge's angle: a moment about its axis on the drum and its holder."""
    holder = closure.ends - 2 * (closure.drums - drum)
    k, i = closure.body[holder], closure.body[holder + 1]
    axis = model.bodies[i].axis_start
    e = scale(closure.radius[drum], load_angular(scratch.axes[axis].S))
    w = load3(scratch.bodies[k].angular)
    row.error += closure.radius[drum] * state.coordinates[axis]
    row.rate += closure.radius[drum] * state.speeds[axis]
    row.bias += dot(cross(w, e), subtract(load3(scratch.bodies[i].angular), w))
    add_to_spatial(row.wrench[holder], scale(-1.0, e), _ZERO)
    add_to_spatial(row.wrench[holder + 1], e, _ZERO)


@kernel
def _couple(model, state, scratch, closure, r):
    """The acceleration of a joint's coordinate is what its bodies' are along its axis, less the joint's own bias.

    The axes of a joint are at right angles, so that none of the others moves along this one.
    """
    bodies, row = scratch.bodies, scratch.rows[r]
    row.error, row.rate, row.bias = -closure.length, 0.0, 0.0
    for side in range(closure.ends // 2):
        i, c = closure.coupled[side], model.rows[r].axis_b if side == 0 else model.rows[r].axis_a
        body, moving, axis = model.bodies[i], bodies[i], model.bodies[i].axis_start + c
        origin, S = joint_origin(body, bodies[body.inner], moving), scratch.axes[axis].S
        n, f = load_angular(S), _ZERO
        if is_travel(body.kind, c):
            n, f = _ZERO, load_linear(S)
        share = 1.0 if side == 0 else -closure.ratio
        row.error += share * state.coordinates[axis]
        row.rate += share * state.speeds[axis]
        arm = subtract(origin, load3(moving.center))
        bias = dot(add(n, cross(arm, f)), load_angular(moving.bias)) + dot(f, load_linear(moving.bias))
        row.bias -= share * bias
        for end in range(2 * side, 2 * side + 2):
            k = closure.body[end]
            way = share if k == i else -share
            arm = subtract(origin, load3(bodies[k].center))
            store_spatial(row.wrench[end], scale(way, add(n, cross(arm, f))), scale(way, f))


@kernel
def seek_beads(model, scratch):
    """Finds the point of each bead's curve that is nearest to the bead, among a few on each piece of the spline."""
    for number in range(len(model.closures)):
        closure = model.closures[number]
        if closure.curve_start < 0 or not is_on_curve(model.rows[closure.row_start].kind):
            continue
        a, b = scratch.bodies[closure.body[0]], scratch.bodies[closure.body[1]]
        d = subtract(add(load3(b.center), closure_arm(closure, b, 1)), add(load3(a.center), closure_arm(closure, a, 0)))
        p = unrotate(_frame(closure, a, 0), d)
        least, steps = math.inf, _SAMPLES * (closure.curve_end - closure.curve_start)
        for k in range(steps + 1):
            piece = min(closure.curve_start + k // _SAMPLES, closure.curve_end - 1)
            start = model.key_times[piece]
            end = model.key_times[piece + 1] if piece + 1 < closure.curve_end else closure.curve_stop
            s = start + (end - start) * (k - _SAMPLES * (piece - closure.curve_start)) / _SAMPLES
            away = subtract(p, curve_point(model, closure, s)[0])
            if dot(away, away) < least:
                least, scratch.bead[number] = dot(away, away), s


@kernel
def _bead(model, scratch, number, arm_a, arm_b, d, u, bias):
    """`d`, `u`, `bias`: the bead's place, velocity and centripetal acceleration less those of the curve's frame.

    Seen from that frame, along its axes, are p the bead's place, v its velocity and g its acceleration but for what the
    bodies' own accelerations add.
    """
    closure, parameters, rows = model.closures[number], scratch.bead, scratch.rows
    a, b = scratch.bodies[closure.body[0]], scratch.bodies[closure.body[1]]
    frame, w, reach = _frame(closure, a, 0), load3(a.angular), add(arm_a, d)
    p, v = unrotate(frame, d), unrotate(frame, subtract(u, cross(w, d)))
    g = unrotate(frame, subtract(bias, cross(w, subtract(scale(2.0, u), cross(w, d)))))
    s = parameters[number]
    for _ in range(_NEWTON_STEPS):
        c, tangent, curvature = curve_point(model, closure, s)
        away = subtract(p, c)
        slope = dot(tangent, tangent) - dot(curvature, away)
        if slope <= 0.0:
            slope = dot(tangent, tangent)
        step = dot(tangent, away) / slope
        s += step
        if abs(step) < 1e-15 * closure.curve_stop:
            break
    parameters[number] = s
    c, tangent, curvature = curve_point(model, closure, s)
    away = subtract(p, c)
    t = scale(1.0 / math.sqrt(dot(tangent, tangent)), tangent)
    first = closure.row_start
    if model.rows[first].kind == _CAM:
        _cam(rows[first], closure.length, frame, reach, arm_b, tangent, curvature, t, away, v, g)
        return
    speed = dot(tangent, v) / dot(tangent, tangent)
    bend = subtract(g, scale(speed * speed, curvature))
    side = (0.0, 0.0, 1.0) if abs(t[2]) < 0.9 else (1.0, 0.0, 0.0)
    n = cross(t, side)
    n = scale(1.0 / math.sqrt(dot(n, n)), n)
    m = cross(t, n)
    for k in range(2):
        row, normal = rows[first + k], n if k == 0 else m
        _push(row, rotate(frame, normal), reach, arm_b)
        row.error, row.rate, row.bias = dot(normal, away), dot(normal, v), dot(normal, bend)
    if closure.row_end > first + 2:
        own = _frame(closure, b, 1)
        w_a, w_b = unrotate(frame, w), unrotate(frame, load3(b.angular))
        relative = subtract(w_b, w_a)
        along_it = (dot(tangent, g) - dot(tangent, curvature) * speed * speed) / dot(tangent, tangent)
        for k in range(first + 2, closure.row_end):
            e = unrotate(frame, axis_of(own, model.rows[k].axis_b))
            f, f1, f2, _ = direction_along(model, closure, s, model.rows[k].kind)
            _keep_across(rows[k], frame, reach, arm_b, e, tangent, (f, f1, f2), w_a, w_b, relative, speed, along_it)


@kernel
def _cam(row, radius, frame, reach, arm_b, tangent, curvature, t, away, v, g):
    """The row along the normal: as s goes with the follower, the normal turns along the curve."""
    n = cross(t, _AXIS)
    speed = dot(tangent, v) / (dot(tangent, tangent) - dot(curvature, away))
    turning = cross(bend_of(tangent, curvature, t), _AXIS)
    _push(row, rotate(frame, n), reach, arm_b)
    row.error, row.rate = dot(n, away) - radius, dot(n, v)
    row.bias = dot(n, g) + speed * dot(turning, v)


@kernel
def bend_of(tangent, curvature, t):
    """The turning of a curve's unit tangent t with its parameter."""
    return scale(1.0 / math.sqrt(dot(tangent, tangent)), add_scaled(curvature, -dot(t, curvature), t))


@kernel
def _push(row, e, reach, arm_b):
    """Fills the wrench of a unit force along e at the bead."""
    store_spatial(row.wrench[0], scale(-1.0, cross(reach, e)), scale(-1.0, e))
    store_spatial(row.wrench[1], cross(arm_b, e), e)


@kernel
def _keep_across(row, frame, reach, arm_b, e, tangent, directions, w_a, w_b, relative, speed, along_it):
    """The row e . f = 0, e fixed on body b, f on the curve, of which s'' is `along_it` without accelerations of bodies.

    All along the axes of the curve's frame. As s goes with the bead, the row pushes along the curve as well.
    """
    f, f1, f2 = directions
    unit = 1.0 / math.sqrt(dot(f, f))
    n, spin = cross(e, f), cross(relative, e)
    _push(row, rotate(frame, scale(unit * dot(e, f1) / dot(tangent, tangent), tangent)), reach, arm_b)
    turn = rotate(frame, scale(unit, n))
    on_a, on_b = row.wrench[0], row.wrench[1]
    store_spatial(on_a, subtract(load_angular(on_a), turn), load_linear(on_a))
    store_spatial(on_b, add(load_angular(on_b), turn), load_linear(on_b))
    row.error = unit * dot(e, f)
    row.rate = unit * (dot(relative, n) + dot(e, f1) * speed)
    turning = dot(cross(relative, spin), f) - dot(cross(w_a, w_b), n) + 2.0 * speed * dot(spin, f1)
    row.bias = unit * (turning + dot(e, f2) * speed * speed + dot(e, f1) * along_it)


@kernel
def curve_piece(model, closure, s):
    """(piece of a bead's curve, parameter since its start, how far beyond the ends of an open one)"""
    start, end, stop = closure.curve_start, closure.curve_end, closure.curve_stop
    beyond = 0.0
    if closure.is_closed:
        s -= stop * math.floor(s / stop)
    elif s < 0.0:
        s, beyond = 0.0, s
    elif s > stop:
        s, beyond = stop, s - stop
    low, high = start, end - 1
    while low < high:
        middle = (low + high + 1) // 2
        if model.key_times[middle] <= s:
            low = middle
        else:
            high = middle - 1
    return low, s - model.key_times[low], beyond


@kernel
def curve_point(model, closure, s):
    """(point, first, second derivative) of a bead's curve; an open curve goes straight on beyond its ends."""
    piece, since, beyond = curve_piece(model, closure, s)
    point, tangent, curvature = _cubics(model.key_coefficients, piece, 0, since)
    if beyond != 0.0:
        return add(point, scale(beyond, tangent)), tangent, _ZERO
    return point, tangent, curvature


@kernel
def direction_along(model, closure, s, kind):
    """A direction on a bead's curve, its tangent or the one that is up, and three derivatives.

    At a knot those of the piece behind it; beyond open ends the direction stays.
    """
    piece, since, beyond = curve_piece(model, closure, s)
    if kind == _TANGENT:
        _, tangent, curvature = _cubics(model.key_coefficients, piece, 0, since)
        if beyond != 0.0:
            return tangent, _ZERO, _ZERO, _ZERO
        return tangent, curvature, _cubes(model.key_coefficients, piece, 0), _ZERO
    up, first, second = _cubics(model.key_coefficients, piece, 3, since)
    if beyond != 0.0:
        return up, _ZERO, _ZERO, _ZERO
    return up, first, second, _cubes(model.key_coefficients, piece, 3)


@kernel
def _cubes(coefficients, piece, column):
    cubes = coefficients[piece, 3]
    return (6.0 * cubes[column], 6.0 * cubes[column + 1], 6.0 * cubes[column + 2])


@kernel
def _cubics(coefficients, piece, column, s):
    x, dx, ddx = _cubic(coefficients, piece, column, s)
    y, dy, ddy = _cubic(coefficients, piece, column + 1, s)
    z, dz, ddz = _cubic(coefficients, piece, column + 2, s)
    return (x, y, z), (dx, dy, dz), (ddx, ddy, ddz)


@kernel
def _cubic(coefficients, piece, column, s):
    c0, c1, c2, c3 = (
        coefficients[piece, 0, column],
        coefficients[piece, 1, column],
        coefficients[piece, 2, column],
        coefficients[piece, 3, column],
    )
    return c0 + s * (c1 + s * (c2 + s * c3)), c1 + s * (2.0 * c2 + s * 3.0 * c3), 2.0 * c2 + 6.0 * s * c3
