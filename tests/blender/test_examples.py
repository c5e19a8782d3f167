# SPDX-License-Identifier: GPL-3.0-or-later
"""The examples: built through the operators, baked, and measured on what Blender shows."""

import bpy
import pytest

from examples import trailing_cans
from examples.measure import measure


@pytest.fixture(params=[48, pytest.param(trailing_cans.FRAMES, marks=pytest.mark.slow)])
def cans_behind_a_car(request: pytest.FixtureRequest) -> bpy.types.Scene:
    trailing_cans.build(request.param)
    return bpy.context.scene


def test_trailing_cans(cans_behind_a_car: bpy.types.Scene) -> None:
    scene = cans_behind_a_car
    roles = [ob.ves.role for ob in scene.objects]
    assert (roles.count("BODY"), roles.count("JOINT"), roles.count("FORCE")) == (17, 16, 8)
    bpy.ops.ves.check()
    assert not [finding.text for finding in scene.ves.findings]
    assert bpy.ops.ves.bake() == {"FINISHED"}
    measured = measure(scene)
    assert measured.joint_gap < 1e-5
    assert measured.lowest > 0.3
    assert not measured.collisions


def test_cans_trail_behind_and_swing_out_in_the_bends() -> None:
    trailing_cans.build()
    bpy.ops.ves.bake()
    scene = bpy.context.scene
    car, last_can = bpy.data.objects["Car"], bpy.data.objects["Can Left 4"]

    def place_seen_from_the_car(frame: int) -> tuple[float, float, float]:
        scene.frame_set(frame)
        return tuple(car.matrix_world.inverted() @ last_can.matrix_world.translation)

    at_rest = place_seen_from_the_car(1)
    driving = place_seen_from_the_car(40)
    assert driving[0] < at_rest[0] - 0.3
    assert driving[2] > at_rest[2] + 0.1
    left_bend = min(place_seen_from_the_car(frame)[1] for frame in range(30, 66))
    right_bend = max(place_seen_from_the_car(frame)[1] for frame in range(60, 105))
    assert left_bend < at_rest[1] - 0.2 < at_rest[1] + 0.2 < right_bend
