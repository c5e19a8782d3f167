# SPDX-License-Identifier: GPL-3.0-or-later
"""Kernels of the library are shared by types that mean the same to them, and by no others."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("numba")
ROOT = Path(__file__).resolve().parents[3]
KINDS = """
from typing import NamedTuple
import numba, numpy as np
from solver.kernel import by_reference, kernel, kernel_by_class
from tools.kernels import sharing

@by_reference
class Tree(NamedTuple):
    lengths: np.ndarray
    inner: tuple

class Closed(Tree): pass

@by_reference
class Other(NamedTuple):
    count: int
    lengths: np.ndarray
    inner: tuple

class Room(NamedTuple):
    width: np.ndarray
    doors: int

class Wide(Room): pass

class Tall(NamedTuple):
    doors: int
    width: np.ndarray

@kernel
def twice(x): return 2.0 * x

@kernel
def width(inner): return inner.width[0]

@kernel
def total(model): return twice(model.lengths[0]) + model.lengths[1] + width(model.inner)

@kernel
def one(model): return 1.0

@kernel
def two(model): return 2.0

rows = kernel_by_class(lambda model: two if model is Closed else one)

@kernel
def counted(model): return rows(model) + total(model)

@kernel
def both(first, second): return total(first) * total(second)

@kernel
def of_one(first, second): return first.lengths[0] + second.lengths[0]

sharing.begin()

def code(kernel, *values):
    arguments = tuple(map(numba.typeof, values))
    kernel.dispatcher.compile(arguments)
    return kernel.dispatcher.overloads[arguments].library

a, room, wide, tall = np.ones(2), Room(np.ones(1), 1), Wide(np.ones(1), 1), Tall(1, np.ones(1))
tree, closed, other = Tree(a, room), Closed(a, room), Other(1, a, room)
"""


SAME = [
    "code(total, tree) is code(total, closed)",
    "code(total, tree) is code(total, Tree(a, wide))",
    "code(both, tree, tree) is code(both, closed, closed)",
    "code(of_one, tree, closed) is code(of_one, closed, tree)",
    "code(counted, tree) is code(counted, Tree(a, wide))",
]
OTHER = {
    "code(counted, tree) is code(counted, closed)": "another kernel is chosen",
    "code(total, tree) is code(total, other)": "the field lies elsewhere",
    "code(total, tree) is code(total, Tree(a, tall))": "a callee's field lies elsewhere",
    "code(total, tree) is code(total, Tree(np.ones(2, np.float32), room))": "the field is of another type",
    "code(total, tree) is code(total, Tree(np.ones(4)[::2], room))": "the field is laid out otherwise",
    "code(both, tree, tree) is code(both, tree, Tree(a, tall))": "it fits one of two only",
    "code(both, tree, tree) is code(both, tree, closed)": "one type stood for both",
}


@pytest.fixture(scope="module")
def held() -> dict[str, bool]:
    """For each condition, True if it holds, in a process of its own, since all of a process shares or nothing."""
    conditions = [*SAME, *OTHER]
    code = f"{KINDS}\nfor each in {conditions!r}:\n    print(eval(each))"
    environment = os.environ | {"VES_KERNELS": "none", "NUMBA_DISABLE_JIT": "0"}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    return {each: line == "True" for each, line in zip(conditions, done.stdout.splitlines(), strict=True)}


@pytest.mark.parametrize("condition", SAME)
def test_types_that_mean_the_same_share_code(held: dict[str, bool], condition: str) -> None:
    assert held[condition]


@pytest.mark.parametrize("condition", OTHER)
def test_types_that_mean_something_else_have_code_of_their_own(held: dict[str, bool], condition: str) -> None:
    assert not held[condition], OTHER[condition]
