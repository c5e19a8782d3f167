# SPDX-License-Identifier: GPL-3.0-or-later
"""A force or a type of joint stands in few files: a new one must not be a walk through the house."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
ROOMS = ("solver", "scene", "operators", "panels")
MOST = 5  # files that name a force, beside that of its settings
COMMAND_LANGUAGE = "solver/script/forces.py"  # has words for some forces of its own
BLENDERS = "scene/check/bystanders.py"  # speaks of Blender's own force fields


def names_in(source: str) -> set[str]:
    """All names, attributes, imported names and constants in capitals of a module: a label may be of something else."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.alias(name=name) | ast.ClassDef(name=name):
                found.add(name)
            case ast.Constant(value=str(text)) if text.isupper():
                found.add(text)
    return found


def files_with(name: str) -> list[str]:
    """Files of the product that name a type of force: as a record, a kind, or in a table."""
    words = {name.capitalize(), name.upper(), f"add_{name}", f"{name}_numbers"}
    return [path.relative_to(ROOT).as_posix() for path, names in names_by_file().items() if words & names]


@cache
def names_by_file() -> dict[Path, set[str]]:
    """All names of each module of the product."""
    paths = [path for room in ROOMS for path in sorted((ROOT / room).rglob("*.py"))]
    return {path: names_in(path.read_text(encoding="utf-8")) for path in paths}


@pytest.mark.parametrize("name", ["drag", "brake"])
def test_a_force_is_named_in_few_files(name: str) -> None:
    files = [path for path in files_with(name) if path not in (COMMAND_LANGUAGE, BLENDERS)]
    assert "solver/dynamics/forces/laws.py" in files
    assert f"solver/dynamics/forces/{name}.py" in files
    assert len(files) <= MOST, files


def test_a_name_in_another_file_is_seen() -> None:
    assert "DRAG" in names_in("if force.kind == int(ForceKind.DRAG):\n    pass")
    assert "Drag" in names_in("from ..mechanism import Drag")
    assert "DRAG" in names_in('SHARE = {"DRAG": 0.5}')


JOINTS = {"solver/dynamics/tree/joints.py", "scene/properties/joint.py"}  # and its row in the table of types


@pytest.mark.parametrize("name", ["cylindrical", "planar"])
def test_a_joint_type_is_named_in_few_files(name: str) -> None:
    assert set(files_with(name)) == JOINTS


KNOW_BONES = {
    "scene/owner", "scene/properties/body", "scene/animation/kept", "scene/read/bodies", "scene/bake/bake",
    "scene/bake/write_keyframes", "scene/bake/on_controls", "scene/bake/locked", "scene/read/fingerprint",
    "operators/parts/ragdoll", "panels/add", "panels/bodies",
}  # fmt: skip
"""Files that ask whether a body moves an object or a bone, beside scene/rig, which makes such bodies."""


def test_few_files_know_bones_from_objects() -> None:
    words = {"moves_bone", "bone_shapes", "is_armature", "bone"}
    found = {
        path.relative_to(ROOT).as_posix().removesuffix(".py")
        for room in ROOMS
        for path in (ROOT / room).rglob("*.py")
        if words & words_in(path.read_text(encoding="utf-8"))
    }
    assert {path for path in found if not path.startswith("scene/rig/")} == KNOW_BONES


def words_in(source: str) -> set[str]:
    """All names, attributes and imported names of a module."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.alias(name=name):
                found.add(name)
            case ast.AnnAssign(target=ast.Name(id=name)):
                found.add(name)
    return found
