# SPDX-License-Identifier: GPL-3.0-or-later
"""The integrator Quasi-Static, from the menu to the keyframes: balance, and what it refuses by name."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from virtual_erector_set.scene.findings import SceneError
from virtual_erector_set.scene.properties.contact import solver_options

from examples import settling_chain
from examples.measure import measure
from tests.blender.linkages import baked_result, body, chain, joint, world_matrices


def test_what_is_chosen_reaches_the_solver():
    settings = bpy.context.scene.ves
    settings.integrator, settings.settling = "QUASI_STATIC", 0.25
    assert solver_options(bpy.context.scene) == {"integrator": "quasi-static", "settling": 0.25}


def test_every_frame_is_in_balance():
    rods = chain(2, 3)
    bpy.context.scene.ves.integrator, bpy.context.scene.ves.settling = "QUASI_STATIC", 0.0
    result = baked_result()
    assert not result.failure
    assert any("at rest from" in note for note in result.notes)
    for rod in rods:
        np.testing.assert_allclose(world_matrices(rod, [1, 3])[:, 0, 3], 0.0, atol=1e-5)


def test_dry_friction_is_refused_at_its_joint():
    rods = chain(2, 3)
    hinge = joint("squeaky", (2.0, 0, 0), rods[1], body("end", (2.5, 0, 0)), "REVOLUTE")
    hinge.ves.friction[0] = 0.5
    bpy.context.scene.ves.integrator = "QUASI_STATIC"
    with pytest.raises(SceneError) as caught:
        baked_result()
    assert [finding.object for finding in caught.value.findings] == [hinge]
    assert "Quasi-Static cannot do dry friction" in caught.value.findings[0].text


def test_the_settling_chain_sinks_and_holds_together():
    settling_chain.build(3, 12)
    scene = bpy.context.scene
    bpy.ops.ves.check()
    assert not [finding.text for finding in scene.ves.findings if finding.severity == "ERROR"]
    assert bpy.ops.ves.bake() == {"FINISHED"}
    link = bpy.data.objects["Link 3"]
    before, after = world_matrices(link, [1, 3])[:, 2, 3]
    assert after < before
    assert measure(scene, with_collisions=False).joint_gap < 1e-5
