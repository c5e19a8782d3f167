# SPDX-License-Identifier: GPL-3.0-or-later
"""Ropes that rub on their wheels: Euler's ratio, where they stick and slip, drums, energy, refusals."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from solver import Mechanism, MechanismError, evaluate, simulate
from solver.mechanism import Action, Body, Joint, Rope, Spring
from tests.solver.dynamics.loops.machines import Y, hinge

METHODS = ("recursive", "composite", "propagation", "lagrange")
INTEGRATORS = ("adams", "runge-kutta", "impulse")
G, MU = 9.81, 0.3
RADIUS, INERTIA = 0.3, 0.05  # m, kg m2 of the winch's drum
RATIO = math.exp(MU * math.pi)  # of two quarters of a turn


def guided(name: str, mass: float, at: tuple, speed: float = 0.0) -> tuple[Body, Joint]:
    """A mass that goes up and down."""
    body = Body(name, mass=mass, inertia=(0.1, 0.1, 0.1), position=at, linear_velocity=(0.0, 0.0, speed))
    return body, Joint(f"guide of {name}", "prismatic", None, name, at)


def over_a_beam(one: float, other: float, speed: float = 0.0, **rope: object) -> Mechanism:
    """Two masses on a rope over the edges of a beam, the first rising at this speed."""
    (a, guide), (b, second) = guided("a", one, (-0.5, 0, -1.0), speed), guided("b", other, (0.5, 0, -1.0), -speed)
    rope = {"friction": (0, MU, MU, 0), "slack": True} | rope
    points = [(-0.5, 0, -1.0), (-0.5, 0, 0), (0.5, 0, 0), (0.5, 0, -1.0)]
    rope = Rope("rope", bodies=["a", None, None, "b"], points=points, **rope)
    return Mechanism(bodies=[a, b], joints=[guide, second], constraints=[rope])


def sinking(heavy: float, light: float, ratio: float) -> float:
    """m/s2: of the heavier one, its pull that many times the lighter one's."""
    return G * (heavy - ratio * light) / (heavy + ratio * light)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("turns", [0.0, 0.5, 1.0])
def test_the_pulls_on_both_sides_are_in_eulers_ratio(method, turns):
    ratio = math.exp(MU * (math.pi + 2.0 * math.pi * turns))
    found = evaluate(over_a_beam(1.2 * ratio, 1.0, turns=(0, turns, 0, 0)), method)
    down = sinking(1.2 * ratio, 1.0, ratio)
    assert found.linear_acceleration[:, 2] == pytest.approx([-down, down], rel=1e-12)
    assert found.constraint_force[0, :3] == pytest.approx([0, 0, ratio * (G + down)], rel=1e-12)


@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize("swapped", [False, True])
def test_it_slips_beyond_that_ratio_and_sticks_within(integrator, swapped):
    for share, down in ((1.001, sinking(1.001 * RATIO, 1.0, RATIO)), (0.999, 0.0)):
        masses = (1.0, share * RATIO) if swapped else (share * RATIO, 1.0)
        found = simulate(over_a_beam(*masses), 0.5, 24.0, integrator=integrator)
        fell = 0.5 * down * found.times**2 * (1.0 if swapped else -1.0)
        assert found.position[:, 0, 2] + 1.0 == pytest.approx(fell, abs=1e-10)


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_it_comes_to_rest_where_friction_has_taken_its_energy(integrator):
    found = simulate(over_a_beam(1.0, 1.0, 0.5), 0.5, 24.0, integrator=integrator)
    slows = -sinking(1.0, 1.0, RATIO)
    time = np.minimum(found.times, 0.5 / slows)
    close = 1e-6 if integrator == "runge-kutta" else 1e-10  # which does not go back to where it stands
    assert found.position[:, 0, 2] + 1.0 == pytest.approx(0.5 * time - 0.5 * slows * time**2, abs=close)
    assert np.ptp(found.position[found.times > 0.5 / slows, 0, 2]) < 1e-12, "and sticks"


