# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies are moved about in the scene for a while, as on a stage, and then everything is as it was.

Setting an object's location does not evaluate its animation anew, so a body is moved after the frame was set; nobody's
keyframes are touched. What must come back is noted in the .blend itself (`Object.ves.before_play`), so that it comes
back even from a file that was saved, or an undo step that was made, in the midst of it.
"""

import dataclasses
import json
from collections.abc import Collection, Iterator
from contextlib import contextmanager

import bpy
import numpy as np
from mathutils import Matrix, Quaternion

from ..animation.rig_settings import held_settings, set_value, value_of
from ..geometry import poses
from ..owner import TRANSFORMS, Owner
from ..parts.tables import noted_tables, put_back_tables
from ..read.channels import own_turns
from ..read.reading import BodyBinding, Reading
from ..read.sampling import show_frame, shown_frame
from ..read.solved import Solved
from .transforms import Parents, put_bodies

NOTED = ("rotation_mode", "constraints")
"""Besides the transforms, what is noted of a body."""
_NEAR = 1e-3  # frames: rounding of what is between two


class Stage:
    """Shows frames of a mechanism that was read from a scene. Made by `staged`."""

    def __init__(self, reading: Reading, view_layer: bpy.types.ViewLayer) -> None:
        self._scene, self._view_layer, self._first = reading.scene, view_layer, reading.first
        names = [body.name for body in reading.mechanism.bodies]
        self.take(names, reading.bodies)

    def take(self, names: list[str], bodies: list[BodyBinding]) -> None:
        """From now on it shows these bodies; names: of all bodies, in the order in which poses come."""
        self._names = list(names)
        bindings = [dataclasses.replace(binding) for binding in bodies if binding.body.motion == "dynamic"]
        self._plain = [binding for binding in bindings if binding.owner.is_plain]
        self._others = [binding for binding in bindings if not binding.owner.is_plain]
        self._parents = Parents(self._others)
        ancestors = {binding.ancestor for binding in self._others}
        self._carriers = [binding for binding in self._plain if binding.body.name in ancestors]
        self._columns = [self._names.index(binding.body.name) for binding in self._plain]
        self._turns = own_turns(self._plain) if self._plain else np.empty((0, 4))
        rigs = {binding.owner.holder for binding in self._others}
        self._held = {rig: held for rig in rigs if (held := held_settings(rig))}

    def show(self, frame: float, position: np.ndarray, orientation: np.ndarray) -> None:
        """Go to a frame of the run and put the dynamic bodies where they are then: (B, 3) and (B, 4) of all bodies."""
        show_frame(self._scene, self._first + frame)
        self._hold_settings()
        if self._others:
            self._put_others(position, orientation)
        rotation = poses.product(orientation[self._columns], self._turns)
        for binding, place, turn in zip(self._plain, position[self._columns].tolist(), rotation.tolist(), strict=True):
            binding.owner.put_plain(place, Quaternion(turn))
        self._view_layer.update()

    def _hold_settings(self) -> None:
        """Keys of a rig's settings act with the frame."""
        for rig, held in self._held.items():
            others = {path: value for path, value in held.items() if value_of(rig, path) != value}
            for path, value in others.items():
                set_value(rig, path, value)
            if others:
                self._view_layer.update()

    def is_at(self, frame: float) -> bool:
        """True if the scene shows that frame of the run."""
        return abs(shown_frame(self._scene) - self._first - frame) < _NEAR

    def _put_others(self, position: np.ndarray, orientation: np.ndarray) -> None:
        """Bodies that hang on something else; where that is now, Blender has just evaluated."""
        self._parents.note(self._view_layer.depsgraph)
        put_bodies([*self._others, *self._carriers], Solved(self._names, position[None], orientation[None]))
        for binding in self._others:
            binding.rotation_mode, binding.rotation_values = binding.owner.rotation_mode, binding.owner.rotation_values


@contextmanager
def staged(reading: Reading, view_layer: bpy.types.ViewLayer) -> Iterator[Stage]:
    """While this lasts, bodies may be shown in any pose; then frame, transforms and constraints are as before.

    Also if the scene was removed meanwhile: another one may show its bodies too.
    """
    scene, uid = reading.scene, reading.scene.session_uid
    gravity = scene.use_gravity, [float(number) for number in scene.gravity]
    scene.ves.before_play = json.dumps([scene.frame_current, scene.frame_subframe, *gravity])
    try:
        for binding in reading.bodies:
            if binding.body.motion == "dynamic":
                note(binding.owner)
        for rig in {binding.owner.holder for binding in reading.bodies}:
            _note_held(rig)
        yield Stage(reading, view_layer)
    finally:
        _put_back_objects()
        for left in [each for each in bpy.data.scenes if each.session_uid == uid]:
            put_back(left)


