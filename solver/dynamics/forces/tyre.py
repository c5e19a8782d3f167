# SPDX-License-Identifier: GPL-3.0-or-later
"""A tyre on the ground: a radial spring over a smooth envelope of its rim, and slip within a circle of friction.

Envelope: points p_i stand round the lower half of the rim, in one plane, or in three across the width, each in by g_i
(`terrain`). How deep the tyre is in is their smooth maximum
    D = e log(sum of exp(g_i / e) / that of an upright tyre that just touches level ground),  e = R / 100,
so a kerb is met where the rim meets it, before the axle is above it. The spring's force is the gradient of its energy
k D^2 / 2 for motions of the points with the wheel, so a rolling wheel takes nothing from uneven ground and leaves
nothing there; N = k D + c dD/dt, never below zero.

Slip: u is the velocity of the rim where it touches, at the radius R, V the speed of rolling, the spin times R. The
brush model for both ways at once (Fiala 1954; Pacejka 2012, 3.2) has the force
    f = -(Cx ux, Cy uy) / V (1 - q + q^2 / 3),  q = |(Cx ux, Cy uy)| / (3 V m N),
up to q = 1, and m N against the way of sliding from there on; V is sqrt((spin R)^2 + v0^2), so what stands creeps, with
Cx / v0 against it. It follows slip at once: the law has no relaxation length. What rolls on is resisted by a moment
r N R about the axle.

Symbols: R radius, k stiffness, c damping, m friction, r rolling resistance, v0 slip speed; a axle, n normal of the
ground, t along the way of rolling, s across it, a unit vector each.
"""

import math
from typing import NamedTuple

import numpy as np

from ...kernel import kernel
from ...mechanism.forces import TyreNumbers
from ...model.arrays import Taken
from ...spatial import add, add_scaled, add_to_spatial, axis_y, cross, dot, load3, scale
from .closing import is_closed
from .points import force_point, frame_axes, point_change
from .terrain import surface_at

_POINTS = 33  # round half a rim,
_SOFT = 0.01  # of the radius: e, to which these are near enough for a sum over them to be one over all
_AT = np.linspace(-0.5 * math.pi, 0.5 * math.pi, _POINTS)
_TOUCHING = float(np.sum(np.exp((np.cos(_AT) - 1.0) / _SOFT)))
_ZERO, _UP = (0.0, 0.0, 0.0), (0.0, 0.0, 1.0)
_FLAT = 1e-6  # sine of the lean of a wheel that lies on its side: it has no lowest point
_TINY = 1e-300
_TAKEN_FRICTION, _TAKEN = int(Taken.FRICTION), int(Taken.ALL)
_STEP = 1e-6  # s: of the difference for the change along a motion


class Touching(NamedTuple):
    """A tyre where it touches."""

    depth: float  # m
    push: float  # N: of spring and damper along the gradient of the depth
    gradient: tuple  # of the depth for motions of the wheel's centre,
    turning: tuple  # m: and for turns about it
    arm: tuple  # m: from the centre to where it slips
    normal: tuple
    along: tuple  # t
    across: tuple  # s
    u_along: float  # m/s: slip
    u_across: float
    pace: float  # m/s: V
    load: float  # N: along the normal


@kernel
def tyre_numbers(p, first):
    """Its law's numbers."""
    k = first + 1
    return TyreNumbers(p[k], p[k + 1], p[k + 2], p[k + 3], p[k + 4], p[k + 5], p[k + 6])


