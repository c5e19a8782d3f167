# SPDX-License-Identifier: GPL-3.0-or-later
"""Springs of a balance that differ by direction (Wendlandt 1997, chapter 4): how far a push leads the body off."""

from __future__ import annotations

import numpy as np
import pytest

from solver import simulate
from solver.mechanism import Balance, Expression, Table
from tests.solver.control.figures import biped
from tests.solver.control.test_balance import TORQUE, place_of, tilt_of

PUSH = (15.0, 20.0, -60.0)  # N
QUARTER = (np.sqrt(0.5), 0.0, 0.0, np.sqrt(0.5))  # about Z


def pushed_at_center(mechanism, force=PUSH):
    """A force (N, world) that acts at the figure's centre of mass, so that nothing turns the trunk."""
    mass = np.array([body.mass for body in mechanism.bodies])
    center = mass @ np.array([body.position for body in mechanism.bodies]) / mass.sum()
    texts = tuple(f"{part}*min(t, 1)" for part in force)
    mechanism.forces.append(Expression("push", body="trunk", point=tuple(center), force=texts))
    return mechanism, mass.sum()


def share_of_law(frequency: tuple, orientation: tuple | None = None) -> np.ndarray:
    """(3,): how far the push leads the trunk off, as parts of F / (m w^2), m the mass of all of the figure."""
    mechanism = biped(max_torque=TORQUE, frequency=frequency, orientation_frequency=3.0)
    mechanism, mass = pushed_at_center(mechanism)
    if orientation is not None:
        trunk = mechanism.bodies[0]
        x, y, z = trunk.inertia
        trunk.orientation, trunk.inertia = orientation, (y, x, z)
        frequency = (frequency[1], frequency[0], frequency[2])  # X of the trunk is Y of the world
    recording = simulate(mechanism, 6.0)
    assert tilt_of(recording).max() < 0.02
    offset = place_of(recording)[-1] - place_of(recording)[0]
    return offset * mass * (2.0 * np.pi * np.array(frequency)) ** 2 / np.array(PUSH)


def test_each_direction_gives_way_by_its_own_spring():
    """By F / (m w^2), m the mass that goes along, in which legs that turn count for less; so it is by the square."""
    shares = [share_of_law(frequency) for frequency in ((1.2, 1.2, 1.2), (2.4, 1.2, 1.2), (1.2, 2.4, 1.2))]
    assert ((shares[0] > 0.99) & (shares[0] < 1.25)).all()
    for each in shares[1:]:
        assert each == pytest.approx(shares[0], rel=5e-3)


def test_they_are_along_the_axes_of_the_target():
    assert share_of_law((2.4, 1.2, 1.2), QUARTER) == pytest.approx(share_of_law((1.2, 2.4, 1.2)), rel=5e-3)


def test_three_equal_numbers_are_one():
    one = simulate(biped(frequency=1.3, orientation_damping_ratio=0.7), 0.5)
    three = simulate(biped(frequency=(1.3,) * 3, orientation_damping_ratio=(0.7,) * 3), 0.5)
    assert np.array_equal(one.position, three.position)


def test_nothing_brings_it_back_where_the_frequency_is_zero():
    """The push to the side ends, and it drifts on until its soles end; ahead it stays."""
    mechanism, _ = pushed_at_center(biped(max_torque=TORQUE, frequency=(1.0, 0.0, 1.0)), (0.0, 10.0, 0.0))
    offset = place_of(simulate(mechanism, 1.0))[-1] - place_of(simulate(mechanism, 1.0))[0]
    assert offset[1] > 0.01
    assert abs(offset[0]) < 1e-3


@pytest.mark.parametrize("frequency", [0.0, 30.0, (0.0, 30.0, 3.0)])
def test_it_stands_with_any_gains(frequency):
    recording = simulate(biped(max_torque=TORQUE, frequency=frequency, orientation_frequency=frequency), 1.0)
    assert np.isfinite(recording.position).all()
    if frequency == 30.0:
        assert np.abs(place_of(recording) - place_of(recording)[0]).max() < 2e-3


def test_a_list_of_another_length_is_named():
    mechanism = biped()
    mechanism.forces = [Balance("balance", body="trunk", feet=("left foot",), frequency=(1.0, 2.0))]
    assert "frequency must have 3 entries, has 2" in "\n".join(mechanism.problems())
    mechanism.forces[0].frequency = (1.0, Table((0.0, 1.0), (1.0, 2.0)), 1.0)
    assert mechanism.problems() == []
