# SPDX-License-Identifier: GPL-3.0-or-later
"""Long work beside the window's own: a generator runs a little at each tick of a timer, until it ends or Esc stops it.

In background, and for scripts, it runs to the end at once. Only one such work is under way at a time.
"""

import time
from collections.abc import Callable, Iterator
from typing import Any

import bpy

from ..scene import add_handlers, remove_handlers
from ..scene.bake.bake import Progress, run_to_end
from ..scene.bake.ghost import is_result_shown
from ..scene.check.check import as_problems
from ..scene.findings import SceneError
from ..scene.read.sampling import is_sampling, is_there
from .check import list_findings
from .polls import cancelled, in_object_mode, needs

BUDGET = 0.03  # s that a tick of the timer works
INTERVAL = 0.01  # s between two ticks, in which the window does its own work

_running: list["InSteps"] = []


def under_way() -> str:
    """The work that is under way in a window ("Bake"); "" if there is none."""
    return _running[0].bl_label if _running else ""


def running_now() -> "InSteps | None":
    """The operator that is under way in a window."""
    return _running[0] if _running else None


def running(label: str) -> "InSteps | None":
    """The operator of this label, if it is under way in a window."""
    return _running[0] if under_way() == label else None


def cancel_running() -> None:
    """End what is under way, at its next tick."""
    for operator in _running:
        operator.request_cancel()


def animation_shown(operator: type[bpy.types.Operator], context: bpy.types.Context) -> bool:
    """False while Compare shows a result, which a bake would cover; the button's tooltip says so."""
    return needs(operator, not is_result_shown(context.scene), "Accept or Discard the result of Bake Part first")


class WhenIdle:
    """Mixed into operators that must not act in the midst of something."""

    @classmethod
    def poll(cls, _context: bpy.types.Context) -> bool:
        """Nothing may be under way."""
        return needs(cls, not under_way(), f"{under_way()} is under way")


class InObjectMode(WhenIdle):
    """Mixed into operators that, besides, only act in Object Mode."""

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """One at a time, in Object Mode."""
        return super().poll(context) and in_object_mode(cls, context)


