# SPDX-License-Identifier: GPL-3.0-or-later
"""The timeline of a motion: the linkages of a mechanism through time, and the actions that change them on the way.

An action that only changes numbers of a linkage lets that linkage begin anew at its time. One that joins or separates
bodies (a nail, a joint that is cut) ends the linkages that it concerns and starts others from the moment that they
leave behind. Linkages that it does not concern go on as if nothing had happened.

Nothing that is done before an action depends on knowing of it: the step during which it falls is taken as a whole, and
cut at its time by interpolation. So a motion on which somebody acts while it is computed is, played again with the list
of those actions, the same motion.
"""

import dataclasses
from collections.abc import Callable, Container, Iterable, Iterator, Sequence

import numpy as np

from ..assembly.building import bodies_of, drawn_at_start, idle, refuse_taken_out, with_parts, without_parts
from ..integration.motion.observation import Frames
from ..mechanism import Action, Addition, Force, Joint, Mechanism, MechanismError, Nail
from ..mechanism.constraints import Constraint, Coupling
from ..mechanism.error import refuse
from ..mechanism.messages import Message
from ..mechanism.ropes import Rope
from ..model.closures import Source
from ..model.linkage.compilation import Compiled
from ..model.moment import TIME_CONSTANT, Moment, holds_where_it_is
from ..model.poses import ZERO, body_pose
from ..model.topology import Linkage, acts, constraint_bodies, find_linkages
from .actions import changed, moved_parts, with_own_lengths
from .catching.courses import CANNOT_DRAW, OPEN, joint_gap, may_be_drawn, refuse_drawing
from .catching.ends import Going, present_frame, seen_from
from .catching.gaps import gap_of, is_one_sided, wound_up
from .catching.grips import is_rubbing, struck, undecided, with_slips
from .catching.holding import waits_at_start, working
from .catching.moments import (
    frame_at,
    is_regeared,
    middle_at,
    with_grips_at,
    with_lengths_at,
    with_lengths_of,
    with_other_backlash,
)
from .catching.one_sided import bouncing, hangs_loose, with_ends_met
from .contradictions import find_contradiction
from .initial_conditions import set_start
from .linkage_run import LinkageRun
from .options import Options
from .recording import LinkageWork, Recording
from .recording_assembly import Still, Stretch, assemble_recording, between_frames
from .run_notes import merged, notes_on_runs, work_of

_NO_TIME, _WITHOUT_END = 1e-12, 64  # s, and how often one-sided parts may close and let go in it
Progressed = tuple[float, LinkageRun]


