# SPDX-License-Identifier: GPL-3.0-or-later
"""Digits that are lost where a light link carries a heavy one, by three ways to form the pivot.

Formulation stiffness (Ascher, Pai, Cloutier 1997; Pai, Ascher, Kry 2000, section 7): a light ring turns on a hinge, and
a heavy rotor turns in it about the same line. About that line only the ring's own small inertia is felt; what the rotor
leaves there is zero, and is found as the difference of large numbers. The truth are fractions of the very doubles
that all ways are given, so that only what a way does itself is counted. Found: keeping the two parts of the pivot apart
saves nothing that can be measured in world axes.
"""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

import numpy as np
import pytest

from solver.dynamics.tree.articulated_body import solve_articulated_body
from solver.dynamics.tree.composite_body import solve_composite_body
from solver.evaluation.forward_dynamics import update_forces
from solver.mechanism import Body, Joint, JointMotor, Mechanism
from solver.model.arrays import COMPOSITE, RECURSIVE, new_scratch
from solver.model.linkage.compilation import compile_linkages
from tests.solver.random_mechanisms import unit_quaternion

pytestmark = pytest.mark.fallback

DRAWS = 25
EPSILON = 2.0**-53
INERTIA = np.array([0.02, 0.03, 0.04])  # of 1 kg
# Table of docs/how/trees.md: rotor over ring, and digits that each way loses of 16, in the middle of the draws
SKEW = {1e0: (0.6, 0.5, 0.6), 1e3: (3.0, 2.9, 3.5), 1e6: (6.3, 5.8, 6.4), 1e9: (9.3, 9.1, 9.5)}
ALIGNED = {1e0: (0.0, 0.0, 0.3), 1e3: (0.0, 0.0, 2.8), 1e6: (0.0, 0.0, 5.7), 1e9: (0.0, 0.0, 9.2)}


class Link(NamedTuple):
    """A body on a one-axis joint, about its centre of mass along world axes; doubles, or fractions."""

    axis: np.ndarray  # (6,)
    inertia: np.ndarray  # (6, 6) of the body itself
    inward: np.ndarray  # (6, 6): takes a motion of the inner body to this one
    effort: float | Fraction


def accelerations(chain: list[Link], is_separated: bool) -> np.ndarray:
    """Joint accelerations at rest, in the numbers of the chain: dense, and otherwise the recursion of the solver.

    Separated: s.(I s) + s.(M s) of the body's own I and the remainder M. Plain: s.((I + M) s).
    """
    M, p, kept = 0 * chain[0].inertia, 0 * chain[0].axis, []
    for link in reversed(chain):
        s, I = link.axis, link.inertia
        own, rest = (I @ s, M @ s) if is_separated else ((I + M) @ s, 0 * s)
        U, D, u = own + rest, s @ own + s @ rest, link.effort - s @ p
        kept.append((link, U, D, u))
        M, p = link.inward.T @ (I + (M - np.outer(U, U) / D)) @ link.inward, link.inward.T @ (p + U * (u / D))
    a, found = 0 * chain[0].axis, []
    for link, U, D, u in reversed(kept):
        a = link.inward @ a
        found.append((u - U @ a) / D)
        a = a + link.axis * found[-1]
    return np.array(found)


def as_fractions(link: Link) -> Link:
    return Link(*(np.vectorize(Fraction)(part) for part in link[:3]), Fraction(float(link.effort)))


def ring_and_rotor(ratio: float, rng: np.random.Generator, is_skew: bool) -> Mechanism:
    """Motors twist both hinges; nothing else acts. Skew: the line points anywhere, and the centres are beside it."""
    turn = unit_quaternion(rng) if is_skew else (1.0, 0.0, 0.0, 0.0)
    bodies, joints = [], []
    for name, mass, inner in (("ring", 1.0, None), ("rotor", ratio, "ring")):
        center = rng.normal(size=3) if is_skew else np.zeros(3)
        turned = unit_quaternion(rng) if is_skew else (1.0, 0.0, 0.0, 0.0)
        bodies.append(Body(name, mass=mass, inertia=mass * INERTIA, position=center, orientation=turned))
        motor = JointMotor(mode="force", value=(rng.normal(),))
        joints.append(Joint(f"{name}'s", "revolute", inner, name, (0.0, 0.0, 0.0), turn, motor=motor))
    return Mechanism(gravity=(0.0, 0.0, 0.0), bodies=bodies, joints=joints)


