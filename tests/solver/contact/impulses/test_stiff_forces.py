# SPDX-License-Identifier: GPL-3.0-or-later
"""Springs, rubbers, supports, dampers, brakes and drag far stiffer than a step: against closed forms, by impulses."""

from __future__ import annotations

import copy
import dataclasses
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from solver import Mechanism, Recording, Script, simulate
from solver.mechanism import (
    Action,
    Body,
    Brake,
    Damping,
    Distance,
    Drag,
    Joint,
    Rubber,
    Spring,
    Support,
)
from tests.solver.contact.scenes import FRAME_RATE, GRAVITY, LYING, WEIGHTLESS, sloping
from tests.truths.straight_motion import parabola

MASS, SUBSTEPS = 2.0, 10
STEP = 1.0 / FRAME_RATE / SUBSTEPS
WEIGHT = MASS * GRAVITY
LIMIT = 8.0 * MASS / STEP**2  # N/m: beyond which Runge-Kutta throws a spring about,
DAMPER_LIMIT = 2.8 * MASS / STEP  # N s/m: and a damper
TENSEGRITY = Path(__file__).resolve().parents[4] / "examples" / "tensegrity.ves"


def block(name: str = "block", **given) -> Body:
    return Body(name, **({"mass": MASS, "inertia": (0.3, 0.4, 0.5)} | given))


def run(forces, duration: float = 1.0, bodies=None, frame_rate: float = FRAME_RATE, **given) -> Recording:
    mechanism = Mechanism(bodies=[block()] if bodies is None else bodies, forces=forces, **given)
    return simulate(mechanism, duration, frame_rate, integrator="impulse", substeps=SUBSTEPS)


def hung(kind=Spring, **given):
    """From the block's middle to a point a metre above it."""
    keys = {"body_a": "block", "point_a": (0, 0, 0), "point_b": (0, 0, 1), "rest_length": 1.0} | given
    return kind("string", **keys)


def energy(recording: Recording) -> np.ndarray:
    return recording.kinetic_energy + recording.potential_energy


@pytest.mark.parametrize("damping", [0.0, 5.0])
def test_a_support_that_damps_acts(damping):
    """Not stiff at all: the block comes to where the Adams method has it."""
    mechanism = Mechanism(
        bodies=[block()], forces=[Support("foot", body="block", point=(0, 0, 0), stiffness=100.0, damping=damping)]
    )
    adams, impulse = (simulate(mechanism, 1.0, FRAME_RATE, integrator=name) for name in ("adams", "impulse"))
    assert impulse.position == pytest.approx(adams.position, abs=1e-5)


@pytest.mark.parametrize("times", [10.0, 1000.0])
@pytest.mark.parametrize("kind", ["support", "spring", "rubber", "spring without length"])
def test_a_weight_hangs_or_stands_where_it_must(kind, times):
    """Its depth is its weight over the stiffness; nothing moves any more, and no energy was won on the way."""
    stiffness = times * LIMIT
    force = {
        "support": Support("foot", body="block", point=(0, 0, 0), stiffness=stiffness, damping=0.0),
        "spring": hung(stiffness=stiffness),
        "rubber": hung(Rubber, stiffness=stiffness),
        "spring without length": hung(stiffness=stiffness, rest_length=0.0, point_b=(0, 0, 0)),
    }[kind]
    recording = run([force])
    assert recording.position[-1, 0] == pytest.approx([0, 0, -WEIGHT / stiffness], rel=1e-6, abs=1e-15)
    assert np.abs(recording.linear_velocity[-1]).max() < 1e-9
    assert np.diff(energy(recording)).max() < 1e-12


@pytest.mark.parametrize("times", [10.0, 1000.0])
@pytest.mark.parametrize("kind", ["damping", "brake", "drag"])
def test_what_resists_lets_a_weight_sink_at_its_final_speed(kind, times):
    damping = times * DAMPER_LIMIT
    force, speed = {
        "damping": (Damping("oil", body="block", linear=damping, angular=damping), WEIGHT / damping),
        "brake": (Brake("brake", body="block", point=(0, 0, 0), damping=damping), WEIGHT / damping),
        "drag": (Drag("water", body="block", coefficient=damping), np.sqrt(WEIGHT / damping)),
    }[kind]
    spin = (1, 2, 3) if kind == "damping" else (0, 0, 0)
    recording = run([force], bodies=[block(linear_velocity=(3, 0, 0), angular_velocity=spin)])
    assert recording.linear_velocity[-1, 0, 2] == pytest.approx(-speed, rel=1e-6)
    assert np.diff(energy(recording)).max() < 1e-9
    if kind != "drag":  # which hardly resists what is slow
        assert np.abs(recording.linear_velocity[-1, 0, :2]).max() < 1e-9
        assert np.abs(recording.angular_velocity[-1]).max() < 1e-4


