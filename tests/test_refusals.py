# SPDX-License-Identifier: GPL-3.0-or-later
"""One module raises: what cannot be is refused at one door of the solver, and at one of the scene."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
DOORS = {
    "solver": ("solver/mechanism/error.py", {"MechanismError", "RunError"}),
    "scene": ("scene/findings.py", {"SceneError"}),
}


def made(source: str, errors: set[str]) -> list[int]:
    """Lines of a source that make one of these errors, which is done to raise it."""
    calls = (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call))
    return sorted(node.lineno for node in calls if isinstance(node.func, ast.Name) and node.func.id in errors)


@pytest.mark.parametrize("room", DOORS)
def test_one_module_raises(room: str) -> None:
    door, errors = DOORS[room]
    files = {path.relative_to(ROOT).as_posix(): path for path in (ROOT / room).rglob("*.py")}
    raising = {name for name, path in files.items() if made(path.read_text(encoding="utf-8"), errors)}
    assert raising == {door}


def test_the_test_itself() -> None:
    assert made("x = 1\nraise MechanismError([])\nexcept_ = Other()", {"MechanismError"}) == [2]
