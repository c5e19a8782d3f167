# SPDX-License-Identifier: GPL-3.0-or-later
"""Planar linkages of bars between named points, and where the points are in any pose."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from solver import Mechanism, Posing
from solver.kinematics import Kinematics
from solver.mechanism import Body, Joint

Points = Mapping[str, np.ndarray]


class Planar:
    """Bars, each a body whose frame is at its first point, hinged where they share points; bodies in the given order.

    points: (2,) m where it is drawn; bars: names of the points of each; ground: points that the world holds. Hinges are
    called by point and bar, the first bar of a point being the one that the others hang on.
    """

    def __init__(self, points: Points, bars: Mapping[str, Sequence[str]], ground: Sequence[str], size: float = 1.0):
        self.bars = {name: tuple(of) for name, of in bars.items()}
        self.drawn = {name: np.asarray(place, float) * size for name, place in points.items()}
        bodies = [self._body(name, of) for name, of in self.bars.items()]
        joints = []
        for point in self.drawn:
            meeting = [name for name, of in self.bars.items() if point in of]
            parent = None if point in ground else meeting.pop(0)
            for child in meeting:
                place = (*self.drawn[point], 0.0)
                joints.append(Joint(f"{point} {child}", "revolute", parent, child, position=place))
        self.mechanism = Mechanism(bodies=bodies, joints=joints)

    def points(self, kinematics: Kinematics | Posing) -> dict[str, np.ndarray]:
        """(2,) m: all points as the bars have them; raises AssertionError if bars disagree or leave the plane."""
        positions, orientations = kinematics.poses()
        found: dict[str, np.ndarray] = {}
        for place, q, (_, of) in zip(positions, orientations, self.bars.items(), strict=True):
            angle = 2.0 * np.arctan2(q[3], q[0])
            turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
            for point in of:
                at = place[:2] + turn @ (self.drawn[point] - self.drawn[of[0]])
                assert np.abs(at - found.setdefault(point, at)).max() < 1e-9 * self.size
            assert abs(place[2]) < 1e-9 * self.size
        return found

    @property
    def size(self) -> float:
        return float(np.ptp(np.array(list(self.drawn.values())), axis=0).max())

    def _body(self, name: str, of: Sequence[str]) -> Body:
        places = np.array([self.drawn[point] for point in of])
        length = float(np.linalg.norm(np.ptp(places, axis=0)))
        middle = (*(places.mean(axis=0) - places[0]), 0.0)
        inertia = (length**2 / 12.0,) * 3
        return Body(name, mass=1.0, inertia=inertia, center_of_mass=middle, position=(*places[0], 0.0))


def four_bar(lengths, crank: float, side: int) -> Planar:
    """Lengths (a, b, c, d) m; crank A-B, coupler B-C, rocker C-D, ground A-D."""
    from tests.truths.planar_linkages import freudenstein

    a, _, c, d = lengths
    rocker = freudenstein(lengths, crank, side)
    points = {
        "A": (0.0, 0.0),
        "B": (a * np.cos(crank), a * np.sin(crank)),
        "C": (d + c * np.cos(rocker), c * np.sin(rocker)),
        "D": (d, 0.0),
    }
    return Planar(points, {"crank": "AB", "coupler": "BC", "rocker": "CD"}, "AD")


JANSEN_BARS = {
    "m": ("O", "Z"), "j": ("Z", "X"), "k": ("Z", "C"), "b": ("B", "X"), "d": ("B", "E"), "e": ("X", "E"),
    "c": ("B", "C"), "f": ("E", "F"), "g": ("C", "F"), "i": ("C", "foot"), "h": ("F", "foot"),
}  # fmt: skip


def jansen_leg(crank: float = 0.3) -> Planar:
    """One of Jansen's legs as eleven bars, a hundredth of a unit of his to a metre."""
    from tests.truths.planar_linkages import jansen

    return Planar(jansen(crank), JANSEN_BARS, ("O", "B"), 0.01)
