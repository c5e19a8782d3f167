# SPDX-License-Identifier: GPL-3.0-or-later
"""Baked actions, and the animation that an object had before.

A bake gives each dynamic body a new action. The object's own action is kept (`Object.ves.kept_action`, with a fake
user), and what else the bake covers is stored in the baked action under `REST`: the transform values, which show again
once no curve moves them, the influence of the constraints, and how the action is blended with the NLA. So Clear Bake
restores all of it, and a second bake starts from the original animation, not from the first bake's keys.
"""

import contextlib
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import bpy

from ..owner import Owner, Values, bone_shapes, is_armature
from .given_actions import count_given
from .rig_settings import as_text, from_text, held_settings, set_value, value_of

REST = "ves_rest"
"""Custom property of a baked action; it also marks the action as one that Bake wrote."""

FLIGHT = "ves_flight"
"""Custom property of a baked action in which a body flies to its place in a linkage: first and last frame."""

BLENDING = {"action_blend_type": "REPLACE", "action_influence": 1.0, "action_extrapolation": "HOLD"}


_BLENDING_ITEMS = {
    item.identifier
    for name, value in BLENDING.items()
    if isinstance(value, str)
    for item in bpy.types.AnimData.bl_rna.properties[name].enum_items
}


def is_baked(owner: bpy.types.Object) -> bool:
    """True if the object's present action was written by Bake."""
    animation = owner.animation_data
    return bool(animation and animation.action and owner.ves.is_baked and REST in animation.action)


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
    return rest_of_bake(owner) if is_baked(owner) else _rest_of(owner)


@contextmanager
def baked_shown(made: Iterable[tuple[bpy.types.Object, bpy.types.Action]]) -> Iterator[Iterator[None]]:
    """Objects get their baked actions: for good, if all goes well meanwhile; otherwise all is as before.

    Gives an iterator that assigns them, a little at each step. Their own actions are kept. An earlier bake is thrown
    away at the end, if nobody else uses it.
    """
    made = list(made)
    before: dict[int, tuple] = {}  # by the place in `made`
    changed: list[int] = []

    def assign() -> Iterator[None]:
        for i, (owner, _) in enumerate(made):
            with contextlib.suppress(ReferenceError):  # it, or its action, was removed meanwhile
                before[i] = covered_by_bake(owner), owner.ves.kept_action, owner.ves.kept_slot, _shown(owner)
            yield
        for i, (rest, *_) in before.items():
            changed.append(i)
            with contextlib.suppress(ReferenceError):
                _assign(*made[i], rest)
            yield

    try:
        yield assign()
    except BaseException:
        for i in changed:
            rest, *earlier = before[i]
            with contextlib.suppress(ReferenceError):
                _undo_assign(made[i][0], *earlier, rest)
        raise
    left = set(bpy.data.actions)
    shown = [shown for *_, shown in before.values()]
    remove_actions((each for is_marked, each, *_ in shown if is_marked and each in left and REST in each), True)
    for owner, action in made:
        with contextlib.suppress(ReferenceError):
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
    count_given(owner)


def _shown(owner: bpy.types.Object) -> tuple[bool, bpy.types.Action | None, str, dict[str, Any]]:
    """The state of an object: if it counts as baked, its action and slot, and the values that these cover."""
    animation = owner.animation_data
    slot = animation.action_slot if animation else None
    return owner.ves.is_baked, animation.action if animation else None, slot.identifier if slot else "", _rest_of(owner)


