# SPDX-License-Identifier: GPL-3.0-or-later
"""Solved poses by the names of their bodies, as keyframes need them."""

import numpy as np


class Solved:
    """Solved poses of the bodies over the frames: position (F, B, 3) and orientation (F, B, 4), by body name."""

    def __init__(self, names: list[str], position: np.ndarray, orientation: np.ndarray) -> None:
        self.position, self.orientation = np.asarray(position), np.asarray(orientation)
        self.index = {name: i for i, name in enumerate(names)}

    def of(self, name: str) -> tuple[np.ndarray, np.ndarray]:
        """Position (F, 3) and orientation (F, 4) of one body."""
        i = self.index[name]
        return self.position[:, i], self.orientation[:, i]
