# SPDX-License-Identifier: GPL-3.0-or-later
"""The page `docs/first-piston.md`, step by step, through the operators that it names."""

from __future__ import annotations

import bpy
import numpy as np

from tests.blender.making import box, select

CRANK, ROD = 0.5, np.hypot(1.55, 0.4)


def hinge(place, bodies, kind: str = "REVOLUTE", axis: str = "Y") -> bpy.types.Object:
    scene = bpy.context.scene
    scene.cursor.location = place
    scene.ves.connect_at, scene.ves.connect_axis = "CURSOR", axis
    select(*bodies)
    bpy.context.view_layer.objects.active = bodies[0]
    assert bpy.ops.ves.add_joint(type=kind) == {"FINISHED"}
    return bpy.context.active_object


def test_the_page_makes_a_piston_that_follows_its_crank() -> None:
    crank = box("crank", (0.15, 0.0, 0.2), (0.1, 0.1, 0.5))
    rod = box("rod", (1.075, 0.0, 0.2), (1.6, 0.1, 0.1))
    piston = box("piston", (1.85, 0.0, 0.0), (0.3, 0.3, 0.3))
    select(crank, rod, piston)
    assert bpy.ops.ves.add_body() == {"FINISHED"}
    lead = hinge((0.0, 0.0, 0.0), [crank])
    hinge((0.3, 0.0, 0.4), [crank, rod])
    hinge((1.85, 0.0, 0.0), [rod, piston])
    hinge((1.85, 0.0, 0.0), [piston], "PRISMATIC", "X")
    select(lead)
    assert bpy.ops.ves.set_drive() == {"FINISHED"}
    select()
    assert bpy.ops.ves.make_live() == {"FINISHED"}
    assert bpy.context.scene.ves.live_mobility == "1 linkage of 3 moving bodies: 1 freedom, driven by 1 joint"
    axis = np.array(lead.matrix_world.col[2])[:3]
    for turn in (0.5, 2.0, 6.0):
        lead.ves.drive_angle = turn
        bpy.context.view_layer.update()
        angle = np.arctan2(0.4, 0.3) - turn * axis[1]
        expected = CRANK * np.cos(angle) + np.sqrt(ROD**2 - (CRANK * np.sin(angle)) ** 2)
        assert abs(piston.matrix_world.translation.x - expected) < 1e-5
