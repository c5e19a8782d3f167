# SPDX-License-Identifier: GPL-3.0-or-later
"""A real Blender window on a virtual screen: look, point, click and type as a person does, and ask it what it has.

Programs run through a `prefix` (for a chroot, `tools/in_chroot.sh DIR`), and all share one `folder` of the same path
inside and outside. Screen positions are in pixels from the upper left, as X has them; Blender counts y from below.
"""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from tests.gui.conftest import Blender

WIDTH, HEIGHT = 1600, 1800
ROW = 18  # pixels: lower than any button
HEADER_BUTTON = 65  # pixels from the right edge of the sidebar to a button in the header of a panel
INSIDE = Path(__file__).with_name("inside_blender.py")
RUNNING = "from bl_ext.user_default.virtual_erector_set.operators.modal import running_now, under_way\n"
TO_REACT, TO_MOVE, TO_COMPILE = 60, 300, 900
"""Seconds that a busy machine may take: to begin or end something, to move things, to compile the solver first."""


@contextlib.contextmanager
def opened_window(
    installed: Blender, spot: tuple[int, int], picture: str, size: tuple[int, int] = (WIDTH, HEIGHT)
) -> Iterator[Window]:
    """A window without splash screen, whose view is at `spot`; a photograph of its end is kept under that name."""
    with Window(installed.prefix, installed.folder, size=size) as opened:
        opened.ask("bpy.context.preferences.view.show_splash = False")
        opened.press("Escape", *spot)  # the splash screen
        try:
            yield opened
        finally:
            opened.photograph(picture)


def _is_call_of(operator: str, call: str) -> bool:
    """True if a call that Blender wrote is of that operator, which may have the beginning of its arguments.

    Over a setting Blender writes its value: that is found by the same value, such as DYNAMIC.
    """
    return call == operator or call.startswith(f"bpy.ops.{operator}" if "(" in operator else f"bpy.ops.{operator}(")


def _move(x: float, y: float) -> list[str]:
    """xdotool's words for going there: in two steps and with a pause, so that Blender sees the mouse arrive."""
    return ["mousemove", str(int(x) - 1), str(int(y)), "mousemove", str(int(x)), str(int(y)), "sleep", "0.1"]


