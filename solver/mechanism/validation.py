# SPDX-License-Identifier: GPL-3.0-or-later
"""Problems of a mechanism as a whole: names that are used twice, or that nothing has.

What can be wrong with one part stands with that part (`bodies`, `joints`, ...). Everything here must bear any value,
since a mechanism built in Python may hold anything.
"""

from __future__ import annotations

import dataclasses
import difflib
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from .constraints import Coupling
from .joint_types import TYPE_NAMES
from .joints import Joint
from .messages import Message
from .record import Record, described, fields_of, item_place
from .ropes import Rope
from .value_rules import Place, Problems, a, bodies_or_world, body_name, body_names, shown, terrain_name

_KINDS = "bodies", "joints", "constraints", "forces"


def check_names(mechanism: Record, found: Problems) -> None:
    """Report names that are not unique, and names of bodies and of action targets that nothing has."""
    mechanism = _with_additions(mechanism)
    for kind in (*_KINDS, "terrains"):
        _check_unique(_parts(mechanism, kind).values(), kind, found)
    if isinstance(mechanism.bodies, list):
        _check_body_names(mechanism, found)
    if isinstance(mechanism.joints, list):
        _check_couplings(mechanism, found)
    _check_actions(mechanism, found)


def _with_additions(mechanism: Record) -> Record:
    """The mechanism with all that its actions put in, among its own parts."""
    given = (getattr(each, "add", None) for each in _parts(mechanism, "actions").values())
    added = [addition for addition in given if isinstance(addition, Record)]
    if not added:
        return mechanism
    lists = {}
    for kind in _KINDS:
        parts = [part for addition in added for part in _parts(addition, kind).values()]
        if parts and isinstance(getattr(mechanism, kind), list):
            lists[kind] = [*getattr(mechanism, kind), *parts]
    return dataclasses.replace(mechanism, **lists)


def _parts(mechanism: Record, kind: str) -> dict[int, Record]:
    """The parts of one kind that could be read as such, by their place in the list."""
    parts = getattr(mechanism, kind, None)
    numbered = enumerate(parts) if isinstance(parts, list) else ()
    return {i: part for i, part in numbered if isinstance(part, Record)}


def _names(parts: Iterable[Record]) -> list[str]:
    names = (getattr(part, "name", None) for part in parts)
    return [name for name in names if isinstance(name, str) and name]


def _check_unique(parts: Collection[Record], plural: str, found: Problems) -> None:
    for name, count in Counter(_names(parts)).items():
        if count > 1:
            kind = next(iter(parts)).kind
            item = f"{kind} {shown(name)}"
            found.append(Message("not-unique", (kind, name), item=item, count=count, plural=plural))


def _check_body_names(mechanism: Record, found: Problems) -> None:
    known = set(_names(_parts(mechanism, "bodies").values()))
    terrains = set(_names(_parts(mechanism, "terrains").values()))
    for kind in ("joints", "constraints", "forces"):
        for i, part in _parts(mechanism, kind).items():
            place = item_place(part, part.kind, f"{kind}[{i}]", Place(found))
            for name, field in fields_of(type(part)).items():
                value = getattr(part, name, None)
                if field.metadata["rule"] is body_name:
                    _check_known(value, known, "body", place / name)
                elif field.metadata["rule"] is terrain_name:
                    _check_known(value, terrains, "terrain", place / name)
                elif field.metadata["rule"] in (body_names, bodies_or_world) and isinstance(value, tuple):
                    for j, entry in enumerate(value):
                        _check_known(entry, known, "body", place / name / j)
    ignore = getattr(mechanism.contact, "ignore", ())
    for i, pair in enumerate(ignore if isinstance(ignore, tuple) else ()):
        for j, name in enumerate(pair if isinstance(pair, tuple) else ()):
            _check_known(name, known, "body", Place(found, "mechanism", ("contact", "ignore", i, j)))
        if isinstance(pair, tuple) and len(pair) == 2 and isinstance(pair[0], str) and pair[0] == pair[1]:
            place = Place(found, "mechanism", ("contact", "ignore", i))
            place.say(f"names '{pair[0]}' twice; a body never touches itself")


