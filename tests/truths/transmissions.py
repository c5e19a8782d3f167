# SPDX-License-Identifier: GPL-3.0-or-later
"""Gears, racks, pulleys and epicyclic trains: what follows from their ratios and from energy."""

from collections.abc import Sequence

import numpy as np

GRAVITY = 9.81


def train_acceleration(torque: float, inertias: Sequence[float], ratios: Sequence[float]) -> float:
    """rad/s2 of the first of several wheels on which `torque` (N m) acts; ratios: turns of the next one per turn.

    Each wheel is felt at the first one as its inertia (kg m2) times the square of what it turns.
    """
    felt, turns = inertias[0], 1.0
    for inertia, ratio in zip(inertias[1:], ratios, strict=True):
        turns *= ratio
        felt += inertia * turns**2
    return torque / felt


def atwood(mass_a: float, mass_b: float, ratio: float = 1.0, gravity: float = GRAVITY) -> tuple[float, float]:
    """(m/s2 downwards of mass a, N in the rope at a) of two masses that hang on a rope with s_a + ratio s_b constant.

    mass_a a = mass_a g - T,   mass_b (-a / ratio) = mass_b g - ratio T.
    """
    down = gravity * (mass_a - mass_b / ratio) / (mass_a + mass_b / ratio**2)
    return down, mass_a * (gravity - down)


def swinging_atwood(
    swinging: float, hanging: float, start: tuple[float, float], times: np.ndarray, gravity: float = GRAVITY
) -> tuple[np.ndarray, np.ndarray]:
    """(x, z) (m) from its wheel of a mass that swings, the other end of its rope hangs (Tufillaro, Abbott 1984).

    start: where it is at rest. In polar coordinates, the angle from straight down,
    (m + M) r'' = m r theta'^2 + g (m cos theta - M),   r theta'' = -2 r' theta' - g sin theta.
    """
    from scipy.integrate import solve_ivp

    def rates(_, y):
        r, theta, v, w = y
        pull = swinging * r * w * w + gravity * (swinging * np.cos(theta) - hanging)
        return v, w, pull / (swinging + hanging), -(2.0 * v * w + gravity * np.sin(theta)) / r

    begin = [np.hypot(*start), np.arctan2(start[0], -start[1]), 0.0, 0.0]
    r, theta, *_ = solve_ivp(rates, (0.0, times[-1]), begin, "DOP853", times, rtol=1e-12, atol=1e-13).y
    return r * np.sin(theta), -r * np.cos(theta)


def rack_acceleration(torque: float, inertia: float, mass: float, radius: float, weight: float = 0.0) -> float:
    """rad/s2 of a pinion that drives a rack of this mass (kg), which `weight` (N) pulls back."""
    return (torque - radius * weight) / (inertia + mass * radius**2)


def carrier_of_differential(side_a: float, side_b: float) -> float:
    """Angle of the carrier of a bevel differential with equal side gears."""
    return 0.5 * (side_a + side_b)


def carrier_of_planetary(sun: float, ring: float, sun_teeth: float, ring_teeth: float) -> float:
    """Angle of the carrier (Willis 1841): (sun - carrier) sun_teeth = -(ring - carrier) ring_teeth."""
    return (sun * sun_teeth + ring * ring_teeth) / (sun_teeth + ring_teeth)
