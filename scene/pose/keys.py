# SPDX-License-Identifier: GPL-3.0-or-later
"""Keyframes of poses: location and rotation of bodies at one frame, in their own actions; of bones in their rigs'.

A body that gets its first keys while the scene has keyed poses at other frames stood at its old place there. So it gets
keys for that place at the nearest of those frames before and after: joints would be torn there otherwise.
"""

import contextlib
import json
from collections.abc import Mapping

import bpy

from ..animation.animated import key_frames
from ..animation.given_actions import count_given
from ..animation.kept import is_baked
from ..bake.write_keyframes import bag_of, group_of
from ..owner import Owner, Values

SAME_FRAME = 0.01  # two keys can't be nearer to each other
MOST_REMOVED = 500
"""Actions that are removed when keys are taken back. Each takes Blender a time in proportion to all of them; of more
it is minutes, so they stay without a user, and Blender drops them when the file is saved."""


class PoseKeys:
    """Keys that were made together, and can be taken back as long as nobody else touches the actions."""

    def __init__(self) -> None:
        self._made: list[tuple[bpy.types.Action, str, str, int, float, float | None]] = []
        self._actions: list[tuple[bpy.types.Object, bpy.types.Action, bool]] = []

    def key(self, before: Mapping[bpy.types.Object, Values], frame: float) -> None:
        """Key bodies as they are now; `before` has each one's location and rotation before it was posed."""
        bodies = [Owner(owner) for owner in bpy.data.objects if owner.ves.role == "BODY"]
        others = [owner for owner in bodies if owner.is_animated]
        known = {
            at
            for owner in others
            if not is_baked(owner.holder)
            for at in key_frames(owner.holder, owner.channel(owner.placing[0]))
        }
        earlier = max((at for at in known if at < frame - SAME_FRAME), default=None)
        later = min((at for at in known if at > frame + SAME_FRAME), default=None)
        keyed = {owner.object for owner in others}
        for body, values in sorted(before.items(), key=lambda item: item[0].name.lower()):  # as Blender keeps actions
            owner = Owner(body)
            paths, placed = owner.placing, owner.transform
            now = {path: placed[path] for path in paths}
            poses = {frame: now}
            if body not in keyed:
                poses |= {at: {path: values[path] for path in paths} for at in (earlier, later) if at is not None}
            self._insert(owner, poses)

    def undo(self) -> None:
        """As it was before, but for what somebody has removed meanwhile.

        Curves are looked for anew: Python is not told that Blender has freed one.
        """
        for made in reversed(self._made):
            with contextlib.suppress(ReferenceError):
                _undo_key(*made)
        for owner, action, had_animation in self._actions:
            with contextlib.suppress(ReferenceError):
                if owner.animation_data is not None and owner.animation_data.action == action:
                    owner.animation_data.action = None
                    if not had_animation:
                        owner.animation_data_clear()
        left = set(bpy.data.actions)
        if len(self._actions) <= MOST_REMOVED:
            bpy.data.batch_remove([action for _, action, _ in self._actions if action in left])
        self.__init__()

    def _insert(self, owner: Owner, poses: Mapping[float, Values]) -> None:
        bag = self._bag(owner, next(iter(poses)))
        animation = owner.holder.animation_data
        group, action, slot = group_of(bag, owner), animation.action, animation.action_slot.identifier
        for path in next(iter(poses.values())):
            channel = owner.channel(path)
            for i in range(len(next(iter(poses.values()))[path])):
                curve = bag.fcurves.find(channel, index=i)
                if curve is None:
                    curve = bag.fcurves.new(channel, index=i)
                    curve.group = group
                for frame, values in poses.items():
                    same = (point.co.y for point in curve.keyframe_points if abs(point.co.x - frame) < SAME_FRAME)
                    self._made.append((action, slot, channel, i, frame, next(same, None)))
                    curve.keyframe_points.insert(frame, values[path][i], options={"FAST"})
                curve.update()

    def _bag(self, owner: Owner, frame: float) -> bpy.types.ActionChannelbag:
        """Of its holder's own action; that gets one if it has none.

        An object without any animation gets it by its first key: each new slot made by itself takes Blender a time in
        proportion to all that the file holds.
        """
        holder = owner.holder
        if holder.animation_data is None:
            owner.moved.keyframe_insert(owner.placing[0], frame=frame)
            self._actions.append((holder, holder.animation_data.action, False))
            count_given(holder)
        animation = holder.animation_data
        if animation.action is None:
            action = bpy.data.actions.new(f"{holder.name}Action")
            animation.action = action
            animation.action_slot = action.slots.new(id_type=Owner.SLOT, name=holder.name)
            self._actions.append((holder, action, True))
            count_given(holder)
        elif animation.action_slot is None:
            animation.action_slot = animation.action.slots.new(id_type=Owner.SLOT, name=holder.name)
        return bag_of(animation.action, animation.action_slot)


def _undo_key(
    action: bpy.types.Action, slot_name: str, path: str, index: int, frame: float, value: float | None
) -> None:
    """Give a key its value from before, or take it and what held only it away."""
    slot = next((slot for slot in action.slots if slot.identifier == slot_name), None)
    bag = None if slot is None or not action.layers else bag_of(action, slot)
    curve = None if bag is None else bag.fcurves.find(path, index=index)
    points = [] if curve is None else [p for p in curve.keyframe_points if abs(p.co.x - frame) < SAME_FRAME]
    if not points:
        return
    if value is not None:
        curve.keyframe_points.insert(frame, value)
        return
    curve.keyframe_points.remove(points[0])
    if not curve.keyframe_points:
        bag.fcurves.remove(curve)


def note_unkeyed(scene: bpy.types.Scene, before: Mapping[bpy.types.Object, Values]) -> None:
    """Note in the bodies how they were before they were posed; what is noted already stays."""
    for owner, values in before.items():
        if not owner.ves.before_pose:
            owner.ves.before_pose = json.dumps({name: list(numbers) for name, numbers in values.items()})
    scene.ves.pose_has_unkeyed = scene.ves.pose_has_unkeyed or bool(before)


def unkeyed(scene: bpy.types.Scene) -> dict[bpy.types.Object, Values]:
    """The bodies that Pose has moved and nobody has keyed since, with location and rotation before that."""
    return {owner: json.loads(owner.ves.before_pose) for owner in scene.objects if owner.ves.before_pose}


def forget_unkeyed(scene: bpy.types.Scene) -> None:
    """They are keyed now."""
    for owner in scene.objects:
        if owner.ves.before_pose:
            owner.ves.before_pose = ""
    scene.ves.pose_has_unkeyed = False
