# SPDX-License-Identifier: GPL-3.0-or-later
"""One linkage's motion as far as it has come: the integrator's memory and the frames that it has written.

`linkage_run` lets it go on; here is what others ask of it and change of it between two advances.
"""

from collections.abc import Iterable, Iterator

import numpy as np

from .. import integration
from ..assembly.rigidity import Locked
from ..contact.detection.detection_failed import DetectionFailed
from ..contact.soft.parameters import SoftFinder, contact_scratch
from ..dynamics.loops.ropes import shortest_span
from ..evaluation.expressions import just_ahead
from ..integration import FIXED_STEPS, Status
from ..integration.motion.observation import Frames, new_frames, write_now
from ..mechanism import Mechanism
from ..mechanism.messages import Message
from ..mechanism.ropes import OverWheels
from ..model.arrays import Scratch, State, new_scratch
from ..model.closures import Source
from ..model.linkage.compilation import Compiled
from ..model.moment import Moment
from .catching.courses import carry_courses, no_quicker_than
from .catching.ends import Now
from .catching.grips import Grips, Slips
from .catching.one_sided import OneSided
from .catching.waiting import Waiting
from .contact_totals import Tally, go_on_from, impacts_of, tally_of
from .headway import Headway
from .integrator_choice import hand_on, new_choice
from .least_reactions import settled

COARSER = 1e-6, 1e-7  # relative and absolute tolerance to fall back on
LONGEST = 10.0  # s: of a step
FAILED = {
    Status.NOT_FINITE,
    Status.STEP_TOO_SHORT,
    Status.STEP_TOO_LONG,
    Status.OPEN,
    Status.CUTS_IN,
    Status.STOPPED,
    Status.NO_HEADWAY,
    Status.ROPE_OUT,
    Status.CONTRADICTED,
    Status.FOLDED,
}
"""Ends of an advance after which it cannot go on unless it is helped."""


