# SPDX-License-Identifier: GPL-3.0-or-later
"""Mending a description before it is read: impossible inertias become the nearest that a body can have."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from .inertia import as_text, nearest_inertia
from .messages import Message
from .value_rules import LARGEST, SMALLEST, Place, Problems, inertia, shown

MENDED = ("inertia-impossible", "inertia-not-positive")
_DUST = 1e-16  # m²: of mass by which moments are rounding: a body within 10 nm
_DENSE = 1000.0  # kg/m³: of water


def mend_inertias(data: Mapping[str, Any]) -> list[Message]:
    """Mends the inertias in a mechanism's JSON object; returns what was done, a line for each body."""
    bodies = data.get("bodies")
    notes = []
    for body in bodies if isinstance(bodies, list) else ():
        if isinstance(body, dict) and "inertia" in body:
            body["inertia"], note = mended_inertia(body["inertia"], body.get("name"), body.get("mass"))
            notes += note
    return notes


def mended_inertia(value: Any, name: Any, mass: Any = None) -> tuple[Any, list[Message]]:
    """An inertia as it is, or the nearest possible one, and a line that says so; what is no inertia stays.

    None at all, or rounding, becomes that of a ball of the mass (kg), as dense as water, if that is a number.
    """
    part = ("body", name if isinstance(name, str) else shown(name))
    if _is_none(value, mass):
        taken = 3 * [0.4 * mass * (0.75 * mass / (np.pi * _DENSE)) ** (2.0 / 3.0)]
        return taken, [Message("inertia-ball", part, given=as_text(np.array(value)), taken=as_text(np.array(taken)))]
    found = Problems()
    result = inertia(value, Place(found, "inertia"))
    if not (len(found) == 1 and getattr(found[0], "code", "") in MENDED):
        return value, []
    given = np.array(result, float)
    nearest = nearest_inertia(np.diag(given) if given.ndim == 1 else given)
    if not nearest.any():
        return value, []
    taken = (np.diag(nearest) if given.ndim == 1 else nearest).tolist()
    return taken, [Message("inertia-mended", part, given=as_text(given), taken=as_text(np.array(taken)))]


def _is_none(value: Any, mass: Any) -> bool:
    """True of numbers that are all 0, or rounding beside what a body of this mass has."""
    numbers = [*value] if isinstance(value, list | tuple) else []
    if len(numbers) == 3 and all(isinstance(row, list | tuple) and len(row) == 3 for row in numbers):
        numbers = [number for row in numbers for number in row]
    elif len(numbers) != 3:
        return False
    if not all(isinstance(number, int | float) for number in (*numbers, mass)):
        return False
    return SMALLEST < mass < LARGEST and max(map(abs, numbers)) < _DUST * mass
