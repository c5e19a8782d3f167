# SPDX-License-Identifier: GPL-3.0-or-later
"""Sub-assemblies: files that a mechanism file includes, each with a frame that it stands in and a prefix for names.

Included files lie in the folder of the file that names them, or below it: a mechanism from somebody else reads nothing
else of a disk. What stands in their worlds is moved as a whole; what is given in a body's own axes stays.
"""

# ruff: noqa: RUF009 (`key` only makes a field)

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import Any, ClassVar

import numpy as np

from ..rotation import matrix_of_quaternion, multiply_quaternions
from . import file
from .bodies import IDENTITY, ZERO, Body, Quaternion, Vector
from .error import MechanismError, refuse
from .forces import Expression, Reach, Steering
from .mend import mend_inertias
from .messages import Message
from .record import Record, fields_of, key, plain
from .table import Numbers, mapped
from .value_rules import (
    Place,
    Problems,
    any_text,
    bodies_or_world,
    body_name,
    body_names,
    joint_name,
    joint_names,
    quaternion,
    shown,
    terrain_name,
    text,
    vector,
)

MOST_FILES, DEEPEST = 1000, 8
LISTS = ("bodies", "joints", "constraints", "forces", "terrains", "actions")
_POINTS = ("point", "point_a", "point_b", "wheel_a", "wheel_b")
_VECTORS = ("linear_velocity", "angular_velocity", "acceleration", "wind")


@dataclass
class Include(Record):
    """A mechanism file that stands in a frame, its names after a prefix."""

    kind: ClassVar[str] = "include"
    file: str = key(text)
    prefix: str = key(any_text, "")
    position: Vector = key(vector, ZERO)
    orientation: Quaternion = key(quaternion, IDENTITY)


@dataclass
class _Reading:
    """Files included so far: `read` makes a mechanism of a JSON object."""

    read: Callable[[Mapping[str, Any]], Any]
    mends: bool
    notes: list[Message] = field(default_factory=list)
    files: int = 0


def read_file(
    path: str | os.PathLike, read: Callable[[Mapping[str, Any]], Any], mends: bool = False
) -> tuple[Mapping[str, Any], list[Message]]:
    """The JSON object of a file with all that it includes in its own lists; notes on inertias, if it `mends` these.

    Raises MechanismError.
    """
    reading = _Reading(read, mends)
    data = _expanded(file.read(path), Path(path), (), reading)
    return data, reading.notes


def _expanded(data: dict[str, Any], path: Path, chain: tuple[Path, ...], reading: _Reading) -> dict[str, Any]:
    chain = (*chain, path.resolve())
    if reading.mends:
        reading.notes += mend_inertias(data)
    includes = data.pop("include", [])
    if not isinstance(includes, list):
        what = f"must be a list, is {shown(includes)}"
        refuse([Message("wrong-entry", item="mechanism", where="include", what=what)])
    for k, given in enumerate(includes):
        include = _include(given, k)
        target = _place(include.file, path, chain)
        reading.files += 1
        if reading.files > MOST_FILES:
            refuse([_problem(include.file, f"more than {MOST_FILES} files are included")])
        try:
            part = reading.read(_expanded(file.read(target), target, chain, reading))
        except MechanismError as error:
            refuse([_problem(include.file, problem) for problem in error.problems], error)
        frame = _Frame(include)
        frame.refuse_what_stays(part, include.file)
        _merge(data, frame.moved(part))
    return data


def _problem(name: str, what: str) -> Message:
    """Of a file that cannot be included, or in one that is."""
    return Message("wrong-include", file=shown(name), what=what)


def _include(given: Any, number: int) -> Include:
    problems = Problems()
    if isinstance(given, Mapping):
        include = Include.from_dict(given, Place(problems, f"include[{number}]"))
    else:
        Place(problems, f"include[{number}]").say(f"must be an object, is {shown(given)}")
    refuse(problems)
    return include


def _place(name: str, path: Path, chain: tuple[Path, ...]) -> Path:
    """The file that is meant: below the folder of the file that names it, links included."""
    folder, given = path.resolve().parent, PurePosixPath(name)
    if given.is_absolute() or ".." in given.parts or "\\" in name or ":" in name:
        refuse([_problem(name, "must be a path within the folder of the file, as parts/wheel.json is")])
    target = (folder / given).resolve()
    if not target.is_relative_to(folder):
        refuse([_problem(name, "leads out of the folder of the file by a link")])
    if target in chain:
        refuse([_problem(name, "includes itself")])
    if len(chain) > DEEPEST:
        refuse([_problem(name, f"files include each other more than {DEEPEST} deep")])
    return target


def _merge(data: dict[str, Any], part: Any) -> None:
    """Put the parts of a sub-assembly behind those of the file. What is wrong with its lists is said later."""
    for name in LISTS:
        if isinstance(data.setdefault(name, []), list):
            data[name] = [*data[name], *plain(getattr(part, name))]
    contact = data.get("contact")
    if part.contact is not None and isinstance(contact, dict) and isinstance(contact.get("ignore", []), list):
        contact["ignore"] = [*contact.get("ignore", []), *plain(part.contact.ignore)]


