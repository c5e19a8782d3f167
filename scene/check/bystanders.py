# SPDX-License-Identifier: GPL-3.0-or-later
"""Bystanders look as if they took part, and do not.

They are Blender's force fields, bodies that are shown as instances, and shapes of springs that were deleted.
"""

from collections.abc import Iterator

import bpy

from ..findings import Finding
from ..parts.bodies import is_body
from ..visible.visible import is_shape, part_of

REMEDIES = {
    "WIND": "use a Drag, with its Wind",
    "DRAG": "use a Drag or a Damping",
    "FORCE": "use a Spring or a Motor",
    "HARMONIC": "use a Spring",
    "VORTEX": "use a Motor",
}
"""For each type of field the force of ours that comes near; for others a Motor."""


def notes_on_bystanders(scene: bpy.types.Scene) -> Iterator[Finding]:
    """A fact on each; nothing where there is no body."""
    if not any(map(is_body, scene.objects)):
        return
    for ob in scene.objects:
        if ob.field is not None and ob.field.type != "NONE":
            yield _on_field(ob)
        if ob.instance_type == "COLLECTION" and ob.instance_collection is not None:
            yield from _on_collection(ob, scene)
        elif ob.instance_type in {"VERTS", "FACES"}:
            yield from _on_copies(ob)
        elif is_shape(ob):
            yield from _on_shape(ob, scene)


def _on_shape(ob: bpy.types.Object, scene: bpy.types.Scene) -> Iterator[Finding]:
    part = part_of(ob)
    if part is None or scene.objects.get(part.name) != part:
        what = "a part" if part is None else part.name
        yield Finding(ob, f"shows {what}, which is not in this scene any more: delete it as well", is_fact=True)


def _on_field(ob: bpy.types.Object) -> Finding:
    kind = ob.field.bl_rna.properties["type"].enum_items[ob.field.type].name
    remedy = REMEDIES.get(ob.field.type, "use a Motor")
    return Finding(ob, f"is a force field of Blender ({kind}), which does not act on bodies: {remedy}", is_fact=True)


def _on_collection(ob: bpy.types.Object, scene: bpy.types.Scene) -> Iterator[Finding]:
    collection = ob.instance_collection
    bodies = [each for each in collection.all_objects if is_body(each)]
    if not bodies:
        return
    one = len(bodies) == 1
    what = f"shows {bodies[0].name if one else f'{len(bodies)} bodies'} of the collection {collection.name}"
    part = f"{'that takes' if one else 'those take'} no part"
    if collection.library is not None:
        remedy = "make a library override of it"
    elif scene.objects.get(bodies[0].name) == bodies[0]:
        remedy = "duplicate the collection itself instead"
    else:
        remedy = "link the collection itself to the scene instead"
    yield Finding(ob, f"{what} as an instance, and {part}: {remedy}", is_fact=True)


def _on_copies(ob: bpy.types.Object) -> Iterator[Finding]:
    bodies = [child for child in ob.children if is_body(child)]
    for body in bodies:
        yield Finding(
            body,
            f"is shown on the {'faces' if ob.instance_type == 'FACES' else 'vertices'} of {ob.name}, and these copies "
            "take no part: use Object > Apply > Make Instances Real, and Add Body",
            is_fact=True,
        )
