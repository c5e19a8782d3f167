# SPDX-License-Identifier: GPL-3.0-or-later
"""Balance: adding it, its feet, what the mechanism gets of it, and a file that comes back; a biped that is baked."""

from __future__ import annotations

import math
from pathlib import Path

import bpy
import pytest
from mathutils import Vector
from virtual_erector_set.scene.bake.bake import run_to_end
from virtual_erector_set.scene.parts.feet import feet_of
from virtual_erector_set.scene.read.scene import read_mechanism, read_over_time
from virtual_erector_set.solver import mechanism as parts

from solver.mechanism import Table
from tests.blender.exchanging import assert_same, export, import_file, there_and_back
from tests.blender.making import box, select, with_role
from tests.solver.control.figures import biped


def figure() -> tuple[bpy.types.Object, list[bpy.types.Object]]:
    """A trunk with a head and two legs of two parts, which joints connect; the trunk and the feet."""
    trunk, head = box("Trunk", (0, 0, 2), (0.5, 0.5, 1)), box("Head", (0, 0, 2.8), (0.3, 0.3, 0.3))
    joints, feet = [(trunk, head)], []
    for side, x in (("Left", 0.3), ("Right", -0.3)):
        leg, foot = box(f"{side} Leg", (x, 0, 0.9), (0.2, 0.2, 1.0)), box(f"{side} Foot", (x, 0, 0.2), (0.2, 0.6, 0.3))
        joints += [(trunk, leg), (leg, foot)]
        feet.append(foot)
    for parent, child in joints:
        select(parent, child)
        assert bpy.ops.ves.add_joint(type="SPHERICAL") == {"FINISHED"}
    return trunk, feet


def add(*objects: bpy.types.Object) -> bpy.types.Object:
    select(*objects)
    assert bpy.ops.ves.add_force(type="BALANCE") == {"FINISHED"}
    bpy.context.view_layer.update()
    return bpy.context.active_object


def now() -> parts.Balance:
    (found,) = read_mechanism(bpy.context.scene, bpy.context.evaluated_depsgraph_get()).mechanism.forces
    return found


def over_time() -> parts.Balance:
    mechanism = run_to_end(read_over_time(bpy.context.scene, bpy.context.view_layer)).mechanism
    assert mechanism.problems() == []
    (found,) = mechanism.forces
    return found


def test_the_active_body_is_carried_by_the_other_selected_ones() -> None:
    trunk, feet = figure()
    trunk.rotation_euler.z = 0.5
    empty = add(trunk, *feet)
    assert with_role("FORCE") == [empty]
    assert (empty.ves.body_a, feet_of(empty.ves), empty.parent) == (trunk, feet, trunk)
    assert (empty.matrix_world.translation - trunk.matrix_world.translation).length < 1e-6
    assert empty.matrix_world.to_euler().z == pytest.approx(0.5), "the body is where it shall be"


def test_joints_of_legs_get_some_damping_if_they_have_none() -> None:
    trunk, feet = figure()
    joints = {joint.ves.body_b.name: joint for joint in with_role("JOINT")}
    joints["Left Leg"].ves.damping = (7.0, 7.0, 7.0)
    add(trunk, *feet)
    damping = {name: joint.ves.damping[0] for name, joint in joints.items()}
    assert damping["Left Leg"] == 7.0
    assert damping["Right Foot"] == damping["Left Foot"] == damping["Right Leg"] > 0.0
    assert damping["Head"] == 0.0, "that is no leg"


def test_feet_are_found_at_the_ends_of_the_legs() -> None:
    trunk, feet = figure()
    assert feet_of(add(trunk).ves) == sorted(feet, key=lambda ob: ob.name)


def test_feet_from_selection() -> None:
    trunk, feet = figure()
    empty = add(trunk, feet[0])
    assert not bpy.ops.ves.set_feet.poll(), "nothing but the Empty is selected"
    select(empty, trunk, *feet)
    assert bpy.ops.ves.set_feet() == {"FINISHED"}
    assert set(feet_of(empty.ves)) == set(feet)
    select(trunk, *feet)
    assert not bpy.ops.ves.set_feet.poll()


