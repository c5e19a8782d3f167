# SPDX-License-Identifier: GPL-3.0-or-later
"""Mending of a file: what it holds of ours and cannot be read is dropped when it is opened, and said by name.

Files get damaged, and newer versions know more than older ones. So whoever reads a setting, a note or a record in the
midst of a drawing or a bake need not ask whether it makes sense. Only what is stored is looked at.
"""

import itertools
import json
import math
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import bpy

from ...solver.assembly.building import KINDS
from ..animation.kept import REST, has_damaged_rest, is_baked, rest_of_bake
from ..bake import ghost, state
from ..findings import HOLD, TURN_CONTACT_ON, Finding
from ..owner import TRANSFORMS
from ..preview.stage import NOTED
from ..quantities import needed, recorded
from ..read.fingerprint import is_fingerprint
from ..read.recorded_actions import KEPT

CURES = {"", HOLD, TURN_CONTACT_ON}
LENGTHS = {name: len(bpy.types.Object.bl_rna.properties[name].default_array) for name in TRANSFORMS}

Owner = bpy.types.Object | bpy.types.Scene


def mend_all() -> list[Finding]:
    """Drop what cannot be read in all scenes and objects; returns a finding about each."""
    found: list[Finding] = []
    for scene in bpy.data.scenes:
        found += _mend_scene(scene)
    for ob in bpy.data.objects:
        found += _mend_object(ob)
    for action in bpy.data.actions:
        if recorded.KEY in action and not recorded.is_record(action[recorded.KEY]):
            del action[recorded.KEY]
            found.append(Finding(None, f"what Inspect knew of the bake {action.name} is dropped: bake again"))
    return [each._replace(text=f"the file is damaged: {each.text}") for each in found]


def _mend_scene(scene: bpy.types.Scene) -> Iterator[Finding]:
    settings, owner = scene.ves, None
    yield from _mend_settings(settings, owner, scene.name)
    if settings.before_play and not _is(settings.before_play, _is_frame):
        settings.before_play = json.dumps([scene.frame_current, 0.0])
        yield Finding(owner, "the frame from before a Play is not known any more")
    for number in reversed(range(len(settings.recorded_actions))):
        entry = settings.recorded_actions[number]
        if entry.build and not _is(entry.build, _is_building):
            settings.recorded_actions.remove(number)
            yield Finding(owner, f"recorded action {number + 1}, by which something was built, is dropped: do it again")
        elif entry.drag and not _is(entry.drag, _is_drag):
            target = entry.target.name if entry.target is not None else "something deleted"
            settings.recorded_actions.remove(number)
            yield Finding(owner, f"recorded action {number + 1}, a drag of {target}, is dropped: record it again")
    if state.KEY in settings and not _is_state(settings[state.KEY]):
        del settings[state.KEY]
        yield Finding(owner, "what the bake was made of is not known any more: bake again")
    if not ghost.is_whole(scene):
        ghost.forget(scene)
        yield Finding(owner, "the result of Bake Part is dropped; where it was shown, Clear Bake brings back what was")
    for finding in settings.findings:
        if finding.cure not in CURES:
            finding.cure = ""
    yield from _mend_record(settings, owner, scene.name)


def _mend_object(ob: bpy.types.Object) -> Iterator[Finding]:
    settings = ob.ves
    yield from _mend_settings(settings, ob, "")
    if settings.before_play and not _is(settings.before_play, _is_note):
        settings.before_play = ""
        yield Finding(ob, "its place from before a Play is not known any more; constraints of it may be muted")
    if settings.before_pose and not _is(settings.before_pose, _is_transform):
        settings.before_pose = ""
        yield Finding(ob, "its place from before a Pose is not known any more")
    if settings.link_points and not _is(settings.link_points, _are_points):
        settings.link_points = ""
        yield Finding(ob, "the points of its bar are dropped: its length cannot be changed any more")
    if is_baked(ob) and has_damaged_rest(ob):
        ob.animation_data.action[REST] = rest_of_bake(ob)
        yield Finding(ob, "where it was before the bake is not wholly known: Clear Bake leaves it as it is now there")
    yield from _mend_record(settings, ob, "")
    yield from _mend_needed(ob)


