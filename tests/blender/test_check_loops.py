# SPDX-License-Identifier: GPL-3.0-or-later
"""Check finds loops that have no slack, and those that cannot follow what is keyed, before they are baked."""

from __future__ import annotations

import math
import time

import bpy
import pytest

from tests.blender.linkages import baked_result, body, joint
from tests.blender.test_check import findings

Y_AXIS = (0.5 * math.pi, 0.0, 0.0)  # turns an Empty's Z to the world's -Y


def hinge(name: str, position, parent, child, turn=Y_AXIS) -> bpy.types.Object:
    made = joint(name, position, parent, child, "REVOLUTE")
    made.rotation_euler = turn
    return made


def bridge(slack: float = 0.0) -> list[bpy.types.Object]:
    """Twelve planks between two poles, hinged about Y, each 0.5 m; in a V with some slack (m)."""
    count, half = 12, 3.0
    sag = math.sqrt(half**2 - (half - 0.5 * slack) ** 2)
    ends = [(-half + 0.5 * slack) + (2.0 * half - slack) * k / count for k in range(count + 1)]
    heights = [-sag * (1.0 - abs(2.0 * k / count - 1.0)) for k in range(count + 1)]
    poles = [body(name, (x, 0, 0), (0.1, 1, 4), "FIXED") for name, x in (("Left", -3.1), ("Right", 3.1))]
    planks = []
    for k in range(count):
        middle = 0.5 * (ends[k] + ends[k + 1]), 0.0, 0.5 * (heights[k] + heights[k + 1])
        plank = body(f"Plank {k}", middle, (0.45, 1, 0.05))
        plank.rotation_euler.y = -math.atan2(heights[k + 1] - heights[k], ends[k + 1] - ends[k])
        planks.append(plank)
    chain = [poles[0], *planks, poles[1]]
    for k in range(count + 1):
        hinge(f"hinge {k}", (ends[k], 0, heights[k]), chain[k], chain[k + 1])
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, 13
    bpy.context.view_layer.update()
    return planks


def four_bar(turn) -> bpy.types.Object:
    """A keyed crank that turns about Y, a coupler and a rocker; the hinges' own rotation is `turn`."""
    crank = body("Crank", (0, 0, 0.5), (0.1, 0.1, 1.0), "KEYED")
    coupler = body("Coupler", (1.5, 0, 1.5), (3.16, 0.1, 0.1))
    coupler.rotation_euler.y = -math.atan2(1.0, 3.0)
    rocker = body("Rocker", (3, 0, 1), (0.1, 0.1, 2.0))
    hinge("near", (0, 0, 1), crank, coupler, turn)
    hinge("far", (3, 0, 2), coupler, rocker, turn)
    hinge("foot", (3, 0, 0), None, rocker, turn)
    scene = bpy.context.scene
    for frame, angle in ((1, 0.0), (30, 1.0)):
        crank.rotation_euler.y = angle
        crank.location = 0.5 * math.sin(angle), 0, 0.5 * math.cos(angle)
        crank.keyframe_insert("rotation_euler", frame=frame)
        crank.keyframe_insert("location", frame=frame)
    scene.frame_start, scene.frame_end = 1, 30
    scene.frame_set(1)
    return crank


def test_a_bridge_without_slack_is_found_and_baked() -> None:
    planks = bridge()
    findings()  # imports what it needs
    begun = time.perf_counter()
    found = findings()
    assert time.perf_counter() - begun < 5.0, "less than a second on a machine of one's own"
    (only,) = [text for severity, _, text in found if severity == "WARNING"]
    assert "hinge 0" in only
    assert "no slack" in only
    assert "0.002 m" in only
    result = baked_result()
    assert any("no slack" in str(finding) for finding in result.warnings)
    assert max(abs(plank.matrix_world.translation.z) for plank in planks) < 0.01


def test_a_bridge_with_two_millimetres_of_slack_is_right() -> None:
    bridge(0.002)
    assert findings() == []


@pytest.mark.parametrize(("turn", "axis"), [((0, 0, 0), "Y"), ((0, 0.5 * math.pi, 0), "Y"), (Y_AXIS, None)])
def test_hinges_about_the_wrong_axis_are_found(turn, axis) -> None:
    four_bar(turn)
    warnings = [text for severity, _, text in findings() if severity == "WARNING"]
    if axis is None:
        assert not warnings
        return
    (only,) = warnings
    assert "cannot follow what is keyed" in only
    assert f"turn the axes of its hinges to {axis}" in only
    assert bpy.context.scene.frame_current == 1


def cranks_on_a_rod(off: float) -> None:
    """Four equal cranks, each with its pin off along the rod by another part of `off` (m)."""
    rod = body("Rod", (1.8, 0, 1), (3.2, 0.05, 0.05))
    for k in range(4):
        pin = k + 0.3 + off * (k % 3 - 0.7)
        crank = body(f"Crank {k}", (0.5 * (k + pin), 0, 0.5), (0.05, 0.05, 1.0))
        crank.rotation_euler.y = math.atan2(pin - k, 1.0)
        hinge(f"foot {k}", (k, 0, 0), None, crank)
        hinge(f"pin {k}", (pin, 0, 1), crank, rod)
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, 3
    bpy.context.view_layer.update()


def test_cranks_that_lock_each_other_are_found() -> None:
    cranks_on_a_rod(1e-2)
    (only,) = [text for severity, _, text in findings() if severity == "WARNING"]
    assert "a structure, of which nothing can move" in only
    assert any("a structure, of which nothing can move" in str(finding) for finding in baked_result().warnings)


def test_cranks_that_are_put_in_line_are_named() -> None:
    cranks_on_a_rod(2e-4)
    (only,) = findings()
    assert only[0] != "WARNING"
    assert "lined up: " in only[2]


def test_cranks_that_are_drawn_right_are_fine() -> None:
    cranks_on_a_rod(0.0)
    assert findings() == []
