# SPDX-License-Identifier: GPL-3.0-or-later
"""What keys and the mouse do during Pose: as during Play, but for pins, keys and taking a drag back."""

from __future__ import annotations

import bpy

from ..scene.hand import body_under
from .play_controls import PlayControls

HELP = (
    "Drag: Pull a Body (Wheel: Nearer, Farther; Right Mouse: Take It Back)    Shift Click: Pin, Unpin    I: Key    "
    "Enter: Keep    Esc: Put All Back"
)


class PoseControls(PlayControls):
    """The controls of one session."""

    def _key(self, event: bpy.types.Event) -> bool:
        is_plain = not (event.ctrl or event.alt or event.oskey)
        if event.value != "PRESS" or not is_plain:
            return self._viewport(event) is not None
        if event.type == "ESC":
            self.wants_end = True
        elif event.type in {"RET", "NUMPAD_ENTER"}:
            self._play.keep()
        elif event.type == "I" and not event.is_repeat:
            self._play.key()
        else:
            return self._viewport(event) is not None
        return True

    def _take(self, event: bpy.types.Event) -> bool:
        """A press of the left button: as during Play, but with Shift it pins."""
        view = self._viewport(event)
        if not event.shift or view is None or event.alt:
            return PlayControls._take(self, event)
        if event.value == "PRESS":
            found = body_under(self._play.scene, self._view_layer.depsgraph, *view.ray())
            if found is not None:
                self._play.toggle_pin(*found)
        return True

    def _drag(self, event: bpy.types.Event) -> bool:
        if event.type == "RIGHTMOUSE" and event.value == "PRESS":
            self._play.take_back()
            self._place = None
            return True
        return PlayControls._drag(self, event)
