# SPDX-License-Identifier: GPL-3.0-or-later
"""A few storms of each kind that another process can survive: Blender itself must not crash in them."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.blender.conftest import ROOT
from tests.blender.versions import oldest_and_newest

pytestmark = oldest_and_newest


def failure(kind: str, *options: str) -> str:
    """The end of what a storm in a Blender of its own says, if it failed."""
    command = [sys.executable, "-m", f"tests.blender.storms.{kind}", *options]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=600, check=False)
    return "" if done.returncode == 0 else f"{done.returncode}: {done.stdout[-3000:]}\n{done.stderr[-3000:]}"


@pytest.mark.parametrize("seeds", ["1-2", "3-4"])
def test_random_operations(seeds):
    assert failure("operations", "--seeds", seeds, "--count", "150") == ""


def test_blender_killed_in_a_bake_and_while_it_saves():
    assert failure("kills", "--count", "3") == ""
