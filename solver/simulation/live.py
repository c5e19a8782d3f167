# SPDX-License-Identifier: GPL-3.0-or-later
"""A mechanism that runs with no end known, and on which somebody acts while it does.

All that is done is kept as actions with their times. The mechanism with these actions is the recording of a practice
run (Schroeder 1990, 7.3): played again it is the same motion, since a `Timeline` does not depend on knowing of an
action beforehand.
"""

import dataclasses
import itertools
import math
import time as clock
from collections.abc import Iterator, Sequence

import numpy as np

from ..assembly.building import with_all_parts, with_parts
from ..mechanism import Action, Addition, Mechanism, MechanismError, RunError, Spring, Table
from ..mechanism.bodies import Vector
from ..mechanism.error import refuse
from ..mechanism.messages import Message
from ..model.linkage.compilation import Compiled
from ..model.poses import body_pose, rotation_matrices
from .actions import at_the_start, beginning, linkages_when_parted
from .catching.holding import at_work
from .closure_notes import notes_on_limits, notes_on_servos
from .options import note_on_integrators, read_options
from .recording import Recording
from .run_limits import refuse_frames_of
from .simulation import SimulationFailed, failed, unreal
from .timeline import Timeline
from .warm_up import warm_up

_ROOM = 256  # frames


