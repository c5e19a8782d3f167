# SPDX-License-Identifier: GPL-3.0-or-later
"""Bake from end to end: objects in, keyframes out, and everything that must stay as it was."""

import cProfile
import itertools

import bpy
import numpy as np
import pytest
from virtual_erector_set import solver
from virtual_erector_set.scene.bake import bake as bake_module
from virtual_erector_set.scene.bake.bake import bake
from virtual_erector_set.scene.bake.write_keyframes import assign_actions
from virtual_erector_set.scene.quantities.recorded import KEY

from tests.blender.linkages import baked_result, body, car_with_cans, chain, keys_of, part, scene_state, world_matrices
from tests.blender.making import select


def test_a_free_body_falls_as_galileo_says():
    ob = body("stone", (0, 0, 100))
    ob.ves.linear_velocity = (2.0, 0.0, 5.0)
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 11, 40
    assert bpy.ops.ves.bake() == {"FINISHED"}
    time = (np.arange(11, 41) - 11) / 24.0
    shown = world_matrices(ob, range(11, 41))[:, :3, 3]
    expected = np.stack([2.0 * time, 0 * time, 100 + 5.0 * time - 0.5 * 9.81 * time**2], axis=1)
    np.testing.assert_allclose(shown, expected, atol=2e-5)


@pytest.mark.parametrize(("fps", "base"), [(30, 1.0), (30, 1.001), (12, 0.5)])
def test_the_frame_rate_is_respected(fps, base):
    ob = body("stone", (0, 0, 0))
    scene = bpy.context.scene
    scene.render.fps, scene.render.fps_base = fps, base
    scene.frame_start, scene.frame_end = 1, 13
    bpy.ops.ves.bake()
    time = 12 / (fps / base)
    assert world_matrices(ob, [13])[0, 2, 3] == pytest.approx(-0.5 * 9.81 * time**2, rel=1e-6)


def test_gravity_of_the_scene():
    ob = body("stone")
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, 25
    scene.gravity = (1.0, 0.0, -2.0)
    bpy.ops.ves.bake()
    np.testing.assert_allclose(world_matrices(ob, [25])[0, :3, 3], (0.5, 0.0, -1.0), atol=1e-6)
    bpy.ops.ves.clear_bake()
    scene.use_gravity = False
    bpy.ops.ves.bake()
    np.testing.assert_allclose(world_matrices(ob, [25])[0, :3, 3], 0.0, atol=1e-6)


def test_the_chosen_frame_range_is_baked():
    ob = body("stone")
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, 50
    scene.use_preview_range, scene.frame_preview_start, scene.frame_preview_end = True, 5, 9
    scene.ves.frame_source = "PREVIEW"
    bpy.ops.ves.bake()
    assert tuple(ob.animation_data.action.frame_range) == (5, 9)
    scene.ves.frame_source, scene.ves.frame_start, scene.ves.frame_end = "CUSTOM", 20, 31
    bpy.ops.ves.bake()
    assert tuple(ob.animation_data.action.frame_range) == (20, 31)
    assert len(bpy.data.actions) == 1


def test_joints_hold_to_the_precision_of_blenders_own_numbers():
    rods = chain(4, 48)
    bpy.ops.ves.bake()
    shown = [world_matrices(rod, range(1, 49)) for rod in rods]
    for upper, lower in itertools.pairwise(shown):
        gap = upper @ np.array([0.5, 0, 0, 1]) - lower @ np.array([-0.5, 0, 0, 1])
        assert np.linalg.norm(gap, axis=1).max() < 2e-6


def test_a_keyed_car_drags_its_cans_and_keeps_its_own_animation():
    car, cans = car_with_cans(3, 36)
    course = world_matrices(car, range(1, 37))
    bpy.ops.ves.bake()
    np.testing.assert_array_equal(world_matrices(car, range(1, 37)), course)
    hook = course @ np.array([-1.0, 0, 0, 1])
    eye = world_matrices(cans[0], range(1, 37)) @ np.array([0.5, 0, 0, 1])
    assert np.abs(hook - eye).max() < 5e-6


def test_a_body_takes_over_the_velocity_of_its_animation():
    ob = body("thrown")
    for frame in (1, 10):
        ob.location, ob.rotation_euler = (frame * 0.25, 0, 0), (0, 0, frame * 0.1)
        ob.keyframe_insert("location", frame=frame)
        ob.keyframe_insert("rotation_euler", frame=frame)
    bag = ob.animation_data.action.layers[0].strips[0].channelbags[0]
    for curve in bag.fcurves:
        for point in curve.keyframe_points:
            point.interpolation = "LINEAR"
    ob.ves.velocity_source = "ANIMATION"
    scene = bpy.context.scene
    scene.use_gravity = False
    scene.frame_start, scene.frame_end = 10, 20  # the animation ends where the bake begins
    bpy.ops.ves.bake()
    last = world_matrices(ob, [20])[0]
    np.testing.assert_allclose(last[:3, 3], (20 * 0.25, 0, 0), atol=1e-4)
    np.testing.assert_allclose(ob.rotation_euler.z, 2.0, atol=1e-4)


