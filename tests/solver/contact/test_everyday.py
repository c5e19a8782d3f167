# SPDX-License-Identifier: GPL-3.0-or-later
"""Everyday scenes of contact, others in each run, and those that once failed.

A test's name holds its scene's kind and seed. VES_FUZZ_SEED repeats the scenes of a run, which names it at the end of
each failure; `python -m tests.solver.contact.everyday` runs more.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from solver import Mechanism
from tests.solver.contact.everyday.fuzz import fuzz_one, what_is_wrong
from tests.solver.contact.everyday.generator import KINDS, everyday
from tests.solver.contact.everyday.judge import examine
from tests.solver.contact.scenes import meets_bodies

FIRST = int(os.environ.get("VES_FUZZ_SEED") or int.from_bytes(os.urandom(3)))
OF_EACH_KIND = 3
FOUND = sorted((Path(__file__).parent / "everyday" / "found").glob("*.json"))
FOUND_LAST = 3.0  # s

pytestmark = meets_bodies


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(FIRST, FIRST + OF_EACH_KIND))
@pytest.mark.parametrize("kind", KINDS)
def test_nature_could_have_made(kind, seed):
    symptoms = fuzz_one(seed, kind).verdict.symptoms
    assert not symptoms, f"{kind} {seed} (VES_FUZZ_SEED={FIRST}): {'; '.join(symptoms.values())}"


@pytest.mark.parametrize("by_steps", [True, False], ids=["steps", "frames"])
@pytest.mark.parametrize("path", FOUND, ids=[path.stem for path in FOUND])
def test_failed_once(path, by_steps):
    assert examine(Mechanism.load(path), FOUND_LAST, by_steps=by_steps).symptoms == {}


@pytest.mark.parametrize("kind", KINDS)
def test_scenes_start_apart(kind):
    assert [words for seed in range(5) if (words := what_is_wrong(everyday(seed, kind).mechanism))] == []


@pytest.mark.parametrize("kind", KINDS)
def test_a_seed_makes_the_same_scene(kind):
    assert everyday(7, kind).mechanism.to_dict() == everyday(7, kind).mechanism.to_dict()
    assert everyday(7, kind).mechanism.to_dict() != everyday(8, kind).mechanism.to_dict()


def test_seeds_take_all_kinds_in_turn():
    assert {everyday(seed).kind for seed in range(1000, 1000 + len(KINDS))} == set(KINDS)
