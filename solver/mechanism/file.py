# SPDX-License-Identifier: GPL-3.0-or-later
"""The mechanism file: JSON text in UTF-8, read with care and written so that a person can read it."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..whole_file import whole_file
from .error import refuse
from .messages import Message
from .value_rules import line, shown

HEADER = {"format": "ves-mechanism", "version": 1}


class JsonObject(dict):
    """A JSON object that remembers which of its keys the file gave more than once."""

    repeated: tuple[str, ...] = ()

    @classmethod
    def from_pairs(cls, pairs: list[tuple[str, Any]]) -> JsonObject:
        """The object of these keys and values, in the order of the file; of a repeated key the last value."""
        result = cls(pairs)
        if len(result) < len(pairs):
            counts = Counter(name for name, _ in pairs)
            result.repeated = tuple(name for name, count in counts.items() if count > 1)
        return result


def read(path: str | os.PathLike) -> JsonObject:
    """The JSON object in a file. Raises MechanismError if there is no such file, or no such object in it."""
    try:
        text = Path(path).read_bytes().decode("utf-8-sig")
        content = json.loads(text, object_pairs_hook=JsonObject.from_pairs) if text.strip() else None
    except (OSError, ValueError, RecursionError) as error:
        refuse([wrong_file(path, _reason(error))], error)
    if not text.strip():
        refuse([wrong_file(path, "is empty")])
    if not isinstance(content, JsonObject):
        refuse([wrong_file(path, f"must hold a JSON object, holds {shown(content)}")])
    return content


def wrong_file(path: str | os.PathLike, what: str) -> Message:
    """The problem with a file as a whole: `what` is wrong with it ("is empty")."""
    return Message("wrong-file", file=shown(os.fsdecode(path)), what=what)


def _reason(error: Exception) -> str:
    """Why a file could not be read, in a person's words."""
    match error:
        case OSError():
            return f"cannot be read: {line(error.strerror or str(error))}"
        case UnicodeDecodeError():
            return f"is not text: byte {error.start} is not UTF-8"
        case json.JSONDecodeError():
            return f"is not JSON: line {error.lineno}, column {error.colno}: {error.msg}"
        case RecursionError():
            return "is nested too deeply to be a mechanism"
        case _:
            return f"cannot be read: {line(str(error))}"


def check_header(data: Mapping[str, Any], found: list[str]) -> None:
    """Report what is wrong with `format` and `version`."""
    for name, wanted in HEADER.items():
        given = data.get(name)
        if name not in data:
            found.append(_wrong_entry(name, f"is missing, must be {json.dumps(wanted)}"))
        elif given != wanted or isinstance(given, bool):
            found.append(_wrong_entry(name, f"must be {json.dumps(wanted)}, is {shown(given)}"))


def _wrong_entry(name: str, what: str) -> Message:
    return Message("wrong-entry", item="mechanism", where=name, what=what)


def without_header(data: Mapping[str, Any]) -> JsonObject:
    """A file's object without `format` and `version`."""
    rest = JsonObject((name, value) for name, value in data.items() if name not in HEADER)
    rest.repeated = getattr(data, "repeated", ())
    return rest


def write(data: Mapping[str, Any], path: str | os.PathLike) -> None:
    """Write a mechanism's JSON object, a line per part. The file is replaced only once the new one is complete."""
    try:
        text = _text(data)
        with whole_file(Path(path).resolve(), "w", encoding="utf-8", newline="\n") as stream:
            stream.write(text)
    except (OSError, ValueError, RuntimeError) as error:  # the last: links that lead in a circle
        reason = getattr(error, "strerror", None) or str(error)
        refuse([wrong_file(path, f"cannot be written: {line(reason)}")], error)


def _text(data: Mapping[str, Any]) -> str:
    return "{\n" + ",\n".join(f" {_json(name)}: {_lines(value)}" for name, value in data.items()) + "\n}\n"


def _lines(value: Any) -> str:
    is_list_of_parts = isinstance(value, list) and any(isinstance(part, dict) for part in value)
    if not is_list_of_parts:
        return _json(value)
    return "[\n" + ",\n".join(f"  {_json(part)}" for part in value) + "\n ]"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)
