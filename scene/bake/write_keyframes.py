# SPDX-License-Identifier: GPL-3.0-or-later
"""Solved poses become ordinary keyframes: one new action per body, one key per frame on location and rotation.

Keys are Bezier keys whose handles make each segment the cubic that has the motion's own slope at both ends: that of the
recorded velocities, or, where only poses are known, by differences of fourth order over the frames. Where that is not
enough for what motion blur and retiming see between frames, there are keys between (`keys_between`), with a corner
where something hits the body.
"""

from collections.abc import Iterator

import bpy
import numpy as np

from ..animation import kept as kept_animation
from ..animation.slopes import slopes
from ..owner import Owner, rotation_path
from ..read.channels import channels_over, own_turns, parent_scale, transform_channels
from ..read.reading import ReadBody
from ..read.solved import Solved
from ..read.track import TURN, Track
from .keys_between import WAY, Keys, keys_of_location, keys_of_rotation

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
FREE = KEYFRAME["handle_left_type"].enum_items["FREE"].value


def build_actions(
    bodies: list[ReadBody],
    solved: Solved,
    first_frame: int,
    made: list[tuple[bpy.types.Object, bpy.types.Action]],
    may_be_between: bool = False,
) -> Iterator[float]:
    """Make an action for each dynamic body, without assigning it; yields the fraction done.

    Appends (object, action) to `made` one by one, so that a cancelled bake can remove what was made. `may_be_between`:
    keys are made between frames too, where a body needs them.
    """
    by_name = {read.body.name: read for read in bodies}
    dynamic = [read for read in bodies if read.body.motion == "dynamic"]
    for count, (read, turn) in enumerate(zip(dynamic, own_turns(dynamic), strict=True), start=1):
        keys = _keys_of(read, turn, by_name, solved, may_be_between)
        made.append((read.object, _build_action(read.owner, *keys, first_frame)))
        yield count / len(dynamic)


def assign_actions(made: list[tuple[bpy.types.Object, bpy.types.Action]]) -> None:
    """Put the actions onto their objects; from here on the timeline shows the bake."""
    with kept_animation.baked_shown(made):
        pass


def discard_actions(made: list[tuple[bpy.types.Object, bpy.types.Action]]) -> None:
    """Remove actions that were built but not assigned."""
    bpy.data.batch_remove([action for _, action in made])
    made.clear()


def _keys_of(
    read: ReadBody, turn: np.ndarray, by_name: dict[str, ReadBody], solved: Solved, may_be_between: bool
) -> tuple[Keys, Keys]:
    """Keys of location and rotation of a body."""
    name = read.body.name
    glimpse = solved.glimpsed(name)
    if glimpse is not None and glimpse.farthest_turn < TURN:
        keys = _keys_on(read, turn, by_name, solved, glimpse, may_be_between, 0.5)
        if len(keys[0].times) == len(keys[1].times) == len(solved.position):
            return keys
    track = solved.track(name)
    if track is None:
        return tuple(_keys_of_poses(values) for values in transform_channels(read, turn, by_name, solved))
    return _keys_on(read, turn, by_name, solved, track.looked_at_often(), may_be_between, 1.0)


def _keys_on(
    read: ReadBody,
    turn: np.ndarray,
    by_name: dict[str, ReadBody],
    solved: Solved,
    track: Track,
    may_be_between: bool,
    share: float,
) -> tuple[Keys, Keys]:
    """Keys of location and rotation along a track, with a `share` of the tolerance."""
    way = share * WAY / _strictness(read, by_name)
    place, angle = way * _size(read) / parent_scale(read), way * _size(read) / _reach(read)
    at_frames = track.times == np.round(track.times)
    for rated in (at_frames, np.ones_like(at_frames)):  # few bodies need more than the rates at frames
        location, rotation = channels_over(read, turn, by_name, solved, track, rated)
        keys = (
            keys_of_location(track.times, location, place, may_be_between),
            keys_of_rotation(track.times, rotation, read.owner.rotation_mode, angle, may_be_between),
        )
        if share < 1.0 or len(keys[1].times) == np.count_nonzero(at_frames):
            break
    return keys


def _size(read: ReadBody) -> float:
    """m: of a body; of one without a mesh 1."""
    return read.owner.size or 1.0


def _reach(read: ReadBody) -> float:
    """m: the farthest corner of a body from its origin."""
    corners = np.array(read.object.bound_box) @ read.residual.T
    return max(0.5 * _size(read), float(np.linalg.norm(corners, axis=1).max()))


def _strictness(read: ReadBody, by_name: dict[str, ReadBody]) -> float:
    """The factor by which a body must keep closer to its way than its own size asks, for those that hang on it."""
    strictness, size = 1.0, _size(read)
    for other in by_name.values():
        if other.ancestor == read.body.name:
            arm = float(np.linalg.norm(np.subtract(other.body.position, read.body.position)))
            strictness = max(strictness, 4.0 * max(size, 2.0 * arm, _size(other)) / _size(other))
    return strictness


def _keys_of_poses(values: np.ndarray) -> Keys:
    """Keys of channels (F, C) that are known at frames only."""
    slope = slopes(values)
    return Keys(np.arange(float(len(values))), values, slope, slope, np.zeros(len(values), bool))


def _build_action(owner: Owner, location: Keys, rotation: Keys, first_frame: int) -> bpy.types.Action:
    action, slot = _action_like_original(owner)
    bag, moved = bag_of(action, slot), owner.moved_channels
    for curve in [curve for curve in bag.fcurves if curve.data_path in moved]:
        bag.fcurves.remove(curve)
    group = group_of(bag)
    for path, keys in (("location", location), (rotation_path(owner.rotation_mode), rotation)):
        numbers, codes = _numbers(first_frame, keys), _codes(keys)
        for index in range(keys.values.shape[1]):
            curve = bag.fcurves.new(owner.channel(path), index=index)
            curve.group = group
            points = curve.keyframe_points
            points.add(len(keys.times))
            for name, channels in numbers.items():
                points.foreach_set(name, channels[index])
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


def _numbers(first_frame: int, keys: Keys) -> dict[str, np.ndarray]:
    """Keys and handles of C channels, each (C, 2 K), as Blender stores them: frames and values in turn."""
    gaps = np.diff(keys.times)
    numbers = {"co": _points(first_frame + keys.times, keys.values)}
    for name, third, slope in (
        ("handle_left", np.append(1.0, gaps) / -3.0, keys.left),
        ("handle_right", np.append(gaps, 1.0) / 3.0, keys.right),
    ):
        numbers[name] = _points(first_frame + keys.times + third, keys.values + third[:, None] * slope)
    return numbers


def _points(frames: np.ndarray, values: np.ndarray) -> np.ndarray:
    points = np.stack([np.broadcast_to(frames[:, None], values.shape), values], axis=2)
    return points.swapaxes(0, 1).astype(np.float32).reshape(values.shape[1], -1)


def _codes(keys: Keys) -> dict[str, np.ndarray]:
    """The kinds of the keys."""
    codes = {name: np.full(len(keys.times), code, dtype=np.uint8) for name, code in CODES.items()}
    for side in ("handle_left_type", "handle_right_type"):
        codes[side][keys.is_free] = FREE
    return codes


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
