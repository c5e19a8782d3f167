# SPDX-License-Identifier: GPL-3.0-or-later
"""One linkage on its way through all frames: integrated in slices, and helped where closures cannot be met."""

import time as clock
from collections.abc import Iterator

import numpy as np

from . import integration
from .integration import Status
from .integration.observation import closing_closures, new_frames
from .integration.reactions import rewrite_reactions
from .mechanism import Mechanism
from .mechanism.compilation import Compiled, compile_linkage
from .mechanism.model import (
    AXIS_PARAMETERS,
    DAMPING,
    LAGRANGE,
    MOTOR_DAMPING,
    MOTOR_STIFFNESS,
    RECURSIVE,
    STIFFNESS,
    Model,
    RowKind,
    State,
    new_scratch,
)

_COARSER = 1e-6, 1e-7  # relative and absolute tolerance to fall back on
_MORE = 100.0  # times the force at the last frame: a closure that cannot be met
_MANY = 10000  # evaluations per second of motion that are worth a word
_FAST = 1000.0  # 1/s: a joint's spring or damper faster than this makes steps short
_SLICE = 0.004  # s that `run` works between two yields
_MOST = 1_000_000  # evaluations in a slice: many short ones, from stop to stop, say nothing of a long one


class LinkageRun:
    """One linkage on its way through all frames."""

    def __init__(self, compiled: Compiled, times: np.ndarray, integrator: str, tolerances: tuple[float, float]) -> None:
        self.compiled, self.times = compiled, times
        self.scratch = new_scratch(compiled.model)
        self.frames = new_frames(compiled.model, len(times))
        self.frame, self.time, self.status = 0, 0.0, Status.DONE
        self._method = integration.METHODS[integrator]
        self._memory = self._method.new_memory(compiled.model, compiled.state)
        self._tolerance = integration.local_tolerance(integrator, compiled.model, *tolerances)
        self._coarser = integration.local_tolerance(integrator, compiled.model, *_COARSER)
        self._coarser_from: int | None = None  # frame
        inside = compiled.stops[(compiled.stops > 0.0) & (compiled.stops < times[-1])]
        self._stops = [*inside, times[-1]]

    @property
    def evaluations(self) -> int:
        return 1 + int(self._memory.counts[self._method.evaluations])

    @property
    def steps(self) -> int:
        return int(self._memory.counts[self._method.steps])

    def advance(self) -> Iterator[float]:
        """Integrates to the last frame; yields the time (s) that it has reached."""
        budget, begin = 100, True
        while True:
            stop = next((stop for stop in self._stops if stop > self.time), self._stops[-1])
            before = max((early for early in self._stops if early <= self.time), default=0.0)
            longest = min(stop - before, self.compiled.longest_step)
            begun = clock.perf_counter()
            status, self.frame = self._method.advance(
                self.compiled.model, self.scratch, self._memory, self._tolerance, begin, stop, longest,
                self.times, self.frame, self.frames, budget,
            )  # fmt: skip
            self.status, self.time = Status(status), float(self._memory.clock[self._method.time])
            begin = self.status != Status.PAUSED
            taken = clock.perf_counter() - begun
            budget = min(_MOST, max(2, int(budget * min(4.0, max(0.25, _SLICE / max(taken, 1e-6))))))
            yield self.time
            if self.status == Status.DONE and stop == self._stops[-1]:
                return
            if self.status not in (Status.DONE, Status.PAUSED) and not self._try_again():
                return

    def _try_again(self) -> bool:
        """Where a linkage with closures cannot go on, goes back to the last frame and helps; False if it can't.

        Near a singular pose rounding may be more than a fine tolerance allows, so it is tried with a coarser one first.
        """
        frame = self.frame - 1
        if frame < 0 or not self.compiled.model.closing:
            return False
        if self._tolerance.relative < self._coarser.relative:
            self._tolerance, self._coarser_from = self._coarser, frame
        elif not self._give_way(frame):
            return False
        self._go_back_to(frame)
        return True

    def _give_way(self, frame: int) -> bool:
        """Lets the closure that asks for more and more pull softly; False if none does.

        An arm that a path leads out of its reach would have to move infinitely fast when it is stretched.
        """
        model = self.compiled.model
        pull = np.array([self._pull(model, number) for number in range(closing_closures(model))])
        before = np.linalg.norm(self.frames.closure_wrench[frame, :, 3:], axis=1)
        before += np.linalg.norm(self.frames.closure_wrench[frame, :, :3], axis=1) / model.size
        suspects = ~(pull < _MORE * before.max()) & (model.closures.gives_way[: len(pull)] == 0)
        constraints = np.array([source.kind == "constraint" for source in self.compiled.sources[: len(pull)]])
        if (suspects & constraints).any():
            suspects &= constraints
        if not suspects.any():
            return False
        model.closures.gives_way[np.argmax(np.where(suspects, np.nan_to_num(pull, nan=np.inf), -1.0))] = 1
        return True

    def _go_back_to(self, frame: int) -> None:
        model, frames, counts = self.compiled.model, self.frames, self._memory.counts
        state = State(frames.coordinates[frame].copy(), frames.speeds[frame].copy(), frames.chart[frame].copy())
        for body in model.bodies[model.charted]:
            state.coordinates[body.axis_end - 3 : body.axis_end] = 0.0
        self.scratch, self._memory = new_scratch(model), self._method.new_memory(model, state)
        for kept in (self._method.evaluations, self._method.steps):
            self._memory.counts[kept] = counts[kept]
        self.time = self._memory.clock[self._method.time] = self.times[frame]

    def _pull(self, model: Model, number: int) -> float:
        """N: the force that a closure exerts, moments by the linkage's size."""
        closure = model.closures[number]
        rows = slice(closure.row_start, closure.row_end)
        turns = model.rows.kind[rows] == RowKind.TURN
        return float(np.linalg.norm(self.scratch.rows.multiplier[rows] / np.where(turns, model.size, 1.0)))

    def settle_reactions(self, mechanism: Mechanism) -> Iterator[int]:
        """Where rows are redundant, makes forces those of least norm; yields the number of frames that are done."""
        if not self.frames.redundant[: self.frame].any():
            return
        model = compile_linkage(mechanism, self.compiled.linkage, LAGRANGE).model
        closing = len(self.compiled.model.closures)
        model.closures.curve_first[:closing] = self.compiled.model.closures.curve_first
        model.closures.gives_way[:closing] = self.compiled.model.closures.gives_way
        scratch, axes = new_scratch(model), len(model.armature)
        state = State(np.zeros(axes), np.zeros(axes), np.zeros((len(model.charted), 4)))
        done, chunk = 0, 1
        while done < self.frame:
            begun = clock.perf_counter()
            first, done = done, min(self.frame, done + chunk)
            rewrite_reactions(model, scratch, state, np.zeros(2 * axes), self.times, self.frames, first, done)
            chunk = max(1, int(chunk * min(4.0, _SLICE / max(clock.perf_counter() - begun, 1e-6))))
            yield done

    def note_on_accuracy(self) -> list[str]:
        """Says from where on the tolerance that was asked for could not be kept."""
        if self._coarser_from is None:
            return []
        return [
            f"from frame {self._coarser_from} on the motion is computed to relative {_COARSER[0]:.0e}: near a singular "
            "pose of its loops rounding does not allow the accuracy that was asked for"
        ]

    def note_on_stiffness(self, mechanism: Mechanism) -> list[str]:
        """Names the joint whose spring or damper made the steps short, if one did."""
        model, driven = self.compiled.model, self.compiled.model.driven
        if self.evaluations < _MANY * max(self.time, 0.1) or not len(model.sprung) or model.method != RECURSIVE:
            return []  # only the recursion leaves the inertia about each axis behind
        numbers = self.scratch.parameters[: AXIS_PARAMETERS * len(model.armature)].reshape(-1, AXIS_PARAMETERS)
        inertia = self.scratch.axes.D
        damping = (numbers[:, DAMPING] + numbers[:, MOTOR_DAMPING]) / inertia
        stiffness = (numbers[:, STIFFNESS] + numbers[:, MOTOR_STIFFNESS]) / inertia
        rates = np.maximum(damping, np.sqrt(stiffness))
        axis = int(np.argmax(rates))
        if rates[axis] < _FAST:
            return []
        body = int(np.searchsorted(model.bodies.axis_end[driven:], axis, side="right"))
        joint = mechanism.joints[self.compiled.linkage.joint[body]]
        return [
            f"joint '{joint.name}': its spring or damper acts within {1.0 / rates[axis]:.0e} s, which took "
            f"{self.evaluations} evaluations; make it softer, or give the body more inertia about that axis"
        ]

    def suspects(self) -> list[int]:
        """Bodies (indices of the mechanism's list) whose accelerations ran away, or are the largest."""
        acceleration = np.abs(self.scratch.bodies.acceleration[self.compiled.model.driven :]).max(axis=1)
        wild = np.flatnonzero(~np.isfinite(acceleration))
        chosen = wild[:1] if len(wild) else [int(np.argmax(acceleration))]
        return [self.compiled.linkage.bodies[k] for k in chosen]
