# SPDX-License-Identifier: GPL-3.0-or-later
"""Forces by expressions: closed forms, the same motions as by the forces of other types, and what has no value."""

from __future__ import annotations

import json

import numpy as np
import pytest

from solver import Mechanism, MechanismError, evaluate, simulate
from solver.mechanism import (
    Action,
    Body,
    Box,
    Brake,
    Contact,
    Damping,
    Drag,
    Expression,
    Gravity,
    Ground,
    Joint,
    Motor,
    Nail,
    Sphere,
    Spring,
    Support,
    Table,
)
from solver.simulation.inspection import inspect
from solver.simulation.simulation import SimulationFailed
from tests.solver.random_mechanisms import unit_quaternion

NONE = (0.0, 0.0, 0.0)
TURN = unit_quaternion(np.random.default_rng(3))
INTEGRATORS = ["adams", "runge-kutta", "implicit", "impulse", "variational"]


def ball(**given) -> Body:
    given = {"mass": 2.0, "inertia": (0.3, 0.4, 0.5), "position": (1.0, 0.5, -0.2)} | given
    return Body("ball", **given)


def run(forces, body: Body | None = None, duration: float = 1.0, gravity=NONE, **options):
    mechanism = Mechanism(bodies=[body or ball()], forces=forces, gravity=gravity)
    return simulate(mechanism, duration, 24.0, **{"relative": 1e-9} | options)


THROWN = {"linear_velocity": (0.3, -0.8, 0.5), "angular_velocity": (0.9, 0.4, -0.6), "orientation": (0.6, 0, 0.8, 0)}
POINT = (1.1, 0.4, 0.1)
OTHERS = {
    "spring": (
        Spring("f", body_a="ball", point_a=POINT, point_b=(0.2, 0.1, 0.3), stiffness=7.0, rest_length=0.0),
        Expression("f", body="ball", point=POINT, force=("7*(0.2-x)", "7*(0.1 - y)", "-7*(z - 0.3)")),
    ),
    "spring with a length": (
        Spring("f", body_a="ball", point_a=POINT, point_b=NONE, stiffness=7.0, rest_length=0.4),
        Expression(
            "f", body="ball", point=POINT, force=[f"-a*(1 - 0.4/hypot(x, y, z))*{axis}" for axis in "xyz"], a=7.0
        ),
    ),
    "damping": (
        Damping("f", body="ball", linear=1.3),
        Expression("f", body="ball", force=("-1.3*vx", "-1.3*vy", "-1.3*vz")),
    ),
    "brake": (
        Brake("f", body="ball", point=POINT, orientation=TURN, damping=(1.0, 0.2, 3.0)),
        Expression(
            "f", body="ball", point=POINT, orientation=TURN, axes="own", force=("-vx", "-0.2*vy", "-3*vz")
        ),
    ),
    "drag": (
        Drag("f", body="ball", coefficient=0.7, wind=(3.0, 0.0, -1.0)),
        Expression("f", body="ball", a=-0.7, force=[
            f"a*hypot(vx-3, vy, vz+1)*({along})" for along in ("vx-3", "vy", "vz+1")
        ]),
    ),
    "motor": (
        Motor("f", body="ball", point=POINT, orientation=TURN, force=(1.0, Table((0, 2), (0, 6)), -2.0)),
        Expression("f", body="ball", point=POINT, orientation=TURN, axes="own", force=("1", "3*t", "-2")),
    ),
    "gravity": (
        Gravity("f", body="ball", acceleration=(0.0, 1.0, -1.62)),
        Expression("f", body="ball", force=("0", "m", "-1.62*m")),
    ),
    "support": (
        Support("f", body="ball", point=POINT, stiffness=40.0, damping=0.0, height=0.3),
        Expression("f", body="ball", point=POINT, force=("0", "0", "40*max(0, 0.3 - z)")),
    ),
}  # fmt: skip


@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize("kind", OTHERS)
def test_it_moves_as_by_the_force_of_another_type(kind, integrator):
    options = {"substeps": 40} if integrator in ("impulse", "variational") else {}
    options |= {"integrator": integrator, "gravity": (0, 0, -1) if kind != "gravity" else NONE}
    other, by_expression = (run([force], ball(**THROWN), **options) for force in OTHERS[kind])
    close = 1e-9 if integrator != "implicit" else 1e-8
    assert by_expression.position == pytest.approx(other.position, abs=close)
    assert by_expression.orientation == pytest.approx(other.orientation, abs=close)
    assert by_expression.linear_velocity == pytest.approx(other.linear_velocity, abs=10 * close)


