# SPDX-License-Identifier: GPL-3.0-or-later
"""Undamped systems keep energy, momentum and angular momentum, over 60 s, to the tolerance that was asked for.

Sums are made here from the recorded poses and velocities; the kinetic and potential energy of the recording are a
second route.
"""

from __future__ import annotations

import numpy as np
import pytest

from solver import Mechanism, simulate
from solver.mechanism import COORDINATES, Body, Joint, Spring
from tests.solver.comparison import turned_apart
from tests.solver.dynamics.tree.long_doubles import matrix
from tests.solver.random_mechanisms import TYPES, random_body, random_joint, unit_quaternion
from tests.solver.simulation.test_reference import reference


def totals(mechanism: Mechanism, recording) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(momentum (F, 3), angular momentum about the common centre of mass (F, 3), kinetic energy (F,))."""
    mass = np.array([body.mass for body in mechanism.bodies])[:, None]
    R = np.array([[matrix(q) for q in frame] for frame in recording.orientation], float)
    arm = np.einsum("fbij,bj->fbi", R, np.array([body.center_of_mass for body in mechanism.bodies]))
    own = np.array([np.diag(b.inertia) if np.ndim(b.inertia) == 1 else b.inertia for b in mechanism.bodies])
    I = R @ own @ np.swapaxes(R, 2, 3)
    w, x = recording.angular_velocity, recording.position + arm
    v = recording.linear_velocity + np.cross(w, arm)
    spin = np.einsum("fbij,fbj->fbi", I, w)
    center = np.sum(mass * x, axis=1, keepdims=True) / mass.sum()
    momentum = np.sum(mass * v, axis=1)
    angular = np.sum(spin + np.cross(x - center, mass * v), axis=1)
    kinetic = 0.5 * np.sum(np.sum(w * spin + v * mass * v, axis=2), axis=1)
    return momentum, angular, kinetic


def tree(seed: int, root: str, stiffness: bool) -> Mechanism:
    """Nine bodies in a row and two branches: all eight joint types, every other one drawn from child to parent."""
    rng = np.random.default_rng(seed)
    bodies = [random_body(rng, f"b{i}") for i in range(9)]
    for i, body in enumerate(bodies):
        body.position = np.array([0.5 * i, 0.0, 0.0]) + 0.1 * rng.normal(size=3)
    joints = []
    for i, kind in enumerate(TYPES, start=1):
        ends = [f"b{max(0, i - 1 - i % 2)}", f"b{i}"]
        joint = random_joint(rng, f"j{i}", kind, *(ends if i % 2 else ends[::-1]), efforts=False)
        joint.position = 0.5 * (np.array(bodies[i].position) + np.array(bodies[max(0, i - 1)].position))
        count = COORDINATES[kind]
        joint.speeds = 0.3 * rng.normal(size=count)
        joint.coordinates = 0.3 * rng.normal(size=count)
        # what slides is held by springs, so that the tree stays one
        held = stiffness or kind in ("prismatic", "cylindrical", "planar", "screw")
        if held:
            joint.stiffness, joint.rest = rng.uniform(2.0, 5.0, count), 0.2 * rng.normal(size=count)
        joint.armature = rng.uniform(0.0, 0.05, count) if root == "world" else None
        joints.append(joint)
    if root == "floating":
        bodies[0].linear_velocity, bodies[0].angular_velocity = 0.1 * rng.normal(size=(2, 3))
    else:
        joints.append(Joint("root", root, None, "b0", bodies[0].position, unit_quaternion(rng)))
    return Mechanism(gravity=(0, 0, 0), bodies=bodies, joints=joints)


RELATIVE = 1e-6


@pytest.mark.parametrize("seed", [1, 2])
def test_a_free_tree_keeps_momentum_angular_momentum_and_energy(seed):
    mechanism = tree(seed, "floating", stiffness=True)
    recording = simulate(mechanism, 60.0, 4.0, relative=RELATIVE)
    momentum, angular, kinetic = totals(mechanism, recording)
    assert kinetic == pytest.approx(recording.kinetic_energy, rel=1e-11)
    energy = recording.kinetic_energy + recording.potential_energy
    mass = np.array([body.mass for body in mechanism.bodies])
    fastest = np.abs(recording.linear_velocity).max()
    assert np.abs(momentum - momentum[0]).max() < RELATIVE * mass.sum() * fastest
    assert np.abs(angular - angular[0]).max() < RELATIVE * mass.sum() * fastest * 5.0
    assert np.abs(energy - energy[0]).max() < RELATIVE * energy.max()
    assert np.ptp(recording.kinetic_energy) > 0.05 * energy.max()  # so that something had to be kept


@pytest.mark.parametrize("root", ["spherical", "universal"])
def test_a_hanging_tree_keeps_its_energy(root):
    mechanism = tree(3, root, stiffness=True)
    mechanism.gravity = (0.0, 0.5, -1.0)
    for k, (a, b) in enumerate((("b0", "b4"), ("b2", None), ("b7", "b3"))):
        ends = {"body_a": a, "body_b": b, "point_a": (0.3, 0.2, 0.1), "point_b": (1.0, -0.5, 0.4)}
        mechanism.forces.append(Spring(f"s{k}", **ends, stiffness=3.0, rest_length=0.5))
    recording = simulate(mechanism, 60.0, 4.0, relative=RELATIVE)
    energy = recording.kinetic_energy + recording.potential_energy
    scale = np.ptp(recording.kinetic_energy)
    assert scale > 0.1
    assert np.abs(energy - energy[0]).max() < RELATIVE * scale


def test_thesis_7_4_four_trees_of_three_bars_move_alike():
    """The same three bars walked from four roots, over 10 s; and the middle bar after one second.

    The thesis prints omega_z = 3.58e-4 and v = (1.406e-2, 1.031e-3), which are this motion at 1.059 s.
    """
    recordings = [simulate(reference(f"three_bar_{way}")[0], 10.0, 24.0) for way in "abcd"]
    first = recordings[0]
    rows = {str(name): k for k, name in enumerate(first.body_names)}
    for other in recordings[1:]:
        match = [rows[str(name)] for name in other.body_names]
        assert np.abs(other.position - first.position[:, match]).max() < 1e-7
        assert turned_apart(other.orientation, first.orientation[:, match]).max() < 1e-7
        assert np.abs(other.linear_velocity - first.linear_velocity[:, match]).max() < 1e-7
    middle = rows["middle"]
    assert first.angular_velocity[24, middle, 2] == pytest.approx(3.1927e-4, abs=0.5e-8)
    assert first.linear_velocity[24, middle, :2] == pytest.approx([1.32667e-2, 9.1949e-4], rel=1e-4)
    late = simulate(reference("three_bar_a")[0], 1.06, 1000.0)
    assert late.angular_velocity[1059, middle, 2] == pytest.approx(3.58e-4, rel=1.5e-3)
    assert late.linear_velocity[1059, middle, :2] == pytest.approx([1.406e-2, 1.031e-3], rel=1.5e-3)


def test_a_single_body_keeps_what_it_has():
    body = Body("b", mass=2.0, inertia=(1, 2, 3), linear_velocity=(1, 2, 3), angular_velocity=(0.1, 2.0, 0.1))
    mechanism = Mechanism(gravity=(0, 0, 0), bodies=[body])
    recording = simulate(mechanism, 60.0, 4.0)
    momentum, angular, kinetic = totals(mechanism, recording)
    assert np.abs(momentum - momentum[0]).max() < 1e-12
    assert np.abs(angular - angular[0]).max() < 70 * RELATIVE * np.linalg.norm(angular[0])
    assert np.abs(kinetic - kinetic[0]).max() < RELATIVE * kinetic[0]
