# SPDX-License-Identifier: GPL-3.0-or-later
"""Locks of location and rotation of objects and bones, which a pose may have gone against: joints do not know them."""

from collections.abc import Mapping, Sequence

import bpy

from ..findings import Finding
from ..owner import Owner, Values

MOVED = 1e-4  # m, rad: less is not seen
MOST_NAMED = 5


def moved_locks(before: Mapping[bpy.types.Object, Values]) -> list[Finding]:
    """Findings about bodies whose locked channels are no longer as `before` they were posed."""
    findings = []
    for body, values in before.items():
        owner, names = Owner(body), []
        now = owner.transform
        for path, text, locks in _locks(owner):
            names += [
                f"{text} {axis}"
                for axis, is_locked, a, b in zip("XYZ", locks, values[path][-3:], now[path][-3:], strict=True)
                if is_locked and abs(a - b) > MOVED
            ]
        if names:
            text = f"was posed, though {', '.join(names)} of {owner.moved.name} is locked: pin it, or give its joint "
            findings.append(Finding(body, text + "fewer axes, if the lock is to hold"))
    more = len(findings) - MOST_NAMED
    if more > 0:
        findings[MOST_NAMED:] = [Finding(None, f"{more} more bodies were posed against their locks")]
    return findings


def _locks(owner: Owner) -> list[tuple[str, str, Sequence[bool]]]:
    """(property, word, three locks) of what places it."""
    words = {"location": ("location", owner.moved.lock_location)}
    return [(path, *words.get(path, ("rotation", owner.moved.lock_rotation))) for path in owner.placing]
