# SPDX-License-Identifier: GPL-3.0-or-later
"""The other side of what is posed: the body of the mirrored name, and the plane of symmetry.

Names are mirrored as Blender does it (.L and .R, Left and Right, ...). Bones are mirrored about the X of their rig's
object, objects about the world's.
"""

from collections.abc import Mapping
from typing import NamedTuple

import bpy
import numpy as np

from ..owner import Owner
from ..read.reading import BodyBinding


class Mirror(NamedTuple):
    """The number of the body of the other side, and the reflection (4, 4) in the world that leads there."""

    row: int
    matrix: np.ndarray

    def of(self, point: np.ndarray) -> np.ndarray:
        """A place (3,) in the world, mirrored."""
        return self.matrix[:3, :3] @ np.asarray(point, float) + self.matrix[:3, 3]


def mirror_of(row: int, bindings: Mapping[int, BodyBinding]) -> Mirror | None:
    """Of a body by its number; None if it has no other side."""
    owner = bindings[row].owner
    for other, binding in bindings.items():
        if are_twins(owner, binding.owner):
            return Mirror(other, reflection_of(owner))
    return None


def are_twins(owner: Owner, other: Owner) -> bool:
    """True for what stands on both sides, by its names, two objects or bones of one rig."""
    name = owner.moved.name
    flipped = bpy.utils.flip_name(name)
    return flipped not in (name, "") and other.moved.name == flipped and _are_alike(owner, other)


def reflection_of(owner: Owner) -> np.ndarray:
    """(4, 4) in the world: at the plane across the X of a bone's rig, or for an object the world's."""
    frame = np.eye(4) if _is_object(owner) else np.array(owner.holder.matrix_world, dtype=np.float64)
    return frame @ np.diag((-1.0, 1.0, 1.0, 1.0)) @ np.linalg.inv(frame)


def _are_alike(one: Owner, other: Owner) -> bool:
    """True for two objects, and for two of the same rig."""
    return one.holder == other.holder or (_is_object(one) and _is_object(other))


def _is_object(owner: Owner) -> bool:
    return owner.moved == owner.object
