# SPDX-License-Identifier: GPL-3.0-or-later
"""Files with several scenes and view layers, library overrides, muted channels, and objects that take no part."""

from __future__ import annotations

import contextlib
import csv
from pathlib import Path

import bpy
import numpy as np
import pytest
from virtual_erector_set.scene.bake.bake import bake
from virtual_erector_set.scene.bake.state import BAKED, NOT_BAKED, compare_now, state_of

from tests.blender.linkages import body, car_with_cans, chain, keys_of, part, world_matrices
from tests.blender.making import select

FRAMES = range(1, 9)


def state(scene: bpy.types.Scene) -> tuple[str, str]:
    compare_now(scene)
    return tuple(state_of(scene))


def pendulum_beside(scene: bpy.types.Scene) -> bpy.types.Object:
    """A rod of its own in a scene that is not shown."""
    scene.frame_start, scene.frame_end = FRAMES[0], FRAMES[-1]
    rod, joint = bpy.data.objects["rod 0"].copy(), bpy.data.objects["joint 0"].copy()
    for ob in (rod, joint):
        scene.collection.objects.link(ob)
    joint.ves.body_b = rod
    return rod


def test_each_scene_has_its_own_bake() -> None:
    (rod,), first, other = chain(1, 8), bpy.context.scene, bpy.data.scenes.new("other")
    beside = pendulum_beside(other)
    bpy.ops.ves.bake()
    keys = keys_of(rod)
    assert state(other)[0] == NOT_BAKED
    assert not beside.ves.is_baked
    with bpy.context.temp_override(scene=other, view_layer=other.view_layers[0]):
        other.gravity.x = 4.0
        bpy.ops.ves.bake()
        assert keys_of(rod) == keys != keys_of(beside)
        assert state(first) == state(other) == (BAKED, "Baked, frames 1 to 8")
        bpy.ops.ves.clear_bake()
    assert keys_of(rod) == keys
    assert (state(first)[0], state(other)[0]) == (BAKED, NOT_BAKED)


def test_bodies_in_two_scenes_are_said_to_be_keyed_by_the_other() -> None:
    chain(1, 8)
    other = bpy.data.scenes.new("other")
    for ob in bpy.context.scene.objects:
        other.collection.objects.link(ob)
    bpy.ops.ves.bake()
    assert state(other) == (BAKED, "Keyed by a bake of another scene or file")


def test_what_a_view_layer_excludes_takes_no_part_there_and_is_named() -> None:
    rods, scene = chain(2, 8), bpy.context.scene
    hidden = bpy.data.collections.new("hidden")
    scene.collection.children.link(hidden)
    hidden.objects.link(rods[1])
    scene.collection.objects.unlink(rods[1])
    layer = scene.view_layers.new("other")
    layer.layer_collection.children["hidden"].exclude = True
    bpy.ops.ves.bake()
    keys = keys_of(rods[1])
    with bpy.context.temp_override(view_layer=layer), pytest.raises(RuntimeError, match="rod 1, which takes no part"):
        bpy.ops.ves.bake()
    assert keys_of(rods[1]) == keys


def test_a_library_override_is_baked_saved_and_cleared(tmp_path: Path) -> None:
    chain(2, 8)
    rig = bpy.data.collections.new("rig")
    for ob in list(bpy.context.scene.objects):
        rig.objects.link(ob)
    bpy.ops.ves.bake()
    expected = [world_matrices(bpy.data.objects[f"rod {i}"], FRAMES) for i in range(2)]
    bpy.ops.ves.clear_bake()
    bpy.data.libraries.write(str(tmp_path / "rig.blend"), {rig}, fake_user=True)
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = FRAMES[0], FRAMES[-1]
    with bpy.data.libraries.load(str(tmp_path / "rig.blend"), link=True) as (_, wanted):
        wanted.collections = ["rig"]
    bpy.data.collections["rig"].override_hierarchy_create(scene, bpy.context.view_layer)
    bpy.ops.ves.bake()
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "shot.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "shot.blend"))
    rods = [bpy.context.scene.objects[f"rod {i}"] for i in range(2)]
    assert all(rod.override_library and rod.ves.is_baked for rod in rods)
    np.testing.assert_allclose([world_matrices(rod, FRAMES) for rod in rods], expected, atol=1e-6)
    bpy.ops.ves.clear_bake()
    assert not any(rod.ves.is_baked or rod.animation_data.action for rod in rods if rod.animation_data)
    assert state(bpy.context.scene)[0] == NOT_BAKED


