# SPDX-License-Identifier: GPL-3.0-or-later
"""Drives of bodies that follow their keys: inverse dynamics of the target's motion, and a spring and damper to it.

On each axis of effective inertia I, with error e = target - q and a pace w (rad/s), the drive exerts
    feed + I w^2 e + 2 zeta w I (target' - q'),
within its limit. `feed` is what the target's motion takes by itself, so that a stiff drive does not lag. Turns about
several axes have the rotation vector from the present to the target's orientation for e, which is zero where they are
one and jumps only half a turn away.
"""

import math

from ...kernel import kernel
from ...model.arrays import FOLLOW_LIMIT, FOLLOW_PACE, FOLLOW_PARAMETERS, FOLLOW_RATIO, FOLLOW_SHARE, Kind
from ...rotation import conjugate, logarithm, multiply_quaternions, quaternion_of_matrix
from ...spatial import add, dot, load3, load9, load_angular, multiply, rotate, scale, subtract
from ..tree.joints import GENERIC, is_travel

_SPHERICAL, _FREE = int(Kind.SPHERICAL), int(Kind.FREE)


@kernel
def add_drives(model, state, scratch):
    """Adds to the efforts what drives exert; kinematics, targets and parameters must be up to date."""
    p = scratch.parameters
    first = len(p) - 3 * len(model.bodies) - FOLLOW_PARAMETERS * len(model.followed)
    for f in range(len(model.followed)):
        followed, target, k = model.followed[f], scratch.targets[f], first + FOLLOW_PARAMETERS * f
        body = model.bodies[followed.body]
        by_turn = followed.in_world or body.kind == _SPHERICAL or body.kind == _FREE or body.kind > GENERIC
        turn, spin = _missing_turn(model, scratch, followed, target)
        sign = body.direction * followed.sign if followed.in_world else body.direction
        for axis in range(body.axis_start, body.axis_end):
            c, q, u, drive = axis - body.axis_start, state.coordinates[axis], state.speeds[axis], scratch.drives[axis]
            if is_travel(body.kind, c):
                drive.error, drive.rate = target.coordinates[c] - q, target.rates[c]
            elif by_turn:
                along = scale(sign, load_angular(scratch.axes[axis].S))
                drive.error, drive.rate = dot(along, turn), u + dot(along, spin)
            else:
                drive.error, drive.rate = _nearest_turn(target.coordinates[c] - q), target.rates[c]
            inertia, pace, limit = max(0.0, target.inertia[c]), p[k + FOLLOW_PACE], p[k + FOLLOW_LIMIT]
            drive.stiffness, drive.damping = inertia * pace * pace, 2.0 * p[k + FOLLOW_RATIO] * pace * inertia
            effort = p[k + FOLLOW_SHARE] * target.effort[c]
            drive.limit, drive.feed = limit, min(max(effort, -limit), limit)
            drive.asked = effort + drive.stiffness * drive.error + drive.damping * (drive.rate - u)
            exerted = min(max(drive.asked, -limit), limit)
            drive.pull = exerted - drive.feed
            scratch.efforts[axis] += exerted


@kernel
def is_within(drive):
    """True if a drive does not exert all that it may."""
    return abs(drive.asked) <= drive.limit


@kernel
def _nearest_turn(angle):
    return angle - 2.0 * math.pi * math.floor(angle / (2.0 * math.pi) + 0.5)


@kernel
def _missing_turn(model, scratch, followed, target):
    """World rotation vector to the target's orientation, and the angular velocity (rad/s) that is missing."""
    body = model.bodies[followed.body]
    moving, inner = scratch.bodies[followed.body], scratch.bodies[body.inner]
    on_outer, on_inner = load9(moving.rotation), multiply(load9(inner.rotation), load9(body.joint_rotation))
    w_outer, w_inner = load3(moving.angular), load3(inner.angular)
    follows_outer = body.direction > 0.0 if not followed.in_world else body.direction * followed.sign > 0.0
    own, w = (on_outer, w_outer) if follows_outer else (on_inner, w_inner)
    other, w_other = (on_inner, w_inner) if follows_outer else (on_outer, w_outer)
    q = target.orientation
    wanted, spin = (q[0], q[1], q[2], q[3]), load3(target.spin)
    if not followed.in_world:
        wanted = multiply_quaternions(quaternion_of_matrix(other), wanted)
        spin = add(w_other, rotate(other, spin))
    turn = logarithm(multiply_quaternions(wanted, conjugate(quaternion_of_matrix(own))))
    return turn, subtract(spin, w)
