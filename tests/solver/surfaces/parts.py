# SPDX-License-Identifier: GPL-3.0-or-later
"""Balls on and in things, for the tests of contact joints."""

from __future__ import annotations

import numpy as np

from solver import Mechanism
from solver.mechanism import Body, Joint, Smooth, SmoothPatches, SmoothSphere


def ball(
    center, radius: float, surface: Smooth, at, rolling: bool = False, mass: float = 2.0, speed=None, spin=None
) -> Mechanism:
    """A uniform ball on a surface of the world, which it touches `at` a point."""
    body = Body(
        name="ball", mass=mass, inertia=(0.4 * mass * radius**2,) * 3, position=tuple(center), linear_velocity=speed,
        angular_velocity=spin,
    )  # fmt: skip
    joint = Joint(
        name="ride", type="contact", parent=None, child="ball", position=tuple(at), surface_parent=surface,
        surface_child=SmoothSphere(radius=radius), rolling=rolling,
    )  # fmt: skip
    return Mechanism(bodies=[body], joints=[joint])


def in_bowl(angle: float, rolling: bool, R: float = 1.0, r: float = 0.2, orientation=(1, 0, 0, 0), **how) -> Mechanism:
    """A ball in a spherical bowl about the origin, out of its lowest place by an angle (rad) towards X."""
    out = np.array([np.sin(angle), 0.0, -np.cos(angle)])
    bowl = SmoothSphere(radius=R, inside=True, orientation=orientation)
    return ball((R - r) * out, r, bowl, R * out, rolling, **how)


def on_dome(angle: float, rolling: bool, R: float = 1.0, r: float = 0.2, **how) -> Mechanism:
    """A ball on a sphere about the origin, out of its highest place by an angle (rad) towards X."""
    out = np.array([np.sin(angle), 0.0, np.cos(angle)])
    return ball((R + r) * out, r, SmoothSphere(radius=R), R * out, rolling, **how)


def flat_patch(size: float = 1.0) -> SmoothPatches:
    """A level square."""
    steps = size * np.linspace(-0.5, 0.5, 4)
    return SmoothPatches(points=[[[x, y, 0.0] for y in steps] for x in steps])


def curved_patch(bend: tuple[float, float] = (0.4, 0.25), size: float = 1.0) -> SmoothPatches:
    """A cap that bulges downwards; its outer side is below."""
    steps = np.linspace(-0.5, 0.5, 4)
    height = np.array([1.0, -0.3, -0.3, 1.0]) * 0.5
    points = [
        [[size * x, size * y, size * (bend[0] * height[i] + bend[1] * height[j])] for j, y in enumerate(steps)]
        for i, x in enumerate(steps)
    ]
    return SmoothPatches(points=points, inside=True)
