# SPDX-License-Identifier: GPL-3.0-or-later
"""The two families of integrators that Wendlandt (1997, chapter 2) compares, on his double spherical pendulum.

Masses of 1 kg at places a and b on massless rods of 1 m, the lengths as constraints c = (|rod|² - 1) / 2, as he has it:

- The variational method of his chapter 2, whose midpoint rule has the force of the nodes where gravity is constant.
  Velocities at the nodes are those of its discrete momenta, projected on the constraints (RATTLE). It is symplectic,
  and keeps momentum.
- The energy-momentum method of O. Gonzalez (thesis, Stanford, 1996): the midpoint rule, and the constraints' discrete
  gradient, which for squares is that in the middle of the step. It keeps energy and momentum to rounding.

Both solve for the two multipliers by Newton's method. No method at a fixed step has all three (Ge and Marsden 1988).
"""

from typing import NamedTuple

import numpy as np

from solver.kernel import entry, kernel
from solver.mechanism import Body, Joint, Mechanism

GRAVITY = 9.81  # m/s²
_ENOUGH, _MOST = 1e-15, 30  # m² of a constraint, and Newton steps


class March(NamedTuple):
    """Energy J, momentum about the vertical kg m²/s, longest gap m², sum of multipliers N/m after each step (S,)."""

    energy: np.ndarray
    momentum: np.ndarray
    gap: np.ndarray
    multiplier: np.ndarray
    newton_steps: float  # a step
    places: np.ndarray  # (2, 3) m at the end


def march(is_variational: bool, interval: float, steps: int) -> March:
    """From a horizontal line, pushed out of the upright plane, as in `perpetual_systems.double_pendulum`."""
    p = np.array([[1.0, 0.0, 0.0], [2.0, 0.0, 0.0]])
    v = np.array([[0.0, 0.5, 0.0], [0.0, 1.5, 0.0]])
    found = np.empty((steps, 4))
    count = _march(is_variational, interval, p, v, np.empty_like(p), found)
    return March(*found.T, count / steps, p)


def as_bodies() -> Mechanism:
    """The same for our solver: bodies whose mass is, but for a millionth of a kg m², at the rods' ends."""
    spins = (0.0, 0.0, 0.5), (0.0, 0.0, 1.0)
    bodies = [
        Body(f"mass {k}", mass=1.0, inertia=(1e-6,) * 3, position=(1.0 + k, 0.0, 0.0), angular_velocity=spins[k],
             linear_velocity=(0.0, 0.5 + k, 0.0))
        for k in range(2)
    ]  # fmt: skip
    joints = [
        Joint("hook", "spherical", None, "mass 0", (0.0, 0.0, 0.0)),
        Joint("elbow", "spherical", "mass 0", "mass 1", (1.0, 0.0, 0.0)),
    ]
    return Mechanism(bodies=bodies, joints=joints, gravity=(0.0, 0.0, -GRAVITY))


@entry
def _march(is_variational, h, p, v, old, found):
    """Newton steps in all."""
    count = 0
    for row in range(len(found)):
        if is_variational:
            newton_steps, x, y = _variational_step(h, p, v, old)
        else:
            newton_steps, x, y = _energy_momentum_step(h, p, v, old)
        count += newton_steps
        energy, momentum = 0.0, 0.0
        for k in range(2):
            energy += GRAVITY * p[k, 2]
            for i in range(3):
                energy += 0.5 * v[k, i] * v[k, i]
            momentum += p[k, 0] * v[k, 1] - p[k, 1] * v[k, 0]
        c, d = _constraints(p)
        found[row, 0], found[row, 1], found[row, 2], found[row, 3] = energy, momentum, max(abs(c), abs(d)), x + y
    return count


@kernel
def _constraints(p):
    c = d = -0.5
    for i in range(3):
        c += 0.5 * p[0, i] * p[0, i]
        d += 0.5 * (p[1, i] - p[0, i]) * (p[1, i] - p[0, i])
    return c, d


