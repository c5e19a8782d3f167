# SPDX-License-Identifier: GPL-3.0-or-later
"""Static friction in Blender: of joints, surfaces, the ground and supports, by keys, in Play, and there and back."""

from __future__ import annotations

import math

import bpy
import numpy as np
import pytest
from mathutils import Matrix
from virtual_erector_set.scene.read.scene import read_mechanism
from virtual_erector_set.solver.mechanism import Joint

from tests.blender.exchanging import assert_same, there_and_back
from tests.blender.linkages import body, part
from tests.blender.playing import Driver, force

ALONG_X = Matrix.Rotation(0.5 * math.pi, 4, "Y")


def drawer(static: float, kinetic: float) -> tuple[bpy.types.Object, bpy.types.Object]:
    """A body of 1 kg that slides along X of the world, in a scene whose gravity has 4 m/s2 that way; and its slider."""
    box, slide = body("drawer", size=(0.4, 0.4, 0.2)), part("slide", "JOINT")
    box.ves.mass_source, box.ves.mass = "GIVEN", 1.0
    slide.matrix_basis = ALONG_X
    slide.ves.joint_type, slide.ves.body_a, slide.ves.body_b = "PRISMATIC", None, box
    slide.ves.to_world = True
    slide.ves.static_friction[0], slide.ves.friction[0] = static, kinetic
    scene = bpy.context.scene
    scene.gravity, scene.frame_start, scene.frame_end = (4.0, 0.0, -9.81), 1, 25
    bpy.context.view_layer.update()
    return box, slide


def way(ob: bpy.types.Object, frame: int) -> float:
    bpy.context.scene.frame_set(frame)
    return ob.matrix_world.translation.x


def read_joint() -> Joint:
    return read_mechanism(bpy.context.scene, bpy.context.evaluated_depsgraph_get()).mechanism.joints[0]


def test_a_drawer_holds_by_its_static_friction_and_lets_go_by_a_key() -> None:
    """It pulls by 4 N; from frame 13 on the joint holds by 3 N only, and slides against 1 N."""
    box, slide = drawer(5.0, 1.0)
    slide.keyframe_insert("ves.static_friction", index=0, frame=12)
    slide.ves.static_friction[0] = 3.0
    slide.keyframe_insert("ves.static_friction", index=0, frame=13)
    assert bpy.ops.ves.bake() == {"FINISHED"}
    assert way(box, 12) == pytest.approx(0.0, abs=1e-6)
    assert way(box, 25) == pytest.approx(0.5 * 3.0 * 0.5**2, rel=0.05)  # it lets go between frames 12 and 13


def test_none_of_its_own_is_as_friction_says() -> None:
    drawer(0.0, 2.0)
    assert read_joint().static_friction is None
    bpy.data.objects["slide"].ves.static_friction[0] = 5.0
    found = read_joint()
    assert found.static_friction == (5.0,)
    assert found.stribeck_speed == (0.01,)


def test_less_than_friction_is_refused_by_name() -> None:
    drawer(1.0, 2.0)
    with pytest.raises(RuntimeError, match=r"slide.*static_friction.*at least friction, 2, is 1"):
        bpy.ops.ves.bake()


def test_turned_while_it_plays_it_lets_go_and_holds_again() -> None:
    box, slide = drawer(5.0, 1.0)
    driver = Driver()
    driver.go_on(6)
    assert abs(box.matrix_world.translation.x) < 1e-6
    slide.ves.static_friction[0] = 0.0
    driver.go_on(6)
    gone = box.matrix_world.translation.x
    assert gone > 0.05
    assert any("static_friction" in settings for _, _, settings in driver.done)
    slide.ves.friction[0] = 50.0
    driver.go_on(6)
    held = box.matrix_world.translation.x
    driver.go_on(3)
    assert box.matrix_world.translation.x == pytest.approx(held, abs=1e-6)


