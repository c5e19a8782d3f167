# SPDX-License-Identifier: GPL-3.0-or-later
"""Limits of a run: what asks for more is refused before memory or time is taken for it.

Frames are kept until the end, so that memory bounds them times bodies; fixed steps are bounded by their number.
"""

import ctypes
import functools
import math
import os
import sys

from ..mechanism import Mechanism
from ..mechanism.error import refuse_run
from ..mechanism.messages import Message
from ..mechanism.value_rules import LARGEST, SMALLEST, shown

MOST_SUBSTEPS = 1_000_000  # in a frame
MOST_STEPS = 1_000_000_000  # of one length in a run: half an hour for a pendulum
BYTES_PER_BODY = 800  # of a frame, in the linkages and in the recording that is made of them
BYTES_PER_TIE = 300  # of a joint or a constraint
_UNKNOWN_MEMORY = 16 << 30  # bytes: of a machine that does not tell


def refuse_number(name: str, value: float, may_be_zero: bool = False) -> None:
    """Raises RunError for a number of a run (duration, s; frame_rate, 1/s; a tolerance) by which others overflow."""
    least = 0.0 if may_be_zero else SMALLEST
    if not least <= value <= LARGEST:
        refuse_run(Message("run-number", option=name, least=f"{least:g}", most=f"{LARGEST:g}", value=shown(value)))


def refuse_substeps(substeps: float) -> None:
    """Raises RunError for steps a frame that are no whole number, or so many that no frame comes to its end."""
    if not 1 <= substeps <= MOST_SUBSTEPS or substeps != int(substeps):
        refuse_run(Message("run-substeps", most=MOST_SUBSTEPS, value=shown(substeps)))


def count_frames(duration: float, frame_rate: float) -> int:
    """Frames from 0 s to the duration, both included."""
    return math.floor(duration * frame_rate + 1e-9) + 1


def refuse_frames(frames: int, bodies: int, ties: int = 0) -> None:
    """Raises RunError if so many frames of bodies, and of joints and constraints between them, exceed the memory."""
    size = frames * (BYTES_PER_BODY * max(1, bodies) + BYTES_PER_TIE * ties)
    if size > memory():
        asked, available = f"{size / 1e9:.3g} GB", f"{memory() / 1e9:.3g} GB"
        frames = f"{frames:.6g}" if frames > 10**6 else str(frames)
        of_what = "1 body" if bodies == 1 else f"{bodies} bodies"
        refuse_run(Message("too-many-frames", frames=frames, bodies=of_what, asked=asked, available=available))


def refuse_frames_of(mechanism: Mechanism, frames: int) -> None:
    """Raises RunError if so many frames of a mechanism exceed the memory."""
    refuse_frames(frames, len(mechanism.bodies), len(mechanism.joints) + len(mechanism.constraints))


def refuse_steps(duration: float, interval: float) -> None:
    """Raises RunError if steps of one length (s) are so many that the run does not come to its end."""
    if duration / interval > MOST_STEPS:
        refuse_run(Message("too-many-steps", steps=f"{duration / interval:.4g}", most=f"{MOST_STEPS:.4g}"))


@functools.cache
def memory() -> int:
    """Bytes of this machine."""
    try:
        if sys.platform == "win32":
            kilobytes = ctypes.c_ulonglong(0)
            known = ctypes.windll.kernel32.GetPhysicallyInstalledSystemMemory(ctypes.byref(kilobytes))
            return kilobytes.value << 10 if known else _UNKNOWN_MEMORY
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return _UNKNOWN_MEMORY
