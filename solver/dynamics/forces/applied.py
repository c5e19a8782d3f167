# SPDX-License-Identifier: GPL-3.0-or-later
"""Applied forces: wrenches on bodies by gravity, motors, dampers, brakes, springs, rubbers, supports and the air.

Each law has a file of its own. All numbers come from one flat `parameters` array (see `model.parameters`), so that a
table over time or an action can drive any of them alike; `model.force_numbers` has their names.
"""

from ...kernel import kernel
from ...model.arrays import ForceKind, Taken
from ...model.force_numbers import is_enabled
from ...spatial import store_spatial
from .brake import add_brake
from .damping import add_damping
from .drag import add_drag
from .motor import add_motor
from .points import first_parameter
from .spring import add_pull, slack_of
from .support import add_support, gap_above

_MOTOR, _DAMPING, _BRAKE, _SUPPORT, _DRAG, _BALANCE = (
    int(ForceKind.MOTOR),
    int(ForceKind.DAMPING),
    int(ForceKind.BRAKE),
    int(ForceKind.SUPPORT),
    int(ForceKind.DRAG),
    int(ForceKind.BALANCE),
)
_TAKEN = int(Taken.ALL)
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


@kernel
def add_force(model, scratch, number):
    """Adds the wrenches of one force to those of its bodies."""
    force, p, bodies = model.forces[number], scratch.parameters, scratch.bodies
    first = first_parameter(model, number)
    if not is_enabled(p, first) or scratch.taken[number] == _TAKEN or force.kind == _BALANCE:  # that one acts in joints
        return
    if force.kind == _MOTOR:
        add_motor(force, bodies, p, first)
    elif force.kind == _DAMPING:
        add_damping(bodies[force.body[0]], p, first)
    elif force.kind == _BRAKE:
        add_brake(force, bodies, p, first)
    elif force.kind == _SUPPORT:
        add_support(model, scratch, number, first)
    elif force.kind == _DRAG:
        add_drag(bodies[force.body[0]], p, first)
    else:
        add_pull(model, scratch, number, first)


@kernel
def gap_of(model, scratch, number):
    """The gap before a force that switches acts (m): of a point above its ground, of a rubber that hangs loose."""
    force, p, first = model.forces[number], scratch.parameters, first_parameter(model, number)
    if force.kind == _SUPPORT:
        return gap_above(force, scratch.bodies, p, first)
    return slack_of(force, scratch.bodies, p, first)
