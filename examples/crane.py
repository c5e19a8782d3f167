# SPDX-License-Identifier: GPL-3.0-or-later
"""A crane loads a cart: its winch lets the hook down until the rope is slack, and lifts a crate with a jerk.

The rope is a *Distance* with *Slack* whose *Length* has keys: it pulls and never pushes. The hook lies on the crate
while it hangs loose; a *Point to Point* whose check mark has keys draws hook and eye together, and lets go in the cart.
"""

from __future__ import annotations

import itertools
import math

import bpy

from .by_hand import add_bodies, drive, hang, key, select, switch
from .camera import add_camera
from .shapes import joined, lathe, make_object, rod, slab
from .workbench import make_table, set_frames

FRAMES = 288
REACH, TOP = 0.44, 0.62  # of the jib, m: where the rope leaves it
CRATE, EYE = 0.10, 0.014  # m: its side, and how far its eye stands out
HOOK, STEM = 0.034, 0.030  # m: from the hook's middle down to its bend, and up to the rope
BED, WALL = 0.05, 0.035  # m: height of the cart's bed, and of its boards above it
TURN = math.radians(115.0)
DRUM = 0.022  # m
UP, DOWN, LOW = 0.20, TOP - CRATE - EYE - HOOK - STEM + 0.08, TOP - BED - CRATE - EYE - HOOK - STEM + 0.03
LENGTHS = {12: UP + 0.12, 54: DOWN, 72: DOWN, 120: UP, 192: UP, 240: LOW, 254: LOW, 284: UP + 0.05}  # m, of the rope
TURNS = {108: 0.0, 196: TURN}
HOOKED, FREED = 62, 248  # frames


def build(frames: int = FRAMES) -> None:
    """Fill the empty file with the scene, ready to be baked; `frames` shortens it from its end."""
    set_frames(frames)
    bpy.context.scene.ves.use_contact = True
    table, tower, cart = make_table(seed=9, half_length=0.8, half_width=0.6), make_tower(), make_cart()
    jib, crate = make_jib(), make_crate()
    hook = make_hook(LENGTHS[12])
    add_bodies([table, cart], "PINE", "FIXED")
    add_bodies([jib], "STEEL", "KEYED")
    add_bodies([crate], "PINE")
    add_bodies([hook], "BRASS")
    table.ves.contact_shape = cart.ves.contact_shape = "COMPOUND"
    key(jib, "rotation_euler", TURNS, "BEZIER", 2)
    rope = hang_up(hook, jib)
    hook_on(hook, crate)
    wind(rope, jib)
    add_camera((1.38, -1.15, 0.85), (0.15, 0.08, 0.28), 40.0)
    select(tower)


def hang_up(hook: bpy.types.Object, jib: bpy.types.Object) -> bpy.types.Object:
    """The rope from the jib's end, whose length the winch says; the rope is a cord that is seen."""
    select(hook, jib)
    bpy.ops.ves.add_distance()
    rope = bpy.context.active_object
    rope.matrix_world.translation = hook.matrix_world.translation
    rope.location.z += STEM
    rope.ves.anchor_b.matrix_world.translation = (REACH, 0.0, TOP)
    rope.ves.slack = rope.ves.use_distance = True
    key(rope, "ves.distance", LENGTHS, "BEZIER")
    select(rope)
    bpy.ops.ves.make_visible(thickness=0.005)
    return rope


def hook_on(hook: bpy.types.Object, crate: bpy.types.Object) -> None:
    """The hook takes the crate by its eye, and lets it go."""
    select(hook, crate)
    bpy.ops.ves.add_point_to_point(location="LOOSE")
    tie = bpy.context.active_object
    tie.matrix_world.translation = hook.matrix_world.translation
    tie.location.z -= HOOK
    tie.ves.anchor_b.matrix_world.translation = (REACH, 0.0, CRATE + EYE)
    switch(tie, {1: False, HOOKED: True, FREED: False})


def wind(rope: bpy.types.Object, jib: bpy.types.Object) -> None:
    """The drum turns as the rope comes in; it is only to be seen."""
    grooves = rod((-0.18, -0.04, TOP + 0.02), (-0.18, 0.04, TOP + 0.02), DRUM, "iron", 32)
    crank = slab((-0.205, 0.045, TOP + 0.015), (-0.155, 0.05, TOP + 0.025), "brass")
    drum = make_object("Drum", joined(grooves, crank))
    drum.data.transform(drum.matrix_world.Translation((0.18, 0.0, -TOP - 0.02)))
    drum.location = (-0.18, 0.0, TOP + 0.02)
    hang(drum, jib)
    drive(drum, "rotation_euler", f"x / {DRUM}", rope, "ves.distance", 1)


def make_tower() -> bpy.types.Object:
    """A lattice mast on a plate."""
    half, top, bays = 0.045, TOP - 0.03, 5
    posts = [(x, y) for x in (-half, half) for y in (-half, half)]
    parts = [slab((-0.13, -0.13, 0.001), (0.13, 0.13, 0.025), "iron")]
    parts += [rod((x, y, 0.0), (x, y, top), 0.007, "label yellow") for x, y in posts]
    rise = top / bays
    for bay in range(bays):
        low, high = bay * rise, (bay + 1) * rise
        for (x, y), (u, v) in zip(posts, (posts[1], posts[3], posts[0], posts[2]), strict=True):
            parts.append(rod((x, y, low), (u, v, high), 0.004, "label yellow"))
            parts.append(rod((x, y, high), (u, v, high), 0.004, "label yellow"))
    return make_object("Tower", joined(*parts), smooth=False)


