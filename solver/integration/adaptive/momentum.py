# SPDX-License-Identifier: GPL-3.0-or-later
"""Speeds after joints have been held: the momentum along the axes that are left stays as it was.

To hold a joint that moves is a blow within the linkage. With p the momenta of the bodies, q' follows from H q' = S^T p,
the equations of motion with momenta in the place of forces and velocities in that of accelerations.
"""

from ...dynamics.tree.articulated_body import solve_articulated_body
from ...dynamics.tree.driven import update_driven_bodies
from ...dynamics.tree.kinematics import update_kinematics
from ...kernel import entry
from ...spatial import load3, load_angular, load_linear, store3, store_spatial

_ZERO = (0.0, 0.0, 0.0)


@entry
def speeds_of_momenta(model, time, state, scratch, momenta, along):
    """Fills the speeds of a state at a time (s).

    momenta: (B, 6) N m s, N s of the bodies, about their centres of mass. along: (A,) those of reflected inertias.
    """
    update_driven_bodies(model, time, scratch)
    for i in range(model.driven):
        body = scratch.bodies[i]
        store_spatial(body.acceleration, load3(body.angular), load3(body.linear))
        store3(body.angular, _ZERO)
        store3(body.linear, _ZERO)
    for k in range(len(state.speeds)):
        state.speeds[k], scratch.efforts[k] = 0.0, along[k]
    update_kinematics(model, state, scratch)
    for i in range(model.driven, len(model.bodies)):
        store_spatial(scratch.bodies[i].wrench, load_angular(momenta[i]), load_linear(momenta[i]))
    solve_articulated_body(model, scratch)
    for k in range(len(state.speeds)):
        state.speeds[k] = scratch.accelerations[k]