def test_baking_twice_gives_identical_keys():
    _, cans = car_with_cans(3)
    cans[0].rotation_mode, cans[1].rotation_mode = "QUATERNION", "AXIS_ANGLE"
    cans[2].keyframe_insert("location", frame=1)
    bpy.ops.ves.bake()
    first = [keys_of(can) for can in cans]
    bpy.context.scene.frame_set(17)
    bpy.ops.ves.bake()
    assert [keys_of(can) for can in cans] == first
    bpy.ops.ves.clear_bake()
    bpy.ops.ves.bake()
    assert [keys_of(can) for can in cans] == first
    names = sorted(action.name for action in bpy.data.actions)
    assert names == ["can 0 Bake", "can 1 Bake", "can 2 Bake", "can 2Action", "carAction"]


def test_clear_bake_brings_back_animation_and_pose():
    rods = chain(2)
    rods[0].rotation_euler = (0.1, 0.2, 0.3)
    rods[1].keyframe_insert("location", frame=1)
    rods[1].location.z += 1.0
    rods[1].keyframe_insert("location", frame=9)
    rods[1].animation_data.action_blend_type = "ADD"
    bpy.context.scene.frame_set(1)
    before = scene_state()
    assert rods[0].animation_data is None
    bpy.ops.ves.bake()
    assert rods[1].ves.kept_action.use_fake_user
    bpy.context.scene.frame_set(20)
    bpy.ops.ves.clear_bake()
    bpy.context.scene.frame_set(1)
    assert scene_state() == before
    assert rods[0].animation_data is None
    assert rods[1].animation_data.action_blend_type == "ADD"
    assert not rods[1].animation_data.action.use_fake_user


def test_clear_bake_of_selected_bodies_only():
    rods = chain(2)
    bpy.ops.ves.bake()
    select(rods[0])
    bpy.ops.ves.clear_bake(selected_only=True)
    assert [rod.ves.is_baked for rod in rods] == [False, True]


@pytest.mark.parametrize("steps", [0, 1, 5, 40, 80])
def test_a_cancelled_bake_changes_nothing(steps):
    rods = chain(3)
    rods[1].keyframe_insert("location", frame=1)
    select(rods[2])
    bpy.context.scene.frame_set(7, subframe=0.25)
    before = scene_state()
    running = bake(bpy.context.scene, bpy.context.view_layer)
    for _ in range(steps):
        next(running, None)
    running.close()
    if not rods[0].ves.is_baked:
        assert scene_state() == before


def test_cancelling_a_second_bake_keeps_the_first():
    rods = chain(3)
    bpy.ops.ves.bake()
    bpy.context.scene.frame_set(13)
    before, keys = scene_state(), [keys_of(rod) for rod in rods]
    running = bake(bpy.context.scene, bpy.context.view_layer)
    texts = []
    while "keyframes" not in (texts or [""])[-1]:
        texts.append(next(running).text)
    running.close()
    assert scene_state() == before
    assert [keys_of(rod) for rod in rods] == keys


def test_progress_counts_up_to_one_and_says_what_it_does():
    chain(3)
    steps = list(bake(bpy.context.scene, bpy.context.view_layer))
    fractions = [step.fraction for step in steps]
    assert fractions == sorted(fractions)
    assert fractions[-1] == pytest.approx(1.0)
    texts = " ".join(dict.fromkeys(step.text.split(" frame")[0] for step in steps))
    assert "Reading" in texts
    assert "Simulating" in texts
    assert "Writing" in texts


def test_a_simulation_that_stops_keeps_its_frames_and_selects_the_culprit(monkeypatch):
    """The failure itself is the solver's; here one is staged after ten frames of a real run."""
    rods = chain(2, 24)
    real = bake_module.Simulation

    class Stopping(real):
        def run(self):
            yield from super().run()
            partial = self.recording.up_to(10)
            raise solver.SimulationFailed(9.5 / 24, "it ran away", [rods[1].name], partial)

    monkeypatch.setattr(bake_module, "Simulation", Stopping)
    select(rods[0])
    assert bpy.ops.ves.bake() == {"FINISHED"}
    assert tuple(rods[0].animation_data.action.frame_range) == (1, 10)
    assert "frame 10.5" in bpy.context.scene.ves.status
    assert "it ran away" in bpy.context.scene.ves.status
    assert [ob.name for ob in bpy.context.selected_objects] == [rods[1].name]