def test_what_the_mechanism_gets() -> None:
    trunk, feet = figure()
    bpy.context.scene.ves.use_contact = True
    settings = add(trunk, *feet).ves
    settings.balance_frequency, settings.balance_damping_ratio = 1.5, 0.75
    settings.balance_turn_frequency, settings.balance_turn_damping_ratio = 2.0, 0.5
    settings.balance_max_torque = 120.0
    found = now()
    assert isinstance(found, parts.Balance)
    assert (found.body, found.feet) == ("Trunk", ("Left Foot", "Right Foot"))
    assert found.position == pytest.approx((0, 0, 2))
    assert found.orientation == pytest.approx((1, 0, 0, 0))
    assert (found.frequency, found.damping_ratio) == (1.5, 0.75)
    assert (found.orientation_frequency, found.orientation_damping_ratio, found.max_torque) == (2.0, 0.5, 120.0)
    settings.use_balance_max_torque = False
    assert now().max_torque is None
    settings.balance_step_time, settings.balance_step_height = 0.4, 0.1
    assert now().step_time == 0.0, "it does not step"
    settings.use_balance_steps = True
    assert (now().step_time, now().step_height) == pytest.approx((0.4, 0.1))
    settings.balance_load_time = 0.5
    assert now().load_time == 0.0, "it feels no load"
    settings.use_balance_loads = True
    assert now().load_time == pytest.approx(0.5)


@pytest.mark.parametrize("time", [0.0, 0.35])
def test_steps_and_loads_come_back_from_a_file(tmp_path: Path, time: float) -> None:
    biped(step_time=time, step_height=0.08, load_time=2.0 * time).save(tmp_path / "given.json")
    import_file(tmp_path / "given.json", 25)
    for each in there_and_back(tmp_path, 25):
        assert each["forces"][0]["step_time"] == pytest.approx(time)
        assert each["forces"][0]["step_height"] == pytest.approx(0.08)
        assert each["forces"][0]["load_time"] == pytest.approx(2.0 * time)


def test_a_keyed_empty_is_a_moving_target() -> None:
    trunk, feet = figure()
    scene = bpy.context.scene
    scene.frame_end = 25
    empty = add(trunk, *feet)
    empty.keyframe_insert("location", frame=1)
    empty.location.z -= 0.5
    empty.keyframe_insert("location", frame=25)
    empty.ves.balance_max_torque = 100.0
    empty.ves.keyframe_insert("balance_max_torque", frame=1)
    empty.ves.balance_max_torque = 200.0
    empty.ves.keyframe_insert("balance_max_torque", frame=25)
    scene.frame_set(1)
    found = over_time()
    x, y, z = found.position
    assert (x, y) == pytest.approx((0.0, 0.0), abs=1e-6)
    assert isinstance(z, parts.Table)
    assert (z.values[0], z.values[-1]) == pytest.approx((2.0, 1.5))
    assert found.max_torque.values[-1] == pytest.approx(200.0)


def texts() -> list[str]:
    bpy.ops.ves.check()
    return [finding.text for finding in bpy.context.scene.ves.findings]


def test_check_says_what_is_missing() -> None:
    trunk, feet = figure()
    empty = add(trunk, *feet)
    assert any("stands on nothing" in text for text in texts())
    bpy.context.scene.ves.use_contact = True
    assert texts() == []
    empty.ves.balance_feet.add().body = box("Stone", (5, 0, 1))
    assert any("is connected to Stone, which is not a body" in text for text in texts())
    select(bpy.data.objects["Stone"])
    bpy.ops.ves.add_body()
    assert any("no joints lead from 'Trunk' to the foot 'Stone'" in text for text in texts())
    empty.ves.balance_feet.clear()
    assert any("has no feet" in text for text in texts())
    empty.ves.balance_feet.add().body = feet[0]
    bpy.data.objects.remove(feet[0])
    assert feet_of(empty.ves) == []


def test_a_file_comes_back_as_it_was(tmp_path: Path) -> None:
    mechanism = biped(max_torque=Table((0.0, 1.0), (100.0, 150.0)), frequency=1.25, orientation_damping_ratio=0.5)
    balance = mechanism.forces[0]
    x, y, z = mechanism.bodies[0].position
    balance.position = (x, y, Table((0.0, 1.0), (z, z - 0.25)))
    balance.orientation = (math.cos(0.1), 0.0, 0.0, math.sin(0.1))
    mechanism.save(tmp_path / "given.json")
    import_file(tmp_path / "given.json", 25)
    first, second = there_and_back(tmp_path, 25)
    assert_same(first["forces"], second["forces"])
    (found,) = first["forces"]
    assert (found["feet"], found["frequency"], found["orientation_damping_ratio"]) == (
        ("left foot", "right foot"),
        1.25,
        0.5,
    )
    assert found["position"][2]["values"][-1] == pytest.approx(z - 0.25, abs=1e-5)
    assert found["max_torque"]["values"][0] == pytest.approx(100.0)
    assert found["orientation"] == pytest.approx(balance.orientation, abs=1e-6)


