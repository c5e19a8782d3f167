# SPDX-License-Identifier: GPL-3.0-or-later
# ruff: noqa: F821 (it comes after dragged_arm.py in one question)
"""A work cell: an arm of two bars that is not yet fastened, a wall whose edge is new, a table behind it.

Runs inside Blender, as the beginning of a question to a window; after `dragged_arm.py`, whose tools it uses.
"""

SHOULDER, UPPER, FOREARM = (0.0, 0.0, 2.0), 0.8, 0.7  # m
TOOL, TABLE = (1.3, 0.0, 0.95), 0.85  # m: and the height of the table


def build_cell() -> None:
    """The elbow has a hinge about Y with a motor that does nothing yet."""
    bpy.ops.object.select_all(action="SELECT")
    bpy.ops.object.delete()
    scene = bpy.context.scene
    scene.frame_end = 250
    x, _, z = SHOULDER
    upper = add("upper arm", (x + 0.5 * UPPER, 0.0, z), (UPPER, 0.1, 0.1), COLOURS[0])
    forearm = add("forearm", (x + UPPER + 0.5 * FOREARM, 0.0, z), (FOREARM, 0.08, 0.08), COLOURS[1])
    wall = add("wall", (0.6, 0.0, 0.8), (0.2, 1.2, 1.6), (0.5, 0.5, 0.55, 1.0))
    table = add("table", (1.3, 0.0, 0.5 * TABLE), (0.5, 0.5, TABLE), (0.45, 0.35, 0.25, 1.0))
    tool = add("tool", (TOOL[0], TOOL[1], 0.9), (0.1, 0.1, 0.1), COLOURS[2])
    select(upper, forearm, wall, table, tool)
    bpy.ops.ves.add_body()
    wall.ves.motion = table.ves.motion = tool.ves.motion = "FIXED"
    tool.ves.collide = False  # the hand opens for it
    scene.cursor.location = (x + UPPER, 0.0, z)
    select(upper, forearm)
    bpy.ops.ves.add_joint(type="REVOLUTE", location="CURSOR", axis="Y")
    elbow = bpy.context.object
    elbow.name = "elbow"
    elbow.ves.damping[0] = 2.0
    scene.ves.use_contact = True
    scene.cursor.location = SHOULDER
    select()


def look_at_cell() -> None:
    show(1.5, (0.7, 0.0, 1.1), 6.5)


def hand() -> Vector:
    """The point by which one takes the forearm, near its end."""
    return bpy.data.objects["forearm"].matrix_world @ Vector((0.42 * FOREARM, 0.0, 0.0))


def speed() -> float:
    """m: how far the hand has come since it was asked last."""
    before = bpy.app.driver_namespace.get("hand")
    now = bpy.app.driver_namespace["hand"] = hand().copy()
    return 9.0 if before is None else (now - before).length
