# SPDX-License-Identifier: GPL-3.0-or-later
"""Forces that jump, against closed forms, by all methods and both integrators."""

from __future__ import annotations

import numpy as np
import pytest

from solver import Mechanism, evaluate, simulate
from solver.mechanism import Body, Brake, Drag, Gear, Gravity, Joint, Motor, Rubber, Spring, Support
from tests.truths import jumps

METHODS = ("recursive", "composite", "propagation", "lagrange")
WAYS = [(method, "adams") for method in (*METHODS, "divide")] + [
    ("recursive", "runge-kutta"),
    ("recursive", "implicit"),
]
ALONG_X = (0.5**0.5, 0.0, 0.5**0.5, 0.0)  # turns local Z into world X
LYING = (0.5**0.5, -(0.5**0.5), 0.0, 0.0)  # turns local Z into world Y
NONE = (0.0, 0.0, 0.0)
CLOSE = 2e-9  # a limit or a speed is found to 1e-10 of the size, which is about 4 here


def slider(speed: float = 0.0, **given) -> Mechanism:
    """A block of 2 kg on a rail along X."""
    joint = Joint("rail", type="prismatic", parent=None, child="block", position=NONE, orientation=ALONG_X, **given)
    joint.speeds = (speed,)
    return Mechanism(gravity=NONE, bodies=[Body("block", mass=2.0, inertia=(1, 1, 1))], joints=[joint])


def travel(mechanism: Mechanism, way=("recursive", "adams"), duration: float = 2.0):
    recording = simulate(mechanism, duration, 24.0, method=way[0], integrator=way[1])
    return recording, recording.joint_coordinates[:, 0]


@pytest.mark.parametrize("way", WAYS)
def test_dry_friction_stops_a_block_and_holds_it(way):
    recording, x = travel(slider(2.0, friction=(5.0,)), way)
    assert x == pytest.approx(jumps.sliding_block(2.0, 2.0, 5.0, recording.times), abs=CLOSE)
    assert recording.joint_speeds[-1, 0] == 0.0


@pytest.mark.parametrize("integrator", ["adams", "runge-kutta", "implicit"])
@pytest.mark.parametrize(
    ("speed", "slows"), [(0.05, 51.0), (1e-3, 51.0), (1e-3, 500.0), (1e-4, 5000.0), (1e-6, 5000.0)]
)
def test_hard_friction_stops_at_once_what_has_hardly_moved(integrator, speed, slows):
    """m/s and m/s2. At 5000 m/s2 it loses 5e-11 m/s between two times that are told apart; and energy all the way."""
    stop = speed / slows
    mechanism = slider(speed, friction=(2.0 * slows,))
    found = simulate(mechanism, 4.0 * stop, 10.0 / stop, integrator=integrator)
    x, t = found.joint_coordinates[:, 0], found.times
    assert x == pytest.approx(jumps.sliding_block(2.0, speed, 2.0 * slows, t), abs=1e-6 * speed * stop)
    assert found.kinetic_energy == pytest.approx(np.maximum(speed - slows * t, 0.0) ** 2, abs=1e-6 * speed**2)
    assert found.joint_speeds[-1, 0] == 0.0
    assert found.evaluations < 2000


@pytest.mark.parametrize("integrator", ["adams", "runge-kutta", "implicit"])
def test_hard_friction_stops_late_in_a_motion_too(integrator):
    """At 200 s times are 200 times as far apart. What has stood still until then is pushed for 0.1 ms."""
    pushes, slows, begins, lasts, ramp = 52.0, 51.0, 200.0, 1e-4, 1e-9  # m/s2, m/s2, s, s, s
    times = np.cumsum([0.0, begins, ramp, lasts - ramp, ramp, 1.0])
    table = {"times": list(times), "values": [2.0 * each for each in (0.0, 0.0, pushes, pushes, 0.0, 0.0)]}
    mechanism = slider(friction=(2.0 * slows,), motor={"mode": "force", "value": table})
    found = simulate(mechanism, begins + 1.0, 1.0, integrator=integrator)
    speed = (pushes - slows) * lasts
    assert found.joint_coordinates[-1, 0] == pytest.approx(0.5 * speed * (lasts + speed / slows), rel=1e-4)
    assert found.joint_speeds[-1, 0] == 0.0


