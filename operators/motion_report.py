# SPDX-License-Identifier: GPL-3.0-or-later
"""Reports of Bake and Play when they are done."""

import bpy

from ..scene.bake.bake import BakeResult
from ..scene.check.check import as_problems
from ..scene.play.result import PlayResult
from .check import list_findings
from .selection import select_visible


def report_motion(
    operator: bpy.types.Operator, context: bpy.types.Context, scene: bpy.types.Scene, result: BakeResult | PlayResult
) -> set[str]:
    """Say what was kept, what should be known about it, and whose fault it is if it stopped early."""
    setattr(scene.ves, operator.status_name, result.summary)
    problems = as_problems("WARNING", [*result.warnings, *result.advice])
    for problem in problems:
        operator.report({problem.severity}, problem.text)
    list_findings(scene, problems)
    scene.ves.was_checked = bool(problems)
    if result.failure:
        select_visible(context, result.culprits)
    operator.report({"WARNING"} if result.failure else {"INFO"}, result.summary)
    return {"FINISHED"}
