# SPDX-License-Identifier: GPL-3.0-or-later
"""Gears, racks and pulleys: closed forms, all methods and integrators, MuJoCo, actions, assembly, refusals."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from solver import Mechanism, MechanismError, assemble, evaluate, simulate
from solver.mechanism import Action, Body, Distance, Gear, Joint, JointMotor, Keys, Nail, Pulley, Rack, Spring
from tests.solver.dynamics.loops.machines import (
    X,
    Y,
    differential,
    disc,
    hinge,
    machine,
    parallelogram,
    random_machine,
    train,
)
from tests.truths.transmissions import (
    atwood,
    carrier_of_differential,
    carrier_of_planetary,
    rack_acceleration,
    train_acceleration,
)

METHODS = ("recursive", "composite", "propagation", "lagrange")
TURN = 2.0 * np.pi


def about(body: Body) -> float:
    return body.inertia[2]


def coordinate(recording, name: str) -> np.ndarray:
    """(F,) of a joint with one coordinate."""
    return recording.joint_coordinates[:, recording.joint_offsets[list(recording.joint_names).index(name)]]


def constant(values: np.ndarray) -> float:
    return float(np.abs(values - values[0]).max())


@pytest.mark.parametrize("method", METHODS)
def test_wheels_of_a_train_feel_each_others_inertia_by_the_square_of_the_ratio(method):
    mechanism = train()
    found = evaluate(mechanism, method)
    first = train_acceleration(2.0, [about(wheel) for wheel in mechanism.bodies], (-1.0 / 3.0, -2.0))
    assert found.joint_acceleration == pytest.approx([first, -first / 3.0, 2.0 * first / 3.0], rel=1e-12)
    own = 2.0 - about(mechanism.bodies[0]) * first  # what is left of the torque for the first gear
    assert found.constraint_force[0] == pytest.approx([0, 0, 0, 0, 0, -3.0 * own], abs=1e-12), "on the wheel of joint_b"
    last = about(mechanism.bodies[2]) * 2.0 * first / 3.0
    assert found.constraint_force[1] == pytest.approx([0, 0, 0, 0, 0, last], abs=1e-12)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("ratio", [1.0, 2.0, 0.3])
def test_atwoods_machine(method, ratio):
    found = evaluate(machine(2.0, 3.0, ratio), method)
    down, tension = atwood(2.0, 3.0, ratio)
    assert found.linear_acceleration == pytest.approx(np.array([[0, 0, -down], [0, 0, down / ratio]]), abs=1e-12)
    assert found.constraint_force[0] == pytest.approx([0, 0, tension, 0, 0, 0], abs=1e-11)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("radius", [0.1, -0.1])
def test_a_pinion_lifts_a_rack(method, radius):
    wheel, bar = disc("pinion", 1.0, 0.1), disc("bar", 4.0, at=(0.1, 0, 0))
    joints = [
        hinge("pinion hinge", None, "pinion", motor=JointMotor("force", value=3.0)),
        Joint("slide", "prismatic", None, "bar", (0.1, 0, 0)),
    ]
    rack = Rack("rack", joint_a="pinion hinge", joint_b="slide", radius=radius)
    found = evaluate(Mechanism(bodies=[wheel, bar], joints=joints, constraints=[rack]), method)
    expected = rack_acceleration(3.0, about(wheel), 4.0, radius, 4.0 * 9.81)
    assert found.joint_acceleration == pytest.approx([expected, radius * expected], rel=1e-12)
    lift = 4.0 * (9.81 + radius * expected)
    assert found.constraint_force[0] == pytest.approx([0, 0, lift, 0, 0, 0], abs=1e-11), "on the rack"


@pytest.mark.parametrize("method", METHODS)
def test_the_carrier_of_a_differential_turns_by_the_mean_of_its_side_gears(method):
    """Its bevel gears sit on joints that close loops, and turn on and on."""
    recording = simulate(differential(left=20.0, right=-3.0), 5.0, 10.0, method=method)
    left, right, carrier = (coordinate(recording, name) for name in ("left", "right", "carrier"))
    assert np.abs(left).max() > 10.0 * TURN
    assert carrier == pytest.approx(carrier_of_differential(left, right), abs=1e-8)
    planet = coordinate(recording, "planet on carrier")
    assert planet == pytest.approx(left - carrier, abs=1e-8)
    assert coordinate(recording, "left on carrier") == pytest.approx(left - carrier, abs=1e-8)
    assert recording.constraint_error.max() < 1e-8
    assert constant(recording.kinetic_energy + recording.potential_energy) < 1e-6


def test_two_motors_hold_an_arm_through_a_differential_shoulder():
    """Tasora's shoulder (2001): a pinion locked to the breast, two side gears on it, a motor on each in the arm.

    With th1 of the cross about X and th2 of the arm about Y, the motors turn by th1 - th2 and -th1 - th2: at rest
    their torques are T_l - T_r = m g c_y and T_l + T_r = m g c_x, for the arm's centre of mass c.
    """
    mass, center = 3.0, np.array([0.2, 0.3, -0.4])
    bodies = [disc("cross", 0.1, 0.05), disc("left", 0.1, 0.05), disc("right", 0.1, 0.05), disc("arm", mass, 0.2)]
    bodies[3].center_of_mass = center
    locked = JointMotor("speed", target=0.0)
    joints = [
        hinge("breast", None, "cross", axis=X),
        hinge("shield", "cross", "arm", axis=Y),
        hinge("left on cross", "cross", "left", axis=Y),
        hinge("right on cross", "cross", "right", axis=Y),
        hinge("left motor", "arm", "left", axis=Y, motor=locked),
        hinge("right motor", "arm", "right", axis=Y, motor=locked),
    ]
    gears = [
        Gear("left gear", joint_a="breast", joint_b="left on cross", ratio=1.0),
        Gear("right gear", joint_a="breast", joint_b="right on cross", ratio=-1.0),
    ]
    recording = simulate(Mechanism(bodies=bodies, joints=joints, constraints=gears), 0.2, 10.0)
    assert np.abs(recording.joint_coordinates).max() < 1e-9
    left, right = recording.joint_force[:, 4, 4], recording.joint_force[:, 5, 4]  # moments about Y
    weight = mass * 9.81
    assert left - right == pytest.approx(weight * center[1], rel=1e-8)
    assert left + right == pytest.approx(weight * center[0], rel=1e-8)


@pytest.mark.parametrize("integrator", ["adams", "runge-kutta", "implicit", "variational", "impulse"])
def test_a_planetary_gear_by_all_integrators(integrator):
    """Sun 24 teeth, planets 18, ring 60: the carrier by Willis' equation; the planet of mass rides on it."""
    teeth = {"sun": 24.0, "planet": 18.0, "ring": 60.0}
    bodies = [disc("sun", 1.0, 0.12), disc("ring", 2.0, 0.4), disc("carrier", 0.5, 0.2), disc("planet", 0.3, 0.09)]
    bodies[3].position = (0.21, 0.0, 0.0)
    joints = [
        hinge("sun", None, "sun", speeds=(11.0,)),
        hinge("ring", None, "ring", speeds=(-2.0,)),
        hinge("carrier", None, "carrier"),
        hinge("planet", "carrier", "planet", (0.21, 0, 0)),
        hinge("sun on carrier", "carrier", "sun"),
        hinge("ring on carrier", "carrier", "ring"),
    ]
    gears = [
        Gear("inner", joint_a="sun on carrier", joint_b="planet", ratio=-teeth["sun"] / teeth["planet"]),
        Gear("outer", joint_a="ring on carrier", joint_b="planet", ratio=teeth["ring"] / teeth["planet"]),
    ]
    mechanism = Mechanism(bodies=bodies, joints=joints, constraints=gears)
    recording = simulate(mechanism, 1.0, 20.0, integrator=integrator)
    sun, ring, carrier = (coordinate(recording, name) for name in ("sun", "ring", "carrier"))
    assert carrier == pytest.approx(carrier_of_planetary(sun, ring, teeth["sun"], teeth["ring"]), abs=1e-8)
    assert constant(recording.joint_speeds[:, 0]) < 1e-6, "nothing brakes it"