def test_a_weight_on_a_spring_turns_where_springs_of_two_strengths_say():
    """Going down it is held by exp(mu pi) times the spring's pull, going up by as much less: two harmonic motions."""
    stiffness, mass, ratio, stretch = 200.0, 2.0, math.exp(0.1 * math.pi), 0.25
    mechanism = over_a_beam(mass, 1e-8, friction=(0, 0.1, 0.1, 0))
    spring = Spring(
        name="spring", body_a="b", body_b=None, point_a=(0.5, 0, -1.0), point_b=(0.5, 0, -3.0),
        stiffness=stiffness, rest_length=2.0 - stretch,
    )  # fmt: skip
    found = simulate(replace(mechanism, forces=[spring]), 1.5, 400.0, relative=1e-8)
    stretches = stretch - 1.0 - found.position[:, 0, 2]
    above, below = ratio * mass * G / stiffness, mass * G / stiffness / ratio
    lowest = 2.0 * above - stretch
    last = 2.0 * below - lowest
    assert lowest < below < last < above, "so there it sticks"
    assert stretches.min() == pytest.approx(lowest, abs=2e-5)
    assert stretches[-1] == pytest.approx(last, abs=1e-7)


def winch(turns: float, load: float, weight: float) -> Mechanism:
    """A load on a rope over a bollard to a drum, from which a weight hangs on a rope of its own."""
    (hung, guide), (pulls, other) = guided("load", load, (-0.5, 0, -1.0)), guided("weight", weight, (2.0, 0, -1.0))
    drum = Body("drum", mass=2.0, inertia=(0.04, 0.04, INERTIA), position=(1.7, 0, 0), orientation=Y)
    axle = hinge("axle", None, "drum", (1.7, 0, 0), Y)
    rope = Rope(
        "rope", bodies=["load", None, None], points=[(-0.5, 0, -1.0), (-0.5, 0, 0), (1.4, 0, 0)], slack=True,
        drums=["axle"], radii=(RADIUS,), friction=(0, MU, 0), turns=(0, turns, 0),
    )  # fmt: skip
    tail = Rope("tail", bodies=[None, "weight"], points=[(2.0, 0, 0), (2.0, 0, -1.0)], drums=["axle"], radii=(-RADIUS,))
    return Mechanism(bodies=[hung, pulls, drum], joints=[guide, other, axle], constraints=[rope, tail])


def test_a_winch_draws_over_a_bollard():
    found = simulate(winch(0.25, 1.0, 6.0), 0.4, 24.0)
    ratio = math.exp(MU * math.pi)
    up = G * (6.0 - ratio) / (6.0 + ratio + INERTIA / RADIUS**2)
    assert found.position[:, 0, 2] + 1.0 == pytest.approx(0.5 * up * found.times**2, abs=1e-9)
    held = simulate(winch(0.25, 1.0, 2.0), 0.4, 24.0)
    assert np.abs(held.position - held.position[0]).max() < 1e-12


def swinging(seed: int) -> Mechanism:
    """Bodies on ball joints with a rope over points of them, in space."""
    random = np.random.default_rng(seed)
    bodies, joints = [], []
    for k in range(3):
        at = (1.0 * k, 0.0, 0.0)
        bodies.append(
            Body(f"b{k}", mass=1.0 + random.random(), inertia=(0.1, 0.12, 0.14), position=at,
                 linear_velocity=tuple(random.normal(0, 1.0, 3)))
        )  # fmt: skip
        joints.append(Joint(f"j{k}", "spherical", None, f"b{k}", (1.0 * k, 0.0, 0.8)))
    points = [(0.0, 0, -0.2), (0.5, 0.3, 1.0), (1.0, 0, -0.2), (1.6, -0.3, 1.2), (2.0, 0.0, -0.3)]
    names = ["b0", None, "b1", None, "b2"]
    friction = (0.0, *random.uniform(0.03, 0.15, 3), 0.0)
    rope = Rope("rope", bodies=names, points=points, slack=True, friction=friction)
    return Mechanism(bodies=bodies, joints=joints, constraints=[rope])


@pytest.mark.parametrize("seed", [0, 1, 11, 16])
def test_methods_and_integrators_agree_and_energy_only_falls(seed):
    mechanism = swinging(seed)
    found = simulate(mechanism, 1.0, 48.0, relative=1e-8)
    energy = found.kinetic_energy + found.potential_energy
    assert np.diff(energy).max() < 1e-6
    assert energy[0] - energy[-1] > 1e-3, "it rubs"
    for method in METHODS[1:]:
        other = simulate(mechanism, 0.5, 48.0, relative=1e-8, method=method)
        assert other.position == pytest.approx(found.position[: len(other.times)], abs=1e-6)
    steps = simulate(mechanism, 0.5, 48.0, integrator="impulse", substeps=40)
    assert steps.position == pytest.approx(found.position[: len(steps.times)], abs=2e-3)


