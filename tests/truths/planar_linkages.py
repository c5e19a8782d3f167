# SPDX-License-Identifier: GPL-3.0-or-later
"""Planar linkages in closed form: four bars after Freudenstein, and points by intersecting circles.

Four bars: crank a about the origin, coupler b, rocker c about (d, 0). With t2 and t4 the angles of crank and rocker,
    K1 cos t4 - K2 cos t2 + K3 = cos(t2 - t4),   K1 = d/a, K2 = d/c, K3 = (a^2 - b^2 + c^2 + d^2) / (2 a c)
(F. Freudenstein, An Analytical Approach to the Design of Four-Link Mechanisms, 1954).
"""

import numpy as np


def freudenstein(lengths, crank: float, side: int) -> float:
    """rad: the rocker's angle t4 for lengths (a, b, c, d) and the crank's angle; side: +1 or -1, the branch.

    NaN where the bars do not reach.
    """
    a, b, c, d = lengths
    K1, K2, K3 = d / a, d / c, (a * a - b * b + c * c + d * d) / (2.0 * a * c)
    A = np.cos(crank) - K1 - K2 * np.cos(crank) + K3
    B = -2.0 * np.sin(crank)
    C = K1 - (K2 + 1.0) * np.cos(crank) + K3
    root = B * B - 4.0 * A * C
    if root < 0.0:
        return float("nan")
    return float(2.0 * np.arctan2(-B - side * np.sqrt(root), 2.0 * A))


def meeting(first, first_radius: float, second, second_radius: float, side: int) -> np.ndarray:
    """(2,): where two circles meet, to the left (side 1) or right (-1) of the way from the first centre to the second.

    NaN where they do not.
    """
    p, q = np.asarray(first, float), np.asarray(second, float)
    way = q - p
    distance = np.hypot(*way)
    along = (first_radius**2 - second_radius**2 + distance**2) / (2.0 * distance)
    square = first_radius**2 - along**2
    if square < 0.0:
        return np.full(2, np.nan)
    u = way / distance
    return p + along * u + side * np.sqrt(square) * np.array([-u[1], u[0]])


JANSEN = {
    "a": 38.0, "b": 41.5, "c": 39.3, "d": 40.1, "e": 55.8, "f": 39.4, "g": 36.7,
    "h": 65.7, "i": 49.0, "j": 50.0, "k": 61.9, "l": 7.8, "m": 15.0,
}  # fmt: skip
"""Theo Jansen's thirteen numbers (1990), which he calls holy."""


def jansen(crank: float) -> dict[str, np.ndarray]:
    """The points of one of Jansen's legs at a crank angle: O, Z the crank, B the fixed pivot, foot the foot."""
    n = JANSEN
    points = {"O": np.zeros(2), "B": np.array([-n["a"], -n["l"]])}
    points["Z"] = n["m"] * np.array([np.cos(crank), np.sin(crank)])
    points["X"] = meeting(points["Z"], n["j"], points["B"], n["b"], -1)
    points["E"] = meeting(points["X"], n["e"], points["B"], n["d"], -1)
    points["C"] = meeting(points["Z"], n["k"], points["B"], n["c"], 1)
    points["F"] = meeting(points["E"], n["f"], points["C"], n["g"], -1)
    points["foot"] = meeting(points["F"], n["h"], points["C"], n["i"], -1)
    return points
