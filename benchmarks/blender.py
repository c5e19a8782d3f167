# SPDX-License-Identifier: GPL-3.0-or-later
"""Starts Blender as a Python module in a process of its own, so that it can neither disturb nor end the benchmark."""

import json
import subprocess
import sys
from pathlib import Path

from .machine import keeping_byte_code

ROOT = Path(__file__).resolve().parents[1]


def ask_blender(*task: object, module: str = "blender_scenes") -> dict:
    """The answer of a module of benchmarks to a task. Raises RuntimeError with Blender's words if it has none."""
    command = [sys.executable, "-m", f"benchmarks.{module}", *map(str, task)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, env=keeping_byte_code())
    lines = done.stdout.strip().splitlines()
    if done.returncode or not lines or not lines[-1].startswith("{"):
        raise RuntimeError(f"Blender failed at {' '.join(map(str, task))}:\n{done.stdout[-2000:]}{done.stderr[-4000:]}")
    return json.loads(lines[-1])
