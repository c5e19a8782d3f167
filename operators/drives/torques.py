# SPDX-License-Identifier: GPL-3.0-or-later
"""Find Torques (inverse dynamics), and what becomes of them: motors, a table, a way to each peak."""

import csv
from collections.abc import Iterator
from pathlib import Path

import bpy
from bpy.props import BoolProperty, IntProperty, StringProperty
from bpy_extras.io_utils import ExportHelper

from ...scene.bake.bake import Progress
from ...scene.check.check import as_problems
from ...scene.drives.find import TorqueResult, find_torques
from ...scene.drives.motors import set_motors
from ...scene.findings import SceneError
from ...scene.properties.joint import ANGLE, coordinate_kinds, coordinate_labels, type_of
from ...scene.quantities.needed import forget_needed, joints_found, peaks_of
from ...scene.quantities.plots import remove_stale_plots
from ...solver.whole_file import whole_file
from ..check import list_findings
from ..modal import InSteps, WhenIdle, cancel_running, under_way
from ..polls import cancelled, needs
from ..selection import count, select_visible

NOTHING = "No torques are known: press Find Torques first"
COLUMNS = "Joint", "Axis", "Unit", "Largest", "At Frame", "RMS", "Speed", "Power (W)", "Braking (W)", "Work (J)"


class VES_OT_find_torques(InSteps, bpy.types.Operator):
    """Find which torques of the joints make the motion that is animated (inverse dynamics), for plots and motors"""

    bl_idname = "ves.find_torques"
    bl_label = "Find Torques"
    bl_options = {"REGISTER", "UNDO"}

    def steps(self, context: bpy.types.Context) -> Iterator[Progress]:
        """Read, find, keep."""
        return find_torques(context.scene, context.view_layer, list(context.selected_objects))

    def finish(self, _context: bpy.types.Context, result: TorqueResult) -> set[str]:
        """Say what was found, and what nothing can give."""
        self._scene.ves.status = result.summary
        problems = as_problems("WARNING", result.warnings)
        for problem in problems:
            self.report({problem.severity}, problem.text)
        list_findings(self._scene, problems)
        self.report({"INFO"}, result.summary)
        return {"FINISHED"}


class VES_OT_cancel_torques(bpy.types.Operator):
    """Stop looking for torques and leave everything as it was"""

    bl_idname = "ves.cancel_torques"
    bl_label = "Cancel Find Torques"

    @classmethod
    def poll(cls, _context: bpy.types.Context) -> bool:
        """It must be under way."""
        return under_way() == VES_OT_find_torques.bl_label

    def execute(self, _context: bpy.types.Context) -> set[str]:
        """It ends at its next tick."""
        cancel_running()
        return {"FINISHED"}


class WithTorques(WhenIdle):
    """Mixed into operators that need torques that were found."""

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Nothing may be under way."""
        return super().poll(context) and needs(cls, bool(joints_found(context.scene)), NOTHING)


class VES_OT_set_motors(WithTorques, bpy.types.Operator):
    """Key the torques on the joints' motors, and make the bodies Dynamic, so that Bake moves them by these motors"""

    bl_idname = "ves.set_motors"
    bl_label = "Set Motors"
    bl_options = {"REGISTER", "UNDO"}

    selected_only: BoolProperty(
        name="Selected Only", description="Set only the motors of the selected joints", default=False
    )

    def execute(self, context: bpy.types.Context) -> set[str]:
        """The motors' values before are gone; Undo brings them back."""
        scene = context.scene
        chosen = [ob for ob in context.selected_objects if ob.ves.role == "JOINT"] if self.selected_only else []
        if self.selected_only and not chosen:
            return cancelled(self, "Select joints first")
        try:
            result = set_motors(scene, chosen)
        except SceneError as error:
            list_findings(scene, as_problems("ERROR", error.findings))
            return cancelled(self, str(error))
        said = f"Set the motors of {count(result.joints, 'joint')}"
        if result.bodies:
            said += f"; {count(len(result.bodies), 'body')} Dynamic now: Bake moves them by their motors"
        scene.ves.status = said
        self.report({"INFO"}, said)
        return {"FINISHED"}


class VES_OT_clear_torques(WithTorques, bpy.types.Operator):
    """Forget the torques that were found, and their plots; motors that have been set stay"""

    bl_idname = "ves.clear_torques"
    bl_label = "Clear Torques"
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Of all joints and bodies."""
        joints = len(joints_found(context.scene))
        forget_needed(context.scene)
        remove_stale_plots(context.scene)
        self.report({"INFO"}, f"Cleared the torques of {count(joints, 'joint')}")
        return {"FINISHED"}


class VES_OT_show_peak(WhenIdle, bpy.types.Operator):
    """Select this joint, and go to the frame at which its drive must give the most"""

    bl_idname = "ves.show_peak"
    bl_label = "Show Peak"
    bl_options = {"INTERNAL"}

    joint: StringProperty(name="Joint", description="Name of the joint", options={"SKIP_SAVE"})
    frame: IntProperty(name="Frame", description="The frame next to the peak", options={"SKIP_SAVE"})

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Nothing is changed by that."""
        joint = context.scene.objects.get(self.joint)
        if joint is None:
            return cancelled(self, f"{self.joint} is not there any more")
        select_visible(context, [joint])
        context.scene.frame_set(self.frame)
        return {"FINISHED"}


class VES_OT_export_torques(WithTorques, bpy.types.Operator, ExportHelper):
    """Write a table with what each drive must give: largest and mean torque, speed, power and work"""

    bl_idname = "ves.export_torques"
    bl_label = "Export Torques"

    filename_ext = ".csv"
    filter_glob: StringProperty(default="*.csv", options={"HIDDEN"})

    def execute(self, context: bpy.types.Context) -> set[str]:
        """A line for each axis of each joint."""
        path = Path(bpy.path.abspath(self.filepath))
        rows = [row for joint in joints_found(context.scene) for row in _rows(joint)]
        try:
            with whole_file(path, "w", encoding="utf-8", newline="") as stream:
                csv.writer(stream).writerows([COLUMNS, *rows])
        except OSError as error:
            return cancelled(self, f"{path} can't be written: {error.strerror or error}")
        self.report({"INFO"}, f"Wrote {count(len(rows), 'axis')} to {path.name}")
        return {"FINISHED"}


def _rows(joint: bpy.types.Object) -> Iterator[list]:
    kinds = coordinate_kinds(joint.ves)
    for label, kind, peak in zip(coordinate_labels(type_of(joint.ves)), kinds, peaks_of(joint), strict=False):
        yield [joint.name, label, "N m" if kind == ANGLE else "N", *peak]


CLASSES = (
    VES_OT_find_torques,
    VES_OT_cancel_torques,
    VES_OT_set_motors,
    VES_OT_clear_torques,
    VES_OT_show_peak,
    VES_OT_export_torques,
)
register, unregister = bpy.utils.register_classes_factory(CLASSES)
