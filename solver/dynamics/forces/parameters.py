# SPDX-License-Identifier: GPL-3.0-or-later
"""The numbers that tables drive: linear between the times of a table, constant outside."""

from ...kernel import kernel


@kernel
def update_parameters(model, time, scratch):
    """Writes the values that tables have at this time (s)."""
    points = model.points
    for number in range(len(model.tables)):
        table = model.tables[number]
        first, last = table.start, table.end - 1
        if time <= points[first, 0]:
            value = points[first, 1]
        elif time >= points[last, 0]:
            value = points[last, 1]
        else:
            k = _piece(points, first, last, time)
            share = (time - points[k, 0]) / (points[k + 1, 0] - points[k, 0])
            value = points[k, 1] + share * (points[k + 1, 1] - points[k, 1])
        scratch.parameters[table.target] = value


@kernel
def table_slope(model, number, time):
    """The slope of a table's value just behind this time (1/s)."""
    table, points = model.tables[number], model.points
    first, last = table.start, table.end - 1
    if time < points[first, 0] or time >= points[last, 0]:
        return 0.0
    k = _piece(points, first, last, time)
    return (points[k + 1, 1] - points[k, 1]) / (points[k + 1, 0] - points[k, 0])


@kernel
def _piece(points, first, last, time):
    """The last knot that is not after this time."""
    low, high = first, last - 1
    while low < high:
        middle = (low + high + 1) // 2
        if points[middle, 0] <= time:
            low = middle
        else:
            high = middle - 1
    return low
