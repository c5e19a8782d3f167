# SPDX-License-Identifier: GPL-3.0-or-later
"""Common to tests of Play: a run that is driven step by step, and small mechanisms to act on."""

from __future__ import annotations

import math
from typing import ClassVar

import bpy
from virtual_erector_set.scene.bake.bake import run_to_end
from virtual_erector_set.scene.play.action_buttons import add_button
from virtual_erector_set.scene.play.play import Play
from virtual_erector_set.scene.play.result import PlayResult

from tests.blender.linkages import part

FRAME = 1.0 / 24.0  # s


class Driver:
    """Steps a run as a window does, with a clock of its own; how busy the machine is does not matter.

    It is ended with its test at the latest: as in a window, no run outlives its file.
    """

    made: ClassVar[list[Driver]] = []

    def __init__(self) -> None:
        self.made.append(self)
        self.now = 0.0
        self.play = Play(bpy.context.scene, bpy.context.view_layer, clock=lambda: self.now, budget=math.inf)
        self.steps = self.play.steps()
        while not self.play.is_running:
            next(self.steps)

    def go_on(self, frames: float = 1.0) -> None:
        """Let the time of some frames go by, in ticks of half a frame."""
        for _ in range(round(2 * frames)):
            self.now += 0.5 * FRAME
            next(self.steps)

    def end(self) -> None:
        self.steps.close()

    def keep(self, what: str = "MOTION") -> PlayResult:
        self.play.keep(what)
        return run_to_end(self.steps)

    @property
    def done(self) -> list[tuple[int, str, dict]]:
        """(frame since the start, target, settings) of all actions."""
        return [(round(action.time / FRAME), action.target, action.set) for action in self.play._run.actions]


def end_all() -> None:
    """End what a test has left running."""
    while Driver.made:
        Driver.made.pop().end()


def force(name: str, kind: str, owner: bpy.types.Object, **values) -> bpy.types.Object:
    """A force on a body, at its origin."""
    empty = part(name, "FORCE", owner.location)
    empty.ves.force_type, empty.ves.body_a = kind, owner
    for key, value in values.items():
        setattr(empty.ves, key, value)
    return empty


def button(label: str, target: bpy.types.Object | None, change: str = "ENABLED", mode: str = "TOGGLE", **values):
    """An entry in the list of action buttons."""
    made = add_button(bpy.context.scene, label, target, change, mode)
    for key, value in values.items():
        setattr(made, key, value)
    return made
