# SPDX-License-Identifier: GPL-3.0-or-later
"""Actions: exact stops, other numbers, what is tied and cut on the way; and live runs, which play again exactly."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import trapezoid

from solver import Mechanism, MechanismError, SimulationFailed, simulate
from solver.mechanism import (
    Action,
    Body,
    Brake,
    Curve,
    Damping,
    Distance,
    Gravity,
    Joint,
    Motor,
    Nail,
    Orientation,
    Path,
    Spring,
    Support,
    Table,
)
from solver.simulation.live import LiveRun
from tests.solver.simulation.hurrying import (
    assert_plays_again,
    assert_same_bits,
    count_pieces,
    go_on,
    work_in_small_pieces,
)

NONE = (0.0, 0.0, 0.0)
LYING = (0.5**0.5, -(0.5**0.5), 0.0, 0.0)  # turns local Z into world Y
LATER = 0.7123  # s: no frame is near it


def block(**given) -> Mechanism:
    return Mechanism(gravity=NONE, bodies=[Body("block", mass=2.0, inertia=(0.3, 0.4, 0.5), **given)])


def act(mechanism: Mechanism, *actions: tuple) -> Mechanism:
    mechanism.actions = [Action(time, target, settings) for time, target, settings in actions]
    return mechanism


@pytest.mark.fallback
@pytest.mark.parametrize("integrator", ["adams", "runge-kutta", "implicit"])
def test_a_motor_that_is_switched_on_and_off_pushes_just_so_long(integrator):
    mechanism = block()
    mechanism.forces = [Motor("jet", body="block", point=NONE, force=(4.0, 0, 0), enabled=False)]
    act(mechanism, (LATER, "jet", {"enabled": True}), (LATER + 0.5, "jet", {"enabled": False}))
    recording = simulate(mechanism, 2.0, 24.0, integrator=integrator)
    pushed = np.clip(recording.times - LATER, 0.0, 0.5)
    expected = pushed**2 + np.maximum(recording.times - LATER - 0.5, 0.0) * 1.0
    assert recording.position[:, 0, 0] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("relative", [1e-9, 1e-11, 1e-12])
@pytest.mark.parametrize("integrator", ["adams", "runge-kutta", "implicit"])
def test_one_goes_on_late_and_fast_at_any_tolerance(integrator, relative):
    """The first step behind an action must change the time, however little the tolerance lets things move in it."""
    mechanism = block(linear_velocity=(50.0, 0.0, 0.0))
    mechanism.forces = [Motor("jet", body="block", point=NONE, force=(4.0, 0, 0), enabled=False)]
    act(mechanism, (20.0 + LATER, "jet", {"enabled": True}))
    recording = simulate(mechanism, 22.0, 1.0, integrator=integrator, relative=relative)
    pushed = np.maximum(recording.times - 20.0 - LATER, 0.0)
    assert recording.position[:, 0, 0] == pytest.approx(50.0 * recording.times + pushed**2, rel=1e-11)


def test_actions_at_one_time_act_in_the_files_order():
    mechanism = block()
    mechanism.forces = [Motor("jet", body="block", point=NONE, force=(1.0, 0, 0))]
    settings = [{"force": [7.0, 0, 0]}, {"force": [0.0, 2.0, 0]}]
    act(mechanism, *((1.0, "jet", each) for each in settings), (0.0, "jet", {"force": [0, 0, 2.0]}))
    recording = simulate(mechanism, 2.0, 24.0)
    assert recording.position[24, 0] == pytest.approx((0, 0, 0.5), abs=1e-12)
    assert recording.position[-1, 0] == pytest.approx((0, 0.5, 1.5), abs=1e-12)


def test_a_steered_motor_pushes_along_its_new_frame():
    mechanism = block()
    mechanism.forces = [Motor("jet", body="block", point=NONE, force=(2.0, 0, 0))]
    act(mechanism, (1.0, "jet", {"orientation": [0.5**0.5, 0, 0, 0.5**0.5]}))
    recording = simulate(mechanism, 2.0, 24.0)
    assert recording.position[-1, 0] == pytest.approx((1.5, 0.5, 0), abs=1e-12)


def test_a_table_steers_evenly_and_a_point_that_moves_twists():
    """The frame turns by a table of quaternions, normalised on the way; the arm grows by a table of the point."""
    mechanism = block()
    half = np.radians(30.0)
    turning = (Table((0, 1), (1.0, np.cos(half))), 0.0, 0.0, Table((0, 1), (0.0, np.sin(half))))
    point = (0.0, Table((0, 1), (0.0, 0.5)), 0.0)
    mechanism.forces = [Motor("jet", body="block", point=point, orientation=turning, force=(2.0, 0, 0))]
    mechanism.bodies[0].inertia = (1e5, 1e5, 1e5)
    recording = simulate(mechanism, 1.0, 200.0)
    t = recording.times
    w, z = 1 + t * (np.cos(half) - 1), t * np.sin(half)
    angle = 2.0 * np.arctan2(z, w)
    push = 2.0 * np.column_stack([np.cos(angle), np.sin(angle)])
    speed = trapezoid(push / 2.0, t, axis=0)
    assert recording.linear_velocity[-1, 0, :2] == pytest.approx(speed, abs=1e-5)
    twist = trapezoid(-0.5 * t * push[:, 0], t) / 1e5
    assert recording.angular_velocity[-1, 0, 2] == pytest.approx(twist, rel=1e-4)


def test_gravity_and_joint_numbers_change_on_the_way():
    body = Body("bob", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0, 0, -1))
    hinge = Joint("hinge", "revolute", None, "bob", NONE, LYING, speeds=(0.5,), stiffness=(3.0,))
    mechanism = Mechanism(bodies=[body], joints=[hinge], forces=[Gravity("none", body="bob", acceleration=NONE)])
    act(mechanism, (LATER, "hinge", {"stiffness": [0.0]}), (1.5, "none", {"enabled": False}))
    recording = simulate(mechanism, 2.0, 24.0)
    omega, t = np.sqrt(3.0 / 1.1), recording.times
    before = np.minimum(t, LATER)
    expected = 0.5 / omega * np.sin(omega * before) + np.maximum(t - LATER, 0) * 0.5 * np.cos(omega * LATER)
    assert recording.joint_coordinates[t < 1.5, 0] == pytest.approx(expected[t < 1.5], abs=1e-7)
    assert abs(recording.joint_speeds[-1, 0] - recording.joint_speeds[36, 0]) > 0.1


def test_a_nail_that_is_driven_in_holds_the_body_where_it_is_and_stops_its_point():
    mechanism = block(linear_velocity=(1.0, 0, 0))
    mechanism.constraints = [Nail("nail", body="block", point=(0, 0.5, 0), enabled=False)]
    act(mechanism, (1.0, "nail", {"enabled": True}), (2.0, "nail", {"enabled": False}))
    recording = simulate(mechanism, 3.0, 24.0)
    held = (recording.times > 1.0) & (recording.times <= 2.0)
    # an inelastic impact: the angular momentum about the nail stays, m v r = (I + m r^2) w
    spin = 2.0 * 1.0 * 0.5 / (0.5 + 2.0 * 0.25)
    assert recording.angular_velocity[held, 0, 2] == pytest.approx(spin, abs=1e-9)
    q = recording.orientation[held, 0]
    arm = np.column_stack([-2 * q[:, 0] * q[:, 3], 1 - 2 * q[:, 3] ** 2, 0 * q[:, 0]]) * 0.5
    assert recording.position[held, 0] + arm == pytest.approx(np.tile((1.0, 0.5, 0.0), (held.sum(), 1)), abs=1e-9)
    assert recording.constraint_error.max() < 1e-9
    assert np.all(recording.constraint_force[recording.times > 2.01] == 0.0)
    assert np.ptp(recording.linear_velocity[recording.times > 2.01, 0], axis=0) == pytest.approx(0, abs=1e-9)
    assert any("velocities changed at 1 s" in note and "'block'" in note for note in recording.notes)


def test_an_orientation_and_a_rod_are_held_as_they_are_when_they_begin():
    mechanism = block(angular_velocity=(0, 0, 1.0))
    mechanism.constraints = [
        Orientation("level", body="block", enabled=False),
        Distance("rod", body_a="block", point_a=(1, 0, 0), point_b=(2, 0, 0), enabled=False),
    ]
    act(mechanism, (1.0, "level", {"enabled": True}), (1.5, "rod", {"enabled": True}))
    recording = simulate(mechanism, 2.0, 24.0)
    assert 2 * np.arctan2(recording.orientation[-1, 0, 3], recording.orientation[-1, 0, 0]) == pytest.approx(1.0)
    assert recording.constraint_error.max() < 1e-9


def test_a_rod_that_has_been_put_in_keeps_its_length_when_something_else_changes():
    mechanism = block(linear_velocity=(0.5, 0.5, 0))
    mechanism.constraints = [Distance("rod", body_a="block", point_a=NONE, point_b=(-1, 0, 0), enabled=False)]
    mechanism.forces = [Motor("jet", body="block", point=NONE, force=(0, 1.0, 0))]
    act(mechanism, (0.5, "rod", {"enabled": True}), (1.0, "jet", {"force": [0.0, 2.0, 0.0]}))
    recording = simulate(mechanism, 1.5, 24.0)
    length = np.linalg.norm(recording.position[:, 0] + (1, 0, 0), axis=1)
    assert length[12] > 1.2
    assert length[12:] == pytest.approx(length[12], abs=1e-9)


def chain(count: int = 3) -> Mechanism:
    bodies = [
        Body(f"link {k}", mass=1.0, inertia=(0.01, 0.02, 0.02), position=(0.5 * k + 0.25, 0, 0)) for k in range(count)
    ]
    joints = [
        Joint(f"joint {k}", "revolute", bodies[k - 1].name if k else None, f"link {k}", (0.5 * k, 0, 0), LYING)
        for k in range(count)
    ]
    return Mechanism(bodies=bodies, joints=joints)


@pytest.mark.parametrize("method", ["auto", "composite", "propagation", "lagrange"])
def test_a_cut_joint_lets_the_rest_fly(method):
    mechanism = act(chain(), (LATER, "joint 1", {"enabled": False}))
    recording = simulate(mechanism, 2.0, 48.0, method=method)
    whole = simulate(chain(), 2.0, 48.0)
    before = recording.times < LATER
    assert recording.position[before] == pytest.approx(whole.position[before], abs=1e-9)
    center = recording.position[:, 1:].mean(axis=1)
    first = int(np.argmax(recording.times > LATER))
    t = recording.times[first:] - recording.times[first]
    velocity = recording.linear_velocity[first, 1:].mean(axis=0)
    flight = center[first] + velocity * t[:, None] + 0.5 * np.outer(t**2, (0, 0, -9.81))
    assert center[first:] == pytest.approx(flight, abs=1e-6)
    assert np.all(recording.joint_force[first:, 1] == 0.0)
    momentum = recording.kinetic_energy + recording.potential_energy
    assert momentum == pytest.approx(momentum[0], abs=1e-4)
    apart = recording.joint_coordinates[first - 1 : first + 1, 1]
    assert abs(np.diff(apart)[0]) < 0.5  # the angle goes on, though no joint keeps it


def test_a_tied_loop_and_another_linkage_that_nothing_concerns():
    mechanism = chain()
    mechanism.bodies.append(Body("other", mass=1.0, inertia=(1, 1, 1), angular_velocity=(0.1, 2, 0.3)))
    mechanism.constraints = [Nail("nail", body="link 2", point=(1.5, 0, 0), enabled=False)]
    alone = simulate(mechanism, 2.0, 24.0)
    recording = simulate(act(mechanism, (0.4, "nail", {"enabled": True})), 2.0, 24.0)
    assert np.array_equal(recording.position[:, 3], alone.position[:, 3])
    tip = np.abs(recording.linear_velocity[-1, 2]).max()
    assert tip > 0.0
    assert recording.constraint_error.max() < 1e-8


def test_forces_of_a_redundant_loop_are_those_of_least_norm_before_it_is_cut():
    """A four-bar of hinges in space: least norm decides, for frames of a linkage that an action has ended too."""
    ends = [(None, "link 0", 0, 0), ("link 0", "link 1", 0, 1), ("link 1", "link 2", 1, 1), (None, "link 2", 1, 0)]
    places = [(0, 0, 0.5), (0.5, 0, 1), (1, 0, 0.5)]
    bodies = [Body(f"link {k}", mass=1.0, inertia=(0.05, 0.1, 0.1), position=x) for k, x in enumerate(places)]
    bodies[1].center_of_mass = (0.0, 0.2, 0.0)
    joints = [Joint(f"joint {k}", "revolute", a, b, (x, 0, z), LYING) for k, (a, b, x, z) in enumerate(ends)]
    whole = simulate(Mechanism(bodies=bodies, joints=joints), 0.2, 24.0).joint_force
    assert np.abs(whole[:, :, 3]).min() > 0.5  # out of the plane, where the loop is redundant, all joints share
    mechanism = act(Mechanism(bodies=bodies, joints=joints), (0.21, "joint 3", {"enabled": False}))
    for method in ("recursive", "lagrange"):
        cut = simulate(mechanism, 0.4, 24.0, method=method).joint_force
        assert cut[: len(whole)] == pytest.approx(whole, abs=1e-6)


def test_what_cannot_be_met_does_not_stop_another_action():
    """A path that leads out of the arm's reach, and a nail somewhere else that is pulled out afterwards."""
    way = [(1.0 + 0.5 * t, 0.0, 0.0) for t in (0.0, 1.0)]
    mechanism = Mechanism(bodies=[Body("arm", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0.5, 0, 0))])
    mechanism.joints = [Joint("shoulder", "spherical", None, "arm", NONE)]
    mechanism.constraints = [
        Path("path", body="arm", point=(1, 0, 0), times=(0.0, 0.3, 1.0), positions=(way[0], way[0], way[1])),
        Orientation("level", body="arm", enabled=False),
    ]
    act(mechanism, (0.8, "level", {"enabled": True}))
    recording = simulate(mechanism, 1.5, 24.0)
    assert len(recording.times) == 37
    assert recording.constraint_error[-1] > 0.1
    assert any("path" in note and "could not be met" in note for note in recording.notes)


