# SPDX-License-Identifier: GPL-3.0-or-later
"""Who may touch whom, counted, against all pairs gone through one by one."""

import itertools

import numpy as np
import pytest

from solver import Mechanism
from solver.mechanism import Body, Contact, Ground, Joint, Sphere
from solver.model.topology import find_linkages
from solver.model.touching import Touching


def crowd(seed: int, ignored: float) -> Mechanism:
    """Some bodies that move, stand still, or have no shape, of whose pairs that share of `ignored` is kept apart."""
    rng = np.random.default_rng(seed)
    count = int(rng.integers(2, 12))
    bodies = [
        Body(
            f"{i}", mass=1.0, inertia=(1.0, 1.0, 1.0), position=(i, 0.0, 0.0),
            motion="dynamic" if rng.random() < 0.7 else "fixed",
            shape=Sphere(radius=0.1) if rng.random() < 0.8 else None,
        )
        for i in range(count)
    ]  # fmt: skip
    ignore = [(f"{i}", f"{j}") for i, j in itertools.combinations(range(count), 2) if rng.random() < ignored]
    ignore += ignore[:1]  # the same twice changes nothing
    joints = [
        Joint(f"joint {i}", "spherical", f"{i - 1}", f"{i}", position=(i - 0.5, 0.0, 0.0))
        for i in range(1, count)
        if "dynamic" in (bodies[i - 1].motion, bodies[i].motion) and rng.random() < 0.3
    ]
    ground = Ground() if rng.random() < 0.2 else None
    return Mechanism(bodies=bodies, joints=joints, contact=Contact(ignore=tuple(ignore), ground=ground))


def groups(pairs, members) -> set[frozenset]:
    """The sets that the pairs join, by relabelling."""
    label = {i: i for i in members}
    for i, j in pairs:
        old, new = label[j], label[i]
        label = {k: new if group == old else group for k, group in label.items()}
    return {frozenset(k for k in members if label[k] == group) for group in label.values()}


@pytest.mark.fallback
@pytest.mark.parametrize("seed", range(60))
def test_counts_are_those_of_all_pairs(seed):
    mechanism = crowd(seed, ignored=(0.05, 0.5, 0.95)[seed % 3])
    touching = Touching(mechanism)
    shaped = [i for i, body in enumerate(mechanism.bodies) if body.shapes]
    moving = [i for i in shaped if mechanism.bodies[i].motion == "dynamic"]
    all_pairs = [pair for pair in itertools.combinations(moving, 2) if touching.may_touch(*pair)]
    found = list(touching.moving_pairs())
    assert all(touching.may_touch(*pair) for pair in found)
    assert len(found) < max(1, len(moving))
    assert groups(found, moving) == groups(all_pairs, moving)
    assert touching.any_among(shaped) == any(touching.may_touch(*p) for p in itertools.combinations(shaped, 2))
    apart = {
        (i, j)
        for i, j in itertools.combinations(shaped, 2)
        if not touching.may_touch(i, j) and (i in moving or j in moving)
    }
    assert apart == {(i, j) for i, j in touching.apart_among(shaped) if i in moving or j in moving}
    for linkage in find_linkages(mechanism):
        mine = [i for i in linkage.bodies if i in shaped]
        still = [j for j in shaped if j not in moving]
        assert linkage.met == [j for j in still if any(touching.may_touch(i, j) for i in mine)]
        meets = any(touching.may_touch(i, j) for i in mine for j in shaped)
        assert linkage.touches == (bool(mine) and (mechanism.contact.ground is not None or meets))


@pytest.mark.fallback
def test_ten_thousand_that_touch_need_few_pairs():
    bodies = [
        Body(f"{i}", mass=1.0, inertia=(1.0, 1.0, 1.0), position=(i, 0.0, 0.0), shape=Sphere(radius=0.1))
        for i in range(10_000)
    ]
    joints = [Joint(f"{i}", "spherical", f"{i}", f"{i + 1}", (i, 0.0, 0.0)) for i in range(0, 10_000, 2)]
    touching = Touching(Mechanism(bodies=bodies, joints=joints, contact=Contact()))
    assert len(list(touching.moving_pairs())) == len(bodies) - 1
    assert len(list(touching.apart_among(range(len(bodies))))) == len(joints)
