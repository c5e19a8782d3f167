# SPDX-License-Identifier: GPL-3.0-or-later
"""Contact adds no energy, and what gives energy besides is not taken for a gain of contact."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from solver import Mechanism, simulate
from solver.mechanism import Body, Box, Drag, Joint, JointMotor, Sphere, Spring, Table
from tests.solver.contact import gauges
from tests.solver.contact.random_scenes import random_scene
from tests.solver.contact.scenes import LYING, in_space, meets_bodies, on_ground, run

FOUND = Path(gauges.__file__).parent / "everyday" / "found"
CUBE = Box(half_size=(0.1, 0.1, 0.1))


def block(name: str, position, **given) -> Body:
    return Body(name, mass=2.0, inertia=(0.02, 0.02, 0.02), position=position, shape=CUBE, **given)


@meets_bodies
@pytest.mark.parametrize("substeps", [5, 10, 40])
@pytest.mark.parametrize("seed", [410, 913])
def test_what_whips_on_a_hinge_gains_nothing(seed, substeps):
    """A rim that a whipping box presses on a slab, and a hull that slides along a capsule.

    Only what leads out of overlaps may lift them.
    """
    mechanism = random_scene(seed)
    recording = simulate(mechanism, 0.4, 60.0, integrator="impulse", substeps=substeps)
    energy = gauges.energy(mechanism, recording)
    assert np.max(energy - np.minimum.accumulate(energy)) < 1e-4 * np.ptp(energy)


def test_wind_drives_what_slides_on_the_ground():
    """Without friction v' = c (w - v)^2 / m."""
    wind, coefficient, mass = 8.0, 1.5, 2.0
    sail = Drag("wind", body="sled", coefficient=coefficient, wind=(wind, 0.0, 0.0))
    recording = run(on_ground([block("sled", (0.0, 0.0, 0.1))], 0.0, forces=[sail]), 2.0)
    expected = wind - wind / (1.0 + wind * coefficient / mass * recording.times)
    assert recording.linear_velocity[:, 0, 0] == pytest.approx(expected, abs=1e-5)


def test_wind_drives_a_closed_linkage_on_the_ground():
    """Two sleds, pinned together twice, move as one."""
    wind, coefficient, mass = 8.0, 1.5, 4.0
    sleds = [block("front", (0.2, 0.0, 0.1)), block("rear", (0.0, 0.0, 0.1))]
    pins = [Joint(f"pin {y}", "spherical", "rear", "front", (0.1, y, 0.1)) for y in (-0.05, 0.05)]
    sail = Drag("wind", body="front", coefficient=coefficient, wind=(wind, 0.0, 0.0))
    recording = run(on_ground(sleds, 0.0, joints=pins, forces=[sail]), 1.0)
    expected = wind - wind / (1.0 + wind * coefficient / mass * recording.times)
    assert recording.linear_velocity[:, 1, 0] == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize("target", [1.0, Table((0.0, 0.3, 0.6, 1.0), (0.0, 1.0, -0.7, 0.4))], ids=["set", "led"])
def test_what_touches_nothing_moves_as_if_nothing_touched_elsewhere(target):
    """A lever with a motor, whose work is counted by a rule of its own; a box rests on the ground beside it."""
    motor = JointMotor("position", target=target, stiffness=50.0, damping=1.0, max_force=200.0)
    lever = Body("lever", mass=2.0, inertia=(0.01, 0.1, 0.1), position=(0.5, 0.0, 2.0), shape=CUBE)
    hinge = Joint("hinge", "revolute", None, "lever", (0.0, 0.0, 2.0), LYING, motor=motor)
    alone = run(Mechanism(bodies=[lever], joints=[hinge]), 2.0)
    beside = run(on_ground([lever, block("resting", (3.0, 0.0, 0.1))], 0.5, joints=[hinge]), 2.0)
    assert np.abs(beside.joint_coordinates - alone.joint_coordinates).max() < 1e-12


def test_a_spring_gives_a_sled_back_what_it_has_taken():
    """It swings for ten periods on smooth ground, as a pendulum of no friction should."""
    stiffness, mass, stretch = 50.0, 2.0, 0.3
    spring = Spring("spring", body_a="sled", point_a=(0.0, 0.0, 0.1), point_b=(-1.0, 0.0, 0.1),
                    stiffness=stiffness, rest_length=1.0 - stretch)  # fmt: skip
    recording = run(on_ground([block("sled", (0.0, 0.0, 0.1))], 0.0, forces=[spring]), 12.0)
    expected = -stretch + stretch * np.cos(np.sqrt(stiffness / mass) * recording.times)
    assert recording.position[:, 0, 0] == pytest.approx(expected, abs=1e-4 * stretch)