def test_a_bead_that_is_off_its_curve_cannot_be_put_on_it_on_the_way():
    mechanism = block(linear_velocity=(1.0, 0, 0))
    mechanism.constraints = [Curve("bead", body="block", point=NONE, points=(NONE, (0, 1, 0)), enabled=False)]
    with pytest.raises(
        SimulationFailed, match=r"1 s: constraint 'bead': .* 1 m apart at 1 s; enable it when"
    ) as caught:
        simulate(act(mechanism, (1.0, "bead", {"enabled": True})), 2.0, 24.0)
    assert len(caught.value.recording.times) == 25
    assert caught.value.recording.position[-1, 0] == pytest.approx((1, 0, 0))


def toys() -> Mechanism:
    """A chain with all that one may act on, and with forces that jump by themselves."""
    mechanism = chain(4)
    mechanism.joints[1].friction, mechanism.joints[2].limits = (0.05,), ((-0.6, 0.6),)
    mechanism.constraints = [Nail("nail", body="link 3", point=(2, 0, 0), enabled=False)]
    mechanism.forces = [
        Brake("brake", body="link 2", point=(1.2, 0, 0), damping=3.0, enabled=False),
        Motor("push", body="link 3", point=(2, 0, 0), force=(0, 2.0, 5.0), enabled=False),
        Damping("air", body="link 1", linear=0.1),
        Support("foot", body="link 3", point=(2, 0, 0), height=-1.2, stiffness=500.0, damping=5.0, friction=0.3),
    ]
    return act(mechanism, (0.3, "air", {"linear": 0.5}))