def ties_of(mechanism: Mechanism) -> set[str]:
    return {constraint.type for constraint in mechanism.constraints}


def test_all_methods_agree_on_random_machines():
    seen = set()
    for seed in range(40):
        mechanism = random_machine(seed)
        seen |= ties_of(mechanism)
        first, *others = (evaluate(mechanism, method) for method in METHODS)
        for name in ("linear_acceleration", "angular_acceleration", "joint_force", "constraint_force"):
            expected = getattr(first, name)
            scale = max(1.0, np.abs(expected).max())
            for method, other in zip(METHODS[1:], others, strict=True):
                assert np.abs(getattr(other, name) - expected).max() < 1e-9 * scale, (seed, method, name)
    assert seen == {"gear", "rack", "pulley"}


def test_methods_move_random_machines_alike_and_keep_their_energy():
    for seed in (0, 1, 2, 3):
        mechanism = random_machine(seed)
        for joint in mechanism.joints:
            joint.damping = joint.friction = joint.motor = joint.limits = None
        for k, body in enumerate(mechanism.bodies):
            if body.motion == "keyed":
                mechanism.bodies[k] = replace(body, motion="fixed", keys=None)
        first, *others = (simulate(mechanism, 0.5, 20.0, relative=1e-9, method=method) for method in METHODS)
        energy = first.kinetic_energy + first.potential_energy
        assert constant(energy) < 1e-6 * max(1.0, first.kinetic_energy.max()), seed
        assert first.constraint_error.max() < 1e-9
        for other in others:
            assert np.abs(other.position - first.position).max() < 1e-6


