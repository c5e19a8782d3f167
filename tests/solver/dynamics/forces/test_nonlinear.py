# SPDX-License-Identifier: GPL-3.0-or-later
"""Dampers, axes of joints, supports and soft limits by tables, against closed forms, SciPy and their linear kin."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp, trapezoid
from scipy.interpolate import PchipInterpolator

from solver import Mechanism, evaluate, simulate
from solver.mechanism import (
    Action,
    AxisPull,
    Body,
    Contact,
    Damper,
    Ground,
    Joint,
    MechanismError,
    Pull,
    Push,
    Rubber,
    Sphere,
    Spring,
    Stop,
    Support,
)
from solver.model.curves import curve_of, force_at
from tests.truths.nonlinear import duffing_period, quadratic_stop, rebound_speed

ALL = ("adams", "runge-kutta", "implicit", "impulse", "variational")
EXACT = {"relative": 1e-9, "absolute": 1e-10}
MASS = 2.0
FOAM = {"depths": (0.0, 0.02, 0.05, 0.08, 0.1), "forces": (0.0, 10.0, 60.0, 200.0, 500.0)}
DIGRESSIVE = Damper(rates=(-2.0, -0.5, -0.1, 0.0, 0.1, 0.5, 2.0), forces=(-90.0, -50.0, -25.0, 0.0, 40.0, 110.0, 170.0))


def slider(kind: str = "prismatic", gravity=(0.0, 0.0, 0.0), **joint) -> Mechanism:
    """A block that slides along Z, or a wheel that turns about it, by a joint of such settings."""
    block = Body(name="block", mass=MASS, inertia=(1.0, 1.0, MASS))
    guide = Joint(name="guide", type=kind, parent=None, child="block", position=(0, 0, 0), **joint)
    return Mechanism(gravity=gravity, bodies=[block], joints=[guide])


def hung(force, speed: float = 0.0, gravity=(0.0, 0.0, -9.81)) -> Mechanism:
    """A ball that falls, with one force."""
    ball = Body(name="ball", mass=MASS, inertia=(0.1, 0.1, 0.1), linear_velocity=(0.0, 0.0, speed))
    return Mechanism(gravity=gravity, bodies=[ball], forces=[force])


def between(**spring) -> Spring:
    """From the ball to a point a metre above it."""
    return Spring("strut", body_a="ball", point_a=(0, 0, 0), point_b=(0, 0, 1), **spring)


def duffing(stiffness: float, cubic: float) -> AxisPull:
    """Points of a cubic law so dense that monotone cubics between them err by 1e-7 of it."""
    x = np.linspace(-0.6, 0.6, 401)
    return AxisPull(coordinates=x, forces=stiffness * x + cubic * x**3)


@pytest.mark.parametrize("kind", ["prismatic", "revolute"])
@pytest.mark.parametrize(("stiffness", "cubic"), [(50.0, 0.0), (50.0, 400.0), (0.0, 400.0)])
@pytest.mark.parametrize("integrator", ALL)
def test_the_period_is_duffings(integrator, stiffness, cubic, kind):
    """By the elliptic integral; `variational` and `impulse` err by the square of their steps."""
    T = duffing_period(MASS, stiffness, cubic, 0.5)
    mechanism = slider(kind, pull=duffing(stiffness, cubic), coordinates=(0.5,))
    steps = {"variational": 400, "impulse": 400}.get(integrator)
    options = EXACT | ({"substeps": steps} if steps else {})
    found = simulate(mechanism, 2.0 * T, frame_rate=4.0 / T, integrator=integrator, **options)
    within = 2e-4 if steps else 3e-5
    assert found.joint_coordinates[:, 0] == pytest.approx([0.5, 0, -0.5, 0, 0.5, 0, -0.5, 0, 0.5], abs=within)
    total = found.kinetic_energy + found.potential_energy
    assert total == pytest.approx(np.full(9, total[0]), rel=within)
    stored = 0.5 * stiffness * 0.25 + 0.25 * cubic * 0.0625
    assert found.potential_energy[0] == pytest.approx(stored, rel=1e-5)


@pytest.mark.parametrize("place", ["joint", "spring"])
@pytest.mark.parametrize("integrator", ALL)
def test_a_quadratic_damper_stops_as_its_closed_form(integrator, place):
    rates = np.linspace(0.0, 6.0, 601)
    damper, speed = Damper(rates=rates, forces=1.5 * rates**2), 5.0
    mechanism = slider(damper=damper, speeds=(speed,))
    if place == "spring":
        spring = between(stiffness=0.0, rest_length=1.0, damper=damper)
        mechanism = hung(spring, -speed, (0.0, 0.0, 0.0))
    options = EXACT | ({"substeps": 40} if integrator == "variational" else {})
    found = simulate(mechanism, 2.0, integrator=integrator, **options)
    way, left = np.transpose([quadratic_stop(MASS, 1.5, speed, t) for t in found.times])
    within = 2e-3 if integrator == "variational" else 2e-5
    assert np.abs(found.position[:, 0, 2]) == pytest.approx(way, abs=within)
    assert np.abs(found.linear_velocity[:, 0, 2]) == pytest.approx(left, abs=within)


@pytest.mark.parametrize("dissipation", [0.0, 0.3, 2.0])
@pytest.mark.parametrize("integrator", ALL)
def test_a_bump_stop_gives_back_what_its_dissipation_leaves(integrator, dissipation):
    """Whatever its curve is: the speed of rebound is a closed form of that of approach."""
    mechanism = slider(limits=(-0.2, 0.1), stops=Stop(**FOAM, dissipation=dissipation), speeds=(1.0,))
    options = EXACT | ({"substeps": 60} if integrator in ("variational", "impulse") else {})
    found = simulate(mechanism, 0.5, frame_rate=100.0, integrator=integrator, **options)
    back = -rebound_speed(dissipation, 1.0)
    within = 2e-3 if integrator in ("variational", "impulse") else 2e-6
    inside = (found.joint_coordinates[:, 0] > -0.2) & (found.times > 0.35)
    assert inside.any()
    assert found.joint_speeds[inside, 0] == pytest.approx(np.full(inside.sum(), back), abs=within)
    deepest = found.joint_coordinates.max() - 0.1
    if dissipation == 0.0:
        least = curve_of(Stop(**FOAM))
        u = np.linspace(0.0, deepest, 2000)
        assert trapezoid(force_at(Stop(**FOAM), u), u) <= 0.5 * MASS * (1.0 + 1e-6), least.rest
        total = found.kinetic_energy + found.potential_energy
        assert total == pytest.approx(np.full(len(total), 0.5 * MASS), rel=within)


@pytest.mark.parametrize("integrator", ALL)
def test_a_shock_absorber_goes_as_scipy_has_it(integrator):
    """A quarter of a car on a progressive spring and a digressive damper, dropped by 10 cm."""
    pull = Pull(lengths=(0.6, 0.8, 0.9, 1.0, 1.1, 1.3), forces=(-400.0, -90.0, -30.0, 0.0, 20.0, 60.0))
    spring, damper = (
        PchipInterpolator(pull.lengths, pull.forces),
        PchipInterpolator(DIGRESSIVE.rates, DIGRESSIVE.forces),
    )

    def rates(_, y):
        return y[1], (spring(1.0 - y[0]) + damper(-y[1])) / MASS - 9.81

    strut = Spring("strut", body_a="ball", point_a=(0, 0, 0), point_b=(0, 0, 1), pull=pull, damper=DIGRESSIVE)
    options = EXACT | ({"substeps": 60} if integrator in ("variational", "impulse") else {})
    found = simulate(hung(strut, -1.2), 1.0, integrator=integrator, **options)
    truth = solve_ivp(rates, (0.0, 1.0), (0.0, -1.2), t_eval=found.times, rtol=1e-10, atol=1e-12, max_step=1e-3).y
    within = 2e-3 if integrator in ("variational", "impulse") else 2e-6
    assert found.position[:, 0, 2] == pytest.approx(truth[0], abs=within)
    assert found.linear_velocity[:, 0, 2] == pytest.approx(truth[1], abs=10.0 * within)


@pytest.mark.parametrize("integrator", ALL)
@pytest.mark.parametrize("stiff", [1.0, 1e4])
def test_straight_tables_are_the_plain_numbers(integrator, stiff):
    """Spring, damper, support and joint; stiff ones too, with which implicit steps go another way."""
    k, c = 80.0 * stiff, 6.0 * math.sqrt(stiff)
    pull, damper = Pull(lengths=(0.5, 1.0, 1.5), forces=(-0.5 * k, 0.0, 0.5 * k)), Damper((0.0, 1.0), (0.0, c))
    push = Push((0.0, 0.1, 0.3), (0.0, 0.1 * k, 0.3 * k))
    ground = {"body": "ball", "point": (0.0, 0.0, 0.0)}
    axis = AxisPull((-1.0, 0.5, 1.0), (-k, 0.5 * k, k))
    pairs = [
        (hung(between(stiffness=k, rest_length=1.0, damping=c)), hung(between(pull=pull, damper=damper))),
        (hung(Support("s", **ground, stiffness=k, damping=c)), hung(Support("s", **ground, push=push, damper=damper))),
        (slider(stiffness=(k,), damping=(c,), speeds=(1.0,)), slider(pull=axis, damper=damper, speeds=(1.0,))),
    ]
    for plain, tabled in pairs:
        options = {"duration": 0.4, "relative": 1e-7, "integrator": integrator}
        if integrator == "variational":
            options |= {"substeps": 200}
        a, b = simulate(plain, **options), simulate(tabled, **options)
        within = 5e-8 if integrator == "variational" else 1e-8  # its equations are solved to so much
        assert b.position == pytest.approx(a.position, abs=within)
        assert b.potential_energy == pytest.approx(a.potential_energy, abs=1e-6)


@pytest.mark.parametrize("stiff", [1.0, 1e3, 1e6])
def test_a_digressive_damper_never_turns_a_motion_round(stiff):
    """By `impulse`, however firm it is: it stops, and the energy only falls."""
    firm = Damper(DIGRESSIVE.rates, stiff * np.array(DIGRESSIVE.forces))
    for mechanism in (
        hung(between(stiffness=0.0, rest_length=1.0, damper=firm), -1.0, (0.0, 0.0, 0.0)),
        slider(damper=firm, speeds=(1.0,)),
    ):
        mechanism.bodies[0].shape = Sphere(radius=0.05)
        mechanism.contact = Contact(ground=Ground(height=-9.0))
        found = simulate(mechanism, 1.0)
        assert found.notes[0].values["taken"] == "impulse"
        speed = found.linear_velocity[:, 0, 2] * np.sign(found.linear_velocity[0, 0, 2])
        assert speed.min() > -1e-9
        assert np.all(np.diff(found.kinetic_energy) <= 1e-12)


def test_what_falls_on_a_damper_comes_to_the_speed_at_which_it_bears_it():
    """By `impulse` and a damper a thousand times as firm: F(u) = m g."""
    firm = Damper(DIGRESSIVE.rates, 10.0 * np.array(DIGRESSIVE.forces))
    mechanism = hung(between(stiffness=0.0, rest_length=1.0, damper=firm))
    mechanism.bodies[0].shape = Sphere(radius=0.05)
    mechanism.contact = Contact(ground=Ground(height=-9.0))
    found = simulate(mechanism, 1.0)
    u = -found.linear_velocity[-1, 0, 2]
    assert float(force_at(firm, np.array([u]))[0]) == pytest.approx(MASS * 9.81, rel=1e-4)


def test_a_rubber_by_a_table_pulls_only_beyond_its_first_length():
    rubber = Rubber(
        "band", body_a="ball", point_a=(0, 0, 0), point_b=(0, 0, 1), restitution=1.0,
        pull=Pull((1.2, 1.4, 1.6), (0.0, 40.0, 200.0)), damper=Damper((0.0, 1.0), (0.0, 8.0)),
    )  # fmt: skip
    for integrator in ("adams", "implicit", "impulse"):
        found = simulate(hung(rubber), 6.0, integrator=integrator, relative=1e-7)
        hangs = 1.0 - found.position[-1, 0, 2]
        assert float(force_at(rubber.pull, np.array([hangs]))[0]) == pytest.approx(MASS * 9.81, rel=1e-3)
        falls = found.times < math.sqrt(0.4 / 9.81)
        assert found.position[falls, 0, 2] == pytest.approx(-0.5 * 9.81 * found.times[falls] ** 2, abs=1e-9)


def test_derivatives_are_differences():
    """Of the accelerations by coordinate and speed, on the curves of a joint, in its stop, and of forces."""
    k = 1e-6
    axis = duffing(20.0, 300.0)
    made = [
        lambda q, u: slider(pull=axis, damper=DIGRESSIVE, coordinates=(0.2 + q,), speeds=(0.3 + u,)),
        lambda q, u: slider(limits=(-1.0, 0.1), stops=Stop(**FOAM, dissipation=0.4), coordinates=(0.14 + q,),
                            speeds=(0.3 + u,)),
    ]  # fmt: skip
    for make in made:
        exact = evaluate(make(0.0, 0.0), derivatives=True).derivatives
        for name, step in (("acceleration_by_coordinates", (k, 0.0)), ("acceleration_by_speeds", (0.0, k))):
            ahead, behind = (evaluate(make(s * step[0], s * step[1])).joint_acceleration for s in (1.0, -1.0))
            assert getattr(exact, name)[0, 0] == pytest.approx(float(ahead[0] - behind[0]) / (2.0 * k), rel=1e-5)


def test_an_action_puts_another_table_in():
    """A spring of a joint goes soft; a support's push and a damper of a spring change on the way."""
    linear = AxisPull((-1.0, 1.0), (-100.0, 100.0))
    mechanism = slider(stiffness=(100.0,), coordinates=(0.3,))
    mechanism.actions = [Action(0.5, "guide", {"stiffness": [0.0], "pull": [duffing(50.0, 400.0).to_dict()]})]
    found = simulate(mechanism, 1.0, **EXACT)
    before = simulate(slider(pull=linear, coordinates=(0.3,)), 0.5, **EXACT)
    assert found.joint_coordinates[:12, 0] == pytest.approx(before.joint_coordinates[:12, 0], abs=1e-7)
    total = found.kinetic_energy + found.potential_energy
    assert np.ptp(total[13:]) < 1e-6 * total[0]
    strut = hung(between(stiffness=100.0, rest_length=1.0, damping=4.0))
    strut.actions = [Action(0.2, "strut", {"damping": 0.0, "damper": DIGRESSIVE.to_dict()})]
    assert simulate(strut, 0.5).times[-1] == pytest.approx(0.5)


