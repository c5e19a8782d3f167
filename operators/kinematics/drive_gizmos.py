# SPDX-License-Identifier: GPL-3.0-or-later
"""Handles in the 3D View at the joints that lead live linkages: a dial at a hinge, an arrow at a slider.

Blender draws and drags them, which sets *Drive Angle* or *Drive Travel*. It makes no undo step of a drag, so we do.
"""

import bpy
from mathutils import Matrix

from ...scene.live.live import live_in, may_follow
from ...scene.properties.joint import can_drive, drive_path
from ..viewport import push_undo_soon

MOST = 50
"""Handles at most: where there are more drives, only selected ones have one."""
COLOR, HIGHLIGHT = (1.0, 0.75, 0.2), (1.0, 1.0, 0.6)


class VES_GGT_drives(bpy.types.GizmoGroup):
    """Turn and push the joints that lead live linkages."""

    bl_label = "Drives of Live Linkages"
    bl_space_type = "VIEW_3D"
    bl_region_type = "WINDOW"
    bl_options = {"3D", "PERSISTENT", "SHOW_MODAL_ALL"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """True in Object Mode while live linkages follow their drives."""
        return context.mode == "OBJECT" and may_follow(context.scene)

    def setup(self, context: bpy.types.Context) -> None:
        """Begin without handles."""
        self._shown: list[tuple[bpy.types.Object, str]] = []
        self._values: list[float] | None = None  # of the shown drives, when a drag of one began
        self.refresh(context)

    def refresh(self, context: bpy.types.Context) -> None:
        """Give each shown drive a handle. Blender does not call this each time that they change."""
        shown = shown_drives(context)
        if shown != self._shown:
            self.gizmos.clear()
            for joint, path in shown:
                self._add(joint, path)
            self._shown = shown
        for gizmo, (joint, _) in zip(self.gizmos, shown, strict=True):
            place, turn, _ = joint.matrix_world.decompose()
            gizmo.matrix_basis = Matrix.LocRotScale(place, turn, None)

    def draw_prepare(self, context: bpy.types.Context) -> None:
        """Put handles where their joints are now, and make an undo step of a drag that has ended."""
        self.refresh(context)
        if self._values is not None and not any(gizmo.is_modal for gizmo in self.gizmos):
            if self._values != _values_of(self._shown):
                push_undo_soon(context.window, "Move Drive")
            self._values = None

    def invoke_prepare(self, _context: bpy.types.Context, _gizmo: bpy.types.Gizmo) -> None:
        """Note the drives' values as a drag begins."""
        self._values = _values_of(self._shown)

    def _add(self, joint: bpy.types.Object, path: str) -> None:
        is_angle = path == "drive_angle"
        gizmo = self.gizmos.new("GIZMO_GT_dial_3d" if is_angle else "GIZMO_GT_arrow_3d")
        gizmo.target_set_prop("offset", joint.ves, path)
        gizmo.use_draw_modal = gizmo.use_draw_value = True
        gizmo.use_draw_offset_scale = True
        gizmo.color, gizmo.alpha = COLOR, 0.8
        gizmo.color_highlight, gizmo.alpha_highlight = HIGHLIGHT, 1.0
        gizmo.line_width = 3.0
        if is_angle:
            gizmo.draw_options = {"ANGLE_VALUE"}
            gizmo.scale_basis = 0.7


def shown_drives(context: bpy.types.Context) -> list[tuple[bpy.types.Object, str]]:
    """The drives that have a handle, each with the name of the setting that it changes."""
    live = live_in(context.scene)
    drives = [] if live is None else [ob for ob in live.drives if _is_shown(ob)]
    if len(drives) > MOST:
        drives = [ob for ob in drives if ob.select_get()][:MOST]
    return [(ob, drive_path(ob.ves).removeprefix("ves.")) for ob in drives]


def _values_of(shown: list[tuple[bpy.types.Object, str]]) -> list[float]:
    return [getattr(joint.ves, path) for joint, path in shown]


def _is_shown(joint: bpy.types.Object) -> bool:
    """True of a drive that is visible, and that no driver sets, which would win over a hand."""
    try:
        if not (joint.ves.is_drive and can_drive(joint.ves) and joint.visible_get()):
            return False
    except ReferenceError:  # it was removed
        return False
    animation = joint.animation_data
    return animation is None or all(curve.data_path != drive_path(joint.ves) for curve in animation.drivers)


CLASSES = (VES_GGT_drives,)
register, unregister = bpy.utils.register_classes_factory(CLASSES)