def _mend_record(settings: bpy.types.PropertyGroup, owner: bpy.types.Object | None, name: str) -> Iterator[Finding]:
    if recorded.KEY in settings and not recorded.is_record(settings[recorded.KEY]):
        del settings[recorded.KEY]
        yield Finding(owner, f"{name}: what Inspect knew of it is dropped: bake again".removeprefix(": "))


def _mend_needed(ob: bpy.types.Object) -> Iterator[Finding]:
    if needed.KEY in ob.ves and not needed.is_needed(ob.ves[needed.KEY]):
        del ob.ves[needed.KEY]
        yield Finding(ob, "what Find Torques has found of it is dropped: find it anew")


def _mend_settings(group: bpy.types.PropertyGroup, owner: bpy.types.Object | None, where: str) -> Iterator[Finding]:
    """Settings that are unknown items of a list, no numbers, or beyond what they may be, get their defaults."""
    known = group.bl_rna.properties
    for name in [name for name in _stored(group) if name in known]:
        prop = known[name]
        if prop.type == "COLLECTION":
            for number, row in enumerate(getattr(group, name), start=1):
                yield from _mend_settings(row, owner, f"{where} {prop.name} {number}".strip())
        elif not _is_possible(group, prop):
            group.property_unset(name)
            yield Finding(owner, f"{where} {prop.name} is its default again".strip())


def _stored(group: bpy.types.PropertyGroup) -> Iterable[str]:
    """Names of what is not as it was at first."""
    if not hasattr(group, "bl_system_properties_get"):  # before Blender 5.0
        return list(group.keys())
    stored = group.bl_system_properties_get()
    return [] if stored is None else list(stored.keys())


def _is_possible(group: bpy.types.PropertyGroup, prop: bpy.types.Property) -> bool:
    value = getattr(group, prop.identifier)
    if prop.type == "ENUM":
        return prop.is_enum_flag or value in prop.enum_items
    if prop.type not in {"INT", "FLOAT"}:
        return True
    values = value if getattr(prop, "is_array", False) else [value]
    return all(math.isfinite(number) and prop.hard_min <= number <= prop.hard_max for number in values)


def _is(text: str, wanted: Callable[[Any], bool]) -> bool:
    """True if a text in JSON says what is wanted."""
    try:
        return wanted(json.loads(text))
    except ValueError:
        return False


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _are_numbers(values: Any, count: int) -> bool:
    return isinstance(values, list) and len(values) == count and all(map(_is_number, values))


def _are_points(value: Any) -> bool:
    """True for points of a link: each has three coordinates, and perhaps the two layers of a pin."""
    return (
        isinstance(value, list)
        and len(value) > 1
        and all(
            _are_numbers(row, 3) or (_are_numbers(row, 5) and all(type(n) is int for n in row[3:])) for row in value
        )
    )


def _is_frame(value: Any) -> bool:
    if not isinstance(value, list) or len(value) not in (2, 4) or not _are_numbers(value[:2], 2):
        return False
    has_gravity = len(value) == 2 or (isinstance(value[2], bool) and _are_numbers(value[3], 3))
    return has_gravity and isinstance(value[0], int) and abs(value[0]) <= 1_048_574 and abs(value[1]) < 1


def _is_transform(value: Any) -> bool:
    return isinstance(value, dict) and all(
        name in LENGTHS and _are_numbers(numbers, LENGTHS[name]) for name, numbers in value.items()
    )