@pytest.mark.parametrize("integrator", ["adams", "variational", "impulse"])
def test_an_hour_of_turns_keeps_the_ratio(integrator):
    """A flywheel drives a pendulum through gears for a thousand turns: no tooth is lost."""
    seconds = 200.0 if integrator == "adams" else 20.0
    mechanism = train(0.0)
    mechanism.joints[0].motor, mechanism.joints[0].speeds = None, (30.0,)
    mechanism.gravity = (0.0, -9.81, 0.0)
    mechanism.bodies[2].center_of_mass = (0.05, 0.0, 0.0)
    recording = simulate(mechanism, seconds, 5.0, relative=1e-8, integrator=integrator)
    a, b, c = recording.joint_coordinates.T
    assert a[-1] > 4.5 * seconds * TURN
    assert np.abs(b + a / 3.0).max() < 1e-8
    assert np.abs(c + 2.0 * b).max() < 1e-8
    assert recording.constraint_error.max() < 1e-8
    energy = recording.kinetic_energy + recording.potential_energy
    assert constant(energy) < (1e-5 if integrator == "adams" else 1e-3) * energy[0]


@pytest.mark.parametrize("joint", ["left hinge", "left pin", "right pin", "right hinge"])
def test_a_gear_at_any_joint_of_a_loop_counts_whole_turns(joint):
    recording = simulate(parallelogram(joint), 4.0, 20.0, relative=1e-8)
    wheel = coordinate(recording, "wheel hinge")
    assert wheel[-1] > 6.0 * TURN
    assert coordinate(recording, joint) == pytest.approx(-0.5 * wheel, abs=1e-8)
    assert constant(recording.kinetic_energy) < 1e-6


