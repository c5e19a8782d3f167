# SPDX-License-Identifier: GPL-3.0-or-later
"""Many loops in steps with impulses: sparse factors, and the pivots of the trees, against the dense recursion."""

import dataclasses

import numpy as np
import pytest

from benchmarks.loops import curtain, with_balls
from solver import LiveRun, Mechanism, simulate
from solver.dynamics.loops.methods import respond, solve_accelerations, write_response
from solver.mechanism import Body, Contact, Joint, Sphere
from solver.model.arrays import RECURSIVE, SPARSE, new_scratch
from solver.model.linkage.compilation import compile_for_impulses
from solver.model.topology import find_linkages
from solver.simulation.simulation import Simulation
from tests.solver.dynamics.loops.test_lagrange import ALONG_Y, assert_near, prepared, ring
from tests.solver.simulation.hurrying import (
    FRAME_RATE,
    assert_plays_again,
    count_pieces,
    go_on,
    work_in_small_pieces,
)

GRAVITY = 9.81


def sprung(mechanism: Mechanism) -> Mechanism:
    """With a spring and a damper in every joint, so that those that close loops need coordinates."""
    joints = [dataclasses.replace(joint, stiffness=(5.0,), damping=(0.1,)) for joint in mechanism.joints]
    return dataclasses.replace(mechanism, joints=joints)


def parallel_cranks(windows: int) -> Mechanism:
    """A row of cranks, 1 m long, balls at their middles, with bars between their tops that stay level."""
    bodies, joints = [], []
    for i in range(windows + 1):
        shape = Sphere(radius=0.1)
        bodies.append(Body(f"crank {i}", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(i, 0.0, 0.5), shape=shape))
        joints.append(Joint(f"foot {i}", "revolute", None, f"crank {i}", (i, 0.0, 0.0), ALONG_Y))
    for i in range(windows):
        bodies.append(Body(f"bar {i}", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(i + 0.5, 0.0, 1.0)))
        for k in (i, i + 1):
            joints.append(Joint(f"top {k} {i}", "revolute", f"crank {k}", f"bar {i}", (k, 0.0, 1.0), ALONG_Y))
    for body in bodies:
        is_crank = body.name.startswith("crank")
        body.linear_velocity = (0.5 if is_crank else 1.0, 0.0, 0.0)
        body.angular_velocity = (0.0, 1.0 if is_crank else 0.0, 0.0)
    return Mechanism(gravity=(0.0, 0.0, -GRAVITY), bodies=bodies, joints=joints, contact=Contact())


@pytest.mark.fallback
@pytest.mark.parametrize(
    "mechanism",
    [ring(7, "spherical"), ring(6, "revolute", held=True), sprung(ring(5, "revolute"))],
    ids=["balls", "redundant", "springs"],
)
def test_both_ways_know_the_same(mechanism):
    both = prepared(mechanism, SPARSE), prepared(mechanism, RECURSIVE)
    for (model, scratch), (dense_model, dense) in zip(*both, strict=True):
        for each in (scratch, dense):
            each.axes.held[model.sprung] = 0.3  # what stiff springs add to the inertia of their axes
        solve_accelerations(model, scratch)
        solve_accelerations(dense_model, dense)
        np.testing.assert_array_equal(scratch.axes.D, dense.axes.D)
        np.testing.assert_array_equal(scratch.axes.U, dense.axes.U)
        assert_near(scratch.accelerations, dense.accelerations)
        assert_near(scratch.bodies.acceleration[model.driven :], dense.bodies.acceleration[model.driven :])
        assert scratch.gram.rows.size == 0
        for each in (scratch, dense):
            each.rows.target[: model.closing] = -each.rows.rate[: model.closing]
        respond(model, scratch)
        respond(dense_model, dense)
        assert_near(scratch.accelerations, dense.accelerations)
        if not dense.redundant.any():
            write_response(model, scratch)
            write_response(dense_model, dense)
            assert_near(scratch.rows.multiplier[: model.closing], dense.rows.multiplier[: model.closing], 1e-9)