@kernel
def envelope(model, force, height, x, axle):
    """(D, its gradient, its gradient for turns, middle of what touches from the centre) of a wheel at x."""
    lean = math.sqrt(max(0.0, 1.0 - axle[2] * axle[2]))
    if not lean > _FLAT:
        return -force.radius, _ZERO, _ZERO, _ZERO
    down = (axle[0] * axle[2] / lean, axle[1] * axle[2] / lean, -lean)
    ahead = cross(down, axle)
    planes = 1 if force.width == 0.0 else 3
    soft = _SOFT * force.radius
    total, top = 0.0, -math.inf
    gradient, turning, middle = _ZERO, _ZERO, _ZERO
    for plane in range(planes):
        side = scale(0.5 * force.width * (plane - 1) if planes == 3 else 0.0, axle)
        for k in range(_POINTS):
            angle = math.pi * (k / (_POINTS - 1.0) - 0.5)
            r = add_scaled(
                add_scaled(side, force.radius * math.cos(angle), down), force.radius * math.sin(angle), ahead
            )
            p = add(x, r)
            if force.terrain < 0:
                g, slope = height - p[2], (0.0, 0.0, -1.0)
            else:
                h, hx, hy, hxx, hxy, hyy = surface_at(model, force.terrain, p[0], p[1])
                up = 1.0 / math.sqrt(1.0 + hx * hx + hy * hy)
                gap, bend = height + h - p[2], -up * up * up
                g = gap * up
                slope = (
                    hx * up + gap * bend * (hx * hxx + hy * hxy),
                    hy * up + gap * bend * (hx * hxy + hy * hyy),
                    -up,
                )
            if g > top:
                kept = math.exp((top - g) / soft)
                total, gradient, turning, middle = (
                    total * kept, scale(kept, gradient), scale(kept, turning), scale(kept, middle)
                )  # fmt: skip
                top = g
            weight = math.exp((g - top) / soft)
            total += weight
            gradient = add_scaled(gradient, weight, slope)
            turning = add_scaled(turning, weight, cross(r, slope))
            middle = add_scaled(middle, weight, r)
    depth = top + soft * math.log(total / (planes * _TOUCHING))
    gradient, turning, middle = scale(1.0 / total, gradient), scale(1.0 / total, turning), scale(1.0 / total, middle)
    return depth, gradient, add_scaled(turning, -dot(turning, axle), axle), middle  # the rim's points do not spin


@kernel
def touching(model, force, tyre, x, axle, u, spin):
    """Touching of a wheel at x that moves at u (m/s) and turns at spin (rad/s), if it touches."""
    depth, gradient, turning, middle = envelope(model, force, tyre.height, x, axle)
    push = tyre.stiffness * depth + tyre.damping * (dot(gradient, u) + dot(turning, spin))
    steep = math.sqrt(dot(gradient, gradient))
    normal = scale(-1.0 / steep, gradient) if steep > 0.0 else _UP
    along = cross(axle, normal)
    size = math.sqrt(dot(along, along))
    along = scale(1.0 / size, along) if size > _FLAT else _ZERO
    across = cross(normal, along)
    beside = dot(middle, axle)
    outward = add_scaled(middle, -beside, axle)
    reach = math.sqrt(dot(outward, outward))
    arm = add_scaled(scale(beside, axle), force.radius / max(reach, _TINY), outward)
    turned = cross(spin, arm)
    slip, roll = add(u, turned), dot(turned, along)
    pace = math.sqrt(roll * roll + force.slip_speed * force.slip_speed)
    load = max(0.0, push) * steep
    return Touching(
        depth, push, gradient, turning, arm, normal, along, across, dot(slip, along), dot(slip, across), pace, load
    )


@kernel
def slip_gains(tyre, t):
    """N s/m: along and across, times the slip the force against it."""
    along, across = tyre.slip_stiffness / t.pace, tyre.cornering_stiffness / t.pace
    asked = math.sqrt((along * t.u_along) ** 2 + (across * t.u_across) ** 2)
    share = slip_share(asked, tyre.friction * t.load)
    return share * along, share * across


@kernel
def slip_share(asked, most):
    """The part of what slip asks for by its stiffness that friction, up to `most`, gives by the brush model."""
    if not most > 0.0:
        return 0.0
    q = asked / (3.0 * most)
    return 1.0 - q + q * q / 3.0 if q < 1.0 else 1.0 / (3.0 * q)


@kernel
def tyre_wrench(model, force, tyre, t, spin, axle, with_slip):
    """(moment about the centre, force) of what touches."""
    n, f = scale(-t.push, t.turning), scale(-t.push, t.gradient)
    n = add(n, rolling_drag(force, tyre, t, spin, axle))
    if not with_slip:
        return n, f
    along, across = slip_gains(tyre, t)
    slip = add(scale(-along * t.u_along, t.along), scale(-across * t.u_across, t.across))
    return add(n, cross(t.arm, slip)), add(f, slip)


