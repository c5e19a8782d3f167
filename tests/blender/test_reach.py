# SPDX-License-Identifier: GPL-3.0-or-later
"""Reach: adding it to a hand, what the mechanism gets of it, what Check says, and a file that comes back; a bake."""

from __future__ import annotations

from pathlib import Path

import bpy
import pytest
from virtual_erector_set.scene.bake.bake import run_to_end
from virtual_erector_set.scene.read.scene import read_over_time
from virtual_erector_set.solver import mechanism as parts

from solver.mechanism import Table
from tests.blender.exchanging import import_file, there_and_back
from tests.blender.making import box, select
from tests.blender.test_balance import add, figure, texts
from tests.solver.control.figures import biped, with_arm


def figure_with_arm() -> tuple[bpy.types.Object, bpy.types.Object]:
    """Its balance, and a hand on a joint at its upper end."""
    trunk, feet = figure()
    hand = box("Hand", (0.5, 0, 1.9), (0.2, 0.2, 0.8))
    select(trunk, hand)
    bpy.ops.ves.add_joint(type="SPHERICAL")
    bpy.context.active_object.location = bpy.context.active_object.parent.matrix_world.inverted() @ hand.location
    bpy.context.active_object.matrix_world.translation = (0.5, 0, 2.3)
    bpy.context.view_layer.update()
    return add(trunk, *feet), hand


def reach(hand: bpy.types.Object) -> bpy.types.Object:
    select(hand)
    assert bpy.ops.ves.add_force(type="REACH") == {"FINISHED"}
    bpy.context.view_layer.update()
    return bpy.context.active_object


def over_time() -> parts.Reach:
    mechanism = run_to_end(read_over_time(bpy.context.scene, bpy.context.view_layer)).mechanism
    return next(force for force in mechanism.forces if force.type == "reach")


def test_a_hand_gets_its_reach_at_the_far_end_and_a_target_there() -> None:
    _, hand = figure_with_arm()
    empty = reach(hand)
    target = empty.ves.reach_target
    assert empty.ves.body_a == empty.parent == hand
    assert empty.matrix_world.translation.z == pytest.approx(1.5, abs=1e-5)
    assert (target.matrix_world.translation - empty.matrix_world.translation).length < 1e-6
    assert target.parent is None
    arm = next(
        ob for ob in bpy.context.scene.objects if ob.ves.role == "JOINT" and hand in {ob.ves.body_a, ob.ves.body_b}
    )
    assert min(arm.ves.damping) > 0.0, "an arm needs some"


def test_what_the_mechanism_gets() -> None:
    _, hand = figure_with_arm()
    bpy.context.scene.frame_end = 13
    empty = reach(hand)
    settings, target = empty.ves, empty.ves.reach_target
    settings.reach_frequency, settings.reach_damping_ratio = 1.5, 0.75
    settings.reach_max_force, settings.reach_max_torque = 40.0, 25.0
    target.location = (0.6, 0.1, 1.75)
    bpy.context.view_layer.update()
    found = over_time()
    assert (found.body, found.frequency, found.damping_ratio) == ("Hand", 1.5, 0.75)
    assert found.target == pytest.approx((0.6, 0.1, 1.75))
    assert (found.max_force, found.max_torque) == (None, 25.0)
    settings.use_reach_max_force, settings.use_reach_max_torque = True, False
    assert (over_time().max_force, over_time().max_torque) == (40.0, None)
    for frame, x in ((1, 0.6), (13, 1.0)):
        target.location.x = x
        target.keyframe_insert("location", frame=frame)
    bpy.context.scene.frame_set(1)
    x, y, _ = over_time().target
    assert isinstance(x, parts.Table)
    assert (x.values[0], x.values[-1]) == pytest.approx((0.6, 1.0))
    assert y == pytest.approx(0.1)


def test_check_says_what_is_missing() -> None:
    _, hand = figure_with_arm()
    bpy.context.scene.ves.use_contact = True
    empty = reach(hand)
    assert texts() == []
    empty.ves.reach_target = None
    assert any("has no target: choose an object that the hand follows" in text for text in texts())
    empty.ves.reach_target = hand
    assert any("goes along with the dynamic body Hand" in text for text in texts())


def test_a_hand_without_a_figure_is_named() -> None:
    hand = box("Hand", (0, 0, 2))
    select(hand)
    bpy.ops.ves.add_body()
    reach(hand)
    assert any("no joints lead from 'Hand' to a body that keeps its balance" in text for text in texts())


def test_a_file_comes_back_as_it_was(tmp_path: Path) -> None:
    target = 0.4, Table((0.0, 1.0), (-0.4, -0.2)), 1.25
    with_arm(biped(), target, frequency=1.5, max_force=40.0).save(tmp_path / "given.json")
    import_file(tmp_path / "given.json", 25)
    for each in there_and_back(tmp_path, 25):
        found = next(force for force in each["forces"] if "target" in force)
        assert (found["body"], found["frequency"], found["max_force"]) == ("forearm", 1.5, 40.0)
        assert found["target"][0] == pytest.approx(0.4)
        assert found["target"][1]["values"][-1] == pytest.approx(-0.2, abs=1e-6)
        assert found["max_torque"] is None


def test_a_hand_that_is_baked_comes_to_its_target(tmp_path: Path) -> None:
    mechanism = with_arm(biped(max_torque=250.0), (0.42, -0.25, 1.25))
    mechanism.save(tmp_path / "reaching.json")
    import_file(tmp_path / "reaching.json", 73)
    assert bpy.ops.ves.bake() == {"FINISHED"}
    scene = bpy.context.scene
    scene.frame_set(73)
    empty = scene.objects["reach"]
    assert (empty.matrix_world.translation - empty.ves.reach_target.matrix_world.translation).length < 5e-3
