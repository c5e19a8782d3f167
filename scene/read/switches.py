# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints, constraints and forces that keyframes or drivers switch on and off: each change becomes an action.

A switch is no number that could be a table: the solver stops at the time of an action and goes on anew.
"""

from collections.abc import Container

import bpy
import numpy as np

from ...solver.mechanism import Action, Joint, Mechanism
from ..animation.animated import is_animated, key_frames
from .reading import Reading
from .sampling import Probe

PATH = "ves.enabled"
AFTER = 1e-3  # frames: a key between two samples is looked at just after it


def takes_part_ever(reading: Reading, owner: bpy.types.Object) -> bool:
    """True if a part is on now, or may come on later."""
    return reading.is_on(owner) or is_animated(owner, PATH)


def read_switch(reading: Reading, owner: bpy.types.Object) -> None:
    """Note whether a part that has been read is on at the start, and when it changes."""
    if not is_animated(owner, PATH):
        return
    mechanism, is_on = reading.mechanism, reading.is_on(owner)
    if not is_on:
        switch_off(mechanism, {owner.name_full})
    frames = _frames(reading, owner)
    probed = np.array(list(frames))

    def use(values: np.ndarray) -> None:
        for i in np.flatnonzero(np.diff(values)) + 1:
            time = float(reading.times(frames[probed[i]]))
            mechanism.actions.append(Action(time, owner.name_full, {"enabled": bool(values[i])}))

    reading.probes.append(Probe(probed, lambda depsgraph: float(owner.evaluated_get(depsgraph).ves.enabled), use))


def switch_off(mechanism: Mechanism, names: Container[str]) -> None:
    """Lets parts of these names be off at the start; of joints the mechanism file tells that by an action."""
    for part in (*mechanism.constraints, *mechanism.forces, *mechanism.joints):
        if part.name in names and part.enabled:
            part.enabled = False
            if isinstance(part, Joint):
                mechanism.actions.append(Action(0.0, part.name, {"enabled": False}))


def _frames(reading: Reading, owner: bpy.types.Object) -> dict[float, float]:
    """The frames to look at, in order, and for each the one that it tells about."""
    sampled = {float(frame): float(frame) for frame in reading.sampled_frames}
    between = [frame for frame in key_frames(owner, PATH) if reading.first < frame < reading.last]
    found = sampled | {frame + AFTER: frame for frame in between if frame not in sampled}
    return dict(sorted(found.items()))
