# SPDX-License-Identifier: GPL-3.0-or-later
"""Friction for a step: static where a contact, an axis or a support stands at its start, less the faster it slides.

What has stuck in the step before starts at a sliding speed of rounding, so it has all of its static friction, whatever
forces do meanwhile; the step's rows then decide whether that is enough. Symbols as in `mechanism.stiction`.
"""

import math

from ...dynamics.forces.points import first_parameter, force_point
from ...dynamics.forces.support import support_numbers
from ...dynamics.forces.switching import axis_friction, sliding_friction
from ...dynamics.forces.terrain import ground_below
from ...kernel import kernel
from ...model.arrays import AXIS_PARAMETERS, Hold, Taken
from ...spatial import add, add_scaled, cross, dot, load3, subtract

_NOTHING, _BY_FRICTION = int(Taken.NOTHING), int(Hold.FRICTION)


@kernel
def choose_friction(scratch, memory, velocity, speeds, h):
    """Sets that of contacts and axes in a step of `h` (s).

    velocity (B, 6), speeds (A,): of all bodies and axes where it began.
    """
    for x in range(memory.counts[0].axis_rows):
        row = memory.axis_rows[x]
        if row.kind == _BY_FRICTION:
            row.high = axis_friction(scratch.parameters, row.axis * AXIS_PARAMETERS, speeds[row.axis]) * h
            row.low = -row.high
    for c in range(memory.counts[0].contacts):
        contact = memory.contacts[c]
        a, b = contact.part[0], contact.part[1]
        static = math.sqrt(memory.static_friction[a] * memory.static_friction[b])
        if static > contact.friction:
            at, n = load3(contact.position), load3(contact.normal)
            u = subtract(
                _point_velocity(scratch, velocity, contact.body[1], at),
                _point_velocity(scratch, velocity, contact.body[0], at),
            )
            u = add_scaled(u, -dot(u, n), n)
            stribeck = math.sqrt(memory.stribeck_speed[a] * memory.stribeck_speed[b])
            contact.friction = sliding_friction(contact.friction, static, stribeck, math.sqrt(dot(u, u)))


@kernel
def choose_support_friction(model, scratch, memory, velocity):
    """Sets that of supports, after `soften`."""
    for number in range(len(memory.stiff)):
        each = memory.stiff[number]
        if each.taken == _NOTHING or not each.sticks:
            continue
        force, p, first = model.forces[number], scratch.parameters, first_parameter(model, number)
        support = support_numbers(p, first)
        _, x, _ = force_point(force, scratch.bodies, p, first, 0)
        u = _point_velocity(scratch, velocity, force.body[0], x)
        _, n = ground_below(model, force, support.height, x)
        u = add_scaled(u, -dot(u, n), n)
        speed = math.sqrt(dot(u, u))
        each.friction = sliding_friction(support.friction, support.static, support.stribeck, speed)
        if not each.pulls:
            each.largest = each.friction * each.pressed


@kernel
def _point_velocity(scratch, velocity, i, at):
    """Velocity at the step's start of the point of a body that is here now."""
    w = (velocity[i, 0], velocity[i, 1], velocity[i, 2])
    arm = subtract(at, load3(scratch.bodies[i].center))
    return add((velocity[i, 3], velocity[i, 4], velocity[i, 5]), cross(w, arm))
