# SPDX-License-Identifier: GPL-3.0-or-later
"""The part of `Object.ves` that makes a joint one by which surfaces ride on each other."""

import bpy
from bpy.props import BoolProperty, EnumProperty, PointerProperty

from ..geometry.mass_properties import WITH_MESH
from .setting import object_setting, setting

SURFACES = [
    (
        "AUTOMATIC",
        "Automatic",
        "NURBS surfaces as they are; balls, cylinders and flat meshes as what they are found to be; "
        "others by their modifier Subdivision Surface",
        0,
    ),
    ("PLANE", "Plane", "The upper side (local Z) of the object's bounding box, edges included", 1),
    ("SPHERE", "Sphere", "The ball that is as wide as the object's bounding box", 2),
    ("ELLIPSOID", "Ellipsoid", "The ellipsoid that fills the object's bounding box", 3),
    ("TORUS", "Torus", "The ring about local Z that fills the object's bounding box", 4),
    ("CYLINDER", "Cylinder", "The cylinder about local Z that fills the object's bounding box, without its ends", 5),
    (
        "SUBDIVISION",
        "Subdivision Surface",
        "The surface that Catmull-Clark subdivision of the object's mesh comes to, as its modifier says or without one",
        6,
    ),
]


def _has_surface(_self: bpy.types.PropertyGroup, candidate: bpy.types.Object) -> bool:
    return candidate.type in WITH_MESH


def _object(whose: str) -> PointerProperty:
    return object_setting(
        name=f"{whose} Surface",
        description="Object whose surface is ridden on: a NURBS or a subdivision surface, or a mesh that stands for a "
        "ball, a plane... "
        f"Without one, it is the {whose.lower()} itself",
        poll=_has_surface,
    )


def _kind(whose: str) -> EnumProperty:
    return setting(
        EnumProperty,
        name=f"{whose} Shape",
        description="Which smooth surface the object stands for",
        items=SURFACES,
        default="AUTOMATIC",
    )


def _inside(whose: str, other: str) -> BoolProperty:
    return setting(
        BoolProperty,
        name=f"Inside {whose}",
        description=f"The {other.lower()} is inside this surface, as a ball in a bowl. "
        "A NURBS or a subdivision surface turns to the side on which the other body is; this turns it round",
        default=False,
    )


class RideProperties:
    """Mixed into the property group of `Object.ves`."""

    ride_rolling: setting(
        BoolProperty,
        name="Rolling",
        description="The surfaces roll on each other without slipping; otherwise they slide without friction",
        default=True,
    )
    ride_object_a: _object("Parent")
    ride_object_b: _object("Child")
    ride_kind_a: _kind("Parent")
    ride_kind_b: _kind("Child")
    ride_inside_a: _inside("Parent", "Child")
    ride_inside_b: _inside("Child", "Parent")
