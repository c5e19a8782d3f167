# SPDX-License-Identifier: GPL-3.0-or-later
"""What hangs on a base that turns steadily about the vertical: the forces that only those who turn with it feel."""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq


@dataclass(frozen=True)
class BeadOnRod:
    """A bead that slides without friction along a level rod through the axis: r'' = turn^2 r."""

    mass: float  # kg
    turn: float  # rad/s
    start: float  # m from the axis
    speed: float = 0.0  # m/s outwards

    def radius(self, times: np.ndarray) -> np.ndarray:
        angle = self.turn * np.asarray(times)
        return self.start * np.cosh(angle) + self.speed / self.turn * np.sinh(angle)

    def outward_speed(self, times: np.ndarray) -> np.ndarray:
        angle = self.turn * np.asarray(times)
        return self.start * self.turn * np.sinh(angle) + self.speed * np.cosh(angle)

    def sideways_push(self, times: np.ndarray) -> np.ndarray:
        """N, of the rod on the bead, forward in the sense of the turn: the Coriolis force."""
        return 2.0 * self.mass * self.turn * self.outward_speed(times)


def carousel_tilt(turn: float, radius: float, length: float, gravity: float = 9.81) -> float:
    """rad from hanging: how far a point mass on a wire leans outwards, hung at `radius` from the axis."""

    def misfit(tilt: float) -> float:
        return turn**2 * (radius + length * np.sin(tilt)) * np.cos(tilt) - gravity * np.sin(tilt)

    return float(brentq(misfit, 0.0, 0.5 * np.pi, xtol=1e-15, rtol=8.9e-16))
