# SPDX-License-Identifier: GPL-3.0-or-later
"""Empties become gears, racks, pulleys and ropes: what couples two joints, and what runs over wheels."""

from itertools import pairwise

import bpy
import numpy as np

from ...solver.mechanism import Gear, Pulley, Rack, Rope
from ..animation.animated import moves_by_itself
from ..parts.bodies import carrier_of
from ..parts.empties import LABELS
from ..properties.roles import PLAY, backlash_of
from .constraints import watch_length
from .open_ties import closeness
from .reading import Reading
from .stepped import settings_now, watch_coupling


def read_gear(reading: Reading, owner: bpy.types.Object) -> None:
    """Two hinges, sliders or screws that move in a fixed ratio."""
    names = _two_joints(reading, owner, Gear.JOINTS_A, Gear.JOINTS_B)
    if names is None:
        return
    ratio = settings_now(reading, owner, ("gear_ratio",)).gear_ratio
    if ratio == 0.0:
        reading.error(owner, "has a ratio of 0, which would hold its second joint still: give it one")
        return
    gear = Gear(name=owner.name_full, joint_a=names[0], joint_b=names[1], ratio=ratio)
    _read_backlash(reading, owner, gear)
    reading.mechanism.constraints.append(gear)
    watch_coupling(reading, owner, "gear_ratio", "ratio")


def read_rack(reading: Reading, owner: bpy.types.Object) -> None:
    """A pinion on a hinge and a rack on a slider."""
    names = _two_joints(reading, owner, Rack.JOINTS_A, Rack.JOINTS_B)
    if names is None:
        return
    radius = settings_now(reading, owner, ("pinion_radius",)).pinion_radius
    if radius == 0.0:
        reading.error(owner, "has a radius of 0, which would hold the rack still: give it one")
        return
    rack = Rack(name=owner.name_full, joint_a=names[0], joint_b=names[1], radius=radius)
    _read_backlash(reading, owner, rack)
    reading.mechanism.constraints.append(rack)
    watch_coupling(reading, owner, "pinion_radius", "radius")


def _read_backlash(reading: Reading, owner: bpy.types.Object, coupling: Gear | Rack) -> None:
    """The play between its teeth, and how they bounce."""
    name = backlash_of(owner.ves)
    settings = settings_now(reading, owner, (name, "tooth_bounciness"))
    coupling.backlash, coupling.restitution = getattr(settings, name), settings.tooth_bounciness
    for each in (name, "tooth_bounciness"):
        watch_coupling(reading, owner, each, PLAY[each])


def _two_joints(
    reading: Reading, owner: bpy.types.Object, kinds_a: tuple[str, ...], kinds_b: tuple[str, ...]
) -> tuple[str, str] | None:
    """The names of its two joints, or None after saying what is wrong with them."""
    settings = owner.ves
    joints = settings.joint_a, settings.joint_b
    for joint, which, kinds in zip(joints, ("first", "second"), (kinds_a, kinds_b), strict=True):
        wanted = " or ".join(LABELS[kind.upper()] for kind in kinds)
        if joint is None:
            reading.error(owner, f"has no {which} joint: choose a {wanted}")
            return None
        if joint.ves.role != "JOINT":
            reading.error(owner, f"its {which} joint, {joint.name}, is not a joint: choose a {wanted}")
            return None
        if joint.ves.joint_type.lower() not in kinds:
            kind = LABELS[joint.ves.joint_type]
            reading.error(owner, f"its {which} joint, {joint.name}, is a {kind}: it must be a {wanted}")
            return None
        if joint.name_full not in {each.name for each in reading.mechanism.joints}:
            reading.error(owner, f"its {which} joint, {joint.name}, takes no part: enable it, or disable this as well")
            return None
    if joints[0] == joints[1]:
        reading.error(owner, f"couples {joints[0].name} to itself: choose another joint")
        return None
    return joints[0].name_full, joints[1].name_full