def run_to(live: LiveRun, frame: int) -> None:
    while not live.advance(frame, 0.002):
        pass


def test_a_live_run_plays_again_exactly():
    live = LiveRun(toys(), 24.0)
    live.act("push", enabled=True)
    run_to(live, 5)
    live.act("brake", enabled=True)
    live.act("push", enabled=False)
    run_to(live, 10)
    grab = live.grab("link 3", live.pose()[0][3], 50.0, 2.0)
    for frame in range(11, 21):
        live.drag(grab, (1.0, 0.1 * (frame - 10), 0.05 * frame))
        run_to(live, frame)
    live.let_go(grab)
    live.act("brake", damping=1.0)
    run_to(live, 25)
    live.act("nail", enabled=True)
    run_to(live, 35)
    live.act("nail", enabled=False)
    live.act("joint 2", enabled=False)
    run_to(live, 300)  # beyond the room there was at first
    live_recording = live.recording()
    replay = simulate(live.mechanism, live.time, 24.0)
    assert len(replay.times) == len(live_recording.times) == 301
    assert_same_bits(replay, live_recording)
    assert replay.notes == live_recording.notes
    assert np.array_equal(live.pose()[0], replay.position[-1])


def test_a_live_run_is_saved_with_all_that_was_done(tmp_path):
    live = LiveRun(toys(), 24.0)
    run_to(live, 7)
    live.drag(live.grab("link 1", live.pose()[0][1], 20.0, 1.0), (0.5, 0, 1))
    run_to(live, 14)
    live.mechanism.save(tmp_path / "run.json")
    replay = simulate(Mechanism.load(tmp_path / "run.json"), live.time, 24.0)
    assert_same_bits(replay, live.recording())


