# SPDX-License-Identifier: GPL-3.0-or-later
"""From the first body on, a process beside Blender compiles what the first bake would wait for.

It runs at a lower priority, and only beside a window. It is another process, since a thread that compiles would hold
up Blender's exit, and now and then its window. What is in the cache already is merely looked through, in seconds.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path

import bpy

from ...solver import compile_ahead, kernel

NAP = 0.02  # s to wait between two looks at the process


class _Ahead:
    """The process, and what it is at."""

    def __init__(self, touching: bool) -> None:
        self.piece = ""
        command = [sys.executable, "-I", compile_ahead.__file__, str(kernel.cache_folder())]
        quiet = getattr(subprocess, "CREATE_NO_WINDOW", 0) | getattr(subprocess, "BELOW_NORMAL_PRIORITY_CLASS", 0)
        self.process = subprocess.Popen(
            [*command, "touching" if touching else "free", *filter(None, sys.path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            creationflags=quiet,
        )
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        for line in self.process.stdout:
            self.piece = line.strip()
        self.process.wait()
        self.piece = ""


_ahead: _Ahead | None = None


def begin(scene: bpy.types.Scene) -> None:
    """Start the process, if there is a window, a compiler, and nothing under way or done."""
    global _ahead
    if _ahead is None and not bpy.app.background and kernel.compiles() and _is_python(sys.executable):
        _ahead = _Ahead(scene.ves.use_contact)


def wait_for(piece: str) -> None:
    """Called by those who are to make this piece: wait if the process is at it; if at others, end it for now.

    Its work would be done twice at once. It begins anew with the next body.
    """
    ahead = _ahead
    if ahead is not None:
        while ahead.piece == piece:
            time.sleep(NAP)
        if ahead.process.poll() is None:
            stop()


def stop() -> None:
    """End the process; what it has compiled stays in the cache."""
    global _ahead
    if _ahead is not None:
        _ahead.process.kill()
        _ahead = None


def _is_python(program: str) -> bool:
    return Path(program).stem.lower().startswith("python") and shutil.which(program) is not None


@bpy.app.handlers.persistent
def _look_at_file(_file: str) -> None:
    """A file that has bodies will be baked, or played."""
    for scene in bpy.data.scenes:
        if any(ob.ves.role == "BODY" for ob in scene.objects):
            begin(scene)
            return


HANDLERS = {"load_post": _look_at_file}