def read_pulley(reading: Reading, owner: bpy.types.Object) -> None:
    """A rope from a point of a body over two wheels to a point of another body."""
    settings = owner.ves
    first, second = settings.body_a, settings.body_b
    if first is None or second is None:
        reading.error(owner, "a rope needs a body at each of its ends: choose both")
        return
    names = [reading.end(owner, body) for body in (first, second)]
    mark = reading.other_side(owner, second)
    wheels = [_wheel(reading, owner, name) for name in ("wheel_a", "wheel_b")]
    if None in names or mark is None or None in wheels:
        return
    points, spans = (reading.poses[owner].position, mark.position), []
    for body, name, point, (place, carrier), which in zip(
        (first, second), names, points, wheels, ("first", "second"), strict=True
    ):
        if carrier == name:
            reading.error(owner, f"its {which} wheel is on {body.name}, which hangs there itself: put it elsewhere")
            return
        spans.append(float(np.linalg.norm(point - place)))
        if spans[-1] <= closeness(point, body):
            reading.error(owner, f"its {which} end is at its wheel: move the wheel, or the end, away")
            return
    ratio = settings_now(reading, owner, ("rope_ratio",)).rope_ratio
    present = spans[0] + ratio * spans[1]
    length = present
    if settings.use_distance and abs(present - settings.distance) > closeness(points[0], first, second):
        length = settings.distance
        if not reading.starts_elsewhere and not (settings.slack and present < length):
            reading.leave_open(owner, f"its way is {present:.3g} m long, but its length is {length:.3g} m")
    rope = Pulley(
        name=owner.name_full,
        body_a=names[0],
        point_a=points[0],
        wheel_a=wheels[0][0],
        wheel_body_a=wheels[0][1],
        body_b=names[1],
        point_b=points[1],
        wheel_b=wheels[1][0],
        wheel_body_b=wheels[1][1],
        ratio=ratio,
        length=length if settings.use_distance else None,
        slack=settings.slack,
    )
    reading.mechanism.constraints.append(rope)
    watch_length(reading, owner, rope, "length")
    watch_coupling(reading, owner, "rope_ratio", "ratio")


def read_rope(reading: Reading, owner: bpy.types.Object) -> None:
    """A rope from its Empty over wheels to its other side, perhaps wound up by drums."""
    settings = owner.ves
    points = _points_of_rope(reading, owner)
    drums = _drums(reading, owner)
    if points is None or drums is None:
        return
    places, names = [place for place, _ in points], [name for _, name in points]
    if all(name is None for name in names):
        reading.error(owner, "holds no body: choose one at an end, or make a wheel a child of one")
        return
    if len(points) > Rope.MOST_POINTS:
        reading.error(owner, f"runs over {len(points) - 2} wheels: {Rope.MOST_POINTS - 2} are the most")
        return
    bodies = settings.body_a, settings.body_b
    for k, (here, there) in enumerate(pairwise(places)):
        if float(np.linalg.norm(there - here)) <= closeness(here, *bodies):
            which = f"its {ordinal(k + 1)} and its {ordinal(k + 2)} point"
            reading.error(owner, f"has {which} at the same place: move one of them away")
            return
    rope = Rope(name=owner.name_full, bodies=names, points=places, slack=settings.slack)
    rope.drums, rope.radii, rope.drum_ends = map(tuple, zip(*drums, strict=True)) if drums else ((), (), ())
    if any(entry.friction > 0.0 for entry in settings.rope_points):
        rope.slack = True
        rope.friction = (0.0, *(entry.friction for entry in settings.rope_points), 0.0)
        rope.turns = (0.0, *(entry.turns for entry in settings.rope_points), 0.0)
    if settings.use_distance:
        present = rope.drawn_length
        is_off = abs(present - settings.distance) > closeness(places[0], *bodies)
        rope.length = settings.distance if is_off else present
        if is_off and not reading.starts_elsewhere and not (rope.slack and present < settings.distance):
            reading.leave_open(owner, f"its way is {present:.3g} m long, but its length is {settings.distance:.3g} m")
    reading.mechanism.constraints.append(rope)
    watch_length(reading, owner, rope, "length")


