# SPDX-License-Identifier: GPL-3.0-or-later
"""Compiled or not: machine code is named after its sources, and the same functions run as plain Python."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import io
import os
import pkgutil
import shutil
import subprocess
import sys
import tokenize
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import solver
from solver import kernel
from solver.rotation import chart_rate, exponential, logarithm, matrix_of_quaternion, quaternion_of_matrix

SOURCES = Path(solver.__file__).resolve().parent
needs_compiler = pytest.mark.skipif(not kernel.compiles(), reason="nothing is compiled here")


def loaded(folder: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The kernel module of a copied package, under a name of its own."""
    package = ModuleType("copy_of_solver")
    package.__path__ = [str(folder)]
    monkeypatch.setitem(sys.modules, "copy_of_solver", package)
    spec = importlib.util.spec_from_file_location("copy_of_solver.kernel", folder / "kernel.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    shutil.copytree(SOURCES, tmp_path / "solver", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path / "solver"


def sources(folder: Path, entry: str) -> str:
    """What the machine code of an entry of a copied package is named after."""
    spec = importlib.util.spec_from_file_location("copy_of_solver.sources", folder / "library" / "sources.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.hash_of_sources(folder / entry)


ADAMS = "integration/adams/adams.py"


@needs_compiler
def test_machine_code_is_named_after_every_source_it_comes_from(copied):
    """STYLE, trap 2: a callee in another file changed, and numba would not notice."""
    before = sources(copied, ADAMS)
    changed = copied / "dynamics" / "tree" / "joints.py"
    text = changed.read_text()
    changed.write_text(text + "\nX = 1\n")
    assert sources(copied, ADAMS) != before
    changed.write_text(text)
    assert sources(copied, ADAMS) == before
    changed.rename(changed.with_name("other.py"))
    assert sources(copied, ADAMS) != before


@needs_compiler
def test_machine_code_outlives_what_it_does_not_come_from(copied):
    before = sources(copied, ADAMS)
    for other in ("simulation/simulation.py", "integration/impulse/step.py"):
        (copied / other).write_text("X = 1\n")
    docstring = copied / "dynamics" / "tree" / "joints.py"
    docstring.write_text(docstring.read_text().replace('"""', '"""Words. ', 1))
    assert sources(copied, ADAMS) == before


@needs_compiler
@pytest.mark.parametrize("name", sorted(file.relative_to(SOURCES).as_posix() for file in SOURCES.rglob("*.py")))
def test_imports_are_found_as_python_finds_them(name):
    """Without parsing, which would take a third of a second in each process; and docstrings alone are left out."""
    from solver.library.sources import imported_files, texts

    file = SOURCES / name
    tree = ast.parse(file.read_text(encoding="utf-8"))
    imported = set()
    for each in ast.walk(tree):
        if isinstance(each, ast.ImportFrom) and each.level:
            folder = file.parents[each.level - 1].joinpath(*(each.module or "").split("."))
            imported |= {file_of(folder / name.name) or file_of(folder) for name in each.names}
        elif isinstance(each, ast.Import | ast.ImportFrom):
            names = [each.module] if isinstance(each, ast.ImportFrom) else [name.name for name in each.names]
            assert not any(name.split(".")[0] == "solver" for name in names), "imports of the package are relative"
    assert {SOURCES / other for other in imported_files(name)} == imported
    assert meaning(texts()[name]) == meaning(file.read_text(encoding="utf-8"))


def meaning(text: str) -> list[str]:
    """The tokens of a file, without docstrings, comments and ends of lines."""
    kinds = {tokenize.NAME, tokenize.OP, tokenize.NUMBER, tokenize.STRING}
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return [each.string for each in tokens if each.type in kinds and not each.string.startswith('"""')]


def file_of(path: Path) -> Path | None:
    return next((file for file in (path.with_suffix(".py"), path / "__init__.py") if file.is_file()), None)


SHAPES = """
import math
import sys
from typing import NamedTuple

from solver.kernel import by_reference, entry, kernel, kernel_by_class, use_cache


class Round(NamedTuple):
    radius: float


class Square(NamedTuple):
    side: float


@by_reference
class Tile(NamedTuple):
    shape: NamedTuple
    thickness: float


@kernel
def _of_round(shape):
    return 3.0 * shape.radius**2


@kernel
def _of_square(shape):
    return shape.side**2


area = kernel_by_class(lambda shape: _of_round if shape is Round else _of_square)


@kernel
def volume(tile, x):  # too long to become a part of those that call it
    LONG
    return tile.thickness * area(tile.shape) + 0.0 * x


@entry
def volume_of(tile):
    return volume(tile, tile.thickness) + volume(tile, 2.0 * tile.thickness)


use_cache(sys.argv[1])
for name in sys.argv[2:]:
    shape = Round(2.0) if name == "round" else Square(2.0)
    print(round(volume_of(Tile(shape, 1.0)), 9))
"""


@needs_compiler
def test_what_different_processes_have_left_in_the_cache_goes_together(tmp_path):
    """Each has compiled the same kernels, as many as the other before them, for another type of the same class."""
    script = tmp_path / "tiles.py"
    script.write_text(SHAPES.replace("LONG", "; ".join(60 * ["x = math.sin(x) + math.cos(x)"])))

    def volumes(*names: str) -> list[float]:
        command = [sys.executable, str(script), str(tmp_path / "cache"), *names]
        environment = os.environ | {"PYTHONPATH": str(SOURCES.parent)}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True, timeout=300)
        return [float(line) for line in done.stdout.split()]

    assert volumes("round") == [24.0]
    assert volumes("square") == [8.0]
    assert volumes("round", "square") == [24.0, 8.0]
    assert volumes("square", "round") == [8.0, 24.0]


NAMESAKES = """
import importlib
import sys
import types
from typing import NamedTuple

package, folder, cache, *names = sys.argv[1:]
parent = package.rpartition(".")[0]
if parent:
    sys.modules[parent] = types.ModuleType(parent)
    sys.modules[parent].__path__ = [folder]
else:
    sys.path.insert(0, folder)
importlib.import_module(f"{package}.kernel").use_cache(cache)
tiles = importlib.import_module(f"{package}.tiles")


class Round(NamedTuple):
    side: float


for name in names:
    shape = {"round": tiles.Round(2.0), "square": tiles.Square(2.0), "namesake": Round(2.0)}[name]
    print(round(tiles.volume_of(tiles.Tile(shape, 1.0)), 9))
assert not parent or "solver" not in sys.modules
"""


@needs_compiler
def test_the_cache_is_the_same_whatever_the_package_is_called(copied, tmp_path):
    """In Blender and out of it; and classes that have one name in different modules are told apart."""
    text = SHAPES.replace("LONG", "x = math.sin(x)").replace("from solver.kernel", "from .kernel")
    (copied / "tiles.py").write_text(text.partition("use_cache(sys")[0])
    script = tmp_path / "namesakes.py"
    script.write_text(NAMESAKES)

    def volumes(package: str, *names: str) -> tuple[list[float], set[Path]]:
        command = [sys.executable, str(script), package, str(copied.parent), str(tmp_path / "cache"), *names]
        done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=300)
        return [float(line) for line in done.stdout.split()], set((tmp_path / "cache").rglob("*.nbc"))

    found, first = volumes("solver", "round")
    assert (found, len(first)) == ([24.0], 1)
    assert volumes("bl_ext.solver", "round") == ([24.0], first)
    found, others = volumes("bl_ext.solver", "namesake", "square", "round")
    assert (found, len(others)) == ([8.0, 8.0, 24.0], 3)
    assert volumes("solver", "namesake", "round", "square") == ([8.0, 24.0, 8.0], others)


