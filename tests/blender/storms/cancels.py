# SPDX-License-Identifier: GPL-3.0-or-later
"""Bakes that are cancelled at random moments: each leaves the scene, its keys, its actions and its bake as they were.

usage: python -m tests.blender.storms.cancels [--count 1000] [--seed 1]

Scenes with and without animation of their own, a bake, plots, parents and constraints; all phases come, since for each
scene the steps are counted first.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from collections.abc import Callable

from tests.blender.conftest import load_extension

load_extension()

import bpy  # noqa: E402
import numpy as np  # noqa: E402
from virtual_erector_set.scene.animation.kept import BLENDING  # noqa: E402
from virtual_erector_set.scene.bake.bake import bake  # noqa: E402
from virtual_erector_set.scene.quantities.recorded import KEY  # noqa: E402

from tests.blender.linkages import car_with_cans, chain, part  # noqa: E402
from tests.blender.making import select  # noqa: E402


def state_of_all() -> tuple:
    """All that a bake can change, in the order in which it is found."""
    scene = bpy.context.scene
    objects = []
    for ob in scene.objects:
        animation = ob.animation_data
        slot = animation.action_slot if animation else None
        placed = [tuple(getattr(ob, name)) for name in ("location", "rotation_euler", "rotation_quaternion")]
        blending = [getattr(animation, name) for name in BLENDING] if animation else None
        influences = [(constraint.influence, constraint.mute) for constraint in ob.constraints]
        marks = (ob.ves.is_baked, ob.ves.kept_action, ob.ves.kept_slot, str(ob.ves.get(KEY)))
        objects.append((ob.name, placed, np.array(ob.matrix_world).tobytes(), blending, slot and slot.identifier))
        objects.append((animation and animation.action, influences, marks, sorted(ob.keys()), ob.select_get()))
    actions = [(each.name, each.users, each.use_fake_user, str(each.get(KEY))) for each in bpy.data.actions]
    bags = [each.layers[0].strips[0].channelbags[0] for each in bpy.data.actions]
    values = [(curve.data_path, curve.evaluate(3.5)) for bag in bags for curve in bag.fcurves]
    shown = scene.frame_current, scene.frame_subframe, scene.ves.status, scene.ves.progress
    markers = [(marker.name, marker.frame) for marker in scene.timeline_markers]
    return objects, actions, values, shown, markers, str(scene.ves.get(KEY)), str(scene.ves.get("ves_bake"))


def make_scene(chance: random.Random) -> str:
    """A scene, perhaps baked already; in words."""
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    said = [chance.choice(["a car", "a chain"])]
    if said == ["a car"]:
        bodies = car_with_cans(chance.randint(1, 3), chance.randint(4, 10))[1]
    else:
        bodies = chain(chance.randint(1, 4), chance.randint(4, 10))
    for ob in bodies:
        what = chance.choice(["nothing", "animation", "constraint", "parent", "quaternion", "nla"])
        said.append(what)
        if what in ("animation", "nla"):
            ob.keyframe_insert("location", frame=chance.randint(1, 9))
        if what == "nla":
            ob.animation_data.nla_tracks.new().strips.new("own", 1, ob.animation_data.action)
            ob.animation_data.action_influence = 0.5
        elif what == "constraint":
            ob.constraints.new("LIMIT_SCALE").influence = 0.75
        elif what == "parent":
            ob.parent = part("parent", "NONE")
        elif what == "quaternion":
            ob.rotation_mode = "QUATERNION"
    if chance.random() < 0.6:
        said.append("baked")
        bpy.ops.ves.bake()
        select(bodies[0])
        bpy.ops.ves.plot(quantity="Speed")
    bpy.context.scene.gravity.x = chance.uniform(-3.0, 3.0)
    bpy.context.scene.frame_set(chance.randint(-2, 12), subframe=chance.choice([0.0, 0.5]))
    return ", ".join(said)


def storm(count: int, seed: int, tell: Callable[[str], None] = print) -> tuple[list[str], Counter]:
    """Cancel `count` times; returns what was not as before, in words, and how often each phase was cancelled."""
    chance, failed, phases, done = random.Random(seed), [], Counter(), 0
    while done < count:
        said = make_scene(chance)
        scene, layer, before = bpy.context.scene, bpy.context.view_layer, state_of_all()
        steps = _count_steps()
        if state_of_all() != before:
            failed.append(f"{said}: closed at the last step")
        for _ in range(min(10, count - done)):
            at, progress, generator = chance.randint(1, steps), None, bake(scene, layer)
            for _ in range(at):
                progress = next(generator, None)
            generator.close()
            if progress is None:
                break  # it came to its end: loading the solver took fewer steps than before
            done, text = done + 1, progress.text
            phases[text.rstrip("0123456789:% ").split(":")[0]] += 1
            if state_of_all() != before:
                failed.append(f"{said}: step {at} of {steps}, {text}")
                tell(failed[-1])
                break
    return failed, phases


def _count_steps() -> int:
    """Steps of a bake up to the last one before it is done, at which it is closed."""
    generator, steps = bake(bpy.context.scene, bpy.context.view_layer), 0
    looked = 0
    for progress in generator:
        steps += 1
        looked += progress.text == "Looking at the result"
        if looked == 3:
            break
    generator.close()
    return steps


def main() -> None:
    """As usage says."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    extension = load_extension()
    extension.register()
    failed, phases = storm(options.count, options.seed)
    sys.stdout.write(f"{options.count} cancels, {len(failed)} left something else than before; {dict(phases)}\n")
    extension.unregister()
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
