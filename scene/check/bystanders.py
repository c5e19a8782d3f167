# SPDX-License-Identifier: GPL-3.0-or-later
"""Bystanders look as if they took part, and do not.

They are Blender's force fields, bodies that are shown as instances, and shapes of springs that were deleted.
"""

from collections.abc import Iterator

import bpy

from ..findings import Finding
from ..parts.bodies import is_body
from ..parts.instances import notes_on_instances
from ..visible.visible import is_shape, part_of

REMEDIES = {
    "WIND": "use a Drag, with its Wind",
    "DRAG": "use a Drag or a Damping",
    "FORCE": "use a Spring or a Motor",
    "HARMONIC": "use a Spring",
    "VORTEX": "use an Expression",
    "MAGNET": "use an Expression",
    "TURBULENCE": "use an Expression",
}
"""For each type of field the force of ours that comes near; for others a Motor."""


def notes_on_bystanders(scene: bpy.types.Scene) -> Iterator[Finding]:
    """A fact on each; nothing where there is no body."""
    if not any(map(is_body, scene.objects)):
        return
    for ob in scene.objects:
        if ob.field is not None and ob.field.type != "NONE":
            yield _on_field(ob)
        yield from notes_on_instances(ob, scene)
        if is_shape(ob):
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
