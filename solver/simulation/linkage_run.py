# SPDX-License-Identifier: GPL-3.0-or-later
"""One linkage on its way through all frames: integrated in slices, and helped where closures cannot be met."""

import time as clock
from collections.abc import Iterator

import numpy as np

from .. import integration
from ..assembly.rigidity import Locked, note_on_locked
from ..contact.detection.detection_failed import DetectionFailed
from ..contact.soft.parameters import SoftFinder, contact_scratch, quickest
from ..dynamics.forces.switching import OVERRUN
from ..dynamics.loops.ropes import shortest_span
from ..dynamics.tree.surface_joints import COMES_OFF, CUTS_IN, KNOCKED_OFF, LEAVES_CHILD, LEAVES_PARENT, find_end
from ..evaluation.mode_transitions import enter_modes
from ..integration import FIXED_STEPS, Status
from ..integration.motion.between import note_switch
from ..integration.motion.observation import Frames, closing_closures, new_frames, read_modes, write_now
from ..integration.motion.reactions import rewrite_reactions
from ..mechanism import Mechanism
from ..mechanism.constraints import Pulley
from ..mechanism.messages import Message
from ..model.arrays import (
    ASK_GAP,
    AXIS_PARAMETERS,
    DAMPING,
    LAGRANGE,
    MOTOR_DAMPING,
    MOTOR_STIFFNESS,
    RECURSIVE,
    STIFFNESS,
    TAUT,
    Model,
    Scratch,
    State,
    new_scratch,
)
from ..model.closures import Source
from ..model.compilation import Compiled, compile_linkage
from ..model.moment import Moment
from .closure_notes import part_of
from .contact_totals import Tally, deepest_overlap, go_on_from, hand_on_impacts, impacts_of, largest_gain, tally_of
from .contradictions import find_contradiction, is_at_limit, is_dependent, tireless
from .stuck import locked_now
from .warm_up import switches

