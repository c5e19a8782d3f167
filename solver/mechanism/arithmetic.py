# SPDX-License-Identifier: GPL-3.0-or-later
"""Arithmetic that a person writes as a text: read once, and put into a program for a small stack machine.

A text is never run as Python. Its grammar is that of Python's expressions, so Python's parser reads it; of the tree
that it makes only numbers, known names, known functions and arithmetic are taken, and everything else is refused with
its place. A program is a list of steps in postfix order: each takes its values from a stack and leaves one there.
`dynamics.forces.stack_machine` says what each step does.
"""

from __future__ import annotations

import ast
import functools
import math
import warnings
from collections.abc import Callable
from enum import IntEnum
from typing import Any, NamedTuple

from .value_rules import LARGEST, Place, any_text, shown

MOST_LETTERS, MOST_STEPS, MOST_DEPTH, MOST_VALUES = 1000, 250, 40, 24  # of a text; MOST_VALUES wait at once


class Step(IntEnum):
    """Steps of a program, by how many values they take from the stack: none, one, two (from ADD on), and three."""

    NUMBER = 0
    NAME = 1  # the value of a name, by its place in NAMES
    NEGATE = 2
    NOT = 3
    SIN = 4
    COS = 5
    TAN = 6
    ASIN = 7
    ACOS = 8
    ATAN = 9
    TANH = 10
    SQRT = 11
    EXP = 12
    LOG = 13
    ABS = 14
    FLOOR = 15
    SIGN = 16
    ADD = 17
    SUBTRACT = 18
    MULTIPLY = 19
    DIVIDE = 20
    POWER = 21
    MODULO = 22
    ATAN2 = 23
    HYPOT = 24
    MIN = 25
    MAX = 26
    LESS = 27
    LESS_EQUAL = 28
    GREATER = 29
    GREATER_EQUAL = 30
    EQUAL = 31
    NOT_EQUAL = 32
    AND = 33
    OR = 34
    CHOOSE = 35  # of three: a condition, what is taken if it is not zero, and what otherwise


NAMES = ("x", "y", "z", "vx", "vy", "vz", "t", "m", "a", "b", "c")
"""Place (m) and velocity (m/s) of a point, time (s), mass (kg), and three numbers that mean what a person wants."""

CONSTANTS = {"pi": math.pi}
_OF_ONE = (Step.SIN, Step.COS, Step.TAN, Step.ASIN, Step.ACOS, Step.ATAN, Step.TANH, Step.SQRT, Step.EXP, Step.LOG)
_UNARY = {step.name.lower(): step for step in (*_OF_ONE, Step.ABS, Step.FLOOR, Step.SIGN)}
_OF_MANY = {"atan2": Step.ATAN2, "min": Step.MIN, "max": Step.MAX, "hypot": Step.HYPOT}
FUNCTIONS = (*_UNARY, *_OF_MANY, "clamp")
_COUNTS = {"atan2": (2, 2), "clamp": (3, 3), **dict.fromkeys(("min", "max", "hypot"), (2, MOST_STEPS))}
_USES = {"clamp": "clamp(what, least, most)", **{name: f"{name}(.., ..)" for name in _OF_MANY}}
_OPERATORS = {
    ast.Add: Step.ADD,
    ast.Sub: Step.SUBTRACT,
    ast.Mult: Step.MULTIPLY,
    ast.Div: Step.DIVIDE,
    ast.Pow: Step.POWER,
    ast.Mod: Step.MODULO,
    ast.Lt: Step.LESS,
    ast.LtE: Step.LESS_EQUAL,
    ast.Gt: Step.GREATER,
    ast.GtE: Step.GREATER_EQUAL,
    ast.Eq: Step.EQUAL,
    ast.NotEq: Step.NOT_EQUAL,
    ast.And: Step.AND,
    ast.Or: Step.OR,
}
JUMPING = (Step.FLOOR, Step.SIGN, Step.MODULO, *map(Step, range(Step.LESS, Step.AND)))
"""Steps whose value jumps as theirs change smoothly; what is joined or chosen goes by them."""

KINKED = (*JUMPING, Step.ABS, Step.MIN, Step.MAX)
"""Steps that are not smooth somewhere: these, and those that bend."""

_JUMPING = {*JUMPING, Step.NOT, Step.AND, Step.OR, Step.CHOOSE}


