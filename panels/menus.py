# SPDX-License-Identifier: GPL-3.0-or-later
"""The same tools in Object > Erector Set, Add > Erector Set and the context menu of objects."""

import bpy

from ..scene.properties.force_types import FORCE_TYPES
from ..scene.properties.joint import JOINT_TYPES
from ..scene.quantities.quantities import quantities_of
from .add import BALL_CHAIN, HINGE_CHAIN, draw_button
from .constraints import draw_buttons


def draw_joints(layout: bpy.types.UILayout) -> None:
    """An entry for each type of joint."""
    for identifier, label, _, icon, _ in JOINT_TYPES:
        layout.operator("ves.add_joint", text=label, icon=icon).type = identifier


def draw_chains(layout: bpy.types.UILayout) -> None:
    """Chains of the two usual types."""
    for button in (BALL_CHAIN, HINGE_CHAIN):
        draw_button(layout, button)


def draw_forces(layout: bpy.types.UILayout) -> None:
    """An entry for each type of force."""
    for identifier, label, _, icon, _ in FORCE_TYPES:
        layout.operator("ves.add_force", text=label, icon=icon).type = identifier


class VES_MT_joints(bpy.types.Menu):
    """Joints between the selected bodies."""

    bl_label = "Joint"

    def draw(self, _context: bpy.types.Context) -> None:
        """All types, and chains of them."""
        draw_joints(self.layout)
        self.layout.separator()
        draw_chains(self.layout)
        self.layout.separator()
        self.layout.operator("ves.links_from_sketch", icon="MOD_WIREFRAME")
        self.layout.operator("ves.links_from_parts", icon="MESH_CYLINDER")
        self.layout.operator("ves.linkage_from_curve", icon="CURVE_BEZCIRCLE")


class VES_MT_constraints(bpy.types.Menu):
    """Constraints of the selected bodies."""

    bl_label = "Constraint"

    def draw(self, _context: bpy.types.Context) -> None:
        """All types."""
        draw_buttons(self.layout)


class VES_MT_forces(bpy.types.Menu):
    """Forces on the selected bodies."""

    bl_label = "Force"

    def draw(self, _context: bpy.types.Context) -> None:
        """All types."""
        draw_forces(self.layout)


class VES_MT_plot(bpy.types.Menu):
    """Curves of what the last bake knows about the active thing."""

    bl_label = "Plot in the Graph Editor"

    def draw(self, context: bpy.types.Context) -> None:
        """An entry for each quantity; before a bake, how to get them."""
        active, scene = context.active_object, context.scene
        record, found = (None, []) if active is None else quantities_of(active, scene, around=scene.frame_current)
        if record is None:
            self.layout.operator("ves.how_to", text="Plot in the Graph Editor: How To", icon="INFO").topic = "PLOT"
        for quantity in found:
            button = self.layout.operator("ves.plot", text=f"Plot {quantity.label}", icon="GRAPH")
            button.quantity, button.of_scene = quantity.label, False
        if found:
            self.layout.operator("ves.remove_plots", icon="X").of_scene = False


class VES_MT_inspect(bpy.types.Menu):
    """Numbers of the last bake: curves, tables, and markers for sounds."""

    bl_label = "Inspect"

    def draw(self, _context: bpy.types.Context) -> None:
        """Draw the entries of the panel Inspect."""
        layout = self.layout
        layout.operator_context = "INVOKE_DEFAULT"
        layout.menu("VES_MT_plot", icon="GRAPH")
        layout.operator("ves.export_table", icon="EXPORT")
        layout.separator()
        layout.operator("ves.find_torques", icon="FORCE_MAGNETIC")
        layout.operator("ves.set_motors", icon="AUTO")
        layout.operator("ves.export_torques", text="Export Torques as CSV", icon="EXPORT")
        layout.operator("ves.clear_torques", icon="X")
        layout.separator()
        layout.operator("ves.mark_impacts", icon="MARKER_HLT")
        layout.operator("ves.remove_marks", icon="X")
        layout.operator("ves.export_impacts", text="Export Impacts as CSV", icon="EXPORT")


class VES_MT_other_names(bpy.types.Menu):
    """The tools by the names that people search for."""

    bl_label = "By Other Names"

    def draw(self, _context: bpy.types.Context) -> None:
        """A search (F3) finds each of these words, and the tool that does it."""
        layout = self.layout
        layout.operator_context = "INVOKE_DEFAULT"
        layout.operator("ves.bake", text="Bake Physics to Keyframes", icon="REC")
        layout.operator("ves.play", text="Simulate Live", icon="PLAY")
        layout.operator("ves.find_torques", text="Inverse Dynamics (Find Torques)", icon="FORCE_MAGNETIC")
        layout.separator()
        layout.operator("ves.add_joint", text="Glue Together (Weld)", icon="LINKED").type = "FIXED"
        layout.operator("ves.add_nail", text="Pin to the World (Nail)", icon="PINNED")
        layout.operator("ves.hold", text="Hold in Place (Fixed)", icon="PINNED")
        layout.operator("ves.turn_contact_on", text="Collide: Turn Contact On", icon="CHECKMARK")
        layout.separator()
        for topic, label in (("RAGDOLL", "Ragdoll"), ("ROPE", "Rope"), ("CONTACT", "Contact and Collisions")):
            layout.operator("ves.how_to", text=f"{label}: How To", icon="INFO").topic = topic


