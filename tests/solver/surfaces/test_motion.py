# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies that ride on surfaces, against closed forms, an independent formulation and what must be kept."""

from __future__ import annotations

import numpy as np
import pytest

from solver import LiveRun, Mechanism, SimulationFailed, assemble, simulate
from solver.mechanism import (
    Action,
    Body,
    Contact,
    Ground,
    Joint,
    SmoothCylinder,
    SmoothPlane,
    SmoothSphere,
    SmoothTorus,
    Sphere,
)
from tests.solver.surfaces.parts import ball, curved_patch, flat_patch, in_bowl, on_dome
from tests.truths.marble import Marble, torus_normal
from tests.truths.pendulums import Pendulum

INTEGRATORS = ("adams", "runge-kutta", "implicit")


def total(recording) -> np.ndarray:
    return recording.kinetic_energy + recording.potential_energy


def end_of(recording) -> float:
    """s: when the ride came to its end."""
    (note,) = (note for note in recording.notes if " ends at " in note)
    return float(note.split(" ends at ")[1].split()[0])


@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize("rolling", [False, True])
def test_ball_in_a_bowl_swings_as_a_pendulum(rolling, integrator):
    """Its centre is a pendulum as long as the radii differ; rolling, its own turning makes it heavier by 7/5."""
    recording = simulate(in_bowl(0.6, rolling), 5.0, integrator=integrator)
    angle = np.arctan2(recording.position[:, 0, 0], -recording.position[:, 0, 2])
    truth = Pendulum(0.6, np.sqrt(9.81 / 0.8 * (5.0 / 7.0 if rolling else 1.0)))
    assert angle == pytest.approx(truth.angle(recording.times), abs=2e-6)
    assert np.ptp(total(recording)) < 1e-7
    if rolling:  # without slipping it turns as its centre goes along
        spin = truth.speed(recording.times) * 0.8 / 0.2
        assert recording.angular_velocity[:, 0, 1] == pytest.approx(spin, abs=1e-4)


def test_a_pole_on_the_way_leaves_no_trace():
    """The bowl's lowest place is a pole of its surface; turned, it is not. Ball and bowl both change their charts."""
    moved = {"speed": (0.05, 0.9, 0.034), "spin": (3.0, 8.0, -5.0)}
    turned = (np.cos(0.6), np.sin(0.6) * 0.6, np.sin(0.6) * 0.8, 0.0)
    options = {"duration": 4.0, "relative": 1e-9}
    a = simulate(in_bowl(0.6, True, **moved), **options)
    b = simulate(in_bowl(0.6, True, orientation=turned, **moved), **options)
    assert np.abs(a.position - b.position).max() < 1e-7
    assert np.abs(a.angular_velocity - b.angular_velocity).max() < 1e-5
    assert np.ptp(total(a)) < 1e-8
    straight = simulate(in_bowl(0.6, False), 3.0, relative=1e-9)  # right through the pole
    assert np.abs(straight.position[:, 0, 1]).max() < 1e-10
    truth = Pendulum(0.6, np.sqrt(9.81 / 0.8)).angle(straight.times)
    assert np.arctan2(straight.position[:, 0, 0], -straight.position[:, 0, 2]) == pytest.approx(truth, abs=1e-8)


@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize(("rolling", "share"), [(False, 2.0 / 3.0), (True, 10.0 / 17.0)])
def test_ball_leaves_a_dome_where_nothing_presses_it_on(rolling, share, integrator):
    start = 0.05
    recording = simulate(on_dome(start, rolling), 3.0, integrator=integrator)
    end = end_of(recording)
    flying = int(np.searchsorted(recording.times, end))
    x, v = recording.position[flying, 0], recording.linear_velocity[flying, 0]
    back = recording.times[flying] - end
    left = x - v * back + 0.5 * np.array([0.0, 0.0, -9.81]) * back**2
    assert np.linalg.norm(left) == pytest.approx(1.2, abs=1e-6)
    assert left[2] / 1.2 == pytest.approx(share * np.cos(start), abs=1e-5)
    assert np.ptp(total(recording)) < 1e-6
    assert "no longer press on each other" in " ".join(recording.notes)
    # it flies on freely, spinning as it did
    after = recording.times[flying:] - recording.times[flying]
    assert recording.position[flying:, 0] == pytest.approx(
        x + after[:, None] * v + 0.5 * after[:, None] ** 2 * np.array([0.0, 0.0, -9.81]), abs=1e-6
    )
    assert np.ptp(recording.angular_velocity[flying:, 0], axis=0) == pytest.approx(np.zeros(3), abs=1e-12)
    assert np.abs(recording.joint_force[flying:]).max() == 0.0


