# SPDX-License-Identifier: GPL-3.0-or-later
"""Random drags of linkages with loops: none flips, tears, passes a limit, or jumps unless a dead centre is near.

usage: python -m tests.solver.posing.drags [--seeds 0-19] [--drags 500]

Every fourth drag begins at the pose, of those met, in which two bars are nearest to one line, and every third linkage
has a limit. A drag is some moves of the hand; it is then done again in finer ones. Where both come to the hand, they
must come to the same pose if the linkage has one freedom: otherwise one of them flipped. Judged after each move: how
far points that bars share are apart, the limit, and the farthest way of a point beside the hand's. A point may go many
times as far as the hand where two bars are near a line, and a little beyond it, as the square root of the hand's way:
such a step is a jump unless finer moves of the hand lead there as well, each a part of the way.
"""

from __future__ import annotations

import argparse
import itertools
import sys
import time
from typing import NamedTuple

import numpy as np

from solver import Posing
from tests.solver.kinematics.planar import Planar, jansen_leg
from tests.solver.kinematics.test_leading import random_linkage

MOVES, FINER, STEPS = 4, 3, 20  # of the hand in a drag; times as many, once more; of the solver after each
FINEST = 40  # moves in place of one that leads a point far
TEAR = 1e-9  # of the size
NEAR_LINE = 0.02  # sine of the angle between two bars: so near to a line a dead centre is
SAME, THERE = 1e-3, 1e-4  # of the size: poses that are the same; a point that has come to the hand
FACTOR = 50.0  # how many times as far as the hand a point may go where no two bars are near a line
PASSED = 2e-6  # rad


class Tally(NamedTuple):
    """Counts over the moves of one linkage."""

    moves: int
    flips: int
    tears: int
    jumps: int
    passed: int
    near: int  # moves near a dead centre, which are not judged for flips and jumps
    steep: int  # other moves that are that far, but that finer ones lead along as well
    worst: float  # farthest way of a point as a multiple of the hand's, elsewhere
    seconds: float


def linkage(seed: int) -> Planar:
    """One of five kinds; every third has a limit on its first hinge."""
    planar = jansen_leg() if seed % 5 == 4 else random_linkage(seed)[0]
    if seed % 3 == 0:
        planar.mechanism.joints[0].limits = ((-0.6, 0.6),)
    return planar


def drag(seed: int, drags: int) -> Tally:
    """Drags one linkage."""
    planar = linkage(seed)
    posing, rng = Posing(planar.mechanism, with_limits=True), np.random.default_rng(1000 + seed)
    names, corners, start = list(planar.bars), _corners(planar), posing.poses()[1]
    has_one_freedom = seed % 5 == 4 or seed % 4 != 1
    now, nearest, critical = _points(planar, posing), np.inf, posing.state()
    count, worst, began = np.zeros(7, int), 0.0, time.perf_counter()
    for number in range(drags):
        posing.release()
        if number % 4 == 3:
            posing.restore(critical)
            nearest, now = np.inf, _points(planar, posing)
        bar = names[rng.integers(len(names))]
        point = rng.choice(planar.bars[bar])
        first, state = now[point].copy(), posing.state()
        pull = posing.pull(bar, (*(planar.drawn[point] - planar.drawn[planar.bars[bar][0]]), 0.0), (*first, 0.0))
        way = rng.normal(size=2) * planar.size * rng.choice([0.002, 0.02, 0.1])
        came_near = False
        for share in np.arange(1, MOVES + 1) / MOVES:
            kept = posing.state()
            posing.lead(pull, (*(first + share * way), 0.0))
            posing.approach(STEPS)
            before, now = now, _points(planar, posing)
            sines = [abs(_sine(corner, each)) for each in (before, now) for corner in corners]
            is_near = min(sines) < NEAR_LINE
            came_near |= is_near
            hand = float(np.linalg.norm(way)) / MOVES
            hand += float(np.linalg.norm(before[point] - (first + (share - 1.0 / MOVES) * way)))
            ratio = max(float(np.linalg.norm(now[name] - before[name])) for name in now) / max(hand, 1e-12)
            is_past = planar.mechanism.joints[0].limits is not None and _passed(planar, posing, start)
            is_far = ratio > FACTOR and not is_near
            places = first + share * way, first + (share - 1.0 / MOVES) * way
            is_jump = is_far and not _leads_there(planar, posing, pull, kept, places)
            count += 1, 0, _torn(planar, posing), is_jump, is_past, is_near, is_far and not is_jump
            worst = worst if is_near else max(worst, ratio)
            if min(sines[len(corners) :]) < nearest:
                nearest, critical = min(sines[len(corners) :]), posing.state()
        if has_one_freedom and not came_near and posing.distance() < THERE * planar.size:
            coarse, after = now, posing.state()
            posing.restore(state)
            for share in np.arange(1, FINER * MOVES + 1) / (FINER * MOVES):
                posing.lead(pull, (*(first + share * way), 0.0))
                posing.approach(STEPS)
            fine = _points(planar, posing)
            apart = max(float(np.linalg.norm(fine[name] - coarse[name])) for name in fine)
            count[1] += posing.distance() < THERE * planar.size and apart > SAME * planar.size
            posing.restore(after)
    return Tally(*count.tolist(), worst, time.perf_counter() - began)


