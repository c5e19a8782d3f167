# SPDX-License-Identifier: GPL-3.0-or-later
"""The work of keyed bodies and motors in a step is counted: over a run it is what the energy has changed by."""

from __future__ import annotations

import numpy as np
import pytest

from solver import Mechanism, Recording
from solver.integration import METHODS
from solver.mechanism import Body, Box, Contact, Ground, Joint, JointMotor, Keys, Sphere, Table
from tests.solver.contact.scenes import FRAME_RATE, GRAVITY, LYING, meets_bodies, run
from tests.solver.contact.solids import fixed, solid

UPRIGHT = (1.0, 0.0, 0.0, 0.0)
FAR_BELOW = Contact(ground=Ground(-50.0))
LED = Table((0.0, 0.2, 0.5), (0.0, 1.0, -1.0))
BALL = Sphere(radius=0.1)


@pytest.fixture
def counted(monkeypatch) -> list[float]:
    """The work of each step (J); none is taken back and taken anew here."""
    impulse, done = METHODS["impulse"], []

    def advance(model, scratch, memory, *rest):
        began = memory.clock[0].time
        found = impulse.advance(model, scratch, memory, *rest[:-1], 1)  # a step at a time
        if memory.clock[0].time > began:
            done.append(float(memory.arrays.outside.done.sum()))
        return found

    monkeypatch.setitem(METHODS, "impulse", impulse._replace(advance=advance))
    return done


def keyed(name: str, times, positions, **given) -> Body:
    keys = Keys(tuple(times), tuple(positions), (UPRIGHT,) * len(times))
    return Body(name, motion="keyed", keys=keys, position=positions[0], **given)


def eased(times: np.ndarray) -> np.ndarray:
    """From 0 to 1 in the unit of time, from rest to rest."""
    return 0.5 - 0.5 * np.cos(np.pi * np.clip(times, 0.0, 1.0))


@meets_bodies
@pytest.mark.parametrize("substeps", [5, 20])
def test_a_platform_that_rises_does_what_the_load_gains(counted, substeps):
    times = np.linspace(0.0, 1.2, 49)
    places = [(0.0, 0.0, 0.1 + 0.5 * up) for up in eased(times)]
    platform = keyed("platform", times, places, shape=Box(half_size=(0.5, 0.5, 0.1)))
    load = solid("load", Box(half_size=(0.2, 0.2, 0.2)), (0.0, 0.0, 0.4), 3.0)
    run(Mechanism(bodies=[platform, load], contact=Contact()), 1.2, substeps=substeps)
    assert sum(counted) == pytest.approx(3.0 * GRAVITY * 0.5, rel=1e-3)


def test_who_swings_a_pendulum_does_what_it_gains(counted):
    """It hangs on a keyed body by a hinge; nothing takes any energy. What rests elsewhere makes it worth counting."""
    times = np.linspace(0.0, 2.0, 97)
    places = [(0.3 * np.sin(3.0 * t) ** 2, 0.0, 0.2 * t) for t in times]
    hand = keyed("hand", times, places)
    bob = Body("bob", mass=2.0, inertia=(0.01, 0.01, 0.01), position=(1.0, 0.0, 0.0), shape=BALL)
    hinge = Joint("hinge", "revolute", "hand", "bob", (0.0, 0.0, 0.0), LYING)
    resting = solid("resting", BALL, (0.0, 5.0, -49.9))
    recording = run(Mechanism(bodies=[hand, bob, resting], joints=[hinge], contact=FAR_BELOW), 2.0)
    energy = recording.kinetic_energy + recording.potential_energy
    assert abs(energy[-1] - energy[0]) > 3.0
    assert sum(counted) == pytest.approx(energy[-1] - energy[0], abs=1e-3 * np.ptp(energy))


@pytest.mark.parametrize(
    "motor",
    [
        JointMotor("force", value=4.0),
        JointMotor("speed", target=2.0, max_force=30.0),
        JointMotor("position", target=1.0, stiffness=40.0, damping=0.0, max_force=1e3),
        JointMotor("position", target=LED, stiffness=40.0, damping=0.5),
        JointMotor("position", target=LED, stiffness=4e4, damping=40.0),
        JointMotor("position", target=LED, stiffness=40.0, damping=0.5, max_force=10.0),
        JointMotor("force", value=LED),
    ],
    ids=["force", "speed", "position", "led", "led stiffly", "led weakly", "led force"],
)
def test_a_motor_does_what_the_arm_gains(counted, motor):
    """The spring of a motor that keeps a position is left out of the energy here."""
    recording, energy = swung_by(motor)
    assert sum(counted) == pytest.approx(energy[-1] - energy[0], abs=2e-3 * np.ptp(energy))
    assert len(counted) > FRAME_RATE * 0.5


def test_a_motor_that_is_a_spring_stores_what_the_arm_loses(counted):
    """It has no maximum, so it does no work."""
    recording, energy = swung_by(JointMotor("position", target=1.0, stiffness=40.0, damping=0.0))
    stored = 0.5 * 40.0 * (recording.joint_coordinates[:, 0] - 1.0) ** 2
    assert np.abs(energy + stored - energy[0] - stored[0]).max() < 2e-3 * np.ptp(energy)
    assert sum(counted) == 0.0


def swung_by(motor: JointMotor) -> tuple[Recording, np.ndarray]:
    """An arm that a motor swings, and its energy (F,) J."""
    base = fixed("base", BALL, (0.0, 0.0, 5.0))
    bob = Body("bob", mass=2.0, inertia=(0.01, 0.01, 0.01), position=(1.0, 0.0, 5.0), shape=BALL)
    hinge = Joint("hinge", "revolute", "base", "bob", (0.0, 0.0, 5.0), LYING, motor=motor)
    recording = run(Mechanism(bodies=[base, bob], joints=[hinge], contact=FAR_BELOW), 0.5)
    return recording, recording.kinetic_energy + 2.0 * GRAVITY * recording.position[:, 1, 2]
