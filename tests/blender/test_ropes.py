# SPDX-License-Identifier: GPL-3.0-or-later
"""Ropes over many wheels and on drums in Blender: operators, what the solver gets, refusals, bakes, what is seen."""

from __future__ import annotations

from itertools import pairwise

import bpy
import numpy as np
import pytest
from mathutils import Vector
from virtual_erector_set.scene.parts.holding import partner_lines
from virtual_erector_set.scene.parts.linkages import ends_of, find_linkages

from examples import bollard, derrick
from tests.blender.linkages import baked_result, body, joint, part
from tests.blender.making import box, empty, select, with_role
from tests.blender.test_couplings import assert_refused, now
from tests.blender.test_visible import points as seen
from tests.blender.versions import once

G = 9.81
ALONG_Y = (-np.pi / 2.0, 0.0, 0.0)


def drum(place: tuple = (2.0, 0.0, 1.0)) -> bpy.types.Object:
    """A wheel on a hinge about Y."""
    bpy.ops.mesh.primitive_cylinder_add(radius=0.25, depth=0.4, location=place, rotation=ALONG_Y, vertices=256)
    made = bpy.context.active_object
    made.name = "drum"
    select(made)
    bpy.ops.ves.add_body()
    axle = joint("axle", place, None, made, "REVOLUTE")
    axle.rotation_euler = ALONG_Y
    bpy.context.view_layer.update()
    return made


def rope(**options: object) -> bpy.types.Object:
    """Of what is selected, below a cursor at 4 m."""
    bpy.context.scene.cursor.location = (0.0, 0.0, 4.0)
    assert bpy.ops.ves.add_rope(**options) == {"FINISHED"}
    return bpy.context.active_object


@pytest.mark.parametrize("strands", range(1, 6))
def test_a_body_hangs_on_as_many_strands_as_are_said(strands):
    """Each runs from the body to a wheel in the world above it, or back."""
    load = box("load")
    select(load)
    made = rope(strands=strands)
    (found,) = now().mechanism.constraints
    assert (found.type, found.slack, found.length, found.drums) == ("rope", False, None, ())
    assert len(found.points) == strands + 2
    between = [(a, b) for a, b in zip(found.bodies, found.bodies[1:], strict=False) if a != b]
    assert len(between) == strands
    assert found.bodies[-2:] == (None, None), "it ends in the world, below its last wheel"
    assert made.ves.body_a == (load if strands % 2 else None)
    assert {round(point[2], 6) for point, name in zip(found.points, found.bodies, strict=True) if name} == {0.5}
    assert ends_of(made) == [load]
    (linkage,) = find_linkages(bpy.context.scene)
    assert {entry.object for entry in made.ves.rope_points} <= linkage.pointed_at


def test_a_drum_winds_it_up_where_it_touches_it():
    """On the side where the rope comes in as the hinge turns on; as large as it is."""
    load, wheel = box("load"), drum()
    select(load, wheel)
    made = rope()
    assert (made.ves.drum_b.name, made.ves.body_b, made.ves.to_world) == ("axle", None, True)
    assert made.ves.drum_radius_b == pytest.approx(0.25, abs=1e-4)
    (found,) = now().mechanism.constraints
    assert (found.drums, found.radii) == (("axle",), pytest.approx((0.25,), abs=1e-4))
    middle, last, before = (np.array(p) for p in ((2.0, 0.0, 1.0), found.points[-1], found.points[-2]))
    assert np.linalg.norm(last - middle) == pytest.approx(0.25, abs=1e-4)
    assert (last - middle) @ (before - last) == pytest.approx(0.0, abs=1e-4), "along a tangent"
    axis = now().mechanism.joints[0].orientation
    assert np.cross(_z_of(axis), last - middle) @ (before - last) < 0.0, "its surface goes away from the wheel"


def _z_of(q: tuple) -> np.ndarray:
    w, x, y, z = q
    return np.array((2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)))