@pytest.mark.parametrize("pieces", [-1, 0, 2])
@pytest.mark.parametrize("integrator", ["adams", "runge-kutta", "implicit"])
def test_it_does_not_matter_when_somebody_acts_nor_where_linkages_pause(monkeypatch, integrator, pieces):
    """Drags end at frames, where steps begin anew; and mostly in the midst of a frame somebody does something."""
    with monkeypatch.context() as hurried:
        count_pieces(hurried)
        work_in_small_pieces(hurried)
        live = LiveRun(toys(), 24.0, integrator=integrator)
        go_on(live, 4, pieces)
        live.advance(5, pieces)
        grab = live.grab("link 3", live.pose()[0][3], 50.0, 2.0)
        for k in range(12):
            live.drag(grab, (1.0, 0.1 * k, 0.1 * k))
            live.advance(live.frame + 2, pieces)
        live.act("brake", enabled=True)
        live.advance(live.frame + 1, pieces)
        live.let_go(grab)
        live.act("nail", enabled=True)
        go_on(live, 40, pieces)
    assert_plays_again(live, toys, integrator=integrator)


def test_a_step_over_many_frames_that_ends_where_a_table_begins_is_that_of_a_bake():
    """Its frames are asked for one by one, the last ones when it could begin anew already."""
    mechanism = block(angular_velocity=(0.01, 0.0, 0.2))
    mechanism.forces = [Motor("jet", body="block", point=NONE, force=(Table((1.0, 1.5), (4.0, 0.0)), 0.0, 0.0))]
    live = LiveRun(mechanism, 24.0)
    run_to(live, 40)
    assert_same_bits(live.recording(), simulate(mechanism, 40 / 24.0, 24.0))
    assert live.pose()[0][0, 0] == pytest.approx(simulate(mechanism, 5 / 3, 24.0, relative=1e-10).position[-1, 0, 0])


