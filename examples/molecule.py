# SPDX-License-Identifier: GPL-3.0-or-later
"""The molecule: a random coil of rigid groups that turn about the bonds between them, pulled out by its end.

After the third example of Redon and Lin (2006). Theirs has 50,000 joints, as ours in the benchmark; here it is as many
as Blender shows without waiting.
"""

from __future__ import annotations

import bpy
from mathutils import Vector

from .camera import add_camera
from .posed import add, drag
from .workbench import make_table, set_frames

FRAMES = 6
LINKS, SCALE = 5000, 0.1
DIGITS = 3.0  # of each step of Pose


def build(frames: int = FRAMES, links: int = LINKS) -> None:
    """Fill the empty file with the scene, posed and keyed."""
    set_frames(frames)
    bpy.context.scene.ves.pose_digits = DIGITS
    make_table(seed=2)
    groups = add("MOLECULE", links, (0.0, 0.0, 0.03), SCALE)
    end = groups[-1]
    start = end.matrix_world.translation.copy()
    middle = sum((ob.matrix_world.translation for ob in groups), Vector()) / len(groups)
    goal = middle + Vector((0.50, -0.12, 0.16))
    drag(end, lambda share: start.lerp(goal, share), frames)
    add_camera(middle + Vector((0.45, -1.60, 0.40)), middle + Vector((0.12, 0.0, -0.01)), 46.0, f_stop=8.0)
