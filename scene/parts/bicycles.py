# SPDX-License-Identifier: GPL-3.0-or-later
"""Bicycles: where a frame and a fork are joined, which way they ride, and how large the whole is."""

from typing import NamedTuple

import bpy
import numpy as np
from mathutils import Matrix, Vector

from ..geometry.rounding import round_number
from ..owner import Owner
from .bodies import rough_mass
from .linkages import ends_of, find_linkages
from .placement import outline

TILT = 0.02  # of a steering axis that leans back far enough to tell which way is ahead
USUAL = 1.0  # m: wheelbase of a bicycle whose hubs are not found


class Bicycle(NamedTuple):
    """A bicycle as it stands."""

    matrix: Matrix  # of its steering, X ahead and Z upward along the axis
    wheelbase: float  # m
    center_height: float  # m
    mass: float  # kg


def joint_between(a: bpy.types.Object, b: bpy.types.Object, scene: bpy.types.Scene) -> bpy.types.Object | None:
    """The joint that two bodies have in common."""
    joints = (ob for ob in scene.objects if ob.ves.role == "JOINT" and ob.ves.enabled)
    return next((joint for joint in joints if set(ends_of(joint)) == {a, b}), None)


def measured(
    frame: bpy.types.Object, fork: bpy.types.Object, joint: bpy.types.Object, context: bpy.types.Context
) -> Bicycle:
    """The bicycle of a frame and a fork on a joint about Z, as it stands upright."""
    scene, place = context.scene, Owner(joint).place
    axis = (Owner(joint).matrix.to_3x3() @ Vector((0.0, 0.0, 1.0))).normalized()
    axis = axis if axis.z >= 0.0 else -axis
    ahead = -axis if axis.xy.length > TILT else place - Owner(frame).place
    ahead = Vector((ahead.x, ahead.y, 0.0))
    ahead = ahead.normalized() if ahead.length > 0.0 else Vector((1.0, 0.0, 0.0))
    left = axis.cross(ahead).normalized()
    turn = Matrix((left.cross(axis), left, axis)).transposed()
    linkage = next(each for each in find_linkages(scene) if joint in each.ties or frame in each.bodies)
    depsgraph = context.evaluated_depsgraph_get()
    shapes = {body: outline(body, depsgraph) for body in linkage.bodies}
    masses = np.array([rough_mass(body, shape) for body, shape in shapes.items()])
    middles = np.array([shape.middle[2] for shape in shapes.values()])
    low = min(shape.low[2] for shape in shapes.values())
    return Bicycle(
        Matrix.Translation(place) @ turn.to_4x4(),
        round_number(_wheelbase(frame, fork, ahead, scene)),
        round_number(float(masses @ middles / masses.sum() - low)),
        float(masses.sum()),
    )


def _wheelbase(frame: bpy.types.Object, fork: bpy.types.Object, ahead: Vector, scene: bpy.types.Scene) -> float:
    """m: from the hinge of the frame that is farthest behind to that of the fork that is farthest ahead."""
    ways = {frame: [], fork: []}
    for joint in (ob for ob in scene.objects if ob.ves.role == "JOINT" and ob.ves.joint_type == "REVOLUTE"):
        for body in ways:
            ends = ends_of(joint)
            if body in ends and set(ends) != {frame, fork}:
                ways[body].append(Owner(joint).place.dot(ahead))
    if not all(ways.values()):
        return USUAL
    length = max(ways[fork]) - min(ways[frame])
    return length if length > 0.0 else USUAL
