# SPDX-License-Identifier: GPL-3.0-or-later
"""Closed forms of nonlinear springs and dampers: Duffing's spring, a quadratic damper, and a stop that dissipates."""

from __future__ import annotations

import math

from scipy.optimize import brentq
from scipy.special import ellipk


def duffing_period(mass: float, stiffness: float, cubic: float, amplitude: float) -> float:
    """s: of m x'' + k x + b x^3 = 0 from rest at an amplitude (m); k in N/m, b in N/m3, neither below 0.

    4 K(n) / sqrt((k + b a^2) / m), n = b a^2 / (2 (k + b a^2)) the parameter of the complete elliptic integral of the
    first kind (Kovacic and Brennan, The Duffing Equation, 2011, table 2.1).
    """
    stiffer = stiffness + cubic * amplitude**2
    return 4.0 * float(ellipk(0.5 * cubic * amplitude**2 / stiffer)) / math.sqrt(stiffer / mass)


def quadratic_stop(mass: float, quadratic: float, speed: float, time: float) -> tuple[float, float]:
    """(m, m/s): way and speed of m v' = -c v^2 after a time; c in N s2/m2."""
    slower = 1.0 + quadratic * speed * time / mass
    return mass / quadratic * math.log(slower), speed / slower


def rebound_speed(dissipation: float, speed: float) -> float:
    """m/s: with which a body leaves a stop of the force f(x) (1 + d x') that it met at a speed, whatever f is.

    m v dv / (1 + d v) = -f(x) dx, so v/d - ln(1 + d v)/d^2 is the same on the way in, at v, and out, at -w
    (Hunt and Crossley 1975; Marhefka and Orin 1999).
    """
    if dissipation == 0.0:
        return speed

    def level(v: float) -> float:
        return dissipation * v - math.log1p(dissipation * v)

    edge = (1.0 - 1e-15) / dissipation
    return brentq(lambda w: level(-w) - level(speed), 0.0, min(speed, edge), xtol=1e-15)
