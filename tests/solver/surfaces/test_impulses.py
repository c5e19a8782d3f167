# SPDX-License-Identifier: GPL-3.0-or-later
"""Rides in steps with impulses: against closed forms, against Adams, and struck by what touches."""

from __future__ import annotations

import numpy as np
import pytest

from solver import LiveRun, Mechanism, Simulation, SimulationFailed, simulate
from solver.mechanism import (
    Body,
    Box,
    Contact,
    Joint,
    Material,
    SmoothEllipsoid,
    SmoothPlane,
    SmoothSphere,
    SmoothTorus,
    Sphere,
)
from solver.simulation.inspection import inspect
from tests.solver.contact.scenes import meets_bodies
from tests.solver.contact.solids import fixed, solid
from tests.solver.surfaces.parts import ball, in_bowl, on_dome
from tests.solver.surfaces.random_rides import random_ride
from tests.solver.surfaces.test_motion import RADIUS, RING, TUBE, end_of, total
from tests.truths.marble import Marble, torus_normal
from tests.truths.pendulums import Pendulum
from tests.truths.riding_impact import RidingImpact

GRAVITY = 9.81
FOURTH = 2.0**3.5  # by which half the step makes an error of fourth order smaller, at least


def run(mechanism: Mechanism, duration: float, substeps: int | None = None, frame_rate: float = 24.0):
    return simulate(mechanism, duration, frame_rate, integrator="impulse", substeps=substeps)


def ends(recording) -> list[str]:
    return [note for note in recording.notes if " ends at " in note]


@pytest.mark.parametrize("rolling", [False, True])
def test_ball_in_a_bowl_converges_to_the_pendulum_by_fourth_order(rolling):
    truth, errors = Pendulum(0.6, np.sqrt(GRAVITY / 0.8 * (5.0 / 7.0 if rolling else 1.0))), []
    for substeps in (4, 8, 16):
        recording = run(in_bowl(0.6, rolling), 2.0, substeps)
        angle = np.arctan2(recording.position[:, 0, 0], -recording.position[:, 0, 2])
        errors.append(np.abs(angle - truth.angle(recording.times)).max())
    assert errors[0] < 1e-7
    assert errors[0] > FOURTH * errors[1] > FOURTH**2 * errors[2]
    assert np.ptp(total(recording)) < 1e-8


@pytest.mark.parametrize("rolling", [False, True])
def test_marble_in_a_tube_changes_its_charts_and_leaves_no_trace(rolling):
    """Round and round inside a torus, the point of contact runs over the marble, again and again past its poles."""
    tube = SmoothTorus(ring_radius=RING, tube_radius=TUBE, inside=True)
    x, n = np.array([RING, 0.0, -(TUBE - RADIUS)]), np.array([0.0, 0.0, 1.0])
    spin = np.array([-20.0, 3.0, 5.0]) if rolling else np.zeros(3)
    speed = RADIUS * np.cross(spin, n) if rolling else np.array([0.5, 2.0, 0.0])
    mechanism = ball(x, RADIUS, tube, (RING, 0.0, -TUBE), rolling, speed=tuple(speed), spin=tuple(spin))

    def normal(place):
        out, slope = torus_normal(RING)(place)
        return -out, -slope

    marble, errors = Marble(RADIUS, normal), []
    for substeps in (8, 16):  # one turns less than a tenth of a radian in these: none is taken in pieces
        recording = run(mechanism, 3.0, substeps, 48.0)
        truth = (marble.roll if rolling else marble.slide)(x, spin if rolling else speed, recording.times)
        errors.append(np.abs(recording.position[:, 0] - truth[:, :3]).max())
    assert not ends(recording)
    assert errors[1] < 1e-8
    assert errors[0] > FOURTH * errors[1]
    assert recording.linear_velocity[:, 0] == pytest.approx(truth[:, 3:6], abs=1e-7)
    assert np.ptp(total(recording)) < 1e-8
    outwards = np.array([-normal(place)[0] for place in recording.position[:, 0]])
    w, q = recording.orientation[:, 0, :1], recording.orientation[:, 0, 1:]
    seen = outwards + 2.0 * np.cross(q, np.cross(q, outwards) - w * outwards)  # along the marble's own axes
    at_pole = np.abs(seen[:, 2]) > np.sin(1.1)
    if rolling:
        assert np.count_nonzero(np.diff(at_pole.astype(int))) > 6, "it comes past the poles several times"


