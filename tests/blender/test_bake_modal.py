# SPDX-License-Identifier: GPL-3.0-or-later
"""Bake beside the window's own work: ticks, Esc, errors. The window is a stand-in; `tests/gui` has a real one."""

from __future__ import annotations

import time
from types import SimpleNamespace

import bpy
import pytest
from virtual_erector_set.operators import bake as bake_operator
from virtual_erector_set.operators import modal

from tests.blender.linkages import body, chain


class Window:
    """What the operator asks of a window: a timer, a status bar, progress; it notes what was done."""

    def __init__(self) -> None:
        self.timers, self.status, self.progress = [], None, None
        self.manager = SimpleNamespace(
            event_timer_add=lambda step, window: self.timers.append(step) or step,
            event_timer_remove=self.timers.remove,
            modal_handler_add=lambda operator: None,
            progress_begin=lambda low, high: self.show(low),
            progress_update=self.show,
            progress_end=lambda: self.show(None),
            windows=[],
        )
        workspace = SimpleNamespace(status_text_set=self.say)
        real = bpy.context
        self.context = SimpleNamespace(
            window=self,
            window_manager=self.manager,
            workspace=workspace,
            screen=SimpleNamespace(is_animation_playing=False),
            scene=real.scene,
            view_layer=real.view_layer,
            selected_objects=real.selected_objects,
        )

    def show(self, value) -> None:
        self.progress = value

    def say(self, text) -> None:
        self.status = text


class Operator(SimpleNamespace):
    """The operator's own methods on a plain object, since Blender makes real ones only for itself."""

    def __getattr__(self, name):
        value = getattr(bake_operator.VES_OT_bake, name)
        return value.__get__(self) if callable(value) else value

    def report(self, kind, text) -> None:
        self.reports.append((*kind, text))


@pytest.fixture
def window(monkeypatch):
    windowed = SimpleNamespace(app=SimpleNamespace(background=False), ops=bpy.ops)
    monkeypatch.setattr(modal, "bpy", windowed)
    yield Window()
    modal._running.clear()


def start(window: Window) -> Operator:
    operator = Operator(reports=[])
    assert operator.invoke(window.context, None) == {"RUNNING_MODAL"}
    assert modal.under_way() == "Bake"
    return operator


def send(operator: Operator, window: Window, kind: str) -> set[str]:
    return operator.modal(window.context, SimpleNamespace(type=kind))


def assert_tidy(window: Window) -> None:
    assert (window.timers, window.status, window.progress) == ([], None, None)
    assert not modal.under_way()
    assert bpy.context.scene.ves.progress == 0.0


def test_ticks_bake_to_the_end(window):
    rods = chain(3)
    operator = start(window)
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
    operator = start(window)
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
    operator = start(window)
    for _ in range(ticks):
        assert send(operator, window, "TIMER") == {"PASS_THROUGH"}
    if way == "button":
        operator.request_cancel()
    assert send(operator, window, "ESC" if way == "ESC" else "TIMER") == {"CANCELLED"}
    assert scene.frame_current == 9
    assert not any(rod.ves.is_baked or rod.animation_data for rod in rods)
    assert len(bpy.data.actions) == 0
    assert scene.ves.status == "from before"
    assert_tidy(window)


def test_a_wrong_scene_is_reported(window):
    body("sheet").data.clear_geometry()
    operator = start(window)
    while (answer := send(operator, window, "TIMER")) == {"PASS_THROUGH"}:
        pass
    assert answer == {"CANCELLED"}
    assert operator.reports[-1][0] == "ERROR"
    assert "sheet" in operator.reports[-1][1]
    assert_tidy(window)


def test_a_body_removed_meanwhile_ends_the_bake_with_a_word(window):
    rods = chain(20, 200)
    operator = start(window)
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
    operator = start(window)
    taken = []
    while True:
        begun = time.perf_counter()
        answer = send(operator, window, "TIMER")
        taken.append(time.perf_counter() - begun)
        if answer != {"PASS_THROUGH"}:
            break
    assert len(taken) > 5
    assert sorted(taken)[len(taken) // 2] < 0.05
