# SPDX-License-Identifier: GPL-3.0-or-later
"""Locked channels of bones: physics moves them all the same, and a person should know which."""

import bpy
import numpy as np

from ..findings import Finding
from ..owner import Owner, rotation_path
from ..read.reading import BodyBinding
from .write_keyframes import bag_of

AT_REST = 1e-3  # rad or m: what moves less is not told
MOST = 6


def locked_channels(bodies: list[BodyBinding], made: list[tuple[bpy.types.Object, bpy.types.Action]]) -> list[Finding]:
    """A finding for each rig whose new keys move channels that are locked."""
    findings = []
    for holder, action in made:
        bag = bag_of(action, action.slots[0])
        owners = [each.owner.control or each.owner for each in bodies if each.owner.holder == holder]
        told = [text for each in owners if each.bone is not None and (text := _locked(each, bag))]
        if told:
            more = f"; and {len(told) - MOST} more bones" if len(told) > MOST else ""
            text = f"locked channels have keys, since physics moves them: {'; '.join(told[:MOST])}{more}"
            findings.append(Finding(holder, text, is_fact=True))
    return findings


def _locked(owner: Owner, bag: bpy.types.ActionChannelbag) -> str:
    """The locked channels of a bone that its keys move, in words; "" if there are none."""
    bone, turn = owner.bone, rotation_path(owner.rotation_mode)
    turns = list(bone.lock_rotation)
    if turn != "rotation_euler":
        turns.insert(0, bone.lock_rotation_w)
    found = []
    for path, names, locks in (("location", "XYZ", bone.lock_location), (turn, "WXYZ"[-len(turns) :], turns)):
        moved = [name for i, name in enumerate(names) if locks[i] and _way(bag, owner.channel(path), i) > AT_REST]
        if moved:
            found.append(f"{path.partition('_')[0]} {', '.join(moved)}")
    return f"{bone.name} ({' and '.join(found)})" if found else ""


def _way(bag: bpy.types.ActionChannelbag, path: str, index: int) -> float:
    """Extent of the keys of a channel."""
    curve = bag.fcurves.find(path, index=index)
    if curve is None or not len(curve.keyframe_points):
        return 0.0
    points = np.empty(2 * len(curve.keyframe_points), np.float32)
    curve.keyframe_points.foreach_get("co", points)
    return float(np.ptp(points[1::2]))
