# SPDX-License-Identifier: GPL-3.0-or-later
"""Inspect: the numbers of the last bake against closed forms, and what keeps them and takes them away."""

import itertools
import re

import bpy
import numpy as np
import pytest
from virtual_erector_set import panels
from virtual_erector_set.scene.bake.bake import bake
from virtual_erector_set.scene.quantities.quantities import at_frame, quantities_of
from virtual_erector_set.scene.quantities.quantities import shown as as_shown
from virtual_erector_set.scene.quantities.recorded import KEY, record_of

from tests.blender.inspecting import frames, shown_by, swinging_bar, values
from tests.blender.linkages import body, car_with_cans, joint, part
from tests.blender.making import select

G = 9.81


def hanging_block(motion: str = "DYNAMIC") -> tuple[bpy.types.Object, bpy.types.Object]:
    """A block of 2 kg and the spring that holds it, in equilibrium and still."""
    block = body("block", (0, 0, 3), motion=motion)
    block.ves.mass_source, block.ves.mass = "GIVEN", 2.0
    spring = part("spring", "FORCE", (0, 0, 3))
    settings = spring.ves
    settings.force_type, settings.body_a, settings.to_world = "SPRING", block, True
    settings.point_b = (0, 0, 5)
    settings.spring_stiffness, settings.spring_damping = 100.0, 0.0
    settings.use_rest_length, settings.rest_length = True, 2.0 - 2.0 * G / 100.0
    return block, spring


def test_a_thrown_body_has_the_speed_and_the_energy_that_galileo_gives_it():
    stone = body("stone", (0, 0, 10))
    stone.ves.mass_source, stone.ves.mass = "GIVEN", 4.0
    stone.ves.linear_velocity, stone.ves.angular_velocity = (2.0, 0.0, 5.0), (0.0, 0.0, 3.0)
    frames(11, 40)
    bpy.ops.ves.bake()
    time = np.arange(30) / 24.0
    found = values(stone)
    velocity = np.stack([2.0 + 0 * time, 0 * time, 5.0 - G * time], axis=1)
    np.testing.assert_allclose(found["Velocity"], velocity, atol=1e-6)
    np.testing.assert_allclose(found["Speed"][:, 0], np.linalg.norm(velocity, axis=1), atol=1e-6)
    np.testing.assert_allclose(found["Spin XYZ"], np.tile([0, 0, np.degrees(3.0)], (30, 1)), atol=1e-4)
    np.testing.assert_allclose(found["Acceleration XYZ"], np.tile([0, 0, -G], (30, 1)), atol=1e-4)
    turning = 0.5 * (4.0 / 6.0) * 3.0**2  # of a cube of 1 m: m a² / 6
    kinetic = 2.0 * (velocity**2).sum(axis=1) + turning
    np.testing.assert_allclose(found["Kinetic Energy"][:, 0], kinetic, rtol=1e-6)
    height = 10.0 + 5.0 * time - 0.5 * G * time**2
    np.testing.assert_allclose(found["Potential Energy"][:, 0], 4.0 * G * height, rtol=1e-6)
    np.testing.assert_allclose(values(bpy.context.scene)["Total Energy"], found["Total Energy"], rtol=1e-12)


