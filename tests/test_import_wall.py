# SPDX-License-Identifier: GPL-3.0-or-later
"""The wall between the rooms, kept by machine: each folder imports only from those that stand above it.

The order is solver, scene, operators, panels. The engine knows nothing of Blender; panels draw and so need no engine.
Inside the package every import is relative, because its name is
`bl_ext.<repository>.virtual_erector_set` in Blender and something else in a clone.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
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
# Inside the two large rooms: from the ground up. A folder, or a file at the root, imports only from those before it.
FLOORS = {
    "solver": (
        "whole_file", "library", "machine_code", "kernel", "spatial", "rotation", "subdivision", "mechanism",
        "surfaces", "model/elimination", "model", "model/linkage", "dynamics", "dynamics/tree", "dynamics/forces",
        "dynamics/loops", "dynamics/derivatives", "dynamics/implicit", "contact/detection", "contact/impulses",
        "contact/soft", "contact",
        "evaluation", "control", "integration/motion", "integration/adams", "integration/implicit",
        "integration/runge_kutta", "integration/impulse", "integration/variational", "integration/quasi_static",
        "integration/adaptive", "integration", "assembly",
        "simulation/catching", "simulation", "drives", "cycles", "kinematics", "posing", "synthesis", "script",
        "__init__", "__main__",
    ),
    "scene": (
        "findings", "geometry", "curves", "owner", "animation", "visible", "properties", "parts", "links", "rig",
        "read", "build", "quantities", "check", "bake", "drives", "preview", "play", "snap", "pose", "live", "start",
        "overlay", "mending", "examples", "examples/machines", "__init__",
    ),
}  # fmt: skip


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
    """Imports of `source`, a module of `package` (its folders from the root), that it may not have."""
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


def floor_of(name: str, room: str) -> str:
    """The folder of a module, or at the root of its room the file; `name` is its path without .py."""
    inside = name.removeprefix(f"{room}/")
    return inside.rpartition("/")[0] or inside


def climbs(edges: list[tuple[str, str]], room: str) -> list[str]:
    """Imports (of whom, whom) of a room's modules that lead to a floor above, and floors that are not in the list."""
    floors, found = FLOORS[room], []
    for one, other in edges:
        a, b = floor_of(one, room), floor_of(other, room)
        unknown = [floor for floor in (a, b) if floor not in floors]
        if unknown:
            found.append(f"{unknown[0]} is no floor of {room}")
        elif floors.index(a) < floors.index(b):
            found.append(f"{one} may not import {other}: {b} is above {a}")
    return found


def edges_of(room: str, changed: dict[str, str] | None = None) -> list[tuple[str, str]]:
    """Who imports whom in a room: paths without .py. `changed` are sources that stand in for those of the files."""
    sources = {
        path.relative_to(ROOT).as_posix().removesuffix(".py"): path.read_text(encoding="utf-8")
        for path in (ROOT / room).rglob("*.py")
    } | (changed or {})
    found = []
    for name, source in sources.items():
        for _, wanted, _ in imports(source, tuple(name.split("/")[:-1])):
            path = wanted.replace(".", "/")
            steps = (path, f"{path}/__init__", path.rpartition("/")[0], path.rpartition("/")[0] + "/__init__")
            other = next((step for step in steps if step in sources), None)
            if other is not None and other != name:
                found.append((name, other))
    return found


def circle(edges: list[tuple[str, str]]) -> list[str]:
    """Modules of which each imports, on some way, the others; none if there is no circle."""
    order, to = TopologicalSorter(), set(edges)
    for one, other in to:
        order.add(one, other)
    try:
        order.prepare()
    except CycleError as error:
        return error.args[1]
    return []


@pytest.mark.parametrize("room", FLOORS)
def test_inside_a_room_nothing_imports_from_above(room: str) -> None:
    assert climbs(edges_of(room), room) == []


@pytest.mark.parametrize("room", FLOORS)
def test_no_circles_of_files(room: str) -> None:
    assert circle(edges_of(room)) == []


@pytest.mark.parametrize("room", FLOORS)
def test_the_list_of_floors_has_no_floor_that_is_gone(room: str) -> None:
    modules = (ROOT / room).rglob("*.py")
    there = {floor_of(path.relative_to(ROOT).as_posix().removesuffix(".py"), room) for path in modules}
    assert set(FLOORS[room]) <= there


@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("solver/dynamics/tree/joints", "from ...contact.impulses import rows"),
        ("solver/model/arrays", "def late():\n    from ..dynamics.tree.joints import spin"),
        (
            "solver/mechanism/bodies",
            "if TYPE_CHECKING:\n    from ..model import arrays",
        ),
        ("solver/spatial", "from . import simulation"),
        ("scene/read/bodies", "from ..bake import write"),
        ("scene/properties/joint", "from ..parts.bodies import is_body"),
    ],
)
def test_the_wall_inside_itself(name: str, source: str) -> None:
    room = name.split("/")[0]
    assert len(climbs(edges_of(room, {name: source}), room)) == 1


def test_a_circle_of_two_files_is_found() -> None:
    changed = {"solver/model/poses": "from . import moment", "solver/model/moment": "from .poses import pose_of"}
    assert {"solver/model/poses", "solver/model/moment"} == set(circle(edges_of("solver", changed)))


def test_no_large_folders() -> None:
    """What a person can look over: at most eight files at the solver's root, four at the scene's, 24 in a folder."""
    counts = {
        folder: len([*folder.glob("*.py")])
        for room in RELATIVE_ONLY
        for folder in {path.parent for path in (ROOT / room).rglob("*.py")}
    }
    assert counts.pop(ROOT / "solver") <= 8
    assert counts.pop(ROOT / "scene") <= 4
    assert max(counts.values()) <= 24


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
