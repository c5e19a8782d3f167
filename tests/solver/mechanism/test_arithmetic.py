# SPDX-License-Identifier: GPL-3.0-or-later
"""Arithmetic as a text: what is understood, and what is refused in one sentence, with its place and the remedy."""

from __future__ import annotations

import time
import warnings

import pytest

from solver.mechanism import Body, Expression, Mechanism
from solver.mechanism.arithmetic import FUNCTIONS, MOST_STEPS, NAMES, Program, program_of

NO_ARITHMETIC = {
    "": "is empty; write 0 for no force",
    "  ": "is empty; write 0 for no force",
    "foo + 1": "has the unknown name 'foo' at letter 1; known are x, y, z, vx, vy, vz, t, m, a, b, c, pi",
    "  X": "has the unknown name 'X' at letter 3; ",
    "x + sin": "has the function sin without its parentheses at letter 5; write sin(..)",
    "sinus(x)": "has the unknown function 'sinus' at letter 1; known are sin, cos, ",
    "sin(x, y)": "has 2 values for sin at letter 1; write sin(..)",
    "max(x)": "has 1 value for max at letter 1; write max(.., ..)",
    "clamp(x, 1)": "has 2 values for clamp at letter 1; write clamp(what, least, most)",
    "sin(x=1)": "has 'sin(x=1)', which gives values by name, at letter 1; ",
    "max(*x)": "has 'max(*x)', which gives values by name, at letter 1; ",
    "x^2": "has '^', which is no arithmetic, at letter 2; write ** for a power",
    "(x) // (2)": "has '//', which is no arithmetic, at letter 5; take numbers, names, functions, ",
    "x << 2": "has '<<', which is no arithmetic, at letter 3; ",
    "x @ y": "has '@', which is no arithmetic, at letter 3; ",
    "~x": "has '~x', which is no arithmetic, at letter 1; ",
    "x is y": "has 'x is y', which is no comparison, at letter 1; take < <= > >= == !=",
    "1 in x": "has '1 in x', which is no comparison, at letter 1; ",
    "x.real": "has 'x.real', which is no arithmetic, at letter 1; ",
    "x[0]": "has 'x[0]', which is no arithmetic, at letter 1; ",
    "().__class__": "has '().__class__', which is no arithmetic, at letter 1; ",
    "__import__('os').system('ls')": "has the unknown function ",
    "eval('1')": "has the unknown function 'eval' at letter 1; ",
    "(lambda: x)()": "has the unknown function 'lambda: x' at letter 1; ",
    "lambda: x": "has 'lambda: x', which is no arithmetic, at letter 1; ",
    "[x for x in y]": "has '[x for x in y]', which is no arithmetic, at letter 1; ",
    "(y := 3)": "has 'y := 3', which is no arithmetic, at letter 2; ",
    "x, y": "has 'x, y', which is no arithmetic, at letter 1; ",
    "f'{x}'": "has ",
    "'x'": "has ",
    "...": "has '...', which is no number, at letter 1; ",
    "True": "has 'True', which is no number, at letter 1; ",
    "None": "has 'None', which is no number, at letter 1; ",
    "2j": "has '2j', which is no number, at letter 1; ",
    "1e400": "has a number beyond 1e+30 at letter 1; take other units",
    "9" * 900: "has a number beyond 1e+30 at letter 1; ",
    "nan": "has the unknown name 'nan' at letter 1; ",
    "x = 1": "cannot be read at letter ",
    "x; y": "cannot be read at letter ",
    "x if y": "cannot be read at letter ",
    "import os": "cannot be read at letter ",
    "x +": "cannot be read at letter ",
    "(x": "cannot be read at letter 1; ",
    "x))": "cannot be read at letter ",
    "x\ny": r"has '\n', which is no arithmetic, at letter 2; ",
    "x\0": "has ",
    "x # y": "has '#', which is no arithmetic, at letter 3; ",
    "x \\": "has ",
    "2·x": "has '·', which is no arithmetic, at letter 2; ",
    "ｘ": "has 'ｘ', which is no arithmetic, at letter 1; ",
    "(" * 150 + "x" + ")" * 150 + "y": "cannot be read at letter ",
    "(" * 400 + "x" + ")" * 400: "cannot be read at letter ",
    "-" * 900 + "x": "is nested more than 40 deep at letter ",
    "sin(" * 100 + "x" + ")" * 100: "is nested more than 40 deep at letter ",
    "+".join("x" * 400): "has more than 250 steps",
    "x+(" * 30 + "x" + ")" * 30: "has more than 24 values that wait for each other at letter ",
    "x" * 2000: "has 2000 letters, and 1000 are the most; make it shorter",
    "<".join(["(x<y<z)"] * 30): "has more than 250 steps",
}  # fmt: skip


