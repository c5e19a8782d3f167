# SPDX-License-Identifier: GPL-3.0-or-later
"""Play: the mechanism runs live in the viewport, and a person pushes buttons and pulls bodies meanwhile.

`Play.steps` is a generator like that of Bake; who drives it (an operator, a test) calls the other methods between two
steps. Only when the run is kept anything of the scene has changed; otherwise it is as it was, however the run ends.
"""

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import bpy
import numpy as np
from mathutils import Matrix

from ...solver import MechanismError, Recording, RunError, SimulationFailed
from ...solver.mechanism import Mechanism
from ...solver.simulation.live import LiveRun
from ..bake.bake import Progress, compiled_for, keep_motion, read_scene
from ..bake.state import note_actions
from ..findings import Finding, SceneError, of_error
from ..geometry import poses
from ..preview.stage import Stage, note, staged
from ..properties.contact import solver_options
from ..properties.play import play_factor
from ..properties.scene import RELATIVE_TOLERANCE, SAMPLES
from ..quantities.live import LiveRecords
from ..quantities.recorded import running
from ..read.reading import Reading
from ..read.recorded_actions import record
from .action_buttons import Switchboard
from .building import BuildingSite
from .drag import grip_on, rounded
from .knobs import Knobs
from .program import Controller, ProgramError

BUDGET = 0.025  # s that a step works
LONGEST = 0.25  # s that go by between two steps at most: after a longer wait, the run just goes on
SMOOTH = 0.5  # s over which the speed is measured
SLOW = 0.95  # of the chosen speed: less than this is said

Pose = tuple[np.ndarray, np.ndarray]
MOTION, ACTIONS, VALUES, START, POSE = "MOTION", "ACTIONS", "VALUES", "START", "POSE"
"""What is kept: keyframes and the recorded actions, these alone, the settings as they were turned, or the last moment,
as the next start or a pose."""


class Ended(NamedTuple):
    """A run whose last moment is kept: what was read, what has run, and how."""

    reading: Reading
    mechanism: Mechanism
    recording: Recording
    is_pose: bool


@dataclass
class PlayResult:
    """The part of a run that was kept: frames as keyframes (None: none), and entries in the recorded actions.

    `ended`: instead of frames, its last moment is to be kept.
    """

    frames: tuple[int, int] | None = None
    actions: int = 0
    settings: int = 0
    warnings: list[Finding] = field(default_factory=list)
    advice: list[Finding] = field(default_factory=list)
    failure: str = ""
    culprits: list[bpy.types.Object] = field(default_factory=list)
    ended: Ended | None = None

    @property
    def summary(self) -> str:
        """One line for the status bar and the panel."""
        if self.settings:
            return f"Kept {self.settings} {'setting' if self.settings == 1 else 'settings'} as they were turned"
        actions = f"{self.actions} recorded {'action' if self.actions == 1 else 'actions'}"
        if self.frames:
            kept = f"Kept frames {self.frames[0]} to {self.frames[1]}" + (f" and {actions}" if self.actions else "")
        else:
            kept = f"Kept {actions}" if self.actions else "Nothing was done, so there is nothing to keep"
        return f"{kept}. {self.failure}" if self.failure else kept


