# SPDX-License-Identifier: GPL-3.0-or-later
"""The objects that show springs, rubbers, rods and ropes: a mesh without points, and a Geometry Nodes modifier.

The modifier knows the Empty and what its other ends are on, and drivers give it the numbers that may change. So what
is seen follows keyframes, Play and a render by Blender's own means. `ves.shape` of the Empty is the object.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import bpy

from .shapes import group_of

MODIFIER = "Erector Set"


class Paint(NamedTuple):
    """A material that a new shape gets."""

    name: str
    colour: tuple[float, float, float]
    metallic: float
    roughness: float


PAINTS = {
    "COIL": Paint("Spring Steel", (0.45, 0.47, 0.50), 1.0, 0.3),
    "STRAP": Paint("Rubber", (0.25, 0.05, 0.03), 0.0, 0.6),
    "BAR": Paint("Rod", (0.35, 0.36, 0.38), 1.0, 0.4),
    "CORD": Paint("Rope", (0.42, 0.30, 0.16), 0.0, 0.9),
    "ROPE": Paint("Rope", (0.42, 0.30, 0.16), 0.0, 0.9),
    "TACKLE": Paint("Rope", (0.42, 0.30, 0.16), 0.0, 0.9),
}


def show(part: bpy.types.Object, shape: str, numbers: dict[str, Any]) -> bpy.types.Object:
    """Show a part by a shape, instead of by an earlier one, whose material stays; numbers: more of its inputs."""
    earlier = shape_of(part)
    paint = (_value(earlier, "Material") if earlier else None) or _paint(shape)
    hide(part)
    ob = bpy.data.objects.new(f"{part.name} Shape", bpy.data.meshes.new(f"{part.name} Shape"))
    for home in part.users_collection:
        home.objects.link(ob)
    modifier = ob.modifiers.new(MODIFIER, "NODES")
    modifier.node_group = group_of(shape)
    modifier.show_group_selector = False
    part.ves.shape = ob
    _give(ob, {"From": part, "Material": paint} | numbers)
    follow(part)
    return ob


def hide(part: bpy.types.Object) -> bool:
    """Remove what shows a part; False if nothing does."""
    ob = shape_of(part)
    part.ves.shape = None
    if ob is None:
        return False
    mesh = ob.data
    bpy.data.objects.remove(ob)
    if mesh.users == 0:
        bpy.data.meshes.remove(mesh)
    return True


def shape_of(part: bpy.types.Object) -> bpy.types.Object | None:
    """The object that shows a part; None also if it was deleted, or shows the part of which this one is a copy."""
    ob = part.ves.shape
    return ob if ob is not None and ob.users_collection and part_of(ob) == part else None


def part_of(ob: bpy.types.Object) -> bpy.types.Object | None:
    """The Empty that an object shows."""
    return _value(ob, "From") if is_shape(ob) else None


def is_shape(ob: bpy.types.Object) -> bool:
    """True for an object that shows a spring, rubber, distance, pulley or rope."""
    modifier = ob.modifiers.get(MODIFIER)
    return modifier is not None and modifier.type == "NODES" and _socket(ob, "From") is not None


def follow(part: bpy.types.Object) -> None:
    """Fasten what shows a part to the objects that the part names now."""
    settings, ob = part.ves, shape_of(part)
    if ob is None:
        return
    if settings.role == "FORCE":
        _give(ob, {"To": settings.body_b})
        for axis in range(3):
            _drive(ob, "Place", part, f"ves.point_b[{axis}]", axis)
        _drive(ob, "Rest Length", part, "ves.rest_length" if settings.use_rest_length else "")
    else:
        _give(ob, {"To": settings.anchor_b, "First Wheel": settings.wheel_a, "Second Wheel": settings.wheel_b})
        _drive(ob, "Rest Length", part, "ves.distance" if settings.use_distance else "")
        _drive(ob, "Ratio", part, "ves.rope_ratio" if settings.role == "PULLEY" else "")
        over = [entry.object for entry in settings.rope_points if entry.object is not None]
        _give(ob, {f"Point {k + 1}": wheel for k, wheel in enumerate(over)} | {"Count": len(over)})


def _paint(shape: str) -> bpy.types.Material:
    """A material of the file by its name, or a new one."""
    paint = PAINTS[shape]
    found = bpy.data.materials.get((paint.name, None))
    if found is not None:
        return found
    made = bpy.data.materials.new(paint.name)
    if made.node_tree is None:
        made.use_nodes = True
    made.diffuse_color = (*paint.colour, 1.0)
    made.metallic, made.roughness = paint.metallic, paint.roughness
    shader = next(node for node in made.node_tree.nodes if node.type == "BSDF_PRINCIPLED")
    told = {"Base Color": (*paint.colour, 1.0), "Metallic": paint.metallic, "Roughness": paint.roughness}
    for name, value in told.items():
        shader.inputs[name].default_value = value
    return made


def _give(ob: bpy.types.Object, values: dict[str, Any]) -> None:
    """Set inputs of the modifier by their names; those that its shape does not have are passed over."""
    for name, value in values.items():
        socket = _socket(ob, name)
        if socket is not None:
            holder, key = socket
            if isinstance(key, str):
                holder[key] = value
            else:
                holder.value = value
    ob.update_tag()


def _value(ob: bpy.types.Object, name: str) -> Any:
    socket = _socket(ob, name)
    if socket is None:
        return None
    holder, key = socket
    return holder[key] if isinstance(key, str) else holder.value


def _socket(ob: bpy.types.Object, name: str) -> tuple[Any, str | None] | None:
    """The holder of an input of the modifier, and its key there: since Blender 5.2 it is a thing of its own."""
    modifier = ob.modifiers[MODIFIER]
    if modifier.node_group is None:
        return None
    items = modifier.node_group.interface.items_tree
    found = next((each.identifier for each in items if each.name == name and each.in_out == "INPUT"), None)
    if found is None:
        return None
    if hasattr(modifier, "properties"):
        return getattr(modifier.properties.inputs, found), None
    return modifier, found


def _drive(ob: bpy.types.Object, name: str, part: bpy.types.Object, path: str, index: int = -1) -> None:
    """Let an input be what a property of the part is, without any Python; no path: no more."""
    socket = _socket(ob, name)
    if socket is None:
        return
    holder, key = socket
    driven = "value" if key is None else f'["{key}"]'
    holder.driver_remove(driven, index)
    if not path:
        return
    driver = holder.driver_add(driven, index).driver
    driver.type = "SUM"
    variable = driver.variables.new()
    variable.targets[0].id, variable.targets[0].data_path = part, path
