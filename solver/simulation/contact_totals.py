# SPDX-License-Identifier: GPL-3.0-or-later
"""Totals of contacts in a linkage's run, wherever its integrator keeps them, and how deep bodies start in each other.

A tally is what they gave since the last frame: (B, 6) N m s and N s, and the hardest impact, (B,) N s.
"""

from typing import NamedTuple

import numpy as np

from ..contact.detection.ground import touch_ground
from ..contact.impulses.workspace import IMPACT
from ..contact.soft.parameters import contact_scratch
from ..dynamics.tree.driven import update_driven_bodies
from ..integration.impulse.memory import ImpulseMemory
from ..integration.motion.observation import Frames
from ..model.arrays import Scratch
from ..model.linkage.compilation import Compiled
from ..model.poses import rotation_matrices


class StartOverlap(NamedTuple):
    """Two bodies of a linkage (numbers of the kernels) that begin in each other: how deep (m; thicknesses)."""

    body: tuple[int, int]
    depth: float
    part: float


Tally = tuple[np.ndarray, ...]


def tally_of(scratch: Scratch, memory) -> Tally:
    """The tally of now; nothing where nothing touches."""
    if scratch.soft is not None:
        return scratch.soft.given.copy(), scratch.soft.hardest.copy()
    if isinstance(memory, ImpulseMemory):
        return memory.arrays.contact.given.copy(), memory.arrays.contact.hardest.copy()
    return ()


def go_on_from(tally: Tally, scratch: Scratch, memory) -> None:
    """Puts a tally of the same linkage in the place of that of now."""
    home = scratch.soft if scratch.soft is not None else None
    if isinstance(memory, ImpulseMemory):
        home = memory.arrays.contact
    if tally and home is not None:
        home.given[:], home.hardest[:] = tally


def impacts_of(memory) -> np.recarray:
    """(I,) IMPACT: all impacts so far, in their order."""
    if not isinstance(memory, ImpulseMemory) or not memory.impacts:
        return np.recarray(0, IMPACT)
    return np.concatenate(memory.impacts).view(np.recarray)


def hand_on_impacts(before, after, time: float) -> None:
    """From the memory of a linkage to a new one that goes on from a time (s)."""
    if isinstance(before, ImpulseMemory):
        before.forget_impacts(time)
        after.impacts, after.overlaps, after.gains = before.impacts, before.overlaps, before.gains
        after.overlaps.hand_over(after.arrays.contact.deepest)
        after.gains.hand_over(after.arrays.islands.worst)


def deepest_overlap(memory) -> np.record | None:
    """OVERLAP: the deepest so far, if anything overlapped."""
    return memory.overlaps.latest if isinstance(memory, ImpulseMemory) else None


def largest_gain(memory) -> np.record | None:
    """GAIN: the largest so far that nothing could pay, if there was one."""
    return memory.gains.latest if isinstance(memory, ImpulseMemory) else None


def overlap_at_start(compiled: Compiled, frames: Frames, time: float) -> StartOverlap | None:
    """The deepest in the first frame, at a time (s), of all parts that are thick; a mesh is not."""
    scratch, finder = contact_scratch(compiled)
    soft, bodies, driven = scratch.soft, scratch.bodies, compiled.model.driven
    if soft is None or not np.isfinite(soft.ahead):  # meshes alone
        return None
    update_driven_bodies(compiled.model, time, scratch)
    bodies.center[driven:] = frames.center[0]
    bodies.rotation[driven:] = rotation_matrices(frames.orientation[0]).reshape(-1, 9)
    found = max(0, finder.callback(0)) if finder else 0
    if soft.has_ground:
        found = touch_ground(soft.shapes, bodies, soft.height, soft.level, soft.points, found)
    points = soft.points[: min(found, len(soft.points))]
    if not len(points):
        return None
    part = -points.gap / (2.0 * soft.thickness[points.part].min(axis=1))
    k = int(np.argmax(part))
    return StartOverlap(tuple(points.body[k].tolist()), float(-points.gap[k]), float(part[k]))
