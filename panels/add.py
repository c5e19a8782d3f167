# SPDX-License-Identifier: GPL-3.0-or-later
"""The panel that makes things: four buttons that suit the selection, and menus with all the others.

It has the same height whatever is selected, so that what stands below does not move.
"""

from typing import NamedTuple

import bpy

from ..operators.parts.ragdoll import chosen_rig
from ..scene.owner import bone_shapes
from ..scene.properties.roles import POINTING_ROLES
from .sidebar import ORDER, Sidebar


class Button(NamedTuple):
    """A button of the panel: the operator, its words, and what it is called with."""

    operator: str
    text: str
    icon: str
    type: str = ""


RAGDOLL = Button("ves.ragdoll", "Ragdoll", "ARMATURE_DATA")
SECONDARY = Button("ves.secondary_motion", "Secondary Motion", "FORCE_HARMONIC")
REMOVE_RAGDOLL = Button("ves.remove_ragdoll", "Remove Ragdoll", "X")
ADD_BODY = Button("ves.add_body", "Add Body", "ADD")
HINGE = Button("ves.add_joint", "Hinge", "FILE_REFRESH", "REVOLUTE")
BALL = Button("ves.add_joint", "Ball", "SPHERE", "SPHERICAL")
RIDES_ON = Button("ves.add_joint", "Rides On", "MOD_SMOOTH", "CONTACT")
BALL_CHAIN = Button("ves.chain", "Ball Chain", "LINKED", "SPHERICAL")
HINGE_CHAIN = Button("ves.chain", "Hinge Chain", "LINKED", "REVOLUTE")
NAIL = Button("ves.add_nail", "Nail", "PINNED")
PATH = Button("ves.add_path", "Follow Path", "CURVE_PATH")
BEAD = Button("ves.add_bead", "Bead on Curve", "HANDLE_FREE")
GEAR = Button("ves.add_gear", "Gear", "PREFERENCES")
RACK = Button("ves.add_rack", "Rack and Pinion", "ARROW_LEFTRIGHT")
SUPPORT = Button("ves.add_force", "Support", "TRIA_UP_BAR", "SUPPORT")
DAMPING = Button("ves.add_force", "Damping", "FORCE_DRAG", "DAMPING")
SPRING = Button("ves.add_force", "Spring", "FORCE_HARMONIC", "SPRING")
EXAMPLES = Button("ves.add_example", "Examples", "ASSET_MANAGER")
SELECT_BODIES = Button("ves.select_bodies", "Select Its Bodies", "RESTRICT_SELECT_OFF")
COPY = Button("ves.copy_settings", "Copy Settings", "PASTEDOWN")

LIKELY = {
    "NOTHING": (ADD_BODY, EXAMPLES, HINGE, SUPPORT),
    "RIG": (RAGDOLL, SECONDARY, EXAMPLES, ADD_BODY),
    "RAGDOLL": (REMOVE_RAGDOLL, SECONDARY, DAMPING, SPRING),
    "MESH": (ADD_BODY, SUPPORT, HINGE, NAIL),
    "MESHES": (BALL_CHAIN, ADD_BODY, HINGE, HINGE_CHAIN),
    "BODY": (SUPPORT, DAMPING, HINGE, NAIL),
    "TWO": (HINGE, BALL, SPRING, DAMPING),
    "BODIES": (BALL_CHAIN, HINGE_CHAIN, DAMPING, SUPPORT),
    "CURVE": (PATH, BEAD, NAIL, HINGE),
    "SURFACE": (RIDES_ON, HINGE, BALL, NAIL),
    "OBJECT": (PATH, HINGE, NAIL, SUPPORT),
    "PART": (SELECT_BODIES, COPY, GEAR, RACK),
}
"""The buttons for each kind of selection, the likely one first."""


def kind_of_selection(context: bpy.types.Context) -> str:
    """A key of LIKELY."""
    rig = chosen_rig(context)
    if rig is not None:
        return "RAGDOLL" if bone_shapes(rig) else "RIG"
    selected = context.selected_objects
    meshes = [ob for ob in selected if ob.type == "MESH"]
    if not meshes:
        return "PART" if any(ob.ves.role in POINTING_ROLES for ob in selected) else "NOTHING"
    for kind in ("CURVE", "SURFACE"):
        if any(ob.type == kind for ob in selected):
            return kind
    if any(ob.type == "EMPTY" and ob.ves.role == "NONE" for ob in selected):
        return "OBJECT"
    if any(ob.ves.role != "BODY" for ob in meshes):
        return "MESHES" if len(meshes) > 1 else "MESH"
    return {1: "BODY", 2: "TWO"}.get(len(meshes), "BODIES")


class VES_PT_add(Sidebar, bpy.types.Panel):
    """Make bodies of what is selected, fasten them to each other, and push them."""

    bl_label = "Add"
    bl_order = ORDER["ADD"]

    def draw(self, context: bpy.types.Context) -> None:
        """The likely buttons, the menus, and where a new joint goes."""
        layout, settings = self.layout, context.scene.ves
        likely = LIKELY[kind_of_selection(context)]
        column = layout.column(align=True)
        for pair in (likely[:2], likely[2:]):
            row = column.row(align=True)
            row.scale_y = 1.2
            for button in pair:
                draw_button(row, button)
        row = layout.row(align=True)
        for menu, text in (("joints", "Joint"), ("constraints", "Constraint"), ("forces", "Force")):
            row.menu(f"VES_MT_{menu}", text=text)
        row = layout.row(align=True)
        row.prop(settings, "connect_at", text="")
        axis = row.row(align=True)
        axis.ui_units_x = 5
        axis.prop(settings, "connect_axis", text="")


def draw_button(layout: bpy.types.UILayout, button: Button) -> None:
    """Draws it; that of the examples has a menu of them."""
    if button is EXAMPLES:
        layout.operator_menu_enum(button.operator, "kind", text=button.text, icon=button.icon)
        return
    drawn = layout.operator(button.operator, text=button.text, icon=button.icon)
    if button.type:
        drawn.type = button.type


CLASSES = (VES_PT_add,)
register, unregister = bpy.utils.register_classes_factory(CLASSES)
