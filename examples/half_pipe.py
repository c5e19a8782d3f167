# SPDX-License-Identifier: GPL-3.0-or-later
"""Two skateboards in a NURBS half-pipe: one coasts to and fro, on the other a doll pumps, and comes up ever higher.

Both drop in side by side. The wheels Ride On the surface and roll without slipping, so the empty board comes up to the
same height again and again. The doll stands up where the curve presses it down most, and crouches as it turns, where it
is pressed least: the difference is what its legs put in, as on a swing (Wirkus, Rand, Ruina 1998).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import bpy
import numpy as np
from mathutils import Matrix, Vector

from .by_hand import add_bodies, join, key, select
from .camera import add_camera
from .landscape import make_meadow
from .paints import material
from .shapes import Shape, grid, joined, lathe, make_object, moved, rod, slab, superellipsoid
from .workbench import set_frames

FRAMES = 216
# m: of the control points of the curves, and of the curves, which a uniform cubic spline draws a little inside points
# that are 20 degrees apart; half of the level part; degrees at the edges
POINTS, FLAT, STEEPEST = 1.33, 0.45, 80
RADIUS = POINTS * (2.0 + math.cos(math.radians(20.0))) / 3.0
HALF_WIDTH, GROUND = 0.95, -0.10  # m: of the pipe; where the meadow is
DECK_LENGTH, RAILING, TUBE = 0.7, 0.4, 0.016  # m: of what stands beside it
LANES = {"Red": -0.42, "Blue": 0.45}  # Y of the boards
START = 46.0  # degrees up the curve
WHEEL, AXLE, BASE = 0.03, 0.13, 0.27  # m: radius; half lengths of an axle with its wheels, and of the wheelbase
HUB, DECK = WHEEL, 0.095  # m: heights above the surface when the board is level
ANKLE, HIP, LIMB = (0.15, DECK + 0.03), (0.04, DECK + 0.17), 0.16  # (along the board, up) when it crouches; limbs
RISE = 0.14  # m: how far the doll stands up
STIFFNESS, DAMPING = 8000.0, 300.0  # N/m and N s/m: of its legs
SAG = 0.003  # m: by which the motor's target is higher than the crouch, so that at the start it carries the trunk
# frames at which it stands up, where the curve begins, and begins to crouch, before it turns; how many each takes
STANDS, CROUCHES = (22, 56, 91, 126, 160, 195), (33, 68, 102, 137, 172, 206)
UP, DOWN = 9, 14


def build(frames: int = FRAMES) -> None:
    """Fill the empty file with the scene, ready to be baked; `frames` shortens it from its end."""
    set_frames(frames)
    pipe, axles = make_pipe(), []
    for name, lane in LANES.items():
        board, wheels = make_board(name, lane)
        parts = [board, *wheels]
        if name == "Red":
            parts += make_doll(board, lane)
        drop_in(parts)
        axles += wheels
    ride(axles, pipe)
    select(*(bpy.data.objects[f"{name} Board"] for name in LANES))
    bpy.ops.ves.snap_together()
    make_ramp()
    make_meadow(seed=7, height=GROUND)
    add_camera((-0.7, -6.6, 2.0), (0.0, 0.0, 0.68), 52.0)
    select(bpy.data.objects["Red Board"])


def profile() -> np.ndarray:
    """(n, 2): x and z of the control points across the pipe; the curve between them is round but for the level part."""
    angles = np.radians(np.arange(0, STEEPEST + 1, 20))
    side = np.column_stack([FLAT + POINTS * np.sin(angles), POINTS * (1.0 - np.cos(angles))])
    return np.concatenate([side[::-1] * (-1.0, 1.0), [(0.0, 0.0)], side])


def make_pipe() -> bpy.types.Object:
    """A surface curve across, extruded along Y. It is no body: what rides on it needs none."""
    data = bpy.data.curves.new("Half-Pipe", "SURFACE")
    data.dimensions = "3D"
    pipe = bpy.data.objects.new("Half-Pipe", data)
    bpy.context.scene.collection.objects.link(pipe)
    curve = data.splines.new("NURBS")
    places = profile()
    curve.points.add(len(places) - 1)
    for point, (x, z) in zip(curve.points, places, strict=True):
        point.co = x, -HALF_WIDTH, z, 1.0
    curve.order_u, curve.use_endpoint_u = 4, True
    select(pipe)
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.curve.select_all(action="SELECT")
    bpy.ops.curve.extrude_move(TRANSFORM_OT_translate={"value": (0.0, 2.0 * HALF_WIDTH, 0.0)})
    bpy.ops.object.mode_set(mode="OBJECT")
    surface = data.splines[0]
    surface.order_v, surface.use_endpoint_v = 2, True
    surface.resolution_u = 8
    surface.use_smooth = True
    data.materials.append(material("plaster"))
    return pipe


def make_board(name: str, lane: float) -> tuple[bpy.types.Object, list[bpy.types.Object]]:
    """The board and its two axles, level at the foot of the right curve; each axle with both wheels is one body."""
    board = make_object(f"{name} Board", _deck("car" if name == "Red" else "label blue"))
    board.location = FLAT, lane, 0.0
    axles = []
    for end, x in (("Front", BASE), ("Rear", -BASE)):
        axle = make_object(f"{name} {end} Axle", _axle())
        axle.location = FLAT + x, lane, HUB
        axles.append(axle)
    add_bodies([board, *axles], "CUSTOM")
    for part, mass in ((board, 1.8), *((axle, 0.3) for axle in axles)):
        part.ves.mass_source, part.ves.mass = "GIVEN", mass
    for axle in axles:
        join("REVOLUTE", board, axle, axle.location, "Y")
    return board, axles


def _deck(paint: str) -> Shape:
    """With kicked ends, and a truck above each axle."""
    level, end, width, under = 0.34, 0.45, 0.10, DECK - 0.012
    x = np.linspace(-end, end, 33)
    way = np.clip((np.abs(x) - level) / (end - level), 0.0, 1.0)  # over the ends
    kick, half = 0.045 * way**1.5, width * np.sqrt(1.0 - 0.98 * way**2)
    corners = [(-half, DECK + kick), (half, DECK + kick), (half, under + kick), (-half, under + kick)]
    sides = grid(np.stack([np.column_stack([x, y, z]) for y, z in corners], axis=1), paint)
    last = len(sides.points) - 4
    lids = [(3, 2, 1, 0), tuple(range(last, last + 4))]
    deck = Shape(sides.points, sides.faces + lids, [*sides.paints, paint, paint])
    trucks = [slab((s * BASE - 0.022, -0.05, HUB - 0.008), (s * BASE + 0.022, 0.05, under), "iron") for s in (-1, 1)]
    return joined(deck, *trucks)


def _axle() -> Shape:
    """A rod along Y with a wheel at either end, whose sectors show how it turns."""
    out = [(0.4 * WHEEL, 0.0), (0.85 * WHEEL, 0.0), (WHEEL, 0.008), (WHEEL, 0.032), (0.85 * WHEEL, 0.04)]
    wheel = lathe([*out, (0.4 * WHEEL, 0.04)], "cream", 24)
    turned = ["cream" if j % 24 // 6 % 2 else "label yellow" for j in range(len(wheel.faces) - 2)]
    wheel = wheel._replace(paints=[*turned, "iron", "iron"])
    upright = Matrix.Rotation(-math.pi / 2.0, 4, "X")
    wheels = [moved(wheel, Matrix.Translation((0.0, y, 0.0)) @ upright) for y in (-AXLE, AXLE - 0.04)]
    return joined(*wheels, rod((0.0, -AXLE + 0.005, 0.0), (0.0, AXLE - 0.005, 0.0), 0.006, "chrome"))


def make_doll(board: bpy.types.Object, lane: float) -> list[bpy.types.Object]:
    """It crouches on the board: a trunk on a slider with a motor, and on either side a shin and a thigh that follow."""
    trunk = make_object("Trunk", _trunk())
    trunk.location = FLAT, lane, HIP[1]
    limbs = {}
    for side, sign in (("Front", 1.0), ("Rear", -1.0)):
        ankle, hip = (Vector((FLAT + sign * x, lane, z)) for x, z in (ANKLE, HIP))
        middle, way = 0.5 * (ankle + hip), hip - ankle
        out = Vector((way.z, 0.0, -way.x)).normalized() * sign
        knee = middle + out * math.sqrt(LIMB**2 - 0.25 * way.length_squared)
        shin = make_object(f"{side} Shin", joined(_limb(0.026, 0.020, "label blue"), _shoe()))
        thigh = make_object(f"{side} Thigh", _limb(0.034, 0.026, "label blue"))
        for limb, start, end in ((shin, knee, ankle), (thigh, hip, knee)):
            limb.location = start
            limb.rotation_euler = 0.0, -math.atan2(end.z - start.z, end.x - start.x), 0.0
        limbs[side] = shin, thigh, ankle, knee, hip
    pairs = [limb for shin, thigh, *_ in limbs.values() for limb in (shin, thigh)]
    add_bodies([trunk, *pairs], "CUSTOM")
    for part in (trunk, *pairs):
        part.ves.mass_source, part.ves.mass = "GIVEN", 3.5 if part == trunk else 0.3
    slider = join("PRISMATIC", board, trunk, trunk.location, "Z")
    slider.name = "Legs"
    for shin, thigh, ankle, knee, hip in limbs.values():
        join("UNIVERSAL", board, shin, ankle, "Z")
        join("REVOLUTE", shin, thigh, knee, "Y")
        join("SPHERICAL", trunk, thigh, hip, "Z")
    slider.ves.motor_mode = "POSITION"
    slider.ves.motor_stiffness[0], slider.ves.motor_damping[0] = STIFFNESS, DAMPING
    targets = {1: SAG}
    for stand, crouch in zip(STANDS, CROUCHES, strict=True):
        targets |= {stand: SAG, stand + UP: RISE, crouch: RISE, crouch + DOWN: SAG}
    key(slider, "ves.motor_target_travel", targets, "BEZIER", 0)
    return [trunk, *pairs]


def _limb(first: float, last: float, paint: str) -> Shape:
    """Along X from a joint to the next, round at both."""
    around = np.linspace(0.0, 0.5 * math.pi, 5)[:-1]
    low = [(first * math.sin(a) + 1e-3, -first * math.cos(a)) for a in around]
    high = [(last * math.sin(a) + 1e-3, LIMB + last * math.cos(a)) for a in around[::-1]]
    upright = lathe([*low, (first, 0.0), (last, LIMB), *high], paint, 20)
    return moved(upright, Matrix.Rotation(math.pi / 2.0, 4, "Y"))


def _shoe() -> Shape:
    return moved(superellipsoid((0.026, 0.030, 0.030), "wire", 2.5, 16), (LIMB, 0.0, 0.0))


def _trunk() -> Shape:
    """A jumper, arms that balance, and a head with a helmet that looks at the camera."""
    chest = moved(superellipsoid((0.075, 0.055, 0.135), "label red", 2.6, 32), (0.0, 0.0, 0.12))
    hips = moved(superellipsoid((0.072, 0.052, 0.05), "label blue", 2.6, 32), (0.0, 0.0, 0.0))
    arms = [rod((s * 0.05, 0.0, 0.215), (s * 0.21, 0.0, 0.17), 0.021, "label red", 16) for s in (-1, 1)]
    hands = [moved(superellipsoid((0.028, 0.026, 0.026), "pine", 2.0, 20), (s * 0.225, 0.0, 0.166)) for s in (-1, 1)]
    head = moved(superellipsoid((0.062, 0.064, 0.074), "cream", 2.0, 32), (0.0, 0.0, 0.325))
    helmet = moved(superellipsoid((0.072, 0.076, 0.058), "label yellow", 2.2, 32), (0.0, 0.0, 0.37))
    return joined(chest, hips, *arms, *hands, head, helmet)


def drop_in(parts: list[bpy.types.Object]) -> None:
    """Turn what stands level at the foot of the right curve up to where it starts, about the curve's middle line."""
    middle = Matrix.Translation((FLAT, 0.0, POINTS))
    turn = middle @ Matrix.Rotation(-math.radians(START), 4, "Y") @ middle.inverted()
    lift = POINTS - math.sqrt((RADIUS - WHEEL) ** 2 - BASE**2) - WHEEL  # the wheels stand beside the foot
    bpy.context.view_layer.update()
    for part in parts:
        part.matrix_world = turn @ Matrix.Translation((0.0, 0.0, lift)) @ part.matrix_world


