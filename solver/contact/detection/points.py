# SPDX-License-Identifier: GPL-3.0-or-later
"""Contact points: places where shapes touch or are about to, written by collision detection and read by impulses."""

import numpy as np

POINT = np.dtype(
    [
        ("body", "i4", 2),  # numbers of the kernels; 0 is the world
        ("part", "i4", 2),  # which of the parts; -1 for the ground
        ("feature", "i8"),  # of the same part the same point has the same feature from step to step; -1 unknown
        ("position", "f8", 3),  # m: midway between the two surfaces
        ("normal", "f8", 3),  # unit, from the first body to the second
        ("gap", "f8"),  # m: between the surfaces; below zero they overlap
    ],
    align=True,
)
