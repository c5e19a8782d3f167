# SPDX-License-Identifier: GPL-3.0-or-later
"""Empties become gears, racks and pulleys: what couples two joints, and ropes over two wheels."""

import bpy
import numpy as np

from ...solver.mechanism import Gear, Pulley, Rack
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


def _wheel(reading: Reading, owner: bpy.types.Object, name: str) -> tuple[np.ndarray, str | None] | None:
    """(place, name of the body that carries it or None for the world); None, and an error, if there is none."""
    wheel, which = getattr(owner.ves, name), "first" if name == "wheel_a" else "second"
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


READERS = {"GEAR": read_gear, "RACK": read_rack, "PULLEY": read_pulley}
"""Of each role: what reads its Empty."""
