# SPDX-License-Identifier: GPL-3.0-or-later
"""The places that a line of sight means: on a line that something is dragged along, and in the plane that faces it."""

from mathutils import Vector
from mathutils.geometry import intersect_line_line, intersect_line_plane


def along_line(place: Vector, along: Vector, value: float, begin: Vector, sight: Vector) -> float:
    """The way (m) from a place along a direction, of length 1, a line is nearest to the sight; if parallel, `value`."""
    found = intersect_line_line(place, place + along, begin, begin + sight)
    return value if found is None else (found[0] - place).dot(along)


def facing(place: Vector, begin: Vector, sight: Vector) -> Vector:
    """The point under the line of sight in the plane through a place that is at right angles to it."""
    return intersect_line_plane(begin, begin + sight, place, sight)
