# SPDX-License-Identifier: GPL-3.0-or-later
"""Outward pass: changes of poses, velocities, axes, and of accelerations while those of the axes are kept.

It is the pass of `tree.kinematics`, differentiated line by line; the symbols are those. A body turns by t and its
reference point shifts by s, both along world axes: what is fixed in a frame that turns by t changes by t x what it is.
Keyed and fixed bodies do not change.
"""

from ...kernel import kernel
from ...rotation import chart_rate_change, chart_turn
from ...spatial import (
    add,
    add_scaled,
    cross,
    load3,
    load_angular,
    load_linear,
    scale,
    store3,
    store_spatial,
    subtract,
)
from ..tree.joints import SCREW, is_of_child, is_travel, turns_in_sequence
from ..tree.kinematics import joint_origin

_ZERO = (0.0, 0.0, 0.0)


@kernel
def change_kinematics(model, state, scratch, changes, coordinates, speeds):
    """Fills the changes of bodies and axes, but for wrenches, for changes (A,) of coordinates and speeds."""
    _put_motion(model, state, changes, coordinates)
    for i in range(model.driven, len(model.bodies)):
        body, change = model.bodies[i], changes.bodies[i]
        moved = changes.bodies[body.inner].moved
        for k in range(body.axis_start, body.axis_end):
            if coordinates[k] != 0.0 or speeds[k] != 0.0:
                moved = 1
        if moved:
            _move(model, state, scratch, changes, i, speeds)
        elif change.moved:
            _stand_still(body, change, changes.S)
        change.moved = moved
        store_spatial(change.wrench, _ZERO, _ZERO)
        store_spatial(change.load, _ZERO, _ZERO)


@kernel
def _put_motion(model, state, changes, coordinates):
    for k in range(len(coordinates)):
        changes.motion[k] = coordinates[k]
    for c in range(len(model.charted)):
        k = model.bodies[model.charted[c]].axis_end - 3
        theta = (state.coordinates[k], state.coordinates[k + 1], state.coordinates[k + 2])
        turn = chart_turn(theta, (coordinates[k], coordinates[k + 1], coordinates[k + 2]))
        for j in range(3):
            changes.motion[k + j] = turn[j]


@kernel
def change_rates(model, state, coordinates, speeds, out):
    """Fills the change (A,) of the coordinates' rates for changes (A,) of coordinates and speeds."""
    q, u = state.coordinates, state.speeds
    for k in range(len(speeds)):
        out[k] = speeds[k]
    for c in range(len(model.charted)):
        k = model.bodies[model.charted[c]].axis_end - 3
        theta, omega = (q[k], q[k + 1], q[k + 2]), (u[k], u[k + 1], u[k + 2])
        turned = (coordinates[k], coordinates[k + 1], coordinates[k + 2])
        faster = (speeds[k], speeds[k + 1], speeds[k + 2])
        out[k], out[k + 1], out[k + 2] = chart_rate_change(theta, omega, turned, faster)


@kernel
def _stand_still(body, change, dS):
    store3(change.turn, _ZERO)
    store3(change.shift, _ZERO)
    store3(change.angular, _ZERO)
    store3(change.linear, _ZERO)
    store_spatial(change.acceleration, _ZERO, _ZERO)
    for k in range(body.axis_start, body.axis_end):
        store_spatial(dS[k], _ZERO, _ZERO)


@kernel
def _joint_motion(body, axes, motion):
    """(turn, slide of the joint's origin) by a motion (A,) along the present axes."""
    turn, slide = _ZERO, _ZERO
    for k in range(body.axis_start, body.axis_end):
        S, along = axes[k].S, motion[k]
        if is_travel(body.kind, k - body.axis_start):
            slide = add_scaled(slide, along, load_linear(S))
            continue
        turn = add_scaled(turn, along, load_angular(S))
        if body.kind == SCREW:
            slide = add_scaled(slide, body.pitch * along, load_angular(S))
    return turn, slide


@kernel
def _turn_axes(body, axes, dS, turn_parent, turn_child, rho, drho):
    """Fills the changes of S of a joint's axes."""
    for k in range(body.axis_start, body.axis_end):
        S, number = axes[k].S, k - body.axis_start
        turn = turn_child if is_of_child(body.kind, number) else turn_parent
        if is_travel(body.kind, number):
            store_spatial(dS[k], _ZERO, cross(turn, load_linear(S)))
            continue
        a = load_angular(S)
        da = cross(turn, a)
        db = add(cross(da, rho), cross(a, drho))
        if body.kind == SCREW:
            db = add_scaled(db, body.pitch, da)
        store_spatial(dS[k], da, db)


