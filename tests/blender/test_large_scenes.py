# SPDX-License-Identifier: GPL-3.0-or-later
"""Scenes of many bodies: nothing is done to each of them for each other one, and the window goes on meanwhile."""

from __future__ import annotations

import sys
import threading
import time
from types import FrameType

import bpy
import numpy as np
import pytest
from virtual_erector_set.scene.bake import bake as baking
from virtual_erector_set.scene.bake import write_keyframes
from virtual_erector_set.scene.bake.bake import bake, run_to_end

from tests.blender.linkages import body, chain


def loose(count: int, frames: int = 4) -> list[bpy.types.Object]:
    """Bodies that fall, each by itself."""
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, frames
    return [body(f"stone {i}", (2.0 * i, 0, 0)) for i in range(count)]


def lines_of_writing(count: int) -> int:
    """Lines of the module that writes keys which are run for so many bodies."""
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    loose(count)
    lines = 0

    def trace(frame: FrameType, event: str, _argument: object):
        nonlocal lines
        if frame.f_code.co_filename != write_keyframes.__file__:
            return None
        lines += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        bpy.ops.ves.bake()
    finally:
        sys.settrace(before)
    return lines


def test_writing_keys_takes_as_many_steps_as_there_are_bodies():
    """Each body was compared with all others, in case they hang on it: 127 of 205 s for 2,496 links."""
    few, many = (lines_of_writing(count) for count in (20, 80))
    assert few > 20
    assert many < 4.5 * few


def numbers_of(ob: bpy.types.Object) -> list[tuple]:
    """All keys with their handles, as they are stored."""
    found = []
    bag = ob.animation_data.action.layers[0].strips[0].channelbag(ob.animation_data.action_slot)
    for curve in bag.fcurves:
        for name in ("co", "handle_left", "handle_right"):
            numbers = np.empty(2 * len(curve.keyframe_points), np.float32)
            curve.keyframe_points.foreach_get(name, numbers)
            found.append(
                (curve.data_path, curve.array_index, name, str(curve.group and curve.group.name), numbers.tobytes())
            )
        kinds = [
            (key.interpolation, key.handle_left_type, key.handle_right_type, key.type) for key in curve.keyframe_points
        ]
        found.append((curve.data_path, curve.array_index, kinds))
    return found


def test_bodies_get_the_same_keys_together_as_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """In all rotation modes, with deltas, with a parent, with keys between frames, with curves of their own."""
    stones = loose(12, 30)
    modes = ("XYZ", "ZYX", "QUATERNION", "AXIS_ANGLE")
    for i, stone in enumerate(stones):
        stone.rotation_mode = modes[i % 4]
        stone.ves.angular_velocity = (3.0 * i, 2.0, -1.0 * i)
    stones[4].delta_rotation_euler = (0.3, 0.2, 0.1)
    stones[5].delta_location = (0.0, 1.0, 0.0)
    stones[8].parent = stones[0]
    stones[9].keyframe_insert("hide_render", frame=3)
    bpy.ops.ves.bake()
    together = [numbers_of(stone) for stone in stones]
    bpy.ops.ves.clear_bake()
    monkeypatch.setattr(write_keyframes, "AT_ONCE", 1)
    bpy.ops.ves.bake()
    assert [numbers_of(stone) for stone in stones] == together
    assert len({len(keys) for keys in together}) > 1


def test_clearing_looks_for_no_bones_of_what_has_none() -> None:
    """Each body was asked for its children, for which Blender looks through all objects."""
    loose(5)
    bpy.ops.ves.bake()
    asked: list[str] = []

    def profile(frame: FrameType, event: str, _argument: object) -> None:
        if event == "call" and frame.f_code.co_name == "children":
            asked.append(frame.f_code.co_filename)

    before = sys.getprofile()
    sys.setprofile(profile)
    try:
        assert bpy.ops.ves.clear_bake() == {"FINISHED"}
    finally:
        sys.setprofile(before)
    assert not asked


def test_no_copies_that_keys_were_made_from_are_left():
    loose(3)
    bpy.ops.ves.bake()
    assert sorted(action.name for action in bpy.data.actions) == [f"stone {i} Bake" for i in range(3)]


def test_forces_for_inspect_are_worked_out_beside_the_window(monkeypatch: pytest.MonkeyPatch) -> None:
    """For 1,000 bodies that took 2.7 s, in which the window and Esc stood still."""
    loose(1)
    threads, inspect = [], baking.inspect

    def slow(*arguments):
        threads.append(threading.current_thread())
        time.sleep(0.5)
        return inspect(*arguments)

    monkeypatch.setattr(baking, "inspect", slow)
    pauses = sum(progress.text.startswith("Computing forces") for progress in bake(*scene()))
    assert threads[0] is not threading.main_thread()
    assert pauses > 10


def test_the_solver_ends_when_nobody_waits_for_it():
    chain(8, 2000)
    steps = bake(*scene())
    for progress in steps:
        if progress.text.startswith("Simulating frame"):
            break
    workers = [each for each in threading.enumerate() if each.name == "run the solver"]
    assert len(workers) == 1
    steps.close()
    workers[0].join(20.0)
    assert not workers[0].is_alive()
    run_to_end(bake(*scene(), (1, 5)))


def scene() -> tuple[bpy.types.Scene, bpy.types.ViewLayer]:
    return bpy.context.scene, bpy.context.view_layer
