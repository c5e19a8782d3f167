# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies that an object shows as instances: of a collection, on its faces or vertices, or as particles. Such copies
take no part. Nor does what Geometry Nodes show on a body as instances, as long as they are not realized.
"""

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
    for system in ob.particle_systems:
        yield from _on_particles(ob, system)


def has_instances(evaluated: bpy.types.Object) -> bool:
    """True if Geometry Nodes show something on an evaluated object as instances."""
    if not any(modifier.type == "NODES" for modifier in evaluated.modifiers):
        return False
    return evaluated.evaluated_geometry().instances_pointcloud() is not None


def _bodies_in(collection: bpy.types.Collection) -> list[bpy.types.Object]:
    """Also those of collections whose instances are in it."""
    bodies = []
    for ob in collection.all_objects:
        if is_body(ob):
            bodies.append(ob)
        elif ob.instance_type == "COLLECTION" and ob.instance_collection is not None:
            bodies += _bodies_in(ob.instance_collection)
    return bodies


def _on_particles(ob: bpy.types.Object, system: bpy.types.ParticleSystem) -> Iterator[Finding]:
    settings = system.settings
    if settings.render_type == "OBJECT":
        bodies = [settings.instance_object] if is_body(settings.instance_object) else []
    elif settings.render_type == "COLLECTION" and settings.instance_collection is not None:
        bodies = _bodies_in(settings.instance_collection)
    else:
        return
    if bodies:
        what = bodies[0].name if len(bodies) == 1 else f"{len(bodies)} bodies"
        text = f"shows {what} as particles of {system.name}, which take no part: use Object > Apply > Make Instances "
        yield Finding(ob, text + "Real, and Add Body", is_fact=True)


def _on_collection(ob: bpy.types.Object, scene: bpy.types.Scene) -> Iterator[Finding]:
    collection = ob.instance_collection
    bodies = _bodies_in(collection)
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
