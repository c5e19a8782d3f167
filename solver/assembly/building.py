# SPDX-License-Identifier: GPL-3.0-or-later
"""Parts that are put in on the way, or taken out.

Whoever puts a part in tells where it is at that moment. The description of a mechanism tells of all places as they are
at zero coordinates, so points and frames are carried there along with their bodies. The two sides of a joint may come
apart by that, if its bodies have moved to each other: then each body has its own (`Joint.child_side`).
"""

import dataclasses
import functools
from collections.abc import Iterable

import numpy as np

from ..mechanism import Addition, Body, Constraint, Force, Joint, Mechanism
from ..mechanism.constraints import Coupling, Curve, FrameConstraint
from ..mechanism.error import refuse
from ..mechanism.messages import Message
from ..mechanism.table import mapped
from ..model.poses import body_pose
from ..model.topology import constraint_bodies, force_bodies
from . import rotations

KINDS = "bodies", "joints", "constraints", "forces"


def with_parts(mechanism: Mechanism, addition: Addition) -> Mechanism:
    """The mechanism with some more parts, behind all others of their kinds."""
    return dataclasses.replace(
        mechanism, **{kind: [*getattr(mechanism, kind), *getattr(addition, kind)] for kind in KINDS}
    )


def with_all_parts(mechanism: Mechanism) -> Mechanism:
    """The mechanism with all that its actions put in, in the order in which a recording has it; the actions stay."""
    for action in sorted(mechanism.actions, key=lambda action: action.time):
        if action.add is not None:
            mechanism = with_parts(mechanism, action.add)
    return mechanism


def with_actions_as_drawn(
    mechanism: Mechanism, times: np.ndarray, position: np.ndarray, orientation: np.ndarray
) -> Mechanism:
    """The same with actions that put parts in where these would be if all bodies were at zero coordinates.

    times (F,) s, position (F, B, 3), orientation (F, B, 4): of a recording, whose frame nearest to an action counts.
    """
    actions, present = [], mechanism
    for action in sorted(mechanism.actions, key=lambda action: action.time):
        if action.add is not None and action.time > 0.0:
            present = with_parts(present, action.add)
            frame, bodies = int(np.abs(times - action.time).argmin()), slice(len(present.bodies))
            now = position[frame, bodies], orientation[frame, bodies]
            action = dataclasses.replace(action, add=drawn_at_start(present, action.add, *now))
        actions.append(action)
    return dataclasses.replace(mechanism, actions=actions)


def idle(addition: Addition) -> Addition:
    """The same parts as they are before they are put in: they stand where they are, and do nothing."""
    bodies = [body if body.motion == "keyed" else _still(body, *body_pose(body)) for body in addition.bodies]
    others = {
        kind: [dataclasses.replace(part, enabled=False) for part in getattr(addition, kind)] for kind in KINDS[1:]
    }
    return dataclasses.replace(addition, bodies=bodies, **others)


def bodies_of(mechanism: Mechanism, parts: Iterable[Joint | Constraint | Force]) -> set[str]:
    """The names of the bodies that joints, constraints and forces of the mechanism are at."""
    names: set[str | None] = set()
    for part in parts:
        if isinstance(part, Joint):
            names |= {part.parent, part.child}
        elif isinstance(part, Force):
            names.update(force_bodies(part))
        else:
            names.update(constraint_bodies(mechanism, part))
    return names - {None}


def without_parts(
    mechanism: Mechanism, names: Iterable[str], position: np.ndarray, orientation: np.ndarray
) -> tuple[Mechanism, set[str], list[int]]:
    """The mechanism without the parts of these names and what is fastened to them.

    Returns it with the names of all that is out, and the places of the bodies among that.

    position (B, 3), orientation (B, 4): of all bodies at present, where those that are taken out stay.
    """
    names = set(names)
    found = [part for part in (*mechanism.joints, *mechanism.constraints, *mechanism.forces) if part.name in names]
    bodies = {body.name for body in mechanism.bodies if body.name in names} - {part.name for part in found}
    out = {id(part) for part in found}
    for part in (*mechanism.joints, *mechanism.constraints, *mechanism.forces):
        if not bodies.isdisjoint(bodies_of(mechanism, [part])) and not isinstance(part, Coupling):
            out.add(id(part))
    lists = {
        kind: [dataclasses.replace(p, enabled=False) if id(p) in out else p for p in getattr(mechanism, kind)]
        for kind in KINDS[1:]
    }
    lists["bodies"] = [
        _still(body, position[i], orientation[i]) if body.name in bodies else body
        for i, body in enumerate(mechanism.bodies)
    ]
    changed = {p.name for kind in KINDS[1:] for p in getattr(mechanism, kind) if id(p) in out}
    places = [i for i, body in enumerate(mechanism.bodies) if body.name in bodies]
    return dataclasses.replace(mechanism, **lists), changed | bodies, places


