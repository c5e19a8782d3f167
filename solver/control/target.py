# SPDX-License-Identifier: GPL-3.0-or-later
"""The target of a figure's central body, and the springs and dampers that accelerate it there.

They act along and about the axes of the target, each direction for itself: a stiff back with a soft sway. Where shares
of the weight are told, the figure's centre of mass is led over the feet instead of the body, to the side and ahead.

Symbols: a, alpha accelerations; w pulse (rad/s) and zeta damping ratio of each direction; x_k the feet's centres of
mass, s_k their shares of the weight; c centre of mass.

    a = w^2 (x_target - x) + 2 zeta w (v_target - v)

The quaternion error of the orientation is twice the vector part of q_target q^-1, on the shorter way round. The target
goes along with the feet: with sum s_k x_k, and with how far they have turned about the vertical.
"""

import math

from ..kernel import kernel
from ..mechanism.forces import BalanceNumbers
from ..model.arrays import FRAME, POINTS
from ..rotation import (
    conjugate,
    matrix_of_quaternion,
    multiply_quaternions,
    normalized,
    quaternion_of_matrix,
)
from ..spatial import add, add_scaled, cross, dot, load3, load9, multiply, rotate, scale, subtract, unrotate
from .lifting import ground_rise
from .stepping import ground_of, level, reachable_height

_HARDEST = 9.81  # m/s2: the most that is asked of the central body
_ZERO = (0.0, 0.0, 0.0)


@kernel
def balance_numbers(p, first):
    """The numbers of a balance's law."""
    k = first + 1
    return BalanceNumbers(
        p[k],
        p[k + 1],
        p[k + 2],
        p[k + 3],
        p[k + 4],
        p[k + 5],
        p[k + 6],
        p[k + 7],
        p[k + 8],
        p[k + 9],
        p[k + 10],
        p[k + 11],
        p[k + 12],
        p[k + 13],
        p[k + 14],
        p[k + 15],
    )


@kernel
def pendulum_of(model, scratch, figures, g):
    """(c, v, m/s2): a figure's centre of mass, its velocity, and its weight by its mass."""
    m, c, v, weight, p = 0.0, _ZERO, _ZERO, 0.0, scratch.parameters
    gravity = len(p) - 3 * len(model.bodies)
    for i in range(model.driven, len(model.bodies)):
        if figures.part[g, i]:
            own = model.bodies[i].mass
            m, weight = m + own, weight - own * p[gravity + 3 * i + 2]
            c = add_scaled(c, own, load3(scratch.bodies[i].center))
            v = add_scaled(v, own, load3(scratch.bodies[i].linear))
    return scale(1.0 / m, c), scale(1.0 / m, v), weight / m


@kernel
def asked_accelerations(model, scratch, steering, g, count, first, by_center):
    """(a, alpha, scalar part of the error): what springs and dampers on the central body's errors would give it.

    by_center: to the side and ahead the errors are those of the centre of mass.
    """
    figures, p = steering.figures, scratch.parameters
    figure, balance = figures.figures[g], balance_numbers(p, first)
    moving = scratch.bodies[figure.body]
    R = load9(moving.rotation)
    arm, spin = rotate(R, load3(figure.origin)), load3(moving.angular)
    x, v = add(load3(moving.center), arm), add(load3(moving.linear), cross(spin, arm))
    there, velocity, turn, turning = _carried(scratch, steering, g)
    k = first + POINTS
    over = subtract((p[k], p[k + 1], p[k + 2]), load3(figure.stance))
    height = _height(scratch, steering, figure, count, x[2], rotate(turn, over)[2], turn, balance.step_time > 0.0)
    if by_center:
        c, u, _ = pendulum_of(model, scratch, figures, g)
        over, x, v = add(over, load3(figure.center)), (c[0], c[1], x[2]), (u[0], u[1], v[2])
    target = add(there, rotate(turn, over))
    k = first + FRAME
    axes = multiply(turn, matrix_of_quaternion(normalized((p[k], p[k + 1], p[k + 2], p[k + 3]))))
    frequency = balance.frequency_x, balance.frequency_y, balance.frequency_z
    ratio = balance.ratio_x, balance.ratio_y, balance.ratio_z
    error, rate = subtract((target[0], target[1], height), x), subtract(velocity, v)
    a = _pulled(axes, frequency, ratio, error, rate)
    size = math.sqrt(dot(a, a))
    if size > _HARDEST:
        a = scale(_HARDEST / size, a)
    q = multiply_quaternions(
        quaternion_of_matrix(axes), conjugate(quaternion_of_matrix(multiply(R, load9(figure.axes))))
    )
    frequency = balance.turn_frequency_x, balance.turn_frequency_y, balance.turn_frequency_z
    ratio = balance.turn_ratio_x, balance.turn_ratio_y, balance.turn_ratio_z
    error, rate = scale(2.0 if q[0] >= 0.0 else -2.0, (q[1], q[2], q[3])), subtract((0.0, 0.0, turning), spin)
    return a, _pulled(axes, frequency, ratio, error, rate), abs(q[0])


@kernel
def _pulled(axes, frequency, ratio, error, rate):
    """w^2 error + 2 zeta w rate, each along its own axis."""
    e, v = unrotate(axes, error), unrotate(axes, rate)
    x, y = _sprung(frequency[0], ratio[0], e[0], v[0]), _sprung(frequency[1], ratio[1], e[1], v[1])
    return rotate(axes, (x, y, _sprung(frequency[2], ratio[2], e[2], v[2])))


@kernel
def _sprung(frequency, ratio, error, rate):
    w = 2.0 * math.pi * frequency
    return w * (w * error + 2.0 * ratio * rate)


@kernel
def _height(scratch, steering, figure, count, now, above, turn, may_step):
    """m: how high the central body shall be, `above` its feet as they would stand flat; `now`: how high it is."""
    figures, mean = steering.figures, 0.0
    if may_step:
        return reachable_height(scratch, figures, figure, steering.aloft, steering.bearings, count, now, above, turn)
    for number in range(figure.foot_start, figure.foot_end):
        mean += figures.feet[number].place[2]
    mean /= figure.foot_end - figure.foot_start
    return mean + ground_rise(scratch, steering, figure, -1, count, turn) + above


@kernel
def _carried(scratch, steering, g):
    """(mean of the feet by their shares, its velocity, how far they have turned about the vertical, how fast they do).

    A foot in the air counts as if it was down, and does as the others do.
    """
    figures, stride, aloft = steering.figures, steering.strides[g], steering.aloft
    figure = figures.figures[g]
    others, velocity, turn = ground_of(scratch, figures, figure, aloft, -1)
    x, v, turning, standing = _ZERO, _ZERO, 0.0, 0
    for number in range(figure.foot_start, figure.foot_end):
        place, speed = others, velocity
        if stride.foot == number + 1:
            place = add(others, level(load3(stride.goal)))
        elif aloft[number]:
            place = add(others, rotate(turn, load3(steering.rises[number].place)))
        else:
            moving = scratch.bodies[figures.feet[number].body]
            place, speed = load3(moving.center), load3(moving.linear)
            turning, standing = turning + moving.angular[2], standing + 1
        share = steering.shares[number]
        x, v = add_scaled(x, share, place), add_scaled(v, share, speed)
    return x, v, turn, turning / max(1, standing)
