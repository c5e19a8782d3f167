# SPDX-License-Identifier: GPL-3.0-or-later
"""The laws of forces by their kind: here alone kernels tell one kind from another.

A law has a file of its own beside this one, and its lines here: in `add_force`; in `form_of`, which says in which form
it acts; and in the functions of that form. All that steps, inspects or bounds forces goes by their form.
"""

from enum import IntEnum

from ...kernel import kernel
from ...model.arrays import ForceKind, Taken
from .brake import add_brake, brake_change, brake_resistance, brake_undone
from .damping import add_damping, damping_change, damping_resistance, damping_undone
from .drag import add_drag, drag_change, drag_resistance, drag_undone
from .expression import add_expression, expression_change
from .motor import add_motor, motor_change
from .points import first_parameter, frame_axes, is_enabled
from .spring import add_pull, pull_change, pull_energy, slack_of, spring_length, spring_numbers
from .steering import add_steering, steering_change
from .support import add_support, gap_above, support_change, support_energy
from .tyre import add_tyre, gap_below, tyre_change, tyre_energy

_MOTOR, _DAMPING, _BRAKE, _SUPPORT, _SPRING, _RUBBER, _DRAG, _BALANCE, _EXPRESSION, _TYRE, _STEERING, _REACH = (
    int(ForceKind.MOTOR),
    int(ForceKind.DAMPING),
    int(ForceKind.BRAKE),
    int(ForceKind.SUPPORT),
    int(ForceKind.SPRING),
    int(ForceKind.RUBBER),
    int(ForceKind.DRAG),
    int(ForceKind.BALANCE),
    int(ForceKind.EXPRESSION),
    int(ForceKind.TYRE),
    int(ForceKind.STEERING),
    int(ForceKind.REACH),
)
_TAKEN = int(Taken.ALL)
_WORLD = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)


class Form(IntEnum):
    """Forms in which forces act."""

    GIVEN = 0  # whatever the motion is: nothing of it is stiff
    PULL = 1  # along the line between two points
    GROUND = 2  # from the ground at a point, and along it
    RESISTANCE = 3  # against motion along three axes, at a point or a centre of mass
    FIELD = 4  # by place and velocity of a point, and by time
    ROLLING = 5  # from the ground on a wheel, and by slip along it


_GIVEN, _PULL, _GROUND, _RESISTANCE = int(Form.GIVEN), int(Form.PULL), int(Form.GROUND), int(Form.RESISTANCE)
_FIELD, _ROLLING = int(Form.FIELD), int(Form.ROLLING)


@kernel
def form_of(kind):
    """The Form of a kind."""
    if kind == _SPRING or kind == _RUBBER:
        return _PULL
    if kind == _SUPPORT:
        return _GROUND
    if kind == _DAMPING or kind == _BRAKE or kind == _DRAG:
        return _RESISTANCE
    if kind == _TYRE:
        return _ROLLING
    return _FIELD if kind == _EXPRESSION else _GIVEN


@kernel
def add_force(model, scratch, number):
    """Adds the wrenches of one force to those of its bodies."""
    force, p, bodies = model.forces[number], scratch.parameters, scratch.bodies
    first = first_parameter(model, number)
    if not is_enabled(p, first) or force.kind == _BALANCE or force.kind == _REACH:  # these act in joints
        return
    if force.kind == _TYRE:
        add_tyre(model, scratch, number, first)
    elif scratch.taken[number] == _TAKEN:
        return
    elif force.kind == _MOTOR:
        add_motor(force, bodies, p, first)
    elif force.kind == _DAMPING:
        add_damping(bodies[force.body[0]], p, first)
    elif force.kind == _BRAKE:
        add_brake(force, bodies, p, first)
    elif force.kind == _SUPPORT:
        add_support(model, scratch, number, first)
    elif force.kind == _DRAG:
        add_drag(bodies[force.body[0]], p, first)
    elif force.kind == _EXPRESSION:
        add_expression(model, scratch, number, first)
    elif force.kind == _STEERING:
        add_steering(force, bodies, p, first)
    else:
        add_pull(model, scratch, number, first)


