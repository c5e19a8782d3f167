# SPDX-License-Identifier: GPL-3.0-or-later
"""Bad input of live linkages, and of Pose: said by name, the last good pose stays, and Blender never stands."""

from __future__ import annotations

import math
import time

import bpy
import numpy as np
import pytest

from tests.blender.linkages import body, joint
from tests.blender.making import reports, select
from tests.blender.test_live import bits, four_bar, is_closed

NEAR = 5e-5  # m, rad
PATIENCE = 5.0  # s, for what takes milliseconds


def assert_near(found: bytes, expected: bytes) -> None:
    """As near as what closes to 1e-9 may be moved at a structure or a dead centre."""
    np.testing.assert_allclose(np.frombuffer(found, np.float32), np.frombuffer(expected, np.float32), atol=NEAR)


def make_live() -> set[str]:
    select()
    return bpy.ops.ves.make_live()


def status() -> str:
    return bpy.context.scene.ves.live_status


def turn(hinge: bpy.types.Object, value: float) -> None:
    began = time.perf_counter()
    hinge.ves.drive_angle = value
    bpy.context.view_layer.update()
    assert time.perf_counter() - began < PATIENCE


@pytest.mark.parametrize("far", [math.pi, 2.0 * math.pi, -20.0, 1e4])
def test_a_jump_out_of_reach_stops_at_the_dead_centre_and_comes_back(far: float) -> None:
    made = four_bar()
    made["D"].ves.is_drive = True  # the rocker cannot go round
    make_live()
    placed = bits()
    turn(made["D"], far)
    assert "a dead centre" in status()
    for name in "ABCD":
        assert f"'{name}'" in status()
    assert is_closed(made)
    turn(made["D"], 0.0)
    assert status() == ""
    assert bits() == placed


def test_keys_over_a_dead_centre_stop_there_in_every_order_of_frames() -> None:
    made, scene = four_bar(), bpy.context.scene
    made["D"].ves.is_drive = True
    for frame, value in ((1, 0.0), (10, 2.5), (20, 0.0)):
        made["D"].ves.drive_angle = value
        made["D"].keyframe_insert("ves.drive_angle", frame=frame)
    scene.frame_set(1)
    make_live()
    shown, stopped = {}, []
    for frame in range(1, 25):
        scene.frame_set(frame)
        shown[frame] = bits()
        assert is_closed(made)
        if status():
            assert "a dead centre" in status()
            stopped.append(frame)
    assert stopped
    assert stopped == list(range(stopped[0], stopped[-1] + 1))
    assert 1 not in stopped
    assert 20 not in stopped
    for frame in np.random.default_rng(5).permutation(range(1, 25)):
        scene.frame_set(int(frame))
        assert bits() == shown[frame]


def test_a_second_hinge_at_the_same_place_does_no_harm() -> None:
    made = four_bar()
    made["A"].ves.is_drive = True
    joint("A again", (0.0, 0.0, 0.0), None, made["crank"], "REVOLUTE")
    make_live()
    turn(made["A"], 1.0)
    assert status() == ""
    assert is_closed(made)


def test_two_hinges_on_two_axes_are_a_structure_by_name(capfd: pytest.CaptureFixture) -> None:
    made = four_bar()
    made["A"].ves.is_drive = True
    joint("A aside", (0.1, 0.0, 0.0), None, made["crank"], "REVOLUTE")
    make_live()
    placed = bits()
    assert "a structure, of which nothing can move" in reports(capfd)
    assert "0 freedoms" in bpy.context.scene.ves.live_mobility
    turn(made["A"], 0.5)
    assert "cannot be closed where the drives lead" in status()
    assert is_closed(made)
    assert_near(bits(), placed)


def test_a_triangle_of_bars_is_a_structure_by_name(capfd: pytest.CaptureFixture) -> None:
    one, other = body("one", (0.5, 0, 0), (1, 0.1, 0.1)), body("other", (1, 0.5, 0), (0.1, 1, 0.1))
    foot = joint("foot", (0, 0, 0), None, one, "REVOLUTE")
    joint("knee", (1, 0, 0), one, other, "REVOLUTE")
    joint("head", (1, 1, 0), None, other, "REVOLUTE")
    foot.ves.is_drive = True
    make_live()
    said = reports(capfd)
    assert "a structure, of which nothing can move" in said
    assert "'knee'" in said
    before = bits()
    turn(foot, 0.3)
    assert "'knee'" in status()
    assert_near(bits(), before)


def test_a_link_without_length_is_told_as_a_freedom_that_nobody_drives(capfd: pytest.CaptureFixture) -> None:
    one, dot = body("one", (0.5, 0, 0), (1, 0.1, 0.1)), body("dot", (1, 0, 0), (0.1, 0.1, 0.1))
    other = body("other", (1, 0.5, 0), (0.1, 1, 0.1))
    foot = joint("foot", (0, 0, 0), None, one, "REVOLUTE")
    joint("knee", (1, 0, 0), one, dot, "REVOLUTE")
    joint("knee too", (1, 0, 0), dot, other, "REVOLUTE")
    joint("head", (1, 1, 0), None, other, "REVOLUTE")
    foot.ves.is_drive = True
    make_live()
    assert "'dot'" in reports(capfd)
    turn(foot, 0.3)
    assert "cannot be closed" in status()
    np.testing.assert_allclose(np.array(dot.matrix_world)[:3, 3], (1, 0, 0), atol=NEAR)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_a_drive_that_is_no_number_leaves_the_last_pose(value: float) -> None:
    made = four_bar()
    made["A"].ves.is_drive = True
    make_live()
    turn(made["A"], 0.7)
    before = bits()
    turn(made["A"], value)
    assert is_closed(made)
    assert "A: its drive is no number, or far too large" in status()
    assert bits() == before
    with pytest.raises(RuntimeError, match="A: its drive is no number"):
        bpy.ops.ves.live_to_keys()
    assert bpy.context.scene.ves.live_linkages
    turn(made["A"], 0.7)
    assert status() == ""
    assert is_closed(made)
    assert_near(bits(), before)


