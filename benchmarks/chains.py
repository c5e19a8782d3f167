# SPDX-License-Identifier: GPL-3.0-or-later
"""Random chains in random states, and our evaluation of a mechanism in a loop of machine code."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from solver.evaluation.forward_dynamics import update_rates
from solver.kernel import entry
from solver.mechanism import Body, Joint, Mechanism
from solver.model.arrays import Kind, Scratch, new_scratch
from solver.model.linkage.compilation import Compiled, compile_linkages
from solver.simulation.initial_conditions import set_start
from solver.simulation.simulation import Simulation

REVOLUTE = ("revolute",)
MIXED = ("revolute", "spherical", "prismatic")


def random_chain(count: int, types: Sequence[str] = REVOLUTE, seed: int = 1) -> Mechanism:
    """Bodies in a row, about 0.3 m apart, with joints of these types in turn along axes in all directions."""
    rng = np.random.default_rng(seed)
    orientations = unit_quaternions(rng, 2 * count)
    places = np.cumsum(rng.normal(0.0, 0.3, (count, 3)), axis=0)
    offsets = rng.normal(0.0, 0.15, (count, 3))
    sides, masses = rng.uniform(0.1, 0.4, (count, 3)), rng.uniform(0.5, 2.0, count)
    inertias = masses[:, None] / 12.0 * ((sides**2).sum(axis=1, keepdims=True) - sides**2)
    names = [f"body {i}" for i in range(count)]
    bodies = [
        Body(name, mass=masses[i], inertia=inertias[i], position=places[i] + offsets[i], orientation=orientations[i])
        for i, name in enumerate(names)
    ]
    joints = [
        Joint(
            f"joint {i}", types[i % len(types)], names[i - 1] if i else None, name,
            position=places[i], orientation=orientations[count + i],
        )
        for i, name in enumerate(names)
    ]  # fmt: skip
    return Mechanism(name="chain", bodies=bodies, joints=joints)


class Loaded(NamedTuple):
    """A mechanism (one linkage) in the solver's arrays, somewhere on its way."""

    mechanism: Mechanism
    compiled: Compiled
    scratch: Scratch
    rates: np.ndarray  # (2 A,)

    def accelerations(self) -> np.ndarray:
        """(A,) joint accelerations by our method."""
        self.run(1)
        return self.rates[len(self.rates) // 2 :].copy()

    def body_accelerations(self) -> np.ndarray:
        """(B, 6) angular, then linear of the centres of mass, world axes, in the mechanism's order."""
        self.run(1)
        result = np.zeros((len(self.mechanism.bodies), 6))
        result[self.compiled.linkage.bodies] = self.scratch.bodies.acceleration[self.compiled.model.driven :]
        return result

    def run(self, count: int) -> None:
        """Evaluates `count` times without leaving machine code."""
        evaluate_repeatedly(self.compiled.model, self.compiled.state, self.scratch, self.rates, count)

    def run_from_python(self, count: int) -> None:
        """Evaluates `count` times, each a call from Python."""
        for _ in range(count):
            evaluate_repeatedly(self.compiled.model, self.compiled.state, self.scratch, self.rates, 1)


def loaded(mechanism: Mechanism, seed: int = 2) -> Loaded:
    """The mechanism (one linkage) at random coordinates and speeds."""
    rng = np.random.default_rng(seed)
    (compiled,) = compile_linkages(mechanism)
    state = compiled.state
    state.coordinates[:] = rng.uniform(-1.0, 1.0, len(state.coordinates))
    for body in compiled.model.bodies[compiled.model.bodies.kind == Kind.SPHERICAL]:
        state.coordinates[body.axis_start : body.axis_end] = 0.0  # the anchor says it all
    state.anchor[:] = unit_quaternions(rng, len(state.anchor))
    state.speeds[:] = rng.uniform(-1.0, 1.0, len(state.speeds))
    return Loaded(mechanism, compiled, new_scratch(compiled.model), np.zeros(2 * len(state.speeds)))


def loaded_at_start(mechanism: Mechanism, method: str) -> Loaded:
    """The mechanism (one linkage) at its own start, by one of the solver's methods."""
    (compiled,) = Simulation(mechanism, 0.0, method=method).linkages
    set_start(mechanism, compiled)
    return Loaded(mechanism, compiled, new_scratch(compiled.model), np.zeros(2 * len(compiled.state.speeds)))


@entry
def evaluate_repeatedly(model, state, scratch, rates, count):
    """Full evaluations: parameters, poses, velocities, forces, accelerations of bodies and axes, rates of the state."""
    for _ in range(count):
        update_rates(model, 0.0, state, scratch, rates)


def unit_quaternions(rng: np.random.Generator, count: int) -> np.ndarray:
    """(count, 4), evenly over all orientations."""
    numbers = rng.normal(size=(count, 4))
    return numbers / np.linalg.norm(numbers, axis=1, keepdims=True)