class Timeline:
    """The linkages on their way; they are those of the mechanism as it works at its start (`catching.working`).

    `told` is the mechanism at present, after all actions so far, and `mechanism` is how that works. With a `moment` at
    0 s they go on from there.
    """

    def __init__(
        self,
        mechanism: Mechanism,
        linkages: list[Compiled],
        times: np.ndarray,
        options: Options,
        moment: Moment | None = None,
    ) -> None:
        self._waiting = waits_at_start(mechanism)
        self.told, self.times, self._options = mechanism, times, options
        self.mechanism = mechanism = working(mechanism, waiting=self._waiting)
        self.notes: list[str] = []
        self._first = mechanism
        self._still: list[Still] = []  # bodies that were taken out
        self.gone: set[str] = set()  # names of what was
        self._anchors: dict = {}
        self._handed: list[Action] = []  # which release bodies or pull them again, and are done with the next advance
        self._back: dict[str, float] = {}  # released bodies that come back to their keys, and when they are there (s)
        self._firm: set[str] = set()  # what was drawn by a limited force, and has met: from then on it holds
        self._drawn = {each.name: each.tau for each in mechanism.constraints if each.enabled and each.tau is not None}
        self._ended: list[LinkageRun] = []
        self._struck: list[tuple[str, float]] = []  # one-sided parts that have just closed or let go, and when (s)
        self.runs = [self._start(compiled, moment, mechanism) for compiled in linkages]

    def _start(self, compiled: Compiled, moment: Moment | None, mechanism: Mechanism, first: int = 0) -> LinkageRun:
        self.notes += set_start(mechanism, compiled, moment)
        options, time = self._options, 0.0 if moment is None else moment.time
        integrator = options.integrator_for(compiled.linkage)
        if integrator in CANNOT_DRAW:
            refuse_drawing(mechanism, compiled, integrator)
        bead = compiled.model.closures.curve_first
        contradiction = find_contradiction(mechanism, compiled, time, compiled.state, bead)
        refuse([] if contradiction is None else [contradiction])
        interval = options.interval_for(compiled, time)
        run = LinkageRun(
            mechanism, compiled, self.times, integrator, options.tolerances, interval, first, moment, options.between,
            options.may_change(compiled.linkage),
        )  # fmt: skip
        if moment is None:
            refuse(run.inside())
        return run

    def advance(self, until: float) -> Iterator[Progressed]:
        """Integrates all linkages on until they have passed that time (s); yields (time reached, linkage at work)."""
        try:
            self._hand_over()
        except MechanismError as error:
            self.runs[0].refuse(error.problems[0])
        waiting = list(self.runs)
        for run in waiting:
            for time in run.advance(until):
                yield time, run
            if run.ended is not None:
                before = list(self.runs)
                self._separate(run)
                waiting += [fresh for fresh in self.runs if fresh not in before]
            elif run.together or run.near or run.met or run.slips:
                before = list(self.runs)
                try:
                    if run.slips:
                        self._slip_on(run)
                    else:
                        self._draw_on(run)
                except MechanismError as error:
                    run.refuse(error.problems[0])
                waiting += [each for each in self.runs if each not in before or (each is run and not run.has_failed)]

    def _slip_on(self, run: LinkageRun) -> None:
        """Goes on with ropes that begin to slip on their wheels, or to stick."""
        self._note_struck(run, run.slips)
        self._go_on(run.time, with_slips(self.told, run.slips), self._drawn, self._waiting, set(run.slips))

    def _note_struck(self, run: LinkageRun, names: Iterable[str]) -> None:
        """Notes what has just closed, let go, slipped or stuck. Raises MechanismError where that has no end."""
        self._struck = [(name, time) for name, time in self._struck if time >= run.time - _NO_TIME]
        self._struck += [(name, run.time) for name in names]
        if len(self._struck) > _WITHOUT_END:
            parts = dict.fromkeys(("constraint", name) for name, _ in self._struck)
            refuse(Message("one-sided-chatters", part, time=f"{run.time:.6g}") for part in parts)

    def _draw_on(self, run: LinkageRun) -> None:
        """Goes on with joints that have come together where they belong, and with what has come near drawn together."""
        one_sided = {each.name for each in self.told.constraints if is_one_sided(each)} & set(run.near)
        self._note_struck(run, one_sided)
        near = set(run.near) - one_sided
        parts = (part for part in (*self.told.joints, *self.told.constraints) if part.name in near)
        drawn = {name: tau for name, tau in self._drawn.items() if name not in run.together}
        drawn |= {part.name: part.tau or TIME_CONSTANT for part in parts}
        self._firm |= set(run.met)
        joints = {joint.name for joint in self.told.joints}
        for name in run.met:
            part = "joint" if name in joints else "constraint", name
            self.notes.append(Message("caught-met", part, time=f"{run.time:.6g}"))
        names = {*run.together, *run.near, *run.met}
        waiting = (self._waiting - set(run.near)) | (one_sided - self._waiting)
        closing, now = one_sided & self._waiting, run.now()
        bounces = bouncing(self.told, run.compiled, closing, now)
        rubbing = {each.name for each in self.told.constraints if isinstance(each, Rope) and each.grips} & closing
        before = run.snapshot() if bounces or rubbing else None
        told = undecided(with_ends_met(self.told, run.compiled, closing, now), one_sided)
        self._go_on(run.time, told, drawn, waiting, names)
        if rubbing:
            self._draw_taut(run, before, drawn, rubbing)
        if bounces:
            self._bounce(run, before, drawn, bounces)

    def _draw_taut(self, run: LinkageRun, before: Frames, drawn: dict[str, float], names: set[str]) -> None:
        """Does over again the jerk of ropes that have just been drawn taut, with friction on their wheels.

        before: as they came.
        """
        came = self._recorded(run, before)
        bodies = {self.told.bodies[i].name for i in run.compiled.linkage.bodies}
        after = self._present(run.time, bodies)
        told = with_slips(self.told, struck(self.told, names, _going(came), _going(after)))
        self._go_on(run.time, told, drawn, self._waiting, names, rebound=self._going_as(run, came, 0.0))

    def _bounce(self, run: LinkageRun, before: Frames, drawn: dict[str, float], names: set[str]) -> None:
        """Lets what has just struck bounce off at once, by Newton's law of impact: with the least restitution of all.

        before: as they came.
        """
        e = min(each.restitution for each in self.told.constraints if each.name in names)
        rebound = self._going_as(run, self._recorded(run, before), 1.0 + e)
        self._go_on(run.time, self.told, drawn, self._waiting | names, names, rebound=rebound)

    def _recorded(self, run: LinkageRun, frame: Frames) -> Recording:
        """A frame of now of one linkage."""
        return assemble_recording(self.mechanism, [Stretch(run.compiled, frame)], np.array([run.time]), self._still)

    @staticmethod
    def _going_as(run: LinkageRun, came: Recording, share: float) -> Callable[[Moment], None]:
        """Changes the speeds of a moment to what they were before a blow, and a share of what it has changed."""
        bodies = run.compiled.linkage.bodies

        def rebound(moment: Moment) -> None:
            for now, then in (
                (moment.linear_velocity, came.linear_velocity[0]),
                (moment.angular_velocity, came.angular_velocity[0]),
            ):
                now[bodies] = then[bodies] + share * (now[bodies] - then[bodies])

        return rebound

    def _separate(self, run: LinkageRun) -> None:
        """Goes on without a joint whose surfaces part, from the moment at which they do."""
        name, how = run.ended
        self.notes.append(Message("ride-ends", ("joint", name), time=f"{run.time:.6g}", how=how))
        self.act(run.time, [Action(run.time, name, {"enabled": False})])

    @property
    def failure(self) -> LinkageRun | None:
        """The linkage that could not go on the longest."""
        return min((run for run in self.all_runs if run.has_failed), key=lambda run: run.time, default=None)

    @property
    def all_runs(self) -> list[LinkageRun]:
        """The linkages of now, and those that actions have ended."""
        return self._ended + self.runs

    def act(self, time: float, actions: Sequence[Action], forces: Sequence[Force] = ()) -> None:
        """Actions at a time (s) that `advance` was told to pass last. Raises MechanismError if one cannot be.

        `forces`: new ones between single bodies and the world, which have been there from the start but did nothing.
        """
        if not all(map(_is_hand_over, actions)):
            self._hand_over()
        before = self.told, self.mechanism, self._first, list(self._still), set(self.gone)
        self.told = dataclasses.replace(self.told, forces=[*self.told.forces, *forces])
        try:
            for action in actions:
                self._act(time, action)
        except MechanismError:
            self.told, self.mechanism, self._first, self._still, self.gone = before
            raise

    def _act(self, time: float, action: Action) -> None:
        if _is_hand_over(action):
            refuse_taken_out(set(action.names), self.gone)
            self._handed.append(dataclasses.replace(action, time=time))
            return
        if action.add is not None:
            self._put_in(time, action.add)
            return
        names = {*action.names}
        if action.remove is not None:
            self._take_out(time, names)
            return
        refuse_taken_out(names, self.gone)
        told = changed(self.told, [action])
        self._go_on_with(time, told, names, moved_parts(self.told, told))

    def _hand_over(self) -> None:
        """Goes on with bodies that are released or pulled again: at once with all that are so at the same time."""
        actions, self._handed = self._handed, []
        if not actions:
            return
        told, time = changed(self.told, actions), actions[0].time
        for old, new in zip(self.told.bodies, told.bodies, strict=True):
            if new.is_pulled and old.released:
                self._back[new.name] = time + new.follow.blend_time
            elif new.released:
                self._back.pop(new.name, None)
        self._go_on_with(time, told, {name for action in actions for name in action.names}, set())

    def _put_in(self, time: float, addition: Addition) -> None:
        """Goes on with more parts: first they only stand there, so that all arrays have a place for them."""
        whole = with_parts(self.told, addition)
        position, orientation = self._poses(time, bodies_of(whole, addition.parts[len(addition.bodies) :]))
        there = [body_pose(body) for body in addition.bodies]
        position = np.vstack([position, *(np.reshape(place, (1, 3)) for place, _ in there)])
        orientation = np.vstack([orientation, *(np.reshape(turn, (1, 4)) for _, turn in there)])
        drawn = drawn_at_start(whole, addition, position, orientation)
        self._first = with_parts(self._first, drawn)
        told = with_parts(self.told, drawn)
        self.told, self.mechanism = (with_parts(each, idle(drawn)) for each in (self.told, self.mechanism))
        self._go_on_with(time, told, {part.name for part in addition.parts}, set())

    def _take_out(self, time: float, names: set[str]) -> None:
        """Goes on without some parts, and what is fastened to them."""
        refuse_taken_out(names, self.gone)
        bodies = {body.name for body in self.told.bodies if body.name in names}
        position, orientation = self._poses(time, bodies)
        told, out, places = without_parts(self.told, names, position, orientation)
        self._still += [Still(i, time, position[i], orientation[i]) for i in places]
        self.gone |= out
        self._go_on_with(time, told, out, set())

    def _poses(self, time: float, names: Container[str]) -> tuple[np.ndarray, np.ndarray]:
        """Positions (B, 3) and orientations (B, 4) at a time (s), right for bodies of these names."""
        now = self._present(time, names)
        return now.position[0], now.orientation[0]

    def _present(self, time: float, names: Container[str | None]) -> Recording:
        """The moment at a time (s), right for bodies of these names."""
        runs = []
        for run in self.runs:
            if any(self.told.bodies[i].name in names for i in run.compiled.linkage.bodies):
                run.go_to(time)
                runs.append(Stretch(run.compiled, run.snapshot()))
        return assemble_recording(self.mechanism, runs, np.array([time]), self._still)

    def _go_on_with(self, time: float, told: Mechanism, names: set[str | None], moved: set[str]) -> None:
        """Goes on with a mechanism in which parts of these names have changed; `moved` are held elsewhere."""
        told = with_own_lengths(self.told, told, moved)
        holding = {joint.name for joint in told.joints if joint.enabled}
        holding |= {each.name for each in told.constraints if acts(told, each)}
        drawn = {name: tau for name, tau in self._drawn.items() if name in holding}
        new = holding - {joint.name for joint in self.told.joints if joint.enabled}
        new -= {each.name for each in self.told.constraints if acts(self.told, each)}
        waits = {each.name for each in (*told.joints, *told.constraints) if each.within is not None}
        self._firm &= holding - new
        waits |= {each.name for each in told.constraints if each.name in new and self._hangs_loose(each, time)}
        waiting, new = (self._waiting & holding) | (new & waits), new - waits
        loose, firm = with_other_backlash(self.told, told)
        waiting = (waiting | (loose & holding)) - firm
        joints = [each for each in told.joints if each.name in new and each.type != "contact"]
        held = (each for each in told.constraints if each.name in new)
        parts = [each for each in held if each.tau is not None or may_be_drawn(each)]
        parts += [each for each in told.constraints if each.name in moved & holding]
        drawn |= {part.name: part.tau or TIME_CONSTANT for part in (*joints, *parts)}
        self._go_on(time, told, drawn, waiting, names, joints, moved)

    def _go_on(
        self,
        time: float,
        told: Mechanism,
        drawn: dict[str, float],
        waiting: set[str],
        names: set[str | None],
        joints: Sequence[Joint] = (),
        moved: Container[str] = (),
        rebound: Callable[[Moment], None] | None = None,
    ) -> None:
        """Goes on with a mechanism in which parts of these names have changed.

        drawn: what is drawn together, and the time constants (s); of `joints`, only those that are apart or say one.
        waiting: what is not, until its ends come near. moved: constraints that hold elsewhere from now on. rebound:
        changes the speeds with which it goes on.
        """
        before, after = self.mechanism, working(told, drawn, waiting, self._firm)
        changing, ended, fresh = self._concerned(after, names, moved)
        for run in [*changing, *ended]:
            run.go_to(time)
        begun, anchors = [], self._anchors
        if fresh:
            moment = self._moment(time, after, ended, moved)
            size = max((run.compiled.model.size for run in ended), default=1.0)
            fitting = {each.name for each in joints if self._fits(each, told, moment, size)}
            if fitting:
                drawn = {name: tau for name, tau in drawn.items() if name not in fitting}
                after = working(told, drawn, waiting, self._firm)
                changing, ended, fresh = self._concerned(after, names, moved)
                moment = self._moment(time, after, ended, moved)
            after, anchors = with_lengths_at(before, after, moment), moment.anchors
            after = with_grips_at(after, moment)
            told = with_lengths_of(told, after)
            moment = dataclasses.replace(moment, drawn=drawn)
            if rebound is not None:
                rebound(moment)
            first = min((run.frame for run in ended), default=int(np.searchsorted(self.times, time, side="right")))
            linkages = [self._options.compile(after, linkage, moment) for linkage in fresh]
            begun = [self._start(compiled, moment, after, first) for compiled in linkages]
            for run in begun:
                if run.compiled.backlashes:
                    run.go_on_as_fast_as(ended)  # else dry friction would not know what is at rest as teeth part
        for run, compiled in changing.items():
            run.change(after, compiled)
        for run in ended:
            run.cut_off()
        self.mechanism, self.told, self._anchors, self._drawn, self._waiting = after, told, anchors, drawn, waiting
        self._ended += ended
        self.runs = [run for run in self.runs if run not in ended] + begun

    def _hangs_loose(self, part: Constraint, time: float) -> bool:
        """True of something one-sided that is open at a time (s); a gear is so where it takes hold, in the middle."""
        if not is_one_sided(part) or isinstance(part, Coupling):
            return isinstance(part, Coupling) and part.backlash > 0.0
        now = self._present(time, constraint_bodies(self.told, part))
        poses, ends = (now.position[0], now.orientation[0]), gap_of(part).ends
        places = [present_frame(self.told, name, point, *poses)[0] for name, point in ends]
        return hangs_loose(part, places, time, wound_up(self.told, part, now.joint_coordinates[0], now.joint_offsets))

    def _fits(self, joint: Joint, told: Mechanism, moment: Moment, size: float) -> bool:
        """True if a joint that is put back can hold at once. Raises MechanismError for a thread that cannot."""
        both = zip((joint.parent, joint.child), joint.sides, strict=True)
        ends = (frame_at(told, name, place, moment) for name, (place, _) in both)
        number = next(j for j, each in enumerate(told.joints) if each.name == joint.name)
        apart, turned = joint_gap(joint, *ends, moment.coordinates_of(number))
        is_open = apart > OPEN * size or turned > OPEN
        if is_open and joint.type == "screw":
            gap = f"{apart:.3g} m and {np.degrees(turned):.3g} degrees"
            refuse([Message("catch-screw", ("joint", joint.name), gap=gap, when=f"{moment.time:g} s")])
        return joint.tau is None and not is_open

    def _concerned(
        self, after: Mechanism, names: set[str | None], moved: Container[str] = ()
    ) -> tuple[dict[LinkageRun, Compiled], list[LinkageRun], list[Linkage]]:
        """(linkages that go on with other numbers, linkages that end, linkages that begin) where parts have changed."""
        changing, fresh, going_on = {}, [], set()
        same = {run.compiled.linkage.bodies[0]: run for run in self.runs}
        for linkage in find_linkages(after):
            run = same.get(linkage.bodies[0])
            if run is not None and not _is_same(run.compiled.linkage, linkage):
                run = None
            if run is not None and names.isdisjoint(_parts_of(after, linkage)):
                going_on.add(run)
                continue
            if run is not None and self._is_renewed(after, linkage, moved):
                run = None
            if run is not None:
                compiled = self._options.compile(after, linkage, run.moment, run.compiled.model.method)
                if not run.met and _fits(run.compiled, compiled):
                    changing[run] = compiled
                    continue
            fresh.append(linkage)
        ended = [run for run in self.runs if run not in changing and run not in going_on]
        return changing, ended, fresh

    def _is_renewed(self, after: Mechanism, linkage: Linkage, moved: Container[str]) -> bool:
        """True if a linkage of the same bodies has other masses, surfaces, ground or ratios, or is held elsewhere."""
        if linkage.touches and after.contact != self.mechanism.contact:
            return True
        coupled = *linkage.constraints, *linkage.within_backlash
        if any(is_regeared(self.mechanism.constraints[k], after.constraints[k]) for k in coupled):
            return True
        if any(is_rubbing(after.constraints[k]) for k in linkage.constraints):
            return True
        bodies = (*linkage.bodies, *linkage.met)
        has_changed = any(after.bodies[i] is not self.mechanism.bodies[i] for i in bodies)
        return has_changed or any(after.constraints[k].name in moved for k in linkage.constraints)

    def _moment(self, time: float, after: Mechanism, ended: list[LinkageRun], moved: Container[str] = ()) -> Moment:
        """The moment that some linkages leave behind; nails that are driven in hold where their bodies are then."""
        stretches = [Stretch(run.compiled, run.snapshot()) for run in ended]
        now = assemble_recording(self.mechanism, stretches, np.array([time]), self._still)
        for i, (old, new) in enumerate(zip(self.mechanism.bodies, after.bodies, strict=True)):
            if old.motion == "fixed" and new.motion == "dynamic":  # put in just now
                now.linear_velocity[0, i] = new.linear_velocity or ZERO
                now.angular_velocity[0, i] = new.angular_velocity or ZERO
        motion = now.position[0], now.orientation[0], now.linear_velocity[0], now.angular_velocity[0]
        known = {source: gives_way for run in ended for source, gives_way in run.closures}
        closing = ((k, each) for k, each in enumerate(after.constraints) if is_one_sided(each) and each.enabled)
        known |= {Source("constraint", k): 0 for k, each in closing if each.name in self._waiting}
        anchors, back = dict(self._anchors), dict(self._back)
        moment = Moment(time, *motion, now.joint_coordinates[0], now.joint_offsets, anchors, known, back=back)
        for old, new in zip(self.mechanism.constraints, after.constraints, strict=True):
            if new.name in moved and isinstance(new, Nail):
                place = (np.array(new.place, float), np.eye(3))
                moment.anchors[new.name] = seen_from(after, new.to, place, moment.position, moment.orientation)
                continue
            if not acts(after, new) or (acts(self.mechanism, old) and not is_regeared(old, new)):
                continue
            if isinstance(new, Coupling):
                moment.anchors[new.name] = middle_at(after, old, new, moment)
            elif holds_where_it_is(new) and not acts(self.mechanism, old):
                point = getattr(new, "point", (0.0, 0.0, 0.0))
                found = frame_at(after, new.body, point, moment)
                moment.anchors[new.name] = seen_from(after, new.to, found, moment.position, moment.orientation)
        return moment

    def at(self, frame: int) -> Recording:
        """A single frame that is done."""
        stretches = []
        for run in self.all_runs:
            k = frame - run.first
            if 0 <= k < run.done:
                stretches.append(Stretch(run.compiled, Frames(*(array[k : k + 1] for array in run.frames))))
        return assemble_recording(self._first, stretches, self.times[frame : frame + 1], self._still)

    def is_finite_at(self, frame: int) -> bool:
        """True if all that linkages have written of a frame that is done are finite numbers."""
        return all(run.is_finite_at(frame) for run in self.all_runs)

    def extend(self, times: np.ndarray) -> None:
        """Makes room for more frames; `times` of all of them."""
        self.times = times
        for run in self.runs:
            run.extend(times)

    def settle_reactions(self) -> Iterator[int]:
        """Makes the forces of redundant rows those of least norm; yields the number of the next frame."""
        for run in self.all_runs:
            yield from run.settle_reactions()

    def motion(self) -> Recording:
        """All frames that are done, and nothing of what is between them."""
        for _ in self.settle_reactions():
            pass
        stretches = [Stretch(run.compiled, run.frames, run.first, run.left, run.impacts) for run in self.all_runs]
        recording = assemble_recording(self._first, stretches, self.times)
        recording.work = self._work()
        return recording

    def recording(self) -> Recording:
        """All frames that are done; counts and notes as well."""
        runs = self.all_runs
        stretches = [Stretch(run.compiled, run.frames, run.first, run.left, run.impacts) for run in runs]
        recording = assemble_recording(self._first, stretches, self.times, self._still)
        recording.between = between_frames(stretches)
        recording.evaluations, recording.steps = sum(run.evaluations for run in runs), sum(run.steps for run in runs)
        recording.work = self._work()
        recording.notes = merged(self.notes) + notes_on_runs(runs, self._first)
        return recording

    def _work(self) -> list[LinkageWork]:
        return [work_of(run, self._options.integrator == "auto") for run in self.all_runs]


