# SPDX-License-Identifier: GPL-3.0-or-later
"""A camera that stands still, and one that drives behind whatever follows a course without shaking."""

from __future__ import annotations

import math
from collections.abc import Sequence

import bpy
import numpy as np
from mathutils import Vector

from .course import Course, Drive

BEHIND = (-6.6, -3.6)  # where the chase camera is, seen from the car
SMOOTHING = 9.0  # frames over which the camera follows turns and speed


def add_camera(
    place: Sequence[float], target: Sequence[float], lens: float, f_stop: float | None = None
) -> bpy.types.Object:
    """The camera of the scene, which stands at `place` and looks at `target`; `lens` is its focal length in mm.

    With an `f_stop` only what is as far away as the target is sharp.
    """
    data = bpy.data.cameras.new("Camera")
    data.lens = lens
    if f_stop is not None:
        data.dof.use_dof = True
        data.dof.focus_distance, data.dof.aperture_fstop = math.dist(place, target), f_stop
    camera = bpy.data.objects.new("Camera", data)
    scene = bpy.context.scene
    scene.collection.objects.link(camera)
    scene.camera = camera
    camera.rotation_mode = "QUATERNION"
    camera.location = place
    camera.rotation_quaternion = (Vector(target) - Vector(place)).to_track_quat("-Z", "Y")
    return camera


def add_chase_camera(course: Course, drive: Drive, frames: int) -> bpy.types.Object:
    """Behind and to the right, one key a frame; in the bends it sees the strings swing outwards."""
    camera = add_camera((*BEHIND, 1.5), (-2.1, 0.0, 0.6), 40.0)
    whole = np.arange(-40, frames + 41, dtype=float)
    place, heading = course.at(distances(drive, course.distance[-1], whole))
    place, heading = _smoothed(place, 3.0), _smoothed(heading[:, None], SMOOTHING)[:, 0]
    last = None
    for frame in range(1, frames + 1):
        i = frame + 40
        ahead = np.array([math.cos(heading[i]), math.sin(heading[i])])
        right = np.array([ahead[1], -ahead[0]])
        target = Vector((*(place[i] - 2.1 * ahead), 0.6))
        camera.location = (*(place[i] + BEHIND[0] * ahead - BEHIND[1] * right), 1.5)
        turn = (target - camera.location).to_track_quat("-Z", "Y")
        if last is not None:
            turn.make_compatible(last)
        camera.rotation_quaternion = last = turn
        camera.keyframe_insert("location", frame=frame)
        camera.keyframe_insert("rotation_quaternion", frame=frame)
    return camera


def distances(drive: Drive, length: float, frames: np.ndarray) -> np.ndarray:
    """The way that the drive has gone at each of the frames."""
    keys = drive.keys(length)
    speed = (keys[2][1] - keys[1][1]) / (keys[2][0] - keys[1][0])
    speeds = np.interp(frames, [drive.start, drive.fast, drive.brake, drive.stop], [0.0, speed, speed, 0.0])
    return np.concatenate([[0.0], np.cumsum(0.5 * (speeds[1:] + speeds[:-1]))])


def _smoothed(values: np.ndarray, width: float) -> np.ndarray:
    """Values (n, k) averaged over neighbours with weights that fall off as a bell of the given width."""
    reach = math.ceil(3.0 * width)
    weights = np.exp(-0.5 * (np.arange(-reach, reach + 1) / width) ** 2)
    padded = np.pad(values, ((reach, reach), (0, 0)), mode="edge")
    columns = [np.convolve(padded[:, k], weights / weights.sum(), mode="valid") for k in range(values.shape[1])]
    return np.stack(columns, axis=1)