@pytest.mark.parametrize(("rolling", "share"), [(False, 2.0 / 3.0), (True, 10.0 / 17.0)])
def test_ball_leaves_a_dome_where_nothing_presses_it_on(rolling, share):
    recording, start = run(on_dome(0.05, rolling), 2.0), 0.05
    end = end_of(recording)
    assert end == pytest.approx(end_of(simulate(on_dome(0.05, rolling), 2.0, relative=1e-9)), abs=1.1e-5)
    flying = int(np.searchsorted(recording.times, end))
    x, v, g = recording.position[flying, 0], recording.linear_velocity[flying, 0], np.array([0.0, 0.0, -GRAVITY])
    # back along the parabola to where it is as far from the dome's middle as the surfaces are
    times = recording.times[flying] - end + np.linspace(-1e-5, 1e-5, 2001)
    left = x - times[:, None] * v + 0.5 * times[:, None] ** 2 * g
    left = left[np.argmin(np.abs(np.linalg.norm(left, axis=1) - 1.2))]
    assert left[2] / 1.2 == pytest.approx(share * np.cos(start), abs=2e-5)
    assert np.ptp(total(recording)) < 1e-6


def test_it_runs_over_an_edge_and_leaves_at_once_what_it_is_too_fast_for():
    table = SmoothPlane(half_size=(0.5, 1.0))
    over = run(ball((0, 0, 0.1), 0.1, table, (0, 0, 0), True, speed=(1.0, 0, 0), spin=(0, 10.0, 0)), 1.0)
    assert end_of(over) == pytest.approx(0.5, abs=1e-9)
    assert "the edge of its parent's surface" in " ".join(over.notes)
    assert over.position[-1, 0] == pytest.approx((1.0, 0.0, 0.1 - 0.5 * GRAVITY * 0.5**2), abs=1e-8)
    fast = run(on_dome(0.0, False, speed=(4.0, 0.0, 0.0)), 0.5)
    assert end_of(fast) == 0.0
    assert fast.position[-1, 0] == pytest.approx((2.0, 0.0, 1.2 - 0.5 * GRAVITY * 0.25), abs=1e-9)


def test_where_it_would_cut_in_it_stops_as_adams_does():
    """A ball that is rounder than the middle of a long bowl, but not than its end."""
    bowl, r = SmoothEllipsoid(half_axes=(1.0, 0.4, 0.4), inside=True), 0.25
    mechanism = ball((0, 0, -0.4 + r), r, bowl, (0, 0, -0.4), speed=(4.0, 0.0, 0.0))
    times = []
    for integrator in ("adams", "impulse"):
        with pytest.raises(SimulationFailed, match="would touch in more than one point") as caught:
            simulate(mechanism, 1.0, integrator=integrator)
        times.append(caught.value.time)
    assert times[1] == pytest.approx(times[0], abs=1e-6)


@pytest.mark.parametrize("seed", [0, 4, 9, 12, 16, 38, 43, 58])
def test_random_rides_move_as_by_adams(seed):
    """On the world, on what floats, swings and is keyed; some come off, some are tied in a loop."""
    assert_moves_as_by_adams(seed)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 200, 25))
def test_many_random_rides_move_as_by_adams(first):
    for seed in range(first, first + 25):
        assert_moves_as_by_adams(seed)


def assert_moves_as_by_adams(seed: int) -> None:
    mechanism = random_ride(seed)
    truth, recording = simulate(mechanism, 0.6, relative=1e-9), run(mechanism, 0.6, 40)
    assert len(ends(recording)) == len(ends(truth)), seed
    size = np.abs(truth.position - truth.position[0]).max()
    assert np.abs(recording.position - truth.position).max() < 1e-6 * size, seed


def test_dampers_of_a_ride_that_are_stiff_for_the_step_are_of_first_order():
    """Half the step, half the error; once they are stiff no more, the fourth order of the smooth motion is back."""
    stiff, soft = random_ride(37), random_ride(37)
    (ride,) = (joint for joint in stiff.joints if joint.name == "ride")
    ride.damping = [16.0 * damping for damping in ride.damping]

    def errors(mechanism: Mechanism, *substeps: int) -> list[float]:
        truth = simulate(mechanism, 0.6, relative=1e-9).position
        size = np.abs(truth - truth[0]).max()
        return [np.abs(run(mechanism, 0.6, each).position - truth).max() / size for each in substeps]

    a, b, c = errors(stiff, 40, 80, 160)
    assert a < 1.5e-3
    assert a / b == pytest.approx(2.0, rel=0.1)
    assert b / c == pytest.approx(2.0, rel=0.05)
    a, b, c, d = errors(soft, 5, 10, 20, 40)  # one axis is stiff at 5 and 10
    assert a / b == pytest.approx(2.0, rel=0.1)
    assert c < 1e-7
    assert c > FOURTH * d


