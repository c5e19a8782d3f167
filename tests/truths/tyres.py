# SPDX-License-Identifier: GPL-3.0-or-later
"""Tyres and uneven ground by closed forms, SciPy's splines, and sums over a rim that are as good as integrals."""

from __future__ import annotations

from collections.abc import Callable
from math import cos, exp, log, sin

import numpy as np
from scipy.integrate import trapezoid
from scipy.interpolate import BSpline

Height = Callable[[np.ndarray, int], np.ndarray]


def spline(heights: np.ndarray, origin: float, spacing: float) -> Height:
    """Height over one coordinate, or its derivative of an order, of a cubic B-spline with these control points.

    Two more stand before and behind them, in line with the last two, so that it ends at the outermost.
    """
    heights = np.concatenate([[2 * heights[0] - heights[1]], heights, [2 * heights[-1] - heights[-2]]])
    knots = origin + spacing * np.arange(-3, len(heights) + 1)
    curve = BSpline(knots, heights, 3)
    return lambda x, order=0: curve(x, order)


def envelope_depth(height: Height, radius: float, x: float, z: float, count: int = 20001) -> float:
    """Depth (m) of an upright thin wheel in ground along X: the smooth maximum of `dynamics.forces.tyre`."""
    soft = 0.01 * radius
    angle = np.linspace(-0.5 * np.pi, 0.5 * np.pi, count)
    at = x + radius * np.sin(angle)
    inside = (height(at, 0) - z + radius * np.cos(angle)) / np.sqrt(1.0 + height(at, 1) ** 2)
    level = np.exp((np.cos(angle) - 1.0) / 0.01)
    top = inside.max()
    return float(top + soft * log(trapezoid(np.exp((inside - top) / soft), angle) / trapezoid(level, angle)))


def rolling_acceleration(slope: float, mass: float, inertia: float, radius: float, stiffness: float, load: float,
                         friction: float, gravity: float = 9.81) -> float:  # fmt: skip
    """m/s2 of a wheel that rolls freely down a slope (rad) with the slip that its spin takes, by the brush model."""
    slip = 0.0
    for _ in range(100):
        q = stiffness * slip / (3.0 * friction * load)
        force = stiffness * slip * (1.0 - q + q * q / 3.0)
        pace = gravity * sin(slope) - force / mass
        slip += (inertia / radius**2 * pace / (1.0 + slip) - force) / stiffness
    return pace


def yaw_rate(
    steer: float, speed: float, mass: float, front: float, rear: float, c_front: float, c_rear: float
) -> float:
    """rad/s: of the bicycle model in a steady turn, small angles (Milliken and Milliken 1995, 5.4).

    front, rear: m from the centre of mass to the axles; c: N/rad of each axle.
    """
    base = front + rear
    understeer = mass * (rear * c_rear - front * c_front) / (base * c_front * c_rear)
    return speed * steer / (base + understeer * speed**2)


def lagging_force(slip_angle: float, cornering: float, relaxation: float, way: float) -> float:
    """N: of a tyre whose carcass gives way, after it has rolled so far (m) at a slip angle."""
    return cornering * slip_angle * (1.0 - exp(-way / relaxation))


def plane_depth(slope: float, mass: float, stiffness: float, gravity: float = 9.81) -> float:
    """m: how far a tyre is pressed in on a slope (rad) by its weight across it."""
    return mass * gravity * cos(slope) / stiffness
