# SPDX-License-Identifier: GPL-3.0-or-later
"""Which bodies make a linkage, which joint leads inwards, where loops are opened, and what holds nothing."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings

from solver import Mechanism, MechanismError
from solver.mechanism import Body, Damping, Distance, Joint, Keys, Nail, Spring
from solver.model.topology import constraint_bodies, find_linkages
from tests.solver.assembly.random_ties import tied_mechanisms
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
    ("bodies", "joints", "expected", "closing"),
    [
        ("a b c", "a-b b-c c-a", [">a", "a>b", "b>c"], ["c-a"]),
        ("a b", "a-b b-a", [">a", "a>b"], ["b-a"]),
        ("a b", "-a a-b -b", [">a", "a>b"], ["-b"]),
        ("a b", "-b a-b -a", [">b", "b<a"], ["-a"]),
        ("a F1 K1", "F1-a a-K1", ["F1>a"], ["a-K1"]),
        ("a b c", "-a a-b b-c c-a -c", [">a", "a>b", "b>c"], ["c-a", "-c"]),
        ("a b c d", "a-b c-d b-c d-a", [">a", "a>b", "b>c", "c>d"], ["d-a"]),
    ],
)
def test_loops_are_opened_at_the_joint_that_the_walk_comes_to_last(bodies, joints, expected, closing):
    mechanism = build(bodies, joints)
    (linkage,) = find_linkages(mechanism)
    assert walked(mechanism) == [expected]
    assert linkage.whole == len(linkage.bodies)
    assert [mechanism.joints[j].name for j in linkage.closing] == closing


def test_a_joint_with_efforts_stays_in_the_tree_and_cuts_its_body():
    mechanism = build("a b c", "-a a-b b-c c-a")
    mechanism.joints[3].damping = [1.0]
    (linkage,) = find_linkages(mechanism)
    assert walked(mechanism) == [[">a", "a>b", "b>c", "c>a"]]
    assert linkage.whole == 3
    assert linkage.closing == []


@pytest.mark.parametrize(
    ("bodies", "joints", "named"),
    [
        ("F1 K1", "F1-K1", "joint 'F1-K1': neither 'F1' nor 'K1' is dynamic"),
        ("F1", "-F1", "joint '-F1': neither 'the world' nor 'F1' is dynamic"),
    ],
)
def test_a_joint_that_moves_nothing_is_named(bodies, joints, named):
    with pytest.raises(MechanismError) as error:
        find_linkages(build(bodies, joints))
    (problem,) = error.value.problems
    assert problem.startswith(named)


def test_a_constraint_that_holds_nothing_is_named():
    mechanism = build("F1 K1 a", "-a")
    ends = {"point_a": (0, 0, 0), "point_b": (1, 0, 0)}
    mechanism.constraints = [Nail("nail", body="F1", point=(0, 0, 0))]
    mechanism.constraints += [Distance("rod", body_a="F1", body_b="K1", **ends)]
    mechanism.constraints += [Distance("tie", body_a="F1", body_b="a", **ends)]
    mechanism.constraints += [Nail("idle", body="F1", point=(0, 0, 0), enabled=False)]
    with pytest.raises(MechanismError) as error:
        find_linkages(mechanism)
    nail, rod = error.value.problems
    assert nail.startswith("constraint 'nail': body 'F1' is not dynamic")
    assert rod.startswith("constraint 'rod': neither 'F1' nor 'K1' is dynamic")


def test_constraints_between_two_dynamic_bodies_make_one_linkage():
    ends = {"point_a": (0, 0, 0), "point_b": (1, 0, 0)}
    tied = build("a b c", "")
    tied.constraints = [Distance("rod", body_a="c", body_b="a", **ends), Nail("nail", body="b", point=(0, 0, 0))]
    assert walked(tied) == [[">a", ">c"], [">b"]]
    assert [linkage.constraints for linkage in find_linkages(tied)] == [[0], [1]]
    tied.constraints[0].enabled = False
    assert walked(tied) == [[">a"], [">b"], [">c"]]


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


@settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
@given(tied_mechanisms())
def test_loops_and_constraints_are_all_in_their_linkages_once(mechanism):
    linkages = find_linkages(mechanism)
    whole = [body for linkage in linkages for body in linkage.bodies[: linkage.whole]]
    assert sorted(whole) == [i for i, body in enumerate(mechanism.bodies) if body.motion == "dynamic"]
    joints = [joint for linkage in linkages for joint in linkage.joint if joint is not None]
    joints += [joint for linkage in linkages for joint in linkage.closing]
    assert sorted(joints) == list(range(len(mechanism.joints)))
    constraints = [constraint for linkage in linkages for constraint in linkage.constraints]
    assert sorted(constraints) == [i for i, constraint in enumerate(mechanism.constraints) if constraint.enabled]
    for linkage in linkages:
        held = set(linkage.bodies[: linkage.whole])
        assert set(linkage.bodies[linkage.whole :]) <= held
        ends = [(mechanism.joints[j].parent, mechanism.joints[j].child) for j in linkage.closing]
        ends += [tuple(constraint_bodies(mechanism, mechanism.constraints[c])) for c in linkage.constraints]
        for pair in ends:
            names = [mechanism.bodies[i].name for i in held]
            moved = [n for n in pair if n is not None and _motion(mechanism, n) == "dynamic"]
            assert moved
            assert set(moved) <= set(names)


def _motion(mechanism: Mechanism, name: str) -> str:
    return next(body.motion for body in mechanism.bodies if body.name == name)
