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
from ...spatial import axis_of, axis_x, axis_y, axis_z, cross, multiply, scale, store_spatial

FIXED, REVOLUTE, PRISMATIC, SCREW, CYLINDRICAL = (
    int(Kind.FIXED),
    int(Kind.REVOLUTE),
    int(Kind.PRISMATIC),
    int(Kind.SCREW),
    int(Kind.CYLINDRICAL),
)
_CONTACT = int(Kind.CONTACT)
UNIVERSAL, SPHERICAL, PLANAR, FREE = int(Kind.UNIVERSAL), int(Kind.SPHERICAL), int(Kind.PLANAR), int(Kind.FREE)
GENERIC = int(Kind.GENERIC_1) - 1  # kinds beyond it: the excess has a bit for each free travel x, y, z and turn x, y, z
_ALL_TURNS = 7

_IDENTITY = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
_ZERO = (0.0, 0.0, 0.0)


@kernel
def turn_about_z(angle):
    """The rotation matrix (nine numbers, row by row) of a turn about z by an angle (rad)."""
    c, s = math.cos(angle), math.sin(angle)
    return (c, -s, 0.0, s, c, 0.0, 0.0, 0.0, 1.0)


@kernel
def turn_about(axis, angle):
    """The same about x, y or z (0, 1, 2)."""
    c, s = math.cos(angle), math.sin(angle)
    if axis == 0:
        return (1.0, 0.0, 0.0, 0.0, c, -s, 0.0, s, c)
    if axis == 1:
        return (c, 0.0, s, 0.0, 1.0, 0.0, -s, 0.0, c)
    return (c, -s, 0.0, s, c, 0.0, 0.0, 0.0, 1.0)


@kernel
def _bits(three):
    return (three & 1) + ((three >> 1) & 1) + ((three >> 2) & 1)


@kernel
def free_turns(kind):
    """The bits of the turns about x, y and z that a generic joint has; 0 of other joints."""
    return (kind - GENERIC) >> 3 if kind > GENERIC else 0


@kernel
def turns_in_sequence(kind):
    """True if it turns about one axis and then about another, which the first has moved: its last two axes."""
    return kind == UNIVERSAL or _bits(free_turns(kind)) == 2


@kernel
def has_rotation_vector(kind):
    """True if the coordinates of its last three axes are a rotation vector, as a ball joint's are."""
    return kind == SPHERICAL or free_turns(kind) == _ALL_TURNS


@kernel
def is_of_child(kind, number):
    """True if the joint's axis of this number is fixed in its child's frame, not in its parent's."""
    if kind > GENERIC:
        travels, turns = _bits((kind - GENERIC) & 7), free_turns(kind)
        return number >= travels and (turns == _ALL_TURNS or number > travels)
    return kind == SPHERICAL or (kind == FREE and number >= 3) or (kind == UNIVERSAL and number == 1)


@kernel
def is_travel(kind, number):
    """True if the joint's axis of this number is a straight line."""
    return (
        kind == PRISMATIC
        or (kind == CYLINDRICAL and number == 1)
        or (kind == PLANAR and number < 2)
        or (kind == FREE and number < 3)
        or (kind == _CONTACT and number < 2)
        or (kind > GENERIC and number < _bits((kind - GENERIC) & 7))
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
    if kind > GENERIC:
        return _generic_pose(kind, q, first, anchor, chart)
    return _IDENTITY, _ZERO


@kernel
def generic_travel(kind, q, first):
    """(travel, number of the coordinate behind it) of a generic joint."""
    bits, k = kind - GENERIC, first
    x, y, z = 0.0, 0.0, 0.0
    if bits & 1:
        x, k = q[k], k + 1
    if bits & 2:
        y, k = q[k], k + 1
    if bits & 4:
        z, k = q[k], k + 1
    return (x, y, z), k


@kernel
def _generic_pose(kind, q, first, anchor, chart):
    travel, k = generic_travel(kind, q, first)
    turns, R = free_turns(kind), _IDENTITY
    if turns == _ALL_TURNS:
        return chart_rotation(anchor, chart, q, k), travel
    for axis in range(3):
        if (turns >> axis) & 1:
            R, k = multiply(R, turn_about(axis, q[k])), k + 1
    return R, travel


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
    elif kind > GENERIC:
        _store_generic(axes, kind, direction, first, parent_frame, child_frame, rho)


@kernel
def _store_generic(axes, kind, direction, first, parent_frame, child_frame, rho):
    k = first
    for axis in range(6):
        if ((kind - GENERIC) >> axis) & 1:
            frame = child_frame if is_of_child(kind, k - first) else parent_frame
            a = scale(direction, axis_of(frame, axis % 3))
            if axis < 3:
                store_spatial(axes[k].S, _ZERO, a)
            else:
                store_spatial(axes[k].S, a, cross(a, rho))
            k += 1
