# SPDX-License-Identifier: GPL-3.0-or-later
"""Speeds that go along when a linkage is put into another pose.

Axis speeds that stay what they are would not do: the inertia that they move is another one there, and with it their
kinetic energy, by as much as the pose has changed. So it is the bodies that keep their velocities, turned as they are
turned, and hence their kinetic energy; the speeds are those whose velocities come nearest to them, by the kinetic
energy of the misfit. That is an orthogonal projection, which never adds energy, and takes of it by the square of the
change of the pose alone: a step of parallel transport on the linkage's configurations. A tree that floats keeps its
linear momentum.

The misfit has the form of the forward dynamics, as at the start (`dynamics.loops.initial_projection`): one pass of the
recursion.
"""

from ...kernel import kernel
from ...spatial import (
    apply_symmetric,
    load3,
    load6,
    load9,
    load_angular,
    load_linear,
    rotate,
    rotate_symmetric,
    scale,
    store3,
    store_spatial,
    unrotate,
)
from ..tree.articulated_body import solve_articulated_body
from ..tree.kinematics import update_kinematics

_ZERO = (0.0, 0.0, 0.0)


@kernel
def note_velocities(model, scratch, velocities):
    """Fills `velocities` (B, 6): of the dynamic bodies, angular along their own axes, linear of the centres of mass."""
    for i in range(model.driven, len(model.bodies)):
        moving = scratch.bodies[i]
        own = unrotate(load9(moving.rotation), load3(moving.angular))
        store_spatial(velocities[i], own, load3(moving.linear))


@kernel
def carry_velocities(model, state, scratch, velocities):
    """Makes the speeds those of the velocities that `note_velocities` has noted, as nearly as the joints allow.

    Kinematics must be those of the new pose, driven bodies and all, and are so afterwards. Wrenches and accelerations
    are lost, and efforts are none.
    """
    for i in range(model.driven):
        moving = scratch.bodies[i]
        store_spatial(moving.acceleration, load3(moving.angular), load3(moving.linear))
    for i in range(model.driven, len(model.bodies)):
        body, moving = model.bodies[i], scratch.bodies[i]
        R = load9(moving.rotation)
        I, w = rotate_symmetric(R, load6(body.inertia)), rotate(R, load_angular(velocities[i]))
        store_spatial(moving.wrench, apply_symmetric(I, w), scale(body.mass, load_linear(velocities[i])))
        store_spatial(moving.bias, _ZERO, _ZERO)
        store3(moving.angular, _ZERO)  # no gyroscopic moments among momenta
    for k in range(len(model.armature)):
        scratch.efforts[k] = model.armature[k] * state.speeds[k]
    solve_articulated_body(model, scratch)
    for k in range(len(model.armature)):
        state.speeds[k], scratch.efforts[k] = scratch.accelerations[k], 0.0
    update_kinematics(model, state, scratch)
