# SPDX-License-Identifier: GPL-3.0-or-later
"""Bake: read the scene, simulate it, write keyframes. One generator serves button, background, scripts and tests.

The bake can be closed at any `yield`, and the scene is as it was: its keyframes are assigned after the last frame is
solved, looked at, and taken back if that is interrupted.
"""

import time
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import bpy
import numpy as np

from ...solver import MechanismError, Recording, RunError, Simulation, SimulationFailed, compiled
from ...solver.cycles.cyclic import CyclicSimulation
from ...solver.kernel import misfit
from ...solver.mechanism import Mechanism
from ...solver.simulation.inspection import Inspection, inspect
from ...solver.simulation.live import LiveRun
from ..animation.animated import animated_paths
from ..animation.kept import baked_shown
from ..check.advice import notes_on_weight
from ..check.bystanders import notes_on_bystanders
from ..check.contact_warnings import warn_of_contact
from ..check.falling import notes_on_falling
from ..findings import Finding, need_scipy, pass_on, refuse
from ..geometry import poses
from ..owner import Owner
from ..properties.contact import solver_options
from ..properties.scene import RELATIVE_TOLERANCE, SAMPLES
from ..quantities import recorded
from ..quantities.impact_marks import renew_marks
from ..quantities.plots import renew_plots
from ..read.fingerprint import fingerprint
from ..read.moved import take_along
from ..read.reading import Reading
from ..read.sampling import evaluate_at, frame_kept, show_frame, shown_frame
from ..read.scene import read_over_time
from ..read.solved import Solved
from .cycles import refuse_open, warnings_of
from .earlier_frames import baked_curves, goes_on_from, keep_earlier, keep_earlier_keys
from .freed_memory import give_back
from .locked import locked_channels
from .on_controls import put_on_controls
from .program import ProgramError, control, controller_of, is_controlled
from .solver_notes import findings_of
from .state import KEY, note
from .thread import beside, compile_solver
from .write_keyframes import Deferred, build_actions, discard_actions

COMPILING = "Compiling the solver (first time only)"
SLOW = "numba is missing for this version of Blender, so the solver runs without a compiler, which is far slower"
READ_SHARE, SOLVE_SHARE = 0.15, 0.9
BUDGET = 0.02  # s: of a run with a control program, between two looks at the window


class Progress(NamedTuple):
    """Progress of a bake (0 to 1), and its present work. `is_elsewhere`: a thread of its own is at work, so let it."""

    fraction: float
    text: str
    is_elsewhere: bool = False


@dataclass
class BakeResult:
    """Result of a bake. `notes` come from the solver, `advice` is on what runs, but perhaps not as meant.

    `failure` tells when and why a simulation stopped early, `culprits` whose fault it was. `begun`: the first frame of
    the bake from which it goes on. `is_part`: the result is kept beside the animation.
    """

    first: int
    last: int
    bodies: int
    joints: int
    evaluations: int
    seconds: float
    warnings: list[Finding] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    advice: list[Finding] = field(default_factory=list)
    failure: str = ""
    culprits: list[bpy.types.Object] = field(default_factory=list)
    begun: int = 0
    is_part: bool = False

    def warn(self, text: str) -> None:
        """Add what a person should know of all of it."""
        self.warnings.append(Finding(None, text))

    @property
    def summary(self) -> str:
        """One line for the status bar and the panel."""
        bodies = f"{self.bodies} {'body' if self.bodies == 1 else 'bodies'}"
        frames = f"frames {self.first} to {self.last}"
        if self.begun and self.begun < self.first:
            frames += f", on from those before, {self.begun} to {self.first}"
        done = f"Baked {bodies}, {frames}, in {self.seconds:.1f} s"
        if self.is_part:
            return f"{done}. Beside the animation, until you Accept or Discard it"
        return f"{done}. {self.failure}" if self.failure else done


class _Solved(NamedTuple):
    """A motion, the mechanism that makes it again, why it stopped early ("" if it did not), and whose fault it was."""

    mechanism: Mechanism
    recording: Recording
    failure: str = ""
    culprits: Sequence[bpy.types.Object] = ()
    warnings: Sequence[Finding] = ()


