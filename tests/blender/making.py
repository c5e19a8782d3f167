# SPDX-License-Identifier: GPL-3.0-or-later
"""Small things that tests of Blender's side are made of: boxes, selections, what operators leave behind."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Sequence

import bpy
import pytest


def box(name: str, position: Sequence[float] = (0, 0, 0), size: Sequence[float] = (1, 1, 1)) -> bpy.types.Object:
    """A closed box of the given side lengths whose origin is its middle."""
    half = [0.5 * side for side in size]
    corners = [(x, y, z) for x in (-half[0], half[0]) for y in (-half[1], half[1]) for z in (-half[2], half[2])]
    faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    return mesh_object(name, corners, faces=faces, position=position)


def mesh_object(
    name: str,
    corners: Sequence[Sequence[float]],
    edges: Sequence[Sequence[int]] = (),
    faces: Sequence[Sequence[int]] = (),
    position: Sequence[float] = (0, 0, 0),
) -> bpy.types.Object:
    """An object in the scene's collection with a mesh of its own."""
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(corners, edges, faces)
    ob = bpy.data.objects.new(name, mesh)
    ob.location = position
    bpy.context.scene.collection.objects.link(ob)
    bpy.context.view_layer.update()
    return ob


def curve_object(name: str, points: Sequence[Sequence[float]]) -> bpy.types.Object:
    """A poly curve through the points."""
    curve = bpy.data.curves.new(name, "CURVE")
    curve.dimensions = "3D"
    spline = curve.splines.new("POLY")
    spline.points.add(len(points) - 1)
    for point, position in zip(spline.points, points, strict=True):
        point.co = (*position, 1.0)
    ob = bpy.data.objects.new(name, curve)
    bpy.context.scene.collection.objects.link(ob)
    return ob


def empty(name: str) -> bpy.types.Object:
    """A plain Empty in the scene's collection."""
    ob = bpy.data.objects.new(name, None)
    bpy.context.scene.collection.objects.link(ob)
    return ob


def select(*objects: bpy.types.Object) -> None:
    """Select just these; the first is the active one."""
    bpy.context.view_layer.update()
    for ob in bpy.context.view_layer.objects:
        ob.select_set(ob in objects)
    bpy.context.view_layer.objects.active = objects[0] if objects else None


def with_role(role: str) -> list[bpy.types.Object]:
    """All objects of the scene that play this part in the mechanism, by name."""
    return sorted((ob for ob in bpy.context.scene.objects if ob.ves.role == role), key=lambda ob: ob.name)


def animate(ob: bpy.types.Object) -> None:
    """Two keyframes that move the object along X."""
    ob.keyframe_insert("location", frame=1)
    ob.location.x += 2.0
    ob.keyframe_insert("location", frame=20)
    bpy.context.scene.frame_set(1)


def reports(capfd: pytest.CaptureFixture) -> str:
    """Reports of operators since the last call: Blender prints it when it runs in background."""
    if sys.platform != "win32":
        ctypes.CDLL(None).fflush(None)
    return capfd.readouterr().out
