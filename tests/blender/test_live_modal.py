# SPDX-License-Identifier: GPL-3.0-or-later
"""Make Live and Live to Keys beside the window's own work: progress, Esc, and everything as before."""

from __future__ import annotations

import time

import bpy
import pytest
from virtual_erector_set.operators import modal
from virtual_erector_set.operators.kinematics.live import VES_OT_live_to_keys, VES_OT_make_live
from virtual_erector_set.scene.live import live

from tests.blender.linkages import scene_state
from tests.blender.making import select
from tests.blender.test_live import bits, driven, four_bar
from tests.blender.windowless import Window, assert_tidy, not_in_background, send, stand_in, start


@pytest.fixture
def window(monkeypatch):
    with not_in_background(monkeypatch) as window:
        yield window


def never_done(_stored):
    """Work for a thread that goes on until nobody wants it any more."""
    while True:
        time.sleep(0.005)
        yield


def to_the_end(operator, window: Window) -> list[float]:
    seen = []
    while (answer := send(operator, window, "TIMER")) == {"PASS_THROUGH"}:
        assert "Esc: Cancel" in window.status
        seen.append(bpy.context.scene.ves.progress)
    assert answer == {"FINISHED"}
    assert_tidy(window)
    return seen


def live_settings() -> tuple[str, ...]:
    settings = bpy.context.scene.ves
    return settings.live_linkages, settings.live_stamp, settings.live_mobility


def test_ticks_make_a_linkage_live_and_then_keys_of_it(window) -> None:
    made = four_bar()
    made["A"].ves.is_drive = True
    select()
    to_the_end(start(stand_in(VES_OT_make_live), window), window)
    scene = bpy.context.scene
    assert scene.ves.live_stamp
    made["A"].ves.drive_angle = 1.0
    seen = to_the_end(start(stand_in(VES_OT_live_to_keys), window), window)
    assert seen == sorted(seen)
    assert not scene.ves.live_stamp
    assert all(made[name].ves.is_baked for name in ("crank", "coupler", "rocker"))


def test_esc_while_a_linkage_is_made_live_leaves_the_scene_as_it_was(window, monkeypatch) -> None:
    monkeypatch.setattr(live, "_built", never_done)
    four_bar()
    select()
    before = scene_state()
    operator = start(stand_in(VES_OT_make_live), window)
    assert send(operator, window, "TIMER") == {"PASS_THROUGH"}
    assert send(operator, window, "ESC") == {"CANCELLED"}
    assert_tidy(window)
    assert scene_state() == before
    assert live_settings() == ("", "", "")


@pytest.mark.parametrize("kind", [VES_OT_make_live, VES_OT_live_to_keys])
@pytest.mark.parametrize("ticks", [0, 1])
def test_esc_leaves_what_was_live_live(window, kind: type, ticks: int, monkeypatch) -> None:
    monkeypatch.setattr(modal, "BUDGET", 0.0)  # one piece of work at a tick
    driven()
    monkeypatch.setattr(live, "_built", never_done)
    scene = bpy.context.scene
    scene.frame_set(20)
    before = bits(), live_settings(), scene_state()
    operator = start(stand_in(kind), window)
    for _ in range(ticks):
        assert send(operator, window, "TIMER") == {"PASS_THROUGH"}
    assert send(operator, window, "ESC") == {"CANCELLED"}
    bpy.context.view_layer.update()
    assert (bits(), live_settings(), scene_state()) == before
    assert_tidy(window)


def test_esc_at_the_last_moment_of_live_to_keys_leaves_it_live(window, monkeypatch) -> None:
    monkeypatch.setattr(modal, "BUDGET", 0.0)
    driven()
    before = bits(), live_settings(), scene_state()
    operator = start(stand_in(VES_OT_live_to_keys), window)
    while bpy.context.scene.ves.live_status != "Writing keyframes":
        send(operator, window, "TIMER")
    assert send(operator, window, "ESC") == {"CANCELLED"}
    assert (bits(), live_settings(), scene_state()) == before