@pytest.mark.parametrize("is_muted", [False, True])
def test_a_muted_driver_is_none(is_muted: bool) -> None:
    rods = chain(2, 8)
    curve = rods[1].driver_add("location", 0)
    curve.driver.expression, curve.mute = "1.5", is_muted
    if not is_muted:
        with pytest.raises(RuntimeError, match="rod 1: has drivers on location"):
            bpy.ops.ves.bake()
        return
    bpy.ops.ves.bake()
    assert not bpy.context.scene.ves.findings
    assert curve.mute
    assert rods[1].ves.is_baked


@pytest.mark.parametrize("expression", ["1/0", "noise.random()"])
def test_a_driver_that_does_not_work_is_named(expression: str) -> None:
    """As in a file from elsewhere whose scripts may not run: its friction stayed as it was, unsaid."""
    rods = chain(2, 8)
    hinge, car = bpy.data.objects["joint 1"], body("car", (5, 5, 5), motion="KEYED")
    for ob, path in ((hinge, "ves.friction"), (car, "location")):
        ob.driver_add(path, 0).driver.expression = expression
    rods[1].driver_add("ves.density").driver.expression = "200 + frame"
    bpy.context.view_layer.update()
    bpy.ops.ves.check()
    said = "its driver on {} does not work, so that stays as it is"
    for do in (bpy.ops.ves.check, bpy.ops.ves.bake):
        do()
        found = {each.culprit: each.text for each in bpy.context.scene.ves.findings if "does not work" in each.text}
        assert set(found) == {hinge, car}
        assert said.format("friction") in found[hinge]
        assert said.format("location") in found[car]


def test_muted_keys_do_not_make_a_body_animated_and_stay_muted() -> None:
    rods = chain(1, 8)
    rods[0].keyframe_insert("location", frame=1)
    curves = rods[0].animation_data.action.layers[0].strips[0].channelbags[0].fcurves
    for curve in curves:
        curve.mute = True
    bpy.ops.ves.check()
    assert not [each.text for each in bpy.context.scene.ves.findings if "anim" in each.text or "key" in each.text]
    bpy.ops.ves.bake()
    assert not bpy.context.scene.ves.findings
    assert world_matrices(rods[0], [8])[0][2, 3] < -0.05
    bpy.ops.ves.clear_bake()
    assert all(curve.mute for curve in rods[0].animation_data.action.layers[0].strips[0].channelbags[0].fcurves)


def test_ten_thousand_objects_that_take_no_part_cost_no_step_of_a_bake() -> None:
    chain(2, 8)
    scene, layer = bpy.context.scene, bpy.context.view_layer
    alone = sum(1 for each in bake(scene, layer) if each.text.startswith(("Writing", "Reading bodies")))
    bpy.ops.ves.clear_bake()
    for number in range(10_000):
        scene.collection.objects.link(bpy.data.objects.new(f"bystander {number}", None))
    among = sum(1 for each in bake(scene, layer) if each.text.startswith(("Writing", "Reading bodies")))
    assert among == alone
    assert all(scene.objects[f"rod {i}"].ves.is_baked for i in range(2))
    bpy.ops.ves.clear_bake()
    assert state(scene)[0] == NOT_BAKED


NAMES = {
    "Chinese": "倒立振子の腕",
    "Arabic": "ذراع الروبوت",
    "emoji": "🤖🦾💥",
    "from right to left": "é\u202eabc",
    "63 bytes": "振" * 21,
    "quotes": "a\"b'c]d[e\\f",
    "lines": "a\nb\tc",
    "format": "%s {0} {name}",
    "world": "world",
    "without width": "\u200b",
}


