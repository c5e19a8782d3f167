# SPDX-License-Identifier: GPL-3.0-or-later
"""Chains that lie crumpled in the air come to rest by quasi-statics: how long that takes, and how far off they end.

usage: python -m benchmarks.settling [300 1000 5000]

Links of 2 cm and 10 g, one end nailed or both at 0.6 of their length. Told is the processor's time, and, where the pose
at rest is known, the largest distance from the discrete catenary, or from a straight line down, in parts of the length.
"""

from __future__ import annotations

import argparse
import time
from itertools import pairwise

import numpy as np
from scipy.optimize import brentq
from scipy.spatial.transform import Rotation

from solver import SimulationFailed, simulate
from solver.mechanism import Body, Joint, Mechanism, Nail

LINK, MASS, SPAN = 0.02, 0.01, 0.6  # m, kg, of the length
KINDS = {
    "hinges all parallel": "revolute",
    "parallel hinges, frames rolled": "revolute",
    "ball joints": "spherical",
    "universal joints across": "universal",
    "hinges in any direction": "revolute",
}


def crumpled(count: int, span: float, is_flat: bool, random: np.random.Generator) -> np.ndarray:
    """(N + 1, 3) m: corners from the origin to so much of the length along X, at random in between."""
    ways = random.normal(size=(count, 3))
    end = np.array([span * count, 0.0, 0.0])
    for _ in range(400):
        ways[:, 1] *= not is_flat
        ways /= np.linalg.norm(ways, axis=1)[:, None]
        ways += (end - ways.sum(axis=0)) / count
    ways /= np.linalg.norm(ways, axis=1)[:, None]
    return LINK * np.vstack([np.zeros(3), np.cumsum(ways, axis=0)])


def chain(count: int, kind: str, is_nailed: bool, seed: int = 1) -> Mechanism:
    """Hung on the world at the origin, by a joint of the kind."""
    random = np.random.default_rng(seed)
    is_flat = kind in list(KINDS)[:2]
    corners = crumpled(count, SPAN if is_nailed else 0.05, is_flat, random)
    bodies, joints = [], []
    for k, (start, end) in enumerate(pairwise(corners)):
        along = (end - start) / np.linalg.norm(end - start)
        moment = MASS * LINK**2
        turn = _quaternion(along, np.cross(along, (0.3, 1.0, 0.1)))
        inertia = (1e-3 * moment, moment / 12.0, moment / 12.0)
        bodies.append(Body(f"link {k}", mass=MASS, inertia=inertia, position=0.5 * (start + end), orientation=turn))
        anyhow = random.normal(size=3)
        z = np.array([0.0, 1.0, 0.0]) if is_flat else anyhow
        if kind == "universal joints across":
            z = np.cross(along, anyhow)
        frame = _quaternion(np.array([1.0, 0.0, 0.0]) if kind == "hinges all parallel" else along, z)
        joints.append(Joint(f"joint {k}", KINDS[kind], f"link {k - 1}" if k else None, f"link {k}", start, frame))
    nails = [Nail("nail", body=f"link {count - 1}", point=corners[-1])] if is_nailed else []
    return Mechanism(bodies=bodies, joints=joints, constraints=nails)


def _quaternion(x: np.ndarray, z: np.ndarray) -> np.ndarray:
    """(w, x, y, z) of a frame with that Z, and X as near to the other as can be."""
    z = z / np.linalg.norm(z)
    x = x - (x @ z) * z
    if np.linalg.norm(x) < 1e-6:
        x = np.cross(z, (1.0, 0.2, 0.3))
    x = x / np.linalg.norm(x)
    return Rotation.from_matrix(np.column_stack([x, np.cross(z, x), z])).as_quat()[[3, 0, 1, 2]]


def rest(count: int, is_nailed: bool) -> np.ndarray:
    """(N, 3) m: middles of the links at rest, of the discrete catenary or straight down."""
    if not is_nailed:
        return np.column_stack([np.zeros((count, 2)), -LINK * (np.arange(count) + 0.5)])
    order = np.arange(count) - 0.5 * (count - 1)

    def ways(pull: float) -> np.ndarray:
        found = np.column_stack([np.full(count, pull), np.zeros(count), order])
        return found / np.linalg.norm(found, axis=1)[:, None]

    pull = brentq(lambda pull: ways(pull)[:, 0].sum() - SPAN * count, 1e-9, 1e6, xtol=1e-14)
    corners = LINK * np.vstack([np.zeros(3), np.cumsum(ways(pull), axis=0)])
    return 0.5 * (corners[1:] + corners[:-1])


def told(count: int, kind: str, is_nailed: bool) -> str:
    """Time and distance, or what was said."""
    mechanism, started = chain(count, kind, is_nailed), time.process_time()
    try:
        recording = simulate(mechanism, 0.0, integrator="quasi-static", settling=0.0)
    except SimulationFailed as error:
        return f"stops: {error.reason if hasattr(error, 'reason') else error}"[:60]
    taken = time.process_time() - started
    if any("no equilibrium" in note for note in recording.notes):
        return f"not at rest after {taken:.1f} s"
    if kind == "hinges in any direction":
        return f"{taken:.1f} s"
    off = np.abs(recording.position[0] - rest(count, is_nailed)).max() / (LINK * count)
    return f"{taken:.1f} s, {off:.0e}"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.settling", description=__doc__.splitlines()[0])
    parser.add_argument("counts", nargs="*", type=int, default=[300, 1000, 5000], help="links")
    simulate(chain(8, "ball joints", True), 0.0, integrator="quasi-static", settling=0.0)  # compiled, or read
    print("| links, joints | one end nailed | both |\n|---|---|---|")
    for count in parser.parse_args().counts:
        for kind in KINDS:
            ends = " | ".join(told(count, kind, is_nailed) for is_nailed in (False, True))
            print(f"| {count:,}, {kind} | {ends} |", flush=True)


if __name__ == "__main__":
    main()
