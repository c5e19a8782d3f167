# SPDX-License-Identifier: GPL-3.0-or-later
"""The stack machine against Python's own evaluation of the same texts, and its changes against differences."""

from __future__ import annotations

import math
import os
import random
import re

import numpy as np
import pytest

from solver import evaluate
from solver.dynamics.forces.stack_machine import run_program
from solver.mechanism import Body, Expression, Mechanism
from solver.mechanism.arithmetic import MOST_STEPS, MOST_VALUES, NAMES, Program, program_of
from solver.model.arrays import PROGRAM_STEP

SEED = int(os.environ.get("VES_FUZZ_SEED", random.randrange(10**6)))
PYTHON = {
    **{name: getattr(math, name) for name in ("sin", "cos", "tan", "asin", "acos", "atan", "tanh", "sqrt", "exp")},
    **{name: getattr(math, name) for name in ("log", "floor", "hypot", "pi")},
    "atan2": lambda y, x: math.atan2(y + 0.0, x + 0.0),  # a zero has no sign
    "abs": abs, "min": min, "max": max,
    "sign": lambda x: float((x > 0) - (x < 0)), "clamp": lambda x, low, high: min(max(x, low), high),
}  # fmt: skip
OF_ONE = ["sin", "cos", "tan", "asin", "acos", "atan", "tanh", "sqrt", "exp", "log", "abs", "floor", "sign"]


def random_text(rng: random.Random, depth: int) -> str:
    """Whatever the grammar allows, with values that are none among them."""
    if depth == 0 or rng.random() < 0.1:
        return rng.choice([*NAMES, "pi", repr(round(rng.uniform(0, 4), 2)), str(rng.randint(0, 3))])
    one = [random_text(rng, depth - 1) for _ in range(3)]
    return rng.choice([
        lambda: f"({one[0]} {rng.choice('+-*/%')} {one[1]})",
        lambda: f"({one[0]} {rng.choice('+-*')} {one[1]})",
        lambda: f"({one[0]})**{rng.choice(['2', '3', '0.5', '(-1)', '(' + one[1] + ')'])}",
        lambda: f"-({one[0]})",
        lambda: f"{rng.choice(OF_ONE)}({one[0]})",
        lambda: f"{rng.choice(['min', 'max', 'hypot'])}({', '.join(one[: rng.randint(2, 3)])})",
        lambda: f"atan2({one[0]}, {one[1]})",
        lambda: f"clamp({one[0]}, -1, {one[1]})" ,
        lambda: f"({one[0]} if {one[1]} {rng.choice(['<', '<=', '>', '>=', '==', '!='])} {one[2]} else {one[1]})",
        lambda: f"({one[0]} if 0 < {one[1]} < {one[2]} and not {one[0]} > 1 or {one[2]} < 0 else 2)",
    ])()  # fmt: skip


def by_python(text: str, names: dict[str, float]) -> float | None:
    """None where Python raises, or has a complex number. Whole numbers are floats, as -0 is no integer."""
    floats = re.sub(r"(?<![\w.])\d+(?![\w.])", r"\g<0>.0", text)
    try:
        value = eval(floats, {"__builtins__": {}}, PYTHON | names)
        return None if isinstance(value, complex) else float(value)
    except (ArithmeticError, ValueError, TypeError):
        return None


def by_machine(program: Program, names: dict[str, float], changes: dict[str, float] | None = None) -> tuple:
    steps = np.array(list(zip(*program, strict=True)), PROGRAM_STEP).view(np.recarray)
    machine = np.zeros((3, max(len(NAMES) + MOST_VALUES, MOST_STEPS)))
    machine[0, : len(NAMES)] = [names[name] for name in NAMES]
    machine[1, : len(NAMES)] = [(changes or {}).get(name, 0.0) for name in NAMES]
    return run_program(steps, 0, len(steps), machine, True)


def cases(count: int, depth: int):
    rng = random.Random(SEED)
    while count > 0:
        text = random_text(rng, depth)
        program = program_of(text)
        if isinstance(program, Program):
            count -= 1
            yield text, program, {name: rng.uniform(-2, 2) for name in NAMES}


@pytest.mark.fallback
def test_random_texts_have_the_value_that_python_gives_them():
    finite = 0
    for text, program, names in cases(800, 3):
        expected, (value, _) = by_python(text, names), by_machine(program, names)
        if expected is None or not math.isfinite(expected):
            continue
        if "**" in text and not math.isfinite(value):
            continue  # Python went on with a complex number
        finite += 1
        assert value == pytest.approx(expected, rel=1e-9, abs=1e-12), (SEED, text, names)
    assert finite > 250, SEED


