# SPDX-License-Identifier: GPL-3.0-or-later
"""Baked actions, and the animation that an object had before.

A bake gives each dynamic body a new action. The object's own action is kept (`Object.ves.kept_action`, with a fake
user), and what else the bake covers is stored in the baked action under `REST`: the transform values, which show again
once no curve moves them, the influence of the constraints, and how the action is blended with the NLA. So Clear Bake
restores all of it, and a second bake starts from the original animation, not from the first bake's keys.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import bpy

from ..owner import Owner

REST = "ves_rest"
"""Custom property of a baked action; it also marks the action as one that Bake wrote."""

BLENDING = {"action_blend_type": "REPLACE", "action_influence": 1.0, "action_extrapolation": "HOLD"}


def is_baked(owner: bpy.types.Object) -> bool:
    """True if the object's present action was written by Bake."""
    animation = owner.animation_data
    return bool(owner.ves.is_baked and animation and animation.action and REST in animation.action)


def original_action(owner: bpy.types.Object) -> tuple[bpy.types.Action | None, str]:
    """The object's own action and the identifier of its slot in there, whether it is baked at the moment or not."""
    if is_baked(owner):
        return owner.ves.kept_action, owner.ves.kept_slot
    animation = owner.animation_data
    if animation is None or animation.action is None:
        return None, ""
    return animation.action, animation.action_slot.identifier if animation.action_slot else ""


def covered_by_bake(owner: bpy.types.Object) -> dict[str, Any]:
    """Values that `clear_bake` brings back besides the action. Ask all objects before assigning: they may share it."""
    return owner.animation_data.action[REST].to_dict() if is_baked(owner) else _rest_of(owner)


def assign_baked(owner: bpy.types.Object, action: bpy.types.Action, covered: dict[str, Any]) -> None:
    """Give the object a baked action; keep its own one, or throw away the earlier bake if nobody else uses it."""
    previous = owner.animation_data.action if is_baked(owner) else None
    if previous is None:
        owner.ves.kept_action, owner.ves.kept_slot = original_action(owner)
        if owner.ves.kept_action:
            owner.ves.kept_action.use_fake_user = True
    action[REST] = covered
    animation = owner.animation_data or owner.animation_data_create()
    animation.action = action
    animation.action_slot = action.slots[0]
    for name, value in BLENDING.items():
        setattr(animation, name, value)
    owner.ves.is_baked = True
    if previous is not None:
        _remove_if_unused(previous)
    action.name = f"{owner.name} Bake"


def clear_bake(owner: bpy.types.Object) -> None:
    """Bring back the object's own action and everything else that the bake covered."""
    if is_baked(owner):
        baked = owner.animation_data.action
        rest = baked[REST].to_dict()
        _show_original(owner, rest)
        kept = owner.ves.kept_action
        if kept:
            kept.use_fake_user = rest["fake_user"]
        animation = owner.animation_data
        if rest["had_no_animation"] and not animation.nla_tracks and not animation.drivers:
            owner.animation_data_clear()
        _remove_if_unused(baked)
    owner.ves.is_baked = False
    owner.ves.kept_action = None
    owner.ves.kept_slot = ""


@contextmanager
def originals_shown(owners: Iterable[bpy.types.Object]) -> Iterator[None]:
    """While this lasts, baked objects have their own animation and rest pose; then the bake is back, bit for bit."""
    baked = [(owner, owner.animation_data.action, _rest_of(owner)) for owner in owners if is_baked(owner)]
    try:
        for owner, action, _ in baked:
            _show_original(owner, action[REST].to_dict())
        yield
    finally:
        for owner, action, shown in baked:
            _put_values(owner, shown)
            owner.animation_data.action = action
            owner.animation_data.action_slot = action.slots[0]


def _rest_of(owner: bpy.types.Object) -> dict[str, Any]:
    """The values that an assigned action covers: transforms, constraint influences, blending."""
    animation = owner.animation_data
    action, _ = original_action(owner)
    return {
        "transform": Owner(owner).transform,
        "rotation_mode": owner.rotation_mode,
        "influence": {constraint.name: constraint.influence for constraint in owner.constraints},
        "blending": {name: getattr(animation, name) for name in BLENDING} if animation else dict(BLENDING),
        "fake_user": bool(action and action.use_fake_user),
        "had_no_animation": animation is None,
    }


def _show_original(owner: bpy.types.Object, rest: dict[str, Any]) -> None:
    animation = owner.animation_data
    kept = owner.ves.kept_action
    animation.action = kept
    if kept:
        slot = next((slot for slot in kept.slots if slot.identifier == owner.ves.kept_slot), None)
        if slot:
            animation.action_slot = slot
    _put_values(owner, rest)


def _put_values(owner: bpy.types.Object, rest: dict[str, Any]) -> None:
    owner.rotation_mode = rest["rotation_mode"]
    Owner(owner).put(rest["transform"])
    for constraint in owner.constraints:
        if constraint.name in rest["influence"]:
            constraint.influence = rest["influence"][constraint.name]
    for name, value in rest["blending"].items():
        setattr(owner.animation_data, name, value)


def _remove_if_unused(action: bpy.types.Action) -> None:
    if action.users == 0:
        bpy.data.actions.remove(action)
