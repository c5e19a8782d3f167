# SPDX-License-Identifier: GPL-3.0-or-later
"""Limits of the quasi-static integrator: what is nothing without speeds, or depends on how it came about."""

from ...mechanism import Mechanism
from ...mechanism.constraints import Constraint
from ...mechanism.error import refuse
from ...mechanism.forces import Steering
from ...mechanism.joints import Joint
from ...mechanism.messages import Message
from ...model.topology import Linkage
from ..motion.refused import DRAWN_TOGETHER, of_body, of_force, of_joint

_FRICTION = "dry friction, which holds wherever what it holds has come to", "set friction to 0"


def refuse_what_moves(mechanism: Mechanism, linkage: Linkage) -> None:
    """Raises MechanismError for what has no equilibrium of its own."""
    found: list[tuple[str, str, tuple[str, str]]] = []
    for number in dict.fromkeys(j for j in (*linkage.joint, *linkage.closing) if j is not None):
        joint = mechanism.joints[number]
        found += [("joint", joint.name, what) for what in _of_joint(joint)]
    for force in (mechanism.forces[i] for i in linkage.forces):
        found += [("force", force.name, what) for what in of_force(force, _FRICTION)]
        if isinstance(force, Steering):
            found.append(("force", force.name, ("a rider, who steers by speed", "disable it")))
    for body in (mechanism.bodies[i] for i in linkage.bodies):
        found += [("body", body.name, what) for what in of_body(body)]
    for constraint in (each for each in mechanism.constraints if each.enabled):
        found += [("constraint", constraint.name, what) for what in _of_constraint(constraint)]
    refuse(Message("by-quasi-static", (kind, name), what=what, remedy=remedy) for kind, name, (what, remedy) in found)


def _of_joint(joint: Joint) -> list[tuple[str, str]]:
    found = list(of_joint(joint, _FRICTION))
    if joint.motor and any(motor and motor.mode == "speed" for motor in joint.motors):
        found.append(("a speed motor, which never comes to rest", "take a keyed one, or one with a position"))
    return found


def _of_constraint(constraint: Constraint) -> list[tuple[str, str]]:
    found = []
    if getattr(constraint, "slack", False):
        found.append(("ropes that go slack", "take a rubber that is stiff, or set slack to false"))
    if constraint.tau is not None:
        found.append(DRAWN_TOGETHER)
    return found
