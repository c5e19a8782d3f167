# SPDX-License-Identifier: GPL-3.0-or-later
"""Bake with objects that are hidden, duplicated, disabled or wrong: it works, or names what does not."""

import importlib.util
import string

import bpy
import numpy as np
import pytest
from virtual_erector_set.scene.bake import bake as bake_module
from virtual_erector_set.scene.findings import DURATIONS, WORDS, SceneError, of_solver
from virtual_erector_set.solver.mechanism import Action, Mechanism
from virtual_erector_set.solver.mechanism.messages import TEXTS, Message
from virtual_erector_set.solver.simulation import run_limits

from tests.blender.linkages import baked_result, body, chain, joint, part, scene_state, world_matrices
from tests.blender.making import select


def test_an_error_changes_nothing_and_names_everything():
    rods = chain(2)
    rods[0].ves.body_a = None
    lost = joint("lost hinge", (0, 0, 0), rods[0], rods[1])
    lost.ves.body_b = None
    flat = body("sheet")
    flat.data.clear_geometry()
    before = scene_state()
    with pytest.raises(RuntimeError, match="lost hinge") as raised:
        bpy.ops.ves.bake()
    assert "sheet" in str(raised.value)
    assert scene_state() == before


def test_a_solver_problem_names_the_object():
    rods = chain(3)
    joint("closing", (1, 0, 0), rods[0], rods[2])
    bpy.data.objects["joint 2"].ves.coordinates[2] = 0.2
    before = scene_state()
    with pytest.raises(SceneError) as raised:
        baked_result()
    (finding,) = raised.value.findings
    assert finding.object.ves.role == "JOINT"
    assert "use Snap Together" in finding.text, "the loop is open at the start"
    assert scene_state() == before


def test_an_empty_frame_range_is_refused():
    body("stone")
    with pytest.raises(SceneError, match="last frame"):
        baked_result((5, 5))


def test_hidden_renamed_and_moved_objects_bake():
    rods = chain(3)
    rods[0].hide_set(True)
    rods[1].name = "renamed"
    other = bpy.data.collections.new("other")
    bpy.context.scene.collection.children.link(other)
    bpy.context.scene.collection.objects.unlink(rods[2])
    other.objects.link(rods[2])
    bpy.ops.ves.bake()
    assert all(rod.ves.is_baked for rod in rods)
    assert rods[0].hide_get()


@pytest.mark.parametrize("way", ["viewport", "excluded", "deleted", "other scene"])
def test_a_body_that_can_not_take_part_is_named(way):
    rods = chain(3)
    view_layer = bpy.context.view_layer
    if way == "viewport":
        rods[2].hide_viewport = True
    elif way == "excluded":
        other = bpy.data.collections.new("other")
        bpy.context.scene.collection.children.link(other)
        bpy.context.scene.collection.objects.unlink(rods[2])
        other.objects.link(rods[2])
        view_layer.layer_collection.children["other"].exclude = True
    elif way == "deleted":
        bpy.data.objects.remove(rods[2])
    else:
        bpy.context.scene.collection.objects.unlink(rods[2])
        bpy.data.scenes.new("other").collection.objects.link(rods[2])
    with pytest.raises(RuntimeError, match=r"joint 2"):
        bpy.ops.ves.bake()


def test_duplicated_objects_bake_on_their_own():
    rods = chain(1)
    bpy.ops.ves.bake()
    select(rods[0], bpy.data.objects["joint 0"])
    bpy.ops.object.duplicate()
    copy = next(ob for ob in bpy.context.selected_objects if ob.ves.role == "BODY")
    assert copy != rods[0]
    assert bpy.data.objects["joint 0.001"].ves.body_b == copy
    bpy.ops.ves.bake()
    assert copy.animation_data.action != rods[0].animation_data.action
    np.testing.assert_allclose(world_matrices(copy, [20]), world_matrices(rods[0], [20]), atol=1e-6)
    bpy.ops.ves.clear_bake()
    assert copy.animation_data is None
    assert rods[0].animation_data is None