@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
def test_names_in_every_script_are_baked_saved_inspected_exported_and_imported(name: str, tmp_path: Path) -> None:
    rods, scene = chain(2, 8), bpy.context.scene
    bpy.ops.ves.bake()
    expected = [keys_of(rod) for rod in rods]
    bpy.ops.ves.clear_bake()
    for ob in list(scene.objects):
        ob.name = name
    scene.name = bpy.context.view_layer.name = name
    names = [rod.name for rod in rods]
    bpy.ops.ves.bake()
    assert not scene.ves.findings
    bpy.ops.ves.export_mechanism(filepath=str(tmp_path / f"{len(name)} é🤖.json"))
    select(rods[1])
    bpy.ops.ves.export_table(filepath=str(tmp_path / "é🤖.csv"))
    with (tmp_path / "é🤖.csv").open(encoding="utf-8", newline="") as file:
        assert next(csv.reader(file))[2].startswith(f"{names[1]}: ")
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "é🤖.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "é🤖.blend"))
    assert state(bpy.context.scene)[0] == BAKED
    assert [keys_of(bpy.data.objects[each]) for each in names] == expected
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    bpy.ops.ves.import_mechanism(filepath=str(tmp_path / f"{len(name)} é🤖.json"))
    assert {ob.name for ob in bpy.context.scene.objects if ob.ves.role == "BODY"} == set(names)


def test_a_linked_rig_that_is_no_override_is_refused_by_name_by_all_that_would_change_it(tmp_path: Path) -> None:
    chain(2, 8)
    rig = bpy.data.collections.new("rig")
    for ob in list(bpy.context.scene.objects):
        rig.objects.link(ob)
    bpy.data.libraries.write(str(tmp_path / "rig.blend"), {rig}, fake_user=True)
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    with bpy.data.libraries.load(str(tmp_path / "rig.blend"), link=True) as (_, wanted):
        wanted.collections = ["rig"]
    bpy.context.scene.collection.children.link(bpy.data.collections["rig"])
    select(bpy.data.objects["rod 0"])
    words = "rod 0: is linked from another file and can't get keyframes: make a library override of it"
    for call, given in {
        "bake": {},
        "play": {"frames": 3},
        "pose": {"body": "rod 0", "target": (1, 1, 1)},
        "snap_together": {},
        "make_live": {},
        "settle": {},
    }.items():
        with pytest.raises(RuntimeError, match=words):
            getattr(bpy.ops.ves, call)(**given)


def test_a_mesh_whose_library_is_gone_is_named_with_that(tmp_path: Path) -> None:
    """A Solidify modifier was recommended."""
    library = tmp_path / "rig.blend"
    chain(2, 8)
    rig = bpy.data.collections.new("rig")
    for ob in list(bpy.context.scene.objects):
        rig.objects.link(ob)
    bpy.data.libraries.write(str(library), {rig}, fake_user=True)
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    with bpy.data.libraries.load(str(library), link=True) as (_, wanted):
        wanted.collections = ["rig"]
    bpy.data.collections["rig"].override_hierarchy_create(bpy.context.scene, bpy.context.view_layer)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "shot.blend"))
    library.rename(tmp_path / "elsewhere.blend")
    with contextlib.suppress(RuntimeError):  # in some versions Blender raises what it reports
        bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "shot.blend"))
    with pytest.raises(RuntimeError, match=r"rod 0: its mesh is missing, because //rig.blend was not found: ") as error:
        bpy.ops.ves.bake()
    assert "Solidify" not in str(error.value)


def test_in_a_scene_from_another_file_nothing_is_added(tmp_path: Path) -> None:
    """An example ended in a traceback."""
    chain(2, 8)
    bpy.data.libraries.write(str(tmp_path / "set.blend"), {bpy.context.scene}, fake_user=True)
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    with bpy.data.libraries.load(str(tmp_path / "set.blend"), link=True) as (source, wanted):
        wanted.scenes = source.scenes[:1]
    linked = wanted.scenes[0]
    with bpy.context.temp_override(scene=linked, view_layer=linked.view_layers[0]):
        for name in ("add_example", "bake", "play", "settle", "snap_together"):
            with pytest.raises(RuntimeError, match="This scene is linked from another file"):
                getattr(bpy.ops.ves, name)()
        bpy.ops.ves.check()


def test_keys_on_the_scale_of_a_dynamic_body_are_named_as_what_makes_it_look_different() -> None:
    rods = chain(2, 8)
    for frame, size in ((1, 1.0), (8, 2.0)):
        rods[1].scale = [size] * 3
        rods[1].keyframe_insert("scale", frame=frame)
    bpy.context.scene.frame_set(1)
    bpy.ops.ves.bake()
    (finding,) = bpy.context.scene.ves.findings
    assert "its scale is animated; mass and shape stay as at the first frame" in finding.text


