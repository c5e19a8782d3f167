# SPDX-License-Identifier: GPL-3.0-or-later
"""The implicit integrator: what is stiff costs as what is soft, and moves as closed forms and scipy's Radau say."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.linalg import expm

from solver import Mechanism, Simulation, simulate
from solver.evaluation.forward_dynamics import update_rates
from solver.mechanism import Action, Body, Brake, Damping, Joint, JointMotor, Rubber, Spring, Support
from solver.model.arrays import State, new_scratch
from solver.model.linkage.compilation import compile_linkages
from solver.simulation.initial_conditions import set_start
from solver.simulation.linkage_run import LinkageRun
from solver.simulation.live import LiveRun

LYING = (0.5**0.5, -(0.5**0.5), 0.0, 0.0)  # turns local Z into world Y
NONE = (0.0, 0.0, 0.0)


def bars(count: int = 5, stiffness: float = 1e5, damping: float = 1e4, mass: float = 1.0) -> Mechanism:
    """Bars of 0.3 m in a row, hinged about Y to the world and to each other, all hinges but the first sprung."""
    bodies, joints = [], []
    for i in range(count):
        turning = mass * 0.3**2 / 12
        bodies.append(Body(f"bar {i}", mass=mass, inertia=(turning, turning, turning), position=(0.3 * i + 0.15, 0, 0)))
        given = {"stiffness": (stiffness,), "damping": (damping,)} if i else {}
        parent = f"bar {i - 1}" if i else None
        where = {"parent": parent, "child": f"bar {i}", "position": (0.3 * i, 0, 0), "orientation": LYING}
        joints.append(Joint(f"hinge {i}", type="revolute", **where, **given))
    return Mechanism(bodies=bodies, joints=joints)


def box_on_supports() -> Mechanism:
    body = Body("box", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0, 0, 0.51), angular_velocity=(0.3, 0.2, 0))
    corners = [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)]
    forces = [
        Support(f"foot {x} {y}", body="box", point=(x, y, 0.01), stiffness=1e6, damping=2e3, friction=0.5)
        for x, y in corners
    ]
    return Mechanism(bodies=[body], forces=forces)


def by_radau(mechanism: Mechanism, duration: float) -> np.ndarray:
    """Coordinates and speeds of a tree without charts at the end, by scipy and our accelerations."""
    (compiled,) = compile_linkages(mechanism)
    model, scratch, start = compiled.model, new_scratch(compiled.model), compiled.state
    axes, rates = len(model.armature), np.zeros(2 * len(model.armature))

    def rates_of(time: float, y: np.ndarray) -> np.ndarray:
        update_rates(model, time, State(y[:axes].copy(), y[axes:].copy(), start.anchor), scratch, rates)
        return rates.copy()

    y = np.concatenate([start.coordinates, start.speeds])
    return solve_ivp(rates_of, (0.0, duration), y, method="Radau", rtol=1e-9, atol=1e-10).y[:, -1]


def turned(mechanism: Mechanism, recording) -> np.ndarray:
    """rad: angles of the bars against the ones before them, at the end."""
    w, x, y, z = recording.orientation[-1].T
    angles = 2 * np.arctan2(y, w)
    return np.diff(np.concatenate([[0.0], angles]))


def test_five_stiff_bars_cost_little_and_move_as_radau_says():
    mechanism = bars()
    recording = simulate(mechanism, 2.0, 24.0, integrator="implicit")
    assert recording.evaluations < 1500
    truth = by_radau(mechanism, 2.0)
    got = turned(mechanism, recording)
    assert (got - truth[:5] + np.pi) % (2 * np.pi) - np.pi == pytest.approx(np.zeros(5), abs=1e-6)


@pytest.mark.parametrize("build", [bars, box_on_supports])
def test_auto_takes_it_for_what_is_stiff_and_says_so(build):
    recording = simulate(build(), 8.0, 24.0)
    assert recording.evaluations < 5000
    assert any(getattr(note, "code", "") == "integrator-changed" for note in recording.notes)
    alone = simulate(build(), 8.0, 24.0, integrator="implicit")
    assert recording.position == pytest.approx(alone.position, abs=1e-5)


def test_auto_leaves_what_is_not_stiff_to_adams_to_the_bit():
    mechanism = bars(3, 20.0, 0.5)
    auto, adams = (simulate(mechanism, 4.0, 24.0, integrator=name) for name in ("auto", "adams"))
    assert auto.evaluations == adams.evaluations
    assert np.array_equal(auto.position, adams.position)
    assert np.array_equal(auto.angular_velocity, adams.angular_velocity)


def test_the_choice_does_not_depend_on_how_a_run_is_cut_into_slices(monkeypatch):
    mechanism = bars()
    whole = simulate(mechanism, 1.0, 24.0)
    monkeypatch.setattr("solver.simulation.linkage_run.SLICE", 1e-9)  # pauses after every few evaluations
    cut = simulate(mechanism, 1.0, 24.0)
    assert cut.evaluations == whole.evaluations
    assert np.array_equal(cut.position, whole.position)


def test_adams_takes_over_again_when_the_stiff_part_is_let_go():
    mechanism = bars(3)
    mechanism.actions = [Action(1.0, f"hinge {k}", {"stiffness": 0.0, "damping": 0.0}) for k in (1, 2)]
    simulation = Simulation(mechanism, 30.0, 24.0)
    for _ in simulation.run():
        pass
    notes = [note for note in simulation.recording.notes if getattr(note, "code", "") == "integrator-changed"]
    assert "to" in notes[0].values["when"]
    adams = simulate(bars(3, 0.0, 0.0), 1.0, 24.0)
    assert len(adams.times) == 25


@pytest.mark.fallback
def test_what_is_counted_outlives_a_step_back():
    """A price that forgot the linear systems before it would let the choice of the integrator think them free."""
    (compiled,) = compile_linkages(bars(2))
    set_start(bars(2), compiled)
    run = LinkageRun(bars(2), compiled, np.arange(4) / 24.0, "implicit", (1e-4, 1e-5), 1.0 / 240.0)
    for _ in run.advance(3 / 24.0):
        pass
    counts = run.memory.counts[0]
    before = counts.evaluations, counts.steps, counts.systems
    assert min(before) > 0
    run._go_back_to(1)
    after = run.memory.counts[0]
    assert (after.evaluations, after.steps, after.systems) == before


@pytest.mark.parametrize("damping", [1e2, 1e6, 1e10])
def test_damping_costs_nothing(damping):
    soft = simulate(bars(3, 0.0, 10.0), 4.0, 24.0, integrator="implicit")
    stiff = simulate(bars(3, 0.0, damping), 4.0, 24.0, integrator="implicit")
    assert stiff.evaluations < 2 * soft.evaluations


@pytest.mark.parametrize("hertz", [10.0, 100.0, 1000.0])
def test_a_position_motor_costs_as_much_at_any_frequency(hertz):
    turning = 1.0 / 3.0
    stiffness = turning * (2 * np.pi * hertz) ** 2
    motor = JointMotor("position", target=0.5, stiffness=stiffness, damping=2 * turning * 2 * np.pi * hertz)
    rod = Body("rod", mass=1.0, inertia=(1e-3, 1 / 12, 1 / 12), position=(0.5, 0, 0))
    joint = Joint("hinge", type="revolute", parent=None, child="rod", position=NONE, orientation=LYING, motor=motor)
    recording = simulate(Mechanism(bodies=[rod], joints=[joint]), 2.0, 24.0, integrator="implicit")
    assert recording.evaluations < 1500
    angle = 2 * np.arctan2(recording.orientation[-1, 0, 2], recording.orientation[-1, 0, 0])
    sag = 0.5 * 9.81 * np.cos(0.5) / stiffness
    assert abs(angle) == pytest.approx(0.5, abs=1.5 * sag + 1e-6)


def test_a_torsion_chain_turns_as_its_modes_say():
    """Discs on one axle: a linear system, stiff in part."""
    stiffness, damping, turning = [3.0, 4e4, 2e6], [0.05, 30.0, 4e3], [0.2, 0.01, 0.05]
    bodies = [Body(f"disc {k}", mass=1.0, inertia=(1.0, 1.0, turning[k]), position=(0, 0, float(k))) for k in range(3)]
    joints = [
        Joint(
            f"axle {k}",
            type="revolute",
            parent=f"disc {k - 1}" if k else None,
            child=f"disc {k}",
            position=(0, 0, float(k)),
            stiffness=(stiffness[k],),
            damping=(damping[k],),
            coordinates=(0.4 if k == 0 else 0.0,),
            speeds=(1.0 if k == 2 else 0.0,),
        )
        for k in range(3)
    ]
    recording = simulate(Mechanism(gravity=NONE, bodies=bodies, joints=joints), 3.0, 24.0, integrator="implicit")
    sums = np.tril(np.ones((3, 3)))
    mass = sums.T @ np.diag(turning) @ sums
    matrix = np.zeros((6, 6))
    matrix[:3, 3:] = np.eye(3)
    matrix[3:, :3] = -np.linalg.solve(mass, np.diag(stiffness))
    matrix[3:, 3:] = -np.linalg.solve(mass, np.diag(damping))
    start = np.array([0.4, 0, 0, 0, 0, 1.0])
    truth = np.array([np.sin(0.5 * (sums @ (expm(matrix * time) @ start)[:3])) for time in recording.times])
    assert recording.orientation[:, :, 3] == pytest.approx(truth, abs=2e-6)


def test_a_motion_that_frames_resolve_is_not_damped():
    """An undamped oscillator of 2 Hz keeps its amplitude and its phase over 20 periods."""
    weight = Body("weight", mass=1.0, inertia=(1, 1, 1))
    pulse = 4 * np.pi
    given = {"stiffness": (pulse**2,), "coordinates": (0.1,)}
    slide = Joint("slide", type="prismatic", parent=None, child="weight", position=NONE, **given)
    recording = simulate(Mechanism(gravity=NONE, bodies=[weight], joints=[slide]), 10.0, 24.0, integrator="implicit")
    assert recording.position[:, 0, 2] == pytest.approx(0.1 * np.cos(pulse * recording.times), abs=1e-6)


def test_a_ball_bounces_on_a_stiff_support_as_a_half_sine_says():
    ball = Body("ball", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0, 0, 1.0))
    foot = Support("foot", body="ball", point=(0, 0, 1.0), stiffness=1e6, damping=0.0, friction=0.0)
    recording = simulate(Mechanism(bodies=[ball], forces=[foot]), 1.5, 24.0, integrator="implicit")
    fall, omega = np.sqrt(2 / 9.81), 1e3
    speed = np.sqrt(2 * 9.81)
    pressed = 2 / omega * (np.pi / 2 + np.arctan(9.81 / (omega * speed)))
    period = 2 * fall + pressed
    times = (recording.times + fall) % period - fall  # from the top
    up = recording.times < period - fall - pressed
    truth = 1.0 - 0.5 * 9.81 * times**2
    away = np.abs(times) < fall - 1e-3
    assert recording.position[away, 0, 2] == pytest.approx(truth[away], abs=2e-5)
    assert up.any()
    assert recording.evaluations < 6000


def test_stiff_springs_between_bodies_turn_as_they_go():
    """Two rods that are springs of 1e7 N/m, on a pendulum's way; Adams pays for their stillness."""
    first = Body("first", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(1, 0, 0))
    second = Body("second", mass=0.5, inertia=(0.1, 0.1, 0.1), position=(1.5, 0, 0))
    forces = [
        Spring("to world", body_a="first", point_a=(1, 0, 0), point_b=NONE, stiffness=1e7, rest_length=1.0,
               damping=1e4),
        Spring("between", body_a="first", point_a=(1, 0, 0), body_b="second", point_b=(1.5, 0, 0), stiffness=1e7,
               rest_length=0.5, damping=1e4),
    ]  # fmt: skip
    mechanism = Mechanism(bodies=[first, second], forces=forces)
    recording = simulate(mechanism, 1.0, 24.0, integrator="implicit", relative=1e-4)
    reference = simulate(mechanism, 1.0, 24.0, integrator="adams", relative=1e-7)
    assert recording.position == pytest.approx(reference.position, abs=1e-4)
    assert recording.evaluations < 0.25 * reference.evaluations


