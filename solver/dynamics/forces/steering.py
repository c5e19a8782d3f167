# SPDX-License-Identifier: GPL-3.0-or-later
"""A rider who steers a bicycle into its fall, by a torque between its frame and its fork.

On a bend of curvature K at the speed v a bicycle is an upside-down pendulum that the bend rights,
    h phi'' = g phi - v^2 K
(Astrom, Klein and Lennartsson 2005, without their term in the rate of steering). What brings it back as a damped
pendulum, phi'' = -w^2 (phi - phi_d) - 2 zeta w phi', is the curvature
    K = (g phi + h (w^2 (phi - phi_d) + 2 zeta w phi')) / v^2:
steering into the lean, the more the slower it goes (Schwab, Kooijman and Meijaard 2008). Arms turn the fork to the
angle that makes it, as a spring and damper about the steering axis.

A way is sought by leaning: phi_d is the lean of a bend in which the heading comes round within a time T,
tan phi_d = v e / (g T) with e the angle to go. To lean, the wheel first turns the other way (countersteering).

Symbols: v speed ahead, phi lean to the right, w 2 pi times the frequency, zeta damping ratio, L wheelbase, h height of
the centre of mass; k steering axis, delta angle of the fork about it, to the left; a, b frame and fork.
"""

import math
from typing import NamedTuple

from ...kernel import kernel
from ...mechanism.forces import Sought, SteeringNumbers
from ...model.arrays import FRAME, POINTS
from ...rotation import matrix_of_quaternion, normalized
from ...spatial import (
    add_scaled,
    add_to_spatial,
    axis_x,
    axis_y,
    axis_z,
    cross,
    dot,
    load3,
    load9,
    rotate,
    scale,
    subtract,
    unrotate,
)
from .points import frame_axes

_SLOW = 0.5  # m/s: as at this speed it steers where it stands
_MOST_TURN = 1.0  # rad: of the fork
_HEADING, _TARGET = int(Sought.HEADING), int(Sought.TARGET)
_ZERO = (0.0, 0.0, 0.0)
_TINY = 1e-9
_STEP = 1e-6  # s: of the difference for the change along a motion


class Felt(NamedTuple):
    """All of a bicycle that its rider goes by."""

    place: tuple  # m: of the frame's centre of mass,
    u: tuple  # m/s
    spin: tuple  # rad/s: of the frame,
    fork_spin: tuple  # and of the fork
    ahead: tuple  # X of the steering's frame, on the bicycle's,
    left: tuple  # Y,
    axis: tuple  # Z: k
    fork_ahead: tuple  # and X on the fork


@kernel
def steering_numbers(p, first):
    """Its law's numbers."""
    k = first + 1
    return SteeringNumbers(p[k], p[k + 1], p[k + 2], p[k + 3], p[k + 4], p[k + 5], p[k + 6], p[k + 7])


@kernel
def add_steering(force, bodies, p, first):
    """Adds its torque to the fork's wrench, and the opposite to the frame's."""
    felt = _felt(force, bodies, p, first)
    torque = steering_torque(force, bodies, p, first, felt)
    add_to_spatial(bodies[force.body[0]].wrench, scale(-torque, felt.axis), _ZERO)
    add_to_spatial(bodies[force.body[1]].wrench, scale(torque, felt.axis), _ZERO)


@kernel
def _felt(force, bodies, p, first):
    a, b, k = bodies[force.body[0]], bodies[force.body[1]], first + FRAME
    frame = frame_axes(force, bodies, p, first)
    as_drawn = axis_x(matrix_of_quaternion(normalized((p[k], p[k + 1], p[k + 2], p[k + 3]))))
    fork_ahead = rotate(load9(b.rotation), unrotate(load9(force.axes[1]), as_drawn))
    motion = load3(a.center), load3(a.linear), load3(a.angular), load3(b.angular)
    return Felt(motion[0], motion[1], motion[2], motion[3], axis_x(frame), axis_y(frame), axis_z(frame), fork_ahead)


