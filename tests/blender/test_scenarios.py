# SPDX-License-Identifier: GPL-3.0-or-later
"""The small scenes after the scenarios of the thesis: baked, and measured on what Blender shows."""

from __future__ import annotations

import math

import bpy
import numpy as np
import pytest
from mathutils import Vector

from examples import scenarios
from tests.blender.baked_examples import DEEP, ROUNDING, shown
from tests.blender.inspecting import values
from tests.blender.making import with_role
from tests.blender.versions import once

pytestmark = once
GRAVITY = 9.81


def baked(name: str) -> bpy.types.Scene:
    """Build a scene and bake all of it; Check is content."""
    scenarios.build(name)
    scene = bpy.context.scene
    bpy.ops.ves.check()
    assert not [finding.text for finding in scene.ves.findings]
    assert bpy.ops.ves.bake() == {"FINISHED"}
    return scene


def track(scene: bpy.types.Scene, name: str, point: tuple[float, ...] = (0.0, 0.0, 0.0)) -> np.ndarray:
    """Places (F, 3) of an object's point at all frames."""
    return np.array([shown(scene, frame, name, point) for frame in range(1, scene.frame_end + 1)])


def test_the_corner_stops_the_arm_and_its_torque_is_what_is_left_of_the_way() -> None:
    scene = baked("corner")
    x, z = scenarios.CORNER_PLACE[0], scenarios.CORNER_PLACE[1] - 0.3
    touching = math.atan2(z, x) - math.asin(scenarios.CORNER_RADIUS / math.hypot(x, z))
    tip = track(scene, "Arm", (scenarios.CORNER_ARM, 0.0, 0.0)) - (0.0, 0.0, 0.3)
    angle = np.arctan2(tip[:, 2], tip[:, 0])
    assert angle.max() < touching + 0.02, "the corner is not passed"
    assert angle[-1] == pytest.approx(touching, abs=DEEP / math.hypot(x, z))
    torque = np.abs(np.ravel(values(scene.objects["Shoulder"])["Drive Torque"]))
    left = scenarios.CORNER_TARGET - angle[-1]
    assert torque[-1] == pytest.approx(scenarios.CORNER_STIFFNESS * left, rel=1e-3)
    weight = 1.0 * GRAVITY * 0.5 * scenarios.CORNER_ARM * math.cos(angle[-1])
    assert torque[-1] > 10.0 * weight, "dangerously large"
    before = np.flatnonzero(angle < touching - 0.02)[-1]
    assert torque[before] < 0.5 * torque[-1], "it is the corner that makes it so"


def test_the_tool_flies_freely_until_the_hand_takes_it_and_then_holds() -> None:
    scene = baked("tool")
    tool, hand = track(scene, "Tool"), track(scene, "Hand")
    apart = np.linalg.norm(tool - hand, axis=1)
    time = np.arange(scene.frame_end) / scene.render.fps
    velocity = np.array(scene.objects["Tool"].ves.linear_velocity)
    first = int(np.argmax(apart < scenarios.TOOL_WITHIN))
    assert 8 <= first <= 13
    middle = track(scene, "Tool", (0.0, 0.0, -0.1))  # its centre of mass, which alone falls on a parabola
    omega = np.array([0.0, scenarios.TOOL_SPIN, 0.0])
    start = middle[0]
    thrown = velocity + np.cross(omega, start - tool[0])
    free = start + np.outer(time, thrown) - 0.5 * GRAVITY * np.outer(time**2, (0.0, 0.0, 1.0))
    assert np.abs(middle - free)[: first - 1].max() < 1e-4
    taken = first + 12
    assert apart[taken:].max() < ROUNDING, "it holds"
    assert np.linalg.norm(hand[-1] - hand[taken]) > 0.3, "while the hand carries it off"