@meets_bodies
def test_what_floats_keeps_its_momenta_and_gains_nothing():
    """A rod whirls against a ball, far from anything."""
    shape = Box(half_size=(0.5, 0.05, 0.05))
    rod = Body("rod", mass=1.0, inertia=(0.003, 0.083, 0.083), angular_velocity=(0.0, 3.0, 20.0), shape=shape)
    ball = Body("ball", mass=0.5, inertia=(0.002,) * 3, position=(0.45, 0.12, 0.0), shape=Sphere(radius=0.06))
    mechanism = in_space([rod, ball], 0.6, 0.0)
    recording = run(mechanism, 1.0)
    linear, angular = gauges.momentum(mechanism, recording)
    assert np.abs(linear - linear[0]).max() < 1e-12
    assert np.abs(angular - angular[0]).max() < 1e-12
    energy = gauges.energy(mechanism, recording)
    assert np.diff(energy).max() < 1e-12 * energy[0]


@pytest.mark.parametrize("spin", [40.0, 400.0, 1600.0])
def test_what_tumbles_freely_keeps_its_energy(spin):
    """About its middle axis, where free spin turns over again and again; a step turns it by up to three radians."""
    brick = Box(half_size=(0.1, 0.2, 0.3))
    tumbling = Body("brick", mass=1.0, inertia=(0.13 / 3, 0.1 / 3, 0.05 / 3), position=(0, 0, 0), shape=brick,
                    angular_velocity=(0.01 * spin, spin, 0.0))  # fmt: skip
    recording = run(in_space([tumbling]), 1.0)
    assert np.abs(recording.kinetic_energy / recording.kinetic_energy[0] - 1.0).max() < 1e-4


@meets_bodies
@pytest.mark.parametrize("stiffness", [1e4, 1e8])
def test_a_stiff_spring_between_what_touches_costs_as_a_soft_one(stiffness):
    """A ball hits one of two boxes, which a spring holds together: nothing is gained, whatever it costs."""

    def hit(stiffness: float):
        boxes = [block("near", (0.0, 0.0, 0.1)), block("far", (0.2, 0.0, 0.1))]
        ball = Body("ball", mass=1.0, inertia=(4e-3,) * 3, position=(-1.0, 0.05, 0.15), shape=Sphere(radius=0.1),
                    linear_velocity=(5.0, 0.0, 0.0))  # fmt: skip
        spring = Spring("spring", body_a="near", body_b="far", point_a=(0.0, 0.0, 0.1), point_b=(0.2, 0.0, 0.1),
                        stiffness=stiffness, rest_length=0.2)  # fmt: skip
        return run(on_ground([*boxes, ball], forces=[spring]), 1.0)

    recording = hit(stiffness)
    energy = recording.kinetic_energy + recording.potential_energy
    assert np.max(energy - np.minimum.accumulate(energy)) < 1e-4 * energy[0]
    assert recording.evaluations < 1.2 * hit(1.0).evaluations


@meets_bodies
@pytest.mark.parametrize("damping", [0.0, 0.1], ids=["spring", "damped"])
@pytest.mark.parametrize("stiffness", [1e6, 1e8, 1e10])
def test_a_hinge_too_stiff_for_a_step_takes_no_more_than_it_is_given(stiffness, damping):
    """What a step leads a bar past its rest by is not stretched by any force: no gain is said, and the bar stands."""
    bar = Body("bar", mass=1.0, inertia=(0.1, 0.1, 0.01), position=(0.0, 0.0, -0.5))
    hinge = Joint(
        *("hinge", "revolute", None, "bar", (0.0, 0.0, 0.0), LYING),
        stiffness=(stiffness,),
        damping=(damping * stiffness,),
        speeds=(1.0,),
    )
    mechanism = Mechanism("stiff hinge", gravity=(0.0, 0.0, 0.0), bodies=[bar], joints=[hinge])
    recording = simulate(mechanism, 0.5, 24.0, integrator="impulse")
    assert not [note for note in recording.notes if "gained" in note]
    assert abs(recording.joint_coordinates[-1, 0]) < 1e-5


def test_what_loose_bodies_pay_is_booked_as_contact():
    """Boxes that springs of kilonewtons press together, and a ball: what each gains is what contacts have given it."""
    mechanism = Mechanism.load(FOUND / "springs_139_gained.json")
    recording = simulate(mechanism, 1.0, 480.0, integrator="impulse", substeps=1)
    ball = gauges.number_of(recording, "ball")
    mass = mechanism.bodies[ball].mass
    given = np.cumsum(recording.contact_force[1:, ball, :3] / 480.0, axis=0)
    weight = mass * np.array(mechanism.gravity) * recording.times[1:, None]
    gained = mass * (recording.linear_velocity[1:, ball] - recording.linear_velocity[0, ball])
    assert np.abs(gained - given - weight).max() < 1e-9 * np.abs(given).max()
