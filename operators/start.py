# SPDX-License-Identifier: GPL-3.0-or-later
"""Other starts: Start from This Frame goes on from a frame of a bake, Settle from where all has come to rest."""

from collections.abc import Iterator

import bpy

from ..scene.bake.bake import Progress
from ..scene.check.check import as_problems
from ..scene.findings import SceneError
from ..scene.start.begin import BeginResult, begin_at
from ..scene.start.moment import moment_of_bake
from ..scene.start.settle import settle
from .check import list_findings
from .modal import InObjectMode, InSteps, cancel_running, under_way
from .polls import cancelled


class VES_OT_start_from_frame(InObjectMode, bpy.types.Operator):
    """Let all bodies start where the bake has them at this frame, as fast as they are there; Bake goes on from it"""

    bl_idname = "ves.start_from_frame"
    bl_label = "Start from This Frame"
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context: bpy.types.Context) -> set[str]:
        """The bake stays as it is until the next one."""
        scene, view_layer = context.scene, context.view_layer
        try:
            result = begin_at(scene, view_layer, moment_of_bake(scene, view_layer))
        except SceneError as error:
            list_findings(scene, [*as_problems("ERROR", error.findings), *as_problems("WARNING", error.warnings)])
            return cancelled(self, str(error))
        return report_start(self, scene, result)


class VES_OT_settle(InSteps, bpy.types.Operator):
    """Let all bodies swing, fall and slide to rest, damped, and let them start there, at rest"""

    bl_idname = "ves.settle"
    bl_label = "Settle"
    bl_options = {"REGISTER", "UNDO"}

    def steps(self, context: bpy.types.Context) -> Iterator[Progress]:
        """Read, run until all is at rest, put everything there."""
        return settle(context.scene, context.view_layer)

    def finish(self, _context: bpy.types.Context, result: BeginResult) -> set[str]:
        """Say how long it took, and what has not come to rest."""
        return report_start(self, self._scene, result)


class VES_OT_cancel_settle(bpy.types.Operator):
    """Stop settling and leave everything as it was"""

    bl_idname = "ves.cancel_settle"
    bl_label = "Cancel Settle"

    @classmethod
    def poll(cls, _context: bpy.types.Context) -> bool:
        """It must be under way."""
        return under_way() == VES_OT_settle.bl_label

    def execute(self, _context: bpy.types.Context) -> set[str]:
        """It ends at its next tick."""
        cancel_running()
        return {"FINISHED"}


def report_start(operator: bpy.types.Operator, scene: bpy.types.Scene, result: BeginResult) -> set[str]:
    """Say what has become the start, and what did not go along."""
    setattr(scene.ves, getattr(operator, "status_name", "status"), result.summary)
    problems = as_problems("WARNING", result.warnings)
    for problem in problems:
        operator.report({problem.severity}, problem.text)
    list_findings(scene, problems)
    operator.report({"INFO"}, result.summary)
    return {"FINISHED"}


CLASSES = (VES_OT_start_from_frame, VES_OT_settle, VES_OT_cancel_settle)
register, unregister = bpy.utils.register_classes_factory(CLASSES)
