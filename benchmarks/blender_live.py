# SPDX-License-Identifier: GPL-3.0-or-later
"""Live linkages that are timed inside Blender: `python -m benchmarks.blender_live COUNT` prints one line of JSON.

Each is one of Jansen's legs, eleven bars on a crank of its own that turns once in 48 frames.
"""

import json
import sys
import time

import bpy
import numpy as np

from tests.solver.kinematics.planar import JANSEN_BARS
from tests.truths.planar_linkages import jansen

from .blender_scenes import load_extension

FRAMES, SIZE, APART = 48, 0.01, 0.5  # size: m to one of Jansen's units; apart: m


def build(count: int) -> None:
    """An empty file with so many legs side by side, driven but not live."""
    from virtual_erector_set.scene.links.build import add_linkage
    from virtual_erector_set.scene.links.plan import Plan

    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, FRAMES
    for k in range(count):
        points = jansen(0.3 + 2.0 * np.pi * k / 7.0)
        number = {name: i for i, name in enumerate(points)}
        places = np.array([(SIZE * x, APART * k, SIZE * y) for x, y in points.values()])
        links = [tuple(number[point] for point in of) for of in JANSEN_BARS.values()]
        crank = number["O"], [*JANSEN_BARS].index("m")
        plan = Plan(places, links, (0.0, -1.0, 0.0), {number["O"], number["B"]}, drives={crank})
        _, joints = add_linkage(plan, scene, f"Leg {k}")
        (drive,) = (joint for joint in joints if joint.ves.is_drive)
        for frame, angle in ((1, 0.0), (FRAMES + 1, 2.0 * np.pi)):
            drive.ves.drive_angle = angle
            drive.keyframe_insert("ves.drive_angle", frame=frame)
    scene.frame_set(1)


def played() -> dict[str, float]:
    """Seconds of a frame: the quickest, which other work has disturbed least, and the median; that of all threads."""
    taken, processor = [], []
    for frame in range(1, FRAMES + 1):
        begun, busy = time.perf_counter(), time.process_time()
        bpy.context.scene.frame_set(frame)
        taken.append(time.perf_counter() - begun)
        processor.append(time.process_time() - busy)
    return {"quickest": min(taken), "median": float(np.median(taken)), "processor": float(np.median(processor))}


def times(count: int) -> dict:
    """Seconds of Make Live, and of a frame: led for the first time, shown again, without following, and with keyframes.

    Those of the same motion tell what Blender itself takes to move so many objects.
    """
    build(count)
    scene = bpy.context.scene
    begun = time.process_time()
    bpy.ops.ves.make_live()
    found: dict = {"make": time.process_time() - begun}
    scene.frame_set(FRAMES)
    found |= {"first": played(), "again": played()}
    scene.ves.live_follows = False
    found["still"] = played()
    scene.ves.live_follows = True
    bpy.ops.ves.live_to_keys()
    found["keys"] = played()
    return found


def main() -> None:
    extension = load_extension()
    from virtual_erector_set.solver.kinematics import warm_up

    extension.register()
    for _ in warm_up():
        pass
    answer = times(int(sys.argv[1]))
    extension.unregister()
    print("\n" + json.dumps({"version": bpy.app.version_string, **answer}))


if __name__ == "__main__":
    main()
