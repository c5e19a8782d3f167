# SPDX-License-Identifier: GPL-3.0-or-later
"""The builder that all share that make objects of a mechanism's parts."""

from __future__ import annotations

import bpy
import numpy as np
from mathutils import Matrix

from ...solver.mechanism import Mechanism
from ..geometry import poses
from ..parts.empties import add_empty


class Builder:
    """Makes the objects of a mechanism in a collection: `objects` are its bodies by name, `ties` the Empties, `joints`
    of these those of joints.

    `left_out` says what has no place in a scene.
    """

    def __init__(self, context: bpy.types.Context, mechanism: Mechanism) -> None:
        self.scene, self.view_layer = context.scene, context.view_layer
        self.mechanism = mechanism
        self.collection = bpy.data.collections.new(mechanism.name or "Mechanism")
        self.objects: dict[str, bpy.types.Object] = {}
        self.ties: dict[str, bpy.types.Object] = {}
        self.joints: dict[str, bpy.types.Object] = {}
        self.terrains: dict[str, bpy.types.Object] = {}
        self.left_out: list[str] = []
        self.size = _overall_size(mechanism)

    def empty(self, name: str, role: str, position, orientation, bodies, on_second=False) -> bpy.types.Object:
        """An Empty that plays a part in the mechanism; the first or second of `bodies` carries it."""
        matrix = Matrix(poses.join(position, orientation, np.eye(3)).tolist())
        self.ties[name] = add_empty(name, role, matrix, bodies, 0.15 * self.size, self.collection, on_second)
        return self.ties[name]


def _overall_size(mechanism: Mechanism) -> float:
    """Length of a typical body, for the look of what has no size of its own."""
    radii = [
        np.sqrt(
            np.trace(np.diag(body.inertia) if len(np.shape(body.inertia)) == 1 else np.array(body.inertia)) / body.mass
        )
        for body in mechanism.bodies
        if body.mass and body.inertia is not None
    ]
    return 2.0 * float(np.median(radii)) if radii else 1.0