def test_a_hinge_tells_angle_drive_and_reaction():
    bar, hinge = swinging_bar()
    bpy.ops.ves.bake()
    found = values(hinge)
    speed = np.radians(found["Angle Speed"][:, 0])
    np.testing.assert_allclose(found["Drive Torque"][:, 0], -0.4 * speed, rtol=1e-7)  # 0.4 in single precision
    np.testing.assert_allclose(found["Axis Torque"], found["Drive Torque"], atol=1e-9)
    angle = np.radians(found["Angle"][:, 0])
    assert angle[0] == 0.0
    assert angle[-1] > 0.5
    # Newton for the bar's centre, 0.5 m from the pin: the reaction is m (a - g)
    inertia = 3.0 * (1.0**2 + 0.1**2) / 12.0 + 3.0 * 0.25
    turning = (3.0 * G * 0.5 * np.cos(angle) - 0.4 * speed) / inertia
    inward, down = 0.5 * speed**2, 0.5 * turning
    x = 3.0 * (-inward * np.cos(angle) - down * np.sin(angle))
    z = 3.0 * (inward * np.sin(angle) - down * np.cos(angle) + G)
    np.testing.assert_allclose(found["Reaction Force XYZ"], np.stack([x, 0 * x, z], axis=1), atol=2e-5)
    np.testing.assert_allclose(found["Reaction Force"][:, 0], np.hypot(x, z), atol=2e-5)
    np.testing.assert_allclose(values(bar)["Speed"][:, 0], 0.5 * np.abs(speed), atol=1e-6)
    # and for its free half, of 1.5 kg, 0.75 m from the pin: what the other half exerts on it
    inside = values(bar)
    tension = 1.5 * (0.75 * speed**2 + G * np.sin(angle))
    np.testing.assert_allclose(inside["Tension Inside"][:, 0], tension, atol=2e-5)
    shear = 1.5 * np.abs(G * np.cos(angle) - 0.75 * turning)
    np.testing.assert_allclose(inside["Shear Inside"][:, 0], shear, atol=2e-5)
    np.testing.assert_allclose(inside["Torsion Inside"], 0.0, atol=2e-5)


def test_a_spring_holds_its_weight_and_a_nail_too():
    block, spring = hanging_block()
    nailed = body("nailed", (5, 0, 0))
    nailed.ves.mass_source, nailed.ves.mass = "GIVEN", 7.0
    nail = part("nail", "NAIL", (5, 0, 0.5))
    nail.ves.body_a = nailed
    frames(1, 12)
    bpy.ops.ves.bake()
    found = values(spring)
    np.testing.assert_allclose(found["Tension"], 2.0 * G, rtol=1e-5)
    np.testing.assert_allclose(found["Length"], 2.0, rtol=1e-6)
    np.testing.assert_allclose(found["Length Rate"], 0.0, atol=1e-5)
    np.testing.assert_allclose(values(nail)["Force XYZ"], np.tile([0, 0, 7.0 * G], (12, 1)), atol=1e-4)
    assert found["Linkage Kinetic Energy"].shape == values(nail)["Linkage Kinetic Energy"].shape
    stretched = 2.0 * G / 100.0
    expected = 2.0 * G * 3.0 + 50.0 * stretched**2
    np.testing.assert_allclose(values(block)["Linkage Potential Energy"], expected, rtol=1e-5)
    np.testing.assert_allclose(values(block)["Potential Energy"], 2.0 * G * 3.0, rtol=1e-5)


def test_an_animated_motor_pushes_as_hard_as_its_keyframes_say():
    bpy.context.scene.use_gravity = False
    stone = body("stone")
    motor = part("motor", "FORCE")
    motor.ves.force_type, motor.ves.body_a = "MOTOR", stone
    for frame, push in ((1, 0.0), (13, 6.0), (24, 6.0)):
        motor.ves.force = (push, 0, 0)
        motor.keyframe_insert("ves.force", frame=frame)
    bag = motor.animation_data.action.layers[0].strips[0].channelbags[0]
    for point in itertools.chain.from_iterable(curve.keyframe_points for curve in bag.fcurves):
        point.interpolation = "LINEAR"
    frames()
    bpy.ops.ves.bake()
    frame = np.arange(1, 25)
    np.testing.assert_allclose(values(motor)["Force XYZ"][:, 0], np.minimum(0.5 * (frame - 1), 6.0), atol=1e-5)


