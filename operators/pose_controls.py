# SPDX-License-Identifier: GPL-3.0-or-later
"""Keys and mouse of Pose: keys of the pose, pins, and taking a drag back."""

from __future__ import annotations

import bpy

from ..scene.play.drag import body_under
from .session_controls import SessionControls


class PoseControls(SessionControls):
    """The controls of one session."""

    HELP = (
        "Drag: Pull a Body (Wheel: Nearer, Farther; H: Keep the Hand There; Right Mouse: Take It Back)    "
        "Shift Click: Pin, Unpin (Ctrl: Turn Too)    Shift H: Let Go of Kept Hands    I: Key    Enter: Keep    "
        "Esc: Put All Back"
    )

    def press(self, event: bpy.types.Event) -> bool:
        """Keep, key, or keep and open hands."""
        if event.type in {"RET", "NUMPAD_ENTER"}:
            self._session.keep()
        elif event.type == "I" and not event.is_repeat:
            self._session.key()
        elif event.type == "H" and event.shift:
            self._session.let_go_of_hands()
        elif event.type == "H":
            self._session.keep_hand()
            self._place = None
        else:
            return False
        return True

    def _take(self, event: bpy.types.Event) -> bool:
        """A press of the left button takes hold; with Shift it pins, with Ctrl too the turn as well."""
        view = self._viewport(event)
        if not event.shift or view is None or event.alt:
            return super()._take(event)
        if event.value == "PRESS":
            found = body_under(self._session.scene, self._view_layer.depsgraph, *view.ray())
            if found is not None:
                self._session.toggle_pin(*found, with_turn=event.ctrl)
        return True

    def _drag(self, event: bpy.types.Event) -> bool:
        """The right button takes the drag back."""
        if event.type == "RIGHTMOUSE" and event.value == "PRESS":
            self._session.undo_drag()
            self._place = None
            return True
        return super()._drag(event)
