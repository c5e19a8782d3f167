# SPDX-License-Identifier: GPL-3.0-or-later
"""Six-bars for curves: they go round, draw what they say, and come closer than four-bars where a shape asks for it."""

from __future__ import annotations

import numpy as np

from solver.kinematics import Kinematics
from solver.kinematics.cycle import cycle_of
from solver.mechanism import Body, Joint, Mechanism
from solver.synthesis import Found, four_bars, search
from solver.synthesis.crank_rocker import closed_curve
from solver.synthesis.families import FAMILIES, SIX_BAR, Family
from solver.synthesis.four_bars import chamfer
from solver.synthesis.table import table

BRACKET = np.array(
    [(1.0, 0.8), (1.0, 1.0), (0.0, 1.0), (0.0, 0.0), (1.0, 0.0), (1.0, 0.2), (0.2, 0.2), (0.2, 0.8)]
)  # a C, which no four-bar draws


def searched(curve: np.ndarray, *families: Family) -> list[Found]:
    steps = search(curve, families=families)
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return end.value


def mechanism(found: Found) -> Mechanism:
    """Each bar with its frame at its first point and unturned; where bars meet, all hinge on the first or the world."""
    points, family = np.column_stack([found.points, np.zeros(len(found.points))]), found.family
    bodies = [
        Body(name, mass=1.0, inertia=(1.0,) * 3, position=tuple(points[of[0]]))
        for name, of in zip(family.labels, family.links, strict=True)
    ]
    joints = []
    for number, place in enumerate(points):
        meeting = [name for name, of in zip(family.labels, family.links, strict=True) if number in of]
        parent = None if number in family.ground else meeting.pop(0)
        joints += [Joint(f"{number} {name}", "revolute", parent, name, position=tuple(place)) for name in meeting]
    return Mechanism(bodies=bodies, joints=joints)


def test_all_of_the_table_reach_in_all_positions() -> None:
    """Lengths of the bars are those between pins at every angle, where pins were not brought in line."""
    linkages, _ = table(SIX_BAR)
    some = type(linkages)(*(each[:500] for each in linkages))
    angles = np.linspace(0.0, 2.0 * np.pi, 77)
    _, rocker, place, pin, _ = some.pins(angles)
    assert np.abs(np.abs(pin - place) / some.e[:, None] - 1.0).max() < 1e-12
    assert np.abs(np.abs(pin - some.pivot[:, None]) / some.f[:, None] - 1.0).max() < 1e-9
    assert np.abs(np.abs(rocker - 1.0) / some.c[:, None] - 1.0).max() < 1e-9
    assert some.slack.min() > 0.0


def test_they_come_closer_and_draw_what_they_say() -> None:
    """By the kinematics of the whole tool, which knows nothing of how they were found."""
    found = searched(BRACKET, SIX_BAR)
    assert found[0].chamfer < 0.75 * four_bars(BRACKET)[0].chamfer
    for each in found[:3]:
        cycle = cycle_of(Kinematics(mechanism(each), ["0 Crank"]), "0 Crank", 192)
        assert cycle.comes_round
        path = cycle.path("Drawing Link", np.append(each.points[7] - each.points[4], 0.0))
        assert chamfer(path[:-1, :2] @ (1.0, 1.0j), closed_curve(each.curve @ (1.0, 1.0j), 200)) < 2e-3
        assert 0.0 < each.transmission <= 0.5 * np.pi


def test_what_four_bars_draw_as_well_is_left_to_them() -> None:
    around = np.linspace(0.0, 2.0 * np.pi, 96, endpoint=False)
    best = searched(np.stack([2.0 * np.cos(around), np.sin(around)], axis=-1), *FAMILIES)[0]
    assert best.family.name == "four-bar"
    assert best.chamfer < 2e-3
