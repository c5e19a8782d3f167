# SPDX-License-Identifier: GPL-3.0-or-later
"""Linkage from Curve in the window: what was found is shown along the upper edge, and another one is chosen."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from tests.gui.conftest import Blender
from tests.gui.test_sidebar_window import SIZE, box_of_last_operation, unfolded
from tests.gui.window import TO_COMPILE, TO_REACT, Window, opened_window

IN_THE_VIEW = (700, 500)
SCENE = """
import math
for ob in list(bpy.data.objects):
    bpy.data.objects.remove(ob)
data = bpy.data.curves.new("Heart", "CURVE")
spline = data.splines.new("POLY")
spline.points.add(59)
for i, point in enumerate(spline.points):
    a = 2.0 * math.pi * i / 60
    y = 13.0 * math.cos(a) - 5.0 * math.cos(2 * a) - 2.0 * math.cos(3 * a) - math.cos(4 * a)
    point.co = (0.1 * 16.0 * math.sin(a) ** 3, 0.1 * y, 0.0, 1.0)
spline.use_cyclic_u = True
heart = bpy.data.objects.new("Heart", data)
bpy.context.scene.collection.objects.link(heart)
heart.select_set(True)
bpy.context.view_layer.objects.active = heart
view = view_3d()
view["area"].spaces[0].shading.type = "SOLID"
bpy.ops.view3d.view_axis(type="TOP")
view["area"].spaces[0].region_3d.view_distance = 14.0
bpy.ops.ed.undo_push(message="Build")
"""
BODIES = "answer = sorted(ob.name for ob in bpy.context.scene.objects if ob.ves.role == 'BODY')"
SHOWN = """
from bl_ext.user_default.virtual_erector_set.scene.live.choices import shown_in
shown = shown_in(bpy.context)
answer = None if shown is None else (shown.chosen, len(shown.drawings))
"""
COUNT = """
import numpy as np
image = bpy.data.images.load({path!r})
pixels = np.array(image.pixels[:]).reshape(-1, 4)[:, :3]
orange = np.abs(pixels - (1.0, 0.6, 0.2)).max(axis=1) < 0.06
answer = int(orange.sum())
bpy.data.images.remove(image)
"""


@pytest.fixture(scope="module")
def window(installed: Blender) -> Iterator[Window]:
    with opened_window(installed, IN_THE_VIEW, "curve_at_the_end", SIZE) as opened:
        opened.ask(SCENE)
        yield opened


def pixels_of_the_chosen(window: Window, name: str) -> int:
    """Those in the colour that only the chosen one's frame and words have."""
    window.lead(*IN_THE_VIEW)
    time.sleep(2.5)  # a redraw by software, beside other work
    return window.ask(COUNT.format(path=str(window.photograph(name))))


def test_what_was_found_is_shown_and_another_is_chosen(window: Window) -> None:
    window.ask("bpy.ops.ves.linkage_from_curve('INVOKE_DEFAULT')")
    window.wait_until(lambda: window.ask(BODIES), TO_COMPILE, "no linkage was built")
    first = window.ask(BODIES)
    assert window.ask(SHOWN) == [0, 6]
    shown = pixels_of_the_chosen(window, "linkages_found")
    window.wait_until(lambda: box_of_last_operation(window), TO_REACT, "the box did not come")
    left, top, right, bottom = unfolded(window, box_of_last_operation(window))
    window.click(right - 14, (top + bottom) / 2.0 + 8)  # the arrow of Choice
    window.wait_until(lambda: window.ask(SHOWN) == [1, 6], TO_REACT, "Choice did not go on")
    assert pixels_of_the_chosen(window, "linkage_two_chosen") > 400
    assert len(window.ask(BODIES)) in (3, 5, 7), "one linkage, not two"
    window.press("ctrl+z", *IN_THE_VIEW)
    window.wait_until(lambda: not window.ask(BODIES), TO_REACT, "undo did not take it back")
    gone = pixels_of_the_chosen(window, "linkages_hidden")
    assert window.ask(SHOWN) is None
    assert shown > gone + 400
    assert first
