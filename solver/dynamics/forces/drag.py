# SPDX-License-Identifier: GPL-3.0-or-later
"""Drag of the air, with the square of the speed that a body has in it."""

import math

from ...kernel import kernel
from ...mechanism.forces import DragNumbers
from ...spatial import add_scaled, add_to_spatial, dot, load3, scale, subtract
from .resistance import SQUARE, Resistance

_ZERO = (0.0, 0.0, 0.0)


@kernel
def drag_numbers(p, first):
    """Its law's numbers."""
    return DragNumbers(p[first + 1], p[first + 2], p[first + 3], p[first + 4])


@kernel
def add_drag(body, p, first):
    """Adds its force to its body's wrench, at the centre of mass."""
    drag = drag_numbers(p, first)
    u = _speed_in_air(body, drag)
    f = scale(-drag.coefficient * math.sqrt(dot(u, u)), u)
    add_to_spatial(body.wrench, _ZERO, f)


@kernel
def drag_resistance(p, first):
    """As rows for impulses have it."""
    drag = drag_numbers(p, first)
    c = drag.coefficient
    return Resistance(SQUARE, 3, c, c, c, 0.0, math.inf, drag.wind_x, drag.wind_y, drag.wind_z)


@kernel
def drag_undone(body, p, first, h, along):
    """The part of its body's speed that it undoes in h (s), by mobilities along three axes."""
    return h * drag_tangent(body, p, first) * (along[0] + along[1] + along[2]) / 3.0


@kernel
def drag_tangent(body, p, first):
    """Damping along the way that the body goes in the air (N s/m), twice of what it is across it."""
    drag = drag_numbers(p, first)
    u = _speed_in_air(body, drag)
    return 2.0 * drag.coefficient * math.sqrt(dot(u, u))


@kernel
def _speed_in_air(body, drag):
    return subtract(load3(body.linear), (drag.wind_x, drag.wind_y, drag.wind_z))


@kernel
def drag_change(body, change, p, first):
    """Adds the change of its force along a motion of its body, a BODY_CHANGE; in still air there is none."""
    drag = drag_numbers(p, first)
    u, u_change = _speed_in_air(body, drag), load3(change.linear)
    speed = math.sqrt(dot(u, u))
    if speed > 0.0:
        faster = dot(u, u_change) / speed
        f_change = add_scaled(scale(-drag.coefficient * speed, u_change), -drag.coefficient * faster, u)
        add_to_spatial(change.wrench, _ZERO, f_change)
