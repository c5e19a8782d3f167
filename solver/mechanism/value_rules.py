# SPDX-License-Identifier: GPL-3.0-or-later
"""The rules that a value of a mechanism can be held to: a number above zero, a unit quaternion, one of some words.

A rule is a function `rule(value, place)`. It returns the value as the rest of the program wants it (floats, tuples of
floats, records) and tells `place` what is wrong. What is wrong is returned as it came, so that reading it again says
the same again. So one function serves the file, assignment from Python, and checking.
"""

from __future__ import annotations

import math
import numbers
import reprlib
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from .inertia import as_text, nearest_inertia
from .messages import Message, Part

Rule = Callable[[Any, "Place"], Any]

UNIT_LENGTH_TOLERANCE = 1e-3
ROUNDING = 1e-9
LARGEST = 1e30  # so that nothing which is computed from such numbers overflows
SMALLEST = 1.0 / LARGEST  # of what must be greater than 0: so that nothing divided by it does
LONGEST_LINE = 300
MOST_PROBLEMS = 100


class Problems(list[str]):
    """A list of problems that has enough at some point: nobody reads more, and garbage can hold millions."""

    class Enough(Exception):
        """Ends the search for more."""

    def append(self, problem: str) -> None:
        """Adds a problem, shortened to a line. Raises Enough after MOST_PROBLEMS."""
        if len(self) >= MOST_PROBLEMS:
            super().append("... and more; mend these first")
            raise Problems.Enough
        short = line(problem)
        super().append(problem.as_text(short) if isinstance(problem, Message) else short)


class Place:
    """The place of a value (the item "body 'can 3'", then keys such as "keys", "times", 4), and where to report it."""

    __slots__ = ("item", "keys", "listens", "part", "problems")

    def __init__(
        self, problems: Problems | None, item: str = "", keys: tuple[str | int, ...] = (), part: Part | None = None
    ) -> None:
        self.problems, self.item, self.keys, self.part = problems, item, keys, part
        self.listens = problems is not None  # false while values are only read, not checked

    @property
    def count(self) -> int:
        """Number of problems so far."""
        return len(self.problems) if self.listens else 0

    def of_item(self, item: str, part: Part | None = None) -> Place:
        """The place of a part that problems are named after."""
        return Place(self.problems, item, (), part)

    def __truediv__(self, key: str | int) -> Place:
        """The place of a key, or of an entry of a list, inside this one."""
        return Place(self.problems, self.item, (*self.keys, key), self.part) if self.listens else self

    def say(self, message: str) -> None:
        """Report that the value here `message` ("must be finite")."""
        if not self.keys:
            self.say_by("wrong-part", what=message)
        else:
            self.say_by("wrong-value" if self.part else "wrong-entry", where=self._path(), what=message)

    def say_by(self, code: str, **values: Any) -> None:
        """Report the sentence of a code, which names its `{item}` itself, about the value here."""
        if self.listens:
            self.problems.append(Message(code, *((self.part,) if self.part else ()), item=self.item, **values))

    def _path(self) -> str:
        steps = (f"[{key}]" if isinstance(key, int) else f".{_key(key)}" for key in self.keys)
        return "".join(steps).lstrip(".")


DEAF = Place(None)

_shorten = reprlib.Repr()
_shorten.maxstring = 100