class VES_MT_add(bpy.types.Menu):
    """Add > Erector Set."""

    bl_label = "Erector Set"

    def draw(self, _context: bpy.types.Context) -> None:
        """Whatever becomes an Empty of its own."""
        draw_joints(self.layout)
        self.layout.separator()
        draw_buttons(self.layout)
        self.layout.separator()
        draw_forces(self.layout)
        self.layout.separator()
        self.layout.operator_menu_enum("ves.add_example", "kind", text="Examples", icon="ASSET_MANAGER")


class VES_MT_object(bpy.types.Menu):
    """Object > Erector Set."""

    bl_label = "Erector Set"

    def draw(self, _context: bpy.types.Context) -> None:
        """The tools for the selected objects, in the order of the work."""
        layout = self.layout
        layout.operator("ves.add_body", icon="ADD")
        layout.operator("ves.ragdoll", icon="ARMATURE_DATA")
        layout.operator("ves.secondary_motion", icon="FORCE_HARMONIC")
        layout.operator_menu_enum("ves.keys_on", "keyed_on", icon="CON_KINEMATIC")
        layout.operator("ves.remove_ragdoll", icon="X")
        layout.operator("ves.hand_over", text="Let Go Here", icon="UNLINKED").let_go = True
        layout.operator("ves.hand_over", text="Take Back Here", icon="LINKED").let_go = False
        layout.operator("ves.remove_body", icon="X")
        layout.operator("ves.copy_settings", icon="PASTEDOWN")
        layout.operator("ves.select_bodies", icon="RESTRICT_SELECT_OFF")
        layout.operator("ves.select_linkage", icon="LINKED")
        layout.separator()
        layout.menu("VES_MT_joints")
        layout.menu("VES_MT_constraints")
        layout.menu("VES_MT_forces")
        layout.operator("ves.make_visible", icon="HIDE_OFF")
        layout.operator("ves.remove_visible", icon="HIDE_ON")
        layout.operator("ves.dont_collide", icon="UNLINKED")
        layout.operator("ves.collide_again", icon="LOOP_BACK")
        layout.separator()
        layout.operator("ves.check", icon="VIEWZOOM")
        layout.operator_menu_enum("ves.snap_together", "mode", icon="SNAP_ON")
        layout.operator("ves.pose", icon="VIEW_PAN")
        layout.operator("ves.make_live", icon="LINKED")
        layout.operator("ves.draw_path", icon="CURVE_DATA")
        layout.operator("ves.settle", icon="SORT_ASC")
        layout.operator("ves.play", icon="PLAY")
        layout.operator("ves.bake", icon="REC")
        layout.operator("ves.start_from_frame", icon="FF")
        layout.operator("ves.clear_bake", icon="TRASH")
        layout.separator()
        layout.menu("VES_MT_inspect")
        layout.menu("VES_MT_other_names")


def _add_to_add(self: bpy.types.Menu, _context: bpy.types.Context) -> None:
    self.layout.separator()
    self.layout.menu("VES_MT_add", icon="CON_TRACKTO")


def _add_to_object(self: bpy.types.Menu, _context: bpy.types.Context) -> None:
    self.layout.separator()
    self.layout.menu("VES_MT_object")


CLASSES = (
    VES_MT_joints,
    VES_MT_constraints,
    VES_MT_forces,
    VES_MT_plot,
    VES_MT_inspect,
    VES_MT_other_names,
    VES_MT_add,
    VES_MT_object,
)
ENTRIES = (
    ("VIEW3D_MT_add", _add_to_add),
    ("VIEW3D_MT_object", _add_to_object),
    ("VIEW3D_MT_object_context_menu", _add_to_object),
)


def register() -> None:
    """Register the menus and hang them into Blender's own."""
    for cls in CLASSES:
        bpy.utils.register_class(cls)
    for menu, draw in ENTRIES:
        getattr(bpy.types, menu).append(draw)


def unregister() -> None:
    """Take them out again."""
    for menu, draw in ENTRIES:
        getattr(bpy.types, menu).remove(draw)
    for cls in reversed(CLASSES):
        bpy.utils.unregister_class(cls)
