# SPDX-License-Identifier: GPL-3.0-or-later
"""A scissor lift of three stages: six bars lift a platform with a weight, pulled at the lowest slide.

An Empty with two keyframes leads the foot, and everything above it follows. All hinges are parallel, so the four loops
hold the same things many times over, which does no harm.
"""

from __future__ import annotations

import math

import bpy

from .by_hand import add_bodies, join, lead, select
from .camera import add_camera
from .shapes import joined, lathe, make_object, on_both_sides, rod, slab
from .workbench import PITCH, bolt, make_table, place_between, set_frames, strip

FRAMES, RAISED = 96, 80  # the last frame, and the one at which the lift is up
STAGES, HOLES = 3, 12
LENGTH = HOLES * PITCH
LOW, HIGH = math.radians(13.0), math.radians(48.0)  # angles of the bars
LEFT, FOOT = -0.15, 0.09  # x of the hinges that stay, and the height of the lowest
OUTER, INNER = 0.032, 0.024  # how far the two strips of a bar are from the middle plane
CLEAR = 0.0005  # between what slides
HALF = 0.018  # half the width of whatever is between the bars


def build(frames: int = FRAMES) -> None:
    """Fill the empty file with the scene, ready to be baked; `frames` shortens it from its end."""
    set_frames(frames)
    rising, falling = make_bars()
    base, foot, shoe, platform, weight = make_base(), make_foot(), make_shoe(), make_platform(), make_weight()
    connect(rising, falling, (base, foot, shoe, platform, weight))
    pull(foot)
    make_table(seed=5)
    add_camera((-0.80, -1.65, 0.58), (0.06, 0.0, 0.45), 36.0, f_stop=1.0)
    select(base)


def width(angle: float) -> float:
    """Between the hinges at the left and those at the right."""
    return LENGTH * math.cos(angle)


def height(angle: float) -> float:
    """Of one stage."""
    return LENGTH * math.sin(angle)


def left(stage: int) -> tuple[float, float]:
    """(x, z) of the hinge at the left below the stage, at the start."""
    return LEFT, FOOT + stage * height(LOW)


def right(stage: int) -> tuple[float, float]:
    """The same at the right."""
    return LEFT + width(LOW), FOOT + stage * height(LOW)


