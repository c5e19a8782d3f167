# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies that ride on a smooth surface and collide with something of the same form, between which they would jam."""

from collections.abc import Iterator

import bpy
import numpy as np

from ...solver.model.touching import Touching
from ..parts.placement import outline
from ..read.reading import BodyBinding, Reading
from ..read.shapes import shape_children

SAME_PLACE = 0.05
"""How near a mesh comes to where a body rides, as a part of that body's thickness, to be of the surface's form."""


def warn_of_jams(reading: Reading) -> None:
    """Tell of bodies that ride on one thing and touch another at the same place."""
    if not reading.touches:
        return
    touching = Touching(reading.mechanism)
    number = {body.name: i for i, body in enumerate(reading.mechanism.bodies)}
    for owner, place in reading.touches.items():
        rider = reading.body_of(owner.ves.body_b or owner.ves.body_a)
        if rider is None or number[rider.body.name] not in touching.bodies:
            continue
        for other in reading.bodies:
            i, j = number[rider.body.name], number[other.body.name]
            if j in touching.bodies and touching.may_touch(i, j) and _is_at(reading, other, rider, place):
                _warn(reading, owner, rider.object, other.object)


def _is_at(reading: Reading, other: BodyBinding, rider: BodyBinding, place: np.ndarray) -> bool:
    near = SAME_PLACE * min(rider.object.dimensions)
    meshes = (outline(ob, reading.depsgraph).tree for ob in _touched(other.object))
    return any(tree.find_nearest(place, near)[0] is not None for tree in meshes)


def _touched(body: bpy.types.Object) -> Iterator[bpy.types.Object]:
    """The objects whose meshes make what others touch of it."""
    children = list(shape_children(body)) if body.ves.contact_shape == "COMPOUND" else []
    yield from children or [body]


def _warn(reading: Reading, owner: bpy.types.Object, rider: bpy.types.Object, other: bpy.types.Object) -> None:
    settings = owner.ves
    ridden = settings.ride_object_a or settings.body_a
    reading.warn(
        rider,
        f"rides on {ridden.name} and collides with {other.name}, which has the same form there, so it will jam: "
        f"select both and choose Don't Collide, turn Collide off for {other.name}, or make that the joint's parent",
    )
