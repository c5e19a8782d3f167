# SPDX-License-Identifier: GPL-3.0-or-later
"""Applied forces: wrenches on bodies by gravity, motors, dampers, brakes, springs, rubbers, supports and the air.

Each law has a file of its own, and `laws` tells which is whose. All numbers come from one flat `parameters` array (see
`model.parameters`), so that a table over time or an action can drive any of them alike.
"""

from ...kernel import kernel
from ...spatial import store_spatial
from .laws import add_force

_ZERO = (0.0, 0.0, 0.0)


@kernel
def update_wrenches(model, scratch):
    """Fills the wrench of each body; gravity first, then the forces in the file's order."""
    p, bodies = scratch.parameters, scratch.bodies
    gravity = len(p) - 3 * len(bodies)
    for i in range(model.driven, len(bodies)):
        k, m = gravity + 3 * i, model.bodies[i].mass
        store_spatial(bodies[i].wrench, _ZERO, (m * p[k], m * p[k + 1], m * p[k + 2]))
    for number in range(len(model.forces)):
        add_force(model, scratch, number)