def test_a_uniform_magnetic_field_leads_in_a_circle():
    """B along z, m v' = q v x B: radius m v / (q B), and the speed stays."""
    q, v, mass = 3.0, 1.2, 2.0
    body = ball(position=NONE, linear_velocity=(0.0, v, 0.4), mass=mass)
    recording = run([Expression("B", body="ball", force=("a*vy", "-a*vx", "0"), a=q)], body, 6.0)
    radius, turned = mass * v / q, q / mass * recording.times
    circle = np.column_stack([radius * (1 - np.cos(turned)), radius * np.sin(turned), 0.4 * recording.times])
    assert recording.position[:, 0] == pytest.approx(circle, abs=1e-8)
    assert np.linalg.norm(recording.linear_velocity[:, 0], axis=1) == pytest.approx(np.hypot(v, 0.4), rel=1e-8)


@pytest.mark.parametrize("integrator", ["adams", "runge-kutta", "implicit"])
def test_an_oscillator_that_is_driven_by_time_beats(integrator):
    """x'' = -w^2 x + F sin(W t) from rest at 0: x = F / (w^2 - W^2) (sin(W t) - W/w sin(w t))."""
    w, W, F = 3.0, 2.2, 1.7
    force = Expression("drive", body="ball", force=("-2*3**2*x + 2*1.7*sin(2.2*t)", "0", "0"))
    recording = run([force], ball(position=NONE), 8.0, integrator=integrator)
    t = recording.times
    expected = F / (w**2 - W**2) * (np.sin(W * t) - W / w * np.sin(w * t))
    assert recording.position[:, 0, 0] == pytest.approx(expected, abs=2e-8)


def test_a_force_with_a_potential_keeps_the_energy():
    """V = x^4 + y^2 z^2."""
    force = Expression("f", body="ball", force=("-4*x**3", "-2*y*z**2", "-2*z*y**2"))
    recording = run([force], ball(linear_velocity=(0.3, 0.2, 0.9)), 10.0)
    x, y, z = recording.position[:, 0].T
    energy = np.sum(recording.linear_velocity[:, 0] ** 2, axis=1) + x**4 + y**2 * z**2
    assert energy == pytest.approx(np.full(len(energy), energy[0]), rel=1e-8)


def test_at_no_point_it_acts_at_the_centre_of_mass_and_turns_nothing():
    body = ball(center_of_mass=(0.3, -0.1, 0.2), orientation=(0.6, 0, 0.8, 0))
    force = Expression("f", body="ball", force=("3", "-1", "x"))
    found = evaluate(Mechanism(bodies=[body], forces=[force], gravity=NONE))
    assert found.angular_acceleration == pytest.approx(np.zeros((1, 3)), abs=1e-15)
    turned = np.array([0.3 * -0.28 + 0.2 * 0.96, -0.1, 0.3 * -0.96 + 0.2 * -0.28])  # by 2 atan(4/3) about y
    center = np.array(body.position) + turned
    motion = found.linear_acceleration[0]  # of the frame's origin: the same, as nothing turns
    assert motion == pytest.approx(np.array([3, -1, center[0]]) / 2.0, abs=1e-12)


def test_inspect_shows_what_it_exerts():
    body = ball(**THROWN)
    mechanism = Mechanism(bodies=[body], forces=[Expression("f", body="ball", point=POINT, force=("t", "-2*vy", "x"))])
    recording = simulate(mechanism, 1.0, relative=1e-9)
    force = inspect(mechanism, recording).force[:, 0]
    assert force[:, 3:] == pytest.approx(np.zeros((len(force), 3)), abs=1e-12)
    assert force[:, 0] == pytest.approx(recording.times, abs=1e-12)
    assert force[0, 2] == pytest.approx(POINT[0], abs=1e-12)
    arm = np.array(POINT) - np.array(body.position)
    velocity = np.array(body.linear_velocity) + np.cross(body.angular_velocity, arm)
    assert force[0, 1] == pytest.approx(-2 * velocity[1], abs=1e-12)