@pytest.mark.parametrize("relative", [1e-9, 1e-10, 1e-11, 1e-12])
@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize(("rolling", "share"), [(False, 2.0 / 3.0), (True, 10.0 / 17.0)])
def test_it_leaves_and_flies_on_at_any_tolerance(rolling, share, integrator, relative):
    start = 0.05
    recording = simulate(on_dome(start, rolling), 2.0, integrator=integrator, relative=relative)
    flying = int(np.searchsorted(recording.times, end_of(recording)))
    height = 1.2 * share * np.cos(start)
    slide = np.sqrt(2.0 * 9.81 * (1.2 * np.cos(start) - height) * (5.0 / 7.0 if rolling else 1.0))
    fall = recording.times[flying:] - end_of(recording)
    down = slide * np.sqrt(1.0 - (share * np.cos(start)) ** 2) * fall + 0.5 * 9.81 * fall**2
    assert recording.position[flying:, 0, 2] == pytest.approx(height - down, abs=2e-5)
    assert np.ptp(total(recording)) < 100.0 * relative


def test_a_ball_that_is_too_fast_leaves_at_once():
    recording = simulate(on_dome(0.0, False, speed=(4.0, 0.0, 0.0)), 0.5)
    assert end_of(recording) == 0.0
    assert recording.position[-1, 0] == pytest.approx((2.0, 0.0, 1.2 - 0.5 * 9.81 * 0.25), abs=1e-9)


def test_a_ball_runs_over_the_edge_of_a_table():
    table = SmoothPlane(half_size=(0.5, 1.0))
    recording = simulate(ball((0, 0, 0.1), 0.1, table, (0, 0, 0), True, speed=(1.0, 0, 0), spin=(0, 10.0, 0)), 1.0)
    assert end_of(recording) == pytest.approx(0.5, abs=1e-9)
    assert "the edge of its parent's surface" in " ".join(recording.notes)
    fall = 0.5 * 9.81 * 0.5**2
    assert recording.position[-1, 0] == pytest.approx((1.0, 0.0, 0.1 - fall), abs=1e-8)


def test_patch_on_a_flat_patch_falls_straight_down():
    """Pai, Ascher, Kry 2000, figure 2: nothing pushes sideways, so the centre of mass moves only up and down."""
    tilt = 0.35
    turn = np.array([[np.cos(tilt), 0, np.sin(tilt)], [0, 1, 0], [-np.sin(tilt), 0, np.cos(tilt)]])
    body = Body(
        name="cap", mass=1.3, inertia=(0.09, 0.11, 0.18), center_of_mass=(0.0, 0.02, 0.12), position=(0.1, 0.0, 0.033),
        orientation=(np.cos(tilt / 2), 0.0, np.sin(tilt / 2), 0.0), angular_velocity=(0.4, 0.0, 1.0),
    )  # fmt: skip
    ride = Joint(
        name="ride", type="contact", parent=None, child="cap", position=(0.0, 0.0, 0.0), surface_parent=flat_patch(4.0),
        surface_child=curved_patch(),
    )  # fmt: skip

    mechanism = assemble(Mechanism(bodies=[body], joints=[ride]))
    recording = simulate(mechanism, 2.0, relative=1e-8)
    assert not any(" ends at " in note for note in recording.notes)
    w, x, y, z = recording.orientation[:, 0].T
    columns = np.stack(
        [
            2 * (x * z + w * y),
            2 * (y * z - w * x),
            1 - 2 * (x * x + y * y),
            2 * (x * y - w * z),
            1 - 2 * (x * x + z * z),
        ]
        + [2 * (y * z + w * x)],
        axis=1,
    )
    center = recording.position[:, 0] + 0.12 * columns[:, :3] + 0.02 * columns[:, 3:]
    start = recording.linear_velocity[0, 0] + np.cross(
        recording.angular_velocity[0, 0], center[0] - recording.position[0, 0]
    )
    sideways = center[:, :2] - center[0, :2] - start[:2] * recording.times[:, None]
    assert np.abs(sideways).max() < 1e-8
    assert np.ptp(center[:, 2]) > 0.01
    assert np.ptp(total(recording)) < 1e-7
    assert np.abs(recording.joint_force[:, 0, :2]).max() < 1e-10
    assert turn[0, 0] > 0.0


