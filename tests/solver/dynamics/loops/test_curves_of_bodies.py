# SPDX-License-Identifier: GPL-3.0-or-later
"""Beads on curves of moving bodies, and bodies that turn along curves: against joints, closed forms, and Newton's laws.

Runs at relative 1e-9 are held to 1e-7, constraints to 1e-8, as in `test_constraints`. A cubic spline through points h
apart has a third derivative that is off by about h / 2 of the fourth: forces that turn a body along it are no better.
"""

import numpy as np
import pytest

from solver import Mechanism, MechanismError, assemble, evaluate, simulate
from solver.assembly.curve import BeadCurve
from solver.mechanism import Action, Addition, Body, Box, Contact, Curve, Generic, Ground, Joint, JointMotor, Keys, Nail
from solver.model.linkage.compilation import compile_linkages
from solver.model.poses import rotation_matrices
from solver.simulation.contradictions import find_speeds
from tests.solver.comparison import turned_apart
from tests.solver.dynamics.loops.test_constraints import FINE, HELD, MOVES, all_methods, bar, bead, run

PLACE = np.array([0.1, 0.05, -0.2])
TURN = np.array([np.cos(0.4), 0.0, np.sin(0.4), 0.0])
WAY = rotation_matrices(TURN[None])[0][:, 0]
SADDLE = [(0.5 * np.cos(a), 0.5 * np.sin(a), 0.1 * np.sin(2 * a)) for a in np.arange(60) * (2 * np.pi / 60)]


def two(gravity=(0, 0, 0), **curve) -> Mechanism:
    """A free carrier, which turns, and a free bead with a spin of its own on its curve."""
    base = bar("base", angular_velocity=(0.5, 1.0, 2.0))
    other = bar(position=(0.5, 0.0, 0.0), linear_velocity=(0.0, 0.3, 0.2), angular_velocity=(0.3, -1.0, 0.8))
    slot = Curve("slot", body="bar", to="base", point=(0.5, 0, 0), points=SADDLE, closed=True, **curve)
    return Mechanism(gravity=gravity, bodies=[base, other], constraints=[slot])


