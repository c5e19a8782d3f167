# SPDX-License-Identifier: GPL-3.0-or-later
"""Allowing the control program of Play and bakes, and a first one to begin with."""

import bpy

from ...scene.bake.program import allow, is_allowed

EXAMPLE = '''\
"""Control program: called at each frame, gives the values of motors by the names of their joints.

A motor of the mode Force gets a torque or force, one of Speed or Position a target (rad, rad/s, m, m/s).
"""

TARGET, STIFFNESS, DAMPING = 1.0, 20.0, 2.0


def control(time, state):
    joint = state.joints["{joint}"]
    return {{"{joint}": STIFFNESS * (TARGET - joint.position) - DAMPING * joint.speed}}
'''


class VES_OT_allow_program(bpy.types.Operator):
    """Allow the control program to run, until Blender is closed or the file is opened again. Read it before"""

    bl_idname = "ves.allow_program"
    bl_label = "Allow Program"

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """There must be one that may not run yet."""
        text = context.scene.ves.control_program
        if text is None:
            cls.poll_message_set("Choose a program first")
            return False
        if is_allowed(text):
            cls.poll_message_set("It may run already")
            return False
        return True

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        """Ask once more: it is Python, and can do anything."""
        name = context.scene.ves.control_program.name
        return context.window_manager.invoke_confirm(
            self,
            event,
            title=f"Allow {name}?",
            message="It is Python and can do whatever you can do on this computer. Allow it only if you know it.",
            confirm_text="Allow",
            icon="WARNING",
        )

    def execute(self, context: bpy.types.Context) -> set[str]:
        """For this text alone."""
        text = context.scene.ves.control_program
        allow(text)
        self.report({"INFO"}, f"{text.name} may run")
        return {"FINISHED"}


class VES_OT_new_program(bpy.types.Operator):
    """Make a control program for the active joint to begin with: a spring and a damper towards a target"""

    bl_idname = "ves.new_program"
    bl_label = "New Program"
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context: bpy.types.Context) -> set[str]:
        """You have made it, so it may run."""
        active = context.active_object
        joint = active.name if active is not None and active.ves.role == "JOINT" else "Hinge"
        text = bpy.data.texts.new("Control")
        text.write(EXAMPLE.format(joint=joint))
        context.scene.ves.control_program = text
        allow(text)
        self.report({"INFO"}, f"Made the text {text.name}: change it in the Text Editor")
        return {"FINISHED"}


CLASSES = (VES_OT_allow_program, VES_OT_new_program)
register, unregister = bpy.utils.register_classes_factory(CLASSES)
