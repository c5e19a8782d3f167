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
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    return "" if done.returncode == 0 else f"{done.returncode}: {done.stdout[-3000:]}\n{done.stderr[-3000:]}"


def test_blender_ends_when_the_extension_was_on():
    """Blender 4.5 as a module waits forever at its end if `typing` still holds a class of ours or of `bpy`."""
    text = "from tests.blender.conftest import load_extension as load; load().register(); load().unregister()"
    done = subprocess.run([sys.executable, "-c", text], cwd=ROOT, capture_output=True, timeout=60, check=False)
    assert done.returncode == 0


@pytest.mark.parametrize("seeds", ["1-2", "3-4"])
def test_random_operations(seeds):
    assert failure("operations", "--seeds", seeds, "--count", "150") == ""


def test_blender_killed_in_a_bake_and_while_it_saves():
    assert failure("kills", "--count", "3") == ""
