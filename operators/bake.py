# SPDX-License-Identifier: GPL-3.0-or-later
"""Bake, cancelling it, and Clear Bake."""

import time
from collections.abc import Iterator

import bpy
from bpy.props import BoolProperty

from ..scene.bake import BakeResult, Progress, bake, run_to_end
from ..scene.findings import SceneError
from ..scene.kept_animation import clear_bake, is_baked

BUDGET = 0.03  # s that a tick of the timer works
INTERVAL = 0.01  # s between two ticks, in which the window does its own work

_running: list["VES_OT_bake"] = []


def is_baking() -> bool:
    """Whether a bake is under way in a window."""
    return bool(_running)


class VES_OT_bake(bpy.types.Operator):
    """Compute the motion of all bodies and write it to keyframes"""

    bl_idname = "ves.bake"
    bl_label = "Bake"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """One bake at a time, in Object Mode."""
        if is_baking():
            cls.poll_message_set("A bake is under way")
            return False
        if context.mode != "OBJECT":
            cls.poll_message_set("Only in Object Mode")
            return False
        return True

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Run to the end at once: for scripts and in background."""
        try:
            result = run_to_end(bake(context.scene, context.view_layer))
        except SceneError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        return self._finish(context, result)

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> set[str]:
        """Run beside the window's own work, a little at each tick of a timer."""
        if bpy.app.background or context.window is None:
            return self.execute(context)
        if context.screen.is_animation_playing:
            bpy.ops.screen.animation_cancel(restore_frame=False)
        self._scene, self._window, self._workspace = context.scene, context.window, context.workspace
        self._status = context.scene.ves.status
        self._is_cancelled = False
        self._steps: Iterator[Progress] = bake(context.scene, context.view_layer)
        manager = context.window_manager
        self._timer = manager.event_timer_add(INTERVAL, window=context.window)
        manager.progress_begin(0, 1000)
        manager.modal_handler_add(self)
        _running.append(self)
        return {"RUNNING_MODAL"}

    def modal(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        """Work for a while at each tick; Esc cancels."""
        if event.type == "ESC" or (self._is_cancelled and event.type == "TIMER"):
            self._stop(context, self._status)
            self.report({"INFO"}, "Bake cancelled")
            return {"CANCELLED"}
        if event.type != "TIMER":
            return {"PASS_THROUGH"}
        try:
            self._show(context, self._work())
        except StopIteration as end:
            self._stop(context, end.value.summary)
            return self._finish(context, end.value)
        except SceneError as error:
            self._stop(context, self._status)
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        except ReferenceError:
            self._stop(context, self._status)
            self.report({"ERROR"}, "Bake stopped: something that takes part was removed or undone meanwhile")
            return {"CANCELLED"}
        except BaseException:
            self._stop(context, self._status)
            raise
        return {"PASS_THROUGH"}

    def cancel(self, context: bpy.types.Context) -> None:
        """Blender ends the bake itself, as when another file is opened."""
        self._stop(context, self._status)

    def request_cancel(self) -> None:
        """Cancel at the next tick."""
        self._is_cancelled = True

    def _work(self) -> Progress:
        deadline = time.perf_counter() + BUDGET
        progress = next(self._steps)
        while time.perf_counter() < deadline:
            progress = next(self._steps)
        return progress

    def _show(self, context: bpy.types.Context, progress: Progress) -> None:
        settings = self._scene.ves
        settings.progress, settings.status = progress.fraction, progress.text
        context.window_manager.progress_update(int(1000 * progress.fraction))
        self._workspace.status_text_set(f"{progress.text}  ({progress.fraction:.0%})    Esc: Cancel")
        _redraw_panels(context)

    def _stop(self, context: bpy.types.Context, status: str) -> None:
        """Close the generator, which puts the scene back as it was, and take away what the window showed."""
        if self not in _running:
            return
        _running.remove(self)
        try:
            self._steps.close()
            self._scene.ves.progress, self._scene.ves.status = 0.0, status
        except ReferenceError:
            pass  # the scene itself is gone; there is nothing to put back
        finally:
            context.window_manager.event_timer_remove(self._timer)
            context.window_manager.progress_end()
            self._workspace.status_text_set(None)
            _redraw_panels(context)

    def _finish(self, context: bpy.types.Context, result: BakeResult) -> set[str]:
        context.scene.ves.status = result.summary
        for finding in result.warnings:
            self.report({"WARNING"}, str(finding))
        if result.failure:
            _select_only(context, result.culprits)
        self.report({"WARNING"} if result.failure else {"INFO"}, result.summary)
        return {"FINISHED"}


class VES_OT_cancel_bake(bpy.types.Operator):
    """Stop the bake and leave everything as it was"""

    bl_idname = "ves.cancel_bake"
    bl_label = "Cancel Bake"

    @classmethod
    def poll(cls, _context: bpy.types.Context) -> bool:
        """There must be a bake under way."""
        return is_baking()

    def execute(self, _context: bpy.types.Context) -> set[str]:
        """It ends at its next tick."""
        for operator in _running:
            operator.request_cancel()
        return {"FINISHED"}


class VES_OT_clear_bake(bpy.types.Operator):
    """Take the baked keyframes away and bring back the animation and the pose from before"""

    bl_idname = "ves.clear_bake"
    bl_label = "Clear Bake"
    bl_options = {"REGISTER", "UNDO"}

    selected_only: BoolProperty(
        name="Selected Only", description="Clear only the selected bodies instead of all", default=False
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """There must be something to clear."""
        if is_baking():
            cls.poll_message_set("A bake is under way")
            return False
        if not any(ob.ves.is_baked for ob in context.scene.objects):
            cls.poll_message_set("Nothing is baked")
            return False
        return True

    def execute(self, context: bpy.types.Context) -> set[str]:
        """The kept actions come back."""
        scene = context.scene
        chosen = context.selected_objects if self.selected_only else scene.objects
        baked = [ob for ob in chosen if ob.ves.is_baked]
        count = sum(is_baked(ob) for ob in baked)
        for ob in baked:
            clear_bake(ob)
        scene.frame_set(scene.frame_current, subframe=scene.frame_subframe)
        scene.ves.status = ""
        self.report({"INFO"}, f"Cleared {count} {'body' if count == 1 else 'bodies'}")
        return {"FINISHED"}


def _select_only(context: bpy.types.Context, culprits: list[bpy.types.Object]) -> None:
    """Select the objects at fault, as far as they can be seen."""
    seen = [ob for ob in culprits if ob.name in context.view_layer.objects and ob.visible_get()]
    if seen:
        for ob in context.selected_objects:
            ob.select_set(False)
        for ob in seen:
            ob.select_set(True)
        context.view_layer.objects.active = seen[0]


def _redraw_panels(context: bpy.types.Context) -> None:
    for window in context.window_manager.windows:
        for area in window.screen.areas:
            if area.type == "VIEW_3D":
                area.tag_redraw()


CLASSES = (VES_OT_bake, VES_OT_cancel_bake, VES_OT_clear_bake)
_register_classes, _unregister_classes = bpy.utils.register_classes_factory(CLASSES)


@bpy.app.handlers.persistent
def _forget_running(_file: str) -> None:
    """Opening a file ends every modal operator, also one that could not clean up."""
    _running.clear()


def register() -> None:
    """Register the operators."""
    _register_classes()
    bpy.app.handlers.load_post.append(_forget_running)


def unregister() -> None:
    """Unregister them."""
    bpy.app.handlers.load_post.remove(_forget_running)
    _unregister_classes()
