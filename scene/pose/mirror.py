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
    other_name = bpy.utils.flip_name(owner.moved.name)
    if other_name == owner.moved.name:
        return None
    for other, binding in bindings.items():
        if binding.owner.moved.name == other_name and _are_alike(owner, binding.owner):
            frame = np.eye(4) if _is_object(owner) else np.array(owner.holder.matrix_world, dtype=np.float64)
            return Mirror(other, frame @ np.diag((-1.0, 1.0, 1.0, 1.0)) @ np.linalg.inv(frame))
    return None


def _are_alike(one: Owner, other: Owner) -> bool:
    """True for two objects, and for two of the same rig."""
    return one.holder == other.holder or (_is_object(one) and _is_object(other))


def _is_object(owner: Owner) -> bool:
    return owner.moved == owner.object
