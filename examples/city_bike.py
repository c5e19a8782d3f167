# SPDX-License-Identifier: GPL-3.0-or-later
"""A city bicycle as shapes: frame, fork, wheels, cranks. Forward is +X, left is +Y, and it stands on z = 0.

Its hub behind is at x = 0. Wheels and cranks are around the origin, everything else where it belongs.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from mathutils import Matrix

from .shapes import Shape, grid, joined, moved, on_both_sides, rod, slab, superellipsoid, welded

WHEEL_RADIUS, TYRE = 0.35, 0.025  # m: outside, and half as thick as a tyre is
WHEELBASE, TRAIL, HEAD_ANGLE = 1.08, 0.065, math.radians(69.0)
HEAD = (math.cos(HEAD_ANGLE), math.sin(HEAD_ANGLE))  # how far the steering axis goes back and up
BRACKET = (0.455, 0.0, 0.29)  # where the cranks turn
CRANK, PEDAL = 0.17, 0.105  # m: length of a crank, and how far to the side the pedal's middle is
CHAINRING, SPROCKET = 42, 21  # teeth
SEAT = (0.215, 0.0, 0.87)  # on the saddle, below the seat bones
GRIP = (0.83, 0.27, 1.03)  # left
COLOUR = "girder"


def on_axis(height: float) -> tuple[float, float, float]:
    """The point of the steering axis at that height."""
    return WHEELBASE + TRAIL - height * HEAD[0] / HEAD[1], 0.0, height


def tyre() -> Shape:
    """A ring around Y, round outside and open to the rim within."""
    ring, around = WHEEL_RADIUS - TYRE, np.linspace(-0.72 * math.pi, 0.72 * math.pi, 17)
    return _ring([(ring + TYRE * math.cos(a), TYRE * math.sin(a)) for a in around], ["tyre"] * 17)


def wheel() -> Shape:
    """Rim, hub, spokes that cross in pairs, and two reflectors that show how it turns."""
    rim = _ring([(0.318, -0.012), (0.318, 0.012), (0.306, 0.010), (0.300, 0.0), (0.306, -0.010)], ["chrome"] * 5)
    parts = [rim, rod((0.0, -0.045, 0.0), (0.0, 0.045, 0.0), 0.016, "iron", 12)]
    parts += [rod((0.0, y - 0.003, 0.0), (0.0, y + 0.003, 0.0), 0.028, "iron", 16) for y in (-0.035, 0.035)]
    for i in range(28):
        start = (i + (1.6 if i % 4 < 2 else -1.6)) * math.tau / 28
        end, side = i * math.tau / 28, 0.035 if i % 2 else -0.035
        foot = (0.024 * math.cos(start), side, 0.024 * math.sin(start))
        parts.append(rod(foot, (0.303 * math.cos(end), 0.0, 0.303 * math.sin(end)), 0.0016, "chrome", 5))
    reflector = moved(superellipsoid((0.036, 0.006, 0.014), "label yellow", 4.0, 16), (0.0, 0.0, 0.23))
    parts += [moved(reflector, Matrix.Rotation(a, 4, "Y")) for a in (0.0, math.pi)]
    return joined(*parts)


def _ring(profile: Sequence[tuple[float, float]], paints: Sequence[str]) -> Shape:
    """A closed profile of (radius, y), counter-clockwise with the radius to the right and y up, turned about Y."""
    angles = np.arange(97) * math.tau / 96
    rows = np.array([[(r * math.cos(a), y, r * math.sin(a)) for r, y in profile] for a in angles])
    shape = grid(rows, paints[0])
    return welded(shape._replace(paints=[name for _ in angles[1:] for name in paints]))


def cranks() -> Shape:
    """Both arms along X, the left one forward, the pedals' axles, and the chainring on the right."""
    parts = [rod((0.0, -0.07, 0.0), (0.0, 0.07, 0.0), 0.014, "chrome", 16)]
    for sign in (1.0, -1.0):
        arm = slab((-0.016, -0.008, -0.013), (CRANK + 0.014, 0.008, 0.013), "chrome")
        arm = moved(arm, Matrix.Rotation(0.0 if sign > 0.0 else math.pi, 4, "Y"))
        parts.append(moved(arm, (0.0, 0.066 * sign, 0.0)))
        x = CRANK * sign
        parts.append(rod((x, 0.074 * sign, 0.0), (x, (PEDAL + 0.035) * sign, 0.0), 0.006, "chrome", 10))
    radius = 0.0127 * CHAINRING / math.tau
    ring = [(radius - 0.012, -0.002), (radius, -0.0025), (radius, 0.0025), (radius - 0.012, 0.002)]
    parts.append(moved(_ring(ring, ["iron"] * 4), (0.0, -0.045, 0.0)))
    for a in np.arange(5) * math.tau / 5:
        end = (0.95 * radius * math.cos(a), -0.045, 0.95 * radius * math.sin(a))
        parts.append(rod((0.0, -0.045, 0.0), end, 0.006, "iron", 8))
    return joined(*parts)


