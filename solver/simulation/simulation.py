# SPDX-License-Identifier: GPL-3.0-or-later
"""A mechanism in motion: what happens between a description and a recording, as a table of contents.

    check -> compile each linkage -> set its start -> run it (`linkage_run`) -> assemble the recording

On the way, actions change what holds and drives it (`timeline`).

Linkages that nothing connects are integrated one after the other, each with a step of its own.
"""

import dataclasses
import itertools
import time as clock
from collections.abc import Generator, Iterator
from dataclasses import dataclass

import numpy as np

from .. import integration
from ..assembly.building import with_all_parts
from ..assembly.reach import Loops
from ..assembly.rigidity import locked_parts
from ..mechanism import Action, Mechanism, MechanismError
from ..mechanism.doubts import doubts_about
from ..mechanism.error import refuse
from ..mechanism.messages import Message, Part
from ..model.linkage.compilation import Compiled
from ..model.moment import Moment
from ..model.topology import find_linkages
from .actions import beginning, changed, linkages_when_parted
from .catching.courses import CANNOT_DRAW
from .catching.holding import at_work, working
from .catching.one_sided import doubts_about_cams
from .closure_notes import notes_on_limits, notes_on_servos
from .derivatives import derivatives_of
from .linkage_run import LinkageRun
from .options import Options, note_on_integrators, read_options
from .recording import Evaluation, Recording
from .recording_assembly import Stretch, assemble_evaluation
from .run_limits import count_frames, refuse_frames_of, refuse_number
from .run_notes import note_on_stiffness
from .stuck import OF_CLOSURES, reason_of_closures, reason_of_expressions
from .timeline import Timeline
from .warm_up import warm_up


@dataclass(frozen=True)
class Progress:
    """Progress of a simulation; time and frames are those of the linkage at work, and start again with the next."""

    time: float  # s
    fraction: float  # 0 to 1, of the whole
    frames_done: int


class SimulationFailed(RuntimeError):
    """A simulation that could not go on. Attributes: time (s), reason, body_names, recording up to the failure."""

    def __init__(self, time: float, reason: str, body_names: list[str], recording: Recording) -> None:
        self.time, self.reason, self.body_names, self.recording = time, reason, body_names, recording
        super().__init__(f"stopped at {time:.6g} s: {reason}")


def unsupported_features(mechanism: Mechanism, integrator: str = "auto") -> list[str]:
    """Features that the format allows and cannot be solved here, one line each, of a mechanism without problems."""
    try:
        read_options(1.0, integrator=integrator).compile_all(mechanism)
    except MechanismError as error:
        return error.problems
    return []


