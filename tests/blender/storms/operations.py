# SPDX-License-Identifier: GPL-3.0-or-later
"""Random operations of a person: our operators, edits, undo and redo, save and open; bakes that are left half done.

usage: python -m tests.blender.storms.operations [--seeds 1-10] [--count 300]

Each edit is an undo step, as in a window. Blender itself leaves objects with actions that are freed if a script edits
without one and something is undone then. And after an undo all view layers are evaluated: otherwise Blender crashes by
itself, without us too, when a frame is set after an object that the undo has brought back has got a new parent
(`unseen_layer`). Printed are tracebacks, and sessions that leave something behind.
"""

from __future__ import annotations

import argparse
import contextlib
import faulthandler
import io
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
from virtual_erector_set.scene.bake.bake import bake as bake_steps  # noqa: E402
from virtual_erector_set.scene.bake.state import compare_now, state_of  # noqa: E402
from virtual_erector_set.scene.findings import SceneError  # noqa: E402
from virtual_erector_set.scene.play.play import Play  # noqa: E402
from virtual_erector_set.scene.pose.pose import Given, Pose  # noqa: E402

from tests.blender.linkages import chain  # noqa: E402
from tests.blender.making import box, select  # noqa: E402
from tests.blender.storms.damages import said  # noqa: E402
from tests.blender.test_panels import draw_all  # noqa: E402

PATIENCE = 2.0  # s that a bake, a play or a pose may take
JOINTS = ("REVOLUTE", "PRISMATIC", "SCREW", "CYLINDRICAL", "UNIVERSAL", "SPHERICAL", "PLANAR", "FIXED")
FORCES = ("MOTOR", "DAMPING", "BRAKE", "SUPPORT", "TYRE", "SPRING", "RUBBER", "DRAG", "GRAVITY", "BALANCE")
NAMES = ("", "same", "same", "x" * 300, "a/b", "..", "é\u202e", "'", '"]', "\n", "world")
PLACES = (0.0, 1.0, -3.0, 1e10, float("nan"), float("inf"), 1e-20)
SCALES = ((-1, 1, 1), (1, 2, 3), (0, 1, 1), (0, 0, 0), (-1, -1, -1), (1e-8, 1, 1), (1, 1, 1), (1, 1, 1))
MOST = 40  # objects


class Skipped(Exception):
    """There is nothing that it could be done to."""


