# SPDX-License-Identifier: GPL-3.0-or-later
"""A rider for the city bicycle: where the joints are, with the pedals level and the left one ahead, and the shapes.

Lengths and masses are those of a person of 1.75 m and 70 kg (Winter, Biomechanics and Motor Control of Human Movement).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from mathutils import Matrix, Vector

from .city_bike import BRACKET, CRANK, GRIP, PEDAL
from .shapes import Shape, grid, joined, lathe, moved, rod, superellipsoid

THIGH, SHANK, UPPER_ARM, FOREARM, BACK = 0.429, 0.43, 0.326, 0.34, 0.504  # m; the forearm to the middle of the grip
MASSES = {"Trunk": 34.8, "Head": 5.7, "Thigh": 7.0, "Shin": 3.25, "Foot": 1.4, "Upper Arm": 1.95, "Forearm": 1.55}
LEAN = math.radians(17.0)  # of the back
HIP = (0.236, 0.09, 0.955)
SHOULDER = (HIP[0] + BACK * math.sin(LEAN), 0.185, HIP[2] + BACK * math.cos(LEAN))
NECK = (SHOULDER[0] + 0.02, 0.0, SHOULDER[2] + 0.055)
HEEL, INSTEP = 0.115, 0.085  # m: how far the ankle is behind the pedal's axle and above it when the sole is level
ANKLE = math.radians(110.0)  # between the shin and the line from ankle to pedal
SEAT_BONES, BONE = (0.215, 0.055, 0.91), 0.04  # their middle, and radius


def leg(side: float) -> tuple[Vector, Vector, Vector, Vector]:
    """Hip, knee, ankle and pedal of the left (1) or right (-1) leg."""
    y = PEDAL * side
    pedal = Vector((BRACKET[0] + CRANK * side, y, BRACKET[2]))
    hip = Vector((HIP[0], HIP[1] * side, HIP[2]))
    foot = math.hypot(HEEL, INSTEP)
    lower = math.sqrt(SHANK**2 + foot**2 - 2.0 * SHANK * foot * math.cos(ANKLE))
    knee = _bend(Vector((hip.x, y, hip.z)), pedal, THIGH, lower, 1.0)
    ankle = _bend(knee, pedal, SHANK, foot, -1.0)
    return hip, knee, ankle, pedal


def arm(side: float) -> tuple[Vector, Vector, Vector]:
    """Shoulder, elbow and hand; the elbow hangs down and outwards."""
    shoulder, hand = (Vector((place[0], place[1] * side, place[2])) for place in (SHOULDER, GRIP))
    way = hand - shoulder
    down = Vector((0.0, 0.55 * side, -1.0))
    down = (down - way * down.dot(way) / way.length_squared).normalized()
    ahead = (way.length_squared + UPPER_ARM**2 - FOREARM**2) / (2.0 * way.length)
    elbow = shoulder + way.normalized() * ahead + down * math.sqrt(UPPER_ARM**2 - ahead**2)
    return shoulder, elbow, hand


def _bend(start: Vector, end: Vector, first: float, second: float, forward: float) -> Vector:
    """The place at which two limbs meet in a plane of constant y, bent forward (1) or backward (-1)."""
    way = end - start
    along = (way.length_squared + first**2 - second**2) / (2.0 * way.length)
    across = math.sqrt(first**2 - along**2)
    unit = way.normalized()
    return start + unit * along + Vector((-unit.z, 0.0, unit.x)) * across * forward


def limb(start: Vector, end: Vector, profile: Sequence[tuple[float, float]], paints: Sequence[str]) -> Shape:
    """Round about the line from start to end; the profile is (part of the length, radius), each ring with its paint."""
    length = (end - start).length
    (low, first), (high, last) = profile[0], profile[-1]
    quarter = np.linspace(0.0, 0.5 * math.pi, 5)[:-1]
    rings = [(first * math.sin(a) + 1e-3, low * length - first * math.cos(a)) for a in quarter]
    rings += [(radius, part * length) for part, radius in profile]
    rings += [(last * math.sin(a) + 1e-3, high * length + last * math.cos(a)) for a in quarter[::-1]]
    names = [paints[0]] * len(quarter) + list(paints) + [paints[-1]] * len(quarter)
    turn = (end - start).to_track_quat("Z", "Y").to_matrix().to_4x4()
    turn.translation = start
    return moved(lathe(rings, names, 24), turn)


def thigh(hip: Vector, knee: Vector) -> Shape:
    return limb(hip, knee, [(0.0, 0.085), (0.3, 0.082), (0.7, 0.066), (1.0, 0.055)], ["label blue"] * 3)


def shin(knee: Vector, ankle: Vector) -> Shape:
    """Trousers, and a sock where they end."""
    profile = [(0.0, 0.054), (0.3, 0.058), (0.6, 0.046), (0.80, 0.042), (0.81, 0.034), (1.0, 0.036)]
    return limb(knee, ankle, profile, ["label blue"] * 4 + ["label red"])


def shoe(ankle: Vector, pedal: Vector) -> Shape:
    """The foot in its shoe, whose sole lies on the pedal."""
    tilt = math.atan2(ankle.z - pedal.z, pedal.x - ankle.x) - math.atan2(INSTEP, HEEL)
    sole = moved(superellipsoid((0.14, 0.046, 0.012), "label band", 3.0, 32), (-0.035, 0.0, 0.022))
    toe = moved(superellipsoid((0.085, 0.043, 0.036), "wire", 2.4, 32), (0.015, 0.0, 0.042))
    heel = moved(superellipsoid((0.075, 0.039, 0.052), "wire", 2.6, 32), (-0.098, 0.0, 0.058))
    turn = Matrix.Translation(pedal) @ Matrix.Rotation(tilt, 4, "Y")
    return moved(joined(sole, toe, heel), turn)


def upper_arm(shoulder: Vector, elbow: Vector) -> Shape:
    return limb(shoulder, elbow, [(0.0, 0.058), (0.5, 0.050), (1.0, 0.042)], ["label red"] * 2)


def forearm(elbow: Vector, hand: Vector) -> Shape:
    """A sleeve, a wrist, and a fist around the grip, with its thumb."""
    profile = [(0.0, 0.041), (0.3, 0.043), (0.66, 0.034), (0.67, 0.026), (0.86, 0.027)]
    sleeve = limb(elbow, hand, profile, ["label red"] * 2 + ["pine"] * 2)
    fist = moved(superellipsoid((0.040, 0.046, 0.036), "pine", 2.6, 24), hand)
    side = math.copysign(1.0, hand.y)
    thumb = rod(hand + Vector((0.0, -0.03 * side, 0.022)), hand + Vector((0.02, -0.072 * side, 0.014)), 0.011, "pine")
    return joined(sleeve, fist, thumb)


def trunk() -> Shape:
    """A skin through ellipses across the back: trousers, jacket, shoulders; and a rucksack."""
    # along the back from the hips, half depth, half width, how far forward, paint of what follows
    sections = (
        (-0.095, 0.050, 0.075, -0.015, "label blue"),
        (-0.075, 0.095, 0.135, -0.015, "label blue"),
        (-0.02, 0.125, 0.168, -0.010, "label blue"),
        (0.05, 0.122, 0.168, -0.005, "label blue"),
        (0.075, 0.118, 0.162, 0.0, "label red"),
        (0.08, 0.124, 0.172, 0.0, "label red"),
        (0.20, 0.112, 0.158, 0.005, "label red"),
        (0.34, 0.118, 0.175, 0.005, "label red"),
        (0.44, 0.105, 0.190, 0.0, "label red"),
        (0.50, 0.085, 0.188, -0.005, "label red"),
        (0.535, 0.070, 0.135, 0.0, "label red"),
        (0.555, 0.062, 0.075, 0.01, "cream"),
        (0.575, 0.058, 0.062, 0.015, "cream"),
    )
    around = np.arange(32) * math.tau / 32
    unit = np.column_stack([np.cos(around), np.sin(around)])
    unit /= np.sum(np.abs(unit) ** 2.4, axis=1, keepdims=True) ** (1.0 / 2.4)
    rows = [
        np.column_stack([forward + deep * unit[:, 0], wide * unit[:, 1], np.full(32, up)])
        for up, deep, wide, forward, _ in sections
    ]
    skin = grid(np.stack(rows), "")
    paints = [section[-1] for section in sections[:-1] for _ in range(32)]
    ends = [tuple(range(32))[::-1], tuple(range(len(skin.points) - 32, len(skin.points)))]
    body = Shape(skin.points, skin.faces + ends, [*paints, "label blue", "cream"])
    sack = moved(superellipsoid((0.085, 0.13, 0.19), "label yellow", 3.4, 40), (-0.185, 0.0, 0.30))
    pocket = moved(superellipsoid((0.035, 0.095, 0.075), "oak", 3.4, 32), (-0.262, 0.0, 0.22))
    straps = [
        moved(superellipsoid((0.137, 0.017, 0.185), "oak", 2.6, 32), (-0.005, side * 0.095, 0.345)) for side in (-1, 1)
    ]
    return moved(joined(body, sack, pocket, *straps), _upright())


def _upright() -> Matrix:
    """The frame of the back: at the hips, its Z along the back."""
    return Matrix.Translation((HIP[0], 0.0, HIP[2])) @ Matrix.Rotation(LEAN, 4, "Y")


def head() -> Shape:
    """A neck, a face that looks ahead, hair, and a helmet with vents."""
    middle = Vector(NECK) + Vector((0.045, 0.0, 0.165))
    face = moved(superellipsoid((0.098, 0.076, 0.118), "pine", 2.2, 40), middle)
    hair = moved(superellipsoid((0.085, 0.082, 0.09), "trunk", 2.2, 40), middle + Vector((-0.03, 0.0, 0.01)))
    nose = moved(superellipsoid((0.026, 0.014, 0.020), "pine", 2.0, 16), middle + Vector((0.10, 0.0, -0.015)))
    ears = [
        moved(superellipsoid((0.018, 0.010, 0.028), "pine", 2.0, 16), middle + Vector((-0.005, 0.083 * s, -0.01)))
        for s in (-1, 1)
    ]
    eyes = [
        moved(superellipsoid((0.010, 0.013, 0.013), "wire", 2.0, 12), middle + Vector((0.088, 0.034 * s, 0.018)))
        for s in (-1, 1)
    ]
    shell = moved(superellipsoid((0.135, 0.098, 0.082), "label yellow", 2.2, 48), middle + Vector((-0.008, 0.0, 0.085)))
    vents = [
        moved(
            superellipsoid((0.10, 0.009, 0.082), "wire", 2.2, 24), middle + Vector((-0.005, y, 0.088 - abs(y) * 0.12))
        )
        for y in (-0.05, 0.0, 0.05)
    ]
    strap = rod(middle + Vector((0.0, 0.079, 0.03)), middle + Vector((0.035, 0.04, -0.112)), 0.005, "wire", 8)
    other = rod(middle + Vector((0.0, -0.079, 0.03)), middle + Vector((0.035, -0.04, -0.112)), 0.005, "wire", 8)
    throat = limb(Vector(NECK) + Vector((-0.015, 0.0, -0.03)), middle, [(0.0, 0.055), (0.7, 0.05)], ["pine"])
    return joined(throat, face, hair, nose, *ears, *eyes, shell, *vents, strap, other)