def test_a_gear_that_is_engaged_on_the_way_keeps_what_it_finds():
    """Momentum about the wheels' axes as the gear takes hold: b turns by -3 times what a does."""
    wheels = [disc("a", 2.0, 0.3), disc("b", 1.0, 0.1, (0.4, 0, 0)), disc("c", 1.0, 0.1, (2, 0, 0))]
    hinges = [hinge(f"hinge {wheel.name}", None, wheel.name, wheel.position) for wheel in wheels]
    hinges[0].speeds = (10.0,)
    gear = Gear("gear", joint_a="hinge a", joint_b="hinge b", ratio=-3.0, enabled=False)
    spring = Spring(
        "link",
        body_a="b",
        body_b="c",
        point_a=(0.4, 0, 0),
        point_b=(2, 0, 0),
        stiffness=1.0,
        rest_length=1.6,
        damping=0,
    )
    actions = [
        Action(1.0, "gear", {"enabled": True}),
        Action(2.0, "nail", {"enabled": True}),
        Action(3.0, "hinge a", {"enabled": False}),
    ]
    nail = Nail("nail", body="c", point=(2.1, 0, 0), enabled=False)
    mechanism = Mechanism(
        bodies=wheels, joints=hinges, constraints=[gear, nail], forces=[spring], actions=actions, gravity=(0, 0, 0)
    )
    recording = simulate(mechanism, 4.0, 10.0)
    a, b = coordinate(recording, "hinge a"), coordinate(recording, "hinge b")
    Ia, Ib = about(wheels[0]), about(wheels[1])
    left = 10.0 * Ia / (Ia + 9.0 * Ib)
    on = slice(11, 30)
    assert recording.joint_speeds[on, 0] == pytest.approx(left, rel=1e-8)
    assert recording.joint_speeds[on, 1] == pytest.approx(-3.0 * left, rel=1e-8)
    assert (b + 3.0 * a)[on] == pytest.approx(30.0, abs=1e-8), "b stood still for one second"
    assert recording.joint_speeds[31:, 1] == pytest.approx(-3.0 * left, rel=1e-8), "a wheel that is off drives no more"
    assert (recording.constraint_force[31:, 0] == 0.0).all()


def test_a_rope_that_is_put_on_the_way_is_as_long_as_it_is_then():
    mechanism = machine(2.0, 3.0, 2.0)
    mechanism.constraints[0].enabled = False
    mechanism.actions = [Action(0.2, "rope", {"enabled": True})]
    recording = simulate(mechanism, 0.4, 100.0)
    fallen = 0.5 * 9.81 * 0.2**2
    span = (3.0 - recording.position[20:, 0, 2]) + 2.0 * (3.0 - recording.position[20:, 1, 2])
    assert span == pytest.approx(2.0 + 2.0 * 1.5 + 3.0 * fallen, abs=1e-9)


def test_a_keyed_wheel_drives_a_rack_on_a_keyed_carriage():
    """All that moves is told but the rack: it follows the pinion, seen from the carriage."""
    times = np.linspace(0.0, 2.0, 41)
    keyed = Keys(
        times=times,
        positions=np.stack([0.3 * times**2, 0 * times, 0 * times], axis=1),
        orientations=np.stack([np.cos(times), 0 * times, 0 * times, np.sin(times)], axis=1),
    )
    bodies = [Body("carriage", motion="keyed", keys=keyed), disc("pinion"), disc("bar", 2.0, at=(0, 0.2, 0))]
    joints = [
        hinge("axle", "carriage", "pinion", motor=JointMotor("speed", target=5.0)),
        Joint("slide", "prismatic", "carriage", "bar", (0, 0.2, 0), X),
    ]
    rack = Rack("rack", joint_a="axle", joint_b="slide", radius=0.2)
    recording = simulate(Mechanism(bodies=bodies, joints=joints, constraints=[rack]), 1.5, 20.0)
    assert coordinate(recording, "axle") == pytest.approx(5.0 * recording.times, abs=1e-8)
    assert coordinate(recording, "slide") == pytest.approx(recording.times, abs=1e-8)


MODEL = """
<mujoco>
  <option gravity="0 0 -9.81" timestep="0.001"/>
  <worldbody>
    <body name="arm" pos="0 0 1">
      <joint name="arm" type="hinge" axis="0 1 0"/><inertial pos="0.3 0 0" mass="1.2" diaginertia="0.02 0.03 0.04"/>
      <body name="wheel" pos="0.6 0 0">
        <joint name="wheel" type="hinge" axis="0 1 0"/><inertial pos="0.05 0 0.02" mass="0.7" diaginertia="0.01 0.02 0.01"/>
        <site name="hook" pos="0.1 0 0"/>
      </body>
    </body>
    <body name="bar" pos="1 0.5 0.5">
      <joint name="bar" type="slide" axis="0 0 1"/><inertial pos="0 0 0" mass="2" diaginertia="0.1 0.1 0.1"/>
    </body>
    <body name="load" pos="2 0 0.3">
      <joint name="load" type="slide" axis="0 0 1"/><inertial pos="0 0 0" mass="1.5" diaginertia="0.1 0.1 0.1"/>
      <site name="eye"/>
    </body>
    <site name="left" pos="1 0.2 2"/><site name="right" pos="2.3 0 2"/>
  </worldbody>
  <tendon>
    <spatial name="rope"><site site="hook"/><site site="left"/><pulley divisor="0.5"/><site site="right"/><site site="eye"/>
    </spatial>
  </tendon>
  <equality>
    <joint joint1="bar" joint2="arm" polycoef="0 0.4 0 0 0" solref="0.01 1" solimp="HARD HARD 0.001 0.5 2"/>
    <tendon tendon1="rope" solref="0.01 1" solimp="HARD HARD 0.001 0.5 2"/>
  </equality>
</mujoco>
"""  # noqa: E501


