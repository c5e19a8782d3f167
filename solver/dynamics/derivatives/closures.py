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
    rotate,
    scale,
    store_spatial,
    subtract,
    unrotate,
)
from ..loops.closures import along, bend_of, closure_arm, curve_point, direction_along
from ..loops.point_rows import change_point_row, change_span, is_between_points
from ..tree.splines import is_on_curve

_TURN, _BEAD, _COUPLING, _ROPE, _SCREW, _LED, _TANGENT, _CAM = (
    int(RowKind.TURN),
    int(RowKind.BEAD),
    int(RowKind.COUPLING),
    int(RowKind.ROPE),
    int(RowKind.SCREW),
    int(RowKind.LED),
    int(RowKind.TANGENT),
    int(RowKind.CAM),
)
_AXIS = (0.0, 0.0, 1.0)  # of a cam's plane, in the frame of its profile
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
            _clear(changes.rows[r], closure.ends)
        if moved == 0 or kind == _COUPLING or kind == _LED:
            continue
        if kind == _ROPE:
            _change_rope(model, scratch, changes, closure)
        elif is_between_points(kind):
            _change_pair(kind, scratch, changes, closure)
        elif is_on_curve(kind):
            _change_bead(model, scratch, changes, number)
        else:
            _change_frames(model, scratch, changes, closure)
        for r in range(closure.row_start, closure.row_end):
            _ask(model, scratch, changes, closure, r)


@kernel
def _clear(row, ends):
    for end in range(ends):
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
def _moving_pair(scratch, changes, closure, end):
    """(arms, their changes, d with its first two derivatives, their changes) of a frame of a closure and the next."""
    (arm_a, a, u_a, bias_a), (darm_a, da, du_a, dbias_a) = _moving_point(scratch, changes, closure, end)
    (arm_b, b, u_b, bias_b), (darm_b, db, du_b, dbias_b) = _moving_point(scratch, changes, closure, end + 1)
    now = subtract(b, a), subtract(u_b, u_a), subtract(bias_b, bias_a)
    change = subtract(db, da), subtract(du_b, du_a), subtract(dbias_b, dbias_a)
    return (arm_a, arm_b), (darm_a, darm_b), now, change


@kernel
def _change_pair(kind, scratch, changes, closure):
    """The row between two points."""
    arms, darms, now, change = _moving_pair(scratch, changes, closure, 0)
    change_point_row(kind, changes.rows[closure.row_start], closure.length, arms, darms, now, change)


