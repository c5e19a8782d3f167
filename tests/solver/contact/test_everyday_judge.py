# SPDX-License-Identifier: GPL-3.0-or-later
"""The judge of everyday scenes: it lets pass what is right, finds what has been tampered with, and counts all work."""

from __future__ import annotations

import copy

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from solver import Mechanism, SimulationFailed, simulate
from solver.mechanism import Box, Capsule, Cylinder, Gear, Hull, JointMotor, Material, Rack, Sphere
from tests.solver.contact import gauges
from tests.solver.contact.everyday import judge as judging
from tests.solver.contact.everyday.building import Scene, X, Y, Z, quaternion, revolved
from tests.solver.contact.everyday.jams import is_jammed
from tests.solver.contact.everyday.judge import GAINED, SUNK, examine, judge, kinetic_energy
from tests.solver.contact.everyday.overlaps import Overlaps
from tests.solver.contact.everyday.shrinking import shrink
from tests.solver.contact.everyday.work import work
from tests.solver.contact.scenes import meets_bodies

RATE = 480.0

pytestmark = meets_bodies


def quiet_scene(**given) -> Scene:
    """Without any chance in surfaces."""
    scene = Scene(np.random.default_rng(0), **given)
    scene.surface = lambda: None
    return scene


def knocked_box() -> Mechanism:
    """A ball rolls at a box beside a short chain that hangs, on the ground."""
    s = quiet_scene()
    s.body("box", Box(half_size=(0.2, 0.2, 0.2)), (0.0, 0.0, 0.2), 1.0)
    s.throw(s.body("ball", Sphere(radius=0.1), (-0.6, 0.0, 0.1), 1.0), (2.0, 0.0, 0.0))
    s.chain("chain", [(2.0, 0.0, 2.0), (2.3, 0.0, 1.8), (2.6, 0.0, 1.7)], 0.02, 0.5)
    return s.mechanism("knocked box")


def ran(mechanism: Mechanism, duration: float = 1.0):
    return simulate(mechanism, duration, RATE, integrator="impulse", substeps=1)


@pytest.fixture(scope="module")
def right():
    mechanism = knocked_box()
    return mechanism, ran(mechanism)


@pytest.fixture
def tampered(right):
    return right[0], copy.deepcopy(right[1])


def test_what_is_right_passes(right):
    verdict = judge(*right)
    assert verdict.symptoms == {}
    assert verdict.figures["gained"] < 0.1 * GAINED


def test_by_frames_too():
    assert examine(knocked_box(), 1.0, by_steps=False, repeat=True).symptoms == {}


def test_a_number_that_is_none(tampered):
    tampered[1].joint_speeds[100, 0] = np.nan
    assert set(judge(*tampered).symptoms) == {"not finite"}


def test_speeds_that_grow_out_of_nothing(tampered):
    mechanism, recording = tampered
    recording.linear_velocity[60:] *= 1.01
    recording.angular_velocity[60:] *= 1.01
    recording.kinetic_energy[:] = kinetic_energy(mechanism, recording)
    assert {"gained", "momentum"} <= set(judge(mechanism, recording).symptoms)


def test_energy_that_is_not_that_of_the_speeds(tampered):
    tampered[1].linear_velocity[60:, 1] *= 1.01
    assert "misreported" in judge(*tampered).symptoms


def test_a_body_in_another(tampered):
    mechanism, recording = tampered
    box, ball = (gauges.number_of(recording, name) for name in ("box", "ball"))
    recording.position[200:208, ball] = recording.position[200:208, box] + (0.295, 0.0, -0.1)
    assert "'box' and 'ball' overlap by 5 mm, 2.5 %" in judge(mechanism, recording).symptoms["sunk"]


def test_a_body_in_the_ground(tampered):
    tampered[1].position[300:308, 0, 2] -= 1.1 * SUNK * 0.4
    assert "'box' and 'ground'" in judge(*tampered).symptoms["sunk"]


def test_a_body_that_is_a_little_in_the_ground(tampered):
    tampered[1].position[300:308, 0, 2] -= 0.9 * SUNK * 0.4
    assert "sunk" not in judge(*tampered).symptoms


