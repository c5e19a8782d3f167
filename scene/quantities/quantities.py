# SPDX-License-Identifier: GPL-3.0-or-later
"""Quantities of Inspect, of a body, joint, constraint, force or of all: names, units and numbers over the frames.

Angles are in degrees, as everywhere in Blender's panels; all else is in SI units, vectors along the world axes.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import bpy
import numpy as np

from ...solver.mechanism.joint_types import ALL_TYPES
from ..animation.slopes import slopes
from ..parts.linkages import ends_of
from ..properties.joint import ANGLE, COORDINATE_KINDS
from .needed import needed_of, needed_parts
from .recorded import Owner, Record, is_running, record_of

XYZ = ("X", "Y", "Z")
NEIGHBOURS = 4  # frames on both sides of a moment, more than derivatives need

INSIDE = ("Tension Inside", "N"), ("Shear Inside", "N"), ("Torsion Inside", "N m"), ("Bending Inside", "N m")
"""In the order of `solver.evaluation.middle.Middle`."""

ROUNDING = 1e-5
"""Forces, and moments over the size of the bodies, that are a smaller part of the largest one beside them are rounding.
A bake of Normal accuracy is right to about a tenth of that."""


@dataclass(frozen=True)
class Quantity:
    """One quantity; `values` (F, C) has a column for each of its `parts`, or one if these are none.

    `is_detail`: they are the components of what the quantity before it gives the size of. What is smaller than its
    `rounding` is nothing.
    """

    label: str
    unit: str
    values: np.ndarray
    parts: tuple[str, ...] = ()
    is_detail: bool = False
    rounding: float = 0.0

    @property
    def title(self) -> str:
        """`Speed (m/s)`."""
        return f"{self.label} ({self.unit})"


def quantities(owner: Owner, record: Record) -> list[Quantity]:
    """All that is known of it, at the frames of the record."""
    if isinstance(owner, bpy.types.Scene):
        return list(_energies(record, ""))
    if "velocity" in record or "blow" in record:
        return list(_of_body(record))
    if "joint_type" in record:
        return [*_of_coordinates(record.constant("joint_type"), record), *_of_wrench(record, "Reaction ")]
    if "tension" in record:
        pull = (("Tension", "N", "tension"), ("Length", "m", "length"), ("Length Rate", "m/s", "rate"))
        return [Quantity(label, unit, record[name]) for label, unit, name in pull]
    asked = _of_wrench(record, "Asked ", "asked_") if "asked_force" in record else ()
    return [*_of_wrench(record, ""), *asked]


def linkage_quantities(owner: bpy.types.Object, record: Record, of_scene: Record) -> list[Quantity]:
    """The energy of the linkage that a thing belongs to; nothing if that is the only one, or it belongs to none."""
    number = record.constant("linkage") if "linkage" in record else -1
    if number < 0 or of_scene["linkage_kinetic"].shape[1] < 2:
        return []
    kinetic, potential = (of_scene[f"linkage_{kind}"][:, number : number + 1] for kind in ("kinetic", "potential"))
    return list(_three_energies("Linkage ", kinetic, potential))


def quantities_of(owner: Owner, scene: bpy.types.Scene, around: int | None = None) -> tuple[Record | None, list]:
    """(record, quantities) of an object or the scene, those of its linkage too; with `around`, only near that frame.

    What Find Torques has found belongs to them, if it has the same frames, or there is nothing else. (None, nothing) if
    neither knows anything about it.
    """
    known, whole, needed = record_of(owner, scene), record_of(scene, scene), needed_of(owner)
    record = needed if known is None and not is_running(scene) else known
    if record is None:
        return None, []
    if around is not None:
        middle = around - record.first
        record = record.between(middle - NEIGHBOURS, middle + NEIGHBOURS + 2)
    found = [] if known is None else quantities(owner, record)
    if needed is not None and _is_beside(needed, record):
        found += [Quantity(*each) for each in needed_parts(needed.between(record.start, record.stop))]
    is_of_take = known is not None and whole is not None and whole.take == record.take
    if owner != scene and is_of_take:  # an object may be baked in another scene
        found += linkage_quantities(owner, record, whole.between(record.start, record.stop))
    return record, _with_rounding(found, _size_of(owner))


def _is_beside(needed: Record, record: Record) -> bool:
    """True if both have the same frames."""
    return (needed.first, needed.frames) == (record.first, record.frames)


def _size_of(owner: Owner) -> float:
    """The largest side (m) of the bodies at a thing's ends, or of the body itself; 1 if there is none."""
    if isinstance(owner, bpy.types.Scene):
        return 1.0
    bodies = [owner] if owner.ves.role == "BODY" else ends_of(owner)
    return max((max(body.dimensions) for body in bodies), default=0.0) or 1.0


