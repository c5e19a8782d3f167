# SPDX-License-Identifier: GPL-3.0-or-later
"""Forces that act one way only: whether they do, as of the mode that the integration is in."""

from ...kernel import kernel
from ...model.arrays import ASK_GAP


@kernel
def is_closed(force, scratch, number, depth):
    """True if a force acts that is in by `depth` (m): by its mode, where it switches."""
    return scratch.closed[number] == 1 if force.switches and scratch.closed[number] != ASK_GAP else depth > 0.0