def test_a_joint_that_opens(tampered):
    tampered[1].position[300, -1] += (0.0, 1e-5, 0.0)
    assert set(judge(*tampered).symptoms) == {"opened"}


def test_a_hinge_whose_axis_leans():
    s = quiet_scene()
    s.chain("chain", [(0.0, 0.0, 2.0), (0.3, 0.0, 1.8), (0.6, 0.0, 1.7)], 0.02, 0.5, kind="revolute")
    mechanism = s.mechanism("hinged")
    recording = ran(mechanism, 0.2)
    assert judge(mechanism, recording).symptoms == {}
    # about the pin itself, so that nothing moves away from it
    turn = Rotation.from_rotvec(1e-4 * Z)
    pin = np.array((0.0, 0.0, 2.0))
    recording.position[50, 0] = pin + turn.apply(recording.position[50, 0] - pin)
    before = Rotation.from_quat(np.roll(recording.orientation[50, 0], -1))
    recording.orientation[50, 0] = quaternion(turn * before)
    assert "opened" in judge(mechanism, recording).symptoms


def test_momentum_out_of_nothing(tampered):
    mechanism, recording = tampered
    recording.linear_velocity[240:, 1, 1] += 1e-4
    recording.kinetic_energy[:] = kinetic_energy(mechanism, recording)
    assert set(judge(mechanism, recording).symptoms) == {"momentum"}


def test_spin_out_of_nothing():
    s = quiet_scene(ground=False, weight=False)
    s.throw(
        s.body("rod", Capsule(radius=0.05, half_length=0.3), (0.0, 0.0, 0.0), 1.0), (0.0, 0.0, 0.0), (0.0, 1.0, 0.0)
    )
    s.throw(s.body("ball", Sphere(radius=0.1), (-1.0, 0.0, 0.2), 1.0), (3.0, 0.0, 0.0))
    mechanism = s.mechanism("adrift")
    recording = ran(mechanism, 0.6)
    assert judge(mechanism, recording).symptoms == {}
    recording.angular_velocity[100:, 0] *= 1.0 - 1e-3  # which takes energy
    recording.kinetic_energy[:] = kinetic_energy(mechanism, recording)
    assert set(judge(mechanism, recording).symptoms) == {"momentum"}


def test_a_constraint_that_gives_way(right):
    s = quiet_scene()
    wheels = [s.body(f"wheel {k}", Cylinder(radius=0.1, half_length=0.05), (0.4 * k, 0.0, 1.0), 1.0) for k in range(2)]
    hinges = [s.joint("revolute", None, wheel, wheel.position, Y) for wheel in wheels]
    s.constraints.append(Gear(name="gear", joint_a=hinges[0].name, joint_b=hinges[1].name, ratio=-1.0))
    mechanism = s.mechanism("geared")
    recording = ran(mechanism, 0.1)
    assert judge(mechanism, recording).symptoms == {}
    recording.constraint_error[3] = 1e-4
    assert set(judge(mechanism, recording).symptoms) == {"untied"}


def test_a_run_that_stops(monkeypatch, right):
    def stops(*_, **__):
        raise SimulationFailed(0.5, "because", ["box"], right[1])

    monkeypatch.setattr(judging, "simulate", stops)
    assert examine(right[0], 1.0).symptoms == {"stopped": "stopped at 0.5 s: because"}


def test_a_run_that_breaks(monkeypatch, right):
    def breaks(*_, **__):
        raise ZeroDivisionError("by nothing")

    monkeypatch.setattr(judging, "simulate", breaks)
    assert examine(right[0], 1.0).symptoms == {"crashed": "ZeroDivisionError: by nothing"}


def test_a_second_run_that_differs(monkeypatch, right):
    mechanism, recording = right
    other = copy.deepcopy(recording)
    other.position[50, 0, 0] = np.nextafter(other.position[50, 0, 0], 9.0)
    answers = iter([recording, other])
    monkeypatch.setattr(judging, "simulate", lambda *_, **__: next(answers))
    assert set(examine(mechanism, 1.0, repeat=True).symptoms) == {"differs"}


# ---- work


def balance(mechanism: Mechanism, duration: float = 1.0) -> float:
    """The difference of energy and work, as a part of the work."""
    recording = ran(mechanism, duration)
    done = work(mechanism, recording)
    own = recording.kinetic_energy + recording.potential_energy - done.done
    assert done.known
    assert done.moved[-1] > 0.01
    return float(np.abs(own - own[0]).max() / done.moved[-1])


