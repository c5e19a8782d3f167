# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints under the impulse integrator: what they exert, how they hold, and that they agree with the Adams method."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest

from solver import Mechanism, simulate
from solver.mechanism import Body, Contact, Ground, Joint, JointMotor, Material, Sphere
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


IN_MOTION = {
    "friction": {"friction": (5.0,)},
    "held by friction": {"friction": (100.0,)},
    "stiff spring": {"stiffness": (1e4,), "damping": (300.0,)},
    "limit": {"limits": ((-0.2, 0.2),)},
    "speed motor": {"motor": JointMotor("speed", target=-0.5, max_force=200.0)},
    "stiff servo": {
        "motor": JointMotor("position", target=-0.3, stiffness=2e4, damping=2e3, max_force=150.0),
        "damping": (1.0,),
    },
}


@pytest.mark.parametrize("by", IN_MOTION)
def test_joint_forces_in_motion_are_those_of_the_adams_method(by):
    """But for frames in which an axis has just run into its limit: a blow has no duration."""
    mechanism = swinging(**IN_MOTION[by])
    mechanism.joints[0] = dataclasses.replace(mechanism.joints[0], **IN_MOTION[by])
    by_impulses = simulate(mechanism, 1.0, FRAME_RATE, integrator="impulse", substeps=40)
    adams = simulate(dataclasses.replace(mechanism, contact=None), 1.0, FRAME_RATE, relative=1e-8)
    error = np.abs(by_impulses.joint_force - adams.joint_force).max(axis=(1, 2))
    size = np.median(np.abs(adams.joint_force).max(axis=(1, 2)))
    exact = 1e-2 if by == "stiff servo" else 2e-3  # of first order, while it swings in
    assert np.quantile(error[2:], 0.9) < exact * size


@pytest.mark.parametrize("by", ["friction", "held by friction"])
def test_the_first_frame_knows_what_holds(by):
    arm = swinging(**IN_MOTION[by])
    arm.joints[0] = dataclasses.replace(arm.joints[0], **IN_MOTION[by])
    first = simulate(arm, 0.1, FRAME_RATE, integrator="impulse").joint_force[0]
    adams = simulate(dataclasses.replace(arm, contact=None), 0.1, FRAME_RATE, relative=1e-8).joint_force[0]
    assert first == pytest.approx(adams, abs=0.05)
    heavy = simulate(dataclasses.replace(arm, contact=Contact(ground=Ground(-0.1))), 0.1, integrator="impulse")
    assert heavy.joint_force[0] == pytest.approx(heavy.joint_force[-1], abs=1e-2), "what lies, lies from the first"


def test_a_stiff_spring_is_as_strong_where_steps_are_cut():
    """Balls that bounce beside it end steps early; what holds the spring back must be that of the steps as they are."""
    bob = Body("bob", mass=1.0, inertia=(0.01, 0.01, 0.01), position=(0, 0, 0.5), shape=BALL)
    slide = Joint("slide", "prismatic", None, "bob", (0, 0, 0.5), stiffness=(5e4,), speeds=(1.0,))
    balls = [
        Body(f"ball {k}", mass=1.0, inertia=(4e-3,) * 3, position=(1.0 + k, 0, 0.102 + 1e-4 * k), shape=BALL)
        for k in range(40)
    ]
    for ball in balls:
        ball.material = Material(restitution=1.0)
    bouncing = Contact(ground=Ground(restitution=1.0))
    mechanism = Mechanism(bodies=[bob, *balls], joints=[slide], contact=bouncing)
    recording = simulate(mechanism, 0.1, 20 * FRAME_RATE, substeps=1)
    assert recording.steps > 1.5 * 0.1 * 20 * FRAME_RATE
    lengths = recording.joint_coordinates[:, 0] + GRAVITY / 5e4
    back = np.flatnonzero(lengths[1:] * lengths[:-1] < 0.0)
    crossings = recording.times[back] + lengths[back] / (lengths[back] - lengths[back + 1]) / (20 * FRAME_RATE)
    assert np.diff(crossings).mean() == pytest.approx(math.pi / math.sqrt(5e4), rel=0.1)
