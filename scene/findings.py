# SPDX-License-Identifier: GPL-3.0-or-later
"""What is wrong, or worth knowing, about the objects of a mechanism, said in words that name the remedy."""

from typing import NamedTuple

import bpy


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
    places = {part: problem.find(f"'{part.name_full}'") for part in scene.objects if part.ves.role != "NONE"}
    culprit = min((part for part, place in places.items() if place >= 0), key=places.get, default=None)
    if culprit is None:
        return Finding(None, problem)
    kind, heading, rest = problem.partition(f" '{culprit.name_full}': ")
    return Finding(culprit, rest if heading and " " not in kind else problem)
