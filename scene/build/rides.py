# SPDX-License-Identifier: GPL-3.0-or-later
"""Surfaces of a mechanism file become objects that a joint can ride on: meshes in wire, and NURBS surfaces."""

from __future__ import annotations

import math
from collections import Counter

import bpy
import numpy as np
from mathutils import Matrix

from ...solver.mechanism import Joint, Smooth, SmoothCylinder, SmoothPatches, SmoothPlane, SmoothSubdivision
from ...solver.model.surface_joints import surface_arrays
from ...solver.surfaces.surface import point_of
from ..geometry import poses
from ..geometry.cages import crease_of

_AROUND, _ACROSS = 32, 16  # faces; multiples of four, so that they reach as far as the surface does
_ENDLESS = 1000.0  # times the size of a typical body: what has no edges
_KINDS = {
    "plane": "PLANE",
    "sphere": "SPHERE",
    "ellipsoid": "ELLIPSOID",
    "torus": "TORUS",
    "cylinder": "CYLINDER",
    "patches": "AUTOMATIC",
    "subdivision": "SUBDIVISION",
}


def build_ride(builder, joint: Joint, empty: bpy.types.Object) -> None:
    """The surfaces of a contact joint, each a child of its body, and what the joint's settings say of them."""
    settings = empty.ves
    settings.ride_rolling = joint.rolling
    for side, name, surface in (("a", joint.parent, joint.surface_parent), ("b", joint.child, joint.surface_child)):
        label = f"{joint.name} {'Parent' if side == 'a' else 'Child'} Surface"
        body = builder.objects[name] if name is not None else None
        is_patches = isinstance(surface, SmoothPatches)
        if is_patches and any(surface.closed):
            builder.left_out.append(f"joint '{joint.name}': its closed surface has edges where it meets itself")
        if isinstance(surface, SmoothSubdivision):
            ob = _cage(builder, label, surface)
        else:
            ob = _nurbs(builder, label, surface) if is_patches else _mesh(builder, label, surface)
        own = poses.join(surface.position, surface.orientation, np.eye(3))
        if body is not None:
            ob.parent = body
            described = next(each for each in builder.mechanism.bodies if each.name == name)
            builder.view_layer.update()
            frame = poses.join(described.position or (0, 0, 0), described.orientation or (1, 0, 0, 0), np.eye(3))
            ob.matrix_parent_inverse = body.matrix_world.inverted_safe()
            own = frame @ own
        ob.matrix_basis = Matrix(own.tolist())
        setattr(settings, f"ride_object_{side}", ob)
        setattr(settings, f"ride_kind_{side}", _KINDS[surface.type])
        if surface.type not in ("patches", "subdivision"):  # these turn to the other body by themselves
            setattr(settings, f"ride_inside_{side}", surface.inside)


def _mesh(builder, name: str, surface: Smooth) -> bpy.types.Object:
    """A mesh with the surface's bounding box."""
    reach = _ENDLESS * builder.size
    turn, u = np.linspace(0.0, 2.0 * math.pi, _AROUND, endpoint=False), _AROUND
    if isinstance(surface, SmoothPlane):
        half = surface.half_size or (reach, reach)
        us, vs, u = (-half[0], half[0]), (-half[1], half[1]), 0
    elif isinstance(surface, SmoothCylinder):
        half = surface.half_length or reach
        us, vs = turn, (-half, half)
    elif surface.type == "torus":
        us, vs = turn, np.linspace(0.0, 2.0 * math.pi, _ACROSS + 1)
    else:
        us, vs = turn, np.linspace(-0.5 * math.pi, 0.5 * math.pi, _ACROSS + 1)
    (record,), patches = surface_arrays([(surface, (np.zeros(3), np.eye(3)))])
    points = [point_of(record, patches, 0, a, b)[0] for a in us for b in vs]
    n, rows = len(vs), range(u or len(us) - 1)
    faces = [
        (i * n + j, (i + 1) % len(us) * n + j, (i + 1) % len(us) * n + j + 1, i * n + j + 1)
        for i in rows
        for j in range(n - 1)
    ]
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(points, [], faces)
    ob = bpy.data.objects.new(name, mesh)
    ob.display_type, ob.hide_render = "WIRE", True
    builder.collection.objects.link(ob)
    return ob


def _cage(builder, name: str, surface: SmoothSubdivision) -> bpy.types.Object:
    """A mesh with the modifier Subdivision Surface."""
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(surface.points, [], surface.faces)
    faces_at = Counter(key for face in mesh.polygons for key in face.edge_keys)  # edges of one are sharp by themselves
    creases = {pair: crease_of(s) for pair, s in surface.sharp_edges().items() if faces_at[pair] > 1}
    corners = {k: crease_of(s) for k, s in surface.sharp_points().items()}
    if creases:
        of_edges = [creases.get(tuple(sorted(each.vertices)), 0.0) for each in mesh.edges]
        mesh.attributes.new("crease_edge", "FLOAT", "EDGE").data.foreach_set("value", of_edges)
    if corners:
        of_points = [corners.get(k, 0.0) for k in range(len(surface.points))]
        mesh.attributes.new("crease_vert", "FLOAT", "POINT").data.foreach_set("value", of_points)
    ob = bpy.data.objects.new(name, mesh)
    modifier = ob.modifiers.new("Subdivision", "SUBSURF")
    modifier.levels = modifier.render_levels = 3
    modifier.boundary_smooth = "PRESERVE_CORNERS" if surface.keep_corners else "ALL"
    builder.collection.objects.link(ob)
    return ob


def _nurbs(builder, name: str, surface: SmoothPatches) -> bpy.types.Object:
    """A NURBS surface of the same patches, with Bezier knots from end to end."""
    data = bpy.data.curves.new(name, "SURFACE")
    data.dimensions = "3D"
    grid = np.array(surface.points)
    weights = np.ones(grid.shape[:2]) if surface.weights is None else np.array(surface.weights)
    for row in grid:  # only Blender's Make Segment makes a surface of curves
        spline = data.splines.new("NURBS")
        spline.points.add(len(row) - 1)
        for point, place in zip(spline.points, row, strict=True):
            point.co, point.select = (*place, 1.0), True
    ob = bpy.data.objects.new(name, data)
    builder.collection.objects.link(ob)
    before = builder.view_layer.objects.active
    builder.view_layer.objects.active = ob
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.curve.make_segment()
    bpy.ops.object.mode_set(mode="OBJECT")
    builder.view_layer.objects.active = before
    (spline,) = data.splines
    for k, point in enumerate(spline.points):
        place = k % len(grid), k // len(grid)
        point.co = (*grid[place], weights[place])
    spline.order_u, spline.order_v = (degree + 1 for degree in surface.degree)
    spline.use_endpoint_u = spline.use_endpoint_v = True
    spline.use_bezier_u = spline.use_bezier_v = True
    return ob
