# SPDX-License-Identifier: GPL-3.0-or-later
"""The picture of what a million steps make of the energy: one panel for each system, both axes logarithmic."""

import itertools
from typing import NamedTuple

import numpy as np

WIDTH, HEIGHT, LEFT, TOP, GAP, FOOT = 300, 240, 64, 62, 34, 84  # pixels: of a panel, and around
LOW, HIGH = -15, 1  # powers of ten of the energy error
COLOURS = {"variational": "#0b6e8a", "classical Runge-Kutta, order 4": "#c8501e"}
POINTS = 120  # of a curve


class _Steps(NamedTuple):
    """The axis across a panel: from the step of the first frame to the last."""

    left: float  # pixels
    first: int
    last: int

    def x(self, steps: float) -> float:
        """Pixels."""
        return self.left + WIDTH * np.log10(steps / self.first) / np.log10(self.last / self.first)


def drawing(panels: list[tuple[str, list[np.ndarray]]], last: int) -> str:
    """SVG. A panel is (title, errors of each method at evenly spaced steps); `last` is the number of the last step."""
    wide, high = LEFT + len(panels) * (WIDTH + GAP) + 6, TOP + HEIGHT + FOOT
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {high}" width="{wide}" height="{high}" '
        'font-family="Helvetica, Arial, sans-serif" font-size="13" fill="#333333">',
        f'<rect width="{wide}" height="{high}" fill="#ffffff"/>',
        text(LEFT, 24, "Energy error, as a part of the largest kinetic energy", size=16),
    ]
    for number, (title, errors) in enumerate(panels):
        left = LEFT + number * (WIDTH + GAP)
        axis = _Steps(left, last // len(errors[0]), last)
        lines += _frame(axis, title, labelled=number == 0)
        lines += [_curve(axis, error, colour) for error, colour in zip(errors, COLOURS.values(), strict=True)]
    x = LEFT
    for name, colour in COLOURS.items():
        y = TOP + HEIGHT + 62
        lines.append(f'<line x1="{x}" y1="{y - 4}" x2="{x + 28}" y2="{y - 4}" stroke="{colour}" stroke-width="2.5"/>')
        lines.append(text(x + 36, y, name))
        x += 60 + 8 * len(name)
    return "\n".join([*lines, "</svg>", ""])


def _frame(axis: _Steps, title: str, labelled: bool) -> list[str]:
    left = axis.left
    lines = [
        f'<rect x="{left}" y="{TOP}" width="{WIDTH}" height="{HEIGHT}" fill="none" stroke="#888888"/>',
        text(left, TOP - 10, title),
    ]
    for power in range(LOW, HIGH + 1, 2):
        y = _y(10.0**power)
        lines.append(f'<line x1="{left}" y1="{y:.1f}" x2="{left + WIDTH}" y2="{y:.1f}" stroke="#e4e4e4"/>')
        if labelled:
            lines.append(power_of_ten(left - 12, y + 4, power))
    for power in range(round(np.log10(axis.first)), round(np.log10(axis.last)) + 1):
        x = axis.x(10.0**power)
        lines.append(f'<line x1="{x:.1f}" y1="{TOP}" x2="{x:.1f}" y2="{TOP + HEIGHT}" stroke="#e4e4e4"/>')
        lines.append(power_of_ten(x + 8, TOP + HEIGHT + 20, power))
    return [*lines, text(left + WIDTH / 2, TOP + HEIGHT + 36, "steps", anchor="middle")]


def _curve(axis: _Steps, error: np.ndarray, colour: str) -> str:
    """The largest error between each two points; it ends where the motion does."""
    steps = axis.first * np.arange(1, len(error) + 1)
    edges = np.geomspace(axis.first, axis.last * (1 + 1e-9), POINTS + 1)
    points = []
    for low, high in itertools.pairwise(edges):
        inside = error[(steps >= low) & (steps < high)]
        if len(inside) and not np.isfinite(inside).all():
            break
        if len(inside):
            points.append(f"{axis.x(np.sqrt(low * high)):.1f},{_y(inside.max()):.1f}")
    return f'<polyline points="{" ".join(points)}" fill="none" stroke="{colour}" stroke-width="2"/>'


def _y(error: float) -> float:
    share = (np.log10(max(error, 1e-300)) - LOW) / (HIGH - LOW)
    return TOP + HEIGHT * (1.0 - min(1.0, max(0.0, share)))


def text(x: float, y: float, words: str, size: int = 13, anchor: str = "start") -> str:
    """An SVG text at a place (pixels)."""
    return f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}">{words}</text>'


def power_of_ten(x: float, y: float, power: int) -> str:
    """Ten to a power, its last digit at x."""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="end">10<tspan dy="-5" font-size="9">{power}</tspan></text>'
