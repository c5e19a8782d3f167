# SPDX-License-Identifier: GPL-3.0-or-later
"""A convex stand-in for the stiffness of a tree far from equilibrium: of its tensions, body by body.

Where joints and closures pull with forces f at arms r from a body's centre, a turn t of it changes the energy by
    -f.(t x (t x r)) / 2 = t.G t / 2,   G = (f.r) 1 - (f r^T + r f^T) / 2,
summed over them: what makes a tense chain stiff across (Baraff and Witkin 1998). A thrust makes it negative. So |f||r|
stands for f.r, as much as a turn of any size can resist: the energy is never above what this says, so that steps lead
downhill, and no body turns by much more than a radian. A joint with one axis or two bears a moment m across them: as
bodies turn, so do axes, to second order by half the product of both turns: |m| / 2 is added all round on its bodies.
Forces are those of rest: joints bear what is applied further out. For a chain whose tensions are known the system falls
apart into that of one link each, and Newton's method needs no more steps for a long one than for a short one. With
these G beside the bodies' inertias the linearised tree becomes that of the articulated body method, symmetric and
definite.
"""

import math

from ...kernel import kernel
from ...model.arrays import RowKind
from ...spatial import (
    add,
    add_scaled,
    add_symmetric,
    cross,
    dot,
    load3,
    load6,
    load9,
    load_angular,
    load_linear,
    rotate_symmetric,
    scale,
    store_spatial,
    subtract,
)
from ..loops.closures import closure_arm
from ..loops.point_rows import is_between_points
from ..tree.kinematics import joint_place
from .linearised_tree import apply_now

_TRAVEL, _TURN, _SCREW = int(RowKind.TRAVEL), int(RowKind.TURN), int(RowKind.SCREW)
_ZERO = (0.0, 0.0, 0.0)


@kernel
def apply_at_rest(model, scratch, work):
    """Fills the wrenches that are applied to the bodies; closures pull as the latest system has found."""
    apply_now(model, scratch, work)
    for r in range(model.closing):
        row, closure = scratch.rows[r], model.closures[model.rows[r].closure]
        for end in range(closure.ends):
            i = closure.body[end]
            if i >= model.driven:
                for c in range(6):
                    work.applied[i, c] += (work.pull[r] - row.multiplier) * row.wrench[end, c]


@kernel
def linearise_convex(model, scratch, work, h):
    """Fills the arrays that `factor_linearised` needs, after `apply_at_rest`."""
    _find_tensions(model, scratch, work)
    for k in range(len(work.effort)):
        S = scratch.axes[k].S
        for c in range(6):
            work.turning[k, 0, c] = work.turning[k, 1, c] = work.block_velocity[k, c] = 0.0
            work.T[k, c] = work.T[k, 6 + c] = 0.0
            work.T[k, 12 + c] = S[c]
    for i in range(model.driven, len(model.bodies)):
        body, moving, F = model.bodies[i], scratch.bodies[i], work.F[i]
        g = work.motion[i]
        G = tuple_scaled(h * h, (g[0] + g[6], g[1], g[2], g[3] + g[6], g[4], g[5] + g[6]))
        I = add_symmetric(rotate_symmetric(load9(moving.rotation), load6(body.inertia)), G)
        for c in range(6):
            for d in range(18):
                F[c, d] = 0.0
        F[0, 12], F[0, 13], F[0, 14], F[1, 13], F[1, 14], F[2, 14] = I
        F[1, 12], F[2, 12], F[2, 13] = I[1], I[2], I[4]
        for c in range(3):
            F[3 + c, 15 + c] = body.mass
        store_spatial(work.taken[i], _ZERO, _ZERO)


@kernel
def find_lifts(model, scratch, work):
    """Fills the first number of each body's `bias` with what its G is at most (N m), before `explicit_motion`."""
    _find_tensions(model, scratch, work)
    for i in range(model.driven, len(model.bodies)):
        work.bias[i, 0] = work.motion[i, 7]


@kernel
def lift_turns(model, work, gain):
    """Adds `gain` (s2) of those lifts to F."""
    for i in range(model.driven, len(model.bodies)):
        for c in range(3):
            work.F[i, c, 12 + c] += gain * work.bias[i, 0]