def _is_note(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    if value.keys() - {"settings", "tables"} not in ({*TRANSFORMS}, {*TRANSFORMS, *NOTED}):
        return False
    if not _are_settings(value.get("settings", {})) or not _are_tables(value.get("tables", [[], [], []])):
        return False
    names, modes = value.get("constraints", []), bpy.types.Object.bl_rna.properties["rotation_mode"].enum_items
    mode = value.get("rotation_mode", "XYZ")
    is_mode = isinstance(mode, str) and mode in modes
    is_list = isinstance(names, list) and all(isinstance(name, str) for name in names)
    return is_mode and is_list and _is_transform({name: value[name] for name in TRANSFORMS})


def _are_tables(values: Any) -> bool:
    """True for tables of force as they are noted: lists of rows of a name, a switch or a number, and numbers."""
    if not isinstance(values, list) or len(values) != 3:
        return False
    kinds = (str, bool, float | int), (str, float | int, float | int), (float | int, float | int)
    return all(
        isinstance(rows, list)
        and all(isinstance(row, list) and len(row) == len(kind) and all(map(isinstance, row, kind)) for row in rows)
        for rows, kind in zip(values, kinds, strict=True)
    )


def _are_settings(values: Any) -> bool:
    """True for values that settings of an object can have."""
    known = bpy.types.Object.bl_rna.properties["ves"].fixed_type.properties
    return isinstance(values, dict) and all(name in known and _fits(known[name], each) for name, each in values.items())


def _fits(prop: bpy.types.Property, value: Any) -> bool:
    if prop.type == "POINTER":
        return value is None or (
            isinstance(value, dict) and value.keys() == {"object"} and isinstance(value["object"], str)
        )
    if prop.type == "ENUM":
        return isinstance(value, str) and value in prop.enum_items
    of_type = {"BOOLEAN": lambda each: isinstance(each, bool), "INT": lambda each: type(each) is int}
    is_right = of_type.get(prop.type, _is_number)
    if prop.is_array:
        return isinstance(value, list) and len(value) == prop.array_length and all(map(is_right, value))
    return is_right(value)


def _is_building(value: Any) -> bool:
    """True for parts that a recorded action puts in, or names of those that it takes out."""
    if not isinstance(value, dict) or len(value) != 1 or not value.keys() <= {"add", "remove"}:
        return False
    if "remove" in value:
        return isinstance(value["remove"], list) and all(isinstance(name, str) for name in value["remove"])
    added = value["add"]
    lists = list(added.values()) if isinstance(added, dict) and added.keys() <= set(KINDS) else [None]
    if not all(isinstance(parts, list) and all(isinstance(part, dict) for part in parts) for parts in lists):
        return False
    return all(isinstance(part.get("name"), str) for parts in lists for part in parts)


def _is_drag(value: Any) -> bool:
    if not isinstance(value, dict) or value.keys() - {"is_late"} != {"spring", "way", "frames"}:
        return False
    spring, way = value["spring"], value["way"]
    is_way = isinstance(way, list) and all(_are_numbers(place, 4) for place in way)
    if not (is_way and isinstance(spring, dict) and spring.keys() <= KEPT and _is_number(value["frames"])):
        return False
    if any(later[0] <= earlier[0] for earlier, later in itertools.pairwise(way)):
        return False
    return (
        _are_numbers(spring.get("point_a"), 3)
        and _are_numbers(spring.get("point_b"), 3)
        and all(
            _is_number(spring[name]) and spring[name] >= 0 for name in KEPT & {"stiffness", "damping"} & spring.keys()
        )
    )


def _is_state(value: Any) -> bool:
    if not hasattr(value, "to_dict"):
        return False
    found = value.to_dict()
    if found.keys() != {"first", "last", "failure", "fingerprint"}:
        return False
    is_range = isinstance(found["first"], int) and isinstance(found["last"], int)
    return (
        is_range
        and all(isinstance(found[name], str) for name in ("failure", "fingerprint"))
        and _is(found["fingerprint"], is_fingerprint)
    )
