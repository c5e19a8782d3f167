# SPDX-License-Identifier: GPL-3.0-or-later
"""The panel with what is wrong, while there is something: each finding with a way to its object, and its cure."""

import bpy

from ..scene.properties.scene import SEVERITIES
from .sidebar import ORDER, Sidebar, draw_cure, draw_text

ICONS = {item[0]: item[3] for item in SEVERITIES}


class VES_UL_findings(bpy.types.UIList):
    """One line per finding, with a button that selects its object."""

    def draw_item(
        self,
        _context: bpy.types.Context,
        layout: bpy.types.UILayout,
        _data: bpy.types.PropertyGroup,
        item: bpy.types.PropertyGroup,
        _icon: int,
        _active_data: bpy.types.PropertyGroup,
        _active_property: str,
        index: int,
    ) -> None:
        """The whole sentence stands below the list for the active line."""
        row = layout.row(align=True)
        row.label(text=item.text, icon=ICONS[item.severity])
        if item.cure:
            row.label(icon="MODIFIER")
        if item.culprit is not None:
            row.operator("ves.select_culprit", text="", icon="RESTRICT_SELECT_OFF", emboss=False).index = index


class VES_PT_findings(Sidebar, bpy.types.Panel):
    """Findings of Check, or of the last bake."""

    bl_label = "Findings"
    bl_order = ORDER["FINDINGS"]

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """There must be some."""
        return bool(context.scene.ves.findings)

    def draw(self, context: bpy.types.Context) -> None:
        """The list, and the active finding in full."""
        layout, settings = self.layout, context.scene.ves
        layout.template_list("VES_UL_findings", "", settings, "findings", settings, "active_finding", rows=3)
        if not 0 <= settings.active_finding < len(settings.findings):
            return
        finding = settings.findings[settings.active_finding]
        box = layout.box()
        draw_text(box, context, finding.text)
        if finding.culprit is not None:
            box.operator(
                "ves.select_culprit", text=f"Select {finding.culprit.name}", icon="RESTRICT_SELECT_OFF"
            ).index = -1
        draw_cure(box, finding)


CLASSES = (VES_UL_findings, VES_PT_findings)
register, unregister = bpy.utils.register_classes_factory(CLASSES)
