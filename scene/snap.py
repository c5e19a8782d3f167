# SPDX-License-Identifier: GPL-3.0-or-later
"""Snap Together: loose linkages are assembled, at once or as a flight of keyframes. One generator serves all.

Nothing of the scene changes before all is solved: until then the work can be closed at any `yield`, and the scene is as
it was. A linkage that is together already is left alone.
"""

import dataclasses
import importlib.util
import math
import time
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import bpy
import numpy as np

from ..solver import MechanismError
from ..solver.mechanism import Keys, Mechanism, Path
from . import poses
from .bake import Progress, likely_reason
from .findings import Finding, SceneError, of_solver, refuse
from .kept_animation import is_baked
from .linkages import Linkage, chosen_linkages, ends_of, riders
from .moving import displacement, put_bodies, put_parts, stand_at, what_moves
from .open_ties import NEAR, closeness
from .read import read_mechanism, read_over_time
from .read_joints import read_child_frames
from .reading import ReadBody, Reading
from .snap_followers import places_of_followers, settle_start
from .solved import Solved
from .write import assign_actions, build_actions, discard_actions

READ_SHARE, SOLVE_SHARE = 0.1, 0.9
TOGETHER = 1e-6  # part of a linkage's size, or rad, that the solver takes as together
REMEDY = "it can't reach: move its bodies or its ends, make a part longer, or free what else holds them"


Frames = dict[str, tuple[np.ndarray, np.ndarray]]


class StillOpen(NamedTuple):
    """A joint or constraint that could not be brought together, and what to say about it."""

    owner: bpy.types.Object
    text: str


@dataclass
class SnapResult:
    """What was done: bodies moved, linkages brought together and found together already, frames if it is a flight.

    `left` linkages were left as they were, because bringing one place nearer would have torn another.
    """

    bodies: int = 0
    together: int = 0
    linkages: int = 0
    frames: tuple[int, int] | None = None
    seconds: float = 0.0
    warnings: list[Finding] = field(default_factory=list)
    open: list[StillOpen] = field(default_factory=list)
    left: int = 0

    @property
    def summary(self) -> str:
        """One line for the status bar and the panel."""
        if not self.linkages:
            return "Together already: nothing was moved"
        bodies = f"{self.bodies} {'body' if self.bodies == 1 else 'bodies'}"
        if self.frames:
            text = f"Keyed the flight of {bodies}, frames {self.frames[0]} to {self.frames[1]}"
        else:
            text = f"Moved {bodies}" if self.bodies else "Nothing was moved"
        if self.open:
            text += f"; {len(self.open)} {'place stays' if len(self.open) == 1 else 'places stay'} open (see Check)"
        elif not self.frames:
            text += ": all is together"
        if self.left:
            text += f". {_count(self.left)} left as before, since something else would have torn"
        if self.together:
            text += f". {_count(self.together)} together already, and untouched"
        return text


def _count(linkages: int) -> str:
    return "1 linkage was" if linkages == 1 else f"{linkages} linkages were"


class _Outcome(NamedTuple):
    """What the solver found: poses by body name over the frames, the mechanism as assembled, its open ties."""

    solved: Solved
    mechanism: Mechanism
    open: list


def snap_together(
    scene: bpy.types.Scene,
    view_layer: bpy.types.ViewLayer,
    chosen: Collection[bpy.types.Object] = (),
    frames: int | None = None,
) -> Iterator[Progress]:
    """Assemble the linkages of the chosen objects (none: all); yields Progress often and returns a SnapResult.

    With `frames`, they fly together in that many keyframes from the present frame on, otherwise their objects are moved
    at once. Raises SceneError naming what is in the way.
    """
    started = time.perf_counter()
    if importlib.util.find_spec("scipy") is None:
        raise refuse(None, "scipy is missing: install the extension's zip for this platform and version of Blender")
    linkages = chosen_linkages(scene, chosen)
    if not linkages:
        raise refuse(
            None, "nothing of the selection hangs on a joint or constraint: select a body that does, or nothing"
        )
    bodies = {body for linkage in linkages for body in linkage.bodies}
    carried = riders(bodies, scene)
    _refuse_baked([*bodies, *carried])
    parts = {part for linkage in linkages for part in linkage.parts} | set(carried)
    reading = yield from _read(scene, view_layer, parts, frames)
    loose = _loose(reading, linkages)
    result = SnapResult(together=len(linkages) - len(loose), linkages=len(loose))
    if loose:
        outcome = yield from _solve(reading, loose, frames)
        result.open = _still_open(reading, outcome)
        if not frames:
            torn = [linkage for linkage in loose if _would_tear(linkage, result.open)]
            loose = [linkage for linkage in loose if linkage not in torn]
            outcome = _without(torn, outcome)
            result.open = [_as_before(still_open, torn) for still_open in result.open]
            result.left = len(torn)
        moved = _moved(reading, outcome.solved)
        if frames:
            result.frames = (reading.first, reading.first + frames - 1)
            yield from _write_flight(reading, moved, outcome.solved)
            scene.frame_set(scene.frame_current, subframe=scene.frame_subframe)
        else:
            result.warnings = _put(view_layer, moved, loose, outcome)
        result.bodies = len(moved)
    result.seconds = time.perf_counter() - started
    return result


