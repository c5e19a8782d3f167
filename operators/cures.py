# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators that put right what a finding says; their buttons stand beside it."""

import bpy
from bpy.props import StringProperty

from ..scene.animation.animated import moves_by_itself
from ..scene.animation.kept import clear_bakes, is_baked
from ..scene.check.check import find_problems
from ..scene.parts.bodies import is_body
from ..scene.read.sampling import show_frame, shown_frame
from .check import list_findings
from .modal import WhenIdle
from .polls import cancelled


class VES_OT_turn_contact_on(WhenIdle, bpy.types.Operator):
    """Let bodies touch each other and the ground, instead of falling or going through"""

    bl_idname = "ves.turn_contact_on"
    bl_label = "Turn Contact On"
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context: bpy.types.Context) -> set[str]:
        """The findings are looked for anew."""
        context.scene.ves.use_contact = True
        _check_again(context)
        return {"FINISHED"}


class VES_OT_hold(WhenIdle, bpy.types.Operator):
    """Hold this body: make it Fixed, or Keyed if it is animated, so that what hangs on it does not fall for ever"""

    bl_idname = "ves.hold"
    bl_label = "Hold This One"
    bl_options = {"REGISTER", "UNDO"}

    body: StringProperty(name="Body", description="Name of the body; the active one if empty", options={"SKIP_SAVE"})

    def execute(self, context: bpy.types.Context) -> set[str]:
        """A bake of the body is cleared, since it would go on falling by that."""
        scene = context.scene
        body = scene.objects.get(self.body) if self.body else context.active_object
        if not is_body(body):
            text = f"{self.body} is no body of this scene" if self.body else "Select a body first"
            return cancelled(self, text, "WARNING")
        if is_baked(body):
            clear_bakes([body])
            show_frame(scene, shown_frame(scene))
        body.ves.motion = "KEYED" if moves_by_itself(body) else "FIXED"
        self.report({"INFO"}, f"{body.name} is {body.ves.motion.capitalize()} now, and holds what hangs on it")
        _check_again(context)
        return {"FINISHED"}


def _check_again(context: bpy.types.Context) -> None:
    """Find anew, since what was found is no longer so."""
    if context.scene.ves.was_checked:
        list_findings(context.scene, find_problems(context))


CLASSES = (VES_OT_turn_contact_on, VES_OT_hold)
register, unregister = bpy.utils.register_classes_factory(CLASSES)
