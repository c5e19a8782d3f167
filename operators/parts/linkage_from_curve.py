# SPDX-License-Identifier: GPL-3.0-or-later
"""Linkages that draw a curve."""

import math
from collections.abc import Iterator

import bpy
from bpy.props import IntProperty

from ...scene.bake.bake import Progress
from ...scene.links.build import add_linkage
from ...scene.live.curve_drawn import plans_of_curve
from ..modal import InSteps
from ..polls import needs
from ..selection import select_only


class VES_OT_linkage_from_curve(InSteps, bpy.types.Operator):
    """Find four-bars and six-bars whose point draws the active closed curve, and build one of them as bodies and
    joints. Choose another one in Adjust Last Operation"""

    bl_idname = "ves.linkage_from_curve"
    bl_label = "Linkage from Curve"
    bl_options = {"REGISTER", "UNDO"}
    status_name = "live_status"

    choice: IntProperty(name="Choice", description="Which of those that were found, the best first", default=1, min=1)

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Needs a curve."""
        active = context.active_object
        return super().poll(context) and needs(
            cls,
            active is not None and active.type == "CURVE" and active.select_get(),
            "Draw a closed curve and select it: a linkage is sought that draws it",
        )

    def steps(self, context: bpy.types.Context) -> Iterator[Progress]:
        """Search for linkages."""
        self._curve = context.active_object
        context.view_layer.update()
        return plans_of_curve(self._curve, context.view_layer.depsgraph)

    def finish(self, context: bpy.types.Context, plans: list) -> set[str]:
        """Build the chosen one; the link whose point draws is active, so that Path of a Point draws what it draws."""
        number = min(self.choice, len(plans)) - 1
        plan, found = plans[number]
        bodies, _ = add_linkage(plan, context.scene, f"{self._curve.name} Linkage")
        drawing = max(range(len(plan.links)), key=lambda i: max(plan.links[i]))  # the last point draws
        select_only(context, [*bodies[:drawing], *bodies[drawing + 1 :], bodies[drawing]])
        text = (
            f"Linkage {number + 1} of {len(plans)}, a {found.family.name}: off the curve by "
            f"{100.0 * found.chamfer:.2g} % of its size in the mean, "
            f"transmission angle at least {math.degrees(found.transmission):.0f}°"
        )
        self._scene.ves.live_status = text
        self.report({"INFO"}, text)
        return {"FINISHED"}


CLASSES = (VES_OT_linkage_from_curve,)
register, unregister = bpy.utils.register_classes_factory(CLASSES)
