# SPDX-License-Identifier: GPL-3.0-or-later
"""Lines, words, numbers and options of the command language, and the one exception for a command that is wrong.

A table of options says what follows each of them: `{"-t": "x y z", "-if": "<type> <name>"}`. Words in angle brackets
stand for names, all others for numbers. Usages and messages are made from the same tables.
"""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from ..mechanism.value_rules import LARGEST, Place, Problems, Rule, shown

Options = Mapping[str, str]
Given = list[tuple[str, tuple]]  # options with what follows them, in the order of the line

LONGEST_LINE = 4000
LONGEST_NAME = 200
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_WHOLE = re.compile(r"\d{1,9}", re.ASCII)


class Wrong(Exception):
    """A command that can't be obeyed; its text is the reason."""


def lines(text: str) -> Iterator[tuple[int, list[str] | None]]:
    """(line number, words) of each line that says something; None for one that is too long to be meant."""
    for number, line in enumerate(text.split("\n"), start=1):
        if len(line) > LONGEST_LINE:
            yield number, None
        elif words := line.partition(";")[0].split():
            yield number, words


def number(word: str) -> float:
    """A decimal number such as -.5 or 1e-6. Nothing is evaluated."""
    if not _NUMBER.fullmatch(word):
        raise Wrong(f"{shown(word)} is not a number")
    value = float(word)
    if not abs(value) <= LARGEST:
        raise Wrong(f"{shown(word)} is too large; numbers go up to {LARGEST:g}")
    return value


def whole_number(word: str) -> int:
    """A whole number of at most nine digits."""
    if not _WHOLE.fullmatch(word):
        raise Wrong(f"must be a whole number, is {shown(word)}")
    return int(word)


def new_name(word: str, what: str, known: Collection[str]) -> str:
    """A name for something that is not there yet."""
    if word.startswith("-"):
        raise Wrong(f"a name must not begin with '-', as {shown(word)} does")
    if not word.isprintable() or len(word) > LONGEST_NAME:
        raise Wrong(f"a name must be printable and of at most {LONGEST_NAME} letters, is {shown(word)}")
    if word in known:
        raise Wrong(f"there is already a {what} named {shown(word)}")
    return word


def look_up(word: str, known: Mapping[str, Any], what: str) -> Any:
    """The thing of this name."""
    if word in known:
        return known[word]
    raise Wrong(f"there is no {what} named {shown(word)}{hint(word, known)}")


def hint(word: str, known: Collection[str]) -> str:
    """A guess at what was meant, for the end of a message."""
    if len(word) > LONGEST_NAME or len(known) > 1000:
        return ""
    similar = difflib.get_close_matches(word, list(known), n=1)
    return f"; is {shown(similar[0])} meant?" if similar else ""


def options(words: list[str], table: Options) -> Given:
    """The options of a line, each with the numbers (floats) or names that it takes; all but -if and -f only once."""
    result: Given = []
    i = 0
    while i < len(words):
        option = words[i]
        if option not in table:
            raise Wrong(_not_an_option(option, result, table))
        takes = table[option].split()
        follow = words[i + 1 : i + 1 + len(takes)]
        count = next((k for k, word in enumerate(follow) if word in table), len(follow))
        if count < len(takes):
            raise Wrong(f"{option} takes {table[option]}, but {count} of {len(takes)} are given")
        if not takes[0].startswith("<"):
            if any(option == before for before, _ in result):
                raise Wrong(f"{option} is given twice")
            follow = map(number, follow)
        result.append((option, tuple(follow)))
        i += 1 + len(takes)
    return result


def _not_an_option(word: str, before: Given, table: Options) -> str:
    if _NUMBER.fullmatch(word) and before:
        return f"{word} is one too many: {before[-1][0]} takes {table[before[-1][0]]}"
    return f"{shown(word)} is not an option here{hint(word, table)}; the options are {', '.join(table)}"


def usage(table: Options) -> str:
    """A table of options as a line: `[-t x y z] [-m kg]`."""
    return " ".join(f"[{option} {takes}]" for option, takes in table.items())


def obey(rule: Rule, value: Any, what: str) -> None:
    """Hold a value to a rule of the mechanism file, and call it `what` if it breaks it."""
    problems = Problems()
    rule(value, Place(problems, what))
    if problems:
        raise Wrong(problems[0])


def unit_quaternion(values: tuple[float, ...], what: str) -> tuple[float, ...]:
    """A quaternion of any length but zero, made of unit length: people type `.5 0 .5 0`."""
    largest = max(map(abs, values))
    if largest < 1e-12:
        raise Wrong(f"{what} must not be zero")
    scaled = [value / largest for value in values]
    length = math.hypot(*scaled)
    return tuple(value / length for value in scaled)
