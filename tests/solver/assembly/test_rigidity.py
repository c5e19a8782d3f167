# SPDX-License-Identifier: GPL-3.0-or-later
"""Linkages that are stretched: what is found to be locked cannot be moved by a second method, and what is not, can."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from solver import Mechanism
from solver.assembly.bring_together import Assembly
from solver.assembly.gauss_newton import Solver
from solver.assembly.rigidity import closed_part, locked_parts, note_on_locked
from solver.mechanism import Body, Distance, Joint, Nail

REFERENCE = Path(__file__).resolve().parents[2] / "reference"
ABOUT_Y = (np.sqrt(0.5), -np.sqrt(0.5), 0.0, 0.0)  # z to y


def bar(name: str, start, end) -> Body:
    """A thin bar of 1 kg between two points of the xz plane, its x along it."""
    start, end = np.array(start, float), np.array(end, float)
    span = end - start
    length, angle = np.linalg.norm(span), -np.arctan2(span[2], span[0])
    inertia = (1e-3, length**2 / 12.0, length**2 / 12.0)
    turn = (np.cos(0.5 * angle), 0.0, np.sin(0.5 * angle), 0.0)
    return Body(name, mass=1.0, inertia=inertia, position=0.5 * (start + end), orientation=turn)


def polygon(points, kind: str = "revolute", name: str = "") -> Mechanism:
    """Bars from point to point, hinged about y to each other and at both ends to the world."""
    bars = [bar(f"{name}{k}", a, b) for k, (a, b) in enumerate(pairwise(points))]
    holders = [None, *(each.name for each in bars), None]
    pairs = list(zip(holders[:-1], holders[1:], points, strict=True))
    joints = [
        Joint(f"{name}j{k}", kind, *((a, b) if b is not None else (b, a)), point, ABOUT_Y)
        for k, (a, b, point) in enumerate(pairs)
    ]
    return Mechanism(bodies=bars, joints=joints)


def line(count: int, slack: float = 0.0) -> list:
    """Points along x, `count` pieces of 1 m, in a V for some slack (m)."""
    half = 0.5 * count
    sag = np.sqrt(half**2 - (half - 0.5 * slack) ** 2)
    share = np.linspace(0.0, 1.0, count + 1)
    return [((count - slack) * s, 0.0, -sag * (1.0 - abs(2.0 * s - 1.0))) for s in share]


def largest_way(mechanism: Mechanism, sizes=(0.02, 0.1), seeds: int = 3) -> float:
    """rad: how far any body turns when the bodies are pushed at random and closed again, at the most."""
    assembly, largest, random = Assembly(mechanism), 0.0, np.random.default_rng(0)
    for linkage in assembly.linkages:
        part = closed_part(linkage, assembly.start)
        for size in sizes:
            for _ in range(seeds):
                push = size * random.normal(size=(len(part.moved), 6))
                solver = Solver(part, part.moved_by(assembly.start, push))
                for _ in solver.run():
                    pass
                if solver.error < 1e-9:
                    largest = max(largest, np.abs(part.way(assembly.start, solver.poses)[:, :3]).max())
    return largest


@pytest.mark.parametrize("kind", ["revolute", "spherical"])
@pytest.mark.parametrize("count", [2, 3, 12])
def test_a_chain_that_is_pulled_straight_is_locked(kind, count):
    mechanism = polygon(line(count), kind)
    (found,) = locked_parts(mechanism)
    assert {name for _, name in found.parts} == {joint.name for joint in mechanism.joints}
    assert largest_way(mechanism, sizes=(0.02,)) < 1e-3 or kind == "spherical", "bars may still turn about themselves"


@pytest.mark.parametrize("kind", ["revolute", "spherical"])
def test_a_chain_with_slack_is_not(kind):
    mechanism = polygon(line(12, 0.004), kind)
    assert locked_parts(mechanism) == []
    assert largest_way(mechanism) > 0.01


def test_a_drawing_that_is_off_by_its_last_digit_is_still_stretched():
    points = np.float32(np.array(line(12)) + 1e-7 * np.random.default_rng(1).normal(size=(13, 3)) * (1, 0, 1))
    assert len(locked_parts(polygon(points.tolist()))) == 1


def test_bars_in_line_that_can_go_on_in_two_ways_are_not_locked():
    """A parallelogram that lies flat: a branch, with an indefinite form."""
    points = [(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (3.0, 0.0, 0.0), (2.0, 0.0, 0.0)]
    mechanism = polygon(points)
    assert locked_parts(mechanism) == []
    assert largest_way(mechanism) > 0.01


def test_a_toggle_at_its_farthest_point_is_locked():
    """Crank and rod in line, and the slider nailed where they reach."""
    mechanism = polygon([(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (3.0, 0.0, 0.0)])
    mechanism.joints.pop()
    mechanism.constraints.append(Nail(name="nail", body="1", point=(3.0, 0.0, 0.0)))
    (found,) = locked_parts(mechanism)
    assert ("constraint", "nail") in found.parts


@pytest.mark.parametrize(
    ("anchor", "is_stretched"),
    [((0.0, 0.0, -2.0), True), ((0.0, 0.0, 1.0), True), ((0.0, 0.0, 0.0), False), ((1.0, 0.0, 1.0), False)],
)
def test_a_pendulum_whose_end_a_rod_holds(anchor, is_stretched):
    """Two circles: they touch from outside or inside, are one, or cross, where rows do not depend on each other."""
    mechanism = polygon([(0.0, 0.0, 0.0), (0.0, 0.0, -1.0)])
    mechanism.joints.pop()
    rod = Distance(name="rod", body_a="0", body_b=None, point_a=(0.0, 0.0, -1.0), point_b=anchor)
    mechanism.constraints.append(rod)
    found = locked_parts(mechanism)
    assert [set(each.parts) for each in found] == [{("joint", "j0"), ("constraint", "rod")}] * is_stretched
    assert (largest_way(mechanism, sizes=(0.02,)) > 1e-3) == (anchor == (0.0, 0.0, 0.0))


def test_two_taut_chains_in_one_linkage_are_both_named():
    """Side by side between the world and one bar, which they hold."""
    one, other = polygon(line(3), name="a"), polygon([(x, 1.0, z) for x, _, z in line(3)], name="b")
    bridge = Joint("bridge", "fixed", "a1", "b1", (1.5, 0.5, 0.0))
    mechanism = Mechanism(bodies=one.bodies + other.bodies, joints=[*one.joints, *other.joints, bridge])
    (found,) = locked_parts(mechanism)
    assert {name[0] for _, name in found.parts} >= {"a", "b"}


@pytest.mark.parametrize("path", sorted(REFERENCE.glob("*.json")), ids=lambda path: path.stem)
def test_nothing_that_moves_is_called_stretched(path):
    assert locked_parts(Mechanism.load(path)) == []


def test_the_sentence_names_parts_and_remedy():
    (found,) = locked_parts(polygon(line(12)))
    note = note_on_locked(found)
    assert note.startswith("joint 'j0', joint 'j1'")
    assert "and 8 more" in note
    assert "by about 0.004 m" in note
