# SPDX-License-Identifier: GPL-3.0-or-later
"""Rotations as Euler angles that go on from frame to frame, against Blender's own conversion."""

import numpy as np
import pytest
from mathutils import Euler, Quaternion
from virtual_erector_set.scene.geometry.poses import product, rotations
from virtual_erector_set.scene.read.channels import rotation_channels

MODES = ("XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX")


def blenders(quaternions: np.ndarray, mode: str, start: np.ndarray) -> np.ndarray:
    """Each frame the Euler angles that Blender calls compatible with those of the frame before."""
    euler, values = Euler(start, mode), []
    for quaternion in quaternions:
        euler = Quaternion(quaternion).to_euler(mode, euler)
        values.append(tuple(euler))
    return np.array(values)


def largest_difference(quaternions: np.ndarray, mode: str, values: np.ndarray) -> float:
    """Of the matrices of rotations and of what their Euler angles stand for."""
    shown = np.array([Euler(angles, mode).to_matrix() for angles in values])
    return np.abs(shown - rotations(quaternions)).max()


def spinning(axis: tuple, speed: float, count: int = 400) -> np.ndarray:
    """Steady turning about one axis, after a twist."""
    twist = Quaternion((1, 1, 0), 0.3)
    return np.array([Quaternion(axis, speed * i) @ twist for i in range(count)], dtype=np.float64)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("axis", [(1, 0.2, 0.1), (0.1, 1, 0.3), (0.2, -0.1, 1)])
@pytest.mark.parametrize("start", [(0.0, 0.0, 0.0), (0.3, 0.2, 13.0), (3.0, 3.3, -3.0)])
def test_euler_angles_go_on_as_blender_would_have_them(mode, axis, start):
    quaternions = spinning(axis, 0.05)
    values = rotation_channels(quaternions, mode, np.array(start))
    np.testing.assert_allclose(values, blenders(quaternions, mode, np.array(start)), atol=2e-4)
    assert largest_difference(quaternions, mode, values) < 1e-5


@pytest.mark.parametrize("mode", MODES)
def test_the_sign_of_a_quaternion_does_not_matter(mode):
    quaternions = spinning((0.2, 0.4, 1), 0.1)
    flipped = quaternions * np.where(np.arange(len(quaternions)) % 3 == 0, -1.0, 1.0)[:, None]
    start = np.array([0.1, 0.2, 0.3])
    given, again = (rotation_channels(turns, mode, start) for turns in (quaternions, flipped))
    np.testing.assert_allclose(again, given, atol=1e-9)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_gimbal_lock_is_met_and_left_without_a_jump(mode, sign):
    """The middle axis turns to a right angle, rests there and goes on, with the other two angles away from zero."""
    first, middle, last = ("XYZ".index(axis) for axis in mode)
    wanted = np.empty((200, 3))
    wanted[:, first], wanted[:, last] = 0.7, -0.4
    share = np.concatenate([np.linspace(0.9, 1.0, 80), np.ones(40), np.linspace(1.0, 1.1, 80)])
    wanted[:, middle] = sign * np.pi / 2 * share
    quaternions = np.array([exact_quaternion(angles, mode) for angles in wanted])
    np.testing.assert_allclose(rotation_channels(quaternions, mode, wanted[0]), wanted, atol=1e-5)


@pytest.mark.parametrize("mode", MODES)
def test_rounding_at_gimbal_lock_turns_no_angle(mode):
    """A pose of single precision that is met just once: the first and the last angle keep what they were."""
    first, middle, last = ("XYZ".index(axis) for axis in mode)
    wanted = np.empty((9, 3))
    wanted[:, first], wanted[:, last] = 0.7, -0.4
    wanted[:, middle] = 0.5 * np.pi - np.array([0.2, 0.1, 0.05, 0.02, 1e-5, 0.02, 0.05, 0.1, 0.2])
    exact = np.array([exact_quaternion(angles, mode) for angles in wanted])
    near = exact.copy()
    near[4] += 2e-7 * np.random.default_rng(3).normal(size=4)
    found = rotation_channels(near / np.linalg.norm(near, axis=1, keepdims=True), mode, wanted[0])
    np.testing.assert_allclose(found, wanted, atol=2e-6)


def exact_quaternion(angles: np.ndarray, mode: str) -> np.ndarray:
    """In double precision: the axes are turned about one after the other, in the order of the mode."""
    whole = np.array([1.0, 0.0, 0.0, 0.0])
    for axis in mode:
        i = "XYZ".index(axis)
        turn = np.zeros(4)
        turn[0], turn[1 + i] = np.cos(0.5 * angles[i]), np.sin(0.5 * angles[i])
        whole = product(turn, whole)
    return whole
