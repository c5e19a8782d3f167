# SPDX-License-Identifier: GPL-3.0-or-later
"""Joint kinematics: axes and poses from coordinates; the one place that knows the kinds of joint.

A joint takes its parent's frame to its child's frame by the axes in their order: each axis is fixed in the frame that
the axes before it have made. Lengths go along the parent's axes; turns are about the joint's origin on the child. If
the recursion comes from the child's side (direction -1), the same axes count with the opposite sign.

Symbols: R, t rotation and travel of the child's frame in the parent's; S = (a, b) motion subspace of an axis about
the outer body's centre of mass, which lies at rho from the joint's origin.
"""

import math

from ...kernel import kernel
from ...model.arrays import Kind
from ...rotation import exponential, matrix_of_quaternion, multiply_quaternions
from ...spatial import axis_x, axis_y, axis_z, cross, scale, store_spatial

FIXED, REVOLUTE, PRISMATIC, SCREW, CYLINDRICAL = (
    int(Kind.FIXED),
    int(Kind.REVOLUTE),
    int(Kind.PRISMATIC),
    int(Kind.SCREW),
    int(Kind.CYLINDRICAL),
)
_CONTACT = int(Kind.CONTACT)
UNIVERSAL, SPHERICAL, PLANAR, FREE = int(Kind.UNIVERSAL), int(Kind.SPHERICAL), int(Kind.PLANAR), int(Kind.FREE)

_IDENTITY = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
_ZERO = (0.0, 0.0, 0.0)


@kernel
def turn_about_z(angle):
    """The rotation matrix (nine numbers, row by row) of a turn about z by an angle (rad)."""
    c, s = math.cos(angle), math.sin(angle)
    return (c, -s, 0.0, s, c, 0.0, 0.0, 0.0, 1.0)


@kernel
def turns_in_sequence(kind):
    """True if it turns about one axis and then about another, which the first has moved."""
    return kind == UNIVERSAL


@kernel
def is_travel(kind, number):
    """True if the joint's axis of this number is a straight line."""
    return (
        kind == PRISMATIC
        or (kind == CYLINDRICAL and number == 1)
        or (kind == PLANAR and number < 2)
        or (kind == FREE and number < 3)
        or (kind == _CONTACT and number < 2)
    )


@kernel
def universal_rotation(alpha, beta):
    """About x by alpha, then about the new y by beta."""
    c, s = math.cos(alpha), math.sin(alpha)
    d, e = math.cos(beta), math.sin(beta)
    return (d, 0.0, e, s * e, c, -s * d, -c * e, s, c * d)


@kernel
def chart_rotation(anchor, chart, coordinates, first):
    """Rotation anchor * exp(theta) of a chart whose rotation vector stands from `first` on."""
    theta = (coordinates[first], coordinates[first + 1], coordinates[first + 2])
    q = (anchor[chart, 0], anchor[chart, 1], anchor[chart, 2], anchor[chart, 3])
    return matrix_of_quaternion(multiply_quaternions(q, exponential(theta)))


@kernel
def relative_pose(kind, pitch, coordinates, first, anchor, chart):
    """(R, t): the child's frame in the parent's frame."""
    q = coordinates
    if kind == REVOLUTE:
        return turn_about_z(q[first]), _ZERO
    if kind == PRISMATIC:
        return _IDENTITY, (0.0, 0.0, q[first])
    if kind == SCREW:
        return turn_about_z(q[first]), (0.0, 0.0, pitch * q[first])
    if kind == CYLINDRICAL:
        return turn_about_z(q[first]), (0.0, 0.0, q[first + 1])
    if kind == UNIVERSAL:
        return universal_rotation(q[first], q[first + 1]), _ZERO
    if kind == SPHERICAL:
        return chart_rotation(anchor, chart, q, first), _ZERO
    if kind == PLANAR:
        return turn_about_z(q[first + 2]), (q[first], q[first + 1], 0.0)
    if kind == FREE:
        return chart_rotation(anchor, chart, q, first + 3), (q[first], q[first + 1], q[first + 2])
    return _IDENTITY, _ZERO


@kernel
def store_motion_subspaces(axes, kind, pitch, direction, first, parent_frame, child_frame, rho):
    """Writes S of each of the joint's axes."""
    if kind == REVOLUTE:
        a = scale(direction, axis_z(parent_frame))
        store_spatial(axes[first].S, a, cross(a, rho))
    elif kind == PRISMATIC:
        store_spatial(axes[first].S, _ZERO, scale(direction, axis_z(parent_frame)))
    elif kind == SCREW:
        a = scale(direction, axis_z(parent_frame))
        b = cross(a, rho)
        store_spatial(axes[first].S, a, (b[0] + pitch * a[0], b[1] + pitch * a[1], b[2] + pitch * a[2]))
    elif kind == CYLINDRICAL:
        a = scale(direction, axis_z(parent_frame))
        store_spatial(axes[first].S, a, cross(a, rho))
        store_spatial(axes[first + 1].S, _ZERO, a)
    elif kind == UNIVERSAL:
        a = scale(direction, axis_x(parent_frame))
        b = scale(direction, axis_y(child_frame))
        store_spatial(axes[first].S, a, cross(a, rho))
        store_spatial(axes[first + 1].S, b, cross(b, rho))
    elif kind == PLANAR:
        a = scale(direction, axis_z(parent_frame))
        store_spatial(axes[first].S, _ZERO, scale(direction, axis_x(parent_frame)))
        store_spatial(axes[first + 1].S, _ZERO, scale(direction, axis_y(parent_frame)))
        store_spatial(axes[first + 2].S, a, cross(a, rho))
    elif kind == SPHERICAL or kind == FREE:
        turn = first
        if kind == FREE:
            store_spatial(axes[first].S, _ZERO, scale(direction, axis_x(parent_frame)))
            store_spatial(axes[first + 1].S, _ZERO, scale(direction, axis_y(parent_frame)))
            store_spatial(axes[first + 2].S, _ZERO, scale(direction, axis_z(parent_frame)))
            turn = first + 3
        a = scale(direction, axis_x(child_frame))
        store_spatial(axes[turn].S, a, cross(a, rho))
        a = scale(direction, axis_y(child_frame))
        store_spatial(axes[turn + 1].S, a, cross(a, rho))
        a = scale(direction, axis_z(child_frame))
        store_spatial(axes[turn + 2].S, a, cross(a, rho))
