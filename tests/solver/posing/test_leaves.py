# SPDX-License-Identifier: GPL-3.0-or-later
"""The number of bodies in a leaf decides what a step costs, and nothing else."""

import numpy as np
import pytest

from solver import Mechanism, Posing, evaluate
from solver.mechanism import Body, Joint
from tests.solver.posing.test_posing import as_motors, posing_of, pushes

SIZES = (1, 2, 5, 16, 64)


def hinged_tree(count: int, seed: int, branches: float = 0.3) -> Mechanism:
    """Bodies with hinges along axes in all directions, some of them with the outer body as their parent."""
    rng = np.random.default_rng(seed)
    quaternions = rng.normal(size=(2 * count, 4))
    quaternions /= np.linalg.norm(quaternions, axis=1, keepdims=True)
    bodies, joints, places = [], [], np.zeros((count, 3))
    for i in range(count):
        inner = i - 1 if i == 0 or rng.random() > branches else int(rng.integers(max(0, i - 6), i))
        places[i] = (places[inner] if i else 0.0) + rng.normal(0.0, 0.3, 3)
        sides, mass = rng.uniform(0.1, 0.4, 3), rng.uniform(0.5, 2.0)
        bodies.append(
            Body(
                f"body {i}",
                mass=mass,
                inertia=mass / 12.0 * ((sides**2).sum() - sides**2),
                center_of_mass=rng.normal(0.0, 0.1, 3),
                position=places[i],
                orientation=quaternions[i],
            )
        )
        pair = (f"body {inner}" if i else None, f"body {i}")
        parent, child = pair if i == 0 or rng.random() < 0.7 else pair[::-1]
        turned = quaternions[count + i]
        joints.append(Joint(f"hinge {i}", "revolute", parent, child, position=places[i], orientation=turned))
    return Mechanism(bodies=bodies, joints=joints, gravity=(0.0, 0.0, 0.0))


@pytest.mark.parametrize("most", SIZES)
@pytest.mark.parametrize("branches", [0.0, 0.3])
def test_accelerations_are_exact_whatever_the_size(most, branches):
    mechanism = hinged_tree(60, 1, branches)
    drawn = pushes(mechanism, 2, 6)
    posing = posing_of(mechanism, drawn, grain=most)
    (engine,) = posing._engines.values()
    largest = (engine.linkage.leaves.end - engine.linkage.leaves.start).max()
    assert 0.5 * min(most, 60) <= largest <= most, "a path is halved until its parts fit"
    posing.advance(1e-9)
    expected = evaluate(as_motors(mechanism, drawn), "recursive").joint_acceleration
    found = np.empty(60)
    for number, j in enumerate(posing._linkages[0].joint):
        found[j] = engine.linkage.accelerations[engine.linkage.joints[engine.model.driven + number].axis_start]
    assert np.abs(found - expected).max() < 1e-10 * np.abs(expected).max()
    assert posing.solved == 60


def test_pulled_points_go_the_same_way_whatever_the_size():
    places = []
    for most in SIZES:
        posing = Posing(hinged_tree(60, 3), error=0.0, grain=most)
        for body, target in (("body 59", (1.0, 0.5, 0.0)), ("body 31", (0.0, 0.2, 0.8)), ("body 30", (0.3, 0.2, 0.6))):
            posing.pull(body, (0.1, 0.0, -0.1), target)
        posing.approach(5)
        places.append(posing.poses()[0])
    assert np.abs(places[0] - np.array([body.position for body in hinged_tree(60, 3).bodies])).max() > 0.1
    for others in places[1:]:
        assert others == pytest.approx(places[0], abs=1e-8)


@pytest.mark.parametrize("most", [1, 5, 64])
def test_what_leaves_leave_out_is_within_the_bound(most):
    posing = Posing(hinged_tree(400, 5), error=1e-3, grain=most)
    posing.push("body 200", (1.0, 2.0, 3.0))
    (engine,) = posing._engines.values()
    start = posing.state()
    posing.advance(1e-9)
    known, bound, solved = engine.linkage.accelerations.copy(), posing.bound, posing.solved
    posing.restore(start)
    posing.set_error(0.0)
    posing.advance(1e-9)
    all_ = engine.linkage.accelerations
    missing = np.where(known == 0.0, all_, 0.0)
    assert 0.0 < np.abs(missing).max() / np.abs(all_).max() <= bound * (1.0 + 1e-9) <= 1e-3
    assert 10 < solved < 250


def test_small_linkages_have_the_grain_of_a_joint_and_large_ones_do_not():
    for count, largest in ((30, 1), (256, 1), (300, 16)):
        posing = posing_of(hinged_tree(count, 2, 0.0), [])
        leaves = posing._engine(0).linkage.leaves
        assert 0.5 * largest <= (leaves.end - leaves.start).max() <= largest
    with pytest.raises(ValueError, match="grain"):
        Posing(hinged_tree(3, 2), grain=0)
