# SPDX-License-Identifier: GPL-3.0-or-later
"""Snap Together beside the window's own work: ticks, Esc, one thing at a time."""

from __future__ import annotations

import bpy
import pytest
from virtual_erector_set.operators.modal import InSteps
from virtual_erector_set.operators.snap import VES_OT_snap_together

from tests.blender.linkages import body, scene_state
from tests.blender.loose import CLOSE, findings, gap, loose_joint, short_chain, tie
from tests.blender.windowless import Window, assert_tidy, not_in_background, send, stand_in, start


@pytest.fixture
def window(monkeypatch):
    with not_in_background(monkeypatch) as window:
        yield window


def start_snap(window: Window, mode: str = "INSTANT", frames: int = 24) -> InSteps:
    return start(stand_in(VES_OT_snap_together, mode=mode, frames=frames), window)


def scattered_chain(links: int = 30) -> list[bpy.types.Object]:
    last, end, joints = None, (0, 0, 0), []
    for i in range(links):
        link = body(f"link {i}", (1.2 * i + 0.7, 0.3 * (i % 3), -0.2 * (i % 5)), (1, 0.2, 0.2))
        x, y, z = link.location
        joints.append(loose_joint(f"hinge {i}", end, (x - 0.5, y, z), last, link))
        last, end = link, (x + 0.5, y, z)
    return joints


@pytest.mark.parametrize("mode", ["INSTANT", "ANIMATED"])
def test_ticks_bring_it_to_the_end(window, mode):
    joints = scattered_chain(8)
    operator = start_snap(window, mode)
    seen = []
    while (answer := send(operator, window, "TIMER")) == {"PASS_THROUGH"}:
        assert "Esc: Cancel" in window.status
        seen.append(bpy.context.scene.ves.progress)
    assert answer == {"FINISHED"}
    assert seen == sorted(seen)
    bpy.context.scene.frame_set(24 if mode == "ANIMATED" else 1)
    assert max(map(gap, joints)) < 2 * CLOSE
    assert "8 bodies" in bpy.context.scene.ves.snap_status
    assert_tidy(window)


@pytest.mark.parametrize("mode", ["INSTANT", "ANIMATED"])
@pytest.mark.parametrize(("way", "ticks"), [("ESC", 0), ("ESC", 2), ("button", 1)])
def test_cancelling_leaves_the_scene_as_it_was(window, mode, ticks, way):
    scattered_chain(60)
    scene = bpy.context.scene
    scene.ves.snap_status = "from before"
    before = scene_state()
    operator = start_snap(window, mode, 200)
    for _ in range(ticks):
        assert send(operator, window, "TIMER") == {"PASS_THROUGH"}
    if way == "button":
        operator.request_cancel()
    assert send(operator, window, "ESC" if way == "ESC" else "TIMER") == {"CANCELLED"}
    assert scene_state() == before
    assert scene.ves.snap_status == ""
    assert operator.reports[-1] == ("INFO", "Snap Together cancelled")
    assert_tidy(window)


def test_only_one_thing_is_under_way(window):
    scattered_chain(8)
    operator = start_snap(window)
    assert not bpy.ops.ves.bake.poll()
    assert not bpy.ops.ves.snap_together.poll()
    assert not bpy.ops.ves.cancel_bake.poll()
    assert bpy.ops.ves.cancel_snap() == {"FINISHED"}
    assert send(operator, window, "TIMER") == {"CANCELLED"}
    assert bpy.ops.ves.bake.poll()
    assert_tidy(window)


def test_what_is_wrong_is_reported(window):
    ball = body("ball")
    tie("goal", "POINT_TO_POINT", (0, 0, 0), ball, None, (1, 0, 0))
    ball.data.clear_geometry()
    operator = start_snap(window)
    while (answer := send(operator, window, "TIMER")) == {"PASS_THROUGH"}:
        pass
    assert answer == {"CANCELLED"}
    assert operator.reports[-1][0] == "ERROR"
    assert "ball" in operator.reports[-1][1]
    assert_tidy(window)


def test_what_stays_open_is_listed_from_a_window_too(window):
    short_chain()
    window.context.evaluated_depsgraph_get = bpy.context.evaluated_depsgraph_get
    operator = start_snap(window)
    while (answer := send(operator, window, "TIMER")) == {"PASS_THROUGH"}:
        pass
    assert answer == {"FINISHED"}
    assert findings()[0][:2] == ("ERROR", "Hook")
