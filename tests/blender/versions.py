# SPDX-License-Identifier: GPL-3.0-or-later
"""Marks of tests that need not run in every version of Blender."""

import bpy
import pytest

once = pytest.mark.skipif(
    bpy.app.version < (5, 2), reason="measured in the newest Blender: others bake the same motion (test_example_builds)"
)
"""Tests of long motions, which the solver computes alike in every Blender."""

oldest_and_newest = pytest.mark.skipif(
    (5, 0) <= bpy.app.version < (5, 2), reason="long: in the oldest and in the newest Blender"
)
"""The longest tests: of chance (storms of operations, damages, memory that is given out again), and of large rigs."""
