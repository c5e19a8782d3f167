# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies that an object shows as instances: of a collection, or on its faces or vertices. Such copies take no part."""

from collections.abc import Iterator

import bpy

from ..findings import Finding
from .bodies import is_body


def notes_on_instances(ob: bpy.types.Object, scene: bpy.types.Scene) -> Iterator[Finding]:
    """Bodies that an object shows as instances, which take no part, and the remedy."""
    if ob.instance_type == "COLLECTION" and ob.instance_collection is not None:
        yield from _on_collection(ob, scene)
    elif ob.instance_type in {"VERTS", "FACES"}:
        yield from _on_copies(ob)


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
