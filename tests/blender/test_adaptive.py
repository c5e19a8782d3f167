# SPDX-License-Identifier: GPL-3.0-or-later
"""The integrator Adaptive, from the menu to the keyframes: its bound, its note, and what it refuses by name."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from virtual_erector_set.scene.findings import SceneError
from virtual_erector_set.scene.properties.contact import solver_options

from tests.blender.linkages import baked_result, body, chain, joint, world_matrices


def test_what_is_chosen_reaches_the_solver():
    settings = bpy.context.scene.ves
    settings.integrator, settings.error_bound = "ADAPTIVE", 0.25
    assert solver_options(bpy.context.scene) == {"integrator": "adaptive", "error_bound": 0.25}


def test_the_motion_is_that_of_standard_and_a_note_says_what_was_simulated():
    rods, found = chain(2, 3), []
    for integrator in ("STANDARD", "ADAPTIVE"):
        bpy.context.scene.ves.integrator, bpy.context.scene.ves.error_bound = integrator, 1e-3
        result = baked_result()
        assert not result.failure
        found.append([world_matrices(rod, [1, 2, 3]) for rod in rods])
    np.testing.assert_allclose(found[1], found[0], atol=1e-4)
    assert any("2 of 2 joints were simulated on average" in note for note in result.notes)


def test_dry_friction_is_refused_at_its_joint():
    rods = chain(2, 3)
    hinge = joint("squeaky", (2.0, 0, 0), rods[1], body("end", (2.5, 0, 0)), "REVOLUTE")
    hinge.ves.friction[0] = 0.5
    bpy.context.scene.ves.integrator = "ADAPTIVE"
    with pytest.raises(SceneError) as caught:
        baked_result()
    assert [finding.object for finding in caught.value.findings] == [hinge]
    assert "Adaptive cannot do dry friction" in caught.value.findings[0].text