class _Frame:
    """The frame and prefix of an include, and what they make of a mechanism."""

    def __init__(self, include: Include) -> None:
        self._prefix, self._turn = include.prefix, include.orientation
        self._origin, self._rotation = np.array(include.position), matrix_of_quaternion(include.orientation)
        self._rotation = np.array(self._rotation).reshape(3, 3)

    def moved(self, mechanism: Any) -> Any:
        """The mechanism in the frame, with its names after the prefix."""
        parts = {part.name: part for part in (*mechanism.joints, *mechanism.constraints, *mechanism.forces)}
        changes = {name: [self._part(part) for part in getattr(mechanism, name)] for name in LISTS[:-1]}
        changes["actions"] = [
            replace(action, target=self._name(action.target), set=self._settings(action, parts[action.target]))
            for action in mechanism.actions
        ]
        if mechanism.contact is not None:
            ignore = tuple(tuple(map(self._name, pair)) for pair in mechanism.contact.ignore)
            changes["contact"] = replace(mechanism.contact, ignore=ignore)
        return replace(mechanism, **changes)

    def _settings(self, action: Any, part: Record) -> dict[str, Any]:
        return plain({name: self._value(part, name, value) for name, value in action.values_for(part).items()})

    def refuse_what_stays(self, mechanism: Any, name: str) -> None:
        """Raises MechanismError for an expression by places or axes of its own world, where the frame is another."""
        turned, shifted = self._turn != IDENTITY, bool(self._origin.any())
        level = abs(self._turn[0]) == 1.0
        for terrain in mechanism.terrains if not level else ():
            what = f"terrain {shown(terrain.name)} cannot turn, for its rows go along X and Y"
            refuse([_problem(name, f"{what}; leave out orientation of the include")])
        for force in mechanism.forces:
            if isinstance(force, Steering) and force.heading is not None and turned:
                what = f"force {shown(force.name)} has a heading, which does not turn along"
                refuse([_problem(name, f"{what}; leave out orientation of the include, or give it a target")])
            if not isinstance(force, Expression):
                continue
            asks = [each for each in ("x", "y", "z") if each in force.names]
            what = f"the place ({', '.join(asks)})" if asks else "the axes of the world"
            if (asks and (turned or shifted)) or (turned and force.axes == "world"):
                remedy = "leave out position and orientation of the include" if asks else 'say axes "own"'
                refuse([_problem(name, f"force {shown(force.name)} goes by {what}, which do not move along; {remedy}")])

    def _part(self, part: Record) -> Record:
        changes = {
            name: self._value(part, name, getattr(part, name)) for name in fields_of(type(part)) if name != "name"
        }
        return replace(part, name=self._name(part.name), **changes)

    def _value(self, part: Record, name: str, value: Any) -> Any:
        """A value of a part under a key."""
        rule = fields_of(type(part))[name].metadata["rule"]
        if value is None:
            return self._default(part, name)
        if rule in (body_name, joint_name, terrain_name):
            return self._name(value)
        if rule in (body_names, joint_names):
            return tuple(map(self._name, value))
        if rule is bodies_or_world:
            return tuple(None if each is None else self._name(each) for each in value)
        if name == "joint_max_torque":
            return tuple((self._name(joint), most) for joint, most in value)
        if name in _POINTS or name == "position" or (name == "target" and isinstance(part, Steering | Reach)):
            return self._point(value)
        if name in _VECTORS:
            return mapped(value, lambda vector: self._rotation @ vector)
        if name in ("orientation", "orientation_a", "orientation_b"):
            return self._turned(value)
        if name in ("positions", "points"):
            return tuple(map(self._point, value))
        if name == "orientations":
            return tuple(map(self._turned, value))
        if name == "keys":
            return replace(value, **{key: self._value(value, key, getattr(value, key)) for key in _OF_KEYS})
        if name == "origin":
            return self._point(value)
        if name == "height" and part.terrain is None:
            return mapped((value,), lambda height: height + self._origin[2])[0]
        if name == "surface_parent" and part.parent is None:
            return replace(value, position=self._point(value.position), orientation=self._turned(value.orientation))
        return value

    def _default(self, part: Record, name: str) -> Any:
        """A body that does not say where it is stands at the origin."""
        if isinstance(part, Body) and part.motion != "keyed" and name in ("position", "orientation"):
            return tuple(self._origin) if name == "position" else self._turn
        return None

    def _name(self, name: str) -> str:
        return self._prefix + name

    def _point(self, point: Numbers) -> Numbers:
        return mapped(point, lambda place: self._origin + self._rotation @ place)

    def _turned(self, turn: Numbers) -> Numbers:
        return mapped(turn, lambda q: np.array(multiply_quaternions(self._turn, tuple(q))))


_OF_KEYS = ("positions", "orientations")
