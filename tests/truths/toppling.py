# SPDX-License-Identifier: GPL-3.0-or-later
"""A uniform block that turns about one of its lower edges, in a plane: dominoes and boxes that tip."""

from dataclasses import dataclass

import numpy as np
from scipy.integrate import quad

GRAVITY = 9.81


@dataclass(frozen=True)
class TippingBlock:
    """half_width, half_height m; `lean` is the angle from where it stands, rad.

    With s the distance of the centre from the edge and I = 4 m s^2 / 3 about the edge,
    lean'' = 3 g / (4 s) sin(lean - balance).
    """

    half_width: float
    half_height: float
    gravity: float = GRAVITY

    @property
    def balance(self) -> float:
        """rad: the lean at which the centre is above the edge."""
        return float(np.arctan(self.half_width / self.half_height))

    @property
    def rate(self) -> float:
        """1/s: it falls from balance as exp(rate t) at first."""
        return np.sqrt(0.75 * self.gravity / np.hypot(self.half_width, self.half_height))

    def acceleration(self, lean):
        """rad/s2"""
        return self.rate**2 * np.sin(lean - self.balance)

    def speed(self, lean, start: float, start_speed: float = 0.0):
        """rad/s at a lean, by energy."""
        gained = np.cos(start - self.balance) - np.cos(np.asarray(lean) - self.balance)
        return np.sqrt(start_speed**2 + 2.0 * self.rate**2 * gained)

    def time(self, start: float, end: float, start_speed: float = 0.0) -> float:
        """s from one lean to a larger one. From rest, the way is parted as lean = start + u^2, which is smooth."""
        return float(
            quad(lambda u: 2.0 * u / self.speed(start + u * u, start, start_speed), 0.0, np.sqrt(end - start))[0]
        )

    def needed_friction(self, lean: float, start: float) -> float:
        """Horizontal over vertical force at the edge at this lean, from rest at `start`."""
        s, angle = np.hypot(self.half_width, self.half_height), lean - self.balance
        spin, change = self.speed(lean, start), self.acceleration(lean)
        across = s * (change * np.cos(angle) - spin**2 * np.sin(angle))
        down = s * (change * np.sin(angle) + spin**2 * np.cos(angle))
        return float(np.abs(across) / (self.gravity - down))

    @property
    def kept_at_landing(self) -> float:
        """The part of its turn with which it rocks on over its other edge when it lands flat, without restitution.

        The moment of momentum about that edge is kept (Housner, Bulletin of the Seismological Society 53, 1963).
        """
        return 1.0 - 1.5 * np.sin(self.balance) ** 2

    @property
    def needed_speed(self) -> float:
        """rad/s with which it just reaches balance from standing."""
        return self.rate * np.sqrt(2.0 * (1.0 - np.cos(self.balance)))
