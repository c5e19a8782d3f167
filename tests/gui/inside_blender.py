# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs inside the Blender under test: answers the questions that tests/gui/window.py leaves in a folder.

usage: blender --python tests/gui/inside_blender.py -- FOLDER

A question is a Python program in FOLDER/question.py; what it leaves in `answer` comes back in FOLDER/answer.json.
Only the timer runs it, between Blender's own events, so the window works as it does for a person.
"""

import json
import sys
import traceback
from pathlib import Path

import bpy

FOLDER = Path(sys.argv[sys.argv.index("--") + 1])
PERIOD = 0.02


def view_3d() -> dict:
    """A context for operators that expect to be called from the 3D View."""
    window = bpy.context.window_manager.windows[0]
    area = next(area for area in window.screen.areas if area.type == "VIEW_3D")
    region = next(region for region in area.regions if region.type == "WINDOW")
    return {"window": window, "area": area, "region": region}


def sidebar() -> bpy.types.Region:
    return next(region for region in view_3d()["area"].regions if region.type == "UI")


def answer_question() -> float:
    question = FOLDER / "question.py"
    if question.exists():
        program = question.read_text(encoding="utf-8")
        question.unlink()
        names = {"bpy": bpy, "sidebar": sidebar, "view_3d": view_3d, "answer": None}
        try:
            with bpy.context.temp_override(**view_3d()):
                exec(program, names)
            reply = {"answer": names["answer"]}
        except BaseException:  # noqa: BLE001  the asker raises it again
            reply = {"error": traceback.format_exc()}
        unfinished = FOLDER / "answer.unfinished"
        unfinished.write_text(json.dumps(reply), encoding="utf-8")
        unfinished.rename(FOLDER / "answer.json")
    return PERIOD


bpy.app.timers.register(answer_question, first_interval=1.0, persistent=True)
