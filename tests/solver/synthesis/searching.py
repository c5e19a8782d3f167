# SPDX-License-Identifier: GPL-3.0-or-later
"""Linkages that were found, led through their drive by the kinematics of the whole tool, which knows not how."""

from __future__ import annotations

import numpy as np

from solver.kinematics import Kinematics
from solver.kinematics.cycle import Cycle, cycle_of
from solver.mechanism import Body, Joint, Mechanism
from solver.synthesis import Found, run, search
from solver.synthesis.families import Family


def searched(curve: np.ndarray, *families: Family, is_open: bool = False) -> list[Found]:
    return run(search(curve, families=families, is_open=is_open) if families else search(curve, is_open=is_open))


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
        if not meeting:
            continue
        parent = None if number in family.ground else meeting.pop(0)
        joints += [Joint(f"{number} {name}", "revolute", parent, name, position=tuple(place)) for name in meeting]
    for slide, rail in zip(family.slides, found.rails, strict=True):
        joints.append(
            Joint(
                f"{slide.point} slides", "prismatic", family.labels[slide.on] if slide.on >= 0 else None,
                family.labels[slide.block], position=tuple(points[slide.point]), orientation=_along(rail),
            )
        )  # fmt: skip
    return Mechanism(bodies=bodies, joints=joints)


def driven(found: Found, count: int = 192) -> tuple[Cycle, np.ndarray]:
    """The crank's whole turn, or its part of one, and what the last point draws, complex."""
    number = next(i for i, of in enumerate(found.family.links) if len(found.points) - 1 in of)
    start = found.points[found.family.links[number][0]]
    cycle = cycle_of(Kinematics(mechanism(found), ["0 Crank"]), "0 Crank", count, found.turn)
    path = cycle.path(found.family.labels[number], np.append(found.points[-1] - start, 0.0))
    return cycle, path[:, :2] @ (1.0, 1.0j)


def flat(points: np.ndarray) -> np.ndarray:
    return np.stack([points.real, points.imag], axis=-1)


def _along(rail: np.ndarray) -> tuple[float, float, float, float]:
    """(w, x, y, z): turns Z to the rail, in the plane."""
    x, y = rail / np.linalg.norm(rail)
    half = np.sqrt(0.5)
    return half, -half * y, half * x, 0.0
