# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints, constraints and forces that keyframes or drivers switch on and off: each change becomes an action.

A switch is no number that could be a table: the solver stops at the time of an action and goes on anew.
"""

import bpy
import numpy as np

from ...solver.mechanism import Action
from ..animation.animated import is_animated, key_frames
from .reading import Reading
from .sampling import Probe

PATH = "ves.enabled"
AFTER = 1e-3  # frames: a key between two samples is looked at just after it


def takes_part_ever(reading: Reading, owner: bpy.types.Object) -> bool:
    """True if a part is on now, or is a constraint or force that may come on later."""
    if reading.is_on(owner):
        return True
    if owner.ves.role == "JOINT" and is_animated(owner, PATH):
        reading.warn(
            owner,
            "is switched off at the start and takes no part: a joint can be cut, but not made, while the motion runs; "
            "use Point to Point",
        )
        return False
    return is_animated(owner, PATH)


def read_switch(reading: Reading, owner: bpy.types.Object) -> None:
    """Note whether a part that has been read is on at the start, and when it changes."""
    if not is_animated(owner, PATH):
        return
    mechanism = reading.mechanism
    part = next((part for part in (*mechanism.constraints, *mechanism.forces) if part.name == owner.name_full), None)
    if part is not None:
        part.enabled = reading.is_on(owner)
    frames = _frames(reading, owner)
    probed = np.array(list(frames))

    def use(values: np.ndarray) -> None:
        is_joint = owner.ves.role == "JOINT"
        for i in np.flatnonzero(np.diff(values)) + 1:
            if is_joint and values[i]:
                reading.warn(owner, "is switched on again, but a joint that was cut stays cut: use Point to Point")
                return
            time = float(reading.times(frames[probed[i]]))
            mechanism.actions.append(Action(time, owner.name_full, {"enabled": bool(values[i])}))

    reading.probes.append(Probe(probed, lambda depsgraph: float(owner.evaluated_get(depsgraph).ves.enabled), use))


def _frames(reading: Reading, owner: bpy.types.Object) -> dict[float, float]:
    """The frames to look at, in order, and for each the one that it tells about."""
    sampled = {float(frame): float(frame) for frame in reading.sampled_frames}
    between = [frame for frame in key_frames(owner, PATH) if reading.first < frame < reading.last]
    found = sampled | {frame + AFTER: frame for frame in between if frame not in sampled}
    return dict(sorted(found.items()))