def ride(axles: list[bpy.types.Object], pipe: bpy.types.Object) -> None:
    """Both wheels as one ellipsoid, as wide and as high as they are: it touches below the middle of the axle."""
    select(pipe, *axles)
    bpy.ops.ves.add_joint(type="CONTACT")
    for joint in bpy.context.selected_objects:
        joint.ves.ride_kind_b = "ELLIPSOID"


def make_ramp() -> None:
    """The frame that holds the surface up: sides, decks with railings, and a coping along either edge."""
    x, z = outline().T
    edge, top = x[-1], z[-1]
    parts = []
    for y in (-HALF_WIDTH, HALF_WIDTH):
        rows = [np.column_stack([x, np.full(len(x), y), height]) for height in (z, np.full(len(x), GROUND))]
        parts.append(grid(np.stack(rows[::-1]), "oak", closed=False))
    for s in (-1.0, 1.0):
        near, far = sorted((s * edge, s * (edge + DECK_LENGTH)))
        parts.append(slab((near, -HALF_WIDTH, top - 0.06), (far, HALF_WIDTH, top - 0.02), "pine"))
        parts.append(slab((near, -HALF_WIDTH, GROUND), (far, HALF_WIDTH, top - 0.06), "oak"))
        coping = s * (edge + TUBE), top - TUBE
        parts.append(_tube((coping[0], -HALF_WIDTH, coping[1]), (coping[0], HALF_WIDTH, coping[1]), "chrome"))
        back = s * (edge + DECK_LENGTH - 0.04)
        posts = [(back, y, top) for y in np.linspace(-HALF_WIDTH + 0.04, HALF_WIDTH - 0.04, 4)]
        parts += [_tube(post, (*post[:2], top + RAILING), "girder") for post in posts]
        for height in (top + 0.5 * RAILING, top + RAILING):
            parts.append(_tube((back, -HALF_WIDTH, height), (back, HALF_WIDTH, height), "girder"))
    make_object("Ramp", joined(*parts))


def _tube(start: Sequence[float], end: Sequence[float], paint: str) -> Shape:
    return rod(start, end, TUBE, paint, 16)


def outline() -> np.ndarray:
    """(n, 2): x and z along the surface, from one edge to the other."""
    mesh_of = bpy.data.objects["Half-Pipe"].evaluated_get(bpy.context.evaluated_depsgraph_get())
    points = np.array([vertex.co[:] for vertex in mesh_of.to_mesh().vertices])
    mesh_of.to_mesh_clear()
    front = points[points[:, 1] < -HALF_WIDTH + 1e-4]
    return front[np.argsort(front[:, 0])][:, [0, 2]]