def _refuse_baked(bodies: list[bpy.types.Object]) -> None:
    baked = sorted(body.name for body in bodies if is_baked(body))
    if baked:
        names = ", ".join(baked[:5]) + (f" and {len(baked) - 5} more" if len(baked) > 5 else "")
        raise refuse(None, f"baked keyframes would win over the new places of {names}. Clear the bake first")


def _read(
    scene: bpy.types.Scene, view_layer: bpy.types.ViewLayer, parts: set[bpy.types.Object], frames: int | None
) -> Iterator[Progress]:
    """The parts at this moment or, for a flight, over its frames."""
    yield Progress(0.0, "Reading the scene")
    if not frames:
        view_layer.update()
        reading = read_mechanism(scene, view_layer.depsgraph, parts)
        for read in reading.bodies:
            stand_at(read, view_layer.depsgraph)
        return reading
    first = scene.frame_current
    steps = read_over_time(scene, view_layer, (first, first + frames - 1), parts, may_be_open=True)
    try:
        while True:
            yield Progress(READ_SHARE * next(steps), "Reading the animation")
    except StopIteration as end:
        return end.value
    finally:
        steps.close()


def _loose(reading: Reading, linkages: list[Linkage]) -> list[Linkage]:
    """Those linkages that are not together as they stand, or not at the start values of their joints."""
    apart = {finding.object.name_full for finding in reading.open}
    started = {joint.name for joint in reading.mechanism.joints if joint.coordinates}
    loose = []
    for linkage in linkages:
        ties = {tie.name_full for tie in linkage.ties}
        if ties & apart or (ties & started and _is_opened_by_start(reading, linkage)):
            loose.append(linkage)
    return loose


def _is_opened_by_start(reading: Reading, linkage: Linkage) -> bool:
    return _assembly(reading, _part_of(reading, [linkage])).largest_gap > TOGETHER


def _part_of(reading: Reading, linkages: list[Linkage]) -> Mechanism:
    """The mechanism of some linkages alone, without forces."""
    bodies = {body.name_full for linkage in linkages for body in linkage.ends}
    ties = {tie.name_full for linkage in linkages for tie in linkage.ties}
    whole = reading.mechanism
    return dataclasses.replace(
        whole,
        bodies=[body for body in whole.bodies if body.name in bodies],
        joints=[joint for joint in whole.joints if joint.name in ties],
        constraints=[constraint for constraint in whole.constraints if constraint.name in ties],
        forces=[],
    )


def _child_frames(reading: Reading, mechanism: Mechanism) -> Frames:
    """Where the child's sides of open joints stand; those that are together have only one frame, the Empty's."""
    wanted = {joint.name for joint in mechanism.joints} & {finding.object.name_full for finding in reading.open}
    return {name: frame for name, frame in read_child_frames(reading).items() if name in wanted}


def _assembly(reading: Reading, mechanism: Mechanism):
    from ..solver import Assembly

    try:
        return Assembly(mechanism, _child_frames(reading, mechanism))
    except MechanismError as error:
        raise SceneError([of_solver(problem, reading.scene) for problem in error.problems]) from error


def _solve(reading: Reading, loose: list[Linkage], frames: int | None) -> Iterator[Progress]:
    """Bring the loose linkages together; returns an _Outcome."""
    mechanism = _part_of(reading, loose)
    if frames:
        return (yield from _fly(reading, mechanism, frames))
    assembly = _assembly(reading, mechanism)
    for progress in assembly.run():
        yield Progress(READ_SHARE + (SOLVE_SHARE - READ_SHARE) * progress.fraction, "Bringing bodies together")
    names = list(assembly.poses)
    position, orientation = (np.array([assembly.poses[name][i] for name in names])[None] for i in (0, 1))
    return _Outcome(Solved(names, position, orientation), assembly.mechanism, assembly.open)