def _undo_assign(
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


def show_result(owner: bpy.types.Object, action: bpy.types.Action) -> dict[str, Any]:
    """Show a result as a bake is shown; returns what `show_before` needs, besides the action that was shown."""
    marked, _, slot, values = _shown(owner)
    before = {"marked": marked, "slot": slot, "values": values, "rest": covered_by_bake(owner)}
    before |= {"kept_slot": owner.ves.kept_slot, "was_baked": is_baked(owner)}
    _assign(owner, action, before["rest"])
    return before


def is_noted(before: Any) -> bool:
    """True for what `show_result` returns, as it comes from a file."""
    kinds = {"marked": bool, "slot": str, "values": dict, "rest": dict, "kept_slot": str, "was_baked": bool}
    return (
        isinstance(before, dict)
        and before.keys() == kinds.keys()
        and all(isinstance(before[name], kind) for name, kind in kinds.items())
    )


def show_before(owner: bpy.types.Object, action: bpy.types.Action | None, before: dict[str, Any]) -> None:
    """Undo `show_result`; `action` is the one that was shown before."""
    kept = owner.ves.kept_action if before["was_baked"] else None
    shown = before["marked"], action, before["slot"], before["values"]
    _undo_assign(owner, kept, before["kept_slot"], shown, before["rest"])


def clear_bakes(owners: Iterable[bpy.types.Object]) -> None:
    """Bring back the objects' own actions and everything else that their bakes covered.

    Baked actions that nobody else uses are thrown away, and before anything else: to remove one, Blender looks through
    all that its editors have yet to be told, and each value that is put back adds to that.
    """
    owners = list(owners)
    baked = [(owner, owner.animation_data.action) for owner in owners if is_baked(owner)]
    rests = [rest_of_bake(owner) for owner, _ in baked]
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
    """While this lasts, baked objects have their own animation and rest pose; then the bake is back, bit for bit.

    What was removed meanwhile stays away.
    """
    baked = [(owner, *_shown(owner)[1:]) for owner in owners if is_baked(owner)]
    rests = [rest_of_bake(owner) for owner, *_ in baked]
    try:
        for (owner, *_), rest in zip(baked, rests, strict=True):
            _show_original(owner, rest)
        yield
    finally:
        for owner, action, slot, shown in baked:
            with contextlib.suppress(ReferenceError):
                _put_values(owner, shown)
                _use(owner, action, slot)


def rest_of_bake(owner: bpy.types.Object) -> dict[str, Any]:
    """The values from before the bake that a baked action keeps; of what is damaged there the present ones."""
    found = owner.animation_data.action[REST]
    kept, now = found.to_dict() if hasattr(found, "to_dict") else {}, _rest_of(owner)
    return {name: _mended(name, kept.get(name), value) for name, value in now.items()}


def keep_transform(owner: Owner, transform: Values) -> None:
    """Let the bake that shows keep another location and rotation of a body from before it."""
    rest = rest_of_bake(owner.holder)
    (rest if owner.bone is None else rest["bones"][owner.bone.name])["transform"] = dict(transform)
    owner.holder.animation_data.action[REST] = rest


def has_damaged_rest(owner: bpy.types.Object) -> bool:
    """True if not all can be read that a baked action keeps from before the bake."""
    found = owner.animation_data.action[REST]
    if not hasattr(found, "to_dict"):
        return True
    kept = {"bones": {}, "settings": ""} | found.to_dict()  # bakes of older versions know neither
    now = _rest_of(owner)
    return any(_mended(name, kept.get(name), value) != kept.get(name) for name, value in now.items())


def _mended(name: str, kept: Any, now: Any) -> Any:
    """The kept value, if it is of the kind of the present one; otherwise the present one."""
    if name == "rotation_mode":
        return kept if isinstance(kept, str) and kept in bpy.types.Object.bl_rna.properties[name].enum_items else now
    if name == "influence":
        return kept if isinstance(kept, dict) and all(isinstance(value, float) for value in kept.values()) else now
    if name == "settings":
        return kept if isinstance(kept, str) and from_text(now).keys() <= from_text(kept).keys() else now
    if name == "bones":
        kept = kept if isinstance(kept, dict) else {}
        return {bone: _mended_bone(kept.get(bone), values) for bone, values in now.items()}
    return kept if _is_alike(kept, now) else now


def _mended_bone(kept: Any, now: dict[str, Any]) -> dict[str, Any]:
    """The same for the values of a bone."""
    return {name: _mended(name, (kept if isinstance(kept, dict) else {}).get(name), now[name]) for name in now}


def _is_alike(kept: Any, now: Any) -> bool:
    if isinstance(now, dict):
        return isinstance(kept, dict) and all(name in kept and _is_alike(kept[name], now[name]) for name in now)
    if isinstance(now, list):
        return isinstance(kept, list) and len(kept) == len(now) and all(map(_is_alike, kept, now))
    if isinstance(now, str):
        return isinstance(kept, str) and kept in _BLENDING_ITEMS
    if isinstance(now, bool):
        return isinstance(kept, int) and kept in (0, 1)
    return isinstance(kept, bool | int | float)


def _rest_of(owner: bpy.types.Object) -> dict[str, Any]:
    """The values that an assigned action covers: transforms, constraint influences, blending, those of bones."""
    animation = owner.animation_data
    action, _ = original_action(owner)
    return {
        "transform": Owner(owner).transform,
        "rotation_mode": owner.rotation_mode,
        "influence": {constraint.name: constraint.influence for constraint in owner.constraints},
        **_switches(Owner(owner)),
        "blending": {name: getattr(animation, name) for name in BLENDING} if animation else dict(BLENDING),
        "fake_user": bool(action and action.use_fake_user),
        "had_no_animation": animation is None,
        "bones": {bone.bone.name: _rest_of_bone(bone) for bone in _bones(owner)},
        "settings": as_text({path: value_of(owner, path) for path in held_settings(owner)}),
    }


def _bones(owner: bpy.types.Object) -> list[Owner]:
    """The bodies that move bones of an armature, and the controls that get their keys; none of anything else."""
    found = list(map(Owner, bone_shapes(owner).values())) if is_armature(owner) else []
    found += [control for each in found if (control := each.control) is not None]
    return [each for each in found if each.bone is not None]


def _rest_of_bone(bone: Owner) -> dict[str, Any]:
    return {
        "transform": bone.transform,
        "influence": {constraint.name: constraint.influence for constraint in bone.constraints},
        **_switches(bone),
    }


def _switches(owner: Owner) -> dict[str, dict[str, bool]]:
    """Those constraints that a bake switches off themselves, since a driver has their influence: are they on?"""
    found = {constraint.name: constraint.enabled for constraint in owner.driven_constraints}
    return {"enabled": found} if found else {}


def _show_original(owner: bpy.types.Object, rest: dict[str, Any]) -> None:
    _use(owner, owner.ves.kept_action, owner.ves.kept_slot)
    _put_values(owner, rest)


def _use(owner: bpy.types.Object, action: bpy.types.Action | None, slot_name: str) -> None:
    """Give the object an action, and the slot of this identifier if it is there."""
    animation = owner.animation_data or owner.animation_data_create()
    animation.action = action
    slot = next((slot for slot in action.slots if slot.identifier == slot_name), None) if action else None
    if slot:
        animation.action_slot = slot


def _put_values(owner: bpy.types.Object, rest: dict[str, Any]) -> None:
    owner.rotation_mode = rest["rotation_mode"]
    Owner(owner).put(rest["transform"])
    _put_constraints(owner.constraints, rest)
    for bone in _bones(owner):
        if bone.bone.name in rest["bones"]:
            values = rest["bones"][bone.bone.name]
            bone.put(values["transform"])
            _put_constraints(bone.constraints, values)
    for path, value in from_text(rest.get("settings", "")).items():
        if value_of(owner, path) is not None:
            set_value(owner, path, value)
    animation = owner.animation_data or owner.animation_data_create()
    for name, value in rest["blending"].items():
        setattr(animation, name, value)


def _put_constraints(constraints: Iterable[bpy.types.Constraint], rest: dict[str, Any]) -> None:
    for name in ("influence", "enabled"):
        kept = rest.get(name, {})
        for constraint in constraints:
            if constraint.name in kept:
                setattr(constraint, name, kept[constraint.name])


def remove_actions(actions: Iterable[bpy.types.Action], only_unused: bool = False) -> None:
    """Remove actions, as far as nobody has done so already."""
    left = set(bpy.data.actions)
    bpy.data.batch_remove({action for action in actions if action in left and not (only_unused and action.users)})