def _leads_there(planar: Planar, posing: Posing, pull, state: dict, places: tuple[np.ndarray, np.ndarray]) -> bool:
    """True if from a state finer moves of the hand lead where it is now, none of them most of the way."""
    there, now, (end, start) = posing.state(), _points(planar, posing), places
    posing.restore(state)
    way = [_points(planar, posing)]
    for share in np.arange(1, FINEST + 1) / FINEST:
        posing.lead(pull, (*(start + share * (end - start)), 0.0))
        posing.approach(STEPS)
        way.append(_points(planar, posing))
    posing.restore(there)
    steps = [_farthest(a, b) for a, b in itertools.pairwise(way)]
    return _farthest(way[-1], now) < SAME * planar.size and max(steps) < 0.5 * _farthest(way[0], now)


def _farthest(a: dict[str, np.ndarray], b: dict[str, np.ndarray]) -> float:
    return max(float(np.linalg.norm(b[name] - a[name])) for name in a)


def _points(planar: Planar, posing: Posing) -> dict[str, np.ndarray]:
    """(2,) m: each point as the first bar that has it says."""
    found: dict[str, np.ndarray] = {}
    for name, (_, at) in _on_bars(planar, posing):
        found.setdefault(name, at)
    return found


def _on_bars(planar: Planar, posing: Posing) -> list[tuple[str, tuple[str, np.ndarray]]]:
    positions, orientations = posing.poses()
    found = []
    for place, q, (bar, of) in zip(positions, orientations, planar.bars.items(), strict=True):
        angle = 2.0 * np.arctan2(q[3], q[0])
        turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
        found += [(name, (bar, place[:2] + turn @ (planar.drawn[name] - planar.drawn[of[0]]))) for name in of]
    return found


def _torn(planar: Planar, posing: Posing) -> bool:
    first = _points(planar, posing)
    return any(np.abs(at - first[name]).max() > TEAR * planar.size for name, (_, at) in _on_bars(planar, posing))


def _corners(planar: Planar) -> list[tuple[str, str, str]]:
    """(end, middle, end) of each two bars that meet, all ends of bars with three; in one line is a dead centre."""
    return [
        (a, middle, b)
        for first, second in itertools.combinations(planar.bars.values(), 2)
        for middle in set(first) & set(second)
        for a in first
        for b in second
        if middle not in (a, b)
    ]


def _sine(corner: tuple[str, str, str], points: dict[str, np.ndarray]) -> float:
    a, middle, b = (points[name] for name in corner)
    first, second = a - middle, b - middle
    return float((first[0] * second[1] - first[1] * second[0]) / (np.linalg.norm(first) * np.linalg.norm(second)))


def _passed(planar: Planar, posing: Posing, start: np.ndarray) -> bool:
    """True if the first hinge, of the world, is beyond its limit."""
    joint = planar.mechanism.joints[0]
    row = list(planar.bars).index(joint.child)
    now = posing.poses()[1][row]
    turn = 2.0 * (np.arctan2(now[3], now[0]) - np.arctan2(start[row, 3], start[row, 0]))
    turn = (turn + np.pi) % (2.0 * np.pi) - np.pi
    lower, upper = joint.limits[0]
    return bool(not lower - PASSED <= turn <= upper + PASSED)


def main() -> None:
    """As usage says."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", default="0-19")
    parser.add_argument("--drags", type=int, default=500)
    options = parser.parse_args()
    first, _, last = options.seeds.partition("-")
    failed = 0
    for seed in range(int(first), int(last or first) + 1):
        tally = drag(seed, options.drags)
        failed += tally.flips + tally.tears + tally.jumps + tally.passed
        print(f"linkage {seed}: {tally}", flush=True)
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