def put_back(scene: bpy.types.Scene) -> None:
    """Bring back what was noted of a scene and its objects, if anything was."""
    if not scene.ves.before_play:
        return
    _put_back_objects()
    frame, subframe, *gravity = json.loads(scene.ves.before_play)
    scene.ves.before_play = ""
    if gravity:
        scene.use_gravity, scene.gravity = gravity
    show_frame(scene, frame + subframe)


def _put_back_objects() -> None:
    for owner in bpy.data.objects:
        if owner.ves.before_play:
            _put_back(Owner(owner))


def put_back_leftovers() -> None:
    """Bring back what a file or an undo step from the midst of a run has left."""
    for scene in bpy.data.scenes:
        if scene.is_editable:
            put_back(scene)


def note(owner: Owner) -> None:
    """Note how a body is that is to be moved, and switch off the constraints, which would win over a new location."""
    working = [constraint for constraint in owner.constraints if not constraint.mute]
    noted = owner.transform | {"rotation_mode": owner.rotation_mode}
    noted["constraints"] = [constraint.name for constraint in working]
    owner.settings.before_play = json.dumps(noted)
    for constraint in working:
        constraint.mute = True


def _note_held(rig: bpy.types.Object) -> None:
    """Note the settings of a rig that are held at other values meanwhile."""
    held = {path: value_of(rig, path) for path in held_settings(rig)}
    if held:
        noted = json.loads(rig.ves.before_play) if rig.ves.before_play else dict(Owner(rig).transform)
        rig.ves.before_play = json.dumps(noted | {"held": held})


def note_settings(ob: bpy.types.Object, names: Collection[str]) -> None:
    """Note how an object is, which has no note yet unless it is a dynamic body, with the settings of these names.

    A person may change all of that while the stage is up.
    """
    noted = json.loads(ob.ves.before_play) if ob.ves.before_play else dict(Owner(ob).transform)
    noted["settings"] = {name: plain(getattr(ob.ves, name)) for name in names}
    if ob.ves.role in {"JOINT", "FORCE"}:
        noted["tables"] = noted_tables(ob.ves)
    ob.ves.before_play = json.dumps(noted)


def take_off_parent(ob: bpy.types.Object, pose: poses.Pose) -> None:
    """For a while an Empty hangs on nothing, where it is at the first frame: it is moved by itself, and stays there."""
    noted = dict(Owner(ob).transform) | {"parent": plain(ob.parent)}
    ob.ves.before_play = json.dumps(noted)
    scale = ob.matrix_world.to_scale()
    ob.parent = None
    ob.matrix_world = Matrix.LocRotScale(pose.position.tolist(), Quaternion(pose.orientation.tolist()), scale)


def plain(value: object) -> object:
    """The value of a setting as JSON knows it; of an object, its name."""
    if value is None or isinstance(value, bpy.types.ID):
        return None if value is None else {"object": value.name_full}
    return value if isinstance(value, bool | int | float | str) else list(value)


def _found(value: dict[str, str]) -> bpy.types.Object | None:
    """The object that `plain` has told of; it may have gone."""
    return next((ob for ob in bpy.data.objects if ob.name_full == value["object"]), None)


def _put_back(owner: Owner) -> None:
    noted = json.loads(owner.settings.before_play)
    owner.moved.rotation_mode = noted.get("rotation_mode", owner.rotation_mode)
    if "parent" in noted:
        owner.moved.parent = _found(noted["parent"])
    owner.put({name: noted[name] for name in TRANSFORMS})
    for path, value in noted.get("held", {}).items():
        set_value(owner.object, path, value)
    for name in noted.get("constraints", ()):
        constraint = owner.constraints.get(name)
        if constraint is not None:
            constraint.mute = False
    owner.settings.before_play = ""
    if "tables" in noted and noted_tables(owner.settings) != noted["tables"]:
        put_back_tables(owner.settings, noted["tables"])
    for name, value in noted.get("settings", {}).items():
        if plain(getattr(owner.settings, name)) != value:
            setattr(owner.settings, name, _found(value) if isinstance(value, dict) else value)
