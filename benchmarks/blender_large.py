# SPDX-License-Identifier: GPL-3.0-or-later
"""Large scenes that are timed inside Blender: `python -m benchmarks.blender_large TASK ...` prints one line of JSON.

Boxes fall for 100 frames, each by itself (`loose`), or ten by ten as chains on ball joints that hang from the world
(`linked`). Each has a mesh of its own. Nothing collides.
"""

import ctypes
import gc
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace

import bpy
import numpy as np

from .blender_scenes import print_answer

FRAMES, LINKS, SIDE = 100, 10, 0.4  # m
PAGE, KEY = 4096, 72  # bytes: of a page, of a key (`BezTriple`)


def build(bodies: int, is_linked: bool, frames: int = FRAMES) -> list[bpy.types.Object]:
    """An empty file with so many bodies, and their joints."""
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, frames
    bpy.ops.mesh.primitive_cube_add(size=SIDE)
    first = bpy.context.object
    boxes = [first]
    for _ in range(bodies - 1):
        boxes.append(first.copy())
        boxes[-1].data = first.data.copy()
        scene.collection.objects.link(boxes[-1])
    rng = np.random.default_rng(3)
    for i, box in enumerate(boxes):
        row, place = divmod(i, LINKS)
        box.location = (place, 2.0 * row, 0.0)
        box.ves.role = "BODY"
        box.ves.angular_velocity = (0.0, 0.0, 0.0) if is_linked else rng.uniform(-3.0, 3.0, 3).tolist()
    for i, box in enumerate(boxes if is_linked else []):
        joint = bpy.data.objects.new(f"joint {i}", None)
        scene.collection.objects.link(joint)
        joint.location = box.location
        joint.location.x -= 0.5
        joint.ves.role, joint.ves.joint_type = "JOINT", "SPHERICAL"
        joint.ves.body_b = box
        if i % LINKS:
            joint.ves.body_a = boxes[i - 1]
        else:
            joint.ves.to_world = True
    bpy.context.view_layer.update()
    return boxes


def timed(work: Callable[[], object]) -> float:
    """Seconds of processor time of a call."""
    begun = time.process_time()
    work()
    return time.process_time() - begun


class Ticks:
    """A bake as it runs in a window: by ticks. Keeps how long each kind of work took, and the longest tick of each."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self.longest: dict[str, float] = {}
        self._left = 0.0

    def run(self, steps: Iterator):
        """Run to the end; returns the result."""
        from virtual_erector_set.operators.modal import BUDGET

        tick = 0.0
        while True:
            begun, of_all = time.thread_time(), time.process_time()
            try:
                progress, result = next(steps), None
            except StopIteration as end:
                progress, result = None, end.value
            tick += time.thread_time() - begun
            took = time.process_time() - of_all
            what = " ".join(progress.text.split()[:2]) if progress else "the end"
            self.seconds[what] = self.seconds.get(what, 0.0) + took
            self.longest[what] = max(self.longest.get(what, 0.0), tick)
            if progress is None:
                return result
            if tick >= BUDGET:
                tick = 0.0


def times(kind: str, bodies: int) -> dict:
    """Seconds of all that a person waits for, and of ticks (`longest`, by what they do)."""
    from virtual_erector_set.scene.bake.bake import bake, run_to_end
    from virtual_erector_set.scene.read.scene import read_over_time

    build(bodies, kind == "linked")
    scene, view_layer = bpy.context.scene, bpy.context.view_layer
    found: dict = {"read": timed(lambda: run_to_end(read_over_time(scene, view_layer)))}
    found["check"] = timed(bpy.ops.ves.check)
    ticks = Ticks()
    found["bake"] = timed(lambda: ticks.run(bake(scene, view_layer)))
    found["write"] = ticks.seconds["Writing keyframes:"]
    found |= {"seconds": ticks.seconds, "longest": ticks.longest}
    scene.frame_set(1)
    found["frame"] = timed(lambda: scene.frame_set(50))  # Blender's own
    tell_editors()
    found["clear"] = timed(bpy.ops.ves.clear_bake)
    return found


def tell_editors() -> None:
    """Empty the queue of what editors have yet to be told, by opening the file anew.

    A window does it after each tick. Without one a whole bake's is still there, and of each action that is removed,
    Blender looks through all of it: 2,000 take 11 s instead of 0.1 s.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "scene.blend")
        bpy.ops.wm.save_as_mainfile(filepath=path, check_existing=False)
        bpy.ops.wm.open_mainfile(filepath=path)


