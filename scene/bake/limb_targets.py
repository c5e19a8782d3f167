# SPDX-License-Identifier: GPL-3.0-or-later
"""The place of the target of a limb that IK leads, so that the limb's tip is where it should be.

It goes to the tip's own place, and then by what the tip is still off, from round to round, but never far: a target that
went on and on while its limb is stretched, as long as the limb's root is not in its place, would not come back.
"""

from dataclasses import dataclass, field

import numpy as np

FARTHEST = 0.05  # of a limb's length: so far from its place a target goes at most
BENT = 0.999  # of a limb's length: one that reaches less far is bent, so its tip is at its target


@dataclass
class LimbTarget:
    """The target of a limb of some length (m), and how far (3,) it is from the tip where the tip is there."""

    length: float
    offset: np.ndarray | None = None
    put_right: np.ndarray = field(default_factory=lambda: np.zeros(3))

    def is_bent(self, root: np.ndarray, tip: np.ndarray) -> bool:
        """True if a limb with its ends (3,) there does not stretch out after its target."""
        return float(np.linalg.norm(tip - root)) < BENT * self.length

    def shift(self, off: np.ndarray, is_first: bool) -> np.ndarray:
        """(3,) m: how far beside its place it goes; `off` is by how much the tip falls short now.

        is_first: a frame begins, and where the tip is says nothing yet.
        """
        put_right = np.zeros(3) if is_first else self.put_right + off
        farthest = FARTHEST * self.length
        self.put_right = put_right * min(1.0, farthest / max(float(np.linalg.norm(put_right)), 1e-12))
        return self.put_right