@pytest.mark.parametrize(
    "force",
    [
        Brake("brake", body="ball", point=(0, 0, 1), damping=1e6),
        Damping("air", body="ball", linear=1e6, angular=1e6),
    ],
    ids=["brake", "air"],
)
def test_strong_resistance_costs_little(force):
    ball = Body("ball", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0, 0, 1.0), linear_velocity=(1, 0, 0))
    recording = simulate(Mechanism(bodies=[ball], forces=[force]), 2.0, 24.0, integrator="implicit")
    assert recording.evaluations < 2000
    assert recording.position[-1, 0] == pytest.approx((1e-6, 0, 1 - 2 * 9.81e-6), abs=1e-7)


def test_a_rubber_goes_slack_and_tight_at_its_moments():
    """A ball thrown down on a rubber without damping: free fall to where it is tight, then a sine, and up again."""
    ball = Body("ball", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0, 0, 0.0))
    given = {"stiffness": 1e5, "rest_length": 1.0, "restitution": 1.0}
    rubber = Rubber("rubber", body_a="ball", point_a=NONE, point_b=(0, 0, 0.5), **given)
    recording = simulate(Mechanism(bodies=[ball], forces=[rubber]), 1.2, 24.0, integrator="implicit")
    fall, speed, omega = np.sqrt(2 * 0.5 / 9.81), np.sqrt(2 * 9.81 * 0.5), np.sqrt(1e5)
    tight = 2 / omega * (np.pi / 2 + np.arctan(9.81 / (omega * speed)))
    times = (recording.times + fall) % (2 * fall + tight) - fall
    free = np.abs(times) < fall - 1e-3
    assert free.sum() > 10
    assert recording.position[free, 0, 2] == pytest.approx(-0.5 * 9.81 * times[free] ** 2, abs=2e-5)


def test_a_live_run_that_becomes_stiff_plays_again_to_the_bit():
    """Hinges are stiffened by a thousandfold while it runs, and freed again."""
    live = LiveRun(bars(3, 1e2, 1e1), 24.0)
    live.advance(12, 60.0)
    for k in (1, 2):
        live.act(f"hinge {k}", stiffness=1e5, damping=1e4)
    live.advance(60, 60.0)
    live.act("hinge 1", stiffness=0.0, damping=0.0)
    live.advance(72, 60.0)
    again = simulate(live.mechanism, 3.0, 24.0)
    assert any(getattr(note, "code", "") == "integrator-changed" for note in again.notes)
    assert np.array_equal(live.recording().position, again.position)