def test_machine_code_has_the_same_values():
    """Each body with three random texts at the start: its acceleration, times its mass."""
    bodies, forces, expected = [], [], []
    texts = cases(600, 3)
    while len(bodies) < 100:
        components, rng = [], random.Random(f"{SEED} {len(bodies)}")
        names = {name: rng.uniform(-2, 2) for name in NAMES} | {"t": 0.0, "m": rng.uniform(0.5, 2)}
        while len(components) < 3:
            text, program, _ = next(texts, (None, None, None))
            if text is None:
                break
            values = [by_machine(program, names | {"t": t})[0] for t in (0.0, 1e-9)]
            if all(abs(value) < 1e6 for value in values):  # (-1)**t has a value at 0 s, and none a moment later
                components.append((text, values[0]))
        if len(components) < 3:
            break
        k = len(bodies)
        place, velocity = [[names[prefix + axis] for axis in "xyz"] for prefix in ("", "v")]
        bodies.append(Body(f"b{k}", mass=names["m"], inertia=(1, 1, 1), position=place, linear_velocity=velocity))
        given = {name: names[name] for name in "abc"}
        forces.append(Expression(f"f{k}", body=f"b{k}", force=[text for text, _ in components], **given))
        expected.append([value / names["m"] for _, value in components])
    got = evaluate(Mechanism(gravity=(0, 0, 0), bodies=bodies, forces=forces))
    assert len(bodies) > 50
    assert got.linear_acceleration == pytest.approx(np.array(expected), rel=1e-9, abs=1e-12), SEED


@pytest.mark.fallback
def test_changes_are_derivatives():
    """Of random smooth texts along a random direction, against extrapolated differences."""
    checked = 0
    for text, program, names in cases(600, 3):
        rng = random.Random(text)
        way = {name: rng.uniform(-1, 1) for name in NAMES}
        if program.jumps or any(word in text for word in ("abs", "min", "max", "clamp")):
            continue
        value, change = by_machine(program, names, way)
        if not (math.isfinite(value) and abs(change) < 1e4):
            continue
        h, got = 1e-4, []
        for step in (h, h / 2, h / 4):
            ahead, behind = ({name: names[name] + s * way[name] for name in NAMES} for s in (step, -step))
            got.append((by_machine(program, ahead)[0] - by_machine(program, behind)[0]) / (2 * step))
        second = [(4 * got[k + 1] - got[k]) / 3 for k in range(2)]
        if not math.isfinite(sum(got)) or abs(second[1] - second[0]) > 1e-6 * (1 + abs(second[1])):
            continue  # too steep for differences
        checked += 1
        assert change == pytest.approx(second[1], rel=1e-5, abs=1e-5), (SEED, text, names)
    assert checked > 80, SEED


@pytest.mark.parametrize(
    ("text", "expected"),
    [("1/x", math.inf), ("-1/x", -math.inf), ("x/x", math.nan), ("sqrt(x-1)", math.nan), ("log(x)", -math.inf),
     ("log(x-1)", math.nan), ("x**(-1)", math.inf), ("(x-8)**(1/3)", math.nan), ("10**10**10", math.inf),
     ("exp(1e9)", math.inf), ("exp(-1e9)", 0.0), ("sin(1/x)", math.nan), ("asin(x+2)", math.nan),
     ("1 % x", math.nan), ("min(sqrt(x-1), 1)", math.nan), ("max(1, sqrt(x-1))", math.nan),
     ("1 if sqrt(x-1) < 2 else 3", math.nan), ("0*(1/x)", math.nan), ("tanh(1e9)", 1.0),
     ("tanh(sqrt(x-1))", math.nan),
     ("sqrt(x-1) if x > 1 else 5", 5.0), ("not sqrt(x-1)", math.nan), ("x > 0 and sqrt(x-1) > 0", 0.0),
     ("sign(sqrt(x-1))", math.nan), ("floor(1e20 + 0.5)", 1e20), ("(x-2)**3", -8.0), ("x**0", 1.0),
     ("1e30**1e30", math.inf),
     ("clamp(sqrt(x-1), 0, 1)", math.nan), ("atan2(x, x)", 0.0), ("atan2(-0, x - 1)", math.pi),
     ("(0-8)**1e20", math.inf)],
)  # fmt: skip
@pytest.mark.fallback
def test_what_has_no_value_is_none_and_raises_nothing(text, expected):
    names = dict.fromkeys(NAMES, 0.0)
    with np.errstate(all="raise"):
        value, change = by_machine(program_of(text), names, dict.fromkeys(NAMES, 1.0))
    assert value == pytest.approx(expected, nan_ok=True)
    assert isinstance(float(change), float)


@pytest.mark.parametrize("size", [1e-9, 1e-4, 0.00999, 0.01001, 0.3, 5.0, 19.99, 20.01])
@pytest.mark.fallback
def test_tanh_is_right_to_rounding(size):
    names = dict.fromkeys(NAMES, 0.0) | {"x": size}
    assert by_machine(program_of("tanh(x)"), names)[0] == pytest.approx(math.tanh(size), rel=2e-14)
    assert by_machine(program_of("tanh(-x)"), names)[0] == pytest.approx(-math.tanh(size), rel=2e-14)