def test_an_action_changes_it() -> None:
    from virtual_erector_set.scene.properties.action_targets import changeable_numbers

    trunk, feet = figure()
    numbers = changeable_numbers(add(trunk, *feet))
    assert numbers["frequency"] == 1
    assert numbers["position"] == 3
    assert "feet" not in numbers


def test_a_biped_that_is_baked_stands_up(tmp_path: Path) -> None:
    mechanism = biped(bend=0.9, max_torque=250.0)
    x, y, z = mechanism.bodies[0].position
    mechanism.forces[0].position = (x, y, Table((0.0, 0.5), (z, z + 0.1)))
    mechanism.save(tmp_path / "crouching.json")
    import_file(tmp_path / "crouching.json", 49)
    assert bpy.ops.ves.bake() == {"FINISHED"}
    scene = bpy.context.scene
    scene.frame_set(49)
    trunk = scene.objects["trunk"].matrix_world
    assert trunk.translation.z == pytest.approx(z + 0.1, abs=0.02)
    assert (trunk.to_3x3() @ Vector((0, 0, 1))).z > 0.995
    assert export(tmp_path / "again.json")["contact"]["ground"] is not None


def test_gains_weights_and_lifts_in_the_mechanism() -> None:
    trunk, feet = figure()
    settings = add(trunk, *feet).ves
    settings.balance_frequencies, settings.balance_turn_damping_ratios = (0.5, 1.0, 2.0), (1.0, 0.75, 0.5)
    settings.balance_weights[0], settings.balance_lifts[1] = 0.25, 0.125
    assert (now().frequency, now().weights, now().lifts) == (1.0, None, None)
    settings.use_balance_directions = settings.use_balance_weights = True
    found = now()
    assert (found.frequency, found.orientation_damping_ratio) == ((0.5, 1.0, 2.0), (1.0, 0.75, 0.5))
    assert (found.weights, found.lifts) == ((0.25, 1.0), (0.0, 0.125))


def test_weights_take_keys() -> None:
    trunk, feet = figure()
    bpy.context.scene.frame_end = 25
    settings = add(trunk, *feet).ves
    settings.use_balance_weights = True
    for frame, weight in ((1, 1.0), (25, 0.0)):
        settings.balance_weights[1] = weight
        settings.id_data.keyframe_insert("ves.balance_weights", index=1, frame=frame)
    bpy.context.scene.frame_set(1)
    weights = over_time().weights
    assert weights[0] == 1.0
    assert (weights[1].values[0], weights[1].values[-1]) == pytest.approx((1.0, 0.0))


def test_an_action_shifts_the_weight_of_two_feet() -> None:
    from virtual_erector_set.scene.properties.action_targets import changeable_numbers

    trunk, feet = figure()
    empty = add(trunk, *feet)
    assert "weights" not in changeable_numbers(empty)
    empty.ves.use_balance_weights = True
    numbers = changeable_numbers(empty)
    assert (numbers["weights"], numbers["lifts"]) == (2, 2)


def test_too_many_feet_for_weights_are_named() -> None:
    trunk, feet = figure()
    bpy.context.scene.ves.use_contact = True
    empty = add(trunk, *feet)
    for _ in range(7):
        empty.ves.balance_feet.add().body = feet[0]
    empty.ves.use_balance_weights = True
    assert any("more than 8 feet, too many for weights" in text for text in texts())


def test_gains_and_weights_come_back_from_a_file(tmp_path: Path) -> None:
    lifts = 0.0, Table((0.0, 1.0), (0.0, 0.25))
    biped(frequency=(1.0, 1.5, 2.0), damping_ratio=0.5, weights=(1.0, 0.0), lifts=lifts).save(tmp_path / "given.json")
    import_file(tmp_path / "given.json", 25)
    for each in there_and_back(tmp_path, 25):
        found = each["forces"][0]
        assert (found["frequency"], found["damping_ratio"]) == ((1.0, 1.5, 2.0), (0.5, 0.5, 0.5))
        assert found["weights"] == (1.0, 0.0)
        assert found["lifts"][1]["values"][-1] == pytest.approx(0.25)
