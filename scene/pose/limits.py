# SPDX-License-Identifier: GPL-3.0-or-later
"""Limits of joints at the frame that is posed: they count from how the bodies stand at the first frame."""

from collections.abc import Iterator
from contextlib import contextmanager

import bpy
import numpy as np

from ...solver.mechanism import Joint
from ...solver.mechanism.joint_types import ANGLE
from ...solver.model.poses import cardan_angles
from ..animation.animated import has_moving_transform
from ..curves.fcurves import animated_paths
from ..geometry import poses
from ..owner import Owner
from ..read.placed import limits_from_placed
from ..read.reading import Reading
from ..read.sampling import evaluate_at, frame_kept, shown_frame

_CHANNELS = ("location", "rotation_euler", "rotation_quaternion", "rotation_axis_angle", "scale")


def count_limits_from_first_frame(reading: Reading, view_layer: bpy.types.ViewLayer) -> None:
    """Limits of the mechanism's joints, which count from its poses, become those that count from the first frame."""
    limited = [joint for joint in reading.mechanism.joints if joint.limits and not joint.joint_type.is_charted]
    owners = {binding.body.name: binding.owner for binding in reading.bodies}
    if not limited or shown_frame(reading.scene) == reading.first or not any(map(_moves, owners.values())):
        return
    frames = {joint.name: Owner(reading.scene.objects[joint.name]) for joint in limited}
    now = {name: owner.world(view_layer.depsgraph) for name, owner in owners.items()}
    with _unkeyed_kept(reading.scene), frame_kept(reading.scene):
        depsgraph = evaluate_at(reading.scene, view_layer, reading.first)
        start = {name: owner.world(depsgraph) for name, owner in owners.items()}
        drawn = {name: _rigid(owner.world(depsgraph)) for name, owner in frames.items()}
    view_layer.update()
    for joint in limited:
        inner, outer = (
            np.eye(4) if name is None else _rigid(now[name]) @ np.linalg.inv(_rigid(start[name]))
            for name in (joint.parent, joint.child)
        )
        frame = drawn[joint.name]
        moved = np.linalg.inv(frame) @ np.linalg.inv(inner) @ outer @ frame
        joint.limits = limits_from_placed(joint, _coordinates(joint, moved), joint.limits)


def _coordinates(joint: Joint, moved: np.ndarray) -> tuple[float, ...]:
    """Coordinates at which a joint's child has moved so (4, 4), in the joint's frame; angles nearest to its limits."""
    kind, R = joint.joint_type, moved[:3, :3]
    turns = [turn.axis for turn in kind.turns]
    if len(turns) == 2:
        angles = iter(np.concatenate(cardan_angles(R[None], *turns)))
    else:
        angles = iter(np.arctan2(R[(k + 2) % 3, (k + 1) % 3], R[(k + 1) % 3, (k + 1) % 3]) for k in turns)
    found = []
    for axis, pair in zip(kind.axes, joint.limits, strict=True):
        value = float(next(angles) if axis.kind == ANGLE else moved[axis.axis, 3])
        if axis.kind == ANGLE and pair is not None:
            known = [bound for bound in pair if bound is not None]
            value -= 2.0 * np.pi * round((value - sum(known) / max(len(known), 1)) / (2.0 * np.pi))
        found.append(value)
    return tuple(found)


def _rigid(matrix: np.ndarray) -> np.ndarray:
    pose = poses.split(np.asarray(matrix, float))
    return poses.join(pose.position, pose.orientation, np.eye(3))


def _moves(owner: Owner) -> bool:
    """True if anything may put the object, or what it hangs on, elsewhere at another frame."""
    ob = owner.object
    while ob is not None:
        poses_bones = any(path.startswith("pose.bones") for path in animated_paths(ob))
        if has_moving_transform(ob) or ob.constraints or poses_bones:
            return True
        ob = ob.parent
    return False


@contextmanager
def _unkeyed_kept(scene: bpy.types.Scene) -> Iterator[None]:
    """Puts back what animated objects had without keys, which another frame takes from them."""
    animated = [ob for ob in scene.objects if ob.animation_data]
    moved = [*animated, *(each for ob in animated if ob.pose is not None for each in ob.pose.bones)]
    kept = [(each, name, tuple(getattr(each, name))) for each in moved for name in _CHANNELS]
    try:
        yield
    finally:
        for each, name, values in kept:
            if tuple(getattr(each, name)) != values:
                setattr(each, name, values)
