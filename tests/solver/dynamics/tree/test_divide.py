# SPDX-License-Identifier: GPL-3.0-or-later
"""The divide-and-conquer method: trees large enough for its assemblies to be deep, and what it refuses.

Small random trees are in test_dynamics, motions in test_reference and test_switching. Rounding (1e-16) grows by the
conditioning of masses and arms, which in long chains adds up: hence 1e-9 of the largest value.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from solver import Mechanism, MechanismError, evaluate, simulate
from solver.mechanism import Action, Body, Joint, Motor, Nail
from solver.model.assembly_tree import assembly_tree
from solver.model.poses import rotation_matrices
from tests.solver.dynamics.tree.test_dynamics import assert_same
from tests.solver.random_mechanisms import TYPES, mechanisms, random_body, random_joint

KINDS = {"chain": lambda rng, i: i - 1, "star": lambda rng, i: min(i - 1, 0), "bush": lambda rng, i: rng.integers(i)}


def random_tree(seed: int, count: int, kind: str, types=TYPES) -> Mechanism:
    """Bodies on the world, with springs, dampers and reflected inertia in their joints."""
    rng = np.random.default_rng(seed)
    bodies = [random_body(rng, f"body {i}") for i in range(count)]
    joints = []
    for i, body in enumerate(bodies):
        inner = bodies[KINDS[kind](rng, i)].name if i else None
        joints.append(random_joint(rng, f"joint {i}", str(rng.choice(types)), inner, body.name, efforts=True))
    return Mechanism(bodies=bodies, joints=joints)


@settings(max_examples=40, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
@given(mechanisms(most=40))
def test_random_trees(mechanism):
    assert_same(evaluate(mechanism, "divide"), evaluate(mechanism, "recursive"))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("count", [2, 3, 17, 120])
def test_chains_stars_and_bushes(kind, count):
    mechanism = random_tree(count, count, kind)
    assert_same(evaluate(mechanism, "divide"), evaluate(mechanism, "composite"))


def test_a_thousand_hinges_move_alike():
    mechanism = random_tree(5, 1000, "bush", types=("revolute",))
    assert_same(evaluate(mechanism, "divide"), evaluate(mechanism, "recursive"))


def test_motions_are_alike():
    mechanism = random_tree(8, 12, "bush")
    first, second = (simulate(mechanism, 0.5, 24.0, relative=1e-9, method=name) for name in ("recursive", "divide"))
    assert second.position == pytest.approx(first.position, abs=1e-6)
    assert second.joint_force == pytest.approx(first.joint_force, abs=1e-4 * np.abs(first.joint_force).max())


@pytest.mark.parametrize("kind", ["revolute", "universal", "spherical"])
@pytest.mark.parametrize("thin", [1e-4, 1e-6, 1e-8])
def test_thin_rods(thin, kind):
    """Whose inertia about their axis is next to nothing: what they make of a moment there outweighs all else by 1/thin.

    So that part of all digits is lost, but not the square of it: 1e-8 lost all of them before.
    """
    rng, bodies, joints, place = np.random.default_rng(1), [], [], np.zeros(3)
    for k in range(8):
        along, about = rng.normal(size=4), rng.normal(size=4)
        along /= np.linalg.norm(along)
        half = 0.5 * rotation_matrices(along)[0][:, 0]
        inertia = (thin / 12.0, 1.0 / 12.0, 1.0 / 12.0)
        bodies.append(Body(f"rod {k}", mass=1.0, inertia=inertia, position=tuple(place + half), orientation=along))
        inner = f"rod {k - 1}" if k else None
        joints.append(Joint(f"joint {k}", kind, inner, f"rod {k}", tuple(place), about / np.linalg.norm(about)))
        place = place + 2.0 * half
    rods = Mechanism(bodies=bodies, joints=joints)
    expected, found = evaluate(rods, "recursive").linear_acceleration, evaluate(rods, "divide").linear_acceleration
    assert found == pytest.approx(expected, abs=1e-13 / thin * np.abs(expected).max())


def hinged_ring(count: int) -> Mechanism:
    angles = 2.0 * np.pi * np.arange(count) / count
    bodies = [
        Body(f"link {k}", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(np.cos(a), np.sin(a), 0))
        for k, a in enumerate(angles)
    ]
    joints = [
        Joint(f"hinge {k}", "revolute", f"link {k}", f"link {(k + 1) % count}", (np.cos(a), np.sin(a), 0))
        for k, a in enumerate(angles + np.pi / count)
    ]
    return Mechanism(bodies=bodies, joints=joints)


def test_loops_and_constraints_are_refused_by_name():
    ring = hinged_ring(4)
    with pytest.raises(MechanismError, match=r"joint 'hinge .': it closes a loop, and method divide takes trees only"):
        evaluate(ring, "divide")
    ring.joints.pop()
    ring.constraints = [Nail("tack", body="link 0", point=(1, 0, 0))]
    with pytest.raises(MechanismError, match="constraint 'tack'"):
        evaluate(ring, "divide")
    ring.constraints[0].enabled = False
    ring.forces = [Motor("push", body="link 1", point=(0, 1, 0), force=(1.0, 2.0, 3.0))]
    assert_same(evaluate(ring, "divide"), evaluate(ring, "recursive"))


def test_a_loop_that_is_opened_and_a_tree_that_is_cut_on_the_way():
    chain = random_tree(3, 6, "chain", types=("spherical",))
    chain.actions = [Action(0.1, "joint 3", {"enabled": False})]
    first, second = (simulate(chain, 0.3, 24.0, relative=1e-9, method=name) for name in ("recursive", "divide"))
    assert second.position == pytest.approx(first.position, abs=1e-6)


@given(st.integers(0, 2**32 - 1), st.integers(1, 400), st.sampled_from(["chain", "bush"]))
@settings(max_examples=50, deadline=None)
def test_assemblies_are_whole_connected_and_shallow(seed, count, kind):
    """Each joint puts together once, parts come before the whole, handles are where they should be."""
    rng = np.random.default_rng(seed)
    inner = np.array([-1, *(KINDS[kind](rng, i) if i else -1 for i in range(count))]) + 1
    inner[0] = -1
    tree = assembly_tree(inner, 1)
    rows, held = tree.assemblies, {i: {i} for i in range(1, count + 1)}
    depth = np.zeros(len(rows), int)
    for a in range(count + 1, len(rows)):
        row = rows[a]
        assert row.inner < a
        assert row.outer < a
        assert row.joint in held[row.outer]
        assert inner[row.joint] in held[row.inner]
        assert rows.top[row.outer] == row.joint
        assert rows.bottom[row.inner] == inner[row.joint]
        held[a] = held[row.inner] | held[row.outer]
        leaving = {inner[b] for b in range(2, count + 1) if inner[b] in held[a] and b not in held[a]}
        assert leaving <= {row.bottom} | ({row.top} if row.rakes else set())
    for a in range(len(rows) - 1, count, -1):
        depth[rows.inner[a]] = depth[rows.outer[a]] = depth[a] + 1
        assert rows.parent[rows.inner[a]] == rows.parent[rows.outer[a]] == a
    assert sorted(rows.joint[count + 1 :]) == list(range(2, count + 1))
    assert held[tree.wholes[0]] == set(range(1, count + 1))
    most = max(np.bincount(inner[2:], minlength=2)) if count > 1 else 0
    assert depth.max() <= 2 * np.log2(count) + 2 + 2 * most


@pytest.mark.parametrize("count", [1000, 50_000])
def test_a_chain_is_halved(count):
    tree = assembly_tree(np.arange(-1, count), 1)
    depth = np.zeros(len(tree.assemblies), int)
    for a in range(len(depth) - 1, count, -1):
        depth[tree.assemblies.inner[a]] = depth[tree.assemblies.outer[a]] = depth[a] + 1
    assert depth.max() == np.ceil(np.log2(count))
