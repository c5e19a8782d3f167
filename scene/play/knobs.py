# SPDX-License-Identifier: GPL-3.0-or-later
"""Knobs: what a person changes in the panels and in the view while Play runs, as changes of the mechanism.

Each part is looked at again and again. Where its settings or its place have changed, it is read anew as it was read
before the run, at the places of the first frame, and what differs is what has been changed: so a setting means the same
during Play as before. What is keyed or driven over time goes on as its keys say.
"""

import dataclasses
import itertools
from collections.abc import Iterator
from typing import Any, NamedTuple

import bpy
import numpy as np

from ...solver.mechanism import Generic, Joint, JointMotor, Path, Table
from ...solver.mechanism.record import Record, fields_of, plain
from ..animation.animated import animated_paths, has_moving_transform, is_animated, moves_by_itself
from ..geometry import poses
from ..geometry.rounding import as_typed
from ..owner import TRANSFORMS, Owner, is_dynamic
from ..parts.tables import noted_tables
from ..preview.stage import note_settings, take_off_parent
from ..properties.roles import PAIRS, PLAY, RATIOS, backlash_of, locked_axes
from ..read.bodies import read_body
from ..read.fingerprint import settings_of_role
from ..read.forces import read_force
from ..read.joints import read_joint
from ..read.reading import BodyBinding, Reading
from ..read.stepped import has_keyed_mass, keyed_in_steps

AT_ONCE = 40  # parts that are looked at in a tick besides those that are selected: a hundred take 2 ms
AT_ONCE_OF_CONSTRAINTS = {
    "catch_time", "catch_within", "distance", "use_distance", "enabled", "lock_travel", "lock_turn", "gear_ratio",
    "pinion_radius", "rope_ratio", *PLAY,
}  # fmt: skip
SURFACE = (
    *("contact_friction", "contact_static_friction", "contact_stribeck_speed", "contact_restitution"),
    *("contact_softness", "collide"),
)
TABLES = "tables"  # among settings that were turned, all tables of force of a part, as they are noted
NUMBERS = {bool, int, float, str}
PER_COORDINATE = ("stiffness", "rest", "damping", "friction", "armature", "bounciness")
ROUNDING = 1e-6  # of a place and a turn: Blender's single precision


class Change(NamedTuple):
    """New values of a part (None: of the mechanism), and what a person should know about it."""

    target: str | None
    settings: dict[str, Any]


class ReadAnew(Reading):
    """Parts read while bodies are elsewhere: places and matrices are those of the first frame."""

    def other_side(self, owner: bpy.types.Object, _carrier: bpy.types.Object | None) -> None:
        """Nothing is asked of a mark."""


