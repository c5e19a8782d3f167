# SPDX-License-Identifier: GPL-3.0-or-later
"""Drag of the air, with the square of the speed that a body has in it."""

import math

from ...kernel import kernel
from ...model.force_numbers import drag_numbers
from ...spatial import add_to_spatial, dot, load3, scale, subtract

_ZERO = (0.0, 0.0, 0.0)


@kernel
def add_drag(body, p, first):
    """Adds its force to its body's wrench, at the centre of mass."""
    drag = drag_numbers(p, first)
    u = _speed_in_air(body, drag)
    f = scale(-drag.coefficient * math.sqrt(dot(u, u)), u)
    add_to_spatial(body.wrench, _ZERO, f)


@kernel
def drag_tangent(body, p, first):
    """Damping along the way that the body goes in the air (N s/m), twice of what it is across it."""
    drag = drag_numbers(p, first)
    u = _speed_in_air(body, drag)
    return 2.0 * drag.coefficient * math.sqrt(dot(u, u))


@kernel
def _speed_in_air(body, drag):
    return subtract(load3(body.linear), (drag.wind_x, drag.wind_y, drag.wind_z))