def test_an_action_sets_another_text_at_its_moment():
    forces = [Expression("jet", body="ball", force=("2*a", "0", "0"), a=1.0)]
    actions = [
        Action(1.0, "jet", {"force": ["0", "-2*a", "0"]}),
        Action(1.5, "jet", {"a": 3.0}),
        Action(2.0, "jet", {"enabled": False}),
    ]
    mechanism = Mechanism(bodies=[ball(position=NONE)], forces=forces, gravity=NONE, actions=actions)
    velocity = simulate(mechanism, 3.0, relative=1e-9).linear_velocity[-1, 0]
    assert velocity == pytest.approx([1.0, -0.5 - 1.5, 0.0], abs=1e-9)
    mechanism.actions = [Action(1.0, "jet", {"force": ["0", "q", "0"]}), Action(1.0, "jet", {"axes": "own"})]
    first, second = mechanism.problems()
    assert "set.force[1] has the unknown name 'q' at letter 1; known are" in first or "force[1] has" in first
    assert "axes cannot be set in an expression force" in second


def test_a_number_that_is_a_table_is_keyed():
    force = Expression("f", body="ball", force=("2*b", "0", "0"), b=Table((0.0, 1.0, 2.0), (0.0, 1.0, 0.0)))
    recording = run([force], ball(position=NONE), 2.0)
    assert recording.linear_velocity[-1, 0, 0] == pytest.approx(1.0, abs=1e-9)


@pytest.mark.parametrize("integrator", ["adams", "runge-kutta", "implicit", "impulse"])
def test_what_jumps_by_place_runs(integrator):
    """x'' = -sign(x) from rest at 1: parabolas, with a period of 4 sqrt(2)."""
    options = {"relative": 1e-6, "substeps": 40} if integrator == "impulse" else {"relative": 1e-8}
    force = Expression("f", body="ball", force=("-2 if x > 0 else 2", "0", "0"))
    recording = run([force], ball(position=(1, 0, 0)), 6.0, integrator=integrator, **options)
    phase = np.mod(recording.times / np.sqrt(2), 4)
    x = np.where(phase < 1, 1 - phase**2, np.where(phase < 3, (phase - 2) ** 2 - 1, 1 - (phase - 4) ** 2))
    close = {"impulse": 5e-3, "implicit": 1e-5}.get(integrator, 1e-6)  # the latter finds each moment to 1e-6
    assert recording.position[:, 0, 0] == pytest.approx(x, abs=close)


@pytest.mark.parametrize("integrator", ["adams", "runge-kutta", "implicit", "impulse"])
def test_what_jumps_in_time_runs(integrator):
    force = Expression("f", body="ball", force=("2 if 0.3 < t < 0.7 else 0", "2*(t % 0.5)", "2*floor(t)"))
    options = {"substeps": 40} if integrator == "impulse" else {}
    recording = run([force], ball(position=NONE), 2.0, integrator=integrator, relative=1e-7, **options)
    assert recording.linear_velocity[-1, 0] == pytest.approx([0.4, 0.5, 1.0], abs=2e-3 if options else 1e-6)


@pytest.mark.parametrize("integrator", ["adams", "runge-kutta", "implicit", "impulse"])
def test_what_jumps_back_and_forth_is_named_or_runs(integrator):
    """Dry friction by sign(vx): from the moment of rest on it jumps for ever."""
    force = Expression("rub", body="ball", force=("-2*sign(vx)", "0", "0"))
    body = ball(position=NONE, linear_velocity=(0.5, 0, 0))
    if integrator == "impulse":
        recording = run([force], body, 1.0, integrator=integrator, relative=1e-6)
        assert recording.position[-1, 0, 0] == pytest.approx(0.125, abs=1e-3)
        return
    with pytest.raises(SimulationFailed) as failed:
        run([force], body, 1.0, integrator=integrator, relative=1e-6)
    assert failed.value.time == pytest.approx(0.5, abs=0.05)
    assert "force 'rub'" in str(failed.value)
    assert "tanh(vx/0.01) for sign(vx)" in str(failed.value)


@pytest.mark.parametrize("integrator", ["adams", "runge-kutta", "implicit", "impulse", "variational"])
def test_what_has_no_value_is_named_with_its_axis_time_and_names(integrator):
    force = Expression("field", body="ball", force=("0", "sqrt(0.5 - x)", "0"))
    body = ball(position=NONE, linear_velocity=(1.0, 0, 0))
    with pytest.raises(SimulationFailed) as failed:
        run([force], body, 1.0, integrator=integrator, relative=1e-6)
    assert failed.value.time == pytest.approx(0.5, abs=0.05)
    text = str(failed.value)
    assert "force 'field': its force along y is no finite number at 0." in text
    assert "where x = 0." in text
    assert np.isfinite(failed.value.recording.position).all()


