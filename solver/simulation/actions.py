# SPDX-License-Identifier: GPL-3.0-or-later
"""A mechanism as actions leave it, and as a run of it begins."""

import dataclasses
from collections.abc import Container, Sequence
from typing import NamedTuple

import numpy as np

from ..assembly.building import with_parts, without_parts
from ..mechanism import Action, Mechanism, MechanismError
from ..mechanism.constraints import Span
from ..model.linkage.compilation import Compiled
from ..model.moment import TIME_CONSTANT
from ..model.poses import body_pose
from .catching.holding import at_work
from .catching.one_sided import with_rope_lengths
from .options import Options


def changed(mechanism: Mechanism, actions: Sequence[Action]) -> Mechanism:
    """The mechanism after some actions, in their order; its own actions are left out. The given one stays as it is."""
    for action in actions:
        if action.add is not None:
            mechanism = with_parts(mechanism, action.add)
        elif action.remove is not None:
            poses = [body_pose(body) for body in mechanism.bodies]
            position, orientation = (np.array([pose[end] for pose in poses], float) for end in range(2))
            mechanism = without_parts(mechanism, action.remove, position, orientation)[0]
        elif action.target is None:
            mechanism = dataclasses.replace(mechanism, **action.values_for(mechanism))
        else:
            mechanism = _with_values(mechanism, action)
    return dataclasses.replace(mechanism, actions=[])


class Beginning(NamedTuple):
    """A mechanism as a run of it begins: with what is done at its very start, and by which linkages."""

    mechanism: Mechanism
    linkages: list[Compiled]
    to_come: list[Action]  # in their order


def beginning(mechanism: Mechanism, options: Options) -> Beginning:
    """Of a mechanism without problems. Raises MechanismError for what these options cannot do."""
    actions = sorted(mechanism.actions, key=lambda action: action.time)
    at_start = at_the_start(mechanism, [action for action in actions if action.time <= 0.0])
    at_start = with_rope_lengths(at_start)
    to_come = [action for action in actions if action.time > 0.0]
    if any({"collides", "contact"} & set(action.set or ()) for action in to_come):
        options.compile_all(at_work(_all_touching(at_start, to_come)))  # which refuses what cannot touch
    return Beginning(at_start, options.compile_all(at_work(at_start)), to_come)


def _all_touching(mechanism: Mechanism, actions: Sequence[Action]) -> Mechanism:
    """A mechanism in which all bodies touch that ever do, by some actions."""
    later = changed(mechanism, [action for action in actions if action.target is None and action.set is not None])
    contact = next((each.contact for each in (later, mechanism) if each.contact is not None), None)
    if contact is None:
        return mechanism
    bodies = [dataclasses.replace(body, collides=True) for body in mechanism.bodies]
    return dataclasses.replace(mechanism, bodies=bodies, contact=dataclasses.replace(contact, enabled=True))


def at_the_start(mechanism: Mechanism, actions: Sequence[Action]) -> Mechanism:
    """The same of actions at the very start, where what is moved begins on its way."""
    told = changed(mechanism, actions)
    moved = moved_parts(mechanism, told)
    constraints = [
        dataclasses.replace(each, tau=TIME_CONSTANT) if each.name in moved and each.tau is None else each
        for each in told.constraints
    ]
    return dataclasses.replace(told, constraints=constraints)


def _with_values(mechanism: Mechanism, action: Action) -> Mechanism:
    """The values of an action are a joint's, constraint's or force's, or if none has the name, a body's."""
    for kind in ("joints", "constraints", "forces", "bodies"):
        parts = getattr(mechanism, kind)
        k = next((k for k, part in enumerate(parts) if part.name == action.target), None)
        if k is not None:
            changed_part = dataclasses.replace(parts[k], **action.values_for(parts[k]))
            return dataclasses.replace(mechanism, **{kind: [*parts[:k], changed_part, *parts[k + 1 :]]})
    return mechanism


def moved_parts(before: Mechanism, after: Mechanism) -> set[str]:
    """The names of the constraints that hold elsewhere."""
    return {
        new.name
        for old, new in zip(before.constraints, after.constraints, strict=False)
        if old is not new and any(getattr(old, name) != getattr(new, name) for name in new.GEOMETRY)
    }


def with_own_lengths(before: Mechanism, after: Mechanism, moved: Container[str]) -> Mechanism:
    """Rods that hold already and are moved keep the length that they have."""
    constraints = list(after.constraints)
    for k, old in enumerate(before.constraints):
        if old.name in moved and isinstance(old, Span) and old.enabled and constraints[k].given_length is None:
            constraints[k] = dataclasses.replace(constraints[k], **{old.LENGTH: old.drawn_length})
    return dataclasses.replace(after, constraints=constraints)


def linkages_when_parted(mechanism: Mechanism, options: Options) -> list[Compiled]:
    """Those that there are once surfaces no longer ride on each other, if any do now."""
    riding = [joint for joint in mechanism.joints if joint.type == "contact" and joint.enabled]
    if not riding:
        return []
    try:
        return options.compile_all(changed(mechanism, [Action(0.0, each.name, {"enabled": False}) for each in riding]))
    except MechanismError:
        return []  # it will be said when it comes to that