@pytest.mark.parametrize(("text", "said"), NO_ARITHMETIC.items(), ids=[each[:20] for each in NO_ARITHMETIC])
@pytest.mark.fallback
def test_what_is_no_arithmetic_is_refused_in_one_sentence(text, said):
    began = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = program_of(text)
    assert isinstance(found, str)
    assert found.startswith(said)
    assert time.perf_counter() - began < 0.5


@pytest.mark.parametrize("text", ["10**10**10", "9**9**9**9", "1/0", "sqrt(-1)", "0**-1", "1 if 1 else 1/0"])
@pytest.mark.fallback
def test_nothing_is_computed_while_it_is_read(text):
    began = time.perf_counter()
    assert isinstance(program_of(text), Program)
    assert time.perf_counter() - began < 0.5


@pytest.mark.fallback
def test_programs_are_in_postfix_order():
    program = program_of("-2*vx + a")
    assert list(program.steps) == [0, 2, 1, 19, 1, 17]  # 2, negated, vx, times, a, plus
    assert program.numbers == (2.0, 0.0, 3.0, 0.0, 8.0, 0.0)
    assert program.names == {"vx", "a"}


@pytest.mark.fallback
def test_long_rows_are_not_deep():
    assert len(program_of(" + ".join(["x"] * 120)).steps) == 239 <= MOST_STEPS


@pytest.mark.parametrize(
    ("text", "jumps"),
    [("sin(x)*tanh(vx)", False), ("abs(min(x, 0))", False), ("clamp(x, 0, 1)", False), ("sign(x)", True),
     ("x % 2", True), ("floor(t)", True), ("1 if x < 0 else 2", True), ("(x > 0)*x", True), ("not x", True)],
)  # fmt: skip
@pytest.mark.fallback
def test_what_may_jump_is_known(text, jumps):
    assert program_of(text).jumps == jumps


def with_force(*components, **others) -> list[str]:
    body = Body(name="ball", mass=1.0, inertia=(1, 1, 1))
    return Mechanism(bodies=[body], forces=[Expression("jet", body="ball", force=components, **others)]).problems()


@pytest.mark.fallback
def test_a_problem_names_the_force_the_component_the_letter_and_the_remedy():
    assert with_force("0", "-2*vx", "q*z") == [
        "force 'jet': force[2] has the unknown name 'q' at letter 1; known are " + ", ".join((*NAMES, "pi"))
    ]
    assert with_force("0", "0") == ["force 'jet': force must have 3 entries, has 2"]
    assert with_force("0", 3, None) == [
        "force 'jet': force[1] must be a text, is 3", "force 'jet': force[2] must be a text, is null",
    ]  # fmt: skip
    assert with_force("0", "0", "\ud800") == ["force 'jet': force[2] must be valid Unicode, is '\\ud800'"]
    assert with_force("0", "0", "0", axes="mine") == ["force 'jet': axes must be one of world, own, is 'mine'"]
    assert with_force("0", "0", "0") == []


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.fallback
def test_every_function_is_read(name):
    count = {"atan2": 2, "min": 3, "max": 2, "hypot": 3, "clamp": 3}.get(name, 1)
    assert isinstance(program_of(f"{name}({', '.join(['x', 'y', 'z'][:count])})"), Program)