def _fly(reading: Reading, mechanism: Mechanism, frames: int) -> Iterator[Progress]:
    from ..solver import FlyTogether

    child_frames = _at_the_end_too(_child_frames(reading, mechanism), mechanism)
    try:
        flight = FlyTogether(_at_the_end(mechanism), reading.duration, reading.frame_rate, child_frames)
    except MechanismError as error:
        raise SceneError([of_solver(problem, reading.scene) for problem in error.problems]) from error
    for progress in flight.run():
        fraction = READ_SHARE + (SOLVE_SHARE - READ_SHARE) * progress.fraction
        yield Progress(fraction, f"Flying together: frame {reading.first + progress.frames_done} of {reading.last}")
    names = [body.name for body in mechanism.bodies]
    return _Outcome(Solved(names, flight.positions, flight.orientations), flight.mechanism, flight.open)


def _at_the_end(mechanism: Mechanism) -> Mechanism:
    """With keyed bodies and paths where they are when the flight is over, which is where all has to meet."""
    bodies = [
        dataclasses.replace(body, keys=Keys([0.0], [body.keys.positions[-1]], [body.keys.orientations[-1]]))
        if body.motion == "keyed"
        else body
        for body in mechanism.bodies
    ]
    constraints = [_path_at_the_end(part) if isinstance(part, Path) else part for part in mechanism.constraints]
    return dataclasses.replace(mechanism, bodies=bodies, constraints=constraints)


def _at_the_end_too(frames: Frames, mechanism: Mechanism) -> Frames:
    """The same for what stands on keyed bodies."""
    keyed = {body.name: body for body in mechanism.bodies if body.motion == "keyed"}
    moved = dict(frames)
    for joint in mechanism.joints:
        if joint.name in frames and joint.child in keyed:
            body, keys = keyed[joint.child], keyed[joint.child].keys
            motion = displacement((body.position, body.orientation), (keys.positions[-1], keys.orientations[-1]))
            moved[joint.name] = poses.split(motion @ poses.join(*frames[joint.name], np.eye(3)))[:2]
    return moved


def _path_at_the_end(path: Path) -> Path:
    turns = None if path.orientations is None else [path.orientations[-1]]
    return dataclasses.replace(path, times=[0.0], positions=[path.positions[-1]], orientations=turns)


def _moved(reading: Reading, solved: Solved) -> list[ReadBody]:
    """The dynamic bodies that were moved, and those that would go along with them as their children but must not."""
    moved = [read for read in reading.bodies if read.body.motion == "dynamic" and _has_moved(read, solved)]
    owners = {read.object for read in moved}
    carried = set(riders(owners, reading.scene))
    return moved + [read for read in reading.bodies if read.object in carried]


def _has_moved(read: ReadBody, solved: Solved) -> bool:
    """By more than single precision can tell."""
    if read.body.name not in solved.index:
        return False
    position, orientation = solved.of(read.body.name)
    start, turn = np.array(read.body.position), np.array(read.body.orientation)
    turned = 1.0 - np.abs(orientation @ turn)
    travelled = np.abs(position - start).max()
    return bool(travelled > 1e-7 * np.abs(start).max() + 1e-12 or turned.max() > 1e-14)


def _with_riders(moved: list[ReadBody], solved: Solved) -> Solved:
    """Poses of all that is written: riders stay where they are."""
    count = len(solved.position)
    known = [read.body.name in solved.index for read in moved]
    courses = [
        solved.of(read.body.name)
        if is_known
        else (np.tile(read.body.position, (count, 1)), np.tile(read.body.orientation, (count, 1)))
        for read, is_known in zip(moved, known, strict=True)
    ]
    position, orientation = (np.stack([course[i] for course in courses], axis=1) for i in (0, 1))
    return Solved([read.body.name for read in moved], position, orientation)