class LiveRun:
    """A mechanism from its start, frame after frame, for as long as somebody asks for more.

    frame_rate: frames per second of the motion. The other options are those of `Simulation`, as are the errors; what
    cannot go on from its very start raises SimulationFailed at once.
    Attributes: frame and time (s), the last that is done; actions, all that was done so far; is_on_frame, whether
    nothing of the next frame is computed yet.

    Actions take effect at frames. Between two of them each linkage is somewhere else, and none of them can go back to
    the last one: so an action first completes the frame that has been begun, however long that takes.
    """

    def __init__(self, mechanism: Mechanism, frame_rate: float, **options) -> None:
        self._options = read_options(frame_rate, **options)
        mechanism.refuse_wrong()
        self._frame_rate, self._given = frame_rate, mechanism
        self._grabs: list[Spring] = []  # of hands; those that are there from the start, and did nothing
        self._springs: dict[str, Spring] = {}  # of all hands
        self._known = mechanism  # with all that was put in
        self.actions: list[Action] = []
        at_start, self._linkages, self._to_come = beginning(mechanism, self._options)
        self._options.refuse_endless(self._linkages, 1.0 / frame_rate)
        self._parted = linkages_when_parted(at_start, self._options)
        self._timeline = self._begin(at_start, self._linkages)
        self.frame, self.is_on_frame = 0, True

    @property
    def time(self) -> float:
        """The time (s) of the last frame that is done."""
        return self.frame / self._frame_rate

    @property
    def mechanism(self) -> Mechanism:
        """The description with all that was done: simulated at the same frame rate, it moves as this run did."""
        done = sorted([*self._given.actions, *self.actions], key=lambda action: action.time)
        return dataclasses.replace(self._given, forces=[*self._given.forces, *self._grabs], actions=done)

    def warm_up(self) -> Iterator[str]:
        """Compiles what this run may need, or loads it from the cache; yields what comes next, piece by piece."""
        linkages = self._options.with_integrators(self._linkages + self._held_linkages() + self._parted)
        yield from warm_up(linkages, with_changes=True)

    def _held_linkages(self) -> list:
        """Those that there are once everything is tied that is not yet."""
        constraints = [dataclasses.replace(each, enabled=True) for each in self._given.constraints]
        try:
            return self._options.compile_all(dataclasses.replace(self._given, constraints=constraints, actions=[]))
        except MechanismError:
            return []  # it will be said when it comes to that

    def advance(self, frame: int, seconds: float) -> bool:
        """Runs on towards a frame; False if `seconds` of wall time were used up before: call again.

        Raises SimulationFailed if it can't go on.
        """
        deadline = clock.perf_counter() + seconds
        while self.frame < frame:
            next_frame = (self.frame + 1) / self._frame_rate
            until = min([next_frame, *(action.time for action in self._to_come[:1])])
            self._make_room(self.frame + 2)
            self.is_on_frame = False
            for _ in self._timeline.advance(until):
                if clock.perf_counter() > deadline:
                    return False
            if self._timeline.failure is not None:
                raise failed(self._known, self._timeline, self._timeline.recording())
            if until == next_frame:
                self._refuse_unreal(self._timeline, self.frame + 1)
                self.frame += 1
            for action in self._due(until):
                try:
                    self._timeline.act(until, [action])
                except MechanismError as error:
                    raise SimulationFailed(until, "; ".join(error.problems), [], self.recording()) from error
            self.is_on_frame = until == next_frame
        return True

    def act(self, target: str | None, **settings) -> None:
        """Sets values of a force, joint, constraint or body from now on; without a target, of the mechanism.

        Raises MechanismError; then nothing has changed. Raises SimulationFailed, as all actions do, if a frame that has
        been begun cannot be completed.
        """
        self._complete_frame()
        self._act(Action(self.time, target, settings), [])

    def put_in(self, addition: Addition) -> None:
        """Parts that are there from now on; points and frames as the world is at `frame`. Errors as for `act`."""
        self._complete_frame()
        self._act(Action(self.time, add=addition), [])

    def take_out(self, *names: str) -> None:
        """Takes parts out for good, bodies with all that is fastened to them. Errors as for `act`."""
        self._complete_frame()
        self._act(Action(self.time, remove=names), [])

    def grab(self, body: str, point: Vector, stiffness: float, damping: float) -> str:
        """Ties a spring of no length from a body's point to where it is; returns the spring's name.

        point: where it is (m, world) at `frame`; a frame that has been begun carries it along with the body.
        """
        known = self._known
        names = {part.name for part in (*known.forces, *known.joints, *known.constraints, *self._grabs)}
        name = next(name for name in (f"grab {k}" for k in itertools.count(1)) if name not in names)
        number = next(i for i, each in enumerate(known.bodies) if each.name == body)
        position, turn = self._moved(number)
        start = np.array(body_pose(known.bodies[number])[0])
        at_start = start + turn.T @ (np.array(point, float) - position)
        if not self.is_on_frame:
            self._complete_frame()
            position, turn = self._moved(number)
            point = tuple(map(float, position + turn @ (at_start - start)))
        is_late = any(action.add is not None for action in self.actions)
        spring = Spring(
            name=name, body_a=body, point_a=point if is_late else at_start, point_b=point, rest_length=0.0,
            stiffness=stiffness, damping=damping, enabled=is_late,
        )  # fmt: skip
        if is_late:  # forces act in the order in which they come, here as when it is played again
            self._act(Action(self.time, add=Addition(forces=[spring])), [])
        else:
            self._act(Action(self.time, name, {"enabled": True}), [spring])
        self._springs[name] = spring
        return name

    def drag(self, name: str, point: Vector) -> None:
        """Moves the world's end of a grab to a point (m), evenly until the next frame."""
        self._complete_frame()
        dragged = (
            each.set["point_b"] for each in reversed(self.actions) if each.target == name and "point_b" in each.set
        )
        before = next(dragged, None) or self._springs[name].point_b
        start, end = self.time, (self.frame + 1) / self._frame_rate
        tables = []
        for old, new in zip(before, point, strict=True):
            now = float(np.interp(start, old.times, old.values)) if isinstance(old, Table) else old
            tables.append(Table((start, end), (now, float(new))))
        self.act(name, point_b=tables)

    def let_go(self, name: str) -> None:
        """Unties a grab."""
        self.act(name, enabled=False)

    def pose(self) -> tuple[np.ndarray, np.ndarray]:
        """(positions (B, 3) m, orientations (B, 4)) of the bodies at `frame`."""
        now = self._timeline.at(self.frame)
        return now.position[0], now.orientation[0]

    @property
    def taken_out(self) -> set[str]:
        """The names of all that was taken out, with what was fastened to it."""
        return set(self._timeline.gone)

    @property
    def stiff(self) -> list[str]:
        """The first body of each linkage that implicit steps move now, since stiffness bounded those of Adams."""
        runs = [run for run in self._timeline.runs if run.choice is not None and run.integrator == "implicit"]
        return [run.mechanism.bodies[run.compiled.linkage.bodies[0]].name for run in runs]

    def present_mechanism(self) -> Mechanism:
        """All that there is so far, with the bodies where they are at `frame`."""
        poses = zip(*self.pose(), strict=True)
        bodies = [
            dataclasses.replace(body, position=tuple(position.tolist()), orientation=tuple(turn.tolist()))
            for body, (position, turn) in zip(self._known.bodies, poses, strict=True)
        ]
        return dataclasses.replace(self._known, bodies=bodies, actions=[])

    def _moved(self, number: int) -> tuple[np.ndarray, np.ndarray]:
        """(position (3,) m, turn (3, 3) since the description) of a body at `frame`."""
        positions, orientations = self.pose()
        _, orientation = body_pose(self._known.bodies[number])
        turn = rotation_matrices(orientations[number])[0] @ rotation_matrices(np.array(orientation))[0].T
        return positions[number], turn

    def _complete_frame(self) -> None:
        if not self.is_on_frame:
            self.advance(self.frame + 1, math.inf)

    def motion(self) -> Recording:
        """All frames up to `frame`, without notes and without what is between them: to look at while it runs."""
        return self._timeline.motion().up_to(self.frame + 1)

    def recording(self) -> Recording:
        """All frames up to `frame`."""
        for _ in self._timeline.settle_reactions():
            pass
        recording = self._timeline.recording().up_to(self.frame + 1)
        recording.notes = [*note_on_integrators(self._options, self._linkages), *recording.notes]
        mechanism = with_all_parts(self.mechanism)
        recording.notes += notes_on_limits(mechanism, self._linkages, recording)
        recording.notes += notes_on_servos(mechanism, recording)
        return recording

    def _act(self, action: Action, grabs: Sequence[Spring]) -> None:
        forces = [*self._given.forces, *self._grabs, *grabs]
        known = dataclasses.replace(self._known, forces=[*self._known.forces, *self._grabs, *grabs])
        before = [each for each in self.actions if each.set is not None and each.target == action.target]
        dataclasses.replace(known, actions=[*before, action]).refuse_wrong()
        if self.frame == 0:
            self._begin_again([*self.actions, action], forces)
        else:
            try:
                self._timeline.act(self.time, [action], grabs)
            except MechanismError:
                self._restart()
                raise
        if action.add is not None:
            self._known = with_parts(self._known, action.add)
        self._grabs += grabs
        self.actions.append(action)

    def _restart(self) -> None:
        """Linkages have been led to an action that cannot be: so that it plays again, all of them begin anew there."""
        action = Action(self.time, None, {"gravity": self._timeline.told.gravity})
        self._timeline.act(self.time, [action])
        self.actions.append(action)

    def _begin(self, at_start: Mechanism, linkages: list[Compiled]) -> Timeline:
        """A timeline at its start. Raises SimulationFailed."""
        timeline = Timeline(at_start, linkages, self._times(_ROOM), self._options)
        for _ in timeline.advance(0.0):
            pass
        if timeline.failure is not None:
            raise failed(at_start, timeline, timeline.recording())
        self._refuse_unreal(timeline, 0)
        return timeline

    @staticmethod
    def _refuse_unreal(timeline: Timeline, frame: int) -> None:
        """Raises SimulationFailed if a frame that was just done has something that is no finite number."""
        if not timeline.is_finite_at(frame) and (failure := unreal(timeline.recording().up_to(frame + 1))) is not None:
            raise failure

    def _begin_again(self, actions: list[Action], forces: list) -> None:
        """Begins again, with all that is done at the very start."""
        first = [*(action for action in self._given.actions if action.time <= 0.0), *actions]
        at_start = at_the_start(dataclasses.replace(self._given, forces=forces), first)
        try:
            self._timeline = self._begin(at_start, self._options.compile_all(at_work(at_start)))
        except SimulationFailed as error:
            refuse([Message("stopped", what=str(error))], error)

    def _due(self, time: float) -> list[Action]:
        """The given actions up to a time, which are no longer to come."""
        due = [action for action in self._to_come if action.time <= time]
        self._to_come = self._to_come[len(due) :]
        return due

    def _times(self, count: int) -> np.ndarray:
        return np.arange(count) / self._frame_rate

    def _make_room(self, count: int) -> None:
        if count > len(self._timeline.times):
            room = 2 * len(self._timeline.times)
            try:
                refuse_frames_of(self._given, room)
            except RunError as error:
                raise SimulationFailed(self.time, str(error), [], self.recording()) from error
            self._timeline.extend(self._times(room))
