# SPDX-License-Identifier: GPL-3.0-or-later
"""An automaton of wood: a crank turns three cams, which lift a bird, a hammer and a fish, and let them fall.

Each follower is a roller at the lower end of a rod that slides in the lid. Its cam is a *Bead on Curve* with
*One-Sided*: it pushes the roller, and never pulls it. So the hammer drops freely behind the nose of its snail, and
where the crank is turned fast the fish lifts off its lobes, too.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import bpy
import numpy as np
from mathutils import Matrix

from .by_hand import add_bodies, hang, join, key, select
from .camera import add_camera
from .shapes import Shape, joined, lathe, make_object, moved, rod, slab, superellipsoid
from .workbench import make_table, set_frames

FRAMES = 96
TURNS = {1: 0.0, 49: 1.0, 97: 3.5}  # frame: turns of the crank
HALF, DEEP, LID, BOARD = 0.185, 0.07, 0.24, 0.014  # m: of the case
AXLE, ROLLER, THICK = 0.115, 0.006, 0.016  # m: height of the shaft, rollers' radius, and cams' thickness
LOW, HIGH, NOSE, FOOT = 0.028, 0.064, 0.004, 0.008  # m: radii of the snail, of its nose, and of the hollow at its foot
KNOTS = 48  # of a round profile
STRUCK = LOW + ROLLER + 0.001  # m: from the shaft to the roller under the hammer, as low as it comes


class Cam(NamedTuple):
    """Its place along the shaft (m), and its rim (n, 2) round the shaft, from Y to Z."""

    x: float
    rim: np.ndarray


def cams() -> dict[str, Cam]:
    """Of each figure: an eccentric, a snail, and three lobes."""
    angles = np.arange(KNOTS) * math.tau / KNOTS
    eccentric = 0.046 * around(angles) + (-0.016, 0.0)
    lobes = (0.047 + 0.008 * np.cos(3.0 * angles))[:, None] * around(angles)
    return {"Bird": Cam(-0.11, eccentric), "Hammer": Cam(0.0, snail()), "Fish": Cam(0.11, lobes)}


def around(angles: np.ndarray) -> np.ndarray:
    """Points (n, 2) of the unit circle."""
    return np.stack([np.cos(angles), np.sin(angles)], axis=1)


def snail() -> np.ndarray:
    """From its nose the spiral goes round to the foot of the drop, which is straight, along Y, and hollow below."""
    nose = np.array([math.sqrt((HIGH - NOSE) ** 2 - NOSE**2), NOSE])
    foot = np.array([math.sqrt((LOW + FOOT) ** 2 - FOOT**2), -FOOT])
    first, last = math.atan2(nose[1], nose[0]), math.tau + math.atan2(foot[1], foot[0])
    angles = np.linspace(first, last, 48)
    spiral = (LOW + (HIGH - LOW) * ((last - angles) / (last - first)) ** 1.5)[:, None] * around(angles)
    hollow = foot + FOOT * around(np.linspace(last - math.pi, 0.5 * math.pi, 14)[1:])
    drop = np.linspace(hollow[-1], (nose[0], 0.0), 8)[1:-1]
    tip = nose + NOSE * around(np.linspace(-0.5 * math.pi, first, 14)[:-1])
    return np.concatenate([spiral, hollow, drop, tip])


def build(frames: int = FRAMES) -> None:
    """Fill the empty file with the scene, ready to be baked; `frames` shortens it from its end."""
    set_frames(frames)
    make_table(seed=3)
    case, shaft = make_case(), make_shaft()
    add_bodies([case], "PINE", "FIXED")
    add_bodies([shaft], "OAK", "KEYED")
    key(shaft, "rotation_euler", {frame: math.tau * turns for frame, turns in TURNS.items()}, "BEZIER", 0)
    for name, cam in cams().items():
        follower = make_follower(name, cam)
        add_bodies([follower], "PINE")
        join("PRISMATIC", case, follower, (cam.x, 0.0, LID), "Z")
        wire = draw_profile(name, cam)
        hang(wire, shaft)
        select(follower, wire)
        bpy.ops.ves.add_bead(one_sided="OUTSIDE")
    bpy.context.scene.ves.accuracy = "DRAFT"
    add_camera((0.62, -0.86, 0.44), (0.0, 0.0, 0.185), 45.0)
    select(shaft)


def outline(cam: Cam) -> np.ndarray:
    """Points (n, 3) of a profile, from the shaft's middle."""
    return np.column_stack([np.full(len(cam.rim), cam.x), cam.rim])


def draw_profile(name: str, cam: Cam) -> bpy.types.Object:
    """The curve by which a cam pushes, on its rim."""
    data = bpy.data.curves.new(f"{name} Profile", "CURVE")
    data.dimensions = "3D"
    spline = data.splines.new("BEZIER")
    spline.bezier_points.add(len(cam.rim) - 1)
    spline.use_cyclic_u = True
    spline.bezier_points.foreach_set("co", (outline(cam) + (0.0, 0.0, AXLE)).astype(np.float32).ravel())
    for knot in spline.bezier_points:
        knot.handle_left_type = knot.handle_right_type = "AUTO"
    wire = bpy.data.objects.new(data.name, data)
    bpy.context.scene.collection.objects.link(wire)
    return wire


