# SPDX-License-Identifier: GPL-3.0-or-later
"""A person's clicks through a scene of `walks.py` in a window, counted; what is typed is set as if typed."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.gui.window import TO_COMPILE, TO_REACT, Window

SCENE = Path(__file__).with_name("walks.py").read_text(encoding="utf-8")
SIZE = (1920, 1080)
IN_THE_VIEW = (600, 200)


class Walk:
    """A person's clicks, counted."""

    def __init__(self, window: Window, scene: str) -> None:
        self.window, self.clicks, self.name = window, 0, scene
        window.ask(f"{SCENE}\nbuild_{scene}()", TO_REACT)

    def pick(self, *names: str) -> None:
        """Click the first one, and the others with Shift; the last one is active."""
        self._click(names[0])
        with self.window.held("shift"):
            for name in names[1:]:
                self._click(name)

    def all_then(self, name: str) -> None:
        """Key A, and a click on the one that shall be the active one."""
        self.window.press("a", *IN_THE_VIEW)
        self.clicks += 1
        every = "answer = all(ob.select_get() for ob in bpy.context.scene.objects)"
        self.window.wait_until(lambda: self.window.ask(every), TO_REACT, "A did not select all")
        with self.window.held("shift"):
            self._click(name)

    def chain_to(self, name: str, joints: int) -> None:
        """Ball Chain of all bodies, which ends at this one."""
        self.all_then(name)
        self.press("ves.chain(type='SPHERICAL'", f"len(seen()['joints']) == {joints}")

    def bake(self) -> dict:
        """Bake, and the scene as it is then."""
        self.press("ves.bake", "seen()['baked']")
        return self.end()

    def _click(self, name: str) -> None:
        self.window.click(*self.window.ask(f"{SCENE}\nanswer = on_screen({name!r}, {self.window.height})"))
        self.clicks += 1
        active = f"ob = bpy.context.view_layer.objects.active; answer = ob is not None and ob.name == {name!r}"
        self.window.wait_until(lambda: self.window.ask(active), TO_REACT, f"{name} was not selected")

    def press(self, operator: str, done: str, in_header: bool = False) -> None:
        """Press a button, in a panel or in the title of one, and wait until an expression is true."""
        self.window.press_button(operator, in_header)
        self.clicks += 1
        wanted = f"{SCENE}\nanswer = bool({done})"
        self.window.wait_until(lambda: self.window.ask(wanted), TO_COMPILE, f"{operator} did not lead to {done}")

    def set_fixed(self) -> None:
        """Click Fixed in the row of Dynamic, Fixed and Keyed, where the active body is Dynamic."""
        _, y = self.window.find_button("DYNAMIC")
        left, _, right, _ = self.window.sidebar()
        self.window.click(left + 12 * (right - left) // 25, y)  # the middle of what is left of the tabs
        self.clicks += 1
        motion = "answer = bpy.context.object.ves.motion == 'FIXED'"
        self.window.wait_until(lambda: self.window.ask(motion), TO_REACT, "it did not become Fixed")

    def type_in(self, program: str) -> None:
        """A number that is typed, or a choice from a list: two clicks, or a click and keys."""
        self.window.ask(f"{SCENE}\n{program}\nbpy.ops.ed.undo_push(message='Type')")
        self.clicks += 2

    def end(self) -> dict:
        self.window.photograph(f"walk_{self.name}")
        found = self.window.ask(f"{SCENE}\nanswer = seen()", TO_REACT)
        sys.stdout.write(f"{self.name}: {self.clicks} clicks; findings {found['findings']}\n")
        return found
