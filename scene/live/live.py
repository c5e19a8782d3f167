# SPDX-License-Identifier: GPL-3.0-or-later
"""Linkages are made live, follow their drives, become keyframes, and are as they were again.

Their bodies are written in frame changes and after updates of the dependency graph, never from a draw. Before a frame
is evaluated they are put where keyframes will have them, so that mostly nothing is left to write afterwards; else
Blender evaluates the scene once more by itself, in a render too, so what is drawn is closed.
"""

import functools
import hashlib
import json
from collections.abc import Callable, Collection, Iterable, Iterator

import bpy
import numpy as np
from mathutils import Matrix

from ...solver import MechanismError
from ...solver.kinematics import Kinematics, Mobility, warm_up
from ..animation.animated import has_moving_transform, moves_by_itself
from ..animation.kept import baked_shown, is_baked
from ..bake.bake import Progress, compiled_for, saying
from ..bake.thread import beside
from ..bake.write_keyframes import build_actions, discard_actions
from ..findings import Finding, SceneError, of_solver, pass_on, refuse, refuse_all
from ..geometry import poses
from ..owner import Owner, refuse_bones
from ..parts.linkages import find_linkages
from ..preview.transforms import stand_at
from ..properties.joint import can_drive
from ..properties.scene import frame_range
from ..read.channels import own_turns, transform_channels
from ..read.reading import BodyBinding
from ..read.sampling import evaluate_at, frame_kept, is_sampling, show_frame, shown_frame
from ..read.scene import read_mechanism
from ..read.solved import Solved
from .chart import Chart
from .course import Course
from .cycles import cycles
from .stored import Stored, known_in, known_name, stored_in
from .writing import Writer, put_location, put_rotation


class LiveLinkages:
    """The bodies that follow in one scene, made from what the scene has stored.

    kinematics: those of that, at their start, if they are made already. drives: the joints that lead.
    """

    def __init__(self, scene: bpy.types.Scene, stored: Stored, kinematics: Kinematics | None = None) -> None:
        self._scene, self.bindings = scene, stored.bindings
        mechanism = stored.mechanism
        objects = known_in(scene)
        drives = [name for name in stored.drives if name in objects]
        self.drives = [objects[name] for name in drives]
        self.kinematics = kinematics or Kinematics(mechanism, drives)
        rows = {i: objects.get(body.name) for i, body in enumerate(mechanism.bodies) if body.motion != "dynamic"}
        leaders = {row: ob for row, ob in rows.items() if ob is not None}
        course = Course(self.drives, leaders, *self.kinematics.poses())
        self._chart = Chart(self.kinematics, course, stored.frame)
        self.names = [body.name for body in mechanism.bodies]
        number = {name: i for i, name in enumerate(self.names)}
        self._plain = [binding for binding in self.bindings if binding.owner.is_plain]
        self._others = [binding for binding in self.bindings if not binding.owner.is_plain]
        self._rows = [number[binding.body.name] for binding in self._plain]
        self._turns = own_turns(self._plain) if self._plain else np.empty((0, 4))
        self._writer = Writer([binding.object for binding in self._plain])
        self._ahead: np.ndarray | None = None  # positions that were written before the frame is evaluated
        self.notes: list[str | Finding] = []
        self.held = _held(binding.object for binding in self.bindings)

    def look(self) -> bool:
        """Look at what a person may have given to live bodies since; False if they are to be made anew."""
        self.held = _held(binding.object for binding in self.bindings)
        return (
            all(binding.owner.is_plain for binding in self._plain)
            and not any(binding.owner.is_plain for binding in self._others)
            and all(binding.rotation_mode == binding.object.rotation_mode for binding in self.bindings)
        )

    def pose(self, frame: float, depsgraph: bpy.types.Depsgraph) -> tuple[np.ndarray, np.ndarray]:
        """Positions (B, 3) and orientations (B, 4) at a frame; notes what could not follow."""
        led, position, orientation = self._chart.pose(frame, depsgraph)
        self.notes = led.notes
        return position, orientation

    def show(self, frame: float, depsgraph: bpy.types.Depsgraph) -> None:
        """Put the bodies where the drives have them; where one is nowhere, they stay."""
        try:
            position, orientation = self.pose(frame, depsgraph)
        except SceneError as error:
            self.notes, self._ahead = error.findings, None
            return
        if position is not self._ahead:
            self._put_plain(position, orientation)
        self._ahead = None
        if self._others:
            self._put_others(position, orientation, depsgraph)

    def show_ahead(self, frame: float) -> None:
        """Put the bodies where keyframes will have them at the frame that Blender is about to evaluate.

        If they are right, they are not evaluated a second time for what `show` would write.
        """
        foreseen = self._chart.foresee(frame)
        if foreseen is not None:
            _, self._ahead, orientation = foreseen
            self._put_plain(self._ahead, orientation)

    def _put_plain(self, position: np.ndarray, orientation: np.ndarray) -> None:
        self._writer.write(position[self._rows], poses.product(orientation[self._rows], self._turns))

    def _put_others(self, position: np.ndarray, orientation: np.ndarray, depsgraph: bpy.types.Depsgraph) -> None:
        solved = Solved(self.names, position[None], orientation[None])
        by_name = {binding.body.name: binding for binding in self.bindings}
        for binding in self._others:
            stand_at(binding, depsgraph)
            ancestor = binding.owner.dynamic_ancestor()
            name = None if ancestor is None else known_name(ancestor)
            binding.ancestor = name if name in by_name else None
        channels = transform_channels(self._others, own_turns(self._others), by_name, solved)
        for binding, (location, rotation) in zip(self._others, channels, strict=True):
            if not is_baked(binding.object):
                put_location(binding.owner, location[0])
                put_rotation(binding.owner, rotation[0])


