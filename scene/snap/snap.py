# SPDX-License-Identifier: GPL-3.0-or-later
"""Snap Together: loose linkages are assembled, at once or as a flight of keyframes. One generator serves all.

Nothing of the scene changes before all is solved: until then the work can be closed at any `yield`, and the scene is as
it was. A linkage that is together already is left alone.
"""

from collections.abc import Collection, Iterator

import bpy
import numpy as np

from ..animation.kept import FLIGHT, is_baked
from ..bake.bake import Progress, likely_reason
from ..bake.write_keyframes import assign_actions, build_actions, discard_actions
from ..findings import Finding, need_scipy, refuse, refuse_all
from ..geometry import poses
from ..owner import refuse_bones
from ..parts.linkages import Linkage, chosen_linkages, riders
from ..preview.transforms import put_bodies, put_parts, stand_at, what_moves
from ..read.reading import BodyBinding, Reading
from ..read.sampling import show_frame, shown_frame
from ..read.scene import read_mechanism, read_over_time
from ..read.solved import Solved
from .followers import places_of_followers, settle_start
from .result import SnapResult, as_before, still_open, would_tear
from .solving import READ_SHARE, SOLVE_SHARE, Outcome, is_opened_by_start, solve, without


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
    need_scipy()
    linkages = chosen_linkages(scene, chosen)
    if not linkages:
        text = "nothing of the selection hangs on a joint or constraint: select a body that does, or nothing"
        refuse(None, text)
    bodies = {body for linkage in linkages for body in linkage.bodies}
    carried = riders(bodies, scene)
    _refuse_baked([*bodies, *carried])
    parts = {part for linkage in linkages for part in linkage.parts} | set(carried)
    reading = yield from _read(scene, view_layer, parts, frames)
    loose = _loose(reading, linkages)
    result = SnapResult(together=len(linkages) - len(loose), linkages=len(loose))
    if not loose:
        return result
    refuse_bones(sorted({body for each in loose for body in each.bodies}, key=lambda ob: ob.name_full), "Snap Together")
    outcome = yield from solve(reading, loose, frames)
    result.open = still_open(reading, outcome.open)
    if frames:
        moved = _moved(reading, outcome.solved)
        if moved:
            result.frames = (reading.first, reading.first + frames - 1)
            yield from _write_flight(reading, moved, outcome.solved, result.frames)
            show_frame(scene, shown_frame(scene))
    else:
        torn = [linkage for linkage in loose if would_tear(linkage, result.open)]
        result.left, result.open = len(torn), [as_before(found, torn) for found in result.open]
        outcome = without(torn, outcome)
        moved = _moved(reading, outcome.solved)
        ties = [tie for linkage in loose if linkage not in torn for tie in linkage.ties]
        result.warnings = _put(view_layer, moved, ties, outcome)
    result.bodies = len(moved)
    return result


def _refuse_baked(bodies: list[bpy.types.Object]) -> None:
    baked = sorted(body.name for body in bodies if is_baked(body))
    if baked:
        names = ", ".join(baked[:5]) + (f" and {len(baked) - 5} more" if len(baked) > 5 else "")
        refuse(None, f"baked keyframes would win over the new places of {names}. Clear the bake first")


def _read(
    scene: bpy.types.Scene, view_layer: bpy.types.ViewLayer, parts: set[bpy.types.Object], frames: int | None
) -> Iterator[Progress]:
    """The parts at this moment or, for a flight, over its frames."""
    yield Progress(0.0, "Reading the scene")
    if not frames:
        view_layer.update()
        reading = read_mechanism(scene, view_layer.depsgraph, parts)
        for binding in reading.bodies:
            stand_at(binding, view_layer.depsgraph)
        return reading
    first = scene.frame_current
    steps = read_over_time(scene, view_layer, (first, first + frames - 1), parts, may_be_open=True)
    try:
        while True:
            progress = next(steps)
            yield Progress(READ_SHARE * progress.fraction, progress.text)
    except StopIteration as end:
        return end.value
    finally:
        steps.close()