@kernel
def steering_torque(force, bodies, p, first, felt):
    """N m: on the fork about the steering axis."""
    steering, g = steering_numbers(p, first), _gravity(force, bodies, p)
    left = felt.left
    level = math.sqrt(left[0] * left[0] + left[1] * left[1])
    if not level > _TINY:
        return 0.0
    way = (left[1] / level, -left[0] / level, 0.0)
    v, lean, w = dot(felt.u, way), math.atan2(left[2], level), 2.0 * math.pi * steering.frequency
    off = lean - _lean_sought(force, steering, p, first, felt.place, way, v, g)
    righting = w * (w * off + 2.0 * steering.ratio * dot(felt.spin, way))
    curvature = (g * math.sin(lean) + force.center_height * righting) / (v * v + _SLOW * _SLOW)
    turn = math.atan2(force.wheelbase * curvature, max(_TINY, felt.axis[2]))
    turn = -max(-_MOST_TURN, min(_MOST_TURN, turn))
    angle = math.atan2(dot(felt.axis, cross(felt.ahead, felt.fork_ahead)), dot(felt.ahead, felt.fork_ahead))
    rate = dot(felt.axis, subtract(felt.fork_spin, felt.spin))
    torque = steering.stiffness * (turn - angle) - steering.damping * rate
    return max(-steering.largest, min(steering.largest, torque))


@kernel
def _gravity(force, bodies, p):
    """m/s2: downward, of the frame."""
    return -p[len(p) - 3 * len(bodies) + 3 * force.body[0] + 2]


@kernel
def _lean_sought(force, steering, p, first, place, way, v, g):
    """rad, to the right: of the bend in which it comes round to where it shall go."""
    if force.seeks == _HEADING:
        goal = (math.cos(steering.heading), math.sin(steering.heading), 0.0)
    elif force.seeks == _TARGET:
        k = first + POINTS
        goal = subtract((p[k], p[k + 1], p[k + 2]), place)
    else:
        return 0.0
    to_go = math.atan2(way[1] * goal[0] - way[0] * goal[1], way[0] * goal[0] + way[1] * goal[1])
    lean = math.atan2(v * to_go, max(_TINY, g * steering.heading_time))
    return max(-steering.most_lean, min(steering.most_lean, lean))


@kernel
def steering_change(force, bodies, changes, p, first):
    """Adds the change of its wrenches along a motion, of the torque by a central difference (eight digits)."""
    felt, a, b = _felt(force, bodies, p, first), changes[force.body[0]], changes[force.body[1]]
    turn, fork_turn = load3(a.turn), load3(b.turn)
    size = 1.0 + math.sqrt(max(dot(load3(a.linear), load3(a.linear)), max(dot(turn, turn), dot(fork_turn, fork_turn))))
    e = _STEP / size
    torque = steering_torque(force, bodies, p, first, felt)
    then, before = _moved(felt, a, b, e), _moved(felt, a, b, -e)
    change = steering_torque(force, bodies, p, first, then) - steering_torque(force, bodies, p, first, before)
    moment = add_scaled(scale(0.5 * change / e, felt.axis), torque, cross(turn, felt.axis))
    add_to_spatial(a.wrench, scale(-1.0, moment), _ZERO)
    add_to_spatial(b.wrench, moment, _ZERO)


@kernel
def _moved(felt, a, b, e):
    """The same after a change of frame and fork, BODY_CHANGE, times e."""
    turn, fork_turn = load3(a.turn), load3(b.turn)
    return Felt(
        add_scaled(felt.place, e, load3(a.shift)),
        add_scaled(felt.u, e, load3(a.linear)),
        add_scaled(felt.spin, e, load3(a.angular)),
        add_scaled(felt.fork_spin, e, load3(b.angular)),
        add_scaled(felt.ahead, e, cross(turn, felt.ahead)),
        add_scaled(felt.left, e, cross(turn, felt.left)),
        add_scaled(felt.axis, e, cross(turn, felt.axis)),
        add_scaled(felt.fork_ahead, e, cross(fork_turn, felt.fork_ahead)),
    )
