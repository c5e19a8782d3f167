# SPDX-License-Identifier: GPL-3.0-or-later
"""Kinetic and potential energy of the present pose."""

from ..contact.soft.soft_contact import contact_energy
from ..dynamics.forces.curves import axis_curve_energy, has_axis_curves
from ..dynamics.forces.joint_forces import rotation_coordinates
from ..dynamics.forces.laws import force_energy
from ..dynamics.tree.joints import has_rotation_vector
from ..kernel import kernel
from ..model.arrays import AXIS_PARAMETERS, REST, STIFFNESS
from ..spatial import apply_symmetric, dot, load3, load6, load9, rotate_symmetric


@kernel
def body_energy(model, state, scratch, i):
    """J: kinetic, of a dynamic body, the reflected inertias of its joint included."""
    body, moving = model.bodies[i], scratch.bodies[i]
    w, v = load3(moving.angular), load3(moving.linear)
    I = rotate_symmetric(load9(moving.rotation), load6(body.inertia))
    energy = 0.5 * (dot(w, apply_symmetric(I, w)) + body.mass * dot(v, v))
    for k in range(body.axis_start, body.axis_end):
        energy += 0.5 * model.armature[k] * state.speeds[k] ** 2
    return energy


@kernel
def joint_energy(model, state, scratch, i):
    """J: potential, in the springs and soft limits of the joint to body i."""
    body, p, energy = model.bodies[i], scratch.parameters, 0.0
    theta = (0.0, 0.0, 0.0)
    charted = body.axis_end  # its axis from which on they are a rotation vector
    if has_rotation_vector(body.kind):
        charted -= 3
        theta = rotation_coordinates(body, state.coordinates, state.anchor)
    for axis in range(body.axis_start, body.axis_end):
        k = axis * AXIS_PARAMETERS
        q = theta[axis - charted] if axis >= charted else state.coordinates[axis]
        energy += 0.5 * p[k + STIFFNESS] * (q - p[k + REST]) ** 2
        if has_axis_curves(model):
            energy += axis_curve_energy(model, p, axis, q)
    return energy


@kernel
def kinetic_energy(model, state, scratch):
    """Joule; of the dynamic bodies, reflected inertias included."""
    total = 0.0
    for i in range(model.driven, len(model.bodies)):
        total += body_energy(model, state, scratch, i)
    return total


@kernel
def potential_energy(model, state, scratch):
    """Joule; of gravity (zero at the world's origin), springs, stretched rubbers, joint springs and soft contacts."""
    total, p = contact_energy(scratch), scratch.parameters
    gravity = len(p) - 3 * len(model.bodies)
    for i in range(model.driven, len(model.bodies)):
        k = gravity + 3 * i
        total -= model.bodies[i].mass * dot((p[k], p[k + 1], p[k + 2]), load3(scratch.bodies[i].center))
        total += joint_energy(model, state, scratch, i)
    for number in range(len(model.forces)):
        total += force_energy(model, scratch, number)
    return total