def _loose(reading: Reading, linkages: list[Linkage]) -> list[Linkage]:
    """Those linkages that are not together as they stand, or not at the start values of their joints."""
    apart = {finding.object.name_full for finding in reading.open}
    started = {joint.name for joint in reading.mechanism.joints if any(joint.start_coordinates or ())}
    loose = []
    for linkage in linkages:
        ties = {tie.name_full for tie in linkage.ties}
        if ties & apart or (ties & started and is_opened_by_start(reading, linkage)):
            loose.append(linkage)
    return loose


def _moved(reading: Reading, solved: Solved) -> list[BodyBinding]:
    """The dynamic bodies that were moved, and those that would go along with them as their children but must not."""
    moved = [binding for binding in reading.bodies if binding.body.motion == "dynamic" and _has_moved(binding, solved)]
    owners = {binding.object for binding in moved}
    carried = set(riders(owners, reading.scene))
    return moved + [binding for binding in reading.bodies if binding.object in carried]


def _has_moved(binding: BodyBinding, solved: Solved) -> bool:
    """By more than single precision can tell."""
    if binding.body.name not in solved.index:
        return False
    position, orientation = solved.of(binding.body.name)
    start, turn = np.array(binding.body.position), np.array(binding.body.orientation)
    turned = 1.0 - np.abs(orientation @ turn)
    travelled = np.abs(position - start).max()
    return bool(travelled > 1e-7 * np.abs(start).max() + 1e-12 or turned.max() > 1e-14)


def _with_riders(moved: list[BodyBinding], solved: Solved) -> Solved:
    """Poses of all that is written: riders stay where they are."""
    count = len(solved.position)
    known = [binding.body.name in solved.index for binding in moved]
    courses = [
        solved.of(binding.body.name)
        if is_known
        else (np.tile(binding.body.position, (count, 1)), np.tile(binding.body.orientation, (count, 1)))
        for binding, is_known in zip(moved, known, strict=True)
    ]
    position, orientation = (np.stack([course[i] for course in courses], axis=1) for i in (0, 1))
    return Solved([binding.body.name for binding in moved], position, orientation)


def _write_flight(
    reading: Reading, moved: list[BodyBinding], solved: Solved, frames: tuple[int, int]
) -> Iterator[Progress]:
    made: list[tuple[bpy.types.Object, bpy.types.Action]] = []
    try:
        for fraction in build_actions(moved, _with_riders(moved, solved), reading.first, made):
            yield Progress(SOLVE_SHARE + (1.0 - SOLVE_SHARE) * fraction, "Writing keyframes")
    except BaseException:
        discard_actions(made)
        raise
    for _, action in made:
        action[FLIGHT] = frames
    assign_actions(made)


def _put(
    view_layer: bpy.types.ViewLayer,
    moved: list[BodyBinding],
    ties: list[bpy.types.Object],
    outcome: Outcome,
) -> list[Finding]:
    """Move bodies and what belongs to them; returns findings about what did not go as it should."""
    held = [
        Finding(binding.object, _held(what_moves(binding.object))) for binding in moved if what_moves(binding.object)
    ]
    refuse_all(held)
    if not moved:
        return []
    solved = _with_riders(moved, outcome.solved)
    followers = places_of_followers(view_layer, moved, solved, outcome.mechanism, ties)
    put_bodies(moved, solved)
    findings = put_parts(followers, view_layer)
    for tie in ties:
        findings += settle_start(tie, outcome.mechanism)
    return findings + _not_shown(moved, solved, view_layer)


def _held(reason: str) -> str:
    return f"can't be put to its new place, because {reason}: remove that, make the body Keyed, or choose Animated"


def _not_shown(moved: list[BodyBinding], solved: Solved, view_layer: bpy.types.ViewLayer) -> list[Finding]:
    """Bodies that are not where they were put."""
    findings = []
    for binding in moved:
        position, orientation = solved.of(binding.body.name)
        expected = poses.join(position[0], orientation[0], binding.residual)
        shown = binding.owner.world(view_layer.depsgraph)
        if np.abs(shown - expected).max() > 1e-4 * (np.abs(expected[:3]).max() + 1e-2):
            findings.append(Finding(binding.object, f"is not quite where it belongs: {likely_reason(binding.object)}"))
    return findings
