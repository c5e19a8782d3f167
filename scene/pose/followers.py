# SPDX-License-Identifier: GPL-3.0-or-later
"""Followers of posed bodies: Empties of joints and constraints, and their marks, that are no children.

The Empty of a joint goes with the parent, or stays where the world holds the joint. That of a universal joint has one
axis on each body, so it is turned along the first axis by as much as the child has turned against the parent.
"""

import bpy
import numpy as np

from ...solver.mechanism.joint_types import TRAVELS, TURNS
from ..findings import Finding
from ..geometry import poses
from ..owner import Owner
from ..preview.transforms import displacement, put_parts
from ..properties.joint import free_axes
from ..read.reading import Reading
from ..snap.followers import carrier_of, other_carrier_of
from .stage import PoseStage


def put_followers(reading: Reading, stage: PoseStage, view_layer: bpy.types.ViewLayer) -> list[Finding]:
    """Move what does not go along by itself; returns findings about what can't be moved."""
    motions = _Motions(reading, stage)
    wanted: dict[bpy.types.Object, np.ndarray] = {}
    for owner in reading.poses:
        if owner.ves.role == "BODY":
            continue
        carrier, mark = carrier_of(owner), owner.ves.anchor_b
        if carrier in stage.displaced and not Owner(owner).goes_along_with(Owner(carrier)):
            wanted[owner] = motions.of(carrier) @ _matrix(owner, view_layer)
        if owner.ves.role == "JOINT" and owner.ves.joint_type == "UNIVERSAL":
            _turn_cross(owner, motions, wanted, stage, view_layer, (0, 1), is_moved_along=False)
        if owner.ves.role == "JOINT" and owner.ves.joint_type == "GENERIC":
            free = free_axes(owner.ves)
            turns = tuple(k for k, name in enumerate(TURNS) if name in free)
            moves = any(name in TRAVELS for name in free)
            if moves or len(turns) == 2:
                cross = turns if len(turns) == 2 and not moves else (0, 0)
                _turn_cross(owner, motions, wanted, stage, view_layer, cross, is_moved_along=moves)
        other = other_carrier_of(owner)
        is_led = mark is not None and other in stage.displaced and mark.type == "EMPTY"
        if is_led and not Owner(mark).goes_along_with(Owner(other)):
            wanted[mark] = motions.of(other) @ _matrix(mark, view_layer)
    return put_parts(wanted, view_layer) if wanted else []


class _Motions:
    """The rigid motions (4, 4) of bodies from the pose that was read to what is shown."""

    def __init__(self, reading: Reading, stage: PoseStage) -> None:
        self._rows = {binding.object: row for row, binding in stage.bindings.items()}
        self._stage = stage

    def of(self, owner: bpy.types.Object | None) -> np.ndarray:
        row = self._rows.get(owner)
        return np.eye(4) if row is None else displacement(*self._stage.motion(row))


def _turn_cross(
    owner: bpy.types.Object,
    motions: _Motions,
    wanted: dict[bpy.types.Object, np.ndarray],
    stage: PoseStage,
    view_layer: bpy.types.ViewLayer,
    cross: tuple[int, int],
    is_moved_along: bool,
) -> None:
    """The first axis of a cross stays on the parent, the second on the child; of (0, 0) all stay on the parent.

    is_moved_along: the frame's origin is the child's, which has travelled.
    """
    parent, child = (owner.ves.body_a, owner.ves.body_b) if owner.ves.body_b else (None, owner.ves.body_a)
    if parent not in stage.displaced and child not in stage.displaced:
        return
    start = _matrix(owner, view_layer)
    if owner not in wanted and Owner(owner).goes_along_with(Owner(parent or child)):
        start = np.linalg.inv(motions.of(parent or child)) @ start
    pose = poses.split(start)
    frame = poses.rotations(pose.orientation)
    i, j = cross
    axes = motions.of(parent)[:3, :3] @ frame
    if i != j:
        x, y, k = axes[:, i], motions.of(child)[:3, :3] @ frame[:, j], 3 - i - j
        y = y - (y @ x) * x
        y /= np.linalg.norm(y)
        axes[:, j] = y
        axes[:, k] = np.cross(axes[:, (k + 1) % 3], axes[:, (k + 2) % 3])
    matrix = np.eye(4)
    matrix[:3, :3] = axes @ pose.residual
    matrix[:3, 3] = (motions.of(child if is_moved_along else parent) @ start)[:3, 3]
    wanted[owner] = matrix


def _matrix(owner: bpy.types.Object, view_layer: bpy.types.ViewLayer) -> np.ndarray:
    return Owner(owner).world(view_layer.depsgraph)