def momenta(got) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(linear (F, 3), angular (F, 3) about the origin, kinetic energy (F,)) of bars."""
    inertia = np.diag([0.01, 0.08, 0.09])
    linear, angular, energy = 0.0, 0.0, 0.0
    for k in range(got.position.shape[1]):
        R, w = rotation_matrices(got.orientation[:, k]), got.angular_velocity[:, k]
        arm = R @ (0.4, 0.0, 0.0)
        v = got.linear_velocity[:, k] + np.cross(w, arm)
        spin = np.einsum("fij,jk,flk,fl->fi", R, inertia, R, w)
        linear = linear + 1.5 * v
        angular = angular + spin + 1.5 * np.cross(got.position[:, k] + arm, v)
        energy = energy + 0.5 * (1.5 * (v * v).sum(axis=1) + (spin * w).sum(axis=1))
    return linear, angular, energy


@all_methods
def test_straight_slot_of_a_moving_body_is_a_point_on_its_line(method):
    base = bar("base", angular_velocity=(0.5, 1.0, 2.0))
    other = bar(position=(0.5, 0.1, 0.0), linear_velocity=(0.0, 0.3, 0.2), angular_velocity=(0.3, -1.0, 0.8))
    line = Generic("g", body_a="bar", body_b="base", point_a=PLACE, orientation_b=TURN, locked=("y", "z"))
    slot = Curve("g", body="bar", to="base", point=PLACE, points=[tuple(PLACE + s * WAY) for s in (-20, 0, 20)])
    got, expected = (run(Mechanism(bodies=[base, other], constraints=[each]), 0.6, method) for each in (slot, line))
    assert np.abs(got.position - expected.position).max() < MOVES
    assert np.abs(got.constraint_force - expected.constraint_force).max() < 1e-7


@all_methods
def test_circular_groove_of_a_turning_disc_is_a_rod(method):
    """Of a closed linkage: disc and bead both hang on the world, and the disc is driven."""
    angles = np.arange(400) * (2 * np.pi / 400)
    center, radius = np.array([0.3, 0.0, 0.0]), 0.2
    groove = [tuple(center + radius * np.array([np.cos(a), np.sin(a), 0.0])) for a in angles]
    disc = Body("disc", mass=3.0, inertia=(0.1, 0.1, 0.2))
    motor = JointMotor("speed", target=2.0)
    axle = Joint("axle", "revolute", None, "disc", (0, 0, 0), speeds=(2.0,), motor=motor)
    flat = Joint("flat", "planar", None, "bead", tuple(center + (radius, 0, 0)))
    pin = bead(position=tuple(center + (radius, 0, 0)), linear_velocity=(0, 1.0, 0))
    pin.angular_velocity = (0.0, 0.0, 0.0)
    flat.speeds = (0.0, 1.0, 0.0)
    held = Curve("held", body="bead", to="disc", point=pin.position, points=groove, closed=True)
    arm = Body("arm", mass=1e-9, inertia=(1e-9, 1e-9, 1e-9), position=tuple(center))
    pivots = [Joint("p", "revolute", "disc", "arm", tuple(center)), Joint("q", "revolute", "arm", "bead", pin.position)]
    got = run(Mechanism(bodies=[disc, pin], joints=[axle, flat], constraints=[held]), 1.5, method)
    rod = Mechanism(bodies=[disc, arm, pin], joints=[axle, *pivots])
    expected = simulate(rod, 1.5, 20.0, relative=FINE)
    assert np.abs(got.position[:, 1] - expected.position[:, 2]).max() < 1e-6  # the arm weighs 1e-9 kg


@all_methods
def test_scotch_yoke(method):
    """A pin on a crank that turns steadily, in a straight slot across the slide: x = r cos(w t).

    The pin pushes along the slide only, by m x''.
    """
    rate, radius = 3.0, 0.4
    crank, yoke = bead(), Body("yoke", mass=1.5, inertia=(1, 1, 1), position=(radius, 0, 0))
    crank.name = "crank"
    joints = [
        Joint("axle", "revolute", None, "crank", (0, 0, 0), speeds=(rate,), motor=JointMotor("speed", target=rate)),
        Joint("slide", "prismatic", None, "yoke", (radius, 0, 0), (np.sqrt(0.5), 0, np.sqrt(0.5), 0)),
    ]
    points = [(radius, y, 0.0) for y in (-1.0, 0.0, 1.0)]
    slot = Curve("slot", body="crank", to="yoke", point=(radius, 0, 0), points=points)
    got = run(Mechanism(bodies=[crank, yoke], joints=joints, constraints=[slot]), 2.0, method)
    x = radius * np.cos(rate * got.times)
    assert np.abs(got.position[:, 1, 0] - x).max() < MOVES
    assert np.abs(got.linear_velocity[:, 1, 0] + rate * radius * np.sin(rate * got.times)).max() < 10 * MOVES
    assert np.abs(got.constraint_force[:, 0, 0] - 1.5 * rate**2 * x).max() < 1e-5
    assert np.abs(got.constraint_force[:, 0, 1]).max() < 1e-9


@all_methods
def test_cam_lifts_its_follower(method):
    """An eccentric circle as a groove, its pin led upright: a slider-crank, z = e sin a + sqrt(R^2 - e^2 cos^2 a)."""
    rate, offset, radius = 4.0, 0.15, 0.4
    angles = np.arange(800) * (2 * np.pi / 800)
    groove = [(offset + radius * np.cos(a), radius * np.sin(a), 0.0) for a in angles]
    start = np.sqrt(radius**2 - offset**2)
    cam, pin = Body("cam", mass=2.0, inertia=(1, 1, 1)), bead(position=(0, start, 0))
    joints = [
        Joint("axle", "revolute", None, "cam", (0, 0, 0), speeds=(rate,), motor=JointMotor("speed", target=rate)),
        Joint("guide", "prismatic", None, "bead", (0, start, 0), (np.sqrt(0.5), -np.sqrt(0.5), 0, 0)),
    ]
    follow = Curve("f", body="bead", to="cam", point=(0, start, 0), points=groove, closed=True)
    got = run(Mechanism(bodies=[cam, pin], joints=joints, constraints=[follow]), 2.0, method)
    a = rate * got.times
    lift = offset * np.sin(a) + np.sqrt(radius**2 - (offset * np.cos(a)) ** 2)
    assert np.abs(got.position[:, 1, 1] - lift).max() < MOVES


@pytest.mark.parametrize("align", [{}, {"align": "tangent"}, {"align": "up"}], ids=["bead", "tangent", "up"])
def test_free_pair_keeps_momentum_and_energy(align):
    """Action and reaction: nothing outside pushes. Aligned, the bead's x axis starts along the curve's tangent."""
    mechanism = two(**along(**align)) if align else two()
    got = simulate(mechanism, 3.0, 20.0, relative=1e-11, absolute=1e-13)
    assert got.constraint_error.max() < 1e-10
    for kept in momenta(got):
        assert np.abs(kept - kept[0]).max() < 1e-9 * max(1.0, np.abs(kept[0]).max()) * (1 if not align else 30)
    assert np.abs(got.position[-1, 1] - got.position[0, 1]).max() > 0.1


def along(**more) -> dict:
    """Settings of a bar that keeps along the saddle's tangent, which is along y and z at its start."""
    tangent = np.array([0.0, 0.5, 0.2])
    tangent /= np.linalg.norm(tangent)
    up = np.array([0.0, -tangent[2], tangent[1]])
    axes = np.stack([tangent, np.cross(up, tangent), up], axis=1)
    w = 0.5 * np.sqrt(1.0 + np.trace(axes))
    vector = np.array([axes[2, 1] - axes[1, 2], axes[0, 2] - axes[2, 0], axes[1, 0] - axes[0, 1]]) / (4.0 * w)
    return {"orientation": (w, *vector), **more}