def pedal() -> Shape:
    """Around its axle, which is along Y."""
    plates = [slab((x - 0.006, -0.042, -0.010), (x + 0.006, 0.042, 0.010), "iron") for x in (-0.034, 0.034)]
    ends = [slab((-0.034, y - 0.005, -0.008), (0.034, y + 0.005, 0.008), "iron") for y in (-0.037, 0.037)]
    return joined(*plates, *ends, rod((0.0, -0.042, 0.0), (0.0, 0.042, 0.0), 0.011, "iron", 12))


def frame() -> Shape:
    """Tubes, saddle, mudguard, carrier, chain and its guard, stand and rear lamp."""
    low, high = np.array(on_axis(0.80)), np.array(on_axis(0.955))
    bracket, cluster = np.array(BRACKET), np.array((0.265, 0.0, 0.79))
    tubes = [
        rod(low, high, 0.021, COLOUR, 20),
        rod(bracket, cluster, 0.016, COLOUR, 20),
        rod(bracket, low + 0.18 * (high - low), 0.018, COLOUR, 20),
        rod(bracket + 0.78 * (cluster - bracket), low + 0.75 * (high - low), 0.015, COLOUR, 20),
        rod(bracket - (0.0, 0.036, 0.0), bracket + (0.0, 0.036, 0.0), 0.024, COLOUR, 20),
        rod(cluster, (SEAT[0] + 0.012, 0.0, SEAT[2] - 0.05), 0.0125, "chrome", 16),
    ]
    hub = np.array((0.0, 0.058, WHEEL_RADIUS))
    side = [
        rod(bracket + (-0.02, 0.03, 0.0), hub, 0.009, COLOUR),
        rod(cluster + (0.0, 0.016, -0.04), hub, 0.007, COLOUR),
        rod((-0.02, 0.052, 0.36), (-0.10, 0.052, 0.745), 0.005, "iron", 8),
        rod((0.21, 0.052, 0.75), (-0.33, 0.052, 0.75), 0.005, "iron", 8),
        rod((0.0, 0.05, WHEEL_RADIUS), (-0.31, 0.028, 0.57), 0.003, "iron", 8),
    ]
    bars = [rod((x, -0.052, 0.75), (x, 0.052, 0.75), 0.005, "iron", 8) for x in (0.20, 0.06, -0.08, -0.22, -0.33)]
    lamp = moved(superellipsoid((0.02, 0.035, 0.022), "tail lamp", 3.0, 24), (-0.345, 0.0, 0.71))
    guard = mudguard((0.0, WHEEL_RADIUS), math.radians(20.0), math.radians(200.0))
    return joined(*tubes, on_both_sides(joined(*side)), *bars, lamp, guard, _chain(), _saddle())


