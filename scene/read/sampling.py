# SPDX-License-Identifier: GPL-3.0-or-later
"""Looking at the scene over time: frames are set, the dependency graph evaluates them, probes read what they need.

Whoever wants to know something over time makes a `Probe`; one pass over all frames serves all of them. The frame that
the user sees comes back at the end, also after an error or a cancelled bake.
"""

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import bpy
import numpy as np


@dataclass
class Probe:
    """Something to be read at `frames` (with fractions) and to be used once all of it has been read.

    `read(depsgraph)` returns numbers of one shape; `use` gets them stacked, in the order of the frames.
    """

    frames: np.ndarray
    read: Callable[[bpy.types.Depsgraph], np.ndarray]
    use: Callable[[np.ndarray], None]
    values: list[np.ndarray] = field(default_factory=list)


_scenes_at_work: set[int] = set()


def is_sampling() -> bool:
    """True if frames are being set to sample a scene: frame-change handlers have nothing to do then."""
    return bool(_scenes_at_work)


def shown_frame(scene: bpy.types.Scene) -> float:
    """The present frame, with its fraction."""
    return scene.frame_current + scene.frame_subframe


def show_frame(scene: bpy.types.Scene, frame: float) -> None:
    """Go to a frame, which may have a fraction.

    Of a negative one Blender has the fraction below the next whole frame above, and takes it only above the one below.
    """
    whole = math.floor(frame)
    scene.frame_set(whole, subframe=frame - whole)


@contextmanager
def frame_kept(scene: bpy.types.Scene) -> Iterator[None]:
    """Put the scene's frame back afterwards. Raises RuntimeError if the scene is being sampled already."""
    if scene.session_uid in _scenes_at_work:
        raise RuntimeError(f"scene {scene.name} is being sampled already")
    key, frame = scene.session_uid, shown_frame(scene)
    _scenes_at_work.add(key)
    try:
        yield
    finally:
        try:
            show_frame(scene, frame)
        finally:
            _scenes_at_work.discard(key)


def is_there(scene: bpy.types.Scene, view_layer: bpy.types.ViewLayer) -> bool:
    """True if neither the scene nor its view layer was removed: of the latter Blender does not tell, as it does of IDs.

    Undo, too, puts others in the place of the view layers of a scene that has changed.
    """
    try:
        return any(layer == view_layer for layer in scene.view_layers)
    except ReferenceError:
        return False


def evaluate_at(scene: bpy.types.Scene, view_layer: bpy.types.ViewLayer, frame: float) -> bpy.types.Depsgraph:
    """Set the frame, which may have a fraction, and return the evaluated dependency graph."""
    show_frame(scene, frame)
    return view_layer.depsgraph


def run_probes(scene: bpy.types.Scene, view_layer: bpy.types.ViewLayer, probes: list[Probe]) -> Iterator[float]:
    """Visit all frames that the probes ask for; yields the fraction done after each. Call inside `frame_kept`."""
    wanted: dict[float, list[Probe]] = {}
    for probe in probes:
        for frame in probe.frames:
            wanted.setdefault(float(frame), []).append(probe)
    for count, frame in enumerate(sorted(wanted), start=1):
        depsgraph = evaluate_at(scene, view_layer, frame)
        for probe in wanted[frame]:
            probe.values.append(np.asarray(probe.read(depsgraph), dtype=np.float64))
        yield count / len(wanted)
    for probe in probes:
        probe.use(np.array(probe.values))


def sample_frames(first: int, last: int, per_frame: int) -> np.ndarray:
    """All frames from `first` to `last`, `per_frame` samples to a frame.

    Nothing is sampled outside the range: an animation that begins or ends with the range stands still outside, and that
    kink would be smoothed into the first and the last frames.
    """
    return first + np.arange((last - first) * per_frame + 1) / per_frame