def test_mujoco_finds_the_same_accelerations():
    """Its joint equality and its tendon over a pulley are our rack and rope; they give by 1 - d, so d goes to 1."""
    mujoco = pytest.importorskip("mujoco")
    accelerations = []
    for d in ("0.9998", "0.9999"):
        model = mujoco.MjModel.from_xml_string(MODEL.replace("HARD", d))
        data = mujoco.MjData(model)
        mujoco.mj_forward(model, data)
        accelerations.append(data.qacc.copy())
    expected = 2.0 * accelerations[1] - accelerations[0]
    bodies = [
        Body("arm", mass=1.2, inertia=(0.02, 0.03, 0.04), center_of_mass=(0.3, 0, 0), position=(0, 0, 1)),
        Body("wheel", mass=0.7, inertia=(0.01, 0.02, 0.01), center_of_mass=(0.05, 0, 0.02), position=(0.6, 0, 1)),
        Body("bar", mass=2.0, inertia=(0.1, 0.1, 0.1), position=(1, 0.5, 0.5)),
        Body("load", mass=1.5, inertia=(0.1, 0.1, 0.1), position=(2, 0, 0.3)),
    ]
    joints = [
        hinge("arm", None, "arm", (0, 0, 1), Y),
        hinge("wheel", "arm", "wheel", (0.6, 0, 1), Y),
        Joint("bar", "prismatic", None, "bar", (1, 0.5, 0.5)),
        Joint("load", "prismatic", None, "load", (2, 0, 0.3)),
    ]
    ends = {"point_a": (0.7, 0, 1), "wheel_a": (1, 0.2, 2), "point_b": (2, 0, 0.3), "wheel_b": (2.3, 0, 2)}
    constraints = [
        Rack("rack", joint_a="arm", joint_b="bar", radius=0.4),
        Pulley("rope", body_a="wheel", body_b="load", **ends, ratio=2.0),
    ]
    found = evaluate(Mechanism(bodies=bodies, joints=joints, constraints=constraints))
    assert np.abs(expected).max() > 1.0
    assert found.joint_acceleration == pytest.approx(expected, abs=1e-4)


def test_assemble_brings_geared_arms_and_a_rope_together():
    """Two arms that mesh reach for each other: one alone would not; the rope then has the length that is asked for."""
    bodies = [
        disc("left", 1.0, 0.2, (0.0, 0, 0.5), orientation=Y),
        disc("right", 5.0, 0.2, (1.0, 0, 0.5), orientation=Y),
        disc("load", 1.0, 0.2, (2.0, 0, 0.0)),
    ]
    joints = [
        hinge("left hinge", None, "left", (0, 0, 0), Y, coordinates=(0.02,)),
        hinge("right hinge", None, "right", (1, 0, 0), Y),
        Joint("slide", "prismatic", None, "load", (2, 0, 0)),
    ]
    rope = {"point_a": (1, 0, 0.5), "wheel_a": (1, 0, 2), "point_b": (2, 0, 0), "wheel_b": (2, 0, 2)}
    constraints = [
        Gear("gear", joint_a="left hinge", joint_b="right hinge", ratio=-1.0),
        Distance("rod", body_a="left", body_b="right", point_a=(0, 0, 1), point_b=(1, 0, 1), distance=0.7),
        Pulley("rope", body_a="right", body_b="load", **rope, ratio=0.5, length=2.2),
    ]
    mechanism = Mechanism(bodies=bodies, joints=joints, constraints=constraints)
    with pytest.raises(MechanismError, match=r"constraint 'rope': its sides are 0\.3 m apart"):
        simulate(replace(mechanism, constraints=constraints[::2]), 0.0)
    together = assemble(mechanism)
    angles = [_about_y(body, start) for body, start in zip(together.bodies[:2], bodies, strict=False)]
    assert angles[1] == pytest.approx(-angles[0] + 0.02, abs=1e-8), "what the gear had, it keeps"
    assert abs(angles[0]) > 0.1
    assert together.constraints[2].length == 2.2
    recording = simulate(together, 0.1, 20.0)
    assert recording.constraint_error.max() < 1e-8
    ends = together.constraints[2]
    span = np.linalg.norm(np.subtract(ends.point_a, ends.wheel_a)) + 0.5 * np.linalg.norm(
        np.subtract(ends.point_b, ends.wheel_b)
    )
    assert span == pytest.approx(2.2, abs=1e-8)


