# SPDX-License-Identifier: GPL-3.0-or-later
"""Scenes of contact side by side: ours, MuJoCo and Blender's own rigid bodies, all with the same substeps.

The pile is set beside the built-in at equal depth too, with as many substeps as that needs.

Ours is the whole way from the mechanism to the recording. MuJoCo is only stepped and its poses are read; Blender steps
through the frames. All three are then judged by their poses and velocities at the same frames.
"""

import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np

from solver import simulate

from .blender import ask_blender
from .contact_motion import Judgement, Motion, judged
from .contact_scenes import BUILDERS, FRAME_RATE, SUBSTEPS, Scene
from .machine import Machine
from .mujoco_contact import MujocoScene
from .table import Row, Section

CASES = (("cans", 8), ("pile", 200), ("stack", 10), ("heavy_on_light", 100), ("dominoes", 50))
LINKS = (10, 50, 100, 200, 400)
MOST_OF_MUJOCO = 100  # links; with 200 it takes 150 s for one
REPEATS, PATIENCE = 3, 5.0  # runs, and seconds after which no further one is begun
FASTER_THAN_TIME = 20.0  # the cans
FINER = (20, 40, 80)  # substeps of the built-in, until it is no deeper in the pile than ours
EXPONENT = 1.2  # of the time for a contact, in links


class Result(NamedTuple):
    """Least wall clock for a second of motion, and what became of the scene."""

    seconds: float
    judgement: Judgement

    @property
    def words(self) -> str:
        depth, gap, gain = self.judgement
        joints = f", gap {_length(gap)}" if gap > 0.0 else ""
        return f"{1e3 * self.seconds:.2f} ms, depth {_length(depth)}{joints}, gain {100 * gain:.2g} %"


def measure(_machine: Machine) -> Section:
    """One row for each scene and each other engine, and one for how the cost grows with a chain."""
    section, version = Section("Contact: wall clock for a second of motion, and how true it is"), ""
    for name, number in CASES:
        scene = BUILDERS[name](number)
        ours, mujoco = _ours(scene), _mujoco(scene)
        built_in, version = _built_in(name, number, scene)
        section.rows += [_row(name, scene, ours, "MuJoCo", mujoco), _row(name, scene, ours, "built-in", built_in)]
        if name == "pile":
            section.rows.append(_at_equal_depth(name, number, scene, ours, built_in))
    section.rows += _chain_rows()
    section.remarks = [
        f"{SUBSTEPS} substeps in each of {FRAME_RATE} frames a second, for all; least of up to {REPEATS} runs; "
        "ratio: theirs / ours, above 1: ours is faster",
        "ours: simulate with integrator impulse, from the mechanism to the recording; kernels compiled before",
        "MuJoCo: mj_step and reading of poses; elliptic cones, time constant of contacts two steps, which is its "
        "least; it knows no restitution",
        f"built-in: Blender {version}, stepping through the frames, 10 iterations, no margins",
        "depth: the largest overlap at any frame, by MuJoCo's collision detection for all three; gap: the largest "
        "distance of a joint's two points;",
        "gain: the largest rise of energy above its lowest so far, as a part of what there was to lose at the start; "
        "contact can only take",
    ]
    return section


def _row(name: str, scene: Scene, ours: Result, engine: str, theirs: Result) -> Row:
    row = Row(scene.title, ours.words, f"{engine}: {theirs.words}", f"{theirs.seconds / ours.seconds:.2f}")
    if name == "cans" and engine == "MuJoCo":
        row.target = f">= {FASTER_THAN_TIME:g} x real time"
        row.met = ours.seconds <= 1.0 / FASTER_THAN_TIME
    return row