def struck(rolling: bool, direction, friction: float = 0.0, restitution: float = 0.6, **given) -> Mechanism:
    """A marble of 2 kg on a plane of the world, and a ball that flies towards it, a little way off."""
    d, r = np.array(direction, float) / np.linalg.norm(direction), 0.1
    given = {"mass": 1.0, "speed": 2.0, "gravity": (0.0, 0.0, 0.0), "own": (0.0, 0.0, 0.0)} | given
    how = {"material": Material(friction, restitution)}
    own = np.array(given["own"])
    spin = np.cross((0.0, 0.0, 1.0), own) / r if rolling else np.zeros(3)
    place = np.array([0.0, 0.0, r])
    shape = Sphere(radius=r)
    marble = solid("marble", shape, place.tolist(), 2.0, linear_velocity=own, angular_velocity=spin, **how)
    flies = {"linear_velocity": given["speed"] * d}
    other = solid("ball", shape, (place - (2.0 * r + 0.05) * d).tolist(), given["mass"], **flies, **how)
    ride = Joint(
        name="ride", type="contact", parent=None, child="marble", position=(0, 0, 0), surface_parent=SmoothPlane(),
        surface_child=SmoothSphere(radius=r), rolling=rolling,
    )  # fmt: skip
    return Mechanism(gravity=given["gravity"], bodies=[marble, other], joints=[ride], contact=Contact())


@meets_bodies
@pytest.mark.parametrize("restitution", [0.0, 0.6, 1.0])
@pytest.mark.parametrize("direction", [(1, 0, 0), (1, 0, -1), (1, 2, 1), (0, 0, 1)])
@pytest.mark.parametrize("rolling", [False, True])
def test_a_blow_runs_through_a_ride_or_lifts_it_off(rolling, direction, restitution):
    recording = run(struck(rolling, direction, restitution=restitution), 0.1)
    d = np.array(direction) / np.linalg.norm(direction)
    truth = RidingImpact((2.0, 1.0), restitution, 0.4 if rolling else 0.0)
    velocities, _ = truth.after([np.zeros(3), 2.0 * d], d)
    assert recording.linear_velocity[-1] == pytest.approx(velocities, abs=1e-9)
    lifts = ["joint 'ride': ends at 0.025 s: a blow lifts the surfaces off each other"]
    assert ends(recording) == (lifts if truth.lifts(d) else [])
    spin = np.cross((0.0, 0.0, 1.0), velocities[0]) / 0.1 if rolling and not truth.lifts(d) else np.zeros(3)
    assert recording.angular_velocity[-1, 0] == pytest.approx(spin, abs=1e-7)


@meets_bodies
def test_a_marble_rolls_down_a_bowl_and_knocks_a_ball_on_a_thread_away():
    """Momentum and restitution at the bottom, and how high the other one then swings."""
    start, R, r, e = 0.9, 1.0, 0.1, 0.8
    mechanism = in_bowl(-start, True, R=R, r=r)
    mechanism.bodies[0].shape, mechanism.bodies[0].material = Sphere(radius=r), Material(0.0, e)
    bob = solid("bob", Sphere(radius=r), (2.0 * r, 0.0, r - R), 1.0, material=Material(0.0, e))
    mechanism.bodies.append(bob)
    pivot = Joint(name="pivot", type="spherical", parent=None, child="bob", position=(2.0 * r, 0.0, 0.0))
    mechanism.joints.append(pivot)
    mechanism.contact = Contact()
    recording = simulate(mechanism, 1.5, 240.0)
    assert "integrator: impulse" in recording.notes
    assert not ends(recording)
    v = np.sqrt(10.0 / 7.0 * GRAVITY * (R - r) * (1.0 - np.cos(start)))
    # the bob swings about its pivot, and turns with its thread
    arm, heavy = R - r, 1.0 + 0.4 * (r / (R - r)) ** 2
    after, _ = RidingImpact((2.0, heavy), e, 0.4).after([(v, 0, 0), (0, 0, 0)], (-1.0, 0.0, 0.0))
    struck_at = int(np.argmax(recording.linear_velocity[:, 1, 0] > 0.0))
    assert np.linalg.norm(recording.linear_velocity[struck_at, 0]) == pytest.approx(abs(after[0, 0]), rel=2e-3)
    # up to where all of its energy is weight's
    height = 0.5 * heavy * after[1, 0] ** 2 / GRAVITY
    rise = recording.position[:, 1, 2].max() - (r - R)
    assert rise == pytest.approx(height, rel=1e-4)
    assert rise < arm


