# SPDX-License-Identifier: GPL-3.0-or-later
"""Mending a description before it is read: impossible inertias become the nearest that a body can have."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from .inertia import as_text, nearest_inertia
from .messages import Message
from .value_rules import Place, Problems, inertia, shown

MENDED = ("inertia-impossible", "inertia-not-positive")


def mend_inertias(data: Mapping[str, Any]) -> list[Message]:
    """Mends the inertias in a mechanism's JSON object; returns what was done, a line for each body."""
    bodies = data.get("bodies")
    notes = []
    for body in bodies if isinstance(bodies, list) else ():
        if isinstance(body, dict) and "inertia" in body:
            body["inertia"], note = mended_inertia(body["inertia"], body.get("name"))
            notes += note
    return notes


def mended_inertia(value: Any, name: Any) -> tuple[Any, list[Message]]:
    """An inertia as it is, or the nearest possible one, and a line that says so; what is no inertia stays."""
    found = Problems()
    result = inertia(value, Place(found, "inertia"))
    if not (len(found) == 1 and getattr(found[0], "code", "") in MENDED):
        return value, []
    given = np.array(result, float)
    nearest = nearest_inertia(np.diag(given) if given.ndim == 1 else given)
    if not nearest.any():
        return value, []
    taken = (np.diag(nearest) if given.ndim == 1 else nearest).tolist()
    part = ("body", name if isinstance(name, str) else shown(name))
    return taken, [Message("inertia-mended", part, given=as_text(given), taken=as_text(np.array(taken)))]
