# SPDX-License-Identifier: GPL-3.0-or-later
"""Records of a bake besides keyframes (velocities, forces, energies), kept in the .blend for the panel Inspect.

The values of a dynamic body live in its baked action, so they go where that take goes. Those of everything else live in
its own `Object.ves`, of the scene in `Scene.ves`, and they count as long as some body shows the take that they belong
to. Each is a group of ID properties under `KEY`: the take, its frames, and `values`, mostly flat arrays of doubles, in
SI units along the world axes. So renaming, undo, saving and copying keep them, and nothing else has to.
"""

import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace

import bpy
import numpy as np

from ...solver import Recording
from ...solver.assembly.building import with_all_parts
from ...solver.mechanism import Balance, Mechanism
from ...solver.mechanism.joint_types import ALL_TYPES
from ...solver.model.topology import constraint_bodies, force_bodies
from ...solver.simulation.inspection import Inspection, inspect_middles
from ..animation.kept import is_baked
from ..properties.joint import COORDINATE_KINDS
from ..read.placed import coordinates_in_panels, placed_at
from ..read.reading import Reading
from .integration import first_told, told_by_bodies

KEY = "ves_recorded"
IMPACTS = {"time": 1, "bodies": 2, "point": 3, "impulse": 3, "speed": 1}
"""What is known of each impact, and how many numbers that is."""
TOGETHER = (
    {"velocity": 3, "spin": 3},
    {"contact_force": 3, "blow": 1},
    {"inside": 4},
    {"kinetic": 1, "potential": 1},
    {"force": 3, "moment": 3},
    {"asked_force": 3, "asked_moment": 3},
    {"unmet_force": 3, "unmet_moment": 3},
    {"tension": 1, "length": 1, "rate": 1},
)
"""Values that are there together or not at all, and how many numbers each is at a frame."""
OF_COORDINATES = ({"coordinates", "speeds", "effort", "transmitted"}, {"needed", "power"}, {"unmet"})
"""The same of a joint, with a number for each of its coordinates."""

Owner = bpy.types.Object | bpy.types.Scene
Values = dict[str, np.ndarray | int | str | dict]