def hide_from(ob: bpy.types.Object, frame: int) -> None:
    """Keys that disable an object in viewports from a frame on."""
    for at, hidden in ((1, False), (frame, True)):
        ob.hide_viewport = hidden
        ob.keyframe_insert("hide_viewport", frame=at)
    bpy.context.scene.frame_set(1)


def test_a_keyed_body_that_its_keys_hide_is_named_because_it_stands_still() -> None:
    """What hung on it stood still too, unsaid."""
    car, (can, *_) = car_with_cans(2, 24)
    bpy.ops.ves.bake()
    expected = world_matrices(can, [24])
    bpy.ops.ves.clear_bake()
    hide_from(car, 5)
    said = "car: is disabled in viewports at times, by its keys, and Blender does not move it there"
    for do in (bpy.ops.ves.check, bpy.ops.ves.bake):
        do()
        assert [each.text for each in bpy.context.scene.ves.findings if each.text.startswith(said)]
    bpy.ops.ves.clear_bake()
    for curve in car.animation_data.action.layers[0].strips[0].channelbags[0].fcurves:
        curve.mute = curve.data_path == "hide_viewport"
    bpy.context.scene.frame_set(1)
    car.hide_viewport = False
    bpy.ops.ves.bake()
    assert not bpy.context.scene.ves.findings
    np.testing.assert_array_equal(world_matrices(can, [24]), expected)


def test_keys_that_hide_a_dynamic_body_change_neither_its_bake_nor_the_bakes_state() -> None:
    """It was said not to show the solved motion where Blender shows it not at all, and to be out of date there."""
    rods = chain(2, 8)
    bpy.ops.ves.bake()
    expected = keys_of(rods[1])
    bpy.ops.ves.clear_bake()
    hide_from(rods[1], 5)
    bpy.ops.ves.bake()
    assert not bpy.context.scene.ves.findings
    assert {path: keys for path, keys in keys_of(rods[1]).items() if path[0] != "hide_viewport"} == expected
    for frame in (1, 6):
        bpy.context.scene.frame_set(frame)
        assert state(bpy.context.scene) == (BAKED, "Baked, frames 1 to 8")


@pytest.mark.parametrize("is_muted", [False, True])
def test_a_constraint_with_a_driven_influence_gives_way_and_comes_back(is_muted: bool) -> None:
    """A key on its influence would not show: the body stayed where the constraint held it."""
    rods = chain(2, 8)
    held = rods[1].constraints.new("LIMIT_LOCATION")
    held.use_min_z, held.min_z = True, 0.0
    driver = rods[1].driver_add('constraints["Limit Location"].influence')
    driver.driver.expression, driver.mute = "1.0", is_muted
    bpy.context.view_layer.update()
    assert bpy.ops.ves.bake() == {"FINISHED"}
    assert world_matrices(rods[1], [8])[0][2, 3] < -0.05
    assert bpy.ops.ves.clear_bake() == {"FINISHED"}
    assert held.enabled
    assert world_matrices(rods[1], [8])[0][2, 3] > -1e-6


def test_factory_settings_that_are_read_anew_leave_the_tools_as_they_are() -> None:
    (rod,) = chain(1, 8)
    bpy.ops.ves.bake()
    keys = keys_of(rod)
    bpy.ops.wm.read_factory_settings(use_empty=True)
    (rod,) = chain(1, 8)
    bpy.ops.ves.bake()
    assert keys_of(rod) == keys
    bpy.ops.ves.clear_bake()
    assert state(bpy.context.scene)[0] == NOT_BAKED


def test_an_empty_that_a_script_makes_its_own_body_stays_where_it_hangs():
    """It was made its own parent, which Blender refuses with a traceback."""
    rod = body("rod", (0, 0, 0))
    spring, mark = part("spring", "FORCE", (0, 0, 1)), part("mark", "FORCE", (0, 0, 2))
    spring.ves.body_a = rod
    spring.parent, mark.parent = rod, spring
    for other in (spring, mark):
        spring.ves.body_a = other
        assert spring.parent == rod