def _check_couplings(mechanism: Record, found: Problems) -> None:
    """That gears, racks and drums name joints that have one coordinate each, of the right kind."""
    joints: dict[str, list[Record]] = defaultdict(list)
    for joint in _parts(mechanism, "joints").values():
        for name in _names([joint]):
            joints[name].append(joint)
    for i, part in _parts(mechanism, "constraints").items():
        place = item_place(part, part.kind, f"constraints[{i}]", Place(found))
        for target, allowed, where in _named_joints(part, place):
            _check_known(target, joints.keys(), "joint", where)
            joint, *others = joints.get(target, (None,)) if isinstance(target, str) else (None,)
            if others:
                continue  # which one is meant is another problem
            if isinstance(joint, Joint) and joint.type in TYPE_NAMES and joint.type not in allowed:
                kinds = " or ".join(allowed) if len(allowed) < 3 else ", ".join(allowed[:-1]) + " or " + allowed[-1]
                where.say(f"must be a {kinds} joint, but {shown(target)} is {joint.type}")


def _named_joints(part: Record, place: Place) -> Iterator[tuple[Any, tuple[str, ...], Place]]:
    """The joints that a gear, a rack or a rope names, the types that these may be, and the place of each name."""
    if isinstance(part, Coupling):
        yield getattr(part, "joint_a", None), part.JOINTS_A, place / "joint_a"
        yield getattr(part, "joint_b", None), part.JOINTS_B, place / "joint_b"
    elif isinstance(part, Rope) and isinstance(part.drums, tuple):
        for k, name in enumerate(part.drums):
            yield name, ("revolute",), place / "drums" / k


def _check_known(name: Any, known: Collection[str], what: str, place: Place) -> None:
    """That `name`, if it is a name at all, is one of the known ones."""
    if not isinstance(name, str) or not name or name in known:
        return
    similar = difflib.get_close_matches(name, sorted(known), n=1) if len(name) < 100 and len(known) < 1000 else ()
    hint = f"; is {shown(similar[0])} meant?" if similar else ""
    place.say(f"names the {what} {shown(name)}, which there is not{hint}")


def _check_actions(mechanism: Record, found: Problems) -> None:
    by_name, bodies = defaultdict(list), {}
    for kind in ("joints", "constraints", "forces"):
        for part in _parts(mechanism, kind).values():
            for name in _names([part]):
                by_name[name].append(part)
    for part in _parts(mechanism, "bodies").values():
        bodies.update(dict.fromkeys(_names([part]), part))
    for name, body in bodies.items():
        by_name.setdefault(name, [body])  # only where no other part has the name
    for i, action in sorted(_parts(mechanism, "actions").items(), key=_time_of):
        target = getattr(action, "target", None)
        settings = getattr(action, "set", None)
        place = Place(found, f"actions[{i}]")
        removed = getattr(action, "remove", None)
        for j, name in enumerate(removed if isinstance(removed, tuple) else ()):
            _check_known(name, by_name.keys(), "part", place / "remove" / j)
        if target is None and isinstance(settings, Mapping):
            _check_settings(settings, mechanism, place / "set")
        if not isinstance(target, str) or not target:
            continue
        _check_known(target, by_name.keys(), "joint, constraint, force or body", place / "target")
        parts = by_name.get(target, ())
        if len(parts) > 1:
            kinds = ", ".join(part.kind for part in parts[:4])
            (place / "target").say(f"is ambiguous: {len(parts)} parts are named {shown(target)} ({kinds})")
        elif parts and isinstance(settings, Mapping):
            by_name[target] = [_check_settings(settings, parts[0], place / "set")]


def _time_of(numbered: tuple[int, Record]) -> float:
    time = getattr(numbered[1], "time", None)
    return time if isinstance(time, float) else 0.0


def _check_settings(settings: Mapping, part: Record, place: Place) -> Record:
    """That an action sets only what may change, to values that the part could have had from the start.

    part: as the actions before have left it. Returns it as this one leaves it.
    """
    changeable = [name for name, field in fields_of(type(part)).items() if field.metadata["changeable"]]
    unknown = [name for name in settings if name not in changeable]
    for name in unknown:
        of_what = a(described(type(part)))
        (place / str(name)).say(f"cannot be set in {of_what}; what can is {', '.join(changeable)}")
    if unknown:
        return part
    if part.kind == "mechanism":
        for name, value in settings.items():
            fields_of(type(part))[name].metadata["rule"](value, place / name)
    elif _is_right(part):
        start = (
            {"coordinates": None} if "motor" in settings else {}
        )  # a motor that comes later need not lead from there
        count, changed = place.count, dataclasses.replace(part, **settings, **start)
        changed.check(place)
        return changed if place.count == count else part
    return part


def _is_right(part: Record) -> bool:
    own = Problems()
    try:
        part.check(Place(own))
    except Problems.Enough:
        return False
    return not own
