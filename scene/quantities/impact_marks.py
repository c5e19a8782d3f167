# SPDX-License-Identifier: GPL-3.0-or-later
"""Markers on the timeline where bodies are hit: put there, drawn anew by a new bake, and taken away.

`Scene.ves.marked_bodies` says which markers are ours. One that somebody has renamed, moved, or bound a camera to is not
what is written there any more: it belongs to that person, and nothing here touches it.
"""

from collections import Counter
from collections.abc import Callable

import bpy

from ..properties.impacts import VES_PG_marked_body
from .impacts import Impact, hits_of, name_of
from .recorded import without_record


def mark_hits(body: bpy.types.Object, scene: bpy.types.Scene, share: float) -> int:
    """Put a marker at each frame with a hit of at least this share of the body's hardest; returns how many.

    Of several hits at one frame the hardest counts. Earlier markers of the same body go.
    """
    remove_marks(scene, lambda marked: marked.body == body)
    marked = scene.ves.marked_bodies.add()
    marked.body, marked.share = body, share
    count = _put_marks(marked, scene)
    if count == 0:
        _drop(scene, [len(scene.ves.marked_bodies) - 1])
    return count


def renew_marks(scene: bpy.types.Scene) -> None:
    """Mark the hits of the present take, with the shares chosen before, instead of those of the take before.

    A body all of whose markers somebody has taken away, renamed or moved is not marked any more.
    """
    unwanted = []
    for number, marked in enumerate(scene.ves.marked_bodies):
        had_any, removed = len(marked.marks) > 0, _take_marks(marked, scene)
        if _is_gone(marked, scene) or (had_any and removed == 0):
            unwanted.append(number)
        else:
            _put_marks(marked, scene)
    _drop(scene, unwanted)


def remove_stale_marks(scene: bpy.types.Scene) -> int:
    """Take away the markers of bodies that have no values any more; returns how many there were."""
    without = set(without_record(scene))
    return remove_marks(scene, lambda marked: _is_gone(marked, scene) or marked.body in without)


def remove_marks(scene: bpy.types.Scene, chosen: Callable[[VES_PG_marked_body], bool] = lambda _: True) -> int:
    """Take the markers of the chosen bodies away, whose hits are not marked any more; returns how many there were."""
    numbers = [number for number, marked in enumerate(scene.ves.marked_bodies) if chosen(marked)]
    count = sum(_take_marks(scene.ves.marked_bodies[number], scene) for number in numbers)
    _drop(scene, numbers)
    return count


def _put_marks(marked: VES_PG_marked_body, scene: bpy.types.Scene) -> int:
    hits = list(hits_of(marked.body, scene))
    least = marked.share * max((impact.size for impact, _ in hits), default=0.0)
    by_frame: dict[int, tuple[Impact, bpy.types.Object | str | None]] = {}
    for impact, other in hits:
        frame = round(impact.frame)
        if impact.size >= least and (frame not in by_frame or impact.size > by_frame[frame][0].size):
            by_frame[frame] = impact, other
    for frame, (impact, other) in by_frame.items():
        # how hard comes first: of markers that stand close Blender shows but the beginning
        name = f"{impact.size:.3g} N s: {marked.body.name} on {name_of(other)}"
        mark = marked.marks.add()
        # Blender cuts long names off
        mark.label, mark.frame = scene.timeline_markers.new(name, frame=frame).name, frame
    return len(by_frame)


def _take_marks(marked: VES_PG_marked_body, scene: bpy.types.Scene) -> int:
    """Remove those markers of a body that are still as they were made; returns how many."""
    expected, ours = Counter((mark.label, mark.frame) for mark in marked.marks), []
    for marker in scene.timeline_markers:
        key = marker.name, marker.frame
        if expected[key] > 0 and marker.camera is None:
            expected[key] -= 1
            ours.append(marker)
    for marker in ours:
        scene.timeline_markers.remove(marker)
    marked.marks.clear()
    return len(ours)


def _is_gone(marked: VES_PG_marked_body, scene: bpy.types.Scene) -> bool:
    return marked.body is None or marked.body.name not in scene.objects


def _drop(scene: bpy.types.Scene, numbers: list[int]) -> None:
    for number in reversed(numbers):
        scene.ves.marked_bodies.remove(number)