class Simulation:
    """One run of a mechanism from its start.

    duration: s. frame_rate: frames per second, the first at 0. relative, absolute: tolerances of the whole motion, as
    parts of the mechanism's size and speed (absolute: a tenth of relative). method: one of METHODS; "auto" chooses for
    each linkage. integrator: "auto" (impulse for what may touch something, else adams), "adams", "runge-kutta",
    "implicit", "variational", "impulse", "quasi-static" or "adaptive". substeps: steps a frame of the last four, all
    alike; left out, they follow from `relative`. settling: s, of "quasi-static"; 0 for equilibrium in each frame.
    error_bound: rad/s2, sizes/s2, of "adaptive": of the joint accelerations that it leaves out. between: poses that are
    recorded on the way to each frame as well, as even as steps allow, with the jumps of velocity; no step is cut for
    them, so that the motion is the same. Raises MechanismError for a mechanism
    that is wrong or not solvable, RunError for options that make no sense or ask for too much (`run_limits`).
    """

    def __init__(
        self,
        mechanism: Mechanism,
        duration: float,
        frame_rate: float = 24.0,
        relative: float = 1e-6,
        absolute: float | None = None,
        method: str = "auto",
        integrator: str = "auto",
        substeps: int | None = None,
        between: int = 0,
        settling: float | None = None,
        error_bound: float | None = None,
    ) -> None:
        refuse_number("duration", duration, may_be_zero=True)
        self._options = read_options(
            frame_rate, relative, absolute, method, integrator, substeps, between, settling, error_bound
        )
        mechanism.refuse_wrong()
        frames = count_frames(duration, frame_rate)
        refuse_frames_of(mechanism, frames)
        self.mechanism = mechanism
        self._at_start, self.linkages, self._actions = beginning(mechanism, self._options)
        self._later = _linkages_to_come(self._at_start, self._actions, self._options)
        self._options.refuse_endless(self.linkages, duration)
        self.times = np.arange(frames) / frame_rate
        self.notes = note_on_integrators(self._options, self.linkages) + _notes_on_keys(mechanism, self.times[-1])
        self.notes += doubts_about(self._at_start) + doubts_about_cams(self._at_start)
        self._recording: Recording | None = None
        self._refusal: tuple[float, str] | None = None  # time and reason of an action that cannot be

    @property
    def recording(self) -> Recording:
        """The whole motion. Raises RuntimeError before `run` has come to its end."""
        if self._recording is None:
            raise RuntimeError("the simulation has not run to its end")
        return self._recording

    def warm_up(self) -> Iterator[str]:
        """Compiles what this simulation needs, or loads it from the cache; yields what comes next, piece by piece."""
        yield from warm_up(self._options.with_integrators(self.linkages + self._later), bool(self._actions))

    def run(self) -> Iterator[Progress]:
        """Simulates, a few milliseconds between two yields. Raises SimulationFailed if it can't go on."""
        for _ in self.warm_up():
            yield Progress(0.0, 0.0, 0)
        self._recording = yield from self._run(self.start())

    def _run(self, timeline: Timeline) -> Generator[Progress, None, Recording]:
        """Runs a timeline that is at its start to the end; returns its recording. Raises SimulationFailed."""
        begun, waited = clock.perf_counter(), 0.0
        for progress in self._advance(timeline):
            paused = clock.perf_counter()
            yield progress
            waited += clock.perf_counter() - paused
        recording = timeline.recording()
        recording.wall_time = clock.perf_counter() - begun - waited
        recording.notes = self.notes + recording.notes
        recording.notes += self._notes_on_leading(recording)
        recording.notes += notes_on_servos(with_all_parts(self.mechanism), recording)
        failure = (
            failed(with_all_parts(self.mechanism), timeline, recording)
            if timeline.failure is not None
            else unreal(recording)
        )
        if failure is not None:
            raise failure
        if self._refusal is not None:
            time, reason = self._refusal
            done = int(np.searchsorted(self.times, time, side="right"))
            raise SimulationFailed(time, reason, [], recording.up_to(done))
        return recording

    def _notes_on_leading(self, recording: Recording) -> list[str]:
        """Messages on what was led past a limit, and on what leads a linkage to where it cannot follow."""
        if self._actions:
            return notes_on_limits(with_all_parts(self.mechanism), self.linkages, recording)
        past = notes_on_limits(at_work(self._at_start), self.linkages, recording)
        if not past and not any(note.code == "not-met" for note in recording.notes):
            return []
        return past + Loops(self._at_start).unfollowed(float(self.times[-1]))

    def start(self, moment: Moment | None = None) -> Timeline:
        """The linkages at their start, with the speeds that they can have, or as a moment at 0 s has them."""
        linkages = self.linkages
        if moment is not None:
            mechanism = at_work(self._at_start)
            linkages = [self._options.compile(mechanism, each.linkage, moment) for each in linkages]
        return Timeline(self._at_start, linkages, self.times, self._options, moment)

    def _advance(self, timeline: Timeline) -> Iterator[Progress]:
        end, started = float(self.times[-1]), -1.0
        stops = [(action.time, action) for action in self._actions if action.time < end]
        for time, action in [*stops, (end, None)]:
            runs = timeline.runs
            for reached, run in timeline.advance(time) if time > started else ():
                turn = runs.index(run) if run in runs else len(runs) - 1  # one that has come off begins on the way
                share = (turn + min(1.0, (reached - started) / (time - started))) / len(runs)
                now = min(max(0.0, started + (time - started) * share), time)  # rounding may go beyond
                yield Progress(now, now / max(end, 1e-300), run.frame)
            started = time
            if timeline.failure is not None:
                break
            if action is not None:
                try:
                    timeline.act(time, [action])
                except MechanismError as error:
                    self._refusal = time, "; ".join(error.problems)
                    break
        for frame in timeline.settle_reactions():
            yield Progress(self.times[frame - 1], 1.0, frame)


def failed(mechanism: Mechanism, timeline: Timeline, recording: Recording) -> SimulationFailed:
    """The exception of a timeline that cannot go on, or went wrong before; the recording is cut at the failure."""
    failure = timeline.failure
    if failure.unseen is not None:
        names, reason = failure.unseen.names, str(failure.unseen)
    elif (out := failure.rope_out()) is not None:
        rope, names = out
        reason = Message("rope-out", ("constraint", rope.name), body=names[0])
    elif failure.contradiction is not None:
        names, reason = _moved_by(mechanism, failure.contradiction), failure.contradiction
    else:
        names = [mechanism.bodies[i].name for i in failure.suspects()]
        reason = _reason(mechanism, failure, names, float(recording.times[-1]))
    if failure.is_soft and failure.unseen is None and failure.contradiction is None:
        reason += "; points of contact may jump there: use integrator impulse or auto"
    complete = int(np.searchsorted(recording.times, failure.time, side="right"))
    done = recording.up_to(min(complete, failure.frame))
    return unreal(done) or SimulationFailed(failure.time, reason, names, done)


