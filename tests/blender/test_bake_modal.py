# SPDX-License-Identifier: GPL-3.0-or-later
"""Bake beside the window's own work: ticks, Esc, errors. The window is a stand-in; `tests/gui` has a real one."""

from __future__ import annotations

import time

import bpy
import numpy as np
import pytest
from virtual_erector_set.operators.bake import VES_OT_bake
from virtual_erector_set.operators.modal import InSteps
from virtual_erector_set.scene.bake.bake import bake

from tests.blender.linkages import body, chain
from tests.blender.making import select
from tests.blender.storms import cancels
from tests.blender.storms.cancels import state_of_all
from tests.blender.versions import oldest_and_newest
from tests.blender.windowless import Window, assert_tidy, not_in_background, send, stand_in, start


@pytest.fixture
def window(monkeypatch):
    with not_in_background(monkeypatch) as window:
        yield window


def start_bake(window: Window) -> InSteps:
    return start(stand_in(VES_OT_bake), window)


def test_ticks_bake_to_the_end(window):
    rods = chain(3)
    operator = start_bake(window)
    seen = []
    while (answer := send(operator, window, "TIMER")) == {"PASS_THROUGH"}:
        assert "Esc: Cancel" in window.status
        seen.append(bpy.context.scene.ves.progress)
        assert not rods[0].ves.is_baked or seen[-1] == 1.0
    assert answer == {"FINISHED"}
    assert seen == sorted(seen)
    assert all(rod.ves.is_baked for rod in rods)
    assert bpy.context.scene.ves.status.startswith("Baked 3 bodies")
    assert_tidy(window)


def test_other_events_pass_through_untouched(window):
    chain(3)
    operator = start_bake(window)
    progress = bpy.context.scene.ves.progress
    for kind in ("MOUSEMOVE", "MIDDLEMOUSE", "A"):
        assert send(operator, window, kind) == {"PASS_THROUGH"}
    assert bpy.context.scene.ves.progress == progress
    operator.cancel(window.context)
    assert_tidy(window)


@pytest.mark.parametrize("ticks", [0, 1, 3])
@pytest.mark.parametrize("way", ["ESC", "button"])
def test_cancelling_leaves_the_scene_as_it_was(window, ticks, way):
    rods = chain(30, 200)
    scene = bpy.context.scene
    scene.ves.status = "from before"
    scene.frame_set(9)
    operator = start_bake(window)
    for _ in range(ticks):
        assert send(operator, window, "TIMER") == {"PASS_THROUGH"}
    if way == "button":
        operator.request_cancel()
    assert send(operator, window, "ESC" if way == "ESC" else "TIMER") == {"CANCELLED"}
    assert scene.frame_current == 9
    assert not any(rod.ves.is_baked or rod.animation_data for rod in rods)
    assert len(bpy.data.actions) == 0
    assert scene.ves.status == ""
    assert_tidy(window)


@pytest.mark.parametrize("earlier", ["nothing", "own animation", "a bake", "a bake over own animation"])
def test_cancelling_at_any_step_leaves_the_scene_as_it_was(earlier):
    """At each `yield` of the bake, the last looks at its result included."""
    rods = chain(2, 6)
    scene, view_layer = bpy.context.scene, bpy.context.view_layer
    if "own" in earlier:
        rods[0].keyframe_insert("location", frame=1)
        rods[1].rotation_mode = "QUATERNION"
        rods[1].constraints.new("LIMIT_SCALE").influence = 0.75
    if "bake" in earlier:
        bpy.ops.ves.bake()
        select(rods[0])
        bpy.ops.ves.plot(quantity="Velocity")
    scene.gravity.x = 3.0
    scene.frame_set(3)
    before, last, text = state_of_all(), 0, ""
    while True:
        last, generator = last + 1, bake(scene, view_layer)
        try:
            for _ in range(last):
                text = next(generator).text
        except StopIteration:
            break
        generator.close()
        assert state_of_all() == before, f"closed after {text}"
    assert text == "Looking at the result"
    assert all(rod.ves.is_baked for rod in rods)
    assert state_of_all() != before


@pytest.mark.parametrize("frame", [-1.5, -0.25, 4.75])
def test_the_fraction_of_the_frame_comes_back(frame):
    """Of a negative frame Blender tells it otherwise than it takes it."""
    chain(1, 6)
    scene = bpy.context.scene
    scene.frame_set(int(np.floor(frame)), subframe=frame % 1.0)
    before = scene.frame_current, scene.frame_subframe
    bpy.ops.ves.bake()
    assert (scene.frame_current, scene.frame_subframe) == before
    bpy.ops.ves.play(frames=2)
    bpy.ops.ves.clear_bake()
    assert (scene.frame_current, scene.frame_subframe) == before


@oldest_and_newest
def test_a_small_storm_of_cancels():
    """`python -m tests.blender.storms.cancels` makes more of them."""
    failed, phases = cancels.storm(count=60, seed=3)
    assert failed == []
    assert phases["Looking at the result"] > 0


def test_a_wrong_scene_is_reported(window):
    body("sheet").data.clear_geometry()
    operator = start_bake(window)
    while (answer := send(operator, window, "TIMER")) == {"PASS_THROUGH"}:
        pass
    assert answer == {"CANCELLED"}
    assert operator.reports[-1][0] == "ERROR"
    assert "sheet" in operator.reports[-1][1]
    assert [finding.culprit.name for finding in bpy.context.scene.ves.findings] == ["sheet"]
    assert_tidy(window)


def test_a_body_removed_meanwhile_ends_the_bake_with_a_word(window):
    rods = chain(20, 200)
    operator = start_bake(window)
    while bpy.context.scene.ves.progress < 0.2:
        send(operator, window, "TIMER")
    bpy.data.objects.remove(rods[3])
    while (answer := send(operator, window, "TIMER")) == {"PASS_THROUGH"}:
        pass
    assert answer == {"CANCELLED"}
    assert "removed" in operator.reports[-1][1]
    assert len(bpy.data.actions) == 0
    assert_tidy(window)


def test_ticks_are_short(window):
    """50 ms is the limit for a window that feels alive; the machine may be busy, so the median tick is judged."""
    chain(30, 500)
    bpy.ops.ves.bake()  # what is loaded once is loaded now
    operator = start_bake(window)
    taken = []
    while True:
        begun = time.perf_counter()
        answer = send(operator, window, "TIMER")
        taken.append(time.perf_counter() - begun)
        if answer != {"PASS_THROUGH"}:
            break
    assert len(taken) > 5
    assert sorted(taken)[len(taken) // 2] < 0.05
