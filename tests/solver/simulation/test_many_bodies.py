# SPDX-License-Identifier: GPL-3.0-or-later
"""Large and badly proportioned mechanisms: long chains, wide stars, light links that carry heavy weights."""

from __future__ import annotations

import numpy as np
import pytest

from solver import Mechanism, evaluate, simulate
from solver.mechanism import Body, Joint
from tests.solver.dynamics.loops.maximal import MaximalState

LINKS = 2000
AXIS_Y = (0.5**0.5, -(0.5**0.5), 0.0, 0.0)


def chain(count: int, file_order) -> Mechanism:
    """Level links of 1 m on hinges, the first on the world."""
    bodies = [Body(f"b{k}", mass=1.0, inertia=(0.01, 0.09, 0.09), position=(k + 0.5, 0, 0)) for k in range(count)]
    parents = [None, *(body.name for body in bodies)]
    joints = [Joint(f"j{k}", "revolute", parents[k], f"b{k}", (k, 0, 0), AXIS_Y) for k in range(count)]
    return Mechanism(bodies=[bodies[k] for k in file_order], joints=[joints[k] for k in file_order])


def assert_balanced(mechanism: Mechanism, got, root: str) -> None:
    """All weight that does not accelerate is carried by the one joint to the world."""
    mass = np.array([body.mass for body in mechanism.bodies])
    carried = mass @ (got.linear_acceleration - mechanism.gravity)
    row = got.joint_names.tolist().index(root)
    assert got.joint_force[row, :3] == pytest.approx(carried, abs=1e-9 * mass.sum() * 9.81)


@pytest.mark.parametrize("order", ["from the root", "from the tip"])
def test_a_chain_of_2000_links(order):
    """No recursion limit, whichever end of the chain the file begins with."""
    indices = range(LINKS) if order == "from the root" else range(LINKS)[::-1]
    mechanism = chain(LINKS, indices)
    got = evaluate(mechanism)
    assert_balanced(mechanism, got, "j0")
    recording = simulate(mechanism, 0.02, 50.0)
    drop = recording.position[-1, :, 2]
    assert np.all(np.isfinite(recording.position))
    # far from the wall the links fall freely
    middle = [k for k, body in enumerate(mechanism.bodies) if 500 < int(body.name[1:]) < 1500]
    assert drop[middle] == pytest.approx(-0.5 * 9.81 * 0.02**2, abs=1e-8)


def test_a_star_of_2000_bodies():
    hub = Body("hub", mass=5.0, inertia=(1, 1, 1))
    angles = 2 * np.pi * np.arange(LINKS) / LINKS
    places = np.stack([np.cos(angles), np.sin(angles), 0 * angles], axis=1)
    bodies = [Body(f"b{k}", mass=0.01, inertia=(1e-4,) * 3, position=2 * p) for k, p in enumerate(places)]
    joints = [Joint(f"j{k}", "spherical", "hub", f"b{k}", p) for k, p in enumerate(places)]
    joints.append(Joint("root", "universal", None, "hub", (0.1, 0.2, 0.0)))
    mechanism = Mechanism(bodies=[hub, *bodies], joints=joints)
    assert_balanced(mechanism, evaluate(mechanism), "root")


@pytest.mark.parametrize("ratio", [1.0, 1e4, 1e8])
def test_light_links_keep_their_digits_beside_a_heavy_tip(ratio):
    """Against a solution in long doubles (Pai, Ascher, Kry 2000, section 7).

    What the heavy tip leaves on a link once its joint is free cancels to rounding of the tip's own mass, so digits go
    in proportion to the ratio; the recursion must lose them from the last one on, the mass matrix a hundred times more.
    """
    rng = np.random.default_rng(4)
    bodies, joints, parent = [], [], None
    for k in range(6):
        axis = rng.normal(size=4)
        mass = 1.0 if k == 5 else 1.0 / ratio
        bodies.append(
            Body(f"b{k}", mass=mass, inertia=(0.02 * mass, 0.03 * mass, 0.04 * mass), position=(k, 0.1 * k, 0))
        )
        kind = "revolute" if k % 2 else "spherical"
        joints.append(
            Joint(
                f"j{k}", kind, parent, f"b{k}", (k - 0.5, 0.05 * k, 0), axis / np.linalg.norm(axis),
                speeds=rng.normal(size=1 if k % 2 else 3),
            )
        )  # fmt: skip
        parent = f"b{k}"
    mechanism = Mechanism(bodies=bodies, joints=joints)
    expected = MaximalState(mechanism, simulate(mechanism, 0.0)).solve()
    scale = np.abs(expected.angular_acceleration).max()
    error = np.abs(evaluate(mechanism).angular_acceleration - expected.angular_acceleration).max() / scale
    assert error < 1e-14 * max(ratio, 10.0)
