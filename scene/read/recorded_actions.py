# SPDX-License-Identifier: GPL-3.0-or-later
"""Recorded actions of Play, as a list in `Scene.ves` that a person can edit, and as actions of the mechanism.

A drag is one entry: the spring to the hand, and the hand's way frame by frame, counted from its beginning; so it can be
moved as a whole. Numbers are kept as text, in full: the replay is the same run.
"""

import itertools
import json
from collections.abc import Iterable, Mapping
from typing import Any

import bpy
import numpy as np

from ...solver.assembly.building import with_all_parts
from ...solver.mechanism import Action, Addition, Mechanism, Spring
from ..geometry import poses
from ..properties.action_words import in_words, parsed
from .placed import in_mechanism, in_panels, placed_at
from .reading import Reading

COMPACT = (",", ":")
HAND = "grab "
KEPT = {"point_a", "point_b", "stiffness", "damping"}
"""Of the spring of a hand; the rest goes without saying."""


def record(reading: Reading, played: Mechanism, frames: int) -> int:
    """Replace the scene's list by what was done to the mechanism that was read; returns how many entries it has.

    `played` has the springs of the hand, which the reading has not, and all actions of a run of so many frames.
    """
    known = {force.name for force in reading.mechanism.forces}
    springs = {force.name: force for force in played.forces if force.name not in known}
    entries = reading.scene.ves.recorded_actions
    before = built_names(reading.scene)
    entries.clear()
    dragged: set[str] = set()
    owners = {owner.name_full: owner for owner in reading.poses}
    joints = {joint.name: joint for joint in reading.mechanism.joints}
    late = [spring for action in played.actions if action.add is not None for spring in _hands_in(action)]
    springs |= {spring.name: spring for spring in late}
    owned = {owner.name_full for owner in reading.poses}
    keyed = {
        id(action)
        for action in reading.mechanism.actions
        if "enabled" not in (action.set or {}) or action.target not in owned
    }
    for action in played.actions:
        if id(action) in keyed:
            continue  # keys go on to tell that
        name = _hands_in(action)[0].name if _hands_in(action) else action.target
        if name not in springs and (action.add is not None or action.remove is not None):
            entry = _add(reading.scene, frame_at(reading, action.time), owners.get(action.names[0]))
            entry.build = json.dumps({key: value for key, value in action.to_dict().items() if key != "time"})
        elif name not in springs:
            owner = owners.get(action.target)
            entry = _add(reading.scene, frame_at(reading, action.time), owner)
            done, placed = action.to_dict()["set"], placed_at(owner)
            entry.settings = json.dumps(in_panels(joints[action.target], placed, done) if placed else done)
        elif name not in dragged:
            dragged.add(name)
            spring = springs[name]
            entry = _add(reading.scene, frame_at(reading, action.time), reading.object_of(spring.body_a))
            done = [action, *(other for other in played.actions if other.target == name and other is not action)]
            entry.drag = _drag(reading, spring, done, reading.first + frames)
    switch_off_built(reading.scene, before - built_names(reading.scene))
    reading.scene.ves.active_recorded_action = max(0, len(entries) - 1)
    return len(entries)


def _hands_in(action: Action) -> list[Spring]:
    """The spring of a hand that an action puts in: those come so once other parts have."""
    forces = action.add.forces if action.add is not None else []
    return [force for force in forces if isinstance(force, Spring) and force.name.startswith(HAND)]


def built_names(scene: bpy.types.Scene, in_use: bool = False) -> set[str]:
    """The names of the parts that recorded actions put in: they are not there from the start.

    in_use: of those alone that Bake does.
    """
    found = set()
    for entry in scene.ves.recorded_actions:
        if in_use and not (entry.enabled and scene.ves.use_recorded_actions):
            continue
        added = (parsed(entry.build) or {}).get("add", {}) if entry.build else {}
        found |= {part["name"] for parts in added.values() for part in parts}
    return found


def switch_off_built(scene: bpy.types.Scene, names: Iterable[str]) -> None:
    """Switches off parts that no action puts in any more: where they are drawn fits the moment at which they were."""
    for owner in map(scene.objects.get, names):
        if owner is not None and owner.ves.role != "BODY":
            owner.ves.enabled = False


def add_actions(scene: bpy.types.Scene, actions: Iterable[Action], objects: dict[str, bpy.types.Object]) -> list[str]:
    """Put the actions of a file at the end of the list; returns what was left out, in words."""
    left_out = []
    for action in actions:
        if action.set is None:
            left_out.append(f"what is built at {action.time:g} s")
            continue
        if action.target is None:
            _add(
                scene, scene.frame_start + action.time * scene.render.fps / scene.render.fps_base, None
            ).settings = json.dumps(action.to_dict()["set"])
            continue
        if action.target not in objects:
            left_out.append(f"action on '{action.target}' at {action.time:g} s")
            continue
        frame = scene.frame_start + action.time * scene.render.fps / scene.render.fps_base
        _add(scene, frame, objects[action.target]).settings = json.dumps(action.to_dict()["set"])
    return left_out


