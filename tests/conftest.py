# SPDX-License-Identifier: GPL-3.0-or-later
"""Common to all tests: a word at the end on what this environment could not run."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say what was left out, so that nobody takes a green run for more than it is."""
    folders = {Path(argument.split("::")[0]).resolve() for argument in terminalreporter.config.args}
    asked_for_blender = any((ROOT / "tests" / "blender").is_relative_to(folder) for folder in folders)
    ignored = [Path(path).resolve() for path in terminalreporter.config.getoption("ignore") or []]
    if asked_for_blender and ROOT / "tests" / "blender" not in ignored and importlib.util.find_spec("bpy") is None:
        terminalreporter.write_line(
            "NOT RUN: tests/blender (no bpy in this environment; see `make test-blender`)", red=True
        )
