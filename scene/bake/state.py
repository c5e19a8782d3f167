# SPDX-License-Identifier: GPL-3.0-or-later
"""State of a scene's bake: not baked, baked as the scene is now, out of date (what has changed), or stopped early.

With the bake a fingerprint of what it read is kept in the .blend (`KEY` in `Scene.ves`). Blender tells when something
is changed; a timer then takes the fingerprint anew, a little at each tick, once nothing has changed for a moment. What
differs is only known here, not in the file: it follows from the two. Panels ask `state_of`, which compares nothing.
"""

import json
import time
from collections.abc import Iterator
from typing import NamedTuple

import bpy

from ..animation.kept import flight_of, is_baked
from ..read.fingerprint import Fingerprint, changes, fingerprint, of_scene
from ..read.sampling import is_sampling
from .ghost import frames_of, is_result_shown

KEY = "ves_bake"
QUIET, BUDGET, INTERVAL = 0.3, 0.004, 0.02  # s without a change before it is compared; of a tick; between two ticks
NAMED = 2  # changes that are said in full
NOT_BAKED, BAKED, OUT_OF_DATE, STOPPED = "NOT_BAKED", "BAKED", "OUT_OF_DATE", "STOPPED"

_found: dict[int, list[str]] = {}
"""What has changed since the bake of each scene (`session_uid`) that was compared since its file was opened."""
_waiting: dict[int, float] = {}
"""Scenes that may have changed, and when that was."""
_work: list[tuple[bpy.types.Scene, Iterator[None]]] = []
"""The comparison under way, if one is."""


class State(NamedTuple):
    """One of the four kinds, in words."""

    kind: str
    text: str


def state_of(scene: bpy.types.Scene) -> State:
    """The state as it is known: quick enough for a panel's drawing."""
    if is_result_shown(scene):
        first, last = frames_of(scene)
        return State(BAKED, f"Result of a part, frames {first} to {last}: Accept or Discard it")
    if KEY not in scene.ves:
        baked = [ob for ob in scene.objects if is_baked(ob)]
        by = "Snap Together" if all(map(flight_of, baked)) else "a bake of another scene or file"
        return State(BAKED, f"Keyed by {by}") if baked else State(NOT_BAKED, "Not baked")
    kept = scene.ves[KEY]
    frames = f"frames {kept['first']} to {kept['last']}"
    changed = _found.get(scene.session_uid, [])
    if changed:
        more = len(changed) - NAMED
        return State(OUT_OF_DATE, "Out of date: " + "; ".join(changed[:NAMED]) + (f"; {more} more" if more > 0 else ""))
    if kept["failure"]:
        return State(STOPPED, f"Baked, {frames}. {kept['failure']}")
    return State(BAKED, f"Baked, {frames}")


def note(scene: bpy.types.Scene, first: int, last: int, failure: str, taken: Fingerprint) -> None:
    """Keep what a bake has read, once its keys are shown."""
    taken = taken | {"baked": [ob.name_full for ob in scene.objects if is_baked(ob)]}
    scene.ves[KEY] = {"first": first, "last": last, "failure": failure, "fingerprint": json.dumps(taken)}
    _found[scene.session_uid] = []


def note_actions(scene: bpy.types.Scene) -> None:
    """The list of recorded actions is that of the run which was kept."""
    kept = json.loads(scene.ves[KEY]["fingerprint"])
    kept["scene"]["Recorded Actions"] = of_scene(scene)["Recorded Actions"]
    scene.ves[KEY]["fingerprint"] = json.dumps(kept)


def forget_state(scene: bpy.types.Scene) -> None:
    """Nothing is baked any more."""
    scene.ves.pop(KEY, None)
    _found.pop(scene.session_uid, None)


def compare_now(scene: bpy.types.Scene) -> None:
    """Look at once whether the scene is as it was baked."""
    for _ in _comparing(scene):
        pass


def _comparing(scene: bpy.types.Scene) -> Iterator[None]:
    if KEY not in scene.ves:
        return
    now = yield from fingerprint(scene)
    if KEY not in scene.ves:
        return  # cleared meanwhile
    _found[scene.session_uid] = changes(json.loads(scene.ves[KEY]["fingerprint"]), now)


def _tick() -> float | None:
    """Compare for a moment. Not in the midst of something that moves bodies about for a while."""
    if is_sampling() or any(scene.ves.before_play for scene in bpy.data.scenes):
        return QUIET
    try:
        if not _work:
            ready = [s for s in bpy.data.scenes if time.monotonic() - _waiting.get(s.session_uid, 1e300) > QUIET]
            if not ready:
                return QUIET if any(s.session_uid in _waiting for s in bpy.data.scenes) else None
            del _waiting[ready[0].session_uid]
            _work.append((ready[0], _comparing(ready[0])))
        scene, steps = _work[0]
        deadline, before = time.perf_counter() + BUDGET, _found.get(scene.session_uid)
        while time.perf_counter() < deadline:
            next(steps)
    except StopIteration:
        _work.clear()
        if _found.get(scene.session_uid) != before:
            _redraw()
    except ReferenceError:
        _work.clear()  # something was removed meanwhile; Blender tells that as well
    return INTERVAL


def _redraw() -> None:
    for window in bpy.context.window_manager.windows:
        for area in window.screen.areas:
            if area.type == "VIEW_3D":
                area.tag_redraw()


def _soon(scene: bpy.types.Scene) -> None:
    if KEY in scene.ves:
        _waiting[scene.session_uid] = time.monotonic()
        _work.clear()
        if not bpy.app.timers.is_registered(_tick):
            bpy.app.timers.register(_tick, first_interval=QUIET, persistent=True)


@bpy.app.handlers.persistent
def _perhaps_changed(scene: bpy.types.Scene, _depsgraph: bpy.types.Depsgraph) -> None:
    if not (is_sampling() or scene.ves.before_play):
        _soon(scene)


@bpy.app.handlers.persistent
def _all_perhaps_changed(*_: object) -> None:
    for scene in bpy.data.scenes:
        _soon(scene)


@bpy.app.handlers.persistent
def _another_file(*_: object) -> None:
    forget_all()
    _all_perhaps_changed()


HANDLERS = {
    "depsgraph_update_post": _perhaps_changed,
    "load_post": _another_file,
    "undo_post": _all_perhaps_changed,
    "redo_post": _all_perhaps_changed,
}


def forget_all() -> None:
    """Forget what is known of all scenes, and look at none any more."""
    if bpy.app.timers.is_registered(_tick):
        bpy.app.timers.unregister(_tick)
    for kept in (_found, _waiting, _work):
        kept.clear()
