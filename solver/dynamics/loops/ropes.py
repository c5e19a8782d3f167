# SPDX-License-Identifier: GPL-3.0-or-later
"""Ropes near their wheels: how long a step may be there, and where the free rope of a span has run out.

A wheel is a point. Seen from it the direction of the rope turns at v / s, s the free rope and v how fast its end passes
by: at s = 0 it jumps, and what is led beyond the wheel would be pushed away from it, as if it had come from there. So
no step takes an end farther than half of the free rope that is left, by its velocity and acceleration; then none leads
over the wheel unseen, and those that lead up to it are few, since each halves the way.
"""

import functools
import math

import numpy as np

from ...kernel import kernel, kernel_by_class
from ...model.arrays import Model, RowKind, Scratch
from ...spatial import add, cross, dot, load3, load_angular, load_linear, subtract
from .closures import closure_arm
from .methods import has_closures

_ROPE = int(RowKind.ROPE)
_OUT = 1e-4  # of a rope's length: free rope that is none, less than the radius of any wheel
OUT, BESIDE = 1, 2  # how a step of fixed length would end at a wheel
_NEARER = 0.5  # of the free rope: how far its end may move in a step


@kernel
def _span(bodies, closure, end):
    """(d, u, a) in m, m/s, m/s2: from a point of a rope to the next."""
    one, other = bodies[closure.body[end]], bodies[closure.body[end + 1]]
    r, s = closure_arm(closure, one, end), closure_arm(closure, other, end + 1)
    w, o = load3(one.angular), load3(other.angular)
    spin, swing = cross(w, r), cross(o, s)
    d = subtract(add(load3(other.center), s), add(load3(one.center), r))
    u = subtract(add(load3(other.linear), swing), add(load3(one.linear), spin))
    a = subtract(_acceleration(other, s, cross(o, swing)), _acceleration(one, r, cross(w, spin)))
    return d, u, a


@kernel
def _acceleration(body, arm, centripetal):
    return add(add(load_linear(body.acceleration), cross(load_angular(body.acceleration), arm)), centripetal)


@kernel
def _is_out(closure, end, d, u):
    """True where the free rope of a span is gone and still becomes less."""
    span = math.sqrt(dot(d, d))
    return closure.weight[end] * span <= _OUT * closure.length and (dot(d, u) < 0.0 or span == 0.0)


@kernel
def _is_rope(model, number):
    closure = model.closures[number]
    return model.rows[closure.row_start].kind == _ROPE and not closure.gives_way


@kernel
def _longest_at_wheels(model, scratch):
    longest = math.inf
    for number in range(len(model.closures)):
        if not _is_rope(model, number):
            continue
        closure = model.closures[number]
        for end in range(closure.ends):
            if closure.weight[end] == 0.0:
                continue
            d, u, a = _span(scratch.bodies, closure, end)
            if _is_out(closure, end, d, u):
                return 0.0
            reach, v = _NEARER * math.sqrt(dot(d, d)), math.sqrt(dot(u, u))
            v += math.sqrt(v * v + 2.0 * math.sqrt(dot(a, a)) * reach)
            if v > 0.0:
                longest = min(longest, 2.0 * reach / v)
    return longest


@kernel
def _any_step(model, scratch):
    return math.inf


# (model, scratch): s that a step may last from a state that has just been evaluated, so that no rope's end comes nearer
# to its wheel than by half; zero where a free rope has run out.
longest_at_wheels = kernel_by_class(lambda model: _longest_at_wheels if has_closures(model) else _any_step)


@kernel
def _fastest_at_wheels(model, scratch):
    fastest = 0.0
    for number in range(len(model.closures)):
        if not _is_rope(model, number):
            continue
        closure = model.closures[number]
        for end in range(closure.ends):
            if closure.weight[end] == 0.0:
                continue
            d, u, _ = _span(scratch.bodies, closure, end)
            fastest = max(fastest, dot(u, u) / max(dot(d, d), 1e-300))
    return math.sqrt(fastest)


@kernel
def _nothing_turns(model, scratch):
    return 0.0


# (model, scratch): rad/s: how fast the direction of a free rope turns, at most.
fastest_at_wheels = kernel_by_class(lambda model: _fastest_at_wheels if has_closures(model) else _nothing_turns)


@kernel
def _reaches_wheel(model, scratch, h):
    reaches = 0
    for number in range(len(model.closures)):
        if not _is_rope(model, number):
            continue
        closure = model.closures[number]
        for end in range(closure.ends):
            if closure.weight[end] == 0.0:
                continue
            d, u, _ = _span(scratch.bodies, closure, end)
            if _is_out(closure, end, d, u):
                return OUT
            if dot(d, u) < 0.0 and h * h * dot(u, u) >= dot(d, d):
                beside = cross(d, u)
                if closure.weight[end] * math.sqrt(dot(beside, beside) / dot(u, u)) <= _OUT * closure.length:
                    return OUT
                reaches = BESIDE
    return reaches


@kernel
def _reaches_none(model, scratch, h):
    return 0


# (model, scratch, h): OUT where a step of h (s), which cannot be shorter, would use up a free rope, BESIDE where it
# would go all the way to the wheel but beside it, else 0; by kinematics.
reaches_wheel = kernel_by_class(lambda model: _reaches_wheel if has_closures(model) else _reaches_none)


def shortest_span(model: Model, scratch: Scratch) -> tuple[int, int]:
    """(closure, which of its spans) that has least free rope left, as a part of the rope's length; plain Python."""
    left = {}
    for number in filter(functools.partial(_is_rope, model), range(len(model.closures))):
        closure = model.closures[number]
        for end in np.flatnonzero(closure.weight[: closure.ends]).tolist():
            d, _, _ = _span(scratch.bodies, closure, end)
            left[number, end] = closure.weight[end] * math.sqrt(dot(d, d)) / closure.length
    return min(left, key=left.__getitem__)
