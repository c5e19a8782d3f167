# SPDX-License-Identifier: GPL-3.0-or-later
"""Accelerations and joint forces of random mechanisms by independent routes.

The yardstick is the dense engine of tests.solver.dynamics.loops.maximal. Rounding (1e-16) grows by the conditioning of
the drawn masses, arms and armatures, at most about 1e5: hence 1e-9 of the largest value.
"""

from __future__ import annotations

import numpy as np
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from solver import Mechanism, evaluate, simulate
from solver.mechanism import Brake
from solver.model.linkage.compilation import compile_linkages
from tests.solver.comparison import turned_apart, wrench_error
from tests.solver.dynamics.loops.maximal import MaximalState
from tests.solver.random_mechanisms import mechanisms, random_body, random_joint

ROUNDING = 1e-9
many = settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def assert_same(got, expected, tolerance=ROUNDING):
    acceleration = max(np.abs(expected.linear_acceleration).max(), np.abs(expected.angular_acceleration).max(), 1.0)
    for name in ("linear_acceleration", "angular_acceleration", "joint_acceleration"):
        a, b = getattr(got, name), getattr(expected, name)
        assert np.abs(a - b).max(initial=0.0) <= tolerance * max(acceleration, np.abs(b).max(initial=0.0)), name
    assert wrench_error(got.joint_force, expected.joint_force, 1.0) <= tolerance


@many
@given(mechanisms())
def test_recursion_equals_mass_matrix_equals_dense_newton_euler(mechanism):
    state = MaximalState(mechanism, simulate(mechanism, 0.0))
    for joint in state.joints:
        assert joint.gap <= 1e-13
        assert joint.slip <= 1e-12
    expected = state.solve()
    assert_same(evaluate(mechanism, "recursive"), expected)
    assert_same(evaluate(mechanism, "composite"), expected)
    assert_same(evaluate(mechanism, "divide"), expected)


def slipping(mechanism: Mechanism, recording, frame: int) -> tuple[bool, ...]:
    """Which brakes do."""
    state = MaximalState(mechanism, recording, frame)
    return tuple(state.slips(force) for force in mechanism.forces if isinstance(force, Brake))


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(mechanisms(most=4))
def test_along_a_motion(mechanism):
    """Joints hold at every frame, accelerations are the slopes of the velocities, velocities those of the poses.

    Differences over five frames at 1 kHz err by step^4 / 30 times the fifth derivative: 1e-13 times (rate of the
    motion)^5, and rates stay below some 30 rad/s. There must be no kink among the five: no brake may begin to slip.
    """
    rate, middle = 1000.0, 52  # between the kinks of the tables at 0 and at 0.1 s
    recording = simulate(mechanism, 0.06, rate, relative=1e-10)
    for frame in (0, middle, len(recording.times) - 1):
        for joint in MaximalState(mechanism, recording, frame).joints:
            assert joint.gap < 1e-10
            assert joint.slip < 1e-9
    around = slice(middle - 2, middle + 3)
    assume(len({slipping(mechanism, recording, frame) for frame in range(around.start, around.stop)}) == 1)
    weights = np.array([1, -8, 0, 8, -1]) / 12.0 * rate
    expected = MaximalState(mechanism, recording, middle).solve()
    for velocity, acceleration in (
        (recording.linear_velocity, expected.linear_acceleration),
        (recording.angular_velocity, expected.angular_acceleration),
        (recording.position, recording.linear_velocity[middle]),
    ):
        slope = np.tensordot(weights, velocity[around], axes=1)
        assert np.abs(slope - acceleration).max() < 1e-5 * max(1.0, np.abs(acceleration).max())
    slope = np.tensordot(weights, recording.joint_speeds[around], axes=1)
    seconds = expected.joint_acceleration
    assert np.abs(slope - seconds).max(initial=0.0) < 1e-5 * max(1.0, np.abs(seconds).max(initial=0.0))
    assert wrench_error(recording.joint_force[middle], expected.joint_force, 1.0) < 1e-8


@many
@given(mechanisms())
def test_inverse_dynamics_returns_the_efforts(mechanism):
    """The recorded joint force along each axis, less what turns its armature, is what springs and motors exert."""
    got, state = evaluate(mechanism), MaximalState(mechanism, simulate(mechanism, 0.0))
    scale = max(1.0, np.abs(got.joint_force).max(initial=0.0))
    for j, joint in enumerate(mechanism.joints):
        f, n = got.joint_force[j, :3], got.joint_force[j, 3:]
        along = state.joints[j].travels @ f + state.joints[j].turns @ n
        seconds = got.joint_acceleration[got.joint_offsets[j] : got.joint_offsets[j + 1]]
        expected = state.efforts(j) - np.array(joint.armature or (0.0,) * len(seconds)) * seconds
        assert np.abs(along - expected).max(initial=0.0) < ROUNDING * scale


SYMMETRIC = ("revolute", "prismatic", "screw", "cylindrical", "spherical", "fixed")


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.integers(0, 2**32 - 1), st.lists(st.sampled_from(SYMMETRIC), min_size=1, max_size=5), st.booleans())
def test_the_same_mechanism_drawn_otherwise_moves_alike(seed, kinds, floating):
    """Parents and children exchanged, bodies and joints in another order, the root therefore elsewhere: one motion.

    At relative 1e-9 over 0.3 s, in which a disturbance grows little.
    """
    rng = np.random.default_rng(seed)
    bodies = [random_body(rng, f"b{k}") for k in range(len(kinds) + floating)]
    joints = []
    for k, kind in enumerate(kinds):
        child = k + floating
        inner = f"b{rng.integers(child)}" if child else None
        joints.append(random_joint(rng, f"j{k}", kind, inner, f"b{child}", efforts=False))
        joints[-1].coordinates = None
        if kind != "fixed":
            joints[-1].damping = [rng.uniform(0.0, 1.0)] * len(joints[-1].speeds)
    if floating:
        bodies[0].linear_velocity, bodies[0].angular_velocity = rng.normal(size=(2, 3))
    drawn = Mechanism(bodies=bodies, joints=joints)
    first = simulate(drawn, 0.3, 20.0, relative=1e-9)
    for k, body in enumerate(bodies):
        body.linear_velocity, body.angular_velocity = first.linear_velocity[0, k], first.angular_velocity[0, k]
    for joint in joints:
        joint.speeds = None
        if joint.parent is not None and rng.random() < 0.7:
            joint.parent, joint.child = joint.child, joint.parent
    order = rng.permutation(len(bodies))
    redrawn = Mechanism(bodies=[bodies[k] for k in order], joints=[joints[k] for k in rng.permutation(len(joints))])
    second = simulate(redrawn, 0.3, 20.0, relative=1e-9)
    assert np.abs(second.position - first.position[:, order]).max() < 1e-7
    assert turned_apart(second.orientation, first.orientation[:, order]).max() < 1e-7
    assert not [note for note in second.notes if "velocities" in note]


def test_redrawing_really_moves_the_root():
    """So that the test above compares different recursions."""
    rng = np.random.default_rng(1)
    bodies = [random_body(rng, "b0"), random_body(rng, "b1")]
    joint = random_joint(rng, "j", "revolute", "b0", "b1", efforts=False)
    (first,) = compile_linkages(Mechanism(bodies=bodies, joints=[joint]))
    joint.parent, joint.child = joint.child, joint.parent
    (second,) = compile_linkages(Mechanism(bodies=bodies, joints=[joint]))
    assert (first.linkage.bodies, second.linkage.bodies) == ([0, 1], [1, 0])
