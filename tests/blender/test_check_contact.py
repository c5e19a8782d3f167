# SPDX-License-Identifier: GPL-3.0-or-later
"""Check's words about contact."""

from __future__ import annotations

import bpy
import pytest
from virtual_erector_set.scene.check import contact_warnings

from tests.blender.linkages import body
from tests.blender.making import empty, select
from tests.blender.shapes import icosphere, shaped
from tests.blender.test_check import assert_only, findings
from tests.blender.test_read_contact import terrain
from tests.blender.test_rides import ball, half_pipe, ride


def scene() -> bpy.types.PropertyGroup:
    return bpy.context.scene.ves


def test_nothing_wrong() -> None:
    scene().use_contact = True
    for i in range(10):
        body(f"brick {i}", (0, 0, 0.5 + i))
    assert findings() == []


def test_shapes_without_contact() -> None:
    bpy.context.scene.use_gravity = False
    a = body("a", (0, 0, 5))
    assert findings() == []
    a.ves.contact_shape = "BOX"
    assert_only("INFO", None, "Contact is off", "panel Contact")
    a.ves.collide = False
    assert findings() == []


def test_contact_without_anything_that_collides() -> None:
    a = body("a", (0, 0, 5))
    scene().use_contact, a.ves.collide = True, False
    assert_only("INFO", None, "no body collides")


def test_a_body_alone_without_ground() -> None:
    body("a", (0, 0, 5))
    scene().use_contact, scene().use_ground = True, False
    assert_only("INFO", "a", "nothing that it could touch")
    body("b", (3, 0, 5), motion="FIXED")
    assert findings() == []


def test_surfaces_that_no_material_has() -> None:
    a = body("a", (0, 0, 5))
    scene().use_contact = True
    a.ves.contact_friction = 3.0
    assert_only("INFO", "a", "friction of 3", "rubber")
    a.ves.contact_friction, a.ves.contact_restitution = 0.5, 1.0
    assert_only("INFO", "a", "bounciness of 1")
    a.ves.contact_restitution, a.ves.contact_layers = 0.5, [False] * 20
    assert_only("INFO", "a", "no layer")
    a.ves.contact_layers[3] = True
    scene().ground_friction = 2.0
    assert_only("INFO", None, "he ground has a friction of 2", "asphalt")


def test_shapes_that_can_not_be() -> None:
    a = body("a", (0, 0, 5))
    scene().use_contact = True
    a.ves.contact_shape = "MESH"
    assert_only("ERROR", "a", "dynamic", "Convex Hull or Compound")
    a.ves.contact_shape = "AUTOMATIC"
    marker = empty("marker")
    marker.ves.role, marker.ves.motion = "BODY", "FIXED"
    assert_only("ERROR", "marker", "no mesh", "turn Collide off")


def test_a_flat_dynamic_body_is_told_once() -> None:
    shaped("sheet", ([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)], [(0, 1, 2, 3)]))
    assert_only("ERROR", "sheet", "dynamic body needs a mesh with a volume")


def test_bodies_that_start_inside_the_ground_or_each_other() -> None:
    a, b = body("a", (0, 0, 0)), body("b", (5, 0, 5))
    scene().use_contact = True
    assert_only("WARNING", "a", "0.5 m below the ground")
    a.location = (5.2, 0, 5)
    assert_only("WARNING", "a", "inside b", "Don't Collide")
    b.location.x = 9
    assert findings() == []


def test_shapes_that_are_too_fine(monkeypatch: pytest.MonkeyPatch) -> None:
    terrain()
    shaped("rock", icosphere(3), (0, 0, 9)).scale = (1, 1, 1.5)
    assert findings() == []
    monkeypatch.setattr(contact_warnings, "MOST_TRIANGLES", 31)
    assert_only("WARNING", "ground", "32 triangles", "Decimate")
    monkeypatch.setattr(contact_warnings, "MOST_TRIANGLES", 32)
    monkeypatch.setattr(contact_warnings, "MOST_CORNERS", 100)
    assert_only("WARNING", "rock", "162 corners", "Sphere")


def marble_in_a_channel() -> tuple[bpy.types.Object, bpy.types.Object, bpy.types.Object]:
    """(marble, fixed mesh of the channel's form, ride): it rides on a NURBS surface of the world and collides."""
    pipe, marble = half_pipe(), ball("marble", (0, 0, 0.149))
    shell = bpy.data.meshes.new_from_object(pipe.evaluated_get(bpy.context.evaluated_depsgraph_get()))
    chute = bpy.data.objects.new("chute", shell)
    bpy.context.scene.collection.objects.link(chute)
    chute.ves.role, chute.ves.motion, chute.ves.contact_shape = "BODY", "FIXED", "MESH"
    joint = ride(marble, pipe)
    scene().use_contact, scene().ground_height = True, -5.0
    bpy.ops.ves.snap_together()
    select(joint)
    return marble, chute, joint


def test_what_rides_and_collides_with_a_mesh_of_the_same_form() -> None:
    marble, chute, _ = marble_in_a_channel()
    assert_only(
        "WARNING", "marble", "rides on SurfPatch", "collides with chute", "Don't Collide", "turn Collide off", "jam"
    )
    chute.ves.collide = False
    assert findings() == []
    chute.ves.collide = True
    scene().use_contact = False
    assert not [text for level, _, text in findings() if level == "WARNING"]
    scene().use_contact = True
    select(marble, chute)
    assert bpy.ops.ves.dont_collide() == {"FINISHED"}
    assert findings() == []


def test_what_rides_on_the_body_itself_or_far_from_a_mesh_does_not_jam() -> None:
    _, chute, joint = marble_in_a_channel()
    chute.location.z = -0.5
    bpy.context.view_layer.update()
    assert findings() == []
    chute.location.z = 0.0
    assert_only("WARNING", "marble", "chute")
    joint.ves.enabled = False
    assert not [text for _, _, text in findings() if "jam" in text]
    joint.ves.enabled = True
    pipe = joint.ves.ride_object_a
    pipe.parent = chute
    joint.ves.body_a, joint.ves.body_b, joint.ves.to_world = chute, bpy.data.objects["marble"], False
    joint.ves.ride_object_a, joint.ves.ride_object_b = pipe, None
    assert findings() == []
