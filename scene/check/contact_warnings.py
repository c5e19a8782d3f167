# SPDX-License-Identifier: GPL-3.0-or-later
"""Warnings of contact that is slow, of bodies that start in others, and of rides that jam."""

import bpy

from ...solver.mechanism import Hull, Mesh, Shape
from ..read.reading import Reading
from .contact_sides import warn_of_sides
from .contact_start import warn_of_start
from .ride_contact import warn_of_jams

MOST_TRIANGLES = 50_000
MOST_CORNERS = 1000
"""More than these are told of: nobody would see the difference, but wait for it."""


def warn_of_contact(reading: Reading) -> None:
    """Warn of shapes with too many corners, of bodies that start in others, of open meshes, and of rides that jam."""
    for binding in reading.bodies:
        if binding.body.shape is not None:
            shape = binding.body.shape
            _warn_of_size(reading, binding.object, shape if isinstance(shape, tuple) else (shape,))
    warn_of_start(reading)
    warn_of_sides(reading)
    warn_of_jams(reading)


def _warn_of_size(reading: Reading, owner: bpy.types.Object, shapes: tuple[Shape, ...]) -> None:
    triangles = sum(len(shape.triangles) for shape in shapes if isinstance(shape, Mesh))
    corners = max((len(shape.points) for shape in shapes if isinstance(shape, Hull)), default=0)
    if triangles > MOST_TRIANGLES:
        reading.warn(
            owner, f"touches others with {triangles} triangles, which is slow: simplify it (a Decimate modifier)"
        )
    if corners > MOST_CORNERS:
        reading.warn(
            owner,
            f"touches others as a hull of {corners} corners, which is slow: choose a Sphere, Capsule or Box, "
            "or simplify it (a Decimate modifier)",
        )
