# SPDX-License-Identifier: GPL-3.0-or-later
"""One thing that Check has to say."""

from typing import NamedTuple

import bpy


class Problem(NamedTuple):
    """A sentence that names the object and the remedy; severity is ERROR, WARNING or INFO."""

    severity: str
    culprit: bpy.types.Object | None
    text: str


def error(culprit: bpy.types.Object | None, text: str) -> Problem:
    """The mechanism can't run like this."""
    return Problem("ERROR", culprit, text)


def warning(culprit: bpy.types.Object | None, text: str) -> Problem:
    """It runs, but perhaps not as meant."""
    return Problem("WARNING", culprit, text)


def note(culprit: bpy.types.Object | None, text: str) -> Problem:
    """Good to know."""
    return Problem("INFO", culprit, text)
