# SPDX-License-Identifier: GPL-3.0-or-later
"""Damaged texts and numbers in a .blend: whatever one of ours holds, nothing fails over it.

usage: python -m tests.blender.storms.damages [--count 10000] [--seed 1]

A file with one of everything is opened, five of our properties get other values, and then all is done with it that a
person can do. Whatever ends in a traceback is printed, with what was damaged.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import random
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.blender.conftest import load_extension

load_extension()

import bpy  # noqa: E402
from virtual_erector_set.operators import play as play_operator  # noqa: E402
from virtual_erector_set.scene.bake.bake import bake  # noqa: E402
from virtual_erector_set.scene.bake.state import compare_now, state_of  # noqa: E402
from virtual_erector_set.scene.findings import SceneError  # noqa: E402
from virtual_erector_set.scene.play.play import Play  # noqa: E402
from virtual_erector_set.scene.pose.pose import Given, Pose  # noqa: E402
from virtual_erector_set.scene.quantities.quantities import quantities_of  # noqa: E402

from tests.blender.linkages import chain, part  # noqa: E402
from tests.blender.making import select  # noqa: E402
from tests.blender.playing import Driver, button, force  # noqa: E402
from tests.blender.test_panels import draw_all  # noqa: E402

AT_ONCE = 5  # damages in a file: to save it, to open it and to do all that can be done takes most of the time
PATIENCE = 2.0  # s that a bake or a play may take: some numbers ask for much
NUMBERS = (0, 1, -1, 0.5, 1e-30, 1e30, float("nan"), float("inf"), 99, -2147483648, 2147483647)
TEXTS = (
    "",
    "x",
    "{",
    "[]",
    "{}",
    "null",
    "5",
    '"text"',
    "[1, 2]",
    '{"enabled": 3}',
    '{"frames": 1}',
    "é\n\0",
    "x" * 5000,
)
JUNK = (*NUMBERS, *TEXTS, [1.0], [1.0, 2.0, 3.0], {"a": 1}, [], {})


def make_file(path: Path) -> None:
    """A chain that was played with, baked over animation of its own, plotted, marked, posed, and left in the midst."""
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    rods, scene = chain(3, 8), bpy.context.scene
    jet, nail = force("jet", "MOTOR", rods[2], force=(0, 0, 40)), part("nail", "NAIL", (1, 0, 0))
    nail.ves.body_a, nail.ves.enabled = rods[1], False
    for name, target, change in (("Engine", jet, "ENABLED"), ("More", jet, "VALUE"), ("Turn", jet, "STEER")):
        button(name, target, change)
    scene.ves.action_buttons[1].key = "force"
    button("Nail", nail)
    scene.ves.use_contact, scene.ves.ground_height = True, -1.0
    rods[0].keyframe_insert("location", frame=1)
    rods[1].constraints.new("LIMIT_SCALE")
    driver = Driver()
    driver.go_on(1)
    driver.play.press("Engine")
    assert driver.play.grab(rods[1], rods[1].matrix_world.translation)
    driver.play.drag((1.5, 0.2, 0.3))
    driver.go_on(3)
    driver.play.let_go()
    driver.go_on(2)
    driver.keep("MOTION")
    select(rods[0])
    bpy.ops.ves.plot(quantity="Speed")
    bpy.ops.ves.mark_impacts()
    bpy.ops.ves.check()
    loose = chain_beside()
    bpy.ops.ves.pose(body=loose.name, point=(0.4, 0, 0), target=(3.0, 5.0, 1.0))
    loose.ves.is_pinned = True
    scene.ves.before_play = "[3, 0.0]"
    note = {name: list(getattr(loose, name)) for name in ("location", "rotation_euler", "rotation_quaternion")}
    note |= {"rotation_axis_angle": list(loose.rotation_axis_angle), "rotation_mode": "XYZ", "constraints": ["a"]}
    loose.ves.before_play = json.dumps(note)
    bpy.ops.wm.save_as_mainfile(filepath=str(path), check_existing=False, copy=True)


def chain_beside() -> bpy.types.Object:
    """A second linkage, of one body."""
    before = set(bpy.data.objects)
    (rod,) = chain(1, 8)
    for ob in set(bpy.data.objects) - before:
        ob.location.y += 5.0
    bpy.context.view_layer.update()
    return rod


def homes() -> Iterator[tuple[str, bpy.types.PropertyGroup]]:
    """All groups of properties that are ours, with a name."""
    for owner in (*bpy.data.scenes, *bpy.data.objects):
        yield f"{owner.name}.ves", owner.ves
        for prop in owner.ves.bl_rna.properties:
            if prop.type == "COLLECTION":
                rows = getattr(owner.ves, prop.identifier)
                yield from ((f"{owner.name}.ves.{prop.identifier}[{i}]", row) for i, row in enumerate(rows))


def damage_setting(chance: random.Random) -> str:
    """Another value that Blender takes for a setting."""
    name, group = chance.choice(list(homes()))
    props = [p for p in group.bl_rna.properties if p.type in {"STRING", "INT", "FLOAT", "ENUM", "BOOLEAN"}]
    prop = chance.choice([p for p in props if not p.is_readonly])
    if prop.type == "STRING":
        value = damaged_text(getattr(group, prop.identifier), chance)
    elif prop.type == "ENUM":
        value = chance.choice([item.identifier for item in prop.enum_items] or [""])
    else:
        cast = {"INT": lambda x: int(max(-2e9, min(2e9, x))) if x == x else 0, "FLOAT": float, "BOOLEAN": bool}
        one = [cast[prop.type](chance.choice(NUMBERS)) for _ in range(max(1, prop.array_length))]
        value = one if prop.is_array else one[0]
    with contextlib.suppress(TypeError, ValueError, AttributeError):
        setattr(group, prop.identifier, value)
    return f"{name}.{prop.identifier} = {value!r:.200}"


def damage_stored(chance: random.Random) -> str:
    """Something else under the name of a setting, as a newer version or a damaged file may have: a number for an
    unknown item of a list, a text for a number."""
    name, group = chance.choice(list(homes()))
    stored = group.bl_system_properties_get() if hasattr(group, "bl_system_properties_get") else group
    keys = [key for key in stored.keys() if not key.startswith("ves_")] if stored is not None else []  # noqa: SIM118
    if not keys:
        return damage_setting(chance)
    key, value = chance.choice(keys), chance.choice(JUNK)
    with contextlib.suppress(TypeError, ValueError, OverflowError, UnicodeError):
        stored[key] = value
    return f"stored {name}.{key} = {value!r:.200}"


def damage_own(chance: random.Random) -> str:
    """Another value somewhere below a custom property of ours: what a bake covers, its record, its state, a plot."""
    owners = [("ves of ", ob.ves, ob.name) for ob in (*bpy.data.scenes, *bpy.data.objects)]
    owners += [("", ob, ob.name) for ob in (*bpy.data.actions, *bpy.data.objects)]
    found = [(kind + name, owner, key) for kind, owner, name in owners for key in owner.keys() if _is_own(owner, key)]  # noqa: SIM118
    name, group, key = chance.choice(found)
    path = [key]
    while hasattr(group[key], "keys") and len(group[key].keys()) and chance.random() < 0.8:
        group = group[key]
        key = chance.choice(list(group.keys()))
        path.append(key)
    if chance.random() < 0.2:
        del group[key]
        return f"{name}: without {path}"
    before = group[key]
    value = damaged_text(before, chance) if isinstance(before, str) and chance.random() < 0.7 else chance.choice(JUNK)
    with contextlib.suppress(TypeError, ValueError, OverflowError, UnicodeError):
        group[key] = value
    return f"{name}: {path} = {value!r:.200}"


def _is_own(owner: bpy.types.bpy_struct, key: str) -> bool:
    stored = owner.bl_system_properties_get() if hasattr(owner, "bl_system_properties_get") else None
    is_setting = stored is None and key in owner.bl_rna.properties
    return not is_setting and key != "ves" and not key.startswith("cycles")


def damage_action(chance: random.Random) -> str:
    """An action without slots, layers or curves, or removed."""
    action = chance.choice(list(bpy.data.actions))
    way, name = chance.choice(["slots", "layers", "curves", "removed", "renamed slots"]), action.name
    if way == "slots":
        for slot in list(action.slots):
            action.slots.remove(slot)
    elif way == "renamed slots":
        for slot in action.slots:
            slot.name_display = "other"
    elif way == "layers":
        for layer in list(action.layers):
            action.layers.remove(layer)
    elif way == "curves":
        for bag in [bag for layer in action.layers for strip in layer.strips for bag in strip.channelbags]:
            for curve in chance.sample(list(bag.fcurves), len(bag.fcurves) // 2):
                bag.fcurves.remove(curve)
    else:
        bpy.data.actions.remove(action)
    return f"action {name}: {way}"


def damaged_text(text: str, chance: random.Random) -> str:
    """Another text, a part of it, one with another letter, or, of one in JSON, with another value somewhere."""
    way = chance.randrange(4)
    if way == 0 or not text:
        return chance.choice(TEXTS)
    if way == 1:
        return text[: chance.randrange(len(text))]
    if way == 2:
        place = chance.randrange(len(text))
        return text[:place] + chance.choice('x0-{[",}]') + text[place + 1 :]
    try:
        return json.dumps(_with_junk(json.loads(text), chance))
    except ValueError:
        return text + "x"


def _with_junk(value: object, chance: random.Random) -> object:
    if isinstance(value, dict) and value and chance.random() < 0.9:
        key = chance.choice(list(value))
        rest = {name: each for name, each in value.items() if name != key}
        return rest if chance.random() < 0.3 else rest | {key: _with_junk(value[key], chance)}
    if isinstance(value, list) and value and chance.random() < 0.8:
        place = chance.randrange(len(value))
        return [*value[:place], _with_junk(value[place], chance), *value[place + 1 :]]
    return chance.choice(JUNK)


DAMAGES = (damage_setting, damage_stored, damage_own, damage_own, damage_action)


def use_everything(folder: Path) -> None:
    """All that a person can do with the file; what is refused in words is right."""
    scene, layer = bpy.context.scene, bpy.context.view_layer
    play_operator.put_back_leftovers()
    for ob in (bpy.data.objects.get("rod 0"), bpy.data.objects.get("jet"), bpy.data.objects.get("joint 1")):
        if ob is not None:
            select(ob)
            draw_all()
            quantities_of(ob, scene)
    compare_now(scene)
    state_of(scene)
    said(bpy.ops.ves.check)
    scene.frame_set(4)
    run(bake(scene, layer))
    run(Play(scene, layer, 2).steps())
    body = bpy.data.objects.get("rod 0.001")
    if body is not None:
        run(Pose(scene, layer, Given(body, (0.4, 0.0, 0.0), (3.0, 5.0, 1.0))).steps())
    said(bpy.ops.ves.key_pose)
    said(bpy.ops.ves.mark_impacts)
    said(bpy.ops.ves.plot, quantity="Speed")
    said(bpy.ops.ves.export_table, filepath=str(folder / "t.csv"))
    said(bpy.ops.ves.export_mechanism, filepath=str(folder / "m.json"))
    said(bpy.ops.ves.move_recorded_action)
    said(bpy.ops.ves.copy_settings)
    said(bpy.ops.ves.clear_bake)
    said(bpy.ops.ves.snap_together)
    said(bpy.ops.ves.check)
    draw_all()


def said(call: Callable, **options: object) -> None:
    """Call an operator, which may say no."""
    try:
        call(**options)
    except RuntimeError as error:
        if "Traceback" in str(error):
            raise


def run(steps: Iterator) -> None:
    """Run for a while; it may refuse, in words."""
    ends = time.monotonic() + PATIENCE
    try:
        while time.monotonic() < ends:
            next(steps)
    except (StopIteration, SceneError):
        pass
    finally:
        steps.close()


def storm(count: int, seed: int, tell: Callable[[str], None] = print) -> list[str]:
    """Damage `count` times; returns what ended in a traceback, in words."""
    failed = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "everything.blend"
        make_file(path)
        for number in range(0, count, AT_ONCE):
            chance = random.Random(f"{seed} {number}")
            bpy.ops.wm.open_mainfile(filepath=str(path))
            damaged = "; ".join(chance.choice(DAMAGES)(chance) for _ in range(AT_ONCE))
            with contextlib.redirect_stderr(io.StringIO()) as heard, contextlib.redirect_stdout(io.StringIO()):
                try:
                    bpy.ops.wm.save_as_mainfile(filepath=str(Path(folder) / "damaged.blend"), check_existing=False)
                    bpy.ops.wm.open_mainfile(filepath=str(Path(folder) / "damaged.blend"))
                    use_everything(Path(folder))
                except Exception:  # noqa: BLE001 - whatever it is, it is what is looked for
                    heard.write(traceback.format_exc())
            if "Traceback" in heard.getvalue():
                failed.append(f"{seed} {number}: {damaged}\n{heard.getvalue()[-1500:]}")
                tell(failed[-1])
    return failed


def main() -> None:
    """As usage says."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=10000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    extension = load_extension()
    extension.register()
    failed = storm(options.count, options.seed, lambda text: print(text, file=sys.__stdout__, flush=True))
    print(f"{options.count} damages, {len(failed)} failed", file=sys.__stdout__, flush=True)
    extension.unregister()
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