@kernel
def _solved(a, b, c, d, x, y):
    """Of [[a, b], [c, d]] by (x, y)."""
    det = a * d - b * c
    return (d * x - b * y) / det, (a * y - c * x) / det


@kernel
def _variational_step(h, p, v, old):
    """(Newton steps, multipliers); p and v go on."""
    half, x, y, count = 0.5 * h * h, 0.0, 0.0, 0
    for k in range(2):
        for i in range(3):
            old[k, i] = p[k, i]
    while True:
        for i in range(3):
            pull, free = y * (old[0, i] - old[1, i]), -half * GRAVITY if i == 2 else 0.0
            p[0, i] = old[0, i] + h * v[0, i] + free - half * (x * old[0, i] + pull)
            p[1, i] = old[1, i] + h * v[1, i] + free + half * pull
        c, d = _constraints(p)
        count += 1
        if max(abs(c), abs(d)) < _ENOUGH or count > _MOST:
            break
        e = f = g = k = 0.0
        for i in range(3):
            rod, was = p[0, i] - p[1, i], old[0, i] - old[1, i]
            e += p[0, i] * old[0, i]
            f += p[0, i] * was
            g += rod * old[0, i]
            k += 2.0 * rod * was
        dx, dy = _solved(half * e, half * f, half * g, half * k, c, d)
        x, y = x + dx, y + dy
    for k in range(2):
        for i in range(3):
            v[k, i] = (p[k, i] - old[k, i]) / h - (0.5 * h * GRAVITY if i == 2 else 0.0)
    _project(p, v)
    return count, x, y


@kernel
def _project(p, v):
    """Velocities along the constraints, by the least change of them."""
    a = b = c = r = s = 0.0
    for i in range(3):
        rod = p[0, i] - p[1, i]
        a += p[0, i] * p[0, i]
        b += p[0, i] * rod
        c += 2.0 * rod * rod
        r += p[0, i] * v[0, i]
        s += rod * (v[0, i] - v[1, i])
    x, y = _solved(a, b, b, c, r, s)
    for i in range(3):
        rod = p[0, i] - p[1, i]
        v[0, i] -= x * p[0, i] + y * rod
        v[1, i] += y * rod


@kernel
def _energy_momentum_step(h, p, v, old):
    """(Newton steps, multipliers); p and v go on.

    For given multipliers the places are linear: (1 + h² A / 4) p = (1 - h² A / 4) old + h v + h² g / 2, coordinate by
    coordinate, with A = [[x + y, -y], [-y, y]].
    """
    half, x, y, count = 0.5 * h * h, 0.0, 0.0, 0
    for k in range(2):
        for i in range(3):
            old[k, i] = p[k, i]
    while True:
        u, w = 0.5 * half * (x + y), 0.5 * half * y
        for i in range(3):
            free = -half * GRAVITY if i == 2 else 0.0
            r = (1.0 - u) * old[0, i] + w * old[1, i] + h * v[0, i] + free
            s = w * old[0, i] + (1.0 - w) * old[1, i] + h * v[1, i] + free
            p[0, i], p[1, i] = _solved(1.0 + u, -w, -w, 1.0 + w, r, s)
        c, d = _constraints(p)
        count += 1
        if max(abs(c), abs(d)) < _ENOUGH or count > _MOST:
            break
        e = f = g = k = 0.0
        for i in range(3):
            rod, middle, mean = p[0, i] - p[1, i], 0.5 * (p[0, i] + old[0, i]), 0.5 * (p[1, i] + old[1, i])
            along, aside = _solved(1.0 + u, -w, -w, 1.0 + w, middle, 0.0)
            e += p[0, i] * along
            g += rod * (along - aside)
            along, aside = _solved(1.0 + u, -w, -w, 1.0 + w, middle - mean, mean - middle)
            f += p[0, i] * along
            k += rod * (along - aside)
        dx, dy = _solved(half * e, half * f, half * g, half * k, c, d)
        x, y = x + dx, y + dy
    for k in range(2):
        for i in range(3):
            v[k, i] = 2.0 * (p[k, i] - old[k, i]) / h - v[k, i]
    return count, x, y
