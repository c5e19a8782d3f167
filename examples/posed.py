# SPDX-License-Identifier: GPL-3.0-or-later
"""Common to the examples of Pose: one drag per frame, with keys, as a person does who poses from frame to frame."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import bpy

from .by_hand import select


def add(kind: str, links: int, place: Sequence[float], scale: float = 1.0) -> list[bpy.types.Object]:
    """Add > Erector Set > Examples at a place; returns the bodies in their order along the linkage."""
    before = set(bpy.data.objects)
    bpy.context.scene.cursor.location = place
    bpy.ops.ves.add_example(kind=kind, links=links, scale=scale)
    made = [ob for ob in bpy.data.objects if ob not in before and ob.ves.role == "BODY"]
    return sorted(made, key=lambda ob: int(ob.name.split()[-1]))


def pin(*bodies: bpy.types.Object) -> None:
    """Hold their origins."""
    select(*bodies)
    bpy.ops.ves.pin_bodies()


def drag(body: bpy.types.Object, way: Callable[[float], Sequence[float]], frames: int) -> None:
    """Pull a body's origin along a way, a function of the share of it that is done, and key each frame.

    At frame 1 it is enough to key this body: others get keys of where they were when they are first posed.
    """
    scene = bpy.context.scene
    for path in ("location", "rotation_quaternion"):
        body.keyframe_insert(path, frame=1)
    for frame in range(2, frames + 1):
        scene.frame_set(frame)
        bpy.ops.ves.pose(body=body.name, target=tuple(way((frame - 1) / (frames - 1))))
        if scene.ves.pose_has_unkeyed:
            bpy.ops.ves.key_pose()
    scene.frame_set(1)