def test_undo_takes_the_whole_bake_back_in_one_step():
    chain(2)
    bpy.ops.ed.undo_push(message="before")
    bpy.ops.ves.bake("EXEC_DEFAULT", True)
    assert bpy.data.objects["rod 0"].ves.is_baked
    bpy.ops.ed.undo_push(message="after")
    bpy.ops.ed.undo()
    bpy.ops.ed.undo()
    assert not bpy.data.objects["rod 0"].ves.is_baked
    assert bpy.data.objects["rod 0"].animation_data is None
    bpy.ops.ed.redo()
    assert bpy.data.objects["rod 0"].ves.is_baked


def test_a_nail_holds_its_point():
    rod = body("rod", (0.5, 0, 0), (1, 0.1, 0.1))
    nail = part("nail", "NAIL", (0, 0, 0))
    nail.ves.body_a = rod
    bpy.context.scene.frame_end = 30
    bpy.ops.ves.bake()
    ends = world_matrices(rod, range(1, 31)) @ np.array([-0.5, 0, 0, 1])
    assert np.abs(ends[:, :3]).max() < 2e-6
    assert world_matrices(rod, [30])[0, 2, 3] < -0.2


def test_an_nla_strip_below_the_bake_does_not_show_through():
    ob = body("stone")
    ob.keyframe_insert("location", frame=1)
    action = ob.animation_data.action
    ob.location = (5, 0, 0)
    ob.keyframe_insert("location", frame=10)
    track = ob.animation_data.nla_tracks.new()
    track.strips.new("strip", 1, action)
    ob.animation_data.action = None
    bpy.context.scene.frame_end = 20
    result = baked_result()
    assert result.warnings == []
    assert world_matrices(ob, [20])[0, 0, 3] == pytest.approx(0.0, abs=1e-6)


@pytest.mark.parametrize(("accuracy", "relative"), [("DRAFT", 1e-4), ("NORMAL", 1e-6), ("PRECISE", 1e-8)])
def test_accuracy_is_the_solvers_tolerance(monkeypatch, accuracy, relative):
    asked = []

    class Watched(bake_module.Simulation):
        def __init__(self, *arguments, **options):
            asked.append(options["relative"])
            super().__init__(*arguments, **options)

    monkeypatch.setattr(bake_module, "Simulation", Watched)
    chain(1, 5)
    bpy.context.scene.ves.accuracy = accuracy
    bpy.ops.ves.bake()
    assert asked == [relative]


def test_bodies_that_share_an_action_get_it_back_as_it_was():
    one, other = body("one"), body("other", (3, 0, 0))
    one.keyframe_insert("location", frame=1)
    shared = one.animation_data.action
    other.animation_data_create().action = shared
    other.animation_data.action_slot = shared.slots[0]
    bpy.ops.ves.bake()
    assert one.animation_data.action != other.animation_data.action
    bpy.ops.ves.clear_bake()
    assert (one.animation_data.action, other.animation_data.action) == (shared, shared)
    assert not shared.use_fake_user


def test_what_is_stiff_does_not_make_a_bake_slow_and_is_said():
    chain(links=1, frames=72)
    empty = bpy.data.objects["joint 0"]
    empty.ves.damping = (2000.0, 0.0, 0.0)  # about the rod
    empty.ves.use_speeds, empty.ves.speeds = True, (1.0, 0.0, 0.0)
    result = baked_result()
    assert result.evaluations < 4000
    assert any("implicit steps" in str(said) for said in [*result.notes, *result.warnings])
    assert not any("softer" in found.text for found in result.warnings)
    empty.ves.damping = (0.01, 0.0, 0.0)
    result = baked_result()
    assert not any("implicit steps" in str(said) for said in [*result.notes, *result.warnings])


def calls_of_clear_bake(count: int) -> tuple[int, int]:
    """All calls of functions, and those that remove, for so many bodies, each with a part that has values as well."""
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    made = []
    for i in range(count):
        owner, link = (bpy.data.objects.new(f"{name} {i}", None) for name in ("body", "part"))
        owner.ves.role, link.ves[KEY] = "BODY", {"take": "of before"}
        action = bpy.data.actions.new(owner.name)
        action.slots.new(id_type="OBJECT", name=owner.name)
        made.append((owner, action))
        for ob in (owner, link):
            bpy.context.scene.collection.objects.link(ob)
    assign_actions(made)
    profile = cProfile.Profile()
    assert profile.runcall(bpy.ops.ves.clear_bake) == {"FINISHED"}
    assert len(bpy.data.actions) == 0
    assert not any(ob.ves.is_baked or KEY in ob.ves for ob in bpy.data.objects)
    entries = profile.getstats()
    removals = (entry.callcount for entry in entries if "remove' of 'BlendData" in str(entry.code))
    return sum(entry.callcount for entry in entries), sum(removals)


def test_clear_bake_asks_as_often_as_there_are_bodies():
    """Four times as many took sixteen times as long: to remove one action, Blender looks at the whole file."""
    (few, once), (many, still_once) = (calls_of_clear_bake(count) for count in (100, 400))
    assert many < 4.5 * few
    assert once == still_once == 1