def frames_of_curve(got) -> tuple[np.ndarray, np.ndarray]:
    """(x axes (F, 3) of the aligned frame, tangents (F, 3) of the saddle at the bead), in the carrier's axes."""
    curve = BeadCurve(Curve("c", body="b", point=(0, 0, 0), points=SADDLE, closed=True))
    own = rotation_matrices(got.orientation[:, 1]) @ rotation_matrices(np.array([along()["orientation"]]))[0]
    R = rotation_matrices(got.orientation[:, 0])
    point = np.einsum("fij,fi->fj", R, got.position[:, 1] - got.position[:, 0])
    tangents = np.array([curve.nearest(p)[1] for p in point])
    return np.einsum("fij,fi->fj", R, own[:, :, 0]), tangents / np.linalg.norm(tangents, axis=1, keepdims=True)


@all_methods
@pytest.mark.parametrize("align", ["tangent", "up"])
def test_aligned_axis_keeps_along_the_tangent(align, method):
    """On a carrier that turns; the point that slides is the bar's origin."""
    mechanism = two((0, 0, -9.81), **along(align=align))
    got = run(mechanism, 1.0, method)
    axes, tangents = frames_of_curve(got)
    assert np.linalg.norm(np.cross(axes, tangents), axis=1).max() < 1e-8
    assert (np.sum(axes * tangents, axis=1) > 0.99).all()


@pytest.mark.parametrize(("align", "count"), [(None, 2), ("tangent", 4), ("up", 5)])
def test_takes_as_many_degrees_of_freedom_as_it_has_rows(align, count):
    mechanism = two(**along(align=align)) if align else two()
    (compiled,) = compile_linkages(mechanism)
    speeds = find_speeds(compiled.model, 0.0, compiled.state, compiled.model.closures.curve_first)
    assert speeds.rows.shape == (count, 12)
    assert np.linalg.matrix_rank(speeds.rows, tol=0.01) == count


def test_reaction_of_a_bead_is_across_the_curve():
    got = run(two((0, 0, -9.81)), 1.0)
    _, tangents = frames_of_curve(got)
    R = rotation_matrices(got.orientation[:, 0])
    force = np.einsum("fij,fi->fj", R, got.constraint_force[:, 0, :3])
    strongest = np.abs(force).max()
    assert np.abs(np.sum(force * tangents, axis=1)).max() < 1e-9 * strongest
    assert np.abs(got.constraint_force[:, 0, 3:]).max() < 1e-12 * strongest


