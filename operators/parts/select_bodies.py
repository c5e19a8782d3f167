# SPDX-License-Identifier: GPL-3.0-or-later
"""From joints, constraints and forces to the bodies that they are fastened to, and from a part to its whole linkage."""

import bpy
from bpy.props import BoolProperty, StringProperty

from ...scene.parts.linkages import chosen_linkages, ends_of
from ...scene.properties.roles import POINTING_ROLES
from ..modal import InObjectMode
from ..polls import cancelled, needs_selected
from ..selection import count, select_only


class VES_OT_select_bodies(bpy.types.Operator):
    """Select the bodies that the selected joints, constraints and forces are fastened to, the first one active"""

    bl_idname = "ves.select_bodies"
    bl_label = "Select Its Bodies"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Something that is fastened to bodies must be selected."""
        text = "Select joints, constraints or forces"
        return needs_selected(cls, context, lambda ob: ob.ves.role in POINTING_ROLES, text)

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Those that are in the view layer."""
        parts = [ob for ob in context.selected_objects if ob.ves.role in POINTING_ROLES]
        bodies = list(dict.fromkeys(body for part in parts for body in ends_of(part)))
        if not bodies:
            return cancelled(self, "It is fastened to no body", "WARNING")
        select_only(context, bodies[::-1])
        return {"FINISHED"}


class VES_OT_select_linkage(InObjectMode, bpy.types.Operator):
    """Select everything that hangs together with what is selected: bodies, joints and constraints"""

    bl_idname = "ves.select_linkage"
    bl_label = "Select Linkage"
    bl_options = {"REGISTER", "UNDO"}

    bodies_only: BoolProperty(name="Bodies Only", description="Leave joints and constraints unselected", default=False)

    def execute(self, context: bpy.types.Context) -> set[str]:
        """The active object stays the active one. What does not move belongs to every linkage that it holds."""
        chosen = [ob for ob in context.selected_objects if ob.ves.role != "NONE"]
        linkages = chosen_linkages(context.scene, chosen) if chosen else []
        if not linkages:
            return cancelled(self, "Nothing of the selection hangs on a joint or constraint", "WARNING")
        active = context.active_object
        bodies = {body for linkage in linkages for body in linkage.ends}
        ties = {tie for linkage in linkages for tie in linkage.ties}
        wanted = sorted(bodies if self.bodies_only else bodies | ties, key=lambda ob: (ob == active, ob.name))
        select_only(context, wanted)
        said = f"{count(len(linkages), 'linkage')}: {count(len(bodies), 'body')}, {len(ties)} joints and constraints"
        self.report({"INFO"}, f"Selected {said}")
        return {"FINISHED"}


class VES_OT_select_part(InObjectMode, bpy.types.Operator):
    """Select this part alone"""

    bl_idname = "ves.select_part"
    bl_label = "Select Part"
    bl_options = {"UNDO", "INTERNAL"}

    part: StringProperty(name="Part", description="Name of the object")

    def execute(self, context: bpy.types.Context) -> set[str]:
        """It must be in the view layer."""
        part = context.view_layer.objects.get(self.part)
        if part is None or not part.visible_get():
            return cancelled(self, f"{self.part} is hidden, or in no collection that is shown", "WARNING")
        select_only(context, [part])
        return {"FINISHED"}


CLASSES = (VES_OT_select_bodies, VES_OT_select_linkage, VES_OT_select_part)
register, unregister = bpy.utils.register_classes_factory(CLASSES)
