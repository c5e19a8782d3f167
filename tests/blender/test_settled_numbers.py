# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers read of matrices and meshes are the same whatever libraries have summed them up."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from virtual_erector_set.scene.bake.bake import read_scene, run_to_end
from virtual_erector_set.scene.geometry import poses
from virtual_erector_set.scene.geometry.rounding import settled, settled_turn
from virtual_erector_set.solver.mechanism.bodies import Box, Capsule, Sphere

from tests.blender import rigs
from tests.blender.making import select

SCALES = {
    "scaled": (3.0, 1e-3, 40.0),
    "mirrored": (-1.0, 2.0, 1.0),
    "tiny": (1e-9, 3e-9, 2e-9),
    "flat": (1.0, 2.0, 0.0),
}


@pytest.mark.parametrize("scale", list(SCALES.values()), ids=list(SCALES))
def test_the_rotation_of_a_matrix_is_that_of_its_singular_values(scale: tuple[float, float, float]) -> None:
    random = np.random.default_rng(1)
    turned = Rotation.random(200, random_state=2).as_matrix()
    matrices = turned @ (np.eye(3) + 0.3 * random.normal(size=(200, 3, 3))) @ np.diag(scale)
    left, _, right = np.linalg.svd(matrices)
    expected = (left @ right) * np.sign(np.linalg.det(left @ right))[:, None, None]
    found = poses.rotation_part(matrices)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-11)
    np.testing.assert_allclose(found @ np.swapaxes(found, 1, 2), np.broadcast_to(np.eye(3), (200, 3, 3)), atol=1e-14)
    one_by_one = np.array([poses.rotation_part(matrix) for matrix in matrices])
    assert np.array_equal(found, one_by_one)


def test_no_numbers_have_no_rotation() -> None:
    assert np.array_equal(poses.rotation_part(np.full((3, 3), np.nan)), np.eye(3))
    assert np.array_equal(poses.rotation_part(np.zeros((3, 3))), np.eye(3))


@pytest.mark.parametrize("noise", [0.0, 3e-16, -3e-16])
def test_what_sums_leave_in_the_last_digits_is_gone(noise: float) -> None:
    values = np.array([0.123456789012, -3.0, 0.0, 1e-14])
    assert np.array_equal(settled(values * (1.0 + noise) + noise, 3.0), settled(values, 3.0))
    np.testing.assert_allclose(settled(values, 3.0), values, atol=3e-10)
    quaternion = np.array([0.5, 0.5, -0.1, 0.7])
    quaternion = (quaternion / np.linalg.norm(quaternion)).tolist()
    assert settled_turn([part + noise for part in quaternion]) == settled_turn(quaternion)
    assert sum(part**2 for part in settled_turn(quaternion)) == pytest.approx(1.0, abs=1e-15)


def test_bodies_and_shapes_of_a_rig_are_settled() -> None:
    rig = rigs.make_rig("Rig", rigs.row(), turned=0.4)
    rig.rotation_euler = (0.3, -0.2, 0.7)
    bpy.context.view_layer.update()
    select(rig)
    bpy.ops.ves.ragdoll()
    reading = run_to_end(read_scene(bpy.context.scene, bpy.context.view_layer))
    assert len(reading.mechanism.bodies) == 4
    for body in reading.mechanism.bodies:
        inertia = np.array(body.inertia)
        assert np.array_equal(settled(inertia, np.abs(inertia).max()), inertia)
        (shape,) = body.shapes
        assert isinstance(shape, Box | Capsule | Sphere)
        assert settled_turn(shape.orientation) == pytest.approx(shape.orientation, abs=1e-16)
        size = shape.radius if not isinstance(shape, Box) else shape.half_size
        reach = max(np.abs([*np.atleast_1d(size), getattr(shape, "half_length", 0.0), *shape.position]))
        assert np.array_equal(settled(size, reach), size)
