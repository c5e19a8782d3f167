# SPDX-License-Identifier: GPL-3.0-or-later
"""The wall between the rooms, kept by machine: each folder imports only from those that stand above it.

The order is solver, scene, operators, panels. The engine knows nothing of Blender; panels draw and so need no engine.
Inside the package every import is relative, because its name is
`bl_ext.<repository>.virtual_erector_set` in Blender and something else in a clone.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
ROOMS = ("solver", "scene", "operators", "panels", "examples", "benchmarks", "tests")
BLENDER = {"bpy", "bmesh", "mathutils", "gpu", "gpu_extras", "blf", "bl_math", "bpy_extras", "aud", "idprop", "imbuf"}
# Per room: what of the project, and whether anything of Blender, may be imported by it.
MAY_IMPORT = {
    "solver": {"solver"},
    "scene": {"solver", "scene"},
    "operators": {"solver", "scene", "operators"},
    "panels": {"scene", "operators", "panels"},
    "tests/truths": set(),
}
WITHOUT_BLENDER = ("solver", "tests/truths")
RELATIVE_ONLY = ("solver", "scene", "operators", "panels")


def imports(source: str, package: tuple[str, ...]) -> Iterator[tuple[int, str, bool]]:
    """Every import in `source`, a module of `package`: line, dotted name from the root, relative or not."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name, False
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            stem = ".".join([*base, *([node.module] if node.module else [])])
            for alias in node.names:
                yield node.lineno, f"{stem}.{alias.name}" if stem else alias.name, node.level > 0


def breaches(source: str, package: tuple[str, ...]) -> list[str]:
    """What `source`, a module of `package` (its folders from the root), imports and may not."""
    room = "tests/truths" if package[:2] == ("tests", "truths") else package[0]
    found = []
    for line, name, relative in imports(source, package):
        top = name.split(".")[0]
        if top in ROOMS and room in MAY_IMPORT and top not in MAY_IMPORT[room]:
            found.append(f"line {line}: {room} may not import {name}")
        if top in BLENDER and room in WITHOUT_BLENDER:
            found.append(f"line {line}: {room} knows nothing of Blender, but imports {name}")
        if top in ROOMS and room in RELATIVE_ONLY and not relative:
            found.append(f"line {line}: import {name} relatively")
    return found


def modules() -> list[Path]:
    folders = [ROOT / room for room in MAY_IMPORT]
    return sorted(path for folder in folders for path in folder.rglob("*.py"))


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(ROOT)))
def test_no_room_imports_from_below(path: Path) -> None:
    assert breaches(path.read_text(encoding="utf-8"), path.relative_to(ROOT).parts[:-1]) == []


def test_the_root_imports_nothing_when_it_is_imported() -> None:
    """pytest imports the root, so it must not need Blender; `register` may."""
    tree = ast.parse((ROOT / "__init__.py").read_text(encoding="utf-8"))
    names = [ast.unparse(node) for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    assert [name for name in names if name != "from __future__ import annotations"] == []


@pytest.mark.parametrize(
    ("source", "package", "caught"),
    [
        ("import bpy", ("solver",), True),
        ("from mathutils import Vector", ("solver", "dynamics"), True),
        ("def late():\n    import bmesh", ("solver",), True),
        ("from ..scene import read", ("solver",), True),
        ("from .. import scene", ("solver",), True),
        ("from ...scene import read", ("solver", "dynamics"), True),
        ("from ..rotation import rotate", ("solver", "dynamics"), False),
        ("from ..operators import bake", ("scene",), True),
        ("from .. import solver", ("scene",), False),
        ("from solver import simulate", ("scene",), True),
        ("from ..solver import simulate", ("panels",), True),
        ("import bpy\nfrom ..scene import findings", ("panels",), False),
        ("from ..panels import sidebar", ("operators",), True),
        ("from solver import simulate", ("tests", "truths"), True),
        ("import numpy", ("tests", "truths"), False),
    ],
)
def test_the_wall_itself(source: str, package: tuple[str, ...], caught: bool) -> None:
    assert bool(breaches(source, package)) is caught
