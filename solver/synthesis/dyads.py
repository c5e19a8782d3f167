# SPDX-License-Identifier: GPL-3.0-or-later
"""Planar linkages of a crank and dyads, each placed in closed form: positions, and gradients by reverse accumulation.

Plane vectors are complex. Nodes are the crank's pivot (0), its pin (1), and one for each step (kind, u, v, p), whose
numbers begin at x[p]; u and v are nodes placed before. A dyad is two bars, or a bar and a slider, that add no freedom
(Assur's groups of class II):

    GROUND   a fixed point: its place
    RIGID    a point on the bar u v: (point - u) / (v - u)
    HINGES   two bars from u and v meet: logarithms of their lengths
    SLIDER   the end of a bar from u slides along a fixed line: logarithm of its length, direction, offset from 0
    BLOCK    a rod hinged at u slides through a block that swings about v: its point, from u along the rod

A step's sign says on which side it is put together. While the transmission angle keeps off 0 and 180 degrees in all
positions of the crank, it stays there: no dyad changes its branch, so none of the linkage does, and the crank goes
round, or from one end of its range to the other. Of a block it is the one whose sine is the least distance from u to v
over the largest: where they meet, the rod would turn at once.

lambda, the adjoint of a node at z, is the gradient over its place as a complex number: a function changes by
Re(conj(lambda) dz).
"""

import math

from ..kernel import entry, kernel

GROUND, RIGID, HINGES, SLIDER, BLOCK = range(5)


@kernel
def prepare(steps, x, values):
    """Lengths, ratios and directions, which all positions share, each where its numbers begin."""
    values[0], values[2] = complex(x[0], x[1]), complex(math.exp(x[2]), 0.0)
    for kind, _, _, p in steps:
        if kind == HINGES:
            values[p], values[p + 1] = complex(math.exp(x[p]), 0.0), complex(math.exp(x[p + 1]), 0.0)
        elif kind == SLIDER:
            values[p], values[p + 1] = complex(math.exp(x[p]), 0.0), complex(math.cos(x[p + 1]), math.sin(x[p + 1]))
            values[p + 2] = complex(x[p + 2], 0.0)
        else:
            values[p] = complex(x[p], x[p + 1])


@kernel
def square(z):
    """The squared length of a plane vector."""
    return z.real * z.real + z.imag * z.imag


@kernel
def place_step(step, sign, values, nodes, k):
    """Places node k; returns its cosine of transmission, or of a block the distance of u and v."""
    kind, u, v, p = step[0], step[1], step[2], step[3]
    if kind == GROUND:
        nodes[k] = values[p]
        return 0.0
    U = nodes[u]
    if kind == SLIDER:
        r, along = values[p].real, values[p + 1]
        h = (along.conjugate() * U).imag - values[p + 2].real
        nodes[k] = U + along * complex(sign * math.sqrt(max(r * r - h * h, 0.0)), -h)
        return h / r
    D = nodes[v] - U
    if kind == RIGID:
        nodes[k] = U + values[p] * D
        return 0.0
    q = square(D)
    if kind == BLOCK:
        d = math.sqrt(q)
        nodes[k] = U + values[p] * (D * (1.0 / max(d, 1e-30)))
        return d
    r, s = values[p].real, values[p + 1].real
    q = max(q, 1e-30)
    a = (r * r - s * s + q) / (2.0 * q)
    nodes[k] = U + D * complex(a, sign * math.sqrt(max(r * r / q - a * a, 0.0)))
    return (r * r + s * s - q) / (2.0 * r * s)


