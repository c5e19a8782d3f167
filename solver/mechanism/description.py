# SPDX-License-Identifier: GPL-3.0-or-later
"""A mechanism as a person means it: bodies, joints, constraints, forces, actions and contact.

Attribute names are the keys of the file format. Units: metre, kilogram, second, radian, newton; quaternions are
[w, x, y, z]. Unless said otherwise, points, axes and vectors are given in world coordinates in the initial
configuration. An attribute that is None was not given. Assigning normalises: lists and arrays become tuples of floats,
JSON objects become records, quaternions near unit length become exact; a wrong value stays as it is until
`Mechanism.problems` names it.
"""

# ruff: noqa: RUF009 (`key` only makes a field)

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

from . import file, include, validation
from .bodies import Body, Surface
from .constraints import Constraint, Curve, Distance, Gear, Generic, Nail, Orientation, Path, PointToPoint, Rack
from .error import refuse
from .forces import FORCES, Balance, Force
from .joints import Joint
from .record import Record, fields_of, items, key, law, plain, record, record_by_type
from .ropes import Pulley, Rope
from .stiction import STRIBECK
from .surfaces import Terrain
from .table import Numbers, vector_over_time
from .value_rules import DEAF, Place, Problems, any_text, body_name, flag, list_of, names, number, shown, text

CONSTRAINTS = (Nail, Orientation, PointToPoint, Distance, Path, Generic, Curve, Gear, Rack, Pulley, Rope)
"""All types, as files name them."""

_bodies = items(record(Body), "body", "bodies")
_joints = items(record(Joint), "joint", "joints")
_constraints = items(record_by_type(*CONSTRAINTS), "constraint", "constraints")
_forces = items(record_by_type(*FORCES), "force", "forces")


def _settings(value: Any, place: Place) -> Any:
    """Keys and values to set; they follow the rules of the action's target, which `validation` looks up."""
    if not isinstance(value, Mapping):
        place.say(f"must be an object of keys and values, is {shown(value)}")
    elif not value:
        place.say("must not be empty")
    for name in getattr(value, "repeated", ()):
        (place / name).say("is given twice")
    return value


@dataclass
class Addition(Record):
    """Parts that are put in on the way; points and orientations are in the world at that time, where bodies are then.

    Coordinates of its joints are zero as they are found.
    """

    kind: ClassVar[str] = "addition"
    bodies: list[Body] = key(_bodies, [])
    joints: list[Joint] = key(_joints, [])
    constraints: list[Constraint] = key(_constraints, [])
    forces: list[Force] = key(_forces, [])

    @property
    def parts(self) -> list[Record]:
        """All of them."""
        return [*self.bodies, *self.joints, *self.constraints, *self.forces]

    @law("bodies", "joints", "constraints", "forces")
    def check_parts(self, place: Place) -> None:
        """Something is added, and nothing that only a start can have."""
        if not self.parts:
            place.say("must not be empty")
        for joint in self.joints:
            if joint.type == "contact":
                place.say(f"has the contact joint {shown(joint.name)}, which cannot be put in on the way")
            for name in ("coordinates", "speeds"):
                if getattr(joint, name) is not None:
                    place.say(f"gives {name} of the joint {shown(joint.name)}, which takes its bodies as it finds them")
        for force in self.forces:
            if isinstance(force, Balance):
                place.say(f"has the balance {shown(force.name)}, which cannot be put in on the way")
        for part in (*self.joints, *self.constraints):
            if part.within is not None:
                place.say(f"gives within of {shown(part.name)}: what waits for its ends must be there from the start")


