# SPDX-License-Identifier: GPL-3.0-or-later
"""Rows of closures along a direction: the changes of their wrenches and biases, with everything else kept.

A row asks for J a + bias = 0 and puts J^T lambda on its bodies (`loops.closures`, whose symbols these are; d before a
symbol is its change). With the accelerations of the axes and the multipliers kept it is off by dJ a + J da + dbias,
which `multipliers` makes up for, and its bodies feel dJ^T lambda more.

A coupling's row has constant parts along the axes of its two joints, that of a coordinate which is led along one. So it
changes nothing but its multiplier, and is taken for a known effort in them.
"""

import math

from ...kernel import kernel
from ...model.arrays import RowKind
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
    scale,
    store_spatial,
    subtract,
)
from ..loops.closures import along, closure_arm, curve_point
from ..loops.point_rows import change_point_row, change_span, is_between_points

_TURN, _BEAD, _COUPLING, _ROPE, _SCREW, _LED = (
    int(RowKind.TURN),
    int(RowKind.BEAD),
    int(RowKind.COUPLING),
    int(RowKind.ROPE),
    int(RowKind.SCREW),
    int(RowKind.LED),
)
_ZERO = (0.0, 0.0, 0.0)


@kernel
def change_rows(model, scratch, changes):
    """Fills the changes of the closures' rows, and adds what their multipliers then exert to the bodies' wrenches."""
    for number in range(len(model.closures)):
        closure = model.closures[number]
        if closure.row_start >= model.closing:
            continue
        moved = 0
        for end in range(closure.ends):
            moved += changes.bodies[closure.body[end]].moved
        kind = model.rows[closure.row_start].kind
        for r in range(closure.row_start, closure.row_end):
            _clear(changes.rows[r])
        if moved == 0 or kind == _COUPLING or kind == _LED:
            continue
        if kind == _ROPE or is_between_points(kind):
            _change_pairs(kind, scratch, changes, closure)
        elif kind == _BEAD:
            _change_bead(model, scratch, changes, number)
        else:
            _change_frames(model, scratch, changes, closure)
        for r in range(closure.row_start, closure.row_end):
            _ask(model, scratch, changes, closure, r)


@kernel
def _clear(row):
    for end in range(4):
        store_spatial(row.wrench[end], _ZERO, _ZERO)
    row.bias, row.asked = 0.0, 0.0


@kernel
def _ask(model, scratch, changes, closure, r):
    """Fills the error of a row to first order, and adds the change of what its multiplier does to the bodies."""
    row, change = scratch.rows[r], changes.rows[r]
    off, f = change.bias, row.multiplier
    for end in range(closure.ends):
        i = closure.body[end]
        W = change.wrench[end]
        off += along(W, scratch.bodies[i].acceleration) + along(row.wrench[end], changes.bodies[i].acceleration)
        if i >= model.driven:
            add_to_spatial(changes.bodies[i].wrench, scale(f, load_angular(W)), scale(f, load_linear(W)))
    change.asked = -off


@kernel
def _moving_point(scratch, changes, closure, end):
    """(arm, position, velocity, centripetal acceleration) of a closure's frame, and the changes of the four."""
    i = closure.body[end]
    body, change = scratch.bodies[i], changes.bodies[i]
    arm, w, dw = closure_arm(closure, body, end), load3(body.angular), load3(change.angular)
    darm = cross(load3(change.turn), arm)
    spin = cross(w, arm)
    dspin = add(cross(dw, arm), cross(w, darm))
    now = arm, add(load3(body.center), arm), add(load3(body.linear), spin), cross(w, spin)
    dbias = add(cross(dw, spin), cross(w, dspin))
    return now, (darm, add(load3(change.shift), darm), add(load3(change.linear), dspin), dbias)


@kernel
def _change_pairs(kind, scratch, changes, closure):
    """The row between two points, or that of a rope, which is the sum of two."""
    row = changes.rows[closure.row_start]
    for end in range(0, closure.ends, 2):
        (arm_a, a, u_a, bias_a), (darm_a, da, du_a, dbias_a) = _moving_point(scratch, changes, closure, end)
        (arm_b, b, u_b, bias_b), (darm_b, db, du_b, dbias_b) = _moving_point(scratch, changes, closure, end + 1)
        arms, darms = (arm_a, arm_b), (darm_a, darm_b)
        now = subtract(b, a), subtract(u_b, u_a), subtract(bias_b, bias_a)
        change = subtract(db, da), subtract(du_b, du_a), subtract(dbias_b, dbias_a)
        if kind == _ROPE:
            change_span(row, end, 1.0 if end == 0 else closure.ratio, arms, darms, now, change)
        else:
            change_point_row(kind, row, closure.length, arms, darms, now, change)