@pytest.mark.fallback
def test_they_are_written_and_read(tmp_path):
    mechanism = slider(limits=(-1, 1), pull=duffing(1.0, 1.0), damper=DIGRESSIVE, stops=Stop(**FOAM, dissipation=0.1))
    mechanism.forces = [
        Support("foot", body="block", point=(0, 0, 0), push=Push(**FOAM), damper=DIGRESSIVE),
        Spring("strut", body_a="block", point_a=(0, 0, 0), point_b=(0, 0, 1), stiffness=1, rest_length=1,
               damper=DIGRESSIVE),
    ]  # fmt: skip
    mechanism.save(tmp_path / "file.json")
    read = Mechanism.load(tmp_path / "file.json")
    assert read.joints == mechanism.joints
    assert read.forces == mechanism.forces
    assert "stiffness" not in mechanism.to_dict()["forces"][0]


def joint_of(**given) -> Mechanism:
    """A slider of such settings."""
    return slider(**given)


@pytest.mark.fallback
@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"damper": {"rates": [0.0], "forces": [0.0]}}, "damper[0].rates must have at least 2 entries, has 1"),
        (
            {"damper": {"rates": [0.0, 1.0, 1.0], "forces": [0, 1, 2]}},
            "rates[2] must be more than the one before it, 1",
        ),
        ({"damper": {"rates": [0.0, 1.0], "forces": [0.0, math.nan]}}, "forces[1] must be finite"),
        ({"damper": {"rates": [0.5, 1.0], "forces": [1, 2]}}, "rates must have one of 0"),
        ({"damper": {"rates": [0.0, 1.0], "forces": [3, 4]}}, "forces[0] must be 0 at the rate 0"),
        ({"damper": {"rates": [0.0, 1.0], "forces": [0, -4]}}, "a damper that pushes with the motion gives energy"),
        ({"damper": {"rates": [-1.0, 0.0, 1.0], "forces": [1, 0, 1]}}, "forces[0] must not be above 0 at the rate -1"),
        ({"damper": {"rates": [0.0, 1.0, 2.0], "forces": [0, 4, 3]}}, "must not be nearer to 0 than the one beside it"),
        ({"damper": {"rates": [0.0, 1.0], "forces": [0, 4]}, "damping": 1.0}, "damping[0] must be 0, since damper"),
        ({"pull": {"coordinates": [0.0, 0.0], "forces": [0, 4]}}, "pull[0].coordinates[1] must be more than"),
        (
            {"pull": {"coordinates": [0.0, 1.0], "forces": [0, 4]}, "stiffness": 1.0},
            "stiffness[0] must be 0, since pull",
        ),
        ({"pull": {"coordinates": [0.0, 1.0], "forces": [0, 4]}, "rest": 1.0}, "rest[0] must be 0, since pull"),
        ({"stops": FOAM}, "stops[0] must be null without limits"),
        ({"stops": FOAM, "limits": [-1, 1], "bounciness": 0.5}, "bounciness[0] must be 0, since stops"),
        ({"stops": {"depths": [0.1, 1.0], "forces": [0, 4]}, "limits": [0, 1]}, "depths[0] must be 0, where it begins"),
        (
            {"stops": {"depths": [0.0, 1.0], "forces": [1, 4]}, "limits": [0, 1]},
            "forces[0] must be 0 at the first depth",
        ),
        ({"stops": {"depths": [0, 1, 2], "forces": [0, -4, 1]}, "limits": [0, 1]}, "forces[1] must be at least 0"),
        ({"damper": [DIGRESSIVE, DIGRESSIVE]}, "damper must have 1 entry"),
    ],
)
def test_wrong_tables_of_joints_are_named(given, said):
    with pytest.raises(MechanismError, match="joint 'guide'") as error:
        joint_of(**given).refuse_wrong()
    assert said in str(error.value)


