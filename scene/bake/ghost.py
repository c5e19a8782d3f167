# SPDX-License-Identifier: GPL-3.0-or-later
"""A result beside the animation, until it is accepted or discarded: kept in the file, drawn in the 3D View.

The animation stays shown, and its action untouched; the result is an action that its object only points to. Compare
exchanges them: the result is then shown as a bake is, so that the animation comes back bit for bit. Of each body its
ways by both are kept, in `Object.ves`, of the scene the frames, in `Scene.ves`, under `KEY`. So undo, saving and
renaming keep them.
"""

import json
from collections.abc import Iterator

import bpy
import numpy as np

from ..animation.kept import is_noted, remove_actions, show_before, show_result
from ..read.fingerprint import Fingerprint, is_fingerprint
from ..read.sampling import show_frame, shown_frame

KEY = "ves_ghost"
NUMBERS = 12  # of a world matrix, without its last row
_WAYS = BY_ANIMATION, BY_RESULT = "animation", "result"


def has_ghost(scene: bpy.types.Scene) -> bool:
    """True if a result waits to be accepted or discarded."""
    return KEY in scene.ves


def is_result_shown(scene: bpy.types.Scene) -> bool:
    """True if it is the result that is shown, and the animation that is drawn."""
    return has_ghost(scene) and bool(scene.ves[KEY]["is_shown"])


def frames_of(scene: bpy.types.Scene) -> tuple[int, int]:
    """First and last frame of the result."""
    return int(scene.ves[KEY]["first"]), int(scene.ves[KEY]["last"])


def keep_ghost(
    scene: bpy.types.Scene,
    first: int,
    last: int,
    made: list[tuple[bpy.types.Object, bpy.types.Action]],
    ways: dict[bpy.types.Object, tuple[np.ndarray, np.ndarray]],
    taken: Fingerprint,
) -> None:
    """Keep actions that were made, and the ways (F, 4, 4) of each body by its animation and by the result."""
    for holder, action in made:
        holder.ves.ghost_action = action
    for body, both in ways.items():
        pairs = zip((BY_ANIMATION, BY_RESULT), both, strict=True)
        body.ves[KEY] = {name: np.ascontiguousarray(way[:, :3, :]).ravel() for name, way in pairs}
    scene.ves[KEY] = {"first": first, "last": last, "is_shown": False, "fingerprint": json.dumps(taken)}


def compare(scene: bpy.types.Scene) -> None:
    """Show the result, and draw the animation, or the other way round."""
    is_shown = is_result_shown(scene)
    for holder in _holders(scene):
        action = holder.ves.ghost_action
        animation = holder.animation_data
        shown = animation.action if animation else None
        if is_shown:
            show_before(holder, action, json.loads(holder.ves.before_ghost))
            holder.ves.before_ghost = ""
        else:
            holder.ves.before_ghost = json.dumps(show_result(holder, action))
        holder.ves.ghost_action = shown
    scene.ves[KEY]["is_shown"] = not is_shown
    show_frame(scene, shown_frame(scene))


def accept(scene: bpy.types.Scene) -> tuple[int, int, Fingerprint]:
    """Show the result for good, as a bake, which Clear Bake takes away; returns its frames, and what it was made of."""
    if not is_result_shown(scene):
        compare(scene)
    found = *frames_of(scene), json.loads(scene.ves[KEY]["fingerprint"])
    earlier = [
        holder.ves.ghost_action
        for holder in _holders(scene)
        if json.loads(holder.ves.before_ghost)["was_baked"] and holder.ves.ghost_action != holder.ves.kept_action
    ]
    _forget(scene)
    remove_actions([action for action in earlier if action is not None], only_unused=True)
    return found


def discard(scene: bpy.types.Scene) -> None:
    """Throw the result away, if there is one; the animation is shown as before."""
    if not has_ghost(scene):
        return
    if is_result_shown(scene):
        compare(scene)
    forget(scene)


def is_whole(scene: bpy.types.Scene) -> bool:
    """True if a result that is kept in the file can be read, or if there is none."""
    if not has_ghost(scene):
        return True
    try:
        first, last = frames_of(scene)
        taken = json.loads(scene.ves[KEY]["fingerprint"])
        before = [json.loads(holder.ves.before_ghost) for holder in _holders(scene) if is_result_shown(scene)]
        ways = [np.asarray(ob.ves[KEY][name], float) for ob in scene.objects if KEY in ob.ves for name in _WAYS]
    except (ValueError, TypeError, KeyError):
        return False
    are_ways = all(way.size == NUMBERS * (last - first + 1) for way in ways)
    return first < last and are_ways and is_fingerprint(taken) and all(map(is_noted, before))


def forget(scene: bpy.types.Scene) -> None:
    """Leave all as it is shown: a result that is not is thrown away, one that is counts as accepted."""
    hidden = [holder.ves.ghost_action for holder in _holders(scene)]
    _forget(scene)
    remove_actions([action for action in hidden if action is not None], only_unused=True)


def _holders(scene: bpy.types.Scene) -> list[bpy.types.Object]:
    """The objects with a result; one that had no animation points to nothing while the result is shown."""
    return [ob for ob in scene.objects if ob.ves.ghost_action is not None or ob.ves.before_ghost]


def _forget(scene: bpy.types.Scene) -> None:
    for holder in _holders(scene):
        holder.ves.ghost_action, holder.ves.before_ghost = None, ""
    for ob in scene.objects:
        ob.ves.pop(KEY, None)
    scene.ves.pop(KEY, None)


def ghosts(scene: bpy.types.Scene, frame: float) -> Iterator[tuple[bpy.types.Object, np.ndarray]]:
    """(body, world matrix) of all that are drawn at a frame: by the one of animation and result that is not shown."""
    first, last = frames_of(scene)
    if not first <= frame <= last:
        return
    name = BY_ANIMATION if is_result_shown(scene) else BY_RESULT
    for ob in scene.objects:
        if KEY in ob.ves:
            way = np.asarray(ob.ves[KEY][name], dtype=np.float64).reshape(-1, 3, 4)
            i = min(int(frame - first), len(way) - 2)
            share = frame - first - i
            matrix = np.eye(4)
            matrix[:3] = (1.0 - share) * way[i] + share * way[i + 1]
            yield ob, matrix