def test_with_one_strand_it_runs_over_the_selected_empties_the_nearest_first():
    load, crane = box("load"), body("crane", (0, 0, 8), motion="FIXED")
    eyes = [empty("far"), empty("near")]
    eyes[0].location, eyes[1].location = (4, 0, 5), (0, 0, 5)
    eyes[0].parent = crane
    eyes[0].matrix_parent_inverse = crane.matrix_world.inverted()
    bpy.context.view_layer.update()
    other = box("other", (4, 0, 0))
    select(load, *eyes, other)
    made = rope(strands=1)
    (found,) = now().mechanism.constraints
    assert found.bodies == ("load", None, "crane", "other")
    assert made.ves.anchor_b.parent == other
    assert found.points[1] == pytest.approx((0, 0, 5))


def test_a_body_that_pulls_at_the_other_end_hangs_below_a_wheel_of_its_own():
    load, other = box("load"), box("other", (3, 0, 0))
    select(load, other)
    rope(strands=2)
    (found,) = now().mechanism.constraints
    assert found.bodies == (None, "load", None, None, "other")
    assert found.points[-2] == pytest.approx((3, 0, 4), abs=1e-6)
    assert found.points[-1] == pytest.approx((3, 0, 0.5), abs=1e-6)


def test_wheels_are_added_moved_and_removed():
    load, over = box("load"), empty("over")
    over.location = (1.0, 0.0, 5.0)
    select(load)
    made = rope(strands=2)
    select(made, over)
    assert bpy.ops.ves.add_rope_point() == {"FINISHED"}
    names = lambda: [entry.object and entry.object.name for entry in made.ves.rope_points]  # noqa: E731
    first, second, third = names()
    assert third == "over"
    assert bpy.ops.ves.move_rope_point(number=2) == {"FINISHED"}
    assert names() == [first, "over", second]
    assert bpy.ops.ves.remove_rope_point(number=0) == {"FINISHED"}
    assert names() == ["over", second]
    with pytest.raises(RuntimeError, match="There is no such wheel"):
        bpy.ops.ves.remove_rope_point(number=5)
    with pytest.raises(RuntimeError, match="It is at the end already"):
        bpy.ops.ves.move_rope_point(number=0)


def test_a_tackle_bakes_as_it_weighs():
    """A load on two strands against a weight: closed form, in a bake of whole frames."""
    load, weight = body("load", (0, 0, 0)), body("weight", (3, 0, 0))
    for ob, mass in ((load, 4.0), (weight, 1.0)):
        ob.ves.mass_source, ob.ves.mass = "GIVEN", mass
        joint(f"guide of {ob.name}", ob.location, None, ob, "PRISMATIC")
    made = part("rope", "ROPE", (0, 0, 4)).ves
    made.to_world, made.body_b, made.anchor_b = True, weight, part("end", "NONE", (3, 0, 0))
    marks = [("hook", (0, 0, 0)), ("above", (0.0, 0, 4)), ("aside", (3, 0, 4))]
    for name, place in marks:
        made.rope_points.add().object = part(name, "NONE", place)
    hook, end = bpy.data.objects["hook"], bpy.data.objects["end"]
    hook.parent, end.parent = load, weight
    hook.location = (0, 0, 0)
    end.location = (0, 0, 0)
    bpy.context.view_layer.update()
    bpy.context.scene.frame_end = 13
    baked_result()
    up = G * (2.0 * 1.0 - 4.0) / (4.0 + 4.0 * 1.0)
    heights = []
    for frame in range(1, 14):
        bpy.context.scene.frame_set(frame)
        heights.append(load.matrix_world.translation.z)
    assert heights == pytest.approx(0.5 * up * (np.arange(13) / 24.0) ** 2, abs=1e-5)


