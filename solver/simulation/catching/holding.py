# SPDX-License-Identifier: GPL-3.0-or-later
"""The parts of a mechanism that hold while some are drawn together and some wait until their ends come near."""

import dataclasses
from collections.abc import Container

from ...mechanism import Mechanism
from ...mechanism.constraints import Constraint, Coupling, Curve, Span
from ...mechanism.forces import Approach
from ...mechanism.joints import CaughtJoint, Joint
from ...model.topology import counted_joints
from .gaps import gap_of, is_one_sided
from .one_sided import begins_loose

NOT_DRAWN = "screw", "contact"  # types of joints that are not


def waits_at_start(mechanism: Mechanism) -> set[str]:
    """The names of constraints that are enabled and do not hold yet: their ends may be apart, or they are open."""
    waiting = (each for each in mechanism.constraints if each.enabled and each.within is not None)
    names = {each.name for each in waiting if each.end_points[0] != each.end_points[1]}
    one_sided = (each for each in mechanism.constraints if each.enabled and is_one_sided(each))
    return names | {each.name for each in one_sided if begins_loose(mechanism, each)}


def working(
    mechanism: Mechanism, drawn: Container[str] = (), waiting: Container[str] = (), firm: Container[str] = ()
) -> Mechanism:
    """The mechanism as it works while some parts are drawn together, and some wait until their ends come near.

    Those that are `firm` need not keep to a largest force any more. Each part that may wait has a force before all
    others, which tells when that is.
    """
    joints = [_on_its_way(_without_limit(joint, firm), drawn, waiting) for joint in mechanism.joints]
    constraints = [
        _idle(each) if each.name in waiting else _without_limit(each, firm) for each in mechanism.constraints
    ]
    parts = [part for part in (*mechanism.joints, *mechanism.constraints) if part.within is not None]
    forces = [_approach(part, part.name in waiting) for part in parts]
    tied = (each for each in mechanism.constraints if is_one_sided(each) and not isinstance(each, Coupling))
    forces += [tie for each in tied for tie in _ties(mechanism, each, each.name in waiting)]
    return dataclasses.replace(mechanism, joints=joints, constraints=constraints, forces=[*forces, *mechanism.forces])


def at_work(mechanism: Mechanism) -> Mechanism:
    """The same at its start."""
    return working(mechanism, waiting=waits_at_start(mechanism))


def _idle(part: Constraint) -> Constraint:
    """A constraint that waits; gears and racks stay in their linkage, whose joints keep their coordinates."""
    is_loose = isinstance(part, Coupling) and part.enabled
    return dataclasses.replace(part, side=0.0) if is_loose else dataclasses.replace(part, enabled=False)


def _without_limit(part: Joint | Constraint, firm: Container[str]) -> Joint | Constraint:
    return dataclasses.replace(part, force=None) if part.name in firm else part


def _on_its_way(joint: Joint, drawn: Container[str], waiting: Container[str]) -> Joint:
    if joint.name in waiting:
        return dataclasses.replace(joint, enabled=False)
    return CaughtJoint.of(joint) if joint.name in drawn and joint.type not in NOT_DRAWN else joint


def _approach(part: Joint | Constraint, enabled: bool) -> Approach:
    if isinstance(part, Joint):
        ends = {"body_a": part.child, "body_b": part.parent, "point_a": part.position, "point_b": part.position}
        if part.child == part.parent:
            ends["body_b"] = None
    else:
        ends = {name: getattr(part, name) for name in ("body_a", "body_b", "point_a", "point_b")}
    return Approach(name=part.name, stiffness=0.0, rest_length=part.within, enabled=enabled, **ends)


def _ties(mechanism: Mechanism, part: Span | Curve, enabled: bool) -> list[Approach]:
    """Forces without strength that make one linkage of all that something one-sided holds when it does."""
    ends = [*gap_of(part).ends, *((drum.child, drum.position) for drum in counted_joints(mechanism, part))]
    moving = {body.name for body in mechanism.bodies if body.motion == "dynamic"}
    ends.sort(key=lambda end: end[0] not in moving)
    first, others = ends[0], [end for end in ends[1:] if end[0] is not None] or ends[1:2]
    exert = {"stiffness": 0.0, "rest_length": 0.0, "enabled": enabled}
    ties = {name: point for name, point in others if name != first[0]}
    return [
        Approach(name=part.name, body_a=first[0], point_a=first[1], body_b=name, point_b=point, **exert)
        for name, point in ties.items()
    ]