@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize(("turns", "falling"), [(0.0, "a"), (0.0, "b"), (1.0, "a"), (1.0, "b")])
def test_a_jerk_goes_over_a_wheel_in_the_ratio_of_the_pulls(integrator, turns, falling):
    """Only one of two masses falls, without gravity; the other is drawn along by as much less."""
    mechanism = over_a_beam(1.5, 2.0, length=3.1, turns=(0, turns, 0, 0))
    bodies = [
        replace(each, linear_velocity=(0.0, 0.0, -1.0 if each.name == falling else 0.0)) for each in mechanism.bodies
    ]
    found = simulate(replace(mechanism, bodies=bodies, gravity=(0.0, 0.0, 0.0)), 0.11, 1000.0, integrator=integrator)
    ratio = RATIO * math.exp(MU * 2.0 * math.pi * turns)
    heavy, light = (1.5, 2.0) if falling == "a" else (2.0, 1.5)
    speed = heavy / (heavy + ratio * light)
    soon = int(np.searchsorted(found.times, 0.1)) + 2
    signs = (-1.0, 1.0) if falling == "a" else (1.0, -1.0)
    assert found.linear_velocity[soon, :, 2] == pytest.approx([sign * speed for sign in signs], rel=1e-6)


def test_a_rope_that_has_been_slack_rubs_again():
    mechanism = over_a_beam(1.0, 3.0, length=3.1)
    mechanism.bodies[0] = replace(mechanism.bodies[0], linear_velocity=(0.0, 0.0, -1.0))
    found = simulate(mechanism, 0.6, 240.0)
    taut = found.times > 0.3
    acceleration = np.diff(found.position[taut, 1, 2], 2) * 240.0**2
    assert acceleration[-3:] == pytest.approx(-sinking(3.0, 1.0, RATIO), rel=1e-6)


def test_an_action_changes_nothing_about_where_it_sticks():
    for one in (1.001 * RATIO, 0.999 * RATIO):
        mechanism = over_a_beam(one, 1.0)
        plain = simulate(mechanism, 0.4, 24.0)
        told = replace(mechanism, actions=[Action(0.2, None, {"gravity": (0.0, 0.0, -G)})])
        assert simulate(told, 0.4, 24.0).position == pytest.approx(plain.position, abs=1e-12)


@pytest.mark.parametrize("integrator", ["implicit", "variational", "quasi-static", "adaptive"])
def test_what_does_not_know_of_it_refuses_it_by_name(integrator):
    with pytest.raises(MechanismError, match="'rope'"):
        simulate(over_a_beam(1.0, 1.0), 0.1, 24.0, integrator=integrator)


def test_a_rope_that_slips_has_no_derivatives():
    with pytest.raises(MechanismError, match="ropes that slip on their wheels"):
        evaluate(over_a_beam(2.0 * RATIO, 1.0), derivatives=True)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"friction": (0, 0.1)}, "must have one entry for each of 4 points, has 2"),
        ({"turns": (0, 1.0)}, "must have one entry for each of 4 points, has 2"),
        ({"friction": (0.1, 0.1, 0, 0)}, "must be 0 at the first and at the last point"),
        ({"turns": (0, 0, 0, 1.0)}, "must be 0 at the first and at the last point"),
        ({"slack": False}, "needs slack: a rope rubs by its pull"),
        ({"tau": 0.1}, "has no meaning with friction"),
        ({"friction": (0, -0.1, 0, 0)}, "friction"),
    ],
)
def test_bad_friction_is_said(changes, words):
    with pytest.raises(MechanismError, match=words):
        simulate(over_a_beam(1.0, 1.0, **changes), 0.1, 24.0)


def test_a_rope_that_is_too_short_is_refused_with_both_lengths():
    words = "its sides are 0.1 m apart at the start: it is 2.9 m long, and the way along it 3 m; make it as long"
    with pytest.raises(MechanismError, match=words):
        simulate(over_a_beam(1.0, 1.0, length=2.9), 0.1, 24.0)


@pytest.mark.parametrize("rope", [{"turns": (0, 1000.0, 0, 0)}, {"friction": (0, 1000.0, 1000.0, 0)}])
def test_however_often_it_goes_round_it_comes_to_rest_at_once(rope):
    """exp(1900) is no number: beyond 1e13 times the pull nothing changes any more."""
    found = simulate(over_a_beam(1.0, 1.0, 0.5, **rope), 0.2, 24.0)
    assert np.abs(found.linear_velocity[2:]).max() < 1e-9
    assert np.abs(found.position - found.position[0])[..., 2].max() == pytest.approx(0.5 * 0.5**2 / G, rel=0.1)