@dataclass
class Action(Record):
    """At `time` something changes.

    Either the force, joint, constraint or body named `target` gets the values in `set`, or without a target the
    mechanism (its gravity, its contact); or parts are put in (`add`) or taken out for good (`remove`, names).
    """

    kind: ClassVar[str] = "action"
    time: float = key(number(at_least=0))
    target: str | None = key(text, None)
    set: dict[str, Any] | None = key(_settings, None)
    add: Addition | None = key(record(Addition), None)
    remove: tuple[str, ...] | None = key(names, None)

    @law("target", "set", "add", "remove")
    def check_kind(self, place: Place) -> None:
        """It does one thing."""
        given = [name for name in ("set", "add", "remove") if getattr(self, name) is not None]
        if not given:
            (place / "set").say("is missing; an action needs it, or add or remove")
        elif len(given) > 1:
            (place / given[1]).say(f"has no meaning beside {given[0]}: make it an action of its own")
        elif self.target is not None and self.set is None:
            (place / "target").say(f"has no meaning beside {given[0]}")

    def values_for(self, part: Record) -> dict[str, Any]:
        """The values to set in `part`, the action's target, read as that part would read them.

        What is left out of a contact description stays as it is.
        """
        known, values = fields_of(type(part)), {}
        for name, value in (self.set or {}).items():
            is_none = value is None and known[name].metadata["null"]
            values[name] = None if is_none else known[name].metadata["rule"](value, DEAF)
        if isinstance(values.get("contact"), Contact) and part.contact is not None:
            given = {name: getattr(values["contact"], name) for name in self.set["contact"]}
            values["contact"] = replace(part.contact, **given)
        return values

    @property
    def names(self) -> list[str | None]:
        """Of the parts that it changes; None for the mechanism itself."""
        if self.add is not None:
            return [part.name for part in self.add.parts]
        return [self.target] if self.remove is None else list(self.remove)


@dataclass
class Ground(Surface):
    """The level ground for contact."""

    kind: ClassVar[str] = "ground"
    height: float = key(number(), 0.0)
    friction: float = key(number(at_least=0), 0.8)
    restitution: float = key(number(at_least=0), 0.2)
    softness: float = key(number(above=0, at_most=0.5), 1e-3)
    static_friction: float | None = key(number(at_least=0), None, null=True)
    stribeck_speed: float = key(number(above=0), STRIBECK)


@dataclass
class Contact(Record):
    """Contact: if shapes touch, the ground, and the pairs of bodies that do not touch each other."""

    kind: ClassVar[str] = "contact description"
    enabled: bool = key(flag, True)
    ground: Ground | None = key(record(Ground), None, null=True)
    ignore: tuple[tuple[str, str], ...] = key(list_of(list_of(body_name, count=2, what="a pair of names")), ())


@dataclass
class Mechanism(Record):
    """A mechanism in its initial configuration."""

    kind: ClassVar[str] = "mechanism"
    name: str = key(any_text, "")
    gravity: Numbers = key(vector_over_time, (0.0, 0.0, -9.81), changeable=True)
    bodies: list[Body] = key(_bodies, [])
    joints: list[Joint] = key(_joints, [])
    constraints: list[Constraint] = key(_constraints, [])
    forces: list[Force] = key(_forces, [])
    actions: list[Action] = key(items(record(Action), "action", "actions"), [])
    contact: Contact | None = key(record(Contact), None, changeable=True)
    terrains: list[Terrain] = key(items(record(Terrain), "terrain", "terrains"), [])

    @classmethod
    def load(cls, path: str | os.PathLike) -> Self:
        """The mechanism of a file, with what it includes. Raises MechanismError with all problems, by their items."""
        return cls.from_dict(include.read_file(path, cls.from_dict)[0])

    def save(self, path: str | os.PathLike) -> None:
        """Write the file, as a whole or not at all. Raises MechanismError if the mechanism or the place is wrong."""
        self.refuse_wrong()
        file.write(self.to_dict(), path)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """The mechanism of a file's JSON object. Raises MechanismError with every problem, each naming the item."""
        found = Problems()
        with suppress(Problems.Enough):
            file.check_header(data, found)
            mechanism = super().from_dict(file.without_header(data), Place(found, cls.kind))
            validation.check_names(mechanism, found)
        refuse(found)
        return mechanism

    def to_dict(self) -> dict[str, Any]:
        """The JSON object of the mechanism's file."""
        return file.HEADER | {"name": self.name, "gravity": plain(self.gravity)} | super().to_dict()

    def refuse_wrong(self) -> None:
        """Raises MechanismError with all that is wrong, if anything is."""
        refuse(self.problems())

    def problems(self) -> list[str]:
        """All that is wrong, one line each, naming the item. Never raises, whatever Python has put in."""
        found = Problems()
        with suppress(Problems.Enough):
            self.check(Place(found, self.kind))
            validation.check_names(self, found)
        return list(found)
