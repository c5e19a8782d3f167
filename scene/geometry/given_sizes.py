# SPDX-License-Identifier: GPL-3.0-or-later
"""Shapes whose sizes are given in the settings of a body: balls, boxes, capsules and cylinders, in the body frame.

Lengths are whole ones, as a person measures them: that of a capsule with its round ends. 0 is a size not given yet.
"""

import bpy
import numpy as np
from mathutils import Euler, Quaternion

from ...solver.mechanism.bodies import Box, Capsule, Cylinder, Shape, Sphere
from . import poses
from .mass_properties import WITH_MESH, NoVolumeError, mesh_arrays
from .rounding import as_typed, right_angled
from .shape_fitting import SHORTEST, smallest

KINDS: dict[str, type[Shape]] = {"BOX": Box, "SPHERE": Sphere, "CAPSULE": Capsule, "CYLINDER": Cylinder}
DECIMALS = 6
"""Of angles (rad): the rest is rounding, and would be shown."""
NAMES = {kind: name for name, kind in KINDS.items()}
NUMBERS = "shape_sides", "shape_radius", "shape_length", "shape_middle", "shape_turn"
"""The settings that say of what size a shape is, and where."""


def has_given_sizes(settings: bpy.types.PropertyGroup) -> bool:
    """True if the sizes count, and not the mesh."""
    return settings.size_source == "GIVEN" and settings.contact_shape in KINDS


def given_numbers(settings: bpy.types.PropertyGroup) -> tuple[float, ...]:
    """All of them, one after the other."""
    sides, middle, turn = settings.shape_sides, settings.shape_middle, settings.shape_turn
    return tuple(map(as_typed, (*sides, settings.shape_radius, settings.shape_length, *middle, *turn)))


def is_any_given(settings: bpy.types.PropertyGroup) -> bool:
    """True once there is a size."""
    return max(*settings.shape_sides, settings.shape_radius, settings.shape_length) > 0.0


def given_shape(settings: bpy.types.PropertyGroup) -> Shape | None:
    """The shape; None while a size that it needs is not given."""
    radius, length = as_typed(settings.shape_radius), as_typed(settings.shape_length)
    turn = Euler(settings.shape_turn).to_quaternion()
    place = {"position": tuple(map(as_typed, settings.shape_middle)), "orientation": right_angled(tuple(turn))}
    kind = settings.contact_shape
    needed = settings.shape_sides if kind == "BOX" else (radius,) if kind == "SPHERE" else (radius, length)
    if min(needed) <= 0.0:
        return None
    if kind == "BOX":
        return Box(half_size=tuple(0.5 * as_typed(side) for side in needed), **place)
    if kind == "SPHERE":
        return Sphere(radius=radius, **place)
    if kind == "CYLINDER":
        return Cylinder(radius=radius, half_length=0.5 * length, **place)
    return Capsule(radius=radius, half_length=max(0.5 * length - radius, SHORTEST * radius), **place)


def give_sizes(settings: bpy.types.PropertyGroup, shape: Shape) -> None:
    """Make the shape that of a body, by its sizes."""
    if settings.contact_shape != NAMES[type(shape)]:
        settings.contact_shape = NAMES[type(shape)]
    match shape:
        case Box():
            settings.shape_sides = [2.0 * half for half in shape.half_size]
        case Sphere():
            settings.shape_radius = shape.radius
        case Cylinder():
            settings.shape_radius, settings.shape_length = shape.radius, 2.0 * shape.half_length
        case Capsule():
            settings.shape_radius, settings.shape_length = shape.radius, 2.0 * (shape.half_length + shape.radius)
    settings.shape_middle = shape.position
    settings.shape_turn = [round(angle, DECIMALS) for angle in Quaternion(shape.orientation).to_euler()]
    if settings.size_source != "GIVEN":
        settings.size_source = "GIVEN"


def forget_sizes(settings: bpy.types.PropertyGroup) -> None:
    """No size is given any more."""
    for name in NUMBERS:
        settings.property_unset(name)


def take_sizes(settings: bpy.types.PropertyGroup, ob: bpy.types.Object, context: bpy.types.Context) -> None:
    """Give a body the sizes that its chosen shape has around its mesh, as this was evaluated last."""
    depsgraph = context.view_layer.depsgraph if context.view_layer is not None else None
    evaluated = ob.evaluated_get(depsgraph) if depsgraph is not None else ob
    if settings.contact_shape not in KINDS or evaluated.type not in WITH_MESH:
        return
    try:
        points, triangles = mesh_arrays(evaluated.to_mesh())
    finally:
        evaluated.to_mesh_clear()
    residual = poses.split(np.array(evaluated.matrix_world)).residual
    points = points[np.unique(triangles)].astype(np.float64) @ residual.T
    try:
        give_sizes(settings, smallest(settings.contact_shape, points))
    except NoVolumeError:  # a flat one has none: they are typed
        return
