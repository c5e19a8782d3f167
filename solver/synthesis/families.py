# SPDX-License-Identifier: GPL-3.0-or-later
"""Kinds of linkages that can draw a curve: how their points are placed one after the other, and which bars they are.

A kind is written as its steps: "B hinges A C" is the pin of two bars from A and C. O is the crank's pivot, A its pin,
and the last point draws.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from .dyads import BLOCK, GROUND, HINGES, RIGID, SLIDER

_KINDS = {"ground": GROUND, "rigid": RIGID, "hinges": HINGES, "slider": SLIDER, "block": BLOCK}
_NUMBERS = {GROUND: 2, RIGID: 2, HINGES: 2, SLIDER: 3, BLOCK: 2}
_ORDER = ("", "Second ", "Third ", "Fourth ", "Fifth ", "Sixth ")


class Slide(NamedTuple):
    """A block that slides at a point: on a bar, or on the ground (-1), in the direction of that bar or of the step."""

    on: int
    block: int
    point: int
    step: int


@dataclass(frozen=True, eq=False)
class Family:
    """One kind; its points are the nodes of `dyads`, and `links` names those of each bar, of a block only one.

    The ground holds the points in `ground`; elsewhere links that share a point are hinged there.
    """

    name: str
    steps: np.ndarray  # (S, 4) int64: kind, u, v, first number
    numbers: int
    links: tuple[tuple[int, ...], ...]
    labels: tuple[str, ...]
    ground: frozenset[int]
    slides: tuple[Slide, ...]


def family(name: str, *words: str) -> Family:
    """A kind by its steps."""
    node, rows, p = {"O": 0, "A": 1}, [], 3
    links: list[list[int]] = [[0, 1]]
    labels, ground, slides = ["Crank"], {0}, []
    for i, each in enumerate(words):
        point, kind, *ends = each.split()
        k, code = i + 2, _KINDS[kind]
        u, v = ([node[end] for end in ends] + [0, 0])[:2]
        node[point] = k
        rows.append((code, u, v, p))
        p += _NUMBERS[code]
        if code == GROUND:
            ground.add(k)
        elif code == RIGID:
            next(of for of in links if u in of and v in of).append(k)
        elif code == HINGES:
            links += [[u, k], [v, k]]
            labels += ["Link", "Rocker" if v in ground else "Link"]
        else:
            links += [[u, k], [k if code == SLIDER else v]]
            labels += ["Link", "Block"]
            on = -1 if code == SLIDER else len(links) - 2
            slides.append(Slide(on, len(links) - 1, k if code == SLIDER else v, i))
    drawing = next(i for i, of in enumerate(links) if len(words) + 1 in of)
    labels[drawing] = "Coupler" if len(links) <= 4 else "Drawing Link"
    if len(links) > 4 and labels[1] == "Link":
        labels[1] = "Coupler"
    named: list[str] = []
    for label in labels:
        named.append(_ORDER[sum(other.endswith(label) for other in named)] + label)
    return Family(
        name, np.array(rows, np.int64), p, tuple(map(tuple, links)), tuple(named), frozenset(ground), tuple(slides)
    )


_FOUR = ("C ground", "B hinges A C")
_LED = (*_FOUR, "P rigid A B")
_STEPHENSON = (*_LED, "D ground", "E hinges P D")
_WATT = (*_LED, "R rigid C B", "E hinges P R")

FOUR_BAR = family("four-bar", *_LED)
SLIDER_CRANK = family("slider-crank", "B slider A", "P rigid A B")
SWINGING_BLOCK = family("crank with a swinging block", "C ground", "P block A C")
SIX_BAR = family("six-bar", *_STEPHENSON, "T rigid P E")
FAMILIES = (
    FOUR_BAR,
    SLIDER_CRANK,
    SWINGING_BLOCK,
    SIX_BAR,
    family("six-bar of Watt's", *_WATT, "T rigid P E"),
    family("six-bar of Watt's", *_FOUR, "R rigid C B", "D ground", "E hinges R D", "T rigid R E"),
    family("six-bar with a crank of three pins", *_LED, "Q rigid O A", "E hinges P Q", "T rigid P E"),
    family("six-bar with a crank of three pins", *_LED, "Q rigid O A", "E hinges Q P", "T rigid Q E"),
    family("six-bar with a slider", *_LED, "E slider P", "T rigid P E"),
    family("six-bar with a swinging block", *_LED, "D ground", "T block P D"),
    family("six-bar with a slider", "B slider A", "P rigid A B", "D ground", "E hinges P D", "T rigid P E"),
    family("six-bar with a swinging block", "C ground", "P block A C", "D ground", "E hinges P D", "T rigid P E"),
    family("eight-bar", *_STEPHENSON, "Q rigid P E", "G ground", "F hinges Q G", "T rigid Q F"),
    family("eight-bar", *_WATT, "Q rigid P E", "G ground", "F hinges Q G", "T rigid Q F"),
    family("eight-bar", *_STEPHENSON, "Q rigid P E", "R rigid C B", "F hinges Q R", "T rigid Q F"),
    family("eight-bar", *_STEPHENSON, "Q rigid P E", "R rigid O A", "F hinges Q R", "T rigid Q F"),
    family("eight-bar", *_WATT, "Q rigid P E", "G rigid O A", "F hinges Q G", "T rigid Q F"),
)


def moved(
    family: Family, x: np.ndarray, signs: np.ndarray, turn: complex, shift: complex, is_mirrored: bool
) -> tuple[np.ndarray, np.ndarray]:
    """Numbers and signs of the linkage that z -> turn z + shift makes of it, mirrored about the X axis before that.

    Angles of the crank are left as they are.
    """
    x, signs, size = x.copy(), signs.copy(), abs(turn)
    scale, side = np.log(size), -1.0 if is_mirrored else 1.0
    for kind, _, _, p in [(GROUND, 0, 0, 0), *family.steps]:
        if kind == GROUND:
            place = turn * complex(x[p], side * x[p + 1]) + shift
            x[p : p + 2] = place.real, place.imag
        elif kind == SLIDER:
            x[p] += scale
            x[p + 1] = side * x[p + 1] + np.angle(turn)
            x[p + 2] = side * size * x[p + 2] + (np.exp(-1j * x[p + 1]) * shift).imag
        elif kind == HINGES:
            x[p : p + 2] += scale
        else:
            x[p + 1] *= side
            x[p : p + 2] *= size if kind == BLOCK else 1.0
    x[2] += scale
    hinges = family.steps[:, 0] == HINGES
    signs[hinges] *= side
    return x, signs