class InSteps(InObjectMode):
    """Mixed into operators that give their work as a generator, which changes nothing until it is as good as done.

    `steps` returns the generator; it yields Progress and returns a result, which `finish` reports of `self._scene`.
    `status_name` is the property of `Scene.ves` in which the work says how far it is; it is empty after Esc, and after
    what is refused, which is listed as findings.
    """

    status_name = "status"
    steps: Callable[[bpy.types.Context], Iterator[Progress]]
    finish: Callable[[bpy.types.Context, Any], set[str]]

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Not while a result is shown that waits to be accepted or discarded."""
        return super().poll(context) and animation_shown(cls, context)

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Run to the end at once: for scripts and in background."""
        self._scene = context.scene
        try:
            result = run_to_end(self.steps(context))
        except SceneError as error:
            return self._refused(error)
        return self.finish(context, result)

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> set[str]:
        """Run beside the window's own work, a little at each tick of a timer."""
        if bpy.app.background or context.window is None:
            return self.execute(context)
        if context.screen.is_animation_playing:
            bpy.ops.screen.animation_cancel(restore_frame=False)
        self._scene, self._window, self._workspace = context.scene, context.window, context.workspace
        self._view_layer, self._manager = context.view_layer, context.window_manager
        self._is_cancelled, self._ended_by = False, ""
        self._steps = self.steps(context)
        self._timer = self._manager.event_timer_add(INTERVAL, window=context.window)
        self._manager.progress_begin(0, 1000)
        self._manager.modal_handler_add(self)
        _running.append(self)
        return {"RUNNING_MODAL"}

    def modal(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        """Work for a while at each tick; Esc cancels."""
        if self not in _running:
            if self._ended_by:
                self.report({"WARNING"}, f"{self.bl_label} was cancelled: {self._ended_by}")
            return {"CANCELLED"}
        if not is_there(self._scene, self._view_layer):
            self._stop()
            return cancelled(self, f"{self.bl_label} stopped: its scene or view layer was removed or undone meanwhile")
        if event.type == "ESC" or (self._is_cancelled and event.type == "TIMER"):
            self._stop()
            self.report({"INFO"}, f"{self.bl_label} cancelled")
            return {"CANCELLED"}
        if event.type != "TIMER":
            return {"PASS_THROUGH"}
        try:
            self._show(self._work())
        except StopIteration as end:
            self._stop()
            return self.finish(context, end.value)
        except SceneError as error:
            self._stop()
            return self._refused(error)
        except ReferenceError:
            self._stop()
            return cancelled(self, f"{self.bl_label} stopped: what takes part was removed or undone meanwhile")
        except BaseException:
            self._stop()
            raise
        return {"PASS_THROUGH"}

    def cancel(self, _context: bpy.types.Context) -> None:
        """Blender ends the work itself, as when its window is closed."""
        self._stop()

    @property
    def shows_something_else(self) -> bool:
        """True while the scene is not as it was before, as when its animation is read."""
        return is_sampling()

    def end(self, why: str) -> None:
        """End at once and put everything back, as before a file is saved; the next event finds it ended, and says so.

        why: completes the sentence `Bake was cancelled: ...`.
        """
        self._ended_by = why
        self._stop()

    def request_cancel(self) -> None:
        """Cancel at the next tick."""
        self._is_cancelled = True

    def _refused(self, error: SceneError) -> set[str]:
        """Say what is in the way, and list it beside a way to each object."""
        setattr(self._scene.ves, self.status_name, "")
        list_findings(self._scene, [*as_problems("ERROR", error.findings), *as_problems("WARNING", error.warnings)])
        return cancelled(self, str(error))

    def _work(self) -> Progress:
        deadline = time.perf_counter() + BUDGET
        progress = next(self._steps)
        while time.perf_counter() < deadline and not progress.is_elsewhere:
            progress = next(self._steps)
        return progress

    def _show(self, progress: Progress) -> None:
        settings = self._scene.ves
        settings.progress = progress.fraction
        setattr(settings, self.status_name, progress.text)
        self._manager.progress_update(int(1000 * progress.fraction))
        self._workspace.status_text_set(f"{progress.text}  ({progress.fraction:.0%})    Esc: Cancel")
        _redraw_panels(self._manager)

    def _stop(self) -> None:
        """Close the generator, which puts the scene back as it was, and take away what the window showed."""
        if self not in _running:
            return
        _running.remove(self)
        try:
            self._steps.close()
            self._scene.ves.progress = 0.0
            setattr(self._scene.ves, self.status_name, "")
        except ReferenceError:
            pass  # the scene itself is gone; there is nothing to put back
        finally:
            self._manager.event_timer_remove(self._timer)
            self._manager.progress_end()
            self._workspace.status_text_set(None)
            _redraw_panels(self._manager)


def _redraw_panels(manager: bpy.types.WindowManager) -> None:
    for window in manager.windows:
        for area in window.screen.areas:
            if area.type == "VIEW_3D":
                area.tag_redraw()


@bpy.app.handlers.persistent
def _forget_running(_file: str) -> None:
    """Opening a file ends every modal operator, also one that could not clean up."""
    _running.clear()


@bpy.app.handlers.persistent
def _end_before_saving(*_: object) -> None:
    """The file gets the scene as it was. What only computes at the moment goes on."""
    operator = running_now()
    if operator is not None and operator.shows_something_else:
        operator.end("the file was saved while it showed other things than that; start it again")


@bpy.app.handlers.persistent
def _end_before_undo(*_: object) -> None:
    """Blender frees what is not in the step that it goes to, and what is under way would go on with that."""
    operator = running_now()
    if operator is not None:
        operator.end("something was undone or redone meanwhile")


@bpy.app.handlers.persistent
def _end_before_loading(*_: object) -> None:
    operator = running_now()
    if operator is not None:
        operator.end("another file was opened")


HANDLERS = {
    "save_pre": _end_before_saving,
    "undo_pre": _end_before_undo,
    "redo_pre": _end_before_undo,
    "load_pre": _end_before_loading,
    "load_post": _forget_running,
}


def register() -> None:
    """End what is under way before something happens that it does not survive."""
    add_handlers(HANDLERS)


def unregister() -> None:
    """Do so no more."""
    remove_handlers(HANDLERS)
