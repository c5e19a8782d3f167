# SPDX-License-Identifier: GPL-3.0-or-later
"""A moment of a run or a bake: where all bodies are at a frame, how they move, and where the joints are."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import bpy
import numpy as np

from ...solver import Recording
from ...solver.mechanism import Mechanism
from ..animation.kept import is_baked
from ..bake.state import KEY, OUT_OF_DATE, compare_now, state_of
from ..findings import refuse
from ..geometry import poses
from ..owner import Owner, is_dynamic
from ..properties.joint import coordinate_kinds
from ..properties.scene import frame_range
from ..quantities.recorded import Record, record_of
from ..read.placed import coordinates_in_panels, placed_at
from ..read.reading import Reading
from ..read.sampling import shown_frame

Pose = tuple[np.ndarray, np.ndarray]


@dataclass
class Moment:
    """A frame of a motion that began at the frame `first`; world axes, SI units.

    `poses`: position (3,) and orientation (4,) by body; `velocities`: linear, of the origin, and angular, (3,) each,
    by dynamic body; `coordinates` and `speeds` by joint, counted as the panels do. `is_shown`: by a bake.
    """

    first: int
    frame: int
    is_shown: bool = False
    poses: dict[bpy.types.Object, Pose] = field(default_factory=dict)
    velocities: dict[bpy.types.Object, tuple[np.ndarray, np.ndarray]] = field(default_factory=dict)
    coordinates: dict[bpy.types.Object, np.ndarray] = field(default_factory=dict)
    speeds: dict[bpy.types.Object, np.ndarray] = field(default_factory=dict)

    def at_rest(self) -> Moment:
        """The same without any speed."""
        still = {owner: (np.zeros(3), np.zeros(3)) for owner in self.velocities}
        speeds = {owner: np.zeros_like(values) for owner, values in self.speeds.items()}
        return replace(self, velocities=still, speeds=speeds)


def moment_of_recording(reading: Reading, mechanism: Mechanism, recording: Recording) -> Moment:
    """The last frame of a recording; `mechanism`: what has run."""
    row = len(recording.times) - 1
    moment = Moment(reading.first, reading.first + row)
    number = {str(name): i for i, name in enumerate(recording.body_names)}
    for binding in reading.bodies:
        i = number[binding.body.name]
        moment.poses[binding.object] = recording.position[row, i], recording.orientation[row, i]
        if binding.body.motion == "dynamic":
            moment.velocities[binding.object] = recording.linear_velocity[row, i], recording.angular_velocity[row, i]
    owners = {owner.name_full: owner for owner in reading.poses}
    for j, joint in enumerate(mechanism.joints):
        owner, columns = owners.get(joint.name), slice(*recording.joint_offsets[j : j + 2])
        if owner is not None:
            coordinates = recording.joint_coordinates[row : row + 1, columns]
            moment.coordinates[owner] = coordinates_in_panels(joint.type, placed_at(owner), coordinates)[0]
            moment.speeds[owner] = recording.joint_speeds[row, columns]
    return moment


def moment_of_bake(scene: bpy.types.Scene, view_layer: bpy.types.ViewLayer) -> Moment:
    """The frame of a bake that is shown. Raises SceneError if it is none, or if the scene is another by now."""
    bodies = [owner for owner in scene.objects if owner.ves.role == "BODY"]
    if KEY not in scene.ves or not any(is_baked(Owner(owner).holder) for owner in bodies):
        refuse(None, "nothing is baked yet: Bake, and go to the frame from which it shall go on, or press Play")
    compare_now(scene)
    state = state_of(scene)
    if state.kind == OUT_OF_DATE:
        refuse(None, f"the bake is not of the scene as it is now. {state.text}: bake again first")
    frame = shown_frame(scene)
    if frame != int(frame):
        refuse(None, f"frame {frame:g} is between two frames: go to a whole one")
    view_layer.update()
    moment = Moment(frame_range(scene)[0], int(frame), is_shown=True)
    for owner in bodies:
        pose = poses.split(Owner(owner).world(view_layer.depsgraph))
        moment.poses[owner] = pose.position, pose.orientation
        if is_dynamic(owner):
            record, row = _recorded(owner, scene, moment.frame, "velocity")
            moment.velocities[owner] = record["velocity"][row], record["spin"][row]
    for owner in scene.objects:
        if owner.ves.role == "JOINT" and coordinate_kinds(owner.ves) and record_of(owner, scene) is not None:
            record, row = _recorded(owner, scene, moment.frame, "coordinates")
            moment.coordinates[owner], moment.speeds[owner] = record["coordinates"][row], record["speeds"][row]
    return moment


def _recorded(owner: bpy.types.Object, scene: bpy.types.Scene, frame: int, name: str) -> tuple[Record, int]:
    """The record of the bake that is shown, and the frame's row. Raises SceneError."""
    record = record_of(owner, scene)
    if record is None or name not in record:
        text = "has no baked motion, so how it moves at this frame is not known: bake again first"
        refuse(owner, text)
    if not record.first <= frame < record.first + record.frames:
        last = record.first + record.frames - 1
        refuse(None, f"frame {frame} is outside the bake: go to one of {record.first} to {last}")
    return record, frame - record.first
