# SPDX-License-Identifier: GPL-3.0-or-later
"""Solved poses become ordinary keyframes: one new action per body, one key per frame on location and rotation.

Keys are Bezier keys whose handles make each segment the cubic that has the motion's own slope at both ends (slopes from
differences of fourth order over the frames). Between frames, where motion blur and retiming look, the curves then
follow the motion far closer than straight lines would, and joints hold there too.
"""

from collections.abc import Iterator

import bpy
import numpy as np

from ..animation import kept as kept_animation
from ..animation.slopes import slopes
from ..owner import Owner, rotation_path
from ..read.channels import own_turns, transform_channels
from ..read.reading import ReadBody
from ..read.solved import Solved

KEYFRAME = bpy.types.Keyframe.bl_rna.properties
CODES = {
    name: KEYFRAME[name].enum_items[item].value
    for name, item in (
        ("interpolation", "BEZIER"),
        ("handle_left_type", "ALIGNED"),
        ("handle_right_type", "ALIGNED"),
        ("type", "GENERATED"),
    )
}
"""What all keys are, as the bytes that Blender stores: written as such they need no conversion one by one."""


def build_actions(
    bodies: list[ReadBody], solved: Solved, first_frame: int, made: list[tuple[bpy.types.Object, bpy.types.Action]]
) -> Iterator[float]:
    """Make an action for each dynamic body, without assigning it; yields the fraction done.

    Appends (object, action) to `made` one by one, so that a cancelled bake can remove what was made.
    """
    by_name = {read.body.name: read for read in bodies}
    dynamic = [read for read in bodies if read.body.motion == "dynamic"]
    for count, (read, turn) in enumerate(zip(dynamic, own_turns(dynamic), strict=True), start=1):
        location, rotation = transform_channels(read, turn, by_name, solved)
        made.append((read.object, _build_action(read.owner, location, rotation, first_frame)))
        yield count / len(dynamic)


def assign_actions(made: list[tuple[bpy.types.Object, bpy.types.Action]]) -> None:
    """Put the actions onto their objects; from here on the timeline shows the bake."""
    covered = [kept_animation.covered_by_bake(owner) for owner, _ in made]
    for (owner, action), what in zip(made, covered, strict=True):
        kept_animation.assign_baked(owner, action, what)


def discard_actions(made: list[tuple[bpy.types.Object, bpy.types.Action]]) -> None:
    """Remove actions that were built but not assigned."""
    bpy.data.batch_remove([action for _, action in made])
    made.clear()


def _build_action(owner: Owner, location: np.ndarray, rotation: np.ndarray, first_frame: int) -> bpy.types.Action:
    action, slot = _action_like_original(owner)
    bag, moved = bag_of(action, slot), owner.moved_channels
    for curve in [curve for curve in bag.fcurves if curve.data_path in moved]:
        bag.fcurves.remove(curve)
    group = group_of(bag)
    paths = [(owner.channel("location"), i) for i in range(3)]
    paths += [(owner.channel(rotation_path(owner.rotation_mode)), i) for i in range(rotation.shape[1])]
    keys = _keys(first_frame, np.concatenate([location, rotation], axis=1))
    codes = {name: np.full(len(location), code, dtype=np.uint8) for name, code in CODES.items()}
    for i, (path, index) in enumerate(paths):
        curve = bag.fcurves.new(path, index=index)
        curve.group = group
        points = curve.keyframe_points
        points.add(len(location))
        for name, channels in keys.items():
            points.foreach_set(name, channels[i])
        for name, values in codes.items():
            points.foreach_set(name, values)
        curve.update()
    for constraint in owner.constraints:
        path = f'constraints["{bpy.utils.escape_identifier(constraint.name)}"].influence'
        _switch_off(bag, owner.channel(path), first_frame)
    return action


def bag_of(action: bpy.types.Action, slot: bpy.types.ActionSlot) -> bpy.types.ActionChannelbag:
    """The F-curves of a slot, in the action's first layer; a new action gets one."""
    layer = action.layers[0] if action.layers else action.layers.new("Layer")
    strip = layer.strips[0] if layer.strips else layer.strips.new(type="KEYFRAME")
    return strip.channelbag(slot, ensure=True)


def group_of(bag: bpy.types.ActionChannelbag) -> bpy.types.ActionGroup:
    """The group that Blender's own keys of location and rotation are in."""
    return next((group for group in bag.groups if group.name == Owner.GROUP), None) or bag.groups.new(Owner.GROUP)


def _action_like_original(owner: Owner) -> tuple[bpy.types.Action, bpy.types.ActionSlot]:
    """An action for the bake and its slot: all but location and rotation goes on as in the object's own action."""
    name = f"{owner.object.name} Bake"
    original, slot_name = kept_animation.original_action(owner.object)
    if original is None or not slot_name:
        action = bpy.data.actions.new(name)
        return action, action.slots.new(id_type=Owner.SLOT, name=owner.object.name)
    action = original.copy()
    action.name = name
    action.use_fake_user = False
    action.use_cyclic = False
    action.use_frame_range = False
    for slot in [slot for slot in action.slots if slot.identifier != slot_name]:
        action.slots.remove(slot)
    return action, action.slots[0]


def _keys(first_frame: int, values: np.ndarray) -> dict[str, np.ndarray]:
    """Of values (F, C) on each frame the keys and their handles (C, 2 F): frame, value, frame, value and so on.

    Handles are a third of a frame away: then the curve between two keys is the Hermite cubic.
    """
    co, third = np.empty((2, *values.T.shape, 2))
    co[..., 0], co[..., 1] = first_frame + np.arange(len(values)), values.T
    third[..., 0], third[..., 1] = 1.0 / 3.0, slopes(values).T / 3.0
    keys = {"co": co, "handle_left": co - third, "handle_right": co + third}
    return {name: array.astype(np.float32).reshape(values.shape[1], -1) for name, array in keys.items()}


def _switch_off(bag: bpy.types.ActionChannelbag, path: str, frame: int) -> None:
    """A single key that holds a constraint's influence at zero: the solver has taken over from it."""
    curve = bag.fcurves.find(path)
    if curve:
        bag.fcurves.remove(curve)
    curve = bag.fcurves.new(path)
    curve.keyframe_points.add(1)
    curve.keyframe_points.foreach_set("co", [float(frame), 0.0])
    curve.keyframe_points.foreach_set("type", [CODES["type"]])
    curve.update()
