# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints under the impulse integrator: what they exert, how they hold, and that they agree with the Adams method."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from solver import Mechanism, simulate
from solver.mechanism import Body, Contact, Ground, Joint, JointMotor, Sphere
from tests.solver.contact.scenes import FRAME_RATE, GRAVITY, LYING

BALL = Sphere(radius=0.1)
FAR_BELOW = Contact(ground=Ground(-50.0))


def level_arm(**given) -> Mechanism:
    """One kilogram, one metre out on a hinge about Y, held up by what the joint has."""
    bob = Body("bob", mass=1.0, inertia=(0.01, 0.01, 0.01), position=(1, 0, 0), shape=BALL)
    hinge = Joint("hinge", "revolute", None, "bob", (0, 0, 0), LYING, **given)
    return Mechanism(bodies=[bob], joints=[hinge], contact=FAR_BELOW)


HOLDING = {
    "stiff spring": {"stiffness": (1e6,), "damping": (1e5,)},
    "friction": {"friction": (100.0,)},
    "limit": {"limits": ((-1.0, 0.0),)},
    "speed motor": {"motor": JointMotor("speed", target=0.0, max_force=100.0)},
    "servo": {"motor": JointMotor("position", target=0.0, stiffness=1e6, damping=1e5, max_force=100.0)},
}


@pytest.mark.parametrize("by", HOLDING)
def test_a_joint_that_holds_a_weight_says_so(by):
    """Force and moment of the parent on the child are the weight's, whatever it is in the joint that holds."""
    arm = level_arm(**HOLDING[by])
    recording = simulate(arm, 0.5, FRAME_RATE, integrator="impulse")
    assert abs(recording.joint_coordinates[-1, 0]) < 1e-3
    assert recording.joint_force[-1, 0, :3] == pytest.approx([0, 0, GRAVITY], abs=1e-2)
    assert recording.joint_force[-1, 0, 3:] == pytest.approx([0, -GRAVITY, 0], abs=1e-2)


def swinging(**given) -> Mechanism:
    """Two arms, the second one hanging on the first."""
    bodies = [
        Body(f"arm {k}", mass=1.0, inertia=(0.01, 0.1, 0.1), position=(0.5 + k, 0, 0), shape=BALL) for k in range(2)
    ]
    joints = [
        Joint("shoulder", "revolute", None, "arm 0", (0, 0, 0), LYING),
        Joint("elbow", "revolute", "arm 0", "arm 1", (1, 0, 0), LYING, **given),
    ]
    return Mechanism(bodies=bodies, joints=joints, contact=FAR_BELOW)


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ({}, 1e-7),
        ({"stiffness": (50.0,), "damping": (1.0,)}, 1e-7),
        ({"friction": (2.0,)}, 1e-4),
        ({"damping": (1e5,)}, 1e-4),
        ({"motor": JointMotor("speed", target=2.0, max_force=3.0)}, 1e-3),
    ],
)
def test_a_swing_is_that_of_the_adams_method(given, error):
    mechanism = swinging(**given)
    fixed_steps = simulate(mechanism, 1.5, FRAME_RATE)
    assert fixed_steps.notes[0] == "integrator: impulse"
    adams = simulate(dataclasses.replace(mechanism, contact=None), 1.5, FRAME_RATE)
    assert np.abs(fixed_steps.joint_coordinates - adams.joint_coordinates).max() < error


def test_a_ball_that_cannot_move_sideways_lands():
    """Rows of a contact along which nothing moves must do nothing."""
    ball = Body("ball", mass=1.0, inertia=(0.01, 0.01, 0.01), position=(0, 0, 0.12), shape=BALL)
    slide = Joint("slide", "prismatic", None, "ball", (0, 0, 0.1))
    recording = simulate(Mechanism(bodies=[ball], joints=[slide], contact=Contact(ground=Ground())), 0.5, FRAME_RATE)
    assert recording.position[-1, 0, 2] == pytest.approx(0.1, abs=1e-4)


@pytest.mark.parametrize("height", [0.099, 0.1, 0.11])
def test_a_turntable_on_the_ground_does_not_fail(height):
    """Nothing of it can move where it touches: its contacts can do nothing either."""
    disc = Body("disc", mass=1.0, inertia=(0.01, 0.01, 0.01), position=(0, 0, height), shape=BALL)
    pivot = Joint("pivot", "revolute", None, "disc", (0, 0, 0.1), speeds=(1.0,))
    recording = simulate(Mechanism(bodies=[disc], joints=[pivot], contact=Contact(ground=Ground())), 0.5, FRAME_RATE)
    assert np.isfinite(recording.position).all()
    assert recording.position[-1, 0] == pytest.approx([0, 0, height], abs=1e-9)
