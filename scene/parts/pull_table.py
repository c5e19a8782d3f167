# SPDX-License-Identifier: GPL-3.0-or-later
"""The table of a spring: its force (N) at single lengths (m)."""

from collections.abc import Iterable

import bpy

FIRST = (0.5, 1.0, 1.5)  # times the rest length: rows of a new table, which is that of the linear spring


def rows_of(settings: bpy.types.PropertyGroup) -> list[tuple[float, float]]:
    """(length, force) of all rows, the shortest first."""
    return sorted((row.length, row.force) for row in settings.pull_table)


def set_rows(settings: bpy.types.PropertyGroup, rows: Iterable[tuple[float, float]]) -> None:
    """Make these the rows of the table."""
    settings.pull_table.clear()
    for length, force in rows:
        row = settings.pull_table.add()
        row.length, row.force = length, force


def add_row(settings: bpy.types.PropertyGroup) -> None:
    """Add a row behind the longest, straight on from there; an empty table becomes that of the linear spring."""
    rows = rows_of(settings)
    if len(rows) < 2:
        rest = settings.rest_length or 1.0
        linear = [(share * rest, settings.spring_stiffness * (share - 1.0) * rest) for share in FIRST]
        set_rows(settings, [*rows, *(new for new in linear if new[0] not in dict(rows))])
        return
    (before, weaker), (longest, strongest) = rows[-2:]
    row = settings.pull_table.add()
    row.length, row.force = 2.0 * longest - before, 2.0 * strongest - weaker