@kernel
def slopes(steps, signs, values, nodes, pulls, unit, gradient):
    """Adds to `gradient` (N,) what the adjoints `pulls` (K,) give, and clears them; returns the slope by the angle."""
    for i in range(len(steps) - 1, -1, -1):
        k = i + 2
        pull = pulls[k]
        pulls[k] = 0.0
        if pull.real == 0.0 and pull.imag == 0.0:
            continue
        kind, u, v, p = steps[i, 0], steps[i, 1], steps[i, 2], steps[i, 3]
        if kind == GROUND:
            gradient[p] += pull.real
            gradient[p + 1] += pull.imag
            continue
        U, back = nodes[u], pull.conjugate()
        if kind == SLIDER:
            along, r = values[p + 1], values[p].real
            h = (along.conjugate() * U).imag - values[p + 2].real
            t = math.sqrt(max(r * r - h * h, 1e-30))
            by_t = signs[i] * (back * along).real
            by_h = (back * along).imag - by_t * h / t
            gradient[p] += by_t * r * r / t
            gradient[p + 1] += -(back * (nodes[k] - U)).imag - by_h * (along.conjugate() * U).real
            gradient[p + 2] -= by_h
            pulls[u] += pull + by_h * complex(-along.imag, along.real)
            continue
        D = nodes[v] - U
        if kind == RIGID:
            ratio = pull * D.conjugate()
            on_D = pull * values[p].conjugate()
            gradient[p] += ratio.real
            gradient[p + 1] += ratio.imag
        elif kind == BLOCK:
            d = math.sqrt(max(square(D), 1e-30))
            e = D * (1.0 / d)
            ratio = pull * e.conjugate()
            gradient[p] += ratio.real
            gradient[p + 1] += ratio.imag
            turn = -(back * values[p] * e).imag / d
            on_D = turn * complex(-e.imag, e.real)
        else:
            r, s, q = values[p].real, values[p + 1].real, max(square(D), 1e-30)
            ratio = (nodes[k] - U) * D.conjugate() * (1.0 / q)
            a, b = ratio.real, max(signs[i] * ratio.imag, 1e-12)
            lever = back * D
            by_b = -signs[i] * lever.imag
            by_a = lever.real - by_b * a / b
            by_q = -by_b * r * r / (2.0 * b * q * q) + by_a * (0.5 - a) / q
            gradient[p] += 2.0 * r * r * (by_b / (2.0 * b * q) + by_a / (2.0 * q))
            gradient[p + 1] -= s * s * by_a / q
            on_D = pull * ratio.conjugate() + 2.0 * by_q * D
        pulls[v] += on_D
        pulls[u] += pull - on_D
    lever = pulls[1].conjugate() * unit * values[2].real
    gradient[2] += lever.real
    pull = pulls[0] + pulls[1]
    pulls[0] = 0.0
    pulls[1] = 0.0
    gradient[0] += pull.real
    gradient[1] += pull.imag
    return -lever.imag


@kernel
def place_all(steps, signs, values, units, nodes, worst, where):
    """Nodes (T, K) at directions (T,) of the crank; `worst` (S,) of each step: its largest cosine, and `where`.

    Returns the largest of them.
    """
    for t in range(len(units)):
        nodes[t, 0] = values[0]
        nodes[t, 1] = values[0] + values[2].real * units[t]
    largest = 0.0
    for i in range(len(steps)):
        low, high, at_low, at_high = 1e300, -1e300, 0, 0
        for t in range(len(units)):
            c = place_step(steps[i], signs[i], values, nodes[t], i + 2)
            if c < low:
                low, at_low = c, t
            if c > high:
                high, at_high = c, t
        if steps[i, 0] == BLOCK:
            worst[i], where[i] = math.sqrt(max(1.0 - low * low / max(high * high, 1e-30), 0.0)), at_low
        elif high > -low:
            worst[i], where[i] = high, at_high
        else:
            worst[i], where[i] = -low, at_low
        if not worst[i] <= largest:
            largest = worst[i]
    return largest


@entry
def draw(steps, signs, x, units, values, nodes, worst, where):
    """Nodes (T, K) of a linkage at directions (T,) of its crank; returns the largest cosine of transmission."""
    prepare(steps, x, values)
    return place_all(steps, signs, values, units, nodes, worst, where)
