# SPDX-License-Identifier: GPL-3.0-or-later
"""Moved bakes: a baked body that is moved by hand, and not keyed there, takes its motion and its kept start along.

In Blender keys win at the next frame over what was moved without keying. Of a copy of a baked rig the bodies, which
have keys, would then jump back to the original, and the joints, which have none, would stay. So what Blender tells to
have moved is noted, and before another frame is shown, a bake begins or is cleared, or the file is saved, it is
compared with its keys. If B (location and rotation, `Owner`) stands where D B is and not the B of the keys, then D, a
rigid motion, is applied to all keys of the bake, to those of the body's own action, and to the start that Clear Bake
brings back. A body that was keyed where it was moved, as Auto Keying does, stands where its keys are: nothing is done.

After undo and redo things stand where they stood at that step, and Blender shows their keys next. Keys that were moved
since, outside any step, may be those of another step: so they are moved to the objects at once.

Copies that share a bake get one each as soon as they are seen. Later, when they are moved, would be too late: an undo
between two steps that both have the shared action would free the new one behind its object, and Blender crashes.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import bpy
import numpy as np

from ..animation.given_actions import count_given
from ..animation.kept import REST, is_baked, rest_of_bake
from ..geometry import poses
from ..owner import Owner, rotation_path
from .channels import rotation_channels
from .sampling import is_sampling

NEAR = 1e-6  # of the distance from the origin, plus 1 m: what counts as not moved
NEAR_TURN = 1e-5  # rad
_MOMENT = 1e-5  # of the way to a handle: how far rotations are looked at beside a key, for its slopes
POINTS = ("co", "handle_left", "handle_right")

_noted: dict[int, float] = {}
"""Objects (`session_uid`) that were moved, perhaps, and the frame at whose keys they stood before: only a hint."""


class Move(NamedTuple):
    """The rigid motion D: x -> R x + shift. `turn` is the quaternion (4,) of R, None if it turns nothing."""

    shift: np.ndarray
    turn: np.ndarray | None

    def of(self, points: np.ndarray) -> np.ndarray:
        """Points (..., 3), moved."""
        return (points if self.turn is None else points @ poses.rotations(self.turn).T) + self.shift


def take_along(scene: bpy.types.Scene) -> None:
    """Move the bakes of bodies that were moved by hand since the present frame was set."""
    if not _noted:
        return
    noted = [(ob, _noted.pop(ob.session_uid)) for ob in scene.objects if ob.session_uid in _noted]
    if is_sampling() or scene.ves.before_play:
        return
    for ob, frame in noted:
        if ob.is_editable and is_baked(ob):
            move = _moved_by(ob, frame)
            if move is not None:
                _move(ob, move)


def is_moved(ob: bpy.types.Object) -> bool:
    """True for a baked body that was moved by hand since the present frame was set."""
    frame = _noted.get(ob.session_uid)
    return frame is not None and is_baked(ob) and _moved_by(ob, frame) is not None


def _channels(ob: bpy.types.Object) -> list[bpy.types.FCurve]:
    """The curves of location and rotation of a baked object, 6 or 7; none if some are missing."""
    action, slot = ob.animation_data.action, ob.animation_data.action_slot
    place, rotation = (_curves(action, slot, path) for path in ("location", rotation_path(ob.rotation_mode)))
    is_whole = len(place) == 3 and len(rotation) == len(Owner(ob).rotation_values)
    return [*place, *rotation] if is_whole else []


def _stood_at(ob: bpy.types.Object, frame: float) -> float:
    """The frame of the keys at which a baked object stands; `frame` if it stands at no key.

    What was just appended, or comes from another scene, stands as it did at the frame that was shown there.
    """
    channels = _channels(ob)
    shown = np.concatenate([ob.location, Owner(ob).rotation_values])

    def stands_at(time: float) -> bool:
        keyed = np.array([curve.evaluate(time) for curve in channels])
        return np.abs(keyed - shown).max() <= NEAR * (1.0 + np.abs(shown).max())

    if not channels or stands_at(frame):
        return frame
    keys = _numbers(channels[0], "co")
    near = np.abs(keys[:, 1] - shown[0]) <= NEAR * (1.0 + np.abs(shown).max())
    return next((time for time in keys[near, 0].tolist() if stands_at(time)), frame)


def _moved_by(ob: bpy.types.Object, frame: float) -> Move | None:
    """An object's place, seen from where its keys put it at this frame; None if that is the same."""
    owner, channels = Owner(ob), _channels(ob)
    if not channels:
        return None
    values = np.array([curve.evaluate(frame) for curve in channels])
    keyed, shown = values[:3] + owner.delta_location, np.array(ob.location) + owner.delta_location
    keyed_turn, shown_turn = _quaternions(np.stack([values[3:], owner.rotation_values]), owner.rotation_mode)
    turn = poses.product(shown_turn, keyed_turn * poses.CONJUGATE)
    if 2.0 * np.linalg.norm(turn[1:]) < NEAR_TURN:
        move = Move(shown - keyed, None)
        return move if np.abs(move.shift).max() > NEAR * (1.0 + np.abs(keyed).max()) else None
    delta = owner.delta_rotation
    if delta is not None:
        turn = poses.product(poses.product(delta, turn), delta * poses.CONJUGATE)
    return Move(shown - poses.rotations(turn) @ keyed, turn)


