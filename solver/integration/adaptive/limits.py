# SPDX-License-Identifier: GPL-3.0-or-later
"""Limits of the adaptive integrator: trees without modes, and forces that act at points of rigid parts."""

from ...dynamics.forces.laws import acts_at_center
from ...mechanism import Mechanism
from ...mechanism.error import refuse
from ...mechanism.forces import Gravity, Steering
from ...mechanism.joints import Joint
from ...mechanism.messages import Message
from ...model.parameters import KINDS
from ...model.topology import Linkage
from ..motion.refused import of_body, of_force, of_joint

_FRICTION = "dry friction", "set friction to 0 (damping may stay)"
_LOOP = "loops and constraints", "disable it"
_AT_CENTER = "what acts at the middle of each body", "take dampers of joints"


def refuse_what_is_no_smooth_tree(mechanism: Mechanism, linkage: Linkage) -> None:
    """Raises MechanismError for what closes loops, jumps, or acts at centres of mass."""
    joints, found = mechanism.joints, []
    closing = {*linkage.closing, *linkage.joint[linkage.whole :]}
    for number in dict.fromkeys(j for j in (*linkage.joint, *linkage.closing) if j is not None):
        found += [("joint", joints[number].name, what) for what in _of_joint(joints[number], number in closing)]
    for number in (*linkage.constraints, *linkage.within_backlash):
        found.append(("constraint", mechanism.constraints[number].name, _LOOP))
    for force in (mechanism.forces[i] for i in linkage.forces):
        found += [("force", force.name, what) for what in of_force(force, _FRICTION)]
        if isinstance(force, Steering):
            found.append(("force", force.name, ("a rider who steers", "disable it")))
        if type(force) in KINDS and acts_at_center(KINDS[type(force)]):
            found.append(("force", force.name, _AT_CENTER))
    names = {mechanism.bodies[i].name for i in linkage.bodies}
    for force in mechanism.forces:
        if isinstance(force, Gravity) and force.enabled and force.body in names:
            found.append(("force", force.name, ("gravity of single bodies", "disable it")))
    for body in (mechanism.bodies[i] for i in linkage.bodies):
        found += [("body", body.name, what) for what in of_body(body)]
    refuse(Message("by-adaptive", (kind, name), what=what, remedy=remedy) for kind, name, (what, remedy) in found)


def _of_joint(joint: Joint, is_closing: bool) -> list[tuple[str, str]]:
    found = [*([_LOOP] if is_closing else []), *of_joint(joint, _FRICTION)]
    soft = joint.stops or (None,) * joint.count
    hard = [c for c, stop in enumerate(soft) if stop is None and c not in joint.chart_coordinates]
    if joint.limits and any(joint.limits[c] is not None for c in hard):
        found.append(("limits", "take them away, or make them soft by stops"))
    if joint.motor and any(motor and motor.mode in ("speed", "keyed") for motor in joint.motors):
        found.append(("a motor that keeps a speed or is keyed", "take one with a position"))
    return found
