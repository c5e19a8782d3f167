# SPDX-License-Identifier: GPL-3.0-or-later
"""Baked actions, and the animation that an object had before.

A bake gives each dynamic body a new action. The object's own action is kept (`Object.ves.kept_action`, with a fake
user), and what else the bake covers is stored in the baked action under `REST`: the transform values, which show again
once no curve moves them, the influence of the constraints, and how the action is blended with the NLA. So Clear Bake
restores all of it, and a second bake starts from the original animation, not from the first bake's keys.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import bpy

from ..owner import Owner

REST = "ves_rest"
"""Custom property of a baked action; it also marks the action as one that Bake wrote."""

FLIGHT = "ves_flight"
"""Custom property of a baked action in which a body flies to its place in a linkage: first and last frame."""

BLENDING = {"action_blend_type": "REPLACE", "action_influence": 1.0, "action_extrapolation": "HOLD"}


def is_baked(owner: bpy.types.Object) -> bool:
    """True if the object's present action was written by Bake."""
    animation = owner.animation_data
    return bool(owner.ves.is_baked and animation and animation.action and REST in animation.action)


def flight_of(owner: bpy.types.Object) -> tuple[int, int] | None:
    """First and last frame of the flight that Snap Together has keyed for an object, if that is what it shows."""
    flight = owner.animation_data.action.get(FLIGHT) if is_baked(owner) else None
    return None if flight is None else (int(flight[0]), int(flight[1]))


def flights_of(owners: Iterable[bpy.types.Object]) -> dict[bpy.types.Object, tuple[int, int]]:
    """The flights of those objects that show one."""
    flights = {owner: flight_of(owner) for owner in owners}
    return {owner: flight for owner, flight in flights.items() if flight is not None}


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


@contextmanager
def baked_shown(made: Iterable[tuple[bpy.types.Object, bpy.types.Action]]) -> Iterator[Iterator[None]]:
    """Objects get their baked actions: for good, if all goes well meanwhile; otherwise all is as before.

    Gives an iterator that assigns them, a little at each step. Their own actions are kept. An earlier bake is thrown
    away at the end, if nobody else uses it.
    """
    made = list(made)
    before: list[tuple] = []
    changed: list[int] = []

    def assign() -> Iterator[None]:
        for owner, _ in made:
            before.append((covered_by_bake(owner), owner.ves.kept_action, owner.ves.kept_slot, _shown(owner)))
            yield
        for i, (owner, action) in enumerate(made):
            changed.append(i)
            _assign(owner, action, before[i][0])
            yield

    try:
        yield assign()
    except BaseException:
        for i in changed:
            rest, *earlier = before[i]
            _take_back(made[i][0], *earlier, rest)
        raise
    shown = [shown for *_, shown in before]
    _remove_unused(action for is_marked, action, *_ in shown if is_marked and action is not None and REST in action)
    for owner, action in made:
        name = f"{owner.name} Bake"
        if action.name != name:
            action.name = name


def _assign(owner: bpy.types.Object, action: bpy.types.Action, rest: dict[str, Any]) -> None:
    if not is_baked(owner):
        owner.ves.kept_action, owner.ves.kept_slot = original_action(owner)
        if owner.ves.kept_action:
            owner.ves.kept_action.use_fake_user = True
    action[REST] = rest
    animation = owner.animation_data or owner.animation_data_create()
    animation.action = action
    animation.action_slot = action.slots[0]
    for name, value in BLENDING.items():
        setattr(animation, name, value)
    owner.ves.is_baked = True


def _shown(owner: bpy.types.Object) -> tuple[bool, bpy.types.Action | None, str, dict[str, Any]]:
    """The state of an object: if it counts as baked, its action and slot, and the values that these cover."""
    animation = owner.animation_data
    slot = animation.action_slot if animation else None
    return owner.ves.is_baked, animation.action if animation else None, slot.identifier if slot else "", _rest_of(owner)


def _take_back(
    owner: bpy.types.Object, kept: bpy.types.Action | None, kept_slot: str, shown: tuple, rest: dict[str, Any]
) -> None:
    """Undo `_assign`."""
    is_marked, action, slot, values = shown
    _use(owner, action, slot)
    _put_values(owner, values)
    if action is not None and REST not in action:
        action.use_fake_user = rest["fake_user"]
    if values["had_no_animation"]:
        owner.animation_data_clear()
    owner.ves.is_baked, owner.ves.kept_action, owner.ves.kept_slot = is_marked, kept, kept_slot


def clear_bakes(owners: Iterable[bpy.types.Object]) -> None:
    """Bring back the objects' own actions and everything else that their bakes covered.

    Baked actions that nobody else uses are thrown away, and before anything else: to remove one, Blender looks through
    all that its editors have yet to be told, and each value that is put back adds to that.
    """
    owners = list(owners)
    baked = [(owner, owner.animation_data.action) for owner in owners if is_baked(owner)]
    rests = [action[REST].to_dict() for _, action in baked]
    uses = Counter(action for _, action in baked)
    bpy.data.batch_remove([action for action, count in uses.items() if action.users == count])
    for (owner, _), rest in zip(baked, rests, strict=True):
        _uncover(owner, rest)
    for owner in owners:
        owner.ves.is_baked, owner.ves.kept_action, owner.ves.kept_slot = False, None, ""


def _uncover(owner: bpy.types.Object, rest: dict[str, Any]) -> None:
    _show_original(owner, rest)
    kept, animation = owner.ves.kept_action, owner.animation_data
    if kept:
        kept.use_fake_user = rest["fake_user"]
    if rest["had_no_animation"] and not animation.nla_tracks and not animation.drivers:
        owner.animation_data_clear()


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
    _use(owner, owner.ves.kept_action, owner.ves.kept_slot)
    _put_values(owner, rest)


def _use(owner: bpy.types.Object, action: bpy.types.Action | None, slot_name: str) -> None:
    """Give the object an action, and the slot of this identifier if it is there."""
    animation = owner.animation_data
    animation.action = action
    slot = next((slot for slot in action.slots if slot.identifier == slot_name), None) if action else None
    if slot:
        animation.action_slot = slot


def _put_values(owner: bpy.types.Object, rest: dict[str, Any]) -> None:
    owner.rotation_mode = rest["rotation_mode"]
    Owner(owner).put(rest["transform"])
    for constraint in owner.constraints:
        if constraint.name in rest["influence"]:
            constraint.influence = rest["influence"][constraint.name]
    for name, value in rest["blending"].items():
        setattr(owner.animation_data, name, value)


def _remove_unused(actions: Iterable[bpy.types.Action]) -> None:
    bpy.data.batch_remove({action for action in actions if action.users == 0})
