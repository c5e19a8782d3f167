# SPDX-License-Identifier: GPL-3.0-or-later
"""A car is put on a path: its chassis follows a curve, and drivers turn its wheels and its steering rack.

The wheels turn as the middle of the rear axle goes; those inside and outside of a bend turn alike.
"""

from __future__ import annotations

import bpy
import numpy as np
from mathutils import Matrix, Vector

from .car import RACK_FOR_BEND, RADIUS, WHEELBASE

FRAMES = 240  # of one round
AHEAD = 0.004  # of a round, between the two directions that the curvature is taken from
CORNERS = ((0.0, -2.0), (10.0, -3.0), (22.0, 2.0), (18.0, 14.0), (8.0, 15.0), (4.0, 25.0), (-12.0, 22.0), (-12.0, 4.0))


def put_on_path(
    bodies: list[bpy.types.Object], joints: list[bpy.types.Object], origin: np.ndarray, scale: float
) -> None:
    """Add the path and an Empty ahead of the car, to the collection of its parts."""
    chassis = next(body for body in bodies if body.ves.motion == "KEYED")
    home = chassis.users_collection[0]
    path = _path(origin, scale)
    home.objects.link(path)
    length = path.data.splines[0].calc_length()
    chassis.location = (0.0, 0.0, 0.0)
    _follow(chassis, path)
    constraint = chassis.constraints[-1]
    for frame, share in ((1, 0.0), (1 + FRAMES, 1.0)):
        constraint.offset_factor = share
        constraint.keyframe_insert("offset_factor", frame=frame)
    _go_evenly(chassis)
    ahead = bpy.data.objects.new("Ahead", None)
    ahead.empty_display_type, ahead.empty_display_size = "SINGLE_ARROW", 0.5 * scale
    home.objects.link(ahead)
    _follow(ahead, path)
    _place_on(bodies, chassis, origin)
    shares = f'constraints["{constraint.name}"].offset_factor'
    _drive(ahead.constraints[-1], "offset_factor", f"s + {AHEAD}", s=(chassis, shares))
    for joint in joints:
        if joint.ves.is_drive and "Wheel" in joint.ves.body_b.name:
            _drive(joint.ves, "drive_angle", f"s * {length / (scale * RADIUS):.9g}", s=(chassis, shares))
        elif joint.ves.is_drive and joint.ves.joint_type == "PRISMATIC":
            bend = f"({scale * WHEELBASE / (AHEAD * length):.9g} * sin(b - a))"  # wheelbase over radius
            first, third = (scale * value for value in RACK_FOR_BEND)
            _drive(joint.ves, "drive_travel", f"{bend} * ({first:.9g} + {third:.9g} * {bend} ** 2)", a=chassis, b=ahead)


def _place_on(bodies: list[bpy.types.Object], chassis: bpy.types.Object, origin: np.ndarray) -> None:
    """Put all other parts where the path has the chassis now."""
    bpy.context.view_layer.update()
    moved = chassis.matrix_world @ Matrix.Translation(-Vector(origin))
    for body in bodies:
        if body != chassis:
            body.matrix_basis = moved @ body.matrix_basis


def _path(origin: np.ndarray, scale: float) -> bpy.types.Object:
    curve = bpy.data.curves.new("Path", "CURVE")
    curve.dimensions, curve.twist_mode, curve.resolution_u = "3D", "Z_UP", 64
    spline = curve.splines.new("NURBS")
    spline.points.add(len(CORNERS) - 1)
    spline.use_cyclic_u, spline.order_u = True, 4  # its curvature has no jumps
    for point, corner in zip(spline.points, CORNERS, strict=True):
        point.co = (scale * corner[0], scale * corner[1], 0.0, 1.0)
    curve.use_path = True
    path = bpy.data.objects.new("Path", curve)
    path.location = origin
    return path


def _follow(ob: bpy.types.Object, path: bpy.types.Object) -> None:
    constraint = ob.constraints.new("FOLLOW_PATH")
    constraint.target, constraint.use_fixed_location, constraint.use_curve_follow = path, True, True
    constraint.forward_axis, constraint.up_axis = "FORWARD_X", "UP_Z"


def _go_evenly(chassis: bpy.types.Object) -> None:
    data = chassis.animation_data
    for strip in data.action.layers[0].strips:
        for curve in strip.channelbag(data.action_slot).fcurves:
            for point in curve.keyframe_points:
                point.interpolation = "LINEAR"
            curve.modifiers.new("CYCLES")


def _drive(settings: bpy.types.bpy_struct, name: str, expression: str, **variables: object) -> None:
    """A driver whose variables are headings of objects (rad), or properties of objects by their paths."""
    driver = settings.driver_add(name).driver
    driver.type, driver.expression = "SCRIPTED", expression
    for letter, source in variables.items():
        variable = driver.variables.new()
        variable.name = letter
        target = variable.targets[0]
        if isinstance(source, tuple):
            variable.type = "SINGLE_PROP"
            target.id, target.data_path = source
        else:
            variable.type = "TRANSFORMS"
            target.id, target.transform_type, target.transform_space = source, "ROT_Z", "WORLD_SPACE"
