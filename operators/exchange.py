# SPDX-License-Identifier: GPL-3.0-or-later
"""Export and import of mechanism files, and import of scripts, in File > Export and File > Import."""

import bpy
from bpy.props import StringProperty
from bpy_extras.io_utils import ExportHelper, ImportHelper

from ..scene.bake.bake import run_to_end
from ..scene.build.scene import build
from ..scene.check.contact_warnings import warn_of_contact
from ..scene.findings import SceneError
from ..scene.read.scene import read_over_time
from ..solver import Mechanism, MechanismError, Script
from .modal import InObjectMode, WhenIdle
from .polls import cancelled
from .selection import count, select_only

MOST_NAMED = 5


class VES_OT_export_mechanism(WhenIdle, bpy.types.Operator, ExportHelper):
    """Write the mechanism of this scene to a file that the solver runs without Blender"""

    bl_idname = "ves.export_mechanism"
    bl_label = "Export Mechanism"

    filename_ext = ".json"
    filter_glob: StringProperty(default="*.json", options={"HIDDEN"})

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Sample the animation over the frame range and save."""
        try:
            reading = run_to_end(read_over_time(context.scene, context.view_layer, warn=warn_of_contact))
            reading.mechanism.save(bpy.path.abspath(self.filepath))
        except (SceneError, MechanismError, OSError) as error:
            return cancelled(self, str(error))
        for finding in reading.warnings:
            self.report({"WARNING"}, str(finding))
        self.report({"INFO"}, f"Exported {_contents(reading.mechanism)}")
        return {"FINISHED"}


class VES_OT_import_mechanism(InObjectMode, bpy.types.Operator, ImportHelper):
    """Make the objects of a mechanism file or a script (.ves); a body without a shape becomes a box of its inertia"""

    bl_idname = "ves.import_mechanism"
    bl_label = "Import Mechanism"
    bl_options = {"REGISTER", "UNDO"}

    filename_ext = ".json"
    filter_glob: StringProperty(default="*.json;*.ves", options={"HIDDEN"})

    def execute(self, context: bpy.types.Context) -> set[str]:
        """A new collection gets all of it."""
        try:
            script = Script.load(bpy.path.abspath(self.filepath))
        except (MechanismError, OSError) as error:
            return cancelled(self, str(error))
        builder = build(context, script.mechanism)
        select_only(context, list(builder.objects.values()))
        if builder.left_out:
            named, rest = builder.left_out[:MOST_NAMED], builder.left_out[MOST_NAMED:]
            text = ", ".join(named) + (f" and {len(rest)} more" if rest else "")
            self.report({"WARNING"}, f"Left out, since a scene has no place for it yet: {text}")
        self.report({"INFO"}, f"Imported {_contents(script.mechanism)}{_run(script)}")
        return {"FINISHED"}


def _contents(mechanism: Mechanism) -> str:
    """`3 bodies, 2 joints and 1 constraint`."""
    bodies, joints = count(len(mechanism.bodies), "body"), count(len(mechanism.joints), "joint")
    return f"{bodies}, {joints} and {count(len(mechanism.constraints), 'constraint')}"


def _run(script: Script) -> str:
    """A script's own words on its run, which the scene's frame range and accuracy replace."""
    return "" if script.duration is None else f"; the script runs for {script.duration:g} s"


def _draw_export(self: bpy.types.Menu, _context: bpy.types.Context) -> None:
    self.layout.operator(VES_OT_export_mechanism.bl_idname, text="Mechanism (.json)")


def _draw_import(self: bpy.types.Menu, _context: bpy.types.Context) -> None:
    self.layout.operator(VES_OT_import_mechanism.bl_idname, text="Mechanism (.json, .ves)")


CLASSES = (VES_OT_export_mechanism, VES_OT_import_mechanism)
_register_classes, _unregister_classes = bpy.utils.register_classes_factory(CLASSES)


def register() -> None:
    """Register the operators and their menu entries."""
    _register_classes()
    bpy.types.TOPBAR_MT_file_export.append(_draw_export)
    bpy.types.TOPBAR_MT_file_import.append(_draw_import)


def unregister() -> None:
    """Take them away."""
    bpy.types.TOPBAR_MT_file_import.remove(_draw_import)
    bpy.types.TOPBAR_MT_file_export.remove(_draw_export)
    _unregister_classes()