@kernel
def _change_rope(model, scratch, changes, closure):
    """The row of a rope: its spans, and the axes of its drums, which turn with the bodies that hold them."""
    row = changes.rows[closure.row_start]
    for end in range(closure.ends):
        if closure.weight[end] > 0.0:
            arms, darms, now, change = _moving_pair(scratch, changes, closure, end)
            change_span(row, end, closure.weight[end], arms, darms, now, change)
    for drum in range(closure.drums):
        holder = closure.ends - 2 * (closure.drums - drum)
        k, i = closure.body[holder], closure.body[holder + 1]
        e = scale(closure.radius[drum], load_angular(scratch.axes[model.bodies[i].axis_start].S))
        body, change = scratch.bodies[k], changes.bodies[k]
        w, dw, de = load3(body.angular), load3(change.angular), cross(load3(change.turn), e)
        relative = subtract(load3(scratch.bodies[i].angular), w)
        drelative = subtract(load3(changes.bodies[i].angular), dw)
        swing, dswing = cross(w, e), add(cross(dw, e), cross(w, de))
        row.bias += dot(dswing, relative) + dot(swing, drelative)
        add_to_spatial(row.wrench[holder], scale(-1.0, de), _ZERO)
        add_to_spatial(row.wrench[holder + 1], de, _ZERO)


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
    """The rows of a bead: the curve's nearest point follows it, and with it tangent, bend, normals and up direction.

    Along the axes of the curve's frame, as in `loops.closures`, but for what turns them on the bodies.
    """
    closure = model.closures[number]
    (arm_a, a, u_a, bias_a), (darm_a, da, du_a, dbias_a) = _moving_point(scratch, changes, closure, 0)
    (arm_b, b, u_b, bias_b), (darm_b, db, du_b, dbias_b) = _moving_point(scratch, changes, closure, 1)
    d, u, bias = subtract(b, a), subtract(u_b, u_a), subtract(bias_b, bias_a)
    dd, du, dbias = subtract(db, da), subtract(du_b, du_a), subtract(dbias_b, dbias_a)
    body_a, body_b = scratch.bodies[closure.body[0]], scratch.bodies[closure.body[1]]
    change_a, change_b = changes.bodies[closure.body[0]], changes.bodies[closure.body[1]]
    frame, turn = multiply(load9(body_a.rotation), load9(closure.rotation[0])), load3(change_a.turn)
    w, dw = load3(body_a.angular), load3(change_a.angular)
    spin, dspin = cross(w, d), add(cross(dw, d), cross(w, dd))
    twice, dtwice = subtract(scale(2.0, u), spin), subtract(scale(2.0, du), dspin)
    p, dp = unrotate(frame, d), _seen(frame, turn, d, dd)
    v, dv = unrotate(frame, subtract(u, spin)), _seen(frame, turn, subtract(u, spin), subtract(du, dspin))
    pull, dpull = subtract(bias, cross(w, twice)), subtract(dbias, add(cross(dw, twice), cross(w, dtwice)))
    g, dg = unrotate(frame, pull), _seen(frame, turn, pull, dpull)
    reaches, dreaches = (add(arm_a, d), arm_b), (add(darm_a, dd), darm_b)
    s = scratch.bead[number]
    c, tangent, curvature = curve_point(model, closure, s)
    _, _, third, _ = direction_along(model, closure, s, _TANGENT)
    ds = dot(tangent, dp) / (dot(tangent, tangent) - dot(curvature, subtract(p, c)))
    dtangent, dcurvature = scale(ds, curvature), scale(ds, third)
    square = dot(tangent, tangent)
    square_change = 2.0 * dot(tangent, dtangent)
    first = closure.row_start
    if model.rows[first].kind == _CAM:
        away, daway = subtract(p, c), add_scaled(dp, -ds, tangent)
        at, dat = (tangent, curvature, away, v, g), (dtangent, dcurvature, daway, dv, dg)
        _change_cam(changes.rows[first], frame, turn, reaches, dreaches, at, dat)
        return
    speed = dot(tangent, v) / square
    speed_change = (dot(dtangent, v) + dot(tangent, dv) - speed * square_change) / square
    bend = add_scaled(g, -speed * speed, curvature)
    dbend = add_scaled(add_scaled(dg, -2.0 * speed * speed_change, curvature), -speed * speed, dcurvature)
    t, dt = _unit(tangent, dtangent)
    side = (0.0, 0.0, 1.0) if abs(t[2]) < 0.9 else (1.0, 0.0, 0.0)
    n, dn = _unit(cross(t, side), cross(dt, side))
    m, dm = cross(t, n), add(cross(dt, n), cross(t, dn))
    for k in range(2):
        row = changes.rows[first + k]
        e, de = (n, dn) if k == 0 else (m, dm)
        _change_push(row, reaches, dreaches, *_turned(frame, turn, e, de))
        row.bias = dot(de, bend) + dot(e, dbend)
    if closure.row_end == first + 2:
        return
    own = multiply(load9(body_b.rotation), load9(closure.rotation[1]))
    w_b, dw_b = load3(body_b.angular), load3(change_b.angular)
    spins = unrotate(frame, w), unrotate(frame, w_b)
    dspins = _seen(frame, turn, w, dw), _seen(frame, turn, w_b, dw_b)
    along_it = dot(tangent, bend) / square
    along_it_change = (dot(dtangent, bend) + dot(tangent, dbend) - along_it * square_change) / square
    way = tangent, square, speed, along_it
    dway = dtangent, square_change, speed_change, along_it_change
    for r in range(first + 2, closure.row_end):
        axis = axis_of(own, model.rows[r].axis_b)
        e, de = unrotate(frame, axis), _seen(frame, turn, axis, cross(load3(change_b.turn), axis))
        f = direction_along(model, closure, s, model.rows[r].kind)
        _change_across(changes.rows[r], frame, turn, reaches, dreaches, e, de, f, ds, way, dway, spins, dspins)