def mudguard(middle: tuple[float, float], start: float, end: float) -> Shape:
    """A bowed strip above a tyre, from one angle to another, counted from ahead over the top."""
    across = [(0.030, -0.028), (0.038, -0.018), (0.041, 0.0), (0.038, 0.018), (0.030, 0.028)]
    inner = [(r - 0.002, 0.92 * y) for r, y in reversed(across)]
    rows = [
        [(middle[0] + (0.33 + r) * math.cos(a), y, middle[1] + (0.33 + r) * math.sin(a)) for r, y in across + inner]
        for a in np.linspace(start, end, 40)
    ]
    skin = grid(np.array(rows), COLOUR)
    last, count = len(skin.points) - 10, 10
    ends = [tuple(range(count))[::-1], tuple(range(last, last + count))]
    return Shape(skin.points, skin.faces + ends, [*skin.paints, COLOUR, COLOUR])


def _chain() -> Shape:
    """Both runs of the chain with the sprocket behind, and a guard along the upper one."""
    big, small = (0.0127 * teeth / math.tau for teeth in (CHAINRING, SPROCKET))
    y = -0.045
    upper = (0.0, y, WHEEL_RADIUS + small), (BRACKET[0], y, BRACKET[2] + big)
    lower = (0.0, y, WHEEL_RADIUS - small), (BRACKET[0], y, BRACKET[2] - big)
    sprocket = [(small - 0.01, -0.002), (small, -0.002), (small, 0.002), (small - 0.01, 0.002)]
    runs = [rod(*run, 0.0045, "iron", 6) for run in (upper, lower)]
    bracket = np.array(BRACKET)
    outline = [upper[0], *(bracket + (0.115 * math.cos(a), y, 0.115 * math.sin(a)) for a in np.linspace(1.6, -0.5, 16))]
    plates = []
    for a, b in pairwise(outline):
        plates.append(rod((a[0], y - 0.03, a[2]), (b[0], y - 0.03, b[2]), 0.007, COLOUR, 8))
    return joined(*runs, *plates, moved(_ring(sprocket, ["iron"] * 4), (0.0, y, WHEEL_RADIUS)))


def _saddle() -> Shape:
    """Broad behind, with a nose, and two springs below."""
    x = np.array([-0.135, -0.125, -0.10, -0.06, -0.01, 0.04, 0.09, 0.125, 0.14])
    half = np.array([0.045, 0.085, 0.105, 0.105, 0.080, 0.045, 0.025, 0.020, 0.010])
    top = np.array([0.0, 0.006, 0.008, 0.004, -0.002, -0.004, 0.0, -0.004, -0.015])
    around = np.arange(24) * math.tau / 24
    unit = np.column_stack([np.cos(around), np.sin(around)])
    unit /= np.sum(np.abs(unit) ** 3, axis=1, keepdims=True) ** (1.0 / 3.0)
    rows = [
        np.column_stack([np.full(24, a), h * unit[:, 0], t - 0.025 + 0.025 * unit[:, 1]])
        for a, h, t in zip(x, half, top, strict=True)
    ]
    skin = grid(np.stack(rows), "trunk")
    ends = [tuple(range(24))[::-1], tuple(range(len(skin.points) - 24, len(skin.points)))]
    leather = Shape(skin.points, skin.faces + ends, [*skin.paints, "trunk", "trunk"])
    springs = [rod((-0.08, y, -0.075), (-0.08, y, -0.03), 0.014, "chrome", 12) for y in (-0.06, 0.06)]
    rails = [rod((-0.08, y, -0.07), (0.10, 0.3 * y, -0.04), 0.005, "iron", 8) for y in (-0.06, 0.06)]
    rails.append(rod((-0.08, -0.06, -0.07), (-0.08, 0.06, -0.07), 0.005, "iron", 8))
    return moved(joined(leather, *springs, *rails), (SEAT[0] + 0.02, 0.0, SEAT[2]))


