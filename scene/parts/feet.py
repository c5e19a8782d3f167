# SPDX-License-Identifier: GPL-3.0-or-later
"""Feet and arms of a figure: pointers at bodies, and which bodies and joints are likely to be meant."""

from collections import defaultdict
from collections.abc import Iterable, Mapping

import bpy

from ..owner import is_dynamic
from .linkages import ends_of
from .placement import Outline

LEVEL = 0.1  # of the height of a figure: feet are so much higher than the lowest one at most


def set_feet(settings: bpy.types.PropertyGroup, feet: Iterable[bpy.types.Object]) -> None:
    """Make these the feet of a balance."""
    settings.balance_feet.clear()
    for foot in feet:
        settings.balance_feet.add().body = foot


def feet_of(settings: bpy.types.PropertyGroup) -> list[bpy.types.Object]:
    """The feet of a balance; those that are gone from the file do not count."""
    return [entry.body for entry in settings.balance_feet if entry.body is not None]


def foot_places(settings: bpy.types.PropertyGroup) -> list[int]:
    """Places of the weights and lifts of these feet in their lists."""
    return [k for k, entry in enumerate(settings.balance_feet) if entry.body is not None]


def hanging_on(body: bpy.types.Object, scene: bpy.types.Scene) -> list[bpy.types.Object]:
    """The bodies at the ends of the chains of joints that begin at a body."""
    inward = _inward(body, scene)
    inner = {other for other, _ in inward.values()}
    return [end for end in inward if end not in inner]


def legs_of(body: bpy.types.Object, feet: Iterable[bpy.types.Object], scene: bpy.types.Scene) -> list[bpy.types.Object]:
    """The joints between a body and the feet that it stands on."""
    inward, legs = _inward(body, scene), []
    for foot in feet:
        here = foot
        while here in inward:
            here, joint = inward[here]
            legs.append(joint)
    return list(dict.fromkeys(legs))


def balances_in(scene: bpy.types.Scene) -> list[bpy.types.Object]:
    """The figures of a scene that keep their balance."""
    return [ob for ob in scene.objects if ob.ves.role == "FORCE" and ob.ves.force_type == "BALANCE"]


def arm_to(hand: bpy.types.Object, balance: bpy.types.Object, scene: bpy.types.Scene) -> list[bpy.types.Object]:
    """The joints from a hand inward to the body of a balance."""
    body = balance.ves.body_a
    return [] if body is None or body == hand else legs_of(body, [hand], scene)


def lowest_of(shapes: Mapping[bpy.types.Object, Outline], top: float) -> list[bpy.types.Object]:
    """Those of the bodies that reach down about as far as the lowest one; `top`: how high the figure reaches (m)."""
    ground = min((shape.low[2] for shape in shapes.values()), default=top)
    level = ground + LEVEL * (top - ground)
    return sorted((ob for ob, shape in shapes.items() if shape.low[2] <= level), key=lambda ob: ob.name)


def _inward(body: bpy.types.Object, scene: bpy.types.Scene) -> dict[bpy.types.Object, tuple]:
    """Of each body that joints connect with this one: the next body on the way there, and the joint to it."""
    neighbours = _neighbours(scene)
    found, waiting = {}, [body]
    while waiting:
        here = waiting.pop()
        for other, joint in neighbours[here]:
            if other != body and other not in found:
                found[other] = here, joint
                waiting.append(other)
    return found


def _neighbours(scene: bpy.types.Scene) -> dict[bpy.types.Object, list[tuple[bpy.types.Object, bpy.types.Object]]]:
    found = defaultdict(list)
    for ob in scene.objects:
        if ob.ves.role == "JOINT" and ob.ves.enabled:
            ends = [body for body in ends_of(ob) if is_dynamic(body)]
            if len(ends) == 2:
                found[ends[0]].append((ends[1], ob))
                found[ends[1]].append((ends[0], ob))
    return found
