# SPDX-License-Identifier: GPL-3.0-or-later
"""Limits of the quasi-static integrator: what is nothing without speeds, or depends on how it came about."""

from ...mechanism import Mechanism
from ...mechanism.constraints import Constraint
from ...mechanism.error import refuse
from ...mechanism.forces import Steering, Support, Tyre
from ...mechanism.joints import Joint
from ...mechanism.messages import Message
from ...mechanism.table import Number, Table
from ...model.topology import Linkage

_FRICTION = "dry friction, which holds wherever what it holds has come to", "set friction to 0"


def refuse_what_moves(mechanism: Mechanism, linkage: Linkage) -> None:
    """Raises MechanismError for what has no equilibrium of its own."""
    found: list[tuple[str, str, tuple[str, str]]] = []
    for number in dict.fromkeys(j for j in (*linkage.joint, *linkage.closing) if j is not None):
        joint = mechanism.joints[number]
        found += [("joint", joint.name, what) for what in _of_joint(joint)]
    for force in (mechanism.forces[i] for i in linkage.forces):
        if isinstance(force, Support) and (_is_ever(force.friction) or _is_ever(force.static_friction)):
            found.append(("force", force.name, _FRICTION))
        if isinstance(force, Tyre):
            found.append(("force", force.name, ("tyres, which grip by their slip", "take supports")))
        if isinstance(force, Steering):
            found.append(("force", force.name, ("a rider, who steers by speed", "disable it")))
    for body in (mechanism.bodies[i] for i in linkage.bodies):
        if body.follow is not None:
            found.append(("body", body.name, ("what follows its keys by forces", "set its motion to keyed")))
    for constraint in (each for each in mechanism.constraints if each.enabled):
        found += [("constraint", constraint.name, what) for what in _of_constraint(constraint)]
    refuse(Message("by-quasi-static", (kind, name), what=what, remedy=remedy) for kind, name, (what, remedy) in found)


def _of_joint(joint: Joint) -> list[tuple[str, str]]:
    found = []
    if any(friction != 0.0 for friction in (*(joint.friction or ()), *(joint.static_friction or ()))):
        found.append(_FRICTION)
    if joint.motor and any(motor and motor.mode == "speed" for motor in joint.motors):
        found.append(("a speed motor, which never comes to rest", "take a keyed one, or one with a position"))
    if joint.type == "contact":
        found.append(("surfaces that ride on each other", "disable it"))
    if joint.tau is not None:
        found.append(("what is drawn together", "set tau to none, with its ends together"))
    return found


def _of_constraint(constraint: Constraint) -> list[tuple[str, str]]:
    found = []
    if getattr(constraint, "slack", False):
        found.append(("ropes that go slack", "take a rubber that is stiff, or set slack to false"))
    if constraint.tau is not None:
        found.append(("what is drawn together", "set tau to none, with its ends together"))
    return found


def _is_ever(number: Number | bool | None) -> bool:
    """True if a number is not zero, or not always."""
    return any(number.values) if isinstance(number, Table) else bool(number)
