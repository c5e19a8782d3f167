# SPDX-License-Identifier: GPL-3.0-or-later
"""Plots in the 3D View: of the run while Play runs, over time and over each other."""

from __future__ import annotations

import bpy
import numpy as np
from virtual_erector_set import panels
from virtual_erector_set.scene.quantities.plot_overlay import HEIGHT, boxes
from virtual_erector_set.scene.quantities.view_plots import Curve, curve_of

from tests.blender.linkages import body, chain, joint
from tests.blender.making import select
from tests.blender.playing import Driver
from tests.blender.test_panels import draw


def test_a_plot_shows_the_run_and_then_the_last_bake():
    rods = chain(1, 24)
    scene = bpy.context.scene
    select(rods[0])
    assert bpy.ops.ves.plot_in_view(quantity="Speed") == {"FINISHED"}
    plot = scene.ves.view_plots[0]
    assert curve_of(plot, scene) is None, "nothing is known yet"
    driver = Driver()
    driver.go_on(10)
    curve = curve_of(plot, scene)
    assert (curve.title, curve.along, len(curve.x), curve.now) == ("rod 0: Speed (m/s)", "Time (s)", 11, 10)
    np.testing.assert_allclose(curve.x, np.arange(11) / 24.0)
    driver.end()
    bpy.ops.ves.bake()
    baked = curve_of(plot, scene)
    assert baked.title == "rod 0: Speed (m/s)  (last bake)"
    np.testing.assert_allclose(baked.y[:11], curve.y, atol=1e-5)
    assert bpy.ops.ves.plot_in_view(quantity="Speed") == {"FINISHED"}
    assert len(scene.ves.view_plots) == 0


def test_two_quantities_against_each_other_make_a_phase_plot():
    """A hinge with a spring in its middle: angle and speed go round an ellipse, a^2 + (v / w)^2 = a0^2."""
    scene = bpy.context.scene
    scene.use_gravity, scene.frame_end = False, 60
    wheel = body("wheel", (0, 0, 0), (1.0, 1.0, 0.1))
    hinge = joint("hinge", (0, 0, 0), None, wheel, "REVOLUTE")
    hinge.ves.stiffness[0], hinge.ves.coordinates[0] = 500.0, 0.4
    bpy.ops.ves.bake()
    plot = scene.ves.view_plots.add()
    plot.owner, plot.quantity = hinge, "Angle Speed"
    assert bpy.ops.ves.plot_over(index=0, against="Angle") == {"FINISHED"}
    curve = curve_of(plot, scene)
    assert curve.along == "Angle (°)"
    rate = np.abs(curve.y).max() / np.abs(curve.x).max()
    np.testing.assert_allclose(np.hypot(curve.x, curve.y[:, 0] / rate), np.degrees(0.4), rtol=5e-3)


def test_curves_stay_in_their_boxes_which_stay_in_the_view():
    values = np.array([[0.0, 1.0], [2.0, np.pi], [-3.0, 0.5]])
    curve = Curve("title", "Time (s)", np.array([0.0, 1.0, 2.0]), values, ("X", "Y"), 1)
    still = Curve("still", "Time (s)", np.zeros(1), np.zeros((1, 1)), (), None)
    found = boxes([curve, still, curve], 2.5 * HEIGHT)
    assert len(found) == 2, "a third does not fit"
    for box in found:
        points = np.concatenate(box.lines)
        assert (points >= box.corner).all()
        assert (points <= np.array(box.corner) + box.size).all()
    assert found[0].now.shape == (2, 2)
    assert found[1].now.shape == (0, 2)


def test_the_panel_lists_them():
    rods = chain(1, 24)
    bpy.ops.ves.bake()
    select(rods[0])
    bpy.ops.ves.plot_in_view(quantity="Speed")
    bpy.ops.ves.plot_in_view(quantity="Total Energy", of_scene=True)
    shown = draw(panels.inspect.VES_PT_inspect_view_plots)
    assert [text for kind, text in shown if kind == "label"] == ["rod 0: Speed", "All: Total Energy"]
    bpy.ops.ves.remove_view_plot(index=0)
    assert [plot.quantity for plot in bpy.context.scene.ves.view_plots] == ["Total Energy"]
