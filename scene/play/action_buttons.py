# SPDX-License-Identifier: GPL-3.0-or-later
"""The action buttons of a scene: their list, and what pressing one does to the mechanism that is played.

Entries with the same label are one button: one key brakes four wheels. A button is down if its first entry's target has
what the button gives it; so nothing needs to be remembered besides what the mechanism has.
"""

import dataclasses
from typing import Any

import bpy

from ...solver.mechanism import Addition, Body, Mechanism
from ...solver.mechanism.record import Record
from ..findings import refuse
from ..properties.action_targets import can_be_steered, changeable_numbers, present_value, steered, value_settings
from ..read.placed import in_mechanism, in_panels, placed_at

_LARGEST_ID = 2**31 - 1  # which a damaged file may have
KEYS = 9  # of the keyboard, for the first buttons

Act = tuple[str, dict[str, Any]]


def labels(scene: bpy.types.Scene) -> list[str]:
    """The buttons, in the order of the list."""
    return list(dict.fromkeys(button.label for button in scene.ves.action_buttons))


def add_button(scene: bpy.types.Scene, label: str, target: bpy.types.Object, change: str, mode: str):
    """A new entry at the end of the list, which becomes the active one."""
    buttons = scene.ves.action_buttons
    taken = {button.id for button in buttons}
    new_id = 1 + max(taken, default=0)
    if new_id > _LARGEST_ID:
        new_id = next(number for number in range(1, len(buttons) + 2) if number not in taken)
    button = buttons.add()
    button.id, button.label, button.target, button.change, button.mode = new_id, label, target, change, mode
    scene.ves.active_action_button = len(buttons) - 1
    return button


class Switchboard:
    """The action buttons of a mechanism that runs. `act` is called for each change, with target and settings.

    The buttons are read when they are pressed, so that a person may change them meanwhile.
    """

    def __init__(self, scene: bpy.types.Scene, mechanism: Mechanism) -> None:
        self._scene = scene
        self._parts = {part.name: part for part in (*mechanism.joints, *mechanism.constraints, *mechanism.forces)}
        self._bodies = {body.name: body for body in mechanism.bodies}
        self._changed: dict[tuple[str, str], Any] = {}

    def take(self, addition: Addition) -> None:
        """Parts that have been put in can be reached from now on."""
        self._parts.update((part.name, part) for part in addition.parts if not isinstance(part, Body))
        self._bodies.update((body.name, body) for body in addition.bodies)

    def pressed(self, label: str, is_held: bool) -> list[Act]:
        """Presses a button; `is_held` tells that its release will be heard of.

        Raises SceneError naming what is wrong with the button.
        """
        entries = self._entries(label)
        if not entries:
            return []
        is_down = self._is_down(entries[0])
        return [act for entry in entries for act in self._press(entry, is_down, is_held)]

    def released(self, label: str) -> list[Act]:
        """Lets go of a button that was pressed with `is_held`."""
        return [self._back(entry) for entry in self._entries(label) if _is_hold(entry)]

    def is_down(self, label: str) -> bool:
        """True if the button's target has what the button gives it."""
        entries = self._entries(label)
        return bool(entries) and entries[0].change != "RELEASE" and self._is_down(entries[0])

    def note(self, target: str, settings: dict[str, Any]) -> None:
        """Remember what a part has now."""
        for key, value in settings.items():
            self._changed[target, key] = value

    def _entries(self, label: str) -> list[bpy.types.PropertyGroup]:
        return [button for button in self._scene.ves.action_buttons if button.label == label]

    def _press(self, entry: bpy.types.PropertyGroup, is_down: bool, is_held: bool) -> list[Act]:
        goes_back = entry.mode == "TOGGLE" or (entry.mode == "HOLD" and not is_held)
        if entry.change == "RELEASE":
            return [(self._name(entry), {"enabled": False})]
        if entry.change == "ENABLED" and entry.mode == "TOGGLE":
            return [(self._name(entry), {"enabled": not is_down})]
        return [self._back(entry) if is_down and goes_back else (self._name(entry), self._given(entry))]

    def _back(self, entry: bpy.types.PropertyGroup) -> Act:
        """As it was at the start; a switch goes to its other side."""
        name, given = self._name(entry), self._given(entry)
        if entry.change == "ENABLED":
            return name, {"enabled": not given["enabled"]}
        return name, {key: present_value(self._parts[name], key) for key in given}

    def _given(self, entry: bpy.types.PropertyGroup) -> dict[str, Any]:
        """The settings that the button gives its target."""
        part = self._parts[self._name(entry)]
        if entry.change == "ENABLED":
            return {"enabled": entry.turn_on or entry.mode == "TOGGLE"}
        if entry.change == "VALUE":
            return self._value(entry, part)
        if not can_be_steered(entry.target):
            refuse(entry.target, f"button {entry.label} can't steer it: only motors and brakes have a frame")
        return steered(part, self._bodies[part.body], entry.axis, entry.angle)

    def _value(self, entry: bpy.types.PropertyGroup, part: Record) -> dict[str, Any]:
        """Numbers of joints are counted as the panels do."""
        numbers, placed = entry.value[: numbers_of(entry)], placed_at(entry.target)
        if not placed:
            return value_settings(part, entry.key, numbers)
        counted = part
        if part.motor is not None:
            counted = dataclasses.replace(part, **in_panels(part, placed, {"motor": part.motor}))
        return in_mechanism(part, placed, value_settings(counted, entry.key, numbers))

    def _is_down(self, entry: bpy.types.PropertyGroup) -> bool:
        name = self._name(entry)
        given = {"enabled": False} if entry.change == "RELEASE" else self._given(entry)
        return all(self._now(name, key) == value for key, value in given.items())

    def _now(self, name: str, key: str) -> Any:
        if (name, key) in self._changed:
            return self._changed[name, key]
        return present_value(self._parts[name], key)

    def _name(self, entry: bpy.types.PropertyGroup) -> str:
        if entry.target is None:
            refuse(None, f"button {entry.label} has no target: choose one in the list of action buttons")
        if entry.target.name_full not in self._parts:
            refuse(entry.target, f"button {entry.label} can't reach it: it takes no part in this run")
        if entry.change == "VALUE" and not numbers_of(entry):
            refuse(entry.target, f"button {entry.label} sets '{entry.key}', which it has not: choose its number")
        return entry.target.name_full


def numbers_of(entry: bpy.types.PropertyGroup) -> int:
    """Number of components of the number that the button sets; 0 if its target has no such number."""
    return changeable_numbers(entry.target).get(entry.key, 0)


def _is_hold(entry: bpy.types.PropertyGroup) -> bool:
    return entry.mode == "HOLD" and entry.change != "RELEASE"
