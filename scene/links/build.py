# SPDX-License-Identifier: GPL-3.0-or-later
"""A plan becomes bodies and joints in a collection of its own."""

from __future__ import annotations

import bpy
import numpy as np
from mathutils import Matrix

from ..parts.bodies import make_body
from ..parts.empties import set_up_joint
from .bars import Pin, draw_bar
from .plan import WORLD, Plan, frame_along

WIDTH = 0.12  # of a bar, as a part of the mean length
COLORS = ((0.80, 0.21, 0.05), (0.06, 0.22, 0.55), (0.75, 0.55, 0.06), (0.12, 0.40, 0.16), (0.45, 0.45, 0.48))


def add_linkage(
    plan: Plan,
    scene: bpy.types.Scene,
    name: str = "Linkage",
    width: float = 0.0,
    at: Matrix | None = None,
) -> tuple[list[bpy.types.Object], list[bpy.types.Object]]:
    """Returns bodies, in the order of the links, and joints: hinges in that of the plan, then slides.

    width: m, of the bars; 0: what suits the lengths. at: where the plan's axes shall be in the world.
    """
    home = bpy.data.collections.new(name)
    radius, placing = 0.5 * (width or WIDTH * plan.size), Matrix.Identity(4) if at is None else at
    hinges = plan.hinges()
    bodies = [_add_body(plan, i, hinges, radius, home, placing) for i in range(len(plan.links))]
    joints = []
    for point, parent, child in hinges:
        frame = frame_along(plan.points[point], plan.frame(child)[:3, 0], plan.normal)
        joint = _add_joint("REVOLUTE", (point, parent, child), frame, plan, bodies, home, placing)
        joint.ves.is_drive = (point, child) in plan.drives
        joints.append(joint)
    for slide in plan.slides:
        frame = _frame_with_z(plan.points[slide.point], np.array(slide.direction), plan.normal)
        joint = _add_joint("PRISMATIC", (slide.point, slide.a, slide.b), frame, plan, bodies, home, placing)
        joint.ves.is_drive = slide.drives
        joints.append(joint)
    scene.collection.children.link(home)  # at the end: a scene would look after its layers at every object
    return bodies, joints


def _add_body(
    plan: Plan, link: int, hinges: list, radius: float, home: bpy.types.Collection, placing: Matrix
) -> bpy.types.Object:
    mesh = bpy.data.meshes.new(plan.names[link])
    body = bpy.data.objects.new(plan.names[link], mesh)
    body.rotation_mode = "QUATERNION"  # upright links would be in the gimbal lock of Euler angles
    body.matrix_basis = placing @ Matrix(plan.frame(link).tolist())
    make_body(body)
    settings = body.ves
    settings.link_radius, settings.link_layer = radius, plan.layers[link]
    draw_bar(body, in_link(plan, link, plan.links[link]), _pins(plan, link, hinges))
    mesh.materials.append(_material(link % len(COLORS)))
    home.objects.link(body)
    return body


def in_link(plan: Plan, link: int, points) -> np.ndarray:
    """(n, 3): points along a link's own axes."""
    frame = plan.frame(link)
    return (plan.points[list(points)] - frame[:3, 3]) @ frame[:3, :3]


def _pins(plan: Plan, link: int, hinges: list) -> list[Pin]:
    """One at each hinge by which others hang on the link."""
    layers, found = plan.layers, []
    for point in plan.links[link]:
        children = [layers[child] for at, parent, child in hinges if at == point and parent == link]
        if children:
            place = in_link(plan, link, [point])[0]
            found.append(Pin(place, min(*children, layers[link]), max(*children, layers[link])))
    return found


def _add_joint(
    kind: str,
    ends: tuple[int, int, int],
    frame: np.ndarray,
    plan: Plan,
    bodies: list,
    home: bpy.types.Collection,
    placing: Matrix,
) -> bpy.types.Object:
    _, parent, child = ends
    label = "Hinge" if kind == "REVOLUTE" else "Slider"
    pair = " ".join(plan.names[i] for i in (parent, child) if i != WORLD)
    empty = bpy.data.objects.new(f"{label} {pair}", None)
    carrier = bodies[child if parent == WORLD else parent]
    empty.parent = carrier
    empty.rotation_mode = "QUATERNION"
    empty.matrix_basis = carrier.matrix_basis.inverted() @ placing @ Matrix(frame.tolist())
    empty.show_in_front, empty.empty_display_size = True, 0.25 * plan.size
    settings = empty.ves
    settings.role = "JOINT"
    settings.body_a, settings.body_b = None if parent == WORLD else bodies[parent], bodies[child]
    settings.to_world = parent == WORLD
    set_up_joint(empty, kind, 1.0, plan.size)
    home.objects.link(empty)
    return empty


def _frame_with_z(place: np.ndarray, z: np.ndarray, across: np.ndarray) -> np.ndarray:
    """(4, 4): as joints have it, Z along the slider."""
    return frame_along(place, across, z / np.linalg.norm(z))


def _material(number: int) -> bpy.types.Material:
    name = f"Bar {number + 1}"
    found = bpy.data.materials.get(name)
    if found is not None and found.library is None:
        return found
    material = bpy.data.materials.new(name)
    material.diffuse_color = (*COLORS[number], 1.0)
    material.roughness, material.metallic = 0.4, 0.0
    if material.node_tree is None:
        material.use_nodes = True
    shader = material.node_tree.nodes["Principled BSDF"]
    shader.inputs["Base Color"].default_value = (*COLORS[number], 1.0)
    shader.inputs["Roughness"].default_value = 0.4
    return material