def make_jib() -> bpy.types.Object:
    """The turning part on the mast: the jib with its sheave, the cabin and the counterweight."""
    back = -0.26
    chords = [(-0.03, TOP - 0.01), (0.03, TOP - 0.01), (0.0, TOP + 0.05)]
    parts = [rod((back, y, z), (REACH - 0.02, 0.3 * y, min(z, TOP + 0.02)), 0.006, "label yellow") for y, z in chords]
    for k in range(8):
        x = back + 0.08 * k
        parts += [
            rod((x, y, TOP - 0.01), (x + 0.04, 0.0, TOP + 0.045 - 0.003 * k), 0.003, "label yellow")
            for y in (-0.026, 0.026)
        ]
    parts.append(slab((-0.06, -0.05, TOP - 0.05), (0.06, 0.05, TOP - 0.015), "iron"))
    parts.append(slab((-0.05, -0.11, TOP - 0.07), (0.06, -0.045, TOP + 0.035), "car"))
    parts.append(slab((0.045, -0.105, TOP - 0.02), (0.062, -0.05, TOP + 0.025), "glass"))
    parts.append(slab((back, -0.05, TOP - 0.06), (back + 0.06, 0.05, TOP + 0.03), "stone"))
    parts.append(rod((REACH - 0.012, -0.008, TOP + 0.002), (REACH - 0.012, 0.008, TOP + 0.002), 0.014, "iron", 32))
    parts.append(rod((-0.18, 0.0, TOP + 0.02 + DRUM), (REACH - 0.012, 0.0, TOP + 0.016), 0.0025, "trunk"))
    return make_object("Jib", joined(*parts), smooth=False)


def make_crate() -> bpy.types.Object:
    """A wooden crate with an eye on its lid, which is no part of its shape for contact."""
    half, board = 0.5 * CRATE, 0.012
    inner = slab((-half + 0.006, -half + 0.006, 0.006), (half - 0.006, half - 0.006, CRATE - 0.006), "oak")
    edges = []
    for a in (-half, half - board):
        for b in (-half, half - board):
            edges.append(slab((a, b, 0.0), (a + board, b + board, CRATE), "pine"))
            edges.append(slab((a, -half, b + half), (a + board, half, b + half + board), "pine"))
            edges.append(slab((-half, a, b + half), (half, a + board, b + half + board), "pine"))
    crate = make_object("Crate", joined(inner, *edges), smooth=False)
    crate.location = (REACH, 0.0, 0.0)
    corners = [
        (-0.016, 0.0, CRATE - 0.004),
        (-0.010, 0.0, CRATE + EYE),
        (0.010, 0.0, CRATE + EYE),
        (0.016, 0.0, CRATE - 0.004),
    ]
    eye = make_object("Eye", joined(*(rod(a, b, 0.0025, "iron") for a, b in itertools.pairwise(corners))))
    eye.location = crate.location
    hang(eye, crate)
    return crate


def make_hook(length: float) -> bpy.types.Object:
    """A weight on the rope, and a hook below it."""
    profile = [(0.0, -0.012), (0.010, -0.011), (0.019, 0.0), (0.016, 0.014), (0.006, 0.024), (0.0, 0.026)]
    weight = make_object("Hook", lathe(profile, "brass"))
    weight.location = (REACH, 0.0, TOP - length - STEM)
    bend = [(0.0, -0.010), (0.0, -0.018), (0.009, -0.024), (0.008, -0.034), (-0.001, -0.037), (-0.008, -0.031)]
    wires = [rod((0.0, a, b), (0.0, c, d), 0.003, "chrome") for (a, b), (c, d) in itertools.pairwise(bend)]
    wires.append(rod((0.0, 0.0, 0.02), (0.0, 0.0, STEM), 0.003, "chrome"))
    seen = make_object("Hook Bend", joined(*wires))
    seen.location = weight.location
    hang(seen, weight)
    return weight


def make_cart() -> bpy.types.Object:
    """A cart without its horse: a bed on four wheels, with boards around it."""
    x, y = REACH * math.cos(TURN), REACH * math.sin(TURN)
    wide, long, board = 0.105, 0.16, 0.008
    parts = [slab((-long, -wide, BED - board), (long, wide, BED), "oak")]
    for a in (-wide, wide - board):
        parts.append(slab((-long, a, BED), (long, a + board, BED + WALL), "label green"))
    for a in (-long, long - board):
        parts.append(slab((a, -wide, BED), (a + board, wide, BED + WALL), "label green"))
    for a in (-0.11, 0.11):
        parts.append(rod((a, -wide - 0.012, 0.03), (a, wide + 0.012, 0.03), 0.006, "iron"))
        parts += [rod((a, b, 0.03), (a, b + 0.012, 0.03), 0.029, "car", 32) for b in (-wide - 0.014, wide + 0.002)]
    cart = make_object("Cart", joined(*parts), smooth=False)
    cart.location, cart.rotation_euler = (x, y, 0.0), (0.0, 0.0, 0.25)
    return cart