def _give_each_its_own(baked: Sequence[bpy.types.Object]) -> None:
    """Copy baked and kept actions that other baked objects have too; the oldest keeps the one that is there."""
    if not any(_is_shared(action) for ob in baked for action in _actions_of(ob)):
        return
    uses = Counter(action for ob in bpy.data.objects if is_baked(ob) for action in _actions_of(ob))
    for ob in sorted(baked, key=lambda ob: ob.session_uid, reverse=True):
        if not ob.is_editable or ob.library is not None:
            continue
        action, kept = ob.animation_data.action, ob.ves.kept_action
        if uses[action] > 1:
            uses[action] -= 1
            _use_copy(ob)
        if kept is not None and uses[kept] > 1:
            uses[kept] -= 1
            _keep_copy(ob)


def _actions_of(ob: bpy.types.Object) -> Iterable[bpy.types.Action]:
    """The baked action of an object, and the kept one if there is one."""
    return filter(None, (ob.animation_data.action, ob.ves.kept_action))


def _is_shared(action: bpy.types.Action) -> bool:
    return action.users - action.use_fake_user > 1 or not action.is_editable


def _use_copy(ob: bpy.types.Object) -> None:
    animation = ob.animation_data
    slot = animation.action_slot
    animation.action = animation.action.copy()
    if slot is not None:
        animation.action_slot = animation.action.slots[slot.identifier]
    count_given(ob)


def _keep_copy(ob: bpy.types.Object) -> bpy.types.Action:
    ob.ves.kept_action = ob.ves.kept_action.copy()
    ob.ves.kept_action.use_fake_user = True
    count_given(ob)
    return ob.ves.kept_action


def _is_object(found: bpy.types.ID) -> bool:
    return isinstance(found, bpy.types.Object)


def _move(ob: bpy.types.Object, move: Move) -> None:
    """Apply D to all that places the object over time. Left as it is if its curves have keys at different frames."""
    animation, settings = ob.animation_data, ob.ves
    rest = rest_of_bake(ob)
    is_whole = _is_whole(animation.action, animation.action_slot, ob.rotation_mode)
    kept = settings.kept_action
    if kept is not None:
        slot = next((slot for slot in kept.slots if slot.identifier == settings.kept_slot), None)
        is_whole = is_whole and _is_whole(kept, slot, rest["rotation_mode"])
    if move.turn is not None and not is_whole:
        return
    owner = Owner(ob)
    if _is_shared(animation.action):
        _use_copy(ob)
    _move_curves(animation.action, animation.action_slot, owner, ob.rotation_mode, move)
    if kept is not None:
        if _is_shared(kept):
            kept = _keep_copy(ob)
        slot = next((slot for slot in kept.slots if slot.identifier == settings.kept_slot), None)
        _move_curves(kept, slot, owner, rest["rotation_mode"], move)
    _move_rest(rest, owner, move)
    animation.action[REST] = rest


