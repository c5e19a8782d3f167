# SPDX-License-Identifier: GPL-3.0-or-later
"""A chain of boxes that swings down from a fixed one: built through the operators, and measured after its bake.

Runs inside Blender, as a file or as the beginning of a question to a window.
"""

import bpy

LINKS, FRAMES, SPACING = 5, 60, 0.5


def build(frames: int = FRAMES) -> None:
    """Five boxes in a row, chained with ball joints; the first one is fixed. Nothing is selected: the tab is short."""
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, frames
    bpy.ops.object.select_all(action="SELECT")
    bpy.ops.object.delete()
    boxes = []
    for i in range(LINKS):
        bpy.ops.mesh.primitive_cube_add(size=1.0, location=(i * SPACING, 0.0, 3.0), scale=(0.4, 0.2, 0.1))
        boxes.append(bpy.context.object)
        boxes[-1].name = f"link {i}"
    for box in boxes:
        box.select_set(True)
    bpy.context.view_layer.objects.active = boxes[0]
    bpy.ops.ves.chain()
    boxes[0].ves.motion = "FIXED"
    bpy.ops.object.select_all(action="DESELECT")
    bpy.context.view_layer.objects.active = None


def links() -> list[bpy.types.Object]:
    return [bpy.data.objects[f"link {i}"] for i in range(LINKS)]


def keys() -> dict[str, list[list[float]]]:
    """Every keyframe as [channel, index, frame, value], by object."""
    found = {}
    for link in links():
        animation = link.animation_data
        if animation is None or animation.action is None:
            continue
        bag = animation.action.layers[0].strips[0].channelbag(animation.action_slot)
        found[link.name] = [
            [curve.data_path, curve.array_index, *point.co] for curve in bag.fcurves for point in curve.keyframe_points
        ]
    return found


def motion() -> dict[str, float]:
    """The largest gap of any joint, and the lowest height of the last link, over all frames, in metres."""
    scene = bpy.context.scene
    joints = [ob.ves for ob in scene.objects if ob.ves.role == "JOINT"]
    scene.frame_set(scene.frame_start)
    pivots = [(joint.body_a, joint.body_b, joint.id_data.matrix_world.translation.copy()) for joint in joints]
    fixed = [(a, a.matrix_world.inverted() @ pivot, b, b.matrix_world.inverted() @ pivot) for a, b, pivot in pivots]
    gap, lowest = 0.0, float("inf")
    for frame in range(scene.frame_start, scene.frame_end + 1):
        scene.frame_set(frame)
        ends = [(a.matrix_world @ p, b.matrix_world @ q) for a, p, b, q in fixed]
        gap = max([gap, *((p - q).length for p, q in ends)])
        lowest = min(lowest, links()[-1].matrix_world.translation.z)
    return {"joints": len(joints), "gap": gap, "lowest": lowest}


def poses() -> list[list[float]]:
    """The world matrices of all objects now."""
    return [[x for row in ob.matrix_world for x in row] for ob in bpy.context.scene.objects]


def show(frame: int) -> None:
    """Look at the links in that frame, all of them selected, so that the timeline shows their keys."""
    bpy.context.scene.frame_set(frame)
    for link in links():
        link.select_set(True)
    bpy.ops.view3d.view_selected()