def rest(cam: Cam) -> float:
    """Height of the roller's middle over the shaft's where it lies on the cam: down to it by the way that is free."""
    ends = np.vstack([outline(cam), outline(cam)[:1]])[:, 1:]
    shares = np.linspace(0.0, 1.0, 32, endpoint=False)[:, None, None]
    rim = (ends[:-1] + shares * np.diff(ends, axis=0)).reshape(-1, 2)
    height = 0.12
    for _ in range(200):
        height -= float(np.linalg.norm(rim - (0.0, height), axis=1).min()) - ROLLER
    return height


def make_case() -> bpy.types.Object:
    """Two ends, floor and lid, with the anvil on it."""
    floor = slab((-HALF, -DEEP, 0.001), (HALF, DEEP, BOARD), "oak")
    lid = slab((-HALF - 0.01, -DEEP - 0.01, LID), (HALF + 0.01, DEEP + 0.01, LID + BOARD), "oak")
    ends = [slab((x, -DEEP, BOARD), (x + BOARD, DEEP, LID), "pine") for x in (-HALF, HALF - BOARD)]
    anvil = slab((-0.028, -0.060, LID + BOARD), (0.028, -0.028, LID + BOARD + 0.022), "iron")
    iron = slab((-0.034, -0.048, LID + BOARD + 0.022), (0.012, -0.040, LID + BOARD + 0.027), "tail lamp")
    return make_object("Case", joined(floor, lid, *ends, anvil, iron), smooth=False)


def make_shaft() -> bpy.types.Object:
    """The shaft with its cams and its crank; it turns about its own X axis."""
    parts = [rod((-HALF - 0.02, 0.0, 0.0), (HALF + 0.035, 0.0, 0.0), 0.007, "iron", 24)]
    for (_, cam), paint in zip(cams().items(), ("label blue", "label red", "label green"), strict=True):
        rim = outline(cam)
        sides = np.vstack([rim - (0.5 * THICK, 0.0, 0.0), rim + (0.5 * THICK, 0.0, 0.0)])
        n = len(rim)
        faces: list[tuple[int, ...]] = [((k + 1) % n, n + (k + 1) % n, n + k, k) for k in range(n)]
        faces += [tuple(range(n))[::-1], tuple(range(n, 2 * n))]
        parts.append(Shape(sides, faces, [paint] * len(faces)))
    x = HALF + 0.03
    parts.append(rod((x, 0.0, 0.0), (x, 0.0, -0.06), 0.006, "brass"))
    parts.append(rod((x, 0.0, -0.06), (x + 0.05, 0.0, -0.06), 0.009, "trunk", 24))
    shaft = make_object("Shaft", joined(*parts), smooth=False)
    shaft.location = (0.0, 0.0, AXLE)
    return shaft


def make_follower(name: str, cam: Cam) -> bpy.types.Object:
    """A roller in a fork, the rod, and the figure at its upper end; its origin is the roller's middle."""
    height, lowest = AXLE + rest(cam), AXLE + STRUCK
    top = LID + BOARD + 0.075 - lowest
    wheel = rod((-0.006, 0.0, 0.0), (0.006, 0.0, 0.0), ROLLER, "brass", 32)
    fork = [slab((a, -0.004, -0.002), (a + 0.003, 0.004, 0.018), "iron") for a in (-0.011, 0.008)]
    fork.append(slab((-0.011, -0.004, 0.016), (0.011, 0.004, 0.020), "iron"))
    stem = rod((0.0, 0.0, 0.018), (0.0, 0.0, top), 0.005, "pine", 16)
    figure = {"Bird": make_bird, "Hammer": make_hammer, "Fish": make_fish}[name]()
    follower = make_object(name, joined(wheel, *fork, stem, moved(figure, (0.0, 0.0, top))))
    follower.location = (cam.x, 0.0, height)
    return follower


def make_bird() -> Shape:
    body = superellipsoid((0.034, 0.019, 0.019), "pale blue")
    head = moved(superellipsoid((0.014, 0.013, 0.013), "pale blue"), (0.030, 0.0, 0.018))
    beak = moved(lathe([(0.005, 0.0), (0.0005, 0.018)], "label yellow"), Matrix.Rotation(math.pi / 2.0, 4, "Y"))
    tail = slab((-0.058, -0.012, 0.002), (-0.026, 0.012, 0.007), "label blue")
    wings = [slab((-0.022, side * 0.032 - 0.014, 0.006), (0.014, side * 0.032 + 0.014, 0.010), "label blue")
             for side in (-1.0, 1.0)]  # fmt: skip
    eyes = [moved(superellipsoid((0.002,) * 3, "black", segments=16), (0.039, side * 0.009, 0.022)) for side in (-1, 1)]
    return joined(body, head, moved(beak, (0.041, 0.0, 0.018)), tail, *wings, *eyes)


def make_hammer() -> Shape:
    arm = slab((-0.005, -0.048, -0.012), (0.005, 0.004, 0.0), "oak")
    head = moved(superellipsoid((0.014, 0.012, 0.022), "iron", 6.0), (0.0, -0.044, -0.0235))
    return joined(arm, head)


def make_fish() -> Shape:
    body = superellipsoid((0.036, 0.012, 0.020), "label yellow")
    fins = [slab((-0.054, -0.002, -0.018), (-0.030, 0.002, 0.018), "label red")]
    fins.append(slab((-0.012, -0.002, 0.014), (0.014, 0.002, 0.029), "label red"))
    eyes = [moved(superellipsoid((0.003,) * 3, "black", segments=16), (0.023, side * 0.010, 0.006)) for side in (-1, 1)]
    return joined(body, *fins, *eyes)