def read_actions(reading: Reading) -> None:
    """Add the scene's recorded actions to the mechanism that was read, or say what is wrong with them."""
    settings = reading.scene.ves
    if not settings.use_recorded_actions:
        return
    for number, entry in enumerate(settings.recorded_actions, start=1):
        if entry.enabled:
            _read(reading, entry, f"recorded action {number}")
    reading.mechanism.actions.sort(key=lambda action: action.time)


def begin_actions_at(scene: bpy.types.Scene, frame: int, at: int, motions: Mapping[str, np.ndarray]) -> None:
    """Let the list begin at a frame: what was done before is done at the start, and drags that are over are dropped.

    `at`: the scene's frame at which all of that will happen; what comes later is as much later. `motions` (4, 4): those
    of the bodies, by name, that take them there from where they were at the start so far.
    """
    entries = scene.ves.recorded_actions
    for i in reversed(range(len(entries))):
        entry = entries[i]
        if entry.drag and entry.frame < frame:
            rest = _drag_from(json.loads(entry.drag), frame - entry.frame)
            if rest is None:
                entries.remove(i)
                continue
            entry.drag = json.dumps(rest, separators=COMPACT)
        if entry.drag and entry.target is not None:
            drag = json.loads(entry.drag)
            motion = motions.get(entry.target.name_full, np.eye(4))
            drag["spring"]["point_a"] = (motion[:3, :3] @ drag["spring"]["point_a"] + motion[:3, 3]).tolist()
            entry.drag = json.dumps(drag, separators=COMPACT)
        elif entry.target is not None and entry.target.ves.body_a is not None:
            entry.settings = _carried(entry.settings, motions.get(entry.target.ves.body_a.name_full, np.eye(4)))
        entry.frame = max(entry.frame, frame) + at - frame
    scene.ves.active_recorded_action = max(0, min(scene.ves.active_recorded_action, len(entries) - 1))


def _carried(settings: str, motion: np.ndarray) -> str:
    """Settings whose place and orientation are those of a frame in the world at the start; its body has moved."""
    given = parsed(settings)
    if given is None or not {"point", "point_a", "orientation"} & set(given):
        return settings
    for name in ("point", "point_a"):
        if name in given and np.ndim(given[name]) == 1:
            given[name] = (motion[:3, :3] @ given[name] + motion[:3, 3]).tolist()
    if "orientation" in given:
        turned = poses.product(poses.quaternions(motion[:3, :3]), np.array(given["orientation"], dtype=np.float64))
        given["orientation"] = turned.tolist()
    return json.dumps(given)


def _drag_from(drag: dict[str, Any], begun: float) -> dict[str, Any] | None:
    """The rest of a drag after so many frames; None if it is over."""
    if drag["frames"] <= begun:
        return None
    way = [(0.0, *drag["spring"]["point_b"])]
    way += [(entry[0] + 1.0, *entry[1:]) for entry in drag["way"]]  # where the hand is by then
    times = [entry[0] for entry in way]
    hand = [float(np.interp(begun, times, [entry[k] for entry in way])) for k in (1, 2, 3)]
    later = [[entry[0] - begun, *entry[1:]] for entry in drag["way"] if entry[0] >= begun]
    return {"spring": drag["spring"] | {"point_b": hand}, "way": later, "frames": drag["frames"] - begun}


def switched(scene: bpy.types.Scene) -> set[bpy.types.Object]:
    """The parts that are read although they are off at the start: something may turn them on."""
    entries = [*scene.ves.action_buttons]
    if scene.ves.use_recorded_actions:
        entries += [entry for entry in scene.ves.recorded_actions if entry.enabled and not entry.drag]
    return {entry.target for entry in entries if entry.target is not None}


def described(entry: bpy.types.PropertyGroup) -> str:
    """An entry in a few words: `Brake: on`."""
    if entry.target is None and (parsed(entry.settings) or {}).keys() == {"gravity"}:
        return "Gravity " + ", ".join(f"{number:.4g}" for number in parsed(entry.settings)["gravity"]) + " m/s²"
    name = entry.target.name if entry.target is not None else "(deleted)"
    try:
        if entry.build:
            return f"{name}: {'put in' if 'add' in parsed(entry.build) else 'taken out'}"
        if entry.drag:
            return f"{name}: dragged for {drag_length(entry):g} frames"
        return f"{name}: {in_words(json.loads(entry.settings), entry.target)}"
    except (ValueError, AttributeError, TypeError, KeyError):
        return f"{name}: {entry.settings}"


def drag_length(entry: bpy.types.PropertyGroup) -> float:
    """The length of a drag, in frames."""
    return json.loads(entry.drag)["frames"]


