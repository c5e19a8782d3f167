# SPDX-License-Identifier: GPL-3.0-or-later
"""Limits of joints as lines in the 3D View: arcs and bars, of what is selected."""

from __future__ import annotations

import math

import bpy
import numpy as np
import pytest
from virtual_erector_set.scene.overlay import shown_limits
from virtual_erector_set.scene.parts.limit_lines import RADIUS, TICK, limit_lines

from tests.blender import rigs
from tests.blender.linkages import body, joint
from tests.blender.making import select, with_role


def points(ob: bpy.types.Object) -> np.ndarray:
    """Ends of its lines, along its axes from its place, in parts of its size."""
    inverse = ob.matrix_world.inverted()
    return np.array([inverse @ point for point in limit_lines(ob)]).reshape(-1, 3) / ob.empty_display_size


def made(kind: str, lower: float | None, upper: float | None, travel: str = "", index: int = 0) -> bpy.types.Object:
    parent, child = body("parent"), body("child", (1, 0, 0))
    found = joint("tie", (0.5, 0, 0), parent, child, kind)
    for side, value in (("lower", lower), ("upper", upper)):
        getattr(found.ves, f"use_{side}_limit")[index] = value is not None
        getattr(found.ves, f"{side}_limit{travel}")[index] = value or 0.0
    bpy.context.view_layer.update()
    return found


def has(found: np.ndarray, *place: float) -> bool:
    return bool(np.any(np.linalg.norm(found - np.array(place), axis=1) < 1e-4))


def test_a_hinge_has_an_arc_from_limit_to_limit_with_spokes_and_its_zero() -> None:
    found = points(made("REVOLUTE", -0.5, 1.0))
    assert np.abs(found[:, 2]).max() < 1e-6
    for angle in (-0.5, 1.0):
        assert has(found, RADIUS * math.cos(angle), RADIUS * math.sin(angle), 0.0)
    assert has(found, 0.0, 0.0, 0.0)
    on_arc = found[np.abs(np.linalg.norm(found, axis=1) - RADIUS) < 1e-6]
    angles = np.arctan2(on_arc[:, 1], on_arc[:, 0])
    assert (angles.min(), angles.max()) == pytest.approx((-0.5, 1.0), abs=1e-5)


def test_what_the_bodies_are_placed_at_counts() -> None:
    hinge = made("REVOLUTE", -0.5, 1.0)
    hinge.ves.placed[0] = 0.25
    found = points(hinge)
    assert has(found, RADIUS * math.cos(0.75), RADIUS * math.sin(0.75), 0.0)


def test_one_limit_has_an_open_arc_and_none_has_nothing() -> None:
    found = points(made("REVOLUTE", None, 0.5))
    angles = np.arctan2(found[:, 1], found[:, 0])
    assert angles.max() == pytest.approx(0.5, abs=0.01)
    assert len(points(joint("free", (3, 0, 0), None, body("other", (3, 0, 0)), "REVOLUTE"))) == 0


def test_a_slider_has_a_bar_in_metres() -> None:
    slider = made("PRISMATIC", -0.2, 0.7, "_travel")
    found = points(slider) * slider.empty_display_size
    assert (found[:, 2].min(), found[:, 2].max()) == pytest.approx((-0.2, 0.7), abs=1e-5)


def test_a_ball_has_an_arc_about_each_axis() -> None:
    ball = made("SPHERICAL", -0.4, 0.4, index=1)
    found = points(ball)
    assert np.abs(found[:, 1]).max() < 1e-6, "about its Y"
    ball.ves.use_upper_limit[0] = True
    ball.ves.upper_limit[0] = 0.3
    assert np.abs(points(ball)[:, 1]).max() > 0.3


def test_zero_points_to_the_child_where_it_is_placed() -> None:
    """A child below the hinge, which turns about Y: the arc goes round its middle, at later frames too."""
    parent, child = body("parent"), body("child", (0, 0, -1))
    hinge = joint("tie", (0, 0, 0), parent, child, "REVOLUTE")
    hinge.rotation_euler.x = -math.pi / 2.0  # its Z along the world's Y
    hinge.ves.use_upper_limit[0], hinge.ves.upper_limit[0] = True, 0.5
    hinge.ves.use_lower_limit[0], hinge.ves.lower_limit[0] = True, -0.5
    scene = bpy.context.scene
    scene.frame_set(scene.frame_start)
    select(hinge)
    for frame in (scene.frame_start, scene.frame_start + 5):
        scene.frame_set(frame)
        found = np.array(shown_limits(bpy.context)) / hinge.empty_display_size
        assert found[:, 2].min() == pytest.approx(-RADIUS - TICK, abs=1e-4)
        assert np.abs(found[:, 0]).max() == pytest.approx(RADIUS * math.sin(0.5), abs=0.05)
        child.location = (1, 0, 0)


def test_those_of_what_is_selected_are_shown() -> None:
    hinge = made("REVOLUTE", -0.5, 1.0)
    select()
    assert shown_limits(bpy.context) == []
    for chosen in (hinge, bpy.data.objects["child"]):
        select(chosen)
        assert len(shown_limits(bpy.context)) == len(limit_lines(hinge))
    select(bpy.data.objects["parent"])
    assert shown_limits(bpy.context) == []


def test_in_pose_mode_those_of_the_selected_bones() -> None:
    rig = rigs.waving(12)
    bodies = with_role("BODY")
    tie = next(ob for ob in with_role("JOINT") if ob.ves.body_b == bodies[-1])
    tie.ves.use_upper_limit[0], tie.ves.upper_limit[0] = True, 0.5
    select(rig)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="POSE")
    bpy.ops.pose.select_all(action="DESELECT")
    assert shown_limits(bpy.context) == []
    bpy.ops.pose.select_all(action="SELECT")
    assert len(shown_limits(bpy.context)) >= len(limit_lines(tie)) > 0
    bpy.ops.object.mode_set(mode="OBJECT")


def test_a_joint_with_the_world_is_shown_where_it_was_placed() -> None:
    """Its Empty goes along with its body: elsewhere the arc would be turned."""
    scene = bpy.context.scene
    arm = body("arm")
    hinge = joint("hinge", (0, 0, 0), None, arm, "REVOLUTE")
    hinge.parent = arm
    hinge.ves.use_upper_limit[0], hinge.ves.upper_limit[0] = True, 0.5
    select(hinge)
    assert shown_limits(bpy.context)
    scene.frame_set(scene.frame_start + 3)
    assert shown_limits(bpy.context) == []
