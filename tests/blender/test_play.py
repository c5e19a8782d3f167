# SPDX-License-Identifier: GPL-3.0-or-later
"""Play without a window: the run is driven step by step, buttons are pushed and bodies pulled in between."""

from __future__ import annotations

from types import SimpleNamespace

import bpy
import numpy as np
import pytest
from virtual_erector_set.scene.bake import run_to_end
from virtual_erector_set.scene.play import ACTIONS, Play

from tests.blender.linkages import body, chain, joint, keys_of, part, scene_state, world_matrices

FRAME = 1.0 / 24.0


class Driver:
    """Steps a run as a window does, with a clock of its own."""

    def __init__(self, scene=None) -> None:
        self.now = 0.0
        self.play = Play(scene or bpy.context.scene, bpy.context.view_layer, clock=lambda: self.now)
        self.steps = self.play.steps()
        while not self.play.is_running:
            next(self.steps)

    def go_on(self, frames: float = 1.0) -> None:
        """Let the time of some frames go by, tick by tick."""
        for _ in range(round(2 * frames)):
            self.now += 0.5 * FRAME
            next(self.steps)

    def end(self) -> None:
        self.steps.close()

    def keep(self, what: str = "MOTION"):
        self.play.keep(what)
        return run_to_end(self.steps)


def motor(name: str, owner: bpy.types.Object, force=(0, 0, 50)) -> bpy.types.Object:
    empty = part(name, "FORCE", owner.location)
    empty.ves.force_type, empty.ves.body_a, empty.ves.force = "MOTOR", owner, force
    return empty


def test_bodies_move_and_come_back():
    rods = chain(3)
    bpy.context.scene.frame_set(7)
    before = scene_state()
    driver = Driver()
    driver.go_on(12)
    assert bpy.context.scene.frame_current == 13
    assert rods[-1].matrix_world.translation.z < -0.3
    assert "Frame 13" in driver.play.status
    driver.end()
    assert scene_state() == before
    assert all(rod.ves.before_play == "" for rod in rods)
    assert bpy.context.scene.ves.before_play == ""


def test_what_is_shown_is_what_bake_makes():
    rods = chain(3)
    driver = Driver()
    shown = []
    for _ in range(10):
        driver.go_on()
        shown.append([np.array(rod.matrix_world) for rod in rods])
    driver.end()
    bpy.ops.ves.bake()
    baked = np.stack([world_matrices(rod, range(2, 12)) for rod in rods], axis=1)
    np.testing.assert_allclose(shown, baked, atol=2e-6)


def test_keeping_writes_the_same_keys_as_bake():
    rods = chain(3, 13)
    driver = Driver()
    driver.go_on(12)
    result = driver.keep()
    assert result.frames == (1, 13)
    kept = keys_of(rods[2])
    bpy.ops.ves.clear_bake()
    bpy.ops.ves.bake()
    assert keys_of(rods[2]) == kept
