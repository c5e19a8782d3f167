# SPDX-License-Identifier: GPL-3.0-or-later
"""Momentum of trees that hang on nothing: what forces from outside have given, to the last digit.

Runge-Kutta keeps the momentum of a linkage only as well as its coordinates. Here the impulses of all forces are added
up with the same weights, and a rigid motion of the whole tree makes up for what is missing. Symbols, for one tree:
p, l linear and angular momentum about the world's origin; m mass, c centre, J inertia about it.
"""

import math
from typing import NamedTuple

import numpy as np

from ..dynamics.methods import has_closures
from ..kernel import kernel, kernel_by_class
from ..mechanism.model import Kind, Model
from ..spatial import (
    add,
    add_scaled,
    apply_symmetric,
    cross,
    dot,
    load3,
    load6,
    load9,
    load_angular,
    load_linear,
    rotate_symmetric,
    scale,
    subtract,
)

_FREE = int(Kind.FREE)


class Momenta(NamedTuple):
    """Of each tree, at the number of its root."""

    due: np.ndarray  # (B, 6): l and p that there should be
    inertia: np.ndarray  # (B, 10): m, m c, and six numbers of the inertia about the origin; work


def new_momenta(model: Model) -> Momenta:
    """Zeroed room."""
    return Momenta(np.zeros((len(model.bodies), 6)), np.zeros((len(model.bodies), 10)))


@kernel
def note_momenta(model, scratch, root, momenta):
    """Starts with the momenta of now."""
    for i in range(model.driven, len(model.bodies)):
        for k in range(6):
            momenta.due[i, k] = 0.0
    for i in range(model.driven, len(model.bodies)):
        l, p = _momentum(model.bodies[i], scratch.bodies[i])
        _add(momenta.due, root[i], l, p, 1.0)


@kernel
def add_impulses(model, scratch, root, momenta, share):
    """Adds what the applied forces of now give in a time of `share` (s)."""
    for i in range(model.driven, len(model.bodies)):
        moving = scratch.bodies[i]
        n, f = load_angular(moving.wrench), load_linear(moving.wrench)
        _add(momenta.due, root[i], add(n, cross(load3(moving.center), f)), f, share)


@kernel
def _momentum(body, moving):
    w, p = load3(moving.angular), scale(body.mass, load3(moving.linear))
    I = rotate_symmetric(load9(moving.rotation), load6(body.inertia))
    return add(apply_symmetric(I, w), cross(load3(moving.center), p)), p


@kernel
def _add(due, r, l, p, share):
    for k in range(3):
        due[r, k] += share * l[k]
        due[r, 3 + k] += share * p[k]


@kernel
def restore_momenta(model, scratch, state, root, momenta):
    """Gives each tree that floats the momentum that is due; kinematics must be up to date, and are so afterwards."""
    due, sums = momenta.due, momenta.inertia
    for i in range(model.driven, len(model.bodies)):
        for k in range(10):
            sums[i, k] = 0.0
    for i in range(model.driven, len(model.bodies)):
        body, moving, r = model.bodies[i], scratch.bodies[i], root[i]
        l, p = _momentum(body, moving)
        _add(due, r, l, p, -1.0)
        c, m = load3(moving.center), body.mass
        J = _steiner(rotate_symmetric(load9(moving.rotation), load6(body.inertia)), m, c)
        sums[r, 0] += m
        for k in range(3):
            sums[r, 1 + k] += m * c[k]
        for k in range(6):
            sums[r, 4 + k] += J[k]
    for i in range(model.driven, len(model.bodies)):
        r = root[i]
        if model.bodies[r].kind == _FREE:
            w, v, c = _missing(due[r], sums[r])
            moving = scratch.bodies[i]
            v = add(v, cross(w, subtract(load3(moving.center), c)))
            if i == r:
                first = model.bodies[i].axis_start
                for k in range(3):
                    state.speeds[first + k] += dot(load_linear(scratch.axes[first + k].S), v)
                    state.speeds[first + 3 + k] += dot(load_angular(scratch.axes[first + 3 + k].S), w)
            for k in range(3):
                moving.angular[k] += w[k]
                moving.linear[k] += v[k]


@kernel
def _missing(due, sums):
    """(w, v, c): the rigid motion, about the tree's centre, that has the momentum still due."""
    m = sums[0]
    c = scale(1.0 / m, (sums[1], sums[2], sums[3]))
    p = (due[3], due[4], due[5])
    l = subtract((due[0], due[1], due[2]), cross(c, p))
    about_origin = (sums[4], sums[5], sums[6], sums[7], sums[8], sums[9])
    return _solve(_steiner(about_origin, -m, c), l), scale(1.0 / m, p), c


@kernel
def _steiner(I, m, c):
    """I + m (|c|^2 - c c^T)."""
    square = dot(c, c)
    return (
        I[0] + m * (square - c[0] * c[0]),
        I[1] - m * c[0] * c[1],
        I[2] - m * c[0] * c[2],
        I[3] + m * (square - c[1] * c[1]),
        I[4] - m * c[1] * c[2],
        I[5] + m * (square - c[2] * c[2]),
    )


@kernel
def _solve(J, l):
    """J^-1 l by Cramer's rule; zero where J is singular."""
    a, b, d = (J[0], J[1], J[2]), (J[1], J[3], J[4]), (J[2], J[4], J[5])
    bd = cross(b, d)
    determinant = dot(a, bd)
    if not math.isfinite(1.0 / determinant):
        return (0.0, 0.0, 0.0)
    x = add_scaled(add_scaled(scale(l[0], bd), l[1], cross(d, a)), l[2], cross(a, b))
    return scale(1.0 / determinant, x)


@kernel
def slide_moment(scratch, began, block):
    """What two bodies that slide on each other get, both of them, so that the block's force gives no moment to the two.

    Its force is noted about their centres; the point where it acts moves on with the mean of them.
    """
    a, b = block.body[0], block.body[1]
    x_a, x_b = load3(scratch.bodies[a].center), load3(scratch.bodies[b].center)
    apart = subtract(subtract(x_a, load3(began[a])), subtract(x_b, load3(began[b])))
    return scale(0.5, cross(apart, load3(block.force)))


@kernel
def _note_of_tree(model, scratch, memory, share):
    note_momenta(model, scratch, memory.walk.root, memory.momenta)
    add_impulses(model, scratch, memory.walk.root, memory.momenta, share)


@kernel
def _push_tree_on(model, scratch, memory, share):
    add_impulses(model, scratch, memory.walk.root, memory.momenta, share)


@kernel
def _restore_tree(model, scratch, memory, state):
    restore_momenta(model, scratch, state, memory.walk.root, memory.momenta)


@kernel
def _leave_share(model, scratch, memory, share):
    pass


@kernel
def _leave(model, scratch, memory, state):
    pass


# Closures may take momentum away: only trees without any keep theirs.
note_momenta_of = kernel_by_class(lambda model: _leave_share if has_closures(model) else _note_of_tree)
push_on = kernel_by_class(lambda model: _leave_share if has_closures(model) else _push_tree_on)
restore_momenta_of = kernel_by_class(lambda model: _leave if has_closures(model) else _restore_tree)