def _still(body: Body, position, orientation) -> Body:
    """A body that is only there to be seen."""
    return Body(name=body.name, motion="fixed", position=tuple(position), orientation=tuple(orientation))


def drawn_at_start(mechanism: Mechanism, addition: Addition, position: np.ndarray, orientation: np.ndarray) -> Addition:
    """The same parts with points and frames as they would be if all bodies were at zero coordinates.

    mechanism: with the addition's bodies. position (B, 3), orientation (B, 4): of its bodies at present.
    """
    back = _Back(mechanism, position, orientation)
    return dataclasses.replace(
        addition,
        joints=[_joint(joint, back) for joint in addition.joints],
        constraints=[_constraint(part, back) for part in addition.constraints],
        forces=[_force(force, back) for force in addition.forces],
    )


class _Back:
    """Carries points and orientations of the present world along with a body to where that is at zero coordinates."""

    def __init__(self, mechanism: Mechanism, position: np.ndarray, orientation: np.ndarray) -> None:
        self._bodies = {body.name: (i, body) for i, body in enumerate(mechanism.bodies)}
        self._position, self._orientation = position, orientation

    def _turn(self, name: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(turn (4,) back, place (3,) at zero coordinates, present place (3,))."""
        i, body = self._bodies[name]
        place, unturned = body_pose(body)
        turn = rotations.multiply(np.array(unturned, float), rotations.conjugate(self._orientation[i]))
        return rotations.normalized(turn), np.array(place, float), self._position[i]

    def point(self, name: str | None, point) -> np.ndarray:
        if name is None:
            return np.array(point, float)
        turn, place, present = self._turn(name)
        return place + rotations.rotate(turn, np.array(point, float) - present)

    def orientation(self, name: str | None, orientation) -> np.ndarray:
        if name is None:
            return np.array(orientation, float)
        return rotations.normalized(rotations.multiply(self._turn(name)[0], np.array(orientation, float)))


def _joint(joint: Joint, back: _Back) -> Joint:
    parent, child = (
        (tuple(back.point(name, joint.position)), tuple(back.orientation(name, joint.orientation)))
        for name in (joint.parent, joint.child)
    )
    other = None if child == parent else child
    return dataclasses.replace(joint, position=parent[0], orientation=parent[1], child_side=other)


def _constraint(part: Constraint, back: _Back) -> Constraint:
    if isinstance(part, FrameConstraint):
        sides = [
            (back.point(name, place), back.orientation(name, turn))
            for name, (place, turn) in zip(part.held_bodies, part.sides, strict=True)
        ]
        return part.with_sides(*sides)
    if isinstance(part, Curve):
        return part.carried(back.point, back.orientation)
    ends = zip(part.end_bodies, part.end_points, strict=False)
    return part.with_end_points([back.point(name, point) for name, point in ends])


def _force(force: Force, back: _Back) -> Force:
    moved = {}
    for key, body in (("point", "body"), ("point_a", "body_a"), ("point_b", "body_b")):
        if hasattr(force, key):
            moved[key] = mapped(getattr(force, key), functools.partial(back.point, getattr(force, body)))
    if hasattr(force, "orientation"):
        moved["orientation"] = mapped(force.orientation, lambda q: back.orientation(force.body, q))
    return dataclasses.replace(force, **moved)


def refuse_taken_out(names: Iterable[str], gone: Iterable[str]) -> None:
    """Raises MechanismError for what is to change although it was taken out."""
    refuse(Message("taken-out", ("part", name)) for name in sorted(set(names) & set(gone)))
