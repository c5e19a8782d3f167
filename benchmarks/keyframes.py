# SPDX-License-Identifier: GPL-3.0-or-later
"""The time to write the solved poses of many objects as keyframes."""

from statistics import median

from .blender import ask_blender
from .machine import Machine
from .table import Row, Section

OBJECTS = 100
KEYFRAMES, POSES = 30_000, 300  # keys on single channels; frames
CHANNELS = {"XYZ": 6, "QUATERNION": 7}
LIMIT = 0.5  # s


def measure(_machine: Machine) -> Section:
    """30,000 keyframes as promised, and 30,000 whole poses, in both usual rotation modes."""
    rows = []
    for mode, channels in CHANNELS.items():
        for frames, promised in ((-(-KEYFRAMES // (OBJECTS * channels)), True), (POSES, False)):
            answer = ask_blender("keyframes", OBJECTS, frames, mode)
            times = answer["times"]
            rows.append(
                Row(
                    f"{OBJECTS * frames * channels} keys: {OBJECTS} objects x {frames} frames, {mode}",
                    f"{min(times):.3f} / {median(times):.3f} s",
                    target=f"< {LIMIT:g} s" if promised else "",
                    met=median(times) < LIMIT if promised else None,
                )
            )
    remarks = [
        f"Blender {answer['version']}; least / median of {len(times)} runs, each from a fresh file",
        "from solved poses to actions on the objects; a key is one point of one channel's curve, with its handles",
    ]
    return Section("Blender: writing keyframes", rows, remarks)
