# SPDX-License-Identifier: GPL-3.0-or-later
"""Meshes of the shapes that contact knows, and what is read of a body in a scene whose Contact is on."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import bmesh
import bpy
import numpy as np
from virtual_erector_set.scene.check.contact_warnings import warn_of_contact
from virtual_erector_set.scene.read.reading import Reading
from virtual_erector_set.scene.read.scene import read_mechanism
from virtual_erector_set.solver.mechanism import Body

from tests.blender.making import mesh_object


def made(make: Callable, **options: object) -> tuple[np.ndarray, list[tuple[int, ...]]]:
    """Corners (N, 3) and faces that a function of bmesh.ops makes."""
    work = bmesh.new()
    make(work, **options)
    work.verts.index_update()
    corners = np.array([vertex.co for vertex in work.verts])
    faces = [tuple(vertex.index for vertex in face.verts) for face in work.faces]
    work.free()
    return corners, faces


def ball(segments: int = 32, rings: int = 16, radius: float = 1.0):
    """A UV sphere."""
    return made(bmesh.ops.create_uvsphere, u_segments=segments, v_segments=rings, radius=radius)


def icosphere(subdivisions: int = 2, radius: float = 1.0):
    """An icosphere."""
    return made(bmesh.ops.create_icosphere, subdivisions=subdivisions, radius=radius)


def cylinder(segments: int = 32, radius: float = 1.0, depth: float = 2.0, top: float | None = None):
    """A cylinder about Z, or, with another radius of its top, a cone."""
    top = radius if top is None else top
    return made(bmesh.ops.create_cone, segments=segments, radius1=radius, radius2=top, depth=depth, cap_ends=True)


def capsule(radius: float = 1.0, half_length: float = 1.0, segments: int = 16):
    """A UV sphere whose halves are drawn apart along Z."""
    work = bmesh.new()
    bmesh.ops.create_uvsphere(work, u_segments=segments, v_segments=segments, radius=radius)
    cut = [*work.verts, *work.edges, *work.faces]
    bmesh.ops.bisect_plane(work, geom=cut, plane_co=(0, 0, 1e-3 * radius), plane_no=(0, 0, 1))
    for vertex in work.verts:
        vertex.co.z += half_length if vertex.co.z > 5e-4 * radius else -half_length
    work.verts.index_update()
    corners = np.array([vertex.co for vertex in work.verts])
    faces = [tuple(vertex.index for vertex in face.verts) for face in work.faces]
    work.free()
    return corners, faces


def shaped(name: str, geometry, position: Sequence[float] = (0, 0, 5), motion: str = "DYNAMIC") -> bpy.types.Object:
    """A body with that mesh in a scene whose Contact is on."""
    corners, faces = geometry
    ob = mesh_object(name, [tuple(map(float, corner)) for corner in corners], faces=faces, position=position)
    ob.ves.role, ob.ves.motion = "BODY", motion
    bpy.context.scene.ves.use_contact = True
    return ob


def reading() -> Reading:
    """The scene as Check reads it at the present frame. Raises SceneError."""
    bpy.context.view_layer.update()
    return read_mechanism(bpy.context.scene, bpy.context.evaluated_depsgraph_get(), warn=warn_of_contact)


def read_bodies() -> dict[str, Body]:
    """The bodies that are read, by name."""
    return {body.name: body for body in reading().mechanism.bodies}