class Program(NamedTuple):
    """A text that was read: its steps, and of each its number or the place of its name in NAMES, else 0."""

    steps: tuple[int, ...]
    numbers: tuple[float, ...]

    @property
    def names(self) -> set[str]:
        """Those that it asks for."""
        pairs = zip(self.steps, self.numbers, strict=True)
        return {NAMES[int(number)] for step, number in pairs if step == Step.NAME}

    @property
    def jumps(self) -> bool:
        """True if its value may jump as its names change smoothly."""
        return not _JUMPING.isdisjoint(self.steps)


class _Refused(Exception):
    """A text that is no arithmetic: where, from 0 on, or -1, what is wrong, and the remedy."""

    def __init__(self, at: int, what: str, remedy: str) -> None:
        where = f" at letter {at + 1}" if at >= 0 else ""
        super().__init__(f"{what}{where}; {remedy}")


@functools.lru_cache(maxsize=1024)
def program_of(text: str) -> Program | str:
    """The program of a text, or a sentence on what is wrong with it, which begins with a verb."""
    try:
        return _read(text)
    except _Refused as refused:
        return str(refused)


def arithmetic(value: Any, place: Place) -> Any:
    """A rule: a text that is arithmetic."""
    before, value = place.count, any_text(value, place)
    if place.listens and isinstance(value, str) and place.count == before:
        found = program_of(value)
        if isinstance(found, str):
            place.say(found)
    return value


def _read(text: str) -> Program:
    if not text.strip():
        raise _Refused(-1, "is empty", "write 0 for no force")
    if len(text) > MOST_LETTERS:
        raise _Refused(-1, f"has {len(text)} letters, and {MOST_LETTERS} are the most", "make it shorter")
    for at, letter in enumerate(text):
        if not (letter.isascii() and letter.isprintable()) or letter in "#\\":
            raise _Refused(at, f"has {shown(letter)}, which is no arithmetic,", _KNOWN)
    start = len(text) - len(text.lstrip())
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of what a compiler would say, and nothing is compiled
            tree = ast.parse(text.strip(), mode="eval")
    except SyntaxError as error:
        raise _Refused(start + max(0, (error.offset or 1) - 1), "cannot be read", _LIKE) from None
    except (ValueError, RecursionError, MemoryError):
        raise _Refused(-1, "is nested too deep", "make it simpler") from None
    writer = _Writer(text.strip(), start)
    writer.write(tree.body, 0)
    return Program(tuple(writer.steps), tuple(writer.numbers))


_LIKE = "write it like -2*vx + 0.5*sin(3*t)"
_KNOWN = "take numbers, names, functions, + - * / % **, comparisons, and, or, not, a if c else b"


