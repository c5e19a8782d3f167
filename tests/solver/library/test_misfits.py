# SPDX-License-Identifier: GPL-3.0-or-later
"""A library of kernels that does not fit is never run: one sentence says why, and numba compiles as if it were none."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from solver.library import loader
from solver.library.loader import digests_of, load, this_platform

ROOT = Path(__file__).resolve().parents[3]
CONTENT = b"no machine code"
FITS = {
    "format": loader.FORMAT, "platform": this_platform(), "file": "kernels.bin", "size": len(CONTENT),
    "sha256": hashlib.sha256(CONTENT).hexdigest(), "sources": {"kernel.py": digests_of("kernel.py")},
    "entries": {}, "structs": [], "classes": [], "dtypes": [],
}  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("VES_KERNELS", str(tmp_path))
    (tmp_path / "kernels.bin").write_bytes(CONTENT)
    return tmp_path


def written(folder: Path, **changes) -> str:
    """What is said of a library whose description differs so from one that fits."""
    (folder / loader.DESCRIPTION).write_text(json.dumps(FITS | changes))
    library, misfit = load()
    assert library is None
    assert misfit.startswith(f"the library of kernels in {folder} cannot be used: ")
    return misfit.partition("used: ")[2]


def test_none_is_asked_for(monkeypatch):
    monkeypatch.setenv("VES_KERNELS", "none")
    assert load() == (None, "")


def test_nothing_is_there(folder):
    assert load()[1].endswith("kernels.json cannot be read (No such file or directory)")


def test_a_damaged_description(folder):
    (folder / loader.DESCRIPTION).write_text('{"format": 1, "platf')
    assert load()[1].endswith("kernels.json is damaged")


def test_of_another_version(folder):
    assert written(folder, format=7) == f"it is of format 7, and this version reads format {loader.FORMAT}"


def test_for_another_platform(folder):
    assert written(folder, platform="amiga-68k") == f"it was made for amiga-68k, and this is {this_platform()}"


def test_of_other_sources(folder):
    others = {"kernel.py": digests_of("kernel.py"), "spatial.py": ["1", "2"], "gone.py": ["3", "4"]}
    assert written(folder, sources=others) == "it was made from another solver/spatial.py and 1 more"


def test_docstrings_are_no_other_sources(folder):
    same = {"kernel.py": ["of other docstrings", digests_of("kernel.py")[1]]}
    assert "made from" not in written(folder, sources=same)


def test_cut_in_half(folder):
    (folder / "kernels.bin").write_bytes(CONTENT[:7])
    assert written(folder) == f"kernels.bin is damaged (7 bytes of {len(CONTENT)})"


def test_no_library_at_all(folder):
    assert written(folder).startswith("kernels.bin cannot be loaded (")


def test_a_missing_file(folder):
    assert written(folder, file="other.bin") == "other.bin cannot be loaded (No such file or directory)"


def test_it_is_said_once_and_numba_takes_over(folder):
    (folder / loader.DESCRIPTION).write_text(json.dumps(FITS))
    code = "import solver.kernel; print(solver.kernel.compiles())"
    environment = os.environ | {"NUMBA_DISABLE_JIT": "0"}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, cwd=ROOT)
    assert done.stdout == "True\n"
    assert done.stderr.count("the library of kernels in") == 1
