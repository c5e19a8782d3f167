# SPDX-License-Identifier: GPL-3.0-or-later
"""Closed linkages with one freedom: slider and crank, Hooke's joint, and loops of hinges that count as rigid.

Loops of hinges are given in the notation of Denavit and Hartenberg: from hinge to hinge turn by the hinge's angle about
z, go `length` along x, turn by `twist` about x.
"""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class SliderCrank:
    """A crank about the origin, a rod, and a slider along x; bodies uniform, no gravity, so that energy is kinetic.

    masses (3,) kg: crank, rod, slider; crank, rod: lengths, m; inertias (2,) kg m2 about the bars' own centres.
    """

    masses: tuple[float, float, float]
    inertias: tuple[float, float]
    crank: float
    rod: float

    def lean(self, angle) -> np.ndarray:
        """rad: of the rod below the line from slider to origin, at this crank angle."""
        return np.arcsin(self.crank / self.rod * np.sin(angle))

    def slider(self, angle) -> np.ndarray:
        """m: place of the slider."""
        return self.crank * np.cos(angle) + self.rod * np.cos(self.lean(angle))

    def inertia(self, angle) -> np.ndarray:
        """kg m2: twice the kinetic energy over the crank's speed squared."""
        lean, ratio = self.lean(angle), self.crank / self.rod
        turn = ratio * np.cos(angle) / np.cos(lean)  # lean' / angle'
        slide = -self.crank * np.sin(angle) - self.rod * np.sin(lean) * turn
        middle = -self.crank * np.sin(angle) - 0.5 * self.rod * np.sin(lean) * turn, 0.5 * self.crank * np.cos(angle)
        (m1, m2, m3), (I1, I2) = self.masses, self.inertias
        return I1 + 0.25 * m1 * self.crank**2 + m2 * (middle[0] ** 2 + middle[1] ** 2) + I2 * turn**2 + m3 * slide**2

    def speed(self, angle, start_angle: float, start_speed: float) -> np.ndarray:
        """rad/s of the crank at an angle: energy stays."""
        return start_speed * np.sqrt(self.inertia(start_angle) / self.inertia(angle))


def hooke_angle(driver, bend: float) -> np.ndarray:
    """rad: how far the second shaft has turned when the first has turned by `driver`; the shafts are `bend` rad apart.

    tan(second) = tan(first) cos(bend) if the cross's arm on the first shaft starts square to both shafts; whole turns
    are kept.
    """
    driver = np.asarray(driver, float)
    s, c = np.sin(driver), np.cos(driver)
    return driver + np.arctan2((np.cos(bend) - 1.0) * s * c, c * c + np.cos(bend) * s * s)


@dataclass(frozen=True)
class HingeLoop:
    """Hinges and links in a ring: angles (n,) rad, lengths (n,) m, twists (n,) rad."""

    angles: np.ndarray
    lengths: np.ndarray
    twists: np.ndarray

    def frames(self) -> np.ndarray:
        """(n + 1, 4, 4): each hinge's frame before its turn, the last one the first again if the ring is closed."""
        result = [np.eye(4)]
        for angle, length, twist in zip(self.angles, self.lengths, self.twists, strict=True):
            result.append(result[-1] @ _turn_z(angle) @ _along_x(length, twist))
        return np.array(result)


def bennett(length: float, twist: float, other_twist: float, angle: float) -> HingeLoop:
    """Bennett's four hinges (1903): opposite links alike, lengths as the sines of their twists.

    tan(angle / 2) tan(next / 2) = sin((u + t) / 2) / sin((u - t) / 2), t the twist between those two hinges, u the
    other.
    """
    ratio = bennett_ratio(twist, other_twist)
    following = bennett_follower(angle, ratio)
    lengths = np.array([length, length * np.sin(other_twist) / np.sin(twist)] * 2)
    return HingeLoop(np.array([angle, following, -angle, -following]), lengths, np.array([twist, other_twist] * 2))


def bennett_ratio(twist: float, other_twist: float) -> float:
    return np.sin(0.5 * (other_twist + twist)) / np.sin(0.5 * (other_twist - twist))


def bennett_follower(angle, ratio: float) -> np.ndarray:
    """rad: the next hinge's angle."""
    return 2.0 * np.arctan2(ratio * np.cos(0.5 * np.asarray(angle)), np.sin(0.5 * np.asarray(angle)))


def kaleidocycle(length: float, angle: float) -> HingeLoop:
    """Six hinges at right angles in threefold symmetry (Bricard 1897; Chen, You and Tarnai 2005)."""
    following = kaleidocycle_follower(angle)
    twist = 0.5 * np.pi
    return HingeLoop(np.array([angle, following] * 3), np.full(6, length), np.array([twist, -twist] * 3))


def kaleidocycle_follower(angle) -> np.ndarray:
    """rad: the angle of every other hinge: cos(a) + cos(b) + cos(a) cos(b) = 0, b above 0."""
    c = np.cos(angle)
    return np.arccos(-c / (1.0 + c))


def _turn_z(angle: float) -> np.ndarray:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0, 0], [s, c, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1.0]])


def _along_x(length: float, twist: float) -> np.ndarray:
    c, s = np.cos(twist), np.sin(twist)
    return np.array([[1, 0, 0, length], [0, c, -s, 0], [0, s, c, 0], [0, 0, 0, 1.0]])
