# SPDX-License-Identifier: GPL-3.0-or-later
"""Solved poses become ordinary keyframes: one new action per body, one key per frame on location and rotation.

Keys are Bezier keys whose handles make each segment the cubic that has the motion's own slope at both ends: that of the
recorded velocities, or, where only poses are known, by differences of fourth order over the frames. Where that is not
enough for what motion blur and retiming see between frames, there are keys between (`keys_between`), with a corner
where something hits the body.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

import bpy
import numpy as np

from ..animation import kept as kept_animation
from ..animation.slopes import slopes
from ..owner import Owner, bone_shapes, rotation_path
from ..read.channels import can_be_together, channels_over, own_turns, parent_scale, transform_channels
from ..read.reading import BodyBinding
from ..read.solved import Solved
from ..read.track import Track
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
"""The codes of all keys, as the bytes that Blender stores: written as such they need no conversion one by one."""
TURN = 0.6  # rad: a body is looked at again when it has turned so far
EULER_TURN = 0.3  # rad: the same where its Euler angles come near gimbal lock
NEAR_LOCK = 0.5  # rad: from there, within which it is looked at more often still
FASTER, STILL = 2.0, 1e-4  # angles that turn so many times as far as their body, and so many rad, do come near
AT_ONCE = 2000
"""Frames times bodies whose keys are worked out together."""
FREE = KEYFRAME["handle_left_type"].enum_items["FREE"].value


class Deferred(NamedTuple):
    """Keys of a body's location and rotation that wait, since a control may get them instead."""

    binding: BodyBinding
    location: Keys
    rotation: Keys


def build_actions(
    bodies: list[BodyBinding],
    solved: Solved,
    first_frame: int,
    made: list[tuple[bpy.types.Object, bpy.types.Action]],
    may_be_between: bool = False,
    deferred: list[Deferred] | None = None,
) -> Iterator[float]:
    """Make an action for each dynamic body, without assigning it; yields the fraction done.

    Appends (object, action) to `made` one by one, so that a cancelled bake can remove what was made: bodies that move
    bones have one together, that of their armature. `may_be_between`: keys are made between frames too, where a body
    needs them. `deferred` gets the keys of bones that controls lead, which are not written.
    """
    actions: dict[bpy.types.Object, bpy.types.Action] = {}
    dynamic = [binding for binding in bodies if binding.body.motion == "dynamic"]
    with _blank_actions(len(solved.position)) as blank:
        for i, keys in enumerate(keys_of_bodies(bodies, dynamic, solved, may_be_between)):
            if keys is not None:
                binding, location, rotation = keys
                holder = binding.owner.holder
                if holder not in actions:
                    actions[holder] = _action_like_original(binding.owner) or blank(binding.owner)
                    made.append((holder, actions[holder]))
                if deferred is not None and _waits(binding.owner):
                    deferred.append(Deferred(binding, location, rotation))
                else:
                    put_keys(actions[holder], binding.owner, location, rotation, first_frame)
            yield min(1.0, i / len(dynamic))


def _waits(owner: Owner) -> bool:
    """True for a bone that a control leads, or IK."""
    return owner.control is not None or owner.leads != "AS_ONE"