def shown(value: Any) -> str:
    """A value in a message: short, on one line, whatever it is."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, str):
        return line(_shorten.repr(str(value)))
    if isinstance(value, numbers.Integral) and abs(value) >= 10**20:
        return "a number of more than 20 digits"
    if isinstance(value, numbers.Real):
        return line(str(value))
    if isinstance(value, Mapping):
        return "an object"
    return f"a list of {len(value)}" if isinstance(value, (list, tuple)) else line(f"a {type(value).__name__}")


def a(kind: str) -> str:
    """ "a body", "an action"."""
    return f"an {kind}" if kind[0] in "aeiou" else f"a {kind}"


def line(message: str) -> str:
    """A message on one line: everything escaped that would not print, and cut where nobody reads on."""
    if not message.isprintable():
        message = message.encode("unicode_escape").decode("ascii")
    return message if len(message) <= LONGEST_LINE else message[: LONGEST_LINE - 3] + "..."


def counted(count: int) -> str:
    """ "1 entry", "2 entries"."""
    return f"{count} entry" if count == 1 else f"{count} entries"


def _key(name: str) -> str:
    return name if name.isidentifier() else shown(name)


def any_text(value: Any, place: Place) -> Any:
    """A text, possibly empty."""
    if not isinstance(value, str):
        place.say(f"must be a text, is {shown(value)}")
    elif place.listens and any("\ud800" <= letter <= "\udfff" for letter in value):
        place.say(f"must be valid Unicode, is {shown(value)}")
    return value


def text(value: Any, place: Place) -> Any:
    """A text that is not empty."""
    if isinstance(value, str) and not value:
        place.say("must not be empty")
    return any_text(value, place)


def body_name(value: Any, place: Place) -> Any:
    """The name of a body; whether there is one is seen when all are known."""
    return text(value, place)


def joint_name(value: Any, place: Place) -> Any:
    """The name of a joint; whether there is one is seen when all are known."""
    return text(value, place)


def terrain_name(value: Any, place: Place) -> Any:
    """The name of a terrain, likewise."""
    return text(value, place)


def body_names(value: Any, place: Place) -> Any:
    """The names of one body or more."""
    return names(value, place)


def bodies_or_world(value: Any, place: Place) -> Any:
    """The names of two bodies or more, null for the world."""
    return _names_or_null(value, place)


def joint_names(value: Any, place: Place) -> Any:
    """The names of joints, perhaps none."""
    return _any_names(value, place)


def _text_or_null(value: Any, place: Place) -> Any:
    return None if value is None else text(value, place)


def flag(value: Any, place: Place) -> Any:
    """True or false."""
    if not isinstance(value, bool):
        place.say(f"must be true or false, is {shown(value)}")
    return value


def one_of(*words: str) -> Rule:
    """One of the given words."""

    def read(value: Any, place: Place) -> Any:
        if not (isinstance(value, str) and value in words):
            place.say(f"must be one of {', '.join(words)}, is {shown(value)}")
        return value

    return read


def _is_number(value: Any) -> bool:
    return type(value) is float or (isinstance(value, numbers.Real) and not isinstance(value, bool))


def _finite(value: Any) -> float | None:
    """The value as a finite float, or None."""
    try:
        result = float(value)
    except (OverflowError, ValueError, TypeError):
        return None
    return result if math.isfinite(result) else None


def number(above: float | None = None, at_least: float | None = None, at_most: float = LARGEST) -> Rule:
    """A finite number of at most LARGEST, above, not below or not above a bound."""

    def read(value: Any, place: Place) -> Any:
        """The value as a float, or as it is if it is none."""
        if not _is_number(value):
            place.say(f"must be a number, is {shown(value)}")
            return value
        result = _finite(value)
        if result is None:
            place.say(f"must be finite, is {shown(value)}")
            return value
        if abs(result) > LARGEST:
            place.say(f"must be between {-LARGEST:g} and {LARGEST:g}, is {result:g}")
            return result
        if above is not None and not result > above:
            place.say(f"must be greater than {above:g}, is {result:g}")
        elif above == 0 and result < SMALLEST:
            place.say(f"must be at least {SMALLEST:g}, is {result:g}")
        if at_least is not None and not result >= at_least:
            place.say(f"must be at least {at_least:g}, is {result:g}")
        elif result > at_most:
            place.say(f"must be at most {at_most:g}, is {result:g}")
        return result

    if not above:  # a quick look at what is right as it is, as nearly all numbers are
        bounds = -LARGEST, at_least, None if above is None else SMALLEST
        least, most = max(bound for bound in bounds if bound is not None), min(at_most, LARGEST)
        read.accepts = lambda value: type(value) is float and least <= value <= most
    return read


def index(value: Any, place: Place) -> Any:
    """A whole number, zero or more."""
    if not isinstance(value, numbers.Integral) or isinstance(value, bool) or value < 0:
        place.say(f"must be a whole number, 0 or more, is {shown(value)}")
        return value
    return int(value)


def entries_of(value: Any) -> list | tuple | None:
    """The entries of a list, a tuple, an array or a vector; None for anything else."""
    if isinstance(value, (list, tuple)):
        return value
    if isinstance(value, np.ndarray):
        return value.tolist() if value.ndim else None
    if isinstance(value, Iterable) and hasattr(value, "__len__") and hasattr(value, "__getitem__"):
        return None if isinstance(value, (str, bytes, bytearray, Mapping)) else list(value)
    return None


def list_of(rule: Rule, count: int | None = None, at_least: int = 0, what: str = "a list") -> Rule:
    """A list (kept as a tuple) whose entries follow `rule`: exactly `count` of them, or `at_least` so many."""
    accepts, most = getattr(rule, "accepts", None), math.inf if count is None else count
    least = at_least if count is None else count

    def read(value: Any, place: Place) -> Any:
        """The value as a tuple, or as it is if it is no list."""
        if accepts and type(value) is tuple and least <= len(value) <= most and all(map(accepts, value)):
            return value
        entries = entries_of(value)
        if entries is None:
            place.say(f"must be {what}, is {shown(value)}")
            return value
        if count is not None and len(entries) != count:
            place.say(f"must have {counted(count)}, has {len(entries)}")
            return value
        if len(entries) < at_least:
            place.say(f"must have at least {counted(at_least)}, has {len(entries)}")
        return tuple(rule(entry, place / i) for i, entry in enumerate(entries))

    return read


def either(bare: Rule, several: Rule) -> Rule:
    """A value that follows `several` when it is a list, and `bare` otherwise."""

    def read(value: Any, place: Place) -> Any:
        return (bare if entries_of(value) is None else several)(value, place)

    return read


def per_coordinate(rule: Rule) -> Rule:
    """One value per coordinate of a joint; a bare value stands for a list of one."""
    several = list_of(rule)

    def read(value: Any, place: Place) -> Any:
        return several([value] if entries_of(value) is None else value, place)

    return read


def are_numbers(value: Any, count: int) -> bool:
    """True if a list of numbers came out as one."""
    return isinstance(value, tuple) and len(value) == count and all(map(_is_sound, value))


def _is_sound(value: Any) -> bool:
    return isinstance(value, float) and math.isfinite(value)


names = list_of(text, at_least=1, what="a list of names")
_any_names = list_of(text, what="a list of names")
_names_or_null = list_of(_text_or_null, at_least=2, what="a list of names, null for the world")
vector = list_of(number(), count=3, what="a list of 3 numbers")
positive_vector = list_of(number(above=0), count=3, what="a list of 3 numbers")
_four_numbers = list_of(number(), count=4, what="a quaternion [w, x, y, z]")


def quaternion(value: Any, place: Place) -> Any:
    """A unit quaternion [w, x, y, z]; one that is nearly of unit length is made so."""
    result = _four_numbers(value, place)
    if not are_numbers(result, 4):
        return result
    length = math.hypot(*result)
    if not abs(length - 1) <= UNIT_LENGTH_TOLERANCE:
        place.say(f"must be a unit quaternion [w, x, y, z], has length {length:g}")
        return result
    is_unit = abs(length - 1) < 1e-15
    return result if is_unit else tuple(component / length for component in result)


def limits(value: Any, place: Place) -> Any:
    """[lower, upper] per coordinate, null for no limit; one bare pair stands for a list of one."""
    entries = entries_of(value)
    is_bare_pair = entries is not None and len(entries) == 2 and any(map(_is_number, entries))
    return _pairs([value] if is_bare_pair else value, place)


def _pair(value: Any, place: Place) -> Any:
    if value is None:
        return None
    pair = _two_bounds(value, place)
    if are_numbers(pair, 2) and not pair[0] < pair[1]:
        place.say(f"must be [lower, upper] with lower below upper, is [{pair[0]:g}, {pair[1]:g}]")
    return pair


def _bound(value: Any, place: Place) -> Any:
    return None if value is None else _any_number(value, place)


_any_number = number()
_two_bounds = list_of(_bound, count=2, what="a pair [lower, upper], or null")
_pairs = list_of(_pair, what="a list with a pair [lower, upper], or null, per coordinate")

_moments = list_of(number(above=0), count=3, what="3 numbers, or 3 rows of 3 numbers")
_rows = list_of(vector, count=3)


def inertia(value: Any, place: Place) -> Any:
    """The inertia of a rigid body: 3 moments or a symmetric 3x3 matrix, such as a real distribution of mass has.

    That is: positive definite, and no principal moment above the sum of the other two (which a flat plate reaches).
    """
    entries = entries_of(value)
    is_matrix = bool(entries) and entries_of(entries[0]) is not None
    result = (_rows if is_matrix else _moments)(value, place)
    if not place.listens:
        return result
    if are_numbers(result, 3) and min(result) >= SMALLEST:
        if not _are_possible(sorted(result)):
            _say_impossible(sorted(result), np.diag(result), place)
    elif is_matrix and isinstance(result, tuple) and all(are_numbers(row, 3) for row in result):
        _possible_matrix(np.array(result), place)
    return result


def _possible_matrix(matrix: np.ndarray, place: Place) -> None:
    allowed = ROUNDING * np.abs(matrix).max()
    for i, j in ((0, 1), (0, 2), (1, 2)):
        if abs(matrix[i, j] - matrix[j, i]) > allowed:
            place.say(f"must be symmetric, but [{i}][{j}] is {matrix[i, j]:g} and [{j}][{i}] is {matrix[j, i]:g}")
            return
    moments = np.linalg.eigvalsh(matrix).tolist()
    if not _are_possible(moments):
        _say_impossible(moments, matrix, place)


def _are_possible(ascending: list[float]) -> bool:
    smallest, middle, largest = ascending
    return smallest >= SMALLEST and largest <= (smallest + middle) * (1 + ROUNDING)


def _say_impossible(ascending: list[float], matrix: np.ndarray, place: Place) -> None:
    smallest, middle, largest = ascending
    nearest = nearest_inertia(matrix)
    if not nearest.any():
        place.say(f"must be positive definite, but a principal moment is {smallest:g}; take a ball's, 2/5 m r²")
        return
    is_diagonal = np.count_nonzero(matrix - np.diag(np.diag(matrix))) == 0
    remedy = {
        "nearest": as_text(np.diag(nearest) if is_diagonal else nearest),
        "moments": as_text(np.diag(nearest)),
        "products": as_text(nearest[[0, 0, 1], [1, 2, 2]]),
    }
    if smallest < SMALLEST:
        place.say_by("inertia-not-positive", smallest=f"{smallest:g}", **remedy)
    else:
        numbers = {"largest": f"{largest:g}", "smallest": f"{smallest:g}", "middle": f"{middle:g}"}
        place.say_by("inertia-impossible", **numbers, **remedy)
