# SPDX-License-Identifier: GPL-3.0-or-later
"""Bake Part: simulate chosen bodies from their animation and back to it, and keep the result beside it as a ghost."""

import time
from collections.abc import Iterator

import bpy
import numpy as np

from ...solver import Recording
from ..findings import refuse
from ..geometry import poses
from ..read.reading import Reading
from ..read.solved import Solved
from .bake import SOLVE_SHARE, BakeResult, Progress, read_scene, solve
from .ghost import discard, keep_ghost
from .part import Made, Part, build_part
from .program import is_controlled
from .solver_notes import findings_of
from .write_keyframes import discard_actions


def bake_part(scene: bpy.types.Scene, view_layer: bpy.types.ViewLayer, part: Part) -> Iterator[Progress]:
    """Bake the part within the scene's frame range; yields Progress often and returns a BakeResult.

    What is shown stays as it is: the result is kept as a ghost, in the place of an earlier one. Raises SceneError.
    """
    started, made = time.perf_counter(), []
    part.refuse_wrong(scene)
    if is_controlled(scene):
        refuse(None, "a control program acts in whole bakes, and this is a part: switch In Bakes off")
    reading = yield from read_scene(scene, view_layer, as_recorded=False, as_shown=True)
    part.apply(reading)
    solved = yield from solve(reading)
    if solved.failure:
        refuse(next(iter(solved.culprits), None), f"{solved.failure} So nothing comes back to its animation")
    recording = solved.recording
    try:
        yield from _make_actions(reading, view_layer, recording, part, made)
    except BaseException:
        discard_actions(made)
        raise
    discard(scene)
    keep_ghost(scene, reading.first, reading.last, made, _ways(reading, recording, part), reading.fingerprint)
    result = BakeResult(
        first=reading.first,
        last=reading.last,
        bodies=len(part.bodies),
        joints=len(reading.mechanism.joints),
        evaluations=int(recording.evaluations),
        seconds=time.perf_counter() - started,
        warnings=[*reading.warnings, *findings_of(recording.notes, reading, recording)],
        notes=list(recording.notes),
        is_part=True,
    )
    if scene.ves.recorded_actions:
        result.warn("Recorded actions belong to whole bakes: this part knows nothing of them")
    return result


def _make_actions(
    reading: Reading, view_layer: bpy.types.ViewLayer, recording: Recording, part: Part, made: Made
) -> Iterator[Progress]:
    ties = [action.time for action in reading.mechanism.actions if action.set is None or "enabled" in action.set]
    solved = Solved.of_recording(recording, reading.frame_rate, ties)
    for fraction in build_part(reading, view_layer, solved, part, made):
        yield Progress(SOLVE_SHARE + (1.0 - SOLVE_SHARE) * fraction, "Putting keyframes between those of the animation")


def _ways(reading: Reading, recording: Recording, part: Part) -> dict[bpy.types.Object, tuple[np.ndarray, np.ndarray]]:
    """World matrices (F, 4, 4) of the part's bodies: by the animation, and by the result."""
    number, found = {name: i for i, name in enumerate(recording.body_names)}, {}
    for binding in reading.bodies:
        if binding.object in part.bodies:
            i, keys = number[binding.body.name], binding.body.keys
            frames = np.linspace(0, len(keys.times) - 1, len(recording.times)).round().astype(int)
            place, turn = np.array(keys.positions)[frames], np.array(keys.orientations)[frames]
            solved = poses.join(recording.position[:, i], recording.orientation[:, i], binding.residual)
            found[binding.object] = poses.join(place, turn, binding.residual), solved
    return found
