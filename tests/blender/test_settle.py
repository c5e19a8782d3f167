# SPDX-License-Identifier: GPL-3.0-or-later
"""Settle: where things come to rest, and what it says about those that do not."""

from __future__ import annotations

import math

import bpy
import numpy as np
import pytest
from virtual_erector_set.scene.start.settle import settle

from tests.blender.linkages import body, chain, joint, scene_state, world_matrices
from tests.blender.playing import force


def found() -> list[str]:
    return [finding.text for finding in bpy.context.scene.ves.findings]


def test_a_chain_hangs_straight_down_and_stays_there():
    rods = chain(3, 48)
    assert bpy.ops.ves.settle() == {"FINISHED"}
    for i, rod in enumerate(rods):
        np.testing.assert_allclose(rod.matrix_world.translation, (0, 0, -0.5 - i), atol=2e-3)
    assert found() == []
    bpy.ops.ves.bake()
    moved = np.ptp(world_matrices(rods[2], range(1, 49))[:, :3, 3], axis=0)
    assert np.abs(moved).max() < 5e-3


def test_springs_balance_the_weight_and_keep_their_length():
    """m g / k below where it is relaxed, although it starts there anew."""
    block = body("block", (0, 0, 1), (0.2, 0.2, 0.2))
    block.ves.mass_source, block.ves.mass = "GIVEN", 2.0
    force("spring", "SPRING", block, to_world=True, point_b=(0, 0, 2), spring_stiffness=100.0)
    bpy.ops.ves.settle()
    sunk = 2.0 * 9.81 / 100.0
    np.testing.assert_allclose(block.matrix_world.translation, (0, 0, 1 - sunk), atol=1e-4)
    assert bpy.ops.ves.settle() == {"FINISHED"}
    np.testing.assert_allclose(block.matrix_world.translation, (0, 0, 1 - sunk), atol=1e-4)


def test_things_lie_on_the_ground():
    bpy.context.scene.ves.use_contact = True
    block = body("block", (0, 0, 1.3), (0.5, 0.5, 0.5))
    block.rotation_euler = (0.3, 0.2, 0.0)
    bpy.context.view_layer.update()
    bpy.ops.ves.settle()
    assert block.matrix_world.translation.z == pytest.approx(0.25, abs=2e-3)


def test_what_falls_or_is_driven_is_left_and_named():
    falling = body("falling", (5, 0, 0))
    wheel = body("wheel", (0, 0, 0), (0.5, 0.5, 0.1))
    axle = joint("axle", (0, 0, 0), None, wheel, "REVOLUTE")
    axle.ves.motor_mode, axle.ves.motor_speed[0] = "SPEED", 3.0
    rod = body("rod", (10.5, 0, 0), (0.9, 0.1, 0.1))
    joint("pin", (10, 0, 0), None, rod)
    before = [np.array(ob.matrix_world) for ob in (falling, wheel)]
    bpy.ops.ves.settle()
    np.testing.assert_array_equal([ob.matrix_world for ob in (falling, wheel)], before)
    np.testing.assert_allclose(rod.matrix_world.translation, (10, 0, -0.5), atol=1e-3)
    assert all("does not come to rest, because it falls or is driven" in text for text in found())
    assert {finding.culprit for finding in bpy.context.scene.ves.findings} == {falling, wheel}


def test_closed_on_the_way_it_changes_nothing():
    chain(3)
    before = scene_state()
    steps = settle(bpy.context.scene, bpy.context.view_layer)
    for _ in range(40):
        assert math.isfinite(next(steps).fraction)
    steps.close()
    assert scene_state() == before
