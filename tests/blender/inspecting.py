# SPDX-License-Identifier: GPL-3.0-or-later
"""Common to tests of Inspect, its plots and its tables: small mechanisms, and all quantities by their labels."""

from __future__ import annotations

import bpy
import numpy as np
from virtual_erector_set.scene.quantities.quantities import quantities_of

from tests.blender.linkages import body, joint
from tests.blender.shapes import ball, shaped
from tests.blender.test_panels import draw


def values(owner) -> dict[str, np.ndarray]:
    """Every quantity over all frames, by its label."""
    _, found = quantities_of(owner, bpy.context.scene)
    return {quantity.label: quantity.values for quantity in found}


def frames(first: int = 1, last: int = 24) -> None:
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = first, last


def shown_by(panel: type) -> list[str]:
    return [text for kind, text in draw(panel) if kind == "label"]


def swinging_bar() -> tuple[bpy.types.Object, bpy.types.Object]:
    """A bar on a hinge about Y that starts level; its damper is a weak one."""
    bar = body("bar", (0.5, 0, 0), (1, 0.1, 0.1))
    bar.ves.mass_source, bar.ves.mass = "GIVEN", 3.0
    hinge = joint("hinge", (0, 0, 0), None, bar, "REVOLUTE")
    hinge.rotation_euler.x = -0.5 * np.pi  # Z becomes Y
    hinge.ves.damping[0] = 0.4
    frames()
    return bar, hinge


def bouncing_ball() -> bpy.types.Object:
    """A ball of 2 kg, let fall from 1 m onto a fixed slab, which it leaves with half its speed."""
    slab = body("slab", (0, 0, -0.5), (4, 4, 1), motion="FIXED")
    rubber = shaped("rubber", ball(radius=0.1), (0, 0, 1.1))
    settings = bpy.context.scene.ves
    settings.use_ground = False
    slab.ves.contact_restitution = rubber.ves.contact_restitution = 0.5
    rubber.ves.mass_source, rubber.ves.mass = "GIVEN", 2.0
    frames(11, 40)
    assert bpy.ops.ves.bake() == {"FINISHED"}
    return rubber
