# SPDX-License-Identifier: GPL-3.0-or-later
"""Linkages that cannot go on, or hardly: what of them is stretched, and what is keyed too far."""

import numpy as np

from ..assembly.placement import IDENTITY, Poses
from ..assembly.reach import Loops
from ..assembly.rigidity import Locked, locked_parts, note_on_locked
from ..integration import Status
from ..integration.motion.observation import Frames
from ..mechanism import Mechanism
from ..mechanism.messages import Message
from ..model.compilation import Compiled
from .recording_assembly import Stretch, assemble_recording

_JUST_BEHIND = 0.04  # of the motion
OF_CLOSURES = Status.NOT_FINITE, Status.STEP_TOO_SHORT, Status.OPEN, Status.NO_HEADWAY
"""Ends that closures may have brought about."""


def locked_now(mechanism: Mechanism, compiled: Compiled, now: Frames, time: float) -> list[Locked]:
    """Stretched parts of the linkages of a mechanism, with one of them in a frame (s) and the others at the start."""
    there = assemble_recording(mechanism, [Stretch(compiled, now)], np.array([time]))
    names = {mechanism.bodies[i].name for i in compiled.linkage.bodies[: compiled.linkage.whole]}
    poses = Poses(np.vstack([there.position[0], np.zeros(3)]), np.vstack([there.orientation[0], IDENTITY]))  # the world
    return locked_parts(mechanism, poses, names)


def reason_of_closures(mechanism: Mechanism, time: float, end: float, stretched: list[Locked]) -> Message | None:
    """Why closures could not be kept beyond a time (s) of a motion up to `end`; None if nothing is known of it."""
    notes = Loops(mechanism).unfollowed(time + _JUST_BEHIND * end) or [note_on_locked(found) for found in stretched]
    return notes[0] if notes else None