def bake(
    scene: bpy.types.Scene, view_layer: bpy.types.ViewLayer, frames: tuple[int, int] | None = None
) -> Iterator[Progress]:
    """Bake the scene; yields Progress often and returns a BakeResult. `frames` replaces the scene's frame range.

    Raises SceneError naming what can't be simulated. A simulation that can't go on keeps its frames up to there and
    says so in the result.
    """
    started = time.perf_counter()
    reading = yield from read_scene(scene, view_layer, frames)
    solved = yield from (_solve_controlled(reading) if is_controlled(scene) else solve(reading))
    reading = replace(reading, mechanism=solved.mechanism)
    result = yield from keep_motion(reading, view_layer, solved.recording, solved.failure)
    result.culprits = list(solved.culprits)
    result.warnings += solved.warnings
    result.seconds = time.perf_counter() - started
    return result


def keep_motion(
    reading: Reading, view_layer: bpy.types.ViewLayer, recording: Recording, failure: str = ""
) -> Iterator[Progress]:
    """Make keyframes of a recording, instead of what is keyed now; returns a BakeResult.

    `failure`: when and why the simulation stopped early, in words.
    """
    started = time.perf_counter()
    begun = reading.scene.ves[KEY]["first"] if goes_on_from(reading.scene, reading.first) else reading.first
    different = yield from _write(reading, view_layer, recording)
    result = BakeResult(
        first=reading.first,
        last=reading.first + len(recording.times) - 1,
        bodies=sum(binding.body.motion == "dynamic" for binding in reading.bodies),
        joints=len(reading.mechanism.joints),
        evaluations=int(recording.evaluations),
        seconds=time.perf_counter() - started,
        warnings=list(reading.warnings),
        notes=list(recording.notes),
        advice=[
            *notes_on_falling(reading),
            *notes_on_bystanders(reading.scene),
            *(note for binding in reading.bodies for note in notes_on_weight(binding.object)),
        ],
        failure=failure,
        begun=begun,
    )
    note(reading.scene, result.begun, result.last, failure, reading.fingerprint)
    if not compiled():
        result.warnings.append(Finding(None, f"{SLOW}; {misfit()}" if misfit() else SLOW))
    result.warnings += findings_of(recording.notes, reading, recording)
    result.warnings += different
    result.seconds = time.perf_counter() - started
    return result


def run_to_end(steps: Iterator):
    """Run a generator at once and give what it returns."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return end.value


def read_scene(
    scene: bpy.types.Scene,
    view_layer: bpy.types.ViewLayer,
    frames: tuple[int, int] | None = None,
    as_recorded: bool = True,
    as_shown: bool = False,
) -> Iterator[Progress]:
    """Read what is to be simulated, as `read_over_time` does; returns the Reading. Raises SceneError."""
    need_scipy()
    take_along(scene)
    taken = yield from _fingerprint(scene)
    steps = read_over_time(scene, view_layer, frames, as_recorded=as_recorded, warn=warn_of_contact, as_shown=as_shown)
    try:
        while True:
            progress = next(steps)
            yield Progress(READ_SHARE * progress.fraction, progress.text)
    except StopIteration as end:
        reading = end.value
        reading.fingerprint = taken
    finally:
        steps.close()
    reading.refuse_still()
    return reading


def _fingerprint(scene: bpy.types.Scene) -> Iterator[Progress]:
    """Note what is about to be read; returns it."""
    steps = fingerprint(scene)
    try:
        while True:
            next(steps)
            yield Progress(0.0, "Reading the settings")
    except StopIteration as end:
        return end.value


def options_of(scene: bpy.types.Scene) -> dict[str, Any]:
    """The solver's options for what becomes keyframes."""
    return {"relative": RELATIVE_TOLERANCE[scene.ves.accuracy], **solver_options(scene), "between": SAMPLES}


def solve(reading: Reading) -> Iterator[Progress]:
    """Simulate; returns what was solved."""
    options, kind = options_of(reading.scene), CyclicSimulation if reading.scene.ves.use_cycle else Simulation
    if kind is CyclicSimulation:
        refuse_open(reading)
    try:
        preparing = beside(_simulation(kind, reading.mechanism, reading.duration, reading.frame_rate, options))
        simulation = yield from saying(preparing, Progress(READ_SHARE, "Preparing the simulation", True))
        yield from compiled_for(simulation.warm_up())
        begun = Progress(READ_SHARE, "Simulating", True)
        yield begun
        for progress in beside(simulation.run()):
            fraction = READ_SHARE + (SOLVE_SHARE - READ_SHARE) * (progress.fraction if progress else 0.0)
            text = f"Simulating frame {reading.first + progress.frames_done}" if progress else begun.text
            yield Progress(fraction, text, True)
    except (MechanismError, RunError) as error:
        pass_on(error, reading.scene, reading.first)
    except SimulationFailed as error:
        return _stopped(reading, reading.mechanism, error.recording, error)
    warnings = warnings_of(simulation) if kind is CyclicSimulation else ()
    return _Solved(reading.mechanism, simulation.recording, warnings=warnings)


