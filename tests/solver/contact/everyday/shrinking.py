# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes a scene that fails smaller: leaves out what the failure does not need."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator

from solver import Mechanism
from solver.mechanism import Material

DIGITS = 3


def shrink(mechanism: Mechanism, fails: Callable[[Mechanism], bool]) -> Mechanism:
    """The same with fewer bodies, ties and forces, and simpler surfaces and numbers, as long as it fails."""
    again = True
    while again:
        again = False
        for smaller in _smaller(mechanism):
            if not smaller.problems() and smaller.bodies and fails(smaller):
                mechanism, again = smaller, True
                break
    for simpler in _simpler(mechanism):
        for change in simpler:
            candidate = copy.deepcopy(mechanism)
            change(candidate)
            if not candidate.problems() and fails(candidate):
                mechanism = candidate
    return mechanism


def _smaller(mechanism: Mechanism) -> Iterator[Mechanism]:
    for body in mechanism.bodies:
        yield _without(mechanism, {body.name})
    for name in ("constraints", "forces", "actions"):
        for k in range(len(getattr(mechanism, name))):
            smaller = copy.deepcopy(mechanism)
            del getattr(smaller, name)[k]
            yield smaller
    if mechanism.contact.ground is not None:
        smaller = copy.deepcopy(mechanism)
        smaller.contact.ground = None
        yield smaller


def _without(mechanism: Mechanism, gone: set[str]) -> Mechanism:
    """Without some bodies, and all that names them."""
    smaller = copy.deepcopy(mechanism)
    smaller.bodies = [body for body in smaller.bodies if body.name not in gone]
    smaller.joints = [joint for joint in smaller.joints if not {joint.parent, joint.child} & gone]
    joints = {joint.name for joint in smaller.joints}
    smaller.contact.ignore = [pair for pair in smaller.contact.ignore if not set(pair) & gone]
    for name in ("constraints", "forces"):
        setattr(smaller, name, [part for part in getattr(smaller, name) if _stays(part, gone, joints)])
    targets = joints | {part.name for part in (*smaller.constraints, *smaller.forces)}
    smaller.actions = [action for action in smaller.actions if action.target in targets]
    return smaller


def _stays(part, gone: set[str], joints: set[str]) -> bool:
    if hasattr(part, "joint_a"):
        return {part.joint_a, part.joint_b} <= joints
    return not {getattr(part, name, None) for name in ("body", "body_a", "body_b")} & gone


def _simpler(mechanism: Mechanism) -> Iterator[list[Callable[[Mechanism], None]]]:
    yield [lambda m, k=k: setattr(m.bodies[k], "material", Material(0.0, 0.0)) for k in range(len(mechanism.bodies))]
    yield [lambda m, k=k: _round(m.bodies[k]) for k in range(len(mechanism.bodies))]


def _round(body) -> None:
    """Positions and masses stay what they are to some digits; what then overlaps at the start no longer counts."""
    for name in ("linear_velocity", "angular_velocity"):
        if getattr(body, name) is not None:
            setattr(body, name, tuple(round(each, DIGITS) for each in getattr(body, name)))
    if body.material is not None:
        body.material = Material(round(body.material.friction, 2), round(body.material.restitution, 2))