RING, TUBE, RADIUS = 1.0, 0.3, 0.1


def on_torus(rolling: bool, speed, spin) -> Mechanism:
    at = np.array([RING + (TUBE + RADIUS) * np.cos(1.2), 0.0, (TUBE + RADIUS) * np.sin(1.2)])
    foot = np.array([RING + TUBE * np.cos(1.2), 0.0, TUBE * np.sin(1.2)])
    torus = SmoothTorus(ring_radius=RING, tube_radius=TUBE)
    return ball(at, RADIUS, torus, foot, rolling, speed=speed, spin=spin)


@pytest.mark.parametrize("rolling", [False, True])
def test_marble_on_a_torus_moves_as_its_centre_does(rolling):
    """Lying torus without gravity would be a geodesic; with it the marble runs around and comes off outside."""
    x = np.array([RING + (TUBE + RADIUS) * np.cos(1.2), 0.0, (TUBE + RADIUS) * np.sin(1.2)])
    n = np.array([np.cos(1.2), 0.0, np.sin(1.2)])
    marble = Marble(RADIUS, torus_normal(RING))
    spin = np.array([2.0, 1.0, 20.0]) if rolling else np.zeros(3)
    speed = RADIUS * np.cross(spin, n) if rolling else np.array([0.0, 1.5, 0.0])
    recording = simulate(on_torus(rolling, tuple(speed), tuple(spin)), 3.0, 48, relative=1e-9)
    last = np.searchsorted(recording.times, end_of(recording)) if "ends" in str(recording.notes) else None
    times = recording.times[:last]
    assert len(times) > 10
    truth = marble.roll(x, spin, times) if rolling else marble.slide(x, speed, times)
    assert recording.position[:last, 0] == pytest.approx(truth[:, :3], abs=1e-7)
    assert recording.linear_velocity[:last, 0] == pytest.approx(truth[:, 3:6], abs=1e-6)
    if rolling:
        assert recording.angular_velocity[:last, 0] == pytest.approx(truth[:, 6:], abs=1e-5)


def test_marble_inside_a_torus_goes_round_and_round():
    """In a tube: the same truth with the normal turned inwards, for many turns."""
    tube = SmoothTorus(ring_radius=RING, tube_radius=TUBE, inside=True)
    x = np.array([RING, 0.0, -(TUBE - RADIUS)])
    speed = (0.0, 2.0, 0.0)
    mechanism = ball(x, RADIUS, tube, (RING, 0.0, -TUBE), speed=speed)
    recording = simulate(mechanism, 4.0, relative=1e-9)

    def normal(place):
        n, slope = torus_normal(RING)(place)
        return -n, -slope

    truth = Marble(RADIUS, normal).slide(x, np.array(speed), recording.times)
    assert recording.position[:, 0] == pytest.approx(truth[:, :3], abs=1e-6)


def test_a_cylinder_rolls_on_a_ball_and_balls_roll_in_a_pipe():
    """In a level pipe a rolling ball swings across it and keeps its speed along it, in the mean (no spin, no gain)."""
    pipe = SmoothCylinder(radius=0.5, inside=True, orientation=(np.sqrt(0.5), 0.0, np.sqrt(0.5), 0.0))
    at = np.array([0.0, np.sin(0.5), -np.cos(0.5)])
    recording = simulate(ball(0.4 * at, 0.1, pipe, 0.5 * at), 4.0)
    angle = np.arctan2(recording.position[:, 0, 1], -recording.position[:, 0, 2])
    assert angle == pytest.approx(Pendulum(0.5, np.sqrt(9.81 / 0.4)).angle(recording.times), abs=3e-6)


