# SPDX-License-Identifier: GPL-3.0-or-later
"""The linear systems of implicit steps against dense ones, whose matrix is found by differences of accelerations."""

from __future__ import annotations

import numpy as np
import pytest

from solver import Mechanism
from solver.dynamics.implicit.force_tangents import choose_pairs
from solver.dynamics.implicit.implicit_change import implicit_change
from solver.dynamics.implicit.workspace import new_implicit_work
from solver.evaluation.forward_dynamics import update_rates
from solver.mechanism import Body, Brake, Damping, Distance, Drag, Expression, Joint, Spring, Support, Table
from solver.model.arrays import State, new_scratch
from solver.model.linkage.compilation import compile_linkages

NONE = (0.0, 0.0, 0.0)
STEP = 1e-6
pytestmark = pytest.mark.fallback


def both(mechanism: Mechanism, h: float, time: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    """The change of speeds in a step of h (s) by the recursion, and by a dense solution of (1 - h J) d = h f."""
    (compiled,) = compile_linkages(mechanism)
    model, scratch, start = compiled.model, new_scratch(compiled.model), compiled.state
    work, axes = new_implicit_work(model), len(model.armature)
    rates = np.zeros(2 * axes)

    def rates_of(y: np.ndarray, when: float = time) -> np.ndarray:
        update_rates(model, when, State(y[:axes].copy(), y[axes:].copy(), start.anchor), scratch, rates)
        return rates.copy()

    y = np.concatenate([start.coordinates, start.speeds])
    matrix = np.zeros((2 * axes, 2 * axes))
    for k in range(2 * axes):
        d = np.zeros(2 * axes)
        d[k] = STEP
        matrix[:, k] = (rates_of(y + d) - rates_of(y - d)) / (2 * STEP)
    by_time = rates_of(y, time + h) - rates_of(y)
    asked = h * (rates_of(y) + by_time)
    dense = np.linalg.solve(np.eye(2 * axes) - h * matrix, asked)[axes:]
    state = State(y[:axes].copy(), y[axes:].copy(), start.anchor)
    choose_pairs(model, scratch, work, h)
    implicit_change(model, time, state, scratch, work, h)
    return h * (scratch.accelerations + work.solution), dense


def ball(name: str, x: float, **given) -> Body:
    return Body(name, mass=0.5 + 0.3 * x, inertia=(0.1, 0.1, 0.1), position=(x, 0, 0), **given)


def discs(**given) -> Mechanism:
    """On one axle, so that nothing but springs and dampers depends on where they are."""
    bodies = [Body(f"disc {k}", mass=1.0, inertia=(1, 1, 0.2 + 0.1 * k), position=(0, 0, float(k))) for k in range(4)]
    joints = [
        Joint(
            f"axle {k}",
            type="revolute",
            parent=f"disc {k - 1}" if k else None,
            child=f"disc {k}",
            position=(0, 0, float(k)),
            coordinates=(0.3 * k - 0.2,),
            speeds=(0.5 - k,),
            stiffness=(10.0 ** (2 * k),),
            damping=(10.0 ** (5 - 2 * k),),
            **given,
        )
        for k in range(4)
    ]
    return Mechanism(gravity=NONE, bodies=bodies, joints=joints)


@pytest.mark.parametrize("h", [1e-4, 1e-2, 1.0])
def test_springs_and_dampers_of_joints(h):
    got, dense = both(discs(), h)
    assert got == pytest.approx(dense, rel=1e-5, abs=1e-7)


def test_an_armature_is_part_of_the_inertia():
    got, dense = both(discs(armature=(2.0,)), 0.01)
    assert got == pytest.approx(dense, rel=1e-5, abs=1e-7)


@pytest.mark.parametrize("h", [1e-3, 0.1])
@pytest.mark.parametrize("count", [1, 2])
def test_springs_along_lines_that_turn(h, count):
    """Stretched springs with dampers, from the world to one ball and on to another, their ends moving across them."""
    bodies = [ball("a", 1.0, linear_velocity=(0.2, 2.0, -1.0)), ball("b", 2.0, linear_velocity=(0.1, -1.0, 3.0))]
    given = {"stiffness": 1e4, "rest_length": 0.9, "damping": 1e3}
    forces = [
        Spring("to the world", body_a="a", point_a=(1, 0, 0), point_b=NONE, **given),
        Spring("between", body_a="a", body_b="b", point_a=(1, 0, 0), point_b=(2, 0, 0), **given),
    ]
    mechanism = Mechanism(gravity=NONE, bodies=bodies[:count], forces=forces[:count])
    got, dense = both(mechanism, h)
    assert got == pytest.approx(dense, rel=1e-5, abs=1e-7)


@pytest.mark.parametrize(
    "force",
    [
        Damping("air", body="a", linear=50.0, angular=20.0),
        Drag("drag", body="a", coefficient=30.0, wind=(1.0, 0.0, 2.0)),
        Brake("brake", body="a", point=(1, 0, 0), damping=(100.0, 10.0, 0.0)),
        Support("foot", body="a", point=(1, 0, 0), height=0.1, stiffness=1e4, damping=50.0, friction=0.0),
        Expression("field", body="a", point=(1, 0, 0), force=("-1e4*x**3 - 80*vx", "-50*vy*exp(vy)", "-300*tanh(vz)")),
    ],
    ids=lambda force: force.name,
)
def test_forces_on_one_body(force):
    body = ball("a", 1.0, linear_velocity=(0.3, 0.4, -0.5))
    got, dense = both(Mechanism(gravity=NONE, bodies=[body], forces=[force]), 0.05)
    assert got == pytest.approx(dense, rel=1e-6, abs=1e-8)


def test_a_table_counts_with_what_it_changes_in_the_step():
    mechanism = discs()
    mechanism.joints[1].rest = None
    force = Spring("pulled", body_a="a", point_a=(1, 0, 0), point_b=NONE, stiffness=1e3,
                   rest_length=Table((0.0, 1.0), (1.0, 0.2)))  # fmt: skip
    got, dense = both(Mechanism(gravity=NONE, bodies=[ball("a", 1.0)], forces=[force]), 0.05, 0.4)
    assert got == pytest.approx(dense, rel=1e-6, abs=1e-8)


def test_closures_hold_what_is_changed():
    """Two balls on a rod, one of them on a stiff spring: the rod's length keeps its rate."""
    bodies = [ball("a", 1.0), ball("b", 2.0)]
    rod = Distance("rod", body_a="a", body_b="b", point_a=(1, 0, 0), point_b=(2, 0, 0), distance=1.0)
    spring = Spring("spring", body_a="a", point_a=(1, 0, 0), point_b=NONE, stiffness=1e6, rest_length=0.5, damping=1e3)
    (compiled,) = compile_linkages(Mechanism(gravity=NONE, bodies=bodies, constraints=[rod], forces=[spring]))
    model, scratch, state = compiled.model, new_scratch(compiled.model), compiled.state
    work, rates = new_implicit_work(model), np.zeros(2 * len(model.armature))
    update_rates(model, 0.0, state, scratch, rates)
    choose_pairs(model, scratch, work, 0.01)
    implicit_change(model, 0.0, state, scratch, work, 0.01)
    change = work.solution + scratch.accelerations
    assert change[0] == pytest.approx(change[6], rel=1e-9)
    mass, gain = 0.8 + 1.1, 0.01 * (1e3 + 0.01 * 1e6)
    assert abs(change[0]) == pytest.approx(1e6 * 0.5 / (mass + gain), rel=1e-9)


def test_springs_of_a_ball_joint_that_differ_along_its_rotation_vector():
    """At rest where they pull nothing: what they resist is then all that depends on where the body is."""
    body = Body("body", mass=1.3, inertia=(0.3, 0.5, 0.4), position=(0.2, -0.1, 0.4))
    turned = (0.7, -0.4, 0.9)
    joint = Joint("ball", type="spherical", parent=None, child="body", position=NONE, coordinates=turned, rest=turned,
                  stiffness=(3.0, 4e4, 50.0), damping=(0.2, 7.0, 300.0), speeds=(1e-7, -2e-7, 3e-7))  # fmt: skip
    got, dense = both(Mechanism(gravity=NONE, bodies=[body], joints=[joint]), 0.1)
    assert got == pytest.approx(dense, rel=1e-5, abs=1e-13)


KINDS = ["revolute", "prismatic", "cylindrical", "universal", "screw", "planar"]


@pytest.mark.parametrize("seed", range(12))
def test_trees_in_motion_are_linearised_exactly(seed):
    """Gravity, inertia and what velocities bring count as springs do."""
    rng = np.random.default_rng(seed)
    bodies, joints = [], []
    for i in range(4):
        bodies.append(
            Body(f"body {i}", mass=float(rng.uniform(0.5, 2)), inertia=tuple(rng.uniform(0.3, 0.5, 3)),
                 position=tuple(rng.normal(size=3)))
        )  # fmt: skip
        kind = KINDS[(seed + i) % len(KINDS)] if i else str(rng.choice(KINDS))
        count = {"cylindrical": 2, "universal": 2, "planar": 3}.get(kind, 1)
        q = rng.normal(size=4)
        joints.append(
            Joint(
                f"joint {i}",
                type=kind,
                parent=f"body {rng.integers(i)}" if i else None,
                child=f"body {i}",
                position=tuple(rng.normal(size=3)),
                orientation=tuple(q / np.linalg.norm(q)),
                pitch=0.3 if kind == "screw" else None,
                coordinates=tuple(rng.normal(size=count)),
                speeds=tuple(2 * rng.normal(size=count)),
                stiffness=tuple(rng.uniform(0, 50, count)),
                damping=tuple(rng.uniform(0, 5, count)),
            )
        )
    got, dense = both(Mechanism(bodies=bodies, joints=joints), 0.1)
    assert got == pytest.approx(dense, rel=2e-5, abs=2e-6)
