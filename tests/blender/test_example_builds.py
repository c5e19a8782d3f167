# SPDX-License-Identifier: GPL-3.0-or-later
"""Each example in each Blender: built through the operators, and its first frames shown as the solver has them."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from virtual_erector_set.scene.bake.bake import read_scene, run_to_end
from virtual_erector_set.scene.geometry.poses import rotations
from virtual_erector_set.scene.properties.contact import solver_options
from virtual_erector_set.scene.properties.scene import RELATIVE_TOLERANCE
from virtual_erector_set.solver import simulate

from examples import scenarios
from examples.measure import measure
from examples.render import LARGE, LIVE, POSED, SCENES
from tests.blender.baked_examples import ROUNDING, build
from tests.blender.linkages import world_matrices

FRAMES = 3
FAR = 1e-5  # m, and the sine of an angle: single precision, up to twenty metres away


@pytest.mark.parametrize("name", [*(name for name in SCENES if name not in POSED | LIVE | LARGE), *scenarios.FRAMES])
def test_its_first_frames_are_those_of_the_solver(name: str) -> None:
    scene = build(name, FRAMES)
    reading = run_to_end(read_scene(scene, bpy.context.view_layer))
    rate, options = scene.render.fps, {"relative": RELATIVE_TOLERANCE[scene.ves.accuracy], **solver_options(scene)}
    solved = simulate(reading.mechanism, (FRAMES - 1) / rate, rate, **options)
    assert bpy.ops.ves.bake() == {"FINISHED"}
    assert measure(scene, with_collisions=False).joint_gap < ROUNDING
    for number, read in enumerate(reading.bodies):
        shown = world_matrices(read.owner.object, range(1, FRAMES + 1))
        np.testing.assert_allclose(shown[:, :3, 3], solved.position[:, number], atol=FAR, err_msg=read.body.name)
        axes = shown[:, :3, :3] / np.linalg.norm(shown[:, :3, :3], axis=1, keepdims=True)
        np.testing.assert_allclose(axes, rotations(solved.orientation[:, number]), atol=FAR, err_msg=read.body.name)
