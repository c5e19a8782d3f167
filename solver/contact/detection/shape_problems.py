# SPDX-License-Identifier: GPL-3.0-or-later
"""Shapes that nothing can touch, told before anything is computed: hulls along a line, meshes without an area."""

from ...mechanism.bodies import Hull, Mesh
from ...mechanism.error import MechanismError
from ...model.collision_shapes import Part
from .hulls import hull_corners
from .scenery import welded


def shape_problems(parts: list[Part]) -> list[str]:
    """One line for each body with such a shape."""
    problems: dict[str, None] = {}
    for part in parts:
        try:
            if isinstance(part.shape, Hull):
                hull_corners(part)
            elif isinstance(part.shape, Mesh):
                welded(part)
        except MechanismError as error:
            problems |= dict.fromkeys(error.problems)
    return list(problems)
