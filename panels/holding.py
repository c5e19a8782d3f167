# SPDX-License-Identifier: GPL-3.0-or-later
"""What holds this: the joints, constraints and forces of the active part, its neighbours, linkage and loops."""

import bpy

from ..scene.owner import is_dynamic
from ..scene.parts.holding import Holder, holders_of, label_of, loops_of
from ..scene.parts.linkages import chosen_linkages, ends_of
from .sidebar import ORDER, Sidebar, draw_text

MOST = 12  # rows


class VES_PT_holding(Sidebar, bpy.types.Panel):
    """Neighbours of the active part."""

    bl_label = "What Holds This?"
    bl_order = ORDER["HOLDING"]
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Shown for all that plays a part."""
        active = context.active_object
        return active is not None and active.ves.role != "NONE"

    def draw(self, context: bpy.types.Context) -> None:
        """A row for each holder of a body, or for each body of a joint, and the linkage as a whole."""
        active, layout, scene = context.active_object, self.layout, context.scene
        column = layout.column(align=True)
        if active.ves.role == "BODY":
            holders = holders_of(active, scene)
            for holder in holders[:MOST]:
                _draw_holder(column, holder)
            if len(holders) > MOST:
                column.label(text=f"and {len(holders) - MOST} more")
            if not holders:
                draw_text(layout, context, _nothing(active, scene))
        else:
            for body in ends_of(active):
                _draw_part(column.row(align=True), body, f"{body.name} ({body.ves.motion.capitalize()})")
            if not ends_of(active):
                draw_text(layout, context, f"{label_of(active)} without a body: choose one in its panel")
        _draw_linkages(layout, context)
        row = layout.row(align=True)
        row.operator("ves.select_linkage", icon="LINKED")
        row.prop(scene.ves, "show_partners", text="Lines", icon="CON_TRACKTO", toggle=True)


def _draw_holder(column: bpy.types.UILayout, holder: Holder) -> None:
    row = column.row(align=True)
    others = ", ".join(other.name for other in holder.others) or "the world"
    loop = "    in a loop" if holder.in_loop else ""
    _draw_part(row, holder.owner, f"{holder.label} {holder.owner.name} to {others}{loop}")
    if len(holder.others) == 1:
        row.operator("ves.select_part", text="", icon="RIGHTARROW").part = holder.others[0].name


def _draw_part(row: bpy.types.UILayout, part: bpy.types.Object, text: str) -> None:
    row.operator("ves.select_part", text="", icon="RESTRICT_SELECT_OFF").part = part.name
    row.label(text=text)


def _draw_linkages(layout: bpy.types.UILayout, context: bpy.types.Context) -> None:
    for linkage in chosen_linkages(context.scene, [context.active_object])[:2]:
        loops = loops_of(linkage, context.scene)
        bodies, ties = len(linkage.bodies), len(linkage.ties)
        text = f"Linkage of {bodies} moving {'body' if bodies == 1 else 'bodies'}, {ties} joints and constraints"
        draw_text(layout, context, f"{text}, {loops} {'loop' if loops == 1 else 'loops'}")


def _nothing(body: bpy.types.Object, scene: bpy.types.Scene) -> str:
    if not is_dynamic(body):
        return f"Nothing is fastened to {body.name}"
    if scene.ves.use_contact and body.ves.collide:
        return f"Nothing holds {body.name} but what it lies on"
    return f"Nothing holds {body.name}: it falls. Join it to another body or to the world"


CLASSES = (VES_PT_holding,)
register, unregister = bpy.utils.register_classes_factory(CLASSES)
