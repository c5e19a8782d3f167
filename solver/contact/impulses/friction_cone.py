# SPDX-License-Identifier: GPL-3.0-or-later
"""Coulomb's law for one contact: its tangents' impulse is in the disc of radius friction times that of its normal.

The disc is the cone's cut at the normal's latest impulse. A tangent that need not reach its rim stops the sliding; one
that would go beyond lies on it, opposite to what is left of the sliding (Jourdan, Alart and Jean 1998).
"""

import math

from ...kernel import inlined_kernel, kernel
from .rows import added_row, along_row


@kernel
def clip_to_friction_cone(p, row, largest):
    """Shortens the impulses of the two tangents of the contact at `row` to `largest` (N s)."""
    length = math.sqrt(p[row + 1] ** 2 + p[row + 2] ** 2)
    if length > largest:
        p[row + 1] *= largest / length
        p[row + 2] *= largest / length


@inlined_kernel
def solve_friction(memory, contact, largest, p, t):
    """A contact's two tangents stop sliding, or exert `largest` (N s) against it: (motion, change of a rate)."""
    rows, row = memory.rows, contact.row
    p1, p2 = p[row + 1], p[row + 2]
    if largest == 0.0 and p1 == 0.0 and p2 == 0.0:
        return t, 0.0
    v1, v2 = along_row(rows.wrench, row + 1, t), along_row(rows.wrench, row + 2, t)
    own = rows.own
    s1 = p1 - contact.sticking[0] * v1 - contact.sticking[1] * v2
    s2 = p2 - contact.sticking[1] * v1 - contact.sticking[2] * v2
    if not s1 * s1 + s2 * s2 <= largest * largest:  # slides: impulse and velocity become opposite to each other
        s1, s2 = p1 - contact.sliding * v1, p2 - contact.sliding * v2
        length = math.sqrt(s1 * s1 + s2 * s2)
        if length > largest:
            s1, s2 = s1 * largest / length, s2 * largest / length
    d1, d2 = s1 - p1, s2 - p2
    t = added_row(rows.response, row + 2, d2, added_row(rows.response, row + 1, d1, t))
    p[row + 1], p[row + 2] = s1, s2
    return t, max(abs(d1) * own[row + 1], abs(d2) * own[row + 2])