@meets_bodies
def test_a_blow_that_pulls_less_than_its_weight_presses_does_not_lift_it():
    light = struck(False, (1, 0, 1), mass=1e-3, gravity=(0.0, 0.0, -GRAVITY))
    assert not ends(run(light, 0.1))
    assert ends(run(struck(False, (1, 0, 1), mass=0.5, gravity=(0.0, 0.0, -GRAVITY)), 0.1))


@meets_bodies
def test_what_is_knocked_off_a_body_falls_back_on_its_shape():
    """A marble on a table, struck below its middle by a smaller one that slides on the table."""
    r, how = 0.1, {"material": Material(0.0, 0.0)}
    table = fixed("table", Box(half_size=(2.0, 1.0, 0.1)), (0.0, 0.0, -0.1), **how)
    marble = solid("marble", Sphere(radius=r), (0.0, 0.0, r), 1.0, **how)
    small = solid("small", Sphere(radius=0.5 * r), (-0.6, 0.0, 0.5 * r), 0.5, **how)
    small.linear_velocity = (3.0, 0.0, 0.0)
    ride = Joint(
        name="ride", type="contact", parent="table", child="marble", position=(0, 0, 0), rolling=True,
        surface_parent=SmoothPlane(position=(0.0, 0.0, 0.1)), surface_child=SmoothSphere(radius=r),
    )  # fmt: skip
    mechanism = Mechanism(bodies=[table, marble, small], joints=[ride], contact=Contact())
    recording = simulate(mechanism, 0.8, 240.0)
    away = np.array([np.sqrt(8.0), 0.0, 1.0]) / 3.0  # from the small one's middle to the marble's
    assert end_of(recording) == pytest.approx((0.6 - 1.5 * r * away[0]) / 3.0, abs=1e-3)
    assert "a blow lifts" in " ".join(recording.notes)
    height = recording.position[:, 1, 2]
    # the small one cannot go down, so it slides on, with the speed that leaves nothing approaching
    impulse = 3.0 * away[0] / (1.0 + away[0] ** 2 / 0.5)
    flying = int(np.searchsorted(recording.times, end_of(recording))) + 1
    speed = recording.linear_velocity[flying, 1] + (0.0, 0.0, GRAVITY * (recording.times[flying] - end_of(recording)))
    assert speed == pytest.approx(impulse * away, abs=0.02 * impulse)
    # it is still slower than the small one, which lifts it on
    assert height.max() > r + (impulse * away[2]) ** 2 / (2.0 * GRAVITY)
    assert height.min() > r - 5e-4
    assert height[-1] == pytest.approx(r, abs=5e-4)
    assert np.diff(total(recording)).max() < 1e-5


@meets_bodies
@pytest.mark.parametrize("push", [(1.0, 0.0, 0.0), (0.0, 0.0, 1.0)])
def test_a_blow_on_what_rides_on_three_feet(push):
    """Feet that ride close loops: struck from the side it slides on as one piece, from below it takes off."""
    place = np.array([0.0, 0.0, 0.3])
    board = solid("board", Box(half_size=(0.3, 0.3, 0.1)), place.tolist(), 4.0, material=Material(0.0, 0.0))
    feet = [
        Joint(
            name=f"foot {k}", type="contact", parent=None, child="board", position=(x, y, 0.0),
            surface_parent=SmoothPlane(), surface_child=SmoothSphere(radius=0.1, position=(x, y, -0.2)),
        )
        for k, (x, y) in enumerate([(0.25, 0.0), (-0.2, 0.2), (-0.2, -0.2)])
    ]  # fmt: skip
    d = np.array(push)
    other = solid(
        "ball", Sphere(radius=0.1), (place - d * 0.5).tolist(), 1.0, material=Material(0.0, 0.0),
        linear_velocity=2.0 * d,
    )  # fmt: skip
    mechanism = Mechanism(gravity=(0.0, 0.0, 0.0), bodies=[board, other], joints=feet, contact=Contact())
    recording = run(mechanism, 0.6)
    assert recording.linear_velocity[-1, 0] == pytest.approx(0.4 * d, abs=1e-6)
    assert recording.linear_velocity[-1, 1] == pytest.approx(0.4 * d, abs=1e-6)
    assert np.abs(recording.angular_velocity[-1, 0]).max() < 1e-6
    assert len(ends(recording)) == (3 if d[2] else 0)


