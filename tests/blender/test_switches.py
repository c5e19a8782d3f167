# SPDX-License-Identifier: GPL-3.0-or-later
"""Keyframes and drivers on Enabled become actions at the frames where they change something."""

from __future__ import annotations

import bpy
import pytest
from virtual_erector_set.scene.bake.bake import run_to_end
from virtual_erector_set.scene.read.reading import Reading
from virtual_erector_set.scene.read.scene import read_mechanism, read_over_time

from tests.blender.exchanging import export, import_file
from tests.blender.linkages import body, chain, part


def sampled() -> Reading:
    reading = run_to_end(read_over_time(bpy.context.scene, bpy.context.view_layer))
    assert reading.mechanism.problems() == []
    return reading


def actions() -> list[tuple[float, str, bool]]:
    return [(action.time, action.target, action.set["enabled"]) for action in sampled().mechanism.actions]


def switch(owner: bpy.types.Object, states: dict[float, bool]) -> None:
    for frame, is_on in states.items():
        owner.ves.enabled = is_on
        assert owner.keyframe_insert("ves.enabled", frame=frame)
    bpy.context.scene.frame_set(bpy.context.scene.frame_start)


def motor(name: str, owner: bpy.types.Object) -> bpy.types.Object:
    empty = part(name, "FORCE")
    empty.ves.force_type, empty.ves.body_a, empty.ves.force = "MOTOR", owner, (1, 0, 0)
    return empty


def scene_of(frames: tuple[int, int] = (10, 58)) -> bpy.types.Object:
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = frames
    bpy.context.scene.frame_set(frames[0])
    return body("a")


def test_a_motor_that_is_switched_on_and_off_again() -> None:
    switch(motor("jet", scene_of()), {10: False, 22: True, 46: False})
    reading = sampled()
    assert not reading.mechanism.forces[0].enabled
    assert actions() == [(pytest.approx(0.5), "jet", True), (pytest.approx(1.5), "jet", False)]


def test_keys_that_change_nothing_are_no_actions() -> None:
    switch(motor("jet", scene_of()), {10: True, 22: True, 46: True})
    assert sampled().mechanism.forces[0].enabled
    assert actions() == []


def test_a_key_between_two_frames_acts_at_its_own_time() -> None:
    switch(motor("jet", scene_of()), {10: True, 22.3: False})
    assert actions() == [(pytest.approx(12.3 / 24, abs=1e-6), "jet", False)]


def test_a_driver_switches_too() -> None:
    jet = motor("jet", scene_of())
    jet.driver_add("ves.enabled").driver.expression = "frame < 34"
    assert actions() == [(pytest.approx(1.0), "jet", False)]


def test_actions_of_several_parts_are_in_the_order_of_time() -> None:
    owner = scene_of()
    switch(motor("late", owner), {10: True, 40: False})
    switch(motor("soon", owner), {10: True, 20: False})
    assert [target for _, target, _ in actions()] == ["soon", "late"]


def test_a_nail_that_lets_go_and_a_tie_that_catches_later() -> None:
    """What is off at the start need not be closed, and what comes on later is there from the start."""
    a = scene_of()
    b = body("b", (5, 0, 0))
    nail = part("nail", "NAIL", (0, 0, 0.5))
    nail.ves.body_a = a
    switch(nail, {10: True, 34: False})
    tie = part("tie", "POINT_TO_POINT", (0.5, 0, 0))
    tie.ves.body_a, tie.ves.body_b, tie.ves.anchor_b = a, b, part("far end", "NONE", (4.5, 0, 0))
    tie.ves.anchor_b.parent, tie.ves.anchor_b.matrix_parent_inverse = b, b.matrix_world.inverted()
    switch(tie, {10: False, 22: True})
    reading = sampled()
    assert {part.name: part.enabled for part in reading.mechanism.constraints} == {"nail": True, "tie": False}
    assert [(action.target, action.set) for action in reading.mechanism.actions] == [
        ("tie", {"enabled": True}),
        ("nail", {"enabled": False}),
    ]


def test_what_is_on_at_the_start_must_be_closed() -> None:
    a, b = scene_of(), body("b", (5, 0, 0))
    tie = part("tie", "POINT_TO_POINT", (0.5, 0, 0))
    tie.ves.body_a, tie.ves.body_b, tie.ves.anchor_b = a, b, part("far end", "NONE", (4.5, 0, 0))
    switch(tie, {10: True, 22: False})
    assert read_mechanism(bpy.context.scene, bpy.context.view_layer.depsgraph).open != []


def test_a_joint_is_cut_and_made_again_and_one_is_made_later() -> None:
    chain(3, 25)
    first, second = bpy.data.objects["joint 1"], bpy.data.objects["joint 2"]
    switch(first, {1: True, 13: False, 19: True})
    switch(second, {1: False, 13: True})
    assert sorted(actions(), key=lambda each: each[:2]) == [
        (0.0, "joint 2", False),
        (pytest.approx(0.5), "joint 1", False),
        (pytest.approx(0.5), "joint 2", True),
        (pytest.approx(0.75), "joint 1", True),
    ]
    assert [(joint.name, joint.enabled) for joint in sampled().mechanism.joints] == [
        ("joint 0", True),
        ("joint 1", True),
        ("joint 2", False),
    ]


def test_actions_there_and_back_again(tmp_path) -> None:
    owner = scene_of((1, 49))
    switch(motor("jet", owner), {1: False, 13: True, 37.25: False})
    nail = part("nail", "NAIL")
    nail.ves.body_a = owner
    switch(nail, {1: True, 25: False})
    first = export(tmp_path / "first.json")
    import_file(tmp_path / "first.json", 49)
    assert len(bpy.context.scene.ves.recorded_actions) == 3
    assert not bpy.data.objects["jet"].ves.enabled
    second = export(tmp_path / "second.json")
    assert [action["time"] for action in first["actions"]] == pytest.approx([0.5, 1.0, 36.25 / 24], abs=1e-6)
    for one, other in zip(first["actions"], second["actions"], strict=True):
        assert one["time"] == pytest.approx(other["time"], abs=1e-6)
        assert (one["target"], one["set"]) == (other["target"], other["set"])
    assert [force["enabled"] for force in second["forces"]] == [False]