@pytest.mark.parametrize("times", [10.0, 1000.0])
def test_an_overdamped_spring_draws_in_like_the_closed_form(times):
    """m x'' + c x' + k x = 0 with c^2 far above 4 m k: its slow root 2 / (c/k + sqrt(..)); steps of first order."""
    slowness, start = 0.5, 0.02
    stiffness = times * LIMIT
    spring = hung(stiffness=stiffness, damping=slowness * stiffness, rest_length=1.0 - start)
    recording = run([spring], gravity=WEIGHTLESS)
    rate = 2.0 / (slowness + np.sqrt(slowness**2 - 4.0 * MASS / stiffness))
    left = start - recording.position[:, 0, 2]
    assert left == pytest.approx(start * np.exp(-rate * recording.times), abs=2.0 * STEP / slowness * start)
    assert np.diff(energy(recording)).max() < 0.0


def test_soft_forces_agree_with_the_adams_method():
    forces = [
        Spring("spring", body_a="block", point_a=(0.3, 0, 0.1), point_b=(0, 1, 1), rest_length=1.0, stiffness=50.0,
               damping=0.5),
        Damping("oil", body="block", linear=0.1, angular=0.2),
        Drag("air", body="block", coefficient=0.1, wind=(1, 2, 3)),
        Brake("brake", body="block", point=(0.1, 0, 0), damping=(0.1, 0.2, 0.3)),
    ]  # fmt: skip
    mechanism = Mechanism(bodies=[block(angular_velocity=(1, 2, 3))], forces=forces)
    adams = simulate(mechanism, 1.0, FRAME_RATE, integrator="adams", relative=1e-9, absolute=1e-10)
    impulse = simulate(mechanism, 1.0, FRAME_RATE, integrator="impulse")
    assert impulse.position == pytest.approx(adams.position, abs=1e-6)
    assert np.ptp(impulse.position) > 0.1


def test_a_support_never_pulls_and_a_slack_rubber_does_nothing():
    """Strong dampers come with both; what leaves them, or has not reached them, flies on."""
    stiffness, damping = 100.0 * LIMIT, 100.0 * DAMPER_LIMIT
    given = {"stiffness": stiffness, "damping": damping}
    for force in (Support("foot", body="block", point=(0, 0, 0), **given), hung(Rubber, rest_length=9.0, **given)):
        recording = run([force], 0.3, bodies=[block(linear_velocity=(1, 0, 3))])
        truth = parabola((0, 0, 0), (1, 0, 3), (0, 0, -GRAVITY), recording.times)
        assert recording.position[:, 0] == pytest.approx(truth, abs=1e-9)


@pytest.mark.parametrize("largest", [0.5 * WEIGHT, 2.0 * WEIGHT])
def test_a_brake_gives_its_largest_force_and_no_more(largest):
    damping = 1000.0 * DAMPER_LIMIT
    recording = run([Brake("brake", body="block", point=(0, 0, 0), damping=damping, max_force=largest)])
    speed = WEIGHT / damping if largest > WEIGHT else GRAVITY - largest / MASS
    assert recording.linear_velocity[-1, 0, 2] == pytest.approx(-speed, rel=1e-5)


@pytest.mark.parametrize("stiffness", [1e4, 1e8])
def test_a_block_on_supports_slides_as_far_as_coulomb_says(stiffness):
    """Without `slope` friction rises within millimetres a second: no step of Runge-Kutta is short enough for it."""
    feet = [
        Support(f"foot {k}", body="block", point=(x, y, -0.02), stiffness=stiffness, damping=0.01 * stiffness,
                friction=0.5)
        for k, (x, y) in enumerate([(0.5, 0.5), (0.5, -0.5), (-0.5, 0.5), (-0.5, -0.5)])
    ]  # fmt: skip
    sunk = block(position=(0, 0, 0.02 - WEIGHT / 4 / stiffness), linear_velocity=(2, 0, 0))
    for foot in feet:
        foot.point = (foot.point[0], foot.point[1], -WEIGHT / 4 / stiffness)
    recording = run(feet, 1.0, bodies=[sunk])
    assert recording.position[-1, 0, 0] == pytest.approx(2.0**2 / (2.0 * 0.5 * GRAVITY), rel=0.01)
    assert np.abs(recording.linear_velocity[-1]).max() < 1e-5


