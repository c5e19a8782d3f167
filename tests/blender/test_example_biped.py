# SPDX-License-Identifier: GPL-3.0-or-later
"""The biped of Add > Erector Set > Examples: ready for Bake and Play as it is, whatever its size and place."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from virtual_erector_set.scene.quantities.quantities import quantities_of

from tests.blender.linkages import world_matrices
from tests.blender.playing import Driver

FRAMES = 72


def add(scale: float = 1.0) -> tuple[bpy.types.Object, bpy.types.Object]:
    """(trunk, platform)."""
    scene = bpy.context.scene
    scene.frame_end = FRAMES
    assert bpy.ops.ves.add_example(kind="BIPED", scale=scale) == {"FINISHED"}
    assert bpy.context.active_object.name == "Trunk"
    return bpy.context.active_object, scene.objects["Platform"]


def tilts(matrices: np.ndarray) -> np.ndarray:
    """(F,) rad: between Z and the vertical."""
    return np.arccos(np.clip(matrices[:, 2, 2], -1.0, 1.0))


def test_check_finds_nothing() -> None:
    add()
    bpy.ops.ves.check()
    assert not [finding.text for finding in bpy.context.scene.ves.findings if finding.severity != "INFO"]


@pytest.mark.parametrize(("scale", "cursor"), [(1.0, (0.0, 0.0, 0.0)), (3.0, (4.0, -2.0, 1.0))])
def test_it_keeps_standing_on_the_platform(scale: float, cursor: tuple[float, float, float]) -> None:
    bpy.context.scene.cursor.location = cursor
    trunk, platform = add(scale)
    assert bpy.ops.ves.bake() == {"FINISHED"}
    frames = range(1, FRAMES + 1)
    body, floor = (np.array(world_matrices(ob, frames)) for ob in (trunk, platform))
    assert np.ptp(floor[:, 0, 3]) > 0.05 * scale, "it shifts"
    assert tilts(floor).max() > 0.03, "and tilts"
    assert tilts(body).max() < 0.1
    soles = [world_matrices(bpy.context.scene.objects[f"{side} Foot"], frames) for side in ("Left", "Right")]
    feet = np.mean([np.array(sole)[:, :3, 3] for sole in soles], axis=0)
    over = body[:, :3, 3] - feet
    assert np.abs(over - over[0]).max() < 0.08 * scale
    for sole in np.array(soles):
        in_platform = np.einsum("fji,fj->fi", floor[:, :3, :3], sole[:, :3, 3] - floor[:, :3, 3])
        assert np.abs(in_platform - in_platform[0]).max() < 2e-3 * scale, "feet stay where they are"


def test_inspect_shows_what_is_asked_of_the_ground_and_what_the_feet_get() -> None:
    add()
    bpy.ops.ves.bake()
    scene = bpy.context.scene
    record, found = quantities_of(scene.objects["Balance Trunk"], scene)
    values = {quantity.label: quantity.values for quantity in found}
    assert record.frames == FRAMES
    weight = 9.81 * sum(ob.ves.mass for ob in scene.objects if ob.ves.role == "BODY" and ob.ves.motion == "DYNAMIC")
    assert values["Force XYZ"][1:, 2].mean() == pytest.approx(weight, rel=0.05)
    assert np.abs(values["Asked Force XYZ"] - values["Force XYZ"])[2:].mean() < 0.05 * weight
    assert values["Asked Moment"].shape == values["Moment"].shape == (FRAMES, 1)
    assert np.ptp(values["Force XYZ"][2:, 0]) > 0.02 * weight


def test_pulled_hard_enough_it_falls_and_lies() -> None:
    trunk, _ = add()
    trunk.select_set(True)
    bpy.context.view_layer.objects.active = trunk
    bpy.ops.ves.add_force(type="MOTOR")
    push = bpy.context.active_object.ves
    push.force = 0.0, 900.0, 0.0
    for frame, is_on in ((1, False), (12, True), (16, False)):
        push.enabled = is_on
        push.keyframe_insert("enabled", frame=frame)
    assert bpy.ops.ves.bake() == {"FINISHED"}
    last = world_matrices(trunk, [FRAMES])
    assert tilts(last)[0] > 1.0
    assert last[0, 2, 3] < 1.0


def test_a_hand_pulls_it_in_play_and_it_comes_back() -> None:
    """With a hand's own spring, which Play chooses; what was kept shows in Inspect as after a bake."""
    trunk, _ = add()
    driver = Driver()
    driver.go_on(4)
    place = trunk.matrix_world.translation.copy()
    driver.play.grab(trunk, place)
    driver.play.drag((place.x + 0.05, place.y, place.z))
    driver.go_on(12)
    pulled = trunk.matrix_world.translation.x - place.x
    driver.play.let_go()
    driver.go_on(48)
    driver.keep()
    scene = bpy.context.scene
    assert pulled > 0.01, "it gave way"
    last = world_matrices(trunk, [60])
    assert tilts(last)[0] < 0.1, "and stands"
    record, found = quantities_of(scene.objects["Balance Trunk"], scene)
    values = {quantity.label: quantity.values for quantity in found}
    assert values["Asked Force"][60, 0] == pytest.approx(values["Force"][60, 0], rel=0.05)
    assert record.frames > 60
