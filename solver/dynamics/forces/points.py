# SPDX-License-Identifier: GPL-3.0-or-later
"""Points and frames of forces, which tables may move on their bodies.

Symbols, as in all files of forces: c centre of mass, x a point of a body, u its velocity, f force, n moment about c.
"""

from ...kernel import kernel
from ...model.arrays import AXIS_PARAMETERS, FORCE_PARAMETERS, FRAME, POINTS
from ...rotation import matrix_of_quaternion, normalized
from ...spatial import add, cross, load3, load9, multiply, rotate, subtract, transpose, unrotate


@kernel
def first_parameter(model, number):
    """The place of a force's numbers among the parameters; the first says if it is enabled."""
    return len(model.armature) * AXIS_PARAMETERS + number * FORCE_PARAMETERS


@kernel
def is_enabled(p, first):
    """True if the force whose numbers begin there acts."""
    return p[first] != 0.0


@kernel
def force_point(force, bodies, p, first, end):
    """(arm from the body's reference point, position, velocity) of one end of a force."""
    body, k = bodies[force.body[end]], first + POINTS + 3 * end
    at_start = subtract((p[k], p[k + 1], p[k + 2]), load3(force.origin[end]))
    arm = rotate(load9(body.rotation), unrotate(load9(force.axes[end]), at_start))
    velocity = add(load3(body.linear), cross(load3(body.angular), arm))
    return arm, add(load3(body.center), arm), velocity


@kernel
def frame_axes(force, bodies, p, first):
    """The axes of a force's own frame in the world, nine numbers row by row, as its first body stands now."""
    k = first + FRAME
    at_start = matrix_of_quaternion(normalized((p[k], p[k + 1], p[k + 2], p[k + 3])))
    return multiply(load9(bodies[force.body[0]].rotation), multiply(transpose(load9(force.axes[0])), at_start))


@kernel
def point_change(force, bodies, changes, p, first, end):
    """The change of what `force_point` tells along a motion of the bodies, `changes` (B,) BODY_CHANGE."""
    change = changes[force.body[end]]
    arm, _, _ = force_point(force, bodies, p, first, end)
    turned = cross(load3(change.turn), arm)
    spun = add(cross(load3(change.angular), arm), cross(load3(bodies[force.body[end]].angular), turned))
    return turned, add(load3(change.shift), turned), add(load3(change.linear), spun)
