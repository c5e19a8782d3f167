# SPDX-License-Identifier: GPL-3.0-or-later
"""The three formulas of an expression's Empty, and what of them is not understood."""

import bpy

from ...solver.mechanism.arithmetic import program_of

AXES = "xyz"


def formulas_of(settings: bpy.types.PropertyGroup) -> list[str]:
    """Those of the force along x, y and z; an empty field is no force."""
    return [getattr(settings, f"expression_{axis}").strip() or "0" for axis in AXES]


def not_understood(settings: bpy.types.PropertyGroup) -> dict[str, str]:
    """The mistake, in a sentence that begins with a verb, by the axis of the formula."""
    programs = zip(AXES, map(program_of, formulas_of(settings)), strict=True)
    return {axis: found for axis, found in programs if isinstance(found, str)}
