# SPDX-License-Identifier: GPL-3.0-or-later
"""A few storms of each kind that another process can survive: Blender itself must not crash in them."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.blender.conftest import ROOT


def run(kind: str, *options: str) -> None:
    """Run a storm in a Blender of its own; it says what failed."""
    command = [sys.executable, "-m", f"tests.blender.storms.{kind}", *options]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, f"{done.stdout[-3000:]}\n{done.stderr[-3000:]}"


@pytest.mark.parametrize("seeds", ["1-2", "3-4"])
def test_random_operations(seeds):
    run("operations", "--seeds", seeds, "--count", "150")


def test_blender_killed_in_a_bake_and_while_it_saves():
    run("kills", "--count", "3")