@needs_compiler
def test_without_a_folder_for_the_cache_it_works(tmp_path):
    """numba's own places are not taken instead: beside the sources, they would know nothing of callees."""
    script = tmp_path / "tiles.py"
    script.write_text(SHAPES.replace("LONG", "x = math.sin(x)"))
    (tmp_path / "file").write_text("no folder")
    command = [sys.executable, str(script), str(tmp_path / "file" / "cache"), "round"]
    environment = os.environ | {"PYTHONPATH": str(SOURCES.parent)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True, timeout=300)
    assert (float(done.stdout), done.stderr) == (24.0, "")
    assert not list(tmp_path.rglob("*.nb*"))


def test_without_a_home_nothing_is_cached(copied, monkeypatch):
    """A folder named `~` is not made where one is, and nobody else's machine code is run."""
    for name in ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME", "HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(os.path, "expanduser", lambda path: path)  # as where the user has no entry
    module = loaded(copied, monkeypatch)
    assert module.cache_folder().is_absolute()
    assert not module._is_writable(module.cache_folder())
    assert not Path("~").exists()


def test_without_scipy_it_can_be_imported_and_says_so(tmp_path):
    code = "import sys; sys.modules['scipy'] = None; import solver.__main__; print('imported')"
    environment = os.environ | {"PYTHONPATH": str(SOURCES.parent)}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=300)
    assert (done.stdout, done.stderr) == ("imported\n", "")


