# SPDX-License-Identifier: GPL-3.0-or-later
"""One linkage on its way through all frames: integrated in slices, and helped where closures cannot be met."""

import time as clock
from collections.abc import Iterator

import numpy as np

from .. import integration
from ..assembly.rigidity import Locked
from ..contact.detection.detection_failed import DetectionFailed
from ..contact.soft.parameters import SoftFinder, contact_scratch, quickest
from ..dynamics.forces.switching import OVERRUN
from ..dynamics.loops.ropes import shortest_span
from ..dynamics.tree.surface_joints import COMES_OFF, CUTS_IN, KNOCKED_OFF, LEAVES_CHILD, LEAVES_PARENT, find_end
from ..evaluation.mode_transitions import enter_modes
from ..integration import FIXED_STEPS, Status
from ..integration.motion.between import note_switch
from ..integration.motion.observation import Frames, new_frames, read_modes, write_now
from ..mechanism import Mechanism
from ..mechanism.constraints import Pulley
from ..mechanism.messages import Message
from ..model.arrays import ASK_GAP, Scratch, State, new_scratch
from ..model.closures import Source
from ..model.compilation import Compiled
from ..model.moment import Moment
from .catching import Waiting, carry_courses, come_together, draws_by_force, have_met, no_quicker_than
from .contact_totals import Tally, go_on_from, hand_on_impacts, impacts_of, tally_of
from .contradictions import fastest_target, find_contradiction, fit_speeds, is_at_limit, is_dependent, tireless
from .headway import Headway
from .integrator_choice import Standing, hand_on, keep_counts, new_choice, watch
from .least_reactions import SLICE, settled
from .recording import Recording
from .recording_assembly import Stretch, assemble_recording
from .stuck import give_way, let_go, slacken
from .warm_up import switches