@pytest.mark.parametrize("integrator", ["adams", "implicit"])
def test_geared_wheels_that_hardly_move_stop_under_hard_friction(integrator):
    """The second one turns twice as fast: both lose their energy to both axles."""
    speed, inertia, friction, ratio = 1e-3, (0.02, 0.05), (1.0, 3.0), -2.0
    bodies = [Body(f"{k}", mass=1.0, inertia=(each,) * 3, position=(k, 0, 0)) for k, each in enumerate(inertia)]
    joints = [Joint(f"{k}", "revolute", None, f"{k}", position=(k, 0, 0), friction=(friction[k],)) for k in range(2)]
    joints[0].speeds, joints[1].speeds = (speed,), (ratio * speed,)
    gear = Gear("gear", joint_a="0", joint_b="1", ratio=ratio)
    whole = inertia[0] + ratio**2 * inertia[1]
    slows = (friction[0] + abs(ratio) * friction[1]) / whole
    stop = speed / slows
    mechanism = Mechanism(gravity=NONE, bodies=bodies, joints=joints, constraints=[gear])
    found = simulate(mechanism, 4.0 * stop, 10.0 / stop, integrator=integrator)
    turned = jumps.sliding_block(whole, speed, slows * whole, found.times)
    assert found.joint_coordinates == pytest.approx(np.outer(turned, (1.0, ratio)), abs=1e-6 * speed * stop)
    energy = 0.5 * whole * np.maximum(speed - slows * found.times, 0.0) ** 2
    assert found.kinetic_energy == pytest.approx(energy, abs=1e-6 * energy[0])
    assert found.evaluations < 2000


@pytest.mark.parametrize("way", WAYS)
def test_a_spring_and_dry_friction_stop_turn_by_turn(way):
    mechanism = slider(stiffness=(8.0,), rest=(1.0,), friction=(0.9,))
    recording, x = travel(mechanism, way, duration=12.0)
    expected = 1.0 + jumps.StickingOscillator(2.0, 8.0, 0.9, -1.0).at(recording.times)
    assert x == pytest.approx(expected, abs=1e-7)
    assert np.ptp(x[-24:]) < 1e-12  # stuck beside the spring's rest
    assert abs(x[-1] - 1.0) > 0.01


def test_friction_holds_against_less_than_its_force_and_the_joint_says_how_much():
    mechanism = slider(friction=(5.0,))
    mechanism.forces = [Motor("push", body="block", point=NONE, force=(4.9, 0, 0))]
    recording, x = travel(mechanism)
    assert np.abs(x).max() < 1e-12
    assert recording.joint_force[:, 0, 0] == pytest.approx(-4.9, abs=1e-9)
    mechanism.forces[0].force = (5.1, 0.0, 0.0)
    recording, x = travel(mechanism)
    assert x == pytest.approx(0.5 * 0.1 / 2.0 * recording.times**2, abs=CLOSE)


@pytest.mark.parametrize("way", WAYS)
def test_a_motor_with_a_maximum_reaches_its_speed_and_keeps_it(way):
    mechanism = slider(motor={"mode": "speed", "target": 3.0, "max_force": 4.0})
    recording, x = travel(mechanism, way)
    assert x == pytest.approx(jumps.driven_to_speed(2.0, 4.0, 3.0, recording.times), abs=CLOSE)
    assert recording.joint_speeds[-1, 0] == 3.0


@pytest.mark.parametrize("way", WAYS)
def test_a_motor_without_a_maximum_follows_its_table(way):
    table = {"times": [0, 1, 1.5], "values": [0, 2, -1]}
    recording, x = travel(slider(motor={"mode": "speed", "target": table}), way)
    t = recording.times
    until = np.minimum(t, 1.0)
    later = np.clip(t - 1.0, 0.0, 0.5)
    expected = until**2 + 2.0 * later - 3.0 * later**2 - np.maximum(t - 1.5, 0.0)
    assert x == pytest.approx(expected, abs=1e-9)


def test_a_motor_works_against_friction_until_it_has_too_little_force():
    motor = {"mode": "speed", "target": 1.0, "max_force": {"times": [0, 1, 2], "values": [7, 7, 3]}}
    recording, x = travel(slider(friction=(5.0,), motor=motor), duration=3.0)
    assert x[24] == pytest.approx(0.5, abs=CLOSE)  # 1 m/s2 for 1 s
    assert recording.joint_speeds[24, 0] == pytest.approx(1.0, abs=1e-9)
    assert recording.joint_speeds[30, 0] == pytest.approx(1.0, abs=1e-9)  # 6 N are left at 1.25 s
    assert abs(recording.joint_speeds[-1, 0]) < 1e-12  # and less than 5 N from 1.5 s on