def _solve_controlled(reading: Reading) -> Iterator[Progress]:
    """Simulate by a run that nobody sees, at each frame of which the control program acts; returns what was solved.

    The program runs in Blender's own thread, and so does the run.
    """
    scene, begun = reading.scene, []
    if scene.ves.use_cycle:
        refuse(None, "a control program cannot run in a Loop: switch off Loop, or the program In Bakes")
    controller = controller_of(scene, reading.mechanism)
    try:
        pieces = begin_live(begun, reading.mechanism, reading.frame_rate, options_of(scene))
        yield from compiled_for(pieces)
    except (MechanismError, RunError) as error:
        pass_on(error, scene, reading.first)
    except SimulationFailed as error:
        return _stopped(reading, reading.mechanism, error.recording, error)
    run, last = begun[0], reading.last - reading.first
    try:
        while run.frame < last:
            if run.is_on_frame and controller.frame != run.frame:
                control(controller, run)
            run.advance(run.frame + 1, BUDGET)
            share = READ_SHARE + (SOLVE_SHARE - READ_SHARE) * run.frame / last
            yield Progress(share, f"Simulating frame {reading.first + run.frame} with {controller.name}")
    except SimulationFailed as error:
        return _stopped(reading, run.mechanism, run.recording(), error)
    except (ProgramError, MechanismError) as error:
        reason = f"It stopped at frame {reading.first + run.frame}: {error}"
        if run.frame < 1:
            refuse(None, reason)
        return _Solved(run.mechanism, run.recording(), reason)
    return _Solved(run.mechanism, run.recording())


def _stopped(reading: Reading, mechanism: Mechanism, recording: Recording | None, error: SimulationFailed) -> _Solved:
    """The rest of a simulation that could not go on. Raises SceneError if nothing is left."""
    culprits = [owner for owner in map(reading.object_of, error.body_names) if owner]
    frame = reading.first + error.time * reading.frame_rate
    text = f"It stopped at frame {frame:.1f}: {error.reason}"
    if recording is None or len(recording.times) < 2:
        refuse(culprits[0] if culprits else None, text)
    return _Solved(mechanism, recording, text, culprits)


def begin_live(begun: list[LiveRun], mechanism: Mechanism, frame_rate: float, options: dict[str, Any]) -> Iterator[str]:
    """Put a live run at its start into `begun`; that alone compiles a part of the solver."""
    yield "the start"
    begun.append(LiveRun(mechanism, frame_rate, **options))
    yield from begun[0].warm_up()


def _simulation(
    kind: type[Simulation], mechanism: Mechanism, duration: float, frame_rate: float, options: dict[str, Any]
) -> Generator[None, None, Simulation]:
    """Make the simulation; work for a thread."""
    yield
    return kind(mechanism, duration, frame_rate, **options)


def _inspection(mechanism: Mechanism, recording: Recording) -> Generator[None, None, Inspection]:
    """Work out what Inspect shows; work for a thread."""
    yield
    return inspect(mechanism, recording)


def saying(work: Iterator, progress: Progress) -> Iterator[Progress]:
    """Go through the steps of some work; returns what it returns."""
    while True:
        try:
            next(work)
        except StopIteration as end:
            return end.value
        yield progress


def compiled_for(pieces: Iterator[str], with_inspection: bool = True) -> Iterator[Progress]:
    """Compile the solver, or load it from the cache, as the solver's own generator does piece by piece."""
    for piece in compile_solver(pieces, with_inspection):
        yield Progress(READ_SHARE, f"{COMPILING}: {piece}" if piece else COMPILING, True)


