# SPDX-License-Identifier: GPL-3.0-or-later
"""One linkage on its way through all frames: integrated in slices, and helped where closures cannot be met."""

import time as clock
from collections.abc import Iterator

import numpy as np

from .. import integration
from ..contact.detection.detection_failed import DetectionFailed
from ..contact.soft.parameters import quickest
from ..dynamics.forces.switching import OVERRUN
from ..dynamics.tree.surface_joints import COMES_OFF, CUTS_IN, KNOCKED_OFF, LEAVES_CHILD, LEAVES_PARENT, find_end
from ..evaluation.mode_transitions import enter_modes
from ..integration import FIXED_STEPS, Status
from ..integration.impulse.driver import evaluate_frame
from ..integration.motion.between import note_switch
from ..integration.motion.observation import Frames, new_frames, read_modes, write_now
from ..model.arrays import ASK_GAP, State
from .catching.courses import CANNOT_DRAW, come_together, draws_by_force, have_met
from .catching.ends import Now
from .catching.grips import Slips
from .contact_totals import go_on_from, hand_on_impacts
from .contradictions import (
    fastest_target,
    find_contradiction,
    find_speeds,
    fit_speeds,
    is_at_limit,
    is_dependent,
    tireless,
)
from .headway import LOOK, MOST_IN_FRAME, SOON, is_lost_in_rounding
from .integrator_choice import Standing, keep_counts, watch
from .least_reactions import SLICE
from .linkage_motion import COARSER, FAILED, LONGEST, LinkageMotion
from .stuck import give_way, is_led_past, let_go, may_be_led_past, slacken
from .warm_up import switches

_ENDS = {
    COMES_OFF: "the surfaces no longer press on each other",
    LEAVES_PARENT: "it has come to the edge of its parent's surface",
    LEAVES_CHILD: "it has come to the edge of its child's surface",
    KNOCKED_OFF: "a blow lifts the surfaces off each other",
}
_BACK = 4  # frames before the next one: whoever begins anew beside a singular pose comes to it in steps of low order
_MOST = 1_000_000  # evaluations in a slice: many short ones, from stop to stop, say nothing of a long one


