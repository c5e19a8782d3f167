# SPDX-License-Identifier: GPL-3.0-or-later
"""The re-based mechanism of an assembly: the same springs, limits, motors and forces, counted from the new zero."""

import numpy as np
import pytest
from hypothesis import given, settings

from solver import Mechanism, assemble, evaluate
from solver.mechanism import Action, Body, Joint, JointMotor, Keys, Spring, Table
from tests.solver.assembly.loose_parts import ball
from tests.solver.random_mechanisms import mechanisms


def test_turns_are_counted_from_the_given_coordinates():
    joint = Joint("j", "revolute", None, "a", [0, 0, 0], coordinates=[7.0], limits=[[6.5, 9.0]], stiffness=[2.0])
    (after,) = assemble(Mechanism(bodies=[ball("a")], joints=[joint])).joints
    assert after.coordinates is None
    assert after.rest == pytest.approx([-7.0], abs=1e-12)
    assert after.limits[0] == pytest.approx((-0.5, 2.0), abs=1e-12)


def test_targets_tables_and_actions_are_counted_from_the_new_zero():
    motor = JointMotor("position", target=Table((0, 1), (0.2, 0.9)), stiffness=3.0, damping=1.0)
    joint = Joint("j", "revolute", None, "a", [0, 0, 0], coordinates=[0.5], motor=motor)
    sets = [{"rest": [1.0]}, {"limits": [[None, 2.0]]}, {"stiffness": [4.0]},
            {"motor": {"mode": "position", "target": 1.5, "stiffness": 1.0, "damping": 0.0}}]  # fmt: skip
    actions = [Action(1.0, "j", settings) for settings in sets]
    after = assemble(Mechanism(bodies=[ball("a")], joints=[joint], actions=actions))
    assert after.problems() == []
    assert after.joints[0].rest == pytest.approx([-0.5])
    assert after.joints[0].motor.target.values == pytest.approx((-0.3, 0.4))
    found = [action.values_for(after.joints[0]) for action in after.actions]
    assert found[0]["rest"] == pytest.approx((0.5,))
    assert found[1]["limits"] == ((None, 1.5),)
    assert found[2] == {"stiffness": (4.0,)}
    assert found[3]["motor"].target == pytest.approx(1.0)


@settings(max_examples=40, deadline=None, derandomize=True)
@given(mechanisms(most=5))
def test_the_rebased_mechanism_moves_as_the_given_one(mechanism):
    """Accelerations agree: springs, motors and forces mean the same in the new zero (but spherical springs)."""
    for joint in mechanism.joints:
        if joint.type == "spherical":
            joint.stiffness = None
            if joint.motor is not None and joint.motor.mode == "position":
                joint.motor = None
    after = assemble(mechanism)
    assert after.problems() == []
    assert all(joint.coordinates is None for joint in after.joints)
    one, other = evaluate(mechanism), evaluate(after)
    size = max(1.0, np.abs(one.linear_acceleration).max(), np.abs(one.angular_acceleration).max())
    assert other.linear_acceleration == pytest.approx(one.linear_acceleration, abs=1e-8 * size)
    assert other.angular_acceleration == pytest.approx(one.angular_acceleration, abs=1e-8 * size)


def test_a_keyed_body_stands_where_its_keys_begin_and_carries_what_hangs_on_it():
    keys = Keys([0, 1], [[1, 0, 0], [2, 0, 0]], [[1, 0, 0, 0], [1, 0, 0, 0]])
    base = Body("base", "keyed", keys=keys, position=[0, 0, 0], orientation=[1, 0, 0, 0])
    mechanism = Mechanism(
        bodies=[base, ball("a", position=[0, 0, -1])],
        joints=[Joint("j", "revolute", "base", "a", [0, 0, 0])],
        forces=[Spring("s", body_a="a", point_a=[0, 0, -1], point_b=[5, 0, 0], stiffness=1, rest_length=1)],
    )
    after = assemble(mechanism)
    assert after.bodies[1].position == pytest.approx((1, 0, -1))
    assert after.joints[0].position == pytest.approx((1, 0, 0))
    assert after.forces[0].point_a == pytest.approx((1, 0, -1))
    assert after.forces[0].point_b == (5, 0, 0)
