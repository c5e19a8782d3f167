# SPDX-License-Identifier: GPL-3.0-or-later
"""Frames of a joint's two handles: the frame in which its axes are single components.

Handles have their components (0 to 2 angular, 3 to 5 linear) in an order of their joint's kind: those that the joint
transmits, then those that its axes set free, in the order of the axes. In the joint's frame, which is the parent's or
the child's or between them, an axis moves one component and no other. T takes accelerations from a handle to that
frame, T^T forces back.
"""

import math

from ..dynamics.tree.joints import (
    FREE,
    GENERIC,
    SCREW,
    SPHERICAL,
    UNIVERSAL,
    chart_rotation,
    free_turns,
    generic_travel,
    has_rotation_vector,
    relative_pose,
    turn_about,
    turns_in_sequence,
)
from ..kernel import kernel
from ..mechanism.joint_types import LENGTH, JointType
from ..model.arrays import TYPES
from ..spatial import multiply, transpose


def _order(joint_type: JointType) -> tuple[int, ...]:
    """Components of a joint's handles: those that it transmits, and those that its axes set free."""
    free = () if joint_type.rides else [axis.axis + (3 if axis.kind == LENGTH else 0) for axis in joint_type.axes]
    return (*(k for k in range(6) if k not in free), *free)


ORDER = tuple(_order(joint_type) for joint_type in TYPES)  # by Kind; contact joints are refused by `posing`
PLAIN = (0, 1, 2, 3, 4, 5)

_IDENTITY = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)


@kernel
def fill_transforms(joint, order, coordinates, anchor, T_parent, T_child):
    """Fills both T (6, 6), in the order of the joint's kind."""
    kind, first, q = joint.kind, joint.axis_start, coordinates
    R_parent, R_child, x, y, z = _IDENTITY, _IDENTITY, 0.0, 0.0, 0.0
    if kind == UNIVERSAL:
        c, s = math.cos(q[first]), math.sin(q[first])
        R_parent = (1.0, 0.0, 0.0, 0.0, c, s, 0.0, -s, c)
        c, s = math.cos(q[first + 1]), math.sin(q[first + 1])
        R_child = (c, 0.0, s, 0.0, 1.0, 0.0, -s, 0.0, c)
    elif kind == SPHERICAL:
        R_parent = transpose(chart_rotation(anchor, joint.chart, q, first))
    elif kind == FREE:
        x, y, z = q[first], q[first + 1], q[first + 2]
    elif kind > GENERIC and turns_in_sequence(kind):
        _fill_sequence(joint, order, q, T_parent, T_child)
        return
    elif kind > GENERIC and has_rotation_vector(kind):
        (x, y, z), first = generic_travel(kind, q, first)
    else:  # all along and about the parent's axes
        R_child, (x, y, z) = relative_pose(kind, joint.pitch, q, first, anchor, joint.chart)
    _fill(R_parent, R_parent, (x, y, z), joint, order, T_parent)
    if kind == FREE or (kind > GENERIC and has_rotation_vector(kind)):
        # travels along the parent's axes, turns about the child's
        R_child = chart_rotation(anchor, joint.chart, q, first + 3 if kind == FREE else first)
        _fill(_IDENTITY, R_child, (0.0, 0.0, 0.0), joint, order, T_child)
    else:
        _fill(R_child, R_child, (0.0, 0.0, 0.0), joint, order, T_child)


@kernel
def _fill_sequence(joint, order, q, T_parent, T_child):
    """Travels along the parent's axes, turns about those between the frames: one has turned, the other not yet."""
    travel, k = generic_travel(joint.kind, q, joint.axis_start)
    turns = free_turns(joint.kind)
    first, second = (0 if turns & 1 else 1), (2 if turns & 4 else 1)
    before, after = turn_about(first, q[k]), turn_about(second, q[k + 1])
    _fill(transpose(before), _IDENTITY, travel, joint, order, T_parent)
    _fill(after, multiply(before, after), (0.0, 0.0, 0.0), joint, order, T_child)


@kernel
def _fill(R_angular, R, t, joint, order, T):
    """a' = R (a + alpha x t), alpha' = R_angular alpha; across a screw's thread the linear z less pitch alpha_z."""
    for i in range(6):
        for k in range(6):
            T[i, k] = _element(R_angular, R, t, order[i], order[k])
            if joint.kind == SCREW and order[i] == 5:
                T[i, k] -= joint.pitch * _element(R_angular, R, t, 2, order[k])


@kernel
def _element(R_angular, R, t, i, k):
    if i < 3:
        return R_angular[3 * i + k] if k < 3 else 0.0
    i -= 3
    if k >= 3:
        return R[3 * i + k - 3]
    if k == 0:  # e_x x t = (0, -t_z, t_y)
        return R[3 * i + 2] * t[1] - R[3 * i + 1] * t[2]
    if k == 1:
        return R[3 * i] * t[2] - R[3 * i + 2] * t[0]
    return R[3 * i + 1] * t[0] - R[3 * i] * t[1]