@kernel
def add_force_change(model, scratch, changes, number):
    """Adds the change of one force's wrenches along a motion of the bodies to theirs, `changes` (B,) BODY_CHANGE.

    What is left to impulses or joints, as in `add_force`, does not count.
    """
    force, p, bodies = model.forces[number], scratch.parameters, scratch.bodies
    first, body = first_parameter(model, number), model.forces[number].body[0]
    if not is_enabled(p, first) or scratch.taken[number] == _TAKEN:
        return
    if force.kind == _MOTOR:
        motor_change(force, bodies, changes, p, first)
    elif force.kind == _DAMPING:
        damping_change(changes[body], p, first)
    elif force.kind == _BRAKE:
        brake_change(force, bodies, changes, p, first)
    elif force.kind == _SUPPORT:
        support_change(model, scratch, changes, number, first)
    elif force.kind == _DRAG:
        drag_change(bodies[body], changes[body], p, first)
    elif force.kind == _EXPRESSION:
        expression_change(model, scratch, changes, number, first)
    elif force.kind == _TYRE:
        tyre_change(model, scratch, changes, number, first)
    elif force.kind == _STEERING:
        steering_change(force, bodies, changes, p, first)
    elif force.kind != _BALANCE and force.kind != _REACH:
        pull_change(model, scratch, changes, number, first)


@kernel
def is_one_sided(kind):
    """True if it acts only while a gap is closed."""
    return kind == _RUBBER or kind == _SUPPORT or kind == _TYRE


@kernel
def acts_at_center(kind):
    """True if it acts at its body's centre of mass, not at a point of its own."""
    return kind == _DAMPING or kind == _DRAG


@kernel
def gap_of(model, scratch, number):
    """The gap (m) before a force that switches acts: of a point or a tyre above its ground, of a loose rubber.

    Of a spring, which waits for its ends to come near, how much longer it is than at rest.
    """
    force, p, first = model.forces[number], scratch.parameters, first_parameter(model, number)
    if form_of(force.kind) == _GROUND:
        return gap_above(model, force, scratch.bodies, p, first)
    if form_of(force.kind) == _ROLLING:
        return gap_below(model, force, scratch.bodies, p, first)
    slack = slack_of(force, scratch.bodies, p, first)
    return -slack if force.kind == _SPRING else slack


@kernel
def force_energy(model, scratch, number):
    """J: potential; 0 of forces that have none, or are switched off."""
    return pull_energy(model, scratch, number) if is_spring(model, scratch, number) else 0.0


@kernel
def stored_energy(model, scratch, number):
    """J: `force_energy`, and what a support or a tyre gives back."""
    force, first = model.forces[number], first_parameter(model, number)
    if form_of(force.kind) == _GROUND and is_enabled(scratch.parameters, first):
        return support_energy(model, scratch, force, first)
    if form_of(force.kind) == _ROLLING and is_enabled(scratch.parameters, first):
        return tyre_energy(model, scratch, force, first)
    return force_energy(model, scratch, number)


@kernel
def stretch_of(model, scratch, number):
    """m: what stores the energy of a spring, a support or a tyre: its length, or how deep it is in."""
    force, p, first = model.forces[number], scratch.parameters, first_parameter(model, number)
    if form_of(force.kind) == _GROUND:
        return max(0.0, -gap_above(model, force, scratch.bodies, p, first))
    if form_of(force.kind) == _ROLLING:
        return max(0.0, -gap_below(model, force, scratch.bodies, p, first))
    _, _, _, length, _ = spring_length(force, scratch.bodies, p, first)
    return length


@kernel
def is_spring(model, scratch, number):
    """True if a force has a potential, and is not switched off."""
    is_pull = form_of(model.forces[number].kind) == _PULL
    return is_pull and is_enabled(scratch.parameters, first_parameter(model, number))


@kernel
def depends_on_speed(kind, p, first):
    """True unless the force is the same however fast its points move."""
    if kind == _MOTOR:
        return False
    return kind != _SPRING or spring_numbers(p, first).damping != 0.0


@kernel
def resistance_of(kind, p, first):
    """The Resistance of a force of that form."""
    if kind == _BRAKE:
        return brake_resistance(p, first)
    if kind == _DAMPING:
        return damping_resistance(p, first)
    return drag_resistance(p, first)


@kernel
def resistance_axes(force, bodies, p, first):
    """The axes along which it resists, or has components, as columns, in world axes."""
    return frame_axes(force, bodies, p, first) if force.kind == _BRAKE or force.in_frame else _WORLD


@kernel
def undone_by_resistance(force, bodies, p, first, h, along, about):
    """The part of its body's speed that it undoes in h (s).

    along: mobilities (1/kg) where it acts, along its three axes; about: 1/(kg m2), about the world's, if it has 6 rows.
    """
    if force.kind == _BRAKE:
        return brake_undone(p, first, h, along)
    if force.kind == _DAMPING:
        return damping_undone(p, first, h, along, about)
    return drag_undone(bodies[force.body[0]], p, first, h, along)
