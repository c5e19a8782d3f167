# SPDX-License-Identifier: GPL-3.0-or-later
"""The skin of a rig: points of its meshes, each with the bone that holds it most, at rest in the armature's space."""

from collections.abc import Iterator

import bpy
import numpy as np

Points = dict[str, np.ndarray]
"""(N, 3) by the names of bones, in the armature's space, at rest."""

FEWEST = 4  # points of a bone that has a skin


def skin_of(armature: bpy.types.Object) -> Points:
    """The points that each deforming bone holds more than others do; of a mesh that is mirrored, on both sides."""
    found: dict[str, list[np.ndarray]] = {}
    for mesh in skins(armature):
        to_armature = np.array(armature.matrix_world.inverted_safe() @ mesh.matrix_world, dtype=np.float64)
        points = np.empty(3 * len(mesh.data.vertices), np.float32)
        mesh.data.vertices.foreach_get("co", points)
        points = points.reshape(-1, 3) @ to_armature[:3, :3].T + to_armature[:3, 3]
        held = _held(mesh, armature)
        for group in np.unique(held[held >= 0]):
            found.setdefault(mesh.vertex_groups[int(group)].name, []).append(points[held == group])
    whole = {name: np.vstack(parts) for name, parts in found.items()}
    return _with_twins({name: points for name, points in whole.items() if len(points) >= FEWEST}, armature)


def skins(armature: bpy.types.Object) -> Iterator[bpy.types.Object]:
    """The meshes that an armature deforms."""
    for ob in bpy.context.scene.objects:
        if ob.type != "MESH" or not ob.vertex_groups:
            continue
        deformers = [each.object for each in ob.modifiers if each.type == "ARMATURE"]
        if armature in deformers or (ob.parent == armature and ob.parent_type == "ARMATURE"):
            yield ob


def _held(mesh: bpy.types.Object, armature: bpy.types.Object) -> np.ndarray:
    """The number of the vertex group of a deforming bone that weighs most at each vertex; -1 where there is none."""
    bones = armature.data.bones
    deforms = [group.name in bones and bones[group.name].use_deform for group in mesh.vertex_groups]
    held = np.full(len(mesh.data.vertices), -1)
    for i, vertex in enumerate(mesh.data.vertices):
        weight, group = max(
            ((each.weight, each.group) for each in vertex.groups if each.group < len(deforms) and deforms[each.group]),
            default=(0.0, -1),
        )
        held[i] = group if weight > 0.0 else -1
    return held


def _with_twins(points: Points, armature: bpy.types.Object) -> Points:
    """A bone without a skin has that of its twin on the other side: half of the mesh comes from a Mirror modifier."""
    for bone in armature.data.bones:
        twin = bpy.utils.flip_name(bone.name)
        if bone.name not in points and bone.use_deform and twin in points and twin in armature.data.bones:
            other = armature.data.bones[twin]
            if (bone.head_local + other.head_local).x ** 2 <= (0.02 * bone.length) ** 2:
                points[bone.name] = points[twin] * (-1.0, 1.0, 1.0)
    return points
