# SPDX-License-Identifier: GPL-3.0-or-later
"""Boxes and hulls that touched in the step before and that the collision engine misses.

Where faces lie on each other to the last digit, MuJoCo's search ends once in a hundred thousand times without any
answer, as if the shapes were far apart: what stood there fell for a step. So it is asked about each such pair again, by
our own signed distance (`signed_distance`): they are named with an infinite gap, which `polytopes` finds wrong.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...kernel import by_reference, entry, kernel
from ...spatial import store3
from .edge_normals import Named, room_for


@by_reference
class Chains(NamedTuple):
    """Named points by the first of their shapes; work. G shapes, C points."""

    shape_of: np.ndarray  # (P,) int64: of a part, -1 for what is no box and no hull
    first: np.ndarray  # (G,) int64: the first point, -1 if there is none
    following: np.ndarray  # (C,) int64: the next one
    missed: Named  # room for points of pairs that are missed


def new_chains(outlines, shapes: list[int], parts: int) -> Chains:
    """shapes: the part of each shape."""
    shape_of = np.full(parts, -1)
    for shape, part in enumerate(shapes):
        if outlines.start[shape] < outlines.start[shape + 1]:
            shape_of[part] = shape
    return Chains(shape_of, np.zeros(len(shapes), np.int64), np.zeros(0, np.int64), room_for(0))


def with_room(chains: Chains, named: int, touched: int) -> Chains:
    """The same for so many points and contacts, if it is too small."""
    if len(chains.following) >= named and len(chains.missed.distance) >= touched:
        return chains
    return chains._replace(following=np.zeros(2 * named, np.int64), missed=room_for(2 * touched))


@entry
def find_missed(chains, named, touched, count):
    """Writes a point with an infinite gap for each pair of boxes and hulls that is missed; returns how many there are.

    touched (C, 2): parts of the contacts of the step before, of which the first `count` are looked at.
    """
    more, missed, last_a, last_b = chains.missed, 0, -1, -1
    for shape in range(len(chains.first)):
        chains.first[shape] = -1
    for k in range(len(named.distance)):
        a = min(named.geom[k, 0], named.geom[k, 1])
        if a < len(chains.first):
            chains.following[k] = chains.first[a]
            chains.first[a] = k
    for c in range(count):
        a, b = touched[c, 0], touched[c, 1]
        if a < 0 or b < 0 or (a == last_a and b == last_b):
            continue
        last_a, last_b = a, b
        a, b = chains.shape_of[a], chains.shape_of[b]
        if a >= 0 and b >= 0 and not _is_named(chains, named, min(a, b), max(a, b)):
            more.geom[missed, 0], more.geom[missed, 1], more.distance[missed] = a, b, math.inf
            store3(more.position[missed], (0.0, 0.0, 0.0))
            store3(more.frame[missed], (0.0, 0.0, 1.0))
            missed += 1
    return missed


@kernel
def _is_named(chains, named, a, b):
    k = chains.first[a]
    while k >= 0:
        if max(named.geom[k, 0], named.geom[k, 1]) == b:
            return True
        k = chains.following[k]
    return False