class Knobs:
    """All that may be changed of the parts of a reading. `message`: what could not be, in words; "" if all could."""

    def __init__(self, reading: Reading) -> None:
        self._reading, self.message = reading, ""
        mechanism = reading.mechanism
        self._played = {part.name: part for part in (*mechanism.joints, *mechanism.constraints, *mechanism.forces)}
        self._bodies = {binding.object: binding for binding in reading.bodies}
        self._names = {owner: _names_of(owner) for owner in reading.poses}
        self._gravity = self._gravity_at_first = self._present_gravity()
        movable = (owner for owner in self._names if owner not in self._bodies and not has_moving_transform(owner))
        self._bases = {owner: _basis(owner) for owner in movable}
        self._before = {owner: self._look(owner) for owner in self._names}
        self._first = dict(self._before)
        self._surfaces: dict[bpy.types.Object, dict] = {}
        self._collide: dict[bpy.types.Object, bool] = {}
        self._leaders = {led.ves.path_object: led for led in self._names if _is_led(led)}
        self._led_at_first = {leader: Owner(leader).matrix for leader in self._leaders}
        self._led_from = dict(self._led_at_first)
        self._parts: dict[bpy.types.Object, Record] = {}
        self._put_in: dict[bpy.types.Object, Reading] = {}  # what came on the way, and how it was read
        self._turn = itertools.cycle(list(self._names))

    def note(self) -> None:
        """Notes all that may be changed, so that it comes back with the stage."""
        for owner, names in self._names.items():
            note_settings(owner, names)
        for leader in self._leaders:
            note_settings(leader, ())

    def take(self, owners: list[bpy.types.Object], reading: Reading, bodies: list[BodyBinding]) -> None:
        """Looks at parts that were put in, too; `reading`: how they were read. Nothing of them is put back."""
        mechanism = reading.mechanism
        self._played |= {part.name: part for part in (*mechanism.joints, *mechanism.constraints, *mechanism.forces)}
        self._bodies |= {binding.object: binding for binding in bodies}
        for owner in owners:
            self._names[owner], self._put_in[owner] = _names_of(owner), reading
            if owner not in self._bodies:
                self._bases[owner] = _basis(owner)
            self._before[owner] = self._first[owner] = self._look(owner)
        self._turn = itertools.cycle(list(self._names))

    def go_back(self) -> None:
        """All is as it was at the start for the run, not in the panels: the next changes are all that was turned."""
        self._before = dict(self._first)
        self._gravity, self._led_from = self._gravity_at_first, dict(self._led_at_first)
        self._parts.clear()
        self._surfaces.clear()
        self._collide.clear()

    @property
    def owners(self) -> list[bpy.types.Object]:
        """All that is looked at."""
        return list(self._names)

    def forget(self, owner: bpy.types.Object) -> None:
        """Looks no longer at what has been taken out."""
        for known in (self._names, self._before, self._first, self._bases, self._parts, self._put_in, self._leaders):
            left = {each: value for each, value in known.items() if owner is not each and owner is not value}
            known.clear()
            known.update(left)
        self._turn = itertools.cycle(list(self._names))

    @property
    def turned(self) -> dict[bpy.types.Object, dict[str, Any]]:
        """The settings that are not as they were at the start, by their owners."""
        found = {}
        for owner, names in self._names.items():
            pairs = zip(names, self._first[owner][0], self._look(owner)[0], strict=True)
            values = {name: now for name, first, now in pairs if first != now}
            if self._first[owner][3] != self._look(owner)[3]:
                values[TABLES] = self._look(owner)[3]
            if values:
                found[owner] = values
        return found

    def changes(self, chosen: list[bpy.types.Object]) -> Iterator[Change]:
        """The changes since the last call: of what is chosen, and of a share of the others, in turn."""
        gravity = self._present_gravity()
        if gravity != self._gravity and not is_animated(self._reading.scene, "gravity"):
            self._gravity = gravity
            yield Change(None, {"gravity": list(gravity)})
        others = itertools.islice(self._turn, min(AT_ONCE, len(self._names)))
        for owner in dict.fromkeys([*(ob for ob in chosen if ob in self._names), *others]):
            now = self._look(owner)
            if now != self._before[owner]:
                before, self._before[owner] = self._before[owner], now
                yield from self._changed(owner, before, now)
        for leader, led in self._leaders.items():
            yield from self._led(leader, led)

    def _present_gravity(self) -> tuple[float, ...]:
        scene = self._reading.scene
        return tuple(scene.gravity) if scene.use_gravity else (0.0, 0.0, 0.0)

    def _look(self, owner: bpy.types.Object) -> tuple:
        """Its settings, and where it is to what carries it."""
        settings = owner.ves
        values = tuple(_value(getattr(settings, name)) for name in self._names[owner])
        place = tuple(tuple(getattr(owner, name)) for name in TRANSFORMS) if owner in self._bases else ()
        tables = noted_tables(settings) if settings.role in {"JOINT", "FORCE"} else ()
        return values, settings.role, place, tables

    def _changed(self, owner: bpy.types.Object, before: tuple, now: tuple) -> Iterator[Change]:
        if owner in self._bodies:
            yield from self._of_body(owner)
        elif owner.ves.role in ("FORCE", "JOINT"):
            yield from self._of_read(owner, before, now)
        else:
            yield from self._of_constraint(owner, before, now)

    def _anew(self, owner: bpy.types.Object) -> ReadAnew:
        reading = self._put_in.get(owner, self._reading)
        given = {each.name: getattr(reading, each.name) for each in dataclasses.fields(Reading) if each.init}
        empty = dataclasses.replace(reading.mechanism, joints=[], constraints=[], forces=[], actions=[])
        own = {"mechanism": empty, "errors": [], "warnings": [], "probes": [], "open": [], "marks": {}}
        return ReadAnew(**given | own)

    def _refused(self, anew: Reading) -> bool:
        if anew.errors:
            self.message = str(anew.errors[0])
        return bool(anew.errors)

    def _say(self, owner: bpy.types.Object, text: str) -> None:
        self.message = f"{owner.name} {text}"

    # Of each kind of part.

    def _of_body(self, owner: bpy.types.Object) -> Iterator[Change]:
        """Masses follow the settings, and the surface that it touches with."""
        binding, settings = self._bodies[owner], owner.ves
        if binding.body.motion != "dynamic" and not is_dynamic(owner):
            return
        if not is_dynamic(owner) or binding.body.motion != "dynamic":
            self._say(owner, "becomes what it is to be only when Play begins anew")
            return
        anew = self._anew(owner)
        anew.bodies = []
        read_body(anew, owner)
        if self._refused(anew):
            return
        body, old = anew.bodies[0].body, self._parts.get(owner, binding.body)
        self._parts[owner] = body
        masses = () if has_keyed_mass(owner) else ("mass", "inertia")  # it goes on by its keys
        values = {name: plain(getattr(body, name)) for name in masses if _differ(body, old, name)}
        if _differ(body, old, "center_of_mass"):
            self._say(owner, "keeps its centre of mass until Play begins anew")
        if binding.body.material is not None:
            names = ("friction", "restitution", "softness", "static_friction", "stribeck_speed")
            surface = {name: getattr(settings, f"contact_{name}") for name in names}
            surface |= {name: as_typed(surface[name]) for name in ("softness", "stribeck_speed")}
            surface["static_friction"] = surface["static_friction"] or None
            first = {name: getattr(binding.body.material, name) for name in names}
            if self._surfaces.get(owner, first) != surface:
                values["material"] = self._surfaces[owner] = surface
            collides = self._collide.setdefault(owner, binding.body.collides)
            if settings.collide != collides and not is_animated(owner, "ves.collide"):
                values["collides"] = self._collide[owner] = settings.collide
        elif settings.collide and self._reading.mechanism.contact is not None:
            self._say(owner, "collides only when Play begins anew: it has no shape yet")
        if values:
            yield Change(binding.body.name, values)

    def _of_read(self, owner: bpy.types.Object, before: tuple, now: tuple) -> Iterator[Change]:
        """A joint or force, read anew."""
        anew = self._anew(owner)
        if before[2] != now[2] and (owner.ves.role == "JOINT" or owner in self._put_in):
            self._say(owner, "stays where it is as long as Play runs")
        elif now[2] != self._first[owner][2]:
            anew.poses = self._reading.poses | {owner: self._pose_at_start(owner)}
        (read_joint if owner.ves.role == "JOINT" else read_force)(anew, owner)
        if self._refused(anew):
            return
        found = [*anew.mechanism.joints, *anew.mechanism.forces]
        played = self._played.get(owner.name_full)
        if not found or played is None:
            return
        new, old = found[0], self._parts.get(owner, played)
        if type(new) is not type(played) or getattr(new, "type", "") != played.type:
            self._say(owner, "has another type only when Play begins anew")
            return
        if getattr(new, "free", None) != getattr(played, "free", None):
            self._say(owner, "has other axes free only when Play begins anew")
            return
        yield from self._differences(owner, old, new, played)
        if "motor" in keyed_in_steps(owner) and self._turned_motor(owner, before, now):
            self._say(owner, "keeps its motor until Play begins anew: its kind is keyed")
        yield from self._enabled(owner, before, now)

    def _turned_motor(self, owner: bpy.types.Object, before: tuple, now: tuple) -> bool:
        """True if a setting of a joint's motor is another one, and not by its keys."""
        changed = zip(self._names[owner], before[0], now[0], strict=True)
        return any(name.startswith(("motor_", "use_motor_")) for name, old, new in changed if old != new)

    def _differences(self, owner: bpy.types.Object, old: Record, new: Record, played: Record) -> Iterator[Change]:
        values, kept, stepped = {}, {}, keyed_in_steps(owner)
        for name, field in fields_of(type(new)).items():
            if name in ("enabled", "coordinates", "speeds", *stepped) or not _differ(new, old, name):
                continue
            if name == "motor" and _with_tables(played.motor, new.motor) is not None:
                value = _with_tables(played.motor, new.motor)
                if value == old.motor:
                    continue
            elif not field.metadata["changeable"]:
                self._say(owner, f"keeps its {name.replace('_', ' ')} until Play begins anew")
                continue
            elif _has_table(getattr(played, name)):
                continue  # it goes on by its keys
            else:
                value = getattr(new, name)
            kept[name] = value
            if value is None and name in PER_COORDINATE and isinstance(new, Joint):
                value = [0.0] * len(getattr(old, name))
            values[name] = plain(value)
        self._parts[owner] = dataclasses.replace(old, **kept)
        if values:
            yield Change(new.name, values)

    def _enabled(self, owner: bpy.types.Object, before: tuple, now: tuple) -> Iterator[Change]:
        k = self._names[owner].index("enabled") if "enabled" in self._names[owner] else None
        if k is not None and before[0][k] != now[0][k]:
            yield Change(owner.name_full, {"enabled": now[0][k]})

    def _of_constraint(self, owner: bpy.types.Object, before: tuple, now: tuple) -> Iterator[Change]:
        settings, played = owner.ves, self._played.get(owner.name_full)
        if played is None:
            return
        names = self._names[owner]
        turned = {name for name, old, new in zip(names, before[0], now[0], strict=True) if old != new}
        values: dict[str, Any] = {}
        if {"catch_time", "catch_within"} & turned:
            values |= {"tau": settings.catch_time or None}
            if "catch_within" in turned:
                self._say(owner, "keeps its Catch Within until Play begins anew")
        if {"lock_travel", "lock_turn"} & turned:
            locked = locked_axes(settings)
            values |= {"locked": locked} if locked else {}
            if not locked:
                self._say(owner, "keeps the axes that were locked last: lock one, or switch it off")
        if {"distance", "use_distance"} & turned and settings.use_distance:
            values["length" if settings.role in ("PULLEY", "ROPE") else "distance"] = settings.distance
        for name, key in RATIOS.items():
            if name in turned and getattr(settings, name) != 0.0:
                values[key] = getattr(settings, name)
        for name in (backlash_of(settings), "tooth_bounciness"):
            if name in turned:
                values[PLAY[name]] = getattr(settings, name)
        if before[2] != now[2]:
            values |= self._moved_constraint(owner)
        left = turned - AT_ONCE_OF_CONSTRAINTS
        if left:
            known = settings.bl_rna.properties
            self._say(owner, f"keeps its {known[sorted(left)[0]].name} until Play begins anew")
        if values:
            yield Change(played.name, values)
        yield from self._enabled(owner, before, now)

    def _moved_constraint(self, owner: bpy.types.Object) -> dict[str, Any]:
        """Settings by a moved Empty: a nail takes its body along, the end of a rod goes elsewhere on its body."""
        place = self._pose_at_start(owner).position.tolist()
        if owner in self._put_in and owner.ves.role != "NAIL":
            self._say(owner, "stays where it is as long as Play runs")
            return {}
        if owner.ves.role == "NAIL" and owner.ves.body_b is None:
            return {"place": place}
        if owner.ves.role == "GENERIC" and owner.ves.body_b is None and self._played[owner.name_full].guide is None:
            return {"point_b": place, "orientation_b": self._pose_at_start(owner).orientation.tolist()}
        if owner.ves.role in PAIRS:
            return {"point_a": place}
        self._say(owner, "stays where it is as long as Play runs")
        return {}

    def _pose_at_start(self, owner: bpy.types.Object) -> poses.Pose:
        """The place of an Empty that was moved as it would be at the first frame."""
        pose = self._put_in.get(owner, self._reading).poses[owner]
        start = poses.join(pose.position[None], pose.orientation[None], pose.residual[None])[0]
        before, now = self._bases.get(owner), _basis(owner)
        if before is None or np.array_equal(before, now):
            return pose
        return poses.Pose(*(values[0] for values in poses.split((start @ np.linalg.inv(before) @ now)[None])))

    def _led(self, leader: bpy.types.Object, led: bpy.types.Object) -> Iterator[Change]:
        """A point goes where what leads it is moved to."""
        now, before = Owner(leader).matrix, self._led_from[leader]
        if now == before:
            return
        self._led_from[leader] = now
        played = self._played.get(led.name_full)
        if not isinstance(played, Path | Generic) or len(played.times or (0.0, 0.0)) > 1:
            return
        old = self._parts.get(led, played)
        turn = np.eye(3)
        if played.orientations is not None:
            turn = np.array((now @ before.inverted_safe()).to_3x3(), dtype=np.float64)
        from_leader = np.array(old.positions[0]) - np.array(before.translation)
        place = np.array(now.translation) + turn @ from_leader
        values = {"times": [0.0], "positions": [place.tolist()]}
        if played.orientations is not None:
            turned = poses.product(poses.quaternions(turn[None])[0], np.array(old.orientations[0]))
            values["orientations"] = [turned.tolist()]
        self._parts[led] = dataclasses.replace(old, **values)
        yield Change(played.name, values)


