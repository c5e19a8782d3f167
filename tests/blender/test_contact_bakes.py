# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies that are baked with contact end up where things end up."""

from __future__ import annotations

import math

import bpy
import pytest
from virtual_erector_set.scene.bake.state import BAKED, OUT_OF_DATE

from tests.blender.linkages import body, joint
from tests.blender.making import select
from tests.blender.playing import Driver
from tests.blender.shapes import ball, cylinder, shaped
from tests.blender.test_bake_state import state


def bake(frames: int = 72) -> None:
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, frames
    assert bpy.ops.ves.bake() == {"FINISHED"}
    scene.frame_set(frames)


def height(ob: bpy.types.Object) -> float:
    return ob.matrix_world.translation.z


def test_things_come_to_rest_on_the_ground() -> None:
    settings = bpy.context.scene.ves
    settings.ground_height, settings.ground_restitution = -1.0, 0.0
    rubber, crate = shaped("ball", ball(radius=0.3), (0, 0, 0.5)), body("crate", (2, 0, 0.5), (1, 1, 0.5))
    crate.rotation_euler.x = 0.4
    ghost = body("ghost", (4, 0, 0.5))
    ghost.ves.collide = False
    bake()
    assert height(rubber) == pytest.approx(-0.7, abs=2e-3)
    assert height(crate) == pytest.approx(-0.75, abs=5e-3)
    assert height(ghost) < -5.0


def test_a_ball_rolls_down_a_mesh_and_stays_on_it() -> None:
    settings = bpy.context.scene.ves
    settings.use_ground = False
    slope = [(x, y, -0.5 * x) for x in range(-2, 30, 2) for y in (-3, 0, 3)]
    faces = [(3 * i + j, 3 * i + j + 3, 3 * i + j + 4, 3 * i + j + 1) for i in range(15) for j in range(2)]
    shaped("ramp", (slope, faces), (0, 0, 0), "FIXED")
    radius, tilt = 0.3, math.atan(0.5)
    start = (radius * math.sin(tilt), 0.4, radius * math.cos(tilt))
    rolling = shaped("ball", ball(radius=radius), start)
    rolling.ves.material = "RUBBER"
    bake(48)
    place = rolling.matrix_world.translation
    assert place.x * math.sin(tilt) + place.z * math.cos(tilt) == pytest.approx(radius, abs=2e-3)
    distance = 0.5 * 5.0 / 7.0 * 9.81 * math.sin(tilt) * (47 / 24) ** 2
    assert (place.x - start[0]) / math.cos(tilt) == pytest.approx(distance, rel=0.02), "as a solid ball rolls"


@pytest.mark.parametrize("how", ["together", "layers", "pair", "joint"])
def test_only_what_may_touch_does(how: str) -> None:
    """A can that falls upon a table, or through it."""
    settings = bpy.context.scene.ves
    settings.use_ground = False
    table, can = body("table", (0, 0, 0), (2, 2, 0.2), "FIXED"), shaped("can", cylinder(24, 0.2, 0.5), (0, 0, 0.5))
    if how == "layers":
        can.ves.contact_layers = [False, True] + [False] * 18
    elif how == "pair":
        select(table, can)
        bpy.ops.ves.dont_collide()
    elif how == "joint":
        joint("rail", (0, 0, 0), table, can, "PRISMATIC")
    bake(36)
    if how == "together":
        assert height(can) == pytest.approx(0.35, abs=2e-3)
    else:
        assert height(can) < -1.0


def test_play_keeps_what_touches() -> None:
    rubber = shaped("ball", ball(radius=0.3), (0, 0, 0.5))
    bpy.context.scene.ves.ground_restitution = 0.0
    assert bpy.ops.ves.play(frames=40) == {"FINISHED"}
    bpy.context.scene.frame_set(41)
    assert height(rubber) == pytest.approx(0.3, abs=2e-3)


def soft_ball() -> bpy.types.Object:
    """A ball of 0.3 m just above the ground, where contact is soft: 0.2, the mean of both."""
    settings = bpy.context.scene.ves
    settings.contact_kind, settings.ground_softness = "SOFT", 0.1
    made = shaped("ball", ball(radius=0.3), (0, 0, 0.3))
    made.ves.contact_softness, made.ves.contact_restitution = 0.3, 0.1
    return made


def test_soft_bodies_sink_in_as_their_softness_says() -> None:
    made = soft_ball()
    bake()
    assert height(made) == pytest.approx(0.3 * (1.0 - 0.2), abs=1e-3)
    bpy.ops.ves.clear_bake()
    bpy.context.scene.frame_set(1)
    bpy.context.scene.ves.contact_kind = "RIGID"
    bake()
    assert height(made) == pytest.approx(0.3, abs=1e-3)


def test_play_is_soft_where_bake_is() -> None:
    made = soft_ball()
    bpy.context.scene.frame_end = 72
    driver = Driver()
    driver.go_on(72)
    assert height(made) == pytest.approx(0.3 * (1.0 - 0.2), abs=2e-3)
    driver.end()


def test_softness_makes_a_bake_out_of_date_and_a_mesh_under_a_box_is_refused_by_name() -> None:
    made, scene = soft_ball(), bpy.context.scene
    bake(8)
    assert state().kind == BAKED
    scene.ves.ground_softness = 0.05
    assert state().kind == OUT_OF_DATE
    assert "Ground" in state().text
    bpy.ops.ves.clear_bake()
    shaped("floor", ([(-5, -5, 0), (5, -5, 0), (5, 5, 1), (-5, 5, 0)], [(0, 1, 2), (0, 2, 3)]), (0, 0, -2), "FIXED")
    body("crate", (2, 0, 2.0), (1, 1, 0.5))
    made.ves.collide = False
    bpy.ops.ves.check()
    said = " ".join(finding.text for finding in scene.ves.findings)
    assert "crate" in said
    assert "floor" in said
    with pytest.raises(RuntimeError, match="crate"):
        bpy.ops.ves.bake()
