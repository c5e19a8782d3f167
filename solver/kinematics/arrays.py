# SPDX-License-Identifier: GPL-3.0-or-later
"""Arrays of one linkage that is led: the sparse pattern of its rows, its independent blocks, and room for steps.

The unknowns are the coordinates of the trees' joints that are not driven, the columns; the conditions are the rows of
closures (`dynamics.loops.closures`). An entry is where a row depends on an axis: the axes on the way from one body of
its closure to the other, where the ways to the root have parted. Rows and columns that no entry ties to each other are
blocks of their own, each solved by itself. So legs that hang on one driven crank take time in proportion to their
number.

Symbols: A axes, R rows of closures, E entries, K blocks, D drives, N driven bodies, the world included.
"""

from typing import NamedTuple

import numpy as np

from ..kernel import by_reference
from ..model.arrays import Model, RowKind
from ..model.linkage.compilation import Compiled

COUPLED = -1  # an `entry_end`: the coefficient is the entry's own


@by_reference
class Plan(NamedTuple):
    """Constant numbers of one linkage."""

    entry_start: np.ndarray  # (R + 1,) int64: entries of each row
    entry_axis: np.ndarray  # (E,) int64
    entry_body: np.ndarray  # (E,) int64: the outer body of that axis
    entry_end: np.ndarray  # (E,) int64: the end of the closure whose body it moves, or COUPLED
    entry_share: np.ndarray  # (E,): the coefficient of a coupling's entry
    column_of: np.ndarray  # (A,) int64: its number in its block, -1 for an axis that is driven or that no row asks
    block_columns: np.ndarray  # (K + 1,) int64: starts in `columns`
    columns: np.ndarray  # (C,) int64: axes, block by block
    block_rows: np.ndarray  # (K + 1,) int64: starts in `rows`
    rows: np.ndarray  # (R,) int64: rows, block by block; behind them those with no column
    unit: np.ndarray  # (A,): rad, or m for each part of the linkage's size
    row_unit: np.ndarray  # (R,): 1, or 1/m of the linkage's size
    lower: np.ndarray  # (A,) rad or m: limits of the coordinates, infinite where there are none
    upper: np.ndarray  # (A,)
    drives: np.ndarray  # (D,) int64: driven axes


@by_reference
class Work(NamedTuple):
    """The present drives, and room for steps."""

    pose: np.ndarray  # (N, 7): position (m) and orientation of each driven body, as led so far
    first_pose: np.ndarray  # (N, 7): where this lead begins
    last_pose: np.ndarray  # (N, 7): and where it shall end
    spin: np.ndarray  # (N, 3) rad: rotation vector from one to the other, world axes
    value: np.ndarray  # (D,) rad or m: drives, as led so far
    first_value: np.ndarray  # (D,)
    last_value: np.ndarray  # (D,)
    matrix: np.ndarray  # (rows, columns) of the largest block: its Jacobian, then the factors
    order: np.ndarray  # (rows,) int64: by pivot
    rest: np.ndarray  # (rows,): squares of what is left of a row
    reflector: np.ndarray  # (rows,)
    asked: np.ndarray  # (rows,)
    found: np.ndarray  # (columns,) changes of the block's coordinates in their units
    tangent: np.ndarray  # (A,): rates of the coordinates along the lead, per part of it
    change: np.ndarray  # (A,)
    kept: np.ndarray  # (A,): coordinates before a step
    kept_anchor: np.ndarray  # (C, 4)
    rank: np.ndarray  # (K,) int64: largest rank that a block had
    pivot: np.ndarray  # (K,): of its last row that counts, as a part of the first one's
    lead: np.ndarray  # (6 N + D,): turns, travels and drives of this lead
    lead_before: np.ndarray  # (6 N + D,): and of the one that `tangent` belongs to; zero without


