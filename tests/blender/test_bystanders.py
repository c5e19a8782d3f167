# SPDX-License-Identifier: GPL-3.0-or-later
"""What looks as if it took part is named, by Check and after a bake."""

from __future__ import annotations

import bpy
import pytest
from virtual_erector_set.scene.check.bystanders import notes_on_bystanders

from tests.blender.linkages import body, chain
from tests.blender.making import box, empty


def notes() -> list[str]:
    return [str(note) for note in notes_on_bystanders(bpy.context.scene)]


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("WIND", "(Wind)"),
        ("FORCE", "use a Spring or a Motor"),
        ("VORTEX", "use a Motor"),
        ("TURBULENCE", "use a Motor"),
    ],
)
def test_a_force_field_of_blender_is_named_with_what_does_it_here(kind: str, words: str) -> None:
    bpy.ops.object.effector_add(type=kind)
    field = bpy.context.active_object
    assert notes() == [], "no body is there that it could be thought to act on"
    chain(2, frames=4)
    (note,) = notes()
    assert note.startswith(f"{field.name}: is a force field of Blender")
    assert words in note
    bpy.ops.ves.check()
    assert note in [finding.text for finding in bpy.context.scene.ves.findings]
    bpy.ops.ves.bake()
    (finding,) = [each for each in bpy.context.scene.ves.findings if each.culprit == field]
    assert finding.severity == "INFO"


def collection_of(*objects: bpy.types.Object) -> bpy.types.Collection:
    made = bpy.data.collections.new("Rig")
    for ob in objects:
        bpy.context.scene.collection.objects.unlink(ob)
        made.objects.link(ob)
    return made


def test_bodies_in_an_instance_of_a_collection_are_said_to_take_no_part() -> None:
    collection = collection_of(body("a"), body("b"))
    shown = empty("Instance")
    shown.instance_type, shown.instance_collection = "COLLECTION", collection
    body("c", (5, 0, 0))
    assert notes() == [
        "Instance: shows 2 bodies of the collection Rig as an instance, and those take no part: "
        "link the collection itself to the scene instead"
    ]
    bpy.context.scene.collection.children.link(collection)
    assert notes()[0].endswith("duplicate the collection itself instead")
    shown.instance_collection = bpy.data.collections.new("Without bodies")
    assert notes() == []


def test_copies_on_faces_are_said_to_take_no_part() -> None:
    carrier, brick = box("Wall", (0, 0, 0), (5, 5, 5)), body("Brick")
    brick.parent, carrier.instance_type = carrier, "FACES"
    (note,) = notes()
    assert note.startswith("Brick: is shown on the faces of Wall, and these copies take no part")


def test_a_file_whose_only_bodies_are_instances_is_refused_in_these_words() -> None:
    shown = empty("Instance")
    shown.instance_type, shown.instance_collection = "COLLECTION", collection_of(body("a"), body("b"))
    words = "Instance: shows 2 bodies of the collection Rig as an instance, and those take no part"
    with pytest.raises(RuntimeError, match=words):
        bpy.ops.ves.bake()
    bpy.ops.ves.check()
    assert [each.text.partition(":")[0] for each in bpy.context.scene.ves.findings] == ["Instance"]