def _move_rest(rest: dict, owner: Owner, move: Move) -> None:
    """The start that Clear Bake brings back."""
    transform, path = rest["transform"], rotation_path(rest["rotation_mode"])
    location = np.array(transform["location"]) + owner.delta_location
    transform["location"] = (move.of(location) - owner.delta_location).tolist()
    if move.turn is not None:
        values = np.array([transform[path]], dtype=np.float64)
        turned = poses.product(_own_turn(owner, move), _quaternions(values, rest["rotation_mode"]))
        transform[path] = rotation_channels(turned, rest["rotation_mode"], values[0])[0].tolist()


def _own_turn(owner: Owner, move: Move) -> np.ndarray:
    """D's turn (4,) as the object's own rotation feels it below its delta rotation: dR^-1 R dR."""
    delta = owner.delta_rotation
    if delta is None:
        return move.turn
    return poses.product(poses.product(delta * poses.CONJUGATE, move.turn), delta)


def _move_curves(
    action: bpy.types.Action, slot: bpy.types.ActionSlot | None, owner: Owner, mode: str, move: Move
) -> None:
    place = _curves(action, slot, "location")
    if move.turn is None:
        for curve in place:
            for points in POINTS:
                numbers = _numbers(curve, points)
                numbers[:, 1] += move.shift[curve.array_index]
                curve.keyframe_points.foreach_set(points, numbers.ravel())
            curve.update()
        return
    delta = owner.delta_location
    _change(place, [move.of(values + delta) - delta for values in _values(place)])
    rotation = _curves(action, slot, rotation_path(mode))
    if rotation:
        _change(rotation, _turned(*_values(rotation), mode, _own_turn(owner, move)))


