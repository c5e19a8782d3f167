# SPDX-License-Identifier: GPL-3.0-or-later
"""Paths of points over the way of a drive: the curve, its time marks, what is said, and a length that is changed."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from virtual_erector_set.scene.links.lengths import length_of
from virtual_erector_set.scene.quantities.path_plots import path_curves

from tests.blender.making import select
from tests.blender.test_links import FOUR_BAR, chain, ends, sketch

SINGLE = 1e-5  # m


def driven_chain(points=FOUR_BAR):
    links, hinges = chain(points)
    crank = next(hinge for hinge in hinges if hinge.ves.to_world and hinge.ves.body_b == links[0])
    crank.ves.is_drive = True
    return links, crank


def drawn(body, **options) -> bpy.types.Object:
    select(body)
    bpy.context.view_layer.objects.active = body
    assert bpy.ops.ves.draw_path(**options) == {"FINISHED"}
    return bpy.context.active_object


def places(curve: bpy.types.Object) -> np.ndarray:
    return np.array([point.co[:3] for point in curve.data.splines[0].points])


def test_the_end_of_a_crank_goes_round_a_circle_with_time_marks() -> None:
    links, _ = driven_chain()
    curve = drawn(links[0])
    path = places(curve)
    np.testing.assert_allclose(
        np.linalg.norm(path - FOUR_BAR[0], axis=1), np.full(len(path), length_of(links[0])), atol=SINGLE
    )
    assert curve.data.splines[0].use_cyclic_u
    assert len(curve.data.splines) == 1 + 12
    assert "goes from 0.0° to 360.0°" in curve.ves.path_findings
    assert "N m against gravity" in curve.ves.path_findings


def test_the_path_of_a_rocker_is_an_arc_and_its_drive_stops_are_named() -> None:
    links, crank = driven_chain()
    crank.ves.is_drive = False
    rocker = next(ob for ob in bpy.context.scene.objects if ob.ves.to_world and ob.ves.body_b == links[2])
    rocker.ves.is_drive = True
    curve = drawn(links[2], point="ORIGIN")
    path = places(curve)
    np.testing.assert_allclose(
        np.linalg.norm(path - FOUR_BAR[3], axis=1), np.full(len(path), length_of(links[2])), atol=SINGLE
    )
    assert not curve.data.splines[0].use_cyclic_u
    assert "dead centre" in curve.ves.path_findings


def test_a_path_follows_a_length_that_is_changed() -> None:
    links, _ = driven_chain()
    curve = drawn(links[0])
    bpy.context.view_layer.objects.active = links[0]
    assert bpy.ops.ves.set_link_length(length=0.6) == {"FINISHED"}
    radius = np.linalg.norm(places(curve) - FOUR_BAR[0], axis=1)
    np.testing.assert_allclose(radius, np.full(len(radius), 0.6), atol=SINGLE)
    assert len([ob for ob in bpy.context.scene.objects if ob.type == "CURVE"]) == 1


def test_a_live_linkage_gives_the_same_path() -> None:
    links, crank = driven_chain()
    bpy.context.scene.cursor.location = (1.0, 0.0, 2.0)
    before = places(drawn(links[1], point="CURSOR"))
    local = links[1].matrix_world.inverted() @ bpy.context.scene.cursor.location
    select()
    assert bpy.ops.ves.make_live() == {"FINISHED"}
    crank.ves.drive_angle = 1.0
    bpy.context.view_layer.update()
    bpy.context.scene.cursor.location = links[1].matrix_world @ local
    after = places(drawn(links[1], point="CURSOR"))
    nearest = np.linalg.norm(before[:, None] - after[None], axis=2).min(axis=0)
    step = np.linalg.norm(np.diff(before, axis=0), axis=1).max()
    assert nearest.max() < 0.6 * step
    assert np.linalg.norm(after[0] - before[0]) > 0.1
    assert crank.ves.drive_angle == pytest.approx(1.0)


def test_a_body_that_no_drive_moves_is_refused_by_name() -> None:
    links, crank = driven_chain()
    crank.ves.is_drive = False
    select(links[1])
    bpy.context.view_layer.objects.active = links[1]
    with pytest.raises(RuntimeError, match=r"Link 2.*moved by no drive"):
        bpy.ops.ves.draw_path()
    assert ends(links[1]).shape == (2, 3)


def test_a_single_bar_is_refused() -> None:
    ob = sketch(FOUR_BAR[:2], [(0, 1)])
    assert bpy.ops.ves.links_from_sketch(ground="NONE") == {"FINISHED"}
    bar = bpy.context.active_object
    assert bar != ob
    with pytest.raises(RuntimeError, match="in no linkage"):
        bpy.ops.ves.draw_path()


def test_what_changes_over_the_way_is_plotted_with_the_drive_now() -> None:
    links, crank = driven_chain()
    curve, scene = drawn(links[1]), bpy.context.scene
    plots = {each.title: each for each in path_curves(curve, scene)}
    assert list(plots) == [
        "Effort against Gravity (N m)",
        "Distance to a Dead Centre (1: far)",
        "Transmission Angle (°)",
        "Hinges (°)",
    ]
    angle = plots["Transmission Angle (°)"]
    sides = [np.linalg.norm(np.subtract(FOUR_BAR[k], FOUR_BAR[k - 1])) for k in range(4)]
    ground, a, b, c = sides
    squares = [(ground - a) ** 2, (ground + a) ** 2]
    extremes = [np.degrees(np.arccos(abs(b * b + c * c - square) / (2.0 * b * c))) for square in squares]
    assert angle.y.min() == pytest.approx(min(extremes), abs=0.2)
    assert "smallest transmission angle" in curve.ves.path_findings
    assert angle.along == "Drive (°)"
    assert angle.now == 0
    crank.ves.drive_angle = np.radians(90.0 + 720.0)
    (now,) = {each.now for each in path_curves(curve, scene)}
    assert angle.x[now] == pytest.approx(90.0, abs=3.0)
    crank.ves.drive_angle = np.nan  # as of a driver that divides by zero
    assert {each.now for each in path_curves(curve, scene)} == {None}
    text = curve.ves.path_plots
    for damaged in (
        "{",
        "[]",
        text.replace('"values": [', '"values": [NaN, '),
        '{"drive": "", "along": "", "values": [], "plots": []}',
    ):
        curve.ves.path_plots = damaged
        assert path_curves(curve, scene) == []
    curve.ves.path_plots = text
    assert path_curves(curve, scene)[0].y is path_curves(curve, scene)[0].y  # the text is not read for each redraw
    assert path_curves(links[0], scene) == []


def test_what_another_drive_holds_is_counted_and_has_no_transmission_angle() -> None:
    """The boom's cylinder does not move those of stick and bucket against what they are on."""
    bpy.ops.ves.add_example(kind="EXCAVATOR")
    curve = drawn(bpy.data.objects["Boom"], point="ORIGIN")
    said = curve.ves.path_findings
    assert said.startswith("Slider Boom Cylinder Boom Rod goes from")
    assert "transmission angle" not in said
    assert "-0.0°" not in said
    assert "Hinge Stick Bucket" not in said
    assert said.endswith("other hinges and sliders stand still")
    assert "Transmission Angle (°)" not in [each.title for each in path_curves(curve, bpy.context.scene)]