def test_a_book_on_a_slope_stays_until_its_surface_is_made_smooth() -> None:
    book, scene = body("book", (0.0, 0.0, 0.1), size=(0.4, 0.4, 0.2)), bpy.context.scene
    scene.gravity, scene.frame_end = (9.81 * math.sin(0.5), 0.0, -9.81 * math.cos(0.5)), 25  # tan 0.5 is 0.546
    scene.ves.use_contact, scene.ves.accuracy = True, "DRAFT"
    scene.ves.ground_friction, scene.ves.ground_static_friction = 0.2, 0.6
    book.ves.contact_friction, book.ves.contact_static_friction = 0.2, 0.6
    assert bpy.ops.ves.bake() == {"FINISHED"}
    assert way(book, 25) == pytest.approx(0.0, abs=1e-6)
    bpy.ops.ves.clear_bake()
    book.ves.contact_static_friction = 0.0
    assert bpy.ops.ves.bake() == {"FINISHED"}
    assert way(book, 25) > 0.5


def test_all_of_it_comes_back_from_a_file(tmp_path) -> None:
    drawer(5.0, 1.0)
    bpy.data.objects["slide"].ves.stribeck_speed[0] = 0.25
    other = body("other", (0.0, 3.0, 1.0))
    other.ves.contact_static_friction, other.ves.contact_stribeck_speed = 0.75, 0.125
    settings = bpy.context.scene.ves
    settings.use_contact, settings.ground_static_friction, settings.ground_stribeck_speed = True, 1.25, 0.5
    foot = force("foot", "SUPPORT", other, support_static_friction=1.5, support_stribeck_speed=0.0625)
    foot.parent, foot.matrix_parent_inverse = other, other.matrix_world.inverted()
    first, second = there_and_back(tmp_path, 12)
    assert tuple(first["joints"][0]["static_friction"]) == (5.0,)
    assert tuple(first["joints"][0]["stribeck_speed"]) == (0.25,)
    materials = {each["name"]: each["material"] for each in first["bodies"]}
    assert (materials["other"]["static_friction"], materials["other"]["stribeck_speed"]) == (0.75, 0.125)
    ground = first["contact"]["ground"]
    assert (ground["static_friction"], ground["stribeck_speed"]) == (1.25, 0.5)
    assert (first["forces"][0]["static_friction"], first["forces"][0]["stribeck_speed"]) == (1.5, 0.0625)
    assert_same(first, second)


def test_the_friction_of_the_ground_goes_by_keys_in_steps() -> None:
    book, scene = body("book", (0.0, 0.0, 0.1), size=(0.4, 0.4, 0.2)), bpy.context.scene
    scene.gravity, scene.frame_end = (9.81 * math.sin(0.5), 0.0, -9.81 * math.cos(0.5)), 25
    scene.ves.use_contact, book.ves.contact_friction, book.ves.contact_static_friction = True, 0.2, 0.6
    for frame, static in ((1, 0.6), (13, 0.3)):
        scene.ves.ground_friction, scene.ves.ground_static_friction = 0.2, static
        scene.keyframe_insert("ves.ground_static_friction", frame=frame)
    curves = scene.animation_data.action.layers[0].strips[0].channelbags[0].fcurves
    for point in curves[0].keyframe_points:
        point.interpolation = "CONSTANT"
    assert bpy.ops.ves.bake() == {"FINISHED"}
    assert way(book, 13) == pytest.approx(0.0, abs=1e-6)
    slides = 9.81 * (math.sin(0.5) - 0.2 * math.cos(0.5))
    assert way(book, 25) == pytest.approx(0.5 * slides * 0.5**2, rel=0.02)
    assert np.isfinite(way(book, 25))


def test_soft_contact_and_perpetual_refuse_it_in_their_words() -> None:
    crate, scene = body("crate", (0.0, 0.0, 1.0)), bpy.context.scene
    crate.ves.contact_static_friction, scene.ves.use_contact, scene.ves.contact_kind = 0.9, True, "SOFT"
    bpy.ops.ves.check()
    soft = [finding.text for finding in scene.ves.findings]
    assert soft == [
        "crate: Static Friction holds it where it stands, and Soft contact lets it creep: choose Rigid contact, or set "
        "Static Friction to 0"
    ]
    scene.ves.use_contact, scene.ves.integrator = False, "PERPETUAL"
    force("leg", "SUPPORT", crate, support_static_friction=1.0)
    bpy.ops.ves.check()
    assert any("leg: Perpetual cannot do static friction" in finding.text for finding in scene.ves.findings)