def _about_y(body: Body, start: Body) -> float:
    """The angle by which a body has turned about the axis of its hinge, which is Y or -Y in the world."""
    w, x, y, z = body.orientation
    c, s = np.array([w, x, y, z]), np.array(start.orientation)
    conjugate = s * np.array([1, -1, -1, -1])
    real = c[0] * conjugate[0] - c[1:] @ conjugate[1:]
    vector = c[0] * conjugate[1:] + conjugate[0] * c[1:] + np.cross(c[1:], conjugate[1:])
    assert vector[[0, 2]] == pytest.approx([0, 0], abs=1e-7)
    axis = np.array([0.0, 1.0, 0.0])  # Y turns the joint's z to the world's y
    return 2.0 * np.arctan2(vector @ axis, real)


def test_methods_that_take_trees_only_refuse_by_name():
    with pytest.raises(MechanismError, match=r"constraint 'first'.*method divide takes trees only"):
        simulate(train(), 0.1, method="divide")


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (
            {"joint_a": "ball"},
            "constraint 'g': joint_a must be a revolute, prismatic or screw joint, but 'ball' is sphe",
        ),
        (
            {"joint_b": "hinge"},
            "constraint 'g': joint_b names the joint 'hinge', which there is not; is 'hinge c' mean",
        ),
        ({"joint_b": "hinge a"}, "constraint 'g' couples a joint to itself: joint_a and joint_b are the same"),
        ({"ratio": 0.0}, "constraint 'g': ratio must not be 0: joint_b would stand still"),
    ],
)
def test_gears_that_cannot_be_are_named(change, problem):
    mechanism = train()
    mechanism.bodies.append(disc("d"))
    mechanism.joints.append(Joint("ball", "spherical", None, "d", (0, 0, 0)))
    mechanism.constraints = [Gear("g", **{"joint_a": "hinge a", "joint_b": "hinge b", "ratio": 1.0} | change)]
    (found,) = mechanism.problems()
    assert found.startswith(problem)


def test_racks_and_ropes_that_cannot_be_are_named():
    mechanism = train()
    mechanism.constraints = [Rack("r", joint_a="hinge a", joint_b="hinge b", radius=0.1)]
    assert mechanism.problems() == ["constraint 'r': joint_b must be a prismatic joint, but 'hinge b' is revolute"]
    ends = {"point_a": (0, 0, 0), "wheel_a": (0, 0, 1), "point_b": (1, 0, 0), "wheel_b": (1, 0, 0)}
    mechanism.constraints = [Pulley("p", body_a="a", wheel_body_a="a", body_b="b", **ends)]
    assert mechanism.problems() == [
        "constraint 'p' ties a body to its own wheel: body_a and wheel_body_a are the same",
        "constraint 'p': point_b is the same point as wheel_b, so that the rope has no direction there",
    ]


def test_they_are_written_and_read_back(tmp_path):
    mechanism = train()
    mechanism.constraints.append(machine(1.0, 1.0, 2.0).constraints[0])
    mechanism.save(tmp_path / "train.ves")
    again = Mechanism.load(tmp_path / "train.ves")
    assert again.constraints == mechanism.constraints
