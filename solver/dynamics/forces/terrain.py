# SPDX-License-Identifier: GPL-3.0-or-later
"""The ground below a point: level, or a terrain, whose heights are control points of a bicubic B-spline.

Its second derivatives are continuous, so that an integrator of high order keeps its steps (de Boor 1978, ch. IX).
Symbols: x point, h height, n outer normal; hx, hxy .. derivatives of h; depth: how far a point is in, along n, to first
order (h - z) n_z.
"""

import math

from ...kernel import kernel

_UP = (0.0, 0.0, 1.0)
_ZERO = (0.0, 0.0, 0.0)


@kernel
def _weights(t):
    """Those of four control points at a share t of the way between the middle ones."""
    s = 1.0 - t
    return (
        s * s * s / 6.0,
        (3.0 * t * t * t - 6.0 * t * t + 4.0) / 6.0,
        (3.0 * s * s * s - 6.0 * s * s + 4.0) / 6.0,
        t * t * t / 6.0,
    )


@kernel
def _slopes(t):
    """Their derivatives."""
    s = 1.0 - t
    return (-0.5 * s * s, 1.5 * t * t - 2.0 * t, 2.0 * s - 1.5 * s * s, 0.5 * t * t)


@kernel
def _bends(t):
    """And the second ones."""
    return (1.0 - t, 3.0 * t - 2.0, 1.0 - 3.0 * t, t)


@kernel
def _place(x, start, spacing, count):
    """(cell, share of the way through it, 1 inside the grid and 0 beyond its edge) along one axis."""
    u, inside = (x - start) / spacing, 1.0
    if not u >= 0.0:
        u, inside = 0.0, 0.0
    elif u > count - 1.0:
        u, inside = count - 1.0, 0.0
    cell = min(int(u), count - 2)
    return cell, u - cell, inside


@kernel
def _along(heights, at, weights):
    return (
        heights[at] * weights[0]
        + heights[at + 1] * weights[1]
        + heights[at + 2] * weights[2]
        + heights[at + 3] * weights[3]
    )


@kernel
def surface_at(model, terrain, x, y):
    """(h, hx, hy, hxx, hxy, hyy) of a terrain, by its number."""
    row, heights = model.terrains[terrain], model.heights
    i, s, in_x = _place(x, row.origin[0], row.spacing[0], row.along_x)
    j, t, in_y = _place(y, row.origin[1], row.spacing[1], row.along_y)
    across, rise, bend = _weights(s), _slopes(s), _bends(s)
    per_x, per_y = in_x / row.spacing[0], in_y / row.spacing[1]
    h = hx = hy = hxx = hxy = hyy = 0.0
    w, d, b = _weights(t), _slopes(t), _bends(t)
    for k in range(4):
        at = row.start + (j + k) * (row.along_x + 2) + i
        wk = w[0] if k == 0 else (w[1] if k == 1 else (w[2] if k == 2 else w[3]))
        dk = d[0] if k == 0 else (d[1] if k == 1 else (d[2] if k == 2 else d[3]))
        bk = b[0] if k == 0 else (b[1] if k == 1 else (b[2] if k == 2 else b[3]))
        level, along = _along(heights, at, across), _along(heights, at, rise)
        h += wk * level
        hx += wk * along
        hxx += wk * _along(heights, at, bend)
        hy += dk * level
        hxy += dk * along
        hyy += bk * level
    return h, hx * per_x, hy * per_y, hxx * per_x * per_x, hxy * per_x * per_y, hyy * per_y * per_y


@kernel
def ground_below(model, force, height, x):
    """(depth, n) at a point x: of the force's terrain, raised by a height (m), or of level ground there."""
    if force.terrain < 0:
        return height - x[2], _UP
    h, hx, hy, _, _, _ = surface_at(model, force.terrain, x[0], x[1])
    up = 1.0 / math.sqrt(1.0 + hx * hx + hy * hy)
    return (height + h - x[2]) * up, (-hx * up, -hy * up, up)


@kernel
def ground_change(model, force, height, x, way):
    """The change of (depth, n) along one of the point."""
    if force.terrain < 0:
        return -way[2], _ZERO
    h, hx, hy, hxx, hxy, hyy = surface_at(model, force.terrain, x[0], x[1])
    up = 1.0 / math.sqrt(1.0 + hx * hx + hy * hy)
    dx, dy = hxx * way[0] + hxy * way[1], hxy * way[0] + hyy * way[1]
    up_change = -up * up * up * (hx * dx + hy * dy)
    depth_change = (hx * way[0] + hy * way[1] - way[2]) * up + (height + h - x[2]) * up_change
    return depth_change, (-dx * up - hx * up_change, -dy * up - hy * up_change, up_change)
