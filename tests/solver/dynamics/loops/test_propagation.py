# SPDX-License-Identifier: GPL-3.0-or-later
"""Constraint propagation on the cases that its parts are there for, against the recursive method.

Both get the same rows; what propagation does with them is its own. Random graphs of all sorts: test_methods_agree.
"""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.loops import ball, four_bars, hinge, necklace, net, rod, scissor_lift
from solver import Mechanism, evaluate
from solver.mechanism import Body, Distance, Joint, Keys, Nail, PointToPoint
from solver.model.arrays import PROPAGATION
from solver.model.linkage.compilation import compile_linkages
from solver.model.propagation_plan import MOST_STUCK

AGREE = 1e-9  # of the largest value; rounding is at 1e-13 and below
UPRIGHT = (1.0, 0.0, 0.0, 0.0)


def chain(count: int, on_world: bool = True, heavier: float = 1.0) -> Mechanism:
    """Rods of 1 m and 1 kg end to end, ball-jointed, on a bent line; every other one `heavier`."""
    places = np.column_stack([0.6 * np.arange(count + 1), 0.8 * (np.arange(count + 1) % 2), np.zeros(count + 1)])
    bodies = [rod(f"rod {i}", 0.5 * (places[i] + places[i + 1]), UPRIGHT) for i in range(count)]
    for body in bodies[::2]:
        body.mass, body.inertia = heavier * body.mass, [heavier * value for value in body.inertia]
    joints = [ball(f"rod {i - 1}" if i else None, f"rod {i}", places[i]) for i in range(0 if on_world else 1, count)]
    return Mechanism(name="chain", bodies=bodies, joints=joints)


def nailed_at_both_ends(heavier: float = 1.0) -> Mechanism:
    mechanism = chain(12, heavier=heavier)
    mechanism.constraints = [Nail("end", body="rod 11", point=(7.2, 0.0, 0.0))]
    return mechanism


def straight() -> Mechanism:
    """Rods on one line between two nails: along it, nothing but the nails could give way."""
    bodies = [rod(f"rod {i}", (0.0, 0.0, i + 0.5), UPRIGHT) for i in range(5)]
    joints = [hinge(f"rod {i - 1}" if i else None, f"rod {i}", (0.0, 0.0, i)) for i in range(5)]
    return Mechanism(bodies=bodies, joints=joints, constraints=[Nail("top", body="rod 4", point=(0.0, 0.0, 5.0))])


def several_roots() -> Mechanism:
    """Two chains on the world and two bodies that float, tied together by points and distances."""
    left, right = chain(4), chain(3)
    for body in right.bodies:
        body.name, body.position = f"right {body.name}", np.array(body.position) + (0.0, 5.0, 0.0)
    for joint in right.joints:
        joint.name = f"right {joint.name}"
        joint.parent, joint.child = joint.parent and f"right {joint.parent}", f"right {joint.child}"
        joint.position = np.array(joint.position) + (0.0, 5.0, 0.0)
    floats = [rod("float 0", (2.0, 2.0, 0.0), UPRIGHT), rod("float 1", (3.0, 2.5, 0.5), UPRIGHT)]
    ties = [
        PointToPoint("a", body_a="rod 3", body_b="float 0", point_a=(2.0, 1.5, 0.2), point_b=(2.0, 1.5, 0.2)),
        Distance("b", body_a="float 0", body_b="right rod 2", point_a=(2.1, 2.2, 0.0), point_b=(1.8, 5.4, 0.0)),
        PointToPoint("c", body_a="float 0", body_b="float 1", point_a=(2.5, 2.2, 0.3), point_b=(2.5, 2.2, 0.3)),
        Distance("d", body_a="float 1", body_b="rod 1", point_a=(3.0, 2.5, 0.0), point_b=(1.0, 0.3, 0.1)),
    ]
    return Mechanism(bodies=[*left.bodies, *right.bodies, *floats], joints=left.joints + right.joints, constraints=ties)


def branches() -> Mechanism:
    """A trunk with three branches: one tied to the world, two to each other, and a loop within a branch."""
    bodies = [rod("trunk", (0.0, 0.0, 0.5), UPRIGHT)]
    joints = [ball(None, "trunk", (0.0, 0.0, 0.0))]
    for k in range(3):
        inner, place = "trunk", np.array((0.0, 0.0, 1.0))
        for i in range(4):
            step = np.array((np.cos(2.1 * k + 0.3 * i), np.sin(2.1 * k + 0.3 * i), 0.2 * (-1.0) ** i))
            name = f"branch {k} {i}"
            bodies.append(rod(name, place + 0.5 * step, UPRIGHT))
            joints.append(Joint(name, ("spherical", "universal", "revolute")[k], inner, name, position=place))
            inner, place = name, place + step
    ties = [
        Nail("held", body="branch 0 3", point=(3.0, 1.0, 1.0)),
        PointToPoint("across", body_a="branch 1 3", body_b="branch 2 2", point_a=(0, 0, 2), point_b=(0, 0, 2)),
        Distance("within", body_a="branch 1 0", body_b="branch 1 3", point_a=(0, 0, 1), point_b=(-1, 2, 1)),
    ]
    return Mechanism(bodies=bodies, joints=joints, constraints=ties)


def on_a_keyed_body() -> Mechanism:
    """A chain from a keyed body to the world."""
    mechanism = nailed_at_both_ends()
    keys = Keys((0.0, 0.5, 1.0), ((0, 0, 0), (0.1, 0.0, 0.1), (0, 0.1, 0)), (UPRIGHT,) * 3)
    mechanism.bodies.append(Body("hand", "keyed", keys=keys))
    mechanism.joints[0].parent = "hand"
    return mechanism


CASES = {
    "necklace": necklace(12),
    "hung necklace": necklace(7, hung=True),
    "nailed at both ends": nailed_at_both_ends(),
    "mass ratio 1e4": nailed_at_both_ends(heavier=1e4),
    "straight": straight(),
    "several roots": several_roots(),
    "branches": branches(),
    "keyed": on_a_keyed_body(),
    "net": net(4, 4),
    "four-bars": four_bars(6),
    "scissor lift": scissor_lift(3),
}


@pytest.mark.parametrize("name", CASES)
def test_agrees_with_the_recursive_method(name):
    expected, got = (evaluate(CASES[name], method=method) for method in ("recursive", "propagation"))
    for field in ("linear_acceleration", "angular_acceleration", "joint_acceleration"):
        scale = max(1.0, np.abs(getattr(expected, field)).max(initial=0.0))
        assert np.abs(getattr(got, field) - getattr(expected, field)).max(initial=0.0) < AGREE * scale
    for field in ("joint_force", "constraint_force"):
        scale = max(1.0, np.abs(expected.joint_force).max(initial=0.0))
        assert np.abs(getattr(got, field) - getattr(expected, field)).max(initial=0.0) < AGREE * scale


def plan(mechanism: Mechanism):
    (compiled,) = compile_linkages(mechanism, PROPAGATION)
    return compiled.model.propagation


def test_rows_of_a_ring_are_open_at_all_beads_but_the_first():
    beads = plan(necklace(9)).nodes[1:10]
    assert beads.open.tolist() == [0] + [3] * 8


@pytest.mark.parametrize("windows", [2, 5, 20])
def test_no_body_passes_on_more_than_open_rows_and_six(windows):
    nodes = plan(four_bars(windows)).nodes
    assert (nodes.reach - nodes.open).max() <= MOST_STUCK
    assert nodes.slots.max() <= 5 + 2 * MOST_STUCK


def test_a_tree_has_nothing_to_propagate():
    assert len(plan(chain(5)).nodes) == 0
