# SPDX-License-Identifier: GPL-3.0-or-later
"""A scene read into a mechanism: names, poses, forces, animated numbers, keyed bodies."""

import bpy
import numpy as np
import pytest
from mathutils import Matrix
from virtual_erector_set.scene.bake.bake import run_to_end
from virtual_erector_set.scene.findings import SceneError
from virtual_erector_set.scene.read.bodies import velocity_at_middle
from virtual_erector_set.scene.read.sampling import evaluate_at, frame_kept, is_sampling
from virtual_erector_set.scene.read.scene import read_mechanism, read_over_time
from virtual_erector_set.solver.mechanism import Mechanism, Table

from tests.blender.linkages import body, car_with_cans, chain, joint, part, world_matrices
from tests.blender.making import box


def sampled() -> Mechanism:
    return run_to_end(read_over_time(bpy.context.scene, bpy.context.view_layer)).mechanism


def now() -> Mechanism:
    bpy.context.view_layer.update()
    return read_mechanism(bpy.context.scene, bpy.context.evaluated_depsgraph_get()).mechanism


def named(items, name: str):
    return next(item for item in items if item.name == name)


def test_poses_and_mass_in_world_coordinates():
    ob = body("box", (1, 2, 3), (2, 1, 1))
    parent = part("parent", "NONE", (10, 0, 0))
    parent.rotation_euler.z = np.pi / 2
    ob.parent = parent
    ob.scale = (1, 2, 1)
    ob.ves.density = 100.0
    found = named(now().bodies, "box")
    np.testing.assert_allclose(found.position, (8, 1, 3), atol=1e-6)
    np.testing.assert_allclose(np.abs(found.orientation), (np.sqrt(0.5), 0, 0, np.sqrt(0.5)), atol=1e-6)
    assert found.mass == pytest.approx(400.0, rel=1e-6)
    np.testing.assert_allclose(np.diag(found.inertia), 400 / 12 * np.array([5, 5, 8]), rtol=1e-6)


def test_a_given_mass_is_spread_over_the_volume():
    ob = body("box", size=(2, 1, 1))
    ob.ves.mass_source, ob.ves.mass = "GIVEN", 6.0
    found = now().bodies[0]
    assert found.mass == 6.0
    np.testing.assert_allclose(np.diag(found.inertia), 0.5 * np.array([2, 5, 5]), rtol=1e-6)


def test_a_joint_is_the_empties_frame_whatever_its_scale():
    a, b = body("a"), body("b", (2, 0, 0))
    hinge = joint("hinge", (1, 0, 0.5), a, b, "CYLINDRICAL")
    hinge.rotation_euler, hinge.scale = (np.pi / 2, 0, 0), (3, 0.1, -2)
    settings = hinge.ves
    settings.stiffness, settings.damping, settings.armature = (1, 2, 9), (3, 4, 9), (5, 6, 9)
    settings.rest[0], settings.rest_travel[1] = 0.25, 0.5
    settings.use_speeds, settings.speeds[0], settings.speeds_travel[1] = True, 1.5, 2.5
    found = now().joints[0]
    assert (found.name, found.type, found.parent, found.child) == ("hinge", "cylindrical", "a", "b")
    assert (found.stiffness, found.damping, found.armature) == ((1, 2), (3, 4), (5, 6))
    assert found.rest == pytest.approx((0.25, 0.5))
    assert found.speeds == (1.5, 2.5)
    assert found.coordinates is None
    np.testing.assert_allclose(found.position, (1, 0, 0.5))
    assert np.linalg.norm(found.orientation) == pytest.approx(1.0)


@pytest.mark.parametrize("end", ["body_a", "body_b"])
def test_a_joint_with_one_body_and_the_world_holds_that_body(end):
    a = body("a")
    hinge = joint("hinge", (0, 0, 0), None, a)
    hinge.ves.body_a = hinge.ves.body_b = None
    setattr(hinge.ves, end, a)
    found = now().joints[0]
    assert (found.parent, found.child) == (None, "a")


def test_disabled_joints_take_no_part():
    rods = chain(2)
    bpy.data.objects["joint 0"].ves.enabled = False
    assert [item.name for item in now().joints] == ["joint 1"]
    assert rods


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda j, a: setattr(j.ves, "body_b", None), "only one end"),
        (lambda j, a: (setattr(j.ves, "body_a", None), setattr(j.ves, "body_b", None)), "connects nothing"),
        (lambda j, a: setattr(j.ves, "body_b", a), "to itself"),
        (lambda j, a: setattr(a.ves, "role", "NONE"), "not a body"),
    ],
)
def test_wrong_joints_are_named(change, words):
    a, b = body("a"), body("b", (2, 0, 0))
    change(joint("hinge", (1, 0, 0), a, b), a)
    with pytest.raises(SceneError, match=words) as raised:
        now()
    assert [finding.object.name for finding in raised.value.findings] == ["hinge"]


