# SPDX-License-Identifier: GPL-3.0-or-later
"""Many everyday scenes, run and judged in processes of their own, so that one that dies takes no other along."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

from solver import Mechanism, use_cache
from tests.solver.contact.everyday.generator import everyday
from tests.solver.contact.everyday.judge import SUBSTEPS, Verdict, examine
from tests.solver.contact.everyday.overlaps import APART, start_overlap

REPEATED = 10  # every so many-th scene runs twice
BY_FRAMES = 3  # every so many-th scene is recorded as users do, the others step by step


@dataclass
class Finding:
    """One scene's verdict; `seconds` hold all, scene and judge included."""

    kind: str
    seed: int
    verdict: Verdict
    seconds: float


def fuzz_one(seed: int, kind: str | None = None, substeps: int = SUBSTEPS) -> Finding:
    """Makes, checks, runs and judges one scene."""
    began = time.perf_counter()
    scene = everyday(seed, kind)
    wrong = what_is_wrong(scene.mechanism)
    if wrong:
        verdict = Verdict(symptoms={"invalid": wrong})
    else:
        verdict = examine(scene.mechanism, scene.duration, substeps, seed % BY_FRAMES != 0, seed % REPEATED == 0)
    return Finding(scene.kind, seed, verdict, time.perf_counter() - began)


def what_is_wrong(mechanism: Mechanism) -> str | None:
    """Why this is no valid start, if it is none."""
    problems = mechanism.problems()
    if problems:
        return problems[0]
    overlap = start_overlap(mechanism)
    if overlap.part > APART:
        return f"'{overlap.one}' and '{overlap.other}' overlap by {1e3 * overlap.depth:.2g} mm at the start"
    return None


def fuzz(seeds: range, kind: str | None, substeps: int, jobs: int, cache: Path) -> Iterator[Finding]:
    """As they are done. A scene whose process dies is found by running those at work one by one."""
    waiting = list(seeds)
    while waiting:
        at_work: dict[Future, int] = {}
        context = get_context("spawn")
        with ProcessPoolExecutor(jobs, mp_context=context, initializer=use_cache, initargs=(cache,)) as pool:
            try:
                while waiting or at_work:
                    while waiting and len(at_work) < jobs:
                        seed = waiting.pop(0)
                        at_work[pool.submit(fuzz_one, seed, kind, substeps)] = seed
                    done, _ = wait(at_work, return_when="FIRST_COMPLETED")
                    for future in done:
                        found = future.result()
                        del at_work[future]
                        yield found
            except BrokenProcessPool:
                pass
        for seed in at_work.values():
            yield _alone(seed, kind, substeps, cache)


def _alone(seed: int, kind: str | None, substeps: int, cache: Path) -> Finding:
    with ProcessPoolExecutor(1, mp_context=get_context("spawn"), initializer=use_cache, initargs=(cache,)) as pool:
        try:
            return pool.submit(fuzz_one, seed, kind, substeps).result()
        except BrokenProcessPool:
            died = Verdict(symptoms={"crashed": "the process died"})
            return Finding(everyday(seed, kind).kind, seed, died, 0.0)