def test_a_body_that_turns_far_is_dragged_again_to_the_last_bit():
    """Where a drag ends, a step ends and a chart begins anew: once, whether a frame is asked for there or not."""
    mechanism = block(angular_velocity=(3.75, 8.75, 12.5))
    live = LiveRun(mechanism, 24.0)
    hand = live.grab("block", (0.3, 0.0, 0.0), 200.0, 2.0)
    for frame in range(3, 60, 3):
        run_to(live, frame)
        live.drag(hand, (0.3, 0.02 * frame, 0.0))
    run_to(live, 60)
    assert_same_bits(simulate(live.mechanism, live.time, 24.0), live.recording())


@pytest.mark.parametrize("pieces", [-1, 0, 1, 2])
def test_what_cannot_be_met_is_let_go_in_a_run_that_is_interrupted_there_too(monkeypatch, pieces):
    places = (0.3, 0, 0.2), (0.9, 0, 0.2)
    mechanism = Mechanism(
        bodies=[Body(f"arm {k}", mass=1.0, inertia=(0.02, 0.02, 0.02), position=x) for k, x in enumerate(places)],
        joints=[
            Joint("shoulder", "spherical", None, "arm 0", NONE),
            Joint("elbow", "spherical", "arm 0", "arm 1", (0.6, 0, 0.4)),
        ],
        constraints=[
            Path("path", body="arm 1", point=(1.2, 0, 0), times=(0.0, 0.2, 0.7),
                 positions=((1.2, 0, 0), (1.2, 0, 0), (1.9, 0, 0))),
        ],
    )  # fmt: skip
    count_pieces(monkeypatch)
    live = LiveRun(mechanism, 24.0)
    go_on(live, 24, pieces)
    again = simulate(mechanism, 1.0, 24.0)
    assert any("could not be met" in note for note in again.notes)
    assert_same_bits(again, live.recording())