def _reason(mechanism: Mechanism, failure: LinkageRun, names: list[str], end: float) -> str:
    """Why a linkage could not go on, as far as one can tell."""
    reason = integration.REASONS[failure.status]
    places = itertools.chain([failure.scratch], failure.before_last_step())
    of_expression = reason_of_expressions(failure.mechanism, failure.compiled, places, failure.time, failure.status)
    if of_expression is not None:
        return of_expression
    if failure.compiled.model.closing and failure.status in (*OF_CLOSURES, integration.Status.FOLDED):
        stretched = failure.stretched or []
        if failure.status == integration.Status.FOLDED and failure.time == 0.0:
            stretched = locked_parts(mechanism)
        why = reason_of_closures(mechanism, failure.time, end, stretched)
        if why is not None:
            return why
    if failure.status == integration.Status.NO_HEADWAY and note_on_stiffness(failure):
        return f"{reason}; {note_on_stiffness(failure)[0]}"
    return f"{reason} at {', '.join(repr(name) for name in names)}"


def unreal(recording: Recording) -> SimulationFailed | None:
    """The exception at the first frame with something that is no finite number; None if there is no such frame."""
    frame = recording.first_unreal()
    if frame is None:
        return None
    time, parts = float(recording.times[frame]), recording.up_to(frame + 1).unreal_parts()
    names = [name for kind, name in parts if kind == "body"]
    return SimulationFailed(time, _no_numbers(parts), names, recording.up_to(frame))


def _no_numbers(parts: list[Part]) -> Message:
    return Message.about_many("not-finite", parts)


def _moved_by(mechanism: Mechanism, contradiction: Message) -> list[str]:
    """The names of the bodies that its joints carry."""
    names = {name for kind, name in contradiction.parts if kind == "joint"}
    return [joint.child for joint in mechanism.joints if joint.name in names]


def _linkages_to_come(mechanism: Mechanism, actions: list[Action], options: Options) -> list[Compiled]:
    """Those that actions will make, as far as one can tell before, so that their kernels can be compiled in time."""
    found = linkages_when_parted(mechanism, options)
    linkages = find_linkages(mechanism) if actions else []
    for action in actions:
        mechanism = changed(mechanism, [action])
        try:
            before, linkages = linkages, find_linkages(mechanism)
            found += [options.compile(mechanism, linkage) for linkage in linkages if linkage not in before]
            ties = action.names if action.add is not None or (action.set or {}).get("enabled") else ()
            if ties and options.integrator not in CANNOT_DRAW:
                drawn = working(mechanism, drawn=ties)
                new = (linkage for linkage in find_linkages(drawn) if linkage not in linkages)
                found += [options.compile(drawn, linkage) for linkage in new]
        except MechanismError:
            if all(each.set is not None for each in actions):
                raise
            break  # what is put in tells of places at its time; what is wrong then is said then
    return found


def _notes_on_keys(mechanism: Mechanism, end: float) -> list[str]:
    moving = [body for body in mechanism.bodies if body.motion == "keyed" and len(body.keys.times) > 1]
    return [
        Message("keys-end", ("body", body.name), first=f"{body.keys.times[0]:g}", last=f"{body.keys.times[-1]:g}")
        for body in moving
        if body.keys.times[0] > 0.0 or body.keys.times[-1] < end - 1e-9
    ]


def simulate(mechanism: Mechanism, duration: float, frame_rate: float = 24.0, **options) -> Recording:
    """The motion of a mechanism; options as for `Simulation`. Raises MechanismError, SimulationFailed, RunError."""
    simulation = Simulation(mechanism, duration, frame_rate, **options)
    for _ in simulation.run():
        pass
    return simulation.recording


def evaluate(mechanism: Mechanism, method: str = "auto", derivatives: bool = False) -> Evaluation:
    """Accelerations and forces at the start, but for those of contacts; on demand with the accelerations' derivatives.

    Raises MechanismError, also for what has no derivatives (`derivatives.derivatives_of`), and RunError.
    """
    mechanism = dataclasses.replace(mechanism, contact=None)
    simulation = Simulation(mechanism, duration=0.0, method=method)
    timeline = simulation.start()
    for _ in timeline.advance(0.0):
        pass
    for _ in timeline.settle_reactions():
        pass
    stretches = [Stretch(run.compiled, run.frames) for run in timeline.runs]
    evaluation = assemble_evaluation(mechanism, stretches, [run.scratch for run in timeline.runs])
    if evaluation.unreal_parts():
        refuse([_no_numbers(evaluation.unreal_parts())])
    if derivatives:
        evaluation.derivatives = derivatives_of(mechanism, timeline.runs)
    return evaluation