_made: dict[int, tuple[str, LiveLinkages | None]] = {}
"""By `session_uid` of the scene, with the stamp of what it has stored, of which this is only a memory."""
_busy: set[int] = set()


def is_live(scene: bpy.types.Scene) -> bool:
    """True if the scene has live linkages."""
    return bool(scene.ves.live_stamp)


def live_in(scene: bpy.types.Scene) -> LiveLinkages | None:
    """The live linkages of a scene; None if it has none, or they cannot be led any more."""
    if not is_live(scene):
        return None
    stamp, made = _made.get(scene.session_uid, ("", None))
    if stamp != scene.ves.live_stamp:
        stored = stored_in(scene)
        try:
            made = None if stored is None else LiveLinkages(scene, stored)
        except (MechanismError, ValueError):
            made = None
        _made[scene.session_uid] = scene.ves.live_stamp, made
    return made


def follow(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
    """Put live bodies where their drives have them now."""

    def show(live: LiveLinkages) -> None:
        live.show(shown_frame(scene), depsgraph)
        _tell(scene, live)

    _with_live(scene, show)


def _with_live(scene: bpy.types.Scene, act: Callable[[LiveLinkages], None]) -> None:
    if not may_follow(scene):
        return
    _busy.add(scene.session_uid)
    try:
        live = live_in(scene)
        if live is not None:
            act(live)
    except ReferenceError:  # something was removed: made anew at the next look
        _made.pop(scene.session_uid, None)
    finally:
        _busy.discard(scene.session_uid)


def may_follow(scene: bpy.types.Scene) -> bool:
    """True if live bodies are to be written now."""
    settings = scene.ves
    is_at_rest = not (is_sampling() or settings.before_play or scene.session_uid in _busy)
    return bool(settings.live_stamp and settings.live_follows and is_at_rest and scene.is_editable)


def forget() -> None:
    """Make all anew when it is asked for again: the file, or an undo step, is another."""
    _made.clear()


def make_live(
    scene: bpy.types.Scene, view_layer: bpy.types.ViewLayer, chosen: Collection[bpy.types.Object]
) -> Iterator[Progress]:
    """Make the linkages of the chosen objects live, or all if none is chosen, besides those that are.

    They begin at the present frame; if some are live, at the frame where those did. Returns findings on their mobility.
    Raises SceneError for what can't follow. Closed before its end, it leaves what was live as it was.
    """
    chosen = set(chosen)
    yield from compiled_for(warm_up(), False)
    before, stored, shown, is_cancelled = _noted(scene), stored_in(scene), shown_frame(scene), False
    end_live(scene, view_layer, keep=True)
    if stored is not None and stored.frame != shown:
        show_frame(scene, stored.frame)
    try:
        return (yield from _made_live(scene, view_layer, chosen))
    except GeneratorExit:
        is_cancelled = True
        raise
    except BaseException:
        end_live(scene, view_layer)
        raise
    finally:
        if shown_frame(scene) != shown:
            show_frame(scene, shown)
        if is_cancelled:
            _put_back(scene, view_layer, before)


def _made_live(
    scene: bpy.types.Scene, view_layer: bpy.types.ViewLayer, chosen: set[bpy.types.Object]
) -> Iterator[Progress]:
    view_layer.update()
    linkages = [
        each
        for each in find_linkages(scene)
        if not chosen or each.parts & chosen or any(body.ves.is_live for body in each.bodies)
    ]
    if not linkages:
        refuse(None, "no linkage is selected: joints make bodies a linkage")
    bodies = {body for each in linkages for body in each.bodies}
    _refuse_held(bodies)
    parts = {part for each in linkages for part in each.parts}
    reading = read_mechanism(scene, view_layer.depsgraph, parts)
    refuse_all(reading.apart)
    leaders = [binding.object for binding in reading.bodies if binding.body.motion != "dynamic"]
    refuse_all(cycles(leaders, {body for body in bodies if body not in leaders})[:5])
    drives = [part.name_full for part in parts if part.ves.is_drive and can_drive(part.ves)]
    stored = Stored.of(reading, shown_frame(scene), sorted(drives))
    try:
        building = Progress(0.5, f"Finding how {len(bodies)} bodies can move", True)
        kinematics, mobility = yield from saying(beside(_built(stored)), building)
    except MechanismError as error:
        pass_on(error, scene, reading.first)
    carriers = {body.parent for body in bodies if body.parent is not None and body.parent.is_editable}
    for part in parts | bodies | carriers:
        part.ves.live_name = part.name_full
    for body in bodies:
        body.ves.before_live = _as_placed(body)
        body.ves.is_live = True
    settings = scene.ves
    settings.live_linkages = text = stored.text()
    settings.live_stamp = hashlib.sha256(text.encode()).hexdigest()[:16]
    settings.live_mobility, settings.live_moves = said_of(mobility), moves_text(mobility)
    _made[scene.session_uid] = settings.live_stamp, LiveLinkages(scene, stored_in(scene), kinematics)
    follow(scene, view_layer.depsgraph)
    view_layer.update()
    on_joints = [finding for finding in reading.warnings if finding.object in parts - bodies]
    notes = [of_solver(note, scene, reading.first) for each in mobility for note in each.notes]
    return on_joints + _elsewhere(scene, leaders, stored.frame) + notes


def _elsewhere(scene: bpy.types.Scene, leaders: Iterable[bpy.types.Object], frame: float) -> list[Finding]:
    """Findings on leaders that move, if the frame is not the first one of the bake, where parts are placed mostly."""
    first, _ = frame_range(scene)
    if frame == first:
        return []
    text = f"leads, and moves: parts are joined as they stand at frame {frame:g}"
    cure = f"If they were placed at frame {first}, End Live and make them live there"
    return [Finding(ob, f"{text}. {cure}") for ob in leaders if moves_by_itself(ob)][:3]


def _built(stored: Stored) -> Iterator[None]:
    """The kinematics, where they begin, and their mobility; work for a thread."""
    kinematics = Kinematics(stored.mechanism, stored.drives)
    yield
    mobility = kinematics.mobility()
    kinematics.restore()
    return kinematics, mobility


def _noted(scene: bpy.types.Scene) -> tuple[dict[str, str], dict[bpy.types.Object, tuple[str, str]]]:
    """All that says what is live."""
    names = ("live_linkages", "live_stamp", "live_mobility", "live_moves")
    live = {ob: (ob.ves.before_live, ob.ves.live_name) for ob in scene.objects if ob.ves.is_live or ob.ves.live_name}
    return {name: getattr(scene.ves, name) for name in names}, live


def _put_back(scene: bpy.types.Scene, view_layer: bpy.types.ViewLayer, before: tuple[dict, dict]) -> None:
    settings, live = before
    for name, value in settings.items():
        setattr(scene.ves, name, value)
    for ob, (transform, name) in live.items():
        ob.ves.before_live, ob.ves.live_name = transform, name
    forget()
    follow(scene, view_layer.depsgraph)
    view_layer.update()


def said_of(mobility: list[Mobility]) -> str:
    """One line on what linkages need and have."""
    bodies, freedoms = sum(len(each.bodies) for each in mobility), sum(each.freedoms for each in mobility)
    joints, undecided = sum(len(each.drives) for each in mobility), sum(each.undecided for each in mobility)
    what = f"{len(mobility)} {'linkage' if len(mobility) == 1 else 'linkages'} of {bodies} moving bodies"
    text = f"{what}: {freedoms} {'freedom' if freedoms == 1 else 'freedoms'}, driven by {joints} "
    text += "joint" if joints == 1 else "joints"
    return f"{text}, {undecided} more to drive" if undecided else text


def moves_text(mobility: list[Mobility]) -> str:
    """The bodies that each drive moves while the others stand."""
    return json.dumps({drive: bodies for each in mobility for drive, bodies in each.moved_by.items()})


def moved_by(scene: bpy.types.Scene, drive: bpy.types.Object) -> list[str]:
    """The names of the live bodies that a drive moved when they were made live; none of another joint."""
    try:
        return [str(name) for name in _moves(scene.ves.live_moves).get(known_name(drive), [])]
    except TypeError:  # a damaged file
        return []


@functools.lru_cache(maxsize=2)  # a panel is drawn often, and this names each moved body once for each drive
def _moves(text: str) -> dict[str, list[str]]:
    try:
        kept = json.loads(text or "{}")
    except ValueError:  # a damaged file
        return {}
    return kept if isinstance(kept, dict) else {}


def end_live(scene: bpy.types.Scene, view_layer: bpy.types.ViewLayer, keep: bool = False) -> int:
    """Bodies are no longer live, and are back where they were placed; returns how many. `keep`: they stay marked."""
    ended = [ob for ob in scene.objects if ob.ves.is_live]
    settings = scene.ves
    settings.live_linkages = settings.live_stamp = settings.live_status = settings.live_mobility = ""
    settings.live_moves = ""
    forget()
    for ob in ended:
        if ob.ves.before_live:
            _put_as_placed(ob, json.loads(ob.ves.before_live))
        ob.ves.before_live, ob.ves.is_live = "", keep
    for ob in scene.objects:
        if ob.ves.live_name:
            ob.ves.live_name = ""
    view_layer.update()
    return len(ended)


def _as_placed(ob: bpy.types.Object) -> str:
    world = [list(row) for row in ob.matrix_world]
    noted = {"rotation_mode": ob.rotation_mode, "parent": _parent_name(ob), "world": world}
    return json.dumps(Owner(ob).transform | noted)


def _put_as_placed(ob: bpy.types.Object, noted: dict) -> None:
    """In the rotation mode and under the parent that it has now; Blender turns values over when the mode is set."""
    mode, parent, world = ob.rotation_mode, noted.pop("parent", None), noted.pop("world", None)
    ob.rotation_mode = noted.pop("rotation_mode", mode)
    Owner(ob).put(noted)
    ob.rotation_mode = mode
    if world is not None and parent != _parent_name(ob):
        ob.matrix_world = Matrix(world)


def _parent_name(ob: bpy.types.Object) -> str:
    return "" if ob.parent is None else known_name(ob.parent)


def live_to_keys(
    scene: bpy.types.Scene, view_layer: bpy.types.ViewLayer, frames: tuple[int, int]
) -> Iterator[Progress]:
    """Key the live bodies at all frames, as a bake does, and end Live; returns how many. Raises SceneError."""
    live = live_in(scene)
    if live is None:
        refuse(None, "no linkage is live: use Make Live first")
    first, last = frames
    positions, orientations, spaces = [], [], {binding.body.name: [] for binding in live.bindings}
    with frame_kept(scene):
        for frame in range(first, last + 1):
            depsgraph = evaluate_at(scene, view_layer, frame)
            position, orientation = live.pose(frame, depsgraph)
            positions.append(position)
            orientations.append(orientation)
            for binding in live.bindings:
                if binding.owner.carrier is not None:
                    stand_at(binding, depsgraph)
                    spaces[binding.body.name].append((binding.parent_space, binding.ancestor_space))
            yield Progress(0.5 * (frame - first) / (last - first + 1), f"Looking at frame {frame}")
    bindings = _over_time(live.bindings, spaces)
    solved = Solved(live.names, np.array(positions), np.array(orientations))
    made: list[tuple[bpy.types.Object, bpy.types.Action]] = []
    try:
        for fraction in build_actions(bindings, solved, first, made):
            yield Progress(0.5 + 0.5 * fraction, "Writing keyframes")
        end_live(scene, view_layer)
        with baked_shown(made) as assigning:
            for _ in assigning:
                pass
    except BaseException:
        discard_actions(made)
        raise
    view_layer.update()
    return len(made)


def _over_time(bindings: list[BodyBinding], spaces: dict[str, list]) -> list[BodyBinding]:
    for binding in bindings:
        found = spaces[binding.body.name]
        if found:
            parents, ancestors = zip(*found, strict=True)
            binding.parent_space = np.concatenate(parents)
            binding.ancestor_space = None if ancestors[0] is None else np.concatenate(ancestors)
    return bindings


def _refuse_held(bodies: Collection[bpy.types.Object]) -> None:
    """Raises SceneError for what would win over a live body's place."""
    refuse_bones(sorted(bodies, key=lambda ob: ob.name_full), "Live")
    refuse_all(_held(sorted(bodies, key=lambda ob: ob.name_full))[:5])


def _held(bodies: Iterable[bpy.types.Object]) -> list[Finding]:
    """Findings on what wins over a live body's place."""
    findings = []
    for ob in bodies:
        held = [constraint.name for constraint in ob.constraints if not constraint.mute and constraint.influence]
        if is_baked(ob):
            findings.append(Finding(ob, "its baked keyframes would win over Live: Clear Bake first"))
        elif has_moving_transform(ob):
            findings.append(Finding(ob, "has keyframes or drivers, which would win over Live: make it Keyed, or clear"))
        elif held:
            findings.append(Finding(ob, f"has constraints ({', '.join(held)}), which would win over Live: mute them"))
    return findings


def _tell(scene: bpy.types.Scene, live: LiveLinkages) -> None:
    """Say what stops, if that is something else than before."""
    notes = [note if isinstance(note, Finding) else of_solver(note, scene) for note in live.notes[:3]]
    notes = [*live.held[:3], *notes]
    text = "; ".join(map(str, notes))
    if scene.ves.live_status != text:
        scene.ves.live_status = text


@bpy.app.handlers.persistent
def _about_to_move(scene: bpy.types.Scene, *_: object) -> None:
    _with_live(scene, lambda live: live.show_ahead(shown_frame(scene)))


@bpy.app.handlers.persistent
def _perhaps_moved(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
    follow(scene, depsgraph)


@bpy.app.handlers.persistent
def _perhaps_changed(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
    def look(live: LiveLinkages) -> None:
        if not live.look():
            _made.pop(scene.session_uid, None)

    _with_live(scene, look)
    follow(scene, depsgraph)


@bpy.app.handlers.persistent
def forget_all(*_: object) -> None:
    """Another file, or another step: objects are others."""
    forget()


HANDLERS = {
    "frame_change_pre": _about_to_move,
    "frame_change_post": _perhaps_moved,
    "depsgraph_update_post": _perhaps_changed,
    "load_pre": forget_all,
    "undo_post": forget_all,
    "redo_post": forget_all,
}
