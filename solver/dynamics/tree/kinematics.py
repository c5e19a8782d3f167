# SPDX-License-Identifier: GPL-3.0-or-later
"""Outward pass: poses, velocities and velocity-dependent accelerations of all bodies from coordinates and speeds.

Symbols, all along world axes: J joint frame on the inner body; c centre of mass; w, v angular and linear velocity of
a body at its centre of mass; o joint's origin from the inner body's centre; rho outer centre from the joint's origin;
tau relative velocity of the joint's origin. With the joint's origin fixed to the joint's child, the bias acceleration
is
    angular: w_inner x w_relative (+ a1 x a2 q1' q2' where axes turn in sequence),
    linear:  w_inner x (w_inner x o) + 2 w_parent x tau + angular x rho + w x (w x rho).
"""

from ...kernel import kernel
from ...spatial import (
    add,
    add_scaled,
    axis_z,
    cross,
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
from .joints import (
    REVOLUTE,
    SCREW,
    is_travel,
    relative_pose,
    store_motion_subspaces,
    turn_about_z,
    turns_in_sequence,
)
from .surface_joints import CONTACT, place_of_ride, ride

_ZERO = (0.0, 0.0, 0.0)


@kernel
def update_kinematics(model, state, scratch):
    """Fills rotation, center, angular, linear, bias and S of the dynamic bodies and their axes.

    The driven bodies must be up to date (`update_driven_bodies`).
    """
    q, speeds, axes = state.coordinates, state.speeds, scratch.axes
    for i in range(model.driven, len(model.bodies)):
        body, moving = model.bodies[i], scratch.bodies[i]
        inner = scratch.bodies[body.inner]
        if body.kind == REVOLUTE and body.direction > 0.0:
            k = body.axis_start
            _revolute(body, inner, moving, q[k], speeds[k], axes[k].S)
        elif body.kind == CONTACT:
            ride(model.rides, model, i, state, scratch)
        else:
            _any_joint(body, inner, moving, q, speeds, state.anchor, axes)


@kernel
def _revolute(body, inner, moving, q, speed, S):
    """The general joint with its zeros left out: most joints are hinges, and this halves their cost."""
    R_inner, w_inner = load9(inner.rotation), load3(inner.angular)
    o = rotate(R_inner, load3(body.joint_point))
    J = multiply(R_inner, load9(body.joint_rotation))
    R = multiply(J, turn_about_z(q))
    rho = rotate(R, load3(body.center_offset))
    origin = add(load3(inner.center), o)
    a = axis_z(J)
    w_relative = scale(speed, a)
    w = add(w_inner, w_relative)
    swing, spin = cross(w_inner, o), cross(w, rho)
    angular_bias = cross(w_inner, w_relative)
    linear_bias = add(add(cross(w_inner, swing), cross(angular_bias, rho)), cross(w, spin))
    store9(moving.rotation, R)
    store3(moving.center, add(origin, rho))
    store3(moving.angular, w)
    store3(moving.linear, add(load3(inner.linear), add(swing, spin)))
    store_spatial(moving.bias, angular_bias, linear_bias)
    store_spatial(S, a, cross(a, rho))


@kernel
def _any_joint(body, inner, moving, q, speeds, anchor, axes):
    kind, direction, pitch, first, last = body.kind, body.direction, body.pitch, body.axis_start, body.axis_end
    R_inner, w_inner = load9(inner.rotation), load3(inner.angular)
    J = multiply(R_inner, load9(body.joint_rotation))
    o = rotate(R_inner, load3(body.joint_point))
    turn, travel = relative_pose(kind, pitch, q, first, anchor, body.chart)
    if direction > 0.0:
        parent_frame, child_frame = J, multiply(J, turn)
        R = child_frame
        o = add(o, rotate(parent_frame, travel))
        rho = rotate(R, load3(body.center_offset))
    else:
        parent_frame, child_frame = multiply(J, transpose(turn)), J
        R = parent_frame
        rho = subtract(rotate(R, load3(body.center_offset)), rotate(parent_frame, travel))
    origin = add(load3(inner.center), o)
    store_motion_subspaces(axes, kind, pitch, direction, first, parent_frame, child_frame, rho)

    w_relative, tau = _relative_velocity(kind, pitch, axes, speeds, first, last)
    w = add(w_inner, w_relative)
    angular_bias = cross(w_inner, w_relative)
    if turns_in_sequence(kind):
        twist = cross(load_angular(axes[last - 2].S), load_angular(axes[last - 1].S))
        angular_bias = add_scaled(angular_bias, direction * speeds[last - 2] * speeds[last - 1], twist)
    w_parent = w_inner if direction > 0.0 else w
    swing, spin = cross(w_inner, o), cross(w, rho)
    linear_bias = add(
        add(cross(w_inner, swing), scale(2.0, cross(w_parent, tau))), add(cross(angular_bias, rho), cross(w, spin))
    )
    store9(moving.rotation, R)
    store3(moving.center, add(origin, rho))
    store3(moving.angular, w)
    store3(moving.linear, add(add(load3(inner.linear), swing), add(tau, spin)))
    store_spatial(moving.bias, angular_bias, linear_bias)


@kernel
def _relative_velocity(kind, pitch, axes, speeds, first, last):
    """(w, tau): relative angular velocity, and relative velocity of the joint's origin."""
    w, tau = _ZERO, _ZERO
    for k in range(first, last):
        turn = load_angular(axes[k].S)
        w = add_scaled(w, speeds[k], turn)
        if kind == SCREW:
            tau = add_scaled(tau, pitch * speeds[k], turn)
        elif is_travel(kind, k - first):
            tau = add_scaled(tau, speeds[k], load_linear(axes[k].S))
    return w, tau


@kernel
def joint_place(model, scratch, i):
    """The place that moments of body i's joint are taken about: its origin on the child, or where surfaces touch."""
    body = model.bodies[i]
    if body.kind == CONTACT:
        return place_of_ride(model.rides, model, scratch, i)
    return joint_origin(body, scratch.bodies[body.inner], scratch.bodies[i])


@kernel
def joint_origin(body, inner, moving):
    """The joint's origin on its child."""
    if body.direction > 0.0:
        return subtract(load3(moving.center), rotate(load9(moving.rotation), load3(body.center_offset)))
    return add(load3(inner.center), rotate(load9(inner.rotation), load3(body.joint_point)))
