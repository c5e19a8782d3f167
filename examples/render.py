# SPDX-License-Identifier: GPL-3.0-or-later
"""Builds a scene of this folder, bakes it, measures it, saves it and renders it, and says what happened.

usage: python -m examples.render trailing_cans      in an environment that has bpy; `make demo` does that

The .blend, the mechanism file, a contact sheet and a clip go to artefacts/demo.
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import bpy

from .extension import ROOT, extension
from .measure import measure
from .pictures import FULL, QUICK, Quality, clip, contact_sheet, render_frames

FOLDER = ROOT / "artefacts" / "demo"
SCENES = (
    "trailing_cans",
    "hanging_chain",
    "settling_chain",
    "four_bar",
    "scissor_lift",
    "robot_arm",
    "police_car",
    "tensegrity",
    "manipulator_arm",
    "pendulum_wave",
    "half_pipe",
    "skate_bowl",
    "differential_shoulder",
    "drawer",
    "cam_automaton",
    "worn_gears",
    "derrick",
    "bollard",
    "car_on_hills",
    "free_bicycle",
    "crane",
    "marble_run",
    "dominoes",
    "card_house",
    "bowling",
    "ragdoll",
    "stuntman",
    "crowd",
    "drummer",
    "dog",
    "speed_bumps",
    "passenger",
    "shove",
    "reaching",
    "bicycle",
    "courier",
    "strandbeest",
    "strandbeest_on_ground",
    "bicycle_chain",
    "millipede",
    "molecule",
)
POSED = {"bicycle_chain", "millipede", "molecule"}  # by Pose; nothing is baked
LIVE = {"strandbeest"}  # nothing is baked, either
LARGE = {"settling_chain", "crowd"}  # hundreds or thousands of bodies: too long for each version of Blender
TOUCHING = {
    "crane",
    "dog",
    "marble_run",
    "dominoes",
    "card_house",
    "bowling",
    "ragdoll",
    "stuntman",
    "crowd",
    "drummer",
    "speed_bumps",
    "passenger",
    "shove",
    "reaching",
    "bicycle",
    "courier",
    "strandbeest_on_ground",
}  # scenes where bodies lie on each other
SHEET_FRAMES, SHEET_COLUMNS = 12, 4
TOLD_EVERY = 10.0  # s


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m examples.render", description=__doc__.splitlines()[0])
    parser.add_argument("scene", choices=SCENES)
    parser.add_argument("--no-pictures", action="store_true", help="build, bake, measure and save only")
    options = parser.parse_args()
    FOLDER.mkdir(parents=True, exist_ok=True)
    with extension():
        started = time.perf_counter()
        (build_posed if options.scene in POSED | LIVE else build_and_bake)(options.scene)
        if not options.no_pictures:
            make_pictures(options.scene)
        print(f"All in {time.perf_counter() - started:.0f} s")


def build_and_bake(name: str) -> None:
    """Everything but the pictures. Ends the program if the bake was refused or stopped early."""
    scene = bpy.context.scene
    with quietly():
        scenes = importlib.import_module(f"examples.{name}")
        scenes.build()
        bpy.ops.ves.check()
        ended = bpy.ops.ves.bake()
        bpy.ops.ves.export_mechanism(filepath=str(FOLDER / f"{name}.json"))
    for finding in scene.ves.findings:
        print(f"{finding.severity.title()}: {finding.text}")
    if ended != {"FINISHED"}:
        sys.exit(f"{name} was not baked")
    print(f"Blender {bpy.app.version_string}: {scene.ves.status}")
    if hasattr(scenes, "finish"):
        with quietly():
            scenes.finish()
    report_solver(name)
    report_measured(scene, name)
    path = FOLDER / f"{name}.blend"
    with quietly():
        bpy.ops.wm.save_as_mainfile(filepath=str(path), check_existing=False, compress=True)
    print(f"Saved {path.relative_to(ROOT)}")


def build_posed(name: str) -> None:
    """The same of a scene that is posed and keyed, or live, not baked."""
    scene, started = bpy.context.scene, time.perf_counter()
    with quietly():
        importlib.import_module(f"examples.{name}").build()
    bodies = sum(ob.ves.role == "BODY" for ob in scene.objects)
    said = scene.ves.live_mobility or scene.ves.pose_status
    print(f"Blender {bpy.app.version_string}: {said}; {scene.frame_end} frames")
    print(f"Built {bodies} bodies in {time.perf_counter() - started:.1f} s")
    path = FOLDER / f"{name}.blend"
    with quietly():
        bpy.ops.wm.save_as_mainfile(filepath=str(path), check_existing=False, compress=True)
    print(f"Saved {path.relative_to(ROOT)}")


def report_solver(name: str) -> None:
    """Solve the exported mechanism once more, without Blender: what it took, and how many bodies and joints it has."""
    from virtual_erector_set.scene.properties.contact import solver_options
    from virtual_erector_set.solver import Mechanism, simulate

    mechanism = Mechanism.load(FOLDER / f"{name}.json")
    scene = bpy.context.scene
    duration = (scene.frame_end - scene.frame_start) * scene.render.fps_base / scene.render.fps
    recording = simulate(mechanism, duration, scene.render.fps / scene.render.fps_base, **solver_options(scene))
    moving = sum(body.motion == "dynamic" for body in mechanism.bodies)
    print(
        f"Bodies: {len(mechanism.bodies)} ({moving} dynamic); joints: {len(mechanism.joints)}; "
        f"evaluations: {recording.evaluations}; the solver alone: {recording.wall_time:.2f} s"
    )


def report_measured(scene: bpy.types.Scene, name: str) -> None:
    """Print measures of the keyframes."""
    measured = measure(scene, with_collisions=name not in TOUCHING)
    print(f"Largest joint gap: {1e6 * measured.joint_gap:.2g} µm; lowest point of a body: {measured.lowest:.2f} m")
    for (a, b), frames in measured.collisions.items():
        print(f"{a} and {b} are inside each other at {len(frames)} frames, first at {frames[0]}")


def make_pictures(name: str) -> None:
    """The contact sheet, of few frames, and then the clip, of all, rendered more quickly."""
    scene = bpy.context.scene
    frames = range(scene.frame_start, scene.frame_end + 1)
    shown = min(SHEET_FRAMES, len(frames))
    chosen = [frames[round((i + 0.5) * len(frames) / shown - 0.5)] for i in range(shown)]
    sheet, film = FOLDER / f"{name}.jpg", FOLDER / f"{name}.mp4"
    pictures = render(scene, FOLDER / name / "sheet", chosen, FULL)
    contact_sheet(pictures, max(1, min(SHEET_COLUMNS, shown // 2)), sheet)
    print(f"Contact sheet: {sheet.relative_to(ROOT)}; the clip follows, Ctrl-C leaves it out", flush=True)
    pictures = render(scene, FOLDER / name, frames, QUICK)
    with quietly():
        has_clip = clip(pictures, scene.render.fps, film)
    if has_clip:
        print(f"Clip: {film.relative_to(ROOT)}")
    else:
        print(f"No clip, because this Blender has no FFmpeg; its frames are in {pictures[0].parent.relative_to(ROOT)}")


def render(scene: bpy.types.Scene, folder: Path, frames: Sequence[int], quality: Quality) -> list[Path]:
    """Pictures of some frames; prints how far it is and the time left."""
    started = told = time.perf_counter()

    def watch(done: int) -> None:
        nonlocal told
        now = time.perf_counter()
        if now - told > TOLD_EVERY and done < len(frames):
            left = (now - started) / done * (len(frames) - done)
            with aloud():
                print(f"  {done} of {len(frames)} frames, {left:.0f} s left", flush=True)
            told = now

    with quietly() as aloud:
        pictures = render_frames(scene, folder, frames, quality, watch)
    print(f"Rendered {len(pictures)} frames in {time.perf_counter() - started:.0f} s")
    return pictures


@contextmanager
def quietly() -> Iterator[Callable]:
    """Keep Blender's own words about each frame away: its C code prints them, below Python's standard output.

    Gives a context in which ours are heard all the same.
    """
    sys.stdout.flush()
    kept = os.dup(1)

    @contextmanager
    def aloud() -> Iterator[None]:
        sys.stdout.flush()
        quiet = os.dup(1)
        os.dup2(kept, 1)
        yield
        sys.stdout.flush()
        os.dup2(quiet, 1)
        os.close(quiet)

    with open(os.devnull, "w") as nowhere:
        os.dup2(nowhere.fileno(), 1)
    try:
        yield aloud
    finally:
        sys.stdout.flush()
        os.dup2(kept, 1)
        os.close(kept)


if __name__ == "__main__":
    main()
