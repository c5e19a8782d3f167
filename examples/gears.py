# SPDX-License-Identifier: GPL-3.0-or-later
"""Toothed wheels that mesh: spur gears and bevel gears with involute flanks, a red sector painted on their faces.

Lengths in metres; a wheel's module is its pitch diameter over its number of teeth. Symbols as in Dudley: addendum and
dedendum in modules, pressure angle PRESSURE.
"""

from __future__ import annotations

import math

import numpy as np

from .shapes import Shape, grid

PRESSURE = math.radians(25.0)
ADDENDUM, DEDENDUM = 0.85, 1.10  # how far teeth reach beyond the pitch circle and within it, in modules
BACKLASH = 0.06  # of a tooth's thickness
FLANK = 5  # points along a flank
SECTOR = math.radians(50.0)  # that is painted


def spur_gear(
    teeth: int, module: float, low: float, high: float, phase: float, paint: str, hub: float, play: float = BACKLASH
) -> Shape:
    """A wheel about Z between two heights, with a tooth at the angle `phase` from X; its web is thin beyond `hub`.

    play: by what share of half a pitch its teeth are thinner than that.
    """
    angles, heights = _outline(teeth, teeth, play)
    angles, radii = angles + phase, module * (0.5 * teeth + heights)
    rim = module * (0.5 * teeth - DEDENDUM) - 0.6 * module
    web = 0.25 * (high - low) if rim > 1.6 * hub else 0.0
    outline = np.column_stack([radii * np.cos(angles), radii * np.sin(angles)])
    rows = [
        _ring(angles, min(hub, rim), low),
        *([_ring(angles, hub, low + web), _ring(angles, rim, low + web)] if web else []),
        _ring(angles, rim, low),
        np.column_stack([outline, np.full(len(angles), low)]),
        np.column_stack([outline, np.full(len(angles), high)]),
        _ring(angles, rim, high),
        *([_ring(angles, rim, high - web), _ring(angles, hub, high - web)] if web else []),
        _ring(angles, min(hub, rim), high),
    ]
    return _solid(rows, angles - phase, paint)


def bevel_gear(teeth: int, module: float, width: float, phase: float, paint: str, back: float) -> Shape:
    """A wheel about Z for a pair of equal ones at a right angle, whose axes meet in the origin.

    `width` of the teeth is along them. Their shape is that of a spur gear unrolled from the back cone (Tredgold), and
    shrinks towards the origin. The wheel's back is `back` behind the pitch circle.
    """
    half = math.sqrt(0.5)  # cosine and sine of the pitch cone's angle
    pitch = 0.5 * teeth * module
    angles, heights = _outline(teeth, teeth / half)
    reach = pitch + half * module * heights
    large = np.column_stack([reach, pitch - half * module * heights])  # (radius, height)
    small = large * (1.0 - width * half / pitch)
    angles = angles + phase
    bottom, top = small[:, 1].max(), pitch + back
    rows = [
        _ring(angles, 0.8 * small[:, 0].min(), bottom),
        _turned(angles, small),
        _turned(angles, large),
        _ring(angles, large[:, 0].min(), top),
        _ring(angles, 0.7 * large[:, 0].min(), top),
    ]
    return _solid(rows, angles - phase, paint)


def _outline(teeth: int, virtual: float, play: float = BACKLASH) -> tuple[np.ndarray, np.ndarray]:
    """Polar angle (rad) and height over the pitch circle (modules) of the outline's points; a tooth is at angle 0.

    Teeth of a wheel of `virtual` teeth, as thick as there; spread over `teeth`.
    """
    pitch = 0.5 * virtual
    base = pitch * math.cos(PRESSURE)
    heights = np.concatenate([[-DEDENDUM], np.linspace(max(base - pitch, 0.1 - DEDENDUM), ADDENDUM, FLANK)])
    at = np.maximum(pitch + heights, base)
    wanted = np.arccos(base / at)
    half = 0.5 * math.pi / virtual * (1.0 - play) + _involute(PRESSURE) - _involute(wanted)
    real = half * (pitch + heights) / (0.5 * teeth + heights * (teeth / virtual))
    tooth = np.concatenate([-real, real[::-1]])
    middles = np.arange(teeth) * 2.0 * math.pi / teeth
    return (middles[:, None] + tooth).ravel(), np.tile(np.concatenate([heights, heights[::-1]]), teeth)


def _involute(angle: float | np.ndarray) -> float | np.ndarray:
    return np.tan(angle) - angle


def _ring(angles: np.ndarray, radius: float, height: float) -> np.ndarray:
    return _turned(angles, np.tile((radius, height), (len(angles), 1)))


def _turned(angles: np.ndarray, profile: np.ndarray) -> np.ndarray:
    """Points (n, 3) of radius and height (n, 2) at these angles about Z."""
    return np.column_stack([profile[:, 0] * np.cos(angles), profile[:, 0] * np.sin(angles), profile[:, 1]])


def _solid(rows: list[np.ndarray], angles: np.ndarray, paint: str) -> Shape:
    """The rings from the lower lid to the upper one as a closed surface; a sector of it is red, teeth and all."""
    surface = grid(np.stack(rows), paint)
    columns, last = len(angles), (len(rows) - 1) * len(angles)
    red = np.abs((angles + math.pi) % (2.0 * math.pi) - math.pi) < 0.5 * SECTOR
    paints = ["car" if red[j] else paint for _ in rows[1:] for j in range(columns)]
    lids = [tuple(range(columns))[::-1], tuple(range(last, last + columns))]
    return Shape(surface.points, surface.faces + lids, [*paints, paint, paint])