@kernel
def turn_closures(model, scratch, work):
    """Adds to F, after `explicit_motion`, that closures pull at points which turn with their bodies."""
    for number in range(len(model.closures)):
        closure = model.closures[number]
        if not pulls_at_points(model, closure):
            continue
        for end in range(2):
            i = closure.body[end]
            if i < model.driven:
                continue
            f, r, F = _ZERO, closure_arm(closure, scratch.bodies[i], end), work.F[i]
            for k in range(closure.row_start, closure.row_end):
                f = add_scaled(f, work.pull[k], load_linear(scratch.rows[k].wrench[end]))
            for d in range(3):
                unit = (1.0 if d == 0 else 0.0, 1.0 if d == 1 else 0.0, 1.0 if d == 2 else 0.0)
                moment = cross(cross(unit, r), f)
                for c in range(3):
                    F[c, d] -= moment[c]


@kernel
def pulls_at_points(model, closure):
    """True of a closure whose rows act at the frames of its two bodies."""
    kind = model.rows[closure.row_start].kind
    return kind == _TRAVEL or kind == _TURN or kind == _SCREW or is_between_points(kind)


@kernel
def _find_tensions(model, scratch, work):
    """Fills the first numbers of `motion` with each body's G, the seventh with what it is lifted by."""
    for i in range(model.driven, len(model.bodies)):
        for c in range(8):
            work.motion[i, c] = 0.0
        store_spatial(work.taken[i], load_angular(work.applied[i]), load_linear(work.applied[i]))
    for number in range(len(model.closures)):
        closure = model.closures[number]
        if pulls_at_points(model, closure):
            for end in range(2):
                i = closure.body[end]
                if i >= model.driven:
                    f = _ZERO
                    for k in range(closure.row_start, closure.row_end):
                        f = add_scaled(f, work.pull[k], load_linear(scratch.rows[k].wrench[end]))
                    _add_tension(work.motion[i], f, closure_arm(closure, scratch.bodies[i], end))
    for i in range(len(model.bodies) - 1, model.driven - 1, -1):
        inner, place = model.bodies[i].inner, joint_place(model, scratch, i)
        moment, outward = load_angular(work.taken[i]), load_linear(work.taken[i])
        r = subtract(place, load3(scratch.bodies[i].center))
        _add_tension(work.motion[i], scale(-1.0, outward), r)
        borne = _borne(model, scratch, i, subtract(moment, cross(r, outward)))
        share = 0.5 * math.sqrt(dot(borne, borne))
        _add_lift(work.motion[i], share)
        if inner >= model.driven:
            r = subtract(place, load3(scratch.bodies[inner].center))
            _add_tension(work.motion[inner], outward, r)
            _add_lift(work.motion[inner], share)
            moment = add(load_angular(work.taken[inner]), add(borne, cross(r, outward)))
            store_spatial(work.taken[inner], moment, add(load_linear(work.taken[inner]), outward))


@kernel
def _borne(model, scratch, i, moment):
    """The part of a moment that a body's joint bears, along none of its axes."""
    body, s, turns = model.bodies[i], _ZERO, 0
    for k in range(body.axis_start, body.axis_end):
        t = load_angular(scratch.axes[k].S)
        if t == _ZERO:
            continue
        if turns == 1:
            s = cross(s, t)
            if not dot(s, s) > 0.0:
                return _ZERO
        elif turns == 0:
            s = t
        turns += 1
    if turns == 0:
        return moment
    along = scale(dot(moment, s) / dot(s, s), s)
    return subtract(moment, along) if turns == 1 else (along if turns == 2 else _ZERO)


@kernel
def _add_tension(target, f, r):
    along = dot(f, r)
    target[0] += along - f[0] * r[0]
    target[1] -= 0.5 * (f[0] * r[1] + f[1] * r[0])
    target[2] -= 0.5 * (f[0] * r[2] + f[2] * r[0])
    target[3] += along - f[1] * r[1]
    target[4] -= 0.5 * (f[1] * r[2] + f[2] * r[1])
    target[5] += along - f[2] * r[2]
    most = math.sqrt(dot(f, f) * dot(r, r))
    target[6] += most - along
    target[7] += most


@kernel
def _add_lift(target, share):
    target[6] += share
    target[7] += share


@kernel
def tuple_scaled(a, G):
    """A symmetric matrix times a number."""
    return (a * G[0], a * G[1], a * G[2], a * G[3], a * G[4], a * G[5])
