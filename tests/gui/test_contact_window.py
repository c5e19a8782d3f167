# SPDX-License-Identifier: GPL-3.0-or-later
"""The ground and the shapes of bodies in the window, and the panels of contact. Pictures: artefacts/gui."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from tests.gui.conftest import Blender
from tests.gui.window import WIDTH, Window, opened_window

IN_THE_VIEW = (WIDTH // 3, 500)
SCENE = """
bpy.ops.object.select_all(action='SELECT')
bpy.ops.object.delete()
bpy.ops.mesh.primitive_uv_sphere_add(radius=0.6, location=(-2, 0, 1.5))
bpy.ops.mesh.primitive_cylinder_add(radius=0.5, depth=1.4, location=(0, 0, 1.5), rotation=(0.5, 0.3, 0))
bpy.ops.mesh.primitive_monkey_add(size=1.5, location=(2, 0, 1.5))
bpy.ops.mesh.primitive_cube_add(size=1, location=(0, 2.5, 0.5))
for ob in bpy.context.scene.objects:
    ob.ves.role = 'BODY'
bpy.context.object.ves.motion = 'FIXED'
settings = bpy.context.scene.ves
settings.use_contact, settings.show_shapes = True, 'ALL'
space = view_3d()['area'].spaces.active
space.region_3d.view_distance = 12
bpy.context.preferences.themes[0].view_3d.grid = (1.0, 0.75, 0.1, 0.5)
space.overlay.show_floor = False
"""
COUNT = """
import numpy as np
image = bpy.data.images.load({path!r})
pixels = np.empty(len(image.pixels), dtype=np.float32)
image.pixels.foreach_get(pixels)
pixels = pixels.reshape(-1, 4)
r, g, b = pixels[:, 0], pixels[:, 1], pixels[:, 2]
answer = [int(((g > r + 0.25) & (g > b + 0.15)).sum()), int(((r > b + 0.06) & (g > b + 0.04) & (r > g)).sum())]
bpy.data.images.remove(image)
"""


@pytest.fixture(scope="module")
def window(installed: Blender) -> Iterator[Window]:
    with opened_window(installed, IN_THE_VIEW, "contact_at_the_end") as opened:
        opened.ask(SCENE)
        opened.open_tab("Erector Set")
        time.sleep(2.0)
        yield opened


def colours(window: Window, name: str) -> tuple[int, int]:
    """Counts of pixels that are green as dynamic shapes, and amber as the ground: the theme's grid colour here."""
    window.lead(*IN_THE_VIEW)
    time.sleep(2.5)  # a redraw by software, beside other work
    green, amber = window.ask(COUNT.format(path=str(window.photograph(name))))
    return green, amber


def test_ground_and_shapes_can_be_seen_and_hidden(window: Window) -> None:
    green, amber = colours(window, "contact_shown")
    window.ask("bpy.context.scene.ves.show_shapes = 'NONE'\nview_3d()['area'].tag_redraw()")
    without_shapes = colours(window, "contact_without_shapes")
    window.ask("bpy.context.scene.ves.show_ground = False\nview_3d()['area'].tag_redraw()")
    without_ground = colours(window, "contact_without_ground")
    assert green > without_shapes[0] + 500
    assert amber > 5000
    assert without_shapes[1] > without_ground[1] + 5000
    window.ask("bpy.context.scene.ves.show_shapes = 'SELECTED'\nbpy.context.scene.ves.show_ground = True")
