# SPDX-License-Identifier: GPL-3.0-or-later
"""The bicycle chain: posed from frame to frame by its last link, while its first one is pinned.

After the first example of Redon and Lin (2006), whose chain has thirty links too.
"""

from __future__ import annotations

import math

from .camera import add_camera
from .posed import add, drag, pin
from .workbench import make_table, set_frames

FRAMES = 48
LINKS, SCALE, HEIGHT = 30, 2.0, 0.34


def build(frames: int = FRAMES) -> None:
    """Fill the empty file with the scene, posed and keyed."""
    set_frames(frames)
    make_table(seed=3)
    links = add("BICYCLE_CHAIN", LINKS, (-0.38, 0.0, HEIGHT), SCALE)
    pin(links[0])
    start = links[-1].matrix_world.translation.copy()
    drag(links[-1], lambda share: _way(start, share), frames)
    add_camera((0.12, -0.98, 0.56), (0.0, 0.0, 0.40), 40.0, f_stop=4.0)


def _way(start, share: float) -> tuple[float, float, float]:
    """Over the top to near the other end of the chain."""
    angle = 0.93 * math.pi * share
    radius = 0.52 * (start.x + 0.38)
    middle = -0.38 + 0.48 * (start.x + 0.38)
    return middle + radius * math.cos(angle), 0.0, HEIGHT + 0.55 * radius * math.sin(angle)