def _write(reading: Reading, view_layer: bpy.types.ViewLayer, recording: Recording) -> Iterator[Progress]:
    """Make the keyframes and look at them; returns what differs. They stay only once they have been looked at."""
    made: list[tuple[bpy.types.Object, bpy.types.Action]] = []
    deferred: list[Deferred] = []
    ties = [action.time for action in reading.mechanism.actions if action.set is None or "enabled" in action.set]
    solved = Solved.of_recording(recording, reading.frame_rate, ties)
    may_be_between = reading.scene.ves.keys_between
    give_back()
    try:
        for fraction in build_actions(reading.bodies, solved, reading.first, made, may_be_between, deferred):
            yield Progress(
                SOLVE_SHARE + (1.0 - SOLVE_SHARE) * fraction, f"Writing keyframes: {fraction:.0%} of all bodies"
            )
        recording.between.clear()  # keys have been made of it, and the largest part of it that is
        computing = Progress(1.0, "Computing forces and energies for Inspect")
        yield computing
        inspecting = beside(_inspection(reading.mechanism, recording))
        found = yield from saying(inspecting, computing._replace(is_elsewhere=True))
        values = yield from saying(recorded.gather(reading, recording, found, made), computing)
        del found, inspecting
        give_back()
        earlier = baked_curves(reading.scene, reading.first, made)
        if goes_on_from(reading.scene, reading.first):
            keep_earlier(reading.scene, reading.first, made, values)
        with frame_kept(reading.scene), baked_shown(made) as assigning:
            for _ in assigning:
                yield Progress(1.0, "Looking at the result")
            steps = put_on_controls(reading, view_layer, solved, made, deferred)
            different = yield from saying(steps, Progress(1.0, "Keying the controls of rigs"))
            for owner, curves in earlier.items():
                keep_earlier_keys(curves, dict(made)[owner], reading.first)
            told = {each.object for each in different}
            different += locked_channels(reading.bodies, made)
            seen = yield from _differences(reading, recording, view_layer)
            different += [each for each in seen if each.object not in told]
    except BaseException:
        discard_actions(made)
        raise
    recorded.keep(values, reading.scene)
    renew_plots(reading.scene)
    renew_marks(reading.scene)
    scene = reading.scene
    show_frame(scene, shown_frame(scene))  # plots show their values
    return different


def _differences(reading: Reading, recording: Recording, view_layer: bpy.types.ViewLayer) -> Iterator[Progress]:
    """Look whether the scene really shows the solved poses: something unforeseen may move an object as well.

    Returns findings. Three frames tell enough. Call inside `frame_kept`.
    """
    last = reading.first + len(recording.times) - 1
    dynamic = [binding for binding in reading.bodies if binding.body.motion == "dynamic"]
    number = {name: i for i, name in enumerate(recording.body_names)}
    columns = [number[binding.body.name] for binding in dynamic]
    residuals = np.array([binding.residual for binding in dynamic])
    different: dict[str, Finding] = {}
    for frame in sorted({reading.first, (reading.first + last) // 2, last}):
        depsgraph = evaluate_at(reading.scene, view_layer, frame)
        row = frame - reading.first
        expected = poses.join(recording.position[row, columns], recording.orientation[row, columns], residuals)
        shown = np.array([binding.owner.world(depsgraph) for binding in dynamic])
        tolerance = 1e-4 * (np.abs(expected[:, :3]).max(axis=(1, 2)) + 1e-2)
        for i in np.flatnonzero(np.abs(shown - expected).max(axis=(1, 2)) > tolerance):
            owner = dynamic[i].object
            if owner.evaluated_get(depsgraph).hide_viewport:
                continue  # by a key: Blender does not move what it does not show
            text = f"does not quite show the solved motion at frame {frame}: {likely_reason(owner)}"
            different.setdefault(owner.name_full, Finding(owner, text))
        yield Progress(1.0, "Looking at the result")
    return list(different.values())


def likely_reason(owner: bpy.types.Object) -> str:
    """Why an object may not show a pose that it was given, in words."""
    bone = Owner(owner).bone
    if bone is not None:
        held = "it is connected to its parent, " if bone.bone.use_connect else ""
        return f"of the bone {bone.name}: {held}or a driver or a constraint of the rig moves it as well"
    if "scale" in animated_paths(owner):
        return "its scale is animated; mass and shape stay as at the first frame: remove the keys of its scale"
    if owner.parent:
        return (
            f"its parent {owner.parent.name} distorts it (scale) or is constrained; clear the parent (keep transform)"
        )
    return "a driver, a handler or the NLA moves it as well"
