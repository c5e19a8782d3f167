# SPDX-License-Identifier: GPL-3.0-or-later
"""The change of every law of forces along a motion, against extrapolated differences of the accelerations.

Each law acts on bodies that move and turn, on the side of its kinks that its name says, far enough from the next one
for the differences to stay on it.
"""

from __future__ import annotations

import numpy as np
import pytest

from solver.mechanism import (
    Body,
    Brake,
    Damping,
    Drag,
    Expression,
    Joint,
    JointMotor,
    Mechanism,
    Motor,
    Pull,
    Rubber,
    Spring,
    Steering,
    Support,
    Terrain,
    Tyre,
)
from solver.model.arrays import Hold
from tests.solver.dynamics.derivatives.differences import differentiated, worst_error
from tests.solver.random_mechanisms import random_body, unit_quaternion

EXACT = 1e-9
RNG = np.random.default_rng(8)
FRAME = {"point": (0.2, 0.7, -0.3), "orientation": unit_quaternion(RNG)}
ENDS = {"body_a": "one", "body_b": "two", "point_a": (0.3, 0.1, -0.2), "point_b": (-0.5, 0.9, 0.4)}
ONE = {"body_a": None, "body_b": "two", "point_a": (0.3, 0.1, -0.2), "point_b": (-0.5, 0.9, 0.4)}
GROUND = {"body": "one", "point": (0.2, 0.7, -0.3), "height": 2.0, "stiffness": 30.0}
TYRE = {
    "body": "one",
    **FRAME,
    "radius": 0.8,
    "height": 0.7,
    "stiffness": 30.0,
    "damping": 1.0,
    "friction": 0.9,
    "slip_stiffness": 20.0,
    "cornering_stiffness": 30.0,
    "rolling_resistance": 0.1,
}
STEERING = {
    "body": "one",
    "fork": "two",
    "orientation": unit_quaternion(np.random.default_rng(7)),
    "wheelbase": 0.4,
    "center_height": 0.9,
    "stiffness": 5.0,
    "damping": 0.3,
    "max_lean": 1.5,
}
PARTING, MEETING = {**ONE, "point_b": (-0.5, 0.9, 0.4)}, {**ONE, "point_b": (-0.5, -0.9, -0.8)}
TABLE = Pull((0.0, 0.5, 1.0, 2.0, 4.0), (-3.0, -1.0, 1.5, 9.0, 10.0))
LAWS = {
    "spring": Spring("f", **ENDS, stiffness=40.0, rest_length=0.7, damping=3.0),
    "spring to the world": Spring("f", **ONE, stiffness=40.0, rest_length=0.7, damping=3.0),
    "spring of no length": Spring("f", **ENDS, stiffness=40.0, rest_length=0.0),
    "spring by a table": Spring("f", **ENDS, pull=TABLE, damping=2.0),
    "rubber that is stretched more": Rubber("f", **PARTING, stiffness=40.0, rest_length=0.3, restitution=0.4),
    "rubber that damps": Rubber("f", **PARTING, stiffness=40.0, rest_length=0.3, restitution=0.4, damping=0.5),
    "rubber within its band": Rubber("f", **MEETING, stiffness=2e4, rest_length=0.3, restitution=0.4, damping=9.0),
    "rubber beyond its band": Rubber("f", **MEETING, stiffness=40.0, rest_length=0.3, restitution=0.4),
    "rubber that hangs loose": Rubber("f", **PARTING, stiffness=40.0, rest_length=9.0, restitution=0.4),
    "damping": Damping("f", body="one", linear=2.0, angular=0.7),
    "drag": Drag("f", body="one", coefficient=1.4, wind=(0.5, -1.0, 0.3)),
    "expression": Expression(
        "f",
        body="one",
        point=FRAME["point"],
        force=("-2*vx*abs(vx) + x*z", "sin(3*y)*exp(-z) + m", "max(x, -9)*vy if z < 9 else 0"),
    ),
    "expression in its own frame": Expression(
        "f", body="one", **FRAME, axes="own", force=("-3*vx + y", "tanh(vz)/hypot(x, y, 2)", "a*vy**2"), a=0.7
    ),
    "brake": Brake("f", body="one", **FRAME, damping=(1.0, 2.0, 0.4)),
    "brake at its largest force": Brake("f", body="one", **FRAME, damping=(1.0, 2.0, 0.4), max_force=0.2),
    "motor": Motor("f", body="one", **FRAME, force=(1.0, -2.0, 3.0), torque=(0.3, 0.5, -0.4)),
    "support": Support("f", **GROUND, damping=2.0),
    "support that rubs": Support("f", **GROUND, damping=0.0, friction=0.6),
    "support that rubs by a slope": Support("f", **GROUND, damping=2.0, friction=0.6, slope=20.0),
    "support that sticks": Support("f", **GROUND, damping=0.0, slope=9.0),
    "support on a terrain": Support("f", **GROUND, damping=2.0, friction=0.6, slope=20.0, terrain="hills"),
    "tyre": Tyre("f", **TYRE),
    "tyre on a terrain": Tyre("f", **TYRE, width=0.3, terrain="hills"),
    "steering": Steering("f", **STEERING, heading=0.4, heading_time=2.0),
    "steering to a target": Steering("f", **STEERING, target=(20.0, 30.0, 1.0), heading_time=2.0),
    "steering by all its strength": Steering("f", **STEERING, max_torque=0.5),
    "support above its ground": Support("f", **{**GROUND, "height": -9.0}, damping=0.0),
}
ROUGH = {
    "tyre": 1e-7,
    "tyre on a terrain": 1e-7,
    "steering": 1e-8,
    "steering to a target": 1e-8,
}  # by differences themselves
NOTHING = {"rubber that hangs loose", "support above its ground"}


