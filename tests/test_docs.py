# SPDX-License-Identifier: GPL-3.0-or-later
"""Pages name files, functions, pages and headings that are there, and docstrings name the thing.

The pages about the inside are kept narrow, so that they can be read beside the code.
"""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
FILE = re.compile(r"`([\w./-]+\.py)(?:: ?(\w+))?`")
FOLDER = re.compile(r"`((?:solver|scene|operators|panels|examples|tests|benchmarks|tools|docs)/[\w/-]*)`")
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#{1,6} +(.+?) *$", re.M)
FENCED = re.compile(r"^ *```.*?^ *```", re.M | re.S)
CODE = re.compile(r"`[^`\n]*`")
NARROW = [ROOT / "docs/how-it-works.md", ROOT / "docs/notation.md", *sorted((ROOT / "docs/how").glob("*.md"))]
WIDTH = 120


def wrong(text: str) -> list[str]:
    """Names in a page that nothing in the tree has."""
    found = []
    for name, function in FILE.findall(text):
        files = [path for path in modules() if path.as_posix().endswith(f"/{name}")]
        if not files:
            found.append(name)
        elif function and not any(
            re.search(rf"^ *(def|class) {function}\b|^{function} = ", path.read_text("utf-8"), re.M) for path in files
        ):
            found.append(f"{name}: {function}")
    return found + [name for name in FOLDER.findall(text) if not (ROOT / name).exists()]


def too_long(text: str) -> list[int]:
    """Numbers of the lines that are longer than WIDTH; rows of tables cannot be broken."""
    lines = enumerate(text.splitlines(), 1)
    return [number for number, line in lines if len(line) > WIDTH and not line.startswith("|")]


def anchors(text: str) -> set[str]:
    """The names that GitHub gives to a page's headings."""
    found: dict[str, int] = {}
    names = set()
    for heading in HEADING.findall(FENCED.sub("", text)):
        words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
        name = re.sub(r"[^\w\- ]", "", words).replace(" ", "-")
        times = found[name] = found.get(name, -1) + 1
        names.add(f"{name}-{times}" if times else name)
    return names


def broken_links(text: str, page: Path) -> list[str]:
    """Links of a page to files that are not there, or to headings that those do not have."""
    found = []
    for link in LINK.findall(CODE.sub("", FENCED.sub("", text))):
        if re.match(r"[a-z]+:", link):
            continue
        name, _, anchor = link.partition("#")
        target = page.parent / name
        there = text if not name else target.read_text("utf-8") if target.suffix == ".md" and target.exists() else ""
        if not (target.exists() if name and not anchor else anchor in anchors(there)):
            found.append(link)
    return found


@cache
def modules() -> list[Path]:
    """All modules of the project; folders that are made, of environments above all, are large and not walked."""
    tops = [top for top in ROOT.iterdir() if top.is_dir() and not top.name.startswith(".")]
    inside = [path for top in tops if top.name not in ("dist", "artefacts") for path in top.rglob("*.py")]
    return [*ROOT.glob("*.py"), *inside]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_what_a_page_names_is_there(page: Path) -> None:
    assert wrong(page.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_what_a_page_links_to_is_there(page: Path) -> None:
    assert broken_links(page.read_text(encoding="utf-8"), page) == []


@pytest.mark.parametrize("page", NARROW, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_a_page_about_the_inside_is_narrow(page: Path) -> None:
    assert too_long(page.read_text(encoding="utf-8")) == []


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


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("see [trees](how/trees.md)", []),
        ("see [trees](how/trees.md#why-joints-do-not-open)", []),
        ("see [trees](how/trees.md#why-joints-open)", ["how/trees.md#why-joints-open"]),
        ("see [bushes](how/bushes.md)", ["how/bushes.md"]),
        ("# Here: and there\n\nsee [above](#here-and-there)", []),
        ("# Here\n\n# Here\n\nsee [the second](#here-1)", []),
        ("```\n# no heading\n```\n\nsee [it](#no-heading)", ["#no-heading"]),
        ("see [elsewhere](https://example.org/x#y), and `a[k](x)`", []),
    ],
)
def test_broken_links_are_found(text: str, found: list[str]) -> None:
    assert broken_links(text, ROOT / "docs" / "page.md") == found


def test_long_lines_are_found() -> None:
    assert too_long("\n".join(["x" * WIDTH, "x" * (WIDTH + 1), "| " + "x" * WIDTH])) == [2]


def test_docstrings_name_the_thing() -> None:
    """Fewer than fifty begin with a relative clause instead."""
    found = []
    for room in ("solver", "scene", "operators", "panels", "examples", "benchmarks", "tests", "tools"):
        for path in sorted((ROOT / room).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Module):
                    words = (ast.get_docstring(node) or "-").split()
                    if words[0] in ("What", "Whether", "Where", "How"):
                        found.append(f"{path.relative_to(ROOT)}: {' '.join(words[:8])}")
    assert len(found) < 50, "\n".join(found)


PACKAGES = sorted(
    path for top in ("solver", "scene", "operators", "panels") for path in (ROOT / top).rglob("__init__.py")
)


def unknown(package: Path) -> list[str]:
    """Names in a package's docstring that are no files in it, and that none of its files defines or takes.

    One with dots is a file from a folder above on, or what a file defines.
    """
    docstring = ast.get_docstring(ast.parse(package.read_text("utf-8"))) or ""
    names = set(re.findall(r"`([a-z_.]+)`", docstring))
    inside = list(package.parent.rglob("*.py"))
    known = {path.stem for path in inside} | {path.parent.name for path in inside}
    if names - known:
        known = known.union(*map(defined_in, inside))
    return sorted(name for name in names - known if "." not in name or not _leads_to(name.split("."), package.parent))


@cache
def defined_in(path: Path) -> set[str]:
    """Names of functions, classes, arguments, variables and fields of a file."""
    nodes = list(ast.walk(ast.parse(path.read_text("utf-8"))))
    found = {node.name for node in nodes if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    found |= {node.arg for node in nodes if isinstance(node, ast.arg)}
    return found | {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}


def _leads_to(names: list[str], folder: Path) -> bool:
    for start in (folder, *folder.parents):
        path = start.joinpath(*names)
        if path.is_dir() or path.with_suffix(".py").exists():
            return True
        holder = path.parent.with_suffix(".py")
        if start.is_relative_to(ROOT) and holder.exists() and names[-1] in defined_in(holder):
            return True
    return False


@pytest.mark.parametrize("package", PACKAGES, ids=lambda path: path.relative_to(ROOT).parent.as_posix())
def test_a_package_names_files_that_it_has(package: Path) -> None:
    assert unknown(package) == []