def test_wrong_ropes_are_named_with_a_remedy():
    load, wheel = body("load"), drum()
    made = part("rope", "ROPE", (0, 0, 0.5))
    assert_refused("rope", "has no body at its first end: choose one, or switch To World on")
    made.ves.body_a, made.ves.to_world = load, True
    assert_refused("rope", "has its first and its second point at the same place: move one of them away")
    made.ves.anchor_b = part("end", "NONE", (2, 0, 4))
    entry = made.ves.rope_points.add()
    assert_refused("rope", "has no first wheel: choose an object where it is")
    entry.object = part("over", "NONE", (0, 0, 4))
    assert len(now().mechanism.constraints) == 1
    made.ves.drum_b = bpy.data.objects["axle"]
    made.ves.drum_radius_b = 0.0
    assert_refused("rope", "has a drum with a radius of 0")
    made.ves.drum_radius_b, made.ves.body_b = 0.25, wheel
    assert_refused("rope", "ends on its drum, drum, itself: end it on what holds the drum")
    made.ves.body_b, made.ves.drum_a = None, bpy.data.objects["axle"]
    assert_refused("rope", "winds up on axle at both ends")
    made.ves.drum_a = None
    bpy.data.objects["axle"].ves.enabled = False
    assert_refused("rope", "its drum, axle, takes no part: enable it, or choose none")
    made.ves.drum_b = None
    made.ves.body_a, made.ves.to_world = None, True
    assert_refused("rope", "holds no body")
    made.ves.body_a = load
    for k in range(6):
        made.ves.rope_points.add().object = part(f"more {k}", "NONE", (k + 1.0, 0, 5))
    assert_refused("rope", "runs over 7 wheels: 6 are the most")
    made.ves.rope_points.remove(6)
    made.ves.use_distance, made.ves.distance = True, 3.0
    assert_refused("rope", "m long, but its length is 3 m", "Snap Together")


def test_more_than_two_bodies_are_refused():
    select(box("a"), box("b", (2, 0, 0)), box("c", (4, 0, 0)))
    with pytest.raises(RuntimeError, match="Select the body that hangs, active, and at most one that pulls"):
        bpy.ops.ves.add_rope()


def test_it_is_seen_from_point_to_point():
    load = box("load")
    select(load)
    made = rope(strands=2)
    assert bpy.ops.ves.make_visible(thickness=0.02) == {"FINISHED"}
    found = seen(made)
    over = [entry.object.matrix_world.translation for entry in made.ves.rope_points]
    for place in [made.matrix_world.translation, *over, made.ves.anchor_b.matrix_world.translation]:
        assert np.linalg.norm(found - np.array(place), axis=1).min() < 0.02
    lowest = min(over, key=lambda place: place.z)
    assert found[:, 2].min() == pytest.approx(min(lowest.z, made.ves.anchor_b.matrix_world.translation.z), abs=0.02)
    select(made)
    bpy.ops.ves.remove_rope_point(number=0)
    assert np.linalg.norm(seen(made) - np.array(Vector(over[0])), axis=1).min() > 0.1, "it no longer runs there"


def test_a_line_in_the_view_goes_along_a_chosen_rope_from_point_to_point():
    load = box("load")
    select(load)
    made = rope(strands=3)
    (found,) = now().mechanism.constraints
    lines = np.array(partner_lines([made], bpy.context.scene)).reshape(-1, 2, 3)
    assert lines[:, 0] == pytest.approx(np.array(found.points[:-1]), abs=1e-6)
    assert lines[:, 1] == pytest.approx(np.array(found.points[1:]), abs=1e-6)


def test_with_the_rope_go_its_marks():
    load = box("load")
    select(load)
    rope(strands=4)
    assert len(with_role("ROPE")) == 1
    marks = [ob.name for ob in bpy.data.objects if "Wheel" in ob.name]
    assert len(marks) == 4
    select(load)
    bpy.ops.ves.remove_body(remove_joints=True)
    assert not [ob for ob in bpy.data.objects if "Wheel" in ob.name]