def two_bodies(force=None) -> Mechanism:
    heights = np.random.default_rng(4).normal(scale=0.2, size=(9, 9))
    hills = Terrain(name="hills", heights=heights, origin=(-4.0, -4.0, 0.0), spacing=(1.0, 1.0))
    rng = np.random.default_rng(5)
    bodies = [random_body(rng, name) for name in ("one", "two")]
    for body in bodies:
        body.linear_velocity, body.angular_velocity = rng.normal(size=(2, 3))
    joint = Joint("ball", "spherical", "one", "two", (0.1, 0.2, 0.3), speeds=rng.normal(size=3))
    return Mechanism(bodies=bodies, joints=[joint], forces=[] if force is None else [force], terrains=[hills])


@pytest.mark.parametrize("name", LAWS)
def test_every_law(name):
    (linkage,) = differentiated(two_bodies(LAWS[name]), aside=0.1, closed=int(name not in NOTHING))
    (without,) = differentiated(two_bodies(), aside=0.1)
    acts = not np.allclose(linkage.accelerations(), without.accelerations(), atol=1e-6)
    assert acts is (name not in NOTHING)
    assert worst_error(linkage) < ROUGH.get(name, EXACT)


def arm(kind: str, **numbers) -> Mechanism:
    rng = np.random.default_rng(6)
    bodies = [random_body(rng, name) for name in ("one", "two")]
    count = 3 if kind == "spherical" else 1
    speeds = rng.normal(size=(2, count))
    root = Joint("root", kind, None, "one", (0.1, 0.2, 0.3), speeds=speeds[0], **numbers)
    tip = Joint("tip", "revolute", "one", "two", (0.4, 0.2, 0.3), unit_quaternion(rng), speeds=speeds[1][:1])
    return Mechanism(bodies=bodies, joints=[root, tip])


@pytest.mark.parametrize("kind", ["revolute", "prismatic", "spherical"])
@pytest.mark.parametrize("limit", [None, 0.5])
def test_joints_with_springs_and_motors(kind, limit):
    count = 3 if kind == "spherical" else 1
    motor = JointMotor(
        "position",
        target=np.linspace(0.5, 0.9, count),
        stiffness=[30.0] * count,
        damping=[2.0] * count,
        max_force=None if limit is None else [limit] * count,
    )
    numbers = {"stiffness": [7.0] * count, "rest": [0.2] * count, "damping": [0.8] * count, "motor": motor}
    (linkage,) = differentiated(arm(kind, **numbers), aside=0.4)
    assert worst_error(linkage) < EXACT


def test_stops_of_a_ball_joint():
    limits = (0.02, 0.5), None, (-0.5, -0.2)
    (linkage,) = differentiated(arm("spherical", limits=limits, damping=(0.1,) * 3), aside=0.3)
    (free,) = differentiated(arm("spherical", damping=(0.1,) * 3), aside=0.3)
    assert not np.allclose(linkage.accelerations(), free.accelerations(), atol=0.1)
    assert worst_error(linkage) < EXACT


def test_dry_friction_and_a_motor_that_keeps_a_speed():
    """While they slip they push with all they have; while they hold, the axis does not speed up at all."""
    motor = JointMotor("speed", target=(1.0,), max_force=(0.3,))
    (linkage,) = differentiated(arm("revolute", friction=(0.4,), motor=motor), aside=0.3)
    free, switch = linkage.accelerations(), linkage.scratch.switches[0]
    switch.friction, switch.motor = -1.0, 1.0
    linkage.differentiate()
    assert np.abs(linkage.accelerations() - free).max() > 0.01
    assert worst_error(linkage) < EXACT
    assert np.abs(linkage.by_coordinates[0]).max() > 0.1
    switch.hold = int(Hold.FRICTION)
    linkage.differentiate()
    assert worst_error(linkage) < EXACT
    assert np.abs(linkage.by_coordinates[0]).max() < 1e-9


def test_a_dead_body_has_no_forces():
    body = Body("one", mass=1.0, inertia=(0.1, 0.2, 0.3), linear_velocity=(1.0, 2.0, 3.0))
    (linkage,) = differentiated(Mechanism(bodies=[body]), aside=0.0)
    assert np.abs(linkage.by_coordinates).max() == 0.0
