# SPDX-License-Identifier: GPL-3.0-or-later
"""The millipede: 13,000 links with a thousand legs, coiled up on a meadow, lifts a foot.

After the second example of Redon and Lin (2006), with as many links, legs and segments.
"""

from __future__ import annotations

import bpy
from mathutils import Vector

from .camera import add_camera
from .landscape import make_meadow
from .posed import add
from .workbench import set_frames

FRAMES = 1
LINKS = 13000
FOOT = "Leg 3L 10"


def build(frames: int = FRAMES, links: int = LINKS) -> None:
    """Fill the empty file with the scene, posed; keys for so many bodies would take a minute or more."""
    set_frames(frames)
    add("MILLIPEDE", links, (0.0, 0.0, 0.0))
    head, foot = (bpy.data.objects[name] for name in ("Segment 1", FOOT))
    start, place = head.matrix_world.translation.copy(), foot.matrix_world.translation.copy()
    bpy.ops.ves.pose(body=FOOT, target=place + Vector((0.02, 0.03, 0.2)))
    make_meadow(seed=1)
    add_camera(place + Vector((0.75, -1.15, 0.75)), 0.5 * (start + place) + Vector((0.0, 0.25, 0.0)), 38.0, f_stop=8.0)
