# SPDX-License-Identifier: GPL-3.0-or-later
"""The numbers of forces among the parameters of a model: a record for each law, in the order in which they stand there.

The first of each is 1 where the force is enabled, else 0. `parameters` writes them, kernels read them.
"""

from typing import NamedTuple

from ..kernel import kernel


class MotorNumbers(NamedTuple):
    """Force (N) and torque (N m) along the motor's frame."""

    enabled: float
    force_x: float
    force_y: float
    force_z: float
    torque_x: float
    torque_y: float
    torque_z: float


class DampingNumbers(NamedTuple):
    """N s/m, and N m s/rad."""

    enabled: float
    linear: float
    angular: float


class BrakeNumbers(NamedTuple):
    """N s/m along the brake's frame, and the largest force (N)."""

    enabled: float
    x: float
    y: float
    z: float
    largest: float


class SupportNumbers(NamedTuple):
    """N/m, N s/m, the ground's height (m), friction, and its slope (N s/m; below zero: not given)."""

    enabled: float
    stiffness: float
    damping: float
    height: float
    friction: float
    slope: float


class BalanceNumbers(NamedTuple):
    """Hz and damping ratio of the central body's place and of its orientation, and the largest torque (N m)."""

    enabled: float
    frequency: float
    ratio: float
    turn_frequency: float
    turn_ratio: float
    largest: float


class DragNumbers(NamedTuple):
    """N s2/m2, and the wind (m/s)."""

    enabled: float
    coefficient: float
    wind_x: float
    wind_y: float
    wind_z: float


class SpringNumbers(NamedTuple):
    """N/m, length at rest (m), N s/m, and of a rubber the restitution. By a table: its steepest, and where it is 0."""

    enabled: float
    stiffness: float
    rest: float
    damping: float
    restitution: float


@kernel
def is_enabled(p, first):
    """True if the force whose numbers begin there acts."""
    return p[first] != 0.0


@kernel
def motor_numbers(p, first):
    return MotorNumbers(p[first], p[first + 1], p[first + 2], p[first + 3], p[first + 4], p[first + 5], p[first + 6])


@kernel
def damping_numbers(p, first):
    return DampingNumbers(p[first], p[first + 1], p[first + 2])


@kernel
def brake_numbers(p, first):
    return BrakeNumbers(p[first], p[first + 1], p[first + 2], p[first + 3], p[first + 4])


@kernel
def support_numbers(p, first):
    return SupportNumbers(p[first], p[first + 1], p[first + 2], p[first + 3], p[first + 4], p[first + 5])


@kernel
def balance_numbers(p, first):
    return BalanceNumbers(p[first], p[first + 1], p[first + 2], p[first + 3], p[first + 4], p[first + 5])


@kernel
def drag_numbers(p, first):
    return DragNumbers(p[first], p[first + 1], p[first + 2], p[first + 3], p[first + 4])


@kernel
def spring_numbers(p, first):
    """Of a spring or a rubber."""
    return SpringNumbers(p[first], p[first + 1], p[first + 2], p[first + 3], p[first + 4])
