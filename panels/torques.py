# SPDX-License-Identifier: GPL-3.0-or-later
"""Which torques make the animated motion: what each joint's drive must give at most."""

import bpy

from ..scene.properties.joint import ANGLE, coordinate_kinds, coordinate_labels, type_of
from ..scene.quantities.needed import joints_found, needed_of, peaks_of
from .sidebar import Sidebar, settings_column

MOST_LINES = 16


class VES_PT_torques(Sidebar, bpy.types.Panel):
    """Find Torques, and the peaks that it has found."""

    bl_label = "Torques"
    bl_parent_id = "VES_PT_inspect"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context: bpy.types.Context) -> None:
        """Settings and button, a line for each driven axis, and what can be made of it."""
        layout, settings = self.layout, context.scene.ves
        column = settings_column(layout)
        column.prop(settings, "torque_motion")
        column.prop(settings, "torque_drives")
        row = layout.row()
        row.operator_context = "INVOKE_DEFAULT"
        row.operator("ves.find_torques", icon="FORCE_MAGNETIC")
        joints = joints_found(context.scene)
        if not joints:
            return
        record = needed_of(joints[0])
        layout.label(text=f"Frames {record.first} to {record.first + record.frames - 1}, when they were found")
        _draw_peaks(layout, joints)
        row = layout.row(align=True)
        row.operator("ves.set_motors", icon="AUTO")
        row.operator("ves.clear_torques", text="", icon="X")
        row = layout.row()
        row.operator_context = "INVOKE_DEFAULT"
        row.operator("ves.export_torques", icon="EXPORT")


def _draw_peaks(layout: bpy.types.UILayout, joints: list[bpy.types.Object]) -> None:
    """Largest torque and power of each axis, the hardest first; the button goes to that frame."""
    lines = []
    for joint in joints:
        labels, kinds = coordinate_labels(type_of(joint.ves)), coordinate_kinds(joint.ves)
        for label, kind, peak in zip(labels, kinds, peaks_of(joint), strict=False):
            name = joint.name if len(kinds) == 1 else f"{joint.name} {label}"
            lines.append((abs(peak.effort), name, joint.name, "N m" if kind == ANGLE else "N", peak))
    lines.sort(key=lambda line: -line[0])
    if len(lines) > MOST_LINES:
        layout.label(text=f"The hardest {MOST_LINES} of {len(lines)}")
    column = layout.column(align=True)
    for _, name, joint, unit, peak in lines[:MOST_LINES]:
        line = column.row(align=True)
        button = line.operator("ves.show_peak", text="", icon="TIME")
        button.joint, button.frame = joint, round(peak.frame)
        for text in (name, f"{peak.effort:.3g} {unit}", f"{max(peak.power, peak.braking):.3g} W"):
            line.label(text=text)


CLASSES = (VES_PT_torques,)
register, unregister = bpy.utils.register_classes_factory(CLASSES)