@once
def test_the_derrick_hangs_on_ropes_that_its_drums_wind_up():
    """Each rope is as long as it was less what its drum has wound up, where the crate hangs and the boom is drawn."""
    derrick.build(170)
    scene = bpy.context.scene
    bpy.ops.ves.check()
    assert not [finding.text for finding in scene.ves.findings]
    assert bpy.ops.ves.bake() == {"FINISHED"}
    lengths = {name: [] for name in ("Hoist Rope", "Luff Rope")}
    heights, turns = [], []
    for frame in range(1, 171):
        scene.frame_set(frame)
        for name, found in lengths.items():
            made = scene.objects[name]
            over = [entry.object.matrix_world.translation for entry in made.ves.rope_points]
            places = [made.matrix_world.translation, *over, made.ves.anchor_b.matrix_world.translation]
            found.append(sum((b - a).length for a, b in pairwise(places)))
        heights.append(scene.objects["Crate"].matrix_world.translation.z)
        turns.append([scene.objects[f"{name} Drum"].matrix_world.to_euler("YXZ").y for name in ("Hoist", "Luff")])
    turns = np.unwrap(np.array(turns), axis=0)
    turns -= turns[0]
    assert turns[149] == pytest.approx((derrick.HOISTED[150], derrick.LUFFED[112]), abs=1e-3)
    for found, turned in zip(lengths.values(), turns.T, strict=True):
        assert np.array(found) + derrick.DRUM * turned == pytest.approx(found[0], abs=2e-5)
    assert heights[149] - heights[0] > 0.15, "hoisted, and drawn up with the boom"


def test_a_rope_over_a_bollard_holds_as_eulers_law_says():
    """A turn and a half turn more: exp(0.3 pi 3) is 17 times as much; what is heavier than that slips down."""
    for weight, falls in ((16.0, False), (18.0, True)):
        bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
        load, other = box("load"), box("other", (3, 0, 0))
        for each, mass in ((load, weight), (other, 1.0)):
            each.ves.mass_source, each.ves.mass = "GIVEN", mass
        select(load, other)
        made = rope(strands=1)
        assert not made.ves.slack
        for entry in made.ves.rope_points:
            entry.friction = 0.3
        made.ves.rope_points[0].turns = 1.0
        (found,) = now().mechanism.constraints
        assert found.slack, "what rubs pulls only"
        assert found.friction == pytest.approx((0.0, *(0.3 for _ in made.ves.rope_points), 0.0))
        scene = bpy.context.scene
        scene.frame_end = 12
        assert bpy.ops.ves.bake() == {"FINISHED"}
        scene.frame_set(12)
        assert (load.matrix_world.translation.z < -0.005) == falls


@once
def test_the_crate_slips_round_the_bollard_only_while_the_hand_is_slack():
    """As quickly as Euler's law says of a crate that hangs plumb, and is braked by it to rest."""
    bollard.build(60)
    scene = bpy.context.scene
    bpy.ops.ves.check()
    assert not [finding.text for finding in scene.ves.findings]
    assert bpy.ops.ves.bake() == {"FINISHED"}
    ratio = np.exp(bollard.FRICTION * bollard.TURNS * 2.0 * np.pi)

    def sinking(hand: float) -> float:
        pull = ratio * (bollard.HANDLE * G + hand)
        return (bollard.MASS * G - pull) / (bollard.MASS + ratio * bollard.HANDLE)

    heights = []
    for frame in range(1, 61):
        scene.frame_set(frame)
        heights.append(scene.objects["Crate"].matrix_world.translation.z)
    fell = heights[0] - np.array(heights)
    quickens = np.diff(fell, 2) * 24.0**2
    assert np.abs(fell[:18]).max() < 1e-5, "a key jumps within half a frame before its own"
    assert quickens[18:24] == pytest.approx(sinking(bollard.SLACKENS), abs=1e-3)
    assert sinking(bollard.HOLDS) < quickens[26] < -5.0, "until it stands, before its frame"
    assert np.ptp(fell[30:53]) < 1e-6, "it holds again"
    assert fell[59] > fell[53] + 0.005