def free_nails(reading: Reading) -> None:
    """Nails stand in the world while this lasts, not on their bodies, and so are moved in the world."""
    for owner, pose in reading.poses.items():
        settings = owner.ves
        is_nail = settings.role in {"NAIL", "GENERIC"} and settings.body_b is None and settings.path_object is None
        is_own = owner.library is None and owner.override_library is None  # others keep their parents
        if is_nail and is_own and owner.parent is not None and not has_moving_transform(owner):
            take_off_parent(owner, pose)


def _names_of(owner: bpy.types.Object) -> list[str]:
    """The settings of a part that are looked at: those that count for its role, and are not keyed."""
    role, animated = owner.ves.role, set(animated_paths(owner))
    names = [*settings_of_role(role), *(SURFACE if role == "BODY" else ())]
    driven = {curve.data_path for curve in owner.animation_data.drivers} if owner.animation_data else set()
    keyed = {path.removeprefix("ves.") for path in animated - driven}
    return [name for name in names if name not in keyed and _can_be_noted(owner.ves, name)]


def _can_be_noted(settings: bpy.types.PropertyGroup, name: str) -> bool:
    kind = settings.bl_rna.properties[name].type
    return kind in {"BOOLEAN", "INT", "FLOAT", "ENUM", "POINTER"} or (kind == "STRING" and settings.role == "FORCE")