@dataclass(frozen=True)
class Record:
    """The values of one thing at the frames from `start` up to `stop`, counted from the take's `first` frame.

    take: which one; "" in a run.
    """

    first: int
    rate: float  # frames per second
    values: Mapping
    frames: int
    start: int
    stop: int
    take: str = ""

    def __contains__(self, name: str) -> bool:
        return name in self.values

    def __getitem__(self, name: str) -> np.ndarray:
        """(F, C) of the quantity of this name."""
        flat = np.asarray(self.values[name], dtype=np.float64)
        whole = flat.reshape(self.frames, len(flat) // self.frames)
        return whole[self.start : self.stop].copy()

    def constant(self, name: str) -> int | str:
        """Values that are the same at all frames."""
        return self.values[name]

    def between(self, start: int, stop: int) -> "Record":
        """The same at fewer frames, as far as there are any."""
        return replace(self, start=max(0, start), stop=min(self.frames, stop))


_running: dict[int, Callable[[Owner], Record | None]] = {}
"""Of scenes (`session_uid`) that run live: what gives the records of the run."""


@contextmanager
def running(scene: bpy.types.Scene, record: Callable[[Owner], Record | None]) -> Iterator[None]:
    """While this lasts, records are those of a run, and none are those of a bake."""
    uid = scene.session_uid
    _running[uid] = record
    try:
        yield
    finally:
        _running.pop(uid, None)


def is_running(scene: bpy.types.Scene) -> bool:
    """True if the records of a scene are those of a run."""
    return scene.session_uid in _running


def record_of(owner: Owner, scene: bpy.types.Scene) -> Record | None:
    """The record of an object or of the scene itself in the run, or the take, that is shown; None if there is none."""
    if is_running(scene):
        return _running[scene.session_uid](owner)
    home = _home(owner)
    if KEY not in home:
        return None
    group = home[KEY]
    if not isinstance(home, bpy.types.Action) and group["take"] not in _takes_shown(scene):
        return None
    frames = group["frames"]
    return Record(group["first"], group["frame_rate"], group["values"], frames, 0, frames, group["take"])


def is_record(group: object) -> bool:
    """True for a group of values that `keep` has stored, as it comes from a file."""
    if not hasattr(group, "to_dict") or not {"take", "first", "frames", "frame_rate", "values"} <= set(group.keys()):
        return False
    kinds = {"take": str, "first": int, "frames": int, "frame_rate": int | float}
    if not all(isinstance(group[name], kind) for name, kind in kinds.items()):
        return False
    frames, values = group["frames"], group["values"]
    if frames < 1 or not group["frame_rate"] > 0 or not hasattr(values, "keys"):
        return False
    names = set(values.keys())
    return all(_is_value(name, values[name], frames) for name in names) and _are_whole(values, names, frames)


def _are_whole(values: Mapping, names: set[str], frames: int) -> bool:
    """True if what belongs together is there, and has as many numbers at each frame as it must."""
    widths = [dict(each) for each in TOGETHER]
    if "joint_type" in names:
        kinds = COORDINATE_KINDS.get(values["joint_type"])
        if kinds is None:
            return False
        widths += [dict.fromkeys(each, len(kinds)) for each in OF_COORDINATES]
    elif any(each & names for each in OF_COORDINATES):
        return False
    return all(
        each.keys() <= names and all(len(values[name]) == width * frames for name, width in each.items())
        for each in widths
        if each.keys() & names
    )


def _is_value(name: str, value: object, frames: int) -> bool:
    if name == "impact_objects":
        return hasattr(value, "keys")
    if name in ("joint_type", "integration"):
        return isinstance(value, str)
    if name == "linkage":
        return isinstance(value, int)
    if not hasattr(value, "typecode"):
        return False
    impact = name.removeprefix("impact_")
    return len(value) % IMPACTS.get(impact, frames) == 0


def gather(
    reading: Reading, recording: Recording, found: Inspection, made: list[tuple[bpy.types.Object, bpy.types.Action]]
) -> Iterator[None]:
    """Collect the values of a new take, a little at each step; returns what `keep` puts in its place.

    Those of bodies are written at once: into their actions (`made`), which are not assigned yet.
    """
    actions, others, take = dict(made), {}, uuid.uuid4().hex
    for owner, values in values_of(reading, recording, found):
        group = {
            "take": take,
            "first": reading.first,
            "frames": next(len(value) for value in values.values() if isinstance(value, np.ndarray)),
            "frame_rate": reading.frame_rate,
            "values": {
                name: np.ravel(value) if isinstance(value, np.ndarray) else value for name, value in values.items()
            },
        }
        if owner in actions:
            actions[owner][KEY] = group
        else:
            others[owner] = group
        yield
    for action in (action for action in actions.values() if KEY not in action):  # of an armature: no body itself
        frames = len(recording.times)
        action[KEY] = {
            "take": take, "first": reading.first, "frames": frames, "frame_rate": reading.frame_rate, "values": {},
        }  # fmt: skip
    return others


def keep(others: dict[Owner, Values], scene: bpy.types.Scene) -> None:
    """Put the values of a new take, whose actions are assigned, in the place of those of the one before."""
    left = set(owners(scene))
    for owner in left:
        owner.ves.pop(KEY, None)
    for owner, group in others.items():
        if owner not in left:
            continue  # it was removed meanwhile
        hit = group["values"].get("impact_objects", {})
        for number in [number for number, each in hit.items() if each not in left]:
            del hit[number]
        _home(owner)[KEY] = group


def joined(earlier: Mapping, later: dict) -> dict:
    """The group of values of a take that goes on from an earlier one: before its first frame, those of the latter.

    Values that only one of the two has are left out, for there would be none at some frames.
    """
    before, rate = later["first"] - earlier["first"], later["frame_rate"]
    if not 0 < before <= earlier["frames"]:
        return later
    old, new = earlier["values"], later["values"]
    values: Values = {}
    for name, value in new.items():
        flat = np.asarray(value) if name in old and hasattr(value, "__len__") else None
        if not hasattr(value, "__len__") or isinstance(value, str):
            values[name] = value
        elif not name.startswith("impact_") and flat is not None:
            width = len(flat) // later["frames"]
            if len(np.asarray(old[name])) == width * earlier["frames"]:
                values[name] = np.concatenate([np.asarray(old[name])[: width * before], flat])
    values |= _joined_impacts(old, new, before / rate)
    return later | {"first": earlier["first"], "frames": before + later["frames"], "values": values}


def _joined_impacts(old: Mapping, new: Mapping, seconds: float) -> dict:
    """The impacts of both, in which the later take begins after so many seconds."""
    some = [values for values in (old, new) if "impact_time" in values]
    if not some:
        return {}
    parts: dict[str, list[np.ndarray]] = {name: [] for name in IMPACTS}
    objects, offset = {}, 0
    for values in some:
        times = np.asarray(values["impact_time"])
        shown = times < seconds if values is old else np.ones(len(times), bool)
        numbers = np.asarray(values["impact_bodies"]).reshape(-1, 2)[shown]
        parts["bodies"].append(np.where(numbers < 0, numbers, numbers + offset))
        parts["time"].append(times[shown] + (0.0 if values is old else seconds))
        for name in ("point", "impulse", "speed"):
            parts[name].append(np.asarray(values[f"impact_{name}"]).reshape(len(times), -1)[shown])
        objects |= {str(int(i) + offset): owner for i, owner in values["impact_objects"].items()}
        offset += 1 + int(numbers.max(initial=-1))
    found: dict = {f"impact_{name}": np.concatenate(arrays).ravel() for name, arrays in parts.items()}
    found["impact_bodies"] = found["impact_bodies"].astype(np.int32)
    return found | {"impact_objects": objects}


def values_of(reading: Reading, recording: Recording, found: Inspection) -> Iterator[tuple[Owner, Values]]:
    """The values of all things that took part."""
    scene = reading.scene
    parts = {part.name_full: part for part in scene.objects if part.ves.role != "NONE"}
    told = told_by_bodies(recording, reading.first, reading.frame_rate)
    middles = inspect_middles(reading.mechanism, recording, found)
    for name, of_part in _values_of_parts(with_all_parts(reading.mechanism), recording, found, told):
        if name in middles:
            of_part["inside"] = np.stack(middles[name], axis=1)
        if name in parts:  # the springs of hands that have dragged a body are nobody's
            if "joint_type" in of_part:
                kind, placed = ALL_TYPES[of_part["joint_type"].lower()], placed_at(parts[name])
                of_part["coordinates"] = coordinates_in_panels(kind, placed, of_part["coordinates"])
            yield parts[name], of_part
    of_scene = {
        "kinetic": recording.kinetic_energy,
        "potential": recording.potential_energy,
        "linkage_kinetic": found.linkage_kinetic_energy,
        "linkage_potential": found.linkage_potential_energy,
    }
    yield scene, of_scene | _impact_values(reading, recording)


def forget(scene: bpy.types.Scene) -> None:
    """Throw away what belongs to no take that is shown."""
    shown = set(_takes_shown(scene))
    for owner in owners(scene):
        if KEY in owner.ves and _is_stale(owner, shown):
            del owner.ves[KEY]


def without_record(scene: bpy.types.Scene) -> list[Owner]:
    """All that have no values in the take that is shown."""
    shown = set(_takes_shown(scene))
    return [owner for owner in owners(scene) if KEY not in _home(owner) or _is_stale(owner, shown)]


def _is_stale(owner: Owner, shown: set[str]) -> bool:
    """True if its values are not in its action, and belong to no take that is shown."""
    home = _home(owner)
    return not isinstance(home, bpy.types.Action) and home[KEY]["take"] not in shown


def owners(scene: bpy.types.Scene) -> list[Owner]:
    """All that may have values."""
    return [scene, *scene.objects]


def _home(owner: Owner) -> bpy.types.bpy_struct:
    """The holder of the values of an object or scene."""
    if isinstance(owner, bpy.types.Object) and is_baked(owner):
        return owner.animation_data.action
    return owner.ves


def _takes_shown(scene: bpy.types.Scene) -> Iterator[str]:
    baked = (ob.animation_data.action for ob in scene.objects if is_baked(ob))
    return (action[KEY]["take"] for action in baked if KEY in action)


def _values_of_parts(
    mechanism: Mechanism, recording: Recording, found: Inspection, told: dict[int, str]
) -> Iterator[tuple[str, Values]]:
    """(name, values) of each part of a mechanism that has any. A joint's arrays have a column per coordinate.

    told: how bodies were integrated, by their places.
    """
    number = {body.name: i for i, body in enumerate(mechanism.bodies)}

    def linkage(names: Iterable[str | None]) -> Values:
        places = [number[name] for name in names if name is not None]
        of_linkage: Values = {"linkage": max((int(found.linkage[i]) for i in places), default=-1)}
        integration = first_told(told, places)
        return of_linkage | ({"integration": integration} if integration else {})

    for i, body in enumerate(mechanism.bodies):
        of_body: Values = {}
        if body.motion != "fixed":
            of_body |= {"velocity": recording.linear_velocity[:, i], "spin": recording.angular_velocity[:, i]}
        if recording.touches and body.shapes:
            of_body |= {"contact_force": recording.contact_force[:, i, :3], "blow": recording.contact_blow[:, i]}
        if body.motion == "dynamic":
            of_body |= {"kinetic": found.kinetic_energy[:, i], "potential": found.potential_energy[:, i]}
            of_body |= linkage([body.name])
        if of_body:
            yield body.name, of_body
    for j, joint in enumerate(mechanism.joints):
        columns = slice(recording.joint_offsets[j], recording.joint_offsets[j + 1])
        yield (
            joint.name,
            {
                "joint_type": joint.joint_type.name.upper(),
                "coordinates": recording.joint_coordinates[:, columns],
                "speeds": recording.joint_speeds[:, columns],
                "effort": found.joint_effort[:, columns],
                "transmitted": found.joint_transmitted[:, columns],
                "force": recording.joint_force[:, j, :3],
                "moment": recording.joint_force[:, j, 3:],
                **linkage([joint.parent, joint.child]),
            },
        )
    for c, constraint in enumerate(mechanism.constraints):
        yield (
            constraint.name,
            {
                "force": recording.constraint_force[:, c, :3],
                "moment": recording.constraint_force[:, c, 3:],
                **linkage(constraint_bodies(mechanism, constraint)),
            },
        )
    for k, force in enumerate(mechanism.forces):
        bodies = linkage(force_bodies(force))
        if bodies["linkage"] < 0:
            continue  # it moves nothing
        if hasattr(force, "body_b"):
            line = {"tension": found.tension[:, k], "length": found.length[:, k], "rate": found.rate[:, k]}
            yield force.name, line | bodies
        else:
            wrench = {"force": found.force[:, k, :3], "moment": found.force[:, k, 3:]}
            if isinstance(force, Balance):
                wrench |= {"asked_force": found.asked[:, k, :3], "asked_moment": found.asked[:, k, 3:]}
            yield force.name, wrench | bodies


def _impact_values(reading: Reading, recording: Recording) -> dict:
    """The scene's values of who hit whom; nothing if nothing was hit."""
    if not len(recording.impact_time):
        return {}
    objects = {part.name_full: part for part in reading.scene.objects}
    values: dict = {f"impact_{name}": getattr(recording, f"impact_{name}") for name in IMPACTS}
    values["impact_bodies"] = recording.impact_bodies.astype(np.int32)  # the only whole numbers that Blender keeps
    hit = np.unique(recording.impact_bodies)
    known = {int(i): str(recording.body_names[i]) for i in hit if i >= 0}
    values["impact_objects"] = {str(i): objects[name] for i, name in known.items() if name in objects}
    return values
