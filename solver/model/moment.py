# SPDX-License-Identifier: GPL-3.0-or-later
"""A moment of a motion: all that it takes to go on from there, whatever holds the bodies from then on."""

from dataclasses import dataclass, field

import numpy as np

from ..mechanism.constraints import Constraint, Nail, Orientation
from .closures import Anchor, Source

TIME_CONSTANT = 0.1  # s: of what is apart, is to be drawn together, and does not say one


@dataclass(frozen=True)
class Moment:
    """Poses and velocities of the mechanism's bodies (B) and joints at a time; world axes, SI units."""

    time: float
    position: np.ndarray  # (B, 3) of the body frames' origins
    orientation: np.ndarray  # (B, 4)
    linear_velocity: np.ndarray  # (B, 3)
    angular_velocity: np.ndarray  # (B, 3)
    joint_coordinates: np.ndarray  # (D,)
    joint_offsets: np.ndarray  # (J + 1,)
    # where constraints hold that were enabled on the way; of couplings what they keep (m or rad)
    anchors: dict[str, Anchor | float] = field(default_factory=dict)
    known: dict[Source, int] = field(default_factory=dict)  # what has held so far, be it met or not; how it gives way
    drawn: dict[str, float] = field(default_factory=dict)  # what is drawn together, and with which time constant (s)
    back: dict[str, float] = field(default_factory=dict)  # bodies that come back to their keys, and when they are (s)

    def coordinates_of(self, joint: int) -> np.ndarray:
        """The coordinates of the joint with this place in the mechanism's list."""
        return self.joint_coordinates[self.joint_offsets[joint] : self.joint_offsets[joint + 1]]


def holds_where_it_is(constraint: Constraint) -> bool:
    """True if it takes the body as it finds it: a nail that is driven in on the way holds where the point is then."""
    return isinstance(constraint, (Nail, Orientation))
