# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies are moved about in the scene for a while, as on a stage, and then everything is as it was.

Setting an object's location does not evaluate its animation anew, so a body is moved after the frame was set; nobody's
keyframes are touched. What must come back is noted in the .blend itself (`Object.ves.before_play`), so that it comes
back even from a file that was saved, or an undo step that was made, in the midst of it.
"""

import dataclasses
import json
from collections.abc import Iterator
from contextlib import contextmanager

import bpy
import numpy as np
from mathutils import Quaternion

from ..geometry import poses
from ..owner import TRANSFORMS, Owner
from ..read.channels import own_turns
from ..read.reading import Reading
from ..read.sampling import show_frame, shown_frame
from ..read.solved import Solved
from .transforms import put_bodies, stand_at

NOTED = ("rotation_mode", "constraints")
"""Besides the transforms, what is noted of a body."""
_NEAR = 1e-3  # frames: rounding of what is between two


class Stage:
    """Shows frames of a mechanism that was read from a scene. Made by `staged`."""

    def __init__(self, reading: Reading, view_layer: bpy.types.ViewLayer) -> None:
        self._scene, self._view_layer, self._first = reading.scene, view_layer, reading.first
        self._names = [body.name for body in reading.mechanism.bodies]
        reads = [dataclasses.replace(read) for read in reading.bodies if read.body.motion == "dynamic"]
        self._plain = [read for read in reads if read.owner.is_plain]
        self._others = [read for read in reads if not read.owner.is_plain]
        ancestors = {read.ancestor for read in self._others}
        self._carriers = [read for read in self._plain if read.body.name in ancestors]
        self._columns = [self._names.index(read.body.name) for read in self._plain]
        self._turns = own_turns(self._plain) if self._plain else np.empty((0, 4))

    def show(self, frame: float, position: np.ndarray, orientation: np.ndarray) -> None:
        """Go to a frame of the run and put the dynamic bodies where they are then: (B, 3) and (B, 4) of all bodies."""
        show_frame(self._scene, self._first + frame)
        if self._others:
            self._put_others(position, orientation)
        rotation = poses.product(orientation[self._columns], self._turns)
        for read, place, turn in zip(self._plain, position[self._columns].tolist(), rotation.tolist(), strict=True):
            read.owner.put_plain(place, Quaternion(turn))
        self._view_layer.update()

    def is_at(self, frame: float) -> bool:
        """True if the scene shows that frame of the run."""
        return abs(shown_frame(self._scene) - self._first - frame) < _NEAR

    def _put_others(self, position: np.ndarray, orientation: np.ndarray) -> None:
        """Bodies that hang on something else; where that is now, Blender has just evaluated."""
        for read in self._others:
            stand_at(read, self._view_layer.depsgraph)
        put_bodies([*self._others, *self._carriers], Solved(self._names, position[None], orientation[None]))
        for read in self._others:
            read.rotation_mode, read.rotation_values = read.owner.rotation_mode, read.owner.rotation_values


@contextmanager
def staged(reading: Reading, view_layer: bpy.types.ViewLayer) -> Iterator[Stage]:
    """While this lasts, bodies may be shown in any pose; then frame, transforms and constraints are as before."""
    scene = reading.scene
    scene.ves.before_play = json.dumps([scene.frame_current, scene.frame_subframe])
    try:
        for read in reading.bodies:
            if read.body.motion == "dynamic":
                _note(read.owner)
        yield Stage(reading, view_layer)
    finally:
        put_back(scene)


def put_back(scene: bpy.types.Scene) -> None:
    """Bring back what was noted of a scene and its objects, if anything was."""
    if not scene.ves.before_play:
        return
    for owner in bpy.data.objects:
        if owner.ves.before_play:
            _put_back(Owner(owner))
    frame, subframe = json.loads(scene.ves.before_play)
    scene.ves.before_play = ""
    show_frame(scene, frame + subframe)


def put_back_leftovers() -> None:
    """Bring back what a file or an undo step from the midst of a run has left."""
    for scene in bpy.data.scenes:
        if scene.is_editable:
            put_back(scene)


def _note(owner: Owner) -> None:
    """Note how a body is, and switch off the constraints, which would win over a new location."""
    working = [constraint for constraint in owner.constraints if not constraint.mute]
    note = owner.transform | {"rotation_mode": owner.rotation_mode}
    note["constraints"] = [constraint.name for constraint in working]
    owner.settings.before_play = json.dumps(note)
    for constraint in working:
        constraint.mute = True


def _put_back(owner: Owner) -> None:
    note = json.loads(owner.settings.before_play)
    owner.object.rotation_mode = note["rotation_mode"]
    owner.put({name: note[name] for name in TRANSFORMS})
    for name in note["constraints"]:
        constraint = owner.constraints.get(name)
        if constraint is not None:
            constraint.mute = False
    owner.settings.before_play = ""