def circle(count: int) -> np.ndarray:
    angles = np.arange(count) * (2 * np.pi / count)
    return np.stack([np.sin(angles), 0 * angles, -np.cos(angles)], axis=1)


def rail(count: int, align: str) -> tuple[Body, Curve, Joint]:
    """A car at the side of an upright circular rail, and the hinge that holds it in the same way."""
    turn = (np.sqrt(0.5), 0.0, -np.sqrt(0.5), 0.0)
    car = Body("car", mass=2.0, inertia=(0.02, 0.03, 0.04), center_of_mass=(0.1, 0.0, 0.2))
    car.position, car.orientation = (1, 0, 0), turn
    ring = circle(count)
    curve = Curve("rail", body="car", point=(1, 0, 0), points=ring.tolist(), closed=True)
    curve.align, curve.orientation, curve.up = align, turn, (-ring).tolist()
    return car, curve, Joint("hinge", "revolute", None, "car", (0, 0, 0), (np.sqrt(0.5), -np.sqrt(0.5), 0, 0))


@all_methods
def test_car_on_an_upright_circle_is_a_body_on_a_hinge(method):
    """Roller coaster: its up direction points inwards all round, at the top of the loop down."""
    car, curve, hinge = rail(400, "up")
    got = run(Mechanism(bodies=[car], constraints=[curve]), 2.0, method)
    expected = run(Mechanism(bodies=[car], joints=[hinge]), 2.0)
    assert np.abs(got.position - expected.position).max() < MOVES
    assert turned_apart(got.orientation, expected.orientation).max() < 2 * MOVES


def test_reaction_of_a_car_on_a_circle_is_that_of_the_hinge():
    """About its axis too; to the third derivative of the spline: a quarter as far off with four times the points."""
    off = []
    for count in (200, 800):
        car, curve, hinge = rail(count, "up")
        got = run(Mechanism(bodies=[car], constraints=[curve]), 1.0)
        expected = run(Mechanism(bodies=[car], joints=[hinge]), 1.0)
        held, wanted = got.constraint_force[:, 0], expected.joint_force[:, 0]
        moment = held[:, 3:] + np.cross(got.position[:, 0], held[:, :3])
        strongest = np.abs(wanted).max()
        assert np.abs(moment - wanted[:, 3:]).max() < 1e-3 * strongest
        off.append(np.abs(held[:, :3] - wanted[:, :3]).max() / strongest)
    assert off[0] < 2e-3
    assert off[1] < 0.5 * off[0]


@pytest.mark.parametrize(
    ("integrator", "options", "near"),
    [
        ("runge-kutta", {}, 1e-4),
        ("implicit", {}, 1e-4),
        ("impulse", {"substeps": 100}, 5e-3),
        ("variational", {"substeps": 100}, 5e-4),
    ],
)
@pytest.mark.parametrize("align", [None, "tangent", "up"])
def test_integrators_agree(align, integrator, options, near):
    """With Adams'; impulse steps are of first order, those of the variational scheme of second."""
    mechanism = two((0, 0, -9.81), **along(align=align)) if align else two((0, 0, -9.81))
    expected = simulate(mechanism, 0.5, 20.0, relative=FINE)
    got = simulate(mechanism, 0.5, 20.0, integrator=integrator, **options)
    assert got.constraint_error.max() < 1e-7
    assert np.abs(got.position - expected.position).max() < near
    assert turned_apart(got.orientation, expected.orientation).max() < 10 * near


@pytest.mark.parametrize("integrator", ["adams", "impulse", "implicit"])
def test_enabled_and_disabled_on_the_way(integrator):
    """A bead that is on its curve is taken by it at any moment, and let go again."""
    mechanism = two(align=None)
    mechanism.actions = [Action(0.3, "slot", {"enabled": False})]
    got = simulate(mechanism, 0.6, 20.0, integrator=integrator)
    assert np.abs(got.constraint_force[got.times > 0.31]).max() == 0.0
    assert np.abs(got.constraint_force[got.times < 0.29]).max() > 0.01