@pytest.mark.parametrize("way", WAYS)
def test_a_limit_stops_without_a_bounce(way):
    recording, x = travel(slider(2.0, limits=[(-1.0, 1.0)]), way)
    assert x == pytest.approx(np.minimum(2.0 * recording.times, 1.0), abs=CLOSE)
    assert recording.kinetic_energy[-1] < 1e-15


@pytest.mark.parametrize("way", WAYS)
def test_a_pendulum_lies_on_its_limit_and_leaves_it_when_lifted(way):
    body = Body("bob", mass=2.0, inertia=(1e-3, 1e-3, 1e-3), position=(1, 0, 0))
    hinge = Joint("hinge", type="revolute", parent=None, child="bob", position=NONE, orientation=LYING)
    hinge.limits = ((-0.5, 0.5),)
    lift = Motor("lift", body="bob", point=(1, 0, 0))
    lift.torque = (0.0, {"times": [0, 1, 2], "values": [0, 0, -40]}, 0.0)
    mechanism = Mechanism(bodies=[body], joints=[hinge], forces=[lift])
    recording = simulate(mechanism, 2.0, 24.0, method=way[0], integrator=way[1])
    q, weight = recording.joint_coordinates[:, 0], 2.0 * 9.81 * np.cos(0.5)
    t = recording.times
    lying = (t > 0.6) & (t < 1.4)
    assert q[lying] == pytest.approx(0.5, abs=1e-9)
    assert recording.joint_force[lying, 0, 4] == pytest.approx(-weight + 40 * np.maximum(t[lying] - 1, 0), abs=1e-6)
    leaves = 1.0 + weight / 40.0
    assert np.all(np.abs(q[(t > 0.6) & (t < leaves)] - 0.5) < 1e-9)
    assert np.all(q[t > leaves + 0.1] < 0.4999)


def test_an_impact_at_a_limit_goes_through_the_linkage():
    """Two free rods on a hinge with a stop: the stop's impulse conserves momentum and costs energy."""
    bodies = [Body(f"rod {k}", mass=1.0, inertia=(0.01, 1 / 12, 1 / 12), position=(k - 0.5, 0, 0)) for k in range(2)]
    bodies[1].angular_velocity, bodies[1].linear_velocity = (0.0, 0.0, 1.0), (0.0, 0.5, 0.0)
    hinge = Joint("hinge", type="revolute", parent="rod 0", child="rod 1", position=NONE, limits=[(-1.0, 0.3)])
    recording = simulate(Mechanism(gravity=NONE, bodies=bodies, joints=[hinge]), 3.0, 24.0)
    assert recording.joint_coordinates.max() <= 0.3 + 1e-9
    assert recording.joint_coordinates.max() > 0.25
    momentum = recording.linear_velocity.sum(axis=1)
    assert momentum == pytest.approx(np.tile(momentum[0], (len(momentum), 1)), abs=1e-9)
    spin = np.cross(recording.position, recording.linear_velocity).sum(axis=1)[:, 2]
    spin += recording.angular_velocity[:, :, 2].sum(axis=1) / 12
    assert spin == pytest.approx(spin[0], abs=1e-9)
    assert recording.kinetic_energy[-1] < recording.kinetic_energy[0] * (1 - 1e-3)


@pytest.mark.parametrize("way", WAYS + [("recursive", "impulse")])
@pytest.mark.parametrize("seed", range(6))
def test_what_rests_on_its_stop_is_knocked_off_it(way, seed):
    """Stops push and do not pull: of a chain that stands at all of them some stay in the impact of one, some go."""
    rng = np.random.default_rng(seed)
    count, nearly = 4, 1e-7
    lengths, masses = rng.uniform(0.3, 0.7, count), rng.uniform(0.5, 2.0, count)
    angles, side = rng.uniform(-1.0, 1.0, count), rng.choice([-1.0, 1.0], count)
    speeds, hit = np.zeros(count), int(rng.integers(2))
    speeds[hit] = -side[hit]
    heading, place = np.cumsum(angles), np.zeros(3)
    bodies, joints = [], []
    for k in range(count):
        along = np.array([np.cos(heading[k]), np.sin(heading[k]), 0.0])
        own = masses[k] * lengths[k] ** 2 / 12.0
        turn = (np.cos(0.5 * heading[k]), 0.0, 0.0, np.sin(0.5 * heading[k]))
        middle = place + 0.5 * lengths[k] * along
        bodies.append(Body(f"{k}", mass=masses[k], inertia=(0.02 * own, own, own), position=middle, orientation=turn))
        stop = -nearly * side[k] if k == hit else 0.0
        limits = ((stop, None),) if side[k] > 0.0 else ((None, stop),)
        joint = Joint(f"{k}", "revolute", f"{k - 1}" if k else None, f"{k}", place.copy(), limits=limits)
        joint.speeds = (speeds[k],)
        joints.append(joint)
        place += lengths[k] * along
    mechanism = Mechanism(gravity=NONE, bodies=bodies, joints=joints)
    substeps = 200 if way[1] == "impulse" else None  # in the last of which what arrives comes to a stop
    recording = simulate(mechanism, 4 * nearly, 0.25 / nearly, method=way[0], integrator=way[1], substeps=substeps)
    expected = jumps.stopped(jumps.chain_inertia(lengths, masses, angles), speeds, side)
    assert np.abs(expected - speeds).max() > 0.1
    assert recording.joint_speeds[-1] == pytest.approx(expected, abs=1e-4)


