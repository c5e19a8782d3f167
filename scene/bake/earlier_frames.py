# SPDX-License-Identifier: GPL-3.0-or-later
"""A bake that goes on from a frame of the one before: the keys and the record of the frames before it stay.

`Start from This Frame` notes the frame (`goes_on`) in the state of the bake; only a bake that begins there goes on.
"""

import bpy
import numpy as np

from ..animation.kept import is_baked
from ..quantities.recorded import KEY as RECORD
from ..quantities.recorded import Owner, joined, record_of
from .state import KEY
from .write_keyframes import bag_of

GOES_ON = "goes_on"
NUMBERS = {"co": np.float32, "handle_left": np.float32, "handle_right": np.float32}
CODES = ("interpolation", "handle_left_type", "handle_right_type", "type")


def note_going_on(scene: bpy.types.Scene, frame: int) -> None:
    """The next bake goes on from this frame, if it begins there."""
    if KEY in scene.ves:
        scene.ves[KEY][GOES_ON] = frame


def goes_on_from(scene: bpy.types.Scene, frame: int) -> bool:
    """True if a bake that begins at a frame goes on from the one that is shown."""
    kept = scene.ves.get(KEY)
    return kept is not None and kept.get(GOES_ON) == frame and kept["first"] < frame


def keep_earlier(
    scene: bpy.types.Scene,
    first: int,
    made: list[tuple[bpy.types.Object, bpy.types.Action]],
    others: dict[Owner, dict],
) -> None:
    """Put the values of what was baked before `first` in front of those of what was made; keys: `keep_earlier_keys`."""
    for owner, action in made:
        if not is_baked(owner):
            continue
        old = owner.animation_data.action.get(RECORD)
        if old is not None and RECORD in action:
            action[RECORD] = joined(old, action[RECORD].to_dict())
    for owner, group in others.items():
        if record_of(owner, scene) is not None:
            others[owner] = joined(owner.ves[RECORD], group)


def baked_curves(
    scene: bpy.types.Scene, first: int, made: list[tuple[bpy.types.Object, bpy.types.Action]]
) -> dict[bpy.types.Object, bpy.types.ActionChannelbag]:
    """The curves of the bake that is shown, by their objects, if the one that begins at `first` goes on from it."""
    owners = [owner for owner, _ in made if is_baked(owner)] if goes_on_from(scene, first) else []
    return {owner: bag_of(owner.animation_data.action, owner.animation_data.action_slot) for owner in owners}


def keep_earlier_keys(old: bpy.types.ActionChannelbag, action: bpy.types.Action, first: int) -> None:
    """Put keys before `first` in front of those of an action that was made."""
    new = bag_of(action, action.slots[0])
    for curve in new.fcurves:
        before = old.fcurves.find(curve.data_path, index=curve.array_index)
        if before is None or len(curve.keyframe_points) < 2:
            continue
        earlier, later = _numbers_of(before), _numbers_of(curve)
        frames = earlier["co"][::2]
        count = int(np.count_nonzero(frames < first - 1e-3))
        if not count:
            continue
        if count < len(frames):  # the first of the new keys is reached as it was before
            later["handle_left"][:2] = earlier["handle_left"][2 * count : 2 * count + 2]
            later["handle_left_type"][0] = earlier["handle_left_type"][count]
        curve.keyframe_points.add(count)
        for name in (*NUMBERS, *CODES):
            size = 2 * count if name in NUMBERS else count
            curve.keyframe_points.foreach_set(name, np.concatenate([earlier[name][:size], later[name]]))
        curve.update()


def _numbers_of(curve: bpy.types.FCurve) -> dict[str, np.ndarray]:
    points, found = curve.keyframe_points, {}
    for name, kind in NUMBERS.items():
        found[name] = np.empty(2 * len(points), kind)
        points.foreach_get(name, found[name])
    for name in CODES:
        found[name] = np.empty(len(points), np.uint8)
        points.foreach_get(name, found[name])
    return found