def test_a_hand_that_grips_harder_goes_on_from_where_it_is():
    live = LiveRun(block(), 24.0)
    name = live.grab("block", NONE, 200.0, 40.0)
    for frame in range(1, 25):
        live.drag(name, (0.02 * frame, 0, 0))
        run_to(live, frame)
    live.act(name, stiffness=400.0)
    live.drag(name, (0.5, 0, 0))
    start = live.actions[-1].set["point_b"][0].values[0]
    assert start == pytest.approx(0.48)


def test_a_dragged_body_follows_the_hand():
    mechanism = block()
    live = LiveRun(mechanism, 24.0)
    name = live.grab("block", (0.5, 0, 0), 200.0, 40.0)
    for frame in range(1, 97):
        live.drag(name, (0.5 + 0.02 * min(frame, 48), 0, 0))
        run_to(live, frame)
    assert live.pose()[0][0] == pytest.approx((0.96, 0, 0), abs=1e-3)
    assert live.mechanism.forces[-1] == Spring(
        name, body_a="block", point_a=(0.5, 0, 0), point_b=(0.5, 0, 0), stiffness=200.0, rest_length=0.0, damping=40.0,
        enabled=False,
    )  # fmt: skip


def test_what_cannot_be_is_refused_and_nothing_has_changed():
    live = LiveRun(toys(), 24.0)
    run_to(live, 3)
    for target, settings, words in [
        ("brakes", {"enabled": True}, "brakes"),
        ("brake", {"damping": -1.0}, "damping"),
        ("brake", {"body": "link 1"}, "body"),
    ]:
        with pytest.raises(MechanismError, match=words):
            live.act(target, **settings)
    assert live.actions == []
    run_to(live, 30)
    assert live.recording().position == pytest.approx(simulate(toys(), 30 / 24, 24.0).position, abs=1e-12)