def test_limits_in_a_loop_hold():
    """A four-bar whose crank may turn only so far, driven against the stop."""
    orientation = LYING
    bodies = [
        Body("crank", mass=1.0, inertia=(0.01, 0.02, 0.02), position=(0, 0, 0.25)),
        Body("coupler", mass=1.0, inertia=(0.05, 0.1, 0.1), position=(0.5, 0, 0.5)),
        Body("rocker", mass=1.0, inertia=(0.01, 0.02, 0.02), position=(1, 0, 0.25)),
    ]
    ends = [(None, "crank", 0, 0), ("crank", "coupler", 0, 0.5), ("coupler", "rocker", 1, 0.5), (None, "rocker", 1, 0)]
    joints = [
        Joint(f"hinge {k}", type="revolute", parent=a, child=b, position=(x, 0, z), orientation=orientation)
        for k, (a, b, x, z) in enumerate(ends)
    ]
    joints[0].limits, joints[0].motor = ((-1.0, 0.4),), {"mode": "force", "value": 8.0}
    for method in METHODS:
        recording = simulate(Mechanism(bodies=bodies, joints=joints), 2.0, 24.0, method=method)
        assert recording.joint_coordinates[-1, 0] == pytest.approx(0.4, abs=1e-8)
        assert recording.joint_coordinates[:, 0].max() < 0.4 + 1e-8
        assert recording.constraint_error.max() < 1e-8


def drop(damping: float = 0.0, **given) -> Mechanism:
    ball = Body("ball", mass=2.0, inertia=(0.1, 0.1, 0.1), position=(0, 0, 0.5), **given)
    support = Support("ground", body="ball", point=(0, 0, 0.5), stiffness=800.0, damping=damping)
    return Mechanism(bodies=[ball], forces=[support])


@pytest.mark.parametrize("integrator", ["adams", "runge-kutta", "implicit"])
def test_a_support_without_loss_throws_back_to_the_same_height(integrator):
    truth = jumps.Bouncer(2.0, 800.0, 0.5)
    recording = simulate(drop(), 3 * truth.period, 1 / truth.period, integrator=integrator)
    assert recording.position[:, 0, 2] == pytest.approx(0.5, abs=2e-6)
    fine = simulate(drop(), 2.0, 240.0, integrator=integrator)
    assert fine.position[:, 0, 2].min() == pytest.approx(-truth.lowest, abs=1e-4)


def test_a_support_that_damps_never_pulls_and_settles():
    recording = simulate(drop(damping=30.0), 8.0, 24.0)
    assert recording.position[-1, 0, 2] == pytest.approx(-2.0 * 9.81 / 800.0, abs=1e-6)
    up = np.diff(recording.linear_velocity[:, 0, 2]) * 24.0
    assert up.min() > -9.81 - 1e-6


def test_a_sliding_support_stops_by_friction():
    mechanism = drop(linear_velocity=(3.0, 0.0, 0.0))
    mechanism.forces[0].friction, mechanism.forces[0].slope = 0.4, 4000.0
    mechanism.forces[0].damping = 80.0
    body = mechanism.bodies[0]
    body.position, mechanism.forces[0].point = (0, 0, -2.0 * 9.81 / 800.0), (0, 0, -2.0 * 9.81 / 800.0)
    body.inertia = (1e6, 1e6, 1e6)  # so that it does not tip over
    recording = simulate(mechanism, 2.0, 24.0)
    t = recording.times
    assert recording.position[:, 0, 0] == pytest.approx(
        jumps.sliding_block(2.0, 3.0, 0.4 * 2.0 * 9.81, t), abs=0.005
    )  # friction is rounded off below a few millimetres a second
    assert abs(recording.linear_velocity[-1, 0, 0]) < 1e-6


