# SPDX-License-Identifier: GPL-3.0-or-later
"""Which bodies make a linkage, which joint leads inwards, and what cannot be a tree."""

from __future__ import annotations

import pytest
from hypothesis import given

from solver import Mechanism, MechanismError
from solver.mechanism import Body, Damping, Joint, Keys, Spring
from solver.mechanism.topology import find_linkages
from tests.solver.random_mechanisms import mechanisms

KEYS = Keys((0.0,), ((0, 0, 0),), ((1, 0, 0, 0),))


def build(bodies: str, joints: str, forces: list | None = None) -> Mechanism:
    """bodies: "a b F K" (F... fixed, K... keyed); joints: "a-b" from parent to child, "-b" from the world."""
    made = []
    for name in bodies.split():
        motion = {"F": "fixed", "K": "keyed"}.get(name[0], "dynamic")
        made.append(Body(name, motion, mass=1.0, inertia=(1, 1, 1), keys=KEYS if motion == "keyed" else None))
    pairs = [pair.split("-") for pair in joints.split()]
    drawn = [Joint(f"{a}-{b}", "revolute", a or None, b, (0, 0, 0)) for a, b in pairs]
    return Mechanism(bodies=made, joints=drawn, forces=forces or [])


def walked(mechanism: Mechanism) -> list[list[str]]:
    """Each linkage as "inner>body", reversed joints as "inner<body"."""
    names = {i: body.name for i, body in enumerate(mechanism.bodies)} | {None: ""}
    return [
        [
            f"{names[inner]}{'<' if flag else '>'}{names[body]}"
            for body, inner, flag in zip(linkage.bodies, linkage.inner, linkage.reversed, strict=True)
        ]
        for linkage in find_linkages(mechanism)
    ]


@pytest.mark.parametrize(
    ("bodies", "joints", "expected"),
    [
        ("a", "", [[">a"]]),
        ("a b", "a-b", [[">a", "a>b"]]),
        ("b a", "a-b", [[">a", "a>b"]]),
        ("a b c", "a-b b-c", [[">a", "a>b", "b>c"]]),
        ("a b c", "-c b-c a-b", [[">c", "c<b", "b<a"]]),
        ("a b c d", "-a a-b a-c b-d", [[">a", "a>b", "b>d", "a>c"]]),
        ("a b", "", [[">a"], [">b"]]),
        ("F1 a", "F1-a", [["F1>a"]]),
        ("F1 a", "a-F1", [["F1<a"]]),
        ("K1 a b", "K1-a K1-b", [["K1>a"], ["K1>b"]]),
        ("F1 F2", "", []),
    ],
)
def test_walks(bodies, joints, expected):
    assert walked(build(bodies, joints)) == expected


def test_forces_between_two_dynamic_bodies_make_one_linkage():
    ends = {"point_a": (0, 0, 0), "point_b": (1, 0, 0), "stiffness": 1.0, "rest_length": 1.0}
    joined = build("a b", "", [Spring("s", body_a="a", body_b="b", **ends)])
    assert walked(joined) == [[">a", ">b"]]
    assert [linkage.forces for linkage in find_linkages(joined)] == [[0]]
    through_wall = build("a F1 b", "", [Spring(f"s{n}", body_a=n, body_b="F1", **ends) for n in "ab"])
    assert walked(through_wall) == [[">a"], [">b"]]
    assert [linkage.forces for linkage in find_linkages(through_wall)] == [[0], [1]]
    alone = build("a b", "", [Damping("d", body="b")])
    assert [linkage.forces for linkage in find_linkages(alone)] == [[], [0]]


@pytest.mark.parametrize(
    ("bodies", "joints", "named"),
    [
        ("a b c", "a-b b-c c-a", ["joint 'c-a': closes a loop with 'b-c', 'a-b'"]),
        ("a b", "a-b b-a", ["joint 'b-a': closes a loop with 'a-b'"]),
        ("a b", "-a a-b -b", ["joint '-b': closes a loop with 'a-b', '-a'"]),
        ("a F1 K1", "F1-a a-K1", ["joint 'a-K1': closes a loop with 'F1-a'"]),
        ("F1 K1", "F1-K1", ["joint 'F1-K1': neither 'F1' nor 'K1' is dynamic"]),
        ("F1", "-F1", ["joint '-F1': neither 'the world' nor 'F1' is dynamic"]),
    ],
)
def test_what_is_no_tree_is_named(bodies, joints, named):
    with pytest.raises(MechanismError) as error:
        find_linkages(build(bodies, joints))
    assert len(error.value.problems) == len(named)
    for problem, words in zip(error.value.problems, named, strict=True):
        start, _, others = words.partition(" with ")
        assert problem.startswith(start)
        for name in filter(None, others.split(", ")):
            assert name in problem[len(start) :]


@given(mechanisms(most=12))
def test_every_body_once_after_its_inner_body_and_every_joint_once(mechanism):
    linkages = find_linkages(mechanism)
    dynamic = {i for i, body in enumerate(mechanism.bodies) if body.motion == "dynamic"}
    placed = [body for linkage in linkages for body in linkage.bodies]
    assert sorted(placed) == sorted(dynamic)
    joints = [joint for linkage in linkages for joint in linkage.joint if joint is not None]
    assert sorted(joints) == list(range(len(mechanism.joints)))
    for linkage in linkages:
        for k, (body, inner, joint, flag) in enumerate(
            zip(linkage.bodies, linkage.inner, linkage.joint, linkage.reversed, strict=True)
        ):
            if inner in dynamic:
                assert inner in linkage.bodies[:k]
            if joint is None:
                assert inner is None
                continue
            ends = [mechanism.joints[joint].parent, mechanism.joints[joint].child]
            walked_ends = ends[::-1] if flag else ends
            assert walked_ends == [
                None if inner is None else mechanism.bodies[inner].name,
                mechanism.bodies[body].name,
            ]