def _with_rounding(found: list[Quantity], size: float) -> list[Quantity]:
    """The same with the rounding of forces and moments, which share one origin."""
    force, moment = (max((np.abs(q.values).max(initial=0.0) for q in found if q.unit == u), default=0.0)
                     for u in ("N", "N m"))  # fmt: skip
    rounding = ROUNDING * max(force, moment / size)
    of_unit = {"N": rounding, "N m": rounding * size}
    return [replace(q, rounding=of_unit[q.unit]) if q.unit in of_unit else q for q in found]


def at_frame(quantity: Quantity, record: Record, frame: float) -> np.ndarray | None:
    """(C,): the numbers at a frame, linear between whole ones; None outside the take."""
    place = frame - record.first
    if not 0.0 <= place <= record.frames - 1:
        return None
    row = min(int(place), record.frames - 1)
    share, row = place - row, row - record.start
    after = min(row + 1, len(quantity.values) - 1)
    return (1.0 - share) * quantity.values[row] + share * quantity.values[after]


def shown(numbers: np.ndarray, rounding: float = 0.0) -> list[str]:
    """A number with four digits, or several with three, as in `0.124`, `0`, `-12.3`; what is only rounding is 0."""
    digits = 4 if len(numbers) == 1 else 3
    rounding = max(1e-9, rounding, 1e-6 * np.abs(numbers).max(initial=0.0))
    return ["0" if abs(number) < rounding else f"{number:.{digits}g}" for number in numbers]


def _of_body(record: Record) -> Iterator[Quantity]:
    if "velocity" in record:
        velocity, spin = record["velocity"], np.degrees(record["spin"])
        yield from _vector("Speed", "Velocity", "m/s", velocity)
        yield from _vector("Spin", "Spin XYZ", "°/s", spin)
        yield from _vector("Acceleration", "Acceleration XYZ", "m/s²", record.rate * slopes(velocity))
    if "blow" in record:
        yield from _vector("Contact Force", "Contact Force XYZ", "N", record["contact_force"])
        yield Quantity("Blow", "N s", record["blow"])
    if "inside" in record:
        for (label, unit), values in zip(INSIDE, record["inside"].T, strict=True):
            yield Quantity(label, unit, values[:, None])
    if "kinetic" in record:
        yield from _energies(record, "")


def _of_coordinates(joint_type: str, record: Record) -> Iterator[Quantity]:
    kinds, axes = COORDINATE_KINDS[joint_type], ALL_TYPES[joint_type.lower()].axes
    for kind in dict.fromkeys(kinds):
        columns = [i for i, each in enumerate(kinds) if each == kind]
        parts = tuple(XYZ[axes[i].axis] for i in columns) if len(columns) > 1 else ()
        is_angle = kind == ANGLE
        name, length, push, factor = ("Angle", "°", "N m", 180.0 / np.pi) if is_angle else ("Travel", "m", "N", 1.0)
        effort = "Torque" if is_angle else "Force"
        yield Quantity(name, length, factor * record["coordinates"][:, columns], parts)
        yield Quantity(f"{name} Speed", f"{length}/s", factor * record["speeds"][:, columns], parts)
        yield Quantity(f"Drive {effort}", push, record["effort"][:, columns], parts)
        yield Quantity(f"Axis {effort}", push, record["transmitted"][:, columns], parts)


def _of_wrench(record: Record, what: str, key: str = "") -> Iterator[Quantity]:
    yield from _vector(f"{what}Force", f"{what}Force XYZ", "N", record[f"{key}force"])
    yield from _vector(f"{what}Moment", f"{what}Moment XYZ", "N m", record[f"{key}moment"])


def _vector(size: str, label: str, unit: str, values: np.ndarray) -> Iterator[Quantity]:
    """Its size, which is what counts at first, then its components."""
    yield Quantity(size, unit, np.linalg.norm(values, axis=1, keepdims=True))
    yield Quantity(label, unit, values, XYZ, is_detail=True)


def _energies(record: Record, what: str) -> Iterator[Quantity]:
    return _three_energies(what, record["kinetic"], record["potential"])


def _three_energies(what: str, kinetic: np.ndarray, potential: np.ndarray) -> Iterator[Quantity]:
    yield Quantity(f"{what}Kinetic Energy", "J", kinetic)
    yield Quantity(f"{what}Potential Energy", "J", potential)
    yield Quantity(f"{what}Total Energy", "J", kinetic + potential)