def test_the_slope_of_friction_is_that_of_small_speeds():
    mechanism = drop(linear_velocity=(1e-3, 0.0, 0.0))
    support = mechanism.forces[0]
    support.friction, support.slope, support.damping = 0.8, 50.0, 80.0
    mechanism.bodies[0].position = support.point = (0, 0, -2.0 * 9.81 / 800.0)
    mechanism.bodies[0].inertia = (1e6, 1e6, 1e6)
    acceleration = evaluate(mechanism).linear_acceleration[0, 0]
    assert acceleration == pytest.approx(-50.0 * 1e-3 / 2.0, rel=1e-4)


def test_air_lets_a_body_fall_no_faster_than_its_final_speed():
    body = Body("leaf", mass=0.1, inertia=(1, 1, 1))
    by_coefficient = Mechanism(bodies=[body], forces=[Drag("air", body="leaf", coefficient=0.05)])
    recording = simulate(by_coefficient, 3.0, 24.0)
    assert -recording.position[:, 0, 2] == pytest.approx(jumps.fall_in_air(0.1, 0.05, recording.times), abs=1e-5)
    by_area = Mechanism(bodies=[body], forces=[Drag("air", body="leaf", area=0.05 / (0.5 * 1.225))])
    assert simulate(by_area, 3.0).position == pytest.approx(simulate(by_coefficient, 3.0).position, abs=1e-6)


def test_wind_carries_along():
    body = Body("leaf", mass=0.1, inertia=(1, 1, 1))
    wind = Drag("wind", body="leaf", coefficient=0.5, wind=(3, 0, 0))
    at_start = evaluate(Mechanism(gravity=NONE, bodies=[body], forces=[wind]))
    assert at_start.linear_acceleration[0] == pytest.approx((0.5 * 9 / 0.1, 0, 0))


def stretched(restitution: float, **given) -> Mechanism:
    band = Rubber("band", body_a="block", point_a=NONE, point_b=(-3, 0, 0), stiffness=8.0, rest_length=2.0, **given)
    band.restitution = restitution
    return Mechanism(gravity=NONE, bodies=[Body("block", mass=2.0, inertia=(1, 1, 1))], forces=[band])


def test_a_rubber_pulls_only_when_stretched():
    recording = simulate(stretched(1.0), 2.0, 24.0)
    assert -recording.position[:, 0, 0] == pytest.approx(jumps.snap_back(2.0, 8.0, 1.0, recording.times), abs=1e-5)
    assert recording.potential_energy[0] == pytest.approx(4.0)
    assert recording.potential_energy[-1] == 0.0


@pytest.mark.parametrize("restitution", [0.1, 0.5])
def test_restitution_is_the_part_of_the_energy_that_a_rubber_gives_back(restitution):
    slack = np.pi / 4.0 / np.sqrt(restitution)
    recording = simulate(stretched(restitution), slack + 0.3, 24.0)
    returned = recording.kinetic_energy[-1] / recording.potential_energy[0]
    # the full pull acts until the ends approach with a hundredth of the speed of ringing over the whole length
    assert returned == pytest.approx(restitution, abs=1e-3)


def test_a_rubber_at_rest_pulls_as_its_spring_does():
    band = stretched(0.1)
    spring = Mechanism(bodies=band.bodies, gravity=NONE)
    spring.forces = [Spring("s", body_a="block", point_a=NONE, point_b=(-3, 0, 0), stiffness=8.0, rest_length=2.0)]
    assert evaluate(band).linear_acceleration == pytest.approx(evaluate(spring).linear_acceleration, abs=1e-12)


def test_a_rubber_that_damps_is_taut_at_once_and_never_pushes():
    band = stretched(1.0, damping=5.0)
    body = band.bodies[0]
    body.position, body.linear_velocity = (0.0, 0.0, 0.0), (2.0, 0.0, 0.0)
    band.forces[0].rest_length = 4.0  # slack for the first metre
    for integrator in ("adams", "runge-kutta"):
        recording = simulate(band, 3.0, 48.0, integrator=integrator)
        x, v = recording.position[:, 0, 0], recording.linear_velocity[:, 0, 0]
        assert v[x < 0.99][:10] == pytest.approx(2.0, abs=1e-9)
        gained = np.diff(v)
        assert gained.max() < 1e-9  # it only ever pulls back
        after = recording.times > 2.5
        assert np.ptp(v[after]) < 1e-9
        assert abs(v[-1]) < 2.0


