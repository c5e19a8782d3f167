# SPDX-License-Identifier: GPL-3.0-or-later
"""The library of kernels: it has every entry, numba is not missed, and motions are those of numba to the last bit.

Where VES_KERNELS names a library: `make test-kernels`.
"""

from __future__ import annotations

import ast
import importlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

import solver
from solver import kernel

ROOT = Path(__file__).resolve().parents[3]
SOURCES = ROOT / "solver"
LIBRARY = kernel._library
WITH = os.environ | {"VES_KERNELS": os.path.abspath(os.environ.get("VES_KERNELS", "none"))}
pytestmark = pytest.mark.skipif(LIBRARY is None, reason="no library of kernels (make test-kernels)")
WITH_NUMBA = """
import ctypes, runpy, sys
import llvmlite.binding as llvm
from solver import kernel
library = ctypes.CDLL(sys.argv[1])
library.ves_libm.restype = ctypes.c_void_p
names = "sin cos tan asin acos atan atan2 exp exp2 log log1p pow sincos".split()
for number, name in enumerate(names):
    llvm.add_symbol(name, library.ves_libm(number))
assert kernel.compiles()
sys.argv[:] = ["digests", *sys.argv[2:]]
runpy.run_path("tools/digests.py", run_name="__main__")
"""


def entries() -> list[tuple[str, str]]:
    """Module and name of each function of the solver that is marked so."""
    found = []
    for file in sorted(SOURCES.rglob("*.py")):
        module = ".".join(file.relative_to(ROOT).with_suffix("").parts)
        for each in ast.parse(file.read_text(encoding="utf-8")).body:
            if isinstance(each, ast.FunctionDef) and "entry" in map(ast.unparse, each.decorator_list):
                found.append((module, each.name))
    return found


@pytest.mark.parametrize(("module", "name"), entries())
def test_each_entry_is_in_the_library(module: str, name: str) -> None:
    assert type(getattr(importlib.import_module(module), name)) is type(len), "it would run as plain Python"


def test_each_combination_of_types_has_machine_code() -> None:
    """One that is missing raises TypeError."""
    code = (
        "import sys; from tools.kernels.every_entry import call_every_entry;"
        "print(sum(1 for _ in call_every_entry()), 'numba' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=WITH, capture_output=True, text=True, check=True)
    pieces, has_numba = done.stdout.split()
    assert int(pieces) > 30
    assert has_numba == "False"


def test_what_has_no_machine_code_is_refused_by_name() -> None:
    from solver.contact.detection.collision import place_shapes

    with pytest.raises(TypeError, match=r"place_shapes: .* no machine code for \(int, str\)"):
        place_shapes(1, "two")


def test_it_does_not_matter_what_the_solver_is_called(tmp_path: Path) -> None:
    """In Blender it is a part of another package."""
    (tmp_path / "outer").mkdir()
    (tmp_path / "outer" / "solver").symlink_to(SOURCES)
    code = "import outer.solver as s; from outer.solver import kernel; print(kernel._library is not None, s.compiled())"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=WITH, capture_output=True, text=True, check=True
    )
    assert done.stdout == "True True\n"


def test_a_process_may_import_the_solver_again_and_again(tmp_path: Path) -> None:
    """Blender does when the extension is switched off and on; each import goes on with classes of its own."""
    code = """
import sys, importlib
import numpy as np

def imported(name):
    solver = importlib.import_module(f"{name}.solver")
    importlib.import_module(f"{name}.solver.mechanism")
    return solver

def moves(solver):
    body = solver.mechanism.Body(name="a", mass=1.0, inertia=(1.0, 1.0, 1.0))
    return float(solver.simulate(solver.Mechanism(bodies=[body]), 0.1).position[-1, 0, 2])

imports = []
for turn in range(9):
    for name in [each for each in sys.modules if each.split(".")[0] == "outer"]:
        del sys.modules[name]
    imports += [imported("outer"), imported("other")]
print({moves(each) for each in imports + imports[::-1]})
"""
    for name in ("outer", "other"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "solver").symlink_to(SOURCES)
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, env=WITH, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert len(ast.literal_eval(done.stdout)) == 1


@pytest.mark.slow
@pytest.mark.parametrize("only", ["reference/", "script/", "benchmark/contact"])
def test_motions_are_those_of_numba_to_the_last_bit(only: str) -> None:
    """With the same sine and cosine; numba's own are those of the machine."""
    pytest.importorskip("numba")
    files = [each for each in Path(os.environ["VES_KERNELS"]).iterdir() if each.name.startswith("kernels.")]
    (machine_code,) = [each for each in files if each.suffix != ".json"]

    def digests(*command: str, **environment: str) -> list[str]:
        done = subprocess.run(
            [sys.executable, *command, "--only", only], env=os.environ | environment | {"PYTHONPATH": str(ROOT)},
            cwd=ROOT, capture_output=True, text=True, check=True,
        )  # fmt: skip
        return done.stdout.splitlines()

    by_library = digests("tools/digests.py")
    assert len(by_library) > 1
    assert digests("-c", WITH_NUMBA, str(machine_code.resolve()), VES_KERNELS="none") == by_library


def test_the_engine_says_that_it_is_compiled() -> None:
    assert solver.compiled()
    assert not kernel.compiles()
