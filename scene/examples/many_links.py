# SPDX-License-Identifier: GPL-3.0-or-later
"""Links by the thousand become objects at once: bodies that share meshes, and an Empty for each joint, out of sight."""

import bpy
import numpy as np

from ..geometry import poses
from ..parts.empties import set_up_joint
from .linkages import Links, Solid


def add_links(
    links: Links, context: bpy.types.Context, origin: np.ndarray, scale: float = 1.0
) -> list[bpy.types.Object]:
    """Bodies and joints in collections of their own; returns the bodies.

    The joints' Empties are children of the bodies on which the links hang. Their collection's eye is shut: Blender
    would draw them all.
    """
    home = bpy.data.collections.new(links.name)
    joints = bpy.data.collections.new(f"{links.name} Joints")
    home.children.link(joints)
    meshes = [mesh_of(solid, scale) for solid in links.solids]
    place = origin + scale * links.place
    turn = poses.quaternions(links.axes)
    made = _made([*links.labels, *map(_joint_name, links.hinge, links.labels)], [meshes[k] for k in links.solid])
    bodies, empties = made[: len(place)], made[len(place) :]
    for body, where, q in zip(bodies, place.tolist(), turn.tolist(), strict=True):
        body.rotation_mode = "QUATERNION"
        body.location, body.rotation_quaternion = where, q
        body.ves.role = "BODY"
        home.objects.link(body)
    _add_joints(links, bodies, empties, joints, scale)
    for i in np.flatnonzero(links.inner < 0).tolist():
        bpy.data.objects.remove(empties[i])
    context.scene.collection.children.link(home)  # at the end: a scene would look after its layers at every object
    layer = next(layer for layer in context.view_layer.layer_collection.children if layer.collection == home)
    layer.children[joints.name].hide_viewport = True
    return bodies


def _joint_name(hinge: np.ndarray, label: str) -> str:
    return f"{'Hinge' if hinge.any() else 'Ball'} {label}"


def _made(names: list[str], meshes: list[bpy.types.Mesh]) -> list[bpy.types.Object]:
    """Objects of these names; the first ones have meshes, the others are Empties.

    Made in the order in which Blender keeps them: anywhere else it would look for the place of each among all.
    """
    made: list[bpy.types.Object | None] = [None] * len(names)
    for i in sorted(range(len(names)), key=lambda i: names[i].lower()):
        made[i] = bpy.data.objects.new(names[i], meshes[i] if i < len(meshes) else None)
    return made


def _add_joints(
    links: Links,
    bodies: list[bpy.types.Object],
    empties: list[bpy.types.Object],
    collection: bpy.types.Collection,
    scale: float,
) -> None:
    held = np.flatnonzero(links.inner >= 0)
    inner = links.inner[held]
    axes = links.axes[inner]
    away = scale * (links.pivot[held] - links.place[inner])
    place = np.einsum("nij,ni->nj", axes, away)
    is_ball = ~links.hinge[held].any(axis=1)
    direction = np.einsum("nij,ni->nj", axes, np.where(is_ball[:, None], (0.0, 0.0, 1.0), links.hinge[held]))
    turn = poses.quaternions(_frames(direction))
    size = scale * float(np.linalg.norm(np.ptp(links.solids[0].points, axis=0)))
    for row, i in enumerate(held.tolist()):
        kind = "SPHERICAL" if is_ball[row] else "REVOLUTE"
        parent = bodies[inner[row]]
        empty = empties[i]
        empty.parent = parent
        empty.rotation_mode = "QUATERNION"
        empty.location, empty.rotation_quaternion = place[row].tolist(), turn[row].tolist()
        empty.empty_display_size = 0.3 * size
        settings = empty.ves
        settings.role = "JOINT"
        settings.body_a, settings.body_b = parent, bodies[i]
        set_up_joint(empty, kind, 1.0, size)
        collection.objects.link(empty)


def _frames(z: np.ndarray) -> np.ndarray:
    """Rotation matrices (n, 3, 3) with these Z axes (n, 3)."""
    helper = np.where(np.abs(z[:, :1]) < 0.9, (1.0, 0.0, 0.0), (0.0, 1.0, 0.0))
    y = np.cross(z, helper)
    y /= np.linalg.norm(y, axis=1, keepdims=True)
    return np.stack([np.cross(y, z), y, z], axis=2)


def mesh_of(solid: Solid, scale: float) -> bpy.types.Mesh:
    """A smooth mesh with its material; the points are that many times as far from the origin."""
    mesh = bpy.data.meshes.new(solid.name)
    mesh.from_pydata((scale * solid.points).tolist(), [], solid.faces)
    mesh.polygons.foreach_set("use_smooth", [True] * len(mesh.polygons))
    mesh.set_sharp_from_angle(angle=0.7)
    mesh.update()
    mesh.materials.append(material_of(solid))
    return mesh


def material_of(solid: Solid) -> bpy.types.Material:
    material = bpy.data.materials.new(solid.name)
    material.diffuse_color = (*solid.color, 1.0)
    material.roughness, material.metallic = solid.roughness, solid.metallic
    if material.node_tree is None:
        material.use_nodes = True
    shader = material.node_tree.nodes["Principled BSDF"]
    shader.inputs["Base Color"].default_value = (*solid.color, 1.0)
    shader.inputs["Roughness"].default_value = solid.roughness
    shader.inputs["Metallic"].default_value = solid.metallic
    return material