class Play:
    """One run. `frames`: runs by itself for so many, without regard to the clock, and keeps what `kept_as` says.

    `message` is what a person should know at once, "" if nothing.
    """

    def __init__(
        self,
        scene: bpy.types.Scene,
        view_layer: bpy.types.ViewLayer,
        frames: int | None = None,
        clock: Callable[[], float] = time.perf_counter,
        budget: float = BUDGET,
        kept_as: str = MOTION,
    ) -> None:
        self.scene, self._view_layer, self._frames = scene, view_layer, frames
        self._clock, self._budget = clock, budget
        self.is_paused, self.message = False, ""
        self._run: LiveRun | None = None
        self._controller: Controller | None = None
        self._kept, self._kept_as = "", kept_as
        self._failure, self._culprits = "", []
        self._due, self._before, self._speed = 0.0, 0.0, 1.0
        self._shown, self._pose = -1.0, (np.zeros((0, 3)), np.zeros((0, 4)))
        self._spring, self._grip_point, self._hand = "", np.zeros(3), None
        self._built: list[bpy.types.Object] = []  # what was put in
        self._out: set[bpy.types.Object] = set()  # what was taken out, and is still there

    # What the one who drives it may ask and do between two steps.

    @property
    def is_running(self) -> bool:
        """True if there is a run on the stage, paused or not."""
        return self._run is not None and not self._kept

    @property
    def frame(self) -> int:
        """The frame of the scene that the run has reached."""
        return self._reading.first + self._run.frame

    @property
    def status(self) -> str:
        """The clock, and how fast it goes."""
        place = f"Frame {self.frame}    {self._run.time:.2f} s"
        if self._failure or self.is_at_end:
            return f"{place}    {self._failure or 'The frame range ends here, and with it what is animated'}"
        if self.is_paused:
            return f"{place}    Paused"
        chosen = play_factor(self.scene)
        speed = f"{self._speed:.2g}" if self._speed < SLOW * chosen else f"{chosen:g}"
        return f"{place}    {speed} x real time{self._on_stiffness()}"

    def _on_stiffness(self) -> str:
        """The linkages that implicit steps move now, by the name of a body each; "" if none."""
        names = self._run.stiff
        more = f" and {len(names) - 1} more" if len(names) > 1 else ""
        return f"    Stiff, so by implicit steps: {names[0]}{more}" if names else ""

    @property
    def is_at_end(self) -> bool:
        """True if nothing is known of what is animated from here on."""
        return (self._run.frame if self._frames else self._due) >= self._last

    @property
    def hand(self) -> tuple[np.ndarray, np.ndarray] | None:
        """Places of the dragged point of a body and of the hand; None if nothing is dragged."""
        if not self._spring or not self.is_running:
            return None
        position, orientation = (values[self._held] for values in self._pose)
        return position + poses.rotations(orientation) @ self._grip_point, np.array(self._hand)

    def toggle_pause(self) -> None:
        """Stop the clock, or let it go on."""
        self.is_paused = not self.is_paused

    def keep(self, what: str = MOTION) -> None:
        """End the run at its next step and keep it (MOTION or ACTIONS), its numbers (VALUES) or its last moment."""
        if what not in (ACTIONS, VALUES) and self._run.frame < 1:
            self.message = "Nothing has moved yet, so there is nothing to keep"
        elif what == START and (self._built or self._run.taken_out):
            self.message = "What was put in or taken out on the way cannot be a start: keep the motion or the pose"
        else:
            self._kept = what

    def press(self, label: str, is_held: bool = False) -> None:
        """Push an action button; with `is_held`, `release` follows."""
        self._do(lambda: self._switchboard.pressed(label, is_held))

    def release(self, label: str) -> None:
        """Let go of an action button."""
        self._do(lambda: self._switchboard.released(label))

    def is_down(self, label: str) -> bool:
        """True if an action button is down; one that can't be pushed is not."""
        try:
            return self._switchboard.is_down(label)
        except SceneError:
            return False

    def grab(self, owner: bpy.types.Object, point) -> bool:
        """Take hold of a body at a point (world); whether it could be done."""
        read = self._reading.body_of(owner)
        if read is None or self._failure or self._spring:
            return False
        self._held = self._names.index(read.body.name)
        position, orientation = (values[self._held] for values in self._run.pose())
        self._grip_point = poses.rotations(orientation).T @ (np.array(point) - position)
        self._complete_frame()
        if self._failure:
            return False
        position, orientation = (values[self._held] for values in self._run.pose())
        grip = grip_on(read, self.scene, self.scene.ves.play_grip)
        self._hand = rounded(position + poses.rotations(orientation) @ self._grip_point)
        try:
            self._spring = self._run.grab(read.body.name, self._hand, grip.stiffness, grip.damping)
        except MechanismError as error:
            self.message = str(error)
            return False
        self._has_moved, self._dragged_at = False, -1
        return True

    def drag(self, point) -> None:
        """Move the hand to a point (world); it gets there within the next frame."""
        self._hand, self._has_moved = rounded(point), True

    def let_go(self) -> None:
        """Open the hand."""
        if self._spring and self.is_running:
            self._complete_frame()
            if not self._failure:
                self._run.let_go(self._spring)
        self._spring = ""

    # The work.

    def steps(self) -> Iterator[Progress]:
        """Read, compile, run until it is kept, and keep; returns a PlayResult. Raises SceneError."""
        self._reading = yield from read_scene(self.scene, self._view_layer, as_recorded=False)
        run = yield from self._prepare()
        records = LiveRecords(self._reading, run)
        with staged(self._reading, self._view_layer) as stage, running(self.scene, records):
            self._knobs, self._site = Knobs(self._reading), BuildingSite(self._reading, self._view_layer)
            self._knobs.note()
            self._run, self._before = run, self._clock()
            self._earlier = run.pose()
            self._show(stage)
            try:
                while not self._kept:
                    yield Progress(0.0, self.status)
                    self._build(stage)
                    self._turn_knobs()
                    self._step(stage)
            finally:
                if self._kept not in (MOTION, ACTIONS):
                    self._switch_off_built()
            turned = self._knobs.turned
        if self._kept == VALUES:
            return self._keep_values(turned)
        return (yield from self._keep())

    def take_out(self, owners: list[bpy.types.Object]) -> None:
        """Take parts out of the run, for good; their objects stay."""
        names = [self._site.names[owner] for owner in owners if owner in self._site.names]
        if not names:
            self.message = "Select bodies, joints, constraints or forces of the run to take them out"
        elif self._let_out(names):
            self._out.update(owner for owner in owners if owner in self._site.names)
            self.message = f"Taken out: {', '.join(names)}"

    def _let_out(self, names: list[str]) -> bool:
        """Parts of these names go, also out of the hand."""
        if not self._act(lambda: self._run.take_out(*names)):
            return False
        if self._spring and self._names[self._held] in names:
            self._spring = ""
        out = self._run.taken_out
        for owner in [owner for owner, name in self._site.names.items() if name in out]:
            self._knobs.forget(owner)
        return True

    def _build(self, stage: Stage) -> None:
        """Parts that have come or gone since the last tick."""
        if self._failure:
            return
        for owner, name in self._site.gone().items():
            is_body = any(read.body.name == name for read in self._reading.bodies)
            if owner in self._out or self._let_out([name]):
                self.message = f"{name} is gone, so it was taken out"
            self._site.forget(owner)
            self._knobs.forget(owner)
            if is_body:
                stage.take(self._names, self._reading.bodies)
        new = self._site.come(self._chosen())
        if new:
            self._put_in(new, stage)

    def _put_in(self, owners: list[bpy.types.Object], stage: Stage) -> None:
        """Let new parts in at the frame that has been reached, which is shown for that."""
        before = self._place_of(owners)
        if self._run.frame == 0 and self._reading.starts_elsewhere:
            self._advance(1, math.inf)  # from where parts are found where they are shown
        self._complete_frame()
        if self._failure:
            return
        self._due, self._shown = float(self._run.frame), -1.0
        self._earlier = self._run.pose()
        self._show(stage)
        self._carry_along(owners, before)
        known = self._run.present_mechanism()
        newcomers = self._site.read(owners, known)
        if newcomers.errors:
            self.message = str(newcomers.errors[0])
            return
        if not self._act(lambda: self._run.put_in(newcomers.addition)):
            return
        self._site.took(newcomers)
        self._names += [read.body.name for read in newcomers.bodies]
        for read in newcomers.bodies:
            if read.body.motion == "dynamic":
                note(read.owner)
        stage.take(self._names, self._reading.bodies)
        self._knobs.take(owners, newcomers.reading, newcomers.bodies)
        self._switchboard.take(newcomers.addition)
        self._built += owners
        self._earlier = self._run.pose()
        self.message = f"Put in: {', '.join(owner.name for owner in owners)}"

    def _place_of(self, owners: list[bpy.types.Object]) -> dict[bpy.types.Object, Matrix]:
        """The matrices of the bodies at which new Empties stand that are nobody's children."""
        loose = [owner for owner in owners if owner.ves.role != "BODY" and owner.parent is None]
        ends = {owner: owner.ves.body_a or owner.ves.body_b for owner in loose}
        return {owner: body.matrix_world.copy() for owner, body in ends.items() if body is not None}

    def _carry_along(self, owners: list[bpy.types.Object], before: dict[bpy.types.Object, Matrix]) -> None:
        """New Empties go along with their bodies from the moment that was shown to the frame that is shown now."""
        for owner, matrix in before.items():
            body = owner.ves.body_a or owner.ves.body_b
            owner.matrix_basis = body.matrix_world @ matrix.inverted_safe() @ owner.matrix_basis
        if before:
            self._view_layer.update()

    def _switch_off_built(self) -> None:
        """Parts that were put in into a run that is not kept stay, switched off: they fit the moment of theirs."""
        for owner in self._built:
            try:
                if owner.ves.role != "BODY":
                    owner.ves.enabled = False
            except ReferenceError:
                continue

    def _chosen(self) -> list[bpy.types.Object]:
        chosen = [self._view_layer.objects.active, *self._view_layer.objects.selected]
        return [ob for ob in chosen if ob is not None]

    def _turn_knobs(self) -> None:
        """Let what was changed in panels and view since the last tick act, from the frame on that is done."""
        if self._failure:
            return
        for change in self._knobs.changes(self._chosen()):
            self._do(lambda change=change: [change])
        if self._knobs.message:
            self.message, self._knobs.message = self._knobs.message, ""

    def _keep_values(self, turned: dict[bpy.types.Object, dict[str, Any]]) -> PlayResult:
        for owner, values in turned.items():
            for name, value in values.items():
                setattr(owner.ves, name, value)
        return PlayResult(settings=sum(map(len, turned.values())))

    def _prepare(self) -> Iterator[Progress]:
        """Returns the run at its start."""
        reading, mechanism = self._reading, self._reading.mechanism
        self._last = self._frames or (reading.last - reading.first if reading.probes else math.inf)
        self._names = [body.name for body in mechanism.bodies]
        self._switchboard = Switchboard(self.scene, mechanism)
        program = self.scene.ves.control_program
        self._controller = Controller(program, mechanism) if program else None
        begun: list[LiveRun] = []
        try:
            options = {"relative": RELATIVE_TOLERANCE[self.scene.ves.accuracy], **solver_options(self.scene)}
            options["between"] = SAMPLES
            yield from compiled_for(_begin(begun, mechanism, reading.frame_rate, options))
        except (MechanismError, RunError) as error:
            raise of_error(error, self.scene, self._reading.first) from error
        except SimulationFailed as error:
            culprits = [owner for owner in map(reading.object_of, error.body_names) if owner]
            text = f"It cannot start at frame {reading.first}: {error.reason}"
            raise SceneError([Finding(culprits[0] if culprits else None, text)]) from error
        return begun[0]

    def _step(self, stage: Stage) -> None:
        """A little further, as far as the clock says and the solver can."""
        now = self._clock()
        passed, self._before = now - self._before, now
        if self._frames:
            self._advance(self._run.frame + 1, math.inf)
        elif not (self.is_paused or self._failure or self.is_at_end or self._kept):
            before = self._due
            frames = min(passed, LONGEST) * play_factor(self.scene) * self._reading.frame_rate
            wanted = min(before + frames, self._last)
            in_time = self._advance(math.ceil(wanted), self._budget)
            self._due = wanted if in_time else min(wanted, float(self._run.frame))
            self._measure((self._due - before) / self._reading.frame_rate, passed)
        self._show(stage)
        if self._frames and (self._failure or self._run.frame >= self._frames):
            self._kept = self._kept_as

    def _advance(self, frame: int, seconds: float) -> bool:
        """True if the run has got there, or cannot go on. A control program acts at each frame."""
        if self._controller is None:
            return self._run_to(frame, seconds)
        deadline = time.perf_counter() + seconds
        while self._run.frame < frame and self._control():
            if not self._run_to(self._run.frame + 1, max(0.0, deadline - time.perf_counter())):
                return False
        return True

    def _control(self) -> bool:
        """Let the control program act at the frame that is done; False if it is wrong, which pauses the run."""
        if self._failure or not self._run.is_on_frame or self._controller.frame == self._run.frame:
            return not self._failure
        try:
            for joint, settings in self._controller.changes(self._run):
                self._run.act(joint, **settings)
        except (ProgramError, MechanismError) as error:
            text = str(error)
            self.is_paused, self.message = True, text
            if self._frames:
                self._failure = f"It stopped at frame {self.frame}: {text}"
            return False
        except SimulationFailed as error:
            self._fail(error)
            return False
        return True

    def _run_to(self, frame: int, seconds: float) -> bool:
        """True if the run has got there. A hand that has moved meanwhile waits for the next frame, and not longer."""
        if frame <= self._run.frame:
            return True
        goal = frame
        if self._spring and self._has_moved and self._dragged_at != self._run.frame:
            if self._run.is_on_frame:
                self._run.drag(self._spring, self._hand)
                self._has_moved, self._dragged_at = False, self._run.frame
            else:
                goal = self._run.frame + 1
        try:
            if goal - 1 > self._run.frame and not self._run.advance(goal - 1, seconds):
                return False
            self._earlier = self._run.pose()
            return self._run.advance(goal, seconds) and goal == frame
        except SimulationFailed as error:
            self._fail(error)
            return True

    def _fail(self, error: SimulationFailed) -> None:
        reached = self._reading.first + error.time * self._reading.frame_rate
        self._failure = f"It stopped at frame {reached:.1f}: {error.reason}"
        self._culprits = [owner for owner in map(self._reading.object_of, error.body_names) if owner]

    def _complete_frame(self) -> None:
        """Actions take effect at frames: one that has been begun is completed before."""
        if not (self._failure or self._run.is_on_frame):
            self._advance(self._run.frame + 1, math.inf)

    def _measure(self, advanced: float, passed: float) -> None:
        if passed > 0.0:
            share = min(1.0, passed / SMOOTH)
            self._speed += share * (advanced / passed - self._speed)

    def _show(self, stage: Stage) -> None:
        """Show where the clock is: between the last two frames, so that slow motion is smooth.

        Once more if somebody has gone to another frame: what is animated would be there, and bodies here.
        """
        place = float(self._run.frame) if self._frames else min(self._due, float(self._run.frame))
        if place == self._shown and stage.is_at(place):
            return
        self._shown, share = place, place - math.ceil(place) + 1.0
        self._pose = between(self._earlier, self._run.pose(), share)
        stage.show(place, *self._pose)

    def _do(self, acts: Callable[[], list[tuple[str | None, dict[str, Any]]]]) -> None:
        """Act on the run; what is wrong is said, and the run goes on."""

        def act() -> None:
            for target, settings in acts():
                self._run.act(target, **settings)
                if target is not None:
                    self._switchboard.note(target, settings)

        self._act(act)

    def _act(self, act: Callable[[], None]) -> bool:
        """True if it could be done; what is wrong is said."""
        self.message = ""
        self._complete_frame()
        if self._failure:
            return False
        try:
            act()
        except SceneError as error:
            self.message = str(error)
        except MechanismError as error:
            self.message = str(of_error(error, self.scene, self._reading.first))
        except SimulationFailed as error:
            self._fail(error)
        return not (self.message or self._failure)

    def _keep(self) -> Iterator[Progress]:
        """Write what was chosen. The stage is cleared: the scene is as it was before the run."""
        result = PlayResult(failure=self._failure, culprits=self._culprits)
        recording = self._run.recording()
        if self._kept != ACTIONS and len(recording.times) < 2:
            raise SceneError([Finding(self._culprits[0] if self._culprits else None, self._failure)])
        if self._kept in (START, POSE):
            record(self._reading, self._run.mechanism, self._run.frame)
            result.ended = Ended(self._reading, self._run.mechanism, recording, self._kept == POSE)
            return result
        if self._kept == MOTION:
            mechanism = self._run.mechanism if self._run.actions else self._reading.mechanism
            reading = replace(self._reading, mechanism=mechanism)
            baked = yield from keep_motion(reading, self._view_layer, recording, self._failure)
            result.frames, result.warnings, result.advice = (baked.first, baked.last), baked.warnings, baked.advice
        if self._run.actions:
            result.actions = record(self._reading, self._run.mechanism, self._run.frame)
            if self._kept == MOTION:
                note_actions(self._reading.scene)
        return result


def between(first: Pose, second: Pose, share: float) -> Pose:
    """(positions (B, 3), orientations (B, 4)) at a part of the way from one pose to the next one."""
    (x, q), (y, r) = first, second
    if share == 1.0:
        return second
    near = np.where(np.sum(q * r, axis=1, keepdims=True) < 0.0, -1.0, 1.0) * r
    turn = (1.0 - share) * q + share * near
    return (1.0 - share) * x + share * y, turn / np.linalg.norm(turn, axis=1, keepdims=True)


def _begin(begun: list[LiveRun], mechanism: Mechanism, frame_rate: float, options: dict[str, Any]) -> Iterator[str]:
    """Put a run at its start into `begun`; that alone compiles a part of the solver."""
    yield "the start"
    begun.append(LiveRun(mechanism, frame_rate, **options))
    yield from begun[0].warm_up()
