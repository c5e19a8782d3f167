# SPDX-License-Identifier: GPL-3.0-or-later
"""Which objects hang together: linkages of dynamic bodies, found from the pointers of joints and constraints alone.

Fixed and keyed bodies belong to every linkage that is fastened to them, and connect none. Forces connect nothing.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

import bpy

from ..owner import Owner
from ..properties.roles import CONSTRAINTS, COUPLINGS, POINTING_ROLES
from .bodies import carrier_of, is_body

TIES = POINTING_ROLES - {"FORCE"}


@dataclass
class Linkage:
    """Dynamic bodies that hang together, and the enabled joints and constraints that hold them."""

    bodies: set[bpy.types.Object] = field(default_factory=set)
    ties: list[bpy.types.Object] = field(default_factory=list)

    @property
    def ends(self) -> set[bpy.types.Object]:
        """All bodies that take part, those included that do not move."""
        return self.bodies | {body for tie in self.ties for body in ends_of(tie)}

    @property
    def parts(self) -> set[bpy.types.Object]:
        """All bodies, joints and constraints."""
        return self.ends | set(self.ties)

    @property
    def pointed_at(self) -> set[bpy.types.Object]:
        """The marks, curves and objects that the joints and constraints name besides bodies."""
        named = ("anchor_b", "path_curve", "path_object", "wheel_a", "wheel_b")
        found = {ob for tie in self.ties for ob in (getattr(tie.ves, name) for name in named) if ob is not None}
        return found | {entry.object for tie in self.ties for entry in tie.ves.rope_points if entry.object is not None}


def ends_of(tie: bpy.types.Object) -> list[bpy.types.Object]:
    """The bodies of a joint, constraint or force: one or two, more of what couples joints and of ropes."""
    settings = tie.ves
    if settings.role in COUPLINGS:
        bodies = _bodies_of((settings.joint_a, settings.joint_b))
    elif settings.role == "ROPE":
        over = [carrier_of(entry.object) for entry in settings.rope_points if entry.object is not None]
        bodies = [settings.body_a, *over, settings.body_b, *_bodies_of((settings.drum_a, settings.drum_b))]
    else:
        bodies = [settings.body_a, settings.body_b]
    if settings.role in CONSTRAINTS:
        bodies += [carrier_of(getattr(settings, name)) for name in CONSTRAINTS[settings.role].carriers]
    return [body for body in dict.fromkeys(bodies) if is_body(body)]


def _bodies_of(joints: Iterable[bpy.types.Object | None]) -> list[bpy.types.Object | None]:
    found = [joint.ves for joint in joints if joint is not None]
    return [body for joint in found for body in (joint.body_a, joint.body_b)]


def find_linkages(scene: bpy.types.Scene) -> list[Linkage]:
    """All linkages of the scene that have a joint or a constraint, in the order of their first body."""
    ties = [ob for ob in scene.objects if ob.ves.role in TIES and ob.ves.enabled]
    movable = [ob for ob in scene.objects if Owner(ob).is_dynamic]
    leader = {body: body for body in movable}

    def find(body: bpy.types.Object) -> bpy.types.Object:
        while leader[body] != body:
            leader[body] = leader[leader[body]]
            body = leader[body]
        return body

    held = {tie: [body for body in ends_of(tie) if body in leader] for tie in ties}
    for bodies in held.values():
        for other in bodies[1:]:
            leader[find(other)] = find(bodies[0])
    linkages: dict[bpy.types.Object, Linkage] = {}
    for body in movable:
        linkages.setdefault(find(body), Linkage()).bodies.add(body)
    for tie, bodies in held.items():
        if bodies:
            linkages[find(bodies[0])].ties.append(tie)
    return [linkage for linkage in linkages.values() if linkage.ties]


def chosen_linkages(scene: bpy.types.Scene, chosen: Collection[bpy.types.Object]) -> list[Linkage]:
    """The linkages that any of the chosen objects belongs to or is named by; all if nothing is chosen."""
    linkages = find_linkages(scene)
    if not chosen:
        return linkages
    wanted = set(chosen)
    ties = {tie for linkage in linkages for tie in linkage.ties}
    for part in chosen:
        if part.ves.role in POINTING_ROLES and part not in ties:
            wanted.update(ends_of(part))
    return [linkage for linkage in linkages if wanted & (linkage.parts | linkage.pointed_at)]


def riders(bodies: Collection[bpy.types.Object], scene: bpy.types.Scene) -> list[bpy.types.Object]:
    """Dynamic bodies that are none of these, but go along with one because it is their parent, or parent's parent."""
    carriers = set(bodies)
    dynamic = [ob for ob in scene.objects if ob not in carriers and Owner(ob).is_dynamic]
    return [ob for ob in dynamic if not carriers.isdisjoint(each.object for each in Owner(ob).carriers())]
