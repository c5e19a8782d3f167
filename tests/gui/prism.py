# SPDX-License-Identifier: GPL-3.0-or-later
# ruff: noqa: F821 (it comes after dragged_arm.py in one question)
"""Three sticks in a flat star on the ground, and nine rubbers between their ends, one of which is tied wrongly.

Runs inside Blender, as the beginning of a question to a window; after `dragged_arm.py`, whose tools it uses.
"""

import math

RING, TWIST, LOW, LIFT = 0.3, math.radians(150.0), 0.03, 0.14  # m; of upper ends beside lower ones; heights of the ends
STIFFNESS, DAMPING = 60.0, 1.0  # N/m, N s/m
RESTS = {"lower": 0.3, "upper": 0.3, "side": 0.15}  # m
RUBBERS = [
    *((f"lower {k}", (k, 0), ((k + 1) % 3, 0)) for k in range(3)),
    *((f"upper {k}", (k, 1), ((k + 1) % 3, 1)) for k in range(3)),
    *((f"side {k}", (k, 0), ((k + 1) % 3, 1)) for k in range(3)),
]
WRONG, RIGHT = "side 2", ((2, 0), (0, 1))
WRONGLY = (2, 0), (1, 0)  # what WRONG is tied to: an end that it should not have


def end(stick: int, is_upper: int) -> Vector:
    """The place of an end of a stick at the start."""
    angle = math.radians(120.0) * stick + (TWIST if is_upper else 0.0)
    return Vector((RING * math.cos(angle), RING * math.sin(angle), LIFT if is_upper else LOW))


def build_prism() -> None:
    bpy.ops.object.select_all(action="SELECT")
    bpy.ops.object.delete()
    bpy.context.scene.frame_end = 250
    sticks = []
    for k in range(3):
        low, high = end(k, 0), end(k, 1)
        bpy.ops.mesh.primitive_cylinder_add(radius=0.012, depth=(high - low).length, location=0.5 * (low + high))
        stick = bpy.context.object
        stick.name, stick.color = f"stick {k}", COLOURS[k]
        stick.rotation_euler = (high - low).to_track_quat("Z", "Y").to_euler()
        sticks.append(stick)
    select(*sticks)
    bpy.context.view_layer.update()
    bpy.ops.ves.add_body()
    for stick in sticks:
        stick.ves.mass_source, stick.ves.mass, stick.ves.contact_shape = "GIVEN", 0.2, "CAPSULE"
    bpy.ops.ves.add_force(type="DAMPING")
    for name, first, second in RUBBERS:
        tie(name, *(WRONGLY if name == WRONG else (first, second)))
    bpy.context.scene.ves.use_contact = True
    select()


def tie(name: str, first: tuple[int, int], second: tuple[int, int]) -> None:
    """A rubber between two ends, where they are now."""
    sticks = [bpy.data.objects[f"stick {k}"] for k, _ in (first, second)]
    bpy.context.scene.cursor.location = end_now(*first)
    select(sticks[1], sticks[0])
    bpy.ops.ves.add_force(type="RUBBER", location="CURSOR")
    rubber = bpy.context.object
    rubber.name = name
    rubber.ves.point_b = sticks[1].matrix_world.inverted() @ end_now(*second)
    settings = rubber.ves
    settings.use_rest_length, settings.rest_length = True, RESTS[name.split()[0]]
    settings.spring_stiffness, settings.spring_damping = STIFFNESS, DAMPING


def end_now(stick: int, is_upper: int) -> Vector:
    """The place of an end of a stick; sticks lie along their Z."""
    half = 0.5 * (end(0, 1) - end(0, 0)).length
    return bpy.data.objects[f"stick {stick}"].matrix_world @ Vector((0.0, 0.0, half if is_upper else -half))


def lay_plate() -> None:
    """A plate of a kilogram above the sticks."""
    top = max((end_now(k, is_upper) for k in range(3) for is_upper in (0, 1)), key=lambda place: place.z)
    middle = sum((bpy.data.objects[f"stick {k}"].matrix_world.translation for k in range(3)), Vector()) / 3.0
    plate = add("plate", (middle.x, middle.y, top.z + 0.06), (0.8, 0.8, 0.03), (0.7, 0.6, 0.3, 1.0))
    select(plate)
    bpy.ops.ves.add_body()
    plate.ves.mass_source, plate.ves.mass = "GIVEN", 1.0


def stiffen(times: float) -> None:
    """All rubbers are so much stiffer than at first."""
    for ob in bpy.context.scene.objects:
        if ob.ves.role == "FORCE" and ob.ves.force_type == "RUBBER":
            ob.ves.spring_stiffness = times * STIFFNESS


def look_at_prism() -> None:
    show(1.3, (0.0, 0.0, 0.15), 2.5)


def height() -> float:
    """m: of the highest end of a stick above the ground, now."""
    sticks = [bpy.data.objects[f"stick {k}"] for k in range(3)]
    return max((ob.matrix_world @ Vector(corner)).z for ob in sticks for corner in ob.bound_box)