def keys_of_bodies(
    bodies: list[BodyBinding], some: list[BodyBinding], solved: Solved, may_be_between: bool
) -> Iterator[tuple[BodyBinding, Keys, Keys] | None]:
    """(body, keys of its location and rotation) of some of all bodies; None where it only pauses."""
    wanted = _Wanted(bodies, solved, may_be_between)
    turns, together = own_turns(some), max(1, AT_ONCE // len(solved.position))
    for begin in range(0, len(some), together):
        group = some[begin : begin + together]
        steps = wanted.keys_of(group, turns[begin : begin + together])
        while (keys := next(steps)) is None:
            yield None
        for binding, (location, rotation) in zip(group, keys, strict=True):
            yield binding, location, rotation


def assign_actions(made: list[tuple[bpy.types.Object, bpy.types.Action]]) -> None:
    """Put the actions onto their objects; from here on the timeline shows the bake."""
    with kept_animation.baked_shown(made) as assigning:
        for _ in assigning:
            pass


def discard_actions(made: list[tuple[bpy.types.Object, bpy.types.Action]]) -> None:
    """Remove actions that were built but not assigned."""
    kept_animation.remove_actions(action for _, action in made)
    made.clear()


class _Wanted:
    """Keys of bodies as `solved`: bodies that are alike are worked out together."""

    def __init__(self, bodies: list[BodyBinding], solved: Solved, may_be_between: bool) -> None:
        self._by_name = {binding.body.name: binding for binding in bodies}
        self._strictness = _strictness(bodies, self._by_name)
        self._solved, self._may_be_between = solved, may_be_between

    def keys_of(self, bindings: list[BodyBinding], turns: np.ndarray) -> Iterator[list[tuple[Keys, Keys]] | None]:
        """Keys of location and rotation of each body, after some pauses (None). turns (B, 4) are their `own_turns`."""
        found: dict[int, tuple[Keys, Keys]] = {}
        glimpses = [self._solved.glimpsed(binding.body.name) for binding in bindings]
        near = {i: each for i, each in enumerate(glimpses) if each is not None and each.turns.max() < TURN}
        yield
        for i, keys in self._along(bindings, turns, near, 0.5):
            is_at_frames = len(keys[0].times) == len(keys[1].times) == len(self._solved.position)
            if is_at_frames and (
                not _comes_near_lock(bindings[i], keys[1], near[i]) or _is_seen_near_lock(bindings[i], keys[1], near[i])
            ):
                found[i] = keys
        yield
        tracks = {i: self._solved.track(binding.body.name) for i, binding in enumerate(bindings) if i not in found}
        known = {i: track.looked_at_often(TURN) for i, track in tracks.items() if track is not None}
        yield
        found.update(self._along(bindings, turns, known, 1.0))
        yield
        near_lock = {i: track for i, track in known.items() if _comes_near_lock(bindings[i], found[i][1], track)}
        yield
        often = dict(self._often_near_lock(bindings, turns, near_lock))
        yield
        found.update(self._along(bindings, turns, often, 1.0))
        for i in tracks.keys() - known.keys():
            ((location, rotation),) = transform_channels([bindings[i]], turns[[i]], self._by_name, self._solved)
            found[i] = _keys_of_poses(location), _keys_of_poses(rotation)
        yield [found[i] for i in range(len(bindings))]

    def _along(
        self, bindings: list[BodyBinding], turns: np.ndarray, tracks: dict[int, Track], share: float
    ) -> Iterator[tuple[int, tuple[Keys, Keys]]]:
        """(number, keys of location and rotation) of bodies along their tracks, with a `share` of the tolerance."""
        for group in _alike(bindings, tracks):
            yield from zip(
                group,
                self._together([bindings[i] for i in group], turns[group], [tracks[i] for i in group], share),
                strict=True,
            )

    def _often_near_lock(
        self, bindings: list[BodyBinding], turns: np.ndarray, tracks: dict[int, Track]
    ) -> Iterator[tuple[int, Track]]:
        """(number, the same track with more instants near gimbal lock), of bodies that come near one.

        Two of their angles turn much faster there than they do.
        """
        for group in _alike(bindings, tracks):
            some, of_some = [bindings[i] for i in group], [tracks[i] for i in group]
            rated = np.zeros(len(of_some[0].times), bool)
            _, rotation = channels_over(some, turns[group], self._by_name, self._solved, of_some, rated)
            for i, track, values in zip(group, of_some, rotation.values, strict=True):
                away = _from_lock(bindings[i], values)
                often = track.looked_at_often(_turn_near_lock(np.minimum(away[:-1], away[1:]) - 0.5 * track.turns))
                if len(often.times) > len(track.times):
                    yield i, often

    def _together(
        self, bindings: list[BodyBinding], turns: np.ndarray, tracks: list[Track], share: float
    ) -> list[tuple[Keys, Keys]]:
        """Keys of bodies whose instants are as many, of which the same are at frames."""
        way = np.array([share * WAY / self._strictness[binding.body.name] * _size(binding) for binding in bindings])
        place = way / np.array([parent_scale(binding) for binding in bindings])
        angle = way / np.array([_reach(binding) for binding in bindings])
        times, mode = np.stack([track.times for track in tracks]), bindings[0].owner.rotation_mode
        at_frames = times[0] == np.round(times[0])
        location, rotation = channels_over(bindings, turns, self._by_name, self._solved, tracks, at_frames)
        of_location = keys_of_location(times, location, place, self._may_be_between)
        of_rotation = keys_of_rotation(times, rotation, mode, angle, self._may_be_between)
        between = [i for i, keys in enumerate(of_rotation) if len(keys.times) > np.count_nonzero(at_frames)]
        if share == 1.0 and between:  # few bodies need more than the rates at frames
            some, of_some = [bindings[i] for i in between], [tracks[i] for i in between]
            everywhere = np.ones_like(at_frames)
            _, rotation = channels_over(some, turns[between], self._by_name, self._solved, of_some, everywhere)
            again = keys_of_rotation(times[between], rotation, mode, angle[between], self._may_be_between)
            for i, keys in zip(between, again, strict=True):
                of_rotation[i] = keys
        return list(zip(of_location, of_rotation, strict=True))


def _comes_near_lock(binding: BodyBinding, rotation: Keys, track: Track) -> bool:
    """True if Euler angles may come near gimbal lock, and turn faster there than the body on its track does.

    A body that turns about the middle axis alone passes the lock with even angles.
    """
    if binding.owner.rotation_mode in {"QUATERNION", "AXIS_ANGLE"}:
        return False
    if _from_lock(binding, rotation.values).min() > NEAR_LOCK + 0.5 * TURN:
        return False
    turned = np.append(0.0, np.cumsum(track.turns))[np.searchsorted(track.times, rotation.times - 1e-6)]
    angles = np.abs(np.diff(rotation.values, axis=0)).sum(axis=1)
    return bool((angles > FASTER * np.diff(turned) + STILL).any())


def _is_seen_near_lock(binding: BodyBinding, rotation: Keys, track: Track) -> bool:
    """True if the instants of a track are near enough to each other for Euler angles whose keys are at frames."""
    frames = np.searchsorted(track.times, rotation.times - 1e-6)[:-1]
    away = _from_lock(binding, rotation.values)
    least = np.minimum(away[:-1], away[1:]) - 0.5 * np.add.reduceat(track.turns, frames)
    return bool((np.maximum.reduceat(track.turns, frames) <= _turn_near_lock(least)).all())


def _turn_near_lock(away: np.ndarray) -> np.ndarray:
    """rad: a body so far (rad) from gimbal lock is looked at again when it has turned so far."""
    return EULER_TURN * np.clip(away / NEAR_LOCK, 0.03, 1.0)


def _alike(bindings: list[BodyBinding], tracks: dict[int, Track]) -> Iterable[list[int]]:
    """Numbers of bodies whose channels can be worked out together: instants as many, of which the same at frames."""
    groups = defaultdict(list)
    for i, track in tracks.items():
        pattern = (track.times == np.round(track.times)).tobytes(), bindings[i].owner.rotation_mode
        groups[pattern if can_be_together(bindings[i]) else i].append(i)
    return groups.values()


def _from_lock(binding: BodyBinding, angles: np.ndarray) -> np.ndarray:
    """(K,) rad: how far Euler angles (K, 3) are from gimbal lock."""
    return np.arcsin(np.abs(np.cos(angles[:, "XYZ".index(binding.owner.rotation_mode[1])])))


def _size(binding: BodyBinding) -> float:
    """m: of a body; of one without a mesh 1."""
    return binding.owner.size or 1.0


def _reach(binding: BodyBinding) -> float:
    """m: the farthest corner of a body from its origin."""
    corners = np.array(binding.object.bound_box) @ binding.residual.T
    return max(0.5 * _size(binding), float(np.linalg.norm(corners, axis=1).max()))


def _strictness(bodies: list[BodyBinding], by_name: dict[str, BodyBinding]) -> dict[str, float]:
    """Factors by which bodies must keep closer to their ways than their own sizes ask, for those that hang on them."""
    strictness = dict.fromkeys(by_name, 1.0)
    for binding in bodies:
        carrier = by_name.get(binding.ancestor)
        if carrier is not None:
            arm = float(np.linalg.norm(np.subtract(binding.body.position, carrier.body.position)))
            wanted = 4.0 * max(_size(carrier), 2.0 * arm, _size(binding)) / _size(binding)
            strictness[binding.ancestor] = max(strictness[binding.ancestor], wanted)
    return strictness


def _keys_of_poses(values: np.ndarray) -> Keys:
    """Keys of channels (F, C) that are known at frames only."""
    slope = slopes(values)
    return Keys(np.arange(float(len(values))), values, slope, slope, np.zeros(len(values), bool))


@contextmanager
def _blank_actions(frames: int) -> Iterator[Callable[[Owner], bpy.types.Action]]:
    """Gives a function of an owner that makes actions with a key at each frame, whose numbers are to be set.

    That of an armature is empty. They are copies, because Blender takes the longer to make an action's slot the more
    objects there are.
    """
    originals: dict[str, bpy.types.Action] = {}

    def blank(owner: Owner) -> bpy.types.Action:
        """A new action with the keys of the owner's place and turn, all zero."""
        path = rotation_path(owner.rotation_mode) if owner.bone is None else ""
        if path not in originals:
            originals[path] = action = bpy.data.actions.new("Bake")
            bag = bag_of(action, action.slots.new(id_type=Owner.SLOT, name="Bake"))
            for channel, count in (("location", 3), (path, 3 if path == "rotation_euler" else 4)) if path else ():
                for index in range(count):
                    points = _new_curve(bag, owner, channel, index).keyframe_points
                    points.add(frames)
                    _put_codes(points, {name: np.full(frames, code, np.uint8) for name, code in CODES.items()})
        return originals[path].copy()

    try:
        yield blank
    finally:
        kept_animation.remove_actions(originals.values())


def put_keys(
    action: bpy.types.Action,
    owner: Owner,
    location: Keys | None,
    rotation: Keys | None,
    first_frame: int,
    with_constraints: bool = False,
) -> None:
    """Write the channels of one owner into the new action of its holder; None for one that stays as it is.

    with_constraints: its constraints stay on.
    """
    action.name = f"{owner.holder.name} Bake"
    bag = bag_of(action, action.slots[0])
    written = [("location", location)] if owner.has_place and location is not None else []
    written += [(rotation_path(owner.rotation_mode), rotation)] if rotation is not None else []
    for path, keys in written:
        numbers, has_free = _numbers(first_frame, keys), keys.is_free.any()
        for index in range(keys.values.shape[1]):
            channel = owner.channel(path)
            curve = bag.fcurves.find(channel, index=index) or _new_curve(bag, owner, channel, index)
            points = curve.keyframe_points
            is_blank = len(points) == len(keys.times)
            if not is_blank:
                points.add(len(keys.times) - len(points))
            for name, channels in numbers.items():
                points.foreach_set(name, channels[index])
            if not is_blank or has_free:
                _put_codes(points, _codes(keys))
            curve.update()
    if not with_constraints:
        switch_constraints_off(bag, owner, first_frame)


def switch_constraints_off(bag: bpy.types.ActionChannelbag, owner: Owner, frame: int) -> None:
    """Keys that hold all constraints of an owner off: they would win over its location and rotation."""
    driven = owner.driven_constraints
    for constraint in owner.constraints:
        what = "enabled" if constraint in driven else "influence"
        _switch_off(bag, owner.constraint_channel(constraint, what), frame)


def _new_curve(bag: bpy.types.ActionChannelbag, owner: Owner, channel: str, index: int) -> bpy.types.FCurve:
    curve = bag.fcurves.new(channel, index=index)
    curve.group = group_of(bag, owner)
    return curve


def _put_codes(points: bpy.types.FCurveKeyframePoints, codes: dict[str, np.ndarray]) -> None:
    for name, values in codes.items():
        points.foreach_set(name, values)


def bag_of(action: bpy.types.Action, slot: bpy.types.ActionSlot) -> bpy.types.ActionChannelbag:
    """The F-curves of a slot, in the action's first layer; a new action gets one."""
    layer = action.layers[0] if action.layers else action.layers.new("Layer")
    strip = layer.strips[0] if layer.strips else layer.strips.new(type="KEYFRAME")
    return strip.channelbag(slot, ensure=True)


def group_of(bag: bpy.types.ActionChannelbag, owner: Owner) -> bpy.types.ActionGroup:
    """The group that Blender's own keys of location and rotation are in."""
    name = owner.group
    return next((group for group in bag.groups if group.name == name), None) or bag.groups.new(name)


def _action_like_original(owner: Owner) -> bpy.types.Action | None:
    """A copy of the holder's own action with one slot, without what is written; None if it has no action.

    Of an armature all that its bodies move goes at once: keys of one are then put into what another has begun.
    """
    holder = owner.holder
    original, slot_name = kept_animation.original_action(holder)
    if original is None or not slot_name:
        return None
    action, slot = copy_with_slot(original, slot_name, holder.name)
    owners = [owner] if owner.bone is None else map(Owner, bone_shapes(holder).values())
    moving = [each for each in owners if each == owner or each.is_dynamic]
    moving += [each.control for each in moving if each.control is not None]
    moved = {channel for each in moving for channel in each.moved_channels}
    bag = bag_of(action, slot)
    for curve in [curve for curve in bag.fcurves if curve.data_path in moved]:
        bag.fcurves.remove(curve)
    return action


def copy_with_slot(
    original: bpy.types.Action, slot_name: str, name: str
) -> tuple[bpy.types.Action, bpy.types.ActionSlot]:
    """A copy of an action with the slot of this identifier alone, or one of this name if it has none."""
    action = original.copy()
    action.use_fake_user = False
    action.use_cyclic = False
    action.use_frame_range = False
    for slot in [slot for slot in action.slots if slot.identifier != slot_name]:
        action.slots.remove(slot)
    return action, action.slots[0] if action.slots else action.slots.new(id_type=Owner.SLOT, name=name)


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
    points = np.empty((values.shape[1], len(frames), 2), dtype=np.float32)
    points[..., 0], points[..., 1] = frames, values.T
    return points.reshape(len(points), -1)


def _codes(keys: Keys) -> dict[str, np.ndarray]:
    """The kinds of the keys."""
    codes = {name: np.full(len(keys.times), code, dtype=np.uint8) for name, code in CODES.items()}
    is_free = keys.is_free
    for side in ("handle_left_type", "handle_right_type"):
        codes[side][is_free] = FREE
    return codes


def _switch_off(bag: bpy.types.ActionChannelbag, path: str, frame: int) -> None:
    """A single key that holds a constraint's influence at zero, or it off: the solver has taken over from it."""
    curve = bag.fcurves.find(path)
    if curve:
        bag.fcurves.remove(curve)
    curve = bag.fcurves.new(path)
    curve.keyframe_points.add(1)
    curve.keyframe_points.foreach_set("co", [float(frame), 0.0])
    curve.keyframe_points.foreach_set("type", [CODES["type"]])
    curve.update()
