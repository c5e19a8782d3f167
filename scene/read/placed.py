# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints whose bodies are not placed at zero: their panels count from zero, the mechanism from where the bodies stand.

`Angle as Placed` says what a joint's coordinates are at the first frame. Its rest, limits and targets, in actions too,
are counted with that in Blender. In the mechanism 0 is where the bodies are drawn, so all of them are shifted, by what
the assembly also does to a mechanism that is described anew (`solver.assembly.rebase`).
"""

from typing import Any

import bpy
import numpy as np

from ...solver.assembly.rebase import shifted
from ...solver.mechanism import Action, Joint
from ...solver.mechanism.joint_types import JointType
from ..geometry import poses
from ..properties.joint import coordinate_values

COUNTED = ("rest", "limits", "motor")


def placed_at(owner: bpy.types.Object | None) -> tuple[float, ...]:
    """A joint's coordinates as its bodies are placed (m, rad); nothing if they are all zero, or it has none."""
    if owner is None or owner.ves.role != "JOINT":
        return ()
    values = tuple(coordinate_values(owner.ves, "placed"))
    return values if any(values) else ()


def limits_from_placed(joint: Joint, placed: tuple[float, ...], limits: list | None) -> list | None:
    """Limits of a joint's panels as the mechanism counts them."""
    return shifted(joint, placed, {"limits": limits})["limits"] if placed and limits else limits


def in_mechanism(joint: Joint, placed: tuple[float, ...], settings: dict[str, Any]) -> dict[str, Any]:
    """Settings of a joint's action as the mechanism counts them; `settings`: as the panels do."""
    return _counted(joint, placed, settings)


def in_panels(joint: Joint, placed: tuple[float, ...], settings: dict[str, Any]) -> dict[str, Any]:
    """The reverse of `in_mechanism`."""
    return _counted(joint, tuple(-value for value in placed), settings)


def _counted(joint: Joint, placed: tuple[float, ...], settings: dict[str, Any]) -> dict[str, Any]:
    if not placed or not set(settings) & set(COUNTED):
        return settings
    known = Action(0.0, joint.name, settings).values_for(joint)
    return Action(0.0, joint.name, shifted(joint, placed, known)).to_dict()["set"]


def coordinates_in_panels(joint_type: JointType, placed: tuple[float, ...], coordinates: np.ndarray) -> np.ndarray:
    """Coordinates (F, D) of the mechanism as the panels count them; three turns are a rotation vector."""
    if not placed:
        return coordinates
    counted = coordinates + np.array(placed)
    if joint_type.is_charted:
        turned = coordinates[:, -3:]
        counted[:, -3:] = together(np.broadcast_to(placed[-3:], turned.shape), turned)
    return counted


def together(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Rotation vectors (F, 3) of the turn `second` seen in the frame that the turn `first` has left."""
    return poses.rotation_vector(turns(first) @ turns(second))


def turns(vectors: np.ndarray) -> np.ndarray:
    """Rotation matrices (F, 3, 3) of rotation vectors (F, 3)."""
    from scipy.spatial.transform import Rotation

    return Rotation.from_rotvec(np.array(vectors, dtype=np.float64)).as_matrix()
