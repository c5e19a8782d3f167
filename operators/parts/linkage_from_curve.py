# SPDX-License-Identifier: GPL-3.0-or-later
"""Linkages that draw a curve."""

import math
from collections.abc import Iterator

import bpy
import numpy as np
from bpy.props import IntProperty

from ...scene.bake.bake import Progress
from ...scene.links.build import WIDTH, add_linkage
from ...scene.live.choices import show
from ...scene.live.curve_drawn import Drawing, plans_of_curve
from ...scene.properties.joint import set_limits
from ...solver.synthesis import Found
from ..modal import InSteps
from ..polls import needs
from ..selection import adjustable, select_only


@adjustable
class VES_OT_linkage_from_curve(InSteps, bpy.types.Operator):
    """Find linkages whose point draws the active curve, closed or open, and build one of them as bodies and joints.
    All that were found are shown small in the view: choose another one in Adjust Last Operation"""

    bl_idname = "ves.linkage_from_curve"
    bl_label = "Linkage from Curve"
    bl_options = {"REGISTER", "UNDO"}
    status_name = "live_status"

    choice: IntProperty(name="Choice", description="Which of those that were found, the best first", default=1, min=1)

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Needs a curve."""
        active = context.active_object
        is_chosen = active is not None and active.type == "CURVE" and active.select_get()
        return super().poll(context) and needs(
            cls, is_chosen, "Draw a curve and select it: a linkage is sought whose point draws it"
        )

    def steps(self, context: bpy.types.Context) -> Iterator[Progress]:
        """Search for linkages."""
        self._curve = context.active_object
        context.view_layer.update()
        return plans_of_curve(self._curve, context.view_layer.depsgraph)

    def finish(self, context: bpy.types.Context, found: list[Drawing]) -> set[str]:
        """Build the chosen one; the link whose point draws is active, so that Path of a Point draws what it draws."""
        number = min(self.choice, len(found)) - 1
        chosen = found[number]
        width = WIDTH * min(chosen.plan.size, float(np.ptp(chosen.wanted, axis=0).max()))
        bodies, joints = add_linkage(chosen.plan, context.scene, f"{self._curve.name} Linkage", width)
        if chosen.found.is_open:
            set_limits(joints[0].ves, [(0.0, chosen.found.turn)])
        show(found, number, type(self).__name__, bodies[0].users_collection[0])
        drawing = chosen.drawing_link
        select_only(context, [*bodies[:drawing], *bodies[drawing + 1 :], bodies[drawing]])
        text = f"Linkage {number + 1} of {len(found)}, {_words(chosen.found)}"
        self._scene.ves.live_status = text
        self.report({"INFO"}, text)
        return {"FINISHED"}


def _words(found: Found) -> str:
    """The kind, how well it draws, and how far its crank turns."""
    kind = f"{'an' if found.family.name[0] in 'aei' else 'a'} {found.family.name}"
    turn = f", its crank turns by {math.degrees(found.turn):.0f}°" if found.is_open else ""
    return (
        f"{kind}: off the curve by {100.0 * found.chamfer:.2g} % of its size in the mean, "
        f"transmission angle at least {math.degrees(found.transmission):.0f}°{turn}"
    )


CLASSES = (VES_OT_linkage_from_curve,)
register, unregister = bpy.utils.register_classes_factory(CLASSES)
