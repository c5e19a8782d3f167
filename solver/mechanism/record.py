# SPDX-License-Identifier: GPL-3.0-or-later
"""Records: dataclasses whose fields carry the rule that their value follows.

A part of a mechanism only says `mass: float | None = key(number(above=0), None)`. Reading it from JSON, normalising
what Python assigns, checking and writing all follow from that. An attribute that is None was not given, unless null has
a meaning there. Nothing here raises for a wrong value: it is kept as it came, and `check` names it.
"""

from __future__ import annotations

import dataclasses
import functools
import operator
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Self

from .value_rules import DEAF, Place, Rule, a, entries_of, shown

Law = Callable[[Any, Place], None]


class _Missing:
    """Stands for a required value that a file does not give."""

    def __repr__(self) -> str:
        return "missing"


MISSING = _Missing()


def key(
    rule: Rule,
    default: Any = dataclasses.MISSING,
    *,
    null: bool = False,
    changeable: bool = False,
    only_by_action: bool = False,
    in_file: bool = True,
    **options: Any,
) -> Any:
    """A field whose value follows `rule`; required if it has no `default`.

    `null`: the file may say null, which then means something (the world, no limit). `changeable`: an action may set it.
    `only_by_action`: nothing but an action may; it is no key of the part in a file. Without `in_file` nothing may but
    the solver.
    """
    metadata = {"rule": rule, "null": null, "changeable": changeable or only_by_action}
    metadata["in_file"] = in_file and not only_by_action
    if isinstance(default, list):
        return dataclasses.field(default_factory=list, metadata=metadata, **options)
    return dataclasses.field(default=default, metadata=metadata, **options)


@functools.cache
def fields_of(cls: type[Record]) -> dict[str, dataclasses.Field]:
    """The fields of a record by name."""
    return {field.name: field for field in dataclasses.fields(cls)}


@functools.cache
def _fields_to_check(cls: type[Record]) -> tuple[tuple[str, dataclasses.Field, bool], ...]:
    """The fields of a record, each with its name and True if it may be None."""
    fields = fields_of(cls).items()
    return tuple((name, field, field.default is None or field.metadata["null"]) for name, field in fields)


def law(*names: str) -> Callable[[Law], Law]:
    """Marks a method `(self, place)` that checks the values `names` against each other, once each of them is right."""

    def mark(method: Law) -> Law:
        method.law_between = names
        return method

    return mark


@functools.cache
def laws_of(cls: type[Record]) -> tuple[tuple[tuple[str, ...], Law], ...]:
    """The laws of a record and its bases, each with the names that it is about."""
    methods = (method for base in cls.__mro__ for method in vars(base).values())
    return tuple((method.law_between, method) for method in methods if hasattr(method, "law_between"))


def described(cls: type[Record]) -> str:
    """The name of a class of parts in problems: "body", "spring force"."""
    return f"{cls.type} {cls.kind}" if hasattr(cls, "type") else cls.kind


def default_of(field: dataclasses.Field) -> Any:
    """The value of a field that is not given: its default, or MISSING."""
    if field.default_factory is not dataclasses.MISSING:
        return field.default_factory()
    return MISSING if field.default is dataclasses.MISSING else field.default


