# SPDX-License-Identifier: GPL-3.0-or-later
"""Start from This Frame: a frame of a bake becomes the start of what is baked and played from now on."""

import bpy

from ..scene.check.check import as_problems
from ..scene.findings import SceneError
from ..scene.start.begin import BeginResult, begin_at
from ..scene.start.moment import moment_of_bake
from .check import list_findings
from .modal import InObjectMode


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
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        return report_start(self, scene, result)


def report_start(operator: bpy.types.Operator, scene: bpy.types.Scene, result: BeginResult) -> set[str]:
    """Say what has become the start, and what did not go along."""
    setattr(scene.ves, getattr(operator, "status_name", "status"), result.summary)
    problems = as_problems("WARNING", result.warnings)
    for problem in problems:
        operator.report({problem.severity}, problem.text)
    list_findings(scene, problems)
    operator.report({"INFO"}, result.summary)
    return {"FINISHED"}


CLASSES = (VES_OT_start_from_frame,)
register, unregister = bpy.utils.register_classes_factory(CLASSES)
