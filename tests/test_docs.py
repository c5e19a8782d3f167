# SPDX-License-Identifier: GPL-3.0-or-later
"""What the pages say of the tree is so: each file that they name is there, and has the functions that they name."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
FILE = re.compile(r"`([\w./-]+\.py)(?:: ?(\w+))?`")
FOLDER = re.compile(r"`((?:solver|scene|operators|panels|examples|tests|benchmarks|tools|docs)/[\w/-]*)`")
SKIPPED = ("artefacts/", ".cache/", ".venv/")


def wrong(text: str) -> list[str]:
    """Names in a page that nothing in the tree has."""
    found = []
    for name, function in FILE.findall(text):
        files = [
            path
            for path in ROOT.rglob(name.rpartition("/")[2])
            if _is_ours(path) and path.as_posix().endswith(f"/{name}")
        ]
        if not files:
            found.append(name)
        elif function and not any(
            re.search(rf"^ *(def|class) {function}\b|^{function} = ", path.read_text("utf-8"), re.M) for path in files
        ):
            found.append(f"{name}: {function}")
    return found + [name for name in FOLDER.findall(text) if not (ROOT / name).exists()]


def _is_ours(path: Path) -> bool:
    return not any(part.startswith(".") or part in ("dist", "artefacts") for part in path.relative_to(ROOT).parts)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_what_a_page_names_is_there(page: Path) -> None:
    assert wrong(page.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("see `solver/kernel.py: entry`", []),
        ("see `kernel.py`", []),
        ("see `solver/kernels.py`", ["solver/kernels.py"]),
        ("see `solver/kernel.py: exit_`", ["solver/kernel.py: exit_"]),
        ("see `solver/dynamics/`", []),
        ("see `solver/kinetics/`", ["solver/kinetics/"]),
    ],
)
def test_the_test_itself(text: str, found: list[str]) -> None:
    assert wrong(text) == found
