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