@meets_bodies
@pytest.mark.parametrize("seed", range(4))
def test_marbles_in_a_bowl_that_meet_never_gain_energy(seed):
    rng = np.random.default_rng(seed)
    bowl, r, bodies, joints = SmoothSphere(radius=1.0, inside=True), 0.12, [], []
    for k in range(5):
        angle, around = rng.uniform(0.4, 0.9), 2.0 * np.pi * (k + rng.uniform(-0.2, 0.2)) / 5.0
        out = np.array([np.sin(angle) * np.cos(around), np.sin(angle) * np.sin(around), -np.cos(angle)])
        mass, surface = float(np.exp(rng.uniform(-1.0, 1.0))), Material(rng.uniform(0.0, 0.6), rng.uniform(0.0, 1.0))
        bodies.append(solid(f"marble {k}", Sphere(radius=r), ((1.0 - r) * out).tolist(), mass, material=surface))
        joints.append(
            Joint(
                name=f"ride {k}", type="contact", parent=None, child=f"marble {k}", position=out.tolist(),
                surface_parent=bowl, surface_child=SmoothSphere(radius=r), rolling=bool(rng.random() < 0.5),
            )
        )  # fmt: skip
    mechanism = Mechanism(bodies=bodies, joints=joints, contact=Contact())
    recording = run(mechanism, 1.0, frame_rate=60.0)
    energy = total(recording) + GRAVITY * sum(body.mass for body in bodies)  # above the bowl's bottom
    assert (energy - np.minimum.accumulate(energy)).max() < 2e-3 * energy[0]
    gaps = np.linalg.norm(recording.position[:, :, None] - recording.position[:, None], axis=-1)
    assert gaps[:, *np.triu_indices(5, 1)].min() > 2.0 * r - 1e-3


@meets_bodies
def test_a_floating_track_and_its_marbles_keep_their_momentum():
    """A ring that floats; one marble rides on it, and another hits that: all of it in free space."""
    ring = Body(name="ring", mass=5.0, inertia=(2.0, 2.0, 3.0), angular_velocity=(0.2, -0.1, 0.3))
    tube = SmoothTorus(ring_radius=1.0, tube_radius=0.3, inside=True)
    how = {"material": Material(0.3, 0.5)}
    marble = solid("marble", Sphere(radius=0.1), (1.0, 0.0, -0.2), 2.0, linear_velocity=(0.3, 2.0, 0.0), **how)
    other = solid("ball", Sphere(radius=0.1), (0.9, 0.6, -0.15), 1.0, linear_velocity=(0.1, 0.1, -0.1), **how)
    ride = Joint(
        name="ride", type="contact", parent="ring", child="marble", position=(1.0, 0.0, -0.3), surface_parent=tube,
        surface_child=SmoothSphere(radius=0.1),
    )  # fmt: skip
    mechanism = Mechanism(gravity=(0.0, 0.0, 0.0), bodies=[ring, marble, other], joints=[ride], contact=Contact())
    recording = run(mechanism, 0.6)
    masses = np.array([5.0, 2.0, 1.0])
    momentum = np.einsum("b,fbi->fi", masses, recording.linear_velocity)
    assert np.abs(np.diff(recording.linear_velocity[:, 2], axis=0)).max() > 0.1, "they meet"
    assert np.abs(momentum - momentum[0]).max() < 1e-9


def test_a_live_run_plays_again_to_the_last_bit_over_the_end_of_a_ride():
    mechanism = on_dome(0.6, True)
    mechanism.bodies[0].shape, mechanism.contact = Sphere(radius=0.2), Contact()
    mechanism.bodies.append(fixed("floor", Box(half_size=(3.0, 3.0, 0.1)), (0.0, 0.0, -0.6)))
    live = LiveRun(mechanism, 24.0)
    while not live.advance(24, 10.0):
        pass
    again = simulate(live.mechanism, 1.0, 24.0)
    assert "integrator: impulse" in again.notes
    assert end_of(again) == end_of(live.recording())
    assert np.array_equal(again.position, live.recording().position)


@meets_bodies
def test_inspection_knows_both_rides_and_contacts():
    mechanism = struck(True, (1, 0, 0), gravity=(0.0, 0.0, -GRAVITY), restitution=0.0)
    simulation = Simulation(mechanism, 0.1, integrator="impulse")
    for _ in simulation.run():
        pass
    recording = simulation.recording
    found = inspect(mechanism, recording)
    energies = found.kinetic_energy.sum(axis=1) + found.potential_energy.sum(axis=1)
    assert energies == pytest.approx(total(recording), abs=1e-9)
    assert recording.joint_force[:2, 0, 2] == pytest.approx([2.0 * GRAVITY] * 2, rel=1e-6)
