# SPDX-License-Identifier: GPL-3.0-or-later
"""Live runs that are interrupted in the midst of frames, the same at each run of a test; and recordings bit by bit."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from dataclasses import fields
from types import SimpleNamespace

import numpy as np
import pytest

from solver import LiveRun, Mechanism, Recording, simulate
from solver.simulation import linkage_run, live

FRAME_RATE = 24.0
COUNTED = ("evaluations", "steps", "work", "wall_time", "notes")  # what an action at the very last frame may change


def count_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """From now on `LiveRun.advance` stops after as many pieces of work as it is given seconds."""
    ticks = itertools.count()
    monkeypatch.setattr(live, "clock", SimpleNamespace(perf_counter=lambda: next(ticks)))


def work_in_small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """From now on linkages pause as often as they can."""
    ticks = itertools.count()
    monkeypatch.setattr(linkage_run, "clock", SimpleNamespace(perf_counter=lambda: next(ticks)))


def go_on(run: LiveRun, frame: int, pieces: float = np.inf) -> None:
    """To a frame, so many pieces of work at a time."""
    while not run.advance(frame, pieces):
        pass


def assert_same_bits(one: Recording, other: Recording) -> None:
    for name in (item.name for item in fields(one) if item.name not in COUNTED):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name), err_msg=name)


def assert_plays_again(run: LiveRun, build: Callable[[], Mechanism], **options) -> None:
    """From its list of actions, from a file, and as a live run that has all the time in the world."""
    kept, mechanism = run.recording(), run.mechanism
    loaded = Mechanism.from_dict(json.loads(json.dumps(mechanism.to_dict())))
    for again in (mechanism, loaded):
        assert_same_bits(simulate(again, run.time, FRAME_RATE, **options), kept)
    calm = LiveRun(build(), FRAME_RATE, **options)
    springs = {force.name: force for force in mechanism.forces[len(build().forces) :]}
    for action in run.actions:
        go_on(calm, round(action.time * FRAME_RATE))
        is_grab = action.target in springs and action.set == {"enabled": True}
        calm._act(action, [springs[action.target]] if is_grab else [])
    go_on(calm, run.frame)
    assert_same_bits(calm.recording(), kept)