def fork() -> Shape:
    """Blades, steerer, stem, handlebar with grips and bell, mudguard, lamp, and a basket with what was bought."""
    crown, top = np.array(on_axis(0.765)), np.array(on_axis(1.00))
    clamp = np.array((GRIP[0] + 0.02, 0.0, 1.02))
    hub, knee = np.array((WHEELBASE, 0.052, WHEEL_RADIUS)), np.array((*on_axis(0.55)[::2],))
    blade = [
        rod(crown + (0.0, 0.045, 0.0), (knee[0] + 0.004, 0.05, knee[1]), 0.012, COLOUR),
        rod((knee[0] + 0.004, 0.05, knee[1]), hub, 0.009, COLOUR),
        rod(crown, crown + (0.0, 0.055, 0.0), 0.016, COLOUR),
        rod(clamp, (GRIP[0] + 0.01, 0.14, GRIP[2]), 0.011, "chrome", 16),
        rod((GRIP[0] + 0.01, 0.14, GRIP[2]), (GRIP[0], 0.21, GRIP[2]), 0.011, "chrome", 16),
        rod((GRIP[0], 0.20, GRIP[2]), (GRIP[0] - 0.004, 0.335, GRIP[2]), 0.016, "wire", 16),
        rod((WHEELBASE, 0.048, WHEEL_RADIUS), (WHEELBASE - 0.26, 0.028, 0.60), 0.003, "iron", 8),
    ]
    bell = moved(superellipsoid((0.022, 0.022, 0.016), "brass", 2.0, 24), (GRIP[0] + 0.015, 0.10, 1.05))
    lamp = moved(superellipsoid((0.03, 0.028, 0.028), "lamp", 2.4, 24), (crown[0] + 0.10, 0.0, 0.80))
    stay = rod(crown, (crown[0] + 0.08, 0.0, 0.80), 0.006, "iron", 8)
    guard = mudguard((WHEELBASE, WHEEL_RADIUS), math.radians(62.0), math.radians(195.0))
    steerer = [rod(crown, top, 0.014, "chrome", 16), rod(top, clamp, 0.014, "chrome", 16)]
    return joined(on_both_sides(joined(*blade)), bell, lamp, stay, guard, *steerer, _basket())


def _basket() -> Shape:
    """Wires around two loaves and an apple or two."""
    near, far, low, high = 0.90, 1.13, 0.86, 1.04
    wires = []
    for z in np.linspace(low, high, 5):
        slope = 0.02 * (high - z) / (high - low)
        corners = [(near + slope, -0.15 + slope), (far - slope, -0.15 + slope)]
        corners += [(x, -y) for x, y in reversed(corners)]
        for (a, b), (c, d) in pairwise([*corners, corners[0]]):
            wires.append(rod((a, b, z), (c, d, z), 0.004 if z > high - 0.01 else 0.0025, "oak", 6))
    for y in np.linspace(-0.15, 0.15, 9):
        wires += [rod((x, 0.87 * y, low), (x + s, y, high), 0.0025, "oak", 6) for x, s in ((0.92, -0.02), (1.11, 0.02))]
    for x in np.linspace(near + 0.03, far - 0.03, 6):
        wires += [rod((x, 0.13 * s, low), (x, 0.15 * s, high), 0.0025, "oak", 6) for s in (-1, 1)]
    floor = slab((0.92, -0.13, low - 0.004), (1.11, 0.13, low + 0.004), "oak")
    loaf = superellipsoid((0.032, 0.032, 0.19), "pine", 2.3, 24)
    loaves = [
        moved(loaf, Matrix.Translation((1.0 + dx, y, 1.06)) @ Matrix.Rotation(tilt, 4, "X"))
        for dx, y, tilt in ((-0.03, 0.05, -0.22), (0.03, 0.07, -0.10))
    ]
    apples = [moved(superellipsoid((0.04, 0.04, 0.037), "label red", 2.0, 20), (1.02, y, 0.90)) for y in (-0.08, 0.0)]
    return joined(*wires, floor, *loaves, *apples)
