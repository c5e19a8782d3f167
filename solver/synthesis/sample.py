# SPDX-License-Identifier: GPL-3.0-or-later
"""Random linkages that go round, and what their points draw: rows of a table.

Steps are drawn one after the other. A dyad's lengths are drawn when it is known how far apart its ends come, such that
it reaches in all positions; so few are lost.
"""

import math

from ..kernel import entry, kernel
from .dyads import BLOCK, GROUND, HINGES, RIGID, place_step, square
from .fit import MOST

PER_STEP, FIRST = 4, 3  # random numbers that a step takes, and those before all
_WIDEST = 6.0  # rad: of an open part of a turn


@entry
def sample(steps, is_open, chances, units, x, signs, values, nodes, curves):
    """Rows (R, N) of numbers and (R, S) of signs, and (R, M) complex what they draw, from chances (R, C) in 0 to 1.

    is_open: a part of a turn, whose first and last angle are the last two numbers. What cannot go round, or through
    that part, is left out. Returns the rows that are filled.
    """
    found, T = 0, len(units)
    for row in range(len(chances)):
        if is_open:
            first, wide = 2.0 * math.pi * chances[row, 1], 0.4 + (_WIDEST - 0.4) * chances[row, 2]
            for t in range(T):
                angle = first + wide * t / (T - 1)
                units[t] = complex(math.cos(angle), math.sin(angle))
            x[found, x.shape[1] - 2], x[found, x.shape[1] - 1] = first, first + wide
        if _drawn(steps, chances[row], units, x[found], signs[found], values, nodes) and _even(
            nodes, len(steps) + 1, is_open, curves[found]
        ):
            found += 1
        if found == len(x):
            break
    return found


@kernel
def _drawn(steps, chance, units, x, signs, values, nodes):
    """One linkage, of which all bars reach each other; its crank's pivot is at 0."""
    T = len(units)
    x[0], x[1], x[2] = 0.0, 0.0, math.log(0.08) + chance[0] * math.log(0.95 / 0.08)
    values[0], values[2] = complex(0.0, 0.0), complex(math.exp(x[2]), 0.0)
    for t in range(T):
        nodes[t, 0], nodes[t, 1] = values[0], values[2].real * units[t]
    grounds = 0
    for i in range(len(steps)):
        kind, u, v, p = steps[i, 0], steps[i, 1], steps[i, 2], steps[i, 3]
        at = FIRST + PER_STEP * i
        first, second, third = chance[at], chance[at + 1], chance[at + 2]
        signs[i] = 1.0 if chance[at + 3] < 0.5 else -1.0
        turn = complex(math.cos(2.0 * math.pi * first), math.sin(2.0 * math.pi * first))
        if kind == GROUND:
            grounds += 1
            place = complex(1.0, 0.0) if grounds == 1 else 0.5 + 3.5 * math.sqrt(second) * turn
            x[p], x[p + 1] = place.real, place.imag
            values[p] = place
        elif kind == RIGID:
            length = math.sqrt(square(nodes[0, v] - nodes[0, u]))
            ratio = 0.5 + max(1.0, 0.5 / max(length, 1e-6)) * 2.2 * second * turn
            x[p], x[p + 1] = ratio.real, ratio.imag
            values[p] = ratio
        elif kind == HINGES:
            near, far = 1e300, 0.0
            for t in range(T):
                apart = math.sqrt(square(nodes[t, v] - nodes[t, u]))
                near, far = min(near, apart), max(far, apart)
            less = near * (2.0 * first - 1.0)
            more = far * 1.01 + max(far, 0.3) * 2.5 * second * second
            if not more > abs(less) + 0.05:
                return False
            x[p], x[p + 1] = math.log(0.5 * (more + less)), math.log(0.5 * (more - less))
            values[p], values[p + 1] = complex(0.5 * (more + less), 0.0), complex(0.5 * (more - less), 0.0)
        elif kind == BLOCK:
            ratio = 3.0 * (0.03 + second) * turn
            x[p], x[p + 1] = ratio.real, ratio.imag
            values[p] = ratio
        else:
            low, high = 1e300, -1e300
            for t in range(T):
                h = (turn.conjugate() * nodes[t, u]).imag
                low, high = min(low, h), max(high, h)
            offset = 0.5 * (low + high) + (second - 0.5) * 2.0 * max(high - low, 0.5)
            reach = max(high - offset, offset - low) * 1.02 + 2.5 * third * third
            x[p], x[p + 1], x[p + 2] = math.log(reach), 2.0 * math.pi * first, offset
            values[p], values[p + 1], values[p + 2] = complex(reach, 0.0), turn, complex(offset, 0.0)
        low, high = 1e300, -1e300
        for t in range(T):
            c = place_step(steps[i], signs[i], values, nodes[t], i + 2)
            low, high = min(low, c), max(high, c)
        if kind == BLOCK:
            if not low > 0.16 * high:
                return False
        elif not max(high, -low) < MOST - 1e-3:
            return False
    return True


@kernel
def _even(nodes, last, is_open, curve):
    """Points (M,) at equal lengths along what the point draws, centred and of root mean square 1."""
    T, M, total = len(nodes), len(curve), 0.0
    pieces = T - is_open
    for t in range(pieces):
        total += math.sqrt(square(nodes[(t + 1) % T, last] - nodes[t, last]))
    t, before = 0, 0.0
    step = math.sqrt(square(nodes[1, last] - nodes[0, last]))
    middle = complex(0.0, 0.0)
    for m in range(M):
        at = total * m / (M - is_open)
        while t < pieces - 1 and before + step <= at:
            before += step
            t += 1
            step = math.sqrt(square(nodes[(t + 1) % T, last] - nodes[t, last]))
        share = (at - before) / max(step, 1e-30)
        curve[m] = nodes[t, last] + share * (nodes[(t + 1) % T, last] - nodes[t, last])
        middle += curve[m] / M
    mean = 0.0
    for m in range(M):
        curve[m] -= middle
        mean += square(curve[m]) / M
    if not 1e-4 < mean < 1e4:
        return False
    for m in range(M):
        curve[m] *= 1.0 / math.sqrt(mean)
    return True
