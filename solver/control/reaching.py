# SPDX-License-Identifier: GPL-3.0-or-later
"""Hands of a figure that follow their targets, by the joints of their arms.

A spring and damper at the hand's point pull it to the target; the arm's joints exert that force by their transposed
Jacobian, and hold the arm's weight besides (`balance`). What pulls the hand pushes the figure back: the same force is
asked of the ground, so that a figure that presses against a wall, or throws its arm up, stays where it is.

Symbols: x, v the hand's point and its velocity; m_h the arm's mass as the hand feels it where it swings about the
shoulder, sum m_i s_i^2 with s_i from 0 there to 1 at the hand; w pulse (rad/s), zeta damping ratio.

    f = m_h (w^2 (x_target - x) + 2 zeta w (v_target - v))
"""

import math

import numpy as np

from ..dynamics.forces.points import first_parameter, force_point, is_enabled
from ..kernel import kernel
from ..mechanism.forces import ReachNumbers
from ..model.arrays import POINTS, records
from ..spatial import add, add_scaled, add_to_spatial, cross, dot, load3, scale, store3, subtract

_TARGET = POINTS + 3  # the second point of its force
_HARDEST = 30.0  # m/s2: with which a hand is drawn to its target, at most
_STIFFEST, _DAMPED_MOST = 0.1, 0.4  # times the steps' rate: a spring's pulse, and 2 zeta w, that held torques bear
_ZERO = (0.0, 0.0, 0.0)

GRASP = np.dtype(
    [
        ("is_observed", "i8"),  # whether the target is that of the step before
        ("time", "f8"),  # s: of which it is
        ("target", "f8", 3),  # m
        ("speed", "f8", 3),  # m/s: of the target
        ("rate", "f8"),  # 1/s: of the steps
    ],
    align=True,
)


def new_grasps(count: int) -> np.recarray:
    """Of hands whose targets have not been looked at yet."""
    return records(count, GRASP)


@kernel
def reach_numbers(p, first):
    """The numbers of a reach's law."""
    k = first + 1
    return ReachNumbers(p[k], p[k + 1], p[k + 2], p[k + 3])


@kernel
def watch_target(grasp, target, time):
    """Goes on at the start of a step with how fast a target moves."""
    passed = time - grasp.time
    if grasp.is_observed and passed > 0.0:
        grasp.rate = 1.0 / passed
        store3(grasp.speed, scale(grasp.rate, subtract(target, load3(grasp.target))))
    grasp.is_observed, grasp.time = 1, time
    store3(grasp.target, target)


@kernel
def reach_out(model, scratch, steering, g, c, F, N, time, goes_on):
    """(F, N): what the ground shall exert when a figure's hands are led; fills how much their arms may exert."""
    figures, p = steering.figures, scratch.parameters
    figure = figures.figures[g]
    for h in range(figure.hand_start, figure.hand_end):
        hand, grasp = figures.hands[h], steering.grasps[h]
        first = first_parameter(model, hand.force)
        if not is_enabled(p, first):
            grasp.is_observed = 0
            continue
        k = first + _TARGET
        target = (p[k], p[k + 1], p[k + 2])
        if goes_on:
            watch_target(grasp, target, time)
        reach = reach_numbers(p, first)
        for axis in range(len(steering.bound)):
            if figures.arm[h, axis]:
                steering.bound[axis] = max(steering.bound[axis], reach.largest_torque)
        arm, x, v = force_point(model.forces[hand.force], scratch.bodies, p, first, 0)
        f = _pull(reach, hand.mass, grasp, subtract(target, x), v)
        F, N = add(F, f), add(N, cross(subtract(x, c), f))
        add_to_spatial(steering.wrench[hand.body], scale(-1.0, cross(arm, f)), scale(-1.0, f))
    return F, N


@kernel
def _pull(reach, mass, grasp, error, v):
    """N: that draws a hand to its target; no faster than the torques of a step can follow."""
    w = 2.0 * math.pi * reach.frequency
    damping = 2.0 * reach.ratio * w
    if grasp.rate > 0.0:
        w, damping = min(w, _STIFFEST * grasp.rate), min(damping, _DAMPED_MOST * grasp.rate)
    a = _within(scale(w * w, error), _HARDEST)
    a = _within(add_scaled(a, damping, subtract(load3(grasp.speed), v)), _HARDEST)
    return _within(scale(mass, a), reach.largest)


@kernel
def _within(x, most):
    """A vector, cut to a length."""
    length = math.sqrt(dot(x, x))
    return scale(most / length, x) if length > most else x
