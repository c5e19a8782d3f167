# SPDX-License-Identifier: GPL-3.0-or-later
"""Whole simulations: ours against what one would do otherwise, scipy's integrators on Pinocchio's accelerations.

Equal accuracy: theirs runs at the loosest of a row of tolerances at which its error, against a reference solution from
other engines, is not above ours.
"""

import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pinocchio
from scipy.integrate import solve_ivp

from solver import Mechanism, simulate, warm_up
from solver.model.arrays import Kind
from solver.model.linkage.compilation import compile_linkages
from solver.simulation.initial_conditions import set_start

from .machine import Machine
from .pinocchio_model import pinocchio_coordinates, pinocchio_model
from .table import Row, Section

REFERENCES = Path(__file__).resolve().parents[1] / "tests" / "reference"
CASES = ("chain_100", "tree_fixed_20", "heavy_top")
METHODS = ("DOP853", "RK45")
RELATIVE = (1e-6, 1e-9)  # our tolerances: the default, and a strict one
TOLERANCES = [10.0**-k for k in range(3, 14)]
REPEATS = 3


class Motion(NamedTuple):
    """Poses of the bodies over the frames, in the mechanism's order."""

    position: np.ndarray  # (F, B, 3)
    orientation: np.ndarray  # (F, B, 3, 3)


def measure(_machine: Machine) -> Section:
    """One row for each case and tolerance."""
    section = Section("Whole simulations: wall clock per simulated second")
    for _ in warm_up():
        pass
    for case in CASES:
        mechanism = Mechanism.load(REFERENCES / f"{case}.json")
        reference = np.load(REFERENCES / f"{case}.npz")
        otherwise = _Otherwise(mechanism, reference["times"])
        section.rows += [_row(case, mechanism, reference, otherwise, relative) for relative in RELATIVE]
    section.remarks = [
        "ours: Adams in local frames, checked, compiled and recorded from the mechanism to the recording",
        "others: scipy's solve_ivp with Pinocchio's aba as right-hand side, the loosest power of ten not less accurate",
        "error: largest over frames and bodies, of positions over the mechanism's size and of orientations in radians",
        f"least of {REPEATS} runs that take turns; ratio: theirs / ours",
    ]
    return section


def _row(case: str, mechanism: Mechanism, reference, otherwise: "_Otherwise", relative: float) -> Row:
    duration, rate = float(reference["times"][-1]), 1.0 / float(reference["times"][1] - reference["times"][0])

    def ours() -> Motion:
        recording = simulate(mechanism, duration, rate, relative=relative)
        return Motion(recording.position, _matrices(recording.orientation))

    error = _error(ours(), reference)
    runs: dict[str, Callable[[], Motion]] = {"ours": ours}
    words = []
    for method in METHODS:
        found = next(((t, e) for t, e in _errors(otherwise, method, reference) if e <= error), None)
        if found is None:
            words.append(f"{method}: never as accurate")
            continue
        tolerance, reached = found
        runs[method] = lambda method=method, tolerance=tolerance: otherwise.run(method, tolerance)
        words.append(f"{method}: {{}} s, error {reached:.0e}")
    times = _take_turns(runs)
    named = iter([f"{times[method] / duration:.3f}" for method in METHODS if method in times])
    return Row(
        f"{case}, relative {relative:g}",
        f"{times['ours'] / duration:.4f} s, error {error:.0e}",
        "; ".join(word.format(next(named)) if "{}" in word else word for word in words),
        ", ".join(f"{times[method] / times['ours']:.1f}" for method in METHODS if method in times),
    )


def _errors(otherwise: "_Otherwise", method: str, reference):
    for tolerance in TOLERANCES:
        yield tolerance, _error(otherwise.run(method, tolerance), reference)


def _take_turns(runs: dict[str, Callable[[], Motion]]) -> dict[str, float]:
    """Least seconds of each."""
    least = dict.fromkeys(runs, np.inf)
    for _ in range(REPEATS):
        for name, run in runs.items():
            begun = time.perf_counter()
            run()
            least[name] = min(least[name], time.perf_counter() - begun)
    return least