def test_without_numba_functions_stay_what_they_are(copied, monkeypatch):
    monkeypatch.setenv("VES_KERNELS", "none")
    monkeypatch.setitem(sys.modules, "numba", None)
    module = loaded(copied, monkeypatch)

    def f():
        pass

    assert module.kernel(f) is f
    assert module.entry(f) is f
    assert module.compiled() is False
    module.use_cache("anywhere")


@pytest.mark.fallback
def test_compiled_tells_the_truth():
    """The fallback run sets NUMBA_DISABLE_JIT=1, so it must find plain Python, and the usual one must not."""
    has_numba = importlib.util.find_spec("numba") is not None
    assert solver.compiled() is (has_numba and os.environ.get("NUMBA_DISABLE_JIT", "0") == "0")


@pytest.mark.fallback
@pytest.mark.parametrize("angle", [0.0, 1e-9, 9.9e-4, 1.01e-3, 0.19, 0.21, 1.0, 3.0])
def test_charts_on_both_sides_of_their_series(angle):
    """exp and log undo each other, and theta' of the chart is the derivative of log; series and closed form meet."""
    theta = tuple(angle * x for x in (0.6, -0.48, 0.64))
    back = logarithm(exponential(theta))
    assert back == pytest.approx(theta, abs=1e-15, rel=1e-13)
    q = exponential(theta)
    assert quaternion_of_matrix(matrix_of_quaternion(q)) == pytest.approx(q, abs=1e-15)
    omega, h = (0.3, 1.1, -0.7), 1e-4
    ahead, behind = (logarithm(product(q, exponential(tuple(s * h * w for w in omega)))) for s in (1, -1))
    difference = [(a - b) / (2 * h) for a, b in zip(ahead, behind, strict=True)]
    assert chart_rate(theta, omega) == pytest.approx(difference, abs=10 * h**2)


def product(p, q):
    """Hamilton's, written out anew."""
    a, b, c, d = p
    e, f, g, h = q
    return (
        a * e - b * f - c * g - d * h,
        a * f + b * e + c * h - d * g,
        a * g - b * h + c * e + d * f,
        a * h + b * g - c * f + d * e,
    )


def test_no_field_of_a_record_hides_behind_an_attribute_of_numpy():
    """As plain Python, `record.size` is the 1 of numpy's own attribute, and no field."""
    for module in pkgutil.walk_packages(solver.__path__, "solver."):
        if module.name.endswith("__main__"):
            continue
        for name, value in vars(importlib.import_module(module.name)).items():
            if isinstance(value, np.dtype) and value.names:
                assert not set(value.names) & set(dir(np.record)), f"{module.name}.{name}"
