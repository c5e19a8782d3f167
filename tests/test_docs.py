# SPDX-License-Identifier: GPL-3.0-or-later
"""Pages name files and functions that are there; docstrings name the thing."""

from __future__ import annotations

import ast
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


NARROW = [ROOT / "docs" / f"{name}.md" for name in ("how-it-works", "notation")]
NARROW += sorted((ROOT / "docs" / "how").glob("*.md"))
LINK = re.compile(r"\]\((?!https?:)([^)#]*)(?:#([\w-]+))?\)")


@pytest.mark.parametrize("page", NARROW, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_lines_are_short(page: Path) -> None:
    lines = page.read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if len(line) > 120 and not line.startswith("|")] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(page: Path) -> None:
    for target, heading in LINK.findall(page.read_text(encoding="utf-8")):
        other = (page.parent / target).resolve() if target else page
        assert other.exists(), target
        if heading:
            assert heading in _headings(other), f"{target}#{heading}"


def _headings(page: Path) -> set[str]:
    """As GitHub names them in links."""
    titles = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.M)
    return {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}


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


def test_docstrings_name_the_thing() -> None:
    """Fewer than fifty begin with a relative clause instead."""
    found = []
    for room in ("solver", "scene", "operators", "panels"):
        for path in sorted((ROOT / room).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Module):
                    words = (ast.get_docstring(node) or "-").split()
                    if words[0] in ("What", "Whether", "Where", "How"):
                        found.append(f"{path.relative_to(ROOT)}: {' '.join(words[:8])}")
    assert len(found) < 50, "\n".join(found)
