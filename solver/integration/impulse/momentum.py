# SPDX-License-Identifier: GPL-3.0-or-later
"""Momentum of what hangs on nothing: what forces from outside have given, to the last digit.

Runge-Kutta keeps the momentum of a linkage only as well as its coordinates, and what closes its loops takes some away.
Here the impulses of all forces are added up with the same weights, and a rigid motion of the whole makes up for what is
missing, which opens no joint and no closure. Symbols, for a floating piece (bodies that joints and closures hold
together, and nothing else holds): p, l linear and angular momentum about the world's origin; m mass, c centre, J
inertia about it.
"""

import math
from typing import NamedTuple

import numpy as np

from ...kernel import kernel
from ...model.arrays import Kind, Model
from ...spatial import (
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
    """Of each floating piece, at the number of its first body."""

    piece: np.ndarray  # (B,) int64: the first body of each body's floating piece, -1 without one
    due: np.ndarray  # (B, 6): l and p that there should be
    missing: np.ndarray  # (B, 6): and that are to be added; work
    inertia: np.ndarray  # (B, 10): m, m c, and six numbers of the inertia about the origin; work
    travel: np.ndarray  # (B, 3) N m s: what l gains as impulses act along the step, not at its end


def new_momenta(model: Model) -> Momenta:
    """Zeroed room."""
    bodies = len(model.bodies)
    piece, is_held = pieces(model)
    piece[is_held] = -1
    return Momenta(piece, np.zeros((bodies, 6)), np.zeros((bodies, 6)), np.zeros((bodies, 10)), np.zeros((bodies, 3)))


def pieces(model: Model) -> tuple[np.ndarray, np.ndarray]:
    """(B,) int64: the first body of those that joints and closures hold together with each; (B,) whether driven ones
    hold it, or it follows the world, and for driven ones themselves."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    bodies, driven = len(model.bodies), model.driven
    inner = model.bodies.inner.tolist()
    links = [(i, inner[i]) for i in range(driven, bodies) if inner[i] >= driven]
    for ends in _ends_of_closures(model):
        free = [end for end in ends if end >= driven]  # driven bodies join nothing
        links += [(free[0], end) for end in free[1:]]
    held = [body for body, _ in anchors(model)]
    held += [body for body in model.followed.body.tolist() if model.bodies[body].kind == _FREE]
    links = np.array(links, int).reshape(-1, 2)
    graph = coo_array((np.ones(len(links)), links.T), shape=(bodies, bodies))
    _, label = connected_components(graph, directed=False)
    _, first = np.unique(label, return_index=True)
    return first[label].astype(np.int64), np.isin(label, label[held]) | (np.arange(bodies) < driven)


def anchors(model: Model) -> list[tuple[int, int]]:
    """Pairs of a dynamic body and a driven one that a joint or a closure ties together."""
    driven = model.driven
    hangs = (model.bodies.inner < driven) & (model.bodies.kind != _FREE)
    hangs[:driven] = False
    found = [(int(i), int(model.bodies.inner[i])) for i in np.flatnonzero(hangs)]
    for ends in _ends_of_closures(model):
        found += [(body, end) for body in ends if body >= driven for end in ends if end < driven]
    return found


def _ends_of_closures(model: Model) -> list[list[int]]:
    numbers = sorted(set(model.rows.closure[: model.closing].tolist()))
    return [model.closures[number].body[: model.closures[number].ends].tolist() for number in numbers]


@kernel
def note_momenta(model, scratch, momenta):
    """Starts with the momenta of now."""
    _clear(momenta.due)
    add_momenta(model, scratch, momenta.piece, momenta.due, 1.0)


@kernel
def add_impulses(model, scratch, momenta, share):
    """Adds what the applied forces of now give in a time of `share` (s)."""
    for i in range(model.driven, len(model.bodies)):
        if momenta.piece[i] >= 0:
            moving = scratch.bodies[i]
            n, f = load_angular(moving.wrench), load_linear(moving.wrench)
            add_to_sums(momenta.due, momenta.piece[i], add(n, cross(load3(moving.center), f)), f, share)


@kernel
def restore_momenta(model, scratch, state, momenta):
    """Gives each floating piece the momentum that is due; kinematics must be up to date, and are so afterwards."""
    missing = momenta.missing
    for i in range(model.driven, len(model.bodies)):
        for k in range(6):
            missing[i, k] = momenta.due[i, k]
    add_momenta(model, scratch, momenta.piece, missing, -1.0)
    _add_inertias(model, scratch, momenta)
    _move_pieces(model, scratch, state, momenta)


@kernel
def find_rigid_energies(model, scratch, momenta, energies):
    """J: the least kinetic energy that each floating piece can have with its momenta of now.

    Writes `energies` (B,) at the pieces' first bodies.
    """
    _clear(momenta.missing)
    add_momenta(model, scratch, momenta.piece, momenta.missing, 1.0)
    _add_inertias(model, scratch, momenta)
    for i in range(model.driven, len(model.bodies)):
        if momenta.piece[i] == i:
            l, p = load_angular(momenta.missing[i]), load_linear(momenta.missing[i])
            w, v, c = _rigid_motion(momenta.missing[i], momenta.inertia[i])
            energies[i] = 0.5 * (dot(w, subtract(l, cross(c, p))) + dot(v, p))


@kernel
def give_back(model, scratch, state, momenta, share):
    """Adds shares (B,) of the rigid motions that `find_rigid_energies` has found, in the same pose, to the pieces."""
    for i in range(model.driven, len(model.bodies)):
        if momenta.piece[i] == i:
            for k in range(6):
                momenta.missing[i, k] *= share[i]
    _move_pieces(model, scratch, state, momenta)


@kernel
def _clear(sums):
    for i in range(len(sums)):
        for k in range(sums.shape[1]):
            sums[i, k] = 0.0


@kernel
def add_momenta(model, scratch, piece, sums, share):
    """Adds a share of each piece's momenta, l and p, to `sums` (B, 6) at its number; piece (B,): -1 without one."""
    for i in range(model.driven, len(model.bodies)):
        if piece[i] >= 0:
            body, moving = model.bodies[i], scratch.bodies[i]
            w, p = load3(moving.angular), scale(body.mass, load3(moving.linear))
            I = rotate_symmetric(load9(moving.rotation), load6(body.inertia))
            add_to_sums(sums, piece[i], add(apply_symmetric(I, w), cross(load3(moving.center), p)), p, share)


@kernel
def add_to_sums(sums, r, l, p, share):
    """Adds a share of two vectors to a row of `sums`."""
    for k in range(3):
        sums[r, k] += share * l[k]
        sums[r, 3 + k] += share * p[k]


@kernel
def _add_inertias(model, scratch, momenta):
    _clear(momenta.inertia)
    for i in range(model.driven, len(model.bodies)):
        if momenta.piece[i] >= 0:
            body, moving, sums = model.bodies[i], scratch.bodies[i], momenta.inertia[momenta.piece[i]]
            c, m = load3(moving.center), body.mass
            J = _steiner(rotate_symmetric(load9(moving.rotation), load6(body.inertia)), m, c)
            sums[0] += m
            for k in range(3):
                sums[1 + k] += m * c[k]
            for k in range(6):
                sums[4 + k] += J[k]


@kernel
def _move_pieces(model, scratch, state, momenta):
    """Adds the rigid motions that have the momenta still missing."""
    for i in range(model.driven, len(model.bodies)):
        first = momenta.piece[i]
        if first >= 0:
            w, v, c = _rigid_motion(momenta.missing[first], momenta.inertia[first])
            moving = scratch.bodies[i]
            v = add(v, cross(w, subtract(load3(moving.center), c)))
            if model.bodies[i].inner < model.driven:
                axis = model.bodies[i].axis_start
                for k in range(3):
                    state.speeds[axis + k] += dot(load_linear(scratch.axes[axis + k].S), v)
                    state.speeds[axis + 3 + k] += dot(load_angular(scratch.axes[axis + 3 + k].S), w)
            for k in range(3):
                moving.angular[k] += w[k]
                moving.linear[k] += v[k]


@kernel
def _rigid_motion(momentum, sums):
    """(w, v, c): the rigid motion, about the piece's centre, that has this momentum."""
    m = sums[0]
    c = scale(1.0 / m, (sums[1], sums[2], sums[3]))
    p = load_linear(momentum)
    l = subtract(load_angular(momentum), cross(c, p))
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
def forget_travel(momenta):
    """No impulses have been noted in this step yet."""
    for i in range(len(momenta.travel)):
        for k in range(3):
            momenta.travel[i, k] = 0.0


@kernel
def note_travel(model, scratch, began, momenta, body, impulse, turned, h):
    """Notes an even impulse between two bodies, on the second, in a step of `h` (s): it acts where they were meanwhile.

    What it shifts by h/2 times the speeds that it gives gains no spin by that. began: see impulse_memory.Began;
    turned (N m s): the change of its moment as its place has drifted along the bodies.
    """
    way = way_from_middle(model, scratch, began, body, h)
    _share_out(model, momenta, body, add_scaled(cross(impulse, way), -0.5, turned))


@kernel
def way_from_middle(model, scratch, began, body, h):
    """m: how far the centres of two bodies have come since the middle of a step, in the mean of those that are dynamic.

    began: see impulse_memory.Began.
    """
    way, moving = (0.0, 0.0, 0.0), 0
    for i in body:
        if i >= model.driven:
            came = subtract(load3(scratch.bodies[i].center), load3(began.center[i]))
            way = add(way, add_scaled(came, -0.5 * h, load_linear(began.velocity[i])))
            moving += 1
    return scale(1.0 / max(1, moving), way)


@kernel
def note_led_apart(model, scratch, momenta, body, led):
    """Notes what leads two bodies apart, without speed, by `led` (kg m) on the second: it gives no spin either."""
    v, moving = (0.0, 0.0, 0.0), 0
    for i in body:
        if i >= model.driven:
            v, moving = add(v, load3(scratch.bodies[i].linear)), moving + 1
    _share_out(model, momenta, body, cross(led, scale(1.0 / max(1, moving), v)))


@kernel
def _share_out(model, momenta, body, gained):
    """Takes from the second body's piece what its partner gains: the whole keeps its momentum."""
    for end in range(2):
        if body[end] >= model.driven and momenta.piece[body[end]] >= 0:
            for k in range(3):
                momenta.travel[momenta.piece[body[end]], k] += gained[k] if end == 1 else -gained[k]


@kernel
def add_travel(model, momenta):
    """Adds to the momenta that are due what impulses along the step bring about the origin."""
    for i in range(model.driven, len(model.bodies)):
        for k in range(3):
            momenta.due[i, k] += momenta.travel[i, k]
