# SPDX-License-Identifier: GPL-3.0-or-later
"""Making bodies of mesh objects, finding what is fastened to them, and a rough guess of how heavy they are."""

from collections.abc import Iterable, Sequence

import bpy

from ..animation.animated import moves_by_itself
from ..owner import Owner
from ..properties.roles import COUPLINGS, POINTING_ROLES
from .placement import Outline


def is_body(ob: bpy.types.Object | None) -> bool:
    """True if the object is a body of the mechanism."""
    return ob is not None and ob.ves.role == "BODY"


def carrier_of(ob: bpy.types.Object | None) -> bpy.types.Object | None:
    """The body that an object is, or goes along with as its child; None if that is the world."""
    while ob is not None and not is_body(ob):
        ob = ob.parent
    return ob


def body_under(ob: bpy.types.Object) -> bpy.types.Object | None:
    """The same, also through bones that bodies move."""
    owner = Owner(ob)
    return next((each.object for each in (owner, *owner.carriers()) if is_body(each.object)), None)


def make_body(ob: bpy.types.Object, motion: str = "DYNAMIC", material: str | None = None) -> None:
    """Turn an object into a body; what it was told before about its mass and velocity stays."""
    ob.ves.role = "BODY"
    ob.ves.motion = motion
    if material is not None:
        ob.ves.material = material


def make_bodies(objects: Iterable[bpy.types.Object], leader: bpy.types.Object | None = None) -> list[bpy.types.Object]:
    """Turn those that are not bodies yet into dynamic ones, and return them.

    The leader, which drags the others, becomes a keyed body if something animates it.
    """
    made = [ob for ob in objects if not is_body(ob)]
    for ob in made:
        make_body(ob, "KEYED" if ob == leader and moves_by_itself(ob) else "DYNAMIC")
    return made


def fastened_to(bodies: Sequence[bpy.types.Object], scene: bpy.types.Scene) -> list[bpy.types.Object]:
    """The joints, constraints and forces of the scene that point at one of the bodies, and what couples the joints.

    Ropes also where one of them only carries a wheel.
    """
    wanted = set(bodies)
    parts = [ob for ob in scene.objects if ob.ves.role in POINTING_ROLES]
    found = [
        ob
        for ob in parts
        if ob.ves.body_a in wanted
        or ob.ves.body_b in wanted
        or any(carrier_of(entry.object) in wanted for entry in ob.ves.rope_points)
    ]
    joints = {ob for ob in found if ob.ves.role == "JOINT"}
    return found + [
        ob for ob in parts if ob.ves.role in COUPLINGS and (ob.ves.joint_a in joints or ob.ves.joint_b in joints)
    ]


def marks_of(ties: Iterable[bpy.types.Object]) -> list[bpy.types.Object]:
    """The plain Empties that mark the other sides or the wheels of these ties, and of no others."""
    ties = set(ties)
    marks = {mark for tie in ties for mark in _marks(tie) if mark is not None}
    shared = {mark for ob in bpy.data.objects if ob not in ties for mark in _marks(ob)}
    return [mark for mark in marks - shared if mark.type == "EMPTY" and mark.ves.role == "NONE"]


def _marks(tie: bpy.types.Object) -> tuple[bpy.types.Object | None, ...]:
    return tie.ves.anchor_b, tie.ves.wheel_a, tie.ves.wheel_b, *(entry.object for entry in tie.ves.rope_points)


def rough_mass(ob: bpy.types.Object, shape: Outline) -> float:
    """Mass in kg that is good enough to choose the strength of a new spring or motor by; never 0."""
    if ob.ves.mass_source == "GIVEN":
        return ob.ves.mass
    return max(ob.ves.density * shape.volume, 1e-9)
