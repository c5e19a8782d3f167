# SPDX-License-Identifier: GPL-3.0-or-later
"""What keys and the mouse do during Play. Events come in, calls of Play go out; what is of no use to it passes through.

Navigation passes, and whatever is pointed at outside the view: panels, menus, other editors. Keys that would change the
scene behind the run's back do not.
"""

from __future__ import annotations

from collections.abc import Callable

import bpy

from ..scene.action_buttons import KEYS, labels
from ..scene.hand import body_under
from ..scene.play import ACTIONS, MOTION, Play
from .viewport import Viewport

HELP = (
    "Space: Pause    Enter: Keep    Shift Enter: Keep Actions Only    Esc: End    1 to 9: Buttons    "
    "Drag: Pull a Body (Wheel: Nearer, Farther)"
)
NUMBERS = ("ONE", "TWO", "THREE", "FOUR", "FIVE", "SIX", "SEVEN", "EIGHT", "NINE")[:KEYS]
WHEEL = {"WHEELUPMOUSE": -1.0, "WHEELDOWNMOUSE": 1.0}
NAVIGATION = {"MIDDLEMOUSE", "HOME", "N", "T"}
NAVIGATION_STARTS = ("NUMPAD_", "WHEEL", "TRACKPAD", "MOUSE", "NDOF", "TIMER", "WINDOW", "INBETWEEN", "NONE")
MODIFIERS = {f"{side}_{key}" for side in ("LEFT", "RIGHT") for key in ("SHIFT", "CTRL", "ALT")} | {"OSKEY"}


class PlayControls:
    """The controls of one run. `viewport` gives the 3D View under the mouse of an event, or None."""

    def __init__(
        self,
        play: Play,
        view_layer: bpy.types.ViewLayer,
        viewport: Callable[[bpy.types.Event], Viewport | None],
    ) -> None:
        self._play, self._view_layer, self._viewport = play, view_layer, viewport
        self._place = None
        self._held: dict[str, str] = {}
        self.wants_end = False

    def handle(self, event: bpy.types.Event) -> bool:
        """Do what an event says; whether it is used up."""
        if self._place is not None and self._drag(event):
            return True
        if event.type in self._held:
            return self._hold(event)
        if event.type == "LEFTMOUSE":
            return self._take(event)
        if event.type == "RIGHTMOUSE":
            return self._viewport(event) is not None
        if self._is_navigation(event):
            return False
        return self._key(event)

    def _key(self, event: bpy.types.Event) -> bool:
        is_plain = not (event.ctrl or event.alt or event.oskey)
        if event.value != "PRESS" or not is_plain:
            return self._viewport(event) is not None
        if event.type == "ESC":
            self.wants_end = True
        elif event.type == "SPACE":
            if not event.is_repeat:
                self._play.toggle_pause()
        elif event.type in {"RET", "NUMPAD_ENTER"}:
            self._play.keep(ACTIONS if event.shift else MOTION)
        elif event.type in NUMBERS:
            self._number(event)
        else:
            return self._viewport(event) is not None
        return True

    def _number(self, event: bpy.types.Event) -> None:
        number, buttons = NUMBERS.index(event.type), labels(self._play.scene)
        if number < len(buttons) and not event.is_repeat:
            self._held[event.type] = buttons[number]
            self._play.press(buttons[number], is_held=True)

    def _hold(self, event: bpy.types.Event) -> bool:
        """A number key that is down: only its release counts."""
        if event.value == "RELEASE":
            self._play.release(self._held.pop(event.type))
        return True

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
            found = body_under(self._play.scene, self._view_layer.depsgraph, *view.ray())
            if found is not None and self._play.grab(*found):
                self._place = found[1]
        return True

    def _drag(self, event: bpy.types.Event) -> bool:
        """What the mouse does with a body in hand."""
        if event.type == "LEFTMOUSE" and event.value == "RELEASE":
            self._play.let_go()
            self._place = None
            return True
        view = self._viewport(event)
        if event.type == "MOUSEMOVE":
            if view is not None:
                self._move(view.beside(self._place))
            return True
        if event.type in WHEEL:
            if view is not None:
                self._move(view.nearer(self._place, WHEEL[event.type]))
            return True
        return event.type == "LEFTMOUSE"

    def _move(self, place) -> None:
        self._place = place
        self._play.drag(place)