class _Otherwise:
    """The mechanism as an ordinary differential equation of quaternions, angles and speeds."""

    def __init__(self, mechanism: Mechanism, times: np.ndarray) -> None:
        (compiled,) = compile_linkages(mechanism)
        set_start(mechanism, compiled)
        self.times = times
        self.model = pinocchio_model(mechanism, compiled)
        self.data = self.model.createData()
        self.start = np.concatenate([pinocchio_coordinates(self.model, compiled), compiled.state.speeds])
        self.stiffness, self.damping, self.rest = _joint_numbers(mechanism, compiled)
        joints = self.model.joints[1:]
        kinds = compiled.model.bodies.kind[compiled.model.driven :]
        balls = [joint for joint, kind in zip(joints, kinds, strict=True) if kind == Kind.SPHERICAL]
        plain = [joint for joint, kind in zip(joints, kinds, strict=True) if kind != Kind.SPHERICAL]
        self.ball_q = np.array([np.arange(j.idx_q, j.idx_q + 4) for j in balls], int).reshape(-1, 4)
        self.ball_v = np.array([np.arange(j.idx_v, j.idx_v + 3) for j in balls], int).reshape(-1, 3)
        self.plain_q = np.array([k for j in plain for k in range(j.idx_q, j.idx_q + j.nq)], int)
        self.plain_v = np.array([k for j in plain for k in range(j.idx_v, j.idx_v + j.nv)], int)
        self.bodies = [self.model.getFrameId(body.name) for body in mechanism.bodies]

    def rates(self, _time: float, y: np.ndarray) -> np.ndarray:
        q, v = y[: self.model.nq].copy(), y[self.model.nq :]
        rates = np.empty_like(y)
        effort = -self.damping * v
        effort[self.plain_v] -= self.stiffness[self.plain_v] * (q[self.plain_q] - self.rest[self.plain_v])
        rates[self.plain_q] = v[self.plain_v]
        if len(self.ball_q):
            x = q[self.ball_q]
            w = v[self.ball_v]
            rates[self.ball_q[:, :3]] = 0.5 * (x[:, 3:] * w + np.cross(x[:, :3], w))
            rates[self.ball_q[:, 3]] = -0.5 * (x[:, :3] * w).sum(axis=1)
            q[self.ball_q] = x / np.linalg.norm(x, axis=1, keepdims=True)
        rates[self.model.nq :] = pinocchio.aba(self.model, self.data, q, v, effort)
        return rates

    def run(self, method: str, tolerance: float) -> Motion:
        solution = solve_ivp(
            self.rates, (0.0, self.times[-1]), self.start, method, self.times, rtol=tolerance, atol=0.1 * tolerance
        )
        position = np.empty((len(self.times), len(self.bodies), 3))
        orientation = np.empty((*position.shape, 3))
        for frame, y in enumerate(solution.y.T):
            q = pinocchio.normalize(self.model, y[: self.model.nq])
            pinocchio.framesForwardKinematics(self.model, self.data, q)
            for k, body in enumerate(self.bodies):
                pose = self.data.oMf[body]
                position[frame, k], orientation[frame, k] = pose.translation, pose.rotation
        return Motion(position, orientation)


def _joint_numbers(mechanism: Mechanism, compiled) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Stiffness, damping and rest of all axes; springs are on joints of one or two axes only in these cases."""
    columns: tuple[list, list, list] = ([], [], [])
    bodies = compiled.model.bodies[compiled.model.driven :]
    for number, body in zip(compiled.linkage.joint, bodies, strict=True):
        joint, axes = mechanism.joints[number], body.axis_end - body.axis_start
        for column, key in zip(columns, ("stiffness", "damping", "rest"), strict=True):
            column += getattr(joint, key) or (0.0,) * axes
    return tuple(np.array(column, float) for column in columns)


def _matrices(quaternions: np.ndarray) -> np.ndarray:
    w, x, y, z = np.moveaxis(quaternions, -1, 0)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), (0, 1), (-2, -1))


def _error(motion: Motion, reference) -> float:
    """The larger of position error over size and orientation error (rad: 2 asin of half the chord of the rotations)."""
    away = np.linalg.norm(motion.position - reference["position"], axis=-1).max() / float(reference["size"])
    chord = np.linalg.norm(motion.orientation - _matrices(reference["orientation"]), axis=(-2, -1)) / np.sqrt(2.0)
    return float(max(away, 2.0 * np.arcsin(np.minimum(0.5 * chord, 1.0)).max()))
