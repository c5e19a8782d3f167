# SPDX-License-Identifier: GPL-3.0-or-later
"""The F-curves and drivers of an object or a scene."""

from collections.abc import Iterator

import bpy


def animated_paths(ob: bpy.types.Object | bpy.types.Scene) -> Iterator[str]:
    """Data paths of an object or scene that have an F-curve in action or NLA strips, or a driver, that is not muted."""
    data = ob.animation_data
    if data is None:
        return
    yield from (driver.data_path for driver in data.drivers if not driver.mute)
    yield from _action_paths(data.action, data.action_slot)
    for track in data.nla_tracks:
        if not track.mute:
            for strip in track.strips:
                yield from _action_paths(strip.action, strip.action_slot)


def own_curves(ob: bpy.types.Object) -> Iterator[bpy.types.FCurve]:
    """The F-curves of the object's own action."""
    data = ob.animation_data
    if data is not None:
        yield from _curves(data.action, data.action_slot)


def _action_paths(action: bpy.types.Action | None, slot: bpy.types.ActionSlot | None) -> Iterator[str]:
    yield from (curve.data_path for curve in _curves(action, slot) if not curve.mute)


def _curves(action: bpy.types.Action | None, slot: bpy.types.ActionSlot | None) -> Iterator[bpy.types.FCurve]:
    if action is None or slot is None:
        return
    for layer in action.layers:
        for strip in layer.strips:
            channels = strip.channelbag(slot)
            if channels is not None:
                yield from channels.fcurves
