# SPDX-License-Identifier: GPL-3.0-or-later
"""Rigid parts of a linkage some of whose joints are held: their masses, and their momenta as they become rigid.

A part goes by its head, the innermost of its bodies, whose joint is active, or the driven body that it hangs on. To
hold a joint that moves is a blow within the linkage: the momentum along the axes that are left stays as it was. With p
the momenta of the bodies, the speeds q' follow from H q' = S^T p, the equations of motion with momenta in the place of
forces, and velocities in that of accelerations.
"""

import numpy as np

from ...dynamics.tree.articulated_body import solve_articulated_body
from ...dynamics.tree.driven import update_driven_bodies
from ...dynamics.tree.kinematics import update_kinematics
from ...kernel import entry, kernel
from ...spatial import (
    add,
    add_symmetric,
    apply_symmetric,
    cross,
    load3,
    load6,
    load9,
    load_angular,
    load_linear,
    rotate_symmetric,
    scale,
    store3,
    store_spatial,
    subtract,
)

RIGID_PART = np.dtype(
    [
        ("head", "i8"),  # number of a body in the whole linkage
        ("bodies", "i8"),  # how many it has
        ("mass", "f8"),  # kg, of its dynamic bodies
        ("center", "f8", 3),  # m: centre of mass; of one that hangs on a driven body, that one's reference point
        ("inertia", "f8", 6),  # kg m2: about it, along the world's axes
        ("momentum", "f8", 6),  # N m s, N s: about it, as all joints move now
    ],
    align=True,
)
_ZERO = (0.0, 0.0, 0.0)


@entry
def join_bodies(model, scratch, is_active, part, parts):
    """Fills the part (B,) of each body and the records (B,) RIGID_PART; returns the number of parts.

    is_active: (B,) of the bodies' joints, True for driven bodies. The pose and velocities are those in `scratch`.
    """
    count = 0
    for i in range(len(model.bodies)):
        if is_active[i]:
            part[i] = count
            parts[count].head, parts[count].bodies, parts[count].mass = i, 0, 0.0
            store3(parts[count].center, _ZERO)
            store_spatial(parts[count].inertia, _ZERO, _ZERO)
            store_spatial(parts[count].momentum, _ZERO, _ZERO)
            count += 1
        else:
            part[i] = part[model.bodies[i].inner]
        mine, m = parts[part[i]], model.bodies[i].mass if i >= model.driven else 0.0
        mine.bodies += 1
        mine.mass += m
        store3(mine.center, add(load3(mine.center), scale(m, load3(scratch.bodies[i].center))))
    for number in range(count):
        mine = parts[number]
        if mine.bodies == 1 or mine.head < model.driven:
            store3(mine.center, load3(scratch.bodies[mine.head].center))
        else:
            store3(mine.center, scale(1.0 / mine.mass, load3(mine.center)))
    for i in range(model.driven, len(model.bodies)):
        _add_body(model.bodies[i], scratch.bodies[i], parts[part[i]])
    return count


@kernel
def _add_body(body, moving, part):
    """Adds a body's inertia and momentum."""
    m, v, w = body.mass, load3(moving.linear), load3(moving.angular)
    I = rotate_symmetric(load9(moving.rotation), load6(body.inertia))
    d = subtract(load3(moving.center), load3(part.center))
    xx, yy, zz = m * d[0] * d[0], m * d[1] * d[1], m * d[2] * d[2]
    steiner = (yy + zz, -m * d[0] * d[1], -m * d[0] * d[2], xx + zz, -m * d[1] * d[2], xx + yy)
    total = add_symmetric(load6(part.inertia), add_symmetric(I, steiner))
    for k in range(6):
        part.inertia[k] = total[k]
    p = scale(m, v)
    n = add(apply_symmetric(I, w), cross(d, p))
    store_spatial(part.momentum, add(load_angular(part.momentum), n), add(load_linear(part.momentum), p))


@entry
def speeds_of_momenta(model, time, state, scratch, parts, along):
    """Fills the speeds of a hybrid linkage's state at a time (s).

    parts: (b,) RIGID_PART of its bodies. along: (a,) momenta of reflected inertias.
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
        momentum = parts[i].momentum
        store_spatial(scratch.bodies[i].wrench, load_angular(momentum), load_linear(momentum))
    solve_articulated_body(model, scratch)
    for k in range(len(state.speeds)):
        state.speeds[k] = scratch.accelerations[k]