def test_work_of_motors_through_a_gear_and_on_a_carrier():
    s = quiet_scene()
    arm = s.body("arm", Box(half_size=(0.3, 0.05, 0.05)), (0.3, 0.0, 1.0), 2.0)
    s.joint("revolute", None, arm, (0.0, 0.0, 1.0), Y, motor=JointMotor(mode="force", value=3.0))
    wheel = s.body("wheel", Cylinder(radius=0.1, half_length=0.05), (0.6, 0.3, 1.0), 1.0)
    motor = JointMotor(mode="speed", target=20.0, max_force=0.5)
    hinge = s.joint("revolute", arm, wheel, wheel.position, Z, motor=motor)
    other = s.body("other wheel", Cylinder(radius=0.1, half_length=0.05), (0.6, -0.3, 1.0), 1.0)
    geared = s.joint("revolute", arm, other, other.position, Z)
    s.constraints.append(Gear(name="gear", joint_a=hinge.name, joint_b=geared.name, ratio=-2.0))
    assert balance(s.mechanism("carrier")) < 1e-4


def test_work_of_a_motor_through_a_rack():
    s = quiet_scene()
    pinion = s.body("pinion", Cylinder(radius=0.1, half_length=0.05), (0.0, 0.0, 1.0), 1.0)
    motor = JointMotor(mode="speed", target=5.0, max_force=2.0)
    turning = s.joint("revolute", None, pinion, pinion.position, Y, motor=motor)
    rack = s.body("rack", Box(half_size=(0.5, 0.05, 0.05)), (0.0, 0.0, 2.0), 3.0)
    sliding = s.joint("prismatic", None, rack, rack.position, X)
    s.constraints.append(Rack(name="rack and pinion", joint_a=turning.name, joint_b=sliding.name, radius=0.1))
    assert balance(s.mechanism("rack")) < 1e-6


def test_work_of_a_servo_and_of_a_screw():
    s = quiet_scene()
    bat = s.body("bat", Box(half_size=(0.3, 0.03, 0.05)), (0.3, 0.0, 1.0), 1.0)
    servo = JointMotor(mode="position", target=1.0, stiffness=5.0, damping=0.1, max_force=2.0)
    s.joint("revolute", None, bat, (0.0, 0.0, 1.0), Z, motor=servo)
    screw = s.body("screw", Cylinder(radius=0.1, half_length=0.2), (2.0, 0.0, 1.0), 1.0)
    motor = JointMotor(mode="speed", target=10.0, max_force=1.0)
    s.joint("screw", None, screw, screw.position, Z, pitch=0.01, motor=motor)
    assert balance(s.mechanism("servo")) < 1e-5


def test_work_of_what_glides_with_a_chain_on_it():
    s = quiet_scene()
    trolley = s.gliding("trolley", Box(half_size=(0.2, 0.2, 0.05)), (0.0, 0.0, 2.1), (1.5, 0.0, 0.0))
    first = s.chain("chain", [(0.0, 0.0, 2.0), (0.0, 0.0, 1.7), (0.0, 0.0, 1.4)], 0.02, 1.0, trolley)
    for joint, link in zip(s.joints, first, strict=True):
        joint.damping, link.linear_velocity = None, (0.0, 0.0, 0.0)
    mechanism = s.mechanism("crane")
    assert balance(mechanism) < 1e-5


def test_work_of_what_turns_with_a_rod_on_it():
    s = quiet_scene()
    base = s.spinning("base", Box(half_size=(0.4, 0.05, 0.05)), (0.0, 0.0, 2.0), Z, 3.0)
    rod = s.rod("rod", (0.4, 0.0, 2.0), (0.4, 0.0, 1.2), 0.02, 1.0, short=0.02)
    s.joint("spherical", base, rod, (0.4, 0.0, 2.0))
    assert balance(s.mechanism("carousel")) < 1e-3