def test_what_has_no_value_at_the_start_is_named():
    mechanism = Mechanism(bodies=[ball(position=NONE)], forces=[Expression("f", body="ball", force=("1/x", "0", "0"))])
    with pytest.raises(SimulationFailed, match=r"force 'f': its force along x .* at 0 s, where x = 0;"):
        simulate(mechanism, 1.0)
    with pytest.raises(MechanismError, match="no finite numbers"):
        evaluate(mechanism)


def test_variational_refuses_what_jumps_by_name():
    mechanism = Mechanism(bodies=[ball()], forces=[Expression("f", body="ball", force=("0", "sign(x)", "0"))])
    with pytest.raises(MechanismError, match="force 'f': integrator variational cannot do a comparison, choice"):
        simulate(mechanism, 1.0, integrator="variational")
    mechanism.forces[0].enabled = False
    simulate(mechanism, 0.1, integrator="variational")


@pytest.mark.parametrize("integrator", ["auto", "implicit"])
def test_a_stiff_expression_goes_by_implicit_steps_as_a_stiff_spring_does(integrator):
    """A weight that falls onto 1e6 N/m, damped over-critically."""
    force = Expression("f", body="ball", force=("0", "0", "-1e6*z - 1e4*vz"))
    body = ball(position=(0.0, 0.0, 0.01), mass=1.0)
    recording = run([force], body, 2.0, gravity=(0, 0, -9.81), integrator=integrator, relative=1e-6)
    assert recording.evaluations < 20_000
    assert recording.position[-1, 0, 2] == pytest.approx(-9.81 / 1e6, rel=1e-3)
    if integrator == "auto":
        assert any(note.code == "integrator-changed" for note in recording.notes)


def test_with_contact_it_pushes_along_the_ground():
    """A ball of 2 kg on ice, pushed by 2 N."""
    body = ball(position=(0, 0, 0.5), shape=Sphere(radius=0.5))
    contact = Contact(ground=Ground(friction=0.0))
    force = Expression("f", body="ball", force=("m", "0", "0"))
    mechanism = Mechanism(bodies=[body], forces=[force], contact=contact)
    recording = simulate(mechanism, 1.0)
    assert recording.position[-1, 0] == pytest.approx([0.5, 0.0, 0.5], abs=1e-4)


ON_ICE = Contact(ground=Ground(friction=0.0))


def run_on_ice(force, rate: float):
    """A ball of 2 kg that slides along X by itself, at a rate (m/s)."""
    body = ball(position=(0, 0, 0.5), shape=Sphere(radius=0.5), linear_velocity=(rate, 0, 0))
    forces = [Expression("f", body="ball", force=force)]
    return simulate(Mechanism(bodies=[body], forces=forces, contact=ON_ICE), 1.0)


def test_a_stiff_expression_with_contact_leads_to_its_rest():
    recording = run_on_ice(("-2e5*x - 200*vx", "0", "0"), 0.3)
    assert abs(recording.position[:, 0, 0]).max() < 1.1e-3
    assert abs(recording.position[-1, 0, 0]) < 1e-6


@pytest.mark.parametrize(
    ("force", "rate", "ends_at", "ends_with"),
    [
        (("-1e9*vx", "0", "0"), 1.0, 0.0, 0.0),
        (("50 - 1e6*x", "0", "0"), 1.0, 5e-5, 0.0),
        (("-4*tanh(vx/1e-4)", "0", "0"), 1.0, 0.25, 0.0),  # as by friction: v^2 m / (2 F)
        (("-4*sign(vx)", "0", "0"), 1.0, 0.25, 0.0),
        (("-1e6*(vx - 1) + 1e3*vy", "-1e3*vx", "0"), 1.0, 2 * (1 - np.exp(-0.5)), np.exp(-0.5)),  # vx' = -vx/2
        (("-1e4*vx**3", "0", "0"), 100.0, None, (1e-4 + 1e4) ** -0.5),  # v' = -5e3 v^3
    ],
)
def test_an_expression_that_is_too_steep_for_a_step_of_contact_acts_with_what_it_comes_to(
    force, rate, ends_at, ends_with
):
    recording = run_on_ice(force, rate)
    assert recording.linear_velocity[-1, 0, 0] == pytest.approx(ends_with, abs=3e-4)
    if ends_at is not None:
        assert recording.position[-1, 0, 0] == pytest.approx(ends_at, abs=2e-3)
    assert recording.evaluations < 3_000