class Record:
    """A part of a mechanism. Assigning to one of its fields normalises the value by the field's rule."""

    kind: ClassVar[str] = "record"
    _refused: Mapping[str, str] = {}

    def __setattr__(self, name: str, value: Any) -> None:
        fields = fields_of(type(self))
        if name not in fields:
            raise AttributeError(f"{name} is not a key of {a(described(type(self)))}; its keys are {', '.join(fields)}")
        vars(self)[name] = value if value is None else fields[name].metadata["rule"](value, DEAF)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], place: Place = DEAF) -> Self:
        """The record that a JSON object describes; `place` hears what is wrong with it."""
        values = {name: default_of(field) for name, field in fields_of(cls).items()}
        known = {name: field for name, field in fields_of(cls).items() if field.metadata["in_file"]}
        refused = dict.fromkeys(getattr(data, "repeated", ()), "is given twice")
        for name, value in data.items():
            if name == "type" and name not in known and hasattr(cls, "type"):
                continue
            if name not in known:
                refused[str(name)] = f"is not a key of {a(described(cls))}; its keys are {', '.join(known)}"
            elif value is None and not known[name].metadata["null"]:
                refused[name] = "must not be null; leave it out if there is none"
            else:
                values[name] = value
        record = object.__new__(cls)  # not through __init__, which wants all that is required
        vars(record).update(values, _refused=refused)
        record.check(place)
        return record

    def to_dict(self) -> dict[str, Any]:
        """The JSON object that describes the record; what was not given, or has its default, is left out."""
        fields = fields_of(type(self))
        result = {} if "type" in fields or not hasattr(self, "type") else {"type": self.type}
        for name, field in fields.items():
            value = getattr(self, name)
            if field.metadata["in_file"] and value != default_of(field):
                result[name] = plain(value)
        return result

    def check(self, place: Place) -> None:
        """Read all values anew; tell `place` what is wrong with each, and between those that are right."""
        for name, message in self._refused.items():
            (place / name).say(message)
        right, values = set(), vars(self)
        for name, field, may_be_none in _fields_to_check(type(self)):
            before = place.count
            if not may_be_none or values.get(name, MISSING) is not None:
                values[name] = self._read(field, place / name)
            if place.count == before and name not in self._refused:
                right.add(name)
        if place.listens:
            for names, check_together in laws_of(type(self)):
                if right.issuperset(names):
                    check_together(self, place)

    def _read(self, field: dataclasses.Field, place: Place) -> Any:
        value = vars(self).get(field.name, MISSING)
        if value is not None and value is not MISSING:
            return field.metadata["rule"](value, place)
        if field.name not in self._refused:
            place.say(f"is missing; {a(described(type(self)))} needs it")
        return value


def plain(value: Any) -> Any:
    """A value as JSON knows it."""
    if isinstance(value, Record):
        return value.to_dict()
    if isinstance(value, Mapping):
        return {name: plain(entry) for name, entry in value.items()}
    entries = entries_of(value)
    return value if entries is None else [plain(entry) for entry in entries]


def record(cls: type[Record]) -> Rule:
    """A record of the given class, or the JSON object that describes it."""

    def read(value: Any, place: Place) -> Any:
        if isinstance(value, Mapping):
            return cls.from_dict(value, place)
        if not isinstance(value, cls):
            place.say(f"must be {a(cls.kind)}, is {shown(value)}")
        elif place.listens:
            value.check(place)
        return value

    return read


def record_by_type(*classes: type[Record]) -> Rule:
    """A record of one of the given classes, told apart by the key `type`."""
    rules = {cls.type: record(cls) for cls in classes}
    kind = classes[0].kind

    def read(value: Any, place: Place) -> Any:
        """The record of its type, or the value as it is if it has none."""
        if isinstance(value, classes):
            return rules[value.type](value, place)
        if not isinstance(value, Mapping):
            place.say(f"must be {a(kind)}, is {shown(value)}")
            return value
        word = value.get("type")
        if isinstance(word, str) and word in rules:
            return rules[word](value, place)
        is_what = f"is {shown(word)}" if "type" in value else "is missing"
        (place / "type").say(f"must be one of {', '.join(rules)}, {is_what}")
        return value

    return read


def items(rule: Rule, kind: str, plural: str) -> Rule:
    """A list of records that problems are named after: "body 'can 3'", or "bodies[3]" for one without a name.

    It stays the list that was assigned, where nothing in it had to be read, so that parts can be appended to it.
    """

    def read(value: Any, place: Place) -> Any:
        entries = entries_of(value)
        if entries is None:
            place.say(f"must be a list, is {shown(value)}")
            return value
        places = (item_place(entry, kind, f"{plural}[{i}]", place) for i, entry in enumerate(entries))
        result = [rule(entry, of_entry) for entry, of_entry in zip(entries, places, strict=True)]
        is_unchanged = isinstance(value, list) and all(map(operator.is_, result, value))
        return value if is_unchanged else result

    return read


def item_place(entry: Any, kind: str, otherwise: str, place: Place) -> Place:
    """The place of an item of a list, by its name if it has one."""
    if not place.listens:
        return place
    name = entry.get("name") if isinstance(entry, Mapping) else getattr(entry, "name", None)
    if not (isinstance(name, str) and name):
        return place.of_item(otherwise)
    return place.of_item(f"{kind} {shown(name)}", (kind, name))
