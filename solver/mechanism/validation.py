# SPDX-License-Identifier: GPL-3.0-or-later
"""What can be wrong with a mechanism as a whole: names that are used twice, or that nothing has.

What can be wrong with one part stands with that part (`bodies`, `joints`, ...). Everything here must bear any value,
since a mechanism built in Python may hold anything.
"""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from .record import Record, fields_of, item_name
from .rules import Place, Problems, body_name, shown

if TYPE_CHECKING:
    from .description import Mechanism


def problems(mechanism: Mechanism) -> list[str]:
    """What is wrong with a mechanism, one line each, naming the item; the first hundred or so."""
    found = Problems()
    try:
        mechanism.check(Place(found, "mechanism"))
        for kind in ("bodies", "joints", "constraints", "forces"):
            _check_unique(_parts(mechanism, kind), kind, found)
        _check_body_names(mechanism, found)
        _check_actions(mechanism, found)
    except Problems.Enough:
        pass
    return list(found)


def _parts(mechanism: Mechanism, kind: str) -> list[Record]:
    """The parts of one kind that could be read as such."""
    parts = getattr(mechanism, kind, None)
    return [part for part in parts if isinstance(part, Record)] if isinstance(parts, list) else []


def _names(parts: Iterable[Record]) -> list[str]:
    names = (getattr(part, "name", None) for part in parts)
    return [name for name in names if isinstance(name, str) and name]


def _check_unique(parts: list[Record], kind: str, found: Problems) -> None:
    for name, count in Counter(_names(parts)).items():
        if count > 1:
            found.append(f"{parts[0].kind} {shown(name)}: name must be unique, but {count} {kind} have it")


def _check_body_names(mechanism: Mechanism, found: Problems) -> None:
    if not isinstance(mechanism.bodies, list):
        return
    known = set(_names(_parts(mechanism, "bodies")))
    for kind in ("joints", "constraints", "forces"):
        for i, part in enumerate(_parts(mechanism, kind)):
            place = Place(found, item_name(part, f"{kind}[{i}]"))
            for name, field in fields_of(type(part)).items():
                if field.metadata["rule"] is body_name:
                    _check_known(getattr(part, name, None), known, "body", place / name)
    ignore = getattr(mechanism.contact, "ignore", ())
    for i, pair in enumerate(ignore if isinstance(ignore, tuple) else ()):
        for j, name in enumerate(pair if isinstance(pair, tuple) else ()):
            _check_known(name, known, "body", Place(found, "mechanism", ("contact", "ignore", i, j)))


def _check_known(name: Any, known: set[str], what: str, place: Place) -> None:
    """That `name`, if it is a name at all, is one of the known ones."""
    if not isinstance(name, str) or not name or name in known:
        return
    similar = difflib.get_close_matches(name, sorted(known), n=1) if len(name) < 100 and len(known) < 1000 else ()
    hint = f"; is {shown(similar[0])} meant?" if similar else ""
    place.say(f"names the {what} {shown(name)}, which there is not{hint}")


def _check_actions(mechanism: Mechanism, found: Problems) -> None:
    targets = [part for kind in ("joints", "constraints", "forces") for part in _parts(mechanism, kind)]
    names = _names(targets)
    counts, known = Counter(names), set(names)
    by_name = {part.name: part for part in targets if isinstance(getattr(part, "name", None), str)}
    actions = getattr(mechanism, "actions", None)
    for i, action in enumerate(actions if isinstance(actions, list) else ()):
        place = Place(found, f"actions[{i}]")
        target = getattr(action, "target", None)
        if not isinstance(target, str) or not target:
            continue
        if counts[target] > 1:
            (place / "target").say(
                f"is ambiguous: {counts[target]} joints, constraints and forces are named {shown(target)}"
            )
        _check_known(target, known, "joint, constraint or force", place / "target")
        if counts[target] == 1 and isinstance(action.set, dict):
            _check_settings(action.set, by_name[target], place / "set")


def _check_settings(settings: dict, part: Record, place: Place) -> None:
    """That an action sets only what may change, to values that the part could have had from the start."""
    changeable = {name: field for name, field in fields_of(type(part)).items() if field.metadata["changeable"]}
    for name, value in settings.items():
        if name not in changeable:
            kind = f"{part.type} {part.kind}" if isinstance(part.type, str) else part.kind
            (place / str(name)).say(f"cannot be set in a {kind}; what can is {', '.join(changeable) or 'nothing'}")
        elif value is not None or changeable[name].default is not None:
            changeable[name].metadata["rule"](value, place / name)
