# SPDX-License-Identifier: GPL-3.0-or-later
"""Reports of Snap Together: what was done, and what could not be brought together, in words."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import bpy

from ...solver import OpenConnection
from ..findings import Finding
from ..parts.linkages import Linkage, ends_of
from ..properties.roles import CONSTRAINTS
from ..read.open_ties import NEAR, closeness
from ..read.reading import Reading

REMEDY = "it can't reach: move its bodies or its ends, make a part longer, or free what else holds them"


class StillOpen(NamedTuple):
    """A joint or constraint that could not be brought together: by how much, in words."""

    owner: bpy.types.Object
    kind: str  # "joint" or "constraint"
    gap: str
    is_beyond_limits: bool
    is_as_before: bool = False  # its linkage was not moved

    @property
    def text(self) -> str:
        """A sentence on it."""
        stays = "would stay" if self.is_as_before else "stays"
        how = "is beyond its limits" if self.is_beyond_limits else f"{stays} open"
        return f"{self.kind} '{self.owner.name}' {how}: {self.gap}; {REMEDY}"


@dataclass
class SnapResult:
    """Result: bodies moved, linkages brought together and found together already, frames if it is a flight.

    `left` linkages were left as they were, because bringing one place nearer would have torn another.
    """

    bodies: int = 0
    together: int = 0
    linkages: int = 0
    frames: tuple[int, int] | None = None
    warnings: list[Finding] = field(default_factory=list)
    open: list[StillOpen] = field(default_factory=list)
    left: int = 0

    @property
    def summary(self) -> str:
        """One line for the status bar and the panel."""
        if not self.linkages:
            return "Together already: nothing was moved"
        bodies = f"{self.bodies} {'body' if self.bodies == 1 else 'bodies'}"
        if self.frames:
            text = f"Keyed the flight of {bodies}, frames {self.frames[0]} to {self.frames[1]}"
        else:
            text = f"Moved {bodies}" if self.bodies else "Nothing was moved"
        if self.open:
            text += f"; {len(self.open)} {'place stays' if len(self.open) == 1 else 'places stay'} open (see Check)"
        elif not self.frames:
            text += ": all is together"
        if self.left:
            text += f". {_count(self.left)} left as before, since something else would have torn"
        if self.together:
            text += f". {_count(self.together)} together already, and untouched"
        return text


def _count(linkages: int) -> str:
    return "1 linkage was" if linkages == 1 else f"{linkages} linkages were"


def still_open(reading: Reading, open_ties: Sequence[OpenConnection]) -> list[StillOpen]:
    """Ties that the solver could not close, as far as it can be seen."""
    found, owners = [], {owner.name_full: owner for owner in reading.poses}
    for tie in open_ties:
        owner = owners[tie.name]
        limit = NEAR if tie.unit == "rad" else closeness(reading.poses[owner].position, *ends_of(owner))
        if tie.gap > limit:
            found.append(StillOpen(owner, tie.kind, in_words(tie.gap, tie.unit), tie.is_beyond_limits))
    return found


def would_tear(linkage: Linkage, open_ties: list[StillOpen]) -> bool:
    """True if something would come apart that has nothing to show it by: its Empty marks both of its sides.

    It would hold another place of its body from then on, and all would stretch a little with every attempt.
    """
    return any(found.owner in linkage.ties and not _can_stand_open(found.owner) for found in open_ties)


def _can_stand_open(owner: bpy.types.Object) -> bool:
    settings = owner.ves
    role = CONSTRAINTS.get(settings.role)
    return settings.anchor_b is not None if role is None else role.stands_open(settings)


def as_before(found: StillOpen, torn: list[Linkage]) -> StillOpen:
    """The same, or what would have stayed open of a linkage that was not moved."""
    return found._replace(is_as_before=any(found.owner in linkage.ties for linkage in torn))


def in_words(gap: float, unit: str) -> str:
    """A gap in metres, or one in radians as degrees, with two digits: `0.31 m`, `12°`."""
    value = math.degrees(gap) if unit == "rad" else gap
    number = f"{value:.0f}" if value >= 100.0 else f"{value:.2g}"
    return f"{number}°" if unit == "rad" else f"{number} m"
