# SPDX-License-Identifier: GPL-3.0-or-later
"""All quantities of Inspect over time as a CSV file: a line per frame, names and units in the first."""

import csv
from collections.abc import Sequence
from pathlib import Path

import bpy
import numpy as np

from ...solver.whole_file import whole_file
from ..findings import refuse
from .quantities import quantities_of
from .recorded import Owner


def write_table(path: Path, scene: bpy.types.Scene, chosen: Sequence[Owner]) -> tuple[int, int]:
    """Write the quantities of these objects (or of the scene); returns the numbers of lines and of columns.

    The file is written as a whole or not at all. Raises SceneError if nothing is known or the takes differ, OSError.
    """
    header, columns, span = ["Frame", "Time (s)"], [], None
    for owner in chosen:
        record, found = quantities_of(owner, scene)
        if record is None:
            continue
        if span is not None and span != (record.first, record.frames, record.rate):
            refuse(None, f"{owner.name} shows another take than the others: bake again, or export it alone")
        span = record.first, record.frames, record.rate
        for quantity in found:
            parts = [f" {part}" for part in quantity.parts] or [""]
            header += [f"{owner.name}: {quantity.label}{part} ({quantity.unit})" for part in parts]
            columns.append(quantity.values)
    if span is None:
        refuse(None, "nothing that is selected has values from a bake: select bodies or joints, and bake")
    first, frames, rate = span
    counted = np.arange(frames)
    rows = np.column_stack([first + counted, counted / rate, *columns])
    _write(path, header, rows)
    return len(rows), len(header)


def _write(path: Path, header: list[str], rows: np.ndarray) -> None:
    with whole_file(path, "w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(header)
        writer.writerows([int(frame), *numbers] for frame, *numbers in rows.tolist())