class Person:
    """What a person may do, by chance; each method that is in `DEEDS` is one deed."""

    def __init__(self, chance: random.Random, folder: Path) -> None:
        self.chance, self.folder = chance, folder

    def objects(self, role: str = "") -> list[bpy.types.Object]:
        return [ob for ob in bpy.context.scene.objects if not role or ob.ves.role == role]

    def own(self) -> list[bpy.types.Object]:
        """Those that Blender lets a person edit. Undo leaves what is linked as it is, with what a script gave it."""
        return [ob for ob in self.objects() if ob.is_editable]

    def one(self, found: list) -> object:
        if not found:
            raise Skipped
        return self.chance.choice(found)

    def pick(self, role: str = "", most: int = 3) -> None:
        """Select some."""
        found = [ob for ob in self.objects(role) if ob.name in bpy.context.view_layer.objects]
        select(*self.chance.sample(found, min(len(found), self.chance.randint(1, most))))

    # Ours.

    def add_rig(self) -> None:
        if len(self.objects()) > MOST:
            bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
        chain(self.chance.randint(1, 3), 8)

    def add_boxes(self) -> None:
        for _ in range(2):
            box("box", [self.chance.uniform(-3, 3) for _ in range(3)], [self.chance.choice((0.3, 1.0))] * 3)

    def add_part(self) -> None:
        self.pick()
        name = self.chance.choice(
            [
                "body",
                "nail",
                "orientation",
                "path",
                "bead",
                "point_to_point",
                "distance",
                "pulley",
                "rope",
                "gear",
                "rack",
            ]
        )
        said(getattr(bpy.ops.ves, f"add_{name}"))

    def add_joint(self) -> None:
        self.pick()
        kind = self.chance.choice(JOINTS)
        said(self.chance.choice([bpy.ops.ves.add_joint, bpy.ops.ves.chain]), type=kind)

    def add_force(self) -> None:
        self.pick()
        said(bpy.ops.ves.add_force, type=self.chance.choice(FORCES))

    def remove(self) -> None:
        self.pick("BODY")
        said(bpy.ops.ves.remove_body, remove_joints=self.chance.random() < 0.5)

    def setting(self) -> None:
        """Any of ours, with any value that Blender takes."""
        owner = self.one([*(ob.ves for ob in self.own()), bpy.context.scene.ves])
        known = [p for p in owner.bl_rna.properties if not p.is_readonly and p.identifier not in BOOKKEEPING]
        prop = self.one([p for p in known if p.type in {"ENUM", "BOOLEAN", "INT", "FLOAT", "POINTER"}])
        if prop.type == "ENUM":
            value = self.one([item.identifier for item in prop.enum_items])
        elif prop.type == "POINTER":
            value = self.chance.choice([*self.objects(), None])
        else:
            kind = {"BOOLEAN": bool, "INT": int, "FLOAT": float}[prop.type]
            numbers = [kind(self.chance.choice((0, 1, -1, 0.5, 100, 2.0))) for _ in range(max(1, prop.array_length))]
            value = numbers if prop.is_array else numbers[0]
        with contextlib.suppress(TypeError, ValueError, AttributeError):
            setattr(owner, prop.identifier, value)

    def key_setting(self) -> None:
        ob = self.one(self.own())
        with contextlib.suppress(TypeError, RuntimeError):
            ob.keyframe_insert(self.chance.choice(("ves.enabled", "ves.force", "location", "scale")), frame=3)

    def bake(self) -> None:
        self.prepare()
        self.run(bake_steps(bpy.context.scene, bpy.context.view_layer))

    def bake_by_button(self) -> None:
        self.prepare()
        if self.run(bake_steps(bpy.context.scene, bpy.context.view_layer)):
            said(bpy.ops.ves.bake)

    def leave_bake(self) -> None:
        """Half done."""
        self.prepare()
        self.run(bake_steps(bpy.context.scene, bpy.context.view_layer), self.chance.randint(1, 30))

    def play(self) -> None:
        self.prepare()
        play = Play(bpy.context.scene, bpy.context.view_layer, self.chance.choice((None, 3)))
        self.run(play.steps(), self.chance.choice((15, 1000)))

    def pose(self) -> None:
        self.prepare()
        given = Given(self.one(self.objects("BODY")), (0, 0, 0), [self.chance.uniform(-2, 2) for _ in range(3)])
        self.run(Pose(bpy.context.scene, bpy.context.view_layer, given).steps())

    def snap(self) -> None:
        self.prepare()
        said(bpy.ops.ves.snap_together, mode=self.chance.choice(("INSTANT", "ANIMATED")), frames=4)

    def look(self) -> None:
        """Check, panels, the state of the bake."""
        said(bpy.ops.ves.check)
        self.pick(most=2)
        draw_all()
        compare_now(bpy.context.scene)
        state_of(bpy.context.scene)

    def clear(self) -> None:
        said(bpy.ops.ves.clear_bake, selected_only=self.chance.random() < 0.3)

    def other_tools(self) -> None:
        self.pick()
        calls = [
            *(
                "key_pose",
                "pin_bodies",
                "copy_settings",
                "dont_collide",
                "collide_again",
                "mark_impacts",
                "remove_marks",
            ),
            *("remove_plots", "set_feet", "add_action_button", "remove_action_button", "remove_recorded_action"),
        ]
        said(getattr(bpy.ops.ves, self.chance.choice(calls)))

    def export(self) -> None:
        said(bpy.ops.ves.export_mechanism, filepath=str(self.folder / "mechanism.json"))
        said(bpy.ops.ves.import_mechanism, filepath=str(self.folder / "mechanism.json"))

    # Blender's.

    def move(self) -> None:
        self.one(self.own()).location = [self.chance.choice((*PLACES[:3], *PLACES)) for _ in range(3)]

    def scale(self) -> None:
        self.one(self.own()).scale = self.chance.choice(SCALES)

    def rename(self) -> None:
        ob = self.one([ob for ob in self.own() if ob.override_library is None])
        ob.name = self.chance.choice(NAMES)

    def delete(self) -> None:
        bpy.data.objects.remove(self.one(self.own()))

    def delete_data(self) -> None:
        bpy.data.meshes.remove(self.one([ob for ob in self.own() if ob.type == "MESH"]).data)

    def duplicate(self) -> None:
        self.pick(most=5)
        bpy.ops.object.duplicate(linked=self.chance.random() < 0.5)

    def parent(self) -> None:
        with contextlib.suppress(RuntimeError, TypeError, AttributeError):
            self.one(self.own()).parent = self.one(self.own())

    def constrain(self) -> None:
        found = self.one(self.own()).constraints.new(self.chance.choice(("LIMIT_LOCATION", "COPY_LOCATION")))
        if hasattr(found, "target"):
            found.target = self.one(self.own())

    def drive(self) -> None:
        driver = self.one(self.own()).driver_add(self.chance.choice(("location", "scale")), 0).driver
        driver.expression = self.chance.choice(("frame*0.1", "0", "1/0"))

    def spoil_action(self) -> None:
        ob = self.one([ob for ob in self.own() if ob.animation_data and ob.animation_data.action])
        action, way = ob.animation_data.action, self.chance.randrange(4)
        if way == 0:
            bpy.data.actions.remove(action)
        elif way == 1:
            ob.animation_data.action = None
        elif way == 2:
            ob.animation_data.action = action.copy()
        else:
            for slot in list(action.slots):
                action.slots.remove(slot)

    def hide(self) -> None:
        ob = self.one(self.own())
        setattr(ob, self.chance.choice(("hide_viewport", "hide_select")), self.chance.random() < 0.5)

    def other_layer(self) -> None:
        scene = bpy.context.scene
        if len(scene.view_layers) < 3:
            scene.view_layers.new("layer")
        else:
            scene.view_layers.remove(self.one([each for each in scene.view_layers if each != bpy.context.view_layer]))

    def other_scene(self) -> None:
        scene = bpy.data.scenes.get("other") or bpy.data.scenes.new("other")
        ob = self.one(self.own())
        if ob.name not in scene.collection.objects:
            scene.collection.objects.link(ob)
        scene.frame_set(self.chance.randint(-3, 9))

    def frame(self) -> None:
        bpy.context.scene.frame_set(self.chance.choice((-3, 1, 5, 1000)), subframe=self.chance.choice((0.0, 0.5)))

    def library(self) -> None:
        path = self.folder / "library.blend"
        if not path.exists():
            bpy.data.libraries.write(str(path), set(self.objects()[:6]), fake_user=True)
        with bpy.data.libraries.load(str(path), link=self.chance.random() < 0.5) as (source, wanted):
            wanted.objects = source.objects[:3]
        for ob in wanted.objects:
            if ob.name not in bpy.context.scene.collection.objects:
                bpy.context.scene.collection.objects.link(ob)

    def override(self) -> None:
        self.one([ob for ob in self.objects() if ob.library]).override_create(remap_local_usages=True)

    def save_and_open(self) -> None:
        path = str(self.folder / "saved.blend")
        bpy.ops.wm.save_as_mainfile(filepath=path, check_existing=False)
        bpy.ops.wm.open_mainfile(filepath=path)

    def undo(self) -> None:
        for _ in range(self.chance.randint(1, 4)):
            said(bpy.ops.ed.undo)
        self.evaluate_all()

    def redo(self) -> None:
        said(bpy.ops.ed.redo)
        self.evaluate_all()

    # In between.

    def evaluate_all(self) -> None:
        for scene in bpy.data.scenes:
            for layer in scene.view_layers:
                layer.update()

    def prepare(self) -> None:
        """So few frames that it does not take long."""
        scene = bpy.context.scene
        scene.frame_start, scene.frame_end, scene.ves.frame_source = 1, 8, "SCENE"
        scene.ves.substeps = min(scene.ves.substeps, 4)

    def run(self, steps: Iterator, most: int = 100_000) -> bool:
        """Go on for a while; True if it comes to its end. It may refuse, in words."""
        ends = time.monotonic() + PATIENCE
        try:
            for _ in range(most):
                if time.monotonic() > ends:
                    break
                next(steps)
        except StopIteration:
            return True
        except SceneError:
            pass
        finally:
            steps.close()
        return False