def _at_equal_depth(name: str, number: int, scene: Scene, ours: Result, built_in: Result) -> Row:
    """The built-in with the fewest substeps that take it no deeper than ours; or the most that are tried."""
    theirs, substeps = built_in, SUBSTEPS
    for finer in FINER:
        if theirs.judgement.depth <= ours.judgement.depth:
            break
        theirs, substeps = _built_in(name, number, scene, finer)[0], finer
    row = _row(name, scene, ours, f"built-in, {substeps} substeps", theirs)
    row.case, row.target = f"{scene.title}, at equal depth", ">= 1"
    row.met = ours.seconds <= theirs.seconds
    return row


def _chain_rows() -> list[Row]:
    rows, times = [], {"ours": {}, "MuJoCo": {}, "built-in": {}}
    for count in LINKS:
        scene = BUILDERS["chain"](count)
        ours = _ours(scene)
        theirs = {"MuJoCo": _mujoco(scene)} if count <= MOST_OF_MUJOCO else {}
        theirs["built-in"], _ = _built_in("chain", count, scene)
        rows += [_row("chain", scene, ours, engine, result) for engine, result in theirs.items()]
        for engine, result in (theirs | {"ours": ours}).items():
            times[engine][count] = result.seconds
    return [*rows, _growth(times)]


def _growth(times: dict[str, dict[int, float]]) -> Row:
    """A chain that lies has as many contacts as links: time over links is the time for a contact."""

    def exponent(engine: str) -> float:
        counts, seconds = np.array([(n, t) for n, t in times[engine].items() if n > LINKS[0]]).T
        return float(np.polyfit(np.log(counts), np.log(seconds / counts), 1)[0])

    return Row(
        f"growth, chains of {LINKS[1]} to {LINKS[-1]} links",
        f"time for a contact ~ links^{exponent('ours'):.2f}",
        f"MuJoCo links^{exponent('MuJoCo'):.2f} (to {MOST_OF_MUJOCO}), built-in links^{exponent('built-in'):.2f}",
        target=f"exponent < {EXPONENT:g}",
        met=exponent("ours") < EXPONENT,
    )


def _ours(scene: Scene) -> Result:
    def run() -> Motion:
        recording = simulate(scene.mechanism, scene.duration, FRAME_RATE, integrator="impulse", substeps=SUBSTEPS)
        return Motion(*(getattr(recording, name) for name in Motion._fields))

    run()  # compiles
    return _measured(scene, run)


def _mujoco(scene: Scene) -> Result:
    frames = round(scene.duration * FRAME_RATE)

    def run() -> Motion:
        engine = MujocoScene(scene.mechanism, 1.0 / (FRAME_RATE * SUBSTEPS))
        begun, states = time.perf_counter(), [(*engine.poses(), *engine.velocities())]
        for _ in range(frames):
            engine.step(SUBSTEPS)
            states.append((*engine.poses(), *engine.velocities()))
        stepping.append(time.perf_counter() - begun)
        return Motion(*(np.array(column) for column in zip(*states, strict=True)))

    stepping: list[float] = []
    result = _measured(scene, run)
    return Result(min(stepping) / scene.duration, result.judgement)  # without building the model


def _measured(scene: Scene, run: Callable[[], Motion]) -> Result:
    seconds = []
    while len(seconds) < REPEATS and sum(seconds) < PATIENCE:
        begun = time.perf_counter()
        motion = run()
        seconds.append(time.perf_counter() - begun)
    return Result(min(seconds) / scene.duration, judged(scene, motion))


def _built_in(name: str, number: int, scene: Scene, substeps: int = SUBSTEPS) -> tuple[Result, str]:
    """(result, Blender's version), from a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "motion.npz"
        answer = ask_blender(name, number, substeps, REPEATS, path, module="blender_contact")
        with np.load(path) as arrays:
            motion = Motion(*(arrays[field] for field in Motion._fields))
    return Result(min(answer["seconds"]) / scene.duration, judged(scene, motion)), answer["version"]


def _length(metres: float) -> str:
    """In millimetres, or as a power of ten if it is next to nothing."""
    return f"{1e3 * metres:.2g} mm" if metres >= 1e-6 else f"{metres:.0e} m"
