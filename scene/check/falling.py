# SPDX-License-Identifier: GPL-3.0-or-later
"""Linkages that fall for ever: they have weight, contact is off, and nothing that stands holds them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np
from mathutils import Vector

from ...solver.mechanism import Gravity, Mechanism, Orientation, Table
from ...solver.mechanism.constraints import FrameConstraint
from ...solver.model.topology import constraint_bodies, force_bodies
from ..findings import HOLD, TURN_CONTACT_ON, Finding
from ..read.reading import BodyBinding, Reading
from ..read.stepped import collides_ever, contact_ever, ground_ever

MOST_NAMED = 4
MOST_LINKAGES = 5
"""More linkages than these are not named each on a line of its own."""


def notes_on_falling(reading: Reading) -> list[Finding]:
    """Facts on what falls for ever without contact: all in one, then each linkage with a body to hold.

    With contact, on what could lie on nothing: it does not collide, or nothing else that stays does. Contact in which
    no two take part is a finding of its own (`contact_advice`).
    """
    falling = list(_falling(reading))
    if contact_ever(reading.scene):
        partners = sum(collides_ever(binding.object) for binding in reading.bodies)
        if not partners or partners + ground_ever(reading.scene) < 2:
            return []
        return [_on_nothing_to_lie_on(bodies) for bodies in falling if not _may_lie(bodies, falling, reading)]
    if not falling:
        return []
    linkages = [bodies for bodies in falling if len(bodies) > 1]
    return [_on_contact([_largest(bodies) for bodies in falling]), *map(_on_linkage, linkages[:MOST_LINKAGES])]


def _on_contact(largest: Sequence[BodyBinding]) -> Finding:
    """`largest`: one body of each linkage that falls."""
    one = len(largest) == 1
    whom = "it" if one else "them"
    return Finding(
        None,
        f"nothing holds {_names(largest)}, and Contact is off, so {'it falls' if one else 'they fall'} for ever: turn "
        f"Contact on, or join {whom} to the world or to a Fixed body",
        is_fact=True,
        cure=TURN_CONTACT_ON,
    )


def _on_linkage(bodies: Sequence[BodyBinding]) -> Finding:
    held = _largest(bodies)
    others = [binding for binding in bodies if binding is not held]
    return Finding(
        held.object,
        f"falls for ever, and with it {_names(others)}: nothing holds this linkage, and Contact is off. Hold This One "
        "makes it Fixed; or join one of them to the world",
        cure="" if held.ancestor else HOLD,
    )


def _may_lie(bodies: Sequence[BodyBinding], falling: Sequence[list[BodyBinding]], reading: Reading) -> bool:
    """True if bodies that nothing holds may come to lie on the ground, or on something that does not fall with them."""
    if not any(collides_ever(binding.object) for binding in bodies):
        return False
    lost = {binding.body.name for each in falling for binding in each}
    beside = (binding for binding in reading.bodies if binding.body.name not in lost)
    return ground_ever(reading.scene) or any(collides_ever(binding.object) for binding in beside)


def _on_nothing_to_lie_on(bodies: Sequence[BodyBinding]) -> Finding:
    held, one = _largest(bodies), len(bodies) == 1
    more = "" if one else f", and with it {_names([binding for binding in bodies if binding is not held])}"
    return Finding(
        held.object,
        f"falls for ever{more}: nothing holds it, and it lies on nothing. Join it to the world or to a Fixed body, "
        "turn its Collide on, or the Ground",
        is_fact=True,
        cure="" if held.ancestor else HOLD,
    )


def _largest(bodies: Sequence[BodyBinding]) -> BodyBinding:
    """The body to hold: the largest of those that hang (in Blender's sense) on no body that falls."""
    if len(bodies) == 1:
        return bodies[0]
    return max(bodies, key=lambda binding: (binding.ancestor is None, Vector(binding.object.dimensions).length))


def _names(bodies: Sequence[BodyBinding]) -> str:
    more = len(bodies) - MOST_NAMED
    return ", ".join(binding.object.name for binding in bodies[:MOST_NAMED]) + (f" and {more} more" if more > 0 else "")


def _falling(reading: Reading) -> Iterator[list[BodyBinding]]:
    """The bodies of each linkage that falls."""
    mechanism = reading.mechanism
    moved = {binding.body.name: binding for binding in reading.bodies if binding.body.motion == "dynamic"}
    neighbours, held = defaultdict(list), set()
    for ends in _ends(mechanism):
        inside = [name for name in dict.fromkeys(ends) if name in moved]
        if any(name not in moved for name in ends):
            held.update(inside)
        for a, b in pairwise(inside):
            neighbours[a].append(b)
            neighbours[b].append(a)
    own_gravity = {force.body: force for force in mechanism.forces if isinstance(force, Gravity)}
    seen: set[str] = set()
    for name in moved:
        if name not in seen:
            together = _reached(name, neighbours, seen)
            if held.isdisjoint(together) and _has_weight(together, moved, own_gravity, mechanism.gravity):
                yield [moved[each] for each in together]


def _ends(mechanism: Mechanism) -> Iterator[list[str | None]]:
    """Of all that can hold bodies: the names of those at its ends, None for the world and what pushes off it.

    What is switched off counts too, because it is only read where something switches it on.
    """
    for joint in mechanism.joints:
        yield [joint.parent, joint.child]
    for constraint in mechanism.constraints:
        only_turns = isinstance(constraint, FrameConstraint) and not constraint.locked_travels
        if not isinstance(constraint, Orientation) and not only_turns:
            names = constraint_bodies(mechanism, constraint)
            yield names if len(names) > 1 else [*names, None]
    for force in mechanism.forces:
        if force.may_carry:
            names = force_bodies(force)
            yield names if len(names) > 1 else [*names, None]


def _reached(start: str, neighbours: dict[str, list[str]], seen: set[str]) -> list[str]:
    found = [start]
    seen.add(start)
    for name in found:
        for other in neighbours.get(name, ()):
            if other not in seen:
                seen.add(other)
                found.append(other)
    return found


def _has_weight(
    names: Sequence[str], moved: dict[str, BodyBinding], own: dict[str, Gravity], gravity: Sequence[float]
) -> bool:
    """True if gravity draws the bodies down all together; with a gravity that is animated nobody knows."""
    if any(isinstance(x, Table) for x in gravity):
        return False
    pull = np.zeros(3)
    for name in names:
        acceleration = own[name].acceleration if name in own else gravity
        if any(isinstance(x, Table) for x in acceleration):
            return False
        pull += moved[name].body.mass * np.array(acceleration)
    down = np.array(gravity) if any(gravity) else pull
    return float(pull @ down) > 0.0