class LinkageRun(LinkageMotion):
    """One linkage on its way: an advance looks what begins, integrates a slice, looks what has come, and recovers."""

    def advance(self, until: float) -> Iterator[float]:
        """Integrates on until it has passed that time (s); yields the time that it has reached.

        What is done does not depend on how a way is cut into such pieces.
        """
        self._go_to_near(until)
        while self._may_go_on() and (self.time < until or self._must_begin or self._owes_frames(until)):
            begun = clock.perf_counter()
            if self._must_begin and not self._begin():
                yield self.time
                break
            before = self.done
            status, self.done = self._method.advance(
                self.compiled.model, self.scratch, self.memory, self._tolerance, self._must_begin or self._begins_anew,
                self._stop, self._next_look(until), self._longest_now(), self.frame_times, self.done, self.frames,
                self._slice(),
            )  # fmt: skip
            self._begins_anew = self._must_begin = False
            status = self._look_for_failure(status)
            times = self.memory.clock[0]
            self.status = Status(status)
            self.time = float(min(times.time, times[self._method.switch]))
            self._look_for_contradiction(before)
            self._look_past_limits(before)
            jumps = self._jumps()
            if jumps:
                self.status = Status.STEP_TOO_SHORT
            elif not self.has_failed and not self._makes_headway():
                self.status = Status.NO_HEADWAY
            is_at_stop = self.status == Status.DONE and self._stop <= until  # else frames before it are still asked for
            self._must_begin = self._must_begin or self.status == Status.SWITCHED or is_at_stop
            self._look_for_near()
            self._go_to_near(until)
            self._change_integrator()
            taken = clock.perf_counter() - begun
            share = min(4.0, max(0.25, SLICE / max(taken, 1e-6)))
            self._budget = min(_MOST, max(2, int(self._budget * share)))
            reached = self.time
            is_known = self.unseen is not None or self.contradiction is not None
            if self.has_failed and not jumps and not is_known and self._try_again():
                self.status = Status.DONE
            yield reached  # nobody need come back from here

    def _may_go_on(self) -> bool:
        """False once it has failed, or the timeline has something to change."""
        return not (self.has_failed or self.ended is not None or self.together or self.near or self.met or self.slips)

    def _begin(self) -> bool:
        """Begins anew at this time; False if there is something that keeps it from going on."""
        self._find_stop()
        self.together = come_together(self.mechanism, self.compiled, self.time)
        self.near = self._waiting.near(self.now()) if self._waiting else []
        if not self.near and self._one_sided:
            self._enter_modes()  # dry friction is a part of the forces by which they hold
            self.near = self._one_sided.letting_go(self.time, self._forces(), self.integrator == "impulse")
            self.near = self.near or self._held_by_friction()
        if not self.near and self._grips:
            self.slips = self._grips.beginning(self._evaluated(), self.integrator == "impulse")
        if self.together or self.near or self.slips or self._is_contradicted():
            return False
        self._enter_modes()
        return not self._has_ended()

    def _held_by_friction(self) -> list[str]:
        """The names of one-sided parts that let go because dry friction leaves their forces open."""
        model, scratch = self.compiled.model, self.scratch
        stuck = self._one_sided.stuck_axes(model, scratch)
        if not len(stuck):
            return []
        rows = find_speeds(model, self.time, self.memory.motion.state, scratch.bead).rows
        return self._one_sided.held_by_friction(stuck, rows)

    def _forces(self) -> np.ndarray:
        """N: by which one-sided parts that hold do so at present."""
        return self._one_sided.forces(self._evaluated().scratch)

    def _evaluated(self) -> Now:
        """Everything as it is at present, with the forces of now, or of the latest step with impulses."""
        if self.integrator == "impulse":
            evaluate_frame(self.compiled.model, self.scratch, self.memory.arrays)
            return Now(self.scratch, self.time, self.memory.motion.state)
        return self.now()

    def _find_stop(self) -> None:
        """The time at which it must begin anew next; a pause there, before its frame is written, does not change it."""
        stops = self.compiled.stops
        self._stop = float(min(stops[stops > self.time], default=np.inf))
        before = float(max(stops[stops <= self.time], default=0.0))
        self._longest = min(self._stop - before, self.compiled.longest_step, LONGEST)

    def _enter_modes(self) -> None:
        model, memory = self.compiled.model, self.memory
        if self.integrator in FIXED_STEPS:
            self.scratch.closed[:] = ASK_GAP  # their steps have no modes
            return
        if not switches(self.compiled):
            return
        axes = len(model.armature)
        rates, near = np.zeros(2 * axes), np.zeros(axes)
        fastest = max(memory.clock[0].fastest, fastest_target(model, self._tolerance.per_scale))
        state, before = memory.motion.state, memory.motion.state.speeds.copy()
        enter_modes(model, self.scratch, self.time, state, rates, near, self._tolerance.per_scale, fastest)
        if self._between and self.done < len(self.frames.jump) and (before != state.speeds).any():
            after = state.speeds.copy()
            state.speeds[:] = before
            note_switch(model, self.scratch, state, after, self.time, self.frames, self.done)

    def _is_to_decide(self) -> bool:
        """True if the next pause is to decide which integrator goes on: not while its last step has frames to write."""
        return self.choice is not None and self.evaluations >= self.choice.due and not self._owes_frames(self.time)

    def _slice(self) -> int:
        """Evaluations up to the next pause."""
        if self._waiting or self._one_sided or draws_by_force(self.compiled.model):
            return 1  # how long the next step may be follows from where the last one ends
        until = self._headway.end_of_patience if self.is_soft else np.inf
        if self._is_to_decide():
            return 0
        if self.choice is not None:
            until = min(until, max(self.choice.due, self.evaluations + 1))
        if self.integrator not in FIXED_STEPS:
            until = min(until, self._most_evaluations())
        return int(max(1, min(self._budget, until - self.evaluations)))

    def _longest_now(self) -> float:
        """s: of a step that passes nothing which waits for its ends to come near."""
        if self.integrator in FIXED_STEPS:
            return self._longest
        longest = self._longest
        if self._one_sided:
            longest = min(longest, self._one_sided.longest_step)
        if self._grips:
            longest = min(longest, self._grips.longest_step)
        return min(longest, self._waiting.longest_step(self.now())) if self._waiting else longest

    def _next_look(self, until: float) -> float:
        """Up to where it may go at once: to the next frame, if it is to be looked whether a limit is passed there.

        Steps of fixed length go over what comes near: it is looked for after each.
        """
        if (self._waiting or self._one_sided) and self.integrator in FIXED_STEPS:
            return min(until, float(np.nextafter(self.time, np.inf)))
        is_at_frame = self.done < len(self.frame_times) and may_be_led_past(self.compiled.model, self.time)
        return min(until, float(self.frame_times[self.done])) if is_at_frame else until

    def _owes_frames(self, until: float) -> bool:
        """True if frames up to a time are still to be written: a long step may have passed many."""
        return self.done < len(self.frame_times) and self.frame_times[self.done] <= until

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

    def _look_for_near(self) -> None:
        """Notes the moment in the last step of fixed length at which something has come near, or what has met."""
        if self.has_failed:
            return
        if self._waiting and self.integrator in FIXED_STEPS:
            found = self._waiting.met(self.now())
            self._near_at = self._near_at if found is None else (*found, [], {})
        elif self._waiting.is_one_sided:
            now = self.now()
            passed = None if self.integrator == "runge-kutta" else self._waiting.passed(now)
            if passed is not None:
                self._look_back_to(passed, [])
            else:
                self.near = self._waiting.near(now)
        if self._near_at is None and self._one_sided and not self._one_sided.has_seen(self.time):
            is_struck = self._one_sided.is_struck(self.impacts)
            found = self._one_sided.loosened(self.time, self._forces(), self.integrator, is_struck)
            found = found or self._one_sided.struck_elsewhere(self.time, self.integrator)
            if found is not None:
                self._look_back_to(*found)
        if self._near_at is None and self._grips:
            slipped = self._grips.changed(self._evaluated(), self.integrator)
            if slipped is not None:
                self._look_back_to(slipped[0], [], slipped[1])
        if self._near_at is None and draws_by_force(self.compiled.model):
            met = have_met(self.mechanism, self.compiled, self.scratch)
            self._near_at = (self.time, [], met, {}) if met else None

    def _look_back_to(self, time: float, names: list[str], slips: Slips | None = None) -> None:
        """Notes a time (s) in the last step at which it is to begin anew.

        One-sided parts of these names let go then, or ropes slip otherwise on their wheels.
        """
        self._near_at = time, names, [], slips or {}
        self.done = min(self.done, int(np.searchsorted(self.frame_times, time, side="right")))

    def _go_to_near(self, until: float) -> None:
        """Goes back to where something has come near, if that is before `until` (s), with the frames up to there."""
        if self._near_at is None or self._near_at[0] > until:
            return
        time, self.near, self.met, self.slips = self._near_at
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
        if self.status in FAILED:
            self._contradict(self.time, self.memory.motion.state, self.done)

    def _look_past_limits(self, before: int) -> None:
        """Goes back from a frame in which what is drawn has led a joint past its limit, and lets that go.

        before: how many frames were done before; it comes here after each.
        """
        model = self.compiled.model
        time = float(self.frame_times[before - 1]) if before else self._start[0]
        if self.done == before or self.has_failed or not may_be_led_past(model, time):
            return
        was, now = (self.frames.coordinates[k] if k >= 0 else self._start[1].coordinates for k in (before - 1, before))
        if is_led_past(model, self.scratch.parameters, was, now) and self._give_way(is_slow=True):
            self.done = before
            self._go_back_to(before - 1)

    def _contradict(self, time: float, state: State, frame: int) -> bool:
        """Fails at a time (s) and with so many frames done, if motors keep speeds there that cannot be."""
        found = find_contradiction(self.mechanism, self.compiled, time, state, self.scratch.bead, 0.5 * OVERRUN)
        if found is not None:
            self.contradiction, self.status, self.time, self.done = found, Status.CONTRADICTED, float(time), frame
        return found is not None

    def _jumps(self) -> bool:
        """True if it hardly gets on any more, since the points of a contact jump to and fro."""
        return self.is_soft and self._headway.jumps(self.evaluations, self.time, quickest(self.scratch))

    def _most_evaluations(self) -> float:
        """The evaluations at which something is done about a frame that is too long in coming."""
        is_first_look = self.stretched is None and bool(self.compiled.model.closing)
        if self._is_to_look_for_rounding():
            return self._headway.most(self.frame_times, SOON)
        return self._headway.most(self.frame_times, LOOK if is_first_look else MOST_IN_FRAME)

    def _is_to_look_for_rounding(self) -> bool:
        """True if in this frame it may go on with a coarser tolerance, where rounding of closures takes the steps."""
        is_fine = self._tolerance.relative < self._coarser.relative
        may_be_lost = self.integrator == "adams" and bool(self.compiled.model.closing)
        return is_fine and may_be_lost and 0 < self.done != self._looked

    def _coarsen(self, frame: int) -> None:
        self._tolerance, self.coarser_from = self._coarser, self.first + max(frame, 0)

    def _makes_headway(self) -> bool:
        """False if the next frame is too long in coming, even after what is stretched has been let go a little."""
        self._headway.note(self.done, self.evaluations, self.done >= len(self.frame_times))
        if self.integrator in FIXED_STEPS or self.evaluations < self._most_evaluations():
            return True
        if self._is_to_look_for_rounding():
            self._looked = self.done
            if is_lost_in_rounding(self.scratch, self.memory):
                frame = max(0, self.done - _BACK)
                self._coarsen(frame)
                self._go_back_to(frame)
            return True
        if self.stretched is not None or not self.compiled.model.closing:
            return False
        if self._slacken() or self._give_way(is_slow=True):
            self._go_back_to(self.done - 1)
        return True

    def _slacken(self) -> bool:
        """Lets closures that are stretched give way by the last digits; False if none are."""
        time = float(self.frame_times[self.done - 1]) if self.done else self._start[0]
        self.stretched = slacken(self.mechanism, self.compiled, self._known(), time)
        return bool(self.stretched)

    def _give_way(self, is_slow: bool = False) -> bool:
        """Lets a closure that cannot be met pull softly; False if none is to blame."""
        return give_way(self.compiled, self.scratch, self._known(), self.memory.motion.state.coordinates, is_slow)

    def _known(self) -> Frames:
        """The last frame, or one of where it began if there is none."""
        if self.done:
            return Frames(*(array[self.done - 1 : self.done] for array in self.frames))
        model, state = self.compiled.model, State(*(array.copy() for array in self._start[1]))
        frames, rates = new_frames(model, 1), np.zeros(2 * len(model.armature))
        write_now(model, self._new_scratch(self.compiled), state, self._start[0], rates, frames)
        return frames

    def _try_again(self) -> bool:
        """Goes back a little and helps a linkage with closures that cannot go on; False if it can't.

        Near a singular pose rounding may be more than a fine tolerance allows, so it is tried with a coarser one first.
        There the state of a frame may be one from which nothing goes on: what fails where it has just begun anew goes
        back to the latest change, with all that gives way by then.
        """
        frame = self.done - 1
        if self.status in (Status.ROPE_OUT, Status.NO_HEADWAY):
            return False
        if not self.compiled.model.closing or self.integrator in CANNOT_DRAW:
            return False
        if self.integrator == "impulse":
            if not let_go(self.compiled, self.scratch):
                return False
        elif self.stretched is None and self._slacken():
            pass
        elif self._tolerance.relative < self._coarser.relative:
            self._coarsen(frame)
        elif not self._give_way():
            if self.time > self._went_back_to or self._went_back_to <= self._start[0]:
                return False
            frame = int(np.searchsorted(self.frame_times, self._start[0], side="right")) - 1
            self.done = frame + 1
        self._go_back_to(frame)
        return True

    def _go_back_to(self, frame: int) -> None:
        """To that frame, to where it began if there is none (-1), or to the latest change if that came after it."""
        frames, before = self.frames, self.memory
        if self._start[0] > (self.frame_times[frame] if frame >= 0 else -np.inf):
            self.time, state, switches, closed, tally = self._start
            state = State(*(array.copy() for array in state))
        else:
            self.time, state = float(self.frame_times[frame]), self.state_at(frame)
            read_modes(frames, frame, self.scratch)
            switches, closed, tally = self.scratch.switches, self.scratch.closed, ()
        self._forget_between(max(frame, 0), self.time)
        self.scratch = self._new_scratch(self.compiled)
        self.memory = self._method.new_memory(self.compiled, state, self._interval)
        self.scratch.switches[:], self.scratch.closed[:] = switches, closed
        keep_counts(before, self.memory)
        self.memory.clock[0].time, self._must_begin, self._went_back_to = self.time, True, self.time
        watch(self.choice, self.integrator, self.memory, self._begins_anew)
        go_on_from(tally, self.scratch, self.memory)
        hand_on_impacts(before, self.memory, self.time)
