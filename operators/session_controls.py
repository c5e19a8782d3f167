# SPDX-License-Identifier: GPL-3.0-or-later
"""Keys, mouse and 3D mouse of a session. Events come in, calls of it go out; what it can't use passes through.

Navigation passes, and whatever is pointed at outside the view: panels, menus, other editors. Keys that would change the
scene behind the session's back do not.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import ClassVar

import bpy
from mathutils import Vector

from ..scene.play.drag import body_under
from ..scene.play.play import Play
from ..scene.pose.pose import Pose
from .viewport import Viewport

SPEED = 0.5  # 1/s: a 3D mouse at its end pushes the hand by so many distances of the view's middle in a second
LONGEST = 0.1  # s between two of its events; the first one after a rest tells of a longer time
WHEEL = {"WHEELUPMOUSE": -1.0, "WHEELDOWNMOUSE": 1.0}
NAVIGATION = {"MIDDLEMOUSE", "HOME", "N", "T"}
NAVIGATION_STARTS = ("NUMPAD_", "WHEEL", "TRACKPAD", "MOUSE", "NDOF", "TIMER", "WINDOW", "INBETWEEN", "NONE")
MODIFIERS = {f"{side}_{key}" for side in ("LEFT", "RIGHT") for key in ("SHIFT", "CTRL", "ALT")} | {"OSKEY"}


class SessionControls(ABC):
    """The mouse pulls bodies, Esc ends. `viewport` gives the 3D View under the mouse of an event, or None."""

    HELP: ClassVar[str]  # what the status bar says

    def __init__(
        self,
        session: Play | Pose,
        view_layer: bpy.types.ViewLayer,
        viewport: Callable[[bpy.types.Event], Viewport | None],
    ) -> None:
        self._session, self._view_layer, self._viewport = session, view_layer, viewport
        self._place = None
        self._aside = Vector()  # how far a 3D mouse has pushed the hand away from the mouse's line of sight
        self.wants_end = False

    @abstractmethod
    def press(self, event: bpy.types.Event) -> bool:
        """Do what a key that is pressed without Ctrl, Alt or the system's key means; whether it means anything."""

    def handle(self, event: bpy.types.Event) -> bool:
        """Do what an event says; whether it is used up."""
        if self._place is not None and self._drag(event):
            return True
        if event.type == "LEFTMOUSE":
            return self._take(event)
        if event.type == "RIGHTMOUSE":
            return self._viewport(event) is not None
        if self._is_navigation(event):
            return False
        return self._key(event)

    def _key(self, event: bpy.types.Event) -> bool:
        is_plain = not (event.ctrl or event.alt or event.oskey)
        if event.value == "PRESS" and is_plain:
            if event.type == "ESC":
                self.wants_end = True
                return True
            if self.press(event):
                return True
        return self._viewport(event) is not None

    def _is_navigation(self, event: bpy.types.Event) -> bool:
        if event.type == "NUMPAD_ENTER":
            return False
        return event.type in NAVIGATION | MODIFIERS or event.type.startswith(NAVIGATION_STARTS)

    def _take(self, event: bpy.types.Event) -> bool:
        """A press of the left button: on a body it takes hold, elsewhere in the view it does nothing."""
        view = self._viewport(event)
        if view is None or event.alt:
            return False
        if event.value == "PRESS":
            found = body_under(self._session.scene, self._view_layer.depsgraph, *view.ray())
            if found is not None and self._session.grab(*found):
                self._place, self._aside = found[1], Vector()
        return True

    def _drag(self, event: bpy.types.Event) -> bool:
        """Moves of the mouse with a body in hand."""
        if event.type == "LEFTMOUSE" and event.value == "RELEASE":
            self._session.let_go()
            self._place = None
            return True
        view = self._viewport(event)
        if event.type == "MOUSEMOVE":
            if view is not None:
                self._move(view.beside(self._place - self._aside) + self._aside)
            return True
        if event.type == "NDOF_MOTION":
            if view is not None and event.ndof_motion is not None:
                self._push(view, event.ndof_motion)
            return True
        if event.type in WHEEL:
            if view is not None:
                self._move(view.nearer(self._place, WHEEL[event.type]))
            return True
        return event.type == "LEFTMOUSE"

    def _push(self, view: Viewport, motion: bpy.types.NDOFMotionEventData) -> None:
        """A 3D mouse pushes the hand along the view's axes."""
        way = view.pushed(SPEED * min(motion.time_delta, LONGEST) * Vector(motion.translation))
        self._aside = self._aside + way
        self._move(Vector(self._place) + way)

    def _move(self, place) -> None:
        self._place = place
        self._session.drag(place)
