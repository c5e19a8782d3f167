# SPDX-License-Identifier: GPL-3.0-or-later
"""Set Motors: the torques that were found become keys of the joints' motors, and the bodies are moved by these."""

from collections.abc import Collection
from typing import NamedTuple

import bpy
import numpy as np

from ...solver.mechanism import Table
from ..animation.animated import is_animated
from ..animation.keys_of_mechanism import put_numbers
from ..curves.fcurves import own_curves
from ..findings import Finding, refuse, refuse_all
from ..properties.joint import coordinate_kinds, free_axes, motor_mode_of, slot
from ..quantities.needed import bodies_found, joints_found, needed_of
from ..quantities.plots import channels_to_edit


class MotorResult(NamedTuple):
    """The number of joints that have got motors, and the bodies that are dynamic now."""

    joints: int
    bodies: list[bpy.types.Object]


def set_motors(scene: bpy.types.Scene, chosen: Collection[bpy.types.Object] = ()) -> MotorResult:
    """Give the joints, or only the chosen ones, motors with the torques found, and let their bodies be dynamic.

    A body begins as fast as its animation. Raises SceneError for what cannot be set.
    """
    joints = [joint for joint in joints_found(scene) if not chosen or joint in chosen]
    if not joints:
        refuse(None, "no torques have been found for these joints: press Find Torques first")
    refuse_all([finding for joint in joints for finding in _in_the_way(joint)])
    for joint in joints:
        _set_motor(joint, scene)
    bodies = bodies_found(scene)
    refuse_all(
        [
            Finding(body, "has keys on Motion: clear them, so that the motors can move it")
            for body in bodies
            if is_animated(body, "ves.motion")
        ]
    )
    for body in bodies:
        settings = body.ves
        settings.motion, settings.follows, settings.velocity_source = "DYNAMIC", False, "ANIMATION"
    return MotorResult(len(joints), bodies)


def _in_the_way(joint: bpy.types.Object) -> list[Finding]:
    record = needed_of(joint)
    if record["needed"].shape[1] != len(coordinate_kinds(joint.ves)):
        return [Finding(joint, "has other axes than when its torques were found: find them anew")]
    names = ["motor_mode"] if joint.ves.joint_type != "GENERIC" else list(map(motor_mode_of, free_axes(joint.ves)))
    if any(is_animated(joint, f"ves.{name}") for name in names):
        return [Finding(joint, "has keys on the kind of its motor: clear them first")]
    return []


def _set_motor(joint: bpy.types.Object, scene: bpy.types.Scene) -> None:
    """Motors of kind Force; the curve between frames is the smooth one through their torques."""
    settings, record = joint.ves, needed_of(joint)
    bag = channels_to_edit(joint)
    if settings.joint_type == "GENERIC":
        for axis in free_axes(settings):
            setattr(settings, motor_mode_of(axis), "FORCE")
    else:
        settings.motor_mode = "FORCE"
    frames = record.first + np.arange(record.frames) - scene.frame_start
    times = tuple(map(float, frames / record.rate))
    for coordinate, column in enumerate(record["needed"].T):
        path, index = slot(settings, "motor_value", coordinate)
        for curve in [curve for curve in own_curves(joint) if curve.data_path == f"ves.{path}"]:
            if curve.array_index == index:
                bag.fcurves.remove(curve)
        table = Table(times, tuple(map(float, column)))
        put_numbers(joint, path, [table], scene, index, is_smooth=len(times) > 1)
    joint.update_tag()
