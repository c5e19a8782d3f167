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
    u = subtract(load3(body.linear), (drag.wind_x, drag.wind_y, drag.wind_z))
    f = scale(-drag.coefficient * math.sqrt(dot(u, u)), u)
    add_to_spatial(body.wrench, _ZERO, f)