def test_put_in_on_the_way_where_its_bodies_are_then():
    """As the curve stands at that moment; it goes with its body from then on."""
    base = bar("base", angular_velocity=(0, 0, 2.0))
    pin = bead(position=(2.0, 0.0, 0.0), linear_velocity=(0.0, 0.3, 0.0))
    nail = Nail("nail", body="base", point=(0, 0, 0))
    mechanism = Mechanism(gravity=(0, 0, 0), bodies=[base, pin], constraints=[nail])
    y = 0.3 * 0.5
    slot = Curve("slot", body="bead", to="base", point=(2, y, 0), points=[(-9, y, 0), (2, y, 0), (9, y, 0)])
    mechanism.actions = [Action(0.5, add=Addition(constraints=[slot]))]
    got = run(mechanism, 1.5, relative=FINE)
    late = got.times > 0.51
    R = rotation_matrices(got.orientation[late, 0])
    turned = rotation_matrices(np.array([(np.cos(0.5), 0, 0, np.sin(0.5))]))[0]  # by 2 rad/s since the start
    local = np.einsum("fij,fi->fj", R @ turned.T, got.position[late, 1])
    assert np.abs(local[:, 1] - y).max() < 1e-7
    assert np.abs(local[:, 2]).max() < 1e-7


@pytest.mark.parametrize("align", [None, "tangent", "up"])
def test_assembly_brings_the_bead_to_its_curve(align):
    """And turns it along; what is described anew starts, and the curve has gone with its body."""
    mechanism = two(align=align, orientation=(0.9, 0.3, 0.3, 0.1))
    mechanism.constraints[0].point = (0.9, 0.2, 0.3)
    with pytest.raises(MechanismError, match="at the start"):
        simulate(mechanism, 0.0)
    together = assemble(mechanism)
    moved = np.abs(np.subtract(together.constraints[0].points, SADDLE)).max()
    assert moved > 1e-3
    got = simulate(together, 0.05, 20.0, relative=FINE)
    assert got.constraint_error.max() < HELD


def test_with_contact_a_pin_slides_in_a_slot_of_a_plate_on_the_ground():
    """The plate rests on the ground by its shape; the pin, held up by the slot alone, presses it down."""
    plate = Body("plate", mass=5.0, inertia=(1, 1, 1), position=(0, 0, 0.05), shape=Box(half_size=(0.5, 0.5, 0.05)))
    pin = bead(position=(0.0, 0.0, 0.3), linear_velocity=(0.2, 0.0, 0.0))
    points = [(s, 0.0, 0.3) for s in (-1.0, 0.0, 1.0)]
    slot = Curve("slot", body="bead", to="plate", point=(0, 0, 0.3), points=points)
    mechanism = Mechanism(bodies=[plate, pin], constraints=[slot], contact=Contact(ground=Ground(0.0, 0.8, 0.0)))
    got = simulate(mechanism, 1.0, 20.0, integrator="impulse")
    assert np.abs(got.position[:, 1, 0] - 0.2 * got.times).max() < 1e-3
    assert np.abs(got.position[:, 1, 2] - 0.3).max() < 1e-3
    assert got.constraint_error.max() < HELD


