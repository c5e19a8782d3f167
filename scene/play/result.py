# SPDX-License-Identifier: GPL-3.0-or-later
"""The part of a run of Play that was kept."""

from dataclasses import dataclass, field
from typing import NamedTuple

import bpy

from ...solver import Recording
from ...solver.mechanism import Mechanism
from ..findings import Finding
from ..read.reading import Reading

MOTION, ACTIONS, VALUES, START, POSE = "MOTION", "ACTIONS", "VALUES", "START", "POSE"
"""What is kept: keyframes and the recorded actions, these alone, the settings as they were turned, or the last moment,
as the next start or a pose."""


class Ended(NamedTuple):
    """A run whose last moment is kept: what was read, what has run, and how."""

    reading: Reading
    mechanism: Mechanism
    recording: Recording
    is_pose: bool


@dataclass
class PlayResult:
    """The part of a run that was kept: frames as keyframes (None: none), and entries in the recorded actions.

    `ended`: instead of frames, its last moment is to be kept.
    """

    frames: tuple[int, int] | None = None
    actions: int = 0
    settings: int = 0
    warnings: list[Finding] = field(default_factory=list)
    advice: list[Finding] = field(default_factory=list)
    failure: str = ""
    culprits: list[bpy.types.Object] = field(default_factory=list)
    ended: Ended | None = None

    @property
    def summary(self) -> str:
        """One line for the status bar and the panel."""
        if self.settings:
            return f"Kept {self.settings} {'setting' if self.settings == 1 else 'settings'} as they were turned"
        actions = f"{self.actions} recorded {'action' if self.actions == 1 else 'actions'}"
        if self.frames:
            kept = f"Kept frames {self.frames[0]} to {self.frames[1]}" + (f" and {actions}" if self.actions else "")
        else:
            kept = f"Kept {actions}" if self.actions else "Nothing was done, so there is nothing to keep"
        return f"{kept}. {self.failure}" if self.failure else kept
