# SPDX-License-Identifier: GPL-3.0-or-later
"""The last moment of Play: it becomes the start of what is baked next, or a pose."""

from __future__ import annotations

import bpy
import numpy as np
from virtual_erector_set.operators.play import _and_begin
from virtual_erector_set.scene.bake.bake import run_to_end

from tests.blender.linkages import body, chain, joint, world_matrices
from tests.blender.playing import Driver, button


def play(driver: Driver, what: str):
    driver.play.keep(what)
    scene, view_layer = bpy.context.scene, bpy.context.view_layer
    return run_to_end(_and_begin(driver.steps, scene, view_layer))


def test_bake_goes_on_where_play_was_ended():
    rods = chain(3, 33)
    bpy.ops.ves.bake()
    wanted = [world_matrices(rod, range(13, 34)) for rod in rods]
    bpy.ops.ves.clear_bake()
    driver = Driver()
    driver.go_on(12)
    driver.play.toggle_pause()
    result = play(driver, "START")
    assert result.summary == "3 bodies start as at frame 13: Bake and Play go on from there, frames 13 to 33"
    assert bpy.context.scene.frame_current == 13
    np.testing.assert_allclose([rod.matrix_world for rod in rods], [each[0] for each in wanted], atol=1e-6)
    bpy.ops.ves.bake()
    for rod, matrices in zip(rods, wanted, strict=True):
        np.testing.assert_allclose(world_matrices(rod, range(13, 34)), matrices, atol=3e-6)


def test_what_was_cut_on_the_way_stays_cut():
    rods = chain(2, 40)
    button("cut", bpy.context.scene.objects["joint 1"], "RELEASE")
    driver = Driver()
    driver.go_on(6)
    driver.play.press("cut")
    driver.go_on(6)
    recording = driver.play._run
    play(driver, "START")
    entries = bpy.context.scene.ves.recorded_actions
    assert [(entry.frame, entry.target.name) for entry in entries] == [(13.0, "joint 1")]
    bpy.ops.ves.bake()
    bpy.context.scene.frame_set(40)
    recording.advance(39, 1e9)
    np.testing.assert_allclose(rods[1].matrix_world.translation, recording.pose()[0][1], atol=1e-5)


def test_a_pose_stands_still_and_leaves_the_range():
    """A rod that swings is let go at the pose: it falls from there, from rest."""
    rod = body("rod", (0.5, 0, 0), (0.9, 0.1, 0.1))
    hinge = joint("hinge", (0, 0, 0), None, rod, "REVOLUTE")
    hinge.rotation_euler.x = -np.pi / 2
    rod.ves.angular_velocity = (0, 3, 0)
    rod.ves.linear_velocity = (0, 0, -1.5)
    driver = Driver()
    driver.go_on(8)
    wanted = rod.matrix_world.copy()
    result = play(driver, "POSE")
    assert result.summary == "1 body stands as at frame 9, at rest"
    scene = bpy.context.scene
    assert (scene.frame_current, scene.ves.frame_source) == (1, "SCENE")
    np.testing.assert_allclose(rod.matrix_world, wanted, atol=1e-6)
    assert tuple(rod.ves.linear_velocity) == tuple(rod.ves.angular_velocity) == (0, 0, 0)
    assert hinge.ves.placed[0] > 0.5
    bpy.ops.ves.bake()
    scene.frame_set(1)
    np.testing.assert_allclose(rod.matrix_world, wanted, atol=1e-6)


def test_a_drag_that_is_under_way_goes_on():
    """The hand holds on where it was, and moves as it did."""
    rod = body("rod", (0, 0, 0), (0.9, 0.3, 0.3))
    driver = Driver()
    driver.go_on(2)
    driver.play.grab(rod, rod.matrix_world.translation)
    for i in range(20):
        driver.play.drag((0.05 * i, 0.02 * i, 0.1))
        driver.go_on()
    driver.play.let_go()
    driver.go_on(3)
    driver.keep()
    wanted = world_matrices(rod, range(12, 27))
    bpy.context.scene.ves.frame_source, bpy.context.scene.ves.frame_end = "CUSTOM", 26
    bpy.ops.ves.bake()
    np.testing.assert_allclose(world_matrices(rod, range(12, 27)), wanted, atol=1e-6)
    bpy.context.scene.frame_set(12)
    assert bpy.ops.ves.start_from_frame() == {"FINISHED"}
    bpy.ops.ves.bake()
    np.testing.assert_allclose(world_matrices(rod, range(12, 27)), wanted, atol=2e-6)
