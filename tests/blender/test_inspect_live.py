# SPDX-License-Identifier: GPL-3.0-or-later
"""Inspect while Play runs: the numbers are those of the run, as a bake would have them, and never the last bake's."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from virtual_erector_set import panels
from virtual_erector_set.scene.quantities.live import LiveRecords
from virtual_erector_set.scene.quantities.quantities import quantities_of
from virtual_erector_set.scene.quantities.recorded import is_running, record_of

from tests.blender.linkages import body, chain, joint
from tests.blender.playing import Driver, button, force
from tests.blender.test_panels import draw


def swing() -> list[bpy.types.Object]:
    """A sprung hinge, a loose rod on it, and a spring to the world: all that Inspect knows something about."""
    rods = chain(2, 20)
    rods[1].ves.angular_velocity = (0, 3, 0)
    hinge = joint("hinge", (3, 0, 0), None, body("arm", (3.5, 0, 0), (0.9, 0.1, 0.1)), "REVOLUTE")
    hinge.ves.stiffness[0] = 5.0
    force("spring", "SPRING", rods[0], to_world=True, point_b=(0, 0, 2), spring_stiffness=50.0)
    return rods


def numbers(owner) -> dict[str, np.ndarray]:
    _, found = quantities_of(owner, bpy.context.scene)
    return {quantity.label: quantity.values for quantity in found}


def test_the_run_s_numbers_are_those_of_its_bake():
    swing()
    scene = bpy.context.scene
    owners = [scene, *(ob for ob in scene.objects if ob.ves.role != "NONE")]
    driver = Driver()
    driver.go_on(19)
    live = {owner: numbers(owner) for owner in owners}
    driver.end()
    assert not is_running(scene)
    assert record_of(scene, scene) is None
    bpy.ops.ves.bake()
    for owner in owners:
        baked = numbers(owner)
        assert baked.keys() == live[owner].keys()
        for label, values in baked.items():
            scale = max(1.0, np.abs(values).max())
            np.testing.assert_allclose(live[owner][label], values, atol=1e-5 * scale, err_msg=f"{owner.name} {label}")


def test_the_last_bake_s_numbers_are_not_shown_while_something_else_runs():
    rods = chain(1, 20)
    bpy.ops.ves.bake()
    bpy.context.scene.frame_set(10)
    bpy.context.view_layer.objects.active = rods[0]
    baked = draw(panels.inspect.VES_PT_inspect)
    rods[0].ves.linear_velocity = (0, 2.0, 0)
    rods[0].ves.angular_velocity = (0, 0, 4.0)
    driver = Driver()
    driver.go_on(9)
    assert bpy.context.scene.frame_current == 10
    shown = draw(panels.inspect.VES_PT_inspect)
    assert ("label", "Live, at frame 10 of the run") in shown
    assert set(shown) != set(baked)
    speed = numbers(rods[0])["Speed"][9, 0]
    assert ("label", f"{speed:.4g} m/s") in shown
    assert ("label", f"{speed:.4g} m/s") not in baked
    driver.end()
    bpy.context.scene.frame_set(10)
    assert ("label", f"{speed:.4g} m/s") not in draw(panels.inspect.VES_PT_inspect)


def test_to_look_changes_nothing_of_the_run():
    """Redundant reactions too: what is kept has the same bits."""
    rods = chain(2, 20)
    joint("closing", (2, 0, 0), None, rods[1])
    joint("again", (2, 0, 0), None, rods[1])
    button("cut", bpy.context.scene.objects["closing"], "RELEASE")
    kept = []
    for looks in (False, True):
        driver = Driver()
        for k in range(12):
            driver.go_on()
            if k == 6:
                driver.play.press("cut")
            if looks:
                numbers(rods[1])
        driver.keep()
        kept.append({name: bytes(record_of(rods[1], bpy.context.scene)[name]) for name in ("velocity", "kinetic")})
        kept[-1]["force"] = bytes(record_of(bpy.context.scene.objects["again"], bpy.context.scene)["force"])
        bpy.ops.ves.clear_bake()
        bpy.context.scene.ves.recorded_actions.clear()
    assert kept[0] == kept[1]


def test_looking_takes_no_more_than_its_share_of_the_time():
    class Run:
        frame = 0

    class Slow(LiveRecords):
        looked = 0

        def _look(self) -> None:
            self.looked += 1
            Slow.now += 0.1
            self._frame = self._run.frame

    Slow.now, run = 0.0, Run()
    records = Slow(None, run, clock=lambda: Slow.now)
    for _ in range(1000):
        run.frame += 1
        records(None)
        Slow.now += 0.01
    assert records.looked * 0.1 == pytest.approx(0.2 * Slow.now, rel=0.05)