def frame_at(reading: Reading, time: float) -> float:
    """The scene's frame at a time of the mechanism (s)."""
    frame = reading.first + time * reading.frame_rate
    return float(round(frame)) if abs(frame - round(frame)) < 1e-6 else frame


def _add(scene: bpy.types.Scene, frame: float, target: bpy.types.Object | None) -> bpy.types.PropertyGroup:
    entry = scene.ves.recorded_actions.add()
    entry.frame, entry.target = frame, target
    return entry


def _drag(reading: Reading, spring: Spring, actions: list[Action], last: float) -> str:
    """The spring, where the hand goes within the frame after each (frame, x, y, z), and when it lets go."""
    start = frame_at(reading, actions[0].time)
    way, end = [], last - start
    for action in actions:
        frame = frame_at(reading, action.time) - start
        if action.set is None:
            continue
        if "point_b" in action.set:
            way.append([frame, *(table.values[-1] for table in action.values_for(spring)["point_b"])])
        elif not action.set["enabled"]:
            end = frame
    settings = {key: value for key, value in spring.to_dict().items() if key in KEPT}
    drag = {"spring": settings, "way": way, "frames": end}
    if actions[0].add is not None:
        drag["is_late"] = True
    return json.dumps(drag, separators=COMPACT)


def _read(reading: Reading, entry: bpy.types.PropertyGroup, name: str) -> None:
    time = (entry.frame - reading.first) / reading.frame_rate
    settings = parsed(entry.settings)
    if entry.build:
        _read_building(reading, entry, name, time)
    elif entry.target is None and not entry.drag and settings is not None and settings.keys() == {"gravity"}:
        if time >= 0.0:
            reading.mechanism.actions.append(Action(time, None, settings))
    elif entry.target is None:
        reading.error(None, f"the target of {name} was deleted: remove it from the list, or turn off its check mark")
    elif time < 0.0:
        reading.warn(entry.target, f"{name} is left out: it is before the first frame ({reading.first})")
    elif entry.drag:
        _read_drag(reading, entry)
    else:
        if settings is None:
            wrong = f"{name} has settings that can't be read: {entry.settings}"
            reading.error(entry.target, f'{wrong}. Write them as {{"enabled": false}}')
        elif entry.target not in reading.poses:
            reading.error(entry.target, f"{name} can't reach it: it takes no part. Remove the action, or enable it")
        else:
            name, placed = entry.target.name_full, placed_at(entry.target)
            if placed:
                joint = next(joint for joint in reading.mechanism.joints if joint.name == name)
                settings = in_mechanism(joint, placed, settings)
            reading.mechanism.actions.append(Action(time, name, settings))


def _read_building(reading: Reading, entry: bpy.types.PropertyGroup, name: str, time: float) -> None:
    """Parts that are put in or taken out, but for those whose objects are gone."""
    built = parsed(entry.build)
    if built is None or len(built) != 1 or time < 0.0:
        reading.error(entry.target, f"{name} can't be read: remove it from the list")
        return
    if "remove" in built:
        there = {owner.name_full for owner in reading.poses} | built_names(reading.scene)
        left = [each for each in built["remove"] if each in there]
        if left:
            reading.mechanism.actions.append(Action(time, remove=left))
        return
    try:
        reading.mechanism.actions.append(Action.from_dict({"time": time, **built}))
    except (TypeError, ValueError, AttributeError):
        reading.error(entry.target, f"{name} can't be read: remove it from the list")


def _read_drag(reading: Reading, entry: bpy.types.PropertyGroup) -> None:
    """The spring, tied to where the hand takes hold until it lets go; the hand goes evenly from frame to frame."""
    body = reading.end(entry.target, entry.target)
    if body is None:
        return
    drag, name = json.loads(entry.drag), _free_name(reading.mechanism)
    is_late = drag.get("is_late", False)
    spring = Spring(name=name, body_a=body, rest_length=0.0, enabled=is_late, **drag["spring"])
    if not is_late:
        reading.mechanism.forces.append(spring)

    def act(frame: float, **settings: Any) -> None:
        reading.mechanism.actions.append(Action(seconds(frame), name, settings))

    def seconds(frame: float) -> float:
        return (entry.frame - reading.first + frame) / reading.frame_rate

    if is_late:
        reading.mechanism.actions.append(Action(seconds(0.0), add=Addition(forces=[spring])))
    else:
        act(0.0, enabled=True)
    before = spring.point_b
    for frame, *place in drag["way"]:
        times = seconds(frame), seconds(frame + 1.0)
        act(frame, point_b=[{"times": times, "values": ends} for ends in zip(before, place, strict=True)])
        before = place
    act(drag["frames"], enabled=False)


def _free_name(mechanism: Mechanism) -> str:
    """As the solver calls the springs of hands."""
    whole = with_all_parts(mechanism)
    taken = {part.name for part in (*whole.joints, *whole.constraints, *whole.forces)}
    return next(name for name in (f"{HAND}{k}" for k in itertools.count(1)) if name not in taken)