def _turned(
    values: np.ndarray, left: np.ndarray, right: np.ndarray, mode: str, turn: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Values and handles (K, C) of K keys of a rotation in its mode, turned; slopes are turned with them."""
    around = np.stack([values + _MOMENT * (left - values), values, values + _MOMENT * (right - values)], axis=1)
    quaternions = poses.product(turn, _quaternions(around.reshape(-1, values.shape[1]), mode))
    before, here, after = rotation_channels(quaternions, mode, values[0]).reshape(around.shape).swapaxes(0, 1)
    return here, here + (before - here) / _MOMENT, here + (after - here) / _MOMENT


def _quaternions(values: np.ndarray, mode: str) -> np.ndarray:
    """Unit quaternions (K, 4) of values (K, C) in a rotation mode."""
    if mode == "QUATERNION":
        return values / np.linalg.norm(values, axis=1, keepdims=True)
    if mode == "AXIS_ANGLE":
        length = np.linalg.norm(values[:, 1:], axis=1, keepdims=True)
        half, axis = 0.5 * values[:, :1], values[:, 1:] / np.where(length > 0.0, length, 1.0)
        return np.hstack([np.cos(half), np.sin(half) * axis])
    rotation = np.tile([1.0, 0.0, 0.0, 0.0], (len(values), 1))
    for axis in ("XYZ".index(letter) for letter in mode):
        about = np.zeros((len(values), 4))
        about[:, 0], about[:, 1 + axis] = np.cos(0.5 * values[:, axis]), np.sin(0.5 * values[:, axis])
        rotation = poses.product(about, rotation)
    return rotation


def _curves(action: bpy.types.Action, slot: bpy.types.ActionSlot | None, path: str) -> list[bpy.types.FCurve]:
    """The curves of a property that work, in order."""
    strips = [strip for layer in action.layers for strip in layer.strips] if slot is not None else []
    bag = strips[0].channelbag(slot) if strips else None
    found = [] if bag is None else [curve for curve in bag.fcurves if curve.data_path == path and not curve.mute]
    return sorted(found, key=lambda curve: curve.array_index)


def _is_whole(action: bpy.types.Action, slot: bpy.types.ActionSlot | None, mode: str) -> bool:
    """True if location and rotation, where they are keyed, are keyed in all their channels at the same frames."""
    rotation = rotation_path(mode)
    for path, count in (("location", 3), (rotation, 3 if rotation == "rotation_euler" else 4)):
        curves = _curves(action, slot, path)
        if curves and (len(curves) != count or not _are_together(curves)):
            return False
    return True


def _are_together(curves: Sequence[bpy.types.FCurve]) -> bool:
    frames = [_numbers(curve, "co")[:, 0] for curve in curves]
    return all(np.array_equal(frames[0], others) for others in frames)


def _numbers(curve: bpy.types.FCurve, points: str) -> np.ndarray:
    """(K, 2): frames and values."""
    numbers = np.empty(2 * len(curve.keyframe_points), dtype=np.float32)
    curve.keyframe_points.foreach_get(points, numbers)
    return numbers.reshape(-1, 2)


def _values(curves: Sequence[bpy.types.FCurve]) -> list[np.ndarray]:
    """Of keys, left and right handles: (K, C) each."""
    if not curves:
        return []
    return [
        np.column_stack([_numbers(curve, points)[:, 1] for curve in curves]).astype(np.float64) for points in POINTS
    ]


def _change(curves: Sequence[bpy.types.FCurve], values: Sequence[np.ndarray]) -> None:
    for i, curve in enumerate(curves):
        for points, changed in zip(POINTS, values, strict=True):
            numbers = _numbers(curve, points)
            numbers[:, 1] = changed[:, i]
            curve.keyframe_points.foreach_set(points, numbers.ravel())
        curve.update()


@bpy.app.handlers.persistent
def _note(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
    """Blender has evaluated something anew, but not because of another frame."""
    if is_sampling() or scene.ves.before_play:
        return
    moved = [each.id.original for each in depsgraph.updates if each.is_updated_transform and _is_object(each.id)]
    baked = [ob for ob in moved if is_baked(ob)]
    _give_each_its_own(baked)
    for ob in baked:
        if ob.session_uid not in _noted:
            _noted[ob.session_uid] = _stood_at(ob, scene.frame_current_final)


@bpy.app.handlers.persistent
def _before_another_frame(scene: bpy.types.Scene, *_: object) -> None:
    take_along(scene)


@bpy.app.handlers.persistent
def _before_saving(*_: object) -> None:
    for scene in bpy.data.scenes:
        take_along(scene)


@bpy.app.handlers.persistent
def forget_all(*_: object) -> None:
    """Another file: its objects are others."""
    _noted.clear()


@bpy.app.handlers.persistent
def _stand_anew(*_: object) -> None:
    """After undo things stand where they stood at the frame that is shown again."""
    _noted.clear()
    if is_sampling():
        return
    shown, done = bpy.context.scene, set()
    for scene in sorted(bpy.data.scenes, key=lambda scene: scene != shown):
        baked = [ob for ob in scene.objects if ob not in done and is_baked(ob)]
        done.update(baked)
        own = [ob for ob in baked if not any(map(_is_shared, _actions_of(ob)))]  # a copy made now would be in no step
        if not scene.ves.before_play:
            _noted.update({ob.session_uid: _stood_at(ob, scene.frame_current_final) for ob in own})
            take_along(scene)


HANDLERS = {
    "depsgraph_update_post": _note,
    "frame_change_pre": _before_another_frame,
    "save_pre": _before_saving,
    "load_pre": forget_all,
    "undo_post": _stand_anew,
    "redo_post": _stand_anew,
}