class Window:
    """Starts a screen and a Blender on it; use it as a context manager."""

    def __init__(
        self, prefix: list[str], folder: Path, blend: Path | None = None, size: tuple[int, int] = (WIDTH, HEIGHT)
    ) -> None:
        self.prefix = prefix
        self.width, self.height = size
        self.folder = folder
        self.buttons: dict[str, tuple[int, int]] = {}  # where those of these operators were found
        self.environment = os.environ | {
            "SHARED": str(folder),
            "BLENDER_USER_RESOURCES": str(folder / "user"),
            "XDG_RUNTIME_DIR": str(folder),
            "LIBGL_ALWAYS_SOFTWARE": "1",
        }
        self.log = (folder / "blender.log").open("w")
        script = folder / INSIDE.name
        script.write_text(INSIDE.read_text(encoding="utf-8"), encoding="utf-8")
        for leftover in ("question.py", "answer.json"):
            (folder / leftover).unlink(missing_ok=True)
        self.screen = self._start_screen()
        self.shell = self._start_shell()
        self.blender = subprocess.Popen(
            [*prefix, "blender", "--window-geometry", "0", "0", str(self.width), str(self.height)]
            + ([str(blend)] if blend else [])
            + ["--python", str(script), "--", str(folder)],
            env=self.environment,
            stdout=self.log,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
        )

    def __enter__(self) -> Window:
        self.ask("answer = bpy.app.version_string", seconds=120)
        return self

    def __exit__(self, *_: object) -> None:
        for process in (self.blender, self.shell, self.screen):
            process.kill()  # nothing less ends a command in a namespace of its own
            process.wait()
        self.shell.stdin.close()
        self.shell.stdout.close()
        self.screen.stdout.close()
        self.log.close()

    def _start_screen(self) -> subprocess.Popen[str]:
        size = f"{self.width}x{self.height}x24"
        screen = subprocess.Popen(
            [*self.prefix, "Xvfb", "-displayfd", "1", "-screen", "0", size, "-nolisten", "tcp"],
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=self.log,
            stdin=subprocess.DEVNULL,
            text=True,
        )
        number = screen.stdout.readline().strip()
        if not number:
            raise RuntimeError(f"the virtual screen did not start; see {self.folder / 'blender.log'}")
        self.environment["DISPLAY"] = f":{number}"
        return screen

    def _start_shell(self) -> subprocess.Popen[str]:
        """One for all that is done to the screen: to enter a chroot anew for each click takes longer than the click."""
        return subprocess.Popen(
            [*self.prefix, "bash"],
            env=self.environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.log,
            text=True,
        )

    def _run(self, *command: str) -> None:
        """Run a command that prints nothing, to its end."""
        print(f"{shlex.join(command)}; echo $?", file=self.shell.stdin, flush=True)
        ended = self.shell.stdout.readline().strip()
        if ended != "0":
            raise RuntimeError(f"{shlex.join(command)}: status {ended}; see {self.folder / 'blender.log'}")

    def ask(self, program: str, seconds: float = 30.0) -> Any:
        """Run `program` inside Blender and return what it leaves in `answer`. Raises what goes wrong in there."""
        unfinished = self.folder / "question.unfinished"
        unfinished.write_text(program, encoding="utf-8")
        unfinished.rename(self.folder / "question.py")
        reply = self.folder / "answer.json"
        self.wait_until(reply.exists, seconds, f"Blender does not answer: {program}")
        found = json.loads(reply.read_text(encoding="utf-8"))
        reply.unlink()
        if "error" in found:
            raise RuntimeError(found["error"])
        return found["answer"]

    def under_way(self) -> str:
        """The extension's work that is under way ("Bake"); "" if there is none."""
        return self.ask(f"{RUNNING}answer = under_way()")

    def has_in_hand(self) -> bool:
        """True if a session of the extension has taken hold of a body."""
        return self.ask(f"{RUNNING}answer = running_now() is not None and running_now().session.hand is not None")

    def wait_until(self, condition: Callable[[], object], seconds: float, complaint: str) -> None:
        """Wait for `condition`; fail with `complaint` if it takes longer than `seconds` or Blender dies meanwhile."""
        deadline = time.monotonic() + seconds
        while not condition():
            if self.blender.poll() is not None:
                raise RuntimeError(f"Blender ended by itself; see {self.folder / 'blender.log'}")
            if time.monotonic() > deadline:
                raise TimeoutError(complaint)
            time.sleep(0.05)

    def photograph(self, name: str) -> Path:
        """Keep a picture of the whole screen as `name`.png."""
        picture = self.folder / f"{name}.png"
        self._run("import", "-window", "root", str(picture))
        return picture

    def click(self, x: float, y: float) -> None:
        """Press the left button there, for as long as a finger does."""
        self._run("xdotool", *_move(x, y), "mousedown", "1", "sleep", "0.1", "mouseup", "1")

    @contextlib.contextmanager
    def held(self, key: str) -> Iterator[None]:
        """A key is down meanwhile. Blender asks for it when it comes to a click, on a busy machine much later."""
        self._run("xdotool", "keydown", key, "sleep", "0.1")
        try:
            yield
        finally:
            self._run("xdotool", "keyup", key)

    def take(self, x: float, y: float) -> None:
        """Press the left button there, and hold it, until a session of the extension has a body in hand.

        Blender takes a press for where the mouse is when it comes to it: on a busy machine, already elsewhere.
        """
        self._run("xdotool", *_move(x, y), "mousedown", "1")
        self.wait_until(self.has_in_hand, TO_REACT, f"nothing was taken at {x:.0f}, {y:.0f}")

    def lead(self, x: float, y: float) -> None:
        """Move the mouse there."""
        self._run("xdotool", *_move(x, y))

    def let_go(self) -> None:
        """Release the left button."""
        self._run("xdotool", "mouseup", "1")

    def turn_wheel(self, x: float, y: float) -> None:
        """Turn the wheel towards oneself by one notch, with Ctrl: over a choice that takes the next one."""
        self._run("xdotool", *_move(x, y), "keydown", "ctrl", "click", "5", "keyup", "ctrl")

    def press(self, keys: str, x: float, y: float) -> None:
        """Press keys as xdotool names them, such as ctrl+z, with the mouse there."""
        self._run("xdotool", *_move(x, y), "key", keys)

    def sidebar(self) -> tuple[int, int, int, int]:
        """The sidebar of the 3D View on the screen: left, top, right, bottom."""
        x, y, width, height = self.ask("r = sidebar(); answer = (r.x, r.y, r.width, r.height)")
        return x, self.height - y - height, x + width, self.height - y

    def open_tab(self, name: str) -> None:
        """Click down the tabs of the sidebar until the one called `name` is open."""
        self.ask("view_3d()['area'].spaces.active.show_region_ui = True")
        time.sleep(1.0)
        _, top, right, bottom = self.sidebar()
        seen = {self.ask("answer = sidebar().active_panel_category")}
        if name in seen:  # a click on the tab that is open would close it
            return
        for y in range(top + 30, bottom, 30):
            self.click(right - 14, y)
            time.sleep(0.2)
            seen.add(self.ask("answer = sidebar().active_panel_category"))
            if name in seen:
                return
        raise LookupError(f"no tab {name} in the sidebar, only {sorted(seen)}")

    def find_button(self, operator: str, in_header: bool = False) -> tuple[int, int]:
        """The place of an operator's button (such as ves.bake) in the sidebar, or in a panel's title there.

        Of several buttons of one operator, `ves.add_force(type='DAMPING'` is one of them.

        Ctrl C over a button copies the call that it makes: so the mouse goes down the panels and asks each.
        """
        for place in set(self.buttons.values()):  # buttons that suit the selection stand in the places of others
            if not in_header and self.is_at(operator, *place):
                self.buttons[operator] = place
                return place
        left, top, right, bottom = self.sidebar()
        seen = []
        width = right - left
        columns = (left + width // 3, left + 3 * width // 5, left + 4 * width // 5)
        for y in range(top + ROW, bottom, ROW):
            for x in (right - HEADER_BUTTON,) if in_header else columns:
                seen.append(self._call_at(x, y))
                if _is_call_of(operator, seen[-1]):
                    self.buttons[operator] = x, y
                    return x, y
        raise LookupError(f"no button for {operator} in the sidebar, only {sorted(set(seen))}")

    def is_at(self, operator: str, x: int, y: int) -> bool:
        """True if the button there calls the operator."""
        return _is_call_of(operator, self._call_at(x, y))

    def press_button(self, operator: str, in_header: bool = False) -> None:
        """Click an operator's button, where it was or wherever it is now.

        Panels slide for a while when one above them has changed its height, and on a busy machine for seconds. Who
        clicks meanwhile meets whatever is there then, such as another panel's title; so it is asked for first.
        """
        if operator in self.buttons:
            with contextlib.suppress(TimeoutError):
                self.wait_until(lambda: self.is_at(operator, *self.buttons[operator]), 10, "it has moved")
                self.click(*self.buttons[operator])
                return
        place = self.find_button(operator, in_header)
        self.wait_until(
            lambda: self.is_at(operator, *place), TO_REACT, f"the button for {operator} does not stand still"
        )
        self.click(*place)

    def _call_at(self, x: int, y: int) -> str:
        """The call that the button there would make; "" if there is none."""
        self.ask("bpy.context.window_manager.clipboard = ''")
        self.press("ctrl+c", x, y)
        self.ask("")  # a question may come before the key that was pressed first; the next one does not
        return self.ask("answer = bpy.context.window_manager.clipboard")
