# SPDX-License-Identifier: GPL-3.0-or-later
"""A four-bar passes beside the pose in which its bars lie in line: its foot turns back within microseconds.

Its bars are those of Cassie's left foot, which miss being a parallelogram's by 0.8 micrometres. The foot's angle
follows from the crank's by two circles that meet, and nothing takes energy. That is the work which such a linkage is:
scipy's LSODA needs 350 evaluations of the closed form for the same passing at 1e-6, DOP853 450, Radau 1000.
"""

from __future__ import annotations

import numpy as np
import pytest

from solver import Mechanism, simulate
from solver.mechanism import Body, Joint

GROUND, CRANK, ROD, FOOT = 0.35004698149701663, 0.05499913635811172, 0.3500478040203469, 0.05499999999999992
START = 0.0176  # rad: of the crank, from the line of the fixed hinges
DOWN = (0.5**0.5, 0.5**0.5, 0.0, 0.0)  # z to -y


def foot_angle(crank: np.ndarray) -> np.ndarray:
    """rad from the line of the fixed hinges, by the cosine rule; the foot is at the origin, the crank beside it."""
    x, y = GROUND + CRANK * np.cos(crank), CRANK * np.sin(crank)
    reach = np.hypot(x, y)
    between = np.arccos((FOOT**2 + reach**2 - ROD**2) / (2.0 * FOOT * reach))
    return np.arctan2(y, x) + between


def linkage(spin: float) -> Mechanism:
    """The crank turns towards the line at a speed (rad/s)."""
    foot = foot_angle(np.array(START))
    points = [(GROUND, 0.0), (GROUND + CRANK * np.cos(START), CRANK * np.sin(START))]
    points += [(FOOT * np.cos(foot), FOOT * np.sin(foot)), (0.0, 0.0)]
    places = [np.array([x, 0.0, z]) for x, z in points]
    heavy = {"crank": (0.1261, 6e-5), "rod": (0.1186, 1.8e-3), "foot": (0.1498, 4e-4)}
    bodies = [
        Body(name, mass=mass, inertia=(inertia,) * 3, position=0.5 * (places[k] + places[k + 1]))
        for k, (name, (mass, inertia)) in enumerate(heavy.items())
    ]
    turning = np.array([0.0, spin, 0.0])
    for body, hinge in ((bodies[0], 0), (bodies[2], 3)):  # as in the parallelogram that it nearly is
        body.angular_velocity = tuple(turning)
        body.linear_velocity = tuple(np.cross(turning, body.position - places[hinge]))
    bodies[1].linear_velocity = tuple(np.cross(turning, places[1] - places[0]))
    ends = [(None, "crank"), ("crank", "rod"), ("rod", "foot"), (None, "foot")]
    joints = [Joint(f"hinge {k}", "revolute", *ends[k], places[k], DOWN) for k in range(4)]
    return Mechanism(gravity=(0, 0, 0), bodies=bodies, joints=joints)


def test_the_foot_turns_back_where_two_circles_say_and_no_energy_is_lost():
    recording = simulate(linkage(16.0), 0.0025, 8000.0)
    crank = START + recording.joint_coordinates[:, 0]
    foot = foot_angle(np.array(START)) + recording.joint_coordinates[:, 3]
    assert foot == pytest.approx(foot_angle(crank), abs=1e-9)
    turning = int(np.argmin(foot))
    assert 0 < turning < len(foot) - 1
    assert (np.diff(crank) < 0.0).all(), "the crank goes on"
    assert (np.diff(foot[turning:]) > 0.0).all()
    assert np.ptp(recording.kinetic_energy) < 1e-6 * recording.kinetic_energy[0]
    assert recording.evaluations < 600
