# SPDX-License-Identifier: GPL-3.0-or-later
"""Add > Erector Set > Examples: linkages to drive live, large ones to try Pose with, and a figure to push."""

import dataclasses

import bpy
import numpy as np
from bpy.props import EnumProperty, FloatProperty, IntProperty

from ...scene.examples.biped import add_biped
from ...scene.examples.linkages import KINDS
from ...scene.examples.machines.build import add_machine
from ...scene.examples.machines.car_on_path import put_on_path
from ...scene.examples.machines.kinds import MACHINES
from ...scene.examples.many_links import add_links
from ...scene.examples.planar import PLANS
from ...scene.links.build import add_linkage
from ..modal import InObjectMode
from ..selection import count, names, select_only

ITEMS = [
    ("PISTON", "Piston", "A crank, a rod and a piston: choose Make Live and turn the Drive Angle of the crank's hinge"),
    (
        "EXCAVATOR",
        "Excavator Arm",
        "Boom, stick and bucket with a cylinder each: choose Make Live and set the Drive Travel of their sliders",
    ),
    ("SCISSOR", "Scissor Lift", "Crossed bars on a pivot and a slider: choose Make Live and push the slider"),
    (
        "PEAUCELLIER",
        "Peaucellier's Cell",
        "Seven bars that make a straight line of a circle: choose Make Live and turn the crank by up to a radian or so",
    ),
    ("STRANDBEEST", "Strandbeest", "Three pairs of Theo Jansen's legs on one crank: choose Make Live and turn it"),
    (
        "LOCOMOTIVE",
        "Locomotive Valve Gear",
        "Walschaerts' gear on three coupled axles: choose Make Live, turn the driving wheels and the reversing arm",
    ),
    (
        "LANDING_GEAR",
        "Landing Gear",
        "A strut whose brace is locked beyond its dead centre: choose Make Live and push the cylinder by 0.25 m",
    ),
    ("UMBRELLA", "Umbrella", "Eight ribs on stretchers: choose Make Live and slide the runner up and down the shaft"),
    (
        "CAR",
        "Car on a Path",
        "Steering rack, wishbones and trailing arms: choose Make Live and play; the wheels roll and steer by drivers",
    ),
    ("DRAWING", "Drawing Machine", "Two gears move a pen: choose Make Live, then Path of a Point of the pen arm"),
    ("KLANN", "Klann Walker", "Four legs of Joe Klann's linkage on one crankshaft: choose Make Live and turn it"),
    ("IRIS", "Iris", "Nine blades, or six to twelve, on a ring: choose Make Live and turn the ring by six degrees"),
    ("HAND", "Hand", "Five fingers that curl by crossed four-bars: choose Make Live and turn their first hinges"),
    ("BICYCLE_CHAIN", "Bicycle Chain", "Links with parallel pins, laid out straight: drag its ends with Pose"),
    ("MILLIPEDE", "Millipede", "13,000 links by itself: a coiled spine of hinges with a thousand legs of ten links"),
    ("MOLECULE", "Molecule", "A random coil of rigid groups that turn about the bonds between them"),
    (
        "BIPED",
        "Biped on a Platform",
        "A figure that keeps its balance while the ground shifts and tilts: choose Play and pull at it, or Bake",
    ),
]


class VES_OT_add_example(InObjectMode, bpy.types.Operator):
    """Add a linkage to try things with, at the 3D cursor"""

    bl_idname = "ves.add_example"
    bl_label = "Add Example"
    bl_options = {"REGISTER", "UNDO"}

    kind: EnumProperty(name="Example", description="Which linkage", items=ITEMS)
    links: IntProperty(
        name="Links",
        description="About how many bodies a chain, a millipede or a molecule has, how many blades an iris, and how "
        "many pairs of legs a Strandbeest; 0 is what it has by itself",
        default=0,
        min=0,
        max=100000,
        soft_max=20000,
    )
    scale: FloatProperty(
        name="Scale", description="How many times as large as by itself", default=1.0, min=0.001, soft_max=100.0
    )

    @classmethod
    def description(cls, _context: bpy.types.Context, properties: bpy.types.OperatorProperties) -> str:
        """The tooltip of an entry tells about its own linkage."""
        return next(item[2] for item in ITEMS if item[0] == properties.kind)

    def execute(self, context: bpy.types.Context) -> set[str]:
        """All of it in a collection of its own; the end that begs to be dragged is selected."""
        origin = np.array(context.scene.cursor.location)
        if self.kind in PLANS:
            return self._add_planned(context, origin)
        if self.kind in MACHINES:
            return self._add_machine(context, origin)
        if self.kind == "BIPED":
            bodies = add_biped(context, origin, self.scale)
            select_only(context, [bodies[0]])
            self.report({"INFO"}, f"Added {count(len(bodies), 'body')}: choose Play and pull at the trunk, or Bake")
            return {"FINISHED"}
        make, by_itself = KINDS[self.kind]
        bodies = add_links(make(max(2, self.links or by_itself)), context, origin, self.scale)
        select_only(context, [bodies[-1] if self.kind == "BICYCLE_CHAIN" else bodies[0]])
        self.report({"INFO"}, f"Added {count(len(bodies), 'body')}: choose Pose and drag one")
        return {"FINISHED"}

    def _add_planned(self, context: bpy.types.Context, origin: np.ndarray) -> set[str]:
        of_size = [self.links] if self.kind == "STRANDBEEST" and self.links else []
        plan = PLANS[self.kind](*of_size)
        plan = dataclasses.replace(plan, points=origin + self.scale * plan.points)
        name = next(item[1] for item in ITEMS if item[0] == self.kind)
        bodies, joints = add_linkage(plan, context.scene, name)
        return self._tell_drives(context, bodies, joints)

    def _add_machine(self, context: bpy.types.Context, origin: np.ndarray) -> set[str]:
        of_size = [self.links] if self.kind == "IRIS" and self.links else []
        name = next(item[1] for item in ITEMS if item[0] == self.kind)
        bodies, joints = add_machine(MACHINES[self.kind](*of_size), context.scene, name, origin, self.scale)
        if self.kind == "CAR":
            put_on_path(bodies, joints, origin, self.scale)
        return self._tell_drives(context, bodies, joints)

    def _tell_drives(
        self, context: bpy.types.Context, bodies: list[bpy.types.Object], joints: list[bpy.types.Object]
    ) -> set[str]:
        """Select what leads, and name it."""
        drives = [joint for joint in joints if joint.ves.is_drive]
        select_only(context, drives)
        led = f"led by {names(drives)}"
        self.report({"INFO"}, f"Added {count(len(bodies), 'body')}, {led}: choose Make Live and set their drive")
        return {"FINISHED"}


CLASSES = (VES_OT_add_example,)
register, unregister = bpy.utils.register_classes_factory(CLASSES)