def _points_of_rope(reading: Reading, owner: bpy.types.Object) -> list[tuple[np.ndarray, str | None]] | None:
    """(place, name of the body there or None for the world) of each; None, and an error, where something is wrong."""
    settings = owner.ves
    ends = []
    for body, which in ((settings.body_a, "first"), (settings.body_b, "second")):
        name = None if body is None else reading.end(owner, body)
        if body is not None and name is None:
            return None
        if body is None and not settings.to_world:
            text = f"has no body at its {which} end: choose one, or switch To World on"
            reading.error(owner, text)
            return None
        ends.append(name)
    mark = reading.other_side(owner, settings.body_b)
    over = [
        _place_of_wheel(reading, owner, entry.object, ordinal(k + 1)) for k, entry in enumerate(settings.rope_points)
    ]
    if mark is None or None in over:
        return None
    return [(reading.poses[owner].position, ends[0]), *over, (mark.position, ends[1])]


def _drums(reading: Reading, owner: bpy.types.Object) -> list[tuple[str, float, str]] | None:
    """(name of the hinge, radius, end) of each drum; None, and an error, if one is wrong."""
    settings, found = owner.ves, []
    at_other_side = settings.drum_b, settings.drum_radius_b, settings.body_b, "last"
    at_empty = settings.drum_a, settings.drum_radius_a, settings.body_a, "first"
    for hinge, radius, body, end in (at_other_side, at_empty):
        if hinge is None:
            continue
        text = ""
        if hinge.ves.role != "JOINT" or hinge.ves.joint_type != "REVOLUTE":
            text = f"its drum, {hinge.name}, is no Hinge: choose the Hinge that the drum turns on"
        elif hinge.name_full not in {each.name for each in reading.mechanism.joints}:
            text = f"its drum, {hinge.name}, takes no part: enable it, or choose none"
        elif body is not None and body == hinge.ves.body_b:
            text = f"ends on its drum, {body.name}, itself: end it on what holds the drum, where the rope leaves that"
        elif radius == 0.0:
            text = "has a drum with a radius of 0, which would wind nothing: give it one"
        elif hinge.name_full in {name for name, *_ in found}:
            text = f"winds up on {hinge.name} at both ends: choose another drum, or none"
        if text:
            reading.error(owner, text)
            return None
        found.append((hinge.name_full, radius, end))
    return found


def ordinal(number: int) -> str:
    """ "first", "second", as far as a rope has points."""
    words = "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth"
    return words[number - 1] if number <= len(words) else f"{number}th"


def _wheel(reading: Reading, owner: bpy.types.Object, name: str) -> tuple[np.ndarray, str | None] | None:
    """(place, name of the body that carries it or None for the world); None, and an error, if there is none."""
    which = "first" if name == "wheel_a" else "second"
    return _place_of_wheel(reading, owner, getattr(owner.ves, name), which)


def _place_of_wheel(
    reading: Reading, owner: bpy.types.Object, wheel: bpy.types.Object | None, which: str
) -> tuple[np.ndarray, str | None] | None:
    """The same of an object."""
    if wheel is None:
        reading.error(owner, f"has no {which} wheel: choose an object where it is")
        return None
    evaluated = wheel.evaluated_get(reading.depsgraph)
    if reading.scene.objects.get(wheel.name) != wheel or not evaluated.is_evaluated:
        reading.error(owner, f"its {which} wheel, {wheel.name}, is disabled or not in this scene any more: choose one")
        return None
    place = np.array(evaluated.matrix_world, dtype=np.float64)[:3, 3]
    carrier = carrier_of(wheel)
    if carrier is None:
        if moves_by_itself(wheel):
            reading.error(
                owner, f"its {which} wheel, {wheel.name}, moves but is on no body: make it a child of a keyed body"
            )
            return None
        return place, None
    body = reading.end(owner, carrier)
    return None if body is None else (place, body)


READERS = {"GEAR": read_gear, "RACK": read_rack, "PULLEY": read_pulley, "ROPE": read_rope}
"""Of each role: what reads its Empty."""