BOOKKEEPING = {"rna_type", "name", "is_baked", "kept_action"}
HELPERS = {"evaluate_all", "objects", "own", "one", "pick", "prepare", "run"}
DEEDS = [name for name in vars(Person) if not name.startswith("_") and name not in HELPERS]
OFTEN = {
    "add_rig": 3,
    "add_joint": 3,
    "bake": 4,
    "bake_by_button": 3,
    "setting": 5,
    "look": 3,
    "undo": 4,
    "redo": 2,
    "play": 2,
}
OWN_STEP = {"undo", "redo", "save_and_open"}
"""Not an undo step."""


def storm(seed: int, count: int, tell: Callable[[str], None] = print) -> list[str]:
    """One storm of `count` deeds; returns what went wrong, in words."""
    chance, failed, done = random.Random(seed), [], []
    with tempfile.TemporaryDirectory() as folder:
        person = Person(chance, Path(folder))
        bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
        person.add_rig()
        bpy.ops.ed.undo_push(message="Start")
        for number in range(count):
            name = chance.choices(DEEDS, [OFTEN.get(deed, 1) for deed in DEEDS])[0]
            done.append(name)
            with contextlib.redirect_stderr(io.StringIO()) as heard, contextlib.redirect_stdout(io.StringIO()):
                try:
                    getattr(person, name)()
                    bpy.context.view_layer.update()
                except Skipped:
                    pass
                except Exception:  # noqa: BLE001 - whatever it is, it is what is looked for
                    heard.write(traceback.format_exc())
                if name not in OWN_STEP:
                    bpy.ops.ed.undo_push(message=name)
            text = "".join(_left()) + (heard.getvalue() if "Traceback" in heard.getvalue() else "")
            if text and "1/0" not in text:
                failed.append(f"seed {seed}, deed {number}, after {done[-8:]}:\n{text[-2000:]}")
                tell(failed[-1])
    return failed


def _left() -> Iterator[str]:
    """What nothing that has ended may leave."""
    for owner in (*bpy.data.scenes, *bpy.data.objects):
        if owner.ves.before_play and owner.library is None:
            owner.ves.before_play = ""
            yield f"{owner.name}: left as in the midst of a Play\n"


def main() -> None:
    """As usage says."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", default="1-10")
    parser.add_argument("--count", type=int, default=300)
    options = parser.parse_args()
    first, _, last = options.seeds.partition("-")
    faulthandler.enable(sys.__stderr__)
    extension = load_extension()
    extension.register()
    failed = []
    for seed in range(int(first), int(last or first) + 1):
        failed += storm(seed, options.count, lambda text: print(text, file=sys.__stdout__, flush=True))
        print(f"seed {seed} done, {len(failed)} failed so far", file=sys.__stdout__, flush=True)
    extension.unregister()
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