@kernel
def _change_frames(model, scratch, changes, closure):
    """The rows of a closure between two frames: those that keep it from travelling and from turning."""
    (arm_a, a, u_a, bias_a), (darm_a, da, du_a, dbias_a) = _moving_point(scratch, changes, closure, 0)
    (arm_b, b, u_b, bias_b), (darm_b, db, du_b, dbias_b) = _moving_point(scratch, changes, closure, 1)
    d, u, bias = subtract(b, a), subtract(u_b, u_a), subtract(bias_b, bias_a)
    dd, du, dbias = subtract(db, da), subtract(du_b, du_a), subtract(dbias_b, dbias_a)
    reach, dreach = add(arm_a, d), add(darm_a, dd)
    body_a, body_b = scratch.bodies[closure.body[0]], scratch.bodies[closure.body[1]]
    change_a, change_b = changes.bodies[closure.body[0]], changes.bodies[closure.body[1]]
    frame_a = multiply(load9(body_a.rotation), load9(closure.rotation[0]))
    frame_b = multiply(load9(body_b.rotation), load9(closure.rotation[1]))
    w, dw = load3(body_a.angular), load3(change_a.angular)
    for r in range(closure.row_start, closure.row_end):
        row, change = model.rows[r], changes.rows[r]
        e = axis_of(frame_a, row.axis_a)
        de = cross(load3(change_a.turn), e)
        if row.kind == _TURN:
            v = axis_of(frame_b, row.axis_b)
            _change_turn(change, (e, v), (de, cross(load3(change_b.turn), v)), body_a, body_b, change_a, change_b)
            continue
        moment = scale(-1.0, add(cross(dreach, e), cross(reach, de)))
        store_spatial(change.wrench[0], moment, scale(-1.0, de))
        store_spatial(change.wrench[1], add(cross(darm_b, e), cross(arm_b, de)), de)
        swing, dswing = cross(w, e), add(cross(dw, e), cross(w, de))
        change.bias = dot(de, bias) + dot(e, dbias) + 2.0 * (dot(dswing, u) + dot(swing, du))
        change.bias += dot(add(cross(dw, swing), cross(w, dswing)), d) + dot(cross(w, swing), dd)
        if row.kind == _SCREW:
            _change_thread(change, closure.length, e, de, body_a, body_b, change_a, change_b)


@kernel
def _change_turn(row, axes, axes_change, body_a, body_b, change_a, change_b):
    u, v = axes
    du, dv = axes_change
    w_a, w_b, dw_a, dw_b = (
        load3(body_a.angular),
        load3(body_b.angular),
        load3(change_a.angular),
        load3(change_b.angular),
    )
    dn = add(cross(du, v), cross(u, dv))
    store_spatial(row.wrench[0], dn, _ZERO)
    store_spatial(row.wrench[1], scale(-1.0, dn), _ZERO)
    p, q = cross(w_a, u), cross(w_b, v)
    dp, dq = add(cross(dw_a, u), cross(w_a, du)), add(cross(dw_b, v), cross(w_b, dv))
    turning = add(cross(p, v), cross(u, q))
    dturning = add(add(cross(dp, v), cross(p, dv)), add(cross(du, q), cross(u, dq)))
    row.bias = dot(subtract(dw_a, dw_b), turning) + dot(subtract(w_a, w_b), dturning)


@kernel
def _change_thread(row, pitch, e, de, body_a, body_b, change_a, change_b):
    """Adds the share of a screw's turn."""
    turn, dturn = scale(pitch, e), scale(pitch, de)
    w, dw = load3(body_a.angular), load3(change_a.angular)
    relative = subtract(load3(body_b.angular), w)
    drelative = subtract(load3(change_b.angular), dw)
    add_to_spatial(row.wrench[0], dturn, _ZERO)
    add_to_spatial(row.wrench[1], scale(-1.0, dturn), _ZERO)
    row.bias -= dot(add(cross(dw, turn), cross(w, dturn)), relative) + dot(cross(w, turn), drelative)


@kernel
def _change_bead(model, scratch, changes, number):
    """The two rows of a bead: the curve's nearest point follows it, and with it tangent, bend and normals."""
    closure = model.closures[number]
    (arm, p, u, bias), (darm, dp, du, dbias) = _moving_point(scratch, changes, closure, 1)
    s = scratch.bead[number]
    c, tangent, curvature = curve_point(model, closure, s)
    third = curve_third(model, closure, s)
    ds = dot(tangent, dp) / (dot(tangent, tangent) - dot(curvature, subtract(p, c)))
    dtangent, dcurvature = scale(ds, curvature), scale(ds, third)
    square = dot(tangent, tangent)
    square_change = 2.0 * dot(tangent, dtangent)
    speed = dot(tangent, u) / square
    speed_change = (dot(dtangent, u) + dot(tangent, du) - speed * square_change) / square
    bend = add_scaled(bias, -speed * speed, curvature)
    dbend = add_scaled(add_scaled(dbias, -2.0 * speed * speed_change, curvature), -speed * speed, dcurvature)
    t, dt = _unit(tangent, dtangent)
    side = (0.0, 0.0, 1.0) if abs(t[2]) < 0.9 else (1.0, 0.0, 0.0)
    n, dn = _unit(cross(t, side), cross(dt, side))
    m, dm = cross(t, n), add(cross(dt, n), cross(t, dn))
    for k in range(2):
        row = changes.rows[closure.row_start + k]
        e, de = (n, dn) if k == 0 else (m, dm)
        store_spatial(row.wrench[1], add(cross(darm, e), cross(arm, de)), de)
        row.bias = dot(de, bend) + dot(e, dbend)


@kernel
def _unit(a, da):
    """(a / |a|, its change)"""
    size = math.sqrt(dot(a, a))
    unit = scale(1.0 / size, a)
    return unit, scale(1.0 / size, add_scaled(da, -dot(unit, da), unit))


@kernel
def curve_third(model, closure, s):
    """The third derivative of a bead's curve; at a knot that of the piece behind it, beyond the ends none."""
    start, stop = closure.curve_start, closure.curve_stop
    if closure.is_closed:
        s -= stop * math.floor(s / stop)
    elif s < 0.0 or s > stop:
        return _ZERO
    low, high = start, closure.curve_end - 1
    while low < high:
        middle = (low + high + 1) // 2
        if model.key_times[middle] <= s:
            low = middle
        else:
            high = middle - 1
    cubes = model.key_coefficients[low, 3]
    return (6.0 * cubes[0], 6.0 * cubes[1], 6.0 * cubes[2])
