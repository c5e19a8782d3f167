# SPDX-License-Identifier: GPL-3.0-or-later
"""A stand-in for a window, in which operators run at the ticks of a timer. `tests/gui` has a real one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace

import bpy
import pytest
from virtual_erector_set.operators import modal
from virtual_erector_set.operators.modal import InSteps


class Window:
    """A window as far as the operator asks for it: a timer, a status bar, progress; it notes what was done."""

    def __init__(self) -> None:
        self.timers, self.status, self.progress = [], None, None
        self.screen = SimpleNamespace(is_animation_playing=False, areas=[])
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
            screen=self.screen,
            scene=real.scene,
            view_layer=real.view_layer,
            selected_objects=real.selected_objects,
        )

    def show(self, value) -> None:
        self.progress = value

    def say(self, text) -> None:
        self.status = text


def stand_in(kind: type, **properties) -> InSteps:
    """An operator's methods and constants in a plain object: Blender makes real ones only for itself."""
    mixins = tuple(base for base in kind.__bases__ if base is not bpy.types.Operator)
    own = {name: value for name, value in vars(kind).items() if not name.startswith("__")}
    plain = type(kind.__name__, mixins, own)()
    plain.__dict__.update(properties, reports=[])
    plain.report = lambda level, text: plain.reports.append((*level, text))
    return plain


def start(operator: InSteps, window: Window) -> InSteps:
    """Invoke it as a button does."""
    assert operator.invoke(window.context, None) == {"RUNNING_MODAL"}
    assert modal.under_way() == operator.bl_label
    return operator


def send(operator: InSteps, window: Window, kind: str, **details) -> set[str]:
    """An event reaches the operator: a key that is pressed, unless `details` say something else."""
    keys = dict.fromkeys(("shift", "ctrl", "alt", "oskey", "is_repeat"), False)
    return operator.modal(window.context, SimpleNamespace(type=kind, **(keys | {"value": "PRESS"} | details)))


def assert_tidy(window: Window) -> None:
    """Nothing is left of what was under way."""
    assert (window.timers, window.status, window.progress) == ([], None, None)
    assert not modal.under_way()
    assert bpy.context.scene.ves.progress == 0.0


@contextmanager
def not_in_background(monkeypatch: pytest.MonkeyPatch) -> Iterator[Window]:
    """A window for operators that believe to have one."""
    monkeypatch.setattr(modal, "bpy", SimpleNamespace(app=SimpleNamespace(background=False), ops=bpy.ops))
    yield Window()
    modal._running.clear()