@pytest.mark.parametrize(("tangent", "holds"), [(0.49, True), (0.51, False)])
def test_on_a_slope_friction_holds_or_does_not(tangent, holds):
    foot = Support("foot", body="block", point=(0, 0, 0), stiffness=1e8, damping=1e6, friction=0.5)
    recording = run([foot], 2.0, gravity=sloping(np.arctan(tangent)))
    speed = recording.linear_velocity[-1, 0, 0]
    if holds:
        assert 0.0 < speed < 0.05  # friction that is rounded off creeps
    else:
        slope = np.arctan(tangent)
        sliding = 2.0 * GRAVITY * (np.sin(slope) - 0.5 * np.cos(slope))
        assert sliding < speed < sliding + 0.05  # it is less until the block slides


def test_a_car_drops_onto_four_stiff_wheels():
    """Each carries a quarter, whatever the stiffness; the car stays level and stands still."""
    stiffness = 300.0 * LIMIT
    car = block("car", mass=1000.0, inertia=(400.0, 1200.0, 1400.0), position=(0, 0, 0.6))
    wheels = [
        Support(f"wheel {k}", body="car", point=(x, y, 0.1), stiffness=1000.0 / MASS * stiffness,
                damping=1000.0 / MASS * DAMPER_LIMIT, friction=0.8)
        for k, (x, y) in enumerate([(1.3, 0.7), (1.3, -0.7), (-1.3, 0.7), (-1.3, -0.7)])
    ]  # fmt: skip
    recording = run(wheels, 3.0, bodies=[car])
    depth = 1000.0 * GRAVITY / 4.0 / wheels[0].stiffness
    assert recording.position[-1, 0] == pytest.approx([0, 0, 0.5 - depth], abs=1e-6)
    assert recording.position[-1, 0, 2] == pytest.approx(0.5 - depth, abs=1e-9)
    assert np.abs(recording.linear_velocity[-1]).max() < 1e-7
    assert np.diff(energy(recording)).max() < 1e-6 * 1000.0 * GRAVITY


@pytest.mark.parametrize("kind", [Spring, Rubber])
@pytest.mark.parametrize("rest", [0.0, 1.0])
def test_a_free_pair_keeps_its_momentum(kind, rest):
    pair = [
        block("one", position=(-1, 0, 0), linear_velocity=(0, 1, 0), angular_velocity=(1, 2, 3)),
        block("two", mass=5.0, position=(1, 0, 0), linear_velocity=(0.3, 0, 0.5), angular_velocity=(-1, 0, 2)),
    ]
    spring = kind("spring", body_a="one", body_b="two", point_a=(-0.5, 0.2, 0), point_b=(0.5, 0, 0.1),
                  rest_length=rest, stiffness=10.0 * LIMIT, damping=10.0)  # fmt: skip
    recording = run([spring], 2.0, bodies=pair, gravity=WEIGHTLESS)
    linear, angular = np.zeros(3), np.zeros(3)
    for k, body in enumerate(pair):
        turn = Rotation.from_quat(np.roll(recording.orientation[:, k], -1, axis=-1))
        push = body.mass * recording.linear_velocity[:, k]
        spin = turn.apply(np.array(body.inertia) * turn.inv().apply(recording.angular_velocity[:, k]))
        linear, angular = linear + push, angular + np.cross(recording.position[:, k], push) + spin
    assert np.ptp(linear, axis=0).max() < 1e-10
    assert np.ptp(angular, axis=0).max() < 1e-10
    assert energy(recording).max() == energy(recording)[0]


