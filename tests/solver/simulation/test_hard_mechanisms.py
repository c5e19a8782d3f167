# SPDX-License-Identifier: GPL-3.0-or-later
"""Mechanisms drawn in haste end, or say why, by bounded work; `python -m tests.solver.simulation.hard` runs more."""

from __future__ import annotations

import pytest

from tests.solver.simulation.hard.generator import KINDS, hard_mechanism
from tests.solver.simulation.hard.judge import run

SEEDS = 6
MOST = 400_000  # evaluations, for 24 frames


@pytest.mark.parametrize("kind", KINDS)
def test_each_ends_or_says_why(kind):
    for seed in range(SEEDS):
        outcome = run(hard_mechanism(seed, kind)[1])
        assert not outcome.trouble, f"seed {seed}: {outcome}"
        assert outcome.evaluations < MOST, f"seed {seed}: {outcome}"