def test_what_would_move_a_body_besides_its_keys_is_refused():
    driven, solo, tweaked = body("driven"), body("solo"), body("rigid")
    driven.driver_add("location", 0)
    solo.animation_data_create().nla_tracks.new().is_solo = True
    bpy.context.view_layer.objects.active = tweaked
    bpy.ops.rigidbody.world_add()
    bpy.ops.rigidbody.object_add()
    with pytest.raises(SceneError) as raised:
        baked_result()
    assert {finding.object.name for finding in raised.value.findings} == {"driven", "solo", "rigid"}


def test_a_distorting_parent_is_noticed():
    parent = part("parent", "NONE")
    parent.scale = (1, 3, 1)
    ob = body("child", (1, 0, 0))
    ob.ves.angular_velocity = (0, 0, 5)
    ob.parent = parent
    bpy.context.scene.frame_end = 20
    result = baked_result()
    assert any(finding.object == ob and "parent" in finding.text for finding in result.warnings)


def test_a_missing_compiler_is_said(monkeypatch):
    monkeypatch.setattr(bake_module, "compiled", lambda: False)
    chain(1, 5)
    assert any("numba" in finding.text for finding in baked_result().warnings)


def test_missing_libraries_are_named(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    chain(1, 5)
    with pytest.raises(SceneError, match="scipy"):
        baked_result()


def test_more_frames_than_memory_holds_are_refused_before_they_are_read(monkeypatch):
    chain(3, 400)
    memory = 1000 * run_limits.BYTES_PER_BODY
    monkeypatch.setattr(run_limits, "memory", lambda: memory)
    before = scene_state()
    with pytest.raises(SceneError, match=r"frames of 3 bodies take .*: choose a shorter frame range") as error:
        baked_result()
    assert f"of memory, and this machine has {memory / 1e9:.3g} GB" in str(error.value)
    assert scene_state() == before


def test_frames_that_last_too_long_for_steps_of_one_length_are_refused():
    chain(1, 20)
    bpy.context.scene.ves.integrator = "PERPETUAL"
    bpy.context.scene.render.fps_base = 1e6
    bpy.context.scene.render.fps = 1
    with pytest.raises(SceneError, match=r"it takes .* steps, and 1e\+09 is the most"):
        baked_result()


def test_each_sentence_of_the_solver_has_words_for_blender():
    for code, text in TEXTS.items():
        words = WORDS.get(code, text)
        fields = (key for each in (text, words) for _, key, *_ in string.Formatter().parse(each) if key)
        keys = set(fields) - {"about", "names", "more"}
        values = {key: {"frame": 7, "time": "1.5"}.get(key, f"<{key}>") for key in keys} | {"more": ""}
        found = of_solver(Message(code, ("joint", "nowhere"), **values), bpy.context.scene, 10)
        assert found.object is None
        named = {"frame": 17, "about": "joint 'nowhere'", "names": "'nowhere'"}
        named["time"] = "1.5 s" if code in DURATIONS else "frame 46"
        assert words.format(**(values | named)) in found.text
        assert ("nowhere" in found.text) is ("{item}" not in words and "{one}" not in words and "{shapes}" not in words)
    assert WORDS.keys() <= TEXTS.keys()


def test_a_sentence_is_about_the_object_of_its_part_whatever_others_are_called():
    hinge = joint("hinge", (0, 0, 0), None, body("'hinge'"))
    found = of_solver(Message("not-met", ("joint", "hinge"), frame=2, gap="1 m"), bpy.context.scene, 1)
    assert found[:2] == (hinge, "could not be met from frame 3 on; largest gap 1 m")


def test_a_sentence_about_no_object_says_its_place():
    """As of an action, which has no name: Blender leaves a part's name out only where it shows the object."""
    (problem,) = Mechanism(actions=[Action(time=-1.0, target="", set={"enabled": True})]).problems()[:1]
    assert of_solver(problem, bpy.context.scene)[:2] == (None, str(problem))
    assert "actions[0]" in problem