def plan_of(
    compiled: Compiled, drives: list[int], limits: tuple[np.ndarray, np.ndarray], is_whole: bool = False
) -> Plan:
    """The pattern of a linkage without contact joints; drives: axes; limits (A,), (A,): of all coordinates.

    is_whole: one block of all axes, as where a hand pulls on all of them.
    """
    model = compiled.model
    axes, count = len(model.armature), model.closing
    entries = [_entries(model, row) for row in range(count)]
    starts = np.concatenate([[0], np.cumsum([len(each) for each in entries])]).astype(np.int64)
    table = np.array([entry for each in entries for entry in each], float).reshape(-1, 4)
    is_driven = np.zeros(axes, bool)
    is_driven[drives] = True
    blocks = [([*range(axes)], [*range(count)])] if is_whole else _blocks(entries, is_driven)
    column_of = np.full(axes, -1, np.int64)
    for columns, _ in blocks:
        column_of[columns] = np.arange(len(columns))
    idle = sorted(set(range(count)) - {row for _, rows in blocks for row in rows})
    return Plan(
        entry_start=starts,
        entry_axis=table[:, 0].astype(np.int64),
        entry_body=table[:, 1].astype(np.int64),
        entry_end=table[:, 2].astype(np.int64),
        entry_share=np.ascontiguousarray(table[:, 3]),
        column_of=column_of,
        block_columns=_starts([columns for columns, _ in blocks]),
        columns=np.array([axis for columns, _ in blocks for axis in columns], np.int64),
        block_rows=_starts([rows for _, rows in blocks]),
        rows=np.array([row for _, rows in blocks for row in rows] + idle, np.int64),
        unit=np.where(model.is_length, model.size, 1.0),
        row_unit=np.where(model.rows.is_length[:count], 1.0 / model.size, 1.0),
        lower=limits[0],
        upper=limits[1],
        drives=np.array(drives, np.int64),
    )


def new_work(model: Model, plan: Plan, anchors: int) -> Work:
    """Room for a linkage that stands where it was compiled."""
    bodies, drives = model.driven, len(plan.drives)
    rows = int(np.diff(plan.block_rows).max(initial=0))
    columns = int(np.diff(plan.block_columns).max(initial=0))
    axes, blocks = len(model.armature), len(plan.block_rows) - 1
    return Work(
        pose=np.zeros((bodies, 7)),
        first_pose=np.zeros((bodies, 7)),
        last_pose=np.zeros((bodies, 7)),
        spin=np.zeros((bodies, 3)),
        value=np.zeros(drives),
        first_value=np.zeros(drives),
        last_value=np.zeros(drives),
        matrix=np.zeros((rows, columns)),
        order=np.zeros(rows, np.int64),
        rest=np.zeros(rows),
        reflector=np.zeros(rows),
        asked=np.zeros(rows),
        found=np.zeros(columns),
        tangent=np.zeros(axes),
        change=np.zeros(axes),
        kept=np.zeros(axes),
        kept_anchor=np.zeros((anchors, 4)),
        rank=np.zeros(blocks, np.int64),
        pivot=np.ones(blocks),
        lead=np.zeros(6 * bodies + drives),
        lead_before=np.zeros(6 * bodies + drives),
    )


def _starts(parts: list[list[int]]) -> np.ndarray:
    return np.concatenate([[0], np.cumsum([len(part) for part in parts])]).astype(np.int64)


def _entries(model: Model, row: int) -> list[tuple[int, int, int, float]]:
    """(axis, its outer body, end of the closure, share) of all axes that a row depends on."""
    closure = model.closures[model.rows[row].closure]
    if model.rows[row].kind == RowKind.COUPLING:
        b, a = (int(body) for body in closure.coupled)
        axes = model.bodies.axis_start
        return [(int(axes[b]), b, COUPLED, 1.0), (int(axes[a]), a, COUPLED, -float(closure.ratio))]
    ways = [way_to_root(model, int(body)) for body in closure.body[: closure.ends]]
    carries_all = {body for body in ways[0] if all(body in way for way in ways)}  # and so moves nothing
    return [
        (axis, body, k, 0.0)
        for k, way in enumerate(ways)
        for body in way
        if body not in carries_all
        for axis in axes_of(model, body)
    ]


def way_to_root(model: Model, body: int) -> dict[int, None]:
    """The dynamic bodies from one to its root."""
    way = {}
    while body >= model.driven:
        way[body] = None
        body = int(model.bodies[body].inner)
    return way


def axes_of(model: Model, body: int) -> range:
    """The axes of the joint to a body's inner one."""
    return range(int(model.bodies[body].axis_start), int(model.bodies[body].axis_end))


def _blocks(entries: list[list[tuple]], is_driven: np.ndarray) -> list[tuple[list[int], list[int]]]:
    """(axes, rows) of each block, in the order of their first axes."""
    leader = list(range(len(is_driven)))

    def find(axis: int) -> int:
        while leader[axis] != axis:
            leader[axis] = leader[leader[axis]]
            axis = leader[axis]
        return axis

    free = [sorted({axis for axis, *_ in each if not is_driven[axis]}) for each in entries]
    for axes in free:
        for axis in axes[1:]:
            a, b = find(axes[0]), find(axis)
            leader[max(a, b)] = min(a, b)
    blocks: dict[int, tuple[list[int], list[int]]] = {}
    for axis in sorted({axis for axes in free for axis in axes}):
        blocks.setdefault(find(axis), ([], []))[0].append(axis)
    for row, axes in enumerate(free):
        if axes:
            blocks[find(axes[0])][1].append(row)
    return list(blocks.values())