@kernel
def rolling_drag(force, tyre, t, spin, axle):
    """N m: against rolling, about the axle."""
    rate, slow = dot(spin, axle), force.slip_speed / force.radius
    drag = tyre.rolling_resistance * t.load * force.radius
    return scale(-drag * rate / math.sqrt(rate * rate + slow * slow), axle)


@kernel
def axle_of(force, bodies, p, first):
    """The wheel's axle: Y of the force's frame."""
    return axis_y(frame_axes(force, bodies, p, first))


@kernel
def touching_now(model, scratch, number, first):
    """(Touching, arm of the centre, axle) of a tyre as its wheel stands and moves."""
    force, p, bodies = model.forces[number], scratch.parameters, scratch.bodies
    arm, x, u = force_point(force, bodies, p, first, 0)
    axle, spin = axle_of(force, bodies, p, first), load3(bodies[force.body[0]].angular)
    return touching(model, force, tyre_numbers(p, first), x, axle, u, spin), arm, axle


@kernel
def add_tyre(model, scratch, number, first):
    """Adds its wrench to its body's; the drag of rolling is never left to impulses."""
    force, p, body = model.forces[number], scratch.parameters, scratch.bodies[model.forces[number].body[0]]
    t, arm, axle = touching_now(model, scratch, number, first)
    if is_closed(force, scratch, number, t.depth) and t.push > 0.0:
        tyre, spin = tyre_numbers(p, first), load3(body.angular)
        if scratch.taken[number] == _TAKEN:
            n, f = rolling_drag(force, tyre, t, spin, axle), _ZERO
        else:
            n, f = tyre_wrench(model, force, tyre, t, spin, axle, scratch.taken[number] != _TAKEN_FRICTION)
        add_to_spatial(body.wrench, add(n, cross(arm, f)), f)


@kernel
def gap_below(model, force, bodies, p, first):
    """m: how far it is above the ground."""
    _, x, _ = force_point(force, bodies, p, first, 0)
    return -envelope(model, force, tyre_numbers(p, first).height, x, axle_of(force, bodies, p, first))[0]


@kernel
def tyre_energy(model, scratch, force, first):
    """J: potential of its spring."""
    p = scratch.parameters
    depth = max(0.0, -gap_below(model, force, scratch.bodies, p, first))
    return 0.5 * tyre_numbers(p, first).stiffness * depth * depth


@kernel
def tyre_change(model, scratch, changes, number, first):
    """Adds the change of its wrench along a motion, by a central difference of the law (nine digits)."""
    force, p, bodies = model.forces[number], scratch.parameters, scratch.bodies
    body, change, tyre = bodies[force.body[0]], changes[force.body[0]], tyre_numbers(p, first)
    t, arm, axle = touching_now(model, scratch, number, first)
    if not is_closed(force, scratch, number, t.depth) or not t.push > 0.0:
        return
    _, x, u = force_point(force, bodies, p, first, 0)
    arm_change, x_change, u_change = point_change(force, bodies, changes, p, first, 0)
    axle_change, spin = cross(load3(change.turn), axle), load3(body.angular)
    size = 1.0 + math.sqrt(max(dot(x_change, x_change), dot(u_change, u_change), dot(axle_change, axle_change)))
    e = _STEP / size
    n, f = tyre_wrench(model, force, tyre, t, spin, axle, True)
    n_change, f_change = _ZERO, _ZERO
    for side in range(2):
        step = e if side == 0 else -e
        axle_then = add_scaled(axle, step, axle_change)
        axle_then = scale(1.0 / math.sqrt(dot(axle_then, axle_then)), axle_then)
        u_then, spin_then = add_scaled(u, step, u_change), add_scaled(spin, step, load3(change.angular))
        then = touching(model, force, tyre, add_scaled(x, step, x_change), axle_then, u_then, spin_then)
        n_then, f_then = tyre_wrench(model, force, tyre, then, spin_then, axle_then, True)
        n_change = add_scaled(n_change, 0.5 / step, n_then)
        f_change = add_scaled(f_change, 0.5 / step, f_then)
    n_change = add(n_change, add(cross(arm_change, f), cross(arm, f_change)))
    add_to_spatial(change.wrench, n_change, f_change)