def _going(now: Recording) -> Going:
    """The first frame of a recording."""
    arrays = now.position, now.orientation, now.linear_velocity, now.angular_velocity, now.joint_speeds
    return Going(float(now.times[0]), *(array[0] for array in arrays), now.joint_offsets)


def _is_hand_over(action: Action) -> bool:
    """True of an action that only releases a body, or lets it be pulled again: many at once are one change."""
    return action.set is not None and set(action.set) == {"released"}


def _parts_of(mechanism: Mechanism, linkage: Linkage) -> set[str | None]:
    """The names of a linkage's joints, constraints, forces and bodies, and None, which stands for its gravity."""
    joints = {j for j in (*linkage.joint, *linkage.closing) if j is not None}
    names = {mechanism.joints[j].name for j in joints}
    names |= {mechanism.constraints[k].name for k in (*linkage.constraints, *linkage.within_backlash)}
    names |= {mechanism.bodies[i].name for i in (*linkage.bodies, *linkage.met)}
    return names | {mechanism.forces[k].name for k in linkage.forces} | {None}


def _is_same(before: Linkage, after: Linkage) -> bool:
    """True if the same bodies are held in the same way; forces may have been added."""
    known = before.forces == after.forces[: len(before.forces)]
    return known and dataclasses.replace(before, forces=[]) == dataclasses.replace(after, forces=[])


def _fits(before: Compiled, after: Compiled) -> bool:
    """True if a linkage may go on with other numbers: the same rows, and the same axes that something may hold."""
    old, new = before.model, after.model
    return (
        type(old) is type(new)
        and old.closing == new.closing
        and np.array_equal(before.places, after.places)
        and np.array_equal(old.switched.axis, new.switched.axis)
        and np.array_equal(old.forces.kind, new.forces.kind[: len(old.forces)])
    )
