# SPDX-License-Identifier: GPL-3.0-or-later
"""Keys of Play: the clock, keeping the run, and the action buttons by their numbers.

Clicks that meet no body select, and G and R move and turn what is selected, if no body of the run is: Empties, which
take along what hangs on them.
"""

from __future__ import annotations

import bpy

from ..scene.parts.bodies import is_body
from ..scene.play.action_buttons import KEYS, labels
from ..scene.play.drag import led_under
from ..scene.play.result import ACTIONS, MOTION, POSE, START
from .session_controls import SessionControls

NUMBERS = ("ONE", "TWO", "THREE", "FOUR", "FIVE", "SIX", "SEVEN", "EIGHT", "NINE")[:KEYS]


MOMENTS = {"S": START, "P": POSE}
MOVES = {"G", "R"}


class PlayControls(SessionControls):
    """The controls of one run."""

    HELP = (
        "Space: Pause    Backspace: Reset    Enter: Keep    Shift Enter: Keep Actions Only    S: Start from Here    "
        "P: Keep as Pose    Esc: End    1 to 9: Buttons    Drag: Pull a Body (Wheel: Nearer, Farther)    "
        "G, R: Move, Turn an Empty"
    )

    def __init__(self, *session) -> None:
        super().__init__(*session)
        self._held: dict[str, str] = {}

    def handle(self, event: bpy.types.Event) -> bool:
        """Do what an event says; of a number key that is down only its release counts."""
        if event.type in MOVES and self._moves_empties(event):
            return False
        if event.type not in self._held:
            return super().handle(event)
        if event.value == "RELEASE":
            self._session.release(self._held.pop(event.type))
        return True

    def press(self, event: bpy.types.Event) -> bool:
        """Pause, begin again, keep, or push an action button."""
        if event.type == "SPACE":
            if not event.is_repeat:
                self._session.toggle_pause()
        elif event.type == "BACK_SPACE":
            if not event.is_repeat:
                self._session.reset()
        elif event.type in {"RET", "NUMPAD_ENTER"}:
            self._session.keep(ACTIONS if event.shift else MOTION)
        elif event.type in MOMENTS:
            self._session.keep(MOMENTS[event.type])
        elif event.type in NUMBERS:
            self._number(event)
        else:
            return False
        return True

    def _take(self, event: bpy.types.Event) -> bool:
        """A press of the left button beside all bodies is Blender's own: it selects."""
        is_used = super()._take(event)
        view = self._viewport(event) if is_used and self._place is None and event.value == "PRESS" else None
        led = led_under(self._session.scene, self._view_layer.depsgraph, *view.ray()) if view is not None else None
        if led is not None:
            motion = led.ves.motion.capitalize()
            self._session.message = (
                f"{led.name} is {motion}: what the hand shall shove is Dynamic, with Follow if animated"
            )
        return is_used and self._place is not None

    def _moves_empties(self, event: bpy.types.Event) -> bool:
        chosen = self._view_layer.objects.selected
        is_plain = not (event.ctrl or event.alt or event.oskey or event.shift)
        return is_plain and len(chosen) > 0 and not any(map(is_body, chosen))

    def _number(self, event: bpy.types.Event) -> None:
        number, buttons = NUMBERS.index(event.type), labels(self._session.scene)
        if number < len(buttons) and not event.is_repeat:
            self._held[event.type] = buttons[number]
            self._session.press(buttons[number], is_held=True)