class _Writer:
    """Writes the steps of a tree that Python's parser has made of a text."""

    def __init__(self, text: str, start: int) -> None:
        self.steps: list[int] = []
        self.numbers: list[float] = []
        self._text, self._start, self._values = text, start, 0

    def write(self, node: ast.AST, depth: int) -> None:
        """Appends the steps that leave the node's value on the stack."""
        if depth > MOST_DEPTH:
            self._refuse(node, f"is nested more than {MOST_DEPTH} deep", "make it simpler")
        for kind, write in self._WRITERS:
            if isinstance(node, kind):
                write(self, node, depth + 1)
                return
        self._refuse(node, f"has {self._quoted(node)}, which is no arithmetic,", _KNOWN)

    def _append(self, node: ast.AST, step: Step, taken: int, number: float = 0.0) -> None:
        self._values += 1 - taken
        if len(self.steps) == MOST_STEPS:
            self._refuse(node, f"has more than {MOST_STEPS} steps", "make it shorter")
        if self._values > MOST_VALUES:
            self._refuse(node, f"has more than {MOST_VALUES} values that wait for each other", "make it simpler")
        self.steps.append(int(step))
        self.numbers.append(number)

    def _refuse(self, node: ast.AST, what: str, remedy: str) -> None:
        raise _Refused(self._start + getattr(node, "col_offset", 0), what, remedy)

    def _quoted(self, node: ast.AST) -> str:
        first, last = getattr(node, "col_offset", 0), getattr(node, "end_col_offset", len(self._text))
        return shown(self._text[first:last])

    def _number(self, node: ast.Constant, _depth: int) -> None:
        if type(node.value) not in (int, float):
            self._refuse(node, f"has {self._quoted(node)}, which is no number,", _LIKE)
        if not abs(node.value) <= LARGEST:
            self._refuse(node, f"has a number beyond {LARGEST:g}", "take other units")
        self._append(node, Step.NUMBER, 0, float(node.value))

    def _name(self, node: ast.Name, _depth: int) -> None:
        if node.id in CONSTANTS:
            self._append(node, Step.NUMBER, 0, CONSTANTS[node.id])
        elif node.id in NAMES:
            self._append(node, Step.NAME, 0, float(NAMES.index(node.id)))
        elif node.id in FUNCTIONS:
            self._refuse(node, f"has the function {node.id} without its parentheses", f"write {node.id}(..)")
        else:
            self._refuse(node, f"has the unknown name {shown(node.id)}", f"known are {', '.join((*NAMES, *CONSTANTS))}")

    def _signed(self, node: ast.UnaryOp, depth: int) -> None:
        if isinstance(node.op, ast.Invert):
            self._refuse(node, f"has {self._quoted(node)}, which is no arithmetic,", _KNOWN)
        self.write(node.operand, depth)
        if not isinstance(node.op, ast.UAdd):
            self._append(node, Step.NOT if isinstance(node.op, ast.Not) else Step.NEGATE, 1)

    def _operation(self, node: ast.BinOp, depth: int) -> None:
        """From the first of a row on, as in a + b - c, so that long rows are not deep."""
        row = [node]
        while isinstance(row[-1].left, ast.BinOp):
            row.append(row[-1].left)
        self.write(row[-1].left, depth)
        for each in reversed(row):
            self.write(each.right, depth)
            if type(each.op) not in _OPERATORS:
                self._refuse_operator(each)
            self._append(each, _OPERATORS[type(each.op)], 2)

    def _refuse_operator(self, node: ast.BinOp) -> None:
        first, last = node.left.end_col_offset, node.right.col_offset
        at = next(k for k in range(first, last) if self._text[k] not in " ()")
        remedy = "write ** for a power" if isinstance(node.op, ast.BitXor) else _KNOWN
        what = shown(self._text[at:last].strip(" ("))
        raise _Refused(self._start + at, f"has {what}, which is no arithmetic,", remedy)

    def _comparison(self, node: ast.Compare, depth: int) -> None:
        """A chain, as in 0 < x < 1, is its comparisons, joined by `and`."""
        sides = [node.left, *node.comparators]
        for k, operator in enumerate(node.ops):
            if type(operator) not in _OPERATORS:
                self._refuse(node, f"has {self._quoted(node)}, which is no comparison,", "take < <= > >= == !=")
            self.write(sides[k], depth)
            self.write(sides[k + 1], depth)
            self._append(node, _OPERATORS[type(operator)], 2)
            if k > 0:
                self._append(node, Step.AND, 2)

    def _joined(self, node: ast.BoolOp, depth: int) -> None:
        self._row(node, node.values, _OPERATORS[type(node.op)], depth)

    def _choice(self, node: ast.IfExp, depth: int) -> None:
        for each in (node.test, node.body, node.orelse):
            self.write(each, depth)
        self._append(node, Step.CHOOSE, 3)

    def _call(self, node: ast.Call, depth: int) -> None:
        name = node.func.id if isinstance(node.func, ast.Name) else None
        if name not in FUNCTIONS:
            known = f"known are {', '.join(FUNCTIONS)}"
            self._refuse(node, f"has the unknown function {self._quoted(node.func)}", known)
        if node.keywords or any(isinstance(each, ast.Starred) for each in node.args):
            self._refuse(node, f"has {self._quoted(node)}, which gives values by name,", f"write {name}(.., ..)")
        count, least, most = len(node.args), *_COUNTS.get(name, (1, 1))
        if not least <= count <= most:
            self._refuse(
                node, f"has {count} value{'s' * (count != 1)} for {name}", f"write {_USES.get(name, f'{name}(..)')}"
            )
        if name in _UNARY:
            self.write(node.args[0], depth)
            self._append(node, _UNARY[name], 1)
        elif name == "clamp":
            for each, step in zip(node.args, (None, Step.MAX, Step.MIN), strict=True):
                self.write(each, depth)
                if step is not None:
                    self._append(node, step, 2)
        else:
            self._row(node, node.args, _OF_MANY[name], depth)

    def _row(self, node: ast.AST, values: list[ast.expr], step: Step, depth: int) -> None:
        for k, each in enumerate(values):
            self.write(each, depth)
            if k > 0:
                self._append(node, step, 2)

    _WRITERS: tuple[tuple[type, Callable], ...] = (
        (ast.Constant, _number),
        (ast.Name, _name),
        (ast.UnaryOp, _signed),
        (ast.BinOp, _operation),
        (ast.Compare, _comparison),
        (ast.BoolOp, _joined),
        (ast.IfExp, _choice),
        (ast.Call, _call),
    )