@pytest.mark.parametrize(
    "force",
    [("-1e6*vx", "0", "0"), ("-1e6*vx", "-1e6*vy", "-1e6*vz"), ("-100*tanh(vx/1e-3)", "0", "-100*tanh(vz/1e-3)")],
)
def test_a_steep_expression_at_the_end_of_a_nailed_chain_is_as_by_implicit_steps(force):
    """Explicit steps throw the chain off its nail."""
    places = [(0.3 * k + 0.15, 0.0, 3.0) for k in range(6)]
    bodies = [
        Body(f"{k}", mass=1.0, inertia=(0.01, 0.01, 0.01), position=place, shape=Sphere(radius=0.1))
        for k, place in enumerate(places)
    ]
    joints = [Joint(f"j{k}", "spherical", f"{k - 1}", f"{k}", (0.3 * k, 0.0, 3.0)) for k in range(1, 6)]
    nail = Nail("n", body="0", point=(0.0, 0.0, 3.0))
    force = Expression("f", body="5", force=force)
    given = {"bodies": bodies, "joints": joints, "constraints": [nail], "forces": [force]}
    by_impulses = simulate(Mechanism(**given, contact=ON_ICE), 1.0)
    implicit = simulate(Mechanism(**given), 1.0, integrator="implicit")
    assert by_impulses.position[:, -1] == pytest.approx(implicit.position[:, -1], abs=1e-3)
    assert not [note for note in by_impulses.notes if note.code == "not-met"]


def test_a_steep_expression_leaves_a_pushed_ball_to_what_pushes_it():
    """Friction by tanh, of 4 N at most, against a hand of 10 N, and a box of a ton at 1 m/s."""
    hand = Motor("hand", body="ball", point=(0, 0, 0.5), force=(10.0, 0, 0))
    body = ball(position=(0, 0, 0.5), shape=Sphere(radius=0.5))
    force = Expression("f", body="ball", force=("-4*tanh(vx/1e-4)", "0", "0"))
    recording = simulate(Mechanism(bodies=[body], forces=[force, hand], contact=ON_ICE), 1.0)
    assert recording.position[-1, 0, 0] == pytest.approx(0.5 * 6.0 / 2.0, abs=1e-3)
    box = Box(half_size=(0.1, 1, 0.5))
    pusher = Body(
        "pusher", mass=1e3, inertia=(1e3, 1e3, 1e3), position=(-0.6, 0, 0.5), shape=box, linear_velocity=(1.0, 0, 0)
    )
    wall = Mechanism(bodies=[body, pusher], forces=[force], contact=ON_ICE)
    recording = simulate(wall, 1.0)
    assert recording.position[-1, 0, 0] == pytest.approx(1.0, abs=0.01)


def test_an_included_expression_moves_along_or_is_refused(tmp_path):
    header = {"format": "ves-mechanism", "version": 1}
    body = {"name": "ball", "mass": 1.0, "inertia": [1, 1, 1], "linear_velocity": [1, 0, 0]}

    def loaded(frame: dict, **force) -> Mechanism:
        given = {"type": "expression", "name": "f", "body": "ball", "force": ["-vx", "2", "0"]} | force
        (tmp_path / "part.json").write_text(json.dumps(header | {"bodies": [body], "forces": [given]}))
        (tmp_path / "all.json").write_text(json.dumps(header | {"include": [{"file": "part.json"} | frame]}))
        return Mechanism.load(tmp_path / "all.json")

    turn, shift = {"orientation": [0.8, 0, 0, 0.6]}, {"position": [1, 2, 3]}
    moved = loaded(turn | shift, axes="own")
    alone = Mechanism.from_dict(header | {"bodies": [body], "forces": [{
        "type": "expression", "name": "f", "body": "ball", "force": ["-vx", "2", "0"]}]})  # fmt: skip
    got, expected = evaluate(moved).linear_acceleration[0], evaluate(alone).linear_acceleration[0]
    assert got[:2] == pytest.approx([[0.28, -0.96], [0.96, 0.28]] @ expected[:2], abs=1e-12)
    assert evaluate(loaded(shift)).linear_acceleration[0] == pytest.approx(expected, abs=1e-12)
    for frame, force, said in [
        (turn, {}, "force 'f' goes by the axes of the world, which do not move along; say axes \"own\""),
        (shift, {"axes": "own", "force": ["x", "0", "0"]}, "force 'f' goes by the place (x), which do not move along"),
    ]:
        with pytest.raises(MechanismError) as refused:
            loaded(frame, **force)
        assert said in str(refused.value)
