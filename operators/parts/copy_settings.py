# SPDX-License-Identifier: GPL-3.0-or-later
"""Copying the settings of the active body, joint, constraint or force to the other selected ones of its kind."""

import bpy

from ...scene.parts.tables import copy_tables
from ...scene.properties.body import BodyProperties
from ...scene.properties.constraint import GenericProperties
from ...scene.properties.contact import ContactProperties
from ...scene.properties.force import ForceProperties
from ...scene.properties.joint import JointProperties
from ...scene.properties.roles import CONSTRAINTS
from ..selection import count, names

BOOKKEEPING = {"is_baked", "kept_action", "kept_slot", "ghost_action", "before_ghost"}
OWN_PAIRS = {"contact_ignored"}
OWN_PLACE = {"point_b", "balance_feet"}  # where a spring is fastened, or what a figure stands on, is no setting
ROWS = {"pull_table"}  # copied row by row
COPIED = {
    "BODY": [
        *(name for name in BodyProperties.__annotations__ if name not in BOOKKEEPING),
        *(name for name in ContactProperties.__annotations__ if name not in OWN_PAIRS),
    ],
    "JOINT": [
        "enabled",
        "catch_time",
        "catch_within",
        "catch_force",
        *JointProperties.__annotations__,
        *GenericProperties.__annotations__,
    ],
    **{name: ["enabled", *role.copied] for name, role in CONSTRAINTS.items()},
    "FORCE": ["enabled", *(name for name in ForceProperties.__annotations__ if name not in OWN_PLACE | ROWS)],
}


class VES_OT_copy_settings(bpy.types.Operator):
    """Give the other selected objects of its kind the settings of the active one; meshes become bodies like it"""

    bl_idname = "ves.copy_settings"
    bl_label = "Copy Settings"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Needs an active object that has settings, and others beside it."""
        active = context.active_object
        if active is None or active.ves.role == "NONE":
            cls.poll_message_set("The active object must be a body, joint, constraint or force")
            return False
        if not any(ob != active for ob in context.selected_objects):
            cls.poll_message_set("Select the objects to copy to as well")
            return False
        return True

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Copies all but the bodies that a joint is fastened to."""
        source = context.active_object
        role = source.ves.role
        others = [ob for ob in context.selected_objects if ob != source]
        targets = [ob for ob in others if ob.is_editable and self._takes(ob, role)]
        for target in targets:
            target.ves.role = role
            for name in COPIED[role]:
                setattr(target.ves, name, getattr(source.ves, name))
            if role in {"FORCE", "JOINT"}:
                copy_tables(source.ves, target.ves)
        skipped = [ob for ob in others if ob not in targets]
        if skipped:
            kind = role.lower().replace("_", "-")
            self.report({"WARNING"}, f"Not a {kind} that can be edited, skipped: {names(skipped)}")
        self.report({"INFO"}, f"Copied the settings of {source.name} to {count(len(targets), 'object')}")
        return {"FINISHED"} if targets else {"CANCELLED"}

    @staticmethod
    def _takes(ob: bpy.types.Object, role: str) -> bool:
        return ob.ves.role == role or (role == "BODY" and ob.type == "MESH" and ob.ves.role == "NONE")


CLASSES = (VES_OT_copy_settings,)
register, unregister = bpy.utils.register_classes_factory(CLASSES)
