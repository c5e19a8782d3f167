# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender killed in a bake, and while it saves: the file can be opened, and has the old bake or the new one.

usage: python -m tests.blender.storms.kills [--count 100] [--seed 1]

Another process bakes and saves the same file again and again, each time with another gravity; after a random time it is
killed, as by the system. Then the file is opened.
"""

from __future__ import annotations

import argparse
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from tests.blender.conftest import ROOT, load_extension

load_extension()

import bpy  # noqa: E402
import numpy as np  # noqa: E402
from virtual_erector_set.scene.animation.kept import is_baked  # noqa: E402
from virtual_erector_set.scene.bake.state import KEY, state_of  # noqa: E402

from tests.blender.linkages import car_with_cans  # noqa: E402

CANS, FRAMES = 6, 40
LONGEST = 2.0  # times what a bake and a save take, until it is killed


def make_file(path: Path) -> None:
    """Baked, with gravity along X telling how often."""
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    car_with_cans(CANS, FRAMES)
    bake_and_save(path, 0)


def bake_and_save(path: Path, number: int) -> None:
    """The present file, another time."""
    bpy.context.scene.gravity.x = 0.01 * number
    bpy.ops.ves.bake()
    bpy.ops.wm.save_as_mainfile(filepath=str(path), check_existing=False)


def work(path: Path) -> None:
    """Bake and save until killed."""
    load_extension().register()
    bpy.ops.wm.open_mainfile(filepath=str(path))
    number, begun = round(100.0 * bpy.context.scene.gravity.x), time.monotonic()
    while True:
        number += 1
        bake_and_save(path, number)
        print(f"took {time.monotonic() - begun}", flush=True)
        begun = time.monotonic()


def judge(path: Path) -> str:
    """Faults of the file, in words; "" if it has one whole bake."""
    bpy.ops.wm.open_mainfile(filepath=str(path))
    scene = bpy.context.scene
    cans = [ob for ob in scene.objects if ob.name.startswith("can")]
    if len(cans) != CANS or not all(map(is_baked, cans)):
        return "bodies or bakes are missing"
    if KEY not in scene.ves or state_of(scene).text != f"Baked, frames 1 to {FRAMES}":
        return f"its state is {state_of(scene).text}"
    if scene.ves.findings or scene.ves.before_play:
        return "something is left of what was under way"
    shown = np.array(
        [ob.animation_data.action.layers[0].strips[0].channelbags[0].fcurves[0].evaluate(FRAMES) for ob in cans]
    )
    bpy.ops.ves.bake()
    again = np.array(
        [ob.animation_data.action.layers[0].strips[0].channelbags[0].fcurves[0].evaluate(FRAMES) for ob in cans]
    )
    return "" if np.array_equal(shown, again) else "its keys are not those of its gravity"


def storm(count: int, seed: int, tell: Callable[[str], None] = print) -> tuple[list[str], int]:
    """Kill `count` times; returns what was wrong, and how many different bakes were found."""
    chance, failed, found = random.Random(seed), [], set()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "killed.blend"
        make_file(path)
        for number in range(count):
            command = [sys.executable, "-m", "tests.blender.storms.kills", "--work", str(path)]
            worker = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
            try:
                took = [_seconds(worker) for _ in range(2)][-1]  # the first bake loads the solver
                time.sleep(chance.uniform(0.0, LONGEST * took))
            finally:
                worker.kill()
                worker.wait()
            if not path.exists():  # Blender has put the old file aside, and has not given the new one its name yet
                shutil.copy(path.with_suffix(".blend1"), path)
            wrong = judge(path)
            found.add(round(100.0 * bpy.context.scene.gravity.x))
            if wrong:
                failed.append(f"{number}: {wrong}")
                tell(failed[-1])
                make_file(path)
    return failed, len(found)


def _seconds(worker: subprocess.Popen) -> float:
    """Wait for the next bake to be saved; how long it took."""
    for line in worker.stdout:
        if line.startswith("took "):
            return float(line.removeprefix("took "))
    raise RuntimeError("the other process ended by itself")


def main() -> None:
    """As usage says."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--work", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.work:
        work(options.work)
    extension = load_extension()
    extension.register()
    failed, found = storm(options.count, options.seed)
    print(f"{options.count} kills, {len(failed)} files wrong; {found} different bakes were found", flush=True)
    extension.unregister()
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