def _value(value: Any) -> Any:
    return value if type(value) in NUMBERS or value is None or isinstance(value, bpy.types.ID) else tuple(value)


def _basis(owner: bpy.types.Object) -> np.ndarray:
    return np.array(owner.matrix_basis, dtype=np.float64)


def _is_led(owner: bpy.types.Object) -> bool:
    """True if a point follows an object that does not move by itself."""
    settings = owner.ves
    return (
        settings.role in {"PATH", "GENERIC"}
        and settings.path_object is not None
        and not moves_by_itself(settings.path_object)
    )


def _differ(one: Record, other: Record, name: str) -> bool:
    a, b = getattr(one, name), getattr(other, name)
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return not np.array_equal(a, b)
    if name in PER_COORDINATE and isinstance(one, Joint):
        return (any(a or ()) or any(b or ())) and tuple(a or ()) != tuple(b or ())
    return a != b


def _has_table(value: Any) -> bool:
    return isinstance(value, Table) or (isinstance(value, tuple) and any(isinstance(each, Table) for each in value))


def _with_tables(played: Any, new: Any) -> Any:
    """The motor with what is keyed in the one that is played; None if nothing is, or it is another kind of motor.

    Of a generic joint the motors of all its axes.
    """
    if isinstance(played, tuple) and isinstance(new, tuple):
        kept = [_with_tables(*pair) for pair in zip(played, new, strict=True)]
        if not any(kept):
            return None
        return tuple(own if each is None else each for own, each in zip(new, kept, strict=True))
    if isinstance(played, tuple) or isinstance(new, tuple):
        return None
    if played is None or new is None or played.mode != new.mode:
        return None
    keyed = {name: getattr(played, name) for name in JointMotor.VALUES if _has_table(getattr(played, name))}
    return dataclasses.replace(new, **keyed) if keyed else None