def test_a_support_bears_the_weight_until_it_is_switched_off():
    block = body("block", (0, 0, 1))
    block.ves.mass_source, block.ves.mass = "GIVEN", 2.0
    foot = part("foot", "FORCE", (0, 0, 0.5))
    settings = foot.ves
    settings.force_type, settings.body_a = "SUPPORT", block
    settings.support_stiffness, settings.support_damping = 100.0, 0.0
    settings.support_height = 0.5 + 2.0 * G / 100.0
    foot.keyframe_insert("ves.enabled", frame=1)
    settings.enabled = False
    foot.keyframe_insert("ves.enabled", frame=13)
    frames()
    bpy.ops.ves.bake()
    upward = values(foot)["Force XYZ"][:, 2]
    np.testing.assert_allclose(upward[:13], 2.0 * G, rtol=1e-5)
    np.testing.assert_array_equal(upward[13:], 0.0)
    np.testing.assert_allclose(values(block)["Speed"][23], G * 11 / 24.0, rtol=1e-5)


def test_a_keyed_body_tells_how_it_moves_and_a_fixed_one_why_it_tells_nothing():
    car, cans = car_with_cans(1)
    wall = body("wall", (0, 9, 0), motion="FIXED")
    bpy.ops.ves.bake()
    assert set(values(car)) == {"Speed", "Velocity", "Spin", "Spin XYZ", "Acceleration", "Acceleration XYZ"}
    assert values(car)["Speed"].max() > 1.0
    assert record_of(wall, bpy.context.scene) is None
    select(wall)
    assert "wall is fixed: it does not move" in shown_by(panels.inspect.VES_PT_inspect)[0]


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("FIXED", set()),
        ("SPHERICAL", {"Angle": 3, "Angle Speed": 3, "Drive Torque": 3, "Axis Torque": 3}),
        ("UNIVERSAL", {"Angle": 2, "Angle Speed": 2, "Drive Torque": 2, "Axis Torque": 2}),
        ("CYLINDRICAL", {"Angle": 1, "Travel": 1, "Drive Torque": 1, "Axis Force": 1}),
        ("PLANAR", {"Travel": 2, "Angle": 1, "Drive Force": 2, "Axis Torque": 1}),
        ("SCREW", {"Angle": 1, "Angle Speed": 1}),
    ],
)
def test_every_type_of_joint_has_its_coordinates(kind, expected):
    rod = body("rod")
    empty = joint("joint", (0, 0, 0.5), None, rod, kind)
    other = body("other", (3, 0, 0))  # a weld to the world alone would leave nothing to bake
    frames(1, 5)
    bpy.ops.ves.bake()
    found = values(empty)
    assert {label: found[label].shape[1] for label in expected} == dict(expected)
    assert found["Reaction Force XYZ"].shape == (5, 3)
    assert record_of(other, bpy.context.scene) is not None


def test_what_a_joint_was_at_the_bake_counts_even_if_its_type_is_changed_afterwards():
    _, hinge = swinging_bar()
    bpy.ops.ves.bake()
    hinge.ves.joint_type = "PLANAR"
    assert "Angle" in values(hinge)
    assert "Travel" not in values(hinge)


