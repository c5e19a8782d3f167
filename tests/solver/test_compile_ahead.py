# SPDX-License-Identifier: GPL-3.0-or-later
"""The process that compiles ahead: it says what it is at, and never outlives the one that started it."""

from __future__ import annotations

import subprocess
import sys

import pytest

from solver import compile_ahead, kernel

USUAL = ["trees (impulse)", "loops and constraints (impulse)", "trees", "loops and constraints"]


def begin(kind: str) -> subprocess.Popen:
    """Into the cache of these tests, which have to compile the same sooner or later."""
    command = [sys.executable, "-I", compile_ahead.__file__, str(kernel.cache_folder()), kind]
    folders = filter(None, sys.path)
    return subprocess.Popen([*command, *folders], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


@pytest.mark.skipif(not kernel.compiled(), reason="without a compiler there is nothing to compile")
def test_it_names_each_piece_in_the_order_that_was_asked_for() -> None:
    with begin("touching") as process:
        said = process.stdout.read().splitlines()
    assert process.returncode == 0
    assert [piece for piece in said if piece.startswith("the motion of")] == [f"the motion of {each}" for each in USUAL]
    assert [piece for piece in said if piece.startswith("actions on")] == [f"actions on {each}" for each in USUAL]
    assert {"forces and energies", "steps of posing"} <= set(said)


@pytest.mark.skipif(not kernel.compiled(), reason="without a compiler there is nothing to compile")
def test_it_ends_with_the_one_that_started_it() -> None:
    with begin("free") as process:
        assert process.stdout.readline() == "the start of trees\n"
        process.stdin.close()
        assert process.wait(timeout=60) == 0