def test_curve_of_a_keyed_body_leads_the_bead():
    """A straight wire that is carried along without turning: the bead moves across as the wire does."""
    times = np.linspace(0.0, 1.0, 21)
    wire = Body("wire", motion="keyed")
    wire.keys = Keys(tuple(times), tuple((0.0, 0.0, t * t) for t in times), ((1.0, 0.0, 0.0, 0.0),) * 21)
    slot = Curve("s", body="bead", to="wire", point=(0, 0, 0), points=[(-5, 0, 0), (0, 0, 0), (5, 0, 0)])
    got = run(Mechanism(bodies=[wire, bead(linear_velocity=(0.7, 0, 0))], constraints=[slot]), 1.0)
    assert np.abs(got.position[:, 1] - np.stack([0.7 * got.times, 0 * times, got.times**2], axis=1)).max() < MOVES
    assert np.abs(got.constraint_force[:, 0, 2] - 2.0 * (9.81 + 2.0)).max() < 1e-5


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"to": "bar"}, "slides along a curve of the body itself"),
        ({"to": "nobody"}, "nobody"),
        ({"points": [(1, 1, 1)] * 3}, "the curve has no length"),
        ({"align": "sideways"}, "must be one of tangent, up"),
        ({"up": [(0, 0, 0)]}, "must not be 0: it is a direction"),
        ({"up": [(0, 0, 1)] * 5}, "must be 1 direction, or 60"),
        ({"align": "up", "points": [(0.5, 0, 0), (0.5, 0, 1)], "closed": False}, "along the curve all the way"),
        ({"tau": 0.1}, "no bead is drawn"),
        ({"points": [(5, 5, 5), (6, 6, 6)], "closed": False}, "0.408 m.*assemble"),
        ({"points": [(5, 5, 5), (6, 6, 6)]}, "a closed curve needs three"),
        ({"align": "tangent"}, "turned by 57.3 degrees at the start"),  # the sine of a right angle
    ],
)
def test_refused(given, words):
    mechanism = two()
    for name, value in given.items():
        setattr(mechanism.constraints[0], name, value)
    with pytest.raises(MechanismError, match=words):
        simulate(mechanism, 0.0)


def test_two_bodies_may_have_curves_for_each_other():
    """A closed chain of carriers is a linkage like any other."""
    mechanism = two((0, 0, -9.81))
    back = [(0.5, 0.4, s) for s in (-2.0, 0.0, 2.0)]
    other = Curve("back", body="base", to="bar", point=(0.5, 0.4, 0.0), points=back)
    mechanism.constraints.append(other)
    got = run(mechanism, 0.5)
    assert np.abs(got.constraint_force[:, 1]).max() > 0.01


def test_file_round_trip(tmp_path):
    mechanism = two(**along(align="up", up=[(0.0, 0.0, 1.0)]))
    path = tmp_path / "slot.json"
    mechanism.save(path)
    again = Mechanism.load(path)
    assert again.constraints == mechanism.constraints
    assert np.array_equal(evaluate(again).linear_acceleration, evaluate(mechanism).linear_acceleration)


@pytest.mark.parametrize("speed", [12.0, 60.0])
def test_a_cam_that_turns_by_two_radians_a_frame_is_met(speed):
    """A row is redundant, so that frames are evaluated once more: from the last frame's place of the curve they came to
    a place on its other side, and a gap of 0.9 m was told.
    """
    angles = np.arange(96) * (2 * np.pi / 96)
    circle = [(0.15 + 0.5 * np.cos(a), 0.5 * np.sin(a), 0.0) for a in angles]
    half = np.sqrt(0.5)
    mechanism = Mechanism(
        bodies=[
            Body(
                "disc", mass=3.0, inertia=(0.2, 0.2, 0.4), position=(0.0, 0.0, 0.0), angular_velocity=(0.0, 0.0, speed)
            ),
            Body("follower", mass=1.0, inertia=(0.01, 0.01, 0.01), position=(0.65, 0.0, 0.0)),
        ],
        joints=[
            Joint("axle", "revolute", None, "disc", position=(0.0, 0.0, 0.0), motor=JointMotor("speed", target=speed)),
            Joint(
                "guide", "prismatic", None, "follower", position=(0.65, 0.0, 0.0), orientation=(half, 0.0, half, 0.0)
            ),
        ],
        constraints=[Curve("groove", body="follower", point=(0.65, 0.0, 0.0), points=circle, closed=True, to="disc")],
    )
    recording = simulate(mechanism, 1.0)
    assert recording.constraint_error.max() < 1e-9
    assert "not-met" not in [note.code for note in recording.notes]
    turned = speed * recording.times
    true = 0.15 * np.cos(turned) + np.sqrt(0.25 - (0.15 * np.sin(turned)) ** 2)
    assert np.abs(recording.position[:, 1, 0] - true).max() < 1e-5, "of a curve that is a spline"
