# SPDX-License-Identifier: GPL-3.0-or-later
"""A machine becomes bodies and joints in a collection of its own."""

from __future__ import annotations

import bpy
import numpy as np
from mathutils import Matrix, Vector

from ...parts.bodies import make_body
from ...parts.empties import set_up_joint
from ...properties.joint import set_limits
from ..linkages import Solid
from ..many_links import material_of
from .machine import WORLD, Machine


def add_machine(
    machine: Machine, scene: bpy.types.Scene, name: str, origin: np.ndarray, scale: float
) -> tuple[list[bpy.types.Object], list[bpy.types.Object]]:
    """Returns bodies and joints, in the machine's orders."""
    home = bpy.data.collections.new(name)
    paints: dict[str, bpy.types.Material] = {}
    bodies = []
    for part in machine.parts:
        mesh = _mesh(part.name, part.solids, part.origin, scale, paints)
        body = bpy.data.objects.new(part.name, mesh)
        body.rotation_mode = "QUATERNION"
        body.matrix_basis = Matrix.Translation(Vector(origin + scale * part.origin))
        make_body(body, part.motion)
        bodies.append(body)
        home.objects.link(body)
    size = scale * _size(machine)
    joints = [_joint(machine, i, bodies, origin, scale, size) for i in range(len(machine.ties))]
    for joint in joints:
        home.objects.link(joint)
    for a, b, ratio in machine.gears:
        home.objects.link(_gear(joints[a], joints[b], ratio, size))
    scene.collection.children.link(home)  # at the end: a scene would look after its layers at every object
    return bodies, joints


def _size(machine: Machine) -> float:
    """m: of a joint's Empty that can be seen beside the parts."""
    spans = [
        float(np.linalg.norm(np.ptp(np.concatenate([solid.points for solid in part.solids]), axis=0)))
        for part in machine.parts
    ]
    return 0.25 * float(np.median(spans))


def _mesh(
    name: str, solids: list[Solid], origin: np.ndarray, scale: float, paints: dict[str, bpy.types.Material]
) -> bpy.types.Mesh:
    mesh = bpy.data.meshes.new(name)
    points, faces, slots = [], [], []
    for solid in solids:
        if solid.name not in paints:
            paints[solid.name] = material_of(solid)
        if paints[solid.name].name not in mesh.materials:
            mesh.materials.append(paints[solid.name])
        faces += [[index + len(points) for index in face] for face in solid.faces]
        slots += [mesh.materials.find(paints[solid.name].name)] * len(solid.faces)
        points += (scale * (solid.points - origin)).tolist()
    mesh.from_pydata(points, [], faces)
    mesh.polygons.foreach_set("material_index", slots)
    mesh.polygons.foreach_set("use_smooth", [True] * len(mesh.polygons))
    mesh.set_sharp_from_angle(angle=0.7)
    mesh.update()
    return mesh


def _joint(
    machine: Machine, number: int, bodies: list[bpy.types.Object], origin: np.ndarray, scale: float, size: float
) -> bpy.types.Object:
    tie = machine.ties[number]
    empty = bpy.data.objects.new(machine.name_of(number), None)
    carrier = bodies[tie.b if tie.a == WORLD else tie.a]
    empty.parent = carrier
    empty.rotation_mode = "QUATERNION"
    turn = Vector(tie.axis).to_track_quat("Z", "Y").to_matrix().to_4x4()
    frame = Matrix.Translation(Vector(origin + scale * tie.place)) @ turn
    empty.matrix_basis = carrier.matrix_basis.inverted() @ frame
    empty.show_in_front, empty.empty_display_size = True, size
    settings = empty.ves
    settings.role = "JOINT"
    settings.body_a, settings.body_b = None if tie.a == WORLD else bodies[tie.a], bodies[tie.b]
    settings.to_world = tie.a == WORLD
    set_up_joint(empty, tie.kind, 1.0, size)
    settings.is_drive = tie.drives
    if tie.limits is not None:
        factor = scale if tie.kind == "PRISMATIC" else 1.0
        set_limits(settings, [tuple(None if end is None else factor * end for end in tie.limits)])
    return empty


def _gear(a: bpy.types.Object, b: bpy.types.Object, ratio: float, size: float) -> bpy.types.Object:
    empty = bpy.data.objects.new(f"Gear {a.ves.body_b.name}-{b.ves.body_b.name}", None)
    empty.parent = a
    empty.show_in_front, empty.empty_display_size, empty.empty_display_type = True, 0.5 * size, "CIRCLE"
    settings = empty.ves
    settings.role, settings.gear_ratio = "GEAR", ratio
    settings.joint_a, settings.joint_b = a, b
    return empty