@pytest.mark.fallback
def test_many_loops_are_sparse_and_few_stay_dense():
    for windows, method in ((1, RECURSIVE), (3, RECURSIVE), (60, SPARSE)):
        mechanism = parallel_cranks(windows)
        [linkage] = find_linkages(mechanism)
        compiled = compile_for_impulses(mechanism, linkage)
        assert compiled.model.method == method
    assert new_scratch(compiled.model).gram.factor.size == 0


def test_a_row_of_sixty_loops_turns_as_its_law_says():
    """One angle: (J + m_b) a'' = (m_c / 2 + m_b) g sin a per crank and bar, integrated by itself."""
    windows, duration = 60, 0.5
    simulation = Simulation(parallel_cranks(windows), duration, 20.0)
    assert simulation.linkages[0].model.method == SPARSE
    for _ in simulation.run():
        pass
    cranks, bars = windows + 1, windows
    inertia = cranks * (0.1 + 0.25) + bars
    pull = GRAVITY * (0.5 * cranks + bars)
    angle, speed, h = 0.0, 1.0, 1e-4
    for _ in range(round(duration / h)):  # Störmer and Verlet
        speed += 0.5 * h * pull / inertia * np.sin(angle)
        angle += h * speed
        speed += 0.5 * h * pull / inertia * np.sin(angle)
    recording = simulation.recording
    assert recording.constraint_error.max() < 1e-8
    expected = [0.5 * np.sin(angle), 0.0, 0.5 * np.cos(angle)]
    last = recording.position[-1, list(recording.body_names).index(f"crank {windows}")]
    np.testing.assert_allclose(last - [windows, 0.0, 0.0], expected, atol=1e-6)


def net_of_balls(side: int) -> Mechanism:
    return with_balls(curtain(side, side), 0.03)


def test_a_net_that_hangs_goes_as_adams_leads_it_with_the_pieces_that_it_takes():
    """Its crosses swing within milliseconds. Each step began whole and was thrown away: 1,542 evaluations."""
    duration = 0.3
    recording = simulate(net_of_balls(10), duration, 60.0)
    assert recording.evaluations < 1100
    assert not recording.contact_force.any()
    expected = simulate(curtain(10, 10), duration, 60.0, relative=1e-9, integrator="adams")
    off = np.linalg.norm(recording.position - expected.position, axis=2).max(axis=1)
    assert off[:7].max() < 3e-7  # up to 0.1 s
    assert off.max() < 3e-3  # neighbouring motions of this net part a hundredfold in 0.1 s
    energy = recording.kinetic_energy + recording.potential_energy
    assert np.abs(energy - energy[0]).max() < 3e-5 * recording.kinetic_energy.max()
    assert recording.constraint_error.max() < 1e-12


def test_a_net_that_is_pulled_and_hit_plays_again_to_the_bit(monkeypatch):
    """Of each step the pieces are those of the last one, so that nobody may forget them at a pause or an action."""

    def build() -> Mechanism:
        mechanism = net_of_balls(6)
        ball = Body("ball", mass=2.0, inertia=(0.01, 0.01, 0.01), position=(0.25, -0.3, -0.2), shape=Sphere(radius=0.1))
        ball.linear_velocity = (0.0, 3.0, 0.0)
        return dataclasses.replace(mechanism, bodies=[*mechanism.bodies, ball])

    with monkeypatch.context() as hurried:
        count_pieces(hurried)
        work_in_small_pieces(hurried)
        live = LiveRun(build(), FRAME_RATE)
        go_on(live, 2, 3)
        grab = live.grab("5 5", live.pose()[0][35], 40.0, 1.0)
        for k in range(3):
            live.drag(grab, (0.6, 0.1 * k, -0.4))
            go_on(live, live.frame + 1, 2)
        live.let_go(grab)
        live.act(None, gravity=(0.0, 1.0, -9.81))
        go_on(live, 8, 3)
    assert live.recording().contact_force.any()
    assert_plays_again(live, build)
