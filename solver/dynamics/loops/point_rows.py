# SPDX-License-Identifier: GPL-3.0-or-later
"""Rows between two points, one on each body: their laws by kind. Here alone kernels tell one such kind from another.

A new kind has its lines in the three functions that come first. Symbols, along world axes: d from the first point to
the second, u = d', bias the rest of d'' that bodies have without accelerations, arms from the bodies' reference points
to the points, n = d / |d|; a d before a symbol of changes is its change, with accelerations and multipliers kept
(`derivatives.closures`).
    DISTANCE phi = |d| - length
"""

import math

from ...kernel import kernel
from ...model.arrays import RowKind
from ...spatial import add, add_scaled, add_to_spatial, cross, dot, scale, store_spatial

_DISTANCE = int(RowKind.DISTANCE)


@kernel
def is_between_points(kind):
    """True of the kinds that are here."""
    return kind == _DISTANCE


@kernel
def fill_point_row(kind, row, number, arm_a, arm_b, d, u, bias):
    """Fills wrenches, error, rate and bias of a row; `number` is its own, such as a length (m)."""
    clear_row(row, 2, number)
    if kind == _DISTANCE:
        add_span(row, 0, 1.0, arm_a, arm_b, d, u, bias)


@kernel
def change_point_row(kind, row, number, arms, darms, now, change):
    """Fills the changes of a row's wrenches and bias; `now` has d, u and bias, `change` their changes."""
    if kind == _DISTANCE:
        change_span(row, 0, 1.0, arms, darms, now, change)


@kernel
def clear_row(row, ends, number):
    """Begins the sum of a row that has so many ends, less its own number."""
    row.error, row.rate, row.bias = -number, 0.0, 0.0
    for end in range(ends):
        store_spatial(row.wrench[end], (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))


@kernel
def add_span(row, end, share, arm_a, arm_b, d, u, bias):
    """Adds the distance between two points, times `share`, to a row; they are on its bodies `end` and the next."""
    span = math.sqrt(dot(d, d))
    n = scale(1.0 / span, d) if span > 0.0 else (0.0, 0.0, 1.0)
    rate = dot(n, u)
    row.error += share * span
    row.rate += share * rate
    row.bias += share * (dot(n, bias) + ((dot(u, u) - rate * rate) / span if span > 0.0 else 0.0))
    f = scale(share, n)
    add_to_spatial(row.wrench[end], scale(-1.0, cross(arm_a, f)), scale(-1.0, f))
    add_to_spatial(row.wrench[end + 1], cross(arm_b, f), f)


@kernel
def change_span(row, end, share, arms, darms, now, change):
    """Adds the change of what `add_span` has added."""
    (arm_a, arm_b), (darm_a, darm_b) = arms, darms
    (d, u, bias), (dd, du, dbias) = now, change
    span = math.sqrt(dot(d, d))
    if not span > 0.0:
        return
    n = scale(1.0 / span, d)
    longer = dot(n, dd)
    dn = scale(1.0 / span, add_scaled(dd, -longer, n))
    rate = dot(n, u)
    faster = dot(dn, u) + dot(n, du)
    across = (dot(u, u) - rate * rate) / span
    across_change = (2.0 * dot(u, du) - 2.0 * rate * faster - across * longer) / span
    row.bias += share * (dot(dn, bias) + dot(n, dbias) + across_change)
    f, df = scale(share, n), scale(share, dn)
    add_to_spatial(row.wrench[end], scale(-1.0, add(cross(darm_a, f), cross(arm_a, df))), scale(-1.0, df))
    add_to_spatial(row.wrench[end + 1], add(cross(darm_b, f), cross(arm_b, df)), df)
