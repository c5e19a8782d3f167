# SPDX-License-Identifier: GPL-3.0-or-later
"""A motion whose end flows into its start, against the closed form of a driven, damped pendulum."""

import numpy as np

from solver import Mechanism
from solver.cycles.cyclic import CLOSED, CyclicSimulation, open_keys
from solver.mechanism import Body, Follow, Joint, Keys

PERIOD, RATE = 1.0, 48.0
W = 2.0 * np.pi / PERIOD


def tail(links: int = 3, damping: float = 0.05, **follow) -> Mechanism:
    """Rods that hang by hinges on a keyed body, which goes to and fro by a sine."""
    t = np.arange(0.0, PERIOD + 1e-9, 0.5 / RATE)
    places = np.column_stack([0.1 * np.sin(W * t), 0.0 * t, 0.0 * t])
    turns = np.tile((1.0, 0.0, 0.0, 0.0), (len(t), 1))
    bodies, joints = [Body(name="root", motion="keyed", keys=Keys(t, places, turns))], []
    for k in range(links):
        bodies.append(
            Body(
                name=f"B{k}", mass=0.2, inertia=(1e-3, 1e-3, 1e-4), center_of_mass=(0.0, 0.0, -0.1),
                position=(0.0, 0.0, -0.2 * k),
            )
        )  # fmt: skip
        if follow:
            bodies[-1].keys = Keys(t, places + np.array((0.0, 0.0, -0.2 * k)), turns)
            bodies[-1].follow = Follow(**follow)
        joints.append(
            Joint(
                name=f"J{k}", type="revolute", parent=bodies[-2].name, child=bodies[-1].name,
                position=(0.0, 0.0, -0.2 * k), orientation=(np.sqrt(0.5), -np.sqrt(0.5), 0.0, 0.0),
                damping=(damping,),
            )
        )  # fmt: skip
    return Mechanism(bodies=bodies, joints=joints)


def looped(mechanism: Mechanism, **options) -> CyclicSimulation:
    simulation = CyclicSimulation(mechanism, PERIOD, RATE, **options)
    for _ in simulation.run():
        pass
    return simulation


def test_a_tail_closes_in_pose_and_velocity():
    for mechanism in (tail(), tail(frequency=2.0, damping_ratio=0.5, feed_forward=0.0)):
        simulation = looped(mechanism)
        recording = simulation.recording
        assert simulation.gap <= CLOSED
        assert 1 < simulation.cycles < 40
        assert np.abs(recording.position[-1] - recording.position[0]).max() < 1e-4
        assert np.abs(recording.linear_velocity[-1] - recording.linear_velocity[0]).max() < 1e-4
        assert np.abs(recording.joint_coordinates).max() > 0.1
        assert len(recording.times) == 49


def test_a_small_swing_is_the_steady_state_of_its_equation():
    mechanism, amplitude = tail(1), 0.001
    keys = mechanism.bodies[0].keys
    keys.positions = [(0.01 * x, y, z) for x, y, z in keys.positions]
    recording = looped(mechanism).recording
    inertia, weight = 1e-3 + 0.2 * 0.1**2, 0.2 * 9.81 * 0.1  # about the hinge; to the first order in the angle
    size = 0.2 * 0.1 * amplitude * W**2 / (weight - inertia * W**2 + 0.05j * W)
    closed = np.imag(size * np.exp(1j * W * recording.times))
    found = recording.joint_coordinates[:, 0]
    error = min(np.abs(found - closed).max(), np.abs(found + closed).max())
    assert error < 2e-3 * np.abs(size)


def test_what_swings_on_says_so_and_what_does_not_return_is_named(monkeypatch):
    monkeypatch.setattr("solver.cycles.cyclic.MOST", 5)
    swinging = tail(1, damping=0.0)
    swinging.joints[0].coordinates = (0.5,)
    assert looped(swinging).gap > CLOSED
    assert open_keys(tail()) == []
    straying = tail()
    straying.bodies[0].keys.positions = [
        (x, 0.01 * k, z) for k, (x, _, z) in enumerate(straying.bodies[0].keys.positions)
    ]
    assert open_keys(straying) == ["root"]
