# SPDX-License-Identifier: GPL-3.0-or-later
"""A quantity of Inspect as the F-curves of a custom property, for Blender's Graph Editor.

The curves stand in the action that the object has, in a group of their own (the Graph Editor shows no other action),
and move nothing. A plot belongs to its take: a new bake draws it anew, and where the values are gone (Clear Bake) it
goes too. What is plotted is told by the names of the custom properties alone.
"""

import bpy
import numpy as np

from ..animation.animated import PLOT
from ..animation.given_actions import count_given
from ..findings import refuse
from .quantities import XYZ, Quantity, quantities_of
from .recorded import Owner, Record, owners, without_record

PREFIX = PLOT
GROUP = "Inspect"
OWN = "ves_plot"
"""Custom property of actions that were made for plots: they are removed with the last one."""

KEYFRAME = bpy.types.Keyframe.bl_rna.properties
CODES = {
    name: KEYFRAME[name].enum_items[item].value for name, item in (("interpolation", "LINEAR"), ("type", "GENERATED"))
}


def plot(owner: Owner, quantity: Quantity, record: Record) -> str:
    """Draw a quantity, instead of an earlier plot of the same; returns the name of the custom property.

    Raises SceneError if the object or its action belongs to another file.
    """
    bag = channels_to_edit(owner)
    name = PREFIX + quantity.title
    first = quantity.values[0].tolist()
    owner[name] = first if quantity.parts else first[0]
    look = {"subtype": "XYZ"} if quantity.parts == XYZ else {}
    owner.id_properties_ui(name).update(description="Plotted by Inspect; it moves nothing", **look)
    _remove_curves(bag, name)
    group = next((group for group in bag.groups if group.name == GROUP), None) or bag.groups.new(GROUP)
    frames = record.first + np.arange(len(quantity.values))
    for curve in bag.fcurves:
        curve.select = False
    for i, column in enumerate(quantity.values.T):
        curve = bag.fcurves.new(_path(name), index=i)
        curve.group = group
        curve.keyframe_points.add(len(column))
        curve.keyframe_points.foreach_set("co", np.column_stack([frames, column]).astype(np.float32).ravel())
        for setting, code in CODES.items():
            curve.keyframe_points.foreach_set(setting, np.full(len(column), code, dtype=np.uint8))
        curve.select = True
        curve.update()
    owner.update_tag()  # or the evaluated copy would not know the property
    return name


def plotted(owner: Owner) -> list[str]:
    """The names of the custom properties that are plots."""
    return [name for name in owner.keys() if name.startswith(PREFIX)]  # noqa: SIM118 - an ID is no dictionary


def remove_plots(owner: Owner, names: list[str] | None = None) -> None:
    """Take plots away, all of them unless there are `names`, and their action if it was made for them."""
    bag = _channels(owner)
    for name in plotted(owner) if names is None else names:
        if bag is not None:
            _remove_curves(bag, name)
        if name in owner:
            del owner[name]
    animation = owner.animation_data
    action = animation.action if animation else None
    if action is None or bag is None or len(bag.fcurves) > 0:
        return
    if OWN in action:
        animation.action = None
        if action.users == 0:
            bpy.data.actions.remove(action)
        if not animation.nla_tracks and not animation.drivers:
            owner.animation_data_clear()


def renew_plots(scene: bpy.types.Scene) -> None:
    """Draw all plots of the scene anew, from the values that it has now; remove those that have none."""
    for owner in owners(scene):
        names = plotted(owner)
        if not names:
            continue
        record, found = quantities_of(owner, scene)
        known = {PREFIX + quantity.title: quantity for quantity in found}
        remove_plots(owner, [name for name in names if name not in known])
        for name in names:
            if name in known:
                plot(owner, known[name], record)


def remove_stale_plots(scene: bpy.types.Scene) -> int:
    """Take away the plots of all that has no values any more; returns how many there were."""
    count = 0
    for owner in without_record(scene):
        found = {PREFIX + quantity.title for quantity in quantities_of(owner, scene)[1]}  # by Find Torques
        names = [name for name in plotted(owner) if name not in found]
        if names:
            remove_plots(owner, names)
            count += len(names)
    return count


def _path(name: str) -> str:
    return f'["{bpy.utils.escape_identifier(name)}"]'


def _remove_curves(bag: bpy.types.ActionChannelbag, name: str) -> None:
    for curve in [curve for curve in bag.fcurves if curve.data_path == _path(name)]:
        bag.fcurves.remove(curve)
    group = next((group for group in bag.groups if group.name == GROUP), None)
    if group is not None and len(group.channels) == 0:
        bag.groups.remove(group)


def _channels(owner: Owner) -> bpy.types.ActionChannelbag | None:
    """The channels that the object shows now, if there are any."""
    animation = owner.animation_data
    if animation is None or animation.action is None or animation.action_slot is None:
        return None
    strips = [strip for layer in animation.action.layers for strip in layer.strips]
    return strips[0].channelbag(animation.action_slot) if strips else None


def channels_to_edit(owner: Owner) -> bpy.types.ActionChannelbag:
    """Those, or new ones in the object's action, or in a new action."""
    animation = owner.animation_data or (owner.animation_data_create() if owner.is_editable else None)
    if not owner.is_editable or (animation.action is not None and not animation.action.is_editable):
        refuse(None, f"{owner.name} or its action is linked from another file: make a library override first")
    if animation.action is None:
        animation.action = bpy.data.actions.new(f"{owner.name} Plot")
        animation.action[OWN] = True
        count_given(owner)
    action = animation.action
    if animation.action_slot is None:
        animation.action_slot = action.slots.new(id_type=owner.id_type, name=owner.name)
    layer = action.layers[0] if action.layers else action.layers.new("Layer")
    strip = layer.strips[0] if layer.strips else layer.strips.new(type="KEYFRAME")
    return strip.channelbag(animation.action_slot, ensure=True)
