# SPDX-License-Identifier: GPL-3.0-or-later
"""The command language as it was typed at: each line is obeyed and answered before the next one is read.

Between two steps nothing moves, and everything can be changed: what `step` leaves behind is the start of the next one.
So a body may come, be put elsewhere or be tied after a step, which a script that is a mechanism's file cannot do.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ..mechanism import MechanismError, RunError
from ..simulation.linkage_run import LinkageRun
from ..simulation.recording import Recording
from ..simulation.simulation import Simulation, SimulationFailed, failed
from .answers import bodies_at, state_of
from .building import mechanism
from .commands import DEFAULT_STEP, MOST_STEPS, Reader
from .parts import BodyPart, joint_name
from .words import Wrong, lines, whole_number

NAME = "-"  # that messages have for standard input
_ORDERS = {"runge-kutta": 8, "impulse": 4, "variational": 2}


class Statistics(NamedTuple):
    """The last step of a linkage's integrator."""

    last: float  # s: its length
    coming: float  # s: that of the next one
    order: int


class Session(Reader):
    """Commands that are obeyed one by one, the clock standing still between them."""

    def __init__(self, mends: bool = False) -> None:
        super().__init__(mends)
        self._goals: dict[str, tuple] = {}  # where bodies are told to be by the end of the next step
        self._ran: tuple[int, int, Statistics | None] = (0, 0, None)  # steps and evaluations since the last start
        self._has_run = False

    def answers(self, line: int, words: list[str]) -> Iterator[str]:
        """Obey one line; yields what it prints. Raises Wrong."""
        asked = len(self.questions)
        self.obey(line, words)
        for question in self.questions[asked:]:
            yield from question.lines
            if question.command == "pb":
                bodies = [self.parts.bodies[name] for name in question.bodies]
                yield from bodies_at(bodies, self._run(0.0, self._size), 0.0)
            elif question.command == "rlsode":
                yield from self._statistics()
        del self.questions[asked:]

    @property
    def _size(self) -> float:
        return self.step_size or DEFAULT_STEP

    @property
    def _tolerances(self) -> tuple[float, float]:
        relative = self.tolerances.get("-r", 1e-6)
        return relative, self.tolerances.get("-a", 0.1 * relative)

    def _before_the_first_step(self, what: str) -> None:
        """Words between two steps are said before the first one of those to come."""

    def _set_body(self, body: BodyPart, option: str, values: tuple) -> None:
        if option == "-t" and self._has_run and body.hold == "move_to_point":
            self._goals[body.name] = values
        else:
            super()._set_body(body, option, values)

    def step(self, count: str) -> None:
        """Take steps forward in time."""
        steps = whole_number(count)
        if steps > MOST_STEPS:
            raise Wrong(f"takes at most {MOST_STEPS} steps at once")
        if steps == 0 or not self.parts.bodies:
            return
        for name, goal in self._goals.items():
            self.parts.bodies[name].path = [(self._size, goal)]
        recording = self._run(steps * self._size, self._size)
        for body in self.parts.bodies.values():
            _carry(body, recording)
        self._goals, self._has_run = {}, True
        self.clock_ahead += steps * self._size

    def _run(self, duration: float, size: float) -> Recording:
        """The motion from now on, for so long (s). Raises Wrong."""
        relative, absolute = self._tolerances
        described = mechanism(self.parts, "session")
        try:
            simulation = Simulation(described, duration, 1.0 / size, relative=relative, absolute=absolute)
            for _ in simulation.warm_up():
                pass
            timeline = simulation.start()
            for _ in timeline.advance(float(simulation.times[-1])):
                pass
            recording = timeline.recording()
            if timeline.failure is not None:
                raise failed(described, timeline, recording)
        except (MechanismError, RunError) as error:
            raise Wrong("; ".join(error.problems)) from error
        except SimulationFailed as failure:
            raise Wrong(str(failure)) from failure
        if duration > 0.0:
            statistics = min(map(_last_step, timeline.all_runs), key=lambda each: each.coming, default=None)
            self._ran = recording.steps, recording.evaluations, statistics
        return recording

    def _statistics(self) -> Iterator[str]:
        """The seven numbers of 6.6; of several linkages those of the one with the shortest next step."""
        steps, evaluations, last = self._ran
        relative, absolute = self._tolerances
        yield f"; last step size {last.last if last else 0.0:.9g}"
        yield f"; next step size {last.coming if last else 0.0:.9g}"
        yield f"; {steps} steps since the last restart"
        yield f"; {evaluations} calls to the dynamics since the last restart"
        yield f"; order {last.order if last else 0}"
        yield f"; absolute accuracy {absolute:g}"
        yield f"; relative accuracy {relative:g}"


def _last_step(run: LinkageRun) -> Statistics:
    clock, counts = run.memory.clock[0], run.memory.counts[0]
    if run.integrator == "adams":
        return Statistics(float(clock.attempt), float(clock.step), int(counts.order))
    if run.integrator == "implicit":
        return Statistics(float(clock.length), float(clock.step), int(counts.degree))
    if run.integrator == "impulse":
        return Statistics(float(clock.h), float(clock.interval), _ORDERS["impulse"])
    if run.integrator == "variational":
        return Statistics(float(clock.time - clock.began), float(run.memory.interval), _ORDERS["variational"])
    return Statistics(float(clock.attempt), float(clock.step), _ORDERS["runge-kutta"])


def _carry(body: BodyPart, recording: Recording) -> None:
    """Let a body begin where it is in the last frame, as fast as it is there."""
    body.path = []
    if body.link is None:
        pose, body.linear, body.angular = state_of(recording, list(recording.body_names).index(body.name), -1)
        body.position, body.orientation = pose
        return
    at = recording.joint_offsets[list(recording.joint_names).index(joint_name(body.name))]
    unit = body.link.axis.unit
    body.link.q = float(recording.joint_coordinates[-1, at]) / unit
    body.link.qdot = float(recording.joint_speeds[-1, at]) / unit


def converse(given: Iterator[str], session: Session, name: str = NAME) -> Iterator[tuple[bool, str]]:
    """(whether it is wrong, line) of all that is answered to lines of text, each as soon as it is known."""
    for number, text in enumerate(given, start=1):
        for _, words in lines(text):
            if words is None:
                yield True, f"{name}:{number}: is too long"
                continue
            try:
                for answer in session.answers(number, words):
                    yield False, answer
            except Wrong as wrong:
                yield True, f"{name}:{number}: {words[0][:40]}: {wrong}"