def test_a_copy_of_a_live_linkage_has_a_path_of_its_own() -> None:
    links, _ = driven_chain()
    select()
    assert bpy.ops.ves.make_live() == {"FINISHED"}
    select(*bpy.context.scene.objects)
    bpy.ops.object.duplicate()
    copy = bpy.data.objects[f"{links[0].name}.001"]
    path = places(drawn(copy))
    radius = np.linalg.norm(path - FOUR_BAR[0], axis=1)
    np.testing.assert_allclose(radius, np.full(len(path), length_of(links[0])), atol=SINGLE)


def test_a_drive_that_is_disabled_in_viewports_leads_nothing(capfd: pytest.CaptureFixture) -> None:
    links, crank = driven_chain()
    crank.hide_viewport = True
    with pytest.raises(RuntimeError, match="is moved by no drive"):
        drawn(links[1])
    select()
    assert bpy.ops.ves.make_live() == {"FINISHED"}
    assert "driven by 0 joints" in bpy.context.scene.ves.live_mobility
    assert f"{crank.name}: takes no part: it is disabled in viewports" in capfd.readouterr().out


def test_a_selected_drive_is_the_one_that_goes_through_its_way() -> None:
    bpy.ops.ves.add_example(kind="EXCAVATOR")
    drives = [ob for ob in bpy.context.scene.objects if ob.ves.is_drive]
    bucket = next(ob for ob in bpy.context.scene.objects if ob.ves.role == "BODY" and "Bucket" in ob.name)
    assert len(drives) == 3
    for drive in drives:
        select(drive, bucket)
        bpy.context.view_layer.objects.active = bucket
        assert bpy.ops.ves.draw_path(point="ORIGIN") == {"FINISHED"}
        assert bpy.context.active_object.ves.path_findings.startswith(f"{drive.name} goes from")
