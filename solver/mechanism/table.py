# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers over time, and the laws that all lists over time share."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from .record import Record, key, law, record
from .value_rules import UNIT_LENGTH_TOLERANCE, Place, Rule, counted, entries_of, list_of, number, quaternion


@dataclass
class Table(Record):
    """A number over time: linear between its times, constant outside."""

    kind: ClassVar[str] = "table"
    times: tuple[float, ...] = key(list_of(number(), at_least=1))
    values: tuple[float, ...] = key(list_of(number(), at_least=1))

    @law("times", "values")
    def check_times(self, place: Place) -> None:
        check_over_time(self, ("values",), place)


Number = float | Table
Numbers = tuple[Number, ...]


def over_time(rule: Rule) -> Rule:
    """A number that follows `rule`, or a table of such numbers."""
    table = record(Table)

    def read(value: Any, place: Place) -> Any:
        if not isinstance(value, (Mapping, Table)):
            return rule(value, place)
        value = table(value, place)
        if place.listens:
            for i, entry in enumerate(entries_of(value.values) or ()):
                if isinstance(entry, float) and math.isfinite(entry):
                    rule(entry, place / "values" / i)
        return value

    return read


any_number = over_time(number())
not_negative = over_time(number(at_least=0))
vector_over_time = list_of(any_number, count=3, what="a list of 3 numbers")


_quaternion_of_tables = list_of(any_number, count=4, what="a quaternion [w, x, y, z]")


def quaternion_over_time(value: Any, place: Place) -> Any:
    """A unit quaternion, or one with tables among its components; in between those are made unit length."""
    entries = entries_of(value) or ()
    if not any(isinstance(entry, (Mapping, Table)) for entry in entries):
        return quaternion(value, place)
    count = place.count
    value = _quaternion_of_tables(value, place)
    if place.listens and place.count == count:
        _check_turns(value, place)
    return value


def _check_turns(components: Numbers, place: Place) -> None:
    """That a quaternion of tables is far enough from zero to be made unit length, at its knots and in between."""
    times, values = knots(components)
    ways, size = np.diff(values, axis=0), np.abs(values).max()
    steepness = np.sum(ways**2, axis=1)
    part = np.clip(-np.sum(values[:-1] * ways, axis=1) / np.where(steepness > 0.0, steepness, 1.0), 0.0, 1.0)
    closest = np.vstack([values[:-1] + part[:, None] * ways, values[-1:]])  # to zero, of each piece
    length = np.linalg.norm(closest, axis=1)
    if not length.min() > UNIT_LENGTH_TOLERANCE * size:
        k = int(np.argmin(length))
        time = times[-1] if k == len(ways) else times[k] + part[k] * (times[k + 1] - times[k])
        place.say(
            f"passes through [0, 0, 0, 0] at {time:g} s, which is no orientation; "
            "q and -q turn alike: take the one that is nearer to what comes before"
        )


def knots(numbers: Numbers) -> tuple[np.ndarray, np.ndarray] | None:
    """(times (T,), values (T, count)) of several numbers at all times at which one has a knot; None if none is a table.

    Between these times all of them are linear.
    """
    tables = [entry for entry in numbers if isinstance(entry, Table)]
    if not tables:
        return None
    times = np.unique(np.concatenate([table.times for table in tables]))
    columns = [
        np.interp(times, entry.times, entry.values) if isinstance(entry, Table) else np.full(len(times), entry)
        for entry in numbers
    ]
    return times, np.column_stack(columns)


def largest_norm(numbers: Numbers) -> float:
    """The largest length of a vector over time."""
    found = knots(numbers)
    return float(np.linalg.norm(numbers if found is None else found[1], axis=-1).max())


def mapped(numbers: Numbers, function: Callable[[np.ndarray], np.ndarray]) -> Numbers:
    """The numbers after a linear map of all of them together; tables stay tables."""
    found = knots(numbers)
    if found is None:
        return tuple(function(np.array(numbers, float)).tolist())
    times, values = found
    columns = np.array([function(row) for row in values]).T
    return tuple(Table(times, column) for column in columns)


def check_over_time(part: Any, names: tuple[str, ...], place: Place) -> None:
    """That the times of `part` increase, and that each list in `names` has an entry per time."""
    times = part.times
    for i in range(1, len(times)):
        if not times[i] > times[i - 1]:
            (place / "times" / i).say(f"must be later than the one before it, {times[i - 1]:g}, is {times[i]:g}")
    for name in names:
        values = getattr(part, name)
        if values is not None and len(values) != len(times):
            (place / name).say(f"must have {counted(len(times))}, one per time, has {len(values)}")
