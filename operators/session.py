# SPDX-License-Identifier: GPL-3.0-or-later
"""Sessions: what, once the scene is read, goes on under keys and mouse until the user ends it: Play and Pose."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import ClassVar

import bpy

from ..scene.bake.bake import Progress
from ..scene.parts.bodies import is_body
from ..scene.play.drag import draw_line
from ..scene.play.play import Play
from ..scene.pose.pose import Pose
from ..scene.read.sampling import is_there
from .modal import InSteps, running
from .polls import needs
from .session_controls import SessionControls
from .viewport import say_in_headers, viewport_under


class Session(InSteps):
    """Mixed into operators that run a session in the window, and say which keys and clicks it knows.

    `open` returns the session, nothing done yet.
    """

    controls: type[SessionControls]
    session: Play | Pose
    open: Callable[[bpy.types.Context], Play | Pose]

    _controls: SessionControls | None = None
    _drawing = None

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """There must be bodies."""
        return super().poll(context) and needs(
            cls, any(map(is_body, context.scene.objects)), "There are no bodies yet: select objects and choose Add Body"
        )

    def steps(self, context: bpy.types.Context) -> Iterator[Progress]:
        """Read, run until it is ended, keep."""
        self.session = self.open(context)
        return self.session.steps()

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        """Run in the window."""
        answer = super().invoke(context, event)
        if answer == {"RUNNING_MODAL"}:
            self._controls = self.controls(
                self.session, context.view_layer, lambda event: viewport_under(self._window, event)
            )
        return answer

    def modal(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        """Keys and mouse act on the session; ticks let it go on."""
        acts = running(self.bl_label) is self and event.type != "TIMER" and self.session.is_running
        if acts and is_there(self._scene, self._view_layer):
            return {"RUNNING_MODAL"} if self._handle(event) else {"PASS_THROUGH"}
        return super().modal(context, event)

    def draw_in_views(self) -> None:
        """Draws the line from the body in hand to the mouse in the 3D Views."""
        if self.session.hand is not None:
            draw_line(*self.session.hand)

    @property
    def shows_something_else(self) -> bool:
        """A file is saved without what is not kept."""
        return True

    def _handle(self, event: bpy.types.Event) -> bool:
        try:
            is_used = self._controls.handle(event)
        except BaseException:
            self._stop()
            raise
        if self._controls.wants_end:
            self.request_cancel()
        return is_used

    def _work(self) -> Progress:
        """One step at a tick once it runs; reading before it takes its time as any work."""
        return next(self._steps) if self.session.is_running else super()._work()

    def _show(self, progress: Progress) -> None:
        if not self.session.is_running:
            super()._show(progress)
            return
        if self._drawing is None:
            self._manager.progress_end()
            self._drawing = bpy.types.SpaceView3D.draw_handler_add(self.draw_in_views, (), "WINDOW", "POST_VIEW")
        text = f"{progress.text}    {self.session.message}"
        if text != getattr(self._scene.ves, self.status_name):
            setattr(self._scene.ves, self.status_name, text)
            say_in_headers(self._manager, text)
        self._workspace.status_text_set(self.controls.HELP)

    def _stop(self) -> None:
        if self._drawing is not None:
            bpy.types.SpaceView3D.draw_handler_remove(self._drawing, "WINDOW")
            self._drawing = None
            say_in_headers(self._manager, None)
        super()._stop()


class DuringSession:
    """Mixed into operators that act on a session in the window."""

    session_label: ClassVar[str]

    @classmethod
    def poll(cls, _context: bpy.types.Context) -> bool:
        """It must be under way, and its scene read."""
        operator = running(cls.session_label)
        return needs(cls, operator is not None and operator.session.is_running, f"Only during {cls.session_label}")

    def operator(self) -> Session:
        """The session's operator."""
        return running(self.session_label)


class SessionCommand(DuringSession):
    """Mixed into operators with one button for each of their `commands`: (identifier, name, tooltip)."""

    commands: ClassVar[list[tuple[str, str, str]]]

    @classmethod
    def description(cls, _context: bpy.types.Context, properties: bpy.types.OperatorProperties) -> str:
        """The tooltip of a button tells about its own command."""
        return next(item[2] for item in cls.commands if item[0] == properties.command)