@pytest.mark.parametrize("ends", ["world", "same tree", "two trees"])
def test_a_very_stiff_spring_is_a_rod(ends):
    """Two bars of one pendulum, or of two, tied by a spring and by a rod of the same length."""
    bars = [
        block(f"bar {k}", inertia=(0.01, 0.2, 0.2), position=(0.5 + k, 0, 0), orientation=(1, 0, 0, 0))
        for k in range(2)
    ]
    first = Joint("first", "revolute", None, "bar 0", (0, 0, 0), LYING)
    second = Joint("second", "revolute", "bar 0", "bar 1", (1, 0, 0), LYING)
    if ends == "two trees":
        second = Joint("second", "revolute", None, "bar 1", (2, 0, 0), LYING)
    a, b = ("bar 1", None) if ends == "world" else ("bar 0", "bar 1")
    points = {"point_a": (1.8, 0, 0), "point_b": (2.6, 0, 1.5)}  # far from dead points
    if ends != "world":
        points = {"point_a": (0.3, 0, 0.2), "point_b": (1.4, 0, 0.3)}
    length = float(np.linalg.norm(np.subtract(points["point_a"], points["point_b"])))
    tie = Spring("tie", body_a=a, body_b=b, **points, rest_length=length, stiffness=1e4 * LIMIT)
    loose = Mechanism(bodies=bars, joints=[first, second])
    rod = Distance("rod", body_a=a, body_b=b, **points)
    told = simulate(dataclasses.replace(loose, constraints=[rod]), 1.0, FRAME_RATE, integrator="adams")
    tied = dataclasses.replace(loose, forces=[tie])
    coarse, fine = (simulate(tied, 1.0, FRAME_RATE, integrator="impulse", substeps=n) for n in (SUBSTEPS, 8 * SUBSTEPS))
    assert coarse.position == pytest.approx(told.position, abs=5e-3)
    assert fine.position == pytest.approx(told.position, abs=5e-4)
    # what the joint says fits: the rod's force is the spring's
    assert fine.joint_force[-1, 0, :3] == pytest.approx(told.joint_force[-1, 0, :3], abs=0.02 * WEIGHT)


def test_a_spring_holds_a_hinged_arm_and_the_hinge_says_so():
    """The spring at its tip carries half of the weight, the hinge the other half."""
    arm = block("arm", position=(1, 0, 0))
    hinge = Joint("hinge", "revolute", None, "arm", (0, 0, 0), LYING)
    spring = Spring("spring", body_a="arm", point_a=(2, 0, 0), point_b=(2, 0, 3), rest_length=3.0, stiffness=1e9)
    recording = run([spring], bodies=[arm], joints=[hinge])
    assert recording.joint_force[-1, 0, :3] == pytest.approx([0, 0, 0.5 * WEIGHT], abs=1e-5)
    assert recording.joint_coordinates[-1, 0] == pytest.approx(0.25 * WEIGHT / 1e9, rel=1e-4)


def test_a_spring_may_become_stiff_on_the_way():
    """By an action: the very next step has it as it is."""
    mechanism = Mechanism(
        bodies=[block()],
        forces=[hung(stiffness=20.0, damping=20.0)],
        actions=[Action(time=0.5, target="string", set={"stiffness": 1e3 * LIMIT})],
    )
    recording = simulate(mechanism, 1.5, FRAME_RATE, integrator="impulse", substeps=SUBSTEPS)
    assert recording.position[-1, 0] == pytest.approx([0, 0, -WEIGHT / (1e3 * LIMIT)], abs=1e-9)
    assert np.abs(recording.position).max() < 1.0


@pytest.mark.parametrize("stiffness", [1e5, 1e6])
def test_a_stiff_tensegrity_snaps_together(stiffness):
    """The thesis's structure (7.2) with rubbers 5,000 and 50,000 times as stiff comes to rest in the same shape."""
    mechanism = Script.load(TENSEGRITY).mechanism
    soft = simulate(mechanism, 60.0, 1.0)
    stiff = copy.deepcopy(mechanism)
    for rubber in stiff.forces:
        if isinstance(rubber, Rubber):
            rubber.stiffness = stiffness
    recording = simulate(stiff, 8.0, FRAME_RATE, integrator="impulse", substeps=SUBSTEPS)
    assert recording.potential_energy[-1] / stiffness == pytest.approx(soft.potential_energy[-1] / 20.0, rel=1e-6)
    assert np.abs(recording.linear_velocity[-1]).max() < 1e-6
    assert energy(recording).max() == energy(recording)[0]
