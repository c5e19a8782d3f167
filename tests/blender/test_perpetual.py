# SPDX-License-Identifier: GPL-3.0-or-later
"""The integrator Perpetual, from the menu to the keyframes: energy that stays, and what it refuses by name."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from virtual_erector_set.scene.check.check import find_problems
from virtual_erector_set.scene.findings import SceneError
from virtual_erector_set.scene.properties.contact import solver_options

from tests.blender.linkages import baked_result, body, chain, joint, world_matrices
from tests.blender.playing import Driver, force


def test_what_is_chosen_reaches_the_solver():
    settings = bpy.context.scene.ves
    assert solver_options(bpy.context.scene) == {}
    settings.integrator = "PERPETUAL"
    assert solver_options(bpy.context.scene) == {"integrator": "variational"}
    settings.substeps = 12
    assert solver_options(bpy.context.scene) == {"integrator": "variational", "substeps": 12}


def test_a_chain_keeps_swinging_as_high_as_it_began():
    """A minute of a chain let go: its highest energy at the end is that of the start, at coarse steps."""
    rods = chain(2, 1440)
    scene = bpy.context.scene
    scene.ves.integrator, scene.ves.accuracy = "PERPETUAL", "DRAFT"
    result = baked_result()
    assert "integrator: variational" in result.notes
    assert not result.failure
    matrices = [world_matrices(rod, range(1, 1441, 3)) for rod in rods]
    heights = sum(each[:, 2, 3] for each in matrices)
    assert heights.max() < 1e-3  # never above where it was let go
    assert heights[len(heights) // 2 :].max() > -0.5  # and still near it now and then
    gap = matrices[0] @ np.array([0.5, 0, 0, 1]) - matrices[1] @ np.array([-0.5, 0, 0, 1])
    assert np.linalg.norm(gap, axis=1).max() < 2e-6


def test_standard_and_perpetual_agree_for_a_while():
    rods = chain(3, 24)
    bpy.ops.ves.bake()
    standard = [world_matrices(rod, range(1, 25)) for rod in rods]
    bpy.ops.ves.clear_bake()
    bpy.context.scene.ves.integrator = "PERPETUAL"
    bpy.ops.ves.bake()
    perpetual = [world_matrices(rod, range(1, 25)) for rod in rods]
    assert np.abs(np.array(standard) - np.array(perpetual)).max() < 1e-3
    assert np.abs(np.array(standard) - np.array(perpetual)).max() > 0.0


def test_play_is_perpetual_too():
    rods = chain(2, 24)
    bpy.context.scene.ves.integrator = "PERPETUAL"
    driver = Driver()
    driver.go_on(8)
    depsgraph = bpy.context.view_layer.depsgraph
    seen = np.array([rod.evaluated_get(depsgraph).matrix_world for rod in rods])
    driver.end()
    assert "integrator: variational" in baked_result().notes
    np.testing.assert_allclose(seen, [world_matrices(rod, [9])[0] for rod in rods], atol=3e-6)


def test_a_hinge_that_rubs_comes_to_rest_within_its_limits():
    rods = chain(2, 48)
    hinge = joint("squeaky", (2.0, 0, 0), rods[1], body("end", (2.5, 0, 0)), "REVOLUTE")
    hinge.ves.friction[0] = 0.5
    bpy.ops.ves.bake()
    standard = world_matrices(rods[1], range(1, 49))
    bpy.ops.ves.clear_bake()
    bpy.context.scene.ves.integrator = "PERPETUAL"
    assert not [problem for problem in find_problems(bpy.context) if problem.severity == "ERROR"]
    assert "integrator: variational" in baked_result().notes
    assert np.abs(np.array(world_matrices(rods[1], range(1, 49))) - np.array(standard)).max() < 2e-3


def test_what_jumps_is_refused_at_its_force():
    rods = chain(2, 24)
    wind = force("wind", "EXPRESSION", rods[1])
    wind.ves.expression_x = "sign(x)"
    bpy.context.scene.ves.integrator = "PERPETUAL"
    with pytest.raises(SceneError) as caught:
        baked_result()
    (finding,) = caught.value.findings
    assert finding.object == wind
    assert "by place or speed" in finding.text
    assert "choose Standard under Bake" in finding.text
    assert [problem.culprit for problem in find_problems(bpy.context) if problem.severity == "ERROR"] == [wind]
    wind.ves.expression_x = "0"
    assert not [problem for problem in find_problems(bpy.context) if problem.severity == "ERROR"]


def test_contact_is_refused_in_words_of_the_panels():
    ob = body("stone", (0, 0, 3))
    settings = bpy.context.scene.ves
    settings.integrator, settings.use_contact, ob.ves.collide = "PERPETUAL", True, True
    with pytest.raises(SceneError, match="switch Contact off"):
        baked_result()
