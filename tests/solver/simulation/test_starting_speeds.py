# SPDX-License-Identifier: GPL-3.0-or-later
"""FORMAT.md: a joint's `speeds` rule; a joint without takes them from its bodies, by least change of kinetic energy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solver import Mechanism, simulate
from solver.mechanism import COORDINATES, Body, Joint
from tests.solver.dynamics.loops.maximal import MaximalState
from tests.solver.dynamics.tree.long_doubles import matrix
from tests.solver.random_mechanisms import TYPES, mechanisms, random_body, random_joint

AXIS_Y = (0.5**0.5, -(0.5**0.5), 0.0, 0.0)


def start(mechanism: Mechanism):
    return simulate(mechanism, 0.0)


def least_change(mechanism: Mechanism, recording) -> np.ndarray:
    """(B, 6): velocities of the centres of mass nearest to the asked ones that keep all joints together.

    Dense and in maximal coordinates: min |L (v - asked)|^2, L L^T the mass matrix, over the null space of the joints'
    closing conditions.
    """
    state = MaximalState(mechanism, recording)
    n = 6 * len(mechanism.bodies)
    masses, asked, rows = np.zeros((n, n)), np.zeros(n), []
    for i, (body, now) in enumerate(zip(mechanism.bodies, state.bodies, strict=True)):
        R = np.array(now.rotation, float)
        own = np.diag(body.inertia) if np.ndim(body.inertia) == 1 else np.array(body.inertia)
        masses[6 * i : 6 * i + 3, 6 * i : 6 * i + 3] = R @ own @ R.T
        masses[6 * i + 3 : 6 * i + 6, 6 * i + 3 : 6 * i + 6] = body.mass * np.eye(3)
        w, v = np.array(body.angular_velocity or (0, 0, 0)), np.array(body.linear_velocity or (0, 0, 0))
        asked[6 * i : 6 * i + 3] = w
        asked[6 * i + 3 : 6 * i + 6] = v + np.cross(w, np.array(now.center - now.origin, float))
    for joint, now in zip(mechanism.joints, state.joints, strict=True):
        moving = np.hstack([now.turns, now.travels]).astype(float)
        free = np.linalg.svd(moving, full_matrices=True)[2][len(moving) :] if len(moving) else np.eye(6)
        relative = np.zeros((6, n))
        for name, sign in ((joint.child, 1.0), (joint.parent, -1.0)):
            if name is not None:
                i = state.number[name]
                rho = np.array(now.origin - state.bodies[i].center, float)
                arm = np.array([[0, -rho[2], rho[1]], [rho[2], 0, -rho[0]], [-rho[1], rho[0], 0]])
                relative[:3, 6 * i : 6 * i + 3] += sign * np.eye(3)
                relative[3:, 6 * i : 6 * i + 3] -= sign * arm
                relative[3:, 6 * i + 3 : 6 * i + 6] += sign * np.eye(3)
        rows.append(free @ relative)
    root = np.linalg.cholesky(masses).T
    closing = np.vstack(rows) if rows else np.zeros((0, n))
    rank = np.linalg.matrix_rank(closing) if len(closing) else 0
    basis = np.linalg.svd(closing)[2][rank:].T if len(closing) else np.eye(n)
    share = np.linalg.lstsq(root @ basis, root @ asked, rcond=None)[0]
    return (basis @ share).reshape(-1, 6)


@settings(max_examples=40, deadline=None)
@given(mechanisms(grounds=("floating", "world"), efforts=False, forces=False), st.integers(0, 2**32 - 1))
def test_projection_is_the_dense_least_squares_solution(mechanism, seed):
    rng = np.random.default_rng(seed)
    for joint in mechanism.joints:
        joint.speeds = None
    for body in mechanism.bodies:
        body.linear_velocity, body.angular_velocity = rng.normal(size=(2, 3))
    recording = start(mechanism)
    expected = least_change(mechanism, recording)
    got = recording.angular_velocity[0]
    scale = max(1.0, np.abs(expected).max())
    assert np.abs(got - expected[:, :3]).max() < 1e-9 * scale
    arm = np.einsum(
        "bij,bj->bi",
        np.array([matrix(q) for q in recording.orientation[0]], float),
        [b.center_of_mass for b in mechanism.bodies],
    )
    assert np.abs(recording.linear_velocity[0] + np.cross(got, arm) - expected[:, 3:]).max() < 1e-9 * scale


def chain() -> Mechanism:
    """Two hinged bars that hang on the world."""
    bodies = [
        Body("upper", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0, 0, -0.5)),
        Body("lower", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0, 0, -1.5)),
    ]
    joints = [
        Joint("top", "revolute", None, "upper", (0, 0, 0), AXIS_Y),
        Joint("knee", "revolute", "upper", "lower", (0, 0, -1), AXIS_Y),
    ]
    return Mechanism(bodies=bodies, joints=joints)


def velocity_notes(recording) -> list[str]:
    return [note for note in recording.notes if "velocities" in note]


def test_joint_speeds_rule_over_velocities_and_the_note_names_who_gave_way():
    mechanism = chain()
    mechanism.joints[0].speeds, mechanism.joints[1].speeds = 2.0, -0.5
    mechanism.bodies[1].linear_velocity = (0.0, 7.0, 0.0)
    recording = start(mechanism)
    assert recording.joint_speeds[0] == pytest.approx([2.0, -0.5], abs=1e-14)
    (note,) = velocity_notes(recording)
    assert "'lower'" in note
    assert "'upper'" not in note


def test_bodies_without_velocities_go_along():
    mechanism = chain()
    mechanism.joints[0].speeds, mechanism.joints[1].speeds = 2.0, 0.0
    recording = start(mechanism)
    assert recording.angular_velocity[0] == pytest.approx(np.array([[0, 2, 0], [0, 2, 0]]), abs=1e-14)
    assert recording.linear_velocity[0] == pytest.approx(np.array([[-1, 0, 0], [-3, 0, 0]]), abs=1e-14)
    assert velocity_notes(recording) == []


def test_bodies_that_ask_for_nothing_hold_nobody_back():
    """The tail of a flying body is told how to wag, and gives it nothing to carry: the body keeps its velocity."""
    mechanism = chain()
    del mechanism.joints[0]
    mechanism.joints[0].speeds = -0.5
    mechanism.bodies[0].linear_velocity, mechanism.bodies[0].angular_velocity = (1, 2, 3), (0.1, 2.0, -0.3)
    recording = start(mechanism)
    assert recording.linear_velocity[0, 0] == pytest.approx((1, 2, 3), abs=1e-14)
    assert recording.angular_velocity[0] == pytest.approx(np.array([[0.1, 2.0, -0.3], [0.1, 1.5, -0.3]]), abs=1e-14)
    assert velocity_notes(recording) == []


def test_velocities_that_fit_are_kept_without_a_note():
    mechanism = chain()
    for body, v in zip(mechanism.bodies, ((-1, 0, 0), (-3, 0, 0)), strict=True):
        body.linear_velocity, body.angular_velocity = v, (0, 2, 0)
    recording = start(mechanism)
    assert recording.joint_speeds[0] == pytest.approx([2.0, 0.0], abs=1e-14)
    assert velocity_notes(recording) == []


def test_velocities_that_do_not_fit_are_projected_and_named():
    mechanism = chain()
    mechanism.bodies[0].linear_velocity = (0.0, 3.0, 0.0)  # across the hinge: nothing of it can stay
    recording = start(mechanism)
    assert np.abs(recording.joint_speeds[0]).max() < 1e-14
    (note,) = velocity_notes(recording)
    assert "'upper'" in note


def test_on_a_keyed_base_rest_means_rest_in_the_world_unless_joints_say_otherwise():
    times = np.linspace(0, 1, 11)
    base = Body("base", "keyed", keys={
        "times": times, "positions": np.outer(times, (1.0, 0, 0)), "orientations": [(1, 0, 0, 0)] * 11,
    })  # fmt: skip
    cart = Body("cart", mass=1.0, inertia=(1, 1, 1))
    rail = Joint("rail", "prismatic", "base", "cart", (0, 0, 0), (0.5**0.5, 0.0, 0.5**0.5, 0.0))
    mechanism = Mechanism(bodies=[base, cart], joints=[rail])
    assert start(mechanism).joint_speeds[0] == pytest.approx([-1.0], abs=1e-12)
    rail.speeds = 0.25
    recording = start(mechanism)
    assert recording.linear_velocity[0, 1] == pytest.approx((1.25, 0, 0), abs=1e-12)


@pytest.mark.parametrize("kind", [kind for kind in TYPES if COORDINATES[kind]])
@pytest.mark.parametrize("reversed_joint", [False, True])
def test_every_joint_reads_its_speeds_back_from_its_bodies(kind, reversed_joint):
    """There and back: speeds to velocities, the velocities alone to the same speeds."""
    rng = np.random.default_rng(11)
    ends = ("b", "a") if reversed_joint else ("a", "b")
    joint = random_joint(rng, "j", kind, *ends, efforts=False)
    bodies = [random_body(rng, "a"), random_body(rng, "b")]
    bodies[0].linear_velocity, bodies[0].angular_velocity = rng.normal(size=(2, 3))
    mechanism = Mechanism(bodies=bodies, joints=[joint])
    first = start(mechanism)
    wanted, joint.speeds = joint.speeds, None
    for body, v, w in zip(bodies, first.linear_velocity[0], first.angular_velocity[0], strict=True):
        body.linear_velocity, body.angular_velocity = v, w
    second = start(mechanism)
    assert second.joint_speeds[0] == pytest.approx(wanted, abs=1e-12)
    assert velocity_notes(second) == []