def prepared(mechanism: Mechanism, method: int):
    """Model and scratch of the only linkage, all but the accelerations filled."""
    (compiled,) = compile_linkages(mechanism, method)
    scratch = new_scratch(compiled.model)
    update_forces(compiled.model, 0.0, compiled.state, scratch)
    return compiled.model, scratch


def chain_of(model, scratch) -> list[Link]:
    links = []
    for i in range(model.driven, len(model.bodies)):
        body, moving = model.bodies[i], scratch.bodies[i]
        R = moving.rotation.reshape(3, 3)
        xx, xy, xz, yy, yz, zz = body.inertia
        inertia, inward = body.mass * np.eye(6), np.eye(6)
        turned = R @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ R.T
        inertia[:3, :3] = 0.5 * (turned + turned.T)  # symmetric to the last bit
        x, y, z = moving.center - scratch.bodies[body.inner].center if links else np.zeros(3)
        inward[3:, :3] = [[0, z, -y], [-z, 0, x], [y, -x, 0]]
        links.append(Link(scratch.axes[body.axis_start].S, inertia, inward, scratch.efforts[body.axis_start]))
    return links


def digits_lost(ratio: float, is_skew: bool) -> np.ndarray:
    """Of the solver, of the plain pivot and of the composite method: the middle of the draws, (3,)."""
    lost = []
    for seed in range(DRAWS):
        mechanism = ring_and_rotor(ratio, np.random.default_rng(seed), is_skew)
        model, scratch = prepared(mechanism, RECURSIVE)
        chain = chain_of(model, scratch)
        truth = accelerations([as_fractions(link) for link in chain], True).astype(float)
        solve_articulated_body(model, scratch)
        composite, dense = prepared(mechanism, COMPOSITE)
        solve_composite_body(composite, dense)
        found = np.array([scratch.accelerations, accelerations(chain, False), dense.accelerations])
        error = np.abs(found / truth - 1.0).max(axis=1)
        lost.append(np.log10(np.maximum(error, EPSILON) / EPSILON))
    return np.median(lost, axis=0)


@pytest.mark.parametrize("ratio", SKEW)
def test_a_skew_line_costs_the_digits_of_the_ratio_with_either_pivot(ratio):
    """What is lost is lost within s.(M s), before its sum with s.(I s)."""
    assert digits_lost(ratio, True) == pytest.approx(SKEW[ratio], abs=0.4)


@pytest.mark.parametrize("ratio", ALIGNED)
def test_along_the_axes_of_the_world_the_recursion_loses_nothing(ratio):
    assert digits_lost(ratio, False) == pytest.approx(ALIGNED[ratio], abs=0.4)


def test_both_pivots_are_the_same_in_fractions():
    """And the mass matrix gives them, so that they are the truth."""
    mechanism = ring_and_rotor(1e6, np.random.default_rng(1), True)
    chain = [as_fractions(link) for link in chain_of(*prepared(mechanism, RECURSIVE))]
    ring, rotor = chain
    found = accelerations(chain, True)
    assert list(found) == list(accelerations(chain, False))
    on_rotor = rotor.inward @ ring.axis
    H = [
        [
            ring.axis @ ring.inertia @ ring.axis + on_rotor @ rotor.inertia @ on_rotor,
            on_rotor @ rotor.inertia @ rotor.axis,
        ],
        [rotor.axis @ rotor.inertia @ on_rotor, rotor.axis @ rotor.inertia @ rotor.axis],
    ]
    assert [row[0] * found[0] + row[1] * found[1] for row in H] == [ring.effort, rotor.effort]