def test_numbers_stay_through_renaming_saving_and_opening_again(tmp_path):
    bar, hinge = swinging_bar()
    bpy.ops.ves.bake()
    before = values(bar), values(hinge), values(bpy.context.scene)
    bar.name, hinge.name = "balk", "pin"
    path = str(tmp_path / "kept.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    bpy.ops.wm.open_mainfile(filepath=path)
    objects = bpy.data.objects
    after = values(objects["balk"]), values(objects["pin"]), values(bpy.context.scene)
    for one, other in zip(before, after, strict=True):
        assert one.keys() == other.keys()
        for label in one:
            np.testing.assert_array_equal(one[label], other[label])


def test_undo_brings_back_the_numbers_of_the_bake_before():
    _, hinge = swinging_bar()
    bpy.ops.ed.undo_push(message="Before")
    bpy.ops.ves.bake("EXEC_DEFAULT", True)
    first = values(hinge)["Drive Torque"]
    hinge = bpy.data.objects["hinge"]
    hinge.ves.damping[0] = 2.0
    bpy.ops.ed.undo_push(message="More damping")
    bpy.ops.ves.bake("EXEC_DEFAULT", True)
    assert not np.array_equal(values(bpy.data.objects["hinge"])["Drive Torque"], first)
    bpy.ops.ed.undo()
    np.testing.assert_array_equal(values(bpy.data.objects["hinge"])["Drive Torque"], first)
    bpy.ops.ed.undo()
    bpy.ops.ed.undo()
    assert values(bpy.data.objects["hinge"]) == {}


def test_numbers_go_with_their_take():
    bar, hinge = swinging_bar()
    scene = bpy.context.scene
    bpy.ops.ves.bake()
    assert values(bar)
    assert values(hinge)
    baked, slot = bar.animation_data.action, bar.animation_data.action_slot
    bar.animation_data.action = None
    assert not values(bar)
    assert not values(hinge)
    bar.animation_data.action, bar.animation_data.action_slot = baked, slot
    assert values(bar)
    assert values(hinge)
    bpy.ops.ves.clear_bake()
    assert not any(values(owner) for owner in (bar, hinge, scene))
    assert not any(KEY in owner.ves for owner in (bar, hinge, scene))


def test_a_second_bake_replaces_the_first_and_leaves_nothing_of_it():
    _, hinge = swinging_bar()
    other = body("other", (9, 0, 0))
    jet = part("jet", "FORCE")
    jet.ves.force_type, jet.ves.body_a = "MOTOR", other
    bpy.ops.ves.bake()
    assert values(jet)
    jet.ves.enabled = False
    frames(1, 7)
    bpy.ops.ves.bake()
    assert values(jet) == {}
    assert KEY not in jet.ves
    assert len(values(hinge)["Angle"]) == 7


def test_a_cancelled_bake_leaves_the_numbers_of_the_one_before():
    _, hinge = swinging_bar()
    bpy.ops.ves.bake()
    before = values(hinge)["Angle"]
    hinge.ves.damping[0] = 5.0
    running = bake(bpy.context.scene, bpy.context.view_layer)
    while "keyframes" not in next(running).text:
        pass
    running.close()
    np.testing.assert_array_equal(values(hinge)["Angle"], before)


def test_the_panel_shows_the_numbers_of_the_frame():
    bar, hinge = swinging_bar()
    scene = bpy.context.scene
    select(hinge)
    assert "Bake first" in shown_by(panels.inspect.VES_PT_inspect)[0]
    bpy.ops.ves.bake()
    scene.frame_set(9)
    shown = shown_by(panels.inspect.VES_PT_inspect)
    torque = values(hinge)["Drive Torque"][8, 0]
    assert shown[shown.index("Drive Torque") + 1] == f"{torque:.4g} N m"
    scene.frame_set(9, subframe=0.25)
    shown = shown_by(panels.inspect.VES_PT_inspect)
    between = 0.75 * torque + 0.25 * values(hinge)["Drive Torque"][9, 0]
    assert shown[shown.index("Drive Torque") + 1] == f"{between:.4g} N m"
    scene.frame_set(9)
    of_all = shown_by(panels.inspect.VES_PT_inspect_scene)
    energy = values(scene)["Kinetic Energy"][8, 0]
    assert of_all[of_all.index("Kinetic Energy") + 1] == f"{energy:.4g} J"
    select(bar)
    for frame in (1, 2, 12, 24):  # derivatives of a window of frames are those of all
        scene.frame_set(frame)
        record, near = quantities_of(bar, scene, around=frame)
        for quantity in near:
            np.testing.assert_allclose(at_frame(quantity, record, frame), values(bar)[quantity.label][frame - 1])
    scene.frame_set(25)
    assert "outside the bake (1 to 24)" in shown_by(panels.inspect.VES_PT_inspect)[0]
    select()
    assert "Select" in shown_by(panels.inspect.VES_PT_inspect)[0]


def test_rounding_is_shown_as_nothing_beside_the_forces_of_the_same_joint():
    """A bar on a hinge without drive: nothing turns it about its axis but rounding, and nothing bends it sideways."""
    bar, hinge = swinging_bar()
    hinge.ves.damping[0] = 0.0
    bpy.ops.ves.bake()
    select(hinge)
    for frame in (1, 7, 24):
        bpy.context.scene.frame_set(frame)
        words = " ".join(shown_by(panels.inspect.VES_PT_inspect))
        assert "e-" not in words, words
        assert "Reaction Force" in words
    record, found = quantities_of(hinge, bpy.context.scene, around=7)
    moment = next(each for each in found if each.label == "Reaction Moment XYZ")
    weight = 3.0 * G
    assert 0.0 < moment.rounding < 1e-4 * weight * max(bar.dimensions)
    assert as_shown(np.array([1.28e-06]), moment.rounding) == ["0"]
    assert as_shown(np.array([0.0128]), moment.rounding) == ["0.0128"], "what a person could measure stays"
    assert at_frame(moment, record, 7) is not None


def how_computed(active: bpy.types.Object) -> str:
    """What the panel says of it, in a line."""
    select(active)
    return " ".join(shown_by(panels.inspect.VES_PT_inspect_integration))


def test_it_tells_by_which_method_a_linkage_was_integrated_and_why():
    """A swing without springs, a stiff arm, and what may touch the ground."""
    bar, _ = swinging_bar()
    upper, lower = (body(name, (x, 5.0, 2.0), (0.3, 0.08, 0.08)) for name, x in (("upper", 0.15), ("lower", 0.45)))
    joint("loose", (0.0, 5.0, 2.0), None, upper, "REVOLUTE").rotation_euler.x = -0.5 * np.pi
    stiff = joint("stiff", (0.3, 5.0, 2.0), upper, lower, "REVOLUTE")
    stiff.rotation_euler.x = -0.5 * np.pi
    stiff.ves.stiffness[0], stiff.ves.damping[0] = 1e5, 1e4
    assert how_computed(bar) == ""
    bpy.ops.ves.bake()
    assert how_computed(bar).startswith("Adams' method: what is stiff does not bound its steps ")
    for part_of_arm in (lower, stiff):
        assert re.fullmatch(
            r"Implicit steps, since stiffness bounds those of Adams' method "
            r"[\d,]+ steps, of order \d at last; [\d,]+ evaluations "
            r"Its quickest spring or damper is that of stiff "
            r"Implicit steps from frame 1\S* on: .* times as far for the same work",
            how_computed(part_of_arm),
        )
    settings = bpy.context.scene.ves
    settings.integrator = "PERPETUAL"
    bpy.ops.ves.bake()
    assert how_computed(bar).startswith("Perpetual, as chosen in Bake > Details ")
    settings.integrator, settings.use_contact = "STANDARD", True
    bpy.ops.ves.bake()
    assert how_computed(bar).startswith("Steps with impulses, since it may touch something ")


def test_a_body_that_another_scene_has_baked_is_in_no_linkage_of_this_one():
    """The number of its linkage there was looked up among the energies here, where there is none such."""
    window, there = bpy.context.window, bpy.context.scene
    last = [body(f"loose {k}", (3.0 * k, 0.0, 10.0)) for k in range(3)][-1]
    bpy.ops.ves.bake()
    assert any(each.label.startswith("Linkage") for each in quantities_of(last, there)[1])
    window.scene = here = bpy.data.scenes.new("here")
    here.frame_end = there.frame_end
    for k in range(2):
        body(f"of here {k}", (3.0 * k, 3.0, 10.0))
    bpy.ops.ves.bake()
    here.collection.objects.link(last)
    record, found = quantities_of(last, here)
    assert record is not None
    assert found
    assert not any(each.label.startswith("Linkage") for each in found)
    window.scene = there
