# SPDX-License-Identifier: GPL-3.0-or-later
"""Who hit whom, when, where and how hard in the last bake, and that as a table.

The list lies among the values of the scene (`recorded`), with pointers to the objects, so that renaming keeps them.
"""

import csv
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import bpy
import numpy as np

from ...solver.whole_file import whole_file
from .recorded import IMPACTS, Record, record_of

GROUND = "Ground"
_HEADER = ("Frame", "Time (s)", "Body", "Other", "X (m)", "Y (m)", "Z (m)")
_HEADER += ("Impulse X (N s)", "Impulse Y (N s)", "Impulse Z (N s)", "Impulse (N s)", "Speed (m/s)")


@dataclass(frozen=True)
class Impact:
    """A hit; the impulse (3,) N s is what `body` gets, `other` gets the opposite. Objects that are gone are None."""

    frame: float
    time: float  # s
    body: bpy.types.Object | None
    other: bpy.types.Object | str | None  # GROUND if it is that
    point: np.ndarray  # (3,) m
    impulse: np.ndarray
    speed: float  # m/s: of approach

    @property
    def size(self) -> float:
        """N s"""
        return float(np.linalg.norm(self.impulse))


def impacts(scene: bpy.types.Scene) -> list[Impact]:
    """All impacts of the take that the scene shows, in their order."""
    record = record_of(scene, scene)
    return [] if record is None or "impact_time" not in record else _chosen(record, None)


def _chosen(record: Record, rows: np.ndarray | None) -> list[Impact]:
    """The impacts of some rows, of all if these are None."""
    flat = {name: _rows(record, name) for name in IMPACTS}
    if rows is not None:
        flat = {name: values[rows] for name, values in flat.items()}
    time, bodies, point, impulse, speed = flat.values()
    objects = record.constant("impact_objects")

    def of(number: int) -> bpy.types.Object | str | None:
        return GROUND if number < 0 else objects.get(str(number))

    return [
        Impact(record.first + t * record.rate, t, of(pair[1]), of(pair[0]), x, p, v)
        for t, pair, x, p, v in zip(time[:, 0].tolist(), bodies, point, impulse, speed[:, 0].tolist(), strict=True)
    ]


def _rows(record: Record, name: str) -> np.ndarray:
    return np.asarray(record.constant(f"impact_{name}")).reshape(-1, IMPACTS[name])


def hits_of(body: bpy.types.Object, scene: bpy.types.Scene) -> Iterator[tuple[Impact, bpy.types.Object | str | None]]:
    """(impact, who it was with) of a body."""
    return _of_body(body, impacts(scene))


def hardest_hits(
    body: bpy.types.Object, scene: bpy.types.Scene, most: int
) -> tuple[list[tuple[Impact, bpy.types.Object | str | None]], int]:
    """The hardest hits of a body, at most so many, by their time, with whom it was with; and how many there are in all.

    Quick enough for a panel's drawing: of others nothing is made.
    """
    record = record_of(scene, scene)
    if record is None or "impact_time" not in record:
        return [], 0
    numbers = [int(number) for number, ob in record.constant("impact_objects").items() if ob == body]
    rows = np.flatnonzero(np.isin(_rows(record, "bodies"), numbers).any(axis=1))
    sizes = np.linalg.norm(_rows(record, "impulse")[rows], axis=1)
    hardest = np.sort(rows[np.argsort(-sizes, kind="stable")[:most]])
    return list(_of_body(body, _chosen(record, hardest))), len(rows)


def _of_body(body: bpy.types.Object, found: Iterable[Impact]) -> Iterator[tuple[Impact, bpy.types.Object | str | None]]:
    for impact in found:
        if impact.body == body:
            yield impact, impact.other
        elif impact.other == body:
            yield impact, impact.body


def write_impacts(path: Path, scene: bpy.types.Scene) -> int:
    """Write all impacts as a CSV file, a line for each, whole or not at all; returns how many. Raises OSError."""
    found = impacts(scene)
    with whole_file(path, "w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(_HEADER)
        for impact in found:
            names = name_of(impact.body), name_of(impact.other)
            numbers = *impact.point.tolist(), *impact.impulse.tolist(), impact.size, impact.speed
            writer.writerow([impact.frame, impact.time, *names, *numbers])
    return len(found)


def name_of(thing: bpy.types.Object | str | None) -> str:
    """As it is called now."""
    return thing.name if isinstance(thing, bpy.types.Object) else thing or "(removed)"
