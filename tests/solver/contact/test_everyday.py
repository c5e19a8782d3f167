# SPDX-License-Identifier: GPL-3.0-or-later
"""Everyday scenes of contact: the same ones, others in each run, and those that once failed.

Some still do (`OPEN`, `everyday/open`): these must come to their end with finite numbers, and repeat. VES_FUZZ_SEED
repeats what others a run has taken, and names itself in each failure; `python -m tests.solver.contact.everyday` runs
more.
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
ALWAYS, OF_EACH_KIND = 3000, 2
FATAL = {"stopped", "crashed", "not finite", "differs", "misreported"}
FEW = 3  # of the others, one of each kind, that may fail otherwise: one in some hundreds does
OPEN: set[tuple[str, int]] = set()
FILES = Path(__file__).parent / "everyday"
FOUND, STILL = (sorted((FILES / name).glob("*.json")) for name in ("found", "open"))
FOUND_LAST = 3.0  # s
# that failed until this time (s): a box pinched under a plough; a spinning rod; one in a crease of a bowl; free spin
SEEDS = {2000762: 0.45, 2001142: 0.05, 2101399: 0.4, 3006299: 2.0, 4004947: 1.5}
COARSE = (
    "car_boxes_25_stopped",
    "springs_stop",
    "stools_10_energy",
    "press_12_sunk",
)  # right at two steps in a 24th of a second too

pytestmark = meets_bodies


@pytest.mark.parametrize("seed", range(ALWAYS, ALWAYS + OF_EACH_KIND))
@pytest.mark.parametrize("kind", KINDS)
def test_nature_could_have_made(kind, seed):
    symptoms = fuzz_one(seed, kind).verdict.symptoms
    if (kind, seed) in OPEN:
        symptoms = {name: words for name, words in symptoms.items() if name in FATAL}
    assert not symptoms, f"{kind} {seed}: {'; '.join(symptoms.values())}"


@pytest.mark.parametrize("seed", [FIRST])
def test_others_in_each_run(seed):
    found = [fuzz_one(seed, kind) for kind in KINDS]
    wrong = [each for each in found if each.verdict.symptoms]
    told = [f"{each.kind} (VES_FUZZ_SEED={seed}): {'; '.join(each.verdict.symptoms.values())}" for each in wrong]
    assert not [line for line, each in zip(told, wrong, strict=True) if FATAL & each.verdict.symptoms.keys()]
    assert len(wrong) <= FEW, told


@pytest.mark.parametrize("by_steps", [True, False], ids=["steps", "frames"])
@pytest.mark.parametrize("path", FOUND, ids=[path.stem for path in FOUND])
def test_failed_once(path, by_steps):
    assert examine(Mechanism.load(path), FOUND_LAST, by_steps=by_steps).symptoms == {}


@pytest.mark.parametrize("seed", SEEDS)
def test_failed_once_at_the_beginning(seed):
    assert examine(everyday(seed).mechanism, SEEDS[seed]).symptoms == {}


@pytest.mark.parametrize("by_steps", [True, False], ids=["steps", "frames"])
@pytest.mark.parametrize("name", COARSE)
def test_failed_once_with_few_steps(name, by_steps):
    mechanism = Mechanism.load(FILES / "found" / f"{name}.json")
    assert examine(mechanism, FOUND_LAST, substeps=2, by_steps=by_steps).symptoms == {}


@pytest.mark.parametrize("path", STILL, ids=[path.stem for path in STILL])
def test_still_fails_but_ends(path):
    for by_steps in (True, False):
        assert not FATAL & examine(Mechanism.load(path), FOUND_LAST, by_steps=by_steps).symptoms.keys()


@pytest.mark.parametrize("kind", KINDS)
def test_scenes_start_apart(kind):
    assert [words for seed in range(5) if (words := what_is_wrong(everyday(seed, kind).mechanism))] == []


@pytest.mark.parametrize("kind", KINDS)
def test_a_seed_makes_the_same_scene(kind):
    assert everyday(7, kind).mechanism.to_dict() == everyday(7, kind).mechanism.to_dict()
    assert everyday(7, kind).mechanism.to_dict() != everyday(8, kind).mechanism.to_dict()


def test_seeds_take_all_kinds_in_turn():
    assert {everyday(seed).kind for seed in range(1000, 1000 + len(KINDS))} == set(KINDS)
