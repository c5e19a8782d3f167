# SPDX-License-Identifier: GPL-3.0-or-later
"""Lengths, differences and places that constraints get at a moment at which they are put in, regeared or begun anew."""

import dataclasses
from dataclasses import replace

import numpy as np

from ...mechanism import Mechanism, Table
from ...mechanism.constraints import Constraint, Coupling, Span
from ...mechanism.error import refuse
from ...mechanism.messages import Message
from ...mechanism.ropes import Pulley
from ...model.closures import start_coordinate
from ...model.moment import Moment
from ...model.topology import acts, counted_joints
from .ends import present_frame
from .gaps import wound_up
from .grips import is_rubbing


def frame_at(mechanism: Mechanism, name: str | None, point, moment: Moment) -> tuple[np.ndarray, np.ndarray]:
    return present_frame(mechanism, name, point, moment.position, moment.orientation)


def middle_at(mechanism: Mechanism, before: Coupling, after: Coupling, moment: Moment) -> float:
    """The difference that a coupling keeps (m or rad) from a moment on, of one with backlash that of its middle.

    One that has held before, by another ratio or backlash, is as far off its middle as it was, as far as it may be.
    """
    joints = {joint.name: j for j, joint in enumerate(mechanism.joints)}
    names = after.joint_a, after.joint_b
    a, b = (float(moment.coordinates_of(joints[name])[0]) for name in names)
    if not (acts(mechanism, before) and before.backlash > 0.0):
        return b - after.transmission * a
    middle = moment.anchors.get(after.name)
    if middle is None:
        a_drawn, b_drawn = (start_coordinate(mechanism.joints[joints[name]]) for name in names)
        middle = b_drawn - before.transmission * a_drawn
    half = 0.5 * after.backlash
    off = min(half, max(-half, b - before.transmission * a - middle))
    return b - after.transmission * a - off


def with_other_backlash(before: Mechanism, after: Mechanism) -> tuple[set[str], set[str]]:
    """The names of gears and racks that have got more backlash, and of those that have none any more."""
    pairs = zip(before.constraints, after.constraints, strict=False)
    changed_ones = [(old, new) for old, new in pairs if isinstance(new, Coupling) and new.backlash != old.backlash]
    loose = {new.name for old, new in changed_ones if new.backlash > old.backlash}
    return loose, {new.name for _, new in changed_ones if new.backlash == 0.0}


def with_lengths_at(before: Mechanism, after: Mechanism, moment: Moment) -> Mechanism:
    """Rods and ropes without a length of their own that are put in on the way are as long as they must be then.

    So are ropes that get another ratio; one with a length keeps that of its first side.
    """
    constraints = list(after.constraints)
    for k, rod in enumerate(constraints):
        old = before.constraints[k]
        if isinstance(rod, Pulley) and rod.enabled and old.enabled and is_regeared(old, rod):
            constraints[k] = _regeared(old, rod, after, moment)
            continue
        is_put_in = rod.enabled and not old.enabled
        if not is_put_in or not isinstance(rod, Span) or rod.given_length is not None:
            continue
        ends = zip(rod.end_bodies, rod.end_points, strict=True)
        length = rod.length_between(*(frame_at(after, name, point, moment)[0] for name, point in ends))
        length += wound_up(after, rod, moment.joint_coordinates, moment.joint_offsets)
        if length == 0.0:
            refuse([Message("no-length", ("constraint", rod.name), time=f"{moment.time:g}")])
        constraints[k] = dataclasses.replace(rod, **{rod.LENGTH: length})
    return dataclasses.replace(after, constraints=constraints)


def with_grips_at(mechanism: Mechanism, moment: Moment) -> Mechanism:
    """The same, in which ropes stick on their wheels where they are at a moment."""
    constraints = list(mechanism.constraints)
    for k, rope in enumerate(constraints):
        if not is_rubbing(rope):
            continue
        ends = zip(rope.end_bodies, rope.end_points, strict=True)
        beyond = rope.lengths_beyond([frame_at(mechanism, name, point, moment)[0] for name, point in ends])
        there = rope.winds_at_last([drum.position for drum in counted_joints(mechanism, rope)])
        radii = tuple(radius if is_there else 0.0 for radius, is_there in zip(rope.radii, there, strict=True))
        more = wound_up(mechanism, replace(rope, radii=radii), moment.joint_coordinates, moment.joint_offsets)
        if rope.given_length is not None:
            more -= rope.length_at(moment.time)[0] - rope.length_at(0.0)[0]
        constraints[k] = replace(rope, beyond=tuple(length + more for length in beyond))
    return dataclasses.replace(mechanism, constraints=constraints)


def is_regeared(before: Constraint, after: Constraint) -> bool:
    """True if a gear, a rack or a rope has got another ratio, or another backlash."""
    names = ("ratio", "radius", "backlash") if before is not after and isinstance(after, Coupling | Pulley) else ()
    return any(getattr(before, name, None) != getattr(after, name, None) for name in names)


def _regeared(before: Pulley, after: Pulley, mechanism: Mechanism, moment: Moment) -> Pulley:
    """A rope with another ratio, so long that no end jumps at a moment."""
    ends = zip(after.end_bodies, after.end_points, strict=True)
    places = [frame_at(mechanism, name, point, moment)[0] for name, point in ends]
    if after.given_length is None or after.given_length != before.given_length:
        return after if after.given_length is not None else replace(after, length=after.length_between(*places))
    more = (after.ratio - before.ratio) * float(np.linalg.norm(np.subtract(places[2], places[3])))
    length = after.given_length
    if isinstance(length, Table):
        return replace(after, length=Table(length.times, tuple(value + more for value in length.values)))
    return replace(after, length=length + more)


def with_lengths_of(told: Mechanism, after: Mechanism) -> Mechanism:
    """The same with the lengths that rods and ropes have got."""
    constraints = [
        dataclasses.replace(old, **{new.LENGTH: new.given_length}) if isinstance(new, Span) else old
        for old, new in zip(told.constraints, after.constraints, strict=True)
    ]
    return dataclasses.replace(told, constraints=constraints)