class LinkageMotion:
    """One linkage's motion through frames, from number `first` on; from a moment on, or from the start."""

    def __init__(
        self,
        mechanism: Mechanism,
        compiled: Compiled,
        times: np.ndarray,
        integrator: str,
        tolerances: tuple[float, float],
        interval: float,
        first: int = 0,
        moment: Moment | None = None,
        between: int = 0,
        may_change: bool = False,
    ) -> None:
        start = 0.0 if moment is None else moment.time
        self.mechanism, self.moment, self._between = mechanism, moment, between
        self.compiled, self.first, self.frame_times = compiled, first, times[first:]
        self.integrator, self._method = integrator, integration.METHODS[integrator]
        self._finder: SoftFinder | None = None
        self.scratch = self._new_scratch(compiled)
        self.frames = self._new_frames(len(times) - first)
        self.left: Tally = ()  # of a linkage that has ended
        self.unseen: DetectionFailed | None = None  # why contacts could not be found
        self.done, self.time, self.status = 0, start, Status.DONE
        self.ended: tuple[str, str] | None = None  # a joint whose surfaces part now, and why
        self.together: list[str] = []  # joints that were on their way, and now can go where they belong
        self.near: list[str] = []  # what has waited for its ends to come near, and can be drawn together now
        self._waiting = Waiting(mechanism, compiled, begins=moment is None)
        self._one_sided = OneSided(mechanism, compiled)
        self.met: list[str] = []  # what was drawn by a limited force, and now can hold
        self._grips = Grips(mechanism, compiled)
        self.slips: Slips = {}  # of ropes that begin to slip on their wheels now, or to stick
        # s, and names of what is near then, of what has met, and how ropes slip: within a step that goes farther
        self._near_at: tuple[float, list[str], list[str], Slips] | None = None
        self.contradiction: Message | None = None  # of motors that keep speeds which cannot be
        self._interval = interval
        if integrator in FIXED_STEPS:
            no_quicker_than(compiled.model, interval)
        self.memory = self._method.new_memory(compiled, compiled.state, interval)
        self.memory.clock[0].time = start
        self._tolerances, self._begins_anew = tolerances, False
        self._set_tolerances(*tolerances)
        self._may_change = may_change
        self.choice = new_choice(compiled, self.memory) if may_change else None
        self.coarser_from: int | None = None  # frame
        self.since, self._must_begin, self._budget = start, True, 100
        self._stop, self._longest = np.inf, LONGEST
        kept = State(*(array.copy() for array in compiled.state))
        # s, state and modes where it began, or behind the latest change
        self._start: tuple = start, kept, self.scratch.switches.copy(), self.scratch.closed.copy(), ()
        self._headway = Headway(start)
        self.stretched: list[Locked] | None = None  # what has been found to be, once looked for
        self._looked = 0  # the frame on the way to which it was last asked whether rounding takes the steps
        self._settled = 0  # frames whose forces are final
        self._went_back_to = start  # s: last, to be helped
        self._depends: bool | None = None  # whether closures leave motors no choice; None before it is asked

    @property
    def impacts(self) -> np.recarray:
        """(I,) IMPACT of `contact.impulses.workspace`."""
        return impacts_of(self.memory)

    @property
    def is_soft(self) -> bool:
        """True if forces push apart what touches."""
        return self.scratch.soft is not None

    @property
    def evaluations(self) -> int:
        """Evaluations of the motion so far, the first included."""
        return 1 + int(self.memory.counts[0].evaluations)

    @property
    def steps(self) -> int:
        """Steps so far."""
        return int(self.memory.counts[0].steps)

    @property
    def frame(self) -> int:
        """The number of the next frame."""
        return self.first + self.done

    @property
    def has_failed(self) -> bool:
        """True if it has stopped for good, unless it is helped."""
        return self.status in FAILED

    @property
    def closures(self) -> Iterator[tuple[Source, int]]:
        """The closures, and how they give way, if they do."""
        for source, closure in zip(self.compiled.sources, self.compiled.model.closures, strict=True):
            if source.kind != "tree":
                yield source, int(closure.gives_way)

    def rope_out(self) -> tuple[OverWheels, list[str]] | None:
        """The rope of which a span has run out, and the bodies at both of its ends, if that is why it cannot go on."""
        if self.status != Status.ROPE_OUT:
            return None
        number, span = shortest_span(self.compiled.model, self.scratch)
        rope = self.mechanism.constraints[self.compiled.sources[number].index]
        return rope, [name for name in rope.end_bodies[span : span + 2] if name is not None]

    def is_finite_at(self, frame: int) -> bool:
        """True if all that it has written of a frame of the recording, if anything, are finite numbers."""
        k = frame - self.first
        return not 0 <= k < self.done or all(np.isfinite(array[k]).all() for array in self.frames)

    def suspects(self) -> list[int]:
        """Bodies (indices of the mechanism's list) whose accelerations ran away, or are the largest."""
        acceleration = np.abs(self.scratch.bodies.acceleration[self.compiled.model.driven :]).max(axis=1)
        wild = np.flatnonzero(~np.isfinite(acceleration))
        chosen = wild[:1] if len(wild) else [int(np.argmax(acceleration))]
        return [self.compiled.linkage.bodies[k] for k in chosen]

    def before_last_step(self) -> Iterator[Scratch]:
        """Bodies before a step with impulses that has led nowhere, and on their way; else nothing."""
        if self.integrator == "impulse":
            began, clock, axes = self.memory.arrays.began, self.memory.clock[0], len(self.compiled.model.armature)
            state = State(began.y[:axes].copy(), began.y[axes:].copy(), began.anchor.copy())
            yield from just_ahead(self.compiled.model, state, clock.began, clock.interval)

    def state_at(self, frame: int) -> State:
        """The state of a frame of this run."""
        frames, model = self.frames, self.compiled.model
        state = State(frames.coordinates[frame].copy(), frames.speeds[frame].copy(), frames.chart[frame].copy())
        for body in model.bodies[model.charted]:
            state.coordinates[body.axis_end - 3 : body.axis_end] = 0.0
        return state

    def snapshot(self) -> Frames:
        """A single frame of where it is now."""
        model, memory = self.compiled.model, self.memory
        frames = new_frames(model, 1)
        rates = np.zeros(2 * len(model.armature))
        write_now(model, self.scratch, memory.motion.state, self.time, rates, frames)
        return frames

    def now(self) -> Now:
        """Everything as it is at present."""
        self.snapshot()
        return Now(self.scratch, self.time, self.memory.motion.state)

    def inside(self) -> list[Message]:
        """Problems: followers that are inside the profiles of their cams."""
        return self._waiting.inside(self.now()) if self._waiting else []

    def go_on_as_fast_as(self, ended: Iterable["LinkageMotion"]) -> None:
        """Takes over the largest speed of those from which it goes on: by that is judged what is at rest."""
        self.memory.clock[0].fastest = max(run.memory.clock[0].fastest for run in (self, *ended))

    def change(self, mechanism: Mechanism, compiled: Compiled) -> None:
        """Other numbers for the same linkage from now on."""
        for _ in self.settle_reactions():
            pass
        self.mechanism = mechanism
        old, new = self.compiled.model, compiled.model
        new.closures.curve_first[:] = self.scratch.bead
        new.closures.gives_way[:] = old.closures.gives_way
        carry_courses(old, new)
        compiled.stops = np.union1d(compiled.stops, new.closures.settled[np.isfinite(new.closures.settled)])
        self.together, self.near, self.met, self.slips = [], [], [], {}
        self._waiting = Waiting(mechanism, compiled)
        self._one_sided = OneSided(mechanism, compiled)
        self._grips = Grips(mechanism, compiled)
        compiled.state = self.compiled.state
        scratch, forces = self._new_scratch(compiled), len(old.forces)
        scratch.switches[:], scratch.closed[:forces] = self.scratch.switches, self.scratch.closed
        if len(new.forces) > forces:
            closed = np.zeros((len(self.frames.closed), len(new.forces)), np.int64)
            closed[:, :forces] = self.frames.closed
            self.frames = self.frames._replace(closed=closed)
        tally = tally_of(self.scratch, self.memory)
        self.compiled, self.scratch, self._must_begin, self._depends = compiled, scratch, True, None
        if self.integrator in ("implicit", "quasi-static"):
            self.memory = self._renewed_memory()  # which has room for each force
        if self.choice is None and self._may_change:
            self.choice = new_choice(compiled, self.memory)
        go_on_from(tally, scratch, self.memory)
        state = self.memory.motion.state
        kept = State(state.coordinates.copy(), state.speeds.copy(), state.anchor.copy())
        self._start = self.time, kept, scratch.switches.copy(), scratch.closed.copy(), tally

    def refuse(self, problem: str) -> None:
        """Ends the motion here, since what now should hold cannot."""
        self.contradiction, self.status = problem, Status.CONTRADICTED

    def go_to(self, time: float) -> None:
        """Goes back to a time (s) that `advance` was told to pass, to begin anew there."""
        self._method.go_to(self.compiled.model, self.scratch, self.memory, self._tolerance, time)
        self._forget_between(self.done, time)
        self.time, self._must_begin, self._near_at = time, True, None
        self._waiting.forget_step()

    def extend(self, times: np.ndarray) -> None:
        """Makes room for more frames; `times` of all frames of the motion."""
        frames = self._new_frames(len(times) - self.first)
        for old, new in zip(self.frames, frames, strict=True):
            new[: len(old)] = old
        self.frames, self.frame_times = frames, times[self.first :]

    def cut_off(self) -> None:
        """Keeps only the frames that are done, and what contacts have given since."""
        self.left = tally_of(self.scratch, self.memory)
        self.frames = Frames(*(array[: self.done] for array in self.frames))

    def settle_reactions(self) -> Iterator[int]:
        """Makes forces of redundant rows those of least norm; yields the number of the next frame."""
        first, self._settled = self._settled, self.done
        if not self.frames.redundant[first : self.done].any():
            return
        frames = settled(self.mechanism, self.compiled, self.moment, self.frame_times, self.frames, first, self.done)
        for done in frames:
            yield self.first + done

    def _new_scratch(self, compiled: Compiled) -> Scratch:
        """New scratch space, with that of soft contacts where forces push bodies apart."""
        if self.integrator == "impulse":
            return new_scratch(compiled.model)
        scratch, self._finder = contact_scratch(compiled)
        return scratch

    def _new_frames(self, count: int) -> Frames:
        return new_frames(self.compiled.model, count, self.compiled.surfaces is not None, self._between)

    def _set_tolerances(self, relative: float, absolute: float) -> None:
        """For the integrator at work, and what it may fall back on."""
        model = self.compiled.model
        self._tolerance = integration.local_tolerance(self.integrator, model, relative, absolute)
        self._coarser = integration.local_tolerance(self.integrator, model, *COARSER)

    def _renewed_memory(self) -> tuple:
        """Memory of this method and model, for a motion that goes on from here."""
        memory = self._method.new_memory(self.compiled, self.memory.motion.state, self._interval)
        hand_on(self.memory, memory)
        return memory

    def _forget_between(self, frame: int, time: float) -> None:
        """Throws away what has been recorded behind a time (s) on the way to a frame, and to later ones."""
        for times in (self.frames.between_time[frame:], self.frames.jump_time[frame:]):
            times[times > time] = 0.0