def undo(bodies: int) -> dict:
    """Seconds that Blender takes to keep a bake as a step of its undo, and to take it back."""
    build(bodies, True)
    bpy.ops.ed.undo_push(message="Before")
    bpy.ops.ves.bake()
    found = {"push": timed(lambda: bpy.ops.ed.undo_push(message="Bake"))}
    found["undo"] = timed(bpy.ops.ed.undo)
    assert not any(ob.ves.is_baked for ob in bpy.context.scene.objects)
    return found


def shapes(bodies: int) -> dict:
    """Seconds of a redraw with Show Shapes: one after another, and one after the frame was changed."""
    import gpu
    from virtual_erector_set.scene import overlay

    build(bodies, False)
    scene, space = bpy.context.scene, SimpleNamespace(as_pointer=lambda: 1, local_view=None)
    scene.ves.use_contact, scene.ves.show_shapes = True, "ALL"
    context = SimpleNamespace(
        scene=scene,
        space_data=space,
        view_layer=bpy.context.view_layer,
        visible_objects=list(scene.objects),
        evaluated_depsgraph_get=bpy.context.evaluated_depsgraph_get,
    )
    gpu.init()
    screen = gpu.types.GPUOffScreen(200, 150)
    with screen.bind():
        overlay.draw_shown_shapes(context)
        found = {"redraw": min(timed(lambda: overlay.draw_shown_shapes(context)) for _ in range(9))}
        moved = []
        for frame in range(2, 11):
            scene.frame_set(frame)
            moved.append(timed(lambda: overlay.draw_shown_shapes(context)))
        found["moved"] = min(moved)
    screen.free()
    return found


def held() -> int:
    """Bytes of this process in memory, without those that are free already and kept for the next one who asks."""
    gc.collect()
    ctypes.CDLL("libc.so.6").malloc_trim(0)
    return resident()


def resident() -> int:
    """Bytes of this process in memory."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * PAGE


class Watch(threading.Thread):
    """Looks all the time how much memory is taken."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.most, self._is_over = 0, threading.Event()

    def run(self) -> None:
        while not self._is_over.wait(0.02):
            self.most = max(self.most, resident())

    def end(self) -> int:
        self._is_over.set()
        self.join()
        return self.most


def memory(bodies: int, frames: int) -> dict:
    """Bytes of a bake: of its keys, at most while it is made, afterwards, and once it is cleared; and of as many keys
    that are nobody's bake, with the copy from which Blender shows a frame (`shown`)."""
    boxes = build(bodies, False, 5)
    bpy.ops.ves.bake()  # what is loaded once is loaded now
    bpy.ops.ves.clear_bake()
    bpy.context.scene.frame_end = frames
    before, watch = held(), Watch()
    watch.start()
    bpy.ops.ves.bake()
    most = watch.end()
    after = held()
    bags = [action.layers[0].strips[0].channelbags[0] for action in bpy.data.actions]
    keys = KEY * sum(len(curve.keyframe_points) for bag in bags for curve in bag.fcurves)
    values = sum(_bytes_of(ob.animation_data.action["ves_recorded"]) for ob in bpy.context.scene.objects)
    bpy.ops.ves.clear_bake()
    cleared = held()
    _key_by_hand(boxes, frames)
    return {
        "keys": keys,
        "values": values,
        "most": most - before,
        "after": after - before,
        "cleared": cleared - before,
        "shown": held() - cleared,
    }


def _key_by_hand(boxes: list[bpy.types.Object], frames: int) -> None:
    """Keys on location and rotation at each frame, as Blender's own functions make them; the next frame is shown."""
    for box in boxes:
        action = bpy.data.actions.new(box.name)
        slot = action.slots.new(id_type="OBJECT", name=box.name)
        bag = action.layers.new("Layer").strips.new(type="KEYFRAME").channelbag(slot, ensure=True)
        for path in ("location", "rotation_euler"):
            for index in range(3):
                points = bag.fcurves.new(path, index=index).keyframe_points
                points.add(frames)
                points.foreach_set("co", np.repeat(np.arange(1.0, frames + 1.0), 2))
        animation = box.animation_data_create()
        animation.action, animation.action_slot = action, slot
    bpy.context.scene.frame_set(2)


def _bytes_of(group) -> int:
    return sum(8 * len(value) for value in group["values"].values() if hasattr(value, "typecode"))


def main() -> None:
    task, *numbers = sys.argv[1:]
    run = {"undo": undo, "shapes": shapes, "memory": memory}.get(task, lambda count: times(task, count))
    print_answer(run, *map(int, numbers))


if __name__ == "__main__":
    main()