def test_work_of_a_belt_that_carries_along():
    """What the belt gives beyond the box's energy is friction's: its slip times the force, by momentum."""
    s = quiet_scene(ground=False)
    s.gliding("belt", Box(half_size=(9.0, 0.5, 0.05)), (0.0, 0.0, 0.5), (1.0, 0.0, 0.0))
    box = s.body("box", Box(half_size=(0.1, 0.1, 0.1)), (0.0, 0.0, 0.65), 2.0)
    mechanism = s.mechanism("belt")
    recording = ran(mechanism)
    done = work(mechanism, recording)
    assert recording.linear_velocity[-1, 1] == pytest.approx((1.0, 0.0, 0.0), abs=1e-6)
    assert done.done[-1] == pytest.approx(box.mass * 1.0 * 1.0, rel=1e-6)
    assert judge(mechanism, recording).symptoms == {}


def test_work_that_cannot_be_counted():
    s = quiet_scene()
    base = s.swaying("base", Box(half_size=(0.1, 0.1, 0.1)), (0.0, 0.0, 2.0), (0.5, 0.0, 0.0), 1.0)
    rod = s.rod("rod", (0.0, 0.0, 1.8), (0.0, 0.0, 1.0), 0.02, 1.0)
    s.joint("spherical", base, rod, (0.0, 0.0, 1.8))
    s.spring(rod, None, (0.0, 0.0, 1.0), (0.0, 0.0, 0.0), 10.0, 1.0)
    mechanism = s.mechanism("held twice")
    assert not work(mechanism, ran(mechanism, 0.1)).known


# ---- depths


def poses_of(mechanism: Mechanism) -> tuple[np.ndarray, np.ndarray]:
    return np.array([body.position for body in mechanism.bodies]), np.array([b.orientation for b in mechanism.bodies])


def depth_of(s: Scene) -> float:
    mechanism = s.mechanism("overlapping")
    return max((found.depth for found in Overlaps(mechanism).at(*poses_of(mechanism))), default=0.0)


def test_depths_are_those_of_the_separating_axis():
    rng, compared = np.random.default_rng(5), 0
    for _ in range(60):
        s = quiet_scene(ground=False)
        for name in ("one", "other"):
            shape = s.rock(0.2) if rng.random() < 0.5 else Box(half_size=rng.uniform(0.05, 0.2, 3))
            place = rng.uniform(-0.15, 0.15, 3)
            turn = Rotation.from_quat(rng.normal(size=4))
            s.body(name, shape, place, 1.0, turn)
        s.rng = rng
        mechanism = s.mechanism("pair")
        recording = simulate(mechanism, 0.0)
        expected = gauges.overlap(mechanism, recording, 0)
        assert depth_of(s) == pytest.approx(expected, abs=1e-6)
        compared += expected > 0.0
    assert compared > 20


@pytest.mark.parametrize("height", [0.19, 0.205])
def test_depth_of_round_things_on_the_ground_and_on_each_other(height):
    s = quiet_scene()
    s.body("lower", Cylinder(radius=0.3, half_length=0.1), (0.0, 0.0, 0.1), 1.0)
    s.body(
        "upper",
        Capsule(radius=0.1, half_length=0.2),
        (0.0, 0.0, 0.1 + height + 0.0),
        1.0,
        Rotation.from_rotvec(0.5 * np.pi * X),
    )
    assert depth_of(s) == pytest.approx(max(0.0, 0.2 - height), abs=1e-6)


def test_depth_in_a_mesh():
    s = quiet_scene(ground=False)
    profile = [(0.1 * k, 0.5 * (0.1 * k) ** 2) for k in range(11)]
    s.fixed("bowl", revolved(profile, 48), (0.0, 0.0, 1.0))
    s.body("ball", Sphere(radius=0.1), (0.0, 0.0, 1.08), 1.0)
    s.body("box", Box(half_size=(0.02, 0.02, 0.02)), (0.0, 0.5, 1.1355), 1.0)
    mechanism = s.mechanism("bowl")
    found = {each.one: each.depth for each in Overlaps(mechanism).at(*poses_of(mechanism))}
    assert found["ball"] == pytest.approx(0.02, abs=1e-3)
    corner = 1.1355 - 0.02 - 1.0 - 0.5 * 0.52**2  # the corner at y = 0.52, straight down
    assert found["box"] == pytest.approx(-corner * np.cos(np.arctan(0.52)), abs=2e-3)


