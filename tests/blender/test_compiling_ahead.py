# SPDX-License-Identifier: GPL-3.0-or-later
"""Who waits for the process that compiles ahead, and who ends it: here it is a stand-in, `tests/gui` has a real one."""

from __future__ import annotations

import time
from types import SimpleNamespace

import pytest
from virtual_erector_set.scene.compiling import ahead as compiling_ahead
from virtual_erector_set.scene.compiling import thread as compiling

from tests.blender.linkages import body

PIECE = "the motion of trees"


class Process:
    """Runs until it is killed."""

    def __init__(self) -> None:
        self.is_killed = False

    def poll(self) -> int | None:
        return -9 if self.is_killed else None

    def kill(self) -> None:
        self.is_killed = True


@pytest.fixture
def ahead(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """A process that is at a piece."""
    under_way = SimpleNamespace(piece=PIECE, process=Process())
    monkeypatch.setattr(compiling_ahead, "_ahead", under_way)
    return under_way


def test_without_a_window_nothing_is_compiled_ahead() -> None:
    body("Box")
    assert compiling_ahead._ahead is None


def test_who_needs_another_piece_ends_it(ahead: SimpleNamespace) -> None:
    compiling_ahead.wait_for("the motion of trees (impulse)")
    assert ahead.process.is_killed
    assert compiling_ahead._ahead is None


def test_who_needs_the_piece_that_it_is_at_waits_for_it(ahead: SimpleNamespace) -> None:
    """A bake shows the piece meanwhile, and its own work on it begins after that."""
    ended: list[bool] = []

    def pieces():
        yield PIECE
        ended.append(ahead.piece != PIECE)

    shown = compiling.compile_solver(pieces(), with_inspection=False)
    assert [next(shown) for _ in range(5)] == [PIECE] * 5
    assert not ended
    assert not ahead.process.is_killed
    ahead.piece = "the next one"
    assert set(shown) <= {PIECE}
    assert ended == [True]


def test_one_that_has_ended_holds_nobody_up(ahead: SimpleNamespace) -> None:
    ahead.piece, ahead.process.is_killed = "", True
    begun = time.perf_counter()
    compiling_ahead.wait_for(PIECE)
    assert time.perf_counter() - begun < 1.0
    assert compiling_ahead._ahead is ahead, "done: it does not begin anew"
