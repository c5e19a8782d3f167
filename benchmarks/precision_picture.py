# SPDX-License-Identifier: GPL-3.0-or-later
"""The picture of work against precision: one panel for each motion, both axes logarithmic."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np

from .energy_picture import FOOT, GAP, HEIGHT, LEFT, TOP, WIDTH, power_of_ten, text

COARSE, FINE = 0, -11  # powers of ten of the error, rad
LEAST, MOST = 2, 6  # of the evaluations
COLOURS = {
    "implicit": "#0b6e8a", "Adams": "#7a5aa6", "Radau": "#c8501e", "LSODA": "#4d8a2f", "MuJoCo implicitfast": "#777777",
}  # fmt: skip


class Point(Protocol):
    """A motion that was measured."""

    evaluations: float
    error: float  # rad


class Curve(NamedTuple):
    """All that one method was measured with, the coarsest first."""

    name: str  # one of COLOURS
    points: Sequence[Point]


def drawing(panels: list[tuple[str, list[Curve]]]) -> str:
    """SVG. A panel is (title, curves)."""
    wide, high = LEFT + len(panels) * (WIDTH + GAP) + 6, TOP + HEIGHT + FOOT
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {high}" width="{wide}" height="{high}" '
        'font-family="Helvetica, Arial, sans-serif" font-size="13" fill="#333333">',
        f'<rect width="{wide}" height="{high}" fill="#ffffff"/>',
        text(LEFT, 24, "Evaluations for five bars, by the error at the end", size=16),
    ]
    for number, (title, curves) in enumerate(panels):
        left = LEFT + number * (WIDTH + GAP)
        lines += _frame(left, title, labelled=number == 0)
        for curve in curves:
            lines += _line(left, curve)
    return "\n".join([*lines, *_legend(panels), "</svg>", ""])


def _frame(left: float, title: str, labelled: bool) -> list[str]:
    foot = TOP + HEIGHT
    lines = [
        f'<rect x="{left}" y="{TOP}" width="{WIDTH}" height="{HEIGHT}" fill="none" stroke="#888888"/>',
        text(left, TOP - 10, title),
    ]
    for power in range(LEAST, MOST + 1):
        y = _y(10.0**power)
        lines.append(f'<line x1="{left}" y1="{y:.1f}" x2="{left + WIDTH}" y2="{y:.1f}" stroke="#e4e4e4"/>')
        if labelled:
            lines.append(power_of_ten(left - 12, y + 4, power))
    for power in range(COARSE, FINE - 1, -2):
        x = _x(left, 10.0**power)
        lines.append(f'<line x1="{x:.1f}" y1="{TOP}" x2="{x:.1f}" y2="{foot}" stroke="#e4e4e4"/>')
        lines.append(power_of_ten(x + 8, foot + 20, power))
    return [*lines, text(left + WIDTH / 2, foot + 36, "error, rad", anchor="middle")]


def _line(left: float, curve: Curve) -> list[str]:
    """Straight lines between the points that are inside, and a dot at each."""
    inside = [
        each
        for each in curve.points
        if 10.0**FINE <= each.error <= 10.0**COARSE and 10.0**LEAST <= each.evaluations <= 10.0**MOST
    ]
    places = [(_x(left, each.error), _y(each.evaluations)) for each in inside]
    colour = COLOURS[curve.name]
    words = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    return [
        f'<polyline points="{words}" fill="none" stroke="{colour}" stroke-width="2"/>',
        *(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.5" fill="{colour}"/>' for x, y in places),
    ]


def _legend(panels: list[tuple[str, list[Curve]]]) -> list[str]:
    shown = {curve.name for _, curves in panels for curve in curves}
    lines, x, y = [], LEFT, TOP + HEIGHT + 62
    for name in (name for name in COLOURS if name in shown):
        colour = COLOURS[name]
        lines.append(f'<line x1="{x}" y1="{y - 4}" x2="{x + 28}" y2="{y - 4}" stroke="{colour}" stroke-width="2.5"/>')
        lines.append(text(x + 36, y, name))
        x += 60 + 8 * len(name)
    return lines


def _x(left: float, error: float) -> float:
    return left + WIDTH * (np.log10(error) - COARSE) / (FINE - COARSE)


def _y(evaluations: float) -> float:
    return TOP + HEIGHT * (1.0 - (np.log10(evaluations) - LEAST) / (MOST - LEAST))