@kernel
def _change_cam(row, frame, turn, reaches, dreaches, at, dat):
    """The row along the normal of a cam's profile."""
    (tangent, curvature, away, v, g), (dtangent, dcurvature, daway, dv, dg) = at, dat
    t, dt = _unit(tangent, dtangent)
    n, dn = cross(t, _AXIS), cross(dt, _AXIS)
    slope = dot(tangent, tangent) - dot(curvature, away)
    dslope = 2.0 * dot(tangent, dtangent) - dot(dcurvature, away) - dot(curvature, daway)
    speed = dot(tangent, v) / slope
    dspeed = (dot(dtangent, v) + dot(tangent, dv) - speed * dslope) / slope
    size, along_it = math.sqrt(dot(tangent, tangent)), dot(t, curvature)
    bend = bend_of(tangent, curvature, t)
    dbend = add_scaled(dcurvature, -along_it, dt)
    dbend = add_scaled(dbend, -dot(dt, curvature) - dot(t, dcurvature), t)
    dbend = scale(1.0 / size, add_scaled(dbend, -dot(t, dtangent), bend))
    turning, dturning = cross(bend, _AXIS), cross(dbend, _AXIS)
    _change_push(row, reaches, dreaches, *_turned(frame, turn, n, dn))
    row.bias = dot(dn, g) + dot(n, dg) + dspeed * dot(turning, v) + speed * (dot(dturning, v) + dot(turning, dv))


@kernel
def _change_across(row, frame, turn, reaches, dreaches, e, de, directions, ds, way, dway, spins, dspins):
    """The row that keeps an axis e of the body across a direction f of the curve; `ds`: the nearest point's way."""
    f, f1, f2, f3 = directions
    df, df1, df2 = scale(ds, f1), scale(ds, f2), scale(ds, f3)
    tangent, square, speed, along_it = way
    dtangent, dsquare, dspeed, dalong_it = dway
    (w_a, w_b), (dw_a, dw_b) = spins, dspins
    relative, drelative = subtract(w_b, w_a), subtract(dw_b, dw_a)
    unit = 1.0 / math.sqrt(dot(f, f))
    dunit = -unit * unit * unit * dot(f, df)
    n, dn = cross(e, f), add(cross(de, f), cross(e, df))
    spin, dspin = cross(relative, e), add(cross(drelative, e), cross(relative, de))
    slope, dslope = dot(e, f1), dot(de, f1) + dot(e, df1)
    share = unit * slope / square
    dshare = (dunit * slope + unit * dslope - share * dsquare) / square
    push, dpush = scale(share, tangent), add_scaled(scale(dshare, tangent), share, dtangent)
    _change_push(row, reaches, dreaches, *_turned(frame, turn, push, dpush))
    _, moment = _turned(frame, turn, scale(unit, n), add_scaled(scale(dunit, n), unit, dn))
    add_to_spatial(row.wrench[0], scale(-1.0, moment), _ZERO)
    add_to_spatial(row.wrench[1], moment, _ZERO)
    lean, dlean = cross(relative, spin), add(cross(drelative, spin), cross(relative, dspin))
    both, dboth = cross(w_a, w_b), add(cross(dw_a, w_b), cross(w_a, dw_b))
    bias = dot(lean, f) - dot(both, n) + 2.0 * speed * dot(spin, f1) + dot(e, f2) * speed * speed + slope * along_it
    change = dot(dlean, f) + dot(lean, df) - dot(dboth, n) - dot(both, dn)
    change += 2.0 * (dspeed * dot(spin, f1) + speed * (dot(dspin, f1) + dot(spin, df1)))
    change += (dot(de, f2) + dot(e, df2)) * speed * speed + 2.0 * dot(e, f2) * speed * dspeed
    change += dslope * along_it + slope * dalong_it
    row.bias = dunit * bias + unit * change


@kernel
def _seen(frame, turn, a, da):
    """The change of a vector along the axes of a frame that `turn` turns."""
    return unrotate(frame, subtract(da, cross(turn, a)))


@kernel
def _turned(frame, turn, a, da):
    """A vector along the axes of a frame that `turn` turns, and its change: both along the world's."""
    vector = rotate(frame, a)
    return vector, add(cross(turn, vector), rotate(frame, da))


@kernel
def _change_push(row, reaches, dreaches, e, de):
    """Fills the changes of the wrench of a unit force along e; arms from both bodies' reference points."""
    moment = add(cross(dreaches[0], e), cross(reaches[0], de))
    store_spatial(row.wrench[0], scale(-1.0, moment), scale(-1.0, de))
    store_spatial(row.wrench[1], add(cross(dreaches[1], e), cross(reaches[1], de)), de)


@kernel
def _unit(a, da):
    """(a / |a|, its change)"""
    size = math.sqrt(dot(a, a))
    unit = scale(1.0 / size, a)
    return unit, scale(1.0 / size, add_scaled(da, -dot(unit, da), unit))
