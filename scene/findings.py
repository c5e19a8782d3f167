# SPDX-License-Identifier: GPL-3.0-or-later
"""Findings: sentences on the objects of a mechanism, in words that name the remedy."""

import re
from typing import NamedTuple

import bpy

REMEDIES = {
    "use assemble to close it": "use Snap Together",
    "use impulse or auto, or set enabled of contact to false": "choose Standard under Bake, or switch Contact off",
    "use adams, runge-kutta, impulse or auto": "choose Standard under Bake",
    "or use auto": "or choose Standard under Bake",
    "integrator variational": "Perpetual",
}
"""What the solver tells a person without Blender to do, and what that is here."""

REDUNDANT = "redundant: "


class Finding(NamedTuple):
    """One sentence about one object (None: about the whole mechanism)."""

    object: bpy.types.Object | None
    text: str

    def __str__(self) -> str:
        return f"{self.object.name}: {self.text}" if self.object else self.text


class SceneError(Exception):
    """The scene can't be simulated as it is. `findings` names every object that is in the way, `warnings` the rest."""

    def __init__(self, findings: list[Finding], warnings: list[Finding] | None = None) -> None:
        self.findings, self.warnings = list(findings), list(warnings or [])
        super().__init__("\n".join(map(str, self.findings)))


def refuse(culprit: bpy.types.Object | None, text: str) -> SceneError:
    """The error with a single finding."""
    return SceneError([Finding(culprit, text)])


def of_solver(problem: str, scene: bpy.types.Scene) -> Finding:
    """A problem of the mechanism ("joint 'Hinge': closes a loop") as a finding about the first object that it names."""
    for other, here in REMEDIES.items():
        problem = problem.replace(other, here)
    places = {part: problem.find(f"'{part.name_full}'") for part in scene.objects if part.ves.role != "NONE"}
    culprit = min((part for part, place in places.items() if place >= 0), key=places.get, default=None)
    if culprit is None:
        return Finding(None, problem)
    kind, heading, rest = problem.partition(f" '{culprit.name_full}': ")
    return Finding(culprit, rest if heading and " " not in kind else problem)


def of_note(note: str, scene: bpy.types.Scene, first_frame: int) -> Finding:
    """A note of the solver on a simulation from `first_frame` on, as a finding about the first object that it names."""
    if note.startswith(REDUNDANT):
        names = note.removeprefix(REDUNDANT).rpartition(": ")[0]
        return of_solver(f"{names}: redundant; the motion is right, single forces in that loop are not unique", scene)
    return of_solver(re.sub(r"from frame (\d+) on", lambda m: f"from frame {first_frame + int(m[1])} on", note), scene)