COARSER = 1e-6, 1e-7  # relative and absolute tolerance to fall back on
_LONGEST = 10.0  # s: of a step
_ENDS = {
    COMES_OFF: "the surfaces no longer press on each other",
    LEAVES_PARENT: "it has come to the edge of its parent's surface",
    LEAVES_CHILD: "it has come to the edge of its child's surface",
    KNOCKED_OFF: "a blow lifts the surfaces off each other",
}
_FAILED = {
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
_NEAR = 1e-9  # of the size: how much farther apart than it may be what comes near is
_MOST = 1_000_000  # evaluations in a slice: many short ones, from stop to stop, say nothing of a long one


class LinkageRun:
    """One linkage on its way through frames, from number `first` on; from a moment on, or from the start."""

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
        self._waiting = Waiting(mechanism, compiled.linkage)
        self.met: list[str] = []  # what was drawn by a limited force, and now can hold
        # s, and names of what is near then and of what has met: within a step that goes farther
        self._near_at: tuple[float, list[str], list[str]] | None = None
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
        self._stop, self._longest = np.inf, _LONGEST
        self._start: tuple | None = None  # state and modes behind the latest change
        self._headway = Headway(start)
        self.stretched: list[Locked] | None = None  # what has been found to be, once looked for
        self._settled = 0  # frames whose forces are final
        self._depends: bool | None = None  # whether closures leave motors no choice; None before it is asked

    def _new_scratch(self, compiled: Compiled) -> Scratch:
        """New scratch space, with that of soft contacts where forces push bodies apart."""
        if self.integrator == "impulse":
            return new_scratch(compiled.model)
        scratch, self._finder = contact_scratch(compiled)
        return scratch

    def _new_frames(self, count: int) -> Frames:
        return new_frames(self.compiled.model, count, self.compiled.surfaces is not None, self._between)

    @property
    def impacts(self) -> np.recarray:
        """(I,) IMPACT of `contact.impulses.workspace`."""
        return impacts_of(self.memory)

    @property
    def is_soft(self) -> bool:
        """True if forces push apart what touches."""
        return self.scratch.soft is not None

    def _jumps(self) -> bool:
        """True if it hardly gets on any more, since the points of a contact jump to and fro."""
        return self.is_soft and self._headway.jumps(self.evaluations, self.time, quickest(self.scratch))

    def _slice(self) -> int:
        """Evaluations up to the next pause."""
        if self._waiting or draws_by_force(self.compiled.model):
            return 1  # how long the next step may be follows from where the last one ends
        until = self._headway.end_of_patience if self.is_soft else np.inf
        if self._is_to_decide():
            return 0
        if self.choice is not None:
            until = min(until, max(self.choice.due, self.evaluations + 1))
        if self.integrator not in FIXED_STEPS:
            until = min(until, self._most_evaluations())
        return int(max(1, min(self._budget, until - self.evaluations)))

    def _most_evaluations(self) -> float:
        """The evaluations at which something is done about a frame that is too long in coming."""
        is_first_look = self.stretched is None and bool(self.compiled.model.closing)
        return self._headway.most(self.frame_times, is_first_look)

    def _makes_headway(self) -> bool:
        """False if the next frame is too long in coming, even after what is stretched has been let go a little."""
        self._headway.note(self.done, self.evaluations, self.done >= len(self.frame_times))
        if self.integrator in FIXED_STEPS or self.evaluations < self._most_evaluations():
            return True
        if self.stretched is not None or not self.compiled.model.closing or not self.done:
            return False
        if self._slacken():
            self._go_back_to(self.done - 1)
        return True

    def _slacken(self) -> bool:
        """Lets closures that are stretched give way by the last digits; False if none are."""
        time, last = float(self.frame_times[self.done - 1]), slice(self.done - 1, self.done)
        now = Frames(*(array[last] for array in self.frames))
        self.stretched = slacken(self.mechanism, self.compiled, now, time)
        return bool(self.stretched)

    @property
    def evaluations(self) -> int:
        return 1 + int(self.memory.counts[0].evaluations)

    @property
    def steps(self) -> int:
        return int(self.memory.counts[0].steps)

    @property
    def frame(self) -> int:
        """The number of the next frame."""
        return self.first + self.done

    def advance(self, until: float) -> Iterator[float]:
        """Integrates on until it has passed that time (s); yields the time that it has reached.

        What is done does not depend on how a way is cut into such pieces.
        """
        self._go_to_near(until)
        while (
            not self.has_failed
            and self.ended is None
            and not self.together
            and not self.near
            and not self.met
            and (self.time < until or self._must_begin or self._owes_frames(until))
        ):
            begun = clock.perf_counter()
            if self._must_begin:
                self._find_stop()
                self.together = come_together(self.mechanism, self.compiled, self.time)
                self.near = self._waiting.near(self._now(), _NEAR * self.compiled.model.size) if self._waiting else []
                if self.together or self.near:
                    yield self.time
                    break
                if self._is_contradicted():
                    yield self.time
                    break
                self._enter_modes()
                if self._has_ended():
                    yield self.time
                    break
            before = self.done
            status, self.done = self._method.advance(
                self.compiled.model, self.scratch, self.memory, self._tolerance, self._must_begin or self._begins_anew,
                self._stop, self._next_look(until), self._longest_now(), self.frame_times, self.done, self.frames,
                self._slice(),
            )  # fmt: skip
            self._begins_anew = False
            status = self._look_for_failure(status)
            times = self.memory.clock[0]
            self.status = Status(status)
            self.time = float(min(times.time, times[self._method.switch]))
            self._look_for_contradiction(before)
            jumps = self._jumps()
            if jumps:
                self.status = Status.STEP_TOO_SHORT
            elif not self.has_failed and not self._makes_headway():
                self.status = Status.NO_HEADWAY
            is_at_stop = self.status == Status.DONE and self._stop <= until  # else frames before it are still asked for
            self._must_begin = self.status == Status.SWITCHED or is_at_stop
            self._look_for_near()
            self._go_to_near(until)
            self._change_integrator()
            taken = clock.perf_counter() - begun
            share = min(4.0, max(0.25, SLICE / max(taken, 1e-6)))
            self._budget = min(_MOST, max(2, int(self._budget * share)))
            reached = self.time
            may_go_on = self.unseen is None and self.contradiction is None
            if self.has_failed and not jumps and may_go_on and self._try_again():
                self.status = Status.DONE
            yield reached  # nobody need come back from here

    def _is_to_decide(self) -> bool:
        """True if the next pause is to decide which integrator goes on: not while its last step has frames to write."""
        return self.choice is not None and self.evaluations >= self.choice.due and not self._owes_frames(self.time)

    def _now(self) -> Recording:
        """A single frame of the present."""
        return assemble_recording(self.mechanism, [Stretch(self.compiled, self.snapshot())], np.array([self.time]))

    def _longest_now(self) -> float:
        """s: of a step that passes nothing which waits for its ends to come near."""
        if not self._waiting or self.integrator in FIXED_STEPS:
            return self._longest
        return min(self._longest, self._waiting.longest_step(self._now()))

    def _next_look(self, until: float) -> float:
        """Up to where it may go at once. Steps of fixed length go over what comes near: it is looked for after each."""
        looks = self._waiting and self.integrator in FIXED_STEPS
        return min(until, float(np.nextafter(self.time, np.inf))) if looks else until

    def _look_for_near(self) -> None:
        """Notes the moment in the last step of fixed length at which something has come near, or what has met."""
        if self.has_failed:
            return
        if self._waiting and self.integrator in FIXED_STEPS:
            found = self._waiting.met(self._now())
            self._near_at = self._near_at if found is None else (*found, [])
        if self._near_at is None and draws_by_force(self.compiled.model):
            met = have_met(self.mechanism, self.compiled, self.scratch)
            self._near_at = (self.time, [], met) if met else None

    def _go_to_near(self, until: float) -> None:
        """Goes back to where something has come near, if that is before `until` (s), with the frames up to there."""
        if self._near_at is None or self._near_at[0] > until:
            return
        time, self.near, self.met = self._near_at
        _, self.done = self._method.advance(
            self.compiled.model, self.scratch, self.memory, self._tolerance, False, self._stop, time, self._longest,
            self.frame_times, self.done, self.frames, 1,
        )  # fmt: skip
        self.go_to(time)

    def _change_integrator(self) -> None:
        """Lets another integrator go on from here, if that is cheaper or to be tried.

        That is decided at pauses alone, when no frames are owed: so however a way is cut into pieces, it goes the same.
        """
        standing = Standing(self.integrator, self.status, self.time, self.evaluations, self.memory)
        may_decide = self.status == Status.STIFF or (self.status == Status.PAUSED and self._is_to_decide())
        other = self.choice.next(standing) if self.choice is not None and may_decide else None
        if self.status == Status.STIFF:
            self.status = Status.DONE
        if other is not None:
            self.integrator, self._method = other, integration.METHODS[other]
            self._set_tolerances(*(self._tolerances if self.coarser_from is None else COARSER))
            self.memory = self._renewed_memory()
            self._begins_anew = True
        watch(self.choice, self.integrator, self.memory, self._begins_anew)

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

    def _find_stop(self) -> None:
        """The time at which it must begin anew next; a pause there, before its frame is written, does not change it."""
        stops = self.compiled.stops
        self._stop = float(min(stops[stops > self.time], default=np.inf))
        before = float(max(stops[stops <= self.time], default=0.0))
        self._longest = min(self._stop - before, self.compiled.longest_step, _LONGEST)

    def _is_contradicted(self) -> bool:
        """True if motors begin here, in pose or by their numbers, to keep speeds that cannot be."""
        model, state = self.compiled.model, self.memory.motion.state
        if not len(tireless(model)):
            return False
        if self._depends is None:
            self._depends = is_dependent(model, self.time, state, self.scratch.bead)
        if self._depends or is_at_limit(model, self.scratch.parameters, state.coordinates):
            self._contradict(self.time, state, self.done)
        if self._depends and self.contradiction is None:
            fit_speeds(model, self.scratch, self.time, state)
        return self.contradiction is not None

    def _look_for_contradiction(self, before: int) -> None:
        """Ends the motion where a contradiction has stopped it, or has come about by one of its latest frames.

        before: how many frames were done before these. Steps of a fixed length, and motors that loops leave no choice,
        have no moment at which they would meet it.
        """
        model = self.compiled.model
        if not len(tireless(model)):
            return
        for k in range(before, self.done):
            is_met = self.integrator in FIXED_STEPS and is_at_limit(
                model, self.scratch.parameters, self.frames.coordinates[k]
            )
            if (self._depends or is_met) and self._contradict(self.frame_times[k], self.state_at(k), k):
                return
        if self.status in _FAILED:
            self._contradict(self.time, self.memory.motion.state, self.done)

    def _contradict(self, time: float, state: State, frame: int) -> bool:
        """Fails at a time (s) and with so many frames done, if motors keep speeds there that cannot be."""
        found = find_contradiction(self.mechanism, self.compiled, time, state, self.scratch.bead, 0.5 * OVERRUN)
        if found is not None:
            self.contradiction, self.status, self.time, self.done = found, Status.CONTRADICTED, float(time), frame
        return found is not None

    def state_at(self, frame: int) -> State:
        """The state of a frame of this run."""
        frames, model = self.frames, self.compiled.model
        state = State(frames.coordinates[frame].copy(), frames.speeds[frame].copy(), frames.chart[frame].copy())
        for body in model.bodies[model.charted]:
            state.coordinates[body.axis_end - 3 : body.axis_end] = 0.0
        return state

    def _look_for_failure(self, status: int) -> int:
        """The status of an advance, STOPPED if contacts could not be found; then `unseen` says why."""
        if self._finder is not None:
            try:
                self._finder.raise_failure()
            except DetectionFailed as error:
                self.unseen = error
                return Status.STOPPED
        if status == Status.STOPPED:
            self.unseen = self.memory.find.error
        return status

    def _has_ended(self) -> bool:
        """True if surfaces part at this moment, or cut into each other."""
        model = self.compiled.model
        if not len(model.rides.joints):
            return False
        if self.integrator == "impulse":
            ride, how = self.memory.ended_ride
        else:
            self.snapshot()
            ride, how = find_end(model, self.scratch, self.memory.motion.state)
        if how == CUTS_IN:
            self.status = Status.CUTS_IN
        elif ride >= 0:
            body = model.rides.joints.body[ride] - model.driven
            self.ended = self.mechanism.joints[self.compiled.linkage.joint[body]].name, _ENDS[how]
        return ride >= 0

    def _owes_frames(self, until: float) -> bool:
        """True if frames up to a time are still to be written: a long step may have passed many."""
        return self.done < len(self.frame_times) and self.frame_times[self.done] <= until

    @property
    def has_failed(self) -> bool:
        return self.status in _FAILED

    def _enter_modes(self) -> None:
        model, memory = self.compiled.model, self.memory
        if self.integrator in FIXED_STEPS:
            self.scratch.closed[:] = ASK_GAP  # their steps have no modes
            return
        if not switches(self.compiled):
            return
        rates = np.zeros(2 * len(model.armature))
        fastest = max(memory.clock[0].fastest, fastest_target(model, self._tolerance.per_scale))
        state, before = memory.motion.state, memory.motion.state.speeds.copy()
        enter_modes(model, self.scratch, self.time, state, rates, self._tolerance.per_scale, fastest)
        if self._between and self.done < len(self.frames.jump) and (before != state.speeds).any():
            after = state.speeds.copy()
            state.speeds[:] = before
            note_switch(model, self.scratch, state, after, self.time, self.frames, self.done)

    def _forget_between(self, frame: int, time: float) -> None:
        """Throws away what has been recorded behind a time (s) on the way to a frame, and to later ones."""
        for times in (self.frames.between_time[frame:], self.frames.jump_time[frame:]):
            times[times > time] = 0.0

    def go_to(self, time: float) -> None:
        """Goes back to a time (s) that `advance` was told to pass, to begin anew there."""
        self._method.go_to(self.compiled.model, self.scratch, self.memory, self._tolerance, time)
        self._forget_between(self.done, time)
        self.time, self._must_begin, self._near_at = time, True, None
        self._waiting.begin_anew()

    def refuse(self, problem: str) -> None:
        """Ends the motion here, since what now should hold cannot."""
        self.contradiction, self.status = problem, Status.CONTRADICTED

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
        self.together, self.near, self.met = [], [], []
        self._waiting = Waiting(mechanism, compiled.linkage)
        compiled.state = self.compiled.state
        scratch, forces = self._new_scratch(compiled), len(old.forces)
        scratch.switches[:], scratch.closed[:forces] = self.scratch.switches, self.scratch.closed
        if len(new.forces) > forces:
            closed = np.zeros((len(self.frames.closed), len(new.forces)), np.int64)
            closed[:, :forces] = self.frames.closed
            self.frames = self.frames._replace(closed=closed)
        tally = tally_of(self.scratch, self.memory)
        self.compiled, self.scratch, self._must_begin, self._depends = compiled, scratch, True, None
        if self.integrator == "implicit":
            self.memory = self._renewed_memory()  # which has room for each force
        if self.choice is None and self._may_change:
            self.choice = new_choice(compiled, self.memory)
        go_on_from(tally, scratch, self.memory)
        state = self.memory.motion.state
        kept = State(state.coordinates.copy(), state.speeds.copy(), state.anchor.copy())
        self._start = self.time, kept, scratch.switches.copy(), scratch.closed.copy(), tally

    def snapshot(self) -> Frames:
        """A single frame of where it is now."""
        model, memory = self.compiled.model, self.memory
        frames = new_frames(model, 1)
        rates = np.zeros(2 * len(model.armature))
        write_now(model, self.scratch, memory.motion.state, self.time, rates, frames)
        return frames

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

    def _try_again(self) -> bool:
        """Goes back a little and helps a linkage with closures that cannot go on; False if it can't.

        Near a singular pose rounding may be more than a fine tolerance allows, so it is tried with a coarser one first.
        """
        frame = self.done - 1
        if self.status in (Status.ROPE_OUT, Status.NO_HEADWAY):
            return False
        if frame < 0 or not self.compiled.model.closing or self.integrator == "variational":
            return False
        if self.integrator == "impulse":
            if not let_go(self.compiled, self.scratch):
                return False
        elif self.stretched is None and self._slacken():
            pass
        elif self._tolerance.relative < self._coarser.relative:
            self._tolerance, self.coarser_from = self._coarser, self.first + frame
        elif not give_way(self.compiled, self.scratch, self.frames, frame):
            return False
        self._go_back_to(frame)
        return True

    @property
    def closures(self) -> Iterator[tuple[Source, int]]:
        """The closures, and how they give way, if they do."""
        for source, closure in zip(self.compiled.sources, self.compiled.model.closures, strict=True):
            if source.kind != "tree":
                yield source, int(closure.gives_way)

    def _go_back_to(self, frame: int) -> None:
        """To the last frame, or to the latest change if that came after it."""
        frames, before = self.frames, self.memory
        if self._start is not None and self._start[0] > self.frame_times[frame]:
            self.time, state, switches, closed, tally = self._start
            state = State(*(array.copy() for array in state))
        else:
            self.time, state = float(self.frame_times[frame]), self.state_at(frame)
            read_modes(frames, frame, self.scratch)
            switches, closed, tally = self.scratch.switches, self.scratch.closed, ()
        self._forget_between(frame, self.time)
        self.scratch = self._new_scratch(self.compiled)
        self.memory = self._method.new_memory(self.compiled, state, self._interval)
        self.scratch.switches[:], self.scratch.closed[:] = switches, closed
        keep_counts(before, self.memory)
        self.memory.clock[0].time, self._must_begin = self.time, True
        watch(self.choice, self.integrator, self.memory, self._begins_anew)
        go_on_from(tally, self.scratch, self.memory)
        hand_on_impacts(before, self.memory, self.time)

    def settle_reactions(self) -> Iterator[int]:
        """Makes forces of redundant rows those of least norm; yields the number of the next frame."""
        first, self._settled = self._settled, self.done
        if not self.frames.redundant[first : self.done].any():
            return
        frames = settled(self.mechanism, self.compiled, self.moment, self.frame_times, self.frames, first, self.done)
        for done in frames:
            yield self.first + done

    def rope_out(self) -> tuple[Pulley, str] | None:
        """The pulley whose free rope has run out, and the side, "a" or "b", if that is why it cannot go on."""
        if self.status != Status.ROPE_OUT:
            return None
        number, side = shortest_span(self.compiled.model, self.scratch)
        return self.mechanism.constraints[self.compiled.sources[number].index], "ab"[side]

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