def test_both_integrators_agree_on_a_machine_of_jumps():
    """A pendulum of three links with friction, limits and a brake, dropped onto supports."""
    bodies, joints, forces = [], [], []
    for k in range(3):
        bodies.append(Body(f"b{k}", mass=1.0, inertia=(0.02, 0.03, 0.03), position=(0.5 * k + 0.25, 0, 1.2)))
        joint = Joint(f"j{k}", type="revolute", parent=bodies[k - 1].name if k else None, child=f"b{k}",
                      position=(0.5 * k, 0, 1.2), orientation=LYING, friction=(0.3,))  # fmt: skip
        joint.limits = ((-0.8, 0.8),) if k else None
        joints.append(joint)
        point = (0.5 * k + 0.5, 0, 1.2)
        forces.append(Support(f"s{k}", body=f"b{k}", point=point, stiffness=900.0, damping=20.0, friction=0.5))
    forces.append(Brake("brake", body="b2", point=(1.5, 0, 1.2), damping=2.0, max_force=3.0))
    mechanism = Mechanism(bodies=bodies, joints=joints, forces=forces)
    adams, other = (simulate(mechanism, 2.0, 24.0, integrator=name, relative=1e-8) for name in ("adams", "runge-kutta"))
    assert adams.position == pytest.approx(other.position, abs=1e-5)
    for method in (*METHODS[1:], "divide"):
        recording = simulate(mechanism, 2.0, 24.0, relative=1e-8, method=method)
        assert recording.position == pytest.approx(adams.position, abs=1e-5)
        assert recording.joint_force == pytest.approx(adams.joint_force, abs=1e-2)


def test_a_ball_joint_comes_to_rest_against_its_stop():
    """A pendulum on a ball joint that may swing 0.5 rad about X, thrown against it, and held there by a wind."""
    body = Body("bob", mass=2.0, inertia=(0.01, 0.01, 0.01), position=(0, 0, -1))
    ball = Joint("ball", "spherical", None, "bob", NONE, speeds=(2.0, 0.0, 0.0), friction=(0.1, 0.1, 0.1))
    ball.limits = ((-0.5, 0.5), None, (-0.2, 0.2))
    mechanism = Mechanism(
        bodies=[body], joints=[ball], forces=[Gravity("wind", body="bob", acceleration=(0, 9.81, -4))]
    )
    for integrator in ("adams", "runge-kutta"):
        recording = simulate(mechanism, 4.0, 24.0, integrator=integrator)
        angle = recording.joint_coordinates[:, 0]
        assert angle.max() < 0.5 + 0.01
        assert angle[-1] == pytest.approx(0.5, abs=2e-3)
        met = int(np.argmax(angle > 0.5))
        assert np.ptp(angle[met + 6 :]) < 0.02
        assert abs(recording.joint_coordinates[-1, 1]) < 1e-9
    composite = simulate(mechanism, 4.0, 24.0, method="lagrange")
    assert composite.joint_coordinates[:, 0] == pytest.approx(angle, abs=1e-4)


def test_runge_kutta_finds_a_stop_of_friction_that_the_shortest_step_passes():
    """Fast axes with little friction: at 4.3 s one stops nearer than the times can tell, and the run ended there."""
    random, count = np.random.default_rng(103), 4
    friction = (10 ** random.uniform(-2.5, 0.3), 0.0)
    bodies = [
        Body(f"{k}", mass=1.0, inertia=(0.01, 0.01, 0.003), position=(0.5 * k + 0.25, 0, 0)) for k in range(count)
    ]
    joints = [Joint(f"{k}", "universal", f"{k - 1}" if k else None, f"{k}", (0.5 * k, 0, 0)) for k in range(count)]
    for joint in joints:
        axes = random.normal(size=4)
        joint.orientation = tuple(axes / np.linalg.norm(axes))
        joint.friction, joint.speeds = friction, tuple(random.normal(size=2) * 2.0)
    recording = simulate(Mechanism(bodies=bodies, joints=joints), 4.5, 24.0, integrator="runge-kutta")
    assert len(recording.times) == 109