def _write_flight(reading: Reading, moved: list[ReadBody], solved: Solved) -> Iterator[Progress]:
    made: list[tuple[bpy.types.Object, bpy.types.Action]] = []
    try:
        for fraction in build_actions(moved, _with_riders(moved, solved), reading.first, made):
            yield Progress(SOLVE_SHARE + (1.0 - SOLVE_SHARE) * fraction, "Writing keyframes")
    except BaseException:
        discard_actions(made)
        raise
    assign_actions(made)


def _put(
    view_layer: bpy.types.ViewLayer,
    moved: list[ReadBody],
    loose: list[Linkage],
    outcome: _Outcome,
) -> list[Finding]:
    """Move bodies and what belongs to them; returns findings about what did not go as it should."""
    held = [Finding(read.object, _held(what_moves(read.object))) for read in moved if what_moves(read.object)]
    if held:
        raise SceneError(held)
    if not moved:
        return []
    solved = _with_riders(moved, outcome.solved)
    ties = [tie for linkage in loose for tie in linkage.ties]
    followers = places_of_followers(view_layer, moved, solved, outcome.mechanism, ties)
    put_bodies(moved, solved)
    findings = put_parts(followers, view_layer)
    for tie in ties:
        findings += settle_start(tie, outcome.mechanism)
    return findings + _not_shown(moved, solved, view_layer)


def _held(reason: str) -> str:
    return f"can't be put to its new place, because {reason}: remove that, make the body Keyed, or choose Animated"


def _not_shown(moved: list[ReadBody], solved: Solved, view_layer: bpy.types.ViewLayer) -> list[Finding]:
    """Bodies that are not where they were put."""
    findings = []
    for read in moved:
        position, orientation = solved.of(read.body.name)
        expected = poses.join(position[0], orientation[0], read.residual)
        shown = np.array(read.object.evaluated_get(view_layer.depsgraph).matrix_world, dtype=np.float64)
        if np.abs(shown - expected).max() > 1e-4 * (np.abs(expected[:3]).max() + 1e-2):
            findings.append(Finding(read.object, f"is not quite where it belongs: {likely_reason(read.object)}"))
    return findings


def _still_open(reading: Reading, outcome: _Outcome) -> list[StillOpen]:
    """What the solver could not close, as far as it can be seen."""
    found, owners = [], {owner.name_full: owner for owner in reading.poses}
    for tie in outcome.open:
        owner = owners[tie.name]
        limit = NEAR if tie.unit == "rad" else closeness(reading.poses[owner].position, *ends_of(owner))
        if tie.gap > limit:
            how = "is beyond its limits" if tie.is_beyond_limits else "stays open"
            found.append(StillOpen(owner, f"{tie.kind} '{owner.name}' {how}: {in_words(tie.gap, tie.unit)}; {REMEDY}"))
    return found


def _would_tear(linkage: Linkage, open_ties: list[StillOpen]) -> bool:
    """Whether something would come apart that has nothing to show it by: its Empty marks both of its sides.

    It would hold another place of its body from then on, and all would stretch a little with every attempt.
    """
    return any(owner in linkage.ties and not _can_stand_open(owner) for owner, _ in open_ties)


def _can_stand_open(owner: bpy.types.Object) -> bool:
    settings = owner.ves
    if settings.role == "PATH":
        return not settings.path_keep_offset
    if settings.role == "DISTANCE":
        return settings.use_distance
    return settings.role == "BEAD" or settings.anchor_b is not None


def _without(linkages: list[Linkage], outcome: _Outcome) -> _Outcome:
    """The outcome of the other linkages alone."""
    bodies = {body.name_full for linkage in linkages for body in linkage.bodies}
    names = [name for name in outcome.solved.index if name not in bodies]
    columns = [outcome.solved.index[name] for name in names]
    solved = Solved(names, outcome.solved.position[:, columns], outcome.solved.orientation[:, columns])
    return outcome._replace(solved=solved)


def _as_before(still_open: StillOpen, torn: list[Linkage]) -> StillOpen:
    """What to say of a linkage that was not moved."""
    if not any(still_open.owner in linkage.ties for linkage in torn):
        return still_open
    return still_open._replace(text=still_open.text.replace(" stays open", " would stay open", 1))


def in_words(gap: float, unit: str) -> str:
    """A gap in metres, or one in radians as degrees, with two digits: `0.31 m`, `12°`."""
    value = math.degrees(gap) if unit == "rad" else gap
    number = f"{value:.0f}" if value >= 100.0 else f"{value:.2g}"
    return f"{number}°" if unit == "rad" else f"{number} m"
