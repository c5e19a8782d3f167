# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies without inertia where their joints leave them free are refused by name; what has some is right."""

from __future__ import annotations

import math

import numpy as np
import pytest

from solver import LiveRun, MechanismError, evaluate, simulate
from solver.mechanism import Action, Body, Joint, Mechanism

ABOUT_Y, ABOUT_Z = (math.sqrt(0.5), math.sqrt(0.5), 0.0, 0.0), (1.0, 0.0, 0.0, 0.0)  # of a joint's Z
HEAVY = Body(name="heavy", mass=1.0, inertia=(0.1, 0.2, 0.25), position=(1.0, 0.0, 0.0))
METHODS = ("recursive", "composite", "propagation", "lagrange", "divide")


def two_hinges(mass: float, first=ABOUT_Y, second=ABOUT_Y, **options) -> Mechanism:
    """A light link at the origin between two hinges, on which a heavy one hangs by an arm of a metre."""
    light = Body(name="light", mass=mass, inertia=(0.01 * mass,) * 3)
    joints = [
        Joint(name="a", type="revolute", parent=None, child="light", position=(0, 0, 0), orientation=first, **options),
        Joint(name="b", type="revolute", parent="light", child="heavy", position=(0, 0, 0), orientation=second),
    ]
    return Mechanism(bodies=[light, HEAVY], joints=joints)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("mass", [1e-11, 1e-14, 1e-20, 1e-28])
def test_a_massless_link_between_coaxial_hinges_is_refused_by_name(method, mass):
    with pytest.raises(MechanismError, match="body 'light': has next to no inertia where") as error:
        evaluate(two_hinges(mass), method)
    (problem,) = error.value.problems
    assert problem.code == "massless"
    assert problem.values["least"] == "1.2e-12 kg m²"  # of 0.2 + 1 * 1**2


def test_all_ways_in_refuse_it():
    for run in (lambda it: simulate(it, 0.1), lambda it: LiveRun(it, 24.0)):
        with pytest.raises(MechanismError, match="make it one body with a neighbour"):
            run(two_hinges(1e-14))
    with pytest.raises(MechanismError, match="body 'light': mass must be greater than 0, is 0; give it the mass"):
        simulate(two_hinges(0.0), 0.1)


@pytest.mark.parametrize("method", METHODS[:3])
def test_crossed_hinges_may_have_hardly_any_mass_between_them(method):
    """As the cross of a universal joint, which the heavy body holds about both axes."""
    crossed = evaluate(two_hinges(1e-14, second=ABOUT_Z), method).linear_acceleration[1]
    assert crossed == pytest.approx((0.0, 0.0, -9.81 / 1.2), rel=1e-6, abs=1e-9)


@pytest.mark.parametrize("method", METHODS)
def test_a_little_mass_is_enough(method):
    found = evaluate(two_hinges(1e-5), method)
    assert found.joint_acceleration == pytest.approx((0.0, -9.81 / 1.2), abs=1e-5)


@pytest.mark.parametrize("count", [1, 4])
def test_dust_at_the_end_of_a_chain_is_no_link_between(count):
    """All that hangs on its hinge is its own: a pendulum of any mass swings alike."""

    def bob(mass):
        names = [f"link {k}" for k in range(count)] + ["bob"]
        bodies = [
            Body(
                name=name,
                mass=mass if name == "bob" else 1.0,
                inertia=(0.1 * (mass if name == "bob" else 1.0),) * 3,
                position=(k + 1.0, 0.0, 0.0),
            )
            for k, name in enumerate(names)
        ]
        joints = [
            Joint(name=name, type="revolute", parent=parent, child=name, position=(k, 0, 0), orientation=ABOUT_Y)
            for k, (name, parent) in enumerate(zip(names, [None, *names], strict=False))
        ]
        return evaluate(Mechanism(bodies=bodies, joints=joints)).joint_acceleration

    assert bob(1e-15) == pytest.approx(bob(1e-13), rel=1e-9)


def test_a_needle_spins_only_where_it_has_inertia():
    needle = Body(name="needle", mass=1.0, inertia=(1e-14, 1.0, 1.0))
    with pytest.raises(MechanismError, match="body 'needle': has next to no inertia where its joint"):
        simulate(Mechanism(bodies=[needle]), 0.1)
    hinge = Joint(name="hinge", type="revolute", parent=None, child="needle", position=(1, 0, 0), orientation=ABOUT_Y)
    assert evaluate(Mechanism(bodies=[needle], joints=[hinge])).joint_acceleration == pytest.approx([9.81 / 2.0])


def test_an_armature_is_inertia_too():
    geared = evaluate(two_hinges(1e-14, armature=0.3))
    alone = evaluate(two_hinges(1.0, armature=0.29))
    assert geared.joint_acceleration == pytest.approx(alone.joint_acceleration, abs=1e-9)


def test_travels_are_looked_at_as_turns_are():
    slides = [
        Joint(name="a", type="prismatic", parent=None, child="light", position=(0, 0, 0)),
        Joint(name="b", type="prismatic", parent="light", child="heavy", position=(0, 0, 0)),
    ]
    light = Body(name="light", mass=1e-13, inertia=(1e-13,) * 3)
    with pytest.raises(MechanismError, match=r"body 'light'.* 1e-13 kg beside 1 kg, so"):
        evaluate(Mechanism(bodies=[light, HEAVY], joints=slides))


def test_what_an_action_leaves_massless_ends_there():
    """A joint that held a needle's idle spin is cut."""
    needle = Body(name="needle", mass=1.0, inertia=(1e-14, 1.0, 1.0))
    hinge = Joint(name="hinge", type="revolute", parent=None, child="needle", position=(1, 0, 0), orientation=ABOUT_Y)
    cut = Mechanism(bodies=[needle], joints=[hinge], actions=[Action(0.05, "hinge", {"enabled": False})])
    with pytest.raises(Exception, match="body 'needle': has next to no inertia"):
        simulate(cut, 0.1)


def test_pivots_agree_with_dense_ones():
    """The least inertia is that of the recursion: what a torque about the axis accelerates, all other axes free."""
    for mass in (1e-7, 1e-4):
        torque = {"motor": {"mode": "force", "value": 1.0}}
        pushed, still = (evaluate(two_hinges(mass, **options)).joint_acceleration[0] for options in (torque, {}))
        assert 1.0 / (pushed - still) == pytest.approx(0.01 * mass, rel=1e-3)
    assert np.isfinite(pushed)