def test_what_fell_over_the_brim_is_not_in_the_mesh():
    s = quiet_scene(ground=False)
    s.fixed("plate", revolved([(0.0, 0.0), (0.5, 0.0)], 16), (0.0, 0.0, 1.0))
    s.body("ball", Sphere(radius=0.1), (0.45, 0.0, 0.95), 1.0)
    mechanism = s.mechanism("plate")
    overlaps, (position, orientation) = Overlaps(mechanism), poses_of(mechanism)
    assert overlaps.at(position, orientation)
    away = position + np.array([(0.0, 0.0, 0.0), (0.6, 0.0, 0.0)])
    assert not overlaps.at(away, orientation)
    assert not overlaps.at(position, orientation)


def test_hulls_lie_where_they_are():
    """MuJoCo has meshes about their own middle and axes."""
    s = quiet_scene(ground=False)
    points = np.array([(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 0.3, 0.0), (0.0, 0.0, 0.2)])
    s.body("wedge", Hull(points=points), (0.0, 0.0, 0.0), 1.0)
    s.body("ball", Sphere(radius=0.05), (0.5, 0.05, -0.04), 1.0)
    assert depth_of(s) == pytest.approx(0.01, abs=1e-6)


# ---- scenes that fail, made smaller


def test_shrinking_keeps_what_fails():
    s = Scene(np.random.default_rng(3))
    s.heap("thing", (0.0, 0.0, 0.0), (2, 2, 1), 0.2)
    chain = s.chain("chain", [(2.0, 0.0, 2.0), (2.3, 0.0, 1.8), (2.6, 0.0, 1.7)], 0.02, 0.5)
    s.spring(chain[0], s.bodies[0], (2.0, 0.0, 2.0), (0.2, 0.2, 0.2), 10.0, 1.0)
    small = shrink(s.mechanism("too much"), lambda mechanism: any(b.name == "thing 2" for b in mechanism.bodies))
    assert [body.name for body in small.bodies] == ["thing 2"]
    assert not small.joints
    assert not small.forces


@pytest.mark.parametrize(("friction", "speed", "jams"), [(0.42, 1.0, True), (0.41, 1.0, False), (0.42, -1.0, False)])
def test_a_ball_jams_a_box_where_friction_holds_against_it(friction, speed, jams):
    """It comes at the box's upper edge at 45 degrees: a force at half of that is within both cones from 0.4142 on."""
    s = quiet_scene()
    s.body("box", Box(half_size=(0.1, 0.1, 0.1)), (0.0, 0.0, 0.1), 1.0)
    away = 0.29999 * 0.5**0.5
    s.gliding("ball", Sphere(radius=0.3), (-0.1 - away, 0.0, 0.2 + away), (speed, 0.0, 0.0))
    mechanism = s.mechanism("wedge")
    for body in mechanism.bodies:
        body.material = Material(friction=friction)
    mechanism.contact.ground.friction = friction
    assert is_jammed(mechanism, ran(mechanism, 1.0 / RATE), 0) == jams


def test_what_had_sunk_may_come_up_while_a_corner_stays_as_deep():
    """A box that tilts: its middle rises from an overlap, and no more than that is let pass."""
    s = quiet_scene()
    s.body("box", Box(half_size=(0.2, 0.2, 0.2)), (0.0, 0.0, 0.2), 1.0)
    mechanism = s.mechanism("box that tilts")
    recording = ran(mechanism)

    def moved(middle: float, corner: float):
        """From rest with an overlap of 0.1 mm to a middle at a height, and a corner below it (m)."""
        tampered = copy.deepcopy(recording)
        for frames, depth, tilt in ((slice(100, 200), 1e-4, 0.0), (slice(200, None), -middle, (middle - corner) / 0.2)):
            rise = -depth - (tampered.position[frames, 0, 2] - 0.2)
            tampered.position[frames, 0, 2] += rise
            tampered.potential_energy[frames] += 9.81 * rise
            tampered.orientation[frames, 0] = quaternion(Rotation.from_rotvec((0.0, tilt, 0.0)))
        return judge(mechanism, tampered).symptoms

    assert moved(-0.5e-4, -1e-4) == {}
    assert moved(1e-4, -1e-4).keys() == {"gained"}
