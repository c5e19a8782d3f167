# SPDX-License-Identifier: GPL-3.0-or-later
"""A live run under the clock: how far it goes in a step, what of it is shown, and the hand that pulls a body of it."""

import math
import time
from collections.abc import Callable, Iterator
from typing import Any

import bpy
import numpy as np

from ...solver import MechanismError, RunError, SimulationFailed
from ...solver.simulation.live import LiveRun
from ..bake.bake import Progress, begin_live, compiled_for, options_of
from ..bake.program import Controller, ProgramError, control, controller_of
from ..findings import SceneError, of_error, pass_on, refuse
from ..geometry import poses
from ..preview.stage import Stage
from ..properties.play import play_factor
from .action_buttons import Switchboard
from .drag import grip_on, rounded
from .result import MOTION

BUDGET = 0.025  # s that a step works
LONGEST = 0.25  # s that go by between two steps at most: after a longer wait, the run just goes on
SMOOTH = 0.5  # s over which the speed is measured
SLOW = 0.95  # of the chosen speed: less than this is said

Pose = tuple[np.ndarray, np.ndarray]


class ShownRun:
    """A live run of a scene, and a person's hand in it.

    With `frames` it runs by itself for so many, without regard to the clock, and is kept as `kept_as` says. `message`
    is what a person should know at once, "" if nothing.
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

    @property
    def is_running(self) -> bool:
        """True if there is a run on the stage, paused or not."""
        return self._run is not None and not self._kept

    @property
    def frame(self) -> int:
        """The frame of the scene that the run has reached."""
        return self._reading.first + self._run.frame

    @property
    def is_at_end(self) -> bool:
        """True if nothing is known of what is animated from here on."""
        return (self._run.frame if self._frames else self._due) >= self._last

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

    def toggle_pause(self) -> None:
        """Stop the clock, or let it go on."""
        self.is_paused = not self.is_paused

    @property
    def hand(self) -> tuple[np.ndarray, np.ndarray] | None:
        """Places of the dragged point of a body and of the hand; None if nothing is dragged."""
        if not self._spring or not self.is_running:
            return None
        position, orientation = (values[self._held] for values in self._pose)
        return position + poses.rotations(orientation) @ self._grip_point, np.array(self._hand)

    def grab(self, owner: bpy.types.Object, point) -> bool:
        """Take hold of a body at a point (world); whether it could be done."""
        binding = self._reading.body_of(owner)
        if binding is None or self._failure or self._spring:
            return False
        self._held = self._names.index(binding.body.name)
        position, orientation = (values[self._held] for values in self._run.pose())
        self._grip_point = poses.rotations(orientation).T @ (np.array(point) - position)
        self._complete_frame()
        if self._failure:
            return False
        position, orientation = (values[self._held] for values in self._run.pose())
        grip = grip_on(binding, self.scene, self.scene.ves.play_grip)
        self._hand = rounded(position + poses.rotations(orientation) @ self._grip_point)
        try:
            self._spring = self._run.grab(binding.body.name, self._hand, grip.stiffness, grip.damping)
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

    def _prepare(self) -> Iterator[Progress]:
        """Returns the run at its start."""
        reading, mechanism = self._reading, self._reading.mechanism
        self._last = self._frames or (reading.last - reading.first if reading.probes else math.inf)
        self._names = [body.name for body in mechanism.bodies]
        self._switchboard = Switchboard(self.scene, mechanism)
        self._controller = controller_of(self.scene, mechanism)
        self._options = options_of(self.scene)
        begun: list[LiveRun] = []
        try:
            yield from compiled_for(begin_live(begun, mechanism, reading.frame_rate, self._options))
        except (MechanismError, RunError) as error:
            pass_on(error, self.scene, self._reading.first)
        except SimulationFailed as error:
            culprits = [owner for owner in map(reading.object_of, error.body_names) if owner]
            text = f"It cannot start at frame {reading.first}: {error.reason}"
            refuse(culprits[0] if culprits else None, text)
        return begun[0]

    def _begin_again(self) -> None:
        """The run at its start, as it was begun, and nothing is held."""
        mechanism = self._reading.mechanism
        self._controller = controller_of(self.scene, mechanism)
        self._run = LiveRun(mechanism, self._reading.frame_rate, **self._options)
        self._switchboard = Switchboard(self.scene, mechanism)
        self._earlier, self._spring = self._run.pose(), ""
        self._failure, self._culprits = "", []
        self._due, self._speed, self._shown = 0.0, 1.0, -1.0

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
            control(self._controller, self._run)
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

    def _complete_frame(self) -> None:
        """Actions take effect at frames: one that has been begun is completed before."""
        if not (self._failure or self._run.is_on_frame):
            self._advance(self._run.frame + 1, math.inf)

    def _fail(self, error: SimulationFailed) -> None:
        reached = self._reading.first + error.time * self._reading.frame_rate
        self._failure = f"It stopped at frame {reached:.1f}: {error.reason}"
        self._culprits = [owner for owner in map(self._reading.object_of, error.body_names) if owner]

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
            self.message = "\n".join(map(str, of_error(error, self.scene, self._reading.first)))
        except SimulationFailed as error:
            self._fail(error)
        return not (self.message or self._failure)


def between(first: Pose, second: Pose, share: float) -> Pose:
    """(positions (B, 3), orientations (B, 4)) at a part of the way from one pose to the next one."""
    (x, q), (y, r) = first, second
    if share == 1.0:
        return second
    near = np.where(np.sum(q * r, axis=1, keepdims=True) < 0.0, -1.0, 1.0) * r
    turn = (1.0 - share) * q + share * near
    return (1.0 - share) * x + share * y, turn / np.linalg.norm(turn, axis=1, keepdims=True)
