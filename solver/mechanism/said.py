# SPDX-License-Identifier: GPL-3.0-or-later
"""Sentences on a mechanism as data: a code, the parts that it is about, and values; worded here for files.

Who words them otherwise, as Blender's panels do, takes the code and the values, and never the text.
"""

from __future__ import annotations

from typing import Any

Part = tuple[str, str]  # kind and name: ("joint", "Hinge")
TEXTS = {
    "open-at-start": "{about}: its sides are {gap} at {when}; use assemble to close it",
    "open-later": "{about}: its sides are {gap} at {when}; enable it when they are together",
    "ride-by-variational": "{about}: integrator variational cannot follow where surfaces touch; "
    "use adams, runge-kutta, impulse or auto",
    "contact-by-variational": "contact: integrator variational lets bodies with shapes pass through each other; "
    "use impulse or auto, or set enabled of contact to false",
    "jumps-by-variational": "{about}: integrator variational cannot do {what}, which jumps; {remedy}, or use auto",
    "balance-needs-impulse": "{about}: integrator {integrator} cannot keep balance, which is decided step by step; "
    "use impulse or auto",
    "redundant": "redundant: {about}{more}: {count} of their conditions already follow from the others; the motion is "
    "determined, single forces in that loop are not and are given with the least norm",
    "not-met": "{about}: could not be met from frame {frame} on; largest gap {gap}",
    "coarser": "from frame {frame} on the motion is computed to relative {tolerance}: near a singular pose of its "
    "loops rounding does not allow the accuracy that was asked for",
}


class Said(str):
    """A sentence by its code: the text for files, with `code`, `parts` and `values`."""

    code: str
    parts: tuple[Part, ...]
    values: dict[str, Any]

    def __new__(cls, code: str, *parts: Part, **values: Any) -> Said:
        """The sentence of a code in TEXTS about these parts."""
        made = super().__new__(cls, TEXTS[code].format(about=named(parts), **values))
        made.code, made.parts, made.values = code, parts, values
        return made


def named(parts: tuple[Part, ...]) -> str:
    """`joint 'A', constraint 'B'`."""
    return ", ".join(f"{kind} '{name}'" for kind, name in parts)
