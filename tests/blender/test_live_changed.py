# SPDX-License-Identifier: GPL-3.0-or-later
"""Live bodies and drives that a person changes: another rotation mode, name or parent, constraints and keyframes."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from virtual_erector_set.scene.live import live as live_of
from virtual_erector_set.scene.live.live import moved_by

from tests.blender.making import empty, select
from tests.blender.test_live import bits, driven, end_of, four_bar, is_closed, make_live


def turn(joint: bpy.types.Object, angle: float) -> None:
    joint.ves.drive_angle = angle
    bpy.context.view_layer.update()


def cranked() -> dict[str, bpy.types.Object]:
    """A live four-bar whose crank leads."""
    made = four_bar()
    made["A"].ves.is_drive = True
    make_live()
    turn(made["A"], 0.6)
    return made


@pytest.mark.parametrize("mode", ["QUATERNION", "AXIS_ANGLE", "ZXY"])
def test_end_live_puts_back_what_has_another_rotation_mode_by_now(mode: str) -> None:
    made = four_bar()
    placed = {name: np.array(made[name].matrix_world) for name in ("crank", "coupler", "rocker")}
    made["A"].ves.is_drive = True
    make_live()
    turn(made["A"], 0.6)
    made["coupler"].rotation_mode = mode
    turn(made["A"], 0.9)
    assert is_closed(made)
    bpy.ops.ves.end_live()
    for name, matrix in placed.items():
        np.testing.assert_allclose(made[name].matrix_world, matrix, atol=1e-6)
    assert made["coupler"].rotation_mode == mode


@pytest.mark.parametrize("mode", ["QUATERNION", "AXIS_ANGLE", "ZXY"])
def test_keys_are_made_in_the_rotation_mode_of_by_now(mode: str) -> None:
    made, scene = driven(0.4), bpy.context.scene
    made["coupler"].rotation_mode = mode
    scene.frame_set(20)
    assert is_closed(made)
    scene.frame_start, scene.frame_end = 1, 30
    assert bpy.ops.ves.live_to_keys() == {"FINISHED"}
    for frame in (3, 20):
        scene.frame_set(frame)
        assert is_closed(made)


def test_what_is_renamed_follows_on_in_a_file_that_is_opened_anew(tmp_path) -> None:
    made, scene = driven(), bpy.context.scene
    scene.frame_set(31)
    shown = bits()
    for name in ("coupler", "A"):
        made[name].name = f"other {name}"
    select(made["coupler"])
    bpy.ops.object.duplicate()  # a copy takes no part
    path = str(tmp_path / "live.blend")
    scene.frame_set(17)
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    scene, objects = bpy.context.scene, bpy.data.objects
    objects.remove(objects["other coupler.001"])
    scene.frame_set(31)
    assert bits() == b"".join(sorted_bits(shown))
    assert moved_by(scene, objects["other A"]) == ["crank", "coupler", "rocker"]
    bpy.context.view_layer.objects.active = objects["other coupler"]
    assert bpy.ops.ves.draw_path(point="ORIGIN") == {"FINISHED"}
    bpy.ops.ves.end_live()
    assert not any(ob.ves.live_name for ob in scene.objects)


def sorted_bits(shown: bytes) -> list[bytes]:
    """Bits of crank, coupler and rocker, in the order in which Blender lists them by their names now."""
    size = len(shown) // 3
    parts = dict(zip(("crank", "coupler", "rocker"), (shown[i : i + size] for i in (0, size, 2 * size)), strict=True))
    names = [ob.name.removeprefix("other ") for ob in bpy.context.scene.objects if ob.ves.is_live]
    return [parts[name] for name in names]


def test_a_live_body_that_gets_a_parent_or_a_delta_stays_in_its_linkage() -> None:
    made = cranked()
    carrier = empty("carrier")
    carrier.location, carrier.rotation_euler.z = (0.3, 0.2, 0.0), 0.5
    made["coupler"].parent = carrier
    turn(made["A"], 0.8)
    assert is_closed(made)
    made["rocker"].delta_location.x = 0.4
    turn(made["A"], 0.9)
    assert is_closed(made)
    made["rocker"].delta_location.x = 0.0
    bpy.ops.ves.end_live()
    assert is_closed(made)
    assert made["coupler"].parent == carrier
    make_live()
    made["coupler"].parent = None
    turn(made["A"], 1.0)
    assert is_closed(made)


@pytest.mark.parametrize("forgets", [False, True])
def test_what_wins_over_live_since_is_named_and_no_more_when_it_is_gone(forgets: bool) -> None:
    made, settings = cranked(), bpy.context.scene.ves
    before = end_of(made["coupler"])
    constraint = made["coupler"].constraints.new("LIMIT_LOCATION")
    constraint.use_max_x, constraint.max_x = True, 0.0
    bpy.context.view_layer.update()
    if forgets:
        live_of.forget()
    bpy.context.scene.frame_set(3)
    assert not np.allclose(end_of(made["coupler"]), before)
    assert settings.live_status.startswith("coupler: has constraints (Limit Location)")
    constraint.mute = True
    bpy.context.view_layer.update()
    assert settings.live_status == ""
    assert is_closed(made)
    made["rocker"].keyframe_insert("location", frame=1)
    turn(made["A"], 0.2)
    assert settings.live_status.startswith("rocker: has keyframes or drivers")


@pytest.mark.parametrize("frame", [1, 20])
def test_a_leader_that_is_elsewhere_by_now_is_named(frame: int, capfd: pytest.CaptureFixture) -> None:
    made = four_bar("KEYED")
    for at, x in ((1, made["crank"].location.x), (48, 9.0)):
        made["crank"].location.x = x
        made["crank"].keyframe_insert("location", frame=at)
    bpy.context.scene.frame_set(frame)
    make_live()
    assert ("crank: leads, and moves: parts are joined as they stand at frame 20" in capfd.readouterr().out) == (
        frame == 20
    )
