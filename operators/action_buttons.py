# SPDX-License-Identifier: GPL-3.0-or-later
"""The list of action buttons: adding entries for the selected Empties, removing them and putting them in order."""

import bpy
from bpy.props import EnumProperty, StringProperty

from ..scene.play.action_buttons import add_button
from ..scene.properties.action_targets import MOTOR, can_be_steered, changeable_numbers
from ..scene.properties.play import begin_with_present
from ..scene.properties.roles import POINTING_ROLES
from .polls import cancelled, needs
from .selection import names, warn

PRESETS = [
    ("TOGGLE", "On and Off", "Switches each selected force, joint or constraint on and off", "QUIT", 0),
    ("HOLD", "Hold", "Switches each selected force or constraint on while the key is held", "MOUSE_LMB", 1),
    ("VALUE", "Set Value", "Gives a number of each selected force or joint another value", "DRIVER_TRANSFORM", 2),
    (
        "STEER",
        "Steer Left and Right",
        "Two buttons that turn the frames of the selected motors and brakes while their keys are held",
        "DRIVER_ROTATIONAL_DIFFERENCE",
        3,
    ),
    ("RELEASE", "Release", "Cuts each selected nail, joint or spring for good", "UNLINKED", 4),
]
LABELS = {"TOGGLE": "{}", "HOLD": "{}", "VALUE": "Set {}", "RELEASE": "Cut {}"}


class OnList:
    """Mixed into operators on the active entry of the list."""

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """There must be one."""
        settings = context.scene.ves
        return 0 <= settings.active_action_button < len(settings.action_buttons)


class VES_OT_add_action_button(bpy.types.Operator):
    """Add an action button for the selected forces, joints and constraints: one button that acts on all of them"""

    bl_idname = "ves.add_action_button"
    bl_label = "Add Action Button"
    bl_options = {"REGISTER", "UNDO"}

    preset: EnumProperty(name="Does", description="What the button does", items=PRESETS)
    label: StringProperty(
        name="Label", description="What the button says; nothing: it is called after what it acts on", default=""
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Something must be selected that it can act on."""
        return needs(
            cls,
            any(ob.ves.role in POINTING_ROLES for ob in context.selected_objects),
            "Select the Empties of one or more forces, joints or constraints first",
        )

    @classmethod
    def description(cls, _context: bpy.types.Context, properties: bpy.types.OperatorProperties) -> str:
        """The tooltip of an entry tells about its own preset."""
        return next(item[2] for item in PRESETS if item[0] == properties.preset)

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Entries with one label are one button."""
        targets = [ob for ob in context.selected_objects if ob.ves.role in POINTING_ROLES]
        targets.sort(key=lambda ob: (ob != context.active_object, ob.name))
        fitting = [target for target in targets if self._fits(target)]
        if not fitting:
            return cancelled(self, f"None of these can do that: {names(targets)}", "WARNING")
        if len(fitting) < len(targets):
            warn(self, f"Left out, since they can't do that: {names(ob for ob in targets if ob not in fitting)}")
        for target in fitting:
            self._add(context.scene, target, fitting[0])
        return {"FINISHED"}

    def _fits(self, target: bpy.types.Object) -> bool:
        if self.preset == "STEER":
            return can_be_steered(target)
        if self.preset == "VALUE":
            return bool(changeable_numbers(target))
        return self.preset != "HOLD" or target.ves.role != "JOINT"

    def _add(self, scene: bpy.types.Scene, target: bpy.types.Object, first: bpy.types.Object) -> None:
        if self.preset == "STEER":
            for side, sign in (("Left", 1.0), ("Right", -1.0)):
                label = f"{self.label} {side}" if self.label else f"Steer {side}"
                button = add_button(scene, label, target, "STEER", "HOLD")
                button.angle = sign * abs(button.angle)
            return
        label = self.label or LABELS[self.preset].format(first.name)
        change = self.preset if self.preset in {"VALUE", "RELEASE"} else "ENABLED"
        button = add_button(scene, label, target, change, "HOLD" if self.preset == "HOLD" else "TOGGLE")
        if self.preset == "VALUE":
            numbers = changeable_numbers(target)
            of_motor = [key for key in numbers if key.startswith(MOTOR)]
            button.key = next(iter(of_motor or numbers))
            begin_with_present(button)


class VES_OT_remove_action_button(OnList, bpy.types.Operator):
    """Remove the active entry from the list of action buttons"""

    bl_idname = "ves.remove_action_button"
    bl_label = "Remove Action Button"
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context: bpy.types.Context) -> set[str]:
        """The one before it becomes active."""
        settings = context.scene.ves
        settings.action_buttons.remove(settings.active_action_button)
        settings.active_action_button = max(0, settings.active_action_button - 1)
        return {"FINISHED"}


class VES_OT_move_action_button(OnList, bpy.types.Operator):
    """Move the active entry in the list, and so change which key its button has"""

    bl_idname = "ves.move_action_button"
    bl_label = "Move Action Button"
    bl_options = {"REGISTER", "UNDO"}

    direction: EnumProperty(
        name="Direction",
        description="Where to",
        items=[("UP", "Up", "Towards the top of the list"), ("DOWN", "Down", "Towards the end of the list")],
    )

    def execute(self, context: bpy.types.Context) -> set[str]:
        """At the end of the list nothing happens."""
        settings = context.scene.ves
        place = settings.active_action_button
        goal = place + (-1 if self.direction == "UP" else 1)
        if not 0 <= goal < len(settings.action_buttons):
            return {"CANCELLED"}
        settings.action_buttons.move(place, goal)
        settings.active_action_button = goal
        return {"FINISHED"}


CLASSES = (VES_OT_add_action_button, VES_OT_remove_action_button, VES_OT_move_action_button)
register, unregister = bpy.utils.register_classes_factory(CLASSES)