def test_gravity_damping_motors_and_springs():
    a, b = body("a"), body("b", (4, 0, 0))
    pull = part("pull", "FORCE", (0.5, 0, 0))
    pull.rotation_euler.z = np.pi
    pull.ves.force_type, pull.ves.body_a, pull.ves.force, pull.ves.torque = "MOTOR", a, (1, 2, 3), (4, 5, 6)
    light = part("light", "FORCE")
    light.ves.force_type, light.ves.body_a, light.ves.acceleration = "GRAVITY", a, (0, 0, -1.62)
    thick = part("thick", "FORCE")
    thick.ves.force_type, thick.ves.body_a, thick.ves.linear, thick.ves.angular = "DAMPING", b, 0.5, 0.25
    spring = part("spring", "FORCE", (1, 0, 0))
    spring.ves.force_type, spring.ves.body_a, spring.ves.body_b, spring.ves.point_b = "SPRING", a, b, (-1, 0, 0)
    spring.ves.spring_stiffness, spring.ves.spring_damping = 7.0, 0.5
    forces = now().forces
    assert named(forces, "pull").force == (1, 2, 3)
    assert named(forces, "pull").torque == (4, 5, 6)
    np.testing.assert_allclose(np.abs(named(forces, "pull").orientation), (0, 0, 0, 1), atol=1e-6)
    assert named(forces, "light").acceleration == pytest.approx((0, 0, -1.62))
    assert (named(forces, "thick").linear, named(forces, "thick").angular) == (0.5, 0.25)
    assert named(forces, "spring").point_b == pytest.approx((3, 0, 0))
    assert named(forces, "spring").rest_length == pytest.approx(2.0)
    assert (named(forces, "spring").stiffness, named(forces, "spring").damping) == (7.0, 0.5)


def test_animated_numbers_become_tables_and_drivers_do_too():
    a = body("a")
    bpy.context.scene.frame_end = 11
    pull = part("pull", "FORCE")
    pull.ves.force_type, pull.ves.body_a = "MOTOR", a
    pull.ves.force = (0, 0, 5)
    pull.ves.keyframe_insert("force", index=0, frame=1)
    pull.ves.force[0] = 10.0
    pull.ves.keyframe_insert("force", index=0, frame=11)
    driver = pull.driver_add("ves.torque", 1).driver
    driver.expression = "frame * 2"
    found = sampled().forces[0]
    assert isinstance(found.force[0], Table)
    assert found.force[0].values[0] == 0.0
    assert found.force[0].values[-1] == 10.0
    assert len(found.force[0].times) == 21
    assert found.force[0].times[-1] == pytest.approx(10 / 24)
    assert found.force[1:] == (0.0, 5.0)
    assert found.torque[1].values[0] == pytest.approx(2.0)
    assert found.torque[1].values[-1] == pytest.approx(22.0)


def test_numbers_that_a_script_has_set_since_the_last_evaluation_are_read():
    ob = body("a")
    air = part("air", "FORCE")
    air.ves.force_type, air.ves.body_a = "DAMPING", ob
    bpy.context.view_layer.update()
    air.ves.linear = 7.0
    assert sampled().forces[0].linear == 7.0
    air.ves.linear = 8.0
    air.ves.keyframe_insert("angular", frame=1)
    assert sampled().forces[0].linear == 8.0


def test_an_animated_joint_motor():
    rods = chain(1, 5)
    hinge = bpy.data.objects["joint 0"]
    hinge.ves.joint_type, hinge.ves.motor_mode = "REVOLUTE", "POSITION"
    hinge.ves.motor_stiffness[0], hinge.ves.motor_damping[0] = 10.0, 1.0
    hinge.ves.use_motor_max_force, hinge.ves.motor_max_force[0] = True, 50.0
    for frame, angle in ((1, 0.0), (5, 1.0)):
        hinge.ves.motor_target[0] = angle
        hinge.ves.keyframe_insert("motor_target", index=0, frame=frame)
    motor = sampled().joints[0].motor
    assert motor.mode == "position"
    assert motor.target[0].values[-1] == 1.0
    assert (motor.stiffness, motor.damping, motor.max_force) == ((10.0,), (1.0,), (50.0,))
    assert rods


def test_keyed_bodies_are_sampled_between_frames_and_still_ones_are_fixed():
    car, _ = car_with_cans(1, 9)
    idle = body("idle", (0, 9, 0), motion="KEYED")
    bpy.context.scene.ves.samples_per_frame = 4
    bodies = sampled().bodies
    keys = named(bodies, "car").keys
    assert len(keys.times) == 8 * 4 + 1
    frames = [1 + 24 * time for time in keys.times]
    np.testing.assert_allclose(keys.positions, world_matrices(car, frames)[:, :3, 3], atol=1e-6)
    assert named(bodies, idle.name).motion == "fixed"


