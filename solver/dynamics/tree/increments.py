# SPDX-License-Identifier: GPL-3.0-or-later
"""Increments of bodies in a step, from those of their joints, and the momenta that go with them.

Differences of poses would lose the digits that a small step leaves; the increments here come from those of the axes and
keep them all. A body turns by the quaternion (w, e) about world axes, R' = turn(w, e) R, and its centre of mass travels
by d. The joint's own turn is the product of its axes' turns, each about the axis as it is at the step's beginning, that
next to the inner body first; a chart turns about one axis by its rotation vector.

With the midpoint rule for quaternions, x' = (x1 - x0) / h at (x0 + x1) / 2, a body's kinetic energy in a step is that
of the angular velocity 2 e / h (Wendlandt 1997, chapter 2); its discrete Legendre transform gives, along world axes,
    L = 2/h (w I e + e x I e),   p = m d / h,
with I as at the beginning. The same L follows from the end: what leaves one pose is what arrives at the other (Moser
and Veselov 1991), so without forces momentum and angular momentum stay what they are.
"""

from typing import NamedTuple

import numpy as np

from ...kernel import by_reference, kernel
from ...model.arrays import Model
from ...rotation import exponential, multiply_quaternions, quaternion_of_matrix
from ...spatial import (
    add,
    add_scaled,
    apply_symmetric,
    cross,
    load3,
    load6,
    load9,
    load_angular,
    load_linear,
    multiply,
    rotate_symmetric,
    scale,
    store3,
    subtract,
    transpose,
)
from .joints import SCREW, is_travel, turns_in_sequence
from .kinematics import joint_origin

_ZERO = (0.0, 0.0, 0.0)


@by_reference
class Increments(NamedTuple):
    """Turns and travels of bodies in a step."""

    turn: np.ndarray  # (B, 4): quaternion about world axes
    travel: np.ndarray  # (B, 3) m: of the centre of mass


def new_increments(model: Model) -> Increments:
    """Bodies that stand still."""
    bodies = len(model.bodies)
    return Increments(np.tile([1.0, 0.0, 0.0, 0.0], (bodies, 1)), np.zeros((bodies, 3)))


@kernel
def update_driven_increments(model, scratch, after, increments):
    """Those of driven bodies, between their poses in `scratch` and in the other scratch `after`."""
    for i in range(model.driven):
        if model.driven_bodies[i].key_start >= 0:
            body, moved = scratch.bodies[i], after.bodies[i]
            turn = quaternion_of_matrix(multiply(load9(moved.rotation), transpose(load9(body.rotation))))
            store3(increments.travel[i], subtract(load3(moved.center), load3(body.center)))
            _store_turn(increments, i, turn)


@kernel
def update_increments(model, scratch, change, increments):
    """Those of dynamic bodies, for `change` (A,) of the coordinates; charts are at their anchors.

    The kinematics in `scratch` are those of the step's beginning; increments of driven bodies must be up to date.
    """
    for i in range(model.driven, len(model.bodies)):
        body, moving = model.bodies[i], scratch.bodies[i]
        inner = scratch.bodies[body.inner]
        origin = joint_origin(body, inner, moving)
        o, rho = subtract(origin, load3(inner.center)), subtract(load3(moving.center), origin)
        carried = _load_turn(increments, body.inner)
        turn, slide = _joint_increment(body, scratch.axes, change)
        turn = multiply_quaternions(carried, turn)
        d = add(load3(increments.travel[body.inner]), add(_swing(carried, o), _swing(turn, rho)))
        slide = add(slide, _swing(carried if body.direction > 0.0 else turn, slide))
        store3(increments.travel[i], add(d, slide))
        _store_turn(increments, i, turn)


@kernel
def _joint_increment(body, axes, change):
    """(the joint's own turn, how far its origin slides), along world axes as they are at the beginning."""
    kind, first, last = body.kind, body.axis_start, body.axis_end
    slide, vector, turn = _ZERO, _ZERO, (1.0, 0.0, 0.0, 0.0)
    for k in range(first, last):
        S = axes[k].S
        if is_travel(kind, k - first):
            slide = add_scaled(slide, change[k], load_linear(S))
            continue
        vector = add_scaled(vector, change[k], load_angular(S))
        if kind == SCREW:
            slide = add_scaled(slide, body.pitch * change[k], load_angular(S))
        if turns_in_sequence(kind):
            own = exponential(vector)
            turn = multiply_quaternions(turn, own) if body.direction > 0.0 else multiply_quaternions(own, turn)
            vector = _ZERO
    if not turns_in_sequence(kind):
        turn = exponential(vector)
    return turn, slide


@kernel
def _swing(turn, r):
    """By how much a turn moves the point at r."""
    e = (turn[1], turn[2], turn[3])
    t = cross(e, r)
    return scale(2.0, add(scale(turn[0], t), cross(e, t)))


@kernel
def discrete_momentum(model, scratch, increments, i, h):
    """(angular momentum about the centre of mass, momentum) of a body in a step of h (s), along world axes."""
    body, turn = model.bodies[i], _load_turn(increments, i)
    I = rotate_symmetric(load9(scratch.bodies[i].rotation), load6(body.inertia))
    e = (turn[1], turn[2], turn[3])
    L = apply_symmetric(I, e)
    spin = scale(2.0 / h, add(scale(turn[0], L), cross(e, L)))
    return spin, scale(body.mass / h, load3(increments.travel[i]))


@kernel
def _load_turn(increments, i):
    q = increments.turn[i]
    return (q[0], q[1], q[2], q[3])


@kernel
def _store_turn(increments, i, q):
    for k in range(4):
        increments.turn[i, k] = q[k]