def test_a_block_on_a_cylinder_rocks_as_told():
    """A flat slab that rolls on a fixed cylinder, small angles: rate^2 = g (r - h) / (k^2 + h^2)."""
    r, h, amplitude = 0.5, 0.1, 1e-3
    turn = amplitude
    foot = r * np.array([np.sin(0.0), 0.0, 1.0])
    # the point of contact has rolled by the angle over the slab: position of the slab's underside centre
    n, t = np.array([np.sin(turn), 0.0, np.cos(turn)]), np.array([np.cos(turn), 0.0, -np.sin(turn)])
    center = r * n - r * turn * t + h * n
    slab = Body(
        name="slab", mass=3.0, inertia=(0.05, 0.04, 0.05), position=tuple(center),
        orientation=(np.cos(turn / 2), 0.0, np.sin(turn / 2), 0.0),
    )  # fmt: skip
    log = SmoothSphere(radius=r)  # in one plane a sphere is as good as a cylinder
    under = SmoothPlane(position=(0.0, 0.0, -h), orientation=(0.0, 1.0, 0.0, 0.0))
    ride = Joint(
        name="ride", type="contact", parent=None, child="slab", position=tuple(foot), surface_parent=log,
        surface_child=under, rolling=True,
    )  # fmt: skip
    recording = simulate(Mechanism(bodies=[slab], joints=[ride]), 3.0, relative=1e-8)
    rate = np.sqrt(9.81 * (r - h) / (0.04 / 3.0 + h * h))
    angle = 2.0 * np.arctan2(recording.orientation[:, 0, 2], recording.orientation[:, 0, 0])
    assert angle == pytest.approx(amplitude * np.cos(rate * recording.times), abs=2e-6)


def test_steps_and_pauses_do_not_change_it():
    """The same by two integrators, over an end of the ride and a chart's change."""
    mechanism = on_dome(0.3, True, speed=(0.2, 0.5, -0.0618), spin=(1.0, 2.0, 6.0))
    a, b = (simulate(mechanism, 2.0, relative=1e-9, integrator=name) for name in INTEGRATORS[:2])
    assert end_of(a) == pytest.approx(end_of(b), abs=1e-6)
    assert np.abs(a.position - b.position).max() < 1e-6


def test_a_live_run_plays_again_to_the_last_bit_over_the_end_of_a_ride():
    run = LiveRun(on_dome(0.6, True), 24.0)
    while not run.advance(24, 10.0):
        pass
    again = simulate(run.mechanism, 1.0, 24.0)
    assert end_of(again) == end_of(run.recording())
    assert np.array_equal(again.position, run.recording().position)


def test_actions_cut_a_ride_and_put_it_back_only_where_it_touches():
    mechanism = on_dome(0.6, True)
    mechanism.actions = [Action(0.2, "ride", {"enabled": False}), Action(0.3, "ride", {"enabled": True})]
    with pytest.raises(SimulationFailed, match=r"joint 'ride': its surfaces overlap by .* m at 0\.3 s; enable it when"):
        simulate(mechanism, 0.5)


def test_what_has_come_off_touches_by_its_shape():
    """On the dome the ball's shape meets only the ground, softly; off it, impulses stop it there."""
    mechanism = on_dome(0.6, True)
    mechanism.bodies[0].shape, mechanism.contact = Sphere(radius=0.2), Contact(ground=Ground(height=0.0))
    recording = simulate(mechanism, 1.2)
    assert end_of(recording) == pytest.approx(0.505859, abs=1e-5)
    assert recording.position[-1, 0, 2] == pytest.approx(0.2, abs=2e-3)


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_a_ride_of_a_millimetre_takes_the_steps_of_one_of_a_metre(integrator):
    """Error control is in parts of the linkage's size for all coordinates, those of the rider's own surface too."""
    large, small = (simulate(rocking_plate(scale), 0.5, integrator=integrator) for scale in (1.0, 2.0**-10))
    assert small.evaluations == large.evaluations
    assert small.position * 2.0**10 == pytest.approx(large.position, abs=1e-14)


def rocking_plate(scale: float) -> Mechanism:
    """On a fixed ball; lengths and gravity by `scale`, so that it takes the same time."""
    radius, half = 0.5 * scale, 0.05 * scale
    under = SmoothPlane(position=(0.0, 0.0, -half), orientation=(0.0, 1.0, 0.0, 0.0))
    plate = Body(
        "plate", mass=1.0, inertia=tuple(x * scale**2 for x in (0.34, 0.34, 0.67)), position=(0.0, 0.0, radius + half),
        angular_velocity=(0.6, 0.4, 0.0),
    )  # fmt: skip
    ride = Joint(
        name="ride", type="contact", parent=None, child="plate", rolling=True, position=(0.0, 0.0, radius),
        surface_parent=SmoothSphere(radius=radius), surface_child=under,
    )  # fmt: skip
    return Mechanism("plate", (0.0, 0.0, -9.81 * scale), bodies=[plate], joints=[ride])