@pytest.mark.fallback
@pytest.mark.parametrize(
    ("force", "said"),
    [
        (Support("f", body="ball", point=(0, 0, 0), damping=1.0), "stiffness is missing"),
        (Support("f", body="ball", point=(0, 0, 0), stiffness=1.0, push=FOAM, damping=1.0), "since push tells"),
        (Support("f", body="ball", point=(0, 0, 0), stiffness=1.0), "damping is missing"),
        (Rubber("f", body_a="ball", point_a=(0, 0, 0), point_b=(0, 0, 1), pull=Pull((1.0, 2.0), (-1.0, 2.0))),
         "pull.forces[0] must be 0 at the first length"),
        (Spring("f", body_a="ball", point_a=(0, 0, 0), point_b=(0, 0, 1), stiffness=1, rest_length=1, damping=2.0,
                damper=DIGRESSIVE), "damping must be left out, since damper"),
    ],
)  # fmt: skip
def test_wrong_tables_of_forces_are_named(force, said):
    with pytest.raises(MechanismError, match="force 'f'") as error:
        hung(force).refuse_wrong()
    assert said in str(error.value)


@pytest.mark.fallback
def test_a_ball_joint_has_dampers_by_tables_and_no_more():
    for name, table in (("pull", AxisPull((0.0, 1.0), (0.0, 1.0))), ("stops", Stop(**FOAM))):
        mechanism = slider("spherical", limits=((-1, 1),) * 3, **{name: (table, None, None)})
        with pytest.raises(MechanismError, match="a spherical joint"):
            mechanism.refuse_wrong()


@pytest.mark.parametrize("integrator", ["adams", "implicit", "impulse"])
def test_a_ball_joints_damper_by_a_straight_table_is_its_damping(integrator):
    plain = slider("spherical", damping=(2.0,) * 3, speeds=(1.0, 0.5, -1.0))
    tabled = slider("spherical", damper=(Damper((0.0, 1.0), (0.0, 2.0)),) * 3, speeds=(1.0, 0.5, -1.0))
    a, b = (simulate(each, 0.5, integrator=integrator, relative=1e-8) for each in (plain, tabled))
    assert b.orientation == pytest.approx(a.orientation, abs=1e-9)


def test_variational_keeps_hard_limits_and_gives_way_at_soft_ones():
    hard, soft = (
        simulate(slider(gravity=(0.0, 0.0, -9.81), limits=(-0.01, 0.01), **more), 1.0, integrator="variational")
        for more in ({}, {"stops": Stop(**FOAM)})
    )
    assert 0.01 - 1e-6 < np.abs(hard.joint_coordinates).max() <= 0.01 + 1e-12
    assert np.abs(soft.joint_coordinates).max() > 0.0101