_COARSER = 1e-6, 1e-7  # relative and absolute tolerance to fall back on
_MORE = 100.0  # times the force at the last frame: a closure that cannot be met
_MANY = 10000  # evaluations per second of motion that are worth a word
_FAST = 1000.0  # 1/s: a joint's spring or damper faster than this makes steps short
_DEEP = 0.05  # thicknesses: an overlap that is worth a word
_MUCH = 1e-4  # of an island's energy: a gain in one step that is
_LONGEST = 10.0  # s: of a step
_LOOK, _MOST_IN_FRAME = 20_000, 1_000_000  # evaluations in a frame: when what is stretched is looked for; at most
_PATIENCE, _HARDLY = 20000, 0.1  # evaluations that get less far than that, in times of contacts: points that jump
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
}
_SLICE = 0.004  # s that `run` works between two yields
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
    ) -> None:
        start = 0.0 if moment is None else moment.time
        self._mechanism, self.moment, self._between = mechanism, moment, between
        self.compiled, self.first, self._frame_times = compiled, first, times[first:]
        self.integrator, self._method = integrator, integration.METHODS[integrator]
        self._finder: SoftFinder | None = None
        self.scratch = self._new_scratch(compiled)
        self.frames = self._new_frames(len(times) - first)
        self.left: Tally = ()  # of a linkage that has ended
        self.unseen: DetectionFailed | None = None  # why contacts could not be found
        self.done, self.time, self.status = 0, start, Status.DONE
        self.ended: tuple[str, str] | None = None  # a joint whose surfaces part now, and why
        self.contradiction: Message | None = None  # of motors that keep speeds which cannot be
        self._interval = interval
        self._memory = self._method.new_memory(compiled, compiled.state, interval)
        self._memory.clock[0].time = start
        self._tolerance = integration.local_tolerance(integrator, compiled.model, *tolerances)
        self._coarser = integration.local_tolerance(integrator, compiled.model, *_COARSER)
        self._coarser_from: int | None = None  # frame
        self._since, self._must_begin, self._budget = start, True, 100
        self._stop, self._longest = np.inf, _LONGEST
        self._start: tuple | None = None  # state and modes behind the latest change
        self._patience = 0, start  # evaluations and time when it was last seen to get on
        self._headway = 0, 0  # frames, and evaluations when the last of them was done
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
        return impacts_of(self._memory)

    @property
    def is_soft(self) -> bool:
        """True if forces push apart what touches."""
        return self.scratch.soft is not None

    def _jumps(self) -> bool:
        """True if it hardly gets on any more, since the points of a contact jump to and fro."""
        evaluations, time = self._patience
        if not self.is_soft or self.evaluations < evaluations + _PATIENCE:
            return False
        self._patience = self.evaluations, self.time
        return self.time - time < _HARDLY * quickest(self.scratch)

    def _slice(self) -> int:
        """Evaluations up to the next pause. Patience ends at a pause, which must not depend on the clock."""
        until = self._patience[0] + _PATIENCE if self.is_soft else np.inf
        if self.integrator not in FIXED_STEPS:
            until = min(until, self._headway[1] + self._allowed())
        return int(max(1, min(self._budget, until - self.evaluations)))

    def _allowed(self) -> float:
        """Evaluations that a frame may take before something is done about it."""
        times = self._frame_times
        long = 24.0 * (times[-1] - times[0]) / (len(times) - 1) if len(times) > 1 else 1.0
        is_first_look = self.stretched is None and bool(self.compiled.model.closing)
        return max(1.0, long) * (_LOOK if is_first_look else _MOST_IN_FRAME)

    def _makes_headway(self) -> bool:
        """False if the next frame is too long in coming, even after what is stretched has been let go a little."""
        if self.done != self._headway[0] or self.done >= len(self._frame_times):
            self._headway = self.done, self.evaluations
        if self.integrator in FIXED_STEPS or self.evaluations < self._headway[1] + self._allowed():
            return True
        if self.stretched is not None or not self.compiled.model.closing or not self.done:
            return False
        if self._slacken():
            self._go_back_to(self.done - 1)
        return True

    def _slacken(self) -> bool:
        """Lets closures that are stretched give way by the last digits; False if none are."""
        time = float(self._frame_times[self.done - 1])
        now = Frames(*(array[self.done - 1 : self.done] for array in self.frames))
        self.stretched = locked_now(self._mechanism, self.compiled, now, time)
        parts = {part for found in self.stretched for part in found.parts}
        gives_way = self.compiled.model.closures.gives_way
        for number, source in enumerate(self.compiled.sources[: closing_closures(self.compiled.model)]):
            if part_of(self._mechanism, source) in parts:
                gives_way[number] = TAUT
        return bool(parts)

    @property
    def evaluations(self) -> int:
        return 1 + int(self._memory.counts[0].evaluations)

    @property
    def steps(self) -> int:
        return int(self._memory.counts[0].steps)

    @property
    def frame(self) -> int:
        """The number of the next frame."""
        return self.first + self.done

    def advance(self, until: float) -> Iterator[float]:
        """Integrates on until it has passed that time (s); yields the time that it has reached.

        What is done does not depend on how a way is cut into such pieces.
        """
        while (
            not self.has_failed
            and self.ended is None
            and (self.time < until or self._must_begin or self._owes_frames(until))
        ):
            begun = clock.perf_counter()
            if self._must_begin:
                self._find_stop()
                if self._is_contradicted():
                    yield self.time
                    break
                self._enter_modes()
                if self._has_ended():
                    yield self.time
                    break
            before = self.done
            status, self.done = self._method.advance(
                self.compiled.model, self.scratch, self._memory, self._tolerance, self._must_begin, self._stop, until,
                self._longest, self._frame_times, self.done, self.frames, self._slice(),
            )  # fmt: skip
            status = self._look_for_failure(status)
            times = self._memory.clock[0]
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
            taken = clock.perf_counter() - begun
            share = min(4.0, max(0.25, _SLICE / max(taken, 1e-6)))
            self._budget = min(_MOST, max(2, int(self._budget * share)))
            reached = self.time
            may_go_on = self.unseen is None and self.contradiction is None
            if self.has_failed and not jumps and may_go_on and self._try_again():
                self.status = Status.DONE
            yield reached  # nobody need come back from here

    def _find_stop(self) -> None:
        """The time at which it must begin anew next; a pause there, before its frame is written, does not change it."""
        stops = self.compiled.stops
        self._stop = float(min(stops[stops > self.time], default=np.inf))
        before = float(max(stops[stops <= self.time], default=0.0))
        self._longest = min(self._stop - before, self.compiled.longest_step, _LONGEST)

    def _is_contradicted(self) -> bool:
        """True if motors begin here, in pose or by their numbers, to keep speeds that cannot be."""
        model, state = self.compiled.model, self._memory.motion.state
        if not len(tireless(model)):
            return False
        if self._depends is None:
            self._depends = is_dependent(model, self.time, state, self.scratch.bead)
        if self._depends or is_at_limit(model, self.scratch.parameters, state.coordinates):
            self._contradict(self.time, state, self.done)
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
            if (self._depends or is_met) and self._contradict(self._frame_times[k], self._state_at(k), k):
                return
        if self.status in _FAILED:
            self._contradict(self.time, self._memory.motion.state, self.done)

    def _contradict(self, time: float, state: State, frame: int) -> bool:
        """Fails at a time (s) and with so many frames done, if motors keep speeds there that cannot be."""
        found = find_contradiction(self._mechanism, self.compiled, time, state, self.scratch.bead, 0.5 * OVERRUN)
        if found is not None:
            self.contradiction, self.status, self.time, self.done = found, Status.CONTRADICTED, float(time), frame
        return found is not None

    def _state_at(self, frame: int) -> State:
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
            self.unseen = self._memory.find.error
        return status

    def _has_ended(self) -> bool:
        """True if surfaces part at this moment, or cut into each other."""
        model = self.compiled.model
        if not len(model.rides.joints):
            return False
        if self.integrator == "impulse":
            ride, how = self._memory.ended_ride
        else:
            self.snapshot()
            ride, how = find_end(model, self.scratch, self._memory.motion.state)
        if how == CUTS_IN:
            self.status = Status.CUTS_IN
        elif ride >= 0:
            body = model.rides.joints.body[ride] - model.driven
            self.ended = self._mechanism.joints[self.compiled.linkage.joint[body]].name, _ENDS[how]
        return ride >= 0

    def _owes_frames(self, until: float) -> bool:
        """True if frames up to a time are still to be written: a long step may have passed many."""
        return self.done < len(self._frame_times) and self._frame_times[self.done] <= until

    @property
    def has_failed(self) -> bool:
        return self.status in _FAILED

    def _enter_modes(self) -> None:
        model, memory = self.compiled.model, self._memory
        if self.integrator in FIXED_STEPS:
            self.scratch.closed[:] = ASK_GAP  # their steps have no modes
            return
        if not switches(self.compiled):
            return
        rates = np.zeros(2 * len(model.armature))
        fastest = memory.clock[0].fastest
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
        self._method.go_to(self.compiled.model, self.scratch, self._memory, self._tolerance, time)
        self._forget_between(self.done, time)
        self.time, self._must_begin = time, True

    def change(self, mechanism: Mechanism, compiled: Compiled) -> None:
        """Other numbers for the same linkage from now on."""
        for _ in self.settle_reactions():
            pass
        self._mechanism = mechanism
        old, new = self.compiled.model, compiled.model
        new.closures.curve_first[:] = self.scratch.bead
        new.closures.gives_way[:] = old.closures.gives_way
        compiled.state = self.compiled.state
        scratch, forces = self._new_scratch(compiled), len(old.forces)
        scratch.switches[:], scratch.closed[:forces] = self.scratch.switches, self.scratch.closed
        if len(new.forces) > forces:
            closed = np.zeros((len(self.frames.closed), len(new.forces)), np.int64)
            closed[:, :forces] = self.frames.closed
            self.frames = self.frames._replace(closed=closed)
        tally = tally_of(self.scratch, self._memory)
        self.compiled, self.scratch, self._must_begin, self._depends = compiled, scratch, True, None
        go_on_from(tally, scratch, self._memory)
        state = self._memory.motion.state
        kept = State(state.coordinates.copy(), state.speeds.copy(), state.anchor.copy())
        self._start = self.time, kept, scratch.switches.copy(), scratch.closed.copy(), tally

    def snapshot(self) -> Frames:
        """A single frame of where it is now."""
        model, memory = self.compiled.model, self._memory
        frames = new_frames(model, 1)
        rates = np.zeros(2 * len(model.armature))
        write_now(model, self.scratch, memory.motion.state, self.time, rates, frames)
        return frames

    def extend(self, times: np.ndarray) -> None:
        """Makes room for more frames; `times` of all frames of the motion."""
        frames = self._new_frames(len(times) - self.first)
        for old, new in zip(self.frames, frames, strict=True):
            new[: len(old)] = old
        self.frames, self._frame_times = frames, times[self.first :]

    def cut_off(self) -> None:
        """Keeps only the frames that are done, and what contacts have given since."""
        self.left = tally_of(self.scratch, self._memory)
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
            if not self._let_go():
                return False
        elif self.stretched is None and self._slacken():
            pass
        elif self._tolerance.relative < self._coarser.relative:
            self._tolerance, self._coarser_from = self._coarser, self.first + frame
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
        return self._release(pull, ~(pull < _MORE * before.max()))

    def _let_go(self) -> bool:
        """The same by impulses, whose forces say nothing there: of the closure that is open the widest."""
        model = self.compiled.model
        turns = model.rows.is_length[: model.closing] == 0
        error = np.abs(self.scratch.rows.error[: model.closing]) / np.where(turns, 1.0, model.size)
        starts = model.closures.row_start[: closing_closures(model)]
        return self._release(np.maximum.reduceat(error, starts), np.ones(len(starts), bool))

    def _release(self, most: np.ndarray, suspects: np.ndarray) -> bool:
        """Lets that suspect (Q,) give way of which there is most (Q,), constraints before joints; False if none can."""
        model = self.compiled.model
        suspects = suspects & (model.closures.gives_way[: len(most)] == 0)
        constraints = np.array([source.kind == "constraint" for source in self.compiled.sources[: len(most)]])
        if (suspects & constraints).any():
            suspects &= constraints
        if not suspects.any():
            return False
        model.closures.gives_way[np.argmax(np.where(suspects, np.nan_to_num(most, nan=np.inf), -1.0))] = 1
        return True

    @property
    def closures(self) -> Iterator[tuple[Source, int]]:
        """The closures, and how they give way, if they do."""
        for source, closure in zip(self.compiled.sources, self.compiled.model.closures, strict=True):
            if source.kind != "tree":
                yield source, int(closure.gives_way)

    def _go_back_to(self, frame: int) -> None:
        """To the last frame, or to the latest change if that came after it."""
        frames, before = self.frames, self._memory
        if self._start is not None and self._start[0] > self._frame_times[frame]:
            self.time, state, switches, closed, tally = self._start
            state = State(*(array.copy() for array in state))
        else:
            self.time, state = float(self._frame_times[frame]), self._state_at(frame)
            read_modes(frames, frame, self.scratch)
            switches, closed, tally = self.scratch.switches, self.scratch.closed, ()
        self._forget_between(frame, self.time)
        self.scratch = self._new_scratch(self.compiled)
        self._memory = self._method.new_memory(self.compiled, state, self._interval)
        self.scratch.switches[:], self.scratch.closed[:] = switches, closed
        for kept in ("evaluations", "steps"):
            self._memory.counts[kept] = before.counts[kept]
        self._memory.clock[0].time, self._must_begin = self.time, True
        go_on_from(tally, self.scratch, self._memory)
        hand_on_impacts(before, self._memory, self.time)

    def _pull(self, model: Model, number: int) -> float:
        """N: the force that a closure exerts, moments by the linkage's size."""
        closure = model.closures[number]
        rows = slice(closure.row_start, closure.row_end)
        turns = model.rows.is_length[rows] == 0
        return float(np.linalg.norm(self.scratch.rows.multiplier[rows] / np.where(turns, model.size, 1.0)))

    def settle_reactions(self) -> Iterator[int]:
        """Makes forces of redundant rows those of least norm; yields the number of the next frame."""
        first, self._settled = self._settled, self.done
        if not self.frames.redundant[first : self.done].any():
            return
        compiled = compile_linkage(self._mechanism, self.compiled.linkage, LAGRANGE, self.moment)
        model = compiled.model
        closing = len(self.compiled.model.closures)
        model.closures.curve_first[:closing] = self.compiled.model.closures.curve_first
        model.closures.gives_way[:closing] = self.compiled.model.closures.gives_way
        scratch, finder = contact_scratch(compiled)  # which looks for points as long as it is here
        axes, chunk = len(model.armature), 1
        state = State(np.zeros(axes), np.zeros(axes), np.zeros_like(compiled.state.anchor))
        while first < self.done:
            begun = clock.perf_counter()
            last = min(self.done, first + chunk)
            rewrite_reactions(model, scratch, state, np.zeros(2 * axes), self._frame_times, self.frames, first, last)
            if finder is not None:
                finder.raise_failure()
            first = last
            chunk = max(1, int(chunk * min(4.0, _SLICE / max(clock.perf_counter() - begun, 1e-6))))
            yield self.first + first

    def note_on_accuracy(self) -> list[str]:
        """Says from where on the tolerance that was asked for could not be kept."""
        if self._coarser_from is None:
            return []
        return [Message("coarser", frame=self._coarser_from, tolerance=f"{_COARSER[0]:.0e}")]

    def note_on_stretch(self) -> list[str]:
        """Names what was stretched, and so gave way by the last digits."""
        return [note_on_locked(found) for found in self.stretched or ()]

    def note_on_impacts(self) -> list[str]:
        """Says where impacts that should bounce have been ended without a bounce, and what that took."""
        ended = self.impacts[self.impacts.lost > 0.0]
        if not len(ended):
            return []
        time, energy = f"{ended.time[0]:.6g}", f"{ended.lost.sum():.2g}"
        return [Message("impacts-ended", time=time, count=len(ended), energy=energy)]

    def note_on_overlaps(self) -> list[str]:
        """Names the two bodies that came to overlap most, if that is more than contact promises."""
        found = deepest_overlap(self._memory)
        if found is None or not found.part > _DEEP:
            return []
        places = self.compiled.places[found.body]
        names = [self._mechanism.bodies[k].name if k >= 0 else None for k in places]
        one, other = (f"'{name}'" if name is not None else "the ground" for name in names)
        parts = [("body", name) for name in names if name is not None]
        how = {"depth": f"{found.depth:.2g}", "percent": f"{100.0 * found.part:.2g}", "time": f"{found.time:.6g}"}
        return [Message("overlap", *parts, one=one, other=other, **how)]

    def note_on_gains(self) -> list[str]:
        """Names who has gained energy that the bound of `integration.impulse.energy_bound` could not take back."""
        found = largest_gain(self._memory)
        if found is None or not found.part > _MUCH:
            return []
        part = "body", self._mechanism.bodies[self.compiled.places[found.body]].name
        how = {"energy": f"{found.energy:.2g}", "percent": f"{100.0 * found.part:.2g}", "time": f"{found.time:.6g}"}
        return [Message("gain", part, **how)]

    def note_on_stiffness(self) -> list[str]:
        """Names the joint whose spring or damper made the steps short, if one did."""
        model, driven = self.compiled.model, self.compiled.model.driven
        are_many = self.evaluations > _MANY * max(self.time - self._since, 0.1)
        if not are_many or not len(model.sprung) or model.method != RECURSIVE:
            return []  # only the recursion leaves the inertia about each axis behind
        numbers = self.scratch.parameters[: AXIS_PARAMETERS * len(model.armature)].reshape(-1, AXIS_PARAMETERS)
        inertia = np.where(self.scratch.axes.D > 0.0, self.scratch.axes.D, np.inf)  # none is known just behind a change
        damping = (numbers[:, DAMPING] + numbers[:, MOTOR_DAMPING]) / inertia
        stiffness = (numbers[:, STIFFNESS] + numbers[:, MOTOR_STIFFNESS]) / inertia
        rates = np.maximum(damping, np.sqrt(stiffness))
        axis = int(np.argmax(rates))
        if rates[axis] < _FAST:
            return []
        body = int(np.searchsorted(model.bodies.axis_end[driven:], axis, side="right"))
        joint = self._mechanism.joints[self.compiled.linkage.joint[body]]
        time = f"{1.0 / rates[axis]:.0e}"
        return [Message("too-stiff", ("joint", joint.name), time=time, evaluations=self.evaluations)]

    def rope_out(self) -> tuple[Pulley, str] | None:
        """The pulley whose free rope has run out, and the side, "a" or "b", if that is why it cannot go on."""
        if self.status != Status.ROPE_OUT:
            return None
        number, side = shortest_span(self.compiled.model, self.scratch)
        return self._mechanism.constraints[self.compiled.sources[number].index], "ab"[side]

    def suspects(self) -> list[int]:
        """Bodies (indices of the mechanism's list) whose accelerations ran away, or are the largest."""
        acceleration = np.abs(self.scratch.bodies.acceleration[self.compiled.model.driven :]).max(axis=1)
        wild = np.flatnonzero(~np.isfinite(acceleration))
        chosen = wild[:1] if len(wild) else [int(np.argmax(acceleration))]
        return [self.compiled.linkage.bodies[k] for k in chosen]
