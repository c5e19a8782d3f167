# SPDX-License-Identifier: GPL-3.0-or-later
"""What is assigned to a part of a mechanism becomes what the rest of the program expects."""

from __future__ import annotations

import math

import numpy as np
import pytest

from solver.mechanism import (
    COORDINATES,
    Action,
    Body,
    Box,
    Joint,
    JointMotor,
    Keys,
    Material,
    Mechanism,
    Motor,
    Nail,
    Sphere,
    Spring,
    Table,
)
from tests.solver.random_mechanisms import TYPES


def test_lists_and_arrays_become_tuples_of_floats():
    body = Body("a", mass=np.float32(2), position=np.array([1, 2, 3]), inertia=[[1, 0, 0], [0, 1, 0], [0, 0, 1]])
    assert body.mass == 2
    assert type(body.mass) is float
    assert body.position == (1.0, 2.0, 3.0)
    assert all(type(number) is float for number in body.position)
    assert body.inertia == ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


def test_what_was_not_given_is_none():
    body = Body("a")
    for name in ("mass", "inertia", "position", "orientation", "linear_velocity", "keys", "shape", "material"):
        assert getattr(body, name) is None
    joint = Joint("j", "revolute", None, "a", (0, 0, 0))
    for name in ("pitch", "coordinates", "speeds", "stiffness", "rest", "damping", "friction", "limits", "motor"):
        assert getattr(joint, name) is None
    assert joint.orientation == (1.0, 0.0, 0.0, 0.0)


def test_objects_become_parts():
    body = Body("a", keys={"times": [0], "positions": [[0, 0, 0]], "orientations": [[1, 0, 0, 0]]}, material={})
    assert body.keys == Keys((0,), ((0, 0, 0),), ((1, 0, 0, 0),))
    assert body.material == Material(friction=0.5, restitution=0.3)
    motor = Motor("m", body="a", point=(0, 0, 0), force=[0, {"times": [0, 1], "values": [2, 3]}, 1])
    assert motor.force == (0.0, Table((0, 1), (2, 3)), 1.0)
    assert motor.torque == (0.0, 0.0, 0.0)


def test_a_quaternion_near_unit_length_becomes_exact():
    body = Body("a", orientation=(0.9995, 0, 0, 0.01))
    assert math.hypot(*body.orientation) == pytest.approx(1, abs=1e-15)
    assert body.orientation[3] / body.orientation[0] == pytest.approx(0.01 / 0.9995, rel=1e-15)
    body.orientation = (0, 0, 0, 1.0009)
    assert body.orientation == (0, 0, 0, 1)
    exact = (0.5, -0.5, 0.5, -0.5)
    assert Body("a", orientation=exact).orientation == exact


def test_a_wrong_value_stays_as_it_is():
    body = Body("a", mass="heavy", orientation=(2, 0, 0, 0))
    assert body.mass == "heavy"
    assert body.orientation == (2, 0, 0, 0)


def test_a_joint_with_one_coordinate_takes_bare_numbers():
    joint = Joint("j", "revolute", None, "a", (0, 0, 0), coordinates=0.5, damping=2, limits=(-1, 1))
    assert joint.coordinates == (0.5,)
    assert joint.damping == (2.0,)
    assert joint.limits == ((-1.0, 1.0),)
    assert Joint("j", "revolute", None, "a", (0, 0, 0), limits=(None, 1)).limits == ((None, 1.0),)
    assert Joint("j", "cylindrical", None, "a", (0, 0, 0), limits=(None, (0, 1))).limits == (None, (0.0, 1.0))
    assert Joint("j", "cylindrical", None, "a", (0, 0, 0), limits=(None, None)).limits == (None, None)


@pytest.mark.parametrize("joint_type", TYPES)
def test_every_joint_takes_one_entry_per_coordinate(joint_type):
    count = COORDINATES[joint_type]
    joint = Joint("j", joint_type, None, "a", (0, 0, 0), pitch=0.1 if joint_type == "screw" else None)
    for name in ("coordinates", "speeds", "stiffness", "rest", "damping", "friction", "armature"):
        setattr(joint, name, [0.5] * count)
    joint.limits = [(0, 1)] * count
    joint.motor = JointMotor("force", value=[1.0] * count)
    mechanism = Mechanism(bodies=[Body("a", mass=1, inertia=(1, 1, 1))], joints=[joint])
    assert mechanism.problems() == []
    joint.rest = [0.5] * (count + 1)
    (problem,) = mechanism.problems()
    assert problem.startswith("joint 'j': rest must have ")


def test_a_motor_gives_its_values_per_coordinate():
    one = JointMotor("position", target=Table((0, 1), (0, 2)), stiffness=3, damping=0)
    assert one.per_coordinate("target", 1) == [Table((0, 1), (0, 2))]
    assert one.per_coordinate("stiffness", 1) == [3.0]
    assert one.per_coordinate("max_force", 1) == [None]
    three = JointMotor("force", value=[1, 2, 3])
    assert three.per_coordinate("value", 3) == [1.0, 2.0, 3.0]
    assert three.per_coordinate("max_force", 3) == [None, None, None]


def test_shapes_are_a_compound_or_one_or_none():
    assert Body("a").shapes == ()
    assert Body("a", shape=Sphere(radius=1)).shapes == (Sphere(radius=1),)
    compound = [{"type": "sphere", "radius": 1}, Box(half_size=(1, 1, 1))]
    assert Body("a", shape=compound).shapes == (Sphere(radius=1), Box(half_size=(1, 1, 1)))


def test_forces_and_constraints_know_their_type():
    assert Spring.type == "spring"
    assert Nail("n", body="a", point=(0, 0, 0)).to_dict() == {
        "type": "nail",
        "name": "n",
        "body": "a",
        "point": [0.0, 0.0, 0.0],
    }


def test_an_actions_values_are_read_as_its_target_would():
    spring = Spring("s", body_a="a", point_a=(0, 0, 0), point_b=(0, 0, 1), stiffness=1, rest_length=1)
    action = Action(1, "s", {"stiffness": {"times": [0], "values": [5]}, "damping": 2, "enabled": False})
    assert action.values_for(spring) == {"stiffness": Table((0,), (5,)), "damping": 2.0, "enabled": False}


def test_the_lists_of_a_mechanism_can_be_appended_to():
    bodies = []
    mechanism = Mechanism(bodies=bodies)
    bodies.append(Body("a", "fixed"))
    mechanism.bodies.append(Body("b", "fixed"))
    assert [body.name for body in mechanism.bodies] == ["a", "b"]
    assert Mechanism().bodies == []
    assert mechanism.problems() == []