def make_bars() -> tuple[list[bpy.types.Object], list[bpy.types.Object]]:
    """Bars that rise to the right, the outer ones, with their axles; and those that fall to the right, between them."""
    axles = [bolt(i * PITCH, 0.0, -OUTER - 0.003, OUTER + 0.003) for i in (0, HOLES // 2, HOLES)]
    outer = joined(on_both_sides(strip(HOLES, "car", OUTER)), *axles)
    spacers = [rod((i * PITCH, -INNER, 0.0), (i * PITCH, INNER, 0.0), 0.0075, "brass") for i in (3, 9)]
    inner = joined(on_both_sides(strip(HOLES, "girder", INNER)), *spacers)
    axle = bolt(0.0, 0.0, -INNER - 0.0025, INNER + 0.0025)
    last = bolt(LENGTH, 0.0, -INNER - 0.0025, INNER + 0.0025)
    rising, falling = [], []
    for stage in range(STAGES):
        rising.append(make_object(f"Rising {stage + 1}", outer))
        place_between(rising[-1], left(stage), right(stage + 1))
        ends = [axle] * (stage == 0) + [last] * (stage == STAGES - 1)
        falling.append(make_object(f"Falling {stage + 1}", joined(inner, *ends)))
        place_between(falling[-1], right(stage), left(stage + 1))
    return rising, falling


def make_base() -> bpy.types.Object:
    """A rail on feet, with a lug for the hinge at the left and a cylinder for the foot's rod at the right."""
    top = FOOT - 0.016 - CLEAR
    start = width(LOW) + 0.05
    rail = slab((-0.06, -0.055, top - 0.03), (start + 0.22, 0.055, top), "iron")
    feet = [slab((x, -0.10, 0.0), (x + 0.04, 0.10, top - 0.03), "pine") for x in (-0.04, start + 0.15)]
    lug = slab((-0.02, -HALF, top), (0.02, HALF, FOOT + 0.016), "iron")
    cylinder = rod((start, 0.0, FOOT), (start + 0.20, 0.0, FOOT), 0.018, "chrome", 32)
    collars = [rod((x, 0.0, FOOT), (x + 0.016, 0.0, FOOT), 0.022, "brass", 32) for x in (start, start + 0.184)]
    return _at(make_object("Base", joined(rail, *feet, lug, cylinder, *collars)), (LEFT, 0.0))


def make_foot() -> bpy.types.Object:
    """The block that slides on the rail, and the rod that pushes it."""
    block = slab((-0.03, -HALF, -0.016), (0.03, HALF, 0.016), "brass")
    return _at(make_object("Foot", joined(block, rod((0.02, 0.0, 0.0), (0.20, 0.0, 0.0), 0.008, "chrome"))), right(0))


def make_shoe() -> bpy.types.Object:
    """The block that slides below the platform."""
    return _at(make_object("Shoe", slab((-0.03, -HALF, -0.016), (0.03, HALF, 0.016), "brass")), right(STAGES))


def make_platform() -> bpy.types.Object:
    """A plate with an edge, and the lug of its hinge."""
    low, end, half = 0.016 + CLEAR, width(LOW) + 0.06, 0.10
    plate = slab((-0.06, -half, low), (end, half, low + 0.012), "oak")
    edge = on_both_sides(slab((-0.06, half, low - 0.004), (end, half + 0.006, low + 0.024), "label blue"))
    lug = slab((-0.02, -HALF, -0.016), (0.02, HALF, low), "iron")
    return _at(make_object("Platform", joined(plate, edge, lug)), left(STAGES))


def make_weight() -> bpy.types.Object:
    """Five kilograms of brass with a knob."""
    profile = [(0.048, 0.0), (0.050, 0.003), (0.050, 0.072), (0.044, 0.078), (0.014, 0.080), (0.012, 0.090)]
    profile += [(0.022, 0.098), (0.024, 0.106), (0.018, 0.114), (0.004, 0.117)]
    x, z = left(STAGES)
    return _at(make_object("Weight", lathe(profile, "brass", 40)), (x + 0.10, z + 0.016 + CLEAR + 0.012))


def _at(ob: bpy.types.Object, place: tuple[float, float]) -> bpy.types.Object:
    ob.location = place[0], 0.0, place[1]
    return ob


def connect(
    rising: list[bpy.types.Object], falling: list[bpy.types.Object], parts: tuple[bpy.types.Object, ...]
) -> None:
    """A person's work in the sidebar: hinges wherever two bars cross or meet, two slides, and a weld."""
    base, foot, shoe, platform, weight = parts
    add_bodies([base], "STEEL", "FIXED")
    add_bodies([*rising, *falling, foot, shoe], "STEEL")
    add_bodies([platform], "PINE")
    add_bodies([weight], "BRASS")

    def hinge(parent: bpy.types.Object, child: bpy.types.Object, place: tuple[float, float]) -> None:
        join("REVOLUTE", parent, child, (place[0], 0.0, place[1]))

    hinge(base, rising[0], left(0))
    hinge(foot, falling[0], right(0))
    for stage in range(STAGES):
        (x, z), (x2, z2) = left(stage), right(stage + 1)
        hinge(rising[stage], falling[stage], (0.5 * (x + x2), 0.5 * (z + z2)))
        if stage > 0:
            hinge(falling[stage - 1], rising[stage], left(stage))
            hinge(rising[stage - 1], falling[stage], right(stage))
    hinge(falling[-1], platform, left(STAGES))
    hinge(rising[-1], shoe, right(STAGES))
    for rail, block in ((base, foot), (platform, shoe)):
        join("PRISMATIC", rail, block, block.location.copy(), axis="X")
    join("FIXED", platform, weight, weight.location.copy())


def pull(foot: bpy.types.Object) -> None:
    """An Empty with two keyframes, which the foot follows."""
    leader = bpy.data.objects.new("Leader", None)
    leader.empty_display_size = 0.05
    bpy.context.scene.collection.objects.link(leader)
    leader.location = foot.location
    for frame, angle in ((1, LOW), (RAISED, HIGH)):
        leader.location.x = LEFT + width(angle)
        leader.keyframe_insert("location", index=0, frame=frame)
    bpy.context.scene.frame_set(1)
    lead(foot, leader, foot.location.copy())
