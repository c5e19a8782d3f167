# SPDX-License-Identifier: GPL-3.0-or-later
"""Records: dataclasses whose fields carry the rule that their value follows.

A part of a mechanism only says `mass: float | None = key(number(above=0), None)`. Reading it from JSON, normalising
what Python assigns, checking and writing all follow from that. An attribute that is None was not given, unless null has
a meaning there. Nothing here raises for a wrong value: it is kept as it came, and `check` names it.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Mapping
from typing import Any, ClassVar, Self

from .rules import DEAF, Place, Rule, entries_of, shown


class _Missing:
    """Stands for a required value that a file does not give."""

    def __repr__(self) -> str:
        return "missing"


MISSING = _Missing()


def key(
    rule: Rule, default: Any = dataclasses.MISSING, *, null: bool = False, changeable: bool = False, **options: Any
) -> Any:
    """A field whose value follows `rule`; required if it has no `default`.

    `null`: the file may say null, which then means something (the world, no limit). `changeable`: an action may set it.
    """
    metadata = {"rule": rule, "null": null, "changeable": changeable}
    if isinstance(default, list):
        return dataclasses.field(default_factory=list, metadata=metadata, **options)
    return dataclasses.field(default=default, metadata=metadata, **options)


@functools.cache
def fields_of(cls: type[Record]) -> dict[str, dataclasses.Field]:
    """The fields of a record by name."""
    return {field.name: field for field in dataclasses.fields(cls)}


def is_required(field: dataclasses.Field) -> bool:
    return field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING


class Record:
    """A part of a mechanism. Assigning to one of its fields normalises the value by the field's rule."""

    kind: ClassVar[str] = "record"
    _refused: tuple[tuple[str, str], ...] = ()

    def __setattr__(self, name: str, value: Any) -> None:
        field = fields_of(type(self)).get(name)
        if field is not None and value is not None and value is not MISSING:
            value = field.metadata["rule"](value, DEAF)
        object.__setattr__(self, name, value)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """The record that a JSON object describes."""
        known = fields_of(cls)
        given = {name: MISSING for name, field in known.items() if is_required(field)}
        refused = [(name, "is given twice") for name in getattr(data, "repeated", ())]
        for name, value in data.items():
            if name == "type" and name not in known and hasattr(cls, "type"):
                continue
            if name not in known:
                refused.append((str(name), f"is not a key of a {cls.kind}; its keys are {', '.join(known)}"))
            elif value is None and not known[name].metadata["null"]:
                refused.append((name, "must not be null; leave it out if there is none"))
            else:
                given[name] = value
        record = cls(**given)
        if refused:
            object.__setattr__(record, "_refused", tuple(refused))
        return record

    def to_dict(self) -> dict[str, Any]:
        """The JSON object that describes the record; what was not given, or has its default, is left out."""
        fields = fields_of(type(self))
        result = {} if "type" in fields or not hasattr(self, "type") else {"type": self.type}
        for name, field in fields.items():
            value = getattr(self, name)
            default = field.default if field.default_factory is dataclasses.MISSING else field.default_factory()
            if is_required(field) or value != default:
                result[name] = plain(value)
        return result

    def check(self, place: Place) -> None:
        """Tell `place` what is wrong with each value, and then what is wrong between them."""
        for name, message in self._refused:
            (place / name).say(message)
        refused, before, is_complete = dict(self._refused), len(place.problems), True
        for name, field in fields_of(type(self)).items():
            value = getattr(self, name, MISSING)
            if value is None and (field.default is None or field.metadata["null"]):
                continue
            if value is None or value is MISSING:
                is_complete = False
                if name not in refused:
                    (place / name).say("is missing")
            else:
                field.metadata["rule"](value, place / name)
        if is_complete and len(place.problems) == before:
            self.check_together(place)

    def check_together(self, place: Place) -> None:
        """What the values, each of them right, must fulfil together. Records that have such a law override this."""


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
            value = cls.from_dict(value)
        if not isinstance(value, cls):
            place.say(f"must be a {cls.kind}, is {shown(value)}")
        elif place.listens:
            value.check(place)
        return value

    return read


def record_by_type(*classes: type[Record]) -> Rule:
    """A record of one of the given classes, told apart by the key `type`."""
    rules = {cls.type: record(cls) for cls in classes}
    kind = classes[0].kind

    def read(value: Any, place: Place) -> Any:
        if isinstance(value, classes):
            return rules[value.type](value, place)
        if not isinstance(value, Mapping):
            place.say(f"must be a {kind}, is {shown(value)}")
            return value
        word = value.get("type")
        if isinstance(word, str) and word in rules:
            return rules[word](value, place)
        is_what = f"is {shown(word)}" if "type" in value else "is missing"
        (place / "type").say(f"must be one of {', '.join(rules)}, {is_what}")
        return value

    return read


def items(rule: Rule, plural: str) -> Rule:
    """A list of records that problems are named after: "body 'can 3'", or "bodies[3]" for one without a name.

    It stays the list that was assigned, where nothing in it had to be read, so that parts can be appended to it.
    """

    def read(value: Any, place: Place) -> Any:
        entries = entries_of(value)
        if entries is None:
            place.say(f"must be a list, is {shown(value)}")
            return value
        result = []
        for i, entry in enumerate(entries):
            of_entry = Place(place.problems, item_name(entry, f"{plural}[{i}]")) if place.listens else place
            result.append(rule(entry, of_entry))
        is_unchanged = isinstance(value, list) and all(new is old for new, old in zip(result, value, strict=True))
        return value if is_unchanged else result

    return read


def item_name(entry: Any, otherwise: str) -> str:
    """What a problem calls an item: its kind and name, or else its place in the list."""
    name = entry.get("name") if isinstance(entry, Mapping) else getattr(entry, "name", None)
    kind = getattr(entry, "kind", None)
    if not isinstance(name, str) or not name:
        return otherwise
    return f"{kind} {shown(name)}" if isinstance(kind, str) else f"{otherwise} {shown(name)}"