def test_a_keyed_body_may_be_moved_by_parents_and_constraints():
    carrier = part("carrier", "NONE")
    for frame, angle in ((1, 0.0), (9, 2.0)):
        carrier.rotation_euler.z = angle
        carrier.keyframe_insert("rotation_euler", frame=frame)
    rider = body("rider", (3, 0, 0), motion="KEYED")
    rider.parent = carrier
    follower = body("follower", motion="KEYED")
    follower.constraints.new("COPY_LOCATION").target = rider
    bpy.context.scene.frame_end = 9
    bodies = sampled().bodies
    for name in ("rider", "follower"):
        last = named(bodies, name).keys.positions[-1]
        np.testing.assert_allclose(last, (3 * np.cos(2.0), 3 * np.sin(2.0), 0), atol=1e-5)


def test_a_keyed_or_fixed_child_of_a_dynamic_body_is_refused():
    child = body("child", motion="KEYED")
    child.parent = body("parent")
    with pytest.raises(SceneError, match="hangs on parent"):
        now()


def test_sampling_restores_the_frame_and_refuses_to_run_twice():
    car_with_cans(1, 9)
    scene = bpy.context.scene
    scene.frame_set(5, subframe=0.5)
    steps = read_over_time(scene, bpy.context.view_layer)
    next(steps)
    assert is_sampling()
    with pytest.raises(RuntimeError, match="already"):
        next(read_over_time(scene, bpy.context.view_layer))
    steps.close()
    assert not is_sampling()
    assert (scene.frame_current, scene.frame_subframe) == (5, 0.5)


def test_the_frame_comes_back_after_an_error_in_between():
    scene = bpy.context.scene
    scene.frame_set(5)

    def fail() -> None:
        with frame_kept(scene):
            evaluate_at(scene, bpy.context.view_layer, 7.25)
            assert (scene.frame_current, scene.frame_subframe) == (7, 0.25)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert (scene.frame_current, scene.frame_subframe) == (5, 0.0)
    assert not is_sampling()


def matrices_of(angle, place) -> np.ndarray:
    steps = np.arange(-3, 4) * 0.01
    return np.array([np.array(Matrix.Translation(place(t)) @ Matrix.Rotation(angle(t), 4, "Z")) for t in steps])


def test_velocities_of_a_smooth_motion():
    linear, angular = velocity_at_middle(matrices_of(lambda t: 3 * t + t * t, lambda t: (np.sin(2 * t), t, 0)), 0.01)
    np.testing.assert_allclose(linear, (2, 1, 0), atol=1e-4)
    np.testing.assert_allclose(angular, (0, 0, 3), atol=1e-4)


@pytest.mark.parametrize(
    ("place", "expected"),
    [(lambda t: (min(t, 0.0), 0, 0), (1, 0, 0)), (lambda t: (0, max(t, 0.0), 0), (0, 1, 0))],
    ids=["ends here", "begins here"],
)
def test_velocities_where_an_animation_ends_or_begins(place, expected):
    linear, _ = velocity_at_middle(matrices_of(lambda t: 0.0, place), 0.01)
    np.testing.assert_allclose(linear, expected, atol=1e-4)


def test_velocities_nobody_typed_are_not_asked_for():
    """Else every bake behind a moving car would say that it changed them."""
    silent, moving = body("silent"), body("moving", (5, 0, 0))
    moving.ves.angular_velocity = (0, 0, 2)
    described = {found.name: found for found in now().bodies}
    assert described["silent"].linear_velocity is None
    assert described["silent"].angular_velocity is None
    assert described["moving"].linear_velocity == (0, 0, 0)
    assert described["moving"].angular_velocity == (0, 0, 2)
    assert silent.ves.velocity_source == "GIVEN"


def test_a_linked_body_is_named(tmp_path):
    library = str(tmp_path / "library.blend")
    bpy.data.libraries.write(library, {box("stranger")})
    bpy.data.objects.remove(bpy.data.objects["stranger"])
    with bpy.data.libraries.load(library, link=True) as (_, wanted):
        wanted.objects = ["stranger"]
    linked = bpy.data.objects["stranger"]
    bpy.context.scene.collection.objects.link(linked)
    linked.ves.role = "BODY"
    with pytest.raises(SceneError, match="library override") as raised:
        now()
    assert raised.value.findings[0].object == linked


def test_time_stretching_is_refused():
    body("a")
    bpy.context.scene.render.frame_map_new = 200
    with pytest.raises(SceneError, match="Time Stretching"):
        sampled()
