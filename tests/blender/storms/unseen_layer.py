# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender's own crash that the storm of operations keeps away from; nothing of ours is loaded here.

usage: python -m tests.blender.storms.unseen_layer

An undo brings an object back, it gets a new parent, and a frame is set: in the view layer that is not shown the copy
of the object has no parent, but its parent is evaluated (`BKE_object_get_parent_matrix`; 4.5.15 and 5.2.3).
"""

import bpy

bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
scene = bpy.context.scene
child = bpy.data.objects.new("child", None)
scene.collection.objects.link(child)
scene.view_layers.new("layer that is not shown")
scene.frame_set(1)
bpy.ops.ed.undo_push(message="Start")
bpy.data.objects.remove(child)
bpy.context.view_layer.update()
bpy.ops.ed.undo_push(message="Delete")
bpy.ops.ed.undo()
bpy.context.view_layer.update()
parent = bpy.data.objects.new("parent", None)
bpy.context.scene.collection.objects.link(parent)
bpy.context.view_layer.update()
bpy.data.objects["child"].parent = parent
bpy.context.view_layer.update()
bpy.context.scene.frame_set(1)