@pytest.mark.parametrize("kind", ["COPY_ROTATION", "COPY_LOCATION", "CHILD_OF", "DAMPED_TRACK"])
def test_a_leader_that_a_constraint_ties_to_what_it_leads_is_a_cycle_by_name(kind: str) -> None:
    made = four_bar("KEYED")
    constraint = made["crank"].constraints.new(kind)
    constraint.target = made["rocker"]
    select()
    with pytest.raises(
        RuntimeError, match=rf"crank: leads, but has a constraint \({constraint.name}\) to rocker.*a cycle"
    ):
        bpy.ops.ves.make_live()
    assert not bpy.context.scene.ves.live_linkages
    constraint.mute = True
    assert make_live() == {"FINISHED"}


def test_a_leader_on_a_child_of_what_it_leads_is_a_cycle_by_name() -> None:
    made = four_bar("KEYED")
    hook = bpy.data.objects.new("hook", None)
    bpy.context.scene.collection.objects.link(hook)
    hook.parent = made["rocker"]
    made["crank"].constraints.new("COPY_ROTATION").target = hook
    select()
    with pytest.raises(RuntimeError, match=r"to hook which is a child of rocker, which Live moves: a cycle"):
        bpy.ops.ves.make_live()


def test_a_leader_whose_driver_reads_what_it_leads_is_a_cycle_by_name() -> None:
    made = four_bar("KEYED")
    driver = made["crank"].driver_add("rotation_euler", 2).driver
    variable = driver.variables.new()
    variable.type = "TRANSFORMS"
    variable.targets[0].id, variable.targets[0].transform_type = made["rocker"], "ROT_Z"
    driver.expression = "var"
    select()
    with pytest.raises(RuntimeError, match=r"crank: leads, but has a driver on rotation_euler that reads rocker"):
        bpy.ops.ves.make_live()


def test_a_carrier_that_a_constraint_ties_to_a_live_body_is_a_cycle_by_name() -> None:
    made = four_bar()
    made["A"].ves.is_drive = True
    carrier = bpy.data.objects.new("carrier", None)
    bpy.context.scene.collection.objects.link(carrier)
    made["crank"].parent = carrier
    carrier.constraints.new("COPY_LOCATION").target = made["rocker"]
    bpy.context.view_layer.update()
    select()
    with pytest.raises(RuntimeError, match=r"carrier: carries crank, but has a constraint .* to rocker"):
        bpy.ops.ves.make_live()


def test_a_leader_that_follows_something_else_is_no_cycle() -> None:
    made = four_bar("KEYED")
    other = bpy.data.objects.new("other", None)
    bpy.context.scene.collection.objects.link(other)
    other.rotation_euler.z = made["crank"].rotation_euler.z
    made["crank"].constraints.new("COPY_ROTATION").target = other
    bpy.context.view_layer.update()
    assert make_live() == {"FINISHED"}
    assert is_closed(made)


def test_pose_says_that_a_structure_does_not_move_and_check_names_its_joints() -> None:
    one, other = body("one", (0.5, 0, 0), (1, 0.1, 0.1)), body("other", (1, 0.5, 0), (0.1, 1, 0.1))
    joint("foot", (0, 0, 0), None, one, "REVOLUTE")
    joint("knee", (1, 0, 0), one, other, "REVOLUTE")
    joint("head", (1, 1, 0), None, other, "REVOLUTE")
    before = np.array(one.matrix_world)
    assert bpy.ops.ves.pose(body="one", target=(0.3, 0.4, 0.0)) == {"FINISHED"}
    said = bpy.context.scene.ves.pose_status
    assert said.startswith("Nothing was moved: the pulled point is 0.45 m from its place")
    assert "Check names joints" in said
    np.testing.assert_array_equal(np.array(one.matrix_world), before)
    bpy.ops.ves.check()
    texts = [finding.text for finding in bpy.context.scene.ves.findings]
    assert any("a structure, of which nothing can move" in text and "'knee'" in text for text in texts), texts


@pytest.mark.parametrize("target", [(50.0, 50.0, 0.0), (math.inf, 0.0, 0.0), (1e30, 0.0, 0.0)])
def test_a_pull_out_of_reach_leaves_a_loop_closed(target) -> None:
    made = four_bar()
    began = time.perf_counter()
    assert bpy.ops.ves.pose(body="rocker", target=target) == {"FINISHED"}
    assert time.perf_counter() - began < 6.0 * PATIENCE
    bpy.context.view_layer.update()
    assert is_closed(made)
    if target[0] == 50.0:
        assert "m from its place" in bpy.context.scene.ves.pose_status


def test_a_pull_to_nowhere_is_refused() -> None:
    made = four_bar()
    with pytest.raises(RuntimeError, match="the target, or the point, is no number"):
        bpy.ops.ves.pose(body="rocker", target=(math.nan, 0.0, 0.0))
    assert is_closed(made)
