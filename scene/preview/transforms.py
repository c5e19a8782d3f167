# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects are put to other places in the world: bodies where they were solved to be, and what belongs to them after.

Only an object's own location and rotation change, in its own rotation mode, whatever its parents are; what its parent
carries to the right place by itself is not touched.
"""

from collections.abc import Iterable

import bpy
import numpy as np

from ...solver.mechanism import Body
from ..animation.animated import has_moving_transform
from ..findings import Finding
from ..geometry import poses
from ..owner import Owner, bones_known
from ..read.channels import own_turns, transform_channels
from ..read.reading import BodyBinding
from ..read.solved import Solved

ROUNDING = 2e-6  # of the numbers in a matrix, that single precision takes
SMALLEST = 1e-2  # m: coordinates below this are rounded as if they were as large

Pose = tuple[np.ndarray, np.ndarray]


def stand_at(binding: BodyBinding, depsgraph: bpy.types.Depsgraph) -> None:
    """Note what parents do to a body at this moment, where nothing was sampled."""
    Parents([binding]).note(depsgraph)


class Parents:
    """World matrices of children, moment after moment: which parents they hang on, is found out once."""

    def __init__(self, bindings: Iterable[BodyBinding]) -> None:
        with bones_known():
            self._hanging = [
                (binding, binding.owner.dynamic_ancestor()) for binding in bindings if binding.owner.carrier is not None
            ]

    def note(self, depsgraph: bpy.types.Depsgraph) -> None:
        """Note what parents do to the bodies at this moment."""
        for binding, ancestor in self._hanging:
            binding.parent_space = binding.owner.parent_space(depsgraph)[None]
            binding.ancestor_space = ancestor.world(depsgraph)[None] if ancestor else None


def put_bodies(bindings: list[BodyBinding], solved: Solved, carriers: Iterable[BodyBinding] = ()) -> None:
    """Give bodies the location and rotation of their first solved pose. All of them are written, or none.

    `carriers`: what they may hang on, which somebody else puts where it was solved to be.
    """
    by_name = {binding.body.name: binding for binding in (*bindings, *carriers)}
    channels = transform_channels(bindings, own_turns(bindings), by_name, solved) if bindings else ()
    for binding, (location, rotation) in zip(bindings, channels, strict=True):
        binding.owner.write(location[0], rotation[0])


def put_parts(wanted: dict[bpy.types.Object, np.ndarray], view_layer: bpy.types.ViewLayer) -> list[Finding]:
    """Move objects to world matrices (4, 4), parents first, unless they are there already.

    Returns findings about those that can't be moved.
    """
    findings = []
    for depth in sorted({_depth(owner) for owner in wanted}):
        view_layer.update()
        depsgraph = view_layer.depsgraph
        for owner, matrix in wanted.items():
            if _depth(owner) != depth or is_at(owner, matrix, depsgraph):
                continue
            reason = what_moves(owner)
            if reason:
                findings.append(Finding(owner, f"stays behind, because {reason}: move it along by hand"))
            elif not Owner(owner).is_flat:
                _put(Owner(owner), matrix, depsgraph)
    view_layer.update()
    return findings


def is_at(owner: bpy.types.Object, matrix: np.ndarray, depsgraph: bpy.types.Depsgraph) -> bool:
    """True if an object is at a world matrix (4, 4), as far as single precision can tell."""
    shown = Owner(owner).world(depsgraph)
    size = np.array([max(SMALLEST, np.abs(matrix[:3, 3]).max()) if i == 3 else 1.0 for i in range(4)])
    scale = np.maximum(size, np.abs(matrix[:3]).max(axis=0) * (np.arange(4) < 3))
    return bool((np.abs(shown - matrix)[:3] <= ROUNDING * scale).all())


def what_moves(owner: bpy.types.Object) -> str:
    """Whatever would win over a new location or rotation of an object, in words; "" if nothing does."""
    if has_moving_transform(owner):
        return "it has keyframes or drivers of its own"
    names = [constraint.name for constraint in owner.constraints if not constraint.mute and constraint.influence]
    return f"it has constraints ({', '.join(names)})" if names else ""


def displacement(before: Pose, after: Pose) -> np.ndarray:
    """The rigid motion (4, 4) that takes one pose to another."""
    matrices = [poses.join(position, orientation, np.eye(3)) for position, orientation in (before, after)]
    return matrices[1] @ np.linalg.inv(matrices[0])


def _put(owner: Owner, matrix: np.ndarray, depsgraph: bpy.types.Depsgraph) -> None:
    pose = poses.split(matrix)
    binding = BodyBinding(
        owner=owner,
        body=Body(name=owner.name),
        residual=pose.residual,
        scale=owner.scale,
        rotation_mode=owner.rotation_mode,
        rotation_values=owner.rotation_values,
        parent_space=owner.parent_space(depsgraph)[None] if owner.carrier else None,
    )
    solved = Solved([owner.name], pose.position[None, None], pose.orientation[None, None])
    ((location, rotation),) = transform_channels([binding], own_turns([binding]), {}, solved)
    owner.write(location[0], rotation[0])


def _depth(owner: bpy.types.Object) -> int:
    return sum(1 for _ in Owner(owner).carriers())
