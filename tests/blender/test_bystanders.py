# SPDX-License-Identifier: GPL-3.0-or-later
"""What looks as if it took part is named, by Check and after a bake."""

from __future__ import annotations

import bpy
import pytest
from virtual_erector_set.scene.check.bystanders import notes_on_bystanders
from virtual_erector_set.scene.parts.instances import notes_on_instances

from tests.blender.linkages import body, chain
from tests.blender.making import box, empty


def notes() -> list[str]:
    return [str(note) for note in notes_on_bystanders(bpy.context.scene)]


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("WIND", "(Wind)"),
        ("FORCE", "use a Spring or a Motor"),
        ("VORTEX", "use an Expression"),
        ("MAGNET", "use an Expression"),
        ("CHARGE", "use a Motor"),
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


def test_bodies_in_an_instance_within_a_collection_are_found() -> None:
    """As of a rig that a set shows, and the shot the set."""
    inner, shown = empty("Inner"), empty("Instance")
    inner.instance_type, inner.instance_collection = "COLLECTION", collection_of(body("a"), body("b"))
    shown.instance_type, shown.instance_collection = "COLLECTION", collection_of(inner)
    body("c")
    assert "Instance: shows 2 bodies of the collection" in notes()[-1]


@pytest.mark.parametrize("kind", ["OBJECT", "COLLECTION"])
def test_bodies_as_particles_are_said_to_take_no_part(kind: str) -> None:
    field, bodies = box("Field"), [body("a"), body("b")]
    field.modifiers.new("Particles", "PARTICLE_SYSTEM")
    settings = field.particle_systems[0].settings
    assert notes() == []
    settings.render_type = kind
    if kind == "OBJECT":
        settings.instance_object = bodies[0]
    else:
        settings.instance_collection = collection_of(*bodies)
    (note,) = map(str, notes_on_instances(field, bpy.context.scene))
    what = "a" if kind == "OBJECT" else "2 bodies"
    assert note.startswith(f"Field: shows {what} as particles of Particle")


def scatter(ob: bpy.types.Object, shown: bpy.types.Object, realized: bool, keeps_mesh: bool) -> None:
    """Geometry Nodes on an object that show another one there."""
    tree = bpy.data.node_groups.new("Scatter", "GeometryNodeTree")
    for way in ("INPUT", "OUTPUT"):
        tree.interface.new_socket("Geometry", in_out=way, socket_type="NodeSocketGeometry")
    start, end = tree.nodes.new("NodeGroupInput"), tree.nodes.new("NodeGroupOutput")
    info, join = tree.nodes.new("GeometryNodeObjectInfo"), tree.nodes.new("GeometryNodeJoinGeometry")
    info.inputs["Object"].default_value, info.inputs["As Instance"].default_value = shown, True
    last = info.outputs["Geometry"]
    if realized:
        realize = tree.nodes.new("GeometryNodeRealizeInstances")
        tree.links.new(last, realize.inputs[0])
        last = realize.outputs[0]
    tree.links.new(last, join.inputs[0])
    if keeps_mesh:
        tree.links.new(start.outputs[0], join.inputs[0])
    tree.links.new(join.outputs[0], end.inputs[0])
    ob.modifiers.new("Scatter", "NODES").node_group = tree
    bpy.context.view_layer.update()


@pytest.mark.parametrize("keeps_mesh", [False, True])
def test_instances_of_geometry_nodes_on_a_body_are_named_until_they_are_realized(keeps_mesh: bool) -> None:
    """They weighed nothing, unsaid; where nothing else was there, a Solidify modifier was recommended."""
    rods, screw = chain(2, frames=4), box("Screw", (0, 3, 0), (0.1, 0.1, 0.3))
    scatter(rods[1], screw, realized=False, keeps_mesh=keeps_mesh)
    bpy.ops.ves.check()
    found = [(each.culprit, each.text) for each in bpy.context.scene.ves.findings]
    said = "rod 1: shows instances by Geometry Nodes, which weigh nothing and touch nothing: end its nodes with "
    named = (rods[1], f"{said}Realize Instances")
    assert named in found
    volume = "rod 1: has no faces: a dynamic body needs a mesh with a volume (end its nodes with Realize Instances)"
    assert ((rods[1], volume) in found) is not keeps_mesh
    rods[1].modifiers.clear()
    scatter(rods[1], screw, realized=True, keeps_mesh=keeps_mesh)
    bpy.ops.ves.check()
    assert not bpy.context.scene.ves.findings
