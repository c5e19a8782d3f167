# SPDX-License-Identifier: GPL-3.0-or-later
"""Checking the set-up, and going to the object that a finding is about."""

from collections.abc import Sequence

import bpy
from bpy.props import IntProperty

from ..scene.bake.state import compare_now
from ..scene.check.check import Problem, find_problems
from .polls import cancelled, in_object_mode, needs
from .selection import count, select_only


class VES_OT_check(bpy.types.Operator):
    """Look for what is wrong with the set-up and say what can be done about it"""

    bl_idname = "ves.check"
    bl_label = "Check"
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context: bpy.types.Context) -> set[str]:
        """The findings go to `Scene.ves.findings`."""
        compare_now(context.scene)
        problems = find_problems(context)
        list_findings(context.scene, problems)
        self.report({"WARNING"} if problems else {"INFO"}, summary([problem.severity for problem in problems]))
        return {"FINISHED"}


def list_findings(scene: bpy.types.Scene, problems: Sequence[Problem]) -> None:
    """Show these in the panel, instead of what was found before."""
    settings = scene.ves
    settings.findings.clear()
    for problem in problems:
        finding = settings.findings.add()
        finding.severity, finding.culprit, finding.text = problem.severity, problem.culprit, problem.text
        finding.cure = problem.cure
    settings.active_finding = 0
    settings.was_checked = True


def summary(severities: list[str]) -> str:
    """The findings counted, or that nothing is wrong."""
    return "Check found " + in_words(severities) if severities else "Check found nothing wrong"


def in_words(severities: list[str]) -> str:
    """`2 errors, 1 warning`."""
    nouns = {"ERROR": "error", "WARNING": "warning", "INFO": "note"}
    return ", ".join(count(severities.count(key), noun) for key, noun in nouns.items() if key in severities)


class VES_OT_select_culprit(bpy.types.Operator):
    """Select the object that the finding is about, and look at it"""

    bl_idname = "ves.select_culprit"
    bl_label = "Select Culprit"
    bl_options = {"REGISTER", "UNDO"}

    index: IntProperty(
        name="Finding", description="Position in the list of findings; -1 is the active one", default=-1, min=-1
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """There must be findings."""
        return in_object_mode(cls, context) and needs(cls, context.scene.ves.findings, "Check has found nothing yet")

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Hidden objects are shown; what can't be selected is named."""
        settings = context.scene.ves
        index = settings.active_finding if self.index < 0 else self.index
        if index >= len(settings.findings):
            return cancelled(self, "There is no such finding: press Check again", "WARNING")
        settings.active_finding = index
        culprit = settings.findings[index].culprit
        if culprit is None or context.scene.objects.get(culprit.name) != culprit:
            self.report({"INFO"}, "This finding is about the whole scene, or its object is gone: press Check again")
            return {"CANCELLED"}
        if culprit.name not in context.view_layer.objects:
            self.report(
                {"WARNING"}, f"{culprit.name} is not in this view layer: include its collection in the Outliner"
            )
            return {"CANCELLED"}
        culprit.hide_set(False)
        select_only(context, [culprit])
        if context.area is not None and context.area.type == "VIEW_3D":
            bpy.ops.view3d.view_selected()
        return {"FINISHED"}


CLASSES = (VES_OT_check, VES_OT_select_culprit)
register, unregister = bpy.utils.register_classes_factory(CLASSES)