@kernel
def _relative_change(body, axes, changed, speeds, speeds_change):
    """(tau, change of w_relative, change of tau) of a joint: see `tree.kinematics`."""
    tau, dw, dtau = _ZERO, _ZERO, _ZERO
    for k in range(body.axis_start, body.axis_end):
        S, dS, u, du = axes[k].S, changed[k], speeds[k], speeds_change[k]
        if is_travel(body.kind, k - body.axis_start):
            tau = add_scaled(tau, u, load_linear(S))
            dtau = add_scaled(add_scaled(dtau, du, load_linear(S)), u, load_linear(dS))
            continue
        a, da = load_angular(S), load_angular(dS)
        dw = add_scaled(add_scaled(dw, du, a), u, da)
        if body.kind == SCREW:
            tau = add_scaled(tau, body.pitch * u, a)
            dtau = add_scaled(add_scaled(dtau, body.pitch * du, a), body.pitch * u, da)
    return tau, dw, dtau


@kernel
def _move(model, state, scratch, changes, i, speeds_change):
    """The changes of one body, from those of its inner body."""
    body, moving, change = model.bodies[i], scratch.bodies[i], changes.bodies[i]
    inner, inner_change = scratch.bodies[body.inner], changes.bodies[body.inner]
    forward = body.direction > 0.0
    origin = joint_origin(body, inner, moving)
    o, rho = subtract(origin, load3(inner.center)), subtract(load3(moving.center), origin)
    turn_inner = load3(inner_change.turn)
    turn, slide = _joint_motion(body, scratch.axes, changes.motion)
    turn = add(turn_inner, turn)
    do, drho = cross(turn_inner, o), cross(turn, rho)
    if forward:
        do = add(do, slide)
    else:
        drho = add(drho, slide)
    turn_parent, turn_child = (turn_inner, turn) if forward else (turn, turn_inner)
    _turn_axes(body, scratch.axes, changes.S, turn_parent, turn_child, rho, drho)
    store3(change.turn, turn)
    store3(change.shift, add(load3(inner_change.shift), add(do, drho)))

    w_inner, w, dw_inner = load3(inner.angular), load3(moving.angular), load3(inner_change.angular)
    tau, dw_relative, dtau = _relative_change(body, scratch.axes, changes.S, state.speeds, speeds_change)
    dw = add(dw_inner, dw_relative)
    swing, spin = cross(w_inner, o), cross(w, rho)
    dswing = add(cross(dw_inner, o), cross(w_inner, do))
    dspin = add(cross(dw, rho), cross(w, drho))
    store3(change.angular, dw)
    store3(change.linear, add(add(load3(inner_change.linear), dswing), add(dtau, dspin)))

    bias = load_angular(moving.bias)
    dbias = add(cross(dw_inner, subtract(w, w_inner)), cross(w_inner, dw_relative))
    if turns_in_sequence(body.kind):
        dbias = add(dbias, _sequence_change(body, scratch.axes, changes.S, state.speeds, speeds_change))
    w_parent, dw_parent = (w_inner, dw_inner) if forward else (w, dw)
    carried = add(cross(dw_parent, tau), cross(w_parent, dtau))
    linear = add(add(cross(dw_inner, swing), cross(w_inner, dswing)), scale(2.0, carried))
    linear = add(linear, add(add(cross(dbias, rho), cross(bias, drho)), add(cross(dw, spin), cross(w, dspin))))
    a_inner, da_inner = load_angular(inner.acceleration), load_angular(inner_change.acceleration)
    linear = add(linear, add(cross(da_inner, add(o, rho)), cross(a_inner, add(do, drho))))
    angular, linear = add(da_inner, dbias), add(load_linear(inner_change.acceleration), linear)
    for k in range(body.axis_start, body.axis_end):
        second, dS = scratch.accelerations[k], changes.S[k]
        angular = add_scaled(angular, second, load_angular(dS))
        linear = add_scaled(linear, second, load_linear(dS))
    store_spatial(change.acceleration, angular, linear)


@kernel
def _sequence_change(body, axes, dS, speeds, speeds_change):
    """The change of the bias that is there where an axis is moved by the one before it."""
    j, k = body.axis_end - 2, body.axis_end - 1
    a, b, da, db = load_angular(axes[j].S), load_angular(axes[k].S), load_angular(dS[j]), load_angular(dS[k])
    faster = body.direction * (speeds_change[j] * speeds[k] + speeds[j] * speeds_change[k])
    turned = add(cross(da, b), cross(a, db))
    return add_scaled(scale(faster, cross(a, b)), body.direction * speeds[j] * speeds[k], turned)
