# SPDX-License-Identifier: GPL-3.0-or-later
"""The benchmark bicycle on two wheels that ride on a plane, which close a loop, against its linear equations.

Its wheels have edges of a radius of a micrometre, the benchmark's are sharp: that and the size of the disturbance set
the tolerance. (With a millimetre the difference is a thousand times as large.)
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.linalg import expm

from solver import Mechanism, simulate
from solver.mechanism import Body, Joint, SmoothPlane, SmoothTorus
from tests.truths.bicycle import BENCHMARK, coefficients, rates

EDGE = 1e-6  # m
ALONG_Y = (math.sqrt(0.5), -math.sqrt(0.5), 0.0, 0.0)  # turns Z to Y


def bicycle(speed: float, lean_rate: float, sharpness: float = EDGE) -> Mechanism:
    """Upright at the origin, going along X, and beginning to lean to its right (rad/s). Theirs are -Y and -Z."""
    p = BENCHMARK

    def body(name, mass, inertia, x, z, spin=0.0):
        return Body(
            name=name, mass=mass, inertia=inertia, position=(x, 0.0, z), linear_velocity=(speed, -lean_rate * z, 0.0),
            angular_velocity=(lean_rate, spin, 0.0),
        )  # fmt: skip

    def symmetric(xx, yy, zz, xz):
        return [[xx, 0.0, -xz], [0.0, yy, 0.0], [-xz, 0.0, zz]]

    def joint(name, type, parent, child, x, z, orientation, **settings):
        return Joint(
            name=name, type=type, parent=parent, child=child, position=(x, 0.0, z), orientation=orientation, **settings
        )

    bodies = [
        body("frame", p.m_B, symmetric(p.I_Bxx, p.I_Byy, p.I_Bzz, p.I_Bxz), p.x_B, -p.z_B),
        body("fork", p.m_H, symmetric(p.I_Hxx, p.I_Hyy, p.I_Hzz, p.I_Hxz), p.x_H, -p.z_H),
        body("rear wheel", p.m_R, (p.I_Rxx, p.I_Ryy, p.I_Rxx), 0.0, p.r_R, speed / p.r_R),
        body("front wheel", p.m_F, (p.I_Fxx, p.I_Fyy, p.I_Fxx), p.w, p.r_F, speed / p.r_F),
    ]
    tilted = math.cos(0.5 * p.lam), 0.0, -math.sin(0.5 * p.lam), 0.0
    joints = [joint("steering", "revolute", "frame", "fork", p.w + p.c, 0.0, tilted)]
    for holder, wheel, x, radius in (("frame", "rear wheel", 0.0, p.r_R), ("fork", "front wheel", p.w, p.r_F)):
        edge = SmoothTorus(ring_radius=radius - sharpness, tube_radius=sharpness, orientation=ALONG_Y)
        road = {"rolling": True, "surface_parent": SmoothPlane(), "surface_child": edge}
        joints.append(joint(f"{wheel} hub", "revolute", holder, wheel, x, radius, ALONG_Y))
        joints.append(joint(f"{wheel} contact", "contact", None, wheel, x, 0.0, (1.0, 0.0, 0.0, 0.0), **road))
    return Mechanism(bodies=bodies, joints=joints)


def lean_and_steer(recording) -> np.ndarray:
    """(F, 2): to the right, rad."""
    w, x, y, z = recording.orientation[:, list(recording.body_names).index("frame")].T
    lean = np.arcsin(2.0 * (w * x + y * z))
    place = recording.joint_offsets[list(recording.joint_names).index("steering")]
    return np.column_stack([lean, -recording.joint_coordinates[:, place]])


@pytest.mark.parametrize("speed", [0.0, 3.0, 4.29238253634111, 5.0, 6.02426201538837, 8.0])
def test_a_little_disturbed_the_bicycle_falls_weaves_rights_itself_or_capsizes_as_the_benchmark(speed):
    """Below 4.29 m/s it weaves more and more, between that and 6.02 m/s it rides by itself, above it it capsizes."""
    rate, duration = 1e-5, 1.0 if speed == 0.0 else 2.0
    recording = simulate(bicycle(speed, rate), duration, 50.0, relative=1e-10, absolute=1e-12)
    matrix = rates(coefficients(BENCHMARK), speed)
    expected = np.array([(expm(matrix * t) @ (0.0, 0.0, rate, 0.0))[:2] for t in recording.times])
    difference = np.abs(lean_and_steer(recording) - expected).max(axis=0)
    assert (difference < 5e-5 * np.abs(expected).max(axis=0)).all()


def test_hit_hard_it_rights_itself_and_keeps_its_energy():
    """A lean of 7 degrees. Nothing is lost, so what the lean had is in its speed once it is upright again."""
    recording = simulate(bicycle(4.8, 0.6), 5.0, 50.0, relative=1e-8, absolute=1e-10)
    assert not [note for note in recording.notes if "ends at" in note]
    lean = lean_and_steer(recording)[:, 0]
    assert np.abs(lean).max() > math.radians(7.0)
    assert np.abs(lean[-25:]).max() < 0.15 * np.abs(lean).max()
    energy = recording.kinetic_energy + recording.potential_energy
    assert np.ptp(energy) < 1e-10 * energy[0]
    speed = np.linalg.norm(recording.linear_velocity[:, list(recording.body_names).index("rear wheel")], axis=1)
    assert speed[-1] > speed[0]
    assert recording.constraint_error.max() < 1e-9


@pytest.mark.parametrize("sharpness", [1e-8])
def test_sharp_wheels_stay_on_the_road(sharpness):
    """A wheel that leans by an angle has its hub at its radius times the cosine."""
    recording = simulate(bicycle(4.8, 0.6, sharpness), 1.0)
    for name, radius in (("rear wheel", BENCHMARK.r_R), ("front wheel", BENCHMARK.r_F)):
        number = list(recording.body_names).index(name)
        w, x, y, z = recording.orientation[:, number].T
        axle = 2.0 * (y * z + w * x)  # upward, of a unit vector along its axis, Y
        edge = (radius - sharpness) * np.sqrt(1.0 - axle**2) + sharpness
        assert np.ptp(axle) > 0.05
        assert recording.position[:, number, 2] == pytest.approx(edge, abs=1e-10)
    energy = recording.kinetic_energy + recording.potential_energy
    assert np.ptp(energy) < 1e-7 * energy[0]