def test_the_ball_leaves_the_arm_with_its_speed_flies_a_parabola_and_knocks_the_can_off() -> None:
    scene = baked("throw")
    ball, can = track(scene, "Ball"), track(scene, "Can")
    released, fps = scenarios.THROW_FRAMES + scenarios.THROW_EVEN, scene.render.fps
    hit = int(np.argmax(np.linalg.norm(can - can[0], axis=1) > 1e-3))
    flight = ball[released : hit - 1]
    assert len(flight) > 12
    bend = np.diff(flight, 2, axis=0) * fps**2
    assert np.abs(bend - (0.0, 0.0, -GRAVITY)).max() < 0.02
    speed = (flight[1] - flight[0]) * fps + (0.0, 0.0, 0.5 * GRAVITY / fps)
    reach, way = scenarios.THROW_REACH * scenarios.THROW_SPEED, scenarios.THROW_RELEASE
    assert speed == pytest.approx((reach * math.sin(way), 0.0, reach * math.cos(way)), abs=0.03 * reach)
    assert np.linalg.norm(can[: hit - 1] - can[0], axis=1).max() < 1e-3, "it stands until it is hit"
    assert np.linalg.norm((can[-1] - can[0])[:2]) > 0.3, "and is off the pedestal"
    assert can[hit:, 2].min() < scenarios.THROW_TARGET - 0.1, "and lower than its top; it still tumbles"


@pytest.mark.parametrize(("force", "is_held"), [(scenarios.GRIP_FORCE, True), (4.0, False)])
def test_the_grip_holds_the_brick_without_a_slip_if_it_is_strong_enough(force: float, is_held: bool) -> None:
    """Two fingers bear 2 mu F; a brick of 1 kg needs F = 8.2 N at a friction of 0.6."""
    scenarios.build("grip")
    scene = bpy.context.scene
    slider = scene.objects["Slider Right"]
    slider.ves.motor_value[0] = -force
    assert bpy.ops.ves.bake() == {"FINISHED"}
    brick, finger, palm = (track(scene, name) for name in ("Brick", "Finger Left", "Palm"))
    held = slice(scenarios.GRIP_CLOSED, None)
    slipped = np.linalg.norm((brick - finger)[held] - (brick - finger)[scenarios.GRIP_CLOSED], axis=1).max()
    assert palm[-1][2] == pytest.approx(0.52, abs=1e-3)
    if is_held:
        assert slipped < DEEP
        assert brick[-1][2] > 0.3
    else:
        assert brick[-1][2] < 0.06, "it stays on the floor"


def test_the_cart_is_taken_by_its_hitch_and_follows_the_car_into_the_bend() -> None:
    scene = baked("car")
    tie = with_role("POINT_TO_POINT")[0]
    ends = []
    for frame in range(1, scene.frame_end + 1):
        scene.frame_set(frame)
        ends.append([np.array(each.matrix_world.translation) for each in (tie, tie.ves.anchor_b)])
    apart = np.linalg.norm(np.diff(np.array(ends), axis=1)[:, 0], axis=1)
    first = int(np.argmax(apart < scenarios.CAR_WITHIN))
    cart, fps = track(scene, "Cart"), scene.render.fps
    assert np.diff(cart[:first], axis=0)[:, 0] * fps == pytest.approx(scenarios.CAR_FASTER, abs=1e-3), "it rolls freely"
    assert 12 <= first <= 22
    assert (np.diff(apart[first : first + 10]) < ROUNDING).all(), "drawn together without overshoot"
    assert apart[first + 30 :].max() < ROUNDING
    pulled = (cart[-1] - cart[-13]) * fps / 12.0
    car = track(scene, "Car")
    driven = (car[-1] - car[-13]) * fps / 12.0
    assert np.linalg.norm(pulled) == pytest.approx(np.linalg.norm(driven), rel=0.1)
    assert cart[-1][1] > 0.05, "round the bend"


def test_the_rubbers_of_the_sticks_bear_the_plate_that_lies_on_them() -> None:
    """Their pulls, from what is shown, add up to the weight of plate and sticks."""
    scene = baked("plate")
    scene.frame_set(scene.frame_end)
    plate = scene.objects["Plate"]
    total = 0.0
    for rubber in with_role("FORCE"):
        start = rubber.matrix_world.translation
        way = rubber.ves.body_b.matrix_world @ Vector(rubber.ves.point_b) - start
        total += max(0.0, rubber.ves.spring_stiffness * (way.length - scenarios.STICK_REST)) * way.z / way.length
    weight = GRAVITY * (scenarios.PLATE_MASS + len(scenarios.STICKS) * scenarios.STICK_MASS)
    assert total == pytest.approx(weight, rel=0.02)
    for number in range(len(scenarios.STICKS)):
        stick = scene.objects[f"Stick {number + 1}"].matrix_world.translation
        over = (plate.matrix_world.inverted() @ stick).z
        assert over == pytest.approx(-(0.01 + 0.015), abs=DEEP), "it touches the plate"
    assert abs(plate.matrix_world.translation.x) < 0.01
